//! The primitives: the only functions whose meaning is built into the tool.
//!
//! Everything that the models in `runtime-stubs/` need reduces to these. Each
//! is an external function named `__irkiss_*` (`irkiss.h` declares those meant
//! for users). The interpreter, the explorer and the symbolic executor give
//! them the same meaning, stated here once.

use serde::{Deserialize, Serialize};

/// A function whose meaning is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Primitive {
    /// `uN __irkiss_nondet_uN(void)`, N in 8, 16, 32, 64: an arbitrary value. `bool` (u8 0 or 1) is `__irkiss_nondet_bool`.
    Nondet(u32),
    /// `void *__irkiss_nondet_ptr(void)`: null, or the address of a fresh lazily initialised object.
    NondetPtr,
    /// `void __irkiss_assume(_Bool)`: blocks until the condition holds. In an atomic section: the section cannot be entered.
    Assume,
    /// `void __irkiss_assert(_Bool, const char *message)`: an error if the condition is false.
    Assert,
    /// `void __irkiss_check(u32 kind, _Bool condition, const void *object)`: a model says that a property holds, of an object or
    /// (null) of the thread; where the condition is false this is an error of that kind ([`FailKind`]). The thread goes on.
    Check,
    /// `void __irkiss_atomic_begin(void)`: from here to the matching end no other thread runs. Nests.
    AtomicBegin,
    /// `void __irkiss_atomic_end(void)`.
    AtomicEnd,
    /// `u64 __irkiss_async(void (*start)(void *), void *arg)`: a new thread; returns its number.
    Async,
    /// `u64 __irkiss_self(void)`: number of the current thread; the first is 0, others count in order of creation.
    SelfId,
    /// `u64 __irkiss_ghost_get(const void *address, u32 key)`: ghost state kept beside memory, by address; initially 0.
    GhostGet,
    /// `void __irkiss_ghost_set(const void *address, u32 key, u64 value)`.
    GhostSet,
    /// `void *__irkiss_alloc(u64 size, _Bool zero)`: a fresh heap object, never null; content zero or arbitrary.
    Alloc,
    /// `void __irkiss_free(void *)`: ends a heap object's life; null is ignored.
    Free,
    /// `void __irkiss_local_ends(void *)`: ends a local variable's life, as its function's return does; nothing if it has ended already.
    Leave,
    /// `void *__irkiss_lazy(u64 size, const char *name)`: a fresh object whose content is arbitrary and whose pointers
    /// lead, when first followed, to null or to further such objects. `size` 0: as large as accesses need.
    Lazy,
    /// `void __irkiss_havoc(void *address, u64 size)`: writes arbitrary bytes; an unmarked write access.
    Havoc,
    /// `void __irkiss_touch(const void *address, u64 size)`: reads bytes and drops them; an unmarked read access.
    Touch,
    /// `void __irkiss_stop(void)`: ends the current thread here; no error. Does not return.
    Stop,
    /// `void __irkiss_unsupported(const char *what)`: the path ends as `unknown` with that reason. Does not return.
    Unsupported,
    /// `void __irkiss_gap(const char *what)`: something that is not modelled is passed over, as if it were nothing. What comes after it
    /// can be found; that nothing is there cannot be claimed.
    Gap,
    /// `void __irkiss_exceeded(const char *what)`: a bound of a model. An execution ends here as `unknown` with that reason. What
    /// holds for any number of threads takes it for nothing: what follows must be what really happens there, as far as anybody
    /// but the model can see.
    Exceeded,
    /// `void __irkiss_bug(const char *what)`: the kernel's BUG(): ends the thread; reported only if asked for. Does not return.
    Bug,
    /// `u32 __irkiss_pair(u32 n)`: entry point number of thread `n` (0 or 1) of the pair under check: an input of the check.
    Pair,

    // ---- only in the sequential program ----
    /// `u32 __irkiss_choice(u32 site, u32 alternatives)`: an arbitrary number below `alternatives`; a scheduling choice.
    Choice,
    /// `_Bool __irkiss_site_enabled(u32 site)`: whether the site is a switch point in this check: an input of the check.
    SiteEnabled,
    /// `_Bool __irkiss_check_enabled(u32 site)`: whether the site's access is checked for races in this check: an input.
    CheckEnabled,
    /// `u32 __irkiss_watched(u32 site)`: the parts that the site has in a check for atomicity (kiss.c): an input of the check.
    Watched,
    /// `u64 __irkiss_watched_bits(u32 site)`: the bits of what is read there that matter, likewise.
    WatchedBits,
    /// `u32 __irkiss_ts_max(void)`: MAX, the bound of the multiset `ts`: an input of the check.
    TsMax,
    /// `_Bool __irkiss_plain_raise(void)`: whether a thread may be ended at any switch point (KISS), or just not be scheduled again
    /// (rounds): an input of the check.
    PlainRaise,
    /// `void __irkiss_snapshot(void)`: remembers memory and ghost state.
    Snapshot,
    /// `void __irkiss_rollback(void)`: restores memory and ghost state as of the last snapshot.
    Rollback,
    /// `void __irkiss_fail(u32 kind, u32 first_site, u32 second_site)`: the check fails here. Kinds in [`FailKind`]. Does not return.
    Fail,
    /// `void __irkiss_note(u32 kind, u32 first_site, u32 second_site)`: the same, and the execution goes on.
    Note,
    /// `_Bool __irkiss_same_location(const void *a, u64 an, const void *b, u64 bn)`: whether two byte ranges overlap.
    Overlap,
    /// `u32 __irkiss_contexts(void)`: K, the contexts of each thread: an input of the check.
    Contexts,
    /// `void *__irkiss_copy(const void *address, u64 bytes, u32 round, u32 what)`: the address in the copy of that round (from 0; that
    /// of round 0 is the address itself) of the object that it leads to. `what` is done there with that many bytes: 0 they are read, 1
    /// written; 2 ghost state is read, 3 written; 4 the object is freed. A copy of a later round has arbitrary content at first.
    Copy,
    /// `void __irkiss_consistent(void)`: blocks unless each copy is what the next one was at first.
    Consistent,
}

