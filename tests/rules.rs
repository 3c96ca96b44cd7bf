//! The user's own rules and lock functions (`--config`), and `irkiss rules`, as users meet them.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// A driver whose two operations count under a lock of its own, registered through a table that no rule knows.
const DRIVER: &str = r#"
struct demo_ops { int (*first)(void); int (*second)(void); };
extern int demo_register(const struct demo_ops *ops);
extern void demo_take(void *lock);
extern void demo_give(void *lock);
static int lock, users;
static int first(void) { demo_take(&lock); users++; demo_give(&lock); return 0; }
static int second(void) { demo_take(&lock); users--; demo_give(&lock); return 0; }
static const struct demo_ops ops = { first, second };
static int demo_init(void) { return demo_register(&ops); }
int init_module(void) __attribute__((alias("demo_init")));
static void *__attribute__((used)) __UNIQUE_ID___addressable_init_module1 = (void *)&init_module;
"#;

fn irkiss(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("irkiss")
        .expect("the command is built")
        .args(args)
        .output()
        .expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// The folder, the driver as bitcode, and the configuration.
fn with(config: &str) -> (tempfile::TempDir, String, String) {
    with_source(DRIVER, config)
}

fn with_source(source: &str, config: &str) -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = |name: &str| -> PathBuf { folder.path().join(name) };
    std::fs::write(file("demo.c"), source).expect("written");
    std::fs::write(file("rules.toml"), config).expect("written");
    let status = std::process::Command::new("clang-22")
        .args([
            "-g",
            "-O2",
            "-Xclang",
            "-disable-llvm-passes",
            "-emit-llvm",
            "-c",
            "-o",
        ])
        .args([file("demo.bc"), file("demo.c")])
        .status()
        .expect("clang-22 runs");
    assert!(status.success());
    let name = |p: PathBuf| Path::to_str(&p).expect("UTF-8").to_string();
    let (input, config) = (name(file("demo.bc")), name(file("rules.toml")));
    (folder, input, config)
}

#[test]
fn own_lock_functions_exclude() {
    let (_folder, input, config) =
        with("[locks]\nacquire = [\"demo_take\"]\nrelease = [\"demo_give\"]\n");
    // No rule says when the two are called: that they race is found, and no finding.
    let (code, without, error) = irkiss(&[&input]);
    assert_eq!(code, Some(3), "{without}{error}");
    let words: Vec<&str> = without.split_whitespace().collect();
    let why = "no rule says when the kernel calls first (demo_ops.first)";
    assert!(words.join(" ").contains(why), "{without}");
    let (code, pair, error) = irkiss(&["--pair", "first,second", &input]);
    assert_eq!(code, Some(1), "{pair}{error}");
    let (code, with, error) = irkiss(&["--config", &config, &input]);
    assert_eq!(code, Some(0), "{with}{error}");
}

#[test]
fn a_rule_keeps_entry_points_apart_and_is_explained() {
    let rule = "[[rule]]\non = [\"demo_ops.first\", \"demo_ops.second\"]\nserialized_by = [\"demo_core\"]\n\
                beside_itself = false\ncite = \"demo.c: demo_register\"\n";
    let (_folder, input, config) = with(rule);
    let (code, report, error) = irkiss(&["--config", &config, &input]);
    assert_eq!(code, Some(0), "{report}{error}");

    let explain = |args: &[&str]| irkiss(&[&["rules", "--explain"], args].concat());
    let (code, text, _) = explain(&["first", &input]);
    assert_eq!(code, Some(0));
    assert!(text.contains("no rule for demo_ops.first"), "{text}");
    assert!(text.contains("may overlap with 2 entry points"), "{text}");
    let (_, text, _) = explain(&["first", "--config", &config, &input]);
    assert!(
        text.contains("kept apart by demo_core from 1 entry point\n    second (demo_ops.second)")
            && text.contains("rule: demo.c: demo_register")
            && text.contains("may overlap with 0 entry points"),
        "{text}"
    );
    let (code, _, error) = explain(&["frist", &input]);
    assert_eq!(code, Some(2));
    assert!(
        error.contains("no entry point of that name (the nearest is `first`)"),
        "{error}"
    );
}

