//! Arguments of entry points, and the objects that they share.

use super::text::{global_name, int_bits, quoted, type_text};
use super::{FileGroup, HarnessError, Writer, files, identity};
use crate::environment::contract;
use crate::environment::discover::member_offset;
use crate::environment::entry::{
    EntryPoint, EntryPoints, Its, Parameter, Phase, SharedObject, Source, Start,
};
use crate::environment::identity::Keeper;
use crate::frontend::sequentialize::SILENCED_METADATA;
use crate::program::{Silencer, Type};

/// The names of shared objects, in order of first use.
pub(super) fn shared_names(entries: &EntryPoints, objects: &[SharedObject]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in entries.iter() {
        for parameter in &entry.parameters {
            if let Parameter::Shared(name)
            | Parameter::Member(name, _)
            | Parameter::Stored(name, _)
            | Parameter::Either(name, _)
            | Parameter::New(name)
            | Parameter::Own(name)
            | Parameter::TextFile(name, _) = parameter
                && !names.contains(name)
            {
                names.push(name.clone());
            }
            if let Some(own) = its(parameter).map(|name| its_name(name, entry))
                && !names.contains(&own)
            {
                names.push(own);
            }
        }
        for address in entry.locks.iter().filter_map(|l| l.object.as_ref()) {
            if !names.contains(&address.shared) {
                names.push(address.shared.clone());
            }
        }
    }
    for object in objects {
        if !names.contains(&object.name) {
            names.push(object.name.clone());
        }
        let set = object.set.iter().map(|(_, other, _)| other);
        for other in set.chain(object.copied.iter().map(|(_, other, _)| other)) {
            if !names.contains(other) {
                names.push(other.clone());
            }
        }
    }
    names
}

/// The name of the objects of which a parameter is one that holds the entry point.
fn its(parameter: &Parameter) -> Option<&str> {
    match parameter {
        Parameter::Its(name, _) => Some(name),
        _ => None,
    }
}

/// The entry points that are given objects of that name which hold them, each function once.
fn holders<'a>(entries: &'a EntryPoints, name: &str) -> Vec<(&'a EntryPoint, Its)> {
    let mut found: Vec<(&EntryPoint, Its)> = Vec::new();
    for entry in entries.iter() {
        let known = found.iter().any(|(e, _)| e.function == entry.function);
        let given = entry.parameters.iter().find_map(|p| match p {
            Parameter::Its(n, its) if n == name => Some(*its),
            _ => None,
        });
        found.extend(given.filter(|_| !known).map(|its| (entry, its)));
    }
    found
}

/// The object of a function that is given the one that holds it: the struct's name stands before the colon.
fn its_name(name: &str, entry: &EntryPoint) -> String {
    format!("{name}:{}", entry.function)
}

/// The place of one argument in the call of an entry point.
struct Place<'p> {
    entry: &'p EntryPoint,
    /// Which argument it is.
    n: usize,
    parameter: &'p Parameter,
    /// The object that was armed, and its slot.
    object: Option<(&'p str, &'p str)>,
    /// Its files.
    group: Option<&'p FileGroup>,
}

