//! Terms as circuits: each term once, however many queries it stands in.
//!
//! Reads of written arrays are unfolded: the byte at `i` of an array with `b` stored at `j` is `b` if `i = j`, else the byte at `i` of
//! the array before; where many `j` are constants, their bytes are a table, looked up by the bits of `i`. What is read of an array
//! variable is a byte of fresh literals, equal to that of every earlier read whose index is equal (Ackermann 1954).
//!
//! On demand: what is stored and never read is no circuit. No recursion: terms may be as deep as executions are long.

use rustc_hash::FxHashMap;

use super::gates::{Gates, Lit};
use super::words::{Division, Shift, Word, constant, not};
use crate::expr::{ArrayNode, ArrayTerm, ArrayValue, ArrayVar, Assignment, Node, Support};
use crate::expr::{Term, Terms};

/// Pairs of reads of array variables that are compared; beyond, somebody else is asked.
const MAX_COMPARED: usize = 100_000;

/// A query has more clauses or reads than are worth it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// The circuits of one store of terms.
pub(super) struct Circuit {
    pub(super) gates: Gates,
    words: FxHashMap<Term, Box<[Lit]>>,
    reads: FxHashMap<Read, Box<[Lit]>>,
    /// What was read of the array variables: indices and bytes.
    variables: FxHashMap<ArrayVar, Vec<(Term, Word)>>,
    compared: usize,
}

/// The byte of an array at an index.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Read(ArrayTerm, Term);

/// What is to be made.
#[derive(Clone, Copy)]
enum Task {
    Term(Term),
    Read(Read),
}

impl Circuit {
    pub(super) fn new(gates: Gates) -> Circuit {
        Circuit {
            gates,
            words: FxHashMap::default(),
            reads: FxHashMap::default(),
            variables: FxHashMap::default(),
            compared: 0,
        }
    }

    /// The literal that a Boolean is, made with at most so many clauses in all.
    pub(super) fn literal(
        &mut self,
        terms: &Terms,
        t: Term,
        max_clauses: u64,
    ) -> Result<Lit, TooLarge> {
        let mut todo = vec![Task::Term(t)];
        while let Some(&task) = todo.last() {
            if self.gates.clauses() > max_clauses || self.compared > MAX_COMPARED {
                return Err(TooLarge);
            }
            let before = todo.len();
            match task {
                Task::Term(t) => self.make_term(terms, t, &mut todo),
                Task::Read(read) => self.make_read(terms, read, &mut todo),
            }
            if todo.len() == before {
                todo.pop();
            }
        }
        Ok(self.words[&t][0])
    }

    /// Makes the term, or asks for what it lacks.
    fn make_term(&mut self, terms: &Terms, t: Term, todo: &mut Vec<Task>) {
        if self.words.contains_key(&t) {
            return;
        }
        let before = todo.len();
        let node = *terms.node(t);
        node.for_each_operand(|x| self.want(x, todo));
        let read = match node {
            Node::Select(a, index) => Some(Read(terms.array_read_at(a, index), index)),
            _ => None,
        };
        if let Some(read) = read {
            self.want_read(read, todo);
        }
        if todo.len() > before {
            return;
        }
        let word = match read {
            Some(read) => self.reads[&read].clone(),
            None => self.word(terms, t).into(),
        };
        self.words.insert(t, word);
    }

    fn want(&self, t: Term, todo: &mut Vec<Task>) {
        if !self.words.contains_key(&t) {
            todo.push(Task::Term(t));
        }
    }

    fn want_read(&self, read: Read, todo: &mut Vec<Task>) {
        if !self.reads.contains_key(&read) {
            todo.push(Task::Read(read));
        }
    }

