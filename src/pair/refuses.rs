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
