//! What a verdict may rest on: the closed list of assumptions.
//!
//! Whatever a model, the harness or a rule fixes and the real world does not (a result, a content, an order, that something never
//! fails) is an entry here, and the claim that rests on it lists it. An entry has a *code*, which scripts may rely on, and a text
//! for people.
//!
//! - [`Fixed`]: what models and the harness fix. A C model says so where it is defined: `IRKISS_ASSUMES("code")`
//!   (`runtime-stubs/include/irkiss_internal.h`); an entry of `declared.toml`: `assumes = "code"`. A claim lists what the functions fix
//!   that its threads may execute.
//! - [`Assumption`]: all of it, with what analyses take for granted.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::identity::Choice;

/// Something that a model or the harness fixes: one line for each, with its code and its text.
macro_rules! fixed {
    ($($name:ident = $code:literal: $text:literal;)*) => {
        /// What a model or the harness fixes although the real world does not.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Fixed {
            $(#[doc = $text] #[serde(rename = $code)] $name,)*
        }

        impl Fixed {
            /// Every entry.
            pub const ALL: &'static [Fixed] = &[$(Fixed::$name,)*];

            /// Its name, for scripts and in models.
            pub fn code(self) -> &'static str {
                match self { $(Fixed::$name => $code,)* }
            }

            /// One clause for people.
            pub fn text(self) -> &'static str {
                match self { $(Fixed::$name => $text,)* }
            }
        }
    };
}

fixed! {
    AllocationSucceeds = "allocation-succeeds": "memory is never used up where the result is not looked at";
    ThreadsStart = "threads-start": "threads can be created";
    LockingSucceeds = "locking-succeeds": "locks that are used as they should be can be acquired";
    NoJumpBack = "no-jump-back": "where the address of setjmp is called, nobody jumps back to it";
    ProgramArguments = "program-arguments": "a program has at most 7 arguments of up to 63 characters, and 3 variables in its environment";
    SettingsAccepted = "settings-accepted": "settings and initialisations are accepted where the result is not looked at";
    SignalHandlers = "signal-handlers": "handlers of signals run where a thread waits or raises the signal";
    WaitsComplete = "waits-complete": "sleep is not cut short where the result is not looked at";
    InitialisationOver = "initialisation-over": "pairs begin when initialisation is over; beside it, each entry point is looked at for itself (--scenario lifecycle looks at pairs)";
    OneDeviceBound = "one-device-bound": "one device of each driver is bound";
    GlibcProtects = "glibc-protects": "functions that POSIX lets share state without protection (rand, strerror, setenv and others) protect it, as glibc's do";
    ListsIntact = "lists-intact": "the kernel's checks of its lists pass";
    ScansFit = "scans-fit": "the time of a scan of values has its place behind them, where nobody else looks";
    ParametersStay = "parameters-stay": "the module's parameters stay as they are when it is loaded";
    CopiesFit = "copies-fit": "the kernel's checks of the sizes of copies pass";
    OutputFits = "output-fits": "what a file of text is given fits into its buffer";
    NamedSemaphoresNew = "named-semaphores-new": "semaphores with a name were not there before the program";
    KeyDestructorRounds = "key-destructor-rounds": "destructors of thread-specific data run in at most 4 rounds, as glibc's and musl's do";
    SortedInPart = "sorted-in-part": "of arrays of more than 32 elements few are compared and exchanged when they are sorted, of more than 16 when they are searched one by one";
    OutsideObjectsLive = "outside-objects-live": "what the kernel hands in, or makes without a model, is not freed while it is used";
    NoneUnderWay = "none-under-way": "what had begun before a device was put to sleep or reset is over when it is woken or goes on";
    PartOfWhole = "part-of-whole": "where a function of the kernel reads all of a string, an array or a bitmap, a part that its model reads stands for it";
    LastTransfer = "last-transfer": "of the transfers of a DMA channel the one that was submitted last has a callback that runs";
    BufferStays = "buffer-stays": "whether a buffer of a device of industrial I/O is on stays as it is while threads run";
    FilledIn = "filled-in": "what a function without a body stores in the driver's own structs and variables, and the driver reads and never sets, is arbitrary, or what it was given of that type";
    LibraryVersions = "library-versions": "libraries are of the versions that their models tell";
    TimersExpireTwice = "timers-expire-twice": "a timer of the program expires once each time it is set, one that repeats at most twice";
    LocksByName = "locks-by-name": "functions of other modules that are called …_lock and …_unlock acquire and release a lock of what they are given";
    SignalsCome = "signals-come": "signals that a thread waits for come";
    WeakExchangeSucceeds = "weak-exchange-succeeds": "a weak compare-and-exchange in a loop fails only where the value is another one";
    PeersInside = "peers-inside": "in a program that names sockets and connects or sends to names, nobody else does so with these names";
    UsbAnswers = "usb-answers": "what a USB device answers differs from one request to the next in its first 16 bytes, and no request ends because it is taken back";
    OutputsApart = "outputs-apart": "who has an output of a PWM chip does one thing after the other with it";
    FreedLater = "freed-later": "what kfree_rcu is given is freed when a grace period is over that its caller is held up for, or not while anybody looks";
    AnswersCome = "answers-come": "what initialisation waits for comes, though the handlers that bring it have not run";
}

