//! Symbolic execution of the sequential program, by merging.
//!
//! States are merged, paths are not enumerated. See [`exec`] for how joins are met, [`lanes`] for scheduled threads, [`objects`] and
//! [`memory`] for what a pointer can mean and where bytes live.

mod access;
mod across;
pub mod behind;
mod binding;
mod blocks;
mod calls;
pub mod cfg;
pub mod check;
mod copies;
pub mod counted;
pub mod ends;
mod evidence;
pub mod exec;
mod float;
mod frame;
mod functions;
mod ghosts;
pub mod guard;
mod guesses;
pub mod journal;
pub mod lanes;
mod lift;
pub mod memory;
mod merge;
pub mod model;
mod modular;
pub mod objects;
mod offsets;
mod ops;
pub mod paths;
mod pending;
mod points;
mod primitives;
mod resume;
mod rounds;
pub mod slice;
pub mod state;
pub mod targets;
mod windows;
mod words;
