//! Whether another module may have set the lock of an object before the input registers it.
//!
//! What sets a lock up is a store in the object, so a function of another module that is given the object, or what it is part of, may
//! have done that: which functions those are is told by the types of their parameters, and by the order of calls.

use std::collections::{HashMap, HashSet};

use super::locks::embedded;
use super::objects::is_called;
use super::types::pointee;
use crate::environment::rules::{LockRule, Rules};
use crate::index::{BlockId, FuncId};
use crate::program::{Callee, Function, Op, Program};

/// Whether a function without a body, of which no rule speaks, is given an object of the lock's struct before one of those functions
/// registers it; or whether the input calls none of these, so that another module does.
pub(super) fn may_be_set_by_others(program: &Program, rules: &Rules, rule: &LockRule) -> bool {
    if !rule.set_up_by.iter().any(|f| is_called(program, f)) {
        return true;
    }
    let structure = rule.object.as_ref().map(|o| o.shared.as_str());
    let Some(structure) = structure.filter(|_| rule.optional) else {
        return false;
    };
    let registers = |f: FuncId| rule.set_up_by.contains(&program.functions[f].name);
    let mut known = HashMap::new();
    let mut lent_to: HashSet<FuncId> = HashSet::new();
    for (id, function) in program.functions.iter_ids() {
        let outside = !function.is_defined() && function.primitive.is_none();
        if !outside || registers(id) || is_ruled(rules, &function.name) {
            continue;
        }
        let mut given = function.param_types.iter().flatten();
        let may_set = given.any(|ty| {
            let target = pointee(program, *ty);
            target.is_some_and(|ty| !embedded(program, ty, structure, &mut known).is_empty())
        });
        if may_set {
            lent_to.insert(id);
        }
    }
    if lent_to.is_empty() {
        return false;
    }
    let registering = program.functions.ids().filter(|f| registers(*f)).collect();
    let lends = callers(program, lent_to);
    let registers = callers(program, registering);
    let mut own = program.functions.iter().filter(|f| !f.is_model);
    own.any(|f| calls_in_order(f, &lends, &registers))
}

/// Those functions, and all that get to one of them by direct calls.
fn callers(program: &Program, of: HashSet<FuncId>) -> HashSet<FuncId> {
    let mut found = of;
    loop {
        let calls = |f: &Function| callees(f).any(|(_, _, callee)| found.contains(&callee));
        let more: Vec<FuncId> = program
            .functions
            .iter_ids()
            .filter(|(id, f)| !found.contains(id) && calls(f))
            .map(|(id, _)| id)
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// The direct calls of a function: where they stand, and whom they call.
fn callees(function: &Function) -> impl Iterator<Item = (BlockId, usize, FuncId)> + '_ {
    function.blocks.iter_ids().flat_map(|(block, code)| {
        let numbered = code.instrs.iter().enumerate();
        numbered.filter_map(move |(at, instr)| match &instr.op {
            Op::Call {
                callee: Callee::Direct(callee),
                ..
            } => Some((block, at, *callee)),
            _ => None,
        })
    })
}

/// Whether a rule says what that function does.
fn is_ruled(rules: &Rules, name: &str) -> bool {
    let given = |places: &[String]| {
        let mut functions = places.iter().filter_map(|p| p.split('#').next());
        functions.any(|f| f == name)
    };
    rules
        .effects()
        .iter()
        .any(|e| e.on.iter().any(|f| f == name))
        || rules.writes(name).next().is_some()
        || rules
            .objects()
            .iter()
            .any(|o| given(&o.given) || given(&o.otherwise))
}

/// Whether a function makes a call of one of `first`, and after it another one of one of `then`.
fn calls_in_order(function: &Function, first: &HashSet<FuncId>, then: &HashSet<FuncId>) -> bool {
    let those = |of: &HashSet<FuncId>| -> Vec<(BlockId, usize)> {
        let calls = callees(function).filter(|(_, _, f)| of.contains(f));
        calls.map(|(block, at, _)| (block, at)).collect()
    };
    let firsts = those(first);
    let thens = those(then);
    firsts.iter().any(|(block, at)| {
        let beyond = after(function, *block);
        let follows = |(b, i): &(BlockId, usize)| beyond.contains(b) || b == block && i > at;
        thens.iter().any(follows)
    })
}

/// The blocks that control may get to once it has left one.
fn after(function: &Function, from: BlockId) -> HashSet<BlockId> {
    let mut seen: HashSet<BlockId> = HashSet::new();
    let mut work = function.blocks[from].term.successors();
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            work.extend(function.blocks[block].term.successors());
        }
    }
    seen
}
