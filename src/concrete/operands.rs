//! Operands as registers and constants.

use super::code::{Arg, Format, Kind, Slot, Touching};
use super::compile::OfFunction;
use super::memory::{function_address, global_address};
use crate::index::{Idx, SiteId, ValueId};
use crate::program::{Const, Number, Operand, Type};

impl OfFunction<'_> {
    /// The register of a result; a value that nobody reads has one, too.
    pub(super) fn dst(&self, result: Option<ValueId>) -> Option<Slot> {
        self.slots[result?.index()].map(|s| s.0)
    }

    /// The registers of an operand.
    pub(super) fn args(&self, operand: &Operand) -> Option<Vec<Arg>> {
        match operand {
            Operand::Value(v) => {
                let (first, n) = self.slots[v.index()]?;
                Some((first..first + n).map(Arg::Slot).collect())
            }
            Operand::Const(Const::Tuple(items)) => items.iter().map(|c| self.constant(c)).collect(),
            Operand::Const(Const::Undef(Type::Tuple(items))) => {
                Some(vec![Arg::Const(0); items.len()])
            }
            Operand::Const(c) => Some(vec![self.constant(c)?]),
        }
    }

    /// The register of a scalar.
    pub(super) fn arg(&self, operand: &Operand) -> Option<Arg> {
        match self.args(operand)?[..] {
            [arg] => Some(arg),
            _ => None,
        }
    }

    fn constant(&self, constant: &Const) -> Option<Arg> {
        let narrow = |address: u64, bits: &Option<u32>| low(address, bits.unwrap_or(64));
        Some(Arg::Const(match constant {
            Const::Int { bits, value } | Const::Float { bits, value } if *bits <= 64 => {
                *value as u64
            }
            Const::Null => 0,
            Const::Undef(ty) => {
                width(ty)?;
                0
            }
            Const::Addr {
                global,
                offset,
                int_bits,
            } => {
                if self.program.globals[*global].thread_local {
                    return None;
                }
                narrow(
                    global_address(*global).wrapping_add_signed(*offset),
                    int_bits,
                )
            }
            Const::Func { function, int_bits } => narrow(function_address(*function), int_bits),
            Const::Int { .. } | Const::Float { .. } | Const::Tuple(_) | Const::Unsupported(..) => {
                return None;
            }
        }))
    }

    /// Width of a scalar operand.
    pub(super) fn bits(&self, operand: &Operand) -> Option<u8> {
        match operand {
            Operand::Value(v) => width(&self.function.values[*v].ty),
            Operand::Const(c) => match c {
                Const::Int { bits, .. } | Const::Float { bits, .. } => {
                    (*bits <= 64).then_some(*bits as u8)
                }
                Const::Null => Some(64),
                Const::Addr { int_bits, .. } | Const::Func { int_bits, .. } => {
                    Some(int_bits.unwrap_or(64) as u8)
                }
                Const::Undef(ty) | Const::Unsupported(ty, _) => width(ty),
                Const::Tuple(_) => None,
            },
        }
    }

    pub(super) fn touching(&self, ty: &Type, site: Option<SiteId>) -> Option<Touching> {
        width(ty)?;
        Some(Touching {
            bytes: self.program.size_of(ty) as u8,
            site,
        })
    }
}

/// Bits of a scalar that a register holds.
pub(super) fn width(ty: &Type) -> Option<u8> {
    let bits = ty.bits(8)?;
    (bits <= 64).then_some(bits as u8)
}

/// The widths of the registers of a value; `None`: it is too wide.
pub(super) fn widths(ty: &Type) -> Option<Vec<u8>> {
    match ty {
        Type::Void => Some(Vec::new()),
        Type::Tuple(items) => items.iter().map(width).collect(),
        scalar => Some(vec![width(scalar)?]),
    }
}

pub(super) fn kind(number: Number) -> Option<Kind> {
    Some(match number {
        Number::Float(format) => Kind::Float(Format::of(format)?),
        Number::Signed(bits) if bits <= 64 => Kind::Signed(bits as u8),
        Number::Unsigned(bits) if bits <= 64 => Kind::Unsigned(bits as u8),
        Number::Signed(_) | Number::Unsigned(_) => return None,
    })
}

/// The low `bits` bits.
pub(super) fn low(value: u64, bits: u32) -> u64 {
    match bits {
        64.. => value,
        _ => value & ((1 << bits) - 1),
    }
}
