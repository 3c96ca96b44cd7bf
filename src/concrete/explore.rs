//! Runs of one thread by itself, or of all threads of a program, each with one more choice than one before: what it can be made to come to.
//!
//! A condition that depends on an input is written down when it turns out the way that all runs have gone so far, with what it compared.
//! The next runs give that input what would turn the condition: the operand itself, the difference to it, a bit of a mask (input-to-state
//! correspondence: Aschermann, Schumilo, Blazytko, Gawlik and Holz, REDQUEEN, NDSS 2019). A run that goes a way that no run went before
//! ([`super::coverage`]) is kept, and what it leaves undecided is tried in turn (as AFL does; Zalewski, 2013).
//!
//! Deviation: which input a value came from is followed in registers and memory, so no colouring is needed. What it misses: conditions of
//! two inputs that must change together, and what is behind hashes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::coverage::{Coverage, Way};
use super::inputs::{Back, Domain, Input, Key, Script};
use super::machine::{Machine, Mark, Pause, Until};
use super::operands::low;
use super::seen::Compared;
use super::turns::{Order, Stops};
use crate::deadline::{self, Deadline};
use crate::index::{FuncId, SiteId};
use crate::trace::schedule::ThreadNumber;

/// Instructions of a run at first, and how many times as many where all that are as short have been made.
const SHORT: u64 = 4_000;
const SHORT_OF_ALL: u64 = 16_000;
const DEEPER: u64 = 4;

/// Runs that come to nothing new, one after the other.
const RUNS_IN_VAIN: u64 = 400;

/// Numbers below are tried multiplied, too.
const MOST_SCALED: u64 = 100;

/// Values that are tried for one way.
const TRIES: u32 = 24;

/// Instructions that cost as much as a unit of work ([`deadline::worked`]).
pub(super) const INSTRUCTIONS_OF_A_UNIT: u64 = 16;

/// Choices that wait to be tried.
const MOST_WAITING: usize = 20_000;

/// Scripts that one visible instruction is known by.
const SCRIPTS_OF_SITE: usize = 3;

/// What runs may take: instructions of one, of all, and of those since the last that came to a new visible instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub one: u64,
    pub all: u64,
    pub in_vain: u64,
}

/// The choices of a run: of what runs before the threads, and of the thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    pub before: Script,
    pub own: Script,
}

impl Machine<'_> {
    /// What the run at hand was told.
    pub(super) fn choices(&self) -> Choices {
        Choices {
            before: self.before.clone(),
            own: self.scripts.first().cloned().unwrap_or_default(),
        }
    }
}

impl Choices {
    /// The same, with another run's choices where there is none.
    pub(super) fn with_more(&self, other: &Choices) -> Choices {
        let both = |own: &Script, other: &Script| {
            let mut all = own.clone();
            let known = std::sync::Arc::make_mut(&mut all);
            for (key, value) in other.iter() {
                known.entry(*key).or_insert(*value);
            }
            all
        };
        Choices {
            before: both(&self.before, &other.before),
            own: both(&self.own, &other.own),
        }
    }

    fn with(&self, domain: Domain, changes: &Changes) -> Choices {
        let mut next = self.clone();
        let script = match domain {
            Domain::Before => &mut next.before,
            Domain::Own(_) => &mut next.own,
        };
        std::sync::Arc::make_mut(script).extend(changes.iter().copied());
        next
    }
}

/// A choice that would go another way, after those of a run.
struct Waiting {
    parent: usize,
    way: Option<Way>,
    domain: Domain,
    changes: Changes,
}

/// Inputs, each with what it is to be.
type Changes = Vec<(Key, u64)>;

/// What a thread by itself was made to come to.
#[derive(Debug, Default)]
pub(super) struct Explored {
    /// The choices of the runs that came to something new.
    pub runs: Vec<Choices>,
    /// Which of them came to a visible instruction.
    pub by_site: BTreeMap<SiteId, Vec<usize>>,
}

/// What a run is of.
#[derive(Clone, Debug)]
pub(super) enum Of {
    /// The first thread by itself.
    First,
    /// One thread, where the other one of two has run, with these choices.
    After(ThreadNumber, Script),
    /// All threads of a program, in that order.
    All(Order),
}

