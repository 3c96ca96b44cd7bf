//! The plan of a check: which accesses may race, which switch points matter.
//!
//! Two accesses of different threads *conflict* if they may overlap and at least one writes. A switch point before an access that conflicts with
//! none may go: the access commutes with everything that other threads do. Being marked or in an atomic section takes the race *check* away and
//! never the switch point. An atomic section is one step; its begin carries the switch point and the check for all that is within. Ghost state
//! counts like memory (locks live there), and so does the end of an object's life, which conflicts with every access of the object but is no
//! data race.
//!
//! Synchronisation is always kept: assume, thread start, stop, back edge, and the begin of a section that may block or that starts a thread.
//!
//! What it misses: see [`super::points_to`]. An access whose pointer has no known
//! target conflicts only with others of that kind.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use crate::config::{Marked, Options, Reduction};
use crate::index::{FuncId, Idx, SiteId};
use crate::program::{Program, Silencer, SiteKind};
use crate::property::Property;
use crate::region::Region;

use super::accesses::Table;
use super::atomicity::Candidates;
use super::callgraph::CallGraph;
use super::conflicts::{Side, Tables, conflicts, uses};
use super::fields::Fields;
use super::lockset::completed::{Actor, Standing};
use super::lockset::{Doubts, Locksets, Release};
use super::of_one::{self, Several};
use super::points_to::{InstanceId, Place, PointsTo};
use super::sections::AccessId;
pub use super::threads::{Birth, Threads};
use super::threads::{
    accesses_without, after_starts, closure, drained, functions_of, runs_once, sites_of, starts,
};
use super::unidentified::{self, Meetings};

/// What a plan depends on beside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Which accesses are marked.
    pub marked: Marked,
    /// Whether locks count.
    pub lockset: bool,
    /// Whether it is asked for candidates for `--property atomicity`, which locks tell.
    pub atomicity: bool,
    /// Whether regions list their conflicting pairs ([`PlannedRegion::conflict_pairs`]).
    pub conflict_pairs: bool,
    /// Which switch points they take away.
    pub reduction: Reduction,
    /// Whether a lock in one object may protect data in another.
    pub strict: bool,
}

impl Default for PlanOptions {
    fn default() -> Self {
        PlanOptions {
            marked: Marked::Kcsan,
            lockset: true,
            atomicity: false,
            conflict_pairs: false,
            reduction: Reduction::MemoryRegion,
            strict: false,
        }
    }
}

impl From<&Options> for PlanOptions {
    fn from(options: &Options) -> Self {
        PlanOptions {
            marked: options.marked.unwrap_or_default(),
            lockset: options.tiers.lockset,
            atomicity: options.asks(Property::Atomicity),
            conflict_pairs: false,
            reduction: options.reduction,
            strict: options.strict,
        }
    }
}

/// What of memory a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// In a variable, of which there is one for all threads, and that one of them certainly writes where it gets to.
    Variable,
    /// The same bytes of each object of a kind, or of a variable that is one of several objects that they may write to.
    Bytes,
    /// Elements of arrays in objects of a kind.
    Elements,
    /// Not known: pointers lead there of which no target is known.
    Anywhere,
}

/// Memory that two threads may access in conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRegion {
    /// Its name.
    pub name: Region,
    /// The objects that it lies in, for people, sorted.
    pub objects: Vec<String>,
    /// What of memory it is.
    pub part: Part,
    /// Sites of the first thread that may access it and conflict with one of `sites_b`, sorted.
    pub sites_a: Vec<SiteId>,
    /// Sites of the second thread (or of further threads) that may access it and conflict with one of `sites_a`, sorted.
    pub sites_b: Vec<SiteId>,
    /// Which accesses conflict with which.
    pub conflict_pairs: Vec<ConflictPair>,
}

/// Accesses of one thread that conflict with accesses of another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConflictPair {
    /// By the one.
    pub first: Party,
    /// By the other.
    pub second: Party,
}

/// One side of a [`ConflictPair`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Party {
    /// The accesses, sorted.
    pub accesses: Arc<[AccessId]>,
    /// Whether they count only where they are not marked: outside of atomic sections.
    pub unmarked: bool,
}

/// Memory that two threads access in conflict, but never at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedRegion {
    /// As [`PlannedRegion::name`].
    pub name: Region,
    /// As [`PlannedRegion::part`].
    pub part: Part,
    /// As [`PlannedRegion::sites_a`].
    pub sites_a: Vec<SiteId>,
    /// As [`PlannedRegion::sites_b`].
    pub sites_b: Vec<SiteId>,
    /// The locks that both hold, for people, sorted: one for each pair of accesses.
    pub locks: Vec<String>,
    /// The handlers that make one of the two accesses and are over where the other is made, likewise.
    pub over: Vec<String>,
}

