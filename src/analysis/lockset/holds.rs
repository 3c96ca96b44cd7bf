//! What a thread holds and what it releases, as one function names it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::faults::{LocksetFault, seeded};
use crate::index::{ValueId, define_index};
use crate::program::harness_map::Sayings;
use crate::program::{Callee, Op, Operand, Primitive};

use super::super::points_to::{Address, InstanceId, PointsTo, constant};

/// Keys of the ghost state that are locks (runtime-stubs/include/irkiss_internal.h).
pub(super) const OWNER: i64 = 1;
const READERS: i64 = 3;
const LIFE: i64 = 7;
/// What lets a handler start, and what keeps it from that (runtime-stubs/include/irkiss_linux.h).
const ARMED: i64 = 512;
const DISABLED: i64 = 514;

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// By one thread, and by no reader.
    Exclusive,
    /// By readers.
    Shared,
    /// In one of these two ways; which, is not known. Excludes what a reader excludes.
    Either,
    /// It is being initialised: nobody else uses it yet. Excludes nothing; it is what the release in an initialisation gives back.
    Initialising,
    /// No lock: the handler of the object there is what runs.
    Running,
    /// No lock: the handler of the object there neither runs nor can it start.
    Over,
}

impl Mode {
    /// Whether a lock is held in this way.
    pub fn is_lock(self) -> bool {
        !matches!(self, Mode::Initialising | Mode::Running | Mode::Over)
    }

    /// Whether it says something of a handler.
    pub fn is_of_handler(self) -> bool {
        matches!(self, Mode::Running | Mode::Over)
    }
}

/// A lock as a function names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Name {
    /// By its address, of which there is one.
    At(Address),
    /// By its distance from a value of the function.
    From(ValueId, i64),
}

/// A lock that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Hold {
    pub name: Name,
    pub mode: Mode,
}

/// What is held on two ways that meet: a lock that one of them holds as a reader, the other as the owner, is held either way.
pub(super) fn on_both(first: &mut Vec<Hold>, second: &[Hold]) {
    let anyhow = |held: &[Hold], h: &Hold| {
        let mut same = held.iter().filter(|o| o.name == h.name);
        h.mode.is_lock() && same.any(|o| o.mode.is_lock() && o.mode != h.mode)
    };
    for h in &mut *first {
        if !second.contains(h) && anyhow(second, h) {
            h.mode = Mode::Either;
        }
    }
    first.retain(|h| second.contains(h) || h.mode == Mode::Either && anyhow(second, h));
    first.sort_unstable();
    first.dedup();
}

impl Sayings {
    /// The object whose handler an instruction says something of, and what.
    pub(super) fn said<'o>(&self, op: &'o Op) -> Option<(&'o Operand, Effect)> {
        let Op::Call {
            callee: Callee::Direct(f),
            args,
            ..
        } = op
        else {
            return None;
        };
        let f = Some(*f);
        let effect = match () {
            () if f == self.runs => Effect::Acquire(Mode::Running),
            () if f == self.ran => Effect::Release(Mode::Running),
            () if f == self.over => Effect::Acquire(Mode::Over),
            () => return None,
        };
        Some((args.first()?, effect))
    }
}

define_index!(
    /// An interned [`Release`].
    ReleaseId,
    "release"
);

/// Addresses that were interned ([`super::Releases::targets`]): there may be thousands, and the same ones are what many releases reach.
#[derive(Clone, Debug)]
pub struct Targets(pub(super) Arc<[Address]>);

impl Targets {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Address> + '_ {
        self.0.iter().copied()
    }

    /// The one there is; `None`: none, or several.
    pub fn only(&self) -> Option<Address> {
        match self.0[..] {
            [address] => Some(address),
            _ => None,
        }
    }
}

impl PartialEq for Targets {
    fn eq(&self, other: &Targets) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Targets {}

impl Hash for Targets {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).cast::<()>().hash(state);
    }
}

/// Something that may release a lock, or let a handler start (`mode`: [`Mode::Over`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Release {
    /// Of an exclusive or of a shared hold.
    pub mode: Mode,
    /// Where the lock may be, sorted.
    pub targets: Targets,
    /// Nothing is known of where it is.
    pub lost: bool,
    /// The value of the function that it is named by, if it is.
    pub(super) base: Option<(ValueId, i64)>,
}

/// What an instruction does to a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Acquire(Mode),
    Release(Mode),
}

/// The operand that is the lock (the object of a handler), and what is done to it, if it is a ghost write to a key of these.
pub(super) fn lock_key(op: &Op) -> Option<(&Operand, i64, &Operand)> {
    let Op::Primitive {
        primitive: Primitive::GhostSet,
        args,
    } = op
    else {
        return None;
    };
    let [lock, key, value, ..] = args.as_slice() else {
        return None;
    };
    let key = constant(key)?;
    matches!(key, OWNER | READERS | LIFE | ARMED | DISABLED).then_some((lock, key, value))
}

/// The effect of a ghost write; `increments`: whether the value is a sum (one more reader).
pub(super) fn effect(
    key: i64,
    value: &Operand,
    increments: impl Fn(&Operand) -> bool,
) -> Option<Effect> {
    let zero = constant(value) == Some(0);
    match key {
        OWNER if zero => Some(Effect::Release(Mode::Exclusive)),
        OWNER => Some(Effect::Acquire(Mode::Exclusive)),
        READERS if increments(value) => Some(Effect::Acquire(Mode::Shared)),
        READERS => Some(Effect::Release(Mode::Shared)),
        LIFE if constant(value) == Some(1) => Some(Effect::Acquire(Mode::Initialising)),
        ARMED if !zero => Some(Effect::Release(Mode::Over)),
        // One reason more not to start.
        DISABLED if !increments(value) => Some(Effect::Release(Mode::Over)),
        _ => None,
    }
}

/// Whether a release may end a hold, both as the instance names them.
pub(super) fn kills(
    points_to: &PointsTo,
    instance: InstanceId,
    release: &Release,
    hold: &Hold,
) -> bool {
    let uncertain = release.lost || release.targets.0.len() > 1;
    if uncertain && seeded(LocksetFault::UncertainReleaseKillsNothing) {
        return false;
    }
    if hold.mode == Mode::Either && seeded(LocksetFault::EitherSurvives) {
        return false;
    }
    let same_mode = match release.mode {
        Mode::Shared => matches!(hold.mode, Mode::Shared | Mode::Either),
        mode if mode.is_of_handler() => hold.mode == mode,
        _ => hold.mode != Mode::Shared && !hold.mode.is_of_handler(),
    };
    if !same_mode {
        return false;
    }
    let meets = |address: Address| release.targets.iter().any(|t| t.meets(address));
    match hold.name {
        Name::At(address) => release.lost || meets(address),
        Name::From(v, o) => match release.base {
            Some((w, p)) if v == w => o == p,
            _ if seeded(LocksetFault::NoAliases) => false,
            _ => {
                let mut own = points_to.value_targets(instance, v).peekable();
                release.lost || own.peek().is_none() || own.any(|a| meets(a.moved(o, 0)))
            }
        },
    }
}
