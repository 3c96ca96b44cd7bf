//! Functions that the input takes from a table of its own before it hands them on: an array, also one that is local, or the fields of
//! structs that it has declared. Each function that stands there may be the one.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::find::Search;
use super::types::{Base, Definitions, global_type, place_at};
use crate::environment::rules::Rules;
use crate::index::{FuncId, GlobalId, ValueId};
use crate::program::{Callee, Const, Function, Op, Operand, Origin, Program};

/// The tables of an input.
pub(super) struct Tables {
    /// By the field of the struct, as rules name it.
    fields: HashMap<String, BTreeSet<FuncId>>,
    /// By the variable, where no field is known.
    variables: HashMap<GlobalId, BTreeSet<FuncId>>,
}

impl Tables {
    /// As initialisers fill them.
    pub fn of(program: &Program, rules: &Rules) -> Tables {
        let mut tables = Tables {
            fields: HashMap::new(),
            variables: HashMap::new(),
        };
        for (id, global) in program.globals.iter_ids() {
            for cell in global.init.iter().flatten() {
                let Const::Func { function, .. } = cell.value else {
                    continue;
                };
                let place =
                    global_type(program, id).and_then(|ty| place_at(program, ty, cell.offset));
                match place.filter(|p| !p.structure.is_empty()) {
                    // What the kernel calls through is registered as it stands.
                    Some(p)
                        if p.origin == Origin::Interface || rules.knows_struct(&p.structure) => {}
                    Some(p) => drop(tables.fields.entry(p.name()).or_default().insert(function)),
                    None => drop(tables.variables.entry(id).or_default().insert(function)),
                }
            }
        }
        tables
    }

    /// The functions that a value may be which was loaded from a table.
    pub fn loaded(
        &self,
        program: &Program,
        definitions: &Definitions<'_>,
        value: &Operand,
    ) -> BTreeSet<FuncId> {
        if self.fields.is_empty() && self.variables.is_empty() && !definitions.stores_functions() {
            return BTreeSet::new();
        }
        let places = definitions.loaded(program, value).into_iter();
        let fields = places.filter_map(|p| self.fields.get(&p.name()));
        let mut found: BTreeSet<FuncId> = fields.flatten().copied().collect();
        for base in definitions.loaded_from(value) {
            match base {
                Base::Global(global) => {
                    found.extend(self.variables.get(&global).into_iter().flatten())
                }
                Base::Local(local) => found.extend(self.in_local(definitions, local)),
            }
        }
        found
    }

    /// What a local variable was filled with: by stores, and from a constant.
    fn in_local(&self, definitions: &Definitions<'_>, local: ValueId) -> BTreeSet<FuncId> {
        let mut found = BTreeSet::new();
        let into = |ptr: &Operand| definitions.base(ptr) == Some(Base::Local(local));
        for instr in definitions.instructions() {
            match &instr.op {
                Op::Store {
                    ptr,
                    value: Operand::Const(Const::Func { function, .. }),
                    ..
                } if into(ptr) => {
                    found.insert(*function);
                }
                Op::MemCopy { dst, src, .. } if into(dst) => {
                    if let Some(Base::Global(global)) = definitions.base(src) {
                        found.extend(self.variables.get(&global).into_iter().flatten());
                    }
                }
                _ => {}
            }
        }
        found
    }
}

impl Search<'_> {
    /// The variables whose functions the input itself calls, as what it loads from them.
    pub(super) fn called_tables(&self) -> HashSet<GlobalId> {
        let mut called = HashSet::new();
        for (_, function) in self.bodies() {
            let definitions = Definitions::new(function);
            for pointer in indirect_calls(function) {
                let bases = definitions.loaded_from(pointer).into_iter();
                called.extend(bases.filter_map(|base| match base {
                    Base::Global(global) => Some(global),
                    Base::Local(_) => None,
                }));
            }
        }
        called
    }
}

fn indirect_calls(function: &Function) -> impl Iterator<Item = &Operand> {
    let instructions = function.blocks.iter().flat_map(|b| &b.instrs);
    instructions.filter_map(|i| match &i.op {
        Op::Call {
            callee: Callee::Indirect(pointer),
            ..
        } => Some(pointer),
        _ => None,
    })
}
