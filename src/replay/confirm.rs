//! Replays a schedule on the concurrent program and checks its claim.
//!
//! The replay is strict: every step names the thread and the visible
//! instruction, and both must be what the program does. A schedule that was
//! perturbed does not pass. What is reported of a finding (stacks, locks,
//! values, events) is what the interpreter saw, not what somebody claimed.

use std::collections::BTreeSet;

use super::atomicity::Trail;
use super::bit_fields::BitField;
use super::describe::{Happened, Names};
pub use super::divergence::{Divergence, DivergenceKind};
use super::input::Recorded;
use super::interp::{AccessRecord, Log, Machine, Visible};
use super::memory::MemoryError;
use super::nature;
use super::property::{self, History};
use super::race::{conflict, is_marked, order_shows};
use super::stack::{entry_point, outside, stack};
use super::state::{Frame, NO_START, PathError, State, Stop};
use crate::assumption::Fixed;
use crate::config::{Marked, RaceCheck};
use crate::index::SiteId;
use crate::program::{FailKind, Program, Touch};
use crate::trace::schedule::{Failure, Schedule, Step, ThreadNumber};
use crate::verdict::{Access, Act, Does, Event, Memory, Nature};

/// Instructions that one step of a replay may take.
const FUEL: u64 = 10_000_000;

/// What the interpreter saw of a schedule that holds.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// The two accesses of the race (as `first`, `second` of the claim), or the failing assertion.
    pub accesses: Vec<Access>,
    /// What is accessed: the place where the two overlap; empty for an assertion.
    pub location: String,
    /// Of a race: the bit-fields in the bytes that are written.
    pub bit_fields: Vec<BitField>,
    /// Of a race: what the accesses do with the memory.
    pub nature: Nature,
    /// The interleaving, the failing accesses last.
    pub events: Vec<Event>,
    /// Context switches in the interleaving, that to the second access included.
    pub switches: u32,
    /// What the models fix that were executed.
    pub fixed: BTreeSet<Fixed>,
}

/// Replays `schedule` on the concurrent program; volatile accesses count as marked.
///
/// Errors: where the execution does not go as the schedule says, or does not fail as it says.
pub fn confirm(program: &Program, schedule: &Schedule) -> Result<Confirmed, Divergence> {
    confirm_with(program, schedule, Marked::Kcsan)
}

/// The same under a given reading of what is marked.
///
/// Errors: as [`confirm`].
pub fn confirm_with(
    program: &Program,
    schedule: &Schedule,
    reading: Marked,
) -> Result<Confirmed, Divergence> {
    confirm_by(program, schedule, (reading, RaceCheck::Adjacent))
}

/// The same, and of what a race is.
pub fn confirm_by(
    program: &Program,
    schedule: &Schedule,
    how: (Marked, RaceCheck),
) -> Result<Confirmed, Divergence> {
    check(&machine(program), schedule, how)
}

/// The machine that replays schedules of a program.
pub(super) fn machine(program: &Program) -> Machine<'_> {
    Machine::new(program, FUEL)
}

