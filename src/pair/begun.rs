//! Entry points that begin beside the rest of the initialisation that registers them: "publish, then set up".
//!
//! In the steady scenario entry points start when initialisation is over. What it may still do once it has called what registers one of them,
//! or starts it, and what of that the entry point accesses without a common lock, is asked of the tables of accesses: most drivers do nothing
//! of the kind. So is whether it sets up then what the entry point hands to the kernel: a lock, a wait queue, a timer. Where uses after free are asked for, so is whether it may still free anything: what a probe that fails leaves registered
//! runs with what that has freed. What is left is searched in the lifecycle scenario, in which the entry point's thread is born by that call
//! (`pipeline/phases/beside.rs`): that thread beside initialisation, and nobody else.
//!
//! What it misses: entry points of which no rule says what registers them, and those that the bus calls for a bound device, which
//! wait until probing is over.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::ledger::Ledger;
use super::{Checked, Task, wrapper};
use crate::analysis::Planner;
use crate::analysis::callgraph::{CallGraph, globals_in};
use crate::analysis::late::Counting;
use crate::analysis::passed::passed;
use crate::config::Options;
use crate::environment::contract::SET_UP;
use crate::environment::discover::MODULE_INIT;
use crate::environment::entry::{EntryPoint, Phase, Start, is_probe};
use crate::environment::rules::Effect;
use crate::frontend::Closed;
use crate::index::{EntryId, FuncId, Idx};
use crate::program::{Callee, Op, Operand, Primitive, Program};
use crate::property::Property;
use crate::trace::schedule::{Failure, Schedule};
use crate::verdict::{Claim, Finding, RegionResult, Verdict, Why};

/// An entry point that initialisation may begin before it is over, where there is something that the two may access at once.
#[derive(Clone, Debug)]
pub struct Begun {
    /// It beside initialisation.
    pub task: Task,
    calls: Calls,
    /// Its name and place, if initialisation may take it back by a call of which nothing is known, before it frees anything.
    endless: Option<String>,
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
pub fn begun(closed: &Closed, planner: &Planner<'_>, options: &Options, born: bool) -> Vec<Begun> {
    let program = &closed.concurrent;
    let Some(init) = program.harness.init else {
        return Vec::new();
    };
    let of_bus = driver_registrars(closed);
    let one = |(id, entry): (EntryId, &EntryPoint)| {
        let first = entry.phase == Phase::Steady && !entry.another;
        let wrapper = wrapper(program, id).filter(|_| first)?;
        let begins = beginners(entry);
        // What the bus calls for a bound device waits until probing is over (drivers/base/dd.c: really_probe).
        let waits = begins.is_empty() || begins.iter().any(|f| of_bus.contains(*f));
        if waits && !entry.of_module {
            return None;
        }
        let graph = planner.call_graph();
        let counting = Counting {
            own: sites(program, graph, &named(program, [entry]))?,
            late: late(closed, graph, init, (entry, &begins))?,
        };
        let task = Task::beside_initialisation(id, entry, counting.clone());
        let plan = match born {
            true => super::plan(program, planner, &task),
            false => planner.plan_late(&planner.beside(&[vec![wrapper], vec![init]]), &counting),
        };
        // What a lock, a wait queue or a timer is there when initialisation sets it up: their models tell of it in that scenario alone.
        let sets_up = || !born && planner.sets_up_late((wrapper, init), &counting, SET_UP);
        let races = options.asks(Property::Race) && (!plan.regions.is_empty() || sets_up());
        let frees = options.asks(Property::Uaf) && some_free(program, &counting.late);
        let takes_back = || calls_out(program, graph, init, &counting.late);
        (races || frees).then(|| Begun {
            task,
            calls: Calls::of(entry),
            endless: entry.endless().filter(|_| takes_back()),
        })
    };
    closed.entries.iter_ids().filter_map(one).collect()
}

/// The sites that initialisation may come to in a call that begins the entry point, and after such a call; `None`: there are none.
fn late(
    closed: &Closed,
    graph: &CallGraph,
    init: FuncId,
    (entry, begins): (&EntryPoint, &[&str]),
) -> Option<FixedBitSet> {
    let program = &closed.concurrent;
    let is_one = |f: FuncId| begins.contains(&known_as(program, f));
    let probes = |e: &EntryPoint| !entry.of_module || e.via != MODULE_INIT;
    // The harness's own doings, opening files for instance, are none of initialisation.
    let initial = closed.entries.iter();
    let initial = initial.filter(|e| e.phase == Phase::Init && probes(e));
    let beside = initial.filter(|e| EntryPoint::kept_apart(e, entry).is_none());
    let initial = sites(program, graph, &named(program, beside))?;
    if entry.of_module {
        return Some(initial);
    }
    let mut late = passed(program, graph, init, &is_one, None);
    late.intersect_with(&initial);
    (!late.is_clear()).then_some(late)
}

/// Whether a function from outside may be called at such a site: in a block that has some.
fn calls_out(program: &Program, graph: &CallGraph, init: FuncId, late: &FixedBitSet) -> bool {
    let within = graph.reachable(&[init]);
    within.ones().map(FuncId::new).any(|f| {
        program.functions[f].blocks.iter().any(|block| {
            let sites = block.instrs.iter().filter_map(|i| i.site);
            let mut sites = sites.chain(block.term_site);
            let mut calls = block.instrs.iter().filter_map(|i| match &i.op {
                Op::Call {
                    callee: Callee::Direct(callee),
                    ..
                } => Some(*callee),
                _ => None,
            });
            calls.any(|callee| program.functions[callee].outside)
                && sites.any(|s| late.contains(s.index()))
        })
    })
}

/// Whether any of these sites ends the life of a heap block, or of what the kernel made.
fn some_free(program: &Program, sites: &FixedBitSet) -> bool {
    let blocks = program.functions.iter().flat_map(|f| f.blocks.iter());
    let mut instrs = blocks.flat_map(|b| &b.instrs);
    instrs.any(|instr| {
        let frees = matches!(
            instr.op,
            Op::Primitive {
                primitive: Primitive::Free,
                ..
            }
        );
        frees && instr.site.is_some_and(|s| sites.contains(s.index()))
    })
}

/// The functions of these entry points.
fn named<'e>(program: &Program, entries: impl IntoIterator<Item = &'e EntryPoint>) -> Vec<FuncId> {
    let all = entries.into_iter();
    all.filter_map(|e| program.function_named(&e.function))
        .collect()
}

