# The two commands of the README, and what developers need. Every target works from a fresh clone: it makes .venv,
# installs what requirements.lock pins, and docendo itself, anew only when the lock changes.
#
#   make reproduce   every figure of the paper, in one page     (OUT=folder, ARGS="--quick", …)
#   make test        the whole test suite                       (ARGS="tests/teachers -k graph", …)
#   make lint        ruff and mypy
#   make docs        the documentation, in docs/_build/html
#   make bench       speed, as JSON                             (ARGS="…")
#   make lock        requirements.lock anew from pyproject.toml (ARGS=--upgrade for newer releases)
#   make clean       remove what the targets above made, .venv and caches included

PYTHON ?= python3
OUT ?= docendo-report
ARGS ?=
# Two processes: the suite mostly waits for compilation, on one core each.
WORKERS ?= 2

VENV := .venv
PY := $(VENV)/bin/python

define CHECK_PYTHON
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	echo "docendo needs Python 3.11 or newer, and '$(PYTHON)' is not that."; \
	echo "Name one that is: make PYTHON=/path/to/python3.12"; exit 1; } >&2
endef

.PHONY: reproduce test lint docs bench lock clean

reproduce: $(VENV)/.installed
	@$(PY) -m docendo reproduce --out "$(OUT)" $(ARGS)
	@echo "The report is $(OUT)/report.html"

test: $(VENV)/.installed
	@$(PY) -m pytest -n $(WORKERS) $(ARGS)

lint: $(VENV)/.installed
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) -m mypy

docs: $(VENV)/.installed
	@$(PY) -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	@echo "The documentation is docs/_build/html/index.html"

bench: $(VENV)/.installed
	@$(PY) -m benchmarks $(ARGS)

# uv is needed here only, so it has a folder of its own and the lock does not hold it.
lock:
	@$(CHECK_PYTHON)
	@$(PYTHON) -m venv .cache/uv
	@.cache/uv/bin/python -m pip install --quiet --disable-pip-version-check uv
	@.cache/uv/bin/python -m uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
		--extra test --extra dev --extra docs --extra mnist \
		--custom-compile-command "make lock" --output-file requirements.lock $(ARGS) pyproject.toml

clean:
	rm -rf $(VENV) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist docs/_build
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Two stamps: a change of pyproject.toml alone re-installs docendo, not its dependencies.
$(VENV)/.locked: requirements.lock
	@$(CHECK_PYTHON)
	@echo "Installing what requirements.lock pins into $(VENV), about a minute …"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.installed: $(VENV)/.locked pyproject.toml
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
