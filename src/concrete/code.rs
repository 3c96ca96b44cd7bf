//! Register code: what a program is turned into, once, to be run fast.
//!
//! Each value of a function is a register of 64 bits of its frame, a tuple as many as it has elements. What is wider (`__int128`, x87's
//! floats) is not run: whoever comes to it ends there. Blocks lie one after the other in one list of instructions for the whole program;
//! an edge between two of them carries the moves of its phis.

use crate::index::{FuncId, SiteId};
use crate::program::{
    AtomicRmwOp, BinOp, FloatFormat, FloatOp, FloatOrder, IntPredicate, Primitive,
};

/// A register, by its place in the frame.
pub(super) type Slot = u32;

/// A place in [`Code::insts`].
pub(super) type Pc = u32;

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Arg {
    /// A register.
    Slot(Slot),
    /// A constant; of addresses, those of [`super::memory`].
    Const(u64),
}

/// Number of an edge, or of a condition that selects: what coverage counts.
pub(super) type EdgeId = u32;

/// From one block to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Where it leads.
    pub to: Pc,
    /// Its moves: a part of [`Code::moves`]. All are read before any is written.
    pub moves: (u32, u32),
}

/// An access by an instruction that others may see, or by one that nobody else sees (no site).
#[derive(Clone, Copy, Debug)]
pub(super) struct Touching {
    /// Its bytes.
    pub bytes: u8,
    /// Its number, if others may see it.
    pub site: Option<SiteId>,
}

/// A floating-point format that is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Format {
    /// `float`.
    Single,
    /// `double`.
    Double,
}

impl Format {
    pub(super) fn of(format: FloatFormat) -> Option<Format> {
        match format {
            FloatFormat::Single => Some(Format::Single),
            FloatFormat::Double => Some(Format::Double),
            FloatFormat::Half | FloatFormat::BFloat => None,
        }
    }
}

/// What is computed of one operand's bits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bits {
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    ByteSwap,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) enum Inst {
    Bin {
        op: BinOp,
        bits: u8,
        dst: Slot,
        a: Arg,
        b: Arg,
    },
    Compare {
        pred: IntPredicate,
        bits: u8,
        dst: Slot,
        a: Arg,
        b: Arg,
    },
    /// Keeps the low bits.
    Mask {
        bits: u8,
        dst: Slot,
        a: Arg,
    },
    SignExtend {
        from: u8,
        to: u8,
        dst: Slot,
        a: Arg,
    },
    /// As many registers as the value has.
    Select {
        dst: Slot,
        cond: Arg,
        a: Box<[Arg]>,
        b: Box<[Arg]>,
    },
    Move {
        dst: Slot,
        a: Arg,
    },
    Address {
        dst: Slot,
        base: Arg,
        offset: i64,
        scaled: Box<[(Arg, u8, i64)]>,
    },
    Bounds {
        index: Arg,
        count: u64,
    },
    Alloca {
        dst: Slot,
        bytes: u64,
        count: Arg,
    },
    Load {
        dst: Slot,
        ptr: Arg,
        bits: u8,
        pointer: bool,
        at: Touching,
    },
    Store {
        ptr: Arg,
        value: Arg,
        at: Touching,
    },
    Modify {
        op: AtomicRmwOp,
        bits: u8,
        dst: Slot,
        ptr: Arg,
        value: Arg,
        at: Touching,
    },
    /// Two registers: what was there, and whether it was that.
    Exchange {
        dst: Slot,
        ptr: Arg,
        expected: Arg,
        new: Arg,
        at: Touching,
    },
    Copy {
        dst: Arg,
        src: Arg,
        len: Arg,
        site: Option<SiteId>,
    },
    Fill {
        dst: Arg,
        byte: Arg,
        len: Arg,
        site: Option<SiteId>,
    },
    Bits {
        op: Bits,
        bits: u8,
        dst: Slot,
        a: Arg,
    },
    Funnel {
        bits: u8,
        left: bool,
        dst: Slot,
        high: Arg,
        low: Arg,
        amount: Arg,
    },
    /// Two registers: the wrapped result, and whether it was.
    Overflow {
        op: BinOp,
        signed: bool,
        bits: u8,
        dst: Slot,
        a: Arg,
        b: Arg,
    },
    Float {
        op: FloatOp,
        format: Format,
        dst: Slot,
        a: Arg,
        b: Arg,
    },
    FloatCompare {
        order: FloatOrder,
        format: Format,
        dst: Slot,
        a: Arg,
        b: Arg,
    },
    Convert {
        from: Kind,
        to: Kind,
        dst: Slot,
        a: Arg,
    },
    Call {
        callee: FuncId,
        args: Box<[Arg]>,
        result: Returned,
    },
    CallPointer {
        ptr: Arg,
        args: Box<[Arg]>,
        result: Returned,
    },
    Primitive {
        what: Primitive,
        args: Box<[Arg]>,
        dst: Option<Slot>,
        site: Option<SiteId>,
    },
    Jump {
        edge: EdgeId,
        site: Option<SiteId>,
    },
    Branch {
        cond: Arg,
        if_true: EdgeId,
        if_false: EdgeId,
        site: Option<SiteId>,
    },
    Switch {
        value: Arg,
        cases: Box<[(u64, EdgeId)]>,
        default: EdgeId,
        site: Option<SiteId>,
    },
    Return {
        values: Box<[Arg]>,
    },
    /// Nothing is known of what comes here: the execution ends.
    Trap,
}

/// What a conversion of floating-point numbers is from, or to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Float(Format),
    Signed(u8),
    Unsigned(u8),
}

/// Where the result of a call goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Returned {
    /// First register; none: it is not used.
    pub dst: Option<Slot>,
    /// Registers.
    pub slots: u32,
    /// Of a scalar, its width; else 64.
    pub bits: u8,
    /// Whether it is a number, of which a function that nothing is known of gives any.
    pub number: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// Its first instruction; none: it is declared only.
    pub entry: Option<Pc>,
    /// Registers of a frame.
    pub slots: u32,
    /// The registers of its parameters, and their widths.
    pub params: Box<[(Slot, u8)]>,
}

/// A program.
#[derive(Debug)]
pub(super) struct Code {
    pub insts: Vec<Inst>,
    pub edges: Vec<Edge>,
    pub moves: Vec<(Slot, Arg)>,
    /// By the number of the function.
    pub functions: Vec<Body>,
    /// How many visible instructions there are.
    pub sites: usize,
}
