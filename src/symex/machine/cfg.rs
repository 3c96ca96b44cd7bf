//! Control flow of one function as the executor needs it: loops, and an order in which every join is met after all that
//! flows into it.
//!
//! A *block instance* is a block together with the iteration number of each loop around it. Instances are ordered so
//! that a forward edge always leads to a later instance: all iterations of a loop come before what follows the loop.
//! Natural loops only; a function with irreducible control flow is refused (and the check answers `unknown`).

use std::collections::{BTreeMap, BTreeSet};

use crate::index::{BlockId, IdVec, Idx, ValueId};
use crate::program::{
    Callee, Const, Function, Instr, MadeBy, Op, Operand, Program, Terminator, operands,
};
use crate::symex::machine::counted::{Counter, counters};

/// A block in one iteration of each loop around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance {
    /// Order key: for each loop around the block, position of its header and iteration; then position of the block.
    pub key: Vec<u32>,
    /// The block.
    pub block: BlockId,
}

/// Loops and order of one function.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Position of each block in reverse post-order; `u32::MAX` where unreachable.
    position: IdVec<BlockId, u32>,
    /// Headers of the loops around each block, outermost first.
    loops: IdVec<BlockId, Vec<BlockId>>,
    /// Blocks that end by asking whether the thread is taken off the stack.
    raises: BTreeSet<BlockId>,
    /// By header: the values of the loop on which it depends whether it is left.
    deciding: BTreeMap<BlockId, Vec<ValueId>>,
    /// Branches that leave a loop after so many rounds.
    counters: BTreeMap<BlockId, Counter>,
}

/// Where an edge leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edge {
    /// To that instance.
    To(Instance),
    /// Nowhere: the loop bound is used up.
    BoundReached,
}

impl Cfg {
    /// Analyses a function. `Err` for irreducible control flow.
    pub fn new(program: &Program, function: &Function) -> Result<Cfg, String> {
        let n = function.blocks.len();
        let order = post_order(function);
        let mut position = IdVec::filled(u32::MAX, n);
        for (i, b) in order.iter().rev().enumerate() {
            position[*b] = i as u32;
        }
        let rpo: Vec<BlockId> = order.into_iter().rev().collect();
        let preds = predecessors(function, &rpo);
        let idom = dominators(&rpo, &position, &preds);

        // A retreating edge must lead to a dominator: then it closes a natural loop.
        let mut members: Vec<(BlockId, BTreeSet<BlockId>)> = Vec::new();
        for &b in &rpo {
            for s in function.blocks[b].term.successors() {
                if position[s] > position[b] {
                    continue;
                }
                if !dominates(&idom, &position, s, b) {
                    return Err(format!("irreducible control flow in {}", function.name));
                }
                let body = loop_body(s, b, &preds);
                match members.iter_mut().find(|(h, _)| *h == s) {
                    Some((_, all)) => all.extend(body),
                    None => members.push((s, body)),
                }
            }
        }
        members.sort_by_key(|(h, _)| position[*h]);
        let mut loops = IdVec::filled(Vec::new(), n);
        for (header, body) in &members {
            for b in body {
                loops[*b].push(*header);
            }
        }
        let raises: BTreeSet<BlockId> = function
            .blocks
            .ids()
            .filter(|b| asks_for_raise(program, function, *b))
            .collect();
        let deciding = members
            .iter()
            .map(|(header, body)| (*header, deciding(function, body, &raises)))
            .collect();
        let counters = counters(function, &loops);
        Ok(Cfg {
            position,
            loops,
            raises,
            deciding,
            counters,
        })
    }

    /// The first instance.
    pub fn entry(&self) -> Instance {
        let entry = BlockId(0);
        self.instance(entry, &vec![0; self.loops[entry].len()])
    }

    /// Iteration numbers of the loops around an instance, outermost first.
    pub fn iterations(&self, at: &Instance) -> Vec<u32> {
        (0..self.loops[at.block].len())
            .map(|i| at.key[2 * i + 1])
            .collect()
    }

    fn instance(&self, block: BlockId, iterations: &[u32]) -> Instance {
        let mut key = Vec::with_capacity(2 * iterations.len() + 1);
        for (header, iteration) in self.loops[block].iter().zip(iterations) {
            key.push(self.position[*header]);
            key.push(*iteration);
        }
        key.push(self.position[block]);
        Instance { key, block }
    }

