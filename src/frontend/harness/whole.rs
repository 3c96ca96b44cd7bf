//! The start and the end of a program with `main`: what the C library does around it.

use std::fmt::Write as _;

use super::HarnessError;
use super::text::{declare, quoted, type_text};
use crate::index::ValueId;
use crate::program::{Function, Program, Terminator, Type, operands};

/// What runs before and after `main`, and what of its arguments is looked at. Names of functions of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Functions that run before `main`, in this order (`__attribute__((constructor))`).
    pub constructors: Vec<String>,
    /// Functions that run when the program ends by `exit` or by `main`'s return, in this order.
    pub destructors: Vec<String>,
    /// Whether functions may be registered to run at the end (`atexit`).
    pub registered: bool,
    /// Whether there is a use of `environ`.
    pub environment: bool,
    /// What of the models has nothing to do.
    pub idle: Vec<Idle>,
}

/// A part of the models that most programs have no use for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// No thread is ever cancelled.
    Cancellation,
    /// There are no handlers for threads that end early.
    Cleanup,
    /// There are no handlers of signals.
    Signals,
    /// There are no robust mutexes.
    Robust,
    /// No call tells whether streams are locked.
    Streams,
    /// No stream is given a buffer.
    Buffers,
    /// No stream ends in memory of the program.
    MemoryStreams,
    /// No variable of a thread is destroyed at its end.
    ThreadLocals,
    /// No socket of the program is connected with another one by name.
    Peers,
    /// Nothing of the program runs at its end, or `main` never leaves before it.
    Ends,
}

/// Definitions, in place of the models', of what has nothing to do.
pub fn idle_models(idle: &[Idle]) -> String {
    let definitions = idle.iter().map(|what| match what {
        Idle::Cancellation => {
            "define void @irkiss_cancellation_point() {\n  ret void\n}\n\
             define zeroext i1 @irkiss_is_cancelled() {\n  ret i1 false\n}\n"
        }
        Idle::Cleanup => "define void @irkiss_run_cleanup_handlers(ptr %result) {\n  ret void\n}\n",
        Idle::Robust => {
            "define i32 @irkiss_take_over(ptr %mutex, i64 %owner) {\n  ret i32 0\n}\n\
             define void @irkiss_tried_in_vain(ptr %mutex) {\n  ret void\n}\n\
             define void @irkiss_give_up(ptr %mutex) {\n  ret void\n}\n\
             define zeroext i1 @irkiss_is_robust(ptr %mutex) {\n  ret i1 false\n}\n"
        }
        Idle::Streams => {
            "define void @irkiss_stream(ptr %file) {\n  ret void\n}\n\
             define void @irkiss_standard_output() {\n  ret void\n}\n\
             define void @irkiss_standard_input() {\n  ret void\n}\n"
        }
        Idle::Buffers => "define void @irkiss_stream_buffer(ptr %file) {\n  ret void\n}\n",
        Idle::MemoryStreams => "define void @irkiss_flushed(ptr %file) {\n  ret void\n}\n",
        Idle::ThreadLocals => "define void @irkiss_destroy_thread_locals() {\n  ret void\n}\n",
        Idle::Peers => "define zeroext i1 @irkiss_has_peers() {\n  ret i1 false\n}\n",
        Idle::Ends => {
            "define void @irkiss_thread_begins() {\n  ret void\n}\n\
             define void @irkiss_thread_ends() {\n  ret void\n}\n"
        }
        Idle::Signals => {
            "define void @irkiss_signals() {\n  ret void\n}\n\
             define zeroext i1 @irkiss_handles_signals() {\n  ret i1 false\n}\n\
             define void @irkiss_raised(i32 %number) {\n  ret void\n}\n"
        }
    });
    definitions.collect()
}