#[test]
fn what_a_file_gets_wrong_is_one_line_with_the_nearest_name() {
    for (text, expected) in [
        (
            "[[rule]]\non = [\"demo_pos.first\"]\n",
            "rules.toml:2: neither the input nor a rule knows a struct `demo_pos`; the nearest is `demo_ops`",
        ),
        (
            "[locks]\n\nacquire = [\"demo_tak\"]\n",
            "rules.toml:3: neither the input nor a rule knows a function `demo_tak`; the nearest is `demo_take`",
        ),
        (
            "[lock]\n",
            "rules.toml:1: unknown key `lock`; the nearest is `locks`",
        ),
        (
            "[[rule]]\non = [\"demo_ops.first\"]\nseralized_by = []\n",
            "rules.toml:3: unknown key `seralized_by`; the nearest is `serialized_by`",
        ),
        ("[[rule]]\non = \"demo_ops.first\"\n", "rules.toml:2: "),
        ("[[rule]\n", "rules.toml:1: "),
        (
            "[[effect]]\non = [\"demo_register\"]\nof = [\"demo_ops.*\"]\neffects = [\"wait\"]\n",
            "rules.toml:4: unknown variant `wait`; the nearest is `waits`",
        ),
        (
            "[[effect]]\non = [\"demo_registr\"]\nof = [\"demo_ops.*\"]\neffects = []\n",
            "rules.toml:2: neither the input nor a rule knows a function `demo_registr`; the nearest is `demo_register`",
        ),
        (
            "[[effect]]\non = [\"demo_register\"]\nobjekt = 0\nof = [\"demo_ops.*\"]\neffects = []\n",
            "rules.toml:3: unknown key `objekt`; the nearest is `object`",
        ),
        (
            "[[holder]]\nof = \"demo_ops\"\nin = \"demo_register#0\"\nfields = [\"first\"]\n",
            "rules.toml:3: ",
        ),
        (
            "[[call]]\nof = \"demo_register\"\nargument = 0\napart = [1]\nset = 1\n",
            "rules.toml:4: ",
        ),
    ] {
        let (_folder, input, config) = with(text);
        for args in [
            &["--config", &config, &input][..],
            &["--list-entry-points", "--config", &config, &input],
            &["rules", "--explain", "first", "--config", &config, &input],
        ] {
            let (code, out, error) = irkiss(args);
            assert_eq!(code, Some(2), "{text}: {out}{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
            assert!(error.contains(expected), "{error}");
            assert!(out.is_empty(), "{out}");
        }
    }
    let (_folder, input, _) = with("");
    let (code, _, error) = irkiss(&["--config", "no-such.toml", &input]);
    assert_eq!(code, Some(2));
    assert!(error.contains("no-such.toml: "), "{error}");
}

/// The functions that register and cancel in the driver's own subsystem: without a rule nothing is known of them.
#[test]
fn own_effects_make_models() {
    let source = DRIVER.replace(
        "static int demo_init(void) { return demo_register(&ops); }",
        "extern void demo_unregister(const struct demo_ops *ops);\n\
         static int demo_init(void) { return demo_register(&ops); }\n\
         static void demo_exit(void) { demo_unregister(&ops); users = 0; }\n\
         void cleanup_module(void) __attribute__((alias(\"demo_exit\")));\n\
         static void *__attribute__((used)) __UNIQUE_ID___addressable_cleanup_module2 = (void *)&cleanup_module;",
    );
    let lock = "[locks]\nacquire = [\"demo_take\"]\nrelease = [\"demo_give\"]\n\
                [[rule]]\non = [\"demo_ops.first\", \"demo_ops.second\"]\ncite = \"demo.c: demo_register\"\n";
    let effect = "[[effect]]\non = [\"demo_unregister\"]\nof = [\"demo_ops.*\"]\nobject = 0\n\
                  effects = [\"blocks-new\", \"waits\"]\ncite = \"demo.c: demo_unregister\"\n";
    // It may have taken them back.
    let (_folder, input, config) = with_source(&source, lock);
    let (code, text, error) = irkiss(&["--config", &config, &input]);
    assert_eq!(code, Some(3), "{text}{error}");
    assert!(
        text.contains("calls first (demo_ops.first) for the last time"),
        "{text}"
    );
    let (_folder, input, config) = with_source(&source, &format!("{lock}{effect}"));
    let (code, text, error) = irkiss(&["--config", &config, &input]);
    assert_eq!(code, Some(0), "{text}{error}");
    let explain = ["rules", "--explain", "first", "--config", &config, &input];
    let (_, text, _) = irkiss(&explain);
    assert!(
        text.contains("demo_unregister: blocks-new, waits")
            && text.contains("rule: demo.c: demo_unregister"),
        "{text}"
    );
}

#[test]
fn the_rules_in_force_are_listed() {
    let (code, text, _) = irkiss(&["rules"]);
    assert_eq!(code, Some(0));
    for part in [
        "net_device_ops.ndo_start_xmit",
        "after net_device_ops.ndo_open",
        "never beside net_device_ops.ndo_stop",
        "net/core/dev.c: ",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let (_folder, _, config) = with("[[rule]]\non = [\"demo_ops.first\"]\ncite = \"here\"\n");
    let (_, text, _) = irkiss(&["rules", "--config", &config]);
    assert!(text.contains("demo_ops.first"), "{text}");
}
