//! Bit-vector operations as gates: SMT-LIB's meanings, by textbook circuits. Words have their lowest bit first.

use super::gates::{Gates, Lit};

/// A bit-vector, lowest bit first.
pub(super) type Word = Vec<Lit>;

/// Division rounded to zero and its remainder.
pub(super) struct Division {
    pub(super) quotient: Word,
    pub(super) remainder: Word,
}

/// Which way a shift goes and what fills up.
pub(super) enum Shift {
    Left,
    /// With this above.
    Right(Lit),
}

/// The constant of a width.
pub(super) fn constant(width: u32, value: u128) -> Word {
    (0..width)
        .map(|bit| Lit::constant(value >> bit & 1 == 1))
        .collect()
}

pub(super) fn not(a: &[Lit]) -> Word {
    a.iter().map(|&bit| !bit).collect()
}

impl Gates {
    /// A gate for each pair of bits.
    pub(super) fn bitwise(
        &mut self,
        gate: impl Fn(&mut Gates, Lit, Lit) -> Lit,
        a: &[Lit],
        b: &[Lit],
    ) -> Word {
        a.iter().zip(b).map(|(&a, &b)| gate(self, a, b)).collect()
    }

    /// `a` if `c` is true, else `b`.
    pub(super) fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Word {
        self.bitwise(|gates, a, b| gates.ite(c, a, b), a, b)
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut same = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let bit = !self.xor(a, b);
            if bit == Lit::FALSE {
                return Lit::FALSE;
            }
            same.push(bit);
        }
        self.all(same)
    }

    /// Unsigned.
    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = Lit::FALSE;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            less = self.ite(differ, b, less);
        }
        less
    }

    /// Signed: unsigned with the signs the other way round.
    pub(super) fn signed_less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let moved = |word: &[Lit]| {
            let mut word = word.to_vec();
            if let Some(sign) = word.last_mut() {
                *sign = !*sign;
            }
            word
        };
        self.less(&moved(a), &moved(b))
    }

    /// The sum and a carry, without the carry out: a ripple-carry adder.
    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Word {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            sum.push(self.xor(differ, carry));
            carry = self.ite(differ, carry, a);
        }
        sum
    }

    /// `-a` if `c` is true, else `a`.
    pub(super) fn negate_if(&mut self, c: Lit, a: &[Lit]) -> Word {
        let flipped: Word = a.iter().map(|&bit| self.xor(bit, c)).collect();
        self.add(&flipped, &constant(a.len() as u32, 0), c)
    }

    /// The low half of the product: shift and add.
    pub(super) fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let fixed = |word: &[Lit]| word.iter().filter(|&&bit| bit == Lit::FALSE).count();
        let (a, b) = match fixed(a) > fixed(b) {
            true => (b, a),
            false => (a, b),
        };
        let mut sum = constant(a.len() as u32, 0);
        for (n, &bit) in b.iter().enumerate() {
            if bit != Lit::FALSE {
                let row: Word = a[..a.len() - n].iter().map(|&x| self.and(x, bit)).collect();
                let high = self.add(&sum[n..], &row, Lit::FALSE);
                sum.truncate(n);
                sum.extend(high);
            }
        }
        sum
    }

    /// Unsigned; by zero the quotient has all bits set and the remainder is the dividend. Restoring division: the remainder never has
    /// more bits than the divisor may have.
    pub(super) fn divide(&mut self, a: &[Lit], b: &[Lit]) -> Division {
        let significant = b
            .iter()
            .rposition(|&bit| bit != Lit::FALSE)
            .map_or(0, |n| n + 1);
        let mut divisor = b[..significant].to_vec();
        divisor.push(Lit::FALSE);
        let minus = not(&divisor);
        let mut remainder = constant(significant as u32, 0);
        let mut quotient = vec![Lit::FALSE; a.len()];
        for (n, &bit) in a.iter().enumerate().rev() {
            let mut next = vec![bit];
            next.append(&mut remainder);
            let fits = !self.less(&next, &divisor);
            quotient[n] = fits;
            let less = self.add(&next, &minus, Lit::TRUE);
            remainder = self.choose(fits, &less, &next);
            remainder.truncate(significant);
        }
        remainder.resize(a.len(), Lit::FALSE);
        // Bits of the dividend that zero would push out of so short a remainder.
        let by_zero = self.all(not(b));
        let remainder = self.choose(by_zero, a, &remainder);
        Division {
            quotient,
            remainder,
        }
    }

    /// Signed; the remainder has the dividend's sign.
    pub(super) fn signed_divide(&mut self, a: &[Lit], b: &[Lit]) -> Division {
        let sign = |word: &[Lit]| word.last().copied().unwrap_or(Lit::FALSE);
        let (sign_a, sign_b) = (sign(a), sign(b));
        let (size_a, size_b) = (self.negate_if(sign_a, a), self.negate_if(sign_b, b));
        let sizes = self.divide(&size_a, &size_b);
        let differ = self.xor(sign_a, sign_b);
        Division {
            quotient: self.negate_if(differ, &sizes.quotient),
            remainder: self.negate_if(sign_a, &sizes.remainder),
        }
    }

    /// A barrel shifter; from the width on, only what fills up is left.
    pub(super) fn shift(&mut self, a: &[Lit], by: &[Lit], shift: &Shift) -> Word {
        let width = a.len();
        let fill = match *shift {
            Shift::Left => Lit::FALSE,
            Shift::Right(fill) => fill,
        };
        let mut word = a.to_vec();
        let mut stage = 0;
        while 1 << stage < width {
            let step = 1 << stage;
            let moved: Word = (0..width)
                .map(|n| match shift {
                    Shift::Left => n.checked_sub(step).map_or(fill, |from| word[from]),
                    Shift::Right(_) => word.get(n + step).copied().unwrap_or(fill),
                })
                .collect();
            word = self.choose(by[stage], &moved, &word);
            stage += 1;
        }
        let limit = constant(by.len() as u32, width as u128);
        // A shifter of w stages goes through w bits of the amount; a width that is no power of two is passed before they end.
        let beyond = !self.less(by, &limit);
        let gone = vec![fill; width];
        self.choose(beyond, &gone, &word)
    }
}
