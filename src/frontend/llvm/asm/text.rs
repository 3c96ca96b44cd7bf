//! The text of inline assembly (AT&T syntax, x86) and its constraints, taken apart. Knows nothing of LLVM.

/// One operand of an inline assembly statement, as the constraint string lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Whether it is written.
    pub output: bool,
    /// Whether the argument is the operand's address (`*m`).
    pub indirect: bool,
    /// The register or class: `r`, `m`, `{ax}`, `{@ccz}`, or the number of the output that an input is tied to.
    pub code: String,
}

impl Constraint {
    /// The output that this input shares its register with.
    pub fn tied_to(&self) -> Option<usize> {
        self.code.parse().ok()
    }
    /// The condition that a flag output tests: `z`, `nz`, `c`, `s`, ….
    pub fn condition(&self) -> Option<&str> {
        self.code.strip_prefix("{@cc")?.strip_suffix('}')
    }
}

/// The operands of a constraint string (outputs first), without clobbers. `None` for forms with labels or alternatives
/// that cannot be told apart.
pub fn constraints(text: &str) -> Option<Vec<Constraint>> {
    let mut all = Vec::new();
    for part in text.split(',').filter(|p| !p.is_empty()) {
        if part.starts_with('~') {
            continue;
        }
        if part.starts_with('!') {
            return None;
        }
        let (output, rest) = match part.strip_prefix('=') {
            Some(rest) => (true, rest.trim_start_matches('&')),
            None => (false, part),
        };
        let (indirect, code) = match rest.strip_prefix('*') {
            Some(code) => (true, code),
            None => (false, rest),
        };
        if code.starts_with('+') {
            return None;
        }
        all.push(Constraint {
            output,
            indirect,
            code: code.to_string(),
        });
    }
    Some(all)
}

/// An operand in the text of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `$3`, `${3:b}`: operand number and modifier.
    Operand(usize),
    /// `%gs:$1` and the like: operand of a segment.
    Segment(usize),
    /// `$$5`: a number.
    Number(i64),
    /// Anything else: a register, a symbol, an address.
    Other(String),
}

/// One machine instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Prefixes: `lock`, `rep`.
    pub prefixes: Vec<String>,
    /// The mnemonic with its size suffix.
    pub mnemonic: String,
    /// Operands, source first.
    pub places: Vec<Place>,
}

/// The instructions of an assembly text: without comments, labels, other sections (lock prefixes, bug table, exception
/// table, alternatives) and directives. `.byte 0x0f, 0x0b` is `ud2`.
pub fn instructions(text: &str) -> Vec<Machine> {
    let mut machines = Vec::new();
    let mut depth = 0u32;
    let mut prefixes: Vec<String> = Vec::new();
    for line in without_comments(text).split(['\n', ';']) {
        let mut line = line.trim();
        // Labels: `1:`, `.Lfoo:`; a segment override has its colon behind a `%`.
        while let Some((label, rest)) = line.split_once(':') {
            let is_label = !label.is_empty()
                && label
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
            if !is_label {
                break;
            }
            line = rest.trim();
        }
        if line.starts_with(".pushsection") {
            depth += 1;
        } else if line.starts_with(".popsection") {
            depth = depth.saturating_sub(1);
        }
        if depth > 0 || line.is_empty() {
            continue;
        }
        if line.starts_with('.') {
            let bytes: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            if bytes == ".byte0x0f,0x0b" {
                machines.push(Machine {
                    prefixes: std::mem::take(&mut prefixes),
                    mnemonic: "ud2".to_string(),
                    places: Vec::new(),
                });
            }
            continue;
        }
        if let Some(machine) = machine(line, &mut prefixes) {
            machines.push(machine);
        }
    }
    machines
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, a)| a);
    }
    out.push_str(rest);
    out.lines()
        .map(|l| l.split_once('#').map_or(l, |(code, _)| code))
        .collect::<Vec<_>>()
        .join("\n")
}

/// `None` if the line is only a prefix, which is kept for the next.
fn machine(line: &str, prefixes: &mut Vec<String>) -> Option<Machine> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if matches!(
        word,
        "lock" | "rep" | "repe" | "repne" | "repz" | "repnz" | "notrack"
    ) {
        prefixes.push(word.to_string());
        return if rest.is_empty() {
            None
        } else {
            machine(rest, prefixes)
        };
    }
    Some(Machine {
        prefixes: std::mem::take(prefixes),
        mnemonic: word.to_string(),
        places: split_operands(rest).iter().map(|p| place(p)).collect(),
    })
}

