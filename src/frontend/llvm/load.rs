//! Reading input files: bitcode, LLVM assembly, objects that carry bitcode; linking and verifying them.
//!
//! LLVM calls malformed bitcode no security matter: its reader may crash. All of
//! this runs in the child process.

use std::ffi::c_void;
use std::path::Path;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::raw::take_message;
use crate::error::InputError;

/// Largest file that is read: beyond it, it is no module that could be checked.
const MAX_FILE: u64 = 1 << 30;

/// What LLVM says beside its return values. The default handler would print, and end the process at an error.
#[derive(Default)]
pub struct Diagnostics {
    /// Messages of errors, in order.
    pub errors: Vec<String>,
}

impl Diagnostics {
    /// Collects the diagnostics of `context` into the result, which must live as long as the context is used.
    pub fn collect(context: &Context) -> Box<Diagnostics> {
        let mut diagnostics = Box::<Diagnostics>::default();
        let place: *mut Diagnostics = &mut *diagnostics;
        unsafe {
            LLVMContextSetDiagnosticHandler(context.raw(), Some(note), place.cast::<c_void>());
        }
        diagnostics
    }

    /// Stops collecting.
    pub fn stop(context: &Context) {
        unsafe {
            LLVMContextSetDiagnosticHandler(context.raw(), Some(ignore), std::ptr::null_mut())
        };
    }
}

extern "C" fn note(info: LLVMDiagnosticInfoRef, place: *mut c_void) {
    unsafe {
        if matches!(
            LLVMGetDiagInfoSeverity(info),
            llvm_sys::LLVMDiagnosticSeverity::LLVMDSError
        ) {
            let message = take_message(LLVMGetDiagInfoDescription(info));
            (*place.cast::<Diagnostics>()).errors.push(message);
        }
    }
}

extern "C" fn ignore(_: LLVMDiagnosticInfoRef, _: *mut c_void) {}

/// Reads one input file.
///
/// # Errors
/// A file that cannot be read, is no bitcode or LLVM assembly, or is malformed. The message names producer and reader
/// where LLVM knows them (bitcode newer than the reader).
pub fn read<'c>(context: &'c Context, path: &Path) -> Result<Module<'c>, InputError> {
    let place = path.display();
    let error = |what: String| InputError::new(place.to_string(), what);
    let meta = std::fs::metadata(path).map_err(|e| error(e.to_string()))?;
    if meta.is_dir() {
        return Err(error("is a folder".to_string()).advise(format!(
            "its bitcode: irkiss {place}/*.bc; what a build kept below it: irkiss show {place}; many files: irkiss sweep plan"
        )));
    }
    if !meta.is_file() {
        let what = "is no file that can be read more than once".to_string();
        return Err(error(what).advise("write it to a file first"));
    }
    if meta.len() > MAX_FILE {
        return Err(error("is larger than 1 GiB".to_string()));
    }
    let bytes = std::fs::read(path).map_err(|e| error(e.to_string()))?;
    parse(context, &bytes, &place.to_string())
}

/// Parses bitcode, LLVM assembly or an object that carries bitcode.
///
/// # Errors
/// As [`read`].
pub fn parse<'c>(context: &'c Context, bytes: &[u8], name: &str) -> Result<Module<'c>, InputError> {
    let content = classify(bytes, name)?;
    let code = match content {
        Content::Bitcode(code) => code.to_vec(),
        Content::Assembly => bytes.to_vec(),
        Content::Object => bitcode_section(bytes).ok_or_else(|| {
            InputError::new(name, "an object file without bitcode")
                .advise("compile with clang -c -emit-llvm -g")
        })?,
    };
    let buffer = MemoryBuffer::create_from_memory_range_copy(&code, name);
    let diagnostics = Diagnostics::collect(context);
    let module = context.create_module_from_ir(buffer);
    Diagnostics::stop(context);
    let module = module.map_err(|e| {
        let mut said = e.to_string();
        if said.trim().is_empty() {
            said = diagnostics.errors.join("; ");
        }
        malformed(name, &code, &said)
    })?;
    if let Some(first) = diagnostics.errors.first() {
        return Err(malformed(name, &code, first));
    }
    module.verify().map_err(|e| {
        InputError::new(
            name,
            format!("invalid LLVM module: {}", first_line(&e.to_string())),
        )
    })?;
    Ok(module)
}

