//! Accesses to an object that nobody else can reach yet: between its allocation and the first place where a pointer to it is
//! stored in other memory or handed to something that may keep it.
//!
//! Flow-sensitive within the function that allocates, for what it calls by parameter. A verdict must not rest on it: it tells what
//! of a field's accesses is initialisation, for people ([`super::guards`]). Misses (takes for published) what is returned by a
//! helper or allocated in a function that is analysed once for all its callers.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::index::{BlockId, FuncId, Idx, ValueId};
use crate::program::{Callee, Const, Function, Instr, Op, Operand, Primitive, Program, Terminator};

use super::points_to::{InstanceId, ObjectKind, Place, PointsTo};
use super::sections::AccessId;

/// What is known of the allocations of each function.
pub(super) struct Fresh<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    allocations: FxHashMap<InstanceId, Vec<Allocation>>,
    /// What functions do with what a parameter leads to, which may hold its own address.
    fates: FxHashMap<(FuncId, usize, bool), Fate>,
}

/// What a function does with the address of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    /// Nothing holds it afterwards.
    Forgotten,
    /// The object itself may hold it afterwards: an empty list.
    InItself,
    /// Other memory may hold it, or the caller has it as a result.
    Shown,
}

/// What may lead to an object in a function.
pub(super) struct Leads {
    values: FixedBitSet,
    /// Those that lead nowhere else.
    only: FixedBitSet,
    /// Whether pointers in the object do, too.
    pub in_itself: bool,
}

impl Leads {
    pub fn contains(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Value(v) if self.values.contains(v.index()))
    }

    /// Whether it leads to the object, and to nothing else.
    fn is_only(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Value(v) if self.only.contains(v.index()))
    }
}

/// An object allocated by an instance.
struct Allocation {
    value: ValueId,
    leads: Leads,
    /// Where it may have been published: blocks, from a position to another.
    published: Vec<(BlockId, u32, u32)>,
}

