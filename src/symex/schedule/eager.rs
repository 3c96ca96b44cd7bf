//! Lal and Reps's eager rounds: each thread once, over guessed stores.

use crate::index::FuncId;
use crate::program::MadeBy;
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::{Exit, State, Value};
use crate::symex::machine::switch::{Schedule, SwitchCall};
use crate::symex::machine::values::hash_of;

/// Executions before it is given up to find all addresses.
const MAX_PASSES: u32 = 24;

/// Each thread once, over guessed stores, again and again until what is guessed can be whatever it has to be.
pub(in crate::symex) struct Eager {
    /// How each execution is scheduled.
    plain: Box<dyn Schedule>,
}

impl Eager {
    /// Whose executions `plain` schedules.
    pub fn new(plain: Box<dyn Schedule>) -> Eager {
        Eager { plain }
    }
}

/// Whether the program is one that Lal and Reps's transformation has made.
pub(in crate::symex) fn is_made_for(run: &Executor<'_>) -> bool {
    run.marks().by == Some(MadeBy::LalReps)
}

impl Schedule for Eager {
    fn thread(
        &mut self,
        run: &mut Executor<'_>,
        f: FuncId,
        args: &[Value],
        from: State,
        base: u64,
    ) -> Vec<Exit> {
        self.plain.thread(run, f, args, from, base)
    }

    fn at_switch_point(&mut self, run: &mut Executor<'_>, call: SwitchCall<'_>) -> Vec<Exit> {
        self.plain.at_switch_point(run, call)
    }

    fn check(
        &mut self,
        run: &mut Executor<'_>,
        (name, main): (&str, FuncId),
        from: State,
    ) -> Option<State> {
        let base = hash_of(&(name, "run"));
        let before = (run.found.failures.len(), run.found.ends.len());
        for _ in 0..MAX_PASSES {
            run.found.failures.truncate(before.0);
            run.found.ends.truncate(before.1);
            run.found.reached.clear();
            run.views.guesses.more = false;
            for (guess, place) in &run.views.guesses.places {
                if let Some(known) = run.objects.guessed.get_mut(guess) {
                    let addresses = run.views.guesses.addresses.get(place);
                    *known = addresses.into_iter().flatten().copied().collect();
                }
            }
            run.objects.forget_targets();
            let exits = self.plain.thread(run, main, &[], from.clone(), base);
            let settled = !run.views.guesses.more || run.writes_journal();
            if settled || run.budget.ran_out || run.budget.is_stopped() {
                let states = exits.into_iter().map(|e| e.state);
                let left = states.reduce(|a, b| run.merge_states(a, b).0);
                keep_consistent(run, left.as_ref());
                return left;
            }
        }
        let what = "guessed pointers of which no end was found";
        run.end(&from.guard, EndKind::Unsupported(what.into()), None);
        None
    }
}

/// How far threads get counts in executions that come to a consistent end.
fn keep_consistent(run: &mut Executor<'_>, left: Option<&State>) {
    let end = match left {
        Some(state) => state.guard.term(&mut run.terms),
        None => run.terms.fals(),
    };
    for guards in run.found.reached.values_mut() {
        let all = std::mem::take(guards);
        guards.extend(all.iter().filter_map(|g| g.and(&mut run.terms, end)));
    }
}

/// For a concrete run: the addresses of another run, and what it had copies of.
pub(in crate::symex) fn adopt_guesses(run: &mut Executor<'_>, other: &Executor<'_>) {
    if is_made_for(run) {
        run.objects = other.objects.layout();
        run.views.guesses = other.views.guesses.clone();
    }
}
