//! Why an entry point may or may not run beside others, and the rules in force (`irkiss rules`).

use std::collections::BTreeMap;

use super::style::{FAINT, STRONG, paint};
use super::{count, list};
use crate::environment::entry::{End, EntryPoint, Phase};
use crate::environment::rules::effects::words;
use crate::environment::rules::{EffectRule, Rule, Rules, nearest};
use crate::error::InputError;
use crate::verdict::Outcome;

/// Explains one function of an input: an entry point, or one of the environment that registers or cancels some.
///
/// # Errors
/// If the input has no entry point of that name, and the rules say nothing of the effects of such a function.
pub fn render(outcome: &Outcome, rules: &Rules, function: &str) -> Result<String, InputError> {
    let named: Vec<&EntryPoint> = outcome
        .entries
        .iter()
        .filter(|e| e.function == function)
        .collect();
    if named.is_empty() && told(rules, function).next().is_some() {
        return Ok(changes(outcome, rules, function));
    }
    if named.is_empty() {
        let names = outcome.entries.iter().map(|e| e.function.as_str());
        let near = nearest(function, names)
            .map_or("irkiss --list-entry-points lists them".to_string(), |n| {
                format!("the nearest is `{n}`")
            });
        return Err(InputError::new(function, "no entry point of that name").advise(near));
    }
    let mut out = String::new();
    for entry in named {
        if !out.is_empty() {
            out.push('\n');
        }
        one(&mut out, outcome, entry);
    }
    Ok(out)
}

fn one(out: &mut String, outcome: &Outcome, entry: &EntryPoint) {
    line!(
        out,
        "{}",
        paint(
            STRONG,
            format!(
                "{}: {}, {} context{}",
                entry.function,
                entry.via,
                list::context(entry.context),
                list::remarks(entry)
            )
        )
    );
    because(out, "  ", entry);
    if entry.phase == Phase::Nested {
        line!(out, "  never a thread of a pair");
        return;
    }
    for before in &entry.after {
        line!(out, "  comes after {before}");
    }
    if !entry.follows.is_empty() {
        line!(
            out,
            "  begins in the state that {} leaves",
            entry.follows.join(" or ")
        );
    }
    for change in &entry.changes {
        line!(out, "  {}: {}", change.function, words(&change.effects));
        line!(
            out,
            "    {}",
            paint(FAINT, format!("rule: {}", change.cite))
        );
    }
    if entry.end == End::Untold {
        line!(
            out,
            "  nothing tells when the kernel calls it for the last time: no rule says what takes it back"
        );
    }
    overlaps(out, outcome, entry);
}

/// What it may overlap with, and what keeps it apart from the rest.
fn overlaps(out: &mut String, outcome: &Outcome, entry: &EntryPoint) {
    let others: Vec<&EntryPoint> = outcome
        .entries
        .iter()
        .filter(|e| e.phase != Phase::Nested)
        .collect();
    let mut beside = Vec::new();
    let mut apart: BTreeMap<String, Vec<&EntryPoint>> = BTreeMap::new();
    for other in others {
        match EntryPoint::never_overlap(entry, other) {
            None if std::ptr::eq(other, entry) => beside.push("itself".to_string()),
            None => beside.push(format!("{} ({})", other.function, other.via)),
            Some(reason) => apart.entry(reason).or_default().push(other),
        }
    }
    line!(
        out,
        "  {}",
        paint(
            STRONG,
            format!("may overlap with {}", count(beside.len(), "entry point"))
        )
    );
    for name in beside {
        line!(out, "    {name}");
    }
    for (reason, others) in apart {
        line!(
            out,
            "  {}",
            paint(
                STRONG,
                format!(
                    "kept apart by {reason} from {}",
                    count(others.len(), "entry point")
                )
            )
        );
        for other in others {
            let itself = std::ptr::eq(other, entry);
            let name = if itself { "itself" } else { &other.function };
            line!(out, "    {name} ({})", other.via);
            if !itself {
                because(out, "      ", other);
            }
        }
    }
}

/// The rules about the effects of a function.
fn told<'a>(rules: &'a Rules, function: &'a str) -> impl Iterator<Item = &'a EffectRule> {
    rules
        .effects()
        .iter()
        .filter(move |e| e.on.iter().any(|f| f == function))
}

/// What a function of the environment does to entry points, and to which of the input's.
fn changes(outcome: &Outcome, rules: &Rules, function: &str) -> String {
    let mut out = String::new();
    for rule in told(rules, function) {
        line!(
            out,
            "{}",
            paint(STRONG, format!("{function}: {}", rule.words()))
        );
        line!(out, "  {}", paint(FAINT, format!("rule: {}", rule.cite)));
        line!(out, "  of {}", rule.of.join(", "));
        let about = |e: &&EntryPoint| {
            e.changes
                .iter()
                .any(|c| c.function == function && c.cite == rule.cite)
        };
        for entry in outcome.entries.iter().filter(about) {
            line!(out, "    {} ({})", entry.function, entry.via);
        }
    }
    out
}

