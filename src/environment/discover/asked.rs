//! What the kernel calls only where somebody asks for it (`[[asked]]` in rule files): whether all who ask are frozen.
//!
//! Nothing is known where parts of the kernel that may ask themselves call the input, and where the input makes others ask. Else the input
//! itself asks: each call that does so, unless it leaves that to a work item that is frozen, must be reached by direct calls alone, and from
//! initialisation, from the end, and from what does not run meanwhile alone.

use std::collections::HashSet;

use super::exclusions::names_place;
use super::objects::is_called;
use super::served::{address_taken, called_from_outside};
use crate::environment::entry::{EntryPoint, Exclusion, Phase};
use crate::environment::rules::{AskedRule, Rules};
use crate::index::FuncId;
use crate::program::{Callee, Const, Op, Operand, Program};

/// Keeps what is asked for by the frozen apart from what runs meanwhile.
pub fn keep_apart(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    for rule in rules.asked() {
        let stands = |e: &EntryPoint| places(e).any(|p| rule.on.contains(p));
        if !entries.iter().any(stands) || !all_frozen(program, rules, rule, entries) {
            continue;
        }
        let found: Vec<Vec<usize>> = (0..entries.len())
            .map(|a| {
                let apart = |b: &usize| are_apart(rules, rule, &entries[a], &entries[*b]);
                let chosen = stands(&entries[a]);
                (0..entries.len()).filter(|b| chosen && apart(b)).collect()
            })
            .collect();
        for (a, others) in found.into_iter().enumerate() {
            for b in others {
                let other = entries[b].function.clone();
                let reason = format!("never beside {}", entries[b].via);
                let entry = &mut entries[a];
                if a == b {
                    entry.beside_itself = false;
                } else {
                    entry.never_beside.push(Exclusion {
                        function: other,
                        reason,
                    });
                }
                if !entry.why.contains(&rule.cite) {
                    entry.why = format!("{}; {}", entry.why, rule.cite);
                }
            }
        }
    }
}

/// Where a function stands.
fn places(entry: &EntryPoint) -> impl Iterator<Item = &String> {
    std::iter::once(&entry.via).chain(&entry.also)
}

/// Whether two entry points of one object never overlap, as what they are in each of their places, and do so for this rule alone.
fn are_apart(rules: &Rules, rule: &AskedRule, a: &EntryPoint, b: &EntryPoint) -> bool {
    let steady = |e: &EntryPoint| e.phase == Phase::Steady;
    let together = steady(a) && steady(b) && a.registered_by == b.registered_by;
    let asked = |p: &String, q: &String| rule.on.contains(p) && rule.never_beside.contains(q);
    let mut by_rule = false;
    let mut apart = |p: &String, q: &String| {
        let known = rules.are_apart(p, q);
        by_rule |= !known;
        known || asked(p, q) || asked(q, p)
    };
    together && places(a).all(|p| places(b).all(|q| apart(p, q))) && by_rule
}

/// Whether all who ask are frozen.
fn all_frozen(program: &Program, rules: &Rules, rule: &AskedRule, entries: &[EntryPoint]) -> bool {
    if rule.unless.iter().any(|f| is_called(program, f)) {
        return false;
    }
    let threads = || entries.iter().filter(|e| e.phase == Phase::Steady);
    if !threads().all(|e| places(e).all(|p| rule.never_asks(p))) {
        return false;
    }
    let frozen = rules.in_full(&rule.frozen);
    let runs = |e: &EntryPoint| !places(e).all(|p| names_place(&frozen, p));
    let threads = |chosen: &dyn Fn(&EntryPoint) -> bool| -> Vec<FuncId> {
        let chosen = entries.iter().filter(|e| chosen(e));
        chosen
            .filter_map(|e| program.function_named(&e.function))
            .collect()
    };
    let meanwhile = threads(&|e| e.phase == Phase::Steady && runs(e));
    let unclear = threads(&|e| e.phase == Phase::Nested);
    let is_later = |name: &str, args: &[Operand]| is_later(rule, name, args);
    let asks = ask(program, &rule.by, is_later);
    let sets_up = ask(program, &rule.also_by, is_later);
    let (Some(asks), Some(sets_up)) = (asks, sets_up) else {
        return false;
    };
    let known: HashSet<FuncId> = threads(&|e| e.phase != Phase::Nested).into_iter().collect();
    let taken = address_taken(program);
    let outside: Vec<FuncId> = called_from_outside(program);
    let astray = |f: &FuncId| (taken.contains(f) || outside.contains(f)) && !known.contains(f);
    // Who sets something up in what nobody knows when it runs does so while the driver begins or ends.
    !meanwhile
        .iter()
        .any(|f| asks.contains(f) || sets_up.contains(f))
        && !unclear.iter().any(|f| asks.contains(f))
        && !asks.iter().any(astray)
}

/// Whether nothing but initialisation may call one of those functions.
pub fn only_initialisation(program: &Program, entries: &[EntryPoint], by: &[String]) -> bool {
    let Some(calling) = ask(program, by, |_, _| false) else {
        return false;
    };
    let of = |e: &EntryPoint| program.function_named(&e.function);
    let later = entries.iter().filter(|e| e.phase != Phase::Init);
    let first: HashSet<FuncId> = entries
        .iter()
        .filter(|e| e.phase == Phase::Init)
        .filter_map(of)
        .collect();
    let taken = address_taken(program);
    let outside = called_from_outside(program);
    let astray = |f: &FuncId| (taken.contains(f) || outside.contains(f)) && !first.contains(f);
    !later.filter_map(of).any(|f| calling.contains(&f)) && !calling.iter().any(astray)
}

/// The functions of the input from which direct calls lead to one of those functions, but for calls that leave it to others; `None` if
/// one's address is taken.
fn ask(
    program: &Program,
    by: &[String],
    is_later: impl Fn(&str, &[Operand]) -> bool,
) -> Option<HashSet<FuncId>> {
    let asking: Vec<FuncId> = by
        .iter()
        .filter_map(|f| program.function_named(f))
        .collect();
    let taken = address_taken(program);
    if asking.iter().any(|f| taken.contains(f)) {
        return None;
    }
    let mut found: HashSet<FuncId> = asking.iter().copied().collect();
    loop {
        let before = found.len();
        for (id, function) in program.functions.iter_ids() {
            let mut instrs = function.blocks.iter().flat_map(|b| &b.instrs);
            let calls = instrs.any(|i| match &i.op {
                Op::Call {
                    callee: Callee::Direct(callee),
                    args,
                    ..
                } => found.contains(callee) && !is_later(&program.functions[*callee].name, args),
                _ => false,
            });
            if calls {
                found.insert(id);
            }
        }
        if found.len() == before {
            return Some(found);
        }
    }
}

/// Whether a call leaves it to others.
fn is_later(rule: &AskedRule, function: &str, args: &[Operand]) -> bool {
    let mut later = rule.later.iter().filter(|l| l.function == function);
    later.any(|l| {
        matches!(args.get(l.argument), Some(Operand::Const(Const::Int { value, .. }))
            if value & u128::from(l.bits) != 0)
    })
}
