//! What tests of the replayer share: concurrent programs from LLVM text and from C.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod annotation;
pub mod chain;
pub mod nets;
pub mod random;
pub mod traced;
pub mod typed;

use std::path::Path;
use std::process::Command;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetTriple};
use irkiss::config::{Marked, Options};
use irkiss::internals::frontend::decode::{Seed, decode};
use irkiss::internals::frontend::sequentialize::{number_sites, sequentialize};
use irkiss::internals::frontend::stubs::{Group, select};
use irkiss::internals::frontend::{Goal, close_in_process};
use irkiss::internals::program::Program;

/// Target of all test programs.
const TARGET: &str = "x86_64-linux-gnu";
const LAYOUT: &str =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// The concurrent program of a module: sites numbered, decoded.
pub fn concurrent(module: &Module<'_>) -> Program {
    module.verify().unwrap_or_else(|e| panic!("{e}"));
    let sites = number_sites(module, Marked::Kcsan);
    let seed = Seed {
        sites,
        ..Seed::default()
    };
    decode(module, seed).expect("x86-64")
}

/// Parses LLVM text (for x86-64, as the text itself need not say).
pub fn parse_ll<'c>(context: &'c Context, text: &str) -> Module<'c> {
    let text = format!("target datalayout = \"{LAYOUT}\"\ntarget triple = \"{TARGET}\"\n{text}");
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "text.ll");
    context
        .create_module_from_ir(buffer)
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The concurrent program of LLVM text.
pub fn program_of_ll(text: &str) -> Program {
    let context = Context::create();
    concurrent(&parse_ll(&context, text))
}

/// The concurrent and the sequential program (KISS) of LLVM text, with one site table.
pub fn both_of_ll(text: &str, options: &Options) -> (Program, Program) {
    let context = Context::create();
    let module = parse_ll(&context, text);
    let concurrent = concurrent(&module);
    let runtime = select(Group::Sequential, TARGET, true, 8).expect("a layout");
    sequentialize(&module, options, &runtime).expect("a sequential program");
    let seed = Seed {
        source: concurrent.source.clone(),
        sites: concurrent.sites.clone(),
        marked: concurrent.marked,
        ..Seed::default()
    };
    let sequential = decode(&module, seed).expect("x86-64");
    (concurrent, sequential)
}

/// Runs a command that must succeed; what it prints.
pub fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// C to bitcode with locals in registers, otherwise as written.
pub fn compile_c(source: &Path, folder: &Path) -> Vec<u8> {
    let (raw, ir) = (folder.join("raw.bc"), folder.join("ssa.bc"));
    run(Command::new("clang-22")
        .args(["-target", TARGET, "-O1", "-Xclang", "-disable-llvm-passes"])
        .args([
            "-g",
            "-std=gnu23",
            "-Iruntime-stubs/include",
            "-emit-llvm",
            "-c",
        ])
        .arg(source)
        .arg("-o")
        .arg(&raw));
    run(Command::new("opt-22")
        .args(["-passes=mem2reg"])
        .arg(&raw)
        .arg("-o")
        .arg(&ir));
    std::fs::read(ir).expect("written")
}

/// The concurrent program of C text that defines `__irkiss_main`, or `main`: then closed as irkiss closes a program of which no property
/// beyond races is asked.
pub fn program_of_c(text: &str) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("written");
    let bitcode = compile_c(&file, folder.path());
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(&bitcode, "bitcode");
    let module = Module::parse_bitcode_from_buffer(&buffer, &context).expect("bitcode");
    if module.get_function("__irkiss_main").is_some() {
        return concurrent(&module);
    }
    let input = folder.path().join("program.bc");
    std::fs::write(&input, bitcode).expect("written");
    let closed = close_in_process(&[input], &Options::default(), Goal::Concurrent);
    closed.unwrap_or_else(|e| panic!("{e}")).concurrent
}

/// The number that an environment variable holds.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

/// The text with its locals in registers: what is known of a lock's result is known of values.
pub fn in_registers(text: &str) -> String {
    Target::initialize_x86(&InitializationConfig::default());
    let context = Context::create();
    let module = parse_ll(&context, text);
    let triple = TargetTriple::create("x86_64-linux-gnu");
    let machine = Target::from_triple(&triple)
        .expect("x86-64")
        .create_target_machine(
            &triple,
            "",
            "",
            inkwell::OptimizationLevel::None,
            RelocMode::Default,
            CodeModel::Default,
        )
        .expect("x86-64");
    module
        .run_passes("mem2reg", &machine, PassBuilderOptions::create())
        .expect("mem2reg");
    module.print_to_string().to_string()
}
