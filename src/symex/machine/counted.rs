//! Loops that count: how often one goes round if nothing else leaves it; loops that walk along a table to an entry that ends it.

use std::collections::BTreeMap;

use crate::config::MAX_OPEN_ITERATIONS;
use crate::expr::Terms;
use crate::index::{BlockId, IdVec, ValueId};
use crate::program::{BinOp, CastKind, Const, Function, IntPredicate, Op, Operand, Terminator};
use crate::symex::machine::activation::Activation;
use crate::symex::machine::cfg::Instance;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::Mode;
use crate::symex::machine::state::{Flow, Value};

/// A branch that leaves a loop by comparing what each round changes with something that stays.
#[derive(Clone, Debug)]
pub struct Counter {
    pred: IntPredicate,
    lhs: Operand,
    rhs: Operand,
    changes: Changes,
    /// Whether the loop goes on where the comparison holds.
    stays_if: bool,
}

/// How what is compared changes from round to round.
#[derive(Clone, Copy, Debug)]
enum Changes {
    /// Each round adds these to the left and to the right side.
    By([i128; 2]),
    /// One side is read from an address that each round moves on.
    Read,
}

/// The counters among the blocks of `function`; `loops`: headers of the loops around each block, outermost first.
pub fn counters(
    function: &Function,
    loops: &IdVec<BlockId, Vec<BlockId>>,
) -> BTreeMap<BlockId, Counter> {
    let mut found = BTreeMap::new();
    for block in function.blocks.ids() {
        let Some(&header) = loops[block].last() else {
            continue;
        };
        let Terminator::Branch {
            cond: Operand::Value(cond),
            if_true,
            if_false,
        } = &function.blocks[block].term
        else {
            continue;
        };
        let inside = |b: &BlockId| loops[*b].contains(&header);
        let stays_if = match (inside(if_true), inside(if_false)) {
            (true, false) => true,
            (false, true) => false,
            _ => continue,
        };
        let steps = Steps {
            function,
            loops,
            header,
        };
        let Some((_, Op::Icmp { pred, lhs, rhs })) = steps.definition(*cond) else {
            continue;
        };
        let changes = match (steps.of(lhs, 4), steps.of(rhs, 4)) {
            (Some(left), Some(right)) if left != right => Changes::By([left, right]),
            (None, Some(0)) if steps.walks(lhs, 2) => Changes::Read,
            (Some(0), None) if steps.walks(rhs, 2) => Changes::Read,
            _ => continue,
        };
        found.insert(
            block,
            Counter {
                pred: *pred,
                lhs: lhs.clone(),
                rhs: rhs.clone(),
                changes,
                stays_if,
            },
        );
    }
    found
}

/// What a round of a loop adds to values.
struct Steps<'a> {
    function: &'a Function,
    loops: &'a IdVec<BlockId, Vec<BlockId>>,
    header: BlockId,
}

impl<'a> Steps<'a> {
    fn definition(&self, value: ValueId) -> Option<(BlockId, &'a Op)> {
        let blocks = self.function.blocks.iter_ids();
        let mut all = blocks.flat_map(|(b, block)| block.instrs.iter().map(move |i| (b, i)));
        all.find(|(_, i)| i.result == Some(value))
            .map(|(b, i)| (b, &i.op))
    }

    /// What a round adds to an operand, if that is a constant: 0 to what is from outside the loop.
    fn of(&self, operand: &Operand, depth: u32) -> Option<i128> {
        let Operand::Value(value) = operand else {
            return Some(0);
        };
        let Some((block, op)) = self.definition(*value) else {
            return Some(0);
        };
        if !self.loops[block].contains(&self.header) {
            return Some(0);
        }
        match op {
            Op::Phi(incoming) if block == self.header => {
                let mut steps = incoming
                    .iter()
                    .filter(|(from, _)| self.loops[*from].contains(&self.header))
                    .map(|(_, next)| self.between(*value, next));
                let first = steps.next()??;
                steps.all(|s| s == Some(first)).then_some(first)
            }
            _ if depth == 0 => None,
            Op::Cast {
                kind: CastKind::SExt | CastKind::ZExt | CastKind::Trunc | CastKind::Bitcast,
                value,
                ..
            } => self.of(value, depth - 1),
            Op::Bin {
                op: BinOp::Add | BinOp::Sub,
                lhs,
                rhs: Operand::Const(Const::Int { .. }),
            } => self.of(lhs, depth - 1),
            Op::Gep {
                base,
                scaled,
                offset: _,
                field: _,
            } => {
                let of_index = |(index, bytes): &(Operand, i64)| {
                    Some(self.of(index, depth - 1)?.wrapping_mul(i128::from(*bytes)))
                };
                let moved: Option<i128> = scaled.iter().map(of_index).sum();
                Some(self.of(base, depth - 1)?.wrapping_add(moved?))
            }
            _ => None,
        }
    }