    /// Follows the edge from an instance to a successor block. `may_repeat` is asked, for a back edge, whether the loop
    /// (header, and the iterations of the loops around it) may go round once more.
    pub fn follow(
        &self,
        from: &Instance,
        to: BlockId,
        may_repeat: impl FnOnce(&LoopEntry, u32) -> bool,
    ) -> Edge {
        let here = &self.loops[from.block];
        let mut next = self.iterations(from);
        let shared = self.loops[to]
            .iter()
            .zip(here)
            .take_while(|(x, y)| x == y)
            .count();
        next.truncate(shared);
        next.resize(self.loops[to].len(), 0);
        if shared > 0 && self.loops[to][shared - 1] == to {
            let entry = LoopEntry {
                header: to,
                around: next[..shared - 1].to_vec(),
            };
            if !may_repeat(&entry, next[shared - 1]) {
                return Edge::BoundReached;
            }
            next[shared - 1] += 1;
        }
        Edge::To(self.instance(to, &next))
    }

    /// If an edge goes back to the header of a loop around it: the loop, and the iteration that ends.
    pub fn back_edge(&self, from: &Instance, to: BlockId) -> Option<(LoopEntry, Vec<u32>)> {
        let depth = self.loops[from.block].iter().position(|h| *h == to)?;
        let mut iteration = self.iterations(from);
        iteration.truncate(depth + 1);
        let entry = LoopEntry {
            header: to,
            around: iteration[..depth].to_vec(),
        };
        Some((entry, iteration))
    }

    /// The innermost loop around an instance, and which iteration of it that is in.
    pub fn innermost(&self, at: &Instance) -> Option<(LoopEntry, Vec<u32>)> {
        let header = *self.loops[at.block].last()?;
        let iteration = self.iterations(at);
        let around = iteration[..iteration.len() - 1].to_vec();
        Some((LoopEntry { header, around }, iteration))
    }

    /// The counter that a block's branch is.
    pub fn counter(&self, block: BlockId) -> Option<&Counter> {
        self.counters.get(&block)
    }

    /// Whether a block is in the loop of that header.
    pub fn is_in_loop(&self, block: BlockId, header: BlockId) -> bool {
        self.loops[block].contains(&header)
    }

    /// Whether a block ends by asking whether the thread is taken off the stack.
    pub fn raises(&self, block: BlockId) -> bool {
        self.raises.contains(&block)
    }

    /// A block of a loop in that iteration of it, and the first of those within.
    pub fn in_iteration(&self, block: BlockId, iteration: &[u32]) -> Instance {
        let mut all = iteration.to_vec();
        all.resize(self.loops[block].len(), 0);
        self.instance(block, &all)
    }

    /// The values of a loop on which it depends whether it is left.
    pub fn deciding(&self, header: BlockId) -> &[ValueId] {
        self.deciding.get(&header).map_or(&[], Vec::as_slice)
    }

    /// The loops that a branch at an instance may leave for a reason of the program's own (not to end the thread).
    pub fn left_by(&self, at: &Instance, successors: &[BlockId]) -> Vec<LoopEntry> {
        if self.raises.contains(&at.block) {
            return Vec::new();
        }
        let iterations = self.iterations(at);
        let loops = &self.loops[at.block];
        (0..loops.len())
            .filter(|d| {
                successors
                    .iter()
                    .any(|s| self.loops[*s].get(*d) != Some(&loops[*d]))
            })
            .map(|d| LoopEntry {
                header: loops[d],
                around: iterations[..d].to_vec(),
            })
            .collect()
    }
}

/// A loop, entered once in each iteration of the loops around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopEntry {
    /// The loop's header.
    pub header: BlockId,
    /// Iterations of the loops around it, outermost first.
    pub around: Vec<u32>,
}

