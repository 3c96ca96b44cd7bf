//! From input files to the closed programs: the stages of the child process, in order.

mod buffers;
mod bugs;
mod call_types;
mod checked;
mod counting_loops;
mod declared;
mod defaults;
mod error_answers;
mod filled;
mod flags;
mod foreign;
mod formats;
mod frames;
mod given;
mod handed;
mod hooks;
mod identity;
mod idioms;
mod kernel_prints;
mod layout;
pub(super) mod models;
mod named_locks;
mod outside;
mod reached;
mod record;
mod results;
mod rings;
mod scan;
mod scenario;
mod seqcounts;
mod silenced;
mod start;
mod steps;
mod thread_local;
mod unknown;
mod untyped;
mod vtables;
mod weak;
mod weak_exchanges;
mod written;

use std::collections::BTreeSet;
use std::path::PathBuf;

use inkwell::context::Context;
use inkwell::module::Module;

use super::decode::{Indices, Seed, decode};
use super::harness::Told;
use super::llvm::load;
use super::llvm::load::{link, read};
use super::llvm::prepare::prepare;
use super::sequentialize::{number_sites, sequentialize};
use super::stubs::Group;
use super::{Closed, Goal, NO_ENTRY_POINTS};
use crate::config::{Marked, Options};
use crate::environment::identity::{Choice, FromOutside};
use crate::environment::scenario::{Together, most_threads, scenarios};
use crate::environment::{Discovery, Rules, discover, library};
use crate::error::InputError;
use crate::index::IdVec;
use crate::program::Program;
use crate::source::SourceMap;
use steps::Closing;

/// What the stages give: the programs, and the sequential module where it was asked for as text.
pub struct Product {
    /// The programs.
    pub closed: Closed,
    /// LLVM assembly, for [`Goal::SequentialText`].
    pub text: String,
}

/// Runs the stages up to `goal` in this process. `stage` is told what is being worked on, before it is.
///
/// # Errors
/// Input that cannot be read, linked or closed. LLVM may also crash on malformed input: use
/// [`super::child::close_in_child`] for files that nobody vouches for.
pub fn close(
    inputs: &[PathBuf],
    options: &Options,
    goal: Goal,
    stage: &mut dyn FnMut(&str),
) -> Result<Product, InputError> {
    let context = Context::create();
    // 1. Read and link. Each file is verified on its own, so that the message names it.
    let module = load_all(&context, inputs, stage)?;
    let place = inputs.first().map(|p| p.display().to_string());
    let place = &place.unwrap_or_default();
    // 2. Prepare: locals into registers, dead branches out.
    stage(&format!("preparing {place}"));
    prepare(&module).map_err(|e| bug(place, "preparing the module", e))?;
    idioms::name_globals(&module);
    silenced::note_unwatched(&module);
    idioms::mark_questions(&module);
    // 3. Decode for discovery.
    let input = Input::new(&module, options, place);
    let plain = input.decode(Seed::default())?;
    stage(&format!("looking for entry points of {place}"));
    let found = input.find(&plain)?;
    if goal == Goal::EntryPoints {
        return Ok(Product {
            closed: found.alone(plain),
            text: String::new(),
        });
    }
    if !input.whole && found.discovery.entries.is_empty() {
        return Err(InputError::new(place, NO_ENTRY_POINTS).advise("name one with --entry"));
    }
    // 4. Close it: the steps are a list of their own (steps.rs).
    stage(&format!("closing {place}"));
    let mut closing = input.closing(&context, &plain, &found);
    closing.run()?;
    let done = Done::of(closing);
    // 5. The concurrent program.
    stage(&format!("decoding {place}"));
    let told = done.told.clone();
    let mut closed = input.concurrent(plain.source, found, done)?;
    // 6. The sequential program, with the same sites.
    let mut text = String::new();
    if matches!(goal, Goal::Sequential | Goal::SequentialText) {
        stage(&format!("sequentializing {place}"));
        input.sequentialize()?;
        if goal == Goal::SequentialText {
            text = module.print_to_string().to_string();
        }
        closed.sequential = input.sequential(&closed.concurrent, &told)?;
    }
    Ok(Product { closed, text })
}

