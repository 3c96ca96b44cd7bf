//! From input files to the closed programs: the stages of the child process, in order.

mod asked;
mod checked;
mod declared;
mod defaults;
mod fit;
mod flags;
mod formats;
mod handed;
mod hooks;
mod identity;
mod idle;
mod layout;
pub(super) mod models;
mod outside;
mod reached;
mod record;
mod results;
mod scan;
mod scenario;
mod silenced;
mod spellings;
mod thread_local;
mod unknown;

use std::path::PathBuf;

use inkwell::context::Context;
use inkwell::module::Module;
use llvm_sys::LLVMLinkage;
use llvm_sys::core::{LLVMGetNamedFunction, LLVMGetNamedGlobal, LLVMSetLinkage};

use super::decode::{Indices, Seed, decode};
use super::llvm::load::{link, parse, read};
use super::llvm::prepare::{prepare, run};
use super::llvm::raw::{Val, functions};
use super::llvm::{asm, fixed, load};
use super::sequentialize::{number_sites, sequentialize};
use super::stubs::Group;
use super::{Closed, Goal, NO_ENTRY_POINTS};
use crate::config::{Marked, Options};
use crate::environment::identity::{Choice, FromOutside};
use crate::environment::scenario::{most_threads, scenarios};
use crate::environment::{Discovery, Rules, discover, harness, library};
use crate::error::InputError;
use crate::index::IdVec;
use crate::program::Program;

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
    spellings::name_globals(&module);
    silenced::note_unwatched(&module);
    spellings::mark_questions(&module);
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
    let rules = Rules::with(options.config.as_deref())?;
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
    let mut notes = discovery.notes.clone();
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
                unmodelled_asm: Vec::new(),
                notes,
            },
            text: String::new(),
        });
    }
    if !whole && discovery.entries.is_empty() {
        return Err(InputError::new(&place, NO_ENTRY_POINTS).advise("name one with --entry"));
    }
    // Calls that leave the input become calls of functions without a body.
    outside::redirect(&module, &discovery.fields.calls);
    let asked = asked::asked_for_errors(&module);
    identity::note(&module, &discovery.identity);
    notes.extend(silenced::forget_masked_checks(&module));
    // 4. Close: the harness first, since it refers to models; then models; then defaults for what is left.
    stage(&format!("closing {place}"));
    link_harness(
        &context,
        &module,
        &plain,
        &discovery,
        (whole, group, options, &rules, most_threads(&scenarios)),
        &place,
    )?;
    link_own_locks(&context, &module, &plain, &rules)?;
    scan::lower_scans(&module, group);
    if group == Group::Linux {
        fixed::name_register_reads(&module);
        fixed::name_current_task(&module);
        fixed::name_time(&module);
        spellings::restore_unlocks(&module);
        spellings::restore_page_addresses(&module);
        spellings::forget_write_barriers(&module);
        notes.extend(spellings::note(&module, &plain));
    }
    if group == Group::Pthread {
        scan::lower_prints(&module);
        flags::mark_signal_flags(&module);
        unknown::declare_models(&module);
        reached::forget_empty_errors(&module);
    }
    models::link_models(&context, &module, group, options)?;
    let entries = discovery.entries.iter().map(|e| e.function.as_str());
    models::are_entry_points(&module, entries);
    notes.extend(models::replace_by_models(&module));
    let answered = identity::answer(&module, &asked);
    let fitting = match group {
        Group::Linux => fit::Fitting::Plain,
        _ => fit::Fitting::Converted,
    };
    fit::fit_calls(&module, fitting);
    silenced::silence_accesses(&module).map_err(|e| bug("inlining into data_race()", e))?;
    notes.extend(models::emptied());
    layout::define_layouts(&module, &plain);
    outside::mark_models(&module, &discovery.fields.functions);
    let unmodelled_asm = asm::lower_inline_asm(&module, spellings::one_processor(&plain));
    fixed::lower_fixed_addresses(&module);
    thread_local::lower_thread_locals(&module);
    scenario::settle_scenario(&module, options);
    checked::keep(&module, LLVMLinkage::LLVMExternalLinkage);
    unknown::keep_models(&module, LLVMLinkage::LLVMExternalLinkage);
    // Functions that nothing refers to any more (replaced helpers) would bring defaults of their own.
    run(&module, "globaldce").map_err(|e| bug("removing dead functions", e))?;
    if group == Group::Linux {
        handed::write(&module);
    }
    let mut default_models = defaults::define_defaults(&module, group, &asked);
    default_models.extend(answered);
    default_models.sort();
    unknown::keep_models(&module, LLVMLinkage::LLVMInternalLinkage);
    checked::put_checks(&module);
    idle::skip_idle_loops(&module);
    // Models come unprepared; preparing them may leave functions that nothing calls.
    prepare(&module).map_err(|e| bug("preparing the models", e))?;
    run(&module, "globaldce").map_err(|e| bug("removing dead functions", e))?;
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
    let concurrent = decode(&module, seed).map_err(|e| InputError::new(&place, e))?;
    let mut closed = Closed {
        sequential: empty_like(&concurrent),
        concurrent,
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

/// Links the start functions (`__irkiss_main`, and for a driver those that the checks start from).
fn link_harness<'c>(
    context: &'c Context,
    module: &Module<'c>,
    plain: &Program,
    discovery: &Discovery,
    (whole, group, options, rules, threads): (bool, Group, &Options, &Rules, usize),
    place: &str,
) -> Result<(), InputError> {
    let text = if whole {
        harness::main_harness(plain, &hooks::hooks(module))
    } else {
        for name in harness::referenced_symbols(plain, &discovery.entries, &discovery.registrars) {
            make_visible(module, &name);
        }
        harness::driver_harness(
            plain,
            &discovery.entries,
            (&discovery.objects, &discovery.identity),
            &discovery.registrars,
            (options.lock_misuse || options.deadlock || options.removed).then_some(rules),
            threads,
        )
    };
    let mut text = text.map_err(|e| InputError::new(place, e))?;
    if !whole && group == Group::Pthread {
        text.push_str(&harness::idle_models(&hooks::hooks(module).idle));
    }
    let own = parse(context, text.as_bytes(), "harness.ll")?;
    load::set_target(&own, module);
    for function in functions(&own) {
        if !function.is_declaration() {
            models::mark_as_model(function);
        }
    }
    link(module, own, "harness.ll")?;
    identity::mark(module);
    record::redirect(module);
    Ok(())
}

