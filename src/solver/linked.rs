//! Which solvers are linked.

use std::path::PathBuf;

/// The version of Z3 that this is written for; `.cargo/config.toml` has it too.
pub const WANTED: &str = "5.4";

/// Version of the Z3 that is linked.
pub fn version() -> &'static str {
    z3::full_version()
}

/// The file from which Z3's functions are called: LLVM may bring another Z3 into the process.
pub fn library() -> Option<PathBuf> {
    let at = z3_sys::Z3_get_full_version as *const () as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let [from, to] = [from, to].map(|n| usize::from_str_radix(n, 16).ok());
        let path = rest.get(rest.find('/')?..)?;
        (from? <= at && at < to?).then(|| PathBuf::from(path))
    })
}

/// Name and version of the SAT solver.
pub fn sat_version() -> &'static str {
    super::bits::signature()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_called_are_those_of_the_version_that_is_wanted() {
        assert!(version().contains(WANTED), "{}", version());
        let file = library().expect("a file of the process");
        let name = file
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        assert!(
            name.starts_with("libz3.so") && name.contains(WANTED),
            "{name}"
        );
        assert!(
            sat_version().to_lowercase().contains("cadical"),
            "{}",
            sat_version()
        );
    }
}
