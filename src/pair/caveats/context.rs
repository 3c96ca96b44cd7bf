//! Entry points of which no rule says in which context they run: process context is assumed, where anybody may sleep.
//!
//! Whether one sleeps where nobody may depends on just that. Of one that may sleep nothing is claimed; what was found does not rest on it.

use super::{Checked, Closing};
use crate::environment::contract::{MAY_SLEEP, calls_one_of};
use crate::environment::entry::{Context, EntryPoint};
use crate::program::Program;
use crate::verdict::{Claim, RegionResult, Why};

/// Takes back that such threads use locks as they should.
pub(super) fn told(checked: &mut Checked, closing: &Closing<'_, '_, '_>) {
    let Closing { shared, task, .. } = *closing;
    let claimed = checked.pair.regions.of(&Claim::LockUse);
    if !claimed.is_some_and(RegionResult::is_claimed) {
        return;
    }
    let program = &shared.closed.concurrent;
    let entries = task.entries().iter().map(|e| &shared.closed.entries[*e]);
    let assumed = entries.filter(|e| e.context == Context::Process && may_sleep(program, e));
    let mut names: Vec<String> = assumed.filter_map(EntryPoint::undescribed).collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return;
    }
    let why = Why::NoContext(names);
    checked.pair.regions.doubt(Claim::LockUse, &why);
}

fn may_sleep(program: &Program, entry: &EntryPoint) -> bool {
    let function = program.function_named(&entry.function);
    function.is_some_and(|f| calls_one_of(program, f, &MAY_SLEEP))
}
