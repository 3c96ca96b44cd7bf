//! Where the input names a function that others call, itself or by the objects that hold it, and what follows from that.
//!
//! - Two entry points that one run of a function registers on paths of which neither leads to the other are never both there: a
//!   device has an interrupt, or a thread that polls ([`either`]).
//! - What exported functions alone register is there while other modules use this one, which keeps module exit away ([`served`]).

use std::collections::{BTreeSet, HashMap, HashSet};

use super::creators::reached;
use super::find::module_functions;
use super::served::{address_taken, called_from_outside};
use super::{MODULE_EXIT, pinned};
use crate::environment::entry::{EntryPoint, Exclusion, Phase, Start};
use crate::environment::rules::{Effect, Rules};
use crate::index::{BlockId, FuncId, GlobalId, IdVec};
use crate::program::{Block, Callee, Const, Op, Operand, Program, Terminator, operands};

/// A block of a function.
type At = (FuncId, BlockId);

/// Where the input names functions and objects, and who calls whom.
struct Names<'a> {
    program: &'a Program,
    functions: HashMap<FuncId, Vec<At>>,
    globals: HashMap<GlobalId, Vec<At>>,
    /// The globals whose content names a function, or a global.
    holders: HashMap<FuncId, Vec<GlobalId>>,
    held_by: HashMap<GlobalId, Vec<GlobalId>>,
    /// The direct calls of each function.
    calls: HashMap<FuncId, Vec<At>>,
    /// The functions that other modules may name.
    outside: HashSet<FuncId>,
    /// The functions that others may call than those who call them by name.
    tops: HashSet<FuncId>,
}

