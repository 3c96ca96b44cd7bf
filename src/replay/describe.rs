//! Names for people: objects, locks, stacks, and what a step did.

use std::collections::BTreeMap;

use super::interp::{AccessRecord, Happening, Log, Machine};
use super::memory::ObjectKind;
use super::stack::{called, stack};
use super::state::{self, State};
use super::{nature, starts};
use crate::index::{DebugTypeId, EntryId, Idx, LocId};
use crate::program::{DebugTypeKind, FieldRef, Program, told_name};
use crate::trace::schedule::ThreadNumber;
use crate::verdict::{Does, Event, Frame, Memory};

/// Ghost key of a lock's exclusive owner: thread number + 1.
const OWNER: u32 = 1;
/// Of a permit.
const HOLDER: u32 = 11;
/// Ghost key of the read holds of thread 0; those of thread n at n above (64 threads).
const READER: u32 = 64;
const READERS: u32 = 64;

/// Puts names to what a machine did.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The machine.
    pub machine: &'a Machine<'a>,
    /// A state, for the objects in it.
    pub state: &'a State,
    /// A log, for the fields that addresses were computed as.
    pub log: &'a Log,
}

impl Names<'_> {
    /// A name for `bytes` bytes at an address (0 bytes: for the object that begins there, say a lock).
    pub fn place(&self, address: u64, bytes: u64) -> String {
        let program = self.machine.program;
        let Some(object) = self.state.memory.object_at(self.machine, address) else {
            return match self.machine.function_at(address) {
                Some(f) => program.functions[f].name.clone(),
                None => format!("{address:#x}"),
            };
        };
        let offset = object.offset_of(address);
        if let ObjectKind::Global(id) = object.kind {
            let global = &program.globals[id];
            let path = u64::try_from(offset)
                .ok()
                .and_then(|o| member_path(program, global.debug_type?, o, bytes));
            return match path {
                Some(path) => format!("{}{path}", global.name),
                None => format!("{}{}", global.name, plus(offset)),
            };
        }
        let exact = self.log.fields.get(&address);
        // Inside a lock the source names nothing: what it is a member of does.
        let named = exact.filter(|f| bytes > 0 || !is_lock(&f.struct_name));
        if let Some(field) = named {
            return field_name(program, field, bytes);
        }
        if let Some((ty, inside)) = self.around(address, object.offset_of(address), bytes) {
            return named_in(program, ty, inside, bytes);
        }
        if let Some((ty, inside)) = self.by_variables(address, bytes) {
            return named_in(program, ty, inside, bytes);
        }
        if let Some(field) = exact {
            return field_name(program, field, bytes);
        }
        let at = match object.made_at {
            Some(loc) => format!(" at {}", short(program, loc)),
            None => String::new(),
        };
        let by = object
            .made_by
            .map_or("?", |f| program.functions[f].source_name());
        match object.kind {
            ObjectKind::Stack => format!("local variable of {by}{}", plus(offset)),
            ObjectKind::Lazy if object.made_by.is_some_and(|f| program.functions[f].outside) => {
                format!("result({by}{at}){}", plus(offset))
            }
            ObjectKind::Lazy => format!("object {}{at}{}", object.name, plus(offset)),
            ObjectKind::Heap | ObjectKind::Global(_) => format!("heap({by}{at}){}", plus(offset)),
        }
    }

    /// The largest struct around an address that members of it were computed of, and the distance of the address from its start.
    fn around(&self, address: u64, offset: i64, bytes: u64) -> Option<(DebugTypeId, u64)> {
        let program = self.machine.program;
        let begin = i128::from(address) - i128::from(offset);
        let mut found: Option<(u64, DebugTypeId, u64)> = None;
        let mut known: BTreeMap<&str, Option<DebugTypeId>> = BTreeMap::new();
        for (at, field) in &self.log.fields {
            let start = i128::from(*at) - i128::from(field.beyond_start());
            let inside = i128::from(address) - start;
            if start < begin || inside < 0 || is_lock(&field.struct_name) {
                continue;
            }
            let ty = known
                .entry(field.struct_name.as_str())
                .or_insert_with(|| struct_named(program, &field.struct_name));
            let Some(ty) = *ty else { continue };
            let size = program.debug_types[ty].size;
            let inside = u64::try_from(inside).ok()?;
            let covers = inside + bytes.max(1) <= size;
            // Of two of one size, the same one each time.
            let better = found.is_none_or(|(s, t, _)| (size, t) > (s, ty));
            if covers && better {
                found = Some((size, ty, inside));
            }
        }
        found.map(|(_, ty, inside)| (ty, inside))
    }

    /// The largest struct around an address that a source variable of some activation points to, and the distance of the address
    /// from its start: optimised code computes no address of a first member.
    fn by_variables(&self, address: u64, bytes: u64) -> Option<(DebugTypeId, u64)> {
        let program = self.machine.program;
        let frames = self.state.threads.iter().flat_map(|t| &t.frames);
        let structs = frames.flat_map(|frame| {
            let bound = program.functions[frame.function].bound.iter();
            bound.map(|(value, ty, beyond)| (&frame.values[value.index()], *ty, *beyond))
        });
        let around = structs.filter_map(|(value, ty, beyond)| {
            let start = value.bits() as u64;
            let inside = address.checked_sub(start.wrapping_add_signed(-beyond))?;
            let size = program.debug_types[ty].size;
            (inside + bytes.max(1) <= size).then_some((size, ty, inside))
        });
        around.max().map(|(_, ty, inside)| (ty, inside))
    }

    /// The locks that a thread holds, in the order of their addresses.
    pub fn locks(&self, thread: ThreadNumber) -> Vec<String> {
        let owner = u64::from(thread) + 1;
        self.state
            .ghost
            .iter()
            .filter_map(|((address, key), value)| {
                if (*key == OWNER || *key == HOLDER) && *value == owner {
                    Some(self.place(*address, 0))
                } else if *key == READER + thread % READERS && *value > 0 {
                    Some(format!("{} (read)", self.place(*address, 0)))
                } else {
                    None
                }
            })
            .collect()
    }

    /// The place of an access: by address in a global, else as the site knows it, else by address.
    pub fn accessed(&self, access: &AccessRecord) -> String {
        let by_address = || self.place(access.address, access.bytes);
        let object = self.state.memory.object_at(self.machine, access.address);
        if object.is_some_and(|o| matches!(o.kind, ObjectKind::Global(_))) {
            return by_address();
        }
        let known = &self.machine.program.sites[access.site].object;
        known.clone().unwrap_or_else(by_address)
    }

    /// Whose memory that is, to a thread.
    fn memory_at(&self, thread: ThreadNumber, address: u64) -> Memory {
        let own = &self.machine.program.harness.own_globals;
        let object = self.state.memory.object_at(self.machine, address);
        match object.map(|o| o.kind) {
            Some(ObjectKind::Stack) if self.machine.made_by(thread, address) => Memory::Local,
            Some(ObjectKind::Global(id)) if own.contains(&id) => Memory::Harness,
            _ => Memory::Shared,
        }
    }

    /// What an access does.
    pub fn access(&self, access: &AccessRecord) -> Does {
        let place = self.accessed(access);
        let bytes = access.bytes;
        let to = |value: Option<u64>| self.leads_to(value.filter(|_| bytes == 8)?);
        match (access.read, access.write, access.before, access.after) {
            (true, true, Some(before), Some(after)) => Does::Updates {
                place,
                before,
                after,
            },
            (true, false, value, _) => Does::Reads {
                place,
                bytes,
                value,
                to: to(value),
            },
            (_, _, _, value) => Does::Writes {
                place,
                bytes,
                value,
                to: to(value),
            },
        }
    }

    /// What an address leads to: an object or a function; `None` where it is no address.
    fn leads_to(&self, address: u64) -> Option<String> {
        if let Some(f) = self.machine.function_at(address) {
            return Some(self.machine.program.functions[f].name.clone());
        }
        let object = self.state.memory.object_at(self.machine, address)?;
        // The start of a struct is the struct, not its first member.
        let around = self.around(address, object.offset_of(address), 1);
        Some(match around {
            Some((ty, 0)) => format!("&struct {}", self.machine.program.debug_types[ty].name),
            _ => format!("&{}", self.place(address, 0)),
        })
    }

    /// The same with whose memory it is.
    pub fn of_access(&self, access: &AccessRecord) -> Happened<'static> {
        Happened::at(
            self.access(access),
            self.memory_at(access.thread, access.address),
        )
    }

    /// The entry point that a new thread of the harness is about to execute: the last of the user's functions that its wrapper
    /// calls.
    fn started(&self, thread: ThreadNumber) -> Option<&str> {
        let program = self.machine.program;
        let frame = self.state.thread(thread).frames.first()?;
        let start = &program.functions[frame.function];
        let number = frame.values.get(start.params.first()?.index())?.bits();
        let wrapper = EntryId(u32::try_from(number).ok()?);
        let wrapper = program.harness.entry(wrapper)?.wrapper?;
        called(program, wrapper).map(|f| program.functions[f].name.as_str())
    }

    /// What a step did; nothing where there is nothing to say.
    pub fn happenings<'h>(
        &self,
        (thread, frames): (ThreadNumber, &[state::Frame]),
        happenings: &'h [Happening],
    ) -> Vec<Happened<'h>> {
        let by = || starts::called(self.machine.program, frames);
        let let_start = |key, old, new| by().filter(|_| starts::lets(key, old, new));
        let mut told = Vec::new();
        let mut accesses = Vec::new();
        for happening in happenings {
            match happening {
                Happening::Access(access) => accesses.push(access),
                Happening::Ghost {
                    address,
                    key,
                    old,
                    new,
                } => {
                    if let Some(by) = let_start(*key, *old, *new) {
                        told.push(Happened::at(Does::Lets { by }, Memory::Shared));
                    }
                    let lock = self.lock_use(thread, *address, *key, *old, *new);
                    told.extend(
                        lock.map(|does| Happened::at(does, self.memory_at(thread, *address))),
                    );
                }
                Happening::Started { thread, function } => {
                    let function = &self.machine.program.functions[*function];
                    let name = match function.is_model {
                        true => self.started(*thread),
                        false => Some(function.name.as_str()),
                    };
                    let starts = Does::Starts {
                        thread: *thread,
                        function: name.map(str::to_string),
                    };
                    told.push(Happened::at(starts, Memory::Shared));
                }
                Happening::Answered {
                    function,
                    value,
                    from,
                } => {
                    // That an object is given is what one expects.
                    if self.leads_to(*value).is_some() {
                        continue;
                    }
                    let name = self.machine.program.functions[*function].source_name();
                    let own = name.trim_start_matches('_').strip_prefix("irkiss_");
                    let name = own.unwrap_or(name);
                    let gets = Does::Gets {
                        from: name.to_string(),
                        value: *value,
                    };
                    told.push(Happened {
                        to: Some(from.as_slice()),
                        ..Happened::at(gets, Memory::Shared)
                    });
                }
                Happening::Freed(address) => {
                    let frees = Does::Frees(self.place(*address, 0));
                    told.push(Happened::at(frees, self.memory_at(thread, *address)));
                }
                Happening::Asserted => told.push(Happened::at(Does::Asserts, Memory::Shared)),
                Happening::Stopped(_) => told.push(Happened::at(Does::Ends, Memory::Shared)),
            }
        }
        // How a model keeps its books is of no interest.
        let program = self.machine.program;
        let books = |a: &AccessRecord| a.in_section && program.sites[a.site].in_model;
        let accesses = accesses.into_iter().filter(|a| !books(a));
        told.extend(accesses.map(|a| self.of_access(a)));
        told
    }

    fn lock_use(
        &self,
        thread: ThreadNumber,
        address: u64,
        key: u32,
        old: u64,
        new: u64,
    ) -> Option<Does> {
        let shared = match key {
            OWNER | HOLDER => false,
            _ if key == READER + thread % READERS => true,
            _ => return None,
        };
        let lock = || self.place(address, 0);
        let acquires = match shared {
            true => new > old,
            false => new != 0,
        };
        match (old != new, acquires) {
            (false, _) => None,
            (true, true) => Some(Does::Locks {
                lock: lock(),
                shared,
            }),
            (true, false) => Some(Does::Unlocks {
                lock: lock(),
                shared,
            }),
        }
    }

    /// What a thread with these activations does, where its user code is.
    pub fn event(
        &self,
        frames: &[state::Frame],
        thread: ThreadNumber,
        what: Happened<'_>,
    ) -> Event {
        let frames = what.to.unwrap_or(frames);
        let program = self.machine.program;
        let stack = stack(program, frames);
        let own = |f: &&Frame| !f.in_header();
        let called_at = match stack.first() {
            Some(top) if !own(&top) => stack.iter().find(own).cloned(),
            _ => None,
        };
        let of_users = frames
            .iter()
            .filter(|f| !program.harness.own.contains(&f.function));
        let mut of_users = of_users.map(|f| &program.functions[f.function]);
        let entry = of_users.find(|f| !f.is_model);
        Event {
            thread,
            called_at,
            entry: entry.map_or(String::new(), |f| f.name.clone()),
            at: stack.into_iter().next().unwrap_or_default(),
            decides: matches!(what.does, Does::Reads { .. } | Does::Gets { .. })
                && frames.last().is_some_and(|f| nature::decides(program, f)),
            does: what.does,
            // The stack has code of models only where there is none of users.
            memory: match entry {
                None => Memory::Harness,
                Some(_) => what.memory,
            },
        }
    }
}

