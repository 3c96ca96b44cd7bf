//! What the kernel looks at before it calls an entry point (`[[needs]]` in rule files, runtime-stubs/linux/needs.c).

use crate::environment::entry::{EntryPoint, Needed};

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
