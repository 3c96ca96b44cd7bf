//! Why an entry point may or may not run beside others, and the rules in force (`irkiss rules`).

use std::collections::BTreeMap;

use super::style::{FAINT, STRONG, paint};
use super::{count, list};
use crate::environment::entry::{EntryPoint, Phase};
use crate::environment::rules::{Rule, Rules, nearest};
use crate::error::InputError;
use crate::verdict::Outcome;

/// Explains one function of an input.
///
/// # Errors
/// If the input has no entry point of that name.
pub fn render(outcome: &Outcome, function: &str) -> Result<String, InputError> {
    let named: Vec<&EntryPoint> = outcome
        .entries
        .iter()
        .filter(|e| e.function == function)
        .collect();
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

/// All rules: place, what it says, citation.
pub fn all(rules: &Rules) -> String {
    let mut out = String::new();
    for (place, rule) in rules.all() {
        line!(out, "{}  {}", paint(STRONG, place), says(rule));
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
    if !rule.after.is_empty() {
        words.push(format!("after {}", rule.after.join(", ")));
    }
    if !rule.never_beside.is_empty() {
        words.push(format!("never beside {}", rule.never_beside.join(", ")));
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
        let text = render(&outcome, "demo_init").expect("known").to_string();
        assert!(text.contains("kept apart by initialisation"), "{text}");
        let error = render(&outcome, "demo_ini").unwrap_err().to_string();
        assert!(error.contains("the nearest is `demo_init`"), "{error}");
    }

    #[test]
    fn every_rule_is_listed() {
        let rules = Rules::built_in();
        let text = all(&rules);
        assert!(rules.all().iter().all(|(place, _)| text.contains(place)));
    }
}
