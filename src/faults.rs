//! Faults that tests build in, to see that other tests notice them: a fault of each part, each named after what is left out.
//!
//! They are there in the library's own tests, and with the feature `faults`, which no shipped binary has: [`seeded`] is `false` then, and
//! the code that asks it is compiled away. A fault holds for the thread that built it in ([`with`]) and for those that it starts
//! ([`Here`]); no option, no answer of the child process and no file carries one.

/// A fault of any part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// In the sequentialization of KISS, and its run time.
    Kiss(KissFault),
    /// In executions in rounds.
    Rounds(RoundsFault),
    /// In the candidates for `--property atomicity`.
    Atomicity(AtomicityFault),
    /// In lockset analysis.
    Lockset(LocksetFault),
    /// In nets.
    Net(NetFault),
    /// In what nets of drivers alone have.
    Driver(DriverFault),
}

/// Whether this fault is built in here.
#[cfg(any(test, feature = "faults"))]
pub fn seeded(fault: impl Into<Fault>) -> bool {
    here::FAULT.get() == Some(fault.into())
}

/// Whether this fault is built in here: it never is.
#[cfg(not(any(test, feature = "faults")))]
#[inline(always)]
pub fn seeded(_: impl Into<Fault>) -> bool {
    false
}

/// Does `run` with that fault built in; with `None`, without any.
///
/// # Panics
/// If a fault is to be built in where none can be.
pub fn with<R>(fault: Option<impl Into<Fault>>, run: impl FnOnce() -> R) -> R {
    let fault = fault.map(Into::into);
    let _before = Here::of(fault).enter();
    run()
}

/// What is built in where this was made: for threads, which are to have the fault of whoever starts them.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    #[cfg(any(test, feature = "faults"))]
    fault: Option<Fault>,
}

/// Takes back what was built in, at its end.
pub struct Before {
    #[cfg(any(test, feature = "faults"))]
    fault: Option<Fault>,
}

#[cfg(any(test, feature = "faults"))]
mod here {
    use std::cell::Cell;

    use super::{Before, Fault, Here};

    thread_local! {
        pub(super) static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
    }

    impl Here {
        /// What is built in on this thread.
        pub fn now() -> Here {
            Here { fault: FAULT.get() }
        }

        pub(super) fn of(fault: Option<Fault>) -> Here {
            Here { fault }
        }

        /// Builds it in on this thread, until the result is dropped.
        pub fn enter(self) -> Before {
            Before {
                fault: FAULT.replace(self.fault),
            }
        }

        /// Builds it in on this thread for good.
        pub fn stay(self) {
            FAULT.set(self.fault);
        }
    }

    impl Drop for Before {
        fn drop(&mut self) {
            FAULT.set(self.fault);
        }
    }
}

#[cfg(not(any(test, feature = "faults")))]
impl Here {
    /// Nothing.
    pub fn now() -> Here {
        Here {}
    }

    fn of(fault: Option<Fault>) -> Here {
        assert!(fault.is_none(), "compiled without the feature `faults`");
        Here {}
    }

    fn enter(self) -> Before {
        Before {}
    }

    /// Changes nothing.
    pub fn stay(self) {}
}

/// In the sequentialization of KISS, and its run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each names what is left out")]
pub enum KissFault {
    NoRaise,
    NoPropagation,
    NoScheduleAtReturn,
    /// No switch point before assume, stop, back edges.
    NoPointBeforeBlocking,
    /// Accesses in atomic sections unchecked.
    NoAtomicCheck,
    /// RAISE frees the frames whose locals others still use.
    FramesDieAtRaise,
    /// Per-thread ghost state is not saved around scheduled threads.
    NoGhostSave,
    /// `raise` is not reset after async's synchronous call.
    NoResetAfterAsync,
    /// `ts` holds functions without their arguments.
    NoArguments,
}

impl KissFault {
    /// All of them.
    pub const ALL: &[KissFault] = &[
        KissFault::NoRaise,
        KissFault::NoPropagation,
        KissFault::NoScheduleAtReturn,
        KissFault::NoPointBeforeBlocking,
        KissFault::NoAtomicCheck,
        KissFault::FramesDieAtRaise,
        KissFault::NoGhostSave,
        KissFault::NoResetAfterAsync,
        KissFault::NoArguments,
    ];
}

impl From<KissFault> for Fault {
    fn from(fault: KissFault) -> Fault {
        Fault::Kiss(fault)
    }
}

