//! Executions in rounds with as few fields as it takes: figure 3 of Lahiri, Qadeer, Rakamarić: Static and precise detection of
//! concurrency errors in systems code using SMT solvers (CAV 2009).
//!
//! What is impossible where untracked fields hold anything is impossible. What is possible there is executed again with everything
//! tracked; if it happens, it is a finding like any other, which the interpreter confirms. If not, the field that made the
//! difference is tracked from then on, and the search begins again for what is still open. What a few such steps do not decide
//! is searched with all fields.
//!
//! Deviation from the paper: it finds the fields by trying each on the one trace; here they are read off the execution.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::evidence::{self, Reach};
use super::ledger::Ledger;
use super::queries;
use super::queries::Aim;
use super::run::{Search, run};
use super::{Checked, Shared, Task, asked_for, isolated};
use crate::analysis::fields::{FieldId, Fields, Slice};
use crate::analysis::plan::{Birth, PairPlan, Planner};
use crate::config::{Options, RaceCheck, Rounds, Track};
use crate::frontend::Closed;
use crate::index::{BlockId, FuncId};
use crate::program::SiteKind;
use crate::property::{Properties, Property};
use crate::symex::memory::untracked::{Left, Slicing};
use crate::verdict::{Claim, Finding, RegionResult, Tier, Verdict, Why};

/// The count of searches, for `--stats`.
const SEARCHES: &str = "slicing: searches";

/// Searches before all fields are tracked.
const STEPS: usize = 8;

/// How often loops are gone round to show that something is got to.
const ROUND_LOOPS: u32 = 16;

/// The part of the budget of a query that a search has where some fields are not tracked, and where each thread runs by itself.
const SLICED_SHARE: u64 = 2;
const APART_SHARE: u64 = 8;

/// Searches executions in rounds, for all regions but those in `skip`.
pub(super) fn rounds(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    isolated: Option<&Reach>,
    skip: &[Claim],
    found: &dyn Fn(Finding),
) -> Ledger {
    let mut answers = search(shared, task, plan, isolated, skip, found);
    // What is known of each thread by itself holds for any bounds; what they get to together does not.
    if isolated.is_none() && begin(shared, task).is_some() {
        within_bounds(shared, task, plan, &mut answers);
    }
    answers
}

/// What is impossible within the bounds is nothing that was checked, where these cut every execution that gets there: with everything
/// followed, for what is not followed holds anything. Loops that were left out may go round more often than those that are followed.
fn within_bounds(shared: &Shared<'_, '_>, task: &Task, plan: &PairPlan, answers: &mut Ledger) {
    let bounded = |r: &RegionResult| r.verdict() == Verdict::Bounded;
    if !answers.regions.iter().any(bounded) {
        return;
    }
    let program = &shared.closed.concurrent;
    let wide = Options {
        unwind: shared.options.unwind.max(ROUND_LOOPS),
        ..shared.options.clone()
    };
    let shared = &Shared {
        options: &wide,
        ..*shared
    };
    let (ts, rounds) = (task.ts(shared.options), Some(shared.options.rounds()));
    let executed = isolated::executed(
        shared,
        task,
        &plan.enabled,
        (ts, rounds),
        (shared.solver(shared.options.rlimit), None),
    );
    let known = executed.map(|mut checker| {
        let user = evidence::users(program, plan.sides.iter().flat_map(FixedBitSet::ones));
        let reach = evidence::reach(&mut checker, program, plan, &user, false);
        (reach, checker.bounds_met())
    });
    let all = match (shared.deadline.passed(), &known) {
        (Some(stopped), _) => Some(Why::Stopped(stopped)),
        (None, None) => Some(Why::BoundsNotShown),
        (None, Some((reach, _))) => evidence::nowhere(program, plan, reach, &task.sides()),
    };
    answers.regions.take_back(|region| {
        let of_plan = queries::region(plan, region.claim());
        let beyond = || {
            let (reach, cut) = known.as_ref()?;
            let sites = [&of_plan?.sites_a[..], &of_plan?.sites_b];
            let lacking = evidence::not_reached((program, plan), sites, reach, &task.sides());
            lacking.filter(|_| *cut).map(|_| Why::BeyondBounds)
        };
        let why = || all.clone().or_else(beyond);
        bounded(region).then(why).flatten()
    });
    if let Some((reach, _)) = known {
        match &mut answers.reach {
            Some(all) => all.add(&reach),
            none => *none = Some(reach),
        }
    }
}

