//! Instructions that touch memory.

use super::super::memory::{Object, ObjectKind};
use super::super::state::{PathError, Stop, Val};
use super::{AccessRecord, Happening, Run, arith};
use crate::index::SiteId;
use crate::program::{AccessMode, AtomicRmwOp, IntPredicate, Op, Operand, Type};

/// What an access does, for the log.
#[derive(Clone, Copy)]
pub(super) struct Effect {
    pub read: bool,
    pub write: bool,
    pub mode: AccessMode,
}

const ATOMIC: AccessMode = AccessMode {
    volatile: false,
    atomic: true,
};

impl Run<'_> {
    /// A load, store, atomic or bulk access; its result if it has one.
    pub(super) fn access(&mut self, op: &Op, site: Option<SiteId>) -> Result<Option<Val>, Stop> {
        self.watch(site);
        match op {
            Op::Load { ptr, ty, mode } => {
                let address = self.address(ptr)?;
                let effect = Effect {
                    read: true,
                    write: false,
                    mode: *mode,
                };
                let value = self.around(address, self.scalar_bytes(ty)?, effect, site, |run| {
                    run.read(address, ty)
                })?;
                Ok(Some(Val::Bits(value)))
            }
            Op::Store {
                ptr,
                value,
                ty,
                mode,
            } => {
                let (address, value) = (self.address(ptr)?, self.bits(value)?);
                let effect = Effect {
                    read: false,
                    write: true,
                    mode: *mode,
                };
                self.around(address, self.scalar_bytes(ty)?, effect, site, |run| {
                    run.write(address, ty, value)
                })?;
                Ok(None)
            }
            Op::AtomicRmw { op, ptr, value, ty } => {
                let (address, value) = (self.address(ptr)?, self.bits(value)?);
                let old = self.read_write(address, ty, site, |old, bits| {
                    Some(modify(*op, old, value, bits))
                })?;
                Ok(Some(Val::Bits(old)))
            }
            Op::CmpXchg {
                ptr,
                expected,
                new,
                ty,
            } => {
                let address = self.address(ptr)?;
                let (expected, new) = (self.bits(expected)?, self.bits(new)?);
                let old =
                    self.read_write(address, ty, site, |old, _| (old == expected).then_some(new))?;
                let pair = vec![Val::Bits(old), Val::Bits(u128::from(old == expected))];
                Ok(Some(Val::Tuple(pair.into())))
            }
            Op::MemCopy {
                dst,
                src,
                len,
                volatile,
            } => {
                let (dst, src, len) = (self.address(dst)?, self.address(src)?, self.word(len)?);
                self.copy(dst, src, len, *volatile, site)?;
                Ok(None)
            }
            Op::MemSet {
                dst,
                byte,
                len,
                volatile,
            } => {
                let (dst, byte, len) = (self.address(dst)?, self.bits(byte)?, self.word(len)?);
                let mode = AccessMode {
                    volatile: *volatile,
                    atomic: false,
                };
                self.overwrite(dst, len, mode, site, |_| Ok(byte as u8))?;
                Ok(None)
            }
            _ => Err(PathError::Unsupported("not an access".into()).into()),
        }
    }

    /// Runs `act`, which accesses `bytes` bytes at `address`, and logs it.
    fn around<T>(
        &mut self,
        address: u64,
        bytes: u64,
        effect: Effect,
        site: Option<SiteId>,
        act: impl FnOnce(&mut Self) -> Result<T, PathError>,
    ) -> Result<T, PathError> {
        let before = self.peek(address, bytes);
        let result = act(self)?;
        if let (true, Some(site)) = (self.log.on && bytes > 0, site) {
            let after = self.peek(address, bytes);
            let told = &self.machine.program.sites[site];
            let record = AccessRecord {
                thread: self.thread,
                site,
                address,
                bytes,
                read: effect.read,
                write: effect.write,
                volatile: effect.mode.volatile,
                whole: told.whole,
                silenced: told.silenced.is_some(),
                atomic: effect.mode.atomic,
                in_section: self.me().atomic > 0,
                before,
                after,
            };
            self.log.note(Happening::Access(record));
            self.watch(Some(site));
        }
        Ok(result)
    }

    /// Keeps the stack if this site is watched.
    pub(super) fn watch(&mut self, site: Option<SiteId>) {
        if site.is_some() && self.log.watch == site {
            self.log.watched = self.me().frames.clone();
        }
    }

    /// Atomic read-modify-write: `update` gives the new value or `None` to leave it; the old value.
    fn read_write(
        &mut self,
        address: u64,
        ty: &Type,
        site: Option<SiteId>,
        update: impl FnOnce(u128, u32) -> Option<u128>,
    ) -> Result<u128, PathError> {
        // A failing compare-and-exchange counts as a write too: C11 and KCSAN judge the instruction.
        let effect = Effect {
            read: true,
            write: true,
            mode: ATOMIC,
        };
        let bits = self.scalar_bits(ty);
        self.around(address, self.scalar_bytes(ty)?, effect, site, |run| {
            let old = run.read(address, ty)?;
            if let Some(new) = update(old, bits) {
                run.write(address, ty, new)?;
            }
            Ok(old)
        })
    }

    fn copy(
        &mut self,
        dst: u64,
        src: u64,
        len: u64,
        volatile: bool,
        site: Option<SiteId>,
    ) -> Result<(), PathError> {
        if len == 0 {
            return Ok(());
        }
        let mode = AccessMode {
            volatile,
            atomic: false,
        };
        self.bound(len)?;
        let read = Effect {
            read: true,
            write: false,
            mode,
        };
        let bytes = self.around(src, len, read, site, |run| {
            let bytes = run.state.memory.read(&run.machine.image, src, len)?;
            run.machine.check_known(src, &bytes)?;
            Ok(bytes)
        })?;
        let write = Effect {
            read: false,
            write: true,
            mode,
        };
        self.around(dst, len, write, site, |run| {
            Ok(run.state.memory.write(&run.machine.image, dst, &bytes)?)
        })
    }

    /// Writes `len` bytes, the `n`-th of which is `byte(n)`.
    pub(super) fn overwrite(
        &mut self,
        dst: u64,
        len: u64,
        mode: AccessMode,
        site: Option<SiteId>,
        mut byte: impl FnMut(&mut Self) -> Result<u8, Stop>,
    ) -> Result<(), Stop> {
        if len == 0 {
            return Ok(());
        }
        self.bound(len)?;
        let bytes = (0..len)
            .map(|_| byte(self))
            .collect::<Result<Vec<u8>, Stop>>()?;
        let effect = Effect {
            read: false,
            write: true,
            mode,
        };
        Ok(self.around(dst, len, effect, site, |run| {
            Ok(run.state.memory.write(&run.machine.image, dst, &bytes)?)
        })?)
    }

    /// Reads bytes and drops them.
    pub(super) fn touch(
        &mut self,
        address: u64,
        len: u64,
        site: Option<SiteId>,
    ) -> Result<(), PathError> {
        if len == 0 {
            return Ok(());
        }
        let effect = Effect {
            read: true,
            write: false,
            mode: AccessMode {
                volatile: false,
                atomic: false,
            },
        };
        self.around(address, len, effect, site, |run| {
            Ok(run.state.memory.check(&run.machine.image, address, len)?)
        })
    }

    /// Bulk accesses count as instructions, or a wild length would take for ever.
    fn bound(&mut self, len: u64) -> Result<(), PathError> {
        self.fuel = self
            .fuel
            .checked_sub(len / 8)
            .ok_or_else(|| PathError::Budget(format!("bulk access of {len} bytes")))?;
        Ok(())
    }

    /// A stack object.
    pub(super) fn alloca(&mut self, element_bytes: u64, count: &Operand) -> Result<Val, PathError> {
        let size = element_bytes
            .checked_mul(self.word(count)?)
            .ok_or_else(|| PathError::Budget("alloca of more than 2^64 bytes".into()))?;
        Ok(Val::Bits(u128::from(self.allocate(
            size,
            ObjectKind::Stack,
            false,
        )?)))
    }

    /// A heap or stack object; its address.
    pub(super) fn allocate(
        &mut self,
        size: u64,
        kind: ObjectKind,
        zero: bool,
    ) -> Result<u64, PathError> {
        let start = self.machine.room(self.state, self.thread, Some(size))?;
        let name = format!("{}.{}", self.thread, self.me().allocated);
        self.me_mut().allocated += 1;
        let mut object = Object::new(start, Some(size), 0, kind, name.as_str().into());
        (object.made_at, object.made_by) = self.machine.maker(self.state, self.thread);
        if let (false, Some(cells)) = (zero, self.source.uninitialised(&name)) {
            self.machine.fill_uninitialised(&mut object, cells);
        }
        self.state.memory.add(object);
        Ok(start)
    }
}

