//! The flow of locks through one function.
//!
//! A state is a few alternatives, told apart by what is held and released; each keeps what is known of values on all its ways
//! (Das, Lerner, Seigle: ESP, PLDI 2002). So `if (!trylock()) return;` and `if (c) lock(); …; if (c) unlock();` come out as they
//! are meant, at a cost that does not grow with the number of paths. More alternatives than [`MAX_ALTERNATIVES`] become one.

use std::collections::BTreeSet;
use std::rc::Rc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::faults::{LocksetFault, seeded};
use crate::index::{BlockId, FuncId, Idx, ValueId};
use crate::program::{BinOp, Function, Instr, Op, Operand, Primitive, Program, Terminator};

use super::super::points_to::{Address, InstanceId, Place, PointsTo, constant};
use super::conditions::Conditions;
use super::facts::Facts;
use super::holds::{Effect, Hold, Mode, Name, ReleaseId, effect, kills, lock_key, on_both};
use super::releases::OwnTerms;
use super::roots::{Own, Roots};
use super::summaries::{At, Exit, Summaries, Summary, Way};

/// States kept apart at one place.
const MAX_ALTERNATIVES: usize = 12;

/// A state: what has been acquired since the entry and is held, what of the entry's may be released, what is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Alternative {
    pub gens: Vec<Hold>,
    pub kills: Vec<ReleaseId>,
    pub facts: Facts,
}

/// What the analyses of all instances rest on.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub program: &'a Program,
    pub points_to: &'a PointsTo,
    pub roots: &'a Roots,
    pub single: &'a FixedBitSet,
    pub own: &'a Own,
}

/// The analysis of one instance.
pub(super) struct Flow<'a> {
    pub program: &'a Program,
    pub(super) points_to: &'a PointsTo,
    pub roots: &'a Roots,
    single: &'a FixedBitSet,
    pub own: &'a Own,
    pub(super) all: &'a mut Summaries,
    conditions: &'a mut Conditions,
    pub(super) id: InstanceId,
    pub f: FuncId,
    callees: FxHashMap<At, Vec<InstanceId>>,
    accesses: BTreeSet<At>,
    /// Blocks that lie on a cycle.
    cycles: Rc<FixedBitSet>,
    summary: Summary,
    pub(super) releases: OwnTerms,
}

