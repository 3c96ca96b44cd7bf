//! Accesses to an object that nobody else can reach yet: between its allocation and the first place where a pointer to it is
//! stored in other memory or handed to something that may keep it.
//!
//! Flow-sensitive within the function that allocates, for what it calls by parameter. A verdict must not rest on it: it tells what
//! of a field's accesses is initialisation, for people ([`super::guards`]). Misses (takes for published) what is returned by a
//! helper or allocated in a function that is analysed once for all its callers.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::index::{BlockId, FuncId, Idx, ValueId};
use crate::program::{Callee, Function, Instr, Op, Operand, Primitive, Program, Terminator};

use super::points_to::{InstanceId, ObjectKind, Place, PointsTo};
use super::sections::AccessId;

/// What is known of the allocations of each function.
pub(super) struct Fresh<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    allocations: FxHashMap<InstanceId, Vec<Allocation>>,
    /// Whether a function may keep, or hand out, what a parameter leads to.
    escapes: FxHashMap<(FuncId, usize), bool>,
}

/// An object allocated by an instance.
struct Allocation {
    value: ValueId,
    derived: FixedBitSet,
    /// Where it may have been published: blocks, from a position to another.
    published: Vec<(BlockId, u32, u32)>,
}

impl<'p> Fresh<'p> {
    pub fn new(program: &'p Program, points_to: &'p PointsTo) -> Fresh<'p> {
        Fresh {
            program,
            points_to,
            allocations: FxHashMap::default(),
            escapes: FxHashMap::default(),
        }
    }

    /// Whether only the running thread can reach what an access reaches.
    pub fn is_private(&mut self, (instance, n): AccessId) -> bool {
        let (program, points_to) = (self.program, self.points_to);
        let access = &points_to.instances()[instance].accesses[n as usize];
        let mut at = access.place;
        let Some(mut pointer) = pointer_of(instr_at(program, points_to, at), access.write) else {
            return false;
        };
        loop {
            let function = &program.functions[points_to.instances()[at.instance].function];
            let Operand::Value(v) = *pointer else {
                return false;
            };
            if self.private_here(at, v) {
                return true;
            }
            // By a helper that is analysed for this call alone: what the caller gives it.
            let Some(site) = points_to.instances()[at.instance].site else {
                return false;
            };
            let position = function.params.iter().position(|p| {
                let derived = derived(function, *p);
                derived.contains(v.index())
            });
            let Op::Call { args, .. } = &instr_at(program, points_to, site).op else {
                return false;
            };
            let Some(argument) = position.and_then(|n| args.get(n)) else {
                return false;
            };
            pointer = argument;
            at = site;
        }
    }

    fn private_here(&mut self, at: Place, v: ValueId) -> bool {
        if !self.allocations.contains_key(&at.instance) {
            let all = self.allocations_of(at.instance);
            self.allocations.insert(at.instance, all);
        }
        let points_to = self.points_to;
        self.allocations[&at.instance].iter().any(|a| {
            let published = |(b, from, to): &(BlockId, u32, u32)| {
                *b == at.block && *from <= at.index && at.index < *to
            };
            let own = |o| {
                let mut own = points_to.value_targets(at.instance, a.value);
                own.any(|t| t.object == o)
            };
            a.derived.contains(v.index())
                && !a.published.iter().any(published)
                && points_to
                    .value_targets(at.instance, v)
                    .all(|t| own(t.object))
        })
    }

    fn allocations_of(&mut self, id: InstanceId) -> Vec<Allocation> {
        let function = &self.program.functions[self.points_to.instances()[id].function];
        let mut all = Vec::new();
        for (block, b) in function.blocks.iter_ids() {
            for (n, instr) in b.instrs.iter().enumerate() {
                let place = Place {
                    instance: id,
                    block,
                    index: n as u32,
                };
                let Some(value) = instr.result.filter(|_| allocates(&instr.op)) else {
                    continue;
                };
                let mut targets = self.points_to.value_targets(id, value).peekable();
                let some = targets.peek().is_some();
                if some && targets.all(|t| self.made_at(t.object, place)) {
                    let derived = derived(function, value);
                    let published = self.published(function, &derived, place);
                    all.push(Allocation {
                        value,
                        derived,
                        published,
                    });
                }
            }
        }
        all
    }

    /// Whether an object is made by the instruction, or within the call that it is.
    fn made_at(&self, object: super::points_to::ObjectId, place: Place) -> bool {
        let (ObjectKind::Heap(mut at) | ObjectKind::Stack(mut at)) =
            self.points_to.objects()[object].kind
        else {
            return false;
        };
        loop {
            if at == place {
                return true;
            }
            match self.points_to.instances()[at.instance].site {
                Some(site) => at = site,
                None => return false,
            }
        }
    }

    /// What may run after a publication of the values, until `made` makes a new object.
    pub(super) fn published(
        &mut self,
        function: &Function,
        derived: &FixedBitSet,
        made: Place,
    ) -> Vec<(BlockId, u32, u32)> {
        let mut work: Vec<(BlockId, u32)> = Vec::new();
        for (block, b) in function.blocks.iter_ids() {
            for (n, instr) in b.instrs.iter().enumerate() {
                if self.publishes(instr, derived) {
                    work.push((block, n as u32 + 1));
                }
            }
        }
        let mut out: Vec<(BlockId, u32, u32)> = Vec::new();
        while let Some((block, from)) = work.pop() {
            if out.iter().any(|(b, f, _)| *b == block && *f == from) {
                continue;
            }
            if block == made.block && made.index >= from {
                out.push((block, from, made.index));
                continue;
            }
            out.push((block, from, u32::MAX));
            let next = function.blocks[block].term.successors();
            work.extend(next.into_iter().map(|to| (to, 0)));
        }
        out
    }

    /// Whether others may know one of the values after the instruction.
    pub(super) fn publishes(&mut self, instr: &Instr, derived: &FixedBitSet) -> bool {
        let is = |o: &Operand| matches!(o, Operand::Value(v) if derived.contains(v.index()));
        match &instr.op {
            // In the object itself: an empty list.
            Op::Store { ptr, value, .. } | Op::AtomicRmw { ptr, value, .. } => {
                is(value) && !is(ptr)
            }
            Op::CmpXchg { ptr, new, .. } => is(new) && !is(ptr),
            Op::Insert { value, .. } => is(value),
            Op::Call {
                callee: Callee::Direct(f),
                args,
                ..
            } => (0..args.len()).any(|n| is(&args[n]) && self.escapes(*f, n)),
            Op::Call { args, .. } => args.iter().any(is),
            Op::Primitive {
                primitive: Primitive::Async,
                args,
            } => args.iter().any(is),
            Op::Primitive {
                primitive: Primitive::GhostSet,
                args,
            } => args.get(2).is_some_and(is),
            _ => false,
        }
    }

    pub(super) fn escapes(&mut self, f: FuncId, n: usize) -> bool {
        if let Some(known) = self.escapes.get(&(f, n)) {
            return *known;
        }
        // Until it is known, and where functions call each other.
        self.escapes.insert((f, n), true);
        let function = &self.program.functions[f];
        let escapes = match function.params.get(n) {
            Some(param) if function.is_defined() => {
                let derived = derived(function, *param);
                let returns = |b: &crate::program::Block| match &b.term {
                    Terminator::Return(Some(Operand::Value(v))) => derived.contains(v.index()),
                    _ => false,
                };
                function.blocks.iter().any(returns)
                    || function
                        .blocks
                        .iter()
                        .flat_map(|b| &b.instrs)
                        .any(|i| self.publishes(i, &derived))
            }
            _ => true,
        };
        self.escapes.insert((f, n), escapes);
        escapes
    }
}

