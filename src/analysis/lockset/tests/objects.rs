//! Locks of which there are many: in each object, in each element of an array.

use super::{LOCKS, MAIN, verdict_of};

/// Objects of one kind, any number of them; each has a lock at 0 and data at 4.
fn objects(a: &str, b: &str) -> (Vec<String>, Vec<String>) {
    let text = format!(
        "{}
         @slots = global [4 x ptr] zeroinitializer
         define ptr @any() {{
           %i = call i32 @__irkiss_nondet_u32()
           %j = and i32 %i, 3
           %k = zext i32 %j to i64
           %s = getelementptr ptr, ptr @slots, i64 %k
           %p = load atomic ptr, ptr %s seq_cst, align 8
           ret ptr %p
         }}
         define void @enter(ptr %o) {{
           %l = getelementptr i8, ptr %o, i64 0
           call void @take(ptr %l)
           ret void
         }}
         define i32 @try_enter(ptr %o) {{
           %e = call i32 @try(ptr %o)
           ret i32 %e
         }}
         define void @set(ptr %o) {{
           %d = getelementptr i8, ptr %o, i64 4
           store i32 1, ptr %d
           ret void
         }}
         define void @b() {{ %p = call ptr @any() %q = call ptr @any() {b} }}
         define void @main() {{
         entry:
           br label %again
         again:
           %i = phi i64 [ 0, %entry ], [ %n, %again ]
           %o = call ptr @__irkiss_alloc(i64 8, i8 1)
           %s = getelementptr ptr, ptr @slots, i64 %i
           store ptr %o, ptr %s
           %n = add i64 %i, 1
           %t = icmp ult i64 %n, 4
           br i1 %t, label %again, label %end
         end:
           call void @a()
           call void @b()
           ret void
         }}",
        LOCKS.replace(
            "define void @a() { call void @guarded() ret void }",
            &format!("define void @a() {{ %p = call ptr @any() %q = call ptr @any() {a} }}"),
        ),
    );
    verdict_of(&text, false)
}

#[test]
pub(super) fn each_object_has_its_lock() {
    let own = "call void @enter(ptr %p) call void @set(ptr %p) call void @drop(ptr %p) ret void";
    let other = "call void @enter(ptr %q) call void @set(ptr %p) call void @drop(ptr %q) ret void";
    let (proved, open) = objects(own, own);
    assert_eq!((proved.len(), open.len()), (1, 0));
    let (proved, open) = objects(own, other);
    assert_eq!((proved.len(), open.len()), (0, 1));
    let (proved, open) = objects(other, other);
    assert_eq!((proved.len(), open.len()), (0, 1));
    // The lock at another place of the object.
    let beside = "%l = getelementptr i8, ptr %p, i64 1
         call void @enter(ptr %l) call void @set(ptr %p) call void @drop(ptr %l) ret void";
    assert_eq!(objects(own, beside).1.len(), 1);
    assert_eq!(objects(beside, beside).1.len(), 0);
    let global = "call void @take(ptr @m) call void @set(ptr %p) call void @drop(ptr @m) ret void";
    assert_eq!(objects(global, global).1.len(), 0);
    assert_eq!(objects(own, global).1.len(), 1);
    // What may be the same object is given back.
    let gone = "call void @enter(ptr %p) call void @drop(ptr %q) call void @set(ptr %p) ret void";
    assert_eq!(objects(own, gone).1.len(), 1);
    // The lock of the object of the last time round.
    let last = |set: &str| {
        format!(
            "br label %again
             again:
             %first = phi i32 [ 1, %0 ], [ 0, %next ]
             %o = call ptr @any()
             %l = getelementptr i8, ptr %o, i64 0
             %c = icmp eq i32 %first, 0
             br i1 %c, label %later, label %next
             later:
             {set}
             br label %next
             next:
             call void @take(ptr %o)
             br label %again"
        )
    };
    let taken = "call void @take(ptr %o) call void @set(ptr %o) call void @drop(ptr %o)";
    assert_eq!(objects(own, &last(taken)).1.len(), 0);
    assert_eq!(objects(own, &last("call void @set(ptr %o)")).1.len(), 1);
    // The same where it is the phi that is another's.
    let phi = |object: &str| {
        format!(
            "br label %again
             again:
             %o = phi ptr [ %p, %0 ], [ %q, %next ]
             %first = phi i32 [ 1, %0 ], [ 0, %next ]
             %c = icmp eq i32 %first, 0
             br i1 %c, label %later, label %next
             later:
             call void @set(ptr {object})
             br label %next
             next:
             call void @take(ptr %o)
             br label %again"
        )
    };
    assert_eq!(objects(own, &phi("%o")).1.len(), 1);
    assert_eq!(objects(own, &phi("%p")).1.len(), 1);
    // A wrapper that returns with the lock or without.
    let entered = |yes: &str, no: &str| {
        format!(
            "%e = call i32 @try_enter(ptr %p)
             %c = icmp eq i32 %e, 0
             br i1 %c, label %{no}, label %{yes}
             yes:
             call void @set(ptr %p) call void @drop(ptr %p) ret void
             no:
             ret void"
        )
    };
    assert_eq!(objects(own, &entered("yes", "no")).1.len(), 0);
    assert_eq!(objects(own, &entered("no", "yes")).1.len(), 1);
}

