//! Handlers that are set up for several objects: what keeps the function of one work item, timer, interrupt line, queue or thread from
//! running beside itself does not keep those of two apart.
//!
//! How many there are is told by where the code takes the address of the function: at places of which one leads to another object than
//! the other, in a loop, in a function that is called from several places, or where the object has just been allocated and not once for
//! each device. What it misses: two devices (an assumption of every claim), and objects that differ by what a parameter leads to.

use std::collections::BTreeSet;

use super::several::{calls, is_in_loop, is_reached};
use super::types::Definitions;
use crate::environment::entry::{EntryPoint, OneOf, Phase, Start};
use crate::environment::identity::makes_new;
use crate::index::{BlockId, FuncId, GlobalId};
use crate::program::{Callee, Const, Function, Op, Operand, Program};

/// Notes of each handler that there may be several of its kind.
pub fn find(program: &Program, entries: &mut [EntryPoint]) {
    let roots: Vec<Root> = entries.iter().map(Root::of).collect();
    for entry in entries.iter_mut() {
        let thread = matches!(entry.phase, Phase::Steady | Phase::Exit);
        if !thread || entry.beside_itself {
            continue;
        }
        let Some(function) = program.function_named(&entry.function) else {
            continue;
        };
        let lines = entry.start == Start::Irq && has_lines(program, function);
        // Who calls twice what makes a thread has two.
        let made = match is_made_often(program, &roots, function, entry) {
            None => false,
            Some(Given::One) => {
                entry.beside_itself = true;
                continue;
            }
            Some(Given::Any) => true,
        };
        if lines || made || is_set_up_for_several(program, &roots, function) {
            entry.one_of.push(OneOf {
                object: format!("registration of {}", entry.function),
                own: Vec::new(),
                still: Vec::new(),
            });
        }
    }
}

/// How the names of the kernel's functions begin that make threads.
const THREAD: &str = "kthread_";

/// Where a chain of calls begins.
struct Root {
    function: String,
    /// Once for each device.
    once: bool,
}

impl Root {
    fn of(entry: &EntryPoint) -> Root {
        Root {
            function: entry.function.clone(),
            once: entry.phase == Phase::Init || entry.is_called_by_others(),
        }
    }
}

/// A place of the code where a function is set up.
struct Site<'p> {
    caller: FuncId,
    block: BlockId,
    /// The addresses that tell the object: where the function is stored, or what is handed over with it.
    with: Vec<&'p Operand>,
}

/// What an address is computed from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Base {
    Global(GlobalId),
    /// A pointer to a struct of that name.
    Struct(String),
    Other,
}

/// An address, as far as code tells it.
struct Place {
    base: Base,
    offset: i64,
    /// Whether an index that is not constant is part of it.
    indexed: bool,
    /// Whether the object was allocated in the same function.
    made_here: bool,
}

fn is_set_up_for_several(program: &Program, roots: &[Root], function: FuncId) -> bool {
    let mut objects: BTreeSet<Vec<(Base, i64)>> = BTreeSet::new();
    for site in sites(program, function) {
        let caller = &program.functions[site.caller];
        let definitions = Definitions::new(caller);
        let places: Vec<Place> = site
            .with
            .iter()
            .map(|address| place(program, caller, &definitions, address))
            .collect();
        let made_here = places.iter().any(|p| p.made_here);
        if places.iter().any(|p| p.indexed) || runs_for_several(program, roots, &site, made_here) {
            return true;
        }
        objects.insert(places.into_iter().map(|p| (p.base, p.offset)).collect());
    }
    objects.len() > 1
}

/// What those are given that run the same function.
enum Given {
    /// All of them the same, if anything.
    One,
    /// Maybe each something else.
    Any,
}

/// Of a function for which each call makes a thread of its own, if such calls are made more often than once for each device: what these
/// threads get.
fn is_made_often(
    program: &Program,
    roots: &[Root],
    function: FuncId,
    entry: &EntryPoint,
) -> Option<Given> {
    if entry.start != Start::Armed || !entry.via.starts_with(THREAD) {
        return None;
    }
    let sites = sites(program, function);
    let often = |s: &Site<'_>| runs_for_several(program, roots, s, true);
    if sites.len() < 2 && !sites.iter().any(often) {
        return None;
    }
    let fixed = |s: &Site<'_>| {
        let caller = &program.functions[s.caller];
        let definitions = Definitions::new(caller);
        s.with.iter().all(|address| {
            let at = place(program, caller, &definitions, address);
            let constant = matches!(address, Operand::Const(_));
            constant || (!at.indexed && matches!(at.base, Base::Global(_)))
        })
    };
    Some(match &sites[..] {
        [one] if fixed(one) => Given::One,
        _ => Given::Any,
    })
}

