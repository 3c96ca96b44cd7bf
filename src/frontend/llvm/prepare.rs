//! Our own passes: what a module goes through before it is decoded or instrumented.
//!
//! None merges, hoists, speculates or deletes an access to memory that another
//! thread could see. LLVM's `simplifycfg`, `sroa`, `instcombine`, `adce`, … do;
//! of LLVM's passes only `mem2reg` (removes stack objects whose address is not
//! taken), `sccp` (constants and dead branches) and, where a loop has several entries,
//! `fix-irreducible` run here, and a test compares the accesses of each function before and after.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;

use super::build::{Builder, replace};
use super::longjmp::Models;
use super::raw::{Bb, LLVMOpcode, LLVMValueKind, Ty, Val, functions};
use crate::frontend::stubs;

/// Runs all of them, in this order.
///
/// # Errors
/// A message if one of LLVM's passes fails or the module is not valid afterwards (a bug of irkiss).
pub fn prepare(module: &Module<'_>) -> Result<(), String> {
    // LLVM passes leave alone what clang compiles with -O0.
    allow_passes(module);
    // Questions to the optimiser get the answer that makes the general case run.
    fold_questions(module);
    // Tables of relative addresses are tables of pointers.
    super::relative::restore_pointers(module);
    // `asm goto` is a static key, which is off, or a trap.
    lower_jumping_asm(module);
    // Computed labels are numbers, and nobody catches what is thrown.
    super::jumps::number_labels(module);
    super::jumps::forget_handlers(module);
    // Who jumps far returns, and so do its callers.
    super::longjmp::lower_long_jumps(module, Models::ToCome);
    // Variable arguments lie in memory.
    super::varargs::lower_varargs(module);
    // Arguments passed by copy on the stack become visible copies.
    copy_byval_arguments(module);
    // A value that is several scalars is loaded and stored one by one: a site is one range of bytes.
    split_aggregate_accesses(module);
    let unset = super::unset::set_locals(module);
    run(module, "function(mem2reg)")?;
    super::unset::forget(unset);
    // An undefined value is one arbitrary value; without this sccp takes a branch on it for impossible.
    freeze_undefined(module);
    run(module, "function(sccp)")?;
    // Now it is known what is a constant; compile-time assertions of the kernel rest on it.
    answer_what_is_constant(module);
    run(module, "function(sccp)")?;
    // What is read only to be thrown away is not read.
    super::speculated_loads::put_back(module);
    // After branches on constants are gone, whole blocks are.
    remove_unreachable_blocks(module);
    // Executions are joined at the one entry of a loop.
    super::reducible::make_reducible(module);
    // `__VERIFIER_atomic_f` is an atomic section as a whole.
    bracket_atomic_functions(module);
    module.verify().map_err(|e| e.to_string())
}

/// Runs LLVM passes.
pub(crate) fn run(module: &Module<'_>, passes: &str) -> Result<(), String> {
    use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
    use llvm_sys::transforms::pass_builder::*;
    let text = std::ffi::CString::new(passes).map_err(|e| e.to_string())?;
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = LLVMRunPasses(
            module.as_mut_ptr(),
            text.as_ptr(),
            std::ptr::null_mut(),
            options,
        );
        LLVMDisposePassBuilderOptions(options);
        if error.is_null() {
            return Ok(());
        }
        let message = LLVMGetErrorMessage(error);
        let said = std::ffi::CStr::from_ptr(message)
            .to_string_lossy()
            .into_owned();
        LLVMDisposeErrorMessage(message);
        Err(format!("{passes}: {said}"))
    }
}

fn all_instructions<'m>(module: &'m Module<'_>) -> Vec<Val<'m>> {
    functions(module)
        .into_iter()
        .flat_map(Val::blocks)
        .flat_map(Bb::instructions)
        .collect()
}

fn allow_passes(module: &Module<'_>) {
    let kind = unsafe { LLVMGetEnumAttributeKindForName(c"optnone".as_ptr(), 7) };
    for f in functions(module) {
        unsafe {
            LLVMRemoveEnumAttributeAtIndex(f.raw(), llvm_sys::LLVMAttributeFunctionIndex, kind);
        }
    }
}

fn fold_questions(module: &Module<'_>) {
    let builder = Builder::new(module);
    for i in all_instructions(module) {
        let Some(name) = i.intrinsic_name() else {
            continue;
        };
        let answer = if name.starts_with("llvm.objectsize.") {
            let minimum = i.call_args().get(1).and_then(|a| a.int_value()) == Some(1);
            builder.int(i.ty().int_bits(), if minimum { 0 } else { u64::MAX })
        } else if name.starts_with("llvm.expect.") {
            match i.call_args().first() {
                Some(value) => *value,
                None => continue,
            }
        } else if name.starts_with("llvm.allow.") {
            builder.int(1, 1)
        } else {
            continue;
        };
        replace(i, Some(answer));
    }
}

