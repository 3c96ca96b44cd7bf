//! Threads that nobody sees: those that a library starts whose code is in no bitcode.

/// What the user is told of functions without a model that start threads.
pub(super) fn unseen_threads(unmodelled: &[(String, u32)]) -> Option<String> {
    unmodelled.iter().any(|(name, _)| is_of_rust_threads(name)).then(|| {
        "Rust's standard library is not in this bitcode: threads that it starts (std::thread) are not seen".to_string()
    })
}

/// Whether it is a function of `std::thread`, or of what that is made of, by its name for the linker.
fn is_of_rust_threads(name: &str) -> bool {
    let Ok(name) = rustc_demangle::try_demangle(name) else {
        return false;
    };
    let path = format!("{name:#}");
    let path = path.trim_start_matches('<');
    let starts = |module: &str| path.starts_with(module);
    starts("std::thread::") || starts("std::sys::thread::") || starts("std::sys::pal::unix::thread")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_starts_threads_is_known_by_its_path() {
        for (name, is) in [
            ("_ZN3std6thread7Builder3new17h0123456789abcdefE", true),
            (
                "_ZN3std3sys6thread4unix6Thread3new17h0123456789abcdefE",
                true,
            ),
            ("_ZN3std2io5stdio6_print17h0123456789abcdefE", false),
            ("pthread_create", false),
        ] {
            assert_eq!(is_of_rust_threads(name), is, "{name}");
        }
        assert_eq!(unseen_threads(&[("pthread_create".into(), 1)]), None);
    }
}
