//! What is noted of a run where uses after free or deadlocks are looked for: who uses and frees what, who takes which lock while it holds
//! which, where threads wait, and what goes wrong.

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Pc;
use super::inputs::{Key, named};
use super::machine::{Machine, Thread};
use super::memory::{Fault, Life};
use super::run::Running;
use crate::environment::contract::GHOST_OWNER;
use crate::index::SiteId;
use crate::trace::schedule::{Failure, Step, ThreadNumber};

/// Uses of objects, locks that are taken, and sections that are remembered of one run.
const MOST_NOTED: usize = 50_000;

/// What is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Uses of what has been freed.
    pub freed: bool,
    /// Threads that wait for ever.
    pub waits: bool,
}

impl Watch {
    /// Whether anything is.
    pub fn any(self) -> bool {
        self.freed || self.waits
    }
}

/// Something that goes wrong in a run.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    pub failure: Failure,
    /// Names the calls within which it does.
    pub place: Key,
    /// Steps before the one in which it does.
    pub steps: usize,
}

/// The steps of a thread in which it uses an object at one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Used {
    pub first: u32,
    pub last: u32,
    /// The one in which the first lock was taken that it held the first time.
    pub locked: Option<u32>,
}

/// An object is freed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freed {
    pub thread: ThreadNumber,
    pub site: SiteId,
    pub step: u32,
    pub object: u32,
}

/// A lock that a thread holds, and the step in which it took it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub lock: u64,
    pub step: u32,
}

/// A lock is taken.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub thread: ThreadNumber,
    pub lock: u64,
    pub step: u32,
    /// Names the calls within which it is.
    pub place: Key,
    /// What the thread holds already.
    pub held: Vec<Held>,
}

/// A section begins: here threads wait, and say what others wait for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    pub thread: ThreadNumber,
    pub step: u32,
    pub place: Key,
}

/// What is noted of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    pub used: FxHashMap<(ThreadNumber, SiteId, u32), Used>,
    pub freed: Vec<Freed>,
    pub taken: Vec<Taken>,
    pub begun: Vec<Begun>,
    pub failed: Vec<Failed>,
    known: FxHashSet<(ThreadNumber, Key)>,
    /// Answers of one bit after which threads were seen to end: this one does not go on. Stays from run to run.
    pub ends: FxHashSet<Pc>,
}

impl Noted {
    /// Of the next run.
    pub(super) fn clear(&mut self) {
        self.used.clear();
        self.freed.clear();
        self.taken.clear();
        self.begun.clear();
        self.failed.clear();
        self.known.clear();
    }

    /// Whether that is new of a thread.
    fn is_new(&mut self, thread: ThreadNumber, what: Key) -> bool {
        self.known.len() < MOST_NOTED && self.known.insert((thread, what))
    }
}

/// A question of one bit that a thread has asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// How many it had asked before.
    pub nth: u32,
    /// Where.
    pub at: Pc,
    /// Steps that it had taken.
    pub step: u32,
    pub answer: bool,
}

/// The questions of a thread, and the locks that it holds.
#[derive(Clone, Debug, Default)]
pub(super) struct OfThread {
    /// Questions of one bit that it has asked.
    pub asked: u32,
    pub last: Option<Asked>,
    /// The last one after whose other answer threads were seen to end.
    pub goes_on: Option<Asked>,
    pub held: Vec<Held>,
}

/// Names the calls of a thread.
pub(super) fn place(thread: &Thread) -> Key {
    let frames = thread.frames.iter().rev().skip(1);
    frames.fold(named(7, u64::from(thread.at)), |key, frame| {
        named(key, u64::from(frame.pc))
    })
}

impl Running<'_, '_> {
    /// Something goes wrong in the step at hand, or, where that has not begun, in the next one.
    pub(super) fn fails(&mut self, failure: Failure, has_begun: bool) {
        let steps = match &self.section {
            Some(section) => section.steps(),
            None => self.machine.steps.len() - usize::from(has_begun),
        };
        let place = place(&self.thread);
        let failed = Failed {
            failure,
            place,
            steps,
        };
        self.machine.noted.failed.push(failed);
    }

    /// The step at hand, which has been counted.
    fn this_step(&self) -> u32 {
        self.thread.steps.saturating_sub(1)
    }