impl<'p> Fresh<'p> {
    pub fn new(program: &'p Program, points_to: &'p PointsTo) -> Fresh<'p> {
        Fresh {
            program,
            points_to,
            allocations: FxHashMap::default(),
            fates: FxHashMap::default(),
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
            let position = function
                .params
                .iter()
                .position(|p| derived(function, *p, false).contains(v.index()));
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
            a.leads.contains(&Operand::Value(v))
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
                    let leads = self.leads(function, value, false);
                    let published = self.published(function, &leads, Some(place));
                    all.push(Allocation {
                        value,
                        leads,
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

    /// What may run after a publication of the object, until `made`, if that is told, makes a new one.
    pub(super) fn published(
        &mut self,
        function: &Function,
        leads: &Leads,
        made: Option<Place>,
    ) -> Vec<(BlockId, u32, u32)> {
        let mut work: Vec<(BlockId, u32)> = Vec::new();
        for (block, b) in function.blocks.iter_ids() {
            for (n, instr) in b.instrs.iter().enumerate() {
                if self.publishes(instr, leads) {
                    work.push((block, n as u32 + 1));
                }
            }
        }
        let mut out: Vec<(BlockId, u32, u32)> = Vec::new();
        while let Some((block, from)) = work.pop() {
            if out.iter().any(|(b, f, _)| *b == block && *f == from) {
                continue;
            }
            if let Some(made) = made.filter(|m| m.block == block && m.index >= from) {
                out.push((block, from, made.index));
                continue;
            }
            out.push((block, from, u32::MAX));
            let next = function.blocks[block].term.successors();
            work.extend(next.into_iter().map(|to| (to, 0)));
        }
        out
    }

    /// Whether others may know the object after the instruction.
    pub(super) fn publishes(&mut self, instr: &Instr, leads: &Leads) -> bool {
        let is = |o: &Operand| leads.contains(o);
        match &instr.op {
            Op::Store { ptr, value, .. } | Op::AtomicRmw { ptr, value, .. } => {
                is(value) && !leads.is_only(ptr)
            }
            Op::CmpXchg { ptr, new, .. } => is(new) && !leads.is_only(ptr),
            Op::MemCopy { dst, src, .. } => leads.in_itself && is(src) && !leads.is_only(dst),
            Op::Insert { value, .. } => is(value),
            Op::Call {
                callee: Callee::Direct(f),
                args,
                ..
            } => {
                let mut given = (0..args.len()).filter(|n| is(&args[*n]));
                given.any(|n| self.fate(*f, n, leads.in_itself) == Fate::Shown)
            }
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

    /// Whether the object may hold its own address after the instruction.
    fn keeps(&mut self, instr: &Instr, leads: &Leads) -> bool {
        let is = |o: &Operand| leads.contains(o);
        match &instr.op {
            Op::Store { ptr, value, .. } | Op::AtomicRmw { ptr, value, .. } => is(value) && is(ptr),
            Op::CmpXchg { ptr, new, .. } => is(new) && is(ptr),
            Op::Call {
                callee: Callee::Direct(f),
                args,
                ..
            } => {
                let mut given = (0..args.len()).filter(|n| is(&args[*n]));
                given.any(|n| self.fate(*f, n, false) == Fate::InItself)
            }
            _ => false,
        }
    }

    /// What may lead to an object that `from` leads to; with `in_itself`, the object may hold its own address from the start.
    pub(super) fn leads(&mut self, function: &Function, from: ValueId, in_itself: bool) -> Leads {
        let mut leads = Leads {
            values: derived(function, from, in_itself),
            only: only(function, from),
            in_itself,
        };
        let mut all = function.blocks.iter().flat_map(|b| &b.instrs);
        if !in_itself && all.any(|i| self.keeps(i, &leads)) {
            leads.values = derived(function, from, true);
            leads.in_itself = true;
        }
        leads
    }

    /// What a function does with what its n-th parameter leads to, which may hold its own address.
    pub(super) fn fate(&mut self, f: FuncId, n: usize, in_itself: bool) -> Fate {
        if let Some(known) = self.fates.get(&(f, n, in_itself)) {
            return *known;
        }
        // Until it is known, and where functions call each other.
        self.fates.insert((f, n, in_itself), Fate::Shown);
        let function = &self.program.functions[f];
        let fate = match function.params.get(n) {
            Some(param) if function.is_defined() => {
                let leads = self.leads(function, *param, in_itself);
                let returns = |b: &crate::program::Block| match &b.term {
                    Terminator::Return(Some(value)) => leads.contains(value),
                    _ => false,
                };
                let mut all = function.blocks.iter().flat_map(|b| &b.instrs);
                match function.blocks.iter().any(returns) || all.any(|i| self.publishes(i, &leads))
                {
                    true => Fate::Shown,
                    false if leads.in_itself => Fate::InItself,
                    false => Fate::Forgotten,
                }
            }
            _ => Fate::Shown,
        };
        self.fates.insert((f, n, in_itself), fate);
        fate
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

/// The values of a function that may lead to where `from` leads, at whatever offset; with `loaded`, what is read there, too.
fn derived(function: &Function, from: ValueId, loaded: bool) -> FixedBitSet {
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
                Op::Load { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. } => {
                    loaded && is(ptr)
                }
                Op::Extract { tuple, .. } => loaded && is(tuple),
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

/// The values of a function that lead to where `from` leads, if anywhere, and to nothing else.
fn only(function: &Function, from: ValueId) -> FixedBitSet {
    let mut set = derived(function, from, false);
    loop {
        let before = set.count_ones(..);
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let is = |o: &Operand| match o {
                Operand::Value(v) => set.contains(v.index()),
                Operand::Const(c) => *c == Const::Null,
            };
            let stays = match &instr.op {
                Op::Phi(incoming) => incoming.iter().all(|(_, o)| is(o)),
                Op::Select {
                    if_true, if_false, ..
                } => is(if_true) && is(if_false),
                Op::Gep { base, .. } => is(base),
                Op::Cast { value, .. } => is(value),
                _ => false,
            };
            if let (Some(v), false) = (instr.result.filter(|v| *v != from), stays) {
                set.set(v.index(), false);
            }
        }
        if set.count_ones(..) == before {
            return set;
        }
    }
}
