//! What an access may come to: what is written, and what the thread reads.

use crate::faults::{NetFault, seeded};
use crate::program::{AtomicRmwOp, BinOp, Operand};

use super::explore::Explorer;
use super::state::Micro;
use super::value::{Val, arithmetic, equal};

/// What an access does.
pub(super) enum Does<'o> {
    Read,
    Write(&'o Operand),
    /// Reads and writes; the result is the old value.
    Modify(AtomicRmwOp, &'o Operand),
    Exchange(&'o Operand, &'o Operand),
}

impl Explorer<'_> {
    /// What an access may come to, given the old value: what is written, and the result.
    #[allow(
        clippy::type_complexity,
        reason = "two optional values, each perhaps not known"
    )]
    pub(super) fn outcomes(
        &self,
        m: &Micro,
        does: &Does<'_>,
        old: Option<Val>,
    ) -> Vec<(Option<Option<Val>>, Option<Val>)> {
        match does {
            Does::Read => vec![(None, old)],
            Does::Write(value) => vec![(Some(self.eval(m, value)), None)],
            Does::Modify(op, value) => {
                let given = self.eval(m, value);
                let bits = self.bits(m, value).max(1);
                let op = match op {
                    AtomicRmwOp::Xchg => return vec![(Some(given), old)],
                    AtomicRmwOp::Add => BinOp::Add,
                    AtomicRmwOp::Sub => BinOp::Sub,
                    AtomicRmwOp::And => BinOp::And,
                    AtomicRmwOp::Or => BinOp::Or,
                    AtomicRmwOp::Xor => BinOp::Xor,
                    AtomicRmwOp::Nand
                    | AtomicRmwOp::Max
                    | AtomicRmwOp::Min
                    | AtomicRmwOp::UMax
                    | AtomicRmwOp::UMin => return vec![(Some(None), old)],
                };
                let new = arithmetic(op, old.as_ref(), given.as_ref(), bits);
                vec![(Some(new), old)]
            }
            Does::Exchange(expected, new) => {
                let (expected, new) = (self.eval(m, expected), self.eval(m, new));
                let same = match (&old, &expected) {
                    (Some(x), Some(y)) => equal(x, y),
                    _ => None,
                };
                let mut out = Vec::new();
                if same.is_none() && seeded(NetFault::UnknownExchangeFails) {
                    return vec![(None, Some(Val::Tuple(vec![old, Some(Val::Int(0))])))];
                }
                if same != Some(false) {
                    let old = old.clone().or_else(|| expected.clone());
                    let result = Val::Tuple(vec![old, Some(Val::Int(1))]);
                    out.push((Some(new), Some(result)));
                }
                if same != Some(true) {
                    let result = Val::Tuple(vec![old, Some(Val::Int(0))]);
                    out.push((None, Some(result)));
                }
                out
            }
        }
    }
}
