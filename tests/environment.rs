//! Discovery of entry points and the harness, on excerpts of real drivers.

use irkiss::internals::environment::entry::{Context, EntryPoint, Parameter, Phase, Start};
use irkiss::internals::environment::{Discovery, Rules, discover};
use irkiss::internals::frontend::decode::decode_ll;
use irkiss::internals::frontend::harness::{self, Harness, Hooks};
use irkiss::internals::index::{BlockId, Idx};
use irkiss::internals::program::{
    Block, Callee, Const, Op, Operand, Primitive, Program, Terminator,
};

/// Debug info of the structs that the excerpts use, as clang writes it (x86-64, Linux 6.1), shortened to the fields named.
fn with_types(text: &str) -> Program {
    const TYPES: &str = r#"
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, producer: "clang", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "driver.c", directory: "/src")
!3 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!4 = !DISubroutineType(types: !5)
!5 = !{null}
!6 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)
!10 = !DICompositeType(tag: DW_TAG_structure_type, name: "file_operations", size: 1088, elements: !11)
!11 = !{!12, !13, !14, !15, !16, !17}
!12 = !DIDerivedType(tag: DW_TAG_member, name: "owner", baseType: !3, size: 64)
!13 = !DIDerivedType(tag: DW_TAG_member, name: "read", baseType: !6, size: 64, offset: 128)
!14 = !DIDerivedType(tag: DW_TAG_member, name: "unlocked_ioctl", baseType: !6, size: 64, offset: 640)
!15 = !DIDerivedType(tag: DW_TAG_member, name: "compat_ioctl", baseType: !6, size: 64, offset: 704)
!16 = !DIDerivedType(tag: DW_TAG_member, name: "open", baseType: !6, size: 64, offset: 896)
!17 = !DIDerivedType(tag: DW_TAG_member, name: "release", baseType: !6, size: 64, offset: 1024)
!20 = !DICompositeType(tag: DW_TAG_structure_type, name: "miscdevice", size: 640, elements: !21)
!21 = !{!22}
!22 = !DIDerivedType(tag: DW_TAG_member, name: "fops", baseType: !23, size: 64, offset: 128)
!23 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !10, size: 64)
!30 = !DICompositeType(tag: DW_TAG_structure_type, name: "timer_list", size: 320, elements: !31)
!31 = !{!32}
!32 = !DIDerivedType(tag: DW_TAG_member, name: "function", baseType: !6, size: 64, offset: 192)
!40 = !DICompositeType(tag: DW_TAG_structure_type, name: "notifier_block", size: 192, elements: !41)
!41 = !{!42}
!42 = !DIDerivedType(tag: DW_TAG_member, name: "notifier_call", baseType: !6, size: 64)
!50 = !DICompositeType(tag: DW_TAG_structure_type, name: "nsc_gpio_ops", size: 128, elements: !51)
!51 = !{!52, !53}
!52 = !DIDerivedType(tag: DW_TAG_member, name: "gpio_get", baseType: !6, size: 64)
!53 = !DIDerivedType(tag: DW_TAG_member, name: "gpio_set", baseType: !6, size: 64, offset: 64)
!60 = !DICompositeType(tag: DW_TAG_structure_type, name: "work_struct", size: 256, elements: !61)
!61 = !{!62}
!62 = !DIDerivedType(tag: DW_TAG_member, name: "func", baseType: !6, size: 64, offset: 192)
!70 = !DICompositeType(tag: DW_TAG_structure_type, name: "card", size: 512, elements: !71)
!71 = !{!72, !73}
!72 = !DIDerivedType(tag: DW_TAG_member, name: "state", baseType: !3, size: 64)
!73 = !DIDerivedType(tag: DW_TAG_member, name: "work", baseType: !60, size: 256, offset: 64)
!74 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !70, size: 64)
!75 = !DISubroutineType(types: !76)
!76 = !{null, !74}
!77 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !60, size: 64)
!78 = !DISubroutineType(types: !79)
!79 = !{null, !77}
"#;
    let text = format!("{text}{TYPES}");
    decode_ll(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// `!N = …` for a global of debug type `!TYPE`.
fn variable(n: u32, name: &str, ty: u32) -> String {
    format!(
        "!{n} = !DIGlobalVariableExpression(var: !{}, expr: !DIExpression())\n\
         !{} = distinct !DIGlobalVariable(name: \"{name}\", scope: !0, file: !2, line: {n}, type: !{ty}, isLocal: true, isDefinition: true)\n",
        n + 1,
        n + 1
    )
}

fn found(program: &Program) -> Discovery {
    discover(program, &Rules::built_in(), &[]).expect("nothing asked for")
}

fn entry<'a>(discovery: &'a Discovery, function: &str) -> &'a EntryPoint {
    discovery
        .entries
        .iter()
        .find(|e| e.function == function)
        .unwrap_or_else(|| panic!("{function} is no entry point of {:?}", names(discovery)))
}

fn names(discovery: &Discovery) -> Vec<(String, String)> {
    discovery
        .entries
        .iter()
        .map(|e| (e.function.clone(), e.via.clone()))
        .collect()
}

fn driver_harness(program: &Program, discovery: &Discovery) -> Harness {
    harness::driver_harness(
        program,
        &discovery.entries,
        (&discovery.objects, &discovery.identity),
        &discovery.registrars,
        None,
        2,
    )
    .expect("a harness")
}

