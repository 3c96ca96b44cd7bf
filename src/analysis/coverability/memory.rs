//! Accesses of memory and ghost state: cells that all threads see, and what belongs to the running thread alone.

use std::sync::Arc;

use crate::faults::{NetFault, seeded};
use crate::index::Idx;
use crate::program::{Instr, Op, Operand, Primitive};

use super::super::points_to::{Address, ObjectKind, constant};
use super::access::Access;
use super::cells::{CellId, Kind, Location, Touch, initial};
use super::explore::{At, Explorer, Halt};
use super::outcome::Does;
use super::state::{Cover, Micro};
use super::step::Then;
use super::value::{Pointer, Val};

/// Where an access goes.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A cell that all threads see.
    Cell(CellId),
    /// One that holds what it held in the beginning.
    Fixed(CellId),
    /// State of the running thread alone.
    Own(Location),
    /// One that is followed by what threads add to it.
    Counter(CellId),
    /// Within one of those: so many bytes from the first, how many.
    Part(CellId, u32, u32),
    /// Exactly there, but it is not tracked.
    Untracked(Location),
    /// Somewhere there.
    Somewhere(Vec<Touch>),
}

impl Explorer<'_> {
    /// Whether a memory instruction accesses a cell.
    pub(super) fn is_cell(&mut self, m: &Micro, op: &Op) -> bool {
        let (ptr, ty) = match op {
            Op::Load { ptr, ty, .. }
            | Op::Store { ptr, ty, .. }
            | Op::AtomicRmw { ptr, ty, .. }
            | Op::CmpXchg { ptr, ty, .. } => (ptr, ty),
            Op::Primitive { args, .. } => {
                let [ptr, key, ..] = args.as_slice() else {
                    return true;
                };
                let target = self.ghost(m, ptr, key);
                return matches!(target, Target::Cell(_) | Target::Counter(_));
            }
            _ => return false,
        };
        let bytes = self.input.program.size_of(ty);
        match self.target(m, ptr, bytes) {
            Target::Cell(_) | Target::Counter(_) => true,
            Target::Part(cell, ..) => !self.is_fixed(cell),
            _ => false,
        }
    }

    /// Executes an access.
    pub(super) fn memory(&mut self, at: At, m: &mut Micro, instr: &Instr) -> Result<Then, Halt> {
        let program = self.input.program;
        let by = |does| Access { at, instr, does };
        match &instr.op {
            Op::Load { ptr, ty, .. } => {
                let target = self.target(m, ptr, program.size_of(ty));
                self.access(&by(&Does::Read), m, target)
            }
            Op::Store { ptr, value, ty, .. } => {
                let target = self.target(m, ptr, program.size_of(ty));
                self.access(&by(&Does::Write(value)), m, target)
            }
            Op::AtomicRmw { op, ptr, value, ty } => {
                let target = self.target(m, ptr, program.size_of(ty));
                self.access(&by(&Does::Modify(*op, value)), m, target)
            }
            Op::CmpXchg {
                ptr,
                expected,
                new,
                ty,
            } => {
                let target = self.target(m, ptr, program.size_of(ty));
                self.access(&by(&Does::Exchange(expected, new)), m, target)
            }
            Op::MemCopy { dst, len, .. } | Op::MemSet { dst, len, .. } => {
                let zero = matches!(&instr.op, Op::MemSet { byte, .. }
                    if self.eval(m, byte) == Some(Val::Int(0)));
                self.bytes_written(m, dst, len, zero)?;
                Ok(Then::Next)
            }
            Op::Primitive { primitive, args } => match (primitive, args.as_slice()) {
                (Primitive::Havoc, [dst, len, ..]) => {
                    self.bytes_written(m, dst, len, false)?;
                    Ok(Then::Next)
                }
                (Primitive::GhostGet, [ptr, key, ..]) => {
                    let target = self.ghost(m, ptr, key);
                    self.access(&by(&Does::Read), m, target)
                }
                (Primitive::GhostSet, [ptr, key, value, ..]) => {
                    let target = self.ghost(m, ptr, key);
                    self.access(&by(&Does::Write(value)), m, target)
                }
                _ => Ok(Then::Next),
            },
            _ => Ok(Then::Next),
        }
    }

    /// The single address that an operand is.
    pub(super) fn exact(&self, m: &Micro, ptr: &Operand) -> Result<Pointer, Vec<Address>> {
        match self.eval(m, ptr) {
            Some(Val::Ptr(p)) => return Ok(p),
            // No object lies there; the access fails.
            Some(Val::Int(_)) => return Err(Vec::new()),
            _ => {}
        }
        let Some(place) = m.state.place() else {
            return Err(Vec::new());
        };
        let all = self.input.points_to.targets_in(place.instance, ptr);
        match all.as_slice() {
            [one] => match one.offset() {
                Some(offset) => Ok(Pointer {
                    object: one.object,
                    offset,
                    index: None,
                }),
                None => Err(all),
            },
            _ => Err(all),
        }
    }

    fn target(&mut self, m: &Micro, ptr: &Operand, bytes: u64) -> Target {
        let touch = |address: Address| Touch {
            address,
            bytes: Some(bytes),
            key: None,
        };
        match self.exact(m, ptr) {
            Err(all) => Target::Somewhere(all.into_iter().map(touch).collect()),
            Ok(pointer) if pointer.is_new() => Target::Somewhere(Vec::new()),
            Ok(pointer) if bytes == 0 || bytes > 8 || self.another_file(m, pointer) => {
                Target::Somewhere(vec![touch(somewhere(pointer))])
            }
            Ok(pointer) => {
                let kind = Kind::Memory(bytes as u32);
                self.locate(m, Location { kind, pointer })
            }
        }
    }

    /// Whether a thread that is about another file is led to one of those that are open in the beginning.
    fn another_file(&self, m: &Micro, pointer: Pointer) -> bool {
        m.later && self.files.contains(&pointer.object)
    }

    fn ghost(&mut self, m: &Micro, ptr: &Operand, key: &Operand) -> Target {
        let kind = match self.eval(m, key) {
            Some(Val::Int(k)) => Some(Kind::Ghost(k as i64, None)),
            Some(Val::Id { who, add }) => Some(Kind::Ghost(add, Some(who))),
            _ => None,
        };
        let number = constant(key).and_then(|k| u32::try_from(k).ok());
        let touch = |address: Address| Touch {
            address,
            bytes: None,
            key: number,
        };
        match (self.exact(m, ptr), kind) {
            (Ok(pointer), _) if pointer.is_new() => Target::Somewhere(Vec::new()),
            (Ok(pointer), Some(kind)) if !self.another_file(m, pointer) => {
                self.locate(m, Location { kind, pointer })
            }
            (Ok(pointer), _) => Target::Somewhere(vec![touch(somewhere(pointer))]),
            (Err(all), _) => Target::Somewhere(all.into_iter().map(touch).collect()),
        }
    }

    /// What lies at an exact place.
    fn locate(&mut self, m: &Micro, location: Location) -> Target {
        let object = location.pointer.object;
        let points_to = self.input.points_to;
        let kind = points_to.objects()[object].kind;
        if matches!(kind, ObjectKind::Stack(_)) && !points_to.is_shared(object) {
            return Target::Own(location);
        }
        if !self.input.single.contains(object.index()) || matches!(kind, ObjectKind::Function(_)) {
            // Nothing tracked lies there.
            return Target::Somewhere(Vec::new());
        }
        if self.alone {
            return Target::Own(location);
        }
        let (asked, location) = (location, self.word(location));
        let lessons = &self.lessons;
        if lessons.banned.contains(&location) || lessons.deferred.contains(&location) {
            return Target::Untracked(asked);
        }
        let model = m.state.place().is_some_and(|p| {
            let f = points_to.instances()[p.instance].function;
            self.input.program.functions[f].is_model
        });
        if let Some(cell) = self.cells.get(&location) {
            self.cells.table[cell].by_model |= model;
            return self.found(asked, cell);
        }
        self.learn_words(&location);
        let wanted = self.input.memory
            || model
            || matches!(location.kind, Kind::Ghost(..))
            || self.lessons.forced.contains(&location);
        if !wanted {
            return Target::Untracked(asked);
        }
        let first = match self.input.entries {
            Some(_) => self.beginning(&location),
            None => vec![initial(self.input.program, points_to, &location)],
        };
        let owned = !self.lessons.shared_owner.contains(&location);
        match self.cells.make(location, first, owned) {
            Ok(Some(cell)) => {
                self.cells.table[cell].by_model |= model;
                if self.lessons.counters.contains(&location) {
                    let table = &mut self.cells.table[cell];
                    table.counter = true;
                    table.contents.clear();
                }
                self.found(asked, cell)
            }
            Ok(None) => Target::Untracked(asked),
            Err(written) => {
                // Once is enough: what stands in its way then does so for ever.
                self.again |= self.lessons.forced.insert(written);
                Target::Untracked(asked)
            }
        }
    }

    fn found(&self, location: Location, cell: CellId) -> Target {
        let whole = self.cells.table[cell].location;
        if location != whole
            && let (Kind::Memory(bytes), Ok(at)) = (
                location.kind,
                u32::try_from(location.pointer.offset - whole.pointer.offset),
            )
        {
            return Target::Part(cell, at, bytes);
        }
        if location.is_own() {
            Target::Own(location)
        } else if self.cells.table[cell].counter {
            Target::Counter(cell)
        } else if self.is_fixed(cell) {
            Target::Fixed(cell)
        } else {
            Target::Cell(cell)
        }
    }

    /// `zero`: with zeroes.
    fn bytes_written(
        &mut self,
        m: &mut Micro,
        dst: &Operand,
        len: &Operand,
        zero: bool,
    ) -> Result<(), Halt> {
        let len = match self.eval(m, len) {
            Some(Val::Int(n)) => n,
            _ => u64::MAX,
        };
        let exact = self.exact(m, dst);
        if let (true, true, Ok(pointer)) = (self.alone, zero && len < u64::MAX, &exact) {
            let touch = Touch {
                address: somewhere(*pointer),
                bytes: Some(len),
                key: None,
            };
            let zero = pointer.index.is_none();
            self.cover(m, Cover { touch, zero });
            return Ok(());
        }
        let all = match exact {
            Ok(pointer) if pointer.is_new() => Vec::new(),
            Ok(pointer) => vec![somewhere(pointer)],
            Err(all) => all,
        };
        for address in all {
            self.written(
                m,
                Touch {
                    address,
                    bytes: Some(len),
                    key: None,
                },
            )?;
        }
        Ok(())
    }

    /// A write that is not followed exactly.
    pub(super) fn written(&mut self, m: &mut Micro, touch: Touch) -> Result<(), Halt> {
        if self.alone {
            self.cover(m, Cover { touch, zero: false });
            return Ok(());
        }
        if m.state.memory.keys().any(|l| l.is_touched(&touch)) {
            self.publish_memory(m);
            for (location, known) in Arc::make_mut(&mut m.state.memory) {
                if location.is_touched(&touch) {
                    *known = None;
                }
            }
        }
        if !self.input.single.contains(touch.address.object.index()) {
            return Ok(());
        }
        if seeded(NetFault::VagueWritesMissCells) {
            return Ok(());
        }
        if let Some(cell) = self.cells.touch(touch) {
            self.ban(cell);
        }
        Ok(())
    }

    /// A cell must not be tracked: this construction only goes on to find others of that kind.
    pub(super) fn ban(&mut self, cell: Location) {
        self.lessons.banned.insert(cell);
        self.again = true;
    }
}

/// The address; with a thread number in it, anywhere in the object.
fn somewhere(pointer: Pointer) -> Address {
    match pointer.index {
        None => Address::at(pointer.object, pointer.offset),
        Some(_) => Address::anywhere(pointer.object),
    }
}
