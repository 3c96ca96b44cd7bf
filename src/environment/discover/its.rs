//! Objects that hold the function that they are given to (a request and its completion): parameters of the kind `its`.

use std::collections::{BTreeMap, BTreeSet};

use super::Found;
use super::types::member_offset;
use crate::environment::entry::{EntryPoint, Its, Parameter};
use crate::program::Program;

/// The parameter, where the function was found in a member of that struct and debug info has both members.
pub(super) fn parameter(
    program: &Program,
    found: &Found,
    structure: &str,
    data: &str,
) -> Parameter {
    let member = found.via.strip_prefix(structure);
    let member = member.and_then(|rest| rest.strip_prefix('.'));
    let at = |member: &str| member_offset(program, structure, member);
    match (member.and_then(at), at(data)) {
        (Some(function), Some(data)) => {
            Parameter::Its(structure.to_string(), Its { function, data })
        }
        _ => Parameter::Shared(structure.to_string()),
    }
}

/// Where one function alone is given such objects, they are one; nor is anything known where one of the functions stands at several
/// places.
pub(super) fn settle(entries: &mut [EntryPoint]) {
    let mut given: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut elsewhere: BTreeSet<String> = BTreeSet::new();
    for entry in entries.iter() {
        for parameter in &entry.parameters {
            if let Parameter::Its(name, _) = parameter {
                let functions = given.entry(name.clone()).or_default();
                functions.insert(entry.function.clone());
                if !entry.also.is_empty() {
                    elsewhere.insert(name.clone());
                }
            }
        }
    }
    let several = |name: &str| given[name].len() > 1 && !elsewhere.contains(name);
    for parameter in entries.iter_mut().flat_map(|e| &mut e.parameters) {
        if let Parameter::Its(name, _) = parameter
            && !several(name)
        {
            *parameter = Parameter::Shared(name.clone());
        }
    }
}
