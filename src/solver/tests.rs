//! The chain against brute force and against the evaluator.

use std::collections::VecDeque;

use super::{Answer, Bits, Budget, SharedBudget, Solver, SolverStats, Z3, standard};
use crate::config::Backend;
use crate::deadline::Deadline;
use crate::expr::random::{Random, Raw, values, variables};
use crate::expr::{Assignment, Evaluator, Term, Terms, eval};

/// Gives prepared answers, then `Unknown`.
pub(super) struct Scripted(VecDeque<Answer>);

impl Scripted {
    pub(super) fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Scripted(answers.into_iter().collect())
    }
}

impl Solver for Scripted {
    fn check(&mut self, _: &mut Terms, _: &[Term]) -> Answer {
        let end = || Answer::Unknown("end of the script".to_owned());
        self.0.pop_front().unwrap_or_else(end)
    }

    fn stats(&self) -> SolverStats {
        SolverStats::default()
    }
}

fn satisfied(t: &Terms, model: &Assignment, conjuncts: &[Term]) -> bool {
    let mut evaluator = Evaluator::new(model);
    conjuncts.iter().all(|&c| evaluator.holds(t, c))
}

#[test]
fn the_chain_agrees_with_brute_force() {
    let widths = [1, 1, 2, 3, 3];
    let mut r = Random(77);
    let mut t = Terms::new();
    let vars = variables(&mut t, &widths);
    let mut solver = standard(Backend::default(), 0, Deadline::NEVER);
    let (mut sat, mut unsat) = (0, 0);
    for n in 0..400 {
        let raws: Vec<Raw> = (0..1 + r.below(5))
            .map(|_| Raw::random(&mut r, &widths, 1, 2 + n % 3))
            .collect();
        let conjuncts: Vec<Term> = raws.iter().map(|x| x.build(&mut t, &vars)).collect();
        let total: u32 = widths.iter().sum();
        let exists = (0..1u128 << total).any(|bits| {
            let mut rest = bits;
            let list: Vec<u128> = widths
                .iter()
                .map(|w| {
                    let v = rest & ((1 << w) - 1);
                    rest >>= w;
                    v
                })
                .collect();
            raws.iter().all(|x| x.value(&list) == 1)
        });
        match solver.check(&mut t, &conjuncts) {
            Answer::Sat(model) => {
                assert!(exists, "round {n}: {raws:?}");
                assert!(satisfied(&t, &model, &conjuncts), "round {n}: {raws:?}");
                sat += 1;
            }
            Answer::Unsat => {
                assert!(!exists, "round {n}: {raws:?}");
                unsat += 1;
            }
            Answer::Unknown(why) => panic!("round {n}: {why}"),
        }
    }
    assert!(sat > 50 && unsat > 50, "{sat} {unsat}");
}

#[test]
fn z3_gives_every_term_the_evaluators_value() {
    // Wide divisions are hard even with fixed operands.
    let unknown = evaluators_value(|| Box::new(Z3::new(200_000, Deadline::NEVER)));
    assert!(unknown < 30, "{unknown}");
}

#[test]
fn bits_give_every_term_the_evaluators_value() {
    let unknown = evaluators_value(|| Box::new(Bits::new(0, Deadline::NEVER)));
    assert_eq!(unknown, 0);
}

/// Asks whether random terms may have other values than the evaluator's; how often that was left open.
fn evaluators_value(solver: impl Fn() -> Box<dyn Solver>) -> u32 {
    let mut unknown = 0;
    for widths in [&[8, 16, 1, 12][..], &[1, 2, 3, 5], &[33, 65, 1, 8]] {
        let mut r = Random(5);
        let mut t = Terms::new();
        let vars = variables(&mut t, widths);
        let mut solver = solver();
        for n in 0..60 {
            let w = widths[r.below(widths.len())];
            let raw = Raw::random(&mut r, widths, w, 1 + n % 4);
            let term = raw.build(&mut t, &vars);
            let (_, assignment) = values(&t, &mut r, &vars);
            let mut query: Vec<Term> = Vec::new();
            for &x in &vars {
                let v = eval(&t, &assignment, x);
                let k = t.constant(t.width(x), v);
                query.push(t.eq(x, k));
            }
            let v = eval(&t, &assignment, term);
            let k = t.constant(w, v);
            let other = t.ne(term, k);
            query.push(other);
            if !t.is_false(other) {
                match solver.check(&mut t, &query) {
                    Answer::Unsat => {}
                    Answer::Unknown(_) => unknown += 1,
                    Answer::Sat(_) => panic!("{raw:?}"),
                }
            }
        }
    }
    unknown
}

