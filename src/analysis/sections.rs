//! Atomic sections: which accesses lie within, and which may be executed outside of any.
//!
//! A forward walk over instructions with the nesting depth as its state. A
//! function that leaves the depth as it found it on every way ("closed") is
//! passed in one step; one that does not (a wrapper around `AtomicBegin`) is
//! walked through, and the walk goes on behind every call of that instance.
//! Misses: nothing known; depth beyond [`MAX_DEPTH`] counts as that depth.

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{BlockId, FuncId, IdVec, Idx, SiteId};
use crate::program::{Callee, Op, Primitive, Program, Terminator};

use super::callgraph::CallGraph;
use super::points_to::{Instance, InstanceId, Place};

const MAX_DEPTH: u32 = 8;

/// The number of an access: the instance and the position in [`Instance::accesses`].
pub type AccessId = (InstanceId, u32);

/// An atomic section, by its begin.
#[derive(Clone, Debug)]
pub struct Section {
    /// The `AtomicBegin`.
    pub place: Place,
    /// Its site.
    pub site: Option<SiteId>,
    /// The accesses that may be executed before the matching end, sorted.
    pub accesses: Vec<AccessId>,
    /// Whether it may block, never end or start a thread: an assume, a stop, a loop or an async is in it.
    pub blocking: bool,
}

/// All atomic sections, and what is outside.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// The sections that are begun outside of another.
    pub all: Vec<Section>,
    /// Per instance, the positions of accesses that may be executed outside of sections.
    pub outside: IdVec<InstanceId, FixedBitSet>,
    /// For each access in a section, the sections that it may lie in (positions in `all`).
    pub around: FxHashMap<AccessId, Vec<u32>>,
}

/// What the walk needs of the program.
struct Walk<'a> {
    program: &'a Program,
    instances: &'a IdVec<InstanceId, Instance>,
    callers: IdVec<InstanceId, Vec<Place>>,
    callees: FxHashMap<Place, Vec<InstanceId>>,
    by_place: FxHashMap<Place, Vec<u32>>,
    closed: FixedBitSet,
    blocking: FixedBitSet,
}

type State = (InstanceId, BlockId, u32, u32);

impl Sections {
    /// The sections of a program; threads begin at `entries`, outside of sections.
    pub(super) fn find(
        program: &Program,
        instances: &IdVec<InstanceId, Instance>,
        graph: &CallGraph,
        entries: &[InstanceId],
    ) -> Sections {
        let walk = Walk::new(program, instances, graph);
        let mut sections = Sections {
            all: Vec::new(),
            outside: instances
                .iter()
                .map(|i| FixedBitSet::with_capacity(i.accesses.len()))
                .collect(),
            around: FxHashMap::default(),
        };
        let mut begins = Vec::new();
        let start = entries.iter().map(|e| (*e, BlockId(0), 0, 0)).collect();
        walk.run(start, &mut |what| match what {
            Seen::Access((instance, n), 0) => sections.outside[instance].insert(n as usize),
            Seen::Begin(place, 0) => begins.push(place),
            _ => {}
        });
        begins.sort_unstable();
        begins.dedup();
        for place in begins {
            let section = walk.section(place);
            let number = sections.all.len() as u32;
            for access in &section.accesses {
                sections.around.entry(*access).or_default().push(number);
            }
            sections.all.push(section);
        }
        sections
    }
}

/// What the walk meets, with the depth there.
enum Seen {
    Access(AccessId, u32),
    Begin(Place, u32),
    /// A closed call within a section.
    Call(InstanceId),
    /// Something that may block, never end or start a thread.
    Blocking(u32),
}

