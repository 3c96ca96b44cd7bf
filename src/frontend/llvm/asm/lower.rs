//! Building the effect of inline assembly.

use llvm_sys::LLVMAtomicRMWBinOp as Rmw;
use llvm_sys::LLVMIntPredicate as P;

use super::forms::{Arithmetic, BitOp, Form, PLAIN, SIZED};
use super::statement::{Flags, Home, Statement};
use super::text::{Machine, Place, constraints, instructions, sized};
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{LLVMOpcode, Val};

/// Builds the effect of `call` before it. `Some(result)`: the value of the call, if it has one. `None`: an unknown form;
/// what has been built until then is harmless, since the caller ends the path there.
pub(super) fn lower<'m>(
    b: &Builder<'m>,
    call: Val<'m>,
    text: &str,
    constraint_text: &str,
    target: &super::Machine<'_>,
) -> Option<Option<Val<'m>>> {
    let machines = instructions(text);
    let constraints = constraints(constraint_text)?;
    let mut statement = Statement::new(b, call, constraints)?;
    statement.atomic = target.kernel.one_processor;
    let x86 = ["x86_64", "i386", "i486", "i586", "i686"]
        .iter()
        .any(|a| target.triple.starts_with(a));
    if !machines.is_empty() && !x86 {
        statement.foreign(target.triple, text)?;
        return statement.result(call);
    }
    // Look before building: a statement is understood as a whole or not at all.
    let forms: Vec<(Form, Option<u32>)> = machines.iter().map(form).collect::<Option<_>>()?;
    match (machines.as_slice(), forms.as_slice()) {
        ([compare, subtract], _) if is_mask(compare, subtract) => statement.mask(compare)?,
        ([push, pop], _) if push.mnemonic == "pushf" && pop.mnemonic == "pop" => {
            statement.flags_word(pop, target.kernel.follows_interrupts())?;
        }
        ([one], _)
            if target.kernel.follows_interrupts()
                && matches!(one.mnemonic.as_str(), "cli" | "sti") =>
        {
            statement.interrupts(one.mnemonic == "sti");
        }
        _ => {
            for (machine, (form, bits)) in machines.iter().zip(forms) {
                statement.one(machine, form, bits, text)?;
            }
        }
    }
    statement.result(call)
}

/// `cmp a, b; sbb r, r`: all ones if b < a, else zero (array_index_mask_nospec).
fn is_mask(compare: &Machine, subtract: &Machine) -> bool {
    let same = matches!(subtract.places.as_slice(), [a, b] if a == b);
    compare.mnemonic.starts_with("cmp") && subtract.mnemonic.starts_with("sbb") && same
}

fn form(machine: &Machine) -> Option<(Form, Option<u32>)> {
    let name = machine.mnemonic.as_str();
    if let Some((_, form)) = PLAIN.iter().find(|(n, _)| *n == name) {
        return Some((*form, None));
    }
    if name.starts_with("cmp") && !name.starts_with("cmpxchg")
        || name.starts_with("sbb")
        || name == "pop"
    {
        // Only as one of a pair (`is_mask`, `flags_word`); `one` refuses them.
        return Some((Form::Call, None));
    }
    let stems: Vec<&str> = SIZED.iter().map(|(n, _)| *n).collect();
    let (n, bits) = sized(name, &stems)?;
    Some((SIZED[n].1, bits))
}

