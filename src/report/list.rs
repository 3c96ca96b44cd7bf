//! The entry points and which of them may overlap, for `--list-entry-points`.

use std::collections::BTreeMap;

use super::count;
use super::style::{FAINT, STRONG, paint};
use crate::environment::entry::{Context, EntryPoint, Phase};
use crate::verdict::Outcome;

/// The list for people.
pub fn render(outcome: &Outcome) -> String {
    let mut out = String::new();
    line!(
        out,
        "{}",
        paint(
            STRONG,
            format!(
                "{}: {}",
                outcome.input.join(" "),
                count(outcome.entries.len(), "entry point")
            )
        )
    );
    let names = outcome.entries.iter().map(|e| e.function.chars().count());
    let width = names.max().unwrap_or(0);
    for e in outcome.entries.iter() {
        line!(
            out,
            "  {:<width$}  {:<7}  {}{}",
            e.function,
            context(e.context),
            e.via,
            paint(FAINT, remarks(e))
        );
    }
    if outcome.entries.is_empty() {
        line!(out, "  a program: it starts at main");
    }
    let (apart, together): (Vec<_>, Vec<_>) = outcome
        .pairs
        .iter()
        .partition(|p| p.serialized_by.is_some());
    if !together.is_empty() {
        line!(
            out,
            "\n{}",
            paint(
                STRONG,
                format!("{} that may overlap", count(together.len(), "pair"))
            )
        );
        for p in together {
            line!(out, "  {}", p.label());
        }
    }
    let mut by: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for p in apart {
        let reason = p.serialized_by.as_deref().unwrap_or_default();
        by.entry(reason).or_default().push(p.label());
    }
    for (reason, pairs) in by {
        line!(
            out,
            "\n{}",
            paint(
                STRONG,
                format!("{} kept apart by {reason}", count(pairs.len(), "pair"))
            )
        );
        for p in pairs {
            line!(out, "  {p}");
        }
    }
    if !outcome.notes.is_empty() {
        line!(out, "\n{}", paint(STRONG, "notes"));
        for note in &outcome.notes {
            line!(out, "  {note}");
        }
    }
    out
}

pub(super) fn context(context: Context) -> &'static str {
    match context {
        Context::Process => "process",
        Context::Softirq => "softirq",
        Context::Hardirq => "hardirq",
        Context::Thread => "thread",
    }
}

/// What is special about it, in words; starts with two spaces where there is anything.
pub(super) fn remarks(e: &EntryPoint) -> String {
    let mut words = Vec::new();
    match e.phase {
        Phase::Init => words.push("runs before the others".to_string()),
        Phase::Exit => words.push("runs after the others".to_string()),
        Phase::Steady if !e.beside_itself => words.push("not beside itself".to_string()),
        Phase::Steady => {}
        Phase::Nested => words.push(format!("no thread of its own: {}", e.why)),
    }
    if let Some(by) = &e.registered_by {
        words.push(match e.alike.len() {
            0 => format!("registered by {by}"),
            n => format!("registered by {by} and {}", count_others(n)),
        });
    }
    if !e.serialized_by.is_empty() {
        words.push(format!("under {}", e.serialized_by.join(", ")));
    }
    if !e.known {
        words.push("no rule knows it: context assumed".to_string());
    }
    if words.is_empty() {
        String::new()
    } else {
        format!("  ({})", words.join("; "))
    }
}

fn count_others(n: usize) -> String {
    match n {
        1 => "another".to_string(),
        n => format!("{n} others"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn golden() {
        let text = anstream::adapter::strip_str(&render(&sample::outcome())).to_string();
        sample::expect_text("list.txt", &text);
    }
}
