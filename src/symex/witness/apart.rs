//! Two threads that were executed each by itself, put together: an interleaving in which one runs until it is about to make its access,
//! then the other.
//!
//! What each does alone it does beside the other, too, as long as neither has read what the other has written. Nothing looks after
//! that here: the interleaving is replayed as every other one, and where it matters it does not replay. So what is found so is found,
//! and what is not found so says nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::expr::{Assignment, Evaluator, Term};
use crate::index::{FuncId, SiteId};
use crate::solver::Answer;
use crate::symex::machine::apart::Accessed;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::{CheckInputs, Limits, Mode};
use crate::symex::machine::state::State;
use crate::symex::memory::objects::ObjectId;
use crate::symex::memory::pointees::Place;
use crate::symex::witness::checker::Checker;
use crate::symex::witness::model::Model;
use crate::trace::schedule::{Failure as Claim, Inputs, Schedule, Step, ThreadNumber};

/// What one thread does by itself.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// Its accesses by site; those of one site that differ in when they are made alone are one.
    accesses: BTreeMap<SiteId, Vec<Accessed>>,
    /// Instructions that it took.
    pub instructions: u64,
}

/// What is looked at where it is asked whether two threads have anything in common.
#[derive(Debug, Default)]
pub struct Most {
    /// Pairs of accesses.
    pub meetings: usize,
    /// Questions to the solver.
    pub questions: usize,
    /// What has been asked: which conditions may hold.
    pub known: FxHashMap<Term, bool>,
}

/// The run of one thread of a pair, in a model.
struct Alone<'p> {
    run: Executor<'p>,
    thread: ThreadNumber,
}

