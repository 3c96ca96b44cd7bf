//! The concrete side: an interpreter of the *concurrent* program, the confirmation of schedules, and two oracles.
//!
//! Nothing here shares code with the symbolic executor, so a schedule that
//! [`confirm::confirm`] accepts has been seen by two programs that agree on
//! nothing but [`crate::program`].
//!
//! * [`interp`] executes single instructions; [`memory`] and [`state`] are what they act on.
//! * [`confirm`] replays a [`crate::trace::schedule::Schedule`] strictly and checks its claim.
//! * [`rests`] replays it with other contents of objects from outside: which of them it rests on.
//! * [`answers`] says which answers it takes of models that do not compute them.
//! * [`explore`] tries every interleaving of a tiny program (all, or the balanced ones of KISS).
//! * [`sequential`] runs the *sequential* program on all its paths: the transformation without the solver.
//! * [`figure4`] does what figures 4 and 5 of the KISS paper say, literally, with explicit states.
//!
//! Invariant: nothing here names `symex`, `expr`, `solver` or `frontend`.

pub mod answers;
mod atomicity;
pub mod bit_fields;
pub mod confirm;
pub mod describe;
mod divergence;
pub mod explore;
pub mod figure4;
pub mod input;
pub mod interp;
pub mod memory;
mod property;
pub mod race;
pub mod rests;
pub mod search;
pub mod sequential;
pub mod state;
