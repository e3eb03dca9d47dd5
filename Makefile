# One menu for people and for CI. Everything is set up on first use, in .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
SENTENCE ?= She was [on] antibiotics for a week.

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench docs clean

help: ## Show this menu
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/installed ## A first real result: usages like one you give, and a score for rare senses
	@$(BIN)/uncommonsense demo "$(SENTENCE)"

test: $(VENV)/developed $(VENV)/resources ## Run the tests
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile

lint: $(VENV)/developed ## Check style and types
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: $(VENV)/benched $(VENV)/resources ## Measure speed against this machine's own limits and against peers
	@for each in bench/*.py; do $(BIN)/python $$each || exit 1; done

docs: $(VENV)/developed ## Write the command reference anew
	@$(BIN)/python scripts/write_command_reference.py

clean: ## Remove the virtual environment and build products (not the cache of models and vectors)
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache

$(VENV)/bin/python:
	@echo "creating $(VENV)" >&2
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "uncommonsense needs Python 3.11 or newer; set PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "installing packages (a minute or two the first time)" >&2
	@$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(VENV)/developed: $(VENV)/installed
	@echo "installing test packages" >&2
	@$(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(VENV)/benched: $(VENV)/developed
	@$(PIP) install --constraint constraints.txt --editable '.[bench]'
	@touch $@

$(VENV)/resources: $(VENV)/installed
	@$(BIN)/uncommonsense data get wordnet minilm > /dev/null
	@touch $@
