//! What runs before `main` and after it: constructors, destructors, handlers that are registered for the end.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;

use crate::frontend::harness::{Hooks, Idle};
use crate::frontend::llvm::raw::{
    LLVMOpcode, LLVMValueKind, Val, functions, globals, resolve_alias,
};

/// Functions that register others to run at the end.
const REGISTER: &[&str] = &[
    "atexit",
    "on_exit",
    "__cxa_atexit",
    "at_quick_exit",
    "__cxa_thread_atexit",
];
/// Functions by which `main` may leave the other threads behind.
const LEAVE: &[&str] = &["pthread_exit", "thrd_exit"];
/// Functions by which threads are cancelled, by which handlers guard parts of the program, by which signals get handlers.
const CANCEL: &[&str] = &["pthread_cancel"];
const CLEANUP: &[&str] = &["__pthread_register_cancel"];
const HANDLE: &[&str] = &["signal", "sigaction", "__sysv_signal", "bsd_signal"];
/// By which mutexes outlive those who hold them.
const ROBUST: &[&str] = &["pthread_mutexattr_setrobust"];
/// By which streams are used without their lock, or locked for longer than a call, or given buffers.
const STREAMS: &[&str] = &[
    "flockfile",
    "ftrylockfile",
    "getc_unlocked",
    "fgetc_unlocked",
    "getchar_unlocked",
    "putc_unlocked",
    "fputc_unlocked",
    "putchar_unlocked",
    "fflush_unlocked",
    "feof_unlocked",
    "ferror_unlocked",
    "clearerr_unlocked",
    "fputs_unlocked",
    "fwrite_unlocked",
    "fread_unlocked",
    "fgets_unlocked",
    "__overflow",
    "__uflow",
    "setvbuf",
    "setbuf",
    "setbuffer",
    "open_memstream",
];
/// By which streams are given buffers.
const BUFFERS: &[&str] = &["setvbuf", "setbuf", "setbuffer", "open_memstream"];
/// By which streams end in memory that the program is told of.
const MEMORY_STREAMS: &[&str] = &["open_memstream"];
/// By which sockets are given names, and by which such names are used.
const NAME: &[&str] = &["bind"];
const USE_NAME: &[&str] = &["connect", "sendto"];
/// By which names of other machines are found.
const RESOLVE: &[&str] = &[
    "getaddrinfo",
    "gethostbyname",
    "gethostbyname_r",
    "gethostbyname2",
];
/// Functions by which variables of each thread are destroyed at its end.
const THREAD_LOCALS: &[&str] = &["__cxa_thread_atexit"];
/// Names of the pointer to the environment.
const ENVIRONMENT: &[&str] = &["environ", "__environ", "_environ"];

/// How names of functions begin that only programs in user space call.
const THREADS: &[&str] = &["pthread_", "thrd_", "mtx_", "cnd_", "tss_", "call_once"];

/// Whether the module calls functions of POSIX or C11 threads: without `main`, it is a library.
pub fn uses_threads(module: &Module<'_>) -> bool {
    functions(module).iter().any(|f| {
        let name = f.name();
        f.is_declaration() && !f.users().is_empty() && THREADS.iter().any(|t| name.starts_with(t))
    })
}

/// Looks for them. Names are the linker's, and visible from outside afterwards.
pub fn hooks(module: &Module<'_>) -> Hooks {
    let mut constructors = sections(module, &[".preinit_array"]);
    constructors.extend(table(module, "llvm.global_ctors"));
    constructors.extend(sections(module, &[".init_array", ".ctors"]));
    let mut destructors = table(module, "llvm.global_dtors");
    destructors.extend(sections(module, &[".fini_array", ".dtors"]));
    destructors.reverse();
    let is_used = |value: &Val<'_>, names: &[&str]| {
        names.contains(&value.name().as_str()) && !value.users().is_empty()
    };
    let names = |all: Vec<Val<'_>>| all.into_iter().map(Val::name).collect();
    let registered = functions(module).iter().any(|f| is_used(f, REGISTER));
    let mut idle = idle(module);
    let leaves = functions(module).iter().any(|f| is_used(f, LEAVE));
    if !leaves || !registered && destructors.is_empty() {
        idle.push(Idle::Ends);
    }
    Hooks {
        constructors: names(constructors),
        destructors: names(destructors),
        registered,
        environment: globals(module).iter().any(|g| is_used(g, ENVIRONMENT)),
        idle,
    }
}

/// What of the models has nothing to do in this program.
fn idle(module: &Module<'_>) -> Vec<Idle> {
    let calls = |names: &[&str]| {
        functions(module).into_iter().any(|f| {
            names.contains(&f.name().as_str()) && f.users().into_iter().any(|u| installs(f, u))
        })
    };
    let all = [
        (Idle::Cancellation, CANCEL),
        (Idle::Cleanup, CLEANUP),
        (Idle::Signals, HANDLE),
        (Idle::Robust, ROBUST),
        (Idle::Streams, STREAMS),
        (Idle::Buffers, BUFFERS),
        (Idle::MemoryStreams, MEMORY_STREAMS),
        (Idle::ThreadLocals, THREAD_LOCALS),
    ];
    let idle = all.into_iter().filter(|(_, names)| !calls(names));
    let mut idle: Vec<Idle> = idle.map(|(what, _)| what).collect();
    if !talks_to_itself(module) {
        idle.push(Idle::Peers);
    }
    idle
}

