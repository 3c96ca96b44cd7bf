//! Accesses without a known target: is the pointer always null, or does the analysis not know where it comes from?
//!
//! The origins of a pointer are followed backwards, through calls and through memory. If none of them is unknown, the pointer
//! is null, a number, or led out of every object: the access fails. Misses: an origin that is unknown beside others that are
//! known (a phi of both); what the program stores through pointers that are themselves lost, which are told as lost.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{IdVec, ValueId};
use crate::program::{
    AtomicRmwOp, Callee, CastKind, Const, Op, Operand, Primitive, Program, Terminator,
};

use super::address::{Address, ObjectId};
use super::constraints::constant;
use super::instances::{Access, InstanceId, Space};
use super::objects::{ObjectKind, Place};
use super::{Content, PointsTo};

/// Origins of one pointer that are looked at; with more it counts as unknown.
const MAX_ORIGINS: usize = 4096;

impl PointsTo {
    /// Whether the access is through a pointer that the analysis cannot trace to its origin: it may reach anything. A
    /// pointer that can only be null is none: the access fails.
    pub fn is_lost(&self, access: &Access) -> bool {
        self.lost.contains(&access.place)
    }

    /// The same of the access at a place.
    pub fn is_lost_at(&self, place: Place) -> bool {
        self.lost.contains(&place)
    }

    /// Whether a call leads nowhere because its pointer cannot be traced, not because it can only be null.
    pub fn is_lost_call(&self, place: Place) -> bool {
        self.lost.contains(&place)
    }
}

/// The places of accesses and calls that are lost.
pub(super) fn find(program: &Program, points_to: &PointsTo) -> FxHashSet<Place> {
    let mut tracer = Tracer {
        program,
        points_to,
        writes: None,
        entered: None,
        known: FxHashSet::default(),
    };
    let accesses = points_to.instances.iter().flat_map(|i| &i.accesses);
    let untargeted =
        accesses.filter(|a| a.pointer.is_none_or(|p| points_to.set(p).next().is_none()));
    untargeted
        .map(|a| a.place)
        .chain(nowhere(program, points_to))
        .filter(|place| tracer.place(*place))
        .collect()
}

/// The calls through a pointer that no function is known for.
pub(super) fn nowhere<'a>(
    program: &'a Program,
    points_to: &'a PointsTo,
) -> impl Iterator<Item = Place> + 'a {
    points_to.instances.iter_ids().flat_map(|(id, instance)| {
        let blocks = program.functions[instance.function].blocks.iter_ids();
        let places = blocks.flat_map(move |(block, b)| {
            let calls = b.instrs.iter().enumerate().filter(|(_, i)| {
                matches!(
                    i.op,
                    Op::Call {
                        callee: Callee::Indirect(_),
                        ..
                    }
                )
            });
            calls.map(move |(n, _)| Place {
                instance: id,
                block,
                index: n as u32,
            })
        });
        places.filter(|place| instance.calls.iter().all(|(p, _)| p != place))
    })
}

/// Something that a pointer may come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Origin {
    /// A value of an instance; `all`: also if it has known targets, because none of them is left.
    Value {
        of: (InstanceId, ValueId),
        all: bool,
    },
    /// What an object holds there; `all`: pointers with known targets, too, because none is left of what is read in parts.
    Memory { at: Address, len: u64, all: bool },
}

struct Write {
    at: Address,
    len: u64,
    place: Place,
}

struct Tracer<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    writes: Option<FxHashMap<ObjectId, Vec<Write>>>,
    entered: Option<IdVec<InstanceId, Vec<Place>>>,
    /// Origins from which nothing unknown is reached.
    known: FxHashSet<Origin>,
}

/// The way ended at an origin that is not known.
struct Unknown;

/// The origins still to look at.
type Work = Vec<Origin>;

