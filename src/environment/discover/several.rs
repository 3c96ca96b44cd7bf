//! Entry points of an object of which the device has several.

use std::collections::BTreeSet;

use crate::environment::entry::{EntryPoint, OneOf, Parameter};
use crate::environment::rules::Rules;
use crate::program::{Callee, Const, Op, Operand, Program};

/// Notes of each entry point that gets one of several objects which one.
pub fn find(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    for rule in rules.several() {
        let told = rule.told.split_once('#');
        let place = told.and_then(|(function, n)| Some((function, n.parse().ok()?)));
        if !place.is_some_and(|(function, n)| tells_several(program, function, n, rule.counts)) {
            continue;
        }
        let gets = |e: &&mut EntryPoint| {
            e.parameters
                .contains(&Parameter::Shared(rule.object.clone()))
        };
        for entry in entries.iter_mut().filter(gets) {
            entry.one_of = Some(OneOf {
                object: rule.object.clone(),
                still: rule.still.clone(),
            });
        }
    }
}

/// Whether calls of a function give an argument more than one value, or one that is more than one, as far as is known.
fn tells_several(program: &Program, function: &str, argument: usize, counts: bool) -> bool {
    let mut values: BTreeSet<u128> = BTreeSet::new();
    let all = program.functions.iter().flat_map(|f| f.blocks.iter());
    for instr in all.flat_map(|b| &b.instrs) {
        let Op::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } = &instr.op
        else {
            continue;
        };
        if program.functions[*callee].name != function {
            continue;
        }
        match args.get(argument) {
            Some(Operand::Const(Const::Int { value, .. })) => {
                values.insert(*value);
            }
            _ => return true,
        }
    }
    match counts {
        true => values.iter().any(|v| *v > 1),
        false => values.len() > 1,
    }
}
