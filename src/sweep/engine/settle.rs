//! What a sweep left on a cluster that was killed.

use std::collections::BTreeSet;

use super::camp::{Camp, What, elsewhere};
use super::{Elsewhere, Kind};
use crate::error::InputError;
use crate::sweep::store::Store;

/// Takes the results that the last run's shards have given back since into the store. If the work is that of this night and engine,
/// and still in its queue, it is left there: the engine goes on with it. Otherwise it is ended.
///
/// # Errors
/// The store cannot be written.
pub fn settle(store: &Store, night: i64, kind: Kind) -> Result<(), InputError> {
    let Some(left) = elsewhere(store.folder()) else {
        return Ok(());
    };
    if goes_on(&left, night, kind) {
        return taken(store, &left);
    }
    if let (Some(queue), Some(job)) = (left.kind.queue(), &left.job) {
        Camp::at(&left.folder).stop();
        // It may have ended long ago, or its queue may be gone.
        let _ = queue.cancel(job);
    }
    taken(store, &left)?;
    left.clear(store.folder());
    Ok(())
}

/// Whether the work is still in the queue of this engine.
fn goes_on(left: &Elsewhere, night: i64, kind: Kind) -> bool {
    let (Some(queue), Some(job)) = (kind.queue(), &left.job) else {
        return false;
    };
    let alive = || queue.states(job).is_ok_and(|states| states.are_active());
    left.night == night && left.kind == kind && left.folder.is_dir() && alive()
}

fn taken(store: &Store, left: &Elsewhere) -> Result<(), InputError> {
    let given = Camp::at(&left.folder).new_of(left.shards, &mut BTreeSet::new());
    for given in given {
        if let What::Done(done) = &given.what {
            store.keep(&given.key, given.level, left.night, done)?;
        }
    }
    Ok(())
}
