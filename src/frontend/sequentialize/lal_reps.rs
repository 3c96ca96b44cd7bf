//! Lal and Reps's transformation: "Reducing Concurrent Analysis Under a Context Bound to Sequential Analysis", CAV 2008; in the form
//! of Lahiri, Qadeer, Rakamarić: "Static and Precise Detection of Concurrency Errors in Systems Code Using SMT Solvers", CAV 2009,
//! §2.2.
//!
//! Threads are executed one after the other, each once, over K copies of the shared store. The instrumented program calls, before
//! every visible instruction, what may take the thread to a later round, and accesses the copy of the round that it is in. What
//! the inserted calls do is in `runtime-stubs/sequential/lal_reps.c`, with the deviations from the papers; this file says which call
//! stands where. The executions simulated are those of K rounds in which threads take turns in the order of their numbers.

use inkwell::module::Module;

use super::SequentializeError;
use super::edit::{Editor, Frame};
use super::instrument::{Sequentialization, instrument};
use super::kiss::{flags, length};
use super::visible::{Visible, called_primitive, is_copy};
use crate::config::Options;
use crate::frontend::decode::SITE_METADATA;
use crate::frontend::llvm::raw::{LLVMOpcode, Val, metadata_kind};
use crate::index::{Idx, SiteId};
use crate::program::{Primitive, SiteKind};
use crate::property::Property;

/// The run time's functions, and what to do.
struct LalReps<'m> {
    point: Val<'m>,
    access: Val<'m>,
    also: Val<'m>,
    atomic_begin: Val<'m>,
    atomic_end: Val<'m>,
    assert: Val<'m>,
    assume: Option<Val<'m>>,
    asynchronous: Val<'m>,
    stop: Val<'m>,
    /// The address in the copy of the round: to read there, to write.
    read: Val<'m>,
    write: Val<'m>,
    ghost_read: Val<'m>,
    ghost_write: Val<'m>,
    free: Val<'m>,
    raise: Val<'m>,
    self_id: Val<'m>,
    site_kind: u32,
    race: bool,
}

/// Inserts the calls of the run time, which has been linked in; the start function is `__lr_main` (for a driver also
/// `__lr_pair_main`, from the state after initialisation).
pub(super) fn transform(module: &Module<'_>, options: &Options) -> Result<(), SequentializeError> {
    let editor = Editor::new(module);
    let missing = |name: &str| SequentializeError::Runtime(format!("no {name}"));
    let function = |name: &str| editor.function(name).ok_or_else(|| missing(name));
    let global = |name: &str| editor.global(name).ok_or_else(|| missing(name));
    let how = LalReps {
        point: function("__lr_point")?,
        access: function("__lr_access")?,
        also: function("__lr_also")?,
        atomic_begin: function("__lr_atomic_begin")?,
        atomic_end: function("__lr_atomic_end")?,
        assert: function("__lr_assert")?,
        assume: match options.asks(Property::Assert) {
            true => None,
            false => Some(function("__irkiss_assume")?),
        },
        asynchronous: function("__lr_async")?,
        stop: function("__lr_stop")?,
        read: function("__lr_read")?,
        write: function("__lr_write")?,
        ghost_read: function("__lr_ghost_read")?,
        ghost_write: function("__lr_ghost_write")?,
        free: function("__lr_free")?,
        raise: global("__lr_raise")?,
        self_id: global("__lr_self")?,
        site_kind: metadata_kind(module, SITE_METADATA),
        race: options.asks(Property::Race),
    };
    instrument(module, &editor, &how, options)
}