fn search(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    isolated: Option<&Reach>,
    skip: &[Claim],
    found: &dyn Fn(Finding),
) -> Ledger {
    let whole = |skip: &[Claim]| {
        let search = Search::of(Tier::Contexts, Some(shared.options.rounds()), skip);
        run(shared, task, plan, isolated, &search, found)
    };
    let program = &shared.closed.concurrent;
    let Some((fields, mut tracked)) = begin(shared, task) else {
        return whole(skip);
    };
    let mut asked = queries::claims(shared, plan);
    asked.retain(|claim| !skip.contains(claim));
    let evidence = isolated
        .cloned()
        .or_else(|| isolated::together(shared, task, plan, &[]));
    let Some(evidence) = evidence.filter(|e| {
        !asked.is_empty() && evidence::nowhere(program, plan, e, &task.sides()).is_none()
    }) else {
        return whole(skip);
    };
    let mut decided = Ledger::by(Tier::Contexts);
    let by_hand = tracked.clone();
    let mut followed = BTreeSet::new();
    let mut skip = skip.to_vec();
    let first = Cheaper {
        shared,
        task,
        plan,
        fields,
        evidence: &evidence,
        found,
    };
    first.earlier(&mut asked, &mut skip, &mut decided);
    if asked.is_empty() {
        return decided;
    }
    for _ in 0..STEPS {
        let Some(slice) = fields.slice(program, plan, &tracked) else {
            break;
        };
        let points = plan.enabled.count_ones(..) - slice.enabled.count_ones(..);
        let (of, tracking) = (slice.fields as u64, slice.tracked as u64);
        let mut answers = first.sliced(slice, followed.clone(), &skip);
        let stopped = shared.deadline.passed().is_some();
        asked.retain(|claim| !answers.regions.has(claim));
        skip.extend(answers.regions.claims().cloned());
        let misled = std::mem::take(&mut answers.misled);
        decided.add(answers);
        if asked.is_empty() || stopped {
            decided.count("slicing: fields", of);
            decided.count("slicing: fields tracked", tracking);
            decided.matter.extend(tracked.difference(&by_hand));
            decided.count("slicing: switch points left out", points as u64);
            return decided;
        }
        let before = (tracked.len(), followed.len());
        for left in misled {
            match left {
                Left::Access(site) => tracked.extend(fields.of_site(site)),
                Left::Quiet(function, header) => {
                    followed.insert((function, header));
                }
            }
        }
        if (tracked.len(), followed.len()) == before {
            break;
        }
    }
    decided.matter.extend(tracked.difference(&by_hand));
    decided.count("slicing: given up", 1);
    decided.add(whole(&skip));
    decided
}

/// Searches that cost less than the whole one, and decide some regions.
struct Cheaper<'a, 'p> {
    shared: &'a Shared<'a, 'p>,
    task: &'a Task,
    plan: &'a PairPlan,
    fields: &'a Fields,
    evidence: &'a Reach,
    found: &'a dyn Fn(Finding),
}

impl Cheaper<'_, '_> {
    /// What goes before the loop. What it decides is asked for no more.
    fn earlier(&self, asked: &mut Vec<Claim>, skip: &mut Vec<Claim>, decided: &mut Ledger) {
        for search in [Cheaper::thread_modular, Cheaper::one_round] {
            if asked.is_empty() || self.shared.options.track != Track::Auto {
                break;
            }
            let Some(answers) = search(self, skip) else {
                continue;
            };
            asked.retain(|claim| !answers.regions.has(claim));
            skip.extend(answers.regions.claims().cloned());
            decided.add(answers);
        }
    }

    /// One step of the loop: with these fields, and the loops and calls that are to be `followed`. What it settles, or, where time is over,
    /// what it knows.
    fn sliced(
        &self,
        slice: Slice,
        followed: BTreeSet<(FuncId, Option<BlockId>)>,
        skip: &[Claim],
    ) -> Ledger {
        let shared = self.shared;
        let search = Search {
            tier: Tier::Contexts,
            rounds: Some(shared.options.rounds()),
            skip,
            slicing: Some(Arc::new(Slicing {
                untracked: slice.untracked,
                stored: None,
                followed,
            })),
            share: Some(SLICED_SHARE),
            further_arguments: None,
            aim: Aim::Verdicts,
        };
        let left = PairPlan {
            enabled: slice.enabled,
            ..self.plan.clone()
        };
        let evidence = Some(self.evidence);
        let mut answers = run(shared, self.task, &left, evidence, &search, self.found);
        answers.count(SEARCHES, 1);
        let settled = |v| matches!(v, Verdict::Race | Verdict::Bounded);
        let stopped = shared.deadline.passed().is_some();
        answers.regions.retain(|r| stopped || settled(r.verdict()));
        answers
    }

