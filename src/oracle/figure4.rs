//! Figures 4 and 5 of the KISS paper (Qadeer, Wu: PLDI 2004), literally, with explicit states.
//!
//! This is an interpreter of what `Check(s)` does, run over the *concurrent*
//! program: before each visible instruction `schedule(); choice { skip []
//! RAISE }`, with `ts` a multiset of at most MAX threads, the synchronous call
//! when it is full, `raise = false` when a scheduled thread has returned, and
//! the closing `schedule()`. It shares the instructions with the replayer and
//! nothing with the sequentializing transformation, whose oracle it is.
//!
//! Race checks are those of figure 5 for all locations at once: at an access
//! the thread may have it recorded and RAISE; a later access that conflicts
//! with the record is a failure. Two extensions: accesses in atomic sections
//! are checked at the section's begin, as marked, where the section can be
//! entered; plain RAISE stays an alternative everywhere.
//!
//! Deviation: a conflict counts as a race only if the recorded access is still
//! enabled when the second is reached. For a plain access that is always so;
//! a section can have become blocked in between. What figure 5 alone would
//! report is in [`Outcome::candidates`].
//!
//! A thread started within an atomic section while `ts` is full (the paper
//! allows no such section) runs at the section's end; several, the last first.
//!
//! What it misses: see [`super::explore`].

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::search::{Attempt, Limits, Outcome, Part, Path, Way, pair_of, start, ways};
use crate::program::Program;
use crate::replay::interp::{AccessRecord, Machine};
use crate::replay::race::conflict;
use crate::replay::state::{State, Status};
use crate::trace::schedule::{Failure, Step, ThreadNumber};

/// An activation of a thread's start function on the one stack of the sequential program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Activation {
    thread: ThreadNumber,
    /// It has invisible instructions to execute before its next visible one.
    unsettled: bool,
}

/// A state of `Check(s)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    state: State,
    /// Nested activations; empty: the closing `schedule()`.
    stack: Vec<Activation>,
    /// Threads forked and not scheduled, in ascending order.
    ts: Vec<ThreadNumber>,
    /// `access`: what the first check recorded.
    record: Option<AccessRecord>,
}

/// The search.
struct Check<'a> {
    machine: &'a Machine<'a>,
    limits: &'a Limits,
    max: Option<u32>,
    seen: FxHashSet<Rc<Node>>,
    todo: Vec<(Rc<Node>, Rc<Path>)>,
    outcome: Outcome,
}

/// Explores `Check(__irkiss_main)` for that MAX (`None`: unbounded).
pub fn failures(program: &Program, max: Option<u32>, limits: &Limits) -> Outcome {
    let machine = Machine::new(program, limits.fuel);
    let mut check = Check {
        machine: &machine,
        limits,
        max,
        seen: FxHashSet::default(),
        todo: Vec::new(),
        outcome: Outcome::default(),
    };
    for (state, path) in start(&machine, limits, &mut check.outcome) {
        let main = Activation {
            thread: 0,
            unsettled: false,
        };
        let node = Node {
            state,
            stack: vec![main],
            ts: Vec::new(),
            record: None,
        };
        check.push(node, path);
    }
    while let Some((node, path)) = check.todo.pop() {
        if check.seen.len() > limits.states {
            check.outcome.complete = false;
            break;
        }
        check.visit(&node, &path);
    }
    check.outcome.states = check.seen.len();
    check.outcome
}

