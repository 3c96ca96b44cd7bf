//! What the kernel itself does around an entry point (`[[does]]` in rule files): a call of the models before, and one after.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::text::quoted;
use crate::environment::entry::{EntryPoint, EntryPoints};

/// Text before and after the call of an entry point with those arguments.
pub fn around(entry: &EntryPoint, arguments: &str) -> (String, String) {
    let first = arguments.split(", ").next().unwrap_or_default();
    let call = |function: &Option<String>| match function {
        Some(function) if first.starts_with("ptr ") => {
            format!("  call void @{}({first})\n", quoted(function))
        }
        _ => String::new(),
    };
    let does = entry.does.clone().unwrap_or_default();
    (call(&does.before), call(&does.after))
}

/// The declarations of what is called.
pub fn declarations(entries: &EntryPoints) -> String {
    let all = entries.iter().filter_map(|e| e.does.as_ref());
    let names: BTreeSet<&String> = all.flat_map(|d| d.before.iter().chain(&d.after)).collect();
    let mut text = String::new();
    for name in names {
        let _ = writeln!(text, "declare void @{}(ptr)", quoted(name));
    }
    text
}
