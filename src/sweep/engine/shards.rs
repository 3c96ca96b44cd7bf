//! What is open, shared out: shards that take about as long as asked for.

use super::Open;

/// Shards at most: a job array of Slurm has no more unless its administrator says so (`MaxArraySize`, 1001).
const MOST: usize = 1000;

/// The numbers of the tasks of each shard. What has no result yet comes before what a deeper level may decide; in each shard the dearest
/// comes first. `target`: milliseconds of the processor for each.
pub fn of(open: &[Open], left: &[usize], target: f64) -> Vec<Vec<usize>> {
    let cost = |list: &[usize]| list.iter().map(|n| open[*n].guess).sum::<f64>();
    // One of each kind may be cut short.
    let target = target.max(cost(left) / (MOST - 2) as f64).max(1.0);
    let mut shards = Vec::new();
    for deeper in [false, true] {
        let of_kind = left.iter().copied().filter(|n| open[*n].deeper == deeper);
        let mut list: Vec<usize> = of_kind.collect();
        list.sort_by(|a, b| open[*b].guess.total_cmp(&open[*a].guess));
        let parts = ((cost(&list) / target).ceil() as usize).clamp(1, list.len().max(1));
        let mut own = vec![(0.0_f64, Vec::new()); parts];
        for n in list {
            let least = own.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((cost, shard)) = least {
                *cost += open[n].guess;
                shard.push(n);
            }
        }
        shards.extend(own.into_iter().map(|(_, s)| s).filter(|s| !s.is_empty()));
    }
    shards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::task::{Planned, Task};

    fn open(guesses: &[f64], deeper: bool) -> Vec<Open> {
        let task = Task {
            name: "x".to_string(),
            files: Vec::new(),
            problem: None,
            call: None,
        };
        let one = |guess: &f64| Open {
            planned: Planned {
                task: task.clone(),
                key: "k".to_string(),
                level: 0,
            },
            guess: *guess,
            deeper,
        };
        guesses.iter().map(one).collect()
    }

    #[test]
    fn each_task_is_in_one_shard_and_they_take_about_as_long_as_asked_for() {
        let mut all = open(&[50.0; 30], false);
        all.extend(open(&[400.0, 5.0, 3.0], false));
        all.extend(open(&[100.0; 4], true));
        let left: Vec<usize> = (0..all.len()).filter(|n| *n != 7).collect();
        let shards = of(&all, &left, 300.0);
        let mut seen: Vec<usize> = shards.iter().flatten().copied().collect();
        seen.sort_unstable();
        assert_eq!(seen, left);
        assert_eq!(shards.len(), 7 + 2);
        assert_eq!(shards[0], [30]);
        assert!(shards[..7].iter().flatten().all(|n| !all[*n].deeper));
        for shard in &shards[1..] {
            let cost: f64 = shard.iter().map(|n| all[*n].guess).sum();
            assert!((100.0..=350.0).contains(&cost), "{shard:?}: {cost}");
        }
        assert!(of(&all, &[], 300.0).is_empty());
    }

    #[test]
    fn there_are_not_more_than_a_job_array_may_have() {
        let all = open(&[70.0; 5000], false);
        let left: Vec<usize> = (0..all.len()).collect();
        assert!(of(&all, &left, 1.0).len() <= MOST);
        assert_eq!(of(&all, &left, f64::MAX).len(), 1);
    }
}
