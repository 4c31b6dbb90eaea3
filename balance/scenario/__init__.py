"""Scenarios: everything a designer may want to turn, as checked data."""
