//! Threads that sleep since they were made, until somebody wakes them: whether the input shows who does.
//!
//! A thread begins when it is woken (`begins_at` of the `[[effect]]` that makes it) if, of each call that may make it,
//!
//! - the result is followed, through variables, fields of structs, parameters and results of functions of the input, to a call that wakes it;
//! - it goes nowhere else: to no function that is not known to let it sleep, to no place that has no name;
//! - that call is among what the same caller does: whoever makes it wakes it, or lets a function that it calls do so.
//!
//! Else it begins when it is made, which is earlier. Numbers that a pointer was made to are not followed.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::creators::reached;
use super::served::called_from_outside;
use super::types::{Definitions, Target};
use crate::environment::entry::{Begins, EntryPoint};
use crate::environment::rules::{EffectRule, Rules};
use crate::index::{FuncId, GlobalId, ValueId};
use crate::program::{Callee, Const, Instr, Op, Operand, Program, Terminator, Type, operands};

/// Finds them.
pub fn find(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    let named = |f: &String| program.function_named(f);
    let sleepers = rules.effects().iter().filter(|r| !r.begins_at.is_empty());
    for rule in sleepers {
        let makers: BTreeSet<FuncId> = rule.on.iter().filter_map(named).collect();
        if makers.is_empty() {
            continue;
        }
        let input = Input::new(program, rule);
        let made = input.made(&makers);
        for entry in entries.iter_mut().filter(|e| rule.concerns(&e.via)) {
            let function = program.function_named(&entry.function);
            let mut own = made
                .iter()
                .filter(|m| m.function.is_none_or(|f| Some(f) == function));
            if own.clone().next().is_some() && own.all(|m| m.woken) {
                entry.begins = Begins::Woken;
            }
        }
    }
}

/// What one call makes.
struct Made {
    /// What runs, if that is known.
    function: Option<FuncId>,
    /// Whether the input shows who wakes it.
    woken: bool,
}

/// Where a pointer may be found again.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Kept {
    /// In a value of a function.
    Value(FuncId, ValueId),
    /// In what an alloca of a function makes.
    Local(FuncId, ValueId),
    /// In a field, `struct.field`.
    Field(String),
    /// In a variable, at a byte offset.
    Variable(GlobalId, i64),
}

/// What becomes of a pointer.
#[derive(Default)]
struct Fate {
    /// The functions in which it is woken.
    woken_in: HashSet<FuncId>,
    /// Whether it goes where nobody sees what is done with it.
    astray: bool,
}

/// The input, as far as pointers are followed in it.
struct Input<'a> {
    program: &'a Program,
    rule: &'a EffectRule,
    definitions: HashMap<FuncId, Definitions<'a>>,
    /// The direct calls of each function: the caller, and what gets the result.
    calls: HashMap<FuncId, Vec<(FuncId, Option<ValueId>)>>,
    /// The values that are read from each field and variable.
    read: HashMap<Kept, Vec<(FuncId, ValueId)>>,
    /// Functions that others than those who call them by name may call.
    others: HashSet<FuncId>,
}

