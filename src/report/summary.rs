//! What is known of everything else: the table of pairs, what is unknown and why, what the verdicts rest on.

use std::collections::{BTreeMap, BTreeSet};

use super::style::{BAD, FAINT, GOOD, STRONG, WARNING, paint};
use super::{More, count, fields, guards, interleaving, open, place, wording};
use crate::assumption::Assumption;
use crate::deadline::Stopped;
use crate::environment::rules::Effect;
use crate::program::Silencer;
use crate::verdict::{Bounds, FindingKind, Outcome, Overall, PairResult, RegionResult, Verdict};

/// Pairs shown in the table, and in one that tells all.
const ROWS: [usize; 2] = [12, 200];
/// Causes of what is unknown that are told, unless all are asked for.
const CAUSES: usize = 4;
/// Rules that are named by which pairs never overlap.
const APART: usize = 5;
/// Lines of text are broken here.
const WIDTH: usize = 72;

/// The summary.
pub(super) fn render(outcome: &Outcome, more: More) -> String {
    let mut out = String::new();
    line!(out, "{}", paint(STRONG, outcome.input.join(" ")));
    pairs(&mut out, outcome, more.all);
    let mut told = String::new();
    suppressed(&mut told, outcome);
    unknown(&mut told, outcome, more.all);
    assumptions(&mut told, outcome, more.all);
    models(&mut told, outcome);
    out.push_str(&within(&told, more.columns()));
    if more.fields {
        out.push_str(&fields::render(outcome));
    }
    if let Some(guards) = &outcome.guarded_by {
        out.push_str(&guards::table(guards));
    }
    if more.stats {
        line!(out, "\nCounts:");
        for (name, n) in &outcome.stats {
            line!(out, "  {n:>12} {name}");
        }
    }
    let mut told = String::new();
    bounds(&mut told, outcome, more.all);
    out.push_str(&within(&told, more.columns()));
    out
}

/// Lines that are longer are broken.
fn within(text: &str, width: usize) -> String {
    // Colour codes take no columns.
    let columns = |l: &str| -> usize {
        let plain = anstream::adapter::strip_str(l);
        plain.map(|piece| piece.chars().count()).sum()
    };
    let lines = text.lines().flat_map(|l| match columns(l) <= width {
        true => vec![l.to_string()],
        false => interleaving::wrap(l, width),
    });
    lines.map(|l| l + "\n").collect()
}

/// What was gone through, and what was not.
fn bounds(out: &mut String, outcome: &Outcome, all: bool) {
    let b = outcome.bounds;
    let regions = outcome.pairs.iter().flat_map(|p| &p.regions);
    let claims = regions.map(RegionResult::within);
    let mut searched = wording::searched(claims, &b).into_iter();
    let (bounds, of) = searched.next().unwrap_or_default();
    line!(
        out,
        "\nBounds: {bounds} unwind={} recursion={}; sequential consistency",
        b.unwind,
        b.recursion
    );
    let others: Vec<String> = searched
        .map(|(bounds, n)| format!("{bounds} of {}", count(n, "region")))
        .collect();
    if !others.is_empty() {
        line!(
            out,
            "        these of {}; {}",
            count(of, "region"),
            others.join(", ")
        );
    }
    match all {
        true => lengths(out, &b),
        false => line!(
            out,
            "        copies up to {} bytes, loops up to {} rounds{} (-v tells more)",
            b.copy_symbolic,
            b.iterations,
            if b.typed {
                ", memory of its C type"
            } else {
                ""
            }
        ),
    }
    if let Some(percent) = b.switch_points {
        line!(
            out,
            "        threads are interrupted at {percent} of a hundred switch points, chosen as if at random: what needs the others is missed"
        );
    }
    let not_asked: Vec<&str> = outcome.not_asked.iter().map(|p| p.several()).collect();
    if !not_asked.is_empty() {
        line!(
            out,
            "Not looked for: {} (--property all)",
            not_asked.join(", ")
        );
    }
    if let Some(stopped) = outcome.stopped {
        line!(
            out,
            "{}",
            paint(
                WARNING,
                format!("Stopped before the end ({stopped}): {}", differs(stopped))
            )
        );
    }
}

