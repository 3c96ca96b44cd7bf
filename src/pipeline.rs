//! The stages, in the order in which data meets them.

use std::path::{Path, PathBuf};

use crate::config::Options;
use crate::error::InputError;
use crate::progress::Progress;
use crate::verdict::{Outcome, Replayed};

/// Checks the input.
///
/// Errors: input that cannot be read, linked or closed.
pub fn check(
    inputs: &[PathBuf],
    _options: &Options,
    _progress: &dyn Progress,
) -> Result<Outcome, InputError> {
    Err(not_built(inputs))
}

/// The entry points and pairs of the input, without checking them.
///
/// Errors: as [`check`].
pub fn discover(
    inputs: &[PathBuf],
    _options: &Options,
    _progress: &dyn Progress,
) -> Result<Outcome, InputError> {
    Err(not_built(inputs))
}

/// Runs the schedules of a schedule file (`trace::file`) in the interpreter, under the options that the file carries.
///
/// Errors: as [`check`], and a schedule file that does not fit the input.
pub fn replay(_schedule: &Path, inputs: &[PathBuf]) -> Result<Vec<Replayed>, InputError> {
    Err(not_built(inputs))
}

fn not_built(inputs: &[PathBuf]) -> InputError {
    let place = inputs.first().map(|p| p.display().to_string());
    InputError::new(place.unwrap_or_default(), "this build has no stages yet")
}
