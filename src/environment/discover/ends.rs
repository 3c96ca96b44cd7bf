//! Of which entry points the rules tell when the kernel calls them for the last time.
//!
//! A callback ends in the call that takes it back. Where the rules tell neither what registers it nor what takes it back, that call may be any
//! function without a model: a subsystem's own, or what devres does for one. Then the environment goes on calling it, which is no evidence
//! that the kernel does. Handlers that are armed have models, and so have the files of a module's parameters.

use std::collections::HashSet;

use crate::environment::entry::{ASKED_FOR, End, EntryPoint, EntryPoints, Phase, Start};
use crate::environment::rules::{Effect, EffectRule, Rules};
use crate::index::{EntryId, Idx};
use crate::program::Program;

use super::MODULE_EXIT;
use super::effects::is_alone;
use super::objects::is_called;

/// The files of parameters, which go with the module, with a wait (kernel/module/main.c: free_module).
const PARAMETERS: &str = "kernel_param_ops.";

/// Finds those of which nothing tells it, once it is known which functions are about which entry points.
pub fn find(program: &Program, rules: &Rules, entries: &mut EntryPoints) {
    let unclear = unclear(program, rules, entries);
    for (n, entry) in entries.iter_mut().enumerate() {
        if unclear.contains(&EntryId::new(n)) || !is_told(rules, entry) {
            entry.end = End::Untold;
        }
    }
}

fn is_told(rules: &Rules, entry: &EntryPoint) -> bool {
    let thread = matches!(entry.phase, Phase::Steady | Phase::Exit);
    if !thread
        || entry.start != Start::Any
        || [MODULE_EXIT, ASKED_FOR].contains(&entry.via.as_str())
        || entry.via.starts_with(PARAMETERS)
    {
        return true;
    }
    let starts = |effects: &[Effect]| effects.contains(&Effect::Starts);
    let registered = entry.changes.iter().any(|c| starts(&c.effects));
    // Who never makes such a call lets it go on.
    let places = || std::iter::once(&entry.via).chain(&entry.also);
    let mut of_it = rules.effects().iter();
    registered
        && of_it.any(|rule| {
            let about = places().any(|place| rule.concerns(place));
            about && (rule.managed || !starts(&rule.effects))
        })
}

/// The entry points that the input takes back by nothing but calls which do not tell which of several they are about, or whether they are the
/// last.
fn unclear(program: &Program, rules: &Rules, entries: &EntryPoints) -> HashSet<EntryId> {
    let about = |rule: &EffectRule, e: &EntryPoint| {
        let mut places = std::iter::once(&e.via).chain(&e.also);
        places.any(|place| rule.concerns(place))
            && e.changes.iter().any(|c| rule.on.contains(&c.function))
    };
    let ends = |rule: &EffectRule| rule.managed || rule.effects.contains(&Effect::BlocksNew);
    let (mut told, mut unclear) = (HashSet::new(), HashSet::new());
    for rule in rules.effects().iter().filter(|rule| ends(rule)) {
        let all = entries.iter_ids().filter(|(_, e)| about(rule, e));
        let all: Vec<EntryId> = all.map(|(id, _)| id).collect();
        let last = rule.is_last(|f| is_called(program, f));
        let one_of_several = rule.tells_none() && !all.is_empty() && !is_alone(entries, &all);
        match one_of_several || !last {
            true => unclear.extend(all),
            false => told.extend(all),
        }
    }
    &unclear - &told
}
