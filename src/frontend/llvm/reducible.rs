//! Loops with more than one entry become loops with one: LLVM's `fix-irreducible` sends the entries through a block that goes on to
//! where they led. Only functions that have such loops are touched, and no access in them.

use std::collections::{BTreeSet, HashMap};

use inkwell::module::Module;
use llvm_sys::error::LLVMConsumeError;
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPassesOnFunction,
};

use super::raw::{Bb, LLVMOpcode, Val, functions};

/// Makes all functions reducible, but those that jump to computed addresses.
pub fn make_reducible(module: &Module<'_>) {
    for function in functions(module) {
        let blocks = function.blocks();
        if !is_irreducible(&blocks) || !blocks.iter().all(|b| branches(*b)) {
            continue;
        }
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPassesOnFunction(
                function.raw(),
                c"lower-switch,fix-irreducible".as_ptr(),
                std::ptr::null_mut(),
                options,
            );
            LLVMDisposePassBuilderOptions(options);
            // Left as it is: its pairs are unknown, and say why.
            if !error.is_null() {
                LLVMConsumeError(error);
            }
        }
    }
}

/// Whether a block ends in what the pass knows.
fn branches(block: Bb<'_>) -> bool {
    block.instructions().last().is_some_and(|term: &Val<'_>| {
        block.successors().is_empty()
            || matches!(
                term.opcode(),
                Some(LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch)
            )
    })
}

/// Whether blocks that have one predecessor, taken into it until none is left, are more than the entry (Hecht and Ullman: T1, T2).
fn is_irreducible(blocks: &[Bb<'_>]) -> bool {
    let number: HashMap<Bb<'_>, usize> = blocks.iter().enumerate().map(|(n, b)| (*b, n)).collect();
    let next: Vec<BTreeSet<usize>> = blocks
        .iter()
        .map(|b| b.successors().iter().map(|s| number[s]).collect())
        .collect();
    irreducible(next)
}

fn irreducible(mut next: Vec<BTreeSet<usize>>) -> bool {
    let mut before = vec![BTreeSet::new(); next.len()];
    let mut reached = vec![false; next.len()];
    let mut todo: Vec<usize> = (0..next.len().min(1)).collect();
    while let Some(n) = todo.pop() {
        if !std::mem::replace(&mut reached[n], true) {
            todo.extend(&next[n]);
        }
    }
    for (n, all) in next.iter_mut().enumerate() {
        all.remove(&n);
        for s in all.iter().filter(|_| reached[n]) {
            before[*s].insert(n);
        }
    }
    let mut left: usize = reached.iter().filter(|r| **r).count();
    let mut todo: Vec<usize> = (1..next.len()).filter(|n| reached[*n]).collect();
    while let Some(n) = todo.pop() {
        if before[n].len() != 1 {
            continue;
        }
        let into = before[n].pop_first().unwrap_or_default();
        next[into].remove(&n);
        for s in std::mem::take(&mut next[n]) {
            before[s].remove(&n);
            if s != into {
                next[into].insert(s);
                before[s].insert(into);
            }
            if s != 0 {
                todo.push(s);
            }
        }
        left -= 1;
    }
    left > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;
    use inkwell::context::Context;

    #[test]
    fn loops_are_known_by_their_entries() {
        let graph =
            |edges: &[&[usize]]| edges.iter().map(|e| e.iter().copied().collect()).collect();
        assert!(!irreducible(graph(&[])));
        assert!(!irreducible(graph(&[&[1, 2], &[3], &[3], &[]])));
        assert!(!irreducible(graph(&[&[1], &[2, 3], &[1], &[0]])));
        assert!(!irreducible(graph(&[&[1], &[1], &[1]])));
        assert!(irreducible(graph(&[&[1, 2], &[2, 3], &[1, 3], &[]])));
    }

    #[test]
    fn a_loop_with_two_entries_gets_one() {
        let context = Context::create();
        let text = b"define i32 @f(i32 %x, ptr %p) {
            switch i32 %x, label %a [ i32 1, label %b
                                      i32 2, label %end ]
          a:
            store i32 1, ptr %p
            br label %b
          b:
            %v = load i32, ptr %p
            %c = icmp eq i32 %v, 0
            br i1 %c, label %a, label %end
          end:
            ret i32 0
          }";
        let module = parse(&context, text, "t.ll").expect("parses");
        let of = |module: &Module<'_>| {
            let all = functions(module);
            let blocks = all[0].blocks();
            let stores = blocks.iter().flat_map(|b| b.instructions());
            let stores = stores.filter(|i| matches!(i.opcode(), Some(LLVMOpcode::LLVMStore)));
            (is_irreducible(&blocks), stores.count())
        };
        assert_eq!(of(&module), (true, 1));
        make_reducible(&module);
        module.verify().expect("valid");
        assert_eq!(of(&module), (false, 1));
    }
}
