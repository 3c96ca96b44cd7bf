//! The loop that runs a thread: fetch, do, until something makes it pause.

use super::code::{Arg, EdgeId, Inst, Pc, Returned, Slot};
use super::inputs::Domain;
use super::machine::{Frame, Machine, Pause, Register, Status, Thread, Until};
use super::memory::{self, Fault};
use super::numbers;
use super::operands::low;
use super::section::Section;
use super::watch::OfThread;
use crate::index::SiteId;
use crate::program::Primitive;
use crate::trace::schedule::{Step, ThreadNumber};

/// What an instruction comes to.
pub(super) enum Next {
    /// The one after it.
    On,
    /// That one.
    To(Pc),
    /// Of another frame: where that one is.
    Frame,
}

impl From<Fault> for Pause {
    fn from(fault: Fault) -> Pause {
        match fault {
            Fault::Full => Pause::Fuel,
            _ => Pause::Failed,
        }
    }
}

/// A thread at work, taken out of its machine.
pub(super) struct Running<'m, 'p> {
    pub machine: &'m mut Machine<'p>,
    pub thread: Thread,
    pub until: Until,
    /// The atomic section that is open.
    pub section: Option<Section>,
    base: usize,
}

impl Machine<'_> {
    /// Runs a thread until it pauses. After [`Pause::Failed`] and [`Pause::Fuel`] the machine is to be taken back.
    pub(super) fn go(&mut self, thread: ThreadNumber, until: Until) -> Pause {
        let at = thread as usize;
        match self.threads[at].status {
            Status::Running => {}
            Status::Ended => return Pause::Ended,
            Status::Failed => return Pause::Failed,
        }
        let placeholder = self.threads[at].clone_head();
        let own = std::mem::replace(&mut self.threads[at], placeholder);
        let base = own.frames.last().map_or(0, |f| f.base as usize);
        let mut running = Running {
            machine: self,
            thread: own,
            until,
            section: None,
            base,
        };
        running.called();
        let pause = running.all();
        let Running { mut thread, .. } = running;
        match pause {
            Pause::Ended => thread.status = Status::Ended,
            Pause::Failed | Pause::Fuel => thread.status = Status::Failed,
            Pause::Blocked | Pause::AtStep | Pause::AtCall | Pause::Met => {}
        }
        self.threads[at] = thread;
        pause
    }
}

impl Thread {
    /// Everything but frames and registers.
    fn clone_head(&self) -> Thread {
        Thread {
            frames: Vec::new(),
            registers: Vec::new(),
            watched: OfThread::default(),
            ..*self
        }
    }
}

