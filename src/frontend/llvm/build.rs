//! Making instructions: the few that lowering needs.

use std::marker::PhantomData;

use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp};

use super::raw::{Bb, LLVMOpcode, Ty, Val};

/// Builds instructions before a given one.
pub struct Builder<'m> {
    module: LLVMModuleRef,
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
    borrow: PhantomData<&'m ()>,
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.builder) };
    }
}

/// No name for the result.
const UNNAMED: *const std::ffi::c_char = c"".as_ptr();

impl<'m> Builder<'m> {
    /// A builder for `module`, not yet placed.
    pub fn new(module: &'m Module<'_>) -> Self {
        unsafe {
            let context = LLVMGetModuleContext(module.as_mut_ptr());
            Builder {
                module: module.as_mut_ptr(),
                context,
                builder: LLVMCreateBuilderInContext(context),
                borrow: PhantomData,
            }
        }
    }
    /// What follows is built before `at` and has its location.
    pub fn before(&self, at: Val<'m>) {
        unsafe { LLVMPositionBuilderBefore(self.builder, at.raw()) };
    }
    /// What follows is built at the end of `block`.
    pub fn at_end(&self, block: Bb<'m>) {
        unsafe { LLVMPositionBuilderAtEnd(self.builder, block.raw()) };
    }
    /// The integer type of that width.
    pub fn int_type(&self, bits: u32) -> Ty<'m> {
        unsafe { Ty::new(LLVMIntTypeInContext(self.context, bits)) }
    }
    /// The pointer type.
    pub fn ptr_type(&self) -> Ty<'m> {
        unsafe { Ty::new(LLVMPointerTypeInContext(self.context, 0)) }
    }
    /// The void type.
    pub fn void_type(&self) -> Ty<'m> {
        unsafe { Ty::new(LLVMVoidTypeInContext(self.context)) }
    }
    /// An integer constant (sign-extended where wider than 64 bits).
    pub fn int(&self, bits: u32, value: u64) -> Val<'m> {
        unsafe { Val::new(LLVMConstInt(self.int_type(bits).raw(), value, 1)) }
    }
    /// The all-zero constant.
    pub fn zero(&self, ty: Ty<'m>) -> Val<'m> {
        unsafe { Val::new(LLVMConstNull(ty.raw())) }
    }
    /// The poison value: no use of it counts.
    pub fn poison(&self, ty: Ty<'m>) -> Val<'m> {
        unsafe { Val::new(LLVMGetPoison(ty.raw())) }
    }
    /// A frozen undefined value: arbitrary, the same at every use.
    pub fn arbitrary(&self, ty: Ty<'m>) -> Val<'m> {
        unsafe {
            Val::new(LLVMBuildFreeze(
                self.builder,
                LLVMGetUndef(ty.raw()),
                UNNAMED,
            ))
        }
    }
    /// The constant C string as a private global.
    pub fn text(&self, content: &str) -> Val<'m> {
        let content: Vec<u8> = content.bytes().filter(|b| *b != 0).chain([0]).collect();
        unsafe {
            Val::new(LLVMBuildGlobalString(
                self.builder,
                content.as_ptr().cast(),
                UNNAMED,
            ))
        }
    }
    /// A reading access.
    pub fn load(&self, ty: Ty<'m>, pointer: Val<'m>, volatile: bool) -> Val<'m> {
        unsafe {
            let load = LLVMBuildLoad2(self.builder, ty.raw(), pointer.raw(), UNNAMED);
            LLVMSetVolatile(load, volatile.into());
            Val::new(load)
        }
    }
    /// A writing access.
    pub fn store(&self, value: Val<'m>, pointer: Val<'m>, volatile: bool) -> Val<'m> {
        unsafe {
            let store = LLVMBuildStore(self.builder, value.raw(), pointer.raw());
            LLVMSetVolatile(store, volatile.into());
            Val::new(store)
        }
    }
    /// Atomic read-modify-write, sequentially consistent; the old value.
    pub fn atomic(&self, op: LLVMAtomicRMWBinOp, pointer: Val<'m>, value: Val<'m>) -> Val<'m> {
        unsafe {
            Val::new(LLVMBuildAtomicRMW(
                self.builder,
                op,
                pointer.raw(),
                value.raw(),
                LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent,
                0,
            ))
        }
    }
    /// Compare and exchange; the old value and whether it was as expected.
    pub fn compare_exchange(
        &self,
        pointer: Val<'m>,
        expected: Val<'m>,
        new: Val<'m>,
    ) -> (Val<'m>, Val<'m>) {
        let order = LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;
        unsafe {
            let pair = LLVMBuildAtomicCmpXchg(
                self.builder,
                pointer.raw(),
                expected.raw(),
                new.raw(),
                order,
                order,
                0,
            );
            (
                Val::new(LLVMBuildExtractValue(self.builder, pair, 0, UNNAMED)),
                Val::new(LLVMBuildExtractValue(self.builder, pair, 1, UNNAMED)),
            )
        }
    }
    /// A binary operator.
    pub fn binary(&self, op: LLVMOpcode, a: Val<'m>, b: Val<'m>) -> Val<'m> {
        unsafe { Val::new(LLVMBuildBinOp(self.builder, op, a.raw(), b.raw(), UNNAMED)) }
    }
    /// An integer comparison.
    pub fn compare(&self, pred: llvm_sys::LLVMIntPredicate, a: Val<'m>, b: Val<'m>) -> Val<'m> {
        unsafe { Val::new(LLVMBuildICmp(self.builder, pred, a.raw(), b.raw(), UNNAMED)) }
    }
    /// One of two values.
    pub fn select(&self, cond: Val<'m>, yes: Val<'m>, no: Val<'m>) -> Val<'m> {
        unsafe {
            Val::new(LLVMBuildSelect(
                self.builder,
                cond.raw(),
                yes.raw(),
                no.raw(),
                UNNAMED,
            ))
        }
    }
    /// The value as one of type `to`: zero-extended, truncated, or converted between pointer and integer. `None` for
    /// types without such a conversion.
    pub fn convert(&self, value: Val<'m>, to: Ty<'m>, signed: bool) -> Option<Val<'m>> {
        let from = value.ty();
        if from == to {
            return Some(value);
        }
        let is_pointer = |t: Ty<'m>| t.address_space() == Some(0);
        let made = unsafe {
            match (from.int_bits(), to.int_bits()) {
                (a, b) if a > 0 && b > 0 => {
                    LLVMBuildIntCast2(self.builder, value.raw(), to.raw(), signed.into(), UNNAMED)
                }
                (a, 0) if a > 0 && is_pointer(to) => {
                    LLVMBuildIntToPtr(self.builder, value.raw(), to.raw(), UNNAMED)
                }
                (0, b) if b > 0 && is_pointer(from) => {
                    LLVMBuildPtrToInt(self.builder, value.raw(), to.raw(), UNNAMED)
                }
                _ => return None,
            }
        };
        Some(unsafe { Val::new(made) })
    }
    /// `pointer + offset` in bytes.
    pub fn offset(&self, pointer: Val<'m>, offset: Val<'m>) -> Val<'m> {
        let mut index = [offset.raw()];
        unsafe {
            Val::new(LLVMBuildGEP2(
                self.builder,
                self.int_type(8).raw(),
                pointer.raw(),
                index.as_mut_ptr(),
                1,
                UNNAMED,
            ))
        }
    }
    /// Element `index` of a first-class aggregate.
    pub fn extract(&self, aggregate: Val<'m>, index: u32) -> Val<'m> {
        unsafe {
            Val::new(LLVMBuildExtractValue(
                self.builder,
                aggregate.raw(),
                index,
                UNNAMED,
            ))
        }
    }
    /// The aggregate with element `index` replaced.
    pub fn insert(&self, aggregate: Val<'m>, value: Val<'m>, index: u32) -> Val<'m> {
        unsafe {
            Val::new(LLVMBuildInsertValue(
                self.builder,
                aggregate.raw(),
                value.raw(),
                index,
                UNNAMED,
            ))
        }
    }
    /// Address of element `index` of an array of `element`s.
    pub fn element(&self, element: Ty<'m>, array: Val<'m>, index: Val<'m>) -> Val<'m> {
        let mut index = [index.raw()];
        unsafe {
            Val::new(LLVMBuildGEP2(
                self.builder,
                element.raw(),
                array.raw(),
                index.as_mut_ptr(),
                1,
                UNNAMED,
            ))
        }
    }
    /// The constant expression `value` as instructions, with `old` in it replaced by `new`. `None` for expressions that are
    /// neither address computations nor conversions.
    pub fn rebuild(&self, value: Val<'m>, old: Val<'m>, new: Val<'m>) -> Option<Val<'m>> {
        if value == old {
            return Some(new);
        }
        match value.opcode()? {
            LLVMOpcode::LLVMGetElementPtr => {
                let base = self.rebuild(value.operand(0)?, old, new)?;
                let mut indices: Vec<LLVMValueRef> = (1..value.operand_count())
                    .map(|n| value.operand(n).map(Val::raw))
                    .collect::<Option<_>>()?;
                unsafe {
                    Some(Val::new(LLVMBuildGEP2(
                        self.builder,
                        LLVMGetGEPSourceElementType(value.raw()),
                        base.raw(),
                        indices.as_mut_ptr(),
                        indices.len() as u32,
                        UNNAMED,
                    )))
                }
            }
            LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMIntToPtr => {
                let inner = self.rebuild(value.operand(0)?, old, new)?;
                self.convert(inner, value.ty(), false)
            }
            _ => None,
        }
    }
    /// The scalar at `path` of a nested aggregate.
    pub fn extract_at(&self, aggregate: Val<'m>, path: &[u32]) -> Val<'m> {
        path.iter().fold(aggregate, |at, n| self.extract(at, *n))
    }
    /// The nested aggregate with the scalar at `path` replaced.
    pub fn insert_at(&self, aggregate: Val<'m>, value: Val<'m>, path: &[u32]) -> Val<'m> {
        match path {
            [] => value,
            [n] => self.insert(aggregate, value, *n),
            [n, rest @ ..] => {
                let inner = self.insert_at(self.extract(aggregate, *n), value, rest);
                self.insert(aggregate, inner, *n)
            }
        }
    }
    /// An empty phi of the type of `like`, before it.
    pub fn phi(&self, like: Val<'m>, name: &str) -> Val<'m> {
        // Before the debug records of that place, which a phi must not have.
        unsafe { LLVMPositionBuilderBeforeInstrAndDbgRecords(self.builder, like.raw()) };
        let name = std::ffi::CString::new(name).unwrap_or_default();
        unsafe { Val::new(LLVMBuildPhi(self.builder, like.ty().raw(), name.as_ptr())) }
    }
    /// A stack object of that type.
    pub fn alloca(&self, ty: Ty<'m>) -> Val<'m> {
        unsafe { Val::new(LLVMBuildAlloca(self.builder, ty.raw(), UNNAMED)) }
    }
    /// What is before `at` in its block, as a block of its own that ends nowhere yet.
    pub fn split_before(&self, at: Val<'m>) -> Bb<'m> {
        unsafe { split_before(self.context, self.builder, at) }
    }
    /// A new block before `at`'s, empty.
    pub fn block_before(&self, at: Val<'m>) -> Bb<'m> {
        unsafe {
            let block = LLVMGetInstructionParent(at.raw());
            Bb::new(LLVMInsertBasicBlockInContext(self.context, block, UNNAMED))
        }
    }
    /// Moves an instruction to where the builder stands.
    pub fn moved(&self, instruction: Val<'m>) {
        unsafe { move_to(self.builder, instruction) };
    }
    /// Copies bytes.
    pub fn memcpy(&self, to: Val<'m>, from: Val<'m>, bytes: Val<'m>) -> Val<'m> {
        unsafe {
            Val::new(LLVMBuildMemCpy(
                self.builder,
                to.raw(),
                1,
                from.raw(),
                1,
                bytes.raw(),
            ))
        }
    }
    /// Fills bytes.
    pub fn memset(&self, to: Val<'m>, byte: Val<'m>, bytes: Val<'m>) -> Val<'m> {
        unsafe {
            Val::new(LLVMBuildMemSet(
                self.builder,
                to.raw(),
                byte.raw(),
                bytes.raw(),
                1,
            ))
        }
    }
    /// An unconditional branch.
    pub fn jump(&self, to: Bb<'m>) -> Val<'m> {
        unsafe { Val::new(LLVMBuildBr(self.builder, to.raw())) }
    }
    /// A conditional branch.
    pub fn branch(&self, condition: Val<'m>, yes: Bb<'m>, no: Bb<'m>) {
        unsafe { LLVMBuildCondBr(self.builder, condition.raw(), yes.raw(), no.raw()) };
    }
    /// A variable of `rows` rows, each a pointer and `words` numbers of 64 bits, all of them zero at first.
    pub fn table(&self, name: &str, rows: u64, words: usize) -> Val<'m> {
        unsafe {
            let context = LLVMGetModuleContext(self.module);
            let mut row = vec![self.int_type(64).raw(); words + 1];
            row[0] = self.ptr_type().raw();
            let row = LLVMStructTypeInContext(context, row.as_mut_ptr(), row.len() as u32, 0);
            let ty = LLVMArrayType2(row, rows);
            let name = std::ffi::CString::new(name).unwrap_or_default();
            let global = LLVMAddGlobal(self.module, ty, name.as_ptr());
            LLVMSetInitializer(global, LLVMConstNull(ty));
            LLVMSetLinkage(global, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            Val::new(global)
        }
    }
    /// The external function of that name, declared with that type where it is not there.
    pub fn declare(&self, name: &str, result: Ty<'m>, params: &[Ty<'m>]) -> Val<'m> {
        unsafe {
            let known =
                LLVMGetNamedFunctionWithLength(self.module, name.as_ptr().cast(), name.len());
            if let Some(function) = Val::maybe(known) {
                return function;
            }
            let mut params: Vec<LLVMTypeRef> = params.iter().map(|p| p.raw()).collect();
            let ty = LLVMFunctionType(result.raw(), params.as_mut_ptr(), params.len() as u32, 0);
            let name = std::ffi::CString::new(name).unwrap_or_default();
            Val::new(LLVMAddFunction(self.module, name.as_ptr(), ty))
        }
    }
    /// A call of the external function of that name, declared where it is not; arguments are converted to its parameters.
    pub fn call(&self, name: &str, result: Ty<'m>, args: &[Val<'m>]) -> Val<'m> {
        let types: Vec<Ty<'m>> = args.iter().map(|a| a.ty()).collect();
        let function = self.declare(name, result, &types);
        unsafe {
            let ty = function.global_type();
            let mut args: Vec<LLVMValueRef> = args
                .iter()
                .zip(ty.params())
                .map(|(a, p)| self.convert(*a, p, false).unwrap_or(self.poison(p)).raw())
                .collect();
            Val::new(LLVMBuildCall2(
                self.builder,
                ty.raw(),
                function.raw(),
                args.as_mut_ptr(),
                args.len() as u32,
                UNNAMED,
            ))
        }
    }
    /// A call of a function with arguments of its own types.
    pub fn call_value(&self, function: Val<'m>, args: &[Val<'m>]) -> Val<'m> {
        let mut args: Vec<LLVMValueRef> = args.iter().map(|a| a.raw()).collect();
        unsafe {
            Val::new(LLVMBuildCall2(
                self.builder,
                function.global_type().raw(),
                function.raw(),
                args.as_mut_ptr(),
                args.len() as u32,
                UNNAMED,
            ))
        }
    }
    /// A call as a function of type `ty`.
    ///
    /// # Safety
    /// Function, type and arguments are of the module's context and fit each other.
    pub unsafe fn call_typed(
        &self,
        ty: LLVMTypeRef,
        function: LLVMValueRef,
        args: &mut [LLVMValueRef],
    ) -> Val<'m> {
        let (first, count) = (args.as_mut_ptr(), args.len() as u32);
        unsafe {
            Val::new(LLVMBuildCall2(
                self.builder,
                ty,
                function,
                first,
                count,
                UNNAMED,
            ))
        }
    }
    /// A switch that has no cases yet.
    pub fn switch(&self, value: Val<'m>, default: Bb<'m>, cases: u32) -> Val<'m> {
        unsafe {
            Val::new(LLVMBuildSwitch(
                self.builder,
                value.raw(),
                default.raw(),
                cases,
            ))
        }
    }
    /// An arbitrary integer of that width (at most 64 bits): an input of the run.
    pub fn nondet(&self, bits: u32) -> Val<'m> {
        let drawn = match bits {
            1..=8 => 8,
            9..=16 => 16,
            17..=32 => 32,
            _ => 64,
        };
        let value = self.call(
            &format!("__irkiss_nondet_u{drawn}"),
            self.int_type(drawn),
            &[],
        );
        self.convert(value, self.int_type(bits), false)
            .unwrap_or(value)
    }
    /// A return.
    pub fn ret(&self, value: Option<Val<'m>>) {
        unsafe {
            match value {
                Some(value) => LLVMBuildRet(self.builder, value.raw()),
                None => LLVMBuildRetVoid(self.builder),
            };
        }
    }
    /// Control does not get here.
    pub fn unreachable(&self) {
        unsafe { LLVMBuildUnreachable(self.builder) };
    }
    /// The path ends as unknown, for that reason.
    pub fn unsupported(&self, why: &str) -> Val<'m> {
        let text = self.text(why);
        self.call("__irkiss_unsupported", self.void_type(), &[text])
    }
}

