//! A reader-writer lock with one function that gives back whichever side is held (pthread's).

use super::{LOCKS, MAIN, verdict_of};

/// As runtime-stubs/pthread/rwlock.c has it.
const RWLOCK: &str = "
    @o = global i32 0
    define i32 @mine() #0 {
      %s = call i64 @__irkiss_self()
      %r = urem i64 %s, 64
      %t = trunc i64 %r to i32
      %k = add i32 64, %t
      ret i32 %k
    }
    define i64 @me() #0 {
      %s = call i64 @__irkiss_self()
      %m = add i64 %s, 1
      ret i64 %m
    }
    define i32 @rdlock(ptr %l) #0 {
    entry:
      %o = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
      %m = call i64 @me()
      %mine = icmp eq i64 %o, %m
      br i1 %mine, label %out, label %wait
    wait:
      %f = icmp eq i64 %o, 0
      %c = zext i1 %f to i8
      call void @__irkiss_assume(i8 %c)
      %r = call i64 @__irkiss_ghost_get(ptr %l, i32 3)
      %more = add i64 %r, 1
      call void @__irkiss_ghost_set(ptr %l, i32 3, i64 %more)
      br label %out
    out:
      %e = phi i32 [ 35, %entry ], [ 0, %wait ]
      ret i32 %e
    }
    define i32 @unlock(ptr %l) #0 {
    entry:
      %o = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
      %m = call i64 @me()
      %mine = icmp eq i64 %o, %m
      br i1 %mine, label %owner, label %other
    owner:
      call void @__irkiss_ghost_set(ptr %l, i32 1, i64 0)
      br label %out
    other:
      %k = call i32 @mine()
      %n = call i64 @__irkiss_ghost_get(ptr %l, i32 %k)
      %reads = icmp ne i64 %n, 0
      br i1 %reads, label %reader, label %out
    reader:
      %r = call i64 @__irkiss_ghost_get(ptr %l, i32 3)
      %less = sub i64 %r, 1
      call void @__irkiss_ghost_set(ptr %l, i32 3, i64 %less)
      br label %out
    out:
      %e = phi i32 [ 0, %owner ], [ 0, %reader ], [ 1, %other ]
      ret i32 %e
    }
";

const WRITER: &str = "call void @take(ptr @m) store i32 1, ptr @x call i32 @unlock(ptr @m)";
const READER: &str = "call i32 @rdlock(ptr @m) %x = load i32, ptr @x call i32 @unlock(ptr @m)";

/// Whether `@x` is proved where one thread runs the body `a` and the other the body (or the whole text) `b`.
fn proved_beside(a: &str, b: &str) -> bool {
    let a = format!("define void @a() {{ {a} ret void }}");
    let b = match b.contains("define") {
        true => b.to_string(),
        false => format!("define void @b() {{ {b} ret void }}"),
    };
    let text = LOCKS.replace("define void @a() { call void @guarded() ret void }", &a);
    let (_, open) = verdict_of(&format!("{text}{RWLOCK}{b}{MAIN}"), false);
    open.is_empty()
}

/// The same beside a thread that stores to `@x` as a writer of `@m`.
fn proved(b: &str) -> bool {
    proved_beside(WRITER, b)
}

#[test]
pub(super) fn one_unlock_gives_back_either_side() {
    let read = "call i32 @rdlock(ptr @m) %v = load i32, ptr @x call i32 @unlock(ptr @m)";
    assert!(proved(read));
    assert!(proved(
        "call void @take(ptr @m) store i32 2, ptr @x call i32 @unlock(ptr @m)"
    ));
    // Again, by who holds nothing: an error, and nobody's hold is gone.
    assert!(proved(&format!("{read} call i32 @unlock(ptr @m)")));
    // Of another lock.
    assert!(proved(
        "call i32 @rdlock(ptr @m) call i32 @unlock(ptr @n) %v = load i32, ptr @x"
    ));
}

#[test]
pub(super) fn what_one_unlock_gave_back_is_not_held() {
    for lock in ["call void @take(ptr @m)", "call i32 @rdlock(ptr @m)"] {
        let body = format!("{lock} call i32 @unlock(ptr @m) %v = load i32, ptr @x");
        assert!(!proved(&body));
        // A pointer that may lead to either lock.
        let body = format!(
            "{lock} %c = call i32 @__irkiss_nondet_u32() %t = icmp eq i32 %c, 0
             %p = select i1 %t, ptr @m, ptr @n
             call i32 @unlock(ptr %p) %v = load i32, ptr @x"
        );
        assert!(!proved(&body));
    }
    let store = "call i32 @rdlock(ptr @m) store i32 2, ptr @x";
    assert!(proved(store));
    assert!(!proved_beside(READER, store));
}

