//! Where an instruction comes from in the user's source.

use serde::{Deserialize, Serialize};

use crate::index::{FileId, IdVec, LocId};

/// A position in the source, from debug info.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The file; its name is as the producer wrote it (often relative to the build folder).
    pub file: FileId,
    /// 1-based line; 0 where the compiler made the instruction up.
    pub line: u32,
    /// 1-based column; 0 where unknown.
    pub column: u32,
    /// The source name of the function whose scope this is (the callee, where inlined).
    pub function: String,
    /// The call site that this location was inlined into.
    pub inlined_at: Option<LocId>,
}

/// The files and locations of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SourceMap {
    /// File names, as in debug info; absolute where the compile folder is known.
    pub files: IdVec<FileId, String>,
    /// All locations, without duplicates.
    pub locations: IdVec<LocId, Location>,
}

impl SourceMap {
    /// `file:line:column` of a location, for messages.
    pub fn describe(&self, loc: Option<LocId>) -> String {
        match loc {
            Some(id) => {
                let l = &self.locations[id];
                format!("{}:{}:{}", self.files[l.file], l.line, l.column)
            }
            None => "<no debug info>".to_string(),
        }
    }

    /// The location and the call sites that it was inlined into, innermost first.
    pub fn inline_stack(&self, loc: LocId) -> Vec<LocId> {
        let mut stack = vec![loc];
        let mut at = loc;
        while let Some(outer) = self.locations[at].inlined_at {
            stack.push(outer);
            at = outer;
        }
        stack
    }
}
