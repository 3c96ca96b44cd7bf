//! From a finished run to answers: models, the concrete run of one, what it writes down.

pub mod apart;
pub mod checker;
pub mod journal;
pub(in crate::symex) mod misled;
pub mod model;
pub(in crate::symex) mod reached;
