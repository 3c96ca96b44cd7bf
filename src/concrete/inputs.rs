//! What a run reads from outside, and who chooses it.
//!
//! A *script* says of some inputs what they are; all others are 0, and pointers lead to an object. So a script is small, and one more
//! choice makes another of it. Inputs are named by what asks for them: the calls within which a thread asks, and how often it has done so
//! there; or a place in an object that is made up, by the way that leads there. The same script serves an entry point as the first thread of
//! a pair and as the second, and scripts of two entry points make one of their pair.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::trace::schedule::{Inputs as Recorded, LazyCell, LazyValue, ThreadNumber};

/// Names an input.
pub(super) type Key = u64;

/// Choices, by input.
pub(super) type Script = Arc<FxHashMap<Key, u64>>;

/// Whose choice an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    /// What runs before the threads.
    Before,
    /// A thread's own code, by its number.
    Own(u8),
}

/// Two numbers as one name (the finaliser of MurmurHash3).
pub(super) fn named(a: u64, b: u64) -> Key {
    let mut key = a.rotate_left(23) ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    key = (key ^ key >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    key = (key ^ key >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    key ^ key >> 33
}

/// A pointer that leads back (as that of the last entry of a list does): to the object that it is in, or to one from which others lead
/// there, so many steps before; and which byte of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Back {
    pub steps: u32,
    pub offset: i32,
}

/// Among choices: marks one of these.
const BACK: u64 = 1 << 62;

impl Back {
    /// As a choice.
    pub(super) fn choice(self) -> u64 {
        BACK | u64::from(self.steps) << 32 | u64::from(self.offset as u32)
    }

    /// What a choice for a pointer says; `None`: it leads to nothing, or to an object of its own.
    pub(super) fn of(choice: u64) -> Option<Back> {
        (choice & BACK != 0).then_some(Back {
            steps: (choice >> 32) as u32 & 0xff,
            offset: choice as u32 as i32,
        })
    }
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// An answer to a question of a thread.
    Answer(ThreadNumber),
    /// A number in an object that is made up: its name, the place, how many bytes.
    Number(u32, i64, u8),
    /// A pointer there: 0, or what leads to an object of its own, or ([`Back`]) to that place of an object of that name.
    Pointer(u32, i64, Option<(u32, i64)>),
}

/// An input of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub what: What,
    pub key: Key,
    pub domain: Domain,
    /// The choice.
    pub value: u64,
    pub bits: u8,
    /// Of a pointer: the address that it is, and the object that it is in.
    pub leads: Option<(u64, usize)>,
}

impl Input {
    /// Whether it is a byte whose choice that is.
    pub(super) fn is_byte_of(&self, domain: Domain) -> bool {
        self.bits == 8 && self.domain == domain
    }

    /// Whether it is a choice between null and an object.
    pub(super) fn is_pointer(&self) -> bool {
        matches!(self.what, What::Pointer(..)) || self.bits == 1
    }
}

/// All inputs of a run, in the order in which they were asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    pub all: Vec<Input>,
    /// Names of the objects that are made up, as schedules name them.
    pub names: Vec<String>,
    /// Where questions were asked, and how often at each place.
    places: Vec<Key>,
    times: FxHashMap<Key, u32>,
}

impl Inputs {
    /// How often a question was asked at a place before; now it is once more.
    pub(super) fn again(&mut self, place: Key) -> u32 {
        self.places.push(place);
        let times = self.times.entry(place).or_default();
        *times += 1;
        *times - 1
    }

    /// Questions that were asked.
    pub(super) fn questions(&self) -> usize {
        self.places.len()
    }

    /// Forgets questions from the n-th on.
    pub(super) fn forget(&mut self, from: usize) {
        for place in self.places.drain(from..) {
            if let Some(times) = self.times.get_mut(&place) {
                *times -= 1;
            }
        }
    }

    /// As a schedule has them.
    pub(super) fn recorded(&self) -> Recorded {
        let mut recorded = Recorded::default();
        for input in &self.all {
            let (name, offset, size, value) = match input.what {
                What::Answer(thread) => {
                    recorded.nondet.entry(thread).or_default().push(input.value);
                    continue;
                }
                _ if input.value == 0 => continue,
                What::Number(name, offset, bytes) => {
                    (name, offset, u32::from(bytes), LazyValue::Int(input.value))
                }
                What::Pointer(name, offset, None) => (name, offset, 8, LazyValue::Object),
                What::Pointer(name, offset, Some((other, at))) => {
                    let other = &self.names[other as usize];
                    let value = match other.strip_prefix('@') {
                        Some(variable) => LazyValue::Symbol(variable.to_string(), at as u64),
                        None => LazyValue::Place(other.clone(), at as u64),
                    };
                    (name, offset, 8, value)
                }
            };
            let cells: &mut BTreeMap<u64, LazyCell> = recorded
                .lazy
                .entry(self.names[name as usize].clone())
                .or_default();
            cells.insert(offset as u64, LazyCell { size, value });
        }
        recorded
    }
}
