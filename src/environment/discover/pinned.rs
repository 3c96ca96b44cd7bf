//! Entry points that hold a reference of the module: module exit comes when they are over.

use std::collections::{BTreeMap, BTreeSet};

use super::types::{Base, Definitions};
use super::{MODULE_EXIT, types};
use crate::environment::entry::{EntryPoint, Exclusion};
use crate::environment::rules::HolderRule;
use crate::index::GlobalId;
use crate::program::{Callee, Const, DebugTypeKind, Op, Operand, Program};

/// Marks entry points that hold a module reference, while entries are made.
pub const PINNED: &str = "";

/// That module exit comes when it is over.
pub fn mark() -> Exclusion {
    Exclusion {
        function: PINNED.to_string(),
        reason: String::new(),
    }
}

/// Whether other modules may name a global (EXPORT_SYMBOL): who does has a reference of this module as long as it is loaded.
pub fn is_exported(program: &Program, global: GlobalId) -> bool {
    let keeps = |name: &str| {
        name.starts_with("__UNIQUE_ID___addressable_") || name.starts_with("__ksymtab_")
    };
    program.globals.iter().any(|kept| {
        let cells = kept.init.iter().flatten();
        let mut held = cells.filter_map(|c| match c.value {
            Const::Addr { global, .. } => Some(global),
            _ => None,
        });
        keeps(&kept.name) && held.any(|g| g == global)
    })
}

/// Whether every call of a function, of which there is one, hands on the address of a global (THIS_MODULE).
pub fn hands_module(program: &Program, function: &str, argument: &str) -> bool {
    let Ok(n) = argument.parse::<usize>() else {
        return false;
    };
    let functions = program.functions.iter();
    let mut calls = functions
        .flat_map(|f| f.blocks.iter().flat_map(|b| &b.instrs))
        .filter_map(|i| match &i.op {
            Op::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } if program.functions[*callee].name == function => Some(args.get(n)),
            _ => None,
        })
        .peekable();
    calls.peek().is_some() && calls.all(|a| matches!(a, Some(Operand::Const(Const::Addr { .. }))))
}

/// Whether a field of an ops object holds an address (THIS_MODULE). `fops->owner` is a field of the object that `fops` leads to.
pub fn names_module(program: &Program, global: GlobalId, start: i64, field: &str) -> bool {
    match field.split_once("->") {
        None => held(program, global, start, field).is_some(),
        Some((pointer, rest)) => held(program, global, start, pointer)
            .is_some_and(|(to, offset)| names_module(program, to, offset, rest)),
    }
}

/// The address that a field of an object holds from the beginning. `crypto_alg.cra_module` is that of the struct of that name which the
/// object is part of.
fn held(program: &Program, global: GlobalId, start: i64, field: &str) -> Option<(GlobalId, i64)> {
    let structure = program.globals[global].struct_name.as_deref();
    let debug = types::global_type(program, global);
    let name = debug.map(|t| program.debug_types[t].name.as_str());
    let offset = match types::member_offset(program, name.or(structure)?, field) {
        Some(offset) => i64::try_from(offset).ok()? + start,
        None => around(program, global, start, field)?,
    };
    let mut cells = program.globals[global].init.iter().flatten();
    cells.find_map(|cell| match cell.value {
        Const::Addr {
            global: to,
            offset: at,
            ..
        } if i64::try_from(cell.offset).ok() == Some(offset) => Some((to, at)),
        _ => None,
    })
}

/// Whether an ops object stands, at the places of a rule, in objects alone of which a field of [`HolderRule::pinned_by`] leads to the module.
///
/// Where code stores it there, the same function sets that field of the same variable as often, and nothing in the input sets the field of
/// what may be that object to anything else.
pub fn is_held(program: &Program, ops: GlobalId, rule: &HolderRule) -> bool {
    rule.pinned_by.iter().any(|field| {
        let places = rule.inside.iter();
        let stands: Option<usize> = places.map(|at| stands(program, ops, (at, field))).sum();
        stands.is_some_and(|n| n > 0)
    })
}

