//! What the source says of races that are meant: `data_race(…)`, and functions that race detectors do not watch.
//!
//! `data_race(…)` (`include/linux/compiler.h`) leaves calls of `__kcsan_disable_current` and `__kcsan_enable_current`: what stands
//! between them is silenced, with the functions called there, which are inlined for this. In a kernel without KCSAN both are empty
//! inline functions, of which -O2 leaves nothing.
//!
//! `__no_kcsan` and `__no_sanitize_thread` are an attribute where the kernel is built for KCSAN, and otherwise nothing; `irkiss kbuild`
//! makes them the annotation `no_kcsan`.
//!
//! The flags by which macros do something once (`WARN_ONCE`, `printk_once`, `net_ratelimit`'s; include/linux/once_lite.h:
//! `__ONCE_LITE_IF`) are read and set without a lock wherever the macro stands, on purpose: who comes first does it, and two who come at the
//! same time both do, which nobody minds. They are told by the section that the macros put them in.

use std::collections::BTreeMap;

use inkwell::module::Module;
use llvm_sys::core::*;

use super::checked::USED;
use super::models;
use crate::frontend::decode::MODEL_ATTRIBUTE;
use crate::frontend::harness::identity::KEEP;
use crate::frontend::llvm::prepare::run;
use crate::frontend::llvm::raw::{LLVMOpcode, LLVMValueKind, Val, functions, globals};
use crate::frontend::sequentialize::silence;
use crate::program::Silencer;

/// String attribute of functions that are not watched.
const UNWATCHED: &str = "irkiss-no-kcsan";

/// The annotation that means the same.
const NO_KCSAN: &str = "no_kcsan";

/// The sections of the flags of macros that do something once: in Linux 6.1, and since 6.13.
const ONCE: &[&str] = &[".data.once", ".data..once"];

/// Functions of the models that read and write for the kernel's own code.
const CORE: &[&str] = &[
    "__irkiss_core_reads",
    "__irkiss_core_writes",
    "__irkiss_core_fills",
    "__irkiss_needs_below",
];

/// Calls within calls that are inlined into `data_race(…)`.
const DEPTH: u32 = 8;

/// Blocks of a function that is inlined, at most.
const MAX_BLOCKS: usize = 32;

/// Notes which functions are not watched, and takes the annotations out: they would be taken for uses of what they annotate.
pub fn note_unwatched(module: &Module<'_>) {
    let all = functions(module);
    let defined = || all.iter().copied().filter(|f| !f.is_declaration());
    // Code that is built for a race detector: the functions that have the attribute are those that it watches.
    let watched = |f: Val<'_>| has_attribute(f, "sanitize_thread");
    let built_for = defined().any(watched);
    for f in defined() {
        let left_out = has_attribute(f, "disable_sanitizer_instrumentation");
        if left_out || built_for && !watched(f) {
            models::mark(f, UNWATCHED);
        }
    }
    for annotations in globals(module) {
        if annotations.name() != "llvm.global.annotations" {
            continue;
        }
        let entries = unsafe { Val::maybe(LLVMGetInitializer(annotations.raw())) };
        for entry in entries.into_iter().flat_map(operands) {
            let parts: Vec<_> = operands(entry).collect();
            if let [of, text, ..] = parts.as_slice()
                && string(*text).as_deref() == Some(NO_KCSAN)
                && of.kind() == LLVMValueKind::LLVMFunctionValueKind
            {
                models::mark(*of, UNWATCHED);
            }
        }
        unsafe { LLVMDeleteGlobal(annotations.raw()) };
    }
}

