//! `--emit=program`: the owned form as text, close to LLVM's.
//!
//! For reading and for comparing; nothing reads it back. Output is a function of
//! the program alone.

use std::fmt::Write;

use super::{
    Block, Callee, Const, Function, Global, Instr, Op, Operand, Program, Terminator, Type,
};
use crate::index::{BlockId, LocId, SiteId, ValueId};

/// The whole program as text: target, sites, globals, functions.
pub fn print_program(program: &Program) -> String {
    let mut out = String::new();
    let layout = &program.layout;
    line(
        &mut out,
        format_args!(
            "; target {} ({}-endian, {}-byte pointers){}",
            layout.triple,
            if layout.little_endian {
                "little"
            } else {
                "big"
            },
            layout.pointer_bytes,
            match layout.producer.as_str() {
                "" => String::new(),
                p => format!(", by {p}"),
            }
        ),
    );
    for (id, site) in program.sites.iter_ids() {
        line(
            &mut out,
            format_args!(
                "; {id}: {:?}{} in @{}{}{}, {}",
                site.kind,
                if site.marked { " marked" } else { "" },
                site.function,
                match site.bytes {
                    0 => String::new(),
                    n => format!(", {n} bytes"),
                },
                match &site.object {
                    Some(object) => format!(" of {object}"),
                    None => String::new(),
                },
                program.source.describe(site.loc)
            ),
        );
    }
    let printer = Printer { program };
    for global in program.globals.iter() {
        printer.global(&mut out, global);
    }
    for function in program.functions.iter() {
        printer.function(&mut out, function);
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = out.write_fmt(text);
    out.push('\n');
}

struct Printer<'p> {
    program: &'p Program,
}

