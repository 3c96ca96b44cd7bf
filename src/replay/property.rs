//! Claims about checks that models make (`--property lock-misuse`, `deadlock`, `removed`): what the interpreter saw of them.
//!
//! While a schedule is replayed, [`History`] writes down where locks were acquired and where threads have given up waiting.
//! [`tell`] makes the evidence of a failed check from it. A deadlock by an interrupt needs more than the check: the handler runs
//! on the processor of the thread that it interrupts, so that thread must not have taken a step since the handler began.

use std::collections::BTreeMap;

use super::describe::Names;
use super::interp::{Happening, Log, Machine};
use super::stack::{entry_point, stack};
use super::state::{Frame, State};
use crate::index::{BlockId, FuncId};
use crate::program::{Callee, FailKind, Op, Program};
use crate::trace::schedule::ThreadNumber;
use crate::verdict::{self, Access, Act};

/// Ghost keys (runtime-stubs/include/irkiss_internal.h): the owner of a lock; read holds of thread 0, those of thread n at n above.
const OWNER: u32 = 1;
const READER: u32 = 64;
/// Of what others wait for until it has ended: who runs.
const ACTIVE: u32 = 14;
/// Of a lock with readers: the writer that waits for them.
const WRITER: u32 = 15;
/// One of the readers of a domain of RCU that came in phase 0, in phase 1.
const READ_IN_PHASE: u32 = 32;
/// Threads with ghost state of their own.
const THREADS: u32 = 64;
/// A thread's own state beside the models' object for that: the lock that it has given up waiting for, and what of it; whether interrupts
/// are off; what it is (0: a thread, 1: in a softirq, 2: in an interrupt).
const WAITS: u32 = 1024;
const WAITS_FOR: u32 = 1088;
const QUIET: u32 = 896;
const CONTEXT: u32 = 1216;
/// Beside the same object, of all threads: who removed the device, who unloaded the module.
const DEVICE_GONE: u32 = 1345;
const UNLOADED: u32 = 1346;
/// What is awaited of it: that no writer has the lock or waits for it; that those readers have left which came in phase 0.
const AWAITS_WRITERS: u64 = 5;
const AWAITS_PHASE: u64 = 6;

/// What has to be remembered of an interleaving.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// By thread and address of the lock: where it was acquired.
    acquired: BTreeMap<(ThreadNumber, u64), verdict::Frame>,
    /// Threads that have given up waiting: for which lock, and where.
    waiting: BTreeMap<ThreadNumber, (u64, Vec<Frame>)>,
    /// The last activations of each thread that had code of the user's in them.
    last: BTreeMap<ThreadNumber, Vec<Frame>>,
    /// Who removed the device or unloaded the module, and where it was last before.
    removed: Option<(ThreadNumber, Vec<Frame>)>,
    /// The step at which each thread ran first and last.
    steps: BTreeMap<ThreadNumber, (usize, usize)>,
}

impl History {
    /// Step `n` was taken by a thread that had these activations.
    pub fn note(
        &mut self,
        program: &Program,
        n: usize,
        thread: ThreadNumber,
        frames: &[Frame],
        happenings: &[Happening],
    ) {
        self.steps.entry(thread).or_insert((n, n)).1 = n;
        if of_user(program, frames) {
            self.last.insert(thread, frames.to_vec());
        }
        for happening in happenings {
            let Happening::Ghost {
                address,
                key,
                old,
                new,
            } = *happening
            else {
                continue;
            };
            let here = || stack(program, frames).into_iter().next();
            if key == OWNER || key == READER + thread % THREADS {
                let holds = match key {
                    OWNER => new == u64::from(thread) + 1,
                    _ => new > 0,
                };
                match here() {
                    Some(frame) if holds && new > old => {
                        self.acquired.insert((thread, address), frame);
                    }
                    _ if !holds => {
                        self.acquired.remove(&(thread, address));
                    }
                    _ => {}
                }
            } else if matches!(key, DEVICE_GONE | UNLOADED) && new != 0 {
                let last = self.last.get(&thread).cloned();
                self.removed = Some((thread, last.unwrap_or_else(|| frames.to_vec())));
            } else if key == WAITS + thread % THREADS && new != 0 {
                self.waiting.insert(thread, (new, frames.to_vec()));
            }
        }
    }
}

