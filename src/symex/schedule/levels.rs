//! The threads at work, each interrupted by the next, and the switch points that each has come to.

use crate::expr::Term;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::resumed::Resumes;
use crate::symex::machine::stack::Turn;

use crate::symex::machine::state::{Frame, State};
use crate::symex::machine::values::{SWITCH_BITS, hash_of};

/// The execution of one thread with what it schedules.
#[derive(Clone, Debug, Default)]
pub(in crate::symex) struct Level {
    /// Names this thread's execution.
    pub base: u64,
    /// How many threads have been scheduled on this level so far.
    pub lane: u32,
    /// Height of the stack below this level.
    floor: usize,
    /// The switch points of the current lane.
    pub points: Vec<SwitchPoint>,
    /// Where the current lane is entered, by activation.
    pub resume: Resumes,
}

impl Level {
    /// Names the input that says at which of its points the lane is left.
    pub fn switch_name(&self) -> u64 {
        hash_of(&(self.base, "switch", self.lane))
    }
}

/// A state set aside at a call of `schedule()`.
#[derive(Clone, Debug)]
pub(in crate::symex) struct SwitchPoint {
    /// The stack of the level, outermost first.
    pub frames: Vec<Frame>,
    /// The state, under the condition that the switch is made here.
    pub start: State,
    /// The number of the point.
    pub number: Term,
    /// The lane's switch is made at this point.
    pub here: Term,
}

/// The levels of a run, the running thread's last. Whatever changes them tells the machine.
#[derive(Debug, Default)]
pub(in crate::symex) struct Levels {
    all: Vec<Level>,
}

impl Levels {
    /// A thread runs, in a lane without switch points so far.
    pub fn push(&mut self, run: &mut Executor<'_>, base: u64, lane: u32) {
        self.all.push(Level {
            base,
            lane,
            floor: run.stack.frames.len(),
            ..Level::default()
        });
        self.tell(run);
    }

    /// It does no longer.
    pub fn pop(&mut self, run: &mut Executor<'_>) -> Level {
        let level = self.all.pop().expect("a thread runs on a level");
        self.tell(run);
        level
    }

    /// The running thread's.
    pub fn last(&mut self) -> &mut Level {
        self.all.last_mut().expect("a thread runs on a level")
    }

    /// Where the running thread's activations are entered in the middle.
    pub fn resumes(&mut self) -> Option<&mut Resumes> {
        self.all.last_mut().map(|level| &mut level.resume)
    }

    /// One more thread is scheduled on the running one's level: the next lane begins, and its number is told.
    pub fn next_lane(&mut self, run: &mut Executor<'_>) -> u32 {
        self.last().lane += 1;
        self.tell(run);
        self.last().lane
    }

    /// The switch points of the lane, which has none any more.
    pub fn take_points(&mut self, run: &mut Executor<'_>) -> Vec<SwitchPoint> {
        let points = std::mem::take(&mut self.last().points);
        self.tell(run);
        points
    }

    /// How many threads have been scheduled on the way here, on all levels.
    pub fn scheduled(&self) -> u32 {
        self.all.iter().map(|l| l.lane).sum()
    }

    /// The number of the point at which the current lane's switch is made.
    pub fn switch_number(&mut self, run: &mut Executor<'_>) -> Term {
        let name = self.last().switch_name();
        run.input(name, SWITCH_BITS, "switch")
    }

    /// Keeps a state of the running activations for the next lane.
    pub fn set_aside_here(
        &mut self,
        run: &mut Executor<'_>,
        start: State,
        number: Term,
        here: Term,
    ) {
        let floor = self.last().floor;
        let frames = run.stack.frames[floor..].to_vec();
        let point = SwitchPoint {
            frames,
            start,
            number,
            here,
        };
        self.set_aside(run, point);
        self.tell(run);
    }

    /// Keeps a state for the next lane. States that come to one point by ways of their own (raised or not, say) become
    /// one: the point's number does not tell them apart.
    fn set_aside(&mut self, run: &mut Executor<'_>, point: SwitchPoint) {
        let points = &mut self.last().points;
        let known = points.iter().position(|p| p.number == point.number);
        let Some(n) = known else {
            points.push(point);
            return;
        };
        let other = points.remove(n);
        let (start, selector) = run.merge_states(point.start, other.start);
        let mut frames = point.frames;
        for (frame, old) in frames.iter_mut().zip(&other.frames) {
            frame.locals = run.terms.merge_locals(selector, &frame.locals, &old.locals);
        }
        points.push(SwitchPoint {
            frames,
            start,
            ..other
        });
    }

    fn tell(&self, run: &mut Executor<'_>) {
        let last = self.all.last().filter(|l| !l.points.is_empty());
        run.stack.turn = Turn {
            scheduled: self.scheduled(),
            left_at: last.map(Level::switch_name),
            ..run.stack.turn
        };
    }
}