/// A lock that is held as a reader on one way and as the owner on the other is held all the same, as a reader.
#[test]
pub(super) fn ways_that_hold_different_sides() {
    let body = |access: &str, give: &str| {
        format!(
            "%c = call i32 @__irkiss_nondet_u32()
             %t = icmp eq i32 %c, 0
             br i1 %t, label %r, label %w
           r:
             call i32 @rdlock(ptr @m)
             br label %j
           w:
             call void @take(ptr @m)
             br label %j
           j:
             {give} {access}"
        )
    };
    assert!(proved(&body("%v = load i32, ptr @x", "")));
    assert!(!proved_beside(READER, &body("store i32 2, ptr @x", "")));
    let unlocked = body("%v = load i32, ptr @x", "call i32 @unlock(ptr @m)");
    assert!(!proved(&unlocked));
    // The owner's side is not the reader's to give back: another thread may hold it.
    assert!(!proved(&body(
        "%v = load i32, ptr @x",
        "call void @drop(ptr @m)"
    )));
    assert!(!proved(&body(
        "%v = load i32, ptr @x",
        "call void @drop_shared(ptr @m)"
    )));
}

/// The same through a call: the callee is entered with either.
#[test]
pub(super) fn a_callee_that_is_entered_with_either_side() {
    let pad: String = (0..200)
        .map(|n| format!("%p{n} = add i32 1, {n} "))
        .collect();
    let b = |access: &str, second: &str| {
        format!(
            "define void @f() {{ {pad} {access} ret void }}
             define void @b() {{
               call i32 @rdlock(ptr @m) call void @f() call i32 @unlock(ptr @m)
               {second} call void @f() call i32 @unlock(ptr @m)
               ret void
             }}"
        )
    };
    let (read, take) = ("%v = load i32, ptr @x", "call void @take(ptr @m)");
    assert!(proved(&b(read, take)));
    assert!(!proved_beside(READER, &b("store i32 2, ptr @x", take)));
    assert!(!proved(&b(read, "")));
    assert!(!proved(&b(
        "call i32 @unlock(ptr @m) %v = load i32, ptr @x",
        take
    )));
}

/// The same from more callers, each with a lock of its own besides, than are told apart.
#[test]
pub(super) fn a_callee_of_many_callers() {
    let pad: String = (0..200)
        .map(|n| format!("%p{n} = add i32 1, {n} "))
        .collect();
    let b = |access: &str| {
        let locks: String = (0..10).map(|n| format!("@l{n} = global i32 0 ")).collect();
        let call = |n: u32| {
            let side = match n % 2 {
                0 => "call i32 @rdlock(ptr @m)",
                _ => "call void @take(ptr @m)",
            };
            format!(
                "call void @take(ptr @l{n}) {side} call void @f()
                 call i32 @unlock(ptr @m) call void @drop(ptr @l{n}) "
            )
        };
        let calls: String = (0..10).map(call).collect();
        format!(
            "{locks} define void @f() {{ {pad} {access} ret void }}
             define void @b() {{ {calls} ret void }}"
        )
    };
    assert!(proved(&b("%v = load i32, ptr @x")));
    assert!(!proved_beside(READER, &b("store i32 2, ptr @x")));
    assert!(!proved(&b(
        "call i32 @unlock(ptr @m) %v = load i32, ptr @x"
    )));
}

/// Who has read holds has the lock; who has none has nothing.
#[test]
pub(super) fn read_holds_of_the_thread_itself() {
    let asked = |test: &str| {
        format!(
            "call void @take(ptr @n) call void @drop(ptr @n)
             %k = call i32 @mine()
             %n = call i64 @__irkiss_ghost_get(ptr @m, i32 %k)
             %r = icmp {test} i64 %n, 0
             br i1 %r, label %yes, label %no
           yes:
             %v = load i32, ptr @x
             br label %no
           no:"
        )
    };
    assert!(proved(&asked("ne")));
    assert!(!proved(&asked("eq")));
    assert!(!proved(&asked("uge")));
}

/// Initialisation gives both sides back, and others may have them.
#[test]
pub(super) fn initialisation_is_a_release() {
    let init = "call void @__irkiss_ghost_set(ptr @m, i32 7, i64 1)
         call void @__irkiss_ghost_set(ptr @m, i32 3, i64 0)
         call void @__irkiss_ghost_set(ptr @m, i32 1, i64 0)
         call i32 @rdlock(ptr @m) %v = load i32, ptr @x call i32 @unlock(ptr @m)";
    assert!(!proved(init));
    let plain = init.replace("call void @__irkiss_ghost_set(ptr @m, i32 7, i64 1)", "");
    assert!(!proved(&plain));
    let without = init.split_once("call i32 @rdlock").expect("a call").1;
    assert!(proved(&format!("call i32 @rdlock{without}")));
}
