//! Points-to: which memory a pointer may lead to.
//!
//! Andersen's inclusion-based analysis (1994), field-sensitive: an
//! [`Address`] is an object and an offset, or offsets at a fixed distance (array
//! elements of a struct), or any offset. Calls through pointers are resolved
//! while solving. Deviations from the textbook form:
//!
//! - models and small helpers are analysed per call site (see [`instances`]), all other functions once;
//! - lazily initialised memory: the pointer read at an offset of such an object leads to a child object, always the same
//!   for the same offset; below a depth all further children are one object;
//! - a chain of additions in a loop is widened to a stride, then to the whole object;
//! - by C types (without `--strict`) what is indexed stays in its array: an [`Address`] then has a count of elements, and an access
//!   of a member that is an array of scalars a [`Span`].
//!
//! Misses: pointers packed by shifts or multiplications, copied byte by byte or in a number of bytes that is not constant
//! through what C declares an array of small integers, or kept in misaligned or overlapping pieces; the closed program is expected
//! to be complete, so a function that is only declared keeps nothing of what it
//! is given. A pointer that lies outside of its object after two moves is dropped (`container_of` the head of a list is one move).
//! By C types (without `--strict`), a pointer read at a wholly unknown offset of an object found behind a pointer leads nowhere.
//! An access by a pointer with no target at all is treated (in
//! [`super::plan`]) as overlapping only others of that kind.

mod address;
mod bytes;
mod calls;
mod computed;
mod constraints;
mod content;
mod copies;
mod cycles;
mod elements;
mod facts;
mod instances;
mod lost;
mod memory;
mod numbers;
mod objects;
mod sets;
mod slots;
mod solver;
#[cfg(test)]
mod tests;
mod types;
mod worklist;

use std::sync::OnceLock;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deadline::{Deadline, Stopped};
use crate::index::{DebugTypeId, FuncId, IdVec, Idx, LocId, ValueId};
use crate::program::{Const, Definitions, Operand, Program};

use super::callgraph::CallGraph;
use super::layouts::Layouts;
use super::sections::Sections;
pub use address::{Address, ObjectId};
use address::{AddressId, Addresses};
pub(super) use constraints::constant;
pub use instances::{Access, Instance, InstanceId, Space};
pub use objects::{ObjectKind, Objects, Place};
pub(super) use solver::NodeId;
use solver::{Cell, RESOLUTIONS, Solver};
pub use types::Content;

/// The result of points-to analysis.
#[derive(Clone, Debug)]
pub struct PointsTo {
    graph: CallGraph,
    objects: Objects,
    instances: IdVec<InstanceId, Instance>,
    by_function: IdVec<FuncId, Vec<InstanceId>>,
    object_index: FxHashMap<ObjectKind, ObjectId>,
    addresses: Addresses,
    cells: IdVec<solver::CellId, Cell>,
    roots: IdVec<NodeId, NodeId>,
    sets: IdVec<NodeId, Vec<AddressId>>,
    // invariant: sorted
    shared: FixedBitSet,
    visible: FixedBitSet,
    sections: Sections,
    layouts: Layouts,
    lost: FxHashSet<Place>,
    typed: bool,
    pointer_bytes: u32,
    definitions: Definitions,
    /// See [`PointsTo::is_rest_of_unset`].
    rests: OnceLock<FixedBitSet>,
}

impl PointsTo {
    /// Analyses all code reachable from `roots` (calls and thread starts). What pointer parameters of the roots lead to
    /// is arbitrary, a lazily initialised object for each. `typed`: pointers are taken to lead to memory of their C type.
    pub fn solve(program: &Program, roots: &[FuncId], typed: bool) -> PointsTo {
        PointsTo::solve_until(program, roots, typed, Deadline::NEVER)
            .unwrap_or_else(|_| unreachable!("that deadline never comes"))
    }

