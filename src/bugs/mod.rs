//! From findings to bugs: one for each thing that somebody has to mend, with a name that lasts, how bad it is, and who wants to hear of it.
//!
//! A finding is one pair of places in the source. Those about the same memory are one bug: its name does not depend on which of them were
//! found. Bugs of one struct for which the same functions hold no lock, or not the right one, are told together ([`together`]): what mends
//! one of them mends them all.
//!
//! * [`class`] says how bad it is and why, from what the accesses do.
//! * [`id`] gives names that outlive edits: no line, no bound, no order of discovery is in them.
//! * [`sought`] tells whether what was found before is gone.
//! * [`allow`] and [`comment`] are how a user says "I mean it", [`baseline`] how "I know it"; [`policy`] sets such findings aside.
//!
//! Plain data of [`crate::verdict`] in, plain data out: the reports are views of it.

pub mod allow;
pub mod baseline;
pub mod class;
pub mod comment;
pub mod id;
pub mod policy;
pub mod sought;

use std::collections::BTreeMap;

use crate::verdict::{Access, Finding, FindingKind};
use class::Class;

/// What somebody has to mend.
#[derive(Clone, Debug)]
pub struct Bug<'a> {
    /// Its name ([`id`]).
    pub id: String,
    /// How bad, and why: the worst of its findings.
    pub class: Class,
    /// The memory: one place, as the source names it.
    pub places: Vec<&'a str>,
    /// Its findings, the one to show first.
    pub findings: Vec<&'a Finding>,
    /// The bugs that are told with it, since what mends it mends them: of [`told`] only.
    pub with: Vec<Bug<'a>>,
}

impl<'a> Bug<'a> {
    /// The finding that stands for all.
    pub fn shown(&self) -> &'a Finding {
        self.findings[0]
    }

    /// Itself, and what is told with it.
    pub fn all(&self) -> Vec<&Bug<'a>> {
        std::iter::once(self).chain(&self.with).collect()
    }

    /// What is told with it, in words: memory and name of each.
    pub fn others(&self) -> Vec<String> {
        let named = |b: &Bug<'_>| format!("{} (id {})", b.places[0], b.id);
        self.with.iter().map(named).collect()
    }

    /// The function that holds no lock where the other side does, if that is what makes it one with those that are told with it.
    pub fn blamed(&self) -> Option<&'a str> {
        let [a, b] = self.shown().accesses.as_slice() else {
            return None;
        };
        match (
            sides(self.shown())?.1.as_slice(),
            a.locks.is_empty() == b.locks.is_empty(),
        ) {
            ([one], false) => Some(*one),
            _ => None,
        }
    }

    /// What those that are told with it have in common with it, as the beginning of a sentence that lists them.
    pub fn in_common(&self) -> String {
        match self.blamed() {
            Some(function) => format!("without a lock in {function}, too"),
            None => "the same functions race on".to_string(),
        }
    }

    /// `a × b` of each pair of threads in which it was found, sorted.
    pub fn pairs(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for finding in &self.findings {
            all.push(pair_of(finding));
            all.extend(finding.also.iter().map(|names| names.join(" × ")));
        }
        all.sort();
        all.dedup();
        all
    }
}

/// The bugs of these findings, the worst first. `sources`: of the input ([`crate::verdict::Outcome::sources`]).
pub fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>, sources: &[String]) -> Vec<Bug<'a>> {
    let unit = id::unit(sources);
    let mut groups: BTreeMap<(FindingKind, String), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let key = (finding.kind, about(finding));
        groups.entry(key).or_default().push(finding);
    }
    let mut bugs: Vec<Bug<'_>> = groups
        .into_iter()
        .map(|((kind, place), mut findings)| {
            // Which one is shown is chosen by what they are, not by which was found first.
            findings.sort_by_cached_key(|f| rank(f));
            Bug {
                id: id::bug(kind, &place, unit),
                class: class::of(findings[0]),
                places: vec![findings[0].location.as_str()],
                findings,
                with: Vec::new(),
            }
        })
        .collect();
    bugs.sort_by_cached_key(|b| (b.class, rank(b.shown()), b.id.clone()));
    bugs
}

/// What a finding is about, by a name that lasts: the memory; of a deadlock the locks that wait for one another, whichever of them is waited for first.
pub fn about(finding: &Finding) -> String {
    let waited = finding.accesses.iter().filter_map(|a| a.waits_for.clone());
    let mut locks: Vec<String> = waited.collect();
    locks.sort();
    locks.dedup();
    match (finding.kind, locks.is_empty()) {
        (FindingKind::Deadlock, false) => id::lasting(&locks.join(", ")),
        _ => id::lasting(&finding.location),
    }
}

/// The bugs of these findings as every report tells them: the worst first, each with those that are told with it.
pub fn told<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
    sources: &[String],
) -> Vec<Bug<'a>> {
    let bugs = of(findings, sources);
    let groups = together(&bugs).into_iter().map(|group| {
        let mut group = group.into_iter().cloned();
        let mut head = group.next().expect("a group is of one bug at least");
        head.with = group.collect();
        head
    });
    groups.collect()
}

