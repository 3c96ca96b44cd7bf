//! How a module is closed: the steps, in order. This list is what happens.
//!
//! Each step says for which inputs it is there and, where that is not plain from its name, why it stands where it stands. To have one
//! more, write a function and an entry.

use std::collections::BTreeSet;

use inkwell::context::Context;
use inkwell::module::Module;
use llvm_sys::LLVMLinkage;

use super::{
    bugs, call_types, checked, counting_loops, defaults, error_answers, filled, flags, frames,
    handed, identity, idioms, kernel_prints, layout, models, named_locks, outside, reached, scan,
    scenario, silenced, start, thread_local, unknown, vtables, weak, weak_exchanges, written,
};
use crate::config::Options;
use crate::environment::discover::grace;
use crate::environment::{Discovery, Rules};
use crate::error::InputError;
use crate::frontend::harness::Told;
use crate::frontend::llvm::longjmp;
use crate::frontend::llvm::prepare::{prepare, run};
use crate::frontend::llvm::{asm, fixed_addresses};
use crate::frontend::stubs::Group;
use crate::program::Program;
use crate::property::Property;

/// A module that is being closed.
pub(super) struct Closing<'a, 'c> {
    pub context: &'c Context,
    pub module: &'a Module<'c>,
    /// What was decoded for discovery: the input as it came.
    pub plain: &'a Program,
    pub discovery: &'a Discovery,
    pub rules: &'a Rules,
    pub options: &'a Options,
    /// Whose functions are modelled.
    pub group: Group,
    /// Whether it is a program with `main`.
    pub whole: bool,
    /// The most threads that any scenario has.
    pub threads: usize,
    /// The first input file, for messages.
    pub place: &'a str,
    /// Functions of which some caller asks for an error code.
    pub asked: BTreeSet<String>,
    /// Functions that got the default for a model, and how often they are called.
    pub default_models: Vec<(String, u32)>,
    /// Inline assembly without a model.
    pub unmodelled_asm: Vec<(String, u32)>,
    /// What the writer of the harness knows of it.
    pub told: Told,
    /// What the user is told.
    pub notes: Vec<String>,
    /// The step at hand, for messages.
    pub step: &'static str,
}

/// For which inputs a step is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    All,
    /// The kernel's code.
    Drivers,
    /// Programs and libraries.
    Programs,
}

struct Step {
    /// What it is about, in a few words.
    name: &'static str,
    of: For,
    run: fn(&mut Closing<'_, '_>) -> Result<(), InputError>,
}