/// Links models of the lock functions that the user names.
fn link_own_locks<'c>(
    context: &'c Context,
    module: &Module<'c>,
    plain: &Program,
    rules: &Rules,
) -> Result<(), InputError> {
    let text = harness::own_locks(plain, rules.locks());
    if text.is_empty() {
        return Ok(());
    }
    let own = parse(context, text.as_bytes(), "locks.ll")?;
    load::set_target(&own, module);
    for function in functions(&own) {
        if !function.is_declaration() {
            models::mark_as_model(function);
        }
    }
    for name in rules.locks().acquire.iter().chain(&rules.locks().release) {
        models::make_internal(module, name);
    }
    link(module, own, "locks.ll")
}

/// An internal symbol that the harness names must be found by the linker.
fn make_visible(module: &Module<'_>, name: &str) {
    let Ok(name) = std::ffi::CString::new(name) else {
        return;
    };
    unsafe {
        for found in [
            LLVMGetNamedFunction(module.as_mut_ptr(), name.as_ptr()),
            LLVMGetNamedGlobal(module.as_mut_ptr(), name.as_ptr()),
        ] {
            if let Some(symbol) = Val::maybe(found)
                && !symbol.is_external()
            {
                LLVMSetLinkage(symbol.raw(), llvm_sys::LLVMLinkage::LLVMExternalLinkage);
            }
        }
    }
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
    }
}
