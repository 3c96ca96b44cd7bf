//! What initialisation waits for (runtime-stubs/linux/wait.c: an answer comes though the handler that brings it is no thread yet).
//!
//! Where every completion that initialisation waits for is one, told by its field or variable, and only handlers that are armed and do not arm
//! themselves again complete it, the answer has come from one of these: it has run and is armed no longer. Elsewhere nothing is known of
//! who answered, and all stays armed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::environment::discover::{Definitions, Target, pointee};
use crate::environment::entry::{EntryPoint, EntryPoints, Phase, Start};
use crate::environment::rules::Effect;
use crate::index::{DebugTypeId, FuncId, Idx};
use crate::program::{Callee, Function, Op, Operand, Program};

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
    let answerers = answerers(program, entries);
    let (mut text, mut any) = (String::new(), "false".to_string());
    for n in &answerers {
        let _ = write!(
            text,
            "  %a{n} = call zeroext i1 @__irkiss_is_armed(ptr @__irkiss_slot.{n})\n  %any{n} = or i1 {any}, %a{n}\n"
        );
        any = format!("%any{n}");
    }
    let _ = write!(text, "  br i1 {any}, label %first, label %done\nfirst:\n");
    for (k, n) in answerers.iter().enumerate() {
        let _ = write!(
            text,
            "  %d{n} = call zeroext i1 @__irkiss_nondet_bool()\n  %t{n} = and i1 %a{n}, %d{n}\n  \
             br i1 %t{n}, label %take{n}, label %next{k}\ntake{n}:\n  %o{n} = load volatile ptr, ptr @__irkiss_slot.{n}\n  \
             %p{n} = call zeroext i1 @__irkiss_cancel(ptr %o{n}, i32 {})\n  br label %done\nnext{k}:\n",
            Effect::Disarms.bit()
        );
    }
    format!(
        "define void @__irkiss_answered() {{\n{text}  call void @__irkiss_assume(i1 zeroext false)\n  br label %done\ndone:\n  ret void\n}}\n"
    )
}

/// The handlers of which one has answered, where that is known.
fn answerers(program: &Program, entries: &EntryPoints) -> Vec<usize> {
    let mut waited = BTreeSet::new();
    for entry in entries.iter().filter(|e| e.phase == Phase::Init) {
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
