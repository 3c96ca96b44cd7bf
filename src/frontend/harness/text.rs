//! Bits of LLVM's textual form.

use crate::program::{Function, Type};

/// Why there can be no harness; one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct HarnessError(pub(super) String);

/// A type.
///
/// # Errors
/// What a harness cannot pass: first-class aggregates.
pub fn type_text(ty: &Type) -> Result<String, String> {
    Ok(match ty {
        Type::Void => "void".to_string(),
        Type::Int(bits) => format!("i{bits}"),
        Type::Ptr => "ptr".to_string(),
        Type::Float(16) => "half".to_string(),
        Type::Float(32) => "float".to_string(),
        Type::Float(64) => "double".to_string(),
        Type::Float(80) => "x86_fp80".to_string(),
        Type::Float(_) => "fp128".to_string(),
        // Results only: the literal struct of the flattened elements, whose value nobody reads.
        Type::Tuple(items) => {
            let items = items.iter().map(type_text).collect::<Result<Vec<_>, _>>()?;
            format!("{{ {} }}", items.join(", "))
        }
    })
}

/// A symbol name in quotes.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", escaped(name))
}

fn escaped(text: &str) -> String {
    text.bytes()
        .map(|b| match b {
            b'"' | b'\\' | 0..=31 | 127..=255 => format!("\\{b:02X}"),
            _ => char::from(b).to_string(),
        })
        .collect()
}

/// A global of the harness: `"__irkiss_KIND.NAME"`.
pub fn global_name(kind: &str, name: &str) -> String {
    quoted(&format!("__irkiss_{kind}.{name}"))
}

/// `@SYMBOL = … c"TEXT\00"`; the symbol is used as given.
pub fn string_constant(symbol: &str, text: &str) -> String {
    format!(
        "@{symbol} = internal constant [{} x i8] c\"{}\\00\"\n",
        text.len() + 1,
        escaped(text)
    )
}

/// The declaration of a function of the input.
///
/// # Errors
/// As [`type_text`].
pub fn declare(function: &Function) -> Result<String, String> {
    let mut params = Vec::new();
    for p in &function.params {
        params.push(type_text(&function.values[*p].ty)?);
    }
    if function.variadic {
        params.push("...".to_string());
    }
    Ok(format!(
        "declare {} @{}({})\n",
        type_text(&function.ret)?,
        quoted(&function.name),
        params.join(", ")
    ))
}

/// The width of the primitive that gives an integer of at least that width.
pub fn int_bits(bits: u32) -> u32 {
    match bits {
        0..=8 => 8,
        9..=16 => 16,
        17..=32 => 32,
        _ => 64,
    }
}

/// Whether a pointer is neither null nor an error pointer (include/linux/err.h: IS_ERR_OR_NULL), in three lines: names of the values.
pub(super) fn is_valid(pointer: &str, [number, below, valid]: [&str; 3]) -> String {
    format!(
        "{number} = ptrtoint ptr {pointer} to i64\n  {below} = sub i64 {number}, 1\n  {valid} = icmp ult i64 {below}, -4097"
    )
}