    /// Comes to a use of bytes.
    pub(super) fn used(&mut self, site: SiteId, (at, bytes): (u64, u64)) {
        if !self.machine.watch.freed {
            return;
        }
        let thread = self.thread.number;
        let place = match self.machine.memory.place(at, bytes) {
            Ok(place) => place,
            Err(Fault::Freed) => {
                return self.fails(Failure::UseAfterFree(Step { thread, site }), true);
            }
            Err(_) => return,
        };
        let object = self.machine.memory.object(place.object);
        let may_end = match object.life {
            Life::Heap => true,
            Life::Stack => object.made_by != thread,
            Life::Global | Life::Lazy => false,
        };
        if !may_end {
            return;
        }
        let (step, locked) = (
            self.this_step(),
            self.thread.watched.held.first().map(|h| h.step),
        );
        let all = &mut self.machine.noted.used;
        let key = (thread, site, place.object as u32);
        if let Some(used) = all.get_mut(&key) {
            used.last = step;
        } else if all.len() < MOST_NOTED {
            let used = Used {
                first: step,
                last: step,
                locked,
            };
            all.insert(key, used);
        }
    }

    /// Frees what begins at an address, or ends its life otherwise.
    pub(super) fn frees(&mut self, site: Option<SiteId>, at: u64) {
        let (Some(site), true) = (site, self.machine.watch.freed) else {
            return;
        };
        let freed = self.machine.noted.freed.len();
        if let (Ok(place), true) = (self.machine.memory.place(at, 0), freed < MOST_NOTED) {
            let (thread, step) = (self.thread.number, self.this_step());
            self.machine.noted.freed.push(Freed {
                thread,
                site,
                step,
                object: place.object as u32,
            });
        }
    }

    /// Sets ghost state: a lock may be taken by that, or given back.
    pub(super) fn owns(&mut self, (lock, key): (u64, u32), value: u64) {
        if key != GHOST_OWNER || !self.machine.watch.any() {
            return;
        }
        let thread = self.thread.number;
        let held = &mut self.thread.watched.held;
        let known = held.iter().position(|h| h.lock == lock);
        if value != u64::from(thread) + 1 {
            known.map(|n| held.remove(n));
            return;
        }
        if known.is_some() {
            return;
        }
        let (step, place) = (self.this_step(), place(&self.thread));
        let before = self.thread.watched.held.clone();
        self.thread.watched.held.push(Held { lock, step });
        let with = before.iter().fold(lock, |all, h| named(all, h.lock));
        if self.machine.watch.waits && self.machine.noted.is_new(thread, named(place, with)) {
            self.machine.noted.taken.push(Taken {
                thread,
                lock,
                step,
                place,
                held: before,
            });
        }
    }

    /// A section begins, in the step that has just been counted.
    pub(super) fn begins(&mut self) {
        if !self.machine.watch.waits {
            return;
        }
        let (thread, step, place) = (self.thread.number, self.this_step(), place(&self.thread));
        if self.machine.noted.is_new(thread, place) {
            let begun = Begun {
                thread,
                step,
                place,
            };
            self.machine.noted.begun.push(begun);
        }
    }

    /// The thread ends, and not by returning: where it has just been told to wait for ever, this is remembered of the question.
    pub(super) fn stops(&mut self) {
        let just = |asked: &Asked| asked.answer && self.thread.steps <= asked.step + 2;
        if let (Some(asked), true) = (
            self.thread.watched.last.filter(just),
            self.machine.watch.waits,
        ) {
            self.machine.noted.ends.insert(asked.at);
        }
    }
}

impl Machine<'_> {
    /// A thread has asked for a bit: what it is told, which is this, or what it is made to be told.
    pub(super) fn bit(&mut self, thread: &mut Thread, chosen: u64) -> u64 {
        let watched = &mut thread.watched;
        let question = (thread.number, watched.asked);
        let answer = match self.directed.answers.contains(&question) {
            true => 1,
            false => chosen,
        };
        let written = [self.inputs.all.last_mut(), self.seen.asked.last_mut()];
        for input in written.into_iter().flatten() {
            input.value = answer;
        }
        let asked = Asked {
            nth: watched.asked,
            at: thread.at,
            step: thread.steps,
            answer: answer != 0,
        };
        watched.asked += 1;
        watched.last = Some(asked);
        if self.noted.ends.contains(&asked.at) {
            watched.goes_on = Some(asked);
        }
        answer
    }
}
