//! Instructions other than calls.

use std::sync::Arc;

use crate::expr::{Term, Terms};
use crate::faults::{RoundsFault, seeded};
use crate::index::LocId;
use crate::program::{AtomicRmwOp, BinOp, CastKind, Instr, IntPredicate, Op, Operand, Type};
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::float;
use crate::symex::machine::state::{Flow, State, Value};
use crate::symex::memory::STORE;
use crate::symex::memory::layers::{Access, Store};
use crate::symex::memory::objects::{Initial, Origin};

impl Executor<'_> {
    fn scalar(&mut self, flow: &Flow, operand: &Operand) -> Term {
        match self.operand(flow, operand) {
            Value::Scalar(t) => t,
            Value::Tuple(parts) => parts[0],
        }
    }

    /// Executes an instruction: `None`: the path ends; `Some(None)`: no result.
    pub(in crate::symex) fn operation(
        &mut self,
        op: &Op,
        instr: &Instr,
        key: u64,
        flow: &mut Flow,
    ) -> Option<Option<Value>> {
        let loc = instr.loc;
        let at = Access { instr, key };
        if let Some(result) = STORE.instead(self, &at) {
            let Op::CmpXchg { expected, .. } = op else {
                return Some(result.map(Value::Scalar));
            };
            let (old, expected) = (result?, self.scalar(flow, expected));
            let same = self.terms.eq(old, expected);
            return Some(Some(Value::Tuple(Arc::from([old, same]))));
        }
        let value = match op {
            Op::Phi(_) | Op::Call { .. } | Op::Primitive { .. } => return Some(None),
            Op::Bin { op, lhs, rhs } => {
                let (x, y) = (self.scalar(flow, lhs), self.scalar(flow, rhs));
                self.binary(*op, x, y, &mut flow.state, loc)?
            }
            Op::Icmp { pred, lhs, rhs } => {
                let (x, y) = (self.scalar(flow, lhs), self.scalar(flow, rhs));
                self.terms.compare(*pred, x, y)
            }
            Op::Cast { .. } => return Some(Some(self.cast(op, flow))),
            Op::Select { .. } => return self.select(op, flow, loc),
            Op::Gep { .. } => self.address_of(op, flow),
            Op::Bounds { .. }
            | Op::Alloca { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. } => return self.memory_operation(&at, op, flow),
            Op::AtomicRmw { .. } | Op::CmpXchg { .. } => return self.exchange(&at, op, flow),
            Op::Extract { tuple, index } => match self.operand(flow, tuple) {
                Value::Tuple(parts) => parts[*index as usize],
                Value::Scalar(t) => t,
            },
            Op::Insert {
                tuple,
                index,
                value,
            } => {
                let Value::Tuple(parts) = self.operand(flow, tuple) else {
                    return self.refuse(&flow.state, "insert into a scalar", loc);
                };
                let mut parts = parts.to_vec();
                parts[*index as usize] = self.scalar(flow, value);
                return Some(Some(Value::Tuple(parts.into())));
            }
            Op::CountOnes { .. }
            | Op::LeadingZeros { .. }
            | Op::TrailingZeros { .. }
            | Op::ByteSwap { .. }
            | Op::FunnelShift { .. }
            | Op::WithOverflow { .. } => return self.bit_operation(op, flow),
            Op::Float { .. } | Op::FloatCompare { .. } | Op::FloatConvert { .. } => {
                self.float_operation(op, flow)
            }
            Op::Unsupported(what) => return self.refuse(&flow.state, what, loc),
        };
        Some(Some(Value::Scalar(value)))
    }

    /// The same value in another type.
    fn cast(&mut self, op: &Op, flow: &mut Flow) -> Value {
        let Op::Cast {
            kind, value, to, ..
        } = op
        else {
            unreachable!("another family");
        };
        if matches!(to, Type::Tuple(_)) {
            return self.operand(flow, value);
        }
        let x = self.scalar(flow, value);
        let width = self.width_of(to);
        Value::Scalar(match kind {
            CastKind::Trunc => self.terms.extract(width - 1, 0, x),
            CastKind::SExt => self.terms.sext(width, x),
            CastKind::ZExt | CastKind::PtrToInt | CastKind::IntToPtr | CastKind::Bitcast => {
                self.terms.resize(x, width)
            }
        })
    }

    /// One of two values.
    fn select(&mut self, op: &Op, flow: &mut Flow, loc: Option<LocId>) -> Option<Option<Value>> {
        let Op::Select {
            cond,
            if_true,
            if_false,
        } = op
        else {
            unreachable!("another family");
        };
        let c = self.scalar(flow, cond);
        let value = match (self.operand(flow, if_true), self.operand(flow, if_false)) {
            (Value::Scalar(x), Value::Scalar(y)) => Value::Scalar(self.terms.ite(c, x, y)),
            (Value::Tuple(x), Value::Tuple(y)) => {
                let both = x.iter().zip(y.iter());
                Value::Tuple(both.map(|(x, y)| self.terms.ite(c, *x, *y)).collect())
            }
            _ => return self.refuse(&flow.state, "select between unlike values", loc),
        };
        Some(Some(value))
    }

    /// An address in an object.
    fn address_of(&mut self, op: &Op, flow: &mut Flow) -> Term {
        let Op::Gep {
            base,
            offset,
            scaled,
            ..
        } = op
        else {
            unreachable!("another family");
        };
        let bits = self.pointer_bits();
        let mut sum = self.terms.constant(bits, *offset as i128 as u128);
        for (index, scale) in scaled {
            let i = self.scalar(flow, index);
            let i = if self.terms.width(i) < bits {
                self.terms.sext(bits, i)
            } else {
                self.terms.resize(i, bits)
            };
            let scale = self.terms.constant(bits, *scale as i128 as u128);
            let part = self.terms.mul(i, scale);
            sum = self.terms.add(sum, part);
        }
        let base = self.scalar(flow, base);
        self.terms.add(base, sum)
    }

    /// Reads, writes and makes memory.
    fn memory_operation(
        &mut self,
        at: &Access<'_>,
        op: &Op,
        flow: &mut Flow,
    ) -> Option<Option<Value>> {
        let (key, loc) = (at.key, at.instr.loc);
        let value = match op {
            Op::Bounds { index, count } => {
                let index = self.scalar(flow, index);
                let width = self.terms.width(index);
                if width >= 64 || *count < 1 << width {
                    let count = self.terms.constant(width, u128::from(*count));
                    let inside = self.terms.ult(index, count);
                    self.only_valid(&mut flow.state, inside, loc)?;
                }
                return Some(None);
            }
            Op::Alloca {
                element_bytes,
                count,
                ..
            } => {
                let n = self.scalar(flow, count);
                let size = self
                    .terms
                    .as_const(n)
                    .map(|n| (n as u64).saturating_mul(*element_bytes));
                let object = self
                    .objects
                    .intern(Origin::Instance(key), size, Initial::Arbitrary);
                self.journal_alloca(object, &flow.state);
                if self.stack.turn.ends && seeded(RoundsFault::FramesPopped) {
                    self.stack.made.push(object);
                }
                self.objects.address(&mut self.terms, object)
            }
            Op::Load { ptr, ty, .. } => {
                let address = self.scalar(flow, ptr);
                if let Type::Tuple(_) = ty {
                    return self.refuse(&flow.state, "load of an aggregate", loc);
                }
                STORE.load(self, at, &mut flow.state, address, ty)?
            }
            Op::Store { ptr, value, .. } => {
                let address = self.scalar(flow, ptr);
                let value = match self.operand(flow, value) {
                    Value::Scalar(v) => v,
                    Value::Tuple(_) => {
                        return self.refuse(&flow.state, "store of an aggregate", loc);
                    }
                };
                STORE.store(self, at, &mut flow.state, address, value)?;
                return Some(None);
            }
            Op::MemCopy { dst, src, len, .. } => {
                let (dst, src, len) = (
                    self.scalar(flow, dst),
                    self.scalar(flow, src),
                    self.scalar(flow, len),
                );
                STORE.copy(self, at, &mut flow.state, [dst, src, len])?;
                return Some(None);
            }
            Op::MemSet { dst, byte, len, .. } => {
                let (dst, byte, len) = (
                    self.scalar(flow, dst),
                    self.scalar(flow, byte),
                    self.scalar(flow, len),
                );
                self.fill(&mut flow.state, dst, len, loc, |x, bytes, _| {
                    let parts = vec![byte; bytes as usize];
                    crate::symex::memory::store::join(&mut x.terms, true, &parts)
                })?;
                return Some(None);
            }
            _ => unreachable!("another family"),
        };
        Some(Some(Value::Scalar(value)))
    }

    /// Reads and writes in one step.
    fn exchange(&mut self, at: &Access<'_>, op: &Op, flow: &mut Flow) -> Option<Option<Value>> {
        let value = match op {
            Op::AtomicRmw { op, ptr, value, ty } => {
                let address = self.scalar(flow, ptr);
                let operand = self.scalar(flow, value);
                let old = STORE.load(self, at, &mut flow.state, address, ty)?;
                let new = self.terms.atomic_result(*op, old, operand);
                STORE.store(self, at, &mut flow.state, address, new)?;
                old
            }
            Op::CmpXchg {
                ptr,
                expected,
                new,
                ty,
            } => {
                let address = self.scalar(flow, ptr);
                let (expected, new) = (self.scalar(flow, expected), self.scalar(flow, new));
                let old = STORE.load(self, at, &mut flow.state, address, ty)?;
                let same = self.terms.eq(old, expected);
                let stored = self.terms.ite(same, new, old);
                STORE.store(self, at, &mut flow.state, address, stored)?;
                return Some(Some(Value::Tuple(Arc::from([old, same]))));
            }
            _ => unreachable!("another family"),
        };
        Some(Some(Value::Scalar(value)))
    }

    /// Counts, moves and adds bits.
    fn bit_operation(&mut self, op: &Op, flow: &mut Flow) -> Option<Option<Value>> {
        let value = match op {
            Op::CountOnes { value, bits } => {
                let x = self.scalar(flow, value);
                let mut sum = self.terms.constant(*bits, 0);
                for i in 0..*bits {
                    let bit = self.terms.extract(i, i, x);
                    let bit = self.terms.resize(bit, *bits);
                    sum = self.terms.add(sum, bit);
                }
                sum
            }
            Op::LeadingZeros { value, bits } => {
                let x = self.scalar(flow, value);
                self.terms
                    .first_one(x, *bits, (0..*bits).collect(), |i, bits| bits - 1 - i)
            }
            Op::TrailingZeros { value, bits } => {
                let x = self.scalar(flow, value);
                self.terms
                    .first_one(x, *bits, (0..*bits).rev().collect(), |i, _| i)
            }
            Op::ByteSwap { value, bits } => {
                let x = self.scalar(flow, value);
                let bytes: Vec<Term> = (0..*bits / 8)
                    .map(|i| self.terms.extract(i * 8 + 7, i * 8, x))
                    .collect();
                crate::symex::memory::store::join(&mut self.terms, false, &bytes)
            }
            Op::FunnelShift {
                high,
                low,
                amount,
                bits,
                left,
            } => {
                let (high, low, amount) = (
                    self.scalar(flow, high),
                    self.scalar(flow, low),
                    self.scalar(flow, amount),
                );
                let modulus = self.terms.constant(*bits, u128::from(*bits));
                let by = self.terms.urem(amount, modulus);
                let back = self.terms.sub(modulus, by);
                let (x, y) = if *left {
                    (self.terms.shl(high, by), self.terms.lshr(low, back))
                } else {
                    (self.terms.shl(high, back), self.terms.lshr(low, by))
                };
                self.terms.or(x, y)
            }
            Op::WithOverflow { .. } => return Some(Some(self.with_overflow(op, flow))),
            _ => unreachable!("another family"),
        };
        Some(Some(Value::Scalar(value)))
    }

    /// Arithmetic that says whether its result fits.
    fn with_overflow(&mut self, op: &Op, flow: &mut Flow) -> Value {
        let Op::WithOverflow {
            op,
            signed,
            lhs,
            rhs,
            bits,
        } = op
        else {
            unreachable!("another family");
        };
        let (x, y) = (self.scalar(flow, lhs), self.scalar(flow, rhs));
        let wide = (*bits * 2).min(128);
        let widen = |e: &mut Self, t: Term| match *signed {
            true => e.terms.sext(wide, t),
            false => e.terms.zext(wide, t),
        };
        let (wx, wy) = (widen(self, x), widen(self, y));
        let all = match op {
            BinOp::Add => self.terms.add(wx, wy),
            BinOp::Sub => self.terms.sub(wx, wy),
            _ => self.terms.mul(wx, wy),
        };
        let result = self.terms.extract(bits - 1, 0, all);
        let back = widen(self, result);
        let overflow = self.terms.ne(back, all);
        Value::Tuple(Arc::from([result, overflow]))
    }

    /// Floating point.
    fn float_operation(&mut self, op: &Op, flow: &mut Flow) -> Term {
        match op {
            Op::Float { op, format, args } => {
                let x = self.scalar(flow, &args[0]);
                let y = args.get(1).map_or(x, |y| self.scalar(flow, y));
                float::compute(&mut self.terms, *op, *format, x, y)
            }
            Op::FloatCompare {
                order,
                format,
                lhs,
                rhs,
            } => {
                let (x, y) = (self.scalar(flow, lhs), self.scalar(flow, rhs));
                float::compare(&mut self.terms, *order, *format, x, y)
            }
            Op::FloatConvert { value, from, to } => {
                let x = self.scalar(flow, value);
                float::convert(&mut self.terms, x, *from, *to)
            }
            _ => unreachable!("another family"),
        }
    }

    fn refuse<T>(&mut self, state: &State, what: &str, loc: Option<LocId>) -> Option<T> {
        self.end(&state.guard, EndKind::Unsupported(what.to_string()), loc);
        None
    }

    fn binary(
        &mut self,
        op: BinOp,
        x: Term,
        y: Term,
        state: &mut State,
        loc: Option<LocId>,
    ) -> Option<Term> {
        if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) {
            let zero = self.terms.constant(self.terms.width(y), 0);
            let by_zero = self.terms.eq(y, zero);
            if let Some(guard) = state.guard.and(&mut self.terms, by_zero) {
                self.end(&guard, EndKind::Undefined, loc);
            }
            let fine = self.terms.not(by_zero);
            state.guard = state.guard.and(&mut self.terms, fine)?;
        }
        let t = &mut self.terms;
        Some(match op {
            BinOp::Add => t.add(x, y),
            BinOp::Sub => t.sub(x, y),
            BinOp::Mul => t.mul(x, y),
            BinOp::UDiv => t.udiv(x, y),
            BinOp::SDiv => t.sdiv(x, y),
            BinOp::URem => t.urem(x, y),
            BinOp::SRem => t.srem(x, y),
            BinOp::Shl => t.shl(x, y),
            BinOp::LShr => t.lshr(x, y),
            BinOp::AShr => t.ashr(x, y),
            BinOp::And => t.and(x, y),
            BinOp::Or => t.or(x, y),
            BinOp::Xor => t.xor(x, y),
        })
    }
}

