//! The concrete side: an interpreter of the *concurrent* program, and the confirmation of schedules.
//!
//! Nothing here shares code with the symbolic executor, so a schedule that
//! [`confirm::confirm`] accepts has been seen by two programs that agree on
//! nothing but [`crate::program`].
//!
//! * [`interp`] executes single instructions; [`memory`] and [`state`] are what they act on.
//! * [`confirm`] replays a [`crate::trace::schedule::Schedule`] strictly and checks its claim.
//! * [`rests`] replays it with other contents of objects from outside: which of them it rests on.
//! * [`plain`] gives it the plainest inputs that lead to the same.
//! * [`answers`] says which answers it takes of models that do not compute them.
//!
//! Invariant: nothing here names `symex`, `expr`, `solver` or `frontend`.

pub mod answers;
mod atomicity;
pub mod bit_fields;
mod bits;
pub mod confirm;
pub mod describe;
mod divergence;
pub mod input;
pub mod interp;
pub mod memory;
pub mod nature;
pub mod plain;
mod property;
pub mod race;
pub mod rests;
mod settled;
mod stack;
mod starts;
pub mod state;
