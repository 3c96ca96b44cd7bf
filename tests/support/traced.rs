//! Points-to against what a program really touches: it runs once, at random, and every pointer that it uses must lead to
//! where the analysis says it may.
//!
//! The activations of each thread are matched with the analysis's instances of functions, so that what it tells apart by call sites
//! is compared as such; the objects with where they were made.

use std::collections::{BTreeMap, BTreeSet};

use irkiss::internals::analysis::PointsTo;
use irkiss::internals::analysis::points_to::{
    Access, Address, InstanceId, ObjectId, ObjectKind, Place, Space,
};
use irkiss::internals::index::{Idx, ValueId};
use irkiss::internals::program::{Const, Op, Operand, Primitive, Program};
use irkiss::internals::replay::input::Source;
use irkiss::internals::replay::interp::{Log, Machine};
use irkiss::internals::replay::memory::ObjectKind as Concrete;
use irkiss::internals::replay::state::{Frame, State, Stop};
use irkiss::trace::schedule::{LazyCell, ThreadNumber};

use super::random::Rng;

/// Instructions of one run.
const STEPS: usize = 20_000;

/// Random values.
struct Dice(Rng);

impl Source for Dice {
    fn nondet(&mut self, _: ThreadNumber, bits: u32) -> Result<u64, Stop> {
        Ok(self.0.below(if bits == 1 { 2 } else { 4 }) as u64)
    }
    fn lazy(&self, _: &str) -> Option<&BTreeMap<u64, LazyCell>> {
        None
    }
    fn uninitialised(&self, _: &str) -> Option<&BTreeMap<u64, LazyCell>> {
        None
    }
    fn pair(&self, n: u64) -> u64 {
        n
    }
}

/// What was compared.
#[derive(Debug, Default)]
pub struct Traced {
    /// Pointers used.
    pub pointers: u64,
    /// Objects used by several threads.
    pub shared: u64,
    /// Places, each with the pointer's number.
    pub places: BTreeSet<(Place, usize)>,
    /// Threads that came to their end.
    pub ended: u64,
    /// Why others did not.
    pub errors: BTreeSet<String>,
}

struct Tracer<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    machine: Machine<'p>,
    state: State,
    /// The instance of each activation, by thread.
    stacks: Vec<Vec<InstanceId>>,
    /// By first address.
    made: BTreeMap<u64, ObjectId>,
    used_by: BTreeMap<u64, ThreadNumber>,
    out: Traced,
}

/// The pointers that an instruction uses: the operand, how many bytes it accesses there (0: as ghost state), whether it writes.
fn pointers(op: &Op) -> Vec<(&Operand, Option<&Operand>, u64, bool)> {
    match op {
        Op::Load { ptr, .. } => vec![(ptr, None, 1, false)],
        Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. } => {
            vec![(ptr, None, 1, true)]
        }
        Op::MemCopy { dst, src, len, .. } => {
            vec![(dst, Some(len), 1, true), (src, Some(len), 1, false)]
        }
        Op::MemSet { dst, len, .. } => vec![(dst, Some(len), 1, true)],
        Op::Primitive {
            primitive: Primitive::GhostGet | Primitive::GhostSet,
            args,
        } => vec![(&args[0], None, 0, false)],
        _ => Vec::new(),
    }
}

