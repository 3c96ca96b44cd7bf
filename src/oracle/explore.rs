//! The oracle: every interleaving of a tiny program, and every small input, with explicit states.
//!
//! *Balanced* executions are those of KISS (Qadeer, Wu: PLDI 2004, §4.1): the
//! string of thread numbers is in L_X, that is, threads are started on top of
//! the one that runs, and a thread that runs again ends for good all that were
//! started on top of it. Theorem 1: with unbounded `ts` these are the
//! executions that the sequential program simulates.
//!
//! Two sites race in a state if both are next, conflict and are enabled. In
//! balanced mode one of the two threads must still be allowed to run (it makes
//! the second access); the other may have been ended for good at its access,
//! which is then the first (figure 5: `check; RAISE`). Inserting a plain access
//! right after the last step of its thread keeps an execution balanced, so it
//! needs no further condition. An atomic section as the first access must have
//! been enabled when its thread was ended, which is a step of its own here
//! (`probed`), and must still be.
//!
//! *Rounds*: threads take turns in the order of their numbers, each at most K times, and may let a turn go by (Lal, Reps: CAV
//! 2008; Lahiri, Qadeer, Rakamarić: CAV 2009, §2.2). The first access of a race is a turn's last step there.
//!
//! What it misses: inputs outside [`Limits::domain`]; non-zero content of lazy
//! and uninitialised objects; everything after [`Limits::states`].

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::search::{Attempt, Limits, Outcome, Part, Path, Way, pair_of, start, ways};
use crate::index::SiteId;
use crate::program::Program;
use crate::replay::interp::Machine;
use crate::replay::race::conflict;
use crate::replay::state::State;
use crate::trace::schedule::{Failure, Step, ThreadNumber};

/// Which executions to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All.
    All,
    /// The balanced ones.
    Balanced,
    /// Those of so many rounds.
    Rounds(u32),
    /// Of these the ones with so many context switches at most.
    Switches(u32, u32),
}

/// A turn: the round and the thread.
type Turn = (u32, ThreadNumber);

/// A state, and who may still run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    state: State,
    /// Balanced mode: active threads, the topmost last. Ended ones are dropped.
    stack: Vec<ThreadNumber>,
    /// Not if all are tried: threads ended for good, or ended.
    dead: Vec<ThreadNumber>,
    /// Balanced mode: the thread that was ended at the begin of a section, which it could have entered. In rounds: at any access,
    /// likewise.
    probed: Option<ThreadNumber>,
    /// In rounds: the turn that it is.
    turn: Turn,
    /// Where they count: context switches so far.
    switches: u32,
}

impl Node {
    /// Whether `thread` may take a step.
    fn allows(&self, thread: ThreadNumber, mode: Mode) -> bool {
        match mode {
            Mode::All => true,
            Mode::Balanced => !self.dead.contains(&thread),
            Mode::Rounds(k) => !self.dead.contains(&thread) && self.turn_of(thread).0 < k,
            Mode::Switches(k, n) => {
                self.allows(thread, Mode::Rounds(k)) && self.switches_with(thread) <= n
            }
        }
    }

    /// The next turn of `thread`.
    fn turn_of(&self, thread: ThreadNumber) -> Turn {
        let (round, now) = self.turn;
        (round + u32::from(thread < now), thread)
    }

    /// Context switches, where `thread` takes the next step.
    fn switches_with(&self, thread: ThreadNumber) -> u32 {
        self.switches + u32::from(thread != self.turn.1)
    }

    /// The node after a step of `thread` that led to `state`.
    fn after(&self, thread: ThreadNumber, state: State, mode: Mode) -> Node {
        let mut next = Node {
            state,
            stack: self.stack.clone(),
            dead: self.dead.clone(),
            probed: self.probed,
            turn: self.turn,
            switches: self.switches,
        };
        match mode {
            Mode::All => return next,
            Mode::Rounds(_) | Mode::Switches(..) => {
                if let Mode::Switches(..) = mode {
                    next.switches = self.switches_with(thread);
                }
                next.turn = self.turn_of(thread);
                return next;
            }
            Mode::Balanced => {}
        }
        match next.stack.iter().position(|t| *t == thread) {
            Some(at) => next.dead.extend(next.stack.drain(at + 1..)),
            None => next.stack.push(thread),
        }
        if !next.state.is_running(thread) {
            next.stack.retain(|t| *t != thread);
            next.dead.push(thread);
        }
        next.dead.sort_unstable();
        next
    }

    /// The node after `thread` made its access to be the first of a race, and ended.
    fn probe(&self, thread: ThreadNumber, mode: Mode) -> Node {
        let mut next = self.after(thread, self.state.clone(), mode);
        next.stack.retain(|t| *t != thread);
        next.dead.push(thread);
        next.dead.sort_unstable();
        next.probed = Some(thread);
        next
    }

