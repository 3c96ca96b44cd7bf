//! What a case says about itself: header lines and comments on source lines.
//!
//! A case starts with one line per run, `// irkiss: OPTIONS ; key: value ; …`:
//!
//! | key | meaning |
//! |---|---|
//! | `expect` | `race`, `assert`, `uaf`, `finds` (what the `FINDS` lines say), `race+assert`, `none` (bounded or proved), `unknown` |
//! | `by` | the analysis that proves every region of every pair (`lockset`, `coverability`) |
//! | `reason` | text that some reason of an `unknown` contains |
//! | `externals` | name of a function that must be reported as without a model |
//! | `suppressed` | what the source says of a race that is not told (`data_race`, `no_kcsan`) and must be listed |
//! | `forms` | `nopass`, `o2` or both (default): how clang compiles the case |
//! | `golden` | `yes`: the report for people is compared with `CASE.txt` (form `nopass`) |
//! | `slow` | `yes`: run only if `IRKISS_SLOW` is set |
//! | `lazy` | `yes`: rests on the content of objects that are made up when first used, on more inputs or interleavings than can be tried, or on an access that ends its thread; the explorer leaves it out |
//! | `todo` | a known gap: the run must fail *until* it is closed |
//!
//! On source lines: `RACE` an access of a race that must be reported, `RACE?` one that may be, `NORACE` none (for readers: it
//! is what a line without a comment means), `ASSERT-FAILS` an assertion that must be reported, `FREED` a
//! use of a freed object, `FINDS:kind` a place of a finding of another kind. `RACE@2,3` holds in the second and third run only.

use std::collections::BTreeSet;

/// One run of irkiss over one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Number of the run, from 1.
    pub number: usize,
    /// Command line options.
    pub options: Vec<String>,
    pub expect: Expect,
    pub by: Option<String>,
    pub reason: Option<String>,
    pub externals: Option<String>,
    pub suppressed: Option<String>,
    pub forms: Vec<Form>,
    pub golden: bool,
    pub slow: bool,
    pub lazy: bool,
    pub todo: Option<String>,
    /// Lines that must be, and that may be, accesses of a race.
    pub race: BTreeSet<u32>,
    pub maybe: BTreeSet<u32>,
    /// Lines of assertions that must fail.
    pub assert: BTreeSet<u32>,
    /// Lines of uses of freed objects that must be reported.
    pub freed: BTreeSet<u32>,
    /// Lines and kinds of other findings that must be reported.
    pub finds: BTreeSet<(u32, String)>,
    /// The model that is emptied for this run, if any (tests of the models; no header says it).
    pub emptied: Option<String>,
}

/// The expected answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    pub race: bool,
    pub assert: bool,
    pub uaf: bool,
    pub finds: bool,
    pub unknown: bool,
}

/// How a case is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `-O2 -Xclang -disable-llvm-passes`: what `irkiss kbuild` asks for.
    NoPass,
    /// Plain `-O2`: what a user has lying about.
    O2,
    /// Plain `-O0`: what the first try of a program is; declarations have no types.
    O0,
}

impl Form {
    /// The form of that name.
    pub fn named(name: &str) -> Option<Form> {
        let all = [Form::NoPass, Form::O2, Form::O0];
        all.into_iter().find(|form| form.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Form::NoPass => "nopass",
            Form::O2 => "o2",
            Form::O0 => "o0",
        }
    }
}

/// The runs of a case; a message for whoever wrote it where it cannot be read.
pub fn parse(source: &str) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    for line in source.lines() {
        let Some(header) = line.strip_prefix("// irkiss:") else {
            break;
        };
        runs.push(parse_header(header, runs.len() + 1)?);
    }
    if runs.is_empty() {
        return Err("the first line is no `// irkiss: … ; expect: …`".to_string());
    }
    for (number, line) in (1u32..).zip(source.lines()) {
        let Some((_, comment)) = line.split_once("// ") else {
            continue;
        };
        for word in comment.split(' ') {
            mark(&mut runs, number, word)?;
        }
    }
    for run in &runs {
        if run.expect.race == run.race.is_empty() {
            return Err(format!(
                "run {}: `expect` and the RACE lines disagree",
                run.number
            ));
        }
        if run.expect.assert == run.assert.is_empty() {
            return Err(format!(
                "run {}: `expect` and the ASSERT-FAILS lines disagree",
                run.number
            ));
        }
        if run.expect.finds == run.finds.is_empty() {
            return Err(format!(
                "run {}: `expect` and the FINDS lines disagree",
                run.number
            ));
        }
        if run.expect.uaf == run.freed.is_empty() {
            return Err(format!(
                "run {}: `expect` and the FREED lines disagree",
                run.number
            ));
        }
    }
    Ok(runs)
}