/// `__builtin_constant_p`: yes for what is a number by now, as for a compiler that optimises; it is not asked again.
fn answer_what_is_constant(module: &Module<'_>) {
    let builder = Builder::new(module);
    for i in all_instructions(module) {
        if i.intrinsic_name()
            .is_some_and(|name| name.starts_with("llvm.is.constant."))
        {
            let known = i
                .call_args()
                .first()
                .is_some_and(|a| a.int_value().is_some());
            replace(i, Some(builder.int(1, u64::from(known))));
        }
    }
}

/// `callbr` of a jump label: the key is off, control falls through. Of a trap that warns and goes on at the label
/// (arch/powerpc/include/asm/bug.h: WARN_ENTRY): it is taken if its condition holds. Others stay and are unsupported.
fn lower_jumping_asm(module: &Module<'_>) {
    let builder = Builder::new(module);
    for i in all_instructions(module) {
        if !matches!(i.opcode(), Some(LLVMOpcode::LLVMCallBr)) {
            continue;
        }
        let Some((text, _)) = i.callee().and_then(Val::inline_asm) else {
            continue;
        };
        // `1: twi 31, 0, 0` always traps, `1: tdnei $4, 0` if operand 4 is not zero.
        let trap = text
            .trim_start_matches("1:")
            .trim_start()
            .strip_prefix('t')
            .filter(|_| text.contains("__bug_table") && text.contains("__ex_table"));
        if trap.is_none() && !text.contains("__jump_table")
            || i.ty().kind() != LLVMTypeKind::LLVMVoidTypeKind
        {
            continue;
        }
        let (block, next, others) = unsafe {
            let count = LLVMGetCallBrNumIndirectDests(i.raw());
            let others: Vec<Bb<'_>> = (0..count)
                .map(|k| Bb::new(LLVMGetCallBrIndirectDest(i.raw(), k)))
                .collect();
            (
                Bb::new(LLVMGetInstructionParent(i.raw())),
                Bb::new(LLVMGetCallBrDefaultDest(i.raw())),
                others,
            )
        };
        builder.before(i);
        if let Some(trap) = trap {
            let condition = match i.call_args().get(4) {
                None if trap.starts_with("wi 31,") => None,
                Some(value) if trap.starts_with("dnei") || trap.starts_with("wnei") => Some(*value),
                _ => continue,
            };
            let [label] = others[..] else { continue };
            match condition {
                None => {
                    builder.jump(label);
                    drop_incoming(&builder, next, |from| from == block);
                }
                Some(value) => {
                    let zero = builder.zero(value.ty());
                    let warns = builder.compare(llvm_sys::LLVMIntPredicate::LLVMIntNE, value, zero);
                    builder.branch(warns, label, next);
                }
            }
            replace(i, None);
            continue;
        }
        builder.jump(next);
        replace(i, None);
        for other in others {
            if other != next {
                drop_incoming(&builder, other, |from| from == block);
            }
        }
    }
}

/// Rebuilds the phis of `block` without the edges from blocks that `gone` names.
pub(crate) fn drop_incoming<'m>(
    builder: &Builder<'m>,
    block: Bb<'m>,
    gone: impl Fn(Bb<'m>) -> bool,
) {
    for phi in block.instructions() {
        if !matches!(phi.opcode(), Some(LLVMOpcode::LLVMPHI)) {
            break;
        }
        unsafe {
            let mut kept: Vec<(llvm_sys::prelude::LLVMValueRef, _)> = Vec::new();
            for k in 0..LLVMCountIncoming(phi.raw()) {
                let from = LLVMGetIncomingBlock(phi.raw(), k);
                if !gone(Bb::new(from)) {
                    kept.push((LLVMGetIncomingValue(phi.raw(), k), from));
                }
            }
            if kept.len() == LLVMCountIncoming(phi.raw()) as usize {
                continue;
            }
            if kept.is_empty() {
                replace(phi, Some(builder.poison(phi.ty())));
                continue;
            }
            let new = builder.phi(phi, &phi.name());
            let (mut values, mut blocks): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
            LLVMAddIncoming(
                new.raw(),
                values.as_mut_ptr(),
                blocks.as_mut_ptr(),
                values.len() as u32,
            );
            replace(phi, Some(new));
        }
    }
}

