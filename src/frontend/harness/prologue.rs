//! What has run before the pair of the steady scenario: it is executed, so what it leaves is a state that is reached.
//!
//! - Entry points that a rule puts before one of the pair (`after`): once, and successfully.
//! - What one of the pair follows (`[[follows]]`: `resume` runs after `suspend`): last, and successfully.
//! - Handlers need something that arms them. Where neither init nor open does, an operation that arms them may have run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::gates;
use crate::environment::contract::calls_one_of;
use crate::environment::discover;
use crate::environment::earlier;
use crate::environment::entry::{Begins, EntryPoint, EntryPoints, Phase, Registrar, Start};
use crate::environment::rules::Effect;
use crate::index::{EntryId, Idx};
use crate::program::Program;

/// At most so many operations are tried for one handler, to keep the state small.
pub(super) const TRIED: usize = 2;

/// Ghost key, at the cell of an entry point that others come after: it has run.
pub(super) const RAN: u32 = 512 + 20;

/// The entry points that others come after.
pub fn first_ones(entries: &EntryPoints) -> Vec<usize> {
    entries
        .iter_ids()
        .filter(|(_, e)| {
            let before = |x: &EntryPoint| x.after.contains(&e.function) || precedes(e, x);
            comes_first(e) && entries.iter().any(before)
        })
        .map(|(id, _)| id.index())
        .collect()
}

/// Whether the second entry point may follow the first one.
pub(super) fn precedes(first: &EntryPoint, second: &EntryPoint) -> bool {
    !first.another
        && first.registered_by == second.registered_by
        && second.follows.contains(&first.function)
}

/// The entry points of which one runs, as what another one follows.
pub(super) fn preceding(entries: &EntryPoints, entry: &EntryPoint) -> Vec<usize> {
    let before = entries.iter_ids().filter(|(_, e)| precedes(e, entry));
    before.map(|(id, _)| id.index()).collect()
}

/// `__irkiss_settle(n)`: runs what entry point `n` follows, one of the alternatives.
pub fn settle(entries: &EntryPoints) -> String {
    let (mut cases, mut text) = (String::new(), String::new());
    for (id, entry) in entries.iter_ids() {
        let n = id.index();
        let before = preceding(entries, entry);
        let Some((last, others)) = before.split_last() else {
            continue;
        };
        let _ = writeln!(cases, "    i32 {n}, label %entry{n}");
        let _ = writeln!(text, "entry{n}:");
        for (k, other) in others.iter().enumerate() {
            let _ = write!(
                text,
                "  %do{n}.{k} = call zeroext i1 @__irkiss_nondet_bool()\n  \
                 br i1 %do{n}.{k}, label %run{n}.{k}, label %next{n}.{k}\nrun{n}.{k}:\n  \
                 call void @__irkiss_first_{other}()\n  br label %done\nnext{n}.{k}:\n"
            );
        }
        let _ = write!(
            text,
            "  call void @__irkiss_first_{last}()\n  br label %done\n"
        );
    }
    format!(
        "define internal void @__irkiss_settle(i32 %n) {{\n  switch i32 %n, label %done [\n{cases}  ]\n{text}done:\n  ret void\n}}\n"
    )
}

/// The entry points that may have made devices before files are opened.
pub fn creators(program: &Program, entries: &EntryPoints) -> Vec<usize> {
    let all: Vec<EntryPoint> = entries.iter().cloned().collect();
    let made = discover::creators(program, &all, &[]);
    let made: Vec<&str> = made
        .iter()
        .map(|f| program.functions[*f].name.as_str())
        .collect();
    let chosen = |e: &EntryPoint| match e.phase {
        Phase::Nested => e.is_called_by_others(),
        Phase::Steady => !e.another && made.contains(&e.function.as_str()),
        _ => false,
    };
    let all = entries.iter_ids().filter(|(_, e)| chosen(e));
    all.map(|(id, _)| id.index()).collect()
}

