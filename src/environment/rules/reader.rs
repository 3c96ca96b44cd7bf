//! A rule file that is being read: where its names stand, for messages, and what it names, for the check that they are there.

use toml::Spanned;

use super::{Named, RuleError, is_group, nearest};

/// The file at hand, for messages.
pub(super) struct Reader<'a> {
    pub(super) file: &'a str,
    /// Its size in bytes.
    size: usize,
    /// Where its lines end, in bytes: every name asks for its line.
    ends: Vec<usize>,
    /// What it names.
    pub(super) named: Vec<Named>,
    /// The groups that there are.
    pub(super) groups: Vec<String>,
}

impl<'a> Reader<'a> {
    /// Of that text; `groups`: those that earlier files have.
    pub(super) fn new(file: &'a str, text: &str, groups: Vec<String>) -> Reader<'a> {
        Reader {
            file,
            size: text.len(),
            ends: text.match_indices('\n').map(|(at, _)| at).collect(),
            named: Vec::new(),
            groups,
        }
    }

    /// The line of an offset in bytes, from 1; 0 for one that is beyond the file.
    pub(super) fn line(&self, offset: usize) -> usize {
        match offset > self.size {
            true => 0,
            false => self.ends.partition_point(|&end| end < offset) + 1,
        }
    }

    pub(super) fn error(&self, offset: usize, message: &str) -> RuleError {
        RuleError {
            file: self.file.to_string(),
            line: self.line(offset),
            message: message.replace('\n', " "),
        }
    }

    /// Notes a name that must be known, and gives it.
    pub(super) fn name(&mut self, name: &Spanned<String>) -> String {
        self.named.push(Named {
            file: self.file.to_string(),
            line: self.line(name.span().start),
            name: name.get_ref().clone(),
        });
        name.get_ref().clone()
    }

    pub(super) fn names(&mut self, names: &[Spanned<String>]) -> Vec<String> {
        names.iter().map(|n| self.name(n)).collect()
    }

    /// A place: `struct.field` or `function#argument`.
    pub(super) fn place(&mut self, name: &Spanned<String>) -> Result<String, RuleError> {
        let place = name.get_ref();
        let numbered = place
            .split_once('#')
            .is_some_and(|(f, n)| !f.is_empty() && n.parse::<u32>().is_ok());
        let field = place
            .split_once('.')
            .is_some_and(|(s, f)| !s.is_empty() && !f.is_empty());
        if !numbered && !field {
            let message = format!("`{place}` is neither `struct.field` nor `function#argument`");
            return Err(self.error(name.span().start, &message));
        }
        Ok(self.name(name))
    }

    /// A place, or the name of a group.
    pub(super) fn place_or_group(&mut self, name: &Spanned<String>) -> Result<String, RuleError> {
        let text = name.get_ref();
        if !is_group(text) {
            return self.place(name);
        }
        if self.groups.contains(text) {
            return Ok(text.clone());
        }
        let groups = self.groups.iter().map(String::as_str);
        let near = nearest(text, groups)
            .map_or(String::new(), |n| format!("; the nearest group is `{n}`"));
        let message =
            format!("`{text}` is neither `struct.field` nor `function#argument` nor a group{near}");
        Err(self.error(name.span().start, &message))
    }

    pub(super) fn places(&mut self, names: &[Spanned<String>]) -> Result<Vec<String>, RuleError> {
        names.iter().map(|n| self.place(n)).collect()
    }
}
