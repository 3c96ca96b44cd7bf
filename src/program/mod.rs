//! The owned form of a program: what passes from the frontend to the engine.
//!
//! A [`Program`] holds no reference to LLVM, is `Send + Sync`, and serialises.
//! The *concurrent* program (the input, closed with models) and the
//! *sequential* program (after sequentialization) have the same form.
//!
//! What the form cannot express is kept as an explicit [`Op::Unsupported`] or
//! [`Terminator::Unsupported`] with its location, so that whoever reaches it
//! answers `unknown` and not silence.

mod definitions;
mod float;
pub mod harness_map;
mod instr;
mod primitive;
mod printer;
mod runtime;
mod touch;
mod types;
mod visit;

pub use definitions::Definitions;
pub use float::{FloatFormat, FloatOp, FloatOrder, Number};
pub use instr::{
    AccessMode, AtomicRmwOp, BinOp, Block, Callee, CastKind, Const, FieldRef, Instr, IntPredicate,
    Op, Operand, Terminator,
};
pub use primitive::{FailKind, Primitive};
pub use printer::print_program;
pub use runtime::{MadeBy, RuntimeMap, is_runtime};
pub use touch::Touch;
#[cfg(test)]
mod tests;

pub use types::{DebugMember, DebugType, DebugTypeKind, Origin, Type, told_name};
pub use visit::operands;

use serde::{Deserialize, Serialize};

use crate::assumption::Fixed;
use crate::config::Marked;
use crate::index::{BlockId, DebugTypeId, FuncId, GlobalId, IdVec, LocId, SiteId, ValueId};
use crate::source::SourceMap;
use harness_map::HarnessMap;

/// Facts of the target that every consumer needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataLayout {
    /// Byte order of memory.
    pub little_endian: bool,
    /// Size of a pointer in bytes (4 or 8).
    pub pointer_bytes: u32,
    /// LLVM target triple of the module.
    pub triple: String,
    /// Who wrote the bitcode, as the module says (empty where unknown).
    pub producer: String,
}

/// A program in owned form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    /// Target facts.
    pub layout: DataLayout,
    /// Source files and locations.
    pub source: SourceMap,
    /// Global variables.
    pub globals: IdVec<GlobalId, Global>,
    /// Functions, with and without bodies.
    pub functions: IdVec<FuncId, Function>,
    /// Types from debug info that globals, fields and parameters refer to.
    pub debug_types: IdVec<DebugTypeId, DebugType>,
    /// The visible instructions. The table is the same in the concurrent and in the sequential program.
    pub sites: IdVec<SiteId, Site>,
    /// How `volatile` is read: of a program with `main` and of a library otherwise than of the kernel's.
    pub marked: Marked,
    /// What is what in the harness.
    pub harness: HarnessMap,
    /// What is what in the run time of a sequential program.
    pub runtime: RuntimeMap,
}

/// A global variable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Linker name.
    pub name: String,
    /// Size in bytes; 0 where the type is opaque.
    pub size: u64,
    /// Whether the program may not write it.
    pub constant: bool,
    /// Whether every thread has its own copy.
    pub thread_local: bool,
    /// `None`: defined elsewhere; its content is arbitrary.
    pub init: Option<Vec<InitCell>>,
    /// Source declaration.
    pub loc: Option<LocId>,
    /// Declared type, from debug info.
    pub debug_type: Option<DebugTypeId>,
    /// Name of the IR struct type (without `struct.`), if it is one or an array of one.
    pub struct_name: Option<String>,
    /// Whether it is visible outside its module.
    pub external: bool,
    /// Linker section, where one is named.
    pub section: Option<String>,
}

/// The section of state that models keep for all threads and that nothing protects (`IRKISS_HIDDEN`).
const HIDDEN_SECTION: &str = "irkiss.hidden";

impl Global {
    /// Whether it is state that the environment's functions keep for all threads: it can race although no code of the user's has a
    /// pointer to it.
    pub fn is_hidden_state(&self) -> bool {
        self.section.as_deref() == Some(HIDDEN_SECTION)
    }
}

/// One scalar of an initialiser. Bytes that no cell covers are zero.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InitCell {
    /// Byte offset in the global.
    pub offset: u64,
    /// Size in bytes.
    pub size: u32,
    /// A scalar constant ([`Const::Int`], [`Const::Null`], [`Const::Addr`], or unsupported).
    pub value: Const,
}

/// A function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Linker name.
    pub name: String,
    /// Parameters: the first values of [`Function::values`], in order.
    pub params: Vec<ValueId>,
    /// Whether further arguments may follow.
    pub variadic: bool,
    /// Result type.
    pub ret: Type,
    /// All SSA values.
    pub values: IdVec<ValueId, Value>,
    /// Empty for a function that is only declared. Otherwise block 0 is the entry.
    pub blocks: IdVec<BlockId, Block>,
    /// Source definition.
    pub loc: Option<LocId>,
    /// Whether it is the tool's own code (stubs, harness, instrumentation), not the user's.
    pub is_model: bool,
    /// Whether it stands for one that nothing is known of: its body only says what it returns.
    pub outside: bool,
    /// What it fixes although the function that it is a model of does not.
    pub assumes: Vec<Fixed>,
    /// Whether it gives any answer although that of the function that it is a model of follows from what that is given.
    pub any_answer: bool,
    /// Whether it runs what comes by itself (handlers of signals): no condition of its callers decides whether that runs.
    pub interrupts: bool,
    /// Whether it is visible outside its module.
    pub external: bool,
    /// Debug types of the parameters, where known (same length as `params` or empty).
    pub param_types: Vec<Option<DebugTypeId>>,
    /// Debug type of the result, where known.
    pub ret_type: Option<DebugTypeId>,
    /// What values point to, as the source variables that debug info binds to them say: a struct, and how many bytes beyond its
    /// start. Sorted by value.
    pub bound: Vec<(ValueId, DebugTypeId, i64)>,
    /// `Some(p)`: calls to it are the primitive `p`.
    pub primitive: Option<Primitive>,
}

