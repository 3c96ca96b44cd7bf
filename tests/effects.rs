//! Effects of registering and cancelling functions: the rules are the one place where they stand.
//!
//! - Models made from rules obey them: with an effect taken out of a rule (by a user's file), a safe case turns racy.
//! - Functions whose model is in C (`model = true`) have one, and it does what the rule says; no other function with effects
//!   has a definition there, which would be a second truth.

use std::collections::BTreeSet;
use std::path::Path;

use assert_cmd::Command;
use irkiss::internals::environment::Rules;
use irkiss::internals::environment::rules::Effect;

/// The C models of the kernel's functions, without comments.
fn models() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime-stubs/linux");
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).expect("the models") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "c") {
            text += &std::fs::read_to_string(path).expect("UTF-8");
        }
    }
    let mut parts = text.split("/*");
    let mut bare = parts.next().unwrap_or_default().to_string();
    for part in parts {
        bare += part.split_once("*/").map_or("", |(_, rest)| rest);
    }
    bare
}

/// The body of a function that is defined there; one that is named after a field has another name in C (`FIELD("struct.field")`).
fn body<'a>(models: &'a str, function: &str) -> Option<&'a str> {
    let named = models.split_once(&format!(") FIELD(\"{function}\")"));
    let in_c = named.and_then(|(before, _)| {
        let head = &before[before.rfind('\n').map_or(0, |n| n + 1)..];
        let name = head.split_once('(')?.0.rsplit([' ', '*']).next()?;
        Some(name.to_string())
    });
    let function = in_c.as_deref().unwrap_or(function);
    let mut from = 0;
    while let Some(at) = models[from..].find(&format!("{function}(")) {
        let start = from + at;
        from = start + function.len();
        let line = models[..start].rfind('\n').map_or(0, |n| n + 1);
        let before = &models[line..start];
        let head = models[start..].split_once('{')?.0;
        let is_definition = models[line..]
            .starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !before.contains('=')
            && !head.contains(';')
            && before.ends_with([' ', '*']);
        if is_definition {
            let rest = &models[start + head.len()..];
            return rest.split_once("\n}").map(|(body, _)| body);
        }
    }
    None
}

/// The body of a function and of those that it calls.
fn all_of(models: &str, function: &str) -> String {
    let mut text = String::new();
    // Numbers of interrupts are chosen with an assumption, and nobody waits for that.
    let mut seen = BTreeSet::from([function.to_string(), "__irkiss_vector".to_string()]);
    // Whoever asks for a grace period is held up for it, as anybody may be; it waits for nobody.
    seen.insert("free_after_grace".to_string());
    let mut work = vec![function.to_string()];
    while let Some(function) = work.pop() {
        let Some(body) = body(models, &function) else {
            continue;
        };
        text += body;
        for (at, _) in body.match_indices('(') {
            let name: String = body[..at]
                .chars()
                .rev()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            let name: String = name.chars().rev().collect();
            if !name.is_empty() && seen.insert(name.clone()) {
                work.push(name);
            }
        }
    }
    text
}