impl<'p> Running<'_, 'p> {
    fn all(&mut self) -> Pause {
        let code = self.machine.code;
        let Some(mut pc) = self.thread.frames.last().map(|f| f.pc) else {
            return Pause::Ended;
        };
        loop {
            if self.machine.fuel == 0 && !self.machine.goes_further() {
                return Pause::Fuel;
            }
            self.machine.fuel -= 1;
            self.thread.at = pc;
            match self.one(&code.insts[pc as usize]) {
                Ok(Next::On) => pc += 1,
                Ok(Next::To(to)) => pc = to,
                Ok(Next::Frame) => match self.thread.frames.last() {
                    Some(frame) => {
                        pc = frame.pc;
                        self.base = frame.base as usize;
                        self.called();
                    }
                    None => return self.over(),
                },
                Err(pause) => {
                    self.paused(pause);
                    return pause;
                }
            }
        }
    }

    /// Notes where the function at hand was called. Entry points call few functions twice.
    fn called(&mut self) {
        let below = self.thread.frames.len().checked_sub(2);
        let whole = self.machine.starter.is_none();
        let caller = below.filter(|_| whole).map(|n| self.thread.frames[n].pc);
        self.machine.coverage.caller = caller;
    }

    /// The thread has no frame any more.
    fn over(&mut self) -> Pause {
        if let Some(section) = self.section.take() {
            // What it did in the section that it has not ended is no part of a race.
            section.forget_accesses(self.machine);
            self.thread.atomic = 0;
        }
        Pause::Ended
    }

    /// Leaves the thread where it is to go on: before the section that it is in, if it does not take it.
    fn paused(&mut self, pause: Pause) {
        match self.section.take() {
            Some(section) => self.thread = section.back(self.machine, pause == Pause::Failed),
            None => self.stay(),
        }
    }

    /// The thread goes on with the instruction at hand.
    pub(super) fn stay(&mut self) {
        if let Some(frame) = self.thread.frames.last_mut() {
            frame.pc = self.thread.at;
        }
    }

    pub(super) fn register(&self, arg: Arg) -> Register {
        match arg {
            Arg::Slot(slot) => self.thread.registers[self.base + slot as usize],
            Arg::Const(value) => Register { value, taint: 0 },
        }
    }

    pub(super) fn value(&self, arg: Arg) -> u64 {
        self.register(arg).value
    }

    pub(super) fn set(&mut self, slot: u32, register: Register) {
        self.thread.registers[self.base + slot as usize] = register;
    }

    /// Comes to a visible instruction. A pause: it is not to be done now.
    pub(super) fn comes_to(&mut self, site: Option<SiteId>) -> Result<(), Pause> {
        let Some(site) = site else { return Ok(()) };
        if self.section.is_none() {
            self.before_step()?;
            self.step(site);
        }
        self.machine.met(self.thread.domain, site);
        Ok(())
    }

    /// Pauses before the step up to which the thread was to run.
    pub(super) fn before_step(&self) -> Result<(), Pause> {
        let own = self.thread.domain != Domain::Before;
        match own && self.until.steps == Some(self.thread.steps) {
            true => Err(Pause::AtStep),
            false => Ok(()),
        }
    }

    pub(super) fn step(&mut self, site: SiteId) {
        self.thread.steps += 1;
        self.machine.steps.push(Step {
            thread: self.thread.number,
            site,
        });
    }

    /// Takes an edge: the moves of its phis.
    fn take(&mut self, edge: EdgeId) -> Next {
        let code = self.machine.code;
        let edge = code.edges[edge as usize];
        match &code.moves[edge.moves.0 as usize..edge.moves.1 as usize] {
            [] => {}
            [(dst, from)] => self.set(*dst, self.register(*from)),
            all => {
                let mut scratch = std::mem::take(&mut self.machine.scratch);
                scratch.extend(all.iter().map(|(dst, from)| (*dst, self.register(*from))));
                for (dst, register) in scratch.drain(..) {
                    self.set(dst, register);
                }
                self.machine.scratch = scratch;
            }
        }
        Next::To(edge.to)
    }

    fn one(&mut self, inst: &'p Inst) -> Result<Next, Pause> {
        match inst {
            Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::Modify { .. }
            | Inst::Exchange { .. }
            | Inst::Copy { .. }
            | Inst::Fill { .. } => self.access(inst)?,
            Inst::Alloca { dst, bytes, count } => self.alloca(*dst, *bytes, *count)?,
            Inst::Call {
                callee,
                args,
                result,
            } => {
                return self.call(*callee, args, *result);
            }
            Inst::CallPointer { ptr, args, result } => {
                return self.call_pointer(*ptr, args, *result);
            }
            Inst::Primitive {
                what,
                args,
                dst,
                site,
            } => {
                return self.primitive(*what, args, *dst, *site);
            }
            Inst::Jump { edge, site } => {
                self.comes_to(*site)?;
                return Ok(self.take(*edge));
            }
            Inst::Branch {
                cond,
                if_true,
                if_false,
                site,
            } => {
                self.comes_to(*site)?;
                let cond = self.register(*cond);
                let (taken, other) = match cond.value & 1 {
                    1 => (*if_true, *if_false),
                    _ => (*if_false, *if_true),
                };
                self.machine.decided(cond, taken, other);
                return Ok(self.take(taken));
            }
            Inst::Switch {
                value,
                cases,
                default,
                site,
            } => {
                self.comes_to(*site)?;
                let value = self.register(*value);
                let mut taken = *default;
                for (case, edge) in cases {
                    match *case == value.value {
                        true => taken = *edge,
                        false => self.machine.would_be(value, *case, *edge),
                    }
                }
                self.machine.take(value.taint != 0, taken);
                return Ok(self.take(taken));
            }
            Inst::Return { values } => return Ok(self.give_back(values)),
            Inst::Trap => return Err(Pause::Failed),
            other => self.compute(other)?,
        }
        Ok(Next::On)
    }

    /// An object on the stack.
    fn alloca(&mut self, dst: Slot, bytes: u64, count: Arg) -> Result<(), Pause> {
        let size = bytes.checked_mul(self.value(count)).ok_or(Pause::Failed)?;
        let object = self
            .machine
            .memory
            .add(memory::Life::Stack, Some(size), false)?;
        self.machine.memory.object_mut(object).made_by = self.thread.number;
        let value = memory::address(object, 0);
        self.set(dst, Register { value, taint: 0 });
        Ok(())
    }

    fn call_pointer(&mut self, ptr: Arg, args: &[Arg], result: Returned) -> Result<Next, Pause> {
        let address = self.value(ptr);
        let functions = self.machine.code.functions.len();
        if let Some(callee) = memory::function_at(address, functions) {
            return self.call(callee, args, result);
        }
        // An object of the environment: a function that nothing is known of, which does nothing.
        if !self.machine.memory.is_object(address) {
            return Err(Pause::Failed);
        }
        if let (Some(dst), true) = (result.dst, result.number) {
            let answer = self.machine.ask(&mut self.thread, result.bits, 0);
            self.set(dst, answer);
        }
        Ok(Next::On)
    }

    /// What has no effect but on registers.
    fn compute(&mut self, inst: &Inst) -> Result<(), Pause> {
        if let Some((dst, register)) = numbers::simple(self, inst)? {
            self.set(dst, register);
            return Ok(());
        }
        match inst {
            Inst::Compare {
                pred,
                bits,
                dst,
                a,
                b,
            } => {
                let (a, b) = (self.register(*a), self.register(*b));
                let value = u64::from(numbers::compare(*pred, a.value, b.value, u32::from(*bits)));
                let taint = self.machine.compared(a, b);
                self.set(*dst, Register { value, taint });
            }
            Inst::Select { dst, cond, a, b } => {
                let cond = self.register(*cond);
                let chosen = if cond.value & 1 == 1 { a } else { b };
                for (slot, arg) in (*dst..).zip(chosen.iter()) {
                    let mut register = self.register(*arg);
                    if register.taint == 0 {
                        register.taint = cond.taint;
                    }
                    self.set(slot, register);
                }
            }
            Inst::Overflow {
                op,
                signed,
                bits,
                dst,
                a,
                b,
            } => {
                let (a, b) = (self.register(*a), self.register(*b));
                let bits = u32::from(*bits);
                let (value, over) = numbers::with_overflow(*op, *signed, a.value, b.value, bits)
                    .ok_or(Pause::Failed)?;
                let taint = if a.taint != 0 { a.taint } else { b.taint };
                self.set(*dst, Register { value, taint });
                let value = u64::from(over);
                self.set(*dst + 1, Register { value, taint: 0 });
            }
            Inst::Bounds { index, count } if self.value(*index) >= *count => {
                return Err(Pause::Failed);
            }
            Inst::Bounds { .. } => {}
            _ => return Err(Pause::Failed),
        }
        Ok(())
    }

    fn call(
        &mut self,
        callee: crate::index::FuncId,
        args: &[Arg],
        result: Returned,
    ) -> Result<Next, Pause> {
        if self.until.call == Some(callee) {
            return Err(Pause::AtCall);
        }
        if self.machine.starter == Some(callee) && self.thread.domain == Domain::Before {
            self.thread.domain = Domain::Own(self.thread.number.min(255) as u8);
            self.thread.own_calls = self.thread.frames.len() as u32;
            self.thread.steps = 0;
        }
        let args: Vec<Register> = args.iter().map(|a| self.register(*a)).collect();
        if let Some(frame) = self.thread.frames.last_mut() {
            frame.pc = self.thread.at + 1;
        }
        let entered = self.machine.enter(&mut self.thread, callee, &args, result);
        entered.map(|()| Next::Frame).ok_or(Pause::Failed)
    }

    fn give_back(&mut self, values: &[Arg]) -> Next {
        let values: Vec<Register> = values.iter().map(|a| self.register(*a)).collect();
        let Some(Frame { base, returned, .. }) = self.thread.frames.pop() else {
            return Next::Frame;
        };
        self.thread.registers.truncate(base as usize);
        if let (Some(below), Some(dst)) = (self.thread.frames.last(), returned.dst) {
            let first = (below.base + dst) as usize;
            for (n, value) in values.iter().take(returned.slots as usize).enumerate() {
                self.thread.registers[first + n] = Register {
                    value: low(value.value, u32::from(returned.bits)),
                    taint: value.taint,
                };
            }
        }
        Next::Frame
    }

    /// Ends the thread where it is.
    pub(super) fn end(&mut self) -> Next {
        self.thread.frames.clear();
        self.thread.registers.clear();
        Next::Frame
    }

    fn primitive(
        &mut self,
        what: Primitive,
        args: &[Arg],
        dst: Option<u32>,
        site: Option<SiteId>,
    ) -> Result<Next, Pause> {
        super::primitives::execute(self, what, args, (dst, site))
    }
}