impl<'a> Walk<'a> {
    fn new(
        program: &'a Program,
        instances: &'a IdVec<InstanceId, Instance>,
        graph: &CallGraph,
    ) -> Walk<'a> {
        let mut callers = IdVec::filled(Vec::new(), instances.len());
        let mut callees: FxHashMap<Place, Vec<InstanceId>> = FxHashMap::default();
        let mut by_place: FxHashMap<Place, Vec<u32>> = FxHashMap::default();
        for (id, instance) in instances.iter_ids() {
            for (place, callee) in &instance.calls {
                callers[*callee].push(*place);
                callees.entry(*place).or_default().push(*callee);
            }
            for (n, access) in instance.accesses.iter().enumerate() {
                debug_assert_eq!(access.place.instance, id);
                by_place.entry(access.place).or_default().push(n as u32);
            }
        }
        Walk {
            program,
            instances,
            callers,
            callees,
            by_place,
            closed: closed(program, graph),
            blocking: blocking(program, graph),
        }
    }

    fn function(&self, instance: InstanceId) -> FuncId {
        self.instances[instance].function
    }

    fn section(&self, place: Place) -> Section {
        let mut accesses: FxHashSet<AccessId> = FxHashSet::default();
        let mut entered: Vec<InstanceId> = Vec::new();
        let mut blocks = false;
        let start = vec![(place.instance, place.block, place.index, 0)];
        walk_from(self, start, true, &mut |what| match what {
            Seen::Access(access, 1..) => {
                accesses.insert(access);
            }
            Seen::Blocking(1..) => blocks = true,
            Seen::Call(instance) => entered.push(instance),
            _ => {}
        });
        let mut done: FxHashSet<InstanceId> = FxHashSet::default();
        while let Some(instance) = entered.pop() {
            if done.insert(instance) {
                blocks |= self.blocking.contains(self.function(instance).index());
                let own = 0..self.instances[instance].accesses.len() as u32;
                accesses.extend(own.map(|n| (instance, n)));
                entered.extend(self.instances[instance].calls.iter().map(|(_, c)| *c));
            }
        }
        let mut accesses: Vec<AccessId> = accesses.into_iter().collect();
        accesses.sort_unstable();
        let block = &self.program.functions[self.function(place.instance)].blocks[place.block];
        Section {
            place,
            site: block.instrs[place.index as usize].site,
            accesses,
            blocking: blocks,
        }
    }

    fn run(&self, start: Vec<State>, visit: &mut dyn FnMut(Seen)) {
        walk_from(self, start, false, visit);
    }
}

/// Walks forward. With `one_section`, stops where the depth comes back to 0.
fn walk_from(walk: &Walk, start: Vec<State>, one_section: bool, visit: &mut dyn FnMut(Seen)) {
    let mut seen: FxHashSet<State> = start.iter().copied().collect();
    let mut work = start;
    while let Some((instance, block, from, mut depth)) = work.pop() {
        let function = walk.function(instance);
        let b = &walk.program.functions[function].blocks[block];
        let mut push = |state: State| {
            if seen.insert(state) {
                work.push(state);
            }
        };
        let mut falls_through = true;
        for index in from..b.instrs.len() as u32 {
            let place = Place {
                instance,
                block,
                index,
            };
            for n in walk.by_place.get(&place).into_iter().flatten() {
                visit(Seen::Access((instance, *n), depth));
            }
            match &b.instrs[index as usize].op {
                Op::Primitive { primitive, .. } => match primitive {
                    Primitive::AtomicBegin => {
                        visit(Seen::Begin(place, depth));
                        depth = (depth + 1).min(MAX_DEPTH);
                    }
                    Primitive::AtomicEnd => {
                        depth = depth.saturating_sub(1);
                        falls_through = !(one_section && depth == 0);
                    }
                    Primitive::Assume | Primitive::Async => visit(Seen::Blocking(depth)),
                    p if p.diverges() => {
                        visit(Seen::Blocking(depth));
                        falls_through = false;
                    }
                    _ => {}
                },
                Op::Call { .. } => {
                    let callees = walk.callees.get(&place).map_or(&[][..], Vec::as_slice);
                    let mut passes = callees.is_empty();
                    for callee in callees {
                        if !walk.closed.contains(walk.function(*callee).index()) {
                            push((*callee, BlockId(0), 0, depth));
                        } else {
                            passes = true;
                            if depth > 0 {
                                visit(Seen::Call(*callee));
                            } else {
                                push((*callee, BlockId(0), 0, 0));
                            }
                        }
                    }
                    falls_through = passes;
                }
                _ => {}
            }
            if !falls_through {
                break;
            }
        }
        if !falls_through {
            continue;
        }
        if b.term_site.is_some() {
            visit(Seen::Blocking(depth));
        }
        if matches!(b.term, Terminator::Return(_)) && !walk.closed.contains(function.index()) {
            for place in &walk.callers[instance] {
                push((place.instance, place.block, place.index + 1, depth));
            }
        }
        for next in b.term.successors() {
            push((instance, next, 0, depth));
        }
    }
}

