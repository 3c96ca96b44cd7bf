//! Where a thread is, for people: its calls in the input, and the entry point that it runs.

use super::state;
use crate::index::{FuncId, LocId};
use crate::program::{Callee, Op, Program};
use crate::verdict::Frame;

/// The stack, innermost first, with inlined frames; without the tool's own models where there are user frames. What the kernel does before
/// and after it calls an entry point is at that function.
pub fn stack(program: &Program, frames: &[state::Frame]) -> Vec<Frame> {
    let all = |models: bool| -> Vec<Frame> {
        frames
            .iter()
            .rev()
            .filter(|f| models || !program.functions[f.function].is_model)
            .flat_map(|f| activation(program, f))
            .collect()
    };
    let is_users = |f: &&state::Frame| is_of_user(program, f.function);
    let around = frames
        .iter()
        .rev()
        .find_map(|f| called(program, f.function));
    match (frames.iter().any(|f| is_users(&f)), around) {
        (false, Some(function)) => vec![definition(program, function)],
        (true, _) => all(false),
        (false, None) => all(true),
    }
}

/// Whether a function is of the input.
fn is_of_user(program: &Program, function: FuncId) -> bool {
    !program.functions[function].is_model && !program.harness.own.contains(&function)
}

/// The entry point that a function of the harness calls, if it is one that does.
pub fn called(program: &Program, wrapper: FuncId) -> Option<FuncId> {
    program.harness.called_by(wrapper)?;
    let blocks = program.functions[wrapper].blocks.iter();
    let called = blocks.flat_map(|b| &b.instrs).filter_map(|i| match &i.op {
        Op::Call {
            callee: Callee::Direct(f),
            ..
        } => Some(*f),
        _ => None,
    });
    let is_defined = |f: &FuncId| program.functions[*f].is_defined();
    let mut users = called.filter(|f| is_of_user(program, *f) && is_defined(f));
    users.next_back()
}

/// Where a function is defined.
fn definition(program: &Program, function: FuncId) -> Frame {
    let function = &program.functions[function];
    let place = function.loc.map(|loc| &program.source.locations[loc]);
    Frame {
        function: function.name.clone(),
        file: place.map_or(String::new(), |l| program.source.files[l.file].clone()),
        line: place.map_or(0, |l| l.line),
        column: 0,
    }
}

/// The function of which nothing is known that does what the thread is about to do, if it is one.
pub fn outside(program: &Program, frames: &[state::Frame]) -> Option<String> {
    let functions = frames.iter().rev().map(|f| &program.functions[f.function]);
    let mut models = functions.take_while(|f| f.is_model);
    let found = models.find(|f| f.outside)?;
    Some(found.source_name().to_string())
}

/// One activation: where it is, and the functions inlined there.
fn activation(program: &Program, frame: &state::Frame) -> Vec<Frame> {
    let function = &program.functions[frame.function];
    let block = &function.blocks[frame.block];
    let loc = match block.instrs.get(frame.index) {
        Some(instr) => instr.loc,
        None => block.term_loc,
    };
    let described = |loc: LocId| {
        let l = &program.source.locations[loc];
        Frame {
            function: if l.function.is_empty() {
                function.name.clone()
            } else {
                l.function.clone()
            },
            file: program.source.files[l.file].clone(),
            line: l.line,
            column: l.column,
        }
    };
    match loc {
        Some(loc) => program
            .source
            .inline_stack(loc)
            .into_iter()
            .map(described)
            .collect(),
        None => vec![definition(program, frame.function)],
    }
}

/// The entry point of a thread with these activations: its outermost user function, what the harness is about to call or has called, or its
/// start function.
pub fn entry_point(program: &Program, thread: &state::Thread, frames: &[state::Frame]) -> String {
    let mut functions = frames.iter().map(|f| f.function);
    let outermost = functions.clone().find(|f| is_of_user(program, *f));
    let around = || functions.find_map(|f| called(program, f));
    let function = outermost.or_else(around).unwrap_or(thread.start);
    program.functions[function].name.clone()
}
