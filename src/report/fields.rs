//! The table of the KISS paper (section 6): per field, whether it races. A field is a region of memory that two entry points
//! share.

use std::collections::BTreeMap;

use crate::verdict::{Outcome, Verdict};

/// How many pairs came to each verdict for one field: race, proved, bounded, unknown.
type Row = [usize; 4];

/// The table, a line for each field, and the sums that the paper gives per driver.
pub(super) fn render(outcome: &Outcome) -> String {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for region in outcome.pairs.iter().flat_map(|p| &p.regions) {
        let row = rows.entry(region.claim().to_string()).or_default();
        row[match region.verdict() {
            Verdict::Race => 0,
            Verdict::Proved => 1,
            Verdict::Bounded => 2,
            Verdict::Unknown => 3,
        }] += 1;
    }
    let mut out = String::new();
    line!(out, "\nPairs by verdict, for each field:\n");
    line!(out, "   race proved bounded unknown  field");
    for (field, [race, proved, bounded, unknown]) in &rows {
        line!(out, "{race:>7}{proved:>7}{bounded:>8}{unknown:>8}  {field}");
    }
    // A race is found whatever else is not known; nothing is said to be free of races while a pair is unknown.
    let races = rows.values().filter(|r| r[0] > 0).count();
    let open = rows.values().filter(|r| r[0] == 0 && r[3] > 0).count();
    line!(
        out,
        "\nFields: {}; races: {races}; no race within the bounds: {}; undecided: {open}",
        rows.len(),
        rows.len() - races - open
    );
    out
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::render;
    use crate::verdict::{Verdict, Verdicts};

    #[test]
    fn a_field_with_a_race_in_one_pair_is_a_race() {
        let mut outcome = sample::outcome();
        let mut pair = outcome.pairs[0].clone();
        pair.regions = Verdicts::from_iter([
            sample::region("struct a.x", Verdict::Bounded),
            sample::region("struct a.y", Verdict::Bounded),
            sample::region("struct a.z", Verdict::Unknown),
        ]);
        let mut other = pair.clone();
        other.regions = Verdicts::from_iter([
            sample::region("struct a.x", Verdict::Race),
            sample::region("struct a.z", Verdict::Bounded),
        ]);
        outcome.pairs = vec![pair, other];
        let text = render(&outcome);
        assert!(
            text.contains("Fields: 3; races: 1; no race within the bounds: 1; undecided: 1"),
            "{text}"
        );
        assert!(
            text.contains("      1      0       1       0  struct a.x"),
            "{text}"
        );
    }
}
