//! What one thread can do wrong with nobody beside it, in initialisation and in each entry point: the checks of models, assertions that
//! fail, uses of what it has freed itself.

use std::cell::RefCell;

use fixedbitset::FixedBitSet;

use super::caveats::Closing;
use super::evidence;
use super::ledger::Ledger;
use super::queries;
use super::query::{Said, ask};
use super::start::no_start;
use super::{Checked, Shared, Task, caveats, limits, planned};
use crate::index::{Idx, SiteId};
use crate::program::{FailKind, SiteKind};
use crate::property::Property;
use crate::symex::machine::mode::{CheckInputs, Mode};
use crate::symex::witness::checker::{Checker, Found, Script};
use crate::verdict::{Claim, Finding, Tier, Why};

/// Checks a task of one thread. Nobody can switch, so there are no switch points.
pub(super) fn check(shared: &Shared<'_, '_>, task: &Task, found: &dyn Fn(&Finding)) -> Checked {
    let program = &shared.closed.concurrent;
    let options = shared.options;
    let of_init = task.entries().is_empty();
    let plan = planned(shared, task);
    let asked = queries::of_one(options, |kind| match of_init {
        // It has run already: of assertions and freed objects it is known whether something may be wrong.
        true => match kind {
            SiteKind::Assert => failed(shared, FailKind::Assertion),
            SiteKind::Free => failed(shared, FailKind::UseAfterFree),
            kind => program.sites.iter().any(|s| s.kind == kind),
        },
        false => queries::any(program, &plan, kind),
    });
    let mut ledger = Ledger::by(Tier::Kiss);
    let findings = RefCell::new(Vec::new());
    let keep = |finding: Finding| {
        found(&finding);
        findings.borrow_mut().push(finding);
    };
    let mut shown = FixedBitSet::with_capacity(program.sites.len());
    let ends_before = shared.start.ends_before(&shared.start.run);
    match run(shared, task) {
        _ if asked.is_empty() => {}
        Err(why) => ledger.all_unknown(&asked, &why),
        Ok(mut checker) => {
            let not_replayed = &mut ledger.not_replayed;
            let open = answers(not_replayed, &mut checker, shared, &asked, &keep);
            let gap = checker.gap();
            let own = evidence::users(program, plan.sides[0].ones());
            shown.extend(checker.reached(0, &own, true).into_iter().map(Idx::index));
            let user = |s: usize| !program.sites[SiteId::new(s)].in_model;
            let ended = evidence::endings(&mut checker, ends_before);
            let nowhere = (!of_init
                && plan.sides[0].ones().any(user)
                && !shown.intersection(&plan.sides[0]).any(user))
            .then(|| Why::Nowhere {
                entry: task.sides()[0].to_string(),
                ended,
            });
            let missing = shared.start.missing(shared.closed, &task.sides());
            let nowhere = missing.or(nowhere);
            let gap = match shared.deadline.passed() {
                Some(stopped) => Some(Why::Stopped(stopped)),
                None => gap
                    .map(|missing| evidence::left_out(&missing, &program.source))
                    .or(nowhere),
            };
            for (claim, said) in open {
                settle(&mut ledger, claim, said, gap.as_ref());
            }
        }
    }
    let of_kind = shared.grounds.of_kind(task, shared.options);
    ledger.rests_on(&shared.grounds.of_search(program, &plan), &of_kind);
    let mut checked = task.result(ledger);
    checked.pair.nothing_shared = asked.is_empty();
    // Where nothing is asked, nothing was executed.
    if !of_init && !asked.is_empty() {
        checked.pair.reachable_sites[0] = evidence::Reach::of(&shown, &plan.sides[0], program);
    }
    checked.findings = findings.into_inner();
    let closing = Closing {
        shared,
        task,
        plan: &plan,
        places: &[],
    };
    caveats::tell(&mut checked, &closing);
    checked.stopped = shared.deadline.passed();
    checked
}

/// What is said of each claim, without what was left out.
fn answers<'c>(
    not_replayed: &mut u32,
    checker: &mut Checker<'_>,
    shared: &Shared<'_, '_>,
    asked: &'c [Claim],
    keep: &dyn Fn(Finding),
) -> Vec<(&'c Claim, Said)> {
    let failures = checker.failures(|_, _, _| true);
    let mut open = Vec::new();
    for claim in asked {
        let mut said = Said::No;
        let refuting = |f: &&Found| queries::refuted_by(f.kind).as_ref() == Some(claim);
        for f in failures.iter().filter(refuting) {
            let candidates = vec![(f.first, f.second, f.guard)];
            // Of what models check, each check is a question of its own.
            let check = (f.kind, f.second, f.place);
            let check = f.kind.goes_on().then_some(check);
            said = said.or(ask(
                not_replayed,
                checker,
                shared,
                candidates,
                (None, check),
                (&|_: &str| false, keep),
            ));
        }
        open.push((claim, said));
    }
    open
}

/// What an answer says of the claim, beside what was left out.
fn settle(ledger: &mut Ledger, claim: &Claim, said: Said, gap: Option<&Why>) {
    match (said, gap) {
        (Said::Race, _) => ledger.refuted(claim),
        (Said::Unknown(why), _) => ledger.leave_open(claim, why),
        // Everything is tracked here.
        (Said::Misled(_), _) => ledger.leave_open(claim, Why::NotFollowed),
        (Said::No, Some(why)) => ledger.leave_open(claim, why.clone()),
        (Said::No, None) => ledger.bounded(claim),
    }
}

/// Whether initialisation may have failed so.
fn failed(shared: &Shared<'_, '_>, kind: FailKind) -> bool {
    shared.start.failures.iter().any(|f| f.kind == kind)
}

/// The execution to be asked, or why there is none.
fn run<'p>(shared: &Shared<'_, 'p>, task: &Task) -> Result<Checker<'p>, Why> {
    let options = shared.options;
    if let Some(stopped) = shared.deadline.passed() {
        return Err(Why::Stopped(stopped));
    }
    if !options.tiers.searches() {
        return Err(Why::NotSearched);
    }
    let sites = shared.closed.concurrent.sites.len();
    let inputs = CheckInputs {
        pair: shared.start.numbers(task.numbers()),
        enabled: FixedBitSet::with_capacity(sites),
        checked: FixedBitSet::with_capacity(sites),
        ts_max: options.ts,
        rounds: None,
        use_after_free: options.asks(Property::Uaf),
        ..CheckInputs::default()
    };
    let mut run = shared.start.run.clone();
    run.set_check(inputs.clone());
    let sequential = &shared.closed.sequential;
    let of_init = task.entries().is_empty();
    let init = sequential.harness.init;
    let start = |steady| sequential.check_start(steady);
    let script = match (of_init, task.is_lifecycle()) {
        (true, _) => [init, None],
        (false, false) => [init, start(true)],
        (false, true) => [None, start(false)],
    };
    let script: Script = script.into_iter().flatten().collect();
    match of_init {
        // It has been executed already.
        true => run.found.failures.clone_from(&shared.start.failures),
        false => {
            run.set_mode(Mode::Merge);
            let state = shared.start.begin(shared.closed, &task.sides())?;
            let function = script.last().copied().ok_or_else(no_start)?;
            run.run(function, state).map_err(Why::NotExecuted)?;
        }
    }
    let limits = limits(options, shared.deadline);
    let solver = shared.solver(options.rlimit);
    Ok(Checker::new(run, solver, script, inputs, limits, true))
}
