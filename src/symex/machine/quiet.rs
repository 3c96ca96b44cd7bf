//! Accesses to fields that are not tracked ([`crate::analysis::fields`]), loops and calls that touch nothing else, and which of all
//! these made an execution possible that is none.
//!
//! A read gives an arbitrary value, another each time, whatever the address: an access that would end its thread does not. Of a
//! loop that changes nothing that is tracked one iteration is executed; then it is left by any of its exits, with arbitrary values in place
//! of what it computes. A call that changes nothing comes back at once, with an arbitrary value. All of this only adds executions,
//! and others see of a thread in such a loop what they see where it has gone round once.
//!
//! Calls are inlined on demand so (stratified inlining: Lal, Qadeer, Lahiri: A solver for reachability modulo theories, CAV 2012), but
//! only those that change nothing that is tracked: a summary of one that does would have to say where and what it writes. Of what
//! was executed for four drivers with K = 5, calls that could have been summarised so were 0.03 to 0.8 %.
//!
//! What is found is executed again with everything tracked; where that comes to something else, the first arbitrary value that
//! mattered and was not the real one says what is to be followed next.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::expr::{Support, Term, Terms};
use crate::index::{BlockId, FuncId, Idx, SiteId, ValueId};
use crate::program::{
    Callee, Function, Instr, Op, Operand, Primitive, SiteKind, Terminator, Type, operands,
};
use crate::symex::machine::activation::Activation;
use crate::symex::machine::cfg::Instance;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::{Flow, Locals, State, Value};
use crate::symex::machine::values::hash_of;
use crate::symex::memory::untracked::{KIND, Left, Slicing};

/// A loop that changes nothing that is tracked.
#[derive(Debug)]
pub(in crate::symex) struct QuietLoop {
    /// The values that it computes and that are used behind it.
    results: Vec<(ValueId, u32)>,
    /// The edges that leave it.
    exits: Vec<(BlockId, BlockId)>,
}

/// What is known of functions and loops, and what has been left out so far.
#[derive(Clone, Debug, Default)]
pub(in crate::symex) struct Quiet {
    /// Whether a call changes nothing that is tracked, and whether it accesses what is not; `None` while this is being found out.
    functions: FxHashMap<FuncId, Option<(bool, bool)>>,
    loops: FxHashMap<(FuncId, BlockId), Option<Arc<QuietLoop>>>,
    calls: FxHashMap<FuncId, bool>,
}

/// How a loop is left that changes nothing that is tracked.
pub(in crate::symex) struct Leaving {
    /// The block instances that leave it, and where to.
    exits: Vec<(Instance, BlockId)>,
    /// How many of them have been looked at.
    next: usize,
    /// The values behind it.
    locals: Locals,
    /// The input that says which way is taken.
    way: Term,
    /// None of the ways so far is.
    others: Term,
}

