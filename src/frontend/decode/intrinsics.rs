//! LLVM's intrinsics.

use super::function::Body;
use crate::frontend::llvm::raw::Val;
use crate::program::{BinOp, CastKind, Const, IntPredicate, Op, Operand, Primitive, Type};

/// Intrinsics that tell the optimiser something and do nothing.
const NOTHING: &[&str] = &[
    "lifetime.start",
    "lifetime.end",
    "dbg.value",
    "dbg.declare",
    "dbg.label",
    "dbg.assign",
    "assume",
    "experimental.noalias.scope.decl",
    "donothing",
    "sideeffect",
    "pseudoprobe",
    "prefetch",
    "invariant.start",
    "invariant.end",
    "var.annotation",
    "stackrestore",
    "va_end",
    "write_register",
    "debugtrap",
    "clear_cache",
    "fake.use",
    // Hints to the processor, and barriers: executions interleave.
    "x86.sse2.pause",
    "x86.sse2.mfence",
    "x86.sse2.lfence",
    "x86.sse.sfence",
    "aarch64.hint",
    "aarch64.dmb",
    "aarch64.dsb",
    "aarch64.isb",
];

/// Intrinsics whose result is their first argument.
const IDENTITY: &[&str] = &[
    "expect",
    "expect.with.probability",
    "launder.invariant.group",
    "strip.invariant.group",
    "ptr.annotation",
    "annotation",
    "ssa.copy",
    "threadlocal.address",
    "arithmetic.fence",
];

/// Intrinsics whose result is arbitrary.
const ARBITRARY: &[&str] = &[
    "read_register",
    "read_volatile_register",
    "returnaddress",
    "frameaddress",
    "addressofreturnaddress",
    "sponentry",
    "stacksave",
];

/// The name without `llvm.` and without the types that overloading appends.
fn stem(name: &str) -> &str {
    let name = name.strip_prefix("llvm.").unwrap_or(name);
    let mut end = name.len();
    while let Some(dot) = name[..end].rfind('.') {
        let suffix = &name[dot + 1..end];
        let digits = suffix.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let letters = &suffix[..suffix.len() - digits.len()];
        let is_type = matches!(letters, "i" | "p" | "v" | "f" | "bf" | "nxv")
            && digits.starts_with(|c: char| c.is_ascii_digit());
        if !is_type {
            break;
        }
        end = dot;
    }
    &name[..end]
}

fn bin(op: BinOp, lhs: Operand, rhs: Operand) -> Op {
    Op::Bin { op, lhs, rhs }
}

fn int(bits: u32, value: u128) -> Operand {
    Operand::Const(Const::int(bits, value))
}

