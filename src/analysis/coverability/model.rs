//! From the states and steps of threads to a net that asks for races.
//!
//! Abdulla, Haziza, Kindahl, §3: a token is a thread, a place what it is at. Each content of each tracked cell is a place, too; of
//! the places of one cell one has a token. A step takes the thread's token and those of the contents that it reads, and leaves
//! them as they are afterwards. As in the paper, a place beside the control counts the threads that are about to access
//! what is asked for (`Read_v`, `Write_v`): one for each set of accesses that conflict with the same others.
//!
//! In a driver a first transition marks what initialisation may leave, and from then on threads of entry points begin, as far as the
//! tokens that they take are there ([`super::entries`]).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::faults::{NetFault, seeded};
use crate::index::{IdVec, Idx};

use super::super::plan::ConflictPair;
use super::super::regions::Namer;
use super::super::sections::AccessId;
use super::cells::{CellId, Content, Location};
use super::entries::{BudgetId, FactId, SlotId};
use super::explore::{Explorer, Start};
use super::net::{Bag, Net, PlaceId, Transition, bag, sum};
use super::state::{Edge, StateId};
use super::value::{JobId, Val};

/// A net, and what its places and transitions stand for.
pub struct Model {
    pub net: Net,
    /// The cell that a transition writes although it holds another thread's number.
    pub breaks: Vec<Option<CellId>>,
    /// The place of each state of each job.
    pub states: FxHashMap<(JobId, StateId), PlaceId>,
    /// The place that counts the threads in a state, if accesses asked for are about to be made in it.
    pub about: FxHashMap<PlaceId, PlaceId>,
    /// What each step in which accesses asked for are made within a section takes.
    pub sections: Vec<(Bag, Vec<AccessId>, JobId)>,
}

/// The places of what lets entry points of a driver run.
struct Rules {
    /// Initialisation is over.
    go: PlaceId,
    begin: PlaceId,
    slots: IdVec<SlotId, PlaceId>,
    budgets: IdVec<BudgetId, PlaceId>,
    facts: IdVec<FactId, PlaceId>,
}

/// Which side of which conflict.
type Sides = Vec<(u32, bool)>;

/// What a thread is about to access: the sides, and where, if that is known exactly; and the counters to which it has added something.
type About = (Sides, Option<Location>, Vec<CellId>);

struct Maker<'e, 'a> {
    explorer: &'e Explorer<'a>,
    net: Net,
    states: FxHashMap<(JobId, StateId), PlaceId>,
    contents: FxHashMap<(CellId, Content), PlaceId>,
    /// Threads about to make accesses of the same sides.
    about: BTreeMap<About, PlaceId>,
    about_of: FxHashMap<(JobId, StateId), About>,
    rules: Option<Rules>,
    /// The places of threads that have added something to a counter.
    shares: FxHashMap<CellId, Vec<PlaceId>>,
}

