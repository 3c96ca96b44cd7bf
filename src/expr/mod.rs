//! Bit-vector terms: what the symbolic executor computes with.
//!
//! [`Terms`] is a hash-consing store: a term is built once, every later
//! construction of the same term gives the same [`Term`]. All simplification
//! happens in the constructors, is local, and keeps the meaning of SMT-LIB's
//! `QF_ABV`; so two terms that are equal as [`Term`]s are equal in every
//! assignment, and the reverse is left to a solver.
//!
//! - `value`: the operations on constants (the meaning of every node).
//! - `node`, `store`: the nodes and the table of them.
//! - `facts`: known bits and unsigned intervals of each term.
//! - `arith`, `bits`, `boolean`, `compare`, `equality`, `ite`, `shape`,
//!   `array`: the constructors with their rules.
//! - `eval`: the value of a term under an [`Assignment`]; `support`: what a term depends on; `order`: its parts, operands first.
//!
//! Width 1 is the Boolean sort: conjunction, negation, `Eq` and `Ite` are the
//! only nodes of that width besides variables, comparisons and extracted bits.
//!
//! Nothing here recurses along a term: terms may be 100,000 nodes deep.

mod arith;
mod array;
mod bits;
mod boolean;
mod compare;
mod equality;
mod eval;
mod facts;
mod ite;
mod node;
mod order;
mod runs;
mod shape;
mod store;
mod support;
mod value;

#[cfg(test)]
pub use eval::eval;
pub use eval::{ArrayValue, Assignment, Evaluator, Memo};
pub use node::{ArrayNode, ArrayTerm, ArrayVar, Node, Term, Var};
pub use order::{Part, operands_first};
pub use store::{StoreId, Terms};
pub use support::Support;

#[cfg(test)]
pub(crate) mod random;
#[cfg(test)]
mod tests;
