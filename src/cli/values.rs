//! Values of options that mirror those of the library.

use clap::ValueEnum;
use irkiss::config::{Explore, Instrument, Marked, RaceCheck, RoundsBy, Scenario};

/// Defines a command-line form of an option's type, so that `config` stays free of the command line.
macro_rules! mirror {
    ($name:ident for $target:ident { $($(#[$doc:meta])* $variant:ident),* $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        #[doc = concat!("[`", stringify!($target), "`] on the command line.")]
        pub enum $name { $($(#[$doc])* $variant),* }
        impl From<$name> for $target {
            fn from(arg: $name) -> Self {
                match arg { $($name::$variant => $target::$variant),* }
            }
        }
    };
}

mirror!(ScenarioArg for Scenario {
    /// Pairs start on the state that initialisation leaves.
    Steady,
    /// From module_init on.
    Lifecycle,
});
mirror!(RaceCheckArg for RaceCheck {
    /// Enabled at once, whatever is stored.
    Adjacent,
    /// Their order shows.
    Value,
});
mirror!(MarkedArg for Marked {
    /// Volatile and atomic accesses.
    Kcsan,
    /// These, and plain aligned writes of up to a word (KCSAN's default).
    KcsanDefault,
    /// Atomic accesses alone.
    C11,
});
mirror!(InstrumentArg for Instrument {
    /// Before what other threads can see.
    Visible,
    /// Before every instruction.
    Every,
});
mirror!(RoundsArg for RoundsBy {
    /// In the order in which contexts happen.
    Lazy,
    /// Thread by thread, on stores that are guessed.
    Eager,
});
mirror!(ExploreArg for Explore {
    /// Merge at joins.
    Merge,
    /// Every path by itself.
    Paths,
});