/// The function of the harness in which an entry point is called, if the thread is in one.
fn wrapper(program: &Program, frames: &[Frame]) -> Option<FuncId> {
    let calls = |f: &FuncId| program.harness.called_by(*f).is_some();
    frames.iter().map(|f| f.function).find(calls)
}

/// The user's function that a function of the harness calls.
fn called_by(program: &Program, wrapper: FuncId) -> Option<FuncId> {
    let blocks = program.functions[wrapper].blocks.iter();
    blocks.flat_map(|b| &b.instrs).find_map(|i| match i.op {
        Op::Call {
            callee: Callee::Direct(function),
            ..
        } if !program.functions[function].is_model => Some(function),
        _ => None,
    })
}

/// As the source calls a function; empty for none.
fn name_of(program: &Program, function: Option<FuncId>) -> String {
    let name = function.map_or("", |f| program.functions[f].source_name());
    name.to_string()
}

fn of_user(program: &Program, frames: &[Frame]) -> bool {
    let user = |f: &Frame| !program.functions[f.function].is_model;
    frames.iter().any(user)
}

/// A failed check, as the interpreter saw it.
pub(super) struct Failed<'a> {
    pub machine: &'a Machine<'a>,
    pub state: &'a State,
    pub log: &'a Log,
    pub history: &'a History,
    pub kind: FailKind,
    /// The thread that the check is of, and its activations there.
    pub thread: ThreadNumber,
    pub frames: &'a [Frame],
    /// What it is about; 0: the thread.
    pub object: u64,
}

/// Who takes part in a failed check, the thread that it is of first; what it is about; or why it is no error after all.
pub(super) fn tell(failed: &Failed<'_>) -> Result<(Vec<Access>, String), String> {
    if failed.kind == FailKind::WaitForEver {
        return failed.all_wait();
    }
    let own = failed.users_frames(failed.thread, failed.frames);
    let program = failed.machine.program;
    let place = |address: u64| failed.names().place(address, 0);
    let mut first = failed.party(failed.thread, &own, failed.kind);
    let location = match failed.kind {
        FailKind::SleepInAtomic => {
            if first.locks.is_empty() {
                first.locks = failed.why_atomic();
            }
            name_of(program, failed.called())
        }
        FailKind::ReturnWithLockHeld => first.locks.join(", "),
        FailKind::UseAfterRemoval => match failed.called() {
            Some(f) if program.harness.own.contains(&f) => "code of the module".to_string(),
            function => name_of(program, function),
        },
        FailKind::Deadlock => {
            let lock = failed.awaited(failed.thread, failed.object);
            first.waits_for = Some(lock.clone());
            lock
        }
        _ => place(failed.object),
    };
    let mut parties = vec![first];
    if failed.kind == FailKind::Deadlock {
        failed.others(&mut parties)?;
    }
    if let (FailKind::UseAfterRemoval, Some((thread, frames))) =
        (failed.kind, &failed.history.removed)
    {
        let mut remover = failed.party(*thread, frames, failed.kind);
        remover.kind = Act::Removed;
        parties.push(remover);
    }
    Ok((parties, location))
}

