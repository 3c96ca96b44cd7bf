//! Effects that leave the program: ports and counters, traps, user memory, per-CPU memory.

use super::forms::{Arithmetic, Form, SCHEDULING_CALLS};
use super::statement::{Flags, Home, Statement};
use super::text::{Machine, Place};

impl<'m> Statement<'_, 'm> {
    /// Each register output gets an arbitrary value: an input of the run.
    pub(super) fn arbitrary_outputs(&mut self) {
        for n in 0..self.outputs.len() {
            let (b, ty) = (self.b, self.types[n]);
            let value = match ty.int_bits() {
                1..=64 => b.nondet(ty.int_bits()),
                _ => b
                    .convert(b.nondet(64), ty, false)
                    .unwrap_or_else(|| b.arbitrary(ty)),
            };
            self.outputs[n] = Some(value);
        }
    }

    /// BUG ends the thread, WARN goes on: told apart by bit 0 of the flags word, which is the first operand
    /// (include/asm-generic/bug.h: BUGFLAG_WARNING), or by the annotation that control comes back.
    pub(super) fn trap(&mut self, text: &str) {
        let b = self.b;
        let warns = text.contains(".discard.reachable")
            || self.first_immediate().is_some_and(|flags| flags & 1 == 1);
        if !warns {
            let what = b.text("BUG");
            b.call("__irkiss_bug", b.void_type(), &[what]);
        }
    }

    pub(super) fn first_immediate(&self) -> Option<u128> {
        self.constraints
            .iter()
            .zip(&self.homes)
            .find_map(|(c, h)| match h {
                Home::Register(Some(v), None) if c.code == "i" => v.int_value(),
                _ => None,
            })
    }

    /// `call __get_user_4` and `__put_user_4`: may fault (-EFAULT); what is read is arbitrary. Calls that only let others run
    /// do nothing.
    pub(super) fn user_access(&mut self, machine: &Machine) -> Option<()> {
        let name = match machine.places.as_slice() {
            [Place::Other(name)] => name.as_str(),
            _ => return None,
        };
        if machine.mnemonic != "call" {
            return None;
        }
        if SCHEDULING_CALLS.contains(&name) {
            return Some(());
        }
        // The number of set bits, where the processor cannot count them (arch/x86/lib/hweight.S).
        if let Some(bits) = name.strip_prefix("__sw_hweight") {
            let ty = self.b.int_type(bits.parse().ok()?);
            let word = self.b.convert(self.input_in("{di}")?, ty, false)?;
            let count = self.b.call(&format!("llvm.ctpop.i{bits}"), ty, &[word]);
            let output = self.in_register("{ax}")?;
            self.outputs[output] = Some(self.b.convert(count, self.types[output], false)?);
            return Some(());
        }
        let error_register = if name.starts_with("__get_user_") {
            "{ax}"
        } else if name.starts_with("__put_user_") {
            "{cx}"
        } else {
            return None;
        };
        const EFAULT: u64 = 14;
        let b = self.b;
        let error = self.in_register(error_register)?;
        let ty = self.types[error];
        let failed = b.call("__irkiss_nondet_bool", b.int_type(1), &[]);
        let failed = b.convert(failed, b.int_type(1), false)?;
        let code = b.select(failed, b.int(64, EFAULT.wrapping_neg()), b.int(64, 0));
        // The kernel has the error in the register of the pointer, whose type the output may bear.
        self.outputs[error] = Some(b.convert(code, ty, true)?);
        if let Some(value) = self
            .in_register("{rdx}")
            .or_else(|| self.in_register("{edx}"))
            && self.outputs[value].is_none()
        {
            self.outputs[value] = Some(b.convert(b.nondet(64), self.types[value], false)?);
        }
        Some(())
    }

    /// `pushf; pop`: the flags register, of which the interrupt flag is known. `followed`: models know where it is off.
    pub(super) fn flags_word(&mut self, pop: &Machine, followed: bool) -> Option<()> {
        const INTERRUPTS: u64 = 0x200;
        let b = self.b;
        let width = self.width(None, pop)?;
        let ty = b.int_type(width);
        let flags = match followed {
            true => b.call("__irkiss_irq_flags", ty, &[]),
            false => b.int(width, INTERRUPTS),
        };
        match self.home(pop.places.first()?)? {
            Home::Memory(address, _) => {
                b.store(flags, address, false);
                Some(())
            }
            Home::Register(..) => self.set(pop.places.first()?, flags),
        }
    }

    /// Interrupts of this processor.
    pub(super) fn interrupts(&mut self, enable: bool) {
        let name = match enable {
            true => "__irkiss_irq_enable",
            false => "__irkiss_irq_disable",
        };
        self.b.call(name, self.b.void_type(), &[]);
    }

    /// `rep stos` on memory of the user (arch/x86/lib/usercopy_64.c: __clear_user): what was not cleared is left in cx.
    pub(super) fn clear_user(&mut self) {
        self.arbitrary_outputs();
    }

    /// The address of the thread's own instance (model `__irkiss_this_cpu`).
    fn per_cpu(&mut self, machine: &Machine) -> Option<()> {
        let [Place::Segment(offset), register] = machine.places.as_slice() else {
            return None;
        };
        match self.homes.get(*offset)? {
            Home::Memory(address, _) if address.name() == "this_cpu_off" => {}
            _ => return None,
        }
        let b = self.b;
        let Home::Register(Some(base), Some(output)) = self.home(register)? else {
            return None;
        };
        let base = b.convert(base, b.ptr_type(), false)?;
        let own = b.call("__irkiss_this_cpu", b.ptr_type(), &[base]);
        self.outputs[output] = Some(b.convert(own, self.types[output], false)?);
        Some(())
    }

    /// Whether the current task is read, which is the thread's own and always the same (arch/x86/include/asm/current.h:
    /// `current_task`, since 6.2 the first member of `pcpu_hot`).
    fn reads_current(&self, machine: &Machine) -> bool {
        const CURRENT: [&str; 3] = ["current_task", "pcpu_hot", "const_pcpu_hot"];
        let Some(Place::Segment(n)) = machine.places.first() else {
            return false;
        };
        match self.homes.get(*n) {
            Some(Home::Register(Some(address), None) | Home::Memory(address, _)) => {
                CURRENT.contains(&address.name().as_str())
            }
            _ => false,
        }
    }

    /// Per-CPU memory: no thread sees another's. What is read is arbitrary, what is written is forgotten.
    pub(super) fn segment(&mut self, machine: &Machine, form: Form) -> Option<()> {
        let writes_register = machine
            .places
            .last()
            .and_then(|p| self.home(p))
            .is_some_and(|h| matches!(h, Home::Register(..)));
        match form {
            Form::Move if writes_register && self.reads_current(machine) => {
                let b = self.b;
                let task = b.call("__irkiss_current", b.ptr_type(), &[]);
                self.set(machine.places.last()?, task)?;
            }
            Form::Move if writes_register => self.arbitrary_outputs(),
            Form::Move => {}
            // `add %gs:this_cpu_off, reg` makes a per-CPU address.
            Form::Arithmetic(Arithmetic::Add) if writes_register => return self.per_cpu(machine),
            Form::Arithmetic(_) if writes_register => return None,
            Form::Arithmetic(_) => {
                // A flag asked for says what nobody here knows (does the scheduler want this CPU).
                self.flags = Some(Flags {
                    result: None,
                    zero: Some(self.b.nondet(1)),
                    carry: Some(self.b.nondet(1)),
                });
            }
            _ => return None,
        }
        Some(())
    }
}
