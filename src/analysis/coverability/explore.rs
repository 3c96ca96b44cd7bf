//! The states and steps of each kind of thread: an abstract execution of the program, thread by thread.
//!
//! A thread's state is its stack of calls, and what is known of the values still needed. Between two points at which other threads
//! matter it runs on by itself. Other threads show in the tracked cells alone: a step that reads one is made for each content
//! that any thread was seen to write. What is not known is arbitrary: a branch goes both ways, an `assume` passes.
//!
//! What a run finds out that it should have known (a cell that cannot be tracked, a thread start that is passed twice) begins the
//! construction again ([`Lessons`]).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deadline::{self, Deadline};
use crate::faults::{NetFault, seeded};
use crate::index::{BlockId, FuncId, IdVec, Idx, SiteId};
use crate::program::Program;

use super::super::points_to::{InstanceId, ObjectId, Place, PointsTo};
use super::super::sections::AccessId;
use super::cells::{CellId, Cells, Lessons};
use super::closures::Closures;
use super::entries::{Entries, Entry};
use super::live::Bodies;
use super::state::{Edge, Frame, Micro, Seen, State, StateId};
use super::value::{JobId, Val, Who};

/// Constructions.
const MAX_RESTARTS: u32 = 60;
/// How often the clock is looked at: in instructions.
const LOOK: u64 = 4096;
/// Threads that start threads are told apart so far.
const MAX_GENERATIONS: u32 = 6;
/// As are so many that one place starts.
const MAX_STARTS: usize = 8;

/// Why a construction ends early.
#[derive(Clone, Debug)]
pub enum Halt {
    /// To be begun again.
    Again,
    /// It cannot be made.
    Never(String),
}

/// What a kind of thread is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// The first thread.
    Main,
    /// Started by a thread of which there is one, in a state that it is in once.
    Once(JobId, State, InstanceId),
    /// Started any number of times, with that argument.
    Many(InstanceId, Option<Val>),
    /// An entry point of a driver (its number), in one of its copies.
    Entry(usize, InstanceId),
}

/// A kind of thread, its states and steps.
#[derive(Default)]
pub struct Job {
    /// Whether there is one such thread.
    pub once: bool,
    pub states: IdVec<StateId, State>,
    index: FxHashMap<State, StateId>,
    pub edges: FxHashSet<Edge>,
}

/// What all constructions for a program share.
pub struct Input<'a> {
    pub program: &'a Program,
    pub points_to: &'a PointsTo,
    /// Objects of which there is one.
    pub single: &'a FixedBitSet,
    /// Accesses asked for.
    pub asked: &'a FxHashSet<AccessId>,
    /// Whether the user's memory is tracked too.
    pub memory: bool,
    /// In a driver: what runs.
    pub entries: Option<&'a Entries>,
    pub limits: Bounds,
    pub deadline: Deadline,
}

/// What a construction may cost.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// States of all threads together.
    pub states: usize,
    /// Instructions executed in one construction.
    pub instructions: u64,
    /// Instructions executed in all of them together.
    pub total: u64,
}

impl Bounds {
    /// For a whole program.
    pub const PROGRAM: Bounds = Bounds {
        states: 30_000,
        instructions: 8_000_000,
        total: u64::MAX,
    };
}

/// The construction.
pub struct Explorer<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) closures: Closures<'a>,
    pub(super) bodies: Bodies,
    pub(super) lessons: Lessons,
    /// States in which threads are started more than once.
    repeated: FxHashSet<(JobId, State)>,
    /// Places, with the stack of calls, at which too many threads are started to tell them apart.
    crowded: FxHashSet<(JobId, Vec<Place>)>,
    started: FxHashMap<(JobId, Vec<Place>), FxHashSet<JobId>>,
    names: FxHashMap<Start, JobId>,
    pub(super) kinds: IdVec<JobId, Start>,
    pub jobs: BTreeMap<JobId, Job>,
    pub cells: Cells,
    work: VecDeque<(JobId, StateId)>,
    queued: FxHashSet<(JobId, StateId)>,
    /// Knowledge with which each point of the program was met, as hashes.
    pub(super) met: FxHashMap<Vec<Place>, FxHashSet<u64>>,
    pub(super) instructions: u64,
    total: u64,
    states: usize,
    /// The files that are open in the beginning.
    pub(super) files: FxHashSet<ObjectId>,
    pub(super) alone: bool,
    /// What initialisation may leave; none for a whole program.
    pub(super) beginnings: Vec<Micro>,
    /// Sites of accesses that are made to objects which nobody else can find.
    pub(super) private: FxHashSet<SiteId>,
    /// Memory of the program that is written later is followed only where a run asks for it.
    pub(super) lazy: bool,
    /// The last construction exceeded a bound.
    pub(super) too_large: bool,
    /// Something was learned: this construction counts for nothing.
    pub(super) again: bool,
    /// Constructions begun.
    pub rounds: u32,
}

