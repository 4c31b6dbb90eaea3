PYTHON ?= .venv/bin/python

.PHONY: setup fmt lint types imports test bench check

setup:            ## a virtual environment with everything a developer needs
	python3 -m venv .venv
	$(PYTHON) -m pip install --quiet --editable ".[dev]"

fmt:              ## format all code
	$(PYTHON) -m ruff format .
	$(PYTHON) -m ruff check --fix .

lint:             ## style
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .

types:            ## static types
	$(PYTHON) -m mypy

imports:          ## imports follow the layers
	$(dir $(PYTHON))lint-imports

test:             ## all tests; a smaller part again with the JIT off, and with bounds checked
	$(PYTHON) -m pytest
	NUMBA_DISABLE_JIT=1 $(PYTHON) -m pytest tests/games
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.numba-boundscheck $(PYTHON) -m pytest tests/games/city_services

bench:            ## games per second on this machine
	$(PYTHON) -m balance bench

check: lint types imports test   ## what has to pass before a change lands
