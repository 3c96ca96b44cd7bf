//! What a verdict is about.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::property::Property;
use crate::region::Region;

/// What a verdict of a pair is about: one of its regions of memory, or something else that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// No data race on that region: `struct foo.bar`, `@global`, `@global+8`, `heap(kmalloc at f.c:12)+8`.
    Region(Region),
    /// No assertion fails.
    Assertions,
    /// Nothing is used that has been freed.
    Freed,
    /// Locks are used as they should be.
    LockUse,
    /// No thread waits for ever.
    Deadlocks,
    /// Nothing is used, and nothing runs, after the removal of the device or module.
    Removed,
    /// No write rests on what another thread has overwritten since.
    Atomicity,
    /// Everything about these threads: where it is not known what could be asked.
    Threads,
}

impl Claim {
    /// As reports write it: the region, or what else it is about.
    pub fn name(&self) -> &str {
        match self {
            Claim::Region(region) => region.name(),
            Claim::Assertions => "assertions",
            Claim::Freed => "freed objects",
            Claim::LockUse => "use of locks",
            Claim::Deadlocks => "deadlocks",
            Claim::Removed => "after removal",
            Claim::Atomicity => "atomicity",
            Claim::Threads => "threads",
        }
    }

    /// The claim of that kind and name, as a report has written them.
    pub fn written(code: &str, name: &str) -> Claim {
        let all = Property::ALL.iter().filter_map(|p| Claim::of(*p));
        let mut others = all.chain([Claim::Threads]);
        let other = others.find(|claim| claim.code() == code);
        other.unwrap_or_else(|| Claim::Region(Region::new(name)))
    }

    /// What is claimed where that property is asked for; none of races, of which each region is a claim of its own.
    pub fn of(property: Property) -> Option<Claim> {
        match property {
            Property::Race => None,
            Property::Assert | Property::Bug => Some(Claim::Assertions),
            Property::Uaf => Some(Claim::Freed),
            Property::LockMisuse => Some(Claim::LockUse),
            Property::Deadlock => Some(Claim::Deadlocks),
            Property::Removed => Some(Claim::Removed),
            Property::Atomicity => Some(Claim::Atomicity),
        }
    }

    /// Its kind, for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Claim::Region(_) => "race",
            Claim::Assertions => "assertions",
            Claim::Freed => "use-after-free",
            Claim::LockUse => "lock-use",
            Claim::Deadlocks => "deadlocks",
            Claim::Removed => "after-removal",
            Claim::Atomicity => "atomicity",
            Claim::Threads => "threads",
        }
    }

    /// Whether all that the threads execute bears on it: nothing tells beforehand which of their accesses would refute it.
    pub fn is_of_threads(&self) -> bool {
        match self {
            Claim::Assertions | Claim::LockUse | Claim::Deadlocks => true,
            Claim::Removed | Claim::Atomicity | Claim::Threads => true,
            Claim::Region(_) | Claim::Freed => false,
        }
    }

    /// The region of memory that it is about, if it is about one.
    pub fn region(&self) -> Option<&Region> {
        match self {
            Claim::Region(region) => Some(region),
            Claim::Assertions
            | Claim::Freed
            | Claim::LockUse
            | Claim::Deadlocks
            | Claim::Removed
            | Claim::Atomicity
            | Claim::Threads => None,
        }
    }
}

/// In the order of their names, as reports list them.
impl Ord for Claim {
    fn cmp(&self, other: &Claim) -> Ordering {
        let key = |claim: &Claim| claim.region().is_some();
        let names = self.name().cmp(other.name());
        names.then_with(|| key(self).cmp(&key(other)))
    }
}

impl PartialOrd for Claim {
    fn partial_cmp(&self, other: &Claim) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Where a report says `location`.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
