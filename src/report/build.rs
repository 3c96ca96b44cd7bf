//! What a build has kept, as one table: what was checked, what was found, what is not decided and why, what it took.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::read::Report;
use super::style::{BAD, FAINT, STRONG, WARNING, paint};
use super::{count, interleaving, open};
use crate::bugs::{self, class::Severity};
use crate::sweep::words::quoted;
use crate::verdict::Verdict;

/// What a build has kept below a folder.
#[derive(Debug, Default)]
pub struct Summary {
    /// The folder, as it was named.
    folder: String,
    rows: Vec<Row>,
    /// By kind.
    causes: BTreeMap<String, Cause>,
    /// Objects in which the kernel calls nothing.
    empty: usize,
    /// What was not checked, or not as it is now: an object, and why.
    not_checked: Vec<(String, String)>,
}

/// An object that was checked.
#[derive(Debug)]
struct Row {
    object: String,
    files: usize,
    bugs: usize,
    harmful: usize,
    regions: usize,
    open: usize,
    stopped: bool,
    beside: Beside,
}

/// Regions that one cause leaves open, and of which objects.
#[derive(Debug, Default)]
struct Cause {
    /// In words, as of those of most regions.
    text: String,
    most: usize,
    regions: usize,
    objects: BTreeSet<String>,
}

/// What is known of a report beside its content.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside {
    /// What the check took.
    pub seconds: Option<f64>,
    /// Of one file of a module, without the others: why.
    pub alone: Option<Alone>,
}

/// Why a file of a module is checked without the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alone {
    /// They are not there, or not known.
    OthersMissing,
    /// The module has been checked as one, and not all of it is decided.
    LeftOpen,
}

/// Causes that are told.
const CAUSES: usize = 8;
/// Objects that are named of a cause.
const NAMED: usize = 3;

impl Summary {
    /// Of nothing yet. `folder`: as the user named it.
    pub fn of(folder: &str) -> Summary {
        Summary {
            folder: folder.to_string(),
            ..Summary::default()
        }
    }

    /// Adds an object that was checked.
    pub fn add(&mut self, object: &str, report: &Report, beside: Beside) {
        let bugs = bugs::told(&report.findings, &report.sources);
        let harmful = bugs
            .iter()
            .filter(|b| b.class.severity() == Severity::Harmful);
        // What its module as one leaves open stands there.
        let of_whole = beside.alone == Some(Alone::LeftOpen);
        let regions = || report.pairs.iter().flat_map(|p| &p.regions);
        let open = regions().filter(|r| r.verdict == Verdict::Unknown);
        self.rows.push(Row {
            object: object.to_string(),
            files: report.input.len(),
            bugs: bugs.len(),
            harmful: harmful.count(),
            regions: if of_whole { 0 } else { regions().count() },
            open: if of_whole { 0 } else { open.count() },
            stopped: !of_whole && report.stopped.is_some(),
            beside,
        });
        if of_whole {
            return;
        }
        for cause in open::causes(report) {
            let known = self.causes.entry(cause.general().to_string()).or_default();
            let regions = cause.open.len();
            if regions > known.most {
                known.most = regions;
                known.text = cause.in_short();
            }
            known.regions += regions;
            known.objects.insert(object.to_string());
        }
    }

    /// Adds an object in which the kernel calls nothing.
    pub fn add_empty(&mut self) {
        self.empty += 1;
    }

    /// Adds what was not checked, or not as it is now.
    pub fn add_not_checked(&mut self, object: &str, why: &str) {
        self.not_checked.push((object.to_string(), why.to_string()));
    }

    /// How many bugs there are.
    pub fn bugs(&self) -> usize {
        self.rows.iter().map(|r| r.bugs).sum()
    }

    /// Whether anything is not decided, or was not checked.
    pub fn is_open(&self) -> bool {
        !self.not_checked.is_empty() || self.rows.iter().any(Row::is_open)
    }

    /// The text.
    pub fn render(mut self, width: usize) -> String {
        let width = if width == 0 { super::MAIL } else { width };
        self.rows.sort_by(|a, b| {
            let by = |r: &Row| (r.harmful, r.bugs, r.open);
            by(b).cmp(&by(a)).then(a.object.cmp(&b.object))
        });
        let mut out = String::new();
        self.table(&mut out);
        self.settled(&mut out, width);
        self.open(&mut out, width);
        for (object, why) in &self.not_checked {
            let start = format!("not checked: {object}: ");
            line!(out, "{}{why}", paint(WARNING, start));
        }
        self.totals(&mut out, width);
        out
    }

    fn table(&self, out: &mut String) {
        let mut rows = self.rows.iter().filter(|r| r.is_told()).peekable();
        if rows.peek().is_none() {
            return;
        }
        let head = format!(
            "{:>5} {:>7} {:>13} {:>9}  object",
            "bugs", "harmful", "not decided", "time"
        );
        line!(out, "{}", paint(STRONG, head));
        for row in rows {
            let harmful = format!("{:>7}", row.harmful);
            let harmful = match row.harmful {
                0 => harmful,
                _ => paint(BAD, harmful),
            };
            let open = match row.regions {
                0 => String::new(),
                all => format!("{} of {all}", row.open),
            };
            let time = row
                .beside
                .seconds
                .map_or(String::new(), |s| format!("{s:.1} s"));
            let remarks = row.remarks();
            line!(
                out,
                "{:>5} {harmful} {open:>13} {time:>9}  {}{}",
                row.bugs,
                row.object,
                paint(FAINT, remarks)
            );
        }
    }