impl Executor<'_> {
    /// A call that changes nothing that is tracked: it has come back. `None`: it is to be executed.
    pub(in crate::symex) fn left_call(&mut self, f: FuncId, context: u64) -> Option<Option<Value>> {
        let slicing = self.check.slicing.clone()?;
        let function = &self.program.functions[f];
        let what = (f, None);
        let width = match function.ret {
            Type::Void => 0,
            Type::Int(bits) => bits,
            _ => return None,
        };
        if slicing.followed.contains(&what) || self.marks().is_own(f) {
            return None;
        }
        let leave = self.quiet_function(f, &slicing) == (true, true);
        self.views.quiet.calls.insert(f, leave);
        if !leave {
            return None;
        }
        if self.writes_journal() {
            self.journal_left(context, Left::Quiet(f, None));
            return None;
        }
        let value = (width > 0).then(|| Value::Scalar(self.input(context, width, KIND)));
        Some(value)
    }

    /// Whether a call changes nothing that is tracked, and whether it accesses what is not.
    fn quiet_function(&mut self, f: FuncId, slicing: &Slicing) -> (bool, bool) {
        match self.views.quiet.functions.get(&f) {
            Some(known) => return known.unwrap_or((false, false)),
            None => self.views.quiet.functions.insert(f, None),
        };
        let function = &self.program.functions[f];
        let mut accesses = false;
        let mut quiet = function.is_defined();
        for block in function.blocks.iter() {
            quiet &= !matches!(block.term, Terminator::Unsupported(_));
            for instr in &block.instrs {
                quiet = quiet && self.quiet_instruction(function, instr, slicing, &mut accesses);
            }
        }
        self.views
            .quiet
            .functions
            .insert(f, Some((quiet, accesses)));
        (quiet, accesses)
    }

    /// Whether an instruction changes nothing that is tracked and is no place where anything is checked or another thread must be able
    /// to run.
    fn quiet_instruction(
        &mut self,
        function: &Function,
        instr: &Instr,
        slicing: &Slicing,
        accesses: &mut bool,
    ) -> bool {
        let untracked = |i: &Instr| {
            let site = i.site;
            site.is_some_and(|s| slicing.untracked.contains(s.index()))
        };
        let own = |ptr: &Operand| {
            let value = ptr.value();
            value.is_some_and(|v| defines_stack(function, v))
        };
        *accesses |= untracked(instr);
        match &instr.op {
            Op::Unsupported(_) => false,
            Op::Store { ptr, .. } => untracked(instr) || own(ptr),
            Op::AtomicRmw { .. } | Op::CmpXchg { .. } | Op::MemCopy { .. } | Op::MemSet { .. } => {
                untracked(instr)
            }
            Op::Primitive { primitive, .. } => match primitive {
                Primitive::Nondet(_) | Primitive::GhostGet | Primitive::Touch => true,
                Primitive::Havoc => untracked(instr),
                _ => false,
            },
            Op::Call {
                callee: Callee::Direct(f),
                args,
                ..
            } => {
                if !self.marks().is_own(*f) {
                    let (quiet, inside) = self.quiet_function(*f, slicing);
                    *accesses |= inside;
                    return quiet;
                }
                let marks = self.marks();
                let point = [marks.point, marks.access, marks.also].contains(&Some(*f));
                let site = match args.last() {
                    Some(Operand::Const(crate::program::Const::Int { value, .. })) => {
                        *value as usize
                    }
                    _ => return false,
                };
                let known = site < self.program.sites.len();
                let back = || self.program.sites[SiteId::new(site)].kind == SiteKind::BackEdge;
                let check = &self.check;
                point
                    && known
                    && !check.checked.contains(site)
                    && (!check.enabled.contains(site) || back())
            }
            Op::Call { .. } => false,
            _ => true,
        }
    }

    /// The loop of that header, if it changes nothing that is tracked.
    fn quiet_loop(&mut self, a: &Activation<'_>, header: BlockId) -> Option<Arc<QuietLoop>> {
        let slicing = self.check.slicing.clone()?;
        if let Some(known) = self.views.quiet.loops.get(&(a.f, header)) {
            return known.clone();
        }
        let found = match slicing.followed.contains(&(a.f, Some(header))) {
            true => None,
            false => self.find_quiet_loop(a, header, &slicing).map(Arc::new),
        };
        self.views.quiet.loops.insert((a.f, header), found.clone());
        found
    }

    fn find_quiet_loop(
        &mut self,
        a: &Activation<'_>,
        header: BlockId,
        slicing: &Slicing,
    ) -> Option<QuietLoop> {
        if self.marks().is_own(a.f) {
            return None;
        }
        let function = a.function;
        let body: Vec<BlockId> = function
            .blocks
            .ids()
            .filter(|b| a.cfg.is_in_loop(*b, header))
            .collect();
        let mut defined = BTreeSet::new();
        let mut exits = Vec::new();
        for b in &body {
            let block = &function.blocks[*b];
            for instr in &block.instrs {
                let stays = match &instr.op {
                    Op::Alloca { .. } => false,
                    // What it writes there is read behind the loop.
                    Op::Store { .. } => instr
                        .site
                        .is_some_and(|s| slicing.untracked.contains(s.index())),
                    _ => true,
                };
                if !stays || !self.quiet_instruction(function, instr, slicing, &mut false) {
                    return None;
                }
                defined.extend(instr.result);
            }
            if matches!(block.term, Terminator::Unsupported(_)) {
                return None;
            }
            if !a.cfg.raises(*b) {
                let out = block
                    .term
                    .successors()
                    .into_iter()
                    .filter(|s| !body.contains(s));
                exits.extend(out.map(|s| (*b, s)));
            }
        }
        exits.sort_unstable();
        exits.dedup();
        // Within the loop the values of another iteration are used by the phis of its header alone.
        let mut used = BTreeSet::new();
        for (b, block) in function.blocks.iter_ids() {
            let mut note = |o: &Operand| used.extend(o.value().filter(|v| defined.contains(v)));
            let outside = !body.contains(&b);
            for instr in block.instrs.iter().filter(|_| outside) {
                operands(&instr.op, &mut note);
            }
            if outside {
                match &block.term {
                    Terminator::Branch { cond: o, .. } | Terminator::Switch { value: o, .. } => {
                        note(o)
                    }
                    Terminator::Return(Some(o)) => note(o),
                    _ => {}
                }
            }
        }
        let mut results = Vec::new();
        for v in used {
            let Type::Int(bits) = function.values[v].ty else {
                return None;
            };
            results.push((v, bits));
        }
        (!exits.is_empty()).then_some(QuietLoop { results, exits })
    }

    /// A loop goes round: if nothing that is tracked changes in it, how it is left instead.
    pub(in crate::symex) fn leaves_loop(
        &mut self,
        a: &Activation<'_>,
        from: &Instance,
        to: BlockId,
        flow: &Flow,
    ) -> Option<Leaving> {
        let (entry, iteration) = a.cfg.back_edge(from, to)?;
        let left = self.quiet_loop(a, to)?;
        let name = |what: u64| hash_of(&(a.context, entry.header.index(), &entry.around, what));
        if self.writes_journal() {
            if iteration.last() == Some(&0) {
                let what = Left::Quiet(a.f, Some(to));
                self.journal_left(name(u64::MAX), what);
                for (v, _) in &left.results {
                    self.journal_left(name(v.index() as u64), what);
                }
            }
            return None;
        }
        let mut locals = flow.locals.clone();
        for (v, bits) in &left.results {
            let value = self.input(name(v.index() as u64), *bits, KIND);
            locals.set(*v, Value::Scalar(value));
        }
        let way = self.input(name(u64::MAX), 8, KIND);
        let exits = left.exits.iter();
        let exits = exits.map(|(out, to)| (a.cfg.in_iteration(*out, &iteration), *to));
        Some(Leaving {
            exits: exits.collect(),
            next: 0,
            locals,
            way,
            others: self.terms.tru(),
        })
    }

    /// Whether a loop counts to something that is not followed: with everything followed it may be a constant.
    pub(in crate::symex) fn counts_to_what_is_not_followed(
        &self,
        a: &Activation<'_>,
        header: BlockId,
        flow: &Flow,
    ) -> bool {
        if self.check.slicing.is_none() || self.writes_journal() {
            return false;
        }
        let deciding = a.cfg.deciding(header);
        let term = |v: &ValueId| match flow.locals.get(*v) {
            Some(Value::Scalar(t)) => Some(*t),
            _ => None,
        };
        let phis = a.function.blocks[header].instrs.iter();
        let mut phis = phis.filter(|i| matches!(i.op, Op::Phi(_)));
        let counts = phis.any(|i| {
            let own = i.result.filter(|v| deciding.contains(v));
            own.and_then(|v| term(&v))
                .is_some_and(|t| self.terms.as_const(t).is_some())
        });
        let terms: Vec<Term> = deciding.iter().filter_map(term).collect();
        counts && {
            let vars = Support::of(&self.terms, &terms).vars;
            vars.iter().any(|v| self.terms.var_name(*v) == KIND)
        }
    }

    /// How many loops and how many functions were left out, of those met.
    pub fn left_out(&self) -> [(u64, u64); 2] {
        let loops = self.views.quiet.loops.values();
        let calls = self.views.quiet.calls.values();
        [
            (
                loops.clone().filter(|l| l.is_some()).count() as u64,
                loops.count() as u64,
            ),
            (
                calls.clone().filter(|c| **c).count() as u64,
                calls.count() as u64,
            ),
        ]
    }
}

