//! Runs of a program: races that are made to happen, and where its threads get to.
//!
//! A run costs what it executes, whatever there is to think about: it comes behind loops, files and tables that no search gets through.

use super::{Open, Stage};
use crate::pair::runs;

/// Runs a program ([`crate::concrete::Whole`]). Of drivers each entry point is run once for all pairs, before any of them is searched.
pub(super) struct OfProgram;

impl Stage for OfProgram {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        let something = !open.plan.regions.is_empty() || !open.proofs.is_empty();
        open.task.is_program() && something && runs::are_made(open.shared.options)
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        if let Some(ledger) = runs::of_program(open) {
            open.ledger = Some(ledger);
        }
    }
}