/// The harness parses and verifies (decoding does both).
fn harness_of(program: &Program, discovery: &Discovery) -> Program {
    let Harness { text, told } = driver_harness(program, discovery);
    let mut program = decode_ll(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program.harness = told.resolve(&program);
    told_is_written(&program);
    program
}

/// What the writer tells of entry points is what the text does: those that are alike go the same way before a pair, and who is looked
/// for by number is like nobody.
fn told_is_written(program: &Program) {
    let entries = &program.harness.entries;
    let number = |o: &Operand| match o {
        Operand::Const(Const::Int { value, .. }) => Some(*value),
        _ => None,
    };
    let mut looked_for = Vec::new();
    for function in program.functions.iter() {
        // What is computed of the numbers of the threads.
        let mut numbers = Vec::new();
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let is = |o: &Operand| o.value().is_some_and(|v| numbers.contains(&v));
            match &instr.op {
                Op::Primitive {
                    primitive: Primitive::Pair,
                    args,
                } if matches!(number(&args[0]), Some(0 | 1 | 3 | 4)) => {
                    numbers.extend(instr.result);
                }
                Op::Bin { lhs, .. } if is(lhs) => numbers.extend(instr.result),
                Op::Icmp { lhs, rhs, .. } if is(lhs) => looked_for.extend(number(rhs)),
                _ => {}
            }
        }
    }
    let ways = |n: usize| -> Vec<Option<BlockId>> {
        let jump = |name: &str| {
            let function = &program.functions[program.function_named(name).expect("is written")];
            let switches = function.blocks.iter().find_map(|b| match &b.term {
                Terminator::Switch { cases, .. } => Some(cases),
                _ => None,
            });
            let mut cases = switches.into_iter().flatten();
            cases.find(|(c, _)| *c == n as u128).map(|(_, to)| *to)
        };
        ["__irkiss_warm", "__irkiss_settle"].map(jump).to_vec()
    };
    for (a, x) in entries.iter_ids() {
        for (b, y) in entries.iter_ids().filter(|(b, _)| *b != a) {
            let is_looked_for = |n: usize| looked_for.contains(&(n as u128));
            let same = ways(a.index()) == ways(b.index())
                && !is_looked_for(a.index())
                && !is_looked_for(b.index());
            assert_eq!(x.alike == y.alike, same, "{a} and {b}");
        }
    }
}

/// drivers/char/nvram.c as a module at -O2.
fn nvram() -> Program {
    let mut text = String::from(
        r#"
%struct.file_operations = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, ptr, ptr, ptr }
%struct.miscdevice = type { i32, ptr, ptr, [56 x i8] }
@__this_module = external global i8
@__UNIQUE_ID___addressable_init_module279 = internal global ptr @init_module, section ".init.data"
@__UNIQUE_ID___addressable_cleanup_module280 = internal global ptr @cleanup_module, section ".exit.data"
@nvram_misc = internal global %struct.miscdevice { i32 144, ptr null, ptr @nvram_misc_fops, [56 x i8] zeroinitializer }, !dbg !100
@nvram_misc_fops = internal constant %struct.file_operations { ptr @__this_module, ptr null, ptr @nvram_misc_read, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr @nvram_misc_ioctl, ptr @nvram_misc_ioctl, ptr null, i64 0, ptr @nvram_misc_open, ptr null, ptr @nvram_misc_release }, !dbg !102
@init_module = dso_local alias i32 (), ptr @nvram_module_init
@cleanup_module = dso_local alias void (), ptr @nvram_module_exit
declare i32 @misc_register(ptr)
declare ptr @proc_create_single_data(ptr, i16, ptr, ptr, ptr)
define internal i32 @nvram_module_init() {
  %r = call i32 @misc_register(ptr @nvram_misc)
  %p = call ptr @proc_create_single_data(ptr null, i16 0, ptr null, ptr @nvram_proc_read, ptr null)
  ret i32 %r
}
define internal void @nvram_module_exit() { ret void }
define internal i64 @nvram_misc_read(ptr %f, ptr %b, i64 %n, ptr %p) { ret i64 0 }
define internal i64 @nvram_misc_ioctl(ptr %f, i32 %c, i64 %a) { ret i64 0 }
define internal i32 @nvram_misc_open(ptr %i, ptr %f) { ret i32 0 }
define internal i32 @nvram_misc_release(ptr %i, ptr %f) { ret i32 0 }
define internal i32 @nvram_proc_read(ptr %s, ptr %o) { ret i32 0 }
"#,
    );
    text += &variable(100, "nvram_misc", 20);
    text += &variable(102, "nvram_misc_fops", 10);
    with_types(&text)
}

#[test]
fn nvram_a_misc_device() {
    let program = nvram();
    let discovery = found(&program);
    let open = entry(&discovery, "nvram_misc_open");
    assert_eq!(open.via, "file_operations.open");
    assert_eq!(
        open.serialized_by,
        ["misc_mtx"],
        "a miscdevice names the fops"
    );
    assert!(open.beside_itself && open.known);
    let read = entry(&discovery, "nvram_misc_read");
    assert_eq!(
        read.parameters,
        [
            Parameter::Shared("nvram_misc_fops.file1".to_string()),
            Parameter::Private(0),
            Parameter::Number,
            Parameter::Private(8),
        ]
    );
    assert!(read.serialized_by.is_empty());
    // unlocked_ioctl and compat_ioctl name one function: one entry point.
    let ioctls = names(&discovery)
        .iter()
        .filter(|(f, _)| f == "nvram_misc_ioctl")
        .count();
    assert_eq!(ioctls, 1);
    assert_eq!(
        entry(&discovery, "nvram_proc_read").via,
        "proc_create_single_data#3"
    );
    let phases: Vec<Phase> = discovery.entries.iter().map(|e| e.phase).collect();
    assert_eq!(phases.first(), Some(&Phase::Init));
    assert_eq!(phases.last(), Some(&Phase::Exit));
    assert_eq!(discovery.entries.len(), 7);
}

