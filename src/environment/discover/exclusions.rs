//! What keeps entry points apart: the order that the rules of their places tell, where the object that holds them is used, and
//! what the call that registers them was given.

use std::collections::{HashMap, HashSet};

use super::find::Search;
use super::locks::sets;
use super::types::{Definitions, Place, Target, global_type, member_offset};
use crate::environment::entry::{EntryPoint, Exclusion, Phase, Sleep};
use crate::environment::rules::place::stands_for;
use crate::environment::rules::{CallRule, HolderRule, Rule, Rules};
use crate::index::GlobalId;
use crate::program::{Callee, Const, Op, Operand, Program};

/// One place where the address of a global stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Use {
    /// `struct.field` or `function#argument`; none in a table of pointers.
    pub place: Option<String>,
    /// The global that holds the address.
    pub owner: Option<GlobalId>,
    /// The struct that the one in `place` lies in, and its offset in bytes there, where a computation of an address says so.
    pub within: Option<(String, u64)>,
    /// Of an argument of a call: a global of the kernel that the call gets, too.
    pub with: Option<String>,
}

impl Use {
    /// In the initialiser of a global.
    pub fn initialiser(owner: GlobalId, place: Option<Place>) -> Use {
        Use {
            place: place.map(|p| p.name()),
            owner: Some(owner),
            within: None,
            with: None,
        }
    }
}

/// Where the groups of attributes of a device stand that are made with it (drivers/base/core.c: device_add_attrs).
pub const DEVICE_GROUPS: &str = "device.groups";

/// The uses of all globals.
pub type Uses = HashMap<GlobalId, HashSet<Use>>;

/// Where a global is used in the end, past tables of pointers and the places in `through`.
fn last_uses(uses: &Uses, program: &Program, global: GlobalId, through: &[&str]) -> Vec<Use> {
    let mut ends = Vec::new();
    let mut seen = HashSet::from([global]);
    let mut work = vec![global];
    while let Some(at) = work.pop() {
        let Some(found) = uses.get(&at) else {
            continue;
        };
        for used in found {
            // Lists that only keep symbols alive.
            let kept = used.owner.is_some_and(|o| {
                let name = &program.globals[o].name;
                name.starts_with("llvm.") || name.starts_with("__UNIQUE_ID_")
            });
            match (&used.place, used.owner) {
                _ if kept => {}
                (Some(place), _) if !through.contains(&place.as_str()) => ends.push(used.clone()),
                (_, Some(owner)) => {
                    if seen.insert(owner) {
                        work.push(owner);
                    }
                }
                (_, None) => ends.push(used.clone()),
            }
        }
    }
    ends.sort();
    ends.dedup();
    ends
}

/// The globals through which a holder rule holds for a global; `None` if it does not.
///
/// A rule that keeps entry points apart, or module exit away, or tells their device, holds only if the global is used nowhere else.
pub fn owners(
    uses: &Uses,
    program: &Program,
    global: GlobalId,
    rule: &HolderRule,
) -> Option<Vec<GlobalId>> {
    let through: Vec<&str> = rule.through.iter().map(String::as_str).collect();
    let (there, elsewhere): (Vec<_>, Vec<_>) = last_uses(uses, program, global, &through)
        .into_iter()
        .partition(|u| rule.holds_at(u.place.as_deref(), u.with.as_deref()));
    let nowhere_else = rule.alone
        || !rule.never_beside.is_empty()
        || !rule.pinned_by.is_empty()
        || rule.device.is_some();
    if there.is_empty() || (nowhere_else && !elsewhere.is_empty()) {
        return None;
    }
    let mut owners: Vec<GlobalId> = there.into_iter().filter_map(|u| u.owner).collect();
    owners.dedup();
    Some(owners)
}

/// The struct whose device an attribute is of, and where that lies in it: one in whose device alone the groups stand that name it
/// (`input->dev.groups`).
pub fn device_of_attribute(
    uses: &Uses,
    program: &Program,
    global: GlobalId,
) -> Option<(String, u64)> {
    let through = ["attribute_group.attrs", "attribute_group.bin_attrs"];
    let all = last_uses(uses, program, global, &through);
    let device = all.first()?.within.clone()?;
    let there =
        |u: &Use| u.place.as_deref() == Some(DEVICE_GROUPS) && u.within.as_ref() == Some(&device);
    all.iter().all(there).then_some(device)
}

