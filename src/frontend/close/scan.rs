//! Formatted input and output: what a format says that is written and read.
//!
//! A call of `sscanf` becomes a call for each part of the format, which goes on in the text where the one before has ended
//! (runtime-stubs/pthread/scan.c). Of what a file gives nothing is known: there is a call that says how many conversions
//! were made, and one for each that writes its result (the models `__irkiss_scan`, `__irkiss_scanned`); so it is in the kernel.
//! Before each call of `printf` and its like the strings are read that it prints; one that prints into memory becomes a call for
//! each part of the format (runtime-stubs/pthread/print.c). A call whose format is no constant, or has a conversion that is not
//! known here, stays as it is.

use inkwell::module::Module;

use super::formats::{
    Amount, Conversion, Printed, Printing, Reads as Read, Scanned, Writes, flags, printed, scanned,
};
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
    /// A file.
    File,
    /// The memory that its first argument leads to, as long as that argument says (`None`: as long as is needed).
    Memory(Option<usize>),
    /// Memory of its own, whose address it writes where its first argument leads to.
    New,
}

/// A function that prints: its name, the argument that is the format.
struct Prints(&'static str, usize, Into);

const PRINTS: &[Prints] = &[
    Prints("printf", 0, Into::File),
    Prints("fprintf", 1, Into::File),
    Prints("dprintf", 1, Into::File),
    Prints("asprintf", 1, Into::New),
    Prints("syslog", 1, Into::File),
    Prints("err", 1, Into::File),
    Prints("errx", 1, Into::File),
    Prints("warn", 0, Into::File),
    Prints("warnx", 0, Into::File),
    Prints("error", 2, Into::File),
    Prints("__printf_chk", 1, Into::File),
    Prints("__fprintf_chk", 2, Into::File),
    Prints("__dprintf_chk", 2, Into::File),
    Prints("__asprintf_chk", 2, Into::New),
    Prints("__syslog_chk", 2, Into::File),
    Prints("sprintf", 1, Into::Memory(None)),
    Prints("snprintf", 2, Into::Memory(Some(1))),
    Prints("__sprintf_chk", 3, Into::Memory(None)),
    Prints("__snprintf_chk", 4, Into::Memory(Some(1))),
];

/// The calls of a function that has no body in the module.
pub(super) fn calls_of<'m>(module: &'m Module<'_>, name: &str) -> Vec<Val<'m>> {
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
            let conversions = all.iter().filter_map(|part| match part {
                Read::Conversion(c) if !c.dropped => Some(c),
                Read::Conversion(_) | Read::Text(_) => None,
            });
            let conversions: Vec<&Conversion> = conversions.collect();
            if results.len() < conversions.len() {
                continue;
            }
            builder.before(call);
            let made = match text {
                Some(text) if group != Group::Linux => {
                    scan_text(&builder, args[*text], &all, results)
                }
                _ => {
                    let text = text.map_or_else(|| builder.zero(builder.ptr_type()), |n| args[n]);
                    scan_anything(&builder, group, text, &conversions, results)
                }
            };
            replace(call, Some(made));
        }
    }
}

/// The conversions of a text in memory; how many were made.
fn scan_text<'m>(
    builder: &Builder<'m>,
    text: Val<'m>,
    parts: &[Read],
    results: &[Val<'m>],
) -> Val<'m> {
    let word = builder.int_type(64);
    let mut results = results.iter();
    let mut state = builder.int(64, 0);
    for part in parts {
        let conversion = match part {
            Read::Text(expected) => {
                let args = [state, text, builder.text(expected)];
                state = builder.call("__irkiss_scan_text", word, &args);
                continue;
            }
            Read::Conversion(conversion) => conversion,
        };
        let nothing = builder.zero(builder.ptr_type());
        let result = (!conversion.dropped).then(|| results.next().copied());
        let to = result.flatten().unwrap_or(nothing);
        let width = builder.int(64, conversion.width.unwrap_or(0));
        let size = builder.int(64, conversion.size);
        state = match &conversion.of {
            Scanned::Number(base) => {
                let args = [
                    state,
                    text,
                    builder.int(32, u64::from(*base)),
                    width,
                    to,
                    size,
                ];
                builder.call("__irkiss_scan_number", word, &args)
            }
            Scanned::Float => {
                builder.call("__irkiss_scan_float", word, &[state, text, width, to, size])
            }
            Scanned::Characters => {
                let width = builder.int(64, conversion.width.unwrap_or(1));
                builder.call("__irkiss_scan_characters", word, &[state, text, width, to])
            }
            Scanned::Word => builder.call(
                "__irkiss_scan_string",
                word,
                &[state, text, nothing, width, to],
            ),
            Scanned::Set(set) => {
                let args = [state, text, builder.text(set), width, to];
                builder.call("__irkiss_scan_string", word, &args)
            }
            Scanned::Place if conversion.dropped => continue,
            Scanned::Place => {
                builder.call(
                    "__irkiss_keep_place",
                    builder.void_type(),
                    &[state, to, size],
                );
                continue;
            }
        };
    }
    builder.call("__irkiss_scan_made", builder.int_type(32), &[state])
}

