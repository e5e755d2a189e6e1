# rushlight: everything a contributor runs. `make demo` and `make test` work on a fresh clone with python3, pip and a C
# compiler; no target but `parity` and `bench` needs PyTorch.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
JOBS ?= $(shell nproc)
# Whoever has nothing left takes over half of what another still has to do. No test looks at what is logged.
PYTEST ?= $(PY) -m pytest -q -p no:logging -n $(JOBS) --dist worksteal

BUILD_NEEDS := "meson-python>=0.17" "Cython>=3.1" meson ninja
RUN_NEEDS := "numpy>=2" "llvmlite>=0.45" "scipy-openblas64>=0.3.29"
DEV_NEEDS := "pytest>=8" "pytest-xdist>=3" "scipy>=1.13" "mpmath>=1.3" "ruff>=0.9" "mypy>=1.14" \
             "scikit-learn>=1.5" "array-api-strict>=2.6" "hypothesis>=6.151" "gmpy2>=2.2" "av>=18" "quickjs>=1.19"
DEMO_NEEDS := "matplotlib>=3.9" "tqdm>=4.66"
SITE_NEEDS := "sphinx>=9" "myst-parser>=5" "furo>=2025.12"
LOOK_NEEDS := playwright axe-playwright-python
# expecttest: torch.testing._internal, where PyTorch keeps its operator database, imports it.
TORCH := torch==2.13.0 expecttest
# Without what it requires: PyTorch is there, and the wheels need none of the other packages.
VISION := torchvision==0.28.0 "pillow>=11" "simplejpeg>=1.8" pycocotools h5py lmdb
# The array API standard's public suite: a checkout of your own, or a clone of this commit.
ARRAY_API_TESTS ?= build/array-api-tests
ARRAY_API_TESTS_COMMIT := 1707f3829d35cda1754ce952df994c42c73a35f6
ARRAY_API_OPTIONS ?=
# The deadline of an example is off in the run: the first call with a new dtype and rank compiles. Expected failures go
# by whole names there.
ARRAY_API_RUN = ARRAY_API_TESTS_MODULE=rushlight.array_api ARRAY_API_TESTS_VERSION=2025.12 $(abspath $(PY)) -m pytest

# Programs and suites of other projects, each in a folder of its own (tests/clients/table.py), and further options of
# run.py.
CLIENTS ?= ../shared/clients
PROGRAMS ?=
# suites that `make recorded` runs
RECORDED ?= $(addprefix tests/,nn optim core transforms library fx utils namespaces masked distributions)

.PHONY: help setup core build demo docs docs-check test recorded parity vision mutants array-api programs sanitize
.PHONY: lint bench wheel clean distclean

help:
	@echo "make demo    train a small network on handwritten digits, by an ordinary PyTorch script"
	@echo "make docs    the documentation as a site, build/site/index.html: its code is run, its pictures are drawn"
	@echo "make docs-check  open it in a headless Chromium: console, requests, search, accessibility, screenshots"
	@echo "make test    the test suite (no PyTorch needed)"
	@echo "make recorded  suites of tests with each test as one compiled function"
	@echo "make parity  compare with PyTorch: installs $(TORCH) into $(VENV), for the tests alone"
	@echo "make vision  compare torchvision's public names and all its networks with PyTorch: some minutes"
	@echo "make mutants  5,000 damaged images and as many damaged videos: each an error or a result"
	@echo "make array-api  the array API standard's public suite; ARRAY_API_TESTS=folder takes a checkout that is there"
	@echo "make programs  run other projects' programs and suites; CLIENTS=folder says where they are,"
	@echo "             PROGRAMS='--reference' runs PyTorch too"
	@echo "make sanitize  the core's tests and the fuzz under AddressSanitizer and UndefinedBehaviorSanitizer"
	@echo "make lint    ruff and mypy"
	@echo "make bench   measure against PyTorch"
	@echo "make build   compile the core in place     make wheel   build dist/*.whl"
	@echo "make clean   remove what was built         make distclean   and $(VENV)"

# Stamps live in the environment, so that removing it forgets them.
setup: $(VENV)/.setup

$(VENV)/.tools: Makefile
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -c 'import sys; sys.exit("rushlight needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PY) -m pip install -q --no-compile $(BUILD_NEEDS)
	touch $@

