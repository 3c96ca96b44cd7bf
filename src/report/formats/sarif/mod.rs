//! SARIF 2.1.0 (OASIS standard): what code hosts and editors read. One result for each bug, with the interleaving as its code flows.

pub(in crate::report) mod place;
pub(in crate::report) mod rules;

mod flow;
mod result;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Told, open, stem};
use crate::report::snippet::Sources;
use crate::report::{count, json, open as causes};
use crate::verdict::FindingKind;

/// A log of these runs, indented, with a line feed at the end.
pub(in crate::report) fn log(runs: &[Value]) -> String {
    json::text(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    }))
}

/// A run of irkiss. `rest`: what differs from run to run.
pub(in crate::report) fn run(rules: &[Value], notifications: &[Value], rest: Value) -> Value {
    let mut driver = json!({
        "name": "irkiss",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    if !notifications.is_empty() {
        driver["notifications"] = json!(notifications);
    }
    let mut run = json!({
        "tool": {"driver": driver},
        "originalUriBaseIds": {
            place::ROOT: {"description": {"text": "The folder in which irkiss was called"}},
        },
        "columnKind": "unicodeCodePoints",
    });
    if let (Value::Object(run), Value::Object(rest)) = (&mut run, rest) {
        run.extend(rest);
    }
    run
}

/// The log of checks.
pub(super) fn render(all: &[Told], sources: &dyn Sources) -> String {
    let runs: Vec<Value> = all.iter().map(|told| of_check(told, sources)).collect();
    log(&runs)
}

/// The run of a check.
fn of_check(told: &Told, sources: &dyn Sources) -> Value {
    let bugs = told.bugs();
    let aside = told.aside();
    let kinds: BTreeSet<FindingKind> = bugs
        .iter()
        .chain(aside.iter().map(|(b, _)| b))
        .map(|b| b.shown().kind)
        .chain((!told.report.meant.is_empty()).then_some(FindingKind::DataRace))
        .collect();
    let kinds: Vec<FindingKind> = kinds.into_iter().collect();
    let maker = result::Maker {
        told,
        sources,
        kinds: &kinds,
    };
    let mut results: Vec<Value> = bugs.iter().map(|b| maker.told(b)).collect();
    results.extend(aside.iter().map(|(b, s)| maker.aside(b, s)));
    results.extend(told.report.meant.iter().map(|m| maker.meant(m)));
    let rules: Vec<Value> = kinds.iter().map(|k| rules::descriptor(*k)).collect();
    let (notifications, said) = said(told);
    run(
        &rules,
        &notifications,
        json!({
            "automationDetails": {"id": format!("irkiss/{}/", stem(told.unit()))},
            "invocations": [invocation(told, &said)],
            "artifacts": artifacts(told),
            "results": results,
        }),
    )
}

fn invocation(told: &Told, said: &[Value]) -> Value {
    let meaning = match told.exit {
        0 => "nothing that was asked to fail for",
        1 => "something was found",
        3 => "something is not known",
        _ => "",
    };
    json!({
        "executionSuccessful": open(told).is_empty(),
        "exitCode": told.exit,
        "exitCodeDescription": meaning,
        "toolExecutionNotifications": said,
    })
}

/// What the check has to say of itself: kinds of it, and each.
fn said(told: &Told) -> (Vec<Value>, Vec<Value>) {
    let mut kinds = BTreeMap::new();
    let mut all = Vec::new();
    let mut say = |id: &str, level: &str, text: String| {
        let known = kinds.len();
        let index = *kinds.entry(id.to_string()).or_insert(known);
        all.push(json!({
            "descriptor": {"id": id, "index": index},
            "level": level,
            "message": {"text": text},
        }));
    };
    for line in open(told) {
        say("incomplete", "warning", line);
    }
    for cause in causes::causes(&told.report) {
        let regions = count(cause.open.len(), "region");
        let advice = cause.advice(&told.again());
        let advice = advice.map_or(String::new(), |a| format!(". Try: {a}"));
        let text = format!("undecided, {regions}: {}{advice}", cause.text);
        say(&format!("undecided/{}", cause.code()), "note", text);
    }
    for note in &told.report.notes {
        say("note", "note", note.clone());
    }
    // In the order of their numbers.
    let mut kinds: Vec<(usize, String)> = kinds.into_iter().map(|(id, n)| (n, id)).collect();
    kinds.sort();
    let kinds = kinds.into_iter().map(|(_, id)| json!({"id": id}));
    (kinds.collect(), all)
}

fn artifacts(told: &Told) -> Vec<Value> {
    let targets = told.outcome.input.iter();
    let targets = targets.map(|f| (f, json!(["analysisTarget"])));
    let sources = told.outcome.sources.iter();
    let sources = sources.map(|f| (f, json!(["resultFile"])));
    targets
        .chain(sources)
        .map(|(file, roles)| json!({"location": place::artifact(file), "roles": roles}))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{aside, hostile, told};
    use super::*;
    use crate::report::sample;
    use crate::verdict::Outcome;

    fn rendered(outcome: &Outcome) -> String {
        render(&[told(outcome)], &sample::Source)
    }

    #[test]
    fn golden() {
        sample::expect_text("race.sarif", &rendered(&sample::outcome()));
        sample::expect_text("aside.sarif", &rendered(&aside()));
    }

    /// Against the schema of the standard.
    #[test]
    fn logs_are_valid() {
        let schema = include_str!("../../../../tests/data/sarif/sarif-schema-2.1.0.json");
        let schema: Value = serde_json::from_str(schema).expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        for outcome in [
            sample::outcome(),
            sample::quiet_outcome(),
            sample::stopped_outcome(),
            aside(),
            hostile(),
        ] {
            let log: Value = serde_json::from_str(&rendered(&outcome)).expect("JSON");
            let errors: Vec<String> = validator
                .iter_errors(&log)
                .map(|e| format!("{}: {e}", e.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{}", errors.join("\n"));
        }
        // It is no schema that allows everything.
        assert!(!validator.is_valid(&json!({"version": "2.1.0"})));
    }

    #[test]
    fn both_threads_have_a_flow_and_there_is_one_of_all() {
        let log: Value = serde_json::from_str(&rendered(&sample::outcome())).expect("JSON");
        let flows = &log["runs"][0]["results"][0]["codeFlows"];
        let len = |v: &Value| v.as_array().map_or(0, Vec::len);
        let all = len(&flows[0]["threadFlows"][0]["locations"]);
        let each = flows[1]["threadFlows"].as_array().expect("flows");
        assert_eq!(each.len(), 2);
        let sum: usize = each.iter().map(|f| len(&f["locations"])).sum();
        assert_eq!(all, sum);
    }
}
