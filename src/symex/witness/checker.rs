//! From a run to answers: which failures are possible, and by which interleaving.
//!
//! One incremental solver per run. What a path condition folds to is decided before the solver is asked; models of
//! earlier answers are tried on later questions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use crate::deadline::Stopped;
use crate::expr::{Assignment, Evaluator, Term};
use crate::index::{FuncId, LocId, SiteId};
use crate::program::{FailKind, Program, SiteKind};
use crate::solver::{Answer, Solver};
use crate::symex::machine::behind::{After, sites_after};
use crate::symex::machine::ends::{End, EndKind, Failure};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::{CheckInputs, Limits, Mode};
use crate::symex::machine::state::State;
use crate::symex::memory::untracked::Left;
use crate::symex::schedule::eager::adopt_guesses;
use crate::symex::witness::model::Model;
use crate::trace::schedule::{Inputs, Schedule, Step};

use crate::trace::schedule::Failure as Claim;

/// Functions of the program in the order in which they are run, each from the state that the one before left.
pub type Script = Vec<FuncId>;

/// A finished symbolic run and the solver that answers questions on it.
pub struct Checker<'p> {
    pub(in crate::symex) run: Executor<'p>,
    solver: Box<dyn Solver>,
    pub(in crate::symex) script: Script,
    pub(in crate::symex) check: CheckInputs,
    pub(in crate::symex) limits: Limits,
    lanes: bool,
    pub(in crate::symex) models: Vec<Assignment>,
    /// The number of the first variable that is the thread's own, if what comes before is to keep the values that the models have.
    pub(in crate::symex) own: Option<usize>,
    /// Whether the solver left it open if a thread gets to some site that was asked for.
    pub(in crate::symex) left_open: bool,
    /// Who ran when in the interleaving given last: inputs and their values.
    pub(in crate::symex) decisions: BTreeMap<u64, u128>,
    /// Whether the threads were executed each by itself.
    pub(in crate::symex) together: bool,
}

/// A failure that may happen.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// What fails.
    pub kind: FailKind,
    /// Of a race, the site of the first access.
    pub first: SiteId,
    /// The site of the access, assertion or check.
    pub second: SiteId,
    /// Of a check, where in the user's code it is.
    pub place: u64,
    /// When it happens.
    pub guard: Term,
}

/// A check that executions go on after: its kind, site, and where in the user's code it is.
pub type CheckAt = (FailKind, SiteId, u64);

/// Answer to "can one of these failures happen?".
pub enum Possible {
    /// Yes: by this interleaving (not yet replayed).
    Yes(Box<Schedule>),
    /// Not within the bounds.
    No,
    /// The solver gave up.
    Unknown(String),
    /// The solver says yes, and what it says does not lead there.
    Lost(String),
    /// Not as it was found: it rests on these, which are not followed.
    Misled(BTreeSet<Left>),
}

/// What a run has left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// All that was still to come when it was stopped.
    Stopped(Stopped),
    /// All that was still to come when the budget of instructions or terms was used up.
    Budget,
    /// What comes after an end: something that is not modelled.
    End(EndKind, Option<LocId>),
    /// The same, if an execution gets there, which the solver has not found out.
    Open(EndKind, Option<LocId>),
}

/// Something that was left out, and where that matters.
#[derive(Clone, Debug)]
pub struct Gap {
    /// What.
    pub missing: Missing,
    /// The visible instructions that come after it in the thread, or in threads that are started then; `None`: any.
    pub behind: Option<FixedBitSet>,
}

impl Gap {
    /// One of which it is not known what comes after it.
    pub fn everywhere(missing: Missing) -> Gap {
        Gap {
            missing,
            behind: None,
        }
    }
}

/// Gaps that are told apart.
const MAX_GAPS: usize = 8;

impl<'p> Checker<'p> {
    /// Wraps a finished run. `script`: what has been run, to be run again with a model.
    pub fn new(
        run: Executor<'p>,
        solver: Box<dyn Solver>,
        script: Script,
        check: CheckInputs,
        limits: Limits,
        lanes: bool,
    ) -> Self {
        Checker {
            run,
            solver,
            script,
            check,
            limits,
            lanes,
            models: Vec::new(),
            own: None,
            left_open: false,
            decisions: BTreeMap::new(),
            together: false,
        }
    }

