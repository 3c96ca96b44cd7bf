//! One pair of threads: from its plan to its verdicts.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use crate::analysis::plan::{PairPlan, PlanOptions, plan_pair, plan_program};
use crate::analysis::points_to::PointsTo;
use crate::config::{Explore, Options};
use crate::environment::entry::EntryPoint;
use crate::expr::Term;
use crate::finding;
use crate::frontend::Closed;
use crate::index::{EntryId, FuncId, Idx, SiteId};
use crate::program::{FailKind, Program, SiteKind};
use crate::replay::confirm;
use crate::solver;
use crate::symex::check::{Checker, Possible};
use crate::symex::exec::{CheckInputs, Executor, Limits, Mode};
use crate::symex::paths;
use crate::symex::state::State;
use crate::verdict::{Finding, PairResult, RegionResult, Tier, Verdict};

/// The executor recurses with the calls of the program.
pub const STACK_BYTES: usize = 1 << 30;

/// Interleavings tried per region before a model that does not replay makes it unknown.
const TRIES: usize = 4;

/// Terms per pair: about a gigabyte.
const MAX_TERMS: usize = 8_000_000;

/// What to check together.
#[derive(Clone, Debug)]
pub struct Task {
    /// Names for the report.
    pub a: String,
    pub b: String,
    /// The entry points; none for a whole program.
    entries: Option<(EntryId, EntryId)>,
    lifecycle: bool,
}

impl Task {
    /// A program with `main`: its first thread beside those that it starts.
    pub fn whole_program() -> Task {
        Task {
            a: "main".into(),
            b: "threads".into(),
            entries: None,
            lifecycle: false,
        }
    }

    /// Two entry points of a driver.
    pub fn pair(i: EntryId, a: &EntryPoint, j: EntryId, b: &EntryPoint, lifecycle: bool) -> Task {
        Task {
            a: a.function.clone(),
            b: b.function.clone(),
            entries: Some((i, j)),
            lifecycle,
        }
    }
}

/// The state that initialisation leaves, shared by all pairs.
pub struct Start<'p> {
    run: Executor<'p>,
    state: Option<State>,
    init: bool,
}

impl<'p> Start<'p> {
    /// Runs the initialisation of a driver; for a whole program there is none.
    pub fn run(closed: &'p Closed, options: &Options) -> Start<'p> {
        let program = &closed.sequential;
        let sites = program.sites.len();
        let check = CheckInputs {
            pair: [0; 3],
            enabled: FixedBitSet::with_capacity(sites),
            checked: FixedBitSet::with_capacity(sites),
            ts_max: options.ts,
        };
        let mut run = Executor::new(program, Mode::Merge, limits(options), check);
        let init =
            program.function_named("__irkiss_harness_init").is_some() && !closed.entries.is_empty();
        let mut state = Some(State::default());
        if init {
            let outcome = std::thread::scope(|scope| {
                let run = &mut run;
                std::thread::Builder::new()
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || {
                        run.run("__irkiss_harness_init", State::default())
                    })
                    .map(|t| t.join())
            });
            state = match outcome {
                Ok(Ok(Ok(state))) => state,
                _ => None,
            };
            run.reached.clear();
            run.failures.clear();
        }
        Start { run, state, init }
    }

    /// Counts for `--stats`.
    pub fn stats(&self) -> BTreeMap<String, u64> {
        BTreeMap::from([
            ("init instructions".to_string(), self.run.instructions),
            ("init terms".to_string(), self.run.terms.len() as u64),
        ])
    }

    /// Lines for the user.
    pub fn notes(&self) -> Vec<String> {
        if self.init && self.state.is_none() {
            return vec!["initialisation never succeeds within the bounds: nothing can be said of what runs after it".into()];
        }
        Vec::new()
    }
}

/// Result of one task.
pub struct Checked {
    /// Verdicts.
    pub pair: PairResult,
    /// Confirmed findings.
    pub findings: Vec<Finding>,
    /// Interleavings that the interpreter did not confirm.
    pub not_replayed: u32,
    /// Counts.
    pub stats: BTreeMap<String, u64>,
}

