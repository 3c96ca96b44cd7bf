//! Releases, each there once, and as one function names them.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::Flow;
use super::holds::{Mode, Release, ReleaseId, Targets};
use super::summaries::At;
use crate::analysis::points_to::{Address, InstanceId, Place};
use crate::index::{IdVec, ValueId};
use crate::program::Operand;

/// Interned releases.
#[derive(Clone, Debug, Default)]
pub(super) struct Releases {
    pub table: IdVec<ReleaseId, Arc<Release>>,
    index: FxHashMap<Arc<Release>, ReleaseId>,
    targets: FxHashSet<Arc<[Address]>>,
}

impl Releases {
    /// The same addresses are there once.
    pub fn targets(&mut self, all: &[Address]) -> Targets {
        if let Some(known) = self.targets.get(all) {
            return Targets(known.clone());
        }
        let all: Arc<[Address]> = all.into();
        self.targets.insert(all.clone());
        Targets(all)
    }

    pub fn intern(&mut self, release: Release) -> ReleaseId {
        if let Some(id) = self.index.get(&release) {
            return *id;
        }
        let release = Arc::new(release);
        let id = self.table.push(release.clone());
        self.index.insert(release, id);
        id
    }
}

/// Releases of a function itself, and of its callees in its own terms: ways come to the same ones often, and there is much to compare.
#[derive(Default)]
pub(super) struct OwnTerms {
    released: FxHashMap<(At, Mode), ReleaseId>,
    renamed: FxHashMap<(At, InstanceId, ReleaseId), ReleaseId>,
}

impl Flow<'_> {
    /// The release of a lock by the instruction there.
    pub(super) fn released(&mut self, at: At, lock: &Operand, mode: Mode) -> ReleaseId {
        if let Some(id) = self.releases.released.get(&(at, mode)) {
            return *id;
        }
        let targets = self.points_to.targets_in(self.id, lock);
        // What can only be null is no lock: the release fails.
        let place = Place {
            instance: self.id,
            block: at.0,
            index: at.1,
        };
        let lost = targets.is_empty() && self.points_to.is_lost_at(place);
        let targets = self.all.releases.targets(&targets);
        let id = self.all.releases.intern(Release {
            mode,
            lost,
            targets,
            base: self.roots.of(self.program, self.f, lock),
        });
        self.releases.released.insert((at, mode), id);
        id
    }

    /// What the callee released, in the caller's terms.
    pub(super) fn release_here(
        &mut self,
        key: (At, InstanceId, ReleaseId),
        params: &[ValueId],
        args: &[Operand],
    ) -> ReleaseId {
        if let Some(id) = self.releases.renamed.get(&key) {
            return *id;
        }
        let known = self.all.release(key.2);
        let base = known.base.and_then(|(v, o)| {
            let n = params.iter().position(|p| *p == v)?;
            let (w, c) = self.roots.of(self.program, self.f, args.get(n)?)?;
            Some((w, o.wrapping_add(c)))
        });
        let id = match base == known.base {
            true => key.2,
            false => {
                let release = Release {
                    base,
                    ..Release::clone(known)
                };
                self.all.releases.intern(release)
            }
        };
        self.releases.renamed.insert(key, id);
        id
    }
}
