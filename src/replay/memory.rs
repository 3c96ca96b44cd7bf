//! Concrete memory: objects with byte contents at addresses of a layout of its own.
//!
//! Addresses are deterministic: globals lie one after the other; what a thread
//! allocates lies in that thread's own region, so an address depends on what
//! the thread did and not on how threads were interleaved. Nothing is reused.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::index::{FuncId, GlobalId, LocId};
use crate::trace::schedule::ThreadNumber;

/// Addresses below this are null, or null plus a field offset.
pub const NULL_PAGE: u64 = 4096;
/// Objects above this size keep only the bytes that were written.
const DENSE_LIMIT: u64 = 1 << 16;

/// Where things lie. Two sizes, for pointers of 4 and of 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressMap {
    /// Address of function 0; each function has 16 bytes.
    pub functions: u64,
    /// Address of the first global.
    pub globals: u64,
    /// Address of the region of thread 0.
    pub threads: u64,
    /// Size of a thread's region.
    pub region: u64,
    /// Half of the room given to an object of unknown size.
    pub half_room: u64,
}

impl AddressMap {
    /// The layout for pointers of that many bytes.
    pub fn new(pointer_bytes: u32) -> AddressMap {
        if pointer_bytes >= 8 {
            AddressMap {
                functions: 0x10_0000,
                globals: 0x1000_0000,
                threads: 0x10_0000_0000,
                region: 0x4_0000_0000,
                half_room: 1 << 19,
            }
        } else {
            AddressMap {
                functions: 0x10_0000,
                globals: 0x0400_0000,
                threads: 0x4000_0000,
                region: 0x0100_0000,
                half_room: 1 << 15,
            }
        }
    }
    /// First address of a thread's region.
    pub fn region_of(&self, thread: ThreadNumber) -> u64 {
        self.threads + u64::from(thread) * self.region
    }
}

/// What kind of life an object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A global variable.
    Global(GlobalId),
    /// Made by `__irkiss_alloc`.
    Heap,
    /// Made by an alloca. Outlives its frame, unless `__irkiss_local_ends` says that it ends.
    Stack,
    /// Made by `__irkiss_lazy`, `__irkiss_nondet_ptr`, or found behind a pointer of such an object.
    Lazy,
}

/// Why an access is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MemoryError {
    /// Through null (or null plus a small offset).
    Null(u64),
    /// No object lies there.
    Wild(u64),
    /// Beyond the object's end or before its start.
    OutOfBounds {
        /// Name of the object.
        object: Rc<str>,
        /// Offset of the first byte accessed.
        offset: i64,
        /// Bytes accessed.
        bytes: u64,
    },
    /// The object has been freed.
    Freed {
        /// Name of the object.
        object: Rc<str>,
        /// Where in it.
        address: u64,
    },
    /// A write to a constant.
    ReadOnly(Rc<str>),
    /// `__irkiss_free` of what is no start of a heap object.
    BadFree(u64),
}

impl std::fmt::Display for MemoryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MemoryError::Null(a) => write!(f, "access through a null pointer ({a:#x})"),
            MemoryError::Wild(a) => write!(f, "access to {a:#x}, where no object is"),
            MemoryError::OutOfBounds {
                object,
                offset,
                bytes,
            } => write!(
                f,
                "access of {bytes} bytes at offset {offset} of {object}, out of bounds"
            ),
            MemoryError::Freed { object, .. } => write!(f, "access to {object} after it was freed"),
            MemoryError::ReadOnly(o) => write!(f, "write to the constant {o}"),
            MemoryError::BadFree(a) => write!(f, "free of {a:#x}, which is no heap object"),
        }
    }
}

/// The bytes of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Content {
    /// All of them.
    Dense(Vec<u8>),
    /// Those that are not zero, by offset.
    Sparse(BTreeMap<i64, u8>),
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// First address that belongs to it.
    start: u64,
    /// Distance from `start` to offset 0 (not 0 only where the size is unknown: `container_of` looks before the start).
    origin: u64,
    /// Size in bytes; `None`: as large as accesses need.
    size: Option<u64>,
    /// Its kind.
    pub kind: ObjectKind,
    /// Its name: `@g`, or what [`crate::trace::schedule::Inputs`] calls it.
    pub name: Rc<str>,
    /// Where the user's code made it, or declared it.
    pub made_at: Option<LocId>,
    /// The function (of the user, or the model that the user called) that made it.
    pub made_by: Option<FuncId>,
    /// Whether its life has ended.
    pub freed: bool,
    /// Whether it may not be written.
    pub constant: bool,
    content: Content,
}

