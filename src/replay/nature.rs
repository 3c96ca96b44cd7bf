//! What the two accesses of a race do with the memory: whether a mixture may be seen, an update lost, a pointer or a branch is at stake.
//!
//! Only facts of the two instructions and of what stands around them in their functions: no judgement. What goes through memory or
//! through calls is not followed: an update by way of a local variable in memory is told as a read and a write.

use std::collections::HashSet;

use super::bit_fields::leaf;
use super::bits::{self, Bits};
use super::describe::Names;
use super::interp::AccessRecord;
use super::settled::is_settled;
use super::state::Frame as Activation;
use crate::index::{GlobalId, SiteId, ValueId};
use crate::program::{
    Const, DebugTypeKind, FieldRef, Function, Instr, Op, Operand, Program, SiteKind, Terminator,
};
use crate::verdict::Nature;

/// What a processor reads or writes at once, in bytes.
const WORDS: [u64; 4] = [1, 2, 4, 8];

/// Of two accesses that race, each with what is known of its side.
pub(super) fn of(names: [&Names<'_>; 2], accesses: [&AccessRecord; 2], bit_fields: bool) -> Nature {
    let [a, b] = accesses;
    let program = names[0].machine.program;
    let word = u64::from(program.layout.pointer_bytes);
    // One whose length is not constant is a copy, however short it was this time.
    let copies = |x: &AccessRecord| program.sites[x.site].bytes == 0;
    let wide = |x: &AccessRecord| copies(x) || !WORDS.contains(&x.bytes) || x.bytes > word;
    let overlap = a.address.max(b.address);
    let sides: Vec<Side<'_>> = names
        .iter()
        .zip(accesses)
        .map(|(n, x)| Side::of(n, x))
        .collect();
    Nature {
        torn: wide(a) || wide(b) || a.address != b.address || a.bytes != b.bytes,
        pointer: matches!(leaf(names[0], overlap), Some(DebugTypeKind::Pointer(_))),
        bit_fields,
        updates: sides.iter().map(|s| s.updates).collect(),
        decides: sides.iter().any(|s| s.decides),
        same_value: nothing_changes(program, [&sides[0], &sides[1]]),
    }
}

/// Of two instructions that were not executed: what they do with memory of which `like` was found out. `None`: they are no plain accesses.
pub fn of_sites(program: &Program, sites: [SiteId; 2], like: &Nature) -> Option<Nature> {
    let [a, b] = [side(program, sites[0])?, side(program, sites[1])?];
    let [x, y] = sites.map(|s| u64::from(program.sites[s].bytes));
    let word = u64::from(program.layout.pointer_bytes);
    let wide = |bytes: u64| !WORDS.contains(&bytes) || bytes > word;
    Some(Nature {
        torn: wide(x) || wide(y) || x != y,
        pointer: like.pointer,
        bit_fields: like.bit_fields,
        updates: vec![a.updates, b.updates],
        decides: a.decides || b.decides,
        same_value: nothing_changes(program, [&a, &b]),
    })
}

/// What stands at a site, if it is an access of memory by itself.
fn side(program: &Program, site: SiteId) -> Option<Side<'_>> {
    let at = &program.sites[site];
    let both = at.kind == SiteKind::ReadWrite;
    if !both && !matches!(at.kind, SiteKind::Read | SiteKind::Write) {
        return None;
    }
    let function = &program.functions[program.function_named(&at.function)?];
    let instr = instructions(function).find(|i| i.site == Some(site))?;
    Some(Side::at(function, instr, both))
}

struct Side<'f> {
    updates: bool,
    decides: bool,
    /// The constant that it writes, whatever happens.
    stores: Option<&'f Const>,
    /// The bits that it sets and those that it clears, whatever happens, where it changes no others.
    bits: Option<Bits>,
    /// The global that it reads or writes.
    of: Option<GlobalId>,
}

