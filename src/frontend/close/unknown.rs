//! What a function of which nothing is known may do with what a program gives it.
//!
//! It may write what a pointer leads to whose target is not `const`, and reads it otherwise, as far as the type in its declaration tells
//! how much that is, of numbers as many as all calls are seen to give, else the first ([`super::given`]); a pointer in an object is written
//! and taken to lead where it led; objects of a type that the program does not know are its own. So with what is given without a declaration
//! (`ioctl(fd, request, &size)`), which it reads where a text comes before, as formats do. It may call a function that it is given, or that
//! stands in a struct that it is given, now or later from a thread of its own (`runtime-stubs/pthread/outside.c`).

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement};

use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::debug_info::{DebugInfo, Md};
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, LLVMValueKind, Val, functions, resolve_alias};

use super::buffers;
use super::given::in_all_calls;
use super::models::mark_as_model;
use super::untyped::as_called;

/// Structs in structs that are looked into.
pub(super) const MAX_DEPTH: u32 = 3;
/// Pointers of an array that are followed.
const MAX_POINTERS: usize = 16;
/// Functions that one pointer may be: of more it is not said which.
const MAX_FUNCTIONS: usize = 16;

/// DWARF tags.
pub(super) mod tag {
    pub const ARRAY: u16 = 0x01;
    pub const POINTER: u16 = 0x0f;
    pub const STRUCT: u16 = 0x13;
    pub const SUBROUTINE: u16 = 0x15;
    pub const TYPEDEF: u16 = 0x16;
    pub const UNION: u16 = 0x17;
    pub const CONST: u16 = 0x26;
    pub const VOLATILE: u16 = 0x35;
    pub const RESTRICT: u16 = 0x37;
    pub const ATOMIC: u16 = 0x47;
}

/// The models that do it, and how many pointers and numbers they take, in order.
const MODELS: [(&str, usize, bool); 6] = [
    ("__irkiss_outside_calls", 3, false),
    ("__irkiss_outside_calls_field", 4, false),
    (WRITES, 2, true),
    (READS, 2, true),
    ("__irkiss_outside_points", 2, false),
    (REWRITES, 2, false),
];

pub(super) const WRITES: &str = "__irkiss_outside_writes";
pub(super) const READS: &str = "__irkiss_outside_reads";
const REWRITES: &str = "__irkiss_outside_rewrites";

/// Declares the models, so that they are linked.
pub fn declare_models(module: &Module<'_>) {
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        for (name, pointers, number) in MODELS {
            let mut params = vec![LLVMPointerTypeInContext(context, 0); pointers];
            if number {
                params.push(LLVMIntTypeInContext(context, 64));
            }
            let void = LLVMVoidTypeInContext(context);
            let ty = LLVMFunctionType(void, params.as_mut_ptr(), params.len() as u32, 0);
            let name = std::ffi::CString::new(name).unwrap_or_default();
            LLVMAddFunction(module.as_mut_ptr(), name.as_ptr(), ty);
        }
    }
}

/// Nobody calls the models before functions get their bodies: until then they must not go with what nobody needs.
pub fn keep_models(module: &Module<'_>, linkage: llvm_sys::LLVMLinkage) {
    for function in functions(module) {
        let name = function.name();
        let of_programs = MODELS.iter().any(|(m, ..)| *m == name);
        let of_drivers = [buffers::READS, buffers::WRITES].contains(&name.as_str());
        if (of_programs || of_drivers) && !function.is_declaration() {
            unsafe { LLVMSetLinkage(function.raw(), linkage) };
        }
    }
}

/// What may happen to a part of what an argument leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// So many bytes are written.
    Bytes(u64),
    /// So many bytes are read.
    Read(u64),
    /// A pointer is written.
    Pointer,
    /// A pointer in an object is written; it is taken to lead where it led.
    Kept,
    /// A function whose pointer stands there is called.
    Function,
}

/// What may happen to an argument.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Argument {
    /// It is a function, which is called.
    pub(super) function: bool,
    /// It is handed to the functions that are called.
    pub(super) context: bool,
    /// Parts of what it leads to, by byte offset.
    pub(super) parts: Vec<(u64, Part)>,
}

