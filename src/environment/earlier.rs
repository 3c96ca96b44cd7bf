//! Which entry points may have run, to their end, before the two of a pair begin: what earlier calls leave behind.
//!
//! Who may run beside another one may have run before it as well, and so may who is kept apart from it by a lock alone. What opens or closes
//! something, puts a device to sleep or wakes it, or is followed by something that a rule names is left out, and so is what is never called
//! for the same object: what the kernel calls after it, rules say for pairs, not for what came before them.

use super::entry::{EntryPoint, EntryPoints, Phase, Start};

/// Fields of ops objects whose functions begin or end the use of a file: none of them is repeated, for initialisation opens files, and a
/// release ends them.
const OF_A_FILE: [&str; 6] = [
    "file_operations.open",
    "file_operations.release",
    "proc_ops.proc_open",
    "proc_ops.proc_release",
    "v4l2_file_operations.open",
    "v4l2_file_operations.release",
];

/// Whether an entry point begins or ends the use of a file.
pub fn opens_or_releases(e: &EntryPoint) -> bool {
    OF_A_FILE.contains(&e.via.as_str())
}

/// Whether an entry point may run at any time, and again, whatever has run before.
pub fn is_repeatable(entries: &EntryPoints, e: &EntryPoint) -> bool {
    let ordered = |x: &EntryPoint| {
        [&x.after, &x.follows, &x.until]
            .iter()
            .any(|names| names.contains(&e.function))
    };
    e.phase == Phase::Steady
        && e.start != Start::Armed
        && !e.another
        && e.known
        && !opens_or_releases(e)
        && e.follows.is_empty()
        && e.until.is_empty()
        && e.ends.is_empty()
        && e.sleep.is_none()
        && e.power.is_none()
        && e.while_frozen.is_none()
        && !entries.iter().any(ordered)
}

/// Whether the first of two entry points, which is repeatable, may have run before the second one begins.
pub fn may_come_before(e: &EntryPoint, x: &EntryPoint) -> bool {
    let same = e.function == x.function && e.via == x.via && e.registered_by == x.registered_by;
    match same {
        true => e.beside_itself || e.start == Start::Irq || !e.serialized_by.is_empty(),
        // What has to run before it would run twice.
        false if e.after.contains(&x.function) => false,
        false => EntryPoint::never_overlap(e, x).is_none() || in_turn(e, x) || ends_the_use(e, x),
    }
}

/// Whether the two are kept apart by nothing but a lock that the kernel holds around both: one may run after the other.
fn in_turn(e: &EntryPoint, x: &EntryPoint) -> bool {
    let lock = EntryPoint::kept_apart(e, x);
    let never = |a: &EntryPoint, b: &EntryPoint| {
        a.never_beside
            .iter()
            .any(|other| other.function == b.function)
    };
    lock.is_some()
        && !never(e, x)
        && !never(x, e)
        && !matches!(x.phase, Phase::Init | Phase::Nested)
        && !EntryPoint::get_different(e, x)
        && EntryPoint::of_two(e, x).is_none()
}

/// Whether one is a file operation, and the other the end of the same kind of file.
pub fn ends_the_use(e: &EntryPoint, x: &EntryPoint) -> bool {
    let ops = |e: &EntryPoint| e.via.split_once('.').map(|(ops, _)| ops.to_string());
    let ends = opens_or_releases(x) && x.via.ends_with("release");
    ends && ops(e) == ops(x) && e.registered_by == x.registered_by
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::entry::Exclusion;

    fn entry(function: &str, via: &str) -> EntryPoint {
        EntryPoint::new(function, via, Phase::Steady)
    }

    #[test]
    fn what_is_ordered_is_not_repeated() {
        let mut entries = EntryPoints::new();
        let mut open = entry("x_open", "net_device_ops.ndo_open");
        open.until = vec!["x_stop".into()];
        entries.push(open);
        entries.push(entry("x_stop", "net_device_ops.ndo_stop"));
        entries.push(entry("x_read", "file_operations.read"));
        entries.push(entry("x_close", "file_operations.release"));
        let names = |e: &EntryPoint| is_repeatable(&entries, e).then(|| e.function.clone());
        assert_eq!(
            entries.iter().filter_map(names).collect::<Vec<_>>(),
            ["x_read"]
        );
    }

    #[test]
    fn who_may_run_beside_may_have_run_before() {
        let (mut read, ioctl) = (
            entry("r", "file_operations.read"),
            entry("i", "file_operations.ioctl"),
        );
        let release = entry("c", "file_operations.release");
        assert!(may_come_before(&ioctl, &read));
        // Not reentrant.
        assert!(!may_come_before(&read, &read));
        let apart = |function: &str| Exclusion {
            function: function.into(),
            reason: "each file".into(),
        };
        read.never_beside = vec![apart("i"), apart("c")];
        assert!(!may_come_before(&ioctl, &read));
        assert!(may_come_before(&read, &release));
    }
}
