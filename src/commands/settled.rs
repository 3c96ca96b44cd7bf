//! What a file of a module shows by itself, without what its module as one decides.

use irkiss::report::read::{Pair, Report};
use irkiss::verdict::{Finding, Verdict};

/// Leaves out what the module of that file, as one, tells as well or decides otherwise.
pub fn leave_out(findings: &mut Vec<Finding>, whole: &Report) {
    findings.retain(|f| !is_settled(f, whole));
}

fn is_settled(finding: &Finding, whole: &Report) -> bool {
    let same = |f: &Finding| f.kind == finding.kind && f.location == finding.location;
    let aside = whole.set_aside.iter().map(|s| &s.finding);
    let mut entries: Vec<&str> = finding
        .accesses
        .iter()
        .map(|a| a.entry_point.as_str())
        .collect();
    entries.sort_unstable();
    let is_of = |pair: &&Pair| {
        let mut pair = vec![pair.a.as_str(), pair.b.as_str()];
        pair.sort_unstable();
        pair == entries
    };
    let decides = |pair: &Pair| {
        let mut regions = pair.regions.iter();
        let decided = |r: &irkiss::report::read::Region| {
            r.location == finding.location && r.verdict != Verdict::Unknown
        };
        pair.serialized_by.is_some() || pair.nothing_shared || regions.any(decided)
    };
    whole.findings.iter().chain(aside).any(same) || whole.pairs.iter().filter(is_of).any(decides)
}