/// The citation of the rule.
fn because(out: &mut String, indent: &str, entry: &EntryPoint) {
    if !entry.known {
        line!(
            out,
            "{indent}{}",
            paint(
                FAINT,
                format!(
                    "no rule for {}: taken to run in process context, beside everything",
                    entry.via
                )
            )
        );
    } else if !entry.why.is_empty() && entry.phase != Phase::Nested {
        line!(
            out,
            "{indent}{}",
            paint(FAINT, format!("rule: {}", entry.why))
        );
    }
}

/// All rules: place, what it says, citation; then the groups of places, and the functions with effects.
pub fn all(rules: &Rules) -> String {
    let mut out = String::new();
    for (place, rule) in rules.all() {
        line!(out, "{}  {}", paint(STRONG, place), says(rule));
        line!(out, "  {}", paint(FAINT, &rule.cite));
    }
    for group in rules.groups() {
        line!(
            out,
            "group {}  {}",
            paint(STRONG, &group.name),
            group.of.join(", ")
        );
        line!(out, "  {}", paint(FAINT, &group.cite));
    }
    let mut effects: Vec<(&String, &EffectRule)> = rules
        .effects()
        .iter()
        .flat_map(|e| e.on.iter().map(move |f| (f, e)))
        .collect();
    effects.sort_by_key(|(f, _)| *f);
    for (function, rule) in effects {
        line!(
            out,
            "{}  {}: {}",
            paint(STRONG, function),
            rule.words(),
            rule.of.join(", ")
        );
        line!(out, "  {}", paint(FAINT, &rule.cite));
    }
    out
}

fn says(rule: &Rule) -> String {
    let mut words = vec![list::context(rule.context).to_string()];
    match rule.phase {
        Phase::Init => words.push("runs before the others".to_string()),
        Phase::Exit => words.push("runs at the end".to_string()),
        Phase::Nested => words.push("no thread of its own".to_string()),
        Phase::Steady => {}
    }
    if !rule.beside_itself && rule.phase != Phase::Nested {
        words.push("not beside itself".to_string());
    }
    if !rule.serialized_by.is_empty() {
        words.push(format!("under {}", rule.serialized_by.join(", ")));
    }
    if rule.reader {
        let fields = rule.reader_unless.iter();
        let unless: String = fields
            .map(|(field, _)| format!(", unless {field} is set"))
            .collect();
        words.push(format!("under RCU{unless}"));
    }
    if !rule.after.is_empty() {
        words.push(format!("after {}", rule.after.join(", ")));
    }
    if !rule.ends.is_empty() {
        words.push(format!("no {} begins after it has", rule.ends.join(", ")));
    }
    if rule.again {
        words.push("again beside what comes after it".to_string());
    }
    if !rule.called_if.is_empty() {
        let fields: Vec<&str> = rule.called_if.iter().map(|(f, _)| f.as_str()).collect();
        words.push(format!("only where {} is set", fields.join(" or ")));
    }
    if !rule.never_beside.is_empty() {
        let fields = rule.never_beside_unless.iter();
        let unless: String = fields
            .map(|(field, _)| format!(", unless {field} is set"))
            .collect();
        words.push(format!(
            "never beside {}{unless}",
            rule.never_beside.join(", ")
        ));
    }
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn a_function_is_explained_or_the_nearest_named() {
        let outcome = sample::outcome();
        let text = render(&outcome, &Rules::built_in(), "demo_init")
            .expect("known")
            .to_string();
        assert!(text.contains("kept apart by initialisation"), "{text}");
        let error = render(&outcome, &Rules::built_in(), "demo_ini")
            .unwrap_err()
            .to_string();
        assert!(error.contains("the nearest is `demo_init`"), "{error}");
    }

    #[test]
    fn what_a_function_does_is_explained() {
        let outcome = sample::outcome();
        let text = render(&outcome, &Rules::built_in(), "del_timer_sync").expect("known");
        assert!(
            text.contains("del_timer_sync: disarms, waits") && text.contains("kernel/time/timer.c"),
            "{text}"
        );
        let text = render(&outcome, &Rules::built_in(), "usb_unlink_urb").expect("known");
        assert!(text.contains("neither blocks new ones nor waits"), "{text}");
    }

    #[test]
    fn every_rule_is_listed() {
        let rules = Rules::built_in();
        let text = all(&rules);
        let listed = |e: &EffectRule| e.on.iter().all(|f| text.contains(f.as_str()));
        assert!(rules.effects().iter().all(listed));
        assert!(rules.all().iter().all(|(place, _)| text.contains(place)));
    }
}