/// What is cut short within a thread.
fn lengths(out: &mut String, b: &Bounds) {
    line!(
        out,
        "        copies and fills up to {} bytes ({} where the length is one of a few constants, {} where it is constant), loops with a constant count up to {} times ({} where something else may end them or others run within)",
        b.copy_symbolic,
        b.copy_few,
        b.copy_constant,
        b.iterations,
        b.open_iterations
    );
    if b.typed {
        line!(
            out,
            "        pointers lead to memory of their C type, indices and lengths into their array (--strict does without)"
        );
    }
}

/// Whether another run would leave the same unknown.
fn differs(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Work(_) => "what is unknown is the same each time with --jobs 1",
        _ => "what is unknown may differ from run to run",
    }
}

fn verdict_counts(pair: &PairResult) -> [usize; 4] {
    let mut counts = [0; 4];
    for region in &pair.regions {
        counts[match region.verdict() {
            Verdict::Race => 0,
            Verdict::Proved => 1,
            Verdict::Bounded => 2,
            Verdict::Unknown => 3,
        }] += 1;
    }
    counts
}

fn pairs(out: &mut String, outcome: &Outcome, all: bool) {
    let mut shown: Vec<&PairResult> = outcome
        .pairs
        .iter()
        .filter(|p| p.serialized_by.is_none() && !p.regions.is_empty())
        .collect();
    // Worst first; within that, in the order of the pairs.
    shown.sort_by_key(|p| std::cmp::Reverse(p.overall()));
    if !shown.is_empty() {
        line!(
            out,
            "\n  {}",
            paint(
                STRONG,
                "found proved bounded unknown  sites reached     pair (regions of memory by verdict)"
            )
        );
    }
    let rows = ROWS[usize::from(all)];
    for pair in shown.iter().take(rows) {
        let [race, proved, bounded, unknown] = verdict_counts(pair);
        let cell = |n: usize, width: usize, style| {
            let text = format!("{n:>width$}");
            if n == 0 { text } else { paint(style, text) }
        };
        line!(
            out,
            "  {} {} {bounded:>7} {}  {:<17} {}",
            cell(race, 5, BAD),
            cell(proved, 6, GOOD),
            cell(unknown, 7, WARNING),
            sites(pair),
            pair.label()
        );
    }
    if shown.len() > rows {
        let more = if all { "--format json has all" } else { "-v" };
        line!(
            out,
            "  … and {} ({more})",
            count(shown.len() - rows, "more pair")
        );
    }
    kept_apart(out, outcome);
    nothing_shared(out, outcome);
}

/// Pairs that something keeps from ever overlapping, by what does.
fn kept_apart(out: &mut String, outcome: &Outcome) {
    let mut serialized: BTreeMap<&str, usize> = BTreeMap::new();
    for by in outcome
        .pairs
        .iter()
        .filter_map(|p| p.serialized_by.as_deref())
    {
        *serialized.entry(by).or_default() += 1;
    }
    let mut serialized: Vec<(&str, usize)> = serialized.into_iter().collect();
    serialized.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let (named, others) = serialized.split_at(serialized.len().min(APART));
    for (by, n) in named {
        line!(out, "  {} kept apart by {by}", count(*n, "pair"));
    }
    let rest: usize = others.iter().map(|(_, n)| n).sum();
    if rest > 0 {
        line!(
            out,
            "  {} kept apart by {} (--list-entry-points has all)",
            count(rest, "pair"),
            count(others.len(), "more rule")
        );
    }
}

/// Pairs of which there is nothing to ask.
fn nothing_shared(out: &mut String, outcome: &Outcome) {
    let apart = || outcome.pairs.iter().filter(|p| p.nothing_shared);
    let nowhere = apart().filter(|p| p.vacuous().is_some()).count();
    let all = apart().count();
    if all > nowhere {
        line!(
            out,
            "  {} with nothing shared: no memory that both use and one writes (not executed)",
            count(all - nowhere, "pair")
        );
    }
    if nowhere > 0 {
        line!(
            out,
            "  {} with nothing shared as far as known: one side is not shown to reach anything (unknown)",
            count(nowhere, "pair")
        );
    }
    let quiet = outcome
        .pairs
        .iter()
        .filter(|p| p.serialized_by.is_none() && !p.nothing_shared && p.regions.is_empty())
        .filter(|p| p.suppressed.is_empty())
        .count();
    if quiet > 0 {
        line!(out, "  {} without a question to ask", count(quiet, "pair"));
    }
}

