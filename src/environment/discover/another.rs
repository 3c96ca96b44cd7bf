//! Entry points of another object of their kind.
//!
//! A rule or a lock keeps two functions of one object apart: a light, a regulator, an adapter. Where the driver registers several, it says
//! nothing of two of them. So each such entry point is there a second time, for another object; what the two share beside their objects (a
//! register's shadow, a buffer of the chip) is then searched as that of any pair.
//!
//! The other object is the one that was registered before the last one, where the driver's calls tell which there is; where the harness makes
//! an object up, it makes two. What it misses: objects that are opened and closed (ports, network devices), files, and handlers of what the
//! driver arms; a pair of these stays `one-of-several`.

use super::creators::reached;
use super::several::{is_called_once, is_made_once};
use crate::environment::entry::{EntryPoint, OneOf, Parameter, Phase, SharedObject, Source, Start};
use crate::environment::identity::Identity;
use crate::index::FuncId;
use crate::program::Program;

/// The name of another one of a shared object.
pub fn another(name: &str) -> String {
    format!("{name}:another")
}

/// Adds the entry points, and the objects that they get.
pub fn find(
    program: &Program,
    identity: &Identity,
    entries: &mut Vec<EntryPoint>,
    objects: &mut Vec<SharedObject>,
) {
    let mut wanted: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let kinds = Kinds {
        program,
        identity,
        entries,
        objects,
    };
    for entry in entries.iter() {
        let told = |own: &Vec<String>| !kinds.are_opened(entry) && kinds.are_told(entry, own);
        let Some(own) = own(entry).filter(told) else {
            continue;
        };
        found.push(EntryPoint {
            unnumbered: !kinds.are_made(entry, &own),
            ..of_another(entry, &own)
        });
        wanted.extend(own);
    }
    wanted.sort();
    wanted.dedup();
    entries.extend(found);
    let of = |name: &String| objects.iter().find(|o| o.name == *name).cloned();
    let made = wanted.iter().filter_map(of);
    let made: Vec<SharedObject> = made.map(|o| twin(o, &wanted)).collect();
    objects.extend(made);
}

/// The objects of which each one of a kind has its own, where the entry point may be called for another one: those of all its kinds.
fn own(entry: &EntryPoint) -> Option<Vec<String>> {
    let alone = entry.within.is_none() && entry.sleep.is_none() && entry.power.is_none();
    if entry.phase != Phase::Steady || entry.start != Start::Any || !alone {
        return None;
    }
    let mut own: Vec<String> = entry.one_of.iter().flat_map(|of| of.own.clone()).collect();
    own.sort();
    own.dedup();
    let gets = entry
        .parameters
        .iter()
        .any(|p| named(p).is_some_and(|name| own.contains(name)));
    gets.then_some(own)
}

/// The shared object that a parameter is, or lies in.
fn named(parameter: &Parameter) -> Option<&String> {
    match parameter {
        Parameter::Shared(name) | Parameter::Member(name, _) | Parameter::Either(name, _) => {
            Some(name)
        }
        _ => None,
    }
}

/// What is known of the objects of an input.
struct Kinds<'a> {
    program: &'a Program,
    identity: &'a Identity,
    entries: &'a [EntryPoint],
    objects: &'a [SharedObject],
}

impl Kinds<'_> {
    /// Whether it is told of each object that an entry point has to do with which one it is: those of which each has its own come from calls
    /// that tell one at a time, or are made up, and of the others there is one. What a function gives back later, or a file has, may be
    /// another one's.
    fn are_told(&self, entry: &EntryPoint, own: &[String]) -> bool {
        let mut names = entry.parameters.iter().filter_map(named);
        let told = |name: &String| match own.contains(name) {
            true => !self.sources(name).any(|s| matches!(s, Source::Gives(_))),
            false => self.is_one(name) && !name.contains(".file"),
        };
        names.all(told) && self.answers(entry).iter().all(|name| self.is_one(name))
    }

    /// Whether the driver makes all of those that each has its own of: what it keeps in them, a number for instance, is known.
    fn are_made(&self, entry: &EntryPoint, own: &[String]) -> bool {
        let mut names = entry.parameters.iter().filter_map(named);
        names.all(|name| !own.contains(name) || self.sources(name).next().is_some())
    }

    /// Whether objects of one of its kinds are opened and closed, or must have been told something before: nobody has done that to another one.
    fn are_opened(&self, entry: &EntryPoint) -> bool {
        let same = |of: &OneOf| entry.one_of.iter().any(|own| own.object == of.object);
        let of_kind = |e: &&EntryPoint| e.one_of.iter().any(same);
        let ordered = |e: &EntryPoint| {
            let names = [&e.after, &e.follows, &e.until];
            names.iter().any(|names| !names.is_empty())
        };
        self.entries.iter().filter(of_kind).any(ordered)
    }

    /// Where the shared object of that name comes from.
    fn sources(&self, name: &str) -> impl Iterator<Item = &Source> {
        let mut objects = self.objects.iter();
        let object = objects.find(|o| o.name == name);
        object.into_iter().flat_map(|o| &o.sources)
    }

    /// Whether the driver makes that object once, if it makes it.
    fn is_one(&self, name: &str) -> bool {
        let (program, entries) = (self.program, self.entries);
        let mut told = self.identity.told.iter().filter(|t| t.name == name);
        let once = told.all(|t| is_made_once(program, entries, &t.at));
        once && self.sources(name).all(|source| match source {
            Source::Given(f, _) | Source::Returned(f) => is_called_once(program, entries, f),
            Source::Told(_) => true,
            Source::Gives(_) => false,
        })
    }

    /// The objects with which functions answer that it may call, told by their type alone.
    fn answers(&self, entry: &EntryPoint) -> Vec<&str> {
        let program = self.program;
        let function = program.function_named(&entry.function);
        let called = reached(program, &function.into_iter().collect::<Vec<_>>());
        let by = |f: &FuncId| program.functions[*f].name.as_str();
        let names: Vec<&str> = called.iter().map(by).collect();
        let answered = self.identity.answered.iter();
        let own = answered.filter(|a| names.contains(&a.at.function.as_str()));
        own.map(|a| a.name.as_str()).collect()
    }
}