#[test]
fn who_never_runs_beside_whom() {
    let program = nvram();
    let discovery = found(&program);
    let overlap =
        |a: &str, b: &str| EntryPoint::never_overlap(entry(&discovery, a), entry(&discovery, b));
    let exit = discovery
        .entries
        .iter()
        .find(|e| e.phase == Phase::Exit)
        .expect("an exit")
        .function
        .clone();
    assert_eq!(
        overlap("nvram_misc_open", "nvram_misc_open").as_deref(),
        Some("misc_mtx")
    );
    assert_eq!(overlap("nvram_misc_open", "nvram_misc_release"), None);
    assert_eq!(overlap("nvram_misc_read", "nvram_misc_read"), None);
    // fops.owner keeps the module while a file is open; a /proc file does not.
    assert_eq!(
        overlap(&exit, "nvram_misc_read").as_deref(),
        Some("module reference")
    );
    assert_eq!(overlap("nvram_proc_read", &exit), None);
}

/// drivers/char/dtlk.c, built in: initcall, static timer, ops without an owner.
#[test]
fn dtlk_built_in_with_a_static_timer() {
    let mut text = String::from(
        r#"
%struct.file_operations = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, ptr, ptr, ptr }
%struct.timer_list = type { { ptr, ptr }, i64, ptr, i32 }
@__UNIQUE_ID___addressable_dtlk_init247 = internal global ptr @dtlk_init, section ".discard.addressable"
@__UNIQUE_ID___addressable_dtlk_helper3 = internal global ptr @dtlk_helper, section ".discard.addressable"
@__exitcall_dtlk_cleanup = internal global ptr @dtlk_cleanup, section ".exitcall.exit"
@dtlk_timer = internal global %struct.timer_list { { ptr, ptr } zeroinitializer, i64 0, ptr @dtlk_timer_tick, i32 0 }, !dbg !100
@dtlk_fops = internal constant %struct.file_operations { ptr null, ptr null, ptr @dtlk_read, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i64 0, ptr null, ptr null, ptr null }, !dbg !102
define internal i32 @dtlk_init() { ret i32 0 }
define internal void @dtlk_cleanup() { ret void }
define i32 @dtlk_helper(i32 %x) { ret i32 0 }
define internal void @dtlk_timer_tick(ptr %t) { ret void }
define internal i64 @dtlk_read(ptr %f, ptr %b, i64 %n, ptr %p) { ret i64 0 }
"#,
    );
    text += &variable(100, "dtlk_timer", 30);
    text += &variable(102, "dtlk_fops", 10);
    let program = with_types(&text);
    let discovery = found(&program);
    assert_eq!(
        discovery.entries.len(),
        4,
        "the exported helper is none: {:?}",
        names(&discovery)
    );
    let tick = entry(&discovery, "dtlk_timer_tick");
    assert_eq!((tick.context, tick.start), (Context::Softirq, Start::Armed));
    assert_eq!(
        tick.parameters,
        [Parameter::Global("dtlk_timer".to_string(), 0)]
    );
    assert!(!tick.beside_itself);
    let cleanup = entry(&discovery, "dtlk_cleanup");
    for other in discovery.entries.iter() {
        assert!(EntryPoint::never_overlap(cleanup, other).is_some());
    }
}

/// drivers/char/pc8736x_gpio.c: a table that the driver itself calls through, kept in `void *private_data`.
#[test]
fn the_drivers_own_dispatch_is_no_entry_point() {
    let text = |store: &str| {
        let text = format!(
            r#"
%struct.nsc_gpio_ops = type {{ ptr, ptr }}
@ops = internal global %struct.nsc_gpio_ops {{ ptr @gpio_get, ptr @gpio_set }}, !dbg !100
declare void @register_gpio(ptr)
define internal i32 @gpio_get(i32 %m) {{ ret i32 0 }}
define internal void @gpio_set(i32 %m, i32 %v) {{ ret void }}
define i32 @use(ptr %file) {{
  {store}
  ret i32 0
}}
"#
        );
        with_types(&(text + &variable(100, "ops", 50)))
    };
    let own = found(&text("store ptr @ops, ptr %file"));
    // Listed, but no thread, and nothing of the harness.
    assert_eq!(own.entries.len(), 2);
    let get = entry(&own, "gpio_get");
    assert_eq!(get.phase, Phase::Nested);
    assert_eq!(get.why, "ops: a table that only the input uses");
    assert!(EntryPoint::never_overlap(get, entry(&own, "gpio_set")).is_some());
    let harness = driver_harness(&text("store ptr @ops, ptr %file"), &own).text;
    assert!(!harness.contains("gpio_get"), "{harness}");
    // Handed to the kernel, the same table gives entry points of the default kind.
    let handed = found(&text("call void @register_gpio(ptr @ops)"));
    assert_eq!(handed.entries.len(), 3);
    // Nothing else here sets a device up: who hands the table over does.
    assert_eq!(entry(&handed, "use").phase, Phase::Init);
    let get = entry(&handed, "gpio_get");
    assert!(!get.known && get.beside_itself && get.via == "nsc_gpio_ops.gpio_get");
    assert!(
        handed
            .notes
            .iter()
            .any(|n| n.contains("no rule for nsc_gpio_ops.gpio_get"))
    );
}

/// machzwd: the reboot notifier chain is told from others by the call that registers the object.
#[test]
fn a_holder_rule_depends_on_the_registering_call() {
    let text = |call: &str| {
        let text = format!(
            r#"
%struct.notifier_block = type {{ ptr, ptr, i32 }}
@nb = internal global %struct.notifier_block {{ ptr @notify, ptr null, i32 0 }}, !dbg !100
declare i32 @{call}(ptr)
define internal i32 @notify(ptr %n, i64 %c, ptr %d) {{ ret i32 0 }}
define i32 @init_module() {{
  %r = call i32 @{call}(ptr @nb)
  ret i32 %r
}}
"#
        );
        with_types(&(text + &variable(100, "nb", 40)))
    };
    let reboot = found(&text("register_reboot_notifier"));
    let notify = entry(&reboot, "notify");
    assert_eq!(notify.serialized_by, ["system_transition", "reboot_chain"]);
    assert!(!notify.beside_itself);
    let other = found(&text("register_die_notifier"));
    assert!(entry(&other, "notify").beside_itself);
}

