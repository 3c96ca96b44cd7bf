//! Which entry points a call is about: what a model asks of what it is handed.

use std::collections::{BTreeMap, BTreeSet};

use super::body::Body;
use super::body::OBJECT;
use super::text::quoted;
use crate::environment::entry::{EntryPoints, Gated, Registrar, When};
use crate::index::Idx;
use crate::program::Program;

/// A value that says whether a pointer leads into one of the input's globals: to one that is larger than what is registered there, too,
/// such as a table of attributes. Once for all entry points.
fn leads_into(body: &mut Body, program: &Program, value: &str, global: &str) -> String {
    let key = (value.to_string(), global.to_string());
    if let Some(known) = body.inside.get(&key) {
        return known.clone();
    }
    let (k, named) = (body.next(), quoted(global));
    let found = program
        .global_named(global)
        .map(|g| program.globals[g].size);
    match found {
        Some(size) if size > 0 => {
            body.line(&format!("%from{k} = icmp uge ptr {value}, @{named}"));
            body.line(&format!(
                "%to{k} = icmp ult ptr {value}, getelementptr (i8, ptr @{named}, i64 {size})"
            ));
            body.line(&format!("%in{k} = and i1 %from{k}, %to{k}"));
        }
        _ => body.line(&format!("%in{k} = icmp eq ptr {value}, @{named}")),
    }
    body.inside.insert(key, format!("%in{k}"));
    format!("%in{k}")
}

/// A value that says whether an object of operations, or a function in one, is none of those that the input has: a copy, one that comes
/// from outside. Nobody knows what stands in it.
fn unlike_all<'a>(
    body: &mut Body,
    program: &Program,
    value: &str,
    known: impl Iterator<Item = &'a String>,
) -> String {
    let name = format!("%unlike.{}", value.trim_start_matches('%'));
    // Once for all entry points.
    if !body.text.contains(&format!("  {name} = ")) {
        let mut last = format!("{name}.0");
        body.line(&format!("{last} = icmp ne ptr {value}, null"));
        for (i, known) in known.enumerate() {
            let is = leads_into(body, program, value, known);
            let (other, next) = (format!("{name}.not{i}"), format!("{name}.{}", i + 1));
            body.line(&format!("{other} = xor i1 {is}, true"));
            body.line(&format!("{next} = and i1 {last}, {other}"));
            last = next;
        }
        body.line(&format!("{name} = and i1 {last}, true"));
    }
    name
}

/// What calls of a function may hand over, or name.
#[derive(Default)]
pub(super) struct Known {
    /// Globals.
    objects: BTreeSet<String>,
    /// Functions, by where they stand in what is handed over.
    functions: BTreeMap<Option<u64>, BTreeSet<String>>,
}

impl Known {
    pub(super) fn of(entries: &EntryPoints, registrar: &Registrar) -> Known {
        let mut known = Known::default();
        for gated in &registrar.gated {
            if let When::Registers { globals, holds, .. } = &gated.when {
                known.objects.extend(globals.iter().cloned());
                let functions = known.functions.entry(*holds).or_default();
                functions.insert(entries[gated.entry].function.clone());
            }
        }
        known
    }
}

/// A value that says whether two pointers are the same.
fn equal(body: &mut Body, a: &str, b: &str) -> String {
    let t = format!("%c{}", body.next());
    body.line(&format!("{t} = icmp eq ptr {a}, {b}"));
    t
}

/// The ops object that an argument is, or names at a byte offset.
fn operations(body: &mut Body, argument: usize, names: Option<u64>) -> String {
    let Some(offset) = names else {
        return format!("%a{argument}");
    };
    // Once for all entry points of the ops object.
    let name = match body.refuses {
        true => format!("%refused.{argument}.{offset}"),
        false => format!("%ops.{argument}.{offset}"),
    };
    if !body.text.contains(&format!("  {name} = ")) {
        body.line(&format!(
            "{name}.at = getelementptr i8, ptr %a{argument}, i64 {offset}"
        ));
        // Volatile: the kernel's own reading is no party to a race.
        body.line(&format!("{name} = load volatile ptr, ptr {name}.at"));
    }
    name
}

/// A value that says whether one of these holds; without any, it does.
fn one_of(body: &mut Body, tests: &[String], k: usize) -> String {
    let Some((first, others)) = tests.split_first() else {
        return "true".to_string();
    };
    let mut last = first.clone();
    for (i, test) in (1..).zip(others) {
        body.line(&format!("%o{k}.{i} = or i1 {last}, {test}"));
        last = format!("%o{k}.{i}");
    }
    last
}

