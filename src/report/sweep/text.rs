//! A night for people: on the terminal, or as a mail.

use std::path::Path;

use super::{Picture, command};
use crate::report::style::{self, paint};
use crate::sweep::changes::Found;

/// Findings told in full; of more, the number.
const MOST: usize = 50;

/// With colour codes, which the caller strips where nobody sees them.
pub fn render(picture: Picture<'_>) -> String {
    let mut out = String::new();
    let now = picture.now;
    let tasks = count(now.tasks.len(), "module");
    line!(
        out,
        "{}",
        paint(style::STRONG, format!("night {}, {tasks}", now.night))
    );
    match picture.since {
        None => {
            let all = now.findings();
            list(&mut out, picture, "found", &all);
        }
        Some((name, changes)) => {
            line!(out, "since {name}:");
            list(&mut out, picture, "new", &changes.new);
            list_short(&mut out, "fixed", &changes.fixed);
            if !changes.lost.is_empty() {
                line!(out);
                let n = count(changes.lost.len(), "module");
                line!(
                    out,
                    "{}",
                    paint(style::STRONG, format!("no longer decided, in {n}:"))
                );
            }
            for lost in &changes.lost {
                let regions = match lost.regions {
                    0 => "no report any more".to_string(),
                    n => count(n, "region"),
                };
                line!(out, "  {}: {regions}: {}", lost.task, lost.example);
            }
            for (what, names) in [
                ("new modules", &changes.added),
                ("modules that are gone", &changes.gone),
            ] {
                if !names.is_empty() {
                    line!(out);
                    line!(out, "{what}: {}", names.join(", "));
                }
            }
        }
    }
    summary(&mut out, picture);
    out
}

/// A mail: a subject, an empty line, the text. Without colour.
pub fn mail(picture: Picture<'_>) -> String {
    let now = picture.now;
    let subject = match picture.since {
        None => count(now.findings().len(), "finding"),
        Some((_, c)) => format!(
            "{} new, {} fixed, {} no longer decided",
            c.new.len(),
            c.fixed.len(),
            c.lost.iter().map(|l| l.regions.max(1)).sum::<usize>()
        ),
    };
    let modules = count(now.tasks.len(), "module");
    let body = anstream::adapter::strip_str(&render(picture)).to_string();
    format!(
        "Subject: [irkiss] night {}: {subject} ({modules})\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n{body}",
        now.night
    )
}

fn list(out: &mut String, picture: Picture<'_>, what: &str, found: &[Found<'_>]) {
    line!(out);
    if found.is_empty() {
        line!(out, "{what}: none");
        return;
    }
    line!(
        out,
        "{}",
        paint(style::STRONG, format!("{what}: {}", found.len()))
    );
    for one in found.iter().take(MOST) {
        let (first, rest) = places(*one, picture.here);
        let finding = one.finding;
        line!(
            out,
            "  {first}: {} {} [{}]",
            paint(style::WARNING, "warning:"),
            finding.message,
            finding.rule
        );
        for place in rest {
            line!(out, "      with {place}");
        }
        if let Some(state) = picture.now.tasks.get(one.task) {
            line!(
                out,
                "      {}",
                paint(style::FAINT, command(*one, state, picture.here))
            );
        }
    }
    more(out, found.len());
}

fn list_short(out: &mut String, what: &str, found: &[Found<'_>]) {
    line!(out);
    if found.is_empty() {
        line!(out, "{what}: none");
        return;
    }
    line!(
        out,
        "{}",
        paint(style::STRONG, format!("{what}: {}", found.len()))
    );
    for one in found.iter().take(MOST) {
        line!(
            out,
            "  {}: {} [{}]",
            one.task,
            one.finding.message,
            one.finding.rule
        );
    }
    more(out, found.len());
}

fn more(out: &mut String, all: usize) {
    if all > MOST {
        line!(out, "  … and {} more (--format json has all)", all - MOST);
    }
}

/// The place of the first access, and the others.
fn places(found: Found<'_>, here: &Path) -> (String, Vec<String>) {
    let mut places =
        found
            .finding
            .accesses
            .iter()
            .map(|a| match a.line > 0 && !a.file.is_empty() {
                true => {
                    let file = Path::new(&a.file);
                    let file = file.strip_prefix(here).unwrap_or(file).display();
                    format!("{file}:{}:{}", a.line, a.column.max(1))
                }
                false => format!("{}()", a.function),
            });
    let first = places.next().unwrap_or_else(|| found.task.to_string());
    (first, places.collect())
}

fn summary(out: &mut String, picture: Picture<'_>) {
    let now = picture.now;
    let findings = now.findings();
    let mut with: Vec<&str> = findings.iter().map(|f| f.task).collect();
    with.dedup();
    let regions = now.regions();
    line!(out);
    line!(
        out,
        "in all {} in {}; regions: {} with a race, {} proved, {} bounded, {} unknown",
        count(findings.len(), "finding"),
        count(with.len(), "module"),
        regions.race,
        regions.proved,
        regions.bounded,
        regions.unknown
    );
    let none = picture.without_entries();
    if none > 0 {
        line!(out, "without entry points: {}", count(none, "module"));
    }
    let limited = picture.limited();
    if limited > 0 {
        line!(
            out,
            "a budget ended the search in {}: the next nights give these more, up to --deepest",
            count(limited, "module")
        );
    }
    let without = picture.without_report();
    if !without.is_empty() {
        line!(out, "not checked: {}", count(without.len(), "module"));
        for (name, why) in without.iter().take(MOST) {
            line!(out, "  {name}: {why}");
        }
        more(out, without.len());
    }
}

fn count(n: usize, what: &str) -> String {
    crate::report::count(n, what)
}
