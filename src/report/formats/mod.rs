//! A report in the forms of others: for editors, code hosts, build servers, browsers and mail. Each is a function of what `--format json`
//! says ([`Told`]), so that a stored report looks as it did when it was made.

pub mod gitlab;
pub mod html;
pub mod junit;
pub mod mail;
pub mod sarif;

use super::again::Again;
use super::human::Which;
use super::read::Report;
use super::snippet::Sources;
use super::{capital, lines, names, shorten_paths, top};
use crate::bugs::class::Severity;
use crate::bugs::id::base;
use crate::bugs::{self, Bug};
use crate::forms::Form;
use crate::verdict::{Excuse, Frame, Outcome, Overall, SetAside};

/// What there is to tell: files are named from the current folder, functions as their sources have them.
#[derive(Clone, Debug)]
pub struct Told {
    report: Report,
    /// What the reports for people are made of.
    outcome: Outcome,
    /// Whether known findings were set aside.
    compared: bool,
    /// The exit code of the check.
    exit: u8,
}

impl Told {
    /// Of a report.
    pub fn of(report: Report, sources: &dyn Sources) -> Told {
        let mut outcome = report.outcome();
        let aside = outcome.set_aside.iter_mut().map(|s| &mut s.finding);
        for finding in outcome.findings.iter_mut().chain(aside) {
            shorten_paths(finding, sources);
            names::in_finding(finding);
        }
        for source in &mut outcome.sources {
            *source = sources.shown(source);
        }
        let compared = outcome.set_aside.iter().any(|s| s.by == Excuse::Baseline);
        let exit = match report.verdict {
            Overall::Bug => 1,
            Overall::Unknown => 3,
            Overall::Bounded | Overall::Proved => 0,
        };
        Told {
            report,
            outcome,
            compared,
            exit,
        }
    }

    /// With what the command knows of its own run: its exit code, and whether there was a baseline.
    pub fn of_run(self, exit: u8, compared: bool) -> Told {
        Told {
            exit,
            compared: compared || self.compared,
            ..self
        }
    }

    /// Only that bug; `None`: there is no such one.
    pub fn only(mut self, which: &Which) -> Option<Told> {
        let bugs = self.bugs();
        let meant = match which {
            Which::Number(n) => bugs.get(n.checked_sub(1)?)?.all(),
            Which::Name(id) => vec![bugs.iter().flat_map(Bug::all).find(|b| b.id == *id)?],
        };
        let findings = meant.iter().flat_map(|b| &b.findings);
        let findings = findings.map(|f| (*f).clone()).collect();
        self.outcome.findings = findings;
        Some(self)
    }

    /// What somebody has to mend, the worst first, each with what is told with it.
    fn bugs(&self) -> Vec<Bug<'_>> {
        bugs::told(&self.outcome.findings, &self.outcome.sources)
    }

    /// The bugs that are not told, and who says so.
    fn aside(&self) -> Vec<(Bug<'_>, &SetAside)> {
        let mut groups: Vec<Vec<&SetAside>> = Vec::new();
        let mut all = Vec::new();
        for one in &self.outcome.set_aside {
            let same = |g: &&mut Vec<&SetAside>| g[0].by == one.by && g[0].reason == one.reason;
            match groups.iter_mut().find(same) {
                Some(group) => group.push(one),
                None => groups.push(vec![one]),
            }
        }
        for group in groups {
            let findings = group.iter().map(|s| &s.finding);
            let bugs = bugs::of(findings, &self.outcome.sources);
            all.extend(bugs.into_iter().map(|b| (b, group[0])));
        }
        all
    }

    /// How it is checked again.
    fn again(&self) -> Again {
        Again::of(&self.outcome.input, self.outcome.object.as_deref())
    }

    /// What the input is called: its source, where that is one file; else its own name.
    fn unit(&self) -> &str {
        match self.outcome.sources.as_slice() {
            [one] => one,
            _ => self.outcome.input.first().map_or("", String::as_str),
        }
    }
}

/// The reports in that form, as one text.
pub fn render(form: Form, all: &[Told], sources: &dyn Sources) -> String {
    let one = |told: &Told| match form {
        Form::Lines => lines::render(&told.outcome, sources),
        _ => mail::render(told, sources),
    };
    match form {
        Form::Lines => all.iter().map(one).collect(),
        Form::Mail => all.iter().map(one).collect::<Vec<_>>().join("\n"),
        Form::Html => html::render(all, sources),
        Form::Sarif => sarif::render(all, sources),
        Form::Junit => junit::render(all),
        Form::Gitlab => gitlab::render(all),
    }
}

/// Where a bug is told: its first access, as far as that is known.
fn place_of<'a>(bug: &Bug<'a>) -> Option<&'a Frame> {
    let at = bug.shown().accesses.first().and_then(top)?;
    (at.line > 0 && !at.file.is_empty()).then_some(at)
}

