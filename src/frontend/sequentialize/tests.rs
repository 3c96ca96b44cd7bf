//! What is inserted where, on small modules in LLVM assembly. `tests/kiss_native.rs` runs the results.

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;

use super::{number_sites, sequentialize};
use crate::config::{Instrument, Marked, Options, RoundsBy};
use crate::faults::{self, KissFault};
use crate::frontend::decode::{Seed, decode};
use crate::frontend::stubs::{Group, select};
use crate::index::{IdVec, SiteId};
use crate::program::{Program, Site, SiteKind};
use crate::property::{Properties, Property};

/// The primitives that the modules call.
const DECLARATIONS: &str = "
declare void @__irkiss_atomic_begin()
declare void @__irkiss_atomic_end()
declare void @__irkiss_assume(i1)
declare void @__irkiss_assert(i1, ptr)
declare i64 @__irkiss_async(ptr, ptr)
declare i64 @__irkiss_self()
declare void @__irkiss_stop() noreturn
declare void @__irkiss_havoc(ptr, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.trap()
";

fn transform(text: &str, options: &Options) -> (String, IdVec<SiteId, Site>, Program) {
    let context = Context::create();
    let text = format!(
        "target triple = \"x86_64-linux-gnu\"\ntarget datalayout = \"e-i64:64-n8:16:32:64-S128\"\n{DECLARATIONS}{text}\ndefine void @__irkiss_main() {{\n  ret void\n}}\n"
    );
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "test.ll");
    let module = context.create_module_from_ir(buffer).expect("assembly");
    module.verify().expect("a valid test");
    let sites = number_sites(&module, options.marked.unwrap_or_default());
    let stubs = select(Group::Sequential, "x86_64-linux-gnu", true, 8).expect("a layout");
    sequentialize(&module, options, &stubs).expect("a sequential program");
    let program = decode(&module, Seed::default()).expect("decodable");
    (module.print_to_string().to_string(), sites, program)
}

/// The text of one function, without names of values and blocks that LLVM made up.
fn function<'t>(text: &'t str, name: &str) -> &'t str {
    let start = text
        .match_indices("define ")
        .map(|(n, _)| n)
        .find(|n| {
            text[*n..]
                .lines()
                .next()
                .is_some_and(|l| l.contains(&format!("@{name}(")))
        })
        .unwrap_or_else(|| panic!("no function {name}"));
    let end = text[start..].find("\n}").expect("its end");
    &text[start..start + end]
}

fn instrumented(body: &str) -> String {
    let (text, _, _) = transform(body, &Options::default());
    function(&text, "f").to_string()
}

/// Asserts that the lines occur in that order.
#[track_caller]
fn expect(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        match rest.find(part) {
            Some(n) => rest = &rest[n + part.len()..],
            None => panic!("`{part}` is not, in this order, in\n{text}"),
        }
    }
}

fn kinds(sites: &IdVec<SiteId, Site>) -> Vec<(SiteKind, u32, bool)> {
    sites.iter().map(|s| (s.kind, s.bytes, s.marked)).collect()
}

#[test]
fn accesses_are_checked_and_return_zero_when_raised() {
    let text = instrumented(
        "@x = global i32 0
        define i32 @f() {
          store i32 1, ptr @x
          %v = load volatile i32, ptr @x
          ret i32 %v
        }",
    );
    expect(
        &text,
        &[
            "call i1 @__kiss_access(ptr @x, i64 4, i32 1, i32 0)",
            "br i1",
            "label %raise",
            "store i32 1, ptr @x, align 4, !irkiss.site",
            "call i1 @__kiss_access(ptr @x, i64 4, i32 2, i32 1)",
            "br i1",
            "load volatile i32",
            "ret i32 %v",
            "raise:",
            "ret i32 0",
        ],
    );
}

#[test]
fn without_race_checking_it_is_figure_4() {
    let options = Options {
        properties: Properties::of(&[Property::Assert]),
        ..Options::default()
    };
    let body = "@x = global i32 0\ndefine void @f() {\n store i32 1, ptr @x\n ret void\n}";
    let (text, _, _) = transform(body, &options);
    expect(
        function(&text, "f"),
        &["call i1 @__kiss_point(i32 0)", "store"],
    );
    assert!(!function(&text, "f").contains("__kiss_access"));
}