/// The kinds of failure that [`Primitive::Fail`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u32)]
pub enum FailKind {
    /// `__irkiss_assert` of a false condition; `second_site` is the assertion.
    Assertion = 0,
    /// Two conflicting accesses enabled at once: `first_site` by the stopped thread, `second_site` by the running one.
    Race = 1,
    /// An access to an object that has been freed, or a second free of it; no primitive claims it, memory does.
    UseAfterFree = 2,
    /// A thread acquires a lock that it holds. This and the kinds that follow are what [`Primitive::Check`] names; executions go on
    /// after them.
    DoubleAcquire = 3,
    /// A thread releases a lock that it does not hold.
    ReleaseNotHeld = 4,
    /// A thread that must not sleep calls what may.
    SleepInAtomic = 5,
    /// A thread's function returns with a lock that it has acquired.
    ReturnWithLockHeld = 6,
    /// A thread waits for a lock whose holder waits for it.
    Deadlock = 7,
    /// The device is used, or the module runs, after its removal.
    UseAfterRemoval = 8,
    /// A thread writes on the basis of a value that it read under the same lock before, and that another thread has overwritten since:
    /// `first_site` is the read, `second_site` the write. The run time of the sequential program claims it.
    Atomicity = 9,
    /// Every thread has ended or waits, and nothing that one waits for is there.
    WaitForEver = 10,
}

impl FailKind {
    /// The kind of that number.
    pub fn from_number(n: u64) -> Option<FailKind> {
        match n {
            0 => Some(FailKind::Assertion),
            1 => Some(FailKind::Race),
            3 => Some(FailKind::DoubleAcquire),
            4 => Some(FailKind::ReleaseNotHeld),
            5 => Some(FailKind::SleepInAtomic),
            6 => Some(FailKind::ReturnWithLockHeld),
            7 => Some(FailKind::Deadlock),
            8 => Some(FailKind::UseAfterRemoval),
            9 => Some(FailKind::Atomicity),
            10 => Some(FailKind::WaitForEver),
            _ => None,
        }
    }