impl Function {
    /// Whether it is one of the environment without a model that gets a pointer.
    pub fn is_given_pointers(&self) -> bool {
        let is_pointer = |p: &ValueId| self.values[*p].ty == Type::Ptr;
        self.outside && self.params.iter().any(is_pointer)
    }

    /// Whether the function has a body.
    pub fn is_defined(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// As the source calls it: a model has the name of the function that it stands for.
    pub fn source_name(&self) -> &str {
        let name = self.name.as_str();
        let of_model = name
            .strip_prefix(MODEL_OF)
            .or_else(|| name.strip_prefix(ASKED_OF));
        of_model.unwrap_or(name)
    }
}

/// What the name of a model begins with that is not called as the function that it stands for.
pub const MODEL_OF: &str = "irkiss_model__";
/// The same of one that stands for calls whose result is looked at.
pub const ASKED_OF: &str = "irkiss_asked__";

/// An SSA value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Value {
    /// Its type.
    pub ty: Type,
    /// Its name in the input, for dumps; may be empty.
    pub name: String,
}

/// What a visible instruction does, as far as other threads can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SiteKind {
    /// Reads memory.
    Read,
    /// Writes memory.
    Write,
    /// Reads and writes memory in one step (atomic read-modify-write).
    ReadWrite,
    /// Begin of an atomic section.
    AtomicBegin,
    /// Waits for a condition (`assume`).
    Assume,
    /// Checks a condition (`assert`).
    Assert,
    /// A model says that a property holds (`check`).
    Check,
    /// Starts a thread.
    Async,
    /// Frees memory.
    Free,
    /// Ends the thread or the program, or cannot return.
    Stop,
    /// A loop back edge: a thread may stay in the loop for ever.
    BackEdge,
}

/// How the source says that races with an access are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Silencer {
    /// `data_race(…)` is around it.
    DataRace,
    /// Its function is one that race detectors do not watch (`__no_kcsan` and what stands for it).
    NoKcsan,
    /// It is no access: the kernel uses the object somehow, which must be there.
    Kernel,
    /// It is of the flag of a macro that does something once (`WARN_ONCE`): nobody minds who comes first, or that two do.
    Once,
    /// It reads an index of a ring between one reader and one writer (`kfifo`), who need no lock.
    Kfifo,
    /// It moves the count of a sequence lock (`seqcount`), which readers look at before and after.
    Seqcount,
}

impl Silencer {
    /// All of them, each at its [`Silencer::number`].
    pub const ALL: [Silencer; 6] = [
        Silencer::DataRace,
        Silencer::NoKcsan,
        Silencer::Kernel,
        Silencer::Once,
        Silencer::Kfifo,
        Silencer::Seqcount,
    ];

    /// Its place in [`Silencer::ALL`].
    pub fn number(self) -> u32 {
        self as u32
    }

    /// As the source spells it.
    pub fn word(self) -> &'static str {
        match self {
            Silencer::DataRace => "data_race",
            Silencer::NoKcsan => "no_kcsan",
            Silencer::Kernel => "kernel",
            Silencer::Once => "once",
            Silencer::Kfifo => "kfifo",
            Silencer::Seqcount => "seqcount",
        }
    }
}

/// A visible instruction: the same number in the concurrent and in the sequential program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Linker name of the function that holds it (function numbers differ between the two programs).
    pub function: String,
    /// Source location.
    pub loc: Option<LocId>,
    /// What it does.
    pub kind: SiteKind,
    /// Bytes accessed; 0 where no access or the size is not constant.
    pub bytes: u32,
    /// Whether the access is marked: atomic, volatile (READ_ONCE/WRITE_ONCE), or in an atomic section of a model.
    pub marked: bool,
    /// Whether the access is a plain write that compilers are taken to do in one: aligned, no longer than a word, not the write
    /// of `x op= y`. What `--marked kcsan-default` takes for marked.
    #[serde(default)]
    pub whole: bool,
    /// Who says in the source that races with this access are meant, if anybody does.
    #[serde(default)]
    pub silenced: Option<Silencer>,
    /// Whether the instruction is in the tool's own models, not in user code.
    pub in_model: bool,
    /// The struct field or variable accessed, for people (`struct foo.bar`, `counter`), where known.
    pub object: Option<String>,
}

impl Program {
    /// Whether some of it was C++, by the names that its compilers give (Itanium C++ ABI, 5.1). There memory of one type holds objects of
    /// others: what `std::function`, `std::optional` and `std::make_shared` keep lies in arrays of bytes.
    pub fn is_cplusplus(&self) -> bool {
        let own = self.functions.iter().filter(|f| !f.is_model);
        own.into_iter()
            .any(|f| f.is_defined() && f.name.starts_with("_Z"))
    }
    /// The function of that linker name.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions
            .iter_ids()
            .find(|(_, f)| f.name == name)
            .map(|(id, _)| id)
    }
    /// The global of that linker name.
    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        self.globals
            .iter_ids()
            .find(|(_, g)| g.name == name)
            .map(|(id, _)| id)
    }
    /// `file:line:column` of a site.
    pub fn describe_site(&self, site: SiteId) -> String {
        self.source.describe(self.sites[site].loc)
    }
    /// The size in bytes of a value of type `ty` in memory.
    pub fn size_of(&self, ty: &Type) -> u64 {
        ty.store_bytes(self.layout.pointer_bytes)
    }
}
