//! Entry points that put a device to sleep, or wake it, beside those that use it (`[[sleep]]` in rule files).
//!
//! Where the whole system sleeps, those that use the device may be frozen; a device that sleeps by itself does so while nobody uses
//! it, and who begins to use it waits until it is awake (`usb_autopm_get_interface`).

use std::fmt::Write as _;

use super::{further, power, prologue};
use crate::environment::entry::{EntryPoint, EntryPoints};
use crate::index::{EntryId, Idx};

/// Whether it puts the device to sleep (others follow it) or wakes it (it follows another). Neither: nothing is known.
fn falls_asleep(entries: &EntryPoints, entry: &EntryPoint) -> Option<bool> {
    entry.sleep.as_ref()?;
    let followed = entries.iter().any(|e| prologue::precedes(entry, e));
    match (followed, entry.follows.is_empty()) {
        (true, true) => Some(true),
        (false, false) => Some(false),
        _ => None,
    }
}

/// The functions that ask beside whom a device sleeps by itself, and for whom they look.
pub(super) fn questions(entries: &EntryPoints) -> Vec<(String, Vec<usize>)> {
    let mut asks = Vec::new();
    for (id, entry) in entries.iter_ids() {
        let sleep = entry.sleep.as_ref().map(|s| &s.alone);
        let by_sleep = sleep.filter(|_| falls_asleep(entries, entry) == Some(true));
        let by_power = entry.power.as_ref().and_then(|p| p.forced.as_ref());
        let Some(alone) = by_sleep.or(by_power) else {
            continue;
        };
        let named = entries
            .iter_ids()
            .filter(|(_, e)| alone.contains(&e.function));
        let numbers = named.map(|(id, _)| id.index()).collect();
        asks.push((format!("alone.{}", id.index()), numbers));
    }
    asks
}

/// `__irkiss_alone.N()`: whether the device sleeps by itself: beside those that would be frozen otherwise, it does.
pub fn functions(entries: &EntryPoints, threads: usize) -> String {
    let mut text = String::new();
    for (name, numbers) in questions(entries) {
        let (found, last) = further::is_thread(&numbers, threads);
        let _ = write!(
            text,
            "define internal i1 @__irkiss_{name}() {{\n{found}  %any = call zeroext i1 @__irkiss_nondet_bool()\n  \
             %alone = or i1 {last}, %any\n  ret i1 %alone\n}}\n"
        );
    }
    text
}

/// Text before and after the call of an entry point with those arguments, and the arguments; `result` is what it answers, if it is a
/// number. Runtime power management has its part in the text (power.rs).
pub fn around(
    entries: &EntryPoints,
    id: EntryId,
    entry: &EntryPoint,
    arguments: &str,
    result: Option<(&str, &str)>,
) -> (String, String, String) {
    let (mut before, mut after) = power::around(id, entry, arguments, result);
    let mut given = arguments.to_string();
    let operand = |n: usize| {
        let argument = arguments.split(", ").nth(n)?;
        argument.split_once(' ')
    };
    let (Some(sleep), Some(asleep)) = (&entry.sleep, falls_asleep(entries, entry)) else {
        return (before, after, given);
    };
    let Some(("ptr", device)) = operand(sleep.device) else {
        return (before, after, given);
    };
    if !asleep {
        let _ = writeln!(after, "  call void @__irkiss_awake(ptr {device})");
        return (before, after, given);
    }
    let n = id.index();
    let _ = writeln!(before, "  %alone = call i1 @__irkiss_alone.{n}()");
    if let Some((message, bits)) = sleep.message
        && let Some((ty, value)) = operand(message).filter(|(ty, _)| ty.starts_with('i'))
    {
        let _ = write!(
            before,
            "  %other = and {ty} {value}, {}\n  %bits = select i1 %alone, {ty} {bits}, {ty} 0\n  %message = or {ty} %other, %bits\n",
            !(bits as i64)
        );
        let mut each: Vec<&str> = arguments.split(", ").collect();
        let told = format!("{ty} %message");
        each[message] = &told;
        given = each.join(", ");
    }
    let _ = writeln!(
        before,
        "  call void @__irkiss_sleep(ptr {device}, i1 zeroext %alone)"
    );
    if let Some((ty, result)) = result {
        let _ = write!(
            after,
            "  %asleep = icmp eq {ty} {result}, 0\n  call void @__irkiss_slept(ptr {device}, i1 zeroext %asleep)\n"
        );
    }
    (before, after, given)
}
