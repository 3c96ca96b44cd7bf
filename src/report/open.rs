//! `irkiss why`: what is not known, by cause; for each cause what stopped it, and what to type.

use std::collections::BTreeMap;

use super::again::Again;
use super::read::{End, Pair, Region, Report, Why};
use super::style::{FAINT, STRONG, paint};
use super::{count, interleaving};
use crate::verdict::{Outcome, Verdict};

/// What is said of an entry point beside initialisation, as [`crate::verdict::Why::code`] has it.
const BEGUN: &str = "begun-early";
/// Threads and lines that are named beside those of a cause's first reason.
const LIKEWISE: usize = 4;
/// Regions that are named of one cause.
const NAMED: usize = 4;

/// A cause, and what is open for it.
pub(super) struct Cause<'a> {
    why: &'a Why,
    /// In words.
    pub text: String,
    /// In fewer words: the first way only, where executions end in several.
    pub brief: String,
    /// The pair, and its region.
    pub open: Vec<(&'a Pair, &'a Region)>,
    /// Whether it has entry points, of which two can be asked for.
    of_driver: bool,
}

impl Cause<'_> {
    /// Its name, for scripts.
    pub fn code(&self) -> &str {
        &self.why.code
    }

    /// Its kind: of those where executions end how they do, else the name of the reason.
    pub fn general(&self) -> &str {
        match self.why.ends.first() {
            Some(end) => end.what.as_deref().unwrap_or(&end.code),
            None => self.code(),
        }
    }

    /// Its kind in words, without what is one input's own.
    pub fn in_short(&self) -> String {
        match self.why.ends.first() {
            Some(end) => format!("executions end with {}", how(end)),
            None => {
                let text = self.brief.strip_prefix("vacuous: ").unwrap_or(&self.brief);
                text.split(": ").next().unwrap_or(text).to_string()
            }
        }
    }

    /// What to type, if something may help.
    pub fn advice(&self, again: &Again) -> Option<String> {
        Some(match typed(self, self.why.next_step.as_ref()?, again) {
            Advice::Command(text) | Advice::Words(text) => text,
        })
    }

    /// The same on lines of so many columns: a command stays whole.
    pub fn tries(&self, again: &Again, width: usize) -> Vec<String> {
        let next = self.why.next_step.as_ref();
        match next.map(|next| typed(self, next, again)) {
            None => Vec::new(),
            Some(Advice::Command(text)) => vec![format!("Try: {text}")],
            Some(Advice::Words(text)) => interleaving::wrap(&format!("Try: {text}"), width),
        }
    }
}

/// What may decide something.
enum Advice {
    /// To be typed as it is.
    Command(String),
    /// To be read.
    Words(String),
}

/// The text.
pub fn render(report: &Report, width: usize) -> String {
    let again = &Again::of(&report.input, report.object.as_deref());
    let files = again.name();
    let width = if width == 0 { super::MAIL } else { width };
    let mut out = String::new();
    let causes = causes(report);
    let open: usize = causes.iter().map(|c| c.open.len()).sum();
    let all: usize = report.pairs.iter().map(|p| p.regions.len()).sum();
    if open == 0 {
        line!(out, "{}: nothing is open ({})", files, count(all, "region"));
        return out;
    }
    let head = format!(
        "{files}: {open} of {} undecided, {}",
        count(all, "region"),
        count(causes.len(), "cause")
    );
    line!(out, "{}", paint(STRONG, head));
    if let Some(stopped) = &report.stopped {
        line!(out, "The run was ended before its time: {stopped}");
    }
    for (n, cause) in causes.iter().enumerate() {
        let label = format!("{:>3}  ", n + 1);
        let text = format!("{} ({})", cause.text, count(cause.open.len(), "region"));
        for (k, piece) in interleaving::wrap(&text, width - label.len())
            .iter()
            .enumerate()
        {
            let start = if k == 0 { label.as_str() } else { "     " };
            line!(out, "{start}{piece}");
        }
        let mut names: Vec<String> = cause
            .open
            .iter()
            .take(NAMED)
            .map(|(p, r)| format!("{} in {} × {}", r.location, p.a, p.b))
            .collect();
        if cause.open.len() > NAMED {
            names.push(format!("and {} more", cause.open.len() - NAMED));
        }
        for piece in interleaving::wrap(&names.join("; "), width - 5) {
            line!(out, "     {}", paint(FAINT, piece));
        }
        for piece in cause.tries(again, width - 5) {
            line!(out, "     {}", paint(STRONG, piece));
        }
    }
    cost(&mut out, report);
    super::names::plain(&out).into_owned()
}

