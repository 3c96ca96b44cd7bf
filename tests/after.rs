//! What users do with findings: show one, ask what is open, say that one is meant or known, compare two reports.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// Two races of a program: on a counter, which two threads increment, and on a flag.
const SOURCE: &str = r"#include <pthread.h>
static int counter;
static int flag;
static void *worker(void *arg)
{
    counter++;
    flag = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    counter++;
    int seen = flag;
    pthread_join(t, 0);
    return seen;
}
";

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place { folder };
        place.write("p.c", SOURCE);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }

    /// Compiles a source of the folder.
    fn compile(&self, source: &str, to: &str, flags: &[&str]) {
        let status = std::process::Command::new("clang-22")
            .current_dir(self.folder.path())
            .args([
                "-g",
                "-fno-discard-value-names",
                "-emit-llvm",
                "-c",
                source,
                "-o",
                to,
            ])
            .args(flags)
            .status();
        assert!(status.expect("clang-22 runs").success());
    }

    fn irkiss(&self, args: &[&str]) -> (i32, String) {
        let output = Command::cargo_bin("irkiss")
            .expect("the command is built")
            .current_dir(self.folder.path())
            .env("IRKISS_STATE", self.path("state"))
            .args(args)
            .output()
            .expect("it runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8")
            + &String::from_utf8(output.stderr).expect("UTF-8");
        (output.status.code().expect("a code"), text)
    }

    fn json(&self, file: &str, more: &[&str]) -> serde_json::Value {
        let args = [&["--format", "json", file], more].concat();
        serde_json::from_str(&self.irkiss(&args).1).expect("an object")
    }
}

const NO_PASSES: &[&str] = &["-O2", "-Xclang", "-disable-llvm-passes"];

fn checked() -> Place {
    let place = Place::new();
    place.compile("p.c", "p.bc", NO_PASSES);
    place
}

/// `(location, id)` of the bugs.
fn bugs(report: &serde_json::Value) -> Vec<(String, String)> {
    let bugs = report["bugs"].as_array().expect("bugs");
    let text = |v: &serde_json::Value| v.as_str().expect("text").to_string();
    bugs.iter()
        .map(|b| (text(&b["locations"][0]), text(&b["id"])))
        .collect()
}

#[test]
fn a_bug_is_shown_again() {
    let place = checked();
    assert_eq!(place.irkiss(&["show", "1"]).0, 2, "nothing was checked yet");
    let (code, first) = place.irkiss(&["p.bc"]);
    assert_eq!(code, 1, "{first}");
    assert!(
        first.contains("2 bugs (2 pairs of accesses): 1 harmful, 1 "),
        "{first}"
    );
    let (code, shown) = place.irkiss(&["show", "1"]);
    assert_eq!(code, 0);
    assert!(
        shown.contains("on counter") && !shown.contains("on flag"),
        "{shown}"
    );
    assert!(first.contains(&shown), "the same picture");
    assert!(shown.contains("class: lost-update (harmful)"), "{shown}");
    for which in ["p.bc:2", "p.bc"] {
        let (code, shown) = place.irkiss(&["show", which]);
        assert!(code == 0 && shown.contains("on flag"), "{shown}");
    }
    let name = bugs(&place.json("p.bc", &[]))[1].1.clone();
    let (code, named) = place.irkiss(&["show", &name]);
    assert!(code == 0 && named.contains("on flag"), "{named}");
    let (code, none) = place.irkiss(&["show", "3"]);
    assert!(code == 2 && none.lines().count() == 1, "{none}");
    let (_, full) = place.irkiss(&["show", "1", "--trace", "full"]);
    assert!(full.contains("----") && full.lines().count() > 20, "{full}");
}