/// An input that has been read and prepared.
struct Input<'a, 'c> {
    module: &'a Module<'c>,
    /// The first input file, for messages.
    place: &'a str,
    /// Whether it is a program with `main`. It has no other entry points.
    whole: bool,
    /// Whose functions are modelled.
    group: Group,
    /// How marked accesses are read.
    marked: Marked,
    /// How far an index of an array may lead.
    indices: Indices,
    /// With what the user left to the input.
    options: Options,
}

/// What was found in an input.
struct Found {
    rules: Rules,
    discovery: Discovery,
    scenarios: Vec<Together>,
}

/// What is known once a module has been closed.
struct Done {
    default_models: Vec<(String, u32)>,
    unmodelled_asm: Vec<(String, u32)>,
    told: Told,
    notes: Vec<String>,
}

impl<'a, 'c> Input<'a, 'c> {
    fn new(module: &'a Module<'c>, options: &Options, place: &'a str) -> Input<'a, 'c> {
        let whole = models::defines(module, "main") && options.entries.is_empty();
        let group = match whole || hooks::uses_threads(module) {
            true => Group::Pthread,
            false => Group::Linux,
        };
        let marked = options.marked.unwrap_or(match group {
            Group::Pthread => Marked::C11,
            _ => Marked::Kcsan,
        });
        Input {
            module,
            place,
            whole,
            group,
            marked,
            indices: match options.strict {
                true => Indices::Object,
                false => Indices::Declared,
            },
            options: Options {
                marked: Some(marked),
                ..options.clone()
            },
        }
    }

    /// The module as it is, as a program.
    fn decode(&self, seed: Seed) -> Result<Program, InputError> {
        decode(self.module, seed).map_err(|e| InputError::new(self.place, e))
    }

    /// The entry points, by the rules that hold for such an input.
    fn find(&self, plain: &Program) -> Result<Found, InputError> {
        let options = &self.options;
        let config = options.config.as_deref();
        let rules = match self.whole {
            true => Rules::of_program(config)?,
            false => Rules::with(config)?,
        };
        rules.check(plain).map_err(|e| InputError::new("", e))?;
        let discovery = if self.whole {
            Ok(Discovery::default())
        } else if self.group == Group::Pthread {
            let constructors = hooks::hooks(self.module).constructors;
            library(plain, &constructors, &options.entries)
        } else {
            discover(plain, &rules, &options.entries)
        };
        let discovery = discovery.map_err(|e| InputError::new(self.place, e))?;
        let scenarios = scenarios(plain, &discovery.entries, &rules, options)?;
        Ok(Found {
            rules,
            discovery,
            scenarios,
        })
    }

