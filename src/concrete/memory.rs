//! Memory of a concrete run: objects of words, and a log of what was there before, so that a run can be taken back.
//!
//! An address is the number of an object and a distance from its first byte ([`ORIGIN`] stands for 0, since objects of unknown size are
//! reached before it, too). Of each word is known which of its bytes hold something yet (content that is made up is chosen when it is
//! first read) and which input it came from ([`super::inputs`]).

use rustc_hash::FxHashMap;

use super::inputs::Domain;
use crate::index::{FuncId, GlobalId, Idx};
use crate::trace::schedule::ThreadNumber;

/// Distance of offset 0 from the lowest address of an object.
const ORIGIN: u64 = 1 << 31;
/// Where functions are: below all objects.
const FUNCTIONS: u64 = 0x10_0000;
/// Addresses below are null, or null and a few bytes.
const NULL_PAGE: u64 = 4096;
/// How far an object of unknown size reaches to either side.
const HALF_ROOM: i64 = 1 << 19;
/// An object of known size has its words from the start up to this many bytes; more are made as they are used.
const WHOLE: u64 = 1 << 16;
/// What a part that is made as it is used begins with, in bytes.
const FIRST_PART: i64 = 512;

/// The address of a function.
pub(super) fn function_address(function: FuncId) -> u64 {
    FUNCTIONS + 16 * function.index() as u64
}

/// The function at an address below all objects.
pub(super) fn function_at(address: u64, functions: usize) -> Option<FuncId> {
    let n = address.checked_sub(FUNCTIONS)?;
    let index = usize::try_from(n / 16).ok()?;
    (n % 16 == 0 && index < functions).then(|| FuncId::new(index))
}

/// The address of a global: globals are the first objects.
pub(super) fn global_address(global: GlobalId) -> u64 {
    address(global.index(), 0)
}

/// The address of a byte of an object.
pub(super) fn address(object: usize, offset: i64) -> u64 {
    (((object as u64) + 1) << 32)
        .wrapping_add(ORIGIN)
        .wrapping_add_signed(offset)
}

/// Which byte of its object an address is.
pub(super) fn offset(at: u64) -> i64 {
    (at & 0xffff_ffff) as i64 - ORIGIN as i64
}

/// Whether two addresses are of one object.
pub(super) fn same_object(a: u64, b: u64) -> bool {
    a >> 32 == b >> 32
}

/// Number of an input, plus one; 0: of none.
pub(super) type Taint = u32;

/// Marks the taint of a value whose lowest byte is that input, and whose further ones are the inputs after it, each of a byte.
pub(super) const BYTES: Taint = 1 << 30;

/// The same of the bytes from the n-th on (before the lowest one, too).
fn from_byte(taint: Taint, n: i32) -> Taint {
    if taint & BYTES == 0 || taint >> 31 != 0 {
        return taint;
    }
    let first = (taint & !BYTES) as i32 + n;
    if first > 0 { first as Taint | BYTES } else { 0 }
}

/// Eight bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    value: u64,
    taint: Taint,
    /// A bit for each byte that holds something.
    known: u8,
}

/// What kind of life an object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Global,
    Heap,
    Stack,
    /// Made up, with its content.
    Lazy,
}

/// An object.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub life: Life,
    /// Bytes; none: as many as are used.
    pub size: Option<u64>,
    pub constant: bool,
    pub freed: bool,
    /// Whether its content is made up when it is read.
    pub made_up: bool,
    /// Names its content among the inputs; of the one that is made up only.
    pub key: u64,
    /// Its number among [`super::inputs::Inputs::names`]; of the one that is made up only.
    pub name: u32,
    /// The thread whose choices its content is ([`super::inputs::Domain`]).
    pub owner: Domain,
    /// The thread whose local variable it is.
    pub made_by: ThreadNumber,
    /// The object that is made up, too, in which a pointer leads here.
    pub parent: Option<u32>,
    /// First of its words, and the offsets of its part that has words: multiples of eight.
    first: u32,
    low: i64,
    high: i64,
}

/// Why an access is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Null, or nothing is there.
    NoObject,
    /// Beyond the object.
    Outside,
    /// The object has been freed.
    Freed,
    /// A write to a constant.
    Constant,
    /// No start of a heap object.
    BadFree,
    /// More memory than a run has.
    Full,
}

#[derive(Clone, Debug)]
enum Before {
    Word(u32, Word),
    Part {
        object: u32,
        first: u32,
        low: i64,
        high: i64,
    },
    Alive(u32),
    Ghost((u64, u32), u64),
}

/// How far memory had come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    before: usize,
    words: usize,
    objects: usize,
}

