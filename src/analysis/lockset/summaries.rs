//! What each function (or call) acquires and may release: callees before callers, recursion to a fixpoint.

use fixedbitset::FixedBitSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use std::sync::Arc;

use crate::faults::{LocksetFault, seeded};
use crate::index::{BlockId, Idx};
use crate::program::Program;

use super::super::points_to::{InstanceId, PointsTo};
use super::conditions::Conditions;
use super::facts::{Fact, Facts};
use super::flow::{Flow, Ground};
use super::holds::{Hold, Mode, Release, ReleaseId};
use super::roots::{Own, Roots};
use super::{Releases, touching};
use crate::program::harness_map::Sayings;

/// Rounds over functions that call each other before nothing is assumed of their ways out.
const MAX_ROUNDS: u32 = 32;

/// A place in a function.
pub(super) type At = (BlockId, u32);

/// A way to a place: what is surely held there beside what the function was entered with, and what of that may be gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    pub gens: Vec<Hold>,
    pub kills: Vec<ReleaseId>,
    /// What is so of the parameters on this way, and of the arguments of the call if it leads to one.
    pub given: Facts,
}

/// One way out of a function: as [`Way`], and what is known of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exit {
    pub gens: Vec<Hold>,
    pub kills: Vec<ReleaseId>,
    pub result: Option<Fact>,
    /// What is so of the parameters.
    pub given: Facts,
}

/// What the flow through the functions needs of each other.
pub(super) struct Summaries {
    by_instance: FxHashMap<InstanceId, Summary>,
    /// Whether an instance acquires or releases, by itself or in callees. All others leave locks as they are.
    instances: Vec<bool>,
    pub releases: Releases,
    pub sayings: Sayings,
    /// Questions about conditions that went to the solver, and how many of these ruled a way out.
    pub asked: [u64; 2],
}

/// The result for one instance.
#[derive(Default)]
pub(super) struct Summary {
    pub exits: Vec<Exit>,
    pub records: FxHashMap<At, Vec<Way>>,
    pub releases: Vec<(At, ReleaseId)>,
    /// Where a handler is said to be over.
    pub overs: Vec<At>,
}

impl Summaries {
    pub fn solve(
        program: &Program,
        points_to: &PointsTo,
        roots: &Roots,
        single: &FixedBitSet,
    ) -> Summaries {
        let sayings = program.harness.says;
        let touching = touching(program, points_to.call_graph(), sayings);
        let instances = points_to
            .instances()
            .iter()
            .map(|i| touching.contains(i.function.index()))
            .collect();
        let mut all = Summaries {
            by_instance: FxHashMap::default(),
            instances,
            releases: Releases::default(),
            sayings,
            asked: [0; 2],
        };
        let own = Own::new(program, roots);
        let ground = Ground {
            program,
            points_to,
            roots,
            single,
            own: &own,
        };
        let mut conditions = Conditions::new();
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
        for component in kosaraju_scc(&graph) {
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
                    let mut summary = Flow::new(ground, &mut all, &mut conditions, *id).run();
                    if given_up || round + 1 == MAX_ROUNDS {
                        summary.exits = vec![all.anything()];
                    }
                    changed |= all.exits(*id) != summary.exits.as_slice();
                    all.by_instance.insert(*id, summary);
                }
                if !changed || !recursive || seeded(LocksetFault::OneRound) {
                    break;
                }
            }
        }
        all.asked = [conditions.asked, conditions.ruled_out];
        all
    }

    /// No function acquires or releases anything.
    pub fn none(points_to: &PointsTo) -> Summaries {
        Summaries {
            by_instance: FxHashMap::default(),
            instances: vec![false; points_to.instances().len()],
            releases: Releases::default(),
            sayings: Sayings::default(),
            asked: [0; 2],
        }
    }

    /// A way out of which nothing is known: it may have released everything.
    fn anything(&mut self) -> Exit {
        let modes = [Mode::Exclusive, Mode::Shared, Mode::Running, Mode::Over];
        let nowhere = self.releases.targets(&[]);
        let mut kills = modes.map(|mode| {
            self.releases.intern(Release {
                mode,
                targets: nowhere.clone(),
                lost: true,
                base: None,
            })
        });
        kills.sort_unstable();
        Exit {
            gens: Vec::new(),
            kills: kills.into(),
            result: None,
            given: Facts::new(),
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
    pub fn at(&self, id: InstanceId, at: At) -> Option<Option<&[Way]>> {
        if !self.touches(id) {
            return Some(None);
        }
        let summary = self.by_instance.get(&id)?;
        summary.records.get(&at).map(|ways| Some(ways.as_slice()))
    }

    /// The releases of an instance itself.
    pub fn releases_in(&self, id: InstanceId) -> impl Iterator<Item = (At, ReleaseId)> + '_ {
        let summary = self.by_instance.get(&id);
        summary.into_iter().flat_map(|s| s.releases.iter().copied())
    }

    /// Where an instance itself says that a handler is over.
    pub fn overs_in(&self, id: InstanceId) -> impl Iterator<Item = At> + '_ {
        let summary = self.by_instance.get(&id);
        summary.into_iter().flat_map(|s| s.overs.iter().copied())
    }

    pub fn release(&self, id: ReleaseId) -> &Arc<Release> {
        &self.releases.table[id]
    }
}