impl Object {
    /// A zero-filled object at `start`; of unknown size (with `half_room` bytes to either side) if `size` is `None`.
    pub fn new(
        start: u64,
        size: Option<u64>,
        half_room: u64,
        kind: ObjectKind,
        name: Rc<str>,
    ) -> Object {
        let content = match size {
            Some(n) if n <= DENSE_LIMIT => Content::Dense(vec![0; n as usize]),
            _ => Content::Sparse(BTreeMap::new()),
        };
        Object {
            start,
            origin: if size.is_some() { 0 } else { half_room },
            size,
            kind,
            name,
            made_at: None,
            made_by: None,
            freed: false,
            constant: false,
            content,
        }
    }
    /// Address of offset 0.
    pub fn base(&self) -> u64 {
        self.start + self.origin
    }
    /// Addresses that belong to it (an object of size 0 has one, so that it can be named).
    fn room(&self) -> u64 {
        self.size.unwrap_or(2 * self.origin).max(1)
    }
    fn contains(&self, address: u64) -> bool {
        address >= self.start && address - self.start < self.room()
    }
    /// Offset of an address that belongs to it.
    pub fn offset_of(&self, address: u64) -> i64 {
        address.wrapping_sub(self.base()) as i64
    }
    fn check(&self, offset: i64, bytes: u64) -> Result<(), MemoryError> {
        if self.freed {
            return Err(MemoryError::Freed {
                object: self.name.clone(),
                address: self.base().wrapping_add_signed(offset),
            });
        }
        let (low, high) = match self.size {
            Some(n) => (0, i128::from(n)),
            None => (-i128::from(self.origin), i128::from(self.origin)),
        };
        let first = i128::from(offset);
        if first < low || first + i128::from(bytes) > high {
            return Err(MemoryError::OutOfBounds {
                object: self.name.clone(),
                offset,
                bytes,
            });
        }
        Ok(())
    }
    /// The byte at an offset within the object.
    fn byte(&self, offset: i64) -> u8 {
        match &self.content {
            Content::Dense(b) => b[offset as usize],
            Content::Sparse(m) => m.get(&offset).copied().unwrap_or(0),
        }
    }
    /// Sets bytes, without checks of freedom or constancy: initial content. What lies outside is dropped.
    pub fn initialise(&mut self, offset: i64, bytes: &[u8]) {
        for (n, b) in bytes.iter().enumerate() {
            let at = offset + n as i64;
            match &mut self.content {
                Content::Dense(d) => {
                    if let Some(cell) = usize::try_from(at).ok().and_then(|i| d.get_mut(i)) {
                        *cell = *b;
                    }
                }
                Content::Sparse(m) if *b == 0 => {
                    m.remove(&at);
                }
                Content::Sparse(m) => {
                    m.insert(at, *b);
                }
            }
        }
    }
}

/// What memory holds before the program starts: one per machine, shared by all states.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// Globals by start address.
    pub objects: BTreeMap<u64, Object>,
}

/// The objects that exist besides, or differ from, those of the [`Image`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    changed: Rc<BTreeMap<u64, Rc<Object>>>,
}

impl Memory {
    /// The object that an address belongs to, freed ones too.
    pub fn find<'a>(&'a self, image: &'a Image, address: u64) -> Option<&'a Object> {
        let changed = self
            .changed
            .range(..=address)
            .next_back()
            .map(|(_, o)| &**o)
            .filter(|o| o.contains(address));
        changed.or_else(|| {
            image
                .objects
                .range(..=address)
                .next_back()
                .map(|(_, o)| o)
                .filter(|o| o.contains(address))
        })
    }
    fn locate<'a>(
        &'a self,
        image: &'a Image,
        address: u64,
        bytes: u64,
    ) -> Result<(&'a Object, i64), MemoryError> {
        if address < NULL_PAGE {
            return Err(MemoryError::Null(address));
        }
        let object = self
            .find(image, address)
            .ok_or(MemoryError::Wild(address))?;
        let offset = object.offset_of(address);
        object.check(offset, bytes)?;
        Ok((object, offset))
    }
    /// Reads bytes.
    pub fn read(&self, image: &Image, address: u64, bytes: u64) -> Result<Vec<u8>, MemoryError> {
        let (object, offset) = self.locate(image, address, bytes)?;
        Ok((0..bytes as i64).map(|n| object.byte(offset + n)).collect())
    }
    /// Whether bytes may be read, without reading them.
    pub fn check(&self, image: &Image, address: u64, bytes: u64) -> Result<(), MemoryError> {
        self.locate(image, address, bytes).map(|_| ())
    }
    /// Writes bytes.
    pub fn write(&mut self, image: &Image, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let (object, offset) = self.locate(image, address, bytes.len() as u64)?;
        if object.constant {
            return Err(MemoryError::ReadOnly(object.name.clone()));
        }
        let start = object.start;
        self.object_mut(image, start).initialise(offset, bytes);
        Ok(())
    }
    /// Ends the life of the heap or lazy object that starts at `address`.
    pub fn free(&mut self, image: &Image, address: u64) -> Result<(), MemoryError> {
        let object = self
            .find(image, address)
            .filter(|o| matches!(o.kind, ObjectKind::Heap | ObjectKind::Lazy))
            .filter(|o| o.base() == address)
            .ok_or(MemoryError::BadFree(address))?;
        if object.freed {
            return Err(MemoryError::Freed {
                object: object.name.clone(),
                address,
            });
        }
        let start = object.start;
        self.object_mut(image, start).freed = true;
        Ok(())
    }
    /// Ends the life of the local variable that starts at `address`; whether it had not ended yet.
    pub fn leave(&mut self, image: &Image, address: u64) -> bool {
        let found = self
            .find(image, address)
            .filter(|o| o.kind == ObjectKind::Stack && o.base() == address && !o.freed);
        let Some(start) = found.map(|o| o.start) else {
            return false;
        };
        self.object_mut(image, start).freed = true;
        true
    }
    /// The address of the lazy object of that name, if there is one.
    pub fn lazy_named(&self, name: &str) -> Option<u64> {
        let mut all = self.changed.values();
        all.find(|o| o.kind == ObjectKind::Lazy && &*o.name == name)
            .map(|o| o.base())
    }
    /// Adds an object.
    pub fn add(&mut self, object: Object) {
        Rc::make_mut(&mut self.changed).insert(object.start, Rc::new(object));
    }
    /// The object that starts at `start`, copied from the image at the first change.
    fn object_mut(&mut self, image: &Image, start: u64) -> &mut Object {
        let slot = Rc::make_mut(&mut self.changed)
            .entry(start)
            .or_insert_with(|| Rc::new(image.objects[&start].clone()));
        Rc::make_mut(slot)
    }
}

