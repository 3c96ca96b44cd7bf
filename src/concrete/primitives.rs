//! The primitives, as [`Primitive`] documents them.

use super::code::Arg;
use super::machine::{Pause, Register};
use super::memory::{self, Life};
use super::run::{Next, Running};
use super::section::Section;
use crate::index::SiteId;
use crate::program::{FailKind, Primitive};
use crate::trace::schedule::{Failure, Step};

/// Inputs of a run, each of a byte or more.
const MOST_INPUTS: u64 = 1 << 20;

/// Executes one; `dst` is where its result goes.
pub(super) fn execute(
    run: &mut Running<'_, '_>,
    what: Primitive,
    args: &[Arg],
    (dst, site): (Option<u32>, Option<SiteId>),
) -> Result<Next, Pause> {
    let arg = |n: usize| args.get(n).copied().ok_or(Pause::Failed);
    let mut result = None;
    match what {
        Primitive::AtomicBegin => return begin(run, site),
        Primitive::AtomicEnd => return end(run),
        Primitive::Nondet(bits) => result = Some(run.machine.ask(&mut run.thread, bits as u8, 0)),
        Primitive::NondetPtr => {
            let choice = run.machine.ask(&mut run.thread, 1, 1);
            let value = match choice.value {
                0 => 0,
                _ => run.machine.made_up(&mut run.thread, 0)?,
            };
            result = Some(Register { value, ..choice });
        }
        Primitive::Assume => {
            let holds = run.register(arg(0)?);
            if holds.value & 1 == 0 {
                if run.section.is_none() {
                    run.before_step()?;
                }
                run.machine.waits(holds);
                return Err(Pause::Blocked);
            }
            run.comes_to(site)?;
        }
        Primitive::Assert | Primitive::Check => claim(run, what, args, site)?,
        Primitive::Gap => {}
        Primitive::Stop | Primitive::Bug => {
            run.comes_to(site)?;
            run.stops();
            return Ok(run.end());
        }
        Primitive::Unsupported | Primitive::Exceeded => return Err(Pause::Failed),
        Primitive::Pair => {
            let n = run.value(arg(0)?) as usize;
            let value = run.machine.pair.get(n).map_or(0, |v| u64::from(*v));
            result = Some(Register { value, taint: 0 });
        }
        Primitive::SelfId => {
            let value = u64::from(run.thread.number);
            result = Some(Register { value, taint: 0 });
        }
        Primitive::Async => {
            let function = run.value(arg(0)?);
            let functions = run.machine.code.functions.len();
            let function = memory::function_at(function, functions).ok_or(Pause::Failed)?;
            run.comes_to(site)?;
            let argument = run.value(arg(1)?);
            let thread = run
                .machine
                .start(function, &[argument])
                .ok_or(Pause::Failed)?;
            let value = u64::from(thread);
            result = Some(Register { value, taint: 0 });
        }
        Primitive::GhostGet => {
            let key = (run.value(arg(0)?), run.value(arg(1)?) as u32);
            let value = run.machine.memory.ghost(key);
            result = Some(Register { value, taint: 0 });
        }
        Primitive::GhostSet => {
            let key = (run.value(arg(0)?), run.value(arg(1)?) as u32);
            let value = run.value(arg(2)?);
            run.owns(key, value);
            run.machine.memory.set_ghost(key, value);
        }
        _ => result = on_objects(run, what, args, site)?,
    }
    if let (Some(dst), Some(result)) = (dst, result) {
        run.set(dst, result);
    }
    Ok(Next::On)
}

