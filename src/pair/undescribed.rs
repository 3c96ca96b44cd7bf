//! Threads of which nothing is known but that the kernel may call them: no rule says when, nor beside what.
//!
//! That they race where they run beside each other is then no evidence that they do: the core may hold a lock around every call, or call
//! them within a call of the driver's own. What was found is told as `unknown`, unless the user says that the threads run beside each
//! other: by `--pair`, or as a scenario. What is proved, or bounded, of threads that are beside everything stays.

use super::{Checked, Shared, Task};
use crate::environment::entry::EntryPoint;
use crate::verdict::{Claim, Finding, Verdict, Why};

/// What is said of a task's findings.
#[derive(Clone, Debug)]
pub(super) enum Described {
    /// The rules say when each of its threads runs.
    Fully,
    /// They do not, of these, but the user puts the threads beside each other.
    ByUser(Vec<String>),
    /// They do not, of these.
    Not(Vec<String>),
}

impl Described {
    /// Of that task.
    pub(super) fn of(shared: &Shared<'_, '_>, task: &Task) -> Described {
        let entries = task.entries().iter().map(|e| &shared.closed.entries[*e]);
        let mut names: Vec<String> = entries.filter_map(EntryPoint::undescribed).collect();
        names.sort();
        names.dedup();
        match (
            names.is_empty(),
            shared.options.pair.is_some() || task.is_named(),
        ) {
            (true, _) => Described::Fully,
            (false, true) => Described::ByUser(names),
            (false, false) => Described::Not(names),
        }
    }

    /// A finding as it is told; `None`: it is not.
    pub(super) fn tell(&self, mut finding: Finding) -> Option<Finding> {
        match self {
            Described::Fully => {}
            Described::ByUser(names) => finding.assumptions.push(format!(
                "that the threads run beside each other: no rule says when the kernel calls {}",
                names.join(", ")
            )),
            // How one thread uses its locks does not depend on others.
            Described::Not(_) if finding.kind.is_lock_use() => {}
            Described::Not(_) => return None,
        }
        Some(finding)
    }

    /// What was found and is not told is unknown.
    pub(super) fn told(&self, checked: &mut Checked) {
        let Described::Not(names) = self else {
            return;
        };
        for region in &mut checked.pair.regions {
            if region.verdict == Verdict::Race && region.claim != Claim::LockUse {
                region.verdict = Verdict::Unknown;
                region.by = None;
                region.why = Some(Why::Undescribed(names.clone()));
                region.assumptions.clear();
            }
        }
    }
}
