//! What the writer of the harness (`frontend/harness/`) and the engine agree on: numbers and limits.

use std::collections::HashSet;

use super::discover::Definitions;
use super::entry::{EntryPoint, EntryPoints, Parameter, Phase};
use crate::index::FuncId;
use crate::program::{Callee, Function, Op, Program};

/// At most so many entry points run beside each other.
pub const MAX_THREADS: usize = 4;

/// The place among the inputs of a check (`Primitive::Pair`) that tells whether no device is bound.
pub const UNBOUND: usize = 5;

/// The place among them that tells which entry point ran before all others of the check, by its number and one more; 0: none.
pub const EARLIER: usize = 6;

/// The place among them that tells, where it is not 0, that who closes a file gets the one that others use: to show what the two have in common.
pub const SAME_FILE: usize = 7;

/// Functions that set up what their first argument leads to, a lock, a wait queue or a timer: who has it already finds it half made. In the
/// steady scenario their models write nothing there, beside initialisation they do (runtime-stubs/include/irkiss_internal.h: irkiss_set_up).
pub const SET_UP: &[&str] = &[
    "__mutex_init",
    "__raw_spin_lock_init",
    "__rwlock_init",
    "__init_rwsem",
    "__percpu_init_rwsem",
    "__rt_mutex_init",
    "__init_waitqueue_head",
    "init_timer_key",
    "hrtimer_init",
    "tasklet_setup",
    "tasklet_init",
];

/// Puts a number at one of these places; those before it that are not there are 0: nothing is told.
pub fn tell(numbers: &mut Vec<u32>, place: usize, number: u32) {
    numbers.resize(numbers.len().max(place + 1), 0);
    numbers[place] = number;
}

/// Ghost key, at the cell of a file that initialisation may have opened: whether it has. (Those of `IRKISS_GHOST_LINUX` and up are the
/// kernel models' and the harness's.)
pub const OPEN: u32 = 512 + 16;

/// Key of the ghost state: who owns an exclusive lock, the number of the thread plus one (`IRKISS_GHOST_OWNER`).
pub const GHOST_OWNER: u32 = 1;
/// The same and those of shared locks: who has acquired a lock, and how many readers hold it (`IRKISS_GHOST_READERS`).
pub const GHOST_HOLDERS: [u32; 2] = [GHOST_OWNER, 3];
/// Keys under which models keep what an object holds, beyond one call: the entry of a table, a count (`IRKISS_GHOST_HANDLE`,
/// `IRKISS_GHOST_COUNT`).
pub const GHOST_CONTENTS: [u32; 2] = [9, 10];

/// Whether an entry point is called for a bound device only: those of a driver that probes, and those that share its device.
pub fn needs_device(entries: &EntryPoints, entry: &EntryPoint) -> bool {
    let probing = || {
        entries
            .iter()
            .filter(|e| e.phase == Phase::Init && e.registered_by.is_some())
    };
    let device = |p: &Parameter| matches!(p, Parameter::Shared(_) | Parameter::Member(..));
    probing().any(|e| e.registered_by == entry.registered_by)
        || entry
            .parameters
            .iter()
            .filter(|p| device(p))
            .any(|p| probing().any(|e| e.parameters.contains(p)))
}

/// What models call that may sleep: always, or as flags say (`runtime-stubs/linux/properties.c`).
pub const MAY_SLEEP: [&str; 2] = ["__irkiss_may_sleep", "__irkiss_may_sleep_by_flags"];

/// Whether direct calls lead from a function to one of those names, of functions or of the fields (`struct.field`) that it calls through.
pub fn calls_one_of(program: &Program, from: FuncId, names: &[&str]) -> bool {
    let by_field = names.iter().any(|name| name.contains('.'));
    let mut seen = HashSet::from([from]);
    let mut work = vec![from];
    while let Some(function) = work.pop() {
        let function = &program.functions[function];
        if by_field && calls_through(program, function, names) {
            return true;
        }
        let instrs = function.blocks.iter().flat_map(|b| &b.instrs);
        for instr in instrs {
            if let Op::Call {
                callee: Callee::Direct(callee),
                ..
            } = &instr.op
            {
                if names.contains(&program.functions[*callee].name.as_str()) {
                    return true;
                }
                if seen.insert(*callee) {
                    work.push(*callee);
                }
            }
        }
    }
    false
}

/// Whether a function calls through one of those fields.
fn calls_through(program: &Program, function: &Function, names: &[&str]) -> bool {
    let definitions = Definitions::new(function);
    definitions.instructions().any(|instr| match &instr.op {
        Op::Call {
            callee: Callee::Indirect(pointer),
            ..
        } => {
            let places = definitions.loaded(program, pointer);
            places
                .iter()
                .any(|place| names.contains(&place.name().as_str()))
        }
        _ => false,
    })
}
