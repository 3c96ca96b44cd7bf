//! Values of options that mirror those of the library.

use clap::ValueEnum;
use irkiss::command::MAX_THREADS;
use irkiss::config::{Backend, Explore, Instrument, Marked, RaceCheck, RoundsBy, Scenario};

/// A number, or one with a suffix for thousands, millions or milliards: `500k`, `20M`, `1G`.
pub(super) fn parse_units(text: &str) -> Result<u64, String> {
    let wrong = || "give a number, or one with k, M or G: 20M".to_string();
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        Some(b'g' | b'G') => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(factor).ok_or_else(wrong)
}

/// Entry points that run beside each other.
#[derive(Clone, Debug)]
pub struct Names(pub Vec<String>);

fn parse_names(text: &str) -> Option<Names> {
    let names: Vec<String> = text.split(',').map(|n| n.trim().to_string()).collect();
    (names.len() > 1 && names.iter().all(|n| !n.is_empty())).then_some(Names(names))
}

pub(super) fn parse_pair(text: &str) -> Result<Names, String> {
    let names = parse_names(text).filter(|n| n.0.len() == 2);
    names.ok_or("give two entry points with a comma between: --pair open,write".to_string())
}

pub(super) fn parse_scenario(text: &str) -> Result<Names, String> {
    let names = parse_names(text).filter(|n| n.0.len() <= MAX_THREADS);
    names.ok_or(format!(
        "give two entry points with a comma between, or up to {MAX_THREADS}: --pair open,write"
    ))
}

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
mirror!(SolverArg for Backend {
    /// A SAT solver on single bits, then Z3 for what that leaves open.
    Auto,
    /// The SAT solver alone.
    Bits,
    /// Z3 alone.
    Z3,
    /// Each question to both; they must not disagree.
    Both,
});
mirror!(ExploreArg for Explore {
    /// Merge at joins.
    Merge,
    /// Every path by itself.
    Paths,
});