#[test]
fn what_other_threads_cannot_see_has_no_site() {
    let (text, sites, _) = transform(
        "@c = constant i32 7
        @x = global ptr null
        define i32 @f(i1 %b) {
          %own = alloca [4 x i32]
          %kept = alloca i32
          store i32 1, ptr %own
          %p = getelementptr i32, ptr %own, i64 2
          %q = select i1 %b, ptr %own, ptr %p
          store i32 2, ptr %q
          store i32 3, ptr %kept
          store ptr %kept, ptr @x
          %v = load i32, ptr @c
          ret i32 %v
        }",
        &Options::default(),
    );
    use SiteKind::Write;
    assert_eq!(
        kinds(&sites),
        [(Write, 4, false), (Write, 8, false)],
        "{text}"
    );
    assert_eq!(sites[SiteId(1)].object.as_deref(), Some("x"));
}

#[test]
fn sites_tell_what_is_marked() {
    let body = "@x = global i64 0
        define void @f(ptr %p, ptr %q, i64 %n) {
          %a = atomicrmw add ptr %p, i64 1 seq_cst
          %b = load volatile i64, ptr %p
          %c = load atomic i64, ptr %p acquire, align 8
          call void @__irkiss_atomic_begin()
          store i64 1, ptr %p
          call void @__irkiss_atomic_end()
          call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 false)
          call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @x, i64 %n, i1 false)
          ret void
        }";
    use SiteKind::{AtomicBegin, Read, ReadWrite, Write};
    let (text, sites, _) = transform(body, &Options::default());
    let mut expected = [
        (ReadWrite, 8, true),
        (Read, 8, true),
        (Read, 8, true),
        (AtomicBegin, 0, false),
        (Write, 8, true),
        (ReadWrite, 16, false),
        (ReadWrite, 0, false),
    ];
    assert_eq!(kinds(&sites), expected);
    // A copy reads and writes at one point.
    expect(
        function(&text, "f"),
        &[
            "call i1 @__kiss_atomic_begin(i32 3)",
            "call i1 @__kiss_atomic_end()",
            "call i1 @__kiss_access(ptr %q, i64 16, i32 0, i32 5)",
            "call i1 @__kiss_also(ptr %p, i64 16, i32 1, i32 5)",
            "call void @llvm.memcpy",
            "call i1 @__kiss_access(ptr @x, i64 %n, i32 0, i32 6)",
        ],
    );
    let c11 = Options {
        marked: Some(Marked::C11),
        ..Options::default()
    };
    expected[1].2 = false;
    assert_eq!(kinds(&transform(body, &c11).1), expected);
}

#[test]
fn threads_begin_check_wait_and_end() {
    let text = instrumented(
        "define void @t(ptr %p) {\n ret void\n}
        define i64 @f(i1 %c) {
          %me = call i64 @__irkiss_self()
          call void @__irkiss_assert(i1 %c, ptr null)
          call void @__irkiss_assume(i1 %c)
          %n = call i64 @__irkiss_async(ptr @t, ptr null)
          %sum = add i64 %me, %n
          br i1 %c, label %stop, label %on
        stop:
          call void @__irkiss_stop()
          unreachable
        on:
          ret i64 %sum
        }",
    );
    expect(
        &text,
        &[
            "load i64, ptr @__kiss_self",
            "call i1 @__kiss_point(i32 0)",
            "call void @__kiss_assert(i1 %c, i32 0), !irkiss.site",
            "call i1 @__kiss_point(i32 1)",
            "call void @__irkiss_assume(i1 %c)",
            "call i1 @__kiss_point(i32 2)",
            "call i64 @__kiss_async(ptr @t, ptr null), !irkiss.site",
            "add i64",
            "call i1 @__kiss_point(i32 3)",
            "call i1 @__kiss_stop()",
            "unreachable",
        ],
    );
    for gone in [
        "__irkiss_self",
        "__irkiss_assert",
        "__irkiss_async",
        "__irkiss_stop",
    ] {
        assert!(!text.contains(gone), "{text}");
    }
}

