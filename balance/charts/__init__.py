"""Charts: tables in, pictures out. Nothing here computes a statistic."""
