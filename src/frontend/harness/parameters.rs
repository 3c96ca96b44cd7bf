//! Module parameters: set by who loads the module, so arbitrary when init code starts (kernel/params.c: parse_args runs before
//! do_init_module).
//!
//! Numbers and booleans of the standard kinds; strings, arrays and parameters with functions of their own keep their
//! initial values.

use std::fmt::Write as _;

use super::text::{int_bits, quoted};
use crate::assumption::Fixed;
use crate::frontend::decode::ASSUMES_ATTRIBUTE;
use crate::program::{Const, Global, Program};

/// A parameter: its variable and its width; one bit for booleans, which are stored as `bits` wide.
pub struct ModuleParameter {
    /// Linker name of the variable.
    pub variable: String,
    /// Where in it, in bytes: a parameter may be a field.
    offset: u64,
    bits: u32,
    boolean: bool,
    /// Whether its file lets somebody write it while the module is there.
    written: bool,
}

/// The parameters that `module_param` declares (objects `struct kernel_param` in section `__param`).
pub fn parameters(program: &Program) -> Vec<ModuleParameter> {
    program
        .globals
        .iter()
        .filter(|g| g.struct_name.as_deref() == Some("kernel_param"))
        .filter_map(|g| parameter(program, g))
        .collect()
}

fn parameter(program: &Program, object: &Global) -> Option<ModuleParameter> {
    let word = program.layout.pointer_bytes * 8;
    let addresses: Vec<_> = object
        .init
        .iter()
        .flatten()
        .filter_map(|cell| match cell.value {
            Const::Addr { global, offset, .. } => Some((global, offset)),
            _ => None,
        })
        .collect();
    let ops = addresses
        .iter()
        .find_map(|(g, _)| program.globals[*g].name.strip_prefix("param_ops_"))?;
    let (bits, boolean) = match ops {
        "bool" | "invbool" => (8, true),
        "bint" => (32, true),
        "byte" => (8, false),
        "short" | "ushort" => (16, false),
        "int" | "uint" | "hexint" => (32, false),
        "long" | "ulong" => (word, false),
        "ullong" => (64, false),
        _ => return None,
    };
    // struct kernel_param: name, mod, ops, perm.
    let permissions = object
        .init
        .iter()
        .flatten()
        .find_map(|cell| match cell.value {
            Const::Int { value, .. } if cell.offset == u64::from(word / 8) * 3 => Some(value),
            _ => None,
        });
    let written = permissions.is_some_and(|mode| mode & 0o222 != 0);
    // The variable is the last field of the object.
    let (variable, offset) = *addresses.last()?;
    let variable = &program.globals[variable];
    let offset = u64::try_from(offset).ok()?;
    // Sanitizers put padding behind it.
    let within = offset + u64::from(bits / 8) <= variable.size;
    (variable.init.is_some() && !variable.constant && within).then(|| ModuleParameter {
        variable: variable.name.clone(),
        offset,
        bits,
        boolean,
        written,
    })
}

/// `__irkiss_set_parameters`: gives each an arbitrary value of its kind. That those which may be written later stay so is an assumption.
pub fn set_parameters(program: &Program) -> String {
    let all = parameters(program);
    let stay = match all.iter().any(|p| p.written) {
        true => format!(
            "\"{ASSUMES_ATTRIBUTE}\"=\"{}\" ",
            Fixed::ParametersStay.code()
        ),
        false => String::new(),
    };
    let mut text = format!("define internal void @__irkiss_set_parameters() {stay}{{\n");
    for (n, p) in all.iter().enumerate() {
        let (bits, name) = (p.bits, quoted(&p.variable));
        if p.boolean {
            let _ = writeln!(
                text,
                "  %b{n} = call zeroext i1 @__irkiss_nondet_bool()\n  %v{n} = zext i1 %b{n} to i{bits}"
            );
        } else {
            let from = int_bits(bits);
            let attribute = if from < 32 { "zeroext " } else { "" };
            let _ = writeln!(
                text,
                "  %v{n} = call {attribute}i{from} @__irkiss_nondet_u{from}()"
            );
        }
        let place = match p.offset {
            0 => format!("@{name}"),
            offset => format!("getelementptr (i8, ptr @{name}, i64 {offset})"),
        };
        let _ = writeln!(text, "  store i{bits} %v{n}, ptr {place}");
    }
    text.push_str("  ret void\n}\n");
    text
}