/// The start of a program with `main`: its arguments are arbitrary (`runtime-stubs/pthread/program.c` says how many they are at
/// most, and how long), constructors run before it, destructors and registered handlers after it.
///
/// # Errors
/// If there is no `main` with a body, or it or a constructor takes something else.
pub fn main_harness(program: &Program, hooks: &Hooks) -> Result<String, HarnessError> {
    let defined = |name: &str| {
        let id = program.function_named(name)?;
        Some(&program.functions[id]).filter(|f| f.is_defined())
    };
    let main = defined("main").ok_or_else(|| HarnessError("no function `main`".to_string()))?;
    let mut text = String::from(
        "declare i32 @__irkiss_argument_count()\ndeclare ptr @__irkiss_arguments(i32)\ndeclare ptr @__irkiss_environment()\n\
         declare void @exit(i32)\ndeclare void @__irkiss_program_begins()\ndeclare void @__irkiss_program_ends()\n",
    );
    let mut body = String::new();
    let mut declared = vec![main.name.clone()];
    text.push_str(&declare(main).map_err(HarnessError)?);
    let mut call = |body: &mut String, name: &str, result: &str| {
        let function =
            defined(name).ok_or_else(|| HarnessError(format!("no function `{name}`")))?;
        if !declared.contains(&function.name) {
            text.push_str(&declare(function).map_err(HarnessError)?);
            declared.push(function.name.clone());
        }
        let _ = writeln!(
            body,
            "  {}call {} @{}({})",
            if function.ret == Type::Void {
                ""
            } else {
                result
            },
            type_text(&function.ret).map_err(HarnessError)?,
            quoted(name),
            arguments(function)?
        );
        Ok::<(), HarnessError>(())
    };
    for name in &hooks.constructors {
        call(&mut body, name, "")?;
    }
    call(&mut body, "main", "%r = ")?;
    let ends = hooks.registered || !hooks.destructors.is_empty();
    if ends {
        let status = if main.ret == Type::Int(32) { "%r" } else { "0" };
        let _ = writeln!(body, "  call void @exit(i32 {status})");
    }
    body.push_str("  call void @__irkiss_program_ends()\n");
    let mut last = String::new();
    for name in &hooks.destructors {
        call(&mut last, name, "")?;
    }
    let mut start = String::from("  call void @__irkiss_program_begins()\n");
    let takes = |n: usize| body.contains(["%argc", "%argv", "%environment"][n]);
    if takes(0) || takes(1) {
        start.push_str("  %argc = call i32 @__irkiss_argument_count()\n");
    }
    if takes(1) {
        start.push_str("  %argv = call ptr @__irkiss_arguments(i32 %argc)\n");
    }
    if takes(2) || hooks.environment {
        start.push_str("  %environment = call ptr @__irkiss_environment()\n");
    }
    let _ = write!(
        text,
        "define void @__irkiss_main() {{\n{start}{body}  ret void\n}}\ndefine void @__irkiss_destructors() {{\n{last}  ret void\n}}\n{}",
        idle_models(&hooks.idle)
    );
    Ok(text)
}

/// What a function that is called at the start is given: as `main` is. A parameter that it never looks at gets nothing.
fn arguments(function: &Function) -> Result<String, HarnessError> {
    const GIVEN: [(&Type, &str); 3] = [
        (&Type::Int(32), "i32 %argc"),
        (&Type::Ptr, "ptr %argv"),
        (&Type::Ptr, "ptr %environment"),
    ];
    let mut args = Vec::new();
    for (n, param) in function.params.iter().enumerate() {
        let ty = &function.values[*param].ty;
        let looked_at = uses(function, *param);
        args.push(match (GIVEN.get(n), ty) {
            (Some((expected, given)), ty) if *expected == ty && looked_at => (*given).to_string(),
            (_, Type::Int(bits)) if !looked_at => format!("i{bits} 0"),
            (_, Type::Ptr) if !looked_at => "ptr null".to_string(),
            (_, other) => {
                return Err(HarnessError(format!("{} takes {other}", function.name)));
            }
        });
    }
    Ok(args.join(", "))
}

/// Whether anything depends on a value.
fn uses(function: &Function, value: ValueId) -> bool {
    let mut found = false;
    let mut look = |operand: &crate::program::Operand| found |= operand.value() == Some(value);
    for block in function.blocks.iter() {
        for instr in &block.instrs {
            operands(&instr.op, &mut look);
        }
        match &block.term {
            Terminator::Branch { cond: operand, .. }
            | Terminator::Switch { value: operand, .. }
            | Terminator::Return(Some(operand)) => look(operand),
            _ => {}
        }
    }
    found
}
