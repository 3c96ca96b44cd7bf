//! irkiss finds data races and assertion failures in LLVM bitcode of Linux
//! drivers and pthread programs, and shows an interleaving that replays.
//!
//! What it does *not* do: it explores bounded, stack-disciplined interleavings
//! under sequential consistency; "bounded" is not "safe". See ARCHITECTURE.md
//! for what lies where and what must never be.

pub mod analysis;
pub mod assumption;
pub mod board;
pub mod config;
pub mod deadline;
pub mod environment;
pub mod error;
pub mod expr;
pub mod faults;
pub mod finding;
pub mod frontend;
pub mod identity;
pub mod index;
pub mod kbuild;
pub mod memory;
#[doc(hidden)]
pub mod oracle;
pub mod pair;
pub mod pipeline;
pub mod program;
pub mod progress;
pub mod replay;
pub mod report;
pub mod solver;
pub mod source;
pub mod symex;
pub mod trace;
pub mod verdict;
