//! Places as SARIF has them.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::report::snippet::Sources;
use crate::verdict::Frame;

/// What relative names are relative to.
pub const ROOT: &str = "%SRCROOT%";

/// A file: absolute ones by their whole name, others below [`ROOT`].
pub fn artifact(file: &str) -> Value {
    match file.starts_with('/') {
        true => json!({"uri": format!("file://{}", encoded(file))}),
        false => {
            let below = file.trim_start_matches("./");
            json!({"uri": encoded(below), "uriBaseId": ROOT})
        }
    }
}

/// As it may stand in a URI (RFC 3986): the bytes that may not, in hexadecimal.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(byte.into()),
            b'/' | b'-' | b'_' | b'.' | b'~' | b'+' | b',' | b'=' | b'@' => out.push(byte.into()),
            _ => write!(out, "%{byte:02X}").expect("writing to a string does not fail"),
        }
    }
    out
}

/// A place in the source; `None`: nothing is known of it. `sources`: to count characters, and to show the line.
pub fn location(at: &Frame, sources: Option<&dyn Sources>) -> Option<Value> {
    if at.file.is_empty() || at.line == 0 {
        return None;
    }
    let line = sources.and_then(|s| s.line(&at.file, at.line));
    let mut region = json!({
        "startLine": at.line,
        "startColumn": column(at.column, line.as_deref()),
    });
    if let Some(line) = line.as_deref().map(str::trim_end).filter(|l| !l.is_empty()) {
        region["snippet"] = json!({"text": line});
    }
    let mut place = json!({
        "physicalLocation": {"artifactLocation": artifact(&at.file), "region": region},
    });
    if !at.function.is_empty() {
        place["logicalLocations"] = json!([{"name": at.function, "kind": "function"}]);
    }
    Some(place)
}

/// In characters, from 1; compilers count bytes.
fn column(bytes: u32, line: Option<&str>) -> usize {
    let at = (bytes as usize).max(1);
    let before = line.and_then(|l| l.get(..at - 1));
    before.map_or(at, |text| text.chars().count() + 1)
}

/// The place, with something that is said of it.
pub fn said(place: Value, text: &str) -> Value {
    let mut place = place;
    place["message"] = json!({"text": text});
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_uris() {
        assert_eq!(artifact("/a b/c.c")["uri"], "file:///a%20b/c.c");
        assert_eq!(artifact("./c#1.c")["uri"], "c%231.c");
        assert_eq!(artifact("c:d.c")["uri"], "c%3Ad.c");
        assert_eq!(artifact("ü.c")["uriBaseId"], ROOT);
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(column(0, None), 1);
        assert_eq!(column(4, Some("\té = 1;")), 3);
        assert_eq!(column(3, Some("\té = 1;")), 3, "inside a character");
        assert_eq!(column(9, Some("short")), 9);
    }
}
