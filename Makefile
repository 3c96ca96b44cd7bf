# What a user and a developer run. Everything starts with the set-up, which is a no-op where nothing is missing.
# Where rustup puts cargo, for shells that do not know it yet.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: help setup build plugin dist deb try-package demo nightly-demo campaign-sweep campaign-engines test kernel-drivers check-citations check-entry-points bench campaign-large campaign-malformed campaign-random campaign-runs campaign-coverability campaign-models campaign-honest campaign-solvers campaign-o0 check-asm kernel-report lockset-report coverability-report rounds-table whoop-tables storm-tables

help:
	@echo 'make setup           install what is missing (LLVM 22, clang 22, libz3)'
	@echo 'make build           set up, then build target/release/irkiss and the plugins beside it'
	@echo 'make plugin          only the plugins for clang, opt and lld: target/release/irkiss-plugin.so (docs/plugin.md)'
	@echo 'make dist            archives for other machines, in target/dist/ (docs/install.md)'
	@echo 'make deb             a package for Debian 12, in target/dist/'
	@echo 'make try-package KERNEL=/path/to/linux'
	@echo '                     both of them in a bare Debian that never saw this folder, with a kernel build if one is named; as root'
	@echo 'make demo            build, then find a race in the example of the KISS paper and replay it'
	@echo 'make nightly-demo    build, then two nights over three drivers, one of which is broken between them (docs/sweeps.md)'
	@echo 'make test            set up, then formatting, clippy and all tests'
	@echo 'make kernel-drivers KERNEL=/path/to/linux'
	@echo '                     bitcode of a few drivers, in kernel-work/bc/'
	@echo 'make check-citations KERNEL=/path/to/linux'
	@echo '                     whether the rules cite functions that are there (Linux 6.1)'
	@echo 'make check-entry-points K=kernel-work'
	@echo '                     entry points found in the bitcode below K/bc/, against a list made by hand'
	@echo 'make check-asm K=kernel-work'
	@echo '                     inline assembly without a model in the bitcode below K/bc/: at most 1 % of the sites'
	@echo 'make bench           cost of checking the drivers of test-bitcode/ beside compiling them, as a table'
	@echo 'make bench K=kernel-work'
	@echo '                     the same for the drivers that make kernel-drivers built'
	@echo 'make kernel-report BC="kernel-work/bc"'
	@echo '                     what irkiss says of each driver and why not more, into docs/kernel-report.md; CPU=60 seconds each'
	@echo 'make lockset-report K=kernel-work'
	@echo '                     the lockset tier over the drivers of K/bc/6.1-nopass: cost beside clang, what it proves; docs/lockset-report.md'
	@echo 'make coverability-report K=kernel-work FOUND="target/reports/6.1-nopass"'
	@echo '                     what nets prove of the drivers of K/bc/6.1-nopass that locks leave open, and what it costs; docs/coverability-report.md;'
	@echo '                     FOUND: reports of searches (kernel-report.py --json), whose races must not be proved away'
	@echo 'make whoop-tables K=kernel-work BC="kernel-work/bc/6.1-nopass/nvram.bc ..."'
	@echo '                     tables I and II of the WHOOP paper for these drivers; TIMEOUT=20, UNWIND=2; docs/whoop-tables.md'
	@echo 'make rounds-table BC="kernel-work/bc/6.1/machzwd.bc ..."'
	@echo '                     executions in rounds, lazy beside eager, as a table on standard output; TIMEOUT=60'
	@echo 'make storm-tables K=kernel-work'
	@echo '                     tables 1 to 4 of the STORM paper; CPU=60: seconds for each run; docs/storm-tables.md'
	@echo 'make campaign-sweep BC=kernel-work/bc WORK=100k KILLS=20 SEED=1'
	@echo '                     a sweep that is killed so often, three parts merged, a second night: the same content as of one undisturbed sweep'
	@echo 'make campaign-engines BC=kernel-work/bc WORK=100k ENGINES="parallel hq slurm"'
	@echo '                     the same sweep by each engine (a Slurm of its own, as root), with nodes and sweeps that are killed: the same content'
	@echo 'make campaign-malformed FILE=x.bc N=2000 OPTIONS=...'
	@echo '                     irkiss on so many damaged copies of a file: no crash, no hang'
	@echo 'make campaign-models MODELS=text'
	@echo '                     empties each model (of that name; -: without a case) in turn: which case of test-bitcode/ fails without it'
	@echo 'make campaign-honest MODELS=text CASES=100'
	@echo '                     empties each model (of that name) in turn: no race of at most so many cases may become bounded or proved without its name'
	@echo 'make campaign-o0'
	@echo 'make campaign-solvers BC=... CPU=20'
	@echo 'make campaign-large SIZE=200000'
	@echo '                     inputs that are large in one way each: no stack overflows, each run ends by itself'
	@echo 'make campaign-random PROGRAMS=20000 SEED=0'
	@echo '                     random programs: the transformation, points-to by C types, locksets, the whole chain and rounds, against the oracles'
	@echo 'make campaign-runs DRIVERS=500 SEED=0'
	@echo '                     concrete runs of all driver cases in the interpreter, step by step; so many random drivers: what runs make happen, against locks'
	@echo 'make campaign-coverability PROGRAMS=4000 SEED=0'
	@echo '                     so many random programs of each of five kinds: what nets prove, against the oracle; a tenth as many random drivers; generated nets'