fn operands(value: Val<'_>) -> impl Iterator<Item = Val<'_>> {
    (0..value.operand_count()).filter_map(move |n| value.operand(n))
}

/// The text of a constant string that a global holds.
fn string(global: Val<'_>) -> Option<String> {
    if global.kind() != LLVMValueKind::LLVMGlobalVariableValueKind {
        return None;
    }
    unsafe {
        let value = Val::maybe(LLVMGetInitializer(global.raw()))?;
        if LLVMIsConstantString(value.raw()) == 0 {
            return None;
        }
        let mut len = 0;
        let text = LLVMGetAsString(value.raw(), &mut len);
        let bytes = std::slice::from_raw_parts(text.cast::<u8>(), len);
        let text = String::from_utf8_lossy(bytes);
        Some(text.trim_end_matches('\0').to_string())
    }
}

fn attribute_kind(name: &str) -> u32 {
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

fn has_attribute(function: Val<'_>, name: &str) -> bool {
    let (at, kind) = (llvm_sys::LLVMAttributeFunctionIndex, attribute_kind(name));
    unsafe { !LLVMGetEnumAttributeAtIndex(function.raw(), at, kind).is_null() }
}

/// Takes out what `ASSERT_EXCLUSIVE_BITS` checks, which is of some bits alone: no access is. What a report says of it, if there is any.
pub fn forget_masked_checks(module: &Module<'_>) -> Option<String> {
    let named = |i: Val<'_>, name: &str| {
        let callee = i.callee().map(Val::name).unwrap_or_default();
        callee.split('.').next() == Some(name)
    };
    let mut taken = 0;
    for block in functions(module).into_iter().flat_map(Val::blocks) {
        let mut masked = false;
        for i in block.instructions() {
            if named(i, "kcsan_set_access_mask") {
                let mask = i.call_args().first().and_then(|mask| mask.int_value());
                masked = mask != Some(0);
            } else if masked && named(i, "__kcsan_check_access") {
                unsafe { LLVMInstructionEraseFromParent(i.raw()) };
                taken += 1;
            }
        }
    }
    (taken > 0).then(|| {
        format!("ASSERT_EXCLUSIVE_BITS is not checked (in {taken} places): no access is told apart by bits")
    })
}

/// Silences the accesses that the source says it of. To be called once the models are linked: what has a model is none of the
/// input's accesses.
///
/// # Errors
/// A message if one of LLVM's passes fails.
pub fn silence_accesses(module: &Module<'_>) -> Result<(), String> {
    for depth in 0.. {
        let calls: Vec<Val<'_>> = regions(module)
            .into_iter()
            .filter(|i| may_be_inlined(*i))
            .collect();
        if depth == DEPTH || calls.is_empty() {
            break;
        }
        inline(module, &calls)?;
    }
    for i in regions(module) {
        silence_access(module, i, Silencer::DataRace);
    }
    let once = |g: &Val<'_>| g.section().is_some_and(|s| ONCE.contains(&s.as_str()));
    for flag in globals(module).into_iter().filter(once) {
        for i in flag.users().into_iter().filter(|i| accesses(*i, flag)) {
            silence(module, i, Silencer::Once);
        }
    }
    // What a registration hands over is kept while the harness sets up, before there are others.
    let kernels = |f: &Val<'_>| {
        let name = f.name();
        name == USED || name == KEEP || CORE.contains(&name.as_str())
    };
    for f in functions(module).into_iter().filter(kernels) {
        for i in f.blocks().into_iter().flat_map(|b| b.instructions()) {
            silence_access(module, i, Silencer::Kernel);
        }
    }
    let unwatched = |f: &Val<'_>| f.string_attribute(UNWATCHED).is_some();
    for f in functions(module).into_iter().filter(unwatched) {
        for i in f.blocks().into_iter().flat_map(|b| b.instructions()) {
            silence_access(module, i, Silencer::NoKcsan);
        }
    }
    Ok(())
}

/// Whether an instruction accesses that global itself.
fn accesses(i: Val<'_>, global: Val<'_>) -> bool {
    use LLVMOpcode::{LLVMAtomicCmpXchg, LLVMAtomicRMW, LLVMLoad, LLVMStore};
    let pointer = match i.opcode() {
        Some(LLVMLoad | LLVMAtomicRMW | LLVMAtomicCmpXchg) => i.operand(0),
        Some(LLVMStore) => i.operand(1),
        _ => None,
    };
    pointer == Some(global)
}

fn silence_access(module: &Module<'_>, i: Val<'_>, by: Silencer) {
    use LLVMOpcode::{LLVMAtomicCmpXchg, LLVMAtomicRMW, LLVMCall, LLVMLoad, LLVMStore};
    if let Some(LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMCall) = i.opcode() {
        silence(module, i, by);
    }
}

/// The instructions within `data_race(…)`.
fn regions<'m>(module: &'m Module<'_>) -> Vec<Val<'m>> {
    const OFF: &[&str] = &["__kcsan_disable_current", "kcsan_disable_current"];
    const ON: &[&str] = &["__kcsan_enable_current", "kcsan_enable_current"];
    // Linking numbers the copies of an inline function.
    let calls = |i: Val<'_>, names: &[&str]| {
        let name = i.callee().map(Val::name).unwrap_or_default();
        names.contains(&name.split('.').next().unwrap_or_default())
    };
    let used = |f: &Val<'_>| {
        let mut all = f.blocks().into_iter().flat_map(|b| b.instructions());
        all.any(|i| calls(i, OFF))
    };
    let mut within = Vec::new();
    for function in functions(module).into_iter().filter(used) {
        let blocks = function.blocks();
        // Depth at the start of each block, as far as it was reached.
        let mut starts = BTreeMap::from([(blocks[0].raw() as usize, 0u32)]);
        let mut work = vec![blocks[0]];
        while let Some(block) = work.pop() {
            let mut depth = starts[&(block.raw() as usize)];
            for i in block.instructions() {
                if calls(i, OFF) {
                    depth += 1;
                } else if calls(i, ON) {
                    depth = depth.saturating_sub(1);
                } else if depth > 0 {
                    within.push(i);
                }
            }
            for next in block.successors() {
                if starts.insert(next.raw() as usize, depth).is_none() {
                    work.push(next);
                }
            }
        }
    }
    within
}