impl Fixed {
    /// Whether executions go on with something that was not shown to happen: what is found on them rests on it, too. The others leave
    /// executions out.
    pub fn is_taken(self) -> bool {
        match self {
            Fixed::AnswersCome | Fixed::FilledIn => true,
            Fixed::AllocationSucceeds
            | Fixed::ThreadsStart
            | Fixed::LockingSucceeds
            | Fixed::NoJumpBack
            | Fixed::ProgramArguments
            | Fixed::SettingsAccepted
            | Fixed::SignalHandlers
            | Fixed::WaitsComplete
            | Fixed::InitialisationOver
            | Fixed::OneDeviceBound
            | Fixed::GlibcProtects
            | Fixed::ListsIntact
            | Fixed::ScansFit
            | Fixed::ParametersStay
            | Fixed::CopiesFit
            | Fixed::OutputFits
            | Fixed::NamedSemaphoresNew
            | Fixed::KeyDestructorRounds
            | Fixed::SortedInPart
            | Fixed::OutsideObjectsLive
            | Fixed::NoneUnderWay
            | Fixed::LastTransfer
            | Fixed::BufferStays
            | Fixed::LibraryVersions
            | Fixed::TimersExpireTwice
            | Fixed::LocksByName
            | Fixed::SignalsCome
            | Fixed::WeakExchangeSucceeds
            | Fixed::PeersInside
            | Fixed::UsbAnswers
            | Fixed::FreedLater
            | Fixed::OutputsApart
            | Fixed::PartOfWhole => false,
        }
    }

    /// The entry of that code.
    pub fn by_code(code: &str) -> Option<Fixed> {
        Fixed::ALL.iter().copied().find(|f| f.code() == code)
    }
}

/// What a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assumption {
    /// Executions interleave; weaker memory orders are not looked at.
    SequentialConsistency,
    /// A lock in an object protects what belongs to that object: there is one device of each kind.
    OneDevice,
    /// Pointers lead to memory of their C type, indices and lengths stay within their array.
    TypedMemory,
    /// Nobody initialises a lock again while it is held.
    LocksLive,
    /// Of a proof by locks: those that both sides hold at every access.
    BothHold(Vec<String>),
    /// Of a proof by order: handlers that are over at the other accesses (at any, if no lock proves the rest), and do not begin again.
    Over(Vec<String>, bool),
    /// Of a proof by a Petri net: no run of it gets to two conflicting accesses at once.
    NetOfAllThreads,
    /// Of a driver: its entry points run as the rules say.
    RulesOfEntryPoints,
    /// Of a search of a driver: that no call but those of initialisation, of opening and of the rules came before the threads.
    NothingElseBefore,
    /// Of a net of a driver: how many files are open.
    TwoFilesOfEachKind,
    /// What a model or the harness fixes.
    Fixed(Fixed),
    /// Of a driver's core, or one file of several: what has set everything up, that function which others call.
    SetUpBy(String),
    /// Of an object from outside: whose it is.
    Identity(Choice),
    /// Functions without a model do what the documented default says, and nothing else: their names, sorted.
    Unmodelled(Vec<String>),
    /// Callbacks that the kernel runs only inside calls of the driver's, and that no model of such a call runs: their names, sorted.
    NotCalledBack(Vec<String>),
    /// Calls through pointers of which nothing tells where they lead do what the documented default says: where they are, sorted.
    CalleesUnknown(Vec<String>),
    /// Of a program: threads that wait for each other are at most so many.
    CirclesOf(u32),
    /// Of two entry points that are kept apart for one object: each is called for its own, of which there are two.
    TwoOf(String),
}

