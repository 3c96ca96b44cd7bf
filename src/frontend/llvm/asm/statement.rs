//! An inline assembly statement: where its operands live, what its outputs become.

use llvm_sys::LLVMIntPredicate as P;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::{
    LLVMGetCallSiteEnumAttribute, LLVMGetEnumAttributeKindForName, LLVMGetTypeAttributeValue,
};

use super::text::{Constraint, Machine, Place};
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{LLVMOpcode, Ty, Val};

/// Where an operand lives.
#[derive(Clone, Copy)]
pub(super) enum Home<'m> {
    /// In memory, at an address; the element type where the call says it.
    Memory(Val<'m>, Option<Ty<'m>>),
    /// In a register: input value (if it has one), number of the direct output (if it is one).
    Register(Option<Val<'m>>, Option<usize>),
}

/// One inline assembly statement under translation.
pub(super) struct Statement<'b, 'm> {
    pub b: &'b Builder<'m>,
    pub constraints: Vec<Constraint>,
    pub homes: Vec<Home<'m>>,
    /// Types of the direct outputs.
    pub types: Vec<Ty<'m>>,
    /// Values of the direct outputs, as far as they are known.
    pub outputs: Vec<Option<Val<'m>>>,
    /// Result and carry of the last instruction that sets flags.
    pub flags: Option<Flags<'m>>,
    /// Whether every instruction is atomic: the kernel for one processor leaves the `lock` out.
    pub atomic: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Flags<'m> {
    /// The result, whose sign and zeroness are the flags.
    pub result: Option<Val<'m>>,
    /// The zero flag, where it is no result's.
    pub zero: Option<Val<'m>>,
    pub carry: Option<Val<'m>>,
}

impl<'b, 'm> Statement<'b, 'm> {
    pub(super) fn new(
        b: &'b Builder<'m>,
        call: Val<'m>,
        constraints: Vec<Constraint>,
    ) -> Option<Self> {
        let args = call.call_args();
        let mut next_arg = 0;
        let mut next_output = 0;
        let mut homes: Vec<Home<'m>> = Vec::new();
        for c in &constraints {
            let home = if c.output && !c.indirect {
                next_output += 1;
                Home::Register(None, Some(next_output - 1))
            } else {
                let arg = *args.get(next_arg)?;
                next_arg += 1;
                if c.indirect {
                    Home::Memory(arg, element_type(call, next_arg as u32))
                } else {
                    Home::Register(Some(arg), None)
                }
            };
            homes.push(home);
        }
        // An input tied to an output is that register's value before.
        for (n, c) in constraints.iter().enumerate() {
            if let Some(to) = c.tied_to()
                && let Home::Register(Some(value), _) = homes[n]
            {
                match homes.get(to)? {
                    Home::Register(_, output) => homes[to] = Home::Register(Some(value), *output),
                    Home::Memory(..) => return None,
                }
            }
        }
        let types = match call.ty().kind() {
            LLVMTypeKind::LLVMVoidTypeKind => Vec::new(),
            LLVMTypeKind::LLVMStructTypeKind => call.ty().fields(),
            _ => vec![call.ty()],
        };
        if types.len() != next_output || next_arg != args.len() {
            return None;
        }
        Some(Statement {
            b,
            constraints,
            homes,
            outputs: vec![None; types.len()],
            types,
            flags: None,
            atomic: false,
        })
    }

