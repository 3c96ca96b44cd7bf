//! What the rules say of a driver's entry points, for its net: how often each runs, beside what, and after what.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::coverability::Settings;
use crate::analysis::coverability::driver::{self, Asked};
use crate::analysis::coverability::entries::{BudgetId, Copies, Entries, Entry, FactId, SlotId};
use crate::analysis::coverability::net::Net;
use crate::analysis::coverability::run::Step;
use crate::analysis::plan::PlannedRegion;
use crate::analysis::points_to::InstanceId;
use crate::analysis::{Planner, PointsTo};
use crate::config::{Options, Scenario};
use crate::deadline::Deadline;
use crate::environment::entry::{EntryPoint, Parameter, Phase};
use crate::faults::{DriverFault, seeded};
use crate::frontend::Closed;
use crate::index::{EntryId, FuncId, IdVec, Idx, SiteId};
use crate::program::Program;
use crate::property::Property;
use crate::region::Region;

use super::{Task, threads, wrapper};

/// What nets prove of a driver, for all of its pairs.
#[derive(Default)]
pub struct Nets {
    proved: BTreeMap<(EntryId, EntryId), Vec<Region>>,
    /// How the net gets to what it does not prove.
    runs: BTreeMap<(EntryId, EntryId), BTreeMap<Region, Vec<Step>>>,
    /// Why it decides nothing of others.
    open: BTreeMap<(EntryId, EntryId), BTreeMap<Region, String>>,
    /// Sites of accesses that runs of the net get to.
    pub(super) reached: BTreeSet<SiteId>,
    /// The net itself, if it is to be kept.
    pub kept: Vec<Net>,
    /// Why there is none.
    pub why: Option<String>,
    /// Counts.
    pub stats: BTreeMap<String, u64>,
}

impl Nets {
    /// The regions proved of two entry points.
    pub(super) fn of(&self, pair: (EntryId, EntryId)) -> &[Region] {
        self.proved.get(&pair).map_or(&[], Vec::as_slice)
    }

    /// How the net gets to a candidate of two entry points.
    pub(super) fn run(&self, pair: (EntryId, EntryId), region: &Region) -> Option<&Vec<Step>> {
        self.runs.get(&pair)?.get(region)
    }

    /// Why the net decides nothing of candidates of two entry points.
    pub(super) fn undecided(&self, pair: (EntryId, EntryId)) -> BTreeMap<Region, String> {
        self.open.get(&pair).cloned().unwrap_or_default()
    }

    /// Proves what it can of the pairs of a driver, in the steady scenario. (In the other, initialisation runs beside them.)
    pub fn prove(
        closed: &Closed,
        planner: &Planner<'_>,
        tasks: &[Task],
        options: &Options,
        deadline: Deadline,
        keep: bool,
    ) -> Nets {
        let program = &closed.concurrent;
        let mut nets = Nets::default();
        let wanted = options.tiers.driver_nets && options.asks(Property::Race);
        let steady = options.scenario == Scenario::Steady;
        let init = program.harness.init;
        let (true, Some(init)) = (wanted && steady && !closed.entries.is_empty(), init) else {
            return nets;
        };
        let only = if keep { &options.fields[..] } else { &[] };
        let pairs = open_pairs(program, planner, tasks, only, deadline).unwrap_or_default();
        if pairs.is_empty() {
            return nets;
        }
        let (entries, closing) = match entries(closed, planner.points_to(), init) {
            Ok(made) => made,
            Err(why) => {
                nets.why = Some(why);
                return nets;
            }
        };
        // What cannot be followed may write whatever guards something.
        let roots = entries.all.iter();
        let roots = roots.map(|e| planner.points_to().instances()[e.start].function);
        let roots: Vec<FuncId> = roots.chain([init]).collect();
        if let Some(gap) = planner.gap(&roots) {
            nets.why = Some(format!("not everything can be followed: {gap}"));
            return nets;
        }
        let asked: Vec<Asked<'_>> = pairs
            .iter()
            .map(|((a, b), regions)| Asked {
                regions,
                pair: [*a, *b],
                more: match (closing.get(a), closing.get(b)) {
                    (Some(x), Some(y)) if x == y => Some(*x),
                    _ => None,
                },
            })
            .collect();
        let settings = Settings {
            deadline,
            keep,
            ..Settings::default()
        };
        let found = driver::prove(program, planner.points_to(), &entries, &asked, &settings);
        nets.kept = found.nets;
        nets.why = found.why;
        nets.reached = found.reached;
        nets.stats = found.stats;
        for ((n, region), run) in found.runs {
            let (pair, _) = pairs[n];
            nets.runs.entry(pair).or_default().insert(region, run);
        }
        for ((n, region), why) in found.open {
            let (pair, _) = pairs[n];
            nets.open.entry(pair).or_default().insert(region, why);
        }
        for ((pair, _), regions) in pairs.iter().zip(found.regions) {
            nets.proved.insert(*pair, regions.into_iter().collect());
        }
        nets
    }
}