impl<'a> Input<'a> {
    fn new(program: &'a Program, rule: &'a EffectRule) -> Input<'a> {
        let mut input = Input {
            program,
            rule,
            definitions: HashMap::new(),
            calls: HashMap::new(),
            read: HashMap::new(),
            others: called_from_outside(program).into_iter().collect(),
        };
        let cells = program.globals.iter().flat_map(|g| g.init.iter().flatten());
        input.others.extend(cells.filter_map(|c| match c.value {
            Const::Func { function, .. } => Some(function),
            _ => None,
        }));
        let bodies = program
            .functions
            .iter_ids()
            .filter(|(_, f)| f.is_defined() && !f.is_model);
        for (id, function) in bodies {
            let definitions = Definitions::new(function);
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                input.note(id, &definitions, instr);
            }
            input.definitions.insert(id, definitions);
        }
        input
    }

    /// Notes calls, what is read, and functions whose address is taken.
    fn note(&mut self, id: FuncId, definitions: &Definitions<'a>, instr: &Instr) {
        match &instr.op {
            Op::Call {
                callee: Callee::Direct(callee),
                ..
            } => self
                .calls
                .entry(*callee)
                .or_default()
                .push((id, instr.result)),
            Op::Load {
                ptr, ty: Type::Ptr, ..
            } => {
                if let (Some(kept), Some(value)) = (self.kept(id, definitions, ptr), instr.result) {
                    self.read.entry(kept).or_default().push((id, value));
                }
            }
            _ => {}
        }
        operands(&instr.op, &mut |o| {
            if let Operand::Const(Const::Func { function, .. }) = o {
                self.others.insert(*function);
            }
        });
    }

    /// What an address leads to, if that has a name.
    fn kept(&self, id: FuncId, definitions: &Definitions<'a>, address: &Operand) -> Option<Kept> {
        if let Operand::Value(value) = address
            && let Some(Op::Alloca { .. }) = definitions.of(*value).map(|i| &i.op)
        {
            return Some(Kept::Local(id, *value));
        }
        if let Some(place) = definitions.place(self.program, address) {
            return Some(Kept::Field(place.name()));
        }
        match definitions.targets(address)[..] {
            [Target::Global(global, offset)] => Some(Kept::Variable(global, offset)),
            _ => None,
        }
    }

    /// What the calls of those functions make.
    fn made(&self, makers: &BTreeSet<FuncId>) -> Vec<Made> {
        let mut all = Vec::new();
        for (id, definitions) in &self.definitions {
            let function = &self.program.functions[*id];
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                let Op::Call {
                    callee: Callee::Direct(callee),
                    args,
                    ..
                } = &instr.op
                else {
                    continue;
                };
                if !makers.contains(callee) {
                    continue;
                }
                let what = self.rule.function.and_then(|n| args.get(n));
                let function = match what.map(|a| definitions.targets(a)).as_deref() {
                    Some([Target::Function(f)]) => Some(*f),
                    _ => None,
                };
                let fate = instr
                    .result
                    .map_or_else(Fate::default, |v| self.follow(*id, v));
                all.push(Made {
                    function,
                    woken: !fate.astray && self.wakes(*id, &fate, &mut HashSet::new()),
                });
            }
        }
        all
    }

    /// Whether a function, what it calls, or everybody who calls it wakes what it has made.
    fn wakes(&self, f: FuncId, fate: &Fate, seen: &mut HashSet<FuncId>) -> bool {
        if !seen.insert(f) {
            return true;
        }
        if !reached(self.program, &[f]).is_disjoint(&fate.woken_in) {
            return true;
        }
        let callers = self.calls.get(&f).map_or(&[][..], Vec::as_slice);
        !self.others.contains(&f)
            && !callers.is_empty()
            && callers
                .iter()
                .all(|(caller, _)| self.wakes(*caller, fate, seen))
    }

    /// Follows a value of a function.
    fn follow(&self, f: FuncId, value: ValueId) -> Fate {
        let mut fate = Fate::default();
        let first = Kept::Value(f, value);
        let mut seen = HashSet::from([first.clone()]);
        let mut work = vec![first];
        while let Some(kept) = work.pop() {
            let next = match &kept {
                Kept::Value(f, value) => self.uses(*f, *value, &mut fate),
                _ => {
                    let read = self.read.get(&kept).into_iter().flatten();
                    read.map(|(f, v)| Kept::Value(*f, *v)).collect()
                }
            };
            work.extend(next.into_iter().filter(|k| seen.insert(k.clone())));
        }
        fate
    }

    /// Where the uses of a value in its function take it.
    fn uses(&self, f: FuncId, value: ValueId, fate: &mut Fate) -> Vec<Kept> {
        let function = &self.program.functions[f];
        let mut next = Vec::new();
        for block in function.blocks.iter() {
            for instr in &block.instrs {
                let mut used = false;
                operands(&instr.op, &mut |o| used |= o.value() == Some(value));
                if used {
                    self.used(f, value, instr, fate, &mut next);
                }
            }
            if let Terminator::Return(Some(o)) = &block.term
                && o.value() == Some(value)
            {
                let calls = self.calls.get(&f).map_or(&[][..], Vec::as_slice);
                let results = calls
                    .iter()
                    .filter_map(|(f, v)| Some(Kept::Value(*f, (*v)?)));
                next.extend(results);
                fate.astray |= self.others.contains(&f);
            }
        }
        next
    }

    fn used(
        &self,
        f: FuncId,
        value: ValueId,
        instr: &Instr,
        fate: &mut Fate,
        next: &mut Vec<Kept>,
    ) {
        let is = |o: &Operand| o.value() == Some(value);
        let mut on = || next.extend(instr.result.map(|v| Kept::Value(f, v)));
        match &instr.op {
            Op::Phi(_) | Op::Select { .. } => on(),
            Op::Cast { to: Type::Ptr, .. } => on(),
            // The task itself; its members are others.
            Op::Gep {
                base,
                offset: 0,
                scaled,
                ..
            } if is(base) && scaled.is_empty() => on(),
            Op::Store {
                value: stored, ptr, ..
            } if is(stored) => match self.kept(f, &self.definitions[&f], ptr) {
                Some(kept) => next.push(kept),
                None => fate.astray = true,
            },
            Op::Call { callee, args, .. } => {
                for (n, _) in args.iter().enumerate().filter(|(_, a)| is(a)) {
                    self.handed((f, callee, n), fate, next);
                }
            }
            Op::AtomicRmw { value: stored, .. } => fate.astray |= is(stored),
            Op::CmpXchg { new, .. } => fate.astray |= is(new),
            Op::Insert { .. } => fate.astray = true,
            _ => {}
        }
    }

    /// Argument `n` of a call.
    fn handed(
        &self,
        (f, callee, n): (FuncId, &Callee, usize),
        fate: &mut Fate,
        next: &mut Vec<Kept>,
    ) {
        let Callee::Direct(callee) = callee else {
            fate.astray = true;
            return;
        };
        let called = &self.program.functions[*callee];
        let place = format!("{}#{n}", called.name);
        if self.rule.begins_at.contains(&place) {
            fate.woken_in.insert(f);
        } else if called.name.starts_with("llvm.") || self.rule.sleeps_through.contains(&place) {
        } else if let (true, Some(parameter)) = (called.is_defined(), called.params.get(n)) {
            next.push(Kept::Value(*callee, *parameter));
        } else {
            fate.astray = true;
        }
    }
}
