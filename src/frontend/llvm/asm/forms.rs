//! What machine instructions mean: the data table.
//!
//! The forms are those of the Linux kernel's inline assembly on x86 (bit
//! operations, atomics, I/O, barriers, user access). A form that is not here is
//! unsupported, never guessed.

/// The effect of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Orders or delays things: nothing under sequential consistency. Operands, if any, are not written.
    Nothing,
    /// `op src, dst`, `op dst`: `dst` is memory or a register.
    Arithmetic(Arithmetic),
    /// `bt src, dst`: the carry flag is bit `src` of `dst`, which then is set, cleared, inverted or kept.
    Bit(BitOp),
    /// `xchg reg, mem`: always atomic.
    Exchange,
    /// `cmpxchg new, mem` with the expected value in ax.
    CompareExchange,
    /// `xadd reg, mem`.
    ExchangeAdd,
    /// `mov src, dst`.
    Move,
    /// `test src, dst`: flags of `src & dst`.
    Test,
    /// Reads a port: an arbitrary value.
    PortIn,
    /// Writes a port: no effect that the program sees.
    PortOut,
    /// `rep ins`: arbitrary bytes to memory at di, cx elements.
    PortInString(u32),
    /// `rep outs`: reads memory at si.
    PortOutString(u32),
    /// `rep stos`: fills memory at di with ax.
    StoreString(u32),
    /// `rep movs`: copies from si to di.
    MoveString(u32),
    /// Number of the lowest set bit.
    ScanForward,
    /// Number of the highest set bit.
    ScanReverse,
    /// Number of set bits.
    CountOnes,
    /// Bytes reversed.
    SwapBytes,
    /// BUG (stops) or WARN (goes on), by the first operand.
    Trap,
    /// Time stamp, flags register, control register, CPU identification: outputs are arbitrary.
    ArbitraryOutputs,
    /// A call, by the symbol's name.
    Call,
    /// The address of the instruction itself.
    OwnAddress,
}

/// Arithmetic on a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the mnemonics")]
pub enum Arithmetic {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Inc,
    Dec,
}

/// What happens to a tested bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BitOp {
    Keep,
    Set,
    Clear,
    Invert,
}

/// Mnemonics that take a size suffix, and what they do.
pub const SIZED: &[(&str, Form)] = &[
    ("add", Form::Arithmetic(Arithmetic::Add)),
    ("sub", Form::Arithmetic(Arithmetic::Sub)),
    ("and", Form::Arithmetic(Arithmetic::And)),
    ("or", Form::Arithmetic(Arithmetic::Or)),
    ("xor", Form::Arithmetic(Arithmetic::Xor)),
    ("inc", Form::Arithmetic(Arithmetic::Inc)),
    ("dec", Form::Arithmetic(Arithmetic::Dec)),
    ("bts", Form::Bit(BitOp::Set)),
    ("btr", Form::Bit(BitOp::Clear)),
    ("btc", Form::Bit(BitOp::Invert)),
    ("bt", Form::Bit(BitOp::Keep)),
    ("xadd", Form::ExchangeAdd),
    ("xchg", Form::Exchange),
    ("cmpxchg", Form::CompareExchange),
    ("mov", Form::Move),
    ("test", Form::Test),
    ("in", Form::PortIn),
    ("out", Form::PortOut),
    ("bsf", Form::ScanForward),
    ("tzcnt", Form::ScanForward),
    ("bsr", Form::ScanReverse),
    ("popcnt", Form::CountOnes),
    ("bswap", Form::SwapBytes),
];

/// Mnemonics without one.
pub const PLAIN: &[(&str, Form)] = &[
    ("mfence", Form::Nothing),
    ("sfence", Form::Nothing),
    ("lfence", Form::Nothing),
    ("nop", Form::Nothing),
    ("pause", Form::Nothing),
    // Interrupt state of this CPU alone excludes no other CPU.
    ("cli", Form::Nothing),
    ("sti", Form::Nothing),
    ("pushf", Form::Nothing),
    ("popf", Form::Nothing),
    ("push", Form::Nothing),
    ("hlt", Form::Nothing),
    ("wbinvd", Form::Nothing),
    ("stac", Form::Nothing),
    ("clac", Form::Nothing),
    ("clflush", Form::Nothing),
    ("clflushopt", Form::Nothing),
    ("prefetcht0", Form::Nothing),
    ("prefetchw", Form::Nothing),
    ("prefetchnta", Form::Nothing),
    ("ud2", Form::Trap),
    ("rdtsc", Form::ArbitraryOutputs),
    ("rdtscp", Form::ArbitraryOutputs),
    ("cpuid", Form::ArbitraryOutputs),
    ("rdmsr", Form::ArbitraryOutputs),
    ("rdrand", Form::ArbitraryOutputs),
    ("rdseed", Form::ArbitraryOutputs),
    ("insb", Form::PortInString(1)),
    ("insw", Form::PortInString(2)),
    ("insl", Form::PortInString(4)),
    ("outsb", Form::PortOutString(1)),
    ("outsw", Form::PortOutString(2)),
    ("outsl", Form::PortOutString(4)),
    ("stosb", Form::StoreString(1)),
    ("stosw", Form::StoreString(2)),
    ("stosl", Form::StoreString(4)),
    ("stosq", Form::StoreString(8)),
    ("movsb", Form::MoveString(1)),
    ("movsw", Form::MoveString(2)),
    ("movsl", Form::MoveString(4)),
    ("movsq", Form::MoveString(8)),
    ("call", Form::Call),
    ("lea", Form::OwnAddress),
];

/// Functions that assembly calls and that do nothing here: they only let another thread run.
pub const SCHEDULING_CALLS: &[&str] = &[
    "preempt_schedule_thunk",
    "preempt_schedule_notrace_thunk",
    "preempt_schedule",
    "preempt_schedule_notrace",
    "__SCT__preempt_schedule",
    "__SCT__preempt_schedule_notrace",
    "__SCT__cond_resched",
    "__SCT__might_resched",
    "__static_call_return0",
];
