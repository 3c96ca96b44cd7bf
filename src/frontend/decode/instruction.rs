//! Instructions: one LLVM instruction to one or more owned ones.

use llvm_sys::LLVMIntPredicate as P;
use llvm_sys::core::*;

use super::function::Body;
use crate::frontend::llvm::raw::{LLVMOpcode, LLVMValueKind, Ty, Val, resolve_alias};
use crate::frontend::llvm::varargs::ARGUMENTS;
use crate::program::{
    BinOp, Callee, CastKind, Const, IntPredicate, Op, Operand, Primitive, Type, is_runtime,
};

/// The conversion that an opcode is, if it is one on integers and pointers.
pub(super) fn cast_kind(opcode: LLVMOpcode) -> Option<CastKind> {
    Some(match opcode {
        LLVMOpcode::LLVMTrunc => CastKind::Trunc,
        LLVMOpcode::LLVMZExt => CastKind::ZExt,
        LLVMOpcode::LLVMSExt => CastKind::SExt,
        LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr => CastKind::PtrToInt,
        LLVMOpcode::LLVMIntToPtr => CastKind::IntToPtr,
        LLVMOpcode::LLVMBitCast => CastKind::Bitcast,
        _ => return None,
    })
}

fn binary(opcode: LLVMOpcode) -> Option<BinOp> {
    Some(match opcode {
        LLVMOpcode::LLVMAdd => BinOp::Add,
        LLVMOpcode::LLVMSub => BinOp::Sub,
        LLVMOpcode::LLVMMul => BinOp::Mul,
        LLVMOpcode::LLVMUDiv => BinOp::UDiv,
        LLVMOpcode::LLVMSDiv => BinOp::SDiv,
        LLVMOpcode::LLVMURem => BinOp::URem,
        LLVMOpcode::LLVMSRem => BinOp::SRem,
        LLVMOpcode::LLVMShl => BinOp::Shl,
        LLVMOpcode::LLVMLShr => BinOp::LShr,
        LLVMOpcode::LLVMAShr => BinOp::AShr,
        LLVMOpcode::LLVMAnd => BinOp::And,
        LLVMOpcode::LLVMOr => BinOp::Or,
        LLVMOpcode::LLVMXor => BinOp::Xor,
        _ => return None,
    })
}

/// Whether an address is used for nothing but accesses there, or at members.
fn is_only_accessed(address: Val<'_>, depth: u32) -> bool {
    let users = address.users();
    !users.is_empty()
        && users.into_iter().all(|user| match user.opcode() {
            Some(LLVMOpcode::LLVMLoad) => true,
            Some(LLVMOpcode::LLVMStore) => user.operand(0) != Some(address),
            // The sequentialization's own.
            Some(LLVMOpcode::LLVMCall) => user.callee().is_some_and(|f| is_runtime(&f.name())),
            Some(LLVMOpcode::LLVMGetElementPtr) => depth > 0 && is_only_accessed(user, depth - 1),
            _ => false,
        })
}

