//! States, and how two of them become one at a join.

use std::sync::Arc;

use crate::expr::Term;
use crate::index::{FuncId, Idx, ValueId};
use crate::symex::machine::cfg::Instance;
use crate::symex::machine::guard::Guard;
use crate::symex::memory::store::Memory;

/// Everything of an execution but the stack: when it is taken, and memory.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The path condition.
    pub guard: Guard,
    /// Memory and ghost state.
    pub memory: Memory,
}

/// The value of an SSA name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An integer or a pointer.
    Scalar(Term),
    /// A flattened aggregate.
    Tuple(Arc<[Term]>),
}

/// The SSA values of one activation.
#[derive(Clone, Debug, Default)]
pub struct Locals {
    values: Arc<Vec<Option<Value>>>,
}

impl Locals {
    /// Room for `n` values, none set.
    pub fn new(n: usize) -> Locals {
        Locals {
            values: Arc::new(vec![None; n]),
        }
    }
    /// A value; `None` where it is not yet defined.
    pub fn get(&self, id: ValueId) -> Option<&Value> {
        self.values[id.index()].as_ref()
    }
    /// Defines a value.
    pub fn set(&mut self, id: ValueId, value: Value) {
        Arc::make_mut(&mut self.values)[id.index()] = Some(value);
    }
    /// Combines two sets of values, position by position, where both are set and differ.
    pub fn zip(&self, other: &Locals, mut choose: impl FnMut(&Value, &Value) -> Value) -> Locals {
        if Arc::ptr_eq(&self.values, &other.values) {
            return self.clone();
        }
        let values = self
            .values
            .iter()
            .zip(other.values.iter())
            .map(|(a, b)| match (a, b) {
                (Some(a), Some(b)) if a != b => Some(choose(a, b)),
                (Some(a), _) => Some(a.clone()),
                (None, b) => b.clone(),
            })
            .collect();
        Locals {
            values: Arc::new(values),
        }
    }
}

/// A state within an activation.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Guard and memory.
    pub state: State,
    /// The activation's values.
    pub locals: Locals,
}

/// How a function was left.
#[derive(Clone, Debug)]
pub struct Exit {
    /// Guard and memory.
    pub state: State,
    /// The result.
    pub value: Option<Value>,
}

/// An activation that waits for a call to return.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Names this activation among all dynamic instances.
    pub context: u64,
    /// The function.
    pub function: FuncId,
    /// Where in it the call stands.
    pub at: Instance,
    /// Index of the call in its block.
    pub index: usize,
    /// Values before the call.
    pub locals: Locals,
}
