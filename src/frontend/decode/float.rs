//! Floating-point instructions and intrinsics.
//!
//! Formats of 80 and 128 bits are carried; what is computed in them is arbitrary, as are functions that have no exact result in a few
//! steps of arithmetic (remainders, powers, angles).

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::LLVMGetFCmpPredicate;

use super::function::Body;
use crate::frontend::llvm::raw::{LLVMOpcode, Ty, Val};
use crate::program::{
    BinOp, CastKind, Const, FloatFormat, FloatOp, FloatOrder, IntPredicate, Number, Op, Operand,
    Primitive, Type,
};

/// The format of a scalar type, or of a vector's elements, if it is computed with.
fn format(ty: Ty<'_>) -> Option<FloatFormat> {
    match ty.kind() {
        LLVMTypeKind::LLVMHalfTypeKind => Some(FloatFormat::Half),
        LLVMTypeKind::LLVMBFloatTypeKind => Some(FloatFormat::BFloat),
        LLVMTypeKind::LLVMFloatTypeKind => Some(FloatFormat::Single),
        LLVMTypeKind::LLVMDoubleTypeKind => Some(FloatFormat::Double),
        LLVMTypeKind::LLVMVectorTypeKind => format(ty.elements()?.0),
        _ => None,
    }
}

/// What numbers of a type are, if they are computed with.
fn number(ty: Ty<'_>, signed: bool) -> Option<Number> {
    let element = match ty.kind() {
        LLVMTypeKind::LLVMVectorTypeKind => ty.elements()?.0,
        _ => ty,
    };
    match element.int_bits() {
        0 => format(element).map(Number::Float),
        bits if bits > 64 => None,
        bits if signed => Some(Number::Signed(bits)),
        bits => Some(Number::Unsigned(bits)),
    }
}

fn float(op: FloatOp, format: FloatFormat, args: Vec<Operand>) -> Op {
    Op::Float { op, format, args }
}

fn bits(format: FloatFormat, value: u128) -> Operand {
    Operand::Const(Const::Float {
        bits: format.bits(),
        value,
    })
}

/// Computes with numbers of one format, one operation after the other.
struct Steps<'b, 'd, 'm> {
    body: &'b mut Body<'d, 'm>,
    format: FloatFormat,
}

