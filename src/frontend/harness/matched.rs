//! Functions of the environment that answer with what stands in the table of devices that a driver is for (`[[matched]]` in rule files).
//!
//! Which entry it is, is chosen once: there is one device. That is ghost state: 0 while nobody has asked, else one more than the
//! number of the answer.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::record::{declared, named, signature};
use super::text::quoted;
use crate::environment::identity::{Identity, MatchValue};
use crate::program::Program;

/// The ghost key of the choice, at its `__irkiss_matched.N`.
const CHOSEN: u32 = 512 + 19;

/// The symbols of the input that the answers name.
pub(super) fn symbols(identity: &Identity) -> impl Iterator<Item = String> {
    let all = identity.matched.iter().flat_map(|m| &m.gives);
    all.filter_map(|value| match value {
        MatchValue::Place(name, _) => Some(name.clone()),
        MatchValue::Null | MatchValue::Number(_) => None,
    })
}

/// Their models.
pub(super) fn models(program: &Program, identity: &Identity) -> String {
    let mut text = String::new();
    let cells: BTreeSet<usize> = identity.matched.iter().map(|m| m.cell).collect();
    for cell in cells {
        let _ = writeln!(text, "@__irkiss_matched.{cell} = internal global i8 0");
    }
    for matched in &identity.matched {
        let function = declared(program, &matched.function).filter(|f| !f.variadic);
        let Some((types, ret)) = function.and_then(signature).filter(|(_, r)| r == "ptr") else {
            continue;
        };
        let cell = matched.cell;
        let count = matched.gives.len();
        let _ = write!(
            text,
            "define {ret} @{}({}) {{\nentry:\n  call void @__irkiss_atomic_begin()\n  \
             %was = call i64 @__irkiss_ghost_get(ptr @__irkiss_matched.{cell}, i32 {CHOSEN})\n  \
             %first = icmp eq i64 %was, 0\n  br i1 %first, label %choose, label %chosen\nchoose:\n  \
             %any = call i32 @__irkiss_nondet_u32()\n  %is = icmp ult i32 %any, {count}\n  \
             call void @__irkiss_assume(i1 zeroext %is)\n  %number = zext i32 %any to i64\n  %now = add i64 %number, 1\n  \
             call void @__irkiss_ghost_set(ptr @__irkiss_matched.{cell}, i32 {CHOSEN}, i64 %now)\n  br label %chosen\nchosen:\n  \
             %k = phi i64 [ %was, %entry ], [ %now, %choose ]\n  call void @__irkiss_atomic_end()\n",
            quoted(&matched.function),
            named(&types)
        );
        let mut last = "null".to_string();
        for (n, value) in matched.gives.iter().enumerate() {
            let value = match value {
                MatchValue::Null => continue,
                MatchValue::Number(number) => format!("inttoptr (i64 {number} to ptr)"),
                MatchValue::Place(name, 0) => format!("@{}", quoted(name)),
                MatchValue::Place(name, offset) => {
                    format!("getelementptr (i8, ptr @{}, i64 {offset})", quoted(name))
                }
            };
            let _ = write!(
                text,
                "  %is{n} = icmp eq i64 %k, {}\n  %v{n} = select i1 %is{n}, ptr {value}, ptr {last}\n",
                n + 1
            );
            last = format!("%v{n}");
        }
        let _ = writeln!(text, "  ret ptr {last}\n}}");
    }
    text
}
