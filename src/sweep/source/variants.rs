//! One file that is compiled several times: for several programs, configurations, or with several sets of options. Each is a module of its
//! own, with a name that tells it from the others and is the same the next night.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::{common, named, plain};
use crate::sweep::unit::Unit;

/// The modules of a program or library, of which one configuration may lie beside another (`CMakeFiles/p.dir/Debug/a.c.o`).
pub(super) fn of_target(name: &str, units: Vec<Unit>) -> Vec<(String, Vec<Unit>)> {
    let sources: BTreeSet<PathBuf> = units.iter().map(source_of).collect();
    let one = |units: Vec<Unit>| vec![(name.to_string(), units)];
    if sources.len() == units.len() {
        return one(units);
    }
    let mut by_configuration: BTreeMap<String, Vec<Unit>> = BTreeMap::new();
    for unit in &units {
        let Some(configuration) = configuration_of(&unit.object) else {
            return one(units);
        };
        let named = by_configuration.entry(configuration).or_default();
        named.push(unit.clone());
    }
    by_configuration
        .into_iter()
        .map(|(configuration, units)| (format!("{name} ({configuration})"), units))
        .collect()
}

/// The folder below that of a target in which an object lies.
fn configuration_of(object: &Path) -> Option<String> {
    let parts = object.components().map(Component::as_os_str);
    let mut below = parts.skip_while(|p| Path::new(p).extension().is_none_or(|e| e != "dir"));
    below.next()?;
    let folder = below.next()?;
    below.next()?;
    Some(folder.to_string_lossy().into_owned())
}

fn source_of(unit: &Unit) -> PathBuf {
    plain(&unit.directory.join(&unit.source))
}

/// The modules of a file that nothing puts together with others. `top`: the folder of the build.
pub(super) fn of_file(name: &str, units: Vec<Unit>, top: &Path) -> Vec<(String, Vec<Unit>)> {
    if units.len() < 2 {
        return vec![(name.to_string(), units)];
    }
    let objects: Vec<String> = units.iter().map(|u| object_of(u, top)).collect();
    let different: BTreeSet<&String> = objects.iter().collect();
    let told_by_objects = different.len() == units.len();
    let called = |n: usize| match told_by_objects {
        true => objects[n].clone(),
        false => own_words(&units, n),
    };
    let name_of = |n: usize| match called(n) {
        own if own.is_empty() => name.to_string(),
        own => format!("{name} ({own})"),
    };
    let names: Vec<String> = (0..units.len()).map(name_of).collect();
    let each = units.into_iter().map(|unit| vec![unit]);
    names.into_iter().zip(each).collect()
}

fn object_of(unit: &Unit, top: &Path) -> String {
    let object = plain(&unit.directory.join(&unit.object));
    named(&object, &common(top, &object))
}

/// The options that not all of them have.
fn own_words(units: &[Unit], n: usize) -> String {
    let in_all = |w: &&String| units.iter().all(|u| u.words.contains(w));
    let own = units[n].words.iter().filter(|w| !in_all(w));
    let own: Vec<&str> = own.map(String::as_str).collect();
    own.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(object: &str, words: &str) -> Unit {
        Unit {
            object: object.into(),
            directory: "/b".into(),
            words: words.split(' ').map(str::to_string).collect(),
            source: "x.c".into(),
        }
    }

    fn names(modules: &[(String, Vec<Unit>)]) -> Vec<&str> {
        modules.iter().map(|(n, _)| n.as_str()).collect()
    }

    #[test]
    fn what_tells_modules_of_a_file_apart_is_in_their_names() {
        let top = Path::new("/b");
        let plain = of_file("x", vec![unit("x.o", "cc -c x.c")], top);
        assert_eq!(names(&plain), ["x"]);
        let two = vec![
            unit("one/x.o", "cc -DA x.c -o one/x.o"),
            unit("two/x.o", "cc x.c -o two/x.o"),
        ];
        assert_eq!(
            names(&of_file("x", two, top)),
            ["x (one/x.o)", "x (two/x.o)"]
        );
        let same = vec![unit("x.o", "cc -DA -c x.c"), unit("x.o", "cc -c x.c")];
        assert_eq!(names(&of_file("x", same, top)), ["x (-DA)", "x"]);
    }

    #[test]
    fn configurations_of_a_program_are_programs() {
        let other = |object: &str, source: &str| Unit {
            source: source.into(),
            ..unit(object, "cc")
        };
        let plain = vec![
            other("CMakeFiles/p.dir/sub/a.c.o", "sub/a.c"),
            other("CMakeFiles/p.dir/b.c.o", "b.c"),
        ];
        assert_eq!(names(&of_target("p", plain)), ["p"]);
        let both =
            ["Debug", "Release"].map(|c| other(&format!("CMakeFiles/p.dir/{c}/a.c.o"), "a.c"));
        assert_eq!(
            names(&of_target("p", both.to_vec())),
            ["p (Debug)", "p (Release)"]
        );
    }
}