impl<'m> Statement<'_, 'm> {
    fn one(&mut self, machine: &Machine, form: Form, bits: Option<u32>, text: &str) -> Option<()> {
        let locked = self.atomic || machine.prefixes.iter().any(|p| p == "lock");
        let (first, last) = (machine.places.first(), machine.places.last());
        let b = self.b;
        if machine
            .places
            .iter()
            .any(|p| matches!(p, Place::Segment(_)))
        {
            return self.segment(machine, form);
        }
        match form {
            Form::Nothing => {}
            Form::Arithmetic(op) => self.arithmetic(machine, op, bits, locked)?,
            Form::Bit(op) => self.bit(machine, op, bits, locked)?,
            Form::Exchange | Form::ExchangeAdd => self.exchange(machine, form, bits, locked)?,
            Form::CompareExchange => self.compare_exchange(machine, bits)?,
            Form::Move => self.mov(machine, bits)?,
            Form::Test => {
                let ty = b.int_type(self.width(bits, machine)?);
                let (x, y) = (self.value(first?, ty)?, self.value(last?, ty)?);
                self.flags = Some(Flags {
                    result: Some(b.binary(LLVMOpcode::LLVMAnd, x, y)),
                    zero: None,
                    carry: None,
                });
            }
            Form::PortIn | Form::ArbitraryOutputs => self.arbitrary_outputs(),
            Form::PortOut => {}
            Form::PortInString(size) | Form::PortOutString(size) => {
                self.port_string(size, matches!(form, Form::PortOutString(_)))?;
            }
            Form::StoreString(_)
                if text.contains("clear_user") || text.contains("rep_stos_alternative") =>
            {
                self.clear_user();
            }
            Form::StoreString(size) => self.store_string(size)?,
            Form::MoveString(size) => {
                let (to, from) = (self.string_pointer("{di}")?, self.string_pointer("{si}")?);
                let bytes = self.string_bytes(size)?;
                b.memcpy(to, from, bytes);
                self.arbitrary_outputs();
            }
            Form::ScanForward | Form::ScanReverse | Form::CountOnes | Form::SwapBytes => {
                self.count(machine, form, bits)?;
            }
            Form::Trap => self.trap(text),
            Form::Call => self.user_access(machine)?,
            Form::OwnAddress => {
                let rip = matches!(first?, Place::Other(t) if t.contains("(%rip)"));
                if !rip {
                    return None;
                }
                self.arbitrary_outputs();
            }
        }
        Some(())
    }

    /// `xchg` and `xadd`: of a register with memory.
    fn exchange(
        &mut self,
        machine: &Machine,
        form: Form,
        bits: Option<u32>,
        locked: bool,
    ) -> Option<()> {
        let b = self.b;
        let (first, last) = (machine.places.first(), machine.places.last());
        let ty = b.int_type(self.width(bits, machine)?);
        let (register, memory) = match (self.home(first?)?, self.home(last?)?) {
            (_, Home::Memory(address, _)) => (first?, address),
            (Home::Memory(address, _), _) => (last?, address),
            _ => return None,
        };
        let new = self.value(register, ty)?;
        let old = if form == Form::Exchange {
            b.atomic(Rmw::LLVMAtomicRMWBinOpXchg, memory, new)
        } else if locked {
            b.atomic(Rmw::LLVMAtomicRMWBinOpAdd, memory, new)
        } else {
            let old = b.load(ty, memory, false);
            b.store(b.binary(LLVMOpcode::LLVMAdd, old, new), memory, false);
            old
        };
        self.set(register, old)?;
        Some(())
    }

    fn compare_exchange(&mut self, machine: &Machine, bits: Option<u32>) -> Option<()> {
        let b = self.b;
        let (first, last) = (machine.places.first(), machine.places.last());
        let Home::Memory(address, _) = self.home(last?)? else {
            return None;
        };
        let ty = b.int_type(self.width(bits, machine)?);
        let new = self.value(first?, ty)?;
        let output = self.in_register("{ax}")?;
        let expected = self
            .homes
            .iter()
            .find_map(|h| match h {
                Home::Register(Some(v), Some(o)) if *o == output => Some(*v),
                _ => None,
            })
            .or_else(|| self.input_in("{ax}"))?;
        let expected = b.convert(expected, ty, false)?;
        let (old, equal) = b.compare_exchange(address, expected, new);
        self.outputs[output] = Some(b.convert(old, self.types[output], false)?);
        self.flags = Some(Flags {
            result: None,
            zero: Some(equal),
            carry: None,
        });
        Some(())
    }

    /// `rep outs`, which reads memory, or `rep ins`.
    fn port_string(&mut self, size: u32, reads: bool) -> Option<()> {
        let b = self.b;
        let register = if reads { "{si}" } else { "{di}" };
        let address = self.string_pointer(register)?;
        let bytes = self.string_bytes(size)?;
        let name = if reads {
            "__irkiss_touch"
        } else {
            "__irkiss_havoc"
        };
        b.call(name, b.void_type(), &[address, bytes]);
        self.arbitrary_outputs();
        Some(())
    }

    /// `rep stos`.
    fn store_string(&mut self, size: u32) -> Option<()> {
        let b = self.b;
        let address = self.string_pointer("{di}")?;
        let bytes = self.string_bytes(size)?;
        let fill = self.input_in("{ax}")?;
        if size == 1 || fill.int_value() == Some(0) {
            let byte = b.convert(fill, b.int_type(8), false)?;
            b.memset(address, byte, bytes);
        } else {
            b.call("__irkiss_havoc", b.void_type(), &[address, bytes]);
        }
        self.arbitrary_outputs();
        Some(())
    }

    fn arithmetic(
        &mut self,
        machine: &Machine,
        op: Arithmetic,
        bits: Option<u32>,
        locked: bool,
    ) -> Option<()> {
        let b = self.b;
        // `lock addl $0, -4(%rsp)`: a barrier.
        if let [Place::Number(0), Place::Other(at)] = machine.places.as_slice()
            && at.contains("%rsp") | at.contains("%esp")
        {
            return Some(());
        }
        let ty = b.int_type(self.width(bits, machine)?);
        let target = machine.places.last()?;
        let operand = match (op, machine.places.as_slice()) {
            (Arithmetic::Inc | Arithmetic::Dec, [_]) => b.int(ty.int_bits(), 1),
            (_, [source, _]) => self.value(source, ty)?,
            _ => return None,
        };
        let (opcode, rmw) = match op {
            Arithmetic::Add | Arithmetic::Inc => (LLVMOpcode::LLVMAdd, Rmw::LLVMAtomicRMWBinOpAdd),
            Arithmetic::Sub | Arithmetic::Dec => (LLVMOpcode::LLVMSub, Rmw::LLVMAtomicRMWBinOpSub),
            Arithmetic::And => (LLVMOpcode::LLVMAnd, Rmw::LLVMAtomicRMWBinOpAnd),
            Arithmetic::Or => (LLVMOpcode::LLVMOr, Rmw::LLVMAtomicRMWBinOpOr),
            Arithmetic::Xor => (LLVMOpcode::LLVMXor, Rmw::LLVMAtomicRMWBinOpXor),
        };
        let (old, new) = match self.home(target)? {
            Home::Memory(address, _) if locked => {
                let old = b.atomic(rmw, address, operand);
                (old, b.binary(opcode, old, operand))
            }
            Home::Memory(address, _) => {
                let old = b.load(ty, address, false);
                let new = b.binary(opcode, old, operand);
                b.store(new, address, false);
                (old, new)
            }
            Home::Register(Some(old), _) => {
                let old = b.convert(old, ty, false)?;
                let new = b.binary(opcode, old, operand);
                self.set(target, new)?;
                (old, new)
            }
            Home::Register(None, _) => return None,
        };
        let carry = match op {
            Arithmetic::Add => Some(b.compare(P::LLVMIntULT, new, operand)),
            Arithmetic::Sub => Some(b.compare(P::LLVMIntULT, old, operand)),
            _ => None,
        };
        self.flags = Some(Flags {
            result: Some(new),
            zero: None,
            carry,
        });
        Some(())
    }

    /// `bt*` on memory: the bit number may lead beyond the operand's own word. A plain `bt` is how `test_bit` reads, which
    /// with a constant number is a volatile load: it is marked here as well.
    fn bit(&mut self, machine: &Machine, op: BitOp, bits: Option<u32>, locked: bool) -> Option<()> {
        let b = self.b;
        let [number, target] = machine.places.as_slice() else {
            return None;
        };
        let width = self.width(bits, machine)?;
        let ty = b.int_type(width);
        let number = self.value(number, b.int_type(64))?;
        let within = b.binary(LLVMOpcode::LLVMAnd, number, b.int(64, u64::from(width - 1)));
        let within = b.convert(within, ty, false)?;
        let mask = b.binary(LLVMOpcode::LLVMShl, b.int(width, 1), within);
        let inverse = b.binary(LLVMOpcode::LLVMXor, mask, b.int(width, u64::MAX));
        let old = match self.home(target)? {
            Home::Memory(base, _) => {
                let word = b.binary(
                    LLVMOpcode::LLVMAShr,
                    number,
                    b.int(64, u64::from(width.trailing_zeros())),
                );
                let address = b.element(ty, base, word);
                match (op, locked) {
                    (BitOp::Keep, _) => b.load(ty, address, true),
                    (BitOp::Set, true) => b.atomic(Rmw::LLVMAtomicRMWBinOpOr, address, mask),
                    (BitOp::Clear, true) => b.atomic(Rmw::LLVMAtomicRMWBinOpAnd, address, inverse),
                    (BitOp::Invert, true) => b.atomic(Rmw::LLVMAtomicRMWBinOpXor, address, mask),
                    (_, false) => {
                        let old = b.load(ty, address, false);
                        b.store(self.changed(op, old, mask, inverse), address, false);
                        old
                    }
                }
            }
            Home::Register(Some(old), _) => {
                let old = b.convert(old, ty, false)?;
                if op != BitOp::Keep {
                    self.set(target, self.changed(op, old, mask, inverse))?;
                }
                old
            }
            Home::Register(None, _) => return None,
        };
        let bit = b.binary(LLVMOpcode::LLVMAnd, old, mask);
        self.flags = Some(Flags {
            result: None,
            zero: None,
            carry: Some(b.compare(P::LLVMIntNE, bit, b.int(width, 0))),
        });
        Some(())
    }

    fn changed(&self, op: BitOp, old: Val<'m>, mask: Val<'m>, inverse: Val<'m>) -> Val<'m> {
        match op {
            BitOp::Set => self.b.binary(LLVMOpcode::LLVMOr, old, mask),
            BitOp::Clear => self.b.binary(LLVMOpcode::LLVMAnd, old, inverse),
            BitOp::Invert => self.b.binary(LLVMOpcode::LLVMXor, old, mask),
            BitOp::Keep => old,
        }
    }

    /// `mov` between memory and a register is how readl and writel reach a device: a marked access; what a device
    /// answers is arbitrary.
    fn mov(&mut self, machine: &Machine, bits: Option<u32>) -> Option<()> {
        let b = self.b;
        let [source, target] = machine.places.as_slice() else {
            return None;
        };
        let width = self.width(bits, machine)?;
        let ty = b.int_type(width);
        match (self.home(source), self.home(target)?) {
            (Some(Home::Memory(address, _)), Home::Register(_, Some(_))) => {
                b.load(ty, address, true);
                self.set(target, b.nondet(width))
            }
            (_, Home::Memory(address, _)) => {
                let value = self.value(source, ty)?;
                b.store(value, address, true);
                Some(())
            }
            (Some(Home::Register(Some(_), _)), Home::Register(_, Some(_))) => {
                let value = self.value(source, ty)?;
                self.set(target, value)
            }
            // `mov %cr0, $0` and the like.
            (None, Home::Register(_, Some(_))) => match source {
                Place::Other(register) if register.starts_with("%cr") => {
                    self.set(target, b.nondet(width))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn count(&mut self, machine: &Machine, form: Form, bits: Option<u32>) -> Option<()> {
        let b = self.b;
        let (source, target) = (machine.places.first()?, machine.places.last()?);
        let ty = b.int_type(self.width(bits, machine)?);
        let value = self.value(source, ty)?;
        let width = ty.int_bits();
        let intrinsic =
            |name: &str, args: &[Val<'m>]| b.call(&format!("llvm.{name}.i{width}"), ty, args);
        let no = b.int(1, 0);
        let answer = match form {
            Form::ScanForward => intrinsic("cttz", &[value, no]),
            Form::CountOnes => intrinsic("ctpop", &[value]),
            Form::SwapBytes => intrinsic("bswap", &[value]),
            _ => {
                let zeros = intrinsic("ctlz", &[value, no]);
                b.binary(
                    LLVMOpcode::LLVMSub,
                    b.int(width, u64::from(width - 1)),
                    zeros,
                )
            }
        };
        // bsf and bsr leave the register as it was if no bit is set.
        let before = match (form, self.home(target)?) {
            (Form::ScanForward | Form::ScanReverse, Home::Register(Some(before), Some(_))) => {
                b.convert(before, ty, true)
            }
            _ => None,
        };
        let answer = match before {
            Some(before) if source != target => {
                let none = b.compare(P::LLVMIntEQ, value, b.int(width, 0));
                b.select(none, before, answer)
            }
            _ => answer,
        };
        self.set(target, answer)
    }

    fn mask(&mut self, compare: &Machine) -> Option<()> {
        let b = self.b;
        let [size, index] = compare.places.as_slice() else {
            return None;
        };
        let ty = *self.types.first()?;
        let (size, index) = (self.value(size, ty)?, self.value(index, ty)?);
        let below = b.compare(P::LLVMIntULT, index, size);
        let ones = b.int(ty.int_bits(), u64::MAX);
        self.outputs[0] = Some(b.select(below, ones, b.zero(ty)));
        Some(())
    }
}
