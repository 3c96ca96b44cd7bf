//! Program dependence: which reads of shared memory a write depends on.
//!
//! Backward slices over the instances of functions (points_to/instances.rs), as in Ferrante, Ottenstein, Warren: The Program Dependence
//! Graph and Its Use in Optimization (TOPLAS 1987): *data* dependence along SSA values, parameters, results and local variables in
//! memory; *control* dependence by postdominators, up through the calls to the thread's function. A slice ends at reads of shared
//! memory: these are the answer.
//!
//! Calls are not matched with their returns beyond what instances tell apart, so a slice may be too large. Missed: values that
//! pass through shared memory or through memory that is not a local variable's; what a loop waits for (that the loop ends is no
//! dependence, as in the paper); calls through pointers that points-to does not resolve.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{BlockId, FuncId, IdVec, Idx, ValueId};
use crate::program::{Function, Op, Operand, Primitive, Program, Terminator, operands};

use super::points_to::{InstanceId, Place, PointsTo};

/// Values and blocks that one slice looks at, at most: what lies beyond is missed.
const MAX_NODES: usize = 100_000;
/// Calls through which a local variable's address is followed.
const MAX_HANDED: u32 = 3;

/// The reads of shared memory that a write depends on.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    /// By what it writes.
    pub data: BTreeSet<Place>,
    /// By whether it is executed.
    pub control: BTreeSet<Place>,
}

/// Answers for the threads of one program.
pub(super) struct Dependence<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    callers: IdVec<InstanceId, Vec<Place>>,
    callees: FxHashMap<Place, Vec<InstanceId>>,
    control: Mutex<FxHashMap<FuncId, Arc<Control>>>,
}

/// What each block of a function is control dependent on: the blocks that end with the branches, transitively.
struct Control {
    of: IdVec<BlockId, FixedBitSet>,
}

/// Where a slice goes on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Value(InstanceId, ValueId),
    Block(InstanceId, BlockId),
}

impl<'p> Dependence<'p> {
    pub fn new(program: &'p Program, points_to: &'p PointsTo) -> Dependence<'p> {
        let instances = points_to.instances();
        let mut callers: IdVec<InstanceId, Vec<Place>> = IdVec::filled(Vec::new(), instances.len());
        let mut callees: FxHashMap<Place, Vec<InstanceId>> = FxHashMap::default();
        for instance in instances.iter() {
            for (place, callee) in &instance.calls {
                callers[*callee].push(*place);
                callees.entry(*place).or_default().push(*callee);
            }
        }
        Dependence {
            program,
            points_to,
            callers,
            callees,
            control: Mutex::default(),
        }
    }

    /// What a write depends on that stands there, in a thread that executes these instances.
    pub fn of(&self, write: Place, value: Option<&Operand>, within: &FixedBitSet) -> Sources {
        let mut slice = Slice::new(self, within);
        if let Some(v) = value.and_then(Operand::value) {
            slice.add(Node::Value(write.instance, v));
        }
        let data = slice.run();
        let mut slice = Slice::new(self, within);
        slice.add(Node::Block(write.instance, write.block));
        let control = slice.run();
        Sources { data, control }
    }

    /// What the branches of these functions depend on, in a thread that executes these instances.
    pub fn of_branches(
        &self,
        within: &FixedBitSet,
        function: impl Fn(FuncId) -> bool,
    ) -> BTreeSet<Place> {
        let mut slice = Slice::new(self, within);
        let instances = within.ones().map(InstanceId::new);
        let own = |i: &InstanceId| function(self.points_to.instances()[*i].function);
        for instance in instances.filter(own) {
            for block in self.function(instance).blocks.iter() {
                slice.branch(instance, &block.term);
            }
        }
        slice.run()
    }

    fn function(&self, instance: InstanceId) -> &'p Function {
        &self.program.functions[self.points_to.instances()[instance].function]
    }

    fn control(&self, instance: InstanceId) -> Arc<Control> {
        let f = self.points_to.instances()[instance].function;
        let mut known = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        let function = &self.program.functions[f];
        let control = known
            .entry(f)
            .or_insert_with(|| Arc::new(Control::new(function)));
        control.clone()
    }
}

/// Where each value of a function is defined.
type Definitions = FxHashMap<ValueId, (BlockId, u32)>;

struct Slice<'a, 'p> {
    dependence: &'a Dependence<'p>,
    within: &'a FixedBitSet,
    seen: FxHashSet<Node>,
    work: Vec<Node>,
    sources: BTreeSet<Place>,
    /// By function: where each value is defined.
    defined: FxHashMap<FuncId, Definitions>,
}

