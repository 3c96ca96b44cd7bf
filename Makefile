# What a user and a developer run. Everything starts with the set-up, which is a no-op where nothing is missing.
.PHONY: help setup build test

help:
	@echo 'make setup  install what is missing (LLVM 22, clang 22, libz3)'
	@echo 'make build  set up, then build target/release/irkiss'
	@echo 'make test   set up, then formatting, clippy and all tests'

setup:
	@scripts/setup.sh

build: setup
	cargo build --release

test: setup
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	cargo test
