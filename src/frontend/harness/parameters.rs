//! Module parameters: set by who loads the module, so arbitrary when init code starts (kernel/params.c: parse_args runs before
//! do_init_module).
//!
//! Numbers and booleans of the standard kinds; arrays of these, which are as they were or have so many new elements, whose number is
//! counted where the driver asks for it (kernel/params.c: param_array); texts of up to 63 characters, or what was there, which a pointer leads to
//! or which lie in the driver's own memory (`module_param_string`; kernel/params.c: param_set_copystring). Arrays of texts and parameters with
//! functions of their own keep their initial values.

use std::fmt::Write as _;

use super::text::{global_name, int_bits, quoted, string_constant};
use crate::assumption::Fixed;
use crate::frontend::decode::ASSUMES_ATTRIBUTE;
use crate::index::GlobalId;
use crate::program::{Const, Global, Program};

/// Elements of an array beyond this keep their values.
const MAX_ELEMENTS: u64 = 32;
/// Bytes of a text, the zero at its end included.
const TEXT_BYTES: u64 = 64;

/// A parameter.
pub struct ModuleParameter {
    /// Its variable.
    at: Variable,
    kind: Kind,
    /// Whether its file lets somebody write it while the module is there.
    written: bool,
}

/// A variable of the input, or a part of one.
struct Variable {
    /// Linker name.
    name: String,
    /// Where in it, in bytes: a parameter may be a field.
    offset: u64,
}

enum Kind {
    Number(Number),
    /// What a pointer leads to.
    Text,
    /// So many bytes, the zero at the end of the text included.
    TextInPlace(u64),
    Array {
        of: Number,
        /// Bytes from one element to the next.
        stride: u64,
        most: u64,
        /// What counts the elements that are given.
        count: Option<Variable>,
    },
}

/// One bit for booleans, which are stored as `bits` wide.
#[derive(Clone, Copy)]
struct Number {
    bits: u32,
    boolean: bool,
}

impl Number {
    /// By the name of the operations, without their prefix.
    fn named(ops: &str, word: u32) -> Option<Number> {
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
        Some(Number { bits, boolean })
    }
}

impl ModuleParameter {
    /// Linker names of the variables that it sets.
    pub fn variables(self) -> Vec<String> {
        let count = match self.kind {
            Kind::Array { count, .. } => count,
            Kind::Number(_) | Kind::Text | Kind::TextInPlace(_) => None,
        };
        let all = std::iter::once(self.at).chain(count);
        all.map(|v| v.name).collect()
    }
}

/// The parameters that `module_param` and its like declare (objects `struct kernel_param` in section `__param`).
pub fn parameters(program: &Program) -> Vec<ModuleParameter> {
    program
        .globals
        .iter()
        .filter(|g| g.section.as_deref() == Some("__param"))
        .filter_map(|g| parameter(program, g))
        .collect()
}

/// The addresses that an object holds, in order.
fn addresses(object: &Global) -> Vec<(GlobalId, i64)> {
    let cells = object.init.iter().flatten();
    cells
        .filter_map(|cell| match cell.value {
            Const::Addr { global, offset, .. } => Some((global, offset)),
            _ => None,
        })
        .collect()
}

fn number_at(object: &Global, offset: u64) -> Option<u64> {
    let mut cells = object.init.iter().flatten();
    cells.find_map(|cell| match cell.value {
        Const::Int { value, .. } if cell.offset == offset => u64::try_from(value).ok(),
        _ => None,
    })
}

/// So many bytes there, if the input may write them.
fn variable(program: &Program, (global, offset): (GlobalId, i64), bytes: u64) -> Option<Variable> {
    let whole = &program.globals[global];
    let offset = u64::try_from(offset).ok()?;
    // Sanitizers put padding behind it.
    let within = offset + bytes <= whole.size;
    (whole.init.is_some() && !whole.constant && within).then(|| Variable {
        name: whole.name.clone(),
        offset,
    })
}

fn parameter(program: &Program, object: &Global) -> Option<ModuleParameter> {
    let word = program.layout.pointer_bytes * 8;
    let held = addresses(object);
    let name = |(g, _): &(GlobalId, i64)| program.globals[*g].name.as_str();
    let ops = held.iter().map(name).find(|n| n.starts_with("param_"))?;
    // The variable is the last field of the object.
    let last = *held.last()?;
    let (at, kind) = match ops.strip_prefix("param_ops_") {
        Some("string") => text_in_place(program, &program.globals[last.0])?,
        Some("charp") => (variable(program, last, u64::from(word / 8))?, Kind::Text),
        Some(ops) => {
            let number = Number::named(ops, word)?;
            let at = variable(program, last, u64::from(number.bits / 8))?;
            (at, Kind::Number(number))
        }
        None if ops == "param_array_ops" => array(program, &program.globals[last.0], word)?,
        None => return None,
    };
    // struct kernel_param: name, mod, ops, perm.
    let permissions = number_at(object, u64::from(word / 8) * 3);
    Some(ModuleParameter {
        at,
        kind,
        written: permissions.is_some_and(|mode| mode & 0o222 != 0),
    })
}

/// Of a `struct kparam_string`: maxlen, string.
fn text_in_place(program: &Program, object: &Global) -> Option<(Variable, Kind)> {
    let bytes = number_at(object, 0)?.min(TEXT_BYTES);
    let at = *addresses(object).first()?;
    let at = variable(program, at, bytes).filter(|_| bytes > 0)?;
    Some((at, Kind::TextInPlace(bytes)))
}

