//! Pointers that are read from an object which has become an array of bytes: which of the words that were written, or that the object
//! held initially, each is.
//!
//! The terms made here equal the bytes put together; only their form tells more. Nothing rests on finding all words.
//! What this assumes of indices: a number written over a part of a pointer leaves no pointer (the index is outside of its array there),
//! and a pointer does not begin in the middle of another word.

use crate::expr::{ArrayNode, ArrayTerm, Node, Term, Terms};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::Mode;
use crate::symex::memory::objects::{Initial, ObjectId};
use crate::symex::memory::store::join;

/// Joins of arrays in each other that are looked through.
const MAX_DEPTH: u32 = 200;
/// Words among which a read chooses.
const MAX_WORDS: usize = 256;

/// Stores onto one array that are looked through.
const MAX_STEPS: usize = 8192;

/// A word that is read.
struct Sought {
    /// Where it begins.
    index: Term,
    /// Where each of its bytes is.
    bytes: Vec<Term>,
    /// The index is the second modulo the first.
    stride: Option<(u64, i64)>,
}

/// A word that was stored.
struct Written {
    /// Where it begins.
    start: Term,
    value: Term,
    /// The array before.
    before: ArrayTerm,
    /// Whether it was stored.
    when: Term,
}

/// What a read chooses from: the first condition that holds says which.
type Layers = Vec<(Term, Term)>;

