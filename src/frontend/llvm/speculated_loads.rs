//! Loads that the compiler has moved out of a branch: `c ? *p : 0` of the source is a load and a `select` after its optimiser, where
//! reading more than the source does costs nothing. That a value which is then thrown away was read beside a write of another thread is
//! no data race of the source. They go back into a branch.
//!
//! Only where nothing can tell: the load is plain, nobody but the select uses it or what is computed from it, and between the two nothing
//! else reads or writes, so that it is not moved past anything (a flag that the source looks at after it). A source that reads and chooses
//! at once looks the same: of it, the race of a value that nobody uses is not told.

use inkwell::module::Module;
use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::core::*;

use super::build::{Builder, replace};
use super::raw::{Bb, LLVMOpcode, Val, instructions};

/// Instructions between a load and what chooses it that are looked through.
const MAX_STEPS: usize = 8;

/// Puts them back, in all functions.
pub fn put_back(module: &Module<'_>) {
    let builder = Builder::new(module);
    let selects = instructions(module).filter(|i| i.opcode() == Some(LLVMOpcode::LLVMSelect));
    for select in selects.collect::<Vec<_>>() {
        let [Some(condition), Some(yes), Some(no)] = [0, 1, 2].map(|n| select.operand(n)) else {
            continue;
        };
        if condition.ty().int_bits() != 1 || yes == no {
            continue;
        }
        let moved = speculated(select, [yes, no]);
        if moved.iter().any(|chain| !chain.is_empty()) {
            branch(&builder, select, condition, [yes, no], &moved);
        }
    }
}

/// `select` becomes a branch around what is computed for its values alone.
fn branch<'m>(
    builder: &Builder<'m>,
    select: Val<'m>,
    condition: Val<'m>,
    values: [Val<'m>; 2],
    moved: &[Vec<Val<'m>>; 2],
) {
    let head = builder.split_before(select);
    let tail = block_of(select);
    let sides = moved.each_ref().map(|chain| match chain.is_empty() {
        true => None,
        false => Some(builder.block_before(select)),
    });
    builder.at_end(head);
    let [yes, no] = sides.map(|side| side.unwrap_or(tail));
    builder.branch(condition, yes, no);
    for (side, chain) in sides.iter().zip(moved) {
        if let Some(side) = side {
            builder.at_end(*side);
            for instruction in chain {
                builder.moved(*instruction);
            }
            builder.jump(tail);
        }
    }
    let phi = builder.phi(select, &select.name());
    for (value, side) in values.iter().zip(sides) {
        unsafe {
            let (mut value, mut from) = (value.raw(), side.unwrap_or(head).raw());
            LLVMAddIncoming(phi.raw(), &mut value, &mut from, 1);
        }
    }
    replace(select, Some(phi));
}

fn block_of(instruction: Val<'_>) -> Bb<'_> {
    unsafe { Bb::new(LLVMGetInstructionParent(instruction.raw())) }
}

/// What is computed for each of its two values alone, from a load on, in order. None where something else in between reads or writes:
/// what the source reads before that is read there, whether it is used or not.
fn speculated<'m>(select: Val<'m>, values: [Val<'m>; 2]) -> [Vec<Val<'m>>; 2] {
    let block = block_of(select);
    let mut before = block.instructions();
    before.truncate(before.iter().position(|i| *i == select).unwrap_or(0));
    let chains = values.map(|value| {
        let mut chain = Vec::new();
        loads(value, block, &mut chain);
        chain.sort_by_key(|i| before.iter().position(|x| x == i));
        chain
    });
    let sinks = |chain: &[Val<'m>], along: &[Val<'m>]| {
        let from = before.iter().position(|i| Some(i) == chain.first());
        let mut between = before[from.unwrap_or(before.len())..].iter();
        between.all(|i| along.contains(i) || !has_place(*i))
    };
    let both = chains.concat();
    if chains.iter().all(|chain| sinks(chain, &both)) {
        return chains;
    }
    chains.map(|chain| match sinks(&chain, &chain) {
        true => chain,
        false => Vec::new(),
    })
}

/// Whether a value of that block comes from plain loads; what leads from them to it is noted.
fn loads<'m>(value: Val<'m>, block: Bb<'m>, chain: &mut Vec<Val<'m>>) -> bool {
    let Some(opcode) = value.opcode() else {
        return false;
    };
    if chain.len() == MAX_STEPS || block_of(value) != block || value.users().len() != 1 {
        return false;
    }
    use LLVMOpcode::*;
    let found = match opcode {
        LLVMLoad => is_plain(value),
        LLVMICmp | LLVMFCmp | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMBitCast | LLVMPtrToInt
        | LLVMIntToPtr | LLVMFreeze | LLVMAdd | LLVMSub | LLVMMul | LLVMAnd | LLVMOr | LLVMXor
        | LLVMShl | LLVMLShr | LLVMAShr => {
            let operands = (0..value.operand_count()).filter_map(|n| value.operand(n));
            let mut any = false;
            for operand in operands {
                any |= loads(operand, block, chain);
            }
            any
        }
        _ => false,
    };
    if found {
        chain.push(value);
    }
    found
}

/// A load that is neither atomic nor volatile, of memory that others may see.
fn is_plain(load: Val<'_>) -> bool {
    let ordering = unsafe { LLVMGetOrdering(load.raw()) };
    let volatile = unsafe { LLVMGetVolatile(load.raw()) } != 0;
    let local = |p: Val<'_>| p.opcode() == Some(LLVMOpcode::LLVMAlloca);
    ordering == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
        && !volatile
        && load.operand(0).is_some_and(|p| !local(p))
}

/// Whether it matters where an instruction stands: it reads, may write, or orders what others do.
fn has_place(instruction: Val<'_>) -> bool {
    use LLVMOpcode::*;
    match instruction.opcode() {
        Some(LLVMCall) => instruction.intrinsic_name().is_none_or(|name| {
            let pure = [
                "llvm.umin.",
                "llvm.umax.",
                "llvm.smin.",
                "llvm.smax.",
                "llvm.abs.",
                "llvm.expect.",
            ];
            !pure.iter().any(|p| name.starts_with(p))
        }),
        Some(
            LLVMLoad | LLVMStore | LLVMInvoke | LLVMCallBr | LLVMAtomicRMW | LLVMAtomicCmpXchg
            | LLVMFence | LLVMVAArg,
        ) => true,
        Some(_) => false,
        None => true,
    }
}
