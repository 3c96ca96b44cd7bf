//! Accesses at addresses that are numbers in the program: registers of devices, and the low core of s390.
//!
//! A device register at a fixed place is read and written through volatile accesses (and inline assembly, which has become such
//! accesses by then): what is read is arbitrary, what is written is lost, as with `readl` and `writel`. The low core is memory of
//! each processor from address 0 (arch/s390/include/asm/lowcore.h): no thread sees another's, so that what is read is arbitrary
//! too, but for the current task. Other accesses at fixed addresses stay as they are: they end their path.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::{LLVMGetFirstUse, LLVMGetGEPSourceElementType, LLVMGetVolatile};
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMTargetDataRef,
};

use super::build::{Builder, replace};
use super::debug_info::{DebugInfo, Md};
use super::load::target_of;
use super::raw::{LLVMOpcode, LLVMValueKind, Ty, Val, instructions};

/// Below, there is no device, but null with the offset of a field.
const FIRST_PAGE: u64 = 4096;

/// Size and the place of the current task in the low core, in bytes; 0 and none if the input does not have it.
#[derive(Clone, Copy, Debug, Default)]
struct LowCore {
    size: u64,
    task: Option<u64>,
}

impl LowCore {
    /// Of the debug info. The struct is no variable's: pointers to it are what casts name.
    fn of(module: &Module<'_>) -> Self {
        let is_core = |t: &Md<'_>| t.type_name() == "lowcore";
        let found = DebugInfo::new(module)
            .retained_types(module)
            .into_iter()
            .flat_map(|t| [Some(t), t.base_type()])
            .flatten()
            .find(is_core);
        found.map_or_else(LowCore::default, |core| LowCore {
            size: core.type_bits() / 8,
            task: core
                .elements()
                .into_iter()
                .find(|m| m.type_name() == "current_task")
                .map(|m| m.offset_bits() / 8),
        })
    }
}

/// Replaces them. Run it after inline assembly has been lowered.
pub fn lower_fixed_addresses(module: &Module<'_>) {
    let builder = Builder::new(module);
    let data = unsafe { LLVMGetModuleDataLayout(module.as_mut_ptr()) };
    let low = match target_of(module).0.starts_with("s390") {
        true => LowCore::of(module),
        false => LowCore::default(),
    };
    for i in instructions(module) {
        let loads = match i.opcode() {
            Some(LLVMOpcode::LLVMLoad) => true,
            Some(LLVMOpcode::LLVMStore) => false,
            _ => continue,
        };
        let Some(pointer) = i.operand(if loads { 0 } else { 1 }) else {
            continue;
        };
        let address = fixed_address(data, pointer);
        let own = address.is_some_and(|a| a < low.size);
        let device = match address {
            Some(address) => address >= FIRST_PAGE,
            None => is_counted(data, pointer),
        } && unsafe { LLVMGetVolatile(i.raw()) } != 0;
        if !own && !device {
            continue;
        }
        builder.before(i);
        if !loads || unsafe { LLVMGetFirstUse(i.raw()) }.is_null() {
            replace(i, None);
            continue;
        }
        let value = if own && low.task == address {
            builder.call("__irkiss_current", builder.ptr_type(), &[])
        } else {
            builder.nondet(64)
        };
        if let Some(value) = builder.convert(value, i.ty(), false) {
            replace(i, Some(value));
        }
    }
}

/// On m68k a device's registers are read by volatile accesses like any other: those of one or two bytes become calls of models
/// that know which memory is a device's (`__irkiss_read_8`).
pub fn name_register_reads(module: &Module<'_>) {
    if !target_of(module).0.starts_with("m68k") {
        return;
    }
    let builder = Builder::new(module);
    for i in instructions(module) {
        let bits = i.ty().int_bits();
        if !matches!(i.opcode(), Some(LLVMOpcode::LLVMLoad))
            || !matches!(bits, 8 | 16)
            || unsafe { LLVMGetVolatile(i.raw()) } == 0
        {
            continue;
        }
        let Some(pointer) = i.operand(0) else {
            continue;
        };
        builder.before(i);
        let name = format!("__irkiss_read_{bits}");
        let value = builder.call(&name, builder.int_type(bits), &[pointer]);
        replace(i, Some(value));
    }
}

/// Time goes on: what reads `jiffies` (include/linux/jiffies.h), which no code of the input writes, asks the model of the clock.
pub fn name_time(module: &Module<'_>) {
    let builder = Builder::new(module);
    for i in instructions(module) {
        let bits = i.ty().int_bits();
        if !matches!(i.opcode(), Some(LLVMOpcode::LLVMLoad)) || !matches!(bits, 32 | 64) {
            continue;
        }
        let Some(pointer) = i.operand(0) else {
            continue;
        };
        if !matches!(pointer.kind(), LLVMValueKind::LLVMGlobalVariableValueKind)
            || !pointer.is_declaration()
            || !matches!(pointer.name().as_str(), "jiffies" | "jiffies_64")
        {
            continue;
        }
        builder.before(i);
        let name = format!("__irkiss_jiffies_{bits}");
        let value = builder.call(&name, builder.int_type(bits), &[]);
        replace(i, Some(value));
    }
}

