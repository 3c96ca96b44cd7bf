//! Values: constants, inputs, choices, and what a term can be.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::expr::{Term, Terms};
use crate::index::{FuncId, Idx};
use crate::program::{Const, Operand, Type};
use crate::symex::machine::cfg::Instance;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::mode::Mode;
use crate::symex::machine::state::{Flow, Locals, Value};

/// What a term can be, as far as that is constant.
#[derive(Debug)]
pub struct Leaves {
    /// The constants, each with its condition.
    pub constants: Vec<(Term, u128)>,
    /// When it is none of them.
    pub other: Term,
}

/// Width of the number of a switch point.
pub(in crate::symex) const SWITCH_BITS: u32 = 32;

impl Executor<'_> {
    /// The condition that the running thread is left at none of its switch points so far; `None`: it has come to none.
    pub(in crate::symex) fn no_switch(&mut self) -> Option<Term> {
        let name = self.stack.turn.left_at?;
        let number = self.input(name, SWITCH_BITS, "switch");
        let none = self.terms.constant(SWITCH_BITS, 0);
        Some(self.terms.eq(number, none))
    }

    /// Whether the run is that of one model, and written down.
    pub(in crate::symex) fn writes_journal(&self) -> bool {
        matches!(self.mode, Mode::Concrete(_))
    }

    /// A constant as a value.
    pub(in crate::symex) fn constant(&mut self, c: &Const) -> Value {
        let pointer_bits = self.pointer_bits();
        let term = match c {
            Const::Int { bits, value } => self.terms.constant(*bits, *value),
            Const::Null => self.terms.constant(pointer_bits, 0),
            Const::Addr {
                global,
                offset,
                int_bits,
            } => {
                let object = self.global_object(*global);
                let base = self.objects.get(object).base.wrapping_add(*offset as u64);
                let address = self.terms.constant(pointer_bits, u128::from(base));
                self.terms.resize(address, int_bits.unwrap_or(pointer_bits))
            }
            Const::Func { function, int_bits } => {
                let object = self.function_object(*function);
                let address = self.objects.address(&mut self.terms, object);
                self.terms.resize(address, int_bits.unwrap_or(pointer_bits))
            }
            // Any value will do for what is undefined: zero is one of them.
            Const::Undef(Type::Tuple(items)) => {
                let widths: Vec<u32> = items.iter().map(|t| self.width_of(t)).collect();
                return Value::Tuple(
                    widths
                        .into_iter()
                        .map(|w| self.terms.constant(w.max(1), 0))
                        .collect(),
                );
            }
            Const::Unsupported(ty, what) => {
                self.refuse_constant(what);
                let width = self.width_of(ty).max(1);
                self.terms.constant(width, 0)
            }
            Const::Undef(ty) => {
                let width = self.width_of(ty).max(1);
                self.terms.constant(width, 0)
            }
            Const::Float { bits, value } => self.terms.constant(*bits, *value),
            Const::Tuple(items) => {
                let parts = items
                    .iter()
                    .map(|i| match self.constant(i) {
                        Value::Scalar(t) => t,
                        Value::Tuple(parts) => parts[0],
                    })
                    .collect();
                return Value::Tuple(parts);
            }
        };
        Value::Scalar(term)
    }

    /// The variable (or, in a concrete run, the value) of a dynamic input.
    pub(in crate::symex) fn input(&mut self, key: u64, width: u32, name: &str) -> Term {
        let key = input_name(key, name);
        if let Mode::Concrete(model) = &self.mode {
            let value = model.inputs.get(&key).map_or(0, |v| model.value(*v));
            if matches!(name, "choice" | "switch" | "thread") {
                self.journal.decisions.insert(key, value);
            }
            return self.terms.constant(width, value);
        }
        if let Some(&var) = self.chosen.inputs.get(&key) {
            return var;
        }
        let var = self.terms.fresh(width, name);
        self.chosen.inputs.insert(key, var);
        var
    }

    pub(in crate::symex) fn operand(&mut self, flow: &Flow, operand: &Operand) -> Value {
        match operand {
            Operand::Value(id) => match flow.locals.get(*id) {
                Some(v) => v.clone(),
                // Only unreachable uses have no definition before them.
                None => Value::Scalar(self.terms.constant(64, 0)),
            },
            Operand::Const(c) => self.constant(c),
        }
    }

    pub(in crate::symex) fn pointer_bits(&self) -> u32 {
        self.program.layout.pointer_bytes * 8
    }

    /// Width in bits of a scalar type (0 for void).
    pub(in crate::symex) fn width_of(&self, ty: &Type) -> u32 {
        ty.bits(self.program.layout.pointer_bytes).unwrap_or(0)
    }

    /// In path mode: which way to go.
    pub(in crate::symex) fn decide(&mut self, guard: &Guard, cond: Term) -> bool {
        if self.terms.is_true(cond) {
            return true;
        }
        let not = self.terms.not(cond);
        let can = guard.and(&mut self.terms, cond).is_some();
        let can_not = guard.and(&mut self.terms, not).is_some();
        if !can || !can_not {
            return can;
        }
        let Mode::Path(decisions) = &mut self.mode else {
            return true;
        };
        let n = decisions.used;
        decisions.used += 1;
        if n == decisions.taken.len() {
            decisions.taken.push((true, false));
        }
        decisions.taken[n].0
    }

    /// The constants that a term can be, with their conditions, and when it is something else.
    pub fn leaves(&mut self, t: Term) -> Arc<Leaves> {
        if let Some(known) = self.caches.leaf_sets.get(&t) {
            return known.clone();
        }
        let (yes, no) = (self.terms.tru(), self.terms.fals());
        let out = if let Some(c) = self.terms.as_const(t) {
            Leaves {
                constants: vec![(yes, c)],
                other: no,
            }
        } else if let crate::expr::Node::Ite(c, a, b) = *self.terms.node(t) {
            let not = self.terms.not(c);
            let sides = [(c, self.leaves(a)), (not, self.leaves(b))];
            let mut constants: Vec<(Term, u128)> = Vec::new();
            let mut other = no;
            for (side, leaves) in sides {
                for (condition, constant) in &leaves.constants {
                    let condition = self.terms.and(side, *condition);
                    match constants.iter_mut().find(|(_, k)| k == constant) {
                        Some((old, _)) => *old = self.terms.or(*old, condition),
                        None => constants.push((condition, *constant)),
                    }
                }
                let here = self.terms.and(side, leaves.other);
                other = self.terms.or(other, here);
            }
            Leaves { constants, other }
        } else {
            Leaves {
                constants: Vec::new(),
                other: yes,
            }
        };
        let shared = Arc::new(out);
        self.caches.leaf_sets.insert(t, shared.clone());
        shared
    }
}