    /// Whether an operand is read in each round, from an address that each round moves on.
    fn walks(&self, operand: &Operand, depth: u32) -> bool {
        let defined = operand.value().and_then(|v| self.definition(v));
        let Some((block, op)) = defined.filter(|(b, _)| self.loops[*b].contains(&self.header))
        else {
            return false;
        };
        match op {
            Op::Load { ptr, .. } => self.of(ptr, 4).is_some_and(|step| step != 0),
            Op::Cast { value, .. } if depth > 0 => self.walks(value, depth - 1),
            // Where the comparison stands at the end of the round, what the next one reads.
            Op::Phi(incoming) if depth > 0 && block == self.header => {
                let mut inside = incoming
                    .iter()
                    .filter(|(from, _)| self.loops[*from].contains(&self.header));
                inside.all(|(_, next)| self.walks(next, depth - 1))
            }
            _ => false,
        }
    }

    /// What the next value of a phi is more than the one now.
    fn between(&self, phi: ValueId, next: &Operand) -> Option<i128> {
        let (_, op) = self.definition(next.value()?)?;
        if let Op::Gep {
            base: Operand::Value(base),
            offset,
            scaled,
            field: _,
        } = op
        {
            return (*base == phi && scaled.is_empty()).then_some(i128::from(*offset));
        }
        let Op::Bin {
            op,
            lhs: Operand::Value(base),
            rhs: Operand::Const(Const::Int { bits, value }),
        } = op
        else {
            return None;
        };
        let unused = 128 - bits;
        let step = ((value << unused) as i128) >> unused;
        match op {
            _ if *base != phi => None,
            BinOp::Add => Some(step),
            BinOp::Sub => Some(-step),
            _ => None,
        }
    }
}

/// Whether `counter` lets a loop go round with these values.
fn stays(counter: &Counter, terms: &mut Terms, width: u32, values: [u128; 2]) -> bool {
    let [x, y] = values.map(|v| terms.constant(width, v));
    let holds = match counter.pred {
        IntPredicate::Eq => terms.eq(x, y),
        IntPredicate::Ne => terms.ne(x, y),
        IntPredicate::Ugt => terms.ugt(x, y),
        IntPredicate::Uge => terms.uge(x, y),
        IntPredicate::Ult => terms.ult(x, y),
        IntPredicate::Ule => terms.ule(x, y),
        IntPredicate::Sgt => terms.sgt(x, y),
        IntPredicate::Sge => terms.sge(x, y),
        IntPredicate::Slt => terms.slt(x, y),
        IntPredicate::Sle => terms.sle(x, y),
    };
    terms.is_true(holds) == counter.stays_if
}

/// Whether `counter` lets a loop go round no more than `most` times from these values on, as far as they tell: how far a table goes they
/// do not, but that the loop goes round once more.
fn is_short(counter: &Counter, terms: &mut Terms, values: [(u32, u128); 2], most: u32) -> bool {
    let mut now = values.map(|(_, v)| v);
    let width = values[0].0;
    let Changes::By(steps) = counter.changes else {
        return stays(counter, terms, width, now);
    };
    for _ in 0..=most {
        if !stays(counter, terms, width, now) {
            return true;
        }
        for (v, step) in now.iter_mut().zip(steps) {
            *v = v.wrapping_add(step as u128);
        }
    }
    false
}

impl Executor<'_> {
    /// Notes an iteration that a counter holds in a short loop: what else may leave it there does not count against the bound.
    pub(in crate::symex) fn count_down(
        &mut self,
        a: &mut Activation<'_>,
        at: &Instance,
        flow: &Flow,
    ) {
        if matches!(self.mode, Mode::Concrete(_)) {
            return;
        }
        let Some(counter) = a.cfg.counter(at.block) else {
            return;
        };
        let mut values = [(0, 0); 2];
        for (value, operand) in values.iter_mut().zip([&counter.lhs, &counter.rhs]) {
            let Value::Scalar(term) = self.operand(flow, operand) else {
                return;
            };
            let Some(number) = self.terms.as_const(term) else {
                return;
            };
            *value = (self.terms.width(term), number);
        }
        let Some((entry, iteration)) = a.cfg.innermost(at) else {
            return;
        };
        let before = iteration.last().copied().unwrap_or(0);
        let left = MAX_OPEN_ITERATIONS.checked_sub(before);
        if left.is_some_and(|most| is_short(counter, &mut self.terms, values, most)) {
            a.counted.entry(entry).or_default().insert(iteration);
        }
    }

    /// Notes whether executions have parted for good since the loop went round last.
    pub(in crate::symex) fn count_growth(
        &self,
        a: &mut Activation<'_>,
        from: &Instance,
        to: BlockId,
        flow: &Flow,
    ) {
        // Before the first thread is entered, executions part in nothing that others see.
        if matches!(self.mode, Mode::Concrete(_)) || !self.stack.runs || self.marks().is_own(a.f) {
            return;
        }
        let Some((entry, _)) = a.cfg.back_edge(from, to) else {
            return;
        };
        let guard = &flow.state.guard;
        let (last, grown) = a.grown.entry(entry).or_insert_with(|| (guard.clone(), 0));
        if last != guard {
            *last = guard.clone();
            *grown += 1;
        }
    }
}
