//! The report for people: every finding, then the summary.

use super::snippet::Sources;
use super::style::{STRONG, WARNING, paint};
use super::{More, finding, groups, in_order, names, shorten_paths, summary, top};
use crate::verdict::{Access, Finding, Outcome, Replayed};

/// The whole report. Findings that share a fingerprint are shown once.
pub fn render(outcome: &Outcome, sources: &dyn Sources, more: More) -> String {
    let mut out = String::new();
    let mut outcome = outcome.clone();
    for f in &mut outcome.findings {
        shorten_paths(f, sources);
        names::in_finding(f);
    }
    let outcome = &outcome;
    for group in groups(in_order(outcome)) {
        let (first, rest) = group.split_first().expect("a group is not empty");
        let mut also: Vec<String> = rest.iter().map(|f| pair_of(f)).collect();
        also.sort();
        also.dedup();
        also.retain(|pair| *pair != pair_of(first));
        out.push_str(&finding::render(first, &also, sources));
        out.push('\n');
    }
    out.push_str(&names::plain(&summary::render(outcome, more)));
    out
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
                out.push_str(&finding::render(&f, &[], sources));
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

fn pair_of(finding: &Finding) -> String {
    let name = |a: &Access| {
        if a.entry_point.is_empty() {
            top(a).map_or(String::new(), |f| f.function.clone())
        } else {
            a.entry_point.clone()
        }
    };
    let names: Vec<String> = finding.accesses.iter().map(name).collect();
    names.join(" × ")
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
                fields: false,
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
        assert!(text.contains("The same in: demo_open × demo_ioctl"));
        assert!(text.contains("2 data races"), "the count is of all");
    }

    #[test]
    fn without_source_and_debug_info_it_still_says_where() {
        let mut outcome = sample::outcome();
        for access in &mut outcome.findings[0].accesses {
            access.stack[0].line = 0;
        }
        let text = plain(&outcome);
        assert!(
            text.starts_with("demo_open(): warning: data race"),
            "{text}"
        );
    }
}
