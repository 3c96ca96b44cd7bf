//! Of which entry points the rules tell when the kernel calls them for the last time.
//!
//! A callback ends in the call that takes it back. Where the rules tell neither what registers it nor what takes it back, that call may be any
//! function without a model: a subsystem's own, or what devres does for one. Then the environment goes on calling it, which is no evidence
//! that the kernel does. Handlers that are armed have models, and so have the files of a module's parameters.

use crate::environment::entry::{ASKED_FOR, End, EntryPoint, EntryPoints, Phase, Start};
use crate::environment::rules::{Effect, Rules};

use super::MODULE_EXIT;

/// The files of parameters, which go with the module, with a wait (kernel/module/main.c: free_module).
const PARAMETERS: &str = "kernel_param_ops.";

/// Finds those of which nothing tells it, once it is known which functions are about which entry points.
pub fn find(rules: &Rules, entries: &mut EntryPoints) {
    for entry in entries.iter_mut() {
        if !is_told(rules, entry) {
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
