//! What a file of a module shows by itself, without what its module as one decides.

use irkiss::bugs;
use irkiss::bugs::sought::Sought;
use irkiss::report::read::{Pair, Region, Report};
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
    let about = bugs::about(finding);
    let sought = Sought {
        property: finding.kind.property(),
        places: vec![&about],
        functions: entries.iter().copied().collect(),
    };
    let decides = |pair: &Pair| {
        let mut regions = pair.regions.iter();
        let decided = |r: &Region| sought.is_said_by(&r.claim()) && r.verdict != Verdict::Unknown;
        let shares_nothing = pair.nothing_shared && pair.vacuous.is_none();
        pair.serialized_by.is_some() || shares_nothing || regions.any(decided)
    };
    whole.findings.iter().chain(aside).any(same) || whole.pairs.iter().filter(is_of).any(decides)
}
