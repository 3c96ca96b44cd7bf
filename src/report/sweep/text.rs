//! A night for people: on the terminal, or as a mail.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::{Picture, command, duration};
use crate::report::style::{self, paint};
use crate::sweep::changes::Found;
use crate::sweep::task::RunEnd;

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
            if !changes.otherwise.is_empty() {
                line!(
                    out,
                    "this night was checked otherwise: {}",
                    changes.otherwise.join("; ")
                );
            }
            list(&mut out, picture, "new", &changes.new);
            list_short(&mut out, picture, "fixed", &changes.fixed);
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
                let same = same_code(picture, &lost.task);
                line!(out, "  {}: {regions}: {}{same}", lost.task, lost.example);
            }
            if !changes.carried.is_empty() {
                let what = "known from before, and not decided this night";
                list_short(&mut out, picture, what, &changes.carried);
            }
            if !changes.back.is_empty() {
                line!(out);
                let of = |(name, night): &(&str, i64)| format!("{name} (last in night {night})");
                let back: Vec<String> = changes.back.iter().map(of).collect();
                line!(out, "checked again: {}", back.join(", "));
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
    let head = crate::report::formats::mail::head(&format!(
        "[irkiss] night {}: {subject} ({modules})",
        now.night
    ));
    format!("{head}{body}")
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
            "  {first}: {} {} [{}]{}",
            paint(style::WARNING, "warning:"),
            finding.message,
            finding.rule,
            same_code(picture, one.task)
        );
        for place in rest {
            line!(out, "      with {place}");
        }
        if let Some(state) = picture.now.tasks.get(one.task) {
            line!(
                out,
                "      {}",
                paint(
                    style::FAINT,
                    command(*one, picture.now, state, picture.here)
                )
            );
        }
    }
    more(out, found.len());
}

/// Says so where the code of a task is as it was, and something else is not.
fn same_code(picture: Picture<'_>, task: &str) -> String {
    let other = picture.other(task);
    other.map_or_else(String::new, |other| format!(" (same code, {other})"))
}

fn list_short(out: &mut String, picture: Picture<'_>, what: &str, found: &[Found<'_>]) {
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
            "  {}: {} [{}]{}",
            one.task,
            one.finding.message,
            one.finding.rule,
            same_code(picture, one.task)
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
    if now.allowed > 0 {
        line!(
            out,
            "allowed in the source or in irkiss.toml, and not told: {}",
            count(now.allowed, "finding")
        );
    }
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
    if let (Some(how), left @ 1..) = (now.run.as_ref().and_then(ended), picture.left()) {
        let left = count(left, "module");
        line!(out, "{how}: {left} left (irkiss sweep run goes on)");
    }
    not_checked(out, picture);
}

/// What ended a run that had something left to do.
fn ended(run: &RunEnd) -> Option<String> {
    match run {
        RunEnd::Time(seconds) => {
            let time = duration(Duration::from_secs(*seconds));
            Some(format!("the run ended after its time (--time {time})"))
        }
        RunEnd::Asked => Some("the run was interrupted".to_string()),
        RunEnd::Killed => Some("the run was killed".to_string()),
        RunEnd::Failed(line) => Some(format!("the run could not go on ({line})")),
        RunEnd::Lost => Some("its processes or machines were lost".to_string()),
        RunEnd::Begun => Some("the run goes on".to_string()),
        RunEnd::Done => None,
    }
}

/// The modules without a report; those of one reason together.
fn not_checked(out: &mut String, picture: Picture<'_>) {
    let without = picture.without_report();
    if without.is_empty() {
        return;
    }
    line!(out, "not checked: {}", count(without.len(), "module"));
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, why) in &without {
        by_reason.entry(why).or_default().push(name);
    }
    let (mut one, mut many) = (Vec::new(), Vec::new());
    for (why, names) in by_reason {
        match names.as_slice() {
            [name] => one.push(format!("{name}: {why}")),
            _ => many.push(format!("{why}: {}", names.join(", "))),
        }
    }
    one.sort();
    for told in one.iter().take(MOST).chain(&many) {
        line!(out, "  {told}");
    }
    more(out, one.len());
}

fn count(n: usize, what: &str) -> String {
    crate::report::count(n, what)
}
