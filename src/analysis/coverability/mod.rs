//! Coverability: races that no number of threads can have, by backward search in a Petri net.
//!
//! Abdulla, Haziza, Kindahl: Model Checking Race-Freeness. What locks leave open becomes a net ([`model`]) in which a reachable
//! marking with two conflicting accesses at once is asked for ([`backward`]). Where there is none, there is no race. Beyond the
//! paper:
//!
//! - The net is not made from names of functions: an atomic section of a model is one transition, made by executing it on the contents of
//!   the *tracked cells* that it reads ([`explore`], [`step`], [`cells`]). That makes locks of every kind, thread ends (join),
//!   semaphores, barriers, `once` and flags, with the values that they take.
//! - Threads started once, in a state passed once, are one token and have a number of their own; others are any number.
//! - What guards by its owner is told by the owner: a thread knows whether its number is in the cell. That nobody
//!   writes over another's number is checked in the same net first; where it may happen, owners are not told apart.
//! - What is not known is arbitrary: unknown values go both ways, `assume` of them passes, a cell that takes too many values may hold any.
//!   So a net has every execution of the program, and others.
//!
//! What it misses (precision, never soundness): locks and flags in objects of which there may be several; counters beyond
//! [`cells::MAX_VALUES`]; recursion in functions that synchronise; conditions over several words.

mod access;
pub mod backward;
mod begin;
mod calls;
mod cells;
mod closures;
mod control;
mod counts;
pub mod driver;
pub mod entries;
mod explore;
mod live;
mod memory;
mod model;
pub mod net;
mod outcome;
pub mod pairs;
pub mod reduce;
mod refine;
pub mod run;
mod state;
mod step;
pub mod text;
mod unpublished;
mod value;
mod words;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::deadline::Deadline;
use crate::faults::{NetFault, seeded};
use crate::index::{FuncId, Idx};
use crate::program::Program;
use crate::region::Region;

use super::lockset::single;
use super::plan::{ConflictPair, PlannedRegion};
use super::points_to::PointsTo;
use backward::{Answer, Counts};
use explore::{Bounds, Explorer, Input};
use net::Net;
use pairs::Pairs;

/// Markings met in one search.
const MAX_MARKINGS: u64 = 100_000;
/// Cells in which owners turn out not to be told apart.
const MAX_SHARED: u32 = 40;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// When to stop.
    pub deadline: Deadline,
    /// Markings met in one search.
    pub markings: u64,
    /// Whether a forward invariant prunes the search.
    pub invariant: bool,
    /// Whether nets are made smaller before the search.
    pub reduce: bool,
    /// Whether the nets are to be kept ([`Proofs::nets`]).
    pub keep: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            deadline: Deadline::NEVER,
            markings: MAX_MARKINGS,
            invariant: true,
            reduce: true,
            keep: false,
        }
    }
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Proofs {
    /// The regions proved free of races, by name.
    pub proved: Vec<Region>,
    /// Why others are not, where the reason is not that the net has a race.
    pub open: BTreeMap<Region, String>,
    /// For candidates that the net gets to: how.
    pub runs: BTreeMap<Region, Vec<run::Step>>,
    /// Counts.
    pub stats: BTreeMap<String, u64>,
    /// The net that was asked last for each region, by its name, made as small as it was for the search; if they are to be kept.
    pub nets: BTreeMap<Region, Net>,
}

