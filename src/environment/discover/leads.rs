//! Objects a member of which leads to the ops object of a function (a parameter of the module and its operations): parameters of the kind
//! `leads`.

use super::Found;
use super::types::member_offset;
use crate::environment::entry::Parameter;
use crate::program::{Const, Program};

/// The objects of that struct whose member leads to the ops object that holds the function: one of them. `None`: there is none.
pub(super) fn parameter(
    program: &Program,
    found: &Found,
    structure: &str,
    member: &str,
) -> Option<Parameter> {
    let (ops, start) = found.holder?;
    let at = member_offset(program, structure, member)?;
    let leads = |value: &Const| matches!(value, Const::Addr { global, offset, .. } if *global == ops && *offset == start);
    let globals = program.globals.iter();
    let of_struct = globals.filter(|g| {
        let ty = g.debug_type.map(|ty| &program.debug_types[ty]);
        ty.is_some_and(|ty| ty.name == structure)
    });
    let leading = of_struct.filter(|g| {
        let mut cells = g.init.iter().flatten();
        cells.any(|c| c.offset == at && leads(&c.value))
    });
    let mut places: Vec<(String, i64)> = leading.map(|g| (g.name.clone(), 0)).collect();
    match places.len() {
        0 => None,
        1 => places
            .pop()
            .map(|(name, offset)| Parameter::Global(name, offset)),
        _ => Some(Parameter::OneOf(places)),
    }
}