/// The new value of an atomic read-modify-write.
fn modify(op: AtomicRmwOp, old: u128, value: u128, bits: u32) -> u128 {
    let pick = |pred| {
        if arith::compare(pred, old, value, bits) {
            old
        } else {
            value
        }
    };
    let new = match op {
        AtomicRmwOp::Xchg => value,
        AtomicRmwOp::Add => old.wrapping_add(value),
        AtomicRmwOp::Sub => old.wrapping_sub(value),
        AtomicRmwOp::And => old & value,
        AtomicRmwOp::Nand => !(old & value),
        AtomicRmwOp::Or => old | value,
        AtomicRmwOp::Xor => old ^ value,
        AtomicRmwOp::Max => pick(IntPredicate::Sgt),
        AtomicRmwOp::Min => pick(IntPredicate::Slt),
        AtomicRmwOp::UMax => pick(IntPredicate::Ugt),
        AtomicRmwOp::UMin => pick(IntPredicate::Ult),
    };
    arith::mask(new, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomic_operators() {
        assert_eq!(modify(AtomicRmwOp::Sub, 0, 1, 8), 0xff);
        assert_eq!(modify(AtomicRmwOp::Nand, 0b11, 0b01, 8), 0xfe);
        assert_eq!(modify(AtomicRmwOp::Max, 0xff, 1, 8), 1);
        assert_eq!(modify(AtomicRmwOp::UMax, 0xff, 1, 8), 0xff);
        assert_eq!(modify(AtomicRmwOp::Min, 0xff, 1, 8), 0xff);
        assert_eq!(modify(AtomicRmwOp::UMin, 0xff, 1, 8), 1);
    }
}
