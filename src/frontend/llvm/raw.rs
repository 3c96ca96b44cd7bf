//! Borrowed views of LLVM's values, types and blocks.
//!
//! inkwell types values statically, which suits a builder; a decoder meets
//! values of any kind and asks what they are. These views are plain pointers
//! that carry the lifetime of the borrow of the module, so they cannot outlive
//! it. Only kinds that the C API answers safely are asked: each method says
//! which kind of value it is for, and answers `None` (or 0) for others where
//! LLVM would not check.

use std::ffi::CStr;
use std::marker::PhantomData;

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
pub use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMValueKind};

/// Text that LLVM owns, with an explicit length.
///
/// # Safety
/// `ptr` is null or points to `len` readable bytes.
pub(crate) unsafe fn text(ptr: *const std::ffi::c_char, len: usize) -> String {
    if ptr.is_null() {
        return String::new();
    }
    let bytes = unsafe { std::slice::from_raw_parts(ptr.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A message that LLVM allocated; it is freed here.
///
/// # Safety
/// `ptr` is null or a message made by LLVM that nobody else frees.
pub(crate) unsafe fn take_message(ptr: *mut std::ffi::c_char) -> String {
    if ptr.is_null() {
        return String::new();
    }
    let message = unsafe { CStr::from_ptr(ptr) }
        .to_string_lossy()
        .into_owned();
    unsafe { LLVMDisposeMessage(ptr) };
    message
}

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty<'m> {
    raw: LLVMTypeRef,
    module: PhantomData<&'m ()>,
}

/// A value: global, function, constant, argument, block or instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Val<'m> {
    raw: LLVMValueRef,
    module: PhantomData<&'m ()>,
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bb<'m> {
    raw: LLVMBasicBlockRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Ty<'m> {
    /// # Safety
    /// `raw` is a type of a context that lives for `'m`.
    pub unsafe fn new(raw: LLVMTypeRef) -> Self {
        Ty {
            raw,
            module: PhantomData,
        }
    }
    /// The C pointer.
    pub fn raw(self) -> LLVMTypeRef {
        self.raw
    }
    /// What sort of type it is.
    pub fn kind(self) -> LLVMTypeKind {
        unsafe { LLVMGetTypeKind(self.raw) }
    }
    /// Width of an integer type; 0 for others.
    pub fn int_bits(self) -> u32 {
        match self.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => unsafe { LLVMGetIntTypeWidth(self.raw) },
            _ => 0,
        }
    }
    /// Whether it is a pointer, and in which address space.
    pub fn address_space(self) -> Option<u32> {
        match self.kind() {
            LLVMTypeKind::LLVMPointerTypeKind => {
                Some(unsafe { LLVMGetPointerAddressSpace(self.raw) })
            }
            _ => None,
        }
    }
    /// Whether the size is known.
    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.raw) != 0 }
    }
    /// Fields of a struct type; empty for others.
    pub fn fields(self) -> Vec<Ty<'m>> {
        if self.kind() != LLVMTypeKind::LLVMStructTypeKind {
            return Vec::new();
        }
        unsafe {
            let n = LLVMCountStructElementTypes(self.raw);
            (0..n)
                .map(|k| Ty::new(LLVMStructGetTypeAtIndex(self.raw, k)))
                .collect()
        }
    }
    /// Element type and count of an array or fixed vector type.
    pub fn elements(self) -> Option<(Ty<'m>, u64)> {
        unsafe {
            match self.kind() {
                LLVMTypeKind::LLVMArrayTypeKind => Some((
                    Ty::new(LLVMGetElementType(self.raw)),
                    LLVMGetArrayLength2(self.raw),
                )),
                LLVMTypeKind::LLVMVectorTypeKind => Some((
                    Ty::new(LLVMGetElementType(self.raw)),
                    u64::from(LLVMGetVectorSize(self.raw)),
                )),
                _ => None,
            }
        }
    }
    /// Name of a named struct type.
    pub fn struct_name(self) -> Option<String> {
        if self.kind() != LLVMTypeKind::LLVMStructTypeKind {
            return None;
        }
        unsafe {
            let name = LLVMGetStructName(self.raw);
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }
    /// Parameter types of a function type.
    pub fn params(self) -> Vec<Ty<'m>> {
        if self.kind() != LLVMTypeKind::LLVMFunctionTypeKind {
            return Vec::new();
        }
        unsafe {
            let n = LLVMCountParamTypes(self.raw) as usize;
            let mut raw = vec![std::ptr::null_mut(); n];
            LLVMGetParamTypes(self.raw, raw.as_mut_ptr());
            raw.into_iter().map(|t| Ty::new(t)).collect()
        }
    }
    /// Result type of a function type (itself for others).
    pub fn result(self) -> Ty<'m> {
        match self.kind() {
            LLVMTypeKind::LLVMFunctionTypeKind => unsafe { Ty::new(LLVMGetReturnType(self.raw)) },
            _ => self,
        }
    }
    /// Whether a function type takes further arguments.
    pub fn is_variadic(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMFunctionTypeKind
            && unsafe { LLVMIsFunctionVarArg(self.raw) != 0 }
    }
    /// As LLVM prints it.
    pub fn print(self) -> String {
        unsafe { take_message(LLVMPrintTypeToString(self.raw)) }
    }
}