impl Steps<'_, '_, '_> {
    fn ty(&self) -> Type {
        Type::Float(self.format.bits())
    }
    fn op(&mut self, op: FloatOp, args: &[&Operand]) -> Operand {
        let args = args.iter().map(|x| (*x).clone()).collect();
        let ty = self.ty();
        self.body.temp(float(op, self.format, args), ty)
    }
    fn bin(&mut self, op: BinOp, x: &Operand, mask: u128) -> Operand {
        let rhs = bits(self.format, mask);
        let ty = self.ty();
        let lhs = x.clone();
        self.body.temp(Op::Bin { op, lhs, rhs }, ty)
    }
    fn size(&mut self, x: &Operand) -> Operand {
        self.bin(BinOp::And, x, self.format.sign() - 1)
    }
    fn with_sign_of(&mut self, size: &Operand, sign: &Operand) -> Operand {
        let size = self.size(size);
        let sign = self.bin(BinOp::And, sign, self.format.sign());
        let ty = self.ty();
        self.body.temp(
            Op::Bin {
                op: BinOp::Or,
                lhs: size,
                rhs: sign,
            },
            ty,
        )
    }
    fn compare(&mut self, order: FloatOrder, x: &Operand, y: &Operand) -> Operand {
        let op = Op::FloatCompare {
            order,
            format: self.format,
            lhs: x.clone(),
            rhs: y.clone(),
        };
        self.body.temp(op, Type::Int(1))
    }
    fn choose(&mut self, cond: Operand, if_true: Operand, if_false: Operand) -> Operand {
        let ty = self.ty();
        self.body.temp(
            Op::Select {
                cond,
                if_true,
                if_false,
            },
            ty,
        )
    }

    /// The integer next to it on one side: the truncated one, or the next.
    fn next_integer(&mut self, x: &Operand, up: bool) -> Operand {
        let one = bits(self.format, self.format.power_of_two(0));
        let whole = self.op(FloatOp::Truncate, &[x]);
        let (below, above, op) = match up {
            true => (&whole, x, FloatOp::Add),
            false => (x, &whole, FloatOp::Sub),
        };
        let more = self.compare(FloatOrder::LESS, below, above);
        let other = self.op(op, &[&whole, &one]);
        self.choose(more, other, whole)
    }

    /// The next integer; of two the one away from zero.
    fn round_away(&mut self, x: &Operand) -> Operand {
        let (one, half) = (self.format.power_of_two(0), self.format.power_of_two(-1));
        let whole = self.op(FloatOp::Truncate, &[x]);
        let rest = self.op(FloatOp::Sub, &[x, &whole]);
        let rest = self.size(&rest);
        let more = self.compare(FloatOrder::AT_MOST, &bits(self.format, half), &rest);
        let step = self.with_sign_of(&bits(self.format, one), x);
        let other = self.op(FloatOp::Add, &[&whole, &step]);
        self.choose(more, other, whole)
    }

    /// The next integer; of two the even one: as sums are rounded.
    fn round_even(&mut self, x: &Operand) -> Operand {
        let large = bits(
            self.format,
            self.format.power_of_two(self.format.parts().1 as i32),
        );
        let size = self.size(x);
        let small = self.compare(FloatOrder::LESS, &size, &large);
        let sum = self.op(FloatOp::Add, &[&size, &large]);
        let whole = self.op(FloatOp::Sub, &[&sum, &large]);
        let whole = self.with_sign_of(&whole, x);
        self.choose(small, whole, x.clone())
    }

    /// The lesser (or greater); the other, where one is no number.
    fn extreme(&mut self, x: &Operand, y: &Operand, greatest: bool) -> Operand {
        let (low, high) = if greatest { (y, x) } else { (x, y) };
        let first = self.compare(FloatOrder::LESS, low, high);
        let chosen = self.choose(first, x.clone(), y.clone());
        let none = self.compare(FloatOrder::UNORDERED, y, y);
        self.choose(none, x.clone(), chosen)
    }
}

