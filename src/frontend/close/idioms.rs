//! Locks that the compiler has dissolved: what configurations of the kernel leave of them.
//!
//! Without preemption and lock debugging, `spin_unlock` is an inline function: of
//! it, optimised code has the store of a zero byte into the lock
//! (`arch/x86/include/asm/qspinlock.h`, `include/asm-generic/qspinlock.h`), known
//! by the function that its debug location names. It becomes a call of
//! `_raw_spin_unlock`. In a kernel for one processor, nothing is left of
//! `spin_lock`: that is told.
//!
//! Where preemption is not possible, `rcu_read_lock` is inline, too, and all that is left of it is a barrier of the compiler.
//!
//! What `mmiowb` keeps count of is taken out by its debug locations as well, and what optimised code computes in
//! `lowmem_page_address` (`include/linux/mm.h`) becomes a call of that function's model: an address made of the number of a page
//! leads nowhere.
//!
//! Marked are the reads by which inline functions of the kernel ask for the state of its runtime power management.

use inkwell::module::Module;
use llvm_sys::core::{LLVMGetVolatile, LLVMSetValueName2, LLVMSetVolatile};

use crate::environment::discover::{member_offset, struct_size};
use crate::frontend::llvm::build::{Builder, replace};
use crate::frontend::llvm::debug_info::DebugInfo;
use crate::frontend::llvm::raw::{LLVMOpcode, Val, functions, globals, instructions};
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

/// Whether an instruction stands in one of these functions in the source.
fn is_of<'m>(info: &DebugInfo<'m>, i: Val<'m>, functions: &[&str]) -> bool {
    info.function_of(i)
        .is_some_and(|name| functions.contains(&name.as_str()))
}

/// The inline functions (`include/linux/pm_runtime.h`) that read, as they say without the lock, what runtime power management writes
/// under it: what becomes of the answer is the driver's, whether that is a race is the kernel's.
const ASK_FOR_POWER: &[&str] = &[
    "pm_runtime_suspended",
    "pm_runtime_active",
    "pm_runtime_status_suspended",
    "pm_runtime_enabled",
];

/// Marks the reads in these functions.
pub fn mark_questions(module: &Module<'_>) {
    let info = DebugInfo::new(module);
    for i in instructions(module) {
        if matches!(i.opcode(), Some(LLVMOpcode::LLVMLoad)) && is_of(&info, i, ASK_FOR_POWER) {
            unsafe { LLVMSetVolatile(i.raw(), 1) };
        }
    }
}

/// Names globals that have none (sanitizers make them): what is generated refers to globals by name.
pub fn name_globals(module: &Module<'_>) {
    for global in globals(module).into_iter().chain(functions(module)) {
        if global.name().is_empty() {
            unsafe { LLVMSetValueName2(global.raw(), c"unnamed".as_ptr(), 7) };
        }
    }
}

/// Makes the dissolved unlocks calls.
pub fn restore_unlocks(module: &Module<'_>) {
    let builder = Builder::new(module);
    let info = DebugInfo::new(module);
    for i in instructions(module) {
        if !matches!(i.opcode(), Some(LLVMOpcode::LLVMStore))
            || unsafe { LLVMGetVolatile(i.raw()) } == 0
        {
            continue;
        }
        let zero_byte = i
            .operand(0)
            .is_some_and(|v| v.ty().int_bits() == 8 && v.int_value() == Some(0));
        if !zero_byte || !is_of(&info, i, UNLOCKS) {
            continue;
        }
        if let Some(lock) = i.operand(1) {
            builder.before(i);
            builder.call("_raw_spin_unlock", builder.void_type(), &[lock]);
            replace(i, None);
        }
    }
}

/// The inline functions that begin and end a section of RCU in a kernel without preemption (`include/linux/rcupdate.h`), and the model that
/// each is then: what is left of them is `barrier()`.
const SECTIONS: &[(&str, &str)] = &[
    ("__rcu_read_lock", "__irkiss_section_begin"),
    ("__rcu_read_unlock", "__irkiss_section_end"),
];