impl Printer<'_> {
    fn global(&self, out: &mut String, global: &Global) {
        let mut text = format!("@{} = ", global.name);
        if global.init.is_none() {
            text.push_str("external ");
        }
        if global.thread_local {
            text.push_str("thread_local ");
        }
        text.push_str(if global.constant {
            "constant"
        } else {
            "global"
        });
        let _ = write!(text, " [{} bytes]", global.size);
        if let Some(name) = &global.struct_name {
            let _ = write!(text, " %{name}");
        }
        for (n, cell) in global.init.iter().flatten().enumerate() {
            text.push_str(if n == 0 { " { " } else { ", " });
            let _ = write!(
                text,
                "+{}: {}:{}",
                cell.offset,
                cell.size,
                self.constant(&cell.value)
            );
        }
        if global.init.iter().flatten().next().is_some() {
            text.push_str(" }");
        }
        line(out, format_args!("{text}"));
    }

    fn function(&self, out: &mut String, function: &Function) {
        let params: Vec<String> = function
            .params
            .iter()
            .map(|p| format!("{} {}", function.values[*p].ty, name(function, *p)))
            .collect();
        let mut head = format!("{} @{}({}", function.ret, function.name, params.join(", "));
        if function.variadic {
            head.push_str(if params.is_empty() { "..." } else { ", ..." });
        }
        head.push(')');
        if let Some(primitive) = function.primitive {
            let _ = write!(head, " ; primitive {primitive:?}");
        }
        if !function.is_defined() {
            return line(out, format_args!("declare {head}"));
        }
        if function.is_model {
            head.push_str(" model");
        }
        line(out, format_args!(""));
        line(
            out,
            format_args!(
                "define {head} {{ ; {}",
                self.program.source.describe(function.loc)
            ),
        );
        for (id, block) in function.blocks.iter_ids() {
            line(out, format_args!("{id}:"));
            self.block(out, function, block);
        }
        line(out, format_args!("}}"));
    }

    fn block(&self, out: &mut String, function: &Function, block: &Block) {
        for instr in &block.instrs {
            let text = self.instr(function, instr);
            self.finish(out, text, instr.site, instr.loc);
        }
        let text = self.terminator(function, &block.term);
        self.finish(out, text, block.term_site, block.term_loc);
    }

    fn finish(&self, out: &mut String, text: String, site: Option<SiteId>, loc: Option<LocId>) {
        let site = site.map_or(String::new(), |s| format!(" !{s}"));
        let place = loc.map_or(String::new(), |l| {
            let l = &self.program.source.locations[l];
            let file = &self.program.source.files[l.file];
            let file = file.rsplit('/').next().unwrap_or(file);
            format!(" ; {file}:{}:{}", l.line, l.column)
        });
        line(out, format_args!("  {text}{site}{place}"));
    }

    fn instr(&self, function: &Function, instr: &Instr) -> String {
        let text = self.op(function, &instr.op);
        match instr.result {
            Some(result) => format!(
                "{}: {} = {text}",
                name(function, result),
                function.values[result].ty
            ),
            None => text,
        }
    }

    /// An instruction.
    fn op(&self, function: &Function, op: &Op) -> String {
        let o = |operand: &Operand| self.operand(function, operand);
        let all = |operands: &[Operand]| self.operands(function, operands);
        match op {
            Op::Phi(incoming) => {
                let parts: Vec<String> = incoming
                    .iter()
                    .map(|(b, v)| format!("[{}, {b}]", o(v)))
                    .collect();
                format!("phi {}", parts.join(", "))
            }
            Op::Cast {
                kind,
                value,
                from,
                to,
            } => format!("{} {from} {} to {to}", lower(kind), o(value)),
            Op::Select {
                cond,
                if_true,
                if_false,
            } => format!("select {}, {}, {}", o(cond), o(if_true), o(if_false)),
            Op::Bounds { index, count } => format!("bounds {} < {count}", o(index)),
            Op::Call { callee, args, ret } => {
                let callee = match callee {
                    Callee::Direct(f) => format!("@{}", self.program.functions[*f].name),
                    Callee::Indirect(pointer) => o(pointer),
                };
                format!("call {ret} {callee}({})", all(args))
            }
            Op::Primitive { primitive, args } => match primitive {
                super::Primitive::Nondet(bits) => format!("primitive nondet_{bits}()"),
                other => format!("primitive {}({})", other.name(), all(args)),
            },
            Op::Extract { tuple, index } => format!("extract {}, {index}", o(tuple)),
            Op::Insert {
                tuple,
                index,
                value,
            } => format!("insert {}, {}, {index}", o(tuple), o(value)),
            Op::Unsupported(why) => format!("unsupported {why:?}"),
            Op::Gep { .. }
            | Op::Alloca { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicRmw { .. }
            | Op::CmpXchg { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. } => self.of_memory(function, op),
            Op::Bin { .. }
            | Op::Icmp { .. }
            | Op::CountOnes { .. }
            | Op::LeadingZeros { .. }
            | Op::TrailingZeros { .. }
            | Op::ByteSwap { .. }
            | Op::FunnelShift { .. }
            | Op::WithOverflow { .. } => self.of_integers(function, op),
            Op::Float { .. } | Op::FloatCompare { .. } | Op::FloatConvert { .. } => {
                self.of_floats(function, op)
            }
        }
    }

    /// One that is about addresses and what stands there.
    fn of_memory(&self, function: &Function, op: &Op) -> String {
        let o = |operand: &Operand| self.operand(function, operand);
        match op {
            Op::Gep {
                base,
                offset,
                scaled,
                field,
            } => {
                let mut text = format!("gep {}", o(base));
                if *offset != 0 {
                    let _ = write!(text, " + {offset}");
                }
                for (index, scale) in scaled {
                    let _ = write!(text, " + {} * {scale}", o(index));
                }
                if let Some(field) = field {
                    let _ = write!(text, " (%{}+{})", field.struct_name, field.offset);
                }
                text
            }
            Op::Alloca {
                element_bytes,
                count,
                ..
            } => format!("alloca {element_bytes} x {}", o(count)),
            Op::Load { ptr, ty, mode } => {
                format!("load{} {ty}, {}", marks(mode.atomic, mode.volatile), o(ptr))
            }
            Op::Store {
                ptr,
                value,
                ty,
                mode,
            } => format!(
                "store{} {ty} {}, {}",
                marks(mode.atomic, mode.volatile),
                o(value),
                o(ptr)
            ),
            Op::AtomicRmw { op, ptr, value, ty } => {
                format!("atomicrmw {} {ty} {}, {}", lower(op), o(ptr), o(value))
            }
            Op::CmpXchg {
                ptr,
                expected,
                new,
                ty,
            } => format!("cmpxchg {ty} {}, {}, {}", o(ptr), o(expected), o(new)),
            Op::MemCopy {
                dst,
                src,
                len,
                volatile,
            } => format!(
                "memcopy{} {}, {}, {}",
                marks(false, *volatile),
                o(dst),
                o(src),
                o(len)
            ),
            Op::MemSet {
                dst,
                byte,
                len,
                volatile,
            } => format!(
                "memset{} {}, {}, {}",
                marks(false, *volatile),
                o(dst),
                o(byte),
                o(len)
            ),
            _ => unreachable!("another family"),
        }
    }

    /// One that computes with integers.
    fn of_integers(&self, function: &Function, op: &Op) -> String {
        let o = |operand: &Operand| self.operand(function, operand);
        match op {
            Op::Bin { op, lhs, rhs } => {
                format!("{} {}, {}", lower(op), o(lhs), o(rhs))
            }
            Op::Icmp { pred, lhs, rhs } => {
                format!("icmp {} {}, {}", lower(pred), o(lhs), o(rhs))
            }
            Op::CountOnes { value, .. } => format!("count_ones {}", o(value)),
            Op::LeadingZeros { value, .. } => format!("leading_zeros {}", o(value)),
            Op::TrailingZeros { value, .. } => format!("trailing_zeros {}", o(value)),
            Op::ByteSwap { value, .. } => format!("byte_swap {}", o(value)),
            Op::FunnelShift {
                high,
                low,
                amount,
                left,
                ..
            } => format!(
                "funnel_shift_{} {}, {}, {}",
                if *left { "left" } else { "right" },
                o(high),
                o(low),
                o(amount)
            ),
            Op::WithOverflow {
                op,
                signed,
                lhs,
                rhs,
                ..
            } => format!(
                "{}{}_with_overflow {}, {}",
                if *signed { "s" } else { "u" },
                lower(op),
                o(lhs),
                o(rhs)
            ),
            _ => unreachable!("another family"),
        }
    }

    /// One that computes with floating-point numbers.
    fn of_floats(&self, function: &Function, op: &Op) -> String {
        let o = |operand: &Operand| self.operand(function, operand);
        let all = |operands: &[Operand]| self.operands(function, operands);
        match op {
            Op::Float { op, format, args } => {
                format!("float_{} {}, {}", lower(op), lower(format), all(args))
            }
            Op::FloatCompare {
                order,
                format,
                lhs,
                rhs,
            } => {
                let ways = [
                    (order.less, '<'),
                    (order.equal, '='),
                    (order.greater, '>'),
                    (order.unordered, '?'),
                ];
                let ways: String = ways.iter().filter(|(on, _)| *on).map(|(_, c)| c).collect();
                format!(
                    "float_compare {} {} {ways} {}",
                    lower(format),
                    o(lhs),
                    o(rhs)
                )
            }
            Op::FloatConvert { value, from, to } => {
                format!(
                    "float_convert {} {} to {}",
                    lower(from),
                    o(value),
                    lower(to)
                )
            }
            _ => unreachable!("another family"),
        }
    }

    fn terminator(&self, function: &Function, term: &Terminator) -> String {
        match term {
            Terminator::Jump(to) => format!("jump {to}"),
            Terminator::Branch {
                cond,
                if_true,
                if_false,
            } => format!(
                "branch {}, {if_true}, {if_false}",
                self.operand(function, cond)
            ),
            Terminator::Switch {
                value,
                cases,
                default,
                ..
            } => {
                let cases: Vec<String> = cases
                    .iter()
                    .map(|(n, b): &(u128, BlockId)| format!("{n}: {b}"))
                    .collect();
                format!(
                    "switch {} [{}], {default}",
                    self.operand(function, value),
                    cases.join(", ")
                )
            }
            Terminator::Return(None) => "return".to_string(),
            Terminator::Return(Some(value)) => {
                format!("return {}", self.operand(function, value))
            }
            Terminator::Unreachable => "unreachable".to_string(),
            Terminator::Unsupported(why) => format!("unsupported {why:?}"),
        }
    }

    fn operands(&self, function: &Function, operands: &[Operand]) -> String {
        let all = operands.iter().map(|o| self.operand(function, o));
        all.collect::<Vec<_>>().join(", ")
    }

    fn operand(&self, function: &Function, operand: &Operand) -> String {
        match operand {
            Operand::Value(v) => name(function, *v),
            Operand::Const(c) => self.constant(c),
        }
    }

    fn constant(&self, constant: &Const) -> String {
        let as_int = |text: String, bits: &Option<u32>| match bits {
            Some(bits) => format!("i{bits}({text})"),
            None => text,
        };
        match constant {
            Const::Int { bits: 1, value } => if *value == 0 { "false" } else { "true" }.to_string(),
            Const::Int { value, .. } => value.to_string(),
            Const::Null => "null".to_string(),
            Const::Addr {
                global,
                offset,
                int_bits,
            } => {
                let mut text = format!("@{}", self.program.globals[*global].name);
                if *offset != 0 {
                    let _ = write!(text, "{offset:+}");
                }
                as_int(text, int_bits)
            }
            Const::Func { function, int_bits } => as_int(
                format!("@{}", self.program.functions[*function].name),
                int_bits,
            ),
            Const::Undef(ty) => match ty {
                Type::Void => "undef".to_string(),
                ty => format!("undef:{ty}"),
            },
            Const::Float { bits, value } => format!("f{bits}:{value:#x}"),
            Const::Tuple(items) => {
                let items: Vec<String> = items.iter().map(|c| self.constant(c)).collect();
                format!("{{{}}}", items.join(", "))
            }
            Const::Unsupported(_, why) => format!("unsupported({why:?})"),
        }
    }
}

/// `%3`, or `%3.name` where the input has a name for it.
fn name(function: &Function, value: ValueId) -> String {
    match function.values[value].name.as_str() {
        "" => value.to_string(),
        name => format!("{value}.{name}"),
    }
}

fn marks(atomic: bool, volatile: bool) -> &'static str {
    match (atomic, volatile) {
        (true, true) => " atomic volatile",
        (true, false) => " atomic",
        (false, true) => " volatile",
        (false, false) => "",
    }
}

/// The name of a variant in lower case.
fn lower(variant: &impl std::fmt::Debug) -> String {
    format!("{variant:?}").to_lowercase()
}
