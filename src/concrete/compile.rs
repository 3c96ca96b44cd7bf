//! From a program to register code.

use super::code::{Arg, Bits, Body, Code, Edge, EdgeId, Format, Inst, Returned, Slot};
use super::operands::{kind, width, widths};
use crate::index::{BlockId, Idx};
use crate::program::{
    Block, Callee, CastKind, Function, Instr, Op, Operand, Program, Terminator, Type,
};

/// The code of a program; `None`: its addresses or the order of its bytes are none that are run here.
pub(super) fn compile(program: &Program) -> Option<Code> {
    let layout = &program.layout;
    if layout.pointer_bytes != 8 || !layout.little_endian {
        return None;
    }
    let mut code = Code {
        insts: Vec::new(),
        edges: Vec::new(),
        moves: Vec::new(),
        functions: Vec::new(),
        sites: program.sites.len(),
    };
    for function in program.functions.iter() {
        let body = OfFunction::new(program, function).compile(&mut code);
        code.functions.push(body);
    }
    Some(code)
}

/// A function that is turned into code.
pub(super) struct OfFunction<'p> {
    pub program: &'p Program,
    pub function: &'p Function,
    /// The first register of each value, and how many; `None`: it is too wide.
    pub slots: Vec<Option<(Slot, u32)>>,
    count: u32,
    /// What leads to blocks that are not there yet: edges by number, and their blocks.
    open: Vec<(EdgeId, BlockId, BlockId)>,
    /// First instruction of each block.
    starts: Vec<u32>,
}

impl<'p> OfFunction<'p> {
    fn new(program: &'p Program, function: &'p Function) -> Self {
        let mut count = 0;
        let slots = function.values.iter().map(|value| {
            let n = widths(&value.ty)?.len() as u32;
            let first = count;
            count += n;
            Some((first, n))
        });
        let slots = slots.collect();
        OfFunction {
            program,
            function,
            slots,
            count,
            open: Vec::new(),
            starts: Vec::new(),
        }
    }

    fn compile(mut self, code: &mut Code) -> Body {
        let params = self.function.params.iter().map(|p| {
            let bits = width(&self.function.values[*p].ty).unwrap_or(64);
            (self.slots[p.index()].map_or(0, |s| s.0), bits)
        });
        let params: Box<[(Slot, u8)]> = params.collect();
        // A parameter that is too wide has no register: nobody may run it.
        let runs = self
            .function
            .params
            .iter()
            .all(|p| self.slots[p.index()].is_some_and(|(_, n)| n == 1));
        let mut entry = None;
        if self.function.is_defined() && runs {
            entry = Some(code.insts.len() as u32);
            for (id, block) in self.function.blocks.iter_ids() {
                self.starts.push(code.insts.len() as u32);
                self.block(code, id, block);
            }
            for (edge, from, to) in std::mem::take(&mut self.open) {
                let moves = self.moves(code, from, to);
                let target = self.starts[to.index()];
                code.edges[edge as usize] = match moves {
                    Some(moves) => Edge { to: target, moves },
                    None => Edge {
                        to: trap(code),
                        moves: (0, 0),
                    },
                };
            }
        }
        Body {
            entry,
            slots: self.count,
            params,
        }
    }

    /// The moves of the phis of `to` on the way from `from`.
    fn moves(&self, code: &mut Code, from: BlockId, to: BlockId) -> Option<(u32, u32)> {
        let first = code.moves.len() as u32;
        for instr in &self.function.blocks[to].instrs {
            let Op::Phi(incoming) = &instr.op else { break };
            let (_, operand) = incoming.iter().find(|(block, _)| *block == from)?;
            let Some(result) = instr.result else { continue };
            let (slot, n) = self.slots[result.index()]?;
            let args = self.args(operand)?;
            if args.len() != n as usize {
                return None;
            }
            code.moves.extend((slot..).zip(args));
        }
        Some((first, code.moves.len() as u32))
    }

