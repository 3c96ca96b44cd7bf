//! What the tests of this folder share: programs from LLVM assembly with numbered sites.

use crate::frontend::decode::decode_ll;
use crate::index::{BlockId, FuncId, IdVec, SiteId};
use crate::program::{Op, Primitive, Program, Site, SiteKind};

/// Declarations of the primitives that the texts use.
const DECLARATIONS: &str = "
    declare void @__irkiss_assume(i8)
    declare void @__irkiss_atomic_begin()
    declare void @__irkiss_atomic_end()
    declare i64 @__irkiss_async(ptr, ptr)
    declare i64 @__irkiss_ghost_get(ptr, i32)
    declare void @__irkiss_ghost_set(ptr, i32, i64)
    declare i64 @__irkiss_self()
    declare ptr @__irkiss_alloc(i64, i8)
    declare void @__irkiss_free(ptr)
    declare ptr @__irkiss_lazy(i64, ptr)
    declare ptr @__irkiss_nondet_ptr()
    declare i32 @__irkiss_nondet_u32()
    declare void @__irkiss_havoc(ptr, i64)
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    attributes #0 = { \"irkiss-model\" }
";

/// Decodes the text and numbers its visible instructions.
pub fn program(text: &str) -> Program {
    let mut program = decode_ll(&format!("{DECLARATIONS}{text}")).expect("decodes");
    let mut sites: IdVec<SiteId, Site> = IdVec::new();
    for function in program.functions.iter_mut() {
        for n in 0..function.blocks.len() {
            let block = &mut function.blocks[BlockId(n as u32)];
            for instr in &mut block.instrs {
                if let Some((kind, marked)) = visible(&instr.op) {
                    instr.site = Some(sites.push(Site {
                        function: function.name.clone(),
                        loc: None,
                        kind,
                        bytes: 0,
                        marked,
                        whole: false,
                        silenced: None,
                        in_model: function.is_model,
                        object: None,
                    }));
                }
            }
            if block.term.successors().iter().any(|s| s.0 as usize <= n) {
                block.term_site = Some(sites.push(Site {
                    function: function.name.clone(),
                    loc: None,
                    kind: SiteKind::BackEdge,
                    bytes: 0,
                    marked: false,
                    whole: false,
                    silenced: None,
                    in_model: function.is_model,
                    object: None,
                }));
            }
        }
    }
    program.sites = sites;
    program
}

fn visible(op: &Op) -> Option<(SiteKind, bool)> {
    Some(match op {
        Op::Load { mode, .. } => (SiteKind::Read, mode.marked()),
        Op::Store { mode, .. } => (SiteKind::Write, mode.marked()),
        Op::AtomicRmw { .. } | Op::CmpXchg { .. } => (SiteKind::ReadWrite, true),
        Op::MemCopy { .. } | Op::MemSet { .. } => (SiteKind::Write, false),
        Op::Primitive { primitive, .. } => match primitive {
            Primitive::AtomicBegin => (SiteKind::AtomicBegin, false),
            Primitive::Assume => (SiteKind::Assume, false),
            Primitive::Async => (SiteKind::Async, false),
            Primitive::Free | Primitive::Leave => (SiteKind::Free, false),
            Primitive::Havoc => (SiteKind::Write, false),
            Primitive::Stop => (SiteKind::Stop, false),
            _ => return None,
        },
        _ => return None,
    })
}

/// The function of that name.
pub fn function(program: &Program, name: &str) -> FuncId {
    program.function_named(name).expect("function is there")
}

/// The sites of that kind in a function, in order.
pub fn sites(program: &Program, function: &str, kind: SiteKind) -> Vec<SiteId> {
    let all = program.sites.iter_ids();
    all.filter(|(_, s)| s.function == function && s.kind == kind)
        .map(|(id, _)| id)
        .collect()
}