/// The same as [`confirm_by`], on that machine.
pub(super) fn check(
    machine: &Machine<'_>,
    schedule: &Schedule,
    how: (Marked, RaceCheck),
) -> Result<Confirmed, Divergence> {
    let mut ended = execute(machine, schedule, Watch::All(how.0))?;
    let mut events = std::mem::take(&mut ended.events);
    let end = ended.claim(machine, schedule.steps.len(), how);
    let mut bit_fields = Vec::new();
    let mut nature = Nature::default();
    let (accesses, location, last) = match &schedule.failure {
        Failure::Assertion(step) => end.assertion(*step)?,
        Failure::Race { first, second } => {
            let found = end.race(*first, *second)?;
            bit_fields = found.bit_fields;
            nature = found.nature;
            found.told
        }
        Failure::UseAfterFree(step) => end.use_after_free(*step)?,
        Failure::Property(kind, step) => end.property(*kind, *step, &ended.history)?,
        Failure::Atomicity { read, write } => end.atomicity((*read, *write), &ended.trail)?,
    };
    // What is claimed is about to happen; of broken atomicity the rest has happened.
    let ahead = match schedule.failure.kind() {
        FailKind::Atomicity => 1,
        _ => accesses.len(),
    };
    events.extend(last);
    let steps = schedule.steps.iter().map(|s| s.thread);
    let mut last: Vec<ThreadNumber> = accesses.iter().take(ahead).map(|a| a.thread).collect();
    // Two accesses are about to happen, in either order.
    if schedule.steps.last().map(|s| s.thread) == last.last().copied() {
        last.reverse();
    }
    let order: Vec<ThreadNumber> = steps.chain(last).collect();
    Ok(Confirmed {
        accesses,
        location,
        bit_fields,
        nature,
        events,
        switches: order.windows(2).filter(|w| w[0] != w[1]).count() as u32,
        fixed: ended.log.fixed,
    })
}

/// Whether the claim holds, and of which place: as [`check`], without what is told of it. Of races only.
pub(super) fn races_at(
    machine: &Machine<'_>,
    schedule: &Schedule,
    how: (Marked, RaceCheck),
) -> Option<String> {
    let Failure::Race { first, second } = &schedule.failure else {
        return None;
    };
    let ended = execute(machine, schedule, Watch::Nothing).ok()?;
    let end = ended.claim(machine, schedule.steps.len(), how);
    let (_, location, _) = end.race(*first, *second).ok()?.told;
    Some(location)
}

/// What of an execution is told afterwards.
#[derive(Clone, Copy)]
pub(super) enum Watch {
    /// Events, and what properties need; under that reading.
    All(Marked),
    /// Nothing.
    Nothing,
}

/// A schedule after its last step.
pub(super) struct Ended<'s> {
    pub(super) state: State,
    pub(super) log: Log,
    source: Recorded<'s>,
    events: Vec<Event>,
    history: History,
    trail: Trail,
}

impl Ended<'_> {
    /// What is claimed of it.
    fn claim<'a>(
        &'a self,
        machine: &'a Machine<'a>,
        at_step: usize,
        (reading, race_check): (Marked, RaceCheck),
    ) -> End<'a> {
        End {
            machine,
            state: &self.state,
            source: &self.source,
            log: &self.log,
            at_step,
            reading,
            race_check,
        }
    }
}

/// Takes the steps of a schedule.
pub(super) fn execute<'s>(
    machine: &Machine<'_>,
    schedule: &'s Schedule,
    watch: Watch,
) -> Result<Ended<'s>, Divergence> {
    let program = machine.program;
    let mut source = Recorded::new(&schedule.inputs, &schedule.pair);
    let mut log = Log::recording();
    let mut state = start(machine, &mut source, &mut log)?;
    let mut events = Vec::new();
    let mut history = History::default();
    let mut trail = Trail::default();
    let atomicity = schedule.failure.kind() == FailKind::Atomicity;
    for (n, step) in schedule.steps.iter().enumerate() {
        let fail = |kind, message: String| Divergence {
            at_step: n,
            kind,
            message,
        };
        at_site(machine, &state, *step, n)?;
        let frames = match watch {
            Watch::All(_) => state.thread(step.thread).frames.clone(),
            Watch::Nothing => Vec::new(),
        };
        log.happenings.clear();
        let result = machine.step(&mut state, step.thread, &mut source, &mut log);
        result.map_err(|stop| stopped(program, *step, stop, fail))?;
        let Watch::All(reading) = watch else { continue };
        history.note(program, n, step.thread, &frames, &log.happenings);
        if atomicity {
            let seen = (machine, &state, &log);
            trail.note(seen, step.thread, &frames, &log.happenings, reading);
        }
        let names = Names {
            machine,
            state: &state,
            log: &log,
        };
        for what in names.happenings((step.thread, &frames), &log.happenings) {
            events.push(names.event(&frames, step.thread, what));
        }
    }
    Ok(Ended {
        state,
        log,
        source,
        events,
        history,
        trail,
    })
}