setup:
	@scripts/setup.sh

build: setup
	cargo build --release
	scripts/plugin.sh

plugin: setup
	scripts/plugin.sh

dist: setup
	scripts/package.sh archive

deb: setup
	scripts/package.sh deb

# LLVM: as make has it for that kernel; DRIVERS: what of it is built.
try-package: setup
	scripts/package.sh all
	KERNEL='$(and $(KERNEL),$(abspath $(KERNEL)))' DRIVERS='$(DRIVERS)' LLVM='$(LLVM)' scripts/try-package.sh

demo: build
	scripts/demo.sh

nightly-demo: build
	scripts/nightly-demo.sh

test: setup
	cargo fmt --check
	cargo clippy --all-targets --features faults -- -D warnings
	scripts/tests.sh

kernel-drivers: setup
	KERNEL='$(KERNEL)' scripts/kernel-drivers.sh $(DRIVERS)

check-citations: setup
	IRKISS_KERNEL='$(abspath $(KERNEL))' cargo test --test citations

check-entry-points: setup
	IRKISS_CORPUS='$(abspath $(K))' cargo test --release --test kernel_entry_points -- --nocapture

check-asm: setup
	IRKISS_CORPUS='$(abspath $(K))' cargo test --release --test kernel_asm -- --nocapture

# Writes tests/data/model-cases.txt; minutes.
campaign-models: setup
	IRKISS_CAMPAIGN_MODELS='$(MODELS)' cargo test --test models -- --nocapture --exact campaign

# Every model and every racy case that links it; hours. MODELS: only those of that name.
campaign-honest: setup
	IRKISS_CAMPAIGN_HONEST='$(MODELS)' IRKISS_CAMPAIGN_CASES='$(CASES)' cargo test --release --test models -- --nocapture --exact honest

# Tables on standard output; the variables are told in the script.
bench: build
	@K='$(K)' RUNS='$(RUNS)' DRIVERS='$(DRIVERS)' OPTIONS='$(OPTIONS)' scripts/bench.sh

# BC: directories of bitcode, one for each form.
TIMEOUT ?= 60
CPU ?= 60
kernel-report: build
	scripts/kernel-report.py --cpu $(CPU) $(BC)

lockset-report: build
	scripts/lockset-report.py --timeout $(TIMEOUT) --build $(K)/build/irk --index $(K)/bc/6.1/index.json $(K)/bc/6.1-nopass > docs/lockset-report.md

coverability-report: build
	scripts/coverability-report.py --cpu $(CPU) $(if $(FOUND),--found $(FOUND)) --json target/coverability $(K)/bc/6.1-nopass > docs/coverability-report.md

rounds-table: build
	scripts/rounds-table.py --timeout $(TIMEOUT) $(BC)