#[test]
fn a_model_in_c_does_what_the_rule_says() {
    let (models, rules) = (models(), Rules::built_in());
    let mut checked = 0;
    for rule in rules.effects() {
        for function in &rule.on {
            let Some(own) = body(&models, function) else {
                assert!(!rule.model, "{function} has no model");
                continue;
            };
            assert!(
                rule.model,
                "{function} has a model in C beside the one that is made from the rule: {own}"
            );
            let all = all_of(&models, function);
            let does = |words: &[&str]| words.iter().any(|w| all.contains(w));
            let starts = does(&["IRKISS_GHOST_ARMED, 1", "__irkiss_arm(", "__irkiss_born("]);
            let waits = does(&["__irkiss_assume("]);
            let blocks = does(&["IRKISS_GHOST_SCHEDULED, 1"]);
            let says = |effect| rule.effects.contains(&effect);
            assert_eq!(starts, says(Effect::Starts), "{function} starts");
            // Functions that wait for readers, not for what they are about.
            if !function.starts_with("synchronize_") {
                assert_eq!(waits, says(Effect::Waits), "{function} waits");
            }
            assert_eq!(blocks, says(Effect::BlocksNew), "{function} blocks-new");
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn every_function_is_about_places_that_rules_know() {
    let rules = Rules::built_in();
    for rule in rules.effects() {
        for place in &rule.of {
            let known = match place.strip_suffix(".*") {
                Some(structure) => rules.knows_struct(structure),
                None => rules.place(place).is_some(),
            };
            assert!(known, "{:?}: no rule for {place}", rule.on);
        }
        assert!(rule.cite.contains(".c: "), "{:?} cites nothing", rule.on);
        let several = |f: &String| {
            let same = rules.effects().iter().filter(|e| e.on.contains(f));
            same.map(|e| e.answer)
                .collect::<Vec<_>>()
                .windows(2)
                .any(|w| w[0] != w[1])
        };
        let differ = rule.on.iter().find(|f| several(f));
        assert!(differ.is_none(), "{differ:?} answers in two ways");
    }
}

/// Without the effect the case is racy: file with the changed rule, case.
#[test]
fn what_the_rules_say_is_what_the_models_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("rules.toml");
    for (case, changed) in [
        (
            "usb_safe",
            "on = [\"usb_kill_urb\"]\nof = [\"urb.complete\"]\nobject = 0\neffects = []\n",
        ),
        (
            "deregister_safe",
            "on = [\"misc_deregister\"]\nof = [\"file_operations.open\"]\nobject = 0\neffects = [\"blocks-new\"]\n",
        ),
        (
            "deregister_safe",
            "on = [\"misc_deregister\"]\nof = [\"file_operations.open\"]\nobject = 0\neffects = [\"waits\"]\n",
        ),
        (
            "removed_safe",
            "on = [\"device_remove_file\"]\nof = [\"device_attribute.*\"]\nobject = 1\neffects = []\n",
        ),
        (
            "removed_safe",
            "on = [\"sysfs_remove_group\"]\nof = [\"device_attribute.*\"]\nobject = 1\neffects = [\"blocks-new\"]\n",
        ),
        (
            "flush_safe",
            "on = [\"flush_work\"]\nof = [\"work_struct.func\"]\nobject = 0\neffects = []\n",
        ),
        (
            "flush_safe",
            "on = [\"destroy_workqueue\"]\nof = [\"work_struct.func\"]\ncontainer = 0\neffects = []\n",
        ),
        (
            "flush_safe",
            "on = [\"kthread_stop\"]\nof = [\"kthread_create_on_node#0\"]\nobject = 0\neffects = [\"disarms\"]\n",
        ),
    ] {
        let bitcode = folder.path().join(format!("{case}.bc"));
        let source = format!(
            "{}/test-bitcode/drivers/{case}.c",
            env!("CARGO_MANIFEST_DIR")
        );
        let status = std::process::Command::new("clang-22")
            .args(["-g", "-O2", "-Xclang", "-disable-llvm-passes"])
            .args(["-emit-llvm", "-c", "-o"])
            .args([bitcode.as_os_str(), source.as_ref()])
            .status()
            .expect("clang-22 runs");
        assert!(status.success());
        let check = |config: Option<&Path>| {
            let mut command = Command::cargo_bin("irkiss").expect("built");
            if let Some(config) = config {
                command.arg("--config").arg(config);
            }
            let output = command.arg(&bitcode).output().expect("it runs");
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            (
                output.status.code(),
                text(output.stdout) + &text(output.stderr),
            )
        };
        let (code, text) = check(None);
        assert_eq!(code, Some(0), "{case}: {text}");
        std::fs::write(&config, format!("[[effect]]\n{changed}")).expect("written");
        let (code, text) = check(Some(&config));
        assert_eq!(code, Some(1), "{case} with {changed}: {text}");
    }
}
