//! Where the pairs of a run put their results, so that what is there can be read before the run is over.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fixedbitset::FixedBitSet;

use crate::concrete::Spot;
use crate::deadline::{Deadline, Stopped};
use crate::pair::{Checked, Held, Task};
use crate::verdict::{Claim, Finding, RegionResult, Verdict, Why};

/// A place for each task.
pub struct Results<'a> {
    tasks: &'a [Task],
    places: Vec<Mutex<Place>>,
}

#[derive(Default)]
struct Place {
    /// Confirmed so far.
    found: Vec<Finding>,
    /// What was decided before the search.
    proofs: Option<Checked>,
    /// What was found before it.
    early: Option<Checked>,
    /// What its threads take by themselves, in instructions, if that is known.
    cost: u64,
    /// Claims of which it has been asked whether both have anything in common, and those of which that is known.
    asked: Vec<Claim>,
    common: Vec<Claim>,
    done: Option<Checked>,
}

impl<'a> Results<'a> {
    /// Nothing is done yet.
    pub fn new(tasks: &'a [Task]) -> Self {
        Results {
            tasks,
            places: tasks.iter().map(|_| Mutex::default()).collect(),
        }
    }

    /// Task `n` has confirmed a finding.
    pub fn found(&self, n: usize, finding: &Finding) {
        self.place(n).found.push(finding.clone());
    }

    /// What is known of task `n` before it is searched.
    pub fn proofs(&self, n: usize, result: Checked) {
        self.place(n).proofs = Some(result);
    }

    /// Races of task `n` that were found before it is searched, and what its threads take by themselves.
    pub fn early(&self, n: usize, mut races: Checked, cost: u64) {
        let mut place = self.place(n);
        if let Some(before) = &place.early {
            races.add_before(before);
        }
        place.early = Some(races);
        place.cost = cost;
    }

    /// The claims of task `n` that are refuted before it is searched.
    pub fn settled(&self, n: usize) -> Vec<Claim> {
        let place = self.place(n);
        let early = place.early.iter();
        early
            .flat_map(|c| c.pair.regions.claims().cloned())
            .collect()
    }

    /// What was shown before the search that each thread of task `n` gets to.
    pub fn shown(&self, n: usize) -> Vec<FixedBitSet> {
        let place = self.place(n);
        let early = place.early.as_ref();
        early.map(|known| known.shown.clone()).unwrap_or_default()
    }

    /// The tasks, those first of which something is open, and how many these are. Of those the first are the ones of which a race is
    /// open, whatever else is asked: what else is asked of the others takes no time from races. Then the cheapest first, as far as that
    /// is known.
    pub fn open_first(&self) -> (Vec<usize>, usize) {
        let decided = |n: &usize| !self.is_open(*n, |_| true);
        let mut all: Vec<usize> = (0..self.tasks.len()).collect();
        all.sort_by_key(|n| (decided(n), !self.may_race(*n), self.place(*n).cost));
        let open = all.partition_point(|n| !decided(n));
        (all, open)
    }

    /// Whether a race of a task is not excluded before it is searched.
    pub fn may_race(&self, n: usize) -> bool {
        self.is_open(n, |claim| {
            matches!(claim, Claim::Region(_) | Claim::Threads)
        })
    }

    /// What is held back of what is known of task `n`, as far as nobody has asked about it yet.
    pub fn held(&self, n: usize) -> Vec<Held> {
        let place = self.place(n);
        let known = place.done.as_ref().or(place.proofs.as_ref());
        let held = known.map(|known| known.held.clone()).unwrap_or_default();
        let asked = |held: &Held| place.asked.contains(held.result.claim());
        held.into_iter().filter(|held| !asked(held)).collect()
    }

    /// Of task `n` it has been asked whether these claims are about something that both have in common, and of some that is so: what is
    /// held back of them is said again.
    pub fn common(&self, n: usize, asked: Vec<Claim>, common: Vec<Claim>) {
        let mut place = self.place(n);
        let Place { done, proofs, .. } = &mut *place;
        if let Some(known) = done.as_mut().or(proofs.as_mut()) {
            known.restore(&common);
        }
        place.asked.extend(asked);
        place.common.extend(common);
    }

    /// What proofs of task `n`, which is over, wait for.
    pub fn awaited(&self, n: usize) -> Vec<(Claim, Spot)> {
        let place = self.place(n);
        place
            .done
            .as_ref()
            .map(Checked::awaited)
            .unwrap_or_default()
    }

    /// The claims of task `n` that are known to be about something that both have in common.
    pub fn in_common(&self, n: usize) -> Vec<Claim> {
        self.place(n).common.clone()
    }

