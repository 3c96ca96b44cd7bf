# What a user and a developer run. Everything starts with the set-up, which is a no-op where nothing is missing.
# Where rustup puts cargo, for shells that do not know it yet.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: help setup build demo test kernel-drivers

help:
	@echo 'make setup           install what is missing (LLVM 22, clang 22, libz3)'
	@echo 'make build           set up, then build target/release/irkiss'
	@echo 'make demo            build, then find a race in the example of the KISS paper and replay it'
	@echo 'make test            set up, then formatting, clippy and all tests'
	@echo 'make kernel-drivers KERNEL=/path/to/linux'
	@echo '                     bitcode of a few drivers, in kernel-work/bc/'

setup:
	@scripts/setup.sh

build: setup
	cargo build --release

demo: build
	scripts/demo.sh

test: setup
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	cargo test

kernel-drivers: setup
	KERNEL='$(KERNEL)' scripts/kernel-drivers.sh $(DRIVERS)
