//! What a call may do, with all that it calls: whether it has to be followed.

use rustc_hash::FxHashMap;

use crate::program::{Op, Primitive};

use super::super::points_to::{Access, InstanceId, Place, Space};
use super::super::threads::closure;
use super::cells::Touch;
use super::explore::Input;

/// Larger functions are followed only if they matter to other threads.
const SMALL: usize = 80;

/// A call, with all that it calls.
pub struct Closure {
    /// Whether other threads may notice it, or it them.
    pub matters: bool,
    /// Whether it is short enough to be followed anyway.
    pub small: bool,
    /// What it may write.
    pub writes: Vec<Touch>,
}

/// Closures, and where calls and thread starts lead.
pub struct Closures<'a> {
    input: &'a Input<'a>,
    callees: FxHashMap<Place, Vec<InstanceId>>,
    starts: FxHashMap<Place, Vec<InstanceId>>,
    known: FxHashMap<InstanceId, Closure>,
    sections: FxHashMap<Place, bool>,
    asked: FxHashMap<Place, Vec<u32>>,
}

impl<'a> Closures<'a> {
    pub fn new(input: &'a Input<'a>) -> Closures<'a> {
        let mut callees: FxHashMap<Place, Vec<InstanceId>> = FxHashMap::default();
        let mut starts: FxHashMap<Place, Vec<InstanceId>> = FxHashMap::default();
        for instance in input.points_to.instances().iter() {
            for (place, callee) in &instance.calls {
                callees.entry(*place).or_default().push(*callee);
            }
            for (place, start) in &instance.starts {
                starts.entry(*place).or_default().push(*start);
            }
        }
        let mut asked: FxHashMap<Place, Vec<u32>> = FxHashMap::default();
        for (id, n) in input.asked {
            let place = input.points_to.instances()[*id].accesses[*n as usize].place;
            asked.entry(place).or_default().push(*n);
        }
        let mut closures = Closures {
            input,
            callees,
            starts,
            known: FxHashMap::default(),
            sections: FxHashMap::default(),
            asked,
        };
        for section in &input.points_to.sections().all {
            let matters = section.accesses.iter().any(|(id, n)| {
                let access = &input.points_to.instances()[*id].accesses[*n as usize];
                input.asked.contains(&(*id, *n)) || closures.tracked(*id, access)
            });
            closures.sections.insert(section.place, matters);
        }
        closures
    }

    /// Whether an access may be one of a tracked cell.
    fn tracked(&self, id: InstanceId, access: &Access) -> bool {
        let Input {
            program, points_to, ..
        } = self.input;
        match access.space {
            Space::Ghost(_) => true,
            Space::Life => false,
            Space::Memory => {
                let model = program.functions[points_to.instances()[id].function].is_model;
                (self.input.memory || model)
                    && points_to.reached(access).iter().any(|a| {
                        use crate::index::Idx;
                        self.input.single.contains(a.object.index())
                    })
            }
        }
    }

    /// The instances that a call leads to.
    pub fn callees(&self, place: Place) -> &[InstanceId] {
        self.callees.get(&place).map_or(&[], Vec::as_slice)
    }

    /// The instances that threads started there start in.
    pub fn starts(&self, place: Place) -> &[InstanceId] {
        self.starts.get(&place).map_or(&[], Vec::as_slice)
    }

    /// The accesses asked for at a place, by their numbers in the instance.
    pub fn asked(&self, place: Place) -> &[u32] {
        self.asked.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Whether the atomic section that begins there has to do with other threads.
    pub fn section_matters(&self, place: Place) -> bool {
        self.sections.get(&place).copied().unwrap_or(true)
    }

    /// The closure of a call.
    pub fn of(&mut self, id: InstanceId) -> &Closure {
        if !self.known.contains_key(&id) {
            let made = self.make(id);
            self.known.insert(id, made);
        }
        &self.known[&id]
    }

    fn make(&self, id: InstanceId) -> Closure {
        use crate::index::Idx;
        let Input {
            program, points_to, ..
        } = self.input;
        let mut out = Closure {
            matters: false,
            small: true,
            writes: Vec::new(),
        };
        let mut size = 0;
        for n in closure(points_to, vec![id]).ones() {
            let id = InstanceId::new(n);
            let instance = &points_to.instances()[id];
            for block in program.functions[instance.function].blocks.iter() {
                size += block.instrs.len();
                for instr in &block.instrs {
                    if let Op::Primitive { primitive, .. } = &instr.op {
                        out.matters |= matters(*primitive);
                    }
                }
            }
            for (place, callee) in &instance.calls {
                if program.functions[points_to.instances()[*callee].function].outside {
                    out.writes.extend(self.given(*place));
                }
            }
            for (k, access) in instance.accesses.iter().enumerate() {
                out.matters |= self.input.asked.contains(&(id, k as u32));
                out.matters |= self.tracked(id, access);
                if !access.write || access.space == Space::Life {
                    continue;
                }
                for address in points_to.reached(access) {
                    out.writes.push(Touch {
                        address,
                        bytes: (access.space == Space::Memory).then_some(access.len),
                        key: match access.space {
                            Space::Ghost(key) => key,
                            _ => None,
                        },
                    });
                }
            }
        }
        out.writes.sort_unstable();
        out.writes.dedup();
        out.small = size <= SMALL;
        out
    }

    /// The objects that a call is given, to be written into.
    fn given(&self, place: Place) -> Vec<Touch> {
        let Input {
            program, points_to, ..
        } = self.input;
        let function = &program.functions[points_to.instances()[place.instance].function];
        let instr = function.blocks[place.block]
            .instrs
            .get(place.index as usize);
        let Some(Op::Call { args, .. }) = instr.map(|i| &i.op) else {
            return Vec::new();
        };
        let all = args
            .iter()
            .flat_map(|a| points_to.targets_in(place.instance, a));
        all.map(|a| Touch::all_of(a.object)).collect()
    }
}

/// Whether other threads may notice a primitive, or it them.
fn matters(p: Primitive) -> bool {
    use Primitive as P;
    match p {
        P::Assume
        | P::AtomicBegin
        | P::AtomicEnd
        | P::Async
        | P::GhostGet
        | P::GhostSet
        | P::Stop
        | P::Unsupported
        | P::Gap
        | P::Bug
        | P::SelfId => true,
        P::Nondet(_)
        | P::NondetPtr
        | P::Assert
        | P::Check
        | P::Alloc
        | P::Free
        | P::Leave
        | P::Lazy
        | P::Havoc
        | P::Touch
        | P::Exceeded
        | P::Pair
        | P::Choice
        | P::SiteEnabled
        | P::CheckEnabled
        | P::Watched
        | P::WatchedBits
        | P::TsMax
        | P::PlainRaise
        | P::Snapshot
        | P::Rollback
        | P::Fail
        | P::Note
        | P::Overlap
        | P::Contexts
        | P::Copy
        | P::Consistent => false,
    }
}