impl Tracer<'_> {
    fn word(&self, frame: &Frame, operand: &Operand) -> u64 {
        match operand {
            Operand::Value(v) => frame.values[v.index()].bits() as u64,
            Operand::Const(Const::Int { value, .. }) => *value as u64,
            Operand::Const(Const::Addr { global, offset, .. }) => self
                .machine
                .global_address(*global)
                .wrapping_add_signed(*offset),
            Operand::Const(Const::Func { function, .. }) => {
                self.machine.function_address(*function)
            }
            Operand::Const(_) => 0,
        }
    }

    /// The analysis's object at an address, the offset in it, and its first address. `None`: no object that it could know.
    fn object(&self, address: u64) -> Result<Option<(ObjectId, i64, u64)>, String> {
        let Some(object) = self.state.memory.object_at(&self.machine, address) else {
            return Ok(None);
        };
        let id = match object.kind {
            Concrete::Global(g) => {
                let kinds = [ObjectKind::Global(g), ObjectKind::ThreadSlot(g)];
                kinds.into_iter().find_map(|k| self.points_to.object(k))
            }
            _ => self.made.get(&object.base()).copied(),
        };
        let id = id.ok_or_else(|| format!("object: {} is not known at all", object.name))?;
        Ok(Some((id, object.offset_of(address), object.base())))
    }

    /// Compares the pointers that the next instruction of a thread uses.
    fn compare(&mut self, thread: ThreadNumber) -> Result<(), String> {
        let frame = self.state.thread(thread).frames.last().expect("running");
        let instance = *self.stacks[thread as usize].last().expect("running");
        let function = &self.program.functions[frame.function];
        let Some(instr) = function.blocks[frame.block].instrs.get(frame.index) else {
            return Ok(());
        };
        let place = Place {
            instance,
            block: frame.block,
            index: frame.index as u32,
        };
        let mut used = Vec::new();
        for (n, (operand, len, bytes, write)) in pointers(&instr.op).into_iter().enumerate() {
            if len.is_some_and(|l| self.word(frame, l) == 0) {
                continue;
            }
            let Some((object, offset, base)) = self.object(self.word(frame, operand))? else {
                continue;
            };
            let targets = self.points_to.targets_in(instance, operand);
            let here = |a: &Address| {
                a.object == object
                    && match a.stride {
                        0 => a.rem == offset,
                        s => (i128::from(offset) - i128::from(a.rem)).rem_euclid(s.into()) == 0,
                    }
            };
            let constant = matches!(
                self.points_to.objects()[object].kind,
                ObjectKind::Global(g) if self.program.globals[g].constant
            );
            if !targets
                .iter()
                .any(|a| here(a) || (constant && a.object == object))
            {
                return Err(format!(
                    "target: {}: pointer {n} of {:?} leads to {} ({:?}), targets {:?}",
                    self.describe(instr.loc),
                    instr.op,
                    self.name(object, offset),
                    object,
                    targets
                        .iter()
                        .map(|a| format!("{} stride {}", self.name(a.object, a.rem), a.stride))
                        .collect::<Vec<_>>()
                ));
            }
            let reached = |a: &&Access| {
                a.place == place
                    && (a.space == Space::Memory) == (bytes > 0)
                    && (a.write == write || bytes == 0)
            };
            let mut accesses = self.points_to.instances()[instance].accesses.iter();
            if !constant
                && !accesses.any(|a| {
                    reached(&a)
                        && self
                            .points_to
                            .reached(a)
                            .iter()
                            .any(|t| t.overlaps(a.len, Address::at(object, offset), bytes.max(1)))
                })
            {
                return Err(format!(
                    "access: {}: no access of {} by {:?}",
                    self.describe(instr.loc),
                    self.name(object, offset),
                    instr.op
                ));
            }
            used.push((n, object, offset, base));
        }
        for (n, object, offset, base) in used {
            self.out.pointers += 1;
            self.out.places.insert((place, n));
            let first = *self.used_by.entry(base).or_insert(thread);
            if first != thread {
                self.out.shared += 1;
                if !self.points_to.is_shared(object) {
                    return Err(format!("shared: {}", self.name(object, offset)));
                }
            }
        }
        Ok(())
    }

    fn describe(&self, loc: Option<irkiss::internals::index::LocId>) -> String {
        self.program.source.describe(loc)
    }

    fn name(&self, object: ObjectId, offset: i64) -> String {
        format!("{:?}+{offset}", self.points_to.objects()[object].kind)
    }

    /// One instruction of a thread; whether it could be executed.
    fn one(&mut self, thread: ThreadNumber, dice: &mut Dice) -> Result<bool, String> {
        self.compare(thread)?;
        let t = self.state.thread(thread);
        let (depth, threads) = (t.frames.len(), self.state.threads.len());
        let frame = t.frames.last().expect("running");
        let (f, block, index) = (frame.function, frame.block, frame.index);
        let instr = self.program.functions[f].blocks[block].instrs.get(index);
        let place = Place {
            instance: *self.stacks[thread as usize].last().expect("running"),
            block,
            index: index as u32,
        };
        let mut log = Log::default();
        match self.machine.one(&mut self.state, thread, dice, &mut log) {
            Ok(()) => {}
            Err(Stop::Blocked) => return Ok(false),
            Err(stop) => {
                self.out.errors.insert(match stop {
                    Stop::Error(e) => e.to_string(),
                    other => format!("{other:?}"),
                });
                self.state.end_thread(thread);
                self.stacks[thread as usize].clear();
                return Ok(true);
            }
        }
        let frames = &self.state.thread(thread).frames;
        let stack = &mut self.stacks[thread as usize];
        if frames.len() > depth {
            let callee = frames[depth].function;
            let calls = self.points_to.instances()[place.instance].calls.iter();
            let found = calls
                .filter(|(p, c)| *p == place && self.points_to.instances()[*c].function == callee)
                .map(|(_, c)| *c)
                .next();
            let name = &self.program.functions[callee].name;
            stack.push(found.ok_or_else(|| {
                let loc = instr.and_then(|i| i.loc);
                format!(
                    "call: {}: no call of {name}",
                    self.program.source.describe(loc)
                )
            })?);
        }
        stack.truncate(frames.len());
        self.out.ended += u64::from(frames.is_empty());
        let result =
            |v: ValueId, frames: &[Frame]| frames[depth - 1].values[v.index()].bits() as u64;
        let kind = match instr.map(|i| &i.op) {
            Some(Op::Alloca { .. }) => Some(ObjectKind::Stack(place)),
            Some(Op::Primitive {
                primitive: Primitive::Alloc,
                ..
            }) => Some(ObjectKind::Heap(place)),
            _ => None,
        };
        if let (Some(kind), Some(v)) = (kind, instr.and_then(|i| i.result)) {
            let object = self.points_to.object(kind);
            let object = object.ok_or_else(|| format!("object: {kind:?} is not known"))?;
            self.made.insert(result(v, frames), object);
        }
        for n in threads..self.state.threads.len() {
            let start = self.state.threads[n].start;
            let starts = self.points_to.instances()[place.instance].starts.iter();
            let mut found = starts
                .filter(|(p, c)| *p == place && self.points_to.instances()[*c].function == start);
            let found = found.next().ok_or("call: a thread start is missing")?;
            self.stacks.push(vec![found.1]);
        }
        Ok(true)
    }
}

