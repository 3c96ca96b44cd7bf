//! Callbacks of which nothing tells when the kernel calls them for the last time, beside a removal.
//!
//! The call that takes a callback back is often in a function without a model: a subsystem's own, or what devres does for one. Here such a
//! callback goes on being called for ever. That it uses what a removal has freed, that it runs after it, or beside what the removal does once
//! it has passed a call that may have taken it back, is then no evidence that it does. What was found of that is told as `unknown`, unless the
//! user says that the threads run beside each other: by `--pair`, or as a scenario.
//!
//! Before any such call a removal is beside all others, but for those of the same ops object: what is found there is told.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use super::wrapper;
use crate::analysis::callgraph::CallGraph;
use crate::analysis::passed::passed;
use crate::environment::discover::MODULE_EXIT;
use crate::environment::entry::{End, EntryPoint, Phase};
use crate::frontend::Closed;
use crate::index::{EntryId, FuncId, Idx, SiteId};
use crate::program::FailKind;
use crate::trace::schedule::{Failure, Schedule};

/// What each removal of an input does when callbacks may have been taken back.
#[derive(Debug, Default)]
pub struct Endings {
    removals: Vec<Removal>,
}

#[derive(Debug)]
struct Removal {
    entry: EntryId,
    /// The sites in calls that may take something back, and after them.
    late: FixedBitSet,
}

impl Endings {
    /// Of an input. Nothing is looked at where it is known of all entry points when they end.
    pub fn new(closed: &Closed, graph: &CallGraph) -> Endings {
        let entries = &closed.entries;
        if entries.iter().all(|e| e.end == End::Told) {
            return Endings::default();
        }
        let program = &closed.concurrent;
        // What stops something may stop what belongs to that, too.
        let taking: FxHashSet<&str> = closed.takes_back.iter().map(String::as_str).collect();
        let removal = |(id, e): (EntryId, &EntryPoint)| {
            let root = wrapper(program, id)?;
            // When a device is removed, the kernel ends the rest; where a module goes, nobody does.
            let own = program.function_named(&e.function);
            let own = own.filter(|_| e.via != MODULE_EXIT);
            let may_end = |f: FuncId| {
                let function = &program.functions[f];
                function.outside || taking.contains(function.name.as_str())
            };
            Some(Removal {
                entry: id,
                late: passed(program, graph, root, &may_end, own),
            })
        };
        let removals = entries.iter_ids().filter(|(_, e)| e.phase == Phase::Exit);
        Endings {
            removals: removals.filter_map(removal).collect(),
        }
    }

    /// The entry points, function and place, on whose being called at such a time an interleaving rests; none: on nobody's.
    pub(super) fn rests_on(&self, closed: &Closed, schedule: &Schedule) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let numbers = &schedule.pair;
        let number = |id: EntryId| id.index() as u32;
        for removal in &self.removals {
            if !numbers.contains(&number(removal.entry)) || !is_about_ends(&schedule.failure) {
                continue;
            }
            let past = removal.is_past(schedule);
            let own = &closed.entries[removal.entry];
            // Who calls both may have ended the one before it calls the other.
            let of_same = |e: &EntryPoint| {
                own.registered_by.is_some() && own.registered_by == e.registered_by
            };
            let others = closed.entries.iter_ids();
            let others =
                others.filter(|(id, _)| *id != removal.entry && numbers.contains(&number(*id)));
            let others = others.filter(|(_, e)| past || of_same(e));
            names.extend(others.filter_map(|(_, e)| e.endless()));
        }
        names.sort();
        names.dedup();
        names
    }
}

/// Whether it says anything of when something ends.
fn is_about_ends(failure: &Failure) -> bool {
    match failure {
        Failure::Race { .. } | Failure::UseAfterFree(_) => true,
        Failure::Property(kind, _) => *kind == FailKind::UseAfterRemoval,
        Failure::Assertion(_) | Failure::Atomicity { .. } => false,
    }
}

impl Removal {
    /// Whether it may have passed a call that takes something back when that fails.
    fn is_past(&self, schedule: &Schedule) -> bool {
        let is_late = |site: SiteId| self.late.contains(site.index());
        match &schedule.failure {
            Failure::Race { first, second } => is_late(first.site) || is_late(second.site),
            // It has returned.
            Failure::Property(FailKind::UseAfterRemoval, _) => !self.late.is_clear(),
            // Each thread's last step, besides.
            Failure::UseAfterFree(step) => {
                let mut last = schedule.steps.iter().rev();
                let own = last.find(|s| s.thread == step.thread).map(|s| s.site);
                let mut last = schedule.steps.iter().rev();
                let others = last.find(|s| s.thread != step.thread).map(|s| s.site);
                let mut all = [Some(step.site), own, others].into_iter().flatten();
                all.any(is_late)
            }
            Failure::Property(..) | Failure::Assertion(_) | Failure::Atomicity { .. } => false,
        }
    }
}
