//! Objects and the cells in them that may hold pointers.
//!
//! A cell is a pointer-sized place at one offset, or at all offsets of one
//! stride. What is written at a stride is seen by every cell that it may cover,
//! and a read at a stride sees them all; cells of different single offsets do
//! not see each other.

use crate::index::{FuncId, GlobalId};
use crate::program::{Const, InitCell};

use super::address::{Address, ObjectId};
use super::copies::Way;
use super::objects::{Object, ObjectKind};
use super::solver::{Cell, CellId, Solver};
use super::types::Content;

/// Cells of one object that are told apart.
const MAX_CELLS: usize = 512;

impl Solver<'_> {
    // ---- objects ----

    pub fn object(&mut self, kind: ObjectKind, size: Option<u64>, lazy: bool) -> ObjectId {
        if let Some(id) = self.object_index.get(&kind) {
            return *id;
        }
        let id = self.objects.next_id();
        self.objects.push(Object {
            kind,
            size,
            lazy,
            top: id,
            depth: 0,
            content: self.global_type(kind),
            parts: Vec::new(),
            defined: Vec::new(),
            flat: false,
            addresses: 0,
            children: 0,
            cells: Vec::new(),
            copies_in: Vec::new(),
            copies_out: Vec::new(),
        });
        self.object_index.insert(kind, id);
        if let ObjectKind::Global(g) | ObjectKind::ThreadSlot(g) = kind {
            self.new_globals.push_back((id, g));
        }
        id
    }

    pub fn global(&mut self, g: GlobalId) -> ObjectId {
        let global = &self.program.globals[g];
        let size = (global.size > 0).then_some(global.size);
        let object = self.object(ObjectKind::Global(g), size, global.init.is_none());
        let number = |c: &InitCell| matches!(c.value, Const::Int { .. } | Const::Float { .. });
        let numbers = global.init.as_ref().is_some_and(|i| i.iter().all(number));
        self.objects[object].flat = global.constant && numbers;
        object
    }

    pub fn function(&mut self, f: FuncId) -> ObjectId {
        self.object(ObjectKind::Function(f), Some(0), false)
    }

    /// Adds the pointers of a global's initialiser; those of all elements, where the object is one for each thread.
    pub fn initialise(&mut self, object: ObjectId, g: GlobalId) {
        let program = self.program;
        let element = match self.objects[object].kind {
            ObjectKind::ThreadSlot(_) => self.slots[&g],
            _ => u64::MAX,
        };
        for init in program.globals[g].init.iter().flatten() {
            if u64::from(init.size) < self.pointer_bytes {
                continue;
            }
            let target = match &init.value {
                Const::Addr { global, offset, .. } => {
                    let object = self.global(*global);
                    Address::at(object, *offset)
                }
                Const::Func { function, .. } => Address::at(self.function(*function), 0),
                _ => continue,
            };
            let place = Address::at(
                object,
                i64::try_from(init.offset % element).unwrap_or(i64::MAX),
            );
            if let Some(cell) = self.cell(place) {
                self.add(self.cells[cell].write, target);
            }
        }
    }

    /// The object that the pointer at `address` of a lazily initialised object leads to.
    fn child(&mut self, address: Address, content: Content) -> ObjectId {
        let parent = &self.objects[address.object];
        let (top, depth) = (parent.top, parent.depth);
        let limits = self.resolution;
        let among_rest = matches!(parent.kind, ObjectKind::Rest(..));
        if let Some(id) = self.object_index.get(&ObjectKind::Child(address)) {
            return *id;
        }
        if among_rest || depth >= limits.depth || self.objects[top].children >= limits.children {
            let kind = ObjectKind::Rest(top, content);
            if let Some(rest) = self.object_index.get(&kind) {
                return *rest;
            }
            let rest = self.object(kind, None, true);
            self.objects[rest].top = top;
            self.objects[rest].depth = depth + 1;
            self.objects[rest].content = content;
            return rest;
        }
        self.objects[top].children += 1;
        let child = self.object(ObjectKind::Child(address), None, true);
        self.objects[child].top = top;
        self.objects[child].depth = depth + 1;
        self.objects[child].content = content;
        child
    }

    // ---- cells ----

    /// The cells of `slots` pointers from `address`.
    pub fn slots(&mut self, address: Address, slots: u32) -> Vec<CellId> {
        (0..slots)
            .filter_map(|n| {
                let bytes = i64::from(n) * self.pointer_bytes as i64;
                self.cell(address.moved(bytes, 0))
            })
            .collect()
    }

    pub fn cell(&mut self, address: Address) -> Option<CellId> {
        self.cell_of(address, MAX_CELLS)
    }

    /// The cell at an address; the one for any address where an object has so many.
    pub fn cell_of(&mut self, address: Address, most: usize) -> Option<CellId> {
        let object = &self.objects[address.object];
        let buffer = object.content == Content::Plain && self.types.enabled;
        if buffer || matches!(object.kind, ObjectKind::Function(_)) {
            return None;
        }
        if !object.holds(address) {
            return None;
        }
        let mut address = address.within(object.size, self.pointer_bytes)?;
        if let Some(cell) = self.cell_index.get(&address) {
            return Some(*cell);
        }
        if object.cells.len() >= most {
            address = Address::anywhere(address.object);
            if let Some(cell) = self.cell_index.get(&address) {
                return Some(*cell);
            }
        }
        let write = self.node();
        let read = if address.stride == 0 {
            write
        } else {
            let read = self.node();
            self.copy(write, read);
            read
        };
        let others = self.objects[address.object].cells.clone();
        let id = self.cells.push(Cell {
            address,
            read,
            write,
            demanded: false,
        });
        self.cell_index.insert(address, id);
        self.objects[address.object].cells.push(id);
        for other in others {
            let other = self.cells[other].clone();
            if other.address.meets(address) {
                self.copy(other.write, read);
                self.copy(write, other.read);
            }
        }
        let object = &self.objects[address.object];
        let into = object.copies_in.iter().map(|c| (*c, id, Way::In));
        let out = object.copies_out.iter().map(|c| (*c, id, Way::Out));
        self.spreads.extend(into.chain(out));
        Some(id)
    }

    /// The pointer there is read, which leads to that content: what is initialised lazily gets its content.
    pub fn demand(&mut self, cell: CellId, content: Content) {
        if std::mem::replace(&mut self.cells[cell].demanded, true) {
            return;
        }
        let address = self.cells[cell].address;
        let object = &self.objects[address.object];
        let defined = address
            .offset()
            .is_some_and(|o| object.defined.contains(&o));
        let content = self.types.refine(object.content, address, content);
        if let (true, false, Some(content)) = (object.lazy, defined, content) {
            let child = self.child(address, content);
            self.add(self.cells[cell].write, Address::at(child, 0));
        }
        let into = self.objects[address.object].copies_in.iter();
        self.spreads.extend(into.map(|c| (*c, cell, Way::In)));
    }
}