/// Moves what is before `at` in its block to a new block before it, which has no terminator yet.
///
/// # Safety
/// The builder is one of the context, and the context that of `at`.
pub unsafe fn split_before<'m>(
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
    at: Val<'m>,
) -> Bb<'m> {
    unsafe {
        let tail = LLVMGetInstructionParent(at.raw());
        let head = LLVMInsertBasicBlockInContext(context, tail, UNNAMED);
        LLVMPositionBuilderAtEnd(builder, head);
        let mut moving = LLVMGetFirstInstruction(tail);
        while moving != at.raw() {
            let next = LLVMGetNextInstruction(moving);
            move_to(builder, Val::new(moving));
            moving = next;
        }
        // Without its terminator the block has no successors, so their phis keep naming it: right, as it stays
        // their predecessor. What is replaced is the branches to it.
        let terminator = LLVMGetBasicBlockTerminator(tail);
        LLVMInstructionRemoveFromParent(terminator);
        LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(tail), LLVMBasicBlockAsValue(head));
        LLVMPositionBuilderAtEnd(builder, tail);
        LLVMInsertIntoBuilder(builder, terminator);
        Bb::new(head)
    }
}

/// Moves an instruction to where the builder stands, with its name.
unsafe fn move_to(builder: LLVMBuilderRef, instruction: Val<'_>) {
    let name = std::ffi::CString::new(instruction.name()).unwrap_or_default();
    unsafe {
        // It keeps its location: what is inserted gets the builder's, if that has one.
        LLVMSetCurrentDebugLocation2(builder, std::ptr::null_mut());
        LLVMInstructionRemoveFromParent(instruction.raw());
        match name.is_empty() {
            true => LLVMInsertIntoBuilder(builder, instruction.raw()),
            false => LLVMInsertIntoBuilderWithName(builder, instruction.raw(), name.as_ptr()),
        }
    }
}

/// Replaces all uses of an instruction and removes it.
pub fn replace<'m>(old: Val<'m>, new: Option<Val<'m>>) {
    unsafe {
        if let Some(new) = new
            && !LLVMGetFirstUse(old.raw()).is_null()
        {
            LLVMReplaceAllUsesWith(old.raw(), new.raw());
        }
        LLVMInstructionEraseFromParent(old.raw());
    }
}
