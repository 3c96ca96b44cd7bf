//! Potential races as WHOOP reports them (ASE 2015, §III-B): a pair of accesses each, with their source lines. What locks do not
//! exclude is listed; nothing was executed, so nothing is confirmed.

use std::collections::BTreeSet;

use super::snippet::Sources;
use super::style::{FAINT, STRONG, WARNING, paint};
use super::{count, place_of};
use crate::analysis::potential::{Open, Point, Potential};
use crate::program::Touch;
use crate::verdict::PairResult;

/// All potential races, and between how many pairs of entry points they are.
pub fn render(pairs: &[PairResult], open: &Open, sources: &dyn Sources) -> String {
    let mut out = String::new();
    for race in &open.races {
        one(&mut out, race, sources);
    }
    summary(&mut out, pairs, open);
    out
}

fn one(out: &mut String, race: &Potential, sources: &dyn Sources) {
    let kind = match race.accesses[0].kind {
        Touch::Reads => "read-write",
        _ => "write-write",
    };
    let file = sources.shown(&race.accesses[0].line.file);
    let file = match file.as_str() {
        "" => String::new(),
        file => format!("{file}: "),
    };
    line!(
        out,
        "{file}{} on {}",
        paint(WARNING, format!("potential {kind} race (not confirmed)")),
        paint(STRONG, &race.location)
    );
    for access in &race.accesses {
        point(out, access, sources);
    }
}

fn point(out: &mut String, access: &Point, sources: &dyn Sources) {
    let file = sources.shown(&access.line.file);
    let place = place_of(
        &file,
        access.line.line,
        access.column,
        &access.line.function,
    );
    let within = match access.line.function == access.entry_point || access.line.line == 0 {
        true => String::new(),
        false => format!(" in {}", access.line.function),
    };
    let held = match access.locks.as_slice() {
        [] => "none".to_string(),
        locks => locks.join(", "),
    };
    line!(
        out,
        "  {}{} by entry point {}, {place}{within}; locks held: {held}",
        if access.marked { "marked " } else { "" },
        access.kind,
        access.entry_point
    );
    if let Some(text) = sources.line(&file, access.line.line) {
        line!(out, "      {}", paint(FAINT, text.trim()));
    }
}

fn summary(out: &mut String, pairs: &[PairResult], open: &Open) {
    let with: BTreeSet<[&str; 2]> = open
        .races
        .iter()
        .map(|race| {
            let mut names = race.accesses.each_ref().map(|a| a.entry_point.as_str());
            names.sort_unstable();
            names
        })
        .collect();
    let apart = pairs.iter().filter(|p| p.serialized_by.is_some()).count();
    line!(
        out,
        "{} ({} of entry points); none is confirmed: nothing was executed{}",
        count(open.races.len(), "potential race"),
        count(with.len(), "pair"),
        match apart {
            0 => String::new(),
            n => format!("; {} kept apart by the kernel", count(n, "pair")),
        }
    );
    if let Some(why) = &open.stopped {
        line!(
            out,
            "{}",
            paint(
                WARNING,
                format!("Stopped before the end ({why}): there may be more")
            )
        );
    }
    for gap in &open.gaps {
        line!(
            out,
            "Not everything can be followed, so locks exclude nothing where this may run: {gap}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::analysis::Line;

    fn point(kind: Touch, line: u32, locks: &[&str]) -> Point {
        Point {
            kind,
            marked: line == 13,
            entry_point: "demo_open".into(),
            line: Line {
                file: "drivers/char/demo.c".into(),
                line,
                function: if line == 12 { "demo_open" } else { "helper" }.into(),
            },
            column: 2,
            locks: locks.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn potential_races() {
        let open = Open {
            races: vec![
                Potential {
                    location: "struct demo.count".into(),
                    accesses: [
                        point(Touch::Reads, 12, &[]),
                        point(Touch::Writes, 13, &["@lock", "@m"]),
                    ],
                },
                Potential {
                    location: "struct demo.count".into(),
                    accesses: [
                        point(Touch::Updates, 12, &["@lock"]),
                        point(Touch::Writes, 14, &[]),
                    ],
                },
            ],
            gaps: vec!["inline assembly (demo.c:9)".into()],
            stopped: None,
        };
        let text = render(&sample::outcome().pairs, &open, &sample::Source);
        sample::expect_text(
            "whoop.txt",
            &anstream::adapter::strip_str(&text).to_string(),
        );
    }
}
