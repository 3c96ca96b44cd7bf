//! What every claim of a task rests on, whatever decided it: what the models fix that its threads may execute, and the functions without
//! a model that they may call. What initialisation executes counts for all. Of a driver it rests on the rules, too, on how many
//! devices the harness binds, and on that initialisation is over.

use fixedbitset::FixedBitSet;

use crate::analysis::Planner;
use crate::analysis::plan::PairPlan;
use crate::assumption::{Assumption, Fixed};
use crate::config::{Options, Scenario};
use crate::environment::contract::needs_device;
use crate::environment::entry::{EntryPoint, Phase};
use crate::frontend::Closed;
use crate::index::{FuncId, Idx};
use crate::program::{Function, Program};
use crate::verdict::Claim;

use super::Task;

/// What the claims of an input rest on.
pub struct Grounds {
    /// What initialisation executes.
    init: FixedBitSet,
    /// What the harness of the input fixes.
    harness: Vec<Assumption>,
    /// What claims about freed objects rest on, too.
    of_freed: Option<Assumption>,
    /// The entry points before which the harness runs another one to its end.
    following: Vec<FuncId>,
    /// The functions of the input with calls that lead nobody knows where, and where these are.
    to_nowhere: Vec<(FuncId, String)>,
}

impl Grounds {
    /// Of an input.
    pub fn new(closed: &Closed, planner: &Planner<'_>, options: &Options) -> Grounds {
        let init = closed.concurrent.harness.init;
        let roots: Vec<FuncId> = init.into_iter().collect();
        let entries = &closed.entries;
        let mut harness = Vec::new();
        if !entries.is_empty() {
            harness.push(Assumption::RulesOfEntryPoints);
        }
        let steady = options.scenario == Scenario::Steady;
        if steady && entries.iter().any(|e| e.phase == Phase::Init) {
            harness.push(Assumption::Fixed(Fixed::InitialisationOver));
        }
        if entries.iter().any(|e| needs_device(entries, e)) {
            harness.push(Assumption::Fixed(Fixed::OneDeviceBound));
        }
        let by_others = entries
            .iter()
            .filter(|e| e.phase == Phase::Init && e.is_called_by_others());
        harness.extend(by_others.map(|e| Assumption::SetUpBy(e.function.clone())));
        let threads = entries.iter().filter(|e| e.phase != Phase::Nested);
        let named = |e: &EntryPoint| closed.concurrent.function_named(&e.function);
        let all: Vec<FuncId> = threads.filter_map(named).chain(init).collect();
        let executed = planner.executed_from(&all);
        let nested = entries
            .iter()
            .filter(|e| e.phase == Phase::Nested && !e.is_called_by_others())
            .filter(|e| !named(e).is_some_and(|f| executed.contains(f.index())));
        let mut nested: Vec<String> = nested.map(|e| e.function.clone()).collect();
        if !nested.is_empty() {
            nested.sort();
            nested.dedup();
            harness.push(Assumption::NotCalledBack(nested));
        }
        let following = entries.iter().filter(|e| !e.follows.is_empty());
        let lives = Assumption::Fixed(Fixed::OutsideObjectsLive);
        Grounds {
            of_freed: Some(lives).filter(|_| !entries.is_empty()),
            following: following.filter_map(named).collect(),
            to_nowhere: to_nowhere(&closed.concurrent, planner),
            harness,
            init: planner.executed_from(&roots),
        }
    }

    /// Of claims of these threads that a search finds nothing against.
    pub(super) fn of_search(&self, program: &Program, plan: &PairPlan) -> Vec<Assumption> {
        let mut all = self.of(program, plan);
        // A program's threads are searched from its beginning.
        if self.harness.contains(&Assumption::RulesOfEntryPoints) {
            all.push(Assumption::NothingElseBefore);
            all.sort();
        }
        all
    }

    /// Of claims of one kind, where so many threads may wait for each other.
    pub(super) fn of_kind(&self, task: &Task, options: &Options) -> Vec<(Claim, Assumption)> {
        let freed = self.of_freed.iter().map(|a| (Claim::Freed, a.clone()));
        let circles = Assumption::CirclesOf(task.ts(options) + 1);
        // Two entry points wait for each other, or not.
        let circles = task.is_program().then_some((Claim::Deadlocks, circles));
        freed.chain(circles).collect()
    }

    /// Of the claims of these threads.
    pub(super) fn of(&self, program: &Program, plan: &PairPlan) -> Vec<Assumption> {
        let mut executed = plan.functions.clone();
        executed.union_with(&self.init);
        let functions = || executed.ones().map(|f| &program.functions[FuncId::new(f)]);
        let fixed = functions().flat_map(|f| f.assumes.iter().copied());
        let fixed = fixed.map(Assumption::Fixed);
        let mut all: Vec<Assumption> = self.harness.iter().cloned().chain(fixed).collect();
        let follows = |f: &FuncId| plan.functions.contains(f.index());
        if self.following.iter().any(follows) {
            all.push(Assumption::Fixed(Fixed::NoneUnderWay));
        }
        let executed_calls = self.to_nowhere.iter();
        let executed_calls = executed_calls.filter(|(f, _)| executed.contains(f.index()));
        let mut calls: Vec<String> = executed_calls.map(|(_, at)| at.clone()).collect();
        if !calls.is_empty() {
            calls.sort();
            calls.dedup();
            all.push(Assumption::CalleesUnknown(calls));
        }
        let outside = functions().filter(|f| f.outside);
        let called = |f: &Function| f.source_name().to_string();
        let mut unmodelled: Vec<String> = outside.map(called).collect();
        if !unmodelled.is_empty() {
            unmodelled.sort();
            all.push(Assumption::Unmodelled(unmodelled));
        }
        all.sort();
        all.dedup();
        all
    }
}

fn to_nowhere(program: &Program, planner: &Planner<'_>) -> Vec<(FuncId, String)> {
    let calls = planner.points_to().calls_to_nowhere(program).into_iter();
    let own = calls.filter(|(f, _)| !program.functions[*f].is_model);
    let told = own.map(|(f, loc)| {
        let (name, at) = (&program.functions[f].name, program.source.describe(loc));
        (f, format!("{name} ({at})"))
    });
    told.collect()
}
