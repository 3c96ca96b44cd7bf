//! Pointers as a value of the function plus a constant number of bytes.

use fixedbitset::FixedBitSet;

use crate::index::{FuncId, IdVec, Idx, ValueId};
use crate::program::{
    BinOp, Callee, CastKind, Definitions, Function, Instr, Op, Operand, Primitive, Program,
    Terminator,
};

use super::super::points_to::constant;
use super::facts::Fact;

/// Steps followed from one operand.
const MAX_STEPS: u32 = 64;

/// `IRKISS_GHOST_READER` and `IRKISS_MAX_THREADS` of the models (runtime-stubs/include/).
const READER: i64 = 64;
const THREADS: i64 = 64;

/// Which functions return a parameter, and where each value is defined.
pub(super) struct Roots {
    definitions: Definitions,
    /// The number of the parameter that a function returns, moved by so many bytes.
    returned: IdVec<FuncId, Option<(u32, i64)>>,
    /// Results that are constants.
    pub results: IdVec<FuncId, Option<Fact>>,
}

impl Roots {
    pub fn new(program: &Program, definitions: &Definitions) -> Roots {
        let mut roots = Roots {
            definitions: definitions.clone(),
            returned: IdVec::filled(None, program.functions.len()),
            results: IdVec::filled(None, program.functions.len()),
        };
        // Helpers of helpers: three levels are deep enough for what inline functions do.
        for _ in 0..3 {
            for (f, function) in program.functions.iter_ids() {
                roots.returned[f] = roots.returns(program, f, function);
                roots.results[f] = roots.constant_result(program, f);
            }
        }
        roots
    }

    /// The instruction that defines a value.
    pub fn definition<'p>(&self, program: &'p Program, f: FuncId, v: ValueId) -> Option<&'p Instr> {
        self.definitions.instr(program, f, v)
    }

    /// The value that a pointer is computed from and its distance from it in bytes; `None` for constants.
    pub fn of(&self, program: &Program, f: FuncId, operand: &Operand) -> Option<(ValueId, i64)> {
        let Operand::Value(mut v) = *operand else {
            return None;
        };
        let mut bytes = 0i64;
        for _ in 0..MAX_STEPS {
            let Some(instr) = self.definition(program, f, v) else {
                return Some((v, bytes));
            };
            let (next, moved) = match &instr.op {
                Op::Gep {
                    base: Operand::Value(base),
                    offset,
                    scaled,
                    ..
                } => {
                    let indices: Option<i64> =
                        scaled.iter().try_fold(*offset, |sum, (i, scale)| {
                            Some(sum.wrapping_add(constant(i)?.wrapping_mul(*scale)))
                        });
                    match indices {
                        Some(moved) => (*base, moved),
                        None => return Some((v, bytes)),
                    }
                }
                Op::Cast {
                    kind: CastKind::Bitcast | CastKind::PtrToInt | CastKind::IntToPtr,
                    value: Operand::Value(from),
                    ..
                } => (*from, 0),
                Op::Bin {
                    op: BinOp::Add,
                    lhs: Operand::Value(from),
                    rhs,
                } => match constant(rhs) {
                    Some(c) => (*from, c),
                    None => return Some((v, bytes)),
                },
                Op::Call {
                    callee: Callee::Direct(g),
                    args,
                    ..
                } => match self.returned[*g] {
                    Some((n, moved)) => match args.get(n as usize) {
                        Some(Operand::Value(from)) => (*from, moved),
                        _ => return Some((v, bytes)),
                    },
                    None => return Some((v, bytes)),
                },
                _ => return Some((v, bytes)),
            };
            v = next;
            bytes = bytes.wrapping_add(moved);
        }
        Some((v, bytes))
    }

    fn returns(&self, program: &Program, f: FuncId, function: &Function) -> Option<(u32, i64)> {
        let mut found = None;
        for block in function.blocks.iter() {
            let Terminator::Return(value) = &block.term else {
                continue;
            };
            let (v, bytes) = self.of(program, f, value.as_ref()?)?;
            let n = function.params.iter().position(|p| *p == v)? as u32;
            if found.is_some_and(|old| old != (n, bytes)) {
                return None;
            }
            found = Some((n, bytes));
        }
        found
    }
}

