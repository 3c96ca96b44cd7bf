//! What is known of a value: small numbers, thread numbers, addresses of single objects.

use crate::index::{FuncId, define_index};
use crate::program::{BinOp, IntPredicate};

use super::super::points_to::ObjectId;
use super::cells::CellId;

define_index!(
    /// A kind of thread: a start function, an argument, and for threads that are started once the place of the start.
    JobId,
    "job"
);

/// The models give threads numbers below this; what exceeds that is no gap for a proof (`Primitive::Exceeded`).
const MAX_THREADS: i64 = 64;

/// Whose number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Who {
    /// That of the one thread of the job.
    Job(JobId),
    /// The running thread's own, one of many of its job.
    Me,
    /// No number: an object that the running thread has made, one of many.
    New,
}

/// What is known of a value. What is not known at all has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Val {
    /// An integer, cut to its width.
    Int(u64),
    /// A thread's number plus a constant.
    Id { who: Who, add: i64 },
    /// The number of some thread that is not the running one, and not the only one of its job, plus a constant.
    Other { add: i64 },
    /// What a counter held in the beginning of this step, plus a constant.
    Count { cell: CellId, add: i64 },
    /// An address.
    Ptr(Pointer),
    /// A function.
    Func(FuncId),
    /// Anything but 0.
    NonZero,
    /// The elements of a tuple.
    Tuple(Vec<Option<Val>>),
}

/// An exact address: `offset` bytes in the object, plus the thread number times the stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer {
    pub object: ObjectId,
    pub offset: i64,
    pub index: Option<(Who, u64)>,
}

impl Pointer {
    /// Whether the object is one that the running thread has made.
    pub fn is_new(&self) -> bool {
        matches!(self.index, Some((Who::New, _)))
    }
}

/// An integer cut to a width.
pub fn cut(value: u64, bits: u32) -> u64 {
    match bits {
        0..64 => value & ((1 << bits) - 1),
        _ => value,
    }
}

/// An integer of a width with its sign.
pub fn signed(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    ((value << shift) as i64) >> shift
}

/// The numbers that `value` may be, first and last, if it is small and not negative.
fn range(value: &Val) -> Option<(u64, u64)> {
    let add = match value {
        Val::Int(v) => return Some((*v, *v)),
        Val::Id { add, .. } | Val::Other { add } => *add,
        _ => return None,
    };
    // The first thread's number is a constant.
    let first = add.checked_add(1)?;
    let last = add.checked_add(MAX_THREADS - 1)?;
    Some((u64::try_from(first).ok()?, u64::try_from(last).ok()?))
}

/// Whether two values are equal, if that is known.
pub fn equal(x: &Val, y: &Val) -> Option<bool> {
    use Val as V;
    match (x, y) {
        (V::Int(a), V::Int(b)) => Some(a == b),
        (V::Id { who: v, add: a }, V::Id { who: w, add: b }) if v == w => Some(a == b),
        (V::Id { add: a, .. }, V::Id { add: b, .. }) => (a == b).then_some(false),
        (V::Id { add: a, .. }, V::Other { add: b })
        | (V::Other { add: b }, V::Id { add: a, .. }) => (a == b).then_some(false),
        (V::Ptr(p), V::Ptr(q)) => {
            (p.object == q.object && p.index == q.index).then_some(p.offset == q.offset)
        }
        (V::Func(f), V::Func(g)) => Some(f == g),
        (V::NonZero | V::Ptr(_) | V::Func(_), V::Int(0))
        | (V::Int(0), V::NonZero | V::Ptr(_) | V::Func(_)) => Some(false),
        _ => {
            let ((a, b), (c, d)) = (range(x)?, range(y)?);
            (b < c || d < a).then_some(false)
        }
    }
}

