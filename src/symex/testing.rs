//! What the tests of this folder share: programs of LLVM text, what a function of one may return, and which assertions a schedule finds.

use std::collections::BTreeSet;
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use crate::analysis::Planner;
use crate::analysis::plan::PlanOptions;
use crate::analysis::points_to::PointsTo;
use crate::config::{Backend, Options, Rounds, RoundsBy};
use crate::deadline::Deadline;
use crate::expr::Term;
use crate::frontend::decode::decode_ll;
use crate::frontend::text::close_text;
use crate::program::Program;
use crate::solver::{self, Answer};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::{CheckInputs, Limits, Mode};
use crate::symex::machine::state::{Exit, State, Value};
use crate::symex::machine::switch::Schedule;
use crate::symex::memory::untracked::Slicing;
use crate::symex::schedule::as_written::AsWritten;
use crate::symex::schedule::paths;

/// Declarations of the primitives that the texts use.
const DECLARATIONS: &str = "
    declare void @__irkiss_assume(i1)
    declare void @__irkiss_assert(i1, ptr)
    declare void @__irkiss_atomic_begin()
    declare void @__irkiss_atomic_end()
    declare i64 @__irkiss_async(ptr, ptr)
    declare i64 @__irkiss_ghost_get(ptr, i32)
    declare void @__irkiss_ghost_set(ptr, i32, i64)
    declare ptr @__irkiss_alloc(i64, i8)
    declare void @__irkiss_free(ptr)
    declare ptr @__irkiss_lazy(i64, ptr)
    declare i8 @__irkiss_nondet_u8()
    declare i64 @__irkiss_nondet_u64()
    declare i1 @__irkiss_nondet_bool()
    declare void @__irkiss_havoc(ptr, i64)
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
";

fn limits() -> Limits {
    Limits {
        unwind: 8,
        recursion: 3,
        depth: 100,
        instructions: 100_000,
        lookups: u64::MAX,
        terms: 400_000,
        deadline: Deadline::NEVER,
        solver: Backend::default(),
    }
}

fn may(run: &mut Executor<'_>, conditions: &[Term]) -> bool {
    let mut all = run.axioms().to_vec();
    all.extend(conditions);
    let answer =
        solver::standard(Backend::default(), 0, Deadline::NEVER).check(&mut run.terms, &all);
    assert!(!matches!(answer, Answer::Unknown(_)), "small questions");
    matches!(answer, Answer::Sat(_))
}

/// A finished run of the function `f` of a program that is not sequentialized.
pub struct Ran {
    returns: BTreeSet<u128>,
    ends: BTreeSet<&'static str>,
}

/// Runs `f`, which takes nothing and returns a number.
pub fn ran(text: &str) -> Ran {
    let program = decode_ll(&format!("{DECLARATIONS}{text}")).expect("decodes");
    let mut run = Executor::new(&program, Mode::Merge, limits(), CheckInputs::default());
    let f = program.function_named("f").expect("a function `f`");
    let exits = AsWritten.thread(&mut run, f, &[], State::default(), 0);
    let mut returns = BTreeSet::new();
    for Exit { state, value } in exits {
        let Some(Value::Scalar(value)) = value else {
            panic!("`f` returns a number");
        };
        let guard = state.guard.term(&mut run.terms);
        // One after the other, until there is none but those.
        let mut conditions = vec![guard];
        for n in (0..16).chain([0xff, 0x1234, 0x3412]) {
            let width = run.terms.width(value);
            if n >> width != 0 {
                continue;
            }
            let constant = run.terms.constant(width, n);
            let this = run.terms.eq(value, constant);
            if may(&mut run, &[guard, this]) {
                returns.insert(n);
            }
            conditions.push(run.terms.not(this));
        }
        if may(&mut run, &conditions) {
            returns.insert(OTHER);
        }
    }
    let ends = std::mem::take(&mut run.found.ends);
    let mut kinds = BTreeSet::new();
    for end in ends {
        let guard = end.guard.term(&mut run.terms);
        if may(&mut run, &[guard]) {
            kinds.insert(end.kind.name());
        }
    }
    Ran {
        returns,
        ends: kinds,
    }
}

