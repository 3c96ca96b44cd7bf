//! When two accesses race.

use super::interp::AccessRecord;
use crate::config::Marked;

/// Whether an access is marked under the chosen reading. Accesses in atomic sections always are.
pub fn is_marked(access: &AccessRecord, reading: Marked) -> bool {
    access.in_section || access.atomic || (access.volatile && reading == Marked::Kcsan)
}

/// Whether two accesses of different threads overlap, one writes, and one is unmarked.
///
/// That both are enabled in one state is the caller's to know.
pub fn conflict(a: &AccessRecord, b: &AccessRecord, reading: Marked) -> bool {
    let overlap = a.address < b.address.saturating_add(b.bytes)
        && b.address < a.address.saturating_add(a.bytes);
    a.thread != b.thread
        && overlap
        && (a.write || b.write)
        && !(is_marked(a, reading) && is_marked(b, reading))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::SiteId;

    fn access(thread: u32, address: u64, bytes: u64, write: bool) -> AccessRecord {
        AccessRecord {
            thread,
            site: SiteId(0),
            address,
            bytes,
            read: !write,
            write,
            volatile: false,
            atomic: false,
            in_section: false,
            before: None,
            after: None,
        }
    }

    #[test]
    fn a_conflict_needs_overlap_a_write_two_threads_and_an_unmarked_access() {
        let both = |a: &AccessRecord, b: &AccessRecord| {
            assert_eq!(conflict(a, b, Marked::Kcsan), conflict(b, a, Marked::Kcsan));
            conflict(a, b, Marked::Kcsan)
        };
        let write = access(0, 100, 4, true);
        assert!(both(&write, &access(1, 103, 1, false)));
        assert!(!both(&write, &access(1, 104, 1, false)));
        assert!(!both(&write, &access(0, 100, 4, false)));
        assert!(!both(&access(0, 100, 4, false), &access(1, 100, 4, false)));
        let atomic = |thread| AccessRecord {
            atomic: true,
            ..access(thread, 100, 4, true)
        };
        assert!(both(&write, &atomic(1)));
        assert!(!both(&atomic(0), &atomic(1)));
        let volatile = AccessRecord {
            volatile: true,
            ..access(0, 100, 4, true)
        };
        assert!(!conflict(&volatile, &atomic(1), Marked::Kcsan));
        assert!(conflict(&volatile, &atomic(1), Marked::C11));
    }
}