/// In executions in rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundsFault {
    /// A thread that goes on is still taken for the one before it.
    NoGhostSave,
    /// Where a thread stops, its stack is gone for the others too.
    FramesPopped,
    /// A thread goes on with the store that it left itself.
    OwnStore,
    /// Of that, who holds which lock.
    OwnLocks,
    /// Of that, what has been freed.
    OwnHeap,
    /// Who is started in a round does not take part in it.
    LateThreads,
    /// One that lets its turn go by ends the execution, however many others there are.
    IdleEnds,
    /// What is not tracked is read as zero.
    ReadsZero,
    /// The begin of a section is no switch point, whatever is tracked of what it accesses.
    SectionsUnseen,
    /// On guessed stores, all rounds have the same locks.
    GuessedLocks,
    /// Likewise, what is freed in one round is freed in all.
    GuessedLife,
    /// Likewise, pointers lead to what was there before the first round alone.
    GuessedAddresses,
    /// What a round leaves is not compared with the guess.
    Uncompared,
    /// Threads by themselves read what they would in this order, and nothing that another stores later.
    OwnValues,
    /// Threads by themselves wait for the locks that an earlier one holds.
    LocksInOrder,
    /// Threads by themselves do not get to what an earlier one has freed.
    FreedInOrder,
}

impl From<RoundsFault> for Fault {
    fn from(fault: RoundsFault) -> Fault {
        Fault::Rounds(fault)
    }
}

/// In the candidates for `--property atomicity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicityFault {
    /// What is written depends on nothing.
    NoData,
    /// Whether it is written depends on nothing.
    NoControl,
    /// Bits of one word are one thing.
    NoBits,
    /// To decide again changes nothing.
    NeverAnew,
    /// Whoever compares as it writes is like any other.
    Compares,
}

impl From<AtomicityFault> for Fault {
    fn from(fault: AtomicityFault) -> Fault {
        Fault::Atomicity(fault)
    }
}

/// In lockset analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocksetFault {
    /// A release in a function ends no hold of its own.
    ReleaseKillsNothing,
    /// What a callee releases is not released for its caller.
    CalleeReleasesNothing,
    /// Where ways meet, what one of them holds is held.
    NoIntersection,
    /// A function that is called twice is entered with what the first caller holds.
    FirstCallerOnly,
    /// What one way knows of values is known where ways meet.
    FactsOfOneWay,
    /// The result of a function that returns at two places is that of the first.
    FirstResultOnly,
    /// A lock that somebody releases without holding it counts all the same.
    WildReleasesCount,
    /// Whatever a thread releases, it held.
    EveryReleaseIsBalanced,
    /// A release of one of several locks ends no hold.
    UncertainReleaseKillsNothing,
    /// Two readers keep each other out.
    ReadersExcludeReaders,
    /// Who reads is the owner.
    ReadersOwn,
    /// No release ends a hold of which the side is not known.
    EitherSurvives,
    /// What is made in a loop is one object.
    LoopMakesOne,
    /// All elements of an array have one lock.
    ElementsShareOneLock,
    /// Any lock at some distance from an access guards it.
    AnyDistance,
    /// A lock is known by a value that has been computed anew.
    StaleNames,
    /// The same of a phi.
    StalePhis,
    /// What was known of a condition is known after its parts have been computed anew.
    StaleConditions,
    /// Facts that are not the same rule each other out.
    FactsDiffer,
    /// Who is not the owner owns.
    NotTheOwnerOwns,
    /// Who has no read holds reads.
    NoReaderReads,
    /// Functions that call themselves are analysed once.
    OneRound,
    /// A lock that was tried is held whatever came of it.
    TriedIsTaken,
    /// Two names of a function never mean the same lock.
    NoAliases,
    /// A handler that is over is armed by nobody again.
    ArmedByNobody,
    /// Who arms a handler may be waited for after it.
    AnyOrder,
}

impl LocksetFault {
    /// All of them.
    pub const ALL: &[LocksetFault] = &[
        LocksetFault::ReleaseKillsNothing,
        LocksetFault::CalleeReleasesNothing,
        LocksetFault::NoIntersection,
        LocksetFault::FirstCallerOnly,
        LocksetFault::FactsOfOneWay,
        LocksetFault::FirstResultOnly,
        LocksetFault::WildReleasesCount,
        LocksetFault::EveryReleaseIsBalanced,
        LocksetFault::UncertainReleaseKillsNothing,
        LocksetFault::ReadersExcludeReaders,
        LocksetFault::ReadersOwn,
        LocksetFault::EitherSurvives,
        LocksetFault::LoopMakesOne,
        LocksetFault::ElementsShareOneLock,
        LocksetFault::AnyDistance,
        LocksetFault::StaleNames,
        LocksetFault::StalePhis,
        LocksetFault::StaleConditions,
        LocksetFault::FactsDiffer,
        LocksetFault::NotTheOwnerOwns,
        LocksetFault::NoReaderReads,
        LocksetFault::OneRound,
        LocksetFault::TriedIsTaken,
        LocksetFault::NoAliases,
        LocksetFault::ArmedByNobody,
        LocksetFault::AnyOrder,
    ];
}