    /// The value of the call: outputs written, flags asked for, registers that passed through.
    pub(super) fn result(mut self, call: Val<'m>) -> Option<Option<Val<'m>>> {
        for n in 0..self.constraints.len() {
            let Home::Register(before, Some(output)) = self.homes[n] else {
                continue;
            };
            if self.outputs[output].is_some() {
                continue;
            }
            let ty = self.types[output];
            let value = if let Some(condition) = self.constraints[n].condition() {
                let truth = self.condition(condition)?;
                self.b.convert(truth, ty, false)?
            } else if let Some(value) = before {
                // A register given and handed back unchanged.
                self.b.convert(value, ty, false)?
            } else if self.constraints[n].code.contains("sp}") {
                // The stack pointer that a call leaves.
                self.b.arbitrary(ty)
            } else {
                return None;
            };
            self.outputs[output] = Some(value);
        }
        if self.types.is_empty() {
            return Some(None);
        }
        if call.ty().kind() != LLVMTypeKind::LLVMStructTypeKind {
            return Some(self.outputs[0]);
        }
        let mut whole = self.b.poison(call.ty());
        for (n, value) in self.outputs.iter().enumerate() {
            whole = self.b.insert(whole, (*value)?, n as u32);
        }
        Some(Some(whole))
    }

    pub(super) fn condition(&self, name: &str) -> Option<Val<'m>> {
        let flags = self.flags?;
        let b = self.b;
        let not = |v: Val<'m>| b.binary(LLVMOpcode::LLVMXor, v, b.int(1, 1));
        let zero = || match (flags.zero, flags.result) {
            (Some(z), _) => Some(z),
            (None, Some(r)) => Some(b.compare(P::LLVMIntEQ, r, b.zero(r.ty()))),
            _ => None,
        };
        let sign = || {
            let r = flags.result?;
            Some(b.compare(P::LLVMIntSLT, r, b.zero(r.ty())))
        };
        match name {
            "z" | "e" => zero(),
            "nz" | "ne" => zero().map(not),
            "c" | "b" | "nae" => flags.carry,
            "nc" | "ae" | "nb" => flags.carry.map(not),
            "s" => sign(),
            "ns" => sign().map(not),
            _ => None,
        }
    }

    pub(super) fn home(&self, place: &Place) -> Option<Home<'m>> {
        match place {
            Place::Operand(n) => self.homes.get(*n).copied(),
            _ => None,
        }
    }

    /// The value of a source operand.
    pub(super) fn value(&self, place: &Place, ty: Ty<'m>) -> Option<Val<'m>> {
        let value = match place {
            Place::Number(n) => self.b.int(ty.int_bits(), *n as u64),
            _ => match self.home(place)? {
                Home::Register(Some(value), _) => value,
                Home::Memory(address, _) => self.b.load(ty, address, true),
                Home::Register(None, _) => return None,
            },
        };
        self.b.convert(value, ty, true)
    }

    /// Writes a destination register.
    pub(super) fn set(&mut self, place: &Place, value: Val<'m>) -> Option<()> {
        match self.home(place)? {
            Home::Register(_, Some(output)) => {
                self.outputs[output] = Some(self.b.convert(value, self.types[output], false)?);
                Some(())
            }
            _ => None,
        }
    }

    /// The width of an instruction without a suffix: that of a memory operand, else of a register.
    pub(super) fn width(&self, bits: Option<u32>, machine: &Machine) -> Option<u32> {
        if bits.is_some() {
            return bits;
        }
        let of = |home: Home<'m>| match home {
            Home::Memory(_, ty) => ty.map(Ty::int_bits),
            Home::Register(Some(v), _) => Some(v.ty().int_bits()),
            Home::Register(None, Some(n)) => Some(self.types[n].int_bits()),
            Home::Register(None, None) => None,
        };
        machine
            .places
            .iter()
            .rev()
            .filter_map(|p| self.home(p).and_then(of))
            .find(|b| *b > 0)
    }

    /// The output that sits in a register, such as `{ax}`.
    pub(super) fn in_register(&self, register: &str) -> Option<usize> {
        self.constraints
            .iter()
            .zip(&self.homes)
            .find_map(|(c, h)| match h {
                Home::Register(_, Some(output)) if c.code == register => Some(*output),
                _ => None,
            })
    }

    /// The input that sits in a register.
    pub(super) fn input_in(&self, register: &str) -> Option<Val<'m>> {
        self.constraints
            .iter()
            .zip(&self.homes)
            .find_map(|(c, h)| match h {
                Home::Register(Some(value), _) if c.code == register => Some(*value),
                _ => None,
            })
    }

    pub(super) fn string_pointer(&self, register: &str) -> Option<Val<'m>> {
        let value = self.input_in(register)?;
        (value.ty().address_space() == Some(0)).then_some(value)
    }

    pub(super) fn string_bytes(&self, size: u32) -> Option<Val<'m>> {
        let count = self.input_in("{cx}")?;
        let count = self.b.convert(count, self.b.int_type(64), false)?;
        Some(
            self.b
                .binary(LLVMOpcode::LLVMMul, count, self.b.int(64, u64::from(size))),
        )
    }
}

/// The element type that the call names for an indirect operand.
fn element_type(call: Val<'_>, index: u32) -> Option<Ty<'_>> {
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"elementtype".as_ptr(), 11);
        let attribute = LLVMGetCallSiteEnumAttribute(call.raw(), index, kind);
        (!attribute.is_null()).then(|| Ty::new(LLVMGetTypeAttributeValue(attribute)))
    }
}
