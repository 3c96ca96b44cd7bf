//! Which lock guards which field (`--guarded-by`), and the places that break the rule (`irkiss suggest`).

use serde::Serialize;

use super::snippet::Sources;
use super::style::{FAINT, STRONG, WARNING, paint};
use super::{count, place_of};
use crate::analysis::guards::{Exception, Guarded, Guards, LeftOut, Suggestion};

/// The table of `--guarded-by`, for people.
pub(super) fn table(guards: &Guards) -> String {
    let mut out = String::new();
    line!(
        out,
        "\nGuarded by one lock wherever two threads may meet:\n"
    );
    if guards.guarded.is_empty() {
        line!(out, "  no field");
    }
    let width = |g: &Guarded| g.location.chars().count();
    let column = guards.guarded.iter().map(width).max().unwrap_or(0).min(60);
    for field in &guards.guarded {
        line!(
            out,
            "  {:<column$}  {}  ({}{})",
            field.location,
            paint(STRONG, field.locks.join(", ")),
            count(field.places, "place"),
            left_out(field.left_out)
        );
    }
    let mostly = guards.suggestions.len();
    if mostly > 0 {
        line!(
            out,
            "  {} guarded in most places (irkiss suggest tells)",
            count(mostly, "field")
        );
    }
    if guards.unguarded > 0 {
        line!(
            out,
            "  {} without such a lock",
            count(guards.unguarded, "field")
        );
    }
    gap(&mut out, guards);
    out
}

/// What `irkiss suggest` says.
pub fn render(guards: &Guards, sources: &dyn Sources) -> String {
    let mut out = String::new();
    if let Some(stopped) = &guards.stopped {
        let text = format!("Stopped before the end ({stopped}): nothing is suggested");
        line!(out, "{}", paint(WARNING, text));
        return out;
    }
    for s in &guards.suggestions {
        suggestion(&mut out, s, sources);
    }
    line!(
        out,
        "{}; {} guarded everywhere (--guarded-by lists them), {} without a lock that most places hold",
        match guards.suggestions.len() {
            0 => "Nothing to suggest".to_string(),
            n => format!("{} guarded in most places", count(n, "field")),
        },
        count(guards.guarded.len(), "field"),
        guards.unguarded
    );
    gap(&mut out, guards);
    out
}

fn suggestion(out: &mut String, s: &Suggestion, sources: &dyn Sources) {
    /// Of more than these, the first line gives the number.
    const SHOWN: usize = 3;
    let shown = s.exceptions.iter().take(SHOWN);
    let mut places: Vec<String> = shown.map(|e| short(e, sources)).collect();
    if s.exceptions.len() > SHOWN {
        places.push(format!("{} more", s.exceptions.len() - SHOWN));
    }
    line!(
        out,
        "{}: {} {} in {} of {}; not at {}",
        paint(STRONG, &s.location),
        paint(WARNING, "guarded by"),
        paint(STRONG, &s.lock),
        s.guarded,
        count(s.places, "place"),
        places.join(", ")
    );
    for e in &s.exceptions {
        let held = match e.locks.as_slice() {
            [] => "no lock held".to_string(),
            locks => format!("held: {}", locks.join(", ")),
        };
        let marked = if e.marked { "marked " } else { "" };
        let from = match e.entry_points.as_slice() {
            [one] if *one == e.line.function => String::new(),
            names => format!(", from {}", listed(names)),
        };
        let file = sources.shown(&e.line.file);
        let place = place_of(&file, e.line.line, e.column, &e.line.function);
        line!(
            out,
            "  {place}: {marked}{} in {}{from}; {held}",
            e.kind,
            e.line.function
        );
        if let Some(text) = sources.line(&file, e.line.line) {
            line!(out, "      {}", paint(FAINT, text.trim()));
        }
    }
    let left = left_out(s.left_out);
    if let Some(left) = left.strip_prefix("; ") {
        line!(out, "  {left}");
    }
}