#[test]
fn what_is_meant_is_not_told_and_counted() {
    let place = checked();
    let before = place.json("p.bc", &[]);
    let id = &bugs(&before)[1].1;
    let (code, text) = place.irkiss(&["allow", id, "--reason", "a hint"]);
    assert!(code == 0 && text.contains("irkiss.toml"), "{text}");
    let report = place.json("p.bc", &[]);
    assert_eq!(bugs(&report).len(), 1);
    let aside = &report["suppressed"][0];
    assert_eq!(
        (&aside["by"], &aside["reason"]),
        (&"allow".into(), &"a hint".into())
    );
    assert_eq!(aside["location"], "flag");
    let (_, text) = place.irkiss(&["p.bc"]);
    assert!(text.contains("; 1 allowed"), "{text}");
    // From a folder below, and for a comment in the source.
    place.write(
        "p.c",
        &SOURCE.replace(
            "int main",
            "/* irkiss: allow(race) a statistic */\nint main",
        ),
    );
    std::fs::create_dir(place.path("out")).expect("a folder");
    place.compile("p.c", "out/p.bc", NO_PASSES);
    let report = place.json("out/p.bc", &[]);
    assert_eq!(
        (report["verdict"].as_str(), bugs(&report).len()),
        (Some("bounded"), 0)
    );
    let reasons: Vec<&str> = report["suppressed"]
        .as_array()
        .expect("two")
        .iter()
        .filter_map(|s| s["reason"].as_str())
        .collect();
    assert_eq!(reasons.len(), 2);
    assert!(reasons.contains(&"a statistic"), "{reasons:?}");
    assert_eq!(place.irkiss(&["out/p.bc"]).0, 0);
}

#[test]
fn an_entry_is_refused_without_a_reason_and_told_if_it_is_of_no_use() {
    let place = checked();
    place.write(
        "irkiss.toml",
        "[[allow]]\nfield = \"gone\"\nreason = \"was so\"\n",
    );
    let (_, text) = place.irkiss(&["p.bc"]);
    assert!(text.contains("irkiss.toml:1: nothing was found"), "{text}");
    place.write(
        "irkiss.toml",
        "[[allow]]\nfield = \"flag\"\nreason = \"\"\n",
    );
    let (code, text) = place.irkiss(&["p.bc"]);
    assert!(code == 2 && text.contains("irkiss.toml:1"), "{text}");
    place.write(
        "irkiss.toml",
        "[[allow]]\nfield = \"flag\"\nreason = \"until then\"\nuntil = \"2001-01-01\"\n",
    );
    let (code, text) = place.irkiss(&["p.bc"]);
    assert!(code == 1 && text.contains("ended on 2001-01-01"), "{text}");
    let (code, text) = place.irkiss(&["allow", "nothing", "--reason", "x"]);
    assert!(code == 2 && text.lines().count() == 1, "{text}");
}

#[test]
fn what_is_known_is_not_told_and_what_is_new_is() {
    let place = checked();
    place.irkiss(&["p.bc"]);
    let (code, text) = place.irkiss(&["baseline", "write", "known.json"]);
    assert!(code == 0 && text.contains("2 bugs known"), "{text}");
    let (code, text) = place.irkiss(&["--baseline", "known.json", "p.bc"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("0 bugs; 2 known"), "{text}");
    let report = place.json("p.bc", &["--baseline", "known.json"]);
    assert_eq!(report["suppressed"][0]["by"], "baseline");
    place.write(
        "p.c",
        &SOURCE
            .replace("static int flag;", "static int flag, more;")
            .replace("flag = 1;", "flag = 1;\n    more = 1;")
            .replace("int seen = flag;", "int seen = flag + more;"),
    );
    place.compile("p.c", "p.bc", NO_PASSES);
    let (code, text) = place.irkiss(&["--baseline", "known.json", "--fail-on", "new", "p.bc"]);
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("on more") && text.contains("2 known"),
        "{text}"
    );
    for (what, code) in [("never", 0), ("race", 1)] {
        assert_eq!(place.irkiss(&["--fail-on", what, "p.bc"]).0, code, "{what}");
    }
}