impl Check<'_> {
    fn push(&mut self, node: Node, path: Rc<Path>) {
        let node = Rc::new(node);
        if self.seen.insert(node.clone()) {
            self.todo.push((node, path));
        }
    }

    fn visit(&mut self, node: &Node, path: &Rc<Path>) {
        match node.stack.last() {
            None => self.schedule(node, path),
            Some(top) if top.unsettled => self.settle(node, top.thread, path),
            Some(top) => match self.machine.next_site(&node.state, top.thread) {
                // [[return]] = schedule(); return
                None => {
                    self.schedule(node, path);
                    self.leave(node, None, path);
                }
                // schedule(); choice { skip [] check; RAISE [] RAISE }; s
                Some(site) => {
                    let step = Step {
                        thread: top.thread,
                        site,
                    };
                    self.schedule(node, path);
                    self.leave(node, None, path);
                    let all = self.ways(&node.state, top.thread, Part::Visible);
                    if self.limits.races {
                        self.check(node, &all, path);
                    }
                    for way in all {
                        self.skip(node, step, way, path);
                    }
                }
            },
        }
    }

    fn ways(&self, state: &State, thread: ThreadNumber, part: Part) -> Vec<Way> {
        ways(self.machine, state, thread, part, self.limits)
    }

    /// One round of `schedule`: `f = get(); [[f]]()` for any f in `ts`.
    fn schedule(&mut self, node: &Node, path: &Rc<Path>) {
        for n in 0..node.ts.len() {
            let mut next = node.clone();
            let thread = next.ts.remove(n);
            next.stack.push(Activation {
                thread,
                unsettled: true,
            });
            self.push(next, path.clone());
        }
    }

    /// The topmost activation returns, by RAISE or at its end; `raise = false` by whoever called it.
    fn leave(&mut self, node: &Node, record: Option<AccessRecord>, path: &Rc<Path>) {
        let mut next = node.clone();
        let top = next.stack.pop();
        next.record = next.record.or(record);
        // Its frames are gone, except that a recorded access is looked at again.
        let kept = next.record.as_ref().map(|r| r.thread);
        if let Some(top) = top.filter(|top| kept != Some(top.thread)) {
            next.state.end_thread(top.thread);
        }
        self.push(next, path.clone());
    }

    /// Runs the topmost thread to just before its next visible instruction.
    fn settle(&mut self, node: &Node, thread: ThreadNumber, path: &Rc<Path>) {
        for way in self.ways(&node.state, thread, Part::Settle) {
            match way.attempt {
                Attempt::After(state) => {
                    let mut next = Node {
                        state,
                        ..node.clone()
                    };
                    if let Some(top) = next.stack.last_mut() {
                        top.unsettled = false;
                    }
                    let path = Path::extend(Some(path), None, way.used);
                    self.push(next, path);
                }
                Attempt::Error(e) => {
                    self.outcome.errors.insert(e.to_string());
                }
                Attempt::Blocked | Attempt::AssertionFailed(_) => {
                    self.outcome
                        .errors
                        .insert("visible instruction without a site".into());
                }
            }
        }
    }

    /// The checks of figure 5 before a visible instruction.
    fn check(&mut self, node: &Node, all: &[Way], path: &Rc<Path>) {
        for way in all {
            for access in &way.accesses {
                match &node.record {
                    None => {
                        let record = AccessRecord {
                            before: None,
                            after: None,
                            ..access.clone()
                        };
                        self.leave(node, Some(record), path);
                    }
                    Some(first) if conflict(first, access, self.limits.marked) => {
                        let pair = pair_of(first.site, access.site);
                        self.outcome.candidates.insert(pair);
                        self.confirm(node, first, access, way, path);
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// Whether the recorded access is still enabled; then it is a race.
    fn confirm(
        &mut self,
        node: &Node,
        first: &AccessRecord,
        second: &AccessRecord,
        way: &Way,
        path: &Rc<Path>,
    ) {
        let pair = pair_of(first.site, second.site);
        if self.outcome.races.contains(&pair) {
            return;
        }
        let same =
            |a: &AccessRecord| a.site == first.site && conflict(a, second, self.limits.marked);
        let again = self.ways(&node.state, first.thread, Part::Visible);
        let Some(enabled) = again.iter().find(|w| w.accesses.iter().any(same)) else {
            return;
        };
        let failure = Failure::Race {
            first: Step {
                thread: first.thread,
                site: first.site,
            },
            second: Step {
                thread: second.thread,
                site: second.site,
            },
        };
        let more: Vec<_> = enabled.used.iter().chain(&way.used).copied().collect();
        let pairs = &self.limits.pair;
        self.outcome
            .race(pair, || path.schedule(failure, &more, pairs));
    }

    /// The visible instruction itself.
    fn skip(&mut self, node: &Node, step: Step, way: Way, path: &Rc<Path>) {
        match way.attempt {
            Attempt::After(state) => {
                let mut next = Node {
                    state,
                    ..node.clone()
                };
                if let Some(top) = next.stack.last_mut() {
                    top.unsettled = next.state.thread(step.thread).status == Status::Running;
                }
                let first = node.state.threads.len() as ThreadNumber;
                let created = first..next.state.threads.len() as ThreadNumber;
                for thread in created {
                    let full = self.max.is_some_and(|max| next.ts.len() >= max as usize);
                    if !full {
                        next.ts.push(thread);
                    } else {
                        next.stack.push(Activation {
                            thread,
                            unsettled: true,
                        });
                    }
                }
                self.push(next, Path::extend(Some(path), Some(step), way.used));
            }
            Attempt::Blocked => {}
            Attempt::AssertionFailed(site) => {
                let site = site.unwrap_or(step.site);
                let failure = Failure::Assertion(Step {
                    thread: step.thread,
                    site,
                });
                let pair = &self.limits.pair;
                self.outcome
                    .assertion_fails(site, || path.schedule(failure, &way.used, pair));
            }
            Attempt::Error(e) => {
                self.outcome.errors.insert(e.to_string());
            }
        }
    }
}
