//! What the kernel itself does around an entry point (`[[does]]` in rule files): a call of the models before, and one after.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::text::quoted;
use crate::environment::entry::{EntryPoint, EntryPoints};

/// Text before and after the call of an entry point with those arguments.
pub fn around(entry: &EntryPoint, arguments: &str) -> (String, String) {
    let does = entry.does.clone().unwrap_or_default();
    let first: Vec<&str> = arguments.split(", ").take(does.arguments).collect();
    let are_given = first.len() == does.arguments && first.iter().all(|a| a.starts_with("ptr "));
    let call = |function: &Option<String>| match function {
        Some(function) if are_given => {
            format!("  call void @{}({})\n", quoted(function), first.join(", "))
        }
        _ => String::new(),
    };
    (call(&does.before), call(&does.after))
}

/// The declarations of what is called.
pub fn declarations(entries: &EntryPoints) -> String {
    let all = entries.iter().filter_map(|e| e.does.as_ref());
    let functions = all.flat_map(|d| {
        let functions = d.before.iter().chain(&d.after);
        functions.map(|f| (f, d.arguments))
    });
    let mut text = String::new();
    for (name, arguments) in functions.collect::<BTreeSet<_>>() {
        let types = vec!["ptr"; arguments].join(", ");
        let _ = writeln!(text, "declare void @{}({types})", quoted(name));
    }
    text
}
