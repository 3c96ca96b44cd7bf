//! One activation after the other, from a state to the states that it leaves: control, values, what is found on the way. It knows no
//! schedule: where another thread could run it asks one ([`switch::Schedule`]).

pub(in crate::symex) mod activation;
pub mod apart;
pub(in crate::symex) mod behind;
pub(in crate::symex) mod blocks;
pub(in crate::symex) mod budget;
pub(in crate::symex) mod calls;
pub(in crate::symex) mod cfg;
pub(in crate::symex) mod counted;
pub(in crate::symex) mod ending;
pub mod ends;
pub mod exec;
pub(in crate::symex) mod failures;
pub(in crate::symex) mod feasible;
pub(in crate::symex) mod float;
pub mod found;
pub(in crate::symex) mod frees;
pub(in crate::symex) mod functions;
pub mod guard;
pub(in crate::symex) mod merge;
pub mod mode;
pub(in crate::symex) mod ops;
pub(in crate::symex) mod points;
pub(in crate::symex) mod primitives;
pub(in crate::symex) mod quiet;
pub(in crate::symex) mod resumed;
pub(in crate::symex) mod stack;
pub mod state;
pub(in crate::symex) mod switch;
pub(in crate::symex) mod threads;
pub mod values;
