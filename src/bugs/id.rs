//! Names that last: of bugs and of findings.
//!
//! In them are the kind, the memory as the source names it and the source file of the module; of a finding also the functions. Not in them: lines, columns, folders, bounds, properties, the form of the bitcode, the order of discovery.

use crate::region::{Region, starred};
use crate::trace::file::fnv1a;
use crate::verdict::{Finding, FindingKind};

/// What a module is called in names: the first of its source files, without folders, which differ between machines.
pub fn unit(sources: &[String]) -> &str {
    let names = sources.iter().map(|s| base(s));
    names.min().unwrap_or("")
}

/// `9c41-02fea1b2`.
fn named(parts: &[&str]) -> String {
    let hash = format!("{:016x}", fnv1a(parts.join("\n").as_bytes()));
    format!("{}-{}", &hash[..4], &hash[4..12])
}

/// Of a bug. `place`: its memory, as [`lasting`] names it.
pub fn bug(kind: FindingKind, place: &str, unit: &str) -> String {
    named(&["bug", &format!("{kind:?}"), unit, place])
}

/// Of a finding.
pub fn finding(finding: &Finding, unit: &str) -> String {
    let mut functions: Vec<&str> = functions(finding);
    functions.sort_unstable();
    named(&[
        "finding",
        &format!("{:?}", finding.kind),
        unit,
        &super::about(finding),
        &functions.join(" "),
    ])
}

/// The functions in which the accesses stand, in their order.
pub fn functions(finding: &Finding) -> Vec<&str> {
    let tops = finding.accesses.iter().map(crate::verdict::Access::at);
    tops.map(|f| f.map_or("", |f| f.function.as_str()))
        .collect()
}

/// The name of memory without what edits and compilers change: `heap(kmalloc at f.c:12)+8` is `heap(kmalloc)+8`.
pub fn lasting(location: &str) -> String {
    let mut out = String::new();
    let mut rest = location;
    while let Some(at) = rest.find(" at ") {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let end = after.find([')', '+', ',']).unwrap_or(after.len());
        // Nothing but a place is taken away.
        let place = &after[..end];
        if !place.contains(':') {
            out.push_str(place);
        }
        rest = &after[end..];
    }
    out.push_str(rest);
    // What allocates is called by names of its own in optimised code.
    out.replace("(irkiss_model__", "(")
        .replace("(irkiss_asked__", "(")
        .replace("(__", "(")
}

/// Whether a place that a finding names, by a name that lasts, is one of a region.
pub fn is_of(region: &Region, lasting_place: &str) -> bool {
    lasting(&region.told()) == starred(lasting_place)
}

/// The last component of a path.
pub fn base(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_edits_change_is_not_in_a_name() {
        assert_eq!(
            lasting("heap(__kmalloc at slab.h:568)+8"),
            "heap(kmalloc)+8"
        );
        assert_eq!(
            lasting("object 0.3 at 8139too.c:776+3360"),
            "object 0.3+3360"
        );
        assert_eq!(lasting("struct foo.bar"), "struct foo.bar");
        assert!(is_of(&Region::new("@users"), "users"));
        assert!(is_of(
            &Region::new("heap(__kmalloc at a.c:9)+8"),
            "heap(kmalloc)+8"
        ));
        assert!(!is_of(&Region::new("@users"), "others"));
        let id = |place: &str, unit: &str| bug(FindingKind::DataRace, &lasting(place), unit);
        let moved = id("heap(kmalloc at a.c:9)", "a.c");
        assert_eq!(id("heap(kmalloc at a.c:3)", "a.c"), moved);
        assert_ne!(id("heap(kmalloc at a.c:3)", "b.c"), moved);
        assert_eq!(unit(&["/x/z.c".into(), "/y/a.c".into()]), "a.c");
    }
}
