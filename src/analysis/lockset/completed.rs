//! Handlers that are over: after `cancel_work_sync`, `del_timer_sync`, `usb_kill_urb`, … has returned.
//!
//! The models say where the handler of an object runs, and where it neither runs nor can start (`__irkiss_runs`, `__irkiss_over` in
//! runtime-stubs/linux/handlers.c). Both flow through the functions like locks ([`super::flow`]): a handler *holds* that it runs, and who has
//! waited for it that it is over, until somebody lets it start again. That is not given back by its holder alone: an object is armed
//! by anybody. So it counts only where it *stands*: every place in a thread that may run meanwhile which may arm the object is out of the
//! question, since
//!
//! - the rules never run that thread beside the one that waits ([`super::super::Planner::with_exclusions`]), or
//! - the object is armed by its own handler, which is over, or
//! - it is armed by a handler that stands to be over where this one is waited for: who arms goes first.
//!
//! The first arm of an object after it was waited for would have to be one of these; there is none.
//!
//! What it misses: objects that are armed by a thread of which a lock, and not a rule, says that it does not run meanwhile; handlers in a
//! container (an anchor, a work queue); kernel threads; calls that say by a number what they are about.

use std::collections::BTreeMap;

use crate::faults::{LocksetFault, seeded};
use crate::index::FuncId;

use super::super::points_to::{Address, InstanceId};
use super::holds::{Hold, Name};
use super::summaries::At;
use super::{Held, Locksets, Mode, Release, shared_by};

/// A place where a handler may be armed.
pub struct Arm {
    /// Where it is.
    pub place: (InstanceId, At),
    /// Which objects it may arm.
    release: Release,
    /// Whether the handler of the same object is what arms it.
    by_itself: bool,
    /// Of the objects of which there is one: those whose handler runs here.
    running: Vec<Address>,
}

impl Arm {
    pub(super) fn new(place: (InstanceId, At), release: &Release, held: &[Hold]) -> Arm {
        let runs = || held.iter().filter(|h| h.mode == Mode::Running);
        let itself = |h: &Hold| match h.name {
            Name::At(address) => release.targets.only() == Some(address),
            Name::From(v, o) => release.base == Some((v, o)),
        };
        Arm {
            place,
            release: release.clone(),
            by_itself: runs().any(itself),
            running: runs().filter_map(single).collect(),
        }
    }

    fn may_arm(&self, at: Address) -> bool {
        self.release.lost || self.release.targets.iter().any(|t| t.meets(at))
    }
}

fn single(hold: &Hold) -> Option<Address> {
    match hold.name {
        Name::At(address) => Some(address),
        Name::From(..) => None,
    }
}

/// A place where a handler is said to be over.
pub struct Over {
    /// The objects that it may be about.
    targets: Vec<Address>,
    /// Of the objects of which there is one: those whose handlers are over already.
    before: Vec<Address>,
}

/// What a thread does to handlers.
#[derive(Default)]
pub struct Handlers {
    /// Where it lets them start.
    pub arms: Vec<Arm>,
    /// Where it has waited for them.
    pub overs: Vec<Over>,
}

impl Locksets<'_> {
    pub(super) fn over(&self, id: InstanceId, at: At, held: &[Hold]) -> Over {
        let function = self.points_to.instances()[id].function;
        let block = &self.program.functions[function].blocks[at.0];
        let said = self.summaries.sayings.said(&block.instrs[at.1 as usize].op);
        let targets = said.map(|(object, _)| self.points_to.targets_in(id, object));
        let over = held.iter().filter(|h| h.mode == Mode::Over);
        Over {
            targets: targets.unwrap_or_default(),
            before: over.filter_map(single).collect(),
        }
    }
}

/// A thread, by the functions that it starts in, and what it does to handlers.
pub type Actor<'a> = (Vec<FuncId>, &'a Handlers);

/// Which handlers are over for one thread, whatever the others do.
pub struct Standing<'a> {
    own: &'a Handlers,
    /// Those that may run beside it.
    others: Vec<&'a Handlers>,
    known: BTreeMap<Address, bool>,
}

impl<'a> Standing<'a> {
    /// Of `own`, beside all of these, itself included.
    pub fn new(
        own: &Actor<'a>,
        all: &[Actor<'a>],
        apart: impl Fn(FuncId, FuncId) -> bool,
    ) -> Standing<'a> {
        let beside = |other: &&Actor<'a>| {
            let pairs = |f: &FuncId| other.0.iter().all(|g| apart(*f, *g));
            own.0.is_empty() || other.0.is_empty() || !own.0.iter().all(pairs)
        };
        Standing {
            own: own.1,
            others: all.iter().filter(beside).map(|o| o.1).collect(),
            known: BTreeMap::new(),
        }
    }

    /// Whether the handler of the object at `at` does not start while the thread holds that it is over.
    pub fn stands(&mut self, at: Address) -> bool {
        if seeded(LocksetFault::ArmedByNobody) {
            return true;
        }
        if let Some(known) = self.known.get(&at) {
            return *known;
        }
        // What rests on itself does not stand.
        self.known.insert(at, false);
        let arms = self.others.iter().flat_map(|o| &o.arms);
        let arms: Vec<&Arm> = arms.filter(|a| a.may_arm(at)).collect();
        let stands = arms.into_iter().all(|arm| self.is_out_of_question(arm, at));
        self.known.insert(at, stands);
        stands
    }

    fn is_out_of_question(&mut self, arm: &Arm, at: Address) -> bool {
        if arm.by_itself {
            return true;
        }
        arm.running.iter().any(|by| {
            let mut said = self.own.overs.iter();
            let first = said.all(|o| {
                seeded(LocksetFault::AnyOrder)
                    || o.before.contains(by)
                    || !o.targets.iter().any(|t| t.meets(at)) && !o.targets.is_empty()
            });
            let still = !self.own.arms.iter().any(|a| a.may_arm(*by));
            first && still && self.stands(*by)
        })
    }
}

/// The object of a handler that runs at the one access and is over at the other (0 or 1), if that `stands` for its thread.
pub fn keeps_apart(
    first: (&Held, Address, u64),
    second: (&Held, Address, u64),
    stands: &mut dyn FnMut(usize, Address) -> bool,
) -> Option<Address> {
    let found = shared_by(first, second, false, &mut |at, x, y| match (x, y) {
        (Mode::Running, Mode::Over) => stands(1, at),
        (Mode::Over, Mode::Running) => stands(0, at),
        _ => false,
    });
    found.map(|(_, at)| at)
}
