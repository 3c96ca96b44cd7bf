//! The constraint graph and its least solution.
//!
//! Andersen, *Program Analysis and Specialization for the C Programming
//! Language* (1994): inclusion constraints between sets of addresses, here
//! solved by a worklist ([`super::worklist`]) with difference propagation
//! (Pearce, Kelly, Hankin 2003). Cycles of copy edges are collapsed whenever
//! propagation has cost as much as finding them does ([`super::cycles`]).

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::deadline::{self, Deadline, Stopped};
use crate::index::{FuncId, GlobalId, IdVec, Idx, define_index};
use crate::program::{Definitions, Program};

use super::address::{Address, AddressId, Addresses, ObjectId};
use super::copies::{Spread, Way};
use super::facts::Facts;
use super::instances::{self, Instance, InstanceId};
use super::objects::{CellCopy, ObjectKind, Objects, Place};
use super::sets::Set;
use super::types::{Content, Taken, Types};
use super::worklist::Worklist;

define_index!(
    /// A set of addresses in the constraint graph.
    NodeId,
    "node"
);
define_index!(
    /// A piece of an object that may hold a pointer.
    CellId,
    "cell"
);
define_index!(
    /// A call or thread start whose target is a pointer.
    CallId,
    "call"
);
define_index!(
    /// A memcpy.
    CopyId,
    "copy"
);
define_index!(
    /// An address computation.
    MoveId,
    "move"
);

/// Offsets of one object that one address computation may produce before they are widened to a stride, and to any offset.
const WIDEN: (u32, u32) = (32, 96);

/// Addresses that are handed on before cycles are looked for.
const FIRST_SEARCH: u64 = 10_000;

/// Steps between two looks at the clock.
const STEPS: u32 = 64;

/// How finely memory is told apart. What would cost too much is done again more coarsely.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolution {
    /// Addresses in one object.
    pub addresses: u32,
    /// The same where no pointers are kept.
    pub plain: u32,
    /// Lazily created children below one object that are told apart by more than their type.
    pub children: u32,
    /// Levels of them.
    pub depth: u32,
    /// Addresses that may be handed on in all; the last resolution has no bound.
    pub work: u64,
}

/// From fine to coarse.
pub(super) const RESOLUTIONS: [Resolution; 3] = [
    Resolution {
        addresses: 256,
        plain: 32,
        children: 32,
        depth: 3,
        work: 50_000_000,
    },
    Resolution {
        addresses: 64,
        plain: 4,
        children: 8,
        depth: 1,
        work: 50_000_000,
    },
    Resolution {
        addresses: 8,
        plain: 1,
        children: 0,
        depth: 0,
        work: u64::MAX,
    },
];

/// What is done with the addresses of a set.
#[derive(Clone, Copy, Debug)]
pub(super) enum Use {
    /// Adds an offset.
    Move {
        to: NodeId,
        bytes: i64,
        stride: u64,
        id: MoveId,
        taken: Taken,
    },
    /// Rounds down to a multiple of `2^bits`.
    Align { to: NodeId, bits: u32 },
    /// Loads `slots` pointers from there; `demand`: a lazily initialised cell gets its child.
    Load {
        to: NodeId,
        slots: u32,
        demand: bool,
        /// What is behind that pointer.
        content: Content,
    },
    /// Stores the set to `slots` pointers there.
    Store { from: NodeId, slots: u32 },
    /// Is the source of a memcpy.
    CopySource(CopyId),
    /// Is the destination of a memcpy.
    CopyTarget(CopyId),
    /// If that address is among them: `from` flows to `to`.
    IfThere {
        address: Address,
        from: NodeId,
        to: NodeId,
    },
    /// Is called or started.
    Call(CallId),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub set: Set,
    // invariant: part of `set`
    pub pending: Set,
    pub copies: Vec<NodeId>,
    pub uses: Vec<Use>,
    pub queued: bool,
}

/// A piece of an object that may hold a pointer.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub address: Address,
    /// What a read there may give; the same as `write` for a single offset.
    pub read: NodeId,
    /// What was written exactly there.
    pub write: NodeId,
    pub demanded: bool,
}

/// A memcpy.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyUse {
    pub source: NodeId,
    pub target: NodeId,
    /// Bytes, `u64::MAX` where not constant.
    pub len: u64,
    /// The object that all goes through, where there are many addresses.
    pub carrier: Option<ObjectId>,
}

