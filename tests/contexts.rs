//! Contexts against the oracle: what symbolic execution in rounds finds is what some execution of so many rounds does, each tiny
//! program and K = 1..4; each interleaving replays; more rounds find no less.
//!
//! `IRKISS_PROGRAMS` is the number of programs (default 25), `IRKISS_SEED` the first seed.

mod support;

use irkiss::config::{Options, RoundsBy, Tiers};
use irkiss::faults::{RoundsFault, with};
use irkiss::internals::analysis::{PlanOptions, Planner, PointsTo};
use irkiss::internals::frontend::text::close_text;
use irkiss::oracle::explore::{self, Mode};
use irkiss::oracle::search;
use support::chain::{Found, sliced, symbolic, thread_modular};
use support::number;
use support::random::Tiny;
use support::random::shrink::shrink;

/// Rounds tried.
const ROUNDS: u32 = 4;

#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    skipped: u64,
    runs: u64,
    over_budget: u64,
    /// Races of which no interleaving replayed.
    missed: u64,
    /// Programs in which a number of rounds finds what one less does not.
    grows: [u64; ROUNDS as usize],
    /// Searches with fields left out, and fields that these came to track.
    searches: u64,
    fields: u64,
    /// Programs of which something is known with each thread by itself, and pairs of accesses and assertions that may fail so, of
    /// which some do.
    apart: u64,
    possible: u64,
    happen: u64,
    /// Programs in which some execution fails that no balanced one does.
    unbalanced: u64,
}

fn options(contexts: u32) -> Options {
    Options {
        unwind: 12,
        contexts,
        tiers: Tiers {
            lockset: false,
            coverability: false,
            driver_nets: false,
            runs: false,
            kiss: false,
            contexts: true,
        },
        ..Options::default()
    }
}

/// What is wrong with a program's answers, if anything is; `None` also for programs too large for the oracle.
fn disagreement(text: &str, fault: Option<RoundsFault>, tally: &mut Tally) -> Option<String> {
    let closed = close_text(text, &options(1)).expect("a valid program");
    let limits = search::Limits {
        states: 40_000,
        ..search::Limits::default()
    };
    let all = explore::failures(&closed.concurrent, Mode::All, &limits);
    let oracle = |k| explore::failures(&closed.concurrent, Mode::Rounds(k), &limits);
    let expected: Vec<_> = (1..=ROUNDS).map(oracle).collect();
    if !all.complete || expected.iter().any(|e| !e.complete) {
        tally.skipped += 1;
        return None;
    }
    tally.programs += 1;
    let balanced = explore::failures(&closed.concurrent, Mode::Balanced, &limits);
    let last = Found::of(&expected[ROUNDS as usize - 1]);
    let more = |a: &Found, b: &Found| {
        !a.races.is_subset(&b.races) || !a.assertions.is_subset(&b.assertions)
    };
    tally.unbalanced += u64::from(more(&last, &Found::of(&balanced)));
    if more(&last, &Found::of(&all)) {
        return Some("rounds find what no execution does".to_string());
    }
    if fault.is_none() {
        match thread_modular(&closed, &options(1)) {
            Ok(Some(possible)) => {
                tally.apart += 1;
                tally.possible += (possible.races.len() + possible.assertions.len()) as u64;
                tally.happen += (last.races.len() + last.assertions.len()) as u64;
                if more(&Found::of(&all), &possible) {
                    return Some(format!(
                        "apart only {possible:?} is possible, {all:?} happens"
                    ));
                }
            }
            Ok(None) => {}
            Err(why) => return Some(format!("apart: {why}")),
        }
    }
    let mut before = Found::default();
    for (k, expected) in (1..).zip(expected) {
        let found = match with(fault, || symbolic(&closed, &options(k), None)) {
            Ok(found) => found,
            Err(why) if why.starts_with("budget") => {
                tally.over_budget += 1;
                continue;
            }
            Err(why) => return Some(format!("K = {k}: {why}")),
        };
        tally.runs += 1;
        let expected = Found::of(&expected);
        tally.missed += u64::from(!found.unconfirmed.is_disjoint(&expected.races));
        if !found.tells(&expected) {
            return Some(format!("K = {k}: found {found:?}, expected {expected:?}"));
        }
        let of_slices = |f| {
            use RoundsFault::{ReadsZero, SectionsUnseen};
            matches!(f, ReadsZero | SectionsUnseen)
        };
        if fault.is_none_or(of_slices) {
            match with(fault, || sliced(&closed, &options(k))) {
                Ok((found, searches, fields)) => {
                    tally.searches += searches as u64;
                    tally.fields += fields as u64;
                    if !found.tells(&expected) {
                        return Some(format!(
                            "K = {k}, sliced: found {found:?}, expected {expected:?}"
                        ));
                    }
                }
                Err(why) if why.starts_with("budget") => {}
                Err(why) => return Some(format!("K = {k}, sliced: {why}")),
            }
        }
        tally.grows[k as usize - 1] += u64::from(more(&expected, &before));
        before = expected;
    }
    None
}

