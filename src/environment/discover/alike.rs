//! Entry points that are one: a function that stands in several objects of a kind, and is called for whichever of them.
//!
//! A monitor has hundreds of attributes and a few functions that show and store them, each with its number in the attribute. As entry points
//! of their own they make pairs by the square of their number, which all say the same. They are joined where nothing tells them apart but
//! the object that they are given: the rules say the same of each, and no call of the input registers or takes back one of them without the
//! others. Then each activation is given an arbitrary one of the objects, and two of them the same one or two.
//!
//! What it misses: attributes that the input registers one by one, of which some may not be there; handlers that are armed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::exclusions::Uses;
use super::several::calls;
use super::types::{Base, Definitions, global_type, pointee};
use crate::environment::entry::{
    EntryPoint, EntryPoints, Gated, Parameter, Phase, Registrar, Start, Target, When,
};
use crate::index::{DebugTypeId, EntryId, FuncId, GlobalId, Idx};
use crate::program::{Callee, Const, DebugTypeKind, Function, Op, Operand, Program, operands};

/// Joins them. What refers to an entry point by its number does so by the one that is left.
pub fn join(
    program: &Program,
    uses: &Uses,
    entries: &mut EntryPoints,
    registrars: &mut [Registrar],
) {
    let together = groups(program, uses, entries, registrars);
    if together.is_empty() {
        return;
    }
    let mut first_of: HashMap<EntryId, EntryId> = HashMap::new();
    for group in &together {
        let places: Vec<(String, i64)> = group
            .iter()
            .flat_map(|id| own_places(&entries[*id]))
            .collect();
        let others = group[1..].iter();
        let alike = others.filter_map(|id| entries[*id].registered_by.clone());
        let alike: Vec<String> = alike.collect();
        let first = &mut entries[group[0]];
        let own = first.registered_by.clone().unwrap_or_default();
        first.alike = alike;
        for parameter in &mut first.parameters {
            if !places_in(parameter, &own).is_empty() {
                *parameter = Parameter::OneOf(places.clone());
            }
        }
        first_of.extend(group[1..].iter().map(|id| (*id, group[0])));
        for registrar in &mut *registrars {
            one_for_all(registrar, group);
        }
    }
    let mut numbers: HashMap<EntryId, EntryId> = HashMap::new();
    let mut left = Vec::new();
    for (id, entry) in entries.iter_ids() {
        if !first_of.contains_key(&id) {
            numbers.insert(id, EntryId::new(left.len()));
            left.push(entry.clone());
        }
    }
    *entries = left.into_iter().collect();
    for registrar in registrars {
        renumber(registrar, &numbers);
    }
}

/// The object that the entry point stands in and is given, or those elements of an array of which it is given one.
fn own_places(entry: &EntryPoint) -> Vec<(String, i64)> {
    let own = entry.registered_by.as_deref().unwrap_or_default();
    let given = entry.parameters.iter().map(|p| places_in(p, own));
    let mut given = given.filter(|places| !places.is_empty());
    given.next().unwrap_or_default()
}

/// What a parameter is, if it is within that object alone.
fn places_in(parameter: &Parameter, own: &str) -> Vec<(String, i64)> {
    let places = match parameter {
        Parameter::Global(name, offset) => vec![(name.clone(), *offset)],
        Parameter::OneOf(places) => places.clone(),
        _ => Vec::new(),
    };
    let all = places.iter().all(|(name, _)| name == own);
    if all { places } else { Vec::new() }
}

/// What is left of an entry point without the object.
fn without_object(entry: &EntryPoint) -> EntryPoint {
    let own = entry.registered_by.clone().unwrap_or_default();
    let mut like = entry.clone();
    like.registered_by = None;
    for parameter in &mut like.parameters {
        if !places_in(parameter, &own).is_empty() {
            *parameter = Parameter::OneOf(Vec::new());
        }
    }
    like
}

/// Entry points that nothing tells apart but their object.
struct Part {
    /// What each is without it.
    like: EntryPoint,
    /// The calls that register them, or take them back, by number, and what these do.
    registered: Vec<(usize, Gated)>,
    ids: Vec<EntryId>,
}