/// The runs of one thread, or of a program, from a mark on.
pub(super) struct Exploration<'m, 'p> {
    machine: &'m mut Machine<'p>,
    from: Mark,
    limits: Limits,
    deadline: Deadline,
    /// What a run is of.
    of: Of,
    /// Instructions of one run, now.
    fuel: u64,
    /// Instructions since a run came to a new visible instruction.
    in_vain: u64,
    /// Those of the run at hand, and of the longest that came to a new visible instruction.
    used: u64,
    longest: u64,
    waiting: VecDeque<Waiting>,
    /// The same of runs of a program in which several threads ran, and whether it is their turn.
    beside: VecDeque<Waiting>,
    next_beside: bool,
    /// Kept runs that took all their instructions, and those of them that are to be made again.
    too_long: Vec<usize>,
    again: VecDeque<usize>,
    /// The one that is made again.
    repeated: Option<usize>,
    tried: BTreeSet<(Option<Way>, Key, u64)>,
    tries: BTreeMap<Option<Way>, u32>,
}

impl<'m, 'p> Exploration<'m, 'p> {
    /// Of that.
    pub(super) fn new(
        machine: &'m mut Machine<'p>,
        limits: Limits,
        deadline: Deadline,
        of: Of,
    ) -> Self {
        let from = machine.mark();
        machine.coverage = Coverage::default();
        let short = match of {
            Of::First | Of::After(..) => SHORT,
            Of::All(_) => SHORT_OF_ALL,
        };
        Exploration {
            machine,
            from,
            fuel: short.min(limits.one),
            in_vain: 0,
            used: 0,
            longest: 0,
            limits,
            deadline,
            of,
            waiting: VecDeque::new(),
            beside: VecDeque::new(),
            next_beside: true,
            too_long: Vec::new(),
            again: VecDeque::new(),
            repeated: None,
            tried: BTreeSet::new(),
            tries: BTreeMap::new(),
        }
    }

    /// Makes thread 0 come to the call of a function, in the run in which most is there beside memory: what is registered, opened, armed.
    /// The machine is left there. `false`: no run came there within the limits.
    pub(super) fn come_to_call(&mut self, function: FuncId) -> bool {
        let until = Until {
            call: Some(function),
            ..Until::default()
        };
        let mut best: Option<(usize, Choices)> = None;
        let mut known = Explored::default();
        let mut next = Choices::default();
        while let Some(pause) = self.run(&next, until) {
            let there = self.machine.memory.ghosts();
            if pause == Pause::AtCall && best.as_ref().is_none_or(|(most, _)| there > *most) {
                best = Some((there, next.clone()));
            }
            self.keep(&mut known, &next, pause);
            match self.another(&known) {
                Some(choices) => next = choices,
                None => break,
            }
        }
        let Some((_, choices)) = best else {
            return false;
        };
        self.limits.all = self.limits.one;
        self.fuel = self.limits.one;
        self.run(&choices, until) == Some(Pause::AtCall)
    }

