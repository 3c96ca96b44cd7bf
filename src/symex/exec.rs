//! The executor: functions, blocks, joins, calls.
//!
//! States are merged, not enumerated: block instances (see [`super::cfg`]) are taken in an order in which every join
//! is met after all that flows into it, and what meets there becomes one state. A sequentialized program returns early
//! from everywhere; merging keeps that linear. States that differ in whether `raise` is set stay apart at returns,
//! since they part again at once.
//!
//! Loops are unrolled up to a bound, calls are entered on demand up to a recursion bound; what the bounds cut is
//! recorded with its path condition. The modes: merging, one path at a time (the differential test of merging), and
//! concrete (a model of the first run decides everything: how traces are read back).

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::behind::After;
use super::cfg::{Cfg, Instance, LoopEntry};
use super::ends::{End, EndKind, Failure};
use super::guard::Guard;
use super::guesses::Guesses;
use super::journal::Journal;
use super::lanes::Level;
use super::memory::Memory;
use super::model::Model;
use super::modular::Stored;
use super::objects::{ObjectId, Objects};
use super::slice::{Quiet, Slicing};
use super::state::{Exit, Flow, Frame, Locals, State, Value};
use crate::config::Rounds;
use crate::deadline::{Deadline, Stopped};
use crate::expr::{ArrayTerm, Assignment, Term, Terms};
use crate::index::{FuncId, GlobalId, Idx, LocId, SiteId};
use crate::program::{Function, Operand, Program, RuntimeMap, Type};

/// How conditions that are not constant are treated.
#[derive(Clone, Debug)]
pub enum Mode {
    /// Both ways, merged at joins; scheduled threads in lanes.
    Merge,
    /// One way, as the decisions say; unseen decisions are added.
    Path(Decisions),
    /// There are none: a model gives every input its value.
    Concrete(Arc<Model>),
}

/// The decisions of one path, in order.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// Taken (`true`: the condition holds), and whether the other way has been tried or is impossible.
    pub taken: Vec<(bool, bool)>,
    /// How many have been used on this run.
    pub used: usize,
}

/// Bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Times that a back edge is taken in one activation.
    pub unwind: u32,
    /// Activations of one function on the stack beyond the first.
    pub recursion: u32,
    /// Activations on the stack in all.
    pub depth: usize,
    /// Instructions executed in all.
    pub instructions: u64,
    /// Terms in the store: what memory a run may take.
    pub terms: usize,
    /// Wall-clock end.
    pub deadline: Deadline,
}

/// The inputs of a check: what the sequential program asks for by primitives.
#[derive(Clone, Debug, Default)]
pub struct CheckInputs {
    /// Entry points of the pair, the scenario, further entry points.
    pub pair: Vec<u32>,
    /// Switch points.
    pub enabled: FixedBitSet,
    /// Sites whose access is checked.
    pub checked: FixedBitSet,
    /// MAX.
    pub ts_max: u32,
    /// Rounds instead of KISS's stack discipline.
    pub rounds: Option<Rounds>,
    /// What is not followed.
    pub slicing: Option<Arc<Slicing>>,
    /// Whether the use of a freed object is a failure (otherwise the thread just dies there).
    pub use_after_free: bool,
    /// What is watched for broken atomicity.
    pub watched: std::sync::Arc<crate::analysis::atomicity::Watched>,
}

/// What a term can be, as far as that is constant.
#[derive(Debug)]
pub struct Leaves {
    /// The constants, each with its condition.
    pub constants: Vec<(Term, u128)>,
    /// When it is none of them.
    pub other: Term,
}

