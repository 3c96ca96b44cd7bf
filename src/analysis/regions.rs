//! Names of memory for people.
//!
//! A region is a class of objects and a range of bytes. Its name is built from
//! what is known: the variable (`@counter`, `@dev.lock`, `@table[*].count`), the
//! struct that address computations say lies there (`struct foo.bar`), else the
//! origin of the object (`heap(kmalloc at nvram.c:12)+8`, `file1->[32]`).
//! Names only: nothing is decided by a name.

use std::collections::BTreeMap;

use crate::index::{DebugTypeId, FuncId, GlobalId};
use crate::program::{Callee, Const, DebugTypeKind, Op, Operand, Program, told_name};
use crate::region::OF_ENVIRONMENT;

use super::points_to::{Address, ObjectId, ObjectKind, Place, PointsTo};
use super::sections::AccessId;

/// Whether a name speaks of a lock.
fn is_lock(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.replace("block", "").replace("clock", "");
    let words = ["lock", "mutex", "sem", "seqcount", "completion"];
    words.iter().any(|w| name.contains(w))
}

/// Gives names to objects and to bytes of objects.
#[derive(Clone, Copy)]
pub struct Namer<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
}

impl<'a> Namer<'a> {
    /// Names for a program and its points-to.
    pub fn new(program: &'a Program, points_to: &'a PointsTo) -> Namer<'a> {
        Namer { program, points_to }
    }

    /// Whether it is a variable of the program.
    pub fn is_variable(&self, object: Option<ObjectId>) -> bool {
        let kind = object.map(|o| self.points_to.objects()[o].kind);
        matches!(kind, Some(ObjectKind::Global(_)))
    }

    /// Whether an access writes, and to that object, whatever its pointer is.
    pub(super) fn writes_to(&self, object: Option<ObjectId>, (at, n): AccessId) -> bool {
        let access = &self.points_to.instances()[at].accesses[n as usize];
        let reached = || self.points_to.reached(access);
        access.write && reached().iter().all(|a| Some(a.object) == object)
    }

    /// The name of an object: `@global`, `heap(kmalloc at nvram.c:12)`, `file1->private_data`.
    pub fn object(&self, object: ObjectId) -> String {
        let made = &self.points_to.layouts().objects;
        made.get(object, || self.new_object(object))
    }

    fn new_object(&self, object: ObjectId) -> String {
        let program = self.program;
        match self.points_to.objects()[object].kind {
            ObjectKind::Global(g) if program.globals[g].is_hidden_state() => {
                format!("{OF_ENVIRONMENT}{}", program.globals[g].name)
            }
            ObjectKind::Global(g) => format!("@{}", program.globals[g].name),
            ObjectKind::ThreadSlot(g) => format!("@{} of each thread", program.globals[g].name),
            ObjectKind::Function(f) => program.functions[f].name.clone(),
            ObjectKind::Stack(place) => {
                let instance = &self.points_to.instances()[place.instance];
                let function = &program.functions[instance.function];
                let instr = &function.blocks[place.block].instrs[place.index as usize];
                let name = instr
                    .result
                    .map_or("", |v| function.values[v].name.as_str());
                let name = name.strip_suffix(".addr").unwrap_or(name);
                if name.is_empty() {
                    format!("stack of {}", function.name)
                } else {
                    format!("{name} in {}", function.name)
                }
            }
            ObjectKind::Heap(place) => format!("heap({})", self.origin(place)),
            ObjectKind::Lazy(place) => match self.lazy_name(place) {
                Some(name) => name,
                None => format!("result({})", self.origin(place)),
            },
            ObjectKind::Parameter(f, n) => self.parameter(f, n),
            ObjectKind::Child(address) => {
                let parent = self.object(address.object);
                match self.path(address, 1) {
                    Some(path) => format!("{parent}->{}", path.trim_start_matches('.')),
                    None if address.stride == 0 => format!("{parent}->[{}]", address.rem),
                    None => format!("{parent}->[*]"),
                }
            }
            ObjectKind::Rest(top, super::points_to::Content::Compound(ty)) => {
                let name = &self.program.debug_types[ty].name;
                format!("{}->…{name}", self.object(top))
            }
            ObjectKind::Rest(top, _) => format!("{}->…", self.object(top)),
            ObjectKind::Carrier(n) => format!("copy {n}"),
        }
    }

    fn parameter(&self, f: FuncId, n: u32) -> String {
        let function = &self.program.functions[f];
        let name = function
            .params
            .get(n as usize)
            .map_or("", |v| function.values[*v].name.as_str());
        if name.is_empty() {
            format!("parameter {n} of {}", function.name)
        } else {
            format!("{name} of {}", function.name)
        }
    }

    /// The outermost call into models and helpers that an instruction belongs to: `kmalloc at nvram.c:12`.
    fn origin(&self, place: Place) -> String {
        let mut at = place;
        let mut name = None;
        loop {
            let instance = &self.points_to.instances()[at.instance];
            let function = &self.program.functions[instance.function];
            match instance.site {
                Some(site) if function.is_model => {
                    name = Some(function.name.as_str());
                    at = site;
                }
                _ => break,
            }
        }
        let function = self.points_to.instances()[at.instance].function;
        let instr = &self.program.functions[function].blocks[at.block].instrs[at.index as usize];
        let source = &self.program.source;
        let line = instr.loc.map(|l| {
            let l = &source.locations[l];
            let file = &source.files[l.file];
            let file = file.rsplit('/').next().unwrap_or(file);
            format!("{file}:{}", l.line)
        });
        let line = line.unwrap_or_else(|| self.program.functions[function].name.clone());
        let name = name.unwrap_or("allocated");
        let name = name.strip_prefix("irkiss_model__").unwrap_or(name);
        format!("{name} at {line}")
    }

    /// The name that a `Lazy` gives its object.
    fn lazy_name(&self, place: Place) -> Option<String> {
        let instance = &self.points_to.instances()[place.instance];
        let block = &self.program.functions[instance.function].blocks[place.block];
        let Op::Primitive { args, .. } = &block.instrs[place.index as usize].op else {
            return None;
        };
        let Some(Operand::Const(Const::Addr {
            global, offset: 0, ..
        })) = args.get(1)
        else {
            return None;
        };
        let name = self.text(*global);
        (!name.is_empty()).then_some(name)
    }

    fn text(&self, global: GlobalId) -> String {
        let mut bytes = BTreeMap::new();
        for cell in self.program.globals[global].init.iter().flatten() {
            if let Const::Int { value, .. } = cell.value {
                for n in 0..cell.size {
                    let little = self.program.layout.little_endian;
                    let shift = if little { n } else { cell.size - 1 - n };
                    let byte = (value >> (8 * shift.min(15))) as u8;
                    bytes.insert(cell.offset + u64::from(n), byte);
                }
            }
        }
        let mut text = String::new();
        for n in 0..self.program.globals[global].size {
            match bytes.get(&n) {
                Some(byte) if *byte != 0 => text.push(*byte as char),
                _ => break,
            }
        }
        text
    }

    /// The name of `len` bytes at an address.
    pub fn bytes(&self, address: Address, len: u64) -> String {
        let made = &self.points_to.layouts().bytes;
        made.get((address, len), || self.new_bytes(address, len))
    }

    fn new_bytes(&self, address: Address, len: u64) -> String {
        let object = self.object(address.object);
        if let ObjectKind::Global(g) = self.points_to.objects()[address.object].kind {
            if let Some(path) = self.path(address, len) {
                return format!("{object}{path}");
            }
            let whole = self.program.globals[g].size;
            return match address.offset() {
                Some(0) if len >= whole || whole == 0 => object,
                Some(0) if self.program.globals[g].debug_type.is_none() => object,
                Some(n) => format!("{object}{n:+}"),
                None => format!("{object}[*]"),
            };
        }
        let layouts = self.points_to.layouts();
        if let Some((at, name)) =
            layouts.covering(self.program, address.object, address.rem, len.min(8))
        {
            let offset = (address.rem - at) as u64;
            let path = layouts
                .types
                .get(name)
                .and_then(|ty| self.member_path(*ty, offset, len, address.stride > 0));
            let name = told_name(name);
            return match path {
                Some(path) => format!("struct {name}{path}"),
                None => format!("struct {name}+{offset}"),
            };
        }
        match address.offset() {
            Some(0) => object,
            Some(n) => format!("{object}{n:+}"),
            None => format!("{object}[*]"),
        }
    }

    /// The name of a lock: of the outermost member there, or object, whose name or type speaks of one; where none does, of the
    /// outermost member.
    pub fn lock(&self, address: Address) -> String {
        let program = self.program;
        let (start, name, ty) = match self.points_to.objects()[address.object].kind {
            ObjectKind::Global(g) => {
                let global = &program.globals[g];
                (0, global.name.as_str(), global.debug_type)
            }
            _ => {
                let layouts = self.points_to.layouts();
                match layouts.covering(program, address.object, address.rem, 1) {
                    Some((at, name)) => (at, "", layouts.types.get(name).copied()),
                    None => (0, "", None),
                }
            }
        };
        let offset = u64::try_from(address.rem - start);
        let bytes = match (ty, offset) {
            (Some(ty), Ok(offset)) => self.lock_bytes(ty, name, offset),
            _ => None,
        };
        self.bytes(address, bytes.unwrap_or(1))
    }

    /// What runs for the object there: its handler, an operation on it. An interrupt's is told by its function.
    pub fn handler(&self, address: Address) -> String {
        let program = self.program;
        let cell = match self.points_to.objects()[address.object].kind {
            ObjectKind::Global(g) => program.harness.slot_of(g),
            _ => None,
        };
        let wrapper = cell.and_then(|n| program.harness.entries[n].wrapper);
        let calls = wrapper.into_iter().flat_map(|f| {
            let blocks = program.functions[f].blocks.iter();
            blocks.flat_map(|b| &b.instrs)
        });
        let mut own = calls.filter_map(|i| match i.op {
            Op::Call {
                callee: Callee::Direct(f),
                ..
            } if !program.functions[f].is_model => Some(&program.functions[f].name),
            _ => None,
        });
        let layouts = self.points_to.layouts();
        match (own.next(), self.points_to.objects()[address.object].kind) {
            (Some(function), _) => function.clone(),
            (None, ObjectKind::Lazy(_)) => match layouts.covering(program, address.object, 0, 1) {
                Some((_, "file")) => "the operation on the same file".to_string(),
                _ => format!("the handler of {}", self.lock(address)),
            },
            (None, ObjectKind::Global(_)) if address.offset() == Some(0) => {
                format!("the handler of {}", self.object(address.object))
            }
            (None, _) => format!("the handler of {}", self.lock(address)),
        }
    }

    fn lock_bytes(&self, ty: DebugTypeId, name: &str, offset: u64) -> Option<u64> {
        let (mut ty, mut name, mut offset) = (ty, name, offset);
        let mut member = None;
        for _ in 0..16 {
            let t = &self.program.debug_types[ty];
            if offset == 0 && (is_lock(&t.name) || is_lock(name)) {
                return Some(t.size);
            }
            match &t.kind {
                DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => {
                    let covers = |size: u64, at: u64| offset >= at && offset < at + size;
                    let m = members.iter().find(|m| covers(m.size, m.offset))?;
                    offset -= m.offset;
                    if offset == 0 && member.is_none() {
                        member = Some(m.size);
                    }
                    name = &m.name;
                    ty = m.ty?;
                }
                DebugTypeKind::Array {
                    element: Some(element),
                    ..
                } => {
                    let size = self.program.debug_types[*element].size.max(1);
                    offset %= size;
                    ty = *element;
                }
                _ => break,
            }
        }
        member
    }

    /// `.member.member` of a global with a declared type, or of an object with an inferred one.
    fn path(&self, address: Address, len: u64) -> Option<String> {
        let strided = address.stride > 0;
        if let ObjectKind::Global(g) = self.points_to.objects()[address.object].kind {
            let ty = self.program.globals[g].debug_type?;
            let offset = u64::try_from(address.rem).ok()?;
            return self.member_path(ty, offset, len, strided);
        }
        let layouts = self.points_to.layouts();
        let (at, name) = layouts.covering(self.program, address.object, address.rem, len)?;
        let ty = layouts.types.get(name)?;
        self.member_path(*ty, u64::try_from(address.rem - at).ok()?, len, strided)
    }

    /// The name of the innermost struct that the byte there is a member of.
    pub(super) fn holder(&self, address: Address) -> Option<&'a str> {
        let (mut ty, offset) = match self.points_to.objects()[address.object].kind {
            ObjectKind::Global(g) => (self.program.globals[g].debug_type?, address.rem),
            _ => {
                let layouts = self.points_to.layouts();
                let found = layouts.covering(self.program, address.object, address.rem, 1);
                let (at, name) = found?;
                (*layouts.types.get(name)?, address.rem - at)
            }
        };
        let mut offset = u64::try_from(offset).ok()?;
        let mut holder = None;
        for _ in 0..16 {
            let t = &self.program.debug_types[ty];
            let next = match &t.kind {
                DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => {
                    if !t.name.is_empty() {
                        holder = Some(t.name.as_str());
                    }
                    let covers = |size: u64, at: u64| offset >= at && offset < at + size;
                    let member = members.iter().find(|m| covers(m.size, m.offset));
                    offset -= member.map_or(0, |m| m.offset);
                    member.and_then(|m| m.ty)
                }
                DebugTypeKind::Array { element, .. } => {
                    let size = element.map_or(0, |e| self.program.debug_types[e].size);
                    offset %= size.max(1);
                    *element
                }
                _ => None,
            };
            match next {
                Some(next) => ty = next,
                None => break,
            }
        }
        holder
    }

    /// The members that lead to `len` bytes at `offset` of a type; empty where these are the whole.
    fn member_path(
        &self,
        ty: DebugTypeId,
        offset: u64,
        len: u64,
        mut strided: bool,
    ) -> Option<String> {
        let mut path = String::new();
        let (mut ty, mut offset) = (ty, offset);
        for _ in 0..16 {
            let t = &self.program.debug_types[ty];
            match &t.kind {
                DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => {
                    if offset == 0 && len >= t.size {
                        return Some(path);
                    }
                    let covers = |size: u64, at: u64| offset >= at && offset < at + size;
                    let member = members.iter().find(|m| covers(m.size, m.offset))?;
                    if !member.name.is_empty() {
                        path.push('.');
                        path.push_str(&member.name);
                    }
                    offset -= member.offset;
                    match member.ty {
                        Some(next) => ty = next,
                        None => return Some(path),
                    }
                }
                DebugTypeKind::Array {
                    element: Some(element),
                    ..
                } => {
                    let size = self.program.debug_types[*element].size;
                    if size == 0 || (offset == 0 && len > size) {
                        return Some(path);
                    }
                    if strided {
                        path.push_str("[*]");
                        strided = false;
                    } else {
                        path.push_str(&format!("[{}]", offset / size));
                    }
                    offset %= size;
                    ty = *element;
                }
                _ => return Some(path),
            }
        }
        Some(path)
    }
}

/// Adds one of many that are often the same: before the list grows, each is kept once.
pub(super) fn add_once_in_a_while<T: Ord>(all: &mut Vec<T>, one: T) {
    if all.len() == all.capacity() {
        all.sort_unstable();
        all.dedup();
        // As much room again, or the next ones would sort all of it each.
        all.reserve(all.len().max(8));
    }
    all.push(one);
}
