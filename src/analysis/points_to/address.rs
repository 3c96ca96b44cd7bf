//! Abstract addresses: an object and a set of byte offsets in it.

use rustc_hash::FxHashMap;

use crate::index::{IdVec, define_index};

define_index!(
    /// An abstract object: a piece of memory that the analysis tells apart from others.
    ObjectId,
    "obj"
);
define_index!(
    /// An interned [`Address`].
    AddressId,
    "addr"
);

/// The offsets `rem + k·stride` of an object: for `k` from 0 to `count - 1` (elements of an array), or, where `count` is 0, for
/// every integer `k`.
///
/// Stride 0 is the single offset `rem`; stride 1 without a count is any offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// The object pointed into.
    pub object: ObjectId,
    /// Distance of the offsets; 0 for a single one.
    pub stride: u64,
    // invariant: 0 <= rem < stride unless stride is 0 or there is a count
    /// The offset, the first of those that are counted, or the remainder of all modulo the stride.
    pub rem: i64,
    // invariant: not 1; 0 if stride is 0
    /// How many offsets there are; 0 where that is not known, or for a single one.
    pub count: u32,
}

/// Greatest common divisor; `gcd(0, x) == x`.
pub fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Address {
    /// The offset `rem` of the object.
    pub fn at(object: ObjectId, rem: i64) -> Address {
        Address {
            object,
            stride: 0,
            rem,
            count: 0,
        }
    }
    /// Any offset of the object.
    pub fn anywhere(object: ObjectId) -> Address {
        Address {
            object,
            stride: 1,
            rem: 0,
            count: 0,
        }
    }
    /// So many offsets at that distance, from `rem` on.
    pub fn elements(object: ObjectId, rem: i64, stride: u64, count: u32) -> Address {
        match count {
            0 | 1 => Address::at(object, rem),
            _ => Address {
                object,
                stride,
                rem,
                count,
            },
        }
    }
    /// Whether it is any offset of the object.
    pub fn is_anywhere(self) -> bool {
        self.stride == 1 && self.count == 0
    }
    /// The last of the offsets that are counted, or the single one.
    fn last(self) -> Option<i128> {
        let steps = match (self.stride, self.count) {
            (0, _) => 0,
            (_, 0) => return None,
            (stride, count) => i128::from(stride) * (i128::from(count) - 1),
        };
        Some(i128::from(self.rem) + steps)
    }
    /// The single offset, if there is just one.
    pub fn offset(self) -> Option<i64> {
        (self.stride == 0).then_some(self.rem)
    }
    /// The address plus `bytes` plus any multiple of `stride`.
    #[must_use]
    pub fn moved(self, bytes: i64, stride: u64) -> Address {
        let rem = self.rem.wrapping_add(bytes);
        if stride == 0 && self.count > 0 {
            return Address { rem, ..self };
        }
        let stride = gcd(self.stride, stride);
        Address {
            object: self.object,
            stride,
            rem: reduce(rem, stride),
            count: 0,
        }
    }
    /// The address rounded down to a multiple of `2^bits`, given that objects are aligned to 16 bytes.
    #[must_use]
    pub fn aligned_down(self, bits: u32) -> Address {
        let unit = 1i64 << bits.min(62);
        let known = bits <= 4 && (self.stride == 0 || self.stride % unit as u64 == 0);
        if known {
            Address {
                rem: self.rem & -unit,
                ..self
            }
        } else {
            Address::anywhere(self.object)
        }
    }
    /// The same memory in an object of `size` bytes (`None`: unknown), or `None` if none of the offsets is inside.
    pub fn within(self, size: Option<u64>, bytes: u64) -> Option<Address> {
        let Some(size) = size else { return Some(self) };
        if self.stride == 0 {
            let end = self.rem.checked_add_unsigned(bytes)?;
            return (self.rem >= 0 && end as u64 <= size).then_some(self);
        }
        if self.count > 0 {
            return self.counted_within(size, bytes);
        }
        let first = self.rem as u64;
        if first.checked_add(bytes)? > size {
            return None;
        }
        // Only one element of the array fits: it is no array.
        if first.checked_add(self.stride)?.checked_add(bytes)? > size {
            return Some(Address::at(self.object, self.rem));
        }
        Some(self)
    }
    /// As [`Address::within`], of elements that are counted.
    fn counted_within(self, size: u64, bytes: u64) -> Option<Address> {
        let stride = i128::from(self.stride);
        let first = i128::from(self.rem);
        // Those before the object do not count.
        let skipped = if first < 0 {
            (-first + stride - 1) / stride
        } else {
            0
        };
        let first = first + skipped * stride;
        let room = i128::from(size) - i128::from(bytes) - first;
        if room < 0 {
            return None;
        }
        let count = (room / stride + 1).min(i128::from(self.count) - skipped);
        let (rem, count) = (i64::try_from(first).ok()?, u32::try_from(count).ok()?);
        (count > 0).then(|| Address::elements(self.object, rem, self.stride, count))
    }
    /// Whether all addresses of `other` are in this set.
    pub fn covers(self, other: Address) -> bool {
        let multiple = match self.stride {
            0 => other.stride == 0,
            s => other.stride % s == 0,
        };
        let ends = match (self.last(), other.last()) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(last), Some(other_last)) => other.rem >= self.rem && other_last <= last,
        };
        multiple && ends && self.meets(other)
    }
    /// Whether some address may be in both sets.
    pub fn meets(self, other: Address) -> bool {
        if self.object != other.object || !self.ranges_overlap(1, other, 1) {
            return false;
        }
        reduce(
            self.rem.wrapping_sub(other.rem),
            gcd(self.stride, other.stride),
        ) == 0
    }
    /// Whether the bytes from the first to the last of the offsets overlap; without a count there is neither.
    fn ranges_overlap(self, len: u64, other: Address, other_len: u64) -> bool {
        match (self.last(), other.last()) {
            (Some(last), Some(other_last)) => {
                i128::from(self.rem) < other_last + i128::from(other_len)
                    && i128::from(other.rem) < last + i128::from(len)
            }
            (Some(last), None) => last + i128::from(len) > 0,
            (None, Some(last)) => last + i128::from(other_len) > 0,
            (None, None) => true,
        }
    }
    /// Whether `len` bytes from here may overlap `other_len` bytes from `other`; `u64::MAX` is an unknown length.
    pub fn overlaps(self, len: u64, other: Address, other_len: u64) -> bool {
        if self.object != other.object || len == 0 || other_len == 0 {
            return false;
        }
        if !self.ranges_overlap(len, other, other_len) {
            return false;
        }
        let g = gcd(self.stride, other.stride);
        let distance = i128::from(other.rem) - i128::from(self.rem);
        if g == 0 {
            distance < i128::from(len) && -distance < i128::from(other_len)
        } else {
            let d = distance.rem_euclid(i128::from(g));
            d < i128::from(len) || i128::from(g) - d < i128::from(other_len)
        }
    }
}