fn limits(options: &Options) -> Limits {
    Limits {
        unwind: options.unwind,
        recursion: options.recursion,
        instructions: options.max_instructions,
        terms: MAX_TERMS,
    }
}

/// Checks one pair.
pub fn check(
    closed: &Closed,
    points_to: &PointsTo,
    start: &Start<'_>,
    task: &Task,
    options: &Options,
) -> Checked {
    let program = &closed.concurrent;
    let plan = plan(program, points_to, task, options);
    let mut result = Checked {
        pair: PairResult {
            a: task.a.clone(),
            b: task.b.clone(),
            serialized_by: None,
            regions: Vec::new(),
            reachable_sites: [(0, 0); 2],
        },
        findings: Vec::new(),
        not_replayed: 0,
        stats: BTreeMap::new(),
    };
    // Nothing shared, nothing asserted: there is no question to ask.
    if task.entries.is_some()
        && (plan.regions.is_empty() || !options.race)
        && !(options.assertions && asserts(program, &plan))
    {
        return result;
    }
    let Some(state) = start.state.clone() else {
        result.unknown(&plan, "vacuous: initialisation never succeeds");
        return result;
    };
    let inputs = CheckInputs {
        pair: match task.entries {
            Some((a, b)) => [
                a.index() as u32,
                b.index() as u32,
                u32::from(task.lifecycle),
            ],
            None => [0; 3],
        },
        enabled: plan.enabled.clone(),
        checked: if options.race {
            plan.checked.clone()
        } else {
            FixedBitSet::with_capacity(program.sites.len())
        },
        ts_max: options.ts,
    };
    let (script, function) = match task.entries {
        Some(_) => (
            vec![
                "__irkiss_harness_init".to_string(),
                "__kiss_pair_main".to_string(),
            ],
            "__kiss_pair_main",
        ),
        None => (vec!["__kiss_main".to_string()], "__kiss_main"),
    };
    let mut run = start.run.clone();
    run.set_check(inputs.clone());
    let before = (run.instructions, run.terms.len() as u64);
    let outcome = match options.explore {
        Explore::Merge => run.run(function, state).map(|_| ()),
        Explore::Paths => paths::run_all(&mut run, function, &state),
    };
    if let Err(why) = outcome {
        result.unknown(&plan, &why);
        return result;
    }
    result.count("instructions", run.instructions - before.0);
    result.count("states merged", run.merges);
    for end in &run.ends {
        let place = closed.sequential.source.describe(end.loc);
        result.count(&format!("ends: {} at {place}", end.kind.name()), 1);
    }
    let lanes = options.explore == Explore::Merge;
    let solver = solver::standard(options.rlimit, None);
    let mut checker = Checker::new(run, solver, script, inputs, limits(options), lanes);
    regions(&mut result, &mut checker, program, &plan, options);
    let stats = checker.solver_stats();
    result.count("terms", checker.run().terms.len() as u64 - before.1);
    for (name, n) in [
        ("queries", stats.queries),
        ("queries folded", stats.folded),
        ("queries cached", stats.cached),
        ("queries reused", stats.reused),
        ("queries solved by Z3", stats.solved),
        ("queries unknown", stats.unknown),
    ] {
        result.count(name, n);
    }
    result
}

fn plan(program: &Program, points_to: &PointsTo, task: &Task, options: &Options) -> PairPlan {
    let plan_options = PlanOptions::from(options);
    match task.entries {
        Some((a, b)) => {
            let root = |e: EntryId| -> Vec<FuncId> {
                program
                    .function_named(&format!("__irkiss_entry_{}", e.index()))
                    .into_iter()
                    .collect()
            };
            plan_pair(program, points_to, &root(a), &root(b), &plan_options)
        }
        None => {
            let main = program.function_named("__irkiss_main").unwrap_or(FuncId(0));
            plan_program(program, points_to, main, &plan_options)
        }
    }
}

/// Whether a thread of the plan may execute an assertion.
fn asserts(program: &Program, plan: &PairPlan) -> bool {
    plan.reachable_a
        .union(&plan.reachable_b)
        .any(|s| program.sites[SiteId::new(s)].kind == SiteKind::Assert)
}

