//! Whether what users' files name is there.

use super::{Named, RuleError, Rules, built_in, nearest};
use crate::index::DebugTypeId;
use crate::program::{DebugTypeKind, Program};

/// What a name must be, and what there is of that kind.
struct Missing<'a> {
    what: String,
    near: Option<&'a str>,
}

impl Rules {
    /// Checks what users' files name: places and functions must be known, to the built-in rules or to the input; so must a member of a
    /// struct that the input has.
    ///
    /// # Errors
    /// The first name that is not, with the nearest that is.
    pub fn check(&self, program: &Program) -> Result<(), RuleError> {
        for named in &self.named {
            let missing = match named.name.split_once('.') {
                Some((structure, member)) => no_struct(program, structure)
                    .or_else(|| no_member(program, named, structure, member)),
                None => no_function(program, named.name.split('#').next().unwrap_or_default()),
            };
            if let Some(Missing { what, near }) = missing {
                let near = near.map_or(String::new(), |n| format!("; the nearest is `{n}`"));
                return Err(RuleError {
                    file: named.file.clone(),
                    line: named.line,
                    message: format!("neither the input nor a rule knows a {what}{near}"),
                });
            }
        }
        Ok(())
    }
}

fn no_struct<'a>(program: &'a Program, structure: &str) -> Option<Missing<'a>> {
    let known = || {
        let debug = program.debug_types.iter().map(|t| t.name.as_str());
        let globals = program
            .globals
            .iter()
            .filter_map(|g| g.struct_name.as_deref());
        let rules = built_in::known()
            .iter()
            .filter_map(|p| Some(p.split_once('.')?.0));
        debug.chain(globals).chain(rules)
    };
    let found = known().any(|n| n == structure);
    (!found).then(|| Missing {
        what: format!("struct `{structure}`"),
        near: nearest(structure, known()),
    })
}

fn no_function<'a>(program: &'a Program, function: &str) -> Option<Missing<'a>> {
    let known = || {
        let rules = built_in::known().iter().filter(|p| !p.contains('.'));
        let named = rules.filter_map(|p| p.split('#').next());
        program
            .functions
            .iter()
            .map(|f| f.name.as_str())
            .chain(named)
    };
    let found = known().any(|n| n == function);
    (!found).then(|| Missing {
        what: format!("function `{function}`"),
        near: nearest(function, known()),
    })
}

/// Of a member of a member, the first is looked for. Rules name members that some configurations are without.
fn no_member<'a>(
    program: &'a Program,
    named: &Named,
    structure: &str,
    member: &str,
) -> Option<Missing<'a>> {
    let first = member.split('.').next().unwrap_or_default();
    if first.ends_with('*') || built_in::known().contains(&named.name) {
        return None;
    }
    let mut names = Vec::new();
    for (id, ty) in program.debug_types.iter_ids() {
        if ty.name == structure {
            members(program, id, &mut names);
        }
    }
    let missing = !names.is_empty() && !names.contains(&first);
    missing.then(|| Missing {
        what: format!("member `{first}` of struct `{structure}`"),
        near: nearest(first, names.iter().copied()),
    })
}

/// The names of the members of a struct, and of those of its parts without a name.
fn members<'a>(program: &'a Program, ty: DebugTypeId, names: &mut Vec<&'a str>) {
    let Some(DebugTypeKind::Struct(all) | DebugTypeKind::Union(all)) =
        program.debug_types.get(ty).map(|t| &t.kind)
    else {
        return;
    };
    for member in all {
        match (member.name.is_empty(), member.ty) {
            (true, Some(part)) => members(program, part, names),
            _ => names.push(&member.name),
        }
    }
}