/// A comparison, if its result is known.
pub fn compare(pred: IntPredicate, x: &Val, y: &Val, bits: u32) -> Option<bool> {
    use IntPredicate as P;
    if let (Val::Int(a), Val::Int(b)) = (x, y) {
        let (sa, sb) = (signed(*a, bits), signed(*b, bits));
        return Some(match pred {
            P::Eq => a == b,
            P::Ne => a != b,
            P::Ugt => a > b,
            P::Uge => a >= b,
            P::Ult => a < b,
            P::Ule => a <= b,
            P::Sgt => sa > sb,
            P::Sge => sa >= sb,
            P::Slt => sa < sb,
            P::Sle => sa <= sb,
        });
    }
    match pred {
        P::Eq => return equal(x, y),
        P::Ne => return equal(x, y).map(|e| !e),
        P::Ugt if matches!(y, Val::Int(0)) => return equal(x, y).map(|e| !e),
        _ => {}
    }
    let ((a, b), (c, d)) = (range(x)?, range(y)?);
    // Small numbers: signed or not is the same.
    let limit = 1u64 << (bits.clamp(8, 64) - 1).min(62);
    if b >= limit || d >= limit {
        return None;
    }
    let less = |known: bool, never: bool| match (known, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    match pred {
        P::Ult | P::Slt => less(b < c, a >= d),
        P::Ule | P::Sle => less(b <= c, a > d),
        P::Ugt | P::Sgt => less(a > d, b <= c),
        P::Uge | P::Sge => less(a >= d, b < c),
        P::Eq | P::Ne => None,
    }
}

/// Arithmetic, as far as its result is known.
pub fn arithmetic(op: BinOp, x: Option<&Val>, y: Option<&Val>, bits: u32) -> Option<Val> {
    if bits > 64 {
        return None;
    }
    let all = cut(u64::MAX, bits);
    // What one side decides.
    for side in [x, y] {
        match (op, side) {
            (BinOp::And | BinOp::Mul, Some(Val::Int(0))) => return Some(Val::Int(0)),
            (BinOp::Or, Some(Val::Int(v))) if *v == all => return Some(Val::Int(all)),
            _ => {}
        }
    }
    let (x, y) = (x?, y?);
    match (x, y) {
        (Val::Int(a), Val::Int(b)) => integers(op, *a, *b, bits).map(|v| Val::Int(cut(v, bits))),
        (Val::Id { who, add }, Val::Int(b)) => {
            let c = signed(*b, bits);
            let add = match op {
                BinOp::Add => add.checked_add(c)?,
                BinOp::Sub => add.checked_sub(c)?,
                BinOp::And if *b >= 63 && (b & b.wrapping_add(1)) == 0 && *add == 0 => *add,
                BinOp::URem if *b >= MAX_THREADS as u64 && *add == 0 => *add,
                _ => return None,
            };
            Some(Val::Id { who: *who, add })
        }
        (Val::Int(_), Val::Id { .. }) if op == BinOp::Add => arithmetic(op, Some(y), Some(x), bits),
        (Val::Count { cell, add }, Val::Int(b)) => {
            let (cell, c) = (*cell, signed(*b, bits));
            let add = match op {
                BinOp::Add => add.checked_add(c)?,
                BinOp::Sub => add.checked_sub(c)?,
                _ => return None,
            };
            Some(Val::Count { cell, add })
        }
        (Val::Int(_), Val::Count { .. }) if op == BinOp::Add => {
            arithmetic(op, Some(y), Some(x), bits)
        }
        (Val::Other { add }, Val::Int(b)) => {
            let c = signed(*b, bits);
            match op {
                BinOp::Add => Some(Val::Other {
                    add: add.checked_add(c)?,
                }),
                BinOp::Sub => Some(Val::Other {
                    add: add.checked_sub(c)?,
                }),
                _ => None,
            }
        }
        _ => None,
    }
}

fn integers(op: BinOp, a: u64, b: u64, bits: u32) -> Option<u64> {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let shift = u32::try_from(b).ok().filter(|s| *s < bits);
    Some(match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::SDiv => sa.checked_div(sb)? as u64,
        BinOp::SRem => sa.checked_rem(sb)? as u64,
        BinOp::Shl => a << shift?,
        BinOp::LShr => a >> shift?,
        BinOp::AShr => (sa >> shift?) as u64,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Val = Val::Id {
        who: Who::Job(JobId(1)),
        add: 1,
    };
    const ME: Val = Val::Id {
        who: Who::Me,
        add: 1,
    };

    #[test]
    fn thread_numbers_differ_and_are_small() {
        let other = Val::Other { add: 1 };
        assert_eq!(equal(&A, &ME), Some(false));
        assert_eq!(equal(&ME, &other), Some(false));
        assert_eq!(equal(&ME, &Val::Other { add: 0 }), None);
        assert_eq!(equal(&A, &Val::Int(0)), Some(false));
        assert_eq!(equal(&A, &Val::Int(1)), Some(false));
        assert_eq!(equal(&A, &Val::Int(2)), None);
        assert_eq!(
            compare(IntPredicate::Ugt, &A, &Val::Int(64), 64),
            Some(false)
        );
        assert_eq!(compare(IntPredicate::Ult, &A, &Val::Int(9), 64), None);
    }

    #[test]
    fn arithmetic_cuts_and_keeps_thread_numbers() {
        let int = |v| Some(Val::Int(v));
        let add =
            |x: &Option<Val>, y: &Option<Val>| arithmetic(BinOp::Add, x.as_ref(), y.as_ref(), 8);
        assert_eq!(add(&int(255), &int(1)), int(0));
        let minus_one = arithmetic(BinOp::Add, Some(&A), int(0xff).as_ref(), 8);
        assert_eq!(
            minus_one,
            Some(Val::Id {
                who: Who::Job(JobId(1)),
                add: 0
            })
        );
        assert_eq!(arithmetic(BinOp::And, None, int(0).as_ref(), 8), int(0));
        assert_eq!(
            arithmetic(BinOp::UDiv, int(1).as_ref(), int(0).as_ref(), 8),
            None
        );
    }
}
