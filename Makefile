# Needs Python >= 3.11, make and pip (Debian: apt-get install python3-dev python3-venv make).
# make demo: install and run the main job on a bundled web; make test: what a change needs;
# make test-all: everything CI runs.

PYTHON ?= python3
# Where it is set, every process compiles all modules anew, which takes longer than a small crawl.
export PYTHONDONTWRITEBYTECODE :=
# What is used is compiled when it is first used; so it is where packages are built.
export PIP_COMPILE := 0
VENV := .venv
BIN := $(VENV)/bin
comma := ,
UV := $(shell command -v uv 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help install loops demo test lint types unit test-all test-slow docs dist bench bench-memory bench-text peers soak lock s3-server clean

help:
	@echo "make demo       install into .venv and crawl the bundled mini-web"
	@echo "make install    make .venv with the command .venv/bin/quarkcrawl"
	@echo "make test       lint, types and the tests that a change needs (installs what they need)"
	@echo "make test-all   all tests: documentation, browser, Spark, long kills"
	@echo "make test-slow  kill, memory and real-site tests that take minutes"
	@echo "make s3-server  install the object store that tests use, in build/s3server (needs npm)"
	@echo "make docs       the documentation site, in build/site"
	@echo "make dist       wheel and sdist, checked, in dist"
	@echo "make bench      benchmarks; JSON files in benchmarks/out (bench-memory: 100,000 pages;"
	@echo "                bench-text: segmentation and extraction)"
	@echo "make soak       ten minutes (MINUTES=60) of good and bad hosts, four workers, kills"
	@echo "make lock       choose anew the versions that CI installs, .ci/requirements.txt (needs uv)"
	@echo "make peers      extraction beside other projects' extractors, on ../shared/data"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python >= 3.11 is needed; set PYTHON=python3.12 or the like"; exit 1; }
ifdef UV
	$(UV) venv --quiet --python "$$(command -v $(PYTHON))" $(VENV)
else
	@if $(PYTHON) -m pip --version >/dev/null 2>&1; then \
	  $(PYTHON) -m venv --without-pip $(VENV); \
	else \
	  $(PYTHON) -m venv $(VENV) || { echo "apt-get install python3-venv"; exit 1; }; \
	fi
	@# An older pip takes three times as long for all that follows.
	@if [ -x $(BIN)/pip ]; then pip="$(BIN)/python -m pip"; \
	else pip="$(PYTHON) -m pip --python $(BIN)/python"; fi; \
	$$pip install --quiet --upgrade pip
endif

# $(call pip_install,extras)
ifdef UV
pip_install = $(UV) pip install --quiet --python $(BIN)/python -e '.$(1)'
else
pip_install = $(BIN)/python -m pip install --quiet -e '.$(1)'
endif

# LOCK=.ci/requirements.txt installs exactly those files, by their hashes; CI does.
LOCK ?=
ifdef UV
install_locked = $(UV) pip install --quiet --python $(BIN)/python
else
install_locked = $(BIN)/python -m pip install --quiet
endif
locked_install = $(install_locked) --require-hashes -r $(LOCK) && \
  $(install_locked) --no-deps --no-build-isolation -e .

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(call pip_install,[web])
	@touch $@

# CI requires everything (Spark and Ray among it); elsewhere those tests are skipped.
EXTRAS := test$(if $(QUARKCRAWL_REQUIRE_ALL),$(comma)spark$(comma)ray)

$(VENV)/.test-installed: pyproject.toml $(LOCK) | $(VENV)/bin/python
	$(if $(LOCK),$(locked_install),$(call pip_install,[$(EXTRAS)]))
	@touch $@ $(VENV)/.installed

# Tests of object stores are skipped without it; see tests/s3.
s3-server: build/s3server/.installed

build/s3server/.installed: tests/s3/package.json tests/s3/package-lock.json
	mkdir -p build/s3server
	cp $^ build/s3server
	cd build/s3server && npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

$(VENV)/.bench-installed: pyproject.toml | $(VENV)/bin/python
	$(call pip_install,[test$(comma)bench])
	@touch $@ $(VENV)/.installed $(VENV)/.test-installed

$(VENV)/.peers-installed: pyproject.toml | $(VENV)/bin/python
	$(call pip_install,[test$(comma)bench$(comma)peers$(comma)train])
	@touch $@ $(VENV)/.installed $(VENV)/.test-installed $(VENV)/.bench-installed

install: $(VENV)/.installed

# Compiles the loops that were changed since.
loops: $(VENV)/.test-installed
	@$(BIN)/python hatch_build.py

demo: install
	$(BIN)/quarkcrawl demo

lint: $(VENV)/.test-installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.test-installed
	$(BIN)/mypy

# More processes than there are cores: tests also wait, for crawls, servers and disks. One more,
# since each collects all tests, which costs the quick ones as much as they gain by a second.
n_cores = $(shell $(PYTHON) -c 'import os; print(len(os.sched_getaffinity(0)))')
WORKERS ?= $(shell expr $(n_cores) + 1)
SELECT ?= not slow and not full
PROFILE ?= quick
TESTS ?=
PYTEST_OPTIONS ?=
pytest = QUARKCRAWL_TEST_PROFILE=$(PROFILE) $(BIN)/python -m pytest

# AGAIN=1: what failed beside others has one more try by itself, and both are to be read.
unit: loops
	$(pytest) -m "($(SELECT)) and not alone" -n $(WORKERS) --dist worksteal --durations=20 $(PYTEST_OPTIONS) $(TESTS) \
	  || { [ $$? -eq 1 ] && [ -n "$(AGAIN)" ] && echo "FAILED BESIDE OTHERS, AGAIN ALONE:" && \
	    $(pytest) -m "($(SELECT)) and not alone" --last-failed $(PYTEST_OPTIONS) $(TESTS); }

# What would measure the tests beside it. pytest ends with 5 where it was given none of these.
alone: loops
	$(pytest) -m "($(SELECT)) and alone" $(PYTEST_OPTIONS) $(TESTS) || [ $$? -eq 5 ]

# The type checker needs one core for half a minute, the tests leave half a core idle.
test: $(VENV)/.test-installed
	@$(MAKE) --no-print-directory -j3 lint types unit

test-all: WORKERS_ALL ?= $(shell expr $(n_cores) + 2)
test-all: $(VENV)/.test-installed
	@$(MAKE) --no-print-directory -j3 lint types unit SELECT="not slow" PROFILE=ci WORKERS=$(WORKERS_ALL)
	@$(MAKE) --no-print-directory alone SELECT="not slow" PROFILE=ci

test-slow: PROFILE = ci
test-slow: $(VENV)/.test-installed
	$(pytest) -m slow --timeout 3600

docs: $(VENV)/.test-installed
	$(BIN)/python -m sphinx -W -q -b html -d build/doctrees docs build/site
	@echo "build/site/index.html"

dist: $(VENV)/.test-installed
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

bench: $(VENV)/.bench-installed
	@mkdir -p benchmarks/out
	$(BIN)/python benchmarks/page.py > benchmarks/out/page.json
	$(BIN)/python benchmarks/frontier.py > benchmarks/out/frontier.json
	$(BIN)/python benchmarks/store.py > benchmarks/out/store.json
	$(BIN)/python benchmarks/crawl.py > benchmarks/out/crawl.json

bench-memory: $(VENV)/.bench-installed
	@mkdir -p benchmarks/out
	$(BIN)/python benchmarks/memory.py --pages 100000 > benchmarks/out/memory.json

bench-text: $(VENV)/.peers-installed
	@mkdir -p benchmarks/out
	$(BIN)/python benchmarks/segment.py > benchmarks/out/segment.json
	$(BIN)/python benchmarks/content.py > benchmarks/out/content.json
	$(BIN)/python benchmarks/extractor.py > benchmarks/out/extractor.json
	$(BIN)/python benchmarks/items.py > benchmarks/out/items.json
	$(BIN)/python benchmarks/analysis.py > benchmarks/out/analysis.json

peers: $(VENV)/.peers-installed
	@mkdir -p benchmarks/out
	OMP_NUM_THREADS=1 $(BIN)/quarkcrawl evaluate extractors ../shared/data/extraction --folds 5 \
	  --models benchmarks/out/folds --by-page --json-out benchmarks/out/scores.json

# MINUTES=60 for the long one.
soak: $(VENV)/.bench-installed
	$(BIN)/python benchmarks/soak.py --minutes $(or $(MINUTES),10)

# Keeps what is chosen already where it still fits; UPGRADE=1 takes the newest.
lock:
	uv pip compile pyproject.toml --extra test --extra spark --extra ray --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --custom-compile-command "make lock" --quiet \
	  $(if $(UPGRADE),--upgrade) --output-file .ci/requirements.txt

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
