# A nightly sweep for data races. Include this file, or call it from anywhere:
#
#   make -f irkiss.mk irkiss-nightly IRKISS_INPUT=build                     a kernel build, a folder of bitcode, compile_commands.json
#   make -f irkiss.mk irkiss-nightly IRKISS_INPUT=/src/linux \
#        IRKISS_BUILD='make -C /src/linux LLVM=1 -j8 drivers/usb/misc/'      what changed is built first
#
# What has not changed since the last night is taken from the store. Where a night is ended, `make irkiss-run` goes on with it.
# Exit code 2 (make's own for a command that fails) where IRKISS_FAIL_ON says so.

# The command; where it is no plain name, its path.
IRKISS ?= irkiss
# What is checked.
IRKISS_INPUT ?= .
# The folder of all nights.
IRKISS_NIGHTS ?= irkiss-store
# The reports of the last night: mail, JSON, SARIF.
IRKISS_REPORTS ?= $(IRKISS_NIGHTS)/reports
# A command that builds what has changed; empty: it is built already.
IRKISS_BUILD ?=
# Options of each check (irkiss sweep plan --help): --property race,uaf --config irkiss.toml --work 20M …
IRKISS_OPTIONS ?=
# Options of the run: --jobs 8 --time 6h --shard 1/3.
IRKISS_RUN ?=
# Nights that stay in the store.
IRKISS_KEEP ?= 30
# new, race, unknown or never.
IRKISS_FAIL_ON ?= new

.PHONY: irkiss-nightly irkiss-plan irkiss-run irkiss-report

irkiss-nightly: irkiss-plan
	$(MAKE) -f $(IRKISS_MK) irkiss-run
	$(MAKE) -f $(IRKISS_MK) irkiss-report

irkiss-plan:
	rm -f '$(IRKISS_REPORTS)'/night.mail '$(IRKISS_REPORTS)'/night.json '$(IRKISS_REPORTS)'/night.sarif
	$(IRKISS_BUILD)
	$(IRKISS) sweep plan '$(IRKISS_NIGHTS)' $(IRKISS_INPUT) $(IRKISS_OPTIONS)

# A night whose time is over (exit code 3) has a report all the same.
irkiss-run:
	$(IRKISS) sweep run '$(IRKISS_NIGHTS)' $(IRKISS_RUN) || test $$? -eq 3
	$(IRKISS) sweep prune '$(IRKISS_NIGHTS)' --keep $(IRKISS_KEEP)

irkiss-report:
	mkdir -p '$(IRKISS_REPORTS)'
	$(IRKISS) sweep report '$(IRKISS_NIGHTS)' --since last --format mail -o '$(IRKISS_REPORTS)/night.mail'
	$(IRKISS) sweep report '$(IRKISS_NIGHTS)' --since last --format json -o '$(IRKISS_REPORTS)/night.json'
	$(IRKISS) sweep report '$(IRKISS_NIGHTS)' --since last --format sarif -o '$(IRKISS_REPORTS)/night.sarif'
	$(IRKISS) sweep report '$(IRKISS_NIGHTS)' --since last --fail-on $(IRKISS_FAIL_ON)

# This file, also where another one includes it.
IRKISS_MK := $(lastword $(MAKEFILE_LIST))
export IRKISS IRKISS_INPUT IRKISS_NIGHTS IRKISS_REPORTS IRKISS_BUILD IRKISS_OPTIONS IRKISS_RUN IRKISS_KEEP IRKISS_FAIL_ON
