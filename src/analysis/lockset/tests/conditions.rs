//! Locks under conditions that are computed anew, in a loop, or passed as a parameter.

use super::proved;

/// `n = …; if (lock) lock(); if (work) x = 2; if (unlock) unlock();`, each of them computed where it is asked.
fn computed([lock, work, unlock]: [&str; 3]) -> String {
    format!(
        "define void @b() {{
         entry:
           %n = call i32 @__irkiss_nondet_u32()
           %k = call i32 @__irkiss_nondet_u32()
           %low = and i32 %n, 1
           %c1 = icmp {lock}
           br i1 %c1, label %l, label %m
         l:
           call void @take(ptr @m)
           br label %m
         m:
           %bit = and i32 %n, 1
           %c2 = icmp {work}
           br i1 %c2, label %w, label %u
         w:
           store i32 2, ptr @x
           br label %u
         u:
           %last = and i32 %n, 1
           %c3 = icmp {unlock}
           br i1 %c3, label %d, label %z
         d:
           call void @drop(ptr @m)
           ret void
         z:
           ret void
         }}"
    )
}

pub(super) fn a_condition_that_is_computed_anew() {
    let above = "sgt i32 %n, 3";
    assert!(proved(&computed([above, above, above])));
    assert!(proved(&computed([above, "sgt i32 %n, 5", "sge i32 %n, 4"])));
    assert!(!proved(&computed([above, "sgt i32 %n, 2", above])));
    assert!(!proved(&computed([above, "ugt i32 %n, 3", above])));
    // What it does not hold it gives back, for 3.
    assert!(!proved(&computed([above, above, "sge i32 %n, 3"])));
    let bits = ["ne i32 %low, 0", "ne i32 %bit, 0", "ne i32 %last, 0"];
    assert!(proved(&computed(bits)));
    assert!(!proved(&computed([bits[0], "ne i32 %n, 0", bits[2]])));
    // Of two values that nobody knows.
    let less = "ult i32 %n, %k";
    assert!(proved(&computed([less, less, less])));
    assert!(proved(&computed([less, less, "ugt i32 %k, %n"])));
    assert!(!proved(&computed([less, "ule i32 %n, %k", less])));
}

/// The lock is kept over a turn of the loop if `%n` was large; in the next turn, `%n` is another number.
fn turns(next: &str) -> String {
    format!(
        "define void @b() {{
         entry:
           %first = call i32 @__irkiss_nondet_u32()
           call void @take(ptr @m)
           br label %head
         head:
           %h = phi i1 [ true, %entry ], [ %h, %keep ], [ false, %back ]
           %new = call i32 @__irkiss_nondet_u32()
           %n = add i32 {next}, 0
           %c2 = icmp ugt i32 %n, 3
           br i1 %c2, label %work, label %skip
         work:
           store i32 2, ptr @x
           br label %skip
         skip:
           %c1 = icmp ugt i32 %n, 3
           br i1 %c1, label %keep, label %lose
         keep:
           br label %head
         lose:
           br i1 %h, label %given, label %back
         given:
           call void @drop(ptr @m)
           br label %back
         back:
           br label %head
         }}"
    )
}

pub(super) fn a_condition_of_the_turn_before() {
    assert!(proved(&turns("%first")));
    assert!(!proved(&turns("%new")));
}

/// `update(k)` acquires the lock if `k` is zero; it is called as `calls` say.
fn update(calls: &str) -> String {
    format!(
        "define void @update(i32 %k) {{
           %c = icmp eq i32 %k, 0
           br i1 %c, label %l, label %w
         l:
           call void @take(ptr @m)
           br label %w
         w:
           store i32 2, ptr @x
           %d = icmp eq i32 %k, 0
           br i1 %d, label %u, label %z
         u:
           call void @drop(ptr @m)
           ret void
         z:
           ret void
         }}
         define void @through(i32 %j) {{
           call void @update(i32 %j)
           ret void
         }}
         define void @b() {{
           %any = call i32 @__irkiss_nondet_u32()
           {calls}
           ret void
         }}"
    )
}

pub(super) fn a_lock_that_the_parameter_asks_for() {
    let held = |call: &str| format!("call void @take(ptr @m) {call} call void @drop(ptr @m)");
    let bare = "call void @update(i32 0)";
    assert!(proved(&update(bare)));
    let outside = held("call void @update(i32 1)");
    assert!(proved(&update(&format!("{bare} {outside}"))));
    let deeper = held("call void @through(i32 3)");
    assert!(proved(&update(&format!("{bare} {outside} {deeper}"))));
    // Nobody has it.
    assert!(!proved(&update("call void @update(i32 5)")));
    assert!(!proved(&update("call void @update(i32 %any)")));
    // The caller's is given back, or it is not known whose.
    let twice = format!("{} store i32 3, ptr @x", held("call void @update(i32 1)"));
    assert!(!proved(&update(&twice)));
    let unknown = held("call void @update(i32 %any) store i32 3, ptr @x");
    assert!(!proved(&update(&unknown)));
}

/// `enter(k)` acquires if `k`, `leave(k)` gives back: in the caller, what they did hangs on what was passed.
pub(super) fn helpers_that_are_told_whether() {
    let b = |enter: &str, work: &str, leave: &str| {
        format!(
            "define void @enter(i32 %k) {{
               %c = icmp ne i32 %k, 0
               br i1 %c, label %l, label %z
             l:
               call void @take(ptr @m)
               ret void
             z:
               ret void
             }}
             define void @leave(i32 %k) {{
               %c = icmp ne i32 %k, 0
               br i1 %c, label %l, label %z
             l:
               call void @drop(ptr @m)
               ret void
             z:
               ret void
             }}
             define void @b() {{
               %n = call i32 @__irkiss_nondet_u32()
               %k = call i32 @__irkiss_nondet_u32()
               call void @enter(i32 {enter})
               %c = icmp ne i32 {work}, 0
               br i1 %c, label %w, label %z
             w:
               store i32 2, ptr @x
               br label %z
             z:
               call void @leave(i32 {leave})
               ret void
             }}"
        )
    };
    assert!(proved(&b("%n", "%n", "%n")));
    assert!(!proved(&b("%n", "%k", "%n")));
    assert!(!proved(&b("%n", "%n", "%k")));
    assert!(proved(&b("7", "%k", "1")));
    assert!(!proved(&b("0", "%k", "0")));
}

#[test]
fn conditions() {
    a_condition_that_is_computed_anew();
    a_condition_of_the_turn_before();
    a_lock_that_the_parameter_asks_for();
    helpers_that_are_told_whether();
}