/// Parses bitcode that the build made and that is to be linked into a module: the body of a function is read when the linker
/// takes it. Nothing is verified; until then functions are definitions without blocks.
///
/// # Errors
/// What LLVM says if it is no bitcode.
pub fn parse_lazily<'c>(
    context: &'c Context,
    bytes: &[u8],
    name: &str,
) -> Result<Module<'c>, InputError> {
    let mut module = std::ptr::null_mut();
    // The module owns the buffer, also if there is none.
    let failed = unsafe {
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            bytes.as_ptr().cast(),
            bytes.len(),
            c"models".as_ptr(),
        );
        LLVMGetBitcodeModuleInContext2(context.raw(), buffer, &mut module) != 0
    };
    if failed {
        return Err(InputError::new(name, "cannot be read as LLVM bitcode"));
    }
    Ok(unsafe { Module::new(module) })
}

fn malformed(name: &str, code: &[u8], said: &str) -> InputError {
    let said = said.trim();
    let said = first_line(said);
    let error = InputError::new(name, format!("cannot be read as LLVM bitcode: {said}"));
    // A list of how files are compiled (compile_commands.json), a report.
    if Path::new(name).extension().is_some_and(|e| e == "json") {
        return error.advise(
            format!(
            "if it is a compile_commands.json: irkiss sweep plan STORE {name}; if it is a report: irkiss show {name}"
        ),
        );
    }
    match version_advice(code) {
        Some(advice) => error.advise(advice),
        None => error,
    }
}

/// Who wrote the bitcode and who reads it, if the writer is newer than the reader.
pub fn version_advice(code: &[u8]) -> Option<String> {
    let producer = super::identification::producer(code)?;
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    unsafe { LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    let written = producer
        .strip_prefix("LLVM")?
        .split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse::<u32>()
        .ok()?;
    Some(if written > major {
        format!(
            "written by {producer}, this irkiss reads up to LLVM {major}: compile with an older clang"
        )
    } else {
        format!("written by {producer}, read by LLVM {major}.{minor}.{patch}: the file is damaged")
    })
}

enum Content<'b> {
    Bitcode(&'b [u8]),
    Assembly,
    Object,
}

/// What the first bytes say.
fn classify<'b>(bytes: &'b [u8], name: &str) -> Result<Content<'b>, InputError> {
    let wrong = |what: &str, advice: &str| Err(InputError::new(name, what).advise(advice));
    const CLANG: &str = "compile with clang -c -emit-llvm -g";
    match bytes {
        [] => wrong("the file is empty", CLANG),
        [b'B', b'C', 0xc0, 0xde, ..] => Ok(Content::Bitcode(bytes)),
        // Darwin's wrapper: magic, version, offset, size, CPU type.
        [0xde, 0xc0, 0x17, 0x0b, ..] => {
            let word = |at: usize| {
                let b = bytes.get(at..at + 4)?;
                Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
            };
            match (word(8), word(12)) {
                (Some(from), Some(size))
                    if from.checked_add(size).is_some_and(|e| e <= bytes.len()) =>
                {
                    Ok(Content::Bitcode(&bytes[from..from + size]))
                }
                _ => wrong("truncated bitcode wrapper", "compile again"),
            }
        }
        [0x7f, b'E', b'L', b'F', ..] => Ok(Content::Object),
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => {
            wrong("an archive, not bitcode", "give its members (ar x)")
        }
        _ if name.ends_with(".bc") || name.ends_with(".o") || name.ends_with(".ko") => {
            wrong("not LLVM bitcode", CLANG)
        }
        // Source text first: LLVM's parser would say something about tokens.
        _ if [".c", ".cc", ".cpp", ".h"]
            .iter()
            .any(|e| name.ends_with(e)) =>
        {
            wrong("C source, not LLVM bitcode", CLANG)
        }
        _ if std::str::from_utf8(bytes).is_ok() => Ok(Content::Assembly),
        _ => wrong("neither LLVM bitcode nor LLVM assembly", CLANG),
    }
}

/// Sections of object files that hold bitcode: of `-fembed-bitcode`, of `-ffat-lto-objects`.
const SECTIONS: [&[u8]; 2] = [b".llvmbc", b".llvm.lto"];

