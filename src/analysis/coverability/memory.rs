//! Accesses of memory and ghost state: cells that all threads see, and what belongs to the running thread alone.

use std::sync::Arc;

use crate::faults::{NetFault, seeded};
use crate::index::Idx;
use crate::program::{Instr, Op, Operand, Primitive};

use super::super::points_to::{Address, ObjectKind, constant};
use super::cells::{CellId, Content, Kind, Location, Touch, initial};
use super::explore::{At, Explorer, Halt};
use super::outcome::Does;
use super::state::{Cover, Micro};
use super::step::{Then, advance, set};
use super::value::{Pointer, Val, Who};
use super::words::{part_of, with_part};

/// Where an access goes.
#[derive(Clone, Debug)]
enum Target {
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
        match &instr.op {
            Op::Load { ptr, ty, .. } => {
                let target = self.target(m, ptr, program.size_of(ty));
                self.access(at, m, instr, target, &Does::Read)
            }
            Op::Store { ptr, value, ty, .. } => {
                let target = self.target(m, ptr, program.size_of(ty));
                self.access(at, m, instr, target, &Does::Write(value))
            }
            Op::AtomicRmw { op, ptr, value, ty } => {
                let target = self.target(m, ptr, program.size_of(ty));
                self.access(at, m, instr, target, &Does::Modify(*op, value))
            }
            Op::CmpXchg {
                ptr,
                expected,
                new,
                ty,
            } => {
                let target = self.target(m, ptr, program.size_of(ty));
                self.access(at, m, instr, target, &Does::Exchange(expected, new))
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
                    self.access(at, m, instr, target, &Does::Read)
                }
                (Primitive::GhostSet, [ptr, key, value, ..]) => {
                    let target = self.ghost(m, ptr, key);
                    self.access(at, m, instr, target, &Does::Write(value))
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

    /// Whether a condition may depend on what an instruction of a driver reads.
    fn note_tested(&mut self, m: &Micro, cell: CellId, instr: &Instr) {
        if self.input.entries.is_none() || self.cells.table[cell].tested {
            return;
        }
        if let (Some(frame), Some(v)) = (m.state.frames.last(), instr.result) {
            let f = self.input.points_to.instances()[frame.instance].function;
            let tested = self.bodies.is_tested(self.input.program, f, v);
            self.cells.table[cell].tested |= tested;
        }
    }

    fn access(
        &mut self,
        at: At,
        m: &mut Micro,
        instr: &Instr,
        target: Target,
        does: &Does<'_>,
    ) -> Result<Then, Halt> {
        let cell = match target {
            Target::Somewhere(touches) => {
                if !matches!(does, Does::Read) {
                    for touch in touches {
                        self.written(m, touch)?;
                    }
                }
                set(m, instr.result, None);
                return Ok(Then::Next);
            }
            Target::Untracked(location) => {
                if !matches!(does, Does::Read)
                    && let Some(cell) = self.cells.write_untracked(location)
                {
                    self.ban(cell);
                }
                set(m, instr.result, None);
                return Ok(Then::Next);
            }
            Target::Counter(cell) => return Ok(self.access_counter(m, cell, instr.result, does)),
            Target::Part(cell, ..) if self.cells.table[cell].counter => {
                self.not_as_counter(cell);
                set(m, instr.result, None);
                return Ok(Then::Next);
            }
            Target::Part(cell, at, bytes) if self.is_fixed(cell) => {
                self.note_tested(m, cell, instr);
                let now = self.cells.table[cell].initial[0].clone();
                let old = part_of(&now, at, bytes);
                let mut out = Vec::new();
                for (new, result) in self.outcomes(m, does, old.clone()) {
                    let mut next = m.clone();
                    if let Some(new) = new {
                        self.cells.table[cell].changes |= new.is_none() || new != old;
                    }
                    set(&mut next, instr.result, result);
                    advance(&mut next);
                    out.push(next);
                }
                return Ok(Then::Fork(out));
            }
            Target::Fixed(cell) => {
                self.note_tested(m, cell, instr);
                let now = self.cells.table[cell].initial[0].clone();
                let old = match &now {
                    Content::Is(v) => Some(v.clone()),
                    Content::Of(..) | Content::Any => None,
                };
                let mut out = Vec::new();
                for (new, result) in self.outcomes(m, does, old) {
                    let mut next = m.clone();
                    if let Some(new) = new {
                        let same = matches!((&new, &now), (Some(v), Content::Is(w)) if v == w);
                        self.cells.table[cell].changes |= !same;
                    }
                    set(&mut next, instr.result, result);
                    advance(&mut next);
                    out.push(next);
                }
                return Ok(Then::Fork(out));
            }
            Target::Own(location) => {
                self.publish_overlapping(m, &location);
                let old = match self.alone {
                    true => self.held(m, &location),
                    false => self.own_content(m, &location),
                };
                let mut out = Vec::new();
                for (new, result) in self.outcomes(m, does, old) {
                    let mut next = m.clone();
                    if let (true, Some(new)) = (self.alone, &new) {
                        self.hold(&mut next, location, new.clone());
                    } else if let Some(new) = new {
                        let memory = Arc::make_mut(&mut next.state.memory);
                        memory.retain(|l, _| *l == location || !l.overlaps(&location));
                        memory.insert(location, new);
                    }
                    set(&mut next, instr.result, result);
                    advance(&mut next);
                    out.push(next);
                }
                return Ok(Then::Fork(out));
            }
            Target::Part(cell, from, bytes) => {
                self.note_tested(m, cell, instr);
                let Some((_, now)) = m.cells.get(&cell).cloned() else {
                    return Ok(self.look(at, m, cell));
                };
                let mut out = Vec::new();
                for (new, result) in self.outcomes(m, does, part_of(&now, from, bytes)) {
                    let mut next = m.clone();
                    if let Some(new) = new {
                        let word = with_part(&now, from, bytes, new.as_ref());
                        self.write(at, &mut next, cell, &now, word)?;
                    }
                    set(&mut next, instr.result, result);
                    advance(&mut next);
                    out.push(next);
                }
                return Ok(Then::Fork(out));
            }
            Target::Cell(cell) => cell,
        };
        self.note_tested(m, cell, instr);
        let Some((_, now)) = m.cells.get(&cell).cloned() else {
            return Ok(self.look(at, m, cell));
        };
        let mut out = Vec::new();
        for seen in self.seen(at, m, cell, &now) {
            for (new, result) in self.outcomes(m, does, seen) {
                let mut next = m.clone();
                if let Some(new) = new {
                    self.write(at, &mut next, cell, &now, new)?;
                }
                set(&mut next, instr.result, result);
                advance(&mut next);
                out.push(next);
            }
        }
        Ok(Then::Fork(out))
    }

    /// The step meets a cell for the first time: every content that it may have.
    fn look(&mut self, at: At, m: &Micro, cell: CellId) -> Then {
        let own = self.owner(at.job);
        let table = &mut self.cells.table[cell];
        let reader = (at.job, at.state);
        if !table.readers.contains(&reader) {
            table.readers.push(reader);
        }
        let mine = table.owned && m.state.mine.contains(&cell);
        let mut out = Vec::new();
        for content in &table.contents {
            // Nobody has written over this thread's number: who does breaks the net.
            if mine && !matches!(content, Content::Of(job, _) if *job == own) {
                continue;
            }
            let mut next = m.clone();
            next.cells.insert(cell, (content.clone(), content.clone()));
            next.again = true;
            out.push(next);
        }
        Then::Fork(out)
    }

    /// The values that a content may be to the running thread.
    fn seen(&self, at: At, m: &Micro, cell: CellId, content: &Content) -> Vec<Option<Val>> {
        match content {
            Content::Any => vec![None],
            Content::Is(v) => vec![Some(v.clone())],
            Content::Of(job, add) => {
                let other = Some(Val::Other { add: *add });
                let me = Some(Val::Id {
                    who: Who::Me,
                    add: *add,
                });
                let owned = self.cells.table[cell].owned;
                match *job == self.owner(at.job) {
                    true if !owned => vec![me, other],
                    true if m.state.mine.contains(&cell) => vec![me],
                    _ => vec![other],
                }
            }
        }
    }

    fn write(
        &mut self,
        at: At,
        m: &mut Micro,
        cell: CellId,
        now: &Content,
        value: Option<Val>,
    ) -> Result<(), Halt> {
        let owned = self.cells.table[cell].owned;
        if owned && matches!(now, Content::Of(..)) && !m.state.mine.contains(&cell) {
            // Somebody's number is written over who does not know of it.
            m.breaks = Some(cell);
            return Ok(());
        }
        if !seeded(NetFault::OwnerForEver) {
            m.state.mine.remove(&cell);
        }
        let content = match value {
            Some(Val::Id {
                who: Who::Me, add, ..
            }) => {
                if owned {
                    m.state.mine.insert(cell);
                }
                Content::Of(self.owner(at.job), add)
            }
            Some(v) if self.is_for_all(&v) => Content::Is(v),
            _ => Content::Any,
        };
        let number = matches!(content, Content::Is(Val::Int(_)));
        let (content, new) = self.cells.content(cell, content);
        let many = number && content == Content::Any && self.learn_counter(cell);
        let location = self.cells.table[cell].location;
        let counter = many || self.lessons.counters.contains(&location);
        if content != *now {
            self.cells.table[cell].changes = true;
        }
        if content == Content::Any && matches!(location.kind, Kind::Memory(_)) && !counter {
            // Data, not state that orders threads.
            self.ban(location);
        }
        if content == Content::Any {
            m.state.mine.remove(&cell);
        }
        if new {
            self.wake(cell);
        }
        if let Some(entry) = m.cells.get_mut(&cell) {
            if !seeded(NetFault::WritesChangeNothing) {
                entry.1 = content;
            }
        }
        Ok(())
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
    fn ban(&mut self, cell: Location) {
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
