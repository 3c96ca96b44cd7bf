//! Faults built into the analysis, for tests of the tests: none is ever set but by those that must notice it.

/// A fault: each names what is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each names what is left out")]
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
