//! KISS's transformation, run natively: the sequential program is compiled and run on all its paths.
//!
//! Nothing of the engine takes part: the primitives are a page of C (`kiss_native/driver.c`) in which `fork()` makes the
//! choices. What fails here is the transformation or its run time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use irkiss::config::{Instrument, Options};
use irkiss::faults::{KissFault, with};
use irkiss::internals::frontend::sequentialize::{number_sites, sequentialize};
use irkiss::internals::frontend::stubs::{Group, select};
use irkiss::internals::index::{IdVec, SiteId};
use irkiss::internals::program::Site;
use irkiss::property::{Properties, Property};

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
            "-w",
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

/// Stack objects on the heap: in a sequential program they outlive their frames, which a native stack cannot do.
fn immortal_frames(ir: &str) -> String {
    let mut text = String::new();
    let mut declared = false;
    for line in ir.lines() {
        declared |= line.starts_with("declare") && line.contains("@__irkiss_alloc(");
        if line.contains("call void @llvm.lifetime.") {
            continue;
        }
        text += &match line.split_once(" = alloca ") {
            Some((name, _)) => format!("{name} = call ptr @__irkiss_alloc(i64 64, i1 false)"),
            None => line.to_string(),
        };
        text.push('\n');
    }
    if !declared {
        text += "declare ptr @__irkiss_alloc(i64, i1)\n";
    }
    text
}

/// The driver's object file, compiled once.
fn driver() -> &'static Path {
    static DRIVER: OnceLock<PathBuf> = OnceLock::new();
    DRIVER.get_or_init(|| {
        let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kiss_native_driver.o");
        run(Command::new("clang-22")
            .args(["-O1", "-fno-pie", "-c", "tests/kiss_native/driver.c", "-o"])
            .arg(&object));
        object
    })
}

fn check_file(source: &Path, options: &Options) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let bitcode = compile(source, folder.path());
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(&bitcode, "program");
    let module = Module::parse_bitcode_from_buffer(&buffer, &context).expect("bitcode");
    let sites = number_sites(&module, options.marked.unwrap_or_default());
    let runtime = select(Group::Sequential, "x86_64-linux-gnu", true, 8).expect("a layout");
    sequentialize(&module, options, &runtime).expect("a sequential program");
    let sequential = folder.path().join("sequential.ll");
    std::fs::write(
        &sequential,
        immortal_frames(&module.print_to_string().to_string()),
    )
    .expect("written");
    let executable = folder.path().join("sequential");
    run(Command::new("clang-22")
        .args(["-O0", "-w", "-fno-pie", "-no-pie"])
        .arg(&sequential)
        .arg(driver())
        .arg("-o")
        .arg(&executable));
    let race = if options.asks(Property::Race) {
        "1"
    } else {
        "0"
    };
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
        properties: Properties::of(&[Property::Assert]),
        ..Options::default()
    }
}

fn races(ts: u32) -> Options {
    Options {
        ts,
        properties: Properties::of(&[Property::Race]),
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

/// RAISE is possible before an assume that fails.
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
        if cfg!(feature = "faults") {
            let faulty = with(Some(KissFault::NoRaise), || check(source, &options));
            assert!(faulty.is_clean(), "{instrument:?}");
        }
    }
}