/// Whether the address of a global stands in an object, or goes to a call: others have it who do not name it.
pub fn is_handed_on(uses: &Uses, program: &Program, global: GlobalId) -> bool {
    !last_uses(uses, program, global, &[]).is_empty()
}

/// Marks entry points that run alone, while entries are made.
const ALONE: &str = "*";

/// That nothing runs beside it, if the rule says so.
pub fn mark_alone(rule: &HolderRule) -> Option<Exclusion> {
    rule.alone.then(|| Exclusion {
        function: ALONE.to_string(),
        reason: rule.reason.clone(),
    })
}

/// Keeps what runs alone apart from all others.
pub fn alone(entries: &mut [EntryPoint]) {
    let all: Vec<String> = entries.iter().map(|e| e.function.clone()).collect();
    for entry in entries {
        let marks = |e: &Exclusion| e.function == ALONE;
        let Some(mark) = entry.never_beside.iter().find(|e| marks(e)).cloned() else {
            continue;
        };
        entry.never_beside.retain(|e| !marks(e));
        let others = all.iter().filter(|f| **f != entry.function);
        entry.never_beside.extend(others.map(|f| Exclusion {
            function: f.clone(),
            reason: mark.reason.clone(),
        }));
    }
}

/// Entry points that never run beside those that the same object registers.
#[derive(Clone, Debug)]
pub struct Apart {
    /// Linker name of the function, and what registered it.
    pub entry: (String, Option<String>),
    /// The global that registers the others.
    pub owner: String,
    /// The places of the others.
    pub never_beside: Vec<String>,
    /// What keeps them apart.
    pub reason: String,
}

/// Resolves [`Apart`] to the entry points at those places.
pub fn resolve(entries: &mut [EntryPoint], apart: &[Apart]) {
    for rule in apart {
        let others: Vec<(String, String)> = entries
            .iter()
            .filter(|e| e.phase != Phase::Nested && e.registered_by.as_ref() == Some(&rule.owner))
            .filter(|e| {
                rule.never_beside.contains(&e.via)
                    || e.also.iter().any(|v| rule.never_beside.contains(v))
            })
            .map(|e| (e.function.clone(), e.via.clone()))
            .collect();
        for entry in entries
            .iter_mut()
            .filter(|e| (&e.function, &e.registered_by) == (&rule.entry.0, &rule.entry.1))
        {
            for (function, via) in &others {
                entry.never_beside.push(Exclusion {
                    function: function.clone(),
                    reason: rule.reason.replace("{}", via),
                });
            }
        }
    }
}

/// Turns the places that `after` and `never_beside` of a rule name into the entry points found there.
pub fn order(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    struct At {
        via: String,
        also: Vec<String>,
        function: String,
        by: Option<String>,
    }
    let at: Vec<At> = entries
        .iter()
        .filter(|e| e.phase != Phase::Nested)
        .map(|e| At {
            via: e.via.clone(),
            also: e.also.clone(),
            function: e.function.clone(),
            by: e.registered_by.clone(),
        })
        .collect();
    for entry in entries.iter_mut() {
        let Some(rule) = rules.place(&entry.via) else {
            continue;
        };
        // A function that stands in several places is kept apart as what it is in each of them.
        let others: Vec<&Rule> = entry.also.iter().filter_map(|p| rules.place(p)).collect();
        if others.len() < entry.also.len() {
            continue;
        }
        let never = [rule].into_iter().chain(others).map(|r| {
            let holds = !taken_back(program, entry.registered_by.as_deref(), r);
            let places = holds.then(|| rules.never_beside(r));
            places.unwrap_or_default()
        });
        let after = rule.after.iter().map(String::as_str).collect();
        for (is_after, lists) in [(true, vec![after]), (false, never.collect())] {
            let listed = |place: &String| lists.iter().all(|l: &Vec<&str>| names_place(l, place));
            for At {
                via,
                also,
                function,
                by,
            } in at.iter().filter(|o| listed(&o.via))
            {
                let same_struct = via.split('.').next() == entry.via.split('.').next();
                // Two ops objects of one kind are two devices.
                if same_struct && *by != entry.registered_by {
                    continue;
                }
                if !is_after && !also.iter().all(listed) {
                    continue;
                }
                let reason = if is_after {
                    format!("runs only after {via} has returned")
                } else {
                    format!("never beside {via}")
                };
                if is_after && !entry.after.contains(function) {
                    entry.after.push(function.clone());
                }
                if is_after && rules.place(via).is_some_and(|r| r.again) {
                    continue;
                }
                entry.never_beside.push(Exclusion {
                    function: function.clone(),
                    reason,
                });
            }
        }
    }
}

