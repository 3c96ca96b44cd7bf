//! Z3, the solver at the end of the chain. The only file that names it.
//!
//! Two attempts per query. The first is incremental: one Z3 solver per store of terms keeps, for each conjunct `c` met so far, an
//! assertion `ℓ → c` with a literal `ℓ` of its own; a query assumes the literals of its conjuncts, so what is learnt for one query
//! serves the next. It has a share of the budget. If that does not do, a fresh solver gets the conjuncts alone with the whole budget.
//!
//! Of a large query the first attempt is one engine of Z3 alone, with half of the budget: asserting such a conjunct in the
//! incremental solver took thirty times as long as deciding it, and so did the equations that the preprocessor solves. Where
//! nothing is read from arrays it is the propositional one, on single bits, which took a fifth to nine tenths of the time.
//!
//! Budgets are Z3's `rlimit`, which counts work, not time. A deadline becomes Z3's own `timeout`, and a thread beside the query
//! interrupts Z3 until it gives up. Each [`Z3`] has a context of its own, made anew when the store of terms changes: no answer
//! depends on what another task asked before.
//!
//! Reads of written arrays are unfolded: the byte at `i` of an array with `b` stored at `j` is `b` if `i = j`, else the byte at `i` of the
//! array before; where many `j` are constants, their bytes are a table, looked up by the bits of `i`. Z3's own lemmas cost more.
//!
//! A model is evaluated before it is handed out: the evaluator shares no code with Z3, so a fault in translation becomes `Unknown`.

use std::cell::RefCell;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use z3::ast::{Array, BV, Bool};
use z3::{Config, Context, Model, Params, SatResult, Sort, StatisticsValue};
use z3::{with_z3_config, with_z3_context};

use super::{Answer, Budget, Solver, SolverStats};
use crate::deadline::{Deadline, Stopped};
use crate::expr::{
    ArrayNode, ArrayTerm, ArrayValue, Assignment, Evaluator, Node, Part, StoreId, Support, Term,
    Terms, operands_first,
};
use crate::memory;

/// Budget of the incremental attempt, at most.
const INCREMENTAL_RLIMIT: u64 = 4_000_000;

/// Conjuncts that the incremental solver keeps before it starts anew.
const MAX_ASSERTED: usize = 20_000;

/// Cases of unfolded reads in one context; what is read beyond is left to Z3's arrays.
const MAX_UNFOLDED: usize = 1 << 20;

/// Terms in a query that make it large.
const LARGE: usize = 4_000;

/// Z3 behind the trait.
pub struct Z3 {
    budget: Budget,
    deadline: Deadline,
    session: Option<Session>,
    stats: SolverStats,
    max_unfolded: usize,
}

impl Z3 {
    /// After `deadline`, and when the budget of all queries is used up, every answer is `Unknown`.
    pub fn new(budget: impl Into<Budget>, deadline: Deadline) -> Self {
        Z3 {
            budget: budget.into(),
            deadline,
            session: None,
            stats: SolverStats::default(),
            max_unfolded: MAX_UNFOLDED,
        }
    }

    /// Leaves all reads of written arrays to Z3's arrays.
    #[cfg(test)]
    pub(super) fn without_unfolding(mut self) -> Self {
        self.max_unfolded = 0;
        self
    }
}

impl Solver for Z3 {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        let rlimit = match self.budget.of_next() {
            Ok(rlimit) => rlimit,
            Err(why) => return Answer::Unknown(why),
        };
        self.stats.solved += 1;
        let session = match self.session.take() {
            Some(s) if s.store == terms.id() && s.literals.len() < MAX_ASSERTED => s,
            _ => Session::new(terms.id(), self.max_unfolded),
        };
        let deadline = self.deadline;
        let shared: &Terms = terms;
        let decided = memory::or_out_of_memory(|| {
            session.work(|s| (s.decide(shared, conjuncts, rlimit, deadline), s.spent()))
        });
        let Ok((session, ((answer, restarted), spent))) = decided else {
            return past(deadline.passed().unwrap_or(Stopped::OutOfMemory));
        };
        self.session = Some(session);
        self.budget.spend(spent);
        self.stats.restarted += u64::from(restarted);
        self.stats.unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        answer.by(deadline)
    }

    fn stats(&self) -> SolverStats {
        self.stats
    }
}

