//! The file that `--emit schedule` writes and `irkiss replay` reads.
//!
//! A schedule names instructions by site number. The numbers depend on the
//! input and on some options, so the file carries both: the options to replay
//! with, and a hash of each input to notice when it is another one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::schedule::Schedule;
use crate::config::Options;
use crate::error::InputError;

/// Schedules of the findings of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScheduleFile {
    /// Version of irkiss that wrote it.
    pub irkiss: String,
    /// The inputs, in the order in which they were linked.
    pub input: Vec<InputMark>,
    /// The options of that run.
    pub options: Options,
    /// One per finding.
    pub findings: Vec<NamedSchedule>,
}

/// By which an input file is known again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputMark {
    /// Name, as given.
    pub file: String,
    /// FNV-1a of the content, 16 hexadecimal digits.
    pub hash: String,
}

/// A finding's schedule.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NamedSchedule {
    /// The finding's fingerprint.
    pub fingerprint: String,
    /// The finding's message.
    pub message: String,
    /// The interleaving and its inputs.
    pub schedule: Schedule,
}

/// FNV-1a, 64 bits: the same on every machine and in every version. Not a cryptographic hash.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl InputMark {
    /// Reads the file and hashes it.
    ///
    /// Errors: the file cannot be read.
    pub fn of(path: &Path) -> Result<InputMark, InputError> {
        let bytes = std::fs::read(path).map_err(|e| InputError::new(path.display(), e))?;
        Ok(InputMark {
            file: path.display().to_string(),
            hash: format!("{:016x}", fnv1a(&bytes)),
        })
    }
}

impl ScheduleFile {
    /// Reads the file at `path`.
    ///
    /// Errors: it cannot be read, or is no schedule file.
    pub fn read(path: &Path) -> Result<ScheduleFile, InputError> {
        let text = std::fs::read_to_string(path).map_err(|e| InputError::new(path.display(), e))?;
        serde_json::from_str(&text).map_err(|e| {
            InputError::new(path.display(), format!("not a schedule file: {e}"))
                .advise("irkiss --emit schedule -o SCHEDULE.json FILE… writes one")
        })
    }

    /// Refuses inputs other than those that the schedules were made for: number, order, content.
    ///
    /// Errors: they are others, or one cannot be read; which one is said.
    pub fn expect_inputs(&self, inputs: &[PathBuf]) -> Result<(), InputError> {
        if inputs.len() != self.input.len() {
            let names: Vec<_> = self.input.iter().map(|m| m.file.as_str()).collect();
            return Err(InputError::new(
                "",
                format!(
                    "the schedule is for {} input files ({}), {} given",
                    names.len(),
                    names.join(", "),
                    inputs.len()
                ),
            ));
        }
        for (path, mark) in inputs.iter().zip(&self.input) {
            if InputMark::of(path)?.hash != mark.hash {
                return Err(InputError::new(
                    path.display(),
                    format!(
                        "not the file that the schedule was made for ({})",
                        mark.file
                    ),
                )
                .advise("run irkiss again on this one"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_fnv1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn another_input_is_refused() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("a.bc");
        std::fs::write(&path, b"one").expect("write");
        let file = ScheduleFile {
            irkiss: "0".into(),
            input: vec![InputMark::of(&path).expect("readable")],
            options: Options::default(),
            findings: vec![],
        };
        let saved = dir.path().join("s.json");
        std::fs::write(&saved, serde_json::to_string(&file).expect("json")).expect("write");
        let file = ScheduleFile::read(&saved).expect("round trip");
        assert!(file.expect_inputs(std::slice::from_ref(&path)).is_ok());
        assert!(file.expect_inputs(&[]).is_err());
        std::fs::write(&path, b"two").expect("write");
        assert!(file.expect_inputs(&[path]).is_err());
    }
}
