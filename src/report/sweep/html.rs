//! A night as one page for a browser: its modules, with filters; of each what was found, and what is open.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;

use super::{Picture, command, date};
use crate::bugs::class::Severity;
use crate::report::formats::html;
use crate::report::{count, place_of};
use crate::sweep::changes::{Changes, Found, State};
use crate::sweep::reading::{Access, Finding};
use crate::verdict::Verdict;

/// The worst first.
const SEVERITIES: [Severity; 4] = [
    Severity::Harmful,
    Severity::Check,
    Severity::Marking,
    Severity::Benign,
];

/// What a module is, in a word. The order is that of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// Something was found.
    Found,
    /// It has no report.
    Failed,
    /// Something is undecided.
    Open,
    /// Everything is decided.
    Decided,
}

impl Kind {
    const ALL: [(Kind, &'static str, &'static str); 4] = [
        (Kind::Found, "found", "with findings"),
        (Kind::Failed, "failed", "without a report"),
        (Kind::Open, "open", "undecided in part"),
        (Kind::Decided, "decided", "decided"),
    ];
}

#[derive(Serialize)]
struct Page {
    title: String,
    tiles: Vec<Tile>,
    began: String,
    regions: String,
    otherwise: Vec<String>,
    kinds: Vec<KindOut>,
    severities: [&'static str; 4],
    classes: BTreeSet<&'static str>,
    entry_points: BTreeSet<String>,
    compared: bool,
    modules: Vec<Module>,
    fixed: Vec<String>,
}

#[derive(Serialize)]
struct Tile {
    n: usize,
    what: String,
    style: &'static str,
}

#[derive(Serialize)]
struct KindOut {
    code: &'static str,
    text: &'static str,
    n: usize,
    /// Whether such modules are shown at first.
    checked: bool,
}

#[derive(Serialize)]
struct Module {
    kind: Kind,
    name: String,
    proved: u64,
    bounded: u64,
    unknown: u64,
    problem: Option<String>,
    graded: Vec<Tile>,
    findings: Vec<FindingOut>,
    causes: Vec<CauseOut>,
    lost: Vec<String>,
}

#[derive(Serialize)]
struct FindingOut {
    #[serde(skip)]
    rank: Severity,
    severity: &'static str,
    class: &'static str,
    /// `told`, or `known`: the other night had it.
    state: &'static str,
    message: String,
    entry_points: BTreeSet<String>,
    accesses: Vec<AccessOut>,
    command: String,
    id: String,
}

#[derive(Serialize)]
struct AccessOut {
    kind: String,
    function: String,
    at: String,
    entry_point: String,
}

#[derive(Serialize)]
struct CauseOut {
    text: String,
    n: usize,
}

/// The page.
pub fn render(picture: Picture<'_>) -> String {
    let now = picture.now;
    let mut by_task: HashMap<&str, Vec<Found<'_>>> = HashMap::new();
    for found in now.findings() {
        by_task.entry(found.task).or_default().push(found);
    }
    let known = known(picture);
    let mut modules: Vec<Module> = now
        .tasks
        .iter()
        .map(|(name, state)| {
            let found = by_task.remove(name.as_str()).unwrap_or_default();
            module(picture, name, state, &found, &known)
        })
        .collect();
    // The worst first; within that, by name.
    let worst = |m: &Module| m.findings.first().map(|f| f.rank);
    modules.sort_by_cached_key(|m| (m.kind, worst(m), m.name.clone()));
    let kinds = Kind::ALL.map(|(kind, code, text)| KindOut {
        code,
        text,
        n: modules.iter().filter(|m| m.kind == kind).count(),
        checked: kind != Kind::Decided,
    });
    let findings = || modules.iter().flat_map(|m| &m.findings);
    let regions = now.regions();
    let page = Page {
        title: match picture.since {
            Some((name, _)) => format!("Night {} since {name}", now.night),
            None => format!("Night {}", now.night),
        },
        tiles: tiles(picture, &modules),
        began: format!("Began {}", date(now.planned.began)),
        regions: format!(
            "regions of memory: {} proved, {} without a race within the bounds, {} undecided",
            regions.proved, regions.bounded, regions.unknown
        ),
        otherwise: picture
            .since
            .map_or(Vec::new(), |(_, c)| c.otherwise.clone()),
        kinds: kinds.into(),
        severities: SEVERITIES.map(Severity::code),
        classes: findings().map(|f| f.class).collect(),
        entry_points: findings().flat_map(|f| f.entry_points.clone()).collect(),
        compared: picture.since.is_some(),
        fixed: fixed(picture),
        modules,
    };
    html::page("night.html", &page)
}

/// Module and fingerprint of what the other night had, too.
fn known<'a>(picture: Picture<'a>) -> HashSet<(&'a str, &'a str)> {
    let all = |c: &'a Changes<'a>| {
        let known = c.known.iter().chain(&c.carried);
        known
            .map(|f| (f.task, f.finding.fingerprint.as_str()))
            .collect()
    };
    picture.since.map_or_else(HashSet::new, |(_, c)| all(c))
}