/// What is known to one Z3 context: translations and literals of one store.
struct Session {
    store: StoreId,
    context: Context,
    // Z3's objects are released before their context: fields drop in this order, and
    // each keeps the context alive besides.
    solver: z3::Solver,
    literals: FxHashMap<Term, Bool>,
    translation: Translation,
    /// Units that had been spent in the context when the last query was over.
    spent: u64,
}

thread_local! {
    /// Z3's crate runs code in a context only as a closure that is `Send`, which its
    /// own objects are not: they enter and leave the closure through here.
    static PASSED: RefCell<Option<Session>> = const { RefCell::new(None) };
}

impl Session {
    fn new(store: StoreId, max_unfolded: usize) -> Self {
        with_z3_config(&Config::new(), || {
            PASSED.set(Some(Session {
                store,
                context: Context::thread_local(),
                solver: z3::Solver::new(),
                literals: FxHashMap::default(),
                translation: Translation::new(max_unfolded),
                spent: 0,
            }));
        });
        PASSED.take().expect("put there just now")
    }

    /// Runs `work` with this session's context as the current one.
    fn work<R: Send + Sync>(
        self,
        work: impl FnOnce(&mut Session) -> R + Send + Sync,
    ) -> (Session, R) {
        let context = self.context.clone();
        PASSED.set(Some(self));
        let result = with_z3_context(&context, || {
            let mut session = PASSED.take().expect("put there just now");
            let result = work(&mut session);
            PASSED.set(Some(session));
            result
        });
        (PASSED.take().expect("put back by the closure"), result)
    }

    /// Units that were spent since this was asked last. Z3 counts them for its context.
    fn spent(&mut self) -> u64 {
        let all = match self.solver.get_statistics().value("rlimit count") {
            Some(StatisticsValue::UInt(all)) => u64::from(all),
            _ => return 0,
        };
        all.saturating_sub(std::mem::replace(&mut self.spent, all))
    }

    /// The answer, and whether a fresh solver gave it.
    fn decide(
        &mut self,
        terms: &Terms,
        conjuncts: &[Term],
        rlimit: u64,
        deadline: Deadline,
    ) -> (Answer, bool) {
        let share = match rlimit {
            0 => INCREMENTAL_RLIMIT,
            r => INCREMENTAL_RLIMIT.min(r.div_ceil(4)),
        };
        let params = match params(share, deadline) {
            Ok(params) => params,
            Err(stopped) => return (past(stopped), false),
        };
        let context = self.context.clone();
        let handle = context.handle();
        let interrupt = || handle.interrupt();
        let large = !Support::smaller(terms, conjuncts, LARGE);
        if !large {
            let assumed: Vec<Bool> = conjuncts.iter().map(|&c| self.literal(terms, c)).collect();
            self.solver.set_params(&params);
            match deadline.watch(interrupt, || self.solver.check_assumptions(&assumed)) {
                SatResult::Unsat => return (Answer::Unsat, false),
                SatResult::Sat => {
                    let model = self.solver.get_model();
                    return (self.sat(terms, conjuncts, model), false);
                }
                SatResult::Unknown => {}
            }
        }
        if large {
            let core = match Support::of(terms, conjuncts).arrays.is_empty() {
                true => propositional(),
                false => z3::Tactic::new("smt").solver(),
            };
            let answer = self.alone(core, (terms, conjuncts), rlimit.div_ceil(2), deadline);
            if !matches!(answer, Answer::Unknown(_)) {
                return (answer, true);
            }
        }
        let all = z3::Solver::new();
        (self.alone(all, (terms, conjuncts), rlimit, deadline), true)
    }

