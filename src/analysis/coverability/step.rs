//! One thread runs on: instruction by instruction, to the next point at which other threads matter.

use std::sync::Arc;

use crate::environment::contract::{SAME_FILE, UNBOUND};
use crate::faults::{NetFault, seeded};
use crate::index::{Idx, ValueId};
use crate::program::{CastKind, Const, Instr, IntPredicate, Op, Operand, Primitive};

use super::super::points_to::{InstanceId, ObjectKind, Place};
use super::super::threads::in_loop;
use super::cells::{self, Location};
use super::explore::{Advance, At, Explorer, Halt};
use super::state::Micro;
use super::value::{Pointer, Val, Who, arithmetic, compare, cut, signed};

/// What comes of an instruction.
pub(super) enum Then {
    /// Done; the next one.
    Next,
    /// These, each ready to go on (or to execute the instruction again, knowing more).
    Fork(Vec<Micro>),
    /// Control went elsewhere.
    Gone,
    /// The section that this is in cannot be entered.
    Dead,
    /// The thread is over, or waits for ever.
    Ends,
}

impl Explorer<'_> {
    /// Runs a thread until it forks, or the step is over.
    pub(super) fn advance(&mut self, at: At, mut m: Micro) -> Result<Advance, Halt> {
        loop {
            self.tick()?;
            let Some(place) = m.state.place() else {
                return Ok(Advance::Ends(m));
            };
            let program = self.input.program;
            let f = self.input.points_to.instances()[place.instance].function;
            let block = &program.functions[f].blocks[place.block];
            let Some(instr) = block.instrs.get(place.index as usize) else {
                m.passed |= !self.alone && block.term_site.is_some();
                return Ok(match self.terminator(at, &mut m, place, &block.term)? {
                    Then::Fork(all) => Advance::Fork(all),
                    Then::Dead => Advance::Fork(Vec::new()),
                    Then::Ends => Advance::Ends(m),
                    // Not on from here: a loop without steps must not keep us.
                    Then::Next | Then::Gone => Advance::Fork(vec![m]),
                });
            };
            let again = std::mem::replace(&mut m.again, false);
            if m.depth == 0 && !again && self.is_point(&m, place, instr) {
                if m.begun {
                    self.forget(&mut m);
                    self.forget_hidden(&mut m.state);
                    return Ok(Advance::Step(m));
                }
                m.begun = true;
            }
            m.begun = true;
            m.passed |= !self.alone && instr.site.is_some();
            if m.depth > 0 {
                let private = self.is_private(&m.state, &instr.op);
                let asked = self.closures.asked(place);
                match private {
                    true => self
                        .private
                        .extend(instr.site.filter(|_| !asked.is_empty())),
                    false => m
                        .accesses
                        .extend(asked.iter().map(|n| (place.instance, *n))),
                }
            }
            self.let_out(&mut m, instr);
            match self.instruction(at, &mut m, place, instr)? {
                Then::Next => advance(&mut m),
                Then::Gone => {}
                Then::Fork(all) => return Ok(Advance::Fork(all)),
                Then::Dead => return Ok(Advance::Fork(Vec::new())),
                Then::Ends => return Ok(Advance::Ends(m)),
            }
            if m.breaks.is_some() {
                return Ok(Advance::Ends(m));
            }
        }
    }

    /// Whether a step ends before an instruction outside of atomic sections.
    fn is_point(&mut self, m: &Micro, place: Place, instr: &Instr) -> bool {
        if self.alone {
            return false;
        }
        if !self.closures.asked(place).is_empty() {
            return true;
        }
        match &instr.op {
            Op::Primitive { primitive, .. } => match primitive {
                Primitive::AtomicBegin => self.closures.section_matters(place),
                Primitive::Async => true,
                Primitive::GhostGet | Primitive::GhostSet => {
                    // Ghost state alone is never where others get their turn.
                    self.input.entries.is_none() || m.passed && self.is_cell(m, &instr.op)
                }
                _ => false,
            },
            Op::Load { .. } | Op::Store { .. } | Op::AtomicRmw { .. } | Op::CmpXchg { .. } => {
                self.is_cell(m, &instr.op)
            }
            _ => false,
        }
    }

    /// Forgets what is not needed any more.
    pub(super) fn forget(&mut self, m: &mut Micro) {
        let Some(frame) = m.state.frames.last_mut() else {
            return;
        };
        let f = self.input.points_to.instances()[frame.instance].function;
        let live = self
            .bodies
            .live(self.input.program, f, frame.block, frame.index);
        // What stays as it is stays shared.
        if frame.env.keys().any(|v| !live.contains(v.index())) {
            frame.env.retain(|v, _| live.contains(v.index()));
        }
    }

    /// What is known of an operand.
    pub(super) fn eval(&self, m: &Micro, operand: &Operand) -> Option<Val> {
        match operand {
            Operand::Value(v) => m.state.frames.last()?.env.get(v).cloned(),
            Operand::Const(c) => cells::constant(self.input.points_to, c),
        }
    }

    /// The width of an operand; 0 where it has none.
    pub(super) fn bits(&self, m: &Micro, operand: &Operand) -> u32 {
        let program = self.input.program;
        match operand {
            Operand::Value(v) => m.state.frames.last().map_or(0, |frame| {
                let f = self.input.points_to.instances()[frame.instance].function;
                let ty = &program.functions[f].values[*v].ty;
                ty.bits(program.layout.pointer_bytes).unwrap_or(0)
            }),
            Operand::Const(Const::Int { bits, .. }) => *bits,
            Operand::Const(_) => program.layout.pointer_bytes * 8,
        }
    }

    fn instruction(
        &mut self,
        at: At,
        m: &mut Micro,
        place: Place,
        instr: &Instr,
    ) -> Result<Then, Halt> {
        let program = self.input.program;
        let value = match &instr.op {
            Op::Phi(_) => return Ok(Then::Next),
            Op::Bin { op, lhs, rhs } => {
                let (x, y) = (self.eval(m, lhs), self.eval(m, rhs));
                arithmetic(*op, x.as_ref(), y.as_ref(), self.bits(m, lhs).max(1))
            }
            Op::Icmp { pred, lhs, rhs } => {
                return Ok(self.comparison(m, instr, *pred, (lhs, rhs)));
            }
            Op::Cast {
                kind,
                value,
                from,
                to,
            } => {
                let widths = [from, to].map(|ty| ty.bits(program.layout.pointer_bytes));
                let [from, to] = widths.map(|bits| bits.unwrap_or(0));
                self.eval(m, value).and_then(|v| cast(*kind, v, (from, to)))
            }
            Op::Select {
                cond,
                if_true,
                if_false,
            } => match self.eval(m, cond) {
                Some(Val::Int(c)) => self.eval(m, if c != 0 { if_true } else { if_false }),
                _ if if_true == if_false => self.eval(m, if_true),
                _ if matches!(cond, Operand::Const(_)) => None,
                _ => return Ok(self.both_ways(m, cond)),
            },
            Op::Gep {
                base,
                offset,
                scaled,
                ..
            } => self.address(m, base, *offset, scaled),
            Op::Alloca { .. } => self.stack_object(m, place),
            Op::Extract { tuple, index } => match self.eval(m, tuple) {
                Some(Val::Tuple(items)) => items.get(*index as usize).cloned().flatten(),
                _ => None,
            },
            Op::Insert { .. }
            | Op::CountOnes { .. }
            | Op::LeadingZeros { .. }
            | Op::TrailingZeros { .. }
            | Op::ByteSwap { .. }
            | Op::Bounds { .. }
            | Op::FunnelShift { .. }
            | Op::Float { .. }
            | Op::FloatCompare { .. }
            | Op::FloatConvert { .. }
            | Op::WithOverflow { .. } => None,
            Op::Unsupported(what) => {
                return Err(Halt::Never(format!(
                    "{what} ({})",
                    program.source.describe(instr.loc)
                )));
            }
            Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicRmw { .. }
            | Op::CmpXchg { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. } => return self.memory(at, m, instr),
            Op::Call { callee, args, .. } => return self.call(m, place, instr, callee, args),
            Op::Primitive { primitive, args } => {
                return self.primitive(at, m, place, instr, *primitive, args);
            }
        };
        set(m, instr.result, value);
        Ok(Then::Next)
    }

    fn comparison(
        &self,
        m: &mut Micro,
        instr: &Instr,
        pred: IntPredicate,
        (lhs, rhs): (&Operand, &Operand),
    ) -> Then {
        let known = self.eval(m, lhs).zip(self.eval(m, rhs));
        let bits = self.bits(m, lhs);
        if let Some((x, y)) = &known
            && let Some(ways) = self.compare_count(m, pred, (x, y), bits, instr.result)
        {
            return ways;
        }
        let holds = known.and_then(|(x, y)| compare(pred, &x, &y, bits));
        set(m, instr.result, holds.map(|b| Val::Int(u64::from(b))));
        Then::Next
    }

    fn address(
        &self,
        m: &Micro,
        base: &Operand,
        offset: i64,
        scaled: &[(Operand, i64)],
    ) -> Option<Val> {
        let Some(Val::Ptr(mut p)) = self.eval(m, base) else {
            return None;
        };
        p.offset = p.offset.checked_add(offset)?;
        for (index, scale) in scaled {
            match self.eval(m, index)? {
                Val::Int(v) => {
                    let bits = self.bits(m, index);
                    p.offset = p.offset.checked_add(signed(v, bits).checked_mul(*scale)?)?;
                }
                Val::Id { who, add } if p.index.is_none() && *scale > 0 => {
                    p.index = Some((who, scale.unsigned_abs()));
                    p.offset = p.offset.checked_add(add.checked_mul(*scale)?)?;
                }
                _ => return None,
            }
        }
        Some(Val::Ptr(p))
    }

    /// A new object on the stack; what was known of its predecessor is not true of it.
    fn stack_object(&self, m: &mut Micro, place: Place) -> Option<Val> {
        let object = self.input.points_to.object(ObjectKind::Stack(place))?;
        let known = |l: &Location| l.pointer.object == object;
        if m.state.memory.keys().any(known) {
            self.publish_memory(m);
            Arc::make_mut(&mut m.state.memory).retain(|l, _| !known(l));
        }
        let f = self.input.points_to.instances()[place.instance].function;
        let once = !in_loop(&self.input.program.functions[f], place.block);
        let exact = match self.input.points_to.is_shared(object) {
            true => self.input.single.contains(object.index()),
            false => once,
        };
        exact.then_some(Val::Ptr(Pointer {
            object,
            offset: 0,
            index: None,
        }))
    }

    fn primitive(
        &mut self,
        at: At,
        m: &mut Micro,
        place: Place,
        instr: &Instr,
        primitive: Primitive,
        args: &[Operand],
    ) -> Result<Then, Halt> {
        use Primitive as P;
        let value = match primitive {
            P::AtomicBegin => {
                m.depth += 1;
                return Ok(Then::Next);
            }
            P::AtomicEnd => {
                m.depth = m.depth.saturating_sub(1);
                return Ok(Then::Next);
            }
            P::Assume => return Ok(self.assume(m, args)),
            P::SelfId => Some(self.own_number(at)),
            P::Async if self.alone => {
                return Err(Halt::Never("initialisation starts threads".to_string()));
            }
            P::Async => return self.start(at, m, place, instr, args),
            // Which entry points a run is about is not known; it is the steady scenario, with a device that is bound.
            P::Pair if self.input.entries.is_some() => {
                let asked = args.first().and_then(|n| self.eval(m, n));
                let known = [2, UNBOUND as u64, SAME_FILE as u64].map(Val::Int);
                asked.filter(|n| known.contains(n)).map(|_| Val::Int(0))
            }
            P::GhostGet | P::GhostSet | P::Havoc => return self.memory(at, m, instr),
            P::Alloc => self.allocated(m, place),
            P::Lazy => self.made(m, ObjectKind::Lazy(place)),
            P::Stop | P::Bug if seeded(NetFault::StopsUndo) => return Ok(Then::Dead),
            P::Stop | P::Bug => return Ok(Then::Ends),
            P::Unsupported | P::Gap => {
                let place = self.input.program.source.describe(instr.loc);
                return Err(Halt::Never(format!("not modelled ({place})")));
            }
            P::Nondet(_)
            | P::NondetPtr
            | P::Assert
            | P::Check
            | P::Free
            | P::Leave
            | P::Touch
            | P::Exceeded
            | P::Pair => None,
            P::Choice
            | P::SiteEnabled
            | P::CheckEnabled
            | P::Watched
            | P::WatchedBits
            | P::TsMax
            | P::PlainRaise
            | P::Snapshot
            | P::Rollback
            | P::Fail
            | P::Note
            | P::Overlap
            | P::Contexts
            | P::Copy
            | P::Consistent => {
                return Err(Halt::Never(format!(
                    "{} outside of the sequential program",
                    primitive.name()
                )));
            }
        };
        set(m, instr.result, value);
        Ok(Then::Next)
    }

    /// A condition without which the thread does not go on.
    fn assume(&mut self, m: &mut Micro, args: &[Operand]) -> Then {
        let Some(condition) = args.first() else {
            return Then::Next;
        };
        let passes = match self.eval(m, condition) {
            Some(Val::Int(v)) => v != 0,
            Some(_) => true,
            None if seeded(NetFault::UnknownAssumeFails) => false,
            None => self.suppose(m, condition, true, 0),
        };
        match (passes, m.depth) {
            (true, _) => Then::Next,
            (false, 0) => Then::Ends,
            (false, _) => Then::Dead,
        }
    }

    /// An object on the heap.
    fn allocated(&mut self, m: &mut Micro, place: Place) -> Option<Val> {
        let object = self.input.points_to.object(ObjectKind::Heap(place));
        match object.filter(|o| self.input.single.contains(o.index())) {
            Some(object) => Some(Val::Ptr(Pointer {
                object,
                offset: 0,
                index: None,
            })),
            None => self.made(m, ObjectKind::Heap(place)),
        }
    }

    fn start(
        &mut self,
        at: At,
        m: &mut Micro,
        place: Place,
        instr: &Instr,
        args: &[Operand],
    ) -> Result<Then, Halt> {
        let function = args.first().and_then(|f| self.eval(m, f));
        let argument = args.get(1).and_then(|a| self.eval(m, a));
        let argument = argument.filter(|a| self.is_for_all(a));
        let first = m.depth == 0 && self.jobs[&at.job].states[at.state].place() == Some(place);
        let all: Vec<InstanceId> = self
            .closures
            .starts(place)
            .iter()
            .copied()
            .filter(|s| match &function {
                Some(Val::Func(f)) => self.input.points_to.instances()[*s].function == *f,
                _ => true,
            })
            .collect();
        if all.is_empty() {
            let place = self.input.program.source.describe(instr.loc);
            return Err(Halt::Never(format!(
                "an unknown thread is started ({place})"
            )));
        }
        let mut out = Vec::new();
        for instance in all {
            let job = self.starts(at, first, instance, argument.clone())?;
            let mut next = m.clone();
            next.starts.push(job);
            let number = match self.jobs[&job].once {
                true => Val::Id {
                    who: Who::Job(job),
                    add: 0,
                },
                false => Val::NonZero,
            };
            set(&mut next, instr.result, Some(number));
            advance(&mut next);
            out.push(next);
        }
        Ok(Then::Fork(out))
    }

    /// Whether a value means the same to all threads.
    pub(super) fn is_for_all(&self, value: &Val) -> bool {
        match value {
            Val::Int(_) | Val::Func(_) | Val::NonZero => true,
            Val::Id { who, .. } => matches!(who, Who::Job(_)),
            Val::Ptr(p) => {
                self.input.single.contains(p.object.index())
                    && p.index.is_none_or(|(who, _)| matches!(who, Who::Job(_)))
            }
            Val::Other { .. } | Val::Count { .. } | Val::Tuple(_) => false,
        }
    }
}

