//! Objects that entry points share: which one is meant, and where it comes from.

use std::collections::BTreeSet;

use super::types::{Definitions, member_of_struct, member_offset, pointee, struct_size};
use crate::environment::entry::{EntryPoint, Led, Parameter, Phase, SharedObject, Source};
use crate::environment::identity::Identity;
use crate::environment::rules::Rules;
use crate::index::GlobalId;
use crate::program::{Const, Function, Op, Operand, Program};

/// Name of the shared object that parameters of the kind `device` are, until [`place_devices`].
pub const DEVICE: &str = "device";

/// The same for `bus-device`.
pub const BUS_DEVICE: &str = "bus-device";

/// The member in which the structs of buses have it.
const DEVICE_OF: &str = "dev";

/// The shared object that a miscdevice is which `misc_register` was given.
pub const MISC: &str = "miscdevice";

/// Where the operations of its files stand.
pub const MISC_FOPS: &str = "miscdevice.fops";

/// Whether code of the input puts the address of a global into that field (`struct.field`).
pub fn is_put_into(program: &Program, global: GlobalId, field: &str) -> bool {
    let of_input = |f: &&Function| f.is_defined() && !f.is_model;
    program.functions.iter().filter(of_input).any(|function| {
        let instrs = function.blocks.iter().flat_map(|b| &b.instrs);
        let stores: Vec<&Operand> = instrs
            .filter_map(|i| match &i.op {
                Op::Store {
                    ptr,
                    value: Operand::Const(Const::Addr { global: of, .. }),
                    ..
                } if *of == global => Some(ptr),
                _ => None,
            })
            .collect();
        if stores.is_empty() {
            return false;
        }
        let definitions = Definitions::new(function);
        stores.into_iter().any(|ptr| {
            let place = definitions.place(program, ptr);
            place.is_some_and(|p| p.name() == field)
        })
    })
}

/// A member of the shared object of a struct.
pub fn member(program: &Program, structure: &str, member: &str) -> Parameter {
    match member_offset(program, structure, member) {
        Some(offset) => Parameter::Member(structure.to_string(), offset),
        None => Parameter::Shared(format!("{structure}.{member}")),
    }
}

/// The same, or an object of the caller's own; where there is no such member, that alone.
pub fn either(program: &Program, structure: &str, member: &str) -> Parameter {
    match member_offset(program, structure, member) {
        Some(offset) => Parameter::Either(structure.to_string(), offset),
        None => Parameter::Private(0),
    }
}

/// Where the input tells which device attributes are of, that is the object; otherwise it is the device of the bus: the member
/// `dev` of what probe gets.
pub fn place_devices(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    let told = rules
        .objects()
        .iter()
        .filter(|o| o.name == DEVICE)
        .flat_map(|o| {
            o.given
                .iter()
                .map(|p| p.split('#').next().unwrap_or_default())
                .chain(o.returned.iter().map(String::as_str))
        })
        .any(|f| is_called(program, f));
    let bus = entries
        .iter()
        .filter(|e| e.phase == Phase::Init)
        .find_map(|e| match e.parameters.first() {
            Some(Parameter::Shared(name)) if name != DEVICE && name != BUS_DEVICE => {
                embedded_device(program, name).map(|o| Parameter::Member(name.clone(), o))
            }
            _ => None,
        });
    let Some(bus) = bus else {
        return;
    };
    for entry in entries {
        for parameter in &mut entry.parameters {
            let named = |name: &str| *parameter == Parameter::Shared(name.to_string());
            if named(BUS_DEVICE) || (named(DEVICE) && !told) {
                *parameter = bus.clone();
            }
        }
    }
}

/// Where the device of a bus lies in what its probe gets; `None`: it is only pointed to.
fn embedded_device(program: &Program, structure: &str) -> Option<u64> {
    let (offset, ty) = member_of_struct(program, structure, DEVICE_OF)?;
    let pointer = ty.is_some_and(|ty| pointee(program, ty).is_some());
    (!pointer).then_some(offset)
}

