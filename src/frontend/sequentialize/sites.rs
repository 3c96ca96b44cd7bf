//! Numbers the visible instructions.
//!
//! A site's number is attached to its instruction as metadata, so that it survives linking, cloning and instrumentation:
//! the concurrent and the sequential program are decoded from different modules and share one table.

use inkwell::module::Module;
use llvm_sys::core::*;

use super::visible::{Visibility, Visible, roots};
use crate::config::Marked;
use crate::frontend::decode::{MODEL_ATTRIBUTE, SITE_METADATA};
use crate::frontend::llvm::raw::{LLVMValueKind, Val, functions, metadata_kind};
use crate::index::{IdVec, Idx, SiteId};
use crate::program::{Silencer, Site};

/// The metadata kind that carries who has said that races with an access are meant: `!irkiss.silenced !{i32 N}`, a
/// [`Silencer::number`].
pub const SILENCED_METADATA: &str = "irkiss.silenced";

/// String attribute of the functions of the sequential program's run time, which are never instrumented.
pub const RUNTIME_ATTRIBUTE: &str = "irkiss-kiss";

/// Attaches `!irkiss.site` to every visible instruction, in the order of functions, blocks and instructions.
///
/// The table comes without source locations ([`Site::loc`]); [`Site::object`] is filled for accesses to one global.
pub fn number_sites(module: &Module<'_>, marked: Marked) -> IdVec<SiteId, Site> {
    let kind = metadata_kind(module, SITE_METADATA);
    let silenced = metadata_kind(module, SILENCED_METADATA);
    let visibility = Visibility::new(module, marked);
    let mut sites = IdVec::new();
    for function in functions(module) {
        if function.string_attribute(RUNTIME_ATTRIBUTE).is_some() {
            continue;
        }
        let in_model = function.string_attribute(MODEL_ATTRIBUTE).is_some();
        for visible in visibility.of_function(function) {
            let site: SiteId = sites.push(Site {
                function: function.name(),
                loc: None,
                kind: visible.kind,
                bytes: visible.bytes(),
                marked: visible.marked,
                whole: visible.whole,
                silenced: silencer(visible.at, silenced),
                in_model,
                object: object(&visible),
            });
            attach(module, visible.at, kind, site.index() as u32);
        }
    }
    sites
}

/// Notes on an instruction that races with it are meant.
pub fn silence(module: &Module<'_>, at: Val<'_>, by: Silencer) {
    let kind = metadata_kind(module, SILENCED_METADATA);
    attach(module, at, kind, by.number());
}

/// Who has [silenced](silence) it.
fn silencer(at: Val<'_>, kind: u32) -> Option<Silencer> {
    let number = at.metadata_number(kind)?;
    Silencer::ALL.get(number as usize).copied()
}

/// The global that is accessed, if it is one.
fn object(visible: &Visible<'_>) -> Option<String> {
    let access = visible.accesses.last()?;
    match roots(access.pointer).as_slice() {
        [root] if root.kind() == LLVMValueKind::LLVMGlobalVariableValueKind => Some(root.name()),
        _ => None,
    }
}

fn attach(module: &Module<'_>, at: Val<'_>, kind: u32, number: u32) {
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let number = LLVMConstInt(LLVMInt32TypeInContext(context), u64::from(number), 0);
        let mut operand = LLVMValueAsMetadata(number);
        let node = LLVMMDNodeInContext2(context, &mut operand, 1);
        LLVMSetMetadata(at.raw(), kind, LLVMMetadataAsValue(context, node));
    }
}