/// All of them, in their order.
const STEPS: &[Step] = &[
    // Calls through pointers that only others set become calls of functions without a body.
    Step {
        name: "calls that leave the input",
        of: For::All,
        run: |c| {
            outside::redirect(c.module, &c.discovery.fields.calls);
            Ok(())
        },
    },
    // Of which functions some caller looks for an error code: before harness and models bring calls of their own.
    Step {
        name: "who asks for errors",
        of: For::All,
        run: |c| {
            c.asked = error_answers::asked_for_errors(c.module);
            Ok(())
        },
    },
    // Whose object a call gives is noted at the call, which discovery saw.
    Step {
        name: "objects from outside",
        of: For::All,
        run: |c| {
            identity::note(c.module, &c.discovery.identity);
            Ok(())
        },
    },
    // What the compiler left of checks that KCSAN is told not to make.
    Step {
        name: "masked checks",
        of: For::All,
        run: |c| {
            c.notes.extend(silenced::forget_masked_checks(c.module));
            Ok(())
        },
    },
    // The harness first, since it refers to models.
    Step {
        name: "harness",
        of: For::All,
        run: |c| {
            c.told = start::link_harness(c)?;
            Ok(())
        },
    },
    Step {
        name: "own locks",
        of: For::All,
        run: |c| {
            start::link_own_locks(c)?;
            Ok(())
        },
    },
    // Calls whose arguments a format describes become one call for each.
    Step {
        name: "scanf",
        of: For::All,
        run: |c| {
            scan::lower_scans(c.module, c.group);
            Ok(())
        },
    },
    // What they assume in loops is told by a model.
    Step {
        name: "weak compare-and-exchange",
        of: For::Programs,
        run: |c| {
            weak_exchanges::may_fail(c.module);
            Ok(())
        },
    },
    Step {
        name: "virtual functions of what is destroyed",
        of: For::Programs,
        run: |c| {
            vtables::keep_virtual_functions(c.module);
            Ok(())
        },
    },
    // Names that models have: the kernel inlines these.
    Step {
        name: "register reads",
        of: For::Drivers,
        run: |c| {
            fixed_addresses::name_register_reads(c.module);
            Ok(())
        },
    },
    Step {
        name: "current task",
        of: For::Drivers,
        run: |c| {
            fixed_addresses::name_current_task(c.module);
            Ok(())
        },
    },
    Step {
        name: "time",
        of: For::Drivers,
        run: |c| {
            fixed_addresses::name_time(c.module);
            Ok(())
        },
    },
    Step {
        name: "unlocks",
        of: For::Drivers,
        run: |c| {
            idioms::restore_unlocks(c.module);
            Ok(())
        },
    },
    Step {
        name: "sections of RCU",
        of: For::Drivers,
        run: |c| {
            idioms::restore_read_sections(c.module);
            Ok(())
        },
    },
    Step {
        name: "page addresses",
        of: For::Drivers,
        run: |c| {
            idioms::restore_page_addresses(c.module);
            Ok(())
        },
    },
    Step {
        name: "write barriers",
        of: For::Drivers,
        run: |c| {
            idioms::forget_write_barriers(c.module);
            Ok(())
        },
    },
    Step {
        name: "spellings not restored",
        of: For::Drivers,
        run: |c| {
            c.notes.extend(idioms::note(c.module, c.plain));
            Ok(())
        },
    },
    Step {
        name: "printf",
        of: For::Programs,
        run: |c| {
            scan::lower_prints(c.module);
            Ok(())
        },
    },
    Step {
        name: "printk",
        of: For::Drivers,
        run: |c| {
            kernel_prints::read_what_is_printed(c.module);
            Ok(())
        },
    },
    Step {
        name: "signal flags",
        of: For::Programs,
        run: |c| {
            flags::mark_signal_flags(c.module);
            Ok(())
        },
    },
    // What a function without a model may write and call back is a model of its own, declared here.
    Step {
        name: "functions of others",
        of: For::Programs,
        run: |c| {
            unknown::declare_models(c.module);
            Ok(())
        },
    },
    Step {
        name: "empty errors",
        of: For::Programs,
        run: |c| {
            reached::forget_empty_errors(c.module);
            Ok(())
        },
    },
    // Lock functions of other modules take a model's locks.
    Step {
        name: "locks by name",
        of: For::Drivers,
        run: |c| {
            named_locks::declare(c.module);
            Ok(())
        },
    },
    // All names are as models have them now.
    Step {
        name: "models",
        of: For::All,
        run: |c| {
            models::link_models(c.context, c.module, c.group, c.options)?;
            Ok(())
        },
    },
    // No model takes the place of an entry point.
    Step {
        name: "entry points",
        of: For::All,
        run: |c| {
            models::are_entry_points(
                c.module,
                c.discovery.entries.iter().map(|e| e.function.as_str()),
            );
            Ok(())
        },
    },
    // Own functions of the input that models know better.
    Step {
        name: "models that replace",
        of: For::All,
        run: |c| {
            c.notes.extend(models::replace_by_models(c.module));
            Ok(())
        },
    },
    // What is left without a body and gives an object gives the one that was chosen.
    Step {
        name: "answers from outside",
        of: For::All,
        run: |c| {
            let answered = identity::answer(c.module, &c.asked);
            c.default_models.extend(answered);
            Ok(())
        },
    },
    // Calls of models with other types than the model's.
    Step {
        name: "fit",
        of: For::All,
        run: |c| {
            call_types::fit_calls(c.module, c.fitting());
            Ok(())
        },
    },
    Step {
        name: "data_race",
        of: For::All,
        run: |c| {
            silenced::silence_accesses(c.module).map_err(|e| c.bug(e))?;
            Ok(())
        },
    },
    // What models define is there.
    Step {
        name: "weak symbols",
        of: For::All,
        run: |c| {
            weak::ask(c.module);
            Ok(())
        },
    },
    // A model that tests emptied is told.
    Step {
        name: "emptied",
        of: For::All,
        run: |c| {
            c.notes.extend(models::emptied());
            Ok(())
        },
    },
    // Offsets and sizes of the kernel's structs that models ask for.
    Step {
        name: "layouts",
        of: For::All,
        run: |c| {
            layout::define_layouts(c.module, c.plain);
            Ok(())
        },
    },
    Step {
        name: "fields of others",
        of: For::All,
        run: |c| {
            outside::mark_models(c.module, &c.discovery.fields.functions);
            Ok(())
        },
    },
    // Of input and models.
    Step {
        name: "inline assembly",
        of: For::All,
        run: |c| {
            let target = asm::Kernel {
                one_processor: idioms::one_processor(c.plain),
                grace_periods: c.grace_periods(),
            };
            c.unmodelled_asm = asm::lower_inline_asm(c.module, target);
            Ok(())
        },
    },
    // The instructions of BUG() are calls now.
    Step {
        name: "bugs",
        of: For::Drivers,
        run: |c| {
            if c.options.asks(Property::Bug) {
                bugs::fail(c.module);
            }
            Ok(())
        },
    },
    Step {
        name: "fixed addresses",
        of: For::All,
        run: |c| {
            fixed_addresses::lower_fixed_addresses(c.module);
            Ok(())
        },
    },
    // Models jump, too; where they are is kept in variables of each thread.
    Step {
        name: "far jumps of models",
        of: For::Programs,
        run: |c| {
            longjmp::lower_long_jumps(c.module, longjmp::Models::There);
            Ok(())
        },
    },
    Step {
        name: "thread-local",
        of: For::All,
        run: |c| {
            thread_local::lower_thread_locals(c.module);
            Ok(())
        },
    },
    Step {
        name: "scenario",
        of: For::All,
        run: |c| {
            scenario::settle_scenario(c.module, c.options, c.grace_periods());
            Ok(())
        },
    },
    // Those of them that have no model; what they call is dead until then.
    Step {
        name: "named locks",
        of: For::Drivers,
        run: |c| {
            named_locks::define(c.module);
            Ok(())
        },
    },
    // Models that later steps call are kept while dead functions go.
    Step {
        name: "kept for later",
        of: For::All,
        run: |c| {
            checked::keep(c.module, LLVMLinkage::LLVMExternalLinkage);
            unknown::keep_models(c.module, LLVMLinkage::LLVMExternalLinkage);
            Ok(())
        },
    },
    // Functions that nothing refers to any more (replaced helpers) would bring defaults of their own.
    Step {
        name: "dead functions",
        of: For::All,
        run: |c| {
            run(c.module, "globaldce").map_err(|e| c.bug(e))?;
            Ok(())
        },
    },
    // After models are linked, before defaults are made: what has neither is known now.
    Step {
        name: "handed over",
        of: For::Drivers,
        run: |c| {
            handed::write(c.module);
            Ok(())
        },
    },
    Step {
        name: "filled in",
        of: For::Drivers,
        run: |c| {
            filled::fill(c.module, c.plain, &c.discovery.registrars);
            Ok(())
        },
    },
    // Every function has a body after this.
    Step {
        name: "defaults",
        of: For::All,
        run: |c| {
            let made = defaults::define_defaults(c.module, c.group, &c.asked);
            c.default_models.extend(made);
            c.default_models.sort();
            Ok(())
        },
    },
    // Before the checks, which then come first.
    Step {
        name: "writes",
        of: For::Drivers,
        run: |c| {
            written::put_writes(c.module, c.plain, c.rules);
            Ok(())
        },
    },
    Step {
        name: "no longer kept",
        of: For::All,
        run: |c| {
            unknown::keep_models(c.module, LLVMLinkage::LLVMInternalLinkage);
            Ok(())
        },
    },
    Step {
        name: "checks",
        of: For::All,
        run: |c| {
            checked::put_checks(c.module);
            Ok(())
        },
    },
    // When inline assembly has been lowered and every function has its body.
    Step {
        name: "idle loops",
        of: For::All,
        run: |c| {
            counting_loops::skip_idle_loops(c.module);
            Ok(())
        },
    },
    // Models come unprepared.
    Step {
        name: "preparation",
        of: For::All,
        run: |c| {
            prepare(c.module).map_err(|e| c.bug(e))?;
            Ok(())
        },
    },
    // With `--property uaf`. What is still on the stack is now what has to be.
    Step {
        name: "ends of frames",
        of: For::Programs,
        run: |c| {
            if c.options.asks(Property::Uaf) {
                frames::end_lives(c.module);
            }
            Ok(())
        },
    },
    // Preparing models may leave functions that nothing calls.
    Step {
        name: "dead functions again",
        of: For::All,
        run: |c| {
            run(c.module, "globaldce").map_err(|e| c.bug(e))?;
            Ok(())
        },
    },
];

impl Closing<'_, '_> {
    /// Takes all steps.
    pub(super) fn run(&mut self) -> Result<(), InputError> {
        for step in STEPS {
            let here = match step.of {
                For::All => true,
                For::Drivers => self.group == Group::Linux,
                For::Programs => self.group == Group::Pthread,
            };
            if here {
                self.step = step.name;
                (step.run)(self)?;
            }
        }
        Ok(())
    }

    /// Whether who reads under RCU, and where, makes a difference.
    fn grace_periods(&self) -> bool {
        grace::waits(self.plain, self.rules)
    }

    /// How calls are made to fit models of other types.
    fn fitting(&self) -> call_types::Fitting {
        match self.group {
            Group::Linux => call_types::Fitting::Plain,
            _ => call_types::Fitting::Converted,
        }
    }

    fn bug(&self, error: String) -> InputError {
        let what = format!("closing the module ({}) failed: {error}", self.step);
        InputError::new(self.place, what).advise("a bug in irkiss")
    }
}
