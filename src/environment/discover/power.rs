//! Which entry points have to do with the runtime power management of the device (`[[power]]` in rule files).
//!
//! Only where every probe is one of such a bus, so that there is no doubt whose device it is, and where the driver has something that runs
//! when the device falls asleep: otherwise nothing is kept apart by it.

use super::exclusions::names_place;
use super::objects::is_called;
use super::types::{Definitions, member_offset};
use crate::environment::entry::{EntryPoint, Exclusion, Parameter, Phase, Power, PowerRole};
use crate::environment::rules::{PowerRule, Rules};
use crate::index::FuncId;
use crate::program::{Callee, Const, Function, Op, Operand, Program};

/// Members of `struct dev_pm_info`, the member `power` of a device, that tell who uses it and whether it sleeps.
const MEMBERS: [&str; 3] = ["usage_count", "runtime_status", "disable_depth"];

/// DPM_FLAG_SMART_SUSPEND (include/linux/pm.h) in `driver_flags`: the device may be asleep already when the system falls asleep.
const SMART_SUSPEND: u128 = 1 << 2;

/// Tells entry points what they are to the device, keeps them apart where that says enough, and lets what wakes it up follow what has
/// put it to sleep.
pub fn find(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    let has = |structure: &str, member: &str| member_offset(program, structure, member).is_some();
    if !has("device", "power") || !MEMBERS.iter().all(|m| has("dev_pm_info", m)) {
        return;
    }
    for rule in rules.power() {
        let Some(device) = device(program, rule, entries) else {
            continue;
        };
        let forced = forced(program, rules, rule, entries);
        let found: Vec<Option<Power>> = entries
            .iter()
            .map(|e| power(rule, e, &device, forced.as_ref()).or_else(|| child(program, rules, e)))
            .collect();
        let asleep = |e: &EntryPoint, power: &Option<Power>| {
            let suspends = power
                .as_ref()
                .is_some_and(|p| p.role == PowerRole::Suspends);
            suspends.then(|| (e.registered_by.clone(), e.function.clone()))
        };
        let suspends: Vec<(Option<String>, String)> = entries
            .iter()
            .zip(&found)
            .filter_map(|(e, power)| asleep(e, power))
            .collect();
        if suspends.is_empty() {
            continue;
        }
        keep_apart(entries, &found, may_set_smart_suspend(program, device.1));
        for (entry, power) in entries.iter_mut().zip(found) {
            let wakes = power.as_ref().is_some_and(|p| p.role == PowerRole::Resumes);
            if wakes {
                let own = suspends.iter().filter(|(by, _)| *by == entry.registered_by);
                entry.follows = own.map(|(_, function)| function.clone()).collect();
            }
            // Of what wakes it up and follows nothing it is not known when it runs.
            entry.power = power.filter(|_| !wakes || !entry.follows.is_empty());
        }
    }
}

/// The struct that the probes get, and the byte offset of the device in it, if all are probes of one of the rule's buses; and if the
/// input itself switches runtime power management on, where a bus does not.
fn device(program: &Program, rule: &PowerRule, entries: &[EntryPoint]) -> Option<(String, u64)> {
    let probes = || {
        let init = entries
            .iter()
            .filter(|e| e.phase == Phase::Init && !e.of_bound);
        init.filter(|e| !e.parameters.is_empty())
    };
    let begins = |e: &EntryPoint| {
        matches!(
            role(rule, e),
            Some(PowerRole::Begins | PowerRole::BeginsOff)
        )
    };
    let Some(Parameter::Shared(bus)) = probes().next()?.parameters.first() else {
        return None;
    };
    let same = |e: &EntryPoint| e.parameters.first() == Some(&Parameter::Shared(bus.clone()));
    let switched = |f: &String| is_called(program, f);
    let on = rule.off_until.is_empty() || rule.off_until.iter().any(switched);
    let known = rule.buses.contains(bus) && probes().all(|e| begins(e) && same(e));
    (on && known).then_some((bus.clone(), member_offset(program, bus, "dev")?))
}

/// If the input names what puts the device to sleep with the system, whoever uses it: the entry points of those that are frozen then.
fn forced(
    program: &Program,
    rules: &Rules,
    rule: &PowerRule,
    entries: &[EntryPoint],
) -> Option<Vec<String>> {
    let mut by = rule.forced_by.iter();
    by.find(|f| is_called(program, f))?;
    let frozen = rules.in_full(&rule.frozen);
    let listed = |place: &String| names_place(&frozen, place);
    let all = entries
        .iter()
        .filter(|e| listed(&e.via) && e.also.iter().all(listed));
    Some(all.map(|e| e.function.clone()).collect())
}