/// A call or thread start through a pointer.
#[derive(Clone, Debug)]
pub(super) struct CallUse {
    pub place: Place,
    pub args: Vec<Option<NodeId>>,
    pub result: Option<NodeId>,
    pub start: bool,
}

/// The constraint graph while it is being solved.
pub(super) struct Solver<'p> {
    pub program: &'p Program,
    pub types: Types<'p>,
    pub definitions: Definitions,
    pub resolution: Resolution,
    work_done: u64,
    pub helpers: fixedbitset::FixedBitSet,
    pub pointer_bytes: u64,
    /// Arrays with an element for each thread, and the size of an element.
    pub slots: FxHashMap<GlobalId, u64>,
    pub objects: Objects,
    pub addresses: Addresses,
    pub nodes: IdVec<NodeId, Node>,
    // invariant: a forest; the root of a node is its representative
    pub parents: IdVec<NodeId, NodeId>,
    pub cells: IdVec<CellId, Cell>,
    pub cell_index: FxHashMap<Address, CellId>,
    pub object_index: FxHashMap<ObjectKind, ObjectId>,
    constants: FxHashMap<AddressId, NodeId>,
    /// All values of ghost state.
    pub ghost: NodeId,
    /// Those written under keys that are not constant.
    pub ghost_of_any: NodeId,
    ghosts: FxHashMap<i64, NodeId>,
    /// Arguments of started threads.
    pub arguments: Vec<NodeId>,
    pub facts: FxHashMap<FuncId, Rc<Facts>>,
    pub instances: IdVec<InstanceId, Instance>,
    pub whole: FxHashMap<FuncId, InstanceId>,
    pub cloned: FxHashMap<(Place, FuncId), InstanceId>,
    pub todo: VecDeque<InstanceId>,
    pub new_globals: VecDeque<(ObjectId, GlobalId)>,
    pub calls: IdVec<CallId, CallUse>,
    pub memcpys: IdVec<CopyId, CopyUse>,
    /// Memcpys that are still to be applied to cells.
    pub spreads: VecDeque<Spread>,
    /// Memcpys between objects that are known, seen from their targets.
    pub copied: FxHashSet<CellCopy>,
    /// Addresses of an object that a carrier gets something from, or gives something to.
    pub carried: FxHashMap<(ObjectId, ObjectId, Way), u32>,
    pub moves: u32,
    moved: FxHashMap<(MoveId, ObjectId), u32>,
    pub worklist: Worklist,
    edges: FxHashSet<(NodeId, NodeId)>,
    /// Work at which cycles are looked for again.
    next_search: u64,
}