/// Hands over another device than the one that the driver makes attributes for, also to who gets its first member, the kobject.
pub fn replace_device(parameters: &mut [Parameter], device: &Parameter) {
    let told = |p: &Parameter| match p {
        Parameter::Shared(name) => name == DEVICE,
        Parameter::Typed { name, by_rule } => *by_rule && name == "kobject",
        _ => false,
    };
    for parameter in parameters.iter_mut().filter(|p| told(p)) {
        *parameter = device.clone();
    }
}

/// The struct that a shared object is: its name, or what stands before the colon in it (`device:pmu`).
fn structure(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}

/// Where the shared objects of those entry points come from.
pub fn sources(
    program: &Program,
    rules: &Rules,
    entries: &[EntryPoint],
    identity: &Identity,
) -> Vec<SharedObject> {
    let mut names = shared(program, entries, identity);
    let mut objects = Vec::new();
    let mut at = 0;
    // Objects point to objects that no entry point gets.
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        let name = name.as_str();
        let set = pointers(program, rules, name);
        for (_, other, _) in &set {
            if !names.contains(other) {
                names.push(other.clone());
            }
        }
        let copied = copies(program, rules, name);
        for (_, other, _) in &copied {
            if !names.contains(other) {
                names.push(other.clone());
            }
        }
        let led = led(program, rules, name);
        if let Some(led) = &led
            && !names.contains(&led.by)
        {
            names.push(led.by.clone());
        }
        let sources = sources_of(program, rules, identity, name);
        let named = identity.names().any(|n| n == name);
        let led = led.filter(|_| sources.is_empty());
        let some = !sources.is_empty() || !set.is_empty() || !copied.is_empty();
        if named || some || led.is_some() {
            objects.push(SharedObject {
                name: name.to_string(),
                sources,
                set,
                copied,
                led,
                another_of: None,
            });
        }
    }
    objects
}

/// The names of the shared objects of those entry points, and of those that their calls note.
fn shared(program: &Program, entries: &[EntryPoint], identity: &Identity) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        for parameter in &entry.parameters {
            if let Parameter::Shared(name)
            | Parameter::Member(name, _)
            | Parameter::Either(name, _)
            | Parameter::Its(name, _)
            | Parameter::New(name)
            | Parameter::TextFile(name, _)
            | Parameter::Stored(name, _)
            | Parameter::Own(name) = parameter
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        for address in entry.locks.iter().filter_map(|l| l.object.as_ref()) {
            if !names.contains(&address.shared) {
                names.push(address.shared.clone());
            }
        }
    }
    let misc = |e: &EntryPoint| {
        let ops = e.registered_by.as_ref();
        let ops = ops.and_then(|ops| program.global_named(ops));
        ops.is_some_and(|ops| is_put_into(program, ops, MISC_FOPS))
    };
    if entries.iter().any(misc) {
        names.push(MISC.to_string());
    }
    for name in identity.names() {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Where the shared object of that name comes from.
fn sources_of(program: &Program, rules: &Rules, identity: &Identity, name: &str) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    if let Some((function, n)) = argument(name) {
        sources.push(Source::Given(function, n));
    }
    for rule in rules.objects().iter().filter(|o| o.name == name) {
        let arguments = |places: &[String]| -> Vec<(String, usize)> {
            places.iter().filter_map(|p| argument(p)).collect()
        };
        let mut given = arguments(&rule.given);
        if !given.iter().any(|(f, _)| is_called(program, f)) {
            given.extend(arguments(&rule.otherwise));
        }
        sources.extend(given.into_iter().map(|(f, n)| Source::Given(f, n)));
        sources.extend(rule.returned.iter().cloned().map(Source::Returned));
        sources.extend(rule.gives.iter().cloned().map(Source::Gives));
    }
    sources.retain(|s| match s {
        Source::Given(f, _) | Source::Returned(f) | Source::Gives(f) => is_called(program, f),
        Source::Told(_) => true,
    });
    let told = identity.told.iter().filter(|t| t.name == name);
    sources.extend(told.map(|t| Source::Told(t.at.function.clone())));
    sources
}

