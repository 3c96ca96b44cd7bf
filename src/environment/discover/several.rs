//! Entry points of an object of which the device has several, and of objects that have one ops object each.

use std::collections::BTreeSet;

use super::find::Search;
use crate::environment::entry::{EntryPoint, OneOf, OwnOps, Parameter, Phase};
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
            // Of another object it may not have run.
            entry.until.clear();
        }
    }
}

/// Notes of each entry point in which ops objects it stands, where an object has only one (`[[one_each]]`).
pub fn own_ops(search: &Search<'_>, rules: &Rules, entries: &mut [EntryPoint]) {
    let program = search.program;
    for rule in rules.one_each() {
        let is_of = |place: &String| place.split('.').next() == Some(rule.of.as_str());
        for entry in entries.iter_mut() {
            let thread = matches!(entry.phase, Phase::Steady | Phase::Exit);
            if !thread || !is_of(&entry.via) || !entry.also.iter().all(is_of) {
                continue;
            }
            let function = program.function_named(&entry.function);
            let stands = search.found.iter().filter(|f| Some(f.function) == function);
            let places = stands.filter(|f| is_of(&f.via)).map(|f| {
                let (global, start) = f.holder?;
                Some((program.globals[global].name.clone(), start))
            });
            // A function that stands in two globals is two entry points.
            let here = |at: Vec<(String, i64)>| {
                let own = |(by, _): &(String, i64)| Some(by) == entry.registered_by.as_ref();
                at.into_iter().filter(own).collect::<Vec<_>>()
            };
            let at: Option<Vec<_>> = places.collect();
            entry.own_ops = at.map(here).filter(|at| !at.is_empty()).map(|at| OwnOps {
                object: rule.object.clone(),
                at,
            });
        }
    }
}

/// Notes of each entry point whether users of a resource call it (`[[clients]]`): in each of its places.
pub fn clients(rules: &Rules, entries: &mut [EntryPoint]) {
    for rule in rules.clients() {
        for entry in entries.iter_mut() {
            if rule.names(&entry.via) && entry.also.iter().all(|place| rule.names(place)) {
                entry.used = Some(rule.resource.clone());
            }
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
