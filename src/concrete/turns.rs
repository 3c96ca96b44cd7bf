//! All threads of a program: which of them goes on, and for how long.
//!
//! A thread that comes to nothing new in its turns, as one that asks again and again whether there is something to do, has fewer of them
//! than others. Where all that go on do what they have done before, with what they have had before, and nothing has changed meanwhile, they
//! wait as much as those that do not go on: a run is over then.

use rustc_hash::FxHashSet;

use super::directed::{Delay, Directed};
use super::inputs::named;
use super::machine::{Awaited, Machine, Pause, Status, Thread, Until};
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

/// Steps for each thread in which nobody comes to anything new, after which one that is held until nobody else goes on does so.
const MOST_IN_VAIN: usize = 4_000;

/// The same, after which a run is over in which nobody is held any more, or where threads that wait are looked for.
const IN_VAIN_AT_LAST: usize = 12_000;
const IN_VAIN_OF_ALL: usize = 48_000;

/// Turns of a thread after each of which it stands as it has stood before, with nothing changed meanwhile: it goes round.
const GOES_ROUND: u32 = 8;

/// Ways in which a thread has stood that are remembered.
const MOST_STANDS: usize = 4_000;

/// How a thread has stood after its turns since something changed.
#[derive(Debug, Default)]
struct Stands {
    known: FxHashSet<u64>,
    /// Turns after which it stood as before.
    again: u32,
}

/// Which threads wait, and which go round and round.
#[derive(Debug, Default)]
struct Turns {
    waiting: Vec<bool>,
    /// Steps since the last turn in which a thread came to something new.
    in_vain: usize,
    /// Turns without anything new, and how many are left to pass over.
    bored: Vec<(u32, u32)>,
    stands: Vec<Stands>,
    /// What [`super::memory::Memory::changes`] was.
    changes: u64,
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

    /// A thread stands so after its turn, and memory has changed so often.
    fn stands(&mut self, n: usize, how: u64, changes: u64) {
        if std::mem::replace(&mut self.changes, changes) != changes || self.in_vain == 0 {
            self.stands.iter_mut().for_each(|s| *s = Stands::default());
        }
        let own = &mut self.stands[n];
        let is_new = own.known.len() < MOST_STANDS && own.known.insert(how);
        own.again = if is_new { 0 } else { own.again + 1 };
    }

    /// Whether all go round that go on.
    fn all_go_round(&self, goes_on: impl Fn(usize) -> bool) -> bool {
        let mut able = (0..self.stands.len()).filter(|n| !self.waiting[*n] && goes_on(*n));
        able.all(|n| self.stands[n].again > GOES_ROUND)
    }

    /// A turn is over, in which a thread took these steps.
    fn over(&mut self, n: usize, steps: &[Step]) {
        let mut new = false;
        for step in steps {
            new |= self.seen.insert((step.thread, step.site));
        }
        self.in_vain = if new { 0 } else { self.in_vain + steps.len() };
        let (bored, left) = &mut self.bored[n];
        *bored = if new { 0 } else { (*bored + 1).min(MOST_BORED) };
        *left = (1 << *bored) - 1;
    }
}

impl Thread {
    /// Where it stands and with what; objects are not told apart, since what is called again has its variables elsewhere.
    fn stands(&self) -> u64 {
        let places = self.frames.iter().map(|frame| u64::from(frame.pc));
        let values = self.registers.iter().map(|register| match register.value {
            address if address >> 32 != 0 => address & 0xffff_ffff | 1 << 32,
            value => value,
        });
        places.chain(values).fold(11, named)
    }
}

impl Machine<'_> {
    /// Steps for each thread in which nobody comes to anything new, after which a run is over.
    fn most_in_vain(&self) -> usize {
        let Directed { delays, answers } = &self.directed;
        match (delays.is_empty() && answers.is_empty(), self.watch.waits) {
            (false, _) => IN_VAIN_AT_LAST,
            (true, true) => IN_VAIN_OF_ALL,
            (true, false) => usize::MAX,
        }
    }

    /// Runs all threads, each in its turn, until nobody can go on or one comes to what is waited for.
    pub(super) fn turns(&mut self, order: Order, stops: Stops) -> Paused {
        let mut turns = Turns::default();
        let (mut next, mut last) = (0, 0);
        let mut delays = self.directed.delays.clone();
        let at_last = self.most_in_vain();
        loop {
            let all = self.threads.len();
            turns.waiting.resize(all, false);
            turns.bored.resize(all, (0, 0));
            turns.stands.resize_with(all, Stands::default);
            let is_delayed = |(thread, step): &Delay| {
                let thread = self.threads.get(*thread as usize);
                thread.is_some_and(|t| t.steps == *step && t.status == Status::Running)
            };
            let goes_on = |n: usize| {
                let number = n as ThreadNumber;
                let delayed = delays.iter().any(|d| d.0 == number && is_delayed(d));
                let is_held = stops.held == Some(number) || delayed;
                !is_held && self.threads[n].status == Status::Running
            };
            let is_held = delays.iter().any(is_delayed);
            let in_vain = is_held && turns.in_vain > MOST_IN_VAIN * all;
            let able = match in_vain || turns.all_go_round(goes_on) {
                true => None,
                false => turns.next(next, goes_on),
            };
            let first = delays.iter().position(is_delayed);
            if let (None, Some(first)) = (able, first) {
                next = delays[first].0 as usize;
                delays.retain(|d| !is_delayed(d));
                turns.in_vain = 0;
                turns.stands.iter_mut().for_each(|s| s.again = 0);
                turns.bored[next] = (0, 0);
                continue;
            }
            let able = able.filter(|_| turns.in_vain <= at_last.saturating_mul(all));
            let Some(n) = able else {
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
            let delay = delays.iter().filter(|d| d.0 == last && d.1 > before);
            let turn = delay.fold(before + order.steps, |turn, d| turn.min(d.1));
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
            turns.stands(n, self.threads[n].stands(), self.memory.changes);
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
            ..Turns::default()
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
    fn who_stands_again_and_again_as_before_goes_round() {
        let mut turns = turns(1);
        turns.stands.push(Stands::default());
        for n in 0..20 {
            turns.over(0, &[step(0, 7)]);
            turns.stands(0, n, 1);
            assert!(!turns.all_go_round(|_| true));
        }
        for _ in 0..=GOES_ROUND {
            turns.over(0, &[step(0, 7)]);
            turns.stands(0, 5, 1);
        }
        assert!(turns.all_go_round(|_| true));
        turns.stands(0, 5, 2);
        assert!(!turns.all_go_round(|_| true));
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
