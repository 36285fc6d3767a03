# The commands of the project. `make` alone lists them.
#
# Needs Python 3.11 or newer and make. Everything else goes into .venv and .cache here.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

ENV    := .venv
BIN    := $(ENV)/bin
OUT    ?= out
JOBS   ?= $(shell n=$$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$(( n > 4 ? 4 : n )))

export MPLBACKEND := Agg
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# What a process compiles of the sources the next one reads: commands, workers of the tests.
unexport PYTHONDONTWRITEBYTECODE

INSTALL := $(BIN)/python -m pip install --quiet --no-input

.PHONY: help install demo test test-slow sweeps bench lint docs types contracts unit bodies chains pictures dist lock clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

install: $(ENV)/.base ## install into .venv in the versions of locks/, nothing else

demo: $(ENV)/.base ## show a person beside a linkage in the browser (HEADLESS=1: simulate the gallery linkage into $(OUT)/ and stop)
	$(BIN)/articulata demo $(if $(HEADLESS),--headless,visit) --out $(OUT)

test: $(ENV)/.test $(ENV)/.browser ## everything but the slow tests: lint, types, contracts, documentation, tests
	@# Types and documentation take one processor each: they run beside kernels and tests.
	@$(MAKE) --no-print-directory --keep-going --jobs=2 unit lint types docs

lint: $(ENV)/.test ## style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(ENV)/.test ## strict types
	$(BIN)/mypy

contracts: $(ENV)/.test ## who may import whom: a test asks it too
	$(BIN)/lint-imports --no-logo

docs: $(ENV)/.test ## build the documentation strictly into site/
	$(BIN)/sphinx-build -q -W --keep-going -n -b html docs site
	@echo "documentation: site/index.html"

unit: bodies chains $(ENV)/.browser ## the tests alone
	@# A test that hangs ends with its stack on the screen; the others go on.
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow and not sweep" \
	  -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true

# Workers that start cold would compile the same kernels side by side; these two share few.
bodies: $(ENV)/.test
	@$(BIN)/articulata warm simulate contact stepping

chains: $(ENV)/.test
	@$(BIN)/articulata warm reach inverse figures pose film track interference

test-slow: $(ENV)/.slow $(ENV)/.browser $(ENV)/.others ## fuzzing, sweeps and soak runs: less than an hour on two cores
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m slow --durations=40 --durations-min=20

sweeps: $(ENV)/.slow ## the rest of the longest sweeps: hours
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m sweep

bench: $(ENV)/.bench .venv-placo/.done ## measure ourselves beside the peers; writes $(OUT)/bench.json
	$(BIN)/python -m benchmarks --out $(OUT)

pictures: $(ENV)/.base ## draw the pictures of the README again
	$(BIN)/python scripts/pictures

dist: $(ENV)/.test .venv-dist/.done ## build wheels, source archive, manual page, licences and SBOM into dist/, and try them
	$(BIN)/python scripts/dist .venv-dist/bin/cyclonedx-py

lock: ## resolve the dependencies anew and write locks/*.txt
	scripts/lock

clean: ## remove everything that was made here
	rm -rf .venv .venv-* .cache out site build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# -- the environment: a stamp per set of packages, so that a second run installs nothing --------

$(BIN)/python:
	@python=$$(scripts/find-python) && echo "environment: $$python -> $(ENV)" && "$$python" -m venv $(ENV)

$(ENV)/.base: locks/base.txt pyproject.toml | $(BIN)/python
	@echo "installing locks/base.txt (0.5 GB on disk; once)"
	@# Bytecode of what is never loaded is 100 MB and half of the time; the rest is made when loaded.
	$(INSTALL) --no-compile --require-hashes -r locks/base.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(ENV)/.test: locks/test.txt $(ENV)/.base
	@echo "installing locks/test.txt"
	$(INSTALL) --require-hashes -r locks/test.txt
	@touch $@

$(ENV)/.slow: locks/slow.txt locks/alone.txt $(ENV)/.test
	@echo "installing locks/slow.txt (descriptions of public robots, 131 MB)"
	$(INSTALL) --require-hashes -r locks/slow.txt
	$(INSTALL) --require-hashes --no-deps -r locks/alone.txt
	@touch $@

$(ENV)/.bench: locks/bench.txt $(ENV)/.slow
	@echo "installing locks/bench.txt (the peers)"
	$(INSTALL) --require-hashes -r locks/bench.txt
	@touch $@

define APART
	@echo "installing $< into $(@D) (what cannot live beside the others, or need not)"
	@"$$(scripts/find-python)" -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --no-input --require-hashes -r $<
	@touch $@
endef

.venv-dist/.done: locks/dist.txt
	$(APART)

.venv-%/.done: locks/bench-%.txt
	$(APART)

$(ENV)/.browser: scripts/find-tool | $(ENV)/.test
	@scripts/find-tool chromium --install
	@touch $@

$(ENV)/.others: locks/x_ite/package-lock.json locks/gltf_validator/package-lock.json scripts/find-tool | $(ENV)/.test
	@scripts/find-tool tshark --install
	@scripts/find-tool npm --install
	@echo "installing locks/x_ite (an X3D browser and axe, 35 MB) and locks/gltf_validator (Khronos, 0.4 MB)"
	@for each in x_ite gltf_validator; do \
	  mkdir -p .cache/$$each && cp locks/$$each/*.json .cache/$$each; \
	  (cd .cache/$$each && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error); \
	done
	@touch $@
