//! Which registering and cancelling functions of the environment are about which entry points.

use std::borrow::Cow;
use std::collections::HashSet;

use super::MODULE_EXIT;
use super::exclusions::Uses;
use super::locks::sets_place;
use super::objects::is_called;
use super::types::{Definitions, member_offset, member_place};
use crate::environment::entry::{
    BitsAt, CalledBack, Change, EntryPoint, EntryPoints, FieldCalls, Gated, Kept, LineNumber,
    Named, Phase, Registrar, Start, Target, When,
};
use crate::environment::rules::{Effect, EffectRule, Rules, Shows};
use crate::index::{EntryId, FuncId};
use crate::program::{Callee, Const, Op, Operand, Program};

/// The functions with effects that the input calls, also through fields (`outside`: calls that lead out, each a function named after its
/// field); notes on the entry points what they do to them.
pub fn registrars(
    program: &Program,
    rules: &Rules,
    (uses, outside): (&Uses, &[FieldCalls]),
    entries: &mut EntryPoints,
) -> Vec<Registrar> {
    let led_out: HashSet<&str> = outside
        .iter()
        .flat_map(|c| &c.outside)
        .map(|c| c.place.as_str())
        .collect();
    let mut registrars: Vec<Registrar> = Vec::new();
    for rule in rules.effects().iter().map(|rule| counting(program, rule)) {
        let rule = rule.as_ref();
        let called =
            |f: &&String| is_called(program, f) || rule.model && led_out.contains(f.as_str());
        for function in rule.on.iter().filter(called) {
            let about = concerned(program, rule, uses, entries);
            // What ends nothing, as far as is known, is what it is without the rule.
            if rule.last_if.is_some() && about.is_empty() {
                continue;
            }
            for id in &about {
                entries[*id].changes.push(Change {
                    function: function.clone(),
                    effects: rule.effects.clone(),
                    cite: rule.cite.clone(),
                });
            }
            if rule.model {
                continue;
            }
            let at = match registrars.iter().position(|r| r.function == *function) {
                Some(at) => at,
                None => {
                    registrars.push(Registrar {
                        function: function.clone(),
                        answer: rule.answer,
                        armed: Vec::new(),
                        gated: Vec::new(),
                        unbinds: false,
                        takes_back: false,
                        frees: None,
                        shows: shows(program, rule),
                        keeps: None,
                        within: within(rules, function),
                        switches_power: rules.switches_power(function),
                    });
                    registrars.len() - 1
                }
            };
            registrars[at].unbinds |= rule.unbinds;
            // One that may not be the last may be so after all.
            let takes_back = rule.unbinds || rule.last_if.is_some();
            registrars[at].takes_back |= takes_back;
            registrars[at].frees = registrars[at].frees.or(rule.frees);
            registrars[at].keeps = registrars[at].keeps.or(kept(program, rule));
            if let Some(target) = armed(program, rules, rule, &about, entries) {
                registrars[at].armed.push((target, rule.effects.clone()));
            } else {
                let stops = |e: &Effect| matches!(e, Effect::BlocksNew | Effect::Waits);
                registrars[at].takes_back |= rule.effects.iter().any(stops);
                let gated = gated((program, rules), rule, uses, &about, entries);
                registrars[at].gated.extend(gated);
            }
        }
    }
    nest(program, rules, &registrars, entries);
    registrars
}

/// What takes a lock of the kernel around what a function does, by the rules of locks.
fn within(rules: &Rules, function: &String) -> Option<(String, String)> {
    let mut locks = rules.held().iter().filter_map(|l| l.writers.as_ref());
    let writers = locks.find(|w| w.functions.contains(function))?;
    Some((writers.acquire.clone(), writers.release.clone()))
}

/// The number that a function shows; whether any call lets processes write it.
fn shows(program: &Program, rule: &EffectRule) -> Option<(Shows, bool)> {
    let shows = rule.shows.clone()?;
    let reads =
        |a: &Operand| matches!(a, Operand::Const(Const::Int { value, .. }) if value & 0o222 == 0);
    let written = some_call(program, rule, |args| {
        !args.get(shows.mode).is_some_and(reads)
    });
    Some((shows, written))
}

