# Everything a developer does, as short commands. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src/core src/bind -name '*.cpp' -o -name '*.hpp') CMakeLists.txt
RUN := PYTHONPATH=src $(BIN)/python

help: ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

$(VENV)/python: tools/requirements.py pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("treewright needs Python 3.11 or newer, this is %d.%d" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	@command -v g++ >/dev/null || { echo "a C++20 compiler (g++ 12 or newer) is needed to build treewright"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PYTHON) tools/requirements.py build demo > $(VENV)/requirements.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -r $(VENV)/requirements.txt
	@touch $@

$(VENV)/built: $(VENV)/python $(SOURCES)
	PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B build/dev -G Ninja -DPython_EXECUTABLE="$(abspath $(BIN)/python)" -DTREEWRIGHT_STRICT=$(STRICT) > build.log 2>&1 || { cat build.log; exit 1; }
	PATH="$(abspath $(BIN)):$$PATH" cmake --build build/dev > build.log 2>&1 || { cat build.log; exit 1; }
	@rm -f src/treewright/_core*.so src/treewright/_core.pyi src/treewright/py.typed
	PATH="$(abspath $(BIN)):$$PATH" cmake --install build/dev --prefix src > build.log 2>&1 || { cat build.log; exit 1; }
	@rm -f build.log && touch $@
STRICT ?= ON

$(VENV)/packages: $(VENV)/python
	$(PYTHON) tools/requirements.py test dev > $(VENV)/requirements.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -r $(VENV)/requirements.txt
	@touch $@

$(VENV)/tests: $(VENV)/built $(VENV)/packages
	@touch $@

# Quick builds: not optimised, through ccache where there is one, into a folder of their own. The trees are the same, growing is slower.
QUICK := build/quick/stage
LAUNCHER := $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

quick: $(VENV)/packages ## build the core quickly (not optimised) for the edit-and-test loop; `make check` uses it
	@PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B build/quick -G Ninja -DPython_EXECUTABLE="$(abspath $(BIN)/python)" -DTREEWRIGHT_OPTIMISE=0 -DCMAKE_BUILD_TYPE=None $(LAUNCHER) > build.log 2>&1 || { cat build.log; exit 1; }
	@CCACHE_SLOPPINESS=pch_defines,time_macros PATH="$(abspath $(BIN)):$$PATH" cmake --build build/quick --target _core > build.log 2>&1 || { cat build.log; exit 1; }
	@mkdir -p $(QUICK) && rm -rf $(QUICK)/treewright && cp -rs $(abspath src)/treewright $(QUICK)/ && rm -f $(QUICK)/treewright/_core*.so build.log
	@cp build/quick/_core*.so $(QUICK)/treewright/

check: quick ## run the tests of one room on the quick build (ROOM=show, ROOM="oracle properties/test_engines.py", ARGS=-x)
	@PYTHONPATH=$(QUICK):. $(BIN)/python -m pytest -q $(addprefix tests/,$(ROOM)) $(ARGS)
ROOM ?= contract

build: $(VENV)/built ## set up the virtual environment and build the core in place

demo: $(VENV)/built ## grow a tree on a built-in table, print it with its rules, write a page to explore
	@$(RUN) tools/demo.py

# The SQL exports are tried on a server of the tests' own, the explorer's page in a browser; without them those tests are skipped.
SERVER := command -v initdb || ls /usr/lib/postgresql/*/bin/initdb
BROWSER := command -v chromium || command -v chromium-browser
GET = { test "$$(id -u)" = 0 && apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q $(1); }

test: $(VENV)/tests ## run the whole test suite
	@{ $(SERVER) || $(call GET,postgresql); } > /dev/null 2>&1 || echo "PostgreSQL is not here (Debian: postgresql): its tests are skipped"
	@{ $(BROWSER) || $(call GET,chromium); } > /dev/null 2>&1 || echo "Chromium is not here (Debian: chromium): the tests of the explorer's page are skipped"
	$(RUN) -m pytest -n auto --maxprocesses 4 --dist loadgroup $(ARGS)

# In environments of their own: other versions, and libraries that bring many others.
oldest: $(VENV)/built ## run the contract tests on the oldest versions that are declared
	@mkdir -p build/oldest && $(PYTHON) tools/requirements.py --oldest plot test > build/oldest/requirements.txt
	test -d build/oldest/venv || $(PYTHON) -m venv build/oldest/venv
	build/oldest/venv/bin/python -m pip install -q --disable-pip-version-check -r build/oldest/requirements.txt
	PYTHONPATH=src:. build/oldest/venv/bin/python -W ignore::DeprecationWarning -m pytest -W ignore::DeprecationWarning -p no:cacheprovider $(addprefix tests/,$(ROOM)) $(ARGS)

clients: $(VENV)/built ## run the tests of libraries that take our estimators (shap, imbalanced-learn, optuna, skops, mlxtend)
	@mkdir -p build/clients && $(PYTHON) tools/requirements.py test clients > build/clients/requirements.txt
	test -d build/clients/venv || $(PYTHON) -m venv build/clients/venv
	build/clients/venv/bin/python -m pip install -q --disable-pip-version-check -r build/clients/requirements.txt
	PYTHONPATH=src:. build/clients/venv/bin/python -m pytest -p no:cacheprovider tests/peers/test_clients.py tests/peers/test_shap.py $(ARGS)

lint: $(VENV)/tests ## check style, types, import order and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m mypy
	PYTHONPATH=src $(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(shell find src/core src/bind -name '*.cpp' -o -name '*.hpp')

format: $(VENV)/tests ## rewrite sources in the project's format
	$(BIN)/ruff check --fix-only -q .
	$(BIN)/ruff format -q .
	$(BIN)/clang-format -i $(shell find src/core src/bind -name '*.cpp' -o -name '*.hpp')

bench: $(VENV)/tests ## run the peers and us on the same tables and print ratios (ARGS="--only engine" for the large ones)
	$(BIN)/python -m pip install -q --disable-pip-version-check -r bench/requirements.txt
	PYTHONPATH=src:. $(BIN)/python -m bench.run $(ARGS)

same: $(VENV)/built ## show that another checkout, built, makes the same models, byte for byte: BASE=/path/to/it
	@test -d "$(BASE)/src/treewright" || { echo "BASE=$(BASE) is no checkout: make same BASE=/path/to/other/checkout"; exit 1; }
	@mkdir -p build/same
	PYTHONPATH="$(abspath $(BASE))/src" $(BIN)/python tools/same_models.py build/same/base.json
	$(RUN) tools/same_models.py build/same/this.json
	$(BIN)/python tools/same_models.py --compare build/same/base.json build/same/this.json $(ARGS)

alternate: $(VENV)/built ## measure another checkout and this one in turns: BASE=/path/to/it (ARGS="--small" for a few minutes)
	@test -d "$(BASE)/src/treewright" || { echo "BASE=$(BASE) is no checkout: make alternate BASE=/path/to/other/checkout"; exit 1; }
	PYTHONPATH=src:. $(BIN)/python tools/alternate.py "$(BASE)" $(ARGS)

peers: $(VENV)/tests ## run the reference programs and record their answers for the tests
	PYTHONPATH=src:. $(BIN)/python tools/peers.py

sanitize: $(VENV)/tests ## run the core's part of the suite under the address and undefined-behaviour sanitizers
	PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B build/sanitize -G Ninja -DPython_EXECUTABLE="$(abspath $(BIN)/python)" -DTREEWRIGHT_SANITIZE=address,undefined
	PATH="$(abspath $(BIN)):$$PATH" cmake --build build/sanitize
	rm -rf build/sanitize/stage && mkdir -p build/sanitize/stage
	cp -r src/treewright build/sanitize/stage/ && cp build/sanitize/_core*.so build/sanitize/stage/treewright/
	$(SANITIZED) $(BIN)/python -m pytest -p no:cacheprovider tests/oracle tests/properties tests/papers tests/reliability $(UNLIMITED) -k "not T6 and not T7 and not T8 and not S1" $(ARGS)
	$(SANITIZED) $(BIN)/python tests/reliability/mutations.py 200 1 unlimited

SANITIZED = LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 PYTHONPATH=build/sanitize/stage:.
# Reading files is not the core's, and is tried in processes of limited address space, where a sanitizer cannot start.
UNLIMITED := --ignore tests/reliability/test_data_files.py --ignore tests/reliability/test_delimited_files.py --ignore tests/reliability/test_declared_files.py --ignore tests/reliability/test_model_files.py --ignore tests/reliability/test_scale.py

tsan: $(VENV)/tests ## run the threaded part of the suite under the thread sanitizer
	PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B build/tsan -G Ninja -DPython_EXECUTABLE="$(abspath $(BIN)/python)" -DTREEWRIGHT_SANITIZE=thread
	PATH="$(abspath $(BIN)):$$PATH" cmake --build build/tsan --target _core
	rm -rf build/tsan/stage && mkdir -p build/tsan/stage
	cp -r src/treewright build/tsan/stage/ && cp build/tsan/_core*.so build/tsan/stage/treewright/
	LD_PRELOAD="$$(g++ -print-file-name=libtsan.so)" TSAN_OPTIONS=halt_on_error=1:exitcode=66:report_signal_unsafe=0 \
	PYTHONPATH=build/tsan/stage $(BIN)/python tests/reliability/threads.py

fuzz: $(VENV)/tests ## fuzz every reader for SECONDS each (30), guided by coverage
	$(BIN)/python -m pip install -q --disable-pip-version-check atheris
	for target in model csv jsonl arff rules clauses facts numbers; do PYTHONPATH=src:. $(BIN)/python -W ignore -m tests.fuzz.run $$target -max_total_time=$(SECONDS) -max_len=5000 || exit 1; done
SECONDS ?= 30

mutants: $(VENV)/tests ## plant N small faults in a room (SEED), one at a time, and tell which its tests do not notice: ROOM=model N=20
	@PYTHONPATH=. $(BIN)/python -m tools.mutants "$(ROOM)" $(N) $(SEED) $(ARGS)
N ?= 20
SEED ?= 1

chaos: $(VENV)/tests ## kill workers and clients of a local cluster while trees are grown: at every step, and in ROUNDS rounds (10, SEED)
	PYTHONPATH=src:. $(BIN)/python -W ignore -m tests.scale.chaos $(ROUNDS) $(SEED)
ROUNDS ?= 10

edits: $(VENV)/tests ## try 10,000 random sequences of edits by hand (TREEWRIGHT_EDITS=n for others)
	TREEWRIGHT_EDITS=$${TREEWRIGHT_EDITS:-10000} PYTHONPATH=src:. $(BIN)/python -m pytest -q -n auto --maxprocesses 4 tests/workbench/test_sequences.py

$(VENV)/docs: $(VENV)/built pyproject.toml
	$(PYTHON) tools/requirements.py docs > $(VENV)/requirements.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -r $(VENV)/requirements.txt
	@touch $@

docs: $(VENV)/docs ## build the documentation site into build/site, and check its links
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=src:. $(BIN)/python -m mkdocs build --quiet --strict
	@echo "open build/site/index.html"

fill: $(VENV)/built ## write into pages what their code prints: PAGE="docs/learn/entropy.md ..."
	PYTHONPATH=src:. $(BIN)/python -m tools.site.fill $(PAGE)

dist: $(VENV)/tests ## build sdist and wheel and try both in empty environments
	rm -rf dist && $(BIN)/python -m build -q --outdir dist .
	$(BIN)/python tools/try_dist.py dist/*

clean: ## remove everything that was made
	rm -rf build dist $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis src/treewright/_core*.so src/treewright/_core.pyi src/treewright/py.typed

.PHONY: help quick check build demo test oldest clients lint format bench same alternate peers sanitize tsan fuzz mutants chaos edits docs fill dist clean
