"""Statistics of runs: tallies in, tables with intervals out. Nothing here prints, rounds or draws."""
