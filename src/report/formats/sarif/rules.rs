//! The rules that results name: one for each kind of finding.

use serde_json::{Value, json};

use crate::bugs::class::{self, Class, Severity};
use crate::property::Property;
use crate::report::formats::graded;
use crate::report::wording;
use crate::verdict::FindingKind;

/// How a severity is called.
pub fn level(severity: Severity) -> &'static str {
    graded(severity, ["error", "warning", "note", "note"])
}

/// The kind of that rule.
pub fn kind_of(rule: &str) -> Option<FindingKind> {
    let mut all = FindingKind::ALL.iter().copied();
    all.find(|k| wording::kind(*k).rule == rule)
}

/// What is said of a rule.
pub fn descriptor(kind: FindingKind) -> Value {
    let rule = wording::kind(kind).rule;
    let mut short = wording::kind(kind).counted.to_string();
    short[..1].make_ascii_uppercase();
    let full = wording::explained(kind);
    let classes = classes(kind);
    let worst = classes.iter().map(|c| c.severity()).min();
    // What a result is, says the result: races are of all severities.
    let usual = match kind {
        FindingKind::DataRace => Severity::Check,
        _ => worst.unwrap_or(Severity::Harmful),
    };
    json!({
        "id": rule,
        "name": pascal(rule),
        "shortDescription": {"text": short},
        "fullDescription": {"text": full},
        "help": {
            "text": help(full, &classes, "", ""),
            "markdown": help(full, &classes, "**", "`"),
        },
        "defaultConfiguration": {"level": level(usual)},
        "properties": {"tags": ["concurrency", "correctness"]},
    })
}

/// The classes of such findings.
fn classes(kind: FindingKind) -> Vec<Class> {
    match class::of_property(kind.property()) {
        Some(class) => vec![class],
        None => {
            // A race may be a use of what is freed, too.
            let others = Property::ALL.iter().filter(|p| **p != Property::Uaf);
            let others: Vec<Class> = others.filter_map(|p| class::of_property(*p)).collect();
            let of_races = |c: &Class| !others.contains(c);
            Class::ALL.iter().copied().filter(of_races).collect()
        }
    }
}

fn help(full: &str, classes: &[Class], strong: &str, code: &str) -> String {
    let mut text = format!("{full}\n\n");
    for class in classes {
        text += &format!(
            "- {strong}{}{strong} ({}): {}\n",
            class.code(),
            class.severity().code(),
            class.effect()
        );
    }
    text += &format!(
        "\nIf it is meant: {code}irkiss allow ID --reason \"…\"{code}, or a comment in the source: {code}// irkiss: allow(race) …{code}"
    );
    text
}

/// `DataRace` of `irkiss-data-race`.
fn pascal(rule: &str) -> String {
    let words = rule.split('-').skip(1).map(|word| {
        let mut word = word.to_string();
        word[..1].make_ascii_uppercase();
        word
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_rule() {
        for kind in FindingKind::ALL {
            let rule = wording::kind(*kind).rule;
            assert_eq!(kind_of(rule), Some(*kind));
            assert_eq!(descriptor(*kind)["id"], rule);
        }
        assert_eq!(descriptor(FindingKind::DataRace)["name"], "DataRace");
        assert_eq!(kind_of("irkiss"), None);
    }
}