/// Each operation at widths that are no powers of two, with operands fixed to corner values: zero, one, the sign, all bits.
#[test]
fn bits_compute_corner_values() {
    for width in [2u32, 3, 7, 8, 33] {
        let mut t = Terms::new();
        let (x, y) = (t.fresh(width, "x"), t.fresh(width, "y"));
        let results = [
            t.add(x, y),
            t.mul(x, y),
            t.udiv(x, y),
            t.urem(x, y),
            t.sdiv(x, y),
            t.srem(x, y),
            t.shl(x, y),
            t.lshr(x, y),
            t.ashr(x, y),
            t.neg(x),
        ];
        let mut solver = Bits::new(0, Deadline::NEVER);
        let sign = 1u128 << (width - 1);
        let corners = [0, 1, 2, u128::from(width), sign - 1, sign, 2 * sign - 1];
        for (a, b) in corners.iter().flat_map(|a| corners.map(|b| (*a, b))) {
            let mask = 2 * sign - 1;
            let (ka, kb) = (t.constant(width, a & mask), t.constant(width, b & mask));
            let fixed = [t.eq(x, ka), t.eq(y, kb)];
            let Answer::Sat(model) = solver.check(&mut t, &fixed) else {
                panic!("two variables have any values");
            };
            for result in results {
                let value = eval(&t, &model, result);
                let is = t.constant(width, value);
                let other = t.ne(result, is);
                let answer = solver.check(&mut t, &[fixed[0], fixed[1], other]);
                assert_eq!(answer, Answer::Unsat, "{width}: {a} {b} {result:?}");
            }
        }
    }
}

/// What is too large for the budget is left open, and what comes after it is decided.
#[test]
fn a_session_goes_on_after_its_budget() {
    let mut t = Terms::new();
    let (x, y) = (t.fresh(64, "x"), t.fresh(64, "y"));
    let product = t.mul(x, y);
    let seven = t.constant(64, 7);
    let hard = t.eq(product, seven);
    let easy = t.ult(x, y);
    let mut solver = Bits::new(100, Deadline::NEVER);
    assert!(matches!(solver.check(&mut t, &[hard]), Answer::Unknown(_)));
    assert!(matches!(solver.check(&mut t, &[easy]), Answer::Sat(_)));
    assert_eq!(solver.stats().bits_unknown, 1);
}

#[test]
fn models_of_arrays_are_read() {
    let mut t = Terms::new();
    let a = t.array_fresh("a");
    let (i, j) = (t.fresh(64, "i"), t.fresh(64, "j"));
    let (seven, nine) = (t.constant(8, 7), t.constant(8, 9));
    let stored = t.store(a, i, seven);
    let (at_j, at_i) = (t.select(stored, j), t.select(a, i));
    let j_nine = t.eq(at_j, nine);
    let i_nine = t.eq(at_i, nine);
    let mut solver = standard(Backend::default(), 0, Deadline::NEVER);
    let Answer::Sat(model) = solver.check(&mut t, &[j_nine, i_nine]) else {
        panic!("satisfiable");
    };
    assert!(satisfied(&t, &model, &[j_nine, i_nine]));
    let same = t.eq(i, j);
    assert_eq!(solver.check(&mut t, &[j_nine, same]), Answer::Unsat);
}