    /// Each thread by itself ([`crate::symex::memory::untracked::Slicing::stored`]): what is impossible so is impossible in any number of rounds,
    /// and what is found and happens is found.
    fn thread_modular(&self, skip: &[Claim]) -> Option<Ledger> {
        let (shared, plan) = (self.shared, self.plan);
        // Initialisation goes on beside them, and is none of the threads of the plan. One round costs no more than this.
        if plan.birth != Birth::There || shared.options.rounds().contexts == 1 {
            return None;
        }
        let program = &shared.closed.concurrent;
        let [untracked, stored] = self.fields.thread_modular(program, plan);
        let search = Search {
            tier: Tier::Contexts,
            rounds: Some(self.one()),
            skip,
            slicing: Some(Arc::new(Slicing {
                untracked,
                stored: Some(stored),
                followed: BTreeSet::new(),
            })),
            share: Some(APART_SHARE),
            further_arguments: None,
            aim: Aim::Verdicts,
        };
        let mut plan = plan.clone();
        // A thread stops where it is about to race, or where it has started another, or where that other fails, or where others race.
        let starts = queries::any(program, &plan, SiteKind::Async);
        let other = plan.sides.len() > 2 || queries::any(program, &plan, SiteKind::Assert);
        if !starts && !other {
            plan.enabled.clear();
        }
        let mut answers = run(
            shared,
            self.task,
            &plan,
            Some(self.evidence),
            &search,
            self.found,
        );
        let settled = |v| matches!(v, Verdict::Race | Verdict::Bounded);
        answers.regions.retain(|r| settled(r.verdict()));
        let mut asked = queries::claims(shared, &plan);
        asked.retain(|claim| !skip.contains(claim));
        answers.count("slicing: regions asked for, any order", asked.len() as u64);
        answers.count(
            "slicing: regions decided, any order",
            answers.regions.len() as u64,
        );
        Some(answers)
    }

    /// Everything followed, in one round: what is found there is found.
    fn one_round(&self, skip: &[Claim]) -> Option<Ledger> {
        if self.shared.options.rounds().contexts == 1 {
            return None;
        }
        let search = Search::of(Tier::Contexts, Some(self.one()), skip);
        let mut answers = run(
            self.shared,
            self.task,
            self.plan,
            Some(self.evidence),
            &search,
            self.found,
        );
        answers.regions.retain(|r| r.verdict() == Verdict::Race);
        answers.count("slicing: races in one round", answers.regions.len() as u64);
        Some(answers)
    }

    fn one(&self) -> Rounds {
        Rounds {
            contexts: 1,
            ..self.shared.options.rounds()
        }
    }
}

/// The fields of what is executed in pairs; `steady`: after initialisation.
pub fn of_program<'a>(
    closed: &Closed,
    planner: &'a Planner<'_>,
    steady: bool,
) -> Option<&'a Fields> {
    let main = match steady {
        true => closed.concurrent.harness.pair_main,
        false => closed.concurrent.harness.main,
    };
    Some(planner.fields(main?, &closed.merged))
}

/// The fields, and those that are tracked from the beginning; `None`: nothing is sliced.
fn begin<'a>(shared: &Shared<'a, '_>, task: &Task) -> Option<(&'a Fields, BTreeSet<FieldId>)> {
    let options = shared.options;
    let names = match &options.track {
        Track::All => return None,
        Track::Auto => &[][..],
        Track::Fields(names) => names,
    };
    // What else is asked for is not about what fields hold alone.
    let sliced = Properties::of(&[Property::Race, Property::Assert, Property::Bug]);
    let others = options.properties != options.properties.among(sliced);
    // Whether an order shows depends on what a field holds.
    if others || options.race_check == RaceCheck::Value {
        return None;
    }
    let fields = of_program(shared.closed, shared.planner, task.in_steady())?;
    if fields.gap().is_some() {
        return None;
    }
    Some((fields, named(fields, names)))
}

/// The fields that have one of these names.
fn named(fields: &Fields, names: &[String]) -> BTreeSet<FieldId> {
    let all = fields.all().iter().enumerate();
    let called = all.filter(|(_, f)| f.names.iter().any(|name| asked_for(name, names)));
    called.map(|(n, _)| n as FieldId).collect()
}

/// What slicing came to in a whole run, for `--stats`: fields are counted once, whatever the number of pairs.
pub fn counts(fields: &Fields, results: &[Checked], track: &Track) -> BTreeMap<String, u64> {
    let names = match track {
        Track::Fields(names) => &names[..],
        Track::All | Track::Auto => &[],
    };
    let searches = results.iter().filter_map(|r| r.stats.get(SEARCHES));
    let counts = [
        ("slicing: fields in all", fields.all().len() as u64),
        ("slicing: fields named", named(fields, names).len() as u64),
        (
            "slicing: fields found to matter",
            matter(results).len() as u64,
        ),
        (
            "slicing: most searches for a pair",
            searches.max().copied().unwrap_or(0),
        ),
    ];
    counts.map(|(name, n)| (name.to_string(), n)).into()
}

/// Which fields were found to matter, for the notes.
pub fn found(fields: &Fields, results: &[Checked]) -> Option<String> {
    let names = matter(results).into_iter().map(|id| {
        let names = fields.all()[id as usize].names.iter();
        names.cloned().collect::<Vec<_>>().join(" = ")
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    (!names.is_empty()).then(|| format!("fields found to matter: {}", names.join(", ")))
}

fn matter(results: &[Checked]) -> BTreeSet<FieldId> {
    results
        .iter()
        .flat_map(|r| r.matter.iter().copied())
        .collect()
}