impl<'m> Body<'_, 'm> {
    /// Floating-point instructions; whether `opcode` is one.
    pub(super) fn float_instruction(&mut self, i: Val<'m>, opcode: LLVMOpcode) -> bool {
        let op = match opcode {
            LLVMOpcode::LLVMFAdd => FloatOp::Add,
            LLVMOpcode::LLVMFSub => FloatOp::Sub,
            LLVMOpcode::LLVMFMul => FloatOp::Mul,
            LLVMOpcode::LLVMFDiv => FloatOp::Div,
            LLVMOpcode::LLVMFNeg => {
                self.sign_flipped(i);
                return true;
            }
            LLVMOpcode::LLVMFRem => {
                self.arbitrary(i);
                return true;
            }
            LLVMOpcode::LLVMFCmp => {
                self.float_compare(i);
                return true;
            }
            LLVMOpcode::LLVMFPTrunc
            | LLVMOpcode::LLVMFPExt
            | LLVMOpcode::LLVMFPToUI
            | LLVMOpcode::LLVMFPToSI
            | LLVMOpcode::LLVMUIToFP
            | LLVMOpcode::LLVMSIToFP => {
                let signed = matches!(opcode, LLVMOpcode::LLVMFPToSI | LLVMOpcode::LLVMSIToFP);
                self.float_convert(i, signed);
                return true;
            }
            _ => return false,
        };
        match format(i.ty()) {
            Some(format) => self.elementwise(i, 2, |v, _| float(op, format, v.to_vec())),
            None => self.arbitrary(i),
        }
        true
    }

    fn sign_flipped(&mut self, i: Val<'m>) {
        // Every format has its sign in the highest bit.
        let Some(width) = self.float_bits(i.ty()) else {
            return self.arbitrary(i);
        };
        self.elementwise(i, 1, |v, _| Op::Bin {
            op: BinOp::Xor,
            lhs: v[0].clone(),
            rhs: Operand::Const(Const::Float {
                bits: width,
                value: 1 << (width - 1),
            }),
        });
    }

    fn float_bits(&self, ty: Ty<'m>) -> Option<u32> {
        match self.type_or_opaque(ty) {
            Type::Float(bits) => Some(bits),
            Type::Tuple(items) => match items.first() {
                Some(Type::Float(bits)) => Some(*bits),
                _ => None,
            },
            _ => None,
        }
    }

    fn float_compare(&mut self, i: Val<'m>) {
        let Some(format) = i.operand(0).and_then(|x| format(x.ty())) else {
            return self.arbitrary(i);
        };
        // LLVM's numbers of the predicates are these bits.
        let predicate = unsafe { LLVMGetFCmpPredicate(i.raw()) } as u32;
        let order = FloatOrder {
            equal: predicate & 1 != 0,
            greater: predicate & 2 != 0,
            less: predicate & 4 != 0,
            unordered: predicate & 8 != 0,
        };
        self.elementwise(i, 2, |v, _| Op::FloatCompare {
            order,
            format,
            lhs: v[0].clone(),
            rhs: v[1].clone(),
        });
    }

    fn float_convert(&mut self, i: Val<'m>, signed: bool) {
        let from = i.operand(0).and_then(|x| number(x.ty(), signed));
        let (Some(from), Some(to)) = (from, number(i.ty(), signed)) else {
            return self.arbitrary(i);
        };
        self.elementwise(i, 1, |v, _| Op::FloatConvert {
            value: v[0].clone(),
            from,
            to,
        });
    }

    /// Defines `i` as any value of its type.
    pub(super) fn arbitrary(&mut self, i: Val<'m>) {
        match self.type_of(i) {
            Ok(Type::Tuple(types)) => {
                let parts = types.iter().map(|ty| self.any_value(ty)).collect();
                self.define_tuple(i, types, parts);
            }
            Ok(Type::Void) => {}
            Ok(ty) => {
                let value = self.any_value(&ty);
                self.alias(i, value);
            }
            Err(why) => self.unsupported(i, why),
        }
    }

    /// Any value of a scalar type: an input.
    fn any_value(&mut self, ty: &Type) -> Operand {
        let wanted = ty.bits(self.dec.layout.pointer_bytes).unwrap_or(1);
        let word = |body: &mut Self| {
            let op = Op::Primitive {
                primitive: Primitive::Nondet(64),
                args: Vec::new(),
            };
            body.temp(op, Type::Int(64))
        };
        let cast = |body: &mut Self, kind, value, (from, to): (Type, Type)| {
            let op = Op::Cast {
                kind,
                value,
                from,
                to: to.clone(),
            };
            body.temp(op, to)
        };
        let low = word(self);
        if wanted == 64 {
            return cast(self, CastKind::Bitcast, low, (Type::Int(64), ty.clone()));
        }
        if wanted < 64 {
            return cast(self, CastKind::Trunc, low, (Type::Int(64), ty.clone()));
        }
        let wide = Type::Int(128);
        let high = word(self);
        let low = cast(self, CastKind::ZExt, low, (Type::Int(64), wide.clone()));
        let high = cast(self, CastKind::ZExt, high, (Type::Int(64), wide.clone()));
        let shift = Operand::Const(Const::int(128, 64));
        let high = self.temp(
            Op::Bin {
                op: BinOp::Shl,
                lhs: high,
                rhs: shift,
            },
            wide.clone(),
        );
        let both = self.temp(
            Op::Bin {
                op: BinOp::Or,
                lhs: high,
                rhs: low,
            },
            wide.clone(),
        );
        let kind = if wanted == 128 {
            CastKind::Bitcast
        } else {
            CastKind::Trunc
        };
        cast(self, kind, both, (wide, ty.clone()))
    }

    /// An intrinsic of floating-point numbers; whether it is one.
    pub(super) fn float_intrinsic(&mut self, i: Val<'m>, stem: &str) -> bool {
        let Some(first) = i.call_args().first().copied() else {
            return false;
        };
        if self.float_bits(first.ty()).is_none() && self.float_bits(i.ty()).is_none() {
            return false;
        }
        let (Some(format), false) = (format(first.ty()), first.ty().is_aggregate()) else {
            self.arbitrary(i);
            return true;
        };
        let x = self.operand_n(i, 0);
        let second = i.call_args().get(1).copied();
        if stem == "is.fpclass" {
            let classes = second.and_then(|c| c.int_value()).unwrap_or(0);
            let value = self.float_class(x, format, classes);
            self.alias(i, value);
            return true;
        }
        let y = second
            .filter(|y| y.ty() == first.ty())
            .map(|_| self.operand_n(i, 1));
        let mut steps = Steps { body: self, format };
        let value = match (stem, y) {
            ("fabs", _) => steps.size(&x),
            ("sqrt", _) => steps.op(FloatOp::Sqrt, &[&x]),
            ("trunc", _) => steps.op(FloatOp::Truncate, &[&x]),
            ("floor", _) => steps.next_integer(&x, false),
            ("ceil", _) => steps.next_integer(&x, true),
            ("round", _) => steps.round_away(&x),
            ("rint" | "nearbyint" | "roundeven", _) => steps.round_even(&x),
            ("canonicalize", _) => x,
            ("copysign", Some(y)) => steps.with_sign_of(&x, &y),
            ("minnum" | "minimumnum", Some(y)) => steps.extreme(&x, &y, false),
            ("maxnum" | "maximumnum", Some(y)) => steps.extreme(&x, &y, true),
            // Fused or not is the compiler's choice: without the instruction for it, it is not.
            ("fmuladd", Some(y)) => {
                let product = steps.op(FloatOp::Mul, &[&x, &y]);
                let z = steps.body.operand_n(i, 2);
                steps.op(FloatOp::Add, &[&product, &z])
            }
            ("lround" | "llround" | "lrint" | "llrint", _) => {
                let whole = match stem.ends_with("rint") {
                    true => steps.round_even(&x),
                    false => steps.round_away(&x),
                };
                let bits = i.ty().int_bits();
                let op = Op::FloatConvert {
                    value: whole,
                    from: Number::Float(format),
                    to: Number::Signed(bits),
                };
                self.define(i, op);
                return true;
            }
            _ => {
                self.arbitrary(i);
                return true;
            }
        };
        self.alias(i, value);
        true
    }

    /// Whether a number is of one of LLVM's classes (a bit each): by its bits.
    fn float_class(&mut self, x: Operand, format: FloatFormat, classes: u128) -> Operand {
        let ((_, fraction), width) = (format.parts(), format.bits());
        let infinity = format.infinity();
        let quiet = infinity | 1 << (fraction - 1);
        // First and last size of each class, with its bit for negative and for positive numbers.
        let ranges = [
            (quiet, format.sign() - 1, 1 << 1, 1 << 1),
            (infinity + 1, quiet - 1, 1 << 0, 1 << 0),
            (infinity, infinity, 1 << 2, 1 << 9),
            (1 << fraction, infinity - 1, 1 << 3, 1 << 8),
            (1, (1 << fraction) - 1, 1 << 4, 1 << 7),
            (0, 0, 1 << 5, 1 << 6),
        ];
        let mut any = Operand::Const(Const::int(1, 0));
        for (first, last, negative, positive) in ranges {
            for (bit, sign) in [(positive, 0), (negative, format.sign())] {
                if classes & bit == 0 {
                    continue;
                }
                // Within the range, as one comparison of unsigned numbers.
                let from = Operand::Const(Const::int(width, first | sign));
                let above = self.temp(
                    Op::Bin {
                        op: BinOp::Sub,
                        lhs: x.clone(),
                        rhs: from,
                    },
                    Type::Int(width),
                );
                let here = self.temp(
                    Op::Icmp {
                        pred: IntPredicate::Ule,
                        lhs: above,
                        rhs: Operand::Const(Const::int(width, last - first)),
                    },
                    Type::Int(1),
                );
                any = self.temp(
                    Op::Bin {
                        op: BinOp::Or,
                        lhs: any,
                        rhs: here,
                    },
                    Type::Int(1),
                );
            }
        }
        any
    }
}
