//! What the writer knows of the harness that it has written, and how that becomes the engine's map of a decoded program.

use std::collections::{BTreeMap, HashMap};

use super::{effects, files, gates, needs, next_file, once, prologue, registered, sleep};
use crate::environment::earlier::is_repeatable;
use crate::environment::entry::{EntryPoints, Registrar};
use crate::index::{EntryId, FuncId, GlobalId, IdVec, Idx};
use crate::program::{
    Program, harness_map::AlikeId, harness_map::EntryMap, harness_map::HarnessMap,
    harness_map::Sayings,
};

/// What the names of all that is not the user's begin with.
const OWN: &str = "__irkiss_";

/// What was written of one entry point.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// Of these one runs, or none, before it.
    before: Vec<EntryId>,
    /// The first entry point before which the same is run for a handler or a rule; `None`: nothing is.
    warmed_like: Option<EntryId>,
    /// Whether it follows another one.
    follows: bool,
    /// Whether it may be run before all others.
    repeatable: bool,
}

/// What the writer knows, by the names that it gave.
#[derive(Clone, Debug, Default)]
pub struct Told {
    entries: IdVec<EntryId, Entry>,
    /// Functions that ask whether one of these entry points is a thread.
    asks: Vec<(String, Vec<usize>)>,
    files: Vec<String>,
    /// What takes and gives back the locks that the kernel holds around entry points.
    locks: Vec<String>,
}

impl Told {
    /// Of a driver's harness.
    pub(super) fn of(
        program: &Program,
        entries: &EntryPoints,
        registrars: &[Registrar],
        groups: &[files::FileGroup],
    ) -> Told {
        let before = prologue::before_each(program, entries, registrars);
        let of_entry = |id: EntryId| {
            let own = before.get(&id.index());
            let run = own.into_iter().flat_map(|b| &b.operations);
            let mut run: Vec<EntryId> = run.map(|n| EntryId::new(*n)).collect();
            run.sort_unstable();
            Entry {
                before: run,
                warmed_like: own.map(|b| EntryId::new(b.first)),
                follows: !prologue::preceding(entries, &entries[id]).is_empty(),
                repeatable: is_repeatable(entries, &entries[id]),
            }
        };
        let mut asks = gates::gate_questions(program, entries, registrars);
        asks.extend(effects::flush_questions(entries));
        asks.push(registered::exit_question(entries));
        asks.extend(sleep::questions(entries));
        asks.extend(needs::questions(entries));
        asks.extend(once::questions(program, entries));
        asks.extend(next_file::questions(entries, groups));
        Told {
            entries: entries.iter_ids().map(|(id, _)| of_entry(id)).collect(),
            asks,
            files: groups.iter().flat_map(files::FileGroup::givers).collect(),
            locks: {
                let held = entries.iter().flat_map(|e| &e.locks);
                held.flat_map(|l| [l.acquire.clone(), l.release.clone()])
                    .collect()
            },
        }
    }

    /// The map of a program that has been decoded. What is no longer there, nobody asks of.
    pub fn resolve(&self, program: &Program) -> HarnessMap {
        let names = Names::of(program);
        let function = |name: &str| names.function(name);
        HarnessMap {
            main: function("main"),
            init: function("harness_init"),
            pair_main: function("pair_main"),
            warm_up: function("warm_up"),
            earlier: function("earlier"),
            starter: function("entry_start"),
            entries: self.entries_of(&names),
            shared: names
                .globals
                .iter()
                .filter_map(|(name, global)| {
                    let shared = name.strip_prefix(OWN)?.strip_prefix("shared.")?;
                    Some((shared.to_string(), *global))
                })
                .collect(),
            files: self
                .files
                .iter()
                .filter_map(|name| function(name))
                .collect(),
            locks: {
                let named = self.locks.iter().map(String::as_str);
                named
                    .filter_map(|name| names.functions.get(name).copied())
                    .collect()
            },
            says: Sayings {
                runs: function("runs"),
                ran: function("ran"),
                over: function("over"),
            },
            argument_count: function("argument_count"),
            thread_state: names.global("thread_state"),
            own_globals: program
                .globals
                .iter_ids()
                .filter(|(_, g)| g.name.starts_with(OWN))
                .map(|(id, _)| id)
                .collect(),
            own: program
                .functions
                .iter_ids()
                .filter(|(_, f)| f.name.starts_with(OWN))
                .map(|(id, _)| id)
                .collect(),
        }
    }

    /// What belongs to each entry point.
    fn entries_of(&self, names: &Names<'_>) -> IdVec<EntryId, EntryMap> {
        let looked_for = |n: usize| {
            let mut asks = self.asks.iter();
            asks.any(|(name, numbers)| numbers.contains(&n) && names.function(name).is_some())
        };
        let nothing = (None, None, None);
        let mut alike = BTreeMap::from([(nothing, AlikeId::NOTHING_BEFORE)]);
        let entries = self.entries.iter_ids().map(|(id, entry)| {
            let n = id.index();
            let key = (
                entry.warmed_like,
                entry.follows.then_some(id),
                looked_for(n).then_some(id),
            );
            let next = AlikeId::new(alike.len());
            EntryMap {
                wrapper: names.function(&format!("entry_{n}")),
                first: names.function(&format!("first_{n}")),
                drains: names.function(&format!("flush.{n}")),
                slot: names.global(&format!("slot.{n}")),
                before: entry.before.clone(),
                earlier: entry.repeatable,
                alike: *alike.entry(key).or_insert(next),
            }
        });
        entries.collect()
    }
}

/// What has which name in a program.
struct Names<'p> {
    functions: HashMap<&'p str, FuncId>,
    globals: HashMap<&'p str, GlobalId>,
}

impl<'p> Names<'p> {
    fn of(program: &'p Program) -> Names<'p> {
        let functions = program.functions.iter_ids();
        let globals = program.globals.iter_ids();
        Names {
            functions: functions.map(|(id, f)| (f.name.as_str(), id)).collect(),
            globals: globals.map(|(id, g)| (g.name.as_str(), id)).collect(),
        }
    }

    /// The harness' own function of that name, without what all begin with.
    fn function(&self, name: &str) -> Option<FuncId> {
        self.functions.get(format!("{OWN}{name}").as_str()).copied()
    }

    /// Its own global.
    fn global(&self, name: &str) -> Option<GlobalId> {
        self.globals.get(format!("{OWN}{name}").as_str()).copied()
    }
}