impl From<LocksetFault> for Fault {
    fn from(fault: LocksetFault) -> Fault {
        Fault::Lockset(fault)
    }
}

/// In nets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetFault {
    /// A place that starts a thread starts one.
    EveryStartIsOnce,
    /// Nobody writes over another thread's number.
    NobodyBreaks,
    /// Who overwrites its own number is still its owner.
    OwnerForEver,
    /// Steps are made for the contents known when they are first made.
    NobodyIsWoken,
    /// A step that nothing follows is none.
    EveryStepIsFollowed,
    /// An unknown condition holds.
    UnknownHolds,
    /// An `assume` of something unknown fails.
    UnknownAssumeFails,
    /// What is made in sections races with nothing.
    SectionsRaceWithNothing,
    /// Two threads alike never meet.
    TwinsNeverMeet,
    /// What may be there beside a transition is not there afterwards.
    NothingStaysBeside,
    /// A marking is dropped if a larger one is known.
    SubsumedByLarger,
    /// The tokens that a transition gives are all that it needs to lead to.
    GivesEverything,
    /// A write somewhere changes no cell.
    VagueWritesMissCells,
    /// Cells that overlap are told apart.
    OverlapsAreApart,
    /// What is made in a loop is one object.
    LoopMakesOne,
    /// A compare-and-exchange of what is not known fails.
    UnknownExchangeFails,
    /// A phi keeps its value.
    StalePhis,
    /// What is met too often is met no more.
    LoopsAreShort,
    /// A thread is given what the first of its kind was given.
    FirstArgumentOnly,
    /// Cells hold what they held at first.
    WritesChangeNothing,
    /// What takes too many values is one of the first.
    FewValues,
    /// A thread that stops in a step did not make it.
    StopsUndo,
    /// What a thread takes off a counter it has still added.
    SharesStay,
    /// What a thread has made stays its own.
    HiddenForEver,
}

impl NetFault {
    /// All of them.
    pub const ALL: &[NetFault] = &[
        NetFault::EveryStartIsOnce,
        NetFault::NobodyBreaks,
        NetFault::OwnerForEver,
        NetFault::NobodyIsWoken,
        NetFault::EveryStepIsFollowed,
        NetFault::UnknownHolds,
        NetFault::UnknownAssumeFails,
        NetFault::SectionsRaceWithNothing,
        NetFault::TwinsNeverMeet,
        NetFault::NothingStaysBeside,
        NetFault::SubsumedByLarger,
        NetFault::GivesEverything,
        NetFault::VagueWritesMissCells,
        NetFault::OverlapsAreApart,
        NetFault::LoopMakesOne,
        NetFault::UnknownExchangeFails,
        NetFault::StalePhis,
        NetFault::LoopsAreShort,
        NetFault::FirstArgumentOnly,
        NetFault::WritesChangeNothing,
        NetFault::FewValues,
        NetFault::StopsUndo,
        NetFault::SharesStay,
        NetFault::HiddenForEver,
    ];
}

impl From<NetFault> for Fault {
    fn from(fault: NetFault) -> Fault {
        Fault::Net(fault)
    }
}

/// In what nets of drivers alone have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverFault {
    /// Each entry point runs once at a time.
    OneOfEach,
    /// The kernel holds a lock around all of them.
    HeldByKernel,
    /// No file is opened later.
    NothingOpenedLater,
    /// Where ways through initialisation meet, one of them counts.
    JoinKeepsOne,
    /// Initialisation ends in one way.
    OneBeginning,
    /// Initialisation writes nothing.
    BeginsAsLoaded,
}

impl DriverFault {
    /// All of them.
    pub const ALL: &[DriverFault] = &[
        DriverFault::OneOfEach,
        DriverFault::HeldByKernel,
        DriverFault::NothingOpenedLater,
        DriverFault::JoinKeepsOne,
        DriverFault::OneBeginning,
        DriverFault::BeginsAsLoaded,
    ];
}

impl From<DriverFault> for Fault {
    fn from(fault: DriverFault) -> Fault {
        Fault::Driver(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_ends_with_its_scope() {
        let fault = NetFault::LoopMakesOne;
        let inside = with(Some(fault), || {
            let sound = with(None::<Fault>, || seeded(fault));
            let here = Here::now();
            let other = std::thread::spawn(move || {
                let before = seeded(fault);
                here.stay();
                (before, seeded(fault))
            });
            let other = other.join().expect("no panic");
            (
                seeded(fault),
                seeded(LocksetFault::LoopMakesOne),
                sound,
                other,
            )
        });
        assert_eq!(inside, (true, false, false, (false, true)));
        let _ = std::panic::catch_unwind(|| with(Some(fault), || panic!("on purpose")));
        assert!(!seeded(fault));
    }
}
