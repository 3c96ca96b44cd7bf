//! Inline assembly of other architectures than x86: whole statements, as a few drivers for s390, powerpc and m68k have them.

use llvm_sys::LLVMAtomicRMWBinOp as Rmw;

use super::statement::{Home, Statement};
use crate::frontend::llvm::raw::{Ty, Val};

const EFAULT: u64 = 14;

/// What a statement does.
#[derive(Clone, Copy)]
enum Effect {
    /// Orders, delays, interrupt state of this CPU: nothing that another thread sees. Outputs are arbitrary.
    Nothing,
    /// A marked load of its memory operand.
    Load,
    /// A marked load of its memory operand, which is a device's: what it answers is arbitrary.
    DeviceLoad,
    /// A marked store to its memory operand.
    Store,
    /// The number of zero bits above the highest one.
    LeadingZeros,
    /// Adds its input to memory, atomically, and answers what was there.
    FetchAdd,
    /// BUG or WARN: the last but one of the numbers in its operands are the flags.
    Trap,
    /// Copies to memory of the user: from the operand of that number, as many bytes as that operand says.
    ToUser(usize, usize),
    /// Copies from memory of the user: to the operand of that number, as many bytes as that operand says.
    FromUser(usize, usize),
    /// One value to or from memory of the user, with a register or memory on the other side: output 0 is the error.
    User,
    /// m68k's copies of a few bytes: to `$1`, from `$2`, by way of `$3`; output 0 is what was not copied.
    FewToUser,
    FewFromUser,
    /// The thread's `struct thread_info`, found from its stack pointer.
    ThreadInfo,
}

/// Architecture as the triple begins, how the text begins (white space as one space), effect.
const STATEMENTS: &[(&str, &str, Effect)] = &[
    // arch/m68k/include/asm/delay.h: a loop, and the number of its turns.
    ("m68k", "1: subql #1,$0 jcc 1b", Effect::Nothing),
    ("m68k", "mulul $2,$0:$1", Effect::Nothing),
    // arch/m68k/include/asm/irqflags.h
    ("m68k", "oriw #0x0700,%sr", Effect::Nothing),
    ("m68k", "andiw $0,%sr", Effect::Nothing),
    ("m68k", "movew $0,%sr", Effect::Nothing),
    ("m68k", "movew %sr,$0", Effect::Nothing),
    // arch/m68k/include/asm/thread_info.h: current_thread_info
    ("m68k", "move.l %sp, $0 and.l $1, $0", Effect::ThreadInfo),
    // arch/m68k/include/asm/uaccess.h: __put_user_asm, __get_user_asm, __constant_copy_to_user_asm and its like. Without
    // address spaces (ColdFire) they are plain moves, with the same operands.
    ("m68k", "1: moves.", Effect::User),
    ("m68k", "move.l ($2)+,$3 11: moves.", Effect::FewToUser),
    ("m68k", "move.w ($2)+,$3 11: moves.", Effect::FewToUser),
    ("m68k", "move.b ($2)+,$3 11: moves.", Effect::FewToUser),
    ("m68k", "1: moves.l ($2)+,$3 move.", Effect::FewFromUser),
    ("m68k", "1: moves.w ($2)+,$3 move.", Effect::FewFromUser),
    ("m68k", "1: moves.b ($2)+,$3 move.", Effect::FewFromUser),
    // arch/powerpc/include/asm/barrier.h, atomic.h
    ("powerpc", "sync", Effect::Nothing),
    ("powerpc", "lwsync", Effect::Nothing),
    ("powerpc", "eieio", Effect::Nothing),
    ("powerpc", "isync", Effect::Nothing),
    ("powerpc", "lwz${1:U}${1:X} $0,$1", Effect::Load),
    ("powerpc", "ld${1:U}${1:X} $0,$1", Effect::Load),
    // arch/powerpc/include/asm/io.h: DEF_MMIO_IN_D and its like
    (
        "powerpc",
        "sync;lbz${1:U}${1:X} $0,$1;twi",
        Effect::DeviceLoad,
    ),
    (
        "powerpc",
        "sync;lhz${1:U}${1:X} $0,$1;twi",
        Effect::DeviceLoad,
    ),
    (
        "powerpc",
        "sync;lwz${1:U}${1:X} $0,$1;twi",
        Effect::DeviceLoad,
    ),
    (
        "powerpc",
        "sync;ld${1:U}${1:X} $0,$1;twi",
        Effect::DeviceLoad,
    ),
    ("powerpc", "sync;stb${0:U}${0:X} $1,$0", Effect::Store),
    ("powerpc", "sync;sth${0:U}${0:X} $1,$0", Effect::Store),
    ("powerpc", "sync;stw${0:U}${0:X} $1,$0", Effect::Store),
    ("powerpc", "sync;std${0:U}${0:X} $1,$0", Effect::Store),
    // arch/powerpc/include/asm/bitops.h: by clang, of __builtin_clzl
    ("powerpc", "cntlzd $0,$1", Effect::LeadingZeros),
    ("powerpc", "cntlzw $0,$1", Effect::LeadingZeros),
    // arch/powerpc/include/asm/bug.h
    ("powerpc", "1: twi 31, 0, 0", Effect::Trap),
    // arch/s390/include/asm/atomic_ops.h, bug.h
    ("s390x", "laa $0,$2,$1", Effect::FetchAdd),
    ("s390x", "laag $0,$2,$1", Effect::FetchAdd),
    ("s390x", "bcr 14,0", Effect::Nothing),
    ("s390x", "0: mc 0,0", Effect::Trap),
    // arch/s390/include/asm/uaccess.h: __put_user_asm, __get_user_asm
    ("s390x", "lr 0,$4 0: mvcos $1,$3,$2", Effect::ToUser(3, 2)),
    (
        "s390x",
        "lr 0,$4 0: mvcos 0($5),$3,$2",
        Effect::FromUser(1, 2),
    ),
];

