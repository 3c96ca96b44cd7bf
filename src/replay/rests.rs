//! What a race rests on of the contents that a schedule gives objects from outside: it is replayed with others.
//!
//! A content counts where the same steps lead to the same race whatever of a few other values is there. That is tried, not proved:
//! a content that is told is one that decides, one that is not told did not with the values that were tried.

use super::confirm::{Watch, execute, machine, races_at};
use super::describe::{Names, struct_named};
use super::interp::Machine;
use crate::config::{Marked, RaceCheck};
use crate::index::DebugTypeId;
use crate::program::{DebugTypeKind, Program};
use crate::trace::schedule::{Failure, LazyCell, LazyValue, Schedule};
use crate::verdict::{Content, ContentValue, StateKind};

/// Steps that all replays of one schedule together may take.
const STEPS: usize = 100_000;

/// A content: name of the object, offset.
type Cell = (String, u64);

/// Where the execution starts from: whether what nobody executed decides, and what of it.
pub fn of(program: &Program, schedule: &Schedule, how: (Marked, RaceCheck)) -> StateKind {
    let cells: Vec<Cell> = schedule
        .inputs
        .lazy
        .iter()
        .flat_map(|(object, cells)| cells.keys().map(|o| (object.clone(), *o)))
        .collect();
    if cells.is_empty() {
        return StateKind::Reached;
    }
    if !matches!(schedule.failure, Failure::Race { .. }) {
        return StateKind::Assumed(None);
    }
    let machine = machine(program);
    let Some(location) = races_at(&machine, schedule, how) else {
        return StateKind::Assumed(None);
    };
    let mut left = STEPS / schedule.steps.len().max(1);
    let mut holds = |changed: &Schedule| {
        left = left.checked_sub(1)?;
        Some(races_at(&machine, changed, how).as_ref() == Some(&location))
    };
    let mut decide = vec![false; cells.len()];
    for other in [Other::Opposite, Other::Smallest, Other::Neighbour] {
        let among: Vec<usize> = (0..cells.len()).filter(|n| !decide[*n]).collect();
        let mut changed = schedule.clone();
        let Some(found) = deciding(&mut changed, (&cells, &among), other, &mut holds) else {
            return StateKind::Assumed(None);
        };
        for n in found {
            decide[n] = true;
        }
    }
    let deciding: Vec<&Cell> = cells
        .iter()
        .zip(&decide)
        .filter_map(|(cell, decides)| decides.then_some(cell))
        .collect();
    match deciding.is_empty() {
        true => StateKind::Tried,
        false => StateKind::Assumed(Some(told(&machine, schedule, &deciding))),
    }
}

/// Which of `among` decide: those that cannot have another value while as many of the rest as possible have one. The others have it in
/// `schedule` then. Nothing: too many replays.
fn deciding(
    schedule: &mut Schedule,
    (cells, among): (&[Cell], &[usize]),
    other: Other,
    holds: &mut impl FnMut(&Schedule) -> Option<bool>,
) -> Option<Vec<usize>> {
    let before: Vec<LazyValue> = among
        .iter()
        .map(|n| set(schedule, &cells[*n], other))
        .collect();
    if among.is_empty() || holds(schedule)? {
        return Some(Vec::new());
    }
    for (n, value) in among.iter().zip(before) {
        cell(schedule, &cells[*n]).value = value;
    }
    if let [one] = among {
        return Some(vec![*one]);
    }
    let (first, second) = among.split_at(among.len() / 2);
    let mut found = deciding(schedule, (cells, first), other, holds)?;
    found.extend(deciding(schedule, (cells, second), other, holds)?);
    Some(found)
}

/// Another value than the one that is there.
#[derive(Clone, Copy)]
enum Other {
    /// All bits the other way round; of a pointer, null.
    Opposite,
    /// 0, or 1 instead of 0.
    Smallest,
    /// Another lowest bit.
    Neighbour,
}

