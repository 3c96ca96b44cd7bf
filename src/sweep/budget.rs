//! Budgets that deepen: what a task may cost the first night, and each night after that.

use crate::config::Options;

/// How much more the next level may cost.
pub const FACTOR: u64 = 4;

/// The deepest level unless somebody asks for another: it costs sixteen times as much as the first.
pub const DEEPEST: u32 = 2;

/// Units of work of a task on the first level ([`crate::deadline::worked`]): on usual machines ten to thirty seconds.
pub const WORK: u64 = 5_000_000;

/// Seconds after which a task on the first level is taken for one that hangs.
pub const SECONDS: u64 = 600;

/// The options of a task on a level: everything that ends a search for its cost grows alike.
pub fn at(options: &Options, level: u32) -> Options {
    let times = FACTOR.saturating_pow(level);
    Options {
        work: Some(options.work.unwrap_or(WORK).saturating_mul(times)),
        timeout: Some(options.timeout.unwrap_or(SECONDS).saturating_mul(times)),
        rlimit: options
            .rlimit
            .saturating_mul(times)
            .min(u64::from(u32::MAX)),
        total_rlimit: options.total_rlimit.saturating_mul(times),
        max_instructions: options.max_instructions.saturating_mul(times),
        // One thread: what a limit on work leaves is then the same each time.
        jobs: 1,
        ..options.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_costs_four_times_as_much() {
        let first = at(&Options::default(), 0);
        assert_eq!((first.work, first.timeout), (Some(WORK), Some(SECONDS)));
        assert_eq!(first.rlimit, Options::default().rlimit);
        let third = at(&Options::default(), 2);
        assert_eq!(third.work, Some(16 * WORK));
        assert_eq!(
            third.max_instructions,
            16 * Options::default().max_instructions
        );
        let most = at(
            &Options {
                rlimit: u64::from(u32::MAX),
                ..Options::default()
            },
            4,
        );
        assert_eq!(most.rlimit, u64::from(u32::MAX));
    }
}
