//! The replayer: what schedules it accepts, what it says about them, and that it rejects perturbed ones.

mod support;

use irkiss::internals::index::{Idx, SiteId};
use irkiss::internals::program::Program;
use irkiss::internals::replay::confirm::{Confirmed, DivergenceKind, confirm};
use irkiss::internals::replay::input::Recorded;
use irkiss::internals::replay::interp::{Log, Machine};
use irkiss::internals::replay::state::{PathError, Stop};
use irkiss::oracle::explore::{self, Mode};
use irkiss::oracle::figure4;
use irkiss::oracle::search::{Limits, Outcome};
use irkiss::trace::schedule::{Failure, Inputs, LazyCell, LazyValue, Schedule, Step};
use support::random::Tiny;
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

/// T: `x = 1; assume(false)`; main: `assert(x == 0)` fails: a thread may stay before what blocks it.
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
    assert_eq!(seen.accesses[0].kind.name(), "assert");
    assert_eq!(seen.accesses[0].stack[0].function, "BCSP_PnpAdd");
    assert!(seen.accesses[0].stack[0].line > 0);
}

/// What an access of a finding tells: stack, locks, value, and events that can be read.
#[test]
fn a_finding_is_told_as_it_was_seen() {
    let p = program_of_c(
        "#include <pthread.h>
        struct counter { int users; pthread_mutex_t guard; } c;
        static void touch(struct counter *k) { k->users = 7; }
        static void *worker(void *arg) { touch(arg); return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, worker, &c);
            pthread_mutex_lock(&c.guard);
            int seen = c.users;
            pthread_mutex_unlock(&c.guard);
            return seen;
        }",
    );
    let outcome = all(&p);
    let in_user_code = |s: &SiteId| !p.sites[*s].in_model;
    let (_, schedule) = outcome
        .race_schedules
        .iter()
        .find(|((a, b), _)| in_user_code(a) && in_user_code(b))
        .expect("the race on users");
    let seen = holds(&p, schedule);
    assert_eq!(seen.location, "c.users");
    let (reader, writer) = match seen.accesses[0].kind.name() {
        "read" => (&seen.accesses[0], &seen.accesses[1]),
        _ => (&seen.accesses[1], &seen.accesses[0]),
    };
    assert_eq!((reader.thread, reader.bytes, reader.value), (0, 4, Some(0)));
    assert_eq!(reader.entry_point, "main");
    assert_eq!(reader.locks, ["c.guard"]);
    assert_eq!((writer.thread, writer.marked), (1, false));
    assert_eq!(writer.entry_point, "worker");
    assert!(writer.locks.is_empty());
    let functions: Vec<&str> = writer.stack.iter().map(|f| f.function.as_str()).collect();
    assert_eq!(functions, ["touch", "worker"]);
    assert_eq!(writer.stack[0].line, 3);
    let events: Vec<String> = seen.events.iter().map(|e| e.does.to_string()).collect();
    let told = |what: &str| events.iter().any(|e| e == what);
    assert!(told("starts thread 1"), "{events:?}");
    assert!(told("locks c.guard"), "{events:?}");
    assert!(
        events[events.len() - 2..]
            .iter()
            .any(|e| e == "writes 7 to c.users"),
        "{events:?}"
    );
}