/// INIT_WORK in a structure of the driver's own: by the type of the parameter (-O2), by the handler's own signature.
#[test]
fn work_functions_by_typed_stores() {
    let text = r#"
define internal void @by_place(ptr %w) { ret void }
define internal void @by_signature(ptr %w) !dbg !110 { ret void }
define void @setup(ptr %card) !dbg !112 {
  %f = getelementptr i8, ptr %card, i64 32
  store ptr @by_place, ptr %f
  ret void
}
define void @elsewhere(i64 %n, ptr %p) {
  %f = getelementptr i8, ptr %p, i64 %n
  store ptr @by_signature, ptr %f
  ret void
}
!110 = distinct !DISubprogram(name: "by_signature", scope: !2, file: !2, line: 1, type: !78, unit: !0, spFlags: DISPFlagDefinition)
!112 = distinct !DISubprogram(name: "setup", scope: !2, file: !2, line: 2, type: !75, unit: !0, spFlags: DISPFlagDefinition)
"#;
    let discovery = found(&with_types(text));
    for name in ["by_place", "by_signature"] {
        let work = entry(&discovery, name);
        assert_eq!(work.via, "work_struct.func");
        assert_eq!((work.context, work.start), (Context::Process, Start::Armed));
    }
}

/// request_irq is an inline function that hands the handler on (unoptimised bitcode); phis are looked through.
#[test]
fn handlers_through_functions_that_hand_them_on() {
    let program = with_types(
        r#"
declare i32 @request_threaded_irq(i32, ptr, ptr, i64, ptr, ptr)
define internal i32 @request(i32 %irq, ptr %handler, ptr %dev) {
  %r = call i32 @request_threaded_irq(i32 %irq, ptr %handler, ptr null, i64 0, ptr null, ptr %dev)
  ret i32 %r
}
define internal i32 @one(i32 %irq, ptr %dev) { ret i32 1 }
define internal i32 @two(i32 %irq, ptr %dev) { ret i32 1 }
define i32 @init_module() {
entry:
  %irq = call i32 @__irkiss_nondet_u32()
  %c = icmp eq i32 %irq, 0
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %h = phi ptr [ @one, %entry ], [ @two, %a ]
  %r = call i32 @request(i32 %irq, ptr %h, ptr null)
  ret i32 %r
}
declare i32 @__irkiss_nondet_u32()
"#,
    );
    let discovery = found(&program);
    for name in ["one", "two"] {
        let handler = entry(&discovery, name);
        assert_eq!(handler.via, "request_threaded_irq#1");
        assert_eq!(
            (handler.context, handler.start),
            (Context::Hardirq, Start::Irq)
        );
    }
    let harness = harness_of(&program, &discovery);
    assert!(harness.function_named("__irkiss_slot").is_some());
}

#[test]
fn entry_option_selects_and_complains() {
    let program = nvram();
    let rules = Rules::built_in();
    let only = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        discover(&program, &rules, &names)
    };
    let one = only(&["nvram_misc_open"]).expect("there");
    assert_eq!(one.entries.len(), 2, "init stays: {:?}", names(&one));
    assert_eq!(
        only(&["nvram_opem"]).unwrap_err().to_string(),
        "--entry nvram_opem: no such function"
    );
    assert_eq!(
        only(&["misc_register"]).unwrap_err().to_string(),
        "--entry misc_register: the function has no body"
    );
}

#[test]
fn the_harness_has_one_wrapper_per_entry_point_that_is_a_thread() {
    let program = nvram();
    let discovery = found(&program);
    let harness = harness_of(&program, &discovery);
    for id in discovery.entries.ids() {
        let name = format!("__irkiss_entry_{}", id.index());
        if discovery.entries[id].phase == Phase::Init {
            assert!(harness.function_named(&name).is_none(), "{name}");
            continue;
        }
        let wrapper = harness
            .function_named(&name)
            .unwrap_or_else(|| panic!("{name}"));
        let calls = harness.functions[wrapper]
            .blocks
            .iter()
            .flat_map(|b| &b.instrs)
            .any(|i| match &i.op {
                Op::Call {
                    callee: irkiss::internals::program::Callee::Direct(f),
                    ..
                } => harness.functions[*f].name == discovery.entries[id].function,
                _ => false,
            });
        assert!(
            calls,
            "{name} does not call {}",
            discovery.entries[id].function
        );
    }
    for name in [
        "__irkiss_main",
        "__irkiss_harness_init",
        "__irkiss_pair_main",
        "__irkiss_entry_start",
        "__irkiss_born",
    ] {
        assert!(harness.function_named(name).is_some(), "{name}");
    }
    let referenced = harness::referenced_symbols(
        &program,
        &discovery.entries,
        &discovery.registrars,
        &discovery.identity,
    );
    assert!(referenced.contains("nvram_misc") && referenced.contains("nvram_misc_fops"));
}

/// Whether a function of a harness calls another.
fn calls(program: &Program, from: &str, to: &str) -> bool {
    let function = program
        .function_named(from)
        .unwrap_or_else(|| panic!("no {from}"));
    let mut instrs = program.functions[function]
        .blocks
        .iter()
        .flat_map(|b| &b.instrs);
    instrs.any(|i| match &i.op {
        Op::Call {
            callee: irkiss::internals::program::Callee::Direct(f),
            ..
        } => program.functions[*f].name == to,
        _ => false,
    })
}

