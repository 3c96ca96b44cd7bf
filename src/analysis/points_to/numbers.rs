//! Numbers that are constants in one instance: arguments of the call that it belongs to (`set_bit(3, &flags)`).

use crate::index::{FuncId, ValueId};
use crate::program::{BinOp, CastKind, IntPredicate, Op, Operand};

use super::constraints::constant;
use super::instances::InstanceId;
use super::solver::Solver;

/// Steps followed.
const MAX_DEPTH: u32 = 12;

impl<'p> Solver<'p> {
    /// The instruction that defines a value that is no parameter.
    pub fn definition(&self, f: FuncId, v: ValueId) -> Option<&'p Op> {
        let instr = self.definitions.instr(self.program, f, v);
        instr.map(|i| &i.op)
    }

    /// Whether an address is moved to the word that bit number `n` of a bit map is in: by `n >> 6` words of 64 bits.
    pub fn is_word_of_bits(&self, i: InstanceId, scaled: &[(Operand, i64)]) -> bool {
        let [(Operand::Value(word), scale)] = scaled else {
            return false;
        };
        let shifted = self.definition(self.instances[i].function, *word);
        let Some(Op::Bin {
            op: BinOp::AShr | BinOp::LShr,
            rhs,
            ..
        }) = shifted
        else {
            return false;
        };
        matches!((constant(rhs), scale), (Some(6), 8) | (Some(5), 4))
    }

    /// The value of a number in an instance, if it is a constant there, sign-extended. Of helpers only: they have an instance
    /// for each call.
    pub fn constant_in(&self, i: InstanceId, operand: &Operand, depth: u32) -> Option<i64> {
        let v = match operand {
            Operand::Const(_) => return constant(operand),
            Operand::Value(v) => *v,
        };
        let instance = &self.instances[i];
        let function = &self.program.functions[instance.function];
        if depth == MAX_DEPTH {
            return None;
        }
        if let Some(n) = function.params.iter().position(|p| *p == v) {
            let place = instance.site?;
            let caller = &self.program.functions[self.instances[place.instance].function];
            let call = &caller.blocks[place.block].instrs[place.index as usize];
            return match &call.op {
                Op::Call { args, .. } => self.constant_in(place.instance, args.get(n)?, depth + 1),
                _ => None,
            };
        }
        instance.site?;
        let of = |o: &Operand| self.constant_in(i, o, depth + 1);
        match self.definition(instance.function, v)? {
            Op::Cast {
                kind, value, from, ..
            } => {
                let n = of(value)?;
                match kind {
                    CastKind::SExt | CastKind::Bitcast => Some(n),
                    // A number that is not negative is the same in any width that holds it.
                    CastKind::ZExt if n >= 0 => Some(n),
                    CastKind::Trunc if (0..1 << 31).contains(&n) => Some(n),
                    CastKind::ZExt => {
                        let bits = from.bits(self.program.layout.pointer_bytes)?;
                        (bits < 63).then(|| n & ((1 << bits) - 1))
                    }
                    _ => None,
                }
            }
            Op::Icmp { pred, lhs, rhs } => {
                let equal = of(lhs)? == of(rhs)?;
                match pred {
                    IntPredicate::Eq => Some(equal.into()),
                    IntPredicate::Ne => Some((!equal).into()),
                    _ => None,
                }
            }
            Op::Bin { op, lhs, rhs } => {
                let (x, y) = (of(lhs)?, of(rhs)?);
                let shift = u32::try_from(y).ok().filter(|s| *s < 64);
                match op {
                    BinOp::Add => x.checked_add(y),
                    BinOp::Sub => x.checked_sub(y),
                    BinOp::Mul => x.checked_mul(y),
                    BinOp::SDiv => x.checked_div(y),
                    BinOp::UDiv if x >= 0 => x.checked_div(y),
                    BinOp::SRem => x.checked_rem(y),
                    BinOp::URem if x >= 0 => x.checked_rem(y),
                    BinOp::AShr => Some(x >> shift?),
                    BinOp::LShr if x >= 0 => Some(x >> shift?),
                    BinOp::Shl => x.checked_mul(1i64.checked_shl(shift?)?),
                    BinOp::And => Some(x & y),
                    BinOp::Or => Some(x | y),
                    BinOp::Xor => Some(x ^ y),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
