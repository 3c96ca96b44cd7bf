//! The report for scripts: one object. The names are part of irkiss's interface: more may come, none goes.

mod findings;

use std::collections::BTreeMap;

use serde::Serialize;

use super::{in_order, names, wording};
use crate::analysis::guards::Guarded;
use crate::assumption::Assumption;
use crate::bugs::{self, id};
use crate::environment::entry::{Context, Phase};
use crate::verdict::{
    Bounds, Claim, Cut, Ending, Finding, Outcome, Overall, RegionResult, Replayed, Tier, Verdict,
    Within,
};
use findings::{AsideOut, BugOut, FindingOut, Named, aside, finding};

#[derive(Serialize)]
struct Report<'a> {
    irkiss: &'static str,
    input: &'a [String],
    /// The source files of the input, without headers.
    sources: &'a [String],
    verdict: Overall,
    stopped: Option<String>,
    /// What nobody looked for, in words.
    not_asked: Vec<&'static str>,
    bounds: Bounds,
    entry_points: Vec<Entry<'a>>,
    pairs: Vec<Pair<'a>>,
    /// What somebody has to mend, the worst first: each is a group of findings.
    bugs: Vec<BugOut<'a>>,
    findings: Vec<FindingOut<'a>>,
    /// Races that were not looked for, since the source says that they are meant; and findings that the user does not want to be told.
    suppressed: Vec<AsideOut<'a>>,
    unmodelled: Unmodelled<'a>,
    not_replayed: u32,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    guarded_by: Option<&'a [Guarded]>,
    stats: &'a BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct Entry<'a> {
    function: &'a str,
    context: Context,
    via: &'a str,
    /// Other places where it was found, in the same object.
    also: &'a [String],
    phase: Phase,
    registered_by: Option<&'a str>,
    /// Further objects that register it.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    alike: &'a [String],
    beside_itself: bool,
    serialized_by: &'a [String],
    /// Whether a rule knows it.
    known: bool,
    /// The kernel source that the rule cites.
    why: &'a str,
}

#[derive(Serialize)]
struct Pair<'a> {
    a: &'a str,
    b: &'a str,
    /// Of a scenario only.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    further: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    scenario: &'a str,
    serialized_by: Option<&'a str>,
    nothing_shared: bool,
    regions: Vec<RegionOut<'a>>,
    /// Of a pair without regions.
    #[serde(skip_serializing_if = "<[Assumption]>::is_empty")]
    assumptions: &'a [Assumption],
    reachable_sites: Reachable<'a>,
    vacuous: Option<&'a str>,
}

#[derive(Serialize)]
struct RegionOut<'a> {
    location: &'a Claim,
    claim: &'static str,
    verdict: Verdict,
    by: Option<Tier>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    within: &'a [Within],
    /// The text of `why`, where it is unknown.
    reason: Option<String>,
    /// Not of a race.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<WhyOut<'a>>,
    assumptions: &'a [Assumption],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    run: &'a [String],
}

/// Why no more is known.
#[derive(Serialize)]
struct WhyOut<'a> {
    code: &'static str,
    text: String,
    at: Option<&'a str>,
    #[serde(rename = "try")]
    next_step: Option<String>,
    /// Whether a larger budget may decide it.
    #[serde(skip_serializing_if = "is_false")]
    limit: bool,
    /// Where executions end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ends: Vec<EndOut<'a>>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_false(what: &bool) -> bool {
    !what
}

#[derive(Serialize)]
struct EndOut<'a> {
    code: &'static str,
    /// What is not modelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    what: Option<&'a str>,
    at: &'a str,
}

#[derive(Serialize)]
struct Reachable<'a> {
    a: (u32, u32),
    b: (u32, u32),
    #[serde(skip_serializing_if = "<[(u32, u32)]>::is_empty")]
    further: &'a [(u32, u32)],
}

#[derive(Serialize)]
struct Unmodelled<'a> {
    externals: BTreeMap<&'a str, u32>,
    asm: BTreeMap<&'a str, u32>,
}