    /// Whether a race between the next accesses of two threads counts.
    fn may_race(
        &self,
        machine: &Machine<'_>,
        a: ThreadNumber,
        b: ThreadNumber,
        mode: Mode,
    ) -> bool {
        let as_first = |t| {
            let free = mode == Mode::Balanced && !machine.at_section(&self.state, t);
            free || self.probed == Some(t)
        };
        mode == Mode::All
            || (as_first(a) && self.allows(b, mode))
            || (as_first(b) && self.allows(a, mode))
    }
}

/// Explores from function `__irkiss_main`; an empty incomplete outcome if there is none.
pub fn failures(program: &Program, mode: Mode, limits: &Limits) -> Outcome {
    let mut outcome = Outcome::default();
    let machine = Machine::new(program, limits.fuel);
    let mut seen: FxHashSet<Rc<Node>> = FxHashSet::default();
    let mut todo = Vec::new();
    for (state, path) in start(&machine, limits, &mut outcome) {
        let node = Rc::new(Node {
            state,
            stack: vec![0],
            dead: Vec::new(),
            probed: None,
            turn: (0, 0),
            switches: 0,
        });
        if seen.insert(node.clone()) {
            todo.push((node, path));
        }
    }
    while let Some((node, path)) = todo.pop() {
        if seen.len() > limits.states {
            outcome.complete = false;
            break;
        }
        outcome.threads = outcome.threads.max(node.state.threads.len());
        let steps = next_steps(&machine, &node, mode, limits);
        if limits.races {
            races_here(&machine, &node, &steps, &path, mode, limits, &mut outcome);
        }
        if mode != Mode::All && node.probed.is_none() {
            let enabled = |ways: &[Way]| ways.iter().any(|w| !w.accesses.is_empty());
            let sections = steps.iter().filter(|(s, ways)| {
                let counts = mode != Mode::Balanced || machine.at_section(&node.state, s.thread);
                node.allows(s.thread, mode) && counts && enabled(ways)
            });
            for (step, _) in sections {
                let next = Rc::new(node.probe(step.thread, mode));
                if seen.insert(next.clone()) {
                    todo.push((next, path.clone()));
                }
            }
        }
        for (step, step_ways) in steps {
            if !node.allows(step.thread, mode) {
                continue;
            }
            for way in step_ways {
                outcome.checks_fail(&path, step, &way, &limits.pair);
                match way.attempt {
                    Attempt::After(state) => {
                        let next = Rc::new(node.after(step.thread, state, mode));
                        if seen.insert(next.clone()) {
                            let path = Path::extend(Some(&path), Some(step), way.used);
                            todo.push((next, path));
                        }
                    }
                    Attempt::Blocked => {}
                    Attempt::AssertionFailed(site) => {
                        let site = site.unwrap_or(step.site);
                        let failure = Failure::Assertion(Step {
                            thread: step.thread,
                            site,
                        });
                        outcome.assertion_fails(site, || {
                            path.schedule(failure, &way.used, &limits.pair)
                        });
                    }
                    Attempt::Error(e) => {
                        outcome.errors.insert(e.to_string());
                    }
                }
            }
        }
    }
    outcome.states = seen.len();
    outcome
}

/// For each thread that has a next step, all ways to take it.
fn next_steps(
    machine: &Machine<'_>,
    node: &Node,
    mode: Mode,
    limits: &Limits,
) -> Vec<(Step, Vec<Way>)> {
    let threads = 0..node.state.threads.len() as ThreadNumber;
    threads
        .filter_map(|thread| {
            let site: SiteId = machine.next_site(&node.state, thread)?;
            if !limits.races && !node.allows(thread, mode) {
                return None;
            }
            let all = ways(machine, &node.state, thread, Part::Step, limits);
            Some((Step { thread, site }, all))
        })
        .collect()
}

/// The races between next steps.
fn races_here(
    machine: &Machine<'_>,
    node: &Node,
    steps: &[(Step, Vec<Way>)],
    path: &Rc<Path>,
    mode: Mode,
    limits: &Limits,
    outcome: &mut Outcome,
) {
    for (n, (a, a_ways)) in steps.iter().enumerate() {
        for (b, b_ways) in &steps[n + 1..] {
            if !node.may_race(machine, a.thread, b.thread, mode) {
                continue;
            }
            for (x, y) in a_ways
                .iter()
                .flat_map(|x| b_ways.iter().map(move |y| (x, y)))
            {
                for (p, q) in x
                    .accesses
                    .iter()
                    .flat_map(|p| y.accesses.iter().map(move |q| (p, q)))
                {
                    if !conflict(p, q, limits.marked) {
                        continue;
                    }
                    let failure = Failure::Race {
                        first: Step {
                            thread: p.thread,
                            site: p.site,
                        },
                        second: Step {
                            thread: q.thread,
                            site: q.site,
                        },
                    };
                    outcome.race(pair_of(p.site, q.site), || {
                        let more: Vec<_> = x.used.iter().chain(&y.used).copied().collect();
                        path.schedule(failure, &more, &limits.pair)
                    });
                }
            }
        }
    }
}
