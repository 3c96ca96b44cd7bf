//! Small programs with a race that one fault of the coverability tier hides.

use irkiss::faults::NetFault;

const PRELUDE: &str = "
declare i64 @__irkiss_async(ptr, ptr)
declare void @__irkiss_atomic_begin()
declare void @__irkiss_atomic_end()
declare void @__irkiss_assume(i1)
declare i1 @__irkiss_nondet_bool()
declare ptr @__irkiss_alloc(i64, i1)
declare void @__irkiss_stop()
declare i64 @__irkiss_ghost_get(ptr, i32)
declare void @__irkiss_ghost_set(ptr, i32, i64)
declare i64 @__irkiss_self()
@g0 = global i32 0
@g1 = global i32 0
@m0 = global i32 0
@m1 = global i32 0
@array = global [2 x i32] zeroinitializer
define i64 @me() {
  %self = call i64 @__irkiss_self()
  %me = add i64 %self, 1
  ret i64 %me
}
define void @take(ptr %l) {
  call void @__irkiss_atomic_begin()
  %owner = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
  %free = icmp eq i64 %owner, 0
  call void @__irkiss_assume(i1 %free)
  %me = call i64 @me()
  call void @__irkiss_ghost_set(ptr %l, i32 1, i64 %me)
  call void @__irkiss_atomic_end()
  ret void
}
define void @drop(ptr %l) {
  call void @__irkiss_atomic_begin()
  call void @__irkiss_ghost_set(ptr %l, i32 1, i64 0)
  call void @__irkiss_atomic_end()
  ret void
}
define void @wait(ptr %flag, i32 %value) {
  call void @__irkiss_atomic_begin()
  %seen = load i32, ptr %flag
  %set = icmp eq i32 %seen, %value
  call void @__irkiss_assume(i1 %set)
  call void @__irkiss_atomic_end()
  ret void
}
";

/// Starts @f any number of times.
const SWARM: &str = "
define void @__irkiss_main() {
entry:
  br label %again
again: ; or not
  %t = call i64 @__irkiss_async(ptr @f, ptr null)
  %more = call i1 @__irkiss_nondet_bool() ; or not
  br i1 %more, label %again, label %out
out:
  store i32 2, ptr @g0
  ret void
}
";

/// Starts @f and accesses the data beside it.
const BESIDE: &str = "
define void @__irkiss_main() {
  %t = call i64 @__irkiss_async(ptr @f, ptr null)
  store i32 2, ptr @g0
  ret void
}
";

/// The same program with loops that go round three times for those that go round once or more.
pub fn counted(text: &str) -> String {
    text.replace(
        "again: ; or not",
        "again:\n  %n = phi i32 [ 0, %entry ], [ %next, %again ]",
    )
    .replace(
        "%more = call i1 @__irkiss_nondet_bool() ; or not",
        "%next = add i32 %n, 1\n  %more = icmp ult i32 %next, 3",
    )
}

