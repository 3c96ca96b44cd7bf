//! Entry points beside the runtime power management of the device (`[[power]]` in rule files, runtime-stubs/linux/power.c).

use crate::environment::entry::{EntryPoint, EntryPoints, Power, PowerRole, Registrar};
use crate::index::{EntryId, Idx};

/// The address of the device in the first of those arguments: a name, and the text that computes it.
fn device(power: &Power, arguments: &str) -> Option<(String, String)> {
    let first = arguments.split(", ").next().unwrap_or_default();
    let object = first.strip_prefix("ptr %")?;
    let device = format!("%powered.{object}");
    let text = format!(
        "  {device} = getelementptr i8, ptr %{object}, i64 {}\n",
        power.offset
    );
    Some((device, text))
}

/// Text before the call of what initialises with those arguments.
pub fn begins(entry: &EntryPoint, arguments: &str) -> String {
    let power = entry.power.as_ref();
    let Some((power, (device, text))) = power.and_then(|p| Some((p, device(p, arguments)?))) else {
        return String::new();
    };
    let begin = match power.role {
        PowerRole::Begins => "begin",
        PowerRole::BeginsOff => "begin_off",
        _ => return String::new(),
    };
    format!("{text}  call void @__irkiss_power_{begin}(ptr {device})\n")
}

/// Text before and after the call of an entry point with those arguments; `result` is what it answers, if it is a number.
pub fn around(
    id: EntryId,
    entry: &EntryPoint,
    arguments: &str,
    result: Option<(&str, &str)>,
) -> (String, String) {
    let power = entry.power.as_ref();
    let Some((power, (device, text))) = power.and_then(|p| Some((p, device(p, arguments)?))) else {
        return Default::default();
    };
    let call = |name: &str| format!("  call void @__irkiss_power_{name}(ptr {device})\n");
    let over = |name: &str| match result {
        Some((ty, value)) => format!(
            "  %power_ok = icmp eq {ty} {value}, 0\n  \
             call void @__irkiss_power_{name}(ptr {device}, i1 zeroext %power_ok)\n"
        ),
        None => format!("  call void @__irkiss_power_{name}(ptr {device}, i1 zeroext true)\n"),
    };
    let (asks, by_system) = match power.forced {
        Some(_) => (
            format!(
                "  %alone = call i1 @__irkiss_alone.{}()\n  %by_system = xor i1 %alone, true\n",
                id.index()
            ),
            "%by_system",
        ),
        None => (String::new(), "false"),
    };
    let sleeps = |name: &str| {
        format!("{asks}  call void @__irkiss_power_{name}(ptr {device}, i1 zeroext {by_system})\n")
    };
    let (before, after) = match power.role {
        PowerRole::Suspends => (sleeps("suspend"), over("suspended")),
        PowerRole::Resumes => (sleeps("resume"), over("resumed")),
        PowerRole::Idles => (call("idle"), String::new()),
        PowerRole::Child(flag) => {
            let object = device.trim_start_matches("%powered.");
            let (flagged, at) = match flag {
                Some(offset) => (
                    format!("  %flag.{object} = getelementptr i8, ptr %{object}, i64 {offset}\n"),
                    format!("%flag.{object}"),
                ),
                None => (String::new(), "null".to_string()),
            };
            let used = format!(
                "{flagged}  %used.{object} = call ptr @__irkiss_power_use_parent(ptr {device}, ptr {at})\n"
            );
            let unused = format!("  call void @__irkiss_power_unuse_parent(ptr %used.{object})\n");
            (used, unused)
        }
        // Kept apart from what runs when it falls asleep and wakes up.
        PowerRole::Uses | PowerRole::Sleeps => return Default::default(),
        PowerRole::Begins | PowerRole::BeginsOff => return Default::default(),
    };
    (text + &before, after)
}

/// What else a model that is made from the effects of a function on entry points does, whose arguments have those types: it may switch
/// runtime power management of the device on or off.
pub fn switched(entries: &EntryPoints, registrar: &Registrar, types: &[String]) -> Option<String> {
    let on = registrar.switches_power?;
    let is_device = types.first().is_some_and(|t| t == "ptr");
    let managed = entries.iter().any(|e| e.power.is_some());
    (is_device && managed)
        .then(|| format!("call void @__irkiss_power_switch(ptr %a0, i1 zeroext {on})"))
}