/// Splits at commas outside of parentheses.
fn split_operands(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
        .into_iter()
        .map(|p| p.trim().to_string())
        .filter(|p| !p.is_empty())
        .collect()
}

fn place(text: &str) -> Place {
    let number = |t: &str| -> Option<usize> {
        let t = t.strip_prefix('$')?;
        match t.strip_prefix('{') {
            Some(inner) => inner.strip_suffix('}')?.split(':').next()?.parse().ok(),
            None => t.parse().ok(),
        }
    };
    if let Some(n) = number(text) {
        return Place::Operand(n);
    }
    for segment in ["%gs:", "%fs:", "%%gs:", "%%fs:"] {
        if let Some(n) = text.strip_prefix(segment).and_then(number) {
            return Place::Segment(n);
        }
    }
    if let Some(literal) = text.strip_prefix("$$") {
        let (sign, digits) = match literal.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, literal),
        };
        let value = match digits.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        if let Ok(value) = value {
            return Place::Number(sign * value);
        }
    }
    Place::Other(text.to_string())
}

/// Splits a mnemonic into stem and width in bits: `xaddl` is `xadd`, 32. `None` for the width where it has no suffix.
pub fn sized(mnemonic: &str, stems: &[&str]) -> Option<(usize, Option<u32>)> {
    for (n, stem) in stems.iter().enumerate() {
        if mnemonic == *stem {
            return Some((n, None));
        }
        let bits = match mnemonic.strip_prefix(stem) {
            Some("b") => 8,
            Some("w") => 16,
            Some("l") => 32,
            Some("q") => 64,
            _ => continue,
        };
        return Some((n, Some(bits)));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_labels_and_comments_go() {
        let text = ".pushsection .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\tlock;  btsq  $2, $0\n\t/* output condition code c*/\n";
        let all = instructions(text);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].prefixes, ["lock"]);
        assert_eq!(all[0].mnemonic, "btsq");
        assert_eq!(all[0].places, [Place::Operand(2), Place::Operand(0)]);
    }

    #[test]
    fn a_bug_is_ud2() {
        let text = "1:\t.byte 0x0f, 0x0b\n.pushsection __bug_table,\"aw\"\n2:\t.long 1b - .\t# bug_entry::bug_addr\n\t.word ${0:c}\t# bug_entry::flags\n\t.org 2b+${1:c}\n.popsection\n998:\n\t.pushsection .discard.reachable\n\t.long 998b - .\n\t.popsection\n\t";
        let all = instructions(text);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].mnemonic, "ud2");
    }

    #[test]
    fn operands_of_all_sorts() {
        let all = instructions(
            "movq %gs:${1:P}, $0; add $$-4, %rax; outb ${0:b}, ${1:w}; mov 8($1,%rcx), $0",
        );
        assert_eq!(all[0].places, [Place::Segment(1), Place::Operand(0)]);
        assert_eq!(all[1].places[0], Place::Number(-4));
        assert_eq!(all[2].places, [Place::Operand(0), Place::Operand(1)]);
        assert_eq!(all[3].places[0], Place::Other("8($1,%rcx)".to_string()));
    }

    #[test]
    fn constraint_strings() {
        let all = constraints("=*m,={@ccc},Ir,*m,~{memory},~{dirflag}").unwrap();
        assert_eq!(all.len(), 4);
        assert!(all[0].output && all[0].indirect);
        assert_eq!(all[1].condition(), Some("c"));
        assert!(!all[2].output && all[3].indirect);
        let tied = constraints("=r,=*m,0,*m").unwrap();
        assert_eq!(tied[2].tied_to(), Some(0));
        assert!(constraints("r,!i").is_none());
    }

    #[test]
    fn suffixes() {
        const STEMS: &[&str] = &["sub", "add", "xadd"];
        assert_eq!(sized("addl", STEMS), Some((1, Some(32))));
        assert_eq!(sized("xaddq", STEMS), Some((2, Some(64))));
        assert_eq!(sized("add", STEMS), Some((1, None)));
        assert_eq!(sized("adc", STEMS), None);
    }
}