#[derive(Serialize)]
struct ReplayReport<'a> {
    irkiss: &'static str,
    replayed: Vec<ReplayOut<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ReplayOut<'a> {
    Confirmed {
        confirmed: bool,
        finding: Box<FindingOut<'a>>,
    },
    Refuted {
        confirmed: bool,
        name: &'a str,
        reason: &'a str,
    },
}

/// The object, indented, with a line feed at the end.
pub fn render(outcome: &Outcome) -> String {
    let unit = id::unit(&outcome.sources);
    let bugs = bugs::of(&outcome.findings, &outcome.sources);
    let told = bugs::told(&outcome.findings, &outcome.sources);
    let named = |f: &Finding| Named::of(f, &bugs, unit);
    let set_aside: Vec<Finding> = outcome
        .set_aside
        .iter()
        .map(|s| s.finding.clone())
        .collect();
    let others = bugs::of(&set_aside, &outcome.sources);
    let names: Vec<Named> = set_aside
        .iter()
        .map(|f| Named::of(f, &others, unit))
        .collect();
    let report = Report {
        irkiss: env!("CARGO_PKG_VERSION"),
        input: &outcome.input,
        sources: &outcome.sources,
        verdict: outcome.overall(),
        stopped: outcome.stopped.map(|s| s.to_string()),
        not_asked: outcome.not_asked.iter().map(|p| p.several()).collect(),
        bounds: outcome.bounds,
        entry_points: outcome
            .entries
            .iter()
            .map(|e| Entry {
                function: &e.function,
                context: e.context,
                via: &e.via,
                also: &e.also,
                phase: e.phase,
                registered_by: e.registered_by.as_deref(),
                alike: &e.alike,
                beside_itself: e.beside_itself,
                serialized_by: &e.serialized_by,
                known: e.known,
                why: &e.why,
            })
            .collect(),
        pairs: outcome
            .pairs
            .iter()
            .map(|p| Pair {
                a: &p.a,
                b: &p.b,
                further: &p.further,
                scenario: &p.scenario,
                serialized_by: p.serialized_by.as_deref(),
                nothing_shared: p.nothing_shared,
                regions: p.regions.iter().map(region).collect(),
                assumptions: &p.assumptions,
                reachable_sites: Reachable {
                    a: p.reachable_sites[0],
                    b: p.reachable_sites[1],
                    further: &p.reachable_sites[2..],
                },
                vacuous: p.vacuous(),
            })
            .collect(),
        bugs: told.iter().flat_map(|b| findings::bugs(b, unit)).collect(),
        findings: in_order(outcome)
            .into_iter()
            .map(|f| finding(f, &named(f)))
            .collect(),
        suppressed: aside(outcome, &names),
        unmodelled: Unmodelled {
            externals: counts(&outcome.default_models),
            asm: counts(&outcome.unmodelled_asm),
        },
        not_replayed: outcome.not_replayed,
        notes: &outcome.notes,
        guarded_by: outcome.guarded_by.as_ref().map(|g| g.guarded.as_slice()),
        stats: &outcome.stats,
    };
    names::in_json(text(&report))
}

/// What `irkiss replay --format json` says.
pub fn render_replayed(replayed: &[Replayed]) -> String {
    let replayed = replayed
        .iter()
        .map(|r| match r {
            Replayed::Confirmed(f) => ReplayOut::Confirmed {
                confirmed: true,
                finding: Box::new(finding(f, &Named::of(f, &[], ""))),
            },
            Replayed::Refuted { finding, reason } => ReplayOut::Refuted {
                confirmed: false,
                name: finding,
                reason,
            },
        })
        .collect();
    text(&ReplayReport {
        irkiss: env!("CARGO_PKG_VERSION"),
        replayed,
    })
}

/// The types above have string keys and finite numbers only: they always serialise.
pub(super) fn text(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a report serialises");
    text.push('\n');
    text
}