/// Something that a step did.
pub struct Happened<'h> {
    does: Does,
    memory: Memory,
    /// Of an answer of a model: the activations that it was given to.
    to: Option<&'h [state::Frame]>,
}

impl Happened<'_> {
    /// Where the step is.
    pub fn at(does: Does, memory: Memory) -> Self {
        Happened {
            does,
            memory,
            to: None,
        }
    }
}

fn plus(offset: i64) -> String {
    match offset {
        0 => String::new(),
        n if n > 0 => format!("+{n}"),
        n => n.to_string(),
    }
}

/// `file:line` without folders.
fn short(program: &Program, loc: LocId) -> String {
    let l = &program.source.locations[loc];
    let file = &program.source.files[l.file];
    let name = file.rsplit('/').next().unwrap_or(file);
    format!("{name}:{}", l.line)
}

/// The struct of that name.
pub(super) fn struct_named(program: &Program, name: &str) -> Option<DebugTypeId> {
    let mut all = program.debug_types.iter_ids().filter(|(_, t)| {
        t.name == name && matches!(t.kind, DebugTypeKind::Struct(_) | DebugTypeKind::Union(_))
    });
    all.next().map(|(id, _)| id)
}

/// Whether a struct is a lock, by its name.
fn is_lock(name: &str) -> bool {
    let words = ["lock", "mutex", "semaphore"];
    words.iter().any(|w| name.contains(w)) && !name.contains("block") && !name.contains("clock")
}