/// Functions that return what depends on the running thread alone.
pub(super) struct Own {
    /// The number of the running thread plus one: the owner that a lock is given.
    owners: FixedBitSet,
    /// The key under which the running thread's read holds are counted.
    reader_keys: FixedBitSet,
}

/// A test of an operand of a function: [`is_owner`], [`is_reader_key`].
pub(super) type What = fn(&Program, &Roots, &Own, FuncId, &Operand) -> bool;

impl Own {
    pub fn new(program: &Program, roots: &Roots) -> Own {
        let mut own = Own {
            owners: FixedBitSet::with_capacity(program.functions.len()),
            reader_keys: FixedBitSet::with_capacity(program.functions.len()),
        };
        for (f, function) in program.functions.iter_ids() {
            let mut returns = function.blocks.iter().filter_map(|b| match &b.term {
                Terminator::Return(v) => Some(v),
                _ => None,
            });
            if let (Some(Some(value)), None) = (returns.next(), returns.next()) {
                let owner = is_owner(program, roots, &own, f, value);
                own.owners.set(f.index(), owner);
                let key = is_reader_key(program, roots, &own, f, value);
                own.reader_keys.set(f.index(), key);
            }
        }
        own
    }
}

fn is_self(program: &Program, roots: &Roots, f: FuncId, v: ValueId) -> bool {
    let op = roots.definition(program, f, v).map(|i| &i.op);
    matches!(
        op,
        Some(Op::Primitive {
            primitive: Primitive::SelfId,
            ..
        })
    )
}

/// Whether an operand is the number of the running thread plus one.
pub(super) fn is_owner(
    program: &Program,
    roots: &Roots,
    own: &Own,
    f: FuncId,
    operand: &Operand,
) -> bool {
    let Operand::Value(v) = operand else {
        return false;
    };
    match roots.definition(program, f, *v).map(|i| &i.op) {
        Some(Op::Bin {
            op: BinOp::Add,
            lhs: Operand::Value(x),
            rhs,
        }) => constant(rhs) == Some(1) && is_self(program, roots, f, *x),
        Some(Op::Call {
            callee: Callee::Direct(g),
            ..
        }) => own.owners.contains(g.index()),
        _ => false,
    }
}

/// Whether an operand is `IRKISS_GHOST_READER` plus the number of the running thread (modulo the threads that may have a
/// record: more are unsupported).
pub(super) fn is_reader_key(
    program: &Program,
    roots: &Roots,
    own: &Own,
    f: FuncId,
    operand: &Operand,
) -> bool {
    let Operand::Value(v) = operand else {
        return false;
    };
    let (x, base) = match roots.definition(program, f, *v).map(|i| &i.op) {
        Some(Op::Bin {
            op: BinOp::Add,
            lhs,
            rhs,
        }) => match constant(rhs) {
            Some(c) => (lhs, c),
            None => (rhs, constant(lhs).unwrap_or(0)),
        },
        Some(Op::Call {
            callee: Callee::Direct(g),
            ..
        }) => return own.reader_keys.contains(g.index()),
        _ => return false,
    };
    let Operand::Value(x) = x else { return false };
    let mut x = *x;
    while let Some(Op::Cast {
        kind: CastKind::Trunc | CastKind::ZExt,
        value: Operand::Value(from),
        ..
    }) = roots.definition(program, f, x).map(|i| &i.op)
    {
        x = *from;
    }
    match roots.definition(program, f, x).map(|i| &i.op) {
        Some(Op::Bin {
            op: BinOp::URem,
            lhs: Operand::Value(me),
            rhs,
        }) => base == READER && constant(rhs) == Some(THREADS) && is_self(program, roots, f, *me),
        _ => false,
    }
}