#[test]
fn rounds_find_what_executions_of_so_many_rounds_do() {
    let first = number("IRKISS_SEED", 0);
    let programs = number("IRKISS_PROGRAMS", 25);
    let mut tally = Tally::default();
    for seed in first..first + programs {
        let tiny = Tiny::random(seed);
        if std::env::var_os("IRKISS_VERBOSE").is_some() {
            eprintln!("seed {seed}: {tally:?}");
        }
        if let Some(wrong) = disagreement(&tiny.to_string(), None, &mut tally) {
            if std::env::var_os("IRKISS_NO_SHRINK").is_some() {
                panic!("seed {seed}: {wrong}\n{tiny}");
            }
            let mut scratch = Tally::default();
            let small = shrink(&tiny, &mut |t| {
                disagreement(&t.to_string(), None, &mut scratch).is_some()
            });
            let again = disagreement(&small.to_string(), None, &mut scratch);
            panic!("seed {seed}: {wrong}\nshrunk: {again:?}\n{small}");
        }
    }
    println!("{tally:?}");
    assert!(
        tally.missed * 1000 <= tally.runs,
        "too many races are not confirmed: {tally:?}"
    );
    assert!(
        tally.grows[1] * 10 >= tally.programs,
        "too few programs need a second round: {tally:?}"
    );
}

/// What of stores that are guessed was tried.
#[derive(Debug, Default)]
struct Guessed {
    programs: u64,
    runs: u64,
    over_budget: u64,
    /// Runs with races of which no interleaving replayed.
    missed: u64,
}

/// What is wrong with a program's answers where stores are guessed, if anything is; `None` also for programs too large for the oracle.
fn guessed_wrong(text: &str, tally: &mut Guessed) -> Option<String> {
    let by_guesses = |k| Options {
        rounds_by: RoundsBy::Eager,
        ..options(k)
    };
    let limits = search::Limits {
        states: 40_000,
        ..search::Limits::default()
    };
    let closed = close_text(text, &by_guesses(1)).expect("a valid program");
    let oracle = |k| explore::failures(&closed.concurrent, Mode::Rounds(k), &limits);
    let expected: Vec<_> = (1..=ROUNDS).map(oracle).collect();
    if expected.iter().any(|e| !e.complete) {
        return None;
    }
    tally.programs += 1;
    for (k, expected) in (1..).zip(expected) {
        let expected = Found::of(&expected);
        let closed = close_text(text, &by_guesses(k)).expect("a valid program");
        match symbolic(&closed, &by_guesses(k), None) {
            Ok(found) => {
                tally.runs += 1;
                tally.missed += u64::from(!found.unconfirmed.is_disjoint(&expected.races));
                if !found.tells(&expected) {
                    return Some(format!("K = {k}: found {found:?}, expected {expected:?}"));
                }
            }
            Err(why) if why.starts_with("budget") => tally.over_budget += 1,
            Err(why) => return Some(format!("K = {k}: {why}")),
        }
    }
    None
}

#[test]
fn guessed_stores_find_what_executions_of_so_many_rounds_do() {
    let first = number("IRKISS_SEED", 0);
    let programs = number("IRKISS_PROGRAMS", 25);
    let mut tally = Guessed::default();
    for seed in first..first + programs {
        let tiny = Tiny::random(seed);
        if std::env::var_os("IRKISS_VERBOSE").is_some() {
            eprintln!("seed {seed}: {tally:?}");
        }
        if let Some(wrong) = guessed_wrong(&tiny.to_string(), &mut tally) {
            let small = shrink(&tiny, &mut |t| {
                guessed_wrong(&t.to_string(), &mut Guessed::default()).is_some()
            });
            panic!("seed {seed}: {wrong}\n{small}");
        }
    }
    println!("{tally:?}");
    assert!(tally.programs * 2 >= programs, "too few tried: {tally:?}");
    assert!(
        tally.over_budget <= tally.programs,
        "too many over budget: {tally:?}"
    );
    assert!(
        tally.missed * 1000 <= tally.runs,
        "too many races are not confirmed: {tally:?}"
    );
}