impl<'a> Tracer<'a> {
    fn op(&self, place: Place) -> &'a Op {
        let function = &self.program.functions[self.points_to.instances[place.instance].function];
        &function.blocks[place.block].instrs[place.index as usize].op
    }

    /// Whether the pointer of an access there has an unknown origin.
    fn place(&mut self, place: Place) -> bool {
        let pointers: Vec<&Operand> = match self.op(place) {
            Op::Load { ptr, .. }
            | Op::Store { ptr, .. }
            | Op::AtomicRmw { ptr, .. }
            | Op::CmpXchg { ptr, .. } => vec![ptr],
            Op::Primitive { args, .. } => args.first().into_iter().collect(),
            Op::MemSet { dst, .. } => vec![dst],
            Op::MemCopy { dst, src, .. } => vec![dst, src],
            // What has targets leads to data.
            Op::Call {
                callee: Callee::Indirect(o),
                ..
            } => match self.points_to.targets_in(place.instance, o).is_empty() {
                true => vec![o],
                false => return true,
            },
            _ => return true,
        };
        let without = |o: &&&Operand| self.points_to.targets_in(place.instance, o).is_empty();
        let pointers: Vec<&Operand> = pointers.iter().filter(without).copied().collect();
        pointers
            .into_iter()
            .any(|o| self.trace(place.instance, o).is_err())
    }

    fn trace(&mut self, i: InstanceId, operand: &Operand) -> Result<(), Unknown> {
        let mut work = Work::new();
        let mut seen = FxHashSet::default();
        push(&mut work, i, operand, true)?;
        while let Some(origin) = work.pop() {
            if self.known.contains(&origin) || !seen.insert(origin) {
                continue;
            }
            if seen.len() > MAX_ORIGINS {
                return Err(Unknown);
            }
            match origin {
                Origin::Value { of: (i, v), all } => {
                    if all || self.points_to.value_targets(i, v).next().is_none() {
                        self.value(i, v, all, &mut work)?;
                    }
                }
                Origin::Memory { at, len, all } => self.memory((at, len), all, &mut work)?,
            }
        }
        self.known.extend(seen);
        Ok(())
    }

    fn value(
        &mut self,
        i: InstanceId,
        v: ValueId,
        all: bool,
        work: &mut Work,
    ) -> Result<(), Unknown> {
        let (points_to, program) = (self.points_to, self.program);
        let instance = &points_to.instances[i];
        let function = &program.functions[instance.function];
        if let Some(n) = function.params.iter().position(|p| *p == v) {
            return self.parameter(i, n, all, work);
        }
        let Some((block, n)) = points_to.definitions.place(instance.function, v) else {
            return Err(Unknown);
        };
        let op = &function.blocks[block].instrs[n as usize].op;
        match op {
            Op::Gep { base, .. } => push(work, i, base, all),
            Op::Extract { tuple, .. } => push(work, i, tuple, all),
            Op::Phi(items) => items.iter().try_for_each(|(_, o)| push(work, i, o, all)),
            Op::Select {
                if_true, if_false, ..
            } => {
                push(work, i, if_true, all)?;
                push(work, i, if_false, all)
            }
            Op::Cast {
                kind: CastKind::Bitcast,
                value,
                ..
            } => push(work, i, value, all),
            Op::Load { ptr, ty, .. }
            | Op::AtomicRmw { ptr, ty, .. }
            | Op::CmpXchg { ptr, ty, .. } => {
                let len = program.size_of(ty);
                let targets = points_to.targets_in(i, ptr);
                if targets.is_empty() {
                    return push(work, i, ptr, true);
                }
                let all = len < u64::from(program.layout.pointer_bytes);
                work.extend(
                    targets
                        .into_iter()
                        .map(|at| Origin::Memory { at, len, all }),
                );
                Ok(())
            }
            Op::Call { .. } => {
                let called = instance.calls.iter();
                let mut called = called
                    .filter(|(p, _)| (p.block, p.index) == (block, n))
                    .peekable();
                if called.peek().is_none() {
                    return Err(Unknown);
                }
                for (_, callee) in called {
                    let function = &program.functions[points_to.instances[*callee].function];
                    if !function.is_defined() {
                        return Err(Unknown);
                    }
                    for block in function.blocks.iter() {
                        if let Terminator::Return(Some(value)) = &block.term {
                            push(work, *callee, value, all)?;
                        }
                    }
                }
                Ok(())
            }
            _ => Err(Unknown),
        }
    }

    /// What the calls and thread starts pass.
    fn parameter(
        &mut self,
        i: InstanceId,
        n: usize,
        all: bool,
        work: &mut Work,
    ) -> Result<(), Unknown> {
        let points_to = self.points_to;
        let entered = self.entered.get_or_insert_with(|| points_to.ways_in());
        if entered[i].is_empty() {
            return Err(Unknown);
        }
        for place in entered[i].clone() {
            let argument = match self.op(place) {
                Op::Call { args, .. } => args.get(n),
                // The function, and its only argument.
                Op::Primitive { args, .. } => args.get(1).filter(|_| n == 0),
                _ => None,
            };
            push(work, place.instance, argument.ok_or(Unknown)?, all)?;
        }
        Ok(())
    }

    /// What is stored there, if it holds nothing that the program has not stored.
    fn memory(
        &mut self,
        (at, len): (Address, u64),
        all: bool,
        work: &mut Work,
    ) -> Result<(), Unknown> {
        let points_to = self.points_to;
        let object = &points_to.objects[at.object];
        let begins_empty = match object.kind {
            ObjectKind::Global(g) | ObjectKind::ThreadSlot(g) => {
                self.program.globals[g].init.is_some()
            }
            ObjectKind::Heap(_) | ObjectKind::Stack(_) => true,
            _ => false,
        };
        if !begins_empty || object.lazy || object.content == Content::Plain {
            return Err(Unknown);
        }
        let writes = self.writes.get_or_insert_with(|| writes(points_to));
        let Some(writes) = writes.get(&at.object) else {
            return Ok(());
        };
        let there = writes.iter().filter(|w| w.at.overlaps(w.len, at, len));
        for place in there.map(|w| w.place).collect::<Vec<_>>() {
            self.written(place, all, work)?;
        }
        Ok(())
    }

    fn written(&self, place: Place, all: bool, work: &mut Work) -> Result<(), Unknown> {
        let i = place.instance;
        match self.op(place) {
            Op::Store { value, .. } => push(work, i, value, all),
            Op::CmpXchg { new, .. } => push(work, i, new, all),
            Op::AtomicRmw {
                op: AtomicRmwOp::Xchg,
                value,
                ..
            } => push(work, i, value, all),
            // A number.
            Op::MemSet { .. } => Ok(()),
            Op::MemCopy { src, len, .. } => {
                // Of a pointer that is copied in parts none is left.
                let pointer = i64::from(self.program.layout.pointer_bytes);
                let all = all || constant(len).is_some_and(|len| len < pointer);
                // From the whole object: where in it the bytes come from does not matter.
                let sources = self.points_to.targets_in(i, src);
                work.extend(sources.into_iter().map(|a| Origin::Memory {
                    at: Address::anywhere(a.object),
                    len: u64::MAX,
                    all,
                }));
                Ok(())
            }
            Op::Primitive {
                primitive: Primitive::Free | Primitive::Leave,
                ..
            } => Ok(()),
            _ => Err(Unknown),
        }
    }
}

fn push(work: &mut Work, i: InstanceId, operand: &Operand, all: bool) -> Result<(), Unknown> {
    match operand {
        Operand::Value(v) => work.push(Origin::Value { of: (i, *v), all }),
        Operand::Const(Const::Unsupported(..)) => return Err(Unknown),
        // Null, a number, or what has a known target.
        Operand::Const(_) => {}
    }
    Ok(())
}

/// What is written to each object.
fn writes(points_to: &PointsTo) -> FxHashMap<ObjectId, Vec<Write>> {
    let mut all: FxHashMap<ObjectId, Vec<Write>> = FxHashMap::default();
    let accesses = points_to.instances.iter().flat_map(|i| &i.accesses);
    for access in accesses.filter(|a| a.write && a.space == Space::Memory) {
        let (place, len) = (access.place, access.len);
        for at in points_to.reached(access) {
            all.entry(at.object)
                .or_default()
                .push(Write { at, len, place });
        }
    }
    all
}
