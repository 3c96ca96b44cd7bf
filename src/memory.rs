//! How much memory the process may take, and what happens at the end of it.
//!
//! A limit (`--memory`, or half of what is there) ends a run as its deadline does: a thread looks at what the process takes a hundred
//! times a second, so the solver's and LLVM's part counts too. Memory that is refused all the same (`ulimit -v`, a container) is the
//! second line: what allocates gets a reserve, waits for others to give memory back, and at last the process ends with one line
//! ([`Heap`], [`before_refusals`]). Nothing here allocates once the watcher runs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};
use std::time::Duration;

use rustix::process::{Resource, getrlimit};

use crate::deadline;

/// What a process does that has reached its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtLimit {
    /// Its runs end as at their deadline.
    EndRuns,
    /// It ends, with that code: somebody waits for it and knows what it means.
    Exit(u8),
}

/// Exit code of a process that is out of memory and has nothing to report: as that of a run in which something is unknown.
const OUT_OF_MEMORY: u8 = 3;

/// Bytes that are given back when memory is refused, so that there is some for the report.
const RESERVE: usize = 32 << 20;

/// How long what is refused memory waits for others to give some back. Longer than a run that is over may take to be left behind.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often the watcher looks, and how often what waits asks again.
const TICK: Duration = Duration::from_millis(10);

/// Half of the memory that is there: of the machine, of the process's groups (cgroups), of its own limit, whichever is least.
pub fn usual_limit() -> u64 {
    let parts = [of_machine(), of_groups(), of_process()];
    parts.into_iter().flatten().min().unwrap_or(u64::MAX) / 2
}

/// The same for each of so many processes on a machine whose other processors may be somebody else's. `given`: what a queue says that all
/// of them together may take.
pub fn usual_share(processes: u64, processors: u64, given: Option<u64>) -> u64 {
    let processes = processes.max(1);
    let of_machine = of_machine().map(|m| m / processors.max(processes));
    let own = [of_groups(), of_process(), given].map(|m| m.map(|m| m / processes));
    // A queue that counts memory gives what it says, whatever others take.
    let parts = match given {
        Some(_) => own.into_iter().flatten().min(),
        None => own.into_iter().chain([of_machine]).flatten().min(),
    };
    parts.unwrap_or(u64::MAX) / 2
}

/// Bytes of memory of the machine.
fn of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Processors of the machine, whoever may use them.
pub fn processors() -> u64 {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let lines = text.lines().filter(|l| l.starts_with("processor"));
    lines.count().max(1) as u64
}

/// The least limit of the groups that the process is in, of both versions of cgroups.
fn of_groups() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut least = None;
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            c if c.split(',').any(|c| c == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let mut folder = PathBuf::from(root);
        folder.push(path.trim_start_matches('/'));
        let groups = folder.ancestors().take_while(|f| f.starts_with(root));
        let limits = groups.filter_map(|f| number_in(&f.join(file)));
        least = least.into_iter().chain(limits).min();
    }
    least
}

fn number_in(file: &Path) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// The limit on the address space of the process, in bytes; none if there is none.
pub fn of_process() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// From now on the process is watched. Where no thread can be started for this, what is refused is what ends it.
///
/// `limit`: bytes in memory. Of an address space that is limited, a sixteenth is kept for the report.
pub fn watch(limit: u64, then: AtLimit) {
    let page = rustix::param::page_size() as u64;
    let addresses = of_process().map_or(u64::MAX, |all| all - all / 16);
    let Ok(file) = File::open("/proc/self/statm") else {
        return;
    };
    let look = move || {
        loop {
            let [size, resident] = pages(&file).unwrap_or_default();
            let [full, nearly] = [
                resident.saturating_mul(page) > limit,
                size.saturating_mul(page) > addresses,
            ];
            match then {
                _ if !full && !nearly => {}
                AtLimit::Exit(code) => signal_hook::low_level::exit(i32::from(code)),
                AtLimit::EndRuns if full => return deadline::memory_limit_reached(limit),
                AtLimit::EndRuns => return deadline::memory_refused(),
            }
            std::thread::sleep(TICK);
        }
    };
    let _ = std::thread::Builder::new().stack_size(1 << 16).spawn(look);
}

