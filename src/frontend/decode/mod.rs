//! From an LLVM module to the owned [`Program`].
//!
//! Every opcode and intrinsic is either lowered or becomes `Unsupported` with a
//! text; nothing is dropped that a run could notice. Aggregates are flattened,
//! address computations are in bytes, debug records become locations and types.
//!
//! What is deliberately not kept: alignment, no-wrap flags and poison (a poison
//! value is an arbitrary value), fast-math flags, memory orderings (sequential
//! consistency), fences, lifetime markers.

mod constants;
mod debug;
mod fields;
mod float;
mod function;
mod instruction;
mod intrinsics;
mod memory;
mod types;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

use self::debug::DebugTables;
use self::types::Layout;
use crate::assumption::Fixed;
use crate::config::Marked;
use crate::frontend::harness::Told;
use crate::frontend::llvm::debug_info::DebugInfo;
use crate::frontend::llvm::raw::{self, Val};
use crate::index::{DebugTypeId, FuncId, GlobalId, IdVec, LocId, SiteId};
use crate::program::{Function, Global, Primitive, Program, RuntimeMap, Site, Type};
use crate::source::SourceMap;

/// The metadata kind that carries site numbers: `!irkiss.site !{i32 N}`.
pub const SITE_METADATA: &str = "irkiss.site";

/// The metadata kind that tells a call through a field which functions of the input stand there: `!irkiss.own !{ptr @f, …}`.
pub const OWN_METADATA: &str = "irkiss.own";
/// One that marks functions of which nothing is known.
pub const OUTSIDE_ATTRIBUTE: &str = "irkiss-outside";
/// The function attribute that lists what a model fixes: codes of [`Fixed`], with commas between.
pub const ASSUMES_ATTRIBUTE: &str = "irkiss-assumes";
/// The function attribute of what gives any answer although the real function's follows from what it is given.
pub const ANY_ANSWER_ATTRIBUTE: &str = "irkiss-any-answer";
/// Marks functions that run what comes by itself: handlers of signals.
pub const INTERRUPTS_ATTRIBUTE: &str = "irkiss-interrupts";
/// The function attribute that marks the tool's own code.
pub const MODEL_ATTRIBUTE: &str = "irkiss-model";

/// What a decoded program shares with one decoded before it.
#[derive(Clone, Debug, Default)]
pub struct Seed {
    /// Locations already numbered; their numbers stay.
    pub source: SourceMap,
    /// The visible instructions. Missing locations are filled in.
    pub sites: IdVec<SiteId, Site>,
    /// Whether an index of an array stays within it, in the input's own code.
    pub indices: Indices,
    /// How marked accesses are read.
    pub marked: Marked,
}

/// How far an index of an array may lead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Indices {
    /// Anywhere in the object that the array is a part of.
    #[default]
    Object,
    /// Within the array, as it is declared.
    Declared,
}

/// Why a module cannot be decoded at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Pointers of other than 4 or 8 bytes.
    #[error("target with {0}-byte pointers is not supported")]
    PointerSize(u32),
    /// The text is no LLVM assembly.
    #[error("cannot parse LLVM assembly: {0}")]
    Parse(String),
}

/// Decodes a module.
///
/// # Errors
/// If the target's pointers have neither 4 nor 8 bytes. Everything else that cannot be expressed is in the program as
/// `Unsupported`.
pub fn decode(module: &Module<'_>, seed: Seed) -> Result<Program, DecodeError> {
    let layout = Layout::new(module);
    if !matches!(layout.pointer_bytes, 4 | 8) {
        return Err(DecodeError::PointerSize(layout.pointer_bytes));
    }
    let marked = seed.marked;
    let mut decoder = Decoder::new(module, layout, seed);
    decoder.declare(module);
    let mut globals = IdVec::new();
    for global in raw::globals(module) {
        let owned = decoder.global(global);
        globals.push(owned);
    }
    let mut functions = IdVec::new();
    for function in raw::functions(module) {
        let owned = decoder.function(function);
        functions.push(owned);
    }
    let runtime = RuntimeMap::of(&functions, &globals);
    let mut program = Program {
        layout: decoder.layout.facts(module, producer(module)),
        source: decoder.debug.source,
        globals,
        functions,
        debug_types: decoder.debug.types,
        sites: decoder.sites,
        marked,
        harness: Default::default(),
        runtime,
    };
    program.harness = Told::default().resolve(&program);
    fields::recover(&mut program, &decoder.bound_types);
    fields::name_sites(&mut program);
    Ok(program)
}

/// Parses LLVM assembly and decodes it: for tests and small tools. No pass runs over it.
///
/// # Errors
/// If the text does not parse, or as [`decode`].
pub fn decode_ll(text: &str) -> Result<Program, DecodeError> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "text.ll");
    let module = context
        .create_module_from_ir(buffer)
        .map_err(|e| DecodeError::Parse(e.to_string()))?;
    crate::frontend::llvm::load::assume_target(&module);
    module
        .verify()
        .map_err(|e| DecodeError::Parse(e.to_string()))?;
    decode(&module, Seed::default())
}

