"""Quadropolis, Classic and Expert, with the Public Services: see `components` for what is in the box.

Authority: the Public Services rulebook for the expansion, our rules page (Quadropolis, parts 1 to 6) for the rest.
"""