/// Two entry points, and the regions that are open between them.
type OpenPair = ((EntryId, EntryId), Vec<PlannedRegion>);

/// The pairs of which locks leave something open: of these fields, if any are named. `None`: the deadline has passed.
fn open_pairs(
    program: &Program,
    planner: &Planner<'_>,
    tasks: &[Task],
    only: &[String],
    deadline: Deadline,
) -> Option<Vec<OpenPair>> {
    let mut pairs = Vec::new();
    // Nets know one object of each kind.
    for task in tasks.iter().filter(|t| !t.alone && t.is_of_one()) {
        let Some(pair) = task.two() else { continue };
        if deadline.passed().is_some() {
            return None;
        }
        let plan = planner.plan_conflict_pairs(&threads(program, planner, task));
        let mut regions = plan.regions;
        if !only.is_empty() {
            regions.retain(|r| super::asked_for(r.name.name(), only));
        }
        if plan.gap.is_none() && !regions.is_empty() {
            pairs.push((pair, regions));
        }
    }
    Some(pairs)
}

/// The entry points of a driver as kinds of threads, and what those use up that close a file.
fn entries(
    closed: &Closed,
    points_to: &PointsTo,
    init: FuncId,
) -> Result<(Entries, BTreeMap<EntryId, BudgetId>), String> {
    let mut kinds = Kinds {
        closed,
        points_to,
        out: Entries {
            init,
            all: Vec::new(),
            slots: IdVec::new(),
            budgets: IdVec::new(),
            facts: IdVec::new(),
            copies: Copies::default(),
        },
        firsts: BTreeMap::new(),
        slots: BTreeMap::new(),
        budgets: BTreeMap::new(),
        closing: BTreeMap::new(),
    };
    for (id, entry) in closed.entries.iter_ids() {
        kinds.first(id, entry)?;
    }
    for (id, entry) in closed.entries.iter_ids() {
        // Nets know one object of each kind.
        if !(entry.another || matches!(entry.phase, Phase::Init | Phase::Nested)) {
            kinds.add(id, entry)?;
        }
    }
    Ok((kinds.out, kinds.closing))
}

/// The kinds of threads so far, and what has been given a number.
struct Kinds<'a> {
    closed: &'a Closed,
    points_to: &'a PointsTo,
    out: Entries,
    /// That a function has run which others come after.
    firsts: BTreeMap<String, FactId>,
    slots: BTreeMap<String, SlotId>,
    budgets: BTreeMap<String, BudgetId>,
    /// What is used up by those that close a file.
    closing: BTreeMap<EntryId, BudgetId>,
}