/// The first thread writes the whole word; of the others' byte alone there are guesses.
const BYTE_OF_A_WORD: &str = "
@word = global i32 0

declare i64 @__irkiss_async(ptr, ptr)

define void @writer(ptr %argument) {
  store i8 1, ptr getelementptr (i8, ptr @word, i64 1)
  ret void
}

define void @starter(ptr %argument) {
  %thread = call i64 @__irkiss_async(ptr @writer, ptr null)
  store i8 1, ptr getelementptr (i8, ptr @word, i64 1)
  ret void
}

define void @__irkiss_main() {
  store atomic i32 1, ptr @word seq_cst, align 4
  %thread = call i64 @__irkiss_async(ptr @starter, ptr null)
  ret void
}
";

#[test]
fn what_was_not_guessed_of_a_word_is_not_compared() {
    let mut tally = Guessed::default();
    assert_eq!(guessed_wrong(BYTE_OF_A_WORD, &mut tally), None);
    assert_eq!(tally.runs, u64::from(ROUNDS), "{tally:?}");
}

#[test]
fn what_happens_is_possible_with_each_thread_by_itself() {
    let first = number("IRKISS_SEED", 0);
    let programs = number("IRKISS_PROGRAMS", 25);
    let limits = search::Limits {
        states: 40_000,
        ..search::Limits::default()
    };
    let [mut tried, mut happen, mut possible] = [0u64; 3];
    for seed in first..first + programs {
        let mut text = Tiny::random(seed).to_string();
        if seed % 2 == 0 {
            // The same locks, under keys of which it counts what is there.
            for key in [1, 3] {
                text = text.replace(
                    &format!("(ptr %l, i32 {key}"),
                    &format!("(ptr %l, i32 {}", 600 + key),
                );
            }
        }
        let closed = close_text(&text, &options(1)).expect("a valid program");
        let Ok(Some(apart)) = thread_modular(&closed, &options(1)) else {
            continue;
        };
        let all = explore::failures(&closed.concurrent, Mode::All, &limits);
        if !all.complete {
            continue;
        }
        tried += 1;
        let all = Found::of(&all);
        happen += (all.races.len() + all.assertions.len()) as u64;
        possible += (apart.races.len() + apart.assertions.len()) as u64;
        let covered =
            all.races.is_subset(&apart.races) && all.assertions.is_subset(&apart.assertions);
        assert!(
            covered,
            "seed {seed}: {all:?} happens, {apart:?} is possible\n{text}"
        );
    }
    println!("{tried} programs: {happen} of {possible} possible failures happen");
    assert!(tried * 2 >= programs, "only {tried} programs tried");
}

/// Two threads: one says when the data is there, both count something else.
const GUARDED: &str = "
@ready = global i32 0
@seen = global i32 0
@data = global i32 0

declare i64 @__irkiss_async(ptr, ptr)

define void @reader(ptr %argument) {
  %count = atomicrmw add ptr @seen, i32 1 seq_cst
  %ready = load atomic i32, ptr @ready seq_cst, align 4
  %is = icmp ne i32 %ready, 0
  br i1 %is, label %there, label %done
there:
  %data = load i32, ptr @data
  br label %done
done:
  ret void
}

define void @__irkiss_main() {
  %thread = call i64 @__irkiss_async(ptr @reader, ptr null)
  FIRST
  SECOND
  %count = atomicrmw add ptr @seen, i32 1 seq_cst
  ret void
}
";

#[test]
fn the_field_that_matters_is_found_and_no_other() {
    let write = "store i32 42, ptr @data";
    let say = "store atomic i32 1, ptr @ready seq_cst, align 4";
    for (order, races, fields) in [([write, say], 0, 1), ([say, write], 1, 0)] {
        let text = GUARDED
            .replace("FIRST", order[0])
            .replace("SECOND", order[1]);
        let closed = close_text(&text, &options(2)).expect("a valid program");
        let whole = symbolic(&closed, &options(2), None).expect("decided");
        let (found, _, tracked) = sliced(&closed, &options(2)).expect("decided");
        assert_eq!(
            (whole.races.len(), found.races.len()),
            (races, races),
            "{text}"
        );
        assert_eq!(tracked, fields, "{text}");
    }
}

