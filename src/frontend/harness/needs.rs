//! What the kernel looks at before it calls an entry point (`[[needs]]` in rule files, runtime-stubs/linux/needs.c), and what an argument
//! is beside what runs while others are frozen (`[[while_frozen]]`).

use std::fmt::Write as _;

use super::further;
use crate::environment::entry::{EntryPoint, EntryPoints, Needed};
use crate::index::{EntryId, Idx};

/// Text before the call of an entry point with those arguments.
pub fn before(entry: &EntryPoint, arguments: &str) -> String {
    let Some(need) = &entry.needs else {
        return String::new();
    };
    let object = |n: usize| arguments.split(", ").nth(n)?.strip_prefix("ptr %");
    let Some(word) = object(need.argument) else {
        return String::new();
    };
    let at = format!(
        "  %needed.{word} = getelementptr i8, ptr %{word}, i64 {}\n",
        need.offset
    );
    match need.needed {
        Needed::Bits(bits) => {
            format!("{at}  call void @__irkiss_needs(ptr %needed.{word}, i32 {bits})\n")
        }
        Needed::Below { argument, offset } => match object(argument) {
            Some(counts) => format!(
                "{at}  %count.{counts} = getelementptr i8, ptr %{counts}, i64 {offset}\n  \
                 call void @__irkiss_needs_below(ptr %needed.{word}, ptr %count.{counts})\n"
            ),
            None => String::new(),
        },
    }
}

/// The functions that ask whether others are frozen while an entry point runs, and for whom they look.
pub(super) fn questions(entries: &EntryPoints) -> Vec<(String, Vec<usize>)> {
    let asks = entries.iter_ids().filter_map(|(id, entry)| {
        let frozen = entry.while_frozen.as_ref()?;
        let beside = entries
            .iter_ids()
            .filter(|(_, e)| frozen.beside.contains(&e.function));
        let numbers = beside.map(|(id, _)| id.index()).collect();
        Some((format!("frozen.{}", id.index()), numbers))
    });
    asks.collect()
}

/// `__irkiss_frozen.N()`: whether others are frozen while entry point N runs, as far as the threads tell.
pub fn functions(entries: &EntryPoints, threads: usize) -> String {
    let mut text = String::new();
    for (name, numbers) in questions(entries) {
        let (found, last) = further::is_thread(&numbers, threads);
        let _ = write!(
            text,
            "define internal i1 @__irkiss_{name}() {{\n{found}  ret i1 {last}\n}}\n"
        );
    }
    text
}

/// Text of a wrapper before the call of an entry point with those arguments.
pub fn while_frozen(id: EntryId, entry: &EntryPoint, arguments: &str) -> String {
    let Some(frozen) = &entry.while_frozen else {
        return String::new();
    };
    let argument = arguments.split(", ").nth(frozen.argument);
    let Some((ty, value)) = argument.and_then(|a| a.split_once(' ')) else {
        return String::new();
    };
    if !ty.starts_with('i') {
        return String::new();
    }
    let mut text = format!(
        "  %frozen = call i1 @__irkiss_frozen.{}()\n  %asked = xor i1 %frozen, true\n",
        id.index()
    );
    let mut last = "%asked".to_string();
    for (k, one) in frozen.values.iter().enumerate() {
        let _ = write!(
            text,
            "  %asked.is{k} = icmp eq {ty} {value}, {one}\n  %asked.{k} = or i1 {last}, %asked.is{k}\n"
        );
        last = format!("%asked.{k}");
    }
    let _ = writeln!(text, "  call void @__irkiss_assume(i1 zeroext {last})");
    text
}