/// Whether both write the same, or change the same bits in the same way, or nothing else ever stands there than what stands there from
/// the beginning.
fn nothing_changes(program: &Program, sides: [&Side<'_>; 2]) -> bool {
    let [a, b] = sides;
    let same = matches!((a.stores, b.stores), (Some(x), Some(y)) if x == y);
    let alike = matches!((a.bits, b.bits), (Some(x), Some(y)) if x == y);
    same || alike || matches!((a.of, b.of), (Some(x), Some(y)) if x == y && is_settled(program, x))
}

impl<'f> Side<'f> {
    fn of(names: &Names<'f>, access: &AccessRecord) -> Side<'f> {
        let nothing = Side {
            updates: access.read && access.write,
            decides: false,
            stores: None,
            bits: None,
            of: None,
        };
        let Some(frame) = names.log.watched.last() else {
            return nothing;
        };
        let function = &names.machine.program.functions[frame.function];
        match function.blocks[frame.block].instrs.get(frame.index) {
            Some(instr) => Side::at(function, instr, nothing.updates),
            None => nothing,
        }
    }

    /// Of an instruction, whoever executes it. `both`: whether it reads and writes at once.
    fn at(function: &'f Function, instr: &'f Instr, both: bool) -> Side<'f> {
        let nothing = Side {
            updates: both,
            decides: false,
            stores: None,
            bits: None,
            of: None,
        };
        match (&instr.op, instr.result) {
            (Op::Load { ptr, .. }, Some(result)) => {
                let made = made_of(function, result);
                let decides = branches(function, &made);
                // Who looks at what is there before it changes that may come to something else.
                let bits = bits::of_load(function, ptr, result, &made);
                Side {
                    updates: instructions(function).any(|i| match &i.op {
                        Op::Store { ptr: to, value, .. } => {
                            same_place(function, ptr, to) && is_in(value, &made)
                        }
                        _ => false,
                    }),
                    decides,
                    stores: None,
                    bits: bits.filter(|_| !decides),
                    of: global(ptr),
                }
            }
            (Op::Store { ptr, value, .. }, _) => Side {
                updates: instructions(function).any(|i| match (&i.op, i.result) {
                    (Op::Load { ptr: from, .. }, Some(result)) => {
                        same_place(function, ptr, from) && is_in(value, &made_of(function, result))
                    }
                    _ => false,
                }),
                decides: false,
                stores: match value {
                    Operand::Const(constant) => Some(constant),
                    Operand::Value(_) => None,
                },
                bits: bits::of_store(function, ptr, value),
                of: global(ptr),
            },
            _ => nothing,
        }
    }
}

/// Whether a branch depends on what the instruction that an activation is at results in; by way of local variables, too.
pub(super) fn decides(program: &Program, frame: &Activation) -> bool {
    let function = &program.functions[frame.function];
    let instr = function.blocks[frame.block].instrs.get(frame.index);
    let instr = instr.filter(|_| !function.is_model);
    let Some(result) = instr.and_then(|i| i.result) else {
        return false;
    };
    let locals = |i: &&Instr| matches!(i.op, Op::Alloca { .. });
    let locals: HashSet<ValueId> = instructions(function)
        .filter(locals)
        .filter_map(|i| i.result)
        .collect();
    let mut made = made_of(function, result);
    // Variables that hold one of these.
    let mut holds: HashSet<ValueId> = HashSet::new();
    loop {
        let before = (made.len(), holds.len());
        for instr in instructions(function) {
            match &instr.op {
                Op::Store {
                    ptr: Operand::Value(to),
                    value,
                    ..
                } if locals.contains(to) && is_in(value, &made) => {
                    holds.insert(*to);
                }
                Op::Load { ptr, .. } if is_in(ptr, &holds) => {
                    let loaded = instr.result.filter(|r| !made.contains(r));
                    made.extend(loaded.into_iter().flat_map(|r| made_of(function, r)));
                }
                _ => {}
            }
        }
        if (made.len(), holds.len()) == before {
            return branches(function, &made);
        }
    }
}

/// Whether it branches on one of these.
fn branches(function: &Function, on: &HashSet<ValueId>) -> bool {
    function.blocks.iter().any(|b| match &b.term {
        Terminator::Branch { cond, .. } => is_in(cond, on),
        Terminator::Switch { value, .. } => is_in(value, on),
        _ => false,
    })
}

/// The values that arithmetic makes of one, itself among them.
pub(super) fn made_of(function: &Function, value: ValueId) -> HashSet<ValueId> {
    let mut made = HashSet::from([value]);
    loop {
        let before = made.len();
        for instr in instructions(function) {
            let from = |all: &[&Operand]| all.iter().any(|o| is_in(o, &made));
            let derived = match &instr.op {
                Op::Bin { lhs, rhs, .. } | Op::Icmp { lhs, rhs, .. } => from(&[lhs, rhs]),
                Op::Cast { value, .. } => from(&[value]),
                Op::Select {
                    cond,
                    if_true,
                    if_false,
                } => from(&[cond, if_true, if_false]),
                _ => false,
            };
            if let (true, Some(result)) = (derived, instr.result) {
                made.insert(result);
            }
        }
        if made.len() == before {
            return made;
        }
    }
}

/// The global that a pointer is a constant place of.
fn global(pointer: &Operand) -> Option<GlobalId> {
    match pointer {
        Operand::Const(Const::Addr { global, .. }) => Some(*global),
        _ => None,
    }
}

pub(super) fn instructions(function: &Function) -> impl Iterator<Item = &Instr> {
    function.blocks.iter().flat_map(|b| &b.instrs)
}

pub(super) fn is_in(operand: &Operand, values: &HashSet<ValueId>) -> bool {
    matches!(operand, Operand::Value(v) if values.contains(v))
}

/// Whether two pointers are one, or are computed as the same field of the same struct.
pub(super) fn same_place(function: &Function, a: &Operand, b: &Operand) -> bool {
    a == b || matches!((field(function, a), field(function, b)), (Some(x), Some(y)) if x == y)
}

fn field<'f>(function: &'f Function, pointer: &Operand) -> Option<(&'f Operand, &'f FieldRef)> {
    let Operand::Value(value) = pointer else {
        return None;
    };
    let made = instructions(function).find(|i| i.result == Some(*value))?;
    match &made.op {
        Op::Gep {
            base,
            scaled,
            field: Some(field),
            ..
        } if scaled.is_empty() => Some((base, field)),
        _ => None,
    }
}
