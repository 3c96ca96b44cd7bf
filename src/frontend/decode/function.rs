//! Function bodies: numbering of values and blocks, operands, phis, terminators.

use std::collections::HashMap;

use super::{Decoder, Indices};
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, LLVMValueKind, Ty, Val};
use crate::frontend::llvm::varargs;
use crate::index::{BlockId, FuncId, IdVec, LocId, SiteId, ValueId};
use crate::program::{
    BinOp, Block, CastKind, Const, Function, Instr, Op, Operand, Terminator, Type, Value,
    is_runtime,
};

/// The body under construction.
pub(super) struct Body<'d, 'm> {
    pub dec: &'d mut Decoder<'m>,
    pub values: IdVec<ValueId, Value>,
    ids: HashMap<Val<'m>, ValueId>,
    blocks: HashMap<Bb<'m>, BlockId>,
    /// Instructions of the block under construction.
    out: Vec<Instr>,
    /// Location and site of the LLVM instruction under construction.
    loc: Option<LocId>,
    site: Option<SiteId>,
    /// See [`Instr::own`].
    own: Box<[FuncId]>,
    /// The parameter that tells where the variable arguments lie.
    pub arguments: Option<ValueId>,
    /// Whether indices stay within their arrays.
    pub declared_bounds: bool,
}

impl<'m> Decoder<'m> {
    /// Fills values, parameters and blocks of `owned`.
    pub(super) fn body(&mut self, function: Val<'m>, owned: &mut Function) {
        let this = self.function_ids[&function];
        let declared_bounds =
            self.indices == Indices::Declared && !owned.is_model && !is_runtime(&owned.name);
        let mut body = Body {
            dec: self,
            values: IdVec::new(),
            ids: HashMap::new(),
            blocks: HashMap::new(),
            out: Vec::new(),
            loc: None,
            site: None,
            own: Box::default(),
            arguments: None,
            declared_bounds,
        };
        for param in function.params() {
            let ty = body.type_or_opaque(param.ty());
            let id = body.values.push(Value {
                ty,
                name: param.name(),
            });
            body.ids.insert(param, id);
            owned.params.push(id);
        }
        if varargs::asks(function) {
            let id = body.values.push(Value {
                ty: Type::Ptr,
                name: "arguments".to_string(),
            });
            owned.params.push(id);
            body.arguments = Some(id);
        }
        if !function.is_declaration() {
            owned.blocks = body.blocks_of(function, this);
        }
        owned.values = body.values;
    }
}

