//! Loops that do nothing but count: delays, and device registers that are read for their own sake.
//!
//! A loop whose number of rounds is a constant, which reads and writes no memory and leaves no value behind, is left out: a
//! search that follows a bounded number of rounds would not get past it. Nothing that another thread could see is lost.

use inkwell::module::Module;
use llvm_sys::LLVMIntPredicate as P;
use llvm_sys::core::{
    LLVMCountIncoming, LLVMGetICmpPredicate, LLVMGetIncomingBlock, LLVMGetIncomingValue,
    LLVMGetInstructionParent,
};

use super::models::is_default;
use crate::frontend::llvm::build::{Builder, replace};
use crate::frontend::llvm::prepare::drop_incoming;
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, Val, functions};

/// More rounds than this are not counted, and the loop stays.
const MAX_ROUNDS: u64 = 1 << 22;
/// Loops of more blocks than this are not looked at.
const MAX_BLOCKS: usize = 32;

/// Leaves them out. Run it when inline assembly has been lowered and every function has its body.
pub fn skip_idle_loops(module: &Module<'_>) {
    let builder = Builder::new(module);
    for header in functions(module).into_iter().flat_map(Val::blocks) {
        let Some(branch) = header.instructions().last().copied() else {
            continue;
        };
        let [one, other] = header.successors()[..] else {
            continue;
        };
        if !matches!(branch.opcode(), Some(LLVMOpcode::LLVMBr)) {
            continue;
        }
        for (inside, outside, stays) in [(one, other, true), (other, one, false)] {
            let Some(blocks) = loop_blocks(header, inside, outside) else {
                continue;
            };
            if is_idle(&blocks) && ends(header, branch, &blocks, stays) {
                builder.before(branch);
                builder.jump(outside);
                replace(branch, None);
                // That edge alone is gone; what only it led to is removed with all that is unreachable.
                drop_incoming(&builder, inside, |from| from == header);
                break;
            }
        }
    }
}

/// The blocks of the loop that `header` alone leaves, towards `outside`; the header first.
fn loop_blocks<'m>(header: Bb<'m>, inside: Bb<'m>, outside: Bb<'m>) -> Option<Vec<Bb<'m>>> {
    let mut blocks = vec![header];
    let mut work = vec![inside];
    let mut returns = false;
    while let Some(block) = work.pop() {
        if block == header {
            returns = true;
            continue;
        }
        if blocks.contains(&block) {
            continue;
        }
        let next = block.successors();
        if block == outside || next.is_empty() || blocks.len() >= MAX_BLOCKS {
            return None;
        }
        blocks.push(block);
        work.extend(next);
    }
    (returns && inside != outside).then_some(blocks)
}