/// Turns the places that `[[follows]]` names into the entry points found there, of the same object. A function that also stands in a
/// place without such a rule, or that nothing stands before, follows nothing.
pub fn follow(rules: &Rules, entries: &mut [EntryPoint]) {
    let stands = |e: &EntryPoint, places: &[String]| {
        places.contains(&e.via) || e.also.iter().any(|p| places.contains(p))
    };
    let found: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let mut all = Vec::new();
            for place in std::iter::once(&entry.via).chain(&entry.also) {
                let before: Vec<&String> = entries
                    .iter()
                    .filter(|e| e.phase == Phase::Steady && e.registered_by == entry.registered_by)
                    .filter(|e| rules.follows(place).is_some_and(|r| stands(e, &r.last)))
                    .map(|e| &e.function)
                    .collect();
                if before.is_empty() || before.contains(&&entry.function) {
                    return Vec::new();
                }
                all.extend(before.into_iter().cloned());
            }
            all.sort();
            all.dedup();
            all
        })
        .collect();
    for (entry, follows) in entries.iter_mut().zip(found) {
        if entry.phase == Phase::Steady {
            entry.follows = follows;
        }
    }
}

/// Turns the places that `[[once]]` names into the entry points found there, of the same object. A function that also stands in a place
/// without such a rule may run again, and so may one where the object has nothing that would let it.
pub fn once(rules: &Rules, entries: &mut [EntryPoint]) {
    let found: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let mut places = std::iter::once(&entry.via).chain(&entry.also);
            let until: Option<Vec<&String>> = places.try_fold(Vec::new(), |mut all, place| {
                all.extend(&rules.once(place)?.until);
                Some(all)
            });
            let until = until.unwrap_or_default();
            let lets = |e: &&EntryPoint| {
                e.phase == Phase::Steady
                    && e.registered_by == entry.registered_by
                    && e.function != entry.function
                    && std::iter::once(&e.via)
                        .chain(&e.also)
                        .any(|p| until.contains(&p))
            };
            entries
                .iter()
                .filter(lets)
                .map(|e| e.function.clone())
                .collect()
        })
        .collect();
    for (entry, until) in entries.iter_mut().zip(found) {
        if entry.phase == Phase::Steady {
            entry.until = until;
        }
    }
}

/// Tells of what puts devices to sleep beside whom it does so only while nobody uses them.
pub fn sleep(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    let found: Vec<Option<Sleep>> = entries
        .iter()
        .map(|entry| {
            let (sleep, rule) = rules.sleep(&entry.via).filter(|_| entry.also.is_empty())?;
            if !taken_back(program, entry.registered_by.as_deref(), rule) {
                return None;
            }
            let frozen = rules.never_beside(rule);
            let listed = |place: &String| names_place(&frozen, place);
            let alone = entries
                .iter()
                .filter(|e| listed(&e.via) && e.also.iter().all(listed));
            Some(Sleep {
                device: sleep.device,
                message: sleep.message,
                alone: alone.map(|e| e.function.clone()).collect(),
            })
        })
        .collect();
    for (entry, sleep) in entries.iter_mut().zip(found) {
        entry.sleep = sleep;
    }
}

/// Whether a list of places, of which `struct.*` stands for all fields, has that one.
pub fn names_place(list: &[&str], place: &str) -> bool {
    list.iter().any(|name| stands_for(name, place))
}

/// Whether the ops object may set what takes `never_beside` of its rule back, or nothing is known of it.
pub fn taken_back(program: &Program, ops: Option<&str>, rule: &Rule) -> bool {
    let mut fields = rule.never_beside_unless.iter();
    fields.any(|field| may_have(program, ops, field))
}

/// Whether the kernel may call functions in the ops object: it sets what it must, or nothing is known of it.
pub fn may_be_called(program: &Program, ops: Option<&str>, rule: &Rule) -> bool {
    let mut fields = rule.called_if.iter();
    rule.called_if.is_empty() || fields.any(|field| may_have(program, ops, field))
}

