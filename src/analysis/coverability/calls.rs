//! Calls: whom they enter, and whom they only leave the traces of.

use crate::index::{BlockId, Idx};
use crate::program::{Callee, Instr, Operand};

use super::super::points_to::{InstanceId, Place};
use super::explore::{Explorer, Halt};
use super::state::{Frame, Micro};
use super::step::{Then, advance, set};
use super::value::Val;

/// Depth of calls.
const MAX_FRAMES: usize = 40;

impl Explorer<'_> {
    pub(super) fn call(
        &mut self,
        m: &mut Micro,
        place: Place,
        instr: &Instr,
        callee: &Callee,
        args: &[Operand],
    ) -> Result<Then, Halt> {
        let program = self.input.program;
        let mut all: Vec<InstanceId> = self.closures.callees(place).to_vec();
        let known = match callee {
            Callee::Direct(f) => Some(*f),
            Callee::Indirect(o) => match self.eval(m, o) {
                Some(Val::Func(f)) => Some(f),
                _ => None,
            },
        };
        if let Some(f) = known {
            let function = |i: &InstanceId| self.input.points_to.instances()[*i].function;
            all.retain(|i| function(i) == f);
            if all.is_empty() && !program.functions[f].is_defined() {
                self.written_outside(m, args)?;
                set(m, instr.result, None);
                return Ok(Then::Next);
            }
        }
        if all.is_empty() {
            if matches!(callee, Callee::Indirect(_)) && !self.input.points_to.is_lost_call(place) {
                // A pointer that can only be null: the call fails.
                return Ok(Then::Ends);
            }
            let place = program.source.describe(instr.loc);
            return Err(Halt::Never(format!(
                "a call that is not followed ({place})"
            )));
        }
        let file = known.is_some_and(|f| program.harness.files.contains(&f));
        if file && m.later {
            // Some file, about which nothing is known.
            set(m, instr.result, None);
            return Ok(Then::Next);
        }
        let mut out = Vec::new();
        for callee in all {
            out.push(self.enter(m, instr, callee, args)?);
        }
        Ok(Then::Fork(out))
    }

    /// The thread where it has called that function.
    fn enter(
        &mut self,
        m: &Micro,
        instr: &Instr,
        callee: InstanceId,
        args: &[Operand],
    ) -> Result<Micro, Halt> {
        let program = self.input.program;
        let again = m.state.frames.iter().any(|f| f.instance == callee);
        let mut next = m.clone();
        let f = self.input.points_to.instances()[callee].function;
        if program.functions[f].outside {
            self.written_outside(&mut next, args)?;
        }
        let closure = self.closures.of(callee);
        let (matters, small) = (closure.matters, closure.small);
        if again && matters {
            let name = &program.functions[f].name;
            return Err(Halt::Never(format!("{name} calls itself")));
        }
        if !matters && (again || !small) {
            return self.passed_over(next, instr, callee, args);
        }
        if m.state.frames.len() >= MAX_FRAMES {
            return Err(Halt::Never("calls are nested too deeply".to_string()));
        }
        let params = &program.functions[f].params;
        // What a call has more is read in ways that are not followed.
        self.publish_operands(&mut next, args.get(params.len()..).unwrap_or(&[]));
        let env = params
            .iter()
            .zip(args)
            .filter_map(|(p, a)| Some((*p, self.eval(m, a)?)))
            .collect();
        if let Some(caller) = next.state.frames.last_mut() {
            let own = self.input.points_to.instances()[caller.instance].function;
            let live = self
                .bodies
                .live(program, own, caller.block, caller.index + 1);
            caller.env.retain(|v, _| live.contains(v.index()));
        }
        next.state.frames.push(Frame {
            instance: callee,
            block: BlockId(0),
            index: 0,
            env,
        });
        Ok(next)
    }

    /// The thread behind a call of a function that does nothing that matters: what it writes is not known any more.
    fn passed_over(
        &mut self,
        mut m: Micro,
        instr: &Instr,
        callee: InstanceId,
        args: &[Operand],
    ) -> Result<Micro, Halt> {
        let writes = self.closures.of(callee).writes.clone();
        self.publish_operands(&mut m, args);
        self.publish_memory(&mut m);
        for touch in writes {
            self.written(&mut m, touch)?;
        }
        set(&mut m, instr.result, None);
        advance(&mut m);
        Ok(m)
    }
}
