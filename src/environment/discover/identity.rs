//! Which object is meant by what comes from outside: see [`crate::environment::identity`].
//!
//! A struct has *origins* in the input: calls of functions of the environment that return one or are given one, else the
//! allocations whose result debug info says to be one. What the harness sets up executes some of them; the last one tells which
//! object it is. A struct without origins is nobody's whom the input knows.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::creators::reached;
use super::types::{Definitions, global_type, member_of_struct, member_offset, pointee};
use super::{matched, objects};
use crate::environment::entry::{EntryPoint, Parameter, Phase};
use crate::environment::identity::{
    Answered, CallPlace, CallValue, Choice, ChoiceKind, FromOutside, Identity, Keeper, Kept, Told,
    makes_new,
};
use crate::environment::rules::{Rules, TextData};
use crate::index::{DebugTypeId, FuncId, ValueId};
use crate::program::{Callee, Const, DebugTypeKind, Function, Op, Operand, Program, Type};

/// Members that hold what a driver hands over, those that go first.
const DATA: &[&str] = &[
    "private_data",
    "priv",
    "drvdata",
    "drv_data",
    "driver_data",
    "devdata",
    "private",
    "data",
    "context",
    "dev.driver_data",
    "device.driver_data",
];

/// The object that stands for the text file which a function of the input shows.
pub fn text_file(function: &str) -> String {
    format!("{function}.seq_file")
}

/// The same as a parameter: each opening has a text file of its own, and what registration hands over is in all of them.
pub fn text_file_of(program: &Program, function: &str) -> Parameter {
    let data = member_offset(program, "seq_file", "private");
    match data {
        Some(data) => Parameter::TextFile(text_file(function), Some(data)),
        None => Parameter::Shared(text_file(function)),
    }
}

/// Takes from text files what registration hands over, where a rule says that each opening makes its own.
pub fn text_data(parameters: &mut [Parameter], rule: Option<TextData>) {
    for parameter in parameters {
        if let (Parameter::TextFile(_, data), Some(TextData::Own)) = (parameter, rule) {
            *data = None;
        }
    }
}

/// A direct call.
struct Call<'a> {
    at: CallPlace,
    caller: FuncId,
    callee: FuncId,
    args: &'a [Operand],
    result: Option<ValueId>,
}

/// Looks at the calls of what the harness sets up, and at the parameters of entry points; decides what these are.
pub fn find(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) -> Identity {
    let matched = matched::find(program, rules, entries);
    let finder = Finder::new(program, rules, entries);
    let mut identity = Identity {
        matched,
        ..Identity::default()
    };
    let mut names: BTreeSet<String> = BTreeSet::new();
    for entry in entries.iter_mut() {
        finder.parameters(entry, &mut names, &mut identity);
    }
    finder.answers(&mut names, &mut identity);
    for name in &names {
        identity.told.extend(finder.origins(name));
    }
    finder.kept(rules, entries, &mut identity);
    identity.choices.sort();
    identity.choices.dedup();
    identity
}

struct Finder<'a> {
    program: &'a Program,
    /// The calls of what the harness may run before the threads of a pair.
    setup: Vec<Call<'a>>,
    /// The functions that initialisation may call.
    init: HashSet<FuncId>,
    /// All calls.
    all: Vec<Call<'a>>,
    definitions: HashMap<FuncId, Definitions<'a>>,
    /// Structs of which rules say that entry points share one: where it comes from is told by rules alone.
    ruled: BTreeSet<String>,
    /// Functions whose results are the objects of a rule.
    makers: BTreeSet<String>,
    /// Operations of files.
    files: BTreeSet<String>,
}

