//! Locks that the kernel holds around entry points; lock functions of the user's own (`[locks]` in `irkiss.toml`), as models that
//! take the kernel's mutex.

use std::fmt::Write as _;

use super::text::{quoted, type_text};
use crate::environment::entry::{EntryPoints, KernelLock, LockAddress};
use crate::environment::rules::OwnLocks;
use crate::program::{Program, Type};

/// The address of a lock, as an argument, and what computes it, as text. `name` gives a new temporary.
pub fn place(
    address: &LockAddress,
    object: &str,
    name: &mut dyn FnMut() -> String,
) -> (String, String) {
    let at = name();
    let mut text = format!(
        "  {at} = getelementptr i8, ptr {object}, i64 {}\n",
        address.offset
    );
    let Some(offset) = address.through else {
        return (text, format!("ptr {at}"));
    };
    let (read, lock) = (name(), name());
    let _ = writeln!(text, "  {read} = load volatile ptr, ptr {at}");
    let base = match address.maybe {
        // Of an object that comes from outside nothing tells that the pointer is set, but it is: nobody holds null, which two
        // entry points would share.
        false => {
            let set = name();
            let _ = write!(
                text,
                "  {set} = icmp ne ptr {read}, null\n  call void @__irkiss_assume(i1 zeroext {set})\n"
            );
            read
        }
        // Where there is none, an object of this activation alone stands for it: it keeps nobody away.
        true => {
            let [own, none, base] = [name(), name(), name()];
            let _ = write!(
                text,
                "  {own} = alloca [64 x i8]\n  {none} = icmp eq ptr {read}, null\n  \
                 {base} = select i1 {none}, ptr {own}, ptr {read}\n"
            );
            base
        }
    };
    let _ = writeln!(
        text,
        "  {lock} = getelementptr i8, ptr {base}, i64 {offset}"
    );
    (text, format!("ptr {lock}"))
}

/// Declarations of the functions that the harness calls around entry points.
pub fn declarations(entries: &EntryPoints) -> String {
    let mut text = String::new();
    let mut declared: Vec<&str> = Vec::new();
    for lock in entries.iter().flat_map(|e| &e.locks) {
        let KernelLock {
            acquire,
            release,
            object,
            ..
        } = lock;
        let parameter = if object.is_some() { "ptr" } else { "" };
        for function in [acquire, release] {
            if !declared.contains(&function.as_str()) {
                declared.push(function);
                let _ = writeln!(text, "declare void @{}({parameter})", quoted(function));
            }
        }
    }
    text
}

/// Models of the user's lock functions, as text; empty where there are none. The first pointer argument is the lock; functions
/// without one share a lock.
///
/// A function of the input is replaced by `irkiss_model__NAME`, one of the environment is defined.
pub fn own_locks(program: &Program, locks: &OwnLocks) -> String {
    let mut text = String::new();
    let acquire = locks.acquire.iter().map(|f| (f, "mutex_lock"));
    let release = locks.release.iter().map(|f| (f, "mutex_unlock"));
    for (name, primitive) in acquire.chain(release) {
        let Some(function) = program.function_named(name).map(|f| &program.functions[f]) else {
            continue;
        };
        let types: Result<Vec<String>, String> = function
            .params
            .iter()
            .map(|p| type_text(&function.values[*p].ty))
            .collect();
        let (Ok(types), Ok(ret)) = (types, type_text(&function.ret)) else {
            continue;
        };
        let lock = types
            .iter()
            .position(|t| t == "ptr")
            .map_or("@__irkiss_own_lock".to_string(), |n| format!("%a{n}"));
        let symbol = match function.is_defined() {
            true => quoted(&format!("irkiss_model__{name}")),
            false => quoted(name),
        };
        let params: Vec<String> = types
            .iter()
            .enumerate()
            .map(|(n, t)| format!("{t} %a{n}"))
            .collect();
        let result = match function.ret {
            Type::Void => "ret void".to_string(),
            Type::Ptr => "ret ptr null".to_string(),
            Type::Int(_) => format!("ret {ret} 0"),
            _ => format!("ret {ret} undef"),
        };
        let _ = writeln!(
            text,
            "define {ret} @{symbol}({}) {{\n  call void @{primitive}(ptr {lock})\n  {result}\n}}",
            params.join(", ")
        );
    }
    if !text.is_empty() {
        text.push_str(
            "@__irkiss_own_lock = internal global [64 x i8] zeroinitializer\n\
             declare void @mutex_lock(ptr)\ndeclare void @mutex_unlock(ptr)\n",
        );
    }
    text
}