#[test]
fn two_reports_are_compared() {
    let place = checked();
    let keep = |name: &str| {
        let (_, text) = place.irkiss(&["--format", "json", "-o", name, "p.bc"]);
        assert!(text.is_empty(), "{text}");
    };
    keep("base.json");
    place.write("p.c", &SOURCE.replace("    flag = 1;\n", ""));
    place.compile("p.c", "p.bc", NO_PASSES);
    keep("head.json");
    let (code, text) = place.irkiss(&["diff", "base.json", "head.json"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("FIXED") && text.contains("0 new"), "{text}");
    let (code, text) = place.irkiss(&["diff", "head.json", "base.json"]);
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("NEW") && text.contains("1 the same"),
        "{text}"
    );
    let (_, text) = place.irkiss(&["diff", "--format", "json", "head.json", "base.json"]);
    let told: serde_json::Value = serde_json::from_str(&text).expect("an object");
    assert_eq!(told["new"].as_array().map(Vec::len), Some(1));
    // A baseline is a base, too.
    place.irkiss(&["baseline", "write", "known.json", "head.json"]);
    assert_eq!(place.irkiss(&["diff", "known.json", "base.json"]).0, 1);
}

/// A race that nobody finds any more is fixed only where that is decided.
#[test]
fn what_is_open_or_not_asked_is_not_fixed() {
    let place = checked();
    let keep = |name: &str, options: &[&str]| {
        let told = ["--format", "json", "-o", name, "p.bc"];
        place.irkiss(&[options, &told].concat());
    };
    keep("base.json", &[]);
    let far = "    for (int i = 0; i < nobody_knows(); i++)\n        if (i == 7)\n            flag = 1;\n";
    let source = SOURCE.replace("    flag = 1;\n", far);
    let declared = "int nobody_knows(void);\nstatic int flag;";
    place.write("p.c", &source.replace("static int flag;", declared));
    place.compile("p.c", "p.bc", NO_PASSES);
    keep("head.json", &[]);
    let (_, text) = place.irkiss(&["diff", "base.json", "head.json"]);
    let open = "NO LONGER DECIDED  p.c: race on flag: ";
    assert!(text.contains(open) && !text.contains("FIXED"), "{text}");
    keep("narrow.json", &["--property", "assert"]);
    let (_, text) = place.irkiss(&["diff", "base.json", "narrow.json"]);
    let not_asked = "race on flag: nobody looked for data races";
    assert!(
        text.contains(not_asked) && !text.contains("FIXED"),
        "{text}"
    );
}

#[test]
fn what_is_allowed_is_not_new() {
    let place = checked();
    let racy = "    flag = 1;\n";
    assert!(SOURCE.contains(racy));
    let allowed = SOURCE.replace(racy, "    flag = 1; // irkiss: allow(race) a hint\n");
    place.write("p.c", &allowed);
    place.irkiss(&["--format", "json", "-o", "base.json", "p.bc"]);
    let (code, text) = place.irkiss(&["diff", "base.json", "base.json"]);
    assert!(code == 0 && text.contains("0 new"), "{text}");
    assert!(text.contains("; 1 allowed"), "{text}");
    // A comment that is taken away allows nothing any more.
    place.write("p.c", SOURCE);
    place.irkiss(&["--format", "json", "-o", "head.json", "p.bc"]);
    let (code, text) = place.irkiss(&["diff", "base.json", "head.json"]);
    assert!(code == 1 && text.contains("1 new"), "{text}");
    let (code, text) = place.irkiss(&["diff", "head.json", "base.json"]);
    assert!(code == 0 && text.contains("0 fixed"), "{text}");
}

#[test]
fn comments_without_a_reason_or_a_finding_are_told() {
    let place = checked();
    let racy = SOURCE.replace("    flag = 1;\n", "    flag = 1; // irkiss: allow(race)\n");
    place.write("p.c", &(racy + "// irkiss: allow(race) nothing is here\n"));
    let (code, text) = place.irkiss(&["p.bc"]);
    assert!(code == 1 && text.contains("; 1 allowed"), "{text}");
    assert!(text.contains("add why it is meant"), "{text}");
    let last = format!("p.c:{}: no finding is told", SOURCE.lines().count() + 1);
    assert!(text.contains(&last), "{text}");
}

