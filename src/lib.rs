//! irkiss finds data races and assertion failures in LLVM bitcode of Linux
//! drivers and pthread programs, and shows an interleaving that replays.
//!
//! What it does *not* do: it explores bounded, stack-disciplined interleavings
//! under sequential consistency; "bounded" is not "safe". See ARCHITECTURE.md
//! for what lies where and what must never be.

#![warn(missing_docs)]

// What the command is made of.
pub mod assumption;
pub mod bugs;
pub mod command;
pub mod config;
pub mod deadline;
pub mod error;
pub mod forms;
pub mod kbuild;
pub mod memory;
pub mod pipeline;
pub mod progress;
pub mod property;
pub mod region;
pub mod report;
pub mod sweep;
pub mod trace;
pub mod verdict;

// For tests.
pub mod faults;
#[doc(hidden)]
pub mod internals;
#[doc(hidden)]
pub mod oracle;

mod analysis;
mod concrete;
mod environment;
mod expr;
mod finding;
mod frontend;
mod identity;
mod index;
mod pair;
mod program;
mod replay;
mod results;
mod solver;
mod source;
mod symex;
