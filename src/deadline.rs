//! When a run has to end: after a time, because the user asks for it, or because the process may take no more of the processor or of
//! memory.
//!
//! What a run has found by then is reported; what it has not decided is unknown. Whoever works long asks
//! [`Deadline::passed`] now and then, and stops soon after it says so. It never goes back to `None`.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// What has been asked for, of the process: so is a signal.
static ASKED: AtomicU8 = AtomicU8::new(NOTHING);
const NOTHING: u8 = 0;
const INTERRUPTED: u8 = 1;
const CPU_TIME: u8 = 2;
const MEMORY: u8 = 3;
const OUT_OF_MEMORY: u8 = 4;
const WORK: u8 = 5;

/// The limit on memory that was reached.
static MEMORY_LIMIT: AtomicU64 = AtomicU64::new(0);

/// What has been done, in units of work: see [`worked`].
static DONE: AtomicU64 = AtomicU64::new(0);

/// How much may be done.
static WORK_LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Asks every run of this process that has a deadline to end. For the handler of a signal.
pub fn interrupt() {
    ask(INTERRUPTED);
}

/// The same, because the limit on CPU time (`ulimit -t`) has been reached.
pub fn cpu_time_used_up() {
    ask(CPU_TIME);
}

/// The same, because so many bytes of memory are taken.
pub fn memory_limit_reached(limit: u64) {
    MEMORY_LIMIT.store(limit, Ordering::Relaxed);
    ask(MEMORY);
}

/// The same, because memory was refused.
pub fn memory_refused() {
    ask(OUT_OF_MEMORY);
}

/// Asks every run of this process to end once so many units of work are done (`--work`). Unlike time, work is the same on every machine:
/// what is known at that end is the same wherever one thread does it all.
pub fn limit_work(units: u64) {
    WORK_LIMIT.store(units, Ordering::Relaxed);
}

/// Counts work. A unit is an instruction executed symbolically, a new term, or what costs about as much elsewhere: a step of points-to
/// analysis or of coverability, [`RLIMIT_OF_A_UNIT`] units of the solver.
pub fn worked(units: u64) {
    let before = DONE.fetch_add(units, Ordering::Relaxed);
    if before.saturating_add(units) > WORK_LIMIT.load(Ordering::Relaxed) {
        ask(WORK);
    }
}

/// What may still be done; `None`: as much as it takes.
pub fn work_left() -> Option<u64> {
    let limit = WORK_LIMIT.load(Ordering::Relaxed);
    (limit < u64::MAX).then(|| limit.saturating_sub(work_done()))
}

/// What has been done in this process.
pub fn work_done() -> u64 {
    DONE.load(Ordering::Relaxed)
}

/// Units of the solver that cost about as much as a unit of work.
pub const RLIMIT_OF_A_UNIT: u64 = 8;

/// Whether it is for memory that runs end.
pub fn is_about_memory() -> bool {
    matches!(ASKED.load(Ordering::Relaxed), MEMORY | OUT_OF_MEMORY)
}

/// What was asked first stands; but whoever has done all the work that he may goes on until he notices, and anything else ends that too.
fn ask(what: u8) {
    for before in [NOTHING, WORK] {
        let _ = ASKED.compare_exchange(before, what, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// The end of a run. Copies mean the same end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadline {
    end: Option<(Instant, u64)>,
    interruptible: bool,
    /// Where it is that of a part of the run: how much of the process's CPU time may be used up, and how many units of work done, by then.
    part: Part,
}

/// See [`Deadline::part`].
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    cpu: Option<Duration>,
    work: Option<u64>,
}

impl Part {
    fn passed(self) -> Option<Stopped> {
        if self.cpu.is_some_and(|limit| cpu_time() >= limit) {
            return Some(Stopped::CpuTime);
        }
        let done = self.work.is_some_and(|limit| work_done() >= limit);
        done.then(|| Stopped::Work(WORK_LIMIT.load(Ordering::Relaxed)))
    }
}

/// What the process has used of the processor.
fn cpu_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.max(0) as u64, now.tv_nsec as u32)
}

/// What ended a run before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Stopped {
    /// `--timeout`, in seconds.
    Timeout(u64),
    /// The user, by a signal.
    Interrupted,
    /// The limit on the CPU time of the process.
    CpuTime,
    /// The limit on its memory, in bytes.
    Memory(u64),
    /// Memory was refused: there is no more.
    OutOfMemory,
    /// `--work`, in units of work.
    Work(u64),
}

impl Deadline {
    /// No end.
    pub const NEVER: Deadline = Deadline {
        end: None,
        interruptible: false,
        part: Part {
            cpu: None,
            work: None,
        },
    };

