//! The run time of the sequential program: functions and globals by what they are there for, whichever sequentialization made it.

use serde::{Deserialize, Serialize};

use crate::index::{FuncId, GlobalId, IdVec, Idx};

use super::{Function, Global, Program};

/// The sequentializations, each with what the names of its run time begin with: KISS's (`runtime-stubs/sequential/kiss.c`), Lal and
/// Reps's (`lal_reps.c`).
const PREFIXES: [(&str, MadeBy); 2] = [("__kiss_", MadeBy::Kiss), ("__lr_", MadeBy::LalReps)];

/// Which transformation made a sequential program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MadeBy {
    /// Threads are calls.
    Kiss,
    /// Threads run one after the other, over copies of the store.
    LalReps,
}

/// Whether a function of that name belongs to a run time.
pub fn is_runtime(function: &str) -> bool {
    PREFIXES.iter().any(|(p, _)| function.starts_with(p))
}

/// The parts of the run time that the executor knows. All of them are missing in a program that is not sequentialized.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RuntimeMap {
    /// Which one it is.
    pub by: Option<MadeBy>,
    /// Where the check starts.
    pub main: Option<FuncId>,
    /// Where it starts from the state that initialisation leaves.
    pub pair_main: Option<FuncId>,
    /// May run a pending thread.
    pub schedule: Option<FuncId>,
    /// Runs the pending thread of that number.
    pub schedule_thread: Option<FuncId>,
    /// Runs a thread.
    pub run: Option<FuncId>,
    /// Stands before an access that may be checked.
    pub access: Option<FuncId>,
    /// Stands before a further access of the same instruction.
    pub also: Option<FuncId>,
    /// Stands before any other visible instruction.
    pub point: Option<FuncId>,
    /// Begins an atomic section.
    pub atomic_begin: Option<FuncId>,
    /// Whether the running thread is on its way out.
    pub raise: Option<GlobalId>,
    /// Whether a section is being probed.
    pub probe: Option<GlobalId>,
    /// The number of the next thread.
    pub next: Option<GlobalId>,
    /// The threads created and not yet scheduled.
    pub pending: Option<GlobalId>,
    /// How many sections are open.
    pub atomic: Option<GlobalId>,
    /// The number of the running thread.
    pub self_id: Option<GlobalId>,
    /// The kind of the access that a race is looked for with.
    pub access_kind: Option<GlobalId>,
    /// Of Lal and Reps's alone: the round of the running thread.
    pub round: Option<GlobalId>,
    /// When what fails does: the round.
    pub until_round: Option<GlobalId>,
    /// When what fails does: the thread.
    pub until_thread: Option<GlobalId>,
    /// Whether each function is one of the run time's.
    own: IdVec<FuncId, bool>,
}

impl RuntimeMap {
    /// The run time of a program with these functions and globals.
    pub fn of(
        functions: &IdVec<FuncId, Function>,
        globals: &IdVec<GlobalId, Global>,
    ) -> RuntimeMap {
        let mut map = RuntimeMap::default();
        for (id, function) in functions.iter_ids() {
            let own = PREFIXES
                .iter()
                .find_map(|(p, by)| Some((function.name.strip_prefix(p)?, *by)));
            map.own.push(own.is_some());
            if let Some((name, by)) = own {
                map.by = map.by.or(Some(by));
                if let Some(part) = map.function(name) {
                    part.get_or_insert(id);
                }
            }
        }
        for (id, global) in globals.iter_ids() {
            let mut names = PREFIXES.iter();
            let name = names.find_map(|(p, _)| global.name.strip_prefix(p));
            if let Some(part) = name.and_then(|name| map.global(name)) {
                part.get_or_insert(id);
            }
        }
        map
    }

    fn function(&mut self, name: &str) -> Option<&mut Option<FuncId>> {
        Some(match name {
            "main" => &mut self.main,
            "pair_main" => &mut self.pair_main,
            "schedule" => &mut self.schedule,
            "schedule_thread" => &mut self.schedule_thread,
            "run" => &mut self.run,
            "access" => &mut self.access,
            "also" => &mut self.also,
            "point" => &mut self.point,
            "atomic_begin" => &mut self.atomic_begin,
            _ => return None,
        })
    }

    fn global(&mut self, name: &str) -> Option<&mut Option<GlobalId>> {
        Some(match name {
            "raise" => &mut self.raise,
            "probe" => &mut self.probe,
            "next" => &mut self.next,
            "ts" => &mut self.pending,
            "atomic" => &mut self.atomic,
            "self" => &mut self.self_id,
            "access_kind" => &mut self.access_kind,
            "round" => &mut self.round,
            "until_round" => &mut self.until_round,
            "until_thread" => &mut self.until_thread,
            _ => return None,
        })
    }

    /// Whether a function belongs to the run time.
    pub fn is_own(&self, function: FuncId) -> bool {
        function.index() < self.own.len() && self.own[function]
    }

    /// Whether a function stands before a visible instruction.
    pub fn is_point(&self, function: FuncId) -> bool {
        [self.point, self.access, self.also, self.atomic_begin].contains(&Some(function))
    }
}

impl Program {
    /// Where the check starts: with `steady`, from the state that initialisation leaves. `None`: the program is not sequentialized.
    pub fn check_start(&self, steady: bool) -> Option<FuncId> {
        match steady {
            true => self.runtime.pair_main,
            false => self.runtime.main,
        }
    }
}