impl Failed<'_> {
    fn names(&self) -> Names<'_> {
        Names {
            machine: self.machine,
            state: self.state,
            log: self.log,
        }
    }

    /// The activations of a thread in the user's code: where it was last there, if it is in a model now; the beginning of the entry point,
    /// if it has not been there yet.
    fn users_frames(&self, thread: ThreadNumber, frames: &[Frame]) -> Vec<Frame> {
        let program = self.machine.program;
        if of_user(program, frames) {
            return frames.to_vec();
        }
        let wrapper = wrapper(program, frames);
        match self.history.last.get(&thread) {
            Some(last) if wrapper.is_none() || self::wrapper(program, last) == wrapper => {
                last.clone()
            }
            _ => match wrapper.and_then(|f| called_by(program, f)) {
                Some(function) => vec![Frame {
                    function,
                    block: BlockId(0),
                    index: 0,
                    values: Vec::new(),
                }],
                None => frames.to_vec(),
            },
        }
    }

    /// The function of the environment that the user's code has called.
    fn called(&self) -> Option<FuncId> {
        let program = self.machine.program;
        let inner = self.frames.iter().rev().map(|f| f.function);
        inner.take_while(|f| program.functions[*f].is_model).last()
    }

    fn own_state(&self, thread: ThreadNumber, key: u32) -> u64 {
        let machine = self.machine;
        let Some(id) = machine.program.harness.thread_state else {
            return 0;
        };
        let cell = (machine.global_address(id), key + thread % THREADS);
        self.state.ghost.get(&cell).copied().unwrap_or(0)
    }

    /// Why a thread that holds no lock must not sleep.
    fn why_atomic(&self) -> Vec<String> {
        let why = match self.own_state(self.thread, CONTEXT) {
            2 => "(in an interrupt handler)",
            1 => "(in a softirq)",
            _ if self.own_state(self.thread, QUIET) != 0 => "(interrupts are disabled)",
            _ => "(preemption, bottom halves or a reader section of RCU)",
        };
        vec![why.to_string()]
    }

    fn party(&self, thread: ThreadNumber, frames: &[Frame], kind: FailKind) -> Access {
        let program = self.machine.program;
        // What the step that fails gives back is still there in the state before it.
        let held = |address: &u64| {
            let of = |key: u32| self.ghost(*address, key);
            of(OWNER) == u64::from(thread) + 1 || of(READER + thread % THREADS) > 0
        };
        let acquired: Vec<(u64, verdict::Frame)> = self
            .history
            .acquired
            .iter()
            .filter(|((who, address), _)| *who == thread && held(address))
            .map(|((_, address), at)| (*address, at.clone()))
            .collect();
        Access {
            thread,
            entry_point: entry_point(program, self.state.thread(thread), frames),
            stack: stack(program, frames),
            kind: act(kind),
            bytes: 0,
            marked: false,
            locks: acquired
                .iter()
                .map(|(address, _)| self.names().place(*address, 0))
                .collect(),
            acquired: acquired.into_iter().map(|(_, at)| at).collect(),
            waits_for: None,
            if_by: None,
            value: None,
        }
    }

    /// The ghost state of an address, with what the step that fails has changed.
    fn ghost(&self, address: u64, key: u32) -> u64 {
        let in_step = self.log.happenings.iter().rev().find_map(|h| match *h {
            Happening::Ghost {
                address: at,
                key: of,
                new,
                ..
            } if (at, of) == (address, key) => Some(new),
            _ => None,
        });
        let before = || self.state.ghost.get(&(address, key)).copied();
        in_step.or_else(before).unwrap_or(0)
    }

    /// The other threads of a deadlock: each holds what the one before it waits for.
    fn others(&self, parties: &mut Vec<Access>) -> Result<(), String> {
        let (mut waiter, mut lock) = (self.thread, self.object);
        for _ in 0..THREADS {
            let Some(holder) = self.holder(waiter, lock) else {
                return Err(format!("nobody holds {}", self.names().place(lock, 0)));
            };
            if holder == self.thread {
                return Ok(());
            }
            if let Some((next, frames)) = self.history.waiting.get(&holder) {
                let mut party = self.party(holder, frames, FailKind::Deadlock);
                party.waits_for = Some(self.awaited(holder, *next));
                parties.push(party);
                (waiter, lock) = (holder, *next);
                continue;
            }
            // Nobody waits: an interrupt has come to the processor of the one that holds the lock.
            let began = self.history.steps.get(&self.thread).map(|s| s.0);
            let last = self.history.steps.get(&holder).map(|s| s.1);
            if began.is_none() || last > began || parties.len() > 1 {
                return Err(format!(
                    "thread {holder} goes on while thread {} waits",
                    self.thread
                ));
            }
            let frames = self.users_frames(holder, &self.state.thread(holder).frames);
            let mut interrupted = self.party(holder, &frames, FailKind::Deadlock);
            interrupted.kind = Act::Interrupted;
            parties.push(interrupted);
            return Ok(());
        }
        Err("the chain of waiting threads has no end".to_string())
    }

    /// All threads that wait, and what the first of them waits for; the one that has come to wait last goes first. Why it is no deadlock,
    /// if another thread has not ended.
    fn all_wait(&self) -> Result<(Vec<Access>, String), String> {
        let mut waiting: Vec<(ThreadNumber, u64, &[Frame])> = Vec::new();
        if self.object != 0 {
            waiting.push((self.thread, self.object, self.frames));
        }
        let before = self.history.waiting.iter();
        let before = before.filter(|(thread, _)| **thread != self.thread);
        waiting.extend(before.map(|(thread, (object, frames))| (*thread, *object, &frames[..])));
        for n in 0..self.state.threads.len() {
            let n = ThreadNumber::try_from(n).map_err(|e| e.to_string())?;
            let waits = waiting.iter().any(|(thread, ..)| *thread == n);
            if n != self.thread && !waits && !self.state.thread(n).frames.is_empty() {
                return Err(format!("thread {n} goes on while the others wait"));
            }
        }
        let Some((who, first, _)) = waiting.first() else {
            return Err("nobody waits".to_string());
        };
        let location = self.awaited(*who, *first);
        let parties = waiting.iter().map(|(thread, object, frames)| {
            let mut party = self.party(*thread, frames, self.kind);
            party.waits_for = Some(self.awaited(*thread, *object));
            party
        });
        Ok((parties.collect(), location))
    }

    /// Who runs, if that is what is waited for.
    fn active(&self, object: u64) -> Option<ThreadNumber> {
        self.thread_in(object, ACTIVE)
    }

    /// What a thread waits for, in words.
    fn awaited(&self, waiter: ThreadNumber, object: u64) -> String {
        let of = |who: ThreadNumber| {
            let frames = match self.history.waiting.get(&who) {
                Some((_, frames)) => frames,
                None => &self.state.thread(who).frames,
            };
            let frames = self.users_frames(who, frames);
            let entry = entry_point(self.machine.program, self.state.thread(who), &frames);
            format!("the end of {entry}")
        };
        let place = || self.names().place(object, 0);
        if self.awaits(waiter) >= AWAITS_PHASE {
            return format!("the readers of {}", place());
        }
        self.active(object).map_or_else(place, of)
    }

    /// What of the object a thread waits for; of the thread whose check fails, in the step that fails.
    fn awaits(&self, waiter: ThreadNumber) -> u64 {
        let own = WAITS_FOR + waiter % THREADS;
        let in_step = self.log.happenings.iter().rev().find_map(|h| match *h {
            Happening::Ghost { key, new, .. } if waiter == self.thread && key == own => Some(new),
            _ => None,
        });
        in_step.unwrap_or_else(|| self.own_state(waiter, WAITS_FOR))
    }

    fn thread_in(&self, object: u64, key: u32) -> Option<ThreadNumber> {
        let who = self.state.ghost.get(&(object, key)).filter(|n| **n > 0)?;
        ThreadNumber::try_from(who - 1).ok()
    }

    /// A thread that keeps the lock from `waiter`: the owner, who runs, a writer that waits before it, or a reader, one that waits itself first.
    fn holder(&self, waiter: ThreadNumber, lock: u64) -> Option<ThreadNumber> {
        let awaits = self.awaits(waiter);
        if let Some(phase) = awaits.checked_sub(AWAITS_PHASE) {
            let phase = u32::try_from(phase).ok()?;
            return self.thread_in(lock, READ_IN_PHASE + phase);
        }
        if let Some(owner) = self.thread_in(lock, OWNER) {
            return Some(owner);
        }
        if awaits == AWAITS_WRITERS {
            return self.thread_in(lock, WRITER);
        }
        if let Some(who) = self.active(lock) {
            return Some(who);
        }
        let ghost = &self.state.ghost;
        let readers: Vec<ThreadNumber> = (0..THREADS)
            .filter(|n| ghost.get(&(lock, READER + n)).is_some_and(|n| *n > 0))
            .collect();
        let waits = |n: &&ThreadNumber| **n == self.thread || self.history.waiting.contains_key(n);
        readers.iter().find(waits).or(readers.first()).copied()
    }
}

/// What the thread is about to do.
fn act(kind: FailKind) -> Act {
    match kind {
        FailKind::DoubleAcquire => Act::Acquires,
        FailKind::ReleaseNotHeld => Act::Releases,
        FailKind::SleepInAtomic => Act::Sleeps,
        FailKind::ReturnWithLockHeld => Act::Returns,
        FailKind::Deadlock | FailKind::WaitForEver => Act::Waits,
        FailKind::UseAfterRemoval => Act::Uses,
        // No party of these is told in this way.
        FailKind::Race | FailKind::Assertion | FailKind::UseAfterFree | FailKind::Atomicity => {
            Act::Fails
        }
    }
}
