//! Conditions as terms: whether what is known on a way rules a branch out is asked of the solver, where facts of single values do
//! not tell.
//!
//! `if (n > 3) lock(); …; if (n > 3) unlock();` computes `n > 3` anew each time, and `n > 5` implies it. Values are terms over
//! their leaves: parameters, phis, results of loads and calls, whatever is not computed from others. It is asked only where two
//! ways differ in what they hold, and only of facts that share leaves with the condition. What the solver does not decide within
//! its budget may be so.

use std::collections::BTreeSet;
use std::rc::Rc;

use fixedbitset::FixedBitSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use crate::config::Backend;
use crate::deadline::Deadline;
use crate::expr::{Term, Terms};
use crate::index::{FuncId, Idx, ValueId};
use crate::program::{BinOp, CastKind, Const, Function, IntPredicate, Op, Operand, Program, Type};
use crate::solver::{self, Answer, Solver};

use super::facts::{Fact, Facts};
use super::roots::Roots;

/// Operations looked through from one value.
const MAX_DEPTH: u32 = 6;

/// Facts that a question takes into account.
const MAX_FACTS: usize = 12;

/// Questions of one input; after these nothing is ruled out.
const MAX_QUESTIONS: u64 = 4000;

/// Budget of one question, in the solver's units.
const BUDGET: u64 = 100_000;

/// A value as a term, and the leaves in it.
type Built = (Term, Rc<BTreeSet<ValueId>>);

/// The terms of an input, and whom to ask.
pub(super) struct Conditions {
    terms: Terms,
    solver: Option<Box<dyn Solver>>,
    built: FxHashMap<(FuncId, ValueId), Built>,
    cycles: FxHashMap<FuncId, Rc<FixedBitSet>>,
    /// Questions that went to the solver, and those that ruled something out.
    pub asked: u64,
    pub ruled_out: u64,
}

impl Conditions {
    pub fn new() -> Conditions {
        Conditions {
            terms: Terms::new(),
            solver: None,
            built: FxHashMap::default(),
            cycles: FxHashMap::default(),
            asked: 0,
            ruled_out: 0,
        }
    }

    /// Whether `condition` cannot be `holds` where `facts` are so.
    pub fn excludes(
        &mut self,
        (program, roots, f): (&Program, &Roots, FuncId),
        facts: &Facts,
        condition: ValueId,
        holds: bool,
    ) -> bool {
        if facts.is_empty() || self.asked >= MAX_QUESTIONS {
            return false;
        }
        let Some((term, leaves)) = self.build(program, roots, f, condition, 0) else {
            return false;
        };
        let mut leaves = (*leaves).clone();
        let mut open: Vec<(ValueId, Fact)> = facts.iter().map(|(v, fact)| (*v, *fact)).collect();
        let mut conjuncts = Vec::new();
        // Facts about the leaves, then about the leaves of these, and so on.
        loop {
            let before = conjuncts.len();
            open.retain(|(v, fact)| {
                let Some((value, own)) = self.build(program, roots, f, *v, 0) else {
                    return false;
                };
                if conjuncts.len() >= MAX_FACTS || own.is_disjoint(&leaves) {
                    return true;
                }
                leaves.extend(own.iter().copied());
                conjuncts.push(self.so(value, *fact));
                false
            });
            if conjuncts.len() == before {
                break;
            }
        }
        if conjuncts.is_empty() {
            return false;
        }
        let goal = match (self.terms.width(term), holds) {
            (1, true) => term,
            (1, false) => self.terms.not(term),
            (width, _) => {
                let zero = self.terms.constant(width, 0);
                let equal = self.terms.eq(term, zero);
                match holds {
                    true => self.terms.not(equal),
                    false => equal,
                }
            }
        };
        conjuncts.push(goal);
        self.asked += 1;
        let solver = self
            .solver
            .get_or_insert_with(|| solver::standard(Backend::default(), BUDGET, Deadline::NEVER));
        let out = solver.check(&mut self.terms, &conjuncts) == Answer::Unsat;
        self.ruled_out += u64::from(out);
        out
    }