    /// The answer of a solver that is asked nothing else.
    fn alone(
        &mut self,
        solver: z3::Solver,
        (terms, conjuncts): (&Terms, &[Term]),
        rlimit: u64,
        deadline: Deadline,
    ) -> Answer {
        match params(rlimit, deadline) {
            Ok(params) => solver.set_params(&params),
            Err(stopped) => return past(stopped),
        }
        for &c in conjuncts {
            solver.assert(self.translation.boolean(terms, c));
        }
        let context = self.context.clone();
        let handle = context.handle();
        match deadline.watch(|| handle.interrupt(), || solver.check()) {
            SatResult::Unsat => Answer::Unsat,
            SatResult::Sat => self.sat(terms, conjuncts, solver.get_model()),
            SatResult::Unknown => match (deadline.passed(), solver.get_reason_unknown()) {
                (Some(stopped), _) => past(stopped),
                // Z3's words for the end of its budget: one for each of its engines.
                (None, Some(why)) if why == "canceled" || why.contains("resource limit") => {
                    Answer::Unknown("solver: budget of a query used up (--rlimit)".to_owned())
                }
                (None, Some(why)) => Answer::Unknown(format!("solver: {why}")),
                (None, None) => Answer::Unknown("solver: no reason given".to_owned()),
            },
        }
    }

    /// The literal that implies the conjunct in the incremental solver.
    fn literal(&mut self, terms: &Terms, c: Term) -> Bool {
        if let Some(literal) = self.literals.get(&c) {
            return literal.clone();
        }
        let body = self.translation.boolean(terms, c);
        let literal = Bool::new_const(symbol(c.index(), Kind::Literal));
        self.solver.assert(literal.implies(&body));
        self.literals.insert(c, literal.clone());
        literal
    }

    fn sat(&mut self, terms: &Terms, conjuncts: &[Term], model: Option<Model>) -> Answer {
        let Some(assignment) = model.and_then(|m| self.translation.read(terms, conjuncts, &m))
        else {
            return Answer::Unknown("solver: satisfiable, but no model could be read".to_owned());
        };
        let mut evaluator = Evaluator::new(&assignment);
        if conjuncts.iter().all(|&c| evaluator.holds(terms, c)) {
            Answer::Sat(assignment)
        } else {
            Answer::Unknown("internal error: the solver's model does not satisfy the query".into())
        }
    }
}

/// Z3's propositional engine, for bit-vectors.
fn propositional() -> z3::Solver {
    let [simplify, bits, sat] = ["simplify", "bit-blast", "sat"].map(z3::Tactic::new);
    simplify.and_then(&bits).and_then(&sat).solver()
}

fn past(stopped: Stopped) -> Answer {
    Answer::Unknown(stopped.to_string())
}

/// Parameters of one query, unless the deadline has passed.
fn params(rlimit: u64, deadline: Deadline) -> Result<Params, Stopped> {
    if let Some(stopped) = deadline.passed() {
        return Err(stopped);
    }
    let mut params = Params::new();
    params.set_u32("random_seed", 0);
    // Z3 would take the signal for itself, and the run go on with the next query.
    params.set_bool("ctrl_c", false);
    params.set_u32("rlimit", u32::try_from(rlimit).unwrap_or(u32::MAX));
    // u32::MAX is Z3's "no timeout", which must be said after an earlier one.
    let left = deadline
        .left()
        .map(|left| left.max(Duration::from_millis(1)).as_millis());
    let timeout = left.and_then(|left| u32::try_from(left).ok());
    params.set_u32("timeout", timeout.unwrap_or(u32::MAX));
    Ok(params)
}

/// What a Z3 constant stands for.
enum Kind {
    Var,
    Array,
    Literal,
}

