//! The tables of devices that drivers are for, and what the kernel takes from them (`[[matched]]` in rule files).

use super::types::{global_type, member_of_struct, member_offset, pointee};
use crate::environment::entry::{EntryPoint, Parameter};
use crate::environment::identity::{MatchValue, Matched};
use crate::environment::rules::{MatchedRule, Rules};
use crate::index::GlobalId;
use crate::program::{Const, Program};

/// So many entries of a table are told apart: of a longer one nothing is said.
const ENTRIES: u64 = 64;

/// A driver's table.
struct Table {
    global: GlobalId,
    /// Bytes of an entry.
    stride: u64,
    /// Entries, without the one that ends it.
    count: u64,
    /// The struct of an entry.
    entry: String,
}

/// Tells functions of the drivers which entries they may be given; what functions of the environment answer.
pub fn find(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) -> Vec<Matched> {
    let mut all = Vec::new();
    for (cell, rule) in rules.matched().iter().enumerate() {
        for entry in entries.iter_mut().filter(|e| rule.on.contains(&e.via)) {
            given(program, rule, entry);
        }
        if rule.by.is_empty() {
            continue;
        }
        let Some(gives) = answers(program, rule) else {
            continue;
        };
        let declared = |f: &&String| {
            let function = program.function_named(f);
            function.is_some_and(|f| !program.functions[f].is_defined())
        };
        all.extend(rule.by.iter().filter(declared).map(|function| Matched {
            function: function.clone(),
            cell,
            gives: gives.clone(),
        }));
    }
    all
}

/// The entries that a function of one driver may be given, in place of what the rule of its place says.
fn given(program: &Program, rule: &MatchedRule, entry: &mut EntryPoint) {
    let driver = entry.registered_by.as_ref();
    let Some(driver) = driver.and_then(|name| program.global_named(name)) else {
        return;
    };
    let tables = tables_of(program, rule, driver).unwrap_or_default();
    let [table] = &tables[..] else {
        return;
    };
    if table.count == 0 {
        return;
    }
    let name = &program.globals[table.global].name;
    let at = |k: u64| Some((name.clone(), i64::try_from(k * table.stride).ok()?));
    let places: Option<Vec<(String, i64)>> = (0..table.count).map(at).collect();
    if let (Some(places), Some(parameter)) = (places, entry.parameters.get_mut(rule.argument)) {
        *parameter = Parameter::OneOf(places);
    }
}

/// What functions may answer: of each entry of each driver's table, or null; `None`: a table is not known, or there is none.
fn answers(program: &Program, rule: &MatchedRule) -> Option<Vec<MatchValue>> {
    let mut gives = Vec::new();
    for (id, _) in program.globals.iter_ids() {
        if !is_driver(program, rule, id) {
            continue;
        }
        for table in tables_of(program, rule, id)? {
            for k in 0..table.count {
                gives.push(value(program, rule, &table, k * table.stride)?);
            }
        }
    }
    if gives.is_empty() || gives.len() as u64 > ENTRIES {
        return None;
    }
    gives.push(MatchValue::Null);
    Some(gives)
}

/// What functions answer for the entry at an offset of a table.
fn value(program: &Program, rule: &MatchedRule, table: &Table, at: u64) -> Option<MatchValue> {
    let place = |global: GlobalId, offset: i64| {
        MatchValue::Place(program.globals[global].name.clone(), offset)
    };
    if rule.data.is_empty() {
        return Some(place(table.global, i64::try_from(at).ok()?));
    }
    let (structure, member) = rule.data.iter().find(|(s, _)| *s == table.entry)?;
    let at = at + member_offset(program, structure, member)?;
    let init = program.globals[table.global].init.as_ref()?;
    match init.iter().find(|c| c.offset == at).map(|c| &c.value) {
        None | Some(Const::Null) => Some(MatchValue::Null),
        Some(Const::Int { value, .. }) => Some(MatchValue::Number(u64::try_from(*value).ok()?)),
        Some(Const::Addr { global, offset, .. }) => Some(place(*global, *offset)),
        Some(Const::Func { function, .. }) => {
            let name = program.functions[*function].name.clone();
            Some(MatchValue::Place(name, 0))
        }
        Some(_) => None,
    }
}

/// Whether a global is a driver that the rule speaks of.
fn is_driver(program: &Program, rule: &MatchedRule, global: GlobalId) -> bool {
    let ty = global_type(program, global).map(|t| program.debug_types[t].name.as_str());
    ty.is_some_and(|name| rule.tables.iter().any(|(s, _)| s == name))
}

/// The members of a driver that may lead to tables: what stands there, and the struct that they lead to.
fn members<'a>(
    program: &'a Program,
    rule: &'a MatchedRule,
    driver: GlobalId,
) -> impl Iterator<Item = (&'a Const, (String, u64))> {
    let name = global_type(program, driver).map(|t| program.debug_types[t].name.clone());
    let of_it = rule.tables.iter();
    let of_it = of_it.filter(move |(s, _)| Some(s) == name.as_ref());
    of_it.filter_map(move |(structure, member)| {
        let (offset, ty) = member_of_struct(program, structure, member)?;
        let entry = &program.debug_types[pointee(program, ty?)?];
        let init = program.globals[driver].init.as_ref()?;
        let cell = init.iter().find(|c| c.offset == offset)?;
        Some((&cell.value, (entry.name.clone(), entry.size)))
    })
}

/// The tables of a driver; `None`: one is not known, or is long.
fn tables_of(program: &Program, rule: &MatchedRule, driver: GlobalId) -> Option<Vec<Table>> {
    if !is_driver(program, rule, driver) || program.globals[driver].init.is_none() {
        return None;
    }
    let found = members(program, rule, driver).filter(|(value, _)| !is_zero(value));
    found
        .map(|(value, (entry, stride))| table(program, value, entry, stride))
        .collect()
}

/// The table at an address, of entries of that struct and size, up to the one that ends it.
fn table(program: &Program, value: &Const, entry: String, stride: u64) -> Option<Table> {
    let Const::Addr {
        global, offset: 0, ..
    } = value
    else {
        return None;
    };
    let table = &program.globals[*global];
    let init = table.init.as_ref()?;
    let ends = |k: &u64| {
        let within = |o: u64| (k * stride..(k + 1) * stride).contains(&o);
        let mut cells = init.iter().filter(|c| within(c.offset));
        cells.all(|c| is_zero(&c.value))
    };
    let count = (0..table.size.checked_div(stride)?).find(ends)?;
    (count <= ENTRIES).then_some(Table {
        global: *global,
        stride,
        count,
        entry,
    })
}

fn is_zero(value: &Const) -> bool {
    matches!(value, Const::Null | Const::Int { value: 0, .. })
}
