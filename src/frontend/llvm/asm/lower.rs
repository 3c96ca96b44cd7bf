//! Building the effect of inline assembly.

use llvm_sys::LLVMAtomicRMWBinOp as Rmw;
use llvm_sys::LLVMIntPredicate as P;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::{
    LLVMGetCallSiteEnumAttribute, LLVMGetEnumAttributeKindForName, LLVMGetTypeAttributeValue,
};

use super::forms::{Arithmetic, BitOp, Form, PLAIN, SCHEDULING_CALLS, SIZED};
use super::text::{Constraint, Machine, Place, constraints, instructions, sized};
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{LLVMOpcode, Ty, Val};

/// Where an operand lives.
#[derive(Clone, Copy)]
enum Home<'m> {
    /// In memory, at an address; the element type where the call says it.
    Memory(Val<'m>, Option<Ty<'m>>),
    /// In a register: input value (if it has one), number of the direct output (if it is one).
    Register(Option<Val<'m>>, Option<usize>),
}

/// One inline assembly statement under translation.
struct Statement<'b, 'm> {
    b: &'b Builder<'m>,
    constraints: Vec<Constraint>,
    homes: Vec<Home<'m>>,
    /// Types of the direct outputs.
    types: Vec<Ty<'m>>,
    /// Values of the direct outputs, as far as they are known.
    outputs: Vec<Option<Val<'m>>>,
    /// Result and carry of the last instruction that sets flags.
    flags: Option<Flags<'m>>,
}

#[derive(Clone, Copy)]
struct Flags<'m> {
    /// The result, whose sign and zeroness are the flags.
    result: Option<Val<'m>>,
    /// The zero flag, where it is no result's.
    zero: Option<Val<'m>>,
    carry: Option<Val<'m>>,
}

/// Builds the effect of `call` before it. `None`: unknown form (nothing that counts has been built). `Some(result)`: the
/// value of the call, if it has one.
pub(super) fn lower<'m>(
    b: &Builder<'m>,
    call: Val<'m>,
    text: &str,
    constraint_text: &str,
    x86: bool,
) -> Option<Option<Val<'m>>> {
    let machines = instructions(text);
    let constraints = constraints(constraint_text)?;
    let mut statement = Statement::new(b, call, constraints)?;
    if !machines.is_empty() && !x86 {
        return None;
    }
    // Look before building: a statement is understood as a whole or not at all.
    let forms: Vec<(Form, Option<u32>)> = machines.iter().map(form).collect::<Option<_>>()?;
    match (machines.as_slice(), forms.as_slice()) {
        ([compare, subtract], _) if is_mask(compare, subtract) => statement.mask(compare)?,
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
    if name.starts_with("cmp") && !name.starts_with("cmpxchg") || name.starts_with("sbb") {
        // Only as the pair that `is_mask` knows; `one` refuses them.
        return Some((Form::Call, None));
    }
    let stems: Vec<&str> = SIZED.iter().map(|(n, _)| *n).collect();
    let (n, bits) = sized(name, &stems)?;
    Some((SIZED[n].1, bits))
}

impl<'b, 'm> Statement<'b, 'm> {
    fn new(b: &'b Builder<'m>, call: Val<'m>, constraints: Vec<Constraint>) -> Option<Self> {
        let args = call.call_args();
        let mut next_arg = 0;
        let mut next_output = 0;
        let mut homes: Vec<Home<'m>> = Vec::new();
        for c in &constraints {
            let home = if c.output && !c.indirect {
                next_output += 1;
                Home::Register(None, Some(next_output - 1))
            } else {
                let arg = *args.get(next_arg)?;
                next_arg += 1;
                if c.indirect {
                    Home::Memory(arg, element_type(call, next_arg as u32))
                } else {
                    Home::Register(Some(arg), None)
                }
            };
            homes.push(home);
        }
        // An input tied to an output is that register's value before.
        for (n, c) in constraints.iter().enumerate() {
            if let Some(to) = c.tied_to()
                && let Home::Register(Some(value), _) = homes[n]
            {
                match homes.get(to)? {
                    Home::Register(_, output) => homes[to] = Home::Register(Some(value), *output),
                    Home::Memory(..) => return None,
                }
            }
        }
        let types = match call.ty().kind() {
            LLVMTypeKind::LLVMVoidTypeKind => Vec::new(),
            LLVMTypeKind::LLVMStructTypeKind => call.ty().fields(),
            _ => vec![call.ty()],
        };
        if types.len() != next_output || next_arg != args.len() {
            return None;
        }
        Some(Statement {
            b,
            constraints,
            homes,
            outputs: vec![None; types.len()],
            types,
            flags: None,
        })
    }