    /// The same.
    ///
    /// # Errors
    /// The deadline, if it comes first.
    pub fn solve_until(
        program: &Program,
        roots: &[FuncId],
        typed: bool,
        deadline: Deadline,
    ) -> Result<PointsTo, Stopped> {
        let mut solved = None;
        for resolution in RESOLUTIONS {
            let mut solver = Solver::new(program, typed, resolution);
            let entries: Vec<_> = roots.iter().map(|root| solver.root(*root)).collect();
            if solver.run(deadline)? {
                solved = Some((solver, entries));
                break;
            }
        }
        let (mut solver, mut entries) = solved.expect("the last resolution has no bound");
        let arguments = std::mem::take(&mut solver.arguments);
        let ghost = solver.ghost;
        let mut graph = CallGraph::empty(program);
        let mut by_function = IdVec::filled(Vec::new(), program.functions.len());
        for (id, instance) in solver.instances.iter_ids() {
            by_function[instance.function].push(id);
            let callees = instance.calls.iter();
            graph.callees[instance.function]
                .extend(callees.map(|(_, c)| solver.instances[*c].function));
            let starts = instance.starts.iter();
            graph.starts[instance.function]
                .extend(starts.map(|(_, c)| solver.instances[*c].function));
        }
        graph.normalise();
        let started = solver.instances.iter().flat_map(|i| &i.starts);
        entries.extend(started.map(|(_, start)| *start));
        let sections = Sections::find(program, &solver.instances, &graph, &entries);
        let objects = std::mem::take(&mut solver.objects);
        let instances = std::mem::take(&mut solver.instances);
        let object_index = std::mem::take(&mut solver.object_index);
        let addresses = std::mem::take(&mut solver.addresses);
        let cells = std::mem::take(&mut solver.cells);
        let definitions = solver.definitions.clone();
        let (roots, sets) = solver.into_sets();
        let mut result = PointsTo {
            graph,
            objects,
            instances,
            by_function,
            object_index,
            addresses,
            cells,
            roots,
            sets,
            shared: FixedBitSet::new(),
            visible: FixedBitSet::new(),
            sections,
            layouts: Layouts::default(),
            lost: FxHashSet::default(),
            typed,
            pointer_bytes: program.layout.pointer_bytes,
            definitions,
            rests: OnceLock::new(),
        };
        result.lost = lost::find(program, &result);
        result.visible = super::escape::user_visible(program, &result);
        result.layouts = Layouts::infer(program, &result);
        result.shared = super::escape::shared(&result, &arguments, ghost);
        if program.harness.entries.is_empty() && !result.lost.is_empty() {
            let given_away = super::escape::given_away(&result);
            result.shared.union_with(&given_away);
        }
        Ok(result)
    }

    /// The call graph with indirect calls resolved.
    pub fn call_graph(&self) -> &CallGraph {
        &self.graph
    }

    /// All objects.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// All instances of functions.
    pub fn instances(&self) -> &IdVec<InstanceId, Instance> {
        &self.instances
    }

    /// The calls and thread starts that each instance is entered by.
    pub fn ways_in(&self) -> IdVec<InstanceId, Vec<Place>> {
        let mut all = IdVec::filled(Vec::new(), self.instances.len());
        for instance in self.instances.iter() {
            for (place, callee) in instance.calls.iter().chain(&instance.starts) {
                all[*callee].push(*place);
            }
        }
        all
    }

    /// The instruction that defines each value of the program.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// The instances of one function; empty if it is not reachable from the roots.
    pub fn instances_of(&self, function: FuncId) -> &[InstanceId] {
        &self.by_function[function]
    }

    /// The object of that origin.
    pub fn object(&self, kind: ObjectKind) -> Option<ObjectId> {
        self.object_index.get(&kind).copied()
    }

    /// The struct or union that an object is, or is an array of, by the declarations of what leads to it or where it is made.
    pub fn declared(&self, object: ObjectId) -> Option<DebugTypeId> {
        match self.objects[object].content {
            Content::Compound(ty) => Some(ty),
            Content::Unknown | Content::Plain => None,
        }
    }

    /// Whether several threads may reach the object: through globals, ghost state, or arguments of started threads.
    pub fn is_shared(&self, object: ObjectId) -> bool {
        self.shared.contains(object.index())
    }

    /// Whether user code may hold a pointer to the object: it is not internal to the models.
    pub fn is_user_visible(&self, object: ObjectId) -> bool {
        self.visible.contains(object.index())
    }

    /// The atomic sections.
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// The structs known to lie in objects.
    pub fn layouts(&self) -> &Layouts {
        &self.layouts
    }

    /// Where an operand may point, as used by one instance. Sorted.
    pub fn targets_in(&self, instance: InstanceId, operand: &Operand) -> Vec<Address> {
        match operand {
            Operand::Value(v) => {
                let mut all: Vec<Address> = self.value_targets(instance, *v).collect();
                all.sort_unstable();
                all
            }
            Operand::Const(c) => {
                let mut all = Vec::new();
                self.constant_targets(c, &mut all);
                all
            }
        }
    }