impl<'a> Finder<'a> {
    fn new(program: &'a Program, rules: &Rules, entries: &[EntryPoint]) -> Self {
        let mut finder = Finder {
            program,
            setup: Vec::new(),
            init: HashSet::new(),
            all: Vec::new(),
            definitions: HashMap::new(),
            ruled: BTreeSet::new(),
            makers: BTreeSet::new(),
            files: BTreeSet::new(),
        };
        for object in rules.objects() {
            finder.ruled.insert(object.name.clone());
            finder.makers.extend(object.returned.iter().cloned());
        }
        finder
            .ruled
            .extend(objects::led_to(program, rules, entries));
        let is_file = |e: &&EntryPoint| {
            e.via.starts_with("file_operations.") || e.via.starts_with("proc_ops.")
        };
        let files = entries.iter().filter(is_file);
        finder.files = files.filter_map(|e| e.registered_by.clone()).collect();
        for parameter in entries.iter().flat_map(|e| &e.parameters) {
            if let Parameter::Shared(name)
            | Parameter::Member(name, _)
            | Parameter::Either(name, _)
            | Parameter::Its(name, _)
            | Parameter::New(name)
            | Parameter::TextFile(name, _)
            | Parameter::Stored(name, _) = parameter
            {
                finder.ruled.insert(name.clone());
            }
        }
        let first = |e: &&EntryPoint| {
            let name = |other: &EntryPoint| {
                other.after.contains(&e.function) || other.follows.contains(&e.function)
            };
            e.phase == Phase::Init
                || e.is_called_by_others()
                || e.via.ends_with("open")
                || entries.iter().any(name)
        };
        let start: Vec<FuncId> = entries
            .iter()
            .filter(first)
            .filter_map(|e| program.function_named(&e.function))
            .collect();
        let setup = reached(program, &start);
        let init = entries.iter().filter(|e| e.phase == Phase::Init);
        let init: Vec<FuncId> = init
            .filter_map(|e| program.function_named(&e.function))
            .collect();
        finder.init = reached(program, &init);
        let of_input = |f: &Function| f.is_defined() && !f.is_model;
        for (id, function) in program.functions.iter_ids().filter(|(_, f)| of_input(f)) {
            finder.definitions.insert(id, Definitions::new(function));
            for call in calls(program, id, function) {
                if setup.contains(&id) {
                    finder.setup.push(Call {
                        at: call.at.clone(),
                        ..call
                    });
                }
                finder.all.push(call);
            }
        }
        finder
    }

    fn declared(&self, f: FuncId) -> bool {
        let f = &self.program.functions[f];
        !f.is_defined() && f.primitive.is_none() && !f.name.starts_with("llvm.")
    }

