# Two commands:
#
#   make lab       runs AI Server in JupyterLab, with a model on this machine (MODEL=0.5b: the smallest)
#   make test      runs the tests that every change has to pass, also in a real browser: 15 minutes
#
# For contributors:
#
#   make check     runs linters, type checks and unit tests in minutes, without a browser
#   make fix       formats the code, and applies the linters' fixes
#   make test-all  runs all tests: databases, R, JupyterHub, collaboration, Notebook 7, the wheel
#   make docs      builds the documentation into .make/docs
#
# They need Python 3.10 or newer, make, and access to PyPI and the npm registry. They install the
# rest into this folder (.venv, node_modules). Running them again repeats only what has changed.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
# Relative, because make can't handle spaces in the names of files.
VENV := .venv
DONE := .make
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Python is started hundreds of times, and would compile all modules each time without their cache.
unexport PYTHONPATH PYTHONDONTWRITEBYTECODE
# In the C locale, Python 3.11 can't read the path of this folder if it has Chinese characters.
ifneq ($(filter C POSIX,$(LC_ALL)),)
export LC_ALL := C.UTF-8
endif
# uv reads no pip.conf; use the same index as pip, which may be a mirror. An editable install would
# copy a page that is built already over itself, so the page is built after it.
INSTALL = rm -rf aiserver/labextension $(VENV)/share/jupyter/labextensions/aiserver $(DONE)/frontend; \
  index=$$(pip config get global.index-url 2>/dev/null || true); \
  UV_DEFAULT_INDEX=$${UV_DEFAULT_INDEX:-$${PIP_INDEX_URL:-$${index:-https://pypi.org/simple}}} \
  SKIP_JUPYTER_BUILDER=1 uv pip install -q --no-build-isolation

# Sources of the frontend, and of the wheel.
FRONTEND := package.json tsconfig.json webpack.config.js scripts/generate.mjs scripts/compile_po.mjs \
  scripts/kernel_code.py $(shell find src style schema examples/first-steps.ipynb examples/data.csv aiserver/kernel translations \
  -type f ! -name '*.spec.*' ! -name '*.pyc' ! -path 'src/kernel/*Code.ts' ! -path src/api/schema.ts)
PACKAGE := pyproject.toml README.md LICENSE install.json scripts/build-dist \
  $(shell find aiserver jupyter-config -type f ! -path '*/labextension/*' ! -path '*/locale/*' ! -name page.js ! -name '*.pyc' ! -name _version.py)

.PHONY: help lab set-up programs test test-all check fix coverage build model lint pytest pytest-all unit jest galata galata-all \
  places audit docs pictures translations clean

help:
	@sed -n '3,12s/^#   //p' Makefile

# --- requirements -------------------------------------------------------------------

$(DONE)/uv:
	@scripts/check-python $(PYTHON)
	@echo "• Python environment in .venv"
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@python -m pip install -q uv hatchling hatch-jupyter-builder hatch-nodejs-version editables
	@mkdir -p $(DONE) && touch $@

# What running needs. The page isn't built here but below, beside the download of a model.
$(DONE)/python: $(DONE)/uv pyproject.toml
	@echo "• Python packages (about half a minute)"
	@$(INSTALL) -e '.[lab]'
	@touch $@

$(DONE)/node: $(DONE)/uv scripts/need-node
	@scripts/need-node $(VENV)/bin
	@touch $@

# `make lab` installs only the npm packages that build the page, 90 MB of 900.
$(DONE)/npm-build: $(DONE)/python $(DONE)/node package.json yarn.lock
	@echo "• npm packages of the page (about half a minute)"
	@test -e $(DONE)/npm || jlpm workspaces focus --production >$(DONE)/npm.log 2>&1 || \
	  { tail -n 40 $(DONE)/npm.log; exit 1; }
	@touch $@

$(DONE)/npm: $(DONE)/python $(DONE)/node package.json ui-tests/package.json yarn.lock
	@echo "• npm packages (about a minute)"
	@jlpm install --immutable >$(DONE)/npm.log 2>&1 || { tail -n 40 $(DONE)/npm.log; exit 1; }
	@touch $@ $(DONE)/npm-build

$(DONE)/frontend: $(if $(filter lab%,$(MAKECMDGOALS)),$(DONE)/npm-build,$(DONE)/npm $(DONE)/test) $(FRONTEND)
	@echo "• Page (some seconds)"
	@{ jlpm build && jupyter-builder develop . --overwrite; } >$(DONE)/build.log 2>&1 || \
	  { tail -n 40 $(DONE)/build.log; exit 1; }
	@touch $@

# What the tests need.
$(DONE)/test: $(DONE)/python pyproject.toml
	@echo "• Python packages of the tests (about a minute)"
	@$(INSTALL) -e '.[test]'
	@touch $@

# The description of the HTTP API, and its types. The page is built without them.
$(DONE)/api: $(DONE)/frontend scripts/rest_api.py scripts/rest-api.yml $(shell find aiserver -name '*.py')
	@jlpm generate
	@touch $@

build: $(DONE)/api

# The tests need the smallest local model, whatever the machine.
model: $(DONE)/python
	@jupyter aiserver model install 0.5b --yes

# --- make lab -----------------------------------------------------------------------

# The local model that is suggested for this machine; MODEL=0.5b chooses another one. Without a
# network, a model that is installed is enough.
lab: $(DONE)/python
	@$(MAKE) -s -j2 $(DONE)/frontend lab-model
	@scripts/lab

lab-model: $(DONE)/python
	@jupyter aiserver model install $(MODEL) --yes || jupyter aiserver model path >/dev/null

# --- for contributors -----------------------------------------------------------------

check: lint unit jest

fix: build
	ruff check --fix .
	ruff format .
	jlpm lint:fix

# Two workers, or up to four. Without a missing program (strace, the model), tests are skipped.
PYTEST := pytest --numprocesses logical --maxprocesses 4 --dist worksteal

unit: build
	$(PYTEST) -m "not thorough and not embedded"

# The tests of `make check` again, with the lines that they reach.
coverage: build
	$(PYTEST) -m "not thorough and not embedded" \
	  --cov=aiserver --cov-report=term:skip-covered --cov-report=html:$(DONE)/coverage/python
	jlpm test --coverage --coverageReporters=text-summary --coverageReporters=html \
	  --coverageDirectory=$(DONE)/coverage/typescript
	@echo "Open $(DONE)/coverage/python/index.html and $(DONE)/coverage/typescript/index.html"

$(DONE)/docs-tools: $(DONE)/python pyproject.toml
	@$(INSTALL) -e '.[docs]'
	@touch $@

docs: $(DONE)/docs-tools
	sphinx-build -q -W --keep-going -b html docs $(DONE)/docs
	@echo "Open $(DONE)/docs/index.html"

# --- make test, make test-all ---------------------------------------------------------

# All that the tests need. What doesn't depend on each other is installed side by side.
set-up: $(DONE)/python
	@$(MAKE) -s -j4 $(DONE)/test $(DONE)/npm model programs
	@$(MAKE) -s build

programs: $(DONE)/npm
	@scripts/need-debian strace strace
	@scripts/need-browser >/dev/null

test: set-up lint pytest jest galata
	@scripts/report-skipped $(DONE)/skipped

# All that takes longer, or needs other servers and environments; nightly, and before a release.
test-all: set-up lint pytest-all jest galata-all places audit
	@scripts/report-skipped $(DONE)/skipped

lint: build
	ruff check .
	ruff format --check .
	@echo "mypy, jlpm lint" && { mypy & python=$$!; jlpm lint; frontend=$$?; wait $$python && exit $$frontend; }

pytest: build model
	@scripts/need-debian strace strace
	AISERVER_SKIPPED=$(DONE)/skipped/pytest $(PYTEST) -m "not thorough"

pytest-all: build model
	@scripts/need-debian strace strace
	@scripts/need-databases
	@scripts/need-r
	AISERVER_SKIPPED=$(DONE)/skipped/pytest $(PYTEST) --hypothesis-profile=thorough

jest: build
	jlpm test

# The browser tests that carry the product.
galata: build model
	@browser=$$(scripts/need-browser) && cd ui-tests && jlpm lint && \
	  AISERVER_BROWSER="$$browser" jlpm test:core

# One test needs an R kernel, and fails without it.
galata-all: build model
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
$(DONE)/rtc: $(DONE)/test scripts/make-env
	@echo "• jupyter-collaboration in its own environment"
	@scripts/make-env $(DONE)/envs/rtc --over $(VENV) 'jupyter-collaboration>=5,<6'
	@touch $@

places: build $(DONE)/wheel $(DONE)/rtc
	@browser=$$(scripts/need-browser) && cd ui-tests && AISERVER_BROWSER="$$browser" jlpm test --project=places

audit: $(DONE)/test
	@scripts/audit

# Create the pictures of README and docs with the browser tests.
pictures: build model
	@browser=$$(scripts/need-browser) && cd ui-tests && AISERVER_BROWSER="$$browser" jlpm pictures

# Update translations/ from the interface. ADD=pt_BR adds a language.
translations: $(DONE)/test
	@python scripts/translations.py $(if $(ADD),--add $(ADD))

clean:
	rm -rf $(DONE) $(VENV) node_modules lib aiserver/labextension aiserver/locale aiserver/plugins/export/page/page.js \
	  aiserver/rest-api.yml
