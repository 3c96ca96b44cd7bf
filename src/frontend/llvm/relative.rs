//! Tables of relative addresses, which a compiler of position-independent code makes of tables of pointers that it only reads
//! (LLVM: RelLookupTableConverterPass; `llvm.load.relative`), become tables of pointers again: what an entry leads to is its address here.

use inkwell::module::Module;
use llvm_sys::LLVMOpcode::{LLVMPtrToInt, LLVMSub, LLVMTrunc};
use llvm_sys::core::*;

use super::build::{Builder, replace};
use super::raw::{LLVMOpcode, LLVMValueKind, Val, globals, instructions};

/// The intrinsic that reads an entry.
const READ: &str = "llvm.load.relative.";

/// Bytes of an entry there; a pointer has twice as many.
const ENTRY: u32 = 4;

/// Puts tables of pointers in their places.
pub(super) fn restore_pointers(module: &Module<'_>) {
    let builder = Builder::new(module);
    for table in globals(module) {
        let reads = reads_of(module, table);
        if reads.is_empty() {
            continue;
        }
        let Some(targets) = targets(table) else {
            continue;
        };
        let pointers = pointers(module, &builder, table, &targets);
        for read in reads {
            let Some(offset) = read.call_args().get(1).copied() else {
                continue;
            };
            builder.before(read);
            let wide = builder.convert(offset, builder.int_type(64), true);
            let Some(wide) = wide else { continue };
            let twice = builder.binary(LLVMOpcode::LLVMShl, wide, builder.int(64, 1));
            let place = builder.offset(pointers, twice);
            let entry = builder.load(builder.ptr_type(), place, false);
            replace(read, Some(entry));
        }
    }
}

/// The calls that read a table from its beginning on.
fn reads_of<'m>(module: &'m Module<'_>, table: Val<'m>) -> Vec<Val<'m>> {
    let is_read = |i: &Val<'m>| {
        i.intrinsic_name()
            .is_some_and(|name| name.starts_with(READ))
    };
    let of_table = |i: &Val<'m>| i.call_args().first() == Some(&table);
    instructions(module)
        .filter(is_read)
        .filter(of_table)
        .collect()
}

/// Where the entries of a table lead; `None`: it is none of relative addresses.
fn targets<'m>(table: Val<'m>) -> Option<Vec<Val<'m>>> {
    if table.is_declaration() {
        return None;
    }
    let (entry, count) = table.global_type().elements()?;
    if entry.int_bits() != 8 * ENTRY {
        return None;
    }
    let content = unsafe { Val::maybe(LLVMGetInitializer(table.raw())) }?;
    let entries = (0..u32::try_from(count).ok()?).map(|n| target(content.operand(n)?, table));
    entries.collect()
}

/// Where one leads: its distance from the table, cut to its bytes.
fn target<'m>(entry: Val<'m>, table: Val<'m>) -> Option<Val<'m>> {
    let distance = of(entry, LLVMTrunc)?.operand(0)?;
    let distance = of(distance, LLVMSub)?;
    let from = of(distance.operand(1)?, LLVMPtrToInt)?.operand(0)?;
    let to = of(distance.operand(0)?, LLVMPtrToInt)?.operand(0)?;
    (from == table).then_some(to)
}

/// A constant expression, if it is one of that kind.
fn of(value: Val<'_>, kind: llvm_sys::LLVMOpcode) -> Option<Val<'_>> {
    let expression = value.kind() == LLVMValueKind::LLVMConstantExprValueKind;
    let is = || unsafe { LLVMGetConstOpcode(value.raw()) } == kind;
    (expression && is()).then_some(value)
}

/// The table of pointers in the place of that one.
fn pointers<'m>(
    module: &'m Module<'_>,
    builder: &Builder<'m>,
    table: Val<'m>,
    targets: &[Val<'m>],
) -> Val<'m> {
    let mut values: Vec<_> = targets.iter().map(|t| t.raw()).collect();
    let name = std::ffi::CString::new(table.name()).unwrap_or_default();
    let pointer = builder.ptr_type().raw();
    unsafe {
        let count = values.len() as u64;
        let content = LLVMConstArray2(pointer, values.as_mut_ptr(), count);
        let ty = LLVMTypeOf(content);
        let made = LLVMAddGlobal(module.as_mut_ptr(), ty, name.as_ptr());
        LLVMSetInitializer(made, content);
        LLVMSetGlobalConstant(made, 1);
        LLVMSetLinkage(made, llvm_sys::LLVMLinkage::LLVMPrivateLinkage);
        Val::new(made)
    }
}
