//! Discovery against real drivers: `make check-entry-points K=kernel-work`, with the bitcode of Linux 6.1 in
//! `K/bc/6.1` (-O2) and `K/bc/6.1-nopass` (passes disabled). Without bitcode there is nothing to do.
//!
//! - Against a list made by hand from the source (`data/entry-points.txt`): at least 99 % found, the rest printed.
//! - Against the bitcode itself: of all functions whose address is taken anywhere (initialiser, argument, store, phi), at least
//!   99 % are listed, as a thread or with the reason why they are none.
//! - Against counts of fields and callback arguments over the corpus (`data/kernel-*.txt`): fields without any entry point are
//!   printed. They are those that hold functions of the kernel itself only, which are no part of the input.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// What `--list-entry-points` says of one input.
struct Listed {
    /// Functions that are threads.
    threads: BTreeSet<String>,
    /// Functions that are none.
    nested: BTreeSet<String>,
    /// All places.
    places: BTreeSet<String>,
}

fn folders() -> Vec<PathBuf> {
    let Some(root) = std::env::var_os("IRKISS_CORPUS").map(PathBuf::from) else {
        eprintln!("no bitcode in IRKISS_CORPUS: not checked");
        return Vec::new();
    };
    let folders = ["bc/6.1", "bc/6.1-nopass"].map(|f| root.join(f));
    let there: Vec<PathBuf> = folders.iter().filter(|f| f.is_dir()).cloned().collect();
    assert!(!there.is_empty(), "none of {folders:?} is there");
    there
}

fn inputs(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "bc"))
        .collect();
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned()
}

fn list(input: &Path) -> Listed {
    let output = Command::cargo_bin("irkiss")
        .expect("the command is built")
        .args(["--list-entry-points", "--format", "json"])
        .arg(input)
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {error}", input.display());
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut listed = Listed {
        threads: BTreeSet::new(),
        nested: BTreeSet::new(),
        places: BTreeSet::new(),
    };
    for entry in value["entry_points"].as_array().expect("a list") {
        let text = |v: &serde_json::Value| v.as_str().expect("a string").to_string();
        let to = match entry["phase"].as_str() {
            Some("nested") => &mut listed.nested,
            _ => &mut listed.threads,
        };
        to.insert(text(&entry["function"]));
        listed.places.insert(text(&entry["via"]));
        listed
            .places
            .extend(entry["also"].as_array().expect("a list").iter().map(text));
    }
    listed
}

/// The list made by hand: driver to (function, how registered).
fn by_hand() -> BTreeMap<String, Vec<(String, String)>> {
    let mut list: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in include_str!("data/entry-points.txt").lines() {
        let mut words = line.splitn(3, ' ');
        if let (false, Some(driver), Some(function), Some(how)) = (
            line.starts_with('#'),
            words.next(),
            words.next(),
            words.next(),
        ) {
            list.entry(driver.to_string())
                .or_default()
                .push((function.to_string(), how.to_string()));
        }
    }
    list
}

/// The functions with a body whose address stands anywhere but as the target of a direct call.
fn address_taken(input: &Path) -> BTreeSet<String> {
    let output = std::process::Command::new("llvm-dis-22")
        .args(["-o", "-"])
        .arg(input)
        .output()
        .expect("llvm-dis-22 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut defined = BTreeSet::new();
    let mut taken = BTreeSet::new();
    for line in text.lines() {
        let skipped = [
            "declare",
            "!",
            ";",
            "@llvm.",
            "@__UNIQUE_ID_",
            "@__exitcall",
            "@__ksymtab",
        ];
        if line.starts_with("define") {
            defined.extend(symbols(line).into_iter().take(1).map(|(name, _)| name));
        } else if !skipped.iter().any(|s| line.starts_with(s))
            && !line.contains("#dbg_")
            && !line.contains(" alias ")
        {
            taken.extend(
                symbols(line)
                    .into_iter()
                    .filter(|(_, call)| !call)
                    .map(|(name, _)| name),
            );
        }
    }
    &taken & &defined
}

/// The symbols of a line, and whether each is followed by a parenthesis.
fn symbols(line: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find('@') {
        rest = &rest[at + 1..];
        let end = match rest.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map_or(rest.len(), |e| e + 2),
            None => rest
                .find(|c: char| !c.is_alphanumeric() && !"_.$-".contains(c))
                .unwrap_or(rest.len()),
        };
        let name = rest[..end].trim_matches('"').to_string();
        found.push((name, rest[end..].starts_with('(')));
        rest = &rest[end..];
    }
    found
}

#[test]
fn entry_points_of_real_drivers() {
    for folder in folders() {
        let hand = by_hand();
        let (mut listed_by_hand, mut missed_by_hand) = (0, Vec::new());
        let (mut taken, mut not_listed) = (0, Vec::new());
        let (mut threads, mut nested) = (0, 0);
        let mut places = BTreeSet::new();
        let inputs = inputs(&folder);
        for input in &inputs {
            let (driver, listed) = (stem(input), list(input));
            threads += listed.threads.len();
            nested += listed.nested.len();
            for function in address_taken(input) {
                taken += 1;
                if !listed.threads.contains(&function) && !listed.nested.contains(&function) {
                    not_listed.push(format!("{driver} {function}"));
                }
            }
            for (function, how) in hand.get(&driver).into_iter().flatten() {
                listed_by_hand += 1;
                // Modules name their own functions init_module and cleanup_module.
                let alias = match how.as_str() {
                    "module_init" => "init_module",
                    "module_exit" => "cleanup_module",
                    _ => "",
                };
                let callback = how.ends_with(" callback") && listed.nested.contains(function);
                if !callback
                    && !listed.threads.contains(function)
                    && !listed.threads.contains(alias)
                {
                    missed_by_hand.push(format!("{driver} {function} {how}"));
                }
            }
            places.extend(listed.places);
        }
        println!("{}: {} drivers", folder.display(), inputs.len());
        println!("  {threads} entry points, {nested} functions that are no threads");
        let found = listed_by_hand - missed_by_hand.len();
        println!("  by hand: {found} of {listed_by_hand}; missed: {missed_by_hand:?}");
        println!("  address taken: {taken}; not listed: {not_listed:?}");
        for (name, table) in [
            ("fields", include_str!("data/kernel-ops-fields.txt")),
            ("arguments", include_str!("data/kernel-callback-args.txt")),
        ] {
            let lines = table.lines().skip(2).filter_map(|l| {
                let mut words = l.split_whitespace();
                Some((words.next()?.parse::<u32>().ok()?, words.nth(1)?))
            });
            let (known, without): (Vec<_>, Vec<_>) =
                lines.partition(|(_, place)| places.contains(*place));
            let count = |list: &[(u32, &str)]| list.iter().map(|(n, _)| n).sum::<u32>();
            let with: u32 = count(&known);
            println!("  {name}: {with} pointers in places with entry points; none at {without:?}");
        }
        assert!(missed_by_hand.len() * 100 <= listed_by_hand);
        assert!(not_listed.len() * 100 <= taken);
    }
}

#[test]
fn the_list_by_hand_is_read() {
    let list = by_hand();
    assert_eq!(list.len(), 20);
    assert!(list.values().map(Vec::len).sum::<usize>() > 400);
    let line = "@ops = internal constant %s { ptr @a, ptr @\"b c\" }, call void @f(ptr @g)";
    let names: Vec<String> = symbols(line)
        .into_iter()
        .filter(|s| !s.1)
        .map(|s| s.0)
        .collect();
    assert_eq!(names, ["ops", "a", "b c", "g"]);
}