UNWIND ?= 2
whoop-tables: build
	scripts/whoop-tables.py --timeout $(TIMEOUT) --unwind $(UNWIND) --index $(K)/bc/6.1/index.json --kernel $(K)/src/linux-source-6.1 $(BC) > docs/whoop-tables.md

storm-tables: build
	scripts/storm-tables.py --cpu $(CPU) --index $(K)/bc/6.1/index.json $(K)/bc/6.1-nopass > docs/storm-tables.md

# The pthread cases as -O0 compiles them. What is expected is written for the other forms: read what differs.
campaign-o0: setup
	IRKISS_FORM=o0 cargo test --release --test cases pthread

# Every query about the bitcode in BC (files and folders) asked of both solvers.
campaign-solvers: build
	scripts/solvers-campaign.py --cpu $(CPU) target/release/irkiss $(BC)

WORK ?= 100k
KILLS ?= 20
campaign-sweep: build
	scripts/sweep-campaign.py target/release/irkiss $(BC) $(WORK) $(KILLS) $(or $(SEED),1)

# Installs what is missing of the packages that it needs; as root. HQ_PYTHON: a Python that has hyperqueue, where there is no hq.
ENGINES ?= parallel hq slurm
campaign-engines: build
	for c in slurmctld slurmd sbatch munged parallel; do command -v $$c > /dev/null || missing=1; done; [ -z "$$missing" ] || \
	  apt-get install -y -q --no-install-recommends slurmctld slurmd slurm-client munge parallel
	command -v hq > /dev/null || [ -n '$(HQ_PYTHON)' ] || { python3 -m venv target/hyperqueue && target/hyperqueue/bin/pip install -q hyperqueue; }
	HQ_PYTHON='$(or $(HQ_PYTHON),$(CURDIR)/target/hyperqueue/bin/python)' scripts/engines-campaign.py target/release/irkiss $(BC) $(WORK) $(ENGINES)

# Without FILE: a small driver of test-bitcode/.
N ?= 2000
campaign-malformed: setup
	IRKISS_CAMPAIGN_FILE='$(abspath $(FILE))' IRKISS_CAMPAIGN_COPIES='$(N)' IRKISS_CAMPAIGN_OPTIONS='$(OPTIONS)' \
	  cargo test --release --test malformed -- --nocapture damaged

SIZE ?= 200000
campaign-large: setup
	IRKISS_SIZE=$(SIZE) cargo test --release --test limits -- --nocapture nothing_recurses

# Explicit states first (minutes), then the whole chain (hours), each program at MAX = 0, 1, 2 and without a bound.
campaign-random: export IRKISS_PROGRAMS = $(or $(PROGRAMS),20000)
campaign-random: export IRKISS_SEED = $(or $(SEED),0)
campaign-random: setup
	cargo test --release --test balanced -- --nocapture
	cargo test --release --test merging -- --nocapture
	cargo test --release --test typed -- --nocapture
	cargo test --release --test locksets -- --nocapture
	cargo test --release --test theorem1 -- --nocapture
	cargo test --release --test contexts rounds -- --nocapture
	IRKISS_DRIVERS=$$((IRKISS_PROGRAMS / 200)) cargo test --release --test driver_nets together -- --nocapture

# Concrete runs against the interpreter, and against proofs.
campaign-runs: export IRKISS_DRIVERS = $(or $(DRIVERS),500)
campaign-runs: export IRKISS_SEED = $(or $(SEED),0)
campaign-runs: setup
	IRKISS_RUNS=1 cargo test --release --test runs -- --nocapture
	cargo test --release --test driver_nets what_runs -- --nocapture

# Nets against explicit states: so many programs of each of five kinds.
campaign-coverability: export IRKISS_PROGRAMS = $(or $(PROGRAMS),4000)
campaign-coverability: export IRKISS_SEED = $(or $(SEED),0)
campaign-coverability: setup
	cargo test --release --test coverability -- --nocapture
	IRKISS_DRIVERS=$$((IRKISS_PROGRAMS / 10)) cargo test --release --test driver_nets -- --nocapture
	IRKISS_NETS=10000 cargo test --release --test nets -- --nocapture