fn remove_unreachable_blocks(module: &Module<'_>) {
    let builder = Builder::new(module);
    for function in functions(module) {
        let blocks = function.blocks();
        let Some(&entry) = blocks.first() else {
            continue;
        };
        let mut reached = std::collections::HashSet::from([entry]);
        let mut work = vec![entry];
        while let Some(block) = work.pop() {
            for next in block.successors() {
                if reached.insert(next) {
                    work.push(next);
                }
            }
        }
        if reached.len() == blocks.len() {
            continue;
        }
        for block in blocks.iter().filter(|b| reached.contains(b)) {
            drop_incoming(&builder, *block, |from| !reached.contains(&from));
        }
        let dead: Vec<Bb<'_>> = blocks
            .into_iter()
            .filter(|b| !reached.contains(b))
            .collect();
        for i in dead.iter().flat_map(|b| b.instructions()) {
            unsafe {
                if i.ty().kind() != LLVMTypeKind::LLVMVoidTypeKind
                    && !LLVMGetFirstUse(i.raw()).is_null()
                    && i.ty().kind() != LLVMTypeKind::LLVMTokenTypeKind
                {
                    LLVMReplaceAllUsesWith(i.raw(), builder.poison(i.ty()).raw());
                }
            }
        }
        for block in &dead {
            for i in block.instructions().into_iter().rev() {
                replace(i, None);
            }
        }
        for block in dead {
            unsafe { LLVMDeleteBasicBlock(block.raw()) };
        }
    }
}

/// Gives each undefined operand of an instruction one arbitrary value.
fn freeze_undefined(module: &Module<'_>) {
    let builder = Builder::new(module);
    for i in all_instructions(module) {
        let Some(opcode) = i.opcode() else { continue };
        // These take parts of a value one by one: the undefined start is never seen.
        if matches!(
            opcode,
            LLVMOpcode::LLVMInsertValue
                | LLVMOpcode::LLVMInsertElement
                | LLVMOpcode::LLVMShuffleVector
                | LLVMOpcode::LLVMFreeze
        ) {
            continue;
        }
        for n in 0..i.operand_count() {
            let Some(operand) = i.operand(n) else {
                continue;
            };
            let undefined = matches!(
                operand.kind(),
                LLVMValueKind::LLVMUndefValueValueKind | LLVMValueKind::LLVMPoisonValueKind
            );
            let carried = operand.ty().int_bits() > 0
                || operand.ty().address_space() == Some(0)
                || matches!(
                    operand.ty().kind(),
                    LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind
                );
            if !undefined || !carried || i.intrinsic_name().is_some() {
                continue;
            }
            unsafe {
                if matches!(opcode, LLVMOpcode::LLVMPHI) {
                    let from = LLVMGetIncomingBlock(i.raw(), n);
                    builder.before(Val::new(LLVMGetBasicBlockTerminator(from)));
                    // Edges from one block to this one must agree.
                    let value = builder.arbitrary(operand.ty());
                    for k in 0..LLVMCountIncoming(i.raw()) {
                        if LLVMGetIncomingBlock(i.raw(), k) == from {
                            LLVMSetOperand(i.raw(), k, value.raw());
                        }
                    }
                } else {
                    builder.before(i);
                    let value = builder.arbitrary(operand.ty());
                    LLVMSetOperand(i.raw(), n, value.raw());
                }
            }
        }
    }
}

/// The scalars of a first-class aggregate: path of indices, type, byte offset. `None` beyond 256.
fn scalars<'m>(
    data: llvm_sys::target::LLVMTargetDataRef,
    ty: Ty<'m>,
) -> Option<Vec<(Vec<u32>, Ty<'m>, u64)>> {
    use llvm_sys::target::{LLVMABISizeOfType, LLVMOffsetOfElement};
    let mut out = vec![(Vec::new(), ty, 0u64)];
    // Each round opens one level of nesting.
    while let Some(at) = out.iter().position(|(_, t, _)| {
        matches!(
            t.kind(),
            LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind
        )
    }) {
        let (path, ty, offset) = out.remove(at);
        let parts: Vec<(Ty<'m>, u64)> = match ty.elements() {
            Some((element, count)) => {
                let stride = unsafe { LLVMABISizeOfType(data, element.raw()) };
                (0..count.min(257)).map(|n| (element, n * stride)).collect()
            }
            None => ty
                .fields()
                .into_iter()
                .enumerate()
                .map(|(n, f)| (f, unsafe { LLVMOffsetOfElement(data, ty.raw(), n as u32) }))
                .collect(),
        };
        if out.len() + parts.len() > 256 {
            return None;
        }
        for (n, (part, inner)) in parts.into_iter().enumerate().rev() {
            let mut longer = path.clone();
            longer.push(n as u32);
            out.insert(at, (longer, part, offset + inner));
        }
    }
    Some(out)
}

