//! Against the machine's own arithmetic.

use super::*;

const FORMATS: [FloatFormat; 4] = [
    FloatFormat::Half,
    FloatFormat::BFloat,
    FloatFormat::Single,
    FloatFormat::Double,
];

/// Numbers of all magnitudes, and neighbours of the special ones.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn number(&mut self, format: FloatFormat) -> u128 {
        let all = u128::from(self.next()) & (format.sign() | (format.sign() - 1));
        let (_, f) = format.parts();
        let close = u128::from(self.next() % 5);
        match self.next() % 8 {
            0 => format.infinity() - close,
            1 => format.infinity() + close,
            2 => close,
            3 => (1 << f) + close,
            4 | 5 => {
                let power = format.power_of_two((self.next() % 9) as i32 - 4);
                let rest = match self.next() % 2 {
                    0 => power - 2 + close,
                    _ => power | (all & ((1 << f) - 1)),
                };
                (all & format.sign()) | rest
            }
            _ => all,
        }
    }
}

fn single(op: FloatOp, x: u128, y: u128) -> u128 {
    let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
    let value = match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Sqrt => x.sqrt(),
        FloatOp::Truncate => x.trunc(),
    };
    match value.is_nan() {
        true => FloatFormat::Single.not_a_number(),
        false => u128::from(value.to_bits()),
    }
}

fn double(op: FloatOp, x: u128, y: u128) -> u128 {
    let (x, y) = (f64::from_bits(x as u64), f64::from_bits(y as u64));
    let value = match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Sqrt => x.sqrt(),
        FloatOp::Truncate => x.trunc(),
    };
    match value.is_nan() {
        true => FloatFormat::Double.not_a_number(),
        false => u128::from(value.to_bits()),
    }
}

#[test]
fn arithmetic_agrees_with_the_machine() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let ops = [
        FloatOp::Add,
        FloatOp::Sub,
        FloatOp::Mul,
        FloatOp::Div,
        FloatOp::Sqrt,
        FloatOp::Truncate,
    ];
    for (format, machine) in [
        (
            FloatFormat::Single,
            single as fn(FloatOp, u128, u128) -> u128,
        ),
        (FloatFormat::Double, double),
    ] {
        for n in 0..3000 {
            let mut t = Terms::new();
            let op = ops[n % ops.len()];
            let (x, y) = (random.number(format), random.number(format));
            let (a, b) = (t.constant(format.bits(), x), t.constant(format.bits(), y));
            let result = compute(&mut t, op, format, a, b);
            let (got, want) = (t.as_const(result), machine(op, x, y));
            assert_eq!(
                got,
                Some(want),
                "{op:?} {format:?} {x:#x} {y:#x}: {want:#x}"
            );
        }
    }
}

#[test]
fn orders_agree_with_the_machine() {
    let mut random = Random(88_172_645_463_325_252);
    for _ in 0..2000 {
        let mut t = Terms::new();
        let format = FloatFormat::Double;
        let x = random.number(format);
        let y = [random.number(format), x, x ^ format.sign()][(random.next() % 3) as usize];
        let (a, b) = (t.constant(64, x), t.constant(64, y));
        let (f, g) = (f64::from_bits(x as u64), f64::from_bits(y as u64));
        for (order, want) in [
            (FloatOrder::LESS, f < g),
            (FloatOrder::AT_MOST, f <= g),
            (FloatOrder::UNORDERED, f.is_nan() || g.is_nan()),
        ] {
            let got = compare(&mut t, order, format, a, b);
            assert_eq!(t.as_const(got), Some(u128::from(want)), "{order:?} {f} {g}");
        }
    }
}

#[test]
fn conversions_agree_with_the_machine() {
    let mut random = Random(1);
    for _ in 0..3000 {
        let mut t = Terms::new();
        let (single, double) = (FloatFormat::Single, FloatFormat::Double);
        let x = random.number(double);
        let f = f64::from_bits(x as u64);
        let x = t.constant(64, x);
        let narrow = convert(&mut t, x, Number::Float(double), Number::Float(single));
        let want = match f.is_nan() {
            true => single.not_a_number(),
            false => u128::from((f as f32).to_bits()),
        };
        assert_eq!(t.as_const(narrow), Some(want), "{f}");
        let wide = convert(&mut t, narrow, Number::Float(single), Number::Float(double));
        let want = match f.is_nan() {
            true => double.not_a_number(),
            false => u128::from(f64::from(f as f32).to_bits()),
        };
        assert_eq!(t.as_const(wide), Some(want), "{f}");
        let whole = convert(&mut t, x, Number::Float(double), Number::Signed(32));
        let fits = f.trunc() >= -2147483648.0 && f.trunc() < 2147483648.0;
        let want = if fits { f as i32 } else { i32::MIN };
        assert_eq!(t.as_const(whole), Some(u128::from(want as u32)), "{f}");
        let whole = convert(&mut t, x, Number::Float(double), Number::Unsigned(64));
        let fits = f.trunc() >= 0.0 && f.trunc() < 18446744073709551616.0;
        let want = if fits { f as u64 } else { 1 << 63 };
        assert_eq!(t.as_const(whole), Some(u128::from(want)), "{f}");
        let n = random.next() >> (random.next() % 64);
        let i = t.constant(64, u128::from(n));
        for (from, want) in [
            (Number::Signed(64), n as i64 as f32),
            (Number::Unsigned(64), n as f32),
        ] {
            let got = convert(&mut t, i, from, Number::Float(single));
            assert_eq!(t.as_const(got), Some(u128::from(want.to_bits())), "{n}");
        }
        let got = convert(&mut t, i, Number::Signed(64), Number::Float(double));
        assert_eq!(
            t.as_const(got),
            Some(u128::from((n as i64 as f64).to_bits())),
            "{n}"
        );
    }
}

#[test]
fn what_is_there_of_every_format_is_the_same_in_both_directions() {
    let mut random = Random(7);
    for n in 0..2000 {
        let mut t = Terms::new();
        let (small, large) = (FORMATS[n % 3], FloatFormat::Double);
        let x = random.number(small);
        let term = t.constant(small.bits(), x);
        let wide = convert(&mut t, term, Number::Float(small), Number::Float(large));
        let back = convert(&mut t, wide, Number::Float(large), Number::Float(small));
        let size = x & !small.sign();
        let want = if size > small.infinity() {
            small.not_a_number()
        } else {
            x
        };
        assert_eq!(t.as_const(back), Some(want), "{small:?} {x:#x}");
    }
}