/// Proves what it can of the regions, for a program that starts at `main`.
pub fn prove(
    program: &Program,
    points_to: &PointsTo,
    main: FuncId,
    regions: &[PlannedRegion],
    settings: &Settings,
) -> Proofs {
    let mut proofs = Proofs::default();
    let single = single::objects(program, points_to);
    let mut open: Vec<&PlannedRegion> = regions.iter().collect();
    // The memory of the program costs states: only where its locks are not enough.
    for memory in [false, true] {
        if open.is_empty() {
            break;
        }
        let asked: FxHashSet<_> = open
            .iter()
            .flat_map(|r| &r.conflict_pairs)
            .flat_map(|c| c.first.accesses.iter().chain(c.second.accesses.iter()))
            .copied()
            .collect();
        let input = Input {
            program,
            points_to,
            single: &single,
            asked: &asked,
            memory,
            entries: None,
            limits: Bounds::PROGRAM,
            deadline: settings.deadline,
        };
        let mut explorer = Explorer::new(&input);
        if let Err(why) = settle(&mut explorer, main, settings, &mut proofs) {
            for region in &open {
                proofs
                    .open
                    .entry(region.name.clone())
                    .or_insert(why.clone());
            }
            continue;
        }
        open.retain(|region| {
            let (answer, _, run) = ask(&explorer, &region.conflict_pairs, settings, &mut proofs);
            if settings.keep {
                let net = model::model(&explorer, &region.conflict_pairs, &[]).net;
                let pairs = Pairs::solve(&net);
                let small = reduce::reduce(&net, settings.invariant.then_some(&pairs));
                let net = if settings.reduce { small.net } else { net };
                proofs.nets.insert(region.name.clone(), net);
            }
            match answer {
                Answer::Safe => {
                    proofs.runs.remove(&region.name);
                    proofs.proved.push(region.name.clone());
                    proofs.open.remove(&region.name);
                    false
                }
                Answer::Covered(_) => {
                    proofs.runs.insert(region.name.clone(), run);
                    proofs.open.remove(&region.name);
                    true
                }
                Answer::Unknown(why) => {
                    proofs.open.insert(region.name.clone(), why);
                    true
                }
            }
        });
    }
    proofs.proved.sort();
    proofs
}

/// Explores until nobody writes over another's number in a cell in which owners are told apart.
fn settle(
    explorer: &mut Explorer<'_>,
    main: FuncId,
    settings: &Settings,
    proofs: &mut Proofs,
) -> Result<(), String> {
    for _ in 0..MAX_SHARED {
        explorer.run(main)?;
        let (answer, broken, _) = ask(explorer, &[], settings, proofs);
        match answer {
            _ if seeded(NetFault::NobodyBreaks) => return Ok(()),
            Answer::Safe => return Ok(()),
            Answer::Unknown(why) => return Err(why),
            Answer::Covered(_) => explorer.share(&broken),
        }
    }
    Err("too many locks are released by threads that do not hold them".to_string())
}

/// Searches; with the cells in which a number may be written over, and the run that gets there.
fn ask(
    explorer: &Explorer<'_>,
    conflict_pairs: &[ConflictPair],
    settings: &Settings,
    proofs: &mut Proofs,
) -> (Answer, Vec<cells::CellId>, Vec<run::Step>) {
    let model = model::model(explorer, conflict_pairs, &[]);
    let net = &model.net;
    let mut broken = Vec::new();
    let pairs = Pairs::solve(net);
    let (answer, counts) = decide(net, &pairs, settings);
    if conflict_pairs.is_empty() && matches!(answer, Answer::Covered(_)) {
        // Every cell of which pairs do not show the contrary.
        for (n, cell) in model.breaks.iter().enumerate() {
            let t = &net.transitions[net::TransitionId::new(n)];
            if pairs.fires(t) {
                broken.extend(*cell);
            }
        }
    }
    let mut count = |name: &str, n: u64| {
        *proofs.stats.entry(format!("net: {name}")).or_default() += n;
    };
    count("places", net.places.len() as u64);
    count("transitions", net.transitions.len() as u64);
    count("transitions searched", counts.transitions);
    count("constructions", u64::from(explorer.rounds));
    count("markings kept", counts.kept);
    count("markings subsumed", counts.subsumed);
    count("markings pruned", counts.pruned);
    count("rounds", counts.rounds);
    let run = match &answer {
        Answer::Covered(path) if !conflict_pairs.is_empty() => {
            run::steps(explorer, &model, path, &run::about(&model, path))
        }
        _ => Vec::new(),
    };
    (answer, broken, run)
}

/// Searches in a net, as the settings say: without what the invariant excludes, made smaller.
pub fn decide(net: &Net, pairs: &Pairs, settings: &Settings) -> (Answer, Counts) {
    let invariant = settings.invariant.then_some(pairs);
    if !settings.reduce {
        return backward::search(net, invariant, settings);
    }
    let small = reduce::reduce(net, invariant);
    let again = Pairs::solve(&small.net);
    let invariant = settings.invariant.then_some(&again);
    let (answer, counts) = backward::search(&small.net, invariant, settings);
    let answer = match answer {
        Answer::Covered(path) => {
            let steps = path.into_iter().flat_map(|t| small.steps[t].clone());
            Answer::Covered(steps.collect())
        }
        answer => answer,
    };
    (answer, counts)
}