/// The same function for another object.
fn of_another(entry: &EntryPoint, own: &[String]) -> EntryPoint {
    let mut other = entry.clone();
    for parameter in &mut other.parameters {
        if let Parameter::Shared(name) | Parameter::Member(name, _) | Parameter::Either(name, _) =
            parameter
            && own.contains(name)
        {
            *name = another(name);
        }
    }
    for lock in &mut other.locks {
        if let Some(address) = &mut lock.object
            && own.contains(&address.shared)
        {
            address.shared = another(&address.shared);
        }
    }
    other.another = true;
    other
}

/// Another object like that one: it leads to others of the same kinds, and to the same of all else.
fn twin(mut object: SharedObject, kinds: &[String]) -> SharedObject {
    let its = |name: &mut String| {
        if kinds.contains(name) {
            *name = another(name);
        }
    };
    object.set.iter_mut().for_each(|(_, other, _)| its(other));
    object
        .copied
        .iter_mut()
        .for_each(|(_, other, _)| its(other));
    object.led = None;
    object.another_of = Some(object.name.clone());
    object.name = another(&object.name);
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    fn light() -> EntryPoint {
        EntryPoint {
            parameters: vec![Parameter::Shared("led_classdev".into()), Parameter::Number],
            one_of: vec![OneOf {
                object: "led_classdev".into(),
                own: vec!["led_classdev".into()],
                still: Vec::new(),
            }],
            ..EntryPoint::new("set", "led_classdev.brightness_set", Phase::Steady)
        }
    }

    #[test]
    fn one_of_several_has_another() {
        let first = light();
        let own = own(&first).expect("it gets one of several");
        let second = of_another(&first, &own);
        assert!(second.is_another_of(&first));
        let other = Parameter::Shared(another("led_classdev"));
        assert_eq!(second.parameters[0], other);
        // Not reentrant for one, but for two.
        assert!(EntryPoint::never_overlap(&first, &first).is_some());
        assert!(EntryPoint::never_overlap(&first, &second).is_none());
    }

    #[test]
    fn what_they_are_part_of_keeps_two_apart() {
        let mut first = light();
        first.one_of[0].still = vec!["chip".into()];
        first.serialized_by = vec!["chip".into()];
        let second = of_another(&first, &first.one_of[0].own);
        assert_eq!(
            EntryPoint::never_overlap(&first, &second).as_deref(),
            Some("chip")
        );
    }

    #[test]
    fn what_ends_the_device_has_none() {
        let entry = EntryPoint {
            phase: Phase::Exit,
            ..light()
        };
        assert_eq!(own(&entry), None);
    }

    #[test]
    fn the_other_object_leads_to_the_other_one_of_its_kind() {
        let object = SharedObject {
            name: "regulator_dev".into(),
            set: vec![(8, "regulator_desc".into(), 0), (16, "device".into(), 0)],
            ..SharedObject::default()
        };
        let kinds = ["regulator_dev".to_string(), "regulator_desc".to_string()];
        let other = twin(object, &kinds);
        assert_eq!(other.another_of.as_deref(), Some("regulator_dev"));
        let leads_to: Vec<&str> = other.set.iter().map(|(_, to, _)| to.as_str()).collect();
        assert_eq!(leads_to, [another("regulator_desc").as_str(), "device"]);
    }
}