/// An object by which runs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Lasting {
    /// By its number.
    Object(u32),
    /// By the way that leads there.
    MadeUp(u64),
}

/// Steps that a pointer leads back.
const MOST_STEPS_BACK: u32 = 8;

/// Words of a machine: 16 bytes each.
const MOST_WORDS: usize = 1 << 22;

/// All objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    words: Vec<Word>,
    objects: Vec<Object>,
    /// State beside memory, by address and key; what is 0 is not there.
    ghost: FxHashMap<(u64, u32), u64>,
    log: Vec<Before>,
    /// How often something else was written than was there, local variables left aside.
    pub changes: u64,
}

/// Bytes of an object that an access is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub object: usize,
    pub offset: i64,
}

impl Memory {
    /// Where memory is now.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            before: self.log.len(),
            words: self.words.len(),
            objects: self.objects.len(),
        }
    }

    /// Takes back everything since then.
    pub(super) fn rewind(&mut self, to: Mark) {
        while self.log.len() > to.before {
            match self.log.pop() {
                Some(Before::Word(at, word)) => self.words[at as usize] = word,
                Some(Before::Part {
                    object,
                    first,
                    low,
                    high,
                }) => {
                    let object = &mut self.objects[object as usize];
                    (object.first, object.low, object.high) = (first, low, high);
                }
                Some(Before::Alive(object)) => self.objects[object as usize].freed = false,
                Some(Before::Ghost(key, 0)) => {
                    self.ghost.remove(&key);
                }
                Some(Before::Ghost(key, value)) => {
                    self.ghost.insert(key, value);
                }
                None => break,
            }
        }
        self.words.truncate(to.words);
        self.objects.truncate(to.objects);
    }

    /// The object of that number.
    pub(super) fn object(&self, object: usize) -> &Object {
        &self.objects[object]
    }

    /// A new object whose bytes are zero, or (`made_up`) nothing yet; its number.
    pub(super) fn add(
        &mut self,
        life: Life,
        size: Option<u64>,
        made_up: bool,
    ) -> Result<usize, Fault> {
        let number = self.objects.len();
        let whole = size
            .filter(|n| *n <= WHOLE)
            .unwrap_or(0)
            .next_multiple_of(8);
        let first = self.words.len();
        let count = whole as usize / 8;
        if first + count > MOST_WORDS || number >= u32::MAX as usize {
            return Err(Fault::Full);
        }
        let known = if made_up { 0 } else { 0xff };
        self.words.resize(
            first + count,
            Word {
                known,
                ..Word::default()
            },
        );
        self.objects.push(Object {
            life,
            size,
            constant: false,
            freed: false,
            made_up,
            key: 0,
            made_by: 0,
            parent: None,
            name: 0,
            owner: Domain::Before,
            first: first as u32,
            low: 0,
            high: whole as i64,
        });
        Ok(number)
    }

    /// The same, to set what it is called.
    pub(super) fn object_mut(&mut self, object: usize) -> &mut Object {
        &mut self.objects[object]
    }

    /// How many objects there are.
    pub(super) fn objects(&self) -> usize {
        self.objects.len()
    }

    /// What an address leads into, if that is the same in all runs that begin where there are so many objects: one of these, or one
    /// that is made up and reached from them.
    pub(super) fn lasting(&self, at: u64, objects: usize) -> Option<Lasting> {
        let number = ((at >> 32) as usize).checked_sub(1)?;
        let object = self.objects.get(number)?;
        if number < objects {
            return Some(Lasting::Object(number as u32));
        }
        let mut from = object;
        while let Some(parent) = from.parent {
            if (parent as usize) < objects {
                return Some(Lasting::MadeUp(object.key));
            }
            from = &self.objects[parent as usize];
        }
        None
    }

    /// The object that is made up so many steps before one.
    pub(super) fn before(&self, object: usize, steps: u32) -> Option<usize> {
        let mut at = object;
        for _ in 0..steps {
            at = self.objects[at].parent? as usize;
        }
        Some(at)
    }

    /// How an address is reached from an object that is made up: the steps back, and the byte. `None`: it is in none of those before it.
    pub(super) fn back_to(&self, object: usize, at: u64) -> Option<(u32, i64)> {
        let place = self.place(at, 1).ok()?;
        let mut steps = (0..MOST_STEPS_BACK).map(|n| (n, self.before(object, n)));
        let (steps, _) = steps.find(|(_, before)| *before == Some(place.object))?;
        Some((steps, place.offset))
    }

    /// Where `bytes` bytes at an address lie, if they may be read.
    pub(super) fn place(&self, at: u64, bytes: u64) -> Result<Place, Fault> {
        if at < NULL_PAGE {
            return Err(Fault::NoObject);
        }
        let number = ((at >> 32) as usize)
            .checked_sub(1)
            .ok_or(Fault::NoObject)?;
        let object = self.objects.get(number).ok_or(Fault::NoObject)?;
        if object.freed {
            return Err(Fault::Freed);
        }
        let offset = offset(at);
        let (low, high) = match object.size {
            Some(size) => (0, size.min(ORIGIN) as i64),
            None => (-HALF_ROOM, HALF_ROOM),
        };
        if offset < low || bytes > HALF_ROOM as u64 * 2 || offset + bytes as i64 > high {
            return Err(Fault::Outside);
        }
        Ok(Place {
            object: number,
            offset,
        })
    }

    /// The same, if they may be written.
    pub(super) fn writable(&self, at: u64, bytes: u64) -> Result<Place, Fault> {
        let place = self.place(at, bytes)?;
        match self.objects[place.object].constant {
            true => Err(Fault::Constant),
            false => Ok(place),
        }
    }

    /// Whether there is an object at an address.
    pub(super) fn is_object(&self, at: u64) -> bool {
        self.place(at, 1).is_ok()
    }

    /// Makes words for a part of an object that has none.
    fn reach(&mut self, place: Place, bytes: i64) -> Result<(), Fault> {
        let object = &self.objects[place.object];
        if place.offset >= object.low && place.offset + bytes <= object.high {
            return Ok(());
        }
        let (old_low, old_high, old_first) = (object.low, object.high, object.first);
        // As much again as there is, so that this does not come often.
        let room = (old_high - old_low).max(FIRST_PART);
        let (mut low, mut high) = (old_low, old_high.max(old_low));
        if place.offset < low {
            low = (place.offset - room).max(-HALF_ROOM) & !7;
        }
        if place.offset + bytes > high {
            high = (place.offset + bytes + room + 7) & !7;
        }
        let known = if object.made_up { 0 } else { 0xff };
        let first = self.words.len();
        let count = ((high - low) / 8) as usize;
        if first + count > MOST_WORDS {
            return Err(Fault::Full);
        }
        self.words.resize(
            first + count,
            Word {
                known,
                ..Word::default()
            },
        );
        let (from, n) = (old_first as usize, ((old_high - old_low) / 8) as usize);
        let to = first + ((old_low - low) / 8) as usize;
        self.words.copy_within(from..from + n, to);
        self.log.push(Before::Part {
            object: place.object as u32,
            first: old_first,
            low: old_low,
            high: old_high,
        });
        let object = &mut self.objects[place.object];
        (object.first, object.low, object.high) = (first as u32, low, high);
        Ok(())
    }

    /// The words of up to eight bytes: the first, the shift in it, and whether a second is needed.
    fn words_of(&self, place: Place, bytes: u32) -> (usize, u32, bool) {
        let object = &self.objects[place.object];
        let distance = (place.offset - object.low) as usize;
        let shift = (distance % 8) as u32;
        (
            object.first as usize + distance / 8,
            shift,
            shift + bytes > 8,
        )
    }

    /// Up to eight bytes, what they came from, and which of them hold nothing yet (a bit for each).
    pub(super) fn read(&mut self, place: Place, bytes: u32) -> Result<(u64, Taint, u8), Fault> {
        self.reach(place, i64::from(bytes))?;
        let (at, shift, more) = self.words_of(place, bytes);
        let first = self.words[at];
        let (mut value, mut known, mut taint) = (
            first.value >> (8 * shift),
            first.known >> shift,
            from_byte(first.taint, shift as i32),
        );
        if more {
            let second = self.words[at + 1];
            value |= second.value << (64 - 8 * shift);
            known |= second.known << (8 - shift);
            if taint == 0 {
                taint = from_byte(second.taint, shift as i32 - 8);
            }
        }
        let all = ((1u16 << bytes) - 1) as u8;
        Ok((super::operands::low(value, 8 * bytes), taint, !known & all))
    }

    /// Writes up to eight bytes.
    pub(super) fn write(
        &mut self,
        place: Place,
        bytes: u32,
        value: u64,
        taint: Taint,
    ) -> Result<(), Fault> {
        self.reach(place, i64::from(bytes))?;
        let (at, shift, more) = self.words_of(place, bytes);
        let mask = super::operands::low(u64::MAX, 8 * bytes);
        let known = ((1u16 << bytes) - 1) as u8;
        // The end of a text hides nothing of where the text came from.
        let is_local = self.objects[place.object].life == Life::Stack;
        let before = (self.words[at], self.words.get(at + 1).copied());
        let taint = match (bytes, taint) {
            (1, 0) => self.words[at].taint,
            _ => from_byte(taint, -(shift as i32)),
        };
        self.put(
            at,
            value << (8 * shift),
            mask << (8 * shift),
            known << shift,
            taint,
        );
        if more {
            let rest = 64 - 8 * shift;
            self.put(
                at + 1,
                value >> rest,
                mask >> rest,
                known >> (8 - shift),
                from_byte(taint, 8),
            );
        }
        let after = (self.words[at], self.words.get(at + 1).copied());
        let value = |(one, two): (Word, Option<Word>)| (one.value, two.map(|w| w.value));
        self.changes += u64::from(!is_local && value(before) != value(after));
        Ok(())
    }

    fn put(&mut self, at: usize, value: u64, mask: u64, known: u8, taint: Taint) {
        let word = self.words[at];
        self.log.push(Before::Word(at as u32, word));
        self.words[at] = Word {
            value: word.value & !mask | value & mask,
            taint,
            known: word.known | known,
        };
    }

    /// State beside an address.
    pub(super) fn ghost(&self, key: (u64, u32)) -> u64 {
        self.ghost.get(&key).copied().unwrap_or(0)
    }

    /// How much of it is there.
    pub(super) fn ghosts(&self) -> usize {
        self.ghost.len()
    }

    /// Sets it.
    pub(super) fn set_ghost(&mut self, key: (u64, u32), value: u64) {
        let old = match value {
            0 => self.ghost.remove(&key),
            _ => self.ghost.insert(key, value),
        };
        self.log.push(Before::Ghost(key, old.unwrap_or(0)));
    }

    /// Ends the life of the local variable that starts there, if it has not ended.
    pub(super) fn leave(&mut self, at: u64) {
        let Ok(place) = self.place(at, 0) else {
            return;
        };
        let object = &mut self.objects[place.object];
        if object.life == Life::Stack {
            object.freed = true;
            self.log.push(Before::Alive(place.object as u32));
        }
    }

    /// Ends the life of an object that starts there.
    pub(super) fn free(&mut self, at: u64) -> Result<(), Fault> {
        let place = self.place(at, 0)?;
        let object = &mut self.objects[place.object];
        if place.offset != 0 || !matches!(object.life, Life::Heap | Life::Lazy) {
            return Err(Fault::BadFree);
        }
        object.freed = true;
        self.log.push(Before::Alive(place.object as u32));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_across_words_are_read_as_they_were_written() {
        let mut memory = Memory::default();
        let object = memory.add(Life::Heap, Some(32), false).expect("room");
        for offset in 0..16 {
            for bytes in [1u32, 2, 4, 8] {
                let place = memory.writable(address(object, offset), 8).expect("inside");
                let value = 0x1122_3344_5566_7788u64.rotate_left(offset as u32 * 4);
                memory.write(place, bytes, value, 7).expect("room");
                let (read, taint, unknown) = memory.read(place, bytes).expect("room");
                assert_eq!(read, super::super::operands::low(value, bytes * 8));
                assert_eq!((taint, unknown), (7, 0));
            }
        }
    }

    #[test]
    fn what_is_taken_back_is_as_it_was() {
        let mut memory = Memory::default();
        let object = memory.add(Life::Lazy, None, true).expect("room");
        let near = memory.writable(address(object, 8), 4).expect("inside");
        memory.write(near, 4, 5, 0).expect("room");
        let mark = memory.mark();
        let far = memory.writable(address(object, -4000), 8).expect("inside");
        memory.write(far, 8, 1, 0).expect("room");
        memory.write(near, 4, 6, 0).expect("room");
        memory.free(address(object, 0)).expect("alive");
        assert_eq!(
            memory.place(address(object, 8), 4).err(),
            Some(Fault::Freed)
        );
        memory.rewind(mark);
        assert_eq!(memory.read(near, 4).expect("room"), (5, 0, 0));
        assert_eq!(memory.read(far, 8).expect("room").2, 0xff);
    }

    #[test]
    fn nothing_is_accessed_outside_of_an_object() {
        let mut memory = Memory::default();
        let object = memory.add(Life::Heap, Some(12), false).expect("room");
        assert_eq!(
            memory.place(address(object, 8), 8).err(),
            Some(Fault::Outside)
        );
        assert_eq!(
            memory.place(address(object, -1), 1).err(),
            Some(Fault::Outside)
        );
        assert_eq!(
            memory.place(address(object + 1, 0), 1).err(),
            Some(Fault::NoObject)
        );
        assert_eq!(memory.place(8, 1).err(), Some(Fault::NoObject));
        assert_eq!(memory.free(address(object, 4)).err(), Some(Fault::BadFree));
    }
}
