//! What queries may cost, in Z3's resource units: each by itself, and many together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::deadline;

/// Why nothing more is asked.
const SPENT: &str = "solver: budget of all queries of the pair used up (--total-rlimit)";

/// What is left for many queries, of one solver or several.
#[derive(Clone, Debug)]
pub struct SharedBudget(Arc<AtomicU64>);

impl SharedBudget {
    /// With so many units in it.
    pub fn of(units: u64) -> SharedBudget {
        SharedBudget(Arc::new(AtomicU64::new(units)))
    }

    /// What is left.
    pub fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// From now on so many units are in it.
    pub fn fill(&self, units: u64) {
        self.0.store(units, Ordering::Relaxed);
    }

    pub(super) fn spend(&self, units: u64) {
        // One thread works on a pair: nobody spends meanwhile.
        let left = self.left().saturating_sub(units);
        self.0.store(left, Ordering::Relaxed);
    }
}

/// The budget of a solver.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Units of one query; 0: no bound.
    pub query: u64,
    /// What all its queries are paid from; none: no bound.
    pub purse: Option<SharedBudget>,
}

impl From<u64> for Budget {
    fn from(query: u64) -> Self {
        Budget { query, purse: None }
    }
}

impl Budget {
    /// What a query took.
    pub(super) fn spend(&self, units: u64) {
        deadline::worked(units / deadline::RLIMIT_OF_A_UNIT);
        if let Some(purse) = &self.purse {
            purse.spend(units);
        }
    }

    /// Of the next query.
    ///
    /// # Errors
    /// Nothing is left.
    pub(super) fn of_next(&self) -> Result<u64, String> {
        let of_purse = self.purse.as_ref().map(SharedBudget::left);
        if of_purse == Some(0) {
            return Err(SPENT.to_owned());
        }
        // A query that takes all of it comes to the limit on work.
        let of_run =
            deadline::work_left().map(|n| (n + 1).saturating_mul(deadline::RLIMIT_OF_A_UNIT));
        let own = (self.query > 0).then_some(self.query);
        let bounds = [own, of_purse, of_run].into_iter().flatten();
        Ok(bounds.min().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_gone_for_all() {
        let purse = SharedBudget::of(10);
        let budget = |query| Budget {
            query,
            purse: Some(purse.clone()),
        };
        assert_eq!(budget(4).of_next(), Ok(4));
        assert_eq!(budget(0).of_next(), Ok(10));
        purse.spend(7);
        assert_eq!(budget(4).of_next(), Ok(3));
        purse.spend(7);
        assert!(budget(4).of_next().is_err());
        assert_eq!(Budget::from(0).of_next(), Ok(0));
    }
}
