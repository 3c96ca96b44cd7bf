//! What was found before, looked for in a later report: is it gone, or does nothing say so?
//!
//! A bug is gone where it is not found and all that would say so is decided. What a run was ended before, was not asked, did not get to or
//! left open may hide it.

use std::collections::BTreeSet;

use super::id;
use crate::property::Property;
use crate::verdict::Claim;

/// What is looked for.
pub struct Sought<'a> {
    /// What it refutes.
    pub property: Property,
    /// The memory, by names that last ([`super::about`]).
    pub places: Vec<&'a str>,
    /// Who takes part: functions, entry points among them.
    pub functions: BTreeSet<&'a str>,
}

/// What a report says beside its claims.
pub struct Said<'r> {
    /// What ended the run before its time.
    pub stopped: Option<&'r str>,
    /// What nobody looked for, in the words of [`Property::several`].
    pub not_asked: &'r [String],
    /// Entry points that are not shown to reach anything.
    pub unreached: Vec<&'r str>,
}

impl Sought<'_> {
    /// Whether a claim, where it is decided, says that it is gone. What is said of all that the threads do stands for everything.
    pub fn is_said_by(&self, claim: &Claim) -> bool {
        match claim {
            Claim::Threads => true,
            Claim::Region(region) => {
                let mut places = self.places.iter();
                self.property == Property::Race && places.any(|p| id::is_of(region, p))
            }
            other => Claim::of(self.property).as_ref() == Some(other),
        }
    }

    /// Why nothing says that it is gone; `None`: it is. `open`: the claims that are unknown, each with the reason.
    pub fn hidden<'r>(
        &self,
        said: &Said<'r>,
        open: impl IntoIterator<Item = (Claim, &'r str)>,
    ) -> Option<String> {
        if let Some(stopped) = said.stopped {
            return Some(stopped.to_string());
        }
        let looked_for = self.property.several();
        if said.not_asked.iter().any(|what| what == looked_for) {
            return Some(format!("nobody looked for {looked_for}"));
        }
        let mut unreached = said.unreached.iter();
        if let Some(name) = unreached.find(|name| self.functions.contains(*name)) {
            return Some(format!("{name} is not shown to be reached"));
        }
        let mut open = open.into_iter();
        let (_, why) = open.find(|(claim, _)| self.is_said_by(claim))?;
        Some(why.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::Region;

    fn hidden(property: Property, said: &Said<'_>, open: &[Claim]) -> Option<String> {
        let sought = Sought {
            property,
            places: vec!["users"],
            functions: BTreeSet::from(["demo_open"]),
        };
        let open = open.iter().map(|claim| (claim.clone(), "time"));
        sought.hidden(said, open)
    }

    const ALL: Said<'static> = Said {
        stopped: None,
        not_asked: &[],
        unreached: Vec::new(),
    };

    #[test]
    fn what_is_open_hides_what_was_found_there() {
        let users = Claim::Region(Region::new("@users"));
        let other = Claim::Region(Region::new("@others"));
        let race = |open: &[Claim]| hidden(Property::Race, &ALL, open);
        assert_eq!(race(std::slice::from_ref(&users)).as_deref(), Some("time"));
        assert_eq!(race(&[other, Claim::Freed]), None);
        assert!(race(&[Claim::Threads]).is_some());
        assert_eq!(hidden(Property::Uaf, &ALL, &[users]), None);
        assert!(hidden(Property::Uaf, &ALL, &[Claim::Freed]).is_some());
    }

    #[test]
    fn what_nobody_looked_for_or_got_to_is_not_gone() {
        let not_asked = [Property::Uaf.several().to_string()];
        let narrow = Said {
            not_asked: &not_asked,
            ..ALL
        };
        assert!(hidden(Property::Uaf, &narrow, &[]).is_some());
        assert_eq!(hidden(Property::Race, &narrow, &[]), None);
        let vacuous = |name| Said {
            unreached: vec![name],
            ..ALL
        };
        assert!(hidden(Property::Race, &vacuous("demo_open"), &[]).is_some());
        assert_eq!(hidden(Property::Race, &vacuous("demo_read"), &[]), None);
    }
}