impl<'m> Body<'_, 'm> {
    /// Appends what `i` does. Terminators are not handled here.
    pub(super) fn instruction(&mut self, i: Val<'m>) {
        let Some(opcode) = i.opcode() else { return };
        if let Err(why) = self.type_of(i) {
            return self.unsupported(i, why);
        }
        if let Some(op) = binary(opcode) {
            return self.elementwise(i, 2, |v, _| Op::Bin {
                op,
                lhs: v[0].clone(),
                rhs: v[1].clone(),
            });
        }
        if let Some(kind) = cast_kind(opcode) {
            return self.cast(i, kind);
        }
        match opcode {
            // The entries are filled in when all blocks are there.
            LLVMOpcode::LLVMPHI => self.define(i, Op::Phi(Vec::new())),
            LLVMOpcode::LLVMICmp => self.icmp(i),
            LLVMOpcode::LLVMSelect => self.select(i),
            LLVMOpcode::LLVMGetElementPtr => match self.gep(i) {
                Ok(op) => self.define(i, op),
                Err(()) => self.unsupported(i, "vector of addresses".to_string()),
            },
            LLVMOpcode::LLVMFreeze | LLVMOpcode::LLVMAddrSpaceCast => {
                if let Some(space) = i.ty().address_space()
                    && opcode as u32 == LLVMOpcode::LLVMAddrSpaceCast as u32
                    && space != 0
                {
                    return self.unsupported(i, format!("address space {space}"));
                }
                let operand = self.operand_n(i, 0);
                // An undefined number is any: what of it is used is an input.
                match operand {
                    Operand::Const(Const::Undef(Type::Int(_) | Type::Float(_))) => {
                        self.arbitrary(i);
                    }
                    operand => self.alias(i, operand),
                }
            }
            LLVMOpcode::LLVMExtractValue => self.extract_value(i),
            LLVMOpcode::LLVMInsertValue => self.insert_value(i),
            LLVMOpcode::LLVMExtractElement => self.extract_element(i),
            LLVMOpcode::LLVMInsertElement => self.insert_element(i),
            LLVMOpcode::LLVMShuffleVector => self.shuffle(i),
            LLVMOpcode::LLVMAlloca => self.alloca(i),
            LLVMOpcode::LLVMLoad => self.load(i),
            LLVMOpcode::LLVMStore => self.store(i),
            LLVMOpcode::LLVMAtomicRMW => self.atomic_rmw(i),
            LLVMOpcode::LLVMAtomicCmpXchg => self.cmpxchg(i),
            // Sequential consistency is assumed: a fence orders nothing more.
            LLVMOpcode::LLVMFence => {}
            LLVMOpcode::LLVMCall => self.call(i),
            LLVMOpcode::LLVMVAArg => self.unsupported(i, "va_arg".to_string()),
            other if self.float_instruction(i, other) => {}
            _ => self.unsupported(i, format!("instruction {}", i.print().trim())),
        }
    }

    /// The `n`-th operand; undefined if there is none, which verified IR does not have.
    pub(super) fn operand_n(&mut self, i: Val<'m>, n: u32) -> Operand {
        match i.operand(n) {
            Some(v) => self.operand(v),
            None => Operand::Const(Const::Undef(Type::Void)),
        }
    }

    /// Applies `op` to scalars, or to each element of vectors.
    pub(super) fn elementwise(
        &mut self,
        i: Val<'m>,
        arity: u32,
        op: impl Fn(&[Operand], usize) -> Op,
    ) {
        let operands: Vec<Operand> = (0..arity).map(|n| self.operand_n(i, n)).collect();
        let element_types = match self.type_of(i) {
            Ok(Type::Tuple(items)) => items,
            _ => {
                let made = op(&operands, 0);
                return self.define(i, made);
            }
        };
        let operand_types: Vec<Type> = (0..arity)
            .map(|n| {
                i.operand(n)
                    .map_or(Type::Void, |v| self.type_or_opaque(v.ty()))
            })
            .collect();
        let mut results = Vec::new();
        for (k, ty) in element_types.iter().enumerate() {
            let parts: Vec<Operand> = operands
                .iter()
                .zip(&operand_types)
                .map(|(o, t)| match t {
                    Type::Tuple(items) => self.extract(o.clone(), k as u32, items[k].clone()),
                    _ => o.clone(),
                })
                .collect();
            let made = op(&parts, k);
            results.push(self.temp(made, ty.clone()));
        }
        self.define_tuple(i, element_types, results);
    }

    /// Element `index` of a tuple.
    pub(super) fn extract(&mut self, tuple: Operand, index: u32, ty: Type) -> Operand {
        match &tuple {
            Operand::Const(Const::Tuple(items)) => Operand::Const(items[index as usize].clone()),
            Operand::Const(Const::Undef(_)) => Operand::Const(Const::Undef(ty)),
            _ => self.temp(Op::Extract { tuple, index }, ty),
        }
    }

    /// Defines `i` as the tuple of `parts`.
    pub(super) fn define_tuple(&mut self, i: Val<'m>, types: Vec<Type>, parts: Vec<Operand>) {
        let ty = Type::Tuple(types);
        let mut tuple = Operand::Const(Const::Undef(ty.clone()));
        let last = parts.len().saturating_sub(1);
        if parts.is_empty() {
            return self.alias(i, tuple);
        }
        for (n, value) in parts.into_iter().enumerate() {
            let op = Op::Insert {
                tuple: tuple.clone(),
                index: n as u32,
                value,
            };
            if n == last {
                return self.define(i, op);
            }
            tuple = self.temp(op, ty.clone());
        }
    }

    fn cast(&mut self, i: Val<'m>, kind: CastKind) {
        let Some(source) = i.operand(0) else { return };
        let (from, to) = match (self.type_of(source), self.type_of(i)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(e), _) | (_, Err(e)) => return self.unsupported(i, e),
        };
        match (&from, &to) {
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                let (a, b) = (a.clone(), b.clone());
                self.elementwise(i, 1, |v, k| Op::Cast {
                    kind,
                    value: v[0].clone(),
                    from: a[k].clone(),
                    to: b[k].clone(),
                });
            }
            (Type::Tuple(_), _) | (_, Type::Tuple(_)) => {
                self.unsupported(i, "reinterpreted vector".to_string());
            }
            _ => {
                let value = self.operand(source);
                self.define(
                    i,
                    Op::Cast {
                        kind,
                        value,
                        from,
                        to,
                    },
                );
            }
        }
    }

    fn icmp(&mut self, i: Val<'m>) {
        let pred = match unsafe { LLVMGetICmpPredicate(i.raw()) } {
            P::LLVMIntEQ => IntPredicate::Eq,
            P::LLVMIntNE => IntPredicate::Ne,
            P::LLVMIntUGT => IntPredicate::Ugt,
            P::LLVMIntUGE => IntPredicate::Uge,
            P::LLVMIntULT => IntPredicate::Ult,
            P::LLVMIntULE => IntPredicate::Ule,
            P::LLVMIntSGT => IntPredicate::Sgt,
            P::LLVMIntSGE => IntPredicate::Sge,
            P::LLVMIntSLT => IntPredicate::Slt,
            P::LLVMIntSLE => IntPredicate::Sle,
        };
        self.elementwise(i, 2, |v, _| Op::Icmp {
            pred,
            lhs: v[0].clone(),
            rhs: v[1].clone(),
        });
    }

    fn select(&mut self, i: Val<'m>) {
        let scalar_condition = i.operand(0).is_some_and(|c| !c.ty().is_aggregate());
        if scalar_condition {
            let op = Op::Select {
                cond: self.operand_n(i, 0),
                if_true: self.operand_n(i, 1),
                if_false: self.operand_n(i, 2),
            };
            return self.define(i, op);
        }
        self.elementwise(i, 3, |v, _| Op::Select {
            cond: v[0].clone(),
            if_true: v[1].clone(),
            if_false: v[2].clone(),
        });
    }

    /// The address computation of a `getelementptr` (instruction or constant expression).
    pub(super) fn gep(&mut self, gep: Val<'m>) -> Result<Op, ()> {
        if gep.ty().is_aggregate() {
            return Err(());
        }
        let parts = self.dec.gep_parts(gep)?;
        let base = self.operand_n(gep, 0);
        let pointer_bits = self.dec.layout.pointer_bytes * 8;
        if self.declared_bounds {
            // The address behind the last element is one, too, but nothing is there.
            let more = u64::from(!is_only_accessed(gep, 3));
            for (index, count) in parts.bounds {
                let index = self.operand(index);
                let count = count + more;
                self.effect(Op::Bounds { index, count });
            }
        }
        let mut scaled = Vec::new();
        for (index, scale) in parts.scaled {
            let bits = index.ty().int_bits();
            let mut operand = self.operand(index);
            if bits != pointer_bits {
                operand = self.temp(
                    Op::Cast {
                        kind: if bits > pointer_bits {
                            CastKind::Trunc
                        } else {
                            CastKind::SExt
                        },
                        value: operand,
                        from: Type::Int(bits),
                        to: Type::Int(pointer_bits),
                    },
                    Type::Int(pointer_bits),
                );
            }
            scaled.push((operand, scale));
        }
        Ok(Op::Gep {
            base,
            offset: parts.offset,
            scaled,
            field: parts.field,
        })
    }

    fn index_path(i: Val<'m>) -> Vec<u32> {
        unsafe {
            let n = LLVMGetNumIndices(i.raw()) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(i.raw()), n).to_vec()
        }
    }

    fn range(&self, aggregate: Ty<'m>, path: &[u32]) -> Option<(u32, u32, bool)> {
        let (start, count, nested) = self.dec.layout.element_range(aggregate, path)?;
        Some((
            u32::try_from(start).ok()?,
            u32::try_from(count).ok()?,
            nested,
        ))
    }

    fn extract_value(&mut self, i: Val<'m>) {
        let Some(source) = i.operand(0) else { return };
        let path = Self::index_path(i);
        let Some((start, count, nested)) = self.range(source.ty(), &path) else {
            return self.unsupported(i, "large aggregate".to_string());
        };
        let tuple = self.operand(source);
        if !nested {
            return self.define(
                i,
                Op::Extract {
                    tuple,
                    index: start,
                },
            );
        }
        let Ok(Type::Tuple(types)) = self.type_of(i) else {
            return self.unsupported(i, "unusual aggregate".to_string());
        };
        let parts = (0..count)
            .map(|n| self.extract(tuple.clone(), start + n, types[n as usize].clone()))
            .collect();
        self.define_tuple(i, types, parts);
    }

    fn insert_value(&mut self, i: Val<'m>) {
        let (Some(source), Some(value)) = (i.operand(0), i.operand(1)) else {
            return;
        };
        let path = Self::index_path(i);
        let Some((start, count, nested)) = self.range(source.ty(), &path) else {
            return self.unsupported(i, "large aggregate".to_string());
        };
        let mut tuple = self.operand(source);
        let operand = self.operand(value);
        if !nested {
            return self.define(
                i,
                Op::Insert {
                    tuple,
                    index: start,
                    value: operand,
                },
            );
        }
        let (Ok(whole), Ok(Type::Tuple(types))) = (self.type_of(i), self.type_of(value)) else {
            return self.unsupported(i, "unusual aggregate".to_string());
        };
        for n in 0..count {
            let value = self.extract(operand.clone(), n, types[n as usize].clone());
            let op = Op::Insert {
                tuple: tuple.clone(),
                index: start + n,
                value,
            };
            tuple = self.temp(op, whole.clone());
        }
        self.alias(i, tuple);
    }

    fn constant_index(i: Val<'m>, n: u32, vector: Val<'m>) -> Option<u32> {
        let index = u32::try_from(i.operand(n)?.int_value()?).ok()?;
        let (_, count) = vector.ty().elements()?;
        (u64::from(index) < count).then_some(index)
    }

    fn extract_element(&mut self, i: Val<'m>) {
        let Some(vector) = i.operand(0) else { return };
        let Some(index) = Self::constant_index(i, 1, vector) else {
            return self.unsupported(i, "vector element of variable index".to_string());
        };
        let tuple = self.operand(vector);
        self.define(i, Op::Extract { tuple, index });
    }

    fn insert_element(&mut self, i: Val<'m>) {
        let Some(vector) = i.operand(0) else { return };
        let Some(index) = Self::constant_index(i, 2, vector) else {
            return self.unsupported(i, "vector element of variable index".to_string());
        };
        let tuple = self.operand(vector);
        let value = self.operand_n(i, 1);
        self.define(
            i,
            Op::Insert {
                tuple,
                index,
                value,
            },
        );
    }

    fn shuffle(&mut self, i: Val<'m>) {
        let (Some(first), Some(second)) = (i.operand(0), i.operand(1)) else {
            return;
        };
        let (Ok(Type::Tuple(inputs)), Ok(Type::Tuple(types))) =
            (self.type_of(first), self.type_of(i))
        else {
            return self.unsupported(i, "scalable vector".to_string());
        };
        let (a, b) = (self.operand(first), self.operand(second));
        let width = inputs.len();
        let mut parts = Vec::new();
        for (n, ty) in types.iter().enumerate() {
            let mask = unsafe { LLVMGetMaskValue(i.raw(), n as u32) };
            parts.push(match usize::try_from(mask) {
                Ok(m) if m < width => self.extract(a.clone(), m as u32, ty.clone()),
                Ok(m) if m < 2 * width => self.extract(b.clone(), (m - width) as u32, ty.clone()),
                _ => Operand::Const(Const::Undef(ty.clone())),
            });
        }
        self.define_tuple(i, types, parts);
    }

    fn call(&mut self, i: Val<'m>) {
        let Some(callee) = i.callee() else { return };
        if let Some((text, constraints)) = callee.inline_asm() {
            return self.unsupported(i, format!("asm: {text} <{constraints}>"));
        }
        if let Some(name) = i.intrinsic_name() {
            return self.intrinsic(i, &name);
        }
        let target = resolve_alias(callee);
        let args: Vec<Val<'m>> = i.call_args();
        if target.kind() != LLVMValueKind::LLVMFunctionValueKind {
            let callee = Callee::Indirect(self.operand(callee));
            return self.plain_call(i, callee, &args);
        }
        let name = target.name();
        if name == ARGUMENTS {
            let place = self.arguments.map(Operand::Value);
            return self.alias(i, place.unwrap_or(Operand::Const(Const::Null)));
        }
        if target.is_declaration()
            && let Some(primitive) = Primitive::by_name(&name)
        {
            return self.primitive(i, primitive, &args);
        }
        let Some(&id) = self.dec.function_ids.get(&target) else {
            return self.unsupported(i, format!("call of {name}"));
        };
        // C lets a call disagree with the definition (no prototype); what happens then is undefined.
        let ty = target.global_type();
        let params = ty.params();
        let fits = ty.result() == i.ty()
            && (params.len() == args.len() || (ty.is_variadic() && params.len() <= args.len()))
            && params.iter().zip(&args).all(|(p, a)| *p == a.ty());
        if !fits && !target.is_declaration() {
            return self.unsupported(i, format!("call of {name} with other types than its own"));
        }
        self.plain_call(i, Callee::Direct(id), &args);
    }

    fn plain_call(&mut self, i: Val<'m>, callee: Callee, args: &[Val<'m>]) {
        let ret = match self.type_of(i) {
            Ok(t) => t,
            Err(e) => return self.unsupported(i, e),
        };
        // Metadata arguments have no value; only intrinsics take them.
        let args = args.iter().map(|a| self.operand(*a)).collect();
        self.define(i, Op::Call { callee, args, ret });
    }

    /// A primitive; its truth-valued arguments come as `i1` whatever the C type was.
    pub(super) fn primitive(&mut self, i: Val<'m>, primitive: Primitive, args: &[Val<'m>]) {
        let mut operands = Vec::new();
        for (n, arg) in args.iter().enumerate() {
            let truth = matches!(
                (primitive, n),
                (Primitive::Assume | Primitive::Assert, 0)
                    | (Primitive::Alloc | Primitive::Check, 1)
            );
            let bits = arg.ty().int_bits();
            let operand = self.operand(*arg);
            operands.push(if truth && bits > 1 {
                self.temp(
                    Op::Icmp {
                        pred: IntPredicate::Ne,
                        lhs: operand,
                        rhs: Operand::Const(Const::int(bits, 0)),
                    },
                    Type::Int(1),
                )
            } else {
                operand
            });
        }
        self.define(
            i,
            Op::Primitive {
                primitive,
                args: operands,
            },
        );
    }
}
