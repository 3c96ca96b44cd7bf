//! Tracked cells: ghost state and small pieces of memory of single objects, each with the few values that it takes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::faults::{NetFault, seeded};
use crate::index::{IdVec, define_index};
use crate::program::{Const, InitCell, Program};

use super::super::points_to::{Address, ObjectId, ObjectKind, PointsTo};
use super::state::StateId;
use super::value::{JobId, Pointer, Val, Who, cut};

define_index!(
    /// A tracked cell.
    CellId,
    "cell"
);

/// A cell takes so many values; beyond, it is one of which nothing is known.
pub const MAX_VALUES: usize = 8;

/// Memory, or ghost state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// So many bytes of memory.
    Memory(u32),
    /// Ghost state of a key, which may be a constant plus a thread number.
    Ghost(i64, Option<Who>),
}

/// A place of a value: several threads' (a cell) or one thread's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    pub kind: Kind,
    pub pointer: Pointer,
}

impl Location {
    /// Whether only the running thread uses it: it is named by the thread's own number.
    pub fn is_own(&self) -> bool {
        let me = Some(Who::Me);
        let index = self.pointer.index.map(|(who, _)| who);
        index == me || matches!(self.kind, Kind::Ghost(_, who) if who == me)
    }

    /// Whether two locations may share state, if they are not the same one.
    pub fn overlaps(&self, other: &Location) -> bool {
        let (p, q) = (self.pointer, other.pointer);
        if p.object != q.object {
            return false;
        }
        let (m, n) = match (self.kind, other.kind) {
            (Kind::Memory(m), Kind::Memory(n)) => (i64::from(m), i64::from(n)),
            (Kind::Ghost(k, v), Kind::Ghost(l, w)) => {
                let keys = match (v, w) {
                    (None, None) => k == l,
                    (Some(v), Some(w)) if v != w => k != l,
                    (Some(_), Some(_)) => k == l,
                    // The first thread's number is no name: 0 is written as a constant.
                    (Some(_), None) => (k + 1..k + 64).contains(&l),
                    (None, Some(_)) => (l + 1..l + 64).contains(&k),
                };
                if !keys {
                    return false;
                }
                (1, 1)
            }
            _ => return false,
        };
        let d = p.offset - q.offset;
        let plain = |d: i64| -m < d && d < n;
        match (p.index, q.index) {
            (None, None) => plain(d),
            (Some((v, s)), Some((w, t))) if s == t => {
                // Different numbers: another element.
                if v == w {
                    plain(d)
                } else {
                    d.abs() + m.max(n) > s as i64
                }
            }
            (Some((_, s)), None) => {
                let (s, first) = (s as i64, p.offset + s as i64);
                q.offset + n > first && q.offset < p.offset + 64 * s + m
            }
            (None, Some((_, s))) => {
                let (s, first) = (s as i64, q.offset + s as i64);
                p.offset + m > first && p.offset < q.offset + 64 * s + n
            }
            _ => true,
        }
    }

    /// Whether a larger piece of memory is all of this one and more.
    pub fn holds(&self, other: &Location) -> bool {
        let (Kind::Memory(m), Kind::Memory(n)) = (self.kind, other.kind) else {
            return false;
        };
        let (p, q) = (self.pointer, other.pointer);
        let plain = p.index.is_none() && q.index.is_none();
        let ends = |p: Pointer, n: u32| p.offset.saturating_add(i64::from(n));
        plain && p.object == q.object && m > n && p.offset <= q.offset && ends(q, n) <= ends(p, m)
    }

    /// Whether an access of memory (`Some(bytes)`) or ghost state of a key (`None`: of any) somewhere there may touch it.
    pub fn is_touched(&self, touch: &Touch) -> bool {
        if touch.address.object != self.pointer.object {
            return false;
        }
        let len = match (self.kind, touch.bytes) {
            (Kind::Memory(n), Some(_)) => u64::from(n),
            (Kind::Ghost(..), None) => 1,
            _ => return false,
        };
        if let (Kind::Ghost(key, who), Some(other)) = (self.kind, touch.key) {
            let key = i64::from(other) - key;
            let same = match who {
                None => key == 0,
                Some(_) => (0..64).contains(&key),
            };
            if !same {
                return false;
            }
        }
        let at = match self.pointer.index {
            None => Address::at(self.pointer.object, self.pointer.offset),
            Some(_) => return true,
        };
        touch.address.overlaps(touch.bytes.unwrap_or(1), at, len)
    }
}