/// The faults, each with a program in which it hides the race on `@g0`.
pub fn directed() -> Vec<(NetFault, String)> {
    let text = |parts: &[&str]| format!("{PRELUDE}{}", parts.concat());
    vec![
        (
            NetFault::HiddenForEver,
            // What a thread has made is written when others have found it.
            text(&["
@where = global ptr null
define void @__irkiss_main() {
entry:
  br label %again
again: ; or not
  %t = call i64 @__irkiss_async(ptr @f, ptr null)
  %more = call i1 @__irkiss_nondet_bool() ; or not
  br i1 %more, label %again, label %out
out:
  call void @take(ptr @m0)
  %found = load ptr, ptr @where
  call void @drop(ptr @m0)
  %none = icmp eq ptr %found, null
  br i1 %none, label %done, label %write
write:
  store i32 2, ptr %found
  br label %done
done:
  ret void
}
define void @f(ptr %arg) {
  %own = call ptr @__irkiss_alloc(i64 4, i1 true)
  call void @take(ptr @m0)
  store ptr %own, ptr @where
  call void @drop(ptr @m0)
  store i32 1, ptr %own
  ret void
}
"]),
        ),
        (
            NetFault::SharesStay,
            // Who has left the gate is not waited for.
            text(&["
define void @__irkiss_main() {
entry:
  br label %again
again: ; or not
  %t = call i64 @__irkiss_async(ptr @f, ptr null)
  %more = call i1 @__irkiss_nondet_bool() ; or not
  br i1 %more, label %again, label %out
out:
  call void @__irkiss_atomic_begin()
  %users = call i64 @__irkiss_ghost_get(ptr @m0, i32 9)
  %nobody = icmp eq i64 %users, 0
  call void @__irkiss_assume(i1 %nobody)
  call void @__irkiss_ghost_set(ptr @m1, i32 9, i64 1)
  call void @__irkiss_atomic_end()
  store i32 2, ptr @g0
  ret void
}
define void @f(ptr %arg) {
  call void @__irkiss_atomic_begin()
  %closed = call i64 @__irkiss_ghost_get(ptr @m1, i32 9)
  %open = icmp eq i64 %closed, 0
  call void @__irkiss_assume(i1 %open)
  %before = call i64 @__irkiss_ghost_get(ptr @m0, i32 9)
  %more = add i64 %before, 1
  call void @__irkiss_ghost_set(ptr @m0, i32 9, i64 %more)
  call void @__irkiss_atomic_end()
  call void @__irkiss_atomic_begin()
  %now = call i64 @__irkiss_ghost_get(ptr @m0, i32 9)
  %less = sub i64 %now, 1
  call void @__irkiss_ghost_set(ptr @m0, i32 9, i64 %less)
  call void @__irkiss_atomic_end()
  %late = load i32, ptr @g0
  ret void
}
"]),
        ),
        (
            NetFault::EveryStartIsOnce,
            // Who finds another's number there goes on.
            text(&[
                SWARM,
                "
define void @f(ptr %arg) {
  %me = call i64 @me()
  call void @__irkiss_atomic_begin()
  %first = call i64 @__irkiss_ghost_get(ptr @m0, i32 9)
  %none = icmp eq i64 %first, 0
  br i1 %none, label %mark, label %marked
mark:
  call void @__irkiss_ghost_set(ptr @m0, i32 9, i64 %me)
  br label %marked
marked:
  call void @__irkiss_atomic_end()
  call void @__irkiss_atomic_begin()
  %who = call i64 @__irkiss_ghost_get(ptr @m0, i32 9)
  %other = icmp ne i64 %who, %me
  call void @__irkiss_assume(i1 %other)
  call void @__irkiss_atomic_end()
  store i32 1, ptr @g0
  ret void
}
",
            ]),
        ),
        (
            NetFault::NobodyBreaks,
            // One takes the lock, another gives it back for it.
            text(&["
define void @__irkiss_main() {
entry:
  br label %again
again: ; or not
  %t = call i64 @__irkiss_async(ptr @f, ptr null)
  %more = call i1 @__irkiss_nondet_bool() ; or not
  br i1 %more, label %again, label %out
out:
  ret void
}
define void @f(ptr %arg) {
  %way = call i1 @__irkiss_nondet_bool()
  br i1 %way, label %taker, label %breaker
taker:
  call void @take(ptr @m0)
  store i32 1, ptr @g0
  ret void
breaker:
  call void @__irkiss_atomic_begin()
  %owner = call i64 @__irkiss_ghost_get(ptr @m0, i32 1)
  %held = icmp ne i64 %owner, 0
  call void @__irkiss_assume(i1 %held)
  call void @__irkiss_ghost_set(ptr @m0, i32 1, i64 0)
  call void @__irkiss_atomic_end()
  store i32 2, ptr @g0
  ret void
}
"]),
        ),
        (
            NetFault::OwnerForEver,
            text(&[
                SWARM,
                "
define void @f(ptr %arg) {
  call void @take(ptr @m0)
  call void @drop(ptr @m0)
  call void @__irkiss_atomic_begin()
  %owner = call i64 @__irkiss_ghost_get(ptr @m0, i32 1)
  %free = icmp eq i64 %owner, 0
  call void @__irkiss_assume(i1 %free)
  call void @__irkiss_atomic_end()
  store i32 1, ptr @g0
  ret void
}
",
            ]),
        ),
        (
            NetFault::VagueWritesMissCells,
            text(&["
define void @__irkiss_main() {
  %t = call i64 @__irkiss_async(ptr @f, ptr null)
  %bit = call i1 @__irkiss_nondet_bool()
  %n = zext i1 %bit to i64
  %p = getelementptr [2 x i32], ptr @array, i64 0, i64 %n
  store volatile i32 1, ptr %p
  store i32 2, ptr @g0
  ret void
}
define void @f(ptr %arg) {
  call void @wait(ptr getelementptr (i8, ptr @array, i64 4), i32 1)
  store i32 1, ptr @g0
  ret void
}
"]),
        ),
        (
            NetFault::LoopMakesOne,
            text(&["
define void @__irkiss_main() {
entry:
  br label %again
again:
  %n = phi i32 [ 0, %entry ], [ %next, %again ]
  %p = call ptr @__irkiss_alloc(i64 4, i1 true)
  %t = call i64 @__irkiss_async(ptr @f, ptr %p)
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, 2
  br i1 %more, label %again, label %out
out:
  ret void
}
define void @f(ptr %arg) {
  call void @take(ptr %arg)
  store i32 1, ptr @g0
  call void @drop(ptr %arg)
  ret void
}
"]),
        ),
        (
            NetFault::UnknownExchangeFails,
            text(&["
define void @__irkiss_main() {
  %p = call ptr @__irkiss_alloc(i64 4, i1 false)
  %t = call i64 @__irkiss_async(ptr @f, ptr %p)
  store i32 2, ptr @g0
  ret void
}
define void @f(ptr %arg) {
  %pair = cmpxchg ptr %arg, i32 0, i32 1 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  call void @__irkiss_assume(i1 %done)
  store i32 1, ptr @g0
  ret void
}
"]),
        ),
        (
            NetFault::LoopsAreShort,
            text(&[
                BESIDE,
                "
define void @f(ptr %arg) {
entry:
  br label %again
again:
  %n = phi i32 [ 0, %entry ], [ %next, %again ]
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, 20
  br i1 %more, label %again, label %out
out:
  store i32 1, ptr @g0
  ret void
}
",
            ]),
        ),
        (
            NetFault::FirstArgumentOnly,
            text(&["
define void @__irkiss_main() {
entry:
  br label %again
again: ; or not
  %one = call i1 @__irkiss_nondet_bool()
  %lock = select i1 %one, ptr @m0, ptr @m1
  %t = call i64 @__irkiss_async(ptr @f, ptr %lock)
  %more = call i1 @__irkiss_nondet_bool() ; or not
  br i1 %more, label %again, label %out
out:
  ret void
}
define void @f(ptr %arg) {
  call void @take(ptr %arg)
  store i32 1, ptr @g0
  call void @drop(ptr %arg)
  ret void
}
"]),
        ),
        (
            NetFault::FewValues,
            text(&["
define void @__irkiss_main() {
entry:
  %t = call i64 @__irkiss_async(ptr @f, ptr null)
  br label %again
again:
  %n = phi i32 [ 0, %entry ], [ %next, %again ]
  %old = atomicrmw add ptr @g1, i32 1 seq_cst
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, 14
  br i1 %more, label %again, label %out
out:
  store i32 2, ptr @g0
  ret void
}
define void @f(ptr %arg) {
  call void @wait(ptr @g1, i32 14)
  store i32 1, ptr @g0
  ret void
}
"]),
        ),
        (
            NetFault::StopsUndo,
            text(&["
define void @__irkiss_main() {
  %t = call i64 @__irkiss_async(ptr @f, ptr null)
  %u = call i64 @__irkiss_async(ptr @g, ptr null)
  call void @wait(ptr @g1, i32 1)
  store i32 2, ptr @g0
  ret void
}
define void @f(ptr %arg) {
  call void @__irkiss_atomic_begin()
  store i32 1, ptr @g1
  call void @__irkiss_atomic_end()
  call void @__irkiss_stop()
  unreachable
}
define void @g(ptr %arg) {
  store i32 1, ptr @g0
  ret void
}
"]),
        ),
        (
            NetFault::OverlapsAreApart,
            text(&["
define void @__irkiss_main() {
  %t = call i64 @__irkiss_async(ptr @f, ptr null)
  store volatile i8 1, ptr getelementptr (i8, ptr @g1, i64 1)
  store i32 2, ptr @g0
  ret void
}
define void @f(ptr %arg) {
  call void @wait(ptr @g1, i32 256)
  store i32 1, ptr @g0
  ret void
}
"]),
        ),
        (
            NetFault::TwinsNeverMeet,
            text(&[
                &SWARM.replace("store i32 2, ptr @g0", ""),
                "
define void @f(ptr %arg) {
  store i32 1, ptr @g0
  ret void
}
",
            ]),
        ),
        (
            NetFault::SectionsRaceWithNothing,
            text(&[
                BESIDE,
                "
define void @f(ptr %arg) {
  call void @__irkiss_atomic_begin()
  store i32 1, ptr @g0
  call void @__irkiss_atomic_end()
  ret void
}
",
            ]),
        ),
    ]
}
