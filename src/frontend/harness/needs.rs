//! What the kernel looks at before it calls an entry point (`[[needs]]` in rule files, runtime-stubs/linux/handlers.c).

use crate::environment::entry::EntryPoint;

/// Text before the call of an entry point with those arguments.
pub fn before(entry: &EntryPoint, arguments: &str) -> String {
    let Some(need) = &entry.needs else {
        return String::new();
    };
    let argument = arguments.split(", ").nth(need.argument);
    let Some(object) = argument.and_then(|a| a.strip_prefix("ptr %")) else {
        return String::new();
    };
    format!(
        "  %needed.{object} = getelementptr i8, ptr %{object}, i64 {}\n  \
         call void @__irkiss_needs(ptr %needed.{object}, i32 {})\n",
        need.offset, need.bits
    )
}
