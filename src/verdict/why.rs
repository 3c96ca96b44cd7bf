//! Why no more is known: the closed list of reasons for `unknown`. The words for people are `report/wording.rs`'s.

use crate::deadline::Stopped;

/// What ended executions on their way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cut {
    /// A loop went round as often as `--unwind` allows.
    Unwind,
    /// A function called itself as often as `--recursion` allows.
    Recursion,
    /// A copy or fill of a length that is not constant was longer than what is searched.
    Length,
    /// An access through null, or outside of every object.
    InvalidAccess,
    /// What the compiler promised not to happen, or a division by zero.
    Undefined,
    /// Something that is not modelled.
    Unsupported(String),
    /// The budget of instructions or terms was used up.
    Budget,
}

impl Cut {
    /// Its name, for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Cut::Unwind => "unwind",
            Cut::Recursion => "recursion",
            Cut::Length => "length",
            Cut::InvalidAccess => "invalid-access",
            Cut::Undefined => "undefined",
            Cut::Unsupported(_) => "unsupported",
            Cut::Budget => "budget",
        }
    }
}

/// A place at which executions end, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ending {
    /// Why.
    pub cut: Cut,
    /// `file:line (function)`, as far as known.
    pub at: String,
}

/// Why something is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// Initialisation never succeeds.
    NoStart,
    /// The entry point is for a device, and no probe succeeds.
    NoDevice {
        /// Its function.
        entry: String,
    },
    /// Nobody starts a second thread.
    NoThread {
        /// Beside whom.
        beside: String,
    },
    /// A thread is not shown to reach any visible instruction.
    Nowhere {
        /// Its entry point.
        entry: String,
        /// Where its executions end, as far as known; empty: they block, or nothing was executed.
        ended: Vec<Ending>,
    },
    /// No access of the region by one of the threads is shown to be reached.
    NotReached {
        /// The entry point.
        entry: String,
        /// Its accesses, the first of them.
        access: String,
        /// As [`Why::Nowhere`].
        ended: Vec<Ending>,
    },
    /// One access is not shown to be reached, and executions end on the way to it.
    Hidden {
        /// The entry point.
        entry: String,
        /// The access.
        access: String,
        /// As [`Why::Nowhere`].
        ended: Vec<Ending>,
    },
    /// No execution was seen in which both access the same bytes, one of them to write.
    NothingCommon,
    /// The bounds cut every execution that gets to an access.
    BeyondBounds,
    /// The time or the budget did not suffice to show that the bounds leave an execution.
    BoundsNotShown,
    /// Executions are not searched (`--tier`).
    NotSearched,
    /// No proof, and no search was asked for.
    Candidate(Candidate),
    /// An execution may come to something that is not modelled.
    Unsupported(Ending),
    /// The budget of instructions or terms was used up.
    Budget,
    /// The solver gave up: what it said.
    Solver(String),
    /// The run was ended before.
    Stopped(Stopped),
    /// An interleaving was found that the interpreter does not confirm: where the two part.
    NotReplayed(String),
    /// The solver's answer does not lead to the failure: how it ended.
    Lost(String),
    /// The accesses race on another region.
    Elsewhere(String),
    /// An interleaving was found that may rest on answers which these functions never give: their models do not compute them.
    AnyAnswer(Vec<String>),
    /// An entry point was compiled without debug information: nothing tells what its pointers lead to.
    NoDebugInfo,
    /// Nothing tells whose object it is: these come from outside, and may be one.
    Unidentified(Vec<String>),
    /// The kernel keeps the threads apart, as far as they are about one object of that kind; there are several.
    OneOfSeveral(String),
    /// An entry point calls what waits for its end; whether it is called for the same object is not known.
    OwnEnd {
        /// Its function.
        entry: String,
        /// What it calls.
        call: String,
    },
    /// No rule says in which context the kernel calls them: function and place. They may sleep.
    NoContext(Vec<String>),
    /// It happens where the threads run beside each other, and no rule says when these run: function and place.
    Undescribed(Vec<String>),
    /// It happens where the threads run beside each other; users of that resource call them, who may do so in turn: function and place.
    Clients(String, Vec<String>),
    /// It happens where they are called beside a removal, or after it, and nothing tells when the kernel calls them for the last time:
    /// function and place.
    Endless(Vec<String>),
    /// An entry point is registered, or started, before initialisation is over; whether it does this beside the rest is not known.
    BegunEarly {
        /// Its function.
        entry: String,
        /// Why no more is known, if anything tells.
        so: Option<Box<Why>>,
    },
    /// It depends on fields that were not followed.
    NotFollowed,
    /// The run could not be executed: a message.
    NotExecuted(String),
    /// Its report was kept, and this is not in it.
    NotRecorded,
}

