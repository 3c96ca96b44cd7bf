//! One page for a browser: everything is in it, nothing is fetched. The templates escape what they are given; a name that looks like
//! markup is text.

mod bug;
mod unit;

use std::collections::BTreeSet;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use super::Told;
use crate::bugs::class::Severity;
use crate::bugs::id::base;
use crate::report::count;
use crate::report::snippet::Sources;

/// The templates: name, text.
const TEMPLATES: [(&str, &str); 4] = [
    ("page.html", include_str!("page.html")),
    ("check.html", include_str!("check.html")),
    ("bug.html", include_str!("bug.html")),
    ("night.html", include_str!("night.html")),
];
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page of that template.
pub(in crate::report) fn page(template: &str, data: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Whole<'a, T> {
        style: &'a str,
        script: &'a str,
        version: &'a str,
        page: &'a T,
    }
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let mut syntax = SyntaxConfig::builder();
    let syntax = syntax.trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.expect("the usual marks"));
    environment.add_filter("base", |place: &str| base(place).to_string());
    for (name, text) in TEMPLATES {
        let added = environment.add_template(name, text);
        added.expect("the templates are right: tests render all of them");
    }
    let whole = Whole {
        style: STYLE,
        script: SCRIPT,
        version: env!("CARGO_PKG_VERSION"),
        page: data,
    };
    let template = environment.get_template(template);
    let page = template.and_then(|t| t.render(Value::from(Serde(whole))));
    let page = page.expect("the templates use what they are given: tests render all of them");
    page + "\n"
}

/// A severity, and how many there are.
#[derive(Serialize)]
struct Graded {
    severity: &'static str,
    n: usize,
}

#[derive(Serialize)]
struct Page {
    title: String,
    /// Of those that are told.
    severities: Vec<Graded>,
    classes: BTreeSet<&'static str>,
    entry_points: BTreeSet<String>,
    /// Several inputs: each bug says of which it is.
    several: bool,
    told: usize,
    allowed: usize,
    known: usize,
    bugs: Vec<bug::BugOut>,
    units: Vec<unit::Unit>,
}

/// The page of checks.
pub(super) fn render(all: &[Told], sources: &dyn Sources) -> String {
    let several = all.len() > 1;
    let mut bugs: Vec<bug::BugOut> = all.iter().flat_map(|told| bug::of(told, sources)).collect();
    // Of several inputs, the worst first, too; within one they are in order.
    bugs.sort_by_key(|b| (b.state, b.rank));
    for (n, bug) in bugs.iter_mut().enumerate() {
        bug.number = n + 1;
    }
    let of = |state: bug::State| bugs.iter().filter(|b| b.state == state).count();
    let severities = [
        Severity::Harmful,
        Severity::Check,
        Severity::Marking,
        Severity::Benign,
    ];
    let severities = severities.map(|s| Graded {
        severity: s.code(),
        n: bugs
            .iter()
            .filter(|b| b.severity == s.code() && b.state == bug::State::Told)
            .count(),
    });
    let title = match all {
        [one] => one.unit().to_string(),
        many => count(many.len(), "report"),
    };
    let page = Page {
        title,
        severities: severities.into(),
        classes: bugs.iter().map(|b| b.class).collect(),
        entry_points: bugs.iter().flat_map(|b| b.entry_points.clone()).collect(),
        several,
        told: of(bug::State::Told),
        allowed: of(bug::State::Allowed),
        known: of(bug::State::Known),
        bugs,
        units: all.iter().map(unit::of).collect(),
    };
    self::page("check.html", &page)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{aside, hostile, told};
    use super::*;
    use crate::report::sample;

    fn rendered(all: &[crate::verdict::Outcome]) -> String {
        let told: Vec<Told> = all.iter().map(told).collect();
        render(&told, &sample::Source)
    }

    /// Without style and script, which are files of their own.
    fn body(page: &str) -> &str {
        page.split_once("<main").expect("a main part").1
    }

    #[test]
    fn golden() {
        let page = rendered(&[aside()]);
        let body = body(&page);
        let end = body.find("<script").expect("a script at the end");
        sample::expect_text("aside.html", &body[..end]);
    }

    #[test]
    fn nothing_is_fetched() {
        let page = rendered(&[aside(), sample::quiet_outcome(), sample::stopped_outcome()]);
        for word in ["http:", "https:", "src=", "@import", "url(", "<link"] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn hostile_names_are_text() {
        let page = rendered(&[hostile()]);
        let scripts = page.matches("<script").count();
        assert_eq!((scripts, page.matches("</script").count()), (1, 1));
        assert!(page.contains("&lt;script&gt;alert(1)"));
    }
}
