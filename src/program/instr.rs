//! Instructions. Close to LLVM's, lowered where LLVM has several ways to say one thing.

use serde::{Deserialize, Serialize};

use super::float::{FloatFormat, FloatOp, FloatOrder, Number};
use super::primitive::Primitive;
use super::types::Type;
use crate::index::{BlockId, FuncId, GlobalId, LocId, SiteId, ValueId};

/// A basic block: phis first, then the rest, then the terminator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Instructions in order.
    pub instrs: Vec<Instr>,
    /// What ends the block.
    pub term: Terminator,
    /// Source location of the terminator.
    pub term_loc: Option<LocId>,
    /// Site of the terminator: a loop back edge ([`super::SiteKind::BackEdge`]).
    pub term_site: Option<SiteId>,
    /// Of the last block of a loop: how often the loop is gone round at least where it is open whether it goes on, whatever
    /// `--unwind` says (`#pragma clang loop unroll_count(N)`, which models of strings use). `None`: as `--unwind` says.
    pub repeats: Option<u32>,
}

/// An instruction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Instr {
    /// What it does.
    pub op: Op,
    /// The value that it defines.
    pub result: Option<ValueId>,
    /// Source location.
    pub loc: Option<LocId>,
    /// Its number among the visible instructions, if it is one.
    pub site: Option<SiteId>,
    /// Of a call through a pointer that stands in a field: the functions of the input that stand there, as far as they are known.
    pub own: Box<[FuncId]>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operand {
    /// An SSA value of the same function.
    Value(ValueId),
    /// A constant.
    Const(Const),
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(
    missing_docs,
    reason = "operands are named after their part, and each variant says what it does with them"
)]
pub enum Const {
    /// An integer; bits above the width are zero.
    Int { bits: u32, value: u128 },
    /// The null pointer.
    Null,
    /// Address of a global, plus a byte offset. As an integer if `int_bits` is given (ptrtoint, possibly truncated).
    Addr {
        global: GlobalId,
        offset: i64,
        int_bits: Option<u32>,
    },
    /// Address of a function. As an integer if `int_bits` is given.
    Func {
        function: FuncId,
        int_bits: Option<u32>,
    },
    /// An arbitrary value of that type (undef; poison is treated alike, after freeze too).
    Undef(Type),
    /// Floating-point constant by its bits.
    Float { bits: u32, value: u128 },
    /// A flattened aggregate.
    Tuple(Vec<Const>),
    /// Not expressible; the text says what.
    Unsupported(Type, String),
}

impl Const {
    /// An integer constant.
    pub fn int(bits: u32, value: u128) -> Const {
        let value = if bits >= 128 {
            value
        } else {
            value & ((1u128 << bits) - 1)
        };
        Const::Int { bits, value }
    }
}

/// How an access reaches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AccessMode {
    /// `volatile`: READ_ONCE, WRITE_ONCE, MMIO.
    pub volatile: bool,
    /// Any atomic ordering. Sequential consistency is assumed for all.
    pub atomic: bool,
}

impl AccessMode {
    /// Marked accesses do not race with marked accesses.
    pub fn marked(self) -> bool {
        self.volatile || self.atomic
    }
}

/// Binary operators on integers of equal width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "LLVM's names")]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// Integer comparison; the result is an `i1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "LLVM's names")]
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// Conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CastKind {
    /// Drops high bits.
    Trunc,
    /// Fills with zero bits.
    ZExt,
    /// Fills with the sign bit.
    SExt,
    /// Address as an integer (truncated or zero-extended to the result).
    PtrToInt,
    /// Integer as an address.
    IntToPtr,
    /// Same bits, other type.
    Bitcast,
}

/// The atomic read-modify-write operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "LLVM's names")]
pub enum AtomicRmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
}

/// The struct field that an address computation selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FieldRef {
    /// IR struct name without `struct.`.
    pub struct_name: String,
    /// Byte offset of the member within the struct.
    pub offset: u64,
    /// Bytes from the member's beginning to the address, as far as they are constant: elements of an array.
    pub within: i64,
}

impl FieldRef {
    /// Bytes from the start of the struct to the address, as far as indices are constant.
    pub fn beyond_start(&self) -> i64 {
        (self.offset as i64).wrapping_add(self.within)
    }
}

/// Who is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Callee {
    /// A known function.
    Direct(FuncId),
    /// Through a pointer.
    Indirect(Operand),
}

