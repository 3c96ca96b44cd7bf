//! Sets aside what the user does not want to be told: what the source or a configuration file allows, and what is known already.

use std::collections::BTreeSet;

use super::allow::Allow;
use super::baseline::Baseline;
use super::{comment, id};
use crate::property::Property;
use crate::verdict::{Excuse, Finding, Outcome, SetAside};

/// What the user has said.
pub struct Policy<'a> {
    /// The entries of the configuration file.
    pub allows: &'a [Allow],
    /// What was known before.
    pub baseline: Option<&'a Baseline>,
    /// Today, as `2027-01-31`.
    pub today: &'a str,
    /// A line of a source file, from 1.
    pub line: &'a dyn Fn(&str, u32) -> Option<String>,
}

impl Policy<'_> {
    /// Moves such findings to [`Outcome::set_aside`]; what was of no use, and what has run out, becomes a note. What was set aside
    /// before is judged anew.
    pub fn apply(&self, outcome: &mut Outcome) {
        let aside = std::mem::take(&mut outcome.set_aside);
        let aside = aside.into_iter().map(|s| s.finding);
        let findings: Vec<Finding> = std::mem::take(&mut outcome.findings)
            .into_iter()
            .chain(aside)
            .collect();
        let unit = id::unit(&outcome.sources).to_string();
        let names: Vec<String> = {
            let bugs = super::of(&findings, &outcome.sources);
            let name = |f: &Finding| {
                let of = |b: &&super::Bug<'_>| b.findings.iter().any(|x| std::ptr::eq(*x, f));
                bugs.iter().find(of).map_or(String::new(), |b| b.id.clone())
            };
            findings.iter().map(name).collect()
        };
        let mut used = BTreeSet::new();
        let mut comments = BTreeSet::new();
        let mut notes = BTreeSet::new();
        for (finding, bug) in findings.into_iter().zip(names) {
            let allowed = self.allows.iter().find(|a| {
                let covers = a.covers(&finding, &bug, &unit);
                if covers {
                    used.insert(a.at.clone());
                }
                covers && !a.over(self.today)
            });
            let known = |b: &&Baseline| b.knows(&bug, &finding);
            let excuse = match allowed {
                Some(a) => Some((Excuse::Allow(a.at.clone()), a.reason.clone())),
                None => match comment::allows(&finding, self.line) {
                    Some((at, reason)) => {
                        if reason.is_empty() {
                            notes.insert(format!(
                                "{at}: the comment allows this: add why it is meant"
                            ));
                        }
                        comments.insert(at.clone());
                        Some((Excuse::Allow(at), reason))
                    }
                    None => self
                        .baseline
                        .filter(known)
                        .map(|_| (Excuse::Baseline, String::new())),
                },
            };
            match excuse {
                Some((by, reason)) => outcome.set_aside.push(SetAside {
                    finding,
                    by,
                    reason,
                }),
                None => {
                    notes.extend(comment::misspelt(&finding, self.line));
                    outcome.findings.push(finding);
                }
            }
        }
        notes.extend(self.of_no_use(outcome, &used));
        if outcome.stopped.is_none() && !outcome.not_asked.contains(&Property::Race) {
            notes.extend(comment::unused(&outcome.sources, &comments, self.line));
        }
        let told = std::mem::take(&mut outcome.notes);
        notes.retain(|n| !told.contains(n));
        outcome.notes = told.into_iter().chain(notes).collect();
    }

    /// What is to be said of entries that have run out, or that nothing was found of.
    fn of_no_use(&self, outcome: &Outcome, used: &BTreeSet<String>) -> Vec<String> {
        let mut notes = Vec::new();
        for allow in self.allows {
            if allow.over(self.today) && used.contains(&allow.at) {
                let last = allow.until.as_deref().unwrap_or_default();
                notes.push(format!(
                    "{}: this [[allow]] ended on {last}: what it was about is told again",
                    allow.at
                ));
            } else if !used.contains(&allow.at)
                && outcome.stopped.is_none()
                && allow.concerns(&outcome.sources)
            {
                notes.push(format!(
                    "{}: nothing was found that this [[allow]] is about",
                    allow.at
                ));
            }
        }
        notes
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bugs::allow;
    use crate::program::Touch;
    use crate::verdict::{Access, Act, FindingKind, Frame, Nature, Overall, StateKind};

    /// A race of two functions on that memory.
    pub(in crate::bugs) fn race(location: &str) -> Finding {
        let access = |thread: u32, function: &str, touch: Touch| Access {
            thread,
            entry_point: function.into(),
            stack: vec![Frame {
                function: function.into(),
                file: "drivers/char/demo.c".into(),
                line: 10 + thread,
                column: 1,
            }],
            kind: Act::Touches(touch),
            bytes: 4,
            marked: false,
            locks: vec![],
            acquired: vec![],
            waits_for: None,
            if_by: None,
            value: None,
        };
        Finding {
            kind: FindingKind::DataRace,
            location: location.into(),
            message: format!("data race on {location}"),
            accesses: vec![
                access(0, "demo_open", Touch::Writes),
                access(1, "demo_read", Touch::Reads),
            ],
            also: vec![],
            other_pairs: 0,
            functions: vec!["demo_open".into(), "demo_read".into()],
            state: StateKind::Reached,
            switches: 1,
            assumptions: vec![],
            nature: Nature::default(),
            benign_hints: vec![],
            events: vec![],
            schedule: crate::trace::schedule::Schedule::default(),
        }
    }

    fn outcome(findings: Vec<Finding>) -> Outcome {
        let mut outcome = Outcome::empty(&[], &crate::config::Options::default());
        outcome.sources = vec!["drivers/char/demo.c".into()];
        outcome.findings = findings;
        outcome
    }

    fn applied(findings: Vec<Finding>, toml: &str, baseline: Option<&Baseline>) -> Outcome {
        let mut outcome = outcome(findings);
        let allows = allow::parse(toml, "irkiss.toml").expect("entries");
        let policy = Policy {
            allows: &allows,
            baseline,
            today: "2026-06-01",
            line: &|_, _| None,
        };
        policy.apply(&mut outcome);
        outcome
    }

    #[test]
    fn what_is_allowed_is_set_aside_and_what_is_of_no_use_is_told() {
        let toml = "[[allow]]\nfield = \"foo.bar\"\nreason = \"counts\"\n\
                    [[allow]]\nfield = \"foo.gone\"\nreason = \"old\"\n\
                    [[allow]]\nfile = \"other.c\"\nreason = \"elsewhere\"\n";
        let told = applied(
            vec![race("struct foo.bar"), race("struct foo.baz")],
            toml,
            None,
        );
        assert_eq!(told.findings.len(), 1);
        assert_eq!(told.set_aside.len(), 1);
        assert_eq!(told.set_aside[0].reason, "counts");
        assert_eq!(told.notes.len(), 1, "{:?}", told.notes);
        assert!(told.notes[0].starts_with("irkiss.toml:4: nothing"));
    }

    #[test]
    fn what_has_run_out_is_told_again() {
        let toml = "[[allow]]\nfield = \"foo.bar\"\nreason = \"counts\"\nuntil = \"2026-05-31\"\n";
        let told = applied(vec![race("struct foo.bar")], toml, None);
        assert_eq!((told.findings.len(), told.set_aside.len()), (1, 0));
        assert!(told.notes[0].contains("ended on 2026-05-31"));
    }

    #[test]
    fn what_is_known_is_set_aside_and_no_bug() {
        let before = outcome(vec![race("struct foo.bar")]);
        let baseline = Baseline::of([&before]);
        let told = applied(
            vec![race("struct foo.bar"), race("struct foo.baz")],
            "",
            Some(&baseline),
        );
        assert_eq!(told.findings.len(), 1);
        assert_eq!(told.findings[0].location, "struct foo.baz");
        assert_eq!(told.overall(), Overall::Bug);
        let told = applied(vec![race("struct foo.bar")], "", Some(&baseline));
        assert_ne!(told.overall(), Overall::Bug);
    }
}