/// `__irkiss_first_K`, which runs entry point K if it has not run (`__irkiss_run_K` is the harness's), for [`first_ones`].
pub fn firsts(entries: &EntryPoints) -> String {
    let mut text = String::new();
    let first = first_ones(entries);
    for (id, entry) in entries.iter_ids() {
        if first.contains(&id.index()) || !entry.until.is_empty() {
            let _ = writeln!(text, "@__irkiss_ran.{} = internal global i8 0", id.index());
        }
    }
    for n in first {
        let _ = write!(
            text,
            "define internal void @__irkiss_first_{n}() {{\n  \
             %was = call i64 @__irkiss_ghost_get(ptr @__irkiss_ran.{n}, i32 {RAN})\n  %again = icmp ne i64 %was, 0\n  \
             br i1 %again, label %done, label %first\nfirst:\n  \
             call void @__irkiss_ghost_set(ptr @__irkiss_ran.{n}, i32 {RAN}, i64 1)\n  \
             call void @__irkiss_run_{n}()\n  br label %done\ndone:\n  ret void\n}}\n"
        );
    }
    text
}

/// Whether it may be what another one comes after.
fn comes_first(entry: &EntryPoint) -> bool {
    !entry.another && entry.phase != Phase::Nested
}

/// Calls of `__irkiss_first_K` for what comes before an entry point.
pub fn calls_before(entries: &EntryPoints, entry: &EntryPoint) -> String {
    entries
        .iter_ids()
        .filter(|(_, e)| comes_first(e) && entry.after.contains(&e.function))
        .map(|(id, _)| format!("  call void @__irkiss_first_{}()\n", id.index()))
        .collect()
}

/// What `__irkiss_warm` does for one entry point.
pub(super) struct Before {
    /// Operations that may arm it, by number.
    pub operations: Vec<usize>,
    /// Whether its gate is closed at first.
    closed: bool,
    /// Calls of what a rule puts before it.
    calls: String,
    /// The first entry point for which the same is done.
    pub first: usize,
}

/// What runs before each entry point, by number, where something may.
pub(super) fn before_each(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
) -> BTreeMap<usize, Before> {
    // Entry points before which the same runs share it: so do the runs of their pairs.
    let mut same: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for (id, entry) in entries.iter_ids() {
        let n = id.index();
        let closed = gates::starts_closed(registrars, id);
        let operations = operations_for(program, entries, id, closed);
        let calls = calls_before(entries, entry);
        if entry.phase == Phase::Nested || (operations.is_empty() && calls.is_empty()) {
            continue;
        }
        let first = match operations.is_empty() {
            true => *same.entry(calls.clone()).or_insert(n),
            false => n,
        };
        let before = Before {
            operations,
            closed,
            calls,
            first,
        };
        all.insert(n, before);
    }
    all
}

/// `__irkiss_warm(n)`: if entry point `n` is a handler that is not armed yet, or one whose gate is closed at first, runs an
/// operation that may change that, or not. If that operation is itself a handler (an interrupt that schedules a work item),
/// `__irkiss_warm_first` does the same for it before.
pub fn warm(program: &Program, entries: &EntryPoints, registrars: &[Registrar]) -> String {
    let all = before_each(program, entries, registrars);
    level(entries, &all, true) + &level(entries, &all, false)
}

/// Whether it is the function of a kernel thread.
pub(super) fn is_thread(entry: &EntryPoint) -> bool {
    entry.start == Start::Armed && entry.via.starts_with("kthread_")
}

/// Whether there may be as many such threads as calls that make one.
pub(super) fn again(entry: &EntryPoint) -> bool {
    is_thread(entry) && entry.beside_itself
}

