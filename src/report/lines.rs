//! The report of a checker in a build: lines in the compiler's form, a few for each finding.
//!
//! People compare such lines between two trees: a finding is told once, in the order of all reports, and the first of its lines
//! is the one that `irkiss check` prints first too.

use std::fmt;

use super::snippet::Sources;
use super::{count, finding, place, readable, top, wording};
use crate::bugs::{self, Bug};
use crate::verdict::{Frame, Outcome, Overall, StateKind};

/// A line about a finding.
pub(super) struct Line {
    pub level: Level,
    /// Where; unknown where there is no debug info at all.
    pub at: Option<Frame>,
    /// Without line breaks.
    pub text: String,
}

/// What a line is.
pub(super) enum Level {
    /// The first one of a finding, with the name of its rule.
    Warning(&'static str),
    /// Belongs to the warning before it.
    Note,
}

impl fmt::Display for Line {
    /// `file:line:col: warning: message [rule]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, text) = (place(self.at.as_ref()), &self.text);
        match self.level {
            Level::Warning(rule) => write!(f, "{at}: warning: {text} [{rule}]"),
            Level::Note => write!(f, "{at}: note: {text}"),
        }
    }
}

/// A warning for each finding, followed by notes: the other access, and what the interleaving rests on.
pub(super) fn of(outcome: &Outcome, sources: &dyn Sources) -> Vec<Line> {
    let mut out = Vec::new();
    let mut outcome = outcome.clone();
    readable(&mut outcome, sources);
    let bugs = bugs::of(&outcome.findings, &outcome.sources);
    for told in bugs::together(&bugs) {
        out.extend(of_bugs(&told));
    }
    out
}

/// The lines of bugs that are told together.
pub(super) fn of_bugs(told: &[&Bug<'_>]) -> Vec<Line> {
    let first = told[0].shown();
    let at = first.accesses.first().and_then(top).cloned();
    let mut out = vec![Line {
        level: Level::Warning(wording::kind(first.kind).rule),
        at: at.clone(),
        text: first.message.replace('\n', " "),
    }];
    // The warning stands at the first access: what it holds is told last.
    let others = first.accesses.iter().skip(1);
    for access in others.chain(first.accesses.first()) {
        let what = finding::headline(access, &first.location);
        out.push(Line {
            level: Level::Note,
            at: top(access).cloned(),
            text: format!("{what}: {}", finding::label(access)),
        });
    }
    let named = |b: &&Bug<'_>| format!("{} (id {})", b.places[0], b.id);
    let others: Vec<String> = told[1..].iter().map(named).collect();
    if !others.is_empty() {
        out.push(Line {
            level: Level::Note,
            at: at.clone(),
            text: format!("{}: {}", told[0].in_common(), others.join(", ")),
        });
    }
    out.push(Line {
        level: Level::Note,
        at,
        text: rests_on(told[0]),
    });
    out
}

/// What the interleaving rests on.
fn rests_on(bug: &Bug<'_>) -> String {
    let first = bug.shown();
    let state = match first.state {
        StateKind::Reached | StateKind::Tried => "from module_init or the start",
        StateKind::Assumed(_) => "from an assumed state",
    };
    let mut rest = vec![format!(
        "replayed {state} with {}",
        count(first.switches as usize, "context switch")
    )];
    let pairs = bug.pairs().len();
    if pairs > 1 {
        rest.push(format!("in {}", count(pairs, "pair")));
    }
    rest.push(format!("{}, id {}", bug.class.code(), bug.id));
    // Why stands beside the picture.
    if !first.benign_hints.is_empty() {
        rest.push("may be benign".to_string());
    }
    rest.join("; ")
}

/// The lines as text, without colour; empty where nothing was found.
pub fn render(outcome: &Outcome, sources: &dyn Sources) -> String {
    let mut out = String::new();
    for told in of(outcome, sources) {
        line!(out, "{told}");
    }
    out
}

/// The same; the last note of each finding says how to see its picture: `irkiss show OBJECT:N`.
pub fn render_for(outcome: &Outcome, sources: &dyn Sources, object: &str) -> String {
    let mut out = String::new();
    let mut all = of(outcome, sources).into_iter().peekable();
    let mut n = 0;
    while let Some(mut told) = all.next() {
        n += usize::from(matches!(told.level, Level::Warning(_)));
        let last = all
            .peek()
            .is_none_or(|next| matches!(next.level, Level::Warning(_)));
        if last {
            told.text += &format!("; picture: irkiss show {object}:{n}");
        }
        line!(out, "{told}");
    }
    out
}

/// One line about what was not decided, and what to type; empty where everything was. `kept`: under which name its report is kept.
pub fn undecided(outcome: &Outcome, source: &str, kept: Option<&str>) -> String {
    let all = outcome.pairs.len();
    let unknown = outcome
        .pairs
        .iter()
        .filter(|p| p.overall() == Overall::Unknown)
        .count();
    let mut reasons = Vec::new();
    if unknown > 0 {
        reasons.push(format!("{unknown} of {} unknown", count(all, "pair")));
    }
    if let Some(stopped) = &outcome.stopped {
        reasons.push(format!("ended before its time ({stopped})"));
    }
    if outcome.not_replayed > 0 {
        reasons.push(format!(
            "{} not replayed (a bug in irkiss)",
            outcome.not_replayed
        ));
    }
    if reasons.is_empty() {
        return String::new();
    }
    if let Some(kept) = kept {
        reasons.push(format!("what, and what to type: irkiss why {kept}"));
    }
    format!("{source}: note: irkiss: {}\n", reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn a_finding_is_a_warning_and_notes() {
        let text = render(&sample::outcome(), &sample::Source);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "drivers/char/demo.c:12:2: warning: data race on @demo_open_count between demo_open and demo_release \
                 [irkiss-data-race]",
                "drivers/char/demo.c:31:6: note: read to @demo_open_count of 4 bytes by thread 1 (demo_release): unmarked \
                 read, holds demo_lock",
                "drivers/char/demo.c:12:2: note: write to @demo_open_count of 4 bytes by thread 0 (demo_open): unmarked \
                 write, no lock held",
                "drivers/char/demo.c:12:2: note: replayed from module_init or the start with 2 context switches; marking, \
                 id 1d90-f086350b; may be benign",
            ]
        );
        assert_eq!(render(&sample::quiet_outcome(), &sample::Source), "");
    }

    #[test]
    fn the_same_race_of_another_pair_is_told_once() {
        let mut outcome = sample::outcome();
        let mut again = outcome.findings[0].clone();
        again.accesses[1].entry_point = "demo_ioctl".into();
        outcome.findings.push(again);
        let text = render(&outcome, &sample::Source);
        assert_eq!(text.matches("warning:").count(), 1);
        assert!(text.contains("; in 2 pairs"), "{text}");
    }

    #[test]
    fn what_is_not_decided_is_one_line() {
        assert_eq!(undecided(&sample::quiet_outcome(), "d.c", None), "");
        let text = undecided(&sample::stopped_outcome(), "d.c", Some("d.o"));
        assert_eq!(
            text,
            "d.c: note: irkiss: 1 of 2 pairs unknown; ended before its time (timeout: 10 s); what, and what to type: \
             irkiss why d.o\n"
        );
        let text = undecided(&sample::outcome(), "d.c", None);
        assert!(text.contains("1 not replayed"), "{text}");
    }
}
