//! From instructions to constraints.
//!
//! Every value may be a pointer, whatever its type; integers narrower than a
//! pointer carry none. What arithmetic does to a pointer: adding a constant
//! moves it, adding anything else leads anywhere in the same object, masking
//! low bits rounds it down. The result of integer arithmetic counts as an
//! address only if it becomes a pointer in the same function.
//!
//! A copy of variable length carries no pointers where either end is, by its C type, an array of integers smaller than a
//! pointer (see [`super::bytes`]).

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::index::{Idx, ValueId};
use crate::program::{Const, Op, Operand, Primitive, Terminator, Type};

use super::address::{Address, ObjectId};
use super::computed::How;
use super::instances::{Access, InstanceId, Space};
use super::objects::{ObjectKind, Place};
use super::solver::{CopyUse, NodeId, Solver, Use};
use super::types::{Content, Taken};

impl Solver<'_> {
    pub fn value(&self, instance: InstanceId, value: ValueId) -> NodeId {
        NodeId(self.instances[instance].base.0 + value.0)
    }

    /// The node of an operand; `None` where it holds no address.
    pub fn operand(&mut self, instance: InstanceId, operand: &Operand) -> Option<NodeId> {
        match operand {
            Operand::Value(v) => Some(self.value(instance, *v)),
            Operand::Const(c) => {
                let mut all = Vec::new();
                self.addresses_in(c, &mut all);
                match all.as_slice() {
                    [] => None,
                    [one] => Some(self.constant(*one)),
                    several => {
                        let node = self.node();
                        for address in several {
                            self.add(node, *address);
                        }
                        Some(node)
                    }
                }
            }
        }
    }

    pub(super) fn addresses_in(&mut self, value: &Const, out: &mut Vec<Address>) {
        match value {
            Const::Addr { global, offset, .. } => {
                let object = self.global(*global);
                out.push(Address::at(object, *offset));
            }
            Const::Func { function, .. } => {
                let object = self.function(*function);
                out.push(Address::at(object, 0));
            }
            Const::Tuple(items) => items.iter().for_each(|c| self.addresses_in(c, out)),
            Const::Int { .. }
            | Const::Null
            | Const::Undef(_)
            | Const::Float { .. }
            | Const::Unsupported(..) => {}
        }
    }

    pub(super) fn flow(&mut self, instance: InstanceId, from: &Operand, to: NodeId) {
        if let Some(from) = self.operand(instance, from) {
            self.copy(from, to);
        }
    }

    pub(super) fn flow_moved(
        &mut self,
        instance: InstanceId,
        from: &Operand,
        to: NodeId,
        bytes: i64,
        stride: u64,
        taken: Taken,
    ) {
        if let Some(from) = self.operand(instance, from) {
            self.move_use(from, to, bytes, stride, taken);
        }
    }

    /// Pointers that fit in a scalar of that type.
    pub(super) fn slots_of(&self, ty: &Type) -> u32 {
        match ty {
            Type::Float(_) | Type::Void => 0,
            _ => (self.program.size_of(ty) / self.pointer_bytes) as u32,
        }
    }

    /// Adds the constraints of an instance's body.
    pub fn generate(&mut self, instance: InstanceId) {
        let program = self.program;
        let id = self.instances[instance].function;
        // Whom it calls, without an argument, threads execute as well: copies of these would say nothing new.
        if program.harness.earlier == Some(id) {
            return;
        }
        let function = &program.functions[id];
        let facts = self.facts(id);
        for (block, b) in function.blocks.iter_ids() {
            for (n, instr) in b.instrs.iter().enumerate() {
                let place = Place {
                    instance,
                    block,
                    index: n as u32,
                };
                let result = instr.result.map(|v| self.value(instance, v));
                let has = |set: &FixedBitSet| instr.result.is_some_and(|v| set.contains(v.index()));
                let how = How {
                    becomes_pointer: has(&facts.pointer_ints) || has(&facts.marked),
                    in_cycle: has(&facts.cyclic),
                };
                self.instruction(place, &instr.op, result, how);
            }
            if let Terminator::Return(Some(value)) = &b.term {
                let ret = self.instances[instance].ret;
                self.flow(instance, value, ret);
            }
        }
    }

    fn instruction(&mut self, at: Place, op: &Op, result: Option<NodeId>, how: How) {
        match op {
            Op::Store { ptr, value, ty, .. } => {
                self.access(at, ptr, true, self.program.size_of(ty));
                self.store(at.instance, ptr, value, self.slots_of(ty));
            }
            Op::MemCopy { dst, src, len, .. } => self.memcpy(at, dst, src, len),
            Op::MemSet { dst, len, .. } => {
                let len = self.constant_in(at.instance, len, 0);
                self.access(at, dst, true, bytes(len));
            }
            Op::Call { callee, args, ret } => self.call(at, callee, args, ret, result),
            Op::Primitive { primitive, args } => self.primitive(at, *primitive, args, result),
            computed => {
                if let Some(to) = result {
                    self.computed(at, computed, to, how);
                }
            }
        }
    }

    fn memcpy(&mut self, at: Place, dst: &Operand, src: &Operand, len: &Operand) {
        let i = at.instance;
        let len = self.constant_in(i, len, 0);
        self.access(at, src, false, bytes(len));
        self.access(at, dst, true, bytes(len));
        if len.is_none() && (self.points_to_numbers(i, src) || self.points_to_numbers(i, dst)) {
            return;
        }
        if let (Some(source), Some(target)) = (self.operand(i, src), self.operand(i, dst)) {
            let len = bytes(len);
            let copy = self.memcpys.push(CopyUse {
                source,
                target,
                len,
                carrier: None,
            });
            self.add_use(source, Use::CopySource(copy));
            self.add_use(target, Use::CopyTarget(copy));
        }
    }

    pub(super) fn load(&mut self, at: Place, ptr: &Operand, ty: &Type, to: NodeId, pointer: bool) {
        let slots = self.slots_of(ty);
        if slots == 0 {
            return;
        }
        if let Some(node) = self.operand(at.instance, ptr) {
            let demand = pointer || *ty == Type::Ptr || matches!(ty, Type::Tuple(_));
            self.add_use(
                node,
                Use::Load {
                    to,
                    slots,
                    demand,
                    content: self.loaded_type(at, ptr),
                },
            );
        }
    }

    pub(super) fn store(&mut self, i: InstanceId, ptr: &Operand, value: &Operand, slots: u32) {
        if slots == 0 {
            return;
        }
        if let (Some(ptr), Some(from)) = (self.operand(i, ptr), self.operand(i, value)) {
            self.add_use(ptr, Use::Store { from, slots });
        }
    }

    pub(super) fn access(&mut self, place: Place, ptr: &Operand, write: bool, len: u64) {
        self.access_to(place, Space::Memory, ptr, write, len);
    }

    fn access_to(&mut self, place: Place, space: Space, ptr: &Operand, write: bool, len: u64) {
        let mut access = Access {
            place,
            space,
            write,
            len,
            pointer: self.operand(place.instance, ptr),
            span: None,
        };
        let found = match space {
            Space::Memory => self.span(place.instance, ptr, len == u64::MAX),
            Space::Ghost(_) | Space::Life => None,
        };
        if let Some(found) = found.filter(|f| len == u64::MAX || len <= f.len)
            && let Some(base) = self.operand(place.instance, &found.span.base)
        {
            let start = self.node();
            self.move_use(base, start, found.span.bytes, found.stride, found.taken);
            access = Access {
                len: found.len,
                pointer: Some(start),
                span: Some(found.span),
                ..access
            };
        }
        self.instances[place.instance].accesses.push(access);
    }

    fn primitive(&mut self, at: Place, p: Primitive, args: &[Operand], result: Option<NodeId>) {
        let i = at.instance;
        match (p, args) {
            (Primitive::NondetPtr, _) => {
                if let Some(to) = result {
                    self.lazy_object(at, None, to);
                }
            }
            (Primitive::Lazy, _) => {
                let size = args.first().and_then(constant).filter(|n| *n > 0);
                if let Some(to) = result {
                    let object = self.lazy_object(at, size.map(|n| n as u64), to);
                    self.objects[object].defined = self.stored_at_once(at);
                    if let Some(ty) = args.get(1).and_then(|name| self.type_by_name(name)) {
                        self.objects[object].content = Content::Compound(ty);
                    }
                }
            }
            (Primitive::Alloc, _) => {
                let size = args.first().and_then(|a| self.constant_in(i, a, 0));
                if let Some(to) = result {
                    let size = size.map(|n| n as u64);
                    let object = self.object(ObjectKind::Heap(at), size, false);
                    self.objects[object].content = self.type_of_result(at);
                    self.add(to, Address::at(object, 0));
                }
            }
            (Primitive::Free | Primitive::Leave, [ptr, ..]) => {
                self.access_to(at, Space::Life, ptr, true, u64::MAX)
            }
            (Primitive::Havoc | Primitive::Touch, [ptr, len, ..]) => {
                let len = bytes(self.constant_in(i, len, 0));
                self.access(at, ptr, p == Primitive::Havoc, len);
            }
            (Primitive::GhostGet, [ptr, key, ..]) => {
                let space = Space::Ghost(constant(key).map(|k| k as u32));
                self.access_to(at, space, ptr, false, 1);
                if let Some(to) = result {
                    let state = match constant(key) {
                        Some(key) => self.ghost_of(key),
                        None => self.ghost,
                    };
                    self.copy(state, to);
                }
            }
            (Primitive::GhostSet, [ptr, key, value, ..]) => {
                let space = Space::Ghost(constant(key).map(|k| k as u32));
                self.access_to(at, space, ptr, true, 1);
                let state = match constant(key) {
                    Some(key) => self.ghost_of(key),
                    None => self.ghost_of_any,
                };
                self.flow(i, value, state);
            }
            (Primitive::Async, [start, rest @ ..]) => {
                let arg = rest.first().and_then(|a| self.operand(i, a));
                self.arguments.extend(arg);
                self.through_pointer(at, start, vec![arg], None, true);
            }
            _ => {}
        }
    }

    pub fn lazy_object(&mut self, at: Place, size: Option<u64>, to: NodeId) -> ObjectId {
        let object = self.object(ObjectKind::Lazy(at), size, true);
        self.objects[object].content = self.type_of_result(at);
        self.add(to, Address::at(object, 0));
        object
    }

    /// Offsets of a lazily initialised object at which a pointer is stored right behind the instruction that makes the object:
    /// nobody reads what would be there first.
    fn stored_at_once(&self, at: Place) -> Vec<i64> {
        let function = &self.program.functions[self.instances[at.instance].function];
        let instrs = &function.blocks[at.block].instrs[at.index as usize..];
        let Some(object) = instrs.first().and_then(|i| i.result) else {
            return Vec::new();
        };
        let mut places: FxHashMap<ValueId, i64> = FxHashMap::from_iter([(object, 0)]);
        let mut offsets = Vec::new();
        for instr in &instrs[1..] {
            let place = |o: &Operand| match o {
                Operand::Value(v) => places.get(v).copied(),
                Operand::Const(_) => None,
            };
            match &instr.op {
                Op::Gep {
                    base,
                    offset,
                    scaled,
                    ..
                } => {
                    if let (Some(at), true, Some(v)) =
                        (place(base), scaled.is_empty(), instr.result)
                    {
                        places.insert(v, at.wrapping_add(*offset));
                    }
                }
                Op::Store {
                    ptr, ty: Type::Ptr, ..
                } => offsets.extend(place(ptr)),
                _ => break,
            }
        }
        offsets
    }
}

/// The value of an integer constant, sign-extended.
pub(in crate::analysis) fn constant(operand: &Operand) -> Option<i64> {
    match operand {
        Operand::Const(Const::Int { bits, value }) => {
            let shift = 128 - (*bits).clamp(1, 128);
            i64::try_from((*value << shift) as i128 >> shift).ok()
        }
        _ => None,
    }
}

/// A length in bytes; `u64::MAX` where not constant.
fn bytes(len: Option<i64>) -> u64 {
    len.map_or(u64::MAX, |n| n as u64)
}