/// What falls asleep, wakes up or is asked whether it idles never runs while the kernel keeps the device awake.
fn keep_apart(entries: &mut [EntryPoint], found: &[Option<Power>], smart_suspend: bool) {
    use PowerRole::{Idles, Resumes, Sleeps, Suspends, Uses};
    let is = |power: &Option<Power>, roles: &[PowerRole]| {
        power.as_ref().is_some_and(|p| roles.contains(&p.role))
    };
    let keeps: &[PowerRole] = match smart_suspend {
        true => &[Uses],
        false => &[Uses, Sleeps],
    };
    let keepers: Vec<(String, String)> = entries
        .iter()
        .zip(found)
        .filter(|(_, power)| is(power, keeps))
        .map(|(e, _)| (e.function.clone(), e.via.clone()))
        .collect();
    for (entry, power) in entries.iter_mut().zip(found) {
        if is(power, &[Suspends, Resumes, Idles]) {
            for (function, via) in &keepers {
                entry.never_beside.push(Exclusion {
                    function: function.clone(),
                    reason: format!("never beside {via}"),
                });
            }
        }
    }
}

/// Whether the driver may say that the device need not be awake when the system falls asleep: something is stored where its flags are,
/// in the device at that offset of the bus's struct, that is not known to be without that one.
fn may_set_smart_suspend(program: &Program, device: u64) -> bool {
    let Some(flags) = member_offset(program, "dev_pm_info", "driver_flags") else {
        return true;
    };
    let power = member_offset(program, "device", "power").unwrap_or(0);
    let places = [power + flags, device + power + flags].map(i128::from);
    let may = |(id, f): (FuncId, &Function)| {
        let definitions = Definitions::new(f);
        // One step for each struct on the way, where no pass has made one of them.
        let at = |ptr: &Operand| {
            let (mut ptr, mut sum) = (ptr, 0);
            while let Operand::Value(v) = ptr
                && let Some(Op::Gep {
                    base,
                    offset,
                    scaled,
                    ..
                }) = definitions.of(*v).map(|i| &i.op)
                && scaled.is_empty()
            {
                sum += i128::from(*offset);
                if places.contains(&sum) {
                    return true;
                }
                ptr = base;
            }
            false
        };
        let mut instrs = f.blocks.iter().flat_map(|b| b.instrs.iter());
        instrs.any(|i| match &i.op {
            Op::Store { ptr, value, ty, .. } if at(ptr) && program.size_of(ty) == 4 => {
                let given = match value {
                    Operand::Value(v) => f.params.iter().position(|p| p == v),
                    Operand::Const(_) => None,
                };
                match given {
                    Some(n) => is_given(program, id, n, &may_be_smart),
                    None => may_be_smart(value),
                }
            }
            _ => false,
        })
    };
    program.functions.iter_ids().any(may)
}

fn may_be_smart(flags: &Operand) -> bool {
    match flags {
        Operand::Const(Const::Int { value, .. }) => value & SMART_SUSPEND != 0,
        _ => true,
    }
}

/// Whether a function may be called with such an argument.
fn is_given(
    program: &Program,
    function: FuncId,
    n: usize,
    such: &dyn Fn(&Operand) -> bool,
) -> bool {
    let blocks = program.functions.iter().flat_map(|f| f.blocks.iter());
    let mut instrs = blocks.flat_map(|b| b.instrs.iter());
    instrs.any(|i| match &i.op {
        Op::Call {
            callee: Callee::Direct(g),
            args,
            ..
        } => *g == function && args.get(n).is_none_or(such),
        _ => false,
    })
}

/// What all places of an entry point agree on.
fn role(rule: &PowerRule, entry: &EntryPoint) -> Option<PowerRole> {
    let role = rule.role(&entry.via)?;
    let same = |place: &String| rule.role(place) == Some(role);
    entry.also.iter().all(same).then_some(role)
}

/// What an entry point is to the device of that struct, at that offset in it.
fn power(
    rule: &PowerRule,
    entry: &EntryPoint,
    (bus, device): &(String, u64),
    forced: Option<&Vec<String>>,
) -> Option<Power> {
    let role = role(rule, entry)?;
    let offset = match entry.parameters.first()? {
        Parameter::Shared(name) if name == bus => *device,
        Parameter::Member(name, offset) if name == bus && offset == device => 0,
        _ => return None,
    };
    let by_system = matches!(role, PowerRole::Suspends | PowerRole::Resumes);
    Some(Power {
        role,
        offset,
        forced: forced.filter(|_| by_system).cloned(),
    })
}

/// What it is to the parent of the device in its first argument.
fn child(program: &Program, rules: &Rules, entry: &EntryPoint) -> Option<Power> {
    let rule = rules.uses_parent(&entry.via)?;
    let Parameter::Shared(structure) = entry.parameters.first()? else {
        return None;
    };
    let same = |place: &String| rules.uses_parent(place) == Some(rule);
    let flag = rule.flag.as_deref();
    let flag = match flag {
        Some(member) => Some(member_offset(program, structure, member)?),
        None => None,
    };
    entry.also.iter().all(same).then_some(Power {
        role: PowerRole::Child(flag),
        offset: member_offset(program, structure, "dev")?,
        forced: None,
    })
}