impl<'a, 'p> Slice<'a, 'p> {
    fn new(dependence: &'a Dependence<'p>, within: &'a FixedBitSet) -> Slice<'a, 'p> {
        Slice {
            dependence,
            within,
            seen: FxHashSet::default(),
            work: Vec::new(),
            sources: BTreeSet::new(),
            defined: FxHashMap::default(),
        }
    }

    fn add(&mut self, node: Node) {
        if self.seen.len() < MAX_NODES && self.seen.insert(node) {
            self.work.push(node);
        }
    }

    fn operand(&mut self, instance: InstanceId, operand: &Operand) {
        if let Some(v) = operand.value() {
            self.add(Node::Value(instance, v));
        }
    }

    fn run(mut self) -> BTreeSet<Place> {
        while let Some(node) = self.work.pop() {
            match node {
                Node::Value(instance, v) => self.value(instance, v),
                Node::Block(instance, block) => self.block(instance, block),
            }
        }
        self.sources
    }

    /// The conditions under which a block is executed, in its function and in those that call it: up to what comes by itself.
    fn block(&mut self, instance: InstanceId, block: BlockId) {
        let control = self.dependence.control(instance);
        self.branches(instance, &control.of[block]);
        if self.dependence.function(instance).interrupts {
            return;
        }
        let callers = &self.dependence.callers[instance];
        for place in callers {
            if self.within.contains(place.instance.index()) {
                self.add(Node::Block(place.instance, place.block));
            }
        }
    }

    /// The conditions of the branches that end these blocks.
    fn branches(&mut self, instance: InstanceId, blocks: &FixedBitSet) {
        let function = self.dependence.function(instance);
        for b in blocks.ones() {
            self.branch(instance, &function.blocks[BlockId::new(b)].term);
        }
    }

    /// The condition of one branch.
    fn branch(&mut self, instance: InstanceId, term: &Terminator) {
        match term {
            Terminator::Branch { cond, .. } => self.operand(instance, cond),
            Terminator::Switch { value, .. } => self.operand(instance, value),
            _ => {}
        }
    }

    fn definition(&mut self, instance: InstanceId, v: ValueId) -> Option<(BlockId, u32)> {
        let f = self.dependence.points_to.instances()[instance].function;
        let function = self.dependence.function(instance);
        let defined = self.defined.entry(f).or_insert_with(|| {
            let mut map = Definitions::default();
            for (id, block) in function.blocks.iter_ids() {
                for (n, instr) in block.instrs.iter().enumerate() {
                    if let Some(result) = instr.result {
                        map.insert(result, (id, n as u32));
                    }
                }
            }
            map
        });
        defined.get(&v).copied()
    }

    fn value(&mut self, instance: InstanceId, v: ValueId) {
        let function = self.dependence.function(instance);
        let Some((block, index)) = self.definition(instance, v) else {
            return self.parameter(instance, v);
        };
        let place = Place {
            instance,
            block,
            index,
        };
        let instr = &function.blocks[block].instrs[index as usize];
        match &instr.op {
            Op::Phi(items) => {
                let control = self.dependence.control(instance);
                for (from, operand) in items {
                    self.operand(instance, operand);
                    // Which way control came decides.
                    let mut own = control.of[*from].clone();
                    own.insert(from.index());
                    own.difference_with(&control.of[block]);
                    self.branches(instance, &own);
                }
            }
            Op::Load { ptr, .. } => match local(function, ptr) {
                Some(root) => self.stored(instance, root, 0),
                None => {
                    self.sources.insert(place);
                }
            },
            Op::AtomicRmw { .. }
            | Op::CmpXchg { .. }
            | Op::Primitive {
                primitive: Primitive::GhostGet,
                ..
            } => {
                self.sources.insert(place);
            }
            Op::Call { .. } => self.result(place),
            Op::Primitive {
                primitive: Primitive::Alloc | Primitive::Lazy | Primitive::NondetPtr,
                ..
            }
            | Op::Alloca { .. } => {}
            op => operands(op, &mut |operand| self.operand(instance, operand)),
        }
    }

    /// What callers pass.
    fn parameter(&mut self, instance: InstanceId, v: ValueId) {
        let params = &self.dependence.function(instance).params;
        let Some(n) = params.iter().position(|p| *p == v) else {
            return;
        };
        let dependence = self.dependence;
        for place in &dependence.callers[instance] {
            let caller = dependence.function(place.instance);
            let instr = caller.blocks[place.block].instrs.get(place.index as usize);
            if let Some(Op::Call { args, .. }) = instr.map(|i| &i.op)
                && self.within.contains(place.instance.index())
                && let Some(arg) = args.get(n)
            {
                self.operand(place.instance, arg);
            }
        }
    }