/// Elements of 8 bytes, a lock at 0 and data at 4, at an index that is not known; threads do what `body` does with element
/// `%p` and element `%q`.
fn elements(a: &str, b: &str) -> bool {
    let thread = |name: &str, body: &str| {
        let element = |n: &str| {
            format!(
                "%i{n} = call i32 @__irkiss_nondet_u32()
                 %j{n} = and i32 %i{n}, 3
                 %k{n} = zext i32 %j{n} to i64
                 %{n} = getelementptr {{ i32, i32 }}, ptr @array, i64 %k{n}
                 %{n}4 = getelementptr i8, ptr %{n}, i64 4\n"
            )
        };
        let (p, q) = (element("p"), element("q"));
        format!("define void @{name}() {{ {p} {q} {body} ret void }}\n")
    };
    let a = thread("a", a);
    let text = LOCKS.replace("define void @a() { call void @guarded() ret void }", &a);
    let array = "@array = global [8 x { i32, i32 }] zeroinitializer\n";
    let (proved, open) = verdict_of(&format!("{text}{array}{}{MAIN}", thread("b", b)), false);
    assert!(!proved.is_empty() || !open.is_empty());
    open.is_empty()
}

#[test]
pub(super) fn a_lock_in_each_element() {
    let own = "call void @take(ptr %p) store i32 1, ptr %p4 call void @drop(ptr %p)";
    let other = "call void @take(ptr %q) store i32 1, ptr %p4 call void @drop(ptr %q)";
    assert!(elements(own, own));
    assert!(!elements(own, other));
    assert!(!elements(other, other));
    // As long as an element, but not reaching the data of the next.
    let long = "call void @take(ptr %p) store i64 1, ptr %p4 call void @drop(ptr %p)";
    assert!(elements(long, own));
}

/// It writes data of the next element, whose lock it does not hold.
#[test]
pub(super) fn an_access_that_reaches_into_the_next_element() {
    let own = "call void @take(ptr %p) store i32 1, ptr %p4 call void @drop(ptr %p)";
    let wide = "call void @take(ptr %p) store i128 1, ptr %p4 call void @drop(ptr %p)";
    assert!(!elements(wide, own));
    assert!(!elements(own, wide));
    assert!(!elements(wide, wide));
}

/// One object by two names: what one gives back, the other does not have.
#[test]
pub(super) fn two_names_of_one_lock() {
    let thread = |name: &str, gives: &str, then: &str| {
        format!(
            "define void @{name}_with(ptr %p) {{
               %d = getelementptr i8, ptr %p, i64 4
               call void @take(ptr %p) {gives} store i32 1, ptr %d {then} ret void
             }}
             define void @{name}() {{ call void @{name}_with(ptr @pair) ret void }}"
        )
    };
    let open = |b: &str| {
        let a = thread("a", "", "call void @drop(ptr %p)");
        let text = LOCKS.replace("define void @a() { call void @guarded() ret void }", &a);
        let pair = "@pair = global [2 x i32] zeroinitializer\n";
        verdict_of(&format!("{text}{pair}{b}{MAIN}"), false).1
    };
    assert!(open(&thread("b", "", "call void @drop(ptr @pair)")).is_empty());
    assert_eq!(
        open(&thread("b", "call void @drop(ptr @pair)", "")).len(),
        1
    );
}