    /// Where an operand may point, in any instance of the function. Sorted, without repetition.
    pub fn targets(&self, function: FuncId, operand: &Operand) -> Vec<Address> {
        let instances = self.by_function[function].iter();
        let mut all: Vec<Address> = instances
            .flat_map(|i| self.targets_in(*i, operand))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What an access may reach, cut to the size of each object. Sorted.
    pub fn reached(&self, access: &Access) -> Vec<Address> {
        let Some(pointer) = access.pointer else {
            return Vec::new();
        };
        let bytes = if access.len == u64::MAX {
            1
        } else {
            access.len
        };
        let mut all: Vec<Address> = self
            .set(pointer)
            .filter_map(|a| {
                let object = &self.objects[a.object];
                match object.kind {
                    ObjectKind::Function(_) => None,
                    _ if access.space == Space::Memory && !object.holds(a) => None,
                    _ if access.space == Space::Memory => a.within(object.size, bytes),
                    _ => Some(a),
                }
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        // A single offset beside the whole array that it lies in adds nothing.
        let strided: Vec<Address> = all.iter().copied().filter(|a| a.stride > 0).collect();
        all.retain(|a| {
            let from = strided.partition_point(|s| s.object < a.object);
            let same = strided[from..].iter().take_while(|s| s.object == a.object);
            !same.into_iter().any(|s| s != a && s.covers(*a))
        });
        all
    }

    /// How many bytes an access may reach from one of its places: its length, or where that is not known the rest of the array
    /// of scalars that C declares there; `u64::MAX` where it may go on for ever.
    pub fn length(&self, program: &Program, access: &Access, at: Address) -> u64 {
        let declared = || elements::bytes_left(program, &self.objects[at.object], at);
        match access.len {
            u64::MAX if self.typed => declared().unwrap_or(u64::MAX),
            len => len,
        }
    }

    /// Objects that the pointers held in an object may lead to.
    pub fn pointees(&self, object: ObjectId) -> Vec<ObjectId> {
        let cells = self.objects[object].cells.iter();
        let mut all: Vec<ObjectId> = cells
            .flat_map(|c| [self.cells[*c].read, self.cells[*c].write])
            .flat_map(|n| self.set(n).map(|a| a.object))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Objects that the pointer held there may lead to, sorted.
    pub fn held_at(&self, address: Address) -> Vec<ObjectId> {
        let pointer = u64::from(self.pointer_bytes);
        let cells = self.objects[address.object].cells.iter();
        let mut all: Vec<ObjectId> = cells
            .map(|c| &self.cells[*c])
            .filter(|c| c.address.overlaps(pointer, address, pointer))
            .flat_map(|c| [c.read, c.write])
            .flat_map(|n| self.set(n).map(|a| a.object))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether it is an object from outside, or what a pointer in one leads to when it is first read.
    pub fn is_made_up(&self, object: ObjectId) -> bool {
        matches!(
            self.objects[object].kind,
            ObjectKind::Lazy(_) | ObjectKind::Child(_) | ObjectKind::Rest(..)
        )
    }

    /// The calls through pointers of which nothing tells where they lead, each with its function.
    pub fn calls_to_nowhere(&self, program: &Program) -> Vec<(FuncId, Option<LocId>)> {
        let at = |place: Place| {
            let function = self.instances[place.instance].function;
            let block = &program.functions[function].blocks[place.block];
            (function, block.instrs[place.index as usize].loc)
        };
        let mut calls: Vec<_> = lost::nowhere(program, self).map(at).collect();
        calls.sort_unstable();
        calls.dedup();
        calls
    }

    /// Whether a pointer of a lazily initialised object leads to it that nobody sets: of an object that stands for all further children
    /// of a content, which no address names.
    pub fn is_rest_of_unset(&self, object: ObjectId) -> bool {
        let rest = |o: ObjectId| matches!(self.objects[o].kind, ObjectKind::Rest(..));
        let found = self.rests.get_or_init(|| {
            let made_up =
                |o: &ObjectId| rest(*o) || matches!(self.objects[*o].kind, ObjectKind::Child(_));
            let mut found = FixedBitSet::with_capacity(self.objects.len());
            for cell in self
                .cells
                .iter()
                .filter(|c| self.objects[c.address.object].lazy)
            {
                let nodes = [cell.read, cell.write].into_iter();
                let held: Vec<ObjectId> =
                    nodes.flat_map(|n| self.set(n).map(|a| a.object)).collect();
                if held.iter().all(made_up) {
                    found.extend(held.into_iter().filter(|o| rest(*o)).map(Idx::index));
                }
            }
            found
        });
        found.contains(object.index())
    }

    /// Whether any of these bytes may be part of a pointer.
    pub fn holds_pointers(&self, address: Address, len: u64) -> bool {
        let pointer = u64::from(self.pointer_bytes);
        let mut cells = self.objects[address.object].cells.iter();
        cells.any(|c| {
            let cell = &self.cells[*c];
            let mut held = [cell.read, cell.write]
                .into_iter()
                .map(|n| self.set(n).next());
            cell.address.overlaps(pointer, address, len) && held.any(|a| a.is_some())
        })
    }

    /// Where a value of an instance may point, in no order that matters.
    pub(super) fn value_targets(
        &self,
        instance: InstanceId,
        value: ValueId,
    ) -> impl Iterator<Item = Address> + '_ {
        self.set(NodeId(self.instances[instance].base.0 + value.0))
    }

    /// The set of a value of an instance: that of others, too.
    pub(super) fn set_of(&self, instance: InstanceId, value: ValueId) -> NodeId {
        self.roots[NodeId(self.instances[instance].base.0 + value.0)]
    }

    pub(super) fn set(&self, node: NodeId) -> impl Iterator<Item = Address> + '_ {
        let set = self.sets[self.roots[node]].iter();
        set.map(|id| self.addresses.get(*id))
    }

    fn constant_targets(&self, value: &Const, out: &mut Vec<Address>) {
        match value {
            Const::Addr { global, offset, .. } => out.extend(
                self.object(ObjectKind::Global(*global))
                    .map(|o| Address::at(o, *offset)),
            ),
            Const::Func { function, .. } => out.extend(
                self.object(ObjectKind::Function(*function))
                    .map(|o| Address::at(o, 0)),
            ),
            Const::Tuple(items) => items.iter().for_each(|c| self.constant_targets(c, out)),
            _ => {}
        }
    }
}
