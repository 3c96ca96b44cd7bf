//! Formats of the C library and of the kernel: what they read, and what they write.

/// What a conversion of an input format writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scanned {
    /// A number, or as many characters, of that many bytes.
    Bytes(u64),
    /// A string of at most so many characters, and the byte that ends it. `None`: of any length.
    Text(Option<u64>),
}

/// A conversion of an input format that has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// What it writes.
    pub writes: Scanned,
    /// Whether it counts in what the function returns (`%n` does not).
    pub counted: bool,
}

/// The length modifiers: bytes of an integer.
fn integer(rest: &mut &str, pointer_bytes: u64) -> u64 {
    [
        ("hh", 1),
        ("h", 2),
        ("ll", 8),
        ("l", pointer_bytes),
        ("L", 8),
        ("q", 8),
        ("z", pointer_bytes),
        ("t", pointer_bytes),
        ("j", 8),
    ]
    .into_iter()
    .find(|(prefix, _)| take(rest, prefix))
    .map_or(4, |(_, size)| size)
}

/// The conversions of an input format (C17 7.21.6.2; lib/vsprintf.c: vsscanf); `None` if one is not known.
pub fn scanned(format: &str, pointer_bytes: u64) -> Option<Vec<Conversion>> {
    let mut all = Vec::new();
    let mut rest = format;
    while let Some((_, after)) = rest.split_once('%') {
        rest = after;
        let dropped = take(&mut rest, "*");
        let width: Option<u64> = digits(&mut rest);
        let is_long_double = rest.starts_with('L');
        let number = integer(&mut rest, pointer_bytes);
        let mut letters = rest.chars();
        let letter = letters.next()?;
        rest = letters.as_str();
        let writes = match letter {
            '%' => continue,
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'n' => Scanned::Bytes(number),
            'a' | 'e' | 'f' | 'g' | 'E' | 'G' if is_long_double => Scanned::Bytes(16),
            'a' | 'e' | 'f' | 'g' | 'E' | 'G' => Scanned::Bytes(number),
            'c' => Scanned::Bytes(width.unwrap_or(1)),
            's' => Scanned::Text(width),
            '[' => {
                // A `]` that comes first is part of the set.
                let set = rest.trim_start_matches('^');
                let skip = rest.len() - set.len() + usize::from(set.starts_with(']'));
                let end = rest.get(skip..)?.find(']')?;
                rest = &rest[skip + end + 1..];
                Scanned::Text(width)
            }
            _ => return None,
        };
        if !dropped {
            all.push(Conversion {
                writes,
                counted: letter != 'n',
            });
        }
    }
    Some(all)
}

/// How many characters of a string are printed at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// All.
    None,
    /// So many.
    Fixed(u64),
    /// As many as the argument of that number says.
    Argument(usize),
}

/// What a conversion of an output format does with the memory that its argument leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// Reads a string.
    Text(Precision),
    /// Writes how much was printed, as a number of that many bytes.
    Count(u64),
}

/// An output format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What is printed before the first conversion.
    pub start: String,
    /// Whether that is all.
    pub constant: bool,
    /// Whether all of it is one string, as it is.
    pub copies: bool,
    /// What is done with memory, by the numbers of arguments after the format.
    pub memory: Vec<(usize, Printed)>,
}

/// Reads an output format (C17 7.21.6.1); `None` if something in it is not known.
pub fn printed(format: &str, pointer_bytes: u64) -> Option<Output> {
    let mut output = Output {
        start: String::new(),
        constant: true,
        copies: format == "%s",
        memory: Vec::new(),
    };
    let mut argument = 0;
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        if output.constant {
            output.start.push_str(before);
        }
        rest = after;
        if take(&mut rest, "%") {
            if output.constant {
                output.start.push('%');
            }
            continue;
        }
        output.constant = false;
        rest = rest.trim_start_matches(['-', '+', ' ', '#', '0', '\'']);
        if take(&mut rest, "*") {
            argument += 1;
        } else {
            digits(&mut rest);
        }
        let mut precision = Precision::None;
        if take(&mut rest, ".") {
            precision = if take(&mut rest, "*") {
                argument += 1;
                Precision::Argument(argument - 1)
            } else {
                Precision::Fixed(digits(&mut rest).unwrap_or(0))
            };
        }
        let size = integer(&mut rest, pointer_bytes);
        let mut letters = rest.chars();
        match letters.next()? {
            's' => output.memory.push((argument, Printed::Text(precision))),
            'n' => output.memory.push((argument, Printed::Count(size))),
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'c' | 'p' => {}
            'a' | 'e' | 'f' | 'g' | 'A' | 'E' | 'F' | 'G' => {}
            // What `errno` means: no argument.
            'm' => argument = argument.wrapping_sub(1),
            _ => return None,
        }
        argument = argument.wrapping_add(1);
        rest = letters.as_str();
    }
    if output.constant {
        output.start.push_str(rest);
    }
    Some(output)
}

fn digits(rest: &mut &str) -> Option<u64> {
    let count = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = rest[..count].parse().ok();
    *rest = &rest[count..];
    number
}

fn take(rest: &mut &str, prefix: &str) -> bool {
    match rest.strip_prefix(prefix) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input() {
        use Scanned::{Bytes, Text};
        let writes = |f: &str| -> Option<Vec<Scanned>> {
            scanned(f, 8).map(|all| all.iter().map(|c| c.writes).collect())
        };
        let numbers = [4, 1, 8, 4].map(Bytes).to_vec();
        assert_eq!(writes("%d %hhu:%lx%%%n"), Some(numbers));
        assert_eq!(
            writes("%*s %15s %c %llu"),
            Some(vec![Text(Some(15)), Bytes(1), Bytes(8)])
        );
        assert_eq!(
            writes("%[^]x] %3[0-9]"),
            Some(vec![Text(None), Text(Some(3))])
        );
        assert_eq!(writes("%lf %f"), Some(vec![Bytes(8), Bytes(4)]));
        assert_eq!(writes("%pM"), None);
        assert!(!scanned("%n", 8).unwrap()[0].counted);
    }

    #[test]
    fn output() {
        let plain = printed("100%% sure", 8).unwrap();
        assert!(plain.constant && plain.start == "100% sure" && plain.memory.is_empty());
        assert!(printed("%s", 8).unwrap().copies);
        let mixed = printed("a%-*d %.3s%.*s %5.2lf%m%ln", 8).unwrap();
        assert_eq!(mixed.start, "a");
        assert_eq!(
            mixed.memory,
            [
                (2, Printed::Text(Precision::Fixed(3))),
                (4, Printed::Text(Precision::Argument(3))),
                (6, Printed::Count(8)),
            ]
        );
        assert_eq!(printed("%1$s", 8), None);
    }
}
