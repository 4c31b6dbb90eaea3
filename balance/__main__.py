"""`python -m balance`."""

from balance.cli import main

main()