fn reduce(rem: i64, stride: u64) -> i64 {
    if stride == 0 {
        rem
    } else {
        i64::try_from(i128::from(rem).rem_euclid(i128::from(stride))).unwrap_or(0)
    }
}

/// All addresses met so far, numbered.
#[derive(Clone, Debug, Default)]
pub(super) struct Addresses {
    table: IdVec<AddressId, Address>,
    index: FxHashMap<Address, AddressId>,
}

impl Addresses {
    /// The number of an address.
    pub fn intern(&mut self, address: Address) -> AddressId {
        *self
            .index
            .entry(address)
            .or_insert_with(|| self.table.push(address))
    }
    /// Whether it has been met.
    pub fn contains(&self, address: Address) -> bool {
        self.index.contains_key(&address)
    }
    /// The address of that number.
    pub fn get(&self, id: AddressId) -> Address {
        self.table[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const O: ObjectId = ObjectId(0);

    fn strided(stride: u64, rem: i64) -> Address {
        Address {
            object: O,
            stride,
            rem,
            count: 0,
        }
    }

    #[test]
    fn moving_by_an_index_keeps_the_remainder() {
        assert_eq!(Address::at(O, 20).moved(4, 16), strided(16, 8));
        assert_eq!(strided(16, 8).moved(-12, 0), strided(16, 12));
        assert_eq!(strided(16, 8).moved(0, 24), strided(8, 0));
    }

    #[test]
    fn overlap_of_constant_ranges() {
        assert!(Address::at(O, 0).overlaps(4, Address::at(O, 3), 1));
        assert!(!Address::at(O, 0).overlaps(4, Address::at(O, 4), 4));
        assert!(Address::at(O, 4).overlaps(4, Address::at(O, 0), u64::MAX));
        assert!(!Address::at(O, 4).overlaps(4, Address::at(ObjectId(1), 4), 4));
    }

    #[test]
    fn overlap_of_strided_ranges() {
        assert!(strided(16, 8).overlaps(4, Address::at(O, 24), 4));
        assert!(!strided(16, 8).overlaps(4, Address::at(O, 28), 4));
        assert!(strided(16, 8).overlaps(4, Address::at(O, 20), 5));
        assert!(!strided(16, 0).overlaps(8, strided(16, 8), 8));
        assert!(strided(16, 0).overlaps(8, strided(12, 8), 8));
    }

    #[test]
    fn a_coarser_set_covers_a_finer_one() {
        assert!(strided(4, 0).covers(Address::at(O, 8)));
        assert!(strided(4, 0).covers(strided(8, 4)));
        assert!(!strided(8, 4).covers(strided(4, 0)));
        assert!(!strided(4, 0).covers(Address::at(O, 2)));
    }

    #[test]
    fn an_array_that_fits_once_is_one_element() {
        assert_eq!(strided(16, 8).within(Some(16), 8), Some(Address::at(O, 8)));
        assert_eq!(strided(16, 8).within(Some(40), 8), Some(strided(16, 8)));
        assert_eq!(strided(16, 8).within(Some(8), 8), None);
        assert_eq!(Address::at(O, -8).within(Some(8), 8), None);
    }

    #[test]
    fn elements_that_are_counted_stay_in_their_array() {
        let array = Address::elements(O, 40, 16, 4);
        assert!(array.meets(Address::at(O, 88)));
        assert!(!array.meets(Address::at(O, 104)));
        assert!(!array.meets(Address::at(O, 24)));
        assert!(array.meets(strided(16, 8)) && strided(16, 8).covers(array));
        assert!(!array.covers(strided(16, 8)));
        assert!(array.covers(Address::elements(O, 56, 32, 2)));
        assert!(!array.covers(Address::elements(O, 56, 32, 3)));
        assert!(array.overlaps(8, Address::at(O, 95), 1));
        assert!(!array.overlaps(8, Address::at(O, 96), 8));
        assert!(!array.overlaps(8, Address::at(O, 0), 40));
        assert!(array.overlaps(8, Address::at(O, 0), u64::MAX));
        assert_eq!(array.moved(-40, 0), Address::elements(O, 0, 16, 4));
        assert_eq!(array.moved(0, 16), strided(16, 8));
        assert_eq!(
            array.moved(-72, 0).within(Some(20), 8),
            Some(Address::at(O, 0))
        );
        assert_eq!(
            array.within(Some(80), 8),
            Some(Address::elements(O, 40, 16, 3))
        );
    }

    #[test]
    fn aligning_down_drops_tags() {
        assert_eq!(Address::at(O, 9).aligned_down(3), Address::at(O, 8));
        assert_eq!(Address::at(O, 9).aligned_down(12), Address::anywhere(O));
    }
}