/// What the program or a model says holds: where it does not, that is noted.
fn claim(
    run: &mut Running<'_, '_>,
    what: Primitive,
    args: &[Arg],
    site: Option<SiteId>,
) -> Result<(), Pause> {
    let arg = |n: usize| args.get(n).copied().ok_or(Pause::Failed);
    let thread = run.thread.number;
    if what == Primitive::Assert {
        if run.value(arg(0)?) & 1 == 1 {
            return run.comes_to(site);
        }
        // In a section it stands for more than one step.
        if let Some(site) = site.filter(|_| run.section.is_none()) {
            run.fails(Failure::Assertion(Step { thread, site }), false);
        }
        return Err(Pause::Failed);
    }
    run.comes_to(site)?;
    let (kind, holds) = (run.value(arg(0)?), run.value(arg(1)?) & 1 == 1);
    let kind = FailKind::from_number(kind).filter(|_| !holds);
    if let (Some(kind), Some(site)) = (kind, site) {
        run.fails(Failure::Property(kind, Step { thread, site }), true);
    }
    Ok(())
}

/// Objects: made, freed, overwritten, touched.
fn on_objects(
    run: &mut Running<'_, '_>,
    what: Primitive,
    args: &[Arg],
    site: Option<SiteId>,
) -> Result<Option<Register>, Pause> {
    let arg = |n: usize| args.get(n).copied().ok_or(Pause::Failed);
    let value = match what {
        Primitive::Alloc => {
            let size = run.value(arg(0)?);
            let object = run.machine.memory.add(Life::Heap, Some(size), false)?;
            memory::address(object, 0)
        }
        Primitive::Lazy => {
            let size = run.value(arg(0)?);
            run.machine.made_up(&mut run.thread, size)?
        }
        Primitive::Free => {
            let at = run.value(arg(0)?);
            run.comes_to(site)?;
            if at != 0 {
                if let Some(site) = site {
                    run.used(site, (at, 0));
                }
                run.frees(site, at);
                run.machine.memory.free(at)?;
            }
            return Ok(None);
        }
        Primitive::Leave => {
            let at = run.value(arg(0)?);
            run.comes_to(site)?;
            run.frees(site, at);
            run.machine.memory.leave(at);
            return Ok(None);
        }
        Primitive::Havoc => {
            let (at, size) = (run.value(arg(0)?), run.value(arg(1)?));
            if (run.machine.inputs.all.len() as u64).saturating_add(size) > MOST_INPUTS {
                return Err(Pause::Fuel);
            }
            let mut left = size;
            run.fill((at, size), site, |run| {
                let bytes = left.min(8);
                left -= bytes;
                let mut word = Register::default();
                for n in 0..bytes {
                    let byte = run.machine.ask(&mut run.thread, 8, 0);
                    word.value |= byte.value << (8 * n);
                    if n == 0 {
                        word.taint = byte.taint;
                    }
                }
                word
            })?;
            return Ok(None);
        }
        Primitive::Touch => {
            let (at, size) = (run.value(arg(0)?), run.value(arg(1)?));
            if size > 0 {
                run.awaited(site, at, size)?;
                run.comes_to(site)?;
                run.accessed(site, (at, size), false);
                run.machine.memory.place(at, size)?;
            } else {
                run.comes_to(site)?;
            }
            return Ok(None);
        }
        // Of the sequential program.
        _ => return Err(Pause::Failed),
    };
    Ok(Some(Register { value, taint: 0 }))
}

fn begin(run: &mut Running<'_, '_>, site: Option<SiteId>) -> Result<Next, Pause> {
    if run.section.is_none() {
        run.before_step()?;
        run.stay();
        run.section = Some(Section::begin(run.machine, &run.thread));
        if let Some(site) = site {
            run.step(site);
        }
        run.begins();
    }
    if let Some(site) = site {
        run.machine.met(run.thread.domain, site);
    }
    run.thread.atomic += 1;
    Ok(Next::On)
}

fn end(run: &mut Running<'_, '_>) -> Result<Next, Pause> {
    run.thread.atomic = run.thread.atomic.checked_sub(1).ok_or(Pause::Failed)?;
    if run.thread.atomic == 0 {
        if run.section.as_ref().is_some_and(|s| s.met) {
            // It can be taken whole: the thread waits before it.
            return Err(Pause::Met);
        }
        run.section = None;
    }
    Ok(Next::On)
}