impl Terms {
    pub(in crate::symex) fn compare(&mut self, pred: IntPredicate, x: Term, y: Term) -> Term {
        let t = self;
        match pred {
            IntPredicate::Eq => t.eq(x, y),
            IntPredicate::Ne => t.ne(x, y),
            IntPredicate::Ugt => t.ugt(x, y),
            IntPredicate::Uge => t.uge(x, y),
            IntPredicate::Ult => t.ult(x, y),
            IntPredicate::Ule => t.ule(x, y),
            IntPredicate::Sgt => t.sgt(x, y),
            IntPredicate::Sge => t.sge(x, y),
            IntPredicate::Slt => t.slt(x, y),
            IntPredicate::Sle => t.sle(x, y),
        }
    }

    fn atomic_result(&mut self, op: AtomicRmwOp, old: Term, operand: Term) -> Term {
        let t = self;
        match op {
            AtomicRmwOp::Xchg => operand,
            AtomicRmwOp::Add => t.add(old, operand),
            AtomicRmwOp::Sub => t.sub(old, operand),
            AtomicRmwOp::And => t.and(old, operand),
            AtomicRmwOp::Nand => {
                let and = t.and(old, operand);
                t.not(and)
            }
            AtomicRmwOp::Or => t.or(old, operand),
            AtomicRmwOp::Xor => t.xor(old, operand),
            AtomicRmwOp::Max => {
                let c = t.sgt(old, operand);
                t.ite(c, old, operand)
            }
            AtomicRmwOp::Min => {
                let c = t.slt(old, operand);
                t.ite(c, old, operand)
            }
            AtomicRmwOp::UMax => {
                let c = t.ugt(old, operand);
                t.ite(c, old, operand)
            }
            AtomicRmwOp::UMin => {
                let c = t.ult(old, operand);
                t.ite(c, old, operand)
            }
        }
    }

    /// `bits` if no bit is set; else what `result` says of the bit that comes last in `order` and is set.
    fn first_one(
        &mut self,
        x: Term,
        bits: u32,
        order: Vec<u32>,
        result: impl Fn(u32, u32) -> u32,
    ) -> Term {
        let mut value = self.constant(bits, u128::from(bits));
        for i in order {
            let bit = self.extract(i, i, x);
            let here = self.constant(bits, u128::from(result(i, bits)));
            value = self.ite(bit, here, value);
        }
        value
    }
}
