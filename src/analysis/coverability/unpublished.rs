//! Objects that a thread has just made: as long as it has shown nobody where they are, what it does there races with nothing.
//!
//! Such an address is known as one of the thread's own ([`Who::New`]), and its object is *unpublished* as long as all that leads to it is
//! such an address, in a value or in memory of the thread alone. Whatever else becomes of one publishes the object: it is stored
//! elsewhere, given to another thread, given to a call that is not followed, made something of that is not followed, or what was known is
//! forgotten. Nothing is known of what such an object holds: no cell lies there. Here, too: what else of memory is the thread's own, and where
//! exactly its next access goes.

use crate::faults::{NetFault, seeded};
use crate::index::Idx;
use crate::program::{Instr, Op, Operand, Primitive, operands};

use super::super::points_to::{ObjectId, ObjectKind, Place};
use super::cells::{Content, Kind, Location, constant as constant_value, initial};
use super::explore::Explorer;
use super::state::{Micro, State};
use super::value::{Pointer, Val, Who};

/// The object of an address that the running thread has made.
pub(super) fn new_object(value: &Val) -> Option<ObjectId> {
    match value {
        Val::Ptr(p) if p.is_new() => Some(p.object),
        _ => None,
    }
}

/// The objects that are in a value, with the elements of tuples.
fn objects(value: &Val, out: &mut Vec<ObjectId>) {
    out.extend(new_object(value));
    if let Val::Tuple(items) = value {
        items.iter().flatten().for_each(|v| objects(v, out));
    }
}

/// What leads to an object that the thread makes again is about the one before.
fn older(known: Option<&Val>, object: ObjectId) -> bool {
    let mut all = Vec::new();
    known.iter().for_each(|v| objects(v, &mut all));
    all.contains(&object)
}

