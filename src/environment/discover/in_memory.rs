//! Objects in memory that the input allocates, of which the place in a struct of its own tells where they are used: a notifier that is a
//! member of the driver's data stands in the calls that are given the address of that member.

use std::collections::BTreeSet;

use super::find::the_kernels;
use super::several::calls;
use super::types::Definitions;
use super::{Found, exclusions};
use crate::environment::entry::EntryPoint;
use crate::environment::rules::Rules;
use crate::index::{FuncId, GlobalId};
use crate::program::{Callee, Const, Function, Op, Operand, Program};

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
        _ => None,
    }
}