/// Puts another value there, and gives the one that was.
fn set(schedule: &mut Schedule, at: &Cell, other: Other) -> LazyValue {
    let cell = cell(schedule, at);
    let bits = match cell.size {
        8.. => u64::MAX,
        size => (1 << (8 * size)) - 1,
    };
    let new = match (&cell.value, other) {
        (LazyValue::Int(v), Other::Opposite) => !*v & bits,
        (LazyValue::Int(v), Other::Smallest) => u64::from(*v == 0),
        (LazyValue::Int(v), Other::Neighbour) => *v ^ 1,
        (LazyValue::Object | LazyValue::Symbol(..) | LazyValue::Place(..), _) => 0,
    };
    std::mem::replace(&mut cell.value, LazyValue::Int(new))
}

fn cell<'s>(schedule: &'s mut Schedule, (object, offset): &Cell) -> &'s mut LazyCell {
    let cells = schedule.inputs.lazy.get_mut(object);
    let cell = cells.and_then(|cells| cells.get_mut(offset));
    cell.expect("the contents that are tried are those of the schedule")
}

/// Names of contents, as the source has them.
fn told(machine: &Machine<'_>, schedule: &Schedule, cells: &[&Cell]) -> Vec<Content> {
    let Ok(ended) = execute(machine, schedule, Watch::Nothing) else {
        return Vec::new();
    };
    let names = Names {
        machine,
        state: &ended.state,
        log: &ended.log,
    };
    let mut told = Vec::new();
    for (object, offset) in cells {
        let Some(cell) = schedule.inputs.lazy[object].get(offset) else {
            continue;
        };
        let global = object.strip_prefix('@').map(|name| {
            let global = machine.program.global_named(name);
            global.map(|g| machine.global_address(g))
        });
        let base = global.unwrap_or_else(|| ended.state.memory.lazy_named(object));
        let Some(base) = base else { continue };
        let place = names.place(base.wrapping_add(*offset), u64::from(cell.size));
        let value = match &cell.value {
            LazyValue::Int(v) if is_pointer(machine.program, &place) => match v {
                0 => ContentValue::Null,
                _ => ContentValue::Address,
            },
            LazyValue::Int(v) => ContentValue::Number(*v),
            LazyValue::Object | LazyValue::Place(..) => ContentValue::Object,
            LazyValue::Symbol(name, _) => ContentValue::Symbol(name.clone()),
        };
        let content = Content { place, value };
        if !told.contains(&content) {
            told.push(content);
        }
    }
    told
}

/// Whether a place that has a name, `struct foo.bar.baz[2]`, is one of a pointer.
fn is_pointer(program: &Program, place: &str) -> bool {
    let Some(path) = place.strip_prefix("struct ") else {
        return false;
    };
    let mut names = path.split('.');
    let mut ty = names.next().and_then(|name| struct_named(program, name));
    for name in names {
        let (name, indices) = name.split_once('[').map_or((name, 0), |(name, rest)| {
            (name, 1 + rest.matches('[').count())
        });
        ty = ty.and_then(|ty| member_named(program, ty, name));
        for _ in 0..indices {
            ty = match ty.map(|ty| &program.debug_types[ty].kind) {
                Some(DebugTypeKind::Array { element, .. }) => *element,
                _ => None,
            };
        }
    }
    ty.is_some_and(|ty| matches!(program.debug_types[ty].kind, DebugTypeKind::Pointer(_)))
}

/// The type of a member, also of one that stands in a member without a name.
fn member_named(program: &Program, ty: DebugTypeId, name: &str) -> Option<DebugTypeId> {
    let mut waiting = vec![ty];
    while let Some(ty) = waiting.pop() {
        let (DebugTypeKind::Struct(members) | DebugTypeKind::Union(members)) =
            &program.debug_types[ty].kind
        else {
            continue;
        };
        if let Some(member) = members.iter().find(|m| m.name == name) {
            return member.ty;
        }
        let nameless = members.iter().filter(|m| m.name.is_empty());
        waiting.extend(nameless.filter_map(|m| m.ty));
    }
    None
}
