//! From the states and steps of threads to a net that asks for races.
//!
//! Abdulla, Haziza, Kindahl, §3: a token is a thread, a place what it is at. Each content of each tracked cell is a place, too; of
//! the places of one cell one has a token. A step takes the thread's token and those of the contents that it reads, and leaves
//! them as they are afterwards. As in the paper, a place beside the control counts the threads that are about to access
//! what is asked for (`Read_v`, `Write_v`): one for each set of accesses that conflict with the same others.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::index::Idx;

use super::super::plan::Contest;
use super::super::regions::Namer;
use super::cells::{CellId, Content, Location};
use super::explore::Explorer;
use super::faults::NetFault;
use super::net::{Bag, Net, PlaceId, Transition, bag, sum};
use super::state::{Edge, StateId};
use super::value::{JobId, Val};

/// A net, and what its places and transitions stand for.
pub struct Model {
    pub net: Net,
    /// The cell that a transition writes although it holds another thread's number.
    pub breaks: Vec<Option<CellId>>,
}

/// Which side of which contest.
type Sides = Vec<(u32, bool)>;

/// What a thread is about to access: the sides, and where, if that is known exactly.
type About = (Sides, Option<Location>);

struct Maker<'e, 'a> {
    explorer: &'e Explorer<'a>,
    net: Net,
    states: FxHashMap<(JobId, StateId), PlaceId>,
    contents: FxHashMap<(CellId, Content), PlaceId>,
    /// Threads about to make accesses of the same sides.
    about: BTreeMap<About, PlaceId>,
    about_of: FxHashMap<(JobId, StateId), About>,
}

/// The net that asks whether two accesses of a contest may be made at once; without contests, whether a thread writes over another's
/// number.
pub fn model(explorer: &Explorer<'_>, contests: &[Contest]) -> Model {
    let mut maker = Maker {
        explorer,
        net: Net::default(),
        states: FxHashMap::default(),
        contents: FxHashMap::default(),
        about: BTreeMap::new(),
        about_of: FxHashMap::default(),
    };
    maker.places(contests);
    let mut breaks = Vec::new();
    let mut sections: Vec<(Bag, Sides)> = Vec::new();
    for (job, table) in &explorer.jobs {
        let mut edges: Vec<&Edge> = table.edges.iter().collect();
        edges.sort_unstable();
        for edge in edges {
            let transition = maker.transition(*job, edge);
            let sides = section_sides(edge, contests);
            let heard = explorer.input.fault != Some(NetFault::SectionsRaceWithNothing);
            if heard && !sides.is_empty() {
                sections.push((transition.pre.clone(), sides));
            }
            // A step that only ends a thread changes nothing that is asked for.
            let idle = edge.to.is_none()
                && edge.starts.is_empty()
                && edge.breaks.is_none()
                && edge.cells.iter().all(|(_, x, y)| x == y);
            if !idle {
                maker.net.transitions.push(transition);
                maker.net.labels.push(maker.label(*job, edge));
                breaks.push(edge.breaks);
            }
        }
    }
    maker.targets(contests, &sections);
    let mut net = maker.net;
    if contests.is_empty() {
        for (n, cell) in breaks.iter().enumerate() {
            if cell.is_some() {
                let t = super::net::TransitionId::new(n);
                net.targets.push(net.transitions[t].pre.clone());
            }
        }
    }
    Model { net, breaks }
}

/// The sides of the accesses that a step makes within a section.
fn section_sides(edge: &Edge, contests: &[Contest]) -> Sides {
    let mut out = Sides::new();
    for (k, contest) in contests.iter().enumerate() {
        for (second, side) in [(false, &contest.first), (true, &contest.second)] {
            let makes = || edge.accesses.iter().any(|a| side.accesses.contains(a));
            if !side.unmarked && makes() {
                out.push((k as u32, second));
            }
        }
    }
    out
}

/// Whether two threads that make accesses of these sides race.
fn meet(x: &Sides, y: &Sides) -> bool {
    x.iter().any(|(k, second)| y.contains(&(*k, !second)))
}

