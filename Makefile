# The short verbs a person types. CMakePresets.json and tools/ do the work.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Where the tests look for shared data.
export DIFFEO_SHARED ?= $(abspath ../shared)
# Random fields of `make soak`, and the seed of the first.
SOAK_FIELDS ?= 10000000
SOAK_SEED ?= 1
PYTHON_FILES := bench examples python tests tools

.PHONY: help setup build demo test bench baselines accuracy soak format lint clean

help: ## List these verbs
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup:
	@tools/setup.sh

build: setup ## Build library, program, Python module and tests
	@tools/build.sh default

demo: setup ## Train on generated series and classify new ones, align without a network, draw both into build/demo
	@tools/build.sh default diffeo_program diffeo_python diffeo_python_torch diffeo_python_sources
	@.venv/bin/python examples/train.py --output build/demo
	@.venv/bin/python examples/demo.py --output build/demo
	@build/bin/diffeo benchmark

test: build ## Run all tests: C++, sanitizers, Python, install, examples, README
	@tools/test.sh

bench: build ## Measure speed, alone and against difw and libcpab, into docs/results
	@tools/bench.sh

baselines: build ## Accuracy of the classic baselines on the archive in DIFFEO_SHARED, into docs/results
	@.venv/bin/python bench/compare/baselines_table.py

accuracy: build ## Accuracy after learned alignment on the archive in DIFFEO_SHARED, into docs/results
	@build/bin/diffeo evaluate "$(DIFFEO_SHARED)/ucr" --results docs/results/ncc --methods diffeo --seeds 0 --jobs 2
	@.venv/bin/python bench/compare/ncc_page.py

soak: build ## Property tests on SOAK_FIELDS=10000000 random fields from SOAK_SEED=1
	@DIFFEO_PROPERTY_FIELDS=$(SOAK_FIELDS) DIFFEO_PROPERTY_SEED=$(SOAK_SEED) \
	  ctest --preset default --tests-regex Properties --parallel "$$(nproc)" --timeout 604800 --no-tests=error

format: setup ## Format C++ and Python
	@tools/sources.sh | xargs -0 .venv/bin/clang-format -i
	@.venv/bin/ruff check --quiet --fix $(PYTHON_FILES)
	@.venv/bin/ruff format --quiet $(PYTHON_FILES)

lint: setup ## Check formatting and Python style
	@tools/sources.sh | xargs -0 .venv/bin/clang-format --dry-run -Werror
	@.venv/bin/ruff check $(PYTHON_FILES)
	@.venv/bin/ruff format --check $(PYTHON_FILES)

clean: ## Remove what was built (not .venv)
	@rm -rf build build-*
