//! What sets the devices up of an input that has no driver of its own: a function that others call, as the core of a driver has one for
//! the drivers of several buses (`fxas21002c_core_probe`), a tuner one that attaches it (`mt352_attach`), and one file of several one for
//! the others.
//!
//! Without it, what callbacks are given would be objects that nobody set up, and nothing would tell which of them are one. It takes the
//! place of a driver's `probe`: it has run, once and successfully, before everything else. Looked for among the functions that something
//! outside may call; of several it is the one that hands over the most entry points, and none where another one hands over some of these. What it is given is arbitrary but for the device,
//! which is the one that callbacks get.
//!
//! What this misses: several such functions of one input (one for each kind of device: the others have not run), and what takes its work back.

use std::collections::HashSet;

use super::creators::reached;
use super::objects::{BUS_DEVICE, DEVICE};
use super::served::called_from_outside;
use super::{MODULE_INIT, Maker};
use crate::environment::entry::{EntryPoint, Parameter, Phase};
use crate::index::{FuncId, GlobalId};
use crate::program::{Callee, Const, Op, Operand, Program, Type, operands};

/// The struct of every device (include/linux/device.h).
const STRUCT_OF_DEVICE: &str = "device";

/// The function that sets everything up, if nothing of the input's own does.
pub fn sets_up(program: &Program, entries: &[EntryPoint]) -> Option<FuncId> {
    let initial: Vec<FuncId> = entries
        .iter()
        .filter(|e| e.phase == Phase::Init && e.via == MODULE_INIT)
        .filter_map(|e| program.function_named(&e.function))
        .collect();
    let own = handed_over(program, &initial);
    let steady = entries.iter().filter(|e| e.phase == Phase::Steady);
    if steady
        .filter_map(|e| program.function_named(&e.function))
        .any(|f| own.contains(&f))
    {
        return None;
    }
    let all: Vec<(FuncId, Phase)> = entries
        .iter()
        .filter(|e| e.phase != Phase::Nested && e.via != MODULE_INIT)
        .filter_map(|e| Some((program.function_named(&e.function)?, e.phase)))
        .collect();
    let mut candidates: Vec<(FuncId, HashSet<FuncId>)> = Vec::new();
    for candidate in called_from_outside(program) {
        if !may_set_up(program, candidate) {
            continue;
        }
        let gives = handed_over(program, &[candidate]);
        let by_it = |f: &FuncId| gives.contains(f) && !own.contains(f);
        // A probe that it does not hand over is a driver's: that one sets up.
        if !all.iter().all(|(f, p)| *p != Phase::Init || by_it(f)) {
            continue;
        }
        let threads = all.iter().filter(|(f, p)| *p == Phase::Steady && by_it(f));
        let threads: HashSet<FuncId> = threads.map(|(f, _)| *f).collect();
        if !threads.is_empty() {
            candidates.push((candidate, threads));
        }
    }
    let most = candidates.iter().map(|(_, threads)| threads.len()).max()?;
    let (best, threads) = candidates.iter().find(|(_, t)| t.len() == most)?;
    // Where another one hands over some of them in another way, nobody knows which of the two did.
    let calls = |from: FuncId, to: FuncId| reached(program, &[from]).contains(&to);
    let rivals = candidates.iter().filter(|(other, of)| {
        other != best && !of.is_disjoint(threads) && !calls(*best, *other) && !calls(*other, *best)
    });
    (rivals.count() == 0).then_some(*best)
}

/// Whether a function may set something up: it is given a pointer, and asks the kernel for something.
fn may_set_up(program: &Program, function: FuncId) -> bool {
    let f = &program.functions[function];
    let pointer = |p| f.values[p].ty == Type::Ptr;
    let asks = |op: &Op| matches!(op, Op::Call { callee: Callee::Direct(g), .. } if !program.functions[*g].is_defined());
    f.params.iter().copied().any(pointer)
        && !matches!(f.ret, Type::Tuple(_))
        && reached(program, &[function])
            .into_iter()
            .flat_map(|g| program.functions[g].blocks.iter())
            .any(|b| b.instrs.iter().any(|i| asks(&i.op)))
}

/// The functions whose addresses are in the hands of those functions and of what they call, also by way of variables with content.
fn handed_over(program: &Program, from: &[FuncId]) -> HashSet<FuncId> {
    let mut functions = HashSet::new();
    let mut todo: Vec<GlobalId> = Vec::new();
    for function in reached(program, from) {
        let blocks = &program.functions[function].blocks;
        for instr in blocks.iter().flat_map(|b| &b.instrs) {
            operands(&instr.op, &mut |o| {
                if let Operand::Const(value) = o {
                    note(value, &mut functions, &mut todo);
                }
            });
        }
    }
    let mut seen = HashSet::new();
    while let Some(global) = todo.pop() {
        if seen.insert(global) {
            for cell in program.globals[global].init.iter().flatten() {
                note(&cell.value, &mut functions, &mut todo);
            }
        }
    }
    functions
}

fn note(value: &Const, functions: &mut HashSet<FuncId>, globals: &mut Vec<GlobalId>) {
    match value {
        Const::Addr { global, .. } => globals.push(*global),
        Const::Func { function, .. } => {
            functions.insert(*function);
        }
        Const::Tuple(parts) => parts.iter().for_each(|p| note(p, functions, globals)),
        _ => {}
    }
}

impl Maker<'_> {
    /// What others call to set everything up: it initialises.
    pub(super) fn set_up(&mut self, function: FuncId) {
        let f = &self.program.functions[function];
        if self.entries.iter().any(|e| e.function == f.name) {
            return;
        }
        let shared: HashSet<String> = self
            .entries
            .iter()
            .flat_map(|e| &e.parameters)
            .filter_map(|p| match p {
                Parameter::Shared(name) | Parameter::Member(name, _) => Some(name.clone()),
                _ => None,
            })
            .collect();
        let mut parameters = Vec::new();
        for n in 0..f.params.len() {
            let parameter = match self.default_parameter(function, n) {
                Parameter::Typed { name, .. } if name == STRUCT_OF_DEVICE => {
                    Parameter::Shared(BUS_DEVICE.to_string())
                }
                Parameter::Typed { name, .. } if shared.contains(&name) && name != DEVICE => {
                    Parameter::Shared(name)
                }
                other => other,
            };
            let again =
                matches!(parameter, Parameter::Shared(_)) && parameters.contains(&parameter);
            parameters.push(match again {
                true => self.default_parameter(function, n),
                false => parameter,
            });
        }
        let entry = EntryPoint {
            registered_by: Some(f.name.clone()),
            parameters,
            beside_itself: false,
            loc: f.loc,
            why: "other modules, or other files of this one, call it for a device: nothing else here sets one up".to_string(),
            ..EntryPoint::of_others(&f.name, Phase::Init)
        };
        self.entries.insert(0, entry);
    }
}
