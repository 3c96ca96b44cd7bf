//! A thread by itself, whose accesses are written down instead of checked: where, when, what it holds.
//!
//! Such a run executes one of the two threads of a pair; the other does nothing. What two threads do so is put together afterwards
//! ([`crate::symex::witness::apart`]): one run of a thread serves all pairs that it is in.

use crate::environment::contract::GHOST_OWNER;
use crate::expr::Term;
use crate::index::{FuncId, SiteId};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::state::{State, Value};
use crate::symex::memory::objects::ObjectId;
use crate::symex::memory::pointees::Place;
use crate::trace::schedule::ThreadNumber;

/// Accesses of one run that are written down, at most: a loop that goes round often makes many.
const MAX_ACCESSES: usize = 20_000;

/// The bits of what an access check is told of its access (`WRITE`, `MARKED` of runtime-stubs/sequential/kiss.c).
const WRITE: u128 = 1;
const MARKED: u128 = 2;

/// An access that a thread is about to make.
#[derive(Clone, Debug)]
pub struct Accessed {
    /// Which.
    pub site: SiteId,
    /// When it is made.
    pub(in crate::symex) guard: Guard,
    /// Where, and how many bytes.
    pub(in crate::symex) address: Term,
    pub(in crate::symex) length: Term,
    pub(in crate::symex) writes: bool,
    pub(in crate::symex) marked: bool,
    /// The owners of exclusive locks then.
    pub(in crate::symex) owners: Vec<((ObjectId, u64), Term)>,
    /// How many visible instructions were executed before (in a concrete run); of an access in a section, before the section.
    pub(in crate::symex) at: usize,
}

impl Executor<'_> {
    /// Whether nothing is executed of a thread that starts in that function: it is the other one's turn.
    pub(in crate::symex) fn is_left_out(&mut self, f: FuncId, state: &State) -> bool {
        match self.check.apart {
            Some(only) if Some(f) == self.program.harness.starter => self.thread(state) != only,
            _ => false,
        }
    }

    /// Writes an access down, if that is asked for. `depth`: how many sections the thread is in.
    pub(in crate::symex) fn note_access(
        &mut self,
        f: FuncId,
        (args, site): (&[Value], Option<usize>),
        state: &State,
        depth: Option<u128>,
    ) {
        let marks = self.marks();
        let (Some(_), Some(site)) = (self.check.apart, site) else {
            return;
        };
        if ![marks.access, marks.also].contains(&Some(f)) {
            return;
        }
        let [
            Value::Scalar(address),
            Value::Scalar(length),
            Value::Scalar(flags),
            ..,
        ] = args
        else {
            return;
        };
        if self.found.accesses.len() >= MAX_ACCESSES {
            return;
        }
        let in_section = depth != Some(0);
        let flags = self.terms.as_const(*flags).unwrap_or(WRITE);
        let ghosts = state.memory.ghosts.iter();
        let owners = ghosts.filter(|((_, key), _)| *key == GHOST_OWNER);
        let owners = owners.flat_map(|((object, _), cells)| {
            let cells = cells.iter();
            cells.map(|(offset, owner)| ((*object, *offset), *owner))
        });
        self.found.accesses.push(Accessed {
            site: SiteId(site as u32),
            guard: state.guard.clone(),
            address: *address,
            length: *length,
            writes: flags & WRITE != 0,
            marked: in_section || flags & MARKED != 0,
            owners: owners.collect(),
            // The step that begins the section is the last one.
            at: (self.journal.steps.len()).saturating_sub(usize::from(in_section)),
        });
    }

    /// The objects that an access is of, where in each, and when it is made there.
    pub(in crate::symex) fn objects_of(
        &mut self,
        access: &Accessed,
    ) -> Vec<(ObjectId, Term, Term)> {
        let guard = access.guard.term(&mut self.terms);
        let targets = self.bound_targets(access.address);
        let each = targets.iter().filter_map(|target| match target.place {
            Place::Object(object, offset) => Some((object, offset, target.condition)),
            _ => None,
        });
        let each: Vec<(ObjectId, Term, Term)> = each.collect();
        let made = each.into_iter().map(|(object, offset, there)| {
            let made = self.terms.and(guard, there);
            (object, offset, made)
        });
        made.collect()
    }

    /// When two threads that have each come to an access by themselves race: the first is thread `numbers[0]`, the second `numbers[1]`;
    /// both began in that state. No lock is held by both.
    pub(in crate::symex) fn meet(
        &mut self,
        (a, b): (&Accessed, &Accessed),
        numbers: [ThreadNumber; 2],
        start: &State,
    ) -> Term {
        if !(a.writes || b.writes) || a.marked && b.marked {
            return self.terms.fals();
        }
        let there = self.overlap((a.address, a.length), (b.address, b.length), start);
        if self.terms.is_false(there) {
            return there;
        }
        let mut parts = vec![there];
        for (lock, owner) in &a.owners {
            let Some((_, other)) = b.owners.iter().find(|(own, _)| own == lock) else {
                continue;
            };
            let held = [(*owner, numbers[0]), (*other, numbers[1])].map(|(owner, number)| {
                let me = self
                    .terms
                    .constant(self.terms.width(owner), u128::from(number) + 1);
                self.terms.eq(owner, me)
            });
            let both = self.terms.and_all(&held);
            parts.push(self.terms.not(both));
        }
        parts.extend([&a.guard, &b.guard].map(|g| g.term(&mut self.terms)));
        self.terms.and_all(&parts)
    }
}
