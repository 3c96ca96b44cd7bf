//! Locks that the kernel holds around entry points and that the input may take, too: which they are, and where they lie.
//!
//! A lock that the input never touches needs no object: that two entry points hold it says all. Whether the input touches it is told
//! by its own functions' calls, and by addresses that lie where the lock lies in its struct. Both err on the side of a touch: then the
//! harness takes the lock, and entry points that may give it back meanwhile are not kept apart by its name alone.

use std::collections::{HashMap, HashSet};

use super::lent;
use super::lock_place::address;
use super::objects::is_called;
use super::several::tells_several;
use super::types::{Definitions, Place, global_type, member_offset, place_at};
use crate::environment::entry::{EntryPoint, KernelLock, Phase, Start};
use crate::environment::rules::{Around, LockRule, Rules};
use crate::index::{DebugTypeId, FuncId};
use crate::program::{
    BinOp, Callee, Const, DebugTypeKind, Function, Op, Operand, Program, operands,
};

/// Finds the locks of the entry points, and drops those names of locks that the kernel does not hold around this driver.
pub fn resolve(program: &Program, rules: &Rules, entries: &mut [EntryPoint]) {
    let callable = callable(program, entries);
    for rule in rules.held() {
        if let Some(around) = rule.around.as_ref().filter(|a| !is_around(program, a)) {
            let there = |e: &&mut EntryPoint| around.at.contains(&e.via);
            for entry in entries.iter_mut().filter(there) {
                entry.serialized_by.retain(|l| *l != rule.name);
            }
        }
        let is_held =
            |e: &EntryPoint| e.phase != Phase::Nested && e.serialized_by.contains(&rule.name);
        if !entries.iter().any(is_held) {
            continue;
        }
        let touching = Touching::new(program, rule);
        let absent = rule.optional && touching.functions.is_empty() && !initialised(program, rule);
        let elsewhere = rule.given_back_within
            && entries
                .iter()
                .any(|e| !is_held(e) && touching.reached_from(&e.function, &callable));
        if absent || elsewhere || refuted(program, rule) || !made_once(program, rule, entries) {
            let others =
                !rule.set_up_by.is_empty() && lent::may_be_set_by_others(program, rules, rule);
            for entry in entries.iter_mut().filter(|e| is_held(e)) {
                entry.serialized_by.retain(|l| *l != rule.name);
                // Whether another module has set the lock is not known, nor what it keeps apart.
                entry.known &= !(absent && others);
                entry.context = rule.otherwise.unwrap_or(entry.context);
            }
            continue;
        }
        let sleeps = sleeps(program, rule);
        if sleeps {
            for entry in entries.iter_mut().filter(|e| is_held(e)) {
                entry.context = rule.otherwise.unwrap_or(entry.context);
            }
        }
        let always = !rule.optional || is_always_set(program, rule);
        let unused = !rule.optional && touching.functions.is_empty();
        for entry in entries.iter_mut().filter(|e| is_held(e)) {
            let object = rule.object.as_ref();
            let address = object.map(|o| address(program, o, always, entry));
            let other = rule.elsewhere.contains(&entry.via);
            if unused || other || address == Some(None) {
                entry.spin = entry.spin.max(rule.spin.filter(|_| !sleeps));
                if rule.shared {
                    entry.serialized_by.retain(|l| *l != rule.name);
                }
                continue;
            }
            let address = address.flatten();
            let maybe = address.as_ref().is_some_and(|address| address.maybe);
            let lent = maybe
                && rule.set_up_by.iter().any(|f| is_called(program, f))
                && lent::may_be_set_by_others(program, rules, rule);
            // Where only some objects have one, its name keeps nobody away; what the kernel sets itself (nothing tells who does), all have.
            let some = rule.shared || maybe && !rule.set_up_by.is_empty();
            entry.known &= !lent;
            entry.locks.push(KernelLock {
                name: rule.name.clone(),
                acquire: rule.acquire.clone(),
                release: rule.release.clone(),
                object: address,
                throughout: !some && !touching.reached_from(&entry.function, &callable),
            });
        }
    }
}

/// The functions of the input that touch a lock.
struct Touching<'a> {
    program: &'a Program,
    /// Those that know where it is.
    functions: HashSet<FuncId>,
    /// Those that may give it back.
    releasing: HashSet<FuncId>,
}