/// `struct foo.bar`, where debug info knows the struct; `struct foo+8` otherwise.
fn field_name(program: &Program, field: &FieldRef, bytes: u64) -> String {
    match struct_named(program, &field.struct_name) {
        Some(ty) => named_in(program, ty, field.offset, bytes),
        None => {
            let name = told_name(&field.struct_name);
            format!("struct {name}{}", plus(field.offset as i64))
        }
    }
}

/// `struct foo.bar`: what is at that distance in the struct.
fn named_in(program: &Program, ty: DebugTypeId, offset: u64, bytes: u64) -> String {
    let exact = member_path(program, ty, offset, bytes);
    // A lock that is the first member: its address is the struct's own, but a field was asked for.
    let path = exact.and_then(|path| match path.is_empty() {
        true => first_member(program, ty),
        false => Some(path),
    });
    let name = told_name(&program.debug_types[ty].name);
    match path {
        Some(path) => format!("struct {name}{path}"),
        None => format!("struct {name}{}", plus(offset as i64)),
    }
}

fn first_member(program: &Program, ty: DebugTypeId) -> Option<String> {
    match &program.debug_types[ty].kind {
        DebugTypeKind::Struct(members) => members
            .iter()
            .find(|m| m.offset == 0 && !m.name.is_empty())
            .map(|m| format!(".{}", m.name)),
        _ => None,
    }
}