/// What an instruction does.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(
    missing_docs,
    reason = "operands are named after their part, and each variant says what it does with them"
)]
pub enum Op {
    /// Value by the predecessor that control came from.
    Phi(Vec<(BlockId, Operand)>),
    /// Integer arithmetic. Division by zero is undefined: the path ends (unknown). Shifts beyond the width give an arbitrary value.
    Bin {
        op: BinOp,
        lhs: Operand,
        rhs: Operand,
    },
    /// Integer or pointer comparison.
    Icmp {
        pred: IntPredicate,
        lhs: Operand,
        rhs: Operand,
    },
    /// Conversion.
    Cast {
        kind: CastKind,
        value: Operand,
        from: Type,
        to: Type,
    },
    /// `cond ? if_true : if_false`; `cond` is `i1`.
    Select {
        cond: Operand,
        if_true: Operand,
        if_false: Operand,
    },
    /// `base + offset + Σ index·scale` (indices sign-extended or truncated to pointer width), in bytes.
    Gep {
        base: Operand,
        offset: i64,
        scaled: Vec<(Operand, i64)>,
        field: Option<FieldRef>,
    },
    /// An index (unsigned) is below `count`, as far as an array is declared: executions in which it is not end here.
    Bounds { index: Operand, count: u64 },
    /// A stack object of `count × element_bytes` bytes. Escaping ones outlive their frame: a thread that RAISE ends leaves its frames to the others.
    /// `of`: the IR name of the struct that it is, or is an array of.
    Alloca {
        element_bytes: u64,
        count: Operand,
        of: Option<String>,
    },
    /// Reads a scalar.
    Load {
        ptr: Operand,
        ty: Type,
        mode: AccessMode,
    },
    /// Writes a scalar.
    Store {
        ptr: Operand,
        value: Operand,
        ty: Type,
        mode: AccessMode,
    },
    /// Atomic read-modify-write; the result is the old value.
    AtomicRmw {
        op: AtomicRmwOp,
        ptr: Operand,
        value: Operand,
        ty: Type,
    },
    /// Compare-and-exchange; the result is the tuple (old value, `i1` success). It fails only where the value is another one: weak ones that may fail
    /// by themselves are made of this (frontend/close/weak_exchanges.rs).
    CmpXchg {
        ptr: Operand,
        expected: Operand,
        new: Operand,
        ty: Type,
    },
    /// Copies `len` bytes; memcpy and memmove alike (overlap is well defined).
    MemCopy {
        dst: Operand,
        src: Operand,
        len: Operand,
        volatile: bool,
    },
    /// Fills `len` bytes with the `i8` `byte`.
    MemSet {
        dst: Operand,
        byte: Operand,
        len: Operand,
        volatile: bool,
    },
    /// A call of a function that is no primitive.
    Call {
        callee: Callee,
        args: Vec<Operand>,
        ret: Type,
    },
    /// A call of a primitive.
    Primitive {
        primitive: Primitive,
        args: Vec<Operand>,
    },
    /// Element `index` of a tuple.
    Extract { tuple: Operand, index: u32 },
    /// The tuple with element `index` replaced.
    Insert {
        tuple: Operand,
        index: u32,
        value: Operand,
    },
    /// Number of one bits.
    CountOnes { value: Operand, bits: u32 },
    /// Leading zeros (`bits` for 0).
    LeadingZeros { value: Operand, bits: u32 },
    /// Trailing zeros (`bits` for 0).
    TrailingZeros { value: Operand, bits: u32 },
    /// Byte order reversed.
    ByteSwap { value: Operand, bits: u32 },
    /// `(high:low) << (amount mod bits)`, high half (`left`), or `>>`, low half.
    FunnelShift {
        high: Operand,
        low: Operand,
        amount: Operand,
        bits: u32,
        left: bool,
    },
    /// Tuple (wrapped result, `i1` overflow) of Add, Sub or Mul.
    WithOverflow {
        op: BinOp,
        signed: bool,
        lhs: Operand,
        rhs: Operand,
        bits: u32,
    },
    /// Floating-point arithmetic: of one operand or two, all of the format.
    Float {
        op: FloatOp,
        format: FloatFormat,
        args: Vec<Operand>,
    },
    /// Comparison of floating-point numbers; the result is an `i1`.
    FloatCompare {
        order: FloatOrder,
        format: FloatFormat,
        lhs: Operand,
        rhs: Operand,
    },
    /// Conversion from or to a floating-point number. An integer is what is next to it towards zero; where it has not so many bits,
    /// the least signed one (what x86 gives).
    FloatConvert {
        value: Operand,
        from: Number,
        to: Number,
    },
    /// Not expressible; the text says what. Whoever reaches it answers `unknown`.
    Unsupported(String),
}

/// What ends a block.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(
    missing_docs,
    reason = "operands are named after their part, and each variant says what it does with them"
)]
pub enum Terminator {
    /// Unconditional branch.
    Jump(BlockId),
    /// Branch on an `i1`.
    Branch {
        cond: Operand,
        if_true: BlockId,
        if_false: BlockId,
    },
    /// Branch on an integer.
    Switch {
        value: Operand,
        bits: u32,
        cases: Vec<(u128, BlockId)>,
        default: BlockId,
    },
    /// Return.
    Return(Option<Operand>),
    /// Control cannot get here.
    Unreachable,
    /// Not expressible.
    Unsupported(String),
}

impl Terminator {
    /// The successor blocks, in order, with repetitions.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Jump(b) => vec![*b],
            Terminator::Branch {
                if_true, if_false, ..
            } => vec![*if_true, *if_false],
            Terminator::Switch { cases, default, .. } => cases
                .iter()
                .map(|(_, b)| *b)
                .chain(std::iter::once(*default))
                .collect(),
            Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported(_) => {
                Vec::new()
            }
        }
    }
}
