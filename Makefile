# Everything runs from here. Nothing is assumed but make and Python 3.11 or later; the rest goes into .venv.
#   make demo    a verified release of the bundled patient table
#   make test    everything that must hold before a change is merged

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= auto
EFFORT ?= 0.3
N ?= 10000
SEED ?= 0
DEMO_OUT ?= demo
NO_BENCH := $(addprefix benchmarks/,__init__.py tables.py history.py mutants.py faults.py fault_cases.py)
BENCH ?= $(basename $(notdir $(filter-out $(NO_BENCH),$(wildcard benchmarks/*.py))))
CHECKED := src tests examples benchmarks docs

# A stamp is as new as the last installation; changing the dependencies or their pins makes it old.
BASE := $(VENV)/.base-ready
FULL := $(VENV)/.full-ready
PIP_INSTALL = $(BIN)/python -m pip install -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help venv setup pins demo test lint format types pytest docs generate bench figures trend screenshots fuzz mutants postgresql java chromium clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */  make \1\t/' | expand -t 18

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Shoal needs Python 3.11 or later: try make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { rm -rf $(VENV); $(MAKE) --no-print-directory .venv-module; \
		$(PYTHON) -m venv $(VENV); }

# Debian keeps part of the venv module in a package of its own.
.PHONY: .venv-module
.venv-module:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >/dev/null; \
	else echo "python3 -m venv does not work here: install it first (Debian: apt install python3-venv)" >&2; exit 1; fi

$(BASE): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing Shoal into $(VENV) …"
	@$(PIP_INSTALL) --upgrade 'pip>=25.1'
	@$(PIP_INSTALL) -c constraints.txt --editable .
	@touch $@

$(FULL): $(BASE) constraints.txt
	@echo "Installing what the tests and the documentation need …"
	@$(PIP_INSTALL) -c constraints.txt --editable '.[sql,excel,stats,icd10,learn,spark,studio]' --group dev
	@touch $@

venv: $(BASE)  ## install Shoal alone: leaves .venv/bin/shoal

setup: $(FULL)  ## install Shoal with all that developing it needs

pins: $(FULL)  ## rewrite constraints.txt: pin every package as it is installed in .venv now
	@{ echo "# The tested version of every package that \`make setup\` installs. \`make pins\` rewrites this file."; \
		$(BIN)/python -m pip freeze --disable-pip-version-check --exclude-editable | grep -E '^[A-Za-z0-9._-]+==' ; \
	} > $(VENV)/.pins
	@mv $(VENV)/.pins constraints.txt
	@touch $(BASE) $(FULL)

demo: $(BASE)  ## release the bundled patient table, verified, into demo/
	$(BIN)/shoal demo --out $(DEMO_OUT) --force

test: lint types pytest  ## all checks: lint, format, types, tests, and that the documentation is current and builds

lint: $(FULL)  ## ruff: lint and format
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)

format: $(FULL)  ## let ruff repair what it can
	$(BIN)/ruff check --fix $(CHECKED)
	$(BIN)/ruff format $(CHECKED)

types: $(FULL)  ## mypy, strict: the package, and the examples as its users would check them
	$(BIN)/mypy
	$(BIN)/mypy --strict examples

# A few workers at most: each compiles the kernels for itself when the cache is cold.
pytest: $(FULL) postgresql java chromium  ## the tests and the doctests
	EFFORT=$(EFFORT) $(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 4

docs: $(FULL)  ## build the documentation into site/, offline and strict
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

generate: $(FULL)  ## rewrite the generated parts of the documentation and the outputs it shows
	$(BIN)/python docs/generate.py

bench: $(FULL)  ## run the benchmarks; BENCH=name runs one
	@for name in $(BENCH); do echo "benchmarks.$$name"; $(BIN)/python -m benchmarks.$$name || exit 1; done

screenshots: $(FULL) chromium  ## take the pictures of the studio for the documentation, by its browser tests
	SHOAL_SCREENSHOTS=1 $(BIN)/python -m pytest -p no:xdist tests/studio/pages/test_pages.py

fuzz: $(FULL)  ## release and judge N random tables, with the seeds from SEED on
	$(BIN)/python -m tests.fuzz --runs $(N) --seed $(SEED)

mutants: $(FULL)  ## put faults into a copy of the package, one at a time, and see which are stopped
	$(BIN)/python -m benchmarks.mutants

figures: $(FULL)  ## put the figures of the last benchmark into the README
	$(BIN)/python docs/generate.py --figures

trend: $(FULL)  ## print how the figures of the benchmarks change from run to run
	@$(BIN)/python -m benchmarks.history

# The database tests start a server of their own; without its programs they are skipped, or fail where CI=true.
postgresql:
	@if command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing PostgreSQL for the database tests …"; \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq --no-install-recommends postgresql; } >/dev/null \
			|| echo "PostgreSQL could not be installed: its tests are skipped, or fail where CI=true." >&2; \
	else echo "No PostgreSQL server here: its tests are skipped, or fail where CI=true." >&2; fi

# The Spark tests start sessions and a cluster of their own; without Java they are skipped, or fail where CI=true.
java:
	@if command -v java >/dev/null || [ -x "$$JAVA_HOME/bin/java" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Java for the Spark tests …"; \
		{ apt-get update -qq && { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless \
			|| DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends default-jre-headless; }; } >/dev/null 2>&1 \
			|| echo "Java could not be installed: the Spark tests are skipped, or fail where CI=true." >&2; \
	else echo "No Java here: the Spark tests are skipped, or fail where CI=true." >&2; fi

# The browser tests drive Debian's Chromium; without it they are skipped, or fail where CI=true.
chromium:
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium for the browser tests …"; \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 \
			|| echo "Chromium could not be installed: the browser tests are skipped, or fail where CI=true." >&2; \
	else echo "No Chromium here: the browser tests are skipped, or fail where CI=true." >&2; fi

clean:  ## remove everything that was built, the virtual environment included
	rm -rf $(VENV) site dist build $(DEMO_OUT) $(DEMO_OUT).private $(DEMO_OUT).input .pytest_cache .mypy_cache .ruff_cache .hypothesis