impl<'m> Body<'_, 'm> {
    pub(super) fn intrinsic(&mut self, i: Val<'m>, name: &str) {
        let stem = stem(name);
        let args = i.call_args();
        if NOTHING.contains(&stem) {
            // `invariant.start` gives a token pointer that only `invariant.end` takes.
            if i.ty().address_space().is_some() {
                self.alias(i, Operand::Const(Const::Null));
            }
            return;
        }
        if IDENTITY.contains(&stem) {
            let value = self.operand_n(i, 0);
            return self.alias(i, value);
        }
        if ARBITRARY.contains(&stem) {
            let ty = self.type_or_opaque(i.ty());
            return self.alias(i, Operand::Const(Const::Undef(ty)));
        }
        match stem {
            "memcpy" | "memmove" | "memcpy.inline" => {
                let op = Op::MemCopy {
                    dst: self.operand_n(i, 0),
                    src: self.operand_n(i, 1),
                    len: self.length(i),
                    volatile: is_true(&args, 3),
                };
                self.effect(op);
            }
            "memset" | "memset.inline" => {
                let op = Op::MemSet {
                    dst: self.operand_n(i, 0),
                    byte: self.operand_n(i, 1),
                    len: self.length(i),
                    volatile: is_true(&args, 3),
                };
                self.effect(op);
            }
            "is.constant" => self.alias(i, int(1, 0)),
            "allow.runtime.check" | "allow.ubsan.check" => self.alias(i, int(1, 1)),
            "objectsize" => {
                // Unknown, as C has it: 0 if the minimum was asked for, else all ones.
                let bits = i.ty().int_bits();
                let unknown = if is_true(&args, 1) { 0 } else { u128::MAX };
                self.alias(i, int(bits, unknown));
            }
            "trap" | "ubsantrap" => self.effect(Op::Primitive {
                primitive: Primitive::Bug,
                args: vec![Operand::Const(Const::Null)],
            }),
            "readcyclecounter" | "readsteadycounter" => self.define(
                i,
                Op::Primitive {
                    primitive: Primitive::Nondet(64),
                    args: Vec::new(),
                },
            ),
            "ptrmask" => self.ptrmask(i),
            _ if i.ty().int_bits() > 0 && args.first().is_some_and(|a| a.ty().int_bits() > 0) => {
                self.integer_intrinsic(i, stem);
            }
            "sadd.with.overflow" | "uadd.with.overflow" | "ssub.with.overflow"
            | "usub.with.overflow" | "smul.with.overflow" | "umul.with.overflow" => {
                let bits = args.first().map_or(0, |a| a.ty().int_bits());
                if bits == 0 {
                    return self.unsupported(i, format!("intrinsic {name}"));
                }
                let (op, signed) = overflow_op(stem);
                let op = Op::WithOverflow {
                    op,
                    signed,
                    lhs: self.operand_n(i, 0),
                    rhs: self.operand_n(i, 1),
                    bits,
                };
                self.define(i, op);
            }
            _ if self.float_intrinsic(i, stem) => {}
            _ => self.unsupported(i, format!("intrinsic {name}")),
        }
    }

    fn length(&mut self, i: Val<'m>) -> Operand {
        match i.operand(2) {
            Some(len) => self.operand_as(len, 64),
            None => int(64, 0),
        }
    }

    /// Intrinsics from integers to an integer.
    fn integer_intrinsic(&mut self, i: Val<'m>, stem: &str) {
        let bits = i.ty().int_bits();
        let a = self.operand_n(i, 0);
        let ty = Type::Int(bits);
        let binary = |this: &mut Self| this.operand_n(i, 1);
        match stem {
            "ctpop" => self.define(i, Op::CountOnes { value: a, bits }),
            // Zero may be declared to give poison: an arbitrary value, of which the defined one is taken.
            "ctlz" => self.define(i, Op::LeadingZeros { value: a, bits }),
            "cttz" => self.define(i, Op::TrailingZeros { value: a, bits }),
            "bswap" => self.define(i, Op::ByteSwap { value: a, bits }),
            "fshl" | "fshr" => {
                let op = Op::FunnelShift {
                    high: a,
                    low: self.operand_n(i, 1),
                    amount: self.operand_n(i, 2),
                    bits,
                    left: stem == "fshl",
                };
                self.define(i, op);
            }
            "umin" | "umax" | "smin" | "smax" => {
                let b = binary(self);
                let pred = match stem {
                    "umin" => IntPredicate::Ult,
                    "umax" => IntPredicate::Ugt,
                    "smin" => IntPredicate::Slt,
                    _ => IntPredicate::Sgt,
                };
                let cond = self.compare(pred, a.clone(), b.clone());
                self.define(
                    i,
                    Op::Select {
                        cond,
                        if_true: a,
                        if_false: b,
                    },
                );
            }
            "abs" => {
                let negative = self.compare(IntPredicate::Slt, a.clone(), int(bits, 0));
                let negated = self.temp(bin(BinOp::Sub, int(bits, 0), a.clone()), ty);
                self.define(
                    i,
                    Op::Select {
                        cond: negative,
                        if_true: negated,
                        if_false: a,
                    },
                );
            }
            "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat" => self.saturating(i, stem, a),
            "ucmp" | "scmp" => self.three_way(i, stem, a),
            "bitreverse" if matches!(bits, 8 | 16 | 32 | 64) => self.bit_reverse(i, a, bits),
            _ => self.unsupported(i, format!("intrinsic llvm.{stem}.i{bits}")),
        }
    }

    /// -1, 0 or 1.
    fn three_way(&mut self, i: Val<'m>, stem: &str, a: Operand) {
        let bits = i.ty().int_bits();
        let b = self.operand_n(i, 1);
        let (below, above) = if stem == "ucmp" {
            (IntPredicate::Ult, IntPredicate::Ugt)
        } else {
            (IntPredicate::Slt, IntPredicate::Sgt)
        };
        let less = self.compare(below, a.clone(), b.clone());
        let more = self.compare(above, a, b);
        let rest = self.temp(
            Op::Select {
                cond: more,
                if_true: int(bits, 1),
                if_false: int(bits, 0),
            },
            Type::Int(bits),
        );
        self.define(
            i,
            Op::Select {
                cond: less,
                if_true: int(bits, u128::MAX),
                if_false: rest,
            },
        );
    }

    fn compare(&mut self, pred: IntPredicate, lhs: Operand, rhs: Operand) -> Operand {
        self.temp(Op::Icmp { pred, lhs, rhs }, Type::Int(1))
    }

    fn saturating(&mut self, i: Val<'m>, stem: &str, a: Operand) {
        let bits = i.ty().int_bits();
        let b = self.operand_n(i, 1);
        let ty = Type::Int(bits);
        let signed = stem.starts_with('s');
        let op = if stem.contains("add") {
            BinOp::Add
        } else {
            BinOp::Sub
        };
        let both = Type::Tuple(vec![ty.clone(), Type::Int(1)]);
        let pair = self.temp(
            Op::WithOverflow {
                op,
                signed,
                lhs: a.clone(),
                rhs: b,
                bits,
            },
            both,
        );
        let wrapped = self.extract(pair.clone(), 0, ty.clone());
        let overflow = self.extract(pair, 1, Type::Int(1));
        let limit = if signed {
            // Overflow goes the way of the first operand's sign.
            let negative = self.compare(IntPredicate::Slt, a, int(bits, 0));
            let min = 1u128 << (bits - 1);
            self.temp(
                Op::Select {
                    cond: negative,
                    if_true: int(bits, min),
                    if_false: int(bits, min - 1),
                },
                ty,
            )
        } else if stem == "uadd.sat" {
            int(bits, u128::MAX)
        } else {
            int(bits, 0)
        };
        self.define(
            i,
            Op::Select {
                cond: overflow,
                if_true: limit,
                if_false: wrapped,
            },
        );
    }

    /// Swaps neighbouring bits, pairs and nibbles, then bytes.
    fn bit_reverse(&mut self, i: Val<'m>, value: Operand, bits: u32) {
        let ty = Type::Int(bits);
        let mut at = value;
        for (shift, mask) in [(1u128, 0x55u128), (2, 0x33), (4, 0x0f)] {
            let mask = (0..bits / 8).fold(0, |m, byte| m | mask << (8 * byte));
            let high = self.temp(bin(BinOp::LShr, at.clone(), int(bits, shift)), ty.clone());
            let high = self.temp(bin(BinOp::And, high, int(bits, mask)), ty.clone());
            let low = self.temp(bin(BinOp::And, at, int(bits, mask)), ty.clone());
            let low = self.temp(bin(BinOp::Shl, low, int(bits, shift)), ty.clone());
            at = self.temp(bin(BinOp::Or, high, low), ty.clone());
        }
        if bits == 8 {
            return self.alias(i, at);
        }
        self.define(i, Op::ByteSwap { value: at, bits });
    }

    fn ptrmask(&mut self, i: Val<'m>) {
        let pointer_bits = self.dec.layout.pointer_bytes * 8;
        let ty = Type::Int(pointer_bits);
        let Some(mask) = i.operand(1) else { return };
        if mask.ty().int_bits() != pointer_bits || i.ty().is_aggregate() {
            return self.unsupported(i, "ptrmask of unusual width".to_string());
        }
        let pointer = self.operand_n(i, 0);
        let address = self.temp(
            Op::Cast {
                kind: CastKind::PtrToInt,
                value: pointer,
                from: Type::Ptr,
                to: ty.clone(),
            },
            ty.clone(),
        );
        let mask = self.operand(mask);
        let masked = self.temp(bin(BinOp::And, address, mask), ty.clone());
        self.define(
            i,
            Op::Cast {
                kind: CastKind::IntToPtr,
                value: masked,
                from: ty,
                to: Type::Ptr,
            },
        );
    }
}

fn is_true(args: &[Val<'_>], n: usize) -> bool {
    args.get(n).and_then(|a| a.int_value()) == Some(1)
}

fn overflow_op(stem: &str) -> (BinOp, bool) {
    let op = match &stem[1..4] {
        "add" => BinOp::Add,
        "sub" => BinOp::Sub,
        _ => BinOp::Mul,
    };
    (op, stem.starts_with('s'))
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn overloaded_types_are_no_part_of_the_name() {
        assert_eq!(stem("llvm.memcpy.p0.p0.i64"), "memcpy");
        assert_eq!(stem("llvm.uadd.sat.i32"), "uadd.sat");
        assert_eq!(stem("llvm.is.constant.i64"), "is.constant");
        assert_eq!(stem("llvm.threadlocal.address.p0"), "threadlocal.address");
        assert_eq!(stem("llvm.lifetime.start.p0"), "lifetime.start");
        assert_eq!(stem("llvm.va_start.p0"), "va_start");
        assert_eq!(stem("llvm.ctpop.v4i32"), "ctpop");
    }
}