/// Reads of arrays that were written and joined at random, beside the evaluator: with every index fixed, a read has one value.
#[test]
fn reads_of_written_arrays_are_unfolded() {
    let mut r = Random(5);
    for n in 0..180 {
        let mut t = Terms::new();
        let indices: Vec<Term> = (0..4).map(|_| t.fresh(64, "i")).collect();
        let bytes: Vec<Term> = (0..3).map(|_| t.fresh(8, "b")).collect();
        let conditions: Vec<Term> = (0..2).map(|_| t.fresh(1, "c")).collect();
        let seven = t.constant(8, 7);
        let mut arrays = vec![t.array_fresh("a"), t.array_const(seven)];
        for _ in 0..8 {
            let pick = |r: &mut Random, from: &[Term]| from[r.below(from.len())];
            let (x, y) = (arrays[r.below(arrays.len())], arrays[r.below(arrays.len())]);
            let plus = t.constant(64, r.below(2) as u128);
            let at = t.add(pick(&mut r, &indices), plus);
            arrays.push(match r.below(3) {
                0 => t.array_ite(pick(&mut r, &conditions), x, y),
                _ => t.store(x, at, pick(&mut r, &bytes)),
            });
        }
        let reads: Vec<Term> = (0..4)
            .map(|_| {
                let array = arrays[arrays.len() - 1 - r.below(3)];
                t.select(array, indices[r.below(indices.len())])
            })
            .collect();
        // The inputs are fixed; what is read follows, or is a byte of the array variable.
        let mut model = Assignment::default();
        let mut fixed = Vec::new();
        for &x in indices.iter().chain(&bytes).chain(&conditions) {
            let value = r.below(3) as u128 & (u128::from(t.width(x) > 1) * 2 + 1);
            model.values.insert(t.var_of(x).expect("a variable"), value);
            let value = t.constant(t.width(x), value);
            fixed.push(t.eq(x, value));
        }
        // What is beyond Z3's limit is read the other way.
        let mut solver: Box<dyn Solver> = match n % 3 {
            0 => Box::new(Bits::new(0, Deadline::NEVER)),
            1 => Box::new(Z3::new(0, Deadline::NEVER)),
            _ => Box::new(Z3::new(0, Deadline::NEVER).without_unfolding()),
        };
        let mut asked = fixed.clone();
        asked.extend(reads_are_small(&mut t, &reads));
        let Answer::Sat(found) = solver.check(&mut t, &asked) else {
            panic!("program {n}: some array has such bytes");
        };
        model.arrays.clone_from(&found.arrays);
        for &read in &reads {
            let value = eval(&t, &model, read);
            let other = t.constant(8, value ^ 1);
            let differs = t.eq(read, other);
            // Other bytes of the variable may be chosen: only what is stored is forced.
            let forced = eval(
                &t,
                &Assignment {
                    values: model.values.clone(),
                    ..Assignment::default()
                },
                read,
            );
            let mut ones = Assignment {
                values: model.values.clone(),
                ..Assignment::default()
            };
            ones.arrays.extend(all_ones(&t, &reads));
            if forced == eval(&t, &ones, read) {
                let conjuncts = [fixed.clone(), vec![differs]].concat();
                assert_eq!(
                    solver.check(&mut t, &conjuncts),
                    Answer::Unsat,
                    "program {n}"
                );
            }
        }
    }
}

/// Every read below 200: true of 7 and of the bytes above, which keeps the question satisfiable.
fn reads_are_small(t: &mut Terms, reads: &[Term]) -> Vec<Term> {
    let bound = t.constant(8, 200);
    reads.iter().map(|&read| t.ult(read, bound)).collect()
}

/// Every array variable with all bits set everywhere.
fn all_ones(t: &Terms, reads: &[Term]) -> Vec<(crate::expr::ArrayVar, crate::expr::ArrayValue)> {
    let ones = crate::expr::ArrayValue {
        default: 0xff,
        ..Default::default()
    };
    let support = crate::expr::Support::of(t, reads);
    support.arrays.iter().map(|&a| (a, ones.clone())).collect()
}

#[test]
fn a_small_budget_is_an_unknown_and_the_same_each_time() {
    let run = || {
        let mut t = Terms::new();
        let (x, y) = (t.fresh(64, "x"), t.fresh(64, "y"));
        let product = t.mul(x, y);
        let k = t.constant(64, 0xdead_beef_1234_5671);
        let one = t.constant(64, 1);
        let is = t.eq(product, k);
        let (above_x, above_y) = (t.ugt(x, one), t.ugt(y, one));
        let small = t.constant(64, 1 << 32);
        let (below_x, below_y) = (t.ult(x, small), t.ult(y, small));
        let mut solver = standard(Backend::default(), 1000, Deadline::NEVER);
        let query = [is, above_x, above_y, below_x, below_y];
        solver.check(&mut t, &query)
    };
    let first = run();
    let why = "solver: budget of a query used up (--rlimit)";
    assert_eq!(first, Answer::Unknown(why.to_owned()));
    assert_eq!(run(), first);
}

