//! Accesses without a known target: is the pointer always null, or does the analysis not know where it comes from?

use crate::index::ValueId;
use crate::program::{CastKind, Const, Op, Operand, Program, Terminator};

use super::instances::{Access, InstanceId};
use super::numbers::definition;
use super::objects::{ObjectKind, Place};
use super::{Content, PointsTo};

/// Steps followed.
const MAX_DEPTH: usize = 24;

impl PointsTo {
    /// Whether the access is through a pointer that the analysis cannot trace to its origin: it may reach anything. A
    /// pointer that can only be null is none: the access fails.
    pub fn is_lost(&self, program: &Program, access: &Access) -> bool {
        if access.pointer.is_some_and(|p| self.set(p).next().is_some()) {
            return false;
        }
        let instance = access.place.instance;
        let function = &program.functions[self.instances()[instance].function];
        let instr = &function.blocks[access.place.block].instrs[access.place.index as usize];
        match &instr.op {
            Op::Load { ptr, .. }
            | Op::Store { ptr, .. }
            | Op::AtomicRmw { ptr, .. }
            | Op::CmpXchg { ptr, .. } => !self.is_null(program, instance, ptr, &mut Vec::new()),
            Op::Primitive { args, .. } => match args.first() {
                Some(ptr) => !self.is_null(program, instance, ptr, &mut Vec::new()),
                None => true,
            },
            _ => true,
        }
    }

    /// Whether a pointer without targets is null, or a number, on every path.
    fn is_null(
        &self,
        program: &Program,
        i: InstanceId,
        operand: &Operand,
        seen: &mut Vec<(InstanceId, ValueId)>,
    ) -> bool {
        let v = match operand {
            Operand::Value(v) => *v,
            Operand::Const(c) => {
                return matches!(c, Const::Null | Const::Undef(_) | Const::Int { .. });
            }
        };
        if seen.contains(&(i, v)) {
            return true;
        }
        if seen.len() == MAX_DEPTH {
            return false;
        }
        seen.push((i, v));
        let instance = &self.instances()[i];
        let function = &program.functions[instance.function];
        if let Some(n) = function.params.iter().position(|p| *p == v) {
            let mut places = self.entered_from(i).peekable();
            return places.peek().is_some()
                && places.all(|place| {
                    let caller = &program.functions[self.instances()[place.instance].function];
                    let argument = match &caller.blocks[place.block].instrs[place.index as usize].op
                    {
                        Op::Call { args, .. } => args.get(n),
                        // The function, and its only argument.
                        Op::Primitive { args, .. } => args.get(1).filter(|_| n == 0),
                        _ => None,
                    };
                    argument.is_some_and(|a| self.is_null(program, place.instance, a, seen))
                });
        }
        match definition(function, v) {
            Some(Op::Gep { base, .. }) => self.is_null(program, i, base, seen),
            Some(Op::Phi(items)) => items.iter().all(|(_, o)| self.is_null(program, i, o, seen)),
            Some(Op::Select {
                if_true, if_false, ..
            }) => {
                self.is_null(program, i, if_true, seen) && self.is_null(program, i, if_false, seen)
            }
            Some(Op::Cast {
                kind: CastKind::Bitcast,
                value,
                ..
            }) => self.is_null(program, i, value, seen),
            Some(Op::Load { ptr, .. }) => self.holds_what_is_stored(program, i, ptr),
            Some(Op::Call { .. }) => {
                let calls = instance.calls.iter();
                let mut callees = calls.filter(|(place, _)| {
                    let instr = &function.blocks[place.block].instrs[place.index as usize];
                    instr.result == Some(v)
                });
                callees.clone().next().is_some()
                    && callees.all(|(_, callee)| self.returns_null(program, *callee, seen))
            }
            _ => false,
        }
    }

    /// The calls and thread starts that an instance belongs to.
    fn entered_from(&self, instance: InstanceId) -> impl Iterator<Item = Place> + '_ {
        let all = self.instances().iter();
        let entered = all.flat_map(|i| i.calls.iter().chain(&i.starts));
        entered
            .filter(move |(_, callee)| *callee == instance)
            .map(|(place, _)| *place)
    }

    fn returns_null(
        &self,
        program: &Program,
        callee: InstanceId,
        seen: &mut Vec<(InstanceId, ValueId)>,
    ) -> bool {
        let function = &program.functions[self.instances()[callee].function];
        let mut returned = function.blocks.iter().filter_map(|b| match &b.term {
            Terminator::Return(value) => value.as_ref(),
            _ => None,
        });
        function.is_defined() && returned.all(|o| self.is_null(program, callee, o, seen))
    }

    /// Whether all pointers kept where an operand leads are known: nothing is there that the program has not stored.
    fn holds_what_is_stored(&self, program: &Program, i: InstanceId, ptr: &Operand) -> bool {
        let targets = self.targets_in(i, ptr);
        !targets.is_empty()
            && targets.iter().all(|a| {
                let object = &self.objects()[a.object];
                let known = match object.kind {
                    ObjectKind::Global(g) | ObjectKind::ThreadSlot(g) => {
                        program.globals[g].init.is_some()
                    }
                    ObjectKind::Heap(_) | ObjectKind::Stack(_) => true,
                    _ => false,
                };
                known && !object.lazy && object.content != Content::Plain
            })
    }
}