/// The functions that leave the nesting depth as they found it and never go below it. Recursive calls count as such.
fn closed(program: &Program, graph: &CallGraph) -> FixedBitSet {
    let mut closed = FixedBitSet::with_capacity(program.functions.len());
    closed.insert_range(..);
    for f in graph.components().into_iter().flatten() {
        let calls_open = graph.callees[f].iter().any(|c| !closed.contains(c.index()));
        if (calls_open && !closes_itself(program, f, &closed)) || !is_closed(program, f, &closed) {
            closed.set(f.index(), false);
        }
    }
    closed
}

/// Whether a caller of functions that are not closed calls them directly only, so that [`is_closed`] can follow them.
fn closes_itself(program: &Program, f: FuncId, closed: &FixedBitSet) -> bool {
    let blocks = program.functions[f].blocks.iter();
    blocks.flat_map(|b| &b.instrs).all(|i| match &i.op {
        Op::Call {
            callee: Callee::Direct(c),
            ..
        } => closed.contains(c.index()) || net_effect(program, *c).is_some(),
        Op::Call { .. } => false,
        _ => true,
    })
}

/// The change of depth by a function that begins or ends one section on all ways and calls nothing.
fn net_effect(program: &Program, f: FuncId) -> Option<i32> {
    let mut net = 0;
    for block in program.functions[f].blocks.iter() {
        for instr in &block.instrs {
            match &instr.op {
                Op::Primitive {
                    primitive: Primitive::AtomicBegin,
                    ..
                } => net += 1,
                Op::Primitive {
                    primitive: Primitive::AtomicEnd,
                    ..
                } => net -= 1,
                Op::Call { .. } => return None,
                _ => {}
            }
        }
    }
    (program.functions[f].blocks.len() == 1).then_some(net)
}

/// Whether every way through a function keeps the depth at or above what it was, and every return is at that depth.
fn is_closed(program: &Program, f: FuncId, closed: &FixedBitSet) -> bool {
    let function = &program.functions[f];
    if !function.is_defined() {
        return true;
    }
    let mut seen: FxHashSet<(BlockId, i32)> = FxHashSet::default();
    let mut work = vec![(BlockId(0), 0)];
    while let Some((block, mut depth)) = work.pop() {
        if !seen.insert((block, depth)) {
            continue;
        }
        let b = &function.blocks[block];
        let mut ends = false;
        for instr in &b.instrs {
            match &instr.op {
                Op::Primitive { primitive, .. } => match primitive {
                    Primitive::AtomicBegin => depth += 1,
                    Primitive::AtomicEnd => depth -= 1,
                    p => ends |= p.diverges(),
                },
                Op::Call {
                    callee: Callee::Direct(c),
                    ..
                } if !closed.contains(c.index()) => {
                    depth += net_effect(program, *c).unwrap_or(0);
                }
                _ => {}
            }
            if depth < 0 || depth > MAX_DEPTH as i32 {
                return false;
            }
            if ends {
                break;
            }
        }
        if ends {
            continue;
        }
        if depth != 0 && matches!(b.term, Terminator::Return(_)) {
            return false;
        }
        work.extend(b.term.successors().into_iter().map(|s| (s, depth)));
    }
    true
}

/// The functions in which, or in whose callees, a thread may block, stop, loop or start another.
fn blocking(program: &Program, graph: &CallGraph) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(program.functions.len());
    for (f, function) in program.functions.iter_ids() {
        let own = function.blocks.iter().any(|b| {
            b.term_site.is_some()
                || b.instrs.iter().any(|i| match &i.op {
                    Op::Primitive { primitive, .. } => {
                        matches!(primitive, Primitive::Assume | Primitive::Async)
                            || primitive.diverges()
                    }
                    _ => false,
                })
        });
        set.set(f.index(), own);
    }
    for component in graph.components() {
        let any = component.iter().any(|f| {
            set.contains(f.index()) || graph.callees[*f].iter().any(|c| set.contains(c.index()))
        });
        for f in component {
            set.set(f.index(), any);
        }
    }
    set
}
