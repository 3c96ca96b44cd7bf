//! Inline assembly of other architectures than x86: whole statements, as a few drivers for s390, powerpc and m68k have them.

use llvm_sys::LLVMAtomicRMWBinOp as Rmw;

use super::statement::{Home, Statement};
use crate::frontend::llvm::raw::{Ty, Val};

/// What a statement does.
#[derive(Clone, Copy)]
enum Effect {
    /// Orders, delays, interrupt state of this CPU: nothing that another thread sees. Outputs are arbitrary.
    Nothing,
    /// A marked load of its memory operand.
    Load,
    /// Adds its input to memory, atomically, and answers what was there.
    FetchAdd,
    /// BUG.
    Bug,
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
    // arch/powerpc/include/asm/barrier.h, atomic.h
    ("powerpc", "sync", Effect::Nothing),
    ("powerpc", "lwsync", Effect::Nothing),
    ("powerpc", "eieio", Effect::Nothing),
    ("powerpc", "isync", Effect::Nothing),
    ("powerpc", "lwz${1:U}${1:X} $0,$1", Effect::Load),
    ("powerpc", "ld${1:U}${1:X} $0,$1", Effect::Load),
    // arch/s390/include/asm/atomic_ops.h, bug.h
    ("s390x", "laa $0,$2,$1", Effect::FetchAdd),
    ("s390x", "laag $0,$2,$1", Effect::FetchAdd),
    ("s390x", "bcr 14,0", Effect::Nothing),
    ("s390x", "0: mc 0,0", Effect::Bug),
];

impl Statement<'_, '_> {
    /// Builds the effect; `None` if the statement is not in the table.
    pub(super) fn foreign(&mut self, triple: &str, text: &str) -> Option<()> {
        let text: Vec<&str> = text.split_whitespace().collect();
        let text = text.join(" ");
        let (.., effect) = STATEMENTS
            .iter()
            .find(|(arch, start, _)| triple.starts_with(arch) && text.starts_with(start))?;
        let b = self.b;
        match effect {
            Effect::Nothing => self.arbitrary_outputs(),
            Effect::Load => {
                let (address, ty) = self.memory()?;
                self.outputs[0] = Some(b.load(ty, address, true));
            }
            Effect::FetchAdd => {
                let (address, ty) = self.memory()?;
                let added = self.homes.iter().find_map(|h| match h {
                    Home::Register(Some(value), None) => Some(*value),
                    _ => None,
                })?;
                let added = b.convert(added, ty, true)?;
                self.outputs[0] = Some(b.atomic(Rmw::LLVMAtomicRMWBinOpAdd, address, added));
            }
            Effect::Bug => {
                let what = b.text("BUG");
                b.call("__irkiss_bug", b.void_type(), &[what]);
            }
        }
        Some(())
    }
}

impl<'m> Statement<'_, 'm> {
    /// The first operand in memory.
    fn memory(&self) -> Option<(Val<'m>, Ty<'m>)> {
        self.homes.iter().find_map(|h| match h {
            Home::Memory(address, Some(ty)) => Some((*address, *ty)),
            _ => None,
        })
    }
}
