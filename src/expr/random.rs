//! Random expressions for property tests: trees that know nothing of the
//! simplifier, with a meaning of their own.

use super::{Assignment, Term, Terms};

/// A small generator of pseudo-random numbers (xorshift), so that failures repeat.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    fn wide(&mut self) -> u128 {
        let v = u128::from(self.next()) << 64 | u128::from(self.next());
        // Small, sparse and extreme values find more than uniform ones.
        match self.below(6) {
            0 => v & 3,
            1 => 1 << (v % 128),
            2 => !(v & 3),
            3 => (1u128 << (v % 128)) - 1,
            _ => v,
        }
    }
}

/// An expression as written: nothing simplified.
#[derive(Clone, Debug)]
pub(crate) enum Raw {
    Const(u32, u128),
    Var(usize, u32),
    Op(&'static str, u32, Vec<Raw>),
    Extract(u32, u32, Box<Raw>),
}

pub(super) const BINARY: [&str; 14] = [
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
    "add",
];
pub(super) const ORDERS: [&str; 10] = [
    "eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge",
];
pub(super) const LOGIC: [&str; 5] = ["and", "or", "xor", "eq", "implies"];

impl Raw {
    pub(crate) fn width(&self) -> u32 {
        match self {
            Raw::Const(w, _) | Raw::Var(_, w) | Raw::Op(_, w, _) => *w,
            Raw::Extract(hi, lo, _) => hi - lo + 1,
        }
    }

    /// A random expression of a width over variables of the given widths.
    pub(crate) fn random(r: &mut Random, vars: &[u32], w: u32, depth: u32) -> Raw {
        if depth == 0 || r.below(8) == 0 {
            let fitting: Vec<usize> = (0..vars.len()).filter(|&v| vars[v] == w).collect();
            if fitting.is_empty() || r.below(3) == 0 {
                return Raw::Const(w, r.wide() & (u128::MAX >> (128 - w)));
            }
            return Raw::Var(fitting[r.below(fitting.len())], w);
        }
        let sub = |r: &mut Random, w: u32| Raw::random(r, vars, w, depth - 1);
        let other = vars[r.below(vars.len())];
        match r.below(if w == 1 { 12 } else { 14 }) {
            0 => Raw::Op("ite", w, vec![sub(r, 1), sub(r, w), sub(r, w)]),
            1 => Raw::Op("ite", w, vec![sub(r, 1), sub(r, w), sub(r, w)]),
            2 => Raw::Op("not", w, vec![sub(r, w)]),
            3 => Raw::Op("neg", w, vec![sub(r, w)]),
            4 | 5 if w == 1 => {
                let op = LOGIC[r.below(LOGIC.len())];
                Raw::Op(op, 1, vec![sub(r, 1), sub(r, 1)])
            }
            6..=9 if w == 1 => {
                let op = ORDERS[r.below(ORDERS.len())];
                Raw::Op(op, 1, vec![sub(r, other), sub(r, other)])
            }
            4 if other < w => Raw::Op("zext", w, vec![sub(r, other)]),
            5 if other < w => Raw::Op("sext", w, vec![sub(r, other)]),
            6 if other < w => Raw::Op("concat", w, vec![sub(r, other), sub(r, w - other)]),
            7 if other > w => {
                let lo = r.below((other - w + 1) as usize) as u32;
                Raw::Extract(lo + w - 1, lo, Box::new(sub(r, other)))
            }
            8 => Raw::Op("concat_pieces", w, vec![sub(r, w)]),
            _ => {
                let op = BINARY[r.below(BINARY.len())];
                Raw::Op(op, w, vec![sub(r, w), sub(r, w)])
            }
        }
    }

    /// The term, made by the constructors.
    pub(crate) fn build(&self, t: &mut Terms, vars: &[Term]) -> Term {
        match self {
            Raw::Const(w, v) => t.constant(*w, *v),
            Raw::Var(v, _) => vars[*v],
            Raw::Extract(hi, lo, x) => {
                let x = x.build(t, vars);
                t.extract(*hi, *lo, x)
            }
            Raw::Op(op, w, args) => {
                let a: Vec<Term> = args.iter().map(|x| x.build(t, vars)).collect();
                construct(t, op, *w, &a)
            }
        }
    }

