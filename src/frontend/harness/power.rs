//! Entry points beside the runtime power management of the device (`[[power]]` in rule files, runtime-stubs/linux/power.c).

use crate::environment::entry::{EntryPoint, PowerRole};

/// Text before and after the call of an entry point with those arguments; `result` is what it answers, if it is a number.
pub fn around(
    entry: &EntryPoint,
    arguments: &str,
    result: Option<(&str, &str)>,
) -> (String, String) {
    let Some(power) = &entry.power else {
        return Default::default();
    };
    let first = arguments.split(", ").next().unwrap_or_default();
    let Some(object) = first.strip_prefix("ptr %") else {
        return Default::default();
    };
    let device = format!("%powered.{object}");
    let begin = format!(
        "  {device} = getelementptr i8, ptr %{object}, i64 {}\n",
        power.offset
    );
    let call = |name: &str| format!("  call void @__irkiss_power_{name}(ptr {device})\n");
    let over = |name: &str| match result {
        Some((ty, value)) => format!(
            "  %power_ok = icmp eq {ty} {value}, 0\n  \
             call void @__irkiss_power_{name}(ptr {device}, i1 zeroext %power_ok)\n"
        ),
        None => format!("  call void @__irkiss_power_{name}(ptr {device}, i1 zeroext true)\n"),
    };
    let (before, after) = match power.role {
        PowerRole::Begins => (call("begin"), String::new()),
        PowerRole::Suspends => (call("suspend"), over("suspended")),
        PowerRole::Resumes => (call("resume"), over("resumed")),
        PowerRole::Idles => (call("idle"), String::new()),
        PowerRole::Child => (call("use_parent"), call("unuse_parent")),
        // Kept apart from what runs when it falls asleep and wakes up.
        PowerRole::Uses | PowerRole::Sleeps => Default::default(),
    };
    (begin + &before, after)
}