impl Checker<'_> {
    /// Executes one of two threads from the state in which both begin, and keeps what it accesses. `inputs` say which
    /// ([`CheckInputs::apart`]). `None`: it cannot be executed.
    pub fn side(
        &mut self,
        (function, start): (FuncId, &State),
        inputs: CheckInputs,
        limits: Limits,
    ) -> Option<Side> {
        let before = (self.run.instructions(), self.run.found.ends.len());
        self.run.set_check(inputs);
        self.run.caches.pruner.again(&limits);
        self.run.budget.again(limits);
        self.run.found.accesses.clear();
        self.run.run(function, start.clone()).ok()?;
        self.run.found.reached.clear();
        self.run.found.failures.clear();
        self.run.found.ends.truncate(before.1);
        let mut accesses: BTreeMap<SiteId, Vec<Accessed>> = BTreeMap::new();
        for access in std::mem::take(&mut self.run.found.accesses) {
            accesses.entry(access.site).or_default().push(access);
        }
        Some(Side {
            accesses,
            instructions: self.run.instructions() - before.0,
        })
    }

    /// When the first thread and the second, each by itself, are about to make accesses of those sites that race. No more than so many
    /// pairs of accesses are looked at.
    pub fn meetings(
        &mut self,
        sides: [&Side; 2],
        sites: [SiteId; 2],
        start: &State,
        most: &mut usize,
    ) -> Term {
        let mut any = Vec::new();
        for (a, b) in each(sides, sites, most) {
            let meet = self.run.meet((a, b), [0, 1], start);
            if !self.run.terms.is_false(meet) {
                any.push(meet);
            }
        }
        self.run.terms.any_of(&any)
    }

    /// Whether each by itself, for some inputs, accesses one object there, and one of them writes, whatever they hold; `same_bytes`: the same
    /// bytes of it. No more than so much is looked at; `false`, too, where that does not tell. What a thread has made itself the other has
    /// not.
    pub fn both_touch(
        &mut self,
        sides: [&Side; 2],
        sites: [SiteId; 2],
        (start, same_bytes): (&State, bool),
        most: &mut Most,
    ) -> bool {
        let accesses = each(sides, sites, &mut most.meetings);
        let mut accesses = accesses.into_iter().filter(|(a, b)| a.writes || b.writes);
        accesses.any(|(a, b)| self.one_object((a, b), same_bytes.then_some(start), most))
    }

    fn one_object(
        &mut self,
        (a, b): (&Accessed, &Accessed),
        bytes: Option<&State>,
        most: &mut Most,
    ) -> bool {
        let [own, others] = [a, b].map(|access| self.run.objects_of(access));
        for (object, at, made) in own {
            for (_, other_at, other_made) in others.iter().filter(|(other, ..)| *other == object) {
                let terms = &self.run.terms;
                let numbers = [at, a.length, *other_at, b.length].map(|t| terms.as_const(t));
                // Whatever the one needs, the other need not.
                let alone =
                    |this: &mut Self, most: &mut Most| this.all_hold([made, *other_made], most);
                let both = match (bytes, numbers) {
                    (None, _) => alone(self, most),
                    (Some(_), [Some(x), Some(xs), Some(y), Some(ys)]) => {
                        x < y.saturating_add(ys) && y < x.saturating_add(xs) && alone(self, most)
                    }
                    (Some(start), _) => {
                        let (own, other) = ((a.address, a.length), (b.address, b.length));
                        let there = self.run.overlap(own, other, start);
                        let all = self.run.terms.and_all(&[there, made, *other_made]);
                        self.all_hold([all], most)
                    }
                };
                if both {
                    return true;
                }
            }
        }
        false
    }

    /// Whether each of the conditions by itself may hold.
    fn all_hold<const N: usize>(&mut self, conditions: [Term; N], most: &mut Most) -> bool {
        conditions.into_iter().all(|condition| {
            if let Some(known) = most.known.get(&condition) {
                return *known;
            }
            if most.questions == 0 {
                return false;
            }
            most.questions -= 1;
            let holds = matches!(self.satisfiable(condition), Answer::Sat(_));
            most.known.insert(condition, holds);
            holds
        })
    }

    /// From now on it is asked about these two threads; of both `inputs`.
    pub fn put_together(&mut self, inputs: CheckInputs) {
        self.check = inputs;
        self.together = true;
    }

    /// Whether what is asked is put together from threads that were executed each by itself.
    pub fn is_put_together(&self) -> bool {
        self.together
    }

    /// The interleaving of two threads that an assignment says, under which one of the conditions holds: each that two accesses, of the
    /// sites in `among`, are about to be made.
    pub(in crate::symex) fn interleaved(
        &mut self,
        values: &Assignment,
        conditions: &[Term],
        among: &[(SiteId, SiteId)],
    ) -> Result<Schedule, String> {
        self.decisions.clear();
        let mut evaluator = Evaluator::new(values);
        let terms = &self.run.terms;
        let mut each = conditions.iter().zip(among);
        let sites = each.find(|(c, _)| evaluator.holds(terms, **c));
        let (_, &(a, b)) = sites.ok_or("the model holds for none of the accesses")?;
        let mut both = self.each_alone(values)?;
        let (x, y) = meeting(&mut both, [a, b]).ok_or("the threads do not meet")?;
        let held = |access: &Accessed, alone: &Alone<'_>| {
            let me = u128::from(alone.thread) + 1;
            let owners = access.owners.iter();
            let own = owners.filter(|(_, owner)| alone.run.terms.as_const(*owner) == Some(me));
            own.count()
        };
        // Who holds fewer locks comes first: the other may have needed them on its way.
        let second_first = held(&y, &both[1]) <= held(&x, &both[0]);
        let steps =
            |alone: &Alone<'_>, access: &Accessed| alone.run.journal().steps[..access.at].to_vec();
        let (mut first, mut second) = (steps(&both[0], &x), steps(&both[1], &y));
        let is_zero = |step: &Step| step.thread == 0;
        let zero = Step { thread: 0, site: a };
        let one = Step { thread: 1, site: b };
        let (steps, failure) = match second_first {
            true => {
                // What comes before the threads has happened.
                let begun = second.iter().filter(|s| is_zero(s)).count();
                second.extend(first.drain(begun.min(first.len())..));
                let race = Claim::Race {
                    first: one,
                    second: zero,
                };
                (second, race)
            }
            false => {
                second.retain(|s| !is_zero(s));
                first.append(&mut second);
                let race = Claim::Race {
                    first: zero,
                    second: one,
                };
                (first, race)
            }
        };
        let [zero, one] = &both;
        Ok(Schedule {
            pair: self.check.pair.clone(),
            steps,
            inputs: together(&zero.run.journal().inputs, &one.run.journal().inputs),
            failure,
        })
    }

    /// The two threads in a model, each by itself from the state that was left before they began.
    fn each_alone(&self, values: &Assignment) -> Result<[Alone<'_>; 2], String> {
        let model = Arc::new(Model::new(&self.run, values.clone(), true));
        let program = self.run.program();
        let mode = Mode::Concrete(model);
        let mut run = Executor::new(program, mode, self.limits, self.check.clone());
        let (last, before) = self.script.split_last().ok_or("nothing is executed")?;
        let mut state = State::default();
        for function in before {
            let left = run.run(*function, state)?;
            state = left.ok_or("the model does not lead to the threads")?;
        }
        let alone = |thread: ThreadNumber| -> Result<Alone<'_>, String> {
            let mut run = run.clone();
            run.found.accesses.clear();
            run.set_check(CheckInputs {
                apart: Some(thread),
                ..self.check.clone()
            });
            run.run(*last, state.clone())?;
            Ok(Alone { run, thread })
        };
        Ok([alone(0)?, alone(1)?])
    }
}