#[test]
fn what_a_build_keeps_is_a_set_of_reports() {
    let place = checked();
    for folder in ["a/.irkiss", "b/.irkiss", "nothing"] {
        std::fs::create_dir_all(place.path(folder)).expect("folders");
    }
    place.irkiss(&["p.bc"]);
    let state = std::fs::read_dir(place.path("state")).expect("the state");
    let kept = state.map(|e| e.expect("an entry").path());
    let kept = kept.filter(|p| p.extension().is_some_and(|e| e == "gz"));
    let kept: Vec<PathBuf> = kept.collect();
    for folder in ["a", "b"] {
        let to = place.path(folder).join(".irkiss/core.json.gz");
        std::fs::copy(&kept[0], to).expect("a copy");
    }
    let (code, text) = place.irkiss(&["baseline", "write", "known.json", "."]);
    assert!(code == 0 && text.contains("2 bugs known"), "{text}");
    let (code, text) = place.irkiss(&["diff", ".", "."]);
    assert!(code == 0 && text.contains("0 new"), "{text}");
    assert!(!text.contains(" 0 the same"), "{text}");
    for args in [
        &["baseline", "write", "k.json", "nothing"][..],
        &["diff", "nothing", "nothing"],
    ] {
        let (code, text) = place.irkiss(args);
        assert!(code == 2 && text.lines().count() == 1, "{text}");
    }
}

#[test]
fn what_is_allowed_stands_where_it_is_looked_for() {
    let place = checked();
    for folder in ["proj", "else"] {
        std::fs::create_dir(place.path(folder)).expect("a folder");
    }
    place.write("proj/irkiss.toml", "");
    std::fs::rename(place.path("p.bc"), place.path("proj/p.bc")).expect("it is moved");
    let file = place.path("proj/p.bc").display().to_string();
    let (code, _) = place.irkiss(&[&file]);
    assert_eq!(code, 1);
    let (code, text) = place.irkiss(&["allow", "1", "--reason", "meant"]);
    assert!(code == 0 && text.contains("proj/irkiss.toml"), "{text}");
    let (_, text) = place.irkiss(&[&file]);
    assert!(text.contains("; 1 allowed"), "{text}");
}

/// Names outlive moved lines, renamed locals, other bitcode, other options and properties.
#[test]
fn names_last() {
    let place = checked();
    let names = |file: &str, more: &[&str]| {
        let mut all = bugs(&place.json(file, more));
        all.sort();
        all
    };
    let before = names("p.bc", &[]);
    assert_eq!(before.len(), 2);
    let moved = SOURCE
        .replace("static void", "\n\n/* moved */\nstatic void")
        .replace("seen", "was");
    place.write("p.c", &moved);
    place.compile("p.c", "moved.bc", NO_PASSES);
    assert_eq!(names("moved.bc", &[]), before);
    place.compile("p.c", "o1.bc", &["-O1"]);
    place.compile("p.c", "o0.bc", &["-O0"]);
    assert_eq!(names("o1.bc", &[]), before);
    assert_eq!(names("o0.bc", &[]), before);
    assert_eq!(names("p.bc", &["--property", "race,uaf,deadlock"]), before);
    assert_eq!(names("p.bc", &["--ts", "2", "--unwind", "3"]), before);
}

/// A list that one side uses without the lock: its fields are told together, and each keeps its name whatever is found first.
#[test]
fn one_missing_lock_is_told_once() {
    let place = Place::new();
    place.write(
        "l.c",
        "#include <pthread.h>\n#include <stdlib.h>\nstruct node { struct node *next; };\n\
         struct list { pthread_mutex_t lock; struct node *head; int len; };\n\
         static struct list l = {PTHREAD_MUTEX_INITIALIZER, 0, 0};\n\
         static void push(struct node *n)\n{\n    pthread_mutex_lock(&l.lock);\n    n->next = l.head;\n\
             l.head = n;\n    l.len++;\n    pthread_mutex_unlock(&l.lock);\n}\n\
         static void pop(void)\n{\n    if (l.head) {\n        l.head = l.head->next;\n        l.len--;\n    }\n}\n\
         static void *worker(void *a) { push(a); pop(); return 0; }\n\
         int main(void)\n{\n    static struct node n, m;\n    pthread_t t;\n\
             pthread_create(&t, 0, worker, &n);\n    push(&m);\n    pop();\n    return 0;\n}\n",
    );
    place.compile("l.c", "l.bc", NO_PASSES);
    place.compile("l.c", "l.o2.bc", &["-O2"]);
    let (_, text) = place.irkiss(&["l.bc"]);
    let (before, all) = (
        bugs(&place.json("l.bc", &[])),
        bugs(&place.json("l.bc", &["--property", "race,lock-misuse"])),
    );
    assert_eq!(before.len(), 2, "{before:?}");
    let mut sorted = [before.clone(), all, bugs(&place.json("l.o2.bc", &[]))];
    sorted.iter_mut().for_each(|b| b.sort());
    assert!(sorted.iter().all(|b| *b == sorted[0]), "{sorted:?}");
    assert_eq!(text.matches("BUG: irkiss").count(), 1, "{text}");
    assert!(text.contains("Without a lock in "), "{text}");
    place.irkiss(&["baseline", "write", "known.json"]);
    let (code, text) = place.irkiss(&["--baseline", "known.json", "l.o2.bc"]);
    assert!(code == 0 && text.contains("2 known"), "{text}");
}

