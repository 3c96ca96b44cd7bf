//! Entry points of an object of which the device has several, and of objects that have one ops object each.

use std::collections::BTreeSet;

use super::find::Search;
use super::locks::{may_set, stores_alone};
use super::types::{global_type, member_offset, struct_named};
use crate::environment::entry::{EntryPoint, OneOf, OwnOps, Parameter, Phase, Used, User};
use crate::environment::identity::CallPlace;
use crate::environment::rules::Rules;
use crate::index::{BlockId, FuncId, GlobalId};
use crate::program::{Callee, Const, Function, Op, Operand, Program};

/// Notes of each entry point that gets one of several objects which one.
pub fn find(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    for rule in rules.several() {
        let several = |told: &String| match told.split_once('#') {
            Some((function, n)) => n
                .parse()
                .is_ok_and(|n| tells_several(program, entries, function, n, rule.counts)),
            None => holds_several(program, told),
        };
        if !rule.told.is_empty() && !rule.told.iter().any(several) {
            continue;
        }
        let own: Vec<String> = rule.also.iter().chain([&rule.object]).cloned().collect();
        let gets = |e: &&mut EntryPoint| {
            let mut given = e.parameters.iter();
            let given = given.any(|p| matches!(p, Parameter::Shared(name) if own.contains(name)));
            given || e.serialized_by.iter().any(|l| rule.locks.contains(l))
        };
        for entry in entries.iter_mut().filter(gets) {
            entry.one_of.push(OneOf {
                object: rule.object.clone(),
                own: own.clone(),
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
pub fn clients(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    for rule in rules.clients() {
        // Where the member is not known, neither is what stands there.
        let is_known = |place: &str| {
            let member = place.split_once('.');
            member.is_some_and(|(s, m)| member_offset(program, s, m).is_some())
        };
        let mut opens = rule.unless.iter();
        if opens.any(|(place, bits)| !is_known(place) || may_set(program, place, *bits)) {
            continue;
        }
        let mut hands_on = rule.unless_calls.iter();
        if hands_on.any(|function| calls(program, function).next().is_some()) {
            continue;
        }
        for entry in entries.iter_mut() {
            let places = std::iter::once(&entry.via).chain(&entry.also);
            let users: Option<Vec<User>> = places.map(|place| rule.user(place)).collect();
            let Some(users) = users else { continue };
            let by = match users.contains(&User::Any) {
                true => User::Any,
                false => User::Only,
            };
            entry.used.push(Used {
                resource: rule.resource.clone(),
                by,
            });
        }
    }
}

/// A value that is known to be one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Number(u128),
    Place(GlobalId, i64),
    /// Not constant, at a call that runs once for each device: the numbers of its function and block.
    At(FuncId, BlockId),
}

/// Whether calls of a function give an argument more than one value, or one that is more than one, as far as is known.
pub fn tells_several(
    program: &Program,
    entries: &[EntryPoint],
    function: &str,
    argument: usize,
    counts: bool,
) -> bool {
    let mut values: BTreeSet<Known> = BTreeSet::new();
    for (caller, block, args) in calls(program, function) {
        let value = match args.get(argument) {
            Some(Operand::Const(Const::Int { value, .. })) => Known::Number(*value),
            Some(Operand::Const(Const::Addr { global, offset, .. })) if !counts => {
                Known::Place(*global, *offset)
            }
            _ if !counts && runs_once(program, entries, caller, block) => Known::At(caller, block),
            _ => return true,
        };
        values.insert(value);
    }
    match counts {
        true => values
            .iter()
            .any(|v| matches!(v, Known::Number(n) if *n > 1)),
        false => values.len() > 1,
    }
}

/// Whether a struct has a number other than one in a member (`struct.member`): a variable as it is declared, or by what is stored there.
fn holds_several(program: &Program, place: &str) -> bool {
    let Some((structure, member)) = place.split_once('.') else {
        return false;
    };
    let Some(offset) = member_offset(program, structure, member) else {
        return false;
    };
    let stored = stores_alone(program, place, 1);
    let of = struct_named(program, structure);
    let declared = program.globals.iter_ids().any(|(id, global)| {
        let held = global.init.iter().flatten().find(|c| c.offset == offset);
        let one = match held.map(|c| &c.value) {
            Some(Const::Int { value: 1, .. }) => true,
            // What is stored takes its place.
            Some(Const::Int { value: 0, .. }) | None => stored == Some(true),
            Some(_) => false,
        };
        global.init.is_some() && global_type(program, id) == of && !one
    });
    declared || stored == Some(false)
}

/// Whether each call of that function hands null over there.
pub(super) fn is_always_null(program: &Program, function: &str, argument: u32) -> bool {
    let mut given = calls(program, function).map(|(_, _, args)| args.get(argument as usize));
    let null = |a: Option<&Operand>| matches!(a, Some(Operand::Const(Const::Null)));
    given.next().is_some_and(null) && given.all(null)
}

/// The direct calls of a function: where they are, and with what.
pub(super) fn calls<'p>(
    program: &'p Program,
    function: &'p str,
) -> impl Iterator<Item = (FuncId, BlockId, &'p [Operand])> {
    let blocks = program.functions.iter_ids().flat_map(|(id, f)| {
        let blocks = f.blocks.iter_ids();
        blocks.map(move |(at, block)| (id, at, block))
    });
    blocks.flat_map(move |(id, at, block)| {
        block.instrs.iter().filter_map(move |i| match &i.op {
            Op::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } if program.functions[*callee].name == function => Some((id, at, args.as_slice())),
            _ => None,
        })
    })
}

/// Whether such a call runs at most once for each device.
pub(super) fn is_made_once(program: &Program, entries: &[EntryPoint], call: &CallPlace) -> bool {
    let in_function = |f: FuncId| program.functions[f].name == call.function;
    let mut there = calls(program, &call.callee).filter(|(caller, ..)| in_function(*caller));
    let at = there.nth(call.number);
    at.is_some_and(|(caller, block, _)| runs_once(program, entries, caller, block))
}

/// Whether there is at most one call of a function for each device.
pub(super) fn is_called_once(program: &Program, entries: &[EntryPoint], function: &str) -> bool {
    let mut all = calls(program, function);
    let first = all.next();
    let once = first.is_none_or(|(caller, block, _)| runs_once(program, entries, caller, block));
    once && all.next().is_none()
}

/// Whether what stands in a block runs at most once for each device: it is in no loop, in what initialises, or in what that calls in one
/// place.
fn runs_once(program: &Program, entries: &[EntryPoint], caller: FuncId, block: BlockId) -> bool {
    let (mut caller, mut block) = (caller, block);
    let mut seen = BTreeSet::new();
    while seen.insert(caller) {
        let f = &program.functions[caller];
        if is_in_loop(f, block) {
            return false;
        }
        let mut own = entries.iter().filter(|e| e.function == f.name).peekable();
        let mut called = calls(program, &f.name);
        if own.peek().is_some() {
            // What is exported, another module calls for each device.
            let once = own.all(|e| e.phase == Phase::Init || e.is_called_by_others());
            return once && called.next().is_none();
        }
        let (Some((from, at, _)), None) = (called.next(), called.next()) else {
            return false;
        };
        (caller, block) = (from, at);
    }
    false
}

/// Whether a block is reached again from itself.
pub(super) fn is_in_loop(function: &Function, block: BlockId) -> bool {
    is_reached(function, block, block)
}

/// Whether a block may be executed after another.
pub(super) fn is_reached(function: &Function, from: BlockId, block: BlockId) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = function.blocks[from].term.successors();
    while let Some(next) = work.pop() {
        if next == block {
            return true;
        }
        if seen.insert(next) {
            work.extend(function.blocks[next].term.successors());
        }
    }
    false
}
