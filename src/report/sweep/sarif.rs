//! A night as SARIF 2.1.0 (OASIS standard), for code hosts and editors: findings with their fingerprints and, since another night, their
//! `baselineState` (§3.27.24).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Picture;
use crate::report::count;
use crate::report::formats::sarif::{self, place, rules};
use crate::sweep::changes::Found;
use crate::sweep::reading::Access;
use crate::verdict::Frame;

/// The log, indented, with a line feed at the end.
pub fn render(picture: Picture<'_>) -> String {
    let mut results = Vec::new();
    match picture.since {
        None => results.extend(picture.now.findings().into_iter().map(|f| result(f, None))),
        Some((_, changes)) => {
            let kinds = [
                (&changes.new, "new"),
                (&changes.known, "unchanged"),
                // A code host closes what is not listed.
                (&changes.carried, "unchanged"),
                (&changes.fixed, "absent"),
            ];
            for (found, state) in kinds {
                results.extend(found.iter().map(|f| result(*f, Some(state))));
            }
        }
    }
    let ids: BTreeSet<&str> = results
        .iter()
        .filter_map(|r| r["ruleId"].as_str())
        .collect();
    let rules: Vec<Value> = ids
        .into_iter()
        .map(|id| rules::kind_of(id).map_or_else(|| json!({"id": id}), rules::descriptor))
        .collect();
    let problems: Vec<Value> = picture
        .without_report()
        .into_iter()
        .map(
            |(task, line)| json!({"level": "warning", "message": {"text": format!("{task}: {line}")}}),
        )
        .collect();
    let successful = problems.is_empty();
    let allowed = (picture.now.allowed > 0).then(|| {
        let what = count(picture.now.allowed, "finding");
        let text = format!("allowed in the source or in irkiss.toml, and not told: {what}");
        json!({"level": "note", "message": {"text": text}})
    });
    let told: Vec<Value> = problems.into_iter().chain(allowed).collect();
    sarif::log(&[sarif::run(
        &rules,
        &[],
        json!({
            "automationDetails": {"id": "irkiss/sweep/"},
            "invocations": [{
                "executionSuccessful": successful,
                "toolExecutionNotifications": told,
            }],
            "results": results,
        }),
    )])
}

fn result(found: Found<'_>, state: Option<&str>) -> Value {
    let finding = found.finding;
    let mut accesses = finding.accesses.iter();
    let first: Vec<Value> = accesses.next().and_then(location).into_iter().collect();
    let related: Vec<Value> = accesses
        .filter_map(|a| {
            let text = format!("{} in {}", a.kind, a.function);
            Some(place::said(location(a)?, &text))
        })
        .collect();
    // One that was stored before there were classes has none.
    let level = finding
        .class
        .map_or("warning", |c| rules::level(c.severity()));
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level,
        "message": {"text": finding.message},
        "locations": first,
        "relatedLocations": related,
        "partialFingerprints": {"irkiss/v1": finding.fingerprint},
        "properties": {"module": found.task},
    });
    if let Some(group) = &finding.group {
        result["partialFingerprints"]["irkiss/bug"] = json!(group);
    }
    if let Some(state) = state {
        result["baselineState"] = json!(state);
    }
    result
}

/// `None`: nothing is known of the place.
fn location(access: &Access) -> Option<Value> {
    let at = Frame {
        function: access.function.clone(),
        file: access.file.clone(),
        line: access.line,
        column: access.column,
    };
    place::location(&at, None)
}
