//! Objects that the running thread has just made, for proofs: nobody else accesses one, and who initialises its lock takes that away from
//! nobody.
//!
//! Escape analysis within functions, flow-sensitive where the object is made ([`super::fresh`]). Unlike there, a value counts only if it
//! comes from one allocation and nothing else, through address computations, choices with null, functions that return what they have
//! made and have shown to nobody, and parameters of helpers. What it misses (takes for published): objects that went through memory, and
//! functions that are analysed once for all their callers.

use rustc_hash::{FxHashMap, FxHashSet};

use super::fresh::{Fate, Fresh, instr_at, pointer_of};
use super::points_to::{Place, PointsTo};
use crate::index::{BlockId, FuncId, ValueId};
use crate::program::{Callee, Const, Function, Op, Operand, Primitive, Program, Terminator};

/// Calls that a pointer is followed through.
const MAX_CALLS: usize = 16;

/// What is known of the objects that functions make.
pub(super) struct Unpublished<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    fresh: Fresh<'p>,
    /// Which functions return nothing but null and what they have made and shown to nobody.
    makers: FxHashMap<FuncId, Option<Maker>>,
}

/// A function that returns a new object.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Maker {
    /// Whether the object may hold its own address.
    in_itself: bool,
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

    /// Whether what the instruction there reads (`write`: writes, or releases) is an object that nobody else can reach yet.
    pub fn is_there(&mut self, mut at: Place, write: bool) -> bool {
        let Some(mut pointer) = pointer_of(instr_at(self.program, self.points_to, at), write)
        else {
            return false;
        };
        // The functions that it has been given to.
        let mut given_to: Vec<(FuncId, usize)> = Vec::new();
        for _ in 0..MAX_CALLS {
            let instance = &self.points_to.instances()[at.instance];
            let f = instance.function;
            let function = &self.program.functions[f];
            let mut chosen = Vec::new();
            match self.source(f, pointer, &mut chosen) {
                Some(Source::Made(value)) => {
                    let Some((block, index)) = self.points_to.definitions().place(f, value) else {
                        return false;
                    };
                    let made = Place {
                        instance: at.instance,
                        block,
                        index,
                    };
                    let born = self.born_in_itself(f, value);
                    let leads = self.fresh.leads(function, value, born);
                    let mut given_to = given_to.into_iter();
                    if given_to.any(|(f, n)| self.fresh.fate(f, n, leads.in_itself) == Fate::Shown)
                    {
                        return false;
                    }
                    let older = chosen.iter().any(|b| is_older(function, *b, made, at));
                    let published = match older {
                        true => self.fresh.published(function, &leads, None),
                        false => self.fresh.published(function, &leads, Some(made)),
                    };
                    let within = |(b, from, to): &(_, u32, u32)| {
                        *b == at.block && *from <= at.index && at.index < *to
                    };
                    return !published.iter().any(within);
                }
                Some(Source::Given(n)) => {
                    given_to.push((f, n));
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

    /// Where all of a value of a function comes from; `None`: from several places, or from memory. `chosen`: the blocks where it is chosen among
    /// several values.
    fn source(&mut self, f: FuncId, value: &Operand, chosen: &mut Vec<BlockId>) -> Option<Source> {
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
                            chosen.push(block);
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
                        } if self.maker(*g).is_some() => Source::Made(v),
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

    /// Whether what a value is, when it has just been made, may hold its own address.
    fn born_in_itself(&mut self, f: FuncId, value: ValueId) -> bool {
        let Some((block, n)) = self.points_to.definitions().place(f, value) else {
            return true;
        };
        match &self.program.functions[f].blocks[block].instrs[n as usize].op {
            Op::Call {
                callee: Callee::Direct(g),
                ..
            } => self.maker(*g).is_none_or(|m| m.in_itself),
            _ => false,
        }
    }

    fn maker(&mut self, f: FuncId) -> Option<Maker> {
        if let Some(known) = self.makers.get(&f) {
            return *known;
        }
        // Until it is known, and where functions call each other.
        self.makers.insert(f, None);
        let function = &self.program.functions[f];
        let maker = match function.is_defined() {
            true => self.makes(f, function),
            false => None,
        };
        self.makers.insert(f, maker);
        maker
    }

    fn makes(&mut self, f: FuncId, function: &Function) -> Option<Maker> {
        let mut found: Option<Maker> = None;
        for block in function.blocks.iter() {
            let Terminator::Return(value) = &block.term else {
                continue;
            };
            let value = match value {
                None => return None,
                Some(Operand::Const(Const::Null)) => continue,
                Some(value) => value,
            };
            let Some(Source::Made(made)) = self.source(f, value, &mut Vec::new()) else {
                return None;
            };
            let born = self.born_in_itself(f, made);
            let leads = self.fresh.leads(function, made, born);
            // Lets others know what it has made, but for its result.
            let mut all = function.blocks.iter().flat_map(|b| &b.instrs);
            if all.any(|instr| self.fresh.publishes(instr, &leads)) {
                return None;
            }
            let known = found.is_some_and(|m| m.in_itself);
            found = Some(Maker {
                in_itself: known || leads.in_itself,
            });
        }
        found
    }
}

/// Whether what is chosen at the beginning of a block may, at its use, be an object of an earlier round, which may have been shown since: the
/// function makes a new one on a way from there to the use.
fn is_older(function: &Function, chosen: BlockId, made: Place, used: Place) -> bool {
    let reaches = |from: BlockId, to: BlockId| {
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut work = function.blocks[from].term.successors();
        while let Some(block) = work.pop() {
            if block == chosen || !seen.insert(block) {
                continue;
            }
            if block == to {
                return true;
            }
            work.extend(function.blocks[block].term.successors());
        }
        false
    };
    let made_again = made.block == chosen || reaches(chosen, made.block);
    let directly = used.block == made.block && used.index > made.index;
    made_again && (directly || reaches(made.block, used.block))
}