/// dtlk: poll arms the timer, so poll may have run before a pair of which the timer is one; read does not.
#[test]
fn an_operation_that_arms_a_handler_may_have_run_before() {
    let program = with_types(
        &(String::from(
            r#"
%struct.file_operations = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, ptr, ptr, ptr }
%struct.timer_list = type { { ptr, ptr }, i64, ptr, i32 }
@timer = internal global %struct.timer_list { { ptr, ptr } zeroinitializer, i64 0, ptr @tick, i32 0 }, !dbg !100
@fops = internal constant %struct.file_operations { ptr null, ptr null, ptr @read, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr @ioctl, ptr null, ptr null, i64 0, ptr null, ptr null, ptr null }, !dbg !102
declare i32 @mod_timer(ptr, i64)
define internal void @tick(ptr %t) { ret void }
define internal i64 @read(ptr %f, ptr %b, i64 %n, ptr %p) { ret i64 0 }
define internal void @arm() {
  %r = call i32 @mod_timer(ptr @timer, i64 1)
  ret void
}
define internal i64 @ioctl(ptr %f, i32 %c, i64 %a) {
  call void @arm()
  ret i64 0
}
"#,
        ) + &variable(100, "timer", 30)
            + &variable(102, "fops", 10)),
    );
    let discovery = found(&program);
    let harness = harness_of(&program, &discovery);
    let wrapper = |name: &str| {
        let found = discovery
            .entries
            .iter_ids()
            .find(|(_, e)| e.function == name);
        format!("__irkiss_entry_{}", found.expect("found").0.index())
    };
    let id = |name: &str| {
        let mut all = discovery.entries.iter_ids();
        all.find(|(_, e)| e.function == name).expect("found").0
    };
    let told = |name: &str| harness.harness.entry(id(name)).expect("an entry point");
    assert_eq!(told("tick").before, [id("ioctl")]);
    assert!(told("read").before.is_empty() && told("ioctl").before.is_empty());
    assert_eq!(told("read").alike, told("ioctl").alike);
    assert_ne!(told("read").alike, told("tick").alike);
    assert_eq!(
        told("tick")
            .wrapper
            .and_then(|f| harness.harness.called_by(f)),
        Some(id("tick"))
    );
    assert!(calls(&harness, "__irkiss_warm", &wrapper("ioctl")));
    assert!(!calls(&harness, "__irkiss_warm", &wrapper("read")));
    assert!(calls(&harness, "__irkiss_warm_up", "__irkiss_warm"));
    assert!(calls(&harness, "__irkiss_pair_main", "__irkiss_warm_up"));
}

/// machzwd: `module_param(nowayout, bool, 0)`, also with the padding that KASAN puts behind it, and as a field; a text, which ends with
/// a zero; an array of two, which is counted.
#[test]
fn module_parameters_are_arbitrary() {
    let program = with_types(
        r#"
%struct.kernel_param = type { ptr, ptr, ptr, i16, i8, i8, { ptr } }
@param_ops_bool = external constant i8
@param_ops_charp = external constant i8
@name = internal constant [2 x i8] c"n\00"
@nowayout = internal global i8 1
@padded = internal global { i32, [28 x i8] } { i32 1, [28 x i8] zeroinitializer }
@fields = internal global { i32, i32 } zeroinitializer
@param_ops_int = external constant i8
@__param_padded = internal constant %struct.kernel_param { ptr @name, ptr null, ptr @param_ops_int, i16 0, i8 -1, i8 0, { ptr } { ptr @padded } }, section "__param"
@__param_field = internal constant %struct.kernel_param { ptr @name, ptr null, ptr @param_ops_int, i16 0, i8 -1, i8 0, { ptr } { ptr getelementptr (i8, ptr @fields, i64 4) } }, section "__param"
@text = internal global ptr null
@numbers = internal global [2 x i32] zeroinitializer
@count = internal global i32 0
@param_array_ops = external constant i8
@array = internal constant { i32, i32, ptr, ptr, ptr } { i32 2, i32 4, ptr @count, ptr @param_ops_int, ptr @numbers }
@__param_array = internal constant %struct.kernel_param { ptr @name, ptr null, ptr @param_array_ops, i16 0, i8 -1, i8 0, { ptr } { ptr @array } }, section "__param"
@__param_nowayout = internal constant %struct.kernel_param { ptr @name, ptr null, ptr @param_ops_bool, i16 0, i8 -1, i8 0, { ptr } { ptr @nowayout } }, section "__param"
@__param_text = internal constant %struct.kernel_param { ptr @name, ptr null, ptr @param_ops_charp, i16 0, i8 -1, i8 0, { ptr } { ptr @text } }, section "__param"
define i32 @init_module() { ret i32 0 }
"#,
    );
    let discovery = found(&program);
    assert!(
        harness::referenced_symbols(
            &program,
            &discovery.entries,
            &discovery.registrars,
            &discovery.identity
        )
        .contains("nowayout")
    );
    let harness = harness_of(&program, &discovery);
    let set = harness
        .function_named("__irkiss_set_parameters")
        .expect("there");
    let stores = harness.functions[set]
        .blocks
        .iter()
        .flat_map(|b| &b.instrs)
        .filter(|i| matches!(i.op, Op::Store { .. }))
        .count();
    assert_eq!(stores, 3 + 2 + 3);
    assert!(calls(
        &harness,
        "__irkiss_harness_init",
        "__irkiss_set_parameters"
    ));
}

#[test]
fn a_program_with_main_starts_there() {
    let program = decode_ll(
        "define i32 @main(i32 %c, ptr %v) { store i32 %c, ptr %v ret i32 0 }
         define void @before(i32 %c, ptr %v) { ret void }
         define void @after() { ret void }",
    )
    .expect("parses");
    let hooks = Hooks {
        constructors: vec!["before".to_string()],
        destructors: vec!["after".to_string()],
        ..Hooks::default()
    };
    let harness = harness::main_harness(&program, &hooks).expect("main");
    let harness = decode_ll(&harness).expect("parses");
    let start = harness.function_named("__irkiss_main").expect("there");
    let called = |block: &Block| -> Vec<String> {
        let direct = block.instrs.iter().filter_map(|i| match &i.op {
            Op::Call {
                callee: Callee::Direct(f),
                ..
            } => Some(harness.functions[*f].name.clone()),
            _ => None,
        });
        direct.collect()
    };
    let calls: Vec<String> = harness.functions[start]
        .blocks
        .iter()
        .flat_map(called)
        .collect();
    let expected = [
        "__irkiss_program_begins",
        "__irkiss_argument_count",
        "__irkiss_arguments",
        "before",
        "main",
        "exit",
        "__irkiss_program_ends",
    ];
    assert_eq!(calls, expected);
    let none = decode_ll("define i32 @f() { ret i32 0 }").expect("parses");
    assert!(harness::main_harness(&none, &Hooks::default()).is_err());
}