/// The claims and the steps that a perturbation must not leave standing.
fn perturbed(schedule: &Schedule) -> Vec<(String, Schedule)> {
    let mut found = Vec::new();
    let claimed: Vec<Step> = match &schedule.failure {
        Failure::Assertion(step) | Failure::UseAfterFree(step) | Failure::Property(_, step) => {
            vec![*step]
        }
        Failure::Race { first, second } => vec![*first, *second],
        Failure::Atomicity { write, .. } => vec![*write],
    };
    let mut add = |what: String, change: &dyn Fn(&mut Schedule)| {
        let mut copy = schedule.clone();
        change(&mut copy);
        found.push((what, copy));
    };
    for n in 0..schedule.steps.len() {
        let step = schedule.steps[n];
        add(format!("another site at {n}"), &|s| {
            s.steps[n].site = SiteId::new(step.site.index() + 1);
        });
        add(format!("a thread that does not exist at {n}"), &|s| {
            s.steps[n].thread = 99
        });
        // Without this step the thread is at the same site where it should be at another.
        let later = schedule.steps[n + 1..].iter().chain(&claimed);
        let next = later
            .filter(|s| s.thread == step.thread)
            .map(|s| s.site)
            .next();
        if next.is_some_and(|site| site != step.site) {
            add(format!("without step {n}"), &|s| {
                s.steps.remove(n);
            });
            add(format!("step {n} twice"), &|s| s.steps.insert(n, step));
        }
        if n > 0 {
            let before = schedule.steps[n - 1];
            if before.thread == step.thread && before.site != step.site {
                add(format!("steps {} and {n} swapped", n - 1), &|s| {
                    s.steps.swap(n - 1, n)
                });
            }
        }
    }
    // (The next site may be in the same section and race too.)
    add("a claim elsewhere".to_string(), &|s| match &mut s.failure {
        Failure::Assertion(step)
        | Failure::UseAfterFree(step)
        | Failure::Property(_, step)
        | Failure::Atomicity { read: step, .. }
        | Failure::Race { second: step, .. } => step.site = SiteId(9999),
    });
    add(
        "a claim about another thread".to_string(),
        &|s| match &mut s.failure {
            Failure::Assertion(step)
            | Failure::UseAfterFree(step)
            | Failure::Property(_, step)
            | Failure::Atomicity { read: step, .. }
            | Failure::Race { first: step, .. } => step.thread += 7,
        },
    );
    if let Failure::Race { first, .. } = &schedule.failure {
        let first = *first;
        add("a race with itself".to_string(), &|s| {
            s.failure = Failure::Race {
                first,
                second: first,
            };
        });
        add("a race for an assertion".to_string(), &|s| {
            s.failure = Failure::Assertion(first);
        });
    }
    found
}

#[test]
fn perturbed_schedules_are_rejected() {
    let mut rejected = 0;
    for seed in 0..60 {
        let p = program_of_ll(&Tiny::random(seed).to_string());
        let limits = Limits {
            states: 20_000,
            ..Limits::default()
        };
        let outcome = explore::failures(&p, Mode::All, &limits);
        let schedules = outcome
            .assertions
            .values()
            .chain(outcome.race_schedules.values());
        for schedule in schedules {
            holds(&p, schedule);
            for (what, bad) in perturbed(schedule) {
                assert!(
                    confirm(&p, &bad).is_err(),
                    "seed {seed}, {what}:\n{schedule:#?}\n{}",
                    Tiny::random(seed)
                );
                rejected += 1;
            }
        }
    }
    assert!(rejected > 500, "{rejected}");
}