/// Numbers, not strings: Z3's table of strings is shared by all contexts.
fn symbol(index: usize, kind: Kind) -> u32 {
    let n = u32::try_from(index).ok().and_then(|n| n.checked_mul(3));
    n.and_then(|n| n.checked_add(kind as u32))
        .expect("too many terms for Z3's symbols")
}

/// A term in Z3: Booleans for width 1.
#[derive(Clone)]
enum Translated {
    Bool(Bool),
    Vector(BV),
}

impl Translated {
    fn boolean(&self) -> &Bool {
        match self {
            Translated::Bool(b) => b,
            Translated::Vector(_) => unreachable!("a term of width 1 is a Boolean"),
        }
    }

    fn vector(&self) -> &BV {
        match self {
            Translated::Vector(v) => v,
            Translated::Bool(_) => unreachable!("a term of more than one bit is a vector"),
        }
    }
}

/// Translations, each term's once.
struct Translation {
    terms: FxHashMap<Term, Translated>,
    arrays: FxHashMap<ArrayTerm, Array>,
    /// Bytes by array and index.
    reads: FxHashMap<(ArrayTerm, Term), BV>,
    max_unfolded: usize,
}

impl Translation {
    fn new(max_unfolded: usize) -> Self {
        Translation {
            terms: FxHashMap::default(),
            arrays: FxHashMap::default(),
            reads: FxHashMap::default(),
            max_unfolded,
        }
    }

    fn boolean(&mut self, terms: &Terms, t: Term) -> Bool {
        self.translate(terms, t);
        self.terms[&t].boolean().clone()
    }

    /// Translates everything in the term.
    fn translate(&mut self, terms: &Terms, t: Term) {
        let known = |part| match part {
            Part::Term(t) => self.terms.contains_key(&t),
            Part::Array(a) => self.arrays.contains_key(&a),
        };
        for part in operands_first(terms, &[t], known) {
            match part {
                Part::Term(t) => {
                    let new = match *terms.node(t) {
                        Node::Select(a, index) => Translated::Vector(self.byte(terms, a, index)),
                        _ => self.term(terms, t),
                    };
                    self.terms.insert(t, new);
                }
                Part::Array(a) => {
                    let new = self.array(terms, a);
                    self.arrays.insert(a, new);
                }
            }
        }
    }

    /// The byte at an index, unfolded down to the variables. Operands are translated. Joins may be nested as deep as executions
    /// are long: no recursion.
    fn byte(&mut self, terms: &Terms, array: ArrayTerm, index: Term) -> BV {
        let array = terms.array_read_at(array, index);
        let mut todo = vec![array];
        while let Some(&a) = todo.last() {
            if self.reads.contains_key(&(a, index)) {
                todo.pop();
                continue;
            }
            let unfold = self.reads.len() < self.max_unfolded;
            let byte = match *terms.array_node(a) {
                ArrayNode::Const(byte) => self.vector(byte),
                ArrayNode::Store(_, at, byte) if at == index => self.vector(byte),
                ArrayNode::Store(rest, at, byte) if unfold => {
                    let (table, rest) = match terms.as_const(at) {
                        Some(_) => terms.table_above(a, index),
                        None => (Vec::new(), terms.array_read_at(rest, index)),
                    };
                    let Some(before) = self.reads.get(&(rest, index)) else {
                        todo.push(rest);
                        continue;
                    };
                    let i = self.vector(index);
                    match table.as_slice() {
                        [] => i.eq(self.vector(at)).ite(&self.vector(byte), before),
                        table => self.look_up(&i, table, 64, before),
                    }
                }
                ArrayNode::Ite(c, x, y) if unfold => {
                    let sides = [x, y].map(|side| terms.array_read_at(side, index));
                    match sides.map(|side| self.reads.get(&(side, index))) {
                        [Some(yes), Some(no)] => self.terms[&c].boolean().ite(yes, no),
                        [None, _] => {
                            todo.push(sides[0]);
                            continue;
                        }
                        _ => {
                            todo.push(sides[1]);
                            continue;
                        }
                    }
                }
                _ => {
                    let byte = self.arrays[&a].select(&self.vector(index)).as_bv();
                    byte.expect("arrays hold bytes")
                }
            };
            self.reads.insert((a, index), byte);
        }
        self.reads[&(array, index)].clone()
    }