/// What a pair has cost so far: a measure for what more would.
fn cost(out: &mut String, report: &Report) {
    let searched = report
        .pairs
        .iter()
        .filter(|p| !p.regions.is_empty())
        .count() as u64;
    let work = report.stats.get("work").copied().unwrap_or_default();
    if let Some(each) = work.checked_div(searched).filter(|n| *n > 0) {
        line!(
            out,
            "A pair took {each} units of work here, on average; --work UNITS or --timeout SECONDS bounds what a command above may cost."
        );
    }
}

/// What is given more of, as advice names it, and the options that give it: bounds a step more, budgets ten times as much or more.
const LARGER: [(&str, &str); 7] = [
    ("--unwind", "--unwind 4"),
    ("--recursion", "--recursion 2"),
    ("--memory", "--memory 16G"),
    ("--timeout", "--timeout 300"),
    ("--work", "--work 20M"),
    ("--rlimit", "--rlimit 200000000 --total-rlimit 0"),
    ("--max-instructions", "--max-instructions 200000000"),
];

/// What to type: the advice, as a command where it is one; of a driver for a single pair.
fn typed(cause: &Cause<'_>, next: &str, again: &Again) -> Advice {
    let words = || Advice::Words(next.to_string());
    let [first, ..] = cause.open.as_slice() else {
        return words();
    };
    // One of the two is no entry point.
    if cause.code() == BEGUN {
        return match next.contains("--timeout") {
            true => Advice::Command(again.command("--timeout 600")),
            false => words(),
        };
    }
    let named = next.split([' ', ',', ';']);
    let mut options = named.filter_map(|word| LARGER.iter().find(|(name, _)| *name == word));
    let Some((_, option)) = options.next() else {
        return words();
    };
    Advice::Command(match cause.of_driver {
        true => again.command(&format!("--pair {},{} {option}", first.0.a, first.0.b)),
        false => again.command(option),
    })
}

/// The same report without its findings, which no cause needs.
pub(super) fn of(outcome: &Outcome) -> Option<Report> {
    let mut bare = outcome.clone();
    bare.findings.clear();
    bare.set_aside.clear();
    serde_json::from_str(&super::json::render(&bare)).ok()
}

/// One region that is open, and why.
type One<'a> = (&'a Why, &'a Pair, &'a Region);

/// The causes, those of most regions first. What ends executions in one way is one cause, wherever that is, and whatever they do not get
/// to.
pub(super) fn causes(report: &Report) -> Vec<Cause<'_>> {
    let mut grouped: BTreeMap<(&str, String), Vec<One<'_>>> = BTreeMap::new();
    for pair in &report.pairs {
        let open = pair
            .regions
            .iter()
            .filter(|r| r.verdict == Verdict::Unknown);
        for region in open {
            let Some(why) = &region.why else { continue };
            let key = match why.ends.first() {
                Some(first) => ("", how(first)),
                None => (why.code.as_str(), of_any(&short(&why.text), pair)),
            };
            grouped.entry(key).or_default().push((why, pair, region));
        }
    }
    let causes = grouped.into_values().map(|all| {
        let whys: Vec<&Why> = all.iter().map(|(why, ..)| *why).collect();
        Cause {
            why: whys[0],
            text: text(&whys, usize::MAX) + &likewise(&all),
            brief: text(&whys, 1),
            open: all.iter().map(|(_, p, r)| (*p, *r)).collect(),
            of_driver: !report.entry_points.is_empty(),
        }
    });
    let mut causes: Vec<Cause<'_>> = causes.collect();
    causes.sort_by_key(|c| std::cmp::Reverse(c.open.len()));
    causes
}

