//! Where a thread goes on: branches, returns, what a condition says, and what is forgotten where too much is known.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashSet, FxHasher};

use crate::faults::{NetFault, seeded};
use crate::index::{BlockId, ValueId};
use crate::program::{BinOp, CastKind, IntPredicate, Op, Operand, Terminator, Type};

use super::super::points_to::{ObjectKind, Place};
use super::cells::Location;
use super::explore::{At, Explorer, Halt};
use super::state::{Frame, Micro};
use super::step::{Then, advance, set};
use super::value::Val;

/// So often one point is met with different knowledge before numbers are forgotten, before everything is.
const FEW: usize = 12;
const MANY: usize = 48;
/// Conditions that follow from one.
const MAX_DEPTH: u32 = 4;

impl Explorer<'_> {
    /// Goes on behind the last instruction of a block.
    pub(super) fn terminator(
        &mut self,
        at: At,
        m: &mut Micro,
        place: Place,
        term: &Terminator,
    ) -> Result<Then, Halt> {
        match term {
            Terminator::Jump(to) => {
                self.jump(m, place.block, *to);
                Ok(Then::Gone)
            }
            Terminator::Branch {
                cond,
                if_true,
                if_false,
            } => Ok(self.branch(m, place.block, cond, (*if_true, *if_false))),
            Terminator::Switch {
                value,
                cases,
                default,
                ..
            } => Ok(self.switch(m, place.block, value, (cases, *default))),
            Terminator::Return(value) => Ok(self.return_from(at, m, value.as_ref())),
            Terminator::Unreachable => Ok(Then::Ends),
            Terminator::Unsupported(what) => Err(Halt::Never(what.clone())),
        }
    }

    fn branch(
        &mut self,
        m: &mut Micro,
        from: BlockId,
        cond: &Operand,
        (if_true, if_false): (BlockId, BlockId),
    ) -> Then {
        match self.eval(m, cond) {
            Some(Val::Int(c)) => {
                self.jump(m, from, if c != 0 { if_true } else { if_false });
                Then::Gone
            }
            _ if if_true == if_false => {
                self.jump(m, from, if_true);
                Then::Gone
            }
            _ if matches!(cond, Operand::Const(_)) => {
                let mut out = Vec::new();
                for to in [if_true, if_false] {
                    let mut next = m.clone();
                    self.jump(&mut next, from, to);
                    out.push(next);
                }
                Then::Fork(out)
            }
            _ => self.both_ways(m, cond),
        }
    }

    fn switch(
        &mut self,
        m: &mut Micro,
        from: BlockId,
        value: &Operand,
        (cases, default): (&[(u128, BlockId)], BlockId),
    ) -> Then {
        match self.eval(m, value) {
            Some(Val::Int(v)) => {
                let hit = cases.iter().find(|(c, _)| *c == u128::from(v));
                self.jump(m, from, hit.map_or(default, |(_, to)| *to));
                Then::Gone
            }
            _ => {
                let mut out = Vec::new();
                for (c, to) in cases {
                    let mut next = m.clone();
                    if let (Operand::Value(v), Ok(c)) = (value, u64::try_from(*c)) {
                        set(&mut next, Some(*v), Some(Val::Int(c)));
                    }
                    self.jump(&mut next, from, *to);
                    out.push(next);
                }
                let mut next = m.clone();
                self.jump(&mut next, from, default);
                out.push(next);
                Then::Fork(out)
            }
        }
    }

    /// The thread goes on behind the call, or is over.
    fn return_from(&mut self, at: At, m: &mut Micro, value: Option<&Operand>) -> Then {
        let value = value.and_then(|v| self.eval(m, v));
        let Some(frame) = m.state.frames.pop() else {
            return Then::Ends;
        };
        let points_to = self.input.points_to;
        let function = points_to.instances()[frame.instance].function;
        if self
            .running(at.job)
            .is_some_and(|e| e.opens == Some(function))
            && m.state.frames.len() == 1
        {
            let failed = value.as_ref().is_some_and(|v| *v != Val::Int(0));
            m.state.opened = !failed;
        }
        let gone = |l: &Location| {
            let kind = points_to.objects()[l.pointer.object].kind;
            matches!(kind, ObjectKind::Stack(p) if p.instance == frame.instance)
        };
        if m.state.memory.keys().any(gone) {
            Arc::make_mut(&mut m.state.memory).retain(|l, _| !gone(l));
        }
        let Some(caller) = m.state.frames.last() else {
            return Then::Ends;
        };
        let place = caller.place();
        let f = points_to.instances()[place.instance].function;
        let block = &self.input.program.functions[f].blocks[place.block];
        let result = block.instrs[place.index as usize].result;
        set(m, result, value);
        advance(m);
        Then::Gone
    }

    /// Both values of a condition that is a value of the function.
    pub(super) fn both_ways(&mut self, m: &Micro, cond: &Operand) -> Then {
        let mut out = Vec::new();
        for way in [true, false] {
            if !way && seeded(NetFault::UnknownHolds) {
                continue;
            }
            let mut next = m.clone();
            next.again = true;
            if self.suppose(&mut next, cond, way, 0) {
                out.push(next);
            }
        }
        Then::Fork(out)
    }

    /// Notes that a condition holds, or not, and what follows. `false`: it cannot be so.
    pub(super) fn suppose(
        &mut self,
        m: &mut Micro,
        condition: &Operand,
        holds: bool,
        depth: u32,
    ) -> bool {
        let Operand::Value(v) = condition else {
            return true;
        };
        match self.eval(m, condition) {
            Some(Val::Int(known)) => return (known != 0) == holds,
            Some(Val::NonZero | Val::Ptr(_) | Val::Func(_)) => return holds,
            Some(Val::Id { .. } | Val::Other { .. } | Val::Count { .. } | Val::Tuple(_)) => {
                return true;
            }
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
                self.suppose_equal(m, (lhs, rhs), equal, depth)
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

    /// Notes that two values are equal, or not. `false`: it cannot be so.
    fn suppose_equal(
        &mut self,
        m: &mut Micro,
        (lhs, rhs): (&Operand, &Operand),
        equal: bool,
        depth: u32,
    ) -> bool {
        for (x, y) in [(lhs, rhs), (rhs, lhs)] {
            let (Operand::Value(_), None, Some(other)) = (x, self.eval(m, x), self.eval(m, y))
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
            let stale = seeded(NetFault::StalePhis)
                && m.state
                    .frames
                    .last()
                    .is_some_and(|f| f.env.contains_key(&v));
            if stale {
                continue;
            }
            set(m, Some(v), value);
        }
        m.again = false;
        if let Some(frame) = m.state.frames.last_mut() {
            frame.block = to;
            frame.index = index;
        }
        self.forget(m);
        if !self.alone {
            self.widen(m);
        }
    }

    /// A point of a loop that is met again and again with different knowledge is met with less.
    fn widen(&mut self, m: &mut Micro) {
        let Some(place) = m.state.place() else { return };
        let f = self.input.points_to.instances()[place.instance].function;
        // What joins in a driver is too much to be told apart where nothing is repeated, too.
        let everywhere = self.input.entries.is_some();
        if !everywhere && !self.bodies.in_loop(self.input.program, f, place.block) {
            return;
        }
        let path: Vec<Place> = m.state.frames.iter().map(Frame::place).collect();
        let mut hasher = FxHasher::default();
        for frame in &m.state.frames {
            frame.env.hash(&mut hasher);
        }
        m.state.memory.hash(&mut hasher);
        m.state.unpublished.hash(&mut hasher);
        let met: &mut FxHashSet<u64> = self.met.entry(path).or_default();
        met.insert(hasher.finish());
        let n = met.len();
        if n <= FEW {
            return;
        }
        if seeded(NetFault::LoopsAreShort) {
            m.state.frames.clear();
            return;
        }
        let Some(frame) = m.state.frames.last_mut() else {
            return;
        };
        if n <= MANY {
            let lost = |v: &Val| matches!(v, Val::Int(_) | Val::NonZero | Val::Tuple(_));
            let out: Vec<Val> = frame.env.values().filter(|v| lost(v)).cloned().collect();
            frame.env.retain(|_, v| !lost(v));
            self.publish(m, &out);
            return;
        }
        if !seeded(NetFault::HiddenForEver) {
            m.state.unpublished.clear();
        }
        for frame in &mut m.state.frames {
            frame.env.clear();
        }
        for known in Arc::make_mut(&mut m.state.memory).values_mut() {
            *known = None;
        }
    }
}
