//! Field slicing: the fields of a program, and what need not be followed of them (Lahiri, Qadeer, Rakamarić: Static and precise
//! detection of concurrency errors in systems code using SMT solvers, CAV 2009, §3).
//!
//! A field is a class of memory: what one visible instruction may access is of one field, so ranges of bytes that some
//! instruction does not tell apart are joined. An *untracked* field is neither written nor read: each read gives an arbitrary value.
//! That over-approximates, and no thread needs to be interrupted there.
//!
//! Always tracked is what would cost truth or more than it saves: memory with pointers (an arbitrary pointer leads nowhere
//! known), memory that is also accessed by instructions that are not visible, the models' own (it orders threads). Locks and
//! the ends of objects' lives are ghost state, no fields at all.
//!
//! What it misses: see [`super::points_to`]. Where an access cannot be traced to what it reaches, nothing is sliced.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::index::{FuncId, Idx, SiteId};
use crate::program::{Instr, Op, Program, SiteKind, Type};
use crate::region::is_called;

use super::plan::PairPlan;
use super::points_to::{Access, Address, InstanceId, PointsTo, Space};
use super::regions::Namer;
use super::threads::{closure, starts};

/// Names told of one field.
const NAMES: usize = 8;

/// The number of a field.
pub type FieldId = u32;

/// Bytes of an object: where and how many.
type Range = (Address, u64);

/// A field.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// What it is called, sorted; several where accesses do not tell them apart.
    pub names: BTreeSet<String>,
    /// The instructions that access it.
    pub sites: BTreeSet<SiteId>,
    /// Whether it is always tracked.
    pub kept: bool,
}

/// The fields of a program.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    all: Vec<Field>,
    of_site: FxHashMap<SiteId, FieldId>,
    /// Sections whose begin matters for more than what is accessed in them.
    busy: BTreeSet<SiteId>,
    /// What is accessed in the section that begins there.
    within: BTreeMap<SiteId, BTreeSet<FieldId>>,
    /// What was joined, and where an access made it so.
    joined: BTreeMap<FieldId, SiteId>,
    /// Why there are none.
    gap: Option<String>,
}

/// What is left of a plan where some fields are not tracked.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The accesses that are left out.
    pub untracked: FixedBitSet,
    /// The switch points that stay.
    pub enabled: FixedBitSet,
    /// Fields that the threads access.
    pub fields: usize,
    /// Of these, the ones that are tracked.
    pub tracked: usize,
}

/// Ranges, of which some are known to be of one field.
#[derive(Default)]
struct Classes {
    ranges: Vec<Range>,
    index: FxHashMap<Range, usize>,
    parents: Vec<usize>,
}

impl Classes {
    fn range(&mut self, range: Range) -> usize {
        if let Some(n) = self.index.get(&range) {
            return *n;
        }
        let n = self.ranges.len();
        self.ranges.push(range);
        self.parents.push(n);
        self.index.insert(range, n);
        n
    }

    fn find(&mut self, mut n: usize) -> usize {
        while self.parents[n] != n {
            self.parents[n] = self.parents[self.parents[n]];
            n = self.parents[n];
        }
        n
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }

    /// Joins ranges that overlap.
    fn join_overlapping(&mut self) {
        let mut by_object: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (n, (address, _)) in self.ranges.iter().enumerate() {
            by_object.entry(address.object).or_default().push(n);
        }
        for ranges in by_object.into_values() {
            for (k, a) in ranges.iter().enumerate() {
                for b in &ranges[k + 1..] {
                    let ((x, n), (y, m)) = (self.ranges[*a], self.ranges[*b]);
                    if x.overlaps(n, y, m) {
                        self.join(*a, *b);
                    }
                }
            }
        }
    }
}

/// The bytes that instructions access.
#[derive(Default)]
struct Ranges {
    classes: Classes,
    /// What each instruction accesses.
    by_site: BTreeMap<SiteId, Vec<usize>>,
    /// Those that are always tracked.
    kept: Vec<usize>,
}