/// Bugs that are told together, in their order: races on parts of one thing that the same functions are to blame for.
pub fn together<'b, 'a>(bugs: &'b [Bug<'a>]) -> Vec<Vec<&'b Bug<'a>>> {
    let mut all: Vec<(Option<Sides<'a>>, Vec<&'b Bug<'a>>)> = Vec::new();
    for bug in bugs {
        let sides = sides(bug.shown());
        match all.iter_mut().find(|(s, _)| s.is_some() && *s == sides) {
            Some((_, known)) => known.push(bug),
            None => all.push((sides, vec![bug])),
        }
    }
    all.into_iter().map(|(_, bugs)| bugs).collect()
}

/// What a finding is a part of, and the functions in which something is to be mended, sorted.
type Sides<'a> = (&'a str, Vec<&'a str>);

/// Who holds no lock while the other does; else both. `None`: it is told by itself.
fn sides(finding: &Finding) -> Option<Sides<'_>> {
    let (FindingKind::DataRace, [a, b]) = (finding.kind, finding.accesses.as_slice()) else {
        return None;
    };
    let meant: &[&Access] = match (a.locks.is_empty(), b.locks.is_empty()) {
        (true, false) => &[a],
        (false, true) => &[b],
        _ => &[a, b],
    };
    let mut functions = Vec::new();
    for access in meant {
        functions.push(access.at()?.function.as_str());
    }
    functions.sort_unstable();
    functions.dedup();
    Some((whole_of(&finding.location)?, functions))
}

/// Where a finding stands among others: the worst first, then those that start from an executed state, then by place.
fn rank(finding: &Finding) -> impl Ord + use<> {
    let place = |a: &Access| {
        let top = a.at().cloned().unwrap_or_default();
        (top.file, top.line, top.column, top.function)
    };
    let places: Vec<_> = finding.accesses.iter().map(place).collect();
    (
        class::of(finding),
        finding.state.code() != "reached",
        places,
        pair_of(finding),
    )
}

/// Who takes part: `a × b`.
pub fn pair_of(finding: &Finding) -> String {
    let names: Vec<&str> = finding.accesses.iter().map(entry_point).collect();
    names.join(" × ")
}

fn entry_point(access: &Access) -> &str {
    match access.entry_point.as_str() {
        "" => access.at().map_or("", |f| f.function.as_str()),
        name => name,
    }
}

/// `struct foo` of `struct foo.bar`, `struct foo+8`; the variable, likewise. `None`: it is no part of something with a name.
fn whole_of(location: &str) -> Option<&str> {
    let name = location.strip_prefix("struct ").unwrap_or(location);
    let start = location.len() - name.len();
    let end = name.find(['.', '+', '['])?;
    (end > 0 && !name[..end].contains(['(', ' '])).then(|| &location[..start + end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_inversion_is_one_bug_whichever_lock_is_waited_for_first() {
        let one = |first: &str, second: &str, location: &str| {
            let mut finding = policy::tests::race(location);
            finding.kind = FindingKind::Deadlock;
            finding.accesses[0].waits_for = Some(first.into());
            finding.accesses[1].waits_for = Some(second.into());
            finding
        };
        let findings = [one("a", "b", "a"), one("b", "a", "b"), one("b", "c", "b")];
        let bugs = of(&findings, &[]);
        let sizes: Vec<usize> = bugs.iter().map(|b| b.findings.len()).collect();
        assert_eq!((bugs.len(), sizes.iter().sum::<usize>()), (2, 3));
        assert_eq!(
            of(&findings[..1], &[])[0].id,
            of(&findings[1..2], &[])[0].id
        );
        assert_ne!(of(&findings[..1], &[])[0].id, of(&findings[2..], &[])[0].id);
    }

    #[test]
    fn what_is_told_together_has_one_head() {
        let mut findings = vec![
            policy::tests::race("struct foo.a"),
            policy::tests::race("struct foo.b"),
            policy::tests::race("other"),
        ];
        let heads = |all: &[Finding]| -> Vec<(String, Vec<String>)> {
            let told = told(all, &[]);
            let told = told.iter().map(|b| (b.id.clone(), b.others()));
            told.collect()
        };
        let one = heads(&findings);
        assert_eq!(one.len(), 2);
        assert_eq!(one.iter().map(|(_, with)| with.len()).sum::<usize>(), 1);
        findings.reverse();
        assert_eq!(heads(&findings), one, "in any order");
    }

    #[test]
    fn the_whole_of_a_field() {
        assert_eq!(whole_of("struct foo.bar[3].x"), Some("struct foo"));
        assert_eq!(whole_of("table+8"), Some("table"));
        assert_eq!(whole_of("counter"), None);
        assert_eq!(whole_of("heap(kmalloc at a.c:3)+8"), None);
    }
}
