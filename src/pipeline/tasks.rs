//! What is checked of an input: its pairs of entry points, scenarios of more, and entry points alone.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use crate::analysis::{Planner, of_one::Several};
use crate::config::{Options, Scenario};
use crate::environment::entry::{EntryPoint, Parameter, Phase};
use crate::error::InputError;
use crate::frontend::Closed;
use crate::index::{EntryId, FuncId};
use crate::pair::Task;
use crate::program::SiteKind;
use crate::property::Property;
use crate::verdict::{Claim, PairResult, RegionResult, Why};

/// The pairs to check, and those that something keeps from overlapping.
pub(super) fn tasks(
    closed: &Closed,
    options: &Options,
) -> Result<(Vec<Task>, Vec<PairResult>), InputError> {
    if closed.entries.is_empty() {
        if options.pair.is_some() {
            let what = "the input has a `main`: there are no pairs of entry points to choose from";
            return Err(InputError::new("--pair", what).advise(
                "leave it out, or name functions with --entry to check them beside each other",
            ));
        }
        if options.scenario == Scenario::Lifecycle {
            let what = "lifecycle: the input has a `main`, which is where it starts";
            return Err(InputError::new("--scenario", what).advise("leave it out"));
        }
        return Ok((vec![Task::whole_program()], Vec::new()));
    }
    let known = |name: &str| -> Result<(), InputError> {
        if closed.entries.iter().any(|e| e.function == name) {
            return Ok(());
        }
        let names: Vec<&str> = closed.entries.iter().map(|e| e.function.as_str()).collect();
        Err(InputError::new(name, "no entry point of that name")
            .advise(format!("there are {}", names.join(", "))))
    };
    for name in options.pair.iter().flatten() {
        known(name)?;
    }
    for name in &options.entries {
        known(name)?;
    }
    let chosen = |e: &EntryPoint| {
        !(e.another || matches!(e.phase, Phase::Init | Phase::Nested))
            && (options.entries.is_empty() || options.entries.contains(&e.function))
    };
    let list: Vec<(EntryId, &EntryPoint)> = closed
        .entries
        .iter_ids()
        .filter(|(_, e)| chosen(e))
        .collect();
    let mut tasks = Vec::new();
    let mut excluded = Vec::new();
    for (n, (i, a)) in list.iter().enumerate() {
        for (j, b) in &list[n..] {
            let of_pair = |x: &str, y: &str| {
                (a.function == x && b.function == y) || (a.function == y && b.function == x)
            };
            match options.pair.as_deref() {
                None => {}
                Some([x, y]) if of_pair(x, y) => {}
                // Another pair, or a scenario alone.
                Some(_) => continue,
            }
            let lifecycle = options.scenario == Scenario::Lifecycle;
            let pair = || Task::pair(*i, a, *j, b, lifecycle);
            match (
                EntryPoint::never_overlap(a, b),
                EntryPoint::apart_for_one(a, b),
            ) {
                (None, _) => tasks.push(pair()),
                (Some(_), Some(object)) => tasks.push(match of_another(closed, (*i, a), (*j, b)) {
                    Some((i, j)) => Task::pair(i, a, j, b, lifecycle).of_another(object),
                    // Nothing is searched, but what locks prove holds of any.
                    None => pair().of_two(object),
                }),
                (Some(reason), None) => excluded.push(kept_apart(a, b, reason)),
            }
        }
    }
    let lifecycle = options.scenario == Scenario::Lifecycle;
    let scenarios = closed.scenarios.iter();
    tasks.extend(scenarios.map(|s| Task::scenario(s, &closed.entries, lifecycle)));
    // One thread is executed sooner than two, two sooner than three.
    let mut all = alone(closed, &list, &tasks, options);
    all.append(&mut tasks);
    Ok((all, excluded))
}

/// The same pair for two objects, where the harness gives two.
fn of_another(
    closed: &Closed,
    (i, a): (EntryId, &EntryPoint),
    (j, b): (EntryId, &EntryPoint),
) -> Option<(EntryId, EntryId)> {
    let other = |e: &EntryPoint| {
        let mut all = closed.entries.iter_ids();
        all.find(|(_, o)| o.is_another_of(e)).map(|(id, _)| id)
    };
    let second = other(b).map(|j| (i, j));
    second.or_else(|| other(a).map(|i| (i, j)))
}

