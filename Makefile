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

.PHONY: help setup build demo docs test sanitize wheel wheel-check bench studies baselines experiments soak cuda gpu-check format lint clean

help: ## List these verbs
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup:
	@tools/setup.sh

build: setup ## Build library, program, Python module and tests
	@tools/build.sh default

demo: setup ## Train on generated series (or DATA=file.tsv) and classify new ones; the page about it is build/demo/report.html
	@tools/build.sh default diffeo_program diffeo_python diffeo_python_torch diffeo_python_sources
	@tools/demo.sh $(if $(DATA),"$(DATA)")

docs: setup ## Make the site of guides, reference and results: build/docs/html/index.html
	@tools/build.sh default diffeo_program diffeo_python diffeo_python_torch diffeo_python_sources
	@tools/docs.sh

test: ## Run all tests: C++, sanitizers, Python, wheel, install, examples, README, documentation
	@tools/test.sh

sanitize: setup ## Run the C++ tests of all layers but torch's under address and undefined-behavior sanitizers
	@tools/sanitize.sh

wheel: setup ## Build the source distribution and the wheel, into build/dist
	@tools/wheel.sh

wheel-check: wheel ## Try the wheel on a bare Debian, made for it in a folder (as root, with debootstrap)
	@tools/wheel_check.sh build/dist/*.whl

bench: build ## Measure speed, alone and against difw and libcpab, into docs/results
	@tools/bench.sh

studies: build ## Measure what other ways to flow lose and cost, as the paper does, into docs/results
	@tools/studies.sh

baselines: build ## Accuracy of the classic baselines on the archive in DIFFEO_SHARED, into docs/results
	@.venv/bin/python bench/compare/baselines_table.py

experiments: build ## The experiments on the archive in DIFFEO_SHARED, into results and docs/results; goes on where it was stopped
	@tools/experiments.sh "$(DIFFEO_SHARED)/ucr"

soak: build ## Property tests on SOAK_FIELDS=10000000 random fields from SOAK_SEED=1
	@DIFFEO_PROPERTY_FIELDS=$(SOAK_FIELDS) DIFFEO_PROPERTY_SEED=$(SOAK_SEED) \
	  ctest --preset default --tests-regex '^FlowProperties' --parallel "$$(nproc)" --timeout 604800 --no-tests=error

cuda: setup ## Compile the kernels for GPUs, fail where registers do not suffice, and report into docs/results/gpu.md
	@tools/cuda.sh

gpu-check: setup ## Where there is a GPU: test the kernels there, compare with the processor, and time them beside difw
	@tools/gpu_check.sh

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