/// The net that asks whether two accesses of a conflict may be made at once; without conflicting pairs, whether a thread writes over another's
/// number.
///
/// `more`: budgets of a driver that have one token more than usual.
pub fn model(explorer: &Explorer<'_>, conflict_pairs: &[ConflictPair], more: &[BudgetId]) -> Model {
    let mut maker = Maker {
        explorer,
        net: Net::default(),
        states: FxHashMap::default(),
        contents: FxHashMap::default(),
        about: BTreeMap::new(),
        about_of: FxHashMap::default(),
        rules: None,
        shares: FxHashMap::default(),
    };
    maker.places(conflict_pairs, more);
    let mut breaks = Vec::new();
    let mut sections: Vec<(Bag, Sides)> = Vec::new();
    let mut made: Vec<(Bag, Vec<AccessId>, JobId)> = Vec::new();
    for (job, table) in &explorer.jobs {
        let mut edges: Vec<&Edge> = table.edges.iter().collect();
        edges.sort_unstable();
        for edge in edges {
            let transition = maker.transition(*job, edge);
            let sides = section_sides(edge, conflict_pairs);
            let heard = !seeded(NetFault::SectionsRaceWithNothing);
            if heard && !sides.is_empty() {
                sections.push((transition.pre.clone(), sides));
            }
            if !edge.accesses.is_empty() {
                made.push((transition.pre.clone(), edge.accesses.clone(), *job));
            }
            // A step that only ends a thread changes nothing that is asked for.
            let idle = edge.to.is_none()
                && explorer.running(*job).is_none()
                && edge.starts.is_empty()
                && edge.breaks.is_none()
                && edge.alone.is_empty()
                && edge.cells.iter().all(|(_, x, y)| x == y);
            if !idle {
                maker.net.transitions.push(transition);
                maker.net.labels.push(maker.label(*job, edge));
                breaks.push(edge.breaks);
            }
        }
    }
    maker.begins(&mut breaks);
    maker.targets(conflict_pairs, &sections);
    let mut net = maker.net;
    if conflict_pairs.is_empty() {
        for (n, cell) in breaks.iter().enumerate() {
            if cell.is_some() {
                let t = super::net::TransitionId::new(n);
                net.targets.push(net.transitions[t].pre.clone());
            }
        }
    }
    let about = maker.about_of.iter().filter_map(|(at, about)| {
        let place = maker.states.get(at)?;
        Some((*place, *maker.about.get(about)?))
    });
    let about = about.collect();
    Model {
        net,
        breaks,
        about,
        states: maker.states,
        sections: made,
    }
}

