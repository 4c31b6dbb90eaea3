"""The games: rules as compiled loops; see README.md beside this file."""
