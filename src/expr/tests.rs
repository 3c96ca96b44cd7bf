//! Every rule at once: random expressions against their bit-by-bit meaning.

use super::Terms;
use super::random::{
    BINARY, LOGIC, ORDERS, Random, Raw, apply, construct, culprit, values, variables,
};
use super::{ArrayValue, Assignment, Evaluator, Memo, Term, eval};

#[test]
fn simplified_terms_have_the_value_of_what_was_written() {
    let rounds = 6_000;
    for (seed, widths) in [
        (1, &[1, 1, 1, 1, 1, 1][..]),
        (2, &[2, 2, 3, 1, 1, 4]),
        (3, &[8, 8, 16, 1, 1, 32]),
        (4, &[64, 64, 32, 128, 8, 1]),
    ] {
        let mut r = Random(seed);
        let mut t = Terms::new();
        let vars = variables(&mut t, widths);
        for n in 0..rounds {
            let w = widths[r.below(widths.len())];
            let depth = 1 + n % 6;
            let raw = Raw::random(&mut r, widths, w, depth);
            let term = raw.build(&mut t, &vars);
            assert_eq!(t.width(term), w);
            let facts = *t.facts(term);
            for _ in 0..4 {
                let (list, assignment) = values(&t, &mut r, &vars);
                let expected = raw.value(&list);
                let got = eval(&t, &assignment, term);
                if got != expected {
                    let part = culprit(&raw, &mut t, &vars, &list, &assignment);
                    panic!("seed {seed}, round {n}: {got} for {expected}: {part:?} with {list:?}");
                }
                assert!(facts.admits(expected), "{facts:?} for {raw:?}");
            }
        }
    }
}

/// Terms that share parts as joins of paths do: conditions over few variables,
/// each new term from earlier ones, compared on every assignment.
#[test]
fn shared_terms_have_their_value_in_every_assignment() {
    for seed in 1..=8 {
        let mut r = Random(seed * 0x9e37_79b9);
        let mut t = Terms::new();
        let widths = [1, 1, 1, 2, 3];
        let vars = variables(&mut t, &widths);
        let total: u32 = widths.iter().sum();
        let assignments: Vec<Assignment> = (0..1u128 << total)
            .map(|mut bits| {
                let mut a = Assignment::default();
                for (&x, w) in vars.iter().zip(widths) {
                    a.values
                        .insert(t.var_of(x).expect("a variable"), bits & ((1 << w) - 1));
                    bits >>= w;
                }
                a
            })
            .collect();
        let mut memos = vec![Memo::default(); assignments.len()];
        // Each term with its value in each assignment.
        let mut pool: Vec<(Term, Vec<u128>)> = vars
            .iter()
            .map(|&x| (x, assignments.iter().map(|a| eval(&t, a, x)).collect()))
            .collect();
        for w in [1, 2, 3] {
            for v in [0, 1, 2, 5] {
                let k = t.constant(w, v);
                pool.push((k, vec![v & ((1 << w) - 1); assignments.len()]));
            }
        }
        for step in 0..600 {
            // Recent terms more often: depth.
            let mut pick = |t: &Terms, w: u32| loop {
                let n = pool.len();
                let at = if r.below(3) > 0 && n > 60 {
                    n - 1 - r.below(60)
                } else {
                    r.below(n)
                };
                if t.width(pool[at].0) == w {
                    break at;
                }
            };
            let w = [1, 1, 1, 2, 3][step % 5];
            let (op, args, w) = match step % 7 {
                0 | 1 => ("ite", vec![pick(&t, 1), pick(&t, w), pick(&t, w)], w),
                2 => ("not", vec![pick(&t, w)], w),
                3 | 4 if w > 1 => {
                    let (x, y) = (pick(&t, w), pick(&t, w));
                    (ORDERS[r.below(ORDERS.len())], vec![x, y], 1)
                }
                _ => {
                    let (x, y) = (pick(&t, w), pick(&t, w));
                    let op = if w == 1 {
                        LOGIC[r.below(LOGIC.len())]
                    } else {
                        BINARY[r.below(BINARY.len())]
                    };
                    (op, vec![x, y], w)
                }
            };
            let operands: Vec<Term> = args.iter().map(|&n| pool[n].0).collect();
            let inner = t.width(operands[operands.len() - 1]);
            let term = construct(&mut t, op, w, &operands);
            let mut column = Vec::with_capacity(assignments.len());
            for (n, assignment) in assignments.iter().enumerate() {
                let list: Vec<u128> = args.iter().map(|&x| pool[x].1[n]).collect();
                let expected = apply(op, w, inner, &list);
                column.push(expected);
                let mut evaluator = Evaluator::with_memo(assignment, std::mem::take(&mut memos[n]));
                let got = evaluator.eval(&t, term);
                memos[n] = evaluator.into_memo();
                assert_eq!(got, expected, "seed {seed}, step {step}: {op} of {list:?}");
            }
            assert!(column.iter().all(|&v| t.facts(term).admits(v)), "{op}");
            pool.push((term, column));
        }
    }
}

