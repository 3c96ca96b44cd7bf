//! A run of a net, for people: which thread makes which step where.

use rustc_hash::FxHashMap;

use crate::index::SiteId;

use super::cells::Location;
use super::explore::{Explorer, Start};
use super::model::Model;
use super::net::{Bag, Net, PlaceId, TransitionId, count, covered, minus, sum};
use super::value::JobId;

/// One step of a run, or the end of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Number of the thread.
    pub thread: u32,
    /// What the thread runs.
    pub runs: String,
    /// Where it is, and the function: `file:line:col`; none for a thread that begins.
    pub at: Option<(String, String)>,
    /// The visible instruction that the step begins with.
    pub site: Option<SiteId>,
}

/// The steps of a firing sequence, and what the threads are about to do then that have a token in one of `last`.
pub fn steps(
    explorer: &Explorer<'_>,
    model: &Model,
    path: &[TransitionId],
    last: &[(PlaceId, u32)],
) -> Vec<Step> {
    let mut jobs: FxHashMap<PlaceId, JobId> = FxHashMap::default();
    let mut where_is = FxHashMap::default();
    for ((job, state), place) in &model.states {
        let state = &explorer.jobs[job].states[*state];
        let instr = state.place().and_then(|p| explorer.instr_at(p));
        jobs.insert(*place, *job);
        where_is.insert(*place, (at(explorer, state), instr.and_then(|i| i.site)));
    }
    // The threads at each place.
    let mut threads: FxHashMap<PlaceId, Vec<u32>> = FxHashMap::default();
    let mut next = 0;
    let mut begin = |threads: &mut FxHashMap<PlaceId, Vec<u32>>, p: PlaceId| {
        threads.entry(p).or_default().push(next);
        next += 1;
        next - 1
    };
    for (p, n) in &model.net.initial {
        if jobs.contains_key(p) {
            (0..*n).for_each(|_| {
                begin(&mut threads, *p);
            });
        }
    }
    let mut out = Vec::new();
    for t in path {
        let transition = &model.net.transitions[*t];
        let mover = transition.pre.iter().find(|(p, _)| jobs.contains_key(p));
        let mut moved = None;
        if let Some((p, _)) = mover {
            let thread = threads.get_mut(p).and_then(Vec::pop);
            let thread = thread.unwrap_or_default();
            moved = Some((thread, jobs[p]));
            out.push(Step {
                thread,
                runs: name(explorer, jobs[p]),
                at: where_is[p].0.clone(),
                site: where_is[p].1,
            });
        }
        for (p, n) in &transition.post {
            let Some(job) = jobs.get(p) else { continue };
            let mut n = *n;
            // The thread that moved goes on in the state of its own kind.
            if let Some((thread, own)) = moved
                && own == *job
            {
                threads.entry(*p).or_default().push(thread);
                moved = None;
                n -= 1;
            }
            for _ in 0..n {
                let thread = begin(&mut threads, *p);
                out.push(Step {
                    thread,
                    runs: name(explorer, *job),
                    at: None,
                    site: None,
                });
            }
        }
    }
    for (p, job) in &jobs {
        for _ in 0..count(last, *p) {
            let thread = threads.get_mut(p).and_then(Vec::pop);
            out.extend(thread.map(|thread| Step {
                thread,
                runs: name(explorer, *job),
                at: where_is[p].0.clone(),
                site: where_is[p].1,
            }));
        }
    }
    out
}

/// Where the steps of a firing sequence access memory, in their order.
pub fn accessed(explorer: &Explorer<'_>, model: &Model, path: &[TransitionId]) -> Vec<Location> {
    let states: FxHashMap<PlaceId, _> = model.states.iter().map(|(s, p)| (*p, *s)).collect();
    let mut out = Vec::new();
    for t in path {
        let pre = model.net.transitions[*t].pre.iter();
        for (job, state) in pre.filter_map(|(p, _)| states.get(p)) {
            out.extend(explorer.exact_access(&explorer.jobs[job].states[*state]));
        }
    }
    out
}

/// What a thread runs.
fn name(explorer: &Explorer<'_>, job: JobId) -> String {
    let function = |i| {
        let f = explorer.input.points_to.instances()[i].function;
        explorer.input.program.functions[f].name.clone()
    };
    match &explorer.kinds[job] {
        Start::Main => "main".to_string(),
        Start::Once(_, _, i) | Start::Many(i, _) => function(*i),
        Start::Entry(n, i) => match explorer.input.entries {
            Some(entries) => entries.all[*n].name.clone(),
            None => function(*i),
        },
    }
}

/// Where a thread is: the innermost function of the program's own, if there is one.
fn at(explorer: &Explorer<'_>, state: &super::state::State) -> Option<(String, String)> {
    let program = explorer.input.program;
    let function =
        |f: &super::state::Frame| explorer.input.points_to.instances()[f.instance].function;
    let frames = &state.frames;
    let own = frames
        .iter()
        .rev()
        .find(|f| !program.functions[function(f)].is_model);
    let frame = own.or(frames.last())?;
    let function = &program.functions[function(frame)];
    let block = &function.blocks[frame.block];
    let loc = block
        .instrs
        .get(frame.index as usize)
        .map_or(block.term_loc, |i| i.loc);
    Some((program.source.describe(loc), function.name.clone()))
}

/// The target that a run of the net covers.
pub fn reached(net: &Net, path: &[TransitionId]) -> Bag {
    let mut marking = net.initial.clone();
    for t in path {
        let t = &net.transitions[*t];
        marking = sum(&minus(&marking, &t.pre), &t.post);
    }
    let mut targets = net.targets.iter();
    let target = targets.find(|t| covered(t, &marking));
    target.cloned().unwrap_or_default()
}

/// The states of threads that a marking has, for places that count accesses too: two threads that are about to make them.
pub fn about(model: &Model, path: &[TransitionId]) -> Bag {
    let net = &model.net;
    let mut marking = net.initial.clone();
    for t in path {
        let t = &net.transitions[*t];
        marking = sum(&minus(&marking, &t.pre), &t.post);
    }
    let target = reached(net, path);
    let mut out = Bag::new();
    for place in model.states.values() {
        let wanted = |p: &PlaceId| count(&target, *p).min(count(&marking, *place));
        let counted = model.about.get(place).into_iter();
        let n = counted.chain([place]).map(wanted).max().unwrap_or(0);
        if n > 0 {
            out.push((*place, n));
        }
    }
    out.sort_unstable();
    out
}
