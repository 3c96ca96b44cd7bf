//! A night as SARIF 2.1.0 (OASIS standard), for code hosts and editors: findings with their fingerprints and, since another night, their
//! `baselineState` (§3.27.24).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Picture;
use crate::sweep::changes::Found;
use crate::sweep::reading::Access;

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
    let rules: BTreeSet<&str> = results
        .iter()
        .filter_map(|r| r["ruleId"].as_str())
        .collect();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({"id": id})).collect();
    let problems: Vec<Value> = picture
        .without_report()
        .into_iter()
        .map(
            |(task, line)| json!({"level": "warning", "message": {"text": format!("{task}: {line}")}}),
        )
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "irkiss",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": [{
                "executionSuccessful": problems.is_empty(),
                "toolExecutionNotifications": problems,
            }],
            "results": results,
        }],
    });
    crate::report::json::text(&log)
}

fn result(found: Found<'_>, state: Option<&str>) -> Value {
    let finding = found.finding;
    let mut accesses = finding.accesses.iter();
    let first: Vec<Value> = accesses.next().and_then(location).into_iter().collect();
    let related: Vec<Value> = accesses
        .filter_map(|a| {
            let mut place = location(a)?;
            place["message"] = json!({"text": format!("{} in {}", a.kind, a.function)});
            Some(place)
        })
        .collect();
    let mut result = json!({
        "ruleId": finding.rule,
        "level": "warning",
        "message": {"text": finding.message},
        "locations": first,
        "relatedLocations": related,
        "partialFingerprints": {"irkiss/v1": finding.fingerprint},
        "properties": {"module": found.task},
    });
    if let Some(state) = state {
        result["baselineState"] = json!(state);
    }
    result
}

/// `None`: nothing is known of the place.
fn location(access: &Access) -> Option<Value> {
    if access.file.is_empty() || access.line == 0 {
        return None;
    }
    let uri = match access.file.starts_with('/') {
        true => format!("file://{}", access.file.replace(' ', "%20")),
        false => access.file.replace(' ', "%20"),
    };
    Some(json!({
        "physicalLocation": {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": access.line, "startColumn": access.column.max(1)},
        },
        "logicalLocations": [{"name": access.function, "kind": "function"}],
    }))
}
