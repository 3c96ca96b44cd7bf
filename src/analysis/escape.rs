//! Which objects more than one thread may reach.
//!
//! An object is shared if a chain of pointers leads to it from a global, from
//! ghost state, from the argument of a started thread or from a parameter that
//! the outside passes in. Everything else stays in the registers and the
//! private memory of the thread that made it: even where two threads run the same
//! code, each has an object of its own.
//!
//! In a program where a pointer's origin is lost, so is every heap block that its own code sees: its address may have gone as a number, by parts,
//! or through a pipe. (Of drivers, which get such pointers from outside, see `unidentified.rs`.)
//!
//! Misses: objects on a stack whose address goes that way; over-approximates ownership that is handed over.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use crate::index::Idx;
use crate::program::{Operand, Program};

use super::callgraph::each_operand;
use super::points_to::{NodeId, ObjectId, ObjectKind, PointsTo};

/// The shared objects, indexed by [`ObjectId`]; `arguments` and `ghost` are sets whose elements others see.
pub(super) fn shared(points_to: &PointsTo, arguments: &[NodeId], ghost: NodeId) -> FixedBitSet {
    let mut shared = FixedBitSet::with_capacity(points_to.objects().len());
    let mut work: Vec<ObjectId> = Vec::new();
    for (id, object) in points_to.objects().iter_ids() {
        if matches!(
            object.kind,
            ObjectKind::Global(_) | ObjectKind::Parameter(..)
        ) {
            work.push(id);
        }
    }
    for node in arguments.iter().chain([&ghost]) {
        work.extend(points_to.set(*node).map(|a| a.object));
    }
    while let Some(object) = work.pop() {
        if !shared.put(object.index()) {
            work.extend(points_to.pointees(object));
        }
    }
    shared
}

/// The objects that a pointer of which nothing tells the origin may lead to, although nobody is known to have shared them: heap blocks that
/// the user's code sees.
pub(super) fn given_away(points_to: &PointsTo) -> FixedBitSet {
    let mut all = FixedBitSet::with_capacity(points_to.objects().len());
    for (id, object) in points_to.objects().iter_ids() {
        if matches!(object.kind, ObjectKind::Heap(_)) && points_to.is_user_visible(id) {
            all.insert(id.index());
        }
    }
    all
}

/// The objects that code which is no model may hold a pointer to, variables that such variables lead to from the start (what an array of
/// `struct iovec` says), and state of the environment that its calls share, indexed by
/// [`ObjectId`].
pub(super) fn user_visible(program: &Program, points_to: &PointsTo) -> FixedBitSet {
    let mut visible = FixedBitSet::with_capacity(points_to.objects().len());
    for (id, object) in points_to.objects().iter_ids() {
        if let ObjectKind::Global(g) = object.kind
            && program.globals[g].is_hidden_state()
        {
            visible.insert(id.index());
        }
    }
    // Many values have one set.
    let mut sets = FxHashSet::default();
    for (id, instance) in points_to.instances().iter_ids() {
        let function = &program.functions[instance.function];
        if function.is_model {
            continue;
        }
        for value in function.values.ids() {
            if sets.insert(points_to.set_of(id, value)) {
                visible.extend(points_to.value_targets(id, value).map(|a| a.object.index()));
            }
        }
        for block in function.blocks.iter() {
            each_operand(block, &mut |operand| {
                if let Operand::Const(_) = operand {
                    let all = points_to.targets_in(id, operand);
                    visible.extend(all.into_iter().map(|a| a.object.index()));
                }
            });
        }
    }
    let is_global =
        |object: ObjectId| matches!(points_to.objects()[object].kind, ObjectKind::Global(_));
    let seen = visible.ones().map(ObjectId::new);
    let mut work: Vec<ObjectId> = seen.filter(|object| is_global(*object)).collect();
    while let Some(object) = work.pop() {
        for led_to in points_to.pointees(object) {
            if is_global(led_to) && !visible.put(led_to.index()) {
                work.push(led_to);
            }
        }
    }
    visible
}