    /// What it comes to until it is over. `enough`: whether what a run showed, and why it ended, is all that is wanted.
    pub(super) fn all(&mut self, mut enough: impl FnMut(&Machine<'p>, Pause) -> bool) -> Explored {
        let mut known = Explored::default();
        let mut next = Choices {
            before: self.machine.before.clone(),
            own: Script::default(),
        };
        while let Some(pause) = self.run(&next, Until::default()) {
            if enough(self.machine, pause) {
                break;
            }
            self.keep(&mut known, &next, pause);
            match self.another(&known) {
                Some(choices) => next = choices,
                None => break,
            }
        }
        known
    }

    /// Instructions after which nothing more is expected: of some hundred runs, if each is long before it comes to an input.
    fn most_in_vain(&self) -> u64 {
        let runs = self.longest.saturating_mul(RUNS_IN_VAIN);
        self.limits.in_vain.max(runs)
    }

    /// One run; `None`: there is no budget for one.
    fn run(&mut self, choices: &Choices, until: Until) -> Option<Pause> {
        if self.limits.all == 0
            || self.in_vain > self.most_in_vain()
            || self.deadline.passed().is_some()
        {
            return None;
        }
        let fuel = self.fuel.min(self.limits.all);
        let machine = &mut *self.machine;
        machine.rewind(&self.from);
        machine.before.clone_from(&choices.before);
        let own = choices.own.clone();
        machine.scripts = match &self.of {
            Of::First | Of::All(_) => vec![own],
            Of::After(0, other) => vec![own, other.clone()],
            Of::After(_, other) => vec![other.clone(), own],
        };
        machine.fuel = fuel;
        let mut used = 0;
        let pause = match self.of {
            Of::First => machine.go(0, until),
            Of::After(thread, _) => machine.go(thread, until),
            Of::All(order) => {
                let most = self.limits.one.min(self.limits.all);
                machine.further = most.saturating_sub(fuel);
                (machine.asked_before, machine.has_gone_far) = (None, false);
                let pause = machine.turns(order, Stops::default()).pause;
                used += most.saturating_sub(fuel) - machine.further;
                machine.further = 0;
                pause
            }
        };
        used = (used + fuel - machine.fuel).max(1);
        self.used = used;
        self.in_vain = self.in_vain.saturating_add(used);
        self.limits.all = self.limits.all.saturating_sub(used);
        deadline::worked(used / INSTRUCTIONS_OF_A_UNIT);
        Some(pause)
    }

    /// Keeps a run that came to something new, and what would lead on from there.
    fn keep(&mut self, known: &mut Explored, choices: &Choices, pause: Pause) {
        let seen = &self.machine.seen;
        let number = known.runs.len();
        let mut is_new = seen.new_ways > 0 || known.runs.is_empty();
        for site in &seen.sites {
            let runs = known.by_site.entry(*site).or_default();
            if runs.is_empty() {
                is_new = true;
                self.in_vain = 0;
                self.longest = self.longest.max(self.used);
            }
        }
        let repeated = self.repeated.take();
        if !is_new {
            // A loop of many rounds: there may be something behind it.
            let long = matches!(self.of, Of::All(_)) && pause == Pause::Fuel;
            self.too_long.extend(repeated.filter(|_| long));
            return;
        }
        for site in &seen.sites {
            let runs = known.by_site.entry(*site).or_default();
            if runs.len() < SCRIPTS_OF_SITE {
                runs.push(number);
            }
        }
        known.runs.push(choices.clone());
        if pause == Pause::Fuel {
            self.too_long.push(number);
        }
        let several = matches!(self.of, Of::All(_)) && self.machine.threads.len() > 1;
        for way in &seen.not_taken {
            let covered = way.way.is_some_and(|w| self.machine.coverage.is_covered(w));
            let tries = self.tries.entry(way.way).or_default();
            // A thread that waits does so for one of many conditions.
            let most = if way.way.is_some() { TRIES } else { TRIES * 64 };
            let waiting = self.waiting.len() + self.beside.len();
            if covered || *tries >= most || waiting >= MOST_WAITING {
                continue;
            }
            // Of a word that only a part came from, the bytes before and after are no inputs.
            let Some(input) = seen.asked.get(way.compared.input as usize - 1).copied() else {
                continue;
            };
            for (value, changes) in self.machine.changes(way.compared, &input) {
                if changes.is_empty() || !self.tried.insert((way.way, input.key, value)) {
                    continue;
                }
                *tries += 1;
                let next = Waiting {
                    parent: number,
                    way: way.way,
                    domain: input.domain,
                    changes,
                };
                let queue = match several {
                    true => &mut self.beside,
                    false => &mut self.waiting,
                };
                match way.way {
                    Some(_) => queue.push_back(next),
                    // Nothing comes after this otherwise.
                    None => queue.push_front(next),
                }
            }
        }
    }

    /// The choices to be tried next; none are left: `None`.
    fn another(&mut self, known: &Explored) -> Option<Choices> {
        if let Some(again) = self.repeat(known) {
            return Some(again);
        }
        loop {
            let [first, second] = match self.next_beside {
                true => [&mut self.beside, &mut self.waiting],
                false => [&mut self.waiting, &mut self.beside],
            };
            let Some(next) = first.pop_front().or_else(|| second.pop_front()) else {
                return self.longer(known);
            };
            self.next_beside = !self.next_beside;
            let covered = next
                .way
                .is_some_and(|w| self.machine.coverage.is_covered(w));
            if !covered {
                let parent = &known.runs[next.parent];
                return Some(parent.with(next.domain, &next.changes));
            }
        }
    }
}

impl Exploration<'_, '_> {
    /// A run that was too long, once all others are through: with more instructions.
    fn longer(&mut self, known: &Explored) -> Option<Choices> {
        if self.too_long.is_empty() || self.fuel >= self.limits.one {
            return None;
        }
        self.fuel = (self.fuel * DEEPER).min(self.limits.one);
        self.again.extend(std::mem::take(&mut self.too_long));
        self.repeat(known)
    }

