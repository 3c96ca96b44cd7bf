//! High-resolution timers that run in softirq: those that are set up with `HRTIMER_MODE_SOFT`.

use super::types::{Definitions, Target, member_offset};
use crate::environment::entry::{Context, EntryPoint};
use crate::program::{Callee, Const, Op, Operand, Program};

/// Where the timer at an address lies, if `part` says in which struct.
fn lies(
    program: &Program,
    definitions: &Definitions<'_>,
    address: &Operand,
    (part, inside): (Option<(String, u64)>, u64),
) -> Within {
    match definitions.targets(address).as_slice() {
        [Target::Global(global, offset)] => {
            let name = format!("@{}", program.globals[*global].name);
            Some((name, offset.checked_sub_unsigned(inside)?))
        }
        _ => part.and_then(|(of, at)| Some((of, i64::try_from(at).ok()?))),
    }
}

/// The functions that set a timer up, and which argument has the mode (kernel/time/hrtimer.c: __hrtimer_init keeps it in `is_soft`; what
/// the start says has no effect). The first argument is the timer.
const SETS_UP: [(&str, usize); 5] = [
    ("hrtimer_init", 2),
    ("hrtimer_init_on_stack", 2),
    ("hrtimer_init_sleeper", 2),
    ("hrtimer_setup", 3),
    ("hrtimer_setup_on_stack", 3),
];

/// `HRTIMER_MODE_SOFT` (include/linux/hrtimer.h).
const SOFT: u128 = 4;

/// The place that handlers of such timers stand at.
const PLACE: &str = "hrtimer.function";

/// Where a timer lies: the variable, or the struct around it, and where in that.
type Within = Option<(String, i64)>;

/// What the input says of its timers.
#[derive(Default)]
struct Said {
    /// Each timer that is set up, and whether it runs in softirq.
    timers: Vec<(Within, bool)>,
    /// Each handler that is stored, and the timer.
    handlers: Vec<(String, Within)>,
}

/// Notes them: where all of the input's timers are soft, or all that lie where the one of a handler does.
pub fn find(program: &Program, entries: &mut [EntryPoint]) {
    if !entries.iter().any(|e| e.via == PLACE) {
        return;
    }
    let said = said(program);
    let soft = |mut which: Vec<bool>| !which.is_empty() && which.drain(..).all(|soft| soft);
    let all = soft(said.timers.iter().map(|(_, soft)| *soft).collect());
    for entry in entries.iter_mut().filter(|e| e.via == PLACE) {
        let own = said.handlers.iter().filter(|(f, _)| *f == entry.function);
        let is_soft = |(_, at): &(String, Within)| {
            let same = said
                .timers
                .iter()
                .filter(|(of, _)| at.is_some() && of == at);
            soft(same.map(|(_, soft)| *soft).collect())
        };
        let mut own = own.peekable();
        if all || own.peek().is_some() && own.all(is_soft) {
            entry.context = Context::Softirq;
        }
    }
}

fn said(program: &Program) -> Said {
    let mut said = Said::default();
    let function_at = member_offset(program, "hrtimer", "function").unwrap_or(0);
    for function in program.functions.iter().filter(|f| f.is_defined()) {
        let definitions = Definitions::new(function);
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            match &instr.op {
                Op::Call {
                    callee: Callee::Direct(callee),
                    args,
                    ..
                } => {
                    let name = program.functions[*callee].name.as_str();
                    let known = SETS_UP.iter().find(|(f, _)| *f == name);
                    let Some((timer, mode)) =
                        known.and_then(|(_, n)| Some((args.first()?, args.get(*n)?)))
                    else {
                        continue;
                    };
                    let soft = matches!(mode, Operand::Const(Const::Int { value, .. }) if value & SOFT != 0);
                    let part = (definitions.part_of(timer), 0);
                    said.timers
                        .push((lies(program, &definitions, timer, part), soft));
                }
                Op::Store { ptr, value, .. } => {
                    let place = definitions.place(program, ptr);
                    if place.is_none_or(|p| p.name() != PLACE) {
                        continue;
                    }
                    let part = (definitions.around(ptr), function_at);
                    let at = lies(program, &definitions, ptr, part);
                    for target in definitions.targets(value) {
                        if let Target::Function(f) = target {
                            let name = program.functions[f].name.clone();
                            said.handlers.push((name, at.clone()));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    said
}