#[test]
fn what_is_open_is_told_by_cause() {
    let place = checked();
    // What pow answers is not computed.
    let source = "#include <assert.h>\n#include <math.h>\n#include <pthread.h>\n\
                  static void *w(void *a){ return a; }\nint main(int c, char **v){ pthread_t t;\n\
                  pthread_create(&t, 0, w, 0);\n assert(pow(2, c) > 1);\n return 0; }\n";
    place.write("q.c", source);
    place.compile("q.c", "q.bc", NO_PASSES);
    place.irkiss(&["q.bc"]);
    let (code, text) = place.irkiss(&["why"]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("q.bc: ") && text.contains("undecided"),
        "{text}"
    );
    assert!(
        text.contains("Try: a --model") && text.contains("pow"),
        "{text}"
    );
    place.irkiss(&["p.bc"]);
    assert!(Path::new(&place.path("state")).is_dir());
    let (_, text) = place.irkiss(&["why", "p.bc"]);
    assert!(text.contains("nothing is open"), "{text}");
}

/// Two threads that race on one counter at many pairs of places: reads that only look, writes, updates.
const MANY: &str = r"#include <pthread.h>
static int level;
static int seen;
static void *looks(void *arg)
{
    if (level > 3)
        seen = 1;
    level = 2;
    level++;
    return arg;
}
static void *sets(void *arg)
{
    level = 7;
    if (level == 1)
        return 0;
    level += 2;
    return arg;
}
int main(void)
{
    pthread_t a, b;
#ifdef SWAPPED
    pthread_create(&b, 0, sets, 0);
    pthread_create(&a, 0, looks, 0);
#else
    pthread_create(&a, 0, looks, 0);
    pthread_create(&b, 0, sets, 0);
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

#[test]
fn class_and_place_of_a_bug_depend_on_no_order_and_no_option() {
    let place = Place::new();
    place.write("many.c", MANY);
    place.compile("many.c", "many.bc", NO_PASSES);
    place.compile(
        "many.c",
        "swapped.bc",
        &[NO_PASSES, &["-DSWAPPED"]].concat(),
    );
    let told = |file: &str, more: &[&str]| -> Vec<String> {
        let report = place.json(file, more);
        let bugs = report["bugs"].as_array().expect("bugs").clone();
        let one = |b: &serde_json::Value| format!("{} {} {}", b["id"], b["class"], b["message"]);
        bugs.iter().map(one).collect()
    };
    let first = told("many.bc", &[]);
    assert!(
        first.len() == 1 && first[0].contains("\"lost-update\"") && first[0].contains("on level"),
        "{first:?}"
    );
    let options: [&[&str]; 6] = [
        &["--jobs", "1"],
        &["--unwind", "3"],
        &["--ts", "2"],
        &["--tier", "kiss"],
        &["--reduction", "epp"],
        &["--property", "race,atomicity,deadlock"],
    ];
    for more in options {
        assert_eq!(told("many.bc", more), first, "{more:?}");
    }
    for more in [&[][..], &["--ts", "2"]] {
        assert_eq!(told("swapped.bc", more), first, "{more:?}");
    }
}

/// Writes that change nothing, or the same bits in the same way, and their like that do.
const ALIKE: &str = r"#include <pthread.h>
static int settled_place;
struct flags { unsigned first : 1, second : 1, third : 4; };
static struct flags same, other, counted;
static int settled = 1;
static int *place = &settled_place;
static int changes = 1;
static unsigned mask, tested;
static int seen;
static void *worker(void *arg)
{
    same.first = 1;
    other.first = 1;
    counted.third = (unsigned long)arg;
    settled = 1;
    place = &settled_place;
    changes = 0;
    mask |= 4;
    tested |= 4;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, 0, worker, (void *)(unsigned long)argc);
    same.first = 1;
    other.second = 1;
    counted.third = argc;
    if (settled)
        seen = 1;
    if (changes)
        seen = 2;
    seen += *place;
    mask |= 4;
    tested &= ~4u;
    pthread_join(t, 0);
    return seen;
}
";

