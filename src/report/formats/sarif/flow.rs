//! The interleaving as code flows: first all threads in the order of time, for viewers that show one flow; then a flow for each thread.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::place;
use crate::report::interleaving;
use crate::report::picture::{self, Row};
use crate::report::snippet::Sources;
use crate::verdict::{Does, Finding, FindingKind};

/// Of a finding; none, where nothing is known of its steps.
pub fn flows(finding: &Finding, sources: &dyn Sources) -> Vec<Value> {
    let picture = picture::of(finding);
    let steps: Vec<(u32, Value)> = picture
        .rows
        .iter()
        .enumerate()
        .filter_map(|(n, row)| Some((row.thread, step(n + 1, row, finding, sources)?)))
        .collect();
    if steps.is_empty() {
        return Vec::new();
    }
    let before = match picture.before.as_slice() {
        [] => "from the start".to_string(),
        names => format!("after {}", names.join(", ")),
    };
    let threads = interleaving::threads(finding);
    let own = |thread: &u32| -> Vec<Value> {
        let own = steps.iter().filter(|(t, _)| t == thread);
        own.map(|(_, step)| step.clone()).collect()
    };
    let each: Vec<Value> = threads
        .iter()
        .filter(|t| steps.iter().any(|(s, _)| s == *t))
        .map(|t| {
            json!({
                "id": format!("{t}"),
                "message": {"text": interleaving::heading(finding, *t)},
                "locations": own(t),
            })
        })
        .collect();
    let all: Vec<Value> = steps.iter().map(|(_, step)| step.clone()).collect();
    vec![
        json!({
            "message": {"text": format!("All threads in the order of time, {before}")},
            "threadFlows": [{"id": "all", "locations": all}],
        }),
        json!({
            "message": {"text": format!("Each thread, {before}")},
            "threadFlows": each,
        }),
    ]
}

fn step(n: usize, row: &Row<'_>, finding: &Finding, sources: &dyn Sources) -> Option<Value> {
    let place = place::location(row.at, Some(sources))?;
    let told = picture::told(row, &finding.location, sources);
    let does: Vec<String> = row.steps.iter().map(|s| picture::step(s)).collect();
    let said = match told.values.is_empty() {
        true => does.join(", "),
        false => told.values.join(", "),
    };
    let who = interleaving::heading(finding, row.thread);
    let races = row.last && finding.kind == FindingKind::DataRace;
    let kinds = all_kinds(row.steps.iter().copied(), races);
    let mut step = json!({
        "location": place::said(place, &format!("{who}: {said}")),
        "executionOrder": n,
        "nestingLevel": usize::from(row.within.is_some()),
        "importance": if row.last { "essential" } else { "important" },
    });
    if !kinds.is_empty() {
        step["kinds"] = json!(kinds);
    }
    let state = state(row);
    if !state.is_empty() {
        step["state"] = Value::Object(state);
    }
    Some(step)
}

/// What the steps of a row are, each kind once, as the standard wants it.
fn all_kinds<'a>(steps: impl Iterator<Item = &'a Does>, races: bool) -> Vec<&'static str> {
    let steps = steps.flat_map(kinds).copied();
    let mut all: Vec<&str> = steps.chain(races.then_some("danger")).collect();
    let mut once = BTreeSet::new();
    all.retain(|k| once.insert(*k));
    all
}

/// In the words that the standard proposes (§3.38.8).
fn kinds(does: &Does) -> &'static [&'static str] {
    match does {
        Does::Locks { .. } => &["acquire", "lock"],
        Does::Unlocks { .. } => &["release", "lock"],
        Does::Starts { .. } | Does::Lets { .. } => &["call", "function"],
        Does::Frees(_) => &["release", "memory"],
        Does::UsesFreed(_) | Does::Fails => &["danger"],
        Does::Asserts => &["branch", "true"],
        Does::Ends => &["exit"],
        does if does.place().is_some() => &["value", "memory"],
        _ => &[],
    }
}

/// What is in memory afterwards.
fn state(row: &Row<'_>) -> Map<String, Value> {
    let mut all = Map::new();
    for does in &row.steps {
        let (place, value) = match does {
            Does::Reads {
                place,
                value: Some(value),
                to,
                ..
            }
            | Does::Writes {
                place,
                value: Some(value),
                to,
                ..
            } => (place, picture::number(*value, to.as_deref())),
            Does::Updates { place, after, .. } => (place, picture::number(*after, None)),
            _ => continue,
        };
        all.insert(place.clone(), json!({"text": value}));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_stands_once() {
        let read = Does::Reads {
            place: "counter".into(),
            bytes: 4,
            value: Some(1),
            to: None,
        };
        let all = all_kinds([&read, &read, &Does::Fails].into_iter(), true);
        assert_eq!(all, ["value", "memory", "danger"]);
    }
}