/// One in which these variables have these values, and byte 1 of the array is that.
fn assignment(t: &Terms, values: &[(Term, u128)], byte: u8) -> Assignment {
    let mut a = Assignment::default();
    for (v, value) in values {
        a.values.insert(t.var_of(*v).expect("a variable"), *value);
    }
    let mut bytes = ArrayValue::default();
    bytes.cells.insert(1, byte);
    a.arrays.insert(super::ArrayVar(0), bytes);
    a
}

/// The array with one more byte.
fn stored(array: &ArrayValue, index: u128, byte: u128) -> ArrayValue {
    let mut new = array.clone();
    new.cells.insert(index as u64, byte as u8);
    new
}

/// Arrays against maps: stores, joins and reads at indices that may be equal.
#[test]
fn arrays_behave_like_maps() {
    for seed in 1..=6 {
        let mut r = Random(seed * 0x1234_5677);
        let mut t = Terms::new();
        let (i, j, c, x) = (
            t.fresh(64, "i"),
            t.fresh(64, "j"),
            t.fresh(1, "c"),
            t.fresh(8, "x"),
        );
        let assignments: Vec<Assignment> = (0..32u128)
            .map(|n| {
                let values = [(i, n & 3), (j, n >> 2 & 3), (c, n >> 4), (x, n * 7)];
                assignment(&t, &values, n as u8)
            })
            .collect();
        let ks: Vec<Term> = (0..4).map(|k| t.constant(64, k)).collect();
        let one = ks[1];
        let indices = [i, j, ks[0], one, ks[2], t.add(i, one), t.add(j, one)];
        let fill = t.constant(8, 9);
        // Each array with its bytes in each assignment.
        let free = t.array_fresh("a");
        let filled = t.array_const(fill);
        let mut pool: Vec<(super::ArrayTerm, Vec<ArrayValue>)> = vec![
            (
                free,
                assignments
                    .iter()
                    .map(|a| a.arrays[&super::ArrayVar(0)].clone())
                    .collect(),
            ),
            (
                filled,
                vec![
                    ArrayValue {
                        default: 9,
                        ..ArrayValue::default()
                    };
                    assignments.len()
                ],
            ),
        ];
        let mut bytes = vec![x, fill];
        let mut conditions = vec![c, t.eq(i, j), t.ult(i, j)];
        for step in 0..150 {
            let (a, b) = (r.below(pool.len()), r.below(pool.len()));
            let index = indices[r.below(indices.len())];
            let byte = bytes[r.below(bytes.len())];
            let cond = conditions[r.below(conditions.len())];
            let at = |n: usize, v: Term| eval(&t, &assignments[n], v);
            let (mut columns, mut reads) = (Vec::new(), Vec::new());
            for n in 0..assignments.len() {
                let column = match (step % 2, at(n, cond)) {
                    (0, _) => stored(&pool[a].1[n], at(n, index), at(n, byte)),
                    (_, 1) => pool[a].1[n].clone(),
                    _ => pool[b].1[n].clone(),
                };
                reads.push(u128::from(column.byte(at(n, indices[step % 7]) as u64)));
                columns.push(column);
            }
            let array = match step % 2 {
                0 => t.store(pool[a].0, index, byte),
                _ => t.array_ite(cond, pool[a].0, pool[b].0),
            };
            let read = t.select(array, indices[step % 7]);
            for (n, &expected) in reads.iter().enumerate() {
                let got = eval(&t, &assignments[n], read);
                assert_eq!(got, expected, "seed {seed}, step {step}");
            }
            pool.push((array, columns));
            bytes.push(read);
            conditions.push(t.ult(read, fill));
        }
    }
}