/// Thread 0 comes to its access before thread 1 has done what lets it, or after it has taken away what lets thread 1.
const IN_ANOTHER_ORDER: [(RoundsFault, &str, &str); 3] = [
    (
        RoundsFault::OwnValues,
        "store atomic ptr @b, ptr @p seq_cst, align 8
         store i32 1, ptr @b",
        "%q = load atomic ptr, ptr @p seq_cst, align 8
         store i32 2, ptr %q",
    ),
    (
        RoundsFault::LocksInOrder,
        "call void @lock()
         call void @unlock()
         store i32 1, ptr @b",
        "call void @lock()
         store i32 2, ptr @b
         call void @unlock()",
    ),
    (
        RoundsFault::FreedInOrder,
        "%x = load i32, ptr %argument
         store i32 1, ptr @b",
        "call void @__irkiss_free(ptr %block)
         store i32 2, ptr @b",
    ),
];

#[test]
fn threads_by_themselves_see_what_another_order_lets_them() {
    for (fault, worker, main) in IN_ANOTHER_ORDER {
        let text = format!(
            "
@a = global i32 0
@b = global i32 0
@p = global ptr @a
@l = global i64 0

declare i64 @__irkiss_async(ptr, ptr)
declare ptr @__irkiss_alloc(i64, i1)
declare void @__irkiss_free(ptr)
declare void @__irkiss_assume(i1)
declare void @__irkiss_atomic_begin()
declare void @__irkiss_atomic_end()
declare i64 @__irkiss_ghost_get(ptr, i32)
declare void @__irkiss_ghost_set(ptr, i32, i64)

define void @lock() {{
  call void @__irkiss_atomic_begin()
  %owner = call i64 @__irkiss_ghost_get(ptr @l, i32 1)
  %free = icmp eq i64 %owner, 0
  call void @__irkiss_assume(i1 %free)
  call void @__irkiss_ghost_set(ptr @l, i32 1, i64 1)
  call void @__irkiss_atomic_end()
  ret void
}}

define void @unlock() {{
  call void @__irkiss_atomic_begin()
  call void @__irkiss_ghost_set(ptr @l, i32 1, i64 0)
  call void @__irkiss_atomic_end()
  ret void
}}

define void @worker(ptr %argument) {{
  {worker}
  ret void
}}

define void @__irkiss_main() {{
  %block = call ptr @__irkiss_alloc(i64 8, i1 true)
  %thread = call i64 @__irkiss_async(ptr @worker, ptr %block)
  {main}
  ret void
}}
"
        );
        let closed = close_text(&text, &options(1)).expect("a valid program");
        let all = explore::failures(&closed.concurrent, Mode::All, &search::Limits::default());
        assert!(all.complete && !all.races.is_empty(), "{text}");
        let possible = |fault| {
            let found = with(fault, || thread_modular(&closed, &options(1))).expect("decided");
            found.expect("nothing is left open")
        };
        let found = possible(None);
        assert!(
            all.races.is_subset(&found.races),
            "{:?} happens, {found:?} is possible\n{text}",
            all.races
        );
        if cfg!(feature = "faults") {
            let found = possible(Some(fault));
            assert!(
                !all.races.is_subset(&found.races),
                "{fault:?} goes unnoticed\n{text}"
            );
        }
    }
}

/// Main arms what the worker waits for, by a mark of the models or by a pointer, between two accesses.
const ARMED: &str = "
@a = global i32 0
@b = global i32 0
@p = global ptr null
@l = global i64 0

declare i64 @__irkiss_async(ptr, ptr)
declare void @__irkiss_assume(i1)
declare void @__irkiss_atomic_begin()
declare void @__irkiss_atomic_end()
declare i64 @__irkiss_ghost_get(ptr, i32)
declare void @__irkiss_ghost_set(ptr, i32, i64)

