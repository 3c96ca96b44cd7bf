//! The report of a checker that the compiler's plugin has started (`src/plugin/`): what the plugin reads and the compiler tells.
//!
//! A line each, its words separated by tabs:
//!
//! ```text
//! warning  RULE  FILE  LINE  COLUMN  FUNCTION  MESSAGE      a finding
//! note     RULE  FILE  LINE  COLUMN  FUNCTION  MESSAGE      belongs to the warning before it
//! checked                                                   threads, or what may run beside each other, were checked
//! said     TEXT                                             to be printed as it is
//! complaint  TEXT                                           what else did not work, of a report that is whole
//! trouble  TEXT                                             why there is no report
//! end                                                       the report is whole
//! ```
//!
//! The rule of a note is empty. Line 0: there is no debug info. Whatever else a process prints before it ends is no part of a report.

use super::lines::{self, Level};
use super::snippet::Sources;
use crate::verdict::Outcome;

/// The findings, and the lines of `said`.
pub fn render(outcome: &Outcome, sources: &dyn Sources, said: &str) -> String {
    let mut out = String::new();
    if !outcome.has_one_thread() {
        out.push_str("checked\n");
    }
    for told in lines::of(outcome, sources) {
        let (level, rule) = match told.level {
            Level::Warning(rule) => ("warning", rule),
            Level::Note => ("note", ""),
        };
        let at = told.at.unwrap_or_default();
        let (line, column) = (at.line, at.column.max(1));
        let words = [
            at.file,
            line.to_string(),
            column.to_string(),
            at.function,
            told.text,
        ];
        let words = words.map(|w| word(&w)).join("\t");
        line!(out, "{level}\t{rule}\t{words}");
    }
    for text in said.lines() {
        line!(out, "said\t{}", word(text));
    }
    out.push_str("end\n");
    out
}

/// A report without the lines of `said`.
pub fn without_said(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|l| !l.starts_with("said\t")).collect()
}

/// There is nothing to be checked.
pub fn nothing() -> String {
    "end\n".to_string()
}

/// What else did not work.
pub fn complaint(error: &str) -> String {
    format!("complaint\t{}\n", word(error))
}

/// Why there is no report.
pub fn trouble(error: &str) -> String {
    format!("trouble\t{}\n", word(error))
}

/// The text as one word.
fn word(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn findings_are_lines_of_words() {
        let text = render(
            &sample::outcome(),
            &sample::Source,
            "d.c: note: irkiss: x\n",
        );
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split('\t').collect()).collect();
        assert_eq!(
            lines[1],
            [
                "warning",
                "irkiss-data-race",
                "drivers/char/demo.c",
                "12",
                "2",
                "demo_open",
                "data race on @demo_open_count between demo_open and demo_release"
            ]
        );
        assert_eq!(
            lines[2][..5],
            ["note", "", "drivers/char/demo.c", "31", "6"]
        );
        assert_eq!(lines[lines.len() - 2], ["said", "d.c: note: irkiss: x"]);
        assert_eq!(lines[lines.len() - 1], ["end"]);
    }

    #[test]
    fn what_is_said_can_be_left_out() {
        let text = render(&sample::outcome(), &sample::Source, "d.c: note: x\n");
        let less = without_said(&text);
        assert_eq!(less.lines().count() + 1, text.lines().count());
        assert!(less.ends_with("end\n") && !less.contains("said"));
    }

    #[test]
    fn nothing_breaks_a_line() {
        assert_eq!(trouble("a\tb\nc"), "trouble\ta b c\n");
        assert_eq!(
            render(&sample::quiet_outcome(), &sample::Source, ""),
            "checked\nend\n"
        );
    }
}