/// Whether a value is the address of a stack object of the function.
fn defines_stack(function: &Function, value: ValueId) -> bool {
    let mut all = function.blocks.iter().flat_map(|b| &b.instrs);
    all.any(|i| i.result == Some(value) && matches!(i.op, Op::Alloca { .. }))
}

impl Terms {
    /// The next way out of a loop that is left; `Some(None)`: nobody takes it.
    #[allow(clippy::option_option, reason = "a way that nobody takes is one")]
    pub(in crate::symex) fn way_out(
        &mut self,
        leaving: &mut Leaving,
        state: &State,
    ) -> Option<Option<(Instance, BlockId, Flow)>> {
        let n = leaving.next;
        let (at, to) = leaving.exits.get(n)?.clone();
        leaving.next += 1;
        let this = match leaving.next == leaving.exits.len() {
            true => leaving.others,
            false => {
                let number = self.constant(8, n as u128);
                let this = self.eq(leaving.way, number);
                let not = self.not(this);
                leaving.others = self.and(leaving.others, not);
                this
            }
        };
        let Some(guard) = state.guard.and(self, this) else {
            return Some(None);
        };
        let state = State {
            guard,
            memory: state.memory.clone(),
        };
        let locals = leaving.locals.clone();
        Some(Some((at, to, Flow { state, locals })))
    }
}
