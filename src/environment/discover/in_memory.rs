//! Objects in memory that the input allocates, of which the place in a struct of its own tells where they are used: a notifier that is a
//! member of the driver's data stands in the calls that are given the address of that member.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::exclusions::{Use, Uses};
use super::find::the_kernels;
use super::several::calls;
use super::types::{Definitions, struct_named};
use super::{Found, exclusions};
use crate::environment::entry::EntryPoint;
use crate::environment::rules::Rules;
use crate::index::{FuncId, GlobalId};
use crate::program::{Callee, Const, DebugTypeKind, Function, Instr, Op, Operand, Origin, Program};

/// A place in a struct of the input's: its name, and the offset in bytes.
type Member = (String, u64);

/// A place that an object goes to (`function#argument`), and a global of the kernel that the call gets, too.
type Given = (String, Option<String>);

/// The same function as one of the ops object that the call got which registers it, where the rule says that it becomes one of that
/// (`__platform_driver_probe` puts it into the driver).
pub fn belonging(program: &Program, rules: &Rules, found: &Found) -> Found {
    let place = found.via.split_once('#');
    let rule = rules.place(&found.via).and_then(|r| r.becomes_one_of);
    let (Some((name, own)), Some(object), None) = (place, rule, found.holder) else {
        return found.clone();
    };
    let is_it = |o: Option<&Operand>| matches!(o, Some(Operand::Const(Const::Func { function, .. })) if *function == found.function);
    let given = calls(program, name).filter(|(_, _, args)| {
        let own = own.parse().ok().and_then(|n: usize| args.get(n));
        is_it(own)
    });
    let holders: BTreeSet<Option<(GlobalId, i64)>> = given
        .map(|(_, _, args)| match args.get(object) {
            Some(Operand::Const(Const::Addr { global, offset, .. })) => Some((*global, *offset)),
            _ => None,
        })
        .collect();
    let mut holders = holders.into_iter();
    let holder = match (holders.next(), holders.next()) {
        (Some(only), None) => only,
        _ => None,
    };
    Found {
        holder,
        ..found.clone()
    }
}

/// Uses of globals whose addresses are stored into tables of pointers that are members of the input's own structs are those of the tables:
/// the arguments of the calls that are given one (`data->groups[0] = &group; hwmon_device_register_with_groups(…, data->groups)`).
pub fn follow_tables(program: &Program, uses: &mut Uses) {
    let mut tables: BTreeMap<String, Option<Member>> = BTreeMap::new();
    for used in uses.values().flatten() {
        if let (Some(place), None) = (&used.place, used.owner) {
            let table = || table_of_pointers(program, place);
            tables.entry(place.clone()).or_insert_with(table);
        }
    }
    tables.retain(|_, table| table.is_some());
    if tables.is_empty() {
        return;
    }
    let mut given: BTreeMap<Member, Vec<Use>> = BTreeMap::new();
    for f in program
        .functions
        .iter()
        .filter(|f| f.is_defined() && !f.is_model)
    {
        let definitions = Definitions::new(f);
        for (callee, args) in f.blocks.iter().flat_map(|b| &b.instrs).filter_map(direct) {
            let callee = &program.functions[callee];
            let marks = ["llvm.", "__irkiss_"];
            if callee.is_defined() || marks.iter().any(|m| callee.name.starts_with(m)) {
                continue;
            }
            for (n, arg) in args.iter().enumerate() {
                if let Some(member) = addressed(&definitions, arg) {
                    given.entry(member).or_default().push(Use {
                        place: Some(format!("{}#{n}", callee.name)),
                        owner: None,
                        within: None,
                        with: the_kernels(program, args),
                    });
                }
            }
        }
    }
    for set in uses.values_mut() {
        let table = |u: &Use| tables.get(u.place.as_ref()?)?.clone();
        let (stored, mut others): (HashSet<Use>, HashSet<Use>) = set
            .drain()
            .partition(|u| u.owner.is_none() && table(u).is_some());
        for used in stored {
            match table(&used).and_then(|member| given.get(&member)) {
                Some(calls) => others.extend(calls.iter().cloned()),
                None => others.extend([used]),
            }
        }
        *set = others;
    }
}

/// The callee and the arguments of a direct call.
fn direct(instr: &Instr) -> Option<(FuncId, &Vec<Operand>)> {
    match &instr.op {
        Op::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } => Some((*callee, args)),
        _ => None,
    }
}