/// The struct that a table has tells whether others call through it: by where it is declared.
#[test]
fn tables_of_interfaces_are_entry_points_even_where_the_input_calls_through_them() {
    let program = |header: &str| {
        let text = format!(
            r#"
%struct.frob_operations = type {{ ptr, ptr }}
@ops = internal constant %struct.frob_operations {{ ptr @do_open, ptr null }}, !dbg !100
define internal i32 @do_open(ptr %t) {{ ret i32 0 }}
define i32 @use(ptr %o) {{
  %f = getelementptr %struct.frob_operations, ptr %o, i32 0, i32 1
  %p = load ptr, ptr %f
  %r = call i32 %p(ptr null)
  ret i32 %r
}}
!80 = !DIFile(filename: "{header}", directory: "/src")
!81 = !DICompositeType(tag: DW_TAG_structure_type, name: "frob_operations", file: !80, size: 128, elements: !82)
!82 = !{{!83, !84}}
!83 = !DIDerivedType(tag: DW_TAG_member, name: "frob", baseType: !6, size: 64)
!84 = !DIDerivedType(tag: DW_TAG_member, name: "mend", baseType: !6, size: 64, offset: 64)
"#
        );
        with_types(&(text + &variable(100, "ops", 81)))
    };
    let phase = |header: &str| entry(&found(&program(header)), "do_open").phase;
    assert_eq!(phase("include/linux/tty_driver.h"), Phase::Steady);
    assert_eq!(phase("drivers/tty/own.c"), Phase::Nested);
    assert_eq!(phase("drivers/tty/own.h"), Phase::Nested);
}

/// virtio-rng: a callback that goes through an inline helper into a local array is known by its signature.
#[test]
fn a_callback_kept_at_an_unknown_place_is_known_by_its_signature() {
    let text = r#"
declare i32 @find(ptr)
define internal void @done(ptr %vq) !dbg !90 { ret void }
define internal i32 @helper(ptr %callback) {
  %array = alloca [1 x ptr]
  store ptr %callback, ptr %array
  %r = call i32 @find(ptr %array)
  ret i32 %r
}
define i32 @probe() {
  %r = call i32 @helper(ptr @done)
  ret i32 %r
}
!90 = distinct !DISubprogram(name: "done", file: !2, line: 3, type: !91, unit: !0, spFlags: DISPFlagDefinition)
!91 = !DISubroutineType(types: !92)
!92 = !{null, !93}
!93 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !94, size: 64)
!94 = !DICompositeType(tag: DW_TAG_structure_type, name: "virtqueue", size: 256, elements: !61)
"#;
    let discovery = found(&with_types(text));
    assert_eq!(entry(&discovery, "done").via, "virtqueue.callback");
    assert_eq!(entry(&discovery, "done").phase, Phase::Steady);
}

#[test]
fn attributes_in_dev_groups_are_gone_before_the_driver_is_removed() {
    let driver = |groups: &str, more: &str| {
        let text = format!(
            r#"
%struct.usb_driver = type {{ ptr, ptr, ptr, ptr }}
%struct.device_attribute = type {{ ptr, i64, ptr, ptr }}
%struct.attribute_group = type {{ ptr, ptr, ptr, ptr }}
@dev_attr_level = internal global %struct.device_attribute {{ ptr null, i64 0, ptr @level_show, ptr null }}, !dbg !200
@attrs = internal global [2 x ptr] [ptr @dev_attr_level, ptr null]
@group = internal constant %struct.attribute_group {{ ptr null, ptr null, ptr null, ptr @attrs }}, !dbg !202
@groups = internal global [2 x ptr] [ptr @group, ptr null]
@driver = internal global %struct.usb_driver {{ ptr null, ptr null, ptr @gone, ptr {groups} }}, !dbg !204
define internal i64 @level_show(ptr %d, ptr %a, ptr %b) {{ ret i64 0 }}
define internal void @gone(ptr %i) {{ ret void }}
declare i32 @usb_register_driver(ptr, ptr, ptr)
declare i32 @sysfs_create_group(ptr, ptr)
define i32 @init_module() {{
  %r = call i32 @usb_register_driver(ptr @driver, ptr null, ptr null)
  {more}
  ret i32 %r
}}
!80 = !DICompositeType(tag: DW_TAG_structure_type, name: "device_attribute", size: 256, elements: !81)
!81 = !{{!82, !83}}
!82 = !DIDerivedType(tag: DW_TAG_member, name: "attr", baseType: !3, size: 128)
!83 = !DIDerivedType(tag: DW_TAG_member, name: "show", baseType: !6, size: 64, offset: 128)
!84 = !DICompositeType(tag: DW_TAG_structure_type, name: "attribute_group", size: 256, elements: !85)
!85 = !{{!86}}
!86 = !DIDerivedType(tag: DW_TAG_member, name: "attrs", baseType: !3, size: 64, offset: 192)
!87 = !DICompositeType(tag: DW_TAG_structure_type, name: "usb_driver", size: 256, elements: !88)
!88 = !{{!89, !90}}
!89 = !DIDerivedType(tag: DW_TAG_member, name: "disconnect", baseType: !6, size: 64, offset: 128)
!90 = !DIDerivedType(tag: DW_TAG_member, name: "dev_groups", baseType: !3, size: 64, offset: 192)
"#
        );
        let text = text
            + &variable(200, "dev_attr_level", 80)
            + &variable(202, "group", 84)
            + &variable(204, "driver", 87);
        let program = with_types(&text);
        let discovery = found(&program);
        EntryPoint::never_overlap(entry(&discovery, "level_show"), entry(&discovery, "gone"))
    };
    let reason = driver("@groups", "").expect("kept apart");
    assert!(
        reason.contains("removes dev_groups before usb_driver.disconnect"),
        "{reason}"
    );
    assert_eq!(driver("null", ""), None);
    // A group that is made elsewhere too is not gone with dev_groups.
    let twice = "%s = call i32 @sysfs_create_group(ptr null, ptr @group)";
    assert_eq!(driver("@groups", twice), None);
}

