//! How bad a finding is, and why: a code for scripts, a sentence of what may come of it.
//!
//! The classes of data races follow what the kernel's documentation of access marking and KCSAN's reports distinguish: whether a mixture
//! of two values may be seen, an update lost, a pointer or a branch is at stake, or only a mark is missing. They are facts of the two
//! accesses, no proof of harm, and none of harmlessness.

use serde::{Deserialize, Serialize};

use crate::program::Touch;
use crate::property::Property;
use crate::verdict::{Access, Finding, Nature};

/// How much attention it needs. The order is that of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something is damaged, lost or used after its end.
    Harmful,
    /// It depends on what is done with the value.
    Check,
    /// Works as compiled today; the source has to say that it is meant.
    Marking,
    /// Nothing comes of it as it stands.
    Benign,
}

impl Severity {
    /// Its name.
    pub fn code(self) -> &'static str {
        match self {
            Severity::Harmful => "harmful",
            Severity::Check => "check",
            Severity::Marking => "marking",
            Severity::Benign => "benign",
        }
    }
}

/// One line for each class: name, code, severity, and what may come of it.
macro_rules! classes {
    ($($name:ident = $code:literal, $severity:ident: $effect:literal;)*) => {
        /// What is at stake. The order is that of reports: the worst first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Class {
            $(#[doc = $effect] #[serde(rename = $code)] $name,)*
        }

        impl Class {
            /// Every class.
            pub const ALL: &'static [Class] = &[$(Class::$name,)*];

            /// Its name, for scripts.
            pub fn code(self) -> &'static str {
                match self { $(Class::$name => $code,)* }
            }

            /// How much attention it needs.
            pub fn severity(self) -> Severity {
                match self { $(Class::$name => Severity::$severity,)* }
            }

            /// What may come of it: one sentence.
            pub fn effect(self) -> &'static str {
                match self { $(Class::$name => $effect,)* }
            }
        }
    };
}

classes! {
    UseAfterFree = "use-after-free", Harmful: "Memory that may belong to somebody else by now is read or written.";
    Assertion = "assertion", Harmful: "The condition that the source states does not hold.";
    Deadlock = "deadlock", Harmful: "The threads wait for each other and never go on.";
    UseAfterRemoval = "use-after-removal", Harmful: "The driver runs, or uses its device, after it was taken away.";
    LockMisuse = "lock-misuse", Harmful: "The rules for the lock are broken: it may hang, or protect nothing.";
    Atomicity = "atomicity", Harmful: "What another thread wrote in between is overwritten.";
    Pointer = "pointer", Harmful: "A pointer is used while it is changed: it may be followed to what is no longer there.";
    Torn = "torn", Harmful: "The value is written or read in several parts: a mixture of old and new may be seen.";
    LostUpdate = "lost-update", Harmful: "Both start from the same old value: one of the two changes is lost.";
    BitField = "bit-field", Harmful: "A bit-field is written together with its neighbours: a change of another one may be undone.";
    WriteWrite = "write-write", Check: "Two values are written in no order: the last writer wins.";
    ControlFlow = "control-flow", Check: "A branch is taken by a value that changes meanwhile: what follows may act on one that is out of date.";
    Marking = "marking", Marking: "The reader gets the value before or after; compilers may read it twice or not at all, unless both accesses are marked (READ_ONCE, WRITE_ONCE).";
    HalfMarked = "half-marked", Marking: "One access is marked: marking the other, too, makes the pair well defined.";
    SameValue = "same-value", Benign: "Nothing changes by it: both write the same, or what stands there all the time.";
}

/// Of a finding.
pub fn of(finding: &Finding) -> Class {
    match of_property(finding.kind.property()) {
        Some(class) => class,
        None => of_race(finding),
    }
}

/// The one class of what refutes a property; none of races, which are of many.
pub fn of_property(property: Property) -> Option<Class> {
    match property {
        Property::Race => None,
        Property::Assert | Property::Bug => Some(Class::Assertion),
        Property::Uaf => Some(Class::UseAfterFree),
        Property::Deadlock => Some(Class::Deadlock),
        Property::LockMisuse => Some(Class::LockMisuse),
        Property::Removed => Some(Class::UseAfterRemoval),
        Property::Atomicity => Some(Class::Atomicity),
    }
}

fn of_race(finding: &Finding) -> Class {
    let part = |a: &Access| {
        Some(Part {
            touch: a.touch()?,
            marked: a.marked,
        })
    };
    let parts: Vec<Part> = finding.accesses.iter().filter_map(part).collect();
    of_accesses(&parts, &finding.nature)
}

/// One access of a race, as far as the class depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// What it does.
    pub touch: Touch,
    /// As [`crate::verdict::Access::marked`].
    pub marked: bool,
}

/// Of two accesses that race. `nature`: what they do with the memory, in the same order.
pub fn of_accesses(parts: &[Part], nature: &Nature) -> Class {
    let all_write = parts.iter().all(|a| a.touch != Touch::Reads);
    let half = parts.iter().any(|a| a.marked);
    let updates = nature.updates.iter().any(|u| *u);
    let frees = parts.iter().any(|a| a.touch == Touch::Frees);
    // Whether the one that reads does so for an update.
    let mut sides = parts.iter().zip(&nature.updates);
    let updating_read = sides.any(|(part, updates)| *updates && part.touch == Touch::Reads);
    match () {
        () if frees => Class::UseAfterFree,
        () if nature.torn => Class::Torn,
        () if nature.same_value => Class::SameValue,
        // A write of one beside a read of it undoes nothing; the half of a write that reads is part of it.
        () if nature.bit_fields && (all_write || updating_read) => Class::BitField,
        // The half that reads, beside a write; or the half that writes: in both, what the other wrote is overwritten.
        () if updates && (all_write || updating_read) => Class::LostUpdate,
        () if nature.pointer => Class::Pointer,
        () if all_write => Class::WriteWrite,
        () if half => Class::HalfMarked,
        () if nature.decides => Class::ControlFlow,
        () => Class::Marking,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_half_of_a_bit_fields_write_that_reads_is_a_write_of_it() {
        let nature = |bit_fields| Nature {
            bit_fields,
            updates: vec![true, true],
            ..Nature::default()
        };
        let part = |touch| Part {
            touch,
            marked: false,
        };
        let halves = [part(Touch::Writes), part(Touch::Reads)];
        assert_eq!(of_accesses(&halves, &nature(true)), Class::BitField);
        assert_eq!(of_accesses(&halves, &nature(false)), Class::LostUpdate);
        let whole = [part(Touch::Writes), part(Touch::Writes)];
        assert_eq!(of_accesses(&whole, &nature(true)), Class::BitField);
        let mut looks = nature(true);
        looks.updates[1] = false;
        assert_ne!(of_accesses(&halves, &looks), Class::BitField);
    }
}
