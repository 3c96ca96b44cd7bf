//! The primitives, as [`Primitive`] documents them.

use std::rc::Rc;

use super::super::memory::ObjectKind;
use super::super::state::{PathError, Snapshot, Stop, Val};
use super::{Happening, Run};
use crate::index::SiteId;
use crate::program::{AccessMode, FailKind, Instr, Operand, Primitive};

/// The mode of accesses that models make for the program.
const UNMARKED: AccessMode = AccessMode {
    volatile: false,
    atomic: false,
};

fn argument(primitive: Primitive, args: &[Operand], n: usize) -> Result<&Operand, PathError> {
    args.get(n)
        .ok_or_else(|| PathError::Undefined(format!("{} with too few arguments", primitive.name())))
}

/// A result.
fn word(value: u64) -> Result<Option<Option<Val>>, Stop> {
    Ok(Some(Some(Val::Bits(u128::from(value)))))
}

impl Run<'_> {
    /// Executes a primitive. `None`: the thread has ended; otherwise its result, if it has one.
    pub(super) fn primitive(
        &mut self,
        primitive: Primitive,
        args: &[Operand],
        instr: &Instr,
    ) -> Result<Option<Option<Val>>, Stop> {
        let arg = |n: usize| argument(primitive, args, n);
        match primitive {
            Primitive::Assume | Primitive::Assert | Primitive::Check => {
                self.claim(primitive, args, instr)
            }
            Primitive::AtomicBegin
            | Primitive::AtomicEnd
            | Primitive::Async
            | Primitive::SelfId => self.threads(primitive, args),
            Primitive::Alloc
            | Primitive::Free
            | Primitive::Leave
            | Primitive::Lazy
            | Primitive::Havoc
            | Primitive::Touch => self.on_objects(primitive, args, instr),
            Primitive::GhostGet | Primitive::GhostSet => self.ghosts(primitive, args),
            Primitive::Nondet(bits) => {
                let value = self.input(bits)?;
                word(value)
            }
            Primitive::NondetPtr => {
                let value = match self.input(1)? {
                    0 => 0,
                    _ => self.lazy(0)?,
                };
                word(value)
            }
            Primitive::Stop | Primitive::Bug => {
                self.log.note(Happening::Stopped(primitive.name()));
                self.end();
                Ok(None)
            }
            Primitive::Unsupported | Primitive::Exceeded => {
                let what = match args.first() {
                    Some(text) => self.text(text)?,
                    None => String::new(),
                };
                Err(PathError::Unsupported(what).into())
            }
            Primitive::Gap => Ok(Some(None)),
            Primitive::Pair => {
                let n = self.word(arg(0)?)?;
                word(self.source.pair(n))
            }
            Primitive::Choice
            | Primitive::SiteEnabled
            | Primitive::CheckEnabled
            | Primitive::Watched
            | Primitive::WatchedBits
            | Primitive::TsMax
            | Primitive::PlainRaise
            | Primitive::Snapshot
            | Primitive::Rollback
            | Primitive::Fail
            | Primitive::Note
            | Primitive::Overlap
            | Primitive::Contexts
            | Primitive::Copy
            | Primitive::Consistent => self.sequential(primitive, args),
        }
    }

    /// What must hold, and what is noted where it does not.
    fn claim(
        &mut self,
        primitive: Primitive,
        args: &[Operand],
        instr: &Instr,
    ) -> Result<Option<Option<Val>>, Stop> {
        let arg = |n: usize| argument(primitive, args, n);
        match primitive {
            Primitive::Assume => {
                if self.bits(arg(0)?)? == 0 {
                    return Err(Stop::Blocked);
                }
                Ok(Some(None))
            }
            Primitive::Assert => {
                if self.bits(arg(0)?)? != 0 {
                    self.log.note(Happening::Asserted);
                    return Ok(Some(None));
                }
                if self.me().atomic == 0 {
                    self.watch(instr.site);
                    return Err(Stop::AssertionFailed(instr.site));
                }
                if self.failed.is_none() {
                    self.watch(instr.site);
                    self.failed = Some(instr.site);
                }
                Ok(Some(None))
            }
            Primitive::Check => {
                let holds = self.bits(arg(1)?)? != 0;
                let object = self.address(arg(2)?)?;
                let number = self.word(arg(0)?)?;
                if holds {
                    return Ok(Some(None));
                }
                let kind = FailKind::from_number(number).ok_or_else(|| {
                    PathError::Undefined(format!("a check of the unknown kind {number}"))
                })?;
                if let Some(site) = instr.site {
                    self.watch(instr.site);
                    self.log.failed.push((kind, site, object));
                }
                Ok(Some(None))
            }
            _ => unreachable!("another family"),
        }
    }

    /// Threads and their atomic sections.
    fn threads(
        &mut self,
        primitive: Primitive,
        args: &[Operand],
    ) -> Result<Option<Option<Val>>, Stop> {
        let arg = |n: usize| argument(primitive, args, n);
        match primitive {
            Primitive::AtomicBegin => {
                self.me_mut().atomic += 1;
                Ok(Some(None))
            }
            Primitive::AtomicEnd => {
                let me = self.me_mut();
                me.atomic = me.atomic.checked_sub(1).ok_or_else(|| {
                    PathError::Undefined("end of an atomic section that was not begun".into())
                })?;
                Ok(Some(None))
            }
            Primitive::Async => {
                let address = self.address(arg(0)?)?;
                let function = self.machine.function_at(address).ok_or_else(|| {
                    PathError::Undefined(format!("thread at {address:#x}, which is no function"))
                })?;
                let argument = self.value(arg(1)?)?;
                let params = self.machine.program.functions[function].params.len();
                let thread = self.machine.create_thread(
                    self.state,
                    function,
                    &vec![argument; params.min(1)],
                )?;
                self.log.note(Happening::Started { thread, function });
                word(u64::from(thread))
            }
            Primitive::SelfId => word(u64::from(self.thread)),
            _ => unreachable!("another family"),
        }
    }

    /// Objects: made, freed, overwritten, touched.
    fn on_objects(
        &mut self,
        primitive: Primitive,
        args: &[Operand],
        instr: &Instr,
    ) -> Result<Option<Option<Val>>, Stop> {
        let arg = |n: usize| argument(primitive, args, n);
        match primitive {
            Primitive::Alloc => {
                let (size, zero) = (self.word(arg(0)?)?, self.bits(arg(1)?)? != 0);
                word(self.allocate(size, ObjectKind::Heap, zero)?)
            }
            Primitive::Free => {
                let address = self.address(arg(0)?)?;
                if address != 0 {
                    self.watch(instr.site);
                    let image = &self.machine.image;
                    self.state
                        .memory
                        .free(image, address)
                        .map_err(PathError::Memory)?;
                    self.log.note(Happening::Freed(address));
                }
                Ok(Some(None))
            }
            Primitive::Leave => {
                let address = self.address(arg(0)?)?;
                self.watch(instr.site);
                if self.state.memory.leave(&self.machine.image, address) {
                    self.log.note(Happening::Freed(address));
                }
                Ok(Some(None))
            }
            Primitive::Lazy => {
                let size = self.word(arg(0)?)?;
                word(self.lazy(size)?)
            }
            Primitive::Havoc => {
                let (address, size) = (self.address(arg(0)?)?, self.word(arg(1)?)?);
                self.watch(instr.site);
                self.overwrite(address, size, UNMARKED, instr.site, |run| {
                    Ok(run.input(8)? as u8)
                })?;
                Ok(Some(None))
            }
            Primitive::Touch => {
                let (address, size) = (self.address(arg(0)?)?, self.word(arg(1)?)?);
                self.watch(instr.site);
                self.touch(address, size, instr.site)?;
                Ok(Some(None))
            }
            _ => unreachable!("another family"),
        }
    }

    /// Ghost state.
    fn ghosts(
        &mut self,
        primitive: Primitive,
        args: &[Operand],
    ) -> Result<Option<Option<Val>>, Stop> {
        let arg = |n: usize| argument(primitive, args, n);
        match primitive {
            Primitive::GhostGet => {
                let key = (self.address(arg(0)?)?, self.word(arg(1)?)? as u32);
                word(self.state.ghost.get(&key).copied().unwrap_or(0))
            }
            Primitive::GhostSet => {
                let (address, key) = (self.address(arg(0)?)?, self.word(arg(1)?)? as u32);
                let new = self.word(arg(2)?)?;
                let ghost = Rc::make_mut(&mut self.state.ghost);
                let old = if new == 0 {
                    ghost.remove(&(address, key))
                } else {
                    ghost.insert((address, key), new)
                };
                self.log.note(Happening::Ghost {
                    address,
                    key,
                    old: old.unwrap_or(0),
                    new,
                });
                Ok(Some(None))
            }
            _ => unreachable!("another family"),
        }
    }

    /// The next value from outside.
    fn input(&mut self, bits: u32) -> Result<u64, Stop> {
        let value = self.source.nondet(self.thread, bits)?;
        if self.log.on {
            let functions = &self.machine.program.functions;
            let frames = &self.state.threads[self.thread as usize].frames;
            let by = frames.iter().map(|f| f.function);
            let answers = by.clone().filter(|f| functions[*f].any_answer);
            self.log.any_answers.extend(answers);
            let given = by.filter(|f| functions[*f].is_given_pointers());
            self.log.given.extend(given);
            self.log.asked = true;
        }
        Ok(value)
    }

    /// A lazy object of this thread; its address.
    fn lazy(&mut self, size: u64) -> Result<u64, PathError> {
        let name = format!("{}.{}", self.thread, self.me().lazy);
        self.me_mut().lazy += 1;
        self.machine
            .lazy_object(self.state, self.thread, size, name, &*self.source)
    }

    /// A C string of the program, for messages.
    fn text(&self, operand: &Operand) -> Result<String, PathError> {
        let address = self.address(operand)?;
        let byte = |n: u64| {
            self.state
                .memory
                .read(&self.machine.image, address + n, 1)
                .ok()
                .map(|b| b[0])
        };
        let bytes: Vec<u8> = (0..200).map_while(byte).take_while(|b| *b != 0).collect();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The primitives of the sequential program.
    fn sequential(
        &mut self,
        primitive: Primitive,
        args: &[Operand],
    ) -> Result<Option<Option<Val>>, Stop> {
        let foreign =
            || PathError::Unsupported(format!("{} in the concurrent program", primitive.name()));
        let arg = |n: usize| argument(primitive, args, n);
        let max = self.source.ts_max().ok_or_else(foreign)?;
        let word = |value: u64| Ok(Some(Some(Val::Bits(u128::from(value)))));
        match primitive {
            Primitive::Choice => {
                let alternatives = self.word(arg(1)?)?;
                word(self.source.choice(alternatives).ok_or_else(foreign)??)
            }
            Primitive::SiteEnabled | Primitive::PlainRaise => word(1),
            Primitive::CheckEnabled => word(u64::from(self.source.checks_races())),
            // Nothing is watched.
            Primitive::Watched | Primitive::WatchedBits => word(0),
            Primitive::TsMax => word(max),
            Primitive::Snapshot => {
                self.state.snapshot = Some(Rc::new(Snapshot {
                    memory: self.state.memory.clone(),
                    ghost: self.state.ghost.clone(),
                }));
                Ok(Some(None))
            }
            Primitive::Rollback => {
                let snapshot = self.state.snapshot.take().ok_or_else(|| {
                    PathError::Undefined("rollback without a snapshot".to_string())
                })?;
                self.state.memory = snapshot.memory.clone();
                self.state.ghost = snapshot.ghost.clone();
                Ok(Some(None))
            }
            Primitive::Note => {
                let site = SiteId(self.word(arg(2)?)? as u32);
                let kind = FailKind::from_number(self.word(arg(0)?)?);
                self.log.failed.extend(kind.map(|kind| (kind, site, 0)));
                Ok(Some(None))
            }
            Primitive::Fail => {
                let site = |n: usize| Ok::<_, PathError>(SiteId(self.word(arg(n)?)? as u32));
                Err(Stop::Claimed(self.word(arg(0)?)?, site(1)?, site(2)?))
            }
            Primitive::Overlap => {
                let (a, a_bytes) = (self.address(arg(0)?)?, self.word(arg(1)?)?);
                let (b, b_bytes) = (self.address(arg(2)?)?, self.word(arg(3)?)?);
                let overlap = a < b.saturating_add(b_bytes) && b < a.saturating_add(a_bytes);
                word(u64::from(overlap && a_bytes > 0 && b_bytes > 0))
            }
            _ => Err(foreign().into()),
        }
    }
}