/// The accesses of two sites, each with each.
fn each<'s>(
    sides: [&'s Side; 2],
    sites: [SiteId; 2],
    most: &mut usize,
) -> Vec<(&'s Accessed, &'s Accessed)> {
    let of = |n: usize| sides[n].accesses.get(&sites[n]).into_iter().flatten();
    let all = of(0).flat_map(|a| of(1).map(move |b| (a, b)));
    let some: Vec<_> = all.take(*most).collect();
    *most -= some.len();
    some
}

/// Bytes of an object.
struct Bytes {
    /// Its key, which is the same in both runs.
    object: u64,
    from: u64,
    bytes: u64,
}

impl Bytes {
    fn meet(&self, other: &Bytes) -> bool {
        self.object == other.object
            && self.from < other.from.saturating_add(other.bytes)
            && other.from < self.from.saturating_add(self.bytes)
    }
}

/// Two accesses of these sites at one place, each by one of the threads.
fn meeting(both: &mut [Alone<'_>; 2], sites: [SiteId; 2]) -> Option<(Accessed, Accessed)> {
    let mut places: Vec<Vec<(Accessed, Bytes)>> = Vec::new();
    for (alone, site) in both.iter_mut().zip(sites) {
        let of_site = |access: &&Accessed| access.site == site;
        let accesses = alone.run.found.accesses.iter().filter(of_site);
        let accesses: Vec<Accessed> = accesses.cloned().collect();
        let placed = accesses.into_iter().filter_map(|access| {
            let place = alone.place(&access)?;
            Some((access, place))
        });
        places.push(placed.collect());
    }
    let (first, second) = (&places[0], &places[1]);
    let mut pairs = first
        .iter()
        .flat_map(|x| second.iter().map(move |y| (x, y)));
    let (x, y) = pairs.find(|((_, x), (_, y))| x.meet(y))?;
    Some((x.0.clone(), y.0.clone()))
}

impl Alone<'_> {
    /// Which bytes an access is of.
    fn place(&mut self, access: &Accessed) -> Option<Bytes> {
        let run = &mut self.run;
        let bytes = run.terms.as_const(access.length)? as u64;
        let targets = run.objects.resolve(&mut run.terms, access.address);
        let yes = run.terms.tru();
        let target = targets.iter().find(|t| t.condition == yes)?;
        let Place::Object(object, offset) = target.place else {
            return None;
        };
        let object: ObjectId = object;
        Some(Bytes {
            object: run.object_key(object),
            from: run.terms.as_const(offset)? as u64,
            bytes,
        })
    }
}

/// The inputs of thread 0 in the one run and of all others in the other; of objects that both have read, what either knows.
fn together(zero: &Inputs, others: &Inputs) -> Inputs {
    let mut inputs = zero.clone();
    for (thread, values) in others.nondet.iter().filter(|(t, _)| **t != 0) {
        inputs.nondet.insert(*thread, values.clone());
    }
    let of_two = [
        (&mut inputs.lazy, &others.lazy),
        (&mut inputs.uninitialised, &others.uninitialised),
    ];
    for (own, others) in of_two {
        for (object, cells) in others {
            let known = own.entry(object.clone()).or_default();
            let there: BTreeSet<u64> = known.keys().copied().collect();
            let new = cells.iter().filter(|(at, _)| !there.contains(at));
            known.extend(new.map(|(at, cell)| (*at, cell.clone())));
        }
    }
    inputs
}
