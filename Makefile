# Two commands:
#
#   make lab     runs AI Server in JupyterLab, with a model on this machine (MODEL=0.5b: the smallest)
#   make test    runs all tests, including those in a real browser
#
# For contributors:
#
#   make check   runs linters, type checks and unit tests in minutes, without browser and databases
#   make fix     formats the code, and applies the linters' fixes
#   make docs    builds the documentation into .make/docs
#
# They need Python 3.10 or newer, make, and access to PyPI and the npm registry. They install the
# rest into this folder (.venv, node_modules). Running them again repeats only what has changed.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
DONE := .make
export PATH := $(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONPATH

# Sources of the frontend, and of the wheel.
FRONTEND := package.json tsconfig.json $(shell find src style schema -type f ! -name '*.spec.*')
PACKAGE := pyproject.toml README.md LICENSE install.json scripts/build-dist \
  $(shell find aiserver jupyter-config -type f ! -path '*/labextension/*' ! -name page.js ! -name '*.pyc' ! -name _version.py)

.PHONY: help lab test check fix coverage build model lint pytest unit jest galata places audit docs pictures \
  translations clean

help:
	@sed -n '3,10s/^#   //p' Makefile

# --- requirements -------------------------------------------------------------------

$(DONE)/venv:
	@scripts/check-python $(PYTHON)
	@echo "• Python environment in .venv"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@mkdir -p $(DONE) && touch $@

$(DONE)/node: $(DONE)/venv scripts/need-node
	@scripts/need-node $(BIN)
	@touch $@

$(DONE)/python: $(DONE)/node pyproject.toml
	@echo "• Python packages"
	@pip install -q hatchling hatch-jupyter-builder hatch-nodejs-version editables jupyter_builder jupyterlab
	@touch $@

$(DONE)/npm: $(DONE)/python package.json yarn.lock
	@echo "• npm packages (some minutes the first time)"
	@jlpm install --immutable >$(DONE)/npm.log 2>&1 || { tail -n 40 $(DONE)/npm.log; exit 1; }
	@touch $@

$(DONE)/install: $(DONE)/npm pyproject.toml
	@echo "• AI Server itself"
	@rm -rf aiserver/labextension
	@pip install -q --no-build-isolation -e '.[test]'
# The tests compare with nbdime, but its extensions must not run in the tested server and page.
	@jupyter server extension disable --sys-prefix nbdime >$(DONE)/nbdime.log 2>&1
	@jupyter labextension disable --level=sys_prefix nbdime-jupyterlab >>$(DONE)/nbdime.log 2>&1
	@jupyter-builder develop . --overwrite >$(DONE)/develop.log 2>&1 || { cat $(DONE)/develop.log; exit 1; }
	@touch $@ $(DONE)/frontend

$(DONE)/frontend: $(DONE)/install $(FRONTEND)
	@echo "• Frontend"
	@jlpm build >$(DONE)/build.log 2>&1 || { tail -n 40 $(DONE)/build.log; exit 1; }
	@touch $@

build: $(DONE)/frontend

# The tests need the smallest local model, whatever the machine.
model: $(DONE)/install
	@jupyter aiserver model install 0.5b --yes

# --- make lab -----------------------------------------------------------------------

# The local model that is suggested for this machine; MODEL=0.5b chooses another one. Without a
# network, a model that is installed is enough.
lab: build
	@jupyter aiserver model install $(MODEL) --yes || jupyter aiserver model path >/dev/null
	@scripts/lab

# --- for contributors -----------------------------------------------------------------

check: lint unit jest

fix: build
	ruff check --fix .
	ruff format .
	jlpm lint:fix

# Tests that need a missing program (a database, strace, the model) are skipped or reduced.
unit: build
	pytest --numprocesses logical --maxprocesses 4 --dist worksteal -m "not embedded"

# The tests of `make check` again, with the lines that they reach.
coverage: build
	pytest --numprocesses logical --maxprocesses 4 --dist worksteal -m "not embedded" \
	  --cov=aiserver --cov-report=term:skip-covered --cov-report=html:$(DONE)/coverage/python
	jlpm test --coverage --coverageReporters=text-summary --coverageReporters=html \
	  --coverageDirectory=$(DONE)/coverage/typescript
	@echo "Open $(DONE)/coverage/python/index.html and $(DONE)/coverage/typescript/index.html"

$(DONE)/docs-tools: $(DONE)/install pyproject.toml
	@pip install -q --no-build-isolation -e '.[docs]'
	@touch $@

docs: $(DONE)/docs-tools
	sphinx-build -q -W --keep-going -b html docs $(DONE)/docs
	@echo "Open $(DONE)/docs/index.html"

# --- make test ----------------------------------------------------------------------

test: lint pytest jest galata places audit
	@scripts/report-skipped $(DONE)/skipped

lint: build
	ruff check .
	ruff format --check .
	scripts/kernel_code.py --check
	@echo "mypy, jlpm lint" && { mypy & python=$$!; jlpm lint; frontend=$$?; wait $$python && exit $$frontend; }

pytest: build model
	@scripts/need-debian strace strace
	@scripts/need-databases
	@scripts/need-r
	AISERVER_SKIPPED=$(DONE)/skipped/pytest pytest --numprocesses logical --maxprocesses 4 --dist worksteal

jest: build
	jlpm test

$(DONE)/ui-tests: $(DONE)/npm ui-tests/package.json ui-tests/yarn.lock
	@echo "• npm packages of the browser tests"
	@cd ui-tests && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 jlpm install --immutable \
	  >../$(DONE)/ui-tests.log 2>&1 || { tail -n 40 ../$(DONE)/ui-tests.log; exit 1; }
	@touch $@

# One test needs an R kernel, and fails without it.
galata: build model $(DONE)/ui-tests
	@scripts/need-r
	@browser=$$(scripts/need-browser) && cd ui-tests && jlpm lint && \
	  AISERVER_BROWSER="$$browser" jlpm test --project=lab

# The files of a release.
$(DONE)/release: $(DONE)/frontend $(PACKAGE)
	@echo "• Wheel and sdist"
	@scripts/build-dist $(DONE)/dist >$(DONE)/release.log 2>&1 || { tail -n 40 $(DONE)/release.log; exit 1; }
	@touch $@

# The wheel in a fresh environment, with the oldest supported JupyterLab.
$(DONE)/wheel: $(DONE)/release scripts/make-env
	@echo "• The wheel in a fresh environment, with JupyterLab 4.5"
	@scripts/make-env $(DONE)/envs/wheel "$$(echo $(DONE)/dist/*.whl)[openai]" 'jupyterlab==4.5.*' ipykernel
	@touch $@

# Collaboration changes how every notebook is opened and saved, so it gets its own environment.
$(DONE)/rtc: $(DONE)/install scripts/make-env
	@echo "• jupyter-collaboration in its own environment"
	@scripts/make-env $(DONE)/envs/rtc --over $(VENV) 'jupyter-collaboration>=5,<6'
	@touch $@

places: build $(DONE)/ui-tests $(DONE)/wheel $(DONE)/rtc
	@browser=$$(scripts/need-browser) && cd ui-tests && AISERVER_BROWSER="$$browser" jlpm test --project=places

audit: $(DONE)/install
	@scripts/audit

# Create the pictures of README and docs with the browser tests.
pictures: build model $(DONE)/ui-tests
	@browser=$$(scripts/need-browser) && cd ui-tests && AISERVER_BROWSER="$$browser" jlpm pictures

# Update translations/ from the interface, and compile the files that JupyterLab reads.
# ADD=pt_BR adds a language.
translations: $(DONE)/install
	@python scripts/translations.py $(if $(ADD),--add $(ADD))

clean:
	rm -rf $(DONE) $(VENV) node_modules ui-tests/node_modules lib aiserver/labextension aiserver/sharing/page/page.js
