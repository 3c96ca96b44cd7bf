//! Where function pointers stand: initialisers, arguments of calls, stores; and the module's own functions.

use std::collections::{HashMap, HashSet};

use super::Found;
use super::types::{Definitions, Place, Target, global_type, place_at, pointee};
use super::{MODULE_EXIT, MODULE_INIT};
use crate::environment::rules::Rules;
use crate::index::{FuncId, GlobalId};
use crate::program::{Callee, Const, Op, Operand, Program, Type};

/// The functions that a module starts and ends with.
pub struct ModuleFunctions {
    /// Init functions with how they were found, in order.
    pub init: Vec<(FuncId, String)>,
    /// Exit functions.
    pub exit: Vec<(FuncId, String)>,
    /// Whether they are initcalls of built-in code: exit functions never run.
    pub built_in: bool,
}

/// Finds module_init and module_exit in both forms (include/linux/module.h, include/linux/init.h).
///
/// As a module: `init_module` and `cleanup_module`, aliases of the driver's own functions, kept by
/// `__UNIQUE_ID___addressable_init_moduleN`. Built in: the function is static, takes nothing, and is kept by
/// `__UNIQUE_ID___addressable_FUNCTIONN` (so is what EXPORT_SYMBOL exports, but that is not static); exit by
/// `__exitcall_FUNCTION`; without relative initcall tables, a pointer in section `.initcallN.init`.
pub fn module_functions(program: &Program) -> ModuleFunctions {
    let mut found = ModuleFunctions {
        init: Vec::new(),
        exit: Vec::new(),
        built_in: false,
    };
    let defined = |f: FuncId| program.functions[f].is_defined();
    for (name, list, via) in [
        ("init_module", &mut found.init, MODULE_INIT),
        ("cleanup_module", &mut found.exit, MODULE_EXIT),
    ] {
        list.extend(
            program
                .function_named(name)
                .filter(|f| defined(*f))
                .map(|f| (f, via.to_string())),
        );
    }
    for global in program.globals.iter() {
        let Some(function) = sole_function(global.init.as_deref()) else {
            continue;
        };
        if !defined(function) {
            continue;
        }
        let section = global.section.as_deref().unwrap_or("");
        let f = &program.functions[function];
        let is_initcall = !f.external && f.params.is_empty() && f.ret == Type::Int(32);
        match global.name.strip_prefix("__UNIQUE_ID___addressable_") {
            Some(kept) if kept.starts_with("init_module") => {
                found.init.push((function, MODULE_INIT.to_string()));
            }
            Some(kept) if kept.starts_with("cleanup_module") => {
                found.exit.push((function, MODULE_EXIT.to_string()));
            }
            Some(_) if is_initcall => {
                found.built_in = true;
                found.init.push((function, MODULE_INIT.to_string()));
            }
            Some(_) => {}
            None if global.name.starts_with("__exitcall_") => {
                found.exit.push((function, MODULE_EXIT.to_string()));
            }
            None if section.starts_with(".initcall") => {
                found.built_in = true;
                found.init.push((function, MODULE_INIT.to_string()));
            }
            None => {}
        }
    }
    for list in [&mut found.init, &mut found.exit] {
        let mut seen = HashSet::new();
        list.retain(|(f, _)| seen.insert(*f));
    }
    found
}

/// The function that a global of one pointer holds.
fn sole_function(init: Option<&[crate::program::InitCell]>) -> Option<FuncId> {
    match init? {
        [cell] => match cell.value {
            Const::Func { function, .. } if cell.offset == 0 => Some(function),
            _ => None,
        },
        _ => None,
    }
}

/// The search for function pointers.
pub struct Search<'a> {
    program: &'a Program,
    rules: &'a Rules,
    /// What was found, in order: initialisers, calls, stores.
    pub found: Vec<Found>,
    /// Where the addresses of globals stand.
    pub places: HashMap<GlobalId, HashSet<String>>,
    /// Lines for the user.
    pub notes: Vec<String>,
    /// Globals whose address reaches code outside the input.
    escaping: HashSet<GlobalId>,
    /// `struct.field` through which the input itself calls.
    dispatched: HashSet<String>,
}

impl<'a> Search<'a> {
    /// A search that has not looked yet.
    pub fn new(program: &'a Program, rules: &'a Rules) -> Self {
        Search {
            program,
            rules,
            found: Vec::new(),
            places: HashMap::new(),
            notes: Vec::new(),
            escaping: HashSet::new(),
            dispatched: HashSet::new(),
        }
    }

    /// Looks everywhere.
    pub fn run(&mut self) {
        self.scan_uses();
        self.initialisers();
        let calls = self.calls();
        let stores = self.stores();
        self.found.extend(calls);
        self.found.extend(stores);
    }