impl<'m> Val<'m> {
    /// # Safety
    /// `raw` is a value of a module that lives for `'m`.
    pub unsafe fn new(raw: LLVMValueRef) -> Self {
        Val {
            raw,
            module: PhantomData,
        }
    }
    /// As [`Val::new`], `None` for null.
    ///
    /// # Safety
    /// As [`Val::new`].
    pub unsafe fn maybe(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then(|| unsafe { Val::new(raw) })
    }
    /// The C pointer.
    pub fn raw(self) -> LLVMValueRef {
        self.raw
    }
    /// What sort of value it is.
    pub fn kind(self) -> LLVMValueKind {
        unsafe { LLVMGetValueKind(self.raw) }
    }
    /// Its type.
    pub fn ty(self) -> Ty<'m> {
        unsafe { Ty::new(LLVMTypeOf(self.raw)) }
    }
    /// Its name; empty if it has none.
    pub fn name(self) -> String {
        unsafe {
            let mut len = 0;
            let ptr = LLVMGetValueName2(self.raw, &mut len);
            text(ptr, len)
        }
    }
    /// As LLVM prints it.
    pub fn print(self) -> String {
        unsafe { take_message(LLVMPrintValueToString(self.raw)) }
    }
    /// Whether it is a constant.
    pub fn is_constant(self) -> bool {
        unsafe { LLVMIsConstant(self.raw) != 0 }
    }
    /// Number of operands of an instruction or constant; 0 for others.
    pub fn operand_count(self) -> u32 {
        if unsafe { LLVMIsAUser(self.raw) }.is_null() {
            return 0;
        }
        u32::try_from(unsafe { LLVMGetNumOperands(self.raw) }).unwrap_or(0)
    }
    /// The `n`-th operand.
    pub fn operand(self, n: u32) -> Option<Val<'m>> {
        if n >= self.operand_count() {
            return None;
        }
        unsafe { Val::maybe(LLVMGetOperand(self.raw, n)) }
    }
    /// Opcode of an instruction or constant expression.
    pub fn opcode(self) -> Option<LLVMOpcode> {
        match self.kind() {
            LLVMValueKind::LLVMInstructionValueKind => {
                Some(unsafe { LLVMGetInstructionOpcode(self.raw) })
            }
            LLVMValueKind::LLVMConstantExprValueKind => {
                Some(unsafe { LLVMGetConstOpcode(self.raw) })
            }
            _ => None,
        }
    }
    /// Value of an integer constant, bits above the width zero; `None` for others and beyond 128 bits.
    pub fn int_value(self) -> Option<u128> {
        if self.kind() != LLVMValueKind::LLVMConstantIntValueKind {
            return None;
        }
        let bits = self.ty().int_bits();
        match bits {
            1..=64 => Some(u128::from(unsafe { LLVMConstIntGetZExtValue(self.raw) })),
            65..=128 => {
                // The C API gives 64 bits only; the text has all: `i128 -5`.
                let printed = self.print();
                let number = printed.rsplit(' ').next()?;
                let value = match number.parse::<i128>() {
                    Ok(n) => n as u128,
                    Err(_) => number.parse::<u128>().ok()?,
                };
                Some(if bits == 128 {
                    value
                } else {
                    value & ((1u128 << bits) - 1)
                })
            }
            _ => None,
        }
    }
    /// The block that a label operand stands for.
    pub fn as_block(self) -> Option<Bb<'m>> {
        unsafe {
            (LLVMValueIsBasicBlock(self.raw) != 0).then(|| Bb::new(LLVMValueAsBasicBlock(self.raw)))
        }
    }
    /// Parameters of a function.
    pub fn params(self) -> Vec<Val<'m>> {
        if self.kind() != LLVMValueKind::LLVMFunctionValueKind {
            return Vec::new();
        }
        unsafe {
            (0..LLVMCountParams(self.raw))
                .map(|k| Val::new(LLVMGetParam(self.raw, k)))
                .collect()
        }
    }
    /// Blocks of a function, entry first.
    pub fn blocks(self) -> Vec<Bb<'m>> {
        if self.kind() != LLVMValueKind::LLVMFunctionValueKind {
            return Vec::new();
        }
        let mut blocks = Vec::new();
        unsafe {
            let mut block = LLVMGetFirstBasicBlock(self.raw);
            while !block.is_null() {
                blocks.push(Bb::new(block));
                block = LLVMGetNextBasicBlock(block);
            }
        }
        blocks
    }
    /// Whether a global or function is declared only.
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.raw) != 0 }
    }
    /// Whether a global or function is seen outside its module.
    pub fn is_external(self) -> bool {
        !matches!(
            unsafe { LLVMGetLinkage(self.raw) },
            LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
        )
    }
    /// Value type of a global, function type of a function.
    pub fn global_type(self) -> Ty<'m> {
        unsafe { Ty::new(LLVMGlobalGetValueType(self.raw)) }
    }
    /// Section of a global, if one is named.
    pub fn section(self) -> Option<String> {
        unsafe {
            let ptr = LLVMGetSection(self.raw);
            (!ptr.is_null() && *ptr != 0)
                .then(|| CStr::from_ptr(ptr).to_string_lossy().into_owned())
        }
    }
    /// Value of a string attribute of a function.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        unsafe {
            let len = u32::try_from(name.len()).ok()?;
            let attribute = LLVMGetStringAttributeAtIndex(
                self.raw,
                llvm_sys::LLVMAttributeFunctionIndex,
                name.as_ptr().cast(),
                len,
            );
            if attribute.is_null() {
                return None;
            }
            let mut n = 0;
            let ptr = LLVMGetStringAttributeValue(attribute, &mut n);
            Some(text(ptr, n as usize))
        }
    }
    /// Callee operand of a call.
    pub fn callee(self) -> Option<Val<'m>> {
        match self.opcode()? {
            LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr => unsafe {
                Val::maybe(LLVMGetCalledValue(self.raw))
            },
            _ => None,
        }
    }
    /// The values that use it; one entry for each use.
    pub fn users(self) -> Vec<Val<'m>> {
        let mut found = Vec::new();
        unsafe {
            let mut at = LLVMGetFirstUse(self.raw);
            while !at.is_null() {
                found.push(Val::new(LLVMGetUser(at)));
                at = LLVMGetNextUse(at);
            }
        }
        found
    }
    /// Arguments of a call.
    pub fn call_args(self) -> Vec<Val<'m>> {
        if self.callee().is_none() {
            return Vec::new();
        }
        unsafe {
            (0..LLVMGetNumArgOperands(self.raw))
                .filter_map(|k| Val::maybe(LLVMGetOperand(self.raw, k)))
                .collect()
        }
    }
    /// Name of the intrinsic that a call calls, such as `llvm.memcpy.p0.p0.i64`.
    pub fn intrinsic_name(self) -> Option<String> {
        let callee = self.callee()?;
        if callee.kind() != LLVMValueKind::LLVMFunctionValueKind {
            return None;
        }
        let name = callee.name();
        name.starts_with("llvm.").then_some(name)
    }
    /// The register that a call of `llvm.read_register` reads.
    pub fn named_register(self) -> Option<String> {
        if !self.intrinsic_name()?.starts_with("llvm.read_register.") {
            return None;
        }
        unsafe {
            let node = Val::maybe(LLVMGetOperand(self.raw, 0))?;
            if node.kind() != LLVMValueKind::LLVMMetadataAsValueValueKind
                || LLVMGetMDNodeNumOperands(node.raw) != 1
            {
                return None;
            }
            let mut name = std::ptr::null_mut();
            LLVMGetMDNodeOperands(node.raw, &mut name);
            let mut n = 0;
            let start = LLVMGetMDString(Val::maybe(name)?.raw, &mut n);
            (!start.is_null()).then(|| text(start, n as usize))
        }
    }
    /// Text and constraints, if the value is inline assembly.
    pub fn inline_asm(self) -> Option<(String, String)> {
        if self.kind() != LLVMValueKind::LLVMInlineAsmValueKind {
            return None;
        }
        unsafe {
            let mut n = 0;
            let code = LLVMGetInlineAsmAsmString(self.raw, &mut n);
            let code = text(code, n);
            let constraints = LLVMGetInlineAsmConstraintString(self.raw, &mut n);
            Some((code, text(constraints, n)))
        }
    }
    /// The number in metadata `!kind !{i32 N}` of an instruction.
    pub fn metadata_number(self, kind: u32) -> Option<u32> {
        let number = self.metadata_values(kind).first()?.int_value()?;
        u32::try_from(number).ok()
    }

    /// What the metadata of a loop's last branch says that it is unrolled by (`llvm.loop.unroll.count`).
    pub fn unroll_count(self) -> Option<u32> {
        const KEY: &[u8] = b"llvm.loop.unroll.count";
        let kind = unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            LLVMGetMDKindIDInContext(context, c"llvm.loop".as_ptr(), 9)
        };
        self.metadata_values(kind).into_iter().find_map(|entry| {
            let operands = entry.node_operands();
            let [Some(key), Some(count)] = operands[..] else {
                return None;
            };
            let mut length = 0;
            let text = unsafe { LLVMGetMDString(key.raw, &mut length) };
            let is_key = !text.is_null()
                && unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length as usize) } == KEY;
            let count = count.int_value().filter(|_| is_key)?;
            u32::try_from(count).ok()
        })
    }

    /// The operands of a metadata node; `None` for those that are no values.
    fn node_operands(self) -> Vec<Option<Val<'m>>> {
        unsafe {
            let metadata = LLVMValueAsMetadata(self.raw);
            if LLVMIsAMDNode(self.raw).is_null() || metadata.is_null() {
                return Vec::new();
            }
            let mut operands =
                vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(self.raw) as usize];
            if !operands.is_empty() {
                LLVMGetMDNodeOperands(self.raw, operands.as_mut_ptr());
            }
            operands.into_iter().map(|o| Val::maybe(o)).collect()
        }
    }

    /// The values in metadata `!kind !{…}` of an instruction.
    pub fn metadata_values(self, kind: u32) -> Vec<Val<'m>> {
        unsafe {
            if LLVMHasMetadata(self.raw) == 0 {
                return Vec::new();
            }
            let Some(node) = Val::maybe(LLVMGetMetadata(self.raw, kind)) else {
                return Vec::new();
            };
            let mut operands =
                vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node.raw) as usize];
            if operands.is_empty() {
                return Vec::new();
            }
            LLVMGetMDNodeOperands(node.raw, operands.as_mut_ptr());
            operands.into_iter().filter_map(|o| Val::maybe(o)).collect()
        }
    }
}

