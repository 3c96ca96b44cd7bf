//! Proofs for a driver: one net of all of its entry points, asked for every pair's candidates.
//!
//! The net is made once, without the places that count accesses (`Read_v`): a question is about two states of threads. Which two states there
//! can be at once ([`Pairs`]) answers most; what is left is searched for, within bounds that keep a driver's proofs cheaper than
//! its locksets.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{EntryId, Idx, SiteId};
use crate::program::Program;
use crate::region::Region;

use super::super::lockset::single;
use super::super::plan::{ConflictPair, PlannedRegion};
use super::super::points_to::{InstanceId, ObjectId, ObjectKind, PointsTo};
use super::super::sections::AccessId;
use super::super::threads::{closure, starts};
use super::backward::Answer;
use super::cells::Location;
use super::entries::{BudgetId, Copies, Entries};
use super::explore::{Bounds, Explorer, Input};
use super::model::{Model, model};
use super::net::{Bag, Net, PlaceId, TransitionId, bag, sum};
use super::pairs::Pairs;
use super::run::{Step, accessed, reached, steps};
use super::value::JobId;
use super::{MAX_SHARED, Settings, decide};

/// What a driver's net may cost.
const BOUNDS: Bounds = Bounds {
    states: 4_000,
    instructions: 600_000,
    total: 2_000_000,
};
/// Markings met in one search, and in all searches for one driver.
const MARKINGS: u64 = 10_000;
const ALL_MARKINGS: u64 = 150_000;
/// Questions of one region that are searched for.
const MAX_TARGETS: usize = 60;
/// Times that memory is followed that was not before, because runs access it.
const MAX_REFINEMENTS: u32 = 6;
/// A net with more transitions is not searched: what pairs of states tell has to be enough.
const SEARCHED: usize = 4_000;

/// What is asked of a driver: the candidates of one pair of entry points.
pub struct Asked<'a> {
    /// The entry points.
    pub pair: [EntryId; 2],
    /// The candidates.
    pub regions: &'a [PlannedRegion],
    /// A budget that both entry points of the pair use: there is one token more.
    pub more: Option<BudgetId>,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Proved {
    /// Names of the regions proved, for each item asked.
    pub regions: Vec<BTreeSet<Region>>,
    /// Sites of accesses asked about that some run of the net gets to, as far as pairs tell.
    pub reached: BTreeSet<SiteId>,
    /// The net, if it is to be kept, with all that is asked of it; twice if some is asked with one token more.
    pub nets: Vec<Net>,
    /// Why there is no net.
    pub why: Option<String>,
    /// For candidates that the net gets to: how.
    pub runs: BTreeMap<(usize, Region), Vec<Step>>,
    /// Why others are not proved.
    pub open: BTreeMap<(usize, Region), String>,
    /// Counts.
    pub stats: BTreeMap<String, u64>,
    asked_before: bool,
}

/// The objects of which there is one, whatever runs: those made by threads that there may be many of are not among them.
fn single(program: &Program, points_to: &PointsTo, entries: &Entries) -> FixedBitSet {
    let mut single = single::objects(program, points_to);
    let roots: Vec<InstanceId> = entries.all.iter().map(|e| e.start).collect();
    let mut later = closure(points_to, roots);
    for (_, start) in starts(points_to, &later.clone()) {
        later.union_with(&closure(points_to, vec![start]));
    }
    let mut order: Vec<ObjectId> = points_to.objects().ids().collect();
    order.sort_by_key(|o| (points_to.objects()[*o].depth, *o));
    for id in order {
        let by_many = match points_to.objects()[id].kind {
            ObjectKind::Stack(p) | ObjectKind::Heap(p) | ObjectKind::Lazy(p) => {
                later.contains(p.instance.index())
            }
            ObjectKind::Child(address) => !single.contains(address.object.index()),
            _ => false,
        };
        if by_many {
            single.set(id.index(), false);
        }
    }
    single
}

