//! What the arguments of an entry point say whenever the kernel calls it (`[[needs]]` in rule files).

use super::types::member_offset;
use crate::environment::entry::{EntryPoint, Need};
use crate::environment::rules::Rules;
use crate::program::Program;

/// Tells entry points what they need, where all places at which they stand agree.
pub fn find(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    for entry in entries {
        let need = |place: &String| {
            let rule = rules.needs(place)?;
            let (structure, member) = &rule.of;
            Some(Need {
                argument: rule.argument,
                offset: member_offset(program, structure, member)?,
                bits: rule.bits,
            })
        };
        let found = need(&entry.via);
        entry.needs = found.filter(|n| entry.also.iter().all(|p| need(p).as_ref() == Some(n)));
    }
}