impl<'a> Names<'a> {
    fn new(program: &'a Program) -> Names<'a> {
        let mut names = Names {
            program,
            functions: HashMap::new(),
            globals: HashMap::new(),
            holders: HashMap::new(),
            held_by: HashMap::new(),
            calls: HashMap::new(),
            outside: called_from_outside(program).into_iter().collect(),
            tops: address_taken(program),
        };
        names.tops.extend(&names.outside);
        for list in [
            &module_functions(program).init,
            &module_functions(program).exit,
        ] {
            names.tops.extend(list.iter().map(|(f, _)| *f));
        }
        for (id, function) in program.functions.iter_ids() {
            for (at, block) in function.blocks.iter_ids() {
                names.block((id, at), block);
            }
        }
        for (id, global) in program.globals.iter_ids() {
            if is_kept(&global.name) {
                continue;
            }
            for cell in global.init.iter().flatten() {
                match cell.value {
                    Const::Func { function, .. } => {
                        names.holders.entry(function).or_default().push(id);
                    }
                    Const::Addr { global, .. } => {
                        names.held_by.entry(global).or_default().push(id);
                    }
                    _ => {}
                }
            }
        }
        names
    }

    fn block(&mut self, here: At, block: &Block) {
        for instr in &block.instrs {
            match &instr.op {
                // What comes by an edge is named at its beginning.
                Op::Phi(incoming) => {
                    for (from, value) in incoming {
                        self.operand((here.0, *from), value);
                    }
                    continue;
                }
                Op::Call {
                    callee: Callee::Direct(callee),
                    ..
                } => self.calls.entry(*callee).or_default().push(here),
                _ => {}
            }
            let mut named = Vec::new();
            operands(&instr.op, &mut |operand| named.push(operand.clone()));
            for operand in &named {
                self.operand(here, operand);
            }
        }
    }

    fn operand(&mut self, at: At, operand: &Operand) {
        let Operand::Const(value) = operand else {
            return;
        };
        let mut parts = vec![value];
        while let Some(part) = parts.pop() {
            match part {
                Const::Tuple(inner) => parts.extend(inner),
                Const::Func { function, .. } => {
                    self.functions.entry(*function).or_default().push(at);
                }
                Const::Addr { global, .. } => self.globals.entry(*global).or_default().push(at),
                _ => {}
            }
        }
    }

    /// Where a function is named, or an object that holds it; `None` if other modules may name it.
    fn places(&self, function: FuncId) -> Option<Vec<At>> {
        if self.outside.contains(&function) {
            return None;
        }
        let mut places = self.functions.get(&function).cloned().unwrap_or_default();
        let mut work = self.holders.get(&function).cloned().unwrap_or_default();
        let mut seen: HashSet<GlobalId> = work.iter().copied().collect();
        while let Some(global) = work.pop() {
            if pinned::is_exported(self.program, global) {
                return None;
            }
            places.extend(self.globals.get(&global).into_iter().flatten());
            let holders = self.held_by.get(&global).into_iter().flatten();
            work.extend(holders.copied().filter(|g| seen.insert(*g)));
        }
        Some(places)
    }

    /// The blocks of `function` from which those places are got to, if only its runs get to any.
    fn within(&self, places: &[At], function: FuncId) -> Option<BTreeSet<BlockId>> {
        let mut found = BTreeSet::new();
        let mut work = places.to_vec();
        let mut seen: HashSet<At> = places.iter().copied().collect();
        while let Some((f, block)) = work.pop() {
            if f == function {
                found.insert(block);
                continue;
            }
            if self.tops.contains(&f) {
                return None;
            }
            let callers = self.calls.get(&f).into_iter().flatten();
            work.extend(callers.copied().filter(|at| seen.insert(*at)));
        }
        Some(found).filter(|blocks| !blocks.is_empty())
    }

    /// The functions whose runs get to those places, from the inside outward: themselves and those that lead there by direct calls.
    fn around(&self, places: &[At]) -> Vec<FuncId> {
        let mut found: Vec<FuncId> = Vec::new();
        let mut work: Vec<FuncId> = places.iter().map(|(f, _)| *f).collect();
        while let Some(f) = work.pop() {
            if !found.contains(&f) {
                found.push(f);
                let callers = self.calls.get(&f).into_iter().flatten();
                work.extend(callers.map(|(caller, _)| *caller));
            }
        }
        found
    }

    /// Whether a function runs once for a device: initialisation that nobody else calls, or called once, in no loop, by such a one.
    fn runs_once(&self, function: FuncId, initial: &HashSet<FuncId>) -> bool {
        let mut at = function;
        let mut seen = HashSet::new();
        while seen.insert(at) {
            let calls = self.calls.get(&at).map_or(&[][..], Vec::as_slice);
            match (initial.contains(&at), self.tops.contains(&at), calls) {
                (true, _, []) => return true,
                (false, false, [(caller, block)]) => {
                    let blocks = &self.program.functions[*caller].blocks;
                    let next = after(blocks, &BTreeSet::from([*block]));
                    if next.is_none_or(|next| next.contains(block)) {
                        return false;
                    }
                    at = *caller;
                }
                _ => return false,
            }
        }
        false
    }
}

/// Globals that only keep symbols alive, or tell the module loader of them.
fn is_kept(name: &str) -> bool {
    name.starts_with("llvm.") || name.starts_with("__UNIQUE_ID_") || name.starts_with("__ksymtab_")
}

/// The blocks that paths of at least one edge lead to; `None` if it is not known of all edges where they lead.
fn after(blocks: &IdVec<BlockId, Block>, from: &BTreeSet<BlockId>) -> Option<BTreeSet<BlockId>> {
    let mut found = BTreeSet::new();
    let mut work: Vec<BlockId> = from.iter().copied().collect();
    while let Some(at) = work.pop() {
        let end = &blocks[at].term;
        if matches!(end, Terminator::Unsupported(_)) {
            return None;
        }
        work.extend(end.successors().into_iter().filter(|b| found.insert(*b)));
    }
    Some(found)
}

/// Keeps entry points apart that initialisation registers on paths of which neither leads to the other: of one device the one or the
/// other is there.
pub fn either(program: &Program, entries: &mut [EntryPoint]) {
    let initial: HashSet<FuncId> = entries
        .iter()
        .filter(|e| e.phase == Phase::Init)
        .filter_map(|e| program.function_named(&e.function))
        .collect();
    let names = Names::new(program);
    let thread = |e: &EntryPoint| matches!(e.phase, Phase::Steady | Phase::Exit);
    let registered: Vec<Option<(Vec<At>, Vec<FuncId>)>> = entries
        .iter()
        .map(|e| {
            let function = program.function_named(&e.function).filter(|_| thread(e))?;
            let places = names.places(function)?;
            let around = names.around(&places);
            Some((places, around))
        })
        .collect();
    let mut found: Vec<(usize, Exclusion)> = Vec::new();
    for (n, first) in registered.iter().enumerate() {
        for (m, second) in registered.iter().enumerate().skip(n + 1) {
            let (Some(first), Some(second)) = (first, second) else {
                continue;
            };
            if entries[n].function == entries[m].function {
                continue;
            }
            let mut common = first.1.iter().filter(|f| second.1.contains(f));
            let by = common.find(|f| {
                names.runs_once(**f, &initial) && parts(&names, **f, [&first.0, &second.0])
            });
            if let Some(by) = by {
                let by = &program.functions[*by].name;
                let apart = Exclusion {
                    function: entries[m].function.clone(),
                    reason: format!("of one device {by} registers the one or the other"),
                };
                found.push((n, apart));
            }
        }
    }
    for (n, apart) in found {
        entries[n].never_beside.push(apart);
    }
}

/// Whether no run of a function gets to places of both kinds, and no other function's run gets to any.
fn parts(names: &Names<'_>, function: FuncId, places: [&[At]; 2]) -> bool {
    let [Some(a), Some(b)] = places.map(|p| names.within(p, function)) else {
        return false;
    };
    let blocks = &names.program.functions[function].blocks;
    let never_leads = |from: &BTreeSet<BlockId>, to: &BTreeSet<BlockId>| {
        after(blocks, from).is_some_and(|next| next.is_disjoint(to))
    };
    a.is_disjoint(&b) && never_leads(&a, &b) && never_leads(&b, &a)
}

/// Keeps module exit away from what exported functions alone register, and take back: who calls them holds the module.
pub fn served(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    let taken = address_taken(program);
    let exported: HashSet<FuncId> = module_functions(program).exported.into_iter().collect();
    let alone: HashSet<FuncId> = exported.difference(&taken).copied().collect();
    if alone.is_empty() || !entries.iter().any(|e| e.via == MODULE_EXIT) {
        return;
    }
    let names = Names::new(program);
    let everywhere: Vec<FuncId> = alone.iter().copied().collect();
    let reached = reached(program, &everywhere);
    let calls = |name: &String| {
        let function = program.function_named(name);
        function.is_some_and(|f| reached.contains(&f))
    };
    let undone = |e: &EntryPoint| {
        let mut effects = rules.effects().iter().filter(|r| r.concerns(&e.via));
        effects.any(|r| {
            let takes_back = [Effect::BlocksNew, Effect::Waits];
            let ends = takes_back.iter().any(|x| r.effects.contains(x));
            let starts = r.effects.contains(&Effect::Starts);
            ((ends && !starts) || (starts && r.managed)) && r.on.iter().any(calls)
        })
    };
    let exits: Vec<String> = entries
        .iter()
        .filter(|e| e.via == MODULE_EXIT)
        .map(|e| e.function.clone())
        .collect();
    for entry in entries.iter_mut() {
        let is_one = entry.phase == Phase::Steady
            && entry.start == Start::Any
            && !entry.is_called_by_others();
        if !is_one || !undone(entry) {
            continue;
        }
        let function = program.function_named(&entry.function);
        let Some(places) = function.and_then(|f| names.places(f)) else {
            continue;
        };
        let around = names.around(&places);
        let tops: Vec<&FuncId> = around.iter().filter(|f| names.tops.contains(f)).collect();
        if !tops.is_empty() && tops.iter().all(|f| alone.contains(f)) {
            entry.never_beside.extend(exits.iter().map(|exit| {
                Exclusion {
                    function: exit.clone(),
                    reason: "those who have it registered hold the module, and take it back first"
                        .to_string(),
                }
            }));
        }
    }
}