/// What may happen to the arguments of a function that is only declared.
pub struct Outside<'m> {
    arguments: Vec<Argument>,
    /// What is called, and how: a function that takes the pointer and the context.
    calls: Option<Val<'m>>,
    /// Whether nothing tells what happens to some memory that it is given and others may use.
    untold: bool,
}

impl<'m> Outside<'m> {
    /// Of that function, as its declaration tells.
    pub fn of(module: &'m Module<'_>, function: Val<'m>) -> Outside<'m> {
        let (mut arguments, untold) = arguments(module, function);
        let count = arguments.len();
        let calls_back =
            |a: &Argument| a.function || a.parts.iter().any(|(_, p)| *p == Part::Function);
        let back: Vec<usize> = (0..count).filter(|n| calls_back(&arguments[*n])).collect();
        if back.is_empty() {
            for a in &mut arguments {
                a.context = false;
            }
            return Outside {
                arguments,
                calls: None,
                untold,
            };
        }
        // What is handed on is not written besides.
        for a in arguments.iter_mut().filter(|a| a.context) {
            a.parts.clear();
        }
        let candidates = candidates(module, function, &back);
        let calls = dispatch(module, &function.name(), &candidates);
        Outside {
            arguments,
            calls: Some(calls),
            untold,
        }
    }

    /// Of a function of which it is known that it writes nothing: what it reads.
    pub fn reads(module: &'m Module<'_>, function: Val<'m>) -> Outside<'m> {
        let mut outside = Outside {
            arguments: arguments(module, function).0,
            calls: None,
            untold: false,
        };
        for argument in &mut outside.arguments {
            (argument.function, argument.context) = (false, false);
            for (_, part) in &mut argument.parts {
                if let Part::Bytes(bytes) = *part {
                    *part = Part::Read(bytes);
                }
            }
            let reads = |(_, part): &(u64, Part)| matches!(part, Part::Read(_));
            argument.parts.retain(reads);
        }
        outside
    }

    /// Builds it, where `builder` is, in the body of the function.
    pub fn build(&self, builder: &Builder<'m>, function: Val<'m>) {
        let pointer = builder.ptr_type();
        let params = function.params();
        if self.untold {
            let what = builder.text(&format!(
                "what {} does with memory that it is given: its declaration has no types (-O0)",
                function.name()
            ));
            builder.call("__irkiss_gap", builder.void_type(), &[what]);
        }
        let given = |n: usize| params[n].ty().kind() == LLVMTypeKind::LLVMPointerTypeKind;
        let context = (0..params.len())
            .find(|n| self.arguments[*n].context && given(*n))
            .map_or_else(|| builder.zero(pointer), |n| params[n]);
        for (n, argument) in self.arguments.iter().enumerate().filter(|(n, _)| given(*n)) {
            for (offset, part) in &argument.parts {
                let place = builder.offset(params[n], builder.int(64, *offset));
                match (part, self.calls) {
                    (Part::Bytes(size), _) => {
                        let args = [params[n], place, builder.int(64, *size)];
                        builder.call(WRITES, builder.void_type(), &args);
                    }
                    (Part::Read(size), _) => {
                        let args = [params[n], place, builder.int(64, *size)];
                        builder.call(READS, builder.void_type(), &args);
                    }
                    (Part::Pointer, _) => {
                        let args = [params[n], place];
                        builder.call("__irkiss_outside_points", builder.void_type(), &args);
                    }
                    (Part::Kept, _) => {
                        let args = [params[n], place];
                        builder.call(REWRITES, builder.void_type(), &args);
                    }
                    (Part::Function, Some(calls)) => {
                        let args = [calls, params[n], place, context];
                        builder.call("__irkiss_outside_calls_field", builder.void_type(), &args);
                    }
                    (Part::Function, None) => {}
                }
            }
            if let (true, Some(calls)) = (argument.function, self.calls) {
                let args = [calls, params[n], context];
                builder.call("__irkiss_outside_calls", builder.void_type(), &args);
            }
        }
    }
}

/// The type itself, and whether it is `const`.
pub(super) fn plain(mut ty: Option<Md<'_>>) -> (Option<Md<'_>>, bool) {
    let mut constant = false;
    while let Some(t) = ty {
        match t.tag() {
            tag::CONST => constant = true,
            tag::TYPEDEF | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => {}
            _ => break,
        }
        ty = t.base_type();
    }
    (ty, constant)
}

/// What may happen to the arguments of a function; whether there is memory of which nothing tells.
fn arguments(module: &Module<'_>, function: Val<'_>) -> (Vec<Argument>, bool) {
    let info = DebugInfo::new(module);
    let declared = info.function(function).and_then(|f| f.subprogram_type());
    let Some(ty) = declared else {
        return as_called(module, function);
    };
    let signature = ty.signature();
    let of = |n: usize| argument(signature.get(n + 1).copied().flatten());
    let mut all: Vec<Argument> = (0..function.params().len()).map(of).collect();
    for (n, argument) in all.iter_mut().enumerate() {
        if let [(0, Part::Bytes(bytes) | Part::Read(bytes))] = &mut argument.parts[..] {
            *bytes = in_all_calls(module, function, n, *bytes);
        }
    }
    (all, false)
}

fn argument(ty: Option<Md<'_>>) -> Argument {
    let mut argument = Argument::default();
    let Some(pointer) = plain(ty).0.filter(|t| t.tag() == tag::POINTER) else {
        return argument;
    };
    match plain(pointer.base_type()) {
        (None, false) => {
            argument.context = true;
            argument.parts.push((0, Part::Bytes(1)));
        }
        (None, true) => {
            argument.context = true;
            argument.parts.push((0, Part::Read(1)));
        }
        (Some(target), constant) => {
            argument.function = target.tag() == tag::SUBROUTINE;
            parts(target, 0, constant, MAX_DEPTH, &mut argument.parts);
        }
    }
    argument
}

/// What happens to so many bytes of numbers.
fn numbers_of(bytes: u64, constant: bool) -> Part {
    match constant {
        true => Part::Read(bytes),
        false => Part::Bytes(bytes),
    }
}

/// Locks and their like are nobody's memory.
pub(super) fn is_theirs(ty: Md<'_>) -> bool {
    let name = ty.type_name();
    let theirs = ["pthread_", "__pthread", "_IO_"];
    theirs.iter().any(|start| name.starts_with(start))
}

/// What may happen to an object of that type.
pub(super) fn parts(ty: Md<'_>, at: u64, constant: bool, depth: u32, found: &mut Vec<(u64, Part)>) {
    let bytes = ty.type_bits() / 8;
    match ty.tag() {
        tag::SUBROUTINE => {}
        tag::POINTER => {
            let target = plain(ty.base_type()).0;
            if target.is_some_and(|t| t.tag() == tag::SUBROUTINE) {
                found.push((at, Part::Function));
            } else if !constant {
                // At the top the result of a function that returns one through a pointer.
                found.push((
                    at,
                    if depth == MAX_DEPTH {
                        Part::Pointer
                    } else {
                        Part::Kept
                    },
                ));
            }
        }
        tag::STRUCT | tag::UNION if depth > 0 => {
            if is_theirs(ty) {
                return;
            }
            let mut end = None;
            for member in ty.elements() {
                let offset = at + member.offset_bits() / 8;
                let (Some(of), own) = plain(member.base_type()) else {
                    continue;
                };
                // A union's members lie in one place, and so do bit-fields.
                if end.is_some_and(|end| offset < end) {
                    continue;
                }
                end = Some(offset + (of.type_bits() / 8).max(1));
                parts(of, offset, constant || own, depth - 1, found);
            }
        }
        tag::ARRAY => {
            let element = plain(ty.base_type()).0;
            let numbers = element.is_some_and(|e| {
                !matches!(
                    e.tag(),
                    tag::POINTER | tag::STRUCT | tag::UNION | tag::ARRAY
                )
            });
            let pointers = element.filter(|e| e.tag() == tag::POINTER && !constant);
            if numbers && bytes > 0 {
                found.push((at, numbers_of(bytes, constant)));
            } else if let Some(size) = pointers.map(|p| p.type_bits() / 8).filter(|s| *s > 0) {
                let all = (0..bytes / size).take(MAX_POINTERS);
                found.extend(all.map(|n| (at + n * size, Part::Kept)));
            }
        }
        tag::STRUCT | tag::UNION => {}
        _ if bytes == 0 => {}
        _ => match (found.last_mut(), constant) {
            (Some((start, Part::Bytes(size))), false) if *start + *size == at => *size += bytes,
            (Some((start, Part::Read(size))), true) if *start + *size == at => *size += bytes,
            _ => found.push((at, numbers_of(bytes, constant))),
        },
    }
}

/// The functions of the input that such arguments may be or lead to: those that the calls name, or, where a call does not tell,
/// all that are handed about.
fn candidates<'m>(module: &'m Module<'_>, function: Val<'m>, arguments: &[usize]) -> Vec<Val<'m>> {
    let mut found = Vec::new();
    for call in function.users() {
        if call.callee() != Some(function) {
            continue;
        }
        let args = call.call_args();
        for n in arguments {
            let Some(value) = args.get(*n).map(|a| resolve_alias(*a)) else {
                continue;
            };
            match value.kind() {
                LLVMValueKind::LLVMFunctionValueKind => found.push(value),
                LLVMValueKind::LLVMConstantPointerNullValueKind => {}
                LLVMValueKind::LLVMGlobalVariableValueKind if !is_written(value) => {
                    found.extend(in_initialiser(module, value).into_iter().map(|(_, f)| f));
                }
                _ => found.extend(
                    functions(module)
                        .into_iter()
                        .filter(|f| is_handed_about(*f)),
                ),
            }
        }
    }
    found.retain(|f| !f.is_declaration() && !f.global_type().is_variadic());
    let mut once: Vec<Val<'m>> = Vec::new();
    for f in found {
        if !once.contains(&f) {
            once.push(f);
        }
    }
    once
}

