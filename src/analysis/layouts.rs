//! Which structs lie where in objects, for the names of regions.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::index::DebugTypeId;
use crate::program::{DebugTypeKind, Op, Operand, Origin, Program};

use super::points_to::{Address, ObjectId, ObjectKind, PointsTo};

/// Which structs lie where in objects that have no declared type.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    placed: FxHashMap<ObjectId, BTreeMap<i64, String>>,
    pub(super) types: FxHashMap<String, DebugTypeId>,
    pub(super) objects: Made<ObjectId>,
    pub(super) bytes: Made<(Address, u64)>,
}

/// Names that have been made: many pairs of threads ask for the same.
#[derive(Debug)]
pub(super) struct Made<K>(Mutex<FxHashMap<K, Arc<str>>>);

impl<K> Default for Made<K> {
    fn default() -> Self {
        Made(Mutex::default())
    }
}

impl<K> Clone for Made<K> {
    fn clone(&self) -> Self {
        Made::default()
    }
}

impl<K: Hash + Eq> Made<K> {
    pub(super) fn get(&self, key: K, make: impl FnOnce() -> String) -> String {
        let names = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = names().get(&key) {
            return name.to_string();
        }
        let name = make();
        names().insert(key, name.as_str().into());
        name
    }
}

impl Layouts {
    /// Reads the layouts off the address computations of the program.
    pub(super) fn infer(program: &Program, points_to: &PointsTo) -> Layouts {
        let mut layouts = Layouts::default();
        for (id, ty) in program.debug_types.iter_ids() {
            let sized = matches!(&ty.kind, DebugTypeKind::Struct(m) if !m.is_empty());
            if sized && !ty.name.is_empty() {
                layouts.types.entry(ty.name.clone()).or_insert(id);
            }
        }
        for (instance, i) in points_to.instances().iter_ids() {
            // Optimised code computes no address of a first member: what the source's variables say.
            for (value, ty, beyond) in &program.functions[i.function].bound {
                let name = &program.debug_types[*ty].name;
                if !layouts.types.contains_key(name) {
                    continue;
                }
                for address in points_to.targets_in(instance, &Operand::Value(*value)) {
                    layouts.place(program, points_to, address.moved(-beyond, 0), name);
                }
            }
            for block in program.functions[i.function].blocks.iter() {
                for instr in &block.instrs {
                    if let Op::Gep {
                        base,
                        offset,
                        field: Some(field),
                        ..
                    } = &instr.op
                    {
                        let name = plain_name(&field.struct_name);
                        let start = offset.wrapping_sub(field.beyond_start());
                        for address in points_to.targets_in(instance, base) {
                            layouts.place(program, points_to, address.moved(start, 0), name);
                        }
                    }
                }
            }
        }
        // What C says that an object is goes before what it is taken for: in a module made of several, a name in the IR may
        // stand for another struct of the same shape. What stands for an object of the kernel may begin a larger one of the driver's.
        let size = |name: &str, types: &FxHashMap<String, DebugTypeId>| {
            let ty = types.get(name);
            ty.map_or(0, |ty| program.debug_types[*ty].size)
        };
        for object in points_to.objects().ids() {
            let made_up = is_made_up(points_to, object);
            let declared = points_to
                .declared(object)
                .map(|ty| &program.debug_types[ty]);
            if let Some(ty) = declared.filter(|t| layouts.types.contains_key(&t.name)) {
                let places = layouts.placed.entry(object).or_default();
                let first = places.get(&0);
                let within = first.is_some_and(|first| size(first, &layouts.types) > ty.size);
                if !(made_up && within) {
                    places.insert(0, ty.name.clone());
                }
            }
        }
        layouts
    }

    /// Where the struct of that name is declared, if it has members.
    pub(super) fn origin(&self, program: &Program, name: &str) -> Option<Origin> {
        let ty = self.types.get(name)?;
        Some(program.debug_types[*ty].origin)
    }

    fn place(&mut self, program: &Program, points_to: &PointsTo, address: Address, name: &str) {
        // Below the start, too: what `container_of` leads to from a pointer into it. Of what is made up it is only known what is taken to
        // be there: also at one of several places.
        let offset = match address.offset() {
            Some(offset) => offset,
            None if is_made_up(points_to, address.object) => address.rem,
            None => return,
        };
        let places = self.placed.entry(address.object).or_default();
        let size = |n: &str| {
            self.types
                .get(n)
                .map_or(0, |t| program.debug_types[*t].size)
        };
        let bigger = places.get(&offset).is_none_or(|old| size(old) < size(name));
        if bigger {
            places.insert(offset, name.to_string());
        }
    }

    /// The outermost struct known to cover `len` bytes at `offset`: its place and name. One whose size is not known only if there
    /// is no other.
    pub(super) fn covering(
        &self,
        program: &Program,
        object: ObjectId,
        offset: i64,
        len: u64,
    ) -> Option<(i64, &str)> {
        let places = self.placed.get(&object)?;
        let mut unsized_one = None;
        for (&at, name) in places.range(..=offset) {
            match self.types.get(name).map(|ty| program.debug_types[*ty].size) {
                Some(size) if (offset - at) as u64 + len <= size => return Some((at, name)),
                Some(_) => {}
                None => unsized_one = unsized_one.or(Some((at, name.as_str()))),
            }
        }
        unsized_one
    }
}

/// Whether an object stands for what the environment has made.
fn is_made_up(points_to: &PointsTo, object: ObjectId) -> bool {
    matches!(
        points_to.objects()[object].kind,
        ObjectKind::Lazy(_) | ObjectKind::Child(_) | ObjectKind::Rest(..)
    )
}

/// LLVM's name of a struct without the number that keeps names apart.
pub(super) fn plain_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, number)) if !stem.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            stem
        }
        _ => name,
    }
}