impl<'m> Bb<'m> {
    /// # Safety
    /// `raw` is a block of a module that lives for `'m`.
    pub unsafe fn new(raw: LLVMBasicBlockRef) -> Self {
        Bb {
            raw,
            module: PhantomData,
        }
    }
    /// The C pointer.
    pub fn raw(self) -> LLVMBasicBlockRef {
        self.raw
    }
    /// Its instructions, terminator last.
    pub fn instructions(self) -> Vec<Val<'m>> {
        let mut instructions = Vec::new();
        unsafe {
            let mut i = LLVMGetFirstInstruction(self.raw);
            while !i.is_null() {
                instructions.push(Val::new(i));
                i = LLVMGetNextInstruction(i);
            }
        }
        instructions
    }
    /// The blocks that its terminator may go to, in order.
    pub fn successors(self) -> Vec<Bb<'m>> {
        unsafe {
            let term = LLVMGetBasicBlockTerminator(self.raw);
            if term.is_null() {
                return Vec::new();
            }
            (0..LLVMGetNumSuccessors(term))
                .map(|k| Bb::new(LLVMGetSuccessor(term, k)))
                .collect()
        }
    }
}

/// The functions of a module, in order.
pub fn functions<'m>(module: &'m Module<'_>) -> Vec<Val<'m>> {
    let mut all = Vec::new();
    unsafe {
        let mut f = LLVMGetFirstFunction(module.as_mut_ptr());
        while !f.is_null() {
            all.push(Val::new(f));
            f = LLVMGetNextFunction(f);
        }
    }
    all
}

