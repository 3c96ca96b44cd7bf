//! `setjmp` and `longjmp`: activations are left one after the other, back to the one that the buffer was set in.
//!
//! Where a thread is on its way to is a variable of its own, [`GOAL`]. After each call of a function that may jump, the caller looks
//! whether it was: it goes to its own `setjmp`, if that has set the buffer, and returns otherwise. A jump to an activation that is over
//! is undefined; here it ends the thread.

use std::collections::HashSet;

use inkwell::module::Module;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::error::LLVMConsumeError;
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPassesOnFunction,
};

use super::build::{Builder, replace};
use super::raw::{Bb, LLVMOpcode, LLVMValueKind, Val, functions, resolve_alias};

/// Functions that return a second time.
const SETS: &[&str] = &[
    SET,
    "setjmp",
    "_setjmp",
    "__setjmp",
    "sigsetjmp",
    "__sigsetjmp",
];

/// Functions that make them.
const JUMPS: &[&str] = &[JUMP, "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];

/// Both, where they are left for when the models are there; models jump by the second name.
pub const SET: &str = "__irkiss_set_jump";
pub const JUMP: &str = "__irkiss_jump";

/// Where a part of a program begins that a handler guards: its model jumps, whose callers are not known before it is there.
const GUARDS: &str = "__pthread_register_cancel";

/// The buffer that the thread is on its way to; null: it is not.
const GOAL: &std::ffi::CStr = c"irkiss.jump";

/// What `setjmp` is to return.
const RESULT: &std::ffi::CStr = c"irkiss.jump.result";

/// Whether the models are there, which may call what jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Models {
    ToCome,
    There,
}

/// Lowers both, in all functions; where models may jump, or be left by a jump, only once these are there.
pub fn lower_long_jumps(module: &Module<'_>, models: Models) {
    if models == Models::ToCome && waits_for_models(module) {
        rename(module, SETS, SET);
        rename(module, JUMPS, JUMP);
        return;
    }
    let all = functions(module);
    let calls = |f: &Val<'_>, names: &[&str]| calls_of(*f).iter().any(|c| is_named(*c, names));
    let sets: Vec<Val<'_>> = all.iter().copied().filter(|f| calls(f, SETS)).collect();
    let mut jumping: HashSet<Val<'_>> = all.iter().copied().filter(|f| calls(f, JUMPS)).collect();
    if sets.is_empty() && jumping.is_empty() {
        return;
    }
    let builder = Builder::new(module);
    spread(&all, &mut jumping);
    let indirect = jumping.iter().any(|f| is_address_taken(*f));
    let variables = Variables::new(module, &builder);
    for f in &all {
        if sets.contains(f) {
            into_memory(*f);
        }
        if sets.contains(f) || jumping.contains(f) {
            lower(&builder, &variables, *f, |c| {
                may_jump(c, &jumping, indirect)
            });
        }
    }
}

/// Adds those that call one of them: they may be left by its jump, too.
fn spread<'m>(all: &[Val<'m>], jumping: &mut HashSet<Val<'m>>) {
    loop {
        let before = jumping.len();
        let indirect = jumping.iter().any(|f| is_address_taken(*f));
        for f in all {
            let through = |c: &Val<'_>| may_jump(*c, jumping, indirect);
            if !jumping.contains(f) && calls_of(*f).iter().any(through) {
                jumping.insert(*f);
            }
        }
        if jumping.len() == before {
            break;
        }
    }
}

/// Whether models will jump, or may call what does: a handler, a function that compares.
fn waits_for_models(module: &Module<'_>) -> bool {
    let all = functions(module);
    let guards = |f: &Val<'_>| f.name() == GUARDS && f.is_declaration() && !f.users().is_empty();
    if all.iter().any(guards) {
        return true;
    }
    let jumps = |f: &Val<'_>| calls_of(*f).iter().any(|c| is_named(*c, JUMPS));
    let mut jumping: HashSet<Val<'_>> = all.iter().copied().filter(jumps).collect();
    spread(&all, &mut jumping);
    jumping.iter().any(|f| is_address_taken(*f))
}

/// Gives the functions of these names another one, which no model has.
fn rename(module: &Module<'_>, names: &[&str], new: &str) {
    let all = functions(module);
    let named = |f: &Val<'_>| f.is_declaration() && names.contains(&f.name().as_str());
    let mut kept: Option<Val<'_>> = None;
    for function in all.into_iter().filter(named) {
        match kept {
            Some(kept) => unsafe { LLVMReplaceAllUsesWith(function.raw(), kept.raw()) },
            None => unsafe {
                LLVMSetValueName2(function.raw(), new.as_ptr().cast(), new.len());
                kept = Some(function);
            },
        }
    }
}