/// Those that are one, at least two each.
fn groups(
    program: &Program,
    uses: &Uses,
    entries: &EntryPoints,
    registrars: &[Registrar],
) -> Vec<Vec<EntryId>> {
    let armed: HashSet<EntryId> = registrars
        .iter()
        .flat_map(|r| &r.armed)
        .flat_map(|(target, _)| match target {
            Target::All(ids) | Target::Contained(_, ids) => ids.clone(),
            _ => Vec::new(),
        })
        .collect();
    let mut by_function: BTreeMap<(&str, &str), Vec<EntryId>> = BTreeMap::new();
    for (id, entry) in entries.iter_ids() {
        let is_one_of_many = entry.phase == Phase::Steady
            && entry.start == Start::Any
            && entry.beside_itself
            && !entry.another
            && !own_places(entry).is_empty()
            && !armed.contains(&id);
        if is_one_of_many {
            let place = (entry.function.as_str(), entry.via.as_str());
            by_function.entry(place).or_default().push(id);
        }
    }
    by_function.retain(|_, ids| ids.len() > 1);
    if by_function.is_empty() {
        return Vec::new();
    }
    let mut known = Known::new(program, uses, registrars);
    let mut together = Vec::new();
    for ids in by_function.into_values() {
        let mut parts: Vec<Part> = Vec::new();
        for id in ids {
            let Some(registered) = known.registered(entries, id) else {
                continue;
            };
            let like = without_object(&entries[id]);
            let same = |p: &&mut Part| p.like == like && p.registered == registered;
            match parts.iter_mut().find(same) {
                Some(part) => part.ids.push(id),
                None => parts.push(Part {
                    like,
                    registered,
                    ids: vec![id],
                }),
            }
        }
        let several = parts.into_iter().map(|part| part.ids);
        together.extend(several.filter(|part| part.len() > 1));
    }
    together
}

/// What the input's calls register, as far as that tells objects apart.
struct Known<'a> {
    program: &'a Program,
    uses: &'a Uses,
    registrars: &'a [Registrar],
    /// What the input's own code has the address of, beside handing it to functions of others.
    mentioned: HashSet<GlobalId>,
    /// Variables whose content the input changes, or may.
    changed: HashSet<GlobalId>,
    /// The fields that it loads from.
    loaded: HashSet<String>,
    /// Functions that may be called through pointers.
    called_by_others: HashSet<FuncId>,
    /// What is handed to each function as an argument; `None`: nothing is known of some of it.
    given: HashMap<(String, usize), Option<Given>>,
}

/// What an argument leads to.
#[derive(Clone, Default)]
struct Given {
    variables: BTreeSet<GlobalId>,
    /// Structs of those of which only that is known.
    of: BTreeSet<String>,
}

impl Given {
    /// Whether it may lead to a variable: where only a struct is known, to one that has such a struct in it.
    fn may_be(&self, program: &Program, global: GlobalId) -> bool {
        self.variables.contains(&global)
            || !self.of.is_empty()
                && global_type(program, global).is_none_or(|ty| has_one_of(program, ty, &self.of))
    }
}

/// Whether there is such a struct in what is of that type.
fn has_one_of(program: &Program, ty: DebugTypeId, structs: &BTreeSet<String>) -> bool {
    let mut work = vec![ty];
    let mut seen = HashSet::new();
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        let ty = &program.debug_types[ty];
        match &ty.kind {
            DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => {
                if structs.contains(&ty.name) {
                    return true;
                }
                work.extend(members.iter().filter_map(|m| m.ty));
            }
            DebugTypeKind::Array { element, .. } => work.extend(*element),
            DebugTypeKind::Opaque => return true,
            DebugTypeKind::Scalar | DebugTypeKind::Pointer(_) | DebugTypeKind::Function => {}
        }
    }
    false
}

