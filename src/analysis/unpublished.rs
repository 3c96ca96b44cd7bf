//! Objects that the running thread has just made, for proofs: nobody else accesses one, and who initialises its lock takes that away from
//! nobody.
//!
//! Escape analysis within functions, flow-sensitive where the object is made ([`super::fresh`]). Unlike there, a value counts only if it
//! comes from one allocation and nothing else, through address computations, choices with null, functions that return what they have
//! made and have shown to nobody, and parameters of helpers. What it misses (takes for published): objects that went through memory, and
//! functions that are analysed once for all their callers.

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::fresh::{Fresh, derived, instr_at, pointer_of};
use super::points_to::{Place, PointsTo};
use crate::index::{FuncId, ValueId};
use crate::program::{Callee, Const, Function, Op, Operand, Primitive, Program, Terminator};

/// Calls that a pointer is followed through.
const MAX_CALLS: usize = 16;

/// What is known of the objects that functions make.
pub(super) struct Unpublished<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    fresh: Fresh<'p>,
    /// Whether a function returns nothing but null and what it has made and shown to nobody.
    makers: FxHashMap<FuncId, bool>,
}

/// Where all of a value comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// An instruction that makes an object.
    Made(ValueId),
    /// A parameter.
    Given(usize),
}

impl<'p> Unpublished<'p> {
    pub fn new(program: &'p Program, points_to: &'p PointsTo) -> Unpublished<'p> {
        Unpublished {
            program,
            points_to,
            fresh: Fresh::new(program, points_to),
            makers: FxHashMap::default(),
        }
    }

    /// Whether the instruction there is about an object that nobody else can reach yet.
    pub fn is_there(&mut self, mut at: Place) -> bool {
        let Some(mut pointer) = pointer_of(instr_at(self.program, self.points_to, at), true) else {
            return false;
        };
        for _ in 0..MAX_CALLS {
            let instance = &self.points_to.instances()[at.instance];
            let f = instance.function;
            let function = &self.program.functions[f];
            match self.source(f, pointer) {
                Some(Source::Made(value)) => {
                    let Some((block, index)) = self.points_to.definitions().place(f, value) else {
                        return false;
                    };
                    let made = Place {
                        instance: at.instance,
                        block,
                        index,
                    };
                    let values = derived(function, value);
                    let published = self.fresh.published(function, &values, made);
                    let within = |(b, from, to): &(_, u32, u32)| {
                        *b == at.block && *from <= at.index && at.index < *to
                    };
                    return !published.iter().any(within);
                }
                Some(Source::Given(n)) if !self.fresh.escapes(f, n) => {
                    let Some(site) = instance.site else {
                        return false;
                    };
                    let Op::Call { args, .. } = &instr_at(self.program, self.points_to, site).op
                    else {
                        return false;
                    };
                    let Some(argument) = args.get(n) else {
                        return false;
                    };
                    (pointer, at) = (argument, site);
                }
                _ => return false,
            }
        }
        false
    }

    /// Where all of a value of a function comes from; `None`: from several places, or from memory.
    fn source(&mut self, f: FuncId, value: &Operand) -> Option<Source> {
        let function = &self.program.functions[f];
        let mut work: Vec<&Operand> = vec![value];
        let mut seen: FxHashSet<ValueId> = FxHashSet::default();
        let mut found: Option<Source> = None;
        while let Some(operand) = work.pop() {
            let v = match operand {
                Operand::Const(Const::Null | Const::Undef(_)) => continue,
                Operand::Const(_) => return None,
                Operand::Value(v) => *v,
            };
            if !seen.insert(v) {
                continue;
            }
            let source = match function.params.iter().position(|p| *p == v) {
                Some(n) => Source::Given(n),
                None => {
                    let (block, n) = self.points_to.definitions().place(f, v)?;
                    match &function.blocks[block].instrs[n as usize].op {
                        Op::Gep { base, .. } => {
                            work.push(base);
                            continue;
                        }
                        Op::Cast { value, .. } => {
                            work.push(value);
                            continue;
                        }
                        Op::Select {
                            if_true, if_false, ..
                        } => {
                            work.extend([if_true, if_false]);
                            continue;
                        }
                        Op::Phi(incoming) => {
                            work.extend(incoming.iter().map(|(_, o)| o));
                            continue;
                        }
                        Op::Primitive {
                            primitive: Primitive::Alloc,
                            ..
                        } => Source::Made(v),
                        Op::Call {
                            callee: Callee::Direct(g),
                            ..
                        } if self.is_maker(*g) => Source::Made(v),
                        _ => return None,
                    }
                }
            };
            if found.is_some_and(|known| known != source) {
                return None;
            }
            found = Some(source);
        }
        found
    }

    fn is_maker(&mut self, f: FuncId) -> bool {
        if let Some(known) = self.makers.get(&f) {
            return *known;
        }
        // Until it is known, and where functions call each other.
        self.makers.insert(f, false);
        let function = &self.program.functions[f];
        let makes = function.is_defined() && self.makes(f, function);
        self.makers.insert(f, makes);
        makes
    }

    fn makes(&mut self, f: FuncId, function: &Function) -> bool {
        let mut any = false;
        for block in function.blocks.iter() {
            let Terminator::Return(value) = &block.term else {
                continue;
            };
            match value {
                None => return false,
                Some(Operand::Const(Const::Null)) => {}
                Some(value) => match self.source(f, value) {
                    Some(Source::Made(made)) if !self.shows(function, made) => any = true,
                    _ => return false,
                },
            }
        }
        any
    }

    /// Whether a function lets others know what it has made, but for its result.
    fn shows(&mut self, function: &Function, made: ValueId) -> bool {
        let values: FixedBitSet = derived(function, made);
        let mut all = function.blocks.iter().flat_map(|b| &b.instrs);
        all.any(|instr| self.fresh.publishes(instr, &values))
    }
}
