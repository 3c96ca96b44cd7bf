//! The results: what was found, and what the user does not want to be told, which viewers hide.

use serde_json::{Value, json};

use super::{flow, place, rules};
use crate::bugs::{Bug, pair_of};
use crate::report::formats::{Told, message, others};
use crate::report::read::Meant;
use crate::report::snippet::Sources;
use crate::report::{finding, fingerprint, top, wording};
use crate::verdict::{Access, Excuse, FindingKind, Frame, SetAside};

/// Makes results.
pub struct Maker<'a> {
    pub told: &'a Told,
    pub sources: &'a dyn Sources,
    /// The rules, in their order.
    pub kinds: &'a [FindingKind],
}

impl Maker<'_> {
    /// One that is told.
    pub fn told(&self, bug: &Bug<'_>) -> Value {
        let mut result = self.result(bug);
        result["suppressions"] = json!([]);
        if self.told.compared {
            result["baselineState"] = json!("new");
        }
        result
    }

    /// One that the user does not want to be told.
    pub fn aside(&self, bug: &Bug<'_>, set_aside: &SetAside) -> Value {
        let mut result = self.result(bug);
        let known = set_aside.by == Excuse::Baseline;
        let suppression = match &set_aside.by {
            Excuse::Baseline => json!({
                "kind": "external",
                "status": "accepted",
                "justification": "known: it stands in the baseline",
            }),
            Excuse::Allow(at) => {
                let at = line_of(at);
                let mut frames = bug.findings.iter().flat_map(|f| &f.accesses);
                let in_source = frames.any(|a| {
                    let mut files = a.stack.iter().map(|f| f.file.as_str());
                    files.any(|f| self.sources.shown(&at.file) == f)
                });
                let mut suppression = json!({
                    "kind": if in_source { "inSource" } else { "external" },
                    "status": "accepted",
                    "justification": set_aside.reason,
                });
                let shown = Frame {
                    file: self.sources.shown(&at.file),
                    ..at
                };
                if let Some(place) = place::location(&shown, Some(self.sources)) {
                    suppression["location"] = place;
                }
                suppression
            }
        };
        result["suppressions"] = json!([suppression]);
        if self.told.compared {
            result["baselineState"] = json!(if known { "unchanged" } else { "new" });
        }
        result
    }

    /// One that nobody looked for, since the source says that it is meant.
    pub fn meant(&self, meant: &Meant) -> Value {
        let what = &meant.what;
        let word = what.by.word();
        let text = format!(
            "a race on {} in {} × {} would be meant ({word}): it was not looked for",
            what.location, meant.a, meant.b
        );
        let shown = |at: &Frame| Frame {
            file: self.sources.shown(&at.file),
            ..at.clone()
        };
        let silenced = what.accesses.iter().filter(|a| a.silenced);
        let places = silenced.filter_map(|a| place::location(&shown(&a.at), Some(self.sources)));
        let mut result = json!({
            "ruleId": wording::kind(FindingKind::DataRace).rule,
            "ruleIndex": self.index(FindingKind::DataRace),
            "kind": "informational",
            "level": "none",
            "message": {"text": text},
            "locations": places.take(1).collect::<Vec<_>>(),
            "suppressions": [{
                "kind": "inSource",
                "status": "accepted",
                "justification": format!("the source says so: {word}"),
            }],
        });
        if self.told.compared {
            result["baselineState"] = json!("unchanged");
        }
        result
    }

    fn index(&self, kind: FindingKind) -> usize {
        let mut kinds = self.kinds.iter();
        kinds.position(|k| *k == kind).unwrap_or(0)
    }

    fn result(&self, bug: &Bug<'_>) -> Value {
        let shown = bug.shown();
        let class = bug.class;
        let mut places = shown.accesses.iter().filter_map(|a| Some((a, self.at(a)?)));
        let first = places.next().map(|(_, place)| place);
        let related: Vec<Value> = places
            .map(|(a, place)| place::said(place, &finding::headline(a, &shown.location)))
            .chain(shown.accesses.iter().flat_map(|a| self.locks(a)))
            .enumerate()
            .map(|(n, mut place)| {
                place["id"] = json!(n + 1);
                place
            })
            .collect();
        let own = pair_of(shown);
        let further = bug.pairs().into_iter().filter(|p| *p != own);
        let pairs: Vec<String> = std::iter::once(own.clone()).chain(further).collect();
        json!({
            "ruleId": wording::kind(shown.kind).rule,
            "ruleIndex": self.index(shown.kind),
            "kind": "fail",
            "level": rules::level(class.severity()),
            "message": {"text": format!("{}. {}{}", message(bug), class.effect(), others(bug))},
            "locations": first.into_iter().collect::<Vec<_>>(),
            "relatedLocations": related,
            "stacks": shown.accesses.iter().map(|a| self.stack(a, bug)).collect::<Vec<_>>(),
            "codeFlows": flow::flows(shown, self.sources),
            "occurrenceCount": bug.all().iter().map(|b| b.findings.len()).sum::<usize>(),
            "partialFingerprints": {
                "irkiss/v1": fingerprint::of(shown),
                "irkiss/bug": bug.id,
            },
            "properties": {
                "id": bug.id,
                "class": class.code(),
                "severity": class.severity().code(),
                "memory": bug.all().iter().map(|b| b.places[0]).collect::<Vec<_>>(),
                "toldWith": bug.with.iter().map(|b| &b.id).collect::<Vec<_>>(),
                "pairs": pairs,
                "state": finding::state(&shown.state),
                "restsOn": finding::contents(shown),
                "assumptions": shown.assumptions,
                "mayBeBenign": shown.benign_hints,
            },
        })
    }

    fn at(&self, access: &Access) -> Option<Value> {
        place::location(top(access)?, Some(self.sources))
    }

    /// Where the locks that its thread holds were acquired, as far as that is known.
    fn locks(&self, access: &Access) -> Vec<Value> {
        let known = access.locks.len() == access.acquired.len();
        let locks = access.locks.iter().zip(&access.acquired);
        let place = |(lock, at): (&String, &Frame)| {
            let place = place::location(at, Some(self.sources))?;
            Some(place::said(place, &format!("{lock} is acquired")))
        };
        locks.filter(|_| known).filter_map(place).collect()
    }

    fn stack(&self, access: &Access, bug: &Bug<'_>) -> Value {
        let frames = access.stack.iter().map(|f| {
            let place = place::location(f, None);
            json!({"location": place.unwrap_or_else(|| {
                json!({"logicalLocations": [{"name": f.function, "kind": "function"}]})
            })})
        });
        json!({
            "message": {"text": finding::headline(access, &bug.shown().location)},
            "frames": frames.collect::<Vec<_>>(),
        })
    }
}

/// The place that `file:line` names.
fn line_of(at: &str) -> Frame {
    let (file, line) = at.rsplit_once(':').unwrap_or((at, ""));
    Frame {
        file: file.to_string(),
        line: line.parse().unwrap_or(0),
        column: 1,
        function: String::new(),
    }
}
