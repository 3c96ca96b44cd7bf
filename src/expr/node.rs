//! The nodes of terms, and the numbers that name them.

use std::fmt;

/// A bit-vector term of 1..=128 bits; width 1 is the Boolean sort.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd)]
pub struct Term(pub(super) u32);

/// A bit-vector variable.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd)]
pub struct Var(pub(super) u32);

/// An array from 64-bit indices to bytes.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd)]
pub struct ArrayTerm(pub(super) u32);

/// An array variable.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd)]
pub struct ArrayVar(pub(super) u32);

macro_rules! number {
    ($name:ident, $prefix:literal) => {
        impl $name {
            /// The position in the store: dense from 0, in order of creation.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

number!(Term, "t");
number!(Var, "v");
number!(ArrayTerm, "a");
number!(ArrayVar, "m");

/// What a term is. Both operands of a binary node have the node's width unless
/// said otherwise. Operations are SMT-LIB's: division by zero and shifts by at
/// least the width are defined (see `value`).
///
/// Not every operation has a node: subtraction is `Add` of `Neg`, the orders
/// are `Ult` and `Slt` under `Not`, Boolean disjunction is the negation of a
/// conjunction, Boolean `xor` is the negation of `Eq`.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum Node {
    /// A constant; bits at and above the width are zero.
    Const(u128),
    /// A variable.
    Var(Var),
    /// Bitwise complement; the only negation of Booleans.
    Not(Term),
    /// Two's complement.
    Neg(Term),
    /// Sum; a constant is always on the right and never under another sum's left.
    Add(Term, Term),
    /// Product; a constant is always on the right.
    Mul(Term, Term),
    /// Unsigned quotient.
    Udiv(Term, Term),
    /// Signed quotient, rounded to zero.
    Sdiv(Term, Term),
    /// Unsigned remainder.
    Urem(Term, Term),
    /// Signed remainder with the dividend's sign.
    Srem(Term, Term),
    /// Shift left.
    Shl(Term, Term),
    /// Shift right, zeros from the left.
    Lshr(Term, Term),
    /// Shift right, the sign from the left.
    Ashr(Term, Term),
    /// Bitwise and; on Booleans, conjunction. A constant is on the right.
    And(Term, Term),
    /// Bitwise or, of at least 2 bits. A constant is on the right.
    Or(Term, Term),
    /// Bitwise exclusive or, of at least 2 bits. A constant is on the right.
    Xor(Term, Term),
    /// Equality of two terms of one width; a Boolean. A constant is on the right.
    Eq(Term, Term),
    /// Unsigned less-than; a Boolean.
    Ult(Term, Term),
    /// Signed less-than; a Boolean.
    Slt(Term, Term),
    /// If the Boolean is true the first, else the second. The condition is no `Not`.
    Ite(Term, Term, Term),
    /// Bits `hi..=lo`.
    Extract(u32, u32, Term),
    /// The first operand's bits above the second's.
    Concat(Term, Term),
    /// Zeros above the operand, which has at least 2 bits.
    Zext(Term),
    /// Copies of the sign above the operand, which has at least 2 bits.
    Sext(Term),
    /// The byte of an array at a 64-bit index.
    Select(ArrayTerm, Term),
}

impl Node {
    /// Calls `f` for each operand that is a term (not for those inside an array).
    pub fn for_each_operand(&self, mut f: impl FnMut(Term)) {
        match *self {
            Node::Const(_) | Node::Var(_) => {}
            Node::Not(a)
            | Node::Neg(a)
            | Node::Extract(_, _, a)
            | Node::Zext(a)
            | Node::Sext(a)
            | Node::Select(_, a) => f(a),
            Node::Add(a, b)
            | Node::Mul(a, b)
            | Node::Udiv(a, b)
            | Node::Sdiv(a, b)
            | Node::Urem(a, b)
            | Node::Srem(a, b)
            | Node::Shl(a, b)
            | Node::Lshr(a, b)
            | Node::Ashr(a, b)
            | Node::And(a, b)
            | Node::Or(a, b)
            | Node::Xor(a, b)
            | Node::Eq(a, b)
            | Node::Ult(a, b)
            | Node::Slt(a, b)
            | Node::Concat(a, b) => {
                f(a);
                f(b);
            }
            Node::Ite(c, a, b) => {
                f(c);
                f(a);
                f(b);
            }
        }
    }
}

/// What an array term is.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum ArrayNode {
    /// Every byte is the term.
    Const(Term),
    /// A variable.
    Var(ArrayVar),
    /// The array with the byte at an index (second) replaced (third).
    Store(ArrayTerm, Term, Term),
    /// If the Boolean is true the first, else the second.
    Ite(Term, ArrayTerm, ArrayTerm),
}
