//! JUnit's XML, which build servers show: a suite for the input, in it a failure for each bug, what is undecided as skipped, and one case
//! that passes where everything else was decided.

use std::fmt::Write;

use super::{Told, message, open, others, place_of};
use crate::bugs::Bug;
use crate::bugs::class::Severity;
use crate::report::{count, open as causes, overview, wording};
use crate::verdict::{Excuse, Verdict};

/// A test case.
struct Case {
    /// What stays the same from run to run.
    name: String,
    /// `file="…" line="…"`, where known.
    place: String,
    ends: End,
}

/// How a case ends.
enum End {
    Passed,
    Failed {
        kind: &'static str,
        message: String,
        text: String,
    },
    Error(String),
    Skipped(String),
}

/// The document.
pub(super) fn render(all: &[Told]) -> String {
    let suites: Vec<(&str, Vec<Case>)> = all.iter().map(|t| (t.unit(), cases(t))).collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let total = counts(suites.iter().flat_map(|(_, cases)| cases));
    line!(out, "<testsuites name=\"irkiss\" {total}>");
    for (unit, cases) in &suites {
        line!(
            out,
            "  <testsuite name=\"{}\" {}>",
            escaped(unit),
            counts(cases)
        );
        for case in cases {
            write_case(&mut out, case, unit);
        }
        line!(out, "  </testsuite>");
    }
    line!(out, "</testsuites>");
    out
}

/// `tests="…" failures="…" errors="…" skipped="…"`.
fn counts<'a>(cases: impl IntoIterator<Item = &'a Case>) -> String {
    let [mut tests, mut failures, mut errors, mut skipped] = [0; 4];
    for case in cases {
        tests += 1;
        match case.ends {
            End::Passed => {}
            End::Failed { .. } => failures += 1,
            End::Error(_) => errors += 1,
            End::Skipped(_) => skipped += 1,
        }
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
}

fn cases(told: &Told) -> Vec<Case> {
    let plain = |name: String, ends| Case {
        name,
        place: String::new(),
        ends,
    };
    let mut cases: Vec<Case> = told.bugs().iter().map(of_bug).collect();
    for (bug, set_aside) in told.aside() {
        let why = match (&set_aside.by, set_aside.reason.as_str()) {
            (Excuse::Baseline, _) => "known: it stands in the baseline".to_string(),
            (Excuse::Allow(at), reason) => format!("allowed at {at}: {reason}"),
        };
        cases.push(Case {
            ends: End::Skipped(why),
            ..of_bug(&bug)
        });
    }
    for why in open(told) {
        cases.push(plain("the check".to_string(), End::Error(why)));
    }
    for cause in causes::causes(&told.report) {
        let open = count(cause.open.len(), "region");
        let name = format!("undecided: {}", cause.code());
        cases.push(plain(
            name,
            End::Skipped(format!("{} ({open})", cause.text)),
        ));
    }
    let regions = told.report.pairs.iter().flat_map(|p| &p.regions);
    let decided = regions.filter(|r| matches!(r.verdict, Verdict::Proved | Verdict::Bounded));
    // A suite without a case looks as if it had not run.
    if decided.count() > 0 || cases.is_empty() {
        cases.push(plain("everything else".to_string(), End::Passed));
    }
    cases
}

fn of_bug(bug: &Bug<'_>) -> Case {
    let kind = wording::kind(bug.shown().kind);
    let place = place_of(bug).map_or(String::new(), |at| {
        format!(" file=\"{}\" line=\"{}\"", escaped(&at.file), at.line)
    });
    let benign = bug.class.severity() == Severity::Benign;
    let text = format!(
        "{}\n{}\n{} ({}): {}{}\nid {}",
        message(bug),
        overview::how(&bug.all()),
        bug.class.code(),
        bug.class.severity().code(),
        bug.class.effect(),
        others(bug),
        bug.id
    );
    Case {
        name: format!(
            "{}: {} [{}]",
            kind.counted,
            overview::what(&bug.all()),
            bug.id
        ),
        place,
        ends: match benign {
            // Nothing comes of it: it is shown, and fails no build.
            true => End::Skipped(text),
            false => End::Failed {
                kind: kind.rule,
                message: message(bug),
                text,
            },
        },
    }
}

fn write_case(out: &mut String, case: &Case, unit: &str) {
    let head = format!(
        "    <testcase classname=\"{}\" name=\"{}\"{}",
        escaped(unit),
        escaped(&case.name),
        case.place
    );
    match &case.ends {
        End::Passed => line!(out, "{head}/>"),
        End::Skipped(why) => line!(
            out,
            "{head}>\n      <skipped message=\"{}\"/>\n    </testcase>",
            escaped(why)
        ),
        End::Error(why) => line!(
            out,
            "{head}>\n      <error message=\"{}\"/>\n    </testcase>",
            escaped(why)
        ),
        End::Failed {
            kind,
            message,
            text,
        } => line!(
            out,
            "{head}>\n      <failure type=\"{kind}\" message=\"{}\">{}</failure>\n    </testcase>",
            escaped(message),
            escaped_text(text)
        ),
    }
}

/// For an attribute: line breaks would become spaces.
fn escaped(text: &str) -> String {
    escaped_text(text)
        .replace('\n', "&#10;")
        .replace('\t', "&#9;")
}

/// For text. What XML 1.0 has no way to write is left out.
fn escaped_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                write!(out, "\u{fffd}").expect("writing to a string does not fail");
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::{hostile, told};
    use super::*;
    use crate::report::sample;

    #[test]
    fn golden() {
        let all = [
            sample::outcome(),
            sample::quiet_outcome(),
            sample::stopped_outcome(),
        ];
        sample::expect_text("several.junit.xml", &render(&all.each_ref().map(told)));
    }

    #[test]
    fn hostile_names_are_data() {
        let text = render(&[told(&hostile())]);
        assert!(
            !text.contains("<script") && text.contains("&lt;script"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
