//! Instructions that touch memory.

use super::code::{Arg, Inst, Slot, Touching};
use super::inputs::Domain;
use super::machine::{Pause, Register};
use super::numbers;
use super::operands::low;
use super::run::Running;
use super::seen::Access;
use crate::index::{Idx, SiteId};

impl Running<'_, '_> {
    /// Whether an access is the one that is waited for.
    pub(super) fn awaited(
        &mut self,
        site: Option<SiteId>,
        at: u64,
        bytes: u64,
    ) -> Result<(), Pause> {
        let (Some(site), Some(awaited)) = (site, self.until.access) else {
            return Ok(());
        };
        if site != awaited.site || !awaited.overlaps(at, bytes) {
            return Ok(());
        }
        match &mut self.section {
            None => Err(Pause::Met),
            Some(section) => {
                section.met = true;
                Ok(())
            }
        }
    }

    /// Writes down an access, if it is of those that are wanted.
    pub(super) fn accessed(&mut self, site: Option<SiteId>, (at, bytes): (u64, u64), write: bool) {
        let Some(site) = site else { return };
        self.used(site, (at, bytes));
        if self.thread.domain == Domain::Before || !self.machine.wanted.contains(site.index()) {
            return;
        }
        let in_section = self.section.is_some();
        self.machine.seen.accesses.push(Access {
            thread: self.thread.number,
            site,
            at,
            bytes,
            write,
            // The step of the section, or of the access, has been counted.
            step: self.thread.steps - 1,
            in_section,
            threads: self.machine.threads.len() as u32,
        });
    }

    pub(super) fn access(&mut self, inst: &Inst) -> Result<(), Pause> {
        match inst {
            Inst::Load {
                dst,
                ptr,
                bits,
                pointer,
                at,
            } => {
                let address = self.value(*ptr);
                self.touches(address, *at, false)?;
                let place = self.machine.memory.place(address, u64::from(at.bytes))?;
                let (value, taint) = self.machine.load(place, u32::from(at.bytes), *pointer)?;
                let value = low(value, u32::from(*bits));
                self.set(*dst, Register { value, taint });
            }
            Inst::Store { ptr, value, at } => {
                let (address, value) = (self.value(*ptr), self.register(*value));
                self.touches(address, *at, true)?;
                let place = self.machine.memory.writable(address, u64::from(at.bytes))?;
                self.machine
                    .memory
                    .write(place, u32::from(at.bytes), value.value, value.taint)?;
            }
            Inst::Modify {
                op,
                bits,
                dst,
                ptr,
                value,
                at,
            } => {
                let (address, value) = (self.value(*ptr), self.value(*value));
                self.touches(address, *at, true)?;
                let place = self.machine.memory.writable(address, u64::from(at.bytes))?;
                let (old, taint) = self.machine.load(place, u32::from(at.bytes), false)?;
                let new = numbers::modify(*op, low(old, u32::from(*bits)), value, u32::from(*bits));
                self.machine
                    .memory
                    .write(place, u32::from(at.bytes), new, taint)?;
                self.set(*dst, Register { value: old, taint });
            }
            Inst::Exchange {
                dst,
                ptr,
                expected,
                new,
                at,
            } => self.exchange((*dst, *ptr), (*expected, *new), *at)?,
            Inst::Copy {
                dst,
                src,
                len,
                site,
            } => {
                let (dst, src, len) = (self.value(*dst), self.value(*src), self.value(*len));
                self.copy((dst, src, len), *site)?;
            }
            Inst::Fill {
                dst,
                byte,
                len,
                site,
            } => {
                let (dst, byte, len) = (self.value(*dst), self.value(*byte), self.value(*len));
                self.fill((dst, len), *site, |_| Register {
                    value: u64::from(byte as u8) * 0x0101_0101_0101_0101,
                    taint: 0,
                })?;
            }
            _ => return Err(Pause::Failed),
        }
        Ok(())
    }

    /// Comes to an access of a scalar.
    fn touches(&mut self, address: u64, at: Touching, write: bool) -> Result<(), Pause> {
        let bytes = u64::from(at.bytes);
        self.awaited(at.site, address, bytes)?;
        self.comes_to(at.site)?;
        self.accessed(at.site, (address, bytes), write);
        Ok(())
    }

    /// Compares and exchanges; two neighbouring registers get what was there, and whether it was what was expected.
    fn exchange(
        &mut self,
        (dst, ptr): (Slot, Arg),
        (expected, new): (Arg, Arg),
        at: Touching,
    ) -> Result<(), Pause> {
        let (address, new) = (self.value(ptr), self.register(new));
        let expected = self.register(expected);
        self.touches(address, at, true)?;
        let place = self.machine.memory.writable(address, u64::from(at.bytes))?;
        let (old, taint) = self.machine.load(place, u32::from(at.bytes), false)?;
        if old == expected.value {
            self.machine
                .memory
                .write(place, u32::from(at.bytes), new.value, new.taint)?;
        }
        self.set(dst, Register { value: old, taint });
        let compared = self
            .machine
            .compared(Register { value: old, taint }, expected);
        let value = u64::from(old == expected.value);
        self.set(
            dst + 1,
            Register {
                value,
                taint: compared,
            },
        );
        Ok(())
    }

    fn copy(
        &mut self,
        (dst, src, len): (u64, u64, u64),
        site: Option<SiteId>,
    ) -> Result<(), Pause> {
        if len == 0 {
            return self.comes_to(site);
        }
        self.awaited(site, src, len)?;
        self.awaited(site, dst, len)?;
        self.comes_to(site)?;
        self.accessed(site, (src, len), false);
        self.accessed(site, (dst, len), true);
        self.machine.memory.place(src, len)?;
        self.machine.memory.writable(dst, len)?;
        self.machine.fuel = self.machine.fuel.saturating_sub(len / 8);
        let mut words = Vec::new();
        for (n, bytes) in words_of(len) {
            let place = self.machine.memory.place(src + n, u64::from(bytes))?;
            words.push((n, bytes, self.machine.load(place, bytes, false)?));
        }
        for (n, bytes, (value, taint)) in words {
            let place = self.machine.memory.writable(dst + n, u64::from(bytes))?;
            self.machine.memory.write(place, bytes, value, taint)?;
        }
        Ok(())
    }

    /// Writes `len` bytes: of each eight, or fewer, at a distance what is given for that many.
    pub(super) fn fill(
        &mut self,
        (dst, len): (u64, u64),
        site: Option<SiteId>,
        mut word: impl FnMut(&mut Self) -> Register,
    ) -> Result<(), Pause> {
        if len == 0 {
            return self.comes_to(site);
        }
        self.awaited(site, dst, len)?;
        self.comes_to(site)?;
        self.accessed(site, (dst, len), true);
        self.machine.memory.writable(dst, len)?;
        self.machine.fuel = self.machine.fuel.saturating_sub(len / 8);
        for (n, bytes) in words_of(len) {
            let Register { value, taint } = word(self);
            let place = self.machine.memory.writable(dst + n, u64::from(bytes))?;
            let value = low(value, 8 * bytes);
            self.machine.memory.write(place, bytes, value, taint)?;
        }
        Ok(())
    }
}

/// The words of a block of bytes: where each begins, and its bytes.
fn words_of(len: u64) -> impl Iterator<Item = (u64, u32)> {
    (0..len)
        .step_by(8)
        .map(move |n| (n, (len - n).min(8) as u32))
}
