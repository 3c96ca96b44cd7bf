//! What belongs to the files that somebody opens (`[[of_files]]` in rule files): the function that shows a text file, which `open` hands to
//! `single_open`, is called for the files of that `open`, and is kept from module exit as these are.

use std::collections::BTreeSet;

use super::find::Search;
use super::pinned::{PINNED, mark};
use super::types::member_offset;
use crate::environment::entry::{EntryPoint, Parameter, Phase};
use crate::environment::rules::{OpenedRule, Rules};
use crate::index::{FuncId, GlobalId};
use crate::program::{Block, Callee, Const, Op, Operand, Program, Terminator, operands};

/// What is handed over.
#[derive(Clone, Copy)]
enum Handed {
    Function(FuncId),
    Object(GlobalId),
}

impl Handed {
    fn is(self, value: &Const) -> bool {
        match (self, value) {
            (Handed::Function(f), Const::Func { function, .. }) => f == *function,
            (Handed::Object(g), Const::Addr { global, .. }) => g == *global,
            (_, Const::Tuple(items)) => items.iter().any(|item| self.is(item)),
            _ => false,
        }
    }

    fn is_in(self, operand: &Operand) -> bool {
        matches!(operand, Operand::Const(value) if self.is(value))
    }
}

/// Tells entry points whose files they are of, and what these are given of them; marks those that these keep from module exit.
pub fn find(search: &Search<'_>, rules: &Rules, entries: &mut [EntryPoint]) {
    let found: Vec<Vec<(bool, Option<String>)>> = entries
        .iter()
        .map(|entry| {
            let all = rules.opened().iter();
            all.filter_map(|r| of_files(search, r, (entry, entries)))
                .collect()
        })
        .collect();
    for (entry, found) in entries.iter_mut().zip(found) {
        if let Some((pinned, ops)) = found.into_iter().next() {
            if pinned {
                entry.never_beside.push(mark());
            }
            entry.of_files = ops;
        }
        let via = entry.via.clone();
        for rule in rules.opened().iter().filter(|r| r.on.contains(&via)) {
            give_data(search.program, rule, entry);
        }
    }
}

/// What the inode of the files has for the function; where nothing tells which files these are, an object that nothing tells.
fn give_data(program: &Program, rule: &OpenedRule, entry: &mut EntryPoint) {
    let Some((n, place)) = &rule.data else {
        return;
    };
    let member = place.split_once('.');
    let offset = member.and_then(|(structure, member)| member_offset(program, structure, member));
    let told = entry.of_files.as_ref().zip(offset);
    let data = match told {
        Some((ops, offset)) => Parameter::Stored(format!("{ops}.inode"), offset),
        None => Parameter::Typed {
            name: String::new(),
            by_rule: false,
        },
    };
    if let Some(parameter) = entry.parameters.get_mut(*n) {
        *parameter = data;
    }
}

/// Whether all that open the files hold a reference of the module, and the ops object of the files, if there is one alone.
fn of_files(
    search: &Search<'_>,
    rule: &OpenedRule,
    (entry, entries): (&EntryPoint, &[EntryPoint]),
) -> Option<(bool, Option<String>)> {
    let program = search.program;
    if entry.phase != Phase::Steady || entry.kernels_own {
        return None;
    }
    let handed = match entry.via.contains('#') {
        true => Handed::Function(program.function_named(&entry.function)?),
        false => Handed::Object(program.global_named(entry.registered_by.as_ref()?)?),
    };
    let callers = handed_over_by(search, rule, handed)?;
    let mut openers: Vec<&EntryPoint> = Vec::new();
    for caller in callers {
        let name = &program.functions[caller].name;
        let mut these = entries.iter().filter(|e| e.function == *name).peekable();
        these.peek()?;
        openers.extend(these);
    }
    let opens = |e: &EntryPoint| {
        let mut places = std::iter::once(&e.via).chain(&e.also);
        e.phase == Phase::Steady && places.all(|p| rule.by.contains(p))
    };
    if openers.is_empty() || !openers.iter().all(|e| opens(e)) {
        return None;
    }
    let holds = |e: &&EntryPoint| e.never_beside.iter().any(|x| x.function == PINNED);
    let ops: BTreeSet<Option<&String>> = openers.iter().map(|e| e.registered_by.as_ref()).collect();
    let mut ops = ops.into_iter();
    let only = match (ops.next(), ops.next()) {
        (Some(only), None) => only.cloned(),
        _ => None,
    };
    Some((openers.iter().all(holds), only))
}

/// The functions that hand it over, if nothing else in the input has its address, and none of them is called by the input itself.
fn handed_over_by(
    search: &Search<'_>,
    rule: &OpenedRule,
    handed: Handed,
) -> Option<BTreeSet<FuncId>> {
    let program = search.program;
    let stands = program.globals.iter().any(|global| {
        let kept = global.name.starts_with("llvm.") || global.name.starts_with("__UNIQUE_ID_");
        !kept && global.init.iter().flatten().any(|c| handed.is(&c.value))
    });
    if stands {
        return None;
    }
    let mut callers = BTreeSet::new();
    for (id, function) in search.bodies() {
        for block in function.blocks.iter() {
            let (all, given) = uses(program, rule, handed, block);
            if all != given {
                return None;
            }
            if given > 0 {
                callers.insert(id);
            }
        }
    }
    let called = |f: &FuncId| {
        let mut bodies = search.bodies();
        bodies.any(|(_, other)| calls(other.blocks.iter(), *f))
    };
    (!callers.iter().any(called)).then_some(callers)
}

/// How often a block has the address, and how often it hands that over as the rule says.
fn uses(program: &Program, rule: &OpenedRule, handed: Handed, block: &Block) -> (usize, usize) {
    let (mut all, mut given) = (0, 0);
    let mut count = |operand: &Operand| all += usize::from(handed.is_in(operand));
    if let Terminator::Return(Some(value)) = &block.term {
        count(value);
    }
    for instr in &block.instrs {
        operands(&instr.op, &mut count);
        let Op::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } = &instr.op
        else {
            continue;
        };
        let name = &program.functions[*callee].name;
        let here = args.iter().enumerate().filter(|(_, a)| handed.is_in(a));
        given += here
            .filter(|(n, _)| rule.on.contains(&format!("{name}#{n}")))
            .count();
    }
    (all, given)
}

fn calls<'a>(mut blocks: impl Iterator<Item = &'a Block>, f: FuncId) -> bool {
    blocks.any(|block| {
        let mut instrs = block.instrs.iter();
        instrs.any(
            |i| matches!(&i.op, Op::Call { callee: Callee::Direct(callee), .. } if *callee == f),
        )
    })
}