#[test]
fn calls_that_may_stop_are_followed_by_a_test_of_raise() {
    let text = instrumented(
        "@x = global i32 0
        define i32 @pure(i32 %v) memory(none) {\n %w = add i32 %v, 1\n ret i32 %w\n}
        define { i32, i32 } @g() willreturn {\n store i32 1, ptr @x\n ret { i32, i32 } zeroinitializer\n}
        define i32 @f(ptr %fp) {
          %a = call i32 @pure(i32 1)
          %b = call { i32, i32 } @g() willreturn
          %c = call i32 %fp()
          %e = extractvalue { i32, i32 } %b, 0
          %d = musttail call i32 @f(ptr %fp)
          ret i32 %d
        }",
    );
    expect(
        &text,
        &[
            "call i32 @pure",
            "call { i32, i32 } @g()",
            "load i8, ptr @__kiss_raise",
            "label %raise",
            "call i32 %fp()",
            "load i8, ptr @__kiss_raise",
            "extractvalue",
            "call i32 @f(",
            "load i8, ptr @__kiss_raise",
            "ret i32 %d",
        ],
    );
    assert_eq!(text.matches("@__kiss_raise").count(), 3, "{text}");
    assert!(!text.contains("musttail"), "{text}");
}

/// Blocks that are split keep their phis right, self loops and switches included.
#[test]
fn loops_have_a_point_at_their_latch() {
    let (text, sites, program) = transform(
        "@x = global i32 0
        define i32 @f(i32 %n) {
        entry:
          br label %head
        head:
          %i = phi i32 [ 0, %entry ], [ %j, %head ], [ %i, %other ]
          %v = load i32, ptr @x
          %j = add i32 %i, %v
          switch i32 %j, label %done [ i32 1, label %head
                                       i32 2, label %other ]
        other:
          store i32 %j, ptr @x
          br label %head
        done:
          %r = phi i32 [ %i, %head ]
          ret i32 %r
        }",
        &Options::default(),
    );
    use SiteKind::{BackEdge, Read, Write};
    assert_eq!(
        kinds(&sites),
        [
            (Read, 4, false),
            (BackEdge, 0, false),
            (Write, 4, false),
            (BackEdge, 0, false)
        ]
    );
    let text = function(&text, "f");
    expect(
        text,
        &[
            "phi i32 [ 0, %entry ], [ %j, %head ], [ %i, %other ]",
            "__kiss_access",
            "head:",
            "switch i32 %j",
        ],
    );
    // The sites survive into the decoded sequential program, the back edge as its terminator's.
    let f = program.function_named("f").expect("f");
    let back_edges = program.functions[f]
        .blocks
        .iter()
        .filter(|b| b.term_site.is_some());
    assert_eq!(back_edges.count(), 2);
}

#[test]
fn every_instruction_can_have_a_point() {
    let body = "define i32 @f(i32 %a) {
          %own = alloca i32
          %b = add i32 %a, 1
          %c = mul i32 %b, %b
          ret i32 %c
        }";
    let visible = instrumented(body);
    assert!(!visible.contains("__kiss"), "{visible}");
    let every = Options {
        instrument: Instrument::Every,
        ..Options::default()
    };
    let (text, _, _) = transform(body, &every);
    expect(
        function(&text, "f"),
        &[
            "alloca",
            "call i1 @__kiss_point(i32 -2)",
            "add",
            "call i1 @__kiss_point(i32 -2)",
            "mul",
            "call void @__kiss_before_return()",
            "ret i32 %c",
        ],
    );
}

#[test]
fn the_run_time_keeps_its_names_and_is_not_instrumented() {
    let (text, _, program) = transform("", &Options::default());
    for name in [
        "__kiss_main",
        "__kiss_schedule",
        "__kiss_run",
        "__kiss_point",
        "__kiss_check",
    ] {
        let id = program
            .function_named(name)
            .unwrap_or_else(|| panic!("{name}"));
        assert!(program.functions[id].is_defined() && program.functions[id].is_model);
    }
    assert!(!function(&text, "__kiss_run").contains("__kiss_point"));
    assert!(
        !text.contains("alloca"),
        "what survives a rollback is in registers"
    );
    // There is no pair without a harness.
    assert!(program.function_named("__kiss_pair_main").is_none());
    let harness = "define void @__irkiss_pair_main() {\n ret void\n}";
    let (_, _, program) = transform(harness, &Options::default());
    assert!(program.function_named("__kiss_pair_main").is_some());
}

#[test]
fn a_failed_assertion_ends_the_program_where_it_is_not_reported() {
    let options = Options {
        properties: Properties::of(&[Property::Race]),
        ..Options::default()
    };
    let body =
        "define void @f(i1 %c) {\n call void @__irkiss_assert(i1 %c, ptr null)\n ret void\n}";
    let (text, _, _) = transform(body, &options);
    let text = function(&text, "f");
    expect(
        text,
        &[
            "@__kiss_point(i32 0)",
            "call void @__irkiss_assume(i1 %c), !irkiss.site",
        ],
    );
    assert!(!text.contains("__kiss_assert"));
}