impl Ranges {
    /// Adds what an instruction accesses. If it cannot be traced: why.
    fn add(
        &mut self,
        program: &Program,
        points_to: &PointsTo,
        access: &Access,
        instr: &Instr,
    ) -> Result<(), String> {
        let reached = points_to.reached(access);
        if reached.is_empty() && points_to.is_lost(access) {
            let place = program.source.describe(instr.loc);
            return Err(format!(
                "access through a pointer of unknown origin ({place})"
            ));
        }
        for at in reached {
            let len = points_to.length(program, access, at);
            let n = self.classes.range((at, len));
            match instr.site {
                Some(site) => self.by_site.entry(site).or_default().push(n),
                None => self.kept.push(n),
            }
            if !points_to.is_user_visible(at.object)
                || of_pointers(&instr.op)
                || points_to.holds_pointers(at, len)
            {
                self.kept.push(n);
            }
        }
        Ok(())
    }

    /// The fields that they are; those named together in `merged` are one.
    fn fields(mut self, namer: &Namer, merged: &[Vec<String>]) -> Fields {
        for ranges in self.by_site.values() {
            for n in ranges {
                self.classes.join(ranges[0], *n);
            }
        }
        self.classes.join_overlapping();
        let all = self.classes.ranges.iter();
        let called: Vec<String> = all
            .map(|(address, len)| namer.bytes(*address, *len))
            .collect();
        for together in merged {
            let named = |n: &usize| together.iter().any(|name| is_called(&called[*n], name));
            let mut ranges = (0..called.len()).filter(named);
            if let Some(first) = ranges.next() {
                ranges.for_each(|n| self.classes.join(first, n));
            }
        }
        let mut fields = Fields::default();
        let mut ids: FxHashMap<usize, FieldId> = FxHashMap::default();
        for (site, ranges) in &self.by_site {
            for n in ranges {
                let class = self.classes.find(*n);
                let id = *ids.entry(class).or_insert_with(|| {
                    fields.all.push(Field::default());
                    fields.all.len() as FieldId - 1
                });
                fields.of_site.insert(*site, id);
                let field = &mut fields.all[id as usize];
                field.sites.insert(*site);
                field.names.insert(called[*n].clone());
                if called[*n] != called[ranges[0]] {
                    fields.joined.entry(id).or_insert(*site);
                }
            }
        }
        for n in self.kept {
            if let Some(id) = ids.get(&self.classes.find(n)) {
                fields.all[*id as usize].kept = true;
            }
        }
        fields
    }
}

impl Fields {
    /// The fields that `main` and the threads that it starts access.
    /// Those named together in `merged` are one.
    pub fn of(
        program: &Program,
        points_to: &PointsTo,
        main: FuncId,
        merged: &[Vec<String>],
    ) -> Fields {
        let roots = points_to.instances_of(main).to_vec();
        let mut instances = closure(points_to, roots);
        for (_, start) in starts(points_to, &instances) {
            instances.union_with(&closure(points_to, vec![start]));
        }
        let mut ranges = Ranges::default();
        for i in instances.ones() {
            let id = InstanceId::new(i);
            let instance = &points_to.instances()[id];
            let function = &program.functions[instance.function];
            for access in &instance.accesses {
                if access.space != Space::Memory {
                    continue;
                }
                let instr =
                    &function.blocks[access.place.block].instrs[access.place.index as usize];
                if let Err(gap) = ranges.add(program, points_to, access, instr) {
                    return Fields {
                        gap: Some(gap),
                        ..Fields::default()
                    };
                }
            }
        }
        let mut fields = ranges.fields(&Namer::new(program, points_to), merged);
        fields.note_sections(program, points_to, &instances);
        fields
    }

    /// What the sections do beside accesses to fields.
    fn note_sections(&mut self, program: &Program, points_to: &PointsTo, instances: &FixedBitSet) {
        for section in &points_to.sections().all {
            let Some(begin) = section.site else { continue };
            if !instances.contains(section.place.instance.index()) {
                continue;
            }
            if section.blocking {
                self.busy.insert(begin);
            }
            for (instance, n) in &section.accesses {
                let instance = &points_to.instances()[*instance];
                let access = &instance.accesses[*n as usize];
                let block = &program.functions[instance.function].blocks[access.place.block];
                let site = block.instrs[access.place.index as usize].site;
                let field = site.and_then(|s| self.of_site.get(&s));
                match field {
                    Some(field) if access.space == Space::Memory => {
                        self.within.entry(begin).or_default().insert(*field);
                    }
                    _ => {
                        self.busy.insert(begin);
                    }
                }
            }
        }
    }

