//! What is known of the arguments with which the kernel calls an entry point.

use serde::{Deserialize, Serialize};

/// Where an object holds the function that is called with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Its {
    /// Byte offset of the pointer to the function.
    pub function: u64,
    /// Byte offset of a pointer that all these objects have in common.
    pub data: u64,
}

/// What the kernel looks at before it calls an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// The argument that points to the object.
    pub argument: usize,
    /// Byte offset of a word of 32 bits in it.
    pub offset: u64,
    /// What stands there.
    pub needed: Needed,
}

/// What stands in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Needed {
    /// One of these bits is set.
    Bits(u32),
    /// It is below a count, or 0 where that is 0.
    Below {
        /// The argument that points to the object with the count.
        argument: usize,
        /// Byte offset of the count, of 16 bits.
        offset: u64,
    },
}

/// What the kernel itself does around an entry point: functions of the models, each given its first arguments, which are pointers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Does {
    /// What is called before, in the same thread.
    pub before: Option<String>,
    /// What is called once it has returned.
    pub after: Option<String>,
    /// How many arguments they are given.
    pub arguments: usize,
}

/// What an argument is beside functions that run while those are frozen who ask for anything else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhileFrozen {
    /// The argument, a number.
    pub argument: usize,
    /// Its values.
    pub values: Vec<u64>,
    /// Linker names of the functions.
    pub beside: Vec<String>,
}
