//! Where function pointers stand: initialisers; and the module's own functions. Calls and stores: see `flow`.

use std::collections::{HashMap, HashSet};

use super::Found;
use super::exclusions::{DEVICE_GROUPS, Use, Uses};
use super::in_memory;
use super::types::{Definitions, Place, Target, global_type, place_at, pointee};
use super::{MODULE_EXIT, MODULE_INIT};
use crate::environment::rules::Rules;
use crate::index::{FuncId, GlobalId};
use crate::program::{Callee, Const, DebugTypeKind, Op, Operand, Origin, Program, Type};

/// The functions that a module starts and ends with.
pub struct ModuleFunctions {
    /// What other modules may call.
    pub exported: Vec<FuncId>,
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
        exported: Vec::new(),
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
            Some(_) => found.exported.extend(Some(function).filter(|_| f.external)),
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
    pub(super) program: &'a Program,
    pub(super) rules: &'a Rules,
    /// What was found, in order: initialisers, calls and stores, the rest.
    pub found: Vec<Found>,
    /// Where the addresses of globals stand.
    pub uses: Uses,
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
            uses: HashMap::new(),
            escaping: HashSet::new(),
            dispatched: HashSet::new(),
        }
    }

    /// Looks everywhere.
    pub fn run(&mut self) {
        self.scan_uses();
        self.initialisers();
        let flows = self.flows();
        self.found.extend(flows);
        let rest = self.rest();
        self.found.extend(rest);
    }

    pub(super) fn defined(&self, function: FuncId) -> bool {
        let f = &self.program.functions[function];
        f.is_defined() && !f.is_model && f.primitive.is_none()
    }

    /// Bodies of the input, not of models.
    pub(super) fn bodies(
        &self,
    ) -> impl Iterator<Item = (FuncId, &'a crate::program::Function)> + use<'a> {
        self.program
            .functions
            .iter_ids()
            .filter(|(_, f)| f.is_defined() && !f.is_model)
    }

    /// Where addresses of globals go, and through which fields the input calls.
    fn scan_uses(&mut self) {
        for (id, global) in self.program.globals.iter_ids() {
            for cell in global.init.iter().flatten() {
                if let Const::Addr { global: target, .. } = cell.value {
                    let place = global_type(self.program, id)
                        .and_then(|ty| place_at(self.program, ty, cell.offset));
                    self.uses
                        .entry(target)
                        .or_default()
                        .insert(Use::initialiser(id, place));
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
                            let owner = match definitions.targets(ptr).as_slice() {
                                [Target::Global(owner, _)] => Some(*owner),
                                _ => None,
                            };
                            let within = || definitions.around(ptr);
                            let within = (place.name() == DEVICE_GROUPS).then(within).flatten();
                            for target in definitions.targets(value) {
                                self.scan_store(&place, (owner, within.clone()), &target);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        in_memory::follow_tables(self.program, &mut self.uses);
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
                let with = the_kernels(self.program, args);
                for (n, arg) in args.iter().enumerate() {
                    for target in definitions.targets(arg) {
                        if let Target::Global(global, _) = target {
                            self.escaping.insert(global);
                            let used = Use {
                                place: Some(format!("{name}#{n}")),
                                owner: None,
                                within: None,
                                with: with.clone(),
                            };
                            self.uses.entry(global).or_default().insert(used);
                        }
                    }
                }
            }
            Callee::Direct(_) => {}
            Callee::Indirect(pointer) => {
                for place in definitions.loaded(self.program, pointer) {
                    self.dispatched.insert(place.name());
                }
            }
        }
    }

    /// An ops object stored into a field made for it is out of the input's hands (a `void *` field is private data).
    fn scan_store(
        &mut self,
        place: &Place,
        (owner, within): (Option<GlobalId>, Option<(String, u64)>),
        target: &Target,
    ) {
        let Target::Global(global, 0) = target else {
            return;
        };
        self.uses.entry(*global).or_default().insert(Use {
            place: Some(place.name()),
            owner,
            within,
            with: None,
        });
        let same_type = place
            .ty
            .and_then(|t| pointee(self.program, t))
            .zip(global_type(self.program, *global))
            .is_some_and(|(field, own)| {
                // A table of them is handed over by its first one.
                let own = match self.program.debug_types[own].kind {
                    DebugTypeKind::Array {
                        element: Some(element),
                        ..
                    } => element,
                    _ => own,
                };
                let name = &self.program.debug_types[field].name;
                !name.is_empty() && *name == self.program.debug_types[own].name
            });
        if same_type {
            self.escaping.insert(*global);
        }
    }

    /// Why a function pointer at that place is only called by the input itself, if so.
    ///
    /// A struct declared in a folder `include`, or known to a rule, is an interface: whoever gets such an object calls through
    /// it. One declared in a source file is the input's own; so is one in a header beside the sources if the input calls
    /// through the field.
    pub(super) fn own(&self, place: &Place) -> Option<String> {
        let name = place.name();
        if self.rules.knows_struct(&place.structure) {
            return None;
        }
        let own = match place.origin {
            Origin::Interface => false,
            Origin::Source => true,
            Origin::Header | Origin::Unknown => self.dispatched.contains(&name),
        };
        own.then(|| format!("called through {name} by the input itself"))
    }

    /// Whether it is a function of the kernel that a rule knows at that place, where it works on the input's data.
    fn is_kernels_own(&self, function: FuncId, place: Option<&Place>) -> bool {
        let name = &self.program.functions[function].name;
        place
            .and_then(|p| self.rules.place(&p.name()))
            .is_some_and(|rule| rule.kernels_own.contains(name))
    }

    /// Constant ops structs, and static timers, work items, notifiers.
    fn initialisers(&mut self) {
        let called = self.called_tables();
        for (id, global) in self.program.globals.iter_ids() {
            if global.name.starts_with("llvm.")
                || global.name.starts_with("__UNIQUE_ID_")
                || global.name.starts_with("__exitcall_")
                || global.name.starts_with("__ksymtab")
            {
                continue;
            }
            for cell in global.init.iter().flatten() {
                let Const::Func { function, .. } = cell.value else {
                    continue;
                };
                let place = global_type(self.program, id)
                    .and_then(|ty| place_at(self.program, ty, cell.offset));
                if !self.defined(function) && !self.is_kernels_own(function, place.as_ref()) {
                    continue;
                }
                let outside = |reason: &str| {
                    (!self.escaping.contains(&id)).then(|| format!("{}: {reason}", global.name))
                };
                const KEPT: &str = "a table that only the input uses";
                let (via, holder, own) = match &place {
                    Some(place) => {
                        let own = match place.origin {
                            _ if self.rules.knows_struct(&place.structure) => None,
                            Origin::Interface => None,
                            // A table that others get, and that the input does not call through, is for them.
                            Origin::Source if !self.dispatched.contains(&place.name()) => {
                                outside(KEPT)
                            }
                            _ => self.own(place).or_else(|| outside(KEPT)),
                        };
                        let start = i64::try_from(place.start).unwrap_or(0);
                        (place.name(), Some((id, start)), own)
                    }
                    None => {
                        let name = global.struct_name.as_deref().unwrap_or("?");
                        let via = format!("{name}.+{}", cell.offset);
                        // Where it goes from an array is not always seen: the type tells what it is for.
                        match self.by_signature(function) {
                            Some(via) if !called.contains(&id) => (via.to_string(), None, None),
                            _ => (via, Some((id, 0)), outside(KEPT)),
                        }
                    }
                };
                self.found.push(Found {
                    function,
                    via,
                    holder,
                    call: None,
                    own,
                });
            }
        }
    }
}

/// A global of the kernel that a call gets (the chain of a notifier), if there is one alone.
pub fn the_kernels(program: &Program, args: &[Operand]) -> Option<String> {
    let mut all = args.iter().filter_map(|a| match a {
        Operand::Const(Const::Addr { global, .. }) => Some(&program.globals[*global]),
        _ => None,
    });
    let mut theirs = all.by_ref().filter(|g| g.init.is_none());
    let one = theirs.next()?;
    theirs.next().is_none().then(|| one.name.clone())
}