impl Assumption {
    /// Its name, for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Assumption::SequentialConsistency => "sequential-consistency",
            Assumption::OneDevice => "one-device",
            Assumption::TypedMemory => "typed-memory",
            Assumption::LocksLive => "locks-live",
            Assumption::BothHold(_) => "both-hold",
            Assumption::Over(..) => "handler-over",
            Assumption::NetOfAllThreads => "net-of-all-threads",
            Assumption::RulesOfEntryPoints => "rules-of-entry-points",
            Assumption::NothingElseBefore => "nothing-else-before",
            Assumption::TwoFilesOfEachKind => "two-files-of-each-kind",
            Assumption::Fixed(fixed) => fixed.code(),
            Assumption::SetUpBy(_) => "set-up-by-others",
            Assumption::Identity(_) => "object-identity",
            Assumption::Unmodelled(_) => "unmodelled-calls",
            Assumption::NotCalledBack(_) => "not-called-back",
            Assumption::CalleesUnknown(_) => "callees-unknown",
            Assumption::CirclesOf(_) => "circles-of-threads",
            Assumption::TwoOf(_) => "two-of-a-kind",
        }
    }
}

/// One clause for people.
impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Assumption::SequentialConsistency => f.write_str("sequential consistency"),
            Assumption::OneDevice => f.write_str("there is one device (--strict does without)"),
            Assumption::TypedMemory => f.write_str(
                "pointers lead to memory of their C type, indices and lengths into their array (--strict does without)",
            ),
            Assumption::LocksLive => f.write_str("no lock is initialised again while it is held"),
            Assumption::BothHold(locks) => {
                let names: Vec<&str> = locks.iter().map(|l| l.trim_start_matches('@')).collect();
                write!(f, "both hold {} at every access", names.join(" or "))
            }
            Assumption::Over(handlers, any) => write!(
                f,
                "{} is over at {} other access, and does not begin again",
                handlers.join(" or "),
                if *any { "any" } else { "the" }
            ),
            Assumption::NetOfAllThreads => f.write_str(
                "no run of the Petri net of all threads gets to two conflicting accesses at once",
            ),
            Assumption::RulesOfEntryPoints => f.write_str(
                "entry points run as often, beside each other and after each other as the rules say",
            ),
            Assumption::NothingElseBefore => f.write_str(
                "before, nothing but initialisation, opening and what the rules put there: this says nothing of what other calls leave behind",
            ),
            Assumption::TwoFilesOfEachKind => f.write_str(
                "two files of each kind are open before; of one that is opened later, one call is made at a time",
            ),
            Assumption::Fixed(fixed) => f.write_str(fixed.text()),
            Assumption::SetUpBy(function) => write!(
                f,
                "{function}, which others call, has set everything up, once and successfully, before everything else"
            ),
            Assumption::Identity(choice) => choice.fmt(f),
            Assumption::Unmodelled(names) => write!(
                f,
                "functions without a model have no effect but the default's: {}",
                names.join(", ")
            ),
            Assumption::NotCalledBack(names) => write!(
                f,
                "callbacks that run only inside calls of the kernel's are not executed: {}",
                names.join(", ")
            ),
            Assumption::CirclesOf(n) => write!(
                f,
                "no more than {n} threads wait for each other (a larger --ts looks for more)"
            ),
            Assumption::TwoOf(object) => write!(
                f,
                "there are two of {object}, and each of the two threads is about its own (for one they are kept apart)"
            ),
            Assumption::CalleesUnknown(calls) => write!(
                f,
                "calls through pointers of which nothing tells where they lead have no effect: {}",
                calls.join(", ")
            ),
        }
    }
}

/// In reports for scripts: the code, a colon, the text.
impl Serialize for Assumption {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}: {self}", self.code()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::identity::{ChoiceKind, FromOutside};

    #[test]
    fn codes_are_names_and_differ() {
        let others = [
            Assumption::SequentialConsistency,
            Assumption::OneDevice,
            Assumption::TypedMemory,
            Assumption::LocksLive,
            Assumption::BothHold(Vec::new()),
            Assumption::Over(Vec::new(), false),
            Assumption::NetOfAllThreads,
            Assumption::RulesOfEntryPoints,
            Assumption::NothingElseBefore,
            Assumption::TwoFilesOfEachKind,
            Assumption::SetUpBy(String::new()),
            Assumption::Identity(Choice {
                kind: ChoiceKind::Private,
                object: String::new(),
                what: FromOutside::Result(String::new()),
                from: None,
                by: String::new(),
            }),
            Assumption::Unmodelled(Vec::new()),
            Assumption::NotCalledBack(Vec::new()),
            Assumption::CalleesUnknown(Vec::new()),
            Assumption::CirclesOf(0),
            Assumption::TwoOf(String::new()),
        ];
        let fixed = Fixed::ALL.iter().copied().map(Assumption::Fixed);
        let mut seen = BTreeSet::new();
        for assumption in others.into_iter().chain(fixed) {
            let code = assumption.code();
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(code.chars().all(plain), "{code}");
            assert!(seen.insert(code), "{code} twice");
        }
        for fixed in Fixed::ALL {
            assert_eq!(Fixed::by_code(fixed.code()), Some(*fixed));
        }
    }
}
