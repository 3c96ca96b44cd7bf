//! Which accesses of which threads contend for which memory, access by access and in the words of the source: what the plan of
//! a check sums up by region.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::index::LocId;
use crate::program::{Op, Program, SiteKind};

use super::accesses::{Key, Sites, Table};
use super::conflicts::{core, meet};
use super::lockset::{self, Doubts, Lock, Mode};
use super::plan::{Planner, Threads};
use super::points_to::{Address, InstanceId, ObjectId, ObjectKind, Place, PointsTo, Space};
use super::regions::Namer;
use super::sections::AccessId;

/// Two accesses of different threads that overlap: at least one writes, at least one is unmarked, and the source says of neither
/// that races with it are meant.
pub(super) struct ConflictPair<'t> {
    /// The object; none where no target of the pointer is known.
    pub object: Option<ObjectId>,
    /// The bytes that both access.
    pub core: (Address, u64),
    /// The two.
    pub ends: [End<'t>; 2],
}

/// One side of a [`ConflictPair`].
pub(super) type End<'t> = (&'t Key, &'t Sites);

/// Kinds of threads, each once, by name.
#[derive(Default)]
pub(super) struct Cast {
    pub tables: Vec<Arc<Table>>,
    pub names: Vec<String>,
}

impl Cast {
    /// Adds the threads; which of them run beside each other (a kind beside itself where there may be several).
    pub fn add(
        &mut self,
        words: &Words<'_>,
        threads: &Threads,
        names: &[&str],
    ) -> Vec<(usize, usize)> {
        let mut numbers = Vec::new();
        for (n, side) in threads.sides.iter().enumerate() {
            let known = self.tables.iter().position(|t| Arc::ptr_eq(t, &side.table));
            numbers.push(known.unwrap_or_else(|| {
                self.tables.push(side.table.clone());
                self.names.push(match names.get(n) {
                    Some(name) => (*name).to_string(),
                    None => words.thread(&side.starts),
                });
                self.tables.len() - 1
            }));
        }
        let mut pairs = Vec::new();
        for (n, side) in threads.sides.iter().enumerate() {
            let from = if side.many { n } else { n + 1 };
            pairs.extend((from..numbers.len()).map(|m| (numbers[n], numbers[m])));
        }
        for (x, y) in &mut pairs {
            if x > y {
                std::mem::swap(x, y);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// Every conflict between threads of two kinds.
pub(super) fn each<'t>(
    first: &'t Table,
    second: &'t Table,
    visit: &mut dyn FnMut(ConflictPair<'t>),
) {
    for (object, keys) in &first.accesses {
        let Some(others) = second.accesses.get(object) else {
            continue;
        };
        for (a, sites_a) in keys.iter() {
            if a.space != Space::Memory || !a.visible || a.own {
                continue;
            }
            for (b, sites_b) in others.near(a).map(|n| others.get(n)) {
                let silenced = a.silenced.or(b.silenced).is_some();
                let race = (a.write || b.write) && (a.unmarked || b.unmarked) && !silenced;
                if race && !b.own && b.space == Space::Memory && meet(a, b) {
                    visit(ConflictPair {
                        object: *object,
                        core: core(a, b),
                        ends: [(a, sites_a), (b, sites_b)],
                    });
                }
            }
        }
    }
}

/// A line of the user's source that accesses memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Line {
    /// As debug info names it; empty where unknown.
    pub file: String,
    /// 0 where unknown.
    pub line: u32,
    /// The function as the source names it, also where it was inlined.
    pub function: String,
}

/// Tells accesses, threads and locks in the words of the source.
pub(super) struct Words<'p> {
    pub program: &'p Program,
    pub points_to: &'p PointsTo,
    pub namer: Namer<'p>,
    locks: FxHashMap<(Address, ObjectId), String>,
    lines: FxHashMap<AccessId, Option<Told>>,
}

/// An access: where it is, its column, whether it reads, whether it writes.
pub(super) type Told = (Line, u32, (bool, bool));

impl<'p> Words<'p> {
    pub fn new(planner: &Planner<'p>) -> Words<'p> {
        let (program, points_to) = (planner.program, planner.points_to);
        Words {
            program,
            points_to,
            namer: Namer::new(program, points_to),
            locks: FxHashMap::default(),
            lines: FxHashMap::default(),
        }
    }

    /// An access as the user's code makes it: itself, or by the call of a model. `None`: the harness makes it.
    pub fn told(&mut self, access: AccessId) -> Option<Told> {
        if let Some(told) = self.lines.get(&access) {
            return told.clone();
        }
        let told = self
            .line(access)
            .map(|(line, column)| (line, column, self.kind(access)));
        self.lines.insert(access, told.clone());
        told
    }

    fn line(&self, (instance, n): AccessId) -> Option<(Line, u32)> {
        let mut at = self.points_to.instances()[instance].accesses[n as usize].place;
        loop {
            let i = &self.points_to.instances()[at.instance];
            let function = &self.program.functions[i.function];
            if !function.is_model {
                let instr = &function.blocks[at.block].instrs[at.index as usize];
                return Some(self.describe(&function.name, instr.loc));
            }
            at = i.site?;
        }
    }

    fn describe(&self, function: &str, loc: Option<LocId>) -> (Line, u32) {
        let source = &self.program.source;
        match loc {
            Some(loc) => {
                let l = &source.locations[loc];
                let line = Line {
                    file: source.files[l.file].clone(),
                    line: l.line,
                    function: l.function.clone(),
                };
                (line, l.column)
            }
            None => {
                let line = Line {
                    file: String::new(),
                    line: 0,
                    function: function.to_string(),
                };
                (line, 0)
            }
        }
    }

    fn kind(&self, (instance, n): AccessId) -> (bool, bool) {
        let i = &self.points_to.instances()[instance];
        let access = &i.accesses[n as usize];
        let Place { block, index, .. } = access.place;
        let instr = &self.program.functions[i.function].blocks[block].instrs[index as usize];
        let both = matches!(instr.op, Op::AtomicRmw { .. } | Op::CmpXchg { .. })
            || instr
                .site
                .is_some_and(|s| self.program.sites[s].kind == SiteKind::ReadWrite);
        (both || !access.write, access.write)
    }

    /// The functions of the user's that threads run which start there.
    pub fn thread(&self, starts: &[InstanceId]) -> String {
        let mut names: Vec<&str> = Vec::new();
        let mut seen = Vec::new();
        let mut work = starts.to_vec();
        while let Some(id) = work.pop() {
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            let i = &self.points_to.instances()[id];
            let function = &self.program.functions[i.function];
            if function.is_model {
                work.extend(i.calls.iter().map(|(_, callee)| *callee));
            } else {
                names.push(&function.name);
            }
        }
        names.sort_unstable();
        names.dedup();
        match names.as_slice() {
            [] => "the environment".to_string(),
            names => names.join("/"),
        }
    }

    /// The locks held at an access, by name, and whether as the owner. With `doubts`: those that count.
    pub fn locks(&mut self, key: &Key, doubts: Option<&Doubts<'_>>) -> BTreeMap<String, Mode> {
        let mut held = BTreeMap::new();
        for (lock, mode) in &key.held {
            let at = match lock {
                Lock::At(at) => *at,
                Lock::Beside(d) => key.address.moved(*d, 0),
            };
            if doubts.is_some_and(|d| !lockset::usable(at, key.address, d)) {
                continue;
            }
            let name = self.lock(at, key.address.object);
            let old = held.entry(name).or_insert(*mode);
            if *mode == Mode::Exclusive {
                *old = *mode;
            }
        }
        held
    }

    /// The name of a lock: one that lies in another object than the data says in which, where its own name does not.
    fn lock(&mut self, at: Address, data: ObjectId) -> String {
        if let Some(name) = self.locks.get(&(at, data)) {
            return name.clone();
        }
        let mut name = self.namer.lock(at);
        let global = matches!(
            self.points_to.objects()[at.object].kind,
            ObjectKind::Global(_)
        );
        let of = self.namer.object(at.object);
        if !global && at.object != data && !name.starts_with(&of) {
            name = format!("{name} ({of})");
        }
        self.locks.insert((at, data), name.clone());
        name
    }
}