/// The structs that objects lead to which the kernel has made before the driver sees them: these are there as well, and no call of
/// the driver makes them.
pub fn led_to(program: &Program, rules: &Rules, entries: &[EntryPoint]) -> BTreeSet<String> {
    let parameters = entries.iter().flat_map(|e| &e.parameters);
    let mut todo: Vec<String> = parameters
        .filter_map(|parameter| match parameter {
            Parameter::Shared(name)
            | Parameter::Member(name, _)
            | Parameter::Either(name, _)
            | Parameter::Its(name, _)
            | Parameter::New(name)
            | Parameter::Own(name)
            | Parameter::Typed { name, .. } => Some(name.clone()),
            _ => None,
        })
        .collect();
    for object in rules.objects() {
        if object.gives.iter().any(|f| is_called(program, f)) {
            todo.push(object.name.clone());
        }
    }
    let mut found = BTreeSet::new();
    while let Some(name) = todo.pop() {
        for (_, other, _) in pointers(program, rules, &name) {
            if found.insert(other.clone()) {
                todo.push(other);
            }
        }
    }
    found
}

/// The pointers that a rule sets in an object, as far as the input's debug info has both ends.
fn pointers(program: &Program, rules: &Rules, name: &str) -> Vec<(u64, String, u64)> {
    let rules = rules.objects().iter().filter(|o| o.name == name);
    rules
        .flat_map(|o| &o.set)
        .filter_map(|(member, target)| {
            let offset = member_offset(program, structure(name), member)?;
            let (other, inner) = match target.split_once('.') {
                Some((other, inner)) => (other, member_offset(program, other, inner)?),
                None => (target.as_str(), 0),
            };
            (struct_size(program, structure(other)) > 0).then(|| (offset, other.to_string(), inner))
        })
        .collect()
}

/// What a rule copies into an object after initialisation, as far as the input's debug info has both ends.
fn copies(program: &Program, rules: &Rules, name: &str) -> Vec<(u64, String, Option<u64>)> {
    let rules = rules.objects().iter().filter(|o| o.name == name);
    rules
        .flat_map(|o| &o.copied)
        .filter_map(|(member, from)| {
            let offset = member_offset(program, structure(name), member)?;
            let (other, inner) = match from.split_once('.') {
                Some((other, inner)) => (other, Some(member_offset(program, other, inner)?)),
                None => (from.as_str(), None),
            };
            Some((offset, other.to_string(), inner))
        })
        .collect()
}

/// The pointer of another object that leads to one, as far as the input's debug info has both ends.
fn led(program: &Program, rules: &Rules, name: &str) -> Option<Led> {
    let mut rules = rules.objects().iter().filter(|o| o.name == name);
    rules.find_map(|o| {
        let at = |place: &String| {
            let (of, member) = place.split_once('.')?;
            Some((of.to_string(), member_offset(program, of, member)?))
        };
        let (by, offset) = at(o.led_by.as_ref()?)?;
        let inner = match &o.led_to {
            Some(place) => at(place)?.1,
            None => 0,
        };
        Some(Led { by, offset, inner })
    })
}

/// The parts of `function#argument`.
fn argument(place: &str) -> Option<(String, usize)> {
    let (function, n) = place.split_once('#')?;
    Some((function.to_string(), n.parse().ok()?))
}

/// Whether the input refers to that function of the environment.
pub fn is_called(program: &Program, function: &str) -> bool {
    program
        .function_named(function)
        .is_some_and(|f| !program.functions[f].is_defined())
}
