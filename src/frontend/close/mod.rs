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
use crate::environment::scenario::{most_threads, scenarios};
use crate::environment::{Discovery, Rules, discover, library};
use crate::error::InputError;
use crate::index::IdVec;
use crate::program::Program;
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
    let place = inputs
        .first()
        .map(|p| p.display().to_string())
        .unwrap_or_default();
    stage(&format!("preparing {place}"));
    let bug = |what: &str, e: String| {
        InputError::new(&place, format!("{what} failed: {e}")).advise("a bug in irkiss")
    };
    // 2. Prepare: locals into registers, dead branches out.
    prepare(&module).map_err(|e| bug("preparing the module", e))?;
    idioms::name_globals(&module);
    silenced::note_unwatched(&module);
    idioms::mark_questions(&module);
    // 3. Decode for discovery. A program with `main` has no other entry points.
    let whole = models::defines(&module, "main") && options.entries.is_empty();
    let group = match whole || hooks::uses_threads(&module) {
        true => Group::Pthread,
        false => Group::Linux,
    };
    let marked = options.marked.unwrap_or(match group {
        Group::Pthread => Marked::C11,
        _ => Marked::Kcsan,
    });
    let options = &Options {
        marked: Some(marked),
        ..options.clone()
    };
    let plain = decode(&module, Seed::default()).map_err(|e| InputError::new(&place, e))?;
    stage(&format!("looking for entry points of {place}"));
    let config = options.config.as_deref();
    let rules = match whole {
        true => Rules::of_program(config)?,
        false => Rules::with(config)?,
    };
    rules.check(&plain).map_err(|e| InputError::new("", e))?;
    let discovery = if whole {
        Discovery::default()
    } else if group == Group::Pthread {
        let constructors = hooks::hooks(&module).constructors;
        library(&plain, &constructors, &options.entries).map_err(|e| InputError::new(&place, e))?
    } else {
        discover(&plain, &rules, &options.entries).map_err(|e| InputError::new(&place, e))?
    };
    let scenarios = scenarios(&plain, &discovery.entries, &rules, options)?;
    let notes = discovery.notes.clone();
    if goal == Goal::EntryPoints {
        return Ok(Product {
            closed: Closed {
                sequential: empty_like(&plain),
                concurrent: plain,
                entries: discovery.entries,
                scenarios,
                merged: rules.merged().to_vec(),
                default_models: Vec::new(),
                identity: Vec::new(),
                takes_back: Vec::new(),
                unmodelled_asm: Vec::new(),
                notes,
            },
            text: String::new(),
        });
    }
    if !whole && discovery.entries.is_empty() {
        return Err(InputError::new(&place, NO_ENTRY_POINTS).advise("name one with --entry"));
    }
    // 4. Close it.
    stage(&format!("closing {place}"));
    let mut closing = Closing {
        context: &context,
        module: &module,
        plain: &plain,
        discovery: &discovery,
        rules: &rules,
        options,
        group,
        whole,
        threads: most_threads(&scenarios),
        place: &place,
        asked: BTreeSet::new(),
        default_models: Vec::new(),
        unmodelled_asm: Vec::new(),
        told: Told::default(),
        notes,
        step: "",
    };
    closing.run()?;
    let Closing {
        default_models,
        unmodelled_asm,
        told,
        mut notes,
        ..
    } = closing;
    notes.extend(foreign::unseen_threads(&default_models));
    // 5. The concurrent program.
    stage(&format!("decoding {place}"));
    let sites = number_sites(&module, marked);
    let indices = match options.strict {
        true => Indices::Object,
        false => Indices::Declared,
    };
    let seed = Seed {
        source: plain.source,
        sites,
        indices,
        marked,
    };
    let mut concurrent = decode(&module, seed).map_err(|e| InputError::new(&place, e))?;
    concurrent.harness = told.resolve(&concurrent);
    rings::silence(&mut concurrent);
    let taking = discovery.registrars.iter().filter(|r| r.takes_back);
    let takes_back = taking.map(|r| r.function.clone()).collect();
    let mut closed = Closed {
        sequential: empty_like(&concurrent),
        concurrent,
        takes_back,
        entries: discovery.entries,
        scenarios,
        merged: rules.merged().to_vec(),
        identity: choices(discovery.identity.choices, &default_models),
        default_models,
        unmodelled_asm,
        notes,
    };
    let mut text = String::new();
    // 6. The sequential program, with the same sites.
    if matches!(goal, Goal::Sequential | Goal::SequentialText) {
        stage(&format!("sequentializing {place}"));
        let runtimes = models::group_for(&module, Group::Sequential)?;
        sequentialize(&module, options, &runtimes)
            .map_err(|e| bug("sequentializing", e.to_string()))?;
        if goal == Goal::SequentialText {
            text = module.print_to_string().to_string();
        }
        let seed = Seed {
            source: closed.concurrent.source.clone(),
            sites: closed.concurrent.sites.clone(),
            indices,
            marked,
        };
        closed.sequential = decode(&module, seed).map_err(|e| InputError::new(&place, e))?;
        closed.sequential.harness = told.resolve(&closed.sequential);
        closed.sequential.sites = closed.concurrent.sites.clone();
    }
    Ok(Product { closed, text })
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