    /// The value of the call: outputs written, flags asked for, registers that passed through.
    fn result(mut self, call: Val<'m>) -> Option<Option<Val<'m>>> {
        for n in 0..self.constraints.len() {
            let Home::Register(before, Some(output)) = self.homes[n] else {
                continue;
            };
            if self.outputs[output].is_some() {
                continue;
            }
            let ty = self.types[output];
            let value = if let Some(condition) = self.constraints[n].condition() {
                let truth = self.condition(condition)?;
                self.b.convert(truth, ty, false)?
            } else if let Some(value) = before {
                // A register given and handed back unchanged.
                self.b.convert(value, ty, false)?
            } else if self.constraints[n].code.contains("sp}") {
                // The stack pointer that a call leaves.
                self.b.arbitrary(ty)
            } else {
                return None;
            };
            self.outputs[output] = Some(value);
        }
        if self.types.is_empty() {
            return Some(None);
        }
        if call.ty().kind() != LLVMTypeKind::LLVMStructTypeKind {
            return Some(self.outputs[0]);
        }
        let mut whole = self.b.poison(call.ty());
        for (n, value) in self.outputs.iter().enumerate() {
            whole = self.b.insert(whole, (*value)?, n as u32);
        }
        Some(Some(whole))
    }

    fn condition(&self, name: &str) -> Option<Val<'m>> {
        let flags = self.flags?;
        let b = self.b;
        let not = |v: Val<'m>| b.binary(LLVMOpcode::LLVMXor, v, b.int(1, 1));
        let zero = || match (flags.zero, flags.result) {
            (Some(z), _) => Some(z),
            (None, Some(r)) => Some(b.compare(P::LLVMIntEQ, r, b.zero(r.ty()))),
            _ => None,
        };
        let sign = || {
            let r = flags.result?;
            Some(b.compare(P::LLVMIntSLT, r, b.zero(r.ty())))
        };
        match name {
            "z" | "e" => zero(),
            "nz" | "ne" => zero().map(not),
            "c" | "b" | "nae" => flags.carry,
            "nc" | "ae" | "nb" => flags.carry.map(not),
            "s" => sign(),
            "ns" => sign().map(not),
            _ => None,
        }
    }

