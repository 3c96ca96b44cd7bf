//! Interleavings of a concurrent program as plain data, and their file.

pub mod file;
pub mod schedule;