    fn so(&mut self, value: Term, fact: Fact) -> Term {
        let width = self.terms.width(value);
        let zero = self.terms.constant(width, 0);
        match fact {
            Fact::Const(number, _) => {
                let number = self.terms.constant(width, number);
                self.terms.eq(value, number)
            }
            Fact::NotZero => {
                let equal = self.terms.eq(value, zero);
                self.terms.not(equal)
            }
            Fact::Negative => self.terms.slt(value, zero),
        }
    }

    /// Forgets what rests on the value that `v` had before: control has come to its definition again.
    pub fn redefined(
        &mut self,
        (program, roots, f): (&Program, &Roots, FuncId),
        facts: &mut Facts,
        v: ValueId,
    ) {
        if !facts.is_empty() {
            facts.retain(|w, _| {
                let built = self.build(program, roots, f, *w, 0);
                built.is_none_or(|(_, leaves)| !leaves.contains(&v))
            });
        }
    }

    /// The blocks of a function that lie on a cycle.
    pub fn cycles(&mut self, f: FuncId, function: &Function) -> Rc<FixedBitSet> {
        let known = self.cycles.entry(f);
        known.or_insert_with(|| Rc::new(cyclic(function))).clone()
    }

    /// `None` for what is no number of at most 128 bits.
    fn build(
        &mut self,
        program: &Program,
        roots: &Roots,
        f: FuncId,
        v: ValueId,
        depth: u32,
    ) -> Option<Built> {
        if let Some(built) = self.built.get(&(f, v)) {
            return Some(built.clone());
        }
        let bits = program.functions[f].values[v]
            .ty
            .bits(program.layout.pointer_bytes)
            .filter(|b| (1..=128).contains(b))?;
        let op = roots.definition(program, f, v).map(|i| &i.op);
        let inner = op.filter(|_| depth < MAX_DEPTH);
        let mut leaves = BTreeSet::new();
        let computed = inner.and_then(|op| {
            let mut of = |this: &mut Self, o: &Operand| {
                let (term, own) = this.operand(program, roots, f, o, depth)?;
                leaves.extend(own.iter().copied());
                Some(term)
            };
            self.compute(program, op, bits, &mut of)
        });
        let built = match computed {
            Some(term) if self.terms.width(term) == bits => (term, Rc::new(leaves)),
            _ => {
                let leaf = self.terms.fresh(bits, "leaf");
                (leaf, Rc::new(BTreeSet::from([v])))
            }
        };
        self.built.insert((f, v), built.clone());
        Some(built)
    }

    fn operand(
        &mut self,
        program: &Program,
        roots: &Roots,
        f: FuncId,
        operand: &Operand,
        depth: u32,
    ) -> Option<Built> {
        let number = |this: &mut Self, bits: u32, value: u128| {
            let fits = (1..=128).contains(&bits);
            fits.then(|| (this.terms.constant(bits, value), Rc::default()))
        };
        match operand {
            Operand::Value(v) => self.build(program, roots, f, *v, depth + 1),
            Operand::Const(Const::Int { bits, value }) => number(self, *bits, *value),
            Operand::Const(Const::Null) => number(self, program.layout.pointer_bytes * 8, 0),
            Operand::Const(_) => None,
        }
    }

