//! What initialisation waits for (runtime-stubs/linux/wait.c: an answer comes though the handler that brings it is no thread yet).
//!
//! So it is for a call that comes before a pair (earlier.rs, prologue.rs).
//!
//! Where every completion that initialisation waits for is one, told by its field or variable, and only handlers that are armed and do not arm
//! themselves again complete it, the answer has come from one of these: it has run and is armed no longer. Elsewhere nothing is known of
//! who answered, and all stays armed; a call before the pair has not come to its end then.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::environment::discover::{Definitions, Target, pointee};
use crate::environment::earlier::opens_or_releases;
use crate::environment::entry::{EntryPoint, EntryPoints, Phase, Start};
use crate::environment::rules::Effect;
use crate::index::{DebugTypeId, FuncId, Idx};
use crate::program::{Callee, Function, Op, Operand, Program};

/// Ghost key of the harness: whether a call is under way that comes before a pair (prelude.ll sets it).
const IN_EARLIER: u32 = 512 + 23;

/// Functions that complete what their first argument is (kernel/sched/completion.c).
const COMPLETES: [&str; 2] = ["complete", "complete_all"];
/// The beginning of the names of those that wait for it.
const WAITS: &str = "wait_for_completion";
/// The struct of a completion.
const COMPLETION: &str = "completion";

/// What direct calls lead to.
#[derive(Default)]
struct Reach<'p> {
    /// The functions of the environment that are called.
    outside: BTreeSet<&'p str>,
    /// The completions that are completed, or waited for; nothing for one that is not known.
    completes: BTreeSet<Option<String>>,
    waits: BTreeSet<Option<String>>,
    /// Whether a pointer is called.
    astray: bool,
}

/// Text of `__irkiss_answered`.
pub fn answered(program: &Program, entries: &EntryPoints) -> String {
    let initialising = answerers(program, entries, &|e| e.phase == Phase::Init);
    let earlier = answerers(program, entries, &|e| {
        e.phase == Phase::Steady && !opens_or_releases(e)
    });
    // Nothing else runs beside a call before the pair: where nobody can have answered, it is still waiting. An interrupt comes at any time.
    let interrupts = entries.iter().filter(|e| e.start == Start::Irq);
    let mut interrupts = interrupts.filter_map(|e| reach(program, e));
    let unknown = match interrupts.any(|r| !r.completes.is_empty()) {
        true => "done",
        false => "never",
    };
    format!(
        "define void @__irkiss_answered() {{\n  \
         %earlier = call i64 @__irkiss_ghost_get(ptr @__irkiss_harness_state, i32 {IN_EARLIER})\n  \
         %is.earlier = icmp ne i64 %earlier, 0\n  br i1 %is.earlier, label %before, label %initial\n\
         before:\n{}initial:\n{}\
         never:\n  call void @__irkiss_assume(i1 zeroext false)\n  br label %done\ndone:\n  ret void\n}}\n",
        one_of("b", &earlier, unknown),
        one_of("i", &initialising, "done"),
    )
}

/// Takes the handler of one of them that is armed; goes to `none` where none is.
fn one_of(prefix: &str, answerers: &[usize], none: &str) -> String {
    let (mut text, mut any) = (String::new(), "false".to_string());
    for n in answerers {
        let _ = write!(
            text,
            "  %{prefix}a{n} = call zeroext i1 @__irkiss_is_armed(ptr @__irkiss_slot.{n})\n  \
             %{prefix}any{n} = or i1 {any}, %{prefix}a{n}\n"
        );
        any = format!("%{prefix}any{n}");
    }
    let _ = write!(
        text,
        "  br i1 {any}, label %{prefix}first, label %{none}\n{prefix}first:\n"
    );
    for (k, n) in answerers.iter().enumerate() {
        let _ = write!(
            text,
            "  %{prefix}d{n} = call zeroext i1 @__irkiss_nondet_bool()\n  %{prefix}t{n} = and i1 %{prefix}a{n}, %{prefix}d{n}\n  \
             br i1 %{prefix}t{n}, label %{prefix}take{n}, label %{prefix}next{k}\n{prefix}take{n}:\n  \
             %{prefix}o{n} = load volatile ptr, ptr @__irkiss_slot.{n}\n  \
             %{prefix}p{n} = call zeroext i1 @__irkiss_cancel(ptr %{prefix}o{n}, i32 {})\n  br label %done\n{prefix}next{k}:\n",
            Effect::Disarms.bit()
        );
    }
    text.push_str("  br label %never\n");
    text
}