impl Executor<'_> {
    /// The pointer in an array at an index.
    pub(in crate::symex) fn word(&mut self, array: ArrayTerm, index: Term) -> Term {
        self.word_in(array, index, 0)
    }

    fn word_in(&mut self, array: ArrayTerm, index: Term, depth: u32) -> Term {
        if let Some(known) = self.chosen.words.get(&(array, index)) {
            return *known;
        }
        let sought = Sought {
            index,
            bytes: self.places(index),
            stride: self.terms.stride_of(index),
        };
        let whole = array;
        let array = self.terms.below(whole, &sought);
        if let Some(known) = self.chosen.words.get(&(array, index)).copied() {
            self.chosen.words.insert((whole, index), known);
            return known;
        }
        let plain = self.plain_word(array, index);
        let crowd = (array, sought.stride);
        if depth > MAX_DEPTH || !self.terms.in_bytes(plain) || self.chosen.crowded.contains(&crowd)
        {
            return plain;
        }
        let mut layers = Layers::new();
        let mut steps = 0;
        let mut at = array;
        let base = loop {
            steps += 1;
            if layers.len() > MAX_WORDS || steps > MAX_STEPS {
                // It is no better at another index that may be any of the same elements: a loop over a ring.
                self.chosen.crowded.insert(crowd);
                return plain;
            }
            match *self.terms.array_node(at) {
                ArrayNode::Const(_) => break self.plain_word(at, index),
                ArrayNode::Var(_) => break self.initial_word(at, index),
                ArrayNode::Ite(c, x, y) => {
                    let below = self.terms.below(at, &sought);
                    if below != at {
                        at = below;
                        continue;
                    }
                    let x = self.word_in(x, index, depth + 1);
                    let y = self.word_in(y, index, depth + 1);
                    break self.terms.ite(c, x, y);
                }
                ArrayNode::Store(rest, last, byte) => {
                    if self.terms.apart(last, &sought) {
                        at = rest;
                        continue;
                    }
                    let (before, value) = match self.written_word(at, last) {
                        Some(word) => {
                            let before = word.before;
                            (before, self.over_word(at, index, &word, &mut layers))
                        }
                        None => {
                            let store = (rest, last, byte);
                            (rest, self.over_byte(at, index, store, &mut layers))
                        }
                    };
                    match value {
                        Some(value) => break value,
                        None => at = before,
                    }
                }
            }
        };
        let mut value = base;
        for (condition, word) in layers.into_iter().rev() {
            value = self.terms.ite(condition, word, value);
        }
        self.chosen.words.insert((array, index), value);
        self.chosen.words.insert((whole, index), value);
        value
    }

    /// What a word that was stored last makes of the word sought: it is this, or has another layer.
    fn over_word(
        &mut self,
        at: ArrayTerm,
        index: Term,
        word: &Written,
        layers: &mut Layers,
    ) -> Option<Term> {
        let same = self.terms.eq(word.start, index);
        if self.terms.is_true(same) && self.terms.is_true(word.when) {
            return Some(word.value);
        }
        if !self.aligned(word.start, index) {
            let mixed = self.plain_word(at, index);
            let over = self.terms.within(word.start, index, 15, 7);
            let not_same = self.terms.not(same);
            let part = self.terms.and_all(&[over, not_same, word.when]);
            if self.terms.is_true(part) {
                return Some(mixed);
            }
            if !self.terms.is_false(part) {
                let mixed = self.no_pointer(mixed);
                layers.push((part, mixed));
            }
        }
        let here = self.terms.and(same, word.when);
        if !self.terms.is_false(here) {
            layers.push((here, word.value));
        }
        None
    }

    /// The same of a single byte, stored into an array at an index.
    fn over_byte(
        &mut self,
        at: ArrayTerm,
        index: Term,
        (rest, last, byte): (ArrayTerm, Term, Term),
        layers: &mut Layers,
    ) -> Option<Term> {
        let mixed = self.plain_word(at, index);
        let over = self.terms.within(last, index, 8, 0);
        let (when, byte) = self.terms.changed(byte, rest, last);
        let over = self.terms.and(over, when);
        if self.terms.is_true(over) {
            return Some(mixed);
        }
        let inside = self.terms.as_const(index).is_some();
        let mixed = match self.may_be_of_a_pointer(byte, inside, 0) {
            true => mixed,
            false => self.no_pointer(mixed),
        };
        layers.push((over, mixed));
        None
    }

    /// Byte by byte.
    fn plain_word(&mut self, array: ArrayTerm, index: Term) -> Term {
        let places = self.places(index);
        let parts: Vec<Term> = places
            .into_iter()
            .map(|at| self.terms.select(array, at))
            .collect();
        join(&mut self.terms, self.program.layout.little_endian, &parts)
    }

    /// Where the bytes of the word at an index are.
    fn places(&mut self, index: Term) -> Vec<Term> {
        (0..self.program.layout.pointer_bytes)
            .map(|i| {
                let plus = self.terms.constant(64, u128::from(i));
                self.terms.add(index, plus)
            })
            .collect()
    }

    /// The word of which the latest store, at `last`, wrote the last byte. `None` if that store is not of a whole word.
    fn written_word(&mut self, array: ArrayTerm, last: Term) -> Option<Written> {
        let bytes = u128::from(self.program.layout.pointer_bytes);
        let back = self.terms.constant(64, bytes - 1);
        let start = self.terms.sub(last, back);
        let places = self.places(start);
        let mut before = array;
        let mut stored = 0;
        while let ArrayNode::Store(rest, at, _) = *self.terms.array_node(before)
            && places.contains(&at)
        {
            before = rest;
            stored += 1;
        }
        // Only what an array of one byte holds already is not stored. To look for the other bytes takes as long as the array is.
        if stored < places.len() && !matches!(self.terms.array_node(before), ArrayNode::Const(_)) {
            return None;
        }
        let mut when = None;
        let mut parts = Vec::new();
        for at in places {
            let byte = self.terms.select(array, at);
            let (condition, byte) = self.terms.changed(byte, before, at);
            // Of a word that is stored, each byte is.
            if when.is_some_and(|w| w != condition) || self.terms.has_select(byte) {
                return None;
            }
            when = Some(condition);
            parts.push(byte);
        }
        Some(Written {
            start,
            value: join(&mut self.terms, self.program.layout.little_endian, &parts),
            before,
            when: when?,
        })
    }

    /// The same number, known to be no pointer.
    fn no_pointer(&mut self, word: Term) -> Term {
        if let Some(known) = self.chosen.mixed_words.get(&word) {
            return *known;
        }
        let var = self.terms.fresh(self.pointer_bits(), "mixed");
        let is = self.terms.eq(var, word);
        self.chosen.axioms.push(is);
        self.objects.no_pointers.insert(var);
        self.chosen.mixed_words.insert(word, var);
        var
    }

    /// Whether two words are the same or share no byte, as far as strides tell.
    fn aligned(&mut self, a: Term, b: Term) -> bool {
        let bytes = u64::from(self.program.layout.pointer_bytes);
        self.terms
            .distance(a, b)
            .is_some_and(|(stride, rest)| stride % bytes == 0 && rest % bytes == 0)
    }

    /// Whether a byte may be a piece of a pointer: bytes copied one by one may, unless they go into the middle of a struct.
    fn may_be_of_a_pointer(&self, byte: Term, inside: bool, depth: u32) -> bool {
        match *self.terms.node(byte) {
            _ if depth > 20 => true,
            Node::Extract(_, low, of) => low > 0 && self.terms.width(of) >= self.pointer_bits(),
            Node::Select(..) => !inside,
            Node::Var(_) => !inside && self.chosen.lazy_vars.contains_key(&byte),
            Node::Ite(_, a, b) => {
                self.may_be_of_a_pointer(a, inside, depth + 1)
                    || self.may_be_of_a_pointer(b, inside, depth + 1)
            }
            _ => false,
        }
    }

    /// What an object held there before any write.
    fn initial_word(&mut self, array: ArrayTerm, index: Term) -> Term {
        let plain = self.plain_word(array, index);
        let Some(&object) = self.chosen.array_objects.get(&array) else {
            return plain;
        };
        if self.objects.get(object).initial != Initial::Lazy
            || matches!(self.mode, Mode::Concrete(_))
        {
            return plain;
        }
        let Some(offset) = self.terms.as_const(index) else {
            self.chosen.indexed_words.insert(plain, (object, index));
            return plain;
        };
        self.cell_in_array(object, offset as u64, plain)
    }

    /// A cell that was first read when its object was an array already.
    fn cell_in_array(&mut self, object: ObjectId, offset: u64, plain: Term) -> Term {
        let bytes = self.program.layout.pointer_bytes;
        let cells = &self.objects.get(object).lazy_cells;
        if let Some((n, var)) = cells.get(offset)
            && *n == bytes
        {
            return *var;
        }
        let before = cells.range(..=offset.saturating_add(u64::from(bytes) - 1));
        let overlaps = before
            .rev()
            .take(1)
            .any(|(o, (n, _))| o + u64::from(n) > offset);
        if overlaps {
            return plain;
        }
        let var = self.new_lazy_cell(object, offset, bytes);
        let cells = &mut self.objects.get_mut(object).lazy_cells;
        cells.insert(offset, (bytes, var));
        let is = self.terms.eq(var, plain);
        self.chosen.axioms.push(is);
        var
    }
}