fn calls_of(function: Val<'_>) -> Vec<Val<'_>> {
    let all = function.blocks().into_iter().flat_map(Bb::instructions);
    all.filter(|i| matches!(i.opcode(), Some(LLVMOpcode::LLVMCall)) && i.inline_asm().is_none())
        .collect()
}

fn target(call: Val<'_>) -> Option<Val<'_>> {
    let callee = resolve_alias(call.callee()?);
    (callee.kind() == LLVMValueKind::LLVMFunctionValueKind).then_some(callee)
}

fn is_named(call: Val<'_>, names: &[&str]) -> bool {
    target(call).is_some_and(|f| f.is_declaration() && names.contains(&f.name().as_str()))
}

fn may_jump(call: Val<'_>, jumping: &HashSet<Val<'_>>, indirect: bool) -> bool {
    let inline = call.callee().is_some_and(|c| c.inline_asm().is_some());
    match target(call) {
        Some(f) => jumping.contains(&f),
        None => indirect && !inline,
    }
}

/// Whether a function is used other than by being called.
fn is_address_taken(function: Val<'_>) -> bool {
    function
        .users()
        .into_iter()
        .any(|user| user.callee() != Some(function))
}

/// Values of registers are what they were when the buffer was set, those of memory what they are now: all are put into memory, as
/// they are without optimisation.
fn into_memory(function: Val<'_>) {
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = LLVMRunPassesOnFunction(
            function.raw(),
            c"reg2mem".as_ptr(),
            std::ptr::null_mut(),
            options,
        );
        LLVMDisposePassBuilderOptions(options);
        if !error.is_null() {
            LLVMConsumeError(error);
        }
    }
}

/// The variables of each thread.
struct Variables<'m> {
    goal: Val<'m>,
    result: Val<'m>,
}

impl<'m> Variables<'m> {
    fn new(module: &'m Module<'_>, builder: &Builder<'m>) -> Self {
        let variable = |name: &std::ffi::CStr, ty: super::raw::Ty<'m>| unsafe {
            let made = LLVMAddGlobal(module.as_mut_ptr(), ty.raw(), name.as_ptr());
            LLVMSetInitializer(made, LLVMConstNull(ty.raw()));
            LLVMSetThreadLocal(made, 1);
            LLVMSetLinkage(made, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            Val::new(made)
        };
        Variables {
            goal: variable(GOAL, builder.ptr_type()),
            result: variable(RESULT, builder.int_type(32)),
        }
    }
}

/// A `setjmp` of an activation.
struct Set<'m> {
    /// Holds the buffer, once it has been set.
    buffer: Val<'m>,
    /// Holds what is returned.
    returned: Val<'m>,
    /// Reads that: what follows begins there.
    next: Val<'m>,
}

/// What lowers the jumps of one function.
struct Lowering<'b, 'm> {
    builder: &'b Builder<'m>,
    variables: &'b Variables<'m>,
    function: Val<'m>,
    /// What stays at the beginning, whatever becomes of the first instruction.
    first: Val<'m>,
    /// Where it is decided which `setjmp` is meant, or that none of this activation is.
    leave: Bb<'m>,
    sets: Vec<Set<'m>>,
}

fn lower<'m>(
    builder: &Builder<'m>,
    variables: &Variables<'m>,
    function: Val<'m>,
    may_jump: impl Fn(Val<'m>) -> bool,
) {
    let Some(first) = function
        .blocks()
        .first()
        .and_then(|b| b.instructions().first().copied())
    else {
        return;
    };
    let calls = calls_of(function);
    let leave = block(function, c"jump");
    builder.before(first);
    let mut lowering = Lowering {
        builder,
        variables,
        function,
        first: builder.alloca(builder.int_type(32)),
        leave,
        sets: Vec::new(),
    };
    for call in calls {
        if is_named(call, SETS) {
            lowering.set(call);
        } else if is_named(call, JUMPS) {
            lowering.jump(call);
        } else if may_jump(call) {
            lowering.look(call);
        }
    }
    lowering.decide();
}

/// A new block at the end of a function.
fn block<'m>(function: Val<'m>, name: &std::ffi::CStr) -> Bb<'m> {
    unsafe {
        let context = LLVMGetTypeContext(function.global_type().raw());
        Bb::new(LLVMAppendBasicBlockInContext(
            context,
            function.raw(),
            name.as_ptr(),
        ))
    }
}