impl Checked {
    fn count(&mut self, name: &str, n: u64) {
        *self.stats.entry(name.to_string()).or_default() += n;
    }

    fn region(&mut self, location: &str, verdict: Verdict, reason: Option<String>) {
        let by = (verdict != Verdict::Unknown).then_some(Tier::Kiss);
        self.pair.regions.push(RegionResult {
            location: location.to_string(),
            verdict,
            by,
            reason,
            assumptions: Vec::new(),
        });
    }

    fn unknown(&mut self, plan: &PairPlan, why: &str) {
        for region in &plan.regions {
            self.region(&region.name, Verdict::Unknown, Some(why.to_string()));
        }
        if plan.regions.is_empty() {
            self.region("threads", Verdict::Unknown, Some(why.to_string()));
        }
    }
}

/// Which sites each of the two sides was shown to get to.
struct Reach {
    a: FixedBitSet,
    b: FixedBitSet,
}

fn regions(
    result: &mut Checked,
    checker: &mut Checker<'_>,
    program: &Program,
    plan: &PairPlan,
    options: &Options,
) {
    let failures = checker.failures();
    let mut open: Vec<(Option<String>, Option<String>)> = Vec::new();
    if options.race {
        for region in &plan.regions {
            let a: Vec<SiteId> = region.sites_a.clone();
            let b: Vec<SiteId> = region.sites_b.clone();
            let here: Vec<(SiteId, SiteId, Term)> = failures
                .iter()
                .filter(|(k, x, y, _)| {
                    *k == FailKind::Race
                        && ((a.contains(x) && b.contains(y)) || (b.contains(x) && a.contains(y)))
                })
                .map(|(_, x, y, g)| (*x, *y, *g))
                .collect();
            let verdict = ask(result, checker, program, here, Some(&region.name), options);
            open.push((Some(region.name.clone()), verdict));
        }
    }
    if options.assertions {
        let here: Vec<(SiteId, SiteId, Term)> = failures
            .iter()
            .filter(|(k, ..)| *k == FailKind::Assertion)
            .map(|(_, x, y, g)| (*x, *y, *g))
            .collect();
        if asserts(program, plan) {
            let verdict = ask(result, checker, program, here, None, options);
            open.push((None, verdict));
        }
    }
    let reach = reach(result, checker, program, plan);
    let gaps = checker.gaps();
    let cut = checker.bounds_met();
    let vacuous = vacuous(program, plan, &reach, result);
    for (name, verdict) in open {
        let location = name.clone().unwrap_or_else(|| "assertions".to_string());
        match verdict.as_deref() {
            Some("race") => result.region(&location, Verdict::Race, None),
            Some(why) => result.region(&location, Verdict::Unknown, Some(why.to_string())),
            None => {
                let reason = vacuous
                    .clone()
                    .or_else(|| gaps.first().cloned())
                    .or_else(|| {
                        let region = plan
                            .regions
                            .iter()
                            .find(|r| Some(&r.name) == name.as_ref())?;
                        let got = |sites: &[SiteId], by: &FixedBitSet| {
                            sites.iter().any(|s| by.contains(s.index()))
                        };
                        let both = got(&region.sites_a, &reach.a) && got(&region.sites_b, &reach.b);
                        (cut && !both).then(|| {
                            "vacuous: the bounds cut every execution that gets to an access"
                                .to_string()
                        })
                    });
                match reason {
                    Some(why) => result.region(&location, Verdict::Unknown, Some(why)),
                    None => result.region(&location, Verdict::Bounded, None),
                }
            }
        }
    }
    // A gap makes the pair unknown even where no region is there to show it.
    if result.pair.regions.is_empty()
        && let Some(why) = vacuous.or_else(|| gaps.first().cloned())
    {
        result.region("threads", Verdict::Unknown, Some(why));
    }
}