    /// So many seconds from now, if any; at [`interrupt`] in any case.
    pub fn after(seconds: Option<u64>) -> Deadline {
        // A time beyond what the clock can count is no end.
        let end =
            seconds.and_then(|s| Some((Instant::now().checked_add(Duration::from_secs(s))?, s)));
        Deadline {
            end,
            interruptible: true,
            part: Part::default(),
        }
    }

    /// The end of a part of the run, which may take that fraction of what is left of all that is limited: time, CPU time, work. A part of
    /// a part ends with it at the latest.
    pub fn part(self, (some, of): (u32, u32)) -> Deadline {
        let share = |left: Duration| left * some / of;
        let end = self.end.map(|(end, seconds)| {
            let left = end.saturating_duration_since(Instant::now());
            (end - (left - share(left)), seconds)
        });
        let limit = rustix::process::getrlimit(rustix::process::Resource::Cpu).current;
        let whole = Part {
            cpu: limit.map(Duration::from_secs),
            work: work_left().map(|left| work_done() + left),
        };
        let outer = Part {
            cpu: self.part.cpu.or(whole.cpu),
            work: self.part.work.or(whole.work),
        };
        let cpu = outer.cpu.map(|limit| {
            let used = cpu_time();
            used + share(limit.saturating_sub(used))
        });
        let work = outer.work.map(|limit| {
            let done = work_done();
            done + limit.saturating_sub(done) / u64::from(of) * u64::from(some)
        });
        Deadline {
            end,
            part: Part { cpu, work },
            ..self
        }
    }

    /// What has ended the run, if anything.
    pub fn passed(self) -> Option<Stopped> {
        let asked = match self.interruptible {
            true => ASKED.load(Ordering::Relaxed),
            false => NOTHING,
        };
        match asked {
            INTERRUPTED => return Some(Stopped::Interrupted),
            CPU_TIME => return Some(Stopped::CpuTime),
            MEMORY => return Some(Stopped::Memory(MEMORY_LIMIT.load(Ordering::Relaxed))),
            OUT_OF_MEMORY => return Some(Stopped::OutOfMemory),
            WORK => return Some(Stopped::Work(WORK_LIMIT.load(Ordering::Relaxed))),
            _ => {}
        }
        let late = self.end.filter(|(end, _)| Instant::now() >= *end);
        let timeout = late.map(|(_, seconds)| Stopped::Timeout(seconds));
        timeout.or_else(|| self.part.passed())
    }

    /// Whether it can come at all.
    pub fn is_never(self) -> bool {
        self.end.is_none() && !self.interruptible
    }

    /// Time left until the end that is known beforehand; none if there is none. An interruption is not known beforehand.
    pub fn left(self) -> Option<Duration> {
        let (end, _) = self.end?;
        Some(end.saturating_duration_since(Instant::now()))
    }

    /// Does `work`; once this deadline has passed, `overdue` is called from another thread, again every 20 ms until the
    /// work is done. For work that cannot ask by itself.
    pub fn watch<R>(self, overdue: impl Fn() + Sync, work: impl FnOnce() -> R) -> R {
        if self.is_never() {
            return work();
        }
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watch = || {
                while !done.load(Ordering::Acquire) {
                    let wait = if self.passed().is_some() {
                        overdue();
                        TICK
                    } else {
                        self.left()
                            .unwrap_or(TICK)
                            .clamp(Duration::from_millis(1), TICK)
                    };
                    std::thread::park_timeout(wait);
                }
            };
            let small = std::thread::Builder::new().stack_size(WATCHER_STACK);
            let Ok(watcher) = small.spawn_scoped(scope, watch) else {
                // Without a thread nobody is told.
                return work();
            };
            // Also if the work panics: the scope waits for the watcher.
            let _finished = Finished(&done, watcher.thread().clone());
            work()
        })
    }
}

/// A watcher may write a report.
const WATCHER_STACK: usize = 4 << 20;

/// How often a watcher looks up.
const TICK: Duration = Duration::from_millis(20);

struct Finished<'a>(&'a AtomicBool, std::thread::Thread);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
        self.1.unpark();
    }
}

/// How the one end begins that does not depend on the machine.
const ON_WORK: &str = "limit on work";

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Timeout(seconds) => write!(f, "timeout: {seconds} s"),
            Stopped::Interrupted => f.write_str("interrupted"),
            Stopped::CpuTime => f.write_str("limit on CPU time"),
            Stopped::Memory(limit) => write!(f, "memory limit: {}", shown(*limit)),
            Stopped::OutOfMemory => f.write_str("out of memory"),
            Stopped::Work(limit) => write!(f, "{ON_WORK}: {limit} units"),
        }
    }
}

/// Reads what was written as a text. A limit on memory was rounded to tenths of its unit.
///
/// Errors: none of these texts.
impl FromStr for Stopped {
    type Err = ();