/// An input decides the path; another value, another thread in the way, a blocked or ended thread: each is told apart.
#[test]
fn divergences_are_classified() {
    let p = program(
        "@x = global i32 0
        @l = global i32 1
        define void @t(ptr %p) {
            call void @__irkiss_atomic_begin()
            %v = load i32, ptr @l
            %free = icmp eq i32 %v, 0
            call void @__irkiss_assume(i1 %free)
            call void @__irkiss_atomic_end()
            ret void }
        define void @__irkiss_main() {
            call i64 @__irkiss_async(ptr @t, ptr null)
            %c = call i1 @__irkiss_nondet_bool()
            br i1 %c, label %yes, label %no
        yes:
            store i32 1, ptr @x
            call void @__irkiss_assert(i1 false, ptr null)
            ret void
        no:
            store i32 2, ptr @x
            ret void }",
    );
    let outcome = all(&p);
    let schedule = outcome.assertions.values().next().expect("fails").clone();
    let kind = |s: &Schedule| confirm(&p, s).expect_err("diverges").kind;
    let mut other_input = schedule.clone();
    assert_eq!(other_input.inputs.nondet[&0], [1]);
    other_input.inputs.nondet.insert(0, vec![0]);
    assert!(matches!(
        kind(&other_input),
        DivergenceKind::OtherSite { .. }
    ));
    let section = p
        .sites
        .iter_ids()
        .find(|(_, s)| s.kind == irkiss::internals::program::SiteKind::AtomicBegin)
        .expect("one")
        .0;
    let mut blocked = schedule.clone();
    blocked.steps.push(Step {
        thread: 1,
        site: section,
    });
    assert_eq!(kind(&blocked), DivergenceKind::Blocked);
    let mut early = schedule.clone();
    let Failure::Assertion(last) = early.failure else {
        panic!()
    };
    early.steps.push(last);
    assert_eq!(kind(&early), DivergenceKind::AssertionFailed);
    let mut ended = other_input.clone();
    let (store, _) = p
        .sites
        .iter_ids()
        .rfind(|(_, s)| s.function == "__irkiss_main")
        .expect("the last store");
    let at = ended.steps.len() - 1;
    ended.steps[at].site = store;
    ended.steps.push(last);
    assert_eq!(kind(&ended), DivergenceKind::ThreadEnded);
    let mut nobody = schedule;
    nobody.steps.insert(
        0,
        Step {
            thread: 1,
            site: section,
        },
    );
    assert_eq!(kind(&nobody), DivergenceKind::NoSuchThread);
}

/// Runs thread 0 alone with these inputs; the schedule of its failing assertion, or why it stopped (`None`: it ended).
fn alone(program: &Program, inputs: &Inputs) -> Result<Schedule, Option<Stop>> {
    let machine = Machine::new(program, 10_000);
    let mut source = Recorded::new(inputs, &[]);
    let mut log = Log::default();
    let entry = program.function_named("__irkiss_main").expect("a start");
    let mut state = machine.initial(entry, &mut source).expect("starts");
    machine
        .settle(&mut state, 0, &mut source, &mut log)
        .map_err(Some)?;
    let mut steps = Vec::new();
    while let Some(site) = machine.next_site(&state, 0) {
        let step = Step { thread: 0, site };
        match machine.step(&mut state, 0, &mut source, &mut log) {
            Ok(()) => steps.push(step),
            Err(Stop::AssertionFailed(_)) => {
                return Ok(Schedule {
                    steps,
                    inputs: inputs.clone(),
                    failure: Failure::Assertion(step),
                    ..Schedule::default()
                });
            }
            Err(stop) => return Err(Some(stop)),
        }
    }
    Err(None)
}

