//! The plainest inputs that lead to the same finding.
//!
//! A solver's model is as good as any other: a device of 26,216 ports, a count of four quintillions. What a reader sees had better be what is
//! left when every value from outside that does not decide is the plainest: nought, which is a call's success, or a small number. Values are set by
//! halves, as long as the same steps lead to the same claim (Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, IEEE
//! TSE 2002, section 3: here no value is left out, each has another one). Pointers stay what they are, and so does the way that each thread takes.

use super::confirm::{Confirmed, check, machine};
use crate::config::{Marked, RaceCheck};
use crate::program::Program;
use crate::trace::schedule::{LazyValue, Schedule, ThreadNumber};

/// Steps that all replays of one schedule together may take.
const STEPS: usize = 50_000;

/// The values that are tried, the plainest first: what decides may be a bound that is far away, and need not.
const PLAIN: [u64; 6] = [0, 1, 2, 4, 16, 256];

/// A value from outside that is a number and not nought.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// An input of a thread.
    Input(ThreadNumber, usize),
    /// Content of an object from outside.
    Content(String, u64),
}

/// The same interleaving with the plainest inputs; as it is where it does not replay.
pub fn plainest(program: &Program, schedule: &Schedule, how: (Marked, RaceCheck)) -> Schedule {
    let machine = machine(program);
    let Ok(first) = check(&machine, schedule, how) else {
        return schedule.clone();
    };
    let mut left = STEPS / schedule.steps.len().max(1);
    let mut holds = |changed: &Schedule| {
        let Some(fewer) = left.checked_sub(1) else {
            return false;
        };
        left = fewer;
        check(&machine, changed, how).is_ok_and(|now| is_same(&first, &now))
    };
    let mut plain = schedule.clone();
    let mut stay: Vec<Place> = places(schedule);
    for value in PLAIN {
        let larger: Vec<Place> = stay.into_iter().filter(|p| at(&plain, p) > value).collect();
        stay = set(&mut plain, &larger, value, &mut holds);
    }
    for inputs in plain.inputs.nondet.values_mut() {
        while inputs.last() == Some(&0) {
            inputs.pop();
        }
    }
    plain
}

/// Whether two replays of the same steps show the same.
fn is_same(a: &Confirmed, b: &Confirmed) -> bool {
    a.location == b.location && a.nature == b.nature
}

/// The values of a schedule; addresses are none.
fn places(schedule: &Schedule) -> Vec<Place> {
    let inputs = schedule.inputs.nondet.iter();
    let inputs = inputs.flat_map(|(t, all)| (0..all.len()).map(|n| Place::Input(*t, n)));
    let contents = schedule.inputs.lazy.iter().flat_map(|(object, cells)| {
        let numbers = cells
            .iter()
            .filter(|(_, c)| matches!(c.value, LazyValue::Int(_)));
        numbers.map(|(offset, _)| Place::Content(object.clone(), *offset))
    });
    inputs.chain(contents).collect()
}

fn slot<'s>(schedule: &'s mut Schedule, place: &Place) -> Option<&'s mut u64> {
    match place {
        Place::Input(thread, n) => schedule.inputs.nondet.get_mut(thread)?.get_mut(*n),
        Place::Content(object, offset) => {
            match &mut schedule.inputs.lazy.get_mut(object)?.get_mut(offset)?.value {
                LazyValue::Int(value) => Some(value),
                LazyValue::Object | LazyValue::Symbol(..) | LazyValue::Place(..) => None,
            }
        }
    }
}

fn at(schedule: &Schedule, place: &Place) -> u64 {
    match place {
        Place::Input(thread, n) => schedule.inputs.nondet[thread][*n],
        Place::Content(object, offset) => match schedule.inputs.lazy[object][offset].value {
            LazyValue::Int(value) => value,
            LazyValue::Object | LazyValue::Symbol(..) | LazyValue::Place(..) => 0,
        },
    }
}

/// Gives as many of the places as possible that value; those that decide keep theirs and are returned.
fn set(
    schedule: &mut Schedule,
    places: &[Place],
    value: u64,
    holds: &mut impl FnMut(&Schedule) -> bool,
) -> Vec<Place> {
    if places.is_empty() {
        return Vec::new();
    }
    let before: Vec<u64> = places.iter().map(|p| at(schedule, p)).collect();
    let put = |values: &mut dyn Iterator<Item = u64>, schedule: &mut Schedule| {
        for (place, value) in places.iter().zip(values) {
            if let Some(slot) = slot(schedule, place) {
                *slot = value;
            }
        }
    };
    put(&mut std::iter::repeat(value), schedule);
    if holds(schedule) {
        return Vec::new();
    }
    put(&mut before.into_iter(), schedule);
    if places.len() == 1 {
        return places.to_vec();
    }
    let (first, second) = places.split_at(places.len() / 2);
    let mut stay = set(schedule, first, value, holds);
    stay.extend(set(schedule, second, value, holds));
    stay
}
