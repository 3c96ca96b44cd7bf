//! All threads of a program: which of them goes on, and for how long.

use super::machine::{Awaited, Machine, Pause, Status, Until};
use crate::trace::schedule::ThreadNumber;

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

impl Machine<'_> {
    /// Runs all threads, each in its turn, until nobody can go on or one comes to what is waited for.
    pub(super) fn turns(&mut self, order: Order, stops: Stops) -> Paused {
        let mut waiting: Vec<bool> = Vec::new();
        let (mut next, mut last) = (0, 0);
        loop {
            let all = self.threads.len();
            waiting.resize(all, false);
            let goes_on = |n: &usize| {
                let is_held = stops.held == Some(*n as ThreadNumber);
                !waiting[*n] && !is_held && self.threads[*n].status == Status::Running
            };
            let Some(n) = (next.min(all)..all).chain(0..next.min(all)).find(goes_on) else {
                let left = self.threads.iter().any(|t| t.status == Status::Running);
                let pause = if left { Pause::Blocked } else { Pause::Ended };
                return Paused {
                    pause,
                    thread: last,
                };
            };
            last = n as ThreadNumber;
            let before = self.threads[n].steps;
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
                waiting.fill(false);
            }
            let there = pause == Pause::AtStep && stop.is_some_and(|(_, step)| step == steps);
            match pause {
                Pause::Blocked => waiting[n] = true,
                Pause::Ended => {}
                Pause::AtStep if !there => {}
                Pause::AtStep | Pause::Failed | Pause::Fuel | Pause::AtCall | Pause::Met => {
                    return Paused {
                        pause,
                        thread: last,
                    };
                }
            }
            let made = self.threads.len() > all;
            next = if order.newest && made { all } else { n + 1 };
        }
    }
}