/// Makes the barriers that are left of sections of RCU calls.
pub fn restore_read_sections(module: &Module<'_>) {
    let builder = Builder::new(module);
    let info = DebugInfo::new(module);
    for i in instructions(module) {
        let Some((text, _)) = i.callee().and_then(Val::inline_asm) else {
            continue;
        };
        if !text.is_empty() {
            continue;
        }
        let Some(function) = info.function_of(i) else {
            continue;
        };
        if let Some((_, model)) = SECTIONS.iter().find(|(name, _)| *name == function) {
            builder.before(i);
            builder.call(model, builder.void_type(), &[]);
            replace(i, None);
        }
    }
}

/// Makes the dissolved computations of a page's address calls.
pub fn restore_page_addresses(module: &Module<'_>) {
    let builder = Builder::new(module);
    let info = DebugInfo::new(module);
    // The function itself has a model.
    let all = functions(module)
        .into_iter()
        .filter(|f| f.name() != "lowmem_page_address");
    for i in all.flat_map(Val::blocks).flat_map(|b| b.instructions()) {
        if !matches!(i.opcode(), Some(LLVMOpcode::LLVMIntToPtr))
            || !is_of(&info, i, &["lowmem_page_address"])
        {
            continue;
        }
        if let Some(page) = i.operand(0).and_then(numbered_page) {
            builder.before(i);
            let model = "irkiss_model__lowmem_page_address";
            replace(i, Some(builder.call(model, builder.ptr_type(), &[page])));
        }
    }
}

