//! Which of the races on one region is told: not the one that the solver happens to give, but the worst by its class, then the one that
//! stands first in the source, the write before the read. So neither the class of a bug nor its place depends on the order of a search.
//!
//! The pairs of accesses that may race are put in that order by what their instructions do ([`nature::of_sites`]), and the first that is
//! possible, and confirmed, is looked for by halving. Where the budget ends first, what was found so far is told.

use std::collections::BTreeMap;

use super::Shared;
use super::query::{self, Elsewhere};
use crate::bugs::class::{self, Class, Part};
use crate::config::Marked;
use crate::expr::Term;
use crate::index::SiteId;
use crate::program::{Program, Site, SiteKind, Touch};
use crate::replay::nature;
use crate::symex::witness::checker::{Checker, Possible};
use crate::verdict::{Finding, is_header};

/// Questions for one region: enough to halve as many pairs as regions have.
const QUESTIONS: u32 = 10;

/// Where an access stands among others: writes first, then by place.
type Place<'a> = (bool, &'a str, u32, u32);

/// Where a pair of accesses stands among others: the least is told.
pub(super) type Rank<'a> = (Class, [Place<'a>; 2]);

/// A pair of accesses, and when it races.
type Candidate = (SiteId, SiteId, Term);

/// Of what is asked.
pub(super) struct Asked<'a, 'p> {
    pub shared: &'a Shared<'a, 'p>,
    pub region: Option<&'a str>,
    /// Whether a race belongs to another region.
    pub elsewhere: Elsewhere<'a>,
}

impl Asked<'_, '_> {
    /// The race to tell, of those that the candidates may be. `found`: the one that was found, and its accesses.
    pub fn best(
        &self,
        checker: &mut Checker<'_>,
        candidates: &[Candidate],
        (found, sites): (Finding, (SiteId, SiteId)),
    ) -> Finding {
        let program = &self.shared.closed.concurrent;
        let Some(known) = rank(program, sites, &found) else {
            return found;
        };
        let mut ranked: BTreeMap<Rank<'_>, Vec<Candidate>> = BTreeMap::new();
        for (x, y, guard) in candidates {
            if let Some(rank) = rank(program, (*x, *y), &found).filter(|r| *r < known) {
                ranked.entry(rank).or_default().push((*x, *y, *guard));
            }
        }
        let all: Vec<Vec<Candidate>> = ranked.into_values().collect();
        let (mut from, mut to) = (0, all.len());
        let mut best = found;
        for _ in 0..QUESTIONS {
            if from >= to || self.shared.deadline.passed().is_some() {
                break;
            }
            let middle = from + (to - from).div_ceil(2);
            match self.one_of(checker, &all[from..middle]) {
                Some((nth, finding)) => {
                    to = from + nth;
                    best = finding;
                }
                None => from = middle,
            }
        }
        best
    }

    /// A race of one of these that is confirmed, and which.
    fn one_of(
        &self,
        checker: &mut Checker<'_>,
        all: &[Vec<Candidate>],
    ) -> Option<(usize, Finding)> {
        let conditions: Vec<Term> = all.iter().flatten().map(|(_, _, guard)| *guard).collect();
        let among: Vec<_> = all.iter().flatten().map(|(x, y, _)| (*x, *y)).collect();
        let Possible::Yes(schedule) = checker.possible(&conditions, None, &among) else {
            return None;
        };
        let sites = query::sites(&schedule.failure);
        let is = |c: &Candidate| (c.0, c.1) == sites;
        let nth = all.iter().position(|same| same.iter().any(is))?;
        let finding = query::replay(self.shared, *schedule, self.region, false).ok()?;
        (!(self.elsewhere)(&finding.location)).then_some((nth, finding))
    }
}

/// Where two accesses stand among others of the same memory, of which `like` was found. `None`: nothing is known of what they do.
pub(super) fn rank<'p>(
    program: &'p Program,
    (x, y): (SiteId, SiteId),
    like: &Finding,
) -> Option<Rank<'p>> {
    let nature = nature::of_sites(program, [x, y], &like.nature)?;
    let (a, b) = (&program.sites[x], &program.sites[y]);
    let part = |site: &Site| {
        Some(Part {
            touch: Touch::of(site.kind)?,
            marked: site.marked || site.whole && program.marked == Marked::KcsanDefault,
        })
    };
    let class = class::of_accesses(&[part(a)?, part(b)?], &nature);
    let mut places = [place(program, a), place(program, b)];
    places.sort_unstable();
    Some((class, places))
}

fn place<'p>(program: &'p Program, site: &Site) -> Place<'p> {
    let source = &program.source;
    let stack = site.loc.map(|l| source.inline_stack(l)).unwrap_or_default();
    let own = |l: &&crate::index::LocId| !is_header(&source.files[source.locations[**l].file]);
    let Some(loc) = stack.iter().find(own).or(stack.first()) else {
        return (site.kind == SiteKind::Read, "", 0, 0);
    };
    let at = &source.locations[*loc];
    let file = source.files[at.file].as_str();
    (site.kind == SiteKind::Read, file, at.line, at.column)
}
