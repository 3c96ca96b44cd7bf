//! What files hold, each read once for as long as it stays as it is.
//!
//! A file that has the same length, times, and place on the disk as before is not read again. The time that counts is the one of its last
//! change of any kind (`ctime`): who sets the other one back, as `touch -r` and `cp -p` do, does not get by.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::key;

/// A file as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    shape: Shape,
    /// The name of its content.
    content: String,
}

/// What is seen of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Shape {
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: i128,
    changed: i128,
    inode: u64,
}

impl Shape {
    fn of(path: &Path) -> Option<Shape> {
        let data = std::fs::metadata(path).ok()?;
        let time = |seconds: i64, rest: i64| i128::from(seconds) * SECOND + i128::from(rest);
        Some(Shape {
            bytes: data.len(),
            modified: time(data.mtime(), data.mtime_nsec()),
            changed: time(data.ctime(), data.ctime_nsec()),
            inode: data.ino(),
        })
    }
}

const SECOND: i128 = 1_000_000_000;

/// A file that was changed so shortly before it was read may have been changed again in the same tick of the clock.
const YOUNG: i128 = 2 * SECOND;

/// Nanoseconds since 1970.
pub fn now() -> i128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |d| i128::try_from(d.as_nanos()).unwrap_or(i128::MAX))
}

/// What is known of files.
#[derive(Debug, Default)]
pub struct Contents {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    files: HashMap<PathBuf, Seen>,
    /// Those that have been read.
    new: Vec<PathBuf>,
}

impl Contents {
    /// With what was known before.
    pub fn from(files: HashMap<PathBuf, Seen>) -> Contents {
        let new = Vec::new();
        Contents {
            known: Mutex::new(Known { files, new }),
        }
    }

    /// What has been read since, to be known the next time.
    pub fn take_new(&self) -> Vec<(PathBuf, Seen)> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new = std::mem::take(&mut known.new);
        let seen = |path: PathBuf| known.files.get(&path).cloned().map(|s| (path, s));
        new.into_iter().filter_map(seen).collect()
    }

    /// The content of a file; `None`: it cannot be read.
    pub fn of_file(&self, path: &Path) -> Option<String> {
        let shape = Shape::of(path)?;
        {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(seen) = known.files.get(path).filter(|s| s.shape == shape) {
                return Some(seen.content.clone());
            }
        }
        let content = key::of_file(path).ok()?;
        let settled = now() - shape.changed > YOUNG;
        if settled && Shape::of(path) == Some(shape) {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let seen = Seen {
                shape,
                content: content.clone(),
            };
            known.files.insert(path.to_path_buf(), seen);
            known.new.push(path.to_path_buf());
        }
        Some(content)
    }

    /// The content of all of them together, as one name.
    pub fn of_files(&self, files: &[PathBuf]) -> String {
        let mut all = String::new();
        for file in files {
            let content = self.of_file(file);
            all.push_str(content.as_deref().unwrap_or("gone"));
            all.push(' ');
            all.push_str(&file.display().to_string());
            all.push('\n');
        }
        key::of_text(&all)
    }

    /// Whether one of them was changed after that time.
    pub fn any_changed_after(files: &[PathBuf], time: i128) -> bool {
        let mut shapes = files.iter().filter_map(|f| Shape::of(f));
        shapes.any(|s| s.changed > time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_that_keeps_time_and_length_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.h");
        std::fs::write(&path, "one").expect("written");
        let time = std::fs::metadata(&path).and_then(|d| d.modified());
        let time = time.expect("a time");
        let files = [path.clone()];
        let contents = Contents::default();
        let first = contents.of_files(&files);
        assert_eq!(contents.of_files(&files), first);
        std::fs::write(&path, "two").expect("written");
        let file = std::fs::File::options().write(true).open(&path);
        file.and_then(|f| f.set_modified(time)).expect("set back");
        assert_ne!(contents.of_files(&files), first);
        // Only another time is no other content.
        std::fs::write(&path, "one").expect("written");
        assert_eq!(contents.of_files(&files), first);
        std::fs::remove_file(&path).expect("removed");
        assert_ne!(contents.of_files(&files), first);
    }

    #[test]
    fn what_has_settled_is_read_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.h");
        std::fs::write(&path, "one").expect("written");
        let contents = Contents::default();
        contents.of_file(&path);
        assert!(contents.take_new().is_empty(), "too young to be trusted");
        let shape = Shape::of(&path).expect("a file");
        let seen = Seen {
            shape,
            content: "as told".to_string(),
        };
        let told = Contents::from(HashMap::from([(path.clone(), seen)]));
        assert_eq!(told.of_file(&path).as_deref(), Some("as told"));
    }
}
