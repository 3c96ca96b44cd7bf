//! Which instruction defines a value.

use crate::index::{BlockId, FuncId, IdVec, ValueId};

use super::{Instr, Program};

/// The instruction that defines each value of each function; none for parameters. Made once per program.
#[derive(Clone, Debug)]
pub struct Definitions(IdVec<FuncId, IdVec<ValueId, Option<(BlockId, u32)>>>);

impl Definitions {
    /// Of all functions.
    pub fn new(program: &Program) -> Definitions {
        let functions = program.functions.iter();
        let all = functions.map(|function| {
            let mut all = IdVec::filled(None, function.values.len());
            for (block, b) in function.blocks.iter_ids() {
                for (n, instr) in b.instrs.iter().enumerate() {
                    if let Some(v) = instr.result {
                        all[v] = Some((block, n as u32));
                    }
                }
            }
            all
        });
        Definitions(all.collect())
    }

    /// Its block and its position there.
    pub fn place(&self, f: FuncId, v: ValueId) -> Option<(BlockId, u32)> {
        self.0[f][v]
    }

    /// The instruction.
    pub fn instr<'p>(&self, program: &'p Program, f: FuncId, v: ValueId) -> Option<&'p Instr> {
        let (block, n) = self.place(f, v)?;
        Some(&program.functions[f].blocks[block].instrs[n as usize])
    }
}