/// Why proofs leave a region open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Candidate {
    /// No lock that both must hold.
    NoLock,
    /// The locksets could not follow everything: what.
    Gap(String),
    /// The net gets to two conflicting accesses at once.
    Net,
    /// No lock, and the net says nothing: why.
    NoNet(String),
}

impl Why {
    /// Whether a larger budget (`--work`, `--rlimit`, `--timeout` …) may decide it.
    pub fn is_limit(&self) -> bool {
        match self {
            Why::BoundsNotShown | Why::Budget | Why::Solver(_) | Why::Stopped(_) => true,
            Why::Unsupported(end) => end.cut == Cut::Budget,
            Why::BegunEarly { so, .. } => so.as_ref().is_some_and(|why| why.is_limit()),
            Why::Nowhere { ended, .. }
            | Why::NotReached { ended, .. }
            | Why::Hidden { ended, .. } => ended.iter().any(|e| e.cut == Cut::Budget),
            Why::NoStart
            | Why::NoDevice { .. }
            | Why::NoThread { .. }
            | Why::NothingCommon
            | Why::BeyondBounds
            | Why::NotSearched
            | Why::Candidate(_)
            | Why::NotReplayed(_)
            | Why::Lost(_)
            | Why::Elsewhere(_)
            | Why::AnyAnswer(_)
            | Why::Unidentified(_)
            | Why::NoDebugInfo
            | Why::OneOfSeveral(_)
            | Why::OwnEnd { .. }
            | Why::NoContext(_)
            | Why::Undescribed(_)
            | Why::Clients(..)
            | Why::Endless(_)
            | Why::NotFollowed
            | Why::NotExecuted(_)
            | Why::NotRecorded => false,
        }
    }

    /// Whether something was found that could not be confirmed: no other search speaks against it.
    pub fn is_suspicion(&self) -> bool {
        matches!(
            self,
            Why::NotReplayed(_)
                | Why::Lost(_)
                | Why::Elsewhere(_)
                | Why::AnyAnswer(_)
                | Why::NotFollowed
        )
    }

    /// Its name, for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Why::NoStart => "no-start",
            Why::NoDevice { .. } => "no-device",
            Why::NoThread { .. } => "no-thread",
            Why::Nowhere { .. } => "nowhere-reached",
            Why::NotReached { .. } => "access-not-reached",
            Why::Hidden { .. } => "access-hidden",
            Why::NothingCommon => "nothing-common",
            Why::BeyondBounds => "beyond-bounds",
            Why::BoundsNotShown => "bounds-not-shown",
            Why::NotSearched => "not-searched",
            Why::Candidate(_) => "candidate",
            Why::Unsupported(_) => "unsupported",
            Why::Budget => "budget",
            Why::Solver(_) => "solver",
            Why::Stopped(_) => "stopped",
            Why::NotReplayed(_) => "not-replayed",
            Why::Lost(_) => "model-lost",
            Why::Elsewhere(_) => "race-elsewhere",
            Why::AnyAnswer(_) => "any-answer",
            Why::Unidentified(_) => "object-unidentified",
            Why::NoDebugInfo => "no-debug-info",
            Why::OneOfSeveral(_) => "one-of-several",
            Why::OwnEnd { .. } => "own-end",
            Why::NoContext(_) => "context-unknown",
            Why::Undescribed(_) => "concurrency-unknown",
            Why::Clients(..) => "users-take-turns",
            Why::Endless(_) => "end-unknown",
            Why::BegunEarly { .. } => "begun-early",
            Why::NotFollowed => "not-followed",
            Why::NotExecuted(_) => "not-executed",
            Why::NotRecorded => "none",
        }
    }

    /// Where executions end, as far as it is told.
    pub fn ends(&self) -> &[Ending] {
        match self {
            Why::Nowhere { ended, .. }
            | Why::NotReached { ended, .. }
            | Why::Hidden { ended, .. } => ended,
            Why::Unsupported(ending) => std::slice::from_ref(ending),
            Why::BegunEarly { so: Some(why), .. } => why.ends(),
            _ => &[],
        }
    }

    /// Where it is, if it is at one place: `file:line (function)`.
    pub fn at(&self) -> Option<&str> {
        let first = self.ends().first()?;
        Some(first.at.as_str()).filter(|at| !at.is_empty())
    }
}
