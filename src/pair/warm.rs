//! What runs before a pair: opening a file, what a rule puts before, what one of the pair follows. Once for all pairs before which the
//! same runs.
//!
//! The harness has it in a function of its own, `__irkiss_warm_up`, after which `__irkiss_pair_main` leaves it out. Which pairs it is
//! the same for is read off the program: what depends on the numbers of the entry points there is where `__irkiss_warm` and
//! `__irkiss_settle` jump, and what other functions compare them with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::index::{BlockId, ValueId};
use crate::program::{
    Callee, Const, Function, Op, Operand, Primitive, Program, Terminator, operands,
};
use crate::symex::exec::{CheckInputs, Executor, Limits};
use crate::symex::state::State;

/// The function that does it.
pub(super) const FUNCTION: &str = "__irkiss_warm_up";

/// Functions that jump by the number of an entry point.
const JUMPS: [&str; 2] = ["__irkiss_warm", "__irkiss_settle"];

/// Functions that read the numbers and are looked at otherwise: those that hand them to [`JUMPS`], and those of the lifecycle.
const OTHERS: [&str; 3] = [FUNCTION, "__irkiss_pair_main", "__irkiss_born"];

/// Terms of the states that are kept, about 400 bytes each: of more, those used last.
const KEPT_TERMS: usize = 3_000_000;

/// So many are kept in any case: pairs are checked in an order in which those alike follow each other.
const KEPT: usize = 3;

/// The places of threads in what `__irkiss_pair` answers; the others tell of the scenario.
const THREADS: [usize; 4] = [0, 1, 3, 4];

/// What of the numbers can show before the pair begins.
type Key = Vec<u64>;

type Cell<'p> = Arc<OnceLock<Option<Warmed<'p>>>>;

/// The run so far, and the state that it leaves.
type Warmed<'p> = (Executor<'p>, State);

/// States that pairs begin in.
pub(super) struct Warm<'p> {
    program: &'p Program,
    /// Where each number jumps to, in each of [`JUMPS`]; none: it cannot be told.
    jumps: Option<Vec<Vec<(u128, BlockId)>>>,
    /// Numbers that something else looks for.
    looked_for: BTreeSet<u128>,
    known: Mutex<Vec<(Key, Cell<'p>)>>,
    /// What each took, whoever made it, and whether it was kept meanwhile: instructions and terms.
    took: Mutex<BTreeMap<Key, (u64, u64)>>,
}

impl<'p> Warm<'p> {
    pub fn new(program: &'p Program) -> Self {
        let looked_for = looked_for(program);
        let jumps = JUMPS.iter().map(|name| jumps(program, name));
        Warm {
            program,
            jumps: jumps
                .collect::<Option<Vec<_>>>()
                .filter(|_| looked_for.is_some()),
            looked_for: looked_for.unwrap_or_default(),
            known: Mutex::default(),
            took: Mutex::default(),
        }
    }

    /// A run of its own on the state that pairs with these numbers begin in. `start`: the run of the initialisation, and what it
    /// left. `None`: there is no such state, or it is not known within the limits.
    pub fn begin(
        &self,
        start: (&Executor<'p>, &State),
        check: &CheckInputs,
        limits: Limits,
    ) -> Option<Warmed<'p>> {
        self.program.function_named(FUNCTION)?;
        let key = self.key(&check.pair);
        let cell = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            match known.iter().position(|(k, _)| *k == key) {
                // The one used last is at the end.
                Some(at) => known[at..].rotate_left(1),
                None => {
                    let terms = |(_, cell): &(Key, Cell<'p>)| {
                        let made = cell.get().and_then(Option::as_ref);
                        made.map_or(0, |(run, _)| run.terms.len())
                    };
                    while known.len() >= KEPT && known.iter().map(terms).sum::<usize>() > KEPT_TERMS
                    {
                        known.remove(0);
                    }
                    known.push((key.clone(), Cell::default()));
                }
            }
            known.last().map(|(_, cell)| cell.clone())?
        };
        let warmed = cell.get_or_init(|| warm_up(start, check, limits)).clone();
        if let Some((run, _)) = &warmed {
            let instructions = run.instructions - start.0.instructions;
            let terms = run.terms.len() - start.0.terms.len();
            let mut took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
            took.insert(key, (instructions, terms as u64));
        }
        warmed
    }

    /// The numbers of the entry points of which one runs, or none, before that of number `n`.
    pub fn before(&self, n: u32) -> Vec<u32> {
        let Some(cases) = self.jumps.as_ref().and_then(|jumps| jumps.first()) else {
            return Vec::new();
        };
        let target = cases.iter().find(|(case, _)| *case == u128::from(n));
        let function = self.program.function_named(JUMPS[0]);
        let (Some((_, target)), Some(function)) = (target, function) else {
            return Vec::new();
        };
        let blocks = &self.program.functions[function].blocks;
        let (mut todo, mut seen) = (vec![*target], BTreeSet::new());
        let mut numbers = Vec::new();
        while let Some(block) = todo.pop() {
            if !seen.insert(block) {
                continue;
            }
            for instr in &blocks[block].instrs {
                if let Op::Call {
                    callee: Callee::Direct(f),
                    ..
                } = &instr.op
                {
                    let name = self.program.functions[*f]
                        .name
                        .strip_prefix("__irkiss_entry_");
                    numbers.extend(name.and_then(|n| n.parse::<u32>().ok()));
                }
            }
            todo.extend(blocks[block].term.successors());
        }
        numbers.sort_unstable();
        numbers
    }

    /// Counts for `--stats`: states that pairs began in, and what they took.
    pub fn stats(&self) -> [(String, u64); 3] {
        let took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = |of: fn(&(u64, u64)) -> u64| took.values().map(of).sum();
        [
            ("before pairs: states".to_string(), took.len() as u64),
            ("before pairs: instructions".to_string(), sum(|t| t.0)),
            ("before pairs: terms".to_string(), sum(|t| t.1)),
        ]
    }

    fn key(&self, pair: &[u32]) -> Key {
        let mut key = Key::new();
        for (place, number) in pair.iter().enumerate() {
            let thread = THREADS.contains(&place);
            let Some(jumps) = self.jumps.as_ref().filter(|_| thread) else {
                key.push(u64::from(*number));
                continue;
            };
            // Of further threads the number is one more; 0 is none.
            let number = match place {
                0 | 1 => u128::from(*number),
                _ => u128::from(number.wrapping_sub(1)),
            };
            for cases in jumps {
                let case = cases.iter().find(|(n, _)| *n == number);
                key.push(case.map_or(0, |(_, block)| u64::from(block.0) + 1));
            }
            let found = self.looked_for.contains(&number);
            key.push(if found { number as u64 + 1 } else { 0 });
        }
        key
    }
}