/// Whether it is the call of a small function of the input's own.
fn may_be_inlined(i: Val<'_>) -> bool {
    let Some(callee) = i
        .callee()
        .filter(|_| i.opcode() == Some(LLVMOpcode::LLVMCall))
    else {
        return false;
    };
    callee.kind() == LLVMValueKind::LLVMFunctionValueKind
        && !callee.is_declaration()
        && callee.string_attribute(MODEL_ATTRIBUTE).is_none()
        && callee.blocks().len() <= MAX_BLOCKS
}

/// Inlines these calls and no others.
fn inline(module: &Module<'_>, calls: &[Val<'_>]) -> Result<(), String> {
    let at = llvm_sys::LLVMAttributeFunctionIndex;
    let [always, never] = ["alwaysinline", "noinline"].map(attribute_kind);
    unsafe {
        for f in functions(module) {
            for i in f.blocks().into_iter().flat_map(|b| b.instructions()) {
                if i.opcode() == Some(LLVMOpcode::LLVMCall) {
                    LLVMRemoveCallSiteEnumAttribute(i.raw(), at, always);
                }
            }
            // What it asked of a compiler, nobody else asks.
            LLVMRemoveEnumAttributeAtIndex(f.raw(), at, always);
        }
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let attribute = LLVMCreateEnumAttribute(context, always, 0);
        for call in calls {
            LLVMRemoveCallSiteEnumAttribute(call.raw(), at, never);
            LLVMAddCallSiteAttribute(call.raw(), at, attribute);
            if let Some(callee) = call.callee() {
                LLVMRemoveEnumAttributeAtIndex(callee.raw(), at, never);
            }
        }
    }
    run(module, "always-inline")
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
    fn accesses_within_data_race_are_silenced_and_so_are_those_of_what_is_called() {
        let text = after(
            "define internal void @__kcsan_disable_current() { ret void }
             define internal void @__kcsan_enable_current.3() { ret void }
             define internal i32 @read(ptr %p) noinline {
               %r = load i32, ptr %p
               ret i32 %r
             }
             define i32 @f(ptr %p, i1 %c) {
               call void @__kcsan_disable_current()
               br i1 %c, label %a, label %b
             a:
               %x = call i32 @read(ptr %p)
               br label %b
             b:
               call void @__kcsan_enable_current.3()
               %y = load i32, ptr %p
               %z = call i32 @read(ptr %p)
               ret i32 %y
             }",
            |module| silence_accesses(module).unwrap(),
        );
        assert_eq!(text.matches(", !irkiss.silenced").count(), 1, "{text}");
        assert!(
            text.contains("%r.i = load i32, ptr %p, align 4, !irkiss.silenced"),
            "{text}"
        );
        assert!(text.contains("%z = call i32 @read"), "{text}");
    }

    #[test]
    fn flags_of_what_is_done_once() {
        let text = after(
            "@f.__already_done = internal global i8 0, section \".data.once\"
             @g.__already_done = internal global i8 0
             @kept = internal global ptr null
             define void @f() {
               %x = load i8, ptr @f.__already_done
               store i8 1, ptr @f.__already_done
               %y = load i8, ptr @g.__already_done
               store ptr @f.__already_done, ptr @kept
               ret void
             }",
            |module| silence_accesses(module).unwrap(),
        );
        assert_eq!(text.matches(", !irkiss.silenced").count(), 2, "{text}");
    }

    #[test]
    fn functions_that_are_not_watched() {
        let silenced = |text: &str| {
            let text = after(text, |module| {
                note_unwatched(module);
                silence_accesses(module).unwrap();
            });
            (
                text.matches(", !irkiss.silenced").count(),
                text.contains("llvm.global.annotations"),
            )
        };
        let f = |attribute: &str| {
            format!("define i32 @f(ptr %p) {attribute} {{ %x = load i32, ptr %p ret i32 %x }}\n")
        };
        let g = "define i32 @g(ptr %p) sanitize_thread { %x = load i32, ptr %p ret i32 %x }";
        assert_eq!(silenced(&f("")), (0, false));
        assert_eq!(
            silenced(&f("disable_sanitizer_instrumentation")),
            (1, false)
        );
        assert_eq!(silenced(&(f("") + g)), (1, false));
        let annotation = "@t = private constant [9 x i8] c\"no_kcsan\\00\", section \"llvm.metadata\"
             @llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }]
               [{ ptr, ptr, ptr, i32, ptr } { ptr @f, ptr @t, ptr @t, i32 3, ptr null }], section \"llvm.metadata\"\n";
        assert_eq!(silenced(&(annotation.to_string() + &f(""))), (1, false));
    }
}
