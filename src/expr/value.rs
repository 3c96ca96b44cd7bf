//! The operations on constants. A value of width `w` is a `u128` whose bits at
//! and above `w` are zero. The definitions are those of SMT-LIB's bit-vectors.

/// The value of `w` ones.
pub(super) fn mask(w: u32) -> u128 {
    debug_assert!((1..=128).contains(&w));
    u128::MAX >> (128 - w)
}

/// The value read as two's complement.
pub(super) fn signed(w: u32, v: u128) -> i128 {
    ((v << (128 - w)) as i128) >> (128 - w)
}

/// The top bit.
pub(super) fn sign_bit(w: u32) -> u128 {
    1 << (w - 1)
}

/// Division by zero gives all ones.
pub(super) fn udiv(w: u32, a: u128, b: u128) -> u128 {
    a.checked_div(b).unwrap_or(mask(w))
}

/// Remainder of a division by zero is the dividend.
pub(super) fn urem(a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(a)
}

/// Division by zero gives 1 for negative dividends and -1 for others.
pub(super) fn sdiv(w: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(w, a), signed(w, b));
    let quotient = match (x, y) {
        (..0, 0) => 1,
        (_, 0) => -1,
        _ => x.wrapping_div(y),
    };
    quotient as u128 & mask(w)
}

/// Remainder of a division by zero is the dividend.
pub(super) fn srem(w: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(w, a), signed(w, b));
    let remainder = if y == 0 { x } else { x.wrapping_rem(y) };
    remainder as u128 & mask(w)
}

/// Shifts by the width or more give zero.
pub(super) fn shl(w: u32, a: u128, b: u128) -> u128 {
    if b >= u128::from(w) {
        0
    } else {
        (a << b) & mask(w)
    }
}

/// Shifts by the width or more give zero.
pub(super) fn lshr(w: u32, a: u128, b: u128) -> u128 {
    if b >= u128::from(w) { 0 } else { a >> b }
}

/// Shifts by the width or more give copies of the sign.
pub(super) fn ashr(w: u32, a: u128, b: u128) -> u128 {
    let by = b.min(u128::from(w - 1)) as u32;
    (signed(w, a) >> by) as u128 & mask(w)
}

/// Bits `hi..=lo`.
pub(super) fn extract(hi: u32, lo: u32, a: u128) -> u128 {
    (a >> lo) & mask(hi - lo + 1)
}

/// From width `w` to width `to`.
pub(super) fn sext(to: u32, w: u32, a: u128) -> u128 {
    signed(w, a) as u128 & mask(to)
}