/// Runs a program once; `Err`: where the analysis is contradicted.
pub fn run(program: &Program, points_to: &PointsTo, seed: u64) -> Result<Traced, String> {
    let main = program.function_named("__irkiss_main").expect("main");
    let machine = Machine::new(program, STEPS as u64);
    let mut dice = Dice(Rng::new(seed));
    let mut choice = Rng::new(seed ^ 0xc401ce);
    let state = machine
        .initial(main, &mut dice)
        .map_err(|e| e.to_string())?;
    let root = points_to.instances_of(main)[0];
    let mut tracer = Tracer {
        program,
        points_to,
        machine,
        state,
        stacks: vec![vec![root]],
        made: BTreeMap::new(),
        used_by: BTreeMap::new(),
        out: Traced::default(),
    };
    // Runs of several instructions of one thread, or all would be at the same place.
    let mut thread = 0;
    for _ in 0..STEPS {
        let running: Vec<ThreadNumber> = (0..tracer.state.threads.len() as ThreadNumber)
            .filter(|t| tracer.state.is_running(*t))
            .collect();
        if running.is_empty() {
            break;
        }
        let inside = running.contains(&thread) && tracer.state.thread(thread).atomic > 0;
        if !inside && (!running.contains(&thread) || choice.below(12) == 0) {
            thread = running[choice.below(running.len())];
        }
        // A section is entered as a whole, or not at all.
        let before = (!inside && tracer.machine.at_section(&tracer.state, thread))
            .then(|| (tracer.state.clone(), tracer.stacks.clone()));
        if let Some((state, stacks)) = before {
            let mut entered = tracer.one(thread, &mut dice)?;
            while entered
                && tracer.state.is_running(thread)
                && tracer.state.thread(thread).atomic > 0
            {
                entered = tracer.one(thread, &mut dice)?;
            }
            if !entered {
                (tracer.state, tracer.stacks) = (state, stacks);
                if running.len() == 1 {
                    break;
                }
                thread = running[choice.below(running.len())];
            }
        } else if !tracer.one(thread, &mut dice)? {
            // Blocked for good.
            tracer.state.end_thread(thread);
            tracer.stacks[thread as usize].clear();
        }
    }
    Ok(tracer.out)
}
