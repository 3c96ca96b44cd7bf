//! One question: can one of these failures happen, by an interleaving that the interpreter confirms?

use std::collections::{BTreeMap, BTreeSet};

use super::{Shared, representative};
use crate::analysis::callgraph::CallGraph;
use crate::expr::Term;
use crate::finding;
use crate::index::{FuncId, LocId, SiteId};
use crate::program::Program;
use crate::region::Region;
use crate::replay::{answers, confirm, plain, rests};
use crate::symex::memory::untracked::Left;
use crate::symex::witness::checker::{CheckAt, Checker, Possible};
use crate::trace::schedule::{Failure, Schedule};
use crate::verdict::{Claim, Finding, FindingKind, Why, is_header};

/// Interleavings tried per claim, and per pair of accesses, before models that do not replay make it unknown.
const TRIES: usize = 6;
const TRIES_OF_ONE: usize = 3;

/// The same where threads were put together that know nothing of each other: each takes both threads to be executed again.
const TRIES_TOGETHER: usize = 2;

/// What was said of a claim while it was asked for.
pub(super) enum Said {
    Race,
    Unknown(Why),
    /// It depends on these, which are not followed.
    Misled(BTreeSet<Left>),
    /// Not within the bounds, if nothing was left out.
    No,
}

impl Said {
    /// What two questions come to.
    pub fn or(self, other: Said) -> Said {
        match (self, other) {
            (Said::Race, _) | (_, Said::Race) => Said::Race,
            (Said::Misled(mut a), Said::Misled(b)) => {
                a.extend(b);
                Said::Misled(a)
            }
            (Said::Misled(sites), _) | (_, Said::Misled(sites)) => Said::Misled(sites),
            (Said::Unknown(why), _) | (_, Said::Unknown(why)) => Said::Unknown(why),
            (Said::No, Said::No) => Said::No,
        }
    }
}

/// The failures that may belong to a region: by the check, if executions go on after it.
pub(super) type Questions = BTreeMap<Option<CheckAt>, Vec<(SiteId, SiteId, Term)>>;

/// Asks for all claims: what is possible of none of them is one question. `of_plan`: a region of that name, in which `*` stands for
/// every index, is asked for.
pub(super) fn all(
    not_replayed: &mut u32,
    checker: &mut Checker<'_>,
    shared: &Shared<'_, '_>,
    claims: Vec<(Claim, Questions)>,
    of_plan: &dyn Fn(&str) -> bool,
    found: &dyn Fn(Finding),
) -> Vec<(Claim, Said)> {
    let mut said: Vec<(Claim, Said)> = Vec::new();
    let mut open = Vec::new();
    for (n, (claim, questions)) in claims.into_iter().enumerate() {
        said.push((claim, Said::No));
        for (check, candidates) in questions {
            let guards: Vec<Term> = candidates.iter().map(|(_, _, g)| *g).collect();
            open.push((checker.any_of(&guards), n, check, candidates));
        }
    }
    while !open.is_empty() {
        let conditions: Vec<Term> = open.iter().map(|(any, ..)| *any).collect();
        // One that is left alone is asked as such.
        let now = match open.len() {
            1 => vec![0],
            _ => checker.holding(&conditions),
        };
        if now.is_empty() {
            break;
        }
        for (nth, question) in std::mem::take(&mut open).into_iter().enumerate() {
            if !now.contains(&nth) {
                open.push(question);
                continue;
            }
            let (_, n, check, candidates) = question;
            let (claim, so_far) = &mut said[n];
            let region = claim.region();
            // Accesses in a function that serves several objects: they may race on another one.
            let elsewhere =
                |place: &str| region.is_some_and(|own| !own.has(place)) && of_plan(place);
            let more = ask(
                not_replayed,
                checker,
                shared,
                candidates,
                (region.map(Region::name), check),
                (&elsewhere, found),
            );
            *so_far = std::mem::replace(so_far, Said::No).or(more);
        }
    }
    said
}

/// Whether that is the name of another region.
pub(super) type Elsewhere<'a> = &'a dyn Fn(&str) -> bool;

/// Where findings go.
type Told<'a> = &'a dyn Fn(Finding);