    fn from_str(text: &str) -> Result<Stopped, ()> {
        let number = |text: &str| text.parse().map_err(|_| ());
        match text {
            "interrupted" => return Ok(Stopped::Interrupted),
            "limit on CPU time" => return Ok(Stopped::CpuTime),
            "out of memory" => return Ok(Stopped::OutOfMemory),
            _ => {}
        }
        let (what, limit) = text.split_once(": ").ok_or(())?;
        let (amount, unit) = limit.split_once(' ').ok_or(())?;
        match what {
            "timeout" => number(amount).map(Stopped::Timeout),
            "memory limit" => bytes(amount, unit).ok_or(()).map(Stopped::Memory),
            ON_WORK => number(amount).map(Stopped::Work),
            _ => Err(()),
        }
    }
}

/// Units of memory, and by how many bits a byte is smaller.
const UNITS: [(&str, u32); 3] = [("GiB", 30), ("MiB", 20), ("KiB", 10)];

/// The bytes that [`shown`] shows so, or a few less.
fn bytes(amount: &str, unit: &str) -> Option<u64> {
    let Some((_, shift)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return (unit == "bytes").then(|| amount.parse().ok()).flatten();
    };
    let (whole, tenths) = amount.split_once('.').unwrap_or((amount, "0"));
    let (whole, tenths): (u64, u64) = (whole.parse().ok()?, tenths.parse().ok()?);
    // Rounded up, so that the same tenths are shown.
    Some((whole << shift) + (tenths << shift).div_ceil(10))
}

/// A number of bytes for people.
fn shown(bytes: u64) -> String {
    for (unit, shift) in UNITS {
        if bytes >> shift >= 1 {
            let tenths = (u128::from(bytes) * 10) >> shift;
            return match tenths % 10 {
                0 => format!("{} {unit}", tenths / 10),
                rest => format!("{}.{rest} {unit}", tenths / 10),
            };
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn what_ended_a_run_is_read_as_it_was_written() {
        for stopped in [
            Stopped::Timeout(10),
            Stopped::Interrupted,
            Stopped::CpuTime,
            Stopped::Memory(100),
            Stopped::Memory(3 << 20),
            Stopped::Memory((7 << 30) / 3),
            Stopped::OutOfMemory,
            Stopped::Work(2_000_000),
        ] {
            let text = stopped.to_string();
            let read: Stopped = text.parse().expect("one of these");
            assert_eq!(read.to_string(), text);
        }
        assert_eq!("tired".parse::<Stopped>(), Err(()));
    }

    #[test]
    fn it_passes_and_says_what_it_was() {
        assert_eq!(Deadline::NEVER.passed(), None);
        assert_eq!(Deadline::after(Some(1000)).passed(), None);
        assert_eq!(Deadline::after(None).left(), None);
        let now = Deadline::after(Some(0));
        assert_eq!(now.passed(), Some(Stopped::Timeout(0)));
        assert_eq!(Stopped::Timeout(0).to_string(), "timeout: 0 s");
        assert_eq!(Deadline::after(Some(u64::MAX)).passed(), None);
        assert_eq!(Stopped::Memory(4 << 30).to_string(), "memory limit: 4 GiB");
        assert_eq!(
            Stopped::Memory(3 << 29).to_string(),
            "memory limit: 1.5 GiB"
        );
        assert_eq!(Stopped::Memory(100).to_string(), "memory limit: 100 bytes");
    }

    #[test]
    fn a_part_ends_before_the_whole() {
        let whole = Deadline::after(Some(9000));
        let part = whole.part((1, 3));
        let left = |d: Deadline| d.left().map(|left| left.as_secs()).unwrap_or_default();
        assert!((2900..=3000).contains(&left(part)), "{}", left(part));
        assert!((900..=1000).contains(&left(part.part((1, 3)))));
        assert_eq!(part.passed(), None);
        assert_eq!(Deadline::after(None).part((1, 3)).left(), None);
    }

    #[test]
    fn work_that_overruns_is_told_until_it_ends() {
        let calls = AtomicU32::new(0);
        let call = || {
            calls.fetch_add(1, Ordering::Relaxed);
        };
        let start = Instant::now();
        Deadline::after(Some(0)).watch(call, || {
            while calls.load(Ordering::Relaxed) < 2 && start.elapsed() < Duration::from_secs(10) {
                std::thread::yield_now();
            }
        });
        assert!(calls.load(Ordering::Relaxed) >= 2);
        calls.store(0, Ordering::Relaxed);
        let call = || {
            calls.fetch_add(1, Ordering::Relaxed);
        };
        assert_eq!(Deadline::after(Some(1000)).watch(call, || 7), 7);
        assert_eq!(calls.load(Ordering::Relaxed), 0);
    }
}