/// The conversions of something of which nothing is known.
fn scan_anything<'m>(
    builder: &Builder<'m>,
    group: Group,
    text: Val<'m>,
    conversions: &[&Conversion],
    results: &[Val<'m>],
) -> Val<'m> {
    let counts = |c: &Conversion| c.of != Scanned::Place;
    let counted = conversions.iter().filter(|c| counts(c)).count() as u64;
    let args = [text, builder.int(32, counted)];
    let made = builder.call("__irkiss_scan", builder.int_type(32), &args);
    let mut number = 0;
    for (conversion, result) in conversions.iter().zip(results) {
        let (model, size) = match (&conversion.of, conversion.width) {
            (Scanned::Number(_) | Scanned::Float | Scanned::Place, _) => {
                ("__irkiss_scanned", conversion.size)
            }
            (Scanned::Characters, width) => ("__irkiss_scanned", width.unwrap_or(1)),
            (Scanned::Word | Scanned::Set(_), width) if group == Group::Linux => {
                ("__irkiss_scanned", width.map_or(1, |w| w + 1))
            }
            (Scanned::Word | Scanned::Set(_), width) => {
                ("__irkiss_scanned_text", width.unwrap_or(0))
            }
        };
        let args = [
            made,
            builder.int(32, number),
            *result,
            builder.int(64, size),
        ];
        builder.call(model, builder.void_type(), &args);
        number += u64::from(counts(conversion));
    }
    made
}

/// Makes the calls of `printf` and its like read and write what their formats say.
pub fn lower_prints(module: &Module<'_>) {
    let pointer_bytes = pointer_bytes(module);
    let builder = Builder::new(module);
    for Prints(name, format, into) in PRINTS {
        for call in calls_of(module, name) {
            let args = call.call_args();
            let text = args.get(*format).and_then(|f| constant_text(*f));
            let Some(parts) = text.and_then(|f| printed(&f, pointer_bytes)) else {
                continue;
            };
            let given = &args[format + 1..];
            builder.before(call);
            match into {
                Into::File => read_printed(&builder, &parts, given),
                Into::Memory(size) => {
                    let size = size
                        .and_then(|n| builder.convert(args[n], builder.int_type(64), false))
                        .unwrap_or_else(|| builder.int(64, u64::MAX));
                    let at = put(&builder, (args[0], size), &parts, given);
                    let args = [args[0], size, at];
                    let made = builder.call("__irkiss_put_end", builder.int_type(32), &args);
                    replace(call, Some(made));
                }
                Into::New => {
                    let text = builder.call("__irkiss_new_text", builder.ptr_type(), &[]);
                    let at = put(&builder, (text, builder.int(64, NEW_TEXT)), &parts, given);
                    let args = [args[0], text, at];
                    let made = builder.call("__irkiss_keep_text", builder.int_type(32), &args);
                    replace(call, Some(made));
                }
            }
        }
    }
}

/// How long a text is made that is as long as is needed (runtime-stubs/pthread/print.c: ROOM).
const NEW_TEXT: u64 = 128;

