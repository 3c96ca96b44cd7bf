//! Inline assembly to instructions, by form.
//!
//! Known helper functions have been replaced by models by name before; what is
//! left is looked at here: the text is taken apart (`text.rs`), each instruction
//! is looked up in a table (`forms.rs`) and its effect is built (`lower.rs`). A
//! statement of which any part is unknown becomes `__irkiss_gap`, and its results are anything.

mod foreign;
mod forms;
mod lower;
mod outside;
mod statement;
mod text;

use std::collections::BTreeMap;

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;

use super::build::{Builder, replace};
use super::load::target_of;
use super::raw::{LLVMOpcode, Ty, Val, instructions};

/// What is to be known of the kernel that the code is for. Models are told where interrupts are disabled if either holds
/// (`__irkiss_irq_disable` and its like, which are linked already).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// It has one processor: who disables interrupts is alone.
    pub one_processor: bool,
    /// Somebody waits for a grace period: who disables interrupts is a reader of RCU.
    pub grace_periods: bool,
}

impl Kernel {
    /// Whether it makes a difference who has disabled interrupts.
    fn follows_interrupts(self) -> bool {
        self.one_processor || self.grace_periods
    }
}

/// Lowers every inline assembly call. Returns the texts that have no model, each with its number of sites.
pub fn lower_inline_asm(module: &Module<'_>, kernel: Kernel) -> Vec<(String, u32)> {
    let builder = Builder::new(module);
    let (triple, _) = target_of(module);
    let machine = Machine {
        triple: &triple,
        kernel,
    };
    let mut unknown: BTreeMap<String, u32> = BTreeMap::new();
    for i in instructions(module) {
        if !matches!(i.opcode(), Some(LLVMOpcode::LLVMCall)) {
            continue;
        }
        let Some((text, constraints)) = i.callee().and_then(Val::inline_asm) else {
            continue;
        };
        builder.before(i);
        let has_result = i.ty().kind() != LLVMTypeKind::LLVMVoidTypeKind;
        match lower::lower(&builder, i, &text, &constraints, &machine) {
            Some(result) => replace(i, result.filter(|_| has_result)),
            None => {
                let shown = one_line(&text);
                *unknown.entry(shown.clone()).or_default() += 1;
                let what = builder.text(&format!("inline assembly: {shown}"));
                builder.call("__irkiss_gap", builder.void_type(), &[what]);
                let anything = has_result.then(|| anything(&builder, i.ty()));
                replace(i, anything);
            }
        }
    }
    unknown.into_iter().collect()
}

/// Any value of the type, each number in it an input.
fn anything<'m>(builder: &Builder<'m>, ty: Ty<'m>) -> Val<'m> {
    match ty.int_bits() {
        1..=64 => return builder.nondet(ty.int_bits()),
        0 if ty.kind() == LLVMTypeKind::LLVMStructTypeKind => {}
        _ => return builder.arbitrary(ty),
    }
    let mut whole = builder.poison(ty);
    for (n, part) in ty.fields().into_iter().enumerate() {
        whole = builder.insert(whole, anything(builder, part), n as u32);
    }
    whole
}

/// What the assembly is for.
struct Machine<'t> {
    triple: &'t str,
    kernel: Kernel,
}

/// The instructions of a text as one line, for reports.
fn one_line(text: &str) -> String {
    let line = text
        .split(['\n', '\t'])
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    line.chars().take(200).collect()
}

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
mod tests;