impl Kinds<'_> {
    /// Where the function is entered, as one instance; `None`: nowhere.
    fn start(
        &mut self,
        function: Option<FuncId>,
        entry: &EntryPoint,
    ) -> Result<Option<InstanceId>, String> {
        let all = function.map_or(&[][..], |f| self.points_to.instances_of(f));
        if all.is_empty() {
            return Ok(None);
        }
        let start = self.out.copies.join(self.points_to, all);
        let differ = || format!("{} is not the same wherever it is called", entry.function);
        start.map(Some).ok_or_else(differ)
    }

    /// The budget of that name: so many, where it is new.
    fn budget(&mut self, name: String, n: u32) -> BudgetId {
        let budgets = &mut self.out.budgets;
        let new = || budgets.push((name.clone(), n));
        *self.budgets.entry(name.clone()).or_insert_with(new)
    }

    /// What others come after runs once, before them.
    fn first(&mut self, id: EntryId, entry: &EntryPoint) -> Result<(), String> {
        let first = self.closed.concurrent.harness.entry(id);
        let Some(start) = self.start(first.and_then(|e| e.first), entry)? else {
            return Ok(());
        };
        let fact = self.out.facts.push(format!("{} has run", entry.function));
        let once = (format!("{} first", entry.function), 1);
        let budget = self.out.budgets.push(once);
        self.firsts.insert(entry.function.clone(), fact);
        self.out.all.push(Entry {
            name: entry.function.clone(),
            start,
            number: None,
            later: false,
            opens: None,
            slots: Vec::new(),
            budgets: vec![budget],
            returns: Vec::new(),
            opened: None,
            after: Vec::new(),
            gives: Some(fact),
        });
        Ok(())
    }

    /// What one thread of the kind has while it runs, and no other.
    fn held(&self, entry: &EntryPoint) -> Vec<String> {
        let mut held: Vec<String> = Vec::new();
        if !entry.beside_itself || seeded(DriverFault::OneOfEach) {
            let by = entry.registered_by.as_deref().unwrap_or_default();
            held.push(format!("one {} ({} {by})", entry.function, entry.via));
        }
        let locks = entry.serialized_by.iter().filter(|l| entry.holds(l));
        held.extend(locks.map(|l| format!("held: {l}")));
        if seeded(DriverFault::HeldByKernel) {
            held.push("held by the kernel".to_string());
        }
        // Where one of the two may run several times at once, one token would keep these apart, too.
        let entries = self.closed.entries.iter();
        for other in entries.filter(|e| !e.beside_itself) {
            if !entry.beside_itself && excludes(entry, other) {
                let mut names = [entry.function.as_str(), other.function.as_str()];
                names.sort_unstable();
                held.push(format!("{} or {}", names[0], names[1]));
            }
        }
        held.sort();
        held.dedup();
        held
    }

    /// The kind of an entry point; where it is about a file, also the same on a file that is opened later.
    fn add(&mut self, id: EntryId, entry: &EntryPoint) -> Result<(), String> {
        let program = &self.closed.concurrent;
        let Some(start) = self.start(wrapper(program, id), entry)? else {
            return Ok(());
        };
        let held = self.held(entry);
        let mut used = Vec::new();
        let file = file(entry);
        if let Some((ops, true)) = &file {
            let budget = self.budget(format!("close {ops}"), 1);
            self.closing.insert(id, budget);
            used.push(budget);
        } else if entry.phase == Phase::Exit {
            let name = format!("{} ({})", entry.function, id.index());
            used.push(self.budget(name, 1 + u32::from(entry.beside_itself)));
        }
        let own = entry.registered_by.as_deref().unwrap_or_default();
        let opened = opens(entry, own).then(|| self.budget(format!("open {own}"), 0));
        let slots = held.into_iter().map(|name| {
            let new = || self.out.slots.push(name.clone());
            *self.slots.entry(name.clone()).or_insert_with(new)
        });
        let slots = slots.collect();
        let after = entry.after.iter().filter_map(|f| self.firsts.get(f));
        let kind = Entry {
            name: entry.function.clone(),
            start,
            number: Some(id),
            later: false,
            opens: opened.and_then(|_| program.function_named(&entry.function)),
            slots,
            budgets: used,
            returns: Vec::new(),
            opened,
            after: after.copied().collect(),
            gives: None,
        };
        if let Some(file) = file {
            self.opened_later(entry, &kind, file);
        }
        self.out.all.push(kind);
        Ok(())
    }

    /// The same on a file that is opened later.
    fn opened_later(&mut self, entry: &EntryPoint, kind: &Entry, (ops, closes): (String, bool)) {
        let by_driver = self.closed.entries.iter().any(|e| opens(e, &ops));
        // One call at a time is made on such a file, and none after it is closed.
        let taken = by_driver.then(|| self.budget(format!("open {ops}"), 0));
        let taken: Vec<BudgetId> = taken.into_iter().collect();
        if (by_driver || closes) && !seeded(DriverFault::NothingOpenedLater) {
            self.out.all.push(Entry {
                name: format!("{} of a file opened later", entry.function),
                later: true,
                budgets: taken.clone(),
                returns: if closes { Vec::new() } else { taken },
                ..kind.clone()
            });
        }
    }
}

/// Whether an entry point opens files with these operations.
fn opens(entry: &EntryPoint, ops: &str) -> bool {
    entry.opens_file() && entry.registered_by.as_deref() == Some(ops)
}

/// Whether two entry points are never run beside each other, whatever locks they take.
fn excludes(x: &EntryPoint, y: &EntryPoint) -> bool {
    let names =
        |a: &EntryPoint, b: &EntryPoint| a.never_beside.iter().any(|e| e.function == b.function);
    names(x, y) || names(y, x)
}

/// The ops object of the file that an entry point is about, and whether it closes it: of the two that are open in the beginning,
/// the second one, or for the second of two closing operations the first one.
fn file(entry: &EntryPoint) -> Option<(String, bool)> {
    entry.parameters.iter().find_map(|p| {
        let Parameter::Shared(name) = p else {
            return None;
        };
        let used = name.strip_suffix(".file1").map(|ops| (ops, false));
        let closed = name.strip_suffix(".file2").map(|ops| (ops, true));
        let (ops, closes) = used.or(closed)?;
        Some((ops.to_string(), closes))
    })
}