/// The thread that a step belongs to, and the state in which it begins.
#[derive(Clone, Copy)]
pub struct At {
    pub job: JobId,
    pub state: StateId,
    pub once: bool,
}

impl<'a> Explorer<'a> {
    pub fn new(input: &'a Input<'a>) -> Explorer<'a> {
        Explorer {
            input,
            closures: Closures::new(input),
            bodies: Bodies::default(),
            lessons: Lessons::default(),
            repeated: FxHashSet::default(),
            crowded: FxHashSet::default(),
            started: FxHashMap::default(),
            names: FxHashMap::default(),
            kinds: IdVec::new(),
            jobs: BTreeMap::new(),
            cells: Cells::default(),
            work: VecDeque::new(),
            queued: FxHashSet::default(),
            met: FxHashMap::default(),
            instructions: 0,
            total: 0,
            states: 0,
            files: FxHashSet::default(),
            alone: false,
            beginnings: Vec::new(),
            private: FxHashSet::default(),
            lazy: false,
            too_large: false,
            again: false,
            rounds: 0,
        }
    }

    /// Makes the states and steps of all threads that `main` starts, directly or not.
    pub fn run(&mut self, main: FuncId) -> Result<(), String> {
        let Some(start) = self.input.points_to.instances_of(main).first().copied() else {
            return Err("the program starts nowhere".to_string());
        };
        loop {
            self.rounds += 1;
            if self.rounds > MAX_RESTARTS {
                return Err("the construction of the net does not settle".to_string());
            }
            match self.build(start) {
                Ok(()) => return Ok(()),
                Err(Halt::Again) => {}
                Err(Halt::Never(why)) => return Err(why),
            }
        }
    }

    /// Makes the states and steps of all threads of a driver.
    pub fn run_entries(&mut self, entries: &Entries) -> Result<(), String> {
        let Some(init) = self.input.points_to.instances_of(entries.init).first() else {
            return Err("the driver has no initialisation".to_string());
        };
        if self.beginnings.is_empty() {
            self.files = super::begin::files(self.input);
            if let Err(Halt::Never(why)) = self.begin(*init) {
                return Err(why);
            }
            self.instructions = 0;
        }
        loop {
            self.rounds += 1;
            if self.rounds > MAX_RESTARTS {
                return Err("the construction of the net does not settle".to_string());
            }
            match self.build_entries(entries) {
                Ok(()) => return Ok(()),
                Err(Halt::Again) => {}
                Err(Halt::Never(why)) => return Err(why),
            }
        }
    }

    fn build_entries(&mut self, entries: &Entries) -> Result<(), Halt> {
        self.clear();
        // The first job is the thread that initialises; it has ended.
        if self.names.is_empty() {
            let main = self.kinds.push(Start::Main);
            self.names.insert(Start::Main, main);
        }
        for (n, entry) in entries.all.iter().enumerate() {
            self.job(Start::Entry(n, entry.start), entry.start, None)?;
        }
        while let Some((job, state)) = self.work.pop_front() {
            self.queued.remove(&(job, state));
            self.steps(job, state)?;
        }
        self.learn_what_varies();
        match self.again {
            true => Err(Halt::Again),
            false => Ok(()),
        }
    }

    /// Whether a cell is taken to hold what initialisation left there, until somebody is seen to write something else.
    pub(super) fn is_fixed(&self, cell: CellId) -> bool {
        let cell = &self.cells.table[cell];
        self.input.entries.is_some()
            && !self.lessons.varying.contains(&cell.location)
            && cell.initial.iter().all(|c| *c == cell.initial[0])
    }

    /// The entry point that threads of a job run.
    pub(super) fn running(&self, job: JobId) -> Option<&'a Entry> {
        match self.kinds.get(job) {
            Some(Start::Entry(n, _)) => self.input.entries.map(|e| &e.all[*n]),
            _ => None,
        }
    }

    /// In whose name a number is written that is one of many threads'.
    pub(super) fn owner(&self, job: JobId) -> JobId {
        match self.input.entries {
            // Threads of all entry points are alike in this.
            Some(_) => JobId(0),
            None => job,
        }
    }

    /// Threads of many are not told apart as owners of these cells any more.
    pub fn share(&mut self, cells: &[CellId]) {
        for c in cells {
            let location = self.cells.table[*c].location;
            self.lessons.shared_owner.insert(location);
        }
    }

    fn clear(&mut self) {
        self.jobs.clear();
        self.cells = Cells::default();
        self.work.clear();
        self.queued.clear();
        self.met.clear();
        self.instructions = 0;
        self.states = 0;
        self.again = false;
        self.started.clear();
        self.private.clear();
    }

    fn build(&mut self, main: InstanceId) -> Result<(), Halt> {
        self.clear();
        self.job(Start::Main, main, None)?;
        while let Some((job, state)) = self.work.pop_front() {
            self.queued.remove(&(job, state));
            self.steps(job, state)?;
        }
        self.check_once();
        if self.again {
            return Err(Halt::Again);
        }
        Ok(())
    }

    /// The number of a kind of thread; its exploration begins when it is first met.
    pub(super) fn job(
        &mut self,
        start: Start,
        instance: InstanceId,
        argument: Option<Val>,
    ) -> Result<JobId, Halt> {
        let once = !matches!(start, Start::Many(..) | Start::Entry(..));
        let id = match self.names.get(&start) {
            Some(id) => *id,
            None => {
                let id = self.kinds.push(start.clone());
                self.names.insert(start, id);
                id
            }
        };
        if self.jobs.contains_key(&id) {
            return Ok(id);
        }
        let function = self.input.points_to.instances()[instance].function;
        let params = &self.input.program.functions[function].params;
        let known = params.first().copied().zip(argument);
        self.jobs.insert(
            id,
            Job {
                once,
                ..Job::default()
            },
        );
        let state = State {
            frames: vec![Frame {
                instance,
                block: BlockId(0),
                index: 0,
                env: known.into_iter().collect(),
            }],
            memory: Arc::default(),
            mine: BTreeSet::new(),
            unpublished: BTreeSet::new(),
            counts: BTreeMap::new(),
            opened: false,
            fresh: true,
        };
        self.intern(id, state)?;
        Ok(id)
    }

    /// The kind of a thread that is started in the state in which the step began.
    pub(super) fn starts(
        &mut self,
        at: At,
        first: bool,
        instance: InstanceId,
        argument: Option<Val>,
    ) -> Result<JobId, Halt> {
        let state = &self.jobs[&at.job].states[at.state];
        let path = (at.job, state.frames.iter().map(Frame::place).collect());
        let once = first
            && at.once
            && self.generation(at.job) < MAX_GENERATIONS
            && !self.crowded.contains(&path)
            && !self.repeated.contains(&(at.job, state.clone()));
        let start = match once {
            true => Start::Once(at.job, state.clone(), instance),
            false if seeded(NetFault::FirstArgumentOnly) => Start::Many(instance, None),
            false => Start::Many(instance, argument.clone()),
        };
        let job = self.job(start, instance, argument)?;
        if once {
            let started = self.started.entry(path.clone()).or_default();
            started.insert(job);
            if started.len() > MAX_STARTS && !seeded(NetFault::EveryStartIsOnce) {
                self.crowded.insert(path);
                return Err(Halt::Again);
            }
        }
        Ok(job)
    }

    /// How many threads were started one by the other until this one.
    fn generation(&self, job: JobId) -> u32 {
        match &self.kinds[job] {
            Start::Once(parent, ..) => 1 + self.generation(*parent),
            Start::Main | Start::Many(..) | Start::Entry(..) => 0,
        }
    }

    /// The number of the thread that runs, as it knows it.
    pub(super) fn own_number(&self, at: At) -> Val {
        match (at.job.index(), at.once) {
            (0, _) => Val::Int(0),
            (_, true) => Val::Id {
                who: Who::Job(at.job),
                add: 0,
            },
            (_, false) => Val::Id {
                who: Who::Me,
                add: 0,
            },
        }
    }

    fn intern(&mut self, job: JobId, state: State) -> Result<StateId, Halt> {
        let table = self.jobs.entry(job).or_default();
        if let Some(id) = table.index.get(&state) {
            return Ok(*id);
        }
        self.states += 1;
        let most = self.input.limits.states;
        if self.states > most {
            self.too_large = true;
            return Err(Halt::Never(format!(
                "the net is too large: more than {most} states of threads"
            )));
        }
        let id = table.states.push(state.clone());
        table.index.insert(state, id);
        self.queue(job, id);
        Ok(id)
    }

    fn queue(&mut self, job: JobId, state: StateId) {
        if self.queued.insert((job, state)) {
            self.work.push_back((job, state));
        }
    }

    /// Every state that depends on the contents of a cell is looked at again.
    pub(super) fn wake(&mut self, cell: CellId) {
        if seeded(NetFault::NobodyIsWoken) {
            return;
        }
        for (job, state) in self.cells.table[cell].readers.clone() {
            self.queue(job, state);
        }
    }

    /// Counts an instruction.
    pub(super) fn tick(&mut self) -> Result<(), Halt> {
        self.instructions += 1;
        self.total += 1;
        let limits = self.input.limits;
        if self.instructions > limits.instructions || self.total > limits.total {
            let most = limits.instructions.min(limits.total);
            self.too_large = true;
            return Err(Halt::Never(format!(
                "the net is too large: more than {most} instructions executed"
            )));
        }
        if self.instructions % LOOK == 0 {
            deadline::worked(LOOK);
            if let Some(stopped) = self.input.deadline.passed() {
                return Err(Halt::Never(stopped.to_string()));
            }
        }
        Ok(())
    }

    /// All steps from a state.
    fn steps(&mut self, job: JobId, from: StateId) -> Result<(), Halt> {
        let own = &self.jobs[&job];
        let at = At {
            job,
            state: from,
            once: own.once,
        };
        let mut state = own.states[from].clone();
        let begun = std::mem::replace(&mut state.fresh, false);
        let mut work = vec![Micro {
            state,
            begun,
            again: false,
            passed: false,
            later: self.running(job).is_some_and(|e| e.later),
            depth: 0,
            cells: BTreeMap::new(),
            counts: BTreeMap::new(),
            starts: Vec::new(),
            accesses: BTreeSet::new(),
            breaks: None,
            covers: Vec::new(),
        }];
        let mut seen = Seen::default();
        let mut begun: FxHashSet<Edge> = FxHashSet::default();
        let mut whole: FxHashSet<Edge> = FxHashSet::default();
        while let Some(micro) = work.pop() {
            if !seen.is_new(&micro) {
                continue;
            }
            if micro.begun && micro.depth == 0 {
                begun.insert(edge(at, &micro, None));
            }
            match self.advance(at, micro)? {
                Advance::Fork(further) => work.extend(further),
                Advance::Ends(m) => {
                    begun.insert(edge(at, &m, None));
                }
                Advance::Step(m) => {
                    for m in self.settle_counts(m) {
                        let to = self.intern(job, m.state.clone())?;
                        whole.insert(edge(at, &m, Some(to)));
                    }
                }
            }
        }
        // A step that is followed by nothing (the thread ends, or goes round for ever) is one all the same.
        let followed: FxHashSet<Edge> = whole
            .iter()
            .map(|e| Edge {
                to: None,
                ..e.clone()
            })
            .collect();
        if seeded(NetFault::EveryStepIsFollowed) {
            begun.clear();
        }
        let edges = &mut self.jobs.entry(job).or_default().edges;
        edges.extend(whole);
        edges.extend(begun.into_iter().filter(|e| !followed.contains(e)));
        Ok(())
    }

    /// Whether the states in which single threads are started are really passed once.
    fn check_once(&mut self) {
        if seeded(NetFault::EveryStartIsOnce) {
            return;
        }
        let started: Vec<(JobId, State)> = self
            .jobs
            .keys()
            .filter_map(|j| match &self.kinds[*j] {
                Start::Once(parent, state, _) => Some((*parent, state.clone())),
                _ => None,
            })
            .collect();
        for (parent, state) in started {
            let job = &self.jobs[&parent];
            let Some(id) = job.index.get(&state) else {
                continue;
            };
            let mut next: FxHashMap<StateId, Vec<StateId>> = FxHashMap::default();
            for e in &job.edges {
                next.entry(e.from).or_default().extend(e.to);
            }
            let mut seen = FxHashSet::default();
            let mut work = next.get(id).cloned().unwrap_or_default();
            while let Some(s) = work.pop() {
                if seen.insert(s) {
                    work.extend(next.get(&s).into_iter().flatten());
                }
            }
            if seen.contains(id) {
                self.again = true;
                self.repeated.insert((parent, state));
            }
        }
    }
}

fn edge(at: At, m: &Micro, to: Option<StateId>) -> Edge {
    let cells = m.cells.iter();
    let alone = m.counts.iter().filter(|(_, (_, alone))| *alone);
    let alone = alone.map(|(c, _)| *c);
    Edge {
        from: at.state,
        to,
        cells: cells
            .map(|(c, (x, y))| (*c, x.clone(), y.clone()))
            .collect(),
        alone: alone.collect(),
        opened: to.is_none() && m.state.opened,
        starts: m.starts.clone(),
        accesses: m.accesses.iter().copied().collect(),
        breaks: m.breaks,
    }
}

/// How far a thread runs by itself.
pub enum Advance {
    /// It may go on in these ways.
    Fork(Vec<Micro>),
    /// The step is over.
    Step(Micro),
    /// The thread is over.
    Ends(Micro),
}