#[test]
fn a_trap_stays_after_its_point() {
    let text = instrumented("define void @f() {\n call void @llvm.trap()\n unreachable\n}");
    expect(
        &text,
        &[
            "call i1 @__kiss_point(i32 0)",
            "call void @llvm.trap()",
            "unreachable",
        ],
    );
}

#[test]
fn an_unnumbered_module_is_an_error() {
    let context = Context::create();
    let text =
        "@x = global i32 0\ndefine void @__irkiss_main() {\n store i32 1, ptr @x\n ret void\n}";
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "test.ll");
    let module = context.create_module_from_ir(buffer).expect("assembly");
    let stubs = select(Group::Sequential, "x86_64-linux-gnu", true, 8).expect("a layout");
    let result = sequentialize(&module, &Options::default(), &stubs);
    assert!(result.is_err_and(|e| e.to_string().contains("no site")));
}

/// Each seeded fault changes the program; the native tests show that it also changes a verdict.
#[test]
fn every_fault_changes_the_program() {
    let body = "@x = global i32 0
        define void @g() {\n %own = alloca i32\n store ptr %own, ptr @x\n ret void\n}
        define void @f(i1 %c) {\n call void @__irkiss_assume(i1 %c)\n call void @g()\n ret void\n}";
    let (right, _, _) = transform(body, &Options::default());
    for fault in KissFault::ALL {
        let (wrong, _, _) = faults::with(Some(*fault), || transform(body, &Options::default()));
        assert_ne!(wrong, right, "{fault:?}");
    }
}

/// Lal and Reps's: what is accessed is the copy of the round, what is stored are the program's own addresses.
#[test]
fn accesses_lead_to_the_copy_of_the_round() {
    let body = "@x = global ptr null
define void @f(ptr %p) {
  %q = load ptr, ptr @x
  store ptr %q, ptr %p
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 4, i1 false)
  call void @__irkiss_havoc(ptr %q, i64 2)
  ret void
}";
    let options = Options {
        rounds_by: RoundsBy::Eager,
        ..Options::default()
    };
    let (text, _, _) = transform(body, &options);
    expect(
        function(&text, "f"),
        &[
            "call i1 @__lr_access(ptr @x, i64 8, i32 0, i32 0)",
            "call ptr @__lr_read(ptr @x, i64 8)",
            "load ptr, ptr %",
            "call i1 @__lr_access(ptr %p, i64 8, i32 1, i32 1)",
            "call ptr @__lr_write(ptr %p, i64 8)",
            "store ptr %q, ptr %",
            "call ptr @__lr_read(ptr %q, i64 4)",
            "call ptr @__lr_write(ptr %p, i64 4)",
            "call void @llvm.memcpy.p0.p0.i64(ptr %",
            "call ptr @__lr_write(ptr %q, i64 2)",
            "call void @__irkiss_havoc(ptr %",
        ],
    );
}

/// Everything that the models are written in, with debug info, for the first and the last layout (32 bits, big-endian).
#[test]
fn every_model_can_be_instrumented() {
    for (triple, little_endian, bytes) in
        [("x86_64-linux-gnu", true, 8), ("m68k-linux-gnu", false, 4)]
    {
        let of = |group| select(group, triple, little_endian, bytes).expect("a layout");
        let kiss = of(Group::Sequential);
        let models = [of(Group::Pthread), of(Group::Linux)].concat();
        assert!(!models.is_empty());
        let ways = [
            (Instrument::Visible, RoundsBy::Lazy),
            (Instrument::Every, RoundsBy::Lazy),
            (Instrument::Visible, RoundsBy::Eager),
        ];
        for (stub, (instrument, rounds_by)) in models.iter().flat_map(|s| ways.map(|way| (s, way)))
        {
            let context = Context::create();
            let buffer = MemoryBuffer::create_from_memory_range_copy(stub.bytes, stub.name);
            let module = inkwell::module::Module::parse_bitcode_from_buffer(&buffer, &context)
                .expect("bitcode");
            let options = Options {
                instrument,
                rounds_by,
                ..Options::default()
            };
            number_sites(&module, options.marked.unwrap_or_default());
            if let Err(e) = sequentialize(&module, &options, &kiss) {
                panic!("{} {instrument:?}: {e}", stub.name);
            }
        }
    }
}