/// The sites shown, side by side; nothing of those of which none were to be shown was executed.
fn sites(pair: &PairResult) -> String {
    let sides = pair.reachable_sites.iter();
    if sides.clone().all(|(_, of)| *of == 0) {
        return "-".to_string();
    }
    let each: Vec<String> = sides.map(|(n, of)| format!("{n}/{of}")).collect();
    each.join(" ")
}

/// The races that the source says are meant: how many places, by what, and which.
fn suppressed(out: &mut String, outcome: &Outcome) {
    let mut by: BTreeMap<Silencer, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
    for what in outcome.pairs.iter().flat_map(|p| &p.suppressed) {
        let silenced = what.accesses.iter().filter(|a| a.silenced);
        let places = silenced.map(|a| format!("{} in {}", place(Some(&a.at)), a.at.function));
        let all = by.entry(what.by).or_default();
        all.entry(&what.location).or_default().extend(places);
    }
    if by.is_empty() {
        return;
    }
    let counts: Vec<String> = by
        .iter()
        .map(|(by, locations)| format!("{} ({})", locations.len(), by.word()))
        .collect();
    line!(out, "\nsuppressed: {}", counts.join(", "));
    for (location, places) in by.values().flatten() {
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        line!(out, "  {location}: {}", paint(FAINT, places.join(", ")));
    }
}

/// Unknown regions by reason, and the entry points that got nowhere.
fn unknown(out: &mut String, outcome: &Outcome, all: bool) {
    let report = open::of(outcome);
    let causes = report.as_ref().map(open::causes).unwrap_or_default();
    if !causes.is_empty() {
        line!(out, "\nUnknown, and why:");
    }
    let most = if all { usize::MAX } else { CAUSES };
    let left = causes.len().saturating_sub(most);
    for cause in causes.into_iter().take(most) {
        let more = match cause.open.len() - 1 {
            0 => String::new(),
            n => format!(" and {}", count(n, "more region")),
        };
        let (pair, region) = cause.open[0];
        let example = format!("{} in {} × {}{more}", region.location, pair.a, pair.b);
        line!(out, "  {}\n      {}", cause.text, paint(FAINT, example));
    }
    if left > 0 {
        line!(out, "  and {} (irkiss why)", count(left, "more cause"));
    }
    let regions = outcome
        .pairs
        .iter()
        .flat_map(|p| p.regions.iter().map(move |r| (p, r)));
    for (pair, region) in regions.filter(|(_, r)| !r.run().is_empty()) {
        line!(
            out,
            "\nHow the net gets to {} in {}:",
            region.claim(),
            pair.label()
        );
        for step in region.run() {
            line!(out, "  {step}");
        }
    }
    nowhere(out, outcome);
    if outcome.not_replayed > 0 {
        line!(
            out,
            "\n{} by the interpreter: a bug in irkiss; the pairs are unknown",
            paint(
                WARNING,
                format!(
                    "{} not confirmed",
                    count(outcome.not_replayed as usize, "schedule")
                )
            )
        );
    }
}

/// Entry points that got nowhere in any pair, and what would have to come first.
fn nowhere(out: &mut String, outcome: &Outcome) {
    let got = |name: &str| {
        let mut pairs = outcome.pairs.iter();
        pairs.any(|p| {
            let mut sides = p.threads().into_iter().zip(&p.reachable_sites);
            sides.any(|(side, (shown, _))| side == name && *shown > 0)
        })
    };
    let vacuous = outcome.pairs.iter().filter_map(PairResult::vacuous);
    let vacuous: BTreeSet<&str> = vacuous.filter(|name| !got(name)).collect();
    if vacuous.is_empty() {
        return;
    }
    line!(
        out,
        "\nVacuous (no visible site was shown reachable in any pair):"
    );
    for name in vacuous {
        let mut entries = outcome.entries.iter();
        let entry = entries.find(|e| e.function == name);
        let starts = entry.map_or(&[][..], |e| &e.changes);
        let starts = starts
            .iter()
            .filter(|c| c.effects.contains(&Effect::Starts));
        let starts: Vec<&str> = starts.map(|c| c.function.as_str()).collect();
        match (entry, starts.as_slice()) {
            (Some(entry), [_, ..]) => line!(
                out,
                "  {name} ({}): it runs once {} has started it, which no pair shows (--pair with those that call it, as a third or fourth)",
                entry.via,
                starts.join(" or ")
            ),
            _ => line!(out, "  {name}"),
        }
    }
}