/// Who wrote the bitcode, from `!llvm.ident`.
fn producer(module: &Module<'_>) -> String {
    let nodes = module.get_global_metadata("llvm.ident");
    let first = nodes
        .first()
        .and_then(|node| node.get_node_values()?.into_iter().next());
    match first {
        Some(inkwell::values::BasicMetadataValueEnum::MetadataValue(v)) => v
            .get_string_value()
            .map(|s| String::from_utf8_lossy(s).into_owned())
            .unwrap_or_default(),
        _ => String::new(),
    }
}

/// Tables that the decoding of one module fills.
struct Decoder<'m> {
    layout: Layout,
    debug: DebugTables<'m>,
    site_kind: u32,
    own_kind: u32,
    global_ids: HashMap<Val<'m>, GlobalId>,
    function_ids: HashMap<Val<'m>, FuncId>,
    sites: IdVec<SiteId, Site>,
    indices: Indices,
    /// Types of the source variables that debug records bind to values: function, value, type.
    bound_types: fields::BoundTypes,
}

impl<'m> Decoder<'m> {
    fn new(module: &'m Module<'_>, layout: Layout, seed: Seed) -> Self {
        Decoder {
            layout,
            debug: DebugTables::new(DebugInfo::new(module), seed.source),
            site_kind: raw::metadata_kind(module, SITE_METADATA),
            own_kind: raw::metadata_kind(module, OWN_METADATA),
            global_ids: HashMap::new(),
            function_ids: HashMap::new(),
            sites: seed.sites,
            indices: seed.indices,
            bound_types: fields::BoundTypes::new(),
        }
    }

    /// Numbers globals and functions, so that constants can name them.
    fn declare(&mut self, module: &'m Module<'_>) {
        let mut ids = IdVec::<GlobalId, ()>::new();
        for global in raw::globals(module) {
            let id = ids.push(());
            self.global_ids.insert(global, id);
        }
        let mut ids = IdVec::<FuncId, ()>::new();
        for function in raw::functions(module) {
            let id = ids.push(());
            self.function_ids.insert(function, id);
        }
    }

    fn global(&mut self, global: Val<'m>) -> Global {
        let ty = global.global_type();
        let (loc, debug_type): (Option<LocId>, Option<DebugTypeId>) = self.debug.global(global);
        let (constant, thread_local, initializer) = unsafe {
            use llvm_sys::core::{LLVMGetInitializer, LLVMIsGlobalConstant, LLVMIsThreadLocal};
            (
                LLVMIsGlobalConstant(global.raw()) != 0,
                LLVMIsThreadLocal(global.raw()) != 0,
                Val::maybe(LLVMGetInitializer(global.raw())),
            )
        };
        Global {
            name: global.name(),
            size: self.layout.alloc_size(ty),
            constant,
            thread_local,
            init: initializer.map(|value| self.init_cells(value)),
            loc,
            debug_type,
            struct_name: ty.source_struct_name(),
            external: global.is_external(),
            section: global.section(),
        }
    }

    /// The owned function, without its body if it has none.
    fn function(&mut self, function: Val<'m>) -> Function {
        let name = function.name();
        let ty = function.global_type();
        let loc = self.debug.function(function);
        let defined = !function.is_declaration();
        let (ret, params) = (ty.result(), function.params());
        let mut owned = Function {
            primitive: if defined {
                None
            } else {
                Primitive::by_name(&name)
            },
            name,
            params: Vec::new(),
            variadic: ty.is_variadic(),
            ret: self.layout.value_type(ret).unwrap_or(Type::Void),
            values: IdVec::new(),
            blocks: IdVec::new(),
            loc,
            is_model: function.string_attribute(MODEL_ATTRIBUTE).is_some(),
            outside: function.string_attribute(OUTSIDE_ATTRIBUTE).is_some(),
            assumes: assumes(function),
            any_answer: function.string_attribute(ANY_ANSWER_ATTRIBUTE).is_some(),
            interrupts: function.string_attribute(INTERRUPTS_ATTRIBUTE).is_some(),
            external: function.is_external(),
            param_types: self.debug.parameters(function, params.len()),
            ret_type: self.debug.result(function),
            bound: Vec::new(),
        };
        self.body(function, &mut owned);
        owned
    }
}

/// What a function fixes.
fn assumes(function: Val<'_>) -> Vec<Fixed> {
    let codes = function
        .string_attribute(ASSUMES_ATTRIBUTE)
        .unwrap_or_default();
    codes.split(',').filter_map(Fixed::by_code).collect()
}