/// Where in the argument that stands lies by which later calls name the object.
fn named_by(program: &Program, rule: &EffectRule) -> u64 {
    let place = rule.named_by.as_ref().and_then(|p| p.split_once('.'));
    let offset = place.and_then(|(structure, member)| member_offset(program, structure, member));
    offset.unwrap_or(0)
}

/// What a call hands over that the kernel gives back for an object.
fn kept(program: &Program, rule: &EffectRule) -> Option<Kept> {
    let data = rule.keeps?;
    let object = match rule.gives {
        true => Named::Result,
        false => Named::Argument(rule.object?),
    };
    let inside = match rule.keeps_in.as_ref().and_then(|p| p.split_once('.')) {
        Some((structure, field)) => Some(member_offset(program, structure, field)?),
        None => None,
    };
    Some(Kept {
        object,
        data,
        inside,
    })
}

/// What is called back within calls of the input's alone is no thread of its own.
fn nest(program: &Program, rules: &Rules, registrars: &[Registrar], entries: &mut EntryPoints) {
    let alone = |rule: &&EffectRule| {
        let mut unless = rule.nested_unless.iter().flatten();
        rule.nested_unless.is_some() && !unless.any(|f| is_called(program, f))
    };
    let rules: Vec<&EffectRule> = rules.effects().iter().filter(alone).collect();
    for gated in registrars.iter().flat_map(|r| &r.gated) {
        let entry = &mut entries[gated.entry];
        let stands = |place: &String| rules.iter().any(|r| r.calls_back(place));
        let nested = std::iter::once(&entry.via).chain(&entry.also).all(stands);
        let called = gated.called.is_some() || gated.called_at_end.is_some();
        if nested && called && matches!(entry.phase, Phase::Exit | Phase::Steady) {
            entry.phase = Phase::Nested;
        }
    }
}

/// The entry points that a rule is about.
fn concerned(
    program: &Program,
    rule: &EffectRule,
    uses: &Uses,
    entries: &EntryPoints,
) -> Vec<EntryId> {
    let stands = |entry: &EntryPoint| {
        rule.inside.is_empty()
            || holder(program, entry).is_some_and(|g| {
                ancestors(uses, g).iter().chain([&g]).any(|g| {
                    uses.get(g).is_some_and(|used| {
                        used.iter()
                            .any(|u| u.place.as_ref().is_some_and(|p| rule.inside.contains(p)))
                    })
                })
            })
    };
    entries
        .iter_ids()
        .filter(|(_, e)| matches!(e.phase, Phase::Steady | Phase::Exit))
        .filter(|(_, e)| rule.concerns(&e.via) || e.also.iter().any(|p| rule.concerns(p)))
        .filter(|(_, e)| stands(e))
        .map(|(id, _)| id)
        .collect()
}

fn holder(program: &Program, entry: &EntryPoint) -> Option<crate::index::GlobalId> {
    let by = entry.of_files.as_ref().or(entry.registered_by.as_ref())?;
    program.global_named(by)
}

/// The globals that hold the address of a global, directly or not.
fn ancestors(uses: &Uses, global: crate::index::GlobalId) -> Vec<crate::index::GlobalId> {
    let mut seen = HashSet::from([global]);
    let mut work = vec![global];
    let mut found = Vec::new();
    while let Some(at) = work.pop() {
        let owners = uses.get(&at).into_iter().flatten().filter_map(|u| u.owner);
        for owner in owners {
            if seen.insert(owner) {
                found.push(owner);
                work.push(owner);
            }
        }
    }
    found.sort();
    found
}