    /// The name of the struct that a type points to.
    fn target(&self, ty: Option<DebugTypeId>) -> Option<&'a str> {
        struct_name(self.program, pointee(self.program, ty?)?)
    }

    /// The struct that a pointer of a function leads to, as far as debug info says.
    fn leads_to(&self, f: FuncId, value: &Operand) -> Option<&'a str> {
        let function = &self.program.functions[f];
        let definitions = self.definitions.get(&f)?;
        let value = match value {
            Operand::Value(value) => *value,
            Operand::Const(Const::Addr {
                global, offset: 0, ..
            }) => return struct_name(self.program, global_type(self.program, *global)?),
            Operand::Const(_) => return None,
        };
        if let Some((_, ty, _)) = function
            .bound
            .iter()
            .find(|(v, _, beyond)| *v == value && *beyond == 0)
        {
            return struct_name(self.program, *ty);
        }
        if let Some(n) = function.params.iter().position(|p| *p == value) {
            return self.target(function.param_types.get(n).copied().flatten());
        }
        match &definitions.of(value)?.op {
            Op::Load { ptr, .. } => self.target(definitions.place(self.program, ptr)?.ty),
            Op::Cast { value, .. } => self.leads_to(f, value),
            Op::Call {
                callee: Callee::Direct(callee),
                ..
            } => self.target(self.program.functions[*callee].ret_type),
            _ => None,
        }
    }

    /// The calls that tell which object of that struct there is.
    fn origins(&self, name: &str) -> Vec<Told> {
        if self.ruled.contains(name) {
            return Vec::new();
        }
        let (mut found, mut made) = (Vec::new(), Vec::new());
        for call in &self.setup {
            let callee = &self.program.functions[call.callee];
            let told = |value| Told {
                at: call.at.clone(),
                value,
                name: name.to_string(),
            };
            let result = call.result.map(Operand::Value);
            let declared = self.declared(call.callee);
            let typed = self.target(callee.ret_type) == Some(name);
            if declared && typed && makes_new(&callee.name) {
                found.push((call.caller, result.clone(), told(CallValue::Result)));
            }
            for (n, arg) in call.args.iter().enumerate().filter(|_| declared) {
                let ty = callee.param_types.get(n).copied().flatten();
                let data = is_void_pointer(self.program, ty)
                    && self.leads_to(call.caller, arg) == Some(name);
                let none = matches!(arg, Operand::Const(Const::Null | Const::Undef(_)));
                if (data || self.target(ty) == Some(name)) && !none && !ends(&callee.name) {
                    found.push((call.caller, Some(arg.clone()), told(CallValue::Argument(n))));
                }
            }
            let by_use = || result.as_ref().and_then(|r| self.leads_to(call.caller, r));
            // What an open file or a request has is made for each of them.
            let once = self.init.contains(&call.caller);
            if once && !typed && makes_new(&callee.name) && by_use() == Some(name) {
                made.push(told(CallValue::Result));
            }
        }
        // What a call gives need not be told again where it is handed on.
        let results: Vec<(FuncId, Option<Operand>)> = found
            .iter()
            .filter(|(.., t)| t.value == CallValue::Result)
            .map(|(f, value, _)| (*f, value.clone()))
            .collect();
        found.retain(|(f, value, t)| {
            t.value == CallValue::Result || !results.contains(&(*f, value.clone()))
        });
        match found.is_empty() {
            true => made,
            false => found.into_iter().map(|(.., told)| told).collect(),
        }
    }

    /// Decides what the parameters of an entry point are that no rule reaches.
    fn parameters(
        &self,
        entry: &mut EntryPoint,
        names: &mut BTreeSet<String>,
        identity: &mut Identity,
    ) {
        let via = entry.via.clone();
        let function = entry.function.clone();
        let own = self.program.function_named(&function);
        for (n, parameter) in entry.parameters.iter_mut().enumerate() {
            match parameter {
                Parameter::Typed { name, by_rule } if name.is_empty() => {
                    let by_rule = *by_rule;
                    let (found, choice) = self.data_parameter(own, n, &via, by_rule);
                    if let Parameter::Shared(name) = &found
                        && !name.contains('#')
                    {
                        names.insert(name.clone());
                    }
                    identity.choices.extend(choice.map(|c| Choice {
                        by: function.clone(),
                        ..c
                    }));
                    *parameter = found;
                }
                Parameter::Typed { name, by_rule } => {
                    let origins = self.origins(name);
                    let shared = *by_rule || !origins.is_empty() || self.ruled.contains(name);
                    identity.choices.push(Choice {
                        kind: match (origins.is_empty(), shared) {
                            (false, _) => ChoiceKind::TheOne,
                            (true, true) => ChoiceKind::Shared,
                            (true, false) => ChoiceKind::Private,
                        },
                        object: name.clone(),
                        what: FromOutside::Parameter {
                            via: via.clone(),
                            number: n,
                            ruled: *by_rule,
                        },
                        from: first(&origins),
                        by: function.clone(),
                    });
                    *parameter = match shared {
                        true => {
                            names.insert(name.clone());
                            Parameter::Shared(name.clone())
                        }
                        false => Parameter::Unidentified(name.clone()),
                    };
                }
                _ => {}
            }
        }
    }

    /// What a pointer to anything is that an entry point is given: what the call that registers it is given as such, else the one
    /// object of the type that it is used as.
    fn data_parameter(
        &self,
        own: Option<FuncId>,
        n: usize,
        via: &str,
        ruled: bool,
    ) -> (Parameter, Option<Choice>) {
        let private = Parameter::Private(0);
        let choice = |kind, object: &str, from| Choice {
            kind,
            object: object.to_string(),
            what: FromOutside::Parameter {
                via: via.to_string(),
                number: n,
                ruled,
            },
            from,
            by: String::new(),
        };
        let Some(f) = own else {
            return (private, None);
        };
        let used = self.program.functions[f].params.get(n);
        let used = used.and_then(|p| self.leads_to(f, &Operand::Value(*p)));
        let registers = via.split_once('#').map(|(registers, _)| registers);
        let registers = registers.and_then(|r| self.program.function_named(r));
        if let Some(registers) = registers.filter(|r| self.declared(*r)) {
            let registers = &self.program.functions[registers];
            let types = registers.param_types.iter().enumerate();
            let data: Vec<usize> = types
                .filter(|(_, ty)| is_void_pointer(self.program, **ty))
                .map(|(k, _)| k)
                .collect();
            if let ([k], false) = (&data[..], registers.variadic) {
                let name = format!("{}#{k}", registers.name);
                let at = self.all.iter().find(|c| c.at.callee == registers.name);
                let from = at.map(|c| (c.at.clone(), CallValue::Argument(*k)));
                let choice = choice(ChoiceKind::TheOne, used.unwrap_or_default(), from);
                return (Parameter::Shared(name), Some(choice));
            }
        }
        let Some(used) = used else {
            return (private, None);
        };
        let origins = self.origins(used);
        if !origins.is_empty() {
            let choice = choice(ChoiceKind::TheOne, used, first(&origins));
            return (Parameter::Shared(used.to_string()), Some(choice));
        }
        match ruled {
            true => (private, None),
            false => (
                Parameter::Unidentified(used.to_string()),
                Some(choice(ChoiceKind::Private, used, None)),
            ),
        }
    }

    /// What functions of the environment give that have no model.
    fn answers(&self, names: &mut BTreeSet<String>, identity: &mut Identity) {
        for call in &self.all {
            let callee = &self.program.functions[call.callee];
            let Some(result) = call.result else { continue };
            if !self.declared(call.callee) || callee.ret != Type::Ptr || makes_new(&callee.name) {
                continue;
            }
            if self.makers.contains(&callee.name) {
                continue;
            }
            let typed = self.target(callee.ret_type);
            let by_use = self.leads_to(call.caller, &Operand::Value(result));
            identity.choices.push(Choice {
                kind: ChoiceKind::SameArguments,
                object: typed.or(by_use).unwrap_or_default().to_string(),
                what: FromOutside::Result(callee.name.clone()),
                from: None,
                by: call.at.function.clone(),
            });
            let data = is_void_pointer(self.program, callee.ret_type);
            let Some(name) = typed.or(by_use.filter(|_| data)) else {
                continue;
            };
            // A look-up by name or number may give another one.
            let of_objects = callee
                .param_types
                .iter()
                .enumerate()
                .all(|(n, ty)| self.target(*ty).is_some() || (n > 0 && typed.is_none()));
            if typed.is_some() && (callee.params.is_empty() || !of_objects) {
                continue;
            }
            let mut origins = self.origins(name);
            origins.retain(|o| o.at.callee != callee.name);
            let shared = typed.is_some() && self.ruled.contains(name);
            if origins.is_empty() && !shared {
                continue;
            }
            names.insert(name.to_string());
            identity.choices.pop();
            identity.choices.push(Choice {
                kind: ChoiceKind::TheOne,
                object: name.to_string(),
                what: FromOutside::Result(callee.name.clone()),
                from: first(&origins),
                by: call.at.function.clone(),
            });
            identity.answered.push(Answered {
                at: call.at.clone(),
                name: name.to_string(),
            });
        }
    }

    /// Where data is kept that registering calls hand over.
    fn kept(&self, rules: &Rules, entries: &[EntryPoint], identity: &mut Identity) {
        for call in &self.all {
            let callee = &self.program.functions[call.callee];
            if !self.declared(call.callee) {
                continue;
            }
            let mut data = callee.param_types.iter().enumerate();
            let Some((n, _)) = data.find(|(_, ty)| is_void_pointer(self.program, **ty)) else {
                continue;
            };
            if data.any(|(_, ty)| is_void_pointer(self.program, *ty)) {
                continue;
            }
            if let Some(offset) = self.target(callee.ret_type).and_then(|t| self.data(t)) {
                identity.kept.push(Kept {
                    at: call.at.clone(),
                    data: n,
                    keeper: Keeper::Result,
                    offset,
                });
            }
            // Files whose operations are handed over with the data of their inode (fs/debugfs/inode.c: __debugfs_create_file).
            let inode = super::types::member_offset(self.program, "inode", "i_private");
            let operations = call.args.iter().filter_map(|a| match a {
                Operand::Const(Const::Addr {
                    global, offset: 0, ..
                }) => Some(*global),
                _ => None,
            });
            for global in operations {
                let ops = &self.program.globals[global].name;
                if let (Some(offset), true) = (inode, self.files.contains(ops)) {
                    identity.kept.push(Kept {
                        at: call.at.clone(),
                        data: n,
                        keeper: Keeper::Shared(format!("{ops}.inode")),
                        offset,
                    });
                }
            }
            let functions = call.args.iter().enumerate().filter_map(|(n, a)| match a {
                Operand::Const(Const::Func { function, .. }) => Some((n, *function)),
                _ => None,
            });
            for (n_function, f) in functions {
                // What is called before the call returns is given the data itself.
                let place = format!("{}#{n_function}", callee.name);
                let nested = rules
                    .place(&place)
                    .is_some_and(|r| r.phase == Phase::Nested);
                if nested || !self.setup.iter().any(|c| c.at == call.at) {
                    continue;
                }
                let first = self.program.functions[f].param_types.first();
                let Some(name) = self.target(first.copied().flatten()) else {
                    continue;
                };
                let text = text_file(&self.program.functions[f].name);
                let shows = |e: &EntryPoint| matches!(e.parameters.first(), Some(Parameter::Shared(n) | Parameter::TextFile(n, _)) if *n == text);
                // What has a parameter of its own for data is given it there (drivers/input/ff-memless.c: input_ff_create_memless).
                let mut own = self.program.functions[f].param_types.iter();
                let apart = own.any(|ty| is_void_pointer(self.program, *ty));
                let told = |n: &String| self.ruled.contains(n) && n != super::objects::DEVICE;
                let keeper = match entries.iter().any(shows) {
                    true => Some(text),
                    false => Some(name.to_string()).filter(|n| !apart && told(n)),
                };
                if let (Some(keeper), Some(offset)) = (keeper, self.data(name)) {
                    identity.kept.push(Kept {
                        at: call.at.clone(),
                        data: n,
                        keeper: Keeper::Shared(keeper),
                        offset,
                    });
                }
            }
        }
    }

    /// Where a struct keeps the data of who registered it.
    fn data(&self, name: &str) -> Option<u64> {
        DATA.iter().find_map(|member| {
            let (offset, ty) = member_of_struct(self.program, name, member)?;
            is_void_pointer(self.program, ty).then_some(offset)
        })
    }
}

