//! From a model of the sequential program to an interleaving of the concurrent one.

pub mod file;
pub mod schedule;