    /// The run.
    pub fn run(&self) -> &Executor<'p> {
        &self.run
    }

    /// Whether the solver left it open if a thread gets to some site that was asked for ([`Checker::reached`]).
    pub fn left_open(&self) -> bool {
        self.left_open
    }

    /// Counts of the solver.
    pub fn solver_stats(&self) -> crate::solver::SolverStats {
        self.solver.stats()
    }

    /// The failures found, of those that are asked for: by what fails, the site of the thread that waits before an access, and that of
    /// the running one.
    pub fn failures(&mut self, asked: impl Fn(FailKind, SiteId, SiteId) -> bool) -> Vec<Found> {
        let failures: Vec<Failure> = self.run.found.failures.clone();
        let mut out: BTreeMap<(FailKind, SiteId, SiteId, u64), Vec<Term>> = BTreeMap::new();
        for f in failures {
            let firsts = self.run.leaves(f.first);
            for (condition, first) in firsts.constants.iter().copied() {
                let first = SiteId(first as u32);
                if !asked(f.kind, first, f.second) {
                    continue;
                }
                let guard = self.run.terms.and(f.guard, condition);
                if self.run.terms.is_false(guard) {
                    continue;
                }
                let key = (f.kind, first, f.second, f.place);
                out.entry(key).or_default().push(guard);
            }
        }
        out.into_iter()
            .map(|((kind, first, second, place), guards)| Found {
                kind,
                first,
                second,
                place,
                guard: self.run.terms.any_of(&guards),
            })
            .collect()
    }

    /// ∃ inputs: ⋀ axioms ∧ condition
    pub(in crate::symex) fn satisfiable(&mut self, condition: Term) -> Answer {
        if self.run.terms.is_false(condition) {
            return Answer::Unsat;
        }
        for model in self.models.iter().rev().take(8) {
            if Evaluator::new(model).holds(&self.run.terms, condition) {
                return Answer::Sat(model.clone());
            }
        }
        let mut conjuncts = self.run.chosen.axioms.clone();
        conjuncts.push(condition);
        let answer = self.solver.check(&mut self.run.terms, &conjuncts);
        if let Answer::Sat(model) = &answer {
            self.models.push(model.clone());
        }
        answer
    }

    /// Whether one of the conditions can hold, and by which interleaving; `wanted`: that of a check that executions go on after.
    /// `among`: the sites of these failures; where something is not followed, the execution may come to another.
    pub fn possible(
        &mut self,
        conditions: &[Term],
        wanted: Option<CheckAt>,
        among: &[(SiteId, SiteId)],
    ) -> Possible {
        let any = self.run.terms.any_of(conditions);
        match self.satisfiable(any) {
            Answer::Unsat => Possible::No,
            Answer::Unknown(why) => Possible::Unknown(why),
            Answer::Sat(values) if self.together => {
                match self.interleaved(&values, conditions, among) {
                    Ok(schedule) => Possible::Yes(Box::new(schedule)),
                    Err(why) => Possible::Lost(why),
                }
            }
            Answer::Sat(values) => {
                let run = match self.rerun(values.clone()) {
                    Ok(run) => run,
                    Err(why) => return Possible::Unknown(why),
                };
                match self.schedule(&run, wanted, among) {
                    Ok(schedule) => Possible::Yes(Box::new(schedule)),
                    Err(why) => {
                        let misled = self.misled(&run, &values, any);
                        match misled.is_empty() {
                            true => Possible::Lost(why),
                            false => Possible::Misled(misled),
                        }
                    }
                }
            }
        }
    }

    /// The condition, and another interleaving than the one that [`Checker::possible`] gave last.
    pub fn otherwise(&mut self, condition: Term) -> Term {
        let terms = &mut self.run.terms;
        let mut other = Vec::new();
        for (key, value) in &self.decisions {
            if let Some(var) = self.run.chosen.inputs.get(key) {
                let same = terms.constant(terms.width(*var), *value);
                other.push(terms.ne(*var, same));
            }
        }
        let other = terms.any_of(&other);
        terms.and(condition, other)
    }

    /// Runs the program again, with an assignment's values for all inputs.
    ///
    /// Errors: a function of the script that the program does not have.
    pub fn rerun(&self, values: Assignment) -> Result<Executor<'p>, String> {
        let model = Arc::new(Model::new(&self.run, values, self.lanes));
        let program: &'p Program = self.run.program();
        let mut run = Executor::new(
            program,
            Mode::Concrete(model),
            self.limits,
            self.check.clone(),
        );
        adopt_guesses(&mut run, &self.run);
        let mut state = Some(State::default());
        for &function in &self.script {
            let Some(from) = state.take() else { break };
            // What a function before has noted is none of the failures of the last, and where it got to is no evidence.
            run.found.failures.clear();
            run.found.reached.clear();
            state = run.run(function, from)?;
        }
        Ok(run)
    }

    /// The interleaving that a run with a model's values for all inputs has written down.
    fn schedule(
        &mut self,
        run: &Executor<'p>,
        wanted: Option<CheckAt>,
        among: &[(SiteId, SiteId)],
    ) -> Result<Schedule, String> {
        self.decisions.clone_from(&run.journal().decisions);
        let program = run.program();
        let yes = run.terms.tru();
        let asked = |f: &&Failure| match wanted {
            Some(check) => (f.kind, f.second, f.place) == check,
            None => !f.kind.goes_on(),
        };
        let asked = |f: &&Failure| {
            let first = || run.terms.as_const(f.first).map(|n| SiteId(n as u32));
            let is = |(a, b): &(SiteId, SiteId)| Some(*a) == first() && *b == f.second;
            asked(f) && (self.check.slicing.is_none() || among.iter().any(is))
        };
        let happened = |f: &&Failure| f.guard == yes;
        let Some(failure) = run.found.failures.iter().filter(asked).find(happened) else {
            let ends: Vec<String> = run
                .found
                .ends
                .iter()
                .map(|e| format!("{} at {}", e.kind.name(), program.source.describe(e.loc)))
                .collect();
            return Err(format!(
                "the model does not lead to the failure ({})",
                ends.join(", ")
            ));
        };
        let mut steps = run.journal().steps_before(failure.at);
        let claim = claim(run, failure, &mut steps)?;
        let inputs: Inputs = run.journal().inputs.clone();
        Ok(Schedule {
            pair: self.check.pair.clone(),
            steps,
            inputs,
            failure: claim,
        })
    }

    /// Which of the conditions hold in one model of all that can: asked as one question. None of them, if none can ever hold; all of
    /// them, if that is not known.
    pub fn holding(&mut self, conditions: &[Term]) -> Vec<usize> {
        let any = self.run.terms.any_of(conditions);
        match self.satisfiable(any) {
            Answer::Unsat => Vec::new(),
            Answer::Unknown(_) => (0..conditions.len()).collect(),
            Answer::Sat(model) => {
                let mut values = Evaluator::new(&model);
                let terms = &self.run.terms;
                let holds = |(_, condition): &(usize, &Term)| values.holds(terms, **condition);
                let each = conditions.iter().enumerate();
                let held: Vec<usize> = each.filter(holds).map(|(n, _)| n).collect();
                // Never "none" by a model's gaps.
                match held.is_empty() {
                    true => (0..conditions.len()).collect(),
                    false => held,
                }
            }
        }
    }

    /// That one of them holds.
    pub fn any_of(&mut self, conditions: &[Term]) -> Term {
        self.run.terms.any_of(conditions)
    }

    /// Whether none of the conditions can hold. `false`: at least one can, or it is not known.
    pub fn impossible(&mut self, conditions: &[Term]) -> bool {
        self.can_be(conditions) == Some(false)
    }

    /// Whether one of the conditions can hold. `None`: the budget did not suffice to find out.
    pub fn can_be(&mut self, conditions: &[Term]) -> Option<bool> {
        let any = self.run.terms.any_of(conditions);
        match self.satisfiable(any) {
            Answer::Sat(_) => Some(true),
            Answer::Unsat => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    /// What was left out, as far as an execution can get there: the first of it.
    pub fn gap(&mut self) -> Option<Missing> {
        self.gaps().into_iter().next().map(|gap| gap.missing)
    }

    /// What was left out, as far as an execution can get there: a reason for `unknown`.
    pub fn gaps(&mut self) -> Vec<Gap> {
        // Where a budget ends a run, everything that was still to come is missing, on whatever path.
        if let Some(stopped) = self.run.stopped() {
            return vec![Gap::everywhere(Missing::Stopped(stopped))];
        }
        if self.run.ran_out() {
            return vec![Gap::everywhere(Missing::Budget)];
        }
        let mut by_reason: BTreeMap<Missing, Vec<End>> = BTreeMap::new();
        for end in self
            .run
            .found
            .ends
            .iter()
            .filter(|e| e.kind.makes_unknown())
        {
            let missing = Missing::End(end.kind.clone(), end.loc);
            by_reason.entry(missing).or_default().push(end.clone());
        }
        // All as one question: most often none of them can be.
        let all: Vec<End> = by_reason.values().flatten().cloned().collect();
        let conditions = self.conditions(&all);
        if all.is_empty() || self.impossible(&conditions) {
            return Vec::new();
        }
        let mut gaps = Vec::new();
        for (missing, ends) in by_reason {
            // Of many it is not asked which of them can be.
            if gaps.len() == MAX_GAPS {
                gaps.push(Gap::everywhere(missing));
                break;
            }
            let conditions = self.conditions(&ends);
            let any = self.run.terms.any_of(&conditions);
            let answer = self.satisfiable(any);
            if !matches!(answer, Answer::Unsat) {
                let missing = match (answer, missing) {
                    (Answer::Unknown(_), Missing::End(kind, loc)) => Missing::Open(kind, loc),
                    (_, missing) => missing,
                };
                let somewhere = ends.iter().any(|e| e.goes_on.is_empty());
                let after: BTreeSet<After> = ends.into_iter().flat_map(|e| e.goes_on).collect();
                let behind = sites_after(self.run.program(), &after);
                let behind = (!somewhere).then_some(behind);
                gaps.push(Gap { missing, behind });
            }
        }
        gaps
    }

    /// When executions come to these ends.
    pub fn conditions(&mut self, ends: &[End]) -> Vec<Term> {
        let terms = &mut self.run.terms;
        ends.iter().map(|e| e.guard.term(terms)).collect()
    }

    /// Whether a stated bound (unrolling, recursion, lengths) cut an execution that can happen.
    pub fn bounds_met(&mut self) -> bool {
        let ends = self.run.found.ends.iter().filter(|e| e.kind.is_bound());
        let ends: Vec<End> = ends.cloned().collect();
        let guards = self.conditions(&ends);
        !self.impossible(&guards)
    }
}

/// What an interleaving of these steps claims of the state after them. The step that fails is none of them: it is taken off, where it has
/// been written down.
fn claim(run: &Executor<'_>, failure: &Failure, steps: &mut Vec<Step>) -> Result<Claim, String> {
    let program = run.program();
    let step = Step {
        thread: failure.thread,
        site: failure.second,
    };
    Ok(match failure.kind {
        FailKind::Assertion => {
            if steps.last() == Some(&step) {
                steps.pop();
            }
            Claim::Assertion(step)
        }
        FailKind::Race => {
            let first = run.terms.as_const(failure.first);
            let first = first.ok_or("the first access is not definite")?;
            let thread = run.journal().first_thread;
            Claim::Race {
                first: Step {
                    thread: thread.ok_or("no thread has stopped at an access")?,
                    site: SiteId(first as u32),
                },
                second: step,
            }
        }
        FailKind::Atomicity => {
            let read = run.terms.as_const(failure.first);
            let read = read.ok_or("what was read is not definite")?;
            Claim::Atomicity {
                read: Step {
                    thread: failure.thread,
                    site: SiteId(read as u32),
                },
                write: step,
            }
        }
        kind => {
            // The instruction itself, or the beginning of its section, which is one step.
            let begins = |s: &Step| {
                let kind = program.sites[s.site].kind;
                s.site == failure.second || kind == SiteKind::AtomicBegin
            };
            if steps
                .last()
                .is_some_and(|s| s.thread == failure.thread && begins(s))
            {
                steps.pop();
            }
            match kind {
                FailKind::UseAfterFree => Claim::UseAfterFree(step),
                _ => Claim::Property(kind, step),
            }
        }
    })
}
