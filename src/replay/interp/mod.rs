//! The instruction interpreter: concrete, one thread at a time, sequentially consistent.
//!
//! A *step* of a thread is its next visible instruction (for the begin of an
//! atomic section: the whole section) and the invisible instructions after it,
//! up to just before the next visible one. [`Machine::execute`] does the
//! first part, [`Machine::settle`] the second, [`Machine::step`] both and the
//! invisible prefix of the threads that the step created.
//!
//! Undefined values are zero, as [`crate::trace::schedule::Inputs`] says.
//!
//! One file per group of instructions: `arith`, `float`, `access`, `control`, `primitives`.

mod access;
mod arith;
mod control;
mod float;
mod initial;
mod operand;
mod primitives;

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::input::Source;
use super::memory::{AddressMap, Image, Memory, Object, ObjectKind, to_bytes};
use super::state::{Frame, PathError, State, Status, Stop, Thread, Val};
use crate::assumption::Fixed;
use crate::index::{BlockId, FuncId, GlobalId, IdVec, Idx, LocId, SiteId};
use crate::program::{Const, FailKind, FieldRef, Op, Program};
use crate::trace::schedule::ThreadNumber;

/// Deepest call stack.
pub const MAX_FRAMES: usize = 4096;

/// A program made ready for execution.
#[derive(Debug)]
pub struct Machine<'p> {
    /// The program.
    pub program: &'p Program,
    /// Memory before the start.
    pub image: Image,
    /// Instructions that one step may take before it ends with [`PathError::Budget`].
    pub fuel: u64,
    map: AddressMap,
    globals: IdVec<GlobalId, u64>,
    /// Cells of initialisers that cannot be expressed: first address, size, what they are.
    unknown: Vec<(u64, u64, String)>,
}

/// An access to memory by a visible instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AccessRecord {
    /// Who.
    pub thread: ThreadNumber,
    /// The instruction.
    pub site: SiteId,
    /// First byte.
    pub address: u64,
    /// Number of bytes, not 0.
    pub bytes: u64,
    /// Whether it reads.
    pub read: bool,
    /// Whether it writes.
    pub write: bool,
    /// Whether the instruction is `volatile`.
    pub volatile: bool,
    /// Whether it is a plain write that compilers are taken to do in one ([`crate::program::Site::whole`]).
    pub whole: bool,
    /// Whether the source says that races with it are meant.
    pub silenced: bool,
    /// Whether the instruction is atomic.
    pub atomic: bool,
    /// Whether it is in an atomic section.
    pub in_section: bool,
    /// What was there (at most 8 bytes).
    pub before: Option<u64>,
    /// What is there afterwards (at most 8 bytes).
    pub after: Option<u64>,
}

/// Something worth telling that an instruction did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It accessed memory.
    Access(AccessRecord),
    /// It changed ghost state.
    Ghost {
        /// Beside which address.
        address: u64,
        /// Which.
        key: u32,
        /// Value before.
        old: u64,
        /// Value after.
        new: u64,
    },
    /// It started a thread.
    Started {
        /// The new thread.
        thread: ThreadNumber,
        /// Its start function.
        function: FuncId,
    },
    /// A model that the user's code calls gave an answer that was chosen.
    Answered {
        /// The model.
        function: FuncId,
        /// What it returned, if it is a number.
        value: u64,
        /// Where it was called: the activations, without their values.
        from: Vec<Frame>,
    },
    /// It ended an object's life.
    Freed(u64),
    /// It checked an assertion, which held.
    Asserted,
    /// It ended the thread (not by returning).
    Stopped(&'static str),
}

/// What happened, where somebody wants to know.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Whether to write anything down.
    pub on: bool,
    /// What happened, in order.
    pub happenings: Vec<Happening>,
    /// For an address, the struct field that it was last computed as.
    pub fields: FxHashMap<u64, FieldRef>,
    /// The site whose accesses (or failing assertion) to keep the stack of.
    pub watch: Option<SiteId>,
    /// The activations of the thread at the last of them.
    pub watched: Vec<Frame>,
    /// Whether something was chosen since a model last returned to the user's code.
    pub asked: bool,
    /// Who gave answers that the real function computes.
    pub any_answers: Vec<FuncId>,
    /// Functions without a model that were given pointers: what they do there, nobody knows.
    pub given: Vec<FuncId>,
    /// What the models fix that were executed.
    pub fixed: BTreeSet<Fixed>,
    /// Checks of models that failed: kind, site, and the address of the object that each is about. Within a section they count if
    /// it can be entered.
    pub failed: Vec<(FailKind, SiteId, u64)>,
}