/// A number that names a thing in every run alike.
pub(in crate::symex) fn hash_of(parts: &impl Hash) -> u64 {
    #[allow(
        deprecated,
        reason = "a fixed hash: names must be the same in every run"
    )]
    let mut h = std::hash::SipHasher::new();
    parts.hash(&mut h);
    h.finish()
}

/// Names an input of a kind.
pub(in crate::symex) fn input_name(key: u64, kind: &str) -> u64 {
    hash_of(&(key, kind))
}

/// Names one execution of an instruction.
pub(in crate::symex) fn instance_key(context: u64, at: &Instance, index: usize) -> u64 {
    hash_of(&(context, at, index))
}

/// Names the activation that a call starts.
pub(in crate::symex) fn callee_context(
    context: u64,
    at: &Instance,
    index: usize,
    f: FuncId,
) -> u64 {
    hash_of(&(context, at, index, f.index(), "call"))
}

impl Terms {
    /// Drops high bits or adds zero bits.
    pub(in crate::symex) fn resize(&mut self, t: Term, width: u32) -> Term {
        let have = self.width(t);
        if have < width {
            self.zext(width, t)
        } else if have > width {
            self.extract(width - 1, 0, t)
        } else {
            t
        }
    }

    pub(in crate::symex) fn merge_locals(
        &mut self,
        selector: Term,
        a: &Locals,
        b: &Locals,
    ) -> Locals {
        a.zip(b, |x, y| self.choose(selector, x, y))
    }

    pub(in crate::symex) fn choose(&mut self, selector: Term, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Scalar(x), Value::Scalar(y)) => Value::Scalar(self.ite(selector, *x, *y)),
            (Value::Tuple(x), Value::Tuple(y)) => Value::Tuple(
                x.iter()
                    .zip(y.iter())
                    .map(|(x, y)| self.ite(selector, *x, *y))
                    .collect(),
            ),
            // One of the two is of a name that is dead here.
            _ => a.clone(),
        }
    }
}
