//! `sscanf`: writes through as many pointers as its format has conversions.
//!
//! Each call becomes a call that reads the text and says how many conversions
//! were made, and one for each conversion that writes its result (the models
//! `__irkiss_scan`, `__irkiss_scanned`). A call whose format is no constant, or
//! has a conversion that is not known here, stays a call of a function without a
//! model.

use inkwell::module::Module;
use llvm_sys::core::*;

use crate::frontend::llvm::build::{Builder, replace};
use crate::frontend::llvm::raw::{Val, constant_text, functions};

/// Takes the calls of `sscanf` apart.
pub fn lower_scans(module: &Module<'_>) {
    let Some(scan) = functions(module)
        .into_iter()
        .find(|f| f.is_declaration() && f.name() == "sscanf")
    else {
        return;
    };
    let pointer_bytes = pointer_bytes(module);
    let builder = Builder::new(module);
    let mut calls = Vec::new();
    unsafe {
        let mut at = LLVMGetFirstUse(scan.raw());
        while !at.is_null() {
            let user = Val::new(LLVMGetUser(at));
            if user.callee() == Some(scan) {
                calls.push(user);
            }
            at = LLVMGetNextUse(at);
        }
    }
    for call in calls {
        let args = call.call_args();
        let Some(sizes) = args
            .get(1)
            .and_then(|f| constant_text(*f))
            .and_then(|f| conversions(&f, pointer_bytes))
        else {
            continue;
        };
        let results = &args[2..];
        if results.len() < sizes.len() {
            continue;
        }
        builder.before(call);
        let counted = sizes.iter().filter(|s| s.counted).count() as u64;
        let made = builder.call(
            "__irkiss_scan",
            builder.int_type(32),
            &[args[0], builder.int(32, counted)],
        );
        let mut number = 0;
        for (conversion, result) in sizes.iter().zip(results) {
            let args = [
                made,
                builder.int(32, number),
                *result,
                builder.int(64, conversion.size),
            ];
            builder.call("__irkiss_scanned", builder.void_type(), &args);
            number += u64::from(conversion.counted);
        }
        replace(call, Some(made));
    }
}

fn pointer_bytes(module: &Module<'_>) -> u64 {
    use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMPointerSize};
    unsafe {
        u64::from(LLVMPointerSize(LLVMGetModuleDataLayout(
            module.as_mut_ptr(),
        )))
    }
}

/// A conversion that has a result.
#[derive(Debug, PartialEq, Eq)]
struct Conversion {
    /// Bytes written; of a text without a width, the first.
    size: u64,
    /// Whether it counts in what `sscanf` returns (`%n` does not).
    counted: bool,
}

/// The conversions of a format (lib/vsprintf.c: vsscanf); `None` if one is not known.
fn conversions(format: &str, pointer_bytes: u64) -> Option<Vec<Conversion>> {
    let mut all = Vec::new();
    let mut rest = format;
    while let Some((_, after)) = rest.split_once('%') {
        rest = after;
        let dropped = take(&mut rest, "*");
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let width: Option<u64> = rest[..digits].parse().ok();
        rest = &rest[digits..];
        let number = [
            ("hh", 1),
            ("h", 2),
            ("ll", 8),
            ("l", pointer_bytes),
            ("L", 8),
            ("z", pointer_bytes),
            ("t", pointer_bytes),
            ("j", 8),
        ]
        .into_iter()
        .find(|(prefix, _)| take(&mut rest, prefix))
        .map_or(4, |(_, size)| size);
        let mut letters = rest.chars();
        let letter = letters.next()?;
        rest = letters.as_str();
        let size = match letter {
            '%' => continue,
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'n' => number,
            'c' => width.unwrap_or(1),
            's' => width.map_or(1, |w| w + 1),
            '[' => {
                // A `]` that comes first is part of the set.
                let set = rest.trim_start_matches('^');
                let skip = rest.len() - set.len() + usize::from(set.starts_with(']'));
                let end = rest.get(skip..)?.find(']')?;
                rest = &rest[skip + end + 1..];
                width.map_or(1, |w| w + 1)
            }
            _ => return None,
        };
        if !dropped {
            all.push(Conversion {
                size,
                counted: letter != 'n',
            });
        }
    }
    Some(all)
}

fn take(rest: &mut &str, prefix: &str) -> bool {
    match rest.strip_prefix(prefix) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn formats() {
        let sizes = |f: &str| -> Option<Vec<u64>> {
            conversions(f, 8).map(|all| all.iter().map(|c| c.size).collect())
        };
        assert_eq!(sizes("%d %hhu:%lx%%%n"), Some(vec![4, 1, 8, 4]));
        assert_eq!(sizes("%*s %15s %c %llu"), Some(vec![16, 1, 8]));
        assert_eq!(sizes("%[^]x] %3[0-9]"), Some(vec![1, 4]));
        assert_eq!(sizes("%pM"), None);
        assert!(!conversions("%n", 8).unwrap()[0].counted);
    }

    #[test]
    fn a_call_is_taken_apart() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"target datalayout = \"e-m:e-i64:64-n8:16:32:64-S128\"
              @f = private constant [6 x i8] c\"%d %u\\00\"
              declare i32 @sscanf(ptr, ptr, ...)
              define i32 @g(ptr %s, ptr %a, ptr %b, ptr %format) {
                %x = call i32 (ptr, ptr, ...) @sscanf(ptr %s, ptr @f, ptr %a, ptr %b)
                %y = call i32 (ptr, ptr, ...) @sscanf(ptr %s, ptr %format, ptr %a)
                %z = add i32 %x, %y
                ret i32 %z
              }",
            "t.ll",
        )
        .unwrap();
        lower_scans(&module);
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert_eq!(text.matches("call i32 (ptr, ptr, ...) @sscanf").count(), 1);
        assert_eq!(text.matches("call void @__irkiss_scanned").count(), 2);
        assert!(text.contains("@__irkiss_scan(ptr %s, i32 2)"), "{text}");
    }
}