/// Memory that two threads may access at once, which the source says is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilencedRegion {
    /// As [`PlannedRegion::name`].
    pub name: Region,
    /// How it says so.
    pub by: Silencer,
    /// Sites of the accesses, of those that are silenced and of those that conflict with them, sorted.
    pub sites: Vec<SiteId>,
}

/// What to check for one pair of threads (or one whole program). The bit sets are indexed by [`SiteId`].
#[derive(Clone, Debug)]
pub struct PairPlan {
    /// The regions on which a race is possible: overlapping bytes, at least one write, at least one unmarked access, and no lock
    /// that both must hold. Sorted by name.
    pub regions: Vec<PlannedRegion>,
    /// The regions that locks keep free of races, for any number of threads. Sorted by name.
    pub proved: Vec<ProvedRegion>,
    /// What nobody is asked of, since the source says that the race is meant. Sorted by name for each way to say so.
    pub silenced: Vec<SilencedRegion>,
    /// Of each object that one side may free, the uses by the other: by the first, by the second.
    pub used: Vec<[Vec<SiteId>; 2]>,
    /// Where they meet if an object of which nothing tells whose it is, is another's.
    pub unidentified: Meetings,
    /// What only a lock of one object of several guards (an open file, a port), although all of them use it, each with that object. Sorted.
    pub of_one: Vec<(Region, String)>,
    /// What the locksets could not follow, if there is anything: then they prove nothing.
    pub gap: Option<String>,
    /// Sites whose access may race: figure 5's check is kept. For an access in an atomic section also the section's begin.
    pub checked: FixedBitSet,
    /// Sites that are kept as switch points.
    pub enabled: FixedBitSet,
    /// Functions that any of the threads may execute, by [`FuncId`].
    pub functions: FixedBitSet,
    /// Sites that each thread may execute; the second one's include those of threads that any of them starts.
    pub sides: Vec<FixedBitSet>,
    /// Where these threads come from.
    pub birth: Birth,
    /// Whether [`PlannedRegion::sites_a`] are the first thread's and `sites_b` the second's. Else they are those of any two: of more than
    /// two threads, and of a program, whose threads are told by what they run.
    pub of_two: bool,
    /// With `--property atomicity`: what is asked of it.
    pub atomicity: Candidates,
}

impl PairPlan {
    /// Sites that any of the threads may execute.
    pub fn reachable(&self) -> FixedBitSet {
        let mut all = FixedBitSet::new();
        for side in &self.sides {
            all.union_with(side);
        }
        all
    }
}

/// Makes plans; what the pairs of an input share is computed once.
pub struct Planner<'p> {
    pub(super) program: &'p Program,
    pub(super) points_to: &'p PointsTo,
    locksets: Locksets<'p>,
    pub(super) options: PlanOptions,
    /// Where threads start: one item for each kind of thread.
    threads: Vec<Vec<InstanceId>>,
    /// Functions that threads start in and that never run beside each other.
    apart: FxHashSet<(FuncId, FuncId)>,
    /// Objects of which there is one for each open file, each port, …
    several: Vec<of_one::Own>,
    wild: OnceLock<Vec<Arc<Release>>>,
    fields: OnceLock<Fields>,
    /// See [`unidentified::contents`].
    contents: OnceLock<FixedBitSet>,
    tables: Mutex<Tables>,
}