    fn block(&mut self, code: &mut Code, id: BlockId, block: &Block) {
        for instr in &block.instrs {
            if matches!(instr.op, Op::Phi(_)) && id.index() != 0 {
                continue;
            }
            let inst = self.instruction(code, instr).unwrap_or(Inst::Trap);
            code.insts.push(inst);
        }
        let inst = self.terminator(code, id, block).unwrap_or(Inst::Trap);
        code.insts.push(inst);
    }

    fn edge(&mut self, code: &mut Code, from: BlockId, to: BlockId) -> EdgeId {
        let edge = code.edges.len() as EdgeId;
        code.edges.push(Edge {
            to: 0,
            moves: (0, 0),
        });
        self.open.push((edge, from, to));
        edge
    }

    fn terminator(&mut self, code: &mut Code, id: BlockId, block: &Block) -> Option<Inst> {
        let site = block.term_site;
        Some(match &block.term {
            Terminator::Jump(to) => Inst::Jump {
                edge: self.edge(code, id, *to),
                site,
            },
            Terminator::Branch {
                cond,
                if_true,
                if_false,
            } => Inst::Branch {
                cond: self.arg(cond)?,
                if_true: self.edge(code, id, *if_true),
                if_false: self.edge(code, id, *if_false),
                site,
            },
            Terminator::Switch {
                value,
                bits,
                cases,
                default,
            } => {
                if *bits > 64 {
                    return None;
                }
                let value = self.arg(value)?;
                let cases = cases
                    .iter()
                    .map(|(v, to)| (*v as u64, self.edge(code, id, *to)));
                Inst::Switch {
                    value,
                    cases: cases.collect(),
                    default: self.edge(code, id, *default),
                    site,
                }
            }
            Terminator::Return(value) => Inst::Return {
                values: match value {
                    Some(value) => self.args(value)?.into(),
                    None => Box::default(),
                },
            },
            Terminator::Unreachable | Terminator::Unsupported(_) => return None,
        })
    }

    fn instruction(&mut self, code: &mut Code, instr: &Instr) -> Option<Inst> {
        let dst = || self.dst(instr.result);
        Some(match &instr.op {
            Op::Bin { op, lhs, rhs } => Inst::Bin {
                op: *op,
                bits: self.bits(lhs)?,
                dst: dst()?,
                a: self.arg(lhs)?,
                b: self.arg(rhs)?,
            },
            Op::Icmp { pred, lhs, rhs } => Inst::Compare {
                pred: *pred,
                bits: self.bits(lhs)?,
                dst: dst()?,
                a: self.arg(lhs)?,
                b: self.arg(rhs)?,
            },
            Op::Cast { .. } => self.cast(code, instr)?,
            Op::Select {
                cond,
                if_true,
                if_false,
            } => Inst::Select {
                dst: dst()?,
                cond: self.arg(cond)?,
                a: self.args(if_true)?.into(),
                b: self.args(if_false)?.into(),
            },
            Op::Gep {
                base,
                offset,
                scaled,
                ..
            } => self.address(dst()?, base, *offset, scaled)?,
            Op::Bounds { index, count } => Inst::Bounds {
                index: self.arg(index)?,
                count: *count,
            },
            Op::Alloca {
                element_bytes,
                count,
                ..
            } => Inst::Alloca {
                dst: dst()?,
                bytes: *element_bytes,
                count: self.arg(count)?,
            },
            Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicRmw { .. }
            | Op::CmpXchg { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. } => self.access(instr)?,
            Op::Call { callee, args, ret } => self.call(instr, callee, args, ret)?,
            Op::Primitive { primitive, args } => Inst::Primitive {
                what: *primitive,
                args: args.iter().map(|a| self.arg(a)).collect::<Option<_>>()?,
                dst: dst(),
                site: instr.site,
            },
            Op::Extract { tuple, index } => Inst::Move {
                dst: dst()?,
                a: *self.args(tuple)?.get(*index as usize)?,
            },
            Op::Insert {
                tuple,
                index,
                value,
            } => self.insert(code, instr, (tuple, *index, value))?,
            _ => self.of_numbers(instr)?,
        })
    }