fn allocates(op: &Op) -> bool {
    matches!(
        op,
        Op::Call { .. }
            | Op::Alloca { .. }
            | Op::Primitive {
                primitive: Primitive::Alloc,
                ..
            }
    )
}

pub(super) fn instr_at<'p>(program: &'p Program, points_to: &PointsTo, at: Place) -> &'p Instr {
    let f = points_to.instances()[at.instance].function;
    &program.functions[f].blocks[at.block].instrs[at.index as usize]
}

/// The pointer of an access.
pub(super) fn pointer_of(instr: &Instr, write: bool) -> Option<&Operand> {
    match &instr.op {
        Op::Load { ptr, .. }
        | Op::Store { ptr, .. }
        | Op::AtomicRmw { ptr, .. }
        | Op::CmpXchg { ptr, .. } => Some(ptr),
        Op::MemSet { dst, .. } => Some(dst),
        Op::MemCopy { dst, src, .. } => Some(if write { dst } else { src }),
        Op::Primitive { args, .. } => args.first(),
        _ => None,
    }
}

/// The values of a function that may lead to where `from` leads, at whatever offset.
pub(super) fn derived(function: &Function, from: ValueId) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(function.values.len());
    set.insert(from.index());
    loop {
        let before = set.count_ones(..);
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let is = |o: &Operand| matches!(o, Operand::Value(v) if set.contains(v.index()));
            let passes = match &instr.op {
                Op::Phi(incoming) => incoming.iter().any(|(_, o)| is(o)),
                Op::Bin { lhs, rhs, .. } => is(lhs) || is(rhs),
                Op::Cast { value, .. } => is(value),
                Op::Select {
                    if_true, if_false, ..
                } => is(if_true) || is(if_false),
                Op::Gep { base, .. } => is(base),
                _ => false,
            };
            if let (Some(v), true) = (instr.result, passes) {
                set.insert(v.index());
            }
        }
        if set.count_ones(..) == before {
            return set;
        }
    }
}
