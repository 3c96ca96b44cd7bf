//! Locks that the compiler has dissolved: what configurations of the kernel leave of them.
//!
//! Without preemption and lock debugging, `spin_unlock` is an inline function: of
//! it, optimised code has the store of a zero byte into the lock
//! (`arch/x86/include/asm/qspinlock.h`, `include/asm-generic/qspinlock.h`), known
//! by the function that its debug location names. It becomes a call of
//! `_raw_spin_unlock`. In a kernel for one processor, nothing is left of
//! `spin_lock`: that is told.

use inkwell::module::Module;
use llvm_sys::core::LLVMGetVolatile;

use crate::environment::discover::{member_offset, struct_size};
use crate::frontend::llvm::build::{Builder, replace};
use crate::frontend::llvm::debug_info::DebugInfo;
use crate::frontend::llvm::raw::{LLVMOpcode, Val, functions};
use crate::program::Program;

/// The inline functions whose store gives a spin lock back.
const UNLOCKS: &[&str] = &["queued_spin_unlock", "native_queued_spin_unlock"];

/// Whether the input is of a kernel in which spin locks are nothing: their struct is there and empty.
pub fn one_processor(plain: &Program) -> bool {
    member_offset(plain, "raw_spinlock", "raw_lock") == Some(0)
        && struct_size(plain, "raw_spinlock") == 0
}

/// What a report says of such an input, if the functions around its locks are dissolved as well.
pub fn note(module: &Module<'_>, plain: &Program) -> Option<String> {
    let by_name = functions(module)
        .into_iter()
        .any(|f| f.name().starts_with("spin_") && !f.is_declaration());
    (one_processor(plain) && !by_name).then(|| {
        "the kernel of this input is for one processor, without lock debugging: nothing is left of its spin locks in optimised \
         code, so races that they exclude may be reported; only disabled interrupts are seen. Compile with the passes disabled \
         (`irkiss kbuild` does)"
            .to_string()
    })
}

/// Makes the dissolved unlocks calls.
pub fn restore_unlocks(module: &Module<'_>) {
    let builder = Builder::new(module);
    let info = DebugInfo::new(module);
    for i in functions(module)
        .into_iter()
        .flat_map(Val::blocks)
        .flat_map(|b| b.instructions())
    {
        if !matches!(i.opcode(), Some(LLVMOpcode::LLVMStore))
            || unsafe { LLVMGetVolatile(i.raw()) } == 0
        {
            continue;
        }
        let zero_byte = i
            .operand(0)
            .is_some_and(|v| v.ty().int_bits() == 8 && v.int_value() == Some(0));
        let unlocks = || {
            let (.., scope, _) = info.instruction(i)?.location()?;
            let name = scope.subprogram()?.subprogram_name();
            Some(UNLOCKS.contains(&name.as_str()))
        };
        if !zero_byte || unlocks() != Some(true) {
            continue;
        }
        if let Some(lock) = i.operand(1) {
            builder.before(i);
            builder.call("_raw_spin_unlock", builder.void_type(), &[lock]);
            replace(i, None);
        }
    }
}
