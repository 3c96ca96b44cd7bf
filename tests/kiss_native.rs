//! KISS's transformation, run natively: the sequential program is compiled and run on all its paths.
//!
//! Nothing of the engine takes part: the primitives are a page of C (`kiss_native/driver.c`) in which `fork()` makes the
//! choices. What fails here is the transformation or its run time.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use irkiss::config::{Instrument, Options, SeededFault};
use irkiss::frontend::sequentialize::{number_sites, sequentialize};
use irkiss::frontend::stubs::{Group, select};
use irkiss::index::{IdVec, SiteId};
use irkiss::program::Site;

/// What running a sequential program on all its paths shows.
#[derive(Debug)]
struct Outcome {
    sites: IdVec<SiteId, Site>,
    assertions: BTreeSet<SiteId>,
    races: BTreeSet<(SiteId, SiteId)>,
    paths: u64,
}

impl Outcome {
    /// The functions in which an assertion fails.
    fn failing(&self) -> BTreeSet<&str> {
        self.assertions
            .iter()
            .map(|s| self.sites[*s].function.as_str())
            .collect()
    }
    /// The functions and kinds of access of the races.
    fn races(&self) -> BTreeSet<String> {
        let name = |s: &SiteId| format!("{} {:?}", self.sites[*s].function, self.sites[*s].kind);
        self.races
            .iter()
            .map(|(a, b)| {
                let (a, b) = (name(a), name(b));
                if a < b {
                    format!("{a}, {b}")
                } else {
                    format!("{b}, {a}")
                }
            })
            .collect()
    }
    fn is_clean(&self) -> bool {
        self.assertions.is_empty() && self.races.is_empty()
    }
}

fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// C to IR with locals in registers, otherwise as written.
fn compile(source: &Path, folder: &Path) -> Vec<u8> {
    let (raw, ir) = (folder.join("raw.bc"), folder.join("ssa.bc"));
    run(Command::new("clang-22")
        .args([
            "-target",
            "x86_64-linux-gnu",
            "-O1",
            "-Xclang",
            "-disable-llvm-passes",
            "-g",
        ])
        .args([
            "-std=gnu23",
            "-Wall",
            "-Werror",
            "-Iruntime-stubs/include",
            "-emit-llvm",
            "-c",
        ])
        .arg(source)
        .arg("-o")
        .arg(&raw));
    run(Command::new("opt-22")
        .args(["-passes=mem2reg"])
        .arg(&raw)
        .arg("-o")
        .arg(&ir));
    std::fs::read(ir).expect("written")
}

fn check_file(source: &Path, options: &Options) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let bitcode = compile(source, folder.path());
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(&bitcode, "program");
    let module = Module::parse_bitcode_from_buffer(&buffer, &context).expect("bitcode");
    let sites = number_sites(&module, options.marked);
    let runtime = select(Group::Sequential, "x86_64-linux-gnu", true, 8).expect("a layout");
    let kiss = runtime.iter().find(|s| s.name == "kiss").expect("kiss.c");
    sequentialize(&module, options, kiss.bytes).expect("a sequential program");
    let sequential = folder.path().join("sequential.bc");
    assert!(module.write_bitcode_to_path(&sequential));
    let executable = folder.path().join("sequential");
    run(Command::new("clang-22")
        .args(["-O1", "-w", "-fno-pie", "-no-pie"])
        .arg(&sequential)
        .arg("tests/kiss_native/driver.c")
        .arg("-o")
        .arg(&executable));
    let race = if options.race { "1" } else { "0" };
    let output = run(Command::new(&executable)
        .arg(options.ts.to_string())
        .arg(race));
    let mut outcome = Outcome {
        sites,
        assertions: BTreeSet::new(),
        races: BTreeSet::new(),
        paths: 0,
    };
    for line in output.lines() {
        match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["fail", "0", _, site] => {
                outcome
                    .assertions
                    .insert(SiteId(site.parse().expect("a site")));
            }
            ["fail", "1", a, b] => {
                let site = |s: &str| SiteId(s.parse().expect("a site"));
                outcome.races.insert((site(a), site(b)));
            }
            ["paths", paths, "pruned", _, "crashed", crashed] => {
                assert_eq!(*crashed, "0", "a path crashed");
                outcome.paths = paths.parse().expect("a number");
            }
            _ => panic!("unexpected: {line}"),
        }
    }
    outcome
}

fn check(source: &str, options: &Options) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, format!("#include <irkiss.h>\n{source}")).expect("written");
    check_file(&file, options)
}

fn assertions(ts: u32) -> Options {
    Options {
        ts,
        race: false,
        ..Options::default()
    }
}

fn races(ts: u32) -> Options {
    Options {
        ts,
        race: true,
        assertions: false,
        ..Options::default()
    }
}

const BLUETOOTH: &str = "tests/kiss_native/bluetooth.c";

/// KISS §2.3: "The error trace leading to the assertion violation cannot be simulated … if the size of ts is 0. However,
/// [it] can be simulated if the size of ts is increased to 1."
#[test]
fn bluetooth_assertion_needs_one_pending_thread() {
    let none = check_file(Path::new(BLUETOOTH), &assertions(0));
    assert!(none.is_clean() && none.paths > 10, "{none:?}");
    let one = check_file(Path::new(BLUETOOTH), &assertions(1));
    assert_eq!(one.failing(), BTreeSet::from(["BCSP_PnpAdd"]));
}

/// KISS §2.2: "For this example, a size 0 for the multiset ts is enough to expose the race" on stoppingFlag.
#[test]
fn bluetooth_race_on_stopping_flag_without_pending_threads() {
    let outcome = check_file(Path::new(BLUETOOTH), &races(0));
    let races = outcome.races();
    assert!(
        races.contains("BCSP_IoIncrement Read, BCSP_PnpStop Write"),
        "{races:?}"
    );
    // pendingIo is accessed in atomic sections only, stopped only after the last user has left.
    assert!(
        !races.iter().any(|r| r.contains("BCSP_PnpAdd")),
        "{races:?}"
    );
    let counter = "BCSP_IoDecrement Read, BCSP_IoDecrement Write";
    assert!(!races.contains(counter), "{races:?}");
}

/// DESIGN 9.2: RAISE is possible before an assume that fails.
#[test]
fn a_blocked_thread_leaves_what_it_did() {
    let source = "
        int x;
        static void t(void *p) { (void)p; x = 1; irkiss_assume(0); }
        void __irkiss_main(void) { irkiss_async(t, 0); irkiss_assert(x == 0); }";
    for instrument in [Instrument::Visible, Instrument::Every] {
        let options = Options {
            instrument,
            ..assertions(0)
        };
        assert!(!check(source, &options).is_clean(), "{instrument:?}");
        let faulty = Options {
            seeded_fault: Some(SeededFault::NoRaise),
            ..options
        };
        assert!(check(source, &faulty).is_clean(), "{instrument:?}");
    }
}
