//! Calls of the input that lead out of it: through pointers that the kernel or another module has set.
//!
//! `tty->ops->write`, `card->driver->send_request`: which function that is, the input cannot tell. Where the input never puts a
//! function into such a field it is none of its own; where it does (a terminal driver that also writes to other terminals),
//! a rule must say that the objects may be others' (`[[others]]`), unless the input itself copies pointers there from a field that it
//! never sets (platform data). A variable that only code outside the input sets, and a
//! parameter that only the kernel or other modules give, are the same. What such a function does is then told by a model or
//! by the documented default of functions without one.
//!
//! Of the other calls through fields the functions of the input that stand there are told: where the pointer is read from an object
//! that is made up, it is one of these.
//!
//! Not taken for calls that lead out: all that could call a function whose address goes where nothing is known, and what
//! is copied byte by byte.

use std::collections::{HashMap, HashSet};

use super::find::Search;
use super::flow::UNKNOWN_PLACE;
use super::types::{Definitions, Place};
use crate::environment::entry::{FieldCalls, Fields, OutsideCall};
use crate::index::{FuncId, GlobalId};
use crate::program::{Callee, Const, Op, Operand, Program, Type, operands};

/// Levels of parameters that are handed on.
const MAX_DEPTH: u32 = 4;

/// Functions of the input that a call through a field is known to lead to; more of them tell nothing.
const MAX_OWN: usize = 32;

/// What a function must look like to be called in a certain place: number of parameters and result.
type Shape = (usize, Type);

/// Where a function pointer comes from.
enum Source {
    /// A function of the input.
    Own(FuncId),
    /// A field.
    Field(Place),
    /// A variable that is a pointer itself.
    Global(GlobalId),
    /// A parameter of the function at hand.
    Parameter(usize),
    /// Anything else.
    Unknown,
}

/// Finds them, function by function; and the functions that stand in each field.
pub(super) fn fields(search: &Search<'_>) -> Fields {
    let finder = Finder::new(search);
    let mut all = Vec::new();
    for (id, function) in search.bodies() {
        let mut found = FieldCalls {
            function: function.name.clone(),
            indirect: 0,
            outside: Vec::new(),
            own: Vec::new(),
        };
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let Op::Call {
                callee: Callee::Indirect(pointer),
                args,
                ret,
            } = &instr.op
            else {
                continue;
            };
            let number = found.indirect;
            found.indirect += 1;
            let shape = (args.len(), ret.clone());
            let mut outside = Outside::default();
            let leads_out = finder.leads_out(id, pointer, &shape, MAX_DEPTH, &mut outside);
            if let (true, Some(place)) = (leads_out, outside.place) {
                outside.own.sort();
                outside.own.dedup();
                found.outside.push(OutsideCall {
                    number,
                    place,
                    own: outside.own,
                });
                continue;
            }
            let own = finder.own(id, pointer, &shape);
            if !own.is_empty() {
                found.own.push((number, own));
            }
        }
        if !found.outside.is_empty() || !found.own.is_empty() {
            all.push(found);
        }
    }
    let functions = finder.set.iter();
    let functions = functions.map(|(place, own)| (place.clone(), finder.names(own)));
    Fields {
        functions: functions.collect(),
        calls: all,
    }
}

/// What is known of a call that leads out.
#[derive(Default)]
struct Outside {
    /// The first place that the pointer comes from.
    place: Option<String>,
    own: Vec<String>,
}

struct Finder<'a, 's> {
    search: &'s Search<'a>,
    program: &'a Program,
    definitions: HashMap<FuncId, Definitions<'a>>,
    /// The functions of the input that stand in each field, also those copied there from other fields.
    set: HashMap<String, HashSet<FuncId>>,
    /// Fields of which some value is copied from a field that the input never puts a function into.
    filled: HashSet<String>,
    /// Functions whose address goes where nothing is known: any field may hold them.
    astray: HashSet<Shape>,
    /// Direct calls of each function: the caller, and the arguments.
    callers: HashMap<FuncId, Vec<(FuncId, &'a [Operand])>>,
    /// Variables that the input stores into what is not from outside.
    assigned: HashSet<GlobalId>,
    /// Functions that the input itself calls through pointers.
    called_by_input: HashSet<FuncId>,
}

impl<'a, 's> Finder<'a, 's> {
    fn new(search: &'s Search<'a>) -> Finder<'a, 's> {
        let program = search.program;
        let mut finder = Finder {
            search,
            program,
            definitions: HashMap::new(),
            set: HashMap::new(),
            filled: HashSet::new(),
            astray: HashSet::new(),
            callers: HashMap::new(),
            assigned: HashSet::new(),
            called_by_input: HashSet::new(),
        };
        for found in &search.found {
            let function = &program.functions[found.function];
            if found.via == UNKNOWN_PLACE || found.via == "address" {
                let shape = (function.params.len(), function.ret.clone());
                finder.astray.insert(shape);
            }
            if found.own.is_some() {
                finder.called_by_input.insert(found.function);
            }
            let there = finder.set.entry(found.via.clone()).or_default();
            there.insert(found.function);
        }
        for (id, function) in search.bodies() {
            finder.definitions.insert(id, Definitions::new(function));
        }
        finder.scan();
        finder
    }

