//! Which analyses run.

use clap::ValueEnum;
use irkiss::config::Tiers;

/// `--tier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TierArg {
    /// All there are.
    Auto,
    /// Locksets: proofs for any number of threads, and candidates.
    Lockset,
    /// Coverability in Petri nets: proofs for any number of threads, of whole programs.
    Coverability,
    /// KISS's sequentialization.
    Kiss,
    /// What proves: `irkiss prove`.
    #[value(skip)]
    Proofs,
}

impl From<TierArg> for Tiers {
    fn from(arg: TierArg) -> Self {
        Tiers {
            lockset: matches!(arg, TierArg::Auto | TierArg::Lockset | TierArg::Proofs),
            coverability: matches!(arg, TierArg::Auto | TierArg::Coverability | TierArg::Proofs),
            kiss: matches!(arg, TierArg::Auto | TierArg::Kiss),
        }
    }
}
