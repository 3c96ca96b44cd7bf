//! The passes change no access that another thread could see.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use inkwell::context::Context;
use inkwell::module::Module;

use super::load::parse;
use super::prepare::prepare;
use super::raw::{LLVMOpcode, LLVMValueKind, Val, functions};

/// The object that an address lies in: a global, a parameter, an alloca, or where a pointer was loaded from.
fn root(pointer: Val<'_>) -> String {
    match pointer.kind() {
        LLVMValueKind::LLVMGlobalVariableValueKind => format!("@{}", pointer.name()),
        LLVMValueKind::LLVMArgumentValueKind => format!("%{}", pointer.name()),
        _ => match pointer.opcode() {
            Some(LLVMOpcode::LLVMGetElementPtr) => pointer.operand(0).map(root).unwrap_or_default(),
            Some(LLVMOpcode::LLVMAlloca) => "alloca".to_string(),
            Some(other) => format!("{}", other as u32),
            None => "other".to_string(),
        },
    }
}

/// Accesses of each function in order of blocks, except those of stack objects.
fn accesses(module: &Module<'_>) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for f in functions(module) {
        let mut seen = Vec::new();
        for i in f.blocks().into_iter().flat_map(|b| b.instructions()) {
            let access = match i.opcode() {
                Some(LLVMOpcode::LLVMLoad) => i.operand(0).map(|p| format!("R {}", root(p))),
                Some(LLVMOpcode::LLVMStore) => i.operand(1).map(|p| format!("W {}", root(p))),
                Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => {
                    i.operand(0).map(|p| format!("A {}", root(p)))
                }
                _ => None,
            };
            if let Some(access) = access.filter(|a| !a.ends_with("alloca")) {
                seen.push(access);
            }
        }
        if !seen.is_empty() {
            all.insert(f.name(), seen);
        }
    }
    all
}

/// Pointers to accesses that LLVM's own passes merge, speculate, sink or delete.
const RACY: &str = r"
extern int x, y, cond;
extern volatile int v;
int twice(void) { return x + x; }                              // merged by gvn
void both(void) { if (cond) x = 1; else x = 2; }               // merged by simplifycfg
void maybe(void) { if (cond) x = 1; }                          // speculated
int pick(int *p, int *q) { return *(cond ? p : q); }           // speculated by sroa
void dead(void) { x = 1; x = 2; }                              // deleted by dse
void unused(void) { (void)*(int *)&x; int z = y; (void)z; }    // deleted by dce
void spin(void) { while (!x) ; }                               // hoisted by licm
void same(void) { int t = x; x = t; }                          // deleted by instcombine
int known(void) { x = 5; return x; }                           // forwarded
void marked(void) { v = v + 1; __atomic_fetch_add(&x, 0, __ATOMIC_SEQ_CST); }
struct s { int a; long b; }; extern struct s s1, s2;
void structs(void) { s1.a = s2.a; s1.b = s2.b; }
void order(int a) { if (a) { x = 1; y = 2; } else { y = 2; x = 1; } }
int nested(int a, int b) { if (a && b) return x; if (a || b) y = x; return y; }
";