/// Whether anything stores into a global variable.
fn is_written(global: Val<'_>) -> bool {
    global.users().into_iter().any(|user| {
        let into =
            matches!(user.opcode(), Some(LLVMOpcode::LLVMStore)) && user.operand(1) == Some(global);
        into || matches!(user.opcode(), Some(LLVMOpcode::LLVMGetElementPtr))
            && user.users().into_iter().any(|u| {
                matches!(u.opcode(), Some(LLVMOpcode::LLVMStore)) && u.operand(1) == Some(user)
            })
    })
}

/// The functions whose pointers stand in the initialiser of a global variable, with where, as byte offsets.
pub(super) fn in_initialiser<'m>(module: &'m Module<'_>, global: Val<'m>) -> Vec<(u64, Val<'m>)> {
    if global.kind() != LLVMValueKind::LLVMGlobalVariableValueKind {
        return Vec::new();
    }
    let layout = unsafe { LLVMGetModuleDataLayout(module.as_mut_ptr()) };
    let content = unsafe { Val::maybe(LLVMGetInitializer(global.raw())) };
    let mut found = Vec::new();
    let mut work: Vec<(u64, Val<'m>)> = content.into_iter().map(|c| (0, c)).collect();
    while let Some((at, value)) = work.pop() {
        let value = resolve_alias(value);
        let ty = value.ty();
        let parts = (0..value.operand_count()).filter_map(|n| Some((n, value.operand(n)?)));
        match value.kind() {
            LLVMValueKind::LLVMFunctionValueKind => found.push((at, value)),
            LLVMValueKind::LLVMConstantStructValueKind => work.extend(parts.map(|(n, part)| {
                let offset = unsafe { LLVMOffsetOfElement(layout, ty.raw(), n) };
                (at + offset, part)
            })),
            LLVMValueKind::LLVMConstantArrayValueKind => work.extend(parts.map(|(n, part)| {
                let size = unsafe { LLVMABISizeOfType(layout, part.ty().raw()) };
                (at + u64::from(n) * size, part)
            })),
            _ => {}
        }
    }
    found
}

fn is_handed_about(function: Val<'_>) -> bool {
    !function.is_declaration()
        && function
            .users()
            .into_iter()
            .any(|user| user.callee() != Some(function))
}

/// A function that calls, with arbitrary arguments, that of the candidates which its first parameter is; a pointer that one takes
/// is its second.
fn dispatch<'m>(module: &'m Module<'_>, name: &str, candidates: &[Val<'m>]) -> Val<'m> {
    let builder = Builder::new(module);
    let name = std::ffi::CString::new(format!("__irkiss_calls.{name}")).unwrap_or_default();
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let pointer = builder.ptr_type().raw();
        let mut params = [pointer, pointer];
        let ty = LLVMFunctionType(LLVMVoidTypeInContext(context), params.as_mut_ptr(), 2, 0);
        let function = Val::new(LLVMAddFunction(module.as_mut_ptr(), name.as_ptr(), ty));
        LLVMSetLinkage(function.raw(), llvm_sys::LLVMLinkage::LLVMInternalLinkage);
        mark_as_model(function);
        let block = || {
            Bb::new(LLVMAppendBasicBlockInContext(
                context,
                function.raw(),
                c"".as_ptr(),
            ))
        };
        let (given, handed) = (function.params()[0], function.params()[1]);
        builder.at_end(block());
        for candidate in candidates.iter().take(MAX_FUNCTIONS) {
            let (call, next) = (block(), block());
            let is = builder.compare(llvm_sys::LLVMIntPredicate::LLVMIntEQ, given, *candidate);
            builder.branch(is, call, next);
            builder.at_end(call);
            let args: Vec<Val<'m>> = candidate
                .params()
                .iter()
                .map(|p| match p.ty().kind() {
                    LLVMTypeKind::LLVMPointerTypeKind => handed,
                    LLVMTypeKind::LLVMIntegerTypeKind if p.ty().int_bits() <= 64 => {
                        builder.nondet(p.ty().int_bits())
                    }
                    _ => builder.arbitrary(p.ty()),
                })
                .collect();
            builder.call_value(*candidate, &args);
            builder.ret(None);
            builder.at_end(next);
        }
        if candidates.len() > MAX_FUNCTIONS {
            builder.unsupported(
                "a function without a model may call more functions than are followed",
            );
            builder.unreachable();
        } else {
            builder.ret(None);
        }
        function
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn what_a_declaration_tells() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"@ops = internal constant { ptr } { ptr @tick }
              define internal void @tick() { ret void }
              define internal void @tock(ptr %p, i32 %n) { ret void }
              declare !dbg !10 void @install(ptr, ptr, ptr)
              define void @f(ptr %p) { call void @install(ptr @ops, ptr @tock, ptr %p) ret void }
              !llvm.module.flags = !{!0}
              !0 = !{i32 2, !\"Debug Info Version\", i32 3}
              !1 = !DIFile(filename: \"a.c\", directory: \"\")
              !2 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)
              !3 = !DISubroutineType(types: !{null})
              !4 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !3, size: 64)
              !5 = !DICompositeType(tag: DW_TAG_structure_type, name: \"ops\", size: 128, elements: !{!6, !7})
              !6 = !DIDerivedType(tag: DW_TAG_member, name: \"tick\", baseType: !4, size: 64)
              !7 = !DIDerivedType(tag: DW_TAG_member, name: \"n\", baseType: !2, size: 32, offset: 64)
              !8 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !5, size: 64)
              !9 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
              !11 = !DISubroutineType(types: !{null, !8, !4, !9})
              !10 = !DISubprogram(name: \"install\", file: !1, type: !11, spFlags: 0)",
            "t.ll",
        )
        .unwrap();
        let install = functions(&module)
            .into_iter()
            .find(|f| f.name() == "install")
            .unwrap();
        let outside = Outside::of(&module, install);
        assert_eq!(
            outside.arguments[0].parts,
            [(0, Part::Function), (8, Part::Bytes(4))]
        );
        assert!(outside.arguments[1].function);
        assert!(outside.arguments[2].context && outside.arguments[2].parts.is_empty());
        let text = outside.calls.unwrap().print();
        assert!(text.contains("call void @tick()"), "{text}");
        assert!(text.contains("call void @tock(ptr %1, i32"), "{text}");
        module.verify().unwrap();
    }
}
