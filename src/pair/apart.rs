//! Each thread by itself, once for all pairs that begin in the same state, and what two of them do put together: the races that need
//! neither to see what the other does, which are most.
//!
//! Of a pair the search proper executes both threads, each interrupted by the other, and is asked in a store of terms of its own. Here
//! an entry point is executed once as the first thread and once as the second, all in one store and asked of one incremental solver; a
//! race is then one question: both get to their accesses, of the same bytes, and no lock is held by both. What is found is replayed as
//! ever; what is not found says nothing, and is left to the search of the pair.
//!
//! Pairs before which something else runs begin elsewhere ([`super::prologue`]): each such state has a session of its own. What a session
//! answers depends on nothing but its pairs and their order, so sessions may run beside each other.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::caveats::Described;
use super::common::{self, Held, Place};
use super::ledger::Ledger;
use super::open::Open;
use super::query::{self, Questions, Said};
use super::task::NOBODY;
use super::{Checked, Shared, Task, limits};
use crate::analysis::plan::{PairPlan, PlannedRegion};
use crate::expr::Term;
use crate::index::{EntryId, FuncId, Idx, SiteId};
use crate::solver::{self, Budget, SharedBudget};
use crate::symex::machine::mode::{CheckInputs, Limits, Mode};
use crate::symex::machine::state::State;
use crate::symex::witness::apart::{Most, Side};
use crate::symex::witness::checker::Checker;
use crate::trace::schedule::ThreadNumber;
use crate::verdict::{Claim, Finding, Tier};

/// Fewer pairs are searched at once, each for itself: that takes no longer.
const FEW: usize = 12;

/// What one thread by itself may take: instructions, and terms.
const INSTRUCTIONS: u64 = 100_000;
const TERMS: usize = 400_000;

/// Units of the solver for one question, and for all of one pair.
const RLIMIT: u64 = 400_000;
const RLIMIT_OF_PAIR: u64 = 800_000;

/// Pairs of accesses of one region, and of one pair of threads, that are looked at.
const MEETINGS: usize = 4_000;
const MEETINGS_OF_PAIR: usize = 16_000;

/// Questions whether two threads have anything in common, of one region and of one pair.
const QUESTIONS: usize = 6;
const QUESTIONS_OF_PAIR: usize = 60;

/// Units of the solver for these questions of one pair.
const RLIMIT_OF_COMMON: u64 = 200_000;

/// What is asked of a pair.
#[derive(Clone)]
pub struct Asked<'a> {
    /// Its number.
    pub n: usize,
    pub task: &'a Task,
    /// Whether it is looked for races.
    pub races: bool,
    /// The claims of which it is asked whether both have anything in common, beside those that are open.
    pub held: Vec<Held>,
}

/// The pairs that are put together so, by the state that they begin in.
pub fn sessions<'a>(shared: &Shared<'_, '_>, mut asked: Vec<Asked<'a>>) -> Vec<Vec<Asked<'a>>> {
    if !(shared.searches() && shared.puts_together()) {
        return Vec::new();
    }
    let few = asked.iter().filter(|one| one.races).count() < FEW;
    for one in &mut asked {
        let one_object = one.task.takes_two().is_none();
        one.races &= !few && one_object && Described::of(shared, one.task).fully();
    }
    let mut sessions: Vec<(Vec<u32>, Vec<Asked<'a>>)> = Vec::new();
    for one in asked {
        if one.task.two().is_none() || !one.task.in_steady() || !one.races && one.held.is_empty() {
            continue;
        }
        let begins = shared
            .start
            .begins(&shared.start.numbers(one.task.numbers()));
        match sessions.iter_mut().find(|(other, _)| *other == begins) {
            Some((_, all)) => all.push(one),
            None => sessions.push((begins, vec![one])),
        }
    }
    sessions.into_iter().map(|(_, asked)| asked).collect()
}

/// What of a task is refuted already.
pub type Settled<'a> = &'a (dyn Fn(usize) -> Vec<Claim> + Sync);

/// Where a session tells what it finds out, by the number of the task.
pub struct Told<'a> {
    /// What was found of a pair, as soon as it is known, and the instructions that its threads take by themselves.
    pub races: &'a (dyn Fn(usize, Checked, u64) + Sync),
    /// Each finding.
    pub found: &'a (dyn Fn(usize, &Finding) + Sync),
    /// Claims of which it was asked whether they are about something that both have in common, and those of them that are.
    pub common: &'a (dyn Fn(usize, Vec<Claim>, Vec<Claim>) + Sync),
}

