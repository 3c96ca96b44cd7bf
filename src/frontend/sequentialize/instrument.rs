//! Walks a module and tells a sequentialization where it has something to insert.
//!
//! What stands where is decided here, once for all sequentializations: at visible instructions, after calls from which a
//! stopped thread may come back, before returns. What is inserted there is theirs ([`Sequentialization`]).

use std::collections::{HashMap, HashSet};

use inkwell::module::Module;

use super::SequentializeError;
use super::edit::{Editor, Frame};
use super::sites::RUNTIME_ATTRIBUTE;
use super::visible::{Visibility, Visible, called_primitive};
use crate::config::{Instrument, Options};
use crate::frontend::decode::SITE_METADATA;
use crate::frontend::llvm::raw::{
    LLVMOpcode, LLVMValueKind, Val, functions, metadata_kind, resolve_alias,
};
use crate::index::SiteId;
use crate::program::Primitive;

/// A way to simulate threads in a sequential program: what it inserts at the places that it is told.
///
/// `at` is always in the function of `frame`; what is inserted may return from that function early
/// ([`Frame::raise_block`]), and then every caller hears [`Sequentialization::after_call`].
pub trait Sequentialization<'m> {
    /// Before the visible instruction of that number. Synchronisation may be replaced; accesses stay.
    fn visible(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, at: &Visible<'m>, site: SiteId);
    /// The call `at` of the primitive `AtomicEnd`: to be replaced.
    fn atomic_end(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, at: Val<'m>);
    /// A call of a primitive that reads or writes ghost state: nobody sees it but in the section that it is in.
    fn ghost(&self, _editor: &Editor<'m>, _at: Val<'m>, _writes: bool) {}
    /// The call `at` of the primitive `SelfId`: to be replaced.
    fn self_id(&self, editor: &Editor<'m>, at: Val<'m>);
    /// Before `next`, which follows a call that may have come back because the thread stopped.
    fn after_call(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, next: Val<'m>);
    /// With `--instrument=every`: before the return `at`.
    fn before_return(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, at: Val<'m>);
    /// With `--instrument=every`: before an instruction that is not visible and no return.
    fn before_other(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, at: Val<'m>);
}

/// What is to be done at one instruction; collected before anything moves.
enum Place<'m> {
    Visible(Visible<'m>, SiteId),
    AtomicEnd(Val<'m>),
    SelfId(Val<'m>),
    Ghost(Val<'m>, bool),
    AfterCall(Val<'m>),
    BeforeReturn(Val<'m>),
    BeforeOther(Val<'m>),
}

/// Instruments every defined function that is not the sequentialization's own run time.
///
/// # Errors
/// [`SequentializeError::Unnumbered`] if a visible instruction has no site.
pub fn instrument<'m>(
    module: &'m Module<'_>,
    editor: &Editor<'m>,
    how: &dyn Sequentialization<'m>,
    options: &Options,
) -> Result<(), SequentializeError> {
    let every = options.instrument == Instrument::Every;
    let visibility = Visibility::new(module, options.marked.unwrap_or_default());
    let users: Vec<(Val<'m>, Vec<Visible<'m>>)> = functions(module)
        .into_iter()
        .filter(|f| !f.is_declaration() && f.string_attribute(RUNTIME_ATTRIBUTE).is_none())
        .map(|f| (f, visibility.of_function(f)))
        .collect();
    let stopping = may_stop(&users, every);
    let site_kind = metadata_kind(module, SITE_METADATA);
    for (function, visible) in &users {
        let mut places = Vec::new();
        let visible: HashMap<Val<'m>, &Visible<'m>> = visible.iter().map(|v| (v.at, v)).collect();
        for at in function.blocks().into_iter().flat_map(|b| b.instructions()) {
            if let Some(v) = visible.get(&at) {
                let site = at
                    .metadata_number(site_kind)
                    .ok_or_else(|| SequentializeError::Unnumbered(function.name(), at.print()))?;
                places.push(Place::Visible((*v).clone(), SiteId(site)));
                continue;
            }
            match called_primitive(at) {
                Some(Primitive::AtomicEnd) => places.push(Place::AtomicEnd(at)),
                Some(Primitive::SelfId) => places.push(Place::SelfId(at)),
                Some(Primitive::GhostGet) => places.push(Place::Ghost(at, false)),
                Some(Primitive::GhostSet) => places.push(Place::Ghost(at, true)),
                _ if every && at.opcode() == Some(LLVMOpcode::LLVMRet) => {
                    places.push(Place::BeforeReturn(at));
                }
                _ if every && is_statement(at) => places.push(Place::BeforeOther(at)),
                _ => {}
            }
            if calls_any(at, &stopping) {
                places.push(Place::AfterCall(at));
            }
        }
        if stopping.contains(function) {
            editor.weaken(*function);
        }
        let mut frame = Frame::new(*function);
        for place in places {
            apply(editor, how, &mut frame, place);
        }
    }
    Ok(())
}

fn apply<'m>(
    editor: &Editor<'m>,
    how: &dyn Sequentialization<'m>,
    frame: &mut Frame<'m>,
    place: Place<'m>,
) {
    match place {
        Place::Visible(v, site) => how.visible(editor, frame, &v, site),
        Place::AtomicEnd(at) => how.atomic_end(editor, frame, at),
        Place::SelfId(at) => how.self_id(editor, at),
        Place::Ghost(at, writes) => how.ghost(editor, at, writes),
        Place::BeforeReturn(at) => how.before_return(editor, frame, at),
        Place::BeforeOther(at) => how.before_other(editor, frame, at),
        Place::AfterCall(call) => {
            if let Some(next) = editor.next(call) {
                how.after_call(editor, frame, next);
            }
        }
    }
}

/// The functions in which a thread may be stopped, so that calls of them may come back early: those with a visible
/// instruction or an indirect call, and their callers.
fn may_stop<'m>(users: &[(Val<'m>, Vec<Visible<'m>>)], every: bool) -> HashSet<Val<'m>> {
    let mut stopping: HashSet<Val<'m>> = users
        .iter()
        .filter(|(_, visible)| every || !visible.is_empty())
        .map(|(f, _)| *f)
        .collect();
    loop {
        let more: Vec<Val<'m>> = users
            .iter()
            .map(|(f, _)| *f)
            .filter(|f| !stopping.contains(f))
            .filter(|f| {
                f.blocks()
                    .into_iter()
                    .flat_map(|b| b.instructions())
                    .any(|i| calls_any(i, &stopping))
            })
            .collect();
        if more.is_empty() {
            return stopping;
        }
        stopping.extend(more);
    }
}

/// Whether an instruction calls one of the functions, or one that is not known.
fn calls_any<'m>(at: Val<'m>, functions: &HashSet<Val<'m>>) -> bool {
    if at.opcode() != Some(LLVMOpcode::LLVMCall) {
        return false;
    }
    let Some(callee) = at.callee().map(resolve_alias) else {
        return false;
    };
    match callee.kind() {
        LLVMValueKind::LLVMFunctionValueKind => functions.contains(&callee),
        LLVMValueKind::LLVMInlineAsmValueKind => false,
        _ => true,
    }
}

/// Whether figures 4 and 5 would have a point before it: not before what LLVM adds to the statements of a program.
fn is_statement(at: Val<'_>) -> bool {
    match at.opcode() {
        // Allocas stay together at the beginning of the function: they are declarations.
        Some(LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMAlloca) => false,
        _ => !at.intrinsic_name().is_some_and(|name| {
            [
                "llvm.lifetime.",
                "llvm.dbg.",
                "llvm.assume",
                "llvm.experimental.noalias",
            ]
            .iter()
            .any(|n| name.starts_with(n))
        }),
    }
}
