//! Entry points that begin beside the rest of the initialisation that registers them: "publish, then set up".
//!
//! In the steady scenario entry points start when initialisation is over. What it may still do once it has called what registers one of them,
//! or starts it, and what of that the entry point accesses without a common lock, is asked of the tables of accesses: most drivers do nothing
//! of the kind. What is left is searched in the lifecycle scenario, in which the entry point's thread is born by that call
//! (`pipeline/begun.rs`): that thread beside initialisation, and nobody else.
//!
//! What it misses: entry points of which no rule says what registers them, and those that the bus calls for a bound device, which
//! wait until probing is over.

use fixedbitset::FixedBitSet;

use super::ledger::Ledger;
use super::{Checked, Task, wrapper};
use crate::analysis::Planner;
use crate::analysis::callgraph::CallGraph;
use crate::analysis::passed::passed;
use crate::environment::entry::{EntryPoint, Phase, Start};
use crate::environment::rules::Effect;
use crate::frontend::{Closed, REPLACES};
use crate::index::{EntryId, FuncId, Idx};
use crate::trace::schedule::Schedule;
use crate::verdict::{Claim, Finding, Verdict, Why};

/// An entry point that initialisation may begin before it is over, and what the two may access at once.
#[derive(Clone, Debug)]
pub struct Begun {
    /// It beside initialisation.
    pub task: Task,
    /// The regions.
    pub claims: Vec<Claim>,
    calls: Calls,
}

/// When the kernel calls what it was handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    /// As soon as it likes.
    AtOnce,
    /// When a device interrupts: any of those of the line.
    ForOthers,
    /// When the device interrupts, which may not be enabled yet.
    WhenEnabled,
}

impl Calls {
    fn of(entry: &EntryPoint) -> Calls {
        match (entry.start, entry.shares_line) {
            (Start::Irq, false) => Calls::WhenEnabled,
            (Start::Irq, true) => Calls::ForOthers,
            (Start::Any | Start::Armed, _) => Calls::AtOnce,
        }
    }
}

/// Those of an input. `born`: their threads are born while initialisation runs (the lifecycle scenario).
pub fn begun(closed: &Closed, planner: &Planner<'_>, born: bool) -> Vec<Begun> {
    let program = &closed.concurrent;
    let Some(init) = program.harness.init else {
        return Vec::new();
    };
    let one = |(id, entry): (EntryId, &EntryPoint)| {
        let own = wrapper(program, id).filter(|_| entry.phase == Phase::Steady)?;
        let late = late(closed, planner.call_graph(), init, entry)?;
        let task = Task::beside_initialisation(id, entry, late.clone());
        let plan = match born {
            true => super::plan(program, planner, &task),
            false => planner.plan_late(&planner.beside(&[vec![own], vec![init]]), &late),
        };
        let regions = plan.regions.into_iter();
        let claims: Vec<Claim> = regions.map(|r| Claim::Region(r.name)).collect();
        (!claims.is_empty()).then(|| Begun {
            task,
            claims,
            calls: Calls::of(entry),
        })
    };
    closed.entries.iter_ids().filter_map(one).collect()
}

/// The sites that initialisation may come to in a call that begins the entry point, and after such a call; `None`: there are none.
fn late(
    closed: &Closed,
    graph: &CallGraph,
    init: FuncId,
    entry: &EntryPoint,
) -> Option<FixedBitSet> {
    let program = &closed.concurrent;
    let begins = beginners(entry);
    let initial = || closed.entries.iter().filter(|e| e.phase == Phase::Init);
    // Of a bound device: the bus calls it when probing is over.
    let of_device =
        entry.registered_by.is_some() && initial().any(|e| e.registered_by == entry.registered_by);
    if begins.is_empty() || of_device {
        return None;
    }
    let is_one = |f: FuncId| {
        let name = program.functions[f].name.as_str();
        begins.contains(&name.strip_prefix(REPLACES).unwrap_or(name))
    };
    let mut late = passed(program, graph, init, &is_one, None);
    if late.is_clear() {
        return None;
    }
    // The harness's own doings, opening files for instance, are none of initialisation.
    let beside = initial().filter(|e| EntryPoint::kept_apart(e, entry).is_none());
    let roots: Vec<FuncId> = beside
        .filter_map(|e| program.function_named(&e.function))
        .collect();
    let mut own = FixedBitSet::with_capacity(program.sites.len());
    for f in graph.reachable(&roots).ones().map(FuncId::new) {
        for block in program.functions[f].blocks.iter() {
            let sites = block.instrs.iter().filter_map(|i| i.site);
            own.extend(sites.chain(block.term_site).map(Idx::index));
        }
    }
    late.intersect_with(&own);
    (!late.is_clear()).then_some(late)
}

/// The functions that register an entry point, start it or let it start.
fn beginners(entry: &EntryPoint) -> Vec<&str> {
    let begins = |effect: &Effect| matches!(effect, Effect::Starts | Effect::Allows);
    let changes = entry.changes.iter();
    let by_rule = changes.filter(|c| c.effects.iter().any(begins));
    let mut all: Vec<&str> = by_rule.map(|c| c.function.as_str()).collect();
    // What it is handed to, where that starts it.
    let handed = entry.via.split_once('#').map(|(function, _)| function);
    let starts = entry.start == Start::Irq || entry.via.starts_with("kthread_");
    all.extend(handed.filter(|_| starts));
    all
}

impl Begun {
    fn why(&self, so: Option<Why>) -> Why {
        Why::BegunEarly {
            entry: self.task.sides()[0].to_string(),
            so: so.map(Box::new),
        }
    }

    /// What is said of it before it is searched: what was found, and nothing else.
    pub fn open(&self, found: &[Finding]) -> Checked {
        let mut ledger = Ledger::unknown(&self.claims, &self.why(None));
        ledger.races(found);
        let mut checked = self.task.result(ledger);
        checked.findings = found.to_vec();
        checked
    }

    /// Why an interleaving that is confirmed is no finding: nothing tells whether the kernel calls the handler so early. What a handler of a
    /// shared line does of itself it does; what it does because of an answer of its device takes that to be enabled.
    pub(super) fn not_told(&self, schedule: &Schedule) -> Option<Why> {
        let told = match self.calls {
            Calls::AtOnce => true,
            Calls::WhenEnabled => false,
            Calls::ForOthers => {
                let answers = schedule.inputs.nondet.iter();
                let mut own = answers.filter(|(thread, _)| **thread != 0);
                own.all(|(_, answers)| answers.is_empty())
            }
        };
        (!told).then(|| self.why(None))
    }

    /// What is said of it once it has been searched.
    pub fn told(&self, mut checked: Checked) -> Checked {
        let open = |why: &Option<Why>| !matches!(why, Some(Why::BegunEarly { .. }));
        for region in &mut checked.pair.regions {
            if region.verdict == Verdict::Unknown && open(&region.why) {
                region.why = Some(self.why(region.why.take()));
            }
        }
        checked
    }
}