impl<'a> Touching<'a> {
    fn new(program: &'a Program, rule: &LockRule) -> Self {
        // Functions that take any lock tell nothing; where the lock lies does.
        let own = rule
            .object
            .as_ref()
            .is_none_or(|o| o.member.is_empty() && o.through.is_none());
        let names = |f: FuncId| {
            let name = &program.functions[f].name;
            own && (*name == rule.acquire || *name == rule.release) || rule.also.contains(name)
        };
        let mut offsets = offsets(program, rule);
        // A lock that lies where its struct does has the address of the struct: who locks what lies there.
        let first = offsets.remove(&0);
        let family = rule.acquire.split("lock").next().unwrap_or_default();
        let locks = |f: FuncId| {
            let name = &program.functions[f].name;
            first && (name.starts_with(family) || *name == rule.release)
        };
        let functions = program
            .functions
            .iter_ids()
            .filter(|(_, f)| {
                let definitions = Definitions::new(f);
                let at_start = |ptr: &Operand| match ptr {
                    Operand::Value(v) => !matches!(
                        definitions.of(*v).map(|i| &i.op),
                        Some(Op::Gep { offset, .. }) if *offset != 0
                    ),
                    Operand::Const(Const::Addr { offset, .. }) => *offset == 0,
                    Operand::Const(_) => false,
                };
                let instrs = f.blocks.iter().flat_map(|b| &b.instrs);
                instrs.into_iter().any(|i| match &i.op {
                    Op::Call {
                        callee: Callee::Direct(callee),
                        ..
                    } if names(*callee) => true,
                    Op::Call {
                        callee: Callee::Direct(callee),
                        args,
                        ..
                    } if locks(*callee) && args.first().is_some_and(at_start) => true,
                    Op::Gep { offset, .. } if offsets.contains(offset) => true,
                    op => {
                        let mut found = false;
                        operands(op, &mut |o| {
                            found |= matches!(o, Operand::Const(Const::Addr { offset, .. }) if offsets.contains(offset));
                        });
                        found
                    }
                })
            })
            .map(|(id, _)| id)
            .collect();
        let mut touching = Touching {
            program,
            releasing: HashSet::new(),
            functions,
        };
        // A mutex of the driver's own is released by any name.
        touching.releasing = match rule.object.as_ref().and_then(|o| o.through.as_deref()) {
            Some("") => touching.callers_of(&rule.release),
            _ => touching.functions.clone(),
        };
        touching
    }

    fn callers_of(&self, name: &str) -> HashSet<FuncId> {
        let calls = |f: &Function| {
            let mut instrs = f.blocks.iter().flat_map(|b| &b.instrs);
            instrs.any(|i| matches!(&i.op, Op::Call { callee: Callee::Direct(g), .. } if self.program.functions[*g].name == name))
        };
        let all = self.program.functions.iter_ids();
        all.filter(|(_, f)| calls(f)).map(|(id, _)| id).collect()
    }

    /// Whether an entry point may get to one that gives the lock back. A call through a pointer may get to what fits it.
    fn reached_from(&self, entry: &str, callable: &[FuncId]) -> bool {
        let program = self.program;
        let Some(start) = program.function_named(entry) else {
            return true;
        };
        let mut seen = HashSet::from([start]);
        let mut work = vec![start];
        while let Some(f) = work.pop() {
            if self.releasing.contains(&f) {
                return true;
            }
            let instrs = program.functions[f].blocks.iter().flat_map(|b| &b.instrs);
            for instr in instrs {
                match &instr.op {
                    Op::Call {
                        callee: Callee::Direct(callee),
                        ..
                    } => work.extend(Some(*callee).filter(|c| seen.insert(*c))),
                    Op::Call {
                        callee: Callee::Indirect(_),
                        args,
                        ..
                    } => {
                        let fits = |g: &FuncId| program.functions[*g].params.len() == args.len();
                        let targets = callable.iter().copied().filter(fits);
                        work.extend(targets.filter(|g| seen.insert(*g)));
                    }
                    _ => {}
                }
            }
        }
        false
    }
}

