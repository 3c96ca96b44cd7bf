//! What lets other threads start: a handler that is armed, an entry point that is registered, one that was blocked and is allowed again.

use super::state::Frame;
use crate::program::Program;

/// Ghost keys (runtime-stubs/include/irkiss_linux.h): a handler that is armed; how often an entry point is blocked; what became of its
/// registration.
const ARMED: u32 = 512;
const DISABLED: u32 = ARMED + 2;
const REGISTRATION: u32 = ARMED + 19;
/// A registration that was done.
const DONE: u64 = 2;

/// Whether a change of that ghost state lets a thread start that could not before.
pub(super) fn lets(key: u32, old: u64, new: u64) -> bool {
    match key {
        ARMED => old == 0 && new != 0,
        DISABLED => old != 0 && new == 0,
        REGISTRATION => old != DONE && new == DONE,
        _ => false,
    }
}

/// The function of the environment that the user's code has called; `None` where it has called none. What stands between the two has its
/// name behind a dot.
pub(super) fn called(program: &Program, frames: &[Frame]) -> Option<String> {
    let is_user = |f: &Frame| !program.functions[f.function].is_model;
    let user = frames.iter().rposition(is_user)?;
    let called = &program.functions[frames.get(user + 1)?.function];
    let name = called.source_name();
    Some(name.rsplit('.').next().unwrap_or(name).to_string())
}
