//! Entry points of what was found: each with what the rule of its place says.

use super::types::member_offset;
use super::{
    Found, creators, exclusions, find, identity, in_memory, its, leads, loading, objects, opened,
    pinned, set_up, several, shown,
};
use crate::environment::entry::{ASKED_FOR, EntryPoint, Parameter, Phase, Start};
use crate::environment::rules::{Rule, RuleParameter, Rules};
use crate::index::{FuncId, GlobalId};
use crate::program::Program;

/// Makes entry points of what was found.
pub(super) struct Maker<'a> {
    pub(super) program: &'a Program,
    pub(super) rules: &'a Rules,
    /// Where addresses of globals stand.
    pub(super) uses: &'a exclusions::Uses,
    pub(super) entries: Vec<EntryPoint>,
    /// What keeps entries apart from others that are not known yet.
    pub(super) apart: Vec<exclusions::Apart>,
    pub(super) notes: Vec<String>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(program: &'a Program, rules: &'a Rules, uses: &'a exclusions::Uses) -> Self {
        Maker {
            program,
            rules,
            uses,
            entries: Vec::new(),
            apart: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Of all that was found: what initialises first. `only` (`--entry`): these are among them, whatever they are.
    pub(super) fn all(
        &mut self,
        search: &find::Search<'_>,
        module: &find::ModuleFunctions,
        only: &[String],
    ) {
        let (program, rules) = (self.program, self.rules);
        for (function, via) in &module.init {
            self.module(*function, via, Phase::Init);
        }
        for found in &search.found {
            if found.own.is_none() {
                self.found(found);
            }
        }
        for found in &shown::find(program, rules) {
            self.found(found);
        }
        for (function, via) in &module.exit {
            self.module(*function, via, Phase::Exit);
        }
        for found in &search.found {
            if let Some(reason) = &found.own {
                self.nested(found, reason);
            }
        }
        self.entries
            .retain(|e| e.phase != Phase::Nested || !only.contains(&e.function));
        for name in only {
            if !self.entries.iter().any(|e| e.function == *name)
                && let Some(function) = program.function_named(name)
            {
                let via = ASKED_FOR.to_string();
                self.unknown(&Found {
                    function,
                    via,
                    holder: None,
                    call: None,
                    own: None,
                });
            }
        }
        if let Some(function) = set_up::sets_up(program, &self.entries) {
            self.set_up(function);
        }
        for function in creators(program, &self.entries, &module.exported) {
            self.exported(function);
        }
        opened::find(search, rules, &mut self.entries);
    }

    fn module(&mut self, function: FuncId, via: &str, phase: Phase) {
        let f = &self.program.functions[function];
        if self.entries.iter().any(|e| e.function == f.name) {
            return;
        }
        self.entries.push(EntryPoint {
            parameters: vec![Parameter::Number; f.params.len()],
            loc: f.loc,
            ..EntryPoint::new(&f.name, via, phase)
        });
    }

    /// What only the input calls, or what the kernel calls while the input waits for it: listed, no thread of its own.
    fn nested(&mut self, found: &Found, reason: &str) {
        let f = &self.program.functions[found.function];
        if let Some(entry) = self.entries.iter_mut().find(|e| e.function == f.name) {
            if entry.via != found.via && !entry.also.contains(&found.via) {
                entry.also.push(found.via.clone());
            }
            return;
        }
        self.entries.push(EntryPoint {
            registered_by: self.registered_by(found),
            parameters: Vec::new(),
            loc: f.loc,
            why: reason.to_string(),
            ..EntryPoint::new(&f.name, &found.via, Phase::Nested)
        });
    }

    fn found(&mut self, found: &Found) {
        let found = &in_memory::belonging(self.program, self.rules, found);
        let is_over = |(ops, _)| loading::is_over(self.program, &found.via, ops);
        if found.holder.is_some_and(is_over) {
            return self.nested(
                found,
                "the parameters are set while the module is loaded only",
            );
        }
        match self.rules.place(&found.via) {
            Some(rule) if rule.phase == Phase::Nested => self.nested(found, &rule.cite),
            Some(rule) if !self.may_be_called(found, rule) => {
                let fields = rule.called_if.iter().map(|(field, _)| field.as_str());
                let fields: Vec<&str> = fields.collect();
                let reason = format!("nothing sets {}; {}", fields.join(", "), rule.cite);
                self.nested(found, &reason);
            }
            Some(rule) => self.known(found, rule),
            None => self.unknown(found),
        }
    }

    /// Whether the object that holds it lets the kernel call it.
    fn may_be_called(&self, found: &Found, rule: &Rule) -> bool {
        let holder = found.holder.map(|(ops, _)| &self.program.globals[ops].name);
        exclusions::may_be_called(self.program, holder.map(String::as_str), rule)
    }

    /// What other modules call to make a device: no thread of its own.
    fn exported(&mut self, function: FuncId) {
        let f = &self.program.functions[function];
        if self.entries.iter().any(|e| e.function == f.name) {
            return;
        }
        let parameters = (0..f.params.len()).map(|n| self.default_parameter(function, n));
        let parameters = parameters.collect();
        self.entries.push(EntryPoint {
            parameters,
            loc: f.loc,
            why: "other modules call it before files are opened".to_string(),
            ..EntryPoint::of_others(&f.name, Phase::Nested)
        });
    }

    /// One function in two fields of one object (unlocked_ioctl and compat_ioctl) is one entry point, which is told so. What
    /// keeps others away in one place only does not keep them away.
    fn is_there(
        &mut self,
        function: &str,
        registered_by: Option<&str>,
        via: &str,
        rule: Option<&Rule>,
    ) -> bool {
        let rules = self.rules;
        let known = self
            .entries
            .iter_mut()
            .find(|e| e.function == function && e.registered_by.as_deref() == registered_by);
        match known {
            Some(entry) => {
                if entry.via != via && !entry.also.iter().any(|p| p == via) {
                    let places: Vec<&String> = entry.also.iter().chain([&entry.via]).collect();
                    let others = places.iter().filter_map(|p| rules.place(p));
                    let locked = others.map(|r| &r.serialized_by).any(|l| !l.is_empty())
                        || !entry.serialized_by.is_empty();
                    let apart = places.iter().all(|other| rules.are_apart(other, via));
                    entry.serialized_by.retain(|lock| {
                        rule.is_some_and(|r| r.serialized_by.iter().any(|l| l == lock))
                    });
                    let unlocked = locked && entry.serialized_by.is_empty() && !apart;
                    entry.beside_itself |= unlocked || rule.is_none_or(|r| r.beside_itself);
                    entry.also.push(via.to_string());
                }
                true
            }
            None => false,
        }
    }

    /// A function that stands in another object of the same table, too: an attribute in an array of them.
    fn another_holder(&mut self, found: &Found, rule: &Rule) {
        let Some((global, start)) = found.holder else {
            return;
        };
        let held = rule
            .parameters
            .iter()
            .position(|p| *p == RuleParameter::Holder);
        let place = (self.program.globals[global].name.clone(), start);
        let function = &self.program.functions[found.function].name;
        let entry = self
            .entries
            .iter_mut()
            .find(|e| e.function == *function && e.registered_by.as_ref() == Some(&place.0));
        let parameter = held.and_then(|n| entry?.parameters.get_mut(n));
        match parameter {
            Some(Parameter::OneOf(places)) if !places.contains(&place) => places.push(place),
            Some(parameter @ Parameter::Global(..)) => {
                if let Parameter::Global(name, offset) = parameter.clone()
                    && (&name, offset) != (&place.0, place.1)
                {
                    *parameter = Parameter::OneOf(vec![(name, offset), place]);
                }
            }
            _ => {}
        }
    }

    fn registered_by(&self, found: &Found) -> Option<String> {
        match found.holder {
            Some((global, _)) => Some(self.program.globals[global].name.clone()),
            None => found.call.clone(),
        }
    }

    fn known(&mut self, found: &Found, rule: &Rule) {
        let program = self.program;
        let f = &program.functions[found.function];
        let registered_by = self.registered_by(found);
        if self.is_there(&f.name, registered_by.as_deref(), &found.via, Some(rule)) {
            if rule.start == Start::Any {
                self.another_holder(found, rule);
            }
            return;
        }
        let ops = registered_by.clone().unwrap_or_else(|| f.name.clone());
        let told = rule.parameters.iter().take(f.params.len()).enumerate();
        let mut parameters: Vec<Parameter> = told
            .map(|(n, p)| self.parameter(found, rule, &ops, (n, p)))
            .collect();
        for n in parameters.len()..f.params.len() {
            parameters.push(self.default_parameter(found.function, n));
        }
        let mut entry = EntryPoint {
            registered_by,
            context: rule.context,
            parameters,
            beside_itself: rule.beside_itself
                || (rule.beside_itself_with.iter()).any(|f| objects::is_called(self.program, f)),
            serialized_by: rule.serialized_by.clone(),
            start: rule.start,
            of_module: rule.of_module,
            loc: f.loc,
            kernels_own: !f.is_defined(),
            why: rule.cite.clone(),
            ..EntryPoint::new(&f.name, &found.via, rule.phase)
        };
        if let Some((global, start)) = found.holder {
            self.apply_holders(&mut entry, global);
            let names = |field: &String| pinned::names_module(self.program, global, start, field);
            let ops = Some(self.program.globals[global].name.as_str());
            if rule.pinned_by.iter().any(names) && !exclusions::taken_back(self.program, ops, rule)
            {
                entry.never_beside.push(pinned::mark());
            }
        } else {
            in_memory::apply_holders(self.program, self.rules, &mut entry, found.function);
        }
        if self.is_others(found) {
            entry.never_beside.push(pinned::mark());
        }
        let mut handed = rule.pinned_by.iter().filter_map(|p| p.split_once('#'));
        if handed.any(|(function, n)| pinned::hands_module(self.program, function, n)) {
            entry.never_beside.push(pinned::mark());
        }
        self.entries.push(entry);
    }

    /// What parameter `n` is, of which a rule says `p`; `ops`: what the entry point is registered by.
    fn parameter(
        &self,
        found: &Found,
        rule: &Rule,
        ops: &str,
        (n, p): (usize, &RuleParameter),
    ) -> Parameter {
        let program = self.program;
        match p {
            // What is said of another function of that place.
            _ if !self.fits(found, (n, rule.start), p) => self.default_parameter(found.function, n),
            RuleParameter::Typed => self.typed(found.function, n),
            RuleParameter::BusDevice => Parameter::Shared(objects::BUS_DEVICE.to_string()),
            RuleParameter::Number => Parameter::Number,
            RuleParameter::Null => Parameter::Constant(0),
            RuleParameter::Private(size) => Parameter::Private(*size),
            RuleParameter::File => Parameter::Shared(format!("{ops}.file1")),
            RuleParameter::ClosingFile => Parameter::Shared(format!("{ops}.file2")),
            RuleParameter::Inode => Parameter::Shared(format!("{ops}.inode")),
            RuleParameter::TextFile => {
                identity::text_file_of(program, &program.functions[found.function].name)
            }
            RuleParameter::Shared(name) => Parameter::Shared(name.clone()),
            RuleParameter::New(name) => Parameter::New(name.clone()),
            RuleParameter::Own(name) => Parameter::Own(name.clone()),
            RuleParameter::Member(outer, member) => objects::member(program, outer, member),
            RuleParameter::Either(outer, member) => objects::either(program, outer, member),
            RuleParameter::Its(outer, data) => its::parameter(program, found, outer, data),
            RuleParameter::Device => Parameter::Shared(objects::DEVICE.to_string()),
            RuleParameter::Registered(function, n)
                if rule.start == Start::Any && several::is_always_null(program, function, *n) =>
            {
                Parameter::Constant(0)
            }
            RuleParameter::Registered(function, n) if rule.start == Start::Any => {
                Parameter::Shared(format!("{function}#{n}"))
            }
            RuleParameter::Held(structure, member) => {
                // Of what is not armed, nothing keeps the object.
                let offset = member_offset(program, structure, member);
                match offset.filter(|_| rule.start != Start::Any) {
                    Some(offset) => Parameter::Held(offset),
                    None => self.typed(found.function, n),
                }
            }
            RuleParameter::Leads(s, m) => leads::parameter(program, found, s, m)
                .unwrap_or_else(|| self.default_parameter(found.function, n)),
            RuleParameter::Holder => match found.holder {
                Some((global, offset)) => {
                    Parameter::Global(program.globals[global].name.clone(), offset)
                }
                None if rule.start == Start::Any => self.typed(found.function, n),
                None => Parameter::Registered(found.via.clone(), 0),
            },
            RuleParameter::Registered(function, n) => Parameter::Registered(function.clone(), *n),
        }
    }

    /// Whether only other modules call it: by an object that is exported, and that the input hands to nobody.
    fn is_others(&self, found: &Found) -> bool {
        found.holder.is_some_and(|(global, _)| {
            pinned::is_exported(self.program, global)
                && !exclusions::is_handed_on(self.uses, self.program, global)
        })
    }

    /// Rules that depend on where the ops object itself is used.
    fn apply_holders(&mut self, entry: &mut EntryPoint, global: GlobalId) {
        let Some((structure, field)) = entry.via.split_once('.') else {
            return;
        };
        // The groups of a device that lies in what the driver registers.
        let device = exclusions::device_of_attribute(self.uses, self.program, global);
        if let Some((outer, offset)) = device
            && self.rules.objects().iter().any(|o| o.name == outer)
        {
            let device = Parameter::Member(outer, offset);
            objects::replace_device(&mut entry.parameters, &device);
        }
        for rule in self.rules.holders(structure) {
            if !rule.is_about(field) {
                continue;
            }
            let Some(owners) = exclusions::owners(self.uses, self.program, global, rule) else {
                continue;
            };
            if pinned::is_held(self.program, global, rule) {
                entry.never_beside.push(pinned::mark());
            }
            entry.beside_itself = rule.beside_itself.unwrap_or(entry.beside_itself) && !rule.alone;
            entry.never_beside.extend(exclusions::mark_alone(rule));
            entry.reader |= rule.reader;
            entry
                .serialized_by
                .extend(rule.serialized_by.iter().cloned());
            entry.why = format!("{}; {}", entry.why, rule.cite);
            identity::text_data(&mut entry.parameters, rule.text);
            if let Some(device) = &rule.device {
                let device = match device.split_once('.') {
                    Some((structure, member)) => objects::member(self.program, structure, member),
                    None => Parameter::Shared(device.clone()),
                };
                objects::replace_device(&mut entry.parameters, &device);
            }
            self.apart
                .extend(owners.into_iter().map(|owner| exclusions::Apart {
                    entry: (entry.function.clone(), entry.registered_by.clone()),
                    owner: self.program.globals[owner].name.clone(),
                    never_beside: rule.never_beside.clone(),
                    reason: rule.reason.clone(),
                }));
        }
    }

    fn unknown(&mut self, found: &Found) {
        let f = &self.program.functions[found.function];
        let registered_by = self.registered_by(found);
        if self.is_there(&f.name, registered_by.as_deref(), &found.via, None) {
            return;
        }
        if found.via != ASKED_FOR {
            self.notes.push(format!(
                "{}: no rule for {}: taken to run in process context, beside everything",
                f.name, found.via
            ));
        }
        self.entries.push(EntryPoint {
            registered_by,
            parameters: (0..f.params.len())
                .map(|n| self.default_parameter(found.function, n))
                .collect(),
            beside_itself: true,
            never_beside: match self.is_others(found) {
                true => vec![pinned::mark()],
                false => Vec::new(),
            },
            known: false,
            loc: f.loc,
            ..EntryPoint::new(&f.name, &found.via, Phase::Steady)
        });
    }
}