impl Log {
    /// A log that is written.
    pub fn recording() -> Log {
        Log {
            on: true,
            ..Log::default()
        }
    }
    fn note(&mut self, happening: Happening) {
        if self.on {
            self.happenings.push(happening);
        }
    }
    /// The accesses among the happenings.
    pub fn accesses(&self) -> impl Iterator<Item = &AccessRecord> {
        self.happenings.iter().filter_map(|h| match h {
            Happening::Access(a) => Some(a),
            _ => None,
        })
    }
}

/// One thread at work.
struct Run<'a> {
    machine: &'a Machine<'a>,
    state: &'a mut State,
    thread: ThreadNumber,
    source: &'a mut dyn Source,
    log: &'a mut Log,
    fuel: u64,
    /// The first assertion that failed in the section that is being executed. It counts when the section ends: an
    /// `assume` may still keep the thread out.
    failed: Option<Option<SiteId>>,
    /// Whether an atomic section was ended by its end, not by the end of the thread.
    closed: bool,
}

/// How the visible part of a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visible {
    /// To its end.
    Done,
    /// The thread ended within an atomic section. Its accesses there are no part of a race.
    EndedInSection,
}

impl<'p> Machine<'p> {
    /// Lays out the program; `fuel` as in [`Machine::fuel`].
    pub fn new(program: &'p Program, fuel: u64) -> Machine<'p> {
        let map = AddressMap::new(program.layout.pointer_bytes);
        let mut next = map.globals;
        let mut place = |size: u64| {
            let align = size.next_power_of_two().clamp(16, 4096);
            let at = next.next_multiple_of(align);
            next = at + size.max(1) + 16;
            at
        };
        let globals = program
            .globals
            .iter()
            .map(|g| match (g.init.is_none(), g.size) {
                (true, 0) => place(2 * map.half_room) + map.half_room,
                (_, size) => place(size),
            })
            .collect();
        let mut machine = Machine {
            program,
            image: Image::default(),
            fuel,
            map,
            globals,
            unknown: Vec::new(),
        };
        for (id, global) in program.globals.iter_ids() {
            let unknown = global.init.is_none() && global.size == 0;
            let base = machine.globals[id];
            let start = if unknown { base - map.half_room } else { base };
            let mut object = Object::new(
                start,
                (!unknown).then_some(global.size),
                map.half_room,
                ObjectKind::Global(id),
                format!("@{}", global.name).into(),
            );
            object.made_at = global.loc;
            for cell in global.init.iter().flatten() {
                match (&cell.value, machine.plain_const(&cell.value)) {
                    (_, Some(value)) => {
                        let bytes =
                            to_bytes(value, cell.size as usize, program.layout.little_endian);
                        object.initialise(cell.offset as i64, &bytes);
                    }
                    (value, None) => machine.unknown.push((
                        base + cell.offset,
                        u64::from(cell.size),
                        format!("initialiser of {}: {value:?}", global.name),
                    )),
                }
            }
            object.constant = global.constant;
            machine.image.objects.insert(start, object);
        }
        machine
    }

    /// An error if bytes to be read come from an initialiser that cannot be expressed (as far as can be seen: still zero).
    fn check_known(&self, address: u64, bytes: &[u8]) -> Result<(), PathError> {
        let end = address + bytes.len() as u64;
        let hit = self
            .unknown
            .iter()
            .find(|(at, size, _)| *at < end && address < at + size);
        match hit {
            Some((_, _, what)) if bytes.iter().all(|b| *b == 0) => {
                Err(PathError::Unsupported(what.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Address of a global.
    pub fn global_address(&self, global: GlobalId) -> u64 {
        self.globals[global]
    }
    /// Address of a function.
    pub fn function_address(&self, function: FuncId) -> u64 {
        self.map.functions + 16 * function.index() as u64
    }
    /// Whether that thread made what is at an address.
    pub fn made_by(&self, thread: ThreadNumber, address: u64) -> bool {
        let start = self.map.region_of(thread);
        (start..start + self.map.region).contains(&address)
    }
    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<FuncId> {
        let n = address.checked_sub(self.map.functions)?;
        let index = usize::try_from(n / 16).ok()?;
        let is_one = n % 16 == 0 && index < self.program.functions.len();
        is_one.then(|| FuncId::new(index))
    }
    fn pointer_bits(&self) -> u32 {
        self.program.layout.pointer_bytes * 8
    }

    /// The state before the first step: thread 0 is about to enter `entry` (no arguments), its prefix not yet run.
    ///
    /// Errors: a global object of it cannot be made, by its size or by what it holds.
    pub fn initial(&self, entry: FuncId, source: &mut dyn Source) -> Result<State, PathError> {
        let mut state = State::default();
        self.create_thread(&mut state, entry, &[])?;
        for (id, global) in self.program.globals.iter_ids() {
            if global.init.is_some() {
                continue;
            }
            let name = format!("@{}", global.name);
            if source.lazy(&name).is_none() {
                continue;
            }
            let object = self
                .image
                .objects
                .values()
                .find(|o| o.kind == ObjectKind::Global(id))
                .expect("every global has an object")
                .clone();
            self.fill(&mut state, 0, object, source)?;
        }
        Ok(state)
    }

    /// Adds a thread that is about to enter `function`.
    fn create_thread(
        &self,
        state: &mut State,
        function: FuncId,
        args: &[Val],
    ) -> Result<ThreadNumber, PathError> {
        let number = state.threads.len() as ThreadNumber;
        let frame = self.new_frame(function, args)?;
        state.threads.push(Rc::new(Thread {
            start: function,
            frames: vec![frame],
            status: Status::Running,
            atomic: 0,
            next_address: self.map.region_of(number),
            allocated: 0,
            lazy: 0,
        }));
        Ok(number)
    }

    /// Room for an object of `thread`; the address of its first byte.
    fn room(
        &self,
        state: &mut State,
        thread: ThreadNumber,
        size: Option<u64>,
    ) -> Result<u64, PathError> {
        let bytes = size.unwrap_or(2 * self.map.half_room).max(1);
        let align = bytes
            .checked_next_power_of_two()
            .unwrap_or(4096)
            .clamp(16, 4096);
        let end = self.map.region_of(thread) + self.map.region;
        let t = state.thread_mut(thread);
        let at = t.next_address.next_multiple_of(align);
        match at.checked_add(bytes).and_then(|n| n.checked_add(16)) {
            Some(next) if next <= end => {
                t.next_address = next;
                Ok(at)
            }
            _ => Err(PathError::Budget(format!(
                "no address space for an object of {bytes} bytes"
            ))),
        }
    }

    /// Where the user's code is that makes an object now, and which function makes it: the user's, or the model that it called.
    fn maker(&self, state: &State, thread: ThreadNumber) -> (Option<LocId>, Option<FuncId>) {
        let mut callee = None;
        for frame in state.thread(thread).frames.iter().rev() {
            let function = &self.program.functions[frame.function];
            if !function.is_model {
                let block = &function.blocks[frame.block];
                let loc = block.instrs.get(frame.index).and_then(|i| i.loc);
                return (loc, callee.or(Some(frame.function)));
            }
            callee = Some(frame.function);
        }
        (None, callee)
    }

    /// The site of the thread's next instruction, if that is a visible one. `None` when it has ended.
    pub fn next_site(&self, state: &State, thread: ThreadNumber) -> Option<SiteId> {
        if !state.is_running(thread) {
            return None;
        }
        let frame = state.thread(thread).frames.last()?;
        let block = &self.program.functions[frame.function].blocks[frame.block];
        match block.instrs.get(frame.index) {
            Some(instr) => instr.site,
            None => block.term_site,
        }
    }

    /// Whether the thread is about to begin an atomic section.
    pub fn at_section(&self, state: &State, thread: ThreadNumber) -> bool {
        let Some(frame) = state.thread(thread).frames.last() else {
            return false;
        };
        let block = &self.program.functions[frame.function].blocks[frame.block];
        block.instrs.get(frame.index).is_some_and(|i| {
            matches!(
                i.op,
                Op::Primitive {
                    primitive: crate::program::Primitive::AtomicBegin,
                    ..
                }
            )
        })
    }

    fn run<'a>(
        &'a self,
        state: &'a mut State,
        thread: ThreadNumber,
        source: &'a mut dyn Source,
        log: &'a mut Log,
    ) -> Run<'a> {
        Run {
            machine: self,
            state,
            thread,
            source,
            log,
            fuel: self.fuel,
            failed: None,
            closed: true,
        }
    }

    /// Executes the next instruction of a running thread; if it begins an atomic section, the whole section.
    ///
    /// On an error the state is to be thrown away. [`Stop::AssertionFailed`] from a section means that the section ended.
    pub fn execute(
        &self,
        state: &mut State,
        thread: ThreadNumber,
        source: &mut dyn Source,
        log: &mut Log,
    ) -> Result<Visible, Stop> {
        let mut run = self.run(state, thread, source, log);
        run.instruction()?;
        while run.state.thread(thread).atomic > 0 && run.state.is_running(thread) {
            run.instruction()?;
        }
        match run.failed {
            Some(site) => Err(Stop::AssertionFailed(site)),
            None if run.closed => Ok(Visible::Done),
            None => Ok(Visible::EndedInSection),
        }
    }

    /// Executes invisible instructions up to just before the next visible one, or the thread's end.
    ///
    /// Errors: what ends the execution before; the state is then to be thrown away.
    pub fn settle(
        &self,
        state: &mut State,
        thread: ThreadNumber,
        source: &mut dyn Source,
        log: &mut Log,
    ) -> Result<(), Stop> {
        let mut run = self.run(state, thread, source, log);
        while run.state.is_running(thread) && self.next_site(run.state, thread).is_none() {
            run.instruction()?;
        }
        Ok(())
    }

    /// Executes one instruction of a running thread, visible or not. On an error the state is as before, except where
    /// the instruction is a bulk access.
    pub fn one(
        &self,
        state: &mut State,
        thread: ThreadNumber,
        source: &mut dyn Source,
        log: &mut Log,
    ) -> Result<(), Stop> {
        self.run(state, thread, source, log).instruction()
    }

    /// Runs the prefix of every thread from number `from` on. One that cannot be executed is the end of that thread alone.
    ///
    /// Errors: what ends the execution of all threads: an assumption that does not hold, a failing assertion.
    pub fn settle_new(
        &self,
        state: &mut State,
        from: usize,
        source: &mut dyn Source,
    ) -> Result<(), Stop> {
        for n in from..state.threads.len() {
            let thread = n as ThreadNumber;
            match self.settle(state, thread, source, &mut Log::default()) {
                Ok(()) => {}
                Err(Stop::Error(e)) => state.thread_mut(thread).status = Status::Failed(e),
                Err(stop) => return Err(stop),
            }
        }
        Ok(())
    }

    /// One step of a running thread. On an error the state is to be thrown away.
    pub fn step(
        &self,
        state: &mut State,
        thread: ThreadNumber,
        source: &mut dyn Source,
        log: &mut Log,
    ) -> Result<(), Stop> {
        let threads = state.threads.len();
        self.execute(state, thread, source, log)?;
        self.settle(state, thread, source, log)?;
        self.settle_new(state, threads, source)
    }

    /// The first block of a function, its parameters set.
    fn new_frame(&self, function: FuncId, args: &[Val]) -> Result<Frame, PathError> {
        let f = &self.program.functions[function];
        if !f.is_defined() {
            return Err(PathError::Unsupported(format!(
                "call of {}, which has no definition and no model",
                f.name
            )));
        }
        let mut values = vec![Val::Bits(0); f.values.len()];
        // Called with other types than its own: numbers are extended or cut, and what is missing is undefined.
        for (param, arg) in f.params.iter().zip(args) {
            values[param.index()] = match (arg, self.scalar_bits(&f.values[*param].ty)) {
                (Val::Bits(bits), Some(width)) => Val::Bits(arith::mask(*bits, width)),
                _ => arg.clone(),
            };
        }
        Ok(Frame {
            function,
            block: BlockId(0),
            index: 0,
            values,
        })
    }

    /// Width of a scalar type.
    fn scalar_bits(&self, ty: &crate::program::Type) -> Option<u32> {
        ty.bits(self.program.layout.pointer_bytes)
    }

    /// A constant that needs no state; `None` for an unsupported one or a tuple.
    fn plain_const(&self, constant: &Const) -> Option<u128> {
        let narrow = |address: u64, bits: &Option<u32>| {
            arith::mask(u128::from(address), bits.unwrap_or(self.pointer_bits()))
        };
        Some(match constant {
            Const::Int { value, .. } | Const::Float { value, .. } => *value,
            Const::Null | Const::Undef(_) => 0,
            Const::Addr {
                global,
                offset,
                int_bits,
            } => narrow(self.globals[*global].wrapping_add_signed(*offset), int_bits),
            Const::Func { function, int_bits } => {
                narrow(self.function_address(*function), int_bits)
            }
            Const::Tuple(_) | Const::Unsupported(..) => return None,
        })
    }
}

impl Memory {
    /// The object that an address belongs to, in this machine's memory.
    pub fn object_at<'a>(&'a self, machine: &'a Machine<'_>, address: u64) -> Option<&'a Object> {
        self.find(&machine.image, address)
    }
}
