//! Functions of the environment that register and cancel: what a call of one does to which entry points.

use serde::{Deserialize, Serialize};

use super::rules::{Answer, Effect, Shows};
use crate::index::EntryId;

/// A function of the environment whose model is made from rules about its effects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registrar {
    /// Its linker name.
    pub function: String,
    /// What it answers.
    pub answer: Answer,
    /// What it does to handlers that are armed: argument, effects.
    pub armed: Vec<(Target, Vec<Effect>)>,
    /// What it does to entry points that are not.
    pub gated: Vec<Gated>,
    /// Whether it unbinds the driver from its devices.
    pub unbinds: bool,
    /// Whether it takes back what needs not be armed, or unbinds the driver.
    pub takes_back: bool,
    /// The argument whose memory is gone when it returns.
    pub frees: Option<usize>,
    /// The number of the driver's that it shows, and by what arguments; whether any call lets processes write it.
    pub shows: Option<(Shows, bool)>,
    /// An object, and the driver's data that a function gives back for it.
    pub keeps: Option<Kept>,
    /// Functions of the models that take a lock of the kernel as the call begins and give it back as it returns.
    pub within: Option<(String, String)>,
    /// Whether it switches runtime power management of the device in its first argument on, or off.
    pub switches_power: Option<bool>,
}

/// The driver's data that a function of the kernel gives back for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The object.
    pub object: Named,
    /// The argument that is the data.
    pub data: usize,
    /// If it is in what the argument leads to: at which byte offset.
    pub inside: Option<u64>,
}

/// Which armed handlers a call is about; the numbers are those of arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The one of that object (timer, work item, request).
    Object(usize),
    /// The one of that object, which is armed; its function is another argument, or stands in the object at a byte offset.
    Arms {
        /// The object.
        object: usize,
        /// The function.
        function: Option<usize>,
        /// Where the object holds it.
        holds: Option<u64>,
    },
    /// All of these entry points.
    All(Vec<EntryId>),
    /// Those of these entry points whose object is in that container.
    Contained(usize, Vec<EntryId>),
    /// The kernel thread of that task.
    Task(usize),
    /// The actions of that interrupt line: of one device, or all.
    Line(LineNumber, Option<usize>),
}

/// Where the number of an interrupt line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineNumber {
    /// It is that argument.
    Argument(usize),
    /// In what an argument leads to, at a byte offset.
    Held(usize, u64),
    /// An argument is which of a PCI device's interrupts it is, and another one the device.
    Vector(usize, usize),
}

/// What a call does to one entry point that needs not be armed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gated {
    /// The entry point.
    pub entry: EntryId,
    /// What the call does.
    pub effects: Vec<Effect>,
    /// When it is about this entry point.
    pub when: When,
    /// The argument that has to be null for that.
    pub only_if_null: Option<usize>,
    /// The object that later calls name: an argument, or the result.
    pub object: Option<Named>,
    /// The argument that it lies in from now on.
    pub within: Option<usize>,
    /// How far in that argument lies whose address later calls name, in bytes.
    pub member: u64,
    /// Whether what the call starts ends when the driver is unbound.
    pub managed: bool,
    /// Whether devres was handed that before, as the object was made.
    pub as_made: bool,
    /// If the call calls it before it returns.
    pub called: Option<CalledBack>,
    /// If what ends it with the driver calls it.
    pub called_at_end: Option<CalledBack>,
}

/// When a call calls back an entry point that it is about, before it returns: what undoes something, where that has been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledBack {
    /// The argument that says whether it does, if it is not 0; none: it always does.
    pub only_if: Option<usize>,
    /// Whether the locks that the kernel holds around it otherwise are held then, too.
    pub locked: bool,
    /// The bits that the kernel looks at before, in the first thing that it is given: without them it is not called.
    #[serde(default)]
    pub only_with: Option<BitsAt>,
}

/// Bits of a number: one of them has to be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BitsAt {
    /// Where it is.
    pub offset: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// The bits.
    pub bits: u64,
}

/// When a call is about an entry point; the numbers are those of arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum When {
    /// Always.
    Always,
    /// If that argument is the function.
    Function(usize),
    /// If that argument is the object that was registered last, or one of these globals.
    Object(usize, Vec<String>),
    /// If that argument is what it lies in since it was registered last, directly or not.
    Within(usize),
    /// If that argument is one of these globals; or names the ops object at a byte offset; or holds the function itself, at a
    /// byte offset.
    Registers {
        /// The argument.
        argument: usize,
        /// Globals that hold, or lead to, the function.
        globals: Vec<String>,
        /// Where it names the ops object, if it is not the ops object itself.
        names: Option<u64>,
        /// Where the ops object holds the function.
        holds: Option<u64>,
    },
}

/// What a call gives an object by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Named {
    /// An argument.
    Argument(usize),
    /// Its result.
    Result,
}