/// Asks for one region. A race that is `elsewhere` is told, and is none of the region.
pub(super) fn ask(
    not_replayed: &mut u32,
    checker: &mut Checker<'_>,
    shared: &Shared<'_, '_>,
    mut candidates: Vec<(SiteId, SiteId, Term)>,
    (region, wanted): (Option<&str>, Option<CheckAt>),
    (elsewhere, found): (Elsewhere<'_>, Told<'_>),
) -> Said {
    // Where a candidate was found and not confirmed, its absence is not known any more.
    let mut unconfirmed: Option<Why> = None;
    let mut lost = 0;
    let mut tries: BTreeMap<(SiteId, SiteId), usize> = BTreeMap::new();
    let most = match checker.is_put_together() {
        true => TRIES_TOGETHER,
        false => TRIES,
    };
    for _ in 0..most {
        let conditions: Vec<_> = candidates.iter().map(|(_, _, g)| *g).collect();
        let among: Vec<_> = candidates.iter().map(|(a, b, _)| (*a, *b)).collect();
        let schedule = match checker.possible(&conditions, wanted, &among) {
            Possible::No => break,
            Possible::Unknown(why) => {
                let stopped = shared.deadline.passed();
                return Said::Unknown(stopped.map_or(Why::Solver(why), Why::Stopped));
            }
            // Another assignment may lead there.
            Possible::Lost(why) => {
                unconfirmed.get_or_insert(Why::Lost(why));
                lost += 1;
                if lost == TRIES_OF_ONE {
                    break;
                }
                for (_, _, guard) in &mut candidates {
                    *guard = checker.otherwise(*guard);
                }
                continue;
            }
            Possible::Misled(sites) => return Said::Misled(sites),
            Possible::Yes(schedule) => *schedule,
        };
        let sites = sites(&schedule.failure);
        match replay(shared, schedule, region, !checker.is_put_together()) {
            Ok(finding) => {
                let asked = representative::Asked {
                    shared,
                    region,
                    elsewhere,
                };
                let finding = with_all(asked, checker, &candidates, (finding, sites));
                let other = elsewhere(&finding.location).then(|| finding.location.clone());
                found(finding);
                let Some(other) = other else {
                    return Said::Race;
                };
                unconfirmed.get_or_insert(Why::Elsewhere(other));
            }
            Err(why) => {
                *not_replayed += u32::from(matches!(why, Why::NotReplayed(_)));
                unconfirmed.get_or_insert(why);
            }
        }
        // Another interleaving may replay: of a section that was checked as the first access, it is for the interpreter to say whether
        // it can still be entered when the second access comes.
        let n = tries.entry(sites).or_default();
        *n += 1;
        let done = *n == TRIES_OF_ONE;
        for (_, _, guard) in candidates.iter_mut().filter(|(a, b, _)| (*a, *b) == sites) {
            *guard = checker.otherwise(*guard);
        }
        candidates.retain(|(a, b, _)| (*a, *b) != sites || !done);
    }
    match unconfirmed {
        None => Said::No,
        Some(why) => Said::Unknown(why),
    }
}

/// Of a confirmed race: the one of its region that is best shown, and which others there may be. Other findings stay as they are.
fn with_all(
    asked: representative::Asked<'_, '_>,
    checker: &mut Checker<'_>,
    candidates: &[(SiteId, SiteId, Term)],
    (mut finding, sites): (Finding, (SiteId, SiteId)),
) -> Finding {
    if finding.kind != FindingKind::DataRace {
        return finding;
    }
    let shared = asked.shared;
    if !(asked.elsewhere)(&finding.location) {
        finding = asked.best(checker, candidates, (finding, sites));
    }
    let pairs: Vec<_> = candidates.iter().map(|(x, y, _)| (*x, *y)).collect();
    finding.other_pairs = places(&shared.closed.concurrent, &pairs).saturating_sub(1);
    finding.functions = functions(shared, &pairs);
    finding
}

/// The sites of the two accesses that a failure is about, or of the one.
pub(super) fn sites(failure: &Failure) -> (SiteId, SiteId) {
    match failure {
        Failure::Race { first, second } => (first.site, second.site),
        Failure::Atomicity { read, write } => (read.site, write.site),
        Failure::Assertion(step) | Failure::UseAfterFree(step) | Failure::Property(_, step) => {
            (SiteId(0), step.site)
        }
    }
}