/// Of a `struct kparam_array`: max, elemsize, num, ops, elem.
fn array(program: &Program, object: &Global, word: u32) -> Option<(Variable, Kind)> {
    let held = addresses(object);
    let is_ops = |(g, _): &(GlobalId, i64)| program.globals[*g].name.starts_with("param_ops_");
    let ops = held.iter().position(is_ops)?;
    let of = program.globals[held[ops].0].name.strip_prefix("param_ops_");
    let of = Number::named(of?, word)?;
    let (most, stride) = (number_at(object, 0)?, number_at(object, 4)?);
    let most = most.min(MAX_ELEMENTS);
    if most == 0 || stride < u64::from(of.bits / 8) {
        return None;
    }
    let at = variable(program, *held.get(ops + 1)?, most * stride)?;
    let count = held[..ops].first();
    let kind = Kind::Array {
        of,
        stride,
        most,
        count: count.and_then(|c| variable(program, *c, 4)),
    };
    Some((at, kind))
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
    let mut names = String::new();
    let mut text = format!("define internal void @__irkiss_set_parameters() {stay}{{\n");
    for (n, p) in all.iter().enumerate() {
        match &p.kind {
            Kind::Number(number) => {
                number.arbitrary(&mut text, &n.to_string());
                let _ = writeln!(text, "  store i{} %v{n}, ptr {}", number.bits, p.at.plus(0));
            }
            Kind::Text => {
                let name = global_name("name", &format!("parameter.{n}"));
                names.push_str(&string_constant(&name, &p.at.name));
                let at = p.at.plus(0);
                let _ = write!(
                    text,
                    "  %g{n} = call zeroext i1 @__irkiss_nondet_bool()\n  \
                     %t{n} = call ptr @__irkiss_lazy(i64 {TEXT_BYTES}, ptr @{name})\n  \
                     %e{n} = getelementptr i8, ptr %t{n}, i64 {}\n  store i8 0, ptr %e{n}\n  %o{n} = load ptr, ptr {at}\n  \
                     %s{n} = select i1 %g{n}, ptr %t{n}, ptr %o{n}\n  store ptr %s{n}, ptr {at}\n",
                    TEXT_BYTES - 1
                );
            }
            Kind::TextInPlace(bytes) => {
                let (at, end) = (p.at.plus(0), p.at.plus(bytes - 1));
                let _ = write!(
                    text,
                    "  %g{n} = call zeroext i1 @__irkiss_nondet_bool()\n  br i1 %g{n}, label %given{n}, label %after{n}\n\
                     given{n}:\n  call void @__irkiss_havoc(ptr {at}, i64 {bytes})\n  store i8 0, ptr {end}\n  \
                     br label %after{n}\nafter{n}:\n"
                );
            }
            Kind::Array {
                of,
                stride,
                most,
                count,
            } => {
                let _ = write!(
                    text,
                    "  %g{n} = call zeroext i1 @__irkiss_nondet_bool()\n  %r{n} = call i32 @__irkiss_nondet_u32()\n  \
                     %b{n} = icmp ult i32 %r{n}, {most}\n  %m{n} = select i1 %b{n}, i32 %r{n}, i32 0\n  \
                     %c{n} = add i32 %m{n}, 1\n"
                );
                if let Some(count) = count {
                    let at = count.plus(0);
                    let _ = write!(
                        text,
                        "  %k{n} = load i32, ptr {at}\n  %l{n} = select i1 %g{n}, i32 %c{n}, i32 %k{n}\n  \
                         store i32 %l{n}, ptr {at}\n"
                    );
                }
                for element in 0..*most {
                    let (of_element, bits) = (format!("{n}.{element}"), of.bits);
                    let at = p.at.plus(element * stride);
                    of.arbitrary(&mut text, &of_element);
                    let _ = write!(
                        text,
                        "  %i{of_element} = icmp ult i32 {element}, %c{n}\n  %w{of_element} = and i1 %i{of_element}, %g{n}\n  \
                         %o{of_element} = load i{bits}, ptr {at}\n  \
                         %s{of_element} = select i1 %w{of_element}, i{bits} %v{of_element}, i{bits} %o{of_element}\n  \
                         store i{bits} %s{of_element}, ptr {at}\n"
                    );
                }
            }
        }
    }
    text.push_str("  ret void\n}\n");
    names + &text
}

impl Number {
    /// Text that makes `%vN` an arbitrary one.
    fn arbitrary(self, text: &mut String, n: &str) {
        let bits = self.bits;
        if self.boolean {
            let _ = writeln!(
                text,
                "  %f{n} = call zeroext i1 @__irkiss_nondet_bool()\n  %v{n} = zext i1 %f{n} to i{bits}"
            );
        } else {
            let from = int_bits(bits);
            let attribute = if from < 32 { "zeroext " } else { "" };
            let _ = writeln!(
                text,
                "  %v{n} = call {attribute}i{from} @__irkiss_nondet_u{from}()"
            );
        }
    }
}

impl Variable {
    /// The address so many bytes behind it, as a constant.
    fn plus(&self, bytes: u64) -> String {
        match self.offset + bytes {
            0 => format!("@{}", quoted(&self.name)),
            offset => format!(
                "getelementptr (i8, ptr @{}, i64 {offset})",
                quoted(&self.name)
            ),
        }
    }
}