/// Asks for all pairs that begin in one state, for what is not `settled`.
pub fn session(
    shared: &Shared<'_, '_>,
    (asked, settled): (&[Asked<'_>], Settled<'_>),
    told: &Told<'_>,
) {
    let mut session: Option<Session<'_>> = None;
    for Asked {
        n,
        task,
        races,
        held,
    } in asked
    {
        let ignored = |_: Finding| {};
        let settled = settled(*n);
        let shared = &Shared {
            settled: &settled,
            ..*shared
        };
        let plan = races.then(|| Open::new(shared, task, &ignored).plan);
        let plan = plan.filter(|plan| !plan.regions.is_empty());
        if plan.is_none() && held.is_empty() || shared.deadline.passed().is_some() {
            continue;
        }
        if session.is_none() {
            session = Session::begin(shared, task);
        }
        let Some(session) = &mut session else { return };
        // What a search will say of what is open is not known yet; of what is found here nobody asks.
        let mut places: Vec<Place> = held.iter().map(Held::place).collect();
        if let Some(plan) = &plan {
            places.extend(common::places(plan, &[]));
        }
        let findings = RefCell::new(Vec::new());
        let keep = |finding: Finding| {
            (told.found)(*n, &finding);
            findings.borrow_mut().push(finding);
        };
        if let Some(plan) = plan {
            let ledger = session.pair(shared, task, &plan, &keep);
            places.retain(|place| !ledger.regions.has(&place.claim));
            let mut checked = task.result(ledger);
            checked.findings = findings.take();
            (told.races)(*n, checked, session.cost(task));
        }
        if !places.is_empty() {
            let common = session.common(shared, task, &places);
            let asked = places.into_iter().map(|place| place.claim);
            (told.common)(*n, asked.collect(), common);
        }
    }
}

/// The threads of pairs that begin in one state, each executed once as the first and once as the second.
struct Session<'p> {
    checker: Checker<'p>,
    start: State,
    function: FuncId,
    /// What all are paid from, filled anew for each pair.
    purse: SharedBudget,
    sides: BTreeMap<(EntryId, ThreadNumber), Option<Side>>,
    /// Which conditions may hold, as far as that was asked for evidence.
    may_hold: FxHashMap<Term, bool>,
}