/// What the interpreter confirms, or why it is no finding. `expected`: it is a bug if it does not.
pub(super) fn replay(
    shared: &Shared<'_, '_>,
    schedule: Schedule,
    region: Option<&str>,
    expected: bool,
) -> Result<Finding, Why> {
    let program = &shared.closed.concurrent;
    let how = (program.marked, shared.options.race_check);
    let answers = answers::taken(program, &schedule);
    match confirm::confirm_by(program, &schedule, how) {
        // A race is where two accesses meet: it is told with what it rests on.
        Ok(_) if !answers.is_empty() && !matches!(schedule.failure, Failure::Race { .. }) => {
            Err(Why::AnyAnswer(answers))
        }
        Ok(confirmed) => {
            let endless = shared.endings.rests_on(shared.closed, &schedule);
            if !endless.is_empty() && !shared.named {
                return Err(Why::Endless(endless));
            }
            if let Some(why) = shared.begun.and_then(|begun| begun.not_told(&schedule)) {
                return Err(why);
            }
            let plain = plain::plainest(program, &schedule, how);
            let (schedule, confirmed) = match confirm::confirm_by(program, &plain, how) {
                Ok(confirmed) => (plain, confirmed),
                Err(_) => (schedule, confirmed),
            };
            let state = rests::of(program, &schedule, how);
            let rests = (state, answers.as_slice());
            let mut finding = finding::make(schedule, confirmed, rests, region, shared.options);
            if !endless.is_empty() {
                finding.assumptions.push(format!(
                    "that the threads run beside each other: nothing tells when the kernel calls {} for the last time",
                    endless.join(", ")
                ));
            }
            Ok(finding)
        }
        Err(divergence) => {
            if expected {
                dump(&schedule, &divergence.to_string());
            }
            Err(Why::NotReplayed(divergence.to_string()))
        }
    }
}

/// How many pairs of places in the source the candidates are.
pub(super) fn places(program: &Program, candidates: &[(SiteId, SiteId)]) -> u32 {
    let at = |s: &SiteId| program.source.describe(program.sites[*s].loc);
    let pairs: BTreeSet<[String; 2]> = candidates
        .iter()
        .map(|(x, y)| {
            let mut pair = [at(x), at(y)];
            pair.sort();
            pair
        })
        .collect();
    u32::try_from(pairs.len()).unwrap_or(u32::MAX)
}

/// The functions that the candidates stand in, as [`crate::verdict::Access::at`] names them.
pub(super) fn functions(shared: &Shared<'_, '_>, candidates: &[(SiteId, SiteId)]) -> Vec<String> {
    let program = &shared.closed.concurrent;
    let sites: BTreeSet<SiteId> = candidates.iter().flat_map(|(x, y)| [*x, *y]).collect();
    let mut all = BTreeSet::new();
    for site in sites {
        let site = &program.sites[site];
        if let Some(name) = own_function(program, site.loc) {
            all.insert(name);
        } else if let Some(function) = program.function_named(&site.function) {
            all.extend(users(program, shared.planner.call_graph(), function));
        }
    }
    all.into_iter().collect()
}

/// The innermost function at a place, inlined ones included, that stands in no header.
fn own_function(program: &Program, loc: Option<LocId>) -> Option<String> {
    let source = &program.source;
    let stack = source.inline_stack(loc?).into_iter();
    let mut places = stack.map(|l| &source.locations[l]);
    let own = places.find(|l| !is_header(&source.files[l.file]))?;
    (!own.function.is_empty()).then(|| own.function.clone())
}

/// The functions in no header by which one of a header, or a model, is called: through others of those, too.
fn users(program: &Program, graph: &CallGraph, function: FuncId) -> BTreeSet<String> {
    let mut seen = BTreeSet::from([function]);
    let mut work = vec![function];
    let mut found = BTreeSet::new();
    while let Some(f) = work.pop() {
        for caller in graph.callers(f) {
            let whole = &program.functions[caller];
            let own = || own_function(program, whole.loc);
            match own().filter(|_| !whole.is_model) {
                Some(_) => {
                    found.insert(whole.name.clone());
                }
                None if seen.insert(caller) => work.push(caller),
                None => {}
            }
        }
    }
    found
}

/// An unconfirmed interleaving is a bug of this program: kept for whoever looks into it.
fn dump(schedule: &Schedule, why: &str) {
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