    /// Whether executions go on after it.
    pub fn goes_on(self) -> bool {
        match self {
            FailKind::Assertion | FailKind::Race | FailKind::UseAfterFree => false,
            FailKind::DoubleAcquire
            | FailKind::ReleaseNotHeld
            | FailKind::SleepInAtomic
            | FailKind::ReturnWithLockHeld
            | FailKind::Deadlock
            | FailKind::WaitForEver
            | FailKind::UseAfterRemoval
            | FailKind::Atomicity => true,
        }
    }
}

/// Name in C, primitive. The one table from which all stages read.
const NAMES: &[(&str, Primitive)] = &[
    ("__irkiss_nondet_bool", Primitive::Nondet(1)),
    ("__irkiss_nondet_u8", Primitive::Nondet(8)),
    ("__irkiss_nondet_u16", Primitive::Nondet(16)),
    ("__irkiss_nondet_u32", Primitive::Nondet(32)),
    ("__irkiss_nondet_u64", Primitive::Nondet(64)),
    ("__irkiss_nondet_ptr", Primitive::NondetPtr),
    ("__irkiss_assume", Primitive::Assume),
    ("__irkiss_assert", Primitive::Assert),
    ("__irkiss_check", Primitive::Check),
    ("__irkiss_atomic_begin", Primitive::AtomicBegin),
    ("__irkiss_atomic_end", Primitive::AtomicEnd),
    ("__irkiss_async", Primitive::Async),
    ("__irkiss_self", Primitive::SelfId),
    ("__irkiss_ghost_get", Primitive::GhostGet),
    ("__irkiss_ghost_set", Primitive::GhostSet),
    ("__irkiss_alloc", Primitive::Alloc),
    ("__irkiss_free", Primitive::Free),
    ("__irkiss_local_ends", Primitive::Leave),
    ("__irkiss_lazy", Primitive::Lazy),
    ("__irkiss_havoc", Primitive::Havoc),
    ("__irkiss_touch", Primitive::Touch),
    ("__irkiss_stop", Primitive::Stop),
    ("__irkiss_unsupported", Primitive::Unsupported),
    ("__irkiss_gap", Primitive::Gap),
    ("__irkiss_exceeded", Primitive::Exceeded),
    ("__irkiss_bug", Primitive::Bug),
    ("__irkiss_pair", Primitive::Pair),
    ("__irkiss_choice", Primitive::Choice),
    ("__irkiss_site_enabled", Primitive::SiteEnabled),
    ("__irkiss_check_enabled", Primitive::CheckEnabled),
    ("__irkiss_watched", Primitive::Watched),
    ("__irkiss_watched_bits", Primitive::WatchedBits),
    ("__irkiss_ts_max", Primitive::TsMax),
    ("__irkiss_plain_raise", Primitive::PlainRaise),
    ("__irkiss_snapshot", Primitive::Snapshot),
    ("__irkiss_rollback", Primitive::Rollback),
    ("__irkiss_fail", Primitive::Fail),
    ("__irkiss_note", Primitive::Note),
    ("__irkiss_same_location", Primitive::Overlap),
    ("__irkiss_contexts", Primitive::Contexts),
    ("__irkiss_copy", Primitive::Copy),
    ("__irkiss_consistent", Primitive::Consistent),
];

impl Primitive {
    /// The primitive of that C name.
    pub fn by_name(name: &str) -> Option<Primitive> {
        NAMES.iter().find(|(n, _)| *n == name).map(|(_, p)| *p)
    }
    /// Its C name.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(_, p)| *p == self)
            .map_or("__irkiss_nondet", |(n, _)| n)
    }
    /// Whether control never comes back.
    pub fn diverges(self) -> bool {
        matches!(
            self,
            Primitive::Stop | Primitive::Unsupported | Primitive::Bug | Primitive::Fail
        )
    }
}
