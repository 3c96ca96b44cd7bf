//! Typed indices and the vectors that they index.
//!
//! Everything that refers to something else in irkiss does so by a small
//! number. A number of its own type cannot be used in the wrong table.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A number that names one element of one kind of table.
pub trait Idx: Copy + Eq + Ord + std::hash::Hash + fmt::Debug {
    /// The index of the `n`-th element.
    fn new(n: usize) -> Self;
    /// The position in the table.
    fn index(self) -> usize;
}

/// Defines a `u32` newtype that implements [`Idx`]; the string is the prefix in dumps.
macro_rules! define_index {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);
        impl $crate::index::Idx for $name {
            fn new(n: usize) -> Self {
                $name(u32::try_from(n).expect("table of more than 2^32 elements"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

pub(crate) use define_index;

define_index!(
    /// A function of a program.
    FuncId,
    "fn"
);
define_index!(
    /// A basic block of one function.
    BlockId,
    "bb"
);
define_index!(
    /// An SSA value of one function (parameter or instruction result).
    ValueId,
    "%"
);
define_index!(
    /// A global variable.
    GlobalId,
    "@"
);
define_index!(
    /// A visible instruction; the same number in the concurrent and in the sequential program.
    SiteId,
    "site"
);
define_index!(
    /// A source location.
    LocId,
    "loc"
);
define_index!(
    /// A source file.
    FileId,
    "file"
);
define_index!(
    /// A type known from debug info.
    DebugTypeId,
    "type"
);
define_index!(
    /// An entry point of the closed program.
    EntryId,
    "entry"
);

/// A vector indexed by one kind of index only.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    #[serde(skip)]
    marker: PhantomData<fn(I) -> I>,
}

impl<I: Idx, T> IdVec<I, T> {
    /// An empty table.
    pub fn new() -> Self {
        IdVec {
            items: Vec::new(),
            marker: PhantomData,
        }
    }
    /// A table of `n` copies of `item`.
    pub fn filled(item: T, n: usize) -> Self
    where
        T: Clone,
    {
        IdVec {
            items: vec![item; n],
            marker: PhantomData,
        }
    }
    /// Appends an element and returns its index.
    pub fn push(&mut self, item: T) -> I {
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }
    /// The index that the next [`IdVec::push`] will return.
    pub fn next_id(&self) -> I {
        I::new(self.items.len())
    }
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether the table has no element.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The element, or `None` if the index is out of range.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// The elements in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// The elements in order, mutable.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
    /// The elements with their indices.
    pub fn iter_ids(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(n, t)| (I::new(n), t))
    }
    /// The indices in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }
}

impl<I: Idx, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Idx, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Idx, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Idx, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        IdVec {
            items: iter.into_iter().collect(),
            marker: PhantomData,
        }
    }
}

impl<I: Idx + fmt::Debug, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter_ids()).finish()
    }
}
