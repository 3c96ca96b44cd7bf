//! Texts below the help: a few lines for `--help`, more for `--help-all`.

/// Below the options that people use first.
pub(super) const SHORT: &str = "\
Examples:
  irkiss driver.bc                          check everything within the default bounds
  irkiss --pair nvram_open,nvram_write nvram.bc
  irkiss --emit schedule -o s.json driver.bc && irkiss replay s.json driver.bc
  make LLVM=1 C=2 CHECK=\"irkiss kbuild\" drivers/x/       in a kernel tree
Bitcode: clang -g -O2 -Xclang -disable-llvm-passes -fno-discard-value-names -emit-llvm -c driver.c

Verdicts: race (with an interleaving that was replayed), proved, bounded (none within the bounds), unknown (and why).
Exit codes: 0 nothing found · 1 findings · 2 usage or input error · 3 nothing found, but something is unknown · 101 a bug in irkiss

All options: irkiss --help-all. Of a command: irkiss COMMAND --help, irkiss help COMMAND.";

pub(super) const LONG: &str = "\
Examples:
  irkiss driver.bc                          check everything within the default bounds
  irkiss --list-entry-points driver.bc      what the kernel may call, and what may run beside what
  irkiss --pair nvram_open,nvram_write nvram.bc
  irkiss --ts 2 --unwind 4 driver.bc        look further: more pending threads, longer loops
  irkiss --format json driver.bc | jq .verdict
  irkiss --emit schedule -o s.json driver.bc && irkiss replay s.json driver.bc

Bitcode that keeps the most information:
  clang -g -O2 -Xclang -disable-llvm-passes -fno-discard-value-names -emit-llvm -c driver.c
In a kernel tree: make LLVM=1 drivers/x/y.ll
As a step of a kernel build: make LLVM=1 C=2 CHECK=\"irkiss kbuild\" drivers/x/
As a plugin of clang: clang -g -fpass-plugin=/path/to/irkiss-plugin.so -c driver.c; with opt and lld too (docs/plugin.md)

Verdicts, for each pair of entry points and each region of memory that both use:
  race      two accesses enabled at once, at least one writes, at least one is unmarked; the interleaving that
            is printed was replayed step by step by an interpreter of its own
  proved    no race, for any number of threads; the report says what the proof rests on
  bounded   none within the bounds printed (--ts, --unwind, --recursion); that is not `safe'
  unknown   the reason says why: something without a model, a budget, an entry point that got nowhere

Exit codes:
  0  nothing found, every pair proved or bounded      1  findings
  2  usage, configuration or input error              3  nothing found, but something is unknown
  101  a bug in irkiss";