/// A symbolic run over one program.
#[derive(Clone)]
pub struct Executor<'p> {
    pub(super) program: &'p Program,
    /// The term store of this run.
    pub terms: Terms,
    pub(super) objects: Objects,
    pub(super) cfgs: FxHashMap<FuncId, Arc<Result<Cfg, String>>>,
    /// The variable of each dynamic input.
    pub(super) inputs: FxHashMap<u64, Term>,
    /// The array variable of each object whose initial content is one.
    pub(super) array_inputs: FxHashMap<u64, ArrayTerm>,
    /// Lazily chosen pointers: the variable, its object and offset.
    pub(super) lazy_vars: FxHashMap<Term, (ObjectId, u64)>,
    /// Those of them that were read as pointers.
    pub(super) lazy_pointers: FxHashSet<Term>,
    /// Words of lazy objects at an index, as they were initially: the object and the index.
    pub(super) indexed_words: FxHashMap<Term, (ObjectId, Term)>,
    /// The places in each lazy object that were used as pointers, and the objects that they lead to.
    pub(super) bound_places: FxHashMap<ObjectId, Vec<(Term, ObjectId)>>,
    /// The objects of array variables.
    pub(super) array_objects: FxHashMap<ArrayTerm, ObjectId>,
    /// Words that a number was written over in part, each with a variable for it.
    pub(super) mixed_words: FxHashMap<Term, Term>,
    /// Pointers in arrays.
    pub(super) words: FxHashMap<(ArrayTerm, Term), Term>,
    /// Arrays in which a read of one of these elements has too many words to choose from.
    pub(super) crowded: FxHashSet<(ArrayTerm, Option<(u64, i64)>)>,
    pub(super) leaf_sets: FxHashMap<Term, Arc<Leaves>>,
    /// Conditions on inputs that hold in every execution.
    pub axioms: Vec<Term>,
    pub(super) mode: Mode,
    pub(super) limits: Limits,
    pub(super) check: CheckInputs,
    pub(super) frames: Vec<Frame>,
    pub(super) levels: Vec<Level>,
    /// Whether threads take turns: then `schedule()` ends one.
    pub(super) in_rounds: bool,
    /// For a fault alone: the objects that the thread whose turn it is has put on its stack.
    pub(super) stack_made: Vec<ObjectId>,
    /// The number of each call of `schedule()` at which a switch can be made, from 1.
    pub(super) switch_points: FxHashMap<u64, u32>,
    /// Assignments under which scheduled threads have been found able to start.
    pub(super) witnesses: Vec<Assignment>,
    pub(super) journal: Journal,
    pub(super) quiet: Quiet,
    pub(super) guesses: Guesses,
    /// What threads have stored, if they run by themselves.
    pub(super) stored: Stored,
    /// Ends of paths, with their conditions.
    pub ends: Vec<End>,
    /// Failures of the check, with their conditions.
    pub failures: Vec<Failure>,
    /// For each site and thread the conditions under which the thread was about to execute it.
    pub reached: FxHashMap<(SiteId, u32), Vec<Guard>>,
    /// Instructions executed.
    pub instructions: u64,
    /// States merged into others.
    pub merges: u64,
    pub(super) out_of_budget: bool,
    pub(super) stopped: Option<Stopped>,
    /// The visible instruction that is being executed.
    pub(super) site: Option<SiteId>,
    /// Whether a thread has been entered.
    pub(super) runs: bool,
    /// Where the activation at work is.
    pub(super) place: Option<After>,
}

impl<'p> Executor<'p> {
    /// A run over the sequential program; nothing is executed yet.
    pub fn new(
        program: &'p Program,
        mode: Mode,
        limits: Limits,
        check: CheckInputs,
    ) -> Executor<'p> {
        Executor {
            program,
            terms: Terms::new(),
            objects: Objects::new(program.layout.pointer_bytes * 8),
            cfgs: FxHashMap::default(),
            inputs: FxHashMap::default(),
            array_inputs: FxHashMap::default(),
            lazy_vars: FxHashMap::default(),
            lazy_pointers: FxHashSet::default(),
            indexed_words: FxHashMap::default(),
            bound_places: FxHashMap::default(),
            array_objects: FxHashMap::default(),
            mixed_words: FxHashMap::default(),
            words: FxHashMap::default(),
            crowded: FxHashSet::default(),
            leaf_sets: FxHashMap::default(),
            axioms: Vec::new(),
            mode,
            limits,
            check,
            frames: Vec::new(),
            levels: Vec::new(),
            in_rounds: false,
            stack_made: Vec::new(),
            switch_points: FxHashMap::default(),
            witnesses: Vec::new(),
            journal: Journal::default(),
            quiet: Quiet::default(),
            guesses: Guesses::default(),
            stored: Stored::default(),
            ends: Vec::new(),
            failures: Vec::new(),
            reached: FxHashMap::default(),
            instructions: 0,
            merges: 0,
            out_of_budget: false,
            stopped: None,
            site: None,
            runs: false,
            place: None,
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The run time of the program.
    pub(super) fn marks(&self) -> &'p RuntimeMap {
        &self.program.runtime
    }

