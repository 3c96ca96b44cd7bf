//! Faults built into the tier, for tests of the tests: none is ever set but by those that must notice it.

use crate::config::DriverFault;

/// A fault: each names what is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each names what is left out")]
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
    /// One in what nets of drivers alone have.
    Driver(DriverFault),
}

impl NetFault {
    /// All of those in nets of whole programs.
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
