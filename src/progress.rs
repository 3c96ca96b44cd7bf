//! Progress of a run, for people who wait. Never part of the result.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Told by the pipeline what it is at. Called from several threads.
pub trait Progress: Sync {
    /// A stage begins; `what` is a few words: `reading`, `symbolic execution`.
    fn stage(&self, what: &str);
    /// So many pairs will be checked.
    fn pairs(&self, total: usize);
    /// One of them is done.
    fn pair_done(&self);
    /// Something was found and confirmed; one line. At once, so that it is seen whatever happens to the run.
    fn finding(&self, message: &str);
    /// Nothing more is to be shown.
    fn hide(&self);
}

/// Says nothing.
pub struct Quiet;

impl Progress for Quiet {
    fn stage(&self, _: &str) {}
    fn pairs(&self, _: usize) {}
    fn pair_done(&self) {}
    fn finding(&self, _: &str) {}
    fn hide(&self) {}
}

/// A line on the terminal that goes away at the end.
pub struct Terminal {
    bar: ProgressBar,
}

impl Terminal {
    fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.set_style(style("{spinner} {msg} [{elapsed}]"));
        bar.enable_steady_tick(Duration::from_millis(120));
        Terminal { bar }
    }
}

/// The templates are constants of this file; one that does not parse is a bug.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("progress template")
}

impl Progress for Terminal {
    fn stage(&self, what: &str) {
        self.bar.set_message(what.to_string());
    }
    fn pairs(&self, total: usize) {
        self.bar.set_style(style(
            "{spinner} {msg} {pos}/{len} pairs {wide_bar} [{elapsed}]",
        ));
        self.bar.set_length(total as u64);
        self.bar.set_position(0);
    }
    fn pair_done(&self) {
        self.bar.inc(1);
    }
    fn finding(&self, message: &str) {
        self.bar.println(message);
    }
    fn hide(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A line on the terminal where standard error is one, nothing otherwise.
pub fn for_stderr() -> Box<dyn Progress> {
    if std::io::stderr().is_terminal() {
        Box::new(Terminal::new())
    } else {
        Box::new(Quiet)
    }
}