    /// The next of the runs that are made again, with more instructions.
    fn repeat(&mut self, known: &Explored) -> Option<Choices> {
        let number = self.again.pop_front()?;
        self.repeated = Some(number);
        Some(known.runs[number].clone())
    }
}

impl Machine<'_> {
    /// What an input, or a number of several bytes, may have to be for a comparison to turn out otherwise, and what changes by that.
    fn changes(&self, compared: Compared, input: &Input) -> Vec<(u64, Changes)> {
        let first = compared.input as usize - 1;
        let asked = self.seen.asked[first..].iter().take(8);
        let bytes = asked.take_while(|i| compared.bytes && i.is_byte_of(input.domain));
        let bytes: Vec<&Input> = bytes.collect();
        let most = bytes.len();
        // As many as it takes for what was compared; of the C types one.
        let width = [1, 2, 4, 8].into_iter().find(|n| {
            let fits = |v: u64| low(v, 8 * *n as u32) == v;
            fits(compared.own) && fits(compared.other)
        });
        let width = width.unwrap_or(8).min(most);
        if width <= 1 {
            let values = self.values(compared, input).into_iter();
            let changes = values.filter(|v| *v != input.value);
            return changes.map(|v| (v, vec![(input.key, v)])).collect();
        }
        let bits = 8 * width as u32;
        let whole = |(n, byte): (usize, &&Input)| byte.value << (8 * n);
        let whole = bytes[..width].iter().enumerate().map(whole).sum();
        let mut all = values(compared, self.seen.masks(compared.input), whole);
        // Numbers that come from elsewhere have their highest byte first.
        let swapped = |v: u64| v.swap_bytes() >> (64 - bits);
        all.extend([swapped(compared.other), swapped(whole).wrapping_add(1)].map(|v| low(v, bits)));
        let changes = all.into_iter().map(|v| {
            let byte = |n: usize| v >> (8 * n) & 0xff;
            let other = (0..width).filter(|n| byte(*n) != bytes[*n].value);
            let changes = other.map(|n| (bytes[n].key, byte(n))).collect();
            (low(v, bits), changes)
        });
        changes.collect()
    }

    /// What an input may have to be for a comparison to turn out otherwise.
    fn values(&self, compared: Compared, input: &Input) -> Vec<u64> {
        if !input.is_pointer() {
            let masks = self.seen.masks(compared.input);
            let values = values(compared, masks, input.value).into_iter();
            return values.map(|v| low(v, u32::from(input.bits))).collect();
        }
        let toggled = u64::from(input.value == 0);
        let back = input.leads.and_then(|(address, object)| {
            let wanted = address.wrapping_add(compared.other.wrapping_sub(compared.own));
            let (steps, offset) = self.memory.back_to(object, wanted)?;
            let offset = i32::try_from(offset).ok()?;
            Some(Back { steps, offset }.choice())
        });
        back.into_iter().chain([toggled]).collect()
    }
}

/// The same of a number, which was `input`.
fn values(compared: Compared, masks: &[u64], input: u64) -> Vec<u64> {
    let Compared { own, other, .. } = compared;
    let mut values = Vec::new();
    if own != other {
        let difference = other.wrapping_sub(own);
        let there = input.wrapping_add(difference);
        values.extend([other, there, input ^ own ^ other]);
        // Of a range, which begins elsewhere than at zero, the last one, and the one after its end.
        values.extend([there.wrapping_sub(1), there.wrapping_add(1)]);
        if other > 0 && other < MOST_SCALED {
            // What was divided: the class of a status, so many thousands.
            values.extend([100, 10, 1000, 1 << 10].map(|n| other * n));
        }
    }
    for mask in masks {
        // The fewer bits the better: a reader sees them.
        values.extend([
            input ^ (mask & mask.wrapping_neg()),
            input | mask,
            input & !mask,
        ]);
    }
    values.extend([
        other.wrapping_add(1),
        other.wrapping_sub(1),
        input.wrapping_add(1),
        !input,
        0,
    ]);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operand_and_the_difference_come_first() {
        let compared = Compared {
            input: 1,
            bytes: false,
            own: 12,
            other: 40,
        };
        assert_eq!(values(compared, &[], 2)[..2], [40, 30]);
    }

    #[test]
    fn a_bit_of_a_mask_is_tried() {
        let compared = Compared {
            input: 1,
            bytes: false,
            own: 0,
            other: 0,
        };
        assert!(values(compared, &[0x80], 0).contains(&0x80));
    }
}