    /// The module before the first step that closes it.
    fn closing<'b>(
        &'b self,
        context: &'c Context,
        plain: &'b Program,
        found: &'b Found,
    ) -> Closing<'b, 'c> {
        Closing {
            context,
            module: self.module,
            plain,
            discovery: &found.discovery,
            rules: &found.rules,
            options: &self.options,
            group: self.group,
            whole: self.whole,
            threads: most_threads(&found.scenarios),
            place: self.place,
            asked: BTreeSet::new(),
            default_models: Vec::new(),
            unmodelled_asm: Vec::new(),
            told: Told::default(),
            notes: found.discovery.notes.clone(),
            step: "",
        }
    }

    /// The concurrent program of a module that has been closed; `source`: the locations of what was decoded before.
    fn concurrent(
        &self,
        source: SourceMap,
        found: Found,
        done: Done,
    ) -> Result<Closed, InputError> {
        let discovery = found.discovery;
        let mut concurrent = self.decode(Seed {
            source,
            sites: number_sites(self.module, self.marked),
            indices: self.indices,
            marked: self.marked,
        })?;
        concurrent.harness = done.told.resolve(&concurrent);
        rings::silence(&mut concurrent);
        seqcounts::silence(&mut concurrent);
        let taking = discovery.registrars.iter().filter(|r| r.takes_back);
        Ok(Closed {
            sequential: empty_like(&concurrent),
            concurrent,
            takes_back: taking.map(|r| r.function.clone()).collect(),
            entries: discovery.entries,
            scenarios: found.scenarios,
            merged: found.rules.merged().to_vec(),
            identity: choices(discovery.identity.choices, &done.default_models),
            default_models: done.default_models,
            unmodelled_asm: done.unmodelled_asm,
            notes: done.notes,
        })
    }

    /// Makes the module sequential.
    fn sequentialize(&self) -> Result<(), InputError> {
        let runtimes = models::group_for(self.module, Group::Sequential)?;
        sequentialize(self.module, &self.options, &runtimes)
            .map_err(|e| bug(self.place, "sequentializing", e.to_string()))
    }

    /// The sequential program, with the sites of the concurrent one.
    fn sequential(&self, concurrent: &Program, told: &Told) -> Result<Program, InputError> {
        let mut sequential = self.decode(Seed {
            source: concurrent.source.clone(),
            sites: concurrent.sites.clone(),
            indices: self.indices,
            marked: self.marked,
        })?;
        sequential.harness = told.resolve(&sequential);
        sequential.sites = concurrent.sites.clone();
        Ok(sequential)
    }
}

impl Found {
    /// An answer that says no more than what was found.
    fn alone(self, plain: Program) -> Closed {
        Closed {
            sequential: empty_like(&plain),
            concurrent: plain,
            entries: self.discovery.entries,
            scenarios: self.scenarios,
            merged: self.rules.merged().to_vec(),
            default_models: Vec::new(),
            identity: Vec::new(),
            takes_back: Vec::new(),
            unmodelled_asm: Vec::new(),
            notes: self.discovery.notes,
        }
    }
}

impl Done {
    fn of(closing: Closing<'_, '_>) -> Done {
        let mut notes = closing.notes;
        notes.extend(foreign::unseen_threads(&closing.default_models));
        Done {
            default_models: closing.default_models,
            unmodelled_asm: closing.unmodelled_asm,
            told: closing.told,
            notes,
        }
    }
}

fn bug(place: &str, what: &str, e: String) -> InputError {
    InputError::new(place, format!("{what} failed: {e}")).advise("a bug in irkiss")
}

/// What was assumed of objects from outside: of results, those of functions that turned out to have no model.
fn choices(all: Vec<Choice>, unmodelled: &[(String, u32)]) -> Vec<Choice> {
    let counts = |c: &Choice| match &c.what {
        FromOutside::Parameter { .. } => true,
        FromOutside::Result(f) => unmodelled.iter().any(|(name, _)| name == f),
    };
    all.into_iter().filter(counts).collect()
}

fn load_all<'c>(
    context: &'c Context,
    inputs: &[PathBuf],
    stage: &mut dyn FnMut(&str),
) -> Result<Module<'c>, InputError> {
    let mut all: Option<Module<'c>> = None;
    for path in inputs {
        stage(&format!("reading {}", path.display()));
        let module = read(context, path)?;
        match &all {
            None => all = Some(module),
            Some(first) => link(first, module, &path.display().to_string())?,
        }
    }
    let all = all.ok_or_else(|| InputError::new("", "no input files"))?;
    load::assume_target(&all);
    Ok(all)
}

/// A program without content, for what was not asked for.
fn empty_like(program: &Program) -> Program {
    Program {
        layout: program.layout.clone(),
        source: Default::default(),
        globals: IdVec::new(),
        functions: IdVec::new(),
        debug_types: IdVec::new(),
        sites: IdVec::new(),
        marked: program.marked,
        harness: Default::default(),
        runtime: Default::default(),
    }
}
