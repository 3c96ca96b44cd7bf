//! Progress of a run, for people who wait. Never part of the result.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

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
            "{spinner} {msg} {pos}/{len} pairs {wide_bar} [{elapsed}, about {eta} left]",
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

/// How far a long run of many steps is: a bar on the terminal, lines where standard error is none.
pub struct Steps {
    bar: ProgressBar,
    shown: bool,
}

impl Default for Steps {
    fn default() -> Self {
        Steps::new()
    }
}

impl Steps {
    /// Nothing is shown yet.
    pub fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        let shown = std::io::stderr().is_terminal();
        bar.set_draw_target(match shown {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        });
        Steps { bar, shown }
    }
    /// What is being done.
    pub fn say(&self, what: &str) {
        self.bar.set_message(what.to_string());
        self.bar.tick();
    }
    /// So many steps will be taken, in about so long.
    pub fn begin(&self, steps: usize, left: Duration) {
        self.bar
            .set_style(style("{pos}/{len} {wide_bar} {msg} [{elapsed}]"));
        self.bar.set_length(steps as u64);
        self.say(&in_about(left));
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }
    /// One is done; the others will take about so long.
    pub fn step(&self, left: Duration) {
        self.bar.inc(1);
        self.say(&in_about(left));
    }
    /// A line that stays.
    pub fn tell(&self, line: &str) {
        match self.shown {
            true => self.bar.println(line),
            false => eprintln!("{line}"),
        }
    }
    /// Nothing more is to be shown.
    pub fn hide(&self) {
        self.bar.finish_and_clear();
    }
}

/// `about 2h 5m left`.
fn in_about(left: Duration) -> String {
    let rounded = match left.as_secs() {
        s @ 0..60 => s,
        s => s / 60 * 60,
    };
    let left = humantime::format_duration(Duration::from_secs(rounded));
    format!("about {left} left")
}

/// How much is said besides results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Manner {
    /// Nothing.
    Quiet,
    /// Progress where somebody watches it.
    #[default]
    Usual,
    /// Progress everywhere.
    Verbose,
}

static MANNER: OnceLock<Manner> = OnceLock::new();

/// Says once for the process how much is said.
pub fn speak(manner: Manner) {
    // What was said first holds.
    let _ = MANNER.set(manner);
}

/// How much is said.
pub fn manner() -> Manner {
    MANNER.get().copied().unwrap_or_default()
}

/// A line on the terminal where standard error is one, otherwise lines if they are asked for.
pub fn for_stderr() -> Box<dyn Progress> {
    match (manner(), std::io::stderr().is_terminal()) {
        (Manner::Quiet, _) | (Manner::Usual, false) => Box::new(Quiet),
        (_, true) => Box::new(Terminal::new()),
        (Manner::Verbose, false) => Box::new(Log::new()),
    }
}

/// Seconds between two lines about how many pairs are done.
const BETWEEN: Duration = Duration::from_secs(5);

/// Lines on standard error, a stage or some seconds each.
struct Log {
    began: Instant,
    total: AtomicUsize,
    done: AtomicUsize,
    last: Mutex<Instant>,
}

impl Log {
    fn new() -> Log {
        Log {
            began: Instant::now(),
            total: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            last: Mutex::new(Instant::now()),
        }
    }
    fn line(&self, what: impl std::fmt::Display) {
        let seconds = self.began.elapsed().as_secs_f64();
        eprintln!("irkiss: [{seconds:.1} s] {what}");
    }
}

impl Progress for Log {
    fn stage(&self, what: &str) {
        self.line(what);
    }
    fn pairs(&self, total: usize) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.line(match total {
            1 => "1 pair".to_string(),
            n => format!("{n} pairs"),
        });
    }
    fn pair_done(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let total = self.total.load(Ordering::Relaxed);
        let Ok(mut last) = self.last.lock() else {
            return;
        };
        if last.elapsed() >= BETWEEN || done == total {
            *last = Instant::now();
            self.line(format_args!("{done} of {total} pairs"));
        }
    }
    fn finding(&self, message: &str) {
        self.line(message);
    }
    fn hide(&self) {}
}
