//! Formatted input and output: what a format says that is written and read.
//!
//! Each call of `sscanf` and its like becomes a call that reads the text and
//! says how many conversions were made, and one for each conversion that writes
//! its result (the models `__irkiss_scan`, `__irkiss_scanned`). Before each call
//! of `printf` and its like the strings are read that it prints; one that prints
//! into memory becomes a call that fills it (`__irkiss_put`). A call whose format
//! is no constant, or has a conversion that is not known here, stays as it is.

use inkwell::module::Module;

use super::formats::{Precision, Printed, Scanned, printed, scanned};
use crate::frontend::llvm::build::{Builder, replace};
use crate::frontend::llvm::raw::{Val, constant_text, functions};
use crate::frontend::stubs::Group;

/// A function that reads: its name, the argument that is the text (if it is in memory), the one that is the format.
struct Reads(&'static str, Option<usize>, usize);

/// Those of the C library; the kernel has `sscanf` alone.
const READS: &[Reads] = &[
    Reads("sscanf", Some(0), 1),
    Reads("__isoc99_sscanf", Some(0), 1),
    Reads("__isoc23_sscanf", Some(0), 1),
    Reads("fscanf", None, 1),
    Reads("__isoc99_fscanf", None, 1),
    Reads("__isoc23_fscanf", None, 1),
    Reads("scanf", None, 0),
    Reads("__isoc99_scanf", None, 0),
    Reads("__isoc23_scanf", None, 0),
];

/// Where a function prints to.
#[derive(Clone, Copy)]
enum Into {
    /// A file, or memory of its own.
    File,
    /// The memory that its first argument leads to, as long as that argument says (`None`: as long as is needed).
    Memory(Option<usize>),
}

/// A function that prints: its name, the argument that is the format.
struct Prints(&'static str, usize, Into);

const PRINTS: &[Prints] = &[
    Prints("printf", 0, Into::File),
    Prints("fprintf", 1, Into::File),
    Prints("dprintf", 1, Into::File),
    Prints("asprintf", 1, Into::File),
    Prints("syslog", 1, Into::File),
    Prints("err", 1, Into::File),
    Prints("errx", 1, Into::File),
    Prints("warn", 0, Into::File),
    Prints("warnx", 0, Into::File),
    Prints("error", 2, Into::File),
    Prints("__printf_chk", 1, Into::File),
    Prints("__fprintf_chk", 2, Into::File),
    Prints("__dprintf_chk", 2, Into::File),
    Prints("__asprintf_chk", 2, Into::File),
    Prints("__syslog_chk", 2, Into::File),
    Prints("sprintf", 1, Into::Memory(None)),
    Prints("snprintf", 2, Into::Memory(Some(1))),
    Prints("__sprintf_chk", 3, Into::Memory(None)),
    Prints("__snprintf_chk", 4, Into::Memory(Some(1))),
];

/// The calls of a function that has no body in the module.
fn calls_of<'m>(module: &'m Module<'_>, name: &str) -> Vec<Val<'m>> {
    let declared = functions(module)
        .into_iter()
        .find(|f| f.is_declaration() && f.name() == name);
    let calls = declared.map(|f| (f, f.users()));
    let calls = calls.map(|(f, users)| users.into_iter().filter(move |u| u.callee() == Some(f)));
    calls.into_iter().flatten().collect()
}

/// Takes the calls of `sscanf` and its like apart.
pub fn lower_scans(module: &Module<'_>, group: Group) {
    let pointer_bytes = pointer_bytes(module);
    let builder = Builder::new(module);
    let known = READS
        .iter()
        .filter(|r| group != Group::Linux || r.0 == "sscanf");
    for Reads(name, text, format) in known {
        for call in calls_of(module, name) {
            let args = call.call_args();
            let all = args.get(*format).and_then(|f| constant_text(*f));
            let Some(all) = all.and_then(|f| scanned(&f, pointer_bytes)) else {
                continue;
            };
            let results = &args[format + 1..];
            if results.len() < all.len() {
                continue;
            }
            builder.before(call);
            let counted = all.iter().filter(|s| s.counted).count() as u64;
            let text = text.map_or_else(|| builder.zero(builder.ptr_type()), |n| args[n]);
            let made = builder.call(
                "__irkiss_scan",
                builder.int_type(32),
                &[text, builder.int(32, counted)],
            );
            let mut number = 0;
            for (conversion, result) in all.iter().zip(results) {
                let (model, size) = match conversion.writes {
                    Scanned::Bytes(size) => ("__irkiss_scanned", size),
                    Scanned::Text(width) if group == Group::Linux => {
                        ("__irkiss_scanned", width.map_or(1, |w| w + 1))
                    }
                    Scanned::Text(width) => ("__irkiss_scanned_text", width.unwrap_or(0)),
                };
                let args = [
                    made,
                    builder.int(32, number),
                    *result,
                    builder.int(64, size),
                ];
                builder.call(model, builder.void_type(), &args);
                number += u64::from(conversion.counted);
            }
            replace(call, Some(made));
        }
    }
}

/// Makes the calls of `printf` and its like read and write what their formats say.
pub fn lower_prints(module: &Module<'_>) {
    let pointer_bytes = pointer_bytes(module);
    let builder = Builder::new(module);
    for Prints(name, format, into) in PRINTS {
        for call in calls_of(module, name) {
            let args = call.call_args();
            let text = args.get(*format).and_then(|f| constant_text(*f));
            let Some(output) = text.and_then(|f| printed(&f, pointer_bytes)) else {
                continue;
            };
            let given = &args[format + 1..];
            builder.before(call);
            for (number, memory) in &output.memory {
                let Some(argument) = given.get(*number).copied() else {
                    continue;
                };
                let (model, length) = match memory {
                    Printed::Text(precision) => (
                        "__irkiss_print_string",
                        match precision {
                            Precision::None => builder.int(64, u64::MAX),
                            Precision::Fixed(n) => builder.int(64, *n),
                            // One that is negative is none.
                            Precision::Argument(n) => given
                                .get(*n)
                                .and_then(|n| builder.convert(*n, builder.int_type(64), true))
                                .unwrap_or_else(|| builder.int(64, u64::MAX)),
                        },
                    ),
                    Printed::Count(size) => ("__irkiss_print_count", builder.int(64, *size)),
                };
                builder.call(model, builder.void_type(), &[argument, length]);
            }
            let Into::Memory(size) = into else {
                continue;
            };
            let size = size
                .and_then(|n| builder.convert(args[n], builder.int_type(64), false))
                .unwrap_or_else(|| builder.int(64, u64::MAX));
            let made = match (output.copies, given.first()) {
                (true, Some(string)) => {
                    let args = [args[0], size, *string];
                    builder.call("__irkiss_put_string", builder.int_type(32), &args)
                }
                _ => {
                    let start = builder.text(&output.start);
                    let length = builder.int(64, output.start.len() as u64);
                    let more = builder.int(32, u64::from(!output.constant));
                    let args = [args[0], size, start, length, more];
                    builder.call("__irkiss_put", builder.int_type(32), &args)
                }
            };
            replace(call, Some(made));
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

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
        lower_scans(&module, Group::Linux);
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert_eq!(text.matches("call i32 (ptr, ptr, ...) @sscanf").count(), 1);
        assert_eq!(text.matches("call void @__irkiss_scanned").count(), 2);
        assert!(text.contains("@__irkiss_scan(ptr %s, i32 2)"), "{text}");
    }

    #[test]
    fn output_reads_strings_and_fills_buffers() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"target datalayout = \"e-m:e-i64:64-n8:16:32:64-S128\"
              @f = private constant [9 x i8] c\"a %d %s\\0A\\00\"
              declare i32 @printf(ptr, ...)
              declare i32 @snprintf(ptr, i64, ptr, ...)
              define i32 @g(ptr %s, ptr %to) {
                %x = call i32 (ptr, ...) @printf(ptr @f, i32 1, ptr %s)
                %y = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %to, i64 8, ptr @f, i32 1, ptr %s)
                %z = add i32 %x, %y
                ret i32 %z
              }",
            "t.ll",
        )
        .unwrap();
        lower_prints(&module);
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert_eq!(
            text.matches("call void @__irkiss_print_string(ptr %s, i64 -1)")
                .count(),
            2
        );
        assert_eq!(text.matches("@printf(ptr @f").count(), 1);
        assert!(text.contains("@__irkiss_put(ptr %to, i64 8, "), "{text}");
    }
}