/// The bytes of an integer in memory order.
pub fn to_bytes(value: u128, size: usize, little_endian: bool) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..size)
        .map(|n| if n < 16 { (value >> (8 * n)) as u8 } else { 0 })
        .collect();
    if !little_endian {
        bytes.reverse();
    }
    bytes
}

/// The integer that bytes in memory order are.
pub fn from_bytes(bytes: &[u8], little_endian: bool) -> u128 {
    let join = |acc: u128, b: &u8| (acc << 8) | u128::from(*b);
    if little_endian {
        bytes.iter().rev().fold(0, join)
    } else {
        bytes.iter().fold(0, join)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(start: u64, size: Option<u64>) -> Object {
        Object::new(start, size, 64, ObjectKind::Heap, "h".into())
    }

    #[test]
    fn writes_are_read_back_and_bounds_hold() {
        let image = Image::default();
        let mut m = Memory::default();
        m.add(heap(0x10000, Some(8)));
        m.write(&image, 0x10004, &[1, 2, 3, 4]).unwrap();
        assert_eq!(m.read(&image, 0x10003, 3).unwrap(), [0, 1, 2]);
        assert!(matches!(
            m.read(&image, 0x10005, 4),
            Err(MemoryError::OutOfBounds { offset: 5, .. })
        ));
        assert_eq!(m.read(&image, 0x10008, 1), Err(MemoryError::Wild(0x10008)));
        assert_eq!(m.read(&image, 8, 1), Err(MemoryError::Null(8)));
    }

    #[test]
    fn freed_objects_are_not_accessed_and_not_freed_twice() {
        let image = Image::default();
        let mut m = Memory::default();
        m.add(heap(0x10000, Some(8)));
        assert_eq!(m.free(&image, 0x10004), Err(MemoryError::BadFree(0x10004)));
        m.free(&image, 0x10000).unwrap();
        assert!(matches!(
            m.read(&image, 0x10000, 1),
            Err(MemoryError::Freed { .. })
        ));
        assert!(matches!(
            m.free(&image, 0x10000),
            Err(MemoryError::Freed { .. })
        ));
    }

    #[test]
    fn objects_of_unknown_size_reach_to_both_sides() {
        let image = Image::default();
        let mut m = Memory::default();
        m.add(heap(0x10000, None));
        let base = 0x10000 + 64;
        m.write(&image, base - 16, &[7]).unwrap();
        assert_eq!(m.read(&image, base - 16, 2).unwrap(), [7, 0]);
        assert!(m.read(&image, base + 64, 1).is_err());
    }

    #[test]
    fn a_clone_does_not_see_later_writes() {
        let image = Image::default();
        let mut m = Memory::default();
        m.add(heap(0x10000, Some(4)));
        let before = m.clone();
        m.write(&image, 0x10000, &[9]).unwrap();
        assert_eq!(before.read(&image, 0x10000, 1).unwrap(), [0]);
        assert_ne!(before, m);
        m.write(&image, 0x10000, &[0]).unwrap();
        assert_eq!(before, m);
    }

    #[test]
    fn byte_order() {
        assert_eq!(to_bytes(0x0102, 2, true), [2, 1]);
        assert_eq!(to_bytes(0x0102, 2, false), [1, 2]);
        assert_eq!(from_bytes(&[2, 1], true), 0x0102);
        assert_eq!(from_bytes(&[1, 2, 3], false), 0x010203);
    }
}