    fn call(&self, instr: &Instr, callee: &Callee, args: &[Operand], ret: &Type) -> Option<Inst> {
        let mut registers = Vec::new();
        for arg in args {
            registers.push(self.arg(arg)?);
        }
        let args = registers.into();
        let result = self.returned(instr, ret)?;
        Some(match callee {
            Callee::Direct(callee) => Inst::Call {
                callee: *callee,
                args,
                result,
            },
            Callee::Indirect(ptr) => Inst::CallPointer {
                ptr: self.arg(ptr)?,
                args,
                result,
            },
        })
    }

    fn address(
        &self,
        dst: Slot,
        base: &Operand,
        offset: i64,
        scaled: &[(Operand, i64)],
    ) -> Option<Inst> {
        let moved =
            |(index, scale): &(Operand, i64)| Some((self.arg(index)?, self.bits(index)?, *scale));
        Some(Inst::Address {
            dst,
            base: self.arg(base)?,
            offset,
            scaled: scaled.iter().map(moved).collect::<Option<_>>()?,
        })
    }

    /// Bits, bytes and floating-point numbers.
    fn of_numbers(&self, instr: &Instr) -> Option<Inst> {
        let dst = self.dst(instr.result)?;
        let of_bits = |op: Bits, value: &Operand, bits: &u32| {
            (*bits <= 64).then_some(())?;
            Some(Inst::Bits {
                op,
                bits: *bits as u8,
                dst,
                a: self.arg(value)?,
            })
        };
        match &instr.op {
            Op::CountOnes { value, bits } => of_bits(Bits::CountOnes, value, bits),
            Op::LeadingZeros { value, bits } => of_bits(Bits::LeadingZeros, value, bits),
            Op::TrailingZeros { value, bits } => of_bits(Bits::TrailingZeros, value, bits),
            Op::ByteSwap { value, bits } => of_bits(Bits::ByteSwap, value, bits),
            Op::FunnelShift {
                high,
                low,
                amount,
                bits,
                left,
            } => {
                (*bits <= 64).then_some(())?;
                Some(Inst::Funnel {
                    bits: *bits as u8,
                    left: *left,
                    dst,
                    high: self.arg(high)?,
                    low: self.arg(low)?,
                    amount: self.arg(amount)?,
                })
            }
            Op::WithOverflow {
                op,
                signed,
                lhs,
                rhs,
                bits,
            } => {
                (*bits <= 64).then_some(())?;
                Some(Inst::Overflow {
                    op: *op,
                    signed: *signed,
                    bits: *bits as u8,
                    dst,
                    a: self.arg(lhs)?,
                    b: self.arg(rhs)?,
                })
            }
            _ => self.of_floats(instr),
        }
    }

    fn of_floats(&self, instr: &Instr) -> Option<Inst> {
        let dst = self.dst(instr.result)?;
        match &instr.op {
            Op::Float { op, format, args } => Some(Inst::Float {
                op: *op,
                format: Format::of(*format)?,
                dst,
                a: self.arg(args.first()?)?,
                b: match args.get(1) {
                    Some(second) => self.arg(second)?,
                    None => Arg::Const(0),
                },
            }),
            Op::FloatCompare {
                order,
                format,
                lhs,
                rhs,
            } => Some(Inst::FloatCompare {
                order: *order,
                format: Format::of(*format)?,
                dst,
                a: self.arg(lhs)?,
                b: self.arg(rhs)?,
            }),
            Op::FloatConvert { value, from, to } => Some(Inst::Convert {
                from: kind(*from)?,
                to: kind(*to)?,
                dst,
                a: self.arg(value)?,
            }),
            _ => None,
        }
    }