/// The sides of the accesses that a step makes within a section.
fn section_sides(edge: &Edge, conflict_pairs: &[ConflictPair]) -> Sides {
    let mut out = Sides::new();
    for (k, conflict) in conflict_pairs.iter().enumerate() {
        for (second, side) in [(false, &conflict.first), (true, &conflict.second)] {
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
    /// The places that let entry points run; those marked in the beginning.
    fn rules(&mut self, more: &[BudgetId]) -> Vec<PlaceId> {
        let Some(entries) = self.explorer.input.entries else {
            return Vec::new();
        };
        let places = &mut self.net.places;
        let begin = places.push("initialisation".to_string());
        let mut marked = vec![begin];
        let go = places.push("initialised".to_string());
        let mut slots = IdVec::new();
        for name in entries.slots.iter() {
            let place = places.push(name.clone());
            marked.push(place);
            slots.push(place);
        }
        let mut budgets = IdVec::new();
        for (id, (name, n)) in entries.budgets.iter_ids() {
            let place = places.push(name.clone());
            let n = n + u32::from(more.contains(&id));
            marked.extend((0..n).map(|_| place));
            budgets.push(place);
        }
        let mut facts = IdVec::new();
        for name in entries.facts.iter() {
            facts.push(places.push(name.clone()));
        }
        self.rules = Some(Rules {
            go,
            begin,
            slots,
            budgets,
            facts,
        });
        marked
    }

    /// The transitions by which a driver's threads begin.
    fn begins(&mut self, breaks: &mut Vec<Option<CellId>>) {
        let (Some(rules), Some(entries)) = (self.rules.take(), self.explorer.input.entries) else {
            return;
        };
        let mut add = |net: &mut Net, transition: Transition, label: String| {
            net.transitions.push(transition);
            net.labels.push(label);
            breaks.push(None);
        };
        let mut known: Vec<Bag> = Vec::new();
        for n in 0..self.explorer.beginnings.len() {
            let cells = self.explorer.cells.table.iter_ids();
            let contents = cells.filter_map(|(id, cell)| {
                let content = cell.initial.get(n)?.clone();
                self.contents.get(&(id, content)).copied()
            });
            let post = bag(contents.chain([rules.go]));
            if !known.contains(&post) {
                known.push(post.clone());
                let pre = bag([rules.begin]);
                let label = "initialisation".to_string();
                let transition = Transition {
                    pre,
                    post,
                    empties: Vec::new(),
                };
                add(&mut self.net, transition, label);
            }
        }
        for job in self.explorer.jobs.keys() {
            let Start::Entry(n, _) = self.explorer.kinds[*job] else {
                continue;
            };
            let entry = &entries.all[n];
            let kept = entry
                .after
                .iter()
                .map(|f| rules.facts[*f])
                .chain([rules.go]);
            let kept: Vec<PlaceId> = kept.collect();
            let taken = entry.slots.iter().map(|s| rules.slots[*s]);
            let used = entry.budgets.iter().map(|b| rules.budgets[*b]);
            let pre = bag(kept.iter().copied().chain(taken).chain(used));
            let post = bag(kept.into_iter().chain(self.tokens(*job, StateId(0))));
            let label = format!("{} begins", entry.name);
            let transition = Transition {
                pre,
                post,
                empties: Vec::new(),
            };
            add(&mut self.net, transition, label);
        }
    }

    fn places(&mut self, conflict_pairs: &[ConflictPair], more: &[BudgetId]) {
        let explorer = self.explorer;
        let mut sides_at: FxHashMap<_, Sides> = FxHashMap::default();
        for (k, conflict) in conflict_pairs.iter().enumerate() {
            for (second, side) in [(false, &conflict.first), (true, &conflict.second)] {
                for access in side.accesses.iter() {
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
                for cell in state.counts.keys() {
                    self.shares.entry(*cell).or_default().push(place);
                }
                let Some(at) = state.place().filter(|_| !state.fresh) else {
                    continue;
                };
                let mut sides = Sides::new();
                for n in explorer.closures.asked(at) {
                    sides.extend(sides_at.get(&(at.instance, *n)).into_iter().flatten());
                }
                sides.sort_unstable();
                sides.dedup();
                if !sides.is_empty() && !explorer.is_private_at(state) {
                    let place = explorer.exact_access(state);
                    let counts = state.counts.keys().copied().collect();
                    self.about_of.insert((*job, id), (sides, place, counts));
                }
            }
        }
        let main = (JobId(0), StateId(0));
        let mut initial: Vec<PlaceId> = self.states.get(&main).copied().into_iter().collect();
        initial.extend(self.rules(more));
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
                if n == 0 && explorer.input.entries.is_none() {
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
            for cell in &about.2 {
                self.shares.entry(*cell).or_default().push(place);
            }
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
        } else if let (Some(entry), Some(rules)) = (self.explorer.running(job), &self.rules) {
            post.extend(entry.slots.iter().map(|s| rules.slots[*s]));
            post.extend(entry.gives.iter().map(|f| rules.facts[*f]));
            post.extend(entry.returns.iter().map(|b| rules.budgets[*b]));
            let opened = entry.opened.iter().filter(|_| edge.opened);
            post.extend(opened.map(|b| rules.budgets[*b]));
        }
        for start in &edge.starts {
            post.extend(self.tokens(*start, StateId(0)));
        }
        for (cell, before, after) in &edge.cells {
            pre.extend(self.contents.get(&(*cell, before.clone())));
            post.extend(self.contents.get(&(*cell, after.clone())));
        }
        let mut empties: Vec<PlaceId> = Vec::new();
        for cell in &edge.alone {
            empties.extend(self.shares.get(cell).into_iter().flatten());
        }
        empties.sort_unstable();
        empties.dedup();
        Transition {
            pre: bag(pre),
            post: bag(post),
            empties,
        }
    }

    fn targets(&mut self, conflict_pairs: &[ConflictPair], sections: &[(Bag, Sides)]) {
        if conflict_pairs.is_empty() {
            return;
        }
        let about: Vec<(&About, PlaceId)> = self.about.iter().map(|(a, p)| (a, *p)).collect();
        for (n, ((x, here, _), p)) in about.iter().enumerate() {
            for ((y, there, _), q) in about.iter().skip(n) {
                let twins = p == q && seeded(NetFault::TwinsNeverMeet);
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