impl<'m> Lowering<'_, 'm> {
    /// A call of `setjmp`: notes the buffer, and returns once more what a jump brings.
    fn set(&mut self, call: Val<'m>) {
        let builder = self.builder;
        let (pointer, int) = (builder.ptr_type(), builder.int_type(32));
        let Some(buffer) = call.call_args().first().copied() else {
            return;
        };
        builder.before(self.first);
        let (holder, returned) = (builder.alloca(pointer), builder.alloca(int));
        builder.store(builder.zero(pointer), holder, false);
        let next = unsafe { Bb::new(LLVMGetInstructionParent(call.raw())) };
        let head = builder.split_before(call);
        builder.at_end(head);
        builder.store(buffer, holder, false);
        builder.store(builder.int(32, 0), returned, false);
        builder.jump(next);
        builder.before(call);
        let read = builder.load(int, returned, false);
        let result = builder.convert(read, call.ty(), true).unwrap_or(read);
        replace(call, Some(result));
        self.sets.push(Set {
            buffer: holder,
            returned,
            next: read,
        });
    }

    /// A call of `longjmp`: says where to, and leaves.
    fn jump(&self, call: Val<'m>) {
        let (builder, variables) = (self.builder, self.variables);
        let args = call.call_args();
        let [buffer, value] = args[..] else { return };
        let head = builder.split_before(call);
        builder.at_end(head);
        let Some(value) = builder.convert(value, builder.int_type(32), true) else {
            return;
        };
        let zero = builder.int(32, 0);
        let none = builder.compare(LLVMIntEQ, value, zero);
        let value = builder.select(none, builder.int(32, 1), value);
        builder.store(buffer, variables.goal, false);
        builder.store(value, variables.result, false);
        builder.jump(self.leave);
        let has_result = call.ty().kind() != LLVMTypeKind::LLVMVoidTypeKind;
        replace(call, has_result.then(|| builder.poison(call.ty())));
    }

    /// A call of what may jump: looks behind it whether it has.
    fn look(&self, call: Val<'m>) {
        let builder = self.builder;
        let pointer = builder.ptr_type();
        let after = unsafe { Val::maybe(LLVMGetNextInstruction(call.raw())) };
        let Some(after) = after else { return };
        let next = unsafe { Bb::new(LLVMGetInstructionParent(after.raw())) };
        let head = builder.split_before(after);
        builder.at_end(head);
        let goal = builder.load(pointer, self.variables.goal, false);
        let jumps = builder.compare(LLVMIntNE, goal, builder.zero(pointer));
        builder.branch(jumps, self.leave, next);
    }

    /// Goes to the `setjmp` that is meant, or leaves the activation.
    fn decide(&self) {
        let (builder, variables) = (self.builder, self.variables);
        let (pointer, int) = (builder.ptr_type(), builder.int_type(32));
        builder.at_end(self.leave);
        let goal = builder.load(pointer, variables.goal, false);
        for set in &self.sets {
            let (here, elsewhere) = (block(self.function, c""), block(self.function, c""));
            let buffer = builder.load(pointer, set.buffer, false);
            let same = builder.compare(LLVMIntEQ, goal, buffer);
            builder.branch(same, here, elsewhere);
            builder.at_end(here);
            builder.store(builder.zero(pointer), variables.goal, false);
            let result = builder.load(int, variables.result, false);
            builder.store(result, set.returned, false);
            builder.jump(unsafe { Bb::new(LLVMGetInstructionParent(set.next.raw())) });
            builder.at_end(elsewhere);
        }
        let result = self.function.global_type().result();
        match result.kind() {
            LLVMTypeKind::LLVMVoidTypeKind => builder.ret(None),
            _ => builder.ret(Some(builder.poison(result))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn activations_are_left_one_after_the_other() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"declare i32 @_setjmp(ptr)
              declare void @longjmp(ptr, i32)
              define void @deep(ptr %b) {
                call void @longjmp(ptr %b, i32 3)
                unreachable
              }
              define i32 @middle(ptr %b, i32 %n) {
                call void @deep(ptr %b)
                ret i32 %n
              }
              define i32 @outer(i32 %n) {
                %b = alloca [200 x i8]
                %m = add i32 %n, 1
                %r = call i32 @_setjmp(ptr %b)
                %again = icmp ne i32 %r, 0
                br i1 %again, label %second, label %first
              first:
                %x = call i32 @middle(ptr %b, i32 %m)
                ret i32 %x
              second:
                ret i32 %m
              }
              define i32 @other() {
                ret i32 0
              }",
            "t.ll",
        )
        .unwrap();
        lower_long_jumps(&module, Models::There);
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert!(!text.contains("call i32 @_setjmp"), "{text}");
        assert!(!text.contains("call void @longjmp"), "{text}");
        // One in each function that may be left.
        assert_eq!(text.matches("jump:").count(), 3, "{text}");
    }
}
