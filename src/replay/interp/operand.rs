//! Operands, results and the position in the program.

use super::super::memory::{from_bytes, to_bytes};
use super::super::state::{Frame, PathError, Stop, Thread, Val};
use super::{Run, arith};
use crate::index::{Idx, ValueId};
use crate::program::{Block, Const, Function, Op, Operand, Type};

impl<'a> Run<'a> {
    pub(super) fn me(&self) -> &Thread {
        self.state.thread(self.thread)
    }
    pub(super) fn me_mut(&mut self) -> &mut Thread {
        self.state.thread_mut(self.thread)
    }
    pub(super) fn frame(&self) -> &Frame {
        self.me()
            .frames
            .last()
            .expect("a running thread has a frame")
    }
    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        self.me_mut()
            .frames
            .last_mut()
            .expect("a running thread has a frame")
    }
    pub(super) fn function(&self) -> &'a Function {
        let machine = self.machine;
        &machine.program.functions[self.frame().function]
    }
    pub(super) fn block(&self) -> &'a Block {
        &self.function().blocks[self.frame().block]
    }

    /// Executes one instruction or terminator.
    pub(super) fn instruction(&mut self) -> Result<(), Stop> {
        self.fuel = self
            .fuel
            .checked_sub(1)
            .ok_or_else(|| PathError::Budget("too many instructions in one step".into()))?;
        let block = self.block();
        let Some(instr) = block.instrs.get(self.frame().index) else {
            return Ok(self.terminator(block)?);
        };
        let value = match &instr.op {
            Op::Call { .. } => return self.call(instr),
            Op::Primitive { primitive, args } => match self.primitive(*primitive, args, instr)? {
                Some(value) => value,
                None => return Ok(()),
            },
            Op::Alloca {
                element_bytes,
                count,
                ..
            } => Some(self.alloca(*element_bytes, count)?),
            Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicRmw { .. }
            | Op::CmpXchg { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. } => self.access(&instr.op, instr.site)?,
            Op::Unsupported(what) => return Err(PathError::Unsupported(what.clone()).into()),
            pure => Some(self.pure(pure)?),
        };
        let frame = self.frame_mut();
        if let (Some(result), Some(value)) = (instr.result, value) {
            frame.values[result.index()] = value;
        }
        frame.index += 1;
        Ok(())
    }

    pub(super) fn set(&mut self, result: Option<ValueId>, value: Val) {
        if let Some(result) = result {
            self.frame_mut().values[result.index()] = value;
        }
    }

    pub(super) fn value(&self, operand: &Operand) -> Result<Val, PathError> {
        match operand {
            Operand::Value(v) => Ok(self.frame().values[v.index()].clone()),
            Operand::Const(c) => self.constant(c),
        }
    }
    pub(super) fn bits(&self, operand: &Operand) -> Result<u128, PathError> {
        Ok(self.value(operand)?.bits())
    }
    /// The low 64 bits of an operand.
    pub(super) fn word(&self, operand: &Operand) -> Result<u64, PathError> {
        Ok(self.bits(operand)? as u64)
    }

    fn constant(&self, constant: &Const) -> Result<Val, PathError> {
        match constant {
            Const::Tuple(items) => {
                let items: Result<Vec<Val>, PathError> =
                    items.iter().map(|c| self.constant(c)).collect();
                Ok(Val::Tuple(items?.into()))
            }
            Const::Undef(Type::Tuple(items)) => {
                Ok(Val::Tuple(vec![Val::Bits(0); items.len()].into()))
            }
            Const::Unsupported(_, what) => Err(PathError::Unsupported(what.clone())),
            Const::Addr { global, .. } if self.machine.program.globals[*global].thread_local => {
                Err(PathError::Unsupported(format!(
                    "thread-local variable {}",
                    self.machine.program.globals[*global].name
                )))
            }
            plain => Ok(Val::Bits(
                self.machine
                    .plain_const(plain)
                    .expect("neither a tuple nor unsupported"),
            )),
        }
    }

    /// Width of a scalar operand.
    pub(super) fn width(&self, operand: &Operand) -> u32 {
        let pointer = self.machine.pointer_bits();
        match operand {
            Operand::Value(v) => self.function().values[*v]
                .ty
                .bits(pointer / 8)
                .unwrap_or(pointer),
            Operand::Const(c) => match c {
                Const::Int { bits, .. } | Const::Float { bits, .. } => *bits,
                Const::Null => pointer,
                Const::Addr { int_bits, .. } | Const::Func { int_bits, .. } => {
                    int_bits.unwrap_or(pointer)
                }
                Const::Undef(ty) | Const::Unsupported(ty, _) => {
                    ty.bits(pointer / 8).unwrap_or(pointer)
                }
                Const::Tuple(_) => pointer,
            },
        }
    }

    pub(super) fn address(&self, operand: &Operand) -> Result<u64, PathError> {
        let address = self.bits(operand)?;
        Ok(arith::mask(address, self.machine.pointer_bits()) as u64)
    }

    /// Reads a scalar.
    pub(super) fn read(&self, address: u64, ty: &Type) -> Result<u128, PathError> {
        let bytes = self
            .state
            .memory
            .read(&self.machine.image, address, self.scalar_bytes(ty)?)?;
        self.machine.check_known(address, &bytes)?;
        let value = from_bytes(&bytes, self.machine.program.layout.little_endian);
        Ok(arith::mask(value, self.scalar_bits(ty)))
    }
    /// Writes a scalar.
    pub(super) fn write(&mut self, address: u64, ty: &Type, value: u128) -> Result<(), PathError> {
        let bytes = to_bytes(
            value,
            self.scalar_bytes(ty)? as usize,
            self.machine.program.layout.little_endian,
        );
        Ok(self
            .state
            .memory
            .write(&self.machine.image, address, &bytes)?)
    }
    /// Size in memory; an error for aggregates, whose padding is not known here.
    pub(super) fn scalar_bytes(&self, ty: &Type) -> Result<u64, PathError> {
        match ty.bits(self.machine.program.layout.pointer_bytes) {
            Some(bits) if bits <= 128 => Ok(self.machine.program.size_of(ty)),
            _ => Err(PathError::Unsupported(format!(
                "a load or store of type {ty}"
            ))),
        }
    }
    pub(super) fn scalar_bits(&self, ty: &Type) -> u32 {
        ty.bits(self.machine.program.layout.pointer_bytes)
            .unwrap_or(0)
    }
    /// What a memory cell of at most 8 bytes holds, for the log.
    pub(super) fn peek(&self, address: u64, bytes: u64) -> Option<u64> {
        if !self.log.on || bytes > 8 {
            return None;
        }
        let read = self
            .state
            .memory
            .read(&self.machine.image, address, bytes)
            .ok()?;
        Some(from_bytes(&read, self.machine.program.layout.little_endian) as u64)
    }
}
