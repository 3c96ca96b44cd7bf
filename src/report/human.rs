//! The report for people: every finding, then the summary.

use super::read::Report;
use super::snippet::Sources;
use super::style::{STRONG, WARNING, paint};
use super::{
    More, Trace, count, finding, lines, names, overview, readable, shorten_paths, shorten_text,
    summary,
};
use crate::bugs::{self, Bug};
use crate::verdict::{Outcome, Replayed};

/// Bugs that are shown with their pictures, unless more are asked for.
const DETAILED: usize = 5;

/// The whole report: each bug once, the worst first.
pub fn render(outcome: &Outcome, sources: &dyn Sources, more: More) -> String {
    let mut out = String::new();
    let mut outcome = outcome.clone();
    readable(&mut outcome, sources);
    let outcome = &outcome;
    let bugs = bugs::of(&outcome.findings, &outcome.sources);
    let told = bugs::together(&bugs);
    let brief = told.len() > DETAILED && !more.all;
    for told in &told {
        match brief {
            true => lines::of_bugs(told).iter().for_each(|l| line!(out, "{l}")),
            false => {
                out.push_str(&one(told, outcome, sources, more));
                out.push('\n');
            }
        }
    }
    if brief {
        line!(
            out,
            "\n{} with --trace full, or one with irkiss show N\n",
            count(told.len(), "picture")
        );
    }
    let known = shorten_text(summary::render(outcome, more), outcome, sources);
    out.push_str(&names::plain(&known));
    out.push_str(&names::plain(&overview::render(&bugs, outcome, None, more)));
    line!(out, "{}", summary::verdict(outcome));
    out
}

/// Which bug is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// That of so many, from 1.
    Number(usize),
    /// By its name.
    Name(String),
}

/// One bug of a report, or all of them; `None`: there is no such one.
pub fn one_of(
    report: &Report,
    which: Option<&Which>,
    sources: &dyn Sources,
    more: More,
) -> Option<String> {
    let mut outcome = report.outcome();
    readable(&mut outcome, sources);
    let bugs = bugs::of(&outcome.findings, &outcome.sources);
    let mut told = bugs::together(&bugs);
    match which {
        None => {}
        Some(Which::Number(n)) => told = vec![told.get(n.checked_sub(1)?)?.clone()],
        Some(Which::Name(id)) => told = vec![vec![bugs.iter().find(|b| b.id == *id)?]],
    }
    let texts = told.iter().map(|t| one(t, &outcome, sources, more));
    let mut text = texts.collect::<Vec<_>>().join("\n");
    if which.is_none() {
        text.push_str(&overview::render(&bugs, &outcome, Some(report), more));
        if bugs.is_empty() {
            line!(text, "nothing was found");
        }
    }
    Some(text)
}

/// Bugs that are told together: the first in full.
fn one(told: &[&Bug<'_>], outcome: &Outcome, sources: &dyn Sources, more: More) -> String {
    let shown = finding::Shown {
        told,
        entries: &outcome.entries,
        trace: more.trace,
        width: more.columns(),
    };
    finding::render(told[0].shown(), shown, sources)
}

/// What `irkiss replay` says.
pub fn render_replayed(replayed: &[Replayed], sources: &dyn Sources) -> String {
    let mut out = String::new();
    for r in replayed {
        match r {
            Replayed::Confirmed(f) => {
                let mut f = f.clone();
                shorten_paths(&mut f, sources);
                names::in_finding(&mut f);
                let shown = finding::Shown {
                    told: &[],
                    entries: &[],
                    trace: Trace::Full,
                    width: More::default().columns(),
                };
                out.push_str(&finding::render(&f, shown, sources));
                out.push_str(&format!("{}\n\n", paint(STRONG, "confirmed")));
            }
            Replayed::Refuted { finding, reason } => {
                out.push_str(&format!(
                    "{finding}: {}: {reason}\n",
                    paint(WARNING, "not confirmed")
                ));
            }
        }
    }
    if replayed.is_empty() {
        out.push_str("no schedule in the file\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn plain(outcome: &Outcome) -> String {
        anstream::adapter::strip_str(&render(
            outcome,
            &sample::Source,
            More {
                stats: true,
                ..More::default()
            },
        ))
        .to_string()
    }

    #[test]
    fn race_report() {
        sample::expect_text("race.txt", &plain(&sample::outcome()));
    }

    #[test]
    fn nothing_found() {
        sample::expect_text("bounded.txt", &plain(&sample::quiet_outcome()));
    }

    #[test]
    fn ended_by_the_clock() {
        sample::expect_text("stopped.txt", &plain(&sample::stopped_outcome()));
    }

    #[test]
    fn first_line_is_one_warning_line() {
        let mut outcome = sample::outcome();
        outcome.findings[0].message = "two\nlines".into();
        let text = plain(&outcome);
        let first = text.lines().next().expect("not empty");
        assert_eq!(
            first,
            "drivers/char/demo.c:12:2: warning: two lines [irkiss-data-race]"
        );
    }

    #[test]
    fn the_same_race_is_told_once() {
        let mut outcome = sample::outcome();
        let mut again = outcome.findings[0].clone();
        again.accesses[1].entry_point = "demo_ioctl".into();
        outcome.findings.push(again);
        let text = plain(&outcome);
        assert_eq!(text.matches("BUG: irkiss").count(), 1);
        assert!(text.contains("The same in: demo_open × demo_release"));
        assert!(text.contains("2 data races"), "the count is of all");
    }

    #[test]
    fn without_source_and_debug_info_it_still_says_where() {
        let mut outcome = sample::outcome();
        for access in &mut outcome.findings[0].accesses {
            access.stack[0].line = 0;
            access.stack[0].file.clear();
        }
        let text = plain(&outcome);
        assert!(
            text.starts_with("demo.bc:0:0: warning: data race"),
            "{text}"
        );
    }
}
