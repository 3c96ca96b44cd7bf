//! Entry points that hold a lock for reading, beside those that hold it for writing (`[[reader_lock]]` in rule files).

use std::collections::HashSet;

use super::find::Search;
use super::objects::is_called;
use super::types::{Definitions, Target, member_offset};
use crate::environment::entry::{EntryPoint, Exclusion, Phase};
use crate::environment::rules::{ReaderRule, Rules};
use crate::index::GlobalId;
use crate::program::{Const, Op, Operand, Program};

/// Keeps readers and writers apart.
pub fn keep_apart(search: &Search<'_>, rules: &Rules, entries: &mut [EntryPoint]) {
    for rule in rules.reader_locks() {
        let reads = |e: &EntryPoint| {
            let mut places = std::iter::once(&e.via).chain(&e.also);
            e.phase != Phase::Nested && places.all(|p| rule.readers.contains(p))
        };
        let readers: Vec<String> = entries
            .iter()
            .filter(|e| reads(e))
            .map(|e| e.function.clone())
            .collect();
        if readers.is_empty() {
            continue;
        }
        let names = Names::new(search, rule);
        for entry in entries.iter_mut() {
            if !entry.serialized_by.contains(&rule.name) || names.may_be_one(search, rule, entry) {
                continue;
            }
            entry
                .never_beside
                .extend(readers.iter().map(|function| Exclusion {
                    function: function.clone(),
                    reason: rule.name.clone(),
                }));
        }
    }
}

/// What is known of the names of objects.
struct Names {
    /// The input may change any of them.
    any: bool,
    /// Objects whose names it writes: the global, the byte offset of the name.
    written: HashSet<(GlobalId, i64)>,
}

impl Names {
    fn new(search: &Search<'_>, rule: &ReaderRule) -> Names {
        let program = search.program;
        let mut names = Names {
            any: rule.renamed.iter().any(|f| is_called(program, f)),
            written: HashSet::new(),
        };
        for (_, function) in search.bodies() {
            let definitions = Definitions::new(function);
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                match (&instr.op, instr.result) {
                    (Op::Store { ptr, .. }, _) => {
                        let place = definitions.place(program, ptr).map(|p| p.name());
                        if !place.is_some_and(|p| rule.unless_named.iter().any(|(of, _)| *of == p))
                        {
                            continue;
                        }
                        let targets = definitions.targets(ptr);
                        names.any |= targets.is_empty();
                        for target in targets {
                            match target {
                                Target::Global(global, at) => {
                                    names.written.insert((global, at));
                                }
                                _ => names.any = true,
                            }
                        }
                    }
                    (Op::Gep { .. }, Some(address)) => {
                        let place = definitions.place(program, &Operand::Value(address));
                        names.any |= place.is_some_and(|p| rule.renamed.contains(&p.name()));
                    }
                    _ => {}
                }
            }
        }
        names
    }

    /// Whether the function stands in an object that has one of the rule's names, as far as is known.
    fn may_be_one(&self, search: &Search<'_>, rule: &ReaderRule, entry: &EntryPoint) -> bool {
        let program = search.program;
        if rule.unless_named.is_empty() {
            return false;
        }
        let function = program.function_named(&entry.function);
        let stands = search.found.iter().filter(|f| {
            let by = match f.holder {
                Some((global, _)) => Some(&program.globals[global].name),
                None => f.call.as_ref(),
            };
            Some(f.function) == function && by == entry.registered_by.as_ref()
        });
        let mut places = stands.map(|f| f.holder).peekable();
        self.any
            || places.peek().is_none()
            || places.any(|holder| {
                holder.is_none_or(|(global, start)| {
                    let mut all = rule.unless_named.iter();
                    all.any(|(of, ends)| self.may_end(program, (global, start), of, ends))
                })
            })
    }

    /// Whether the string at a member of a struct in a global, which begins at that offset, may end so.
    fn may_end(
        &self,
        program: &Program,
        (global, start): (GlobalId, i64),
        member: &str,
        ends: &[String],
    ) -> bool {
        let offset = member
            .split_once('.')
            .and_then(|(structure, field)| member_offset(program, structure, field))
            .and_then(|offset| i64::try_from(offset).ok());
        let Some(at) = offset.map(|offset| start + offset) else {
            return true;
        };
        let mut cells = program.globals[global].init.iter().flatten();
        let cell = cells.find(|c| i64::try_from(c.offset) == Ok(at));
        let text = cell.and_then(|c| match c.value {
            Const::Addr { global, offset, .. } => string(program, global, offset),
            _ => None,
        });
        self.written.contains(&(global, at))
            || text.is_none_or(|t| t.is_empty() || ends.iter().any(|e| t.ends_with(e)))
    }
}

/// The string that a constant global holds from an offset on.
fn string(program: &Program, global: GlobalId, offset: i64) -> Option<String> {
    let start = u64::try_from(offset).ok()?;
    let of = &program.globals[global];
    let cells = of.init.as_ref().filter(|_| of.constant)?;
    let mut bytes = Vec::new();
    for cell in cells.iter().filter(|c| c.offset >= start) {
        match cell.value {
            Const::Int { value, .. } if cell.size == 1 && value != 0 => {
                bytes.push(u8::try_from(value & 0xff).ok()?);
            }
            Const::Int { .. } | Const::Null => break,
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok()
}