    /// What a call returns.
    fn result(&mut self, place: Place) {
        let dependence = self.dependence;
        for callee in dependence.callees.get(&place).into_iter().flatten() {
            let function = dependence.function(*callee);
            let returns: Vec<_> = function
                .blocks
                .iter_ids()
                .filter_map(|(id, b)| match &b.term {
                    Terminator::Return(Some(value)) => Some((id, value)),
                    _ => None,
                })
                .collect();
            for (id, value) in &returns {
                self.operand(*callee, value);
                if returns.len() > 1 {
                    let control = dependence.control(*callee);
                    self.branches(*callee, &control.of[*id]);
                }
            }
        }
    }

    /// What is stored in a local variable, by its function and by those that it hands the address to.
    fn stored(&mut self, instance: InstanceId, root: ValueId, depth: u32) {
        let dependence = self.dependence;
        let function = dependence.function(instance);
        for (id, block) in function.blocks.iter_ids() {
            for (n, instr) in block.instrs.iter().enumerate() {
                match &instr.op {
                    Op::Store { ptr, value, .. } if base(function, ptr) == Some(root) => {
                        self.operand(instance, value);
                        let control = dependence.control(instance);
                        self.branches(instance, &control.of[id]);
                    }
                    Op::Call { args, .. } if depth < MAX_HANDED => {
                        let place = Place {
                            instance,
                            block: id,
                            index: n as u32,
                        };
                        for (k, arg) in args.iter().enumerate() {
                            if base(function, arg) != Some(root) {
                                continue;
                            }
                            for callee in dependence.callees.get(&place).into_iter().flatten() {
                                let params = &dependence.function(*callee).params;
                                if let Some(param) = params.get(k) {
                                    self.stored(*callee, *param, depth + 1);
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The value that a pointer is computed from within its object.
fn base(function: &Function, pointer: &Operand) -> Option<ValueId> {
    let mut v = pointer.value()?;
    let instrs = || function.blocks.iter().flat_map(|b| &b.instrs);
    loop {
        let defined = instrs().find(|i| i.result == Some(v));
        match defined.map(|i| &i.op) {
            Some(Op::Gep { base, .. }) => v = base.value()?,
            _ => return Some(v),
        }
    }
}

/// The local variable that a pointer leads to, if it is one.
fn local(function: &Function, pointer: &Operand) -> Option<ValueId> {
    let root = base(function, pointer)?;
    let instrs = function.blocks.iter().flat_map(|b| &b.instrs);
    let is =
        |i: &crate::program::Instr| i.result == Some(root) && matches!(i.op, Op::Alloca { .. });
    instrs.into_iter().any(is).then_some(root)
}

impl Control {
    fn new(function: &Function) -> Control {
        let n = function.blocks.len();
        let after = postdominators(function);
        // Directly: one successor of the branch leads to the block whatever happens, the branch itself need not.
        let mut direct: Vec<FixedBitSet> = vec![FixedBitSet::with_capacity(n); n];
        for (id, block) in function.blocks.iter_ids() {
            let successors = block.term.successors();
            if successors.len() < 2 {
                continue;
            }
            for s in successors {
                for b in after[s.index()].ones() {
                    if b == id.index() || !after[id.index()].contains(b) {
                        direct[b].insert(id.index());
                    }
                }
            }
        }
        let mut of: IdVec<BlockId, FixedBitSet> = IdVec::new();
        for own in &direct {
            let mut all = own.clone();
            let mut work: Vec<usize> = all.ones().collect();
            while let Some(b) = work.pop() {
                for further in direct[b].ones() {
                    if !all.put(further) {
                        work.push(further);
                    }
                }
            }
            of.push(all);
        }
        Control { of }
    }
}

/// For each block those that every way from it to the end passes, itself included.
fn postdominators(function: &Function) -> Vec<FixedBitSet> {
    let n = function.blocks.len();
    let mut full = FixedBitSet::with_capacity(n);
    full.insert_range(..);
    let mut after = vec![full; n];
    let mut changed = true;
    while changed {
        changed = false;
        for (id, block) in function
            .blocks
            .iter_ids()
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
        {
            let mut successors = block.term.successors().into_iter();
            let mut new = match successors.next() {
                Some(s) => after[s.index()].clone(),
                None => FixedBitSet::with_capacity(n),
            };
            for s in successors {
                new.intersect_with(&after[s.index()]);
            }
            new.insert(id.index());
            if new != after[id.index()] {
                after[id.index()] = new;
                changed = true;
            }
        }
    }
    after
}

#[cfg(test)]
#[path = "dependence_tests.rs"]
mod tests;
