//! What subcommands do that are more than a call of the library.

pub mod after;
pub mod build;
pub mod doctor;
pub mod each;
pub mod engine;
pub mod formats;
pub mod fresh;
pub mod kbuild;
pub mod kept;
pub mod modules;
pub mod records;
pub mod settled;
pub mod sweep;
pub mod tree;
pub mod whole;

use std::path::{Path, PathBuf};

use irkiss::config::Options;

/// What follows a hidden subcommand.
pub type Words = std::iter::Skip<std::env::ArgsOs>;

/// A path that means the same from every folder.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Options that mean the same from every folder: a sweep goes on with them elsewhere.
fn with_whole_paths(options: Options) -> Options {
    Options {
        config: options.config.as_deref().map(whole),
        models: options.models.iter().map(|m| whole(m)).collect(),
        ..options
    }
}