fn split_aggregate_accesses(module: &Module<'_>) {
    let builder = Builder::new(module);
    let data = unsafe { llvm_sys::target::LLVMGetModuleDataLayout(module.as_mut_ptr()) };
    let mut vectors = false;
    for i in all_instructions(module) {
        let is_load = matches!(i.opcode(), Some(LLVMOpcode::LLVMLoad));
        let is_store = matches!(i.opcode(), Some(LLVMOpcode::LLVMStore));
        let (value_type, pointer) = match (is_load, is_store) {
            (true, _) => (i.ty(), i.operand(0)),
            (_, true) => match i.operand(0) {
                Some(v) => (v.ty(), i.operand(1)),
                None => continue,
            },
            _ => continue,
        };
        vectors |= value_type.kind() == LLVMTypeKind::LLVMVectorTypeKind;
        let aggregate = matches!(
            value_type.kind(),
            LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind
        );
        let (Some(pointer), true) = (pointer, aggregate) else {
            continue;
        };
        let Some(parts) = scalars(data, value_type) else {
            continue;
        };
        let volatile = unsafe { LLVMGetVolatile(i.raw()) != 0 };
        builder.before(i);
        let mut whole = builder.poison(value_type);
        for (path, ty, offset) in parts {
            let place = builder.offset(pointer, builder.int(64, offset));
            if is_load {
                let part = builder.load(ty, place, volatile);
                whole = builder.insert_at(whole, part, &path);
            } else if let Some(value) = i.operand(0) {
                let part = builder.extract_at(value, &path);
                builder.store(part, place, volatile);
            }
        }
        replace(i, is_load.then_some(whole));
    }
    if vectors {
        // Whoever vectorised the code has merged its accesses; taken apart, each element has its site again.
        // A failure leaves vector accesses, which the decoder splits.
        let _ = run(module, "function(scalarizer<load-store>)");
    }
}

/// `byval` arguments: the callee gets the address of a copy. The copy is made here, where its reads can be seen.
fn copy_byval_arguments(module: &Module<'_>) {
    let builder = Builder::new(module);
    let data = unsafe { llvm_sys::target::LLVMGetModuleDataLayout(module.as_mut_ptr()) };
    let kind = unsafe { LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5) };
    for i in all_instructions(module) {
        if i.callee().is_none() {
            continue;
        }
        for (n, arg) in i.call_args().into_iter().enumerate() {
            let index = n as u32 + 1;
            unsafe {
                let attribute = LLVMGetCallSiteEnumAttribute(i.raw(), index, kind);
                if attribute.is_null() {
                    continue;
                }
                let ty = Ty::new(LLVMGetTypeAttributeValue(attribute));
                builder.before(i);
                let copy = builder.alloca(ty);
                let bytes = llvm_sys::target::LLVMABISizeOfType(data, ty.raw());
                builder.memcpy(copy, arg, builder.int(64, bytes));
                LLVMSetOperand(i.raw(), n as u32, copy.raw());
                LLVMRemoveCallSiteEnumAttribute(i.raw(), index, kind);
            }
        }
    }
    for f in functions(module) {
        for n in 0..f.params().len() {
            unsafe { LLVMRemoveEnumAttributeAtIndex(f.raw(), n as u32 + 1, kind) };
        }
    }
}

fn bracket_atomic_functions(module: &Module<'_>) {
    const DONE: &str = "irkiss-atomic";
    let builder = Builder::new(module);
    for f in functions(module) {
        if f.is_declaration()
            || !stubs::is_atomic_function(&f.name())
            || f.string_attribute(DONE).is_some()
        {
            continue;
        }
        unsafe {
            let context = LLVMGetModuleContext(module.as_mut_ptr());
            let done =
                LLVMCreateStringAttribute(context, DONE.as_ptr().cast(), 13, UNSET.as_ptr(), 0);
            LLVMAddAttributeAtIndex(f.raw(), llvm_sys::LLVMAttributeFunctionIndex, done);
        }
        let void = builder.void_type();
        let instructions: Vec<Val<'_>> =
            f.blocks().into_iter().flat_map(Bb::instructions).collect();
        if let Some(first) = instructions
            .iter()
            .find(|i| !matches!(i.opcode(), Some(LLVMOpcode::LLVMPHI)))
        {
            builder.before(*first);
            builder.call("__irkiss_atomic_begin", void, &[]);
        }
        for ret in instructions {
            if matches!(ret.opcode(), Some(LLVMOpcode::LLVMRet)) {
                builder.before(ret);
                builder.call("__irkiss_atomic_end", void, &[]);
            }
        }
    }
}

const UNSET: &std::ffi::CStr = c"";
