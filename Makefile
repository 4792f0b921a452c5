# `make test` and `make demo` do all their own set-up, in .venv.

PYTHON ?= python3
WORKERS ?= 2
# A file of tests runs in one process, which compiles, starts a cluster or opens a browser once.
SPREAD := -n $(WORKERS) --dist loadfile --no-loadscope-reorder

VENV := .venv
BIN := $(VENV)/bin
# One environment, a stamp for each use: the demo installs much less than the tests.
VENV_STAMP := $(VENV)/.stamp-venv
DEMO_STAMP := $(VENV)/.stamp-demo
TEST_STAMP := $(VENV)/.stamp-dev
DOCS_STAMP := $(VENV)/.stamp-docs
RELEASE_STAMP := $(VENV)/.stamp-release
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Half of the time of an installation would go into compiling modules that nobody imports.
INSTALL := $(PIP) install --no-compile
# Some containers forbid Python to keep compiled modules: each process of the tests would compile all
# that it imports, for seconds.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
# Two pips at once in one environment would collide.
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help test test-only test-all lint hooks coverage release demo docs gallery choosing levels bench bench-cli bench-compiling bench-dask bench-engine bench-landmarks bench-levels bench-projection bench-report bench-select bench-several bench-small bench-starts bench-studio bench-trees bench-trust reproduce screenshots format clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: lint test-only ## Check style and types, run the tests (sets up what it needs)

test-only: $(TEST_STAMP) ## Run the tests, and do not check style and types
	$(BIN)/python -m pytest $(SPREAD)

test-all: lint ## The same, slow tests included
	$(BIN)/python -m pytest $(SPREAD) -m "slow or not slow"

lint: $(TEST_STAMP) ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

hooks: $(TEST_STAMP) ## Have git check style, types and imports before each commit
	$(BIN)/pre-commit install

# These tests pass without compiling too: coverage sees the formulas then, and machine code never.
PLAIN := tests/test_losses.py tests/spaces tests/distances/test_pairs.py
# The tests to measure; the floor is for these. `make coverage COVERED=tests` measures all quick tests.
COVERED := tests/files tests/distances tests/_runtime tests/placecenter tests/estimators tests/starts \
  tests/landmarks tests/select tests/distributions tests/rivals tests/experiments tests/plots tests/cli \
  tests/report/test_page.py tests/test_checkpoint.py tests/test_checks.py tests/test_datasets.py \
  tests/models tests/test_quality.py

# Old data would count as new: coverage adds up all files it finds.
coverage: $(TEST_STAMP) ## Measure which lines and branches the tests reach (up to half an hour)
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest $(PLAIN)
	$(BIN)/coverage run -m pytest $(SPREAD) $(COVERED)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

demo: $(DEMO_STAMP) ## Run the demonstration (sets up what it needs)
	$(BIN)/python -m unimds.demo

docs: $(DOCS_STAMP) ## Build the documentation into docs/_build/html (sets up what it needs)
	rm -rf docs/generated  # no page of a name that is gone
	$(BIN)/python -m sphinx -b html -W --keep-going -n -q -d docs/_build/doctrees docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

gallery: $(TEST_STAMP) ## Draw the pictures of the gallery and of the pages for users anew (two minutes)
	$(BIN)/python tools/gallery.py

choosing: $(TEST_STAMP) ## Draw the pictures of docs/choosing.md anew (a minute)
	$(BIN)/python tools/choosing.py

levels: $(TEST_STAMP) ## Draw the pictures of docs/levels.md anew (half a minute)
	$(BIN)/python tools/levels.py

bench: $(TEST_STAMP) ## Measure speed and memory beside the peers, write docs/performance.md (a quarter of an hour)
	$(INSTALL) s_gd2
	$(BIN)/python benchmarks/performance.py

bench-cli: $(TEST_STAMP) ## Measure how long the command line takes (half a minute)
	$(BIN)/python benchmarks/cli.py

bench-compiling: $(TEST_STAMP) ## Measure what the first fits compile (minutes)
	$(BIN)/python benchmarks/compiling.py

bench-dask: $(TEST_STAMP) ## Measure rounds on a Dask cluster of this machine (minutes)
	$(BIN)/python -P benchmarks/distributed.py

bench-engine: $(TEST_STAMP) ## Measure the engine's decisions anew (minutes)
	$(BIN)/python benchmarks/engine.py

bench-landmarks: $(TEST_STAMP) ## Measure how good maps of very many points are (minutes)
	$(BIN)/python benchmarks/landmarks.py