#[test]
fn a_constant_oneshot_flag_keeps_the_handler_off_its_thread() {
    let with = |flags: &str, more: &str, declared: &str| {
        let program = with_types(&format!(
            "declare i32 @request_threaded_irq(i32, ptr, ptr, i64, ptr, ptr)\n\
             {declared}\n\
             define internal i32 @hard(i32 %irq, ptr %d) {{ ret i32 2 }}\n\
             define internal i32 @soft(i32 %irq, ptr %d) {{ ret i32 1 }}\n\
             define i32 @init_module() {{\n  %f = call i64 @flags()\n  {more}\n  \
             %r = call i32 @request_threaded_irq(i32 5, ptr @hard, ptr @soft, i64 {flags}, ptr null, ptr null)\n  ret i32 %r\n}}\n\
             declare i64 @flags()\n"
        ));
        let discovery = found(&program);
        EntryPoint::never_overlap(entry(&discovery, "hard"), entry(&discovery, "soft"))
    };
    let driver = |flags: &str, more: &str| with(flags, more, "");
    assert_eq!(driver("8320", "").as_deref(), Some("IRQF_ONESHOT"));
    let message_signalled = "declare i32 @pci_alloc_irq_vectors(ptr, i32, i32, i32)";
    assert_eq!(with("8320", "", message_signalled), None);
    for (flags, more) in [
        ("128", ""),
        ("%f", ""),
        // Edge-triggered.
        ("8193", ""),
        (
            "8192",
            "%o = call i32 @request_threaded_irq(i32 6, ptr @hard, ptr @soft, i64 0, ptr null, ptr null)",
        ),
    ] {
        assert_eq!(driver(flags, more), None, "{flags} {more}");
    }
}

#[test]
fn what_stands_in_two_places_is_kept_apart_by_what_holds_in_both() {
    let program = |second: &str| {
        let text = format!(
            r#"
%struct.dev_pm_ops = type {{ ptr, ptr, ptr }}
%struct.usb_driver = type {{ ptr }}
%struct.device_attribute = type {{ ptr }}
@pm = internal constant %struct.dev_pm_ops {{ ptr @sleep, ptr @wake, ptr {second} }}, !dbg !200
@driver = internal global %struct.usb_driver {{ ptr @gone }}, !dbg !202
@attribute = internal global %struct.device_attribute {{ ptr @show }}, !dbg !204
declare i32 @take(ptr, ptr)
define internal i32 @sleep(ptr %d) {{ ret i32 0 }}
define internal i32 @wake(ptr %d) {{ ret i32 0 }}
define internal void @gone(ptr %i) {{ ret void }}
define internal i64 @show(ptr %d, ptr %a, ptr %b) {{ ret i64 0 }}
define i32 @init_module() {{
  %r = call i32 @take(ptr @driver, ptr @pm)
  %s = call i32 @take(ptr @attribute, ptr null)
  ret i32 %r
}}
!80 = !DICompositeType(tag: DW_TAG_structure_type, name: "dev_pm_ops", size: 192, elements: !81)
!81 = !{{!82, !83, !84}}
!82 = !DIDerivedType(tag: DW_TAG_member, name: "suspend", baseType: !6, size: 64)
!83 = !DIDerivedType(tag: DW_TAG_member, name: "resume", baseType: !6, size: 64, offset: 64)
!84 = !DIDerivedType(tag: DW_TAG_member, name: "runtime_suspend", baseType: !6, size: 64, offset: 128)
!87 = !DICompositeType(tag: DW_TAG_structure_type, name: "usb_driver", size: 64, elements: !88)
!88 = !{{!89}}
!89 = !DIDerivedType(tag: DW_TAG_member, name: "disconnect", baseType: !6, size: 64)
!90 = !DICompositeType(tag: DW_TAG_structure_type, name: "device_attribute", size: 64, elements: !91)
!91 = !{{!92}}
!92 = !DIDerivedType(tag: DW_TAG_member, name: "show", baseType: !6, size: 64)
"#
        );
        let globals = variable(200, "pm", 80) + &variable(202, "driver", 87);
        with_types(&(text + &globals + &variable(204, "attribute", 90)))
    };
    let apart = |second: &str, other: &str| {
        let discovery = found(&program(second));
        EntryPoint::never_overlap(entry(&discovery, "sleep"), entry(&discovery, other))
    };
    // A system that goes to sleep: the device is locked, processes are frozen.
    assert_eq!(apart("null", "gone").as_deref(), Some("device_lock"));
    let frozen = Some("never beside device_attribute.show");
    assert_eq!(apart("null", "show").as_deref(), frozen);
    // The same function for a device that is not in use.
    assert_eq!(apart("@sleep", "gone"), None);
    assert_eq!(apart("@sleep", "show"), None);
    // The kernel uses a device while the system goes to sleep, so it is not suspended meanwhile.
    assert_eq!(apart("@sleep", "sleep").as_deref(), Some("not reentrant"));
}