impl<'a> Flow<'a> {
    pub fn new(
        ground: Ground<'a>,
        all: &'a mut Summaries,
        conditions: &'a mut Conditions,
        id: InstanceId,
    ) -> Flow<'a> {
        let Ground {
            program,
            points_to,
            roots,
            single,
            own,
        } = ground;
        let instance = &points_to.instances()[id];
        let at = |p: &Place| (p.block, p.index);
        let mut callees: FxHashMap<At, Vec<InstanceId>> = FxHashMap::default();
        for (place, callee) in &instance.calls {
            callees.entry(at(place)).or_default().push(*callee);
        }
        let accesses = instance.accesses.iter().map(|a| at(&a.place)).collect();
        let function = &program.functions[instance.function];
        let cycles = conditions.cycles(instance.function, function);
        Flow {
            program,
            points_to,
            roots,
            single,
            own,
            all,
            conditions,
            id,
            f: instance.function,
            callees,
            accesses,
            cycles,
            summary: Summary::default(),
            releases: OwnTerms::default(),
        }
    }

    /// To the fixpoint; then once more over all blocks to write down what holds where.
    pub fn run(mut self) -> Summary {
        let program = self.program;
        let function = &program.functions[self.f];
        if !function.is_defined() {
            return self.summary;
        }
        let mut states: Vec<Vec<Alternative>> = vec![Vec::new(); function.blocks.len()];
        states[0].push(Alternative::default());
        let mut work: BTreeSet<usize> = BTreeSet::from([0]);
        while let Some(n) = work.pop_first() {
            let from = states[n].clone();
            for (to, alternatives) in self.block(function, BlockId::new(n), from, false) {
                if join(&mut states[to.index()], alternatives) {
                    work.insert(to.index());
                }
            }
        }
        for (n, state) in states.into_iter().enumerate() {
            self.block(function, BlockId::new(n), state, true);
        }
        self.summary
    }

    /// Executes a block: the states on its edges.
    fn block(
        &mut self,
        function: &Function,
        id: BlockId,
        mut state: Vec<Alternative>,
        last: bool,
    ) -> Vec<(BlockId, Vec<Alternative>)> {
        let block = &function.blocks[id];
        for (n, instr) in block.instrs.iter().enumerate() {
            if matches!(instr.op, Op::Phi(_)) {
                continue;
            }
            let at = (id, n as u32);
            if last {
                self.record(at, instr, &state);
            }
            let mut next = Vec::with_capacity(state.len());
            for alternative in state {
                self.instruction(at, instr, alternative, &mut next, last);
            }
            state = limit(next);
            if state.is_empty() {
                return Vec::new();
            }
        }
        let mut out: Vec<(BlockId, Vec<Alternative>)> = Vec::new();
        let several = state.len() > 1;
        for alternative in state {
            if let Terminator::Return(value) = &block.term {
                if last {
                    self.leave(function, alternative, value.as_ref());
                }
                continue;
            }
            for (to, mut way) in self.ways(&block.term, alternative, several) {
                self.phis(function, id, to, &mut way);
                match out.iter_mut().find(|(t, _)| *t == to) {
                    Some((_, list)) => list.push(way),
                    None => out.push((to, vec![way])),
                }
            }
        }
        out
    }

    fn record(&mut self, at: At, instr: &Instr, state: &[Alternative]) {
        let known = self.accesses.contains(&at)
            || matches!(instr.op, Op::Call { .. })
            || lock_key(&instr.op).is_some();
        if !known || state.is_empty() {
            return;
        }
        let args = match &instr.op {
            Op::Call { args, .. } => args.as_slice(),
            _ => &[],
        };
        let params = &self.program.functions[self.f].params;
        let told = |v: &ValueId| params.contains(v) || args.contains(&Operand::Value(*v));
        let mut ways: Vec<Way> = Vec::new();
        for a in state {
            let mut given = a.facts.clone();
            given.retain(|v, _| told(v));
            let same = |w: &&mut Way| w.gens == a.gens && w.kills == a.kills;
            match ways.iter_mut().find(same) {
                Some(way) => {
                    weaken(&mut way.given, &given);
                }
                None => ways.push(Way {
                    gens: a.gens.clone(),
                    kills: a.kills.clone(),
                    given,
                }),
            }
        }
        if seeded(LocksetFault::NoIntersection) {
            let all: BTreeSet<Hold> = ways.iter().flat_map(|w| w.gens.clone()).collect();
            for way in &mut ways {
                way.gens = all.iter().copied().collect();
            }
        }
        self.summary.records.insert(at, ways);
    }

    fn instruction(
        &mut self,
        at: At,
        instr: &Instr,
        mut a: Alternative,
        next: &mut Vec<Alternative>,
        last: bool,
    ) {
        if let Some(v) = instr.result {
            a.facts.remove(&v);
            self.again(at.0, &mut a.facts, v);
            if !seeded(LocksetFault::StaleNames) {
                a.gens
                    .retain(|h| !matches!(h.name, Name::From(w, _) if w == v));
            }
        }
        if let Some((object, effect)) = self.all.sayings.said(&instr.op) {
            match effect {
                Effect::Acquire(mode) => self.acquire(&mut a, object, mode),
                Effect::Release(mode) => self.release(at, &mut a, object, mode, false),
            }
            if last && effect == Effect::Acquire(Mode::Over) && !self.summary.overs.contains(&at) {
                self.summary.overs.push(at);
            }
            next.push(a);
            return;
        }
        match &instr.op {
            Op::Call { args, .. } => self.call(at, args, instr.result, a, next),
            Op::Primitive { primitive, args } => {
                if primitive.diverges() {
                    return;
                }
                if let (Primitive::Assume, Some(condition)) = (primitive, args.first()) {
                    self.suppose(&mut a, condition, true, 0);
                }
                if let Some((lock, key, value)) = lock_key(&instr.op) {
                    let more = |v: &Operand| self.is_sum(v);
                    match effect(key, value, more) {
                        Some(Effect::Acquire(mode)) => {
                            let own = seeded(LocksetFault::ReadersOwn);
                            let mode = if own { Mode::Exclusive } else { mode };
                            self.acquire(&mut a, lock, mode);
                        }
                        Some(Effect::Release(mode)) => self.release(at, &mut a, lock, mode, last),
                        None => {}
                    }
                }
                next.push(a);
            }
            _ => next.push(a),
        }
    }

    /// A value is defined in that block: what rests on what it was before is not known any more.
    pub(super) fn again(&mut self, block: BlockId, facts: &mut Facts, v: ValueId) {
        if self.cycles.contains(block.index()) && !seeded(LocksetFault::StaleConditions) {
            let place = (self.program, self.roots, self.f);
            self.conditions.redefined(place, facts, v);
        }
    }

    /// Whether what is known rules out that a condition holds, or that it does not.
    pub(super) fn excludes(&mut self, facts: &Facts, condition: &Operand, holds: bool) -> bool {
        let Operand::Value(v) = condition else {
            return false;
        };
        let place = (self.program, self.roots, self.f);
        self.conditions.excludes(place, facts, *v, holds)
    }

    fn is_sum(&self, value: &Operand) -> bool {
        let Operand::Value(v) = value else {
            return false;
        };
        let op = self
            .roots
            .definition(self.program, self.f, *v)
            .map(|i| &i.op);
        matches!(op, Some(Op::Bin { op: BinOp::Add, rhs, .. }) if constant(rhs) == Some(1))
    }

    /// The names of a lock: by its address if there is one, by the value that it is computed from.
    fn names(&self, lock: &Operand) -> Vec<Name> {
        let mut names = Vec::new();
        if let Some((v, bytes)) = self.roots.of(self.program, self.f, lock) {
            names.push(Name::From(v, bytes));
        }
        if let [address] = self.points_to.targets_in(self.id, lock)[..] {
            names.extend(self.at_single(address));
        }
        names
    }

    fn at_single(&self, address: Address) -> Option<Name> {
        let one = address.stride == 0 || seeded(LocksetFault::ElementsShareOneLock);
        let single = one && self.single.contains(address.object.index());
        single.then_some(Name::At(address))
    }

    pub(super) fn acquire(&self, a: &mut Alternative, lock: &Operand, mode: Mode) {
        for name in self.names(lock) {
            insert(&mut a.gens, Hold { name, mode });
        }
    }

    fn release(&mut self, at: At, a: &mut Alternative, lock: &Operand, mode: Mode, last: bool) {
        let id = self.released(at, lock, mode);
        let release = self.all.release(id).clone();
        if !seeded(LocksetFault::ReleaseKillsNothing) {
            a.gens
                .retain(|h| !kills(self.points_to, self.id, &release, h));
            insert(&mut a.kills, id);
        }
        if last && !self.summary.releases.contains(&(at, id)) {
            self.summary.releases.push((at, id));
        }
    }

    fn call(
        &mut self,
        at: At,
        args: &[Operand],
        result: Option<ValueId>,
        a: Alternative,
        next: &mut Vec<Alternative>,
    ) {
        let callees = self.callees.get(&at).cloned().unwrap_or_default();
        if callees.is_empty() {
            next.push(a);
            return;
        }
        for callee in callees {
            if !self.all.touches(callee) {
                next.push(a.clone());
                continue;
            }
            let params = self.points_to.instances()[callee].function;
            let params = &self.program.functions[params].params;
            let mut exits = self.all.exits(callee).to_vec();
            if seeded(LocksetFault::TriedIsTaken) {
                let all: Vec<Hold> = exits.iter().flat_map(|e| e.gens.clone()).collect();
                exits.iter_mut().for_each(|e| e.gens.clone_from(&all));
            }
            for exit in exits {
                let mut after = a.clone();
                if !self.given(&mut after, &exit.given, params, args) {
                    continue;
                }
                for id in exit.kills {
                    let id = self.release_here((at, callee, id), params, args);
                    let release = self.all.release(id).clone();
                    if seeded(LocksetFault::CalleeReleasesNothing) {
                        continue;
                    }
                    after
                        .gens
                        .retain(|h| !kills(self.points_to, self.id, &release, h));
                    insert(&mut after.kills, id);
                }
                for hold in exit.gens {
                    for name in self.name_here(hold.name, params, args) {
                        insert(
                            &mut after.gens,
                            Hold {
                                name,
                                mode: hold.mode,
                            },
                        );
                    }
                }
                if let (Some(v), Some(fact)) = (result, exit.result) {
                    after.facts.insert(v, fact);
                }
                next.push(after);
            }
        }
    }

    /// Adds what is so of the arguments on a way through the callee. `false`: the way is none from here.
    fn given(
        &self,
        a: &mut Alternative,
        given: &Facts,
        params: &[ValueId],
        args: &[Operand],
    ) -> bool {
        for (param, fact) in given {
            let position = params.iter().position(|p| p == param);
            let Some(arg) = position.and_then(|n| args.get(n)) else {
                continue;
            };
            let known = self.fact(&a.facts, arg, 0);
            if known.is_some_and(|k| k.contradicts(*fact)) {
                return false;
            }
            self.learn(a, arg, *fact);
        }
        true
    }

    /// The callee's name of a lock, in the caller's terms.
    fn name_here(&self, name: Name, params: &[ValueId], args: &[Operand]) -> Vec<Name> {
        let Name::From(v, o) = name else {
            return vec![name];
        };
        let position = params.iter().position(|p| *p == v);
        let Some(arg) = position.and_then(|n| args.get(n)) else {
            return Vec::new();
        };
        let mut names = Vec::new();
        if let Some((w, c)) = self.roots.of(self.program, self.f, arg) {
            names.push(Name::From(w, o.wrapping_add(c)));
        }
        if let [address] = self.points_to.targets_in(self.id, arg)[..] {
            names.extend(self.at_single(address.moved(o, 0)));
        }
        names
    }

    fn leave(&mut self, function: &Function, a: Alternative, value: Option<&Operand>) {
        let result = value.and_then(|v| self.fact(&a.facts, v, 0));
        let known = |h: &Hold| match h.name {
            Name::At(_) => true,
            Name::From(v, _) => function.params.contains(&v),
        };
        let gens: Vec<Hold> = a.gens.into_iter().filter(known).collect();
        let kills = a.kills;
        let mut given = a.facts;
        given.retain(|v, _| function.params.contains(v));
        let exits = &mut self.summary.exits;
        match exits
            .iter_mut()
            .find(|e| e.gens == gens && e.kills == kills)
        {
            Some(_) if seeded(LocksetFault::FirstResultOnly) => {}
            Some(exit) => {
                weaken(&mut exit.given, &given);
                exit.result = match (exit.result, result) {
                    (Some(x), Some(y)) => x.either(y),
                    _ => None,
                };
            }
            None => exits.push(Exit {
                gens,
                kills,
                result,
                given,
            }),
        }
        if exits.len() > MAX_ALTERNATIVES {
            let mut all = exits.swap_remove(0);
            for e in exits.drain(..) {
                on_both(&mut all.gens, &e.gens);
                all.kills.extend(e.kills);
                all.result = match (all.result, e.result) {
                    (Some(x), Some(y)) => x.either(y),
                    _ => None,
                };
            }
            all.kills.sort_unstable();
            all.kills.dedup();
            all.given.clear();
            exits.push(all);
        }
    }
}