define void @worker(ptr %argument) {
  call void @__irkiss_atomic_begin()
  %armed = ARMED
  %is = icmp ne TYPE %armed, NONE
  call void @__irkiss_assume(i1 %is)
  call void @__irkiss_atomic_end()
  store i32 1, ptr @a
  store i32 1, ptr @b
  ret void
}

define void @__irkiss_main() {
  %thread = call i64 @__irkiss_async(ptr @worker, ptr null)
  store i32 2, ptr @a
  call void @__irkiss_atomic_begin()
  ARM
  call void @__irkiss_atomic_end()
  store i32 2, ptr @b
  ret void
}
";

#[test]
fn what_a_thread_does_later_is_nothing_that_others_see_by_themselves() {
    let ways = [
        [
            "call i64 @__irkiss_ghost_get(ptr @l, i32 512)",
            "i64",
            "0",
            "call void @__irkiss_ghost_set(ptr @l, i32 512, i64 1)",
        ],
        ["load ptr, ptr @p", "ptr", "null", "store ptr @l, ptr @p"],
    ];
    for [armed, ty, none, arm] in ways {
        let text = ARMED.replace("ARMED", armed);
        let text = text.replace("TYPE", ty).replace("NONE", none);
        let text = text.replace("ARM", arm);
        let closed = close_text(&text, &options(1)).expect("a valid program");
        let all = explore::failures(&closed.concurrent, Mode::All, &search::Limits::default());
        let found = thread_modular(&closed, &options(1)).expect("decided");
        let found = found.expect("nothing is left open");
        // Of @b, where it has been armed; not of @a.
        assert_eq!(found.races, Found::of(&all).races, "{text}");
        assert_eq!(found.races.len(), 1, "{text}");
    }
}

/// One access that may reach either of two variables, and one variable apart.
const EITHER: &str = "
@a = global i32 0
@b = global i32 0
@c = global i32 0

declare i64 @__irkiss_async(ptr, ptr)

define void @worker(ptr %argument) {
  %x = load i32, ptr @c
  ret void
}

define void @__irkiss_main() {
  %thread = call i64 @__irkiss_async(ptr @worker, ptr null)
  %which = load i32, ptr @c
  %is = icmp ne i32 %which, 0
  %p = select i1 %is, ptr @a, ptr @b
  store i32 1, ptr %p
  store i32 1, ptr @a
  store i32 1, ptr @c
  ret void
}
";

#[test]
fn what_one_access_may_reach_is_one_map_and_so_is_what_is_merged_by_hand() {
    let closed = close_text(EITHER, &options(1)).expect("a valid program");
    let program = &closed.concurrent;
    let main = program.function_named("__irkiss_main").expect("main");
    let points_to = PointsTo::solve(program, &[main], false);
    let maps = |merged: &[Vec<String>]| {
        let planner = Planner::new(program, &points_to, PlanOptions::default());
        let fields = planner.fields(main, merged);
        let joined = fields.joined(program);
        (fields.all().len(), joined)
    };
    let (all, joined) = maps(&[]);
    assert_eq!((all, joined.len()), (2, 1), "{joined:?}");
    assert!(
        joined[0].contains("@a, @b: an access may reach more than one of them"),
        "{joined:?}"
    );
    let by_hand = ["c", "@b"].map(str::to_string).to_vec();
    let (all, joined) = maps(&[by_hand]);
    assert_eq!((all, joined.len()), (1, 1), "{joined:?}");
    assert!(joined[0].contains("@a, @b, @c"), "{joined:?}");
}