/// `file:line in function (write)`.
fn short(e: &Exception, sources: &dyn Sources) -> String {
    let file = sources.shown(&e.line.file);
    let marked = if e.marked { "marked " } else { "" };
    match e.line.line {
        0 => format!("{} ({marked}{})", e.line.function, e.kind),
        line => format!("{file}:{line} in {} ({marked}{})", e.line.function, e.kind),
    }
}

/// A few names, and how many more.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 4;
    match names.len() {
        n if n > SHOWN => format!("{} and {} more", names[..SHOWN].join(", "), n - SHOWN),
        _ => names.join(", "),
    }
}

fn left_out(left: LeftOut) -> String {
    let mut parts = Vec::new();
    if left.initialisation > 0 {
        parts.push(format!("{} in initialisation", left.initialisation));
    }
    if left.alone > 0 {
        parts.push(format!(
            "{} that nothing in conflict runs beside",
            left.alone
        ));
    }
    if left.unknown_length > 0 {
        parts.push(count(left.unknown_length, "copy") + " of unknown length");
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!("; not counted: {}", parts.join(", ")),
    }
}

fn gap(out: &mut String, guards: &Guards) {
    if let Some(gap) = &guards.gap {
        line!(
            out,
            "  {}",
            paint(
                WARNING,
                format!("Not everything can be followed ({gap}): other places may exist")
            )
        );
    }
}

#[derive(Serialize)]
struct Report<'a> {
    irkiss: &'static str,
    input: Vec<String>,
    suggestions: &'a [Suggestion],
    guarded_by: &'a [Guarded],
    unguarded: usize,
    gap: Option<&'a str>,
    stopped: Option<String>,
}

/// What `irkiss suggest --format json` says.
pub fn render_json(guards: &Guards, inputs: &[std::path::PathBuf]) -> String {
    super::json::text(&Report {
        irkiss: env!("CARGO_PKG_VERSION"),
        input: inputs.iter().map(|i| i.display().to_string()).collect(),
        suggestions: &guards.suggestions,
        guarded_by: &guards.guarded,
        unguarded: guards.unguarded,
        gap: guards.gap.as_deref(),
        stopped: guards.stopped.map(|s| s.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::analysis::Line;

    fn sample() -> Guards {
        let exception = |line: u32, function: &str, marked| Exception {
            line: Line {
                file: "drivers/char/demo.c".into(),
                line,
                function: function.into(),
            },
            column: 2,
            kind: if marked { "read" } else { "write" }.into(),
            marked,
            entry_points: vec!["demo_open".into()],
            locks: if marked {
                vec!["@other".into()]
            } else {
                Vec::new()
            },
        };
        Guards {
            guarded: vec![Guarded {
                location: "struct demo.count".into(),
                locks: vec!["struct demo.lock".into()],
                places: 7,
                left_out: LeftOut {
                    initialisation: 1,
                    alone: 0,
                    unknown_length: 0,
                },
            }],
            suggestions: vec![Suggestion {
                location: "struct demo.open".into(),
                lock: "struct demo.lock".into(),
                guarded: 14,
                places: 16,
                exceptions: vec![
                    exception(12, "demo_open", false),
                    exception(13, "helper", true),
                ],
                left_out: LeftOut {
                    initialisation: 2,
                    alone: 3,
                    unknown_length: 2,
                },
            }],
            unguarded: 4,
            gap: Some("inline assembly (demo.c:9)".into()),
            stopped: None,
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn suggestions() {
        let text = render(&sample(), &sample::Source);
        sample::expect_text("suggest.txt", &plain(&text));
        let nothing = render(&Guards::default(), &sample::Source);
        assert!(plain(&nothing).starts_with("Nothing to suggest; 0 fields"));
    }

    #[test]
    fn suggestions_for_scripts() {
        sample::expect_text("suggest.json", &render_json(&sample(), &["a.bc".into()]));
    }

    #[test]
    fn guarded_fields() {
        sample::expect_text("guarded.txt", &plain(&table(&sample())));
    }
}