    /// A line for each field of several names: what it is, and which access may reach more than one of them.
    pub fn joined(&self, program: &Program) -> Vec<String> {
        let several = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, f)| f.names.len() > 1);
        let line = |(n, field): (usize, &Field)| {
            let names: Vec<&str> = field.names.iter().take(NAMES).map(String::as_str).collect();
            let more = match field.names.len().saturating_sub(NAMES) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let why = match self.joined.get(&(n as FieldId)) {
                Some(site) => {
                    let place = program.source.describe(program.sites[*site].loc);
                    format!("an access may reach more than one of them ({place})")
                }
                None => "they overlap, or [memory] merge says so".to_string(),
            };
            format!("one map of memory: {}{more}: {why}", names.join(", "))
        };
        several.map(line).collect()
    }

    /// All of them.
    pub fn all(&self) -> &[Field] {
        &self.all
    }

    /// Why nothing can be sliced.
    pub fn gap(&self) -> Option<&str> {
        self.gap.as_deref()
    }

    /// The field that an instruction accesses.
    pub fn of_site(&self, site: SiteId) -> Option<FieldId> {
        self.of_site.get(&site).copied()
    }

    /// For each thread by itself: the accesses that need not be followed, and those that find there whatever some thread has stored.
    /// What none of the threads writes is what it was.
    pub fn thread_modular(&self, program: &Program, plan: &PairPlan) -> [FixedBitSet; 2] {
        let reachable = plan.reachable();
        let mut out = [(); 2].map(|()| FixedBitSet::with_capacity(program.sites.len()));
        let written = |s: &&SiteId| {
            reachable.contains(s.index()) && program.sites[**s].kind != SiteKind::Read
        };
        for field in &self.all {
            if field.sites.iter().any(|s| written(&s)) {
                let sites = field.sites.iter().map(|s| s.index());
                out[usize::from(field.kept)].extend(sites);
            }
        }
        out
    }

    /// What a plan comes to where only these fields are tracked, and those that must be. `None`: nothing is left out.
    ///
    /// What none of the threads writes is what it was: reading it costs nothing, and nobody needs to be interrupted.
    pub fn slice(
        &self,
        program: &Program,
        plan: &PairPlan,
        tracked: &BTreeSet<FieldId>,
    ) -> Option<Slice> {
        let reachable = plan.reachable();
        let executed = |s: &SiteId| reachable.contains(s.index());
        let written = |f: &Field| {
            let mut sites = f.sites.iter().filter(|s| executed(s));
            sites.any(|s| program.sites[*s].kind != SiteKind::Read)
        };
        let mut slice = Slice {
            untracked: FixedBitSet::with_capacity(program.sites.len()),
            enabled: plan.enabled.clone(),
            fields: 0,
            tracked: 0,
        };
        let mut out = BTreeSet::new();
        for (n, field) in self.all.iter().enumerate() {
            if !field.sites.iter().any(&executed) {
                continue;
            }
            slice.fields += 1;
            let id = n as FieldId;
            if field.kept || tracked.contains(&id) || !written(field) {
                slice.tracked += 1;
                continue;
            }
            out.insert(id);
            for site in &field.sites {
                slice.untracked.insert(site.index());
                slice.enabled.set(site.index(), false);
            }
        }
        for (begin, within) in &self.within {
            if !self.busy.contains(begin) && within.is_subset(&out) {
                slice.enabled.set(begin.index(), false);
            }
        }
        (!out.is_empty()).then_some(slice)
    }
}

/// Whether an instruction moves pointers, whatever is known of where they lead.
fn of_pointers(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { ty: Type::Ptr, .. }
            | Op::Store { ty: Type::Ptr, .. }
            | Op::AtomicRmw { ty: Type::Ptr, .. }
            | Op::CmpXchg { ty: Type::Ptr, .. }
    )
}
