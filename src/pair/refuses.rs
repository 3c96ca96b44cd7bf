//! Functions that can return nothing but errors, as their code says.
//!
//! Such is the probe of a driver that only prepares a device (loads what it runs, and leaves it to another driver: Linux 6.1,
//! drivers/usb/misc/emi26.c: `emi26_probe`). However many rounds of its loops are executed, no device is ever bound by it. Only constants
//! that the function itself chooses among are looked at: what it returns of another function's result may be success.

use std::collections::BTreeSet;

use crate::environment::entry::{EntryPoint, EntryPoints, is_probe};
use crate::index::ValueId;
use crate::program::{Const, Function, Op, Operand, Program, Terminator};

/// The probes of the drivers.
pub(super) fn probes(entries: &EntryPoints) -> impl Iterator<Item = &EntryPoint> {
    entries.iter().filter(|e| is_probe(entries, e))
}

/// Whether there are probes, and none of them can ever succeed.
pub(super) fn no_probe_succeeds(program: &Program, entries: &EntryPoints) -> bool {
    let of = |e: &EntryPoint| program.function_named(&e.function);
    let never = |e: &EntryPoint| of(e).is_some_and(|f| fails_always(&program.functions[f]));
    probes(entries).next().is_some() && probes(entries).all(never)
}

/// Whether all that a function returns are negative constants.
fn fails_always(function: &Function) -> bool {
    let blocks = || function.blocks.iter();
    let returned = blocks().filter_map(|b| match &b.term {
        Terminator::Return(value) => Some(value.as_ref()),
        _ => None,
    });
    let mut open: Vec<&Operand> = Vec::new();
    for value in returned {
        let Some(value) = value else {
            return false;
        };
        open.push(value);
    }
    let mut seen: BTreeSet<ValueId> = BTreeSet::new();
    let mut some = false;
    while let Some(operand) = open.pop() {
        let value = match operand {
            Operand::Const(constant) if is_negative(constant) => {
                some = true;
                continue;
            }
            Operand::Const(_) => return false,
            Operand::Value(value) => *value,
        };
        if !seen.insert(value) {
            continue;
        }
        let mut instrs = blocks().flat_map(|b| &b.instrs);
        match instrs.find(|i| i.result == Some(value)).map(|i| &i.op) {
            Some(Op::Phi(items)) => open.extend(items.iter().map(|(_, v)| v)),
            Some(Op::Select {
                if_true, if_false, ..
            }) => open.extend([if_true, if_false]),
            _ => return false,
        }
    }
    some
}

fn is_negative(constant: &Const) -> bool {
    match constant {
        Const::Int { bits, value } => *bits > 0 && value >> (bits - 1) & 1 == 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::decode::decode_ll;

    /// Whether the function of that text returns errors alone.
    fn fails(body: &str) -> bool {
        let text = format!("define i32 @probe(i1 %c, i32 %n) {{\n{body}\n}}\n");
        let program = decode_ll(&text).expect("decodes");
        let probe = program.function_named("probe").expect("is there");
        fails_always(&program.functions[probe])
    }

    #[test]
    fn what_it_chooses_among_errors_is_one() {
        assert!(fails("ret i32 -5"));
        assert!(fails("%r = select i1 %c, i32 -5, i32 -12\nret i32 %r"));
        assert!(fails(
            "entry:\nbr label %loop\nloop:\n%r = phi i32 [ -19, %entry ], [ %s, %loop ]\n\
             %s = select i1 %c, i32 %r, i32 -5\nbr i1 %c, label %loop, label %out\nout:\nret i32 %s"
        ));
    }

    #[test]
    fn success_and_what_is_not_known_are_none() {
        assert!(!fails("ret i32 0"));
        assert!(!fails("%r = select i1 %c, i32 -5, i32 0\nret i32 %r"));
        assert!(!fails("%r = select i1 %c, i32 -5, i32 %n\nret i32 %r"));
        assert!(!fails("%r = add i32 %n, -5\nret i32 %r"));
        assert!(!fails("unreachable"));
    }
}