/// Thread 0 sees in its second round what thread 1 has left, and nothing else.
const IN_A_LATER_ROUND: [(&[RoundsFault], &str, &str); 6] = [
    (
        &[RoundsFault::GuessedLocks, RoundsFault::OwnLocks],
        "call void @__irkiss_ghost_set(ptr @l, i32 1, i64 1)",
        "%owner = call i64 @__irkiss_ghost_get(ptr @l, i32 1)
         %right = icmp eq i64 %owner, 0",
    ),
    (
        &[RoundsFault::GuessedLife, RoundsFault::OwnHeap],
        "call void @__irkiss_free(ptr %argument)
         store atomic i32 1, ptr @b seq_cst, align 4",
        "%freed = load atomic i32, ptr @b seq_cst, align 4
         %x = load i32, ptr %block
         %right = icmp ne i32 %freed, 1",
    ),
    (
        &[RoundsFault::GuessedAddresses],
        "store atomic ptr @b, ptr @p seq_cst, align 8",
        "%q = load atomic ptr, ptr @p seq_cst, align 8
         %x = load i32, ptr %q
         %right = icmp eq i32 %x, 0",
    ),
    (
        &[RoundsFault::Uncompared],
        "%n = load atomic i32, ptr @b seq_cst, align 4
         %m = add i32 %n, 1
         store atomic i32 %m, ptr @b seq_cst, align 4",
        "%x = load atomic i32, ptr @b seq_cst, align 4
         %right = icmp ult i32 %x, 9",
    ),
    // What it left on its stack.
    (
        &[RoundsFault::FramesPopped],
        "%x = load i32, ptr %argument
         %there = icmp eq i32 %x, 0
         call void @__irkiss_assert(i1 %there, ptr null)",
        "%right = icmp eq i1 true, true",
    ),
    (
        &[RoundsFault::FramesPopped],
        "store i32 1, ptr %argument",
        "%x = load i32, ptr %local
         %right = icmp ult i32 %x, 2",
    ),
];

#[test]
#[cfg_attr(not(feature = "faults"), ignore = "needs --features faults")]
fn a_fault_in_what_rounds_leave_is_noticed() {
    for (faults, worker, main) in IN_A_LATER_ROUND {
        let argument = match faults {
            [RoundsFault::FramesPopped] => "%local",
            _ => "%block",
        };
        let text = format!(
            "
@a = global i32 0
@b = global i32 7
@p = global ptr @a
@l = global i64 0

declare i64 @__irkiss_async(ptr, ptr)
declare ptr @__irkiss_alloc(i64, i1)
declare void @__irkiss_free(ptr)
declare void @__irkiss_assert(i1, ptr)
declare void @__irkiss_atomic_begin()
declare void @__irkiss_atomic_end()
declare i64 @__irkiss_ghost_get(ptr, i32)
declare void @__irkiss_ghost_set(ptr, i32, i64)

define void @worker(ptr %argument) {{
  call void @__irkiss_atomic_begin()
  {worker}
  call void @__irkiss_atomic_end()
  ret void
}}

define void @__irkiss_main() {{
  %local = alloca i32
  store i32 0, ptr %local
  %block = call ptr @__irkiss_alloc(i64 8, i1 true)
  %thread = call i64 @__irkiss_async(ptr @worker, ptr {argument})
  call void @__irkiss_atomic_begin()
  {main}
  call void @__irkiss_atomic_end()
  call void @__irkiss_assert(i1 %right, ptr null)
  ret void
}}
"
        );
        let search = |rounds_by, fault| {
            let options = Options {
                rounds_by,
                ..options(3)
            };
            let closed = close_text(&text, &options).expect("a valid program");
            let found = with(fault, || symbolic(&closed, &options, None));
            found.map(|found| found.assertions)
        };
        let expected = search(RoundsBy::Lazy, None).expect("decided");
        assert_eq!(
            search(RoundsBy::Eager, None),
            Ok(expected.clone()),
            "{text}"
        );
        for fault in faults {
            let guesses = matches!(
                fault,
                RoundsFault::GuessedLocks
                    | RoundsFault::GuessedLife
                    | RoundsFault::GuessedAddresses
                    | RoundsFault::Uncompared
            );
            let way = match guesses {
                true => RoundsBy::Eager,
                false => RoundsBy::Lazy,
            };
            // Nothing is found, or what does not replay.
            assert_ne!(
                search(way, Some(*fault)),
                Ok(expected.clone()),
                "{fault:?}\n{text}"
            );
        }
    }
}

#[test]
#[cfg_attr(not(feature = "faults"), ignore = "needs --features faults")]
fn a_fault_in_the_rounds_is_noticed() {
    for fault in [
        RoundsFault::NoGhostSave,
        RoundsFault::OwnStore,
        RoundsFault::LateThreads,
        RoundsFault::IdleEnds,
        RoundsFault::ReadsZero,
        RoundsFault::SectionsUnseen,
    ] {
        let mut tally = Tally::default();
        let noticed = (0..60).any(|seed| {
            let text = Tiny::random(seed).to_string();
            disagreement(&text, Some(fault), &mut tally).is_some()
        });
        assert!(noticed, "{fault:?} goes unnoticed: {tally:?}");
    }
}