/// A program whose verdict the fault changes: options, source, whether the right transformation finds a failure.
fn notices(fault: KissFault) -> (Options, &'static str, bool) {
    match fault {
        KissFault::NoRaise => (
            assertions(0),
            "int x;
             static void t(void *p) { x = 1; x = 2; }
             void __irkiss_main(void) { irkiss_async(t, 0); irkiss_assert(x != 1); }",
            true,
        ),
        // The frame below the one that was raised goes on.
        KissFault::NoPropagation => (
            assertions(0),
            "int x, y;
             static void set(int *p) { *p = 1; }
             static void t(void *p) { set(&x); set(&y); }
             void __irkiss_main(void) { irkiss_async(t, 0); irkiss_assert(x || !y); }",
            false,
        ),
        KissFault::NoScheduleAtReturn => (
            assertions(1),
            "static void t(void *p) { irkiss_assert(0); }
             void __irkiss_main(void) { irkiss_async(t, 0); }",
            true,
        ),
        // Nothing else in the thread is visible after the write.
        KissFault::NoPointBeforeBlocking => (
            assertions(0),
            "int x;
             static void t(void *p) { x = 1; __irkiss_assume(0); }
             void __irkiss_main(void) { irkiss_async(t, 0); irkiss_assert(x == 0); }",
            true,
        ),
        KissFault::NoAtomicCheck => (
            races(0),
            "int x;
             static void t(void *p) { irkiss_atomic(x = 1); }
             void __irkiss_main(void) { irkiss_async(t, 0); x = 2; }",
            true,
        ),
        // main reads, through a pointer, the frame of the thread that was stopped.
        KissFault::FramesDieAtRaise => (
            assertions(0),
            "int *x;
             static void t(void *p) { int own = 1; x = &own; own = 1; }
             void __irkiss_main(void) { irkiss_async(t, 0); if (x) irkiss_assert(*x == 1); }",
            false,
        ),
        KissFault::NoGhostSave => (
            assertions(1),
            "int x;
             static void t(void *p) { x = 1; }
             void __irkiss_main(void) { irkiss_async(t, 0); x = 2; irkiss_assert(__irkiss_self() == 0); }",
            false,
        ),
        // A raised thread must not take its creator with it.
        KissFault::NoResetAfterAsync => (
            assertions(0),
            "int x;
             static void t(void *p) { x = 1; }
             static void start(void) { irkiss_async(t, 0); }
             void __irkiss_main(void) { start(); irkiss_assert(x != 0); }",
            true,
        ),
        KissFault::NoArguments => (
            assertions(1),
            "int x;
             static void t(void *p) { irkiss_assert(p == &x); }
             void __irkiss_main(void) { irkiss_async(t, &x); }",
            false,
        ),
    }
}

/// Every seeded fault makes a run miss a failure, or report one that is none.
#[test]
#[cfg_attr(not(feature = "faults"), ignore = "needs --features faults")]
fn every_fault_is_noticed() {
    for fault in KissFault::ALL {
        let (options, source, fails) = notices(*fault);
        let right = check(source, &options);
        assert_eq!(!right.is_clean(), fails, "{fault:?}: {right:?}");
        let wrong = with(Some(*fault), || check(source, &options));
        assert_eq!(
            wrong.is_clean(),
            fails,
            "{fault:?} is not noticed: {wrong:?}"
        );
    }
}

