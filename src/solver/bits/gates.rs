//! Gates over literals: each made once, as the clauses that define its output (Tseitin 1968).
//!
//! Structural hashing: a gate with the same inputs is the same literal, up to the negations and orders that do not matter; what
//! constants and equal inputs decide is no gate at all.

use std::ops::Not;

use rustc_hash::FxHashMap;

use super::sat::{OutOfMemory, Sat};

/// A Boolean variable of the SAT solver, or its negation: a number as in DIMACS files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Lit(pub(super) i32);

impl Lit {
    /// The literal that a clause of its own makes true.
    pub(super) const TRUE: Lit = Lit(1);
    /// Its negation.
    pub(super) const FALSE: Lit = Lit(-1);

    /// A Boolean constant.
    pub(super) fn constant(value: bool) -> Lit {
        match value {
            true => Lit::TRUE,
            false => Lit::FALSE,
        }
    }

    fn is_negative(self) -> bool {
        self.0 < 0
    }

    fn variable(self) -> Lit {
        Lit(self.0.abs())
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

/// The gates made so far and the solver that has their clauses.
pub(super) struct Gates {
    pub(super) sat: Sat,
    last: i32,
    ands: FxHashMap<(Lit, Lit), Lit>,
    xors: FxHashMap<(Lit, Lit), Lit>,
    ites: FxHashMap<(Lit, Lit, Lit), Lit>,
    clauses: u64,
    /// The solver was refused memory for a clause: its answers mean nothing any more.
    exhausted: bool,
}

impl Gates {
    /// No gates but the constant.
    pub(super) fn new(sat: Sat) -> Gates {
        let mut gates = Gates {
            sat,
            last: 1,
            ands: FxHashMap::default(),
            xors: FxHashMap::default(),
            ites: FxHashMap::default(),
            clauses: 0,
            exhausted: false,
        };
        gates.clause(&[Lit::TRUE]);
        gates
    }

    /// Clauses that the solver was given.
    pub(super) fn clauses(&self) -> u64 {
        self.clauses
    }

    /// # Errors
    /// A clause is missing for want of memory.
    pub(super) fn complete(&self) -> Result<(), OutOfMemory> {
        match self.exhausted {
            true => Err(OutOfMemory),
            false => Ok(()),
        }
    }

    /// A literal that nothing is said of yet.
    pub(super) fn fresh(&mut self) -> Lit {
        self.last = self.last.checked_add(1).expect("too many literals");
        Lit(self.last)
    }

    /// Requires that one of the literals is true.
    pub(super) fn clause(&mut self, literals: &[Lit]) {
        self.clauses += 1;
        self.exhausted |= self.sat.clause(literals).is_err();
    }

    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == Lit::FALSE || b == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if b == Lit::TRUE {
            return a;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.ands.get(&key) {
            return known;
        }
        let out = self.fresh();
        self.clause(&[!out, a]);
        self.clause(&[!out, b]);
        self.clause(&[out, !a, !b]);
        self.ands.insert(key, out);
        out
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negated = a.is_negative() != b.is_negative();
        let (a, b) = (a.variable(), b.variable());
        let out = match (a.min(b), a.max(b)) {
            (a, b) if a == b => Lit::FALSE,
            (Lit::TRUE, b) => !b,
            key => match self.xors.get(&key) {
                Some(&known) => known,
                None => {
                    let (a, b) = key;
                    let out = self.fresh();
                    self.clause(&[!out, a, b]);
                    self.clause(&[!out, !a, !b]);
                    self.clause(&[out, !a, b]);
                    self.clause(&[out, a, !b]);
                    self.xors.insert(key, out);
                    out
                }
            },
        };
        match negated {
            true => !out,
            false => out,
        }
    }

    /// `a` if `c` is true, else `b`.
    pub(super) fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if c == Lit::TRUE || a == b {
            return a;
        }
        if c == Lit::FALSE {
            return b;
        }
        if a == Lit::TRUE || a == c {
            return self.or(c, b);
        }
        if a == Lit::FALSE || a == !c {
            return self.and(!c, b);
        }
        if b == Lit::TRUE || b == !c {
            return self.or(!c, a);
        }
        if b == Lit::FALSE || b == c {
            return self.and(c, a);
        }
        if a == !b {
            return !self.xor(c, a);
        }
        let (c, a, b) = match c.is_negative() {
            true => (!c, b, a),
            false => (c, a, b),
        };
        // Of the two outputs that are each other's negation the one with a positive first input is kept.
        let negated = a.is_negative();
        let (a, b) = match negated {
            true => (!a, !b),
            false => (a, b),
        };
        let out = match self.ites.get(&(c, a, b)) {
            Some(&known) => known,
            None => self.new_ite(c, a, b),
        };
        match negated {
            true => !out,
            false => out,
        }
    }

    fn new_ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        let out = self.fresh();
        self.clause(&[!c, !a, out]);
        self.clause(&[!c, a, !out]);
        self.clause(&[c, !b, out]);
        self.clause(&[c, b, !out]);
        // Implied by the others, but found by propagation only with these.
        self.clause(&[!a, !b, out]);
        self.clause(&[a, b, !out]);
        self.ites.insert((c, a, b), out);
        out
    }

    /// Whether all are true.
    pub(super) fn all(&mut self, mut literals: Vec<Lit>) -> Lit {
        literals.retain(|&l| l != Lit::TRUE);
        literals.sort_unstable();
        literals.dedup();
        if literals.contains(&Lit::FALSE) {
            return Lit::FALSE;
        }
        match literals[..] {
            [] => Lit::TRUE,
            [a] => a,
            [a, b] => self.and(a, b),
            _ => {
                let out = self.fresh();
                for &l in &literals {
                    self.clause(&[!out, l]);
                }
                let mut one_is_not: Vec<Lit> = literals.into_iter().map(Lit::not).collect();
                one_is_not.push(out);
                self.clause(&one_is_not);
                out
            }
        }
    }
}
