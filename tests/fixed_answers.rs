//! Models that always answer the same, or always leave the same: each says what it assumes (`IRKISS_ASSUMES`, `assumes` in
//! `declared.toml`), or stands in `tests/data/fixed-answers.txt` with the reason why it fixes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Where the models are, and at least how many functions are read there.
const MODELS: [(&str, usize); 2] = [("pthread", 350), ("linux", 380)];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The reviewed list: functions that fix nothing although they look like it, each with the reason.
fn reviewed() -> BTreeMap<String, String> {
    let path = root().join("tests/data/fixed-answers.txt");
    let text = std::fs::read_to_string(path).expect("the list");
    let lines = text
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    let entry = |line: &str| {
        let (name, why) = line.split_once(": ").expect("name: reason");
        (name.to_string(), why.to_string())
    };
    lines.map(entry).collect()
}

/// A function that others can call.
#[derive(Debug, Default, PartialEq, Eq)]
struct Definition {
    name: String,
    /// Names of its parameters.
    parameters: Vec<String>,
    body: String,
    /// Whether it says what it assumes.
    marked: bool,
    /// Macros of its file that stand for no constant.
    macros: Vec<String>,
}

/// Without comments and lines of the preprocessor, and the names of macros that are no constants.
fn plain(source: &str) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once("/*") {
        text.push_str(before);
        text.push(' ');
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    let (mut out, mut macros) = (String::new(), Vec::new());
    let mut goes_on = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        if goes_on || line.starts_with('#') {
            goes_on = line.ends_with('\\');
            let definition = line.strip_prefix("#define ").unwrap_or_default();
            if let Some((name, value)) = definition.split_once(' ')
                && value.contains('(')
            {
                macros.push(name.to_string());
            }
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    (out, macros)
}

/// The length of what stands in brackets, the closing one included: `text` begins after the opening one.
fn bracketed(text: &str, [open, close]: [char; 2]) -> usize {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == open) - i32::from(c == close);
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// The definitions of a file of models.
fn definitions(source: &str) -> Vec<Definition> {
    let (text, macros) = plain(source);
    let mut all = Vec::new();
    let mut rest = text.as_str();
    let mut head = String::new();
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            ';' | '}' => head.clear(),
            '{' => {
                let length = bracketed(rest, ['{', '}']);
                let body = &rest[..length.saturating_sub(1)];
                all.extend(definition(&head, body, &macros));
                head.clear();
                rest = &rest[length..];
            }
            c => head.push(c),
        }
    }
    all
}

/// The function of that head and body; none if it is no function, or nobody else's to call.
fn definition(head: &str, body: &str, macros: &[String]) -> Option<Definition> {
    let marked = head.contains("IRKISS_ASSUMES(");
    let mut head = head.trim().to_string();
    for annotation in ["IRKISS_ASSUMES(", "__attribute__("] {
        while let Some(at) = head.find(annotation) {
            let inside = at + annotation.len();
            let end = inside + bracketed(&head[inside..], ['(', ')']);
            head.replace_range(at..end, "");
        }
    }
    let (before, parameters) = head.trim().strip_suffix(')')?.split_once('(')?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = before.rsplit(|c| !is_word(c)).next()?;
    // Of a macro's name nobody asks: what it makes is read where it is defined, if anywhere.
    let is_macro = !name.contains(|c: char| c.is_ascii_lowercase());
    if before.trim_start().starts_with("static") || is_macro {
        return None;
    }
    let last_word = |p: &str| {
        let p = p.split('[').next().unwrap_or_default().trim_end();
        let word = p.rsplit(|c| !is_word(c)).next().unwrap_or_default();
        word.to_string()
    };
    Some(Definition {
        name: name.to_string(),
        parameters: parameters.split(',').map(last_word).collect(),
        body: body.to_string(),
        marked,
        macros: macros.to_vec(),
    })
}

impl Definition {
    fn is_constant(&self, value: &str) -> bool {
        let value = value.trim().trim_matches(['(', ')', '-']);
        let word = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let number = word && value.starts_with(|c: char| c.is_ascii_digit());
        let named = word
            && value.starts_with(|c: char| c.is_ascii_uppercase())
            && !value.contains(|c: char| c.is_ascii_lowercase());
        let text = value.starts_with(['"', '\'']);
        number || text || (named && !self.macros.iter().any(|m| m == value))
    }