/// Whether an interrupt is requested with the function after it has been requested with it: for another line.
fn has_lines(program: &Program, function: FuncId) -> bool {
    let all = sites(program, function);
    all.iter().enumerate().any(|(n, one)| {
        all[n + 1..].iter().any(|other| {
            let f = &program.functions[one.caller];
            one.caller == other.caller
                && (one.block == other.block
                    || is_reached(f, one.block, other.block)
                    || is_reached(f, other.block, one.block))
        })
    })
}

fn sites(program: &Program, function: FuncId) -> Vec<Site<'_>> {
    let of_input = |f: &Function| f.is_defined() && !f.is_model;
    let is_it = |o: &Operand| matches!(o, Operand::Const(Const::Func { function: f, .. }) if *f == function);
    let mut found = Vec::new();
    for (caller, f) in program.functions.iter_ids().filter(|(_, f)| of_input(f)) {
        for (block, b) in f.blocks.iter_ids() {
            for instr in &b.instrs {
                let with: Vec<&Operand> = match &instr.op {
                    Op::Store { ptr, value, .. } if is_it(value) => vec![ptr],
                    Op::Call {
                        callee: Callee::Direct(_),
                        args,
                        ..
                    } if args.iter().any(is_it) => {
                        args.iter().filter(|a| is_address(f, a)).collect()
                    }
                    _ => continue,
                };
                found.push(Site {
                    caller,
                    block,
                    with,
                });
            }
        }
    }
    found
}

/// Whether an operand is an address that is computed, or that of a variable which is not constant text.
fn is_address(function: &Function, operand: &Operand) -> bool {
    match operand {
        Operand::Value(value) => function.values[*value].ty == crate::program::Type::Ptr,
        Operand::Const(Const::Addr { .. }) => true,
        Operand::Const(_) => false,
    }
}

fn place(
    program: &Program,
    function: &Function,
    definitions: &Definitions<'_>,
    address: &Operand,
) -> Place {
    let mut found = Place {
        base: Base::Other,
        offset: 0,
        indexed: false,
        made_here: false,
    };
    let mut operand = address.clone();
    for _ in 0..function.values.len() {
        let value = match operand {
            Operand::Value(value) => value,
            Operand::Const(Const::Addr { global, offset, .. }) => {
                // Texts and keys of lock checks tell nothing.
                let variable = !program.globals[global].constant && !is_key(program, global);
                found.offset += offset;
                match variable {
                    true => found.base = Base::Global(global),
                    false => found.offset = 0,
                }
                break;
            }
            Operand::Const(_) => break,
        };
        match definitions.of(value).map(|i| &i.op) {
            Some(Op::Gep {
                base,
                offset,
                scaled,
                field,
            }) => {
                found.indexed |= !scaled.is_empty();
                found.offset += offset;
                if let Some(field) = field {
                    found.base = Base::Struct(field.struct_name.clone());
                }
                operand = base.clone();
            }
            Some(Op::Cast { value, .. }) => operand = value.clone(),
            Some(Op::Call {
                callee: Callee::Direct(callee),
                ..
            }) => {
                found.made_here = makes_new(&program.functions[*callee].name);
                break;
            }
            _ => break,
        }
    }
    found
}

/// Whether a variable is what lock checks tell locks by.
fn is_key(program: &Program, global: GlobalId) -> bool {
    program.globals[global].struct_name.as_deref() == Some("lock_class_key")
}

/// Whether what stands there runs for several objects: in a loop, in what is called from several places, or, where the object has been
/// made there, in what runs more often than once for each device.
fn runs_for_several(program: &Program, roots: &[Root], site: &Site<'_>, made_here: bool) -> bool {
    let (mut caller, mut block) = (site.caller, site.block);
    let mut seen = BTreeSet::new();
    while seen.insert(caller) {
        let f = &program.functions[caller];
        if is_in_loop(f, block) {
            return true;
        }
        let mut own = roots.iter().filter(|r| r.function == f.name).peekable();
        if own.peek().is_some() {
            return made_here && !own.all(|r| r.once);
        }
        let mut called = calls(program, &f.name);
        let (Some((from, at, _)), another) = (called.next(), called.next()) else {
            return false;
        };
        if another.is_some() {
            return true;
        }
        (caller, block) = (from, at);
    }
    true
}
