//! What a sweep reads of a task's report: the JSON object of `--format json`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::bugs::class::Class;
use crate::error::InputError;
use crate::verdict::{FindingKind, Overall, Verdict};

/// A report, as far as it matters here.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    /// Of the whole task.
    pub verdict: Overall,
    /// What ended it before its time.
    pub stopped: Option<String>,
    /// Of a driver; none: it is a program.
    #[serde(default)]
    pub entry_points: Vec<serde::de::IgnoredAny>,
    /// What nobody looked for, in words.
    #[serde(default)]
    pub not_asked: Vec<String>,
    /// One for each pair of entry points.
    pub pairs: Vec<Pair>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// Counts.
    #[serde(default)]
    pub stats: std::collections::BTreeMap<String, u64>,
}

/// A pair of entry points.
#[derive(Clone, Debug, Deserialize)]
pub struct Pair {
    /// One of them.
    pub a: String,
    /// The other.
    pub b: String,
    /// Of a scenario.
    #[serde(default)]
    pub scenario: String,
    /// What is claimed of it.
    pub regions: Vec<Region>,
    /// Of whom nothing is shown to be reached.
    #[serde(default)]
    pub vacuous: Option<String>,
}

/// What is claimed of a region of memory.
#[derive(Clone, Debug, Deserialize)]
pub struct Region {
    /// Its name.
    pub location: String,
    /// The kind of claim.
    pub claim: String,
    /// What is known.
    pub verdict: Verdict,
    /// Why not more.
    pub why: Option<Why>,
}

/// Why no more is known.
#[derive(Clone, Debug, Deserialize)]
pub struct Why {
    /// Its name.
    pub code: String,
    /// In words.
    pub text: String,
    /// Whether a larger budget may decide it.
    #[serde(default)]
    pub limit: bool,
}

/// Something found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The kind of finding, for filters: `irkiss-data-race`.
    pub rule: String,
    /// The region.
    pub location: String,
    /// One line.
    pub message: String,
    /// Its name, which outlives edits of the source.
    pub fingerprint: String,
    /// How bad, and why. Reports of before there were classes have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// The name of the bug that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The places.
    pub accesses: Vec<Access>,
}

impl Finding {
    /// What it is; `None`: none of the kinds that there are now.
    pub fn kind(&self) -> Option<FindingKind> {
        let name = self.rule.strip_prefix("irkiss-")?;
        serde_json::from_value(name.into()).ok()
    }
}

/// A place of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Whose.
    pub entry_point: String,
    /// The function.
    pub function: String,
    /// The source.
    pub file: String,
    /// The line, from 1; 0: not known.
    pub line: u32,
    /// The column, likewise.
    pub column: u32,
    /// What happens there.
    pub kind: String,
}

/// Regions by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// With a finding.
    pub race: u64,
    /// For any number of threads.
    pub proved: u64,
    /// Within the bounds.
    pub bounded: u64,
    /// Open.
    pub unknown: u64,
}

impl Counts {
    /// One more.
    pub fn count(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Race => &mut self.race,
            Verdict::Proved => &mut self.proved,
            Verdict::Bounded => &mut self.bounded,
            Verdict::Unknown => &mut self.unknown,
        } += 1;
    }

    /// All of them.
    pub fn all(self) -> u64 {
        self.race + self.proved + self.bounded + self.unknown
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.race += other.race;
        self.proved += other.proved;
        self.bounded += other.bounded;
        self.unknown += other.unknown;
    }
}

/// A report in a few words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Of the whole task.
    pub verdict: Overall,
    /// What ended it before its time.
    pub stopped: Option<String>,
    /// Its regions.
    pub regions: Counts,
    /// Its findings.
    pub findings: u64,
    /// Whether a larger budget may decide more.
    pub limited: bool,
    /// Units of work ([`crate::deadline::worked`]).
    pub work: u64,
}

impl Report {
    /// Reads the JSON object.
    ///
    /// # Errors
    /// It is none, or not one of this version.
    pub fn parse(text: &str) -> Result<Report, InputError> {
        serde_json::from_str(text).map_err(|e| InputError::new("the report of a task", e))
    }

    /// It in a few words.
    pub fn summary(&self) -> Summary {
        let mut regions = Counts::default();
        let mut limited = self.stopped.is_some();
        // Each once: the same may be found in several pairs.
        let found: BTreeSet<&str> = self
            .findings
            .iter()
            .map(|f| f.fingerprint.as_str())
            .collect();
        for region in self.pairs.iter().flat_map(|p| &p.regions) {
            regions.count(region.verdict);
            limited |= region.why.as_ref().is_some_and(|w| w.limit);
        }
        Summary {
            verdict: self.verdict,
            stopped: self.stopped.clone(),
            regions,
            findings: found.len() as u64,
            limited,
            work: self.stats.get("work").copied().unwrap_or_default(),
        }
    }
}
