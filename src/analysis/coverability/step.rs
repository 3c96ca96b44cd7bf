//! One thread runs on: instruction by instruction, to the next point at which other threads matter.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};

use crate::index::{BlockId, Idx, ValueId};
use crate::program::{
    BinOp, Callee, CastKind, Const, Instr, IntPredicate, Op, Operand, Primitive, Terminator, Type,
};

use super::super::points_to::{InstanceId, ObjectKind, Place};
use super::super::threads::in_loop;
use super::cells;
use super::explore::{Advance, At, Explorer, Halt};
use super::state::{Frame, Micro};
use super::value::{Pointer, Val, Who, arithmetic, compare, cut, signed};

/// So often one point is met with different knowledge before numbers are forgotten, before everything is.
const FEW: usize = 12;
const MANY: usize = 48;
/// Depth of calls.
const MAX_FRAMES: usize = 40;
/// Conditions that follow from one.
const MAX_DEPTH: u32 = 4;

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
                return Ok(match self.terminator(&mut m, place, &block.term)? {
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
                    return Ok(Advance::Step(m));
                }
                m.begun = true;
            }
            m.begun = true;
            if m.depth > 0 {
                let asked = self.closures.asked(place).iter();
                m.accesses.extend(asked.map(|n| (place.instance, *n)));
            }
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
        if !self.closures.asked(place).is_empty() {
            return true;
        }
        match &instr.op {
            Op::Primitive { primitive, .. } => match primitive {
                Primitive::AtomicBegin => self.closures.section_matters(place),
                Primitive::Async | Primitive::GhostGet | Primitive::GhostSet => true,
                _ => false,
            },
            Op::Load { .. } | Op::Store { .. } | Op::AtomicRmw { .. } | Op::CmpXchg { .. } => {
                self.is_cell(m, &instr.op)
            }
            _ => false,
        }
    }

    /// Forgets what is not needed any more.
    fn forget(&mut self, m: &mut Micro) {
        let Some(frame) = m.state.frames.last_mut() else {
            return;
        };
        let f = self.input.points_to.instances()[frame.instance].function;
        let live = self
            .bodies
            .live(self.input.program, f, frame.block, frame.index);
        frame.env.retain(|v, _| live.contains(v.index()));
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
                let known = self.eval(m, lhs).zip(self.eval(m, rhs));
                known
                    .and_then(|(x, y)| compare(*pred, &x, &y, self.bits(m, lhs)))
                    .map(|b| Val::Int(u64::from(b)))
            }
            Op::Cast {
                kind,
                value,
                from,
                to,
            } => {
                let pointer = program.layout.pointer_bytes;
                let widths = (
                    from.bits(pointer).unwrap_or(0),
                    to.bits(pointer).unwrap_or(0),
                );
                self.eval(m, value).and_then(|v| cast(*kind, v, widths))
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
            | Op::FunnelShift { .. }
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
        m.state.memory.retain(|l, _| l.pointer.object != object);
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
            P::Assume => {
                let Some(condition) = args.first() else {
                    return Ok(Then::Next);
                };
                let passes = match self.eval(m, condition) {
                    Some(Val::Int(v)) => v != 0,
                    Some(_) => true,
                    None => self.suppose(m, condition, true, 0),
                };
                return Ok(match (passes, m.depth) {
                    (true, _) => Then::Next,
                    (false, 0) => Then::Ends,
                    (false, _) => Then::Dead,
                });
            }
            P::SelfId => Some(self.own_number(at)),
            P::Async => return self.start(at, m, place, instr, args),
            P::GhostGet | P::GhostSet | P::Havoc => return self.memory(at, m, instr),
            P::Alloc => self
                .input
                .points_to
                .object(ObjectKind::Heap(place))
                .filter(|o| self.input.single.contains(o.index()))
                .map(|object| {
                    Val::Ptr(Pointer {
                        object,
                        offset: 0,
                        index: None,
                    })
                }),
            P::Stop | P::Bug => return Ok(Then::Ends),
            P::Unsupported => {
                let place = self.input.program.source.describe(instr.loc);
                return Err(Halt::Never(format!("not modelled ({place})")));
            }
            P::Nondet(_)
            | P::NondetPtr
            | P::Assert
            | P::Free
            | P::Lazy
            | P::Touch
            | P::Exceeded
            | P::Pair => None,
            P::Choice
            | P::SiteEnabled
            | P::CheckEnabled
            | P::TsMax
            | P::Snapshot
            | P::Rollback
            | P::Fail
            | P::Overlap => {
                return Err(Halt::Never(format!(
                    "{} outside of the sequential program",
                    primitive.name()
                )));
            }
        };
        set(m, instr.result, value);
        Ok(Then::Next)
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
                    && p.index.is_none_or(|(who, _)| who != Who::Me)
            }
            Val::Other { .. } | Val::Tuple(_) => false,
        }
    }

    fn call(
        &mut self,
        m: &mut Micro,
        place: Place,
        instr: &Instr,
        callee: &Callee,
        args: &[Operand],
    ) -> Result<Then, Halt> {
        let program = self.input.program;
        let mut all: Vec<InstanceId> = self.closures.callees(place).to_vec();
        let known = match callee {
            Callee::Direct(f) => Some(*f),
            Callee::Indirect(o) => match self.eval(m, o) {
                Some(Val::Func(f)) => Some(f),
                _ => None,
            },
        };
        if let Some(f) = known {
            let function = |i: &InstanceId| self.input.points_to.instances()[*i].function;
            all.retain(|i| function(i) == f);
            if all.is_empty() && !program.functions[f].is_defined() {
                set(m, instr.result, None);
                return Ok(Then::Next);
            }
        }
        if all.is_empty() {
            if matches!(callee, Callee::Indirect(_)) && !self.input.points_to.is_lost_call(place) {
                // A pointer that can only be null: the call fails.
                return Ok(Then::Ends);
            }
            let place = program.source.describe(instr.loc);
            return Err(Halt::Never(format!(
                "a call that is not followed ({place})"
            )));
        }
        let mut out = Vec::new();
        for callee in all {
            let again = m.state.frames.iter().any(|f| f.instance == callee);
            let closure = self.closures.of(callee);
            let (matters, small) = (closure.matters, closure.small);
            if again && matters {
                let f = self.input.points_to.instances()[callee].function;
                let name = &program.functions[f].name;
                return Err(Halt::Never(format!("{name} calls itself")));
            }
            let mut next = m.clone();
            if !matters && (again || !small) {
                let writes = closure.writes.clone();
                for touch in writes {
                    self.written(&mut next, touch)?;
                }
                set(&mut next, instr.result, None);
                advance(&mut next);
                out.push(next);
                continue;
            }
            if m.state.frames.len() >= MAX_FRAMES {
                return Err(Halt::Never("calls are nested too deeply".to_string()));
            }
            let f = self.input.points_to.instances()[callee].function;
            let params = &program.functions[f].params;
            let env = params
                .iter()
                .zip(args)
                .filter_map(|(p, a)| Some((*p, self.eval(m, a)?)))
                .collect();
            if let Some(caller) = next.state.frames.last_mut() {
                let own = self.input.points_to.instances()[caller.instance].function;
                let live = self
                    .bodies
                    .live(program, own, caller.block, caller.index + 1);
                caller.env.retain(|v, _| live.contains(v.index()));
            }
            next.state.frames.push(Frame {
                instance: callee,
                block: BlockId(0),
                index: 0,
                env,
            });
            out.push(next);
        }
        Ok(Then::Fork(out))
    }

    fn terminator(&mut self, m: &mut Micro, place: Place, term: &Terminator) -> Result<Then, Halt> {
        match term {
            Terminator::Jump(to) => {
                self.jump(m, place.block, *to);
                Ok(Then::Gone)
            }
            Terminator::Branch {
                cond,
                if_true,
                if_false,
            } => match self.eval(m, cond) {
                Some(Val::Int(c)) => {
                    self.jump(m, place.block, if c != 0 { *if_true } else { *if_false });
                    Ok(Then::Gone)
                }
                _ if if_true == if_false => {
                    self.jump(m, place.block, *if_true);
                    Ok(Then::Gone)
                }
                _ if matches!(cond, Operand::Const(_)) => {
                    let mut out = Vec::new();
                    for to in [*if_true, *if_false] {
                        let mut next = m.clone();
                        self.jump(&mut next, place.block, to);
                        out.push(next);
                    }
                    Ok(Then::Fork(out))
                }
                _ => Ok(self.both_ways(m, cond)),
            },
            Terminator::Switch {
                value,
                cases,
                default,
                ..
            } => match self.eval(m, value) {
                Some(Val::Int(v)) => {
                    let hit = cases.iter().find(|(c, _)| *c == u128::from(v));
                    self.jump(m, place.block, hit.map_or(*default, |(_, to)| *to));
                    Ok(Then::Gone)
                }
                _ => {
                    let mut out = Vec::new();
                    for (c, to) in cases {
                        let mut next = m.clone();
                        if let (Operand::Value(v), Ok(c)) = (value, u64::try_from(*c)) {
                            set(&mut next, Some(*v), Some(Val::Int(c)));
                        }
                        self.jump(&mut next, place.block, *to);
                        out.push(next);
                    }
                    let mut next = m.clone();
                    self.jump(&mut next, place.block, *default);
                    out.push(next);
                    Ok(Then::Fork(out))
                }
            },
            Terminator::Return(value) => {
                let value = value.as_ref().and_then(|v| self.eval(m, v));
                let Some(frame) = m.state.frames.pop() else {
                    return Ok(Then::Ends);
                };
                let points_to = self.input.points_to;
                m.state.memory.retain(|l, _| {
                    let kind = points_to.objects()[l.pointer.object].kind;
                    !matches!(kind, ObjectKind::Stack(p) if p.instance == frame.instance)
                });
                let Some(caller) = m.state.frames.last() else {
                    return Ok(Then::Ends);
                };
                let place = caller.place();
                let f = points_to.instances()[place.instance].function;
                let block = &self.input.program.functions[f].blocks[place.block];
                let result = block.instrs[place.index as usize].result;
                set(m, result, value);
                advance(m);
                Ok(Then::Gone)
            }
            Terminator::Unreachable => Ok(Then::Ends),
            Terminator::Unsupported(what) => Err(Halt::Never(what.clone())),
        }
    }

    /// Both values of a condition that is a value of the function.
    fn both_ways(&mut self, m: &Micro, cond: &Operand) -> Then {
        let mut out = Vec::new();
        for way in [true, false] {
            let mut next = m.clone();
            if self.suppose(&mut next, cond, way, 0) {
                out.push(next);
            }
        }
        Then::Fork(out)
    }

    /// Notes that a condition holds, or not, and what follows. `false`: it cannot be so.
    fn suppose(&mut self, m: &mut Micro, condition: &Operand, holds: bool, depth: u32) -> bool {
        let Operand::Value(v) = condition else {
            return true;
        };
        match self.eval(m, condition) {
            Some(Val::Int(known)) => return (known != 0) == holds,
            Some(Val::NonZero | Val::Ptr(_) | Val::Func(_)) => return holds,
            Some(Val::Id { .. } | Val::Other { .. } | Val::Tuple(_)) => return true,
            None => {}
        }
        let Some(frame) = m.state.frames.last() else {
            return true;
        };
        let f = self.input.points_to.instances()[frame.instance].function;
        let program = self.input.program;
        let bit = program.functions[f].values[*v].ty == Type::Int(1);
        let known = match (bit, holds) {
            (true, _) => Val::Int(u64::from(holds)),
            (false, true) => Val::NonZero,
            (false, false) => Val::Int(0),
        };
        set(m, Some(*v), Some(known));
        if depth == MAX_DEPTH {
            return true;
        }
        let Some((b, n)) = self.bodies.definition(program, f, *v) else {
            return true;
        };
        match &program.functions[f].blocks[b].instrs[n as usize].op {
            Op::Icmp { pred, lhs, rhs } => {
                let equal = match (pred, holds) {
                    (IntPredicate::Eq, true) | (IntPredicate::Ne, false) => true,
                    (IntPredicate::Eq, false) | (IntPredicate::Ne, true) => false,
                    _ => return true,
                };
                for (x, y) in [(lhs, rhs), (rhs, lhs)] {
                    let (Operand::Value(_), None, Some(other)) =
                        (x, self.eval(m, x), self.eval(m, y))
                    else {
                        continue;
                    };
                    if equal {
                        set(m, x.value(), Some(other));
                    } else if other == Val::Int(0) && !self.suppose(m, x, true, depth + 1) {
                        return false;
                    }
                }
                true
            }
            Op::Cast {
                kind: CastKind::ZExt | CastKind::SExt,
                value,
                ..
            } => self.suppose(m, value, holds, depth + 1),
            Op::Bin {
                op: BinOp::Xor,
                lhs,
                rhs,
            } if bit && self.eval(m, rhs) == Some(Val::Int(1)) => {
                self.suppose(m, lhs, !holds, depth + 1)
            }
            Op::Bin {
                op: BinOp::And,
                lhs,
                rhs,
            } if bit && holds => {
                self.suppose(m, lhs, true, depth + 1) && self.suppose(m, rhs, true, depth + 1)
            }
            Op::Bin {
                op: BinOp::Or,
                lhs,
                rhs,
            } if bit && !holds => {
                self.suppose(m, lhs, false, depth + 1) && self.suppose(m, rhs, false, depth + 1)
            }
            _ => true,
        }
    }

    /// Goes to a block of the same function.
    fn jump(&mut self, m: &mut Micro, from: BlockId, to: BlockId) {
        let Some(place) = m.state.place() else { return };
        let f = self.input.points_to.instances()[place.instance].function;
        let block = &self.input.program.functions[f].blocks[to];
        let mut values: Vec<(ValueId, Option<Val>)> = Vec::new();
        let mut index = 0;
        for instr in &block.instrs {
            let Op::Phi(incoming) = &instr.op else { break };
            index += 1;
            let operand = incoming.iter().find(|(b, _)| *b == from).map(|(_, o)| o);
            let value = operand.and_then(|o| self.eval(m, o));
            values.extend(instr.result.map(|v| (v, value)));
        }
        for (v, value) in values {
            set(m, Some(v), value);
        }
        if let Some(frame) = m.state.frames.last_mut() {
            frame.block = to;
            frame.index = index;
        }
        self.forget(m);
        self.widen(m);
    }

    /// A point that is met again and again with different knowledge is met with less.
    fn widen(&mut self, m: &mut Micro) {
        let path: Vec<Place> = m.state.frames.iter().map(Frame::place).collect();
        let mut hasher = FxHasher::default();
        for frame in &m.state.frames {
            frame.env.hash(&mut hasher);
        }
        m.state.memory.hash(&mut hasher);
        let met: &mut FxHashSet<u64> = self.met.entry(path).or_default();
        met.insert(hasher.finish());
        let n = met.len();
        if n <= FEW {
            return;
        }
        let Some(frame) = m.state.frames.last_mut() else {
            return;
        };
        if n <= MANY {
            frame
                .env
                .retain(|_, v| !matches!(v, Val::Int(_) | Val::NonZero | Val::Tuple(_)));
            return;
        }
        for frame in &mut m.state.frames {
            frame.env.clear();
        }
        for known in m.state.memory.values_mut() {
            *known = None;
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
        (CastKind::Trunc, v @ (Val::Id { .. } | Val::Other { .. })) if to >= 16 => Some(v),
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