/// Asks for one region: `Some("race")`, `Some(why it is unknown)`, or `None`: not within the bounds.
fn ask(
    result: &mut Checked,
    checker: &mut Checker<'_>,
    program: &Program,
    mut candidates: Vec<(SiteId, SiteId, Term)>,
    region: Option<&str>,
    options: &Options,
) -> Option<String> {
    for _ in 0..TRIES {
        if candidates.is_empty() {
            return None;
        }
        let conditions: Vec<Term> = candidates.iter().map(|(_, _, g)| *g).collect();
        let schedule = match checker.possible(&conditions) {
            Possible::No => return None,
            Possible::Unknown(why) => return Some(why),
            Possible::Yes(schedule) => *schedule,
        };
        let claim = schedule.failure.clone();
        match confirm::confirm_with(program, &schedule, options.marked) {
            Ok(confirmed) => {
                result
                    .findings
                    .push(finding::make(schedule, confirmed, region, options));
                return Some("race".to_string());
            }
            Err(divergence) => {
                result.not_replayed += 1;
                dump(&schedule, &divergence.to_string());
                let (x, y) = match claim {
                    crate::trace::schedule::Failure::Race { first, second } => {
                        (first.site, second.site)
                    }
                    crate::trace::schedule::Failure::Assertion(step) => (SiteId(0), step.site),
                };
                candidates.retain(|(a, b, _)| (*a, *b) != (x, y));
                if candidates.is_empty() {
                    return Some(format!(
                        "an interleaving was found that the interpreter does not confirm: {divergence}"
                    ));
                }
            }
        }
    }
    Some("interleavings were found that the interpreter does not confirm".to_string())
}

/// An unconfirmed interleaving is a bug of this program: kept for whoever looks into it.
fn dump(schedule: &crate::trace::schedule::Schedule, why: &str) {
    if let Some(folder) = std::env::var_os("IRKISS_DUMP") {
        let folder = std::path::PathBuf::from(folder);
        let text = serde_json::to_string_pretty(schedule).unwrap_or_default();
        let name = format!(
            "unconfirmed-{:016x}.json",
            crate::trace::file::fnv1a(text.as_bytes())
        );
        let _ = std::fs::write(folder.join(name), format!("// {why}\n{text}\n"));
    }
}

fn reach(
    result: &mut Checked,
    checker: &mut Checker<'_>,
    program: &Program,
    plan: &PairPlan,
) -> Reach {
    let mut threads: Vec<u32> = checker.run().reached.keys().map(|(_, t)| *t).collect();
    threads.sort_unstable();
    threads.dedup();
    let n = program.sites.len();
    let mut reach = Reach {
        a: FixedBitSet::with_capacity(n),
        b: FixedBitSet::with_capacity(n),
    };
    for t in threads {
        let sites = checker.reached(t);
        let set = if t == 0 { &mut reach.a } else { &mut reach.b };
        for s in sites {
            set.insert(s.index());
        }
    }
    let count = |planned: &FixedBitSet, shown: &FixedBitSet| {
        let user: Vec<usize> = planned
            .ones()
            .filter(|s| !program.sites[SiteId::new(*s)].in_model)
            .collect();
        let got = user.iter().filter(|s| shown.contains(**s)).count();
        (got as u32, user.len() as u32)
    };
    result.pair.reachable_sites = [
        count(&plan.reachable_a, &reach.a),
        count(&plan.reachable_b, &reach.b),
    ];
    reach
}

/// Why nothing can be said: a side that got nowhere.
fn vacuous(program: &Program, plan: &PairPlan, reach: &Reach, result: &Checked) -> Option<String> {
    let side = |planned: &FixedBitSet, shown: &FixedBitSet, name: &str| {
        let any_user = planned
            .ones()
            .any(|s| !program.sites[SiteId::new(s)].in_model);
        let got = shown
            .ones()
            .any(|s| !program.sites[SiteId::new(s)].in_model);
        (any_user && !got)
            .then(|| format!("vacuous: {name} is not shown to reach any visible instruction"))
    };
    if plan.reachable_b.is_clear() && reach.b.is_clear() {
        return Some(format!(
            "vacuous: no second thread is started beside {}",
            result.pair.a
        ));
    }
    side(&plan.reachable_a, &reach.a, &result.pair.a)
        .or_else(|| side(&plan.reachable_b, &reach.b, &result.pair.b))
}