impl<'p> Solver<'p> {
    pub fn new(program: &'p Program, typed: bool, resolution: Resolution) -> Solver<'p> {
        let mut solver = Solver {
            program,
            types: Types::new(program, typed),
            definitions: Definitions::new(program),
            resolution,
            work_done: 0,
            helpers: instances::helpers(program),
            pointer_bytes: u64::from(program.layout.pointer_bytes),
            slots: super::slots::thread_slots(program),
            objects: IdVec::new(),
            addresses: Addresses::default(),
            nodes: IdVec::new(),
            parents: IdVec::new(),
            cells: IdVec::new(),
            cell_index: FxHashMap::default(),
            object_index: FxHashMap::default(),
            constants: FxHashMap::default(),
            ghost: NodeId(0),
            ghost_of_any: NodeId(0),
            ghosts: FxHashMap::default(),
            arguments: Vec::new(),
            facts: FxHashMap::default(),
            instances: IdVec::new(),
            whole: FxHashMap::default(),
            cloned: FxHashMap::default(),
            todo: VecDeque::new(),
            new_globals: VecDeque::new(),
            calls: IdVec::new(),
            memcpys: IdVec::new(),
            spreads: VecDeque::new(),
            copied: FxHashSet::default(),
            carried: FxHashMap::default(),
            moves: 0,
            moved: FxHashMap::default(),
            worklist: Worklist::default(),
            edges: FxHashSet::default(),
            next_search: FIRST_SEARCH,
        };
        solver.ghost = solver.node();
        solver.ghost_of_any = solver.node();
        solver.copy(solver.ghost_of_any, solver.ghost);
        solver
    }

    /// The values of ghost state under one key.
    pub fn ghost_of(&mut self, key: i64) -> NodeId {
        if let Some(node) = self.ghosts.get(&key) {
            return *node;
        }
        let node = self.node();
        self.ghosts.insert(key, node);
        self.copy(self.ghost_of_any, node);
        self.copy(node, self.ghost);
        node
    }

    /// Runs to the fixed point, or until the deadline; `false`: it would cost more than the resolution allows.
    pub fn run(&mut self, deadline: Deadline) -> Result<bool, Stopped> {
        let mut steps = 0u32;
        while self.work_done <= self.resolution.work {
            steps = steps.wrapping_add(1);
            if steps % STEPS == 0 {
                deadline::worked(u64::from(STEPS));
                if let Some(stopped) = deadline.passed() {
                    return Err(stopped);
                }
            }
            if let Some(spread) = self.spreads.pop_front() {
                self.work_done += 1;
                self.spread(spread);
            } else if let Some(instance) = self.todo.pop_front() {
                self.generate(instance);
            } else if let Some((object, global)) = self.new_globals.pop_front() {
                self.initialise(object, global);
            } else if self.work_done >= self.next_search {
                self.collapse_cycles();
                let size = (self.nodes.len() + self.edges.len()) as u64;
                self.next_search = self.work_done + FIRST_SEARCH.max(2 * size);
            } else if let Some(node) = self.worklist.pop() {
                self.process(node);
            } else {
                return Ok(true);
            }
        }
        Ok(false)
    }

    // ---- nodes ----

    pub fn node(&mut self) -> NodeId {
        let id = self.nodes.push(Node::default());
        self.parents.push(id);
        id
    }

    pub fn nodes_block(&mut self, count: usize) -> NodeId {
        let first = self.nodes.next_id();
        for _ in 0..count {
            self.node();
        }
        first
    }

    pub fn find(&mut self, mut node: NodeId) -> NodeId {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    /// The sets, and for each node the one that holds its set.
    pub fn into_sets(mut self) -> (IdVec<NodeId, NodeId>, IdVec<NodeId, Vec<AddressId>>) {
        let roots = (0..self.nodes.len())
            .map(|n| self.find(NodeId::new(n)))
            .collect();
        let sets = self.nodes.iter().map(|n| n.set.iter().collect()).collect();
        (roots, sets)
    }

    pub fn enqueue(&mut self, node: NodeId) {
        if !self.nodes[node].queued {
            self.nodes[node].queued = true;
            self.worklist.push(node);
        }
    }

    /// Adds addresses to a representative.
    fn extend(&mut self, node: NodeId, more: &Set) {
        self.work_done += more.len() as u64;
        let n = &mut self.nodes[node];
        let new = n.set.extend(more);
        if new.is_empty() {
            return;
        }
        n.pending.join(&new);
        self.enqueue(node);
    }

    pub fn add(&mut self, node: NodeId, address: Address) {
        let address = self.coarse(address);
        let id = self.addresses.intern(address);
        let node = self.find(node);
        self.add_known(node, id);
    }

    /// Adds one address to a representative.
    fn add_known(&mut self, node: NodeId, id: AddressId) {
        self.work_done += 1;
        let n = &mut self.nodes[node];
        if n.set.contains(id) {
            return;
        }
        n.set.insert(id);
        n.pending.insert(id);
        self.enqueue(node);
    }

    /// The address, or the whole object where offsets do not matter or there are too many.
    fn coarse(&mut self, address: Address) -> Address {
        if address.is_anywhere() || self.addresses.contains(address) {
            return address;
        }
        let object = &mut self.objects[address.object];
        let most = match object.content {
            Content::Plain => self.resolution.plain,
            _ => self.resolution.addresses,
        };
        if object.flat || object.addresses >= most {
            return Address::anywhere(address.object);
        }
        object.addresses += 1;
        address
    }

    pub fn copy(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.nodes[from].copies.push(to);
        let set = self.nodes[from].set.clone();
        self.extend(to, &set);
    }

    /// Adds a use of a set, for the addresses that it has and that it will have.
    pub fn add_use(&mut self, node: NodeId, what: Use) {
        let node = self.find(node);
        self.nodes[node].uses.push(what);
        let set = self.nodes[node].set.clone();
        self.apply(what, &set);
    }

    pub fn move_use(&mut self, from: NodeId, to: NodeId, bytes: i64, stride: u64, taken: Taken) {
        if bytes == 0 && stride == 0 && !matches!(taken, Taken::Struct(_)) {
            return self.copy(from, to);
        }
        let id = MoveId(self.moves);
        self.moves += 1;
        self.add_use(
            from,
            Use::Move {
                to,
                bytes,
                stride,
                id,
                taken,
            },
        );
    }

    /// The node whose only element is that address.
    pub fn constant(&mut self, address: Address) -> NodeId {
        let address = self.coarse(address);
        let id = self.addresses.intern(address);
        if let Some(node) = self.constants.get(&id) {
            return *node;
        }
        let node = self.node();
        self.constants.insert(id, node);
        self.add_known(node, id);
        node
    }

    fn process(&mut self, node: NodeId) {
        self.nodes[node].queued = false;
        if self.find(node) != node {
            return;
        }
        let delta = std::mem::take(&mut self.nodes[node].pending);
        if delta.is_empty() {
            return;
        }
        // Uses added meanwhile see the whole set when they are added.
        let uses = std::mem::take(&mut self.nodes[node].uses);
        for &what in &uses {
            self.apply(what, &delta);
        }
        let at = self.find(node);
        let later = std::mem::replace(&mut self.nodes[at].uses, uses);
        self.nodes[at].uses.extend(later);
        let targets = self.nodes[at].copies.clone();
        for to in targets {
            let to = self.find(to);
            if to != at {
                self.extend(to, &delta);
            }
        }
    }

    fn apply(&mut self, what: Use, delta: &Set) {
        for id in delta.iter() {
            let address = self.addresses.get(id);
            match what {
                Use::Move {
                    to,
                    bytes,
                    stride,
                    id,
                    taken,
                } => {
                    // One step out of an object and back is common (the head of a list taken for an element); what goes on
                    // from outside is another type's path through a mixed list.
                    let object = &self.objects[address.object];
                    if matches!(object.kind, ObjectKind::Function(_)) {
                        continue;
                    }
                    if stride == 0
                        && object.is_left_by(address)
                        && object.is_left_by(address.moved(bytes, 0))
                    {
                        continue;
                    }
                    let object = &mut self.objects[address.object];
                    let moved = self.types.indexed(object, address, bytes, stride, taken);
                    if let Taken::Struct(member) = taken
                        && !self.types.fit(object, moved, member)
                    {
                        continue;
                    }
                    let to = self.find(to);
                    let by = (bytes, stride);
                    let moved = self.moved_address(id, to, address, moved, by);
                    self.add(to, moved);
                }
                Use::Align { to, bits } => self.add(to, address.aligned_down(bits)),
                Use::Load {
                    to,
                    slots,
                    demand,
                    content,
                } => {
                    for cell in self.slots(address, slots) {
                        if demand {
                            self.demand(cell, content);
                        }
                        self.copy(self.cells[cell].read, to);
                    }
                }
                Use::Store { from, slots } => {
                    for cell in self.slots(address, slots) {
                        self.copy(from, self.cells[cell].write);
                    }
                }
                Use::CopySource(c) => self.copy_at(c, address, Way::Out),
                Use::CopyTarget(c) => self.copy_at(c, address, Way::In),
                Use::IfThere {
                    address: wanted,
                    from,
                    to,
                } => {
                    if wanted.meets(address) {
                        self.copy(from, to);
                    }
                }
                Use::Call(call) => match self.objects[address.object].kind {
                    ObjectKind::Function(f) => self.call_target(call, f),
                    // What stands in an object that is made up is one of the input's own.
                    ObjectKind::Child(_) | ObjectKind::Rest(..) | ObjectKind::Lazy(_) => {
                        for f in self.own_targets(call) {
                            self.call_target(call, *f);
                        }
                    }
                    _ => {}
                },
            }
        }
    }

    pub fn set_of(&mut self, node: NodeId) -> Vec<Address> {
        let node = self.find(node);
        let set = self.nodes[node].set.iter();
        set.map(|id| self.addresses.get(id)).collect()
    }

    /// Where address arithmetic leads, widened where a loop would produce ever new offsets.
    fn moved_address(
        &mut self,
        id: MoveId,
        to: NodeId,
        from: Address,
        moved: Address,
        (bytes, stride): (i64, u64),
    ) -> Address {
        let moved = self.coarse(moved);
        let known = self.addresses.intern(moved);
        if moved.is_anywhere() || self.nodes[to].set.contains(known) {
            return moved;
        }
        let count = self.moved.entry((id, moved.object)).or_insert(0);
        *count += 1;
        if *count > WIDEN.1 {
            Address::anywhere(moved.object)
        } else if *count > WIDEN.0 {
            from.moved(bytes, super::address::gcd(stride, bytes.unsigned_abs()))
        } else {
            moved
        }
    }
}