    fn home(&self, place: &Place) -> Option<Home<'m>> {
        match place {
            Place::Operand(n) => self.homes.get(*n).copied(),
            _ => None,
        }
    }

    /// The value of a source operand.
    fn value(&self, place: &Place, ty: Ty<'m>) -> Option<Val<'m>> {
        let value = match place {
            Place::Number(n) => self.b.int(ty.int_bits(), *n as u64),
            _ => match self.home(place)? {
                Home::Register(Some(value), _) => value,
                Home::Memory(address, _) => self.b.load(ty, address, true),
                Home::Register(None, _) => return None,
            },
        };
        self.b.convert(value, ty, true)
    }

    /// Writes a destination register.
    fn set(&mut self, place: &Place, value: Val<'m>) -> Option<()> {
        match self.home(place)? {
            Home::Register(_, Some(output)) => {
                self.outputs[output] = Some(self.b.convert(value, self.types[output], false)?);
                Some(())
            }
            _ => None,
        }
    }

    /// The width of an instruction without a suffix: that of a memory operand, else of a register.
    fn width(&self, bits: Option<u32>, machine: &Machine) -> Option<u32> {
        if bits.is_some() {
            return bits;
        }
        let of = |home: Home<'m>| match home {
            Home::Memory(_, ty) => ty.map(Ty::int_bits),
            Home::Register(Some(v), _) => Some(v.ty().int_bits()),
            Home::Register(None, Some(n)) => Some(self.types[n].int_bits()),
            Home::Register(None, None) => None,
        };
        machine
            .places
            .iter()
            .rev()
            .filter_map(|p| self.home(p).and_then(of))
            .find(|b| *b > 0)
    }

    /// The output that sits in a register, such as `{ax}`.
    fn in_register(&self, register: &str) -> Option<usize> {
        self.constraints
            .iter()
            .zip(&self.homes)
            .find_map(|(c, h)| match h {
                Home::Register(_, Some(output)) if c.code == register => Some(*output),
                _ => None,
            })
    }

    /// The input that sits in a register.
    fn input_in(&self, register: &str) -> Option<Val<'m>> {
        self.constraints
            .iter()
            .zip(&self.homes)
            .find_map(|(c, h)| match h {
                Home::Register(Some(value), _) if c.code == register => Some(*value),
                _ => None,
            })
    }

    fn one(&mut self, machine: &Machine, form: Form, bits: Option<u32>, text: &str) -> Option<()> {
        let locked = machine.prefixes.iter().any(|p| p == "lock");
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
            Form::Exchange | Form::ExchangeAdd => {
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
            }
            Form::CompareExchange => {
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
            }
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
                let reads = matches!(form, Form::PortOutString(_));
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
            }
            Form::StoreString(size) => {
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
            }
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

    /// Each register output gets an arbitrary value: an input of the run.
    fn arbitrary_outputs(&mut self) {
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
                let offset = b.binary(LLVMOpcode::LLVMMul, word, b.int(64, u64::from(width / 8)));
                let address = b.offset(base, offset);
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

    /// BUG ends the thread, WARN goes on: told apart by bit 0 of the flags word, which is the first operand
    /// (include/asm-generic/bug.h: BUGFLAG_WARNING), or by the annotation that control comes back.
    fn trap(&mut self, text: &str) {
        let b = self.b;
        let warns = text.contains(".discard.reachable")
            || self.first_immediate().is_some_and(|flags| flags & 1 == 1);
        if !warns {
            let what = b.text("BUG");
            b.call("__irkiss_bug", b.void_type(), &[what]);
        }
    }

    fn first_immediate(&self) -> Option<u128> {
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
    fn user_access(&mut self, machine: &Machine) -> Option<()> {
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

    /// Per-CPU memory: no thread sees another's. What is read is arbitrary, what is written is forgotten.
    fn segment(&mut self, machine: &Machine, form: Form) -> Option<()> {
        let writes_register = machine
            .places
            .last()
            .and_then(|p| self.home(p))
            .is_some_and(|h| matches!(h, Home::Register(..)));
        match form {
            Form::Move if writes_register => self.arbitrary_outputs(),
            Form::Move => {}
            // `add %gs:off, reg` makes a per-CPU address: where it leads matters.
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

    fn string_pointer(&self, register: &str) -> Option<Val<'m>> {
        let value = self.register_value(register)?;
        (value.ty().address_space() == Some(0)).then_some(value)
    }

    fn string_bytes(&self, size: u32) -> Option<Val<'m>> {
        let count = self.register_value("{cx}")?;
        let count = self.b.convert(count, self.b.int_type(64), false)?;
        Some(
            self.b
                .binary(LLVMOpcode::LLVMMul, count, self.b.int(64, u64::from(size))),
        )
    }

    /// The value that goes into a register: of an input there, or of one tied to an output there.
    fn register_value(&self, register: &str) -> Option<Val<'m>> {
        self.input_in(register)
    }
}

/// The element type that the call names for an indirect operand.
fn element_type(call: Val<'_>, index: u32) -> Option<Ty<'_>> {
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"elementtype".as_ptr(), 11);
        let attribute = LLVMGetCallSiteEnumAttribute(call.raw(), index, kind);
        (!attribute.is_null()).then(|| Ty::new(LLVMGetTypeAttributeValue(attribute)))
    }
}