/// The page of whose number an address is made: `((page - vmemmap) << …) + …`, whatever the machine (`page_to_pfn`, `__va`).
fn numbered_page(address: Val<'_>) -> Option<Val<'_>> {
    let mut work = vec![address];
    for _ in 0..MAX_STEPS {
        let at = work.pop()?;
        match at.opcode() {
            // The map of pages is taken off, the page stands first.
            Some(LLVMOpcode::LLVMPtrToInt) => return at.operand(0),
            Some(
                LLVMOpcode::LLVMSub
                | LLVMOpcode::LLVMShl
                | LLVMOpcode::LLVMLShr
                | LLVMOpcode::LLVMAShr
                | LLVMOpcode::LLVMSDiv
                | LLVMOpcode::LLVMMul
                | LLVMOpcode::LLVMAnd,
            ) => work.extend(at.operand(0)),
            Some(LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMOr) => {
                work.extend(at.operand(1));
                work.extend(at.operand(0));
            }
            _ => {}
        }
    }
    None
}

/// How far an address is followed to the page.
const MAX_STEPS: usize = 16;

/// What the inline functions keep count of: memory of one processor each (`include/asm-generic/mmiowb.h`), at an address that
/// cannot be followed.
const BARRIERS: &[&str] = &[
    "mmiowb_set_pending",
    "mmiowb_spin_lock",
    "mmiowb_spin_unlock",
];

/// Takes out the accesses by which dissolved functions note, for this processor, that it has written to a device.
pub fn forget_write_barriers(module: &Module<'_>) {
    let builder = Builder::new(module);
    let info = DebugInfo::new(module);
    for i in instructions(module) {
        let loads = match i.opcode() {
            Some(LLVMOpcode::LLVMLoad) => true,
            Some(LLVMOpcode::LLVMStore) => false,
            _ => continue,
        };
        if !is_of(&info, i, BARRIERS) {
            continue;
        }
        builder.before(i);
        let value = loads
            .then(|| builder.convert(builder.nondet(64), i.ty(), false))
            .flatten();
        if loads == value.is_some() {
            replace(i, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    fn after(text: &str, work: impl Fn(&Module<'_>)) -> String {
        let context = inkwell::context::Context::create();
        let module = parse(&context, text.as_bytes(), "t.ll").unwrap();
        work(&module);
        module.verify().unwrap();
        module.print_to_string().to_string()
    }

    #[test]
    fn the_dissolved_address_of_a_page_becomes_a_call() {
        let text = |function: &str| {
            after(
                &format!(
                    "@vmemmap_base = external global i64
                     @page_offset_base = external global i64
                     define ptr @f(ptr %page) !dbg !4 {{
                       %base = load i64, ptr @vmemmap_base, !dbg !7
                       %n = ptrtoint ptr %page to i64, !dbg !7
                       %d = sub i64 %n, %base, !dbg !7
                       %s = shl i64 %d, 6, !dbg !7
                       %o = load i64, ptr @page_offset_base, !dbg !7
                       %a = add i64 %o, %s, !dbg !7
                       %p = inttoptr i64 %a to ptr, !dbg !7
                       ret ptr %p
                     }}
                     !llvm.dbg.cu = !{{!0}}
                     !llvm.module.flags = !{{!9}}
                     !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
                     !1 = !DIFile(filename: \"t.c\", directory: \"\")
                     !2 = !DISubroutineType(types: !3)
                     !3 = !{{}}
                     !4 = distinct !DISubprogram(name: \"f\", file: !1, unit: !0, type: !2, spFlags: DISPFlagDefinition)
                     !5 = distinct !DISubprogram(name: \"{function}\", file: !1, unit: !0, type: !2, spFlags: DISPFlagDefinition)
                     !7 = !DILocation(line: 1, scope: !5, inlinedAt: !8)
                     !8 = !DILocation(line: 2, scope: !4)
                     !9 = !{{i32 2, !\"Debug Info Version\", i32 3}}"
                ),
                restore_page_addresses,
            )
        };
        let called = text("lowmem_page_address");
        assert!(
            called.contains("call ptr @irkiss_model__lowmem_page_address(ptr %page)"),
            "{called}"
        );
        assert!(text("__va").contains("inttoptr"));
    }

    #[test]
    fn questions_about_power_are_marked() {
        let text = after(
            "define i32 @pm_runtime_active(ptr %p) !dbg !4 {
               %x = load i32, ptr %p, !dbg !6
               ret i32 %x
             }
             define i32 @g(ptr %p) !dbg !5 {
               %y = load i32, ptr %p, !dbg !7
               ret i32 %y
             }
             !llvm.dbg.cu = !{!0}
             !llvm.module.flags = !{!8}
             !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
             !1 = !DIFile(filename: \"t.c\", directory: \"\")
             !2 = !DISubroutineType(types: !3)
             !3 = !{}
             !4 = distinct !DISubprogram(name: \"pm_runtime_active\", file: !1, unit: !0, type: !2, spFlags: DISPFlagDefinition)
             !5 = distinct !DISubprogram(name: \"g\", file: !1, unit: !0, type: !2, spFlags: DISPFlagDefinition)
             !6 = !DILocation(line: 1, scope: !4)
             !7 = !DILocation(line: 2, scope: !5)
             !8 = !{i32 2, !\"Debug Info Version\", i32 3}",
            mark_questions,
        );
        assert!(
            text.contains("%x = load volatile i32") && text.contains("%y = load i32"),
            "{text}"
        );
    }

    #[test]
    fn the_store_of_a_dissolved_unlock_becomes_a_call() {
        let text = after(
            "define void @f(ptr %lock) !dbg !4 {
               store volatile i8 0, ptr %lock, !dbg !7
               store volatile i8 0, ptr %lock, !dbg !8
               store volatile i8 1, ptr %lock, !dbg !7
               ret void
             }
             !llvm.dbg.cu = !{!0}
             !llvm.module.flags = !{!2}
             !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
             !1 = !DIFile(filename: \"a.c\", directory: \"\")
             !2 = !{i32 2, !\"Debug Info Version\", i32 3}
             !3 = !DISubroutineType(types: !{null})
             !4 = distinct !DISubprogram(name: \"f\", file: !1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
             !5 = distinct !DISubprogram(name: \"queued_spin_unlock\", file: !1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
             !6 = distinct !DILexicalBlock(scope: !5, file: !1, line: 1)
             !7 = !DILocation(line: 1, scope: !6, inlinedAt: !8)
             !8 = !DILocation(line: 2, scope: !4)",
            restore_unlocks,
        );
        assert_eq!(
            text.matches("call void @_raw_spin_unlock(ptr %lock)")
                .count(),
            1,
            "{text}"
        );
        assert_eq!(text.matches("store volatile i8").count(), 2);
    }
}