/// The instructions of all functions of a module, in order; those of a block as they are when it is come to.
pub fn instructions<'m>(module: &'m Module<'_>) -> impl Iterator<Item = Val<'m>> {
    let blocks = functions(module).into_iter().flat_map(Val::blocks);
    blocks.flat_map(|b| b.instructions())
}

/// The global variables of a module, in order.
pub fn globals<'m>(module: &'m Module<'_>) -> Vec<Val<'m>> {
    let mut all = Vec::new();
    unsafe {
        let mut g = LLVMGetFirstGlobal(module.as_mut_ptr());
        while !g.is_null() {
            all.push(Val::new(g));
            g = LLVMGetNextGlobal(g);
        }
    }
    all
}

/// The global or function behind an alias (aliases of aliases too); the value itself if it is none.
pub fn resolve_alias(value: Val<'_>) -> Val<'_> {
    let mut at = value;
    // A cycle of aliases does not pass the verifier; the bound is for unverified input.
    for _ in 0..64 {
        if at.kind() != LLVMValueKind::LLVMGlobalAliasValueKind {
            break;
        }
        match unsafe { Val::maybe(LLVMAliasGetAliasee(at.raw)) } {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

/// The number of the metadata kind of that name.
pub fn metadata_kind(module: &Module<'_>, name: &str) -> u32 {
    unsafe {
        LLVMGetMDKindIDInContext(
            LLVMGetModuleContext(module.as_mut_ptr()),
            name.as_ptr().cast(),
            u32::try_from(name.len()).unwrap_or(0),
        )
    }
}

/// The text that a pointer to a constant string leads to, up to its first zero. `None`: it leads to something else.
pub fn constant_text(pointer: Val<'_>) -> Option<String> {
    unsafe {
        if LLVMIsAGlobalVariable(pointer.raw()).is_null()
            || LLVMIsGlobalConstant(pointer.raw()) == 0
        {
            return None;
        }
        let content = LLVMGetInitializer(pointer.raw());
        if content.is_null()
            || LLVMIsAConstantDataArray(content).is_null()
            || LLVMIsConstantString(content) == 0
        {
            return None;
        }
        let mut length = 0;
        let start = LLVMGetAsString(content, &mut length);
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length);
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(length);
        std::str::from_utf8(&bytes[..end]).ok().map(str::to_string)
    }
}
