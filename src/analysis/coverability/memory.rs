//! Accesses of memory and ghost state: cells that all threads see, and what belongs to the running thread alone.

use crate::index::Idx;
use crate::program::{AtomicRmwOp, BinOp, Instr, Op, Operand, Primitive};

use super::super::points_to::{Address, ObjectKind, constant};
use super::cells::{CellId, Content, Kind, Location, Touch, constant as constant_value, initial};
use super::explore::{At, Explorer, Halt};
use super::faults::NetFault;
use super::state::{Micro, State};
use super::step::{Then, advance, set};
use super::value::{Pointer, Val, Who, arithmetic, equal};

/// Where an access goes.
#[derive(Clone, Debug)]
enum Target {
    /// A cell that all threads see.
    Cell(CellId),
    /// State of the running thread alone.
    Own(Location),
    /// Exactly there, but it is not tracked.
    Untracked(Location),
    /// Somewhere there.
    Somewhere(Vec<Touch>),
}

/// What an access does.
enum Does<'o> {
    Read,
    Write(&'o Operand),
    /// Reads and writes; the result is the old value.
    Modify(AtomicRmwOp, &'o Operand),
    Exchange(&'o Operand, &'o Operand),
}

impl Explorer<'_> {
    /// Whether a memory instruction accesses a cell.
    pub(super) fn is_cell(&mut self, m: &Micro, op: &Op) -> bool {
        let (ptr, ty) = match op {
            Op::Load { ptr, ty, .. }
            | Op::Store { ptr, ty, .. }
            | Op::AtomicRmw { ptr, ty, .. }
            | Op::CmpXchg { ptr, ty, .. } => (ptr, ty),
            _ => return false,
        };
        let bytes = self.input.program.size_of(ty);
        let target = self.target(m, ptr, bytes);
        matches!(target, Target::Cell(_))
    }

    /// Where the next instruction of a thread accesses memory, if that is exactly known and means the same place to all threads.
    pub(super) fn exact_access(&self, state: &State) -> Option<Location> {
        let frame = state.frames.last()?;
        let program = self.input.program;
        let f = self.input.points_to.instances()[frame.instance].function;
        let block = &program.functions[f].blocks[frame.block];
        let (ptr, ty) = match &block.instrs.get(frame.index as usize)?.op {
            Op::Load { ptr, ty, .. }
            | Op::Store { ptr, ty, .. }
            | Op::AtomicRmw { ptr, ty, .. }
            | Op::CmpXchg { ptr, ty, .. } => (ptr, ty),
            _ => return None,
        };
        let value = match ptr {
            Operand::Value(v) => frame.env.get(v).cloned(),
            Operand::Const(c) => constant_value(self.input.points_to, c),
        };
        let Some(value @ Val::Ptr(pointer)) = value else {
            return None;
        };
        let bytes = u32::try_from(program.size_of(ty)).ok()?;
        self.is_for_all(&value).then_some(Location {
            kind: Kind::Memory(bytes),
            pointer,
        })
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
                self.bytes_written(m, dst, len)?;
                Ok(Then::Next)
            }
            Op::Primitive { primitive, args } => match (primitive, args.as_slice()) {
                (Primitive::Havoc, [dst, len, ..]) => {
                    self.bytes_written(m, dst, len)?;
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
    fn exact(&self, m: &Micro, ptr: &Operand) -> Result<Pointer, Vec<Address>> {
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
            Ok(pointer) if bytes == 0 || bytes > 8 => {
                Target::Somewhere(vec![touch(somewhere(pointer))])
            }
            Ok(pointer) => {
                let kind = Kind::Memory(bytes as u32);
                self.locate(m, Location { kind, pointer })
            }
        }
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
            (Ok(pointer), Some(kind)) => self.locate(m, Location { kind, pointer }),
            (Ok(pointer), None) => Target::Somewhere(vec![touch(somewhere(pointer))]),
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
        if self.lessons.banned.contains(&location) {
            return Target::Untracked(location);
        }
        let found = |own: bool, cell: CellId| match own {
            true => Target::Own(location),
            false => Target::Cell(cell),
        };
        if let Some(cell) = self.cells.get(&location) {
            return found(location.is_own(), cell);
        }
        let model = m.state.place().is_some_and(|p| {
            let f = points_to.instances()[p.instance].function;
            self.input.program.functions[f].is_model
        });
        let wanted = self.input.memory
            || model
            || matches!(location.kind, Kind::Ghost(..))
            || self.lessons.forced.contains(&location);
        if !wanted {
            return Target::Untracked(location);
        }
        let first = initial(self.input.program, points_to, &location);
        let owned = !self.lessons.shared_owner.contains(&location);
        match self.cells.make(location, first, owned, self.input.fault) {
            Ok(Some(cell)) => found(location.is_own(), cell),
            Ok(None) => Target::Untracked(location),
            Err(written) => {
                // Once is enough: what stands in its way then does so for ever.
                self.again |= self.lessons.forced.insert(written);
                Target::Untracked(location)
            }
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
                    && let Some(cell) = self.cells.write_untracked(location, self.input.fault)
                {
                    self.ban(cell);
                }
                set(m, instr.result, None);
                return Ok(Then::Next);
            }
            Target::Own(location) => {
                let old = self.own_content(m, &location);
                let mut out = Vec::new();
                for (new, result) in self.outcomes(m, does, old) {
                    let mut next = m.clone();
                    if let Some(new) = new {
                        next.state
                            .memory
                            .retain(|l, _| *l == location || !l.overlaps(&location));
                        next.state.memory.insert(location, new);
                    }
                    set(&mut next, instr.result, result);
                    advance(&mut next);
                    out.push(next);
                }
                return Ok(Then::Fork(out));
            }
            Target::Cell(cell) => cell,
        };
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
        let table = &mut self.cells.table[cell];
        let reader = (at.job, at.state);
        if !table.readers.contains(&reader) {
            table.readers.push(reader);
        }
        let mine = table.owned && m.state.mine.contains(&cell);
        let mut out = Vec::new();
        for content in &table.contents {
            // Nobody has written over this thread's number: who does breaks the net.
            if mine && !matches!(content, Content::Of(job, _) if *job == at.job) {
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
                match *job == at.job {
                    true if !owned => vec![me, other],
                    true if m.state.mine.contains(&cell) => vec![me],
                    _ => vec![other],
                }
            }
        }
    }

    /// What an access may come to, given the old value: what is written, and the result.
    #[allow(
        clippy::type_complexity,
        reason = "two optional values, each perhaps not known"
    )]
    fn outcomes(
        &self,
        m: &Micro,
        does: &Does<'_>,
        old: Option<Val>,
    ) -> Vec<(Option<Option<Val>>, Option<Val>)> {
        match does {
            Does::Read => vec![(None, old)],
            Does::Write(value) => vec![(Some(self.eval(m, value)), None)],
            Does::Modify(op, value) => {
                let given = self.eval(m, value);
                let bits = self.bits(m, value).max(1);
                let op = match op {
                    AtomicRmwOp::Xchg => return vec![(Some(given), old)],
                    AtomicRmwOp::Add => BinOp::Add,
                    AtomicRmwOp::Sub => BinOp::Sub,
                    AtomicRmwOp::And => BinOp::And,
                    AtomicRmwOp::Or => BinOp::Or,
                    AtomicRmwOp::Xor => BinOp::Xor,
                    AtomicRmwOp::Nand
                    | AtomicRmwOp::Max
                    | AtomicRmwOp::Min
                    | AtomicRmwOp::UMax
                    | AtomicRmwOp::UMin => return vec![(Some(None), old)],
                };
                let new = arithmetic(op, old.as_ref(), given.as_ref(), bits);
                vec![(Some(new), old)]
            }
            Does::Exchange(expected, new) => {
                let (expected, new) = (self.eval(m, expected), self.eval(m, new));
                let same = match (&old, &expected) {
                    (Some(x), Some(y)) => equal(x, y),
                    _ => None,
                };
                let mut out = Vec::new();
                if same.is_none() && self.has(NetFault::UnknownExchangeFails) {
                    return vec![(None, Some(Val::Tuple(vec![old, Some(Val::Int(0))])))];
                }
                if same != Some(false) {
                    let old = old.clone().or_else(|| expected.clone());
                    let result = Val::Tuple(vec![old, Some(Val::Int(1))]);
                    out.push((Some(new), Some(result)));
                }
                if same != Some(true) {
                    let result = Val::Tuple(vec![old, Some(Val::Int(0))]);
                    out.push((None, Some(result)));
                }
                out
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
        if !self.has(NetFault::OwnerForEver) {
            m.state.mine.remove(&cell);
        }
        let content = match value {
            Some(Val::Id {
                who: Who::Me, add, ..
            }) => {
                if owned {
                    m.state.mine.insert(cell);
                }
                Content::Of(at.job, add)
            }
            Some(v) if self.is_for_all(&v) => Content::Is(v),
            _ => Content::Any,
        };
        let (content, new) = self.cells.content(cell, content, self.input.fault);
        let location = self.cells.table[cell].location;
        if content == Content::Any && matches!(location.kind, Kind::Memory(_)) {
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
            if self.input.fault != Some(NetFault::WritesChangeNothing) {
                entry.1 = content;
            }
        }
        Ok(())
    }

    /// What the thread's own state holds.
    fn own_content(&self, m: &Micro, location: &Location) -> Option<Val> {
        if let Some(known) = m.state.memory.get(location) {
            return known.clone();
        }
        if m.state.memory.keys().any(|l| l.overlaps(location)) {
            return None;
        }
        let stack = matches!(
            self.input.points_to.objects()[location.pointer.object].kind,
            ObjectKind::Stack(_)
        );
        if stack {
            return None;
        }
        match initial(self.input.program, self.input.points_to, location) {
            Content::Is(v) => Some(v),
            _ => None,
        }
    }

    fn bytes_written(&mut self, m: &mut Micro, dst: &Operand, len: &Operand) -> Result<(), Halt> {
        let len = match self.eval(m, len) {
            Some(Val::Int(n)) => n,
            _ => u64::MAX,
        };
        let all = match self.exact(m, dst) {
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
        for (location, known) in &mut m.state.memory {
            if location.is_touched(&touch) {
                *known = None;
            }
        }
        if !self.input.single.contains(touch.address.object.index()) {
            return Ok(());
        }
        if self.has(NetFault::VagueWritesMissCells) {
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
