//! Forms of the kernel's inline assembly.

use super::{Kernel, lower_inline_asm};
use crate::frontend::llvm::load::parse;

/// Lowers one call in a function; the function's text and the unknown forms.
fn lowered(call: &str) -> (String, Vec<(String, u32)>) {
    lowered_for("x86_64-unknown-linux-gnu", call)
}

fn lowered_for(triple: &str, call: &str) -> (String, Vec<(String, u32)>) {
    let context = inkwell::context::Context::create();
    let text = format!(
        "target triple = \"{triple}\"
         define void @f(ptr %p, i64 %n, i32 %x) {{\n {call}\n ret void }}"
    );
    let module = parse(&context, text.as_bytes(), "t.ll").expect("parses");
    let unknown = lower_inline_asm(&module, Kernel::default());
    module.verify().expect("valid");
    (module.print_to_string().to_string(), unknown)
}

#[track_caller]
fn check(call: &str, expected: &[&str], absent: &[&str]) {
    let (text, unknown) = lowered(call);
    assert!(unknown.is_empty(), "{unknown:?}");
    for e in expected {
        assert!(text.contains(e), "no `{e}` in {text}");
    }
    for a in absent {
        assert!(!text.contains(a), "`{a}` in {text}");
    }
}

#[test]
fn locked_bit_operations_are_atomic() {
    check(
        r#"%c = call i8 asm sideeffect "lock;  btsq  $2, $0\0A\09/* output condition code c*/\0A", "=*m,={@ccc},Ir,*m,~{memory}"(ptr elementtype(i64) %p, i64 %n, ptr elementtype(i64) %p)"#,
        &["atomicrmw or", "ashr"],
        &[],
    );
    check(
        r#"call void asm sideeffect "lock; andb ${1:b},$0", "=*m,iq,*m"(ptr elementtype(i8) %p, i32 -2, ptr elementtype(i8) %p)"#,
        &["atomicrmw and ptr %p, i8 -2"],
        &[],
    );
}

#[test]
fn plain_bit_operations_are_plain() {
    check(
        r#"call void asm sideeffect " btsq  $1,$0", "*m,Ir,~{memory}"(ptr elementtype(i64) %p, i64 %n)"#,
        &["load i64", "store i64"],
        &["atomicrmw", "volatile"],
    );
    check(
        r#"%c = call i8 asm sideeffect " btq  $2,$1", "={@ccc},*m,Ir,~{memory}"(ptr elementtype(i64) %p, i64 %n)"#,
        &["load volatile i64"],
        &["store"],
    );
}

#[test]
fn fetch_add_exchange_and_compare() {
    check(
        r#"%o = call i32 asm sideeffect "lock; xaddl $0, $1", "=r,=*m,0,*m,~{memory}"(ptr elementtype(i32) %p, i32 %x, ptr elementtype(i32) %p)"#,
        &["atomicrmw add ptr %p, i32 %x"],
        &[],
    );
    check(
        r#"%o = call i32 asm sideeffect "xchgl $0, $1", "=r,=*m,0,*m,~{memory}"(ptr elementtype(i32) %p, i32 %x, ptr elementtype(i32) %p)"#,
        &["atomicrmw xchg"],
        &[],
    );
    check(
        r#"%o = call { i8, i32 } asm sideeffect "lock; cmpxchgl $3, $1", "={@ccz},=*m,={ax},r,*m,2,~{memory}"(ptr elementtype(i32) %p, i32 1, ptr elementtype(i32) %p, i32 %x)"#,
        &["cmpxchg ptr %p, i32 %x, i32 1"],
        &[],
    );
    check(
        r#"%o = call i8 asm sideeffect "lock; decl $0", "=*m,={@cce},*m,~{memory}"(ptr elementtype(i32) %p, ptr elementtype(i32) %p)"#,
        &["atomicrmw sub ptr %p, i32 1", "icmp eq"],
        &[],
    );
}

#[test]
fn devices_and_ports_answer_anything() {
    check(
        r#"%v = call i8 asm sideeffect "inb ${1:w}, ${0:b}", "={ax},N{dx}"(i16 112)"#,
        &["call i8 @__irkiss_nondet_u8"],
        &[],
    );
    check(
        r#"%v = call i32 asm sideeffect "movl $1,$0", "=r,*m,~{memory}"(ptr elementtype(i32) %p)"#,
        &["load volatile i32", "call i32 @__irkiss_nondet_u32"],
        &[],
    );
    check(
        r#"call void asm sideeffect "movl $0,$1", "r,*m,~{memory}"(i32 %x, ptr elementtype(i32) %p)"#,
        &["store volatile i32 %x"],
        &[],
    );
    check(
        r#"%v = call { ptr, i64 } asm sideeffect "rep; insb", "={di},={cx},{dx},0,1,~{memory}"(i32 5, ptr %p, i64 %n)"#,
        &["@__irkiss_havoc"],
        &[],
    );
}

