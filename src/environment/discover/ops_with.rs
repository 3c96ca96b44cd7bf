//! Entry points in ops objects that have a certain function of the kernel's in another field (`[[ops_with]]` in rule files).

use super::find::Search;
use super::objects::is_called;
use super::types::member_offset;
use crate::environment::entry::EntryPoint;
use crate::environment::rules::{OpsWithRule, Rules};
use crate::index::GlobalId;
use crate::program::{Const, Program};

/// Adds what the rules say, where all places at which a function stands are such.
pub fn apply(search: &Search<'_>, rules: &Rules, entries: &mut [EntryPoint]) {
    let program = search.program;
    for rule in rules.ops_with() {
        if rule.unless.iter().any(|f| is_called(program, f)) {
            continue;
        }
        for entry in entries.iter_mut() {
            let mut places = std::iter::once(&entry.via).chain(&entry.also);
            if !places.all(|p| rule.on.contains(p)) {
                continue;
            }
            let function = program.function_named(&entry.function);
            let stands = search.found.iter().filter(|f| Some(f.function) == function);
            let mut here = stands.map(|f| f.holder).peekable();
            let such = |holder: Option<(GlobalId, i64)>| {
                holder.is_some_and(|(global, start)| has(program, rule, global, start))
            };
            if here.peek().is_none() || !here.all(such) {
                continue;
            }
            entry.beside_itself = false;
            entry
                .serialized_by
                .extend(rule.serialized_by.iter().cloned());
            entry.why = format!("{}; {}", entry.why, rule.cite);
        }
    }
}

/// Whether the struct that begins at that offset of a global has one of the rule's functions in the field.
fn has(program: &Program, rule: &OpsWithRule, global: GlobalId, start: i64) -> bool {
    let offset = rule
        .field
        .split_once('.')
        .and_then(|(structure, field)| member_offset(program, structure, field))
        .and_then(|offset| i64::try_from(offset).ok());
    let Some(at) = offset.map(|offset| start + offset) else {
        return false;
    };
    let of = &program.globals[global];
    let mut cells = of.init.iter().flatten().filter(|_| of.constant);
    cells.any(|c| {
        i64::try_from(c.offset) == Ok(at)
            && matches!(c.value, Const::Func { function, .. }
                if rule.is.contains(&program.functions[function].name))
    })
}
