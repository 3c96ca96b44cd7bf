//! Threads of which nothing tells whether they run beside each other: no rule says when the kernel calls them, or users of a resource
//! call them, who may do one thing after the other.
//!
//! That they race where they run beside each other is then no evidence that they do: the core, or the one user there is, may hold a lock
//! around every call, or call them within a call of the driver's own. What was found is told as `unknown`, unless the user says that the
//! threads run beside each other: by `--pair`, or as a scenario. What is proved, or bounded, of threads that are beside everything stays.

use super::{Checked, Closing, Shared, Task};
use crate::environment::entry::{EntryPoint, User};
use crate::verdict::{Claim, Finding, Verdict, Why};

/// Why nothing tells.
#[derive(Clone, Debug)]
enum Unsaid {
    /// No rule says when these are called: function and place.
    When(Vec<String>),
    /// Users of that resource call them, one or several.
    Clients(String, Vec<String>),
}

/// What is said of a task's findings.
#[derive(Clone, Debug)]
pub(in crate::pair) struct Described {
    unsaid: Option<Unsaid>,
    /// The user puts the threads beside each other.
    by_user: bool,
}

impl Unsaid {
    /// Of threads; `None`: the rules say when each runs, and beside what.
    fn of(entries: &[&EntryPoint]) -> Option<Unsaid> {
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names.dedup();
            names
        };
        let unknown = entries.iter().filter_map(|e| e.undescribed());
        let unknown = sorted(unknown.collect());
        if !unknown.is_empty() {
            return Some(Unsaid::When(unknown));
        }
        // One call alone is beside what others do: interrupts, files.
        let used = |resource: &String| {
            let of_it = |e: &EntryPoint| e.used.iter().any(|u| u.resource == *resource);
            let same = entries.iter().filter(|e| of_it(e));
            same.map(|e| format!("{} ({})", e.function, e.via))
                .collect()
        };
        let all = entries.iter().flat_map(|e| &e.used);
        let resources = all.filter(|u| u.by == User::Only).map(|u| &u.resource);
        let mut of_one = resources.map(|r| (r, used(r)));
        let (resource, names) = of_one.find(|(_, names): &(_, Vec<_>)| names.len() > 1)?;
        Some(Unsaid::Clients(resource.clone(), sorted(names)))
    }

    /// What a finding assumes where the user puts the threads beside each other.
    fn assumption(&self) -> String {
        let said = match self {
            Unsaid::When(names) => {
                format!("no rule says when the kernel calls {}", names.join(", "))
            }
            Unsaid::Clients(resource, names) => {
                format!(
                    "users of one {resource} call {}, in turn or at once",
                    names.join(", ")
                )
            }
        };
        format!("that the threads run beside each other: {said}")
    }

    fn why(&self) -> Why {
        match self.clone() {
            Unsaid::When(names) => Why::Undescribed(names),
            Unsaid::Clients(resource, names) => Why::Clients(resource, names),
        }
    }
}

/// What was found of threads of which nothing tells that they run beside each other. One thread runs.
pub(super) fn told(checked: &mut Checked, closing: &Closing<'_, '_, '_>) {
    if !closing.task.alone {
        Described::of(closing.shared, closing.task).take_back(checked);
    }
}

impl Described {
    /// Whether the rules say when each of the threads runs, and beside what.
    pub(in crate::pair) fn fully(&self) -> bool {
        self.unsaid.is_none()
    }

    /// Of that task.
    pub(in crate::pair) fn of(shared: &Shared<'_, '_>, task: &Task) -> Described {
        let entries = task.entries().iter().map(|e| &shared.closed.entries[*e]);
        let entries: Vec<&EntryPoint> = entries.collect();
        Described {
            unsaid: Unsaid::of(&entries),
            by_user: shared.named || task.is_named(),
        }
    }

    /// A finding as it is told; `None`: it is not.
    pub(in crate::pair) fn tell(&self, mut finding: Finding) -> Option<Finding> {
        match &self.unsaid {
            None => {}
            Some(unsaid) if self.by_user => finding.assumptions.push(unsaid.assumption()),
            // How one thread uses its locks does not depend on others.
            Some(_) if finding.kind.is_lock_use() => {}
            Some(_) => return None,
        }
        Some(finding)
    }

    /// What was found and is not told is unknown.
    pub(in crate::pair) fn take_back(&self, checked: &mut Checked) {
        let Some(unsaid) = self.unsaid.as_ref().filter(|_| !self.by_user) else {
            return;
        };
        checked.pair.regions.take_back(|region| {
            let found = region.verdict() == Verdict::Race && *region.claim() != Claim::LockUse;
            found.then(|| unsaid.why())
        });
    }
}