#[test]
fn the_current_task_is_the_threads_own() {
    let read = |global: &str| {
        let text = format!(
            "target triple = \"x86_64-unknown-linux-gnu\"
             @{global} = external global ptr
             define i64 @f() {{
             %t = call i64 asm \"movq %gs:${{1:P}}, $0\", \"=r,p\"(ptr @{global})
             ret i64 %t }}"
        );
        let context = inkwell::context::Context::create();
        let module = parse(&context, text.as_bytes(), "t.ll").expect("parses");
        assert!(lower_inline_asm(&module, Kernel::default()).is_empty());
        module.print_to_string().to_string()
    };
    for global in ["current_task", "pcpu_hot"] {
        assert!(read(global).contains("call ptr @__irkiss_current()"));
    }
    assert!(read("cpu_number").contains("call i64 @__irkiss_nondet_u64"));
}

#[test]
fn barriers_are_nothing() {
    for text in ["", "mfence", "lock; addl $$0,-4(%rsp)", "rep; nop", "cli"] {
        let call = format!(r#"call void asm sideeffect "{text}", "~{{memory}},~{{cc}}"()"#);
        check(&call, &["ret void"], &["call void"]);
    }
}

#[test]
fn a_value_hidden_from_the_optimiser_is_itself() {
    check(
        r#"%v = call i64 asm "", "=r,0"(i64 %n)
           store i64 %v, ptr %p"#,
        &["store i64 %n, ptr %p"],
        &[],
    );
}

#[test]
fn bug_stops_and_warn_goes_on() {
    let bug = r#".byte 0x0f, 0x0b\0A.pushsection __bug_table,\22aw\22\0A.word ${0:c}\0A.org 2b+${1:c}\0A.popsection\0A"#;
    let with = |flags: u32, extra: &str| {
        format!(r#"call void asm sideeffect "{bug}{extra}", "i,i"(i32 {flags}, i64 12)"#)
    };
    check(&with(0, ""), &["@__irkiss_bug"], &[]);
    check(&with(2305, ""), &[], &["@__irkiss_bug"]);
    check(
        &with(2305, ".pushsection .discard.reachable\\0A.popsection"),
        &[],
        &["@__irkiss_bug"],
    );
}

#[test]
fn user_access_may_fault() {
    check(
        r#"%v = call { i32, i64, i64 } asm sideeffect "call __get_user_${4:P}", "={ax},={rdx},={rsp},0,i,{rsp}"(ptr %p, i64 4, i64 %n)"#,
        &["@__irkiss_nondet_bool", "-14"],
        &[],
    );
}

#[test]
fn bounds_masks_are_computed() {
    check(
        r#"%v = call i64 asm sideeffect "cmp $1,$2; sbb $0,$0;", "=r,imr,r"(i64 8, i64 %n)"#,
        &["icmp ult i64 %n, 8"],
        &[],
    );
}

#[test]
fn what_is_not_known_is_said() {
    let (text, unknown) = lowered(
        r#"call void asm sideeffect "vmcall", ""()
           call void asm sideeffect "vmcall", ""()"#,
    );
    assert_eq!(unknown, [("vmcall".to_string(), 2)]);
    assert_eq!(text.matches("call void @__irkiss_gap").count(), 2, "{text}");
}

#[test]
fn other_architectures() {
    let (text, unknown) = lowered_for(
        "s390x-ibm-linux-gnu",
        r#"%o = call i32 asm sideeffect "laa\09$0,$2,$1\0Abcr 14,0\0A", "=d,=*QS,d,*QS,~{cc},~{memory}"(ptr elementtype(i32) %p, i32 %x, ptr elementtype(i32) %p)"#,
    );
    assert!(
        unknown.is_empty() && text.contains("atomicrmw add ptr %p, i32 %x"),
        "{text}"
    );
    let (text, unknown) = lowered_for(
        "powerpc64le-linux-gnu",
        r#"%o = call i32 asm sideeffect "lwz${1:U}${1:X} $0,$1", "=r,*m<>"(ptr elementtype(i32) %p)
           call void asm sideeffect "lwsync ", "~{memory}"()"#,
    );
    assert!(
        unknown.is_empty() && text.contains("load volatile i32"),
        "{text}"
    );
    let (text, unknown) = lowered_for(
        "m68k-unknown-linux-gnu",
        r#"%o = call i32 asm sideeffect "movew %sr,$0", "=d,~{memory}"()
           call void asm sideeffect "vmcall", ""()"#,
    );
    assert!(text.contains("call i32 @__irkiss_nondet_u32"), "{text}");
    assert_eq!(unknown, [("vmcall".to_string(), 1)]);
    // What x86 has is nothing elsewhere.
    let (_, unknown) = lowered_for(
        "s390x-ibm-linux-gnu",
        r#"call void asm sideeffect "mfence", ""()"#,
    );
    assert_eq!(unknown.len(), 1);
}

#[test]
fn user_memory_and_traps_of_other_architectures() {
    let (text, unknown) = lowered_for(
        "s390x-ibm-linux-gnu",
        r#"%a = call i32 asm sideeffect "\09lr\090,$4\0A0:\09mvcos\09$1,$3,$2\0A1:\09xr\09$0,$0\0A", "=&d,=*Q,d,*Q,d,*Q,~{cc},~{r0}"(ptr elementtype(i32) %p, i64 4, ptr elementtype(i32) %p, i32 %x, ptr elementtype(i32) %p)
           %b = call i32 asm sideeffect "\09lr\090,$4\0A0:\09mvcos\090($5),$3,$2\0A1:\09xr\09$0,$0\0A", "=&d,=*Q,d,*Q,d,a,K,~{cc},~{r0}"(ptr elementtype(i32) %p, i64 4, ptr elementtype(i32) %p, i32 %x, ptr %p, i64 4)
           call void asm sideeffect "0:\09mc\090,0\0A.section __bug_table", "i,i,i"(i32 110, i32 2305, i64 10)
           call void asm sideeffect "0:\09mc\090,0\0A.section __bug_table", "i,i"(i32 0, i64 10)"#,
    );
    assert!(unknown.is_empty(), "{unknown:?}");
    // What goes to the user is read, what comes from there is arbitrary; one warning, one BUG.
    for (call, count) in [
        ("call void @__irkiss_touch", 1),
        ("call void @__irkiss_havoc", 1),
        ("call void @__irkiss_bug", 1),
    ] {
        assert_eq!(text.matches(call).count(), count, "{call}: {text}");
    }
    let (text, unknown) = lowered_for(
        "m68k-unknown-linux-gnu",
        r#"%a = call { i32, ptr, ptr, i32 } asm sideeffect "\0A\09move.l\09($2)+,$3\0A11:\09moves.l\09$3,($1)+\0A12:\09move.w\09($2)+,$3\0A21:\09moves.w\09$3,($1)+\0A22:\0A\09.ifnc\09\22\22,\22\22\0A\09move.\09($2)+,$3\0A31:\09moves.\09$3,($1)+", "=d,=a,=a,=&d,0,1,2"(i32 0, ptr %p, ptr %p)
           %b = call i32 asm sideeffect "\0A1:\09moves.b\09$2,$1\0A2:", "=d,=*m,d,i,0"(ptr elementtype(i8) %p, i8 1, i32 14, i32 0)
           %c = call ptr asm "move.l %sp, $0 \0A\09and.l  $1, $0", "=&d,di"(i32 -8192)"#,
    );
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(
        text.contains("call void @__irkiss_touch(ptr %p, i64 6)"),
        "{text}"
    );
    assert!(text.contains("@__irkiss_thread_info"), "{text}");
    let (text, unknown) = lowered_for(
        "powerpc64-unknown-linux-gnu",
        r#"%a = call i32 asm sideeffect "sync;lwz${1:U}${1:X} $0,$1;twi 0,$0,0;isync", "=r,*m<>,~{memory}"(ptr elementtype(i32) %p)
           call void asm sideeffect "sync;stw${0:U}${0:X} $1,$0", "=*m<>,r,~{memory}"(ptr elementtype(i32) %p, i32 %x)
           %b = call i64 asm "cntlzd $0,$1", "=r,r"(i64 %n)"#,
    );
    assert!(unknown.is_empty(), "{unknown:?}");
    for part in [
        "load volatile i32, ptr %p",
        "store volatile i32 %x, ptr %p",
        "@llvm.ctlz.i64",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
