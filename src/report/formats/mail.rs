//! A text for a mailing list: what a maintainer needs to judge a bug, in 75 columns of plain text, below a subject as kernel people write it.

use super::{Told, command, message, open, place_of};
use crate::bugs::class::Class;
use crate::bugs::{self, Bug};
use crate::report::snippet::Sources;
use crate::report::{MAIL, count, finding, interleaving, overview, picture, place, top, wording};
use crate::verdict::{Access, FindingKind};

/// The head of a mail: lines, and the empty one below them.
pub(in crate::report) fn head(subject: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() { c } else { ' ' };
    let subject: String = subject.chars().map(plain).collect();
    format!("Subject: {subject}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n")
}

/// The mail.
pub(super) fn render(told: &Told, sources: &dyn Sources) -> String {
    let bugs = told.bugs();
    let unit = told.unit();
    let mut out = match bugs.as_slice() {
        [] => head(&format!("[irkiss] nothing found: {unit}")),
        [one] => {
            let at = place_of(one).map_or(unit, |at| at.file.as_str());
            head(&format!("[irkiss] {}: {at}", title(one)))
        }
        many => head(&format!("[irkiss] {}: {unit}", count(many.len(), "bug"))),
    };
    if bugs.len() > 1 {
        for (n, bug) in bugs.iter().enumerate() {
            let class = format!("{} ({})", bug.class.code(), bug.class.severity().code());
            wrapped(
                &mut out,
                &format!("{:>3}  ", n + 1),
                &format!("{}: {class}, id {}", overview::what(&bug.all()), bug.id),
            );
            wrapped(&mut out, "     ", &overview::how(&bug.all()));
        }
        line!(out);
    }
    for (n, bug) in bugs.iter().enumerate() {
        if bugs.len() > 1 {
            let number = format!("--- {} of {} ---", n + 1, bugs.len());
            line!(out, "{number}\n");
        }
        out.push_str(&one(bug, told, sources));
        line!(out);
    }
    let version = &told.report.irkiss;
    for line in open(told) {
        wrapped(&mut out, "", &line);
    }
    line!(
        out,
        "Found by irkiss {version}. Each interleaving above was executed by its\ninterpreter, step by step."
    );
    if bugs.is_empty() {
        let cut = out.rfind("Found by").unwrap_or(0);
        out.truncate(cut);
        let verdict = match told.report.verdict {
            crate::verdict::Overall::Proved => "every pair of threads is proved free of races",
            crate::verdict::Overall::Bounded => "no race within the bounds",
            _ => "not everything is decided (irkiss why says what)",
        };
        line!(out, "irkiss {version}: {verdict}.");
    }
    // A name may have anything in it; a terminal that shows a mail obeys what it is told.
    out.retain(|c| c == '\n' || !c.is_control());
    out
}

/// `data-race in demo_open / demo_release`.
fn title(bug: &Bug<'_>) -> String {
    let finding = bug.shown();
    let tops = finding.accesses.iter().filter_map(top);
    let mut functions: Vec<&str> = tops.map(|f| f.function.as_str()).collect();
    functions.dedup();
    let what = wording::kind(finding.kind).headline;
    format!("{what} in {}", functions.join(" / "))
}

fn one(bug: &Bug<'_>, told: &Told, sources: &dyn Sources) -> String {
    let mut out = String::new();
    let finding = bug.shown();
    let first = place(finding.accesses.first().and_then(top));
    wrapped(&mut out, "", &format!("{first}: {}", message(bug)));
    line!(out);
    for access in &finding.accesses {
        side(&mut out, access, bug, sources);
    }
    line!(out);
    for access in &finding.accesses {
        stack(&mut out, access, told);
    }
    let drawn = picture::render(finding, sources, MAIL);
    if !drawn.is_empty() {
        line!(out, "{}\n", picture::title(finding));
        out.push_str(&anstream::adapter::strip_str(&drawn).to_string());
        line!(out);
    }
    wrapped(&mut out, "Effect:   ", bug.class.effect());
    let class = bug.class;
    wrapped(
        &mut out,
        "Class:    ",
        &format!("{} ({})", class.code(), class.severity().code()),
    );
    wrapped(&mut out, "State:    ", finding::state(&finding.state));
    let mut list = |heading: &str, items: &[String]| {
        for item in items {
            wrapped(&mut out, heading, item);
        }
    };
    list("If:       ", &finding::contents(finding));
    list("Assumes:  ", &finding.assumptions);
    list("Perhaps:  ", &finding.benign_hints);
    let own = bugs::pair_of(finding);
    let pairs: Vec<String> = bug.pairs().into_iter().filter(|p| *p != own).collect();
    if !pairs.is_empty() {
        wrapped(&mut out, "Also in:  ", &pairs.join(", "));
    }
    if !bug.with.is_empty() {
        wrapped(&mut out, "As well:  ", &bug.others().join(", "));
    }
    line!(out);
    wrapped(&mut out, "Again:    ", &command(told, bug));
    wrapped(&mut out, "Meant?    ", &silence(bug));
    line!(out, "Id:       {}", bug.id);
    out
}