impl Explorer<'_> {
    /// The address of an object that the running thread makes, if it is one of many.
    pub(super) fn made(&self, m: &mut Micro, kind: ObjectKind) -> Option<Val> {
        let object = self.input.points_to.object(kind)?;
        if self.alone || self.input.single.contains(object.index()) {
            return None;
        }
        for frame in &mut m.state.frames {
            frame.env.retain(|_, v| !older(Some(v), object));
        }
        let has = |known: &Option<Val>| older(known.as_ref(), object);
        if m.state.memory.values().any(has) {
            let memory = std::sync::Arc::make_mut(&mut m.state.memory);
            let all = memory.values_mut().filter(|v| older(v.as_ref(), object));
            all.for_each(|v| *v = None);
        }
        m.state.unpublished.insert(object);
        Some(Val::Ptr(Pointer {
            object,
            offset: 0,
            index: Some((Who::New, 0)),
        }))
    }

    /// Others may find what these values lead to.
    pub(super) fn publish<'v>(&self, m: &mut Micro, values: impl IntoIterator<Item = &'v Val>) {
        if m.state.unpublished.is_empty() || seeded(NetFault::HiddenForEver) {
            return;
        }
        let mut found = Vec::new();
        values.into_iter().for_each(|v| objects(v, &mut found));
        found.iter().for_each(|o| {
            m.state.unpublished.remove(o);
        });
    }

    /// Others may find what the thread's own memory leads to.
    pub(super) fn publish_memory(&self, m: &mut Micro) {
        if m.state.unpublished.is_empty() {
            return;
        }
        let all: Vec<Val> = m.state.memory.values().flatten().cloned().collect();
        self.publish(m, &all);
    }

    /// Others may find what operands lead to.
    pub(super) fn publish_operands(&self, m: &mut Micro, all: &[Operand]) {
        if m.state.unpublished.is_empty() {
            return;
        }
        let values: Vec<Val> = all.iter().filter_map(|o| self.eval(m, o)).collect();
        self.publish(m, &values);
    }

    /// Publishes what an instruction lets out, or makes something of that is not followed. (Calls: [`Explorer::call`].)
    pub(super) fn let_out(&self, m: &mut Micro, instr: &Instr) {
        if m.state.unpublished.is_empty() {
            return;
        }
        let of = |o: &Operand| std::slice::from_ref(o).to_vec();
        let out: Vec<Operand> = match &instr.op {
            Op::Phi(_)
            | Op::Icmp { .. }
            | Op::Load { .. }
            | Op::MemSet { .. }
            | Op::Call { .. } => Vec::new(),
            Op::Store { ptr, value, .. } => match self.is_own_stack(m, ptr) {
                true => Vec::new(),
                false => of(value),
            },
            Op::AtomicRmw { value, .. } => of(value),
            Op::CmpXchg { new, .. } => of(new),
            Op::MemCopy { .. } => {
                self.publish_memory(m);
                Vec::new()
            }
            Op::Primitive { primitive, args } => match primitive {
                Primitive::Free
                | Primitive::Leave
                | Primitive::Touch
                | Primitive::Havoc
                | Primitive::GhostGet
                | Primitive::Assume
                | Primitive::Assert
                | Primitive::Check => Vec::new(),
                Primitive::GhostSet => args.iter().skip(1).cloned().collect(),
                _ => args.clone(),
            },
            // The result is known, and leads there.
            Op::Gep { base, scaled, .. } => {
                match scaled.iter().all(|(v, _)| self.is_number(m, v)) {
                    true => Vec::new(),
                    false => of(base),
                }
            }
            Op::Select {
                cond,
                if_true,
                if_false,
            } => match cond {
                Operand::Const(_) => vec![if_true.clone(), if_false.clone()],
                Operand::Value(_) => Vec::new(),
            },
            Op::Cast {
                value, from, to, ..
            } => {
                let pointer = self.input.program.layout.pointer_bytes;
                match from.bits(pointer) == to.bits(pointer) {
                    true => Vec::new(),
                    false => of(value),
                }
            }
            op => {
                let mut all = Vec::new();
                operands(op, &mut |o| all.push(o.clone()));
                all
            }
        };
        self.publish_operands(m, &out);
    }

    fn is_number(&self, m: &Micro, operand: &Operand) -> bool {
        matches!(self.eval(m, operand), Some(Val::Int(_)))
    }

    /// Whether an address is in memory that belongs to the running activation's thread alone, and that is followed.
    fn is_own_stack(&self, m: &Micro, ptr: &Operand) -> bool {
        let Some(Val::Ptr(p)) = self.eval(m, ptr) else {
            return false;
        };
        let points_to = self.input.points_to;
        let stack = matches!(points_to.objects()[p.object].kind, ObjectKind::Stack(_));
        p.index.is_none() && stack && !points_to.is_shared(p.object)
    }

    /// Whether an instruction accesses nothing but unpublished objects.
    pub(super) fn is_private(&self, state: &State, op: &Op) -> bool {
        if state.unpublished.is_empty() {
            return false;
        }
        let Some(frame) = state.frames.last() else {
            return false;
        };
        let unpublished = |o: &&Operand| match o {
            Operand::Value(v) => {
                let object = frame.env.get(v).and_then(new_object);
                object.is_some_and(|o| state.unpublished.contains(&o))
            }
            Operand::Const(_) => false,
        };
        let all: Vec<&Operand> = match op {
            Op::Load { ptr, .. }
            | Op::Store { ptr, .. }
            | Op::AtomicRmw { ptr, .. }
            | Op::CmpXchg { ptr, .. } => vec![ptr],
            Op::MemSet { dst, .. } => vec![dst],
            Op::MemCopy { dst, src, .. } => vec![dst, src],
            Op::Primitive {
                primitive:
                    Primitive::Havoc | Primitive::Touch | Primitive::GhostGet | Primitive::GhostSet,
                args,
            } => args.iter().take(1).collect(),
            _ => return false,
        };
        !all.is_empty() && all.iter().all(unpublished)
    }

    /// Whether the next step of a thread accesses nothing but unpublished objects.
    pub(super) fn is_private_at(&self, state: &State) -> bool {
        let Some(place) = state.place() else {
            return false;
        };
        self.instr_at(place)
            .is_some_and(|i| self.is_private(state, &i.op))
    }

    pub(super) fn instr_at(&self, place: Place) -> Option<&Instr> {
        let f = self.input.points_to.instances()[place.instance].function;
        let block = &self.input.program.functions[f].blocks[place.block];
        block.instrs.get(place.index as usize)
    }

    /// Hidden is what something still leads to.
    pub(super) fn forget_hidden(&self, state: &mut State) {
        if state.unpublished.is_empty() {
            return;
        }
        let mut all = Vec::new();
        let values = state.frames.iter().flat_map(|f| f.env.values());
        let memory = state.memory.values().flatten();
        values.chain(memory).for_each(|v| objects(v, &mut all));
        state.unpublished.retain(|o| all.contains(o));
    }

    /// What is read or written in part is not followed.
    pub(super) fn publish_overlapping(&self, m: &mut Micro, location: &Location) {
        if m.state.unpublished.is_empty() {
            return;
        }
        let other = |l: &Location| l != location && l.overlaps(location);
        let all = m.state.memory.iter().filter(|(l, _)| other(l));
        let values: Vec<Val> = all.filter_map(|(_, v)| v.clone()).collect();
        self.publish(m, &values);
    }

    /// Where the next instruction of a thread accesses memory, if that is exactly known and means the same place to all threads.
    pub(super) fn exact_access(&self, state: &State) -> Option<Location> {
        let frame = state.frames.last()?;
        let program = self.input.program;
        let f = self.input.points_to.instances()[frame.instance].function;
        let block = &program.functions[f].blocks[frame.block];
        let (ptr, ty) = match &block.instrs.get(frame.index as usize)?.op {
            Op::Load { ptr, ty, .. }
            | Op::Store { ptr, ty, .. }
            | Op::AtomicRmw { ptr, ty, .. }
            | Op::CmpXchg { ptr, ty, .. } => (ptr, ty),
            _ => return None,
        };
        let value = match ptr {
            Operand::Value(v) => frame.env.get(v).cloned(),
            Operand::Const(c) => constant_value(self.input.points_to, c),
        };
        let Some(value @ Val::Ptr(pointer)) = value else {
            return None;
        };
        let bytes = u32::try_from(program.size_of(ty)).ok()?;
        self.is_for_all(&value).then_some(Location {
            kind: Kind::Memory(bytes),
            pointer,
        })
    }

    /// What the thread's own state holds.
    pub(super) fn own_content(&self, m: &Micro, location: &Location) -> Option<Val> {
        if let Some(known) = m.state.memory.get(location) {
            return known.clone();
        }
        if m.state.memory.keys().any(|l| l.overlaps(location)) {
            return None;
        }
        let stack = matches!(
            self.input.points_to.objects()[location.pointer.object].kind,
            ObjectKind::Stack(_)
        );
        if stack {
            return None;
        }
        let first = match self.input.entries {
            Some(_) => self.beginning(location),
            None => vec![initial(self.input.program, self.input.points_to, location)],
        };
        match first.as_slice() {
            [Content::Is(v), rest @ ..] if rest.iter().all(|c| *c == first[0]) => Some(v.clone()),
            _ => None,
        }
    }
}
