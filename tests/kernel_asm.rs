//! Inline assembly in real drivers: `make check-asm K=kernel-work`, with the bitcode of Linux 6.1 in `K/bc/6.1` (-O2) and
//! `K/bc/6.1-nopass` (passes disabled). At most 1 % of the sites of each form may be without a model; they are printed.
//! Without bitcode there is nothing to do. (`llvm-dis-22` counts the sites of the input.)

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use irkiss::config::Options;
use irkiss::deadline::Deadline;
use irkiss::internals::frontend::Goal;
use irkiss::internals::frontend::child::{Limits, close_in_child_of};

/// Calls of inline assembly in a file.
fn sites(input: &Path) -> u32 {
    let out = Command::new("llvm-dis-22")
        .args(["-o", "-"])
        .arg(input)
        .output()
        .expect("llvm-dis-22 runs");
    let text = String::from_utf8_lossy(&out.stdout);
    let is_site = |line: &&str| {
        let call = line.split_once("call").map_or("", |(_, rest)| rest);
        let before = call.split('@').next().unwrap_or_default();
        line.starts_with(' ') && before.contains(" asm ")
    };
    text.lines().filter(is_site).count() as u32
}

fn check(folder: &Path) {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "bc"))
        .collect();
    files.sort();
    let (mut all, mut unknown) = (0, 0);
    let mut texts: BTreeMap<String, (u32, Vec<String>)> = BTreeMap::new();
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let answer = close_in_child_of(
            Path::new(env!("CARGO_BIN_EXE_irkiss")),
            std::slice::from_ref(file),
            &Options::default(),
            Goal::Concurrent,
            Limits::default(),
            Deadline::after(None),
            &mut |_| {},
        );
        match answer {
            Ok((closed, _)) => {
                all += sites(file);
                for (text, count) in closed.unmodelled_asm {
                    unknown += count;
                    let entry = texts.entry(text).or_default();
                    entry.0 += count;
                    entry.1.push(name.to_string());
                }
            }
            Err(e) => {
                let e = e.to_string();
                assert!(!e.contains("a bug in irkiss"), "{e}");
                println!("{name}: {e}");
            }
        }
    }
    println!(
        "{}: {} files, {all} sites, {unknown} without a model",
        folder.display(),
        files.len()
    );
    for (text, (count, drivers)) in &texts {
        println!("{count:5}  {text}  ({})", drivers.join(", "));
    }
    assert!(
        unknown * 100 <= all,
        "{unknown} of {all} sites without a model in {}",
        folder.display()
    );
}

#[test]
fn nearly_all_inline_assembly_of_drivers_has_a_model() {
    let Some(root) = std::env::var_os("IRKISS_CORPUS").map(PathBuf::from) else {
        eprintln!("no bitcode in IRKISS_CORPUS: not checked");
        return;
    };
    let folders = ["bc/6.1-nopass", "bc/6.1"].map(|f| root.join(f));
    let there: Vec<&PathBuf> = folders.iter().filter(|f| f.is_dir()).collect();
    assert!(!there.is_empty(), "none of {folders:?} is there");
    there.into_iter().for_each(|folder| check(folder));
}
