//! Where the searches interrupt threads, and fewer of these places than there are (`--switch-points`).

use fixedbitset::FixedBitSet;

use super::{Open, Stage};
use crate::index::{Idx, SiteId};
use crate::pair::queries;
use crate::program::SiteKind;
use crate::property::Property;

/// Decides nothing: prepares for the searches.
pub(super) struct SwitchPoints;

impl Stage for SwitchPoints {
    fn applies(&self, _open: &Open<'_, '_>) -> bool {
        true
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        let program = &open.shared.closed.concurrent;
        let options = open.shared.options;
        let plan = &mut open.plan;
        if options.asks(Property::Uaf) && queries::any(program, plan, SiteKind::Free) {
            // Any access may be the one that comes too late.
            plan.enabled.union_with(&plan.reachable());
        }
        if options.asks(Property::Deadlock) {
            // An interrupt may come anywhere while a lock is held: before each section is often enough, since handlers that could wait
            // for the lock do nothing else with what it protects.
            let all = plan.reachable();
            let begins = |s: &usize| program.sites[SiteId::new(*s)].kind == SiteKind::AtomicBegin;
            let begins: FixedBitSet = all.ones().filter(begins).collect();
            plan.enabled.union_with(&begins);
        }
        if options.switch_points < 100 {
            thin(&mut plan.enabled, options.switch_points);
        }
        open.isolated = open.shared.isolated.of(open.shared, open.task, &open.plan);
    }
}

/// Leaves so many of a hundred, the same ones in every run; more contain fewer.
fn thin(points: &mut FixedBitSet, percent: u32) {
    // The golden ratio spreads what is near by (Knuth, The Art of Computer Programming, 6.4).
    let spread = |site: usize| (site as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let stays = |site: &usize| spread(*site) % 100 < u64::from(percent);
    let left: Vec<usize> = points.ones().filter(stays).collect();
    points.clear();
    points.extend(left);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switch_points_left_out_are_so_many_and_stay_out() {
        let all: FixedBitSet = (0..10_000).collect();
        let left = |percent| {
            let mut points = all.clone();
            thin(&mut points, percent);
            points
        };
        assert_eq!(left(0).count_ones(..), 0);
        let mut more = all.clone();
        for percent in [80, 60, 40, 20] {
            let points = left(percent);
            assert!(points.is_subset(&more), "{percent}");
            let share = points.count_ones(..).abs_diff(percent as usize * 100);
            assert!(share < 100, "{percent}: {share} of 10,000 too many or few");
            more = points;
        }
    }
}