#[test]
fn what_one_run_registers_on_paths_apart_is_never_both_there() {
    let apart = |polls: &str, asks: &str, more: &str| {
        let program = with_types(&format!(
            "declare i32 @request_threaded_irq(i32, ptr, ptr, i64, ptr, ptr)\n\
             declare ptr @kthread_create_on_node(ptr, ptr, i32, ptr, ...)\n\
             declare i1 @either()\n\
             define internal i32 @poll(ptr %d) {{ ret i32 0 }}\n\
             define internal i32 @handler(i32 %irq, ptr %d) {{ ret i32 1 }}\n\
             define internal void @begin() {{\n  \
             %t = call ptr (ptr, ptr, i32, ptr, ...) @kthread_create_on_node(ptr @poll, ptr null, i32 -1, ptr null)\n  ret void\n}}\n\
             {more}\n\
             define i32 @init_module() {{\n  br label %again\nagain:\n  %c = call i1 @either()\n  \
             br i1 %c, label %polls, label %asks\npolls:\n  call void @begin()\n  {polls}\nasks:\n  \
             %r = call i32 @request_threaded_irq(i32 5, ptr @handler, ptr null, i64 0, ptr null, ptr null)\n  {asks}\n}}\n"
        ));
        let discovery = found(&program);
        EntryPoint::never_overlap(entry(&discovery, "poll"), entry(&discovery, "handler"))
    };
    let over = "ret i32 0";
    assert_eq!(
        apart(over, over, "").as_deref(),
        Some("of one device init_module registers the one or the other")
    );
    assert_eq!(apart("br label %asks", over, ""), None);
    assert_eq!(apart(over, "br label %again", ""), None);
    // Who else asks for a thread may do so beside the interrupt.
    let other = "define void @other() { call void @begin() ret void }";
    assert_eq!(apart(over, over, other), None);
    let kept = "@kept = global ptr @begin";
    assert_eq!(apart(over, over, kept), None);
}

/// Attributes with a number in each, of which a table holds some, and what the input makes of single ones.
fn numbered(more: &str) -> Program {
    let text = format!(
        r#"
%struct.device_attribute = type {{ ptr, i64, ptr, ptr }}
%struct.attribute_group = type {{ ptr, ptr, ptr, ptr }}
@a0 = internal global %struct.device_attribute {{ ptr null, i64 0, ptr @show, ptr null }}, !dbg !200
@a1 = internal global %struct.device_attribute {{ ptr null, i64 1, ptr @show, ptr null }}, !dbg !202
@a2 = internal global %struct.device_attribute {{ ptr null, i64 2, ptr @show, ptr null }}, !dbg !204
@a3 = internal global %struct.device_attribute {{ ptr null, i64 3, ptr @show, ptr null }}, !dbg !206
@attrs = internal global [4 x ptr] [ptr @a0, ptr @a1, ptr @a2, ptr null]
@group = internal constant %struct.attribute_group {{ ptr null, ptr null, ptr null, ptr @attrs }}, !dbg !208
@others = internal global [2 x ptr] [ptr @a3, ptr null]
@other = internal constant %struct.attribute_group {{ ptr null, ptr null, ptr null, ptr @others }}, !dbg !210
define internal i64 @show(ptr %d, ptr %a, ptr %b) {{ ret i64 0 }}
declare i32 @sysfs_create_group(ptr, ptr)
declare i32 @device_create_file(ptr, ptr)
declare ptr @something()
define i32 @init_module() {{
  %r = call i32 @sysfs_create_group(ptr null, ptr @group)
  %s = call i32 @sysfs_create_group(ptr null, ptr @other)
  {more}
  ret i32 %r
}}
!80 = !DICompositeType(tag: DW_TAG_structure_type, name: "device_attribute", size: 256, elements: !81)
!81 = !{{!82, !83}}
!82 = !DIDerivedType(tag: DW_TAG_member, name: "attr", baseType: !3, size: 128)
!83 = !DIDerivedType(tag: DW_TAG_member, name: "show", baseType: !6, size: 64, offset: 128)
!84 = !DICompositeType(tag: DW_TAG_structure_type, name: "attribute_group", size: 256, elements: !85)
!85 = !{{!86}}
!86 = !DIDerivedType(tag: DW_TAG_member, name: "attrs", baseType: !3, size: 64, offset: 192)
"#
    );
    let text = text
        + &variable(200, "a0", 80)
        + &variable(202, "a1", 80)
        + &variable(204, "a2", 80)
        + &variable(206, "a3", 80)
        + &variable(208, "group", 84)
        + &variable(210, "other", 84);
    with_types(&text)
}

#[test]
fn attributes_that_come_and_go_together_are_one_entry_point() {
    let objects = |more: &str| -> Vec<(usize, usize)> {
        let discovery = found(&numbered(more));
        let shows = discovery.entries.iter().filter(|e| e.function == "show");
        let each = shows.map(|e| match &e.parameters[1] {
            Parameter::OneOf(places) => (places.len(), e.alike.len()),
            Parameter::Global(..) => (1, e.alike.len()),
            other => panic!("{other:?}"),
        });
        each.collect()
    };
    // Those of one group; that of another comes by another call.
    assert_eq!(objects(""), [(3, 2), (1, 0)]);
    // One that is made by itself, too, may be there without the others.
    let alone = "%t = call i32 @device_create_file(ptr null, ptr @a1)";
    assert_eq!(objects(alone), [(2, 1), (1, 0), (1, 0)]);
    // What is made is any attribute that the input can name, and that is none of those.
    let any = "%a = call ptr @something()\n  %t = call i32 @device_create_file(ptr null, ptr %a)";
    assert_eq!(objects(any), [(3, 2), (1, 0)]);
    let any = "%p = getelementptr ptr, ptr @attrs, i64 1\n  %q = select i1 true, ptr %p, ptr null\n  \
               %a = load ptr, ptr %q\n  %t = call i32 @device_create_file(ptr null, ptr %a)";
    assert_eq!(objects(any), [(1, 0); 4]);
}