fn level(entries: &EntryPoints, all: &BTreeMap<usize, Before>, first: bool) -> String {
    let mut text = String::new();
    let mut cases = String::new();
    for (n, runs) in all {
        let (operations, before) = (&runs.operations, &runs.calls);
        if operations.is_empty() {
            let _ = writeln!(cases, "    i32 {n}, label %handler{}", runs.first);
            if runs.first == *n {
                let _ = write!(text, "handler{n}:\n{before}  br label %done\n");
            }
            continue;
        }
        let _ = writeln!(cases, "    i32 {n}, label %handler{n}");
        let _ = write!(
            text,
            "handler{n}:\n{before}  %armed{n} = call zeroext i1 @__irkiss_{}\n  \
             br i1 %armed{n}, label %done, label %try{n}.0\n",
            match runs.closed {
                true => format!("is_open(ptr @__irkiss_gate.{n})"),
                false if again(&entries[EntryId::new(*n)]) => {
                    format!("is_made_twice(ptr @__irkiss_slot.{n})")
                }
                false => format!("is_armed(ptr @__irkiss_slot.{n})"),
            }
        );
        for (k, operation) in operations.iter().enumerate() {
            let next = match k + 1 {
                next if next < operations.len() => format!("try{n}.{next}"),
                _ => "done".to_string(),
            };
            let warmed = entries
                .iter_ids()
                .any(|(id, e)| id.index() == *operation && e.start != Start::Any);
            let warm = match warmed && !first {
                true => format!("  call void @__irkiss_warm_first(i32 {operation})\n"),
                false => String::new(),
            };
            let run = arming(entries, (*n, k), (*operation, &warm), &next);
            let _ = write!(
                text,
                "try{n}.{k}:\n  %do{n}.{k} = call zeroext i1 @__irkiss_nondet_bool()\n  \
                 br i1 %do{n}.{k}, label %run{n}.{k}, label %{next}\nrun{n}.{k}:\n{run}"
            );
        }
    }
    let name = if first { "warm_first" } else { "warm" };
    format!(
        "define internal void @__irkiss_{name}(i32 %n) {{\n  switch i32 %n, label %done [\n{cases}  ]\n{text}done:\n  ret void\n}}\n"
    )
}

/// Runs the `k`th operation that may arm handler `n`, within what rules put around it: what it comes after has run before it. Where that is
/// one of the pair, what lets it run again comes next (`stop` before another `open`), and without such a thing the operation has not run yet.
fn arming(
    entries: &EntryPoints,
    (n, k): (usize, usize),
    (operation, warm): (usize, &str),
    next: &str,
) -> String {
    let own = &entries[EntryId::new(operation)];
    let first = entries
        .iter_ids()
        .filter(|(_, e)| comes_first(e) && own.after.contains(&e.function));
    let (mut before, mut behind) = (String::new(), String::new());
    for (id, first) in first {
        let f = id.index();
        let asked = format!("%in{n}.{k}.{f} = call i1 @__irkiss_in_pair(i32 {f})");
        let again = entries.iter_ids().find(|(_, e)| {
            e.registered_by == first.registered_by && first.until.contains(&e.function)
        });
        match again {
            None => {
                let _ = write!(
                    before,
                    "  {asked}\n  br i1 %in{n}.{k}.{f}, label %{next}, label %first{n}.{k}.{f}\nfirst{n}.{k}.{f}:\n"
                );
            }
            Some((ending, _)) => behind += &undone((n, k), f, ending),
        }
        let _ = writeln!(before, "  call void @__irkiss_first_{f}()");
    }
    // Who sleeps does not fall asleep once more: what wakes it comes next (`resume` before another `suspend`).
    let wakes =
        |e: &EntryPoint| e.registered_by == own.registered_by && e.follows.contains(&own.function);
    if let Some((waking, _)) = entries.iter_ids().find(|(_, e)| wakes(e)) {
        behind += &undone((n, k), operation, waking);
    }
    if let Some(ending) = leaves_more(entries, own) {
        behind += &over_again((n, k), ending);
    }
    format!("{before}{warm}  call void @__irkiss_entry_{operation}()\n{behind}  br label %done\n")
}

/// What ends what an entry point begins, if the kernel does something more then (`[[does]]`): what is allowed only once it is over meets a
/// handler that it forgets.
fn leaves_more(entries: &EntryPoints, begins: &EntryPoint) -> Option<EntryId> {
    let ends = |e: &EntryPoint| {
        e.registered_by == begins.registered_by
            && begins.until.contains(&e.function)
            && e.does.as_ref().is_some_and(|d| d.after.is_some())
    };
    let mut all = entries.iter_ids().filter(|(_, e)| ends(e));
    all.next().map(|(id, _)| id)
}

