//! What a run has met on its way.

use rustc_hash::FxHashMap;

use crate::index::SiteId;
use crate::symex::machine::apart::Accessed;
use crate::symex::machine::guard::Guard;

use crate::symex::machine::ends::{End, Failure};

/// What a run has met on its way.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Ends of paths, with their conditions.
    pub ends: Vec<End>,
    /// Failures of the check, with their conditions.
    pub failures: Vec<Failure>,
    /// For each site and thread the conditions under which the thread was about to execute it.
    pub reached: FxHashMap<(SiteId, u32), Vec<Guard>>,
    /// Accesses written down, if that is asked for ([`crate::symex::machine::mode::CheckInputs::apart`]).
    pub accesses: Vec<Accessed>,
    /// States merged into others.
    pub merges: u64,
}