fn tiles(picture: Picture<'_>, modules: &[Module]) -> Vec<Tile> {
    let tile = |n, what: &str, style| Tile {
        n,
        what: what.to_string(),
        style,
    };
    let findings = || modules.iter().flat_map(|m| &m.findings);
    let mut tiles = vec![tile(modules.len(), "modules", "quiet")];
    if let Some((_, changes)) = picture.since {
        tiles.push(tile(changes.new.len(), "new", "harmful"));
        tiles.push(tile(changes.fixed.len(), "fixed", "good"));
        tiles.push(tile(
            changes.lost.len(),
            "modules no longer decided",
            "check",
        ));
    }
    tiles.extend(graded(findings()));
    if picture.now.allowed > 0 {
        tiles.push(tile(picture.now.allowed, "allowed, not told", "quiet"));
    }
    tiles
}

/// How many there are of each severity.
fn graded<'a>(findings: impl IntoIterator<Item = &'a FindingOut> + Clone) -> Vec<Tile> {
    let all = SEVERITIES.map(|severity| Tile {
        n: findings
            .clone()
            .into_iter()
            .filter(|f| f.rank == severity)
            .count(),
        what: severity.code().to_string(),
        style: severity.code(),
    });
    all.into()
}

fn fixed(picture: Picture<'_>) -> Vec<String> {
    let all = |c: &Changes<'_>| {
        let fixed = c.fixed.iter();
        fixed
            .map(|f| format!("{}: {}", f.task, f.finding.message))
            .collect()
    };
    picture.since.map_or(Vec::new(), |(_, c)| all(c))
}

fn module(
    picture: Picture<'_>,
    name: &str,
    state: &State,
    found: &[Found<'_>],
    known: &HashSet<(&str, &str)>,
) -> Module {
    let regions = state.regions();
    let problem = picture.now.line(state);
    let mut findings: Vec<FindingOut> = found
        .iter()
        .map(|f| {
            let known = known.contains(&(f.task, f.finding.fingerprint.as_str()));
            let command = command(*f, picture.now, state, picture.here);
            finding(f.finding, command, known, picture)
        })
        .collect();
    findings.sort_by_key(|f| f.rank);
    let changes = picture.since.map(|(_, c)| c);
    let lost = changes.iter().flat_map(|c| &c.lost);
    let lost = lost.filter(|l| l.task == name).map(|l| match l.regions {
        0 => "there is no report any more".to_string(),
        n => format!("{}, such as {}", count(n, "region"), l.example),
    });
    Module {
        kind: match () {
            () if !findings.is_empty() => Kind::Found,
            () if problem.is_some() => Kind::Failed,
            () if regions.unknown > 0 => Kind::Open,
            () => Kind::Decided,
        },
        name: name.to_string(),
        proved: regions.proved,
        bounded: regions.bounded,
        unknown: regions.unknown,
        problem,
        graded: graded(&findings).into_iter().filter(|g| g.n > 0).collect(),
        findings,
        causes: causes(state),
        lost: lost.collect(),
    }
}

fn finding(finding: &Finding, command: String, known: bool, picture: Picture<'_>) -> FindingOut {
    // What was stored before there were classes may be anything.
    let severity = finding.class.map_or(Severity::Check, |c| c.severity());
    let accesses = finding.accesses.iter();
    let name = |file: &str| {
        let below = std::path::Path::new(file).strip_prefix(picture.here);
        below.map_or_else(|_| file.to_string(), |p| p.display().to_string())
    };
    FindingOut {
        rank: severity,
        severity: severity.code(),
        class: finding.class.map_or("", |c| c.code()),
        state: if known { "known" } else { "told" },
        message: finding.message.clone(),
        entry_points: accesses
            .clone()
            .map(|a| a.entry_point.clone())
            .filter(|n| !n.is_empty())
            .collect(),
        accesses: accesses
            .map(|a: &Access| AccessOut {
                kind: a.kind.clone(),
                function: a.function.clone(),
                at: place_of(&name(&a.file), a.line, a.column, &a.function),
                entry_point: a.entry_point.clone(),
            })
            .collect(),
        command,
        id: finding.group.clone().unwrap_or_default(),
    }
}

/// Why what is open is, those of most regions first.
fn causes(state: &State) -> Vec<CauseOut> {
    const MOST: usize = 5;
    let pairs = state.report.iter().flat_map(|r| &r.pairs);
    let open = pairs
        .flat_map(|p| &p.regions)
        .filter(|r| r.verdict == Verdict::Unknown);
    let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
    for why in open.filter_map(|r| r.why.as_ref()) {
        *by_text.entry(&why.text).or_default() += 1;
    }
    let mut causes: Vec<CauseOut> = by_text
        .into_iter()
        .map(|(text, n)| CauseOut {
            text: text.to_string(),
            n,
        })
        .collect();
    causes.sort_by_key(|c| std::cmp::Reverse(c.n));
    causes.truncate(MOST);
    causes
}