/// A width or a precision, as a number of 64 bits with a sign.
fn amount<'m>(builder: &Builder<'m>, amount: Amount, given: &[Val<'m>], none: u64) -> Val<'m> {
    match amount {
        Amount::None => builder.int(64, none),
        Amount::Fixed(n) => builder.int(64, n),
        Amount::Argument(n) => given
            .get(n)
            .and_then(|n| builder.convert(*n, builder.int_type(64), true))
            .unwrap_or_else(|| builder.int(64, none)),
    }
}

/// Reads the strings that are printed to a file, and writes how much was printed.
fn read_printed<'m>(builder: &Builder<'m>, parts: &[Writes], given: &[Val<'m>]) {
    for part in parts {
        let Writes::Conversion(conversion) = part else {
            continue;
        };
        let Some(argument) = given.get(conversion.argument).copied() else {
            continue;
        };
        let (model, length) = match conversion.of {
            Printed::String => {
                let precision = amount(builder, conversion.precision, given, u64::MAX);
                ("__irkiss_print_string", precision)
            }
            Printed::Place => ("__irkiss_print_count", builder.int(64, conversion.size)),
            Printed::Number(..) | Printed::Character | Printed::Address | Printed::Other => {
                continue;
            }
        };
        builder.call(model, builder.void_type(), &[argument, length]);
    }
}

/// Prints into memory of so many bytes; how much it would have been.
fn put<'m>(
    builder: &Builder<'m>,
    (to, size): (Val<'m>, Val<'m>),
    parts: &[Writes],
    given: &[Val<'m>],
) -> Val<'m> {
    let word = builder.int_type(64);
    let mut at = builder.int(64, 0);
    for part in parts {
        at = match part {
            Writes::Text(text) => {
                let length = builder.int(64, text.len() as u64);
                let args = [to, size, at, builder.text(text), length];
                builder.call("__irkiss_put_text", word, &args)
            }
            Writes::Conversion(conversion) => {
                let argument = given.get(conversion.argument).copied();
                put_one(builder, [to, size, at], conversion, argument, given)
                    .unwrap_or_else(|| builder.call("__irkiss_put_any", word, &[to, size, at]))
            }
        };
    }
    at
}

/// Prints one conversion; `None` for what is not followed.
fn put_one<'m>(
    builder: &Builder<'m>,
    [to, size, at]: [Val<'m>; 3],
    conversion: &Printing,
    argument: Option<Val<'m>>,
    given: &[Val<'m>],
) -> Option<Val<'m>> {
    let (word, argument) = (builder.int_type(64), argument?);
    let width = amount(builder, conversion.width, given, 0);
    let precision = amount(builder, conversion.precision, given, u64::MAX);
    let how = |more: u32| builder.int(32, u64::from(conversion.flags | more));
    match conversion.of {
        Printed::String => {
            let args = [to, size, at, argument, how(0), width, precision];
            Some(builder.call("__irkiss_put_string", word, &args))
        }
        Printed::Number(base, signed) => {
            let bits = u32::try_from(conversion.size * 8).ok()?;
            let number = match argument.ty().int_bits() {
                0 => argument,
                _ => builder.convert(argument, builder.int_type(bits), signed)?,
            };
            let number = builder.convert(number, word, signed)?;
            let how = how(base | if signed { flags::SIGNED } else { 0 });
            let args = [to, size, at, number, how, width, precision];
            Some(builder.call("__irkiss_put_number", word, &args))
        }
        Printed::Character => {
            let character = builder.convert(argument, builder.int_type(32), false)?;
            let args = [to, size, at, character, how(0), width];
            Some(builder.call("__irkiss_put_character", word, &args))
        }
        Printed::Place => {
            let args = [at, argument, builder.int(64, conversion.size)];
            builder.call("__irkiss_keep_place", builder.void_type(), &args);
            Some(at)
        }
        Printed::Address | Printed::Other => None,
    }
}

pub(super) fn pointer_bytes(module: &Module<'_>) -> u64 {
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
    fn a_text_is_read_part_by_part() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"target datalayout = \"e-m:e-i64:64-n8:16:32:64-S128\"
              @f = private constant [6 x i8] c\"%dx%s\\00\"
              declare i32 @sscanf(ptr, ptr, ...)
              define i32 @g(ptr %s, ptr %a, ptr %b) {
                %x = call i32 (ptr, ptr, ...) @sscanf(ptr %s, ptr @f, ptr %a, ptr %b)
                ret i32 %x
              }",
            "t.ll",
        )
        .unwrap();
        lower_scans(&module, Group::Pthread);
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        for part in ["number", "text", "string", "made"] {
            assert!(
                text.contains(&format!("@__irkiss_scan_{part}(i64")),
                "{text}"
            );
        }
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
            1
        );
        assert_eq!(text.matches("@printf(ptr @f").count(), 1);
        for part in ["text", "number", "string", "end"] {
            assert!(
                text.contains(&format!("@__irkiss_put_{part}(ptr %to, i64 8, ")),
                "{text}"
            );
        }
    }
}