fn warm_up<'p>(
    (run, state): (&Executor<'p>, &State),
    check: &CheckInputs,
    limits: Limits,
) -> Option<Warmed<'p>> {
    let mut run = run.clone();
    run.set_limits(limits);
    // Nobody else is there yet: no place where another thread could run, or race.
    let mut alone = check.clone();
    alone.enabled.clear();
    alone.checked.clear();
    alone.watched = Default::default();
    alone.slicing = None;
    alone.rounds = None;
    run.set_check(alone);
    let left = run.run(FUNCTION, state.clone());
    let whole = run.stopped().is_none() && !run.ran_out();
    // What it gets to is nothing that the pair gets to.
    run.reached.clear();
    left.ok()
        .flatten()
        .filter(|_| whole)
        .map(|left| (run, left))
}

/// Where a function jumps to by its parameter. `None`: it has another form.
fn jumps(program: &Program, name: &str) -> Option<Vec<(u128, BlockId)>> {
    let function = &program.functions[program.function_named(name)?];
    let number = *function.params.first()?;
    let mut switches = function
        .blocks
        .iter()
        .filter_map(|block| match &block.term {
            Terminator::Switch {
                value: Operand::Value(v),
                cases,
                ..
            } if *v == number => Some(cases.clone()),
            _ => None,
        });
    let cases = switches.next().unwrap_or_default();
    let mut uses = 0;
    for block in function.blocks.iter() {
        for instr in &block.instrs {
            operands(&instr.op, &mut |o| {
                uses += usize::from(o.value() == Some(number));
            });
        }
    }
    (uses == 0 && switches.next().is_none()).then_some(cases)
}

/// What functions that read the numbers of the threads compare them with. `None`: one does something else with them.
fn looked_for(program: &Program) -> Option<BTreeSet<u128>> {
    let mut found = BTreeSet::new();
    for function in program.functions.iter() {
        if !OTHERS.iter().any(|name| function.name.starts_with(name)) {
            compared(function, &mut found)?;
        }
    }
    Some(found)
}

fn compared(function: &Function, found: &mut BTreeSet<u128>) -> Option<()> {
    let constant = |o: &Operand| match o {
        Operand::Const(Const::Int { value, .. }) => Some(*value),
        _ => None,
    };
    let mut numbers: BTreeSet<ValueId> = BTreeSet::new();
    let is = |numbers: &BTreeSet<ValueId>, o: &Operand| {
        let value = o.value();
        value.is_some_and(|v| numbers.contains(&v))
    };
    for block in function.blocks.iter() {
        for instr in &block.instrs {
            let mut used = false;
            operands(&instr.op, &mut |o| used |= is(&numbers, o));
            match &instr.op {
                Op::Primitive {
                    primitive: Primitive::Pair,
                    args,
                } => {
                    let place = args.first().and_then(constant);
                    if place.is_none_or(|p| THREADS.contains(&(p as usize))) {
                        numbers.extend(instr.result);
                    }
                }
                // Of further threads: one less.
                Op::Bin { .. } if used => numbers.extend(instr.result),
                Op::Icmp { lhs, rhs, .. } if used => {
                    found.insert(constant(lhs).or(constant(rhs))?);
                }
                _ if used => return None,
                _ => {}
            }
        }
        let handed_on = match &block.term {
            Terminator::Switch { value, .. } => is(&numbers, value),
            Terminator::Return(Some(value)) => is(&numbers, value),
            _ => false,
        };
        if handed_on {
            return None;
        }
    }
    Some(())
}
