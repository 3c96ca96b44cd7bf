//! Where a lane is entered: in the middle of activations, at the calls within which the lane before was left.

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::Term;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::resumed::{Resume, Resumes};
use crate::symex::machine::state::State;
use crate::symex::schedule::levels::SwitchPoint;

impl Executor<'_> {
    /// A lane that is entered at each of these points, in the state that goes with it, if there is one.
    pub(in crate::symex) fn resumes_at_points(
        &mut self,
        number: Term,
        points: Vec<SwitchPoint>,
        states: Vec<Option<State>>,
    ) -> Resumes {
        let mut map = Resumes::default();
        let all: BTreeSet<u32> = points.iter().map(|p| self.terms.number_at(p)).collect();
        for (point, state) in points.into_iter().zip(states) {
            let Some(state) = state else { continue };
            let depth = point.frames.len();
            let own = self.terms.number_at(&point);
            for (n, frame) in point.frames.iter().enumerate() {
                let callee = point
                    .frames
                    .get(n + 1)
                    .map(|f| f.function)
                    .or(self.marks().schedule);
                let never = self.terms.fals();
                let resume = map
                    .0
                    .entry(frame.context)
                    .or_default()
                    .entry((frame.at.clone(), frame.index))
                    .or_insert_with(|| Resume {
                        locals: frame.locals.clone(),
                        callees: BTreeSet::new(),
                        injected: None,
                        points: BTreeSet::new(),
                        here: never,
                    });
                resume.callees.extend(callee);
                resume.points.insert(own);
                if n + 1 == depth {
                    resume.injected = Some(state.clone());
                }
            }
        }
        for resume in map.0.values_mut().flat_map(BTreeMap::values_mut) {
            resume.here = self.terms.is_among(number, &resume.points, &all);
        }
        map
    }
}
