//! Instructions that touch memory.

use llvm_sys::core::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp as Rmw};

use super::function::Body;
use crate::frontend::llvm::raw::{Ty, Val};
use crate::program::{AccessMode, AtomicRmwOp, Const, Op, Operand, Type};

/// Whether and how an access is marked.
fn mode(i: Val<'_>) -> AccessMode {
    unsafe {
        AccessMode {
            volatile: LLVMGetVolatile(i.raw()) != 0,
            atomic: !matches!(
                LLVMGetOrdering(i.raw()),
                LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
            ),
        }
    }
}

/// The name of a struct, or of the elements of an array.
fn struct_in(mut ty: Ty<'_>) -> Option<String> {
    while let Some((element, _)) = ty.elements() {
        ty = element;
    }
    ty.source_struct_name()
}

impl<'m> Body<'_, 'm> {
    pub(super) fn alloca(&mut self, i: Val<'m>) {
        let ty = unsafe { Ty::new(LLVMGetAllocatedType(i.raw())) };
        let element_bytes = self.dec.layout.alloc_size(ty);
        let count = match i.operand(0) {
            Some(count) => self.operand_as(count, 64),
            None => Operand::Const(Const::int(64, 1)),
        };
        self.define(
            i,
            Op::Alloca {
                element_bytes,
                count,
                of: struct_in(ty),
            },
        );
    }

    /// Reports the pointer's address space, if memory there is not ordinary memory.
    fn foreign_space(&self, pointer: Option<Val<'m>>) -> Option<String> {
        match pointer.and_then(|p| p.ty().address_space()) {
            Some(space) if space != 0 => Some(format!("access in address space {space}")),
            _ => None,
        }
    }

    pub(super) fn load(&mut self, i: Val<'m>) {
        if let Some(why) = self.foreign_space(i.operand(0)) {
            return self.unsupported(i, why);
        }
        let mode = mode(i);
        let ptr = self.operand_n(i, 0);
        match self.type_of(i) {
            Ok(Type::Tuple(types)) => {
                let Some(scalars) = self.dec.layout.scalars(i.ty()) else {
                    return self.unsupported(i, format!("load of {}", i.ty().print()));
                };
                let parts = scalars
                    .into_iter()
                    .map(|(offset, ty)| {
                        let ptr = self.moved(&ptr, offset);
                        self.temp(
                            Op::Load {
                                ptr,
                                ty: ty.clone(),
                                mode,
                            },
                            ty,
                        )
                    })
                    .collect();
                self.define_tuple(i, types, parts);
            }
            Ok(ty) => self.define(i, Op::Load { ptr, ty, mode }),
            Err(e) => self.unsupported(i, e),
        }
    }

    pub(super) fn store(&mut self, i: Val<'m>) {
        let (Some(value), Some(pointer)) = (i.operand(0), i.operand(1)) else {
            return;
        };
        if let Some(why) = self.foreign_space(Some(pointer)) {
            return self.unsupported(i, why);
        }
        let mode = mode(i);
        let ptr = self.operand(pointer);
        match self.type_of(value) {
            Ok(Type::Tuple(_)) => {
                let Some(scalars) = self.dec.layout.scalars(value.ty()) else {
                    return self.unsupported(i, format!("store of {}", value.ty().print()));
                };
                let tuple = self.operand(value);
                for (n, (offset, ty)) in scalars.into_iter().enumerate() {
                    let value = self.extract(tuple.clone(), n as u32, ty.clone());
                    let ptr = self.moved(&ptr, offset);
                    self.effect(Op::Store {
                        ptr,
                        value,
                        ty,
                        mode,
                    });
                }
            }
            Ok(ty) => {
                let value = self.operand(value);
                self.effect(Op::Store {
                    ptr,
                    value,
                    ty,
                    mode,
                });
            }
            Err(e) => self.unsupported(i, e),
        }
    }

    fn moved(&mut self, base: &Operand, offset: u64) -> Operand {
        if offset == 0 {
            return base.clone();
        }
        self.temp(
            Op::Gep {
                base: base.clone(),
                offset: offset as i64,
                scaled: Vec::new(),
                field: None,
            },
            Type::Ptr,
        )
    }

    pub(super) fn atomic_rmw(&mut self, i: Val<'m>) {
        let op = match unsafe { LLVMGetAtomicRMWBinOp(i.raw()) } {
            Rmw::LLVMAtomicRMWBinOpXchg => AtomicRmwOp::Xchg,
            Rmw::LLVMAtomicRMWBinOpAdd => AtomicRmwOp::Add,
            Rmw::LLVMAtomicRMWBinOpSub => AtomicRmwOp::Sub,
            Rmw::LLVMAtomicRMWBinOpAnd => AtomicRmwOp::And,
            Rmw::LLVMAtomicRMWBinOpNand => AtomicRmwOp::Nand,
            Rmw::LLVMAtomicRMWBinOpOr => AtomicRmwOp::Or,
            Rmw::LLVMAtomicRMWBinOpXor => AtomicRmwOp::Xor,
            Rmw::LLVMAtomicRMWBinOpMax => AtomicRmwOp::Max,
            Rmw::LLVMAtomicRMWBinOpMin => AtomicRmwOp::Min,
            Rmw::LLVMAtomicRMWBinOpUMax => AtomicRmwOp::UMax,
            Rmw::LLVMAtomicRMWBinOpUMin => AtomicRmwOp::UMin,
            _ => return self.unsupported(i, "unusual atomicrmw".to_string()),
        };
        if let Some(why) = self.foreign_space(i.operand(0)) {
            return self.unsupported(i, why);
        }
        match self.type_of(i) {
            Ok(ty @ (Type::Int(_) | Type::Ptr)) => {
                let ptr = self.operand_n(i, 0);
                let value = self.operand_n(i, 1);
                self.define(i, Op::AtomicRmw { op, ptr, value, ty });
            }
            _ => self.unsupported(i, "atomicrmw of an unusual type".to_string()),
        }
    }

    pub(super) fn cmpxchg(&mut self, i: Val<'m>) {
        if let Some(why) = self.foreign_space(i.operand(0)) {
            return self.unsupported(i, why);
        }
        let ty = i.operand(1).map(|v| self.type_of(v));
        match ty {
            Some(Ok(ty @ (Type::Int(_) | Type::Ptr))) => {
                let op = Op::CmpXchg {
                    ptr: self.operand_n(i, 0),
                    expected: self.operand_n(i, 1),
                    new: self.operand_n(i, 2),
                    ty,
                };
                self.define(i, op);
            }
            _ => self.unsupported(i, "cmpxchg of an unusual type".to_string()),
        }
    }
}
