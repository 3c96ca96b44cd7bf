//! A finding's name that outlives edits of the source.
//!
//! The hash covers the rule, the sorted pair of (function, file, access kind),
//! the region and the shape of the locks held. It covers no line numbers, no
//! thread numbers, no addresses and no order of discovery. Two races between
//! the same functions on the same field share a fingerprint.

use super::{top, wording};
use crate::bugs::id::{self, base};
use crate::trace::file::fnv1a;
use crate::verdict::{Access, Finding};

/// 16 hexadecimal digits.
pub fn of(finding: &Finding) -> String {
    let mut accesses: Vec<String> = finding.accesses.iter().map(access).collect();
    accesses.sort();
    let text = format!(
        "{}\n{}\n{}",
        wording::kind(finding.kind).rule,
        id::lasting(&finding.location),
        accesses.join("\n")
    );
    format!("{:016x}", fnv1a(text.as_bytes()))
}

/// Function, file name without folders (they differ between build machines), kind, locks.
fn access(access: &Access) -> String {
    let (function, file) = top(access).map_or(("", ""), |f| (f.function.as_str(), base(&f.file)));
    let mut locks = access.locks.clone();
    locks.sort();
    let marked = if access.marked { "marked " } else { "" };
    format!(
        "{function}\t{file}\t{marked}{}\t{}",
        access.kind,
        locks.join(",")
    )
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn survives_moved_lines_and_swapped_accesses() {
        let finding = sample::race();
        let mut other = finding.clone();
        other.accesses.reverse();
        for access in &mut other.accesses {
            access.thread += 3;
            access.stack[0].line += 100;
            access.stack[0].file = format!("/elsewhere/{}", access.stack[0].file);
        }
        assert_eq!(of(&finding), of(&other));
    }

    #[test]
    fn differs_for_another_field_function_kind_or_lock() {
        let finding = sample::race();
        let original = of(&finding);
        let mut changed = vec![finding.clone(); 4];
        changed[0].location = "@other".into();
        changed[1].accesses[0].stack[0].function = "g".into();
        changed[2].accesses[0].kind = crate::verdict::Act::Touches(crate::program::Touch::Reads);
        changed[3].accesses[0].locks = vec!["another".into()];
        for other in changed {
            assert_ne!(of(&other), original);
        }
    }
}
