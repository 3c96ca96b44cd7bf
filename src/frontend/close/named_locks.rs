//! Lock functions of other modules, which are known by their names alone.
//!
//! The core of a device for which there are drivers in several modules has a lock of its own, and functions to take it
//! (`mc13xxx_lock(mc13xxx)`, `mc13xxx_unlock(mc13xxx)`). Without a body they would keep nothing apart, and each access under them would be a race. So
//! two functions without a model of which one is called as the other with `unlock` for `lock` at its end, that are given the same and
//! answer nothing, acquire and release a lock: that of the object in their first argument, or, without an argument, one. What rests on it
//! lists it (`locks-by-name`).
//!
//! What it misses: functions that may fail to acquire, locks for reading, and other names (`foo_get_bus`); `[locks]` in `irkiss.toml` tells
//! of these.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;

use super::declared::declared;
use super::defaults::begin;
use super::models::mark_as_model;
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{Val, functions};
use crate::frontend::stubs::Group;

const ACQUIRES: &str = "__irkiss_lock_by_name";
const RELEASES: &str = "__irkiss_unlock_by_name";

/// What stands before `lock` in names of locks that several may hold at once.
const SHARED: [&str; 4] = ["read", "rcu", "shared", "write"];

/// Two functions that are taken for those of a lock.
struct Pair<'m> {
    /// What their names begin with.
    stem: String,
    acquire: Val<'m>,
    release: Val<'m>,
}

/// Those of a module that have no body.
fn pairs<'m>(module: &'m Module<'_>) -> Vec<Pair<'m>> {
    let unknown = |f: &Val<'m>| f.is_declaration() && declared(Group::Linux, &f.name()).is_none();
    let all: Vec<Val<'m>> = functions(module).into_iter().filter(unknown).collect();
    let of = |f: &Val<'m>| {
        let name = f.name();
        let stem = stem(&name)?.to_string();
        let partner = format!("{stem}_unlock");
        let release = *all.iter().find(|other| other.name() == partner)?;
        let ty = f.global_type();
        let nothing = ty.result().kind() == LLVMTypeKind::LLVMVoidTypeKind;
        let params = ty.params();
        let of_object = |n: usize| {
            params
                .get(n)
                .is_none_or(|p| p.kind() == LLVMTypeKind::LLVMPointerTypeKind)
        };
        let fits = nothing && of_object(0) && ty.raw() == release.global_type().raw();
        fits.then_some(Pair {
            stem,
            acquire: *f,
            release,
        })
    };
    all.iter().filter_map(of).collect()
}

/// What the name of a function begins with that acquires a lock which one has for itself.
fn stem(name: &str) -> Option<&str> {
    let stem = name.strip_suffix("_lock").filter(|s| !s.is_empty())?;
    let last = stem.rsplit('_').next().unwrap_or(stem);
    (!name.starts_with("__irkiss") && !SHARED.contains(&last)).then_some(stem)
}

/// Asks for the models of a lock where there may be such functions.
pub fn declare(module: &Module<'_>) {
    if pairs(module).is_empty() {
        return;
    }
    let builder = Builder::new(module);
    for name in [ACQUIRES, RELEASES] {
        builder.declare(name, builder.void_type(), &[builder.ptr_type()]);
    }
}

/// Gives those a body that have no model.
pub fn define(module: &Module<'_>) {
    for pair in pairs(module) {
        let builder = Builder::new(module);
        let own = || builder.table(&format!("__irkiss_named_lock.{}", pair.stem), 1, 0);
        let object = pair.acquire.global_type().params().is_empty().then(own);
        for (function, does) in [(pair.acquire, ACQUIRES), (pair.release, RELEASES)] {
            begin(&builder, module, function);
            mark_as_model(function);
            let lock = object.or_else(|| function.params().first().copied());
            let Some(lock) = lock else { continue };
            builder.call(does, builder.void_type(), &[lock]);
            builder.ret(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_locks_that_one_has_alone() {
        assert_eq!(stem("mc13xxx_lock"), Some("mc13xxx"));
        assert_eq!(stem("cpus_read_lock"), None);
        assert_eq!(stem("_lock"), None);
        assert_eq!(stem("foo_trylock"), None);
        assert_eq!(stem("lock"), None);
    }
}