    /// The table's byte at the index, or the one from before, decided bit by bit from the highest that tells entries apart: `open`
    /// bits of the index are left. A comparison for each entry is what Z3 would spend most of its time on.
    fn look_up(&self, index: &BV, table: &[(u64, Term)], open: u32, before: &BV) -> BV {
        let (first, last) = (table[0].0, table[table.len() - 1].0);
        let told_apart = u64::BITS - (first ^ last).leading_zeros();
        let here = match told_apart.checked_sub(1) {
            None => self.vector(table[0].1),
            Some(bit) => {
                let middle = table.partition_point(|(k, _)| k >> bit & 1 == 0);
                let (low, high) = table.split_at(middle);
                let [low, high] = [low, high].map(|side| self.look_up(index, side, bit, before));
                match low == high {
                    true => low,
                    false => index
                        .extract(bit, bit)
                        .eq(BV::from_u64(1, 1))
                        .ite(&high, &low),
                }
            }
        };
        if open == told_apart {
            return here;
        }
        let same = constant(64, u128::from(first)).extract(open - 1, told_apart);
        index
            .extract(open - 1, told_apart)
            .eq(same)
            .ite(&here, before)
    }

    /// A term that is translated and has more than one bit.
    fn vector(&self, t: Term) -> BV {
        self.terms[&t].vector().clone()
    }

    /// Operands are translated.
    fn term(&self, terms: &Terms, t: Term) -> Translated {
        let w = terms.width(t);
        let v = |x: Term| self.terms[&x].vector();
        let b = |x: Term| self.terms[&x].boolean();
        if w == 1 {
            return Translated::Bool(match *terms.node(t) {
                Node::Const(v) => Bool::from_bool(v == 1),
                Node::Var(x) => Bool::new_const(symbol(x.index(), Kind::Var)),
                Node::Not(x) => b(x).not(),
                Node::And(x, y) => Bool::and(&[b(x), b(y)]),
                Node::Eq(x, y) if terms.width(x) == 1 => b(x).iff(b(y)),
                Node::Eq(x, y) => v(x).eq(v(y)),
                Node::Ult(x, y) => v(x).bvult(v(y)),
                Node::Slt(x, y) => v(x).bvslt(v(y)),
                Node::Ite(c, x, y) => b(c).ite(b(x), b(y)),
                Node::Extract(hi, lo, x) => v(x).extract(hi, lo).eq(BV::from_u64(1, 1)),
                node => unreachable!("{node:?} has more than one bit"),
            });
        }
        Translated::Vector(match *terms.node(t) {
            Node::Const(k) => constant(w, k),
            Node::Var(x) => BV::new_const(symbol(x.index(), Kind::Var), w),
            Node::Not(x) => v(x).bvnot(),
            Node::Neg(x) => v(x).bvneg(),
            Node::Add(x, y) => v(x).bvadd(v(y)),
            Node::Mul(x, y) => v(x).bvmul(v(y)),
            Node::Udiv(x, y) => v(x).bvudiv(v(y)),
            Node::Sdiv(x, y) => v(x).bvsdiv(v(y)),
            Node::Urem(x, y) => v(x).bvurem(v(y)),
            Node::Srem(x, y) => v(x).bvsrem(v(y)),
            Node::Shl(x, y) => v(x).bvshl(v(y)),
            Node::Lshr(x, y) => v(x).bvlshr(v(y)),
            Node::Ashr(x, y) => v(x).bvashr(v(y)),
            Node::And(x, y) => v(x).bvand(v(y)),
            Node::Or(x, y) => v(x).bvor(v(y)),
            Node::Xor(x, y) => v(x).bvxor(v(y)),
            Node::Ite(c, x, y) => b(c).ite(v(x), v(y)),
            Node::Extract(hi, lo, x) => v(x).extract(hi, lo),
            Node::Concat(x, y) => self.as_vector(x).concat(self.as_vector(y)),
            Node::Zext(x) => v(x).zero_ext(w - terms.width(x)),
            Node::Sext(x) => v(x).sign_ext(w - terms.width(x)),
            Node::Select(..) => unreachable!("reads are unfolded"),
            Node::Eq(..) | Node::Ult(..) | Node::Slt(..) => {
                unreachable!("comparisons are Booleans")
            }
        })
    }