    /// What is held back and nobody could ask about in time is unknown for that reason.
    pub fn not_asked(&self, stopped: Stopped) {
        for n in 0..self.places.len() {
            let held = self.held(n);
            let mut place = self.place(n);
            let held = |claim: &Claim| held.iter().any(|held| held.result.claim() == claim);
            if let Some(known) = &mut place.done {
                known.pair.regions.explain(|claim, why| {
                    let open = *why == Why::NothingCommon && held(claim);
                    open.then_some(Why::Stopped(stopped))
                });
            }
        }
    }

    /// Whether a claim of that kind was not decided before the search; where nothing was, all are open.
    fn is_open(&self, n: usize, of: impl Fn(&Claim) -> bool) -> bool {
        let place = self.place(n);
        // What is held back needs no search.
        let held = |r: &RegionResult| r.why() == Some(&Why::NothingCommon);
        let open = |r: &RegionResult| r.verdict() == Verdict::Unknown && !held(r) && of(r.claim());
        let proofs = place.proofs.as_ref();
        proofs.is_none_or(|c| c.pair.regions.iter().any(open))
    }

    /// Task `n` is over.
    pub fn done(&self, n: usize, mut result: Checked) {
        let mut place = self.place(n);
        if let Some(early) = &place.early {
            result.add_before(early);
        }
        if let Some(proofs) = &place.proofs {
            keep_proofs(&mut result, proofs);
            if let Some(stopped) = result.stopped {
                add(&mut result, proofs, stopped);
            }
        }
        place.done = Some(result);
    }

    /// The claims of task `n`, which is over, that a race may still refute.
    pub fn not_refuted(&self, n: usize) -> Vec<RegionResult> {
        let place = self.place(n);
        let regions = place.done.iter().flat_map(|known| &known.pair.regions);
        let left = |r: &&RegionResult| matches!(r.verdict(), Verdict::Bounded | Verdict::Unknown);
        regions.filter(left).cloned().collect()
    }

    /// Races of task `n` that were found when it was over.
    pub fn late(&self, n: usize, races: &Checked) {
        if let Some(known) = self.place(n).done.as_mut() {
            known.add_before(races);
        }
    }

    /// The results in the order of the tasks; a task that is not over has its findings so far and is otherwise unknown,
    /// for the reason given.
    pub fn so_far(&self, stopped: Stopped) -> Vec<Checked> {
        let one = |(n, task): (usize, &Task)| {
            let place = self.place(n);
            match &place.done {
                Some(result) => result.clone(),
                None => {
                    let mut result = task.unfinished(&place.found, stopped);
                    if let Some(early) = &place.early {
                        result.add_races(early);
                    }
                    if let Some(proofs) = &place.proofs {
                        add(&mut result, proofs, stopped);
                    }
                    result
                }
            }
        };
        self.tasks.iter().enumerate().map(one).collect()
    }

    /// Changes the results in the order of the tasks, all of which are over.
    pub fn all_done(&self, change: impl FnOnce(&mut [Checked])) {
        let of = |n| self.place(n).done.clone().expect("every task is over");
        let mut all: Vec<Checked> = (0..self.tasks.len()).map(of).collect();
        change(&mut all);
        for (n, mut result) in all.into_iter().enumerate() {
            let mut place = self.place(n);
            result.restore(&place.common);
            place.done = Some(result);
        }
    }

    /// The results in the order of the tasks, all of which are over.
    pub fn results(&self) -> Vec<Checked> {
        let take = |n| self.place(n).done.take().expect("every task is over");
        (0..self.tasks.len()).map(take).collect()
    }

    /// What a panicking task left is whole: a place is written at once.
    fn place(&self, n: usize) -> MutexGuard<'_, Place> {
        self.places[n]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds what was decided before to the result of a search that was stopped. What is open still, is so since it was stopped.
fn add(result: &mut Checked, proofs: &Checked, stopped: Stopped) {
    let (pair, proofs) = (&mut result.pair, &proofs.pair);
    let why = Why::Stopped(stopped);
    // Each region is known by its name.
    let whole = |r: &RegionResult| *r.claim() == Claim::Threads && r.why() == Some(&why);
    pair.regions.retain(|r| !whole(r));
    for known in &proofs.regions {
        let proved = known.verdict() == Verdict::Proved;
        if proved {
            pair.regions.settle(known);
        }
        pair.regions.supply(match proved {
            true => known.clone(),
            false => RegionResult::unknown(known.claim().clone(), why.clone()),
        });
    }
    pair.nothing_shared = proofs.nothing_shared;
    pair.suppressed.clone_from(&proofs.suppressed);
    for (shown, before) in pair.reachable_sites.iter_mut().zip(&proofs.reachable_sites) {
        *shown = (*shown).max(*before);
    }
}

/// What is proved stays so where the search, which asks for evidence from what runs before the pair, could not show any.
fn keep_proofs(result: &mut Checked, proofs: &Checked) {
    let proved = proofs.pair.regions.iter();
    for known in proved.filter(|r| r.verdict() == Verdict::Proved) {
        result.pair.regions.settle(known);
    }
}

/// Notices once that a deadline was overrun by more than the time allowed.
pub struct Overdue {
    grace: Duration,
    state: Mutex<(Option<Instant>, bool)>,
}

impl Overdue {
    /// `grace`: how long after the deadline is too late.
    pub fn after(grace: Duration) -> Self {
        Overdue {
            grace,
            state: Mutex::default(),
        }
    }