# pip would compile every file that it installs, one after the other. What many processes of the tests import is
# compiled here; a file that cannot be (some packages hold such) is its package's matter.
$(VENV)/.setup: $(VENV)/.tools
	$(PY) -m pip install -q --no-compile $(RUN_NEEDS) $(DEV_NEEDS)
	-$(PY) -m compileall -qq -j $(JOBS) \
		-x '/(tests|pip|setuptools|mypy|mypyc|mesonbuild|Cython|pygments|narwhals)/' $(VENV)/lib
	touch $@

$(VENV)/.demo: $(VENV)/.setup
	$(PY) -m pip install -q $(DEMO_NEEDS)
	touch $@

$(VENV)/.torch: $(VENV)/.setup
	$(PY) -m pip install -q $(TORCH)
	$(PY) -m pip install -q --no-deps $(VISION)
	touch $@

$(VENV)/.site: $(VENV)/.demo
	$(PY) -m pip install -q $(SITE_NEEDS)
	touch $@

core: $(VENV)/.tools
	$(PY) tools/build.py -j $(JOBS)

# The packages are fetched while the core is compiled.
build: $(VENV)/.tools
	@$(MAKE) --no-print-directory -j 2 core setup

demo: build $(VENV)/.demo
	$(PY) -m rushlight examples/digits.py

# build/site/index.html; tools/site_build says what is run for it.
docs: build $(VENV)/.site
	PYTHONPATH=tools $(PY) -m site_build -j $(JOBS)

# Looks at the site with an installed Chromium (Debian: apt install chromium); screenshots go to build/site-screens.
docs-check: docs
	$(PY) -m pip install -q $(LOOK_NEEDS)
	$(PY) tools/site_build/browse.py build/site build/site-screens

test: build
	$(PYTEST) tests --ignore=tests/parity

# Every test of these suites as one compiled function (tests/dynamo/recorded.py).
recorded: build
	PYTHONPATH=tests/dynamo $(PYTEST) -p recorded $(RECORDED)

parity: build $(VENV)/.demo $(VENV)/.torch
	$(PYTEST) tests/parity tests/vision --ignore=tests/parity/test_new_values.py
	$(PYTEST) tests/parity/test_new_values.py  # counts what is compiled: in processes that have compiled nothing yet

vision: build $(VENV)/.demo $(VENV)/.torch
	VISION_MODELS=all $(PYTEST) tests/vision

mutants: build $(VENV)/.demo $(VENV)/.torch
	RUSHLIGHT_MUTANTS=5000 $(PYTEST) tests/vision/test_codecs.py tests/compat/test_torchcodec.py -k damaged

$(ARRAY_API_TESTS):
	git clone -q https://github.com/data-apis/array-api-tests $@
	git -C $@ checkout -q $(ARRAY_API_TESTS_COMMIT)
	git -C $@ submodule update -q --init

array-api: build $(ARRAY_API_TESTS)
	$(PY) -m pip install -q -r $(ARRAY_API_TESTS)/requirements.txt
	grep -v '^#' tests/array_api/array-api-tests-xfails.txt >build/array-api-expressions.txt
	cd $(ARRAY_API_TESTS) && $(ARRAY_API_RUN) --collect-only -q array_api_tests | \
		grep -E -f $(abspath build/array-api-expressions.txt) >$(abspath build/array-api-xfails.txt)
	cd $(ARRAY_API_TESTS) && $(ARRAY_API_RUN) -q -rxXfE --disable-deadline -n $(JOBS) $(ARRAY_API_OPTIONS) \
		array_api_tests --xfails-file=$(abspath build/array-api-xfails.txt)

# In a folder of their own: nothing of these is needed for anything else.
build/clients/.installed: tests/clients/requirements.txt
	rm -rf build/clients
	$(PY) -m pip install -q --no-compile --no-deps --target build/clients -r $<
	touch $@

programs: build $(VENV)/.demo build/clients/.installed
	$(PY) tests/clients/run.py --clients $(CLIENTS) $(PROGRAMS)

# A build of its own, beside the usual one (tools/sanitize.py says what runs on it).
sanitize: build
	$(PY) tools/build.py --sanitize -j $(JOBS)
	$(PY) tools/sanitize.py

lint: setup
	$(PY) -m ruff check .
	$(PY) -m mypy

bench: build $(VENV)/.torch
	$(PY) -m benchmarks

wheel: setup
	$(PY) -m pip wheel -q . --no-deps -w dist

clean:
	rm -rf build dist demo-output .pytest_cache .mypy_cache .ruff_cache
	rm -f src/rushlight/core/*.so src/rushlight/core/*.a
	find src tests tools examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
