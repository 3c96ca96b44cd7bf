//! Objects and the cells in them that may hold pointers.
//!
//! A cell is a pointer-sized place at one offset, or at all offsets of one
//! stride. What is written at a stride is seen by every cell that it may cover,
//! and a read at a stride sees them all; cells of different single offsets do
//! not see each other.

use crate::index::{FuncId, GlobalId};
use crate::program::{Const, InitCell};

use super::address::{Address, ObjectId};
use super::objects::{CellCopy, Object, ObjectKind};
use super::solver::{Cell, CellId, Solver};
use super::types::Content;

/// Cells of one object that are told apart.
const MAX_CELLS: usize = 512;

/// Which way a memcpy goes, seen from the object that holds the record.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// Into it.
    In,
    /// Out of it.
    Out,
}

/// A memcpy that is still to be applied to a cell.
pub(super) type Spread = (CellCopy, CellId, Way);

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

    fn cell(&mut self, address: Address) -> Option<CellId> {
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
        if object.cells.len() >= MAX_CELLS {
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

    pub fn copy_cells(&mut self, from: Address, to: Address, len: u64) {
        let function = |s: &Self, o| matches!(s.objects[o].kind, ObjectKind::Function(_));
        if function(self, from.object) || function(self, to.object) {
            return;
        }
        // A range, or the same range of every element.
        let ranges = |a: Address| a.stride == 0 || (a.stride > 1 && len <= a.stride);
        if ranges(from) && ranges(to) {
            let (a, b) = (from.object, to.object);
            let incoming = CellCopy {
                here: to,
                there: from,
                len,
            };
            let outgoing = CellCopy {
                here: from,
                there: to,
                len,
            };
            if !self.copied.insert(incoming) {
                return;
            }
            self.objects[b].copies_in.push(incoming);
            self.objects[a].copies_out.push(outgoing);
            let out = self.objects[a].cells.iter();
            self.spreads.extend(out.map(|c| (outgoing, *c, Way::Out)));
            let into = self.objects[b].cells.iter();
            self.spreads.extend(into.map(|c| (incoming, *c, Way::In)));
            return;
        }
        // At an unknown offset on one side: anything to anywhere.
        let source = self.cell(Address::anywhere(from.object));
        let target = self.cell(Address::anywhere(to.object));
        if let (Some(source), Some(target)) = (source, target) {
            self.demand(source, Content::Unknown);
            self.copy(self.cells[source].read, self.cells[target].write);
        }
    }

    /// Applies a memcpy to one cell of the object that holds the record. What follows from it is put on the list: copies may
    /// follow one another as far as the program is long.
    pub fn spread(&mut self, (c, cell, way): Spread) {
        let here = self.cells[cell].address;
        let there = match here.offset() {
            Some(offset) => match c.across(offset, self.pointer_bytes) {
                Some(there) => there,
                None => return,
            },
            None => {
                let stride = super::address::gcd(here.stride, c.here.stride);
                let bytes = here.rem.wrapping_sub(c.here.rem);
                c.there.moved(bytes, stride)
            }
        };
        let Some(there) = self.cell(there) else {
            return;
        };
        match way {
            Way::Out => self.copy(self.cells[cell].read, self.cells[there].write),
            Way::In => {
                self.copy(self.cells[there].read, self.cells[cell].write);
                if self.cells[cell].demanded {
                    self.demand(there, Content::Unknown);
                }
            }
        }
    }
}
