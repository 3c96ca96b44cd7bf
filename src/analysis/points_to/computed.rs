//! Constraints of instructions with a result: where its addresses come from.

use crate::program::{AtomicRmwOp, BinOp, CastKind, Const, IntPredicate, Op, Operand};

use super::address::Address;
use super::constraints::constant;
use super::instances::InstanceId;
use super::objects::{ObjectKind, Place};
use super::solver::{NodeId, Solver, Use};
use super::types::{Content, Taken};

/// What the constraints of an instruction depend on beside its operands.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// Its result becomes a pointer.
    pub(super) becomes_pointer: bool,
    /// Its result may depend on itself: a loop.
    pub(super) in_cycle: bool,
}

impl How {
    /// The stride of a move by `bytes`: in a loop it is done any number of times.
    fn stride(self, bytes: i64, stride: u64) -> u64 {
        if self.in_cycle {
            super::address::gcd(stride, bytes.unsigned_abs())
        } else {
            stride
        }
    }
}

impl Solver<'_> {
    /// The constraints of an instruction with a result.
    pub(super) fn computed(&mut self, at: Place, op: &Op, to: NodeId, how: How) {
        let i = at.instance;
        match op {
            Op::Phi(items) => items.iter().for_each(|(_, v)| self.flow(i, v, to)),
            Op::Bin { op, lhs, rhs } => self.binary(i, *op, lhs, rhs, to, how),
            Op::WithOverflow { op, lhs, rhs, .. } => self.binary(i, *op, lhs, rhs, to, how),
            Op::Cast {
                kind,
                value,
                to: ty,
                ..
            } => {
                let narrow = *kind == CastKind::Trunc && self.slots_of(ty) == 0;
                if !narrow {
                    self.flow(i, value, to);
                }
            }
            Op::Select {
                cond,
                if_true,
                if_false,
            } => self.select(i, cond, (if_true, if_false), to),
            Op::Gep { .. } => self.gep(i, op, to, how),
            Op::Alloca {
                element_bytes,
                count,
                of,
            } => {
                let bytes = |n: i64| element_bytes.checked_mul(u64::try_from(n).ok()?);
                let size = constant(count).and_then(bytes);
                self.alloca(at, size, of.as_deref(), to);
            }
            Op::Load { ptr, ty, .. } => {
                self.access(at, ptr, false, self.program.size_of(ty));
                self.load(at, ptr, ty, to, how.becomes_pointer);
            }
            Op::AtomicRmw { op, ptr, value, ty } => {
                self.access(at, ptr, true, self.program.size_of(ty));
                self.load(at, ptr, ty, to, how.becomes_pointer);
                if *op == AtomicRmwOp::Xchg {
                    self.store(i, ptr, value, self.slots_of(ty));
                }
            }
            Op::CmpXchg { ptr, new, ty, .. } => {
                self.access(at, ptr, true, self.program.size_of(ty));
                self.load(at, ptr, ty, to, how.becomes_pointer);
                self.store(i, ptr, new, self.slots_of(ty));
            }
            Op::Extract { tuple, .. } => self.flow(i, tuple, to),
            Op::Insert { tuple, value, .. } => {
                self.flow(i, tuple, to);
                self.flow(i, value, to);
            }
            Op::Icmp { .. }
            | Op::CountOnes { .. }
            | Op::LeadingZeros { .. }
            | Op::TrailingZeros { .. }
            | Op::ByteSwap { .. }
            | Op::Bounds { .. }
            | Op::FunnelShift { .. }
            | Op::Float { .. }
            | Op::FloatCompare { .. }
            | Op::FloatConvert { .. }
            | Op::Unsupported(_)
            | Op::Store { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Call { .. }
            | Op::Primitive { .. } => {}
        }
    }

    /// One of two values; where the condition is that a value is an address, the one only if it may be.
    fn select(
        &mut self,
        i: InstanceId,
        cond: &Operand,
        (if_true, if_false): (&Operand, &Operand),
        to: NodeId,
    ) {
        match self.compared(i, cond) {
            Some((value, address)) => {
                if let Some(from) = self.operand(i, if_true) {
                    self.add_use(value, Use::IfThere { address, from, to });
                }
            }
            None => self.flow(i, if_true, to),
        }
        self.flow(i, if_false, to);
    }

    /// An address in an object.
    fn gep(&mut self, i: InstanceId, op: &Op, to: NodeId, how: How) {
        let Op::Gep {
            base,
            offset,
            scaled,
            field,
        } = op
        else {
            unreachable!("another family");
        };
        let (mut bytes, mut stride) = (*offset, 0);
        for (index, scale) in scaled {
            match self.constant_in(i, index, 0) {
                Some(n) => bytes = bytes.wrapping_add(n.wrapping_mul(*scale)),
                None => stride = super::address::gcd(stride, scale.unsigned_abs()),
            }
        }
        match self.own_slot(base) {
            Some(slot) => self.add(to, slot.moved(bytes, 0)),
            None => {
                let taken = match self.is_word_of_bits(i, scaled) {
                    true => Taken::Words,
                    false => self.taken(i, field.as_ref()),
                };
                self.flow_moved(i, base, to, bytes, how.stride(bytes, stride), taken);
            }
        }
    }

    /// An object on the stack, of that size and, if it is known, that struct.
    fn alloca(&mut self, at: Place, size: Option<u64>, of: Option<&str>, to: NodeId) {
        let object = self.object(ObjectKind::Stack(at), size, false);
        let declared = of.and_then(|name| self.types.named(name));
        self.objects[object].content = match declared {
            Some(ty) => Content::Compound(ty),
            None => self.type_of_result(at),
        };
        self.add(to, Address::at(object, 0));
    }

    /// The current thread's element, if the operand is an array with one for each thread.
    fn own_slot(&mut self, base: &Operand) -> Option<Address> {
        let Operand::Const(Const::Addr { global, offset, .. }) = base else {
            return None;
        };
        let size = *self.slots.get(global)?;
        let lazy = self.program.globals[*global].init.is_none();
        let object = self.object(ObjectKind::ThreadSlot(*global), Some(size), lazy);
        Some(Address::at(object, *offset))
    }

    fn binary(
        &mut self,
        i: InstanceId,
        op: BinOp,
        lhs: &Operand,
        rhs: &Operand,
        to: NodeId,
        how: How,
    ) {
        if !how.becomes_pointer {
            return;
        }
        match (op, constant(lhs), constant(rhs)) {
            (BinOp::Add, _, Some(c)) => {
                self.flow_moved(i, lhs, to, c, how.stride(c, 0), Taken::Anything)
            }
            (BinOp::Add, Some(c), _) => {
                self.flow_moved(i, rhs, to, c, how.stride(c, 0), Taken::Anything)
            }
            (BinOp::Sub, _, Some(c)) => {
                self.flow_moved(
                    i,
                    lhs,
                    to,
                    c.wrapping_neg(),
                    how.stride(c, 0),
                    Taken::Anything,
                );
            }
            (BinOp::Sub, ..) => self.flow_moved(i, lhs, to, 0, 1, Taken::Anything),
            (BinOp::And, Some(mask), _) => self.mask(i, rhs, mask, to),
            (BinOp::And, _, Some(mask)) => self.mask(i, lhs, mask, to),
            (BinOp::Add | BinOp::And | BinOp::Or | BinOp::Xor, ..) => {
                self.flow_moved(i, lhs, to, 0, 1, Taken::Anything);
                self.flow_moved(i, rhs, to, 0, 1, Taken::Anything);
            }
            (
                BinOp::Mul
                | BinOp::UDiv
                | BinOp::SDiv
                | BinOp::URem
                | BinOp::SRem
                | BinOp::Shl
                | BinOp::LShr
                | BinOp::AShr,
                ..,
            ) => {}
        }
    }

    fn mask(&mut self, i: InstanceId, value: &Operand, mask: i64, to: NodeId) {
        let Some(from) = self.operand(i, value) else {
            return;
        };
        let bits = mask.trailing_zeros();
        if mask < 0 && mask == -1i64 << bits {
            self.add_use(from, Use::Align { to, bits });
        } else if !(0..1 << 20).contains(&mask) {
            self.move_use(from, to, 0, 1, Taken::Anything);
        }
    }

    /// A condition that holds only if a value is that address: how the environment finds what belongs to a function.
    fn compared(&mut self, i: InstanceId, condition: &Operand) -> Option<(NodeId, Address)> {
        let program = self.program;
        let function = &program.functions[self.instances[i].function];
        let Operand::Value(v) = condition else {
            return None;
        };
        let mut instrs = function.blocks.iter().flat_map(|b| &b.instrs);
        let Op::Icmp {
            pred: IntPredicate::Eq,
            lhs: value @ Operand::Value(_),
            rhs: Operand::Const(constant),
        } = &instrs.find(|i| i.result == Some(*v))?.op
        else {
            return None;
        };
        let mut all = Vec::new();
        self.addresses_in(constant, &mut all);
        let [address] = all[..] else { return None };
        Some((self.operand(i, value)?, address))
    }
}