    /// Whether a budget ended the run before its end.
    pub fn ran_out(&self) -> bool {
        self.out_of_budget
    }

    /// Whether the deadline has passed: the run then goes nowhere, and what it has found of a state is of no use.
    pub(super) fn is_stopped(&mut self) -> bool {
        if self.stopped.is_none() {
            self.stopped = self.limits.deadline.passed();
        }
        self.stopped.is_some()
    }

    /// Whether the deadline was what ended it.
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }

    /// Replaces the inputs of the check: the next run is of another pair.
    pub fn set_check(&mut self, check: CheckInputs) {
        self.quiet = Quiet::default();
        self.check = check;
    }

    /// Changes the mode; returns the old one.
    pub fn set_mode(&mut self, mode: Mode) -> Mode {
        std::mem::replace(&mut self.mode, mode)
    }

    /// The variable of an input, by its name.
    pub fn input_var(&self, name: u64) -> Option<Term> {
        self.inputs.get(&name).copied()
    }

    /// Replaces the bounds.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Runs a function without arguments as thread code: what it schedules runs in lanes, or, if it is the check itself and the
    /// check is one of rounds, in rounds. The name also names the run:
    /// inputs of different runs are different.
    ///
    /// Errors: the function has no body.
    pub fn run(&mut self, id: FuncId, from: State) -> Result<Option<State>, String> {
        let function = &self.program.functions[id];
        let name = function.name.as_str();
        if !function.is_defined() {
            return Err(format!("the program has no function {name}"));
        }
        let checks = [self.marks().main, self.marks().pair_main].contains(&Some(id));
        if checks && self.is_eager() {
            return Ok(self.run_eagerly(name, id, from));
        }
        if let Some(rounds) = self.check.rounds.filter(|_| checks) {
            return Ok(match self.is_modular() {
                true => self.run_modular(id, from, rounds),
                false => self.run_rounds(id, from, rounds),
            });
        }
        let context = hash_of(&(name, "run"));
        let exits = self.run_leveled(id, &[], from, context);
        let mut exits: Vec<State> = exits.into_iter().map(|e| e.state).collect();
        let mut merged = exits.pop();
        while let Some(state) = exits.pop() {
            merged = merged.map(|m| self.merge_states(state, m).0);
        }
        Ok(merged)
    }

    pub(super) fn cfg(&mut self, f: FuncId) -> Arc<Result<Cfg, String>> {
        let program = self.program;
        self.cfgs
            .entry(f)
            .or_insert_with(|| Arc::new(Cfg::new(program, &program.functions[f])))
            .clone()
    }

    /// Merges flows that meet, the latest first: later ones carry the negations of what made the earlier ones leave.
    pub(super) fn merge_flows(&mut self, mut flows: Vec<Flow>) -> Option<Flow> {
        let mut all = flows.pop()?;
        while let Some(flow) = flows.pop() {
            let (state, selector) = self.merge_states(flow.state, all.state);
            let locals = self.merge_locals(selector, &flow.locals, &all.locals);
            all = Flow { state, locals };
        }
        Some(all)
    }

    pub(super) fn merge_locals(&mut self, selector: Term, a: &Locals, b: &Locals) -> Locals {
        a.zip(b, |x, y| self.choose(selector, x, y))
    }

    pub(super) fn choose(&mut self, selector: Term, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Scalar(x), Value::Scalar(y)) => Value::Scalar(self.terms.ite(selector, *x, *y)),
            (Value::Tuple(x), Value::Tuple(y)) => Value::Tuple(
                x.iter()
                    .zip(y.iter())
                    .map(|(x, y)| self.terms.ite(selector, *x, *y))
                    .collect(),
            ),
            // One of the two is of a name that is dead here.
            _ => a.clone(),
        }
    }

    /// Records the end of a path.
    pub(super) fn end(&mut self, guard: &Guard, kind: EndKind, loc: Option<LocId>) {
        let goes_on = match kind.makes_unknown() {
            true => self.goes_on(),
            false => Vec::new(),
        };
        self.ends.push(End {
            kind,
            guard: guard.clone(),
            loc,
            goes_on,
        });
    }

    /// A constant that cannot be expressed was met: whatever rests on its value is not known.
    pub(super) fn refuse_constant(&mut self, what: &str) {
        let kind = EndKind::Unsupported(format!("constant: {what}"));
        if !self.ends.iter().any(|e| e.kind == kind) {
            self.end(&Guard::always(), kind, None);
        }
    }

    pub(super) fn operand(&mut self, flow: &Flow, operand: &Operand) -> Value {
        match operand {
            Operand::Value(id) => match flow.locals.get(*id) {
                Some(v) => v.clone(),
                // Only unreachable uses have no definition before them.
                None => Value::Scalar(self.terms.constant(64, 0)),
            },
            Operand::Const(c) => self.constant(c),
        }
    }

    pub(super) fn pointer_bits(&self) -> u32 {
        self.program.layout.pointer_bytes * 8
    }

    /// Width in bits of a scalar type (0 for void).
    pub(super) fn width_of(&self, ty: &Type) -> u32 {
        ty.bits(self.program.layout.pointer_bytes).unwrap_or(0)
    }

    /// In path mode: which way to go.
    pub(super) fn decide(&mut self, guard: &Guard, cond: Term) -> bool {
        if self.terms.is_true(cond) {
            return true;
        }
        let not = self.terms.not(cond);
        let can = guard.and(&mut self.terms, cond).is_some();
        let can_not = guard.and(&mut self.terms, not).is_some();
        if !can || !can_not {
            return can;
        }
        let Mode::Path(decisions) = &mut self.mode else {
            return true;
        };
        let n = decisions.used;
        decisions.used += 1;
        if n == decisions.taken.len() {
            decisions.taken.push((true, false));
        }
        decisions.taken[n].0
    }

    /// Reads a global of the run time if its value is constant in this state.
    pub(super) fn peek_constant(
        &mut self,
        memory: &Memory,
        global: Option<GlobalId>,
        bytes: u32,
    ) -> Option<u128> {
        let object = self.global_object(global?);
        let value = self.read_at(memory, object, 0, bytes);
        self.terms.as_const(value)
    }
}