    /// Looks at all calls and stores.
    fn scan(&mut self) {
        let mut copies: HashSet<(String, String)> = HashSet::new();
        let mut kept: Vec<(FuncId, GlobalId)> = Vec::new();
        for (id, function) in self.search.bodies() {
            let definitions = &self.definitions[&id];
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                match &instr.op {
                    Op::Call {
                        callee: Callee::Direct(callee),
                        args,
                        ..
                    } => self.callers.entry(*callee).or_default().push((id, args)),
                    Op::Store { ptr, value, .. } => {
                        if let Some(to) = definitions.place(self.program, ptr) {
                            let from = definitions.loaded(self.program, value);
                            copies.extend(from.iter().map(|from| (from.name(), to.name())));
                        }
                        if let Operand::Const(Const::Addr { global, .. }) = value {
                            self.assigned.insert(*global);
                        }
                        if let Operand::Const(Const::Addr { global, .. }) = ptr {
                            let sources = sources(self.program, definitions, function, value);
                            let given = |s: &Source| matches!(s, Source::Parameter(_));
                            if !sources.is_empty() && sources.iter().all(given) {
                                kept.push((id, *global));
                            } else if !sources.is_empty() {
                                self.assigned.insert(*global);
                            }
                        }
                    }
                    // A variable whose address goes elsewhere may be set there.
                    _ => operands(&instr.op, &mut |operand| {
                        if let Operand::Const(Const::Addr { global, .. }) = operand
                            && !matches!(instr.op, Op::Load { .. } | Op::Icmp { .. })
                        {
                            self.assigned.insert(*global);
                        }
                    }),
                }
            }
        }
        // What an exported function keeps is from outside unless the input calls that function too.
        let inside = kept
            .iter()
            .filter(|(f, _)| self.callers.contains_key(f) || !self.program.functions[*f].external);
        self.assigned.extend(inside.map(|(_, global)| *global));
        loop {
            let mut changed = false;
            for (from, to) in &copies {
                let functions = self.set.get(from).cloned().unwrap_or_default();
                if functions.is_empty() {
                    continue;
                }
                let target = self.set.entry(to.clone()).or_default();
                for function in functions {
                    changed |= target.insert(function);
                }
            }
            if !changed {
                break;
            }
        }
        loop {
            let before = self.filled.len();
            for (from, to) in &copies {
                if !self.set.contains_key(from) || self.filled.contains(from) {
                    self.filled.insert(to.clone());
                }
            }
            if self.filled.len() == before {
                return;
            }
        }
    }

    /// Whether all that a pointer may be is from outside, or told in `found.own`.
    fn leads_out(
        &self,
        f: FuncId,
        pointer: &Operand,
        shape: &Shape,
        depth: u32,
        found: &mut Outside,
    ) -> bool {
        let function = &self.program.functions[f];
        let sources = sources(self.program, &self.definitions[&f], function, pointer);
        !sources.is_empty()
            && sources.iter().all(|source| match source {
                Source::Own(own) => {
                    found.own.push(self.program.functions[*own].name.clone());
                    true
                }
                Source::Field(place) => self.field(&place.name(), shape, found),
                Source::Global(global) => self.global(*global, shape, found),
                Source::Parameter(n) => self.parameter(f, *n, shape, depth, found),
                Source::Unknown => false,
            })
    }

