//! Who is a reader of RCU by where it runs, whatever it calls: a grace period waits for interrupt handlers, softirqs and whoever has switched
//! preemption off, too (Linux 5.0 and later, Documentation/RCU/whatisRCU.rst), and the kernel reads around some entry points.
//!
//! Also who ends the use of something that others may still read: none of them begins any more, those that have begun go on.
//!
//! Nobody is a reader where the input waits for no grace period (`[[grace]]` in rule files): it would make no difference. That the kernel reads
//! around an entry point is told nevertheless: nobody sleeps there.

use super::locks;
use crate::environment::contract::calls_one_of;
use crate::environment::entry::{Context, EntryPoint};
use crate::environment::rules::place::any_stands_for;
use crate::environment::rules::{Rule, Rules};
use crate::program::Program;

/// Whether the input waits for a grace period, or has somebody wait.
pub fn waits(program: &Program, rules: &Rules) -> bool {
    rules.waits_for_readers().any(|name| {
        let function = program.function_named(name);
        function.is_some_and(|f| !program.functions[f].is_defined())
    })
}

/// Tells those entry points that are readers from beginning to end, and those that run once a grace period is over; of these, those that ask
/// for no other. After the spin locks around them are known.
pub(super) fn find(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    ends(rules, entries);
    let waits = waits(program, rules);
    let asking: Vec<&str> = rules.asks_for_grace().collect();
    let asks = |entry: &EntryPoint| {
        let function = program.function_named(&entry.function);
        function.is_none_or(|f| calls_one_of(program, f, &asking))
    };
    let sets = |fields: &[(String, u64)]| {
        let mut fields = fields.iter();
        fields.any(|(place, bits)| locks::may_set(program, place, *bits))
    };
    let reads = |rule: &Rule| rule.reader && !sets(&rule.reader_unless);
    let atomic = |rule: &Rule| rule.atomic && !sets(&rule.atomic_unless);
    for entry in entries {
        // Those on whose objects a rule says so are told already.
        let rule = rules.place(&entry.via);
        let reads_around = entry.reader || rule.is_some_and(reads);
        entry.never_sleeps |= reads_around || rule.is_some_and(atomic);
        let interrupts = matches!(entry.context, Context::Softirq | Context::Hardirq);
        entry.reader = waits && (reads_around || interrupts || entry.spin.is_some());
        entry.after_grace = rules.is_after_grace(&entry.via) && !asks(entry);
    }
}

/// Tells of each entry point which others do not begin any more once it has (`ends` of a rule): of the same object.
fn ends(rules: &Rules, entries: &mut [EntryPoint]) {
    let found: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let ends = rules.place(&entry.via).map_or(&[][..], |r| &r.ends);
            let ended = |e: &&EntryPoint| {
                e.registered_by == entry.registered_by && any_stands_for(ends, &e.via)
            };
            let names = entries.iter().filter(ended);
            names.map(|e| e.function.clone()).collect()
        })
        .collect();
    for (entry, ends) in entries.iter_mut().zip(found) {
        entry.ends = ends;
    }
}
