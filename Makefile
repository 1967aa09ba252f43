# Everything a person runs; thin over scripts/ and the `galen` command line. `make` alone lists it.
# PYTHON=… selects the interpreter of a new .venv. Every setting of the README may be given too: make serve PORT=8000
.DEFAULT_GOAL := help
.PHONY: help setup serve demo-llm test test-browser check check-image ingest vectors bench eval calibrate lock clean always

UV_VERSION := 0.13.9
RUN := .venv/bin/python
GALEN := $(RUN) -m scripts.cli
LOCK := UV_CUSTOM_COMPILE_COMMAND="make lock" .venv-lock/bin/uv --no-config pip compile pyproject.toml \
	--generate-hashes --no-emit-index-url --universal --python-version 3.11 --quiet $(ARGS)

# Values that may hold spaces reach the recipes through the environment, quoted there.
export PYTHON SRC COLLECTION SOURCE LICENCE ORGANIZATION PLAY
# onnxruntime sends usage data to its maker unless told otherwise before it is imported.
export ORT_DISABLE_TELEMETRY := 1

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

setup: .stamps/setup ## create .venv and install the locked packages; does nothing when up to date

# Serving needs fewer packages than testing, and none that must be compiled.
.stamps/setup: requirements.lock pyproject.toml scripts/setup
	@scripts/setup dev

.stamps/runtime: requirements-runtime.lock pyproject.toml scripts/setup
	@scripts/setup runtime

# A stamp without a working .venv (deleted, or its interpreter is gone) is worth nothing.
ifneq ($(shell .venv/bin/python -c 'print("works")' 2>/dev/null),works)
.stamps/setup .stamps/runtime: always
endif

serve: .stamps/runtime ## serve the page and the API at http://localhost:7860
	@scripts/serve

demo-llm: .stamps/runtime ## serve with a scripted model instead of a hosted one: [PLAY=stall]
	@scripts/demo-llm

test: .stamps/setup ## run all tests that need only Python
	@scripts/test

test-browser: .stamps/setup ## run the tests that need Chromium and its driver
	@PYTHON= scripts/test-browser

check: .stamps/setup ## run linters, types, import rules and the search for leaks
	@scripts/check

check-image: ## replay the Dockerfile in a temporary folder and try what it makes
	@scripts/check-image

ingest: .stamps/runtime ## publish documents: SRC=path COLLECTION=name [SOURCE= LICENCE= ORGANIZATION=]
	@: "$${SRC:?give the file or folder: make ingest SRC=path COLLECTION=name}"
	@: "$${COLLECTION:?name the collection: make ingest SRC=path COLLECTION=name}"
	@$(GALEN) ingest "$$SRC" --collection "$$COLLECTION" $${SOURCE:+--source "$$SOURCE"} \
		$${LICENCE:+--licence "$$LICENCE"} $${ORGANIZATION:+--organization "$$ORGANIZATION"} $(ARGS)

vectors: .stamps/runtime ## compute the vectors kept beside the bundled documents, after a change to them
	@$(GALEN) corpus vectors health
	@$(GALEN) corpus vectors governance

bench: .stamps/setup ## measure speed
	@$(RUN) -m evals bench $(ARGS)

eval: .stamps/setup ## run all evaluations
	@$(RUN) -m evals all $(ARGS)

calibrate: .stamps/setup ## measure what the cut-offs of rag/thresholds.toml rest on
	@$(RUN) -m evals calibrate $(ARGS)

lock: ## resolve both lock files (ARGS=--upgrade for newer versions); uv comes and goes with .venv-lock
	@"$${PYTHON:-python3}" -m venv .venv-lock
	@.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@$(LOCK) --extra dev --output-file requirements.lock
	@$(LOCK) --extra build --constraint requirements.lock --output-file requirements-runtime.lock
	@rm -rf .venv-lock

clean: ## remove .venv, so that the next target sets up anew
	@rm -rf .venv .venv-lock .stamps
