//! The flow of locks through one function.
//!
//! A state is a few alternatives, told apart by what is held and released; each keeps what is known of values on all its ways
//! (Das, Lerner, Seigle: ESP, PLDI 2002). So `if (!trylock()) return;` and `if (c) lock(); …; if (c) unlock();` come out as they
//! are meant, at a cost that does not grow with the number of paths. More alternatives than [`MAX_ALTERNATIVES`] become one.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::index::{BlockId, FuncId, Idx, ValueId};
use crate::program::{
    BinOp, CastKind, Const, Function, Instr, IntPredicate, Op, Operand, Primitive, Program,
    Terminator,
};

use super::super::points_to::{Address, InstanceId, Place, PointsTo, constant};
use super::holds::{Effect, Hold, Mode, Name, Release, ReleaseId, effect, kills, lock_key};
use super::roots::{Roots, is_owner};
use super::summaries::{At, Exit, Record, Summaries, Summary};

/// States kept apart at one place.
const MAX_ALTERNATIVES: usize = 12;
/// Depth to which a condition is looked through.
const MAX_DEPTH: u32 = 8;

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// It is that number (of so many bits).
    Const(u128, u32),
    /// It is less than zero.
    Negative,
    /// It is not zero.
    NotZero,
}

impl Fact {
    fn is_negative(self) -> bool {
        match self {
            Fact::Const(v, bits) => bits > 0 && bits <= 128 && v >> (bits - 1) & 1 == 1,
            Fact::Negative => true,
            Fact::NotZero => false,
        }
    }

    /// What holds where either does.
    fn either(self, other: Fact) -> Option<Fact> {
        if self == other {
            return Some(self);
        }
        if self.is_negative() && other.is_negative() {
            return Some(Fact::Negative);
        }
        let zero = |f: Fact| matches!(f, Fact::Const(0, _));
        (!zero(self) && !zero(other)).then_some(Fact::NotZero)
    }
}

type Facts = BTreeMap<ValueId, Fact>;

/// A state: what has been acquired since the entry and is held, what of the entry's may be released, what is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Alternative {
    gens: Vec<Hold>,
    kills: Vec<ReleaseId>,
    facts: Facts,
}

/// The analysis of one instance.
pub(super) struct Flow<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    roots: &'a Roots,
    single: &'a FixedBitSet,
    owners: &'a FixedBitSet,
    all: &'a mut Summaries,
    id: InstanceId,
    f: FuncId,
    callees: FxHashMap<At, Vec<InstanceId>>,
    accesses: BTreeSet<At>,
    summary: Summary,
}