/// The handlers that a call is about, if the rule is about handlers that are armed.
fn armed(
    program: &Program,
    rules: &Rules,
    rule: &EffectRule,
    about: &[EntryId],
    entries: &EntryPoints,
) -> Option<Target> {
    let start = rule
        .of
        .iter()
        .filter_map(|place| rules.place(place))
        .map(|r| r.start)
        .find(|s| *s != Start::Any)?;
    if let Some(line) = rule.line {
        let number = match rule.vector_of {
            Some(device) => LineNumber::Vector(device, line),
            None => LineNumber::Argument(line),
        };
        return Some(Target::Line(number, rule.object));
    }
    if let Some((structure, field)) = rule.line_in.as_ref().and_then(|p| p.split_once('.')) {
        let line = rule.object.zip(member_offset(program, structure, field));
        return line.map(|(object, at)| Target::Line(LineNumber::Held(object, at), rule.object));
    }
    if let Some(container) = rule.container {
        let inside = about
            .iter()
            .copied()
            .filter(|id| entries[*id].start == Start::Armed)
            .collect();
        return Some(Target::Contained(container, inside));
    }
    let Some(object) = rule.object else {
        return Some(Target::All(about.to_vec()));
    };
    if rule.effects.contains(&Effect::Starts) {
        let (structure, field) = rule.of.first()?.split_once('.').unwrap_or_default();
        return Some(Target::Arms {
            object,
            function: rule.function,
            holds: member_offset(program, structure, field),
        });
    }
    let threads = rule.of.iter().any(|p| p.starts_with("kthread_create"));
    (start == Start::Armed).then_some(match threads {
        true => Target::Task(object),
        false => Target::Object(object),
    })
}

/// When a call of a function of the rule is about an entry point that is not armed; `alone`: there is no other that it may be about.
/// `None`: nothing tells.
fn when(
    (program, uses): (&Program, &Uses),
    rule: &EffectRule,
    entry: &EntryPoint,
    alone: bool,
) -> Option<When> {
    let registers = rule.effects.contains(&Effect::Starts);
    let globals: Vec<String> = holder(program, entry).map_or(Vec::new(), |g| {
        let all = ancestors(uses, g);
        let named = [g].into_iter().chain(all);
        named
            .map(|g| program.globals[g].name.clone())
            .filter(|n| !n.starts_with("llvm.") && !n.starts_with("__UNIQUE_ID_"))
            .collect()
    });
    Some(match (rule.function, rule.object) {
        (None, None) if !registers && rule.within.is_some() => {
            When::Within(rule.within.unwrap_or_default())
        }
        (Some(argument), _) => When::Function(argument),
        (None, Some(_)) if registers && rule.all => When::Always,
        // Something else sets what names the ops object: a function of the kernel's that the input calls.
        (None, Some(_)) if registers && !names_it(program, rule) => When::Always,
        (None, Some(argument)) if !registers => When::Object(argument, globals),
        (None, Some(argument)) => {
            let offset = |(s, f): (&str, &str)| member_offset(program, s, f);
            let holds = entry
                .via
                .split_once('.')
                .filter(|_| !entry.via.contains('#'))
                .and_then(offset);
            let names = match &rule.names {
                Some(place) => place.split_once('.').and_then(offset),
                None => Some(0),
            };
            match (holds, names) {
                (holds, Some(names)) => When::Registers {
                    argument,
                    globals,
                    names: rule.names.as_ref().map(|_| names),
                    holds,
                },
                // Nothing is known of the layout: whatever is registered.
                (_, None) => When::Always,
            }
        }
        (None, None) if rule.all => When::Always,
        // Without an object there is no telling which of several is meant.
        (None, None) if registers || alone => When::Always,
        (None, None) => return None,
    })
}

