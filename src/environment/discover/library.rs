//! Entry points of a library without `main`: the functions that it exports.
//!
//! Any thread of a program may call them, beside each other and beside themselves. What such a function is given is an
//! object of the call's own, unless there is a lock in it: that is there since threads share it.

use super::{DiscoverError, Discovery};
use crate::environment::entry::{ASKED_FOR, Context, EntryPoint, Parameter, Phase};
use crate::index::{DebugTypeId, FuncId};
use crate::program::{DebugTypeKind, Program, Type};

/// `via` of a function that a library exports.
const LIBRARY: &str = "exported function";
/// `via` of a function that runs when the library is loaded.
const CONSTRUCTOR: &str = "constructor";
/// Types of locks, as C libraries name them.
const LOCKS: &[&str] = &[
    "pthread_mutex_t",
    "pthread_rwlock_t",
    "pthread_spinlock_t",
    "__pthread_mutex_s",
    "__pthread_rwlock_arch_t",
    "mtx_t",
    "sem_t",
];
/// Structs in structs that are looked into.
const MAX_DEPTH: u32 = 3;

/// Finds them. `constructors` run before, in this order. `only` (`--entry`): these functions.
///
/// # Errors
/// If `only` names a function that is not there or has no body.
pub fn library(
    program: &Program,
    constructors: &[String],
    only: &[String],
) -> Result<Discovery, DiscoverError> {
    let mut entries = Vec::new();
    for name in constructors {
        entries.extend(
            program
                .function_named(name)
                .map(|f| entry(program, f, CONSTRUCTOR, Phase::Init)),
        );
    }
    for name in only {
        let function = program
            .function_named(name)
            .ok_or_else(|| DiscoverError::NoSuchFunction(name.clone()))?;
        if !program.functions[function].is_defined() {
            return Err(DiscoverError::NoBody(name.clone()));
        }
        entries.push(entry(program, function, ASKED_FOR, Phase::Steady));
    }
    let exported = program.functions.iter_ids().filter(|(_, f)| {
        f.external && f.is_defined() && !f.is_model && !constructors.contains(&f.name)
    });
    if only.is_empty() {
        entries.extend(exported.map(|(f, _)| entry(program, f, LIBRARY, Phase::Steady)));
    }
    Ok(Discovery {
        entries: entries.into_iter().collect(),
        ..Discovery::default()
    })
}

fn entry(program: &Program, function: FuncId, via: &str, phase: Phase) -> EntryPoint {
    let f = &program.functions[function];
    let parameter = |n: usize| {
        let declared = f.param_types.get(n).copied().flatten();
        let target = declared.and_then(|t| super::types::pointee(program, t));
        match (&f.values[f.params[n]].ty, target) {
            (Type::Ptr, Some(t)) if has_lock(program, t, MAX_DEPTH) => {
                Parameter::Shared(program.debug_types[t].name.clone())
            }
            (Type::Ptr, _) => Parameter::Private(0),
            _ => Parameter::Number,
        }
    };
    EntryPoint {
        context: Context::Thread,
        parameters: (0..f.params.len()).map(parameter).collect(),
        beside_itself: phase == Phase::Steady,
        loc: f.loc,
        ..EntryPoint::new(&f.name, via, phase)
    }
}

/// Whether an object of that type has a lock in it.
fn has_lock(program: &Program, ty: DebugTypeId, depth: u32) -> bool {
    let Some(ty) = program.debug_types.get(ty) else {
        return false;
    };
    if LOCKS.contains(&ty.name.as_str()) {
        return true;
    }
    match &ty.kind {
        DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) if depth > 0 => members
            .iter()
            .filter_map(|m| m.ty)
            .any(|t| has_lock(program, t, depth - 1)),
        _ => false,
    }
}