/// The member of that name, if it is an array of pointers in a struct of the input's own.
fn table_of_pointers(program: &Program, place: &str) -> Option<Member> {
    let (structure, field) = place.split_once('.')?;
    let ty = &program.debug_types[struct_named(program, structure)?];
    let DebugTypeKind::Struct(members) = &ty.kind else {
        return None;
    };
    let member = members.iter().find(|m| m.name == field)?;
    let DebugTypeKind::Array {
        element: Some(element),
        ..
    } = program.debug_types[member.ty?].kind
    else {
        return None;
    };
    let pointers = matches!(program.debug_types[element].kind, DebugTypeKind::Pointer(_));
    (pointers && matches!(ty.origin, Origin::Source | Origin::Header))
        .then(|| (structure.to_string(), member.offset))
}

/// What rules say of the place where such an object is used (`[[holder]]`) that say nothing but how its functions run.
pub fn apply_holders(program: &Program, rules: &Rules, entry: &mut EntryPoint, function: FuncId) {
    let Some((structure, field)) = entry.via.split_once('.') else {
        return;
    };
    let simple = rules.holders(structure).filter(|rule| {
        let plain = rule.never_beside.is_empty() && rule.pinned_by.is_empty();
        plain && rule.device.is_none() && rule.is_about(field)
    });
    let mut used: Option<BTreeSet<Given>> = None;
    for rule in simple {
        let used = used.get_or_insert_with(|| uses(program, function, structure, field));
        let holds = |(place, with): &Given| rule.holds_at(Some(place), with.as_deref());
        if used.is_empty() || !used.iter().all(holds) {
            continue;
        }
        entry.beside_itself = rule.beside_itself.unwrap_or(entry.beside_itself) && !rule.alone;
        entry.never_beside.extend(exclusions::mark_alone(rule));
        let locks = rule.serialized_by.iter().cloned();
        entry.serialized_by.extend(locks);
        entry.reader |= rule.reader;
        entry.why = format!("{}; {}", entry.why, rule.cite);
    }
}

/// The places that the objects go to in which a function stands, but for functions that take them back; none if it is not known where it
/// stands.
fn uses(program: &Program, function: FuncId, structure: &str, field: &str) -> BTreeSet<Given> {
    let mut members: BTreeSet<Member> = BTreeSet::new();
    let own = || {
        program
            .functions
            .iter()
            .filter(|f| f.is_defined() && !f.is_model)
    };
    for f in own() {
        let definitions = Definitions::new(f);
        for ptr in stores(f, function) {
            let place = definitions.place(program, ptr);
            let there = place.is_some_and(|p| p.structure == structure && p.field == field);
            let Some(member) = definitions.around(ptr).filter(|_| there) else {
                return BTreeSet::new();
            };
            members.insert(member);
        }
    }
    let mut used = BTreeSet::new();
    for f in own() {
        let definitions = Definitions::new(f);
        for instr in f.blocks.iter().flat_map(|b| &b.instrs) {
            let Op::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } = &instr.op
            else {
                continue;
            };
            let callee = &program.functions[*callee];
            let takes_back = ["unregister", "remove"];
            let marks = ["llvm.", "__irkiss_"];
            let is = |part: &&str| callee.name.contains(*part);
            if takes_back.iter().any(is) || marks.iter().any(|m| callee.name.starts_with(m)) {
                continue;
            }
            let given =
                |a: &Operand| addressed(&definitions, a).is_some_and(|m| members.contains(&m));
            let given = args.iter().enumerate().filter(|(_, a)| given(a));
            let with = the_kernels(program, args);
            used.extend(given.map(|(n, _)| (format!("{}#{n}", callee.name), with.clone())));
        }
    }
    used
}

/// Where a function stores the address of another.
fn stores(f: &Function, function: FuncId) -> impl Iterator<Item = &Operand> {
    let instrs = f.blocks.iter().flat_map(|b| &b.instrs);
    instrs.filter_map(move |instr| match &instr.op {
        Op::Store {
            ptr,
            value: Operand::Const(Const::Func {
                function: stored, ..
            }),
            ..
        } if *stored == function => Some(ptr),
        _ => None,
    })
}

/// The member of a struct that an address is.
fn addressed(definitions: &Definitions<'_>, address: &Operand) -> Option<Member> {
    let Operand::Value(value) = address else {
        return None;
    };
    match &definitions.of(*value)?.op {
        Op::Gep {
            field: Some(field), ..
        } => {
            let at = u64::try_from(field.beyond_start()).ok()?;
            Some((field.struct_name.clone(), at))
        }
        Op::Cast { value, .. } => addressed(definitions, value),
        // The first element.
        Op::Gep {
            base,
            offset: 0,
            scaled,
            field: None,
            ..
        } if scaled.is_empty() => addressed(definitions, base),
        _ => None,
    }
}