/// An activation being executed.
pub(super) struct Activation<'a> {
    pub f: FuncId,
    pub function: &'a Function,
    pub cfg: &'a Cfg,
    pub context: u64,
    pub pending: BTreeMap<Instance, Vec<Flow>>,
    /// For each loop entered, the iterations that count against the bound: it was open whether it goes on, or nothing
    /// new was seen.
    pub decided: FxHashMap<LoopEntry, BTreeSet<Vec<u32>>>,
    /// For each loop entered, what the conditions of its exits have rested on, with the first iteration that showed it.
    pub shown: FxHashMap<LoopEntry, FxHashMap<Vec<Option<Value>>, Vec<u32>>>,
    /// For each loop entered, the iterations in which a counter will end it soon: those do not count.
    pub counted: FxHashMap<LoopEntry, BTreeSet<Vec<u32>>>,
    /// For each loop entered, the path condition when it went round last, and how often it was another than before.
    pub grown: FxHashMap<LoopEntry, (Guard, u32)>,
    pub exits: Vec<Exit>,
}

/// A number that names a thing in every run alike.
pub(super) fn hash_of(parts: &impl Hash) -> u64 {
    #[allow(
        deprecated,
        reason = "a fixed hash: names must be the same in every run"
    )]
    let mut h = std::hash::SipHasher::new();
    parts.hash(&mut h);
    h.finish()
}

/// Names an input of a kind.
pub(super) fn input_name(key: u64, kind: &str) -> u64 {
    hash_of(&(key, kind))
}

/// Names one execution of an instruction.
pub(super) fn instance_key(context: u64, at: &Instance, index: usize) -> u64 {
    hash_of(&(context, at, index))
}

/// Names the activation that a call starts.
pub(super) fn callee_context(context: u64, at: &Instance, index: usize, f: FuncId) -> u64 {
    hash_of(&(context, at, index, f.index(), "call"))
}