impl Maker<'_, '_> {
    fn places(&mut self, contests: &[Contest]) {
        let explorer = self.explorer;
        let mut sides_at: FxHashMap<_, Sides> = FxHashMap::default();
        for (k, contest) in contests.iter().enumerate() {
            for (second, side) in [(false, &contest.first), (true, &contest.second)] {
                for access in &side.accesses {
                    let sides: &mut Sides = sides_at.entry(*access).or_default();
                    sides.push((k as u32, second));
                }
            }
        }
        for (job, table) in &explorer.jobs {
            for (id, state) in table.states.iter_ids() {
                let name = format!("{job}.{id}");
                let place = self.net.places.push(name);
                self.states.insert((*job, id), place);
                let Some(at) = state.place().filter(|_| !state.fresh) else {
                    continue;
                };
                let mut sides = Sides::new();
                for n in explorer.closures.asked(at) {
                    sides.extend(sides_at.get(&(at.instance, *n)).into_iter().flatten());
                }
                sides.sort_unstable();
                sides.dedup();
                if !sides.is_empty() {
                    let place = explorer.exact_access(state);
                    self.about_of.insert((*job, id), (sides, place));
                }
            }
        }
        let main = (JobId(0), StateId(0));
        let mut initial: Vec<PlaceId> = self.states.get(&main).copied().into_iter().collect();
        let namer = Namer::new(explorer.input.program, explorer.input.points_to);
        for (id, cell) in explorer.cells.table.iter_ids() {
            if cell.location.is_own() {
                continue;
            }
            let object = namer.object(cell.location.pointer.object);
            for (n, content) in cell.contents.iter().enumerate() {
                let name = format!(
                    "{object}+{}={}",
                    cell.location.pointer.offset,
                    text(content)
                );
                let place = self.net.places.push(name);
                self.contents.insert((id, content.clone()), place);
                if n == 0 {
                    initial.push(place);
                }
            }
        }
        self.net.initial = bag(initial);
        let mut all: Vec<&About> = self.about_of.values().collect();
        all.sort_unstable();
        all.dedup();
        for (n, about) in all.into_iter().enumerate() {
            let place = self.net.places.push(format!("access {n}"));
            self.about.insert(about.clone(), place);
        }
    }

    /// What a thread's token in a state is: the state's place, and that of what it is about to access.
    fn tokens(&self, job: JobId, state: StateId) -> Vec<PlaceId> {
        let about = self.about_of.get(&(job, state));
        let about = about.and_then(|a| self.about.get(a)).copied();
        self.states
            .get(&(job, state))
            .copied()
            .into_iter()
            .chain(about)
            .collect()
    }

    fn transition(&self, job: JobId, edge: &Edge) -> Transition {
        let mut pre = self.tokens(job, edge.from);
        let mut post: Vec<PlaceId> = Vec::new();
        if let Some(to) = edge.to {
            post.extend(self.tokens(job, to));
        }
        for start in &edge.starts {
            post.extend(self.tokens(*start, StateId(0)));
        }
        for (cell, before, after) in &edge.cells {
            pre.extend(self.contents.get(&(*cell, before.clone())));
            post.extend(self.contents.get(&(*cell, after.clone())));
        }
        Transition {
            pre: bag(pre),
            post: bag(post),
        }
    }

    fn targets(&mut self, contests: &[Contest], sections: &[(Bag, Sides)]) {
        if contests.is_empty() {
            return;
        }
        let about: Vec<(&About, PlaceId)> = self.about.iter().map(|(a, p)| (a, *p)).collect();
        for (n, ((x, here), p)) in about.iter().enumerate() {
            for ((y, there), q) in about.iter().skip(n) {
                let twins = p == q && self.explorer.input.fault == Some(NetFault::TwinsNeverMeet);
                let apart = match (here, there) {
                    (Some(a), Some(b)) => a != b && !a.overlaps(b),
                    _ => false,
                };
                if meet(x, y) && !twins && !apart {
                    self.net.targets.push(bag([*p, *q]));
                }
            }
            for (pre, y) in sections {
                if meet(x, y) {
                    self.net.targets.push(sum(pre, &[(*p, 1)]));
                }
            }
        }
    }

    fn label(&self, job: JobId, edge: &Edge) -> String {
        let explorer = self.explorer;
        let state = &explorer.jobs[&job].states[edge.from];
        let Some(place) = state.place() else {
            return format!("{job}");
        };
        let f = explorer.input.points_to.instances()[place.instance].function;
        let function = &explorer.input.program.functions[f];
        let block = &function.blocks[place.block];
        let loc = block
            .instrs
            .get(place.index as usize)
            .map_or(block.term_loc, |i| i.loc);
        let at = explorer.input.program.source.describe(loc);
        format!("{job} {} {at}", function.name)
    }
}

/// A content, for people.
fn text(content: &Content) -> String {
    match content {
        Content::Is(Val::Int(n)) => n.to_string(),
        Content::Is(Val::NonZero) => "not 0".to_string(),
        Content::Is(Val::Func(f)) => format!("{f}"),
        Content::Is(Val::Ptr(p)) => format!("&{}+{}", p.object, p.offset),
        Content::Is(Val::Id { who, add }) => format!("{who:?}+{add}"),
        Content::Is(v) => format!("{v:?}"),
        Content::Of(job, add) => format!("one of {job}+{add}"),
        Content::Any => "any".to_string(),
    }
}
