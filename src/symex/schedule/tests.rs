//! Strategies, by the assertions that they find to fail in small programs.

use crate::symex::testing::Search::{self, Alone, Eager, Lanes, Paths, Rounds, Switches};
use crate::symex::testing::fails;

/// A thread looks at `x` while the first has written 1 and not yet 2.
const INTERRUPTED: &str = "
    @x = global i32 0
    define void @t(ptr %p) {
      %v = load i32, ptr @x %c = icmp ne i32 %v, 1
      call void @__irkiss_assert(i1 %c, ptr null) ret void }
    define void @__irkiss_main() {
      %n = call i64 @__irkiss_async(ptr @t, ptr null)
      store i32 1, ptr @x store i32 2, ptr @x ret void }";

/// The same with both writes in one section.
const SECTION: &str = "
    @x = global i32 0
    define void @t(ptr %p) {
      %v = load i32, ptr @x %c = icmp ne i32 %v, 1
      call void @__irkiss_assert(i1 %c, ptr null) ret void }
    define void @__irkiss_main() {
      %n = call i64 @__irkiss_async(ptr @t, ptr null)
      call void @__irkiss_atomic_begin()
      store i32 1, ptr @x store i32 2, ptr @x
      call void @__irkiss_atomic_end() ret void }";

/// The first thread looks twice: between, the other has run.
const CHANGED: &str = "
    @x = global i32 0
    define void @t(ptr %p) { store i32 1, ptr @x ret void }
    define void @__irkiss_main() {
      %n = call i64 @__irkiss_async(ptr @t, ptr null)
      %v = load i32, ptr @x %w = load i32, ptr @x %c = icmp eq i32 %v, %w
      call void @__irkiss_assert(i1 %c, ptr null) ret void }";

/// Each waits for the other once: nobody can be over before the other goes on.
const PING_PONG: &str = "
    @x = global i32 0
    define void @t(ptr %p) {
      %v = load i32, ptr @x %c = icmp eq i32 %v, 1 call void @__irkiss_assume(i1 %c)
      store i32 2, ptr @x
      %w = load i32, ptr @x %d = icmp eq i32 %w, 3 call void @__irkiss_assume(i1 %d)
      call void @__irkiss_assert(i1 false, ptr null) ret void }
    define void @__irkiss_main() {
      %n = call i64 @__irkiss_async(ptr @t, ptr null)
      store i32 1, ptr @x
      %v = load i32, ptr @x %c = icmp eq i32 %v, 2 call void @__irkiss_assume(i1 %c)
      store i32 3, ptr @x ret void }";

/// The second thread is started before the first is written to: it is there from then on alone.
const LATE: &str = "
    @x = global i32 0
    define void @t(ptr %p) {
      %v = load i32, ptr @x %c = icmp eq i32 %v, 1
      call void @__irkiss_assert(i1 %c, ptr null) ret void }
    define void @__irkiss_main() {
      store i32 1, ptr @x
      %n = call i64 @__irkiss_async(ptr @t, ptr null) ret void }";

/// Two threads each add one, not in one step.
const LOST: &str = "
    @x = global i32 0
    @done = global i32 0
    define void @t(ptr %p) {
      %v = load i32, ptr @x %w = add i32 %v, 1 store i32 %w, ptr @x
      store i32 1, ptr @done ret void }
    define void @__irkiss_main() {
      %n = call i64 @__irkiss_async(ptr @t, ptr null)
      %v = load i32, ptr @x %w = add i32 %v, 1 store i32 %w, ptr @x
      %d = load i32, ptr @done %is = icmp eq i32 %d, 1 call void @__irkiss_assume(i1 %is)
      %e = load i32, ptr @x %c = icmp eq i32 %e, 2
      call void @__irkiss_assert(i1 %c, ptr null) ret void }";

/// The pointer that a thread stores is what the other follows.
const HANDED: &str = "
    @a = global i32 0
    @p = global ptr null
    define void @t(ptr %q) {
      %o = load ptr, ptr @p %some = icmp ne ptr %o, null call void @__irkiss_assume(i1 %some)
      %v = load i32, ptr %o %c = icmp eq i32 %v, 0
      call void @__irkiss_assert(i1 %c, ptr null) ret void }
    define void @__irkiss_main() {
      %n = call i64 @__irkiss_async(ptr @t, ptr null)
      store ptr @a, ptr @p store i32 4, ptr @a ret void }";

macro_rules! finds {
    ($($name:ident: $program:ident, $search:expr, $fails:expr;)*) => {
        $(#[test]
        fn $name() {
            let search: Search = $search;
            assert_eq!(fails($program, search), $fails, "{search:?}");
        })*
    };
}

finds! {
    lanes_interrupt: INTERRUPTED, Lanes(1), true;
    lanes_without_waiting_threads_do_not: INTERRUPTED, Lanes(0), false;
    paths_interrupt: INTERRUPTED, Paths(1), true;
    rounds_interrupt: INTERRUPTED, Rounds(1), true;
    eager_rounds_interrupt: INTERRUPTED, Eager(1), true;
    alone_anything_may_have_been_written: INTERRUPTED, Alone, true;
    lanes_leave_sections_whole: SECTION, Lanes(1), false;
    paths_leave_sections_whole: SECTION, Paths(1), false;
    rounds_leave_sections_whole: SECTION, Rounds(2), false;
    eager_rounds_leave_sections_whole: SECTION, Eager(2), false;
    lanes_come_back: CHANGED, Lanes(1), true;
    paths_come_back: CHANGED, Paths(1), true;
    one_round_does_not_come_back: CHANGED, Rounds(1), false;
    two_rounds_come_back: CHANGED, Rounds(2), true;
    one_eager_round_does_not_come_back: CHANGED, Eager(1), false;
    two_eager_rounds_come_back: CHANGED, Eager(2), true;
    lanes_do_not_alternate: PING_PONG, Lanes(2), false;
    one_round_does_not_alternate: PING_PONG, Rounds(1), false;
    two_rounds_alternate: PING_PONG, Rounds(2), true;
    three_switches_alternate: PING_PONG, Switches(2, 3), true;
    two_switches_do_not: PING_PONG, Switches(2, 2), false;
    two_eager_rounds_alternate: PING_PONG, Eager(2), true;
    in_lanes_nobody_runs_before_it_is_started: LATE, Lanes(1), false;
    in_rounds_nobody_runs_before_it_is_started: LATE, Rounds(2), false;
    in_eager_rounds_nobody_runs_before_it_is_started: LATE, Eager(2), false;
    lanes_lose_an_update: LOST, Lanes(1), true;
    rounds_lose_an_update: LOST, Rounds(2), true;
    eager_rounds_lose_an_update: LOST, Eager(2), true;
    lanes_follow_a_pointer_of_another_thread: HANDED, Lanes(1), true;
    rounds_follow_a_pointer_of_another_thread: HANDED, Rounds(1), true;
    eager_rounds_follow_a_guessed_pointer: HANDED, Eager(2), true;
    alone_a_pointer_is_one_that_some_thread_stores: HANDED, Alone, true;
}
