//! The run time of the sequential program: functions and globals by what they are there for, whichever sequentialization made it.

use crate::index::{FuncId, GlobalId};

use super::Program;

/// What their names begin with: of KISS's run time (`runtime-stubs/sequential/kiss.c`), of Lal and Reps's (`lal_reps.c`).
const PREFIXES: [&str; 2] = ["__kiss_", "__lr_"];

/// Whether a function of that name belongs to a run time.
pub fn is_runtime(function: &str) -> bool {
    PREFIXES.iter().any(|prefix| function.starts_with(prefix))
}

impl Program {
    /// The run time's function of that name, without its prefix.
    pub fn runtime_function(&self, name: &str) -> Option<FuncId> {
        let mut names = PREFIXES.iter().map(|prefix| format!("{prefix}{name}"));
        names.find_map(|name| self.function_named(&name))
    }

    /// The run time's global of that name, without its prefix.
    pub fn runtime_global(&self, name: &str) -> Option<GlobalId> {
        let mut names = PREFIXES.iter().map(|prefix| format!("{prefix}{name}"));
        names.find_map(|name| self.global_named(&name))
    }

    /// Where the check starts: with `steady`, from the state that initialisation leaves.
    pub fn check_start(&self, steady: bool) -> String {
        let name = match steady {
            true => "pair_main",
            false => "main",
        };
        let function = self.runtime_function(name);
        function.map_or_else(
            || format!("{}{name}", PREFIXES[0]),
            |f| self.functions[f].name.clone(),
        )
    }
}