fn parse_header(header: &str, number: usize) -> Result<Run, String> {
    let mut parts = header.split(';').map(str::trim);
    let options = parts.next().unwrap_or_default();
    let mut run = Run {
        number,
        options: options.split_whitespace().map(str::to_string).collect(),
        forms: vec![Form::NoPass, Form::O2],
        ..Run::default()
    };
    let mut expected = false;
    for part in parts {
        let (key, value) = part
            .split_once(':')
            .map(|(k, v)| (k.trim(), v.trim()))
            .ok_or_else(|| format!("`{part}` is no `key: value`"))?;
        match key {
            "expect" => {
                run.expect = parse_expect(value)?;
                expected = true;
            }
            "by" => run.by = Some(value.to_string()),
            "reason" => run.reason = Some(value.to_string()),
            "externals" => run.externals = Some(value.to_string()),
            "suppressed" => run.suppressed = Some(value.to_string()),
            "golden" => run.golden = value == "yes",
            "slow" => run.slow = value == "yes",
            "lazy" => run.lazy = value == "yes",
            "todo" => run.todo = Some(value.to_string()),
            "forms" => {
                run.forms = value
                    .split(',')
                    .map(|form| {
                        let named = Form::named(form.trim());
                        named.ok_or_else(|| format!("unknown form `{}`", form.trim()))
                    })
                    .collect::<Result<_, _>>()?;
            }
            other => return Err(format!("unknown key `{other}`")),
        }
    }
    if expected {
        Ok(run)
    } else {
        Err(format!("run {number} has no `expect`"))
    }
}

fn parse_expect(value: &str) -> Result<Expect, String> {
    let mut expect = Expect::default();
    for word in value.split('+').map(str::trim) {
        match word {
            "race" => expect.race = true,
            "assert" => expect.assert = true,
            "uaf" => expect.uaf = true,
            "finds" => expect.finds = true,
            "unknown" => expect.unknown = true,
            "none" => {}
            other => return Err(format!("`expect: {other}`")),
        }
    }
    Ok(expect)
}

/// Notes an annotation; other words of a comment are ignored. It counts only in runs that expect something of its kind, so
/// that one file can be run for its races and for its assertions apart.
fn mark(runs: &mut [Run], line: u32, word: &str) -> Result<(), String> {
    let (kind, only) = match word.split_once('@') {
        Some((kind, list)) => (kind, Some(list)),
        None => (word, None),
    };
    let finds = kind.strip_prefix("FINDS:");
    if finds.is_none() && !matches!(kind, "RACE" | "RACE?" | "ASSERT-FAILS" | "FREED") {
        return Ok(());
    }
    let only: Option<Vec<usize>> = only
        .map(|list| list.split(',').map(str::parse).collect())
        .transpose()
        .map_err(|_| format!("line {line}: `{word}`"))?;
    for run in runs {
        if only
            .as_ref()
            .is_some_and(|list| !list.contains(&run.number))
        {
            continue;
        }
        match kind {
            "RACE" if run.expect.race => run.race.insert(line),
            "RACE?" if run.expect.race => run.maybe.insert(line),
            "ASSERT-FAILS" if run.expect.assert => run.assert.insert(line),
            "FREED" if run.expect.uaf => run.freed.insert(line),
            _ => match finds {
                Some(kind) if run.expect.finds => run.finds.insert((line, kind.to_string())),
                _ => false,
            },
        };
    }
    Ok(())
}

#[test]
fn headers_and_lines_are_read() {
    let source = "// irkiss: --ts 0 ; expect: race\n\
                  // irkiss: --ts 1 --property assert ; expect: assert ; forms: nopass ; golden: yes\n\
                  // about\n\
                  x = 1; // RACE\n\
                  y = 1; // RACE@2\n\
                  z = 1; // RACE? here\n\
                  assert(x); // ASSERT-FAILS RACE@1\n\
                  w = 1; // NORACE\n";
    let runs = parse(source).expect("reads");
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0].options, ["--ts", "0"]);
    assert_eq!(runs[0].race, BTreeSet::from([4, 7]));
    assert_eq!(runs[0].maybe, BTreeSet::from([6]));
    assert!(runs[0].assert.is_empty() && !runs[0].golden);
    assert_eq!(runs[1].assert, BTreeSet::from([7]));
    assert!(runs[1].race.is_empty() && runs[1].golden);
    assert_eq!(runs[1].forms, [Form::NoPass]);
}

#[test]
fn contradictions_are_refused() {
    for source in [
        "int x;\n",
        "// irkiss: --ts 0\n",
        "// irkiss: ; expect: race\nx = 1;\n",
        "// irkiss: ; expect: assert\nx = 1; // RACE\n",
        "// irkiss: ; expect: maybe\n",
        "// irkiss: ; expect: none ; forms: O3\n",
    ] {
        assert!(parse(source).is_err(), "{source}");
    }
}