    /// What is computed from other values alone, and always the same of the same: no division, no shift of unknown width.
    fn compute(
        &mut self,
        program: &Program,
        op: &Op,
        bits: u32,
        of: &mut impl FnMut(&mut Self, &Operand) -> Option<Term>,
    ) -> Option<Term> {
        match op {
            Op::Bin { op, lhs, rhs } => {
                let (x, y) = (of(self, lhs)?, of(self, rhs)?);
                binary(&mut self.terms, *op, (x, y), bits)
            }
            Op::Icmp { pred, lhs, rhs } => {
                let (x, y) = (of(self, lhs)?, of(self, rhs)?);
                compare(&mut self.terms, *pred, (x, y))
            }
            Op::Cast {
                kind, value, from, ..
            } => {
                if matches!(from, Type::Float(_)) {
                    return None;
                }
                let x = of(self, value)?;
                cast(&mut self.terms, *kind, x, bits)
            }
            Op::Select {
                cond,
                if_true,
                if_false,
            } => {
                let (c, x, y) = (of(self, cond)?, of(self, if_true)?, of(self, if_false)?);
                let fits = self.terms.width(c) == 1 && self.terms.width(x) == self.terms.width(y);
                fits.then(|| self.terms.ite(c, x, y))
            }
            Op::Gep {
                base,
                offset,
                scaled,
                ..
            } if scaled.is_empty() => {
                let x = of(self, base)?;
                let width = self.terms.width(x);
                let far = self.terms.constant(width, *offset as i128 as u128);
                (width == program.layout.pointer_bytes * 8).then(|| self.terms.add(x, far))
            }
            _ => None,
        }
    }
}

fn binary(terms: &mut Terms, op: BinOp, (x, y): (Term, Term), bits: u32) -> Option<Term> {
    if terms.width(x) != terms.width(y) {
        return None;
    }
    let in_width = terms.as_const(y).is_some_and(|n| n < u128::from(bits));
    Some(match op {
        BinOp::Add => terms.add(x, y),
        BinOp::Sub => terms.sub(x, y),
        BinOp::And => terms.and(x, y),
        BinOp::Or => terms.or(x, y),
        BinOp::Xor => terms.xor(x, y),
        BinOp::Shl if in_width => terms.shl(x, y),
        BinOp::LShr if in_width => terms.lshr(x, y),
        BinOp::AShr if in_width => terms.ashr(x, y),
        _ => return None,
    })
}

fn compare(terms: &mut Terms, pred: IntPredicate, (x, y): (Term, Term)) -> Option<Term> {
    if terms.width(x) != terms.width(y) {
        return None;
    }
    Some(match pred {
        IntPredicate::Eq => terms.eq(x, y),
        IntPredicate::Ne => {
            let equal = terms.eq(x, y);
            terms.not(equal)
        }
        IntPredicate::Ugt => terms.ugt(x, y),
        IntPredicate::Uge => terms.uge(x, y),
        IntPredicate::Ult => terms.ult(x, y),
        IntPredicate::Ule => terms.ule(x, y),
        IntPredicate::Sgt => terms.sgt(x, y),
        IntPredicate::Sge => terms.sge(x, y),
        IntPredicate::Slt => terms.slt(x, y),
        IntPredicate::Sle => terms.sle(x, y),
    })
}

/// The value in so many bits.
fn cast(terms: &mut Terms, kind: CastKind, x: Term, bits: u32) -> Option<Term> {
    let width = terms.width(x);
    match kind {
        CastKind::Trunc if bits < width => Some(terms.extract(bits - 1, 0, x)),
        CastKind::ZExt if bits > width => Some(terms.zext(bits, x)),
        CastKind::SExt if bits > width => Some(terms.sext(bits, x)),
        CastKind::Bitcast | CastKind::PtrToInt | CastKind::IntToPtr if bits == width => Some(x),
        _ => None,
    }
}

fn cyclic(function: &Function) -> FixedBitSet {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    for _ in 0..function.blocks.len() {
        graph.add_node(());
    }
    for (b, block) in function.blocks.iter_ids() {
        for to in block.term.successors() {
            graph.add_edge(NodeIndex::new(b.index()), NodeIndex::new(to.index()), ());
        }
    }
    let mut set = FixedBitSet::with_capacity(function.blocks.len());
    for component in kosaraju_scc(&graph) {
        if component.len() > 1 || graph.contains_edge(component[0], component[0]) {
            set.extend(component.iter().map(|n| n.index()));
        }
    }
    set
}