    /// The functions of the input that a pointer which is read from fields alone may be.
    fn own(&self, f: FuncId, pointer: &Operand, shape: &Shape) -> Vec<String> {
        let function = &self.program.functions[f];
        let mut own: HashSet<FuncId> = HashSet::new();
        for source in sources(self.program, &self.definitions[&f], function, pointer) {
            match source {
                Source::Own(f) => {
                    own.insert(f);
                }
                Source::Field(place) => {
                    own.extend(self.set.get(&place.name()).into_iter().flatten())
                }
                _ => return Vec::new(),
            }
        }
        own.retain(|f| {
            let f = &self.program.functions[*f];
            (f.params.len(), f.ret.clone()) == *shape
        });
        match own.len() {
            1..=MAX_OWN => self.names(&own),
            _ => Vec::new(),
        }
    }

    /// Sorted.
    fn names(&self, functions: &HashSet<FuncId>) -> Vec<String> {
        let names = functions.iter();
        let mut names: Vec<String> = names
            .map(|f| self.program.functions[*f].name.clone())
            .collect();
        names.sort();
        names
    }

    fn field(&self, place: &str, shape: &Shape, found: &mut Outside) -> bool {
        let functions = self.set.get(place);
        let others = self.search.rules.may_be_others(place);
        let only_own = functions.is_some() && !self.filled.contains(place);
        if !others && (only_own || self.astray.contains(shape)) {
            return false;
        }
        let names = functions.into_iter().flatten();
        let names = names.map(|f| self.program.functions[*f].name.clone());
        found.own.extend(names);
        found.place.get_or_insert_with(|| place.to_string());
        true
    }

    /// A pointer of the kernel's, or one that the input never sets itself.
    fn global(&self, global: GlobalId, shape: &Shape, found: &mut Outside) -> bool {
        let g = &self.program.globals[global];
        let points_somewhere = |value: &Const| !matches!(value, Const::Int { .. } | Const::Null);
        let initialised = g.init.iter().flatten().any(|c| points_somewhere(&c.value));
        if initialised || self.assigned.contains(&global) || self.astray.contains(shape) {
            return false;
        }
        found.place.get_or_insert_with(|| format!("*{}", g.name));
        true
    }

    fn parameter(
        &self,
        f: FuncId,
        n: usize,
        shape: &Shape,
        depth: u32,
        found: &mut Outside,
    ) -> bool {
        if depth == 0 || self.called_by_input.contains(&f) {
            return false;
        }
        let function = &self.program.functions[f];
        let from_outside = function.external || self.search.found.iter().any(|x| x.function == f);
        if from_outside {
            let name = || format!("{}#{n}", function.name);
            found.place.get_or_insert_with(name);
        }
        let calls = self.callers.get(&f).map_or(&[][..], Vec::as_slice);
        (from_outside || !calls.is_empty())
            && calls.iter().all(|(caller, args)| {
                args.get(n)
                    .is_some_and(|a| self.leads_out(*caller, a, shape, depth - 1, found))
            })
    }
}

/// Where a value comes from: through phis, selects and casts. Null is from nowhere.
fn sources(
    program: &Program,
    definitions: &Definitions<'_>,
    function: &crate::program::Function,
    value: &Operand,
) -> Vec<Source> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut work = vec![value.clone()];
    while let Some(operand) = work.pop() {
        let value = match operand {
            Operand::Const(Const::Func { function, .. }) => {
                found.push(Source::Own(function));
                continue;
            }
            Operand::Const(Const::Null | Const::Int { .. } | Const::Undef(_)) => continue,
            Operand::Const(_) => {
                found.push(Source::Unknown);
                continue;
            }
            Operand::Value(value) => value,
        };
        if !seen.insert(value) {
            continue;
        }
        if let Some(n) = function.params.iter().position(|p| *p == value) {
            found.push(Source::Parameter(n));
            continue;
        }
        match definitions.of(value).map(|i| &i.op) {
            Some(Op::Load { ptr, .. }) => {
                let places = definitions.places(program, ptr);
                match ptr {
                    _ if !places.is_empty() => {
                        found.extend(places.into_iter().map(Source::Field));
                    }
                    Operand::Const(Const::Addr { global, .. }) => {
                        found.push(Source::Global(*global));
                    }
                    _ => found.push(Source::Unknown),
                }
            }
            Some(Op::Phi(incoming)) => work.extend(incoming.iter().map(|(_, o)| o.clone())),
            Some(Op::Select {
                if_true, if_false, ..
            }) => work.extend([if_false.clone(), if_true.clone()]),
            Some(Op::Cast { value, .. }) => work.push(value.clone()),
            _ => found.push(Source::Unknown),
        }
    }
    found
}
