//! What the tests in `tests/` see of the inside, below the paths that it has there. No promise to anybody else: what is not listed here,
//! nor in the public modules, is private, so that the compiler tells what nobody uses.

/// Of `src/analysis/`.
pub mod analysis {
    pub use crate::analysis::{PairPlan, PlanOptions, Planner, PointsTo};

    /// Of `src/analysis/coverability/`.
    pub mod coverability {
        pub use crate::analysis::coverability::{Proofs, Settings, decide, prove};

        /// Of `backward.rs`.
        pub mod backward {
            pub use crate::analysis::coverability::backward::Answer;
        }
        /// Of `net.rs`.
        pub mod net {
            pub use crate::analysis::coverability::net::{
                Net, PlaceId, Transition, TransitionId, bag,
            };
        }
        /// Of `pairs.rs`.
        pub mod pairs {
            pub use crate::analysis::coverability::pairs::Pairs;
        }
        /// Of `text.rs`.
        pub mod text {
            pub use crate::analysis::coverability::text::pnml;
        }
    }

    /// Of `src/analysis/points_to/`.
    pub mod points_to {
        pub use crate::analysis::points_to::{
            Access, Address, InstanceId, ObjectId, ObjectKind, Place, Space,
        };
    }
}

/// Of `src/concrete/`.
pub mod concrete {
    pub use crate::concrete::{Code, Runs, Watch, Whole};
}

/// Of `src/environment/`.
pub mod environment {
    pub use crate::environment::{Discovery, Rules, discover};

    /// Of `contract.rs`.
    pub mod contract {
        pub use crate::environment::contract::{UNBOUND, needs_device};
    }
    /// Of `entry.rs`.
    pub mod entry {
        pub use crate::environment::entry::{Context, EntryPoint, Parameter, Phase, Start};
    }
    /// Of `rules/`.
    pub mod rules {
        pub use crate::environment::rules::Effect;
    }
}

/// Of `src/expr/`.
pub mod expr {
    pub use crate::expr::{Assignment, Evaluator, Term};
}

/// Of `src/frontend/`.
pub mod frontend {
    pub use crate::frontend::{Closed, Goal, close_in_process, model_names};

    /// Of `child.rs`.
    pub mod child {
        pub use crate::frontend::child::{Limits, close_in_child_of};
    }
    /// Of `decode/`.
    pub mod decode {
        pub use crate::frontend::decode::{Seed, decode, decode_ll};
    }
    /// Of `harness/`.
    pub mod harness {
        pub use crate::frontend::harness::{
            Harness, Hooks, driver_harness, main_harness, referenced_symbols,
        };
    }
    /// Of `sequentialize/`.
    pub mod sequentialize {
        pub use crate::frontend::sequentialize::{number_sites, sequentialize};
    }
    /// Of `stubs.rs`.
    pub mod stubs {
        pub use crate::frontend::stubs::{Group, select};
    }
    /// Of `text.rs`.
    pub mod text {
        pub use crate::frontend::text::close_text;
    }
}

/// Of `src/index.rs`.
pub mod index {
    pub use crate::index::{BlockId, FuncId, IdVec, Idx, LocId, SiteId, ValueId};
}

/// Of `src/program/`.
pub mod program {
    pub use crate::program::{
        Block, Callee, Const, DebugTypeKind, FailKind, Op, Operand, Primitive, Program, Site,
        SiteKind, Terminator,
    };
}

/// Of `src/replay/`.
pub mod replay {
    /// Of `confirm.rs`.
    pub mod confirm {
        pub use crate::replay::confirm::{Confirmed, DivergenceKind, confirm, confirm_with};
    }
    /// Of `input.rs`.
    pub mod input {
        pub use crate::replay::input::{Recorded, Source};
    }
    /// Of `interp/`.
    pub mod interp {
        pub use crate::replay::interp::{Log, Machine};
    }
    /// Of `memory.rs`.
    pub mod memory {
        pub use crate::replay::memory::{ObjectKind, from_bytes};
    }
    /// Of `state.rs`.
    pub mod state {
        pub use crate::replay::state::{Frame, PathError, State, Stop};
    }
}

/// Of `src/solver/`.
pub mod solver {
    pub use crate::solver::standard;

    /// Of `smt2.rs`.
    pub mod smt2 {
        pub use crate::solver::smt2::script;
    }
}

/// Of `src/symex/`.
pub mod symex {
    /// Of `machine/`.
    pub mod machine {
        pub use crate::symex::machine::ends::EndKind;
        pub use crate::symex::machine::exec::Executor;
        pub use crate::symex::machine::mode::{CheckInputs, Limits, Mode};
        pub use crate::symex::machine::state::State;
    }
    pub use crate::symex::memory::untracked::{Left, Slicing};
    pub use crate::symex::schedule::paths;
    pub use crate::symex::witness::checker::{Checker, Missing, Possible};
}
