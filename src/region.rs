//! Regions of memory by name: what claims are about.
//!
//! A region is a class of objects and a range of their bytes, as `analysis/regions.rs` names it: `struct foo.bar`, `@global`, `@global+8`,
//! `heap(kmalloc at f.c:12)+8`. A finding speaks of one place in it, as the interpreter met it: `global`, `foo.bar[3]`. Whether a place is one of
//! a region is decided here and nowhere else.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of a region, by which it is known in all of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Region(String);

/// What stands before the name of state that the environment's functions keep.
pub const OF_ENVIRONMENT: &str = "the environment's ";

impl Region {
    /// The region of that name.
    pub fn new(name: impl Into<String>) -> Region {
        Region(name.into())
    }

    /// As reports write it.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// As findings write it, with every index replaced by `*`: without the mark of a global variable, or of state of the environment.
    pub fn told(&self) -> String {
        let name = self.0.trim_start_matches('@');
        starred(name.trim_start_matches(OF_ENVIRONMENT))
    }

    /// Whether the place that a finding names is one of it.
    pub fn has(&self, place: &str) -> bool {
        self.told() == starred(place)
    }

    /// The same with every index replaced by `*`: of an array, the elements together.
    pub fn starred(&self) -> Region {
        Region(starred(&self.0))
    }
}

/// Whether a user calls a region or field so, who may leave out `struct ` or `@`.
pub fn is_called(name: &str, by_user: &str) -> bool {
    bare(name) == bare(by_user)
}

fn bare(name: &str) -> &str {
    let name = name.strip_prefix("struct ").unwrap_or(name);
    name.strip_prefix('@').unwrap_or(name)
}

/// The name with every index replaced by `*`.
pub fn starred(name: &str) -> String {
    let mut out = String::new();
    for (n, part) in name.split('[').enumerate() {
        match part.split_once(']') {
            Some((index, rest)) if n > 0 && index.bytes().all(|b| b.is_ascii_digit()) => {
                out.push_str("[*]");
                out.push_str(rest);
            }
            _ => {
                if n > 0 {
                    out.push('[');
                }
                out.push_str(part);
            }
        }
    }
    out
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Region {
    fn from(name: &str) -> Region {
        Region::new(name)
    }
}

impl Borrow<str> for Region {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_findings_lie_in_regions() {
        assert!(Region::new("@users").has("users"));
        assert!(Region::new("@table[*].count").has("table[3].count"));
        assert!(Region::new("the environment's irq").has("irq"));
        assert!(Region::new("heap(kmalloc at f.c:12)+8").has("heap(kmalloc at f.c:12)+8"));
        assert!(!Region::new("@users").has("users+8"));
        assert!(!Region::new("struct foo.bar").has("struct foo.baz"));
    }

    #[test]
    fn users_leave_out_what_kind_of_name_it_is() {
        let field = "struct foo.bar";
        assert!(is_called(field, "foo.bar") && is_called(field, field));
        assert!(!is_called(field, "bar"));
        assert!(is_called("@users", "users"));
    }
}