    /// The value, on lists of bits where arithmetic would repeat the definitions under test.
    pub(crate) fn value(&self, vars: &[u128]) -> u128 {
        match self {
            Raw::Const(_, v) => *v,
            Raw::Var(v, _) => vars[*v],
            Raw::Extract(hi, lo, x) => {
                number(&bits(x.value(vars), 128)[*lo as usize..=*hi as usize])
            }
            Raw::Op(op, w, args) => {
                let v: Vec<u128> = args.iter().map(|x| x.value(vars)).collect();
                let inner = args[args.len() - 1].width();
                apply(op, *w, inner, &v)
            }
        }
    }
}

/// The term of one operation, made by its constructor.
pub(super) fn construct(t: &mut Terms, op: &str, w: u32, a: &[Term]) -> Term {
    match (op, a) {
        ("ite", &[c, x, y]) => t.ite(c, x, y),
        ("not", &[x]) => t.not(x),
        ("neg", &[x]) => t.neg(x),
        ("zext", &[x]) => t.zext(w, x),
        ("sext", &[x]) => t.sext(w, x),
        ("concat_pieces", &[x]) if w > 1 => {
            let (h, l) = (t.extract(w - 1, w / 2, x), t.extract(w / 2 - 1, 0, x));
            t.concat(h, l)
        }
        ("concat_pieces", &[x]) => x,
        (op, &[x, y]) => {
            let f = match op {
                "add" => Terms::add,
                "sub" => Terms::sub,
                "mul" => Terms::mul,
                "udiv" => Terms::udiv,
                "sdiv" => Terms::sdiv,
                "urem" => Terms::urem,
                "srem" => Terms::srem,
                "shl" => Terms::shl,
                "lshr" => Terms::lshr,
                "ashr" => Terms::ashr,
                "and" => Terms::and,
                "or" => Terms::or,
                "xor" => Terms::xor,
                "concat" => Terms::concat,
                "implies" => Terms::implies,
                "eq" => Terms::eq,
                "ne" => Terms::ne,
                "ult" => Terms::ult,
                "ule" => Terms::ule,
                "ugt" => Terms::ugt,
                "uge" => Terms::uge,
                "slt" => Terms::slt,
                "sle" => Terms::sle,
                "sgt" => Terms::sgt,
                "sge" => Terms::sge,
                _ => panic!("{op}"),
            };
            f(t, x, y)
        }
        _ => panic!("{op} of {} operands", a.len()),
    }
}

/// The innermost part of an expression whose term has another value, for the failure's message.
pub(super) fn culprit<'a>(
    raw: &'a Raw,
    t: &mut Terms,
    vars: &[Term],
    list: &[u128],
    assignment: &Assignment,
) -> &'a Raw {
    let parts: Vec<&Raw> = match raw {
        Raw::Op(_, _, args) => args.iter().collect(),
        Raw::Extract(_, _, x) => vec![x],
        _ => Vec::new(),
    };
    for part in parts {
        let term = part.build(t, vars);
        if super::eval(t, assignment, term) != part.value(list) {
            return culprit(part, t, vars, list, assignment);
        }
    }
    raw
}

fn bits(v: u128, w: u32) -> Vec<bool> {
    (0..w).map(|n| v >> n & 1 == 1).collect()
}

fn number(bits: &[bool]) -> u128 {
    bits.iter().rev().fold(0, |v, &b| v << 1 | u128::from(b))
}

/// Sum by ripple carry.
fn sum(x: &[bool], y: &[bool], mut carry: bool) -> Vec<bool> {
    let mut out = Vec::new();
    for (&a, &b) in x.iter().zip(y) {
        out.push(a ^ b ^ carry);
        carry = a & b | a & carry | b & carry;
    }
    out
}

fn negated(x: &[bool]) -> Vec<bool> {
    let inverted: Vec<bool> = x.iter().map(|b| !b).collect();
    sum(&inverted, &vec![false; x.len()], true)
}

/// Unsigned quotient and remainder by long division; division by zero as SMT-LIB has it.
fn divide(x: &[bool], y: &[bool]) -> (Vec<bool>, Vec<bool>) {
    let w = x.len();
    let (mut q, mut r) = (vec![false; w], 0u128);
    let y = number(y);
    if y == 0 {
        return (vec![true; w], x.to_vec());
    }
    for n in (0..w).rev() {
        let over = r >> 127 == 1;
        r = r << 1 | u128::from(x[n]);
        if over || r >= y {
            r = r.wrapping_sub(y);
            q[n] = true;
        }
    }
    (q, bits(r, w as u32))
}

