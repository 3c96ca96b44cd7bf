//! What the search of a pair may cost: its share of what an input may.

use crate::config::Options;
use crate::memory;
use crate::replay::interp::MAX_FRAMES;

/// Terms per pair: about a gigabyte.
pub(super) const MAX_TERMS: usize = 8_000_000;

/// Terms for the runs of all pairs of an input: some minutes. No run has less than `LEAST_TERMS`.
const ALL_TERMS: usize = 8_000_000;
const LEAST_TERMS: usize = 80_000;

/// What a pair may cost, of what an input may.
#[derive(Clone, Copy)]
pub struct Share {
    /// Units of the solver, for all queries; none: no bound.
    pub(super) rlimit: Option<u64>,
    /// Terms of one run.
    pub(super) terms: usize,
    /// Terms that one run may ask for, new or not.
    pub(super) lookups: u64,
}

impl Share {
    /// Where so many pairs are searched. The budgets are shared out beforehand: what one pair leaves is nobody's, or verdicts would
    /// depend on which is over first.
    pub fn of(pairs: usize, options: &Options) -> Share {
        let pairs = pairs.max(1);
        let each = (options.total_rlimit / pairs as u64).max(options.rlimit / 8);
        Share {
            lookups: u64::MAX,
            rlimit: (options.total_rlimit > 0).then_some(each),
            terms: match options.total_rlimit {
                0 => MAX_TERMS,
                _ => (ALL_TERMS / pairs).clamp(LEAST_TERMS, MAX_TERMS),
            },
        }
    }
}

/// Bytes of the stack of a thread that executes: the executor recurses with the calls of the program. Less where the addresses of
/// the process are limited.
pub fn stack_bytes() -> usize {
    let part = memory::of_process().map_or(u64::MAX, |all| all / 16);
    usize::try_from(part).unwrap_or(usize::MAX).min(1 << 30)
}

/// Bytes of the stack that a call takes, generously.
const CALL_BYTES: usize = 64 << 10;

/// Calls on the stack of such a thread, at most: a few less than the interpreter that confirms has room for.
pub(super) fn depth() -> usize {
    (stack_bytes() / CALL_BYTES).min(MAX_FRAMES - 96)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_of_many_may_cost_less() {
        let options = Options::default();
        let few = Share::of(1, &options);
        assert_eq!(few.rlimit, Some(options.total_rlimit));
        assert_eq!(few.terms, MAX_TERMS);
        let many = Share::of(100, &options);
        assert_eq!(many.rlimit, Some(options.rlimit / 8));
        let some = Share::of(10, &options);
        assert_eq!(some.rlimit, Some(options.total_rlimit / 10));
        assert_eq!(many.terms, ALL_TERMS / 100);
        let most = Share::of(100_000, &options);
        assert_eq!(most.rlimit, Some(options.rlimit / 8));
        assert_eq!(most.terms, LEAST_TERMS);
        let unbounded = Options {
            total_rlimit: 0,
            ..options
        };
        assert_eq!(Share::of(100, &unbounded).rlimit, None);
        assert_eq!(Share::of(100, &unbounded).terms, MAX_TERMS);
    }
}