bench-levels: $(TEST_STAMP) ## Measure levels of measurement, beside scikit-learn and published stress (half an hour)
	$(BIN)/python benchmarks/levels.py

bench-projection: $(TEST_STAMP) ## Measure the spherical random projection anew (minutes)
	$(BIN)/python benchmarks/projection.py

bench-report: $(TEST_STAMP) ## Measure how fluid reports are, write it into docs/report.md (minutes; needs Chromium)
	$(BIN)/python benchmarks/frames.py

bench-small: $(TEST_STAMP) ## Measure how often small tables end in the lowest map (half an hour)
	$(BIN)/python benchmarks/small.py

bench-studio: $(TEST_STAMP) ## Measure how fluid the studio is (needs Chromium)
	$(BIN)/python benchmarks/studio.py

bench-starts: $(TEST_STAMP) ## Measure how low fits end, beside s_gd2 (minutes)
	$(INSTALL) s_gd2
	$(BIN)/python benchmarks/starts.py

bench-select: $(TEST_STAMP) ## Measure how often held-out pairs choose rightly (minutes)
	$(BIN)/python benchmarks/selecting.py

bench-several: $(TEST_STAMP) ## Measure several tables, unfolding and constraints (minutes)
	$(BIN)/python benchmarks/several.py

bench-trees: $(TEST_STAMP) ## Measure how well hyperbolic maps hold trees (minutes)
	$(BIN)/python benchmarks/trees.py

bench-trust: $(TEST_STAMP) ## Measure p-values, power and the coverage of regions (half an hour)
	$(BIN)/python benchmarks/trust.py

reproduce: $(TEST_STAMP) ## Run the paper's experiments and write docs/reproduction.md (half an hour)
	$(BIN)/unimds reproduce --folder docs/reproduction
	$(BIN)/python -m unimds.experiments.report docs/reproduction docs/reproduction.md

screenshots: $(TEST_STAMP) ## Take the pictures of the README, docs/report.md and docs/studio.md anew (needs Chromium)
	$(BIN)/python tools/screenshots.py
	$(BIN)/python tools/studio_screenshots.py

# Nothing is uploaded. The wheel is tried in a folder of its own, first without any extra.
release: $(RELEASE_STAMP) ## Build sdist and wheel into dist, check them and try the wheel (no upload)
	$(BIN)/python tools/check_release.py --tag "$(TAG)"
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python tools/check_release.py dist/*
	@set -eu; wheel="$$(pwd)/$$(ls dist/*.whl)"; room=$$(mktemp -d); trap 'rm -rf "$$room"' EXIT; \
	  "$(PYTHON)" -m venv "$$room/venv"; cp tools/smoke.py "$$room"; cd "$$room"; \
	  unset PYTHONPATH; try() { venv/bin/python -P smoke.py "$$@"; }; \
	  venv/bin/python -m pip --disable-pip-version-check --quiet install "$$wheel"; \
	  try --core; \
	  venv/bin/python -m pip --disable-pip-version-check --quiet install "$$wheel[dask,studio]"; \
	  try --modules
	@ls -l dist

format: $(TEST_STAMP) ## Rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## Remove the environment, the caches and the builds
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage .coverage.* build dist docs/_build docs/generated
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# `python -m venv` keeps what an existing .venv holds, so this never throws packages away.
$(VENV_STAMP):
	@command -v "$(PYTHON)" >/dev/null 2>&1 \
	  || { echo "error: $(PYTHON) not found; install Python 3.11 or newer, or set PYTHON=..." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: unimds needs Python 3.11 or newer, $(PYTHON) is $$("$(PYTHON)" -V 2>&1); set PYTHON=..." >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null \
	  || { echo "error: $(PYTHON) lacks venv or ensurepip; on Debian: apt install python3-venv" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	@touch $@

# .[dev] contains what the demo needs, so setting up for the tests serves the demo as well.
$(TEST_STAMP): pyproject.toml $(VENV_STAMP)
	$(INSTALL) --editable '.[dev]'
	@touch $(DEMO_STAMP) $@

$(DEMO_STAMP): pyproject.toml $(VENV_STAMP)
	$(INSTALL) --editable '.[plot,report]'
	@touch $@

$(DOCS_STAMP): pyproject.toml $(VENV_STAMP)
	$(INSTALL) --editable '.[docs]'
	@touch $@

$(RELEASE_STAMP): pyproject.toml $(VENV_STAMP)
	$(INSTALL) --editable '.[release]'
	@touch $@
