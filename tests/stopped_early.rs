//! A run that is stopped before any search says what locks prove. By itself, since it stops every run of its process.

mod support;

use std::path::Path;
use std::process::Command;

use irkiss::config::Options;
use irkiss::deadline::{self, Stopped};
use irkiss::internals::frontend::{Goal, close_in_process};
use irkiss::pipeline::check_closed;
use irkiss::progress::Progress;
use irkiss::verdict::{Verdict, Why};

/// Stops the run as the searches begin.
struct Impatient;

impl Progress for Impatient {
    fn stage(&self, what: &str) {
        if what == "checking" {
            deadline::interrupt();
        }
    }
    fn pairs(&self, _: usize) {}
    fn pair_done(&self) {}
    fn finding(&self, _: &str) {}
    fn hide(&self) {}
}

/// `total` is guarded by a lock, `asked` by none.
const DRIVER: &str = r#"
#include <irkiss.h>
#include "kernel.h"

static DEFINE_MUTEX(lock);
int total, asked;

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    asked++;
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    total++;
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .unlocked_ioctl = demo_ioctl, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
"#;

#[test]
fn what_locks_prove_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("demo.c");
    std::fs::write(&source, DRIVER).expect("written");
    let bitcode = source.with_extension("bc");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    support::run(
        Command::new("clang-22")
            .current_dir(root)
            .args(["-g", "-O2", "-std=gnu17", "-w", "-emit-llvm", "-c"])
            .args(["-Iruntime-stubs/include", "-Itest-bitcode/drivers"])
            .arg(&source)
            .arg("-o")
            .arg(&bitcode),
    );
    let mut options = Options::default();
    // These find the race before anybody interrupts.
    options.tiers.runs = false;
    let inputs = [bitcode];
    let closed = close_in_process(&inputs, &options, Goal::Sequential).expect("closed");
    let outcome = check_closed(&inputs, closed, &options, &Impatient).expect("checked");
    assert_eq!(outcome.stopped, Some(Stopped::Interrupted));
    let of = |location: &str| {
        let regions = outcome.pairs.iter().flat_map(|p| &p.regions);
        let here = regions.filter(|r| r.claim().name() == location);
        let each: Vec<_> = here.map(|r| (r.verdict(), r.why().cloned())).collect();
        each
    };
    assert_eq!(of("@total"), [(Verdict::Proved, None)]);
    let open = [(Verdict::Unknown, Some(Why::Stopped(Stopped::Interrupted)))];
    assert_eq!(of("@asked"), open);
}
