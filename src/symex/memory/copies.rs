//! Copies, fills and reads of many bytes.
//!
//! A length that is not constant is followed up to `MAX_SYMBOLIC_LENGTH` bytes, one of a few constants up to `MAX_LENGTH_OF_FEW`, a constant one
//! up to `MAX_CONSTANT_LENGTH`; executions in which it is more end as met a bound of length.

use crate::config::{MAX_CONSTANT_LENGTH, MAX_LENGTH_OF_FEW, MAX_SYMBOLIC_LENGTH};
use crate::expr::Term;
use crate::index::LocId;
use crate::program::Type;
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::State;

/// Pieces of some bytes: offset, bytes, condition under which the piece is within the length.
type Pieces = Vec<(u64, u32, Option<Term>)>;

impl Executor<'_> {
    /// Copies `len` bytes.
    pub(in crate::symex) fn copy(
        &mut self,
        state: &mut State,
        dst: Term,
        src: Term,
        len: Term,
        loc: Option<LocId>,
    ) -> Option<()> {
        // All is read before anything is written: overlap is well defined.
        self.touch_all(state, &[src, dst], len, loc)?;
        let chunks = self.chunks(state, len, loc)?;
        let bits = self.pointer_bits();
        let mut values = Vec::new();
        for &(at, bytes, within) in &chunks {
            let guard = state.guard.clone();
            if let Some(c) = within {
                let Some(restricted) = state.guard.and(&mut self.terms, c) else {
                    continue;
                };
                state.guard = restricted;
            }
            let plus = self.terms.constant(bits, u128::from(at));
            let from = self.terms.add(src, plus);
            let ty = match bytes == self.program.layout.pointer_bytes {
                true => Type::Ptr,
                false => Type::Int(bytes * 8),
            };
            let value = self.load_word(state, from, &ty, loc);
            match (value, within) {
                (Some(value), _) => values.push((at, value, within)),
                (None, None) => return None,
                // No execution copies as much.
                (None, Some(_)) => {}
            }
            if within.is_some() {
                state.guard = guard;
            }
        }
        for (at, value, within) in values {
            self.put(state, dst, at, value, within, loc)?;
        }
        Some(())
    }

    /// Writes `len` bytes, each chunk's value as `make` says (bytes, offset).
    pub(in crate::symex) fn fill(
        &mut self,
        state: &mut State,
        dst: Term,
        len: Term,
        loc: Option<LocId>,
        mut make: impl FnMut(&mut Self, u32, u64) -> Term,
    ) -> Option<()> {
        self.touch_all(state, &[dst], len, loc)?;
        let chunks = self.chunks(state, len, loc)?;
        for (at, bytes, within) in chunks {
            let value = make(self, bytes, at);
            self.put(state, dst, at, value, within, loc)?;
        }
        Some(())
    }

    fn put(
        &mut self,
        state: &mut State,
        dst: Term,
        at: u64,
        value: Term,
        within: Option<Term>,
        loc: Option<LocId>,
    ) -> Option<()> {
        let plus = self.terms.constant(self.pointer_bits(), u128::from(at));
        let to = self.terms.add(dst, plus);
        let Some(c) = within else {
            return self.store(state, to, value, loc);
        };
        let Some(guard) = state.guard.and(&mut self.terms, c) else {
            return Some(());
        };
        let mut inside = State {
            guard,
            memory: state.memory.clone(),
        };
        let bits = self.terms.width(value);
        let Some(old) = self.load(&mut inside, to, &Type::Int(bits), loc) else {
            return Some(());
        };
        let merged = self.terms.ite(c, value, old);
        self.store(&mut inside, to, merged, loc)?;
        state.memory = inside.memory;
        Some(())
    }

    /// Executions end here in which not all bytes of a length that is not constant are there: each piece by itself says nothing of
    /// executions in which it is beyond the length.
    fn touch_all(
        &mut self,
        state: &mut State,
        addresses: &[Term],
        len: Term,
        loc: Option<LocId>,
    ) -> Option<()> {
        if self.terms.as_const(len).is_some() {
            return Some(());
        }
        for address in addresses {
            self.touch(state, *address, len, loc)?;
        }
        Some(())
    }

    /// Cuts `len` bytes into pieces of at most 8: (offset, bytes, condition under which the piece is within the length).
    fn chunks(&mut self, state: &mut State, len: Term, loc: Option<LocId>) -> Option<Pieces> {
        if let Some(n) = self.terms.as_const(len) {
            let n = n as u64;
            if n > MAX_CONSTANT_LENGTH {
                self.end(&state.guard, EndKind::LengthBound, loc);
                return None;
            }
            let whole = (0..n / 8).map(|i| (i * 8, 8, None));
            let rest = (n / 8 * 8..n).map(|at| (at, 1, None));
            return Some(whole.chain(rest).collect());
        }
        if let Some(pieces) = self.one_of_few(len) {
            return Some(pieces);
        }
        let width = self.terms.width(len);
        let most = self.terms.constant(width, u128::from(MAX_SYMBOLIC_LENGTH));
        let short = self.terms.ule(len, most);
        let long = self.terms.not(short);
        if let Some(guard) = state.guard.and(&mut self.terms, long) {
            self.end(&guard, EndKind::LengthBound, loc);
        }
        state.guard = state.guard.and(&mut self.terms, short)?;
        let mut out = Vec::new();
        for at in 0..MAX_SYMBOLIC_LENGTH {
            let i = self.terms.constant(width, u128::from(at));
            let within = self.terms.ult(i, len);
            if self.terms.is_false(within) {
                break;
            }
            out.push((at, 1, Some(within)));
        }
        Some(out)
    }

    /// The same of a length that is one of a few constants, as that of a block that was allocated here or there: followed as far as the
    /// largest of them, if that is not too long. `None`: it is too long, or not known so.
    fn one_of_few(&mut self, len: Term) -> Option<Pieces> {
        let leaves: Vec<u64> = self.terms.leaves(len)?.iter().map(|n| *n as u64).collect();
        let most = leaves.iter().copied().max()?;
        if most <= MAX_SYMBOLIC_LENGTH || most > MAX_LENGTH_OF_FEW {
            return None;
        }
        let width = self.terms.width(len);
        let mut pieces = Vec::new();
        for at in (0..most / 8).map(|i| i * 8) {
            let end = self.terms.constant(width, u128::from(at + 8));
            let within = self.terms.ule(end, len);
            pieces.push((at, 8, Some(within)));
        }
        let mut ends: Vec<u64> = leaves.into_iter().filter(|n| n % 8 != 0).collect();
        ends.sort_unstable();
        ends.dedup();
        for n in ends {
            let own = self.terms.constant(width, u128::from(n));
            let is_it = self.terms.eq(len, own);
            pieces.extend((n / 8 * 8..n).map(|at| (at, 1, Some(is_it))));
        }
        Some(pieces)
    }

    /// Bytes are read and dropped: none, if there are none. `None`: they cannot be read, the path ends here.
    pub(in crate::symex) fn touch(
        &mut self,
        state: &mut State,
        address: Term,
        size: Term,
        loc: Option<LocId>,
    ) -> Option<()> {
        let bits = self.pointer_bits();
        let size = self.terms.resize(size, bits);
        if let Some(bytes) = self.terms.as_const(size) {
            if bytes > 0 {
                self.ways(state, address, bytes as u64, loc)?;
            }
            return Some(());
        }
        let zero = self.terms.constant(bits, 0);
        let none = self.terms.eq(size, zero);
        let some = self.terms.not(none);
        let Some(guard) = state.guard.and(&mut self.terms, some) else {
            return Some(());
        };
        // The first and the last of them: an object has no holes.
        let touched = State {
            guard,
            memory: state.memory.clone(),
        };
        let one = self.terms.constant(bits, 1);
        let end = self.terms.add(address, size);
        let last = self.terms.sub(end, one);
        let mut valid = some;
        for byte in [address, last] {
            let (_, here) = self.ways_if_valid(&touched, byte, 1, loc);
            valid = self.terms.and(valid, here);
        }
        let valid = self.terms.or(none, valid);
        self.only_valid(state, valid, loc)
    }
}