impl<'p> Session<'p> {
    /// `None`: there is no such state, or it is not known within the limits.
    fn begin(shared: &Shared<'_, 'p>, task: &Task) -> Option<Session<'p>> {
        let closed = shared.closed;
        let state = shared.start.begin(closed, &task.sides()).ok()?;
        let inputs = inputs(shared, task.numbers(), None);
        let (mut run, start, mut script) =
            shared.start.warmed(state, &inputs, shared.limits_before());
        // Otherwise each thread would begin after what runs before itself alone.
        let warm_up = closed.sequential.harness.warm_up;
        if warm_up.is_some_and(|f| !script.contains(&f)) {
            return None;
        }
        let function = closed.sequential.check_start(true)?;
        script.push(function);
        run.set_mode(Mode::Merge);
        let purse = SharedBudget::of(0);
        let budget = Budget {
            query: shared.options.rlimit.min(RLIMIT),
            purse: Some(purse.clone()),
        };
        let solver = solver::quick(shared.options.solver, budget, shared.deadline);
        // A model's execution takes no more than that of all executions.
        let all = limits(shared.options, shared.deadline);
        let limits = Limits {
            instructions: (run.instructions() + INSTRUCTIONS).min(all.instructions),
            ..all
        };
        Some(Session {
            checker: Checker::new(run, solver, script, inputs, limits, true),
            start,
            function,
            purse,
            sides: BTreeMap::new(),
            may_hold: FxHashMap::default(),
        })
    }

    /// The races of one pair.
    fn pair(
        &mut self,
        shared: &Shared<'_, '_>,
        task: &Task,
        plan: &PairPlan,
        found: &dyn Fn(Finding),
    ) -> Ledger {
        let mut ledger = Ledger::by(Tier::Kiss);
        let Some((a, b)) = task.two() else {
            return ledger;
        };
        let before = self.checker.solver_stats();
        self.execute(shared, a, 0);
        self.execute(shared, b, 1);
        let mut most = MEETINGS_OF_PAIR;
        let asked: Vec<(Claim, Questions)> = plan
            .regions
            .iter()
            .map(|region| {
                let candidates = self.candidates((a, b), region, &mut most);
                let mut questions = Questions::new();
                if !candidates.is_empty() {
                    questions.insert(None, candidates);
                }
                (Claim::Region(region.name.clone()), questions)
            })
            .collect();
        self.purse.fill(RLIMIT_OF_PAIR);
        self.checker
            .put_together(inputs(shared, task.numbers(), None));
        let of_plan = |place: &str| plan.regions.iter().any(|r| r.name.has(place));
        // That one thread has seen what the other did is no bug.
        let mut not_replayed = 0;
        let checker = &mut self.checker;
        let said = query::all(&mut not_replayed, checker, shared, asked, &of_plan, found);
        for (claim, said) in said {
            if let Said::Race = said {
                ledger.refuted(&claim);
            }
        }
        ledger.count("apart: pairs", 1);
        ledger.count("apart: races", ledger.regions.len() as u64);
        ledger.count(
            "apart: interleavings that do not replay",
            not_replayed.into(),
        );
        let queries = self.checker.solver_stats().queries - before.queries;
        ledger.count("apart: queries", queries);
        ledger
    }

    /// Those of the claims that are about something that both threads have in common, as far as each by itself shows it.
    fn common(&mut self, shared: &Shared<'_, '_>, task: &Task, places: &[Place]) -> Vec<Claim> {
        let Some((a, b)) = task.two() else {
            return Vec::new();
        };
        self.execute(shared, a, 0);
        self.execute(shared, b, 1);
        self.purse.fill(RLIMIT_OF_COMMON);
        let side = |n| self.sides.get(&n).and_then(Option::as_ref);
        let (Some(first), Some(second)) = (side((a, 0)), side((b, 1))) else {
            return Vec::new();
        };
        let (mut meetings, mut questions) = (MEETINGS_OF_PAIR, QUESTIONS_OF_PAIR);
        let (checker, start, known) = (&mut self.checker, &self.start, &mut self.may_hold);
        let mut shown = |place: &&Place| {
            let mut most = Most {
                meetings: MEETINGS.min(meetings),
                questions: QUESTIONS.min(questions),
                known: std::mem::take(known),
            };
            let before = (most.meetings, most.questions);
            let [xs, ys] = &place.spot.sites;
            let mut pairs = xs.iter().flat_map(|x| ys.iter().map(|y| [*x, *y]));
            let sides = [first, second];
            let common = pairs.any(|sites| {
                checker.both_touch(sides, sites, (start, place.spot.same_bytes), &mut most)
            });
            meetings -= before.0 - most.meetings;
            questions -= before.1 - most.questions;
            *known = most.known;
            common
        };
        let common = places.iter().filter(|place| shown(place));
        common.map(|place| place.claim.clone()).collect()
    }

    /// The instructions that both threads take by themselves.
    fn cost(&self, task: &Task) -> u64 {
        let both = task.entries().iter().zip(0..);
        let sides = both.filter_map(|(entry, thread)| self.sides.get(&(*entry, thread)));
        sides.flatten().map(|side| side.instructions).sum()
    }

    /// What an entry point does as that thread.
    fn execute(&mut self, shared: &Shared<'_, '_>, entry: EntryId, thread: ThreadNumber) {
        let key = (entry, thread);
        if self.sides.contains_key(&key) {
            return;
        }
        let own = entry.index() as u32;
        let numbers = match thread {
            0 => vec![own, NOBODY, 0],
            _ => vec![NOBODY, own, 0],
        };
        let run = self.checker.run();
        let all = limits(shared.options, shared.deadline);
        let limits = Limits {
            instructions: (run.instructions() + INSTRUCTIONS).min(all.instructions),
            terms: (run.terms.len() + TERMS).min(all.terms),
            ..all
        };
        let inputs = inputs(shared, numbers, Some(thread));
        let start = (self.function, &self.start);
        let side = self.checker.side(start, inputs, limits);
        self.sides.insert(key, side);
    }

    /// The accesses of a region at which two threads may meet, and when.
    fn candidates(
        &mut self,
        (a, b): (EntryId, EntryId),
        region: &PlannedRegion,
        most: &mut usize,
    ) -> Vec<(SiteId, SiteId, Term)> {
        let side = |n| self.sides.get(&n).and_then(Option::as_ref);
        let (Some(first), Some(second)) = (side((a, 0)), side((b, 1))) else {
            return Vec::new();
        };
        let mut left = MEETINGS.min(*most);
        let before = left;
        let mut candidates = Vec::new();
        for x in &region.sites_a {
            for y in &region.sites_b {
                let meet = self
                    .checker
                    .meetings([first, second], [*x, *y], &self.start, &mut left);
                if !self.checker.run().terms.is_false(meet) {
                    candidates.push((*x, *y, meet));
                }
            }
        }
        *most -= before - left;
        candidates
    }
}

/// What such a run is told: of which entry points, and which thread of them is executed alone.
fn inputs(shared: &Shared<'_, '_>, numbers: Vec<u32>, apart: Option<ThreadNumber>) -> CheckInputs {
    let none = FixedBitSet::with_capacity(shared.closed.concurrent.sites.len());
    CheckInputs {
        pair: shared.start.numbers(numbers),
        enabled: none.clone(),
        checked: none,
        // Whoever is started runs at once.
        ts_max: 0,
        use_after_free: false,
        apart,
        ..CheckInputs::default()
    }
}
