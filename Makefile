# Everything a fresh clone needs: `make demo`, `make test`. The first target typed makes .venv and installs into it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
N ?= 3000
BUDGET ?= 1h

.PHONY: demo test check format docs pictures exactness trust budgets power calibration bench bench-smoke learners-table paper paper-smoke clean

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("dicola needs Python 3.11 or newer; set PYTHON=/path/to/it") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(PIP) --editable .
	touch $@

$(VENV)/.test: $(VENV)/.installed
	$(PIP) --editable '.[test]'
	# Its metadata ask for NumPy 1; its graphs need NetworkX alone.
	@$(PIP) --no-deps 'pywhy-graphs>=0.1' || echo 'pywhy-graphs is not installable here; its tests are skipped'
	touch $@

$(VENV)/.check: $(VENV)/.installed
	$(PIP) --editable '.[check]'
	touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(PIP) --editable '.[docs]'
	touch $@

demo: $(VENV)/.installed        ## the main job on a simulated network; writes demo/
	$(BIN)/dicola demo --out demo

test: $(VENV)/.test             ## the whole test suite
	$(BIN)/python -m pytest -n 2

check: $(VENV)/.check           ## format, lint, strict types, import contract, house rules, examples of the docs
	$(BIN)/ruff format --check src tests paper scripts benchmarks docs/conf.py
	$(BIN)/ruff check src tests paper scripts benchmarks docs/conf.py
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python scripts/house_rules.py
	$(BIN)/python scripts/check_examples.py

format: $(VENV)/.check
	$(BIN)/ruff format src tests paper scripts benchmarks docs/conf.py
	$(BIN)/ruff check --fix src tests paper scripts benchmarks docs/conf.py

docs: $(VENV)/.docs             ## the documentation site, into site/; a warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --fresh-env --quiet docs site
	@echo "open site/index.html"

pictures: $(VENV)/.test         ## the drawings and screenshots of README.md and docs/; needs chromium and its driver
	$(BIN)/python scripts/pictures.py

exactness: $(VENV)/.test        ## make exactness N=50000: that many random graphs, every learner and blanket learner, against the truth
	$(BIN)/python -m tests.exactness.run $(N)
	$(BIN)/python -m tests.exactness.learners $(N)
	$(BIN)/python -m tests.exactness.blankets $(N)
	$(BIN)/python -m tests.exactness.selection $(N)

trust: $(VENV)/.test            ## are p-values uniform under the null model of each test? 1,000 tables per cell
	$(BIN)/python -m tests.trust.run

budgets: $(VENV)/.test          ## does every run end when it is told to? Hard tables, every mode and learner: half an hour
	$(BIN)/python -m tests.budgets_study

power: $(VENV)/.test            ## how often each test finds a link: writes benchmarks/power.json, its figure and table in the docs
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/power.py

calibration: $(VENV)/.test      ## is what a bootstrap says with 90 % right 9 times in 10? Writes benchmarks/calibration.json, figure and table; half an hour
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/calibration.py

bench: $(VENV)/.test            ## ours against the peers, scaling and profile: writes benchmarks/speed.json and docs/speed.md
	$(BIN)/python benchmarks/speed.py

bench-smoke: $(VENV)/.test      ## a small part of the same in under a minute; writes nothing
	$(BIN)/python benchmarks/speed.py --smoke

learners-table: $(VENV)/.installed  ## learner x (alone, DiCoLa): writes docs/learners.md
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/learners.py

paper: $(VENV)/.test            ## make paper BUDGET=2h: go on with the runs of the paper's experiments, then write paper/REPRODUCTION.md
	$(BIN)/dicola paper run all --jobs 2 --budget $(BUDGET)
	$(BIN)/dicola paper report

paper-smoke: $(VENV)/.test      ## every method once on small settings, in a minute or two
	$(BIN)/dicola paper run smoke --jobs 2
	$(BIN)/dicola paper show smoke

clean:
	rm -rf $(VENV) demo site dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