/// Content of the first such section of an object file.
fn bitcode_section(bytes: &[u8]) -> Option<Vec<u8>> {
    use llvm_sys::object::*;
    unsafe {
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            bytes.as_ptr().cast(),
            bytes.len(),
            c"object".as_ptr(),
        );
        let mut message = std::ptr::null_mut();
        let binary = LLVMCreateBinary(buffer, std::ptr::null_mut(), &mut message);
        if binary.is_null() {
            take_message(message);
            LLVMDisposeMemoryBuffer(buffer);
            return None;
        }
        let section = LLVMObjectFileCopySectionIterator(binary);
        let mut found = None;
        while found.is_none() && LLVMObjectFileIsSectionIteratorAtEnd(binary, section) == 0 {
            let name = LLVMGetSectionName(section);
            if !name.is_null() && SECTIONS.contains(&std::ffi::CStr::from_ptr(name).to_bytes()) {
                let (start, len) = (LLVMGetSectionContents(section), LLVMGetSectionSize(section));
                if !start.is_null() && len > 0 {
                    let len = usize::try_from(len).ok()?;
                    found = Some(std::slice::from_raw_parts(start.cast::<u8>(), len).to_vec());
                }
            }
            LLVMMoveToNextSection(section);
        }
        LLVMDisposeSectionIterator(section);
        LLVMDisposeBinary(binary);
        LLVMDisposeMemoryBuffer(buffer);
        found
    }
}

/// Target triple and data layout of a module, as text.
pub fn target_of(module: &Module<'_>) -> (String, String) {
    let text = |ptr: *const std::ffi::c_char| {
        if ptr.is_null() {
            String::new()
        } else {
            unsafe { std::ffi::CStr::from_ptr(ptr) }
                .to_string_lossy()
                .into_owned()
        }
    };
    unsafe {
        (
            text(LLVMGetTarget(module.as_mut_ptr())),
            text(LLVMGetDataLayoutStr(module.as_mut_ptr())),
        )
    }
}

/// The data layout of hand-written modules that name none.
const X86_64_LAYOUT: &str =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// Gives a module without triple and data layout those of x86-64 Linux.
pub fn assume_target(module: &Module<'_>) {
    use inkwell::targets::{TargetData, TargetTriple};
    let (triple, layout) = target_of(module);
    if triple.is_empty() && layout.is_empty() {
        module.set_triple(&TargetTriple::create("x86_64-unknown-linux-gnu"));
        let data = TargetData::create(X86_64_LAYOUT);
        module.set_data_layout(&data.get_data_layout());
    }
}

/// Gives `module` the target of `like`.
pub fn set_target(module: &Module<'_>, like: &Module<'_>) {
    unsafe {
        let target = LLVMGetTarget(like.as_mut_ptr());
        if !target.is_null() {
            LLVMSetTarget(module.as_mut_ptr(), target);
        }
        LLVMSetDataLayout(module.as_mut_ptr(), LLVMGetDataLayoutStr(like.as_mut_ptr()));
    }
}

/// Gives the module flags of `module` (size of wchar_t, relocation model, …) the values that `like` has for them: those of
/// our own code have no meaning of their own and must not conflict.
pub fn adopt_flags(module: &Module<'_>, like: &Module<'_>) {
    let theirs = flags(like);
    for (name, node, _) in flags(module) {
        let Some((_, _, other)) = theirs.iter().find(|(n, ..)| *n == name) else {
            continue;
        };
        for place in [0, 2] {
            if let Some(value) = other.get(place) {
                unsafe {
                    LLVMReplaceMDNodeOperandWith(node, place as u32, LLVMValueAsMetadata(*value));
                }
            }
        }
    }
}

/// Name, node and operands (behaviour, name, value) of the module flags whose values are constants.
fn flags(module: &Module<'_>) -> Vec<(String, LLVMValueRef, Vec<LLVMValueRef>)> {
    let name = c"llvm.module.flags".as_ptr();
    unsafe {
        let count = LLVMGetNamedMetadataNumOperands(module.as_mut_ptr(), name) as usize;
        let mut nodes = vec![std::ptr::null_mut(); count];
        LLVMGetNamedMetadataOperands(module.as_mut_ptr(), name, nodes.as_mut_ptr());
        nodes
            .into_iter()
            .filter_map(|node| {
                let mut operands =
                    vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
                LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
                let [behaviour, name, value] = operands.as_slice() else {
                    return None;
                };
                let constant = |v: LLVMValueRef| !v.is_null() && !LLVMIsAConstantInt(v).is_null();
                if !constant(*behaviour) || !constant(*value) || LLVMIsAMDString(*name).is_null() {
                    return None;
                }
                let mut len = 0;
                let key = LLVMGetMDString(*name, &mut len);
                Some((super::raw::text(key, len as usize), node, operands))
            })
            .collect()
    }
}