/// Runs `ending`, or not, unless it is one of the pair.
fn over_again((n, k): (usize, usize), ending: EntryId) -> String {
    let ending = ending.index();
    format!(
        "  %own{n}.{k} = call i1 @__irkiss_in_pair(i32 {ending})\n  \
         br i1 %own{n}.{k}, label %kept{n}.{k}, label %over{n}.{k}\nover{n}.{k}:\n  \
         %stop{n}.{k} = call zeroext i1 @__irkiss_nondet_bool()\n  \
         br i1 %stop{n}.{k}, label %stops{n}.{k}, label %kept{n}.{k}\nstops{n}.{k}:\n  \
         call void @__irkiss_entry_{ending}()\n  br label %kept{n}.{k}\nkept{n}.{k}:\n"
    )
}

/// Runs `ending`, if `f` is one of the pair and so is to begin again.
fn undone((n, k): (usize, usize), f: usize, ending: EntryId) -> String {
    format!(
        "  %in{n}.{k}.{f} = call i1 @__irkiss_in_pair(i32 {f})\n  \
         br i1 %in{n}.{k}.{f}, label %end{n}.{k}.{f}, label %ended{n}.{k}.{f}\nend{n}.{k}.{f}:\n  \
         call void @__irkiss_entry_{}()\n  br label %ended{n}.{k}.{f}\nended{n}.{k}.{f}:\n",
        ending.index()
    )
}

/// The entry points whose code calls, directly or not, what arms a handler. File operations and interrupt handlers first
/// come, first served; open and release are not repeated, for init opens files and release ends them.
fn operations_for(
    program: &Program,
    entries: &EntryPoints,
    id: EntryId,
    closed: bool,
) -> Vec<usize> {
    let handler = &entries[id];
    if handler.start == Start::Any && !closed {
        return Vec::new();
    }
    let wanted = if closed {
        Effect::Allows
    } else {
        Effect::Starts
    };
    let mut arming = callers(program, entries, handler, wanted);
    if handler.begins == Begins::Woken {
        // What makes it, and wakes it, first: who wakes may wake others.
        arming.sort_by_key(|n| !makes(program, entries, handler, *n));
    }
    // A line that its action does not enable.
    let enabling = match handler.start {
        Start::Irq => callers(program, entries, handler, Effect::Allows),
        _ => Vec::new(),
    };
    let more = enabling.into_iter().filter(|n| !arming.contains(n));
    let more: Vec<usize> = more.collect();
    arming.into_iter().chain(more).take(TRIED).collect()
}

/// Whether an entry point's code, or what it calls, names a handler: it makes it.
fn makes(program: &Program, entries: &EntryPoints, handler: &EntryPoint, n: usize) -> bool {
    let function = program.function_named(&entries[EntryId::new(n)].function);
    function.is_some_and(|f| discover::name_one(program, &[f], &[&handler.function]))
}

/// The entry points that may run before a handler and whose code calls, directly or not, what does that to it.
fn callers(
    program: &Program,
    entries: &EntryPoints,
    handler: &EntryPoint,
    wanted: Effect,
) -> Vec<usize> {
    let arming: Vec<&str> = handler
        .changes
        .iter()
        .filter(|c| c.effects.contains(&wanted))
        .map(|c| c.function.as_str())
        .collect();
    entries
        .iter_ids()
        .filter(|(_, e)| {
            e.phase == Phase::Steady
                && e.start != Start::Armed
                && !e.another
                && !(e.start == Start::Irq && handler.start == Start::Irq)
                && !earlier::opens_or_releases(e)
        })
        .filter(|(_, e)| {
            program
                .function_named(&e.function)
                .is_some_and(|f| calls_one_of(program, f, &arming))
        })
        .map(|(id, _)| id.index())
        .collect()
}
