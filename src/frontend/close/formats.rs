//! Formats of the C library and of the kernel, taken apart: what they read, and what they write.

/// A part of an input format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Characters that stand for themselves; spaces for any number of spaces.
    Text(String),
    /// A conversion.
    Conversion(Conversion),
}

/// A conversion of an input format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// What it makes of characters.
    pub of: Scanned,
    /// How many characters at most.
    pub width: Option<u64>,
    /// Bytes of a number that it writes.
    pub size: u64,
    /// Whether it has no result.
    pub dropped: bool,
}

/// What a conversion of an input format makes of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scanned {
    /// A whole number of that base; 0: as its prefix says.
    Number(u32),
    /// A floating-point number.
    Float,
    /// As many characters as the width says.
    Characters,
    /// Characters up to a space.
    Word,
    /// Characters of a set, as the format has it.
    Set(String),
    /// How far it has come. It does not count in what the function returns.
    Place,
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

/// The parts of an input format (C17 7.21.6.2; lib/vsprintf.c: vsscanf); `None` if a conversion is not known.
pub fn scanned(format: &str, pointer_bytes: u64) -> Option<Vec<Reads>> {
    let mut all = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        rest = after;
        let dropped = take(&mut rest, "*");
        let width: Option<u64> = digits(&mut rest);
        let is_long_double = rest.starts_with('L');
        let mut size = integer(&mut rest, pointer_bytes);
        let mut letters = rest.chars();
        let letter = letters.next()?;
        rest = letters.as_str();
        let of = match letter {
            '%' => {
                text.push('%');
                continue;
            }
            'd' | 'u' => Scanned::Number(10),
            'x' | 'X' => Scanned::Number(16),
            'o' => Scanned::Number(8),
            'i' => Scanned::Number(0),
            // An address, of which nothing tells whose.
            'p' => {
                size = pointer_bytes;
                Scanned::Number(16)
            }
            'n' => Scanned::Place,
            'a' | 'e' | 'f' | 'g' | 'E' | 'G' => {
                size = if is_long_double { 16 } else { size };
                Scanned::Float
            }
            'c' => Scanned::Characters,
            's' => Scanned::Word,
            '[' => {
                // A `]` that comes first is part of the set.
                let set = rest.trim_start_matches('^');
                let skip = rest.len() - set.len() + usize::from(set.starts_with(']'));
                let end = rest.get(skip..)?.find(']')? + skip;
                let set = rest[..end].to_string();
                rest = &rest[end + 1..];
                Scanned::Set(set)
            }
            _ => return None,
        };
        if !text.is_empty() {
            all.push(Reads::Text(std::mem::take(&mut text)));
        }
        all.push(Reads::Conversion(Conversion {
            of,
            width,
            size,
            dropped,
        }));
    }
    text.push_str(rest);
    if !text.is_empty() {
        all.push(Reads::Text(text));
    }
    Some(all)
}

/// A number in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// None.
    None,
    /// That one.
    Fixed(u64),
    /// What the argument of that number says, counted from the first after the format.
    Argument(usize),
}

/// A part of an output format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Characters that stand for themselves.
    Text(String),
    /// A conversion.
    Conversion(Printing),
}

/// A conversion of an output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printing {
    /// Of what.
    pub of: Printed,
    /// The number of its argument, counted from the first after the format.
    pub argument: usize,
    /// Its flags, as the model has them (runtime-stubs/pthread/print.c).
    pub flags: u32,
    /// At least as many characters.
    pub width: Amount,
    /// Digits, or characters of a string.
    pub precision: Amount,
    /// Bytes of a number.
    pub size: u64,
}

/// What a conversion of an output format prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// A string.
    String,
    /// A whole number of that base; whether it has a sign.
    Number(u32, bool),
    /// A character.
    Character,
    /// How much was printed, which it writes.
    Place,
    /// An address; the kernel prints what is there as the letters after it say.
    Address,
    /// Something else.
    Other,
}

/// Flags of conversions, as the model has them.
pub mod flags {
    pub const SIGNED: u32 = 0x100;
    pub const UPPER: u32 = 0x200;
    const FLAGS: [(&str, u32); 6] = [
        ("-", 0x4000),
        ("+", 0x800),
        (" ", 0x1000),
        ("#", 0x400),
        ("0", 0x2000),
        ("'", 0),
    ];

    /// Takes them from the front.
    pub(super) fn take(rest: &mut &str) -> u32 {
        let mut all = 0;
        while let Some((_, flag)) = FLAGS.iter().find(|(prefix, _)| super::take(rest, prefix)) {
            all |= flag;
        }
        all
    }
}