/// The functions that the input may call through pointers: those whose address stands somewhere, but for handlers that the
/// kernel runs when they are armed (work, timers, interrupts, threads).
fn callable(program: &Program, entries: &[EntryPoint]) -> Vec<FuncId> {
    let mut found = HashSet::new();
    let mut note = |constant: &Const| {
        if let Const::Func { function, .. } = constant {
            found.insert(*function);
        }
    };
    for cell in program.globals.iter().flat_map(|g| g.init.iter().flatten()) {
        note(&cell.value);
    }
    for instr in program
        .functions
        .iter()
        .flat_map(|f| f.blocks.iter())
        .flat_map(|b| &b.instrs)
    {
        operands(&instr.op, &mut |o| {
            if let Operand::Const(constant) = o {
                note(constant);
            }
        });
    }
    let handler = |f: &FuncId| {
        let name = &program.functions[*f].name;
        entries
            .iter()
            .any(|e| e.function == *name && e.start != Start::Any)
    };
    let mut found: Vec<FuncId> = found.into_iter().filter(|f| !handler(f)).collect();
    found.sort_unstable();
    found
}

/// The struct and the member that a lock, or the pointer to it that a driver may set, is.
fn member(rule: &LockRule) -> Option<(&str, &str)> {
    let object = rule.object.as_ref()?;
    let through = object.through.as_deref().and_then(|t| t.split_once('.'));
    Some(through.unwrap_or((object.structure(), &object.member)))
}

/// The distances at which an address of the lock may be computed, 0 where it lies first: from the struct that it is a member of, from one inside, and from
/// those that contain that struct.
fn offsets(program: &Program, rule: &LockRule) -> HashSet<i64> {
    let Some((structure, member)) = member(rule) else {
        return HashSet::new();
    };
    distances(program, structure, member)
}

/// The same for any member.
fn distances(program: &Program, structure: &str, member: &str) -> HashSet<i64> {
    let Some(whole) = member_offset(program, structure, member) else {
        return HashSet::new();
    };
    let outer = member.rsplit_once('.').map(|(outer, _)| outer);
    let inner = outer.and_then(|o| Some(whole - member_offset(program, structure, o)?));
    let mut known = HashMap::new();
    let containing = program
        .debug_types
        .ids()
        .flat_map(|t| embedded(program, t, structure, &mut known));
    let inner = inner.filter(|o| *o != 0);
    let found = containing.map(|at| at + whole).chain(inner);
    found.filter_map(|o| i64::try_from(o).ok()).collect()
}

/// Whether the lock is held around those functions, by what the input sets.
fn is_around(program: &Program, around: &Around) -> bool {
    let known = |place: &String| sets_place(program, place, false);
    let maybe = |place: &String| sets_place(program, place, true);
    let needed = around.only_if_set.is_empty() || around.only_if_set.iter().any(known);
    let mut bits = around.only_if_bits.iter();
    needed
        && bits.all(|(place, bits)| sets_bits(program, place, *bits))
        && !around.unless_set.iter().any(maybe)
}

/// Whether the input sets bits of a field somewhere: `object->field |= BITS`, or a constant that has them.
fn sets_bits(program: &Program, place: &str, bits: u64) -> bool {
    let Some((structure, member)) = place.split_once('.') else {
        return false;
    };
    let bits = u128::from(bits);
    let has =
        |o: &Operand| matches!(o, Operand::Const(Const::Int { value, .. }) if value & bits == bits);
    let mut own = program.functions.iter().filter(|f| !f.is_model);
    own.any(|f| {
        let definitions = Definitions::new(f);
        let mut instrs = f.blocks.iter().flat_map(|b| &b.instrs);
        instrs.any(|i| {
            let Op::Store { ptr, value, .. } = &i.op else {
                return false;
            };
            let or = value.value().and_then(|v| definitions.of(v));
            let sets = match or.map(|i| &i.op) {
                Some(Op::Bin {
                    op: BinOp::Or,
                    lhs,
                    rhs,
                    ..
                }) => has(lhs) || has(rhs),
                _ => has(value),
            };
            let there = |p: Place| p.structure == structure && p.field == member;
            sets && definitions.place(program, ptr).is_some_and(there)
        })
    })
}

/// Whether the input stores something in a field, or begins with something there. `maybe`: also where it stores at such a distance from
/// an address of which the struct is not known.
pub fn sets_place(program: &Program, place: &str, maybe: bool) -> bool {
    let Some((structure, member)) = place.split_once('.') else {
        return false;
    };
    let distances = match maybe {
        true => distances(program, structure, member),
        false => HashSet::new(),
    };
    let stores = |f: &Function| {
        let definitions = Definitions::new(f);
        let mut instrs = f.blocks.iter().flat_map(|b| &b.instrs);
        instrs.any(|i| {
            let Op::Store { ptr, value, .. } = &i.op else {
                return false;
            };
            let there = definitions
                .place(program, ptr)
                .map(|p| p.structure == structure && p.field == member);
            let far = match ptr {
                Operand::Value(v) => matches!(
                    definitions.of(*v).map(|i| &i.op),
                    Some(Op::Gep { offset, .. }) if distances.contains(offset)
                ),
                _ => false,
            };
            !matches!(value, Operand::Const(Const::Null)) && there.unwrap_or(far)
        })
    };
    let mut own = program.functions.iter().filter(|f| !f.is_model);
    own.any(stores) || initialised_at(program, structure, member)
}