    /// As a vector also if it is a Boolean: only concatenation mixes the two.
    fn as_vector(&self, t: Term) -> BV {
        match &self.terms[&t] {
            Translated::Vector(v) => v.clone(),
            Translated::Bool(b) => b.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1)),
        }
    }

    /// Operands are translated.
    fn array(&self, terms: &Terms, a: ArrayTerm) -> Array {
        let v = |x: Term| self.terms[&x].vector();
        match *terms.array_node(a) {
            ArrayNode::Const(byte) => Array::const_array(&Sort::bitvector(64), v(byte)),
            ArrayNode::Var(x) => Array::new_const(
                symbol(x.index(), Kind::Array),
                &Sort::bitvector(64),
                &Sort::bitvector(8),
            ),
            ArrayNode::Store(rest, index, byte) => self.arrays[&rest].store(v(index), v(byte)),
            ArrayNode::Ite(c, x, y) => self.terms[&c]
                .boolean()
                .ite(&self.arrays[&x], &self.arrays[&y]),
        }
    }

    /// The model's values of everything that the conjuncts depend on: of an array the bytes at the indices that are read.
    fn read(&mut self, terms: &Terms, conjuncts: &[Term], model: &Model) -> Option<Assignment> {
        let support = Support::of(terms, conjuncts);
        let mut assignment = Assignment::default();
        for &x in &support.vars {
            let t = terms.var_term(x);
            let value = match &self.terms[&t] {
                Translated::Bool(b) => u128::from(model.eval(b, true)?.as_bool()?),
                Translated::Vector(v) => value(model, v, terms.width(t))?,
            };
            assignment.values.insert(x, value);
        }
        if support.arrays.is_empty() {
            return Some(assignment);
        }
        let mut indices = FxHashSet::default();
        for &index in &support.indices {
            indices.insert(value(model, self.terms[&index].vector(), 64)? as u64);
        }
        for (&x, a) in support.arrays.iter().zip(&support.array_terms) {
            let mut bytes = ArrayValue::default();
            for &index in &indices {
                let at = self.arrays[a].select(&BV::from_u64(index, 64)).as_bv()?;
                let byte = value(model, &at, 8)? as u8;
                if byte != bytes.default {
                    bytes.cells.insert(index, byte);
                }
            }
            assignment.arrays.insert(x, bytes);
        }
        Some(assignment)
    }
}

/// A constant of any width.
fn constant(w: u32, k: u128) -> BV {
    match w {
        0..=64 => BV::from_u64(k as u64, w),
        _ => BV::from_u64((k >> 64) as u64, w - 64).concat(BV::from_u64(k as u64, 64)),
    }
}

/// The model's value of a vector.
fn value(model: &Model, v: &BV, w: u32) -> Option<u128> {
    let part = |v: &BV| Some(u128::from(model.eval(v, true)?.as_u64()?));
    match w {
        0..=64 => part(v),
        _ => Some(part(&v.extract(w - 1, 64))? << 64 | part(&v.extract(63, 0))?),
    }
}