    /// Whether all its returns give one and the same constant.
    fn answers_one_constant(&self) -> bool {
        let mut values: Vec<&str> = Vec::new();
        for (at, _) in self.body.match_indices("return ") {
            let value = self.body[at + 7..].split(';').next().unwrap_or_default();
            values.push(value.trim());
        }
        values.dedup();
        matches!(values.as_slice(), [one] if self.is_constant(one))
    }

    /// Whether it writes a constant where a parameter leads to.
    fn writes_a_constant(&self) -> bool {
        let statements = self.body.split([';', '{', '}', '\n']).map(str::trim);
        for statement in statements {
            let Some((place, value)) = statement.split_once(" = ") else {
                continue;
            };
            let place = place.rsplit(") ").next().unwrap_or(place);
            let led_to = place.starts_with('*') || place.contains("->") || place.contains('[');
            let base = place.trim_start_matches('*');
            let base = base.split(['-', '[']).next().unwrap_or_default();
            let parameter = self.parameters.iter().any(|p| !p.is_empty() && p == base);
            if led_to && parameter && self.is_constant(value) {
                return true;
            }
        }
        self.parameters
            .iter()
            .any(|p| !p.is_empty() && self.body.contains(&format!("memset({p},")))
    }

    fn fixes_something(&self) -> bool {
        self.answers_one_constant() || self.writes_a_constant()
    }
}

#[test]
fn who_always_answers_the_same_says_what_it_assumes() {
    let reviewed = reviewed();
    let mut known = BTreeSet::new();
    let mut unsaid = Vec::new();
    for (folder, least) in MODELS {
        let mut read = 0;
        let folder = root().join("runtime-stubs").join(folder);
        for entry in std::fs::read_dir(&folder).expect("the models") {
            let path = entry.expect("a file").path();
            if path.extension().is_none_or(|e| e != "c") {
                continue;
            }
            let source = std::fs::read_to_string(&path).expect("readable");
            for found in definitions(&source) {
                read += 1;
                if !found.fixes_something() || found.marked {
                    continue;
                }
                match reviewed.contains_key(&found.name) {
                    true => drop(known.insert(found.name)),
                    false => unsaid.push(found.name),
                }
            }
        }
        assert!(read >= least, "{read} functions in {}", folder.display());
    }
    assert!(
        unsaid.is_empty(),
        "neither IRKISS_ASSUMES nor an entry of tests/data/fixed-answers.txt: {unsaid:?}"
    );
    let idle: Vec<_> = reviewed.keys().filter(|n| !known.contains(*n)).collect();
    assert!(idle.is_empty(), "entries of nothing: {idle:?}");
}

#[test]
fn declared_functions_that_answer_one_number_say_so() {
    for (folder, _) in MODELS {
        let path = root().join("runtime-stubs").join(folder);
        let text = std::fs::read_to_string(path.join("declared.toml")).expect("the table");
        for group in text.split("[[group]]").skip(1) {
            let fixed = group.contains("answer = \"zero\"");
            assert!(!fixed || group.contains("assumes = "), "{group}");
        }
    }
}

#[test]
fn what_is_fixed() {
    let source = "/* b() { return 1; } */\n#define ANY draw()\nint a(int *p, int n) { (void)p; if (n) return 0; return 0; }\n\
                  IRKISS_ASSUMES(\"x\")\nint b(int n)\n{\n    (void)n;\n    return 1;\n}\n\
                  static int c(void) { return 0; }\nint d(void) { return ANY; }\n\
                  int e(int a) { return a == 1; }\nvoid f(char *to) { to[0] = 0; }\n\
                  int g(int *to) { *to = draw(); return draw() ? 0 : ENOMEM; }\n";
    let found: Vec<_> = definitions(source)
        .into_iter()
        .map(|d| (d.name.clone(), d.fixes_something(), d.marked))
        .collect();
    let expected = [
        ("a", true, false),
        ("b", true, true),
        ("d", false, false),
        ("e", false, false),
        ("f", true, false),
        ("g", false, false),
    ];
    assert_eq!(found, expected.map(|(n, f, m)| (n.to_string(), f, m)));
}
