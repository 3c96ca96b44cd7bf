//! Changes of LLVM IR that instrumentation is made of.
//!
//! LLVM's C interface cannot split a block. Here the instructions *before* the splitting point move to a new block, and
//! the old one keeps its terminator: the phis of its successors stay right, and only the branches to it are redirected.

use std::marker::PhantomData;

use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{
    LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex, LLVMTailCallKind, LLVMTypeKind,
};

use crate::frontend::llvm::build;
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, Val};

/// Builds and moves instructions of one module.
pub struct Editor<'m> {
    module: LLVMModuleRef,
    borrow: PhantomData<&'m ()>,
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
}

/// A function under instrumentation.
pub struct Frame<'m> {
    /// The function.
    pub function: Val<'m>,
    raise: Option<Bb<'m>>,
}

impl<'m> Frame<'m> {
    /// Of a defined function.
    pub fn new(function: Val<'m>) -> Self {
        Frame {
            function,
            raise: None,
        }
    }

    /// The block to which the function goes when its thread is raised: it returns at once, with zero for a value.
    /// `fill` may put instructions before the return when the block is made.
    pub fn raise_block(&mut self, editor: &Editor<'m>, fill: impl FnOnce(Bb<'m>)) -> Bb<'m> {
        if let Some(block) = self.raise {
            return block;
        }
        let block = unsafe {
            Bb::new(LLVMAppendBasicBlockInContext(
                editor.context,
                self.function.raw(),
                c"raise".as_ptr(),
            ))
        };
        fill(block);
        unsafe {
            LLVMPositionBuilderAtEnd(editor.builder, block.raw());
            let ty = self.function.global_type().result();
            let ret = if ty.kind() == LLVMTypeKind::LLVMVoidTypeKind {
                LLVMBuildRetVoid(editor.builder)
            } else {
                LLVMBuildRet(editor.builder, LLVMConstNull(ty.raw()))
            };
            editor.locate(Val::new(ret), None, self.function);
        }
        self.raise = Some(block);
        block
    }
}

impl Drop for Editor<'_> {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

impl<'m> Editor<'m> {
    /// For that module.
    pub fn new(module: &'m Module<'_>) -> Self {
        unsafe {
            let context = LLVMGetModuleContext(module.as_mut_ptr());
            Editor {
                module: module.as_mut_ptr(),
                borrow: PhantomData,
                context,
                builder: LLVMCreateBuilderInContext(context),
            }
        }
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<Val<'m>> {
        unsafe {
            Val::maybe(LLVMGetNamedFunctionWithLength(
                self.module,
                name.as_ptr().cast(),
                name.len(),
            ))
        }
    }