/// A write that is not followed exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Touch {
    pub address: Address,
    /// Bytes of memory; none for ghost state.
    pub bytes: Option<u64>,
    /// Key of ghost state; none for memory, or if it is not constant.
    pub key: Option<u32>,
}

impl Touch {
    /// Any memory of an object.
    pub fn all_of(object: ObjectId) -> Touch {
        Touch {
            address: Address::anywhere(object),
            bytes: Some(u64::MAX),
            key: None,
        }
    }
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Content {
    /// That value.
    Is(Val),
    /// The number of a thread of a job that may have many, plus a constant.
    Of(JobId, i64),
    /// Anything.
    Any,
}

/// A tracked cell.
pub struct Cell {
    pub location: Location,
    /// Every content met, the initial ones first.
    pub contents: Vec<Content>,
    /// What it holds in the beginning, for each way in which initialisation may end; one for a whole program.
    pub initial: Vec<Content>,
    /// In a driver: whether it is written after initialisation, and whether a condition depends on it.
    pub changes: bool,
    pub tested: bool,
    /// States whose next step depends on the content.
    pub readers: Vec<(JobId, StateId)>,
    /// Whether it is followed by what threads add to it ([`super::counts`]).
    pub counter: bool,
    /// Whether a model accesses it.
    pub by_model: bool,
    /// Whether threads of many are told apart as owners: a thread whose own number is in it is marked as such.
    pub owned: bool,
}

/// What a run of the construction has learned that makes the next one different.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// Never tracked: written where this cannot be followed.
    pub banned: FxHashSet<Location>,
    /// Tracked from the beginning.
    pub forced: FxHashSet<Location>,
    /// Cells into which threads write although another's number is in them.
    pub shared_owner: FxHashSet<Location>,
    /// Cells that are counters, and those that take many values and are none.
    pub counters: FxHashSet<Location>,
    pub no_counters: FxHashSet<Location>,
    /// Words of which parts are accessed, too: of each object.
    pub words: FxHashMap<ObjectId, Vec<Location>>,
    /// Memory of a driver that is written after initialisation and that conditions depend on.
    pub varying: FxHashSet<Location>,
    /// Such memory that is not followed until a run asks for it, if following all of it costs too much; and what was asked for.
    pub deferred: FxHashSet<Location>,
    pub demanded: FxHashSet<Location>,
}

/// All cells.
#[derive(Default)]
pub struct Cells {
    pub table: IdVec<CellId, Cell>,
    index: FxHashMap<Location, CellId>,
    by_object: FxHashMap<ObjectId, Vec<CellId>>,
    touches: FxHashMap<ObjectId, FxHashSet<Touch>>,
    untracked: FxHashMap<ObjectId, FxHashSet<Location>>,
}

impl Cells {
    pub fn get(&self, location: &Location) -> Option<CellId> {
        self.index.get(location).copied()
    }

    /// The cells in an object.
    pub fn within(&self, object: ObjectId) -> &[CellId] {
        self.by_object.get(&object).map_or(&[], Vec::as_slice)
    }

    /// Makes a cell, unless something that is not followed may write it. `Err`: it has been written untracked; to be tracked from
    /// the beginning.
    pub fn make(
        &mut self,
        location: Location,
        initial: Vec<Content>,
        owned: bool,
    ) -> Result<Option<CellId>, Location> {
        let object = location.pointer.object;
        let touched = self
            .touches
            .get(&object)
            .is_some_and(|t| t.iter().any(|t| location.is_touched(t)));
        let overlaps = self
            .within(object)
            .iter()
            .any(|c| self.table[*c].location.overlaps(&location));
        let apart = seeded(NetFault::OverlapsAreApart);
        if touched || overlaps && !apart {
            return Ok(None);
        }
        if let Some(written) = self.untracked.get(&object) {
            if written.contains(&location) {
                return Err(location);
            }
            if !apart && written.iter().any(|w| w.overlaps(&location)) {
                return Ok(None);
            }
        }
        let mut contents: Vec<Content> = Vec::new();
        for content in &initial {
            if !contents.contains(content) {
                contents.push(content.clone());
            }
        }
        let id = self.table.push(Cell {
            location,
            contents,
            initial,
            changes: false,
            tested: false,
            readers: Vec::new(),
            counter: false,
            by_model: false,
            owned,
        });
        self.index.insert(location, id);
        self.by_object.entry(object).or_default().push(id);
        Ok(Some(id))
    }