/// The address space and the memory of the process, in pages. Allocates nothing.
fn pages(statm: &File) -> Option<[u64; 2]> {
    let mut text = [0; 128];
    let len = statm.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..len]).ok()?;
    let mut numbers = text.split_ascii_whitespace();
    let mut next = || numbers.next()?.parse().ok();
    Some([next()?, next()?])
}

/// Whether memory was refused, or is nearly: then what fails may have failed for want of it.
pub fn is_short() -> bool {
    let nearly = || {
        let (all, file) = (of_process()?, File::open("/proc/self/statm").ok()?);
        let taken = pages(&file)?[0].saturating_mul(rustix::param::page_size() as u64);
        Some(taken > all - all / 8)
    };
    REFUSED.load(Ordering::Relaxed) || deadline::is_about_memory() || nearly() == Some(true)
}

/// Notes that something else (a thread, the solver) was refused memory.
pub fn refused() {
    refuse(None);
}

static REFUSED: AtomicBool = AtomicBool::new(false);

/// What a process that has nobody to report for does where memory is refused: its exit code, zero for none.
static EXIT: AtomicU8 = AtomicU8::new(0);

/// The reserve, until it is given back.
static KEPT: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

/// Whether the one line about it is written.
static TOLD: AtomicBool = AtomicBool::new(false);

fn reserve() -> Layout {
    Layout::from_size_align(RESERVE, 16).expect("a size and a power of two")
}

/// Prepares for memory that is refused: keeps a reserve, and sees to it that C++ code waits as [`Heap`] does.
pub fn before_refusals(then: AtLimit) {
    if let AtLimit::Exit(code) = then {
        EXIT.store(code, Ordering::Relaxed);
    }
    // Safety: the layout is not empty; a refusal leaves no reserve. The handler has the type that C++ wants and never unwinds.
    unsafe {
        KEPT.store(System.alloc(reserve()), Ordering::Release);
        set_new_handler(Some(on_new_refused));
    }
    return_what_is_freed();
}

/// From so many bytes on a block has pages of its own, which go back when it is freed.
#[cfg(target_env = "gnu")]
const OWN_PAGES: std::ffi::c_int = 256 << 10;

/// Keeps malloc from holding on to large blocks that were freed: by itself glibc raises the size from which a block has pages of its
/// own with each such block that is freed (mallopt(3): M_MMAP_THRESHOLD), and tables that grow leave twice of what is used behind.
#[cfg(target_env = "gnu")]
fn return_what_is_freed() {
    const M_TRIM_THRESHOLD: std::ffi::c_int = -1;
    const M_MMAP_THRESHOLD: std::ffi::c_int = -3;
    unsafe extern "C" {
        fn mallopt(parameter: std::ffi::c_int, value: std::ffi::c_int) -> std::ffi::c_int;
    }
    // Safety: these parameters may be set at any time. What is refused changes nothing.
    unsafe {
        mallopt(M_MMAP_THRESHOLD, OWN_PAGES);
        mallopt(M_TRIM_THRESHOLD, 4 * OWN_PAGES);
    }
}

#[cfg(not(target_env = "gnu"))]
fn return_what_is_freed() {}

unsafe extern "C" {
    /// `std::set_new_handler` of libstdc++, in which both LLVM and Z3 are written.
    #[link_name = "_ZSt15set_new_handlerPFvvE"]
    fn set_new_handler(handler: Option<extern "C" fn()>) -> Option<extern "C" fn()>;
}

/// `operator new` asks again whenever this returns.
extern "C" fn on_new_refused() {
    if !refuse(None) {
        wait_or_end(|| false);
    }
}

/// Memory was refused: the run is to end. Whether the reserve was given back just now.
fn refuse(bytes: Option<usize>) -> bool {
    let code = EXIT.load(Ordering::Relaxed);
    if code != 0 {
        signal_hook::low_level::exit(i32::from(code));
    }
    REFUSED.store(true, Ordering::Relaxed);
    tell(bytes);
    deadline::memory_refused();
    let kept = KEPT.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if !kept.is_null() {
        // Safety: allocated with this layout, and nobody else has taken it.
        unsafe { System.dealloc(kept, reserve()) };
    }
    !kept.is_null()
}

