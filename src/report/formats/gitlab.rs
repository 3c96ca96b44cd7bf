//! GitLab's report of code quality: a list of what was found, which a merge request shows beside its lines.

use serde::Serialize;

use super::{Told, graded, message, others, place_of};
use crate::bugs::Bug;
use crate::report::{json, wording};

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    /// The name of the bug: it tells whether a branch brings it.
    fingerprint: &'a str,
    severity: &'a str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// The list, indented, with a line feed at the end.
pub(super) fn render(all: &[Told]) -> String {
    let bugs: Vec<(Bug<'_>, &Told)> = all
        .iter()
        .flat_map(|told| told.bugs().into_iter().map(move |b| (b, told)))
        .collect();
    let issues: Vec<Issue<'_>> = bugs.iter().map(|(b, told)| issue(b, told)).collect();
    json::text(&issues)
}

fn issue<'a>(bug: &'a Bug<'_>, told: &'a Told) -> Issue<'a> {
    // A place is required: the input, where nothing is known of its source.
    let (path, begin) = match place_of(bug) {
        Some(at) => (at.file.as_str(), at.line),
        None => (told.unit(), 1),
    };
    Issue {
        description: format!("{}. {}{}", message(bug), bug.class.effect(), others(bug)),
        check_name: wording::kind(bug.shown().kind).rule,
        fingerprint: &bug.id,
        severity: graded(bug.class.severity(), ["critical", "major", "minor", "info"]),
        location: Location {
            path: path.trim_start_matches("./"),
            lines: Lines { begin },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{hostile, told};
    use super::*;
    use crate::report::sample;

    #[test]
    fn golden() {
        sample::expect_text("race.gitlab.json", &render(&[told(&sample::outcome())]));
        assert_eq!(render(&[told(&sample::quiet_outcome())]), "[]\n");
    }

    #[test]
    fn what_has_no_place_is_told_of_the_input() {
        let mut outcome = hostile();
        outcome.findings[0].accesses[0].stack[0].line = 0;
        let issues: serde_json::Value = serde_json::from_str(&render(&[told(&outcome)])).unwrap();
        assert_eq!(issues[0]["location"]["lines"]["begin"], 1);
    }
}