pub(super) fn apply(op: &str, w: u32, inner: u32, v: &[u128]) -> u128 {
    let x = bits(
        v[0],
        if op == "ite" || op == "concat" {
            128
        } else {
            inner
        },
    );
    let y = v.get(1).map_or(Vec::new(), |&y| bits(y, inner));
    let sign = |b: &[bool]| b[b.len() - 1];
    let shift =
        |by: u128, n: u32| usize::try_from(by.saturating_add(u128::from(n))).unwrap_or(usize::MAX);
    // Signed order: exchange the roles of the sign bit.
    let key = |b: &[bool]| {
        let mut b = b.to_vec();
        let top = b.len() - 1;
        b[top] = !b[top];
        number(&b)
    };
    let magnitude = |b: &[bool]| if sign(b) { negated(b) } else { b.to_vec() };
    let bit = |f: &dyn Fn(bool, bool) -> bool| {
        number(&x.iter().zip(&y).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>())
    };
    let shifted = |f: &dyn Fn(u32) -> bool| number(&(0..w).map(f).collect::<Vec<_>>());
    match op {
        "ite" => v[if v[0] == 1 { 1 } else { 2 }],
        "not" => number(&x.iter().map(|b| !b).collect::<Vec<_>>()),
        "neg" => number(&negated(&x)),
        "zext" | "concat_pieces" => v[0],
        "sext" => {
            let mut x = x.clone();
            x.resize(w as usize, sign(&x));
            number(&x)
        }
        "concat" => v[0] << inner | v[1],
        "add" => number(&sum(&x, &y, false)),
        "sub" => number(&sum(&x, &negated(&y), false)),
        "mul" => {
            let mut total = vec![false; w as usize];
            for n in 0..w as usize {
                if y[n] {
                    let mut part = vec![false; n];
                    part.extend(&x[..w as usize - n]);
                    total = sum(&total, &part, false);
                }
            }
            number(&total)
        }
        "udiv" => number(&divide(&x, &y).0),
        "urem" => number(&divide(&x, &y).1),
        "sdiv" => {
            let q = divide(&magnitude(&x), &magnitude(&y)).0;
            number(&if sign(&x) != sign(&y) { negated(&q) } else { q })
        }
        "srem" => {
            let r = divide(&magnitude(&x), &magnitude(&y)).1;
            number(&if sign(&x) { negated(&r) } else { r })
        }
        "shl" => shifted(&|n| (u128::from(n) >= v[1]) && x[(u128::from(n) - v[1]) as usize]),
        "lshr" => shifted(&|n| x.get(shift(v[1], n)).copied().unwrap_or(false)),
        "ashr" => shifted(&|n| x.get(shift(v[1], n)).copied().unwrap_or(sign(&x))),
        "and" => bit(&|a, b| a & b),
        "or" => bit(&|a, b| a | b),
        "xor" => bit(&|a, b| a ^ b),
        "implies" => u128::from(v[0] <= v[1]),
        "eq" => u128::from(x == y),
        "ne" => u128::from(x != y),
        "ult" => u128::from(v[0] < v[1]),
        "ule" => u128::from(v[0] <= v[1]),
        "ugt" => u128::from(v[0] > v[1]),
        "uge" => u128::from(v[0] >= v[1]),
        "slt" => u128::from(key(&x) < key(&y)),
        "sle" => u128::from(key(&x) <= key(&y)),
        "sgt" => u128::from(key(&x) > key(&y)),
        "sge" => u128::from(key(&x) >= key(&y)),
        _ => panic!("{op}"),
    }
}

/// Variables of the widths, as terms.
pub(crate) fn variables(t: &mut Terms, widths: &[u32]) -> Vec<Term> {
    widths.iter().map(|&w| t.fresh(w, "x")).collect()
}

/// Random values of the variables, as a list and as an assignment.
pub(crate) fn values(t: &Terms, r: &mut Random, vars: &[Term]) -> (Vec<u128>, Assignment) {
    let mut assignment = Assignment::default();
    let list = vars
        .iter()
        .map(|&x| {
            let v = r.wide() & (u128::MAX >> (128 - t.width(x)));
            assignment
                .values
                .insert(t.var_of(x).expect("a variable"), v);
            v
        })
        .collect();
    (list, assignment)
}
