//! All threads of a program: which of them goes on, and for how long.
//!
//! A thread that comes to nothing new in its turns, as one that asks again and again whether there is something to do, has fewer of them
//! than others.

use rustc_hash::FxHashSet;

use super::machine::{Awaited, Machine, Pause, Status, Until};
use crate::index::SiteId;
use crate::trace::schedule::{Step, ThreadNumber};

/// In which order threads go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// So many steps of a thread at a time, if nothing keeps it.
    pub steps: u32,
    /// Whether one that has just been made goes first; else it is the next one's turn, in the order in which they were made.
    pub newest: bool,
}

/// What threads are kept from, and what is waited for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stops {
    /// That thread does not go on at all.
    pub held: Option<ThreadNumber>,
    /// That thread is about to take that step.
    pub before: Option<(ThreadNumber, u32)>,
    /// An access of any thread.
    pub access: Option<Awaited>,
}

/// Why nobody goes on now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paused {
    /// [`Pause::Ended`]: all have ended; [`Pause::Blocked`]: those that are left wait.
    pub pause: Pause,
    /// Who ran last.
    pub thread: ThreadNumber,
}

/// After so many turns in which a thread came to nothing new it is passed over most often.
const MOST_BORED: u32 = 5;

/// Which threads wait, and which go round and round.
#[derive(Debug, Default)]
struct Turns {
    waiting: Vec<bool>,
    /// Turns without anything new, and how many are left to pass over.
    bored: Vec<(u32, u32)>,
    seen: FxHashSet<(ThreadNumber, SiteId)>,
}

impl Turns {
    /// Whose turn it is, from that thread on, of those that can go on.
    fn next(&mut self, from: usize, goes_on: impl Fn(usize) -> bool) -> Option<usize> {
        let all = self.waiting.len();
        let from = from.min(all);
        let able = |turns: &Turns, n: usize| !turns.waiting[n] && goes_on(n);
        if !(0..all).any(|n| able(self, n)) {
            return None;
        }
        loop {
            for n in (from..all).chain(0..from) {
                if !able(self, n) {
                    continue;
                }
                match &mut self.bored[n].1 {
                    0 => return Some(n),
                    left => *left -= 1,
                }
            }
        }
    }

    /// A turn is over, in which a thread took these steps.
    fn over(&mut self, n: usize, steps: &[Step]) {
        let mut new = false;
        for step in steps {
            new |= self.seen.insert((step.thread, step.site));
        }
        let (bored, left) = &mut self.bored[n];
        *bored = if new { 0 } else { (*bored + 1).min(MOST_BORED) };
        *left = (1 << *bored) - 1;
    }
}

impl Machine<'_> {
    /// Runs all threads, each in its turn, until nobody can go on or one comes to what is waited for.
    pub(super) fn turns(&mut self, order: Order, stops: Stops) -> Paused {
        let mut turns = Turns::default();
        let (mut next, mut last) = (0, 0);
        loop {
            let all = self.threads.len();
            turns.waiting.resize(all, false);
            turns.bored.resize(all, (0, 0));
            let goes_on = |n: usize| {
                let is_held = stops.held == Some(n as ThreadNumber);
                !is_held && self.threads[n].status == Status::Running
            };
            let Some(n) = turns.next(next, goes_on) else {
                let left = self.threads.iter().any(|t| t.status == Status::Running);
                let pause = if left { Pause::Blocked } else { Pause::Ended };
                return Paused {
                    pause,
                    thread: last,
                };
            };
            last = n as ThreadNumber;
            let (before, taken) = (self.threads[n].steps, self.steps.len());
            let stop = stops.before.filter(|(t, s)| *t == last && *s >= before);
            let turn = before + order.steps;
            let until = Until {
                steps: Some(stop.map_or(turn, |(_, step)| step.min(turn))),
                access: stops.access,
                call: None,
            };
            let pause = self.go(last, until);
            let steps = self.threads[n].steps;
            if steps > before || pause == Pause::Ended {
                // What others wait for may be there now.
                turns.waiting.fill(false);
            }
            let there = pause == Pause::AtStep && stop.is_some_and(|(_, step)| step == steps);
            match pause {
                Pause::Blocked => turns.waiting[n] = true,
                Pause::Ended => {}
                Pause::AtStep if !there => {}
                Pause::AtStep | Pause::Failed | Pause::Fuel | Pause::AtCall | Pause::Met => {
                    return Paused {
                        pause,
                        thread: last,
                    };
                }
            }
            turns.over(n, &self.steps[taken.min(self.steps.len())..]);
            let made = self.threads.len() > all;
            next = if order.newest && made { all } else { n + 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Idx;

    fn turns(threads: usize) -> Turns {
        Turns {
            waiting: vec![false; threads],
            bored: vec![(0, 0); threads],
            seen: FxHashSet::default(),
        }
    }

    fn step(thread: ThreadNumber, site: usize) -> Step {
        let site = SiteId::new(site);
        Step { thread, site }
    }

    #[test]
    fn who_waits_or_may_not_go_on_is_passed_over() {
        let mut turns = turns(3);
        turns.waiting[1] = true;
        assert_eq!(turns.next(1, |_| true), Some(2));
        assert_eq!(turns.next(3, |n| n != 0), Some(2));
        assert_eq!(turns.next(0, |n| n == 1), None);
    }

    #[test]
    fn who_comes_to_nothing_new_has_fewer_turns() {
        let mut turns = turns(2);
        turns.over(0, &[step(0, 7)]);
        assert_eq!(turns.bored[0], (0, 0));
        turns.over(0, &[step(0, 7)]);
        assert_eq!(turns.bored[0], (1, 1));
        assert_eq!(turns.next(0, |_| true), Some(1));
        assert_eq!(turns.next(0, |_| true), Some(0));
        turns.over(0, &[step(0, 8)]);
        assert_eq!(turns.bored[0], (0, 0));
    }

    #[test]
    fn who_is_alone_has_every_turn() {
        let mut turns = turns(1);
        for _ in 0..9 {
            turns.over(0, &[]);
            assert_eq!(turns.next(0, |_| true), Some(0));
        }
    }
}