/// The message on one line.
fn message(bug: &Bug<'_>) -> String {
    bug.shown().message.replace(['\n', '\r'], " ")
}

/// What is told with it, as a sentence behind others; empty where nothing is.
fn others(bug: &Bug<'_>) -> String {
    match bug.others() {
        none if none.is_empty() => String::new(),
        all => format!(" {}: {}.", capital(&bug.in_common()), all.join(", ")),
    }
}

/// How a check that decides less than everything ended: a line for each cause.
fn open(told: &Told) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(stopped) = &told.report.stopped {
        all.push(format!("the run was ended before its time: {stopped}"));
    }
    match told.report.not_replayed {
        0 => {}
        n => all.push(format!(
            "{} not confirmed by the interpreter (a bug in irkiss)",
            super::count(n as usize, "interleaving")
        )),
    }
    all
}

/// The command that checks a bug alone.
fn command(told: &Told, bug: &Bug<'_>) -> String {
    let accesses = bug.shown().accesses.iter();
    let names: Vec<&str> = accesses.map(|a| a.entry_point.as_str()).collect();
    let known = |n: &&str| told.report.entry_points.iter().any(|e| e.function == **n);
    match names.as_slice() {
        [a, b] if [a, b].into_iter().all(known) => told.again().command(&format!("--pair {a},{b}")),
        _ => told.again().command(""),
    }
}

/// The severity in the four words that others have for it.
fn graded<T>(severity: Severity, words: [T; 4]) -> T {
    let [harmful, check, marking, benign] = words;
    match severity {
        Severity::Harmful => harmful,
        Severity::Check => check,
        Severity::Marking => marking,
        Severity::Benign => benign,
    }
}

/// `demo` of `drivers/char/demo.c`.
fn stem(file: &str) -> &str {
    let name = base(file);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
pub(in crate::report) mod tests {
    use super::*;
    use crate::report::{json, sample};
    use crate::verdict::Does;

    /// By way of what is stored.
    pub fn told(outcome: &Outcome) -> Told {
        let report = Report::parse(&json::render(outcome), "test").expect("a report");
        let exit = match outcome.overall() {
            Overall::Bug => 1,
            Overall::Unknown => 3,
            _ => 0,
        };
        Told::of(report, &sample::Source).of_run(exit, false)
    }

    /// One that is allowed by the configuration, one that is by the source, one that is known.
    pub fn aside() -> Outcome {
        let mut outcome = sample::outcome();
        let said = [
            (Excuse::Allow("irkiss.toml:3".into()), "counts only"),
            (Excuse::Allow("drivers/char/demo.c:11".into()), "a hint"),
            (Excuse::Baseline, ""),
        ];
        for (n, (by, reason)) in said.into_iter().enumerate() {
            let mut finding = sample::race();
            finding.location = format!("@demo_other_{n}");
            outcome.set_aside.push(SetAside {
                finding,
                by,
                reason: reason.into(),
            });
        }
        outcome
    }

    /// Names that mean something to those who read the formats.
    pub fn hostile() -> Outcome {
        let bad = "</script><script>alert(1)</script>\"'&\n\u{1b}[31m]]>-->{{x}}";
        let mut outcome = sample::outcome();
        outcome.input = vec![format!("{bad}.bc")];
        outcome.sources = vec![format!("{bad}.c")];
        outcome.notes = vec![bad.into()];
        let finding = &mut outcome.findings[0];
        finding.location = bad.into();
        finding.message = format!("data race on {bad}");
        finding.assumptions = vec![bad.into()];
        for access in &mut finding.accesses {
            access.entry_point = bad.into();
            access.locks = vec![bad.into()];
            for frame in &mut access.stack {
                frame.function = bad.into();
                frame.file = format!("{bad}.c");
            }
        }
        for event in &mut finding.events {
            event.at.function = bad.into();
            event.at.file = format!("{bad}.c");
            event.does = Does::Frees(bad.into());
        }
        outcome.pairs[1].a = bad.into();
        outcome
    }

    #[test]
    fn one_bug_of_several() {
        let mut outcome = sample::outcome();
        let mut other = sample::race();
        other.location = "@other".into();
        outcome.findings.push(other);
        let all = told(&outcome);
        assert_eq!(all.bugs().len(), 2);
        let second = all.bugs()[1].id.clone();
        let one = all.clone().only(&Which::Number(2)).expect("there are two");
        assert_eq!(one.bugs()[0].id, second);
        assert!(all.clone().only(&Which::Number(3)).is_none());
        assert!(all.only(&Which::Name(second)).is_some());
    }

    #[test]
    fn nothing_is_lost_on_the_way_by_what_is_stored() {
        let outcome = aside();
        let told = told(&outcome);
        assert_eq!(told.outcome.findings.len(), outcome.findings.len());
        assert_eq!(told.aside().len(), 3);
        assert_eq!(stem("drivers/char/demo.c"), "demo");
    }
}
