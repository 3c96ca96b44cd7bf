//! What the source or a configuration allows ([`crate::bugs::policy`]) is left out of what a sweep tells.
//!
//! It is looked up when a night is told, not when a module is checked: a comment changes nothing in what is compiled, so that the results
//! are the same with and without it, and one that is taken away must not leave anything silenced. Of two nights that are compared the same
//! is left out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::changes::{Snapshot, State};
use super::reading::{self, Finding};
use crate::bugs::allow::{self, Allow};
use crate::bugs::comment;
use crate::error::InputError;
use crate::program::Touch;
use crate::verdict::{self, Act, Frame, Nature, StateKind};

/// What the user has said.
pub struct Allowed<'a> {
    /// A line of a source file, from 1.
    pub line: &'a dyn Fn(&str, u32) -> Option<String>,
    /// Today, as `2027-01-31`.
    pub today: &'a str,
    /// The current folder, where a configuration may stand.
    pub here: &'a Path,
    known: BTreeMap<PathBuf, Vec<Allow>>,
}

impl<'a> Allowed<'a> {
    /// Nothing is read yet.
    pub fn new(
        line: &'a dyn Fn(&str, u32) -> Option<String>,
        today: &'a str,
        here: &'a Path,
    ) -> Allowed<'a> {
        Allowed {
            line,
            today,
            here,
            known: BTreeMap::new(),
        }
    }

    /// The entries that hold for a task: of the file that the plan names, else of that found from its bitcode upwards, else from here.
    fn entries(&mut self, config: Option<&Path>, state: &State) -> Result<&[Allow], InputError> {
        let file = state.planned.task.files.first();
        let named = file.map(|f| f.made_as.as_deref().unwrap_or(&f.path));
        let found = config
            .map(Path::to_path_buf)
            .or_else(|| named.and_then(allow::found_from))
            .or_else(|| allow::found_from(&self.here.join(allow::NAME)));
        let Some(path) = found else { return Ok(&[]) };
        if !self.known.contains_key(&path) {
            self.known.insert(path.clone(), allow::read(&path)?);
        }
        Ok(self.known.get(&path).map_or(&[], Vec::as_slice))
    }
}

impl Snapshot {
    /// Leaves out what is allowed.
    ///
    /// # Errors
    /// A configuration cannot be read.
    pub fn set_aside(&mut self, said: &mut Allowed<'_>) -> Result<(), InputError> {
        let config = self.planned.options.config.clone();
        let (line, today) = (said.line, said.today);
        let mut left_out = 0;
        for state in self.tasks.values_mut() {
            let entries = said.entries(config.as_deref(), state)?;
            let allows = |finding: &Finding| {
                let Some(told) = told(finding) else {
                    return false;
                };
                let bug = finding.group.as_deref().unwrap_or_default();
                let mut entries = entries.iter().filter(|a| !a.over(today));
                entries.any(|a| a.covers(&told, bug, "")) || comment::allows(&told, line).is_some()
            };
            if let Some(report) = &mut state.report {
                let before = report.findings.len();
                report.findings.retain(|f| !allows(f));
                left_out += before - report.findings.len();
            }
            state.open.retain(|open| !allows(&open.finding));
        }
        self.allowed = left_out;
        Ok(())
    }
}

/// A finding as those who judge it know it, with the places that the report of its task has. `None`: its kind is none of today's.
fn told(finding: &Finding) -> Option<verdict::Finding> {
    let kind = finding.kind()?;
    let access = |a: &reading::Access| verdict::Access {
        thread: 0,
        entry_point: a.entry_point.clone(),
        stack: vec![Frame {
            function: a.function.clone(),
            file: a.file.clone(),
            line: a.line,
            column: a.column,
        }],
        kind: Act::try_from(a.kind.clone()).unwrap_or(Act::Touches(Touch::Reads)),
        bytes: 0,
        marked: false,
        locks: Vec::new(),
        acquired: Vec::new(),
        waits_for: None,
        if_by: None,
        value: None,
    };
    Some(verdict::Finding {
        kind,
        location: finding.location.clone(),
        message: finding.message.clone(),
        accesses: finding.accesses.iter().map(access).collect(),
        also: Vec::new(),
        other_pairs: 0,
        functions: Vec::new(),
        state: StateKind::Reached,
        switches: 0,
        assumptions: Vec::new(),
        nature: Nature::default(),
        benign_hints: Vec::new(),
        events: Vec::new(),
        schedule: crate::trace::schedule::Schedule::default(),
    })
}