impl Writer<'_> {
    /// Whether init code makes a shared object: then there is none before, and who is called with it is called only if it is
    /// there. Otherwise the harness makes one up.
    pub(super) fn made(&self, name: &str) -> bool {
        let Some(object) = self.objects.iter().find(|o| o.name == name) else {
            return false;
        };
        if let Some(first) = &object.another_of {
            return self.kept_in(first) || self.made(first);
        }
        let mut init = self.entries.iter().filter(|e| e.phase == Phase::Init);
        let takes = |e: &EntryPoint| {
            e.parameters
                .iter()
                .any(|p| matches!(p, Parameter::Shared(n) | Parameter::Member(n, _) if n == name))
        };
        if !object.set.is_empty() || init.clone().any(takes) {
            return false;
        }
        let sources: Vec<&str> = object
            .sources
            .iter()
            .filter_map(|s| match s {
                Source::Given(f, _) | Source::Returned(f) | Source::Told(f) => Some(f.as_str()),
                Source::Gives(_) => None,
            })
            .collect();
        init.any(|e| {
            let f = self.program.function_named(&e.function);
            let told = |s: &Source| matches!(s, Source::Told(f) if *f == e.function);
            object.sources.iter().any(told)
                || f.is_some_and(|f| contract::calls_one_of(self.program, f, &sources))
        })
    }

    /// Whether registrations put the driver's data into that object: then there is another one from the second on.
    fn kept_in(&self, name: &str) -> bool {
        let mut kept = self.identity.kept.iter();
        kept.any(|k| matches!(&k.keeper, Keeper::Shared(keeper) if keeper == name))
    }

    /// The shared object of that name.
    pub(super) fn object(&mut self, name: &str) -> String {
        if let Some((_, t)) = self.read.iter().find(|(n, _)| n == name) {
            return t.clone();
        }
        let t = self.temporary();
        self.read.push((name.to_string(), t.clone()));
        let cell = global_name("shared", name);
        self.line(&format!("{t} = load volatile ptr, ptr @{cell}"));
        if self.made(name) {
            let there = self.temporary();
            self.line(&format!("{there} = icmp ne ptr {t}, null"));
            self.line(&format!("call void @__irkiss_assume(i1 zeroext {there})"));
            self.is_begun(name, &t);
        }
        t
    }

    /// The arguments of a call of an entry point, as text; what they need is computed before.
    pub(super) fn arguments(
        &mut self,
        entry: &EntryPoint,
        object: Option<(&str, &str)>,
    ) -> Result<String, HarnessError> {
        let types: Vec<Type> = {
            let f = self.function(entry)?;
            f.params.iter().map(|p| f.values[*p].ty.clone()).collect()
        };
        let group = self.groups.iter().find(|g| g.has(entry)).cloned();
        let mut args = Vec::new();
        for (n, ty) in types.iter().enumerate() {
            let place = Place {
                entry,
                n,
                parameter: entry.parameters.get(n).unwrap_or(&Parameter::Number),
                object,
                group: group.as_ref(),
            };
            let text = type_text(ty).map_err(HarnessError)?;
            let value = match ty {
                Type::Ptr => self.pointer(&place),
                Type::Int(bits) => self.integer(&place, *bits),
                _ => "undef".to_string(),
            };
            args.push(format!("{text} {value}"));
        }
        Ok(args.join(", "))
    }

    /// The argument at that place, an integer.
    fn integer(&mut self, place: &Place<'_>, bits: u32) -> String {
        match (place.parameter, place.object) {
            (Parameter::Registered(..), Some((object, _))) => {
                let t = self.temporary();
                self.line(&format!("{t} = ptrtoint ptr {object} to i{bits}"));
                t
            }
            (Parameter::Held(offset), Some((object, _))) => {
                self.held(object, *offset, &format!("i{bits}"))
            }
            (Parameter::Number, _)
                if bits == 32 && place.n == 0 && place.entry.start == Start::Irq =>
            {
                let t = self.temporary();
                let slot = place.object.map_or("null", |(_, s)| s);
                self.line(&format!("{t} = call i32 @__irkiss_irq_number(ptr {slot})"));
                t
            }
            (Parameter::Constant(c), _) => c.to_string(),
            _ => self.number(bits),
        }
    }

    /// The argument at that place, a pointer.
    fn pointer(&mut self, place: &Place<'_>) -> String {
        let entry = place.entry;
        match (place.parameter, place.object) {
            (Parameter::Registered(..) | Parameter::Global(..), Some((object, _))) => {
                object.to_string()
            }
            (Parameter::Held(offset), Some((object, _))) => self.held(object, *offset, "ptr"),
            (Parameter::Constant(0), _) => "null".to_string(),
            (Parameter::Global(name, offset), None) => {
                let t = self.temporary();
                self.line(&format!(
                    "{t} = getelementptr i8, ptr @{}, i64 {offset}",
                    quoted(name)
                ));
                t
            }
            (Parameter::OneOf(places), _) => self.one_of(places),
            (Parameter::Shared(name), _) => self.shared_object(name, place.group),
            (Parameter::Member(name, offset), _) => {
                let (object, t) = (self.object(name), self.temporary());
                self.line(&format!(
                    "{t} = getelementptr i8, ptr {object}, i64 {offset}"
                ));
                t
            }
            (Parameter::Stored(name, offset), _) => self.stored(name, *offset),
            (Parameter::Either(name, offset), _) => self.either(name, *offset),
            (Parameter::Its(name, its), _) => self.its_object(entry, name, *its),
            (Parameter::New(name), _) => self.new_object(name),
            (Parameter::Own(name), _) => self.own_object(name),
            (Parameter::TextFile(name, data), _) => self.text_file(name, *data),
            (Parameter::Private(size), _) => match place.group.filter(|g| g.opens(entry)) {
                Some(group) => {
                    let t = self.temporary();
                    let number = group.number;
                    self.line(&format!("{t} = call ptr @__irkiss_new_file.{number}()"));
                    self.text.push_str(&files::alone_with(&t));
                    t
                }
                None => self.private(*size),
            },
            (Parameter::Unidentified(_), _) => {
                let (t, call) = (self.temporary(), identity::call(entry, place.n));
                self.line(&format!("{t} = {call}"));
                t
            }
            (
                Parameter::Number
                | Parameter::Typed { .. }
                | Parameter::Constant(_)
                | Parameter::Held(_)
                | Parameter::Registered(..),
                _,
            ) => self.private(0),
        }
    }

    /// What stands in the object that was armed. Volatile: the kernel's own reading is no party to a race.
    fn held(&mut self, object: &str, offset: u64, ty: &str) -> String {
        let (at, t) = (self.temporary(), self.temporary());
        self.line(&format!(
            "{at} = getelementptr i8, ptr {object}, i64 {offset}"
        ));
        self.line(&format!("{t} = load volatile {ty}, ptr {at}"));
        t
    }

    /// The shared object of that name: one of the files of the group, or any other.
    fn shared_object(&mut self, name: &str, group: Option<&FileGroup>) -> String {
        let t = self.temporary();
        match group {
            Some(g) if g.owns(name) => {
                let call = g.object_call(name);
                self.line(&format!("{t} = {call}"));
                self.text.push_str(&g.under_way(name, &t));
                t
            }
            _ => self.object(name),
        }
    }

    /// An object that this activation alone has, of that many bytes.
    fn private(&mut self, size: u64) -> String {
        let t = self.temporary();
        self.line(&format!(
            "{t} = call ptr @__irkiss_lazy(i64 {size}, ptr @__irkiss_name_private)"
        ));
        t
    }

    /// An arbitrary one of these addresses.
    fn one_of(&mut self, places: &[(String, i64)]) -> String {
        let number = self.number(32);
        let mut chosen = String::from("null");
        for (n, (name, offset)) in places.iter().enumerate() {
            let [address, meant, either] = [self.temporary(), self.temporary(), self.temporary()];
            self.line(&format!(
                "{address} = getelementptr i8, ptr @{}, i64 {offset}",
                quoted(name)
            ));
            // The first one for all other numbers.
            if n == 0 {
                chosen = address;
                continue;
            }
            self.line(&format!("{meant} = icmp eq i32 {number}, {n}"));
            self.line(&format!(
                "{either} = select i1 {meant}, ptr {address}, ptr {chosen}"
            ));
            chosen = either;
        }
        chosen
    }

    /// What stands in the shared object. Volatile: the kernel's own reading is no party to a race.
    fn stored(&mut self, name: &str, offset: u64) -> String {
        let object = self.object(name);
        let [from, t] = [(); 2].map(|()| self.temporary());
        self.line(&format!(
            "{from} = getelementptr i8, ptr {object}, i64 {offset}"
        ));
        self.line(&format!("{t} = load volatile ptr, ptr {from}"));
        t
    }

    /// That member of the shared object, or an object that its caller alone has.
    fn either(&mut self, name: &str, offset: u64) -> String {
        let object = self.object(name);
        let [member, own, which, t] = [(); 4].map(|()| self.temporary());
        self.line(&format!(
            "{member} = getelementptr i8, ptr {object}, i64 {offset}"
        ));
        self.line(&format!(
            "{own} = call ptr @__irkiss_lazy(i64 0, ptr @__irkiss_name_private)"
        ));
        self.line(&format!(
            "{which} = call zeroext i1 @__irkiss_nondet_bool()"
        ));
        self.line(&format!("{t} = select i1 {which}, ptr {member}, ptr {own}"));
        t
    }

    /// One of the objects of that kind that hold the entry point at that time: its own, or one that was another function's.
    fn its_object(&mut self, entry: &EntryPoint, name: &str, its: Its) -> String {
        let mut holders = holders(self.entries, name);
        holders.sort_by_key(|(e, _)| e.function != entry.function);
        let function = quoted(&entry.function);
        let mut chosen = "null".to_string();
        for (n, (holder, _)) in holders.into_iter().enumerate() {
            let object = self.object(&its_name(name, holder));
            let [at, held, holds, one] = [(); 4].map(|()| self.temporary());
            self.line(&format!(
                "{at} = getelementptr i8, ptr {object}, i64 {}",
                its.function
            ));
            // The kernel's own reading is no party to a race.
            self.line(&format!(
                "{held} = load volatile ptr, ptr {at}, !{SILENCED_METADATA} !{{i32 {}}}",
                Silencer::Kernel.number()
            ));
            self.line(&format!("{holds} = icmp eq ptr {held}, @{function}"));
            // Alone: where it may hold the function, that is told by what stands there (src/analysis/points_to).
            self.line(&format!(
                "{one} = select i1 {holds}, ptr {object}, ptr null"
            ));
            if n == 0 {
                chosen = one;
                continue;
            }
            let [other, either] = [(); 2].map(|()| self.temporary());
            self.line(&format!(
                "{other} = call zeroext i1 @__irkiss_nondet_bool()"
            ));
            self.line(&format!(
                "{either} = select i1 {other}, ptr {one}, ptr {chosen}"
            ));
            chosen = either;
        }
        let there = self.temporary();
        self.line(&format!("{there} = icmp ne ptr {chosen}, null"));
        self.line(&format!("call void @__irkiss_assume(i1 zeroext {there})"));
        chosen
    }

    /// What holds functions before any of them is called: each its own, and the data that they have in common.
    pub(super) fn prepare_its(&mut self) {
        self.read.clear();
        let entries = self.entries;
        let mut done: Vec<&str> = Vec::new();
        for name in entries.iter().flat_map(|e| &e.parameters).filter_map(its) {
            if done.contains(&name) {
                continue;
            }
            done.push(name);
            let mut first = None;
            for (entry, its) in holders(entries, name) {
                let object = self.object(&its_name(name, entry));
                let [at, place] = [(); 2].map(|()| self.temporary());
                let function = quoted(&entry.function);
                self.line(&format!(
                    "{at} = getelementptr i8, ptr {object}, i64 {}",
                    its.function
                ));
                self.line(&format!("store ptr @{function}, ptr {at}"));
                self.line(&format!(
                    "{place} = getelementptr i8, ptr {object}, i64 {}",
                    its.data
                ));
                let Some(data) = &first else {
                    let data = self.temporary();
                    self.line(&format!("{data} = load volatile ptr, ptr {place}"));
                    first = Some(data);
                    continue;
                };
                self.line(&format!("store ptr {data}, ptr {place}"));
            }
        }
    }

    /// The shared object of that name before the threads of a pair begin, another one beside them.
    fn new_object(&mut self, name: &str) -> String {
        let shared = self.object(name);
        let [before, new, t] = [(); 3].map(|()| self.temporary());
        let text = global_name("name", name);
        self.line(&format!("{before} = call zeroext i1 @__irkiss_sets_up()"));
        self.line(&format!(
            "{new} = call ptr @__irkiss_lazy(i64 0, ptr @{text})"
        ));
        self.line(&format!(
            "{t} = select i1 {before}, ptr {shared}, ptr {new}"
        ));
        t
    }

    /// An object of this activation alone, with the pointers that the kernel has set in it.
    fn own_object(&mut self, name: &str) -> String {
        let t = self.temporary();
        let text = global_name("name", name);
        self.line(&format!(
            "{t} = call ptr @__irkiss_lazy(i64 0, ptr @{text})"
        ));
        let objects = self.objects;
        for (offset, other, inner) in objects
            .iter()
            .filter(|o| o.name == name)
            .flat_map(|o| &o.set)
        {
            let object = self.object(other);
            let [place, target] = [(); 2].map(|()| self.temporary());
            self.line(&format!(
                "{place} = getelementptr i8, ptr {t}, i64 {offset}"
            ));
            self.line(&format!(
                "{target} = getelementptr i8, ptr {object}, i64 {inner}"
            ));
            // What the kernel sets before is no party to a race.
            self.line(&format!(
                "store ptr {target}, ptr {place}, !{SILENCED_METADATA} !{{i32 {}}}",
                Silencer::Kernel.number()
            ));
        }
        t
    }

    /// The text file of an opening, which shares with others what is at that offset of the shared one.
    fn text_file(&mut self, name: &str, data: Option<u64>) -> String {
        let t = self.temporary();
        let text = global_name("name", name);
        self.line(&format!(
            "{t} = call ptr @__irkiss_lazy(i64 0, ptr @{text})"
        ));
        if let Some(offset) = data {
            let shared = self.object(name);
            let [from, to, kept] = [(); 3].map(|()| self.temporary());
            self.line(&format!(
                "{from} = getelementptr i8, ptr {shared}, i64 {offset}"
            ));
            self.line(&format!("{kept} = load volatile ptr, ptr {from}"));
            self.line(&format!("{to} = getelementptr i8, ptr {t}, i64 {offset}"));
            self.line(&format!("store ptr {kept}, ptr {to}"));
        } else if let Some(offset) = member_offset(self.program, "seq_file", "private") {
            self.opening_data(&t, offset);
        }
        t
    }

    /// Memory that the opening of a text file has made, or nothing: no other has it.
    fn opening_data(&mut self, file: &str, offset: u64) {
        let [own, there, kept, to] = [(); 4].map(|()| self.temporary());
        self.line(&format!(
            "{own} = call ptr @__irkiss_lazy(i64 0, ptr @__irkiss_name_private)"
        ));
        self.line(&format!(
            "{there} = call zeroext i1 @__irkiss_nondet_bool()"
        ));
        self.line(&format!("{kept} = select i1 {there}, ptr {own}, ptr null"));
        self.line(&format!(
            "{to} = getelementptr i8, ptr {file}, i64 {offset}"
        ));
        self.line(&format!(
            "store ptr {kept}, ptr {to}, !{SILENCED_METADATA} !{{i32 {}}}",
            Silencer::Kernel.number()
        ));
    }

    /// An arbitrary integer of that width.
    fn number(&mut self, bits: u32) -> String {
        let from = int_bits(bits);
        let wide = self.temporary();
        let attribute = if from < 32 { "zeroext " } else { "" };
        self.line(&format!(
            "{wide} = call {attribute}i{from} @__irkiss_nondet_u{from}()"
        ));
        if from == bits {
            return wide;
        }
        let t = self.temporary();
        let how = if bits < from { "trunc" } else { "zext" };
        self.line(&format!("{t} = {how} i{from} {wide} to i{bits}"));
        t
    }
}