/// How the message begins that two files do not go together.
pub const NOT_LINKED: &str = "cannot be linked";

/// Links `other` into `into`.
///
/// # Errors
/// Modules for different targets, and what the linker says (a symbol defined twice).
pub fn link<'c>(into: &Module<'c>, other: Module<'c>, name: &str) -> Result<(), InputError> {
    let (triple, layout) = target_of(into);
    let (other_triple, other_layout) = target_of(&other);
    let arch = |t: &str| t.split('-').next().unwrap_or_default().to_string();
    if !other_layout.is_empty() && !layout.is_empty() && other_layout != layout
        || arch(&triple) != arch(&other_triple) && !triple.is_empty() && !other_triple.is_empty()
    {
        return Err(InputError::new(
            name,
            format!("compiled for {other_triple}, the files before it for {triple}"),
        ));
    }
    into.link_in_module(other).map_err(|said| {
        let said = said.to_string();
        let said = said.trim_end_matches('!').replace("\\'", "'");
        InputError::new(name, format!("{NOT_LINKED}: {said}"))
            .advise("files of one module or program are linked; give others to a call each")
    })
}

/// The part of a verifier's message that fits a line.
pub fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8], name: &str) -> String {
        let context = Context::create();
        match parse(&context, bytes, name) {
            Ok(_) => panic!("parsed"),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn each_sort_of_wrong_file_has_its_message() {
        assert!(message(b"", "a.bc").contains("empty"));
        assert!(message(b"\x7fELF nothing", "a.o").contains("without bitcode"));
        assert!(message(b"!<arch>\n", "a.a").contains("archive"));
        assert!(message(b"int main;", "a.c").contains("C source"));
        assert!(message(b"GIF89a", "a.bc").contains("not LLVM bitcode"));
        assert!(message(b"what is this", "a.ll").contains("cannot be read"));
        assert!(message(b"BC\xc0\xde", "a.bc").contains("cannot be read"));
    }

    #[test]
    fn invalid_modules_are_refused() {
        let m = message(
            b"define i32 @f() { %a = add i32 %b, 1\n %b = add i32 %a, 1\n ret i32 %a }",
            "a.ll",
        );
        assert!(m.contains("invalid LLVM module"), "{m}");
    }

    #[test]
    fn modules_of_different_targets_are_not_linked() {
        let context = Context::create();
        let one = parse(&context, b"target triple = \"x86_64-linux-gnu\"\n", "a.ll").unwrap();
        let two = parse(&context, b"target triple = \"s390x-linux-gnu\"\n", "b.ll").unwrap();
        let e = link(&one, two, "b.ll").unwrap_err().to_string();
        assert!(e.contains("s390x-linux-gnu"), "{e}");
    }

    #[test]
    fn flags_of_our_own_code_give_way() {
        let context = Context::create();
        let text = |size: u32, extra: &str| {
            format!(
                "define void @f{size}() {{ ret void }}
                 !llvm.module.flags = !{{!0{extra}}}
                 !0 = !{{i32 1, !\"wchar_size\", i32 {size}}}"
            )
        };
        let one = parse(&context, text(2, "").as_bytes(), "a.ll").unwrap();
        let two = parse(&context, text(4, "").as_bytes(), "b.ll").unwrap();
        adopt_flags(&two, &one);
        link(&one, two, "b.ll").unwrap();
    }

    #[test]
    fn symbols_defined_twice_are_named() {
        let context = Context::create();
        let one = parse(&context, b"define void @f() { ret void }", "a.ll").unwrap();
        let two = parse(&context, b"define void @f() { ret void }", "b.ll").unwrap();
        let e = link(&one, two, "b.ll").unwrap_err().to_string();
        assert!(e.contains("f"), "{e}");
    }
}