/// How often an ops object stands at a place, beside a field that leads to the module; `None` if one of these fields may not.
fn stands(program: &Program, ops: GlobalId, (at, field): (&str, &str)) -> Option<usize> {
    let structure = at.split_once('.')?.0;
    let (pointer, rest) = match field.split_once("->") {
        Some((pointer, rest)) => (pointer, Some(rest)),
        None => (field, None),
    };
    let offset = types::member_offset(program, structure, pointer)?;
    let is_ops = |value: &Const| matches!(value, Const::Addr { global, .. } if *global == ops);
    let names = |value: &Const| match (value, rest) {
        (Const::Addr { .. }, None) => true,
        (Const::Addr { global, offset, .. }, Some(rest)) => {
            names_module(program, *global, *offset, rest)
        }
        _ => false,
    };
    let mut found = 0;
    // Where it stands: in these variables, or (none) at an address that is not told.
    let mut holders: BTreeSet<Option<Base>> = BTreeSet::new();
    for (id, global) in program.globals.iter_ids() {
        let Some(ty) = types::global_type(program, id) else {
            continue;
        };
        for cell in global.init.iter().flatten().filter(|c| is_ops(&c.value)) {
            let place = types::place_at(program, ty, cell.offset);
            if let Some(place) = place.filter(|p| p.name() == at) {
                let mut cells = global.init.iter().flatten();
                cells.find(|c| c.offset == place.start + offset && names(&c.value))?;
                holders.insert(Some(Base::Global(id)));
                found += 1;
            }
        }
    }
    let beside = format!("{structure}.{pointer}");
    let mut others: BTreeSet<Option<Base>> = BTreeSet::new();
    let own = program.functions.iter();
    for function in own.filter(|f| f.is_defined() && !f.is_model) {
        let mut lacking: BTreeMap<Option<Base>, i32> = BTreeMap::new();
        for (place, base, value) in stores(program, &Definitions::new(function)) {
            let constant = match value {
                Operand::Const(value) => Some(value),
                Operand::Value(_) => None,
            };
            if place == beside && constant.is_some_and(names) {
                *lacking.entry(base).or_default() -= 1;
            } else if place == beside {
                others.insert(base);
            } else if place == at && constant.is_none_or(is_ops) {
                *lacking.entry(base).or_default() += 1;
                holders.insert(base);
                found += usize::from(constant.is_some());
            }
        }
        if lacking.values().any(|n| *n > 0) {
            return None;
        }
    }
    let told = !holders.contains(&None) && !others.contains(&None);
    let apart = others.is_empty() || (told && holders.is_disjoint(&others));
    apart.then_some(found)
}

/// The stores of a function to fields of structs: the place, the variable that it is in, and the value.
fn stores<'a>(
    program: &Program,
    definitions: &Definitions<'a>,
) -> Vec<(String, Option<Base>, &'a Operand)> {
    let instrs = definitions.instructions();
    let stores = instrs.filter_map(|instr| match &instr.op {
        Op::Store { ptr, value, .. } => {
            let place = definitions.place(program, ptr)?;
            let global = |b: &Base| matches!(b, Base::Global(_));
            Some((place.name(), definitions.base(ptr).filter(global), value))
        }
        _ => None,
    });
    stores.collect()
}

/// Where the field (`struct.member`) stands in a global that is such a struct, or an array of these: in the one that `start` lies in.
fn around(program: &Program, global: GlobalId, start: i64, field: &str) -> Option<i64> {
    let (structure, member) = field.split_once('.')?;
    let mut ty = &program.debug_types[types::global_type(program, global)?];
    if let DebugTypeKind::Array {
        element: Some(element),
        ..
    } = &ty.kind
    {
        ty = &program.debug_types[*element];
    }
    let size = i64::try_from(ty.size).ok().filter(|size| *size > 0)?;
    let offset = i64::try_from(types::member_offset(program, structure, member)?).ok()?;
    (ty.name == structure).then_some(start / size * size + offset)
}

/// Module exit runs beside nothing that holds a reference to the module, and not at all in built-in code.
pub fn exclude_exit(entries: &mut [EntryPoint], built_in: bool) {
    let others: Vec<String> = entries.iter().map(|e| e.function.clone()).collect();
    let exits: Vec<String> = entries
        .iter()
        .filter(|e| e.via == MODULE_EXIT)
        .map(|e| e.function.clone())
        .collect();
    for entry in entries {
        if entry.via == MODULE_EXIT && built_in {
            entry.never_beside = others
                .iter()
                .map(|function| Exclusion {
                    function: function.clone(),
                    reason: "built-in code is never unloaded".to_string(),
                })
                .collect();
        }
        // `PINNED` stands for all exit functions until here.
        if entry.never_beside.iter().any(|x| x.function == PINNED) {
            entry.never_beside = exits
                .iter()
                .map(|function| Exclusion {
                    function: function.clone(),
                    reason: "module reference".to_string(),
                })
                .collect();
        }
    }
}
