//! Names of C++ and Rust as their sources have them: what linkers see is for scripts.

use std::borrow::Cow;

use cpp_demangle::{DemangleOptions, Symbol};
use serde_json::Value;

use crate::verdict::Finding;

/// How the names of the two languages begin.
const BEGINNINGS: [&str; 2] = ["_Z", "_R"];

/// The name that the source has, without parameters and results; `None` where it is none of these.
fn in_source(name: &str) -> Option<String> {
    if !BEGINNINGS.iter().any(|b| name.starts_with(b)) {
        return None;
    }
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return Some(format!("{rust:#}"));
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let symbol = Symbol::new(name.as_bytes()).ok()?;
    symbol.demangle_with_options(&options).ok()
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The text with all such names as the source has them.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !BEGINNINGS.iter().any(|b| text.contains(b)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_of_name) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_of_name(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        out.push_str(before);
        out.push_str(in_source(word).as_deref().unwrap_or(word));
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Key of what is data for `irkiss replay`.
const SCHEDULE: &str = "schedule";

/// All texts in a value. Beside what was one name stands what linkers call it.
fn in_value(value: &mut Value, beside: bool) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(new) = plain(text) {
                *text = new;
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|v| in_value(v, beside)),
        Value::Object(fields) => {
            let names: Vec<(String, String)> = fields
                .iter()
                .filter_map(|(key, value)| {
                    let name = value.as_str()?;
                    in_source(name.trim_start_matches('@'))?;
                    Some((format!("{key}_mangled"), name.to_string()))
                })
                .collect();
            for (key, value) in fields.iter_mut() {
                if key != SCHEDULE {
                    in_value(value, beside);
                }
            }
            if beside {
                fields.extend(names.into_iter().map(|(k, v)| (k, Value::String(v))));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A finding as people read it.
pub(super) fn in_finding(finding: &mut Finding) {
    let Ok(mut value) = serde_json::to_value(&*finding) else {
        return;
    };
    in_value(&mut value, false);
    if let Ok(named) = serde_json::from_value(value) {
        *finding = named;
    }
}

/// A report for scripts: source names, and linker names beside them. One without such names stays as it is.
pub(super) fn in_json(text: String) -> String {
    if !BEGINNINGS.iter().any(|b| text.contains(b)) {
        return text;
    }
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else {
        return text;
    };
    in_value(&mut value, true);
    serde_json::to_string_pretty(&value).map_or(text, |new| new + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_texts() {
        assert_eq!(
            plain("data race on _ZL5value: read"),
            "data race on value: read"
        );
        assert_eq!(plain("@_ZN7Counter3incEv at x"), "@Counter::inc at x");
        assert_eq!(plain("_ZN5Queue1mE.head"), "Queue::m.head");
        assert_eq!(plain("_RNvC6_123foo3bar"), "123foo::bar");
        assert_eq!(
            plain("_ZN3std2io5stdin17h0123456789abcdefE"),
            "std::io::stdin"
        );
        assert_eq!(
            plain("my_Zone _Z _R x_ZL5value"),
            "my_Zone _Z _R x_ZL5value"
        );
    }

    #[test]
    fn names_beside() {
        let told =
            in_json("{\"region\": \"@_ZL5value\", \"schedule\": {\"x\": \"_ZL5value\"}}".into());
        let value: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(value["region"], "@value");
        assert_eq!(value["region_mangled"], "@_ZL5value");
        assert_eq!(value["schedule"]["x"], "_ZL5value");
        assert_eq!(in_json("{ \"a\": 1 }".into()), "{ \"a\": 1 }");
    }
}
