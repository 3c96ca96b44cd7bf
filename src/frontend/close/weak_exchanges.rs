//! Weak compare-and-exchange (C11 7.17.7.4): it may fail although the value is the expected one.
//!
//! Where nothing leads back to it, it fails or not, as it likes: what is written then is the expected value once more, in the same atomic
//! step, which nobody can tell from writing nothing. In a loop it succeeds where it can, as an assumption with a name
//! (`weak-exchange-succeeds`): a loop that tries again would otherwise have no last round.

use inkwell::module::Module;
use llvm_sys::core::{
    LLVMGetInstructionParent, LLVMGetNextInstruction, LLVMGetWeak, LLVMSetOperand,
};

use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, Val, instructions};

/// The model that stands before one in a loop; what it assumes is told by whoever gets there.
const SUCCEEDS: &str = "irkiss_weak_exchange_succeeds";

/// Lets them fail.
pub fn may_fail(module: &Module<'_>) {
    let weak: Vec<Val<'_>> = instructions(module).filter(|i| is_weak(*i)).collect();
    if weak.is_empty() {
        return;
    }
    let builder = Builder::new(module);
    for exchange in weak {
        builder.before(exchange);
        if is_in_loop(exchange) {
            builder.call(SUCCEEDS, builder.void_type(), &[]);
        } else {
            fail_by_itself(&builder, exchange);
        }
    }
}

fn is_weak(i: Val<'_>) -> bool {
    matches!(i.opcode(), Some(LLVMOpcode::LLVMAtomicCmpXchg))
        && unsafe { LLVMGetWeak(i.raw()) } != 0
}

fn is_in_loop(i: Val<'_>) -> bool {
    let home = unsafe { Bb::new(LLVMGetInstructionParent(i.raw())) };
    let mut seen = Vec::new();
    let mut work = home.successors();
    while let Some(block) = work.pop() {
        if block == home {
            return true;
        }
        if !seen.contains(&block) {
            seen.push(block);
            work.extend(block.successors());
        }
    }
    false
}

fn fail_by_itself<'m>(builder: &Builder<'m>, exchange: Val<'m>) {
    let (Some(expected), Some(new)) = (exchange.operand(1), exchange.operand(2)) else {
        return;
    };
    let Some(next) = (unsafe { Val::maybe(LLVMGetNextInstruction(exchange.raw())) }) else {
        return;
    };
    let uses: Vec<(Val<'_>, u32)> = (exchange.users().into_iter())
        .flat_map(|u| (0..u.operand_count()).map(move |n| (u, n)))
        .filter(|(u, n)| u.operand(*n) == Some(exchange))
        .collect();
    let fails = builder.nondet(1);
    let written = builder.select(fails, expected, new);
    unsafe { LLVMSetOperand(exchange.raw(), 2, written.raw()) };
    builder.before(next);
    let succeeds = builder.select(fails, builder.int(1, 0), builder.extract(exchange, 1));
    let told = builder.insert(exchange, succeeds, 1);
    for (user, n) in uses {
        unsafe { LLVMSetOperand(user.raw(), n, told.raw()) };
    }
}
