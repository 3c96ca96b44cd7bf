//! Abstract objects.

use crate::index::{BlockId, DebugTypeId, FuncId, GlobalId, IdVec};

use super::address::{Address, ObjectId};
use super::instances::InstanceId;
use super::solver::CellId;
use super::types::Content;

/// An instruction of one instance of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The instance.
    pub instance: InstanceId,
    /// Its block.
    pub block: BlockId,
    /// Position in the block.
    pub index: u32,
}

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A global variable.
    Global(GlobalId),
    /// The current thread's element of an array with one for each thread.
    ThreadSlot(GlobalId),
    /// A function: no memory, but pointers lead to it.
    Function(FuncId),
    /// An alloca.
    Stack(Place),
    /// An `Alloc`, told apart by the call sites through models and small functions that lead to it.
    Heap(Place),
    /// A `Lazy` or `NondetPtr`, or the result of a function that is only declared.
    Lazy(Place),
    /// What a parameter of a root function points to, where no call gives it a value.
    Parameter(FuncId, u32),
    /// What the pointer at that address of a lazily initialised object leads to when it is first read.
    Child(Address),
    /// Stands for all further children of that content of a lazily initialised object.
    Rest(ObjectId, Content),
    /// The bytes that the memcpy of that number copies, on their way: nothing leads to it, and nobody accesses it.
    Carrier(u32),
}

/// An abstract object; it may stand for many concrete ones.
#[derive(Clone, Debug)]
pub struct Object {
    /// Where it comes from.
    pub kind: ObjectKind,
    /// Size in bytes, where known.
    pub size: Option<u64>,
    /// Whether its initial content is arbitrary pointers to further lazily created objects.
    pub lazy: bool,
    /// The lazily initialised object at the top (itself, where it is no child).
    pub top: ObjectId,
    /// Distance from `top`.
    pub depth: u32,
    /// What it is by its C type.
    pub(super) content: Content,
    /// Structs that it has been used as, each with its byte offset.
    pub(super) parts: Vec<(i64, DebugTypeId)>,
    /// Offsets at which a lazily initialised object holds what is stored there from the beginning.
    pub(super) defined: Vec<i64>,
    /// Constant and without pointers: where in it an address is does not matter.
    pub(super) flat: bool,
    /// Addresses in it met so far.
    pub(super) addresses: u32,
    pub(super) children: u32,
    pub(super) cells: Vec<CellId>,
    /// Copies into this object by memcpy, from this object.
    pub(super) copies_in: Vec<CellCopy>,
    pub(super) copies_out: Vec<CellCopy>,
}

impl Object {
    /// Whether an access there can be one of the object: nothing lies before what has been allocated. (What is initialised
    /// lazily may be a member of something larger.)
    pub(super) fn holds(&self, address: Address) -> bool {
        self.lazy || address.offset().is_none_or(|o| o >= 0)
    }

    /// Whether the address lies before the object or behind its end.
    pub(super) fn is_left_by(&self, address: Address) -> bool {
        let behind = |o: i64| {
            self.size
                .is_some_and(|s| u64::try_from(o).is_ok_and(|o| o > s))
        };
        !self.holds(address) || address.offset().is_some_and(behind)
    }
}

/// `len` bytes from one object are copied to another; at both ends from an offset or from every element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CellCopy {
    /// This object's range.
    pub here: Address,
    /// The other's.
    pub there: Address,
    /// Bytes; `u64::MAX` where unknown.
    pub len: u64,
}

impl CellCopy {
    /// The place at the other end of `offset`, if a pointer there is copied as a whole.
    pub fn across(self, offset: i64, pointer_bytes: u64) -> Option<Address> {
        let distance = i128::from(offset) - i128::from(self.here.rem);
        let within = match self.here.stride {
            0 => distance,
            stride => distance.rem_euclid(i128::from(stride)),
        };
        let whole = within >= 0 && within + i128::from(pointer_bytes) <= i128::from(self.len);
        whole.then(|| {
            self.there
                .moved(i64::try_from(within).unwrap_or(i64::MAX), 0)
        })
    }
}

/// The table of objects.
pub type Objects = IdVec<ObjectId, Object>;
