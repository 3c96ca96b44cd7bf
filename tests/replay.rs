//! The replayer: what schedules it accepts, what it says about them, and that it rejects perturbed ones.

mod support;

use irkiss::program::Program;
use irkiss::replay::confirm::{Confirmed, confirm};
use irkiss::replay::explore::{self, Mode};
use irkiss::replay::figure4;
use irkiss::replay::search::{Limits, Outcome};
use irkiss::trace::schedule::Schedule;
use support::{program_of_c, program_of_ll};

const DECLARATIONS: &str = "
declare i64 @__irkiss_async(ptr, ptr)
declare void @__irkiss_atomic_begin()
declare void @__irkiss_atomic_end()
declare void @__irkiss_assume(i1)
declare void @__irkiss_assert(i1, ptr)
declare i1 @__irkiss_nondet_bool()
";

fn program(text: &str) -> Program {
    program_of_ll(&format!("{DECLARATIONS}{text}"))
}

fn all(program: &Program) -> Outcome {
    let outcome = explore::failures(program, Mode::All, &Limits::default());
    assert!(outcome.complete, "{outcome:?}");
    assert!(outcome.errors.is_empty(), "{outcome:?}");
    for schedule in outcome
        .assertions
        .values()
        .chain(outcome.race_schedules.values())
    {
        holds(program, schedule);
    }
    outcome
}

fn balanced(program: &Program) -> Outcome {
    let outcome = explore::failures(program, Mode::Balanced, &Limits::default());
    for schedule in outcome
        .assertions
        .values()
        .chain(outcome.race_schedules.values())
    {
        holds(program, schedule);
    }
    outcome
}

fn figure(program: &Program, max: Option<u32>) -> Outcome {
    let outcome = figure4::failures(program, max, &Limits::default());
    assert!(outcome.complete && outcome.errors.is_empty(), "{outcome:?}");
    for schedule in outcome
        .assertions
        .values()
        .chain(outcome.race_schedules.values())
    {
        holds(program, schedule);
    }
    outcome
}

fn holds(program: &Program, schedule: &Schedule) -> Confirmed {
    confirm(program, schedule).unwrap_or_else(|d| panic!("{d}\n{schedule:#?}"))
}

/// T: `x = 1; assume(false)`; main: `assert(x == 0)` fails: a thread may stay before what blocks it (DESIGN 9.2).
#[test]
fn a_blocked_thread_leaves_what_it_did() {
    let p = program(
        "@x = global i32 0
        define void @t(ptr %p) { store i32 1, ptr @x call void @__irkiss_assume(i1 false) ret void }
        define void @__irkiss_main() {
            call i64 @__irkiss_async(ptr @t, ptr null)
            %v = load i32, ptr @x
            %c = icmp eq i32 %v, 0
            call void @__irkiss_assert(i1 %c, ptr null)
            ret void }",
    );
    for outcome in [all(&p), balanced(&p), figure(&p, Some(0)), figure(&p, None)] {
        assert!(outcome.assertion);
        assert_eq!(outcome.races.len(), 1);
    }
}

/// A lock: an atomic section that waits for and takes a word. Without a race, with one where one side forgets the lock.
fn locked(second_locks: bool) -> Program {
    let (lock, unlock) = if second_locks {
        ("call void @lock()", "call void @unlock()")
    } else {
        ("", "")
    };
    program(&format!(
        "@l = global i32 0
        @x = global i32 0
        define void @lock() {{
            call void @__irkiss_atomic_begin()
            %v = load i32, ptr @l
            %free = icmp eq i32 %v, 0
            call void @__irkiss_assume(i1 %free)
            store i32 1, ptr @l
            call void @__irkiss_atomic_end()
            ret void }}
        define void @unlock() {{
            call void @__irkiss_atomic_begin()
            store i32 0, ptr @l
            call void @__irkiss_atomic_end()
            ret void }}
        define void @t(ptr %p) {{ {lock} store i32 1, ptr %p {unlock} ret void }}
        define void @__irkiss_main() {{
            call i64 @__irkiss_async(ptr @t, ptr @x)
            call void @lock()
            %v = load i32, ptr @x
            call void @unlock()
            ret void }}"
    ))
}

#[test]
fn locks_exclude() {
    let safe = locked(true);
    for outcome in [all(&safe), balanced(&safe), figure(&safe, Some(1))] {
        assert!(outcome.races.is_empty(), "{outcome:?}");
    }
    let racy = locked(false);
    for outcome in [all(&racy), balanced(&racy), figure(&racy, Some(1))] {
        assert_eq!(outcome.races.len(), 1, "{outcome:?}");
    }
}

/// KISS §4.1: what needs a thread to be left and returned to is not balanced.
#[test]
fn an_unbalanced_failure_is_not_found_by_kiss() {
    // t waits for main to write after t wrote; main waits for t: main t main t.
    let p = program(
        "@x = global i32 0
        define void @t(ptr %p) {
            store atomic i32 1, ptr @x seq_cst, align 4
            br label %again
        again:
            %v = load atomic i32, ptr @x seq_cst, align 4
            %c = icmp ne i32 %v, 2
            call void @__irkiss_assert(i1 %c, ptr null)
            ret void }
        define void @__irkiss_main() {
            call i64 @__irkiss_async(ptr @t, ptr null)
            %v = load atomic i32, ptr @x seq_cst, align 4
            %one = icmp eq i32 %v, 1
            br i1 %one, label %set, label %end
        set:
            store atomic i32 2, ptr @x seq_cst, align 4
            br label %end
        end:
            ret void }",
    );
    assert!(all(&p).assertion);
    assert!(!balanced(&p).assertion);
    assert!(!figure(&p, None).assertion);
}

/// KISS §2.3: the assertion of the Bluetooth driver needs one pending thread; the race needs none.
#[test]
fn bluetooth() {
    let text = std::fs::read_to_string("tests/kiss_native/bluetooth.c").expect("there");
    let p = program_of_c(&text);
    let none = figure(&p, Some(0));
    assert!(!none.assertion);
    let racy = |o: &Outcome| {
        o.races.iter().any(|(a, b)| {
            let f = [&p.sites[*a], &p.sites[*b]].map(|s| s.function.as_str());
            f.contains(&"BCSP_IoIncrement") && f.contains(&"BCSP_PnpStop")
        })
    };
    assert!(racy(&none), "{:?}", none.races);
    let one = figure(&p, Some(1));
    assert!(one.assertion && racy(&one));
    let schedule = one.assertions.values().next().expect("one");
    let seen = holds(&p, schedule);
    assert_eq!(seen.accesses[0].kind, "assert");
    assert_eq!(seen.accesses[0].stack[0].function, "BCSP_PnpAdd");
    assert!(seen.accesses[0].stack[0].line > 0);
}