/// `.a.b[2]`: the member of `ty` at `offset`, as deep as `bytes` says (0: the outermost that begins there).
fn member_path(program: &Program, ty: DebugTypeId, offset: u64, bytes: u64) -> Option<String> {
    let mut path = String::new();
    let (mut ty, mut offset) = (ty, offset);
    // What has no name is called by what is in it.
    let mut nameless = false;
    loop {
        let this = &program.debug_types[ty];
        let whole = offset == 0 && (bytes == 0 || bytes == this.size) && !nameless;
        match &this.kind {
            DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) if !whole => {
                let member = members
                    .iter()
                    .find(|m| m.offset <= offset && offset < m.offset + m.size.max(1))?;
                nameless = member.name.is_empty();
                if !nameless {
                    path.push('.');
                    path.push_str(&member.name);
                }
                offset -= member.offset;
                match member.ty {
                    Some(inner) => ty = inner,
                    None => return (offset == 0).then_some(path),
                }
            }
            DebugTypeKind::Array { element, count: _ } if !whole => {
                let inner = (*element)?;
                let size = program.debug_types[inner].size.max(1);
                path.push_str(&format!("[{}]", offset / size));
                offset %= size;
                ty = inner;
            }
            _ => {
                path.push_str(&plus(offset as i64));
                return Some(path);
            }
        }
    }
}
