# Two commands matter: `make demo` and `make test`. Each sets up what it needs from a machine with Python 3.11 and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# Measuring triples the time of a test: what long ones and those of the surfaces reach, these do.
MEASURED := $(addprefix tests/,capture inference ledger learning moving recall rules stories)
LONG     := $(addprefix tests/,ledger/test_kills.py ledger/test_processes.py rules/test_fold_orders.py)

.PHONY: demo test lint bench bench-peers clean

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip --quiet --disable-pip-version-check install --upgrade "pip>=25.1"
	$(BIN)/python -m pip --quiet --disable-pip-version-check install --editable . --group dev
	touch $@

demo: $(VENV)/.ready
	@$(BIN)/firsthand demo

test: $(VENV)/.ready
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto $(MEASURED) $(addprefix --ignore=,$(LONG))
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --include='src/firsthand/rules/*,src/firsthand/ledger.py,src/firsthand/capture/*,src/firsthand/recall/*' --fail-under=95
	$(BIN)/python -m pytest -n auto --dist worksteal $(filter-out $(MEASURED),$(wildcard tests/*)) $(LONG)

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(VENV)/.ready
	$(BIN)/python bench/core.py

# Other memories in the same run; installs them by pip and npm into a temporary folder.
bench-peers: $(VENV)/.ready
	$(BIN)/python bench/peers.py
	$(BIN)/python bench/figures.py

clean:
	rm -rf $(VENV) .coverage* .pytest_cache .ruff_cache .hypothesis