impl<'a> Flow<'a> {
    pub fn new(
        program: &'a Program,
        points_to: &'a PointsTo,
        roots: &'a Roots,
        single: &'a FixedBitSet,
        owners: &'a FixedBitSet,
        all: &'a mut Summaries,
        id: InstanceId,
    ) -> Flow<'a> {
        let instance = &points_to.instances()[id];
        let at = |p: &Place| (p.block, p.index);
        let mut callees: FxHashMap<At, Vec<InstanceId>> = FxHashMap::default();
        for (place, callee) in &instance.calls {
            callees.entry(at(place)).or_default().push(*callee);
        }
        let accesses = instance.accesses.iter().map(|a| at(&a.place)).collect();
        Flow {
            program,
            points_to,
            roots,
            single,
            owners,
            all,
            id,
            f: instance.function,
            callees,
            accesses,
            summary: Summary::default(),
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
        for alternative in state {
            if let Terminator::Return(value) = &block.term {
                if last {
                    self.leave(function, alternative, value.as_ref());
                }
                continue;
            }
            for (to, mut way) in self.ways(&block.term, alternative) {
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
        let Some(first) = state.first().filter(|_| known) else {
            return;
        };
        let mut record = Record {
            gens: first.gens.clone(),
            kills: Vec::new(),
        };
        for a in state {
            record.gens.retain(|h| a.gens.contains(h));
            record.kills.extend(&a.kills);
        }
        record.kills.sort_unstable();
        record.kills.dedup();
        self.summary.records.insert(at, record);
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
            a.gens
                .retain(|h| !matches!(h.name, Name::From(w, _) if w == v));
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
                        Some(Effect::Acquire(mode)) => self.acquire(&mut a, lock, mode),
                        Some(Effect::Release(mode)) => self.release(at, &mut a, lock, mode, last),
                        None => {}
                    }
                }
                next.push(a);
            }
            _ => next.push(a),
        }
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
        let single = address.stride == 0 && self.single.contains(address.object.index());
        single.then_some(Name::At(address))
    }

    fn acquire(&self, a: &mut Alternative, lock: &Operand, mode: Mode) {
        for name in self.names(lock) {
            insert(&mut a.gens, Hold { name, mode });
        }
    }

    fn release(&mut self, at: At, a: &mut Alternative, lock: &Operand, mode: Mode, last: bool) {
        let targets = self.points_to.targets_in(self.id, lock);
        let release = Release {
            mode,
            lost: targets.is_empty(),
            targets,
            base: self.roots.of(self.program, self.f, lock),
        };
        let id = self.all.releases.intern(release.clone());
        a.gens
            .retain(|h| !kills(self.points_to, self.id, &release, h));
        insert(&mut a.kills, id);
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
            for exit in self.all.exits(callee).to_vec() {
                let mut after = a.clone();
                for id in exit.kills {
                    let release = self.release_here(id, params, args);
                    after
                        .gens
                        .retain(|h| !kills(self.points_to, self.id, &release, h));
                    let id = self.all.releases.intern(release);
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

    /// What the callee released, in the caller's terms.
    fn release_here(&self, id: ReleaseId, params: &[ValueId], args: &[Operand]) -> Release {
        let mut release = self.all.release(id).clone();
        release.base = release.base.and_then(|(v, o)| {
            let n = params.iter().position(|p| *p == v)?;
            let (w, c) = self.roots.of(self.program, self.f, args.get(n)?)?;
            Some((w, o.wrapping_add(c)))
        });
        release
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
        let exits = &mut self.summary.exits;
        match exits
            .iter_mut()
            .find(|e| e.gens == gens && e.kills == kills)
        {
            Some(exit) => {
                exit.result = match (exit.result, result) {
                    (Some(x), Some(y)) => x.either(y),
                    _ => None,
                };
            }
            None => exits.push(Exit {
                gens,
                kills,
                result,
            }),
        }
        if exits.len() > MAX_ALTERNATIVES {
            let mut all = exits.swap_remove(0);
            for e in exits.drain(..) {
                all.gens.retain(|h| e.gens.contains(h));
                all.kills.extend(e.kills);
                all.result = match (all.result, e.result) {
                    (Some(x), Some(y)) => x.either(y),
                    _ => None,
                };
            }
            all.kills.sort_unstable();
            all.kills.dedup();
            exits.push(all);
        }
    }

    // ---- conditions ----

    /// Where control goes on, with what is known there.
    fn ways(&self, term: &Terminator, a: Alternative) -> Vec<(BlockId, Alternative)> {
        match term {
            Terminator::Jump(to) => vec![(*to, a)],
            Terminator::Branch {
                cond,
                if_true,
                if_false,
            } => {
                let known = match self.fact(&a.facts, cond, 0) {
                    Some(Fact::Const(v, _)) => Some(v != 0),
                    Some(_) => Some(true),
                    None => None,
                };
                let mut out = Vec::new();
                for (way, to) in [(true, *if_true), (false, *if_false)] {
                    if known.is_none_or(|k| k == way) {
                        let mut next = a.clone();
                        if self.suppose(&mut next, cond, way, 0) {
                            out.push((to, next));
                        }
                    }
                }
                out
            }
            Terminator::Switch {
                value,
                bits,
                cases,
                default,
            } => {
                let known = self.fact(&a.facts, value, 0);
                if let Some(Fact::Const(v, _)) = known {
                    let hit = cases.iter().find(|(c, _)| *c == v);
                    return vec![(hit.map_or(*default, |(_, to)| *to), a)];
                }
                let mut out = Vec::new();
                for (c, to) in cases {
                    if *c == 0 && known.is_some() {
                        continue;
                    }
                    let mut next = a.clone();
                    if let Operand::Value(v) = value {
                        next.facts.insert(*v, Fact::Const(*c, *bits));
                    }
                    out.push((*to, next));
                }
                out.push((*default, a));
                out
            }
            Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported(_) => {
                Vec::new()
            }
        }
    }

    /// The phis of a block that is entered from another.
    fn phis(&self, function: &Function, from: BlockId, to: BlockId, a: &mut Alternative) {
        let mut values = Vec::new();
        for instr in &function.blocks[to].instrs {
            let Op::Phi(incoming) = &instr.op else { break };
            let operand = incoming.iter().find(|(b, _)| *b == from).map(|(_, o)| o);
            let fact = operand.and_then(|o| self.fact(&a.facts, o, 0));
            values.extend(instr.result.map(|v| (v, fact)));
        }
        for (v, fact) in values {
            a.gens
                .retain(|h| !matches!(h.name, Name::From(w, _) if w == v));
            match fact {
                Some(fact) => a.facts.insert(v, fact),
                None => a.facts.remove(&v),
            };
        }
    }

    /// What is known of an operand.
    fn fact(&self, facts: &Facts, operand: &Operand, depth: u32) -> Option<Fact> {
        let v = match operand {
            Operand::Const(Const::Int { bits, value }) => return Some(Fact::Const(*value, *bits)),
            Operand::Const(Const::Null) => return Some(Fact::Const(0, 64)),
            Operand::Const(Const::Addr { .. } | Const::Func { .. }) => return Some(Fact::NotZero),
            Operand::Const(_) => return None,
            Operand::Value(v) => *v,
        };
        if let Some(fact) = facts.get(&v) {
            return Some(*fact);
        }
        if depth == MAX_DEPTH {
            return None;
        }
        let of = |o: &Operand| self.fact(facts, o, depth + 1);
        let truth = |b: bool| Some(Fact::Const(u128::from(b), 1));
        match &self.roots.definition(self.program, self.f, v)?.op {
            Op::Cast {
                kind, value, to, ..
            } => {
                let bits = to.bits(self.program.layout.pointer_bytes)?;
                match (kind, of(value)?) {
                    (CastKind::ZExt, Fact::Const(v, _)) => Some(Fact::Const(v, bits)),
                    (CastKind::ZExt, _) => Some(Fact::NotZero),
                    (CastKind::SExt, Fact::Const(v, from)) if from > 0 && from < bits => {
                        let negative = v >> (from - 1) & 1 == 1;
                        let high = mask(bits) & !mask(from);
                        Some(Fact::Const(if negative { v | high } else { v }, bits))
                    }
                    (CastKind::SExt, fact) => Some(fact),
                    (CastKind::Trunc, Fact::Const(v, _)) => Some(Fact::Const(v & mask(bits), bits)),
                    (CastKind::Bitcast, fact) => Some(fact),
                    _ => None,
                }
            }
            Op::Icmp { pred, lhs, rhs } => truth(compare(*pred, of(lhs)?, of(rhs)?)?),
            Op::Select {
                cond,
                if_true,
                if_false,
            } => match of(cond) {
                Some(Fact::Const(0, _)) => of(if_false),
                Some(_) => of(if_true),
                None => of(if_true)?.either(of(if_false)?),
            },
            Op::Bin { op, lhs, rhs } => match (op, of(lhs), of(rhs)) {
                (BinOp::And, Some(Fact::Const(0, b)), _)
                | (BinOp::And, _, Some(Fact::Const(0, b))) => Some(Fact::Const(0, b)),
                (BinOp::Xor, Some(Fact::Const(x, b)), Some(Fact::Const(y, _))) => {
                    Some(Fact::Const(x ^ y, b))
                }
                (BinOp::And, Some(Fact::Const(x, b)), Some(Fact::Const(y, _))) => {
                    Some(Fact::Const(x & y, b))
                }
                (BinOp::Or, Some(Fact::Const(x, b)), Some(Fact::Const(y, _))) => {
                    Some(Fact::Const(x | y, b))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds what follows from a condition. `false`: it cannot be so.
    fn suppose(&self, a: &mut Alternative, condition: &Operand, holds: bool, depth: u32) -> bool {
        let Operand::Value(v) = condition else {
            return true;
        };
        if depth == MAX_DEPTH {
            return true;
        }
        let Some(instr) = self.roots.definition(self.program, self.f, *v) else {
            a.facts.insert(*v, Fact::Const(u128::from(holds), 1));
            return true;
        };
        let is_bit = self.program.functions[self.f].values[*v].ty == crate::program::Type::Int(1);
        if is_bit {
            a.facts.insert(*v, Fact::Const(u128::from(holds), 1));
        } else if holds {
            a.facts.entry(*v).or_insert(Fact::NotZero);
        }
        match &instr.op {
            Op::Icmp { pred, lhs, rhs } => {
                let equal = match (pred, holds) {
                    (IntPredicate::Eq, true) | (IntPredicate::Ne, false) => true,
                    (IntPredicate::Eq, false) | (IntPredicate::Ne, true) => false,
                    (IntPredicate::Slt, true) if constant(rhs) == Some(0) => {
                        if let Operand::Value(x) = lhs {
                            a.facts.entry(*x).or_insert(Fact::Negative);
                        }
                        return true;
                    }
                    _ => return true,
                };
                for (x, y) in [(lhs, rhs), (rhs, lhs)] {
                    self.compared(a, x, y, equal, depth);
                }
                true
            }
            Op::Cast {
                kind: CastKind::ZExt | CastKind::SExt,
                value,
                ..
            } => self.suppose(a, value, holds, depth + 1),
            Op::Bin {
                op: BinOp::Xor,
                lhs,
                rhs,
            } if is_bit && constant(rhs).is_some_and(|c| c != 0) => {
                self.suppose(a, lhs, !holds, depth + 1)
            }
            Op::Bin {
                op: BinOp::And,
                lhs,
                rhs,
            } if holds && is_bit => {
                self.suppose(a, lhs, true, depth + 1) && self.suppose(a, rhs, true, depth + 1)
            }
            Op::Bin {
                op: BinOp::Or,
                lhs,
                rhs,
            } if !holds => {
                self.suppose(a, lhs, false, depth + 1) && self.suppose(a, rhs, false, depth + 1)
            }
            Op::Select {
                cond,
                if_true,
                if_false,
            } => match (constant(if_true), constant(if_false)) {
                (Some(x), Some(0)) if x != 0 => self.suppose(a, cond, holds, depth + 1),
                (Some(0), Some(y)) if y != 0 => self.suppose(a, cond, !holds, depth + 1),
                // `x && y`, `x || y` of C, as clang writes them.
                (None, Some(0)) if holds => {
                    self.suppose(a, cond, true, depth + 1)
                        && self.suppose(a, if_true, true, depth + 1)
                }
                (Some(x), None) if x != 0 && !holds => {
                    self.suppose(a, cond, false, depth + 1)
                        && self.suppose(a, if_false, false, depth + 1)
                }
                _ => true,
            },
            _ => true,
        }
    }

    /// `x == y`, or not.
    fn compared(&self, a: &mut Alternative, x: &Operand, y: &Operand, equal: bool, depth: u32) {
        let Operand::Value(v) = x else { return };
        let other = self.fact(&a.facts, y, 0);
        match (equal, other) {
            (true, Some(fact @ Fact::Const(value, _))) => {
                a.facts.insert(*v, fact);
                self.through_casts(a, x, value != 0, depth);
            }
            (false, Some(Fact::Const(0, _))) => {
                a.facts.entry(*v).or_insert(Fact::NotZero);
                self.through_casts(a, x, true, depth);
            }
            _ => {}
        }
        // The owner of a lock is the running thread: it holds it.
        if equal && is_owner(self.program, self.roots, self.owners, self.f, y) {
            let definition = self.roots.definition(self.program, self.f, *v);
            if let Some(Op::Primitive {
                primitive: Primitive::GhostGet,
                args,
            }) = definition.map(|i| &i.op)
                && let [lock, key, ..] = args.as_slice()
                && constant(key) == Some(super::holds::OWNER)
            {
                self.acquire(a, lock, Mode::Exclusive);
            }
        }
    }

    /// A Boolean that was widened before it was compared.
    fn through_casts(&self, a: &mut Alternative, x: &Operand, nonzero: bool, depth: u32) {
        let Operand::Value(v) = x else { return };
        if let Some(Op::Cast { .. } | Op::Select { .. } | Op::Icmp { .. } | Op::Bin { .. }) = self
            .roots
            .definition(self.program, self.f, *v)
            .map(|i| &i.op)
        {
            let known = a.facts.get(v).copied();
            self.suppose(a, x, nonzero, depth + 1);
            // What is known already is more exact.
            if let Some(known) = known {
                a.facts.insert(*v, known);
            }
        }
    }
}

fn mask(bits: u32) -> u128 {
    if bits >= 128 {
        u128::MAX
    } else {
        (1 << bits) - 1
    }
}

fn compare(pred: IntPredicate, x: Fact, y: Fact) -> Option<bool> {
    use IntPredicate as P;
    if let (Fact::Const(x, bits), Fact::Const(y, other)) = (x, y) {
        let bits = bits.max(other).clamp(1, 128);
        let (x, y) = (x & mask(bits), y & mask(bits));
        let signed = |v: u128| (v << (128 - bits)) as i128;
        return Some(match pred {
            P::Eq => x == y,
            P::Ne => x != y,
            P::Ugt => x > y,
            P::Uge => x >= y,
            P::Ult => x < y,
            P::Ule => x <= y,
            P::Sgt => signed(x) > signed(y),
            P::Sge => signed(x) >= signed(y),
            P::Slt => signed(x) < signed(y),
            P::Sle => signed(x) <= signed(y),
        });
    }
    let zero = matches!(y, Fact::Const(0, _));
    match (pred, x) {
        (P::Eq, Fact::Negative | Fact::NotZero) if zero => Some(false),
        (P::Ne | P::Ugt, Fact::Negative | Fact::NotZero) if zero => Some(true),
        (P::Slt | P::Sle, Fact::Negative) if zero => Some(true),
        (P::Sgt | P::Sge, Fact::Negative) if zero => Some(false),
        _ => None,
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
fn weaken(facts: &mut Facts, other: &Facts) -> bool {
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
        all.gens.retain(|h| a.gens.contains(h));
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