/// Where structs of that name lie in a type.
pub(super) fn embedded(
    program: &Program,
    ty: DebugTypeId,
    structure: &str,
    known: &mut HashMap<DebugTypeId, Vec<u64>>,
) -> Vec<u64> {
    if let Some(found) = known.get(&ty) {
        return found.clone();
    }
    known.insert(ty, Vec::new());
    let t = &program.debug_types[ty];
    let found = match &t.kind {
        DebugTypeKind::Struct(_) if t.name == structure => vec![0],
        DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => members
            .iter()
            .filter_map(|m| Some((m.offset, m.ty?)))
            .flat_map(|(at, inner)| {
                let inner = embedded(program, inner, structure, known);
                inner.into_iter().map(move |o| o + at)
            })
            .collect(),
        DebugTypeKind::Array {
            element: Some(element),
            ..
        } => embedded(program, *element, structure, known),
        _ => Vec::new(),
    };
    known.insert(ty, found.clone());
    found
}

/// Whether a global of the input is initialised with something at the lock's place.
fn initialised(program: &Program, rule: &LockRule) -> bool {
    member(rule).is_some_and(|(structure, member)| initialised_at(program, structure, member))
}

/// The same for any member.
fn initialised_at(program: &Program, structure: &str, member: &str) -> bool {
    program.globals.ids().any(|g| {
        let cells = program.globals[g].init.iter().flatten();
        let mut set = cells.filter(|c| matches!(c.value, Const::Addr { .. }));
        global_type(program, g).is_some_and(|ty| {
            set.any(|c| {
                place_at(program, ty, c.offset)
                    .is_some_and(|p| p.structure == structure && p.field == member)
            })
        })
    })
}

/// Whether the input sets the pointer to a lock wherever it hands the object over: as many stores as calls, in the same function. Then
/// there is none without a lock, also where the object comes from outside.
fn is_always_set(program: &Program, rule: &LockRule) -> bool {
    let Some((structure, member)) = member(rule) else {
        return false;
    };
    let mut known = false;
    for function in program.functions.iter().filter(|f| !f.is_model) {
        let definitions = Definitions::new(function);
        let instrs = || function.blocks.iter().flat_map(|b| &b.instrs);
        let handed = instrs().filter(|i| match &i.op {
            Op::Call {
                callee: Callee::Direct(callee),
                ..
            } => rule.set_up_by.contains(&program.functions[*callee].name),
            _ => false,
        });
        let set = instrs().filter(|i| match &i.op {
            Op::Store { ptr, value, .. } => {
                let place = definitions.place(program, ptr);
                !matches!(value, Operand::Const(Const::Null))
                    && place.is_some_and(|p| p.structure == structure && p.field == member)
            }
            _ => false,
        });
        let handed = handed.count();
        if handed > set.count() {
            return false;
        }
        known |= handed > 0;
    }
    known
}

/// Whether the input makes one for each device of what the lock belongs to, where the rule says what makes it.
fn made_once(program: &Program, rule: &LockRule, entries: &[EntryPoint]) -> bool {
    let mut called = rule
        .made_once_by
        .iter()
        .filter(|f| is_called(program, f))
        .peekable();
    let known = rule.made_once_by.is_empty() || called.peek().is_some();
    known && called.all(|f| !tells_several(program, entries, f, 0, false))
}

/// Whether the input says that the kernel does not hold the lock around it.
fn refuted(program: &Program, rule: &LockRule) -> bool {
    let flagged = rule.unless.as_ref();
    let flagged = flagged.is_some_and(|(place, bits)| may_set(program, place, *bits));
    let other = rule.only_if.iter().any(|(place, value)| {
        let Some((function, n)) = place.split_once('#') else {
            return false;
        };
        let n: usize = n.parse().unwrap_or(usize::MAX);
        program
            .functions
            .iter()
            .any(|f| calls_with_another(program, f, function, n, *value))
    });
    let mut fields = rule.only_if_stored.iter();
    flagged || other || fields.any(|(place, value)| !always_stores(program, place, *value))
}

