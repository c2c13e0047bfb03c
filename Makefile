# Two commands matter: `make demo` and `make test`. Each sets up what it needs from a machine with Python 3.11 and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test machine lint bench clean

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip --quiet --disable-pip-version-check install --upgrade "pip>=25.1"
	$(BIN)/python -m pip --quiet --disable-pip-version-check install --editable . --group dev
	touch $@

demo: $(VENV)/.ready
	@$(BIN)/firsthand demo

test: $(VENV)/.ready
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto --ignore=tests/machine --ignore=tests/acceptance
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --include='src/firsthand/rules/*,src/firsthand/ledger.py,src/firsthand/capture/*,src/firsthand/recall/*' --fail-under=95
	$(BIN)/python -m pytest -n auto --dist worksteal tests/machine tests/acceptance  # long, and unmeasured: what they reach, the others do

machine: $(VENV)/.ready
	MACHINE_SEEDS=10 $(BIN)/python -m pytest -n auto --dist worksteal tests/machine

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(VENV)/.ready
	$(BIN)/python bench/core.py

clean:
	rm -rf $(VENV) .coverage* .pytest_cache .ruff_cache .hypothesis