/// `(s, r)`: the difference of the two is r modulo s.
fn modulo((s, r): (u64, i64), (t, q): (u64, i64)) -> Option<(u64, u64)> {
    let stride = crate::symex::memory::offsets::gcd(s, t);
    (stride > 0).then(|| {
        (
            stride,
            crate::symex::memory::offsets::remainder(r.wrapping_sub(q), stride),
        )
    })
}

impl Terms {
    /// The array without what was stored last and is no byte of the word.
    fn below(&self, array: ArrayTerm, word: &Sought) -> ArrayTerm {
        let terms = self;
        terms.array_below(array, |at| self.apart(at, word))
    }

    /// Whether a word is only known byte by byte.
    pub(in crate::symex) fn in_bytes(&self, word: Term) -> bool {
        matches!(*self.node(word), Node::Concat(..))
    }

    /// When a byte that is stored differs from what was there (as far as its form tells), and what it is then.
    fn changed(&mut self, byte: Term, rest: ArrayTerm, at: Term) -> (Term, Term) {
        let mut when = self.tru();
        let mut byte = byte;
        // What was there is searched for store by store.
        if !matches!(*self.node(byte), Node::Ite(..)) {
            return (when, byte);
        }
        let old = self.select(rest, at);
        while let Node::Ite(c, a, b) = *self.node(byte) {
            let (condition, new) = if b == old {
                (c, a)
            } else if a == old {
                (self.not(c), b)
            } else {
                break;
            };
            when = self.and(when, condition);
            byte = new;
        }
        (when, byte)
    }

    fn has_select(&self, byte: Term) -> bool {
        match *self.node(byte) {
            Node::Select(..) => true,
            Node::Ite(_, a, b) => self.has_select(a) || self.has_select(b),
            _ => false,
        }
    }

    /// `at + before - index < width`, unsigned.
    fn within(&mut self, at: Term, index: Term, width: u128, before: u128) -> Term {
        let distance = self.sub(at, index);
        let before = self.constant(64, before);
        let distance = self.add(distance, before);
        let width = self.constant(64, width);
        self.ult(distance, width)
    }

    /// Whether no byte of the word can be the one at `at`, as far as strides tell.
    fn apart(&self, at: Term, word: &Sought) -> bool {
        let bytes = word.bytes.len() as u64;
        if let (Some(a), Some(i)) = (self.as_const(at), self.as_const(word.index)) {
            return (a as u64).wrapping_sub(i as u64) >= bytes;
        }
        if let (Some(a), Some(b)) = (self.stride_of(at), word.stride)
            && let Some((stride, rest)) = modulo(a, b)
            && rest >= bytes
            && stride > bytes
        {
            return true;
        }
        let mut each = word.bytes.iter();
        each.all(|byte| self.never_equal(at, *byte))
    }

    /// `(s, r)`: `a - b` is r modulo s.
    pub(in crate::symex) fn distance(&self, a: Term, b: Term) -> Option<(u64, u64)> {
        modulo(self.stride_of(a)?, self.stride_of(b)?)
    }
}
