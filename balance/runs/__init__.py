"""Batches of games: spread over workers, tallied, and kept in run folders."""