/// A reason, whichever of the two threads, and whichever place, it names.
fn of_any(text: &str, pair: &Pair) -> String {
    let words = text.split(' ').map(|word| match names(word, pair) {
        true => "…",
        false => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a word is the name of one of two threads, or a line of a source.
fn names(word: &str, pair: &Pair) -> bool {
    let word = bare(word);
    let line = word.rsplit_once(':').map_or("", |(_, line)| line);
    let is_line = !line.is_empty() && line.chars().all(|c| c.is_ascii_digit());
    word == pair.a || word == pair.b || is_line
}

/// A word without what parts a sentence.
fn bare(word: &str) -> &str {
    word.trim_matches([',', ':', ';', '(', ')'])
}

/// Of which threads and lines the same is said as of those that the first reason names.
fn likewise(all: &[One<'_>]) -> String {
    let mut named: Vec<&str> = Vec::new();
    for (why, pair, _) in all.iter().filter(|(why, ..)| why.ends.is_empty()) {
        let words = why.text.split(' ').filter(|word| names(word, pair));
        for word in words.map(bare) {
            if !named.contains(&word) {
                named.push(word);
            }
        }
    }
    // What the first one itself names.
    let first = all.first().map_or("", |(why, ..)| why.text.as_str());
    named.retain(|name| !first.split(' ').any(|w| bare(w) == *name));
    let more = match named.len().saturating_sub(LIKEWISE) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    named.truncate(LIKEWISE);
    match named.as_slice() {
        [] => String::new(),
        names => format!("; likewise {}{more}", short(&names.join(", "))),
    }
}

/// Places that are named of one way in which executions end.
const PLACES: usize = 3;

/// Reasons of one kind in words, with so many ways in which executions end.
fn text(whys: &[&Why], most: usize) -> String {
    let mut ways: Vec<(String, Vec<String>)> = Vec::new();
    for end in whys.iter().flat_map(|w| &w.ends) {
        let how = how(end);
        let known = ways.iter().position(|(h, _)| *h == how);
        let n = known.unwrap_or_else(|| {
            ways.push((how, Vec::new()));
            ways.len() - 1
        });
        let at = short(&end.at);
        if !at.is_empty() && !ways[n].1.contains(&at) {
            ways[n].1.push(at);
        }
    }
    if ways.is_empty() {
        return short(&whys[0].text);
    }
    let told = ways.iter().take(most).map(|(how, places)| {
        let more = match places.len().saturating_sub(PLACES) {
            0 => String::new(),
            n => format!(" and {}", count(n, "more place")),
        };
        match places.is_empty() {
            true => how.clone(),
            false => format!(
                "{how} at {}{more}",
                places[..places.len().min(PLACES)].join(", ")
            ),
        }
    });
    let told = told.collect::<Vec<String>>().join("; ");
    match whys.iter().all(|w| is_about_reaching(&w.code)) {
        true => format!("not every access is shown to be reached: executions end with {told}"),
        false => format!("executions may come to {told}"),
    }
}

/// Whether it is about accesses that are not got to: as [`crate::verdict::Why::code`] has it.
fn is_about_reaching(code: &str) -> bool {
    matches!(
        code,
        "nowhere-reached" | "access-not-reached" | "access-hidden"
    )
}

fn how(end: &End) -> String {
    match (end.code.as_str(), &end.what) {
        (_, Some(what)) => what.clone(),
        ("unwind", _) => "a loop beyond --unwind".to_string(),
        ("recursion", _) => "calls beyond --recursion".to_string(),
        ("length", _) => "a copy longer than what is searched".to_string(),
        ("invalid-access", _) => "an access through null or outside of its object".to_string(),
        ("budget", _) => "the budget used up".to_string(),
        (code, _) => code.replace('-', " "),
    }
}

/// A text in which files stand without their folders.
fn short(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let start = word.len() - word.trim_start_matches('(').len();
        let (open, name) = word.split_at(start);
        match name.rsplit_once('/') {
            Some((_, base)) if name.contains(':') && !base.is_empty() => format!("{open}{base}"),
            _ => word.to_string(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
