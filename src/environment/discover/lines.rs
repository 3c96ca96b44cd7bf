//! Interrupt handlers of lines that are other devices', too: they are called as soon as they are registered.
//!
//! Whoever registers the handler of a line of its own may not have enabled its device yet, which then interrupts nobody; nothing tells
//! whether it has. Every action of a shared line is called whenever one of its devices interrupts (kernel/irq/handle.c:
//! __handle_irq_event_percpu).

use super::types::{Definitions, Target};
use crate::environment::entry::{Context, EntryPoint, Start};
use crate::program::{Callee, Const, Op, Operand, Program};

/// The functions that register handlers, and which argument has the flags (include/linux/interrupt.h; kernel/irq/manage.c; kernel/irq/devres.c).
const REGISTERS: [(&str, usize); 5] = [
    ("request_irq", 2),
    ("request_threaded_irq", 3),
    ("request_any_context_irq", 2),
    ("devm_request_irq", 3),
    ("devm_request_threaded_irq", 4),
];

/// `IRQF_SHARED` (include/linux/interrupt.h).
const SHARED: u128 = 0x80;

/// Notes them.
pub fn find(program: &Program, entries: &mut [EntryPoint]) {
    let mut shared: Vec<&str> = Vec::new();
    for function in program.functions.iter() {
        let definitions = Definitions::new(function);
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let Op::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } = &instr.op
            else {
                continue;
            };
            let name = program.functions[*callee].name.as_str();
            let known = REGISTERS.iter().find(|(f, _)| *f == name);
            let flags = known.and_then(|(_, n)| args.get(*n));
            let is_shared = |flags: &Operand| match flags {
                Operand::Const(Const::Int { value, .. }) => value & SHARED != 0,
                _ => false,
            };
            if flags.is_some_and(is_shared) {
                let targets = args.iter().flat_map(|a| definitions.targets(a));
                shared.extend(targets.filter_map(|t| match t {
                    Target::Function(f) => Some(program.functions[f].name.as_str()),
                    _ => None,
                }));
            }
        }
    }
    for entry in entries {
        // What runs in a thread waits for the other one's answer.
        entry.shares_line = entry.start == Start::Irq
            && entry.context == Context::Hardirq
            && shared.contains(&entry.function.as_str());
    }
}