/// The first of the calls that tell.
fn first(origins: &[Told]) -> Option<(CallPlace, CallValue)> {
    origins.first().map(|t| (t.at.clone(), t.value))
}

/// Functions that are given an object for the last time.
fn ends(name: &str) -> bool {
    let words = [
        "unregister",
        "free",
        "put",
        "remove",
        "destroy",
        "release",
        "del",
        "delete",
    ];
    name.split('_').any(|word| words.contains(&word))
}

fn struct_name(program: &Program, ty: DebugTypeId) -> Option<&str> {
    let ty = &program.debug_types[ty];
    let is_struct = matches!(ty.kind, DebugTypeKind::Struct(_) | DebugTypeKind::Opaque);
    (is_struct && !ty.name.is_empty()).then_some(ty.name.as_str())
}

fn is_void_pointer(program: &Program, ty: Option<DebugTypeId>) -> bool {
    ty.is_some_and(|t| matches!(program.debug_types[t].kind, DebugTypeKind::Pointer(None)))
}

/// The direct calls of a function, with their numbers.
fn calls<'a>(program: &'a Program, id: FuncId, function: &'a Function) -> Vec<Call<'a>> {
    let mut numbers: BTreeMap<FuncId, usize> = BTreeMap::new();
    let mut calls = Vec::new();
    for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
        let Op::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } = &instr.op
        else {
            continue;
        };
        let number = numbers.entry(*callee).or_default();
        calls.push(Call {
            at: CallPlace {
                function: function.name.clone(),
                callee: program.functions[*callee].name.clone(),
                number: *number,
            },
            caller: id,
            callee: *callee,
            args,
            result: instr.result,
        });
        *number += 1;
    }
    calls
}