    /// Makes the byte that is read, or asks for what it lacks.
    fn make_read(&mut self, terms: &Terms, read: Read, todo: &mut Vec<Task>) {
        if self.reads.contains_key(&read) {
            return;
        }
        let Read(array, index) = read;
        let before = todo.len();
        self.want(index, todo);
        let at_index = |array| Read(terms.array_read_at(array, index), index);
        let byte: Option<Word> = match *terms.array_node(array) {
            ArrayNode::Const(byte) => {
                self.want(byte, todo);
                (todo.len() == before).then(|| self.words[&byte].to_vec())
            }
            ArrayNode::Store(_, at, byte) if at == index => {
                self.want(byte, todo);
                (todo.len() == before).then(|| self.words[&byte].to_vec())
            }
            ArrayNode::Store(rest, at, byte) if terms.as_const(at).is_none() => {
                let rest = at_index(rest);
                self.want(at, todo);
                self.want(byte, todo);
                self.want_read(rest, todo);
                (todo.len() == before).then(|| {
                    let here = self.gates.equal(&self.words[&index], &self.words[&at]);
                    self.gates
                        .choose(here, &self.words[&byte], &self.reads[&rest])
                })
            }
            ArrayNode::Store(..) => {
                let (table, rest) = terms.table_above(array, index);
                let rest = Read(rest, index);
                for &(_, byte) in &table {
                    self.want(byte, todo);
                }
                self.want_read(rest, todo);
                (todo.len() == before).then(|| {
                    let before = self.reads[&rest].clone();
                    self.look_up(index, &table, 64, &before)
                })
            }
            ArrayNode::Ite(c, x, y) => {
                let (x, y) = (at_index(x), at_index(y));
                self.want(c, todo);
                self.want_read(x, todo);
                self.want_read(y, todo);
                (todo.len() == before).then(|| {
                    let c = self.words[&c][0];
                    self.gates.choose(c, &self.reads[&x], &self.reads[&y])
                })
            }
            ArrayNode::Var(variable) => {
                (todo.len() == before).then(|| self.read_variable(terms, variable, index))
            }
        };
        if let Some(byte) = byte {
            self.reads.insert(read, byte.into());
        }
    }

    /// The table's byte at the index, or the one from before, decided bit by bit from the highest that tells entries apart: `open`
    /// bits of the index are left.
    fn look_up(&mut self, index: Term, table: &[(u64, Term)], open: u32, before: &[Lit]) -> Word {
        let [(first, byte), ..] = *table else {
            return before.to_vec();
        };
        let last = table[table.len() - 1].0;
        let told_apart = u64::BITS - (first ^ last).leading_zeros();
        let here = match told_apart.checked_sub(1) {
            None => self.words[&byte].to_vec(),
            Some(bit) => {
                let middle = table.partition_point(|(k, _)| k >> bit & 1 == 0);
                let (low, high) = table.split_at(middle);
                let low = self.look_up(index, low, bit, before);
                let high = self.look_up(index, high, bit, before);
                let is_high = self.words[&index][bit as usize];
                self.gates.choose(is_high, &high, &low)
            }
        };
        let above = told_apart as usize..open as usize;
        let same = constant(64, u128::from(first));
        let same = self
            .gates
            .equal(&self.words[&index][above.clone()], &same[above]);
        self.gates.choose(same, &here, before)
    }

    /// A byte of an array variable.
    fn read_variable(&mut self, terms: &Terms, variable: ArrayVar, index: Term) -> Word {
        let byte: Word = (0..8).map(|_| self.gates.fresh()).collect();
        let earlier = self.variables.entry(variable).or_default();
        for (at, there) in earlier.iter() {
            if terms.never_equal(*at, index) {
                continue;
            }
            self.compared += 1;
            let same = self.gates.equal(&self.words[at], &self.words[&index]);
            if same != Lit::FALSE {
                for (&a, &b) in byte.iter().zip(there) {
                    self.gates.clause(&[!same, !a, b]);
                    self.gates.clause(&[!same, a, !b]);
                }
            }
        }
        earlier.push((index, byte.clone()));
        byte
    }

