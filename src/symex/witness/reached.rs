//! Where threads get to: the evidence that a verdict is not vacuous.
//!
//! A path condition is evaluated before it is asked of the solver: what most entry points do first depends on answers of the
//! kernel and of the device, which are arbitrary, and a few arbitrary ones lead to much of the code.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::expr::{Assignment, Evaluator, Support, Term, Var};
use crate::index::{Idx, SiteId};
use crate::solver::Answer;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::values::hash_of;
use crate::symex::witness::checker::Checker;

/// Sites that are too hard to show before the others are left alone.
const MAX_GIVEN_UP: u32 = 4;

/// Executions of one thread that are asked for to show where it gets to: the first show most of it, and what a verdict needs
/// beyond is asked for by itself.
const MAX_WITNESSES: usize = 8;

/// The same, where one question has so many terms that it costs more than the execution itself.
const MAX_LARGE_WITNESSES: usize = 2;
const LARGE: usize = 4_000;

/// Assignments that are tried before the solver is asked.
const VARIATIONS: u32 = 12;

impl Checker<'_> {
    /// Inputs to be tried before the solver is asked, if they are possible: what the variables up to the number `own` are; those
    /// from there on may be anything.
    pub fn suggest(&mut self, inputs: Assignment, own: usize) {
        self.own = Some(own);
        if self.are_possible(&inputs) {
            self.models.push(inputs);
        }
    }

    fn are_possible(&self, inputs: &Assignment) -> bool {
        let mut evaluator = Evaluator::new(inputs);
        let mut axioms = self.run.chosen.axioms.iter();
        axioms.all(|a| evaluator.holds(&self.run.terms, *a))
    }

    /// The sites of `among` that a thread can be shown to get to; with `few` those that a few executions show.
    pub fn reached(&mut self, thread: u32, among: &FixedBitSet, few: bool) -> Vec<SiteId> {
        let open = self.open(thread);
        self.of_these(open, among, few)
    }

    /// Those that it can be shown to get to in executions in which another thread gets somewhere, too.
    pub fn reached_beside(&mut self, thread: u32, among: &FixedBitSet, few: bool) -> Vec<SiteId> {
        let reached = self.run.found.reached.iter();
        let others: Vec<Guard> = reached
            .filter(|((_, t), _)| *t != thread)
            .flat_map(|(_, guards)| guards.clone())
            .collect();
        let terms = &mut self.run.terms;
        let others: Vec<Term> = others.iter().map(|g| g.term(terms)).collect();
        let somewhere = terms.any_of(&others);
        let mut open = self.open(thread);
        for guard in open.values_mut() {
            *guard = self.run.terms.and(*guard, somewhere);
        }
        self.of_these(open, among, few)
    }

    fn of_these(
        &mut self,
        mut open: FxHashMap<SiteId, Term>,
        among: &FixedBitSet,
        few: bool,
    ) -> Vec<SiteId> {
        open.retain(|s, _| among.contains(s.index()));
        let mut out = self.shown(&mut open);
        let guards: Vec<Term> = open.values().copied().collect();
        let witnesses = match few {
            false => usize::MAX,
            true if Support::smaller(&self.run.terms, &guards, LARGE) => MAX_WITNESSES,
            true => MAX_LARGE_WITNESSES,
        };
        self.show(&mut open, &mut out, Ask::Late, witnesses, &|_| false);
        self.left_open |= !few && !open.is_empty();
        out.sort_unstable();
        out
    }

    /// A witness that a thread gets to one of `own` in the user's code, and what it shows besides.
    pub fn witness(&mut self, thread: u32, own: &FixedBitSet) -> Vec<SiteId> {
        let sites = &self.run.program().sites;
        let counts = |s: &SiteId| own.contains(s.index()) && !sites[*s].in_model;
        let mut open = self.open(thread);
        if open.keys().any(counts) {
            open.retain(|s, _| counts(s));
        }
        let mut out = self.shown(&mut open);
        // The first alone before all at once.
        let first = Ask::Early(usize::MAX);
        self.show(&mut open, &mut out, first, usize::MAX, &|s| counts(&s));
        out.sort_unstable();
        out
    }

    /// The sites that a thread may get to, and when.
    fn open(&mut self, thread: u32) -> FxHashMap<SiteId, Term> {
        let entries: Vec<(SiteId, Vec<Guard>)> = self
            .run
            .found
            .reached
            .iter()
            .filter(|((_, t), _)| *t == thread)
            .map(|((s, _), g)| (*s, g.clone()))
            .collect();
        let mut open = FxHashMap::default();
        for (site, guards) in entries {
            let guards: Vec<Term> = guards.iter().map(|g| g.term(&mut self.run.terms)).collect();
            open.insert(site, self.run.terms.any_of(&guards));
        }
        open
    }

    /// Of these the ones that the models at hand show, or variations of the latest.
    fn shown(&mut self, open: &mut FxHashMap<SiteId, Term>) -> Vec<SiteId> {
        let mut out = Vec::new();
        for model in &self.models {
            take_shown(&self.run, model, open, &mut out);
        }
        let (Some(first), Some(model)) = (self.own, self.models.last().cloned()) else {
            return out;
        };
        let guards: Vec<Term> = open.values().copied().collect();
        let mut vars = Support::of(&self.run.terms, &guards).vars;
        // What a pointer may be is not tried: most of it is not possible.
        let kept = Support::of(&self.run.terms, &self.run.chosen.axioms).vars;
        vars.retain(|v| v.index() >= first && kept.binary_search(v).is_err());
        if vars.is_empty() {
            return out;
        }
        for n in 0..VARIATIONS {
            let mut model = model.clone();
            for &v in &vars {
                let width = self.run.terms.width(self.run.terms.var_term(v));
                model.values.insert(v, arbitrary(n, v, width));
            }
            let left = open.len();
            if self.are_possible(&model) {
                take_shown(&self.run, &model, open, &mut out);
            }
            if open.len() < left {
                self.models.push(model);
            }
        }
        out
    }

    /// Asks for `witnesses` at most, until nothing is open, the rest is too hard, or one of those shown is `enough`. What was
    /// reached early is easier to show: where all at once are too hard, the earlier half is asked for, as long as nothing has been
    /// shown.
    fn show(
        &mut self,
        open: &mut FxHashMap<SiteId, Term>,
        out: &mut Vec<SiteId>,
        mut which: Ask,
        mut witnesses: usize,
        enough: &dyn Fn(SiteId) -> bool,
    ) {
        let mut given_up = 0;
        while !open.is_empty()
            && witnesses > 0
            && given_up < MAX_GIVEN_UP
            && !out.iter().any(|s| enough(*s))
        {
            let mut guards: Vec<(Term, SiteId)> = open.iter().map(|(s, t)| (*t, *s)).collect();
            guards.sort_unstable();
            match which {
                Ask::Late => drop(guards.drain(..guards.len() / 2)),
                Ask::Early(share) => guards.truncate(guards.len().div_ceil(share)),
            }
            let terms: Vec<Term> = guards.iter().map(|(t, _)| *t).collect();
            let any = self.run.terms.any_of(&terms);
            match self.satisfiable(any) {
                Answer::Sat(model) => {
                    witnesses -= 1;
                    let left = open.len();
                    take_shown(&self.run, &model, open, out);
                    if open.len() == left {
                        break;
                    }
                }
                Answer::Unsat => guards.iter().for_each(|(_, site)| {
                    open.remove(site);
                }),
                Answer::Unknown(_) => match which {
                    Ask::Late | Ask::Early(usize::MAX) => which = Ask::Early(1),
                    _ if !out.is_empty() => break,
                    Ask::Early(_) if guards.len() == 1 => {
                        open.remove(&guards[0].1);
                        self.left_open = true;
                        given_up += 1;
                    }
                    Ask::Early(share) => which = Ask::Early(share * 2),
                },
            }
        }
    }
}

/// Which of the open sites one question is about.
#[derive(Clone, Copy)]
enum Ask {
    /// The later half: who gets there has passed many of the earlier ones.
    Late,
    /// The earliest, as a share of all: a half, a quarter; with `usize::MAX` the first alone.
    Early(usize),
}

/// A value of a variable in the nth variation, the same in every run: often one that code looks for.
fn arbitrary(n: u32, v: Var, width: u32) -> u128 {
    let hash = u128::from(hash_of(&(n, v.index())));
    let all = u128::MAX >> (128 - width);
    match hash & 3 {
        0 => 0,
        1 => 1,
        2 => all,
        _ => (hash >> 2) & all,
    }
}

fn take_shown(
    run: &Executor<'_>,
    model: &Assignment,
    open: &mut FxHashMap<SiteId, Term>,
    out: &mut Vec<SiteId>,
) {
    let mut evaluator = Evaluator::new(model);
    open.retain(|site, guard| {
        let shown = evaluator.holds(&run.terms, *guard);
        if shown {
            out.push(*site);
        }
        !shown
    });
}
