//! What the command takes from rooms that are nobody else's business.

pub use crate::analysis::coverability::text::{dot, pnml};
pub use crate::analysis::guards::{Guards, THRESHOLD};
pub use crate::analysis::potential::Open;
pub use crate::environment::Rules;
pub use crate::environment::contract::MAX_THREADS;
pub use crate::environment::rules::nearest;
pub use crate::frontend::child::{SUBCOMMAND, child_main};
pub use crate::frontend::process::split_off;
pub use crate::frontend::version;
pub use crate::frontend::{NO_ENTRY_POINTS, NOT_LINKED};

/// The solvers that are linked.
pub mod solver {
    pub use crate::solver::{WANTED, library, sat_version, version};
}

/// Ends the process, whatever other threads do.
pub fn exit(code: i32) -> ! {
    signal_hook::low_level::exit(code)
}