impl<'m> LalReps<'m> {
    /// `if (function(args)) return;` before `at`.
    fn return_if(
        &self,
        editor: &Editor<'m>,
        frame: &mut Frame<'m>,
        at: Val<'m>,
        function: Val<'m>,
        args: &[Val<'m>],
    ) {
        let head = editor.split_before(at);
        let raised = editor.call_at_end(head, function, args, at);
        let raise = frame.raise_block(editor, |_| {});
        editor.branch(head, raised, raise, at);
    }

    /// Where it may stop, and the copy that it accesses.
    fn access(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, v: &Visible<'m>, site: Val<'m>) {
        for (n, access) in v.accesses.iter().enumerate() {
            let flags = editor.int(32, flags(access, v.marked));
            let args = [access.pointer, length(editor, access), flags, site];
            match (n, self.race) {
                (0, true) => self.return_if(editor, frame, v.at, self.access, &args),
                // A further range of the same instruction (a copy) shares its point.
                (_, true) => self.return_if(editor, frame, v.at, self.also, &args),
                (0, false) => self.return_if(editor, frame, v.at, self.point, &[site]),
                (_, false) => {}
            }
        }
        for access in &v.accesses {
            let function = match access.write {
                true => self.write,
                false => self.read,
            };
            let more = [length(editor, access)];
            for index in pointers(v.at) {
                if v.at.operand(index) == Some(access.pointer)
                    && access.write == writes(v.at, index)
                {
                    editor.map_pointer(v.at, index, function, &more);
                    break;
                }
            }
        }
    }
}

/// The operands of an access that are addresses.
fn pointers(at: Val<'_>) -> std::ops::Range<u32> {
    match at.opcode() {
        Some(LLVMOpcode::LLVMStore) => 1..2,
        Some(LLVMOpcode::LLVMCall) if copies(at) => 0..2,
        _ => 0..1,
    }
}

/// Whether it writes at that operand.
fn writes(at: Val<'_>, index: u32) -> bool {
    match at.opcode() {
        Some(LLVMOpcode::LLVMLoad) => false,
        Some(LLVMOpcode::LLVMCall) if called_primitive(at) == Some(Primitive::Touch) => false,
        Some(LLVMOpcode::LLVMCall) if copies(at) => index == 0,
        _ => true,
    }
}

/// Whether it copies memory.
fn copies(at: Val<'_>) -> bool {
    at.intrinsic_name().is_some_and(|name| is_copy(&name))
}

impl<'m> Sequentialization<'m> for LalReps<'m> {
    fn visible(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, v: &Visible<'m>, site: SiteId) {
        let at = v.at;
        let number = editor.int(32, site.index() as u64);
        match v.kind {
            SiteKind::Read | SiteKind::Write | SiteKind::ReadWrite => {
                self.access(editor, frame, v, number);
                return;
            }
            SiteKind::AtomicBegin => {
                self.return_if(editor, frame, at, self.atomic_begin, &[number]);
                editor.erase(at);
                return;
            }
            _ => self.return_if(editor, frame, at, self.point, &[number]),
        }
        match v.kind {
            SiteKind::Assert => {
                let condition = at.call_args().into_iter().take(1);
                match self.assume {
                    // A thread ends at a failed assertion: nothing follows, and nothing is reported.
                    Some(assume) => {
                        let args: Vec<_> = condition.collect();
                        let call = editor.call_before(at, assume, &args);
                        editor.copy_metadata(self.site_kind, at, call);
                    }
                    None => {
                        let args: Vec<_> = condition.chain([number]).collect();
                        self.return_if(editor, frame, at, self.assert, &args);
                    }
                }
                editor.erase(at);
            }
            SiteKind::Async => {
                let call = editor.call_before(at, self.asynchronous, &at.call_args());
                editor.copy_metadata(self.site_kind, at, call);
                editor.replace(at, call);
            }
            SiteKind::Free => editor.map_pointer(at, 0, self.free, &[]),
            // A trap stays what it is.
            SiteKind::Stop if at.intrinsic_name().is_none() => {
                self.return_if(editor, frame, at, self.stop, &[]);
                editor.erase(at);
            }
            _ => {}
        }
    }

    fn atomic_end(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, at: Val<'m>) {
        self.return_if(editor, frame, at, self.atomic_end, &[]);
        editor.erase(at);
    }

    fn ghost(&self, editor: &Editor<'m>, at: Val<'m>, writes: bool) {
        let function = match writes {
            true => self.ghost_write,
            false => self.ghost_read,
        };
        editor.map_pointer(at, 0, function, &[]);
    }

    fn self_id(&self, editor: &Editor<'m>, at: Val<'m>) {
        editor.replace_by_load(at, self.self_id);
    }

    /// `if (raise) return`.
    fn after_call(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, next: Val<'m>) {
        let head = editor.split_before(next);
        let raised = editor.is_set(head, self.raise);
        let raise = frame.raise_block(editor, |_| {});
        editor.branch(head, raised, raise, next);
    }

    /// A thread that has returned is over.
    fn before_return(&self, _editor: &Editor<'m>, _frame: &mut Frame<'m>, _at: Val<'m>) {}

    /// Points stand before visible instructions alone.
    fn before_other(&self, _editor: &Editor<'m>, _frame: &mut Frame<'m>, _at: Val<'m>) {}
}
