//! Fewer switch points than there are (`--switch-points`).

use fixedbitset::FixedBitSet;

/// Leaves so many of a hundred, the same ones in every run; more contain fewer.
pub(super) fn thin(points: &mut FixedBitSet, percent: u32) {
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
