//! The machine: threads on one memory, one of which runs until something makes it pause.
//!
//! It means what the interpreter of `replay/` means, and shares nothing with it: that one confirms what this one finds. A *step* is a
//! visible instruction, or a whole atomic section; what a thread does between two steps nobody else sees.

use super::code::{Code, Pc, Returned};
use super::coverage::Coverage;
use super::directed::Directed;
use super::inputs::{Back, Domain, Input, Inputs, Key, Script, What, named};
use super::memory::{self, BYTES, Fault, Life, Memory, Place, Taint};
use super::seen::Seen;
use super::watch::{Noted, OfThread, Watch};
use crate::index::{FuncId, GlobalId, Idx, SiteId};
use crate::program::{Const, Program};
use crate::trace::schedule::{Step, ThreadNumber};

/// Calls within calls.
pub(super) const MOST_FRAMES: usize = 1_000;

/// Instructions within which a thread that does not go round and round asks for something.
const A_WHILE: u64 = 4_000;

/// A register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Register {
    pub value: u64,
    pub taint: Taint,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The next instruction.
    pub pc: Pc,
    /// The first of its registers.
    pub base: u32,
    /// Where what it gives goes in the frame below.
    pub returned: Returned,
}

/// Whether a thread can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Running,
    Ended,
    Failed,
}

/// A thread.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub number: ThreadNumber,
    pub frames: Vec<Frame>,
    /// The instruction at hand.
    pub at: Pc,
    pub registers: Vec<Register>,
    pub status: Status,
    /// Sections that are open.
    pub atomic: u32,
    /// Steps that it has taken in its own code.
    pub steps: u32,
    pub domain: Domain,
    /// Calls within which its own code begins.
    pub own_calls: u32,
    /// Objects made up.
    pub made_up: u32,
    /// What it has asked, and the locks that it holds.
    pub watched: OfThread,
}

/// Why a thread does not go on now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// It has ended.
    Ended,
    /// It waits for something that is not so.
    Blocked,
    /// It did what has no meaning, or what is not run here.
    Failed,
    /// The run has taken all its instructions.
    Fuel,
    /// It is about to take the step up to which it was to run.
    AtStep,
    /// It is about to call the function up to which it was to run.
    AtCall,
    /// It is about to make the access that was waited for.
    Met,
}

/// Up to where a thread runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Until {
    /// So many of its steps.
    pub steps: Option<u32>,
    /// The call of a function.
    pub call: Option<FuncId>,
    /// An access.
    pub access: Option<Awaited>,
}

/// An access that is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awaited {
    pub site: SiteId,
    /// First byte of what it is to overlap, and how many.
    pub at: u64,
    pub bytes: u64,
}

impl Awaited {
    pub(super) fn overlaps(&self, at: u64, bytes: u64) -> bool {
        at < self.at.saturating_add(self.bytes) && self.at < at.saturating_add(bytes)
    }
}

/// How far a machine had come, without what its threads were doing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    memory: memory::Mark,
    threads: usize,
    pub steps: usize,
    inputs: usize,
    questions: usize,
    names: usize,
}

/// How far a machine had come.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    depth: Depth,
    threads: Vec<Thread>,
    pub asked: usize,
    pub compared: usize,
}

/// Threads on one memory.
#[derive(Clone, Debug)]
pub(super) struct Machine<'p> {
    pub code: &'p Code,
    pub memory: Memory,
    pub threads: Vec<Thread>,
    /// The interleaving so far.
    pub steps: Vec<Step>,
    pub inputs: Inputs,
    /// The numbers of the entry points, as the harness asks for them.
    pub pair: Vec<u32>,
    /// Choices of what runs before, and of each thread's own code.
    pub before: Script,
    pub scripts: Vec<Script>,
    /// Instructions that are left.
    pub fuel: u64,
    /// Further ones, for a single thread that asks for nothing: what it does ends some time, and nothing else can happen before.
    pub further: u64,
    /// Inputs that had been asked for when the last of these were taken.
    pub(super) asked_before: Option<usize>,
    /// Whether it has gone on so for a while.
    pub(super) has_gone_far: bool,
    pub seen: Seen,
    /// What is noted of runs, and what they show of that.
    pub watch: Watch,
    pub noted: Noted,
    /// What a run is made to do.
    pub directed: Directed,
    /// Of these sites accesses are kept.
    pub wanted: fixedbitset::FixedBitSet,
    /// Where runs have gone.
    pub coverage: Coverage,
    /// The function in which the own code of threads begins.
    pub starter: Option<FuncId>,
    pub(super) scratch: Vec<(u32, Register)>,
}