/// Whether a block branches on an answer of the sequentialization's run time, or on `raise`.
fn asks_for_raise(program: &Program, function: &Function, block: BlockId) -> bool {
    let Terminator::Branch {
        cond: Operand::Value(value),
        ..
    } = &function.blocks[block].term
    else {
        return false;
    };
    let kiss = program.runtime.by == Some(MadeBy::Kiss);
    let mut value = *value;
    for instr in function.blocks[block].instrs.iter().rev() {
        if instr.result != Some(value) {
            continue;
        }
        match &instr.op {
            Op::Call {
                callee: Callee::Direct(f),
                ..
            } => return kiss && program.runtime.is_own(*f),
            Op::Load {
                ptr: Operand::Const(Const::Addr { global, .. }),
                ..
            } => {
                return kiss && program.runtime.raise == Some(*global);
            }
            Op::Icmp {
                lhs: Operand::Value(v),
                ..
            }
            | Op::Cast {
                value: Operand::Value(v),
                ..
            } => value = *v,
            _ => return false,
        }
    }
    false
}

/// The values within a loop from which the conditions of its exits are computed.
fn deciding(
    function: &Function,
    body: &BTreeSet<BlockId>,
    raises: &BTreeSet<BlockId>,
) -> Vec<ValueId> {
    let defined: BTreeMap<ValueId, &Instr> = body
        .iter()
        .flat_map(|b| &function.blocks[*b].instrs)
        .filter_map(|i| Some((i.result?, i)))
        .collect();
    let mut work: Vec<ValueId> = Vec::new();
    for b in body.iter().filter(|b| !raises.contains(b)) {
        let term = &function.blocks[*b].term;
        if term.successors().iter().all(|s| body.contains(s)) {
            continue;
        }
        if let Terminator::Branch { cond: by, .. } | Terminator::Switch { value: by, .. } = term {
            work.extend(by.value());
        }
    }
    let mut seen: BTreeSet<ValueId> = BTreeSet::new();
    while let Some(value) = work.pop() {
        if let Some(instr) = defined.get(&value)
            && seen.insert(value)
        {
            operands(&instr.op, &mut |o| work.extend(o.value()));
        }
    }
    seen.into_iter().collect()
}

fn post_order(function: &Function) -> Vec<BlockId> {
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(
        BlockId(0),
        function.blocks[BlockId(0)].term.successors(),
        0usize,
    )];
    seen[0] = true;
    while let Some((block, succs, next)) = stack.last_mut() {
        if let Some(&s) = succs.get(*next) {
            *next += 1;
            if !seen[s.index()] {
                seen[s.index()] = true;
                stack.push((s, function.blocks[s].term.successors(), 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order
}

fn predecessors(function: &Function, rpo: &[BlockId]) -> IdVec<BlockId, Vec<BlockId>> {
    let mut preds = IdVec::filled(Vec::new(), function.blocks.len());
    for &b in rpo {
        for s in function.blocks[b].term.successors() {
            preds[s].push(b);
        }
    }
    preds
}

/// Immediate dominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
fn dominators(
    rpo: &[BlockId],
    position: &IdVec<BlockId, u32>,
    preds: &IdVec<BlockId, Vec<BlockId>>,
) -> IdVec<BlockId, Option<BlockId>> {
    let mut idom: IdVec<BlockId, Option<BlockId>> = IdVec::filled(None, preds.len());
    idom[rpo[0]] = Some(rpo[0]);
    let mut changed = true;
    while changed {
        changed = false;
        for &b in &rpo[1..] {
            let mut new: Option<BlockId> = None;
            for &p in preds[b].iter().filter(|p| idom[**p].is_some()) {
                new = Some(match new {
                    None => p,
                    Some(mut x) => {
                        let mut y = p;
                        while x != y {
                            while position[x] > position[y] {
                                x = idom[x].expect("processed");
                            }
                            while position[y] > position[x] {
                                y = idom[y].expect("processed");
                            }
                        }
                        x
                    }
                });
            }
            if new != idom[b] {
                idom[b] = new;
                changed = true;
            }
        }
    }
    idom
}

fn dominates(
    idom: &IdVec<BlockId, Option<BlockId>>,
    position: &IdVec<BlockId, u32>,
    above: BlockId,
    mut below: BlockId,
) -> bool {
    while position[below] > position[above] {
        below = idom[below].expect("reachable");
    }
    below == above
}

fn loop_body(
    header: BlockId,
    latch: BlockId,
    preds: &IdVec<BlockId, Vec<BlockId>>,
) -> BTreeSet<BlockId> {
    let mut body = BTreeSet::from([header]);
    let mut work = vec![latch];
    while let Some(b) = work.pop() {
        if body.insert(b) {
            work.extend(&preds[b]);
        }
    }
    body
}