/// Proves what it can of what is asked.
pub fn prove(
    program: &Program,
    points_to: &PointsTo,
    entries: &Entries,
    asked: &[Asked<'_>],
    settings: &Settings,
) -> Proved {
    let mut proved = Proved {
        regions: vec![BTreeSet::new(); asked.len()],
        ..Proved::default()
    };
    let accesses: FxHashSet<AccessId> = asked
        .iter()
        .flat_map(|a| a.regions)
        .flat_map(|r| &r.conflict_pairs)
        .flat_map(|c| c.first.accesses.iter().chain(c.second.accesses.iter()))
        .map(|a| entries.copies.of(*a))
        .collect();
    if accesses.is_empty() {
        return proved;
    }
    let single = single(program, points_to, entries);
    let input = Input {
        program,
        points_to,
        single: &single,
        asked: &accesses,
        memory: true,
        entries: Some(entries),
        limits: BOUNDS,
        deadline: settings.deadline,
    };
    let mut explorer = Explorer::new(&input);
    let mut settled = settle(&mut explorer, entries);
    if settled.is_err() && explorer.too_large {
        explorer.follow_less();
        settled = settle(&mut explorer, entries);
    }
    if let Err(why) = settled {
        proved.count("constructions", u64::from(explorer.rounds));
        proved.count("drivers without a net", 1);
        proved.why = Some(why);
        return proved;
    }
    let mut left = ALL_MARKINGS;
    for refinements in 0..=MAX_REFINEMENTS {
        let read = proved.ask_all(&explorer, (entries, asked), settings, &mut left);
        let more = explorer.demand(read) && settings.deadline.passed().is_none();
        // What the nets so far prove, they do.
        if !more || refinements == MAX_REFINEMENTS || settle(&mut explorer, entries).is_err() {
            break;
        }
        proved.count("refinements", 1);
    }
    proved.count("constructions", u64::from(explorer.rounds));
    proved.count("markings met", ALL_MARKINGS - left);
    proved
}

impl Proved {
    fn count(&mut self, name: &str, n: u64) {
        *self.stats.entry(format!("net: {name}")).or_default() += n;
    }

    /// Asks for all that is not proved yet. Returns where the runs access memory, in their order.
    fn ask_all(
        &mut self,
        explorer: &Explorer<'_>,
        (entries, asked): (&Entries, &[Asked<'_>]),
        settings: &Settings,
        left: &mut u64,
    ) -> Vec<Vec<Location>> {
        let mut nets: BTreeMap<Option<BudgetId>, Questions> = BTreeMap::new();
        let mut read = Vec::new();
        let mut reached = BTreeSet::new();
        self.runs.clear();
        self.open.clear();
        for (n, pair) in asked.iter().enumerate() {
            let questions = nets.entry(pair.more).or_insert_with(|| {
                let questions = Questions::new(explorer, pair.more);
                self.count("places", questions.model.net.places.len() as u64);
                self.count("transitions", questions.model.net.transitions.len() as u64);
                reached.extend(questions.reached(explorer));
                questions
            });
            for region in pair.regions {
                if settings.deadline.passed().is_some() {
                    break;
                }
                if self.regions[n].contains(&region.name) {
                    continue;
                }
                self.count("regions asked", 1);
                let told = match entries.without(&pair.pair) {
                    // Of a thread that it does not have, the net says nothing.
                    Some(why) => Told::Open(why),
                    None => questions.ask(
                        explorer,
                        (region, pair.pair),
                        &entries.copies,
                        settings,
                        left,
                    ),
                };
                match told {
                    Told::Proved => {
                        self.count("regions proved", 1);
                        self.regions[n].insert(region.name.clone());
                    }
                    Told::Reached(run, at) => {
                        read.push(at);
                        self.runs.insert((n, region.name.clone()), run);
                    }
                    Told::Open(why) => {
                        self.count("regions not decided", 1);
                        self.open.insert((n, region.name.clone()), why);
                    }
                }
            }
        }
        // What is reached is reached in every net.
        match self.asked_before {
            true => self.reached.retain(|s| reached.contains(s)),
            false => self.reached = reached,
        }
        self.asked_before = true;
        if settings.keep {
            self.nets = nets.into_values().map(Questions::all).collect();
        }
        read
    }
}

/// Explores until nobody writes over another's number in a cell in which owners are told apart.
fn settle(explorer: &mut Explorer<'_>, entries: &Entries) -> Result<(), String> {
    let all: Vec<BudgetId> = entries.budgets.ids().collect();
    for _ in 0..MAX_SHARED {
        explorer.run_entries(entries)?;
        let model = model(explorer, &[], &all);
        let pairs = Pairs::solve(&model.net);
        let mut broken: Vec<_> = Vec::new();
        for (n, cell) in model.breaks.iter().enumerate() {
            if cell.is_some() && pairs.fires(&model.net.transitions[TransitionId::new(n)]) {
                broken.extend(*cell);
            }
        }
        if broken.is_empty() {
            return Ok(());
        }
        explorer.share(&broken);
    }
    Err("too many locks are released by threads that do not hold them".to_string())
}

/// What thread is about to make an access.
#[derive(Clone)]
struct About {
    /// Its state.
    place: PlaceId,
    /// Where the access goes, if that is exactly known.
    at: Option<Location>,
    runs: Runs,
}

/// What a thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Runs {
    Entry(EntryId),
    /// What comes before others alone.
    First,
    /// What a thread has started.
    Started,
}

/// Two accesses of threads of a pair, and whether each counts only outside of sections.
type Two = (AccessId, AccessId, bool, bool, [EntryId; 2]);

/// Whether two threads are those of a pair: one each, or what these start.
fn are([x, y]: [Runs; 2], [a, b]: [EntryId; 2]) -> bool {
    let may = |r: Runs, e: EntryId| r == Runs::Started || r == Runs::Entry(e);
    may(x, a) && may(y, b) || may(x, b) && may(y, a)
}

/// What threads of a job run.
fn runs(explorer: &Explorer<'_>, job: JobId) -> Runs {
    match explorer.running(job) {
        Some(entry) => entry.number.map_or(Runs::First, Runs::Entry),
        None => Runs::Started,
    }
}

/// What a net says of a region.
enum Told {
    /// No two accesses meet.
    Proved,
    /// So they do.
    Reached(Vec<Step>, Vec<Location>),
    /// Why it says nothing.
    Open(String),
}

/// A net and what is known of it.
struct Questions {
    model: Model,
    pairs: Pairs,
    /// Where each access is about to be made.
    about: FxHashMap<AccessId, Vec<About>>,
    /// The steps that make it within a section, by number.
    within: FxHashMap<AccessId, Vec<(usize, Runs)>>,
    /// Sites of accesses to what nobody else can find.
    private: BTreeSet<SiteId>,
    /// Accesses that may be made at once, as far as pairs tell: the questions.
    open: FxHashMap<Two, Vec<Bag>>,
}

impl Questions {
    fn new(explorer: &Explorer<'_>, more: Option<BudgetId>) -> Questions {
        let more: Vec<BudgetId> = more.into_iter().collect();
        let model = model(explorer, &[], &more);
        let pairs = Pairs::solve(&model.net);
        let mut about: FxHashMap<AccessId, Vec<About>> = FxHashMap::default();
        let mut private = BTreeSet::new();
        for (job, table) in &explorer.jobs {
            let runs = runs(explorer, *job);
            for (id, state) in table.states.iter_ids() {
                let Some(at) = state.place().filter(|_| !state.fresh) else {
                    continue;
                };
                if explorer.is_private_at(state) {
                    let site = explorer.instr_at(at).and_then(|i| i.site);
                    private.extend(site.filter(|_| !explorer.closures.asked(at).is_empty()));
                    continue;
                }
                for n in explorer.closures.asked(at) {
                    let place = model.states[&(*job, id)];
                    let location = explorer.exact_access(state);
                    let access = (at.instance, *n);
                    about.entry(access).or_default().push(About {
                        place,
                        at: location,
                        runs,
                    });
                }
            }
        }
        private.extend(&explorer.private);
        let mut within: FxHashMap<AccessId, Vec<(usize, Runs)>> = FxHashMap::default();
        for (n, (_, accesses, job)) in model.sections.iter().enumerate() {
            for access in accesses {
                let runs = runs(explorer, *job);
                within.entry(*access).or_default().push((n, runs));
            }
        }
        Questions {
            model,
            pairs,
            about,
            within,
            private,
            open: FxHashMap::default(),
        }
    }

    /// The net, with all that was asked and that pairs do not exclude.
    fn all(self) -> Net {
        let mut net = self.model.net;
        let targets: BTreeSet<Bag> = self.open.into_values().flatten().collect();
        net.targets = targets.into_iter().collect();
        net
    }

    /// The sites of accesses that are made.
    fn reached(&self, explorer: &Explorer<'_>) -> BTreeSet<SiteId> {
        let marked = |bag: &Bag| self.pairs.possible(bag);
        let about = self.about.iter();
        let about = about.filter(|(_, places)| places.iter().any(|a| marked(&bag([a.place]))));
        let within = self.within.iter();
        let within = within.filter(|(_, steps)| {
            steps
                .iter()
                .any(|(n, _)| marked(&self.model.sections[*n].0))
        });
        let all = about.map(|(a, _)| a).chain(within.map(|(a, _)| a));
        let input = explorer.input;
        all.filter_map(|(id, n)| {
            let instance = &input.points_to.instances()[*id];
            let place = instance.accesses[*n as usize].place;
            let block = &input.program.functions[instance.function].blocks[place.block];
            block.instrs[place.index as usize].site
        })
        .chain(self.private.iter().copied())
        .collect()
    }

    /// The markings in which two accesses are made at once, as far as pairs do not exclude them.
    fn of(&mut self, x: (AccessId, bool), y: (AccessId, bool), pair: [EntryId; 2]) -> &[Bag] {
        let key = (x.0, y.0, x.1, y.1, pair);
        if !self.open.contains_key(&key) {
            let found = self.find(x, y, pair);
            self.open.insert(key, found);
        }
        &self.open[&key]
    }

    fn find(
        &self,
        (x, x_plain): (AccessId, bool),
        (y, y_plain): (AccessId, bool),
        pair: [EntryId; 2],
    ) -> Vec<Bag> {
        let none = Vec::new();
        let about = |a: AccessId| self.about.get(&a).unwrap_or(&none);
        let mut out = Vec::new();
        for a in about(x) {
            for b in about(y) {
                let apart = match (&a.at, &b.at) {
                    (Some(here), Some(there)) => here != there && !here.overlaps(there),
                    _ => false,
                };
                let both = bag([a.place, b.place]);
                if !apart && are([a.runs, b.runs], pair) && self.pairs.possible(&both) {
                    out.push(both);
                }
            }
        }
        // What one makes in a section, the other outside of any. (Two sections never meet.)
        let none = Vec::new();
        for (outer, inner, plain) in [(x, y, y_plain), (y, x, x_plain)] {
            if plain {
                continue;
            }
            for (n, runs) in self.within.get(&inner).unwrap_or(&none) {
                for a in about(outer).iter().filter(|a| are([a.runs, *runs], pair)) {
                    let both = sum(&self.model.sections[*n].0, &[(a.place, 1)]);
                    if self.pairs.possible(&both) {
                        out.push(both);
                    }
                }
            }
        }
        out
    }

    /// Whether two accesses of the region are never made at once.
    fn ask(
        &mut self,
        explorer: &Explorer<'_>,
        (region, pair): (&PlannedRegion, [EntryId; 2]),
        copies: &Copies,
        settings: &Settings,
        left: &mut u64,
    ) -> Told {
        if region.conflict_pairs.is_empty() {
            return Told::Open("nothing is known of its accesses".to_string());
        }
        let mut targets: BTreeSet<Bag> = BTreeSet::new();
        for ConflictPair { first, second } in &region.conflict_pairs {
            for x in first.accesses.iter() {
                for y in second.accesses.iter() {
                    let (x, y) = (copies.of(*x), copies.of(*y));
                    let found = self.of((x, first.unmarked), (y, second.unmarked), pair);
                    targets.extend(found.iter().cloned());
                    if targets.len() > MAX_TARGETS {
                        let why = format!("more than {MAX_TARGETS} ways to access it at once");
                        return Told::Open(why);
                    }
                }
            }
        }
        if targets.is_empty() {
            return Told::Proved;
        }
        if self.model.net.transitions.len() > SEARCHED {
            let why = format!("the net has more than {SEARCHED} transitions");
            return Told::Open(why);
        }
        if *left < MARKINGS {
            let why = format!("more than {ALL_MARKINGS} markings for the driver");
            return Told::Open(why);
        }
        let mut net = self.model.net.clone();
        net.targets = targets.into_iter().collect();
        let settings = Settings {
            markings: MARKINGS,
            ..*settings
        };
        let (answer, counts) = decide(&net, &self.pairs, &settings);
        *left -= counts.met.min(*left);
        match answer {
            Answer::Safe => Told::Proved,
            Answer::Covered(path) => {
                let target = reached(&net, &path);
                let at = accessed(explorer, &self.model, &path);
                Told::Reached(steps(explorer, &self.model, &path, &target), at)
            }
            Answer::Unknown(why) => Told::Open(why),
        }
    }
}
