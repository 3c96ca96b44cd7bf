//! What each function (or call) acquires and may release: callees before callers, recursion to a fixpoint.

use fixedbitset::FixedBitSet;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use crate::index::{BlockId, Idx};
use crate::program::Program;

use super::super::points_to::{InstanceId, PointsTo};
use super::facts::Fact;
use super::faults::LocksetFault;
use super::flow::Flow;
use super::holds::{Hold, Mode, Release, ReleaseId};
use super::roots::{Own, Roots};
use super::{Releases, touching};

/// Rounds over functions that call each other before nothing is assumed of their ways out.
const MAX_ROUNDS: u32 = 32;

/// A place in a function.
pub(super) type At = (BlockId, u32);

/// What is surely held at a place beside what the function was entered with, and what of that may be gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub gens: Vec<Hold>,
    pub kills: Vec<ReleaseId>,
}

/// One way out of a function: as [`Record`], and what is known of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exit {
    pub gens: Vec<Hold>,
    pub kills: Vec<ReleaseId>,
    pub result: Option<Fact>,
}

/// What the flow through the functions needs of each other.
pub(super) struct Summaries {
    by_instance: FxHashMap<InstanceId, Summary>,
    /// Whether an instance acquires or releases, by itself or in callees. All others leave locks as they are.
    instances: Vec<bool>,
    pub releases: Releases,
    pub fault: Option<LocksetFault>,
}

/// The result for one instance.
#[derive(Default)]
pub(super) struct Summary {
    pub exits: Vec<Exit>,
    pub records: FxHashMap<At, Record>,
    pub releases: Vec<(At, ReleaseId)>,
}

impl Summaries {
    pub fn solve(
        program: &Program,
        points_to: &PointsTo,
        roots: &Roots,
        single: &FixedBitSet,
        fault: Option<LocksetFault>,
    ) -> Summaries {
        let touching = touching(program, points_to.call_graph());
        let instances = points_to
            .instances()
            .iter()
            .map(|i| touching.contains(i.function.index()))
            .collect();
        let mut all = Summaries {
            by_instance: FxHashMap::default(),
            instances,
            releases: Releases::default(),
            fault,
        };
        let own = Own::new(program, roots);
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in 0..points_to.instances().len() {
            graph.add_node(());
        }
        for (id, instance) in points_to.instances().iter_ids() {
            for (_, callee) in &instance.calls {
                if all.touches(id) && all.touches(*callee) {
                    graph.add_edge(
                        NodeIndex::new(id.index()),
                        NodeIndex::new(callee.index()),
                        (),
                    );
                }
            }
        }
        for component in tarjan_scc(&graph) {
            let members: Vec<InstanceId> = component
                .iter()
                .map(|n| InstanceId::new(n.index()))
                .collect();
            if !all.touches(members[0]) {
                continue;
            }
            let recursive = members.len() > 1 || graph.contains_edge(component[0], component[0]);
            for round in 0..=MAX_ROUNDS {
                let given_up = round == MAX_ROUNDS;
                let mut changed = false;
                for id in &members {
                    let mut summary =
                        Flow::new(program, points_to, roots, single, &own, &mut all, *id).run();
                    if given_up || round + 1 == MAX_ROUNDS {
                        summary.exits = vec![all.anything()];
                    }
                    changed |= all.exits(*id) != summary.exits.as_slice();
                    all.by_instance.insert(*id, summary);
                }
                if !changed || !recursive || fault == Some(LocksetFault::OneRound) {
                    break;
                }
            }
        }
        all
    }

    /// No function acquires or releases anything.
    pub fn none(points_to: &PointsTo) -> Summaries {
        Summaries {
            by_instance: FxHashMap::default(),
            instances: vec![false; points_to.instances().len()],
            releases: Releases::default(),
            fault: None,
        }
    }

    /// A way out of which nothing is known: it may have released everything.
    fn anything(&mut self) -> Exit {
        let mut kills = [Mode::Exclusive, Mode::Shared].map(|mode| {
            self.releases.intern(Release {
                mode,
                targets: Vec::new(),
                lost: true,
                base: None,
            })
        });
        kills.sort_unstable();
        Exit {
            gens: Vec::new(),
            kills: kills.into(),
            result: None,
        }
    }

    /// Whether an instance acquires or releases anything.
    pub fn touches(&self, id: InstanceId) -> bool {
        self.instances[id.index()]
    }

    /// The ways out of an instance that [`Summaries::touches`] locks; none as long as nothing is known of it.
    pub fn exits(&self, id: InstanceId) -> &[Exit] {
        self.by_instance.get(&id).map_or(&[], |s| &s.exits)
    }

    /// `None`: the place is not reached. `Some(None)`: nothing happens to locks on the way there.
    pub fn at(&self, id: InstanceId, at: At) -> Option<Option<&Record>> {
        if !self.touches(id) {
            return Some(None);
        }
        let summary = self.by_instance.get(&id)?;
        summary.records.get(&at).map(Some)
    }

    /// The releases of an instance itself.
    pub fn releases_in(&self, id: InstanceId) -> impl Iterator<Item = (At, ReleaseId)> + '_ {
        let summary = self.by_instance.get(&id);
        summary.into_iter().flat_map(|s| s.releases.iter().copied())
    }

    pub fn release(&self, id: ReleaseId) -> &Release {
        &self.releases.table[id]
    }
}