/// The parts of an output format (C17 7.21.6.1); `None` if something in it is not known.
pub fn printed(format: &str, pointer_bytes: u64) -> Option<Vec<Writes>> {
    let mut all = Vec::new();
    let mut text = String::new();
    let mut arguments = 0;
    let mut rest = format;
    let mut next = || {
        arguments += 1;
        arguments - 1
    };
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        rest = after;
        if take(&mut rest, "%") {
            text.push('%');
            continue;
        }
        let mut flags = flags::take(&mut rest);
        let width = match take(&mut rest, "*") {
            true => Amount::Argument(next()),
            false => digits(&mut rest).map_or(Amount::None, Amount::Fixed),
        };
        let mut precision = Amount::None;
        if take(&mut rest, ".") {
            precision = match take(&mut rest, "*") {
                true => Amount::Argument(next()),
                false => Amount::Fixed(digits(&mut rest).unwrap_or(0)),
            };
        }
        let size = integer(&mut rest, pointer_bytes);
        let mut letters = rest.chars();
        let letter = letters.next()?;
        rest = letters.as_str();
        let of = match letter {
            's' => Printed::String,
            'n' => Printed::Place,
            'd' | 'i' => Printed::Number(10, true),
            'u' => Printed::Number(10, false),
            'x' | 'X' => Printed::Number(16, false),
            'o' => Printed::Number(8, false),
            'c' => Printed::Character,
            'p' => Printed::Address,
            'a' | 'e' | 'f' | 'g' | 'A' | 'E' | 'F' | 'G' | 'm' => Printed::Other,
            _ => return None,
        };
        if letter == 'X' {
            flags |= flags::UPPER;
        }
        if !text.is_empty() {
            all.push(Writes::Text(std::mem::take(&mut text)));
        }
        // What `errno` means: no argument.
        let argument = if letter == 'm' { usize::MAX } else { next() };
        all.push(Writes::Conversion(Printing {
            of,
            argument,
            flags,
            width,
            precision,
            size,
        }));
    }
    text.push_str(rest);
    if !text.is_empty() {
        all.push(Writes::Text(text));
    }
    Some(all)
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

    fn conversions(format: &str) -> Option<Vec<Conversion>> {
        let conversion = |part| match part {
            Reads::Conversion(conversion) => Some(conversion),
            Reads::Text(_) => None,
        };
        scanned(format, 8).map(|all| all.into_iter().filter_map(conversion).collect())
    }

    #[test]
    fn input() {
        let of = |f: &str| -> Option<Vec<Scanned>> {
            conversions(f).map(|all| all.into_iter().map(|c| c.of).collect())
        };
        let sizes: Vec<u64> = conversions("%d %hhu:%lx%%%n")
            .unwrap()
            .iter()
            .map(|c| c.size)
            .collect();
        assert_eq!(sizes, [4, 1, 8, 4]);
        assert_eq!(
            of("%*s %15s %c %llu %i"),
            Some(vec![
                Scanned::Word,
                Scanned::Word,
                Scanned::Characters,
                Scanned::Number(10),
                Scanned::Number(0)
            ])
        );
        assert!(conversions("%*s").unwrap()[0].dropped);
        assert_eq!(
            of("%[^]x] %3[0-9]"),
            Some(vec![Scanned::Set("^]x".into()), Scanned::Set("0-9".into())])
        );
        assert_eq!(conversions("%lf").unwrap()[0].size, 8);
        assert_eq!(scanned("%k", 8), None);
        assert_eq!(of("%p"), Some(vec![Scanned::Number(16)]));
        let texts = |part: &Reads| matches!(part, Reads::Text(t) if t == "a% " || t == ":");
        assert_eq!(
            scanned("a%% %d:", 8)
                .unwrap()
                .iter()
                .filter(|p| texts(p))
                .count(),
            2
        );
    }

    #[test]
    fn output() {
        assert_eq!(
            printed("100%% sure", 8),
            Some(vec![Writes::Text("100% sure".into())])
        );
        let all = printed("a%-*d %.3s%.*s %5.2lf%m%ln%02X", 8).unwrap();
        assert_eq!(all[0], Writes::Text("a".into()));
        let conversions: Vec<Printing> = all
            .into_iter()
            .filter_map(|part| match part {
                Writes::Conversion(c) => Some(c),
                Writes::Text(_) => Option::None,
            })
            .collect();
        let told: Vec<_> = conversions
            .iter()
            .map(|c| (c.of, c.argument, c.width, c.precision))
            .collect();
        use Amount::{Argument, Fixed, None};
        assert_eq!(
            told,
            [
                (Printed::Number(10, true), 1, Argument(0), None),
                (Printed::String, 2, None, Fixed(3)),
                (Printed::String, 4, None, Argument(3)),
                (Printed::Other, 5, Fixed(5), Fixed(2)),
                (Printed::Other, usize::MAX, None, None),
                (Printed::Place, 6, None, None),
                (Printed::Number(16, false), 7, Fixed(2), None),
            ]
        );
        assert_eq!(conversions[0].flags, 0x4000);
        assert_eq!(conversions[6].flags, 0x2000 | flags::UPPER);
        assert_eq!(printed("%1$s", 8), Option::None);
    }
}