    /// The global variable of that name.
    pub fn global(&self, name: &str) -> Option<Val<'m>> {
        unsafe {
            Val::maybe(LLVMGetNamedGlobalWithLength(
                self.module,
                name.as_ptr().cast(),
                name.len(),
            ))
        }
    }

    /// An integer constant of that many bits.
    pub fn int(&self, bits: u32, value: u64) -> Val<'m> {
        unsafe {
            Val::new(LLVMConstInt(
                LLVMIntTypeInContext(self.context, bits),
                value,
                0,
            ))
        }
    }

    /// The null pointer.
    pub fn null(&self) -> Val<'m> {
        unsafe { Val::new(LLVMConstNull(LLVMPointerTypeInContext(self.context, 0))) }
    }

    /// The type of that many bits.
    fn int_type(&self, bits: u32) -> LLVMTypeRef {
        unsafe { LLVMIntTypeInContext(self.context, bits) }
    }

    /// Moves what is before `at` in its block to a new block before it, which has no terminator yet.
    pub fn split_before(&self, at: Val<'m>) -> Bb<'m> {
        unsafe { build::split_before(self.context, self.builder, at) }
    }

    /// Appends a call to a block that has no terminator yet; `for_what` gives its source location.
    pub fn call_at_end(
        &self,
        block: Bb<'m>,
        callee: Val<'m>,
        args: &[Val<'m>],
        for_what: Val<'m>,
    ) -> Val<'m> {
        unsafe { LLVMPositionBuilderAtEnd(self.builder, block.raw()) };
        self.build_call(callee, args, for_what)
    }

    /// Puts a call before an instruction.
    pub fn call_before(&self, at: Val<'m>, callee: Val<'m>, args: &[Val<'m>]) -> Val<'m> {
        unsafe { LLVMPositionBuilderBefore(self.builder, at.raw()) };
        self.build_call(callee, args, at)
    }

    /// The bits of a floating-point value, before an instruction.
    pub fn bits_before(&self, at: Val<'m>, value: Val<'m>, bits: u32) -> Val<'m> {
        unsafe {
            LLVMPositionBuilderBefore(self.builder, at.raw());
            let (to, unnamed) = (self.int_type(bits), c"".as_ptr());
            Val::new(LLVMBuildBitCast(self.builder, value.raw(), to, unnamed))
        }
    }

    /// Arguments are converted to the parameters' types where those differ in width or address space.
    fn build_call(&self, callee: Val<'m>, args: &[Val<'m>], for_what: Val<'m>) -> Val<'m> {
        let ty = callee.global_type();
        let params = ty.params();
        let mut raw: Vec<LLVMValueRef> = args
            .iter()
            .enumerate()
            .map(|(k, arg)| match params.get(k) {
                Some(param) if *param != arg.ty() => unsafe {
                    if param.int_bits() > 0 {
                        LLVMBuildIntCast2(self.builder, arg.raw(), param.raw(), 0, c"".as_ptr())
                    } else {
                        LLVMBuildAddrSpaceCast(self.builder, arg.raw(), param.raw(), c"".as_ptr())
                    }
                },
                _ => arg.raw(),
            })
            .collect();
        unsafe {
            let call = Val::new(LLVMBuildCall2(
                self.builder,
                ty.raw(),
                callee.raw(),
                raw.as_mut_ptr(),
                u32::try_from(raw.len()).unwrap_or(0),
                c"".as_ptr(),
            ));
            let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call.raw()));
            self.locate(call, Some(for_what), Val::new(function));
            // Where the builder moved past a located instruction it would give that location to what it moves next.
            LLVMSetCurrentDebugLocation2(self.builder, std::ptr::null_mut());
            call
        }
    }

    /// Gives an instruction the source location of another one, or of no line of the function.
    fn locate(&self, instruction: Val<'m>, like: Option<Val<'m>>, function: Val<'m>) {
        unsafe {
            LLVMSetCurrentDebugLocation2(self.builder, std::ptr::null_mut());
            let mut loc = like.map_or(std::ptr::null_mut(), |l| {
                LLVMInstructionGetDebugLoc(l.raw())
            });
            let subprogram = LLVMGetSubprogram(function.raw());
            if subprogram.is_null() {
                return;
            }
            if loc.is_null() {
                loc = LLVMDIBuilderCreateDebugLocation(
                    self.context,
                    0,
                    0,
                    subprogram,
                    std::ptr::null_mut(),
                );
            }
            LLVMInstructionSetDebugLoc(instruction.raw(), loc);
        }
    }

    /// Ends `head`: to `raise` if `condition` (an `i1`) holds, else to the block of `tail`.
    pub fn branch(&self, head: Bb<'m>, condition: Val<'m>, raise: Bb<'m>, tail: Val<'m>) {
        unsafe {
            LLVMPositionBuilderAtEnd(self.builder, head.raw());
            let tail = LLVMGetInstructionParent(tail.raw());
            LLVMBuildCondBr(self.builder, condition.raw(), raise.raw(), tail);
        }
    }

    /// Appends to `block` a test of whether the `i8` global is not zero.
    pub fn is_set(&self, block: Bb<'m>, flag: Val<'m>) -> Val<'m> {
        unsafe {
            LLVMPositionBuilderAtEnd(self.builder, block.raw());
            let ty = self.int_type(8);
            let value = LLVMBuildLoad2(self.builder, ty, flag.raw(), c"".as_ptr());
            Val::new(LLVMBuildIsNotNull(self.builder, value, c"".as_ptr()))
        }
    }

    /// Replaces an instruction by a load of the `i64` global.
    pub fn replace_by_load(&self, at: Val<'m>, global: Val<'m>) {
        unsafe {
            LLVMPositionBuilderBefore(self.builder, at.raw());
            let ty = self.int_type(64);
            let load = LLVMBuildLoad2(self.builder, ty, global.raw(), c"".as_ptr());
            self.replace(at, Val::new(load));
        }
    }

    /// Puts `new`, an integer before `old`, in the place of `old`, which goes. Where a program declares another width for
    /// the result, it is converted; a result that is no integer stays undefined.
    pub fn replace(&self, old: Val<'m>, new: Val<'m>) {
        unsafe {
            let ty = old.ty();
            if ty.int_bits() > 0 {
                LLVMPositionBuilderBefore(self.builder, old.raw());
                let value = if ty == new.ty() {
                    new.raw()
                } else {
                    LLVMBuildIntCast2(self.builder, new.raw(), ty.raw(), 0, c"".as_ptr())
                };
                LLVMReplaceAllUsesWith(old.raw(), value);
            } else if ty.kind() != LLVMTypeKind::LLVMVoidTypeKind {
                LLVMReplaceAllUsesWith(old.raw(), LLVMGetUndef(ty.raw()));
            }
            LLVMSetCurrentDebugLocation2(self.builder, std::ptr::null_mut());
            LLVMInstructionEraseFromParent(old.raw());
        }
    }

    /// Removes an instruction that nobody uses.
    pub fn erase(&self, instruction: Val<'m>) {
        unsafe { LLVMInstructionEraseFromParent(instruction.raw()) }
    }

    /// Sets an operand.
    pub fn set_operand(&self, instruction: Val<'m>, index: u32, value: Val<'m>) {
        unsafe { LLVMSetOperand(instruction.raw(), index, value.raw()) }
    }

    /// Puts what a function makes of a pointer operand in its place.
    pub fn map_pointer(
        &self,
        instruction: Val<'m>,
        index: u32,
        function: Val<'m>,
        more: &[Val<'m>],
    ) {
        let Some(old) = instruction.operand(index) else {
            return;
        };
        let args: Vec<Val<'m>> = std::iter::once(old).chain(more.iter().copied()).collect();
        let new = self.call_before(instruction, function, &args);
        let new = match new.ty() == old.ty() {
            true => new,
            false => unsafe {
                LLVMPositionBuilderBefore(self.builder, instruction.raw());
                let ty = old.ty().raw();
                let cast = LLVMBuildAddrSpaceCast(self.builder, new.raw(), ty, c"".as_ptr());
                LLVMSetCurrentDebugLocation2(self.builder, std::ptr::null_mut());
                Val::new(cast)
            },
        };
        self.set_operand(instruction, index, new);
    }

    /// Copies metadata of one kind.
    pub fn copy_metadata(&self, kind: u32, from: Val<'m>, to: Val<'m>) {
        unsafe {
            let node = LLVMGetMetadata(from.raw(), kind);
            if !node.is_null() {
                LLVMSetMetadata(to.raw(), kind, node);
            }
        }
    }

    /// The `void` function of that name and those parameters, declared if it is not there.
    pub fn declare(&self, name: &str, params: &[Val<'m>]) -> Val<'m> {
        self.function(name).unwrap_or_else(|| unsafe {
            let mut types: Vec<LLVMTypeRef> = params.iter().map(|p| p.ty().raw()).collect();
            let count = u32::try_from(types.len()).unwrap_or(0);
            let void = LLVMVoidTypeInContext(self.context);
            let ty = LLVMFunctionType(void, types.as_mut_ptr(), count, 0);
            let name = std::ffi::CString::new(name).unwrap_or_default();
            Val::new(LLVMAddFunction(self.module, name.as_ptr(), ty))
        })
    }

    /// The size in bytes of an alloca's object, where it is constant.
    pub fn alloca_bytes(&self, alloca: Val<'m>) -> Option<u64> {
        let count = u64::try_from(alloca.operand(0)?.int_value()?).ok()?;
        unsafe {
            let layout = llvm_sys::target::LLVMGetModuleDataLayout(self.module);
            let element = LLVMGetAllocatedType(alloca.raw());
            Some(llvm_sys::target::LLVMABISizeOfType(layout, element) * count)
        }
    }

    /// The instruction after another one in its block.
    pub fn next(&self, instruction: Val<'m>) -> Option<Val<'m>> {
        unsafe { Val::maybe(LLVMGetNextInstruction(instruction.raw())) }
    }

    /// Takes from an instrumented function what is no longer true of it: it may return early with zero, call other
    /// threads, and write the instrumentation's state. Without this an optimiser would be right to break the program.
    pub fn weaken(&self, function: Val<'m>) {
        for name in EFFECTS {
            let kind = attribute_kind(name);
            unsafe {
                LLVMRemoveEnumAttributeAtIndex(function.raw(), LLVMAttributeFunctionIndex, kind);
            }
        }
        for name in RESULTS {
            let kind = attribute_kind(name);
            unsafe {
                LLVMRemoveEnumAttributeAtIndex(function.raw(), LLVMAttributeReturnIndex, kind);
            }
        }
        for call in function.blocks().into_iter().flat_map(|b| b.instructions()) {
            if call.opcode() == Some(LLVMOpcode::LLVMCall) && call.intrinsic_name().is_none() {
                self.weaken_call(call);
            }
        }
    }

    fn weaken_call(&self, call: Val<'m>) {
        unsafe {
            // A thread scheduled in the callee may use this frame's objects, and something follows the call.
            LLVMSetTailCallKind(call.raw(), LLVMTailCallKind::LLVMTailCallKindNone);
            for name in EFFECTS {
                let kind = attribute_kind(name);
                LLVMRemoveCallSiteEnumAttribute(call.raw(), LLVMAttributeFunctionIndex, kind);
            }
            for name in RESULTS {
                let kind = attribute_kind(name);
                LLVMRemoveCallSiteEnumAttribute(call.raw(), LLVMAttributeReturnIndex, kind);
            }
        }
    }
}

/// Promises about what a function does.
const EFFECTS: &[&str] = &[
    "memory",
    "noreturn",
    "willreturn",
    "mustprogress",
    "nosync",
    "nofree",
    "norecurse",
    "nocallback",
    "speculatable",
];
/// Promises about what it returns.
const RESULTS: &[&str] = &[
    "noundef",
    "nonnull",
    "dereferenceable",
    "align",
    "range",
    "noalias",
];

fn attribute_kind(name: &str) -> u32 {
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}
