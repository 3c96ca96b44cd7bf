//! Every form of inline assembly that was counted in drivers (`tests/data/kernel-asm-forms.txt`) has a model, or is listed here.

use super::{Kernel, lower_inline_asm};
use crate::frontend::llvm::load::parse;

/// Forms without a model: how the text begins, and why there is none.
const UNMODELLED: &[(&str, &str)] = &[(
    "movw $$0x5380,%ax; movl $7,%ebx",
    "a call of the APM BIOS (apm): registers by name, jumps",
)];

/// A form of the table.
struct Form {
    text: String,
    sections: Vec<String>,
    constraints: Vec<String>,
}

fn forms() -> Vec<Form> {
    let table = include_str!("../../../../tests/data/kernel-asm-forms.txt");
    table
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|line| {
            let (_, rest) = line.split_once("m  ").expect("counts, then the text");
            let at = rest.find("   <").expect("constraints");
            let (text, tail) = (&rest[..at], &rest[at..]);
            let (text, sections) = match text.split_once("  {") {
                Some((text, sections)) => (text, sections.trim_end_matches('}')),
                None => (text, ""),
            };
            Form {
                text: text.trim().to_string(),
                sections: sections
                    .split(',')
                    .filter(|s| !s.is_empty())
                    .map(str::to_string)
                    .collect(),
                constraints: tail
                    .split('<')
                    .skip(1)
                    .map(|c| {
                        let c = c.trim().trim_end_matches('>');
                        c.trim_end_matches(" SE").to_string()
                    })
                    .collect(),
            }
        })
        .collect()
}

/// The width that the first instruction's suffix tells, as a type.
fn type_of(text: &str) -> &'static str {
    let words = text.split([' ', ';']).filter(|w| !w.is_empty());
    let mnemonic = words
        .into_iter()
        .find(|w| !matches!(*w, "lock" | "rep"))
        .unwrap_or("q");
    match mnemonic.chars().last() {
        Some('b') => "i8",
        Some('w') => "i16",
        Some('l') if mnemonic != "call" => "i32",
        _ => "i64",
    }
}

/// A function with one call of that form, as assembly.
fn module(form: &Form, constraints: &str) -> String {
    let ty = type_of(&form.text);
    let (mut outputs, mut args) = (Vec::new(), Vec::new());
    // Of each constraint, the type of its output.
    let mut types: Vec<&str> = Vec::new();
    for c in constraints.split(',').filter(|c| !c.starts_with("~{")) {
        let in_memory = c.contains('*');
        let own = match c {
            _ if c.contains("@cc") => "i8",
            _ if c.contains("di}") || c.contains("si}") => match form.text.contains("rep") {
                true => "ptr",
                false => ty,
            },
            _ if c.contains("sp}") || c.contains("cx}") => "i64",
            _ => ty,
        };
        types.push(own);
        if in_memory {
            args.push(format!("ptr elementtype({ty}) @this_cpu_off"));
        } else if c.starts_with('=') {
            outputs.push(own);
        } else if let Ok(to) = c.parse::<usize>() {
            args.push(match types[to] {
                "ptr" => "ptr %p".to_string(),
                number => format!("{number} 1"),
            });
        } else if c == "p" {
            args.push("ptr @this_cpu_off".to_string());
        } else if c == "i" {
            args.push("i64 1".to_string());
        } else {
            args.push(format!("{own} 1"));
        }
    }
    let result = match outputs.as_slice() {
        [] => "void".to_string(),
        [one] => (*one).to_string(),
        several => format!("{{ {} }}", several.join(", ")),
    };
    let mut text = form.text.clone();
    for section in &form.sections {
        // What replaces the instructions on newer processors; the table has it no more.
        let content = match section.as_str() {
            ".altinstr_replacement" if form.text.contains("stosb") => "call clear_user_original",
            _ => ".long 1b",
        };
        text.push_str(&format!(
            "\\0A.pushsection {section},\\22a\\22\\0A{content}\\0A.popsection"
        ));
    }
    let name = if result == "void" { "" } else { "%r = " };
    format!(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
         target triple = \"x86_64-unknown-linux-gnu\"
         @this_cpu_off = external global i64
         define void @f(ptr %p, i64 %n) {{
         {name}call {result} asm sideeffect \"{text}\", \"{constraints}\"({})
         ret void }}",
        args.join(", ")
    )
}

#[test]
fn every_form_counted_in_drivers_has_a_model_or_is_listed() {
    let (mut forms_seen, mut problems) = (0, Vec::new());
    let mut listed = vec![false; UNMODELLED.len()];
    for form in forms() {
        for constraints in &form.constraints {
            forms_seen += 1;
            let text = module(&form, constraints);
            let context = inkwell::context::Context::create();
            let module = match parse(&context, text.as_bytes(), "t.ll") {
                Ok(module) => module,
                Err(e) => {
                    problems.push(format!("{e}: {text}"));
                    continue;
                }
            };
            let unknown = lower_inline_asm(&module, Kernel::default());
            module.verify().expect("valid");
            let list = UNMODELLED
                .iter()
                .position(|(start, _)| form.text.starts_with(start));
            match (unknown.is_empty(), list) {
                (true, None) => {}
                (false, Some(n)) => listed[n] = true,
                (true, Some(_)) => problems.push(format!("listed, and has a model: {}", form.text)),
                (false, None) => problems.push(format!("no model: {} <{constraints}>", form.text)),
            }
        }
    }
    assert!(forms_seen > 170, "{forms_seen}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        listed.iter().all(|l| *l),
        "a listed form is gone: {listed:?}"
    );
}