/// Whether nothing happens in the blocks that anything outside could notice.
fn is_idle(blocks: &[Bb<'_>]) -> bool {
    use LLVMOpcode::*;
    blocks.iter().flat_map(|b| b.instructions()).all(|i| {
        let harmless = match i.opcode() {
            Some(
                LLVMPHI | LLVMAdd | LLVMSub | LLVMMul | LLVMAnd | LLVMOr | LLVMXor | LLVMShl
                | LLVMLShr | LLVMAShr | LLVMICmp | LLVMSelect | LLVMZExt | LLVMSExt | LLVMTrunc
                | LLVMIntToPtr | LLVMPtrToInt | LLVMGetElementPtr | LLVMFreeze | LLVMBr,
            ) => true,
            Some(LLVMCall) => i.callee().is_some_and(|f| {
                let name = f.name();
                name.starts_with("llvm.dbg.")
                    || name.starts_with("__irkiss_nondet_u")
                    || !f.is_declaration() && is_default(f)
            }),
            _ => false,
        };
        harmless && i.users().into_iter().all(|u| blocks.contains(&block_of(u)))
    })
}

/// Whether a counter, constant where it starts, where it ends and in its steps, ends the loop.
fn ends(header: Bb<'_>, branch: Val<'_>, blocks: &[Bb<'_>], stays: bool) -> bool {
    count(header, branch, blocks, stays).is_some_and(|rounds| rounds < MAX_ROUNDS)
}

fn count(header: Bb<'_>, branch: Val<'_>, blocks: &[Bb<'_>], stays: bool) -> Option<u64> {
    let compare = branch.operand(0)?;
    if !matches!(compare.opcode(), Some(LLVMOpcode::LLVMICmp)) {
        return None;
    }
    let pred = unsafe { LLVMGetICmpPredicate(compare.raw()) };
    let (left, limit) = (compare.operand(0)?, constant(compare.operand(1)?)?);
    let bits = left.ty().int_bits();
    let counter = counter_in(left, header)?;
    let (mut start, mut following) = (None, None);
    for n in 0..unsafe { LLVMCountIncoming(counter.raw()) } {
        let (value, from) = unsafe {
            (
                Val::new(LLVMGetIncomingValue(counter.raw(), n)),
                Bb::new(LLVMGetIncomingBlock(counter.raw(), n)),
            )
        };
        let place = match blocks.contains(&from) {
            true => &mut following,
            false => &mut start,
        };
        if place.is_some_and(|known| known != value) {
            return None;
        }
        *place = Some(value);
    }
    let (mut at, following) = (constant(start?)?, following?);
    let mut rounds = 0;
    while holds(pred, value_of(left, counter, at)?, limit, bits)? == stays {
        at = value_of(following, counter, at)?;
        rounds += 1;
        if rounds >= MAX_ROUNDS {
            return None;
        }
    }
    Some(rounds)
}

/// The phi of the header that a value is computed from.
fn counter_in<'m>(mut value: Val<'m>, header: Bb<'m>) -> Option<Val<'m>> {
    for _ in 0..8 {
        match value.opcode()? {
            LLVMOpcode::LLVMPHI => return (block_of(value) == header).then_some(value),
            _ => value = value.operand(0)?,
        }
    }
    None
}

/// What a value is when the counter is `at`, if constants alone make it of the counter.
fn value_of(value: Val<'_>, counter: Val<'_>, at: u64) -> Option<u64> {
    let bits = value.ty().int_bits();
    if !(1..=64).contains(&bits) {
        return None;
    }
    let mask = u64::MAX >> (64 - bits);
    if value == counter {
        return Some(at & mask);
    }
    let left = value_of(value.operand(0)?, counter, at)?;
    let right = || constant(value.operand(1)?);
    let result = match value.opcode()? {
        LLVMOpcode::LLVMAdd => left.wrapping_add(right()?),
        LLVMOpcode::LLVMSub => left.wrapping_sub(right()?),
        LLVMOpcode::LLVMOr => left | right()?,
        LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMTrunc => left,
        _ => return None,
    };
    Some(result & mask)
}

fn constant(value: Val<'_>) -> Option<u64> {
    value.int_value()?.try_into().ok()
}

fn holds(pred: P, a: u64, b: u64, bits: u32) -> Option<bool> {
    let signed = |n: u64| ((n << (64 - bits)) as i64) >> (64 - bits);
    Some(match pred {
        P::LLVMIntEQ => a == b,
        P::LLVMIntNE => a != b,
        P::LLVMIntULT => a < b,
        P::LLVMIntULE => a <= b,
        P::LLVMIntUGT => a > b,
        P::LLVMIntUGE => a >= b,
        P::LLVMIntSLT => signed(a) < signed(b),
        P::LLVMIntSLE => signed(a) <= signed(b),
        P::LLVMIntSGT => signed(a) > signed(b),
        P::LLVMIntSGE => signed(a) >= signed(b),
    })
}

fn block_of<'m>(i: Val<'m>) -> Bb<'m> {
    unsafe { Bb::new(LLVMGetInstructionParent(i.raw())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;
    use crate::frontend::llvm::prepare::prepare;

    fn skipped(limit: &str, body: &str, result: &str) -> bool {
        let context = inkwell::context::Context::create();
        let text = format!(
            "define i32 @read(ptr %p) {{
               %v = call i32 @__irkiss_nondet_u32()
               ret i32 %v
             }}
             declare i32 @__irkiss_nondet_u32()
             define i32 @f(ptr %p, i32 %n) {{
             entry:
               br label %header
             header:
               %i = phi i32 [ -1610612736, %entry ], [ %next, %body ]
               %go = icmp ult i32 %i, {limit}
               br i1 %go, label %body, label %done
             body:
               {body}
               %next = add i32 %i, 4
               br label %header
             done:
               ret i32 {result}
             }}"
        );
        let module = parse(&context, text.as_bytes(), "t.ll").expect("parses");
        skip_idle_loops(&module);
        module.verify().expect("valid");
        prepare(&module).expect("valid");
        !module.print_to_string().to_string().contains("phi")
    }

    #[test]
    fn a_loop_that_only_counts_is_left_out() {
        let limit = "-1608515584";
        assert!(skipped(limit, "", "0"));
        assert!(skipped(limit, "%v = call i32 @read(ptr %p)", "0"));
        // What it counts is wanted, it reads or writes memory, or ends when somebody else wants.
        assert!(!skipped(limit, "", "%i"));
        assert!(!skipped(limit, "%v = load i32, ptr %p", "0"));
        assert!(!skipped(limit, "store i32 0, ptr %p", "0"));
        assert!(!skipped("%n", "", "0"));
    }

    #[test]
    fn rounds_that_were_unrolled_are_counted() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"define void @f() {
              entry:
                br label %header
              header:
                %i = phi i64 [ 0, %entry ], [ %next, %header ]
                %last = or disjoint i64 %i, 28
                %next = add nuw nsw i64 %i, 32
                %go = icmp ult i64 %last, 2097148
                br i1 %go, label %header, label %done
              done:
                ret void
              }",
            "t.ll",
        )
        .unwrap();
        skip_idle_loops(&module);
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert!(text.contains("br label %done"), "{text}");
    }

    #[test]
    fn a_body_with_values_that_meet_is_left_out() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"define void @f(i1 %c) {
              entry:
                br label %header
              header:
                %i = phi i32 [ 0, %entry ], [ %next, %last ]
                %go = icmp ult i32 %i, 40
                br i1 %go, label %first, label %done
              first:
                %x = phi i32 [ %i, %header ]
                br i1 %c, label %other, label %last
              other:
                br label %last
              last:
                %y = phi i32 [ %x, %first ], [ 0, %other ]
                %next = add i32 %i, 4
                br label %header
              done:
                ret void
              }",
            "t.ll",
        )
        .unwrap();
        skip_idle_loops(&module);
        module.verify().unwrap();
        prepare(&module).unwrap();
        assert!(!module.print_to_string().to_string().contains("%y"));
    }

    #[test]
    fn a_loop_that_never_ends_stays() {
        // 4 divides what the counter passes: it is never -1.
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"define void @f() {
              entry:
                br label %header
              header:
                %i = phi i32 [ 0, %entry ], [ %next, %header ]
                %next = add i32 %i, 4
                %go = icmp ne i32 %next, 3
                br i1 %go, label %header, label %done
              done:
                ret void
              }",
            "t.ll",
        )
        .unwrap();
        skip_idle_loops(&module);
        module.verify().unwrap();
        assert!(module.print_to_string().to_string().contains("phi"));
    }
}