/// Whether the ops object may set one of those bits of a field, or nothing is known of it. Bits are numbered as little-endian targets do;
/// for others nothing is known.
fn may_have(program: &Program, ops: Option<&str>, (place, bits): &(String, u64)) -> bool {
    let field = ops.and_then(|name| {
        let global = program.global_named(name)?;
        let (structure, field) = place.split_once('.')?;
        let ty = global_type(program, global)?;
        let is_of = program.debug_types[ty].name == structure;
        let offset = member_offset(program, structure, field)?;
        (is_of && program.layout.little_endian).then_some((global, offset))
    });
    field.is_none_or(|(global, offset)| may_set(program, global, offset, *bits))
}

/// Whether a global may have one of those bits at that offset: its initialiser is unknown or has it, or a store may give it.
fn may_set(program: &Program, global: GlobalId, offset: u64, bits: u64) -> bool {
    // Whether what stands from `start` on has one of them.
    let has = |start: u64, size: u64, value: &Const| {
        (start..start + size).contains(&offset)
            && match value {
                Const::Int { value, .. } => {
                    (value >> (8 * (offset - start))) & u128::from(bits) != 0
                }
                Const::Null => false,
                _ => true,
            }
    };
    let Some(init) = &program.globals[global].init else {
        return true;
    };
    if init.iter().any(|c| has(c.offset, c.size.into(), &c.value)) {
        return true;
    }
    program.functions.iter().any(|function| {
        let definitions = Definitions::new(function);
        let starts = |ptr: &Operand| {
            let places = definitions.targets(ptr).into_iter();
            places.filter_map(move |t| match t {
                Target::Global(g, start) if g == global => u64::try_from(start).ok(),
                _ => None,
            })
        };
        let mut instrs = function.blocks.iter().flat_map(|b| &b.instrs);
        let writes = instrs.any(|i| match &i.op {
            Op::Store { ptr, value, ty, .. } => {
                let size = program.size_of(ty);
                starts(ptr).any(|start| match value {
                    Operand::Const(value) => has(start, size, value),
                    Operand::Value(_) => (start..start + size).contains(&offset),
                })
            }
            Op::AtomicRmw { ptr: dst, .. }
            | Op::CmpXchg { ptr: dst, .. }
            | Op::MemCopy { dst, .. }
            | Op::MemSet { dst, .. } => starts(dst).next().is_some(),
            _ => false,
        });
        // Through a pointer to anything.
        writes || sets(function, offset, bits)
    })
}

/// Applies the rules about registering calls: functions that one call registers, with constant flags, never overlap.
pub fn calls(search: &Search<'_>, rules: &Rules, entries: &mut [EntryPoint]) {
    for rule in rules.calls() {
        let is_there = |name: &String| search.program.function_named(name).is_some();
        if rule.unless.iter().any(is_there) {
            continue;
        }
        for (first, second) in flagged(search, rule) {
            let by = Some(rule.of.clone());
            let second_is = |e: &EntryPoint| e.function == second && e.registered_by == by;
            if !entries.iter().any(second_is) {
                continue;
            }
            for entry in entries
                .iter_mut()
                .filter(|e| e.function == first && e.registered_by == by)
            {
                entry.never_beside.push(Exclusion {
                    function: second.clone(),
                    reason: rule.reason.clone(),
                });
                entry.why = format!("{}; {}", entry.why, rule.cite);
            }
        }
    }
}

/// The functions that calls register with those flags, if every call that registers the first one does.
fn flagged(search: &Search<'_>, rule: &CallRule) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut refuted: HashSet<String> = HashSet::new();
    for (_, function) in search.bodies() {
        let definitions = Definitions::new(function);
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let Op::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } = &instr.op
            else {
                continue;
            };
            if search.program.functions[*callee].name != rule.of {
                continue;
            }
            let names = |n: usize| -> Vec<String> {
                let targets = args.get(n).map_or(Vec::new(), |a| definitions.targets(a));
                targets
                    .into_iter()
                    .filter_map(|t| match t {
                        Target::Function(f) => Some(search.program.functions[f].name.clone()),
                        _ => None,
                    })
                    .collect()
            };
            let flags = match args.get(rule.argument) {
                Some(Operand::Const(Const::Int { value, .. })) => Some(*value),
                _ => None,
            };
            let holds = flags.is_some_and(|f| {
                f & u128::from(rule.set) == u128::from(rule.set) && f & u128::from(rule.clear) == 0
            });
            for first in names(rule.apart.0) {
                if !holds {
                    refuted.insert(first.clone());
                }
                for second in names(rule.apart.1) {
                    pairs.push((first.clone(), second));
                }
            }
        }
    }
    pairs.retain(|(first, _)| !refuted.contains(first));
    pairs.dedup();
    pairs
}