/// What the verdicts rest on: by name, or in words.
fn assumptions(out: &mut String, outcome: &Outcome, all: bool) {
    let mut rests_on: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let regions = outcome.pairs.iter().flat_map(|p| &p.regions);
    let regions = regions.map(|r| (r.assumptions(), 0));
    let pairs = outcome.pairs.iter();
    let pairs = pairs.map(|p| (&p.assumptions[..], 1 + usize::from(!p.regions.is_empty())));
    for (assumptions, of) in regions.chain(pairs) {
        for assumption in assumptions {
            names.insert(assumption.code());
            let text = match assumption {
                // Each is listed below.
                Assumption::Unmodelled(_) => {
                    "functions without a model have no effect but the default's".to_string()
                }
                other => other.to_string(),
            };
            rests_on.entry(text).or_default()[of] += 1;
        }
    }
    if rests_on.is_empty() {
        return;
    }
    if !all {
        line!(out, "\nThe verdicts rest on (-v says it in words):");
        fill(out, names.into_iter().map(str::to_string));
        return;
    }
    line!(out, "\nThe verdicts rest on:");
    for (assumption, [regions, empty, others]) in rests_on {
        let mut of = Vec::new();
        if regions > 0 {
            of.push(count(regions, "region"));
        }
        if empty > 0 {
            of.push(format!("{} without a region", count(empty, "pair")));
        }
        if others > 0 {
            of.push(format!("nothing else in {}", count(others, "pair")));
        }
        line!(out, "  {assumption} ({})", of.join(", "));
    }
}

fn models(out: &mut String, outcome: &Outcome) {
    if !outcome.default_models.is_empty() {
        line!(
            out,
            "\nFunctions without a model (taken to return anything and to access nothing but what they are given; calls in brackets):"
        );
        let names = outcome
            .default_models
            .iter()
            .map(|(n, calls)| format!("{n} ({calls})"));
        fill(out, names);
    }
    if !outcome.unmodelled_asm.is_empty() {
        line!(
            out,
            "\nInline assembly without a model (reaching it is unknown; sites in brackets):"
        );
        for (text, sites) in &outcome.unmodelled_asm {
            line!(out, "  {} ({sites})", text.escape_debug());
        }
    }
    if !outcome.notes.is_empty() {
        line!(out, "\nNotes:");
        for note in &outcome.notes {
            line!(out, "  {note}");
        }
    }
}

/// Words with commas between, broken into lines.
fn fill(out: &mut String, words: impl Iterator<Item = String>) {
    let mut column = 0;
    for (n, word) in words.enumerate() {
        if n > 0 {
            out.push(',');
        }
        if n == 0 || column + word.len() + 2 > WIDTH {
            out.push_str(if n == 0 { "  " } else { "\n  " });
            column = 2;
        } else {
            out.push(' ');
            column += 2;
        }
        column += word.len();
        out.push_str(&word);
    }
    out.push('\n');
}

/// The last line.
pub(super) fn verdict(outcome: &Outcome) -> String {
    let of = count(outcome.pairs.len(), "pair");
    let but = match outcome.set_aside.is_empty() {
        true => "",
        false => " but what is allowed or known",
    };
    match outcome.overall() {
        Overall::Bug => {
            let mut kinds: BTreeMap<FindingKind, usize> = BTreeMap::new();
            for finding in &outcome.findings {
                *kinds.entry(finding.kind).or_default() += 1;
            }
            let parts = kinds
                .iter()
                .map(|(k, n)| count(*n, wording::kind(*k).counted));
            let parts: Vec<String> = parts.collect();
            format!(
                "Verdict: {} – {} in {of}",
                paint(BAD, "bug"),
                parts.join(", ")
            )
        }
        Overall::Unknown if outcome.pairs.is_empty() => format!(
            "Verdict: {} – nothing was checked",
            paint(WARNING, "unknown")
        ),
        Overall::Unknown => format!(
            "Verdict: {} – nothing found in {of}{but}, not everything decided",
            paint(WARNING, "unknown")
        ),
        Overall::Bounded => format!(
            "Verdict: {} – nothing found in {of} within the bounds{but}",
            paint(STRONG, "bounded")
        ),
        Overall::Proved => format!(
            "Verdict: {} – no race in {of}, for any number of threads",
            paint(GOOD, "proved")
        ),
    }
}