#[test]
fn when_all_is_spent_nothing_is_decided() {
    let mut t = Terms::new();
    let (x, y) = (t.fresh(32, "x"), t.fresh(32, "y"));
    let product = t.mul(x, y);
    let purse = SharedBudget::of(1_000_000);
    let mut ask = |solver: &mut dyn Solver, k| {
        let k = t.constant(32, k);
        let is = t.eq(product, k);
        solver.check(&mut t, &[is])
    };
    let budget = || Budget {
        query: 0,
        purse: Some(purse.clone()),
    };
    let mut solver = standard(Backend::default(), budget(), Deadline::NEVER);
    assert!(matches!(ask(&mut *solver, 15), Answer::Sat(_)));
    let left = purse.left();
    assert!(left < 1_000_000, "the query cost something");
    // Another solver pays from the same purse.
    let mut other = standard(Backend::default(), budget(), Deadline::NEVER);
    assert!(matches!(ask(&mut *other, 21), Answer::Sat(_)));
    assert!(purse.left() < left);
    purse.spend(1_000_000);
    let Answer::Unknown(why) = ask(&mut *other, 77) else {
        panic!("nothing is left");
    };
    assert!(why.contains("--total-rlimit"), "{why}");
}

#[test]
fn after_the_deadline_nothing_is_decided() {
    let mut t = Terms::new();
    let (x, y) = (t.fresh(8, "x"), t.fresh(8, "y"));
    let below = t.ult(x, y);
    let mut solver = standard(Backend::default(), 0, Deadline::after(Some(0)));
    assert!(matches!(solver.check(&mut t, &[below]), Answer::Unknown(_)));
}

#[test]
fn a_chain_of_answers_is_the_same_on_every_thread() {
    let run = || {
        let mut r = Random(11);
        let mut t = Terms::new();
        let widths = [8, 8, 16, 1];
        let vars = variables(&mut t, &widths);
        let mut solver = standard(Backend::default(), 0, Deadline::NEVER);
        (0..60)
            .map(|_| {
                let raw = Raw::random(&mut r, &widths, 1, 4);
                let c = raw.build(&mut t, &vars);
                solver.check(&mut t, &[c])
            })
            .collect::<Vec<_>>()
    };
    let here = run();
    // Another history of the same thread, and another thread.
    assert_eq!(run(), here);
    let there = std::thread::spawn(run).join().expect("no panic");
    assert_eq!(there, here);
}

#[test]
fn joins_of_arrays_may_be_nested_deep() {
    let mut t = Terms::new();
    let (mut a, index) = (t.array_fresh("a"), t.fresh(64, "i"));
    for _ in 0..30_000 {
        let (c, other) = (t.fresh(1, "c"), t.array_fresh("other"));
        a = t.array_ite(c, other, a);
    }
    let read = t.select(a, index);
    let five = t.constant(8, 5);
    let is = t.eq(read, five);
    let answer = Z3::new(1000, Deadline::NEVER).check(&mut t, &[is]);
    assert_ne!(answer, Answer::Unsat, "some array has a 5 there");
    let answer = Bits::new(0, Deadline::NEVER).check(&mut t, &[is]);
    assert_ne!(answer, Answer::Unsat, "some array has a 5 there");
}

#[test]
fn deep_terms_are_translated_and_evaluated() {
    let mut t = Terms::new();
    let y = t.fresh(32, "y");
    let mut x = y;
    for n in 0..100_000u32 {
        let v = t.fresh(1, "c");
        let k = t.constant(32, u128::from(n));
        let next = t.xor(x, y);
        x = t.ite(v, k, next);
    }
    let k = t.constant(32, 5);
    let is = t.eq(x, k);
    // Whether it is decided is the solver's affair; that nothing overflows is ours.
    let mut solver = standard(Backend::default(), 100_000, Deadline::NEVER);
    match solver.check(&mut t, &[is]) {
        Answer::Sat(model) => assert!(satisfied(&t, &model, &[is])),
        Answer::Unsat => panic!("some constant on the way is 5"),
        Answer::Unknown(_) => {}
    }
    assert!(crate::solver::smt2::script(&t, &[is], "sat").len() > 100_000);
}
