//! What ends something that the input has no function to begin: `close` of an input device that has no `open`.

use crate::environment::entry::{EntryPoint, Phase};
use crate::environment::rules::Rules;

/// Finds those, and what runs only while it has begun: what their rules say runs after what would begin it.
pub fn find(rules: &Rules, entries: &mut [EntryPoint]) {
    let ends: Vec<(EntryPoint, Vec<String>)> = entries
        .iter()
        .filter(|e| e.phase == Phase::Steady && !has_beginning(entries, e))
        .map(|e| (e.clone(), places(e).flat_map(|p| rules.begins(p)).collect()))
        .filter(|(_, begins): &(_, Vec<String>)| !begins.is_empty())
        .collect();
    for entry in entries.iter_mut() {
        entry.ends_unseen = ends.iter().any(|(e, _)| same(e, entry));
        let after = |begins: &[String]| {
            let mut all = places(entry);
            all.all(|p| {
                let rule = rules.place(p);
                rule.is_some_and(|r| r.after.iter().any(|a| begins.contains(a)))
            })
        };
        let found = ends.iter().filter(|(e, begins)| {
            let another = struct_of(&e.via) == struct_of(&entry.via)
                && e.registered_by != entry.registered_by;
            !another && after(begins)
        });
        entry.while_begun = found.map(|(e, _)| e.function.clone()).collect();
    }
}

fn places(entry: &EntryPoint) -> impl Iterator<Item = &String> {
    std::iter::once(&entry.via).chain(&entry.also)
}

fn struct_of(place: &str) -> &str {
    place.split('.').next().unwrap_or_default()
}

fn same(a: &EntryPoint, b: &EntryPoint) -> bool {
    a.function == b.function && a.via == b.via && a.registered_by == b.registered_by
}

/// Whether the object has a function to begin what an entry point ends.
fn has_beginning(entries: &[EntryPoint], entry: &EntryPoint) -> bool {
    entries
        .iter()
        .any(|e| e.registered_by == entry.registered_by && e.until.contains(&entry.function))
}
