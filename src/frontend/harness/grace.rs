//! Who is a reader of RCU by where it runs: a grace period waits for interrupt handlers and softirqs, too, which call no `rcu_read_lock`
//! (Linux 5.0 and later, Documentation/RCU/whatisRCU.rst: what runs with preemption, softirqs or interrupts off is a reader).

use super::record::declared;
use crate::environment::entry::{Context, EntryPoint};
use crate::program::Program;

/// The calls that wait for a grace period, or have somebody else wait. Without them nobody has to be counted.
const WAIT: [&str; 5] = [
    "synchronize_rcu",
    "synchronize_rcu_expedited",
    "synchronize_net",
    "call_rcu",
    "call_rcu_hurry",
];

/// What comes before and after the function of an entry point.
pub fn around(program: &Program, entry: &EntryPoint) -> (&'static str, &'static str) {
    let counts = matches!(entry.context, Context::Softirq | Context::Hardirq)
        && WAIT.iter().any(|name| declared(program, name).is_some());
    if counts {
        (
            "  call void @__irkiss_reader_begin()\n",
            "  call void @__irkiss_reader_end()\n",
        )
    } else {
        ("", "")
    }
}