    /// What the deadline was, the first time that this is called when it is too late. To be called often.
    pub fn now(&self, deadline: Deadline) -> Option<Stopped> {
        let stopped = deadline.passed()?;
        // What is known at the end of the work is to be the same each time: whoever is at it comes to that by himself.
        if matches!(stopped, Stopped::Work(_)) && deadline.left() != Some(Duration::ZERO) {
            return None;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, told) = &mut *state;
        let since = since.get_or_insert_with(Instant::now);
        if *told || since.elapsed() < self.grace {
            return None;
        }
        *told = true;
        Some(stopped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Tier;

    #[test]
    fn too_late_is_told_once() {
        let overdue = Overdue::after(Duration::from_millis(30));
        assert_eq!(overdue.now(Deadline::NEVER), None);
        let passed = Deadline::after(Some(0));
        assert_eq!(overdue.now(passed), None);
        std::thread::sleep(Duration::from_millis(40));
        assert_eq!(overdue.now(passed), Some(Stopped::Timeout(0)));
        assert_eq!(overdue.now(passed), None);
    }

    #[test]
    fn the_cheapest_comes_first_and_what_was_found_before_stays() {
        let tasks = [Task::whole_program(), Task::whole_program()];
        let results = Results::new(&tasks);
        let mut race = tasks[0].unfinished(&[], Stopped::Interrupted);
        let x = Claim::Region("x".into());
        race.pair.regions = [RegionResult::race(x, Tier::Kiss)].into_iter().collect();
        results.early(0, race, 7);
        assert_eq!(results.open_first(), (vec![1, 0], 2));
        assert_eq!(results.settled(0), [Claim::Region("x".into())]);
        assert!(results.settled(1).is_empty());
        let searched = tasks[0].unfinished(&[], Stopped::Interrupted);
        results.done(0, searched);
        let kept = results.so_far(Stopped::Interrupted);
        let raced = |r: &RegionResult| r.verdict() == Verdict::Race;
        assert!(kept[0].pair.regions.iter().any(raced));
    }

    #[test]
    fn where_a_race_is_open_comes_first_whatever_else_is_asked() {
        let tasks = [Task::whole_program(), Task::whole_program()];
        let results = Results::new(&tasks);
        for (n, claim) in [Claim::Deadlocks, Claim::Region("x".into())]
            .into_iter()
            .enumerate()
        {
            let mut open = tasks[n].unfinished(&[], Stopped::Interrupted);
            let nothing = RegionResult::unknown(claim, Why::Budget);
            open.pair.regions = [nothing].into_iter().collect();
            results.proofs(n, open);
        }
        assert_eq!(results.open_first(), (vec![1, 0], 2));
        assert!(results.may_race(1) && !results.may_race(0));
    }

    #[test]
    fn what_was_asked_before_the_search_is_known_when_it_is_over() {
        let tasks = [Task::whole_program()];
        let results = Results::new(&tasks);
        let claims = ["x", "y"].map(|name| Claim::Region(name.into()));
        results.common(0, claims.to_vec(), claims[..1].to_vec());
        assert_eq!(results.in_common(0), claims[..1]);
        let searched = tasks[0].unfinished(&[], Stopped::Interrupted);
        results.done(0, searched);
        assert!(results.held(0).is_empty());
    }

    #[test]
    fn what_is_not_over_keeps_its_findings() {
        let tasks = [Task::whole_program()];
        let results = Results::new(&tasks);
        let result = &results.so_far(Stopped::Interrupted)[0];
        assert_eq!(result.stopped, Some(Stopped::Interrupted));
        let why = result
            .pair
            .regions
            .iter()
            .next()
            .and_then(RegionResult::why);
        assert_eq!(why, Some(&Why::Stopped(Stopped::Interrupted)));
        results.done(0, result.clone());
        assert_eq!(results.results().len(), 1);
    }
}