#[test]
fn what_undoes_nothing_is_benign() {
    let place = Place::new();
    place.write("alike.c", ALIKE);
    for flags in [NO_PASSES, &["-O0"]] {
        place.compile("alike.c", "alike.bc", flags);
        let report = place.json("alike.bc", &[]);
        let bugs = report["bugs"].as_array().expect("bugs");
        let classes = |of: &str| -> Vec<&str> {
            let on = format!("on {of}");
            let told = |b: &&serde_json::Value| {
                let message = b["message"].as_str().expect("text");
                message.contains(&on)
            };
            let found = bugs.iter().filter(told);
            found.map(|b| b["class"].as_str().expect("text")).collect()
        };
        let expected = [
            ("same", "same-value"),
            ("other", "bit-field"),
            ("counted", "bit-field"),
            ("settled", "same-value"),
            ("place", "same-value"),
            ("changes", "control-flow"),
            ("mask", "same-value"),
            ("tested", "lost-update"),
        ];
        for (variable, class) in expected {
            assert_eq!(classes(variable), [class], "{variable}: {bugs:#?}");
        }
    }
}

#[test]
fn a_check_of_less_takes_nothing_away() {
    let place = checked();
    let (_, full) = place.irkiss(&["--property", "all", "p.bc"]);
    assert!(full.contains("irkiss show p.bc:1"), "{full}");
    let (_, narrow) = place.irkiss(&["--property", "assert", "p.bc"]);
    assert!(!narrow.contains("irkiss show p.bc:1"), "{narrow}");
    // The file is the check of more; without it, the last one.
    let (code, shown) = place.irkiss(&["show", "p.bc:1"]);
    assert!(code == 0 && shown.contains("on counter"), "{shown}");
    assert!(shown.contains("note: of two checks"), "{shown}");
    assert_eq!(place.irkiss(&["show", "1"]).0, 2, "nothing was found last");
    // Of another file of that name nothing is known.
    place.compile("p.c", "p.bc", NO_PASSES);
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let file = std::fs::File::options()
        .append(true)
        .open(place.path("p.bc"));
    let file = file.expect("the bitcode");
    file.set_modified(later).expect("its time");
    place.irkiss(&["--property", "assert", "p.bc"]);
    let (_, shown) = place.irkiss(&["show", "p.bc"]);
    assert!(shown.contains("nothing was found"), "{shown}");
}

#[test]
fn a_bug_is_shown_from_another_folder_too() {
    let place = checked();
    let report = place.json("p.bc", &[]);
    let id = &bugs(&report)[1].1;
    let other = tempfile::tempdir().expect("a folder");
    let below = place.path("below");
    std::fs::create_dir(&below).expect("a folder");
    for folder in [below.as_path(), other.path()] {
        let show = |which: &str| {
            let output = Command::cargo_bin("irkiss")
                .expect("the command is built")
                .current_dir(folder)
                .env("IRKISS_STATE", place.path("state"))
                .args(["show", which])
                .output()
                .expect("it runs");
            (
                output.status.code(),
                String::from_utf8(output.stdout).expect("UTF-8"),
            )
        };
        for (which, what) in [("1", "on counter"), ("p.bc:2", "on flag"), (id, "on flag")] {
            let (code, shown) = show(which);
            assert!(code == Some(0) && shown.contains(what), "{which}: {shown}");
        }
    }
}
