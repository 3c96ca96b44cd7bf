//! What initialisation leaves: one thread, executed abstractly while nobody else runs.
//!
//! A forward analysis over stacks of places: what is met at one place in a few different ways is kept apart, what is met in more is
//! joined (a value on which two disagree is not known). All memory of single objects belongs to the thread; a write that cannot be
//! followed covers what it may reach ([`Cover`]). Unlike an execution it cuts no loop short, so what it says of the end holds for every
//! initialisation that succeeds.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::environment::contract::OPEN;
use crate::faults::{DriverFault, seeded};
use crate::index::{BlockId, Idx};
use crate::program::{Op, Terminator};

use super::super::points_to::{InstanceId, ObjectId, ObjectKind, Place};
use super::cells::{Content, Kind, Location, Touch, initial};
use super::explore::{Advance, At, Explorer, Halt, Input};
use super::state::{Cover, Env, Frame, Micro, State, StateId};
use super::value::{JobId, Val};

/// Ways to meet one place of the driver that are kept apart.
const APART: usize = 4;
/// Those in which different values are known.
const MORE_APART: usize = 16;
/// Writes noted that cannot be followed.
const MAX_COVERS: usize = 300;

/// Where a thread is: its stack, and the nesting of sections.
type Key = (Vec<Place>, u32, Open);

/// Which files are open: what guards open files (one client at a time) goes with it.
type Open = Vec<(Location, Option<Val>)>;

/// The ways to meet a place.
#[derive(Default)]
struct Ways {
    all: Vec<Micro>,
    /// Those that know the same values are one.
    grouped: bool,
    /// All are one.
    joined: bool,
}