/// The sites that these may come to; `None`: there are none.
fn sites(program: &Program, graph: &CallGraph, roots: &[FuncId]) -> Option<FixedBitSet> {
    let mut all = FixedBitSet::with_capacity(program.sites.len());
    for f in graph.reachable(roots).ones().map(FuncId::new) {
        for block in program.functions[f].blocks.iter() {
            let sites = block.instrs.iter().filter_map(|i| i.site);
            all.extend(sites.chain(block.term_site).map(Idx::index));
        }
    }
    (!all.is_clear()).then_some(all)
}

/// What the input calls a function.
fn known_as(program: &Program, f: FuncId) -> &str {
    program.functions[f].source_name()
}

/// The functions that register drivers which probe, with what belongs to these: those that the input hands such a driver to, and those that
/// the rules say begin its other functions.
fn driver_registrars(closed: &Closed) -> BTreeSet<&str> {
    let program = &closed.concurrent;
    let probes = closed
        .entries
        .iter()
        .filter(|e| is_probe(&closed.entries, e));
    let drivers: BTreeSet<&String> = probes.filter_map(|e| e.registered_by.as_ref()).collect();
    let of_driver = |e: &&EntryPoint| {
        e.registered_by
            .as_ref()
            .is_some_and(|d| drivers.contains(d))
    };
    let of_drivers = closed.entries.iter().filter(of_driver);
    let mut found: BTreeSet<&str> = of_drivers.flat_map(beginners).collect();
    let globals: Vec<_> = drivers
        .iter()
        .filter_map(|d| program.global_named(d))
        .collect();
    let blocks = program.functions.iter().flat_map(|f| f.blocks.iter());
    for instr in blocks.flat_map(|b| &b.instrs) {
        let Op::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } = &instr.op
        else {
            continue;
        };
        let mut handed = Vec::new();
        for arg in args {
            if let Operand::Const(value) = arg {
                globals_in(value, &mut handed);
            }
        }
        if handed.iter().any(|g| globals.contains(g)) {
            found.insert(known_as(program, *callee));
        }
    }
    found
}

/// The functions that register an entry point, or start it.
fn beginners(entry: &EntryPoint) -> Vec<&str> {
    let changes = entry.changes.iter();
    let by_rule = changes.filter(|c| c.effects.contains(&Effect::Starts));
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

    /// What is said of it before it is searched: what was found, and nothing else. The regions may be many.
    pub fn open(&self, found: &[Finding]) -> Checked {
        let mut ledger = Ledger::unknown(&[], &self.why(None));
        ledger.races(found);
        let mut checked = self.task.result(ledger);
        checked.findings = found.to_vec();
        checked
    }

    /// Why an interleaving that is confirmed is no finding: nothing tells when the kernel calls it for the last time, where initialisation may
    /// have taken it back before it frees something; or whether the kernel calls the handler so early. What a handler of a
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
        let endless = self.endless.iter();
        let endless = endless.filter(|_| matches!(schedule.failure, Failure::UseAfterFree(_)));
        match told {
            true => endless.map(|e| Why::Endless(vec![e.clone()])).next(),
            false => Some(self.why(None)),
        }
    }

    /// What is said of it once it has been searched; `None`: nothing. That something freed is used is told where it was found, or where a limit
    /// ended the search: mostly initialisation frees only where the very call has failed that would have begun the entry point.
    pub fn told(&self, mut checked: Checked) -> Option<Checked> {
        let nothing = |r: &RegionResult| {
            let open = |why: &Why| matches!(why, Why::BegunEarly { .. }) || why.is_limit();
            let open = r.why().is_some_and(open);
            *r.claim() == Claim::Freed && r.verdict() != Verdict::Race && !open
        };
        checked.pair.regions.retain(|r| !nothing(r));
        if checked.pair.regions.is_empty() {
            return None;
        }
        checked.pair.regions.explain(|_, why| match why {
            Why::BegunEarly { .. } => None,
            why => Some(self.why(Some(why.clone()))),
        });
        Some(checked)
    }
}
