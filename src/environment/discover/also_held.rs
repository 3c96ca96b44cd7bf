//! What the kernel also holds around functions that the input has called in no other way (`[[also_held]]` in rule files).

use super::asked::only_initialisation;
use super::objects::is_called;
use crate::environment::entry::EntryPoint;
use crate::environment::rules::Rules;
use crate::program::Program;

/// Adds what the rules say, where all places at which a function stands are such.
pub fn apply(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    for rule in rules.also_held() {
        let stands = |e: &EntryPoint| {
            let mut places = std::iter::once(&e.via).chain(&e.also);
            places.all(|p| rule.on.contains(p))
        };
        let called = |all: &[String]| all.iter().any(|f| is_called(program, f));
        if !entries.iter().any(stands)
            || !called(&rule.calls)
            || called(&rule.unless)
            || !only_initialisation(program, entries, &rule.unless_later)
        {
            continue;
        }
        for entry in entries.iter_mut().filter(|e| stands(e)) {
            let locks = rule.serialized_by.iter().cloned();
            entry.serialized_by.extend(locks);
            entry.why = format!("{}; {}", entry.why, rule.cite);
        }
    }
}
