//! What `irkiss doctor` says: what is linked, what can be read.

/// The text: one line per part.
pub fn render() -> String {
    format!("irkiss  {}\n", env!("CARGO_PKG_VERSION"))
}
