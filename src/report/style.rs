//! The colours, in one place.

use anstyle::{AnsiColor, Style};

/// Severity of a finding.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Remarks that belong to a finding.
pub const NOTE: Style = AnsiColor::Cyan.on_default().bold();
/// Places and headings.
pub const STRONG: Style = Style::new().bold();
/// What matters less.
pub const FAINT: Style = Style::new().dimmed();
/// A bad count.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// A good count.
pub const GOOD: Style = AnsiColor::Green.on_default();

/// `text` in that style.
pub fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
