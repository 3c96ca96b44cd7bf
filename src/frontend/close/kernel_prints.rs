//! What the kernel's functions that print read of the driver's memory (lib/vsprintf.c).
//!
//! Before a call with a constant format, the first character of an array that `%s` prints is read, and the bytes that `%*ph`, `%pM`,
//! `%pI4`, `%pI6`, `%pU` and their like print. A string that is not an array of an object or a variable is not followed: of what a
//! pointer leads to that was loaded or returned the content seldom changes, and where it is replaced the pointer itself is.

use inkwell::module::Module;
use llvm_sys::core::LLVMIsGlobalConstant;

use super::formats::{Amount, Printed, Printing, Writes, printed};
use super::scan::{calls_of, pointer_bytes};
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{LLVMOpcode, LLVMValueKind, Val, constant_text, resolve_alias};

/// A function that prints: its name, the argument that is the format.
const PRINTS: &[(&str, usize)] = &[
    ("_printk", 0),
    ("printk", 0),
    ("sprintf", 1),
    ("snprintf", 2),
    ("scnprintf", 2),
    ("sysfs_emit", 1),
    ("sysfs_emit_at", 2),
    ("kasprintf", 1),
    ("devm_kasprintf", 2),
    ("seq_printf", 1),
    ("_dev_printk", 2),
    ("_dev_emerg", 1),
    ("_dev_alert", 1),
    ("_dev_crit", 1),
    ("_dev_err", 1),
    ("_dev_warn", 1),
    ("_dev_notice", 1),
    ("_dev_info", 1),
    ("dev_err_probe", 2),
    ("netdev_printk", 2),
    ("netdev_err", 1),
    ("netdev_warn", 1),
    ("netdev_notice", 1),
    ("netdev_info", 1),
    ("__dynamic_pr_debug", 1),
    ("__dynamic_dev_dbg", 2),
    ("__dynamic_netdev_dbg", 2),
];

/// Puts the reads before the calls. Before models are linked.
pub fn read_what_is_printed(module: &Module<'_>) {
    let pointer_bytes = pointer_bytes(module);
    let builder = Builder::new(module);
    for (name, format) in PRINTS {
        for call in calls_of(module, name) {
            let args = call.call_args();
            let text = args.get(*format).and_then(|f| constant_text(*f));
            let parts = text.and_then(|text| printed(&text, pointer_bytes));
            builder.before(call);
            for (argument, bytes) in reads(&parts.unwrap_or_default()) {
                let given = &args[format + 1..];
                let bytes = match bytes {
                    Amount::None => None,
                    Amount::Fixed(bytes) => Some(builder.int(64, bytes)),
                    Amount::Argument(n) => given
                        .get(n)
                        .and_then(|n| builder.convert(*n, builder.int_type(64), true)),
                };
                let place = given.get(argument).filter(|a| is_array(**a));
                if let (Some(place), Some(bytes)) = (place, bytes) {
                    builder.call("__irkiss_touch_part", builder.void_type(), &[*place, bytes]);
                }
            }
        }
    }
}

/// The arguments, counted from the first after the format, of whose memory so many bytes are printed.
fn reads(parts: &[Writes]) -> Vec<(usize, Amount)> {
    let mut all = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        let Writes::Conversion(conversion) = part else {
            continue;
        };
        let after = match parts.get(n + 1) {
            Some(Writes::Text(text)) => text,
            _ => "",
        };
        all.extend(extent(conversion, after).map(|bytes| (conversion.argument, bytes)));
    }
    all
}

/// How many bytes a conversion reads behind its argument, at least; `after`: what stands after it, for a pointer its kind.
fn extent(conversion: &Printing, after: &str) -> Option<Amount> {
    match (conversion.of, conversion.precision) {
        (Printed::String, Amount::Fixed(0)) => None,
        (Printed::String, _) => Some(Amount::Fixed(1)),
        (Printed::Address, _) => match after.as_bytes() {
            [b'h' | b'E', ..] if conversion.width == Amount::None => Some(Amount::Fixed(1)),
            [b'h' | b'E', ..] => Some(conversion.width),
            [b'M' | b'm', ..] => Some(Amount::Fixed(6)),
            [b'I' | b'i', b'4', ..] => Some(Amount::Fixed(4)),
            [b'I' | b'i', b'6', ..] | [b'U', ..] => Some(Amount::Fixed(16)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether it is an array of an object or a variable that may change: computed, neither loaded nor returned.
fn is_array(pointer: Val<'_>) -> bool {
    let mut at = resolve_alias(pointer);
    let mut inside = false;
    while matches!(at.opcode(), Some(LLVMOpcode::LLVMGetElementPtr)) {
        let Some(base) = at.operand(0) else {
            return false;
        };
        at = resolve_alias(base);
        inside = true;
    }
    match at.kind() {
        LLVMValueKind::LLVMGlobalVariableValueKind => unsafe {
            LLVMIsGlobalConstant(at.raw()) == 0
        },
        _ => inside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_formats_read() {
        let reads = |format: &str| reads(&printed(format, 8).unwrap());
        use Amount::{Argument, Fixed};
        assert_eq!(reads("%d %s\n"), [(1, Fixed(1))]);
        assert_eq!(reads("%p %pe %ps"), []);
        assert_eq!(reads("%*ph at %pM"), [(1, Argument(0)), (2, Fixed(6))]);
        assert_eq!(
            reads("%4ph %pI4 %pI6c"),
            [(0, Fixed(4)), (1, Fixed(4)), (2, Fixed(16))]
        );
        assert_eq!(reads("%.0s"), []);
    }
}
