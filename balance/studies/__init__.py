"""Studies: one file for each question. They run games and judge."""