/// Thread 0 before its first visible instruction.
fn start(
    machine: &Machine<'_>,
    source: &mut Recorded<'_>,
    log: &mut Log,
) -> Result<State, Divergence> {
    let fail = |e: PathError| Divergence {
        at_step: 0,
        message: e.to_string(),
        kind: DivergenceKind::Path(e),
    };
    let entry = machine
        .program
        .harness
        .main
        .ok_or_else(|| fail(PathError::Unsupported(NO_START.to_string())))?;
    let mut state = machine.initial(entry, source).map_err(fail)?;
    let step = Step {
        thread: 0,
        site: SiteId(0),
    };
    machine.settle(&mut state, 0, source, log).map_err(|stop| {
        stopped(machine.program, step, stop, |kind, message| Divergence {
            at_step: 0,
            kind,
            message,
        })
    })?;
    Ok(state)
}

/// Whether the thread is about to take that step.
fn at_site(
    machine: &Machine<'_>,
    state: &State,
    step: Step,
    at_step: usize,
) -> Result<(), Divergence> {
    let thread = step.thread;
    let fail = |kind, message: String| {
        Err(Divergence {
            at_step,
            kind,
            message,
        })
    };
    if thread as usize >= state.threads.len() {
        return fail(
            DivergenceKind::NoSuchThread,
            format!("thread {thread} does not exist"),
        );
    }
    match machine.next_site(state, thread) {
        Some(site) if site == step.site => Ok(()),
        Some(found) => fail(
            DivergenceKind::OtherSite { found },
            format!(
                "thread {thread} is at {} {}, not at {} {}",
                found,
                machine.program.describe_site(found),
                step.site,
                site_text(machine.program, step.site),
            ),
        ),
        None => fail(
            DivergenceKind::ThreadEnded,
            format!("thread {thread} has ended"),
        ),
    }
}

/// `file:line:column` of a site that may not exist.
fn site_text(program: &Program, site: SiteId) -> String {
    match program.sites.get(site) {
        Some(_) => program.describe_site(site),
        None => "(no such site)".to_string(),
    }
}

fn stopped(
    program: &Program,
    step: Step,
    stop: Stop,
    fail: impl Fn(DivergenceKind, String) -> Divergence,
) -> Divergence {
    let at = site_text(program, step.site);
    let thread = step.thread;
    match stop {
        Stop::Blocked => fail(
            DivergenceKind::Blocked,
            format!("thread {thread} is blocked at {at}"),
        ),
        Stop::AssertionFailed(_) => fail(
            DivergenceKind::AssertionFailed,
            format!("thread {thread}: an assertion fails at {at}"),
        ),
        Stop::Error(e) => fail(
            DivergenceKind::Path(e.clone()),
            format!("thread {thread} after {at}: {e}"),
        ),
        Stop::NeedChoice(_) | Stop::Claimed(..) => fail(
            DivergenceKind::Path(PathError::Unsupported("not a concurrent program".into())),
            format!("thread {thread} at {at}: not a concurrent program"),
        ),
    }
}

/// The state after the last step.
struct End<'a> {
    machine: &'a Machine<'a>,
    state: &'a State,
    source: &'a Recorded<'a>,
    log: &'a Log,
    at_step: usize,
    reading: Marked,
    race_check: RaceCheck,
}

/// Accesses of the finding, its location, its last events.
pub(super) type Evidence = (Vec<Access>, String, Vec<Event>);

/// A race that holds.
struct Race {
    told: Evidence,
    bit_fields: Vec<BitField>,
    nature: Nature,
}

