//! What lies behind a place: the visible instructions that a thread may come to after it.

use std::collections::{BTreeSet, VecDeque};

use fixedbitset::FixedBitSet;

use crate::index::{BlockId, FuncId, Idx, SiteId};
use crate::program::{Callee, Const, Op, Operand, Program, operands};

/// A place in a function: what comes after that instruction of that block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct After {
    /// The function.
    pub function: FuncId,
    /// The block.
    pub block: BlockId,
    /// The instruction; the number of all of them: the terminator.
    pub index: usize,
}

/// The visible instructions after these places, in threads that are started there too.
pub(in crate::symex) fn sites_after(program: &Program, places: &BTreeSet<After>) -> FixedBitSet {
    let mut found = Found {
        program,
        sites: FixedBitSet::with_capacity(program.sites.len()),
        entered: BTreeSet::new(),
        work: VecDeque::new(),
        through_pointer: false,
    };
    for at in places {
        found.after(*at);
    }
    while let Some(f) = found.work.pop_front() {
        for (_, block) in program.functions[f].blocks.iter_ids() {
            block.instrs.iter().for_each(|i| found.instr(&i.op, i.site));
            found.sites.extend(block.term_site.map(|s| s.index()));
        }
    }
    found.sites
}

struct Found<'p> {
    program: &'p Program,
    sites: FixedBitSet,
    entered: BTreeSet<FuncId>,
    work: VecDeque<FuncId>,
    through_pointer: bool,
}

impl Found<'_> {
    fn after(&mut self, at: After) {
        let blocks = &self.program.functions[at.function].blocks;
        let first = &blocks[at.block];
        for i in first.instrs.iter().skip(at.index + 1) {
            self.instr(&i.op, i.site);
        }
        self.sites.extend(first.term_site.map(|s| s.index()));
        let mut seen = BTreeSet::new();
        let mut work = first.term.successors();
        while let Some(b) = work.pop() {
            if !seen.insert(b) {
                continue;
            }
            let block = &blocks[b];
            block.instrs.iter().for_each(|i| self.instr(&i.op, i.site));
            self.sites.extend(block.term_site.map(|s| s.index()));
            work.extend(block.term.successors());
        }
    }

    fn instr(&mut self, op: &Op, site: Option<SiteId>) {
        self.sites.extend(site.map(|s| s.index()));
        // Who is called, handed over or started.
        if let Op::Call { callee, .. } = op {
            match callee {
                Callee::Direct(f) => self.enter(*f),
                Callee::Indirect(_) if !self.through_pointer => {
                    self.through_pointer = true;
                    self.all_handed_out();
                }
                Callee::Indirect(_) => {}
            }
        }
        let mut handed = Vec::new();
        operands(op, &mut |o| {
            if let Operand::Const(Const::Func { function, .. }) = o {
                handed.push(*function);
            }
        });
        handed.into_iter().for_each(|f| self.enter(f));
    }

    pub(in crate::symex) fn enter(&mut self, f: FuncId) {
        if !self.program.runtime.is_own(f) && self.entered.insert(f) {
            self.work.push_back(f);
        }
    }

    /// A call through a pointer may enter every function that has its address somewhere.
    fn all_handed_out(&mut self) {
        let program = self.program;
        let mut all = BTreeSet::new();
        for global in program.globals.iter() {
            for cell in global.init.iter().flatten() {
                if let Const::Func { function, .. } = cell.value {
                    all.insert(function);
                }
            }
        }
        let blocks = program.functions.iter().flat_map(|f| f.blocks.iter());
        for i in blocks.flat_map(|b| &b.instrs) {
            operands(&i.op, &mut |o| {
                if let Operand::Const(Const::Func { function, .. }) = o {
                    all.insert(*function);
                }
            });
        }
        all.into_iter().for_each(|f| self.enter(f));
    }
}