impl<'p> Planner<'p> {
    /// Who may call whom.
    pub fn call_graph(&self) -> &'p CallGraph {
        self.points_to.call_graph()
    }

    /// Analyses the locks of the program.
    pub fn new(program: &'p Program, points_to: &'p PointsTo, options: PlanOptions) -> Planner<'p> {
        let locksets = match options.lockset || options.atomicity {
            true => Locksets::solve(program, points_to),
            false => Locksets::none(program, points_to),
        };
        let started = points_to.instances().iter().flat_map(|i| &i.starts);
        let started: BTreeSet<InstanceId> = started.map(|(_, start)| *start).collect();
        Planner {
            program,
            points_to,
            locksets,
            options,
            threads: started.into_iter().map(|start| vec![start]).collect(),
            apart: FxHashSet::default(),
            several: Vec::new(),
            wild: OnceLock::new(),
            fields: OnceLock::new(),
            contents: OnceLock::new(),
            tables: Mutex::default(),
        }
    }

    /// The threads of the program are those that run one of `roots`, and those that they start; `starter` starts them, and is
    /// none. (Without this, whatever is started at all.)
    #[must_use]
    pub fn with_threads(mut self, roots: &[FuncId], starter: Option<FuncId>) -> Planner<'p> {
        let points_to = self.points_to;
        let mut threads: Vec<Vec<InstanceId>> =
            roots.iter().map(|f| self.instances_of(&[*f])).collect();
        let all = closure(points_to, threads.concat());
        let started: BTreeSet<InstanceId> = starts(points_to, &all)
            .into_iter()
            .map(|(_, start)| start)
            .filter(|start| Some(points_to.instances()[*start].function) != starter)
            .collect();
        threads.extend(started.into_iter().map(|start| vec![start]));
        self.threads = threads;
        self
    }

    /// No thread that starts in the one ever runs beside one that starts in the other: what rules say.
    #[must_use]
    pub fn with_exclusions(
        mut self,
        pairs: impl IntoIterator<Item = (FuncId, FuncId)>,
    ) -> Planner<'p> {
        for (a, b) in pairs {
            self.apart.extend([(a, b), (b, a)]);
        }
        self
    }

    /// Of these there may be several.
    #[must_use]
    pub fn with_several(mut self, several: &[Several]) -> Planner<'p> {
        let own = |s: &Several| of_one::own(self.program, self.points_to, s);
        self.several = several.iter().map(own).collect();
        self
    }

    /// Which handlers are over for each of these, beside all threads.
    pub(super) fn standing<'a>(&self, sides: &'a [Side], any: &'a [Side]) -> Vec<Standing<'a>> {
        let function = |start: &InstanceId| self.points_to.instances()[*start].function;
        let actors: Vec<Actor<'a>> = sides
            .iter()
            .chain(any)
            .map(|s| (s.starts.iter().map(function).collect(), &s.table.handlers))
            .collect();
        let apart = |f, g| self.apart.contains(&(f, g));
        let own = actors[..sides.len()].iter();
        own.map(|own| Standing::new(own, &actors, apart)).collect()
    }

    /// Every kind of thread.
    pub(super) fn any(&self) -> Vec<Side> {
        let threads = self.threads.iter();
        threads
            .map(|starts| self.side(starts.clone(), true))
            .collect()
    }

    /// What takes locks away from accesses: the releases of these threads, and those of any thread: a proof is for any number
    /// of threads, not only for those of the pair.
    pub(super) fn doubts<'a>(&'a self, tables: impl Iterator<Item = &'a Table>) -> Doubts<'a> {
        let any = self.wild.get_or_init(|| {
            let tables = self.tables();
            tables.flat_map(|t| t.wild.clone()).collect()
        });
        let strict = self.options.strict.then_some(self.points_to);
        Doubts::of(
            tables.flat_map(|t| &t.wild).chain(any).map(Arc::as_ref),
            strict,
        )
    }

    /// The plan for two threads that run `roots_a` and `roots_b` beside each other; threads that they start count as further
    /// threads, each possibly started often.
    ///
    /// Roots that the points-to analysis did not reach execute nothing.
    pub fn pair(&self, roots_a: &[FuncId], roots_b: &[FuncId]) -> PairPlan {
        self.plan(&self.beside(&[roots_a.to_vec(), roots_b.to_vec()]))
    }

    /// The threads of [`Planner::pair`], of which there may be more.
    pub fn beside(&self, roots: &[Vec<FuncId>]) -> Threads {
        let starts: Vec<_> = roots.iter().map(|r| self.instances_of(r)).collect();
        let drained = drained(self.program, self.points_to, roots);
        self.together(starts, &drained, None)
    }

    /// Threads that are born while initialisation runs: that is a thread beside them. `starter` starts the threads of all entry
    /// points, of which only those count here.
    pub fn born_threads(&self, init: FuncId, starter: FuncId, roots: &[Vec<FuncId>]) -> Threads {
        let starts: Vec<_> = roots.iter().map(|r| self.instances_of(r)).collect();
        self.together(starts, &[], Some((init, starter)))
    }

    /// Threads that start in these instances, and initialisation, if they are born in it; none executes `drained`.
    fn together(
        &self,
        each: Vec<Vec<InstanceId>>,
        drained: &[InstanceId],
        born: Option<(FuncId, FuncId)>,
    ) -> Threads {
        let mut executes: Vec<FixedBitSet> = each
            .iter()
            .map(|starts| closure(self.points_to, starts.clone()))
            .collect();
        let init = born.map(|(init, _)| self.instances_of(&[init]));
        let mut all = FixedBitSet::with_capacity(self.points_to.instances().len());
        for own in &executes {
            all.union_with(own);
        }
        if let Some(starts) = &init {
            all.union_with(&closure(self.points_to, starts.clone()));
        }
        let own = each.into_iter().zip(&executes);
        let own = own.map(|(starts, executes)| {
            let drained = drained.iter().filter(|d| executes.contains(d.index()));
            self.side_without(starts, drained.copied().collect(), false)
        });
        let init = init.map(|starts| self.side(starts, false));
        let mut sides: Vec<Side> = own.chain(init).collect();
        for (_, start) in starts(self.points_to, &all) {
            let function = self.points_to.instances()[start].function;
            if born.is_some_and(|(_, starter)| function == starter) {
                continue;
            }
            executes[1].union_with(&closure(self.points_to, vec![start]));
            sides.push(self.side(vec![start], true));
        }
        let of_two = executes.len() == 2 && born.is_none();
        Threads {
            sides,
            executes,
            birth: born.map_or(Birth::There, |_| Birth::OfAnother),
            of_two,
        }
    }

    /// The plan for a whole program that starts at `main`: its threads are `main` and every thread started, each start
    /// possibly often unless it is passed once only. What `main` does before it starts a thread conflicts with nothing.
    pub fn program(&self, main: FuncId) -> PairPlan {
        self.plan(&self.program_threads(main))
    }

    /// The threads of [`Planner::program`].
    pub fn program_threads(&self, main: FuncId) -> Threads {
        let (program, points_to) = (self.program, self.points_to);
        let roots = self.instances_of(&[main]);
        let a = closure(points_to, roots.clone());
        let found = starts(points_to, &a);
        let places: Vec<Place> = found.iter().map(|(place, _)| *place).collect();
        let later = after_starts(program, points_to, &places, &a);
        let options = &self.options;
        let table = Table::new(
            program,
            points_to,
            &self.locksets,
            &roots,
            Some(&later),
            options,
        );
        let mut sides = vec![Side {
            table: Arc::new(table),
            many: false,
            starts: roots,
        }];
        let mut second = FixedBitSet::with_capacity(points_to.instances().len());
        let mut instances: Vec<InstanceId> = found.iter().map(|(_, start)| *start).collect();
        instances.sort_unstable();
        instances.dedup();
        for start in instances {
            second.union_with(&closure(points_to, vec![start]));
            sides.push(self.side(vec![start], !runs_once(program, points_to, start, main)));
        }
        Threads {
            sides,
            executes: vec![a, second],
            birth: Birth::There,
            of_two: false,
        }
    }

    /// What threads that start in these functions do, whatever else runs. `None`: the functions are never reached.
    pub(super) fn alone(&self, roots: &[FuncId]) -> Option<Arc<Table>> {
        let starts = self.instances_of(roots);
        (!starts.is_empty()).then(|| self.side(starts, false).table)
    }

    /// What each kind of thread does.
    pub(super) fn tables(&self) -> impl Iterator<Item = Arc<Table>> + '_ {
        let threads = self.threads.iter();
        threads.map(|starts| self.side(starts.clone(), false).table)
    }

    /// Questions about conditions that the locksets put to the solver, and how many of these ruled a way out.
    pub fn asked(&self) -> [u64; 2] {
        self.locksets.asked()
    }

    /// What the threads execute.
    pub(super) fn executed(&self) -> FixedBitSet {
        closure(self.points_to, self.threads.concat())
    }

    /// The fields that `main`, which is always the same as what is `merged`, and the threads that it starts access.
    pub fn fields(&self, main: FuncId, merged: &[Vec<String>]) -> &Fields {
        self.fields
            .get_or_init(|| Fields::of(self.program, self.points_to, main, merged))
    }

    /// The functions that threads which start in these may execute, by [`FuncId`].
    pub fn executed_from(&self, roots: &[FuncId]) -> FixedBitSet {
        let instances = closure(self.points_to, self.instances_of(roots));
        functions_of(self.program, self.points_to, &instances)
    }

    /// The sites at which threads that start in these functions access memory that others may access too.
    pub fn accesses(&self, roots: &[FuncId]) -> FixedBitSet {
        let mut sites = FixedBitSet::with_capacity(self.program.sites.len());
        if let Some(table) = self.alone(roots) {
            sites.extend(table.sites().map(Idx::index));
        }
        sites
    }

    /// The points-to analysis that it rests on.
    pub fn points_to(&self) -> &'p PointsTo {
        self.points_to
    }

    pub(super) fn instances_of(&self, roots: &[FuncId]) -> Vec<InstanceId> {
        let all = roots.iter().flat_map(|f| self.points_to.instances_of(*f));
        all.copied().collect()
    }

    /// Threads that start in these instances.
    fn side(&self, starts: Vec<InstanceId>, many: bool) -> Side {
        self.side_without(starts, Vec::new(), many)
    }

    /// The same, where they do not execute `drained`.
    fn side_without(&self, starts: Vec<InstanceId>, drained: Vec<InstanceId>, many: bool) -> Side {
        let key = (starts, drained);
        let lock = || self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let table = lock().get(&key).cloned();
        // Not while the lock is held: two pairs may well make the same table at once.
        let table = table.unwrap_or_else(|| {
            let (program, points_to) = (self.program, self.points_to);
            let (starts, drained) = &key;
            let only = (!drained.is_empty()).then(|| accesses_without(points_to, starts, drained));
            let (only, options) = (only.as_ref(), &self.options);
            let new = Table::new(program, points_to, &self.locksets, starts, only, options);
            let new = Arc::new(new);
            lock().entry(key.clone()).or_insert(new).clone()
        });
        Side {
            table,
            many,
            starts: key.0,
        }
    }

    /// The plan for these threads.
    pub fn plan(&self, threads: &Threads) -> PairPlan {
        self.plan_with(threads, &self.options)
    }

    /// The same, its regions with their conflicting pairs ([`PlannedRegion::conflict_pairs`]).
    pub fn plan_conflict_pairs(&self, threads: &Threads) -> PairPlan {
        let options = PlanOptions {
            conflict_pairs: true,
            ..self.options
        };
        self.plan_with(threads, &options)
    }

    /// What locksets cannot follow in some thread, or in one that starts in one of these functions, if there is anything.
    pub fn gap(&self, roots: &[FuncId]) -> Option<String> {
        let more = roots.iter().map(|f| self.instances_of(&[*f]));
        let all = self.threads.iter().cloned().chain(more);
        let mut tables = all.map(|starts| self.side(starts, false).table);
        tables.find_map(|table| table.gap.clone())
    }

    fn plan_with(&self, threads: &Threads, options: &PlanOptions) -> PairPlan {
        let sides = &threads.sides;
        let (program, points_to) = (self.program, self.points_to);
        let executes = threads.executes.iter();
        let executes: Vec<FixedBitSet> = executes
            .map(|own| functions_of(program, points_to, own))
            .collect();
        let mut functions = FixedBitSet::with_capacity(program.functions.len());
        executes.iter().for_each(|own| functions.union_with(own));
        let reachable: Vec<FixedBitSet> =
            executes.iter().map(|own| sites_of(program, own)).collect();
        let doubts = self.doubts(sides.iter().map(|s| &*s.table));
        let any = self.any();
        let mut standing = self.standing(sides, &any);
        let doubts = (&doubts, self.several.as_slice());
        let found = conflicts(program, points_to, sides, doubts, &mut standing, options);
        let mut enabled = found.enabled;
        for s in reachable.iter().flat_map(FixedBitSet::ones) {
            let keep = match program.sites[SiteId::new(s)].kind {
                SiteKind::Assume | SiteKind::Async | SiteKind::Stop | SiteKind::BackEdge => true,
                SiteKind::Read
                | SiteKind::Write
                | SiteKind::ReadWrite
                | SiteKind::AtomicBegin
                | SiteKind::Assert
                | SiteKind::Check
                | SiteKind::Free => false,
            };
            if keep {
                enabled.insert(s);
            }
        }
        for section in &points_to.sections().all {
            let instance = section.place.instance.index();
            let reached = threads.executes.iter().any(|own| own.contains(instance));
            if let (true, true, Some(site)) = (reached, section.blocking, section.site) {
                enabled.insert(site.index());
            }
        }
        let contents = || unidentified::contents(points_to);
        let contents = self.contents.get_or_init(contents);
        PairPlan {
            regions: found.regions,
            proved: found.proved,
            silenced: found.silenced,
            used: uses(program, found.used),
            gap: found.gap,
            unidentified: unidentified::meetings(program, points_to, contents, sides),
            of_one: found.of_one,
            checked: found.checked,
            enabled,
            functions,
            sides: reachable,
            birth: threads.birth,
            of_two: threads.of_two,
            atomicity: Candidates::default(),
        }
    }
}
