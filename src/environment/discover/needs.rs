//! What the arguments of an entry point say whenever the kernel calls it (`[[needs]]` in rule files), or while others are frozen
//! (`[[while_frozen]]`), what the kernel does around them
//! (`[[does]]`), and which of them initialise parts of what is bound (`[[of_bound]]`).

use super::exclusions::taken_back;
use super::types::member_offset;
use crate::environment::entry::{Does, EntryPoint, Need, Needed, Phase, WhileFrozen};
use crate::environment::rules::{self, Rules};
use crate::program::Program;

/// Tells entry points what they need, where all places at which they stand agree.
pub fn find(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    let frozen: Vec<Option<WhileFrozen>> = entries
        .iter()
        .map(|e| while_frozen(program, rules, e, entries))
        .collect();
    for (entry, frozen) in entries.iter_mut().zip(frozen) {
        entry.while_frozen = frozen;
        let places = || std::iter::once(&entry.via).chain(&entry.also);
        entry.of_bound = entry.phase == Phase::Init && places().all(|p| rules.is_of_bound(p));
        let rule = rules.does(&entry.via);
        let does = rule.filter(|r| places().all(|p| rules.does(p) == Some(*r)));
        entry.does = does.map(|rule| Does {
            before: rule.before.clone(),
            after: rule.after.clone(),
            arguments: rule.arguments,
        });
        let need = |place: &String| {
            let rule = rules.needs(place)?;
            let (structure, member) = &rule.of;
            Some(Need {
                argument: rule.argument,
                offset: member_offset(program, structure, member)?,
                needed: needed(program, &rule.needed)?,
            })
        };
        let found = need(&entry.via);
        entry.needs = found.filter(|n| entry.also.iter().all(|p| need(p).as_ref() == Some(n)));
    }
}

/// What an argument of an entry point is beside those that run while others are frozen, where all places at which it stands agree.
fn while_frozen(
    program: &Program,
    rules: &Rules,
    entry: &EntryPoint,
    entries: &[EntryPoint],
) -> Option<WhileFrozen> {
    let rule = rules.while_frozen(&entry.via)?;
    let agrees = |p: &String| rules.while_frozen(p) == Some(rule);
    if !entry.also.iter().all(agrees) {
        return None;
    }
    let meanwhile = |e: &&EntryPoint| {
        let apart = |place: &String| {
            rules.place(place).is_some_and(|r| {
                r.never_beside.contains(&rule.frozen)
                    && !taken_back(program, e.registered_by.as_deref(), r)
            })
        };
        e.phase == Phase::Steady && std::iter::once(&e.via).chain(&e.also).all(apart)
    };
    let beside = entries.iter().filter(meanwhile);
    let beside: Vec<String> = beside.map(|e| e.function.clone()).collect();
    (!beside.is_empty()).then(|| WhileFrozen {
        argument: rule.argument,
        values: rule.values.clone(),
        beside,
    })
}

/// With offsets in place of names.
fn needed(program: &Program, needed: &rules::Needed) -> Option<Needed> {
    match needed {
        rules::Needed::Bits(bits) => Some(Needed::Bits(*bits)),
        rules::Needed::Below(part) => {
            let (structure, member) = part.member.split_once('.')?;
            Some(Needed::Below {
                argument: part.of,
                offset: member_offset(program, structure, member)?,
            })
        }
    }
}
