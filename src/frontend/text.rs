//! A program given as LLVM assembly over the primitives, closed as it is: for tests, generators and benchmarks.

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;

use super::Closed;
use super::decode::{Seed, decode};
use super::sequentialize::{number_sites, sequentialize};
use super::stubs::{Group, select};
use crate::config::Options;
use crate::environment::entry::EntryPoints;
use crate::error::InputError;

/// Numbers the visible instructions of a module that defines `__irkiss_main`, decodes it, and makes it sequential. No
/// models are linked and no entry points looked for. In this process: the text must be trusted.
///
/// # Errors
/// Text that does not parse or verify, and whatever the stages refuse.
pub fn close_text(text: &str, options: &Options) -> Result<Closed, InputError> {
    let bad = |what: String| InputError::new("assembly", what);
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "text.ll");
    let module = context
        .create_module_from_ir(buffer)
        .map_err(|e| bad(e.to_string()))?;
    module.verify().map_err(|e| bad(e.to_string()))?;
    let sites = number_sites(&module, options.marked.unwrap_or_default());
    let seed = Seed {
        sites,
        marked: options.marked.unwrap_or_default(),
        ..Seed::default()
    };
    let concurrent = decode(&module, seed).map_err(|e| bad(e.to_string()))?;
    let layout = &concurrent.layout;
    let stubs = select(
        Group::Sequential,
        &layout.triple,
        layout.little_endian,
        layout.pointer_bytes,
    )
    .map_err(bad)?;
    sequentialize(&module, options, &stubs).map_err(|e| bad(e.to_string()))?;
    let seed = Seed {
        source: concurrent.source.clone(),
        sites: concurrent.sites.clone(),
        marked: concurrent.marked,
        ..Seed::default()
    };
    let sequential = decode(&module, seed).map_err(|e| bad(e.to_string()))?;
    Ok(Closed {
        scenarios: Vec::new(),
        merged: Vec::new(),
        concurrent,
        sequential,
        entries: EntryPoints::new(),
        default_models: Vec::new(),
        identity: Vec::new(),
        takes_back: Vec::new(),
        unmodelled_asm: Vec::new(),
        notes: Vec::new(),
    })
}