/// On m68k the current task is in a register (arch/m68k/include/asm/current.h).
pub fn name_current_task(module: &Module<'_>) {
    if !target_of(module).0.starts_with("m68k") {
        return;
    }
    let builder = Builder::new(module);
    for i in instructions(module) {
        let register = i.named_register().unwrap_or_default();
        if register.trim_start_matches('%') != "a2" {
            continue;
        }
        builder.before(i);
        let task = builder.call("__irkiss_current", builder.ptr_type(), &[]);
        if let Some(value) = builder.convert(task, i.ty(), false) {
            replace(i, Some(value));
        }
    }
}

/// The address, if it is a number in the program.
fn fixed_address(data: LLVMTargetDataRef, pointer: Val<'_>) -> Option<u64> {
    match pointer.kind() {
        LLVMValueKind::LLVMConstantPointerNullValueKind => Some(0),
        LLVMValueKind::LLVMConstantExprValueKind | LLVMValueKind::LLVMInstructionValueKind => {
            match pointer.opcode()? {
                LLVMOpcode::LLVMIntToPtr => pointer.operand(0)?.int_value()?.try_into().ok(),
                LLVMOpcode::LLVMGetElementPtr => {
                    let base = fixed_address(data, pointer.operand(0)?)?;
                    Some(base.wrapping_add(constant_offset(data, pointer)?))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether an address is a number that constants alone make: one of a range of registers.
fn is_counted(data: LLVMTargetDataRef, pointer: Val<'_>) -> bool {
    use LLVMOpcode::*;
    let is_address = |v: Val<'_>| v.ty().int_bits() == 0;
    let mut seen = vec![pointer];
    let mut next = 0;
    while let Some(value) = seen.get(next).copied() {
        next += 1;
        // Null and what is near it is no register.
        if is_address(value) && fixed_address(data, value).is_some_and(|a| a >= FIRST_PAGE) {
            continue;
        }
        match value.opcode() {
            Some(
                LLVMIntToPtr | LLVMGetElementPtr | LLVMPHI | LLVMAdd | LLVMSub | LLVMOr | LLVMShl
                | LLVMZExt | LLVMSExt | LLVMTrunc,
            ) => {}
            _ => return false,
        }
        for operand in (0..value.operand_count()).filter_map(|n| value.operand(n)) {
            if operand.int_value().is_none() && !seen.contains(&operand) {
                seen.push(operand);
            }
        }
    }
    true
}

/// What a `getelementptr` with constant indices adds, in bytes.
fn constant_offset(data: LLVMTargetDataRef, gep: Val<'_>) -> Option<u64> {
    let mut at = unsafe { Ty::new(LLVMGetGEPSourceElementType(gep.raw())) };
    let mut offset = 0u64;
    for n in 1..gep.operand_count() {
        let index = gep.operand(n)?;
        let (bits, value) = (index.ty().int_bits(), index.int_value()?);
        if n > 1 && at.kind() == LLVMTypeKind::LLVMStructTypeKind {
            let field = u32::try_from(value).ok()?;
            offset = offset.wrapping_add(unsafe { LLVMOffsetOfElement(data, at.raw(), field) });
            at = *at.fields().get(field as usize)?;
            continue;
        }
        if n > 1 {
            at = at.elements()?.0;
        }
        if !(1..=64).contains(&bits) || !at.is_sized() {
            return None;
        }
        let shift = 64 - bits;
        let step = ((u64::try_from(value).ok()? << shift) as i64) >> shift;
        let stride = unsafe { LLVMABISizeOfType(data, at.raw()) };
        offset = offset.wrapping_add((step as u64).wrapping_mul(stride));
    }
    Some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    fn lowered(triple: &str, body: &str) -> String {
        let context = inkwell::context::Context::create();
        let text = format!(
            "target triple = \"{triple}\"
             !llvm.dbg.cu = !{{!0}}
             !llvm.module.flags = !{{!2}}
             !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug, retainedTypes: !{{!3}})
             !1 = !DIFile(filename: \"a.c\", directory: \"\")
             !2 = !{{i32 2, !\"Debug Info Version\", i32 3}}
             !3 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)
             !4 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"lowcore\", file: !1, size: 65536, elements: !{{!5}})
             !5 = !DIDerivedType(tag: DW_TAG_member, name: \"current_task\", scope: !4, file: !1, baseType: !3, size: 64, offset: 6464)
             %low = type {{ [800 x i8], i32, ptr }}
             declare ptr @__irkiss_current()
             declare void @use(ptr)
             define void @f(ptr %p) {{\n {body}\n ret void }}"
        );
        let module = parse(&context, text.as_bytes(), "t.ll").expect("parses");
        lower_fixed_addresses(&module);
        module.verify().expect("valid");
        module.print_to_string().to_string()
    }

    #[test]
    fn a_register_at_a_fixed_place_is_a_device() {
        let text = lowered(
            "x86_64-unknown-linux-gnu",
            "%x = load volatile i8, ptr inttoptr (i64 2690609176 to ptr)
             store volatile i8 %x, ptr inttoptr (i64 2690609180 to ptr)
             %unused = load volatile i8, ptr inttoptr (i64 2690609176 to ptr)
             store i8 %x, ptr inttoptr (i64 2690609181 to ptr)
             store volatile i8 %x, ptr inttoptr (i64 16 to ptr)",
        );
        assert_eq!(text.matches("call i64 @__irkiss_nondet_u64").count(), 1);
        assert!(
            !text.contains("load volatile") && !text.contains("2690609180"),
            "{text}"
        );
        // An unmarked access is none of a device's, and what is near null is null.
        assert!(
            text.contains("2690609181") && text.contains("i64 16 to ptr"),
            "{text}"
        );
    }

    #[test]
    fn a_range_of_registers_is_a_device() {
        let text = lowered(
            "x86_64-unknown-linux-gnu",
            "br label %next
             next:
             %n = phi i64 [ 2684354560, %0 ], [ %m, %next ]
             %r = inttoptr i64 %n to ptr
             %x = load volatile i32, ptr %r
             %i = ptrtoint ptr %p to i64
             %j = add i64 %i, %n
             %q = inttoptr i64 %j to ptr
             %y = load volatile i32, ptr %q
             %g = getelementptr i8, ptr inttoptr (i64 2684354560 to ptr), i64 %n
             %z = load volatile i32, ptr %g
             %h = getelementptr i8, ptr null, i64 %n
             %w = load volatile i32, ptr %h
             %m = add i64 %n, 4
             %c = icmp ult i64 %m, 2686451712
             br i1 %c, label %next, label %done
             done:",
        );
        assert_eq!(text.matches("load volatile").count(), 2, "{text}");
    }

    #[test]
    fn reads_of_registers_on_m68k_are_calls() {
        let context = inkwell::context::Context::create();
        let read = |triple: &str| {
            let text = format!(
                "target triple = \"{triple}\"
                 define i8 @f(ptr %p) {{
                   %a = load volatile i8, ptr %p
                   %b = load volatile i16, ptr %p
                   %c = load volatile i32, ptr %p
                   %d = load i8, ptr %p
                   ret i8 %a
                 }}"
            );
            let module = parse(&context, text.as_bytes(), "t.ll").expect("parses");
            name_register_reads(&module);
            module.verify().expect("valid");
            module.print_to_string().to_string()
        };
        let text = read("m68k-linux-gnu");
        assert!(text.contains("call i8 @__irkiss_read_8(ptr %p)"), "{text}");
        assert!(text.contains("call i16 @__irkiss_read_16(ptr %p)"));
        assert!(text.contains("load volatile i32") && text.contains("load i8"));
        assert_eq!(read("x86_64-linux-gnu").matches("load volatile").count(), 3);
    }

    #[test]
    fn the_current_task_of_m68k_is_the_threads_own() {
        let context = inkwell::context::Context::create();
        let read = |register: &str| {
            let text = format!(
                "target triple = \"m68k-linux-gnu\"
                 define i32 @f() {{
                   %a = call i32 @llvm.read_register.i32(metadata !0)
                   ret i32 %a
                 }}
                 declare i32 @llvm.read_register.i32(metadata)
                 !0 = !{{!\"{register}\"}}"
            );
            let module = parse(&context, text.as_bytes(), "t.ll").expect("parses");
            name_current_task(&module);
            module.verify().expect("valid");
            module.print_to_string().to_string()
        };
        assert!(read("%a2").contains("call ptr @__irkiss_current()"));
        assert!(!read("sp").contains("__irkiss_current"));
    }

    #[test]
    fn the_low_core_is_of_each_processor() {
        let accesses = "%t = load i64, ptr getelementptr inbounds (%low, ptr null, i32 0, i32 2)
             %n = load i32, ptr inttoptr (i64 832 to ptr)
             store i32 %n, ptr getelementptr (%low, ptr null, i32 0, i32 1)
             %u = inttoptr i64 %t to ptr
             call void @use(ptr %u)";
        let text = lowered("s390x-ibm-linux-gnu", accesses);
        assert!(
            text.contains("call ptr @__irkiss_current()") && text.contains("@__irkiss_nondet_u64"),
            "{text}"
        );
        assert!(
            !text.contains("load ") && !text.contains("store "),
            "{text}"
        );
        let text = lowered("x86_64-unknown-linux-gnu", accesses);
        assert!(text.contains("load i64") && text.contains("store i32"));
    }
}
