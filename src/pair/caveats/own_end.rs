//! Entry points that wait for their own end: an attribute of which `store` takes the attribute away (fs/kernfs/dir.c: kernfs_drain).
//!
//! The gate of an entry point knows nothing of the object that a call is about, so who waits there within the entry point itself may wait
//! for another one. What such a thread waits for is therefore not followed, and no deadlock is excluded.

use super::{Checked, Closing};
use crate::environment::contract::calls_one_of;
use crate::environment::entry::{EntryPoint, Start};
use crate::environment::rules::Effect;
use crate::program::Program;
use crate::verdict::{Claim, RegionResult, Why};

/// Takes back that such threads never wait for ever.
pub(super) fn told(checked: &mut Checked, closing: &Closing<'_, '_, '_>) {
    let Closing { shared, task, .. } = *closing;
    let claimed = checked.pair.regions.of(&Claim::Deadlocks);
    if !claimed.is_some_and(RegionResult::is_claimed) {
        return;
    }
    let program = &shared.closed.concurrent;
    let mut entries = task.entries().iter().map(|e| &shared.closed.entries[*e]);
    let Some(why) = entries.find_map(|e| waits(program, e)) else {
        return;
    };
    checked.pair.regions.doubt(Claim::Deadlocks, &why);
}

/// What an entry point calls that waits for its end. (Handlers that are armed know their object: those are followed.)
fn waits(program: &Program, entry: &EntryPoint) -> Option<Why> {
    if entry.start != Start::Any {
        return None;
    }
    let function = program.function_named(&entry.function)?;
    let waiting = entry.changes.iter();
    let mut waiting = waiting.filter(|c| c.effects.contains(&Effect::Waits));
    let call = waiting.find(|c| calls_one_of(program, function, &[&c.function]))?;
    Some(Why::OwnEnd {
        entry: entry.function.clone(),
        call: call.function.clone(),
    })
}