/// Waits until `again` succeeds or patience ends, which ends the process.
fn wait_or_end(mut again: impl FnMut() -> bool) {
    let mut waited = Duration::ZERO;
    while waited < PATIENCE {
        std::thread::sleep(TICK);
        waited += TICK;
        if again() {
            return;
        }
        if EXIT.load(Ordering::Relaxed) != 0 {
            break;
        }
    }
    signal_hook::low_level::exit(i32::from(OUT_OF_MEMORY));
}

/// The one line, without allocating and without a lock that the thread may hold.
fn tell(bytes: Option<usize>) {
    if TOLD.swap(true, Ordering::Relaxed) {
        return;
    }
    use std::io::Write;
    let mut line = [0; 160];
    let mut rest = &mut line[..];
    let _ = write!(rest, "irkiss: error: out of memory");
    if let Some(bytes) = bytes {
        let _ = write!(rest, " ({bytes} bytes more were refused)");
    }
    let _ = writeln!(
        rest,
        "; raise the limit (ulimit -v), or give a --memory that it leaves"
    );
    let left = rest.len();
    let text = &line[..line.len() - left];
    let _ = rustix::io::write(rustix::stdio::stderr(), text);
}

/// The allocator of the command: as the system's, but where memory is refused the run ends, and whoever asked gets the reserve or
/// waits.
pub struct Heap;

// Safety: hands on to `System`, whose contract is the same; what is waited for is `System`'s, too.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let ask = || unsafe { System.alloc(layout) };
        or_wait(ask(), layout.size(), ask)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let ask = || unsafe { System.alloc_zeroed(layout) };
        or_wait(ask(), layout.size(), ask)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) };
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // What is refused leaves the old block as it was.
        let ask = || unsafe { System.realloc(at, layout, size) };
        or_wait(ask(), size, ask)
    }
}

#[inline]
fn or_wait(got: *mut u8, bytes: usize, ask: impl Fn() -> *mut u8) -> *mut u8 {
    if got.is_null() {
        refused_to(bytes, ask)
    } else {
        got
    }
}

#[cold]
fn refused_to(bytes: usize, ask: impl Fn() -> *mut u8) -> *mut u8 {
    let mut got = std::ptr::null_mut();
    if refuse(Some(bytes)) {
        got = ask();
    }
    if got.is_null() {
        wait_or_end(|| {
            got = ask();
            !got.is_null()
        });
    }
    got
}

/// Bytes as `--memory` takes them: `4G`, `512M`, `65536`.
///
/// # Errors
/// What is wrong with the text.
pub fn parse(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let lower = lower.trim_end_matches('b').trim_end_matches('i');
    let (digits, shift) = match lower.as_bytes().last() {
        Some(b'k') => (&lower[..lower.len() - 1], 10),
        Some(b'm') => (&lower[..lower.len() - 1], 20),
        Some(b'g') => (&lower[..lower.len() - 1], 30),
        Some(b't') => (&lower[..lower.len() - 1], 40),
        _ => (lower, 0),
    };
    let number: u64 = digits
        .trim()
        .parse()
        .map_err(|_| "not a size such as 4G, 512M or a number of bytes".to_string())?;
    number
        .checked_mul(1 << shift)
        .filter(|n| *n > 0)
        .ok_or_else(|| "no size that there can be".to_string())
}

/// Does `work` in a library that panics where it is refused memory, as Z3's crate does: then the run is to end.
///
/// # Errors
/// Memory was refused.
#[expect(clippy::result_unit_err, reason = "there is nothing more to say")]
pub fn or_out_of_memory<R>(work: impl FnOnce() -> R) -> Result<R, ()> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|panic| {
        if !is_short() {
            std::panic::resume_unwind(panic);
        }
        refused();
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse("4G"), Ok(4 << 30));
        assert_eq!(parse("512MiB"), Ok(512 << 20));
        assert_eq!(parse("100k"), Ok(100 << 10));
        assert_eq!(parse("77"), Ok(77));
        for wrong in ["", "G", "4X", "-1", "0", "99999999999T"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn there_is_some_memory_and_the_process_takes_some() {
        let limit = usual_limit();
        assert!(limit > 1 << 20 && limit < u64::MAX / 2, "{limit}");
        let statm = File::open("/proc/self/statm").unwrap();
        let [size, resident] = pages(&statm).unwrap();
        assert!(size > resident && resident > 0);
    }
}
