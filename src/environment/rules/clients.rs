//! Places that users of a resource call: `[[clients]]` in rule files.

use serde::Deserialize;

use super::Rules;

/// Other parts of the kernel call these as they need them, and no lock of the core says whether at the same time: who uses one resource
/// alone does one thing after the other, as a rule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientsRule {
    /// The places: `struct.field`, or `struct.*`.
    pub of: Vec<String>,
    /// What is used, for people.
    pub resource: String,
    /// The kernel source that justifies the rule.
    #[serde(default)]
    pub cite: String,
}

impl ClientsRule {
    /// Whether a place is one of them.
    pub fn names(&self, place: &str) -> bool {
        let is = |of: &String| match of.strip_suffix(".*") {
            Some(table) => place.split_once('.').is_some_and(|(t, _)| t == table),
            None => of == place,
        };
        self.of.iter().any(is)
    }
}

impl Rules {
    /// What users of resources call.
    pub fn clients(&self) -> &[ClientsRule] {
        &self.clients
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_all_fields_of_a_struct() {
        let rule = ClientsRule {
            of: vec!["serio.open".to_string(), "dvb_demux.*".to_string()],
            resource: "port".to_string(),
            cite: String::new(),
        };
        for (place, named) in [
            ("serio.open", true),
            ("serio.close", false),
            ("dvb_demux.start_feed", true),
            ("dvb_demux_feed.cb", false),
        ] {
            assert_eq!(rule.names(place), named, "{place}");
        }
    }
}