/// How to say that it is meant.
fn silence(bug: &Bug<'_>) -> String {
    let allow = format!("irkiss allow {} --reason \"...\"", bug.id);
    match (bug.shown().kind, bug.class) {
        (FindingKind::DataRace, Class::Marking | Class::HalfMarked) => {
            format!("READ_ONCE() and WRITE_ONCE(), data_race(), or: {allow}")
        }
        (FindingKind::DataRace, _) => format!("data_race(), or: {allow}"),
        _ => allow,
    }
}

/// Columns for the source beside what is said of it.
const SOURCE: usize = 36;

/// The line of an access, and what its thread holds.
fn side(out: &mut String, access: &Access, bug: &Bug<'_>, sources: &dyn Sources) {
    let Some(at) = top(access) else { return };
    let label = finding::label(access);
    let text = sources.line(&at.file, at.line).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = match text.as_str() {
        "" => format!("{} {}", access.kind, bug.shown().location),
        text => text.to_string(),
    };
    let number = format!("{:>6}  ", at.line);
    if text.chars().count() <= SOURCE && SOURCE + 8 + 2 + label.chars().count() <= MAIL {
        line!(out, "{number}{text:SOURCE$}  {label}");
    } else {
        wrapped(out, &number, &text);
        wrapped(out, "          ", &label);
    }
}

/// Who makes the access, and how its thread got there.
fn stack(out: &mut String, access: &Access, told: &Told) {
    let who = match access.entry_point.as_str() {
        "" => format!("thread {}", access.thread),
        name => name.to_string(),
    };
    let caller = finding::caller(access, &told.outcome.entries);
    let caller = caller.map_or(String::new(), |c| format!(" ({c})"));
    wrapped(out, "", &format!("{} by {who}{caller}:", access.kind));
    for frame in &access.stack {
        let at = place(Some(frame));
        let text = format!("  {:<32} {at}", frame.function);
        match text.chars().count() <= MAIL {
            true => line!(out, "{text}"),
            false => line!(out, "  {}\n      {at}", frame.function),
        }
    }
    for (lock, at) in access.locks.iter().zip(&access.acquired) {
        wrapped(
            out,
            "  holds ",
            &format!("{lock}, acquired at {}", place(Some(at))),
        );
    }
    line!(out);
}

/// Text that begins with `start`, and goes on below its end.
fn wrapped(out: &mut String, start: &str, text: &str) {
    let width = MAIL - start.chars().count();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (n, piece) in interleaving::wrap(&text, width).iter().enumerate() {
        match n {
            0 => line!(out, "{start}{piece}"),
            _ => line!(out, "{}{piece}", " ".repeat(start.chars().count())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{hostile, told};
    use super::*;
    use crate::report::sample;

    #[test]
    fn golden() {
        let text = render(&told(&sample::outcome()), &sample::Source);
        sample::expect_text("race.mail", &text);
        let text = render(&told(&sample::quiet_outcome()), &sample::Source);
        sample::expect_text("bounded.mail", &text);
    }

    #[test]
    fn lines_fit_into_a_mail_and_the_head_is_one() {
        for outcome in [sample::outcome(), hostile(), sample::stopped_outcome()] {
            let text = render(&told(&outcome), &sample::Source);
            let (head, body) = text.split_once("\n\n").expect("a head");
            assert_eq!(head.lines().count(), 3, "{head}");
            for line in body.lines() {
                let words = line.split_whitespace().count();
                let width = line.chars().count();
                assert!(width <= MAIL || words == 1, "{width}: {line}");
            }
            assert!(!text.contains('\u{1b}'));
        }
    }
}
