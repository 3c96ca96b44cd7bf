//! The hash-consing store.

use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::facts::Facts;
use super::node::{ArrayNode, ArrayTerm, ArrayVar, Node, Term, Var};
use super::runs::Runs;
use super::value::mask;
use crate::deadline;

/// Constants of a tree that are remembered.
const MAX_LEAVES: usize = 64;

/// How often work is counted: in terms.
const COUNT: usize = 16;

/// Rules inside rules.
const MAX_NESTED: u32 = 24;

/// Which store a term belongs to. A clone is another store: it shares the
/// terms made before, and later terms of the two have the same numbers with
/// different meanings. What remembers terms must forget them when this changes.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct StoreId(u64);

impl StoreId {
    fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Only compared for equality, so the order in which threads draw numbers is seen nowhere.
        StoreId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Clone)]
struct VarInfo {
    name: String,
    term: Term,
}

/// What is stored with each term beside its node: there are millions of terms.
#[derive(Clone, Copy)]
struct Entry {
    /// The place of its facts: most terms know as little as many others.
    facts: u32,
    width: u8,
}

/// The hash-consing store of terms. See the module for what the constructors
/// promise. Constructors panic when widths do not fit together: that is a bug of
/// the caller.
pub struct Terms {
    id: StoreId,
    // invariant: operands stand before the terms that they are operands of
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    /// The terms by their nodes and widths.
    table: HashTable<Term>,
    /// The constants that nodes turned out to be.
    folded: FxHashMap<(Node, u8), Term>,
    known: Vec<Facts>,
    known_table: HashTable<u32>,
    /// Of each `Ite` tree over constants: these, sorted, if they are few.
    leaves: FxHashMap<Term, Arc<[u128]>>,
    vars: Vec<VarInfo>,
    arrays: Vec<ArrayNode>,
    pub(super) runs: Runs,
    array_table: FxHashMap<ArrayNode, ArrayTerm>,
    array_vars: Vec<String>,
    /// Conjunctions made before: path conditions are put together from the same parts again and again.
    pub(super) conjunctions: FxHashMap<(Term, Term), Term>,
    /// How often a term was asked for, new or not.
    lookups: u64,
    /// Rules under way inside rules, see [`Terms::nested`].
    depth: u32,
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terms")
            .field("id", &self.id)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl Clone for Terms {
    fn clone(&self) -> Self {
        Terms {
            id: StoreId::next(),
            nodes: self.nodes.clone(),
            entries: self.entries.clone(),
            table: self.table.clone(),
            folded: self.folded.clone(),
            known: self.known.clone(),
            known_table: self.known_table.clone(),
            leaves: self.leaves.clone(),
            vars: self.vars.clone(),
            arrays: self.arrays.clone(),
            runs: self.runs.clone(),
            array_table: self.array_table.clone(),
            array_vars: self.array_vars.clone(),
            conjunctions: FxHashMap::default(),
            lookups: self.lookups,
            depth: 0,
        }
    }
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// A store with the two Boolean constants only.
    pub fn new() -> Self {
        let mut terms = Terms {
            id: StoreId::next(),
            nodes: Vec::new(),
            entries: Vec::new(),
            table: HashTable::new(),
            folded: FxHashMap::default(),
            known: Vec::new(),
            known_table: HashTable::new(),
            leaves: FxHashMap::default(),
            vars: Vec::new(),
            arrays: Vec::new(),
            runs: Runs::default(),
            array_table: FxHashMap::default(),
            array_vars: Vec::new(),
            conjunctions: FxHashMap::default(),
            lookups: 0,
            depth: 0,
        };
        // `tru` and `fals` rely on these numbers.
        terms.intern(Node::Const(0), 1);
        terms.intern(Node::Const(1), 1);
        terms
    }

    /// The identity of the store.
    pub fn id(&self) -> StoreId {
        self.id
    }

    /// Number of terms created.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Never: the Boolean constants are always there.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The constant of a width; bits of `value` above the width are dropped.
    pub fn constant(&mut self, width: u32, value: u128) -> Term {
        assert!((1..=128).contains(&width), "width {width}");
        self.intern(Node::Const(value & mask(width)), width)
    }

    /// The Boolean constant true.
    pub fn tru(&self) -> Term {
        Term(1)
    }

    /// The Boolean constant false.
    pub fn fals(&self) -> Term {
        Term(0)
    }

    /// A Boolean constant.
    pub fn bool(&mut self, b: bool) -> Term {
        Term(u32::from(b))
    }

    /// A new variable. The name is for dumps and reports; it need not be unique.
    pub fn fresh(&mut self, width: u32, name: &str) -> Term {
        assert!((1..=128).contains(&width), "width {width}");
        let var = Var(u32::try_from(self.vars.len()).expect("too many variables"));
        let term = self.intern(Node::Var(var), width);
        self.vars.push(VarInfo {
            name: name.to_owned(),
            term,
        });
        term
    }

    /// The variable that the term is, if it is one.
    pub fn var_of(&self, t: Term) -> Option<Var> {
        match *self.node(t) {
            Node::Var(v) => Some(v),
            _ => None,
        }
    }

    /// The name that the variable was made with.
    pub fn var_name(&self, v: Var) -> &str {
        &self.vars[v.index()].name
    }

    /// The term that is the variable.
    pub fn var_term(&self, v: Var) -> Term {
        self.vars[v.index()].term
    }

    /// The variables in order of creation.
    pub fn vars(&self) -> impl Iterator<Item = Var> + use<> {
        (0..self.vars.len() as u32).map(Var)
    }

    /// The name that the array variable was made with.
    pub fn array_var_name(&self, v: ArrayVar) -> &str {
        &self.array_vars[v.index()]
    }

    /// The width in bits.
    pub fn width(&self, t: Term) -> u32 {
        u32::from(self.entries[t.index()].width)
    }

    /// The value if the term is a constant.
    pub fn as_const(&self, t: Term) -> Option<u128> {
        match *self.node(t) {
            Node::Const(v) => Some(v),
            _ => None,
        }
    }

    /// Whether the term is the Boolean constant true.
    pub fn is_true(&self, t: Term) -> bool {
        t == self.tru()
    }

    /// Whether the term is the Boolean constant false.
    pub fn is_false(&self, t: Term) -> bool {
        t == self.fals()
    }

    /// What the term is.
    pub fn node(&self, t: Term) -> &Node {
        &self.nodes[t.index()]
    }

    /// What the array is.
    pub fn array_node(&self, a: ArrayTerm) -> &ArrayNode {
        &self.arrays[a.index()]
    }

    /// Known bits and unsigned bounds of the term, whatever the assignment.
    pub fn facts(&self, t: Term) -> &Facts {
        &self.known[self.entries[t.index()].facts as usize]
    }

    /// How often a term was asked for, new or not: what building them has cost, the same on every machine.
    pub fn lookups(&self) -> u64 {
        self.lookups
    }

    /// The term of a node, as it stands: the constructors have applied their rules.
    pub(super) fn intern(&mut self, node: Node, width: u32) -> Term {
        self.lookups += 1;
        let width_byte = width as u8;
        let hash = FxBuildHasher.hash_one((node, width_byte));
        let (nodes, entries) = (&self.nodes, &self.entries);
        let same = |t: &Term| nodes[t.index()] == node && entries[t.index()].width == width_byte;
        if let Some(&t) = self.table.find(hash, same) {
            return t;
        }
        if let Some(&t) = self.folded.get(&(node, width_byte)) {
            return t;
        }
        let facts = Facts::of(self, &node, width);
        // A term whose bits are all known is a constant, whatever it looks like.
        if let (Some(value), false) = (facts.value(), matches!(node, Node::Const(_))) {
            let t = self.constant(width, value);
            self.folded.insert((node, width_byte), t);
            return t;
        }
        let leaves = self.leaves_of(&node);
        let t = Term(u32::try_from(self.entries.len()).expect("too many terms"));
        if self.entries.len() % COUNT == 0 {
            deadline::worked(COUNT as u64);
        }
        let facts = self.intern_facts(facts);
        self.nodes.push(node);
        self.entries.push(Entry {
            facts,
            width: width_byte,
        });
        if let Some(leaves) = leaves {
            self.leaves.insert(t, leaves);
        }
        let (nodes, entries) = (&self.nodes, &self.entries);
        let hash_of =
            |t: &Term| FxBuildHasher.hash_one((nodes[t.index()], entries[t.index()].width));
        self.table.insert_unique(hash, t, hash_of);
        t
    }

    /// The place of these facts.
    fn intern_facts(&mut self, facts: Facts) -> u32 {
        let hash = FxBuildHasher.hash_one(facts);
        let known = &self.known;
        if let Some(&at) = self
            .known_table
            .find(hash, |at| known[*at as usize] == facts)
        {
            return at;
        }
        let at = u32::try_from(self.known.len()).expect("too many facts");
        self.known.push(facts);
        let known = &self.known;
        let hash_of = |at: &u32| FxBuildHasher.hash_one(known[*at as usize]);
        self.known_table.insert_unique(hash, at, hash_of);
        at
    }

    /// The constants of an `Ite` node, if it is a tree over few of them.
    fn leaves_of(&self, node: &Node) -> Option<Arc<[u128]>> {
        match *node {
            Node::Ite(_, a, b) => {
                let (a, b) = (self.leaves(a)?, self.leaves(b)?);
                let mut all: Vec<u128> = a.iter().chain(b).copied().collect();
                all.sort_unstable();
                all.dedup();
                (all.len() <= MAX_LEAVES).then(|| all.into())
            }
            _ => None,
        }
    }

    /// If only constants can come of the term by its form (an `Ite` tree over at
    /// most 64 constants): those constants, sorted.
    pub fn leaves(&self, t: Term) -> Option<&[u128]> {
        match self.node(t) {
            Node::Const(v) => Some(std::slice::from_ref(v)),
            Node::Ite(..) => self.leaves.get(&t).map(AsRef::as_ref),
            _ => None,
        }
    }

    /// Runs a rule that calls constructors on parts of its operands. Rules that
    /// follow a term downwards in this way stop after some steps: terms are deep,
    /// the stack is not. `None` then, and the caller does without the rule.
    pub(super) fn nested<R>(&mut self, rule: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= MAX_NESTED {
            return None;
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        Some(result)
    }

    /// The term of an array node, as it stands.
    pub(super) fn intern_array(&mut self, node: ArrayNode) -> ArrayTerm {
        if let Some(&a) = self.array_table.get(&node) {
            return a;
        }
        let a = ArrayTerm(u32::try_from(self.arrays.len()).expect("too many arrays"));
        self.arrays.push(node);
        self.array_table.insert(node, a);
        if let ArrayNode::Store(rest, at, _) = node
            && let Some(index) = self.as_const(at)
        {
            self.runs.add(a, rest, index as u64);
        }
        a
    }

    pub(super) fn new_array_var(&mut self, name: &str) -> ArrayVar {
        let v = ArrayVar(u32::try_from(self.array_vars.len()).expect("too many arrays"));
        self.array_vars.push(name.to_owned());
        v
    }

    /// The common width of two terms. Panics if they differ.
    pub(super) fn same_width(&self, a: Term, b: Term) -> u32 {
        let (w, v) = (self.width(a), self.width(b));
        assert_eq!(w, v, "widths of operands differ");
        w
    }
}