/// A pair that the rules never run beside each other.
fn kept_apart(a: &EntryPoint, b: &EntryPoint, reason: String) -> PairResult {
    let for_one = EntryPoint::of_two(a, b);
    PairResult {
        a: a.function.clone(),
        b: b.function.clone(),
        further: Vec::new(),
        scenario: String::new(),
        serialized_by: for_one.is_none().then_some(reason),
        assumptions: Vec::new(),
        nothing_shared: false,
        suppressed: Vec::new(),
        regions: for_one.map(of_two).into_iter().collect(),
        reachable_sites: vec![(0, 0); 2],
    }
}

/// Of two objects of that kind nothing is known.
fn of_two(object: &str) -> RegionResult {
    RegionResult::unknown(Claim::Threads, Why::OneOfSeveral(object.to_string()))
}

/// What one thread can do wrong is asked of initialisation, and of each entry point by itself: of all, where models check what locks
/// are used for; otherwise of those that nothing else executes, if there is something to ask.
fn alone(
    closed: &Closed,
    list: &[(EntryId, &EntryPoint)],
    tasks: &[Task],
    options: &Options,
) -> Vec<Task> {
    let lifecycle = options.scenario == Scenario::Lifecycle;
    let all = options.asks(Property::LockMisuse) || options.asks(Property::Deadlock);
    let any = |kind| {
        let mut sites = closed.concurrent.sites.iter();
        sites.any(|s| s.kind == kind)
    };
    let asked = all
        || (options.asks(Property::Assert) && any(SiteKind::Assert))
        || (options.asks(Property::Uaf) && any(SiteKind::Free));
    if !asked || options.pair.is_some() {
        return Vec::new();
    }
    let each = list.iter().filter(|(i, _)| {
        let executed = |t: &Task| t.entries().contains(i);
        all || !tasks.iter().any(executed)
    });
    let each = each.map(|(i, e)| Task::alone(*i, e, lifecycle));
    // In the lifecycle initialisation belongs to each of them.
    let init = !lifecycle && options.entries.is_empty();
    let init = init.then(Task::initialisation);
    init.into_iter().chain(each).collect()
}

/// Of what there may be several: open files, and what entry points are given one of.
pub(super) fn several(closed: &Closed, planner: &Planner<'_>) -> Vec<Several> {
    let mut all = vec![Several {
        name: "open file".to_string(),
        cells: Vec::new(),
        makers: executed_only_by(closed, planner, &EntryPoint::opens_file),
        kept: false,
    }];
    let given = closed.entries.iter().flat_map(|e| &e.one_of);
    // What is told of a handler alone names no shared object.
    let given = given.filter(|of| !of.own.is_empty());
    let kinds: BTreeMap<&str, &[String]> = given
        .map(|of| (of.object.as_str(), of.own.as_slice()))
        .collect();
    let shared = &closed.concurrent.harness.shared;
    for (object, own) in kinds {
        let gets = |e: &EntryPoint| {
            let mut given = e.parameters.iter();
            given.any(|p| matches!(p, Parameter::Shared(name) if own.contains(name)))
        };
        all.push(Several {
            name: object.to_string(),
            cells: own.iter().filter_map(|o| shared.get(o)).copied().collect(),
            makers: executed_only_by(closed, planner, &gets),
            kept: true,
        });
    }
    all
}

/// The functions that these entry points alone execute.
fn executed_only_by(
    closed: &Closed,
    planner: &Planner<'_>,
    which: &dyn Fn(&EntryPoint) -> bool,
) -> FixedBitSet {
    let of = |meant: bool| {
        let entries = closed.entries.iter().filter(|e| which(e) == meant);
        let named = entries.filter_map(|e| closed.concurrent.function_named(&e.function));
        let roots: Vec<FuncId> = named.collect();
        planner.executed_from(&roots)
    };
    let mut own = of(true);
    own.difference_with(&of(false));
    own
}
