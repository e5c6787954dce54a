# Everything starts here; each target does its own set-up. `make help` lists them.
VENV ?= .venv
PYTHON ?=
BIN := $(VENV)/bin
PORT ?= 9443
PYTEST_ARGS ?=
SECONDS ?= 300
MINUTES ?= 60
BENCH_ARGS ?=
COUNT ?= 600
SEED ?= 20261129

.PHONY: help setup tools run playground test retest lint unit nightly messages profiles bench mutants format manifests lock sbom clean fuzz soak

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/.installed ## make the virtual environment (PYTHON=/a/path; else python3, or a much quicker one beside it)

$(VENV)/.installed: pyproject.toml
	python="$(PYTHON)"; $${python:-$$(python3 image/interpreter.py)} -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

tools: $(VENV)/.tools ## the same with what tests and checks need

$(VENV)/.tools: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

run: setup ## serve on https://127.0.0.1:$(PORT) with a development certificate
	$(BIN)/skyhook-webhook serve --say-how --bind-address 127.0.0.1 --port $(PORT) --cert-dir certs/dev \
	  --metrics-bind-address 127.0.0.1:8080 --health-probe-bind-address 127.0.0.1:8081

lint: tools ## types, style, format
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

test: tools lint ## all tests, those against a real kube-apiserver included
	$(BIN)/python -W error -m pytest -m 'not nightly' $(PYTEST_ARGS)

retest: tools ## what failed in the last run, once more
	$(BIN)/python -W error -m pytest -m 'not nightly' --last-failed --last-failed-no-failures none $(PYTEST_ARGS)

unit: tools ## the tests that need no kube-apiserver
	$(BIN)/python -W error -m pytest -m 'not nightly and not cluster' $(PYTEST_ARGS)

nightly: tools ## the long ones: every recorded review over HTTPS, large property runs, soaks
	$(BIN)/python -W error -m pytest $(PYTEST_ARGS)

bench: tools ## ours beside a Go webhook, one table of ratios (BENCH_ARGS=--quick)
	$(BIN)/python -m bench $(BENCH_ARGS)

mutants: tools ## change the code in COUNT small ways and see which the unit tests miss (docs/mutants.md)
	nice -n 19 $(BIN)/python -m tests.mutants --count $(COUNT) --seed $(SEED) --work dist/mutants

playground: setup ## a real kube-apiserver and etcd to try things on, until Ctrl-C (docs/first-denial.md)
	$(BIN)/python -m tests.kube.playground .playground

profiles: setup ## write webhook/profiles/ready/: our profiles, joined and checked
	$(BIN)/python -m tests.ready

messages: setup ## write docs/messages.md: every message of every rule, by judging examples
	$(BIN)/skyhook-webhook explain skyhook --messages > docs/messages.md

format: tools ## write the format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

manifests: tools ## render manifests/, certs/ and charts/
	$(BIN)/skyhook-webhook manifests --format kustomize -o .
	$(BIN)/skyhook-webhook manifests --format helm -o .
	$(BIN)/python -m tests.manifests.engine

lock: setup ## pin what the image installs, by hash
	$(BIN)/python image/lock.py

fuzz: tools ## fuzz every reader for SECONDS each (docs/fuzzing.md)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz]' || echo "without atheris: recorded inputs are damaged blindly"
	$(BIN)/python -m tests.fuzz.run --seconds $(SECONDS)

soak: tools ## a server under traffic, rotations, reloads and rude peers for MINUTES (docs/soak.md)
	$(BIN)/python -m tests.soak.run --minutes $(MINUTES)

sbom: ## the image's bill of materials (CycloneDX), in dist/
	@mkdir -p dist
	python3 image/sbom.py > dist/sbom.cdx.json
	@echo dist/sbom.cdx.json

clean: ## remove what the targets made
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis certs/dev dist