fn compile(source: &str) -> Vec<u8> {
    use std::io::Write;
    let mut clang = Command::new("clang-22")
        .args([
            "-x",
            "c",
            "-O2",
            "-Xclang",
            "-disable-llvm-passes",
            "-emit-llvm",
            "-c",
        ])
        .args(["-fno-discard-value-names", "-w", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("clang-22 runs");
    clang
        .stdin
        .take()
        .expect("pipe")
        .write_all(source.as_bytes())
        .expect("written");
    clang.wait_with_output().expect("clang ends").stdout
}

#[test]
fn accesses_are_the_same_before_and_after() {
    let context = Context::create();
    let module = parse(&context, &compile(RACY), "racy.bc").expect("parses");
    let before = accesses(&module);
    assert!(before.len() >= 13, "{before:?}");
    prepare(&module).expect("valid");
    let after = accesses(&module);
    for (function, list) in &before {
        // Pointers held in locals are loaded from an alloca before and are SSA values after: compare what is accessed, as far
        // as it is named in both.
        let named = |l: &[String]| -> Vec<String> {
            l.iter().filter(|a| a.contains('@')).cloned().collect()
        };
        let after = after.get(function).cloned().unwrap_or_default();
        assert_eq!(named(list), named(&after), "{function}");
        assert_eq!(list.len(), after.len(), "{function}: {list:?} {after:?}");
    }
    // Preparing again changes nothing.
    let once = accesses(&module);
    prepare(&module).expect("valid");
    assert_eq!(once, accesses(&module));
}

#[test]
fn the_comparison_notices_llvms_own_passes() {
    let context = Context::create();
    let module = parse(&context, &compile(RACY), "racy.bc").expect("parses");
    let before = accesses(&module);
    super::prepare::run(&module, "default<O2>").expect("runs");
    let after = accesses(&module);
    for function in ["twice", "both", "dead", "unused", "spin", "same", "known"] {
        let len = |m: &BTreeMap<String, Vec<String>>| m.get(function).map_or(0, Vec::len);
        assert_ne!(before.get(function), after.get(function), "{function}");
        assert!(len(&after) <= len(&before), "{function}");
    }
}

fn prepared(text: &str) -> String {
    let context = Context::create();
    let module = parse(&context, text.as_bytes(), "t.ll").expect("parses");
    prepare(&module).expect("valid");
    module.print_to_string().to_string()
}

#[test]
fn branches_on_questions_to_the_optimiser_go() {
    let text = prepared(
        "declare i1 @llvm.is.constant.i32(i32)
         declare void @never()
         define i32 @f(i32 %x) {
         entry:
           %q = call i1 @llvm.is.constant.i32(i32 %x)
           br i1 %q, label %yes, label %no
         yes:
           call void @never()
           br label %no
         no:
           %r = phi i32 [ 1, %yes ], [ 2, %entry ]
           ret i32 %r
         }",
    );
    assert!(!text.contains("call void @never"), "{text}");
    assert!(text.contains("ret i32 2"), "{text}");
}

#[test]
fn a_branch_on_an_undefined_value_keeps_both_ways() {
    let text = prepared(
        "define i32 @f() {
         entry:
           %a = alloca i1
           %c = load i1, ptr %a
           br i1 %c, label %yes, label %no
         yes:
           ret i32 1
         no:
           ret i32 2
         }",
    );
    assert!(
        text.contains("ret i32 1") && text.contains("ret i32 2"),
        "{text}"
    );
}

#[test]
fn unoptimised_functions_are_prepared_as_well() {
    let text = prepared(
        "define i32 @f(i32 %x) noinline optnone {
           %a = alloca i32
           store i32 %x, ptr %a
           %v = load i32, ptr %a
           ret i32 %v
         }",
    );
    assert!(text.contains("ret i32 %x"), "{text}");
}

#[test]
fn aggregate_accesses_are_split() {
    let text = prepared(
        "define void @f(ptr %p, ptr %q) {
           %v = load { i32, [2 x i16] }, ptr %p
           store { i32, [2 x i16] } %v, ptr %q
           ret void
         }",
    );
    assert_eq!(text.matches(" load ").count(), 3, "{text}");
    assert_eq!(text.matches("store ").count(), 3, "{text}");
}

#[test]
fn a_static_key_is_off() {
    let text = prepared(
        "define i32 @f() {
         entry:
           callbr void asm sideeffect \".pushsection __jump_table\", \"!i\"() to label %off [label %on]
         off:
           ret i32 0
         on:
           ret i32 1
         }",
    );
    assert!(
        text.contains("ret i32 0") && !text.contains("ret i32 1"),
        "{text}"
    );
}

