//! Models that always answer the same: each says what it assumes (`IRKISS_ASSUMES`, `assumes` in `declared.toml`), or stands here
//! with the reason why the real function answers nothing else.

use std::path::PathBuf;

/// Functions that really answer only that, as far as a program that is not wrong can tell.
const ALWAYS_SO: &[(&str, &str)] = &[
    (
        "pthread_detach",
        "fails only for what is no thread that can be joined",
    ),
    ("thrd_detach", "as pthread_detach"),
    (
        "pthread_cond_signal",
        "fails only for what is no condition variable",
    ),
    (
        "pthread_cond_broadcast",
        "fails only for what is no condition variable",
    ),
    ("cnd_signal", "as pthread_cond_signal"),
    ("cnd_broadcast", "as pthread_cond_broadcast"),
    ("sem_close", "fails only for what is no semaphore"),
    ("sched_yield", "always succeeds on Linux"),
    ("pthread_yield", "as sched_yield"),
    ("getpid", "a number that stays the same"),
    ("gai_strerror", "a text that nobody depends on"),
    ("__ctype_get_mb_cur_max", "in the C locale"),
    ("cnd_init", "where it is looked at it may fail: failures.c"),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("runtime-stubs")
}

/// A definition that others can call: its name, its body, whether it says what it assumes.
struct Definition {
    name: String,
    body: String,
    marked: bool,
}

/// The definitions of a file of models. They begin at the first column, with the type of the result.
fn definitions(source: &str) -> Vec<Definition> {
    let mut all = Vec::new();
    let mut marked = false;
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("IRKISS_ASSUMES(") {
            marked = true;
            continue;
        }
        let begins = line.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        let other = ["static", "void ", "typedef", "enum", "extern", "return"];
        let is_void = line.starts_with("void ") && !line.starts_with("void *");
        let skipped = is_void || other.iter().any(|o| *o != "void " && line.starts_with(o));
        let head = line.split('(').next().unwrap_or_default();
        let name = head
            .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
            .next();
        let mut body = match line.split_once('{') {
            Some((_, after)) => after.to_string(),
            None => String::new(),
        };
        if begins && !line.ends_with(';') && line.contains('(') && !line.ends_with('}') {
            for next in lines.by_ref() {
                if next == "}" {
                    break;
                }
                body.push_str(next);
                body.push('\n');
            }
        }
        if begins && !skipped && line.contains('(') && !body.is_empty() {
            all.push(Definition {
                name: name.unwrap_or_default().to_string(),
                body,
                marked,
            });
        }
        marked = false;
    }
    all
}

/// Whether a body is one return of a constant, beside parameters that are not looked at.
fn is_fixed(body: &str) -> bool {
    let body = body.trim().trim_start_matches('{').trim_end_matches('}');
    let mut returned = None;
    for statement in body.split(';').map(str::trim).filter(|s| !s.is_empty()) {
        if statement.starts_with("(void)") {
            continue;
        }
        let Some(value) = statement.strip_prefix("return ") else {
            return false;
        };
        if returned.replace(value.trim().to_string()).is_some() {
            return false;
        }
    }
    let is_constant = |v: &str| {
        let number = v.trim_start_matches('-');
        number.starts_with(|c: char| c.is_ascii_digit())
            || v.starts_with('"')
            || v == "NULL"
            || v == "SUCCESS"
    };
    returned.is_some_and(|v| is_constant(&v))
}

#[test]
fn who_always_answers_the_same_says_what_it_assumes() {
    let mut unsaid = Vec::new();
    let mut read = 0;
    for entry in std::fs::read_dir(root().join("pthread")).expect("the models") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "c") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("readable");
        for found in definitions(&source) {
            read += 1;
            let known = ALWAYS_SO.iter().any(|(name, _)| *name == found.name);
            if is_fixed(&found.body) && !found.marked && !known {
                unsaid.push(found.name);
            }
        }
    }
    assert!(read > 250, "{read}");
    assert!(unsaid.is_empty(), "{unsaid:?}");
}

#[test]
fn declared_functions_that_answer_one_number_say_so() {
    let text = std::fs::read_to_string(root().join("pthread/declared.toml")).expect("the table");
    for group in text.split("[[group]]").skip(1) {
        let fixed = group.contains("answer = \"zero\"");
        assert!(!fixed || group.contains("assumes = "), "{group}");
    }
}

#[test]
fn what_is_fixed() {
    assert!(is_fixed(" (void)a, (void)b; return 0; }"));
    assert!(is_fixed("{\n    (void)a;\n    return NULL;\n"));
    assert!(!is_fixed(" return a == b; }"));
    assert!(!is_fixed(" wait_here(); return 0; }"));
    let source = "int a(void) { return 0; }\nIRKISS_ASSUMES(\"x\")\nint b(int n)\n{\n    (void)n;\n    return 1;\n}\nstatic int c(void) { return 0; }\n";
    let found: Vec<_> = definitions(source)
        .into_iter()
        .map(|d| (d.name, d.marked))
        .collect();
    assert_eq!(found, [("a".to_string(), false), ("b".to_string(), true)]);
}