/// Whether it is a lock that sleeps, by what the input sets.
fn sleeps(program: &Program, rule: &LockRule) -> bool {
    let mut fields = rule.sleeps_if_stored.iter();
    fields.any(|place| sets_place(program, place, true))
}

/// Whether the input may set one of those bits in a member (`struct.member`).
pub(super) fn may_set(program: &Program, place: &str, bits: u64) -> bool {
    let field = place.split_once('.');
    let field = field.and_then(|(s, m)| member_offset(program, s, m));
    field.is_some_and(|field| {
        program.functions.iter().any(|f| sets(f, field, bits))
            || initialised_with(program, place, field, bits)
    })
}

/// Whether the input stores that number in a field, and nothing else.
fn always_stores(program: &Program, place: &str, value: u64) -> bool {
    stores_alone(program, place, value) == Some(true)
}

/// Whether all that the input stores in a field is that number; `None`: it stores nothing there.
pub(super) fn stores_alone(program: &Program, place: &str, value: u64) -> Option<bool> {
    let (structure, member) = place.split_once('.')?;
    let mut stored = Vec::new();
    for function in program.functions.iter().filter(|f| !f.is_model) {
        let definitions = Definitions::new(function);
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let Op::Store { ptr, value: v, .. } = &instr.op else {
                continue;
            };
            let place = definitions.place(program, ptr);
            if place.is_some_and(|p| p.structure == structure && p.field == member) {
                stored.push(matches!(v, Operand::Const(Const::Int { value: v, .. }) if *v == u128::from(value)));
            }
        }
    }
    (!stored.is_empty()).then(|| stored.iter().all(|same| *same))
}

/// Whether a global of the struct that `place` names begins with one of those bits at that offset. Bits are numbered as little-endian
/// targets do.
fn initialised_with(program: &Program, place: &str, field: u64, bits: u64) -> bool {
    let structure = place.split('.').next().unwrap_or_default();
    program.globals.iter_ids().any(|(id, global)| {
        let is_of =
            global_type(program, id).is_some_and(|ty| program.debug_types[ty].name == structure);
        is_of
            && global.init.iter().flatten().any(|c| {
                let covers = (c.offset..c.offset + u64::from(c.size)).contains(&field);
                covers
                    && matches!(c.value, Const::Int { value, .. }
                        if (value >> (8 * (field - c.offset))) & u128::from(bits) != 0)
            })
    })
}

/// Whether a function stores a value with one of those bits at that offset of something.
pub fn sets(function: &Function, field: u64, bits: u64) -> bool {
    let definitions = Definitions::new(function);
    let at = |ptr: &Operand| match ptr {
        Operand::Value(v) => matches!(
            definitions.of(*v).map(|i| &i.op),
            Some(Op::Gep { offset, scaled, .. }) if scaled.is_empty() && u64::try_from(*offset) == Ok(field)
        ),
        Operand::Const(Const::Addr { offset, .. }) => u64::try_from(*offset) == Ok(field),
        Operand::Const(_) => false,
    };
    let has = |o: &Operand| matches!(o, Operand::Const(Const::Int { value, .. }) if value & u128::from(bits) != 0);
    let instrs = function.blocks.iter().flat_map(|b| &b.instrs);
    instrs.into_iter().any(|i| match &i.op {
        Op::Store { ptr, value, .. } if at(ptr) => match value {
            Operand::Value(v) => match definitions.of(*v).map(|i| &i.op) {
                Some(Op::Bin {
                    op: BinOp::Or,
                    lhs,
                    rhs,
                    ..
                }) => has(lhs) || has(rhs),
                _ => false,
            },
            constant => has(constant),
        },
        _ => false,
    })
}

/// Whether a function calls another with something else than that constant.
fn calls_with_another(program: &Program, f: &Function, callee: &str, n: usize, value: u64) -> bool {
    let instrs = f.blocks.iter().flat_map(|b| &b.instrs);
    instrs.into_iter().any(|i| match &i.op {
        Op::Call {
            callee: Callee::Direct(g),
            args,
            ..
        } if program.functions[*g].name == callee => !matches!(
            args.get(n),
            Some(Operand::Const(Const::Int { value: v, .. })) if *v == u128::from(value)
        ),
        _ => false,
    })
}