#[test]
fn a_warning_that_jumps_is_a_branch() {
    let text = prepared(
        "define i32 @f(i64 %n) {
         entry:
           callbr void asm sideeffect \"1:\\09tdnei  $4, 0\\0A.section __ex_table,.section __bug_table\", \"i,i,i,i,r,!i\"(ptr null, i32 1, i32 2, i64 12, i64 %n) to label %on [label %warned]
         on:
           callbr void asm sideeffect \"1:\\09twi 31, 0, 0\\0A.section __ex_table,.section __bug_table\", \"i,i,i,i,!i\"(ptr null, i32 1, i32 2, i64 12) to label %never [label %always]
         never:
           ret i32 5
         always:
           ret i32 1
         warned:
           ret i32 2
         }",
    );
    assert!(
        text.contains("icmp ne i64 %n, 0") && text.contains("ret i32 1"),
        "{text}"
    );
    assert!(
        text.contains("ret i32 2") && !text.contains("ret i32 5"),
        "{text}"
    );
    assert!(!text.contains("callbr"), "{text}");
}

#[test]
fn byval_arguments_are_copied_by_the_caller() {
    let text = prepared(
        "%s = type { [4 x i64] }
         @g = global %s zeroinitializer
         define void @f(ptr byval(%s) %p) { ret void }
         define void @h() { call void @f(ptr byval(%s) @g) ret void }",
    );
    assert!(text.contains("memcpy") && !text.contains("byval"), "{text}");
}

#[test]
fn atomic_functions_are_bracketed_once() {
    let source = "define void @__VERIFIER_atomic_f() { ret void }";
    let context = Context::create();
    let module = parse(&context, source.as_bytes(), "t.ll").expect("parses");
    prepare(&module).expect("valid");
    prepare(&module).expect("valid");
    let text = module.print_to_string().to_string();
    assert_eq!(text.matches("call void @__irkiss_atomic_begin").count(), 1);
    assert_eq!(text.matches("call void @__irkiss_atomic_end").count(), 1);
}

/// include/linux/minmax.h asserts that the types of both sides may be compared, and a constant that is not negative may be.
#[test]
fn what_is_a_constant_after_all_is_one() {
    let text = prepared(
        "declare i1 @llvm.is.constant.i32(i32)
         declare void @__compiletime_assert_1()
         define i32 @f(i32 %x) {
         entry:
           %y = alloca i32
           store i32 60, ptr %y
           %v = load i32, ptr %y
           %c = icmp sge i32 %v, 0
           %w = zext i1 %c to i32
           %q = call i1 @llvm.is.constant.i32(i32 %w)
           br i1 %q, label %fine, label %wrong
         wrong:
           call void @__compiletime_assert_1()
           unreachable
         fine:
           ret i32 %x
         }",
    );
    assert!(
        !text.contains("call void @__compiletime_assert_1"),
        "{text}"
    );
    assert!(text.contains("ret i32 %x"), "{text}");
}

#[test]
fn a_table_of_distances_is_one_of_pointers() {
    let text = "target datalayout = \"e-m:e-p:64:64\"\n\
                @one = private constant [4 x i8] c\"one\\00\"\n\
                @two = private constant [4 x i8] c\"two\\00\"\n\
                @table = private constant [2 x i32] [\
                i32 trunc (i64 sub (i64 ptrtoint (ptr @one to i64), i64 ptrtoint (ptr @table to i64)) to i32), \
                i32 trunc (i64 sub (i64 ptrtoint (ptr @two to i64), i64 ptrtoint (ptr @table to i64)) to i32)]\n\
                declare ptr @llvm.load.relative.i64(ptr, i64)\n\
                define ptr @entry(i64 %n) {\n  %at = shl i64 %n, 2\n  \
                %p = call ptr @llvm.load.relative.i64(ptr @table, i64 %at)\n  ret ptr %p\n}\n";
    let after = prepared(text);
    assert!(after.contains("[2 x ptr] [ptr @one, ptr @two]"), "{after}");
    assert!(!after.contains("call ptr @llvm.load.relative"), "{after}");
}
