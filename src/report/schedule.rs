//! The findings' schedules as a file for `irkiss replay`.

use std::path::PathBuf;

use super::{fingerprint, in_order};
use crate::config::Options;
use crate::error::InputError;
use crate::trace::file::{InputMark, NamedSchedule, ScheduleFile};
use crate::verdict::Outcome;

/// The file's text (see [`crate::trace::file`]); one schedule per finding, none where nothing was found.
///
/// Errors: an input that can no longer be read.
pub fn render(
    outcome: &Outcome,
    inputs: &[PathBuf],
    options: &Options,
) -> Result<String, InputError> {
    let file = ScheduleFile {
        irkiss: env!("CARGO_PKG_VERSION").to_string(),
        input: inputs
            .iter()
            .map(|i| InputMark::of(i))
            .collect::<Result<_, _>>()?,
        // The number of jobs has no effect on the result: left out of what is compared and kept.
        options: Options {
            jobs: 1,
            ..options.clone()
        },
        findings: in_order(outcome)
            .into_iter()
            .map(|f| NamedSchedule {
                fingerprint: fingerprint::of(f),
                message: f.message.clone(),
                schedule: f.schedule.clone(),
            })
            .collect(),
    };
    let mut text = serde_json::to_string_pretty(&file).expect("a schedule serialises");
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let input = dir.path().join("a.bc");
        std::fs::write(&input, b"bytes").expect("write");
        let inputs = [input];
        let text = render(&sample::outcome(), &inputs, &Options::default()).expect("readable");
        let path = dir.path().join("s.json");
        std::fs::write(&path, text).expect("write");
        let file = ScheduleFile::read(&path).expect("parses");
        assert_eq!(file.findings[0].schedule, sample::race().schedule);
        assert!(file.expect_inputs(&inputs).is_ok());
    }
}
