//! What the kernel calls before and after an entry point (`[[bracket]]` in rule files).

use super::exclusions::names_place;
use crate::environment::contract::calls_one_of;
use crate::environment::entry::{Bracket, EntryPoint, Phase};
use crate::environment::rules::{BracketRule, Rules};
use crate::program::Program;

/// Whether an entry point stands in those places alone.
fn stands(entry: &EntryPoint, places: &[String]) -> bool {
    let listed: Vec<&str> = places.iter().map(String::as_str).collect();
    let mut all = std::iter::once(&entry.via).chain(&entry.also);
    entry.phase == Phase::Steady && all.all(|place| names_place(&listed, place))
}

/// The one entry point of the same object that stands in one of those places; an error: there are several.
fn one(
    entries: &[EntryPoint],
    entry: &EntryPoint,
    places: &[String],
) -> Result<Option<String>, ()> {
    let same = |e: &&EntryPoint| e.registered_by == entry.registered_by && stands(e, places);
    let mut found = entries.iter().filter(same);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(()),
        (first, None) => Ok(first.map(|e| e.function.clone())),
    }
}

/// Tells entry points within what bracket they run.
pub fn find(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    let of = |entry: &EntryPoint, rule: &BracketRule| {
        let (first, last) = (stands(entry, &rule.before), stands(entry, &rule.after));
        if !first && !last && !stands(entry, &rule.around) {
            return None;
        }
        let begins = one(entries, entry, &rule.before).ok()?;
        let ends = one(entries, entry, &rule.after).ok()?;
        let names: Vec<&str> = rule.only_if_calls.iter().map(String::as_str).collect();
        let function = begins.as_ref().and_then(|f| program.function_named(f));
        let calls = function.is_some_and(|f| calls_one_of(program, f, &names));
        (names.is_empty() || calls).then(|| Bracket {
            begins: begins.filter(|_| !first),
            ends: ends.filter(|_| !last),
            same: rule.same,
            gives: rule.gives,
        })
    };
    let found: Vec<_> = entries
        .iter()
        .map(|entry| {
            let mut all = rules.brackets().iter();
            all.find_map(|rule| Some((of(entry, rule)?, rule.context, rule.cite.as_str())))
        })
        .collect();
    for (entry, found) in entries.iter_mut().zip(found) {
        let Some((bracket, context, cite)) = found else {
            continue;
        };
        if bracket.begins.is_some() || bracket.ends.is_some() {
            entry.context = context.unwrap_or(entry.context);
            entry.why = format!("{}; {cite}", entry.why);
            entry.within = Some(bracket);
        }
    }
}