/// Stands for all numbers that are not looked for.
pub const OTHER: u128 = u128::MAX;

impl Ran {
    /// It returns one of these, and any of them, and no execution ends before.
    pub fn returns(&self, numbers: &[u128]) {
        assert!(self.ends.is_empty(), "ends: {:?}", self.ends);
        assert_eq!(self.returns, numbers.iter().copied().collect());
    }

    /// The same where some executions end so.
    pub fn returns_or_ends(&self, numbers: &[u128], end: &str) {
        assert_eq!(self.ends.iter().copied().collect::<Vec<_>>(), [end]);
        assert_eq!(self.returns, numbers.iter().copied().collect());
    }

    /// No execution comes back: all end so.
    pub fn ends(&self, end: &str) {
        self.returns_or_ends(&[], end);
    }
}

/// A way to search.
#[derive(Clone, Copy, Debug)]
pub enum Search {
    /// In lanes, with so many threads that may wait at a time.
    Lanes(u32),
    /// The same, one path at a time.
    Paths(u32),
    /// In rounds.
    Rounds(u32),
    /// In rounds, with so many switches in all.
    Switches(u32, u32),
    /// In rounds over guessed stores.
    Eager(u32),
    /// Each thread by itself.
    Alone,
}

/// Whether the search finds that an assertion fails, and whether it was over before a budget was.
pub fn fails(text: &str, search: Search) -> bool {
    let rounds = match search {
        Search::Lanes(_) | Search::Paths(_) => None,
        Search::Rounds(contexts) | Search::Eager(contexts) => Some((contexts, None)),
        Search::Switches(contexts, switches) => Some((contexts, Some(switches))),
        Search::Alone => Some((1, None)),
    };
    let eager = matches!(search, Search::Eager(_));
    let options = Options {
        contexts: rounds.map_or(1, |(contexts, _)| contexts),
        rounds_by: match eager {
            true => RoundsBy::Eager,
            false => RoundsBy::Lazy,
        },
        ..Options::default()
    };
    let closed = close_text(&format!("{DECLARATIONS}{text}"), &options).expect("a program");
    let mut all = FixedBitSet::with_capacity(closed.concurrent.sites.len());
    all.insert_range(..);
    let slicing = match search {
        Search::Alone => Some(Arc::new(alone(&closed.concurrent))),
        _ => None,
    };
    let check = CheckInputs {
        pair: vec![0; 3],
        enabled: all,
        checked: FixedBitSet::with_capacity(closed.concurrent.sites.len()),
        ts_max: match search {
            Search::Lanes(n) | Search::Paths(n) => n,
            _ => 0,
        },
        rounds: rounds.map(|(contexts, switches)| Rounds { contexts, switches }),
        slicing,
        ..CheckInputs::default()
    };
    let mut run = Executor::new(&closed.sequential, Mode::Merge, limits(), check);
    let start = closed.sequential.check_start(false).expect("a start");
    match search {
        Search::Paths(_) => paths::run_all(&mut run, start, &State::default()).expect("few paths"),
        _ => drop(run.run(start, State::default()).expect("a start")),
    }
    assert!(!run.ran_out(), "a small program");
    let turn = run.stack.turn;
    assert!(turn.left_at.is_none() && turn.scheduled == 0 && !turn.ends);
    let failures: Vec<Term> = run.found.failures.iter().map(|f| f.guard).collect();
    failures.into_iter().any(|f| may(&mut run, &[f]))
}

/// Nothing but pointers is followed, and each thread is by itself.
fn alone(program: &Program) -> Slicing {
    let main = program.harness.main.expect("a main");
    let points_to = PointsTo::solve(program, &[main], false);
    let planner = Planner::new(program, &points_to, PlanOptions::default());
    let mut plan = planner.program(main);
    plan.enabled.grow(program.sites.len());
    plan.enabled.insert_range(..);
    let [untracked, stored] = planner.fields(main, &[]).thread_modular(program, &plan);
    Slicing {
        untracked,
        stored: Some(stored),
        followed: BTreeSet::new(),
    }
}
