//! Faults that tests seed into the transformation, to show that other tests notice them ([`KissFault`]).
//!
//! Faults in what is inserted are in `kiss.rs` at their places; here are those in the run time, by rewriting its code,
//! and the death of a raised frame's objects.

use inkwell::module::Module;

use super::SequentializeError;
use super::edit::Editor;
use crate::faults::{KissFault, seeded};
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, Val};

/// Rewrites the run time. Faults that are elsewhere change nothing here.
///
/// # Errors
/// If the code to be changed is not found.
pub fn in_runtime(runtime: &Module<'_>) -> Result<(), SequentializeError> {
    let Some(fault) = KissFault::ALL.iter().find(|f| seeded(**f)) else {
        return Ok(());
    };
    let editor = Editor::new(runtime);
    let changed = match fault {
        KissFault::NoPropagation
        | KissFault::NoPointBeforeBlocking
        | KissFault::FramesDieAtRaise => return Ok(()),
        KissFault::NoRaise => replace_calls(
            &editor,
            "__kiss_point",
            "__irkiss_choice",
            editor.int(32, 0),
        ),
        KissFault::NoScheduleAtReturn => {
            let calls = calls_in(&editor, "__kiss_finish", "__kiss_schedule");
            calls.iter().for_each(|c| editor.erase(*c));
            calls.len()
        }
        KissFault::NoAtomicCheck => replace_calls(
            &editor,
            "__kiss_atomic_begin",
            "__irkiss_check_enabled",
            editor.int(1, 0),
        ),
        KissFault::NoGhostSave => {
            erase_restores(&editor, "__kiss_self") + erase_restores(&editor, "__kiss_atomic")
        }
        KissFault::NoResetAfterAsync => {
            let stores = stores_in(&editor, "__kiss_async", "__kiss_raise");
            stores.iter().for_each(|s| editor.erase(*s));
            stores.len()
        }
        KissFault::NoArguments => drop_argument(&editor),
    };
    if changed == 0 {
        let what = format!("nothing to change for the fault {fault:?}");
        return Err(SequentializeError::Runtime(what));
    }
    Ok(())
}

/// The objects of a raised frame get arbitrary contents at the end of `block`.
pub fn havoc_frame<'m>(editor: &Editor<'m>, function: Val<'m>, block: Bb<'m>, like: Val<'m>) {
    // Allocas stand at the beginning of the entry block, before any point: they dominate the return.
    let allocas: Vec<Val<'m>> = function
        .blocks()
        .first()
        .map(|entry| entry.instructions())
        .unwrap_or_default()
        .into_iter()
        .take_while(|i| i.opcode() == Some(LLVMOpcode::LLVMAlloca))
        .collect();
    for alloca in allocas {
        if let Some(bytes) = editor.alloca_bytes(alloca) {
            let args = [alloca, editor.int(64, bytes)];
            let havoc = editor.declare("__irkiss_havoc", &args);
            editor.call_at_end(block, havoc, &args, like);
        }
    }
}

fn instructions<'m>(editor: &Editor<'m>, function: &str) -> Vec<Val<'m>> {
    editor.function(function).map_or_else(Vec::new, |f| {
        f.blocks()
            .into_iter()
            .flat_map(|b| b.instructions())
            .collect()
    })
}

fn calls_in<'m>(editor: &Editor<'m>, function: &str, callee: &str) -> Vec<Val<'m>> {
    instructions(editor, function)
        .into_iter()
        .filter(|i| i.callee().is_some_and(|c| c.name() == callee))
        .collect()
}

fn replace_calls<'m>(editor: &Editor<'m>, function: &str, callee: &str, value: Val<'m>) -> usize {
    let calls = calls_in(editor, function, callee);
    calls.iter().for_each(|c| editor.replace(*c, value));
    calls.len()
}

fn stores_in<'m>(editor: &Editor<'m>, function: &str, global: &str) -> Vec<Val<'m>> {
    instructions(editor, function)
        .into_iter()
        .filter(|i| {
            i.opcode() == Some(LLVMOpcode::LLVMStore)
                && i.operand(1).is_some_and(|p| p.name() == global)
        })
        .collect()
}

/// Erases the stores to a global that follow the thread's call in `__kiss_run`.
fn erase_restores(editor: &Editor<'_>, global: &str) -> usize {
    let stores = stores_in(editor, "__kiss_run", global);
    let restores = stores.iter().skip(1);
    restores.clone().for_each(|s| editor.erase(*s));
    restores.count()
}

/// Makes put() forget the argument.
fn drop_argument(editor: &Editor<'_>) -> usize {
    let argument = editor
        .function("__kiss_put")
        .and_then(|f| f.params().get(1).copied());
    let stores: Vec<_> = instructions(editor, "__kiss_put")
        .into_iter()
        .filter(|i| i.opcode() == Some(LLVMOpcode::LLVMStore) && i.operand(0) == argument)
        .collect();
    stores
        .iter()
        .for_each(|s| editor.set_operand(*s, 0, editor.null()));
    stores.len()
}