impl<'m> Statement<'_, 'm> {
    /// Builds the effect; `None` if the statement is not in the table.
    pub(super) fn foreign(&mut self, triple: &str, text: &str) -> Option<()> {
        let text: Vec<&str> = text.split_whitespace().collect();
        let text = text.join(" ");
        // The longest: `1: moves.l ($2)+,$3 move.` before `1: moves.`.
        let (.., effect) = STATEMENTS
            .iter()
            .filter(|(arch, start, _)| triple.starts_with(arch) && text.starts_with(start))
            .max_by_key(|(_, start, _)| start.len())?;
        let b = self.b;
        match effect {
            Effect::Nothing => self.arbitrary_outputs(),
            Effect::Load => {
                let (address, ty) = self.memory()?;
                self.outputs[0] = Some(b.load(ty, address, true));
            }
            Effect::DeviceLoad => {
                let (address, ty) = self.memory()?;
                b.load(ty, address, true);
                self.arbitrary_outputs();
            }
            Effect::Store => {
                let (address, ty) = self.memory()?;
                b.store(b.convert(self.input()?, ty, false)?, address, true);
            }
            Effect::LeadingZeros => {
                let value = self.input()?;
                let name = format!("llvm.ctlz.i{}", value.ty().int_bits());
                let zeros = b.call(&name, value.ty(), &[value, b.int(1, 0)]);
                self.outputs[0] = Some(b.convert(zeros, *self.types.first()?, false)?);
            }
            Effect::FetchAdd => {
                let (address, ty) = self.memory()?;
                let added = b.convert(self.input()?, ty, true)?;
                self.outputs[0] = Some(b.atomic(Rmw::LLVMAtomicRMWBinOpAdd, address, added));
            }
            Effect::Trap => self.bug()?,
            Effect::ToUser(from, size) | Effect::FromUser(from, size) => {
                let (memory, bytes) = match (self.homes.get(*from)?, self.homes.get(*size)?) {
                    (Home::Memory(memory, _), Home::Register(Some(bytes), None)) => {
                        (*memory, *bytes)
                    }
                    _ => return None,
                };
                self.user_copy(memory, bytes, matches!(effect, Effect::ToUser(..)))?;
                self.fails(b.int(64, EFAULT.wrapping_neg()))?;
            }
            Effect::User => {
                self.arbitrary_outputs();
                self.fails(b.int(64, EFAULT.wrapping_neg()))?;
            }
            Effect::FewToUser | Effect::FewFromUser => {
                self.few(&text, matches!(effect, Effect::FewToUser))?;
            }
            Effect::ThreadInfo => {
                let info = b.call("__irkiss_thread_info", b.ptr_type(), &[]);
                self.outputs[0] = Some(b.convert(info, *self.types.first()?, false)?);
            }
        }
        Some(())
    }

    /// BUG, or a warning.
    fn bug(&self) -> Option<()> {
        let b = self.b;
        let numbers: Vec<u128> = self
            .homes
            .iter()
            .filter_map(|h| match h {
                Home::Register(Some(value), None) => Some(value.int_value().unwrap_or(0)),
                _ => None,
            })
            .collect();
        // include/asm-generic/bug.h: BUGFLAG_WARNING is bit 0.
        let flags = numbers.len().checked_sub(2).map(|n| numbers[n])?;
        if flags & 1 == 0 {
            let what = b.text("BUG");
            b.call("__irkiss_bug", b.void_type(), &[what]);
        }
        Some(())
    }

    /// Copies a few bytes to or from memory of the user.
    fn few(&mut self, text: &str, to_user: bool) -> Option<()> {
        let b = self.b;
        // Each size stands behind one `moves`; that of the third is empty where there are two.
        let bytes = text
            .split("moves.")
            .skip(1)
            .map(|rest| match rest.as_bytes().first() {
                Some(b'b') => 1,
                Some(b'w') => 2,
                Some(b'l') => 4,
                _ => 0,
            })
            .sum();
        let Home::Register(Some(memory), _) = *self.homes.get(if to_user { 2 } else { 1 })? else {
            return None;
        };
        self.arbitrary_outputs();
        self.user_copy(memory, b.int(32, bytes), to_user)?;
        self.fails(b.int(64, bytes))?;
        Some(())
    }

    /// Memory of the kernel that is read, or gets arbitrary content.
    fn user_copy(&self, memory: Val<'m>, bytes: Val<'m>, to_user: bool) -> Option<()> {
        let b = self.b;
        let memory = b.convert(memory, b.ptr_type(), false)?;
        let bytes = b.convert(bytes, b.int_type(64), false)?;
        let name = match to_user {
            true => "__irkiss_touch",
            false => "__irkiss_havoc",
        };
        b.call(name, b.void_type(), &[memory, bytes]);
        Some(())
    }

    /// Output 0 is 0 or, if the memory is not there, `failure`.
    fn fails(&mut self, failure: Val<'m>) -> Option<()> {
        let b = self.b;
        let failed = b.call("__irkiss_nondet_bool", b.int_type(1), &[]);
        let failed = b.convert(failed, b.int_type(1), false)?;
        let code = b.select(failed, failure, b.int(64, 0));
        self.outputs[0] = Some(b.convert(code, *self.types.first()?, true)?);
        Some(())
    }

    /// The first operand that is read from a register.
    fn input(&self) -> Option<Val<'m>> {
        self.homes.iter().find_map(|h| match h {
            Home::Register(Some(value), None) => Some(*value),
            _ => None,
        })
    }

    /// The first operand in memory.
    fn memory(&self) -> Option<(Val<'m>, Ty<'m>)> {
        self.homes.iter().find_map(|h| match h {
            Home::Memory(address, Some(ty)) => Some((*address, *ty)),
            _ => None,
        })
    }
}