/// The handlers of which one has answered those who wait, where that is known.
fn answerers(
    program: &Program,
    entries: &EntryPoints,
    may_wait: &dyn Fn(&EntryPoint) -> bool,
) -> Vec<usize> {
    let mut waited = BTreeSet::new();
    for entry in entries.iter().filter(|e| may_wait(e)) {
        let Some(reach) = reach(program, entry) else {
            return Vec::new();
        };
        waited.extend(reach.waits);
    }
    let [Some(_)] = waited.iter().collect::<Vec<_>>()[..] else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (id, entry) in entries.iter_ids() {
        if !matches!(entry.phase, Phase::Steady | Phase::Nested) {
            continue;
        }
        let Some(reach) = reach(program, entry) else {
            return Vec::new();
        };
        let completes = &reach.completes;
        if completes.is_disjoint(&waited) && !completes.contains(&None) && !reach.astray {
            continue;
        }
        // What may call anything and completes nothing itself is taken not to.
        if completes.is_empty() {
            continue;
        }
        let handler = entry.start == Start::Armed && !entry.via.starts_with("kthread_");
        if !handler || *completes != waited || reach.astray || arms_itself(entry, &reach) {
            return Vec::new();
        }
        found.push(id.index());
    }
    found
}

/// Whether it may call what starts it.
fn arms_itself(entry: &EntryPoint, reach: &Reach<'_>) -> bool {
    let starts = entry
        .changes
        .iter()
        .filter(|c| c.effects.contains(&Effect::Starts));
    let mut starts = starts.map(|c| c.function.as_str());
    starts.any(|f| reach.outside.contains(f))
}

fn reach<'p>(program: &'p Program, entry: &EntryPoint) -> Option<Reach<'p>> {
    let from = program.function_named(&entry.function)?;
    let mut reach = Reach::default();
    let mut seen = BTreeSet::from([from]);
    let mut work: Vec<FuncId> = vec![from];
    while let Some(function) = work.pop() {
        let function = &program.functions[function];
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            match &instr.op {
                Op::Call {
                    callee: Callee::Direct(callee),
                    args,
                    ..
                } => {
                    let called = &program.functions[*callee];
                    let name = called.name.as_str();
                    let completion = || completion(program, function, args.first());
                    if COMPLETES.contains(&name) {
                        reach.completes.insert(completion());
                    } else if name.starts_with(WAITS) {
                        reach.waits.insert(completion());
                    }
                    match called.is_defined() {
                        true if seen.insert(*callee) => work.push(*callee),
                        true => {}
                        false => drop(reach.outside.insert(name)),
                    }
                }
                Op::Call { .. } => reach.astray = true,
                _ => {}
            }
        }
    }
    Some(reach)
}

/// The completion that an argument leads to, by name: a variable, or a field of a struct.
fn completion(
    program: &Program,
    function: &Function,
    argument: Option<&Operand>,
) -> Option<String> {
    let argument = argument?;
    let definitions = Definitions::new(function);
    match definitions.targets(argument)[..] {
        [Target::Global(global, offset)] => {
            return Some(format!("{}+{offset}", program.globals[global].name));
        }
        [] => {}
        _ => return None,
    }
    field(program, function, &definitions, argument)
        .map(|(structure, offset)| format!("{structure}+{offset}"))
}

/// The struct that an address lies in, by what is known of it, and how far behind its beginning.
fn field(
    program: &Program,
    function: &Function,
    definitions: &Definitions<'_>,
    address: &Operand,
) -> Option<(String, i64)> {
    let (mut operand, mut offset) = (address, 0);
    let outer = |ty: Option<DebugTypeId>, offset: i64| {
        let name = program
            .debug_types
            .get(pointee(program, ty?)?)?
            .name
            .clone();
        (name != COMPLETION && !name.is_empty()).then_some((name, offset))
    };
    loop {
        let Operand::Value(value) = operand else {
            return None;
        };
        match definitions.of(*value).map(|i| &i.op) {
            Some(Op::Gep {
                field: Some(field), ..
            }) if field.struct_name != COMPLETION => {
                return Some((field.struct_name.clone(), field.offset as i64 + offset));
            }
            Some(Op::Gep {
                base,
                offset: more,
                scaled,
                ..
            }) if scaled.is_empty() => {
                offset += more;
                operand = base;
            }
            Some(Op::Cast { value, .. }) => operand = value,
            Some(Op::Load { ptr, .. }) => {
                return outer(definitions.place(program, ptr)?.ty, offset);
            }
            None => {
                let n = function.params.iter().position(|p| p == value)?;
                return outer(*function.param_types.get(n)?, offset);
            }
            _ => return None,
        }
    }
}