    /// What nothing was found in, and nothing is open of.
    fn settled(&self, out: &mut String, width: usize) {
        let rows = self.rows.iter().filter(|r| !r.is_told());
        let names: Vec<String> = rows.map(|r| self.short(&r.object)).collect();
        if !names.is_empty() {
            let text = format!("nothing found, nothing left open: {}", names.join(", "));
            for piece in interleaving::wrap(&text, width) {
                line!(out, "{}", paint(FAINT, piece));
            }
        }
    }

    /// Why what is open is open.
    fn open(&self, out: &mut String, width: usize) {
        let mut causes: Vec<&Cause> = self.causes.values().collect();
        causes.sort_by_key(|c| (std::cmp::Reverse(c.regions), &c.text));
        if causes.is_empty() {
            return;
        }
        line!(out, "{}", paint(STRONG, "not decided, regions by cause:"));
        for cause in causes.iter().take(CAUSES) {
            let mut names: Vec<String> = cause
                .objects
                .iter()
                .take(NAMED)
                .map(|o| self.short(o))
                .collect();
            if cause.objects.len() > NAMED {
                names.push(format!("{} more", cause.objects.len() - NAMED));
            }
            let text = format!("{}: {}", cause.text, names.join(", "));
            let text = super::names::plain(&text).into_owned();
            let mut start = format!("{:>6}  ", cause.regions);
            for piece in interleaving::wrap(&text, width.saturating_sub(start.len())) {
                line!(out, "{start}{piece}");
                start = " ".repeat(start.len());
            }
        }
        if causes.len() > CAUSES {
            line!(
                out,
                "        and {}",
                count(causes.len() - CAUSES, "more cause")
            );
        }
    }

    fn totals(&self, out: &mut String, width: usize) {
        let sum = |of: fn(&Row) -> usize| self.rows.iter().map(of).sum::<usize>();
        let with = |is: fn(&Row) -> bool| self.rows.iter().filter(|r| is(r)).count();
        let mut parts = vec![format!("{} checked", count(self.rows.len(), "object"))];
        let several = with(|r| r.files > 1);
        if several > 0 {
            parts[0] += &format!(" ({several} of several files)");
        }
        if self.empty > 0 {
            parts.push(format!("{} without entry points", self.empty));
        }
        if !self.not_checked.is_empty() {
            parts.push(format!("{} not checked", self.not_checked.len()));
        }
        // The sum of none at all is -0.0.
        let seconds = self.rows.iter().filter_map(|r| r.beside.seconds);
        let seconds: f64 = seconds.fold(0.0, |all, of| all + of);
        let text = format!(
            "{}; {} in {} ({} harmful); {} of {} not decided; {seconds:.1} s",
            parts.join(", "),
            count(self.bugs(), "bug"),
            count(with(|r| r.bugs > 0), "object"),
            sum(|r| r.harmful),
            sum(|r| r.open),
            count(sum(|r| r.regions), "region"),
        );
        for piece in interleaving::wrap(&text, width) {
            line!(out, "{}", paint(STRONG, piece));
        }
        if let Some(row) = self.rows.iter().find(|r| r.bugs > 0) {
            line!(out, "Show one: irkiss show {}:1", quoted(&row.object));
        }
        if let Some(row) = self
            .rows
            .iter()
            .max_by_key(|r| r.open)
            .filter(|r| r.open > 0)
        {
            line!(
                out,
                "What is open, and what to type: irkiss why {}",
                quoted(&row.object)
            );
        }
        let alone = with(|r| r.beside.alone == Some(Alone::OthersMissing));
        if alone > 0 {
            line!(
                out,
                "{} checked without the others of a module: irkiss modules {} checks those as one",
                count(alone, "file"),
                quoted(&self.folder)
            );
        }
    }

    /// An object as it is named from the folder.
    fn short(&self, object: &str) -> String {
        let folder = self.folder.trim_end_matches('/');
        let rest = object.strip_prefix(folder).unwrap_or(object);
        rest.trim_start_matches('/').to_string()
    }
}

impl Row {
    fn is_open(&self) -> bool {
        self.stopped || self.open > 0
    }

    /// Whether it has a line of its own.
    fn is_told(&self) -> bool {
        self.bugs > 0 || self.is_open()
    }

    fn remarks(&self) -> String {
        let mut remarks = Vec::new();
        if self.files > 1 {
            remarks.push(count(self.files, "file"));
        }
        if self.beside.alone.is_some() {
            remarks.push("without the others of its module".to_string());
        }
        if self.stopped {
            remarks.push("ended before its time".to_string());
        }
        match remarks.is_empty() {
            true => String::new(),
            false => format!("  ({})", remarks.join(", ")),
        }
    }
}