/// Whether sockets of the program may be connected with each other by name: it makes several, names one, and uses a name of which
/// nothing says that it is another machine's.
fn talks_to_itself(module: &Module<'_>) -> bool {
    let calls = |names: &[&str]| {
        let named = functions(module)
            .into_iter()
            .filter(|f| names.contains(&f.name().as_str()));
        named.map(|f| f.users().len()).sum::<usize>()
    };
    calls(&["socket"]) > 1 && calls(NAME) > 0 && calls(USE_NAME) > 0 && calls(RESOLVE) == 0
}

/// Whether a use of one of these functions does something: a handler that is the default or "ignore" (small numbers) is none.
fn installs(function: Val<'_>, user: Val<'_>) -> bool {
    let is_number = |a: &Val<'_>| {
        let null = unsafe { LLVMIsNull(a.raw()) != 0 };
        null || a.is_constant() && matches!(a.opcode(), Some(LLVMOpcode::LLVMIntToPtr))
    };
    let args = match user.callee() == Some(function) {
        true => user.call_args(),
        false => return true,
    };
    function.name() == "sigaction" || !args.get(1).is_some_and(is_number)
}

/// The functions in one of LLVM's tables, those of lower priority first; of one priority, in the order of the table.
fn table<'m>(module: &'m Module<'_>, name: &str) -> Vec<Val<'m>> {
    let Some(global) = globals(module).into_iter().find(|g| g.name() == name) else {
        return Vec::new();
    };
    let content = unsafe { Val::maybe(LLVMGetInitializer(global.raw())) };
    let entries = content.map(elements).unwrap_or_default();
    let mut found: Vec<(u128, Val<'m>)> = entries
        .into_iter()
        .filter_map(|entry| Some((entry.operand(0)?.int_value()?, function(entry.operand(1)?)?)))
        .collect();
    found.sort_by_key(|(priority, _)| *priority);
    found.into_iter().map(|(_, function)| function).collect()
}

/// The functions in variables that are put into sections of that kind.
fn sections<'m>(module: &'m Module<'_>, names: &[&str]) -> Vec<Val<'m>> {
    let mut found: Vec<(String, Val<'m>)> = Vec::new();
    for global in globals(module) {
        let Some(section) = global.section() else {
            continue;
        };
        if !names.iter().any(|n| section.starts_with(n)) {
            continue;
        }
        let Some(content) = (unsafe { Val::maybe(LLVMGetInitializer(global.raw())) }) else {
            continue;
        };
        let all = elements(content).into_iter().chain([content]);
        found.extend(all.filter_map(|v| Some((section.clone(), function(v)?))));
    }
    // Priorities are parts of the names: `.init_array.00101`; without one, last.
    found.sort_by_key(|(section, _)| (section.split('.').count() < 3, section.clone()));
    found.into_iter().map(|(_, function)| function).collect()
}

fn elements(content: Val<'_>) -> Vec<Val<'_>> {
    match content.ty().kind() {
        LLVMTypeKind::LLVMArrayTypeKind => (0..content.operand_count())
            .filter_map(|n| content.operand(n))
            .collect(),
        _ => Vec::new(),
    }
}

/// The function that a constant is; it can be found by its name afterwards.
fn function(value: Val<'_>) -> Option<Val<'_>> {
    let function = resolve_alias(value);
    if function.kind() != LLVMValueKind::LLVMFunctionValueKind || function.is_declaration() {
        return None;
    }
    if !function.is_external() {
        unsafe { LLVMSetLinkage(function.raw(), llvm_sys::LLVMLinkage::LLVMExternalLinkage) };
    }
    Some(function)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn in_order_of_priority() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
                { i32, ptr, ptr } { i32 65535, ptr @late, ptr null },
                { i32, ptr, ptr } { i32 101, ptr @early, ptr null }]
              @llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [
                { i32, ptr, ptr } { i32 101, ptr @last, ptr null },
                { i32, ptr, ptr } { i32 65535, ptr @first, ptr null }]
              @entry = internal global ptr @array, section \".init_array\"
              @first_of_all = internal global [1 x ptr] [ptr @before], section \".preinit_array\"
              define internal void @late() { ret void }
              define internal void @early() { ret void }
              define internal void @last() { ret void }
              define internal void @first() { ret void }
              define internal void @array() { ret void }
              define internal void @before() { ret void }
              declare i32 @atexit(ptr)
              define i32 @main() { %r = call i32 @atexit(ptr @late) ret i32 %r }",
            "t.ll",
        )
        .unwrap();
        let found = hooks(&module);
        assert_eq!(found.constructors, ["before", "early", "late", "array"]);
        assert_eq!(found.destructors, ["first", "last"]);
        assert!(found.registered && !found.environment);
        assert_eq!(
            found.idle,
            [
                Idle::Cancellation,
                Idle::Cleanup,
                Idle::Signals,
                Idle::Robust,
                Idle::Streams,
                Idle::Buffers,
                Idle::MemoryStreams,
                Idle::ThreadLocals,
                Idle::Peers,
                Idle::Ends
            ]
        );
    }
}
