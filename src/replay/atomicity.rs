//! The claim of `--property atomicity`, as the interpreter saw it: who read where, who wrote where in between, who writes now.
//!
//! That the write depends on the read is a fact of the program's text and taken from the claim; everything else is checked here: the
//! order, that the bytes are the same, that the value is another one, that the thread has not written there itself, and that one lock
//! was held at all three accesses, or all three are marked.

use super::confirm::{Divergence, Evidence};
use super::describe::Names;
use super::interp::{AccessRecord, Happening, Log, Machine};
use super::race::is_marked;
use super::stack::{entry_point, stack};
use super::state::{Frame, State};
use crate::config::Marked;
use crate::program::Touch;
use crate::trace::schedule::{Step, ThreadNumber};
use crate::verdict::{Access, Act};

/// Ghost keys: the owner of a lock; read holds of thread 0, those of thread n at n above (64 threads).
const OWNER: u32 = 1;
const READER: u32 = 64;
const THREADS: u32 = 64;

/// The accesses of an interleaving, in their order.
#[derive(Default)]
pub(super) struct Trail {
    seen: Vec<Seen>,
}

struct Seen {
    record: AccessRecord,
    held: Held,
    told: Access,
}

/// The locks that a thread holds: as the owner, as a reader.
struct Held {
    own: Vec<u64>,
    read: Vec<u64>,
}

impl Held {
    fn of(state: &State, thread: ThreadNumber) -> Held {
        let with = |wanted: &dyn Fn(u32, u64) -> bool| {
            let held = state.ghost.iter();
            let held = held.filter(|((_, key), value)| wanted(*key, **value));
            held.map(|((address, _), _)| *address).collect()
        };
        Held {
            own: with(&|key, value| key == OWNER && value == u64::from(thread) + 1),
            read: with(&|key, value| key == READER + thread % THREADS && value > 0),
        }
    }
}

impl Trail {
    /// What a step did that the thread took with these activations; the state is that after it.
    pub fn note(
        &mut self,
        (machine, state, log): (&Machine<'_>, &State, &Log),
        thread: ThreadNumber,
        frames: &[Frame],
        happenings: &[Happening],
        reading: Marked,
    ) {
        let names = Names {
            machine,
            state,
            log,
        };
        for happening in happenings {
            if let Happening::Access(record) = happening {
                self.seen.push(Seen {
                    record: record.clone(),
                    held: Held::of(state, thread),
                    told: told(&names, record, frames, reading),
                });
            }
        }
    }

    /// Checks the claim; `records`: the accesses of the step that is about to be taken, by a thread that then has these activations.
    pub fn check(
        &self,
        (names, records, frames): (&Names<'_>, &[AccessRecord], &[Frame]),
        (read, write): (Step, Step),
        reading: Marked,
        fail: &dyn Fn(String) -> Divergence,
    ) -> Result<Evidence, Divergence> {
        if read.thread != write.thread {
            return Err(fail("another thread reads".to_string()));
        }
        let mut writes = records.iter().filter(|r| r.site == write.site && r.write);
        let last = writes.next_back();
        let last = last.ok_or_else(|| fail("the write is not made".to_string()))?;
        let meets = |r: &AccessRecord| {
            r.address < last.address + last.bytes && last.address < r.address + r.bytes
        };
        let basis = self.seen.iter().rposition(|s| {
            let r = &s.record;
            (r.thread, r.site) == (read.thread, read.site)
                && (r.address, r.bytes) == (last.address, last.bytes)
        });
        let basis = basis.ok_or_else(|| fail("the thread has not read what it writes".into()))?;
        let (first, since) = (&self.seen[basis], &self.seen[basis + 1..]);
        let written = |s: &&Seen| s.record.write && meets(&s.record);
        if since
            .iter()
            .any(|s| written(&s) && s.record.thread == write.thread)
        {
            return Err(fail("the thread has written there itself since".into()));
        }
        let mut others = since.iter().filter(written);
        let between = others
            .next_back()
            .ok_or_else(|| fail("nobody else has written there since".into()))?;
        if first.record.before.is_none() || first.record.before == last.before {
            return Err(fail("what was read is there still".into()));
        }
        let now = Held::of(names.state, write.thread);
        let lock = between.held.own.iter().any(|lock| {
            let at_read = first.held.own.contains(lock) || first.held.read.contains(lock);
            at_read && now.own.contains(lock)
        });
        let write = told(names, last, frames, reading);
        let marked = first.told.marked && between.told.marked && write.marked;
        if !lock && !marked {
            return Err(fail("no lock is held at all three accesses".into()));
        }
        let event = names.event(frames, last.thread, names.of_access(last));
        let location = names.accessed(last);
        let parties = vec![write, between.told.clone(), first.told.clone()];
        Ok((parties, location, vec![event]))
    }
}

fn told(names: &Names<'_>, record: &AccessRecord, frames: &[Frame], reading: Marked) -> Access {
    let program = names.machine.program;
    Access {
        thread: record.thread,
        entry_point: entry_point(program, names.state.thread(record.thread), frames),
        stack: stack(program, frames),
        kind: Act::Touches(Touch::seen(record.read, record.write)),
        bytes: u32::try_from(record.bytes).unwrap_or(u32::MAX),
        marked: is_marked(record, reading),
        locks: names.locks(record.thread),
        acquired: Vec::new(),
        waits_for: None,
        if_by: None,
        value: record.before,
    }
}