/// What a call does to entry points that are not armed.
fn gated(
    (program, rules): (&Program, &Rules),
    rule: &EffectRule,
    uses: &Uses,
    about: &[EntryId],
    entries: &EntryPoints,
) -> Vec<Gated> {
    let registers = rule.effects.contains(&Effect::Starts);
    let alone = is_alone(entries, about);
    let mut gated = Vec::new();
    let unarmed = about.iter().copied();
    for id in unarmed.filter(|id| entries[*id].start == Start::Any) {
        let entry = &entries[id];
        let Some(when) = when((program, uses), rule, entry, alone) else {
            continue;
        };
        let object = match (rule.gives, rule.object) {
            (true, _) => Some(Named::Result),
            (false, Some(n)) => Some(Named::Argument(n)),
            (false, None) => None,
        };
        let managed = rule.is_managed(
            |f| is_called(program, f),
            |place, by| moved(program, place, by),
        );
        gated.push(Gated {
            entry: id,
            effects: rule.effects.clone(),
            when,
            only_if_null: rule.only_if_null,
            object,
            within: rule.within.filter(|_| registers),
            member: named_by(program, rule),
            managed,
            as_made: managed && rule.is_managed_as_made(),
            called_at_end: (managed && !entry.another)
                .then(|| called_at_end((program, rules, entries), entry))
                .flatten(),
            called: called((program, rules, entries), rule, entry, || {
                exit_goes_on(program, rules, entries)
            })
            .filter(|back| some_call_does(program, rule, *back)),
        });
    }
    gated
}

/// Whether a call calls an entry point that it is about before it returns: as the rule says; who unbinds the driver, what removes its
/// device, where module exit goes on after that.
fn called(
    known: (&Program, &Rules, &EntryPoints),
    rule: &EffectRule,
    entry: &EntryPoint,
    exit_goes_on: impl FnOnce() -> bool,
) -> Option<CalledBack> {
    // Once, for the one that it is about.
    if entry.another {
        return None;
    }
    if calls_back(known, rule, entry) {
        return Some(called_by(known.0, rule));
    }
    let unbinds = rule.unbinds
        && rule.effects.contains(&Effect::BlocksNew)
        && entry.removes_device()
        && exit_goes_on();
    unbinds.then_some(CalledBack {
        only_if: None,
        locked: true,
        only_with: None,
    })
}

/// Whether any call of the input's calls back: where it depends on an argument, that is not 0 in all of them.
fn some_call_does(program: &Program, rule: &EffectRule, back: CalledBack) -> bool {
    let never = |a: &Operand| matches!(a, Operand::Const(Const::Int { value: 0, .. }));
    let Some(n) = back.only_if else { return true };
    some_call(program, rule, |args| !args.get(n).is_some_and(never))
}

/// The rule, or one that says of no effect: where an argument has to be null for what it says and no call of the input's gives null; where
/// nothing tells which of several calls is the last; where the input calls what makes nothing known of it.
fn counting<'r>(program: &Program, rule: &'r EffectRule) -> Cow<'r, EffectRule> {
    let null = |a: &Operand| matches!(a, Operand::Const(Const::Null));
    let counts = |n| some_call(program, rule, |args| args.get(n).is_some_and(null));
    let unknown = rule.unless.iter().any(|f| is_called(program, f));
    let last = rule.is_last(|f| is_called(program, f));
    match rule.only_if_null.is_none_or(counts) && last && !unknown {
        true => Cow::Borrowed(rule),
        false => Cow::Owned(EffectRule {
            effects: Vec::new(),
            calls_back: Vec::new(),
            ..rule.clone()
        }),
    }
}

/// Whether any direct call of a function of the rule is like that.
fn some_call(program: &Program, rule: &EffectRule, is: impl Fn(&[Operand]) -> bool) -> bool {
    let functions = program.functions.iter();
    let mut instrs = functions.flat_map(|f| f.blocks.iter().flat_map(|b| &b.instrs));
    instrs.any(|instr| match &instr.op {
        Op::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } => rule.on.contains(&program.functions[*callee].name) && is(args),
        _ => false,
    })
}

/// Whether a rule says that the call calls an entry point. What ends something is left out where nothing tells whether that has begun: of one
/// of several objects.
fn calls_back(
    (program, rules, entries): (&Program, &Rules, &EntryPoints),
    rule: &EffectRule,
    entry: &EntryPoint,
) -> bool {
    let places = || std::iter::once(&entry.via).chain(&entry.also);
    let begins = |e: &EntryPoint| {
        e.registered_by == entry.registered_by && e.until.contains(&entry.function)
    };
    let mut later = rule.nested_unless.iter().flatten();
    places().any(|place| rule.calls_back(place))
        && !later.any(|f| is_called(program, f))
        && (entry.ends_unseen
            || !places().any(|place| rules.ends_something(place))
            || entries.iter().any(begins))
}

