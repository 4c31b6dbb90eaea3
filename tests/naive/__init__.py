"""Obvious, slow versions of every kernel, written from the rules texts in plain Python."""
