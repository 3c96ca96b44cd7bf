//! What is known of values: conditions that have been passed, results of calls, phis.

use std::collections::BTreeMap;

use super::super::points_to::constant;
use super::flow::{Alternative, Flow};
use super::holds::{Mode, OWNER};
use super::roots::{Roots, What, is_owner, is_reader_key};
use crate::faults::{LocksetFault, seeded};
use crate::index::{BlockId, FuncId, ValueId};
use crate::program::{
    BinOp, Callee, CastKind, Const, Function, IntPredicate, Op, Operand, Primitive, Program,
    Terminator, Type,
};

use super::holds::Name;

/// Blocks followed to find a constant result.
const MAX_BLOCKS: u32 = 32;

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

    /// Whether not both can be so.
    pub(super) fn contradicts(self, other: Fact) -> bool {
        if seeded(LocksetFault::FactsDiffer) {
            return self != other;
        }
        let no = |x: Fact, y: Fact| match (x, y) {
            (Fact::Const(v, bits), Fact::Const(w, more)) => {
                (v ^ w) & mask(bits.min(more).min(128)) != 0
            }
            (Fact::Const(0, _), Fact::NotZero) => true,
            (Fact::Const(..), Fact::Negative) => !x.is_negative(),
            _ => false,
        };
        no(self, other) || no(other, self)
    }

    /// What holds where either does.
    pub(super) fn either(self, other: Fact) -> Option<Fact> {
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

pub(super) type Facts = BTreeMap<ValueId, Fact>;

impl Roots {
    /// What is known of an operand.
    pub fn fact(
        &self,
        program: &Program,
        f: FuncId,
        facts: &Facts,
        operand: &Operand,
        depth: u32,
    ) -> Option<Fact> {
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
        let of = |o: &Operand| self.fact(program, f, facts, o, depth + 1);
        let truth = |b: bool| Some(Fact::Const(u128::from(b), 1));
        match &self.definition(program, f, v)?.op {
            Op::Cast {
                kind, value, to, ..
            } => {
                let bits = to.bits(program.layout.pointer_bytes)?;
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
            Op::Call {
                callee: Callee::Direct(g),
                ..
            } => self.results[*g],
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

    /// The result of a function whose way through is the same for all arguments, if it is a constant: what the models ask of
    /// the kernel's configuration.
    pub fn constant_result(&self, program: &Program, f: FuncId) -> Option<Fact> {
        let function = &program.functions[f];
        let mut facts = Facts::new();
        let mut from = None;
        let mut at = BlockId(0);
        for _ in 0..MAX_BLOCKS {
            let block = function.blocks.get(at)?;
            for instr in &block.instrs {
                let fact = match (&instr.op, from) {
                    (Op::Phi(incoming), Some(from)) => {
                        let value = incoming.iter().find(|(b, _)| *b == from).map(|(_, o)| o);
                        value.and_then(|o| self.fact(program, f, &facts, o, 0))
                    }
                    _ => None,
                };
                if let (Some(v), Some(fact)) = (instr.result, fact) {
                    facts.insert(v, fact);
                }
            }
            let next = match &block.term {
                Terminator::Jump(to) => *to,
                Terminator::Branch {
                    cond,
                    if_true,
                    if_false,
                } => match self.fact(program, f, &facts, cond, 0)? {
                    Fact::Const(0, _) => *if_false,
                    _ => *if_true,
                },
                Terminator::Return(value) => {
                    return self.fact(program, f, &facts, value.as_ref()?, 0);
                }
                _ => return None,
            };
            from = Some(at);
            at = next;
        }
        None
    }
}

impl Flow<'_> {
    /// Where control goes on, with what is known there. `several`: other ways lead here, which hold something else.
    pub(super) fn ways(
        &mut self,
        term: &Terminator,
        a: Alternative,
        several: bool,
    ) -> Vec<(BlockId, Alternative)> {
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
                    let out_of_question =
                        known.is_none() && several && self.excludes(&a.facts, cond, way);
                    if known.is_none_or(|k| k == way) && !out_of_question {
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
    pub(super) fn phis(
        &mut self,
        function: &Function,
        from: BlockId,
        to: BlockId,
        a: &mut Alternative,
    ) {
        let mut values = Vec::new();
        for instr in &function.blocks[to].instrs {
            let Op::Phi(incoming) = &instr.op else { break };
            let operand = incoming.iter().find(|(b, _)| *b == from).map(|(_, o)| o);
            let fact = operand.and_then(|o| self.fact(&a.facts, o, 0));
            values.extend(instr.result.map(|v| (v, fact)));
        }
        for (v, _) in &values {
            self.again(to, &mut a.facts, *v);
        }
        for (v, fact) in values {
            if !seeded(LocksetFault::StalePhis) {
                a.gens
                    .retain(|h| !matches!(h.name, Name::From(w, _) if w == v));
            }
            match fact {
                Some(fact) => a.facts.insert(v, fact),
                None => a.facts.remove(&v),
            };
        }
    }

    /// What is known of an operand.
    pub(super) fn fact(&self, facts: &Facts, operand: &Operand, depth: u32) -> Option<Fact> {
        self.roots.fact(self.program, self.f, facts, operand, depth)
    }

    /// Adds what follows from a condition. `false`: it cannot be so.
    pub(super) fn suppose(
        &self,
        a: &mut Alternative,
        condition: &Operand,
        holds: bool,
        depth: u32,
    ) -> bool {
        let Operand::Value(v) = condition else {
            return true;
        };
        if depth == MAX_DEPTH {
            return true;
        }
        let is_bit = self.program.functions[self.f].values[*v].ty == Type::Int(1);
        if is_bit {
            a.facts.insert(*v, Fact::Const(u128::from(holds), 1));
        } else if holds {
            a.facts.entry(*v).or_insert(Fact::NotZero);
        }
        let Some(instr) = self.roots.definition(self.program, self.f, *v) else {
            return true;
        };
        match &instr.op {
            Op::Icmp { pred, lhs, rhs } => {
                self.suppose_compared(a, *pred, (lhs, rhs), (holds, depth));
                true
            }
            Op::Cast {
                kind: CastKind::ZExt | CastKind::SExt,
                value,
                ..
            } => self.suppose(a, value, holds, depth + 1),
            // A Boolean that was kept in a byte.
            Op::Cast {
                kind: CastKind::Trunc,
                value: Operand::Value(wide),
                ..
            } if is_bit => match self.widened(*wide) {
                Some(value) => self.suppose(a, value, holds, depth + 1),
                None => true,
            },
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
            } => self.suppose_select(a, cond, (if_true, if_false), (holds, depth)),
            _ => true,
        }
    }

    /// Adds what follows from a comparison.
    fn suppose_compared(
        &self,
        a: &mut Alternative,
        pred: IntPredicate,
        (lhs, rhs): (&Operand, &Operand),
        (holds, depth): (bool, u32),
    ) {
        let equal = match (pred, holds) {
            (IntPredicate::Eq, true) | (IntPredicate::Ne, false) => true,
            (IntPredicate::Eq, false) | (IntPredicate::Ne, true) => false,
            (IntPredicate::Slt, true) if constant(rhs) == Some(0) => {
                if let Operand::Value(x) = lhs {
                    a.facts.entry(*x).or_insert(Fact::Negative);
                }
                return;
            }
            _ => return,
        };
        for (x, y) in [(lhs, rhs), (rhs, lhs)] {
            self.compared(a, x, y, equal, depth);
        }
    }

    /// The Boolean that a value is, in more bits.
    fn widened(&self, wide: ValueId) -> Option<&Operand> {
        match &self.roots.definition(self.program, self.f, wide)?.op {
            Op::Cast {
                kind: CastKind::ZExt,
                value,
                from: Type::Int(1),
                ..
            } => Some(value),
            _ => None,
        }
    }

    /// Adds what follows from a condition that is one of two values.
    fn suppose_select(
        &self,
        a: &mut Alternative,
        cond: &Operand,
        (if_true, if_false): (&Operand, &Operand),
        (holds, depth): (bool, u32),
    ) -> bool {
        match (constant(if_true), constant(if_false)) {
            (Some(x), Some(0)) if x != 0 => self.suppose(a, cond, holds, depth + 1),
            (Some(0), Some(y)) if y != 0 => self.suppose(a, cond, !holds, depth + 1),
            // `x && y`, `x || y` of C, as clang writes them.
            (None, Some(0)) if holds => {
                self.suppose(a, cond, true, depth + 1) && self.suppose(a, if_true, true, depth + 1)
            }
            (Some(x), None) if x != 0 && !holds => {
                self.suppose(a, cond, false, depth + 1)
                    && self.suppose(a, if_false, false, depth + 1)
            }
            _ => true,
        }
    }

    /// Adds a fact about an operand, and what follows from it.
    pub(super) fn learn(&self, a: &mut Alternative, operand: &Operand, fact: Fact) {
        let Operand::Value(v) = operand else { return };
        if !matches!(a.facts.get(v), Some(Fact::Const(..))) {
            a.facts.insert(*v, fact);
        }
        self.through_casts(a, operand, !matches!(fact, Fact::Const(0, _)), 0);
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
        let definition = self.roots.definition(self.program, self.f, *v);
        let Some(Op::Primitive {
            primitive: Primitive::GhostGet,
            args,
        }) = definition.map(|i| &i.op)
        else {
            return;
        };
        let [lock, key, ..] = args.as_slice() else {
            return;
        };
        let none = matches!(other, Some(Fact::Const(0, _)));
        let owns = equal || seeded(LocksetFault::NotTheOwnerOwns);
        let reads = !equal || seeded(LocksetFault::NoReaderReads);
        if owns && constant(key) == Some(OWNER) && self.is_own(is_owner, y) {
            // The owner of a lock is the running thread: it holds it.
            self.acquire(a, lock, Mode::Exclusive);
        } else if reads && none && self.is_own(is_reader_key, key) {
            // It has read holds.
            self.acquire(a, lock, Mode::Shared);
        }
    }

    fn is_own(&self, what: What, operand: &Operand) -> bool {
        what(self.program, self.roots, self.own, self.f, operand)
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