    fn defined(&self, function: FuncId) -> bool {
        let f = &self.program.functions[function];
        f.is_defined() && !f.is_model && f.primitive.is_none()
    }

    /// Bodies of the input, not of models.
    fn bodies(&self) -> impl Iterator<Item = (FuncId, &'a crate::program::Function)> + use<'a> {
        self.program
            .functions
            .iter_ids()
            .filter(|(_, f)| f.is_defined() && !f.is_model)
    }

    /// Where addresses of globals go, and through which fields the input calls.
    fn scan_uses(&mut self) {
        for (id, global) in self.program.globals.iter_ids() {
            for cell in global.init.iter().flatten() {
                if let Const::Addr { global: target, .. } = cell.value
                    && let Some(ty) = global_type(self.program, id)
                    && let Some(place) = place_at(self.program, ty, cell.offset)
                {
                    self.places.entry(target).or_default().insert(place.name());
                }
            }
        }
        for (_, function) in self.bodies() {
            let definitions = Definitions::new(function);
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                match &instr.op {
                    Op::Call { callee, args, .. } => {
                        self.scan_call(&definitions, callee, args);
                    }
                    Op::Store { ptr, value, .. } => {
                        if let Some(place) = definitions.place(self.program, ptr) {
                            for target in definitions.targets(value) {
                                self.scan_store(&place, &target);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        // What a global outside the input's reach points to is out of reach too.
        let mut work: Vec<GlobalId> = self.escaping.iter().copied().collect();
        while let Some(global) = work.pop() {
            for cell in self.program.globals[global].init.iter().flatten() {
                if let Const::Addr { global: target, .. } = cell.value
                    && self.escaping.insert(target)
                {
                    work.push(target);
                }
            }
        }
    }

    fn scan_call(&mut self, definitions: &Definitions<'_>, callee: &Callee, args: &[Operand]) {
        match callee {
            Callee::Direct(f) if !self.defined(*f) => {
                let name = &self.program.functions[*f].name;
                for (n, arg) in args.iter().enumerate() {
                    for target in definitions.targets(arg) {
                        if let Target::Global(global, _) = target {
                            self.escaping.insert(global);
                            let place = format!("{name}#{n}");
                            self.places.entry(global).or_default().insert(place);
                        }
                    }
                }
            }
            Callee::Direct(_) => {}
            Callee::Indirect(Operand::Value(value)) => {
                if let Some(Op::Load { ptr, .. }) = definitions.of(*value).map(|i| &i.op)
                    && let Some(place) = definitions.place(self.program, ptr)
                {
                    self.dispatched.insert(place.name());
                }
            }
            Callee::Indirect(_) => {}
        }
    }

    /// An ops object stored into a field made for it is out of the input's hands (a `void *` field is private data).
    fn scan_store(&mut self, place: &Place, target: &Target) {
        let Target::Global(global, 0) = target else {
            return;
        };
        self.places.entry(*global).or_default().insert(place.name());
        let same_type = place
            .ty
            .and_then(|t| pointee(self.program, t))
            .zip(global_type(self.program, *global))
            .is_some_and(|(field, own)| {
                let name = &self.program.debug_types[field].name;
                !name.is_empty() && *name == self.program.debug_types[own].name
            });
        if same_type {
            self.escaping.insert(*global);
        }
    }

    /// Constant ops structs, and static timers, work items, notifiers.
    fn initialisers(&mut self) {
        for (id, global) in self.program.globals.iter_ids() {
            if global.name.starts_with("llvm.")
                || global.name.starts_with("__UNIQUE_ID_")
                || global.name.starts_with("__exitcall_")
            {
                continue;
            }
            for cell in global.init.iter().flatten() {
                let Const::Func { function, .. } = cell.value else {
                    continue;
                };
                if !self.defined(function) {
                    continue;
                }
                let place = global_type(self.program, id)
                    .and_then(|ty| place_at(self.program, ty, cell.offset));
                let found = match &place {
                    Some(place) => Found {
                        function,
                        via: place.name(),
                        holder: Some((id, i64::try_from(place.start).unwrap_or(0))),
                        call: None,
                    },
                    None => Found {
                        function,
                        via: format!(
                            "{}.+{}",
                            global.struct_name.as_deref().unwrap_or("?"),
                            cell.offset
                        ),
                        holder: Some((id, 0)),
                        call: None,
                    },
                };
                let structure = place.as_ref().map_or("", |p| p.structure.as_str());
                if self.rules.place(&found.via).is_some() || self.rules.knows_struct(structure) {
                    self.found.push(found);
                } else if self.dispatched.contains(&found.via) || !self.escaping.contains(&id) {
                    // The input's own dispatch, or a table that only other modules use.
                    let note = format!(
                        "{}: function table that the kernel does not get: no entry points (--entry takes them)",
                        global.name
                    );
                    if !self.notes.contains(&note) {
                        self.notes.push(note);
                    }
                } else {
                    self.found.push(found);
                }
            }
        }
    }

    /// Function pointers among the arguments of calls of external functions, also through functions that hand them on.
    fn calls(&self) -> Vec<Found> {
        // Parameter `n` of a function ends up as these arguments of external functions.
        let mut forwards: HashMap<(FuncId, usize), Vec<String>> = HashMap::new();
        let mut calls: Vec<(FuncId, FuncId, usize, Target)> = Vec::new();
        for (id, function) in self.bodies() {
            let definitions = Definitions::new(function);
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                if let Op::Call {
                    callee: Callee::Direct(callee),
                    args,
                    ..
                } = &instr.op
                {
                    for (n, arg) in args.iter().enumerate() {
                        for target in definitions.targets(arg) {
                            calls.push((id, *callee, n, target));
                        }
                    }
                }
            }
        }
        let ends_at = |forwards: &HashMap<(FuncId, usize), Vec<String>>, callee: FuncId, n| {
            let f = &self.program.functions[callee];
            let place = format!("{}#{n}", f.name);
            if !self.defined(callee) || self.rules.place(&place).is_some() {
                vec![place]
            } else {
                forwards.get(&(callee, n)).cloned().unwrap_or_default()
            }
        };
        loop {
            let mut changed = false;
            for (caller, callee, n, target) in &calls {
                if let Target::Parameter(p) = target {
                    for place in ends_at(&forwards, *callee, *n) {
                        let list = forwards.entry((*caller, *p)).or_default();
                        if !list.contains(&place) {
                            list.push(place);
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut found = Vec::new();
        for (_, callee, n, target) in &calls {
            let Target::Function(function) = target else {
                continue;
            };
            if !self.defined(*function) {
                continue;
            }
            for via in ends_at(&forwards, *callee, *n) {
                // Intrinsics keep addresses, they call nothing.
                if via.starts_with("llvm.") || via.starts_with("__irkiss_") {
                    continue;
                }
                let call = via.split('#').next().map(str::to_string);
                found.push(Found {
                    function: *function,
                    via,
                    holder: None,
                    call,
                });
            }
        }
        found
    }

    /// Function pointers stored into fields: `INIT_WORK`, `urb->complete = …`.
    fn stores(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for (_, function) in self.bodies() {
            let definitions = Definitions::new(function);
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                let Op::Store { ptr, value, .. } = &instr.op else {
                    continue;
                };
                for target in definitions.targets(value) {
                    let Target::Function(handler) = target else {
                        continue;
                    };
                    if !self.defined(handler) {
                        continue;
                    }
                    let place = definitions
                        .place(self.program, ptr)
                        .map(|p| p.name())
                        .filter(|p| self.rules.place(p).is_some())
                        .or_else(|| self.by_signature(handler).map(str::to_string))
                        .or_else(|| definitions.place(self.program, ptr).map(|p| p.name()));
                    let Some(via) = place.filter(|p| !self.dispatched.contains(p)) else {
                        continue;
                    };
                    let holder = match definitions.targets(ptr).as_slice() {
                        [Target::Global(global, offset)] => self.holder_of(*global, *offset),
                        _ => None,
                    };
                    found.push(Found {
                        function: handler,
                        via,
                        holder,
                        call: None,
                    });
                }
            }
        }
        found
    }

    /// The object in a global to which the field at `offset` belongs.
    fn holder_of(&self, global: GlobalId, offset: i64) -> Option<(GlobalId, i64)> {
        let place = place_at(
            self.program,
            global_type(self.program, global)?,
            u64::try_from(offset).ok()?,
        )?;
        Some((global, i64::try_from(place.start).ok()?))
    }

    /// What a function is by the type of its first parameter, where the place of its address says nothing.
    fn by_signature(&self, function: FuncId) -> Option<&'static str> {
        let f = &self.program.functions[function];
        let first = (*f.param_types.first()?)?;
        let target = pointee(self.program, first)?;
        match self.program.debug_types[target].name.as_str() {
            "work_struct" => Some("work_struct.func"),
            "timer_list" => Some("timer_list.function"),
            "hrtimer" => Some("hrtimer.function"),
            "tasklet_struct" => Some("tasklet_struct.callback"),
            _ => None,
        }
    }
}