/// A race that a program has or has not, with MAX = 1: name, source, the races.
const RACES: &[(&str, &str, &[&str])] = &[
    (
        "plain against plain",
        "int x;
         static void t(void *p) { x = 1; }
         void __irkiss_main(void) { irkiss_async(t, 0); x = 2; }",
        &["__irkiss_main Write, t Write"],
    ),
    (
        "reads do not race",
        "int x, y;
         static void t(void *p) { int *o = p; *o = x; }
         void __irkiss_main(void) { int own; irkiss_async(t, &own); y = x; }",
        &[],
    ),
    (
        "marked against plain, not against marked",
        "volatile int x; int y;
         static void t(void *p) { x = 1; y = 1; }
         void __irkiss_main(void) { irkiss_async(t, 0); x = 2; *(volatile int *)&y = 2; }",
        &["__irkiss_main Write, t Write"],
    ),
    (
        "atomic sections among themselves",
        "int x;
         static void t(void *p) { irkiss_atomic(x++); }
         void __irkiss_main(void) { irkiss_async(t, 0); irkiss_atomic(x++); }",
        &[],
    ),
    (
        "a section that cannot be entered does not race",
        "int x, y;
         static void t(void *p) { irkiss_atomic(x = 1; __irkiss_assume(y)); }
         void __irkiss_main(void) { irkiss_async(t, 0); x = 2; }",
        &[],
    ),
    (
        "a section races in the states in which it can be entered",
        "int x, y;
         static void t(void *p) { irkiss_atomic(__irkiss_assume(y); x = 1); }
         void __irkiss_main(void) { irkiss_async(t, 0); y = 1; x = 2; }",
        // The assume reads y too, but only where it is set already.
        &["__irkiss_main Write, t Write"],
    ),
    (
        "what a probed section did is undone",
        "int x, y;
         static void t(void *p) { irkiss_atomic(y = 1; x = 1); }
         void __irkiss_main(void) { irkiss_async(t, 0); int seen; irkiss_atomic(seen = y); if (seen) x = 2; }",
        &[],
    ),
    (
        "a lock orders",
        "int x, l;
         static void lock(void) { irkiss_atomic(__irkiss_assume(!l); l = 1); }
         static void unlock(void) { irkiss_atomic(l = 0); }
         static void t(void *p) { lock(); x = 1; unlock(); }
         void __irkiss_main(void) { irkiss_async(t, 0); lock(); x = 2; unlock(); }",
        &[],
    ),
    (
        "a copy reads its source",
        "struct { int a[4]; } x, y;
         static void t(void *p) { x.a[3] = 1; }
         void __irkiss_main(void) { irkiss_async(t, 0); y = x; }",
        &["__irkiss_main ReadWrite, t Write"],
    ),
    (
        "neighbours do not race",
        "struct { char a, b; } x;
         static void t(void *p) { x.a = 1; }
         void __irkiss_main(void) { irkiss_async(t, 0); x.b = 2; }",
        &[],
    ),
    (
        "three threads, the one between stops unchecked",
        "int x, go;
         static void a(void *p) { irkiss_atomic(__irkiss_assume(go)); x = 1; }
         static void b(void *p) { irkiss_atomic(go = 1); irkiss_atomic(go = 0); }
         void __irkiss_main(void) { irkiss_async(a, 0); irkiss_async(b, 0); irkiss_atomic(__irkiss_assume(go)); x = 2; }",
        &["__irkiss_main Write, a Write"],
    ),
];

/// `--instrument=every` is the paper's figures to the letter; points at visible instructions alone find the same.
#[test]
fn races_found_are_those_there_are_with_either_instrumentation() {
    for (name, source, expected) in RACES {
        for instrument in [Instrument::Visible, Instrument::Every] {
            let options = Options {
                instrument,
                ..races(1)
            };
            let outcome = check(source, &options);
            let expected: BTreeSet<String> = expected.iter().map(|r| r.to_string()).collect();
            assert_eq!(outcome.races(), expected, "{name}, {instrument:?}");
        }
    }
}

/// Deviation 7: what a section starts or fails waits for its end.
#[test]
fn sections_start_threads_and_fail_at_their_end() {
    let source = "int x;
         static void t(void *p) { irkiss_assert(x == 2); }
         void __irkiss_main(void) { irkiss_atomic(x = 1; irkiss_async(t, 0); x = 2); }";
    for ts in [0, 1] {
        let outcome = check(source, &assertions(ts));
        assert!(outcome.is_clean() && outcome.paths > 1, "{ts}: {outcome:?}");
    }
    let blocked = "int x;
         void __irkiss_main(void) { irkiss_atomic(irkiss_assert(x == 1); __irkiss_assume(x == 1)); }";
    assert!(check(blocked, &assertions(0)).is_clean());
    let entered = "int x;
         void __irkiss_main(void) { irkiss_atomic(irkiss_assert(x == 1); __irkiss_assume(x == 0)); }";
    assert!(!check(entered, &assertions(0)).is_clean());
}