impl Explorer<'_> {
    /// Executes what runs before all threads, and keeps what it may leave.
    pub(super) fn begin(&mut self, init: InstanceId) -> Result<(), Halt> {
        self.alone = true;
        let result = self.alone(init);
        self.alone = false;
        self.beginnings = result?;
        if seeded(DriverFault::OneBeginning) {
            self.beginnings.truncate(1);
        }
        if self.beginnings.is_empty() {
            return Err(Halt::Never("initialisation does not end".to_string()));
        }
        Ok(())
    }

    fn alone(&mut self, init: InstanceId) -> Result<Vec<Micro>, Halt> {
        let at = At {
            job: JobId(0),
            state: StateId(0),
            once: true,
        };
        let first = Micro {
            state: State {
                frames: vec![Frame {
                    instance: init,
                    block: BlockId(0),
                    index: 0,
                    env: Env::default(),
                }],
                memory: Arc::default(),
                mine: BTreeSet::new(),
                unpublished: BTreeSet::new(),
                counts: BTreeMap::new(),
                opened: false,
                fresh: false,
            },
            begun: true,
            again: false,
            passed: false,
            later: false,
            depth: 0,
            cells: BTreeMap::new(),
            counts: BTreeMap::new(),
            starts: Vec::new(),
            accesses: BTreeSet::new(),
            breaks: None,
            covers: Vec::new(),
        };
        let mut ways: FxHashMap<Key, Ways> = FxHashMap::default();
        let mut ends: BTreeMap<Open, Ways> = BTreeMap::new();
        let mut work: VecDeque<Micro> = VecDeque::from([first]);
        while let Some(micro) = work.pop_back() {
            match self.advance(at, micro)? {
                Advance::Fork(further) => {
                    for mut m in further {
                        m.accesses.clear();
                        if m.covers.len() > MAX_COVERS {
                            return Err(Halt::Never(
                                "initialisation writes too much that cannot be followed"
                                    .to_string(),
                            ));
                        }
                        // Within a block, what forks is told apart by what is known: to join it again would lose it. So would it be where a
                        // block is nothing but a branch, which is executed again for each way.
                        if m.again || !self.at_block(&m) {
                            work.push_back(m);
                            continue;
                        }
                        let path = m.state.frames.iter().map(Frame::place).collect();
                        let here = ways.entry((path, m.depth, open(&m))).or_default();
                        work.extend(self.meet(here, m));
                    }
                }
                Advance::Ends(m) if m.state.frames.is_empty() => {
                    self.meet(ends.entry(open(&m)).or_default(), m);
                }
                // It waits for ever, or fails: nothing runs after it.
                Advance::Ends(_) => {}
                Advance::Step(m) => work.push_back(m),
            }
        }
        Ok(ends.into_values().flat_map(|w| w.all).collect())
    }

    /// Whether a thread has just come to a block.
    fn at_block(&self, m: &Micro) -> bool {
        let Some(place) = m.state.place() else {
            return false;
        };
        let f = self.input.points_to.instances()[place.instance].function;
        let block = &self.input.program.functions[f].blocks[place.block];
        let mut phis = block.instrs.iter();
        let first = phis.position(|i| !matches!(i.op, Op::Phi(_)));
        place.index as usize == first.unwrap_or(block.instrs.len())
    }

    /// Adds a way to meet a place; what is to be gone on with.
    fn meet(&self, ways: &mut Ways, m: Micro) -> Option<Micro> {
        if ways.all.contains(&m) {
            return None;
        }
        if !ways.joined && !ways.grouped && ways.all.len() < APART {
            ways.all.push(m.clone());
            return Some(m);
        }
        if seeded(DriverFault::JoinKeepsOne) {
            return None;
        }
        // Joined is first what knows the same values: what a function returns tells how it went.
        let alike = |w: &Micro| w.state.frames == m.state.frames;
        let like = !ways.joined && ways.all.iter().any(alike);
        if !ways.joined && !like && ways.all.len() < MORE_APART {
            ways.all.push(m.clone());
            return Some(m);
        }
        let all = std::mem::take(&mut ways.all);
        let (same, others): (Vec<Micro>, Vec<Micro>) =
            all.into_iter().partition(|w| !like || alike(w));
        let joined = same.iter().fold(m, |m, other| self.join(other, &m));
        let known = same.len() == 1 && same[0] == joined;
        ways.grouped = true;
        ways.joined |= !like;
        ways.all = others;
        ways.all.push(joined.clone());
        (!known).then_some(joined)
    }

    /// What is true of both.
    fn join(&self, x: &Micro, y: &Micro) -> Micro {
        let mut out = x.clone();
        for (frame, other) in out.state.frames.iter_mut().zip(&y.state.frames) {
            frame.env.retain(|v, known| other.env.get(v) == Some(known));
        }
        let same = x.covers.iter().zip(&y.covers).take_while(|(a, b)| a == b);
        let same = same.count();
        out.covers.truncate(same);
        for cover in x.covers[same..].iter().chain(&y.covers[same..]) {
            let vague = Cover {
                zero: false,
                ..*cover
            };
            if !out.covers[same..].contains(&vague) {
                out.covers.push(vague);
            }
        }
        let mut memory: BTreeMap<Location, Option<Val>> = BTreeMap::new();
        for location in x.state.memory.keys().chain(y.state.memory.keys()) {
            let (a, b) = (self.held(x, location), self.held(y, location));
            memory.insert(*location, if a == b { a } else { None });
        }
        out.state.memory = Arc::new(memory);
        out
    }

    /// What a location holds while nobody else runs.
    pub(super) fn held(&self, m: &Micro, location: &Location) -> Option<Val> {
        if let Some(known) = m.state.memory.get(location) {
            return known.clone();
        }
        if m.state.memory.keys().any(|l| l.overlaps(location)) {
            return None;
        }
        for cover in m.covers.iter().rev() {
            if !location.is_touched(&cover.touch) {
                continue;
            }
            return match cover.zero && within(location, &cover.touch) {
                true => Some(Val::Int(0)),
                false => None,
            };
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

    /// Notes a write to an exact location while nobody else runs.
    pub(super) fn hold(&self, m: &mut Micro, location: Location, value: Option<Val>) {
        if m.state.memory.get(&location) == Some(&value) {
            return;
        }
        let memory = Arc::make_mut(&mut m.state.memory);
        for (other, known) in memory.iter_mut() {
            if *other != location && other.overlaps(&location) {
                *known = None;
            }
        }
        memory.insert(location, value);
    }

    /// Notes a write that no location tells, while nobody else runs.
    pub(super) fn cover(&self, m: &mut Micro, cover: Cover) {
        // Of other objects nothing is known anyway.
        let object = cover.touch.address.object;
        let points_to = self.input.points_to;
        let stack = matches!(points_to.objects()[object].kind, ObjectKind::Stack(_));
        let own = stack && !points_to.is_shared(object);
        if !own && !self.input.single.contains(object.index()) {
            return;
        }
        for (location, known) in Arc::make_mut(&mut m.state.memory) {
            if location.is_touched(&cover.touch) {
                *known = (cover.zero && within(location, &cover.touch)).then_some(Val::Int(0));
            }
        }
        if cover.zero {
            // What loops write again and again is noted once.
            let mut segment = 0;
            let mut kept: Vec<Cover> = Vec::new();
            for c in m.covers.drain(..).filter(|c| c != &cover) {
                if c.zero {
                    kept.push(c);
                    segment = kept.len();
                } else if !kept[segment..].contains(&c) {
                    kept.push(c);
                }
            }
            m.covers = kept;
        } else {
            // Not again, if nothing was zeroed since.
            let last = m.covers.iter().rposition(|c| c.zero).map_or(0, |n| n + 1);
            if m.covers[last..].contains(&cover) {
                return;
            }
        }
        m.covers.push(cover);
    }

    /// What a location holds when threads begin, for each way in which initialisation may end.
    pub(super) fn beginning(&self, location: &Location) -> Vec<Content> {
        if seeded(DriverFault::BeginsAsLoaded) {
            return vec![initial(self.input.program, self.input.points_to, location)];
        }
        let one = |m: &Micro| match self.held(m, location) {
            Some(v) if self.is_for_all(&v) => Content::Is(v),
            _ => Content::Any,
        };
        self.beginnings.iter().map(one).collect()
    }
}

/// Which files are open.
fn open(m: &Micro) -> Open {
    let is = |l: &Location| matches!(l.kind, Kind::Ghost(k, None) if k == i64::from(OPEN));
    let all = m.state.memory.iter().filter(|(l, _)| is(l));
    all.map(|(l, v)| (*l, v.clone())).collect()
}

/// Whether a location lies within what is written, exactly.
fn within(location: &Location, touch: &Touch) -> bool {
    let (Kind::Memory(bytes), Some(len)) = (location.kind, touch.bytes) else {
        return false;
    };
    let Some(from) = touch.address.offset() else {
        return false;
    };
    let at = location.pointer.offset;
    location.pointer.index.is_none()
        && touch.address.object.index() == location.pointer.object.index()
        && from <= at
        && i128::from(at) + i128::from(bytes) <= i128::from(from) + i128::from(len)
}

/// What these functions may return.
pub(super) fn files(input: &Input<'_>) -> FxHashSet<ObjectId> {
    let mut out = FxHashSet::default();
    for (id, instance) in input.points_to.instances().iter_ids() {
        let function = &input.program.functions[instance.function];
        if !input.program.harness.files.contains(&instance.function) {
            continue;
        }
        for block in function.blocks.iter() {
            if let Terminator::Return(Some(value)) = &block.term {
                let targets = input.points_to.targets_in(id, value);
                out.extend(targets.into_iter().map(|a| a.object));
            }
        }
    }
    out
}