/// Lazy objects behind lazy objects, globals from elsewhere and uninitialised memory hold what the inputs say.
#[test]
fn inputs_fill_lazy_and_uninitialised_memory() {
    let p = program(
        "declare ptr @__irkiss_lazy(i64, ptr)
        declare ptr @__irkiss_alloc(i64, i1)
        declare ptr @__irkiss_nondet_ptr()
        @elsewhere = external global i32
        define void @__irkiss_main() {
            %o = call ptr @__irkiss_lazy(i64 0, ptr null)
            %at = getelementptr i8, ptr %o, i64 8
            %q = load ptr, ptr %at
            %inner = getelementptr i8, ptr %q, i64 -4
            %a = load i32, ptr %inner
            %h = call ptr @__irkiss_alloc(i64 4, i1 false)
            %b = load i32, ptr %h
            %z = call ptr @__irkiss_alloc(i64 4, i1 true)
            %zero = load i32, ptr %z
            %e = load i32, ptr @elsewhere
            %n = call ptr @__irkiss_nondet_ptr()
            %c = load i32, ptr %n
            %s1 = add i32 %a, %b
            %s2 = add i32 %s1, %e
            %s3 = add i32 %s2, %c
            %s4 = add i32 %s3, %zero
            %ok = icmp ne i32 %s4, 1111
            call void @__irkiss_assert(i1 %ok, ptr null)
            ret void }",
    );
    let cell = |offset: i64, value| {
        (
            offset as u64,
            LazyCell {
                size: if value == LazyValue::Object { 8 } else { 4 },
                value,
            },
        )
    };
    let int = |offset, value| [cell(offset, LazyValue::Int(value))].into();
    let mut inputs = Inputs::default();
    inputs.nondet.insert(0, vec![1]);
    inputs
        .lazy
        .insert("0.0".into(), [cell(8, LazyValue::Object)].into());
    inputs.lazy.insert("0.0+8".into(), int(-4, 1));
    inputs.lazy.insert("0.1".into(), int(0, 10));
    inputs.lazy.insert("@elsewhere".into(), int(0, 100));
    inputs.uninitialised.insert("0.0".into(), int(0, 1000));
    inputs.uninitialised.insert("0.1".into(), int(0, 7));
    let schedule = alone(&p, &inputs).expect("1111 and nothing from zeroed memory");
    holds(&p, &schedule);
    let mut null = inputs.clone();
    null.nondet.clear();
    assert!(matches!(
        alone(&p, &null),
        Err(Some(Stop::Error(PathError::Memory(_))))
    ));
    let mut other = schedule;
    other.inputs.lazy.insert("@elsewhere".into(), int(0, 101));
    let diverged = confirm(&p, &other).expect_err("1112");
    assert_eq!(diverged.kind, DivergenceKind::ClaimFails);
}

/// Each way in which a path ends has a class of its own; ghost state is by address and key.
#[test]
fn paths_end_in_classes() {
    let stop_of = |body: &str| {
        let p = program(&format!(
            "declare ptr @__irkiss_alloc(i64, i1)
            declare void @__irkiss_free(ptr)
            declare void @__irkiss_stop()
            declare void @__irkiss_unsupported(ptr)
            declare void @__irkiss_ghost_set(ptr, i32, i64)
            declare i64 @__irkiss_ghost_get(ptr, i32)
            declare void @__irkiss_touch(ptr, i64)
            declare void @unknown()
            @why = private constant [5 x i8] c\"asm!\\00\"
            @x = global i32 0
            define void @__irkiss_main() {{ {body} }}"
        ));
        alone(&p, &Inputs::default()).expect_err("no assertion fails")
    };
    let error = |body: &str| match stop_of(body) {
        Some(Stop::Error(e)) => e.to_string(),
        other => panic!("{body}: {other:?}"),
    };
    assert!(error("store i32 1, ptr null ret void").contains("null pointer"));
    assert!(
        error("%d = load i32, ptr @x %q = udiv i32 1, %d store i32 %q, ptr @x ret void")
            .contains("division")
    );
    assert!(error("call void @unknown() ret void").contains("unknown, which has no definition"));
    assert!(error("call void @__irkiss_unsupported(ptr @why) unreachable").contains("asm!"));
    let freed = "%h = call ptr @__irkiss_alloc(i64 4, i1 true) call void @__irkiss_free(ptr %h)
        call void @__irkiss_touch(ptr %h, i64 1) ret void";
    assert!(error(freed).contains("after it was freed"));
    assert!(error("call void @__irkiss_touch(ptr @x, i64 5) ret void").contains("out of bounds"));
    assert_eq!(
        stop_of("call void @__irkiss_assume(i1 false) ret void"),
        Some(Stop::Blocked)
    );
    assert_eq!(stop_of("call void @__irkiss_stop() unreachable"), None);
    let ghost = "call void @__irkiss_ghost_set(ptr @x, i32 3, i64 9)
        %a = call i64 @__irkiss_ghost_get(ptr @x, i32 3)
        %b = call i64 @__irkiss_ghost_get(ptr @x, i32 4)
        %s = add i64 %a, %b
        %ok = icmp eq i64 %s, 9
        call void @__irkiss_assert(i1 %ok, ptr null) ret void";
    assert_eq!(stop_of(ghost), None);
}
