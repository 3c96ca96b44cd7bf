//! What subcommands do that are more than a call of the library.

pub mod build;
pub mod sweep;