impl<'p> Machine<'p> {
    /// Thread 0 before the first instruction of `main`. `None`: it has none, or memory does not hold the globals.
    pub(super) fn new(code: &'p Code, program: &'p Program) -> Option<Machine<'p>> {
        let mut machine = Machine {
            code,
            memory: Memory::default(),
            threads: Vec::new(),
            steps: Vec::new(),
            inputs: Inputs::default(),
            pair: Vec::new(),
            before: Script::default(),
            scripts: Vec::new(),
            fuel: 0,
            further: 0,
            asked_before: None,
            has_gone_far: false,
            seen: Seen::default(),
            watch: Watch::default(),
            noted: Noted::default(),
            directed: Directed::default(),
            wanted: fixedbitset::FixedBitSet::with_capacity(code.sites),
            coverage: Coverage::default(),
            starter: program.harness.starter,
            scratch: Vec::new(),
        };
        for (id, global) in program.globals.iter_ids() {
            machine.global(id, global).ok()?;
        }
        machine.start(program.harness.main?, &[])?;
        Some(machine)
    }

    fn global(&mut self, id: GlobalId, global: &crate::program::Global) -> Result<(), Fault> {
        let made_up = global.init.is_none();
        let size = (!made_up || global.size > 0).then_some(global.size);
        let object = self.memory.add(Life::Global, size, made_up)?;
        if made_up {
            let name = self.inputs.names.len() as u32;
            self.inputs.names.push(format!("@{}", global.name));
            let own = self.memory.object_mut(object);
            own.name = name;
            own.key = named(1, id.index() as u64);
        }
        for cell in global.init.iter().flatten() {
            let value = match &cell.value {
                Const::Int { value, .. } | Const::Float { value, .. } => *value,
                Const::Addr { global, offset, .. } => {
                    u128::from(memory::global_address(*global).wrapping_add_signed(*offset))
                }
                Const::Func { function, .. } => u128::from(memory::function_address(*function)),
                // Of what cannot be expressed nothing is known: zero, until the interpreter objects.
                Const::Null | Const::Undef(_) | Const::Tuple(_) | Const::Unsupported(..) => {
                    continue;
                }
            };
            for (n, bytes) in (0..cell.size)
                .step_by(8)
                .map(|n| (n, (cell.size - n).min(8)))
            {
                let at = memory::address(object, cell.offset as i64 + i64::from(n));
                if let Ok(place) = self.memory.place(at, u64::from(bytes)) {
                    self.memory
                        .write(place, bytes, (value >> (8 * n)) as u64, 0)?;
                }
            }
        }
        self.memory.object_mut(object).constant = global.constant;
        Ok(())
    }

    /// A new thread that is about to run a function; its number. `None`: the function cannot be run.
    pub(super) fn start(&mut self, function: FuncId, args: &[u64]) -> Option<ThreadNumber> {
        let number = self.threads.len() as ThreadNumber;
        let mut thread = Thread {
            number,
            frames: Vec::new(),
            at: 0,
            registers: Vec::new(),
            status: Status::Running,
            atomic: 0,
            steps: 0,
            domain: match (self.starter, number) {
                // Of a whole program there is one script.
                (None, _) => Domain::Own(0),
                (Some(_), 0) => Domain::Before,
                (Some(_), n) => Domain::Own(n.min(255) as u8),
            },
            own_calls: 0,
            made_up: 0,
            watched: OfThread::default(),
        };
        let nothing = Returned {
            dst: None,
            slots: 0,
            bits: 64,
            number: false,
        };
        let args: Vec<Register> = args
            .iter()
            .map(|a| Register {
                value: *a,
                taint: 0,
            })
            .collect();
        self.enter(&mut thread, function, &args, nothing)?;
        self.threads.push(thread);
        Some(number)
    }

    /// More instructions for a single thread that has asked for nothing since the last ones, and as many as a run has at first once that
    /// is over: whether there are any.
    pub(super) fn goes_further(&mut self) -> bool {
        let asked = self.seen.asked.len();
        let before = self.asked_before.replace(asked);
        let goes_on = self.threads.len() == 1 && before.is_none_or(|before| before == asked);
        let more = match (goes_on, self.has_gone_far) {
            (true, _) => {
                self.has_gone_far |= before.is_some();
                A_WHILE
            }
            (false, true) => {
                (self.asked_before, self.has_gone_far) = (None, false);
                4 * A_WHILE
            }
            (false, false) => 0,
        };
        self.fuel = self.further.min(more);
        self.further -= self.fuel;
        self.fuel > 0
    }

    /// Adds the frame of a function to a thread. `None`: it has no code, or calls go too deep.
    pub(super) fn enter(
        &self,
        thread: &mut Thread,
        function: FuncId,
        args: &[Register],
        returned: Returned,
    ) -> Option<()> {
        let body = &self.code.functions[function.index()];
        let pc = body.entry.filter(|_| thread.frames.len() < MOST_FRAMES)?;
        let base = thread.registers.len() as u32;
        thread
            .registers
            .resize((base + body.slots) as usize, Register::default());
        for ((slot, bits), arg) in body.params.iter().zip(args) {
            thread.registers[(base + slot) as usize] = Register {
                value: super::operands::low(arg.value, u32::from(*bits)),
                taint: arg.taint,
            };
        }
        thread.frames.push(Frame { pc, base, returned });
        Some(())
    }

    /// Where the machine is now.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            depth: self.depth(),
            threads: self.threads.clone(),
            asked: self.seen.asked.len(),
            compared: self.seen.comparisons(),
        }
    }

    /// Takes back everything since then, and forgets what was seen.
    pub(super) fn rewind(&mut self, to: &Mark) {
        self.take_back(to.depth);
        self.coverage.begin_run();
        self.noted.clear();
        self.threads.clone_from(&to.threads);
        self.seen.clear(self.code.sites, to);
    }

    /// Where the machine is now, without what its threads are doing.
    pub(super) fn depth(&self) -> Depth {
        Depth {
            memory: self.memory.mark(),
            threads: self.threads.len(),
            steps: self.steps.len(),
            inputs: self.inputs.all.len(),
            questions: self.inputs.questions(),
            names: self.inputs.names.len(),
        }
    }

    /// Takes back what was done since then; what was seen stays, and so do threads that were there.
    pub(super) fn take_back(&mut self, to: Depth) {
        self.memory.rewind(to.memory);
        self.threads.truncate(to.threads);
        self.steps.truncate(to.steps);
        self.inputs.all.truncate(to.inputs);
        self.inputs.names.truncate(to.names);
        self.inputs.forget(to.questions);
    }

    /// The next answer from outside to a thread, of so many bits.
    pub(super) fn ask(&mut self, thread: &mut Thread, bits: u8, otherwise: u64) -> Register {
        let key = self.question(thread, 2);
        let what = What::Answer(thread.number);
        let mut value = self.choose(what, key, thread.domain, (bits, otherwise));
        if bits == 1 && self.watch.waits {
            value = self.bit(thread, value);
        }
        Register {
            value,
            taint: self.asked(bits),
        }
    }

    /// The taint of the last input, of so many bits. The inputs after a byte may be the ones after it in a text, or a larger number.
    fn asked(&self, bits: u8) -> Taint {
        let number = self.seen.asked.len() as Taint;
        if bits == 8 { number | BYTES } else { number }
    }

    /// Names what a thread asks now: by the calls in which it does, and how often it has done so there.
    fn question(&mut self, thread: &Thread, what: u64) -> Key {
        // Of the innermost call, the instruction says where it is.
        let calls = thread
            .frames
            .get(thread.own_calls as usize..thread.frames.len() - 1);
        let calls = calls.unwrap_or_default().iter();
        let place = calls.fold(what, |key, frame| named(key, u64::from(frame.pc)));
        let place = named(place, u64::from(thread.at));
        // Threads of a program that do the same have the same choices: what one comes to, the others come to as well.
        let counted = match self.starter {
            None => named(place, u64::from(thread.number)),
            Some(_) => place,
        };
        named(place, u64::from(self.inputs.again(counted)))
    }

    /// What an input is, written down.
    fn choose(
        &mut self,
        what: What,
        key: Key,
        domain: Domain,
        (bits, otherwise): (u8, u64),
    ) -> u64 {
        let script = match domain {
            Domain::Before => Some(&self.before),
            Domain::Own(n) => self.scripts.get(usize::from(n)),
        };
        let chosen = script.and_then(|s| s.get(&key)).copied();
        let value = super::operands::low(chosen.unwrap_or(otherwise), u32::from(bits));
        let input = Input {
            what,
            key,
            domain,
            value,
            bits,
            leads: None,
        };
        self.inputs.all.push(input);
        self.seen.asked.push(input);
        value
    }

    /// An object that is made up by a thread; its address.
    pub(super) fn made_up(&mut self, thread: &mut Thread, size: u64) -> Result<u64, Fault> {
        let key = self.question(thread, 3);
        let name = format!("{}.{}", thread.number, thread.made_up);
        thread.made_up += 1;
        self.object(
            (size != 0).then_some(size),
            name,
            key,
            (thread.domain, None),
        )
    }

    fn object(
        &mut self,
        size: Option<u64>,
        name: String,
        key: Key,
        (owner, parent): (Domain, Option<u32>),
    ) -> Result<u64, Fault> {
        let object = self.memory.add(Life::Lazy, size, true)?;
        let number = self.inputs.names.len() as u32;
        self.inputs.names.push(name);
        let own = self.memory.object_mut(object);
        (own.name, own.key, own.owner) = (number, key, owner);
        own.parent = parent;
        Ok(memory::address(object, 0))
    }

    /// Up to eight bytes. What holds nothing yet is chosen now.
    pub(super) fn load(
        &mut self,
        place: Place,
        bytes: u32,
        pointer: bool,
    ) -> Result<(u64, Taint), Fault> {
        let (value, taint, unknown) = self.memory.read(place, bytes)?;
        if unknown == 0 {
            return Ok((value, taint));
        }
        let all = ((1u16 << bytes) - 1) as u8;
        if unknown != all {
            // The rest is zero.
            self.memory.write(place, bytes, value, taint)?;
            return Ok((value, taint));
        }
        let object = self.memory.object(place.object);
        let (name, owner) = (object.name, object.owner);
        let key = named(object.key, place.offset as u64);
        let value = match pointer && bytes == 8 {
            true => self.pointer(place, (name, key, owner))?,
            false => {
                let what = What::Number(name, place.offset, bytes as u8);
                self.choose(what, key, owner, (8 * bytes as u8, 0))
            }
        };
        let taint = self.asked(8 * bytes as u8);
        self.memory.write(place, bytes, value, taint)?;
        Ok((value, taint))
    }

    /// What a pointer in an object that is made up leads to.
    fn pointer(
        &mut self,
        place: Place,
        (name, key, owner): (u32, Key, Domain),
    ) -> Result<u64, Fault> {
        let what = What::Pointer(name, place.offset, None);
        let choice = self.choose(what, key, owner, (64, 1));
        let number = self.inputs.all.len() - 1;
        let back = Back::of(choice).and_then(|back| {
            let object = self.memory.before(place.object, back.steps)?;
            Some((object, i64::from(back.offset)))
        });
        let mut what = what;
        let address = match (choice, back) {
            (0, _) => 0,
            (_, Some((object, offset))) => {
                let other = self.memory.object(object).name;
                what = What::Pointer(name, place.offset, Some((other, offset)));
                memory::address(object, offset)
            }
            (_, None) => {
                let own = format!(
                    "{}+{}",
                    self.inputs.names[name as usize], place.offset as u64
                );
                self.object(None, own, named(4, key), (owner, Some(place.object as u32)))?
            }
        };
        let leads = Some((address, place.object));
        let written = [self.inputs.all.get_mut(number), self.seen.asked.last_mut()];
        for input in written.into_iter().flatten() {
            (input.what, input.leads) = (what, leads);
        }
        Ok(address)
    }
}
