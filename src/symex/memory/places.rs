//! The objects of globals and functions, and names of objects that every run gives alike.

use crate::index::{FuncId, GlobalId};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::values::hash_of;
use crate::symex::memory::objects::{Initial, ObjectId, Origin};

impl Executor<'_> {
    /// The object of a global.
    pub(in crate::symex) fn global_object(&mut self, global: GlobalId) -> ObjectId {
        let g = &self.program.globals[global];
        let (size, initial) = match &g.init {
            Some(_) => (Some(g.size), Initial::Global(global)),
            // Defined elsewhere, and of a type that may not be complete here.
            None => (Some(g.size).filter(|n| *n > 0), Initial::Lazy),
        };
        self.objects.intern(Origin::Global(global), size, initial)
    }

    /// The address of a function.
    pub(in crate::symex) fn function_object(&mut self, f: FuncId) -> ObjectId {
        self.objects
            .intern(Origin::Function(f), Some(1), Initial::Zero)
    }

    /// A number that names an object in every run alike.
    pub(in crate::symex) fn object_key(&self, object: ObjectId) -> u64 {
        match self.objects.get(object).origin {
            Origin::Child(parent, offset) => hash_of(&(self.object_key(parent), offset)),
            Origin::Indexed(parent, index) => hash_of(&("indexed", self.object_key(parent), index)),
            Origin::Global(g) => hash_of(&("global", g.0)),
            Origin::Function(f) => hash_of(&("function", f.0)),
            Origin::Instance(n) => hash_of(&("instance", n)),
            Origin::Copy(of, round) => hash_of(&("copy", self.object_key(of), round)),
            Origin::Numbers => 0,
        }
    }

    /// The object, if this run has it.
    pub(in crate::symex) fn object_of_key(&self, key: u64) -> Option<ObjectId> {
        let all = (0..self.objects.len()).map(|n| ObjectId(n as u32));
        all.into_iter().find(|o| self.object_key(*o) == key)
    }
}