/// How devres calls an entry point that it ends: it does what the function does that ends it otherwise.
fn called_at_end(
    (program, rules, entries): (&Program, &Rules, &EntryPoints),
    entry: &EntryPoint,
) -> Option<CalledBack> {
    let ends = |rule: &&EffectRule| {
        !rule.effects.contains(&Effect::Starts)
            && calls_back((program, rules, entries), rule, entry)
    };
    let found = rules.effects().iter().find(ends);
    found.map(|rule| called_by(program, rule))
}

/// How the call of a rule calls back what it does.
fn called_by(program: &Program, rule: &EffectRule) -> CalledBack {
    let only_with = rule.calls_back_if_bits.iter().find_map(|(member, bits)| {
        let (structure, path) = member.split_once('.')?;
        let (offset, bytes) = member_place(program, structure, path)?;
        Some(BitsAt {
            offset,
            bytes,
            bits: *bits,
        })
    });
    CalledBack {
        only_if: rule.calls_back_if,
        locked: !rule.calls_back_unlocked,
        only_with,
    }
}

/// Whether module exit does anything but take drivers back: what it does may come after their devices are removed.
fn exit_goes_on(program: &Program, rules: &Rules, entries: &EntryPoints) -> bool {
    let unbinding: HashSet<&String> = rules
        .effects()
        .iter()
        .filter(|rule| rule.unbinds)
        .flat_map(|rule| &rule.on)
        .collect();
    let exits = entries.iter().filter(|e| e.via == MODULE_EXIT);
    let mut work: Vec<FuncId> = exits
        .filter_map(|e| program.function_named(&e.function))
        .collect();
    let mut seen: HashSet<FuncId> = work.iter().copied().collect();
    while let Some(f) = work.pop() {
        for instr in program.functions[f].blocks.iter().flat_map(|b| &b.instrs) {
            match &instr.op {
                Op::Call {
                    callee: Callee::Direct(callee),
                    ..
                } => {
                    let function = &program.functions[*callee];
                    if unbinding.contains(&function.name) {
                        continue;
                    }
                    if !function.is_defined() {
                        return true;
                    }
                    if seen.insert(*callee) {
                        work.push(*callee);
                    }
                }
                Op::Call { .. } | Op::Store { .. } => return true,
                _ => {}
            }
        }
    }
    false
}

/// Whether a function of the input that calls one of those functions puts another pointer into that place than it hands to them first.
fn moved(program: &Program, place: &str, by: &[String]) -> bool {
    let member = place.rsplit('.').next().unwrap_or(place);
    let own = program
        .functions
        .iter()
        .filter(|f| f.is_defined() && !f.is_model);
    own.into_iter().any(|f| {
        let definitions = Definitions::new(f);
        let given: Vec<_> = definitions
            .instructions()
            .filter_map(|i| match &i.op {
                Op::Call {
                    callee: Callee::Direct(callee),
                    args,
                    ..
                } if by.contains(&program.functions[*callee].name) => {
                    args.first().map(|a| definitions.within(a))
                }
                _ => None,
            })
            .collect();
        !given.is_empty()
            && definitions.instructions().any(|i| match &i.op {
                Op::Store { ptr, value, .. } => {
                    let there = definitions.place(program, ptr);
                    there.is_some_and(|p| p.field == member)
                        && !given.contains(&definitions.within(value))
                }
                _ => false,
            })
    })
}

/// Whether the input itself sets what names the ops object, where the rule says what does.
fn names_it(program: &Program, rule: &EffectRule) -> bool {
    let mut named = rule.names.iter();
    named.all(|place| sets_place(program, place, false))
}

/// Whether one object registers them all.
pub(super) fn is_alone(entries: &EntryPoints, about: &[EntryId]) -> bool {
    let by: HashSet<_> = about
        .iter()
        .map(|id| match &entries[*id].registered_by {
            Some(by) if !entries[*id].via.contains('#') => by,
            _ => &entries[*id].function,
        })
        .collect();
    by.len() == 1
}
