//! What may reach what: call graph, points-to, locksets, regions of memory, and the plan of a check.
//!
//! Everything here looks at the *concurrent* program (input, models, harness)
//! and over-approximates: an answer "these two accesses never meet" is relied
//! on when checks and switch points are left out, the opposite answer is not.

mod accesses;
pub mod atomicity;
mod bits;
pub mod callgraph;
mod conflict_pairs;
mod conflicts;
pub mod coverability;
mod dependence;
mod escape;
pub mod fields;
mod fresh;
mod grouped;
pub mod guards;
pub mod late;
mod layouts;
mod lockset;
pub mod of_one;
pub mod passed;
pub mod plan;
pub mod points_to;
pub mod potential;
pub mod regions;
pub mod sections;
mod steering;
mod threads;
mod touched;
pub mod unidentified;
mod unknown_origin;
mod unpublished;

#[cfg(test)]
pub use conflict_pairs::Line;
pub use plan::{PairPlan, PlanOptions, Planner};
pub use points_to::PointsTo;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