/// A value that says whether a call is about an entry point, and the number of that value; `None`: it cannot be, by the types of what the
/// call hands over.
pub(super) fn meant(
    body: &mut Body,
    (program, entries): (&Program, &EntryPoints),
    gated: &Gated,
    types: &[String],
    known: &Known,
) -> Option<(String, usize)> {
    let is_pointer = |a: usize| types.get(a).is_some_and(|t| t == "ptr");
    let k = body.next();
    let mut stranger = None;
    let function = || format!("@{}", quoted(&entries[gated.entry].function));
    let tests = match &gated.when {
        When::Always => Vec::new(),
        When::Function(a) if is_pointer(*a) => {
            vec![equal(body, &format!("%a{a}"), &function())]
        }
        When::Object(a, globals) if is_pointer(*a) => {
            is_object(body, (*a, globals), gated.entry.index(), k)
        }
        When::Within(a) if is_pointer(*a) => {
            let n = gated.entry.index();
            body.line(&format!(
                "%within{k} = call zeroext i1 @__irkiss_is_within(ptr @__irkiss_gate.{n}, ptr %a{a})"
            ));
            vec![format!("%within{k}")]
        }
        When::Registers {
            argument: a,
            globals,
            names,
            holds,
        } if is_pointer(*a) => {
            let mut ops = operations(body, *a, *names);
            let mut tests = leads_into_one_of(body, program, globals, (*a, *names, &ops));
            // A global is one object; elsewhere the function itself tells.
            if let (Some(offset), true) = (holds, globals.is_empty()) {
                body.line(&format!(
                    "%h{k} = getelementptr i8, ptr {ops}, i64 {offset}"
                ));
                body.line(&format!("%f{k} = load volatile ptr, ptr %h{k}"));
                tests.push(equal(body, &format!("%f{k}"), &function()));
                ops = format!("%f{k}");
            }
            stranger = (!body.refuses).then_some((ops, *holds, globals.is_empty()));
            tests
        }
        _ => return None,
    };
    let mut last = one_of(body, &tests, k);
    if let Some((value, holds, function)) = stranger {
        let known = match function {
            true => known.functions.get(&holds),
            false => Some(&known.objects),
        };
        let unlike = unlike_all(body, program, &value, known.into_iter().flatten());
        body.line(&format!("%any{k} = or i1 {last}, {unlike}"));
        last = format!("%any{k}");
    }
    if let When::Object(a, _) = &gated.when {
        last = null_or_not(body, last, ("ne", *a));
    }
    if let Some(a) = gated.only_if_null.filter(|a| is_pointer(*a)) {
        last = null_or_not(body, last, ("eq", a));
    }
    Some((last, k))
}

/// Values of which one holds where an argument is one of these globals, or the object that was registered last for entry point `n`.
fn is_object(
    body: &mut Body,
    (argument, globals): (usize, &[String]),
    n: usize,
    k: usize,
) -> Vec<String> {
    let given = format!("%a{argument}");
    let mut tests: Vec<String> = Vec::new();
    for global in globals {
        tests.push(equal(body, &given, &format!("@{}", quoted(global))));
    }
    body.line(&format!(
        "%number{k} = call i64 @__irkiss_ghost_get(ptr @__irkiss_gate.{n}, i32 {OBJECT})"
    ));
    body.line(&format!("%last{k} = inttoptr i64 %number{k} to ptr"));
    tests.push(equal(body, &given, &format!("%last{k}")));
    tests
}

/// Values of which one holds where an argument, or what it names (`ops`), leads into one of these globals.
fn leads_into_one_of(
    body: &mut Body,
    program: &Program,
    globals: &[String],
    (argument, names, ops): (usize, Option<u64>, &str),
) -> Vec<String> {
    let named = format!("%a{argument}");
    let mut tests: Vec<String> = Vec::new();
    for global in globals {
        match names {
            // What it names tells which of several in one table.
            Some(_) => {
                tests.push(equal(body, &named, &format!("@{}", quoted(global))));
                tests.push(leads_into(body, program, ops, global));
            }
            None => tests.push(leads_into(body, program, &named, global)),
        }
    }
    tests
}

/// That value, where an argument is null (`eq`) or is not (`ne`).
fn null_or_not(body: &mut Body, value: String, (compared, argument): (&str, usize)) -> String {
    let k = body.next();
    body.line(&format!("%is{k} = icmp {compared} ptr %a{argument}, null"));
    body.line(&format!("%and{k} = and i1 {value}, %is{k}"));
    format!("%and{k}")
}