    /// The word of a term that reads no array and whose operands have words.
    fn word(&mut self, terms: &Terms, t: Term) -> Word {
        let width = terms.width(t);
        let (words, gates) = (&self.words, &mut self.gates);
        let w = |x: Term| &words[&x][..];
        match *terms.node(t) {
            Node::Const(k) => constant(width, k),
            Node::Var(_) => (0..width).map(|_| gates.fresh()).collect(),
            Node::Not(x) => not(w(x)),
            Node::And(x, y) => gates.bitwise(Gates::and, w(x), w(y)),
            Node::Or(x, y) => gates.bitwise(Gates::or, w(x), w(y)),
            Node::Xor(x, y) => gates.bitwise(Gates::xor, w(x), w(y)),
            Node::Eq(x, y) => vec![gates.equal(w(x), w(y))],
            Node::Ult(x, y) => vec![gates.less(w(x), w(y))],
            Node::Slt(x, y) => vec![gates.signed_less(w(x), w(y))],
            Node::Ite(c, x, y) => gates.choose(w(c)[0], w(x), w(y)),
            Node::Extract(high, low, x) => w(x)[low as usize..=high as usize].to_vec(),
            Node::Concat(x, y) => [w(y), w(x)].concat(),
            Node::Zext(x) => extended(w(x), width, Lit::FALSE),
            Node::Sext(x) => extended(w(x), width, w(x)[w(x).len() - 1]),
            Node::Neg(x) => gates.negate_if(Lit::TRUE, w(x)),
            Node::Add(x, y) => gates.add(w(x), w(y), Lit::FALSE),
            Node::Mul(x, y) => gates.multiply(w(x), w(y)),
            Node::Udiv(x, y) => gates.divide(w(x), w(y)).quotient,
            Node::Urem(x, y) => gates.divide(w(x), w(y)).remainder,
            Node::Sdiv(x, y) => {
                let Division { quotient, .. } = gates.signed_divide(w(x), w(y));
                quotient
            }
            Node::Srem(x, y) => gates.signed_divide(w(x), w(y)).remainder,
            Node::Shl(x, y) => gates.shift(w(x), w(y), &Shift::Left),
            Node::Lshr(x, y) => gates.shift(w(x), w(y), &Shift::Right(Lit::FALSE)),
            Node::Ashr(x, y) => {
                let sign = w(x)[w(x).len() - 1];
                gates.shift(w(x), w(y), &Shift::Right(sign))
            }
            Node::Select(..) => unreachable!("reads are unfolded"),
        }
    }

    /// The solver's values of everything that the conjuncts depend on and that has a circuit; the rest is zero.
    pub(super) fn assignment(&self, terms: &Terms, conjuncts: &[Term]) -> Assignment {
        let support = Support::of(terms, conjuncts);
        let mut assignment = Assignment::default();
        for &variable in &support.vars {
            if let Some(word) = self.words.get(&terms.var_term(variable)) {
                assignment.values.insert(variable, self.value(word));
            }
        }
        for &variable in &support.arrays {
            let mut bytes = ArrayValue::default();
            let read = self.variables.get(&variable).into_iter().flatten();
            // What other queries read is as free as what nobody reads.
            let here = read.filter(|(index, _)| support.indices.binary_search(index).is_ok());
            for (index, byte) in here {
                let (at, byte) = (self.value(&self.words[index]), self.value(byte));
                if byte != u128::from(bytes.default) {
                    bytes.cells.insert(at as u64, byte as u8);
                }
            }
            assignment.arrays.insert(variable, bytes);
        }
        assignment
    }

    fn value(&self, word: &[Lit]) -> u128 {
        let bits = word.iter().enumerate();
        bits.fold(0, |value, (n, &bit)| {
            value | u128::from(self.gates.sat.holds(bit)) << n
        })
    }
}

fn extended(word: &[Lit], width: u32, with: Lit) -> Word {
    let mut word = word.to_vec();
    word.resize(width as usize, with);
    word
}
