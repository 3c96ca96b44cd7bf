//! Types of SSA values, and types from debug info.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::index::DebugTypeId;

/// The type of an SSA value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of 1 to 128 bits.
    Int(u32),
    /// A pointer.
    Ptr,
    /// A floating-point number of that many bits: carried, not computed with.
    Float(u32),
    /// A first-class struct or array, flattened: no element is itself a tuple.
    Tuple(Vec<Type>),
}

impl Type {
    /// Width in bits of a scalar; `None` for void and tuples.
    pub fn bits(&self, pointer_bytes: u32) -> Option<u32> {
        match self {
            Type::Int(bits) | Type::Float(bits) => Some(*bits),
            Type::Ptr => Some(pointer_bytes * 8),
            Type::Void | Type::Tuple(_) => None,
        }
    }
    /// Bytes that a store of this scalar writes (bits rounded up); 0 for void, the sum for tuples.
    pub fn store_bytes(&self, pointer_bytes: u32) -> u64 {
        match self {
            Type::Tuple(items) => items.iter().map(|t| t.store_bytes(pointer_bytes)).sum(),
            scalar => scalar
                .bits(pointer_bytes)
                .map_or(0, |b| u64::from(b.div_ceil(8))),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => write!(f, "void"),
            Type::Int(bits) => write!(f, "i{bits}"),
            Type::Ptr => write!(f, "ptr"),
            Type::Float(bits) => write!(f, "f{bits}"),
            Type::Tuple(items) => {
                write!(f, "{{")?;
                for (n, t) in items.iter().enumerate() {
                    write!(f, "{}{t}", if n > 0 { ", " } else { "" })?;
                }
                write!(f, "}}")
            }
        }
    }
}

/// How a struct is called for people: the models' own copy of a struct of the kernel has the name of that with a prefix.
pub fn told_name(structure: &str) -> &str {
    structure.strip_prefix("irkiss_").unwrap_or(structure)
}

/// A type of the source language, from debug info. Typedefs and qualifiers are looked through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebugType {
    /// Source name without `struct `; empty if anonymous.
    pub name: String,
    /// Size in bytes; 0 if unknown.
    pub size: u64,
    /// What it is.
    pub kind: DebugTypeKind,
    /// Where it is declared.
    pub origin: Origin,
}

/// Where a type is declared, which tells who may use it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// Not known, or no struct.
    #[default]
    Unknown,
    /// In a source file: no other source file can use it.
    Source,
    /// In a header beside the sources.
    Header,
    /// In a header of a folder `include`: an interface.
    Interface,
}

impl Origin {
    /// By the path of the declaring file.
    pub fn of_file(path: &str) -> Origin {
        if path.split('/').rev().skip(1).any(|part| part == "include") {
            Origin::Interface
        } else if path.ends_with(".h") {
            Origin::Header
        } else if path.ends_with(".c") {
            Origin::Source
        } else {
            Origin::Unknown
        }
    }
}

/// The kinds of [`DebugType`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DebugTypeKind {
    /// Integers, enums, bool, char, floats.
    Scalar,
    /// A pointer and what it points to (`None`: void or unknown).
    Pointer(Option<DebugTypeId>),
    /// A pointer target that is a function.
    Function,
    /// A struct or class.
    Struct(Vec<DebugMember>),
    /// A union.
    Union(Vec<DebugMember>),
    /// An array of `count` elements.
    Array {
        /// The type of one; `None` where the debug information does not tell it.
        element: Option<DebugTypeId>,
        /// How many; 0 for a flexible array.
        count: u64,
    },
    /// Declared only, or not understood.
    Opaque,
}

/// A member of a struct or union.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebugMember {
    /// Name; empty for an anonymous member.
    pub name: String,
    /// Byte offset (of the storage unit, for bit-fields).
    pub offset: u64,
    /// Size in bytes, rounded up.
    pub size: u64,
    /// Its width in bits, if it is a bit-field.
    pub bits: Option<u32>,
    /// Its type.
    pub ty: Option<DebugTypeId>,
}
