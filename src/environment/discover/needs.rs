//! What the arguments of an entry point say whenever the kernel calls it (`[[needs]]` in rule files).

use super::types::member_offset;
use crate::environment::entry::{EntryPoint, Need, Needed};
use crate::environment::rules::{self, Rules};
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
                needed: needed(program, &rule.needed)?,
            })
        };
        let found = need(&entry.via);
        entry.needs = found.filter(|n| entry.also.iter().all(|p| need(p).as_ref() == Some(n)));
    }
}

/// With offsets in place of names.
fn needed(program: &Program, needed: &rules::Needed) -> Option<Needed> {
    match needed {
        rules::Needed::Bits(bits) => Some(Needed::Bits(*bits)),
        rules::Needed::Below(part) => {
            let (structure, member) = part.member.split_once('.')?;
            Some(Needed::Below {
                argument: part.of,
                offset: member_offset(program, structure, member)?,
            })
        }
    }
}
