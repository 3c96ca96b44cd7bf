//! When two accesses race.

use super::interp::AccessRecord;
use crate::config::Marked;

/// Whether an access is marked under the chosen reading. Accesses in atomic sections always are.
pub fn is_marked(access: &AccessRecord, reading: Marked) -> bool {
    let by_reading = match reading {
        Marked::Kcsan => access.volatile,
        Marked::KcsanDefault => access.volatile || access.whole,
        Marked::C11 => false,
    };
    access.in_section || access.atomic || by_reading
}

/// Whether two accesses of different threads overlap, one writes, one is unmarked, and the source says of neither that races with
/// it are meant.
///
/// That both are enabled in one state is the caller's to know.
pub fn conflict(a: &AccessRecord, b: &AccessRecord, reading: Marked) -> bool {
    let overlap = a.address < b.address.saturating_add(b.bytes)
        && b.address < a.address.saturating_add(a.bytes);
    a.thread != b.thread
        && overlap
        && (a.write || b.write)
        && !(a.silenced || b.silenced)
        && !(is_marked(a, reading) && is_marked(b, reading))
}

/// Whether it shows which of two conflicting accesses comes first (`--race-check value`): what a read gives, or what two writes leave.
/// Both were executed from one state. What is longer than the values that are known is taken to show.
pub fn order_shows(a: &AccessRecord, b: &AccessRecord) -> bool {
    let known = |x: &AccessRecord| Some((x.before?, x.after?));
    let (Some(left), Some(right)) = (known(a), known(b)) else {
        return true;
    };
    if a.address != b.address || a.bytes != b.bytes {
        return true;
    }
    let changes = |(before, after): (u64, u64)| before != after;
    match (a.write && !a.read, b.write && !b.read) {
        (true, true) => left.1 != right.1,
        _ => (a.write && changes(left)) || (b.write && changes(right)),
    }
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
            whole: false,
            silenced: false,
            atomic: false,
            in_section: false,
            before: None,
            after: None,
        }
    }

    #[test]
    fn the_order_shows_in_what_is_read_or_left() {
        let of = |write, before, after| AccessRecord {
            before: Some(before),
            after: Some(after),
            ..access(0, 100, 4, write)
        };
        let read = of(false, 5, 5);
        assert!(order_shows(&read, &of(true, 5, 6)));
        assert!(!order_shows(&of(true, 5, 5), &read));
        assert!(!order_shows(&of(true, 5, 6), &of(true, 5, 6)));
        assert!(order_shows(&of(true, 5, 5), &of(true, 5, 6)));
        let part = access(1, 101, 1, true);
        assert!(order_shows(&of(true, 5, 5), &part));
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
        let silenced = AccessRecord {
            silenced: true,
            ..access(0, 100, 4, false)
        };
        assert!(!both(&silenced, &access(1, 100, 4, true)));
        let whole = AccessRecord {
            whole: true,
            ..access(0, 100, 4, true)
        };
        assert!(both(&whole, &atomic(1)));
        assert!(!conflict(&whole, &atomic(1), Marked::KcsanDefault));
        let read = access(1, 100, 4, false);
        assert!(conflict(&whole, &read, Marked::KcsanDefault));
    }
}