fn region(r: &RegionResult) -> RegionOut<'_> {
    RegionOut {
        location: r.claim(),
        claim: r.claim().code(),
        verdict: r.verdict(),
        by: r.by(),
        within: r.within(),
        reason: r.why().map(wording::text),
        why: why(r),
        assumptions: r.assumptions(),
        run: r.run(),
    }
}

fn why(r: &RegionResult) -> Option<WhyOut<'_>> {
    let plain = |code, text: &str| WhyOut {
        code,
        text: text.to_string(),
        at: None,
        next_step: None,
        limit: false,
        ends: Vec::new(),
    };
    match (r.verdict(), r.why()) {
        (Verdict::Race, _) => None,
        (Verdict::Proved, _) => Some(plain("proved", "none, for any number of threads")),
        (Verdict::Bounded, _) => Some(plain("bounds", "none within the bounds")),
        (Verdict::Unknown, why) => why.map(|why| WhyOut {
            code: why.code(),
            text: wording::text(why),
            at: why.at(),
            next_step: wording::next_step(why),
            limit: why.is_limit(),
            ends: why.ends().iter().map(end).collect(),
        }),
    }
}

fn end(ending: &Ending) -> EndOut<'_> {
    EndOut {
        code: ending.cut.code(),
        what: match &ending.cut {
            Cut::Unsupported(what) => Some(what),
            _ => None,
        },
        at: &ending.at,
    }
}

fn counts(list: &[(String, u32)]) -> BTreeMap<&str, u32> {
    let mut map = BTreeMap::new();
    for (name, n) in list {
        *map.entry(name.as_str()).or_default() += n;
    }
    map
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn golden() {
        sample::expect_text("race.json", &render(&sample::outcome()));
    }

    #[test]
    fn order_of_findings_does_not_depend_on_discovery() {
        let mut outcome = sample::outcome();
        let mut other = sample::race();
        other.accesses[0].stack[0].line = 3;
        other.location = "@other".into();
        outcome.findings.push(other);
        let one = render(&outcome);
        outcome.findings.reverse();
        assert_eq!(one, render(&outcome));
    }

    #[test]
    fn the_worst_wins() {
        let verdict = |o: &Outcome| -> String {
            let v: serde_json::Value = serde_json::from_str(&render(o)).expect("json");
            v["verdict"].as_str().expect("a string").to_string()
        };
        let mut o = sample::outcome();
        assert_eq!(verdict(&o), "bug");
        o.findings.clear();
        o.pairs.retain(|p| p.a != p.b);
        o.pairs[0].regions = sample::all(&o.pairs[0].regions, Verdict::Bounded);
        assert_eq!(verdict(&o), "unknown");
        let quiet = sample::quiet_outcome();
        assert_eq!(verdict(&quiet), "bounded");
        let mut proved = quiet.clone();
        for pair in &mut proved.pairs {
            pair.regions = sample::all(&pair.regions, Verdict::Proved);
        }
        assert_eq!(verdict(&proved), "proved");
        let mut lost = quiet.clone();
        lost.not_replayed = 1;
        assert_eq!(verdict(&lost), "unknown");
        let mut vacuous = quiet.clone();
        vacuous.pairs[0].reachable_sites[1].0 = 0;
        assert_eq!(verdict(&vacuous), "unknown");
        let mut empty = quiet;
        empty.pairs.clear();
        assert_eq!(verdict(&empty), "unknown");
    }

    #[test]
    fn replay_report_says_what_was_confirmed() {
        let text = render_replayed(&[
            Replayed::Confirmed(Box::new(sample::race())),
            Replayed::Refuted {
                finding: "x".into(),
                reason: "step 3".into(),
            },
        ]);
        let v: serde_json::Value = serde_json::from_str(&text).expect("json");
        assert_eq!(v["replayed"][0]["confirmed"], true);
        assert_eq!(v["replayed"][0]["finding"]["kind"], "data-race");
        assert_eq!(v["replayed"][1]["confirmed"], false);
        assert_eq!(v["replayed"][1]["reason"], "step 3");
    }
}