impl<'a> Known<'a> {
    fn new(program: &'a Program, uses: &'a Uses, registrars: &'a [Registrar]) -> Self {
        let mut known = Known {
            program,
            uses,
            registrars,
            mentioned: HashSet::new(),
            changed: HashSet::new(),
            loaded: HashSet::new(),
            called_by_others: HashSet::new(),
            given: HashMap::new(),
        };
        let cells = program.globals.iter().flat_map(|g| g.init.iter().flatten());
        known.called_by_others = cells.filter_map(|cell| named(&cell.value)).collect();
        for function in own_bodies(program) {
            known.scan(function);
        }
        known
    }

    fn scan(&mut self, function: &Function) {
        let definitions = Definitions::new(function);
        for instr in definitions.instructions() {
            let handed = match &instr.op {
                Op::Call { callee, .. } => match callee {
                    Callee::Direct(f) => !self.program.functions[*f].is_defined(),
                    Callee::Indirect(_) => false,
                },
                _ => false,
            };
            operands(&instr.op, &mut |operand| {
                if let Operand::Const(Const::Addr { global, .. }) = operand
                    && !handed
                {
                    self.mentioned.insert(*global);
                }
                if let Operand::Const(value) = operand {
                    self.called_by_others.extend(named(value));
                }
                let reads = matches!(&instr.op, Op::Load { .. } | Op::Gep { .. });
                if !reads && let Some(Base::Global(global)) = definitions.base(operand) {
                    self.changed.insert(global);
                }
            });
            if let Op::Load { ptr, .. } = &instr.op
                && let Some(place) = definitions.place(self.program, ptr)
            {
                self.loaded.insert(place.name());
            }
        }
    }

    /// What the calls of the input do to an entry point, its own object left out; `None`: one of them may be about that object alone.
    fn registered(&mut self, entries: &EntryPoints, id: EntryId) -> Option<Vec<(usize, Gated)>> {
        let own = self
            .program
            .global_named(entries[id].registered_by.as_deref()?)?;
        let registrars = self.registrars;
        let mut all = Vec::new();
        for (n, registrar) in registrars.iter().enumerate() {
            for gated in registrar.gated.iter().filter(|g| g.entry == id) {
                let mut gated = gated.clone();
                gated.entry = EntryId::new(0);
                if let When::Object(argument, globals)
                | When::Registers {
                    argument, globals, ..
                } = &mut gated.when
                {
                    let given = self.given(&registrar.function, *argument);
                    let program = self.program;
                    let alone = match &given {
                        Some(all) => all.may_be(program, own),
                        None => self.may_be_given(own),
                    };
                    if alone {
                        return None;
                    }
                    let meant = |name: &String| {
                        let global = program.global_named(name).filter(|g| *g != own);
                        let given = given.as_ref();
                        global.is_some_and(|g| given.is_none_or(|all| all.may_be(program, g)))
                    };
                    globals.retain(meant);
                    globals.sort();
                }
                all.push((n, gated));
            }
        }
        Some(all)
    }

    /// Whether the input's code may come by the address of an object that stands in tables: by its name, or out of one of those.
    fn may_be_given(&self, object: GlobalId) -> bool {
        let found = self.uses.get(&object).into_iter().flatten();
        let mut tables = found.filter_map(|u| u.owner);
        let taken_from = |table: GlobalId| {
            let found = self.uses.get(&table).into_iter().flatten();
            let mut places = found.filter_map(|u| u.place.as_ref());
            self.mentioned.contains(&table) || places.any(|p| self.loaded.contains(p))
        };
        self.mentioned.contains(&object) || tables.any(taken_from)
    }

    /// The variables that a function is handed as that argument.
    fn given(&mut self, function: &str, argument: usize) -> Option<Given> {
        let key = (function.to_string(), argument);
        if let Some(known) = self.given.get(&key) {
            return known.clone();
        }
        let found = calls(self.program, function);
        let work = found.map(|(caller, _, args)| Some((caller, args.get(argument)?.clone())));
        let work: Option<Vec<(FuncId, Operand)>> = work.collect();
        let all = work.and_then(|work| self.variables(work));
        self.given.insert(key, all.clone());
        all
    }