impl<'m> Body<'_, 'm> {
    fn blocks_of(&mut self, function: Val<'m>, this: FuncId) -> IdVec<BlockId, Block> {
        let blocks = function.blocks();
        let mut contents = Vec::with_capacity(blocks.len());
        for (n, block) in blocks.iter().enumerate() {
            self.blocks.insert(*block, crate::index::Idx::new(n));
            let instructions = block.instructions();
            for instruction in &instructions {
                let ty = self.type_or_opaque(instruction.ty());
                if ty != Type::Void {
                    let id = self.values.push(Value {
                        ty,
                        name: instruction.name(),
                    });
                    self.ids.insert(*instruction, id);
                }
            }
            contents.push(instructions);
        }
        let mut owned: IdVec<BlockId, Block> = IdVec::new();
        for instructions in &contents {
            let block = self.block(instructions, this);
            owned.push(block);
        }
        // Constants that take an instruction to make, used by a phi, are made at the end of the predecessor.
        for (n, instructions) in contents.iter().enumerate() {
            for (k, phi) in instructions
                .iter()
                .take_while(|i| matches!(i.opcode(), Some(LLVMOpcode::LLVMPHI)))
                .enumerate()
            {
                let incoming = self.incoming(*phi, &mut owned);
                owned[BlockId(n as u32)].instrs[k].op = Op::Phi(incoming);
            }
        }
        owned
    }

    fn block(&mut self, instructions: &[Val<'m>], this: FuncId) -> Block {
        self.out = Vec::new();
        let mut term = Terminator::Unsupported("block without terminator".to_string());
        let (mut term_loc, mut term_site, mut repeats) = (None, None, None);
        for instruction in instructions {
            self.loc = self.dec.debug.instruction(*instruction);
            self.site = instruction.metadata_number(self.dec.site_kind).map(SiteId);
            self.note_site();
            let own = instruction.metadata_values(self.dec.own_kind).into_iter();
            let ids = &self.dec.function_ids;
            self.own = own.filter_map(|f| ids.get(&f).copied()).collect();
            for (value, variable, beyond) in self.dec.debug.info.bound_variables(*instruction) {
                let ty = variable.variable().and_then(|(ty, _)| ty);
                if let (Some(id), Some(ty)) = (self.ids.get(&value), ty)
                    && let Some(ty) = self.dec.debug.ty(ty)
                {
                    let bound = self.dec.bound_types.entry((this, *id)).or_default();
                    if !bound.contains(&(ty, beyond)) {
                        bound.push((ty, beyond));
                    }
                }
            }
            match self.terminator(*instruction) {
                Some(t) => {
                    term = t;
                    term_loc = self.loc;
                    term_site = self.site;
                    repeats = instruction.unroll_count();
                }
                None => self.instruction(*instruction),
            }
        }
        Block {
            instrs: std::mem::take(&mut self.out),
            term,
            term_loc,
            term_site,
            repeats,
        }
    }

    /// The site table learns where the site is.
    fn note_site(&mut self) {
        if let Some(site) = self.site
            && site.0 < self.dec.sites.len() as u32
            && self.dec.sites[site].loc.is_none()
        {
            self.dec.sites[site].loc = self.loc;
        }
    }

    fn incoming(
        &mut self,
        phi: Val<'m>,
        owned: &mut IdVec<BlockId, Block>,
    ) -> Vec<(BlockId, Operand)> {
        let mut incoming: Vec<(BlockId, Operand)> = Vec::new();
        let count = unsafe { llvm_sys::core::LLVMCountIncoming(phi.raw()) };
        for n in 0..count {
            let (value, block) = unsafe {
                (
                    Val::new(llvm_sys::core::LLVMGetIncomingValue(phi.raw(), n)),
                    Bb::new(llvm_sys::core::LLVMGetIncomingBlock(phi.raw(), n)),
                )
            };
            let Some(&from) = self.blocks.get(&block) else {
                continue;
            };
            // A switch may reach the block by several cases: one entry says it all.
            if incoming.iter().any(|(b, _)| *b == from) {
                continue;
            }
            self.loc = owned[from].term_loc;
            self.site = None;
            self.out = Vec::new();
            let operand = self.operand(value);
            owned[from].instrs.append(&mut self.out);
            incoming.push((from, operand));
        }
        incoming
    }

    /// The owned type, or an opaque word for types that cannot be carried (the instruction is then unsupported).
    pub fn type_or_opaque(&self, ty: Ty<'m>) -> Type {
        self.dec
            .layout
            .value_type(ty)
            .unwrap_or(Type::Int(self.dec.layout.pointer_bytes * 8))
    }

    /// Whether values of the type can be carried.
    pub fn type_of(&self, value: Val<'m>) -> Result<Type, String> {
        self.dec.layout.value_type(value.ty())
    }

    /// The block that a label operand names.
    fn target(&self, block: Bb<'m>) -> BlockId {
        self.blocks[&block]
    }

    /// The operand; constant expressions that are no constant here are computed by instructions before.
    pub fn operand(&mut self, value: Val<'m>) -> Operand {
        if let Some(id) = self.ids.get(&value) {
            return Operand::Value(*id);
        }
        match self.dec.constant(value) {
            Ok(c) => Operand::Const(c),
            Err(()) => self.computed(value),
        }
    }

    /// The value as an operand, zero- or sign-extended or truncated to `bits`.
    pub fn operand_as(&mut self, value: Val<'m>, bits: u32) -> Operand {
        let from = value.ty().int_bits();
        let operand = self.operand(value);
        if from == bits || from == 0 {
            return operand;
        }
        let kind = if from > bits {
            CastKind::Trunc
        } else {
            CastKind::ZExt
        };
        self.temp(
            Op::Cast {
                kind,
                value: operand,
                from: Type::Int(from),
                to: Type::Int(bits),
            },
            Type::Int(bits),
        )
    }

    fn computed(&mut self, value: Val<'m>) -> Operand {
        let ty = self.type_or_opaque(value.ty());
        if value.kind() == LLVMValueKind::LLVMConstantExprValueKind
            && let Some(op) = self.expression_op(value)
        {
            return self.temp(op, ty);
        }
        if value.ty().is_aggregate() {
            return self.computed_tuple(value, ty);
        }
        Operand::Const(Const::Unsupported(ty, value.print()))
    }

    /// An aggregate constant with an element that takes an instruction.
    fn computed_tuple(&mut self, value: Val<'m>, ty: Type) -> Operand {
        let mut tuple = Operand::Const(Const::Undef(ty.clone()));
        let mut index = 0;
        for n in 0..value.operand_count() {
            let Some(element) = value.operand(n) else {
                continue;
            };
            if element.ty().is_aggregate() {
                return Operand::Const(Const::Unsupported(ty, value.print()));
            }
            let value = self.operand(element);
            tuple = self.temp(
                Op::Insert {
                    tuple,
                    index,
                    value,
                },
                ty.clone(),
            );
            index += 1;
        }
        tuple
    }

    fn expression_op(&mut self, value: Val<'m>) -> Option<Op> {
        let to = self.type_of(value).ok()?;
        match value.opcode()? {
            LLVMOpcode::LLVMGetElementPtr => self.gep(value).ok(),
            opcode @ (LLVMOpcode::LLVMPtrToInt
            | LLVMOpcode::LLVMPtrToAddr
            | LLVMOpcode::LLVMIntToPtr
            | LLVMOpcode::LLVMTrunc
            | LLVMOpcode::LLVMBitCast) => {
                let from = value.operand(0)?;
                Some(Op::Cast {
                    kind: super::instruction::cast_kind(opcode)?,
                    from: self.type_of(from).ok()?,
                    value: self.operand(from),
                    to,
                })
            }
            opcode @ (LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMXor) => {
                let op = match opcode {
                    LLVMOpcode::LLVMAdd => BinOp::Add,
                    LLVMOpcode::LLVMSub => BinOp::Sub,
                    _ => BinOp::Xor,
                };
                let (lhs, rhs) = (value.operand(0)?, value.operand(1)?);
                Some(Op::Bin {
                    op,
                    lhs: self.operand(lhs),
                    rhs: self.operand(rhs),
                })
            }
            _ => None,
        }
    }

    /// Appends an instruction that makes a value of its own.
    pub fn temp(&mut self, op: Op, ty: Type) -> Operand {
        let id = self.values.push(Value {
            ty,
            name: String::new(),
        });
        self.push(op, Some(id));
        Operand::Value(id)
    }

    /// Appends the instruction that defines `value` (nothing is defined if it is void).
    pub fn define(&mut self, value: Val<'m>, op: Op) {
        let result = self.ids.get(&value).copied();
        self.push(op, result);
    }

    /// Appends an instruction without a result.
    pub fn effect(&mut self, op: Op) {
        self.push(op, None);
    }

    /// `value` is another name for `operand`.
    pub fn alias(&mut self, value: Val<'m>, operand: Operand) {
        let Ok(ty) = self.type_of(value) else {
            return self.unsupported(value, "value of unusual type".to_string());
        };
        self.define(
            value,
            Op::Cast {
                kind: CastKind::Bitcast,
                value: operand,
                from: ty.clone(),
                to: ty,
            },
        );
    }

    /// `value` cannot be computed.
    pub fn unsupported(&mut self, value: Val<'m>, why: String) {
        self.define(value, Op::Unsupported(why));
    }

    fn push(&mut self, op: Op, result: Option<ValueId>) {
        // One LLVM instruction may become several; the site belongs to the one that others can see.
        let site = match &op {
            Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicRmw { .. }
            | Op::CmpXchg { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Call { .. }
            | Op::Primitive { .. }
            | Op::Unsupported(_) => self.site.take(),
            _ => None,
        };
        let own = match &op {
            Op::Call { .. } => std::mem::take(&mut self.own),
            _ => Box::default(),
        };
        self.out.push(Instr {
            op,
            result,
            loc: self.loc,
            site,
            own,
        });
    }

    fn terminator(&mut self, value: Val<'m>) -> Option<Terminator> {
        use llvm_sys::core::*;
        let opcode = value.opcode()?;
        let raw = value.raw();
        Some(match opcode {
            LLVMOpcode::LLVMBr => unsafe {
                if LLVMIsConditional(raw) == 0 {
                    Terminator::Jump(self.target(Bb::new(LLVMGetSuccessor(raw, 0))))
                } else {
                    let cond = self.operand(Val::new(LLVMGetCondition(raw)));
                    Terminator::Branch {
                        cond,
                        if_true: self.target(Bb::new(LLVMGetSuccessor(raw, 0))),
                        if_false: self.target(Bb::new(LLVMGetSuccessor(raw, 1))),
                    }
                }
            },
            LLVMOpcode::LLVMSwitch => self.switch(value),
            LLVMOpcode::LLVMRet => {
                let operand = value.operand(0).map(|v| self.operand(v));
                Terminator::Return(operand)
            }
            LLVMOpcode::LLVMUnreachable => Terminator::Unreachable,
            LLVMOpcode::LLVMIndirectBr => Terminator::Unsupported("computed goto".to_string()),
            LLVMOpcode::LLVMCallBr => Terminator::Unsupported(match value.callee() {
                Some(callee) => match callee.inline_asm() {
                    Some((text, _)) => format!("asm goto: {text}"),
                    None => "asm goto".to_string(),
                },
                None => "asm goto".to_string(),
            }),
            LLVMOpcode::LLVMInvoke
            | LLVMOpcode::LLVMResume
            | LLVMOpcode::LLVMCleanupRet
            | LLVMOpcode::LLVMCatchRet
            | LLVMOpcode::LLVMCatchSwitch => {
                Terminator::Unsupported("exception handling".to_string())
            }
            _ => return None,
        })
    }

    fn switch(&mut self, value: Val<'m>) -> Terminator {
        use llvm_sys::core::{LLVMGetNumSuccessors, LLVMGetSuccessor, LLVMGetSwitchCaseValue};
        let raw = value.raw();
        let Some(condition) = value.operand(0) else {
            return Terminator::Unsupported("switch without a condition".to_string());
        };
        let bits = condition.ty().int_bits();
        let operand = self.operand(condition);
        // Successor 0 is the default; case values are counted like successors.
        let count = unsafe { LLVMGetNumSuccessors(raw) };
        let mut cases = Vec::new();
        for n in 1..count {
            let (case, block) = unsafe {
                (
                    Val::new(LLVMGetSwitchCaseValue(raw, n)),
                    Bb::new(LLVMGetSuccessor(raw, n)),
                )
            };
            let Some(number) = case.int_value() else {
                return Terminator::Unsupported("switch on an unusual type".to_string());
            };
            cases.push((number, self.target(block)));
        }
        let default = self.target(unsafe { Bb::new(LLVMGetSuccessor(raw, 0)) });
        Terminator::Switch {
            value: operand,
            bits,
            cases,
            default,
        }
    }
}
