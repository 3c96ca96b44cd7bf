//! The run time of a sequential program, linked into the module that is to become one.

use inkwell::attributes::AttributeLoc;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};

use super::SequentializeError;
use super::faults;
use super::sites::RUNTIME_ATTRIBUTE;
use crate::frontend::decode::MODEL_ATTRIBUTE;
use crate::frontend::llvm::load::adopt_flags;

/// How the name of the function ends that starts the check from the state after initialisation: only drivers have one.
const PAIR_START: &[u8] = b"_pair_main";

/// Links the run time in, its locals in registers, its functions marked and kept out of line.
pub(super) fn link(module: &Module<'_>, bitcode: &[u8]) -> Result<(), SequentializeError> {
    let bad = |what: String| SequentializeError::Runtime(what);
    let context = module.get_context();
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "runtime");
    let runtime =
        Module::parse_bitcode_from_buffer(&buffer, context).map_err(|e| bad(e.to_string()))?;
    // A rollback restores memory: what the run time carries over it must be in registers.
    promote(&runtime)?;
    let own = [RUNTIME_ATTRIBUTE, MODEL_ATTRIBUTE];
    let noinline = inkwell::attributes::Attribute::get_named_enum_kind_id("noinline");
    for function in runtime
        .get_functions()
        .filter(|f| f.count_basic_blocks() > 0)
    {
        for name in own {
            let attribute = context.create_string_attribute(name, "");
            function.add_attribute(AttributeLoc::Function, attribute);
        }
        let attribute = context.create_enum_attribute(noinline, 0);
        function.add_attribute(AttributeLoc::Function, attribute);
    }
    faults::in_runtime(&runtime)?;
    // The run time's code depends on byte order and pointer size only, and is chosen by them.
    runtime.set_triple(&module.get_triple());
    runtime.set_data_layout(&module.get_data_layout());
    adopt_flags(&runtime, module);
    let has_pair = module
        .get_function("__irkiss_pair_main")
        .is_some_and(|f| f.count_basic_blocks() > 0);
    let start = runtime
        .get_functions()
        .find(|f| f.count_basic_blocks() > 0 && f.get_name().to_bytes().ends_with(PAIR_START));
    if let Some(start) = start.filter(|_| !has_pair) {
        unsafe { start.delete() };
    }
    module
        .link_in_module(runtime)
        .map_err(|e| bad(e.to_string()))
}

fn promote(runtime: &Module<'_>) -> Result<(), SequentializeError> {
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = LLVMRunPasses(
            runtime.as_mut_ptr(),
            c"function(mem2reg)".as_ptr(),
            std::ptr::null_mut(),
            options,
        );
        LLVMDisposePassBuilderOptions(options);
        if !error.is_null() {
            llvm_sys::error::LLVMConsumeError(error);
            return Err(SequentializeError::Runtime("mem2reg failed".to_string()));
        }
    }
    let in_memory = runtime
        .get_functions()
        .flat_map(|f| f.get_basic_block_iter())
        .flat_map(|b| b.get_instructions())
        .any(|i| i.get_opcode() == inkwell::values::InstructionOpcode::Alloca);
    if in_memory {
        return Err(SequentializeError::Runtime(
            "a local variable is in memory".to_string(),
        ));
    }
    Ok(())
}
