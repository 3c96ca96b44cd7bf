//! Copies of memory (memcpy), pointer by pointer.
//!
//! What lies at a distance from the beginning of the source gets to the same distance from that of the destination. Between two
//! objects that is a record at both ends, applied to each cell that there is or will be ([`Solver::spread`]).
//!
//! Where a memcpy has many sources and many destinations, all go through one object that stands for the bytes on their way: as many
//! records as there are addresses, not pairs of them, and the same solution. There, an object from or to which it copies at many
//! offsets, or at one where no pointer is aligned, is copied at any offset: these are buffers that are gone through byte by byte.

use super::address::{Address, ObjectId};
use super::objects::{CellCopy, ObjectKind};
use super::solver::{CellId, CopyId, CopyUse, Solver};
use super::types::Content;

/// Pairs of addresses that a memcpy is done for one by one.
const MAX_PAIRS: usize = 64;

/// Offsets in one object that a memcpy with more of them tells apart.
const MAX_OFFSETS: u32 = 8;

/// Cells that copies add to one object.
const MAX_COPIED: usize = 128;

/// Which way a memcpy goes, seen from the object that holds the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    /// Into it.
    In,
    /// Out of it.
    Out,
}

/// A memcpy that is still to be applied to a cell.
pub(super) type Spread = (CellCopy, CellId, Way);

impl Solver<'_> {
    /// A memcpy reads from that address, or writes to it.
    pub fn copy_at(&mut self, copy: CopyId, address: Address, way: Way) {
        if self.keeps_no_pointers(address.object) {
            return;
        }
        if self.memcpys[copy].carrier.is_none() {
            let CopyUse { source, target, .. } = self.memcpys[copy];
            let (sources, targets) = (self.set_of(source), self.set_of(target));
            if sources.len() * targets.len() <= MAX_PAIRS {
                let len = self.memcpys[copy].len;
                match way {
                    Way::Out => targets
                        .into_iter()
                        .for_each(|to| self.copy_cells(address, to, len)),
                    Way::In => sources
                        .into_iter()
                        .for_each(|from| self.copy_cells(from, address, len)),
                }
                return;
            }
            let carrier = self.object(ObjectKind::Carrier(copy.0), None, false);
            self.memcpys[copy].carrier = Some(carrier);
            for from in sources {
                self.carry(copy, carrier, from, Way::Out);
            }
            for to in targets {
                self.carry(copy, carrier, to, Way::In);
            }
        }
        if let Some(carrier) = self.memcpys[copy].carrier {
            self.carry(copy, carrier, address, way);
        }
    }

    /// Copies to the bytes on their way (out of the address), or from these.
    fn carry(&mut self, copy: CopyId, carrier: ObjectId, address: Address, way: Way) {
        if self.keeps_no_pointers(address.object) {
            return;
        }
        let len = self.memcpys[copy].len;
        let between = Address::at(carrier, 0);
        let (from, to) = match way {
            Way::Out => (address, between),
            Way::In => (between, address),
        };
        let record = CellCopy {
            here: to,
            there: from,
            len,
        };
        if self.copied.contains(&record) {
            return;
        }
        let offsets = self
            .carried
            .entry((carrier, address.object, way))
            .or_insert(0);
        *offsets += 1;
        let aligned = address.rem.unsigned_abs() % self.pointer_bytes == 0;
        if aligned && *offsets <= MAX_OFFSETS {
            return self.copy_cells(from, to, len);
        }
        let anywhere = Address::anywhere(address.object);
        match way {
            Way::Out => self.copy_cells(anywhere, to, len),
            Way::In => self.copy_cells(from, anywhere, len),
        }
    }

    /// Whether no pointer is ever in that object: it is code, a buffer, too small, or constant numbers.
    fn keeps_no_pointers(&self, object: ObjectId) -> bool {
        let object = &self.objects[object];
        let small = object.size.is_some_and(|s| s < self.pointer_bytes);
        let plain = object.content == Content::Plain && self.types.enabled;
        small || plain || object.flat || matches!(object.kind, ObjectKind::Function(_))
    }

    fn copy_cells(&mut self, from: Address, to: Address, len: u64) {
        if self.keeps_no_pointers(from.object) || self.keeps_no_pointers(to.object) {
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
        let Some(there) = self.cell_of(there, MAX_COPIED) else {
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
