//! Control flow: terminators, phis, calls and returns.

use super::super::state::{Frame, PathError, Stop, Val};
use super::arith::mask;
use super::{Happening, MAX_FRAMES, Run};
use crate::index::{BlockId, Idx};
use crate::program::{Block, Callee, Instr, Op, Terminator, Type};

impl Run<'_> {
    pub(super) fn terminator(&mut self, block: &Block) -> Result<(), PathError> {
        match &block.term {
            Terminator::Jump(to) => self.jump(*to),
            Terminator::Branch {
                cond,
                if_true,
                if_false,
            } => {
                let to = if self.bits(cond)? & 1 == 1 {
                    *if_true
                } else {
                    *if_false
                };
                self.jump(to)
            }
            Terminator::Switch {
                value,
                cases,
                default,
                ..
            } => {
                let value = self.bits(value)?;
                let to = cases
                    .iter()
                    .find(|(case, _)| *case == value)
                    .map_or(*default, |(_, to)| *to);
                self.jump(to)
            }
            Terminator::Return(value) => {
                let value = value.as_ref().map(|v| self.value(v)).transpose()?;
                self.note_answer(value.as_ref());
                self.give_back(value);
                Ok(())
            }
            Terminator::Unreachable => Err(PathError::Undefined(
                "control reached what cannot be reached".into(),
            )),
            Terminator::Unsupported(what) => Err(PathError::Unsupported(what.clone())),
        }
    }

    /// Writes down what a model returns to the user's code, if something in it was chosen.
    fn note_answer(&mut self, value: Option<&Val>) {
        if !self.log.on || !self.log.asked {
            return;
        }
        let functions = &self.machine.program.functions;
        let frames = &self.state.threads[self.thread as usize].frames;
        let [callers @ .., own] = frames.as_slice() else {
            return;
        };
        let to_user = callers
            .last()
            .is_some_and(|f| !functions[f.function].is_model);
        if !to_user || !functions[own.function].is_model {
            return;
        }
        self.log.asked = false;
        if let Some(Val::Bits(bits)) = value {
            let from = callers.iter().map(|f| Frame {
                values: Vec::new(),
                ..f.clone()
            });
            let happening = Happening::Answered {
                function: own.function,
                value: *bits as u64,
                from: from.collect(),
            };
            self.log.note(happening);
        }
    }

    /// Goes to a block of the same function; its phis are evaluated at once, with the values from before.
    fn jump(&mut self, to: BlockId) -> Result<(), PathError> {
        let from = self.frame().block;
        let target = &self.function().blocks[to];
        let mut values = Vec::new();
        for instr in &target.instrs {
            let Op::Phi(incoming) = &instr.op else { break };
            let (_, operand) = incoming
                .iter()
                .find(|(block, _)| *block == from)
                .ok_or_else(|| PathError::Undefined("phi without the predecessor".into()))?;
            values.push((instr.result, self.value(operand)?));
        }
        let frame = self.frame_mut();
        frame.block = to;
        frame.index = values.len();
        for (result, value) in values {
            if let Some(result) = result {
                frame.values[result.index()] = value;
            }
        }
        Ok(())
    }

    pub(super) fn call(&mut self, instr: &Instr) -> Result<(), Stop> {
        let Op::Call { callee, args, ret } = &instr.op else {
            return Ok(());
        };
        let function = match callee {
            Callee::Direct(function) => *function,
            Callee::Indirect(pointer) => {
                let address = self.address(pointer)?;
                match self.machine.function_at(address) {
                    Some(function) => function,
                    // An object of the environment: a function that nothing is known of, which does nothing.
                    None if self.is_object(address) => {
                        if let Type::Int(bits) | Type::Float(bits) = ret
                            && instr.result.is_some()
                            && *bits <= 64
                        {
                            let value = self.source.nondet(self.thread, *bits)?;
                            self.set(instr.result, Val::Bits(u128::from(value)));
                        }
                        self.frame_mut().index += 1;
                        return Ok(());
                    }
                    None => {
                        let what = format!("call of {address:#x}, which is no function");
                        return Err(PathError::Undefined(what).into());
                    }
                }
            }
        };
        let args = args
            .iter()
            .map(|a| self.value(a))
            .collect::<Result<Vec<Val>, PathError>>()?;
        let frame = self.machine.new_frame(function, &args)?;
        if self.me().frames.len() >= MAX_FRAMES {
            return Err(PathError::Budget(format!("{MAX_FRAMES} frames")).into());
        }
        self.me_mut().frames.push(frame);
        if self.log.on {
            let fixed = &self.machine.program.functions[function].assumes;
            self.log.fixed.extend(fixed);
        }
        Ok(())
    }

    fn is_object(&self, address: u64) -> bool {
        let image = &self.machine.image;
        self.state.memory.check(image, address, 1).is_ok()
    }

    /// Leaves the innermost function.
    fn give_back(&mut self, value: Option<Val>) {
        self.me_mut().frames.pop();
        if self.me().frames.is_empty() {
            self.end();
            return;
        }
        let call = &self.block().instrs[self.frame().index];
        let result = call.result;
        let width = match &call.op {
            Op::Call { ret, .. } => self.machine.scalar_bits(ret),
            _ => None,
        };
        let value = value.map(|value| match (&value, width) {
            (Val::Bits(bits), Some(width)) => Val::Bits(mask(*bits, width)),
            _ => value,
        });
        if let Some(value) = value {
            self.set(result, value);
        }
        self.frame_mut().index += 1;
    }

    /// Ends the thread.
    pub(super) fn end(&mut self) {
        self.closed = self.me().atomic == 0;
        self.state.end_thread(self.thread);
    }
}