    /// What addresses lead to, also where they are parameters, or loaded: from a table that stays as it is, or from a field that points to
    /// structs.
    fn variables(&self, mut work: Vec<(FuncId, Operand)>) -> Option<Given> {
        let mut found = Given::default();
        let mut seen = HashSet::new();
        while let Some((at, operand)) = work.pop() {
            let value = match operand {
                Operand::Const(Const::Addr { global, .. }) => {
                    found.variables.insert(global);
                    continue;
                }
                Operand::Const(_) => continue,
                Operand::Value(value) => value,
            };
            if !seen.insert((at, value)) {
                continue;
            }
            let function = &self.program.functions[at];
            if let Some(n) = function.params.iter().position(|p| *p == value) {
                if self.called_by_others.contains(&at) {
                    return None;
                }
                for (caller, _, args) in calls(self.program, &function.name) {
                    work.push((caller, args.get(n)?.clone()));
                }
                continue;
            }
            let definitions = Definitions::new(function);
            match &definitions.of(value)?.op {
                Op::Phi(incoming) => work.extend(incoming.iter().map(|(_, o)| (at, o.clone()))),
                Op::Select {
                    if_true, if_false, ..
                } => work.extend([(at, if_true.clone()), (at, if_false.clone())]),
                Op::Cast { value, .. } => work.push((at, value.clone())),
                Op::Gep { base, .. } => work.push((at, base.clone())),
                Op::Load { ptr, .. } => match definitions.base(ptr) {
                    Some(Base::Global(table)) if !self.changed.contains(&table) => {
                        found.variables.extend(self.pointers_in(table));
                    }
                    _ => {
                        let place = definitions.place(self.program, ptr)?;
                        let target = &self.program.debug_types[pointee(self.program, place.ty?)?];
                        let is_struct = matches!(
                            target.kind,
                            DebugTypeKind::Struct(_) | DebugTypeKind::Opaque
                        );
                        if !is_struct || target.name.is_empty() {
                            return None;
                        }
                        found.of.insert(target.name.clone());
                    }
                },
                _ => return None,
            }
        }
        Some(found)
    }

    /// The variables whose addresses stand in one.
    fn pointers_in(&self, table: GlobalId) -> impl Iterator<Item = GlobalId> + '_ {
        let cells = self.program.globals[table].init.iter().flatten();
        cells.filter_map(|cell| match cell.value {
            Const::Addr { global, .. } => Some(global),
            _ => None,
        })
    }
}

/// The function whose address a constant is.
fn named(value: &Const) -> Option<FuncId> {
    match value {
        Const::Func { function, .. } => Some(*function),
        _ => None,
    }
}

fn own_bodies(program: &Program) -> impl Iterator<Item = &Function> {
    let all = program.functions.iter();
    all.filter(|f| f.is_defined() && !f.is_model)
}

/// Leaves what a registrar does to the first of them, told by what all of them have in common.
fn one_for_all(registrar: &mut Registrar, group: &[EntryId]) {
    let globals = |gated: &Gated| match &gated.when {
        When::Object(_, globals) | When::Registers { globals, .. } => globals.clone(),
        When::Always | When::Function(_) | When::Within(_) => Vec::new(),
    };
    let mut others: HashMap<String, usize> = HashMap::new();
    for gated in registrar.gated.iter().filter(|g| group.contains(&g.entry)) {
        for name in globals(gated).into_iter().collect::<BTreeSet<_>>() {
            *others.entry(name).or_default() += 1;
        }
    }
    registrar
        .gated
        .retain(|g| g.entry == group[0] || !group.contains(&g.entry));
    for gated in registrar.gated.iter_mut().filter(|g| g.entry == group[0]) {
        if let When::Object(_, globals) | When::Registers { globals, .. } = &mut gated.when {
            let common = |name: &&String| others.get(*name).is_some_and(|n| *n >= group.len());
            let common: Vec<String> = globals.iter().filter(common).cloned().collect();
            if !common.is_empty() {
                *globals = common;
            }
        }
    }
}

fn renumber(registrar: &mut Registrar, numbers: &HashMap<EntryId, EntryId>) {
    for gated in &mut registrar.gated {
        gated.entry = numbers[&gated.entry];
    }
    for (target, _) in &mut registrar.armed {
        if let Target::All(ids) | Target::Contained(_, ids) = target {
            for id in ids {
                *id = numbers[id];
            }
        }
    }
}