impl End<'_> {
    fn claim_fails<T>(&self, message: String) -> Result<T, Divergence> {
        Err(Divergence {
            at_step: self.at_step,
            kind: DivergenceKind::ClaimFails,
            message,
        })
    }

    /// Lets the thread execute its next visible part alone, from here, watching a site in it.
    fn alone(&self, step: Step) -> Result<(Result<Visible, Stop>, Log), Divergence> {
        let thread = step.thread;
        // A site within a section: the thread must be at the begin of one.
        let in_section = self.machine.next_site(self.state, thread).is_some()
            && self.machine.at_section(self.state, thread);
        if !in_section {
            at_site(self.machine, self.state, step, self.at_step)?;
        }
        let mut state = self.state.clone();
        let mut source = self.source.clone();
        let mut log = Log::recording();
        log.fields = self.log.fields.clone();
        log.watch = Some(step.site);
        let result = self
            .machine
            .execute(&mut state, thread, &mut source, &mut log);
        Ok((result, log))
    }

    fn names<'a>(&'a self, log: &'a Log) -> Names<'a> {
        Names {
            machine: self.machine,
            state: self.state,
            log,
        }
    }

    fn access(&self, thread: ThreadNumber, frames: &[Frame], log: &Log) -> Access {
        let program = self.machine.program;
        Access {
            thread,
            entry_point: entry_point(program, self.state.thread(thread), frames),
            stack: stack(program, frames),
            kind: Act::Fails,
            bytes: 0,
            marked: false,
            locks: self.names(log).locks(thread),
            acquired: Vec::new(),
            waits_for: None,
            if_by: outside(program, frames),
            value: None,
        }
    }

    fn property(
        &self,
        kind: FailKind,
        step: Step,
        history: &History,
    ) -> Result<Evidence, Divergence> {
        let (result, log) = self.alone(step)?;
        let failed = log
            .failed
            .iter()
            .find(|(of, site, _)| *of == kind && *site == step.site);
        let (Ok(_), Some((_, _, object))) = (result, failed) else {
            return self.claim_fails(format!(
                "the check at {} does not fail",
                site_text(self.machine.program, step.site)
            ));
        };
        let failed = property::Failed {
            machine: self.machine,
            state: self.state,
            log: &log,
            history,
            kind,
            thread: step.thread,
            frames: &log.watched,
            object: *object,
        };
        match property::tell(&failed) {
            Ok((parties, location)) => Ok((parties, location, Vec::new())),
            Err(why) => self.claim_fails(why),
        }
    }

    fn atomicity(
        &self,
        (read, write): (Step, Step),
        trail: &Trail,
    ) -> Result<Evidence, Divergence> {
        let (result, log) = self.alone(write)?;
        let fail = |_, message| Divergence {
            at_step: self.at_step,
            kind: DivergenceKind::ClaimFails,
            message,
        };
        result.map_err(|stop| stopped(self.machine.program, write, stop, fail))?;
        let records: Vec<AccessRecord> = log.accesses().cloned().collect();
        let fail = |message| fail(DivergenceKind::ClaimFails, message);
        let now = (
            &self.names(&log),
            records.as_slice(),
            log.watched.as_slice(),
        );
        trail.check(now, (read, write), self.reading, &fail)
    }

    fn assertion(&self, step: Step) -> Result<Evidence, Divergence> {
        let (result, log) = self.alone(step)?;
        if result != Err(Stop::AssertionFailed(Some(step.site))) {
            return self.claim_fails(format!(
                "the assertion at {} does not fail",
                site_text(self.machine.program, step.site)
            ));
        }
        let names = self.names(&log);
        let last = names.event(
            &log.watched,
            step.thread,
            Happened::at(Does::Fails, Memory::Shared),
        );
        let access = self.access(step.thread, &log.watched, &log);
        Ok((vec![access], String::new(), vec![last]))
    }

    fn use_after_free(&self, step: Step) -> Result<Evidence, Divergence> {
        let (result, log) = self.alone(step)?;
        let Err(Stop::Error(PathError::Memory(MemoryError::Freed { address, .. }))) = result else {
            return self.claim_fails(format!(
                "nothing freed is used at {}",
                site_text(self.machine.program, step.site)
            ));
        };
        let program = self.machine.program;
        let site = program.sites.get(step.site);
        let touch = site.and_then(|s| Touch::of(s.kind));
        let touch = touch.unwrap_or(Touch::Reads);
        let access = Access {
            kind: Act::Touches(touch),
            bytes: site.map_or(0, |s| s.bytes),
            marked: site.is_some_and(|s| s.marked),
            ..self.access(step.thread, &log.watched, &log)
        };
        let does = Does::UsesFreed(touch);
        let last = self.names(&log).event(
            &log.watched,
            step.thread,
            Happened::at(does, Memory::Shared),
        );
        let place = site.and_then(|s| s.object.clone());
        let location = place.unwrap_or_else(|| self.names(&log).place(address, 0));
        Ok((vec![access], location, vec![last]))
    }

    fn race(&self, first: Step, second: Step) -> Result<Race, Divergence> {
        let mut sides = Vec::new();
        for step in [first, second] {
            let (result, log) = self.alone(step)?;
            let fail = |_, message| Divergence {
                at_step: self.at_step,
                kind: DivergenceKind::ClaimFails,
                message,
            };
            match result {
                // A section that ends with a failed assertion can be entered all the same.
                Ok(Visible::Done) | Err(Stop::AssertionFailed(_)) => {}
                Ok(Visible::EndedInSection) => {
                    return self.claim_fails("the section does not reach its end".to_string());
                }
                Err(stop) => return Err(stopped(self.machine.program, step, stop, fail)),
            }
            let accesses: Vec<AccessRecord> = log
                .accesses()
                .filter(|a| a.site == step.site)
                .cloned()
                .collect();
            sides.push((accesses, log));
        }
        let (b_side, a_side) = (sides.pop(), sides.pop());
        let (Some((a_all, a_log)), Some((b_all, b_log))) = (a_side, b_side) else {
            return self.claim_fails("two accesses make a race".to_string());
        };
        let found = a_all
            .iter()
            .flat_map(|a| b_all.iter().map(move |b| (a, b)))
            .filter(|(a, b)| conflict(a, b, self.reading))
            .find(|(a, b)| self.race_check == RaceCheck::Adjacent || order_shows(a, b));
        let Some((a, b)) = found else {
            return self.claim_fails(format!(
                "the accesses at {} and {} do not race",
                site_text(self.machine.program, first.site),
                site_text(self.machine.program, second.site)
            ));
        };
        let mut accesses = Vec::new();
        let mut events = Vec::new();
        for (record, log) in [(a, &a_log), (b, &b_log)] {
            accesses.push(Access {
                kind: Act::Touches(Touch::seen(record.read, record.write || !record.read)),
                bytes: record.bytes as u32,
                marked: is_marked(record, self.reading),
                value: record.before,
                ..self.access(record.thread, &log.watched, log)
            });
            let names = self.names(log);
            events.push(names.event(&log.watched, record.thread, names.of_access(record)));
        }
        let (from, to) = (
            a.address.max(b.address),
            (a.address + a.bytes).min(b.address + b.bytes),
        );
        let location = self.names(&a_log).place(from, to - from);
        let (writes, log) = match a.write && (!b.write || a.bytes >= b.bytes) {
            true => (a, &a_log),
            false => (b, &b_log),
        };
        let bit_fields = self.names(log).bit_fields(writes.address, writes.bytes);
        let nature = nature::of(
            [&self.names(&a_log), &self.names(&b_log)],
            [a, b],
            !bit_fields.is_empty(),
        );
        Ok(Race {
            told: (accesses, location, events),
            bit_fields,
            nature,
        })
    }
}