fn insert<T: Ord>(sorted: &mut Vec<T>, item: T) {
    if let Err(n) = sorted.binary_search(&item) {
        sorted.insert(n, item);
    }
}

/// Adds states to those of a place; whether that changed anything.
fn join(state: &mut Vec<Alternative>, more: Vec<Alternative>) -> bool {
    let mut changed = false;
    for a in more {
        match state
            .iter_mut()
            .find(|b| b.gens == a.gens && b.kills == a.kills)
        {
            Some(_) if seeded(LocksetFault::FactsOfOneWay) => {}
            Some(b) => changed |= weaken(&mut b.facts, &a.facts),
            None => {
                // One that says less stands for it already.
                let covered = state.iter().any(|b| covers(b, &a));
                if !covered {
                    state.push(a);
                    changed = true;
                }
            }
        }
    }
    if state.len() > MAX_ALTERNATIVES {
        collapse(state);
        changed = true;
    }
    changed
}

/// Whether all that `a` allows is allowed by `b`, which knows nothing of values.
fn covers(b: &Alternative, a: &Alternative) -> bool {
    b.facts.is_empty()
        && b.gens.iter().all(|h| a.gens.contains(h))
        && a.kills.iter().all(|r| b.kills.contains(r))
}

/// Keeps what both know; whether that was less.
pub(super) fn weaken(facts: &mut Facts, other: &Facts) -> bool {
    let mut changed = false;
    facts.retain(|v, fact| {
        let both = other.get(v).and_then(|o| fact.either(*o));
        changed |= both != Some(*fact);
        match both {
            Some(both) => {
                *fact = both;
                true
            }
            None => false,
        }
    });
    changed
}

fn collapse(state: &mut Vec<Alternative>) {
    let mut all = state.swap_remove(0);
    for a in state.drain(..) {
        on_both(&mut all.gens, &a.gens);
        all.kills.extend(a.kills);
    }
    all.kills.sort_unstable();
    all.kills.dedup();
    all.facts.clear();
    state.push(all);
}

fn limit(state: Vec<Alternative>) -> Vec<Alternative> {
    let mut out = Vec::new();
    join(&mut out, state);
    out
}