    /// Notes a write that is not followed. `Some`: it may write that cell, which then must not be tracked.
    pub fn touch(&mut self, touch: Touch) -> Option<Location> {
        if !self
            .touches
            .entry(touch.address.object)
            .or_default()
            .insert(touch)
        {
            return None;
        }
        let hit = self.within(touch.address.object).iter();
        hit.map(|c| self.table[*c].location)
            .find(|l| l.is_touched(&touch))
    }

    /// Notes a write to an exact location that is no cell. `Some`: as for [`Cells::touch`].
    pub fn write_untracked(&mut self, location: Location) -> Option<Location> {
        if seeded(NetFault::OverlapsAreApart) {
            return None;
        }
        let object = location.pointer.object;
        if !self.untracked.entry(object).or_default().insert(location) {
            return None;
        }
        let hit = self.within(object).iter();
        hit.map(|c| self.table[*c].location)
            .find(|l| l.overlaps(&location))
    }

    /// The number of a content of a cell, and whether it is new. What exceeds the bound is `Any`.
    pub fn content(&mut self, cell: CellId, content: Content) -> (Content, bool) {
        let contents = &mut self.table[cell].contents;
        if contents.contains(&content) {
            return (content, false);
        }
        let values = contents.iter().filter(|c| !matches!(c, Content::Of(..)));
        let many = values.count() >= MAX_VALUES && !matches!(content, Content::Of(..));
        let content = if many && seeded(NetFault::FewValues) {
            return (contents[0].clone(), false);
        } else if many {
            Content::Any
        } else {
            content
        };
        if contents.contains(&content) {
            return (content, false);
        }
        contents.push(content.clone());
        (content, true)
    }
}

/// What a location holds before anybody writes it.
pub fn initial(program: &Program, points_to: &PointsTo, location: &Location) -> Content {
    let Kind::Memory(bytes) = location.kind else {
        return Content::Is(Val::Int(0));
    };
    let ObjectKind::Global(g) = points_to.objects()[location.pointer.object].kind else {
        return Content::Any;
    };
    let Some(init) = &program.globals[g].init else {
        return Content::Any;
    };
    if location.pointer.index.is_some() {
        let zero = |c: &InitCell| matches!(&c.value, Const::Null | Const::Int { value: 0, .. });
        return match init.iter().all(zero) {
            true => Content::Is(Val::Int(0)),
            false => Content::Any,
        };
    }
    let (from, to) = (
        location.pointer.offset,
        location.pointer.offset + i64::from(bytes),
    );
    let meets = |c: &&InitCell| {
        let at = c.offset as i64;
        at < to && from < at + i64::from(c.size)
    };
    let mut cells = init.iter().filter(meets);
    match (cells.next(), cells.next()) {
        (None, _) => Content::Is(Val::Int(0)),
        (Some(c), None) if c.offset as i64 == from && c.size == bytes => {
            constant(points_to, &c.value).map_or(Content::Any, Content::Is)
        }
        _ => Content::Any,
    }
}

/// What is known of a constant.
pub fn constant(points_to: &PointsTo, value: &Const) -> Option<Val> {
    match value {
        Const::Int { bits, value } if *bits <= 64 => {
            Some(Val::Int(cut(u64::try_from(*value).ok()?, *bits)))
        }
        Const::Null => Some(Val::Int(0)),
        Const::Addr {
            global,
            offset,
            int_bits: None | Some(64),
        } => Some(Val::Ptr(Pointer {
            object: points_to.object(ObjectKind::Global(*global))?,
            offset: *offset,
            index: None,
        })),
        Const::Func {
            function,
            int_bits: None | Some(64),
        } => Some(Val::Func(*function)),
        Const::Tuple(items) => Some(Val::Tuple(
            items.iter().map(|c| constant(points_to, c)).collect(),
        )),
        _ => None,
    }
}
