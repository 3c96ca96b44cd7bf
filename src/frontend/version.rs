//! What of LLVM is linked, for `irkiss doctor`.

use super::stubs::{LAYOUTS, MODEL_FILES, STUBS};

/// Version of the LLVM that is linked. It reads the bitcode of every older clang, not of newer ones.
pub fn llvm() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}

/// The data layouts for which models are built in, by architecture.
pub fn layouts() -> Vec<&'static str> {
    LAYOUTS.iter().map(|l| l.name).collect()
}

/// Number of files of models.
pub fn models() -> usize {
    MODEL_FILES
}

/// Names the content of all models.
pub fn models_digest() -> String {
    let mut hasher = blake3::Hasher::new();
    for stub in STUBS {
        hasher.update(stub.name.as_bytes());
        hasher.update(stub.layout.as_bytes());
        hasher.update(stub.bytes);
    }
    hasher.finalize().to_hex()[..16].to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_linked_llvm_is_the_one_that_the_models_are_made_for() {
        assert!(super::llvm().starts_with("22."), "{}", super::llvm());
        assert!(super::models() > 0);
    }
}
