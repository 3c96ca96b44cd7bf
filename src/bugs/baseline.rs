//! The findings that are known: a file that a repository keeps, sorted, a bug on a line, so that its history can be read.
//!
//! A finding is known if its bug is, on that memory, and each function that it shows was among those whose accesses to it were not
//! excluded. That another pair of the same functions is found is nothing new; that another function takes part is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::id;
use crate::error::InputError;
use crate::verdict::{Finding, Outcome};

/// Of the file.
const VERSION: u32 = 1;

/// Known findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// By the names of their bugs.
    pub bugs: BTreeMap<String, Known>,
}

/// A known bug.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Its name.
    pub id: String,
    /// The kind, as `--property` names it.
    pub kind: String,
    /// The source file of its module.
    pub file: String,
    /// The memory, and the functions that use it there.
    pub places: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "irkiss-baseline")]
    version: u32,
    bugs: Vec<Known>,
}

impl Baseline {
    /// What these say.
    pub fn of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Baseline {
        let mut all = Baseline::default();
        for outcome in outcomes {
            let aside = outcome.set_aside.iter();
            let known = aside
                .filter(|s| s.by == crate::verdict::Excuse::Baseline)
                .map(|s| &s.finding);
            all.add(outcome.findings.iter().chain(known), &outcome.sources);
        }
        all
    }

    fn add<'a>(&mut self, findings: impl IntoIterator<Item = &'a Finding>, sources: &[String]) {
        for bug in super::of(findings, sources) {
            let known = self.bugs.entry(bug.id.clone()).or_default();
            known.id = bug.id;
            known.kind = bug.findings[0].kind.property().word().to_string();
            known.file = id::unit(sources).to_string();
            for finding in bug.findings {
                let shown = id::functions(finding).into_iter().map(str::to_string);
                let place = known.places.entry(super::about(finding));
                place
                    .or_default()
                    .extend(shown.chain(finding.functions.iter().cloned()));
            }
        }
    }

    /// Whether that finding of a bug of that name is known.
    pub fn knows(&self, bug: &str, finding: &Finding) -> bool {
        let place = super::about(finding);
        let Some(seen) = self.bugs.get(bug).and_then(|b| b.places.get(&place)) else {
            return false;
        };
        id::functions(finding).iter().all(|f| seen.contains(*f))
    }

    /// Of a file.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Baseline, InputError> {
        let text = std::fs::read_to_string(path).map_err(|e| InputError::new(path.display(), e))?;
        let file: File = serde_json::from_str(&text).map_err(|e| {
            InputError::new(path.display(), format!("no baseline: {e}"))
                .advise("irkiss baseline write makes one")
        })?;
        if file.version != VERSION {
            let what = format!("a baseline of version {}", file.version);
            return Err(InputError::new(path.display(), what)
                .advise("make it again with irkiss baseline write"));
        }
        let bugs = file.bugs.into_iter().map(|b| (b.id.clone(), b)).collect();
        Ok(Baseline { bugs })
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let bug = |b: &Known| serde_json::to_string(b).expect("strings serialise");
        let bugs: Vec<String> = self
            .bugs
            .values()
            .map(|b| format!("  {}", bug(b)))
            .collect();
        match bugs.is_empty() {
            true => format!("{{\"irkiss-baseline\": {VERSION}, \"bugs\": []}}\n"),
            false => format!(
                "{{\"irkiss-baseline\": {VERSION}, \"bugs\": [\n{}\n]}}\n",
                bugs.join(",\n")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bugs::policy::tests::race;

    #[test]
    fn the_file_says_what_is_known_and_another_function_is_new() {
        let mut outcome = Outcome::empty(&[], &crate::config::Options::default());
        outcome.sources = vec!["demo.c".into()];
        outcome.findings = vec![race("struct foo.bar")];
        let baseline = Baseline::of([&outcome]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("known.json");
        std::fs::write(&path, baseline.text()).expect("written");
        assert_eq!(Baseline::read(&path).expect("read"), baseline);
        let bug = baseline.bugs.keys().next().expect("one").clone();
        assert!(baseline.knows(&bug, &outcome.findings[0]));
        let mut other = race("struct foo.bar");
        other.accesses[1].stack[0].function = "demo_ioctl".into();
        assert!(!baseline.knows(&bug, &other));
        assert!(!baseline.knows(&bug, &race("struct foo.baz")));
        std::fs::write(&path, "{}").expect("written");
        assert!(Baseline::read(&path).is_err());
    }
}