/// The next instruction.
pub(super) fn advance(m: &mut Micro) {
    if let Some(frame) = m.state.frames.last_mut() {
        frame.index += 1;
    }
}

/// Notes what is known of a value.
pub(super) fn set(m: &mut Micro, value: Option<ValueId>, known: Option<Val>) {
    let (Some(v), Some(frame)) = (value, m.state.frames.last_mut()) else {
        return;
    };
    match known {
        Some(known) => frame.env.insert(v, known),
        None => frame.env.remove(&v),
    };
}

fn cast(kind: CastKind, value: Val, (from, to): (u32, u32)) -> Option<Val> {
    match (kind, value) {
        (CastKind::Trunc, Val::Int(v)) => Some(Val::Int(cut(v, to))),
        (CastKind::SExt, Val::Int(v)) => Some(Val::Int(cut(signed(v, from) as u64, to))),
        (CastKind::Trunc, v @ (Val::Id { .. } | Val::Other { .. } | Val::Count { .. }))
            if to >= 16 =>
        {
            Some(v)
        }
        (CastKind::Trunc, _) => None,
        (_, Val::Int(v)) => Some(Val::Int(cut(v, to))),
        (CastKind::PtrToInt | CastKind::IntToPtr, v) if from == to => Some(v),
        (CastKind::PtrToInt | CastKind::IntToPtr, v @ (Val::Id { .. } | Val::NonZero)) => {
            (to >= from).then_some(v)
        }
        (CastKind::PtrToInt | CastKind::IntToPtr, _) => None,
        (CastKind::ZExt | CastKind::SExt | CastKind::Bitcast, v) => Some(v),
    }
}