    fn returned(&self, instr: &Instr, ret: &Type) -> Option<Returned> {
        let widths = widths(ret)?;
        let dst = match instr.result {
            None => None,
            Some(result) => Some(self.slots[result.index()]?.0),
        };
        Some(Returned {
            dst,
            slots: widths.len() as u32,
            bits: match widths[..] {
                [bits] => bits,
                _ => 64,
            },
            number: matches!(ret, Type::Int(_) | Type::Float(_)),
        })
    }

    fn cast(&self, code: &mut Code, instr: &Instr) -> Option<Inst> {
        let Op::Cast {
            kind,
            value,
            from,
            to,
        } = &instr.op
        else {
            return None;
        };
        let dst = self.dst(instr.result)?;
        if let (CastKind::Bitcast, Type::Tuple(items)) = (kind, to) {
            let args = self.args(value)?;
            return self.spread(code, dst, &args, items.len());
        }
        let (from, to) = (width(from)?, width(to)?);
        let a = self.arg(value)?;
        Some(match kind {
            CastKind::SExt => Inst::SignExtend { from, to, dst, a },
            CastKind::Trunc
            | CastKind::ZExt
            | CastKind::PtrToInt
            | CastKind::IntToPtr
            | CastKind::Bitcast => Inst::Mask { bits: to, dst, a },
        })
    }

    /// Moves to neighbouring registers: all but the last are written into the code, the last is the instruction's own.
    fn spread(&self, code: &mut Code, dst: Slot, args: &[Arg], n: usize) -> Option<Inst> {
        let (last, first) = args.split_last().filter(|_| args.len() == n)?;
        for (slot, a) in (dst..).zip(first) {
            code.insts.push(Inst::Move { dst: slot, a: *a });
        }
        Some(Inst::Move {
            dst: dst + first.len() as u32,
            a: *last,
        })
    }

    fn insert(
        &self,
        code: &mut Code,
        instr: &Instr,
        (tuple, index, value): (&Operand, u32, &Operand),
    ) -> Option<Inst> {
        let mut args = self.args(tuple)?;
        *args.get_mut(index as usize)? = self.arg(value)?;
        let n = args.len();
        self.spread(code, self.dst(instr.result)?, &args, n)
    }

    fn access(&self, instr: &Instr) -> Option<Inst> {
        let dst = self.dst(instr.result);
        let site = instr.site;
        Some(match &instr.op {
            Op::Load { ptr, ty, .. } => Inst::Load {
                dst: dst?,
                ptr: self.arg(ptr)?,
                bits: width(ty)?,
                pointer: *ty == Type::Ptr,
                at: self.touching(ty, site)?,
            },
            Op::Store { ptr, value, ty, .. } => Inst::Store {
                ptr: self.arg(ptr)?,
                value: self.arg(value)?,
                at: self.touching(ty, site)?,
            },
            Op::AtomicRmw { op, ptr, value, ty } => Inst::Modify {
                op: *op,
                bits: width(ty)?,
                dst: dst?,
                ptr: self.arg(ptr)?,
                value: self.arg(value)?,
                at: self.touching(ty, site)?,
            },
            Op::CmpXchg {
                ptr,
                expected,
                new,
                ty,
            } => Inst::Exchange {
                dst: dst?,
                ptr: self.arg(ptr)?,
                expected: self.arg(expected)?,
                new: self.arg(new)?,
                at: self.touching(ty, site)?,
            },
            Op::MemCopy { dst, src, len, .. } => Inst::Copy {
                dst: self.arg(dst)?,
                src: self.arg(src)?,
                len: self.arg(len)?,
                site,
            },
            Op::MemSet { dst, byte, len, .. } => Inst::Fill {
                dst: self.arg(dst)?,
                byte: self.arg(byte)?,
                len: self.arg(len)?,
                site,
            },
            _ => return None,
        })
    }
}

/// A place where executions end.
fn trap(code: &mut Code) -> u32 {
    code.insts.push(Inst::Trap);
    code.insts.len() as u32 - 1
}
