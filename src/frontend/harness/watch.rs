//! What models are told of entry points, for the properties that they check (runtime-stubs/linux/properties.c).

use crate::environment::discover::MODULE_EXIT;
use crate::environment::entry::{Context, EntryPoint, EntryPoints, Spin};
use crate::environment::rules::Rules;

/// Bits of `enum irkiss_entry` (runtime-stubs/include/irkiss_linux.h).
const HANDS_OVER: u32 = 1;
const REMOVES_DEVICE: u32 = 2;
const UNLOADS_MODULE: u32 = 4;
const ENDS_BEFORE: u32 = 8;
const SPINS: u32 = 16;
const SPINS_BH: u32 = 32;
const SPINS_IRQ: u32 = 64;
const STAYS_QUIET: u32 = 128;
const CODE_STAYS: u32 = 256;
const AWAKE: u32 = 512;

/// Text before and after the call of an entry point; `held` is a temporary for what goes from one to the other.
pub fn around(
    entry: &EntryPoint,
    entries: &EntryPoints,
    rules: &Rules,
    held: &str,
) -> (String, String) {
    let context = match entry.context {
        Context::Process | Context::Thread => 0,
        Context::Softirq => 1,
        Context::Hardirq => 2,
    };
    let kind = kind(entry, entries, rules);
    (
        format!("{held} = call i64 @__irkiss_enter(i32 {context}, i32 {kind})"),
        format!("  call void @__irkiss_leave(i64 {held}, i32 {context}, i32 {kind})\n"),
    )
}

/// Whether the device is gone when it returns.
pub fn removes(entry: &EntryPoint) -> bool {
    entry.removes_device()
}

fn kind(entry: &EntryPoint, entries: &EntryPoints, rules: &Rules) -> u32 {
    // Module exit that takes a driver back has its devices removed; what that ends is not seen in module exit itself.
    let unloads = entry.via == MODULE_EXIT && !entries.iter().any(removes);
    // drivers/usb/core/driver.c: usb_unbind_interface calls usb_disable_interface, which ends all transfers, before disconnect; so does
    // usb_deregister, which unbinds the driver.
    let transfer = entry.via.contains("urb");
    let mut kind = 0;
    for (is, bit) in [
        (rules.hands_over_locks(&entry.via), HANDS_OVER),
        (removes(entry), REMOVES_DEVICE),
        (unloads, UNLOADS_MODULE),
        (transfer, ENDS_BEFORE),
        // kernel/module/main.c: free_module removes the files of parameters, and waits for those in them, before the code goes.
        (entry.via.starts_with("kernel_param_ops."), CODE_STAYS),
        (entry.spin == Some(Spin::Threads), SPINS),
        (entry.spin == Some(Spin::Softirqs), SPINS_BH),
        (entry.spin == Some(Spin::Interrupts), SPINS_IRQ),
        (entry.never_sleeps, AWAKE),
        (
            entry.locks.iter().any(|l| l.release.ends_with("_irq")),
            STAYS_QUIET,
        ),
    ] {
        if is {
            kind |= bit;
        }
    }
    kind
}
