//! Who wrote a bitcode file: the identification block, read without LLVM.
//!
//! LLVM tells it in some of its error messages only, and not after a crash. The
//! block stands first in the file (LLVM's "Bitcode File Format", section
//! IDENTIFICATION_BLOCK): a string record such as `LLVM19.1.7`.

/// Bits of a file, least significant first.
struct Bits<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Bits<'_> {
    fn fixed(&mut self, width: u32) -> Option<u64> {
        let mut value = 0;
        for n in 0..width {
            let byte = self.bytes.get(self.at / 8)?;
            value |= u64::from(byte >> (self.at % 8) & 1) << n;
            self.at += 1;
        }
        Some(value)
    }

    /// A number in groups of `width - 1` bits, the top bit of each saying that more follow.
    fn vbr(&mut self, width: u32) -> Option<u64> {
        let mut value = 0;
        let mut shift = 0;
        loop {
            let group = self.fixed(width)?;
            let more = 1 << (width - 1);
            value |= (group & (more - 1)).checked_shl(shift)?;
            if group & more == 0 {
                return Some(value);
            }
            shift += width - 1;
        }
    }

    fn align(&mut self) {
        self.at = self.at.div_ceil(32) * 32;
    }
}

/// Encoding of one operand of an abbreviation.
enum Encoding {
    Literal,
    Fixed(u32),
    Vbr(u32),
    Array,
    Char6,
    Other,
}

const IDENTIFICATION_BLOCK: u64 = 13;

/// The producer's name, such as `LLVM19.1.7`.
pub fn producer(bitcode: &[u8]) -> Option<String> {
    let mut bits = Bits {
        bytes: bitcode,
        at: 32, // after the magic number
    };
    const ENTER_SUBBLOCK: u64 = 1;
    if bits.fixed(2)? != ENTER_SUBBLOCK || bits.vbr(8)? != IDENTIFICATION_BLOCK {
        return None;
    }
    let width = u32::try_from(bits.vbr(4)?)
        .ok()
        .filter(|w| (2..=32).contains(w))?;
    bits.align();
    bits.fixed(32)?; // length in words
    let mut abbreviations: Vec<Vec<Encoding>> = Vec::new();
    // A sane block has two abbreviations and two records.
    for _ in 0..16 {
        match bits.fixed(width)? {
            2 => abbreviations.push(abbreviation(&mut bits)?),
            3 => {
                // An unabbreviated record: code, count, operands.
                let code = bits.vbr(6)?;
                let count = bits.vbr(6)?.min(256);
                let text: Option<Vec<u64>> = (0..count).map(|_| bits.vbr(6)).collect();
                if code == 1 {
                    return name(text?);
                }
            }
            n if n >= 4 => {
                let shape = abbreviations.get(usize::try_from(n - 4).ok()?)?;
                return record(&mut bits, shape);
            }
            _ => return None,
        }
    }
    None
}

fn abbreviation(bits: &mut Bits<'_>) -> Option<Vec<Encoding>> {
    let count = bits.vbr(5)?.min(64);
    let mut shape = Vec::new();
    for _ in 0..count {
        if bits.fixed(1)? == 1 {
            bits.vbr(8)?;
            shape.push(Encoding::Literal);
            continue;
        }
        shape.push(match bits.fixed(3)? {
            1 => Encoding::Fixed(u32::try_from(bits.vbr(5)?).ok().filter(|w| *w <= 64)?),
            2 => Encoding::Vbr(
                u32::try_from(bits.vbr(5)?)
                    .ok()
                    .filter(|w| (2..=32).contains(w))?,
            ),
            3 => Encoding::Array,
            4 => Encoding::Char6,
            _ => Encoding::Other,
        });
    }
    Some(shape)
}

/// The record `[literal code, array of characters]`.
fn record(bits: &mut Bits<'_>, shape: &[Encoding]) -> Option<String> {
    let [Encoding::Literal, Encoding::Array, element] = shape else {
        return None;
    };
    let count = bits.vbr(6)?.min(256);
    let characters: Option<Vec<u64>> = (0..count)
        .map(|_| match element {
            Encoding::Fixed(width) => bits.fixed(*width),
            Encoding::Vbr(width) => bits.vbr(*width),
            Encoding::Char6 => {
                const SET: &[u8; 64] =
                    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
                bits.fixed(6).map(|n| u64::from(SET[n as usize]))
            }
            _ => None,
        })
        .collect();
    name(characters?)
}

fn name(characters: Vec<u64>) -> Option<String> {
    let text: String = characters
        .into_iter()
        .map(|c| {
            u8::try_from(c)
                .ok()
                .filter(u8::is_ascii_graphic)
                .map(char::from)
        })
        .collect::<Option<String>>()?;
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::producer;

    #[test]
    fn the_producer_of_what_llvm_writes_is_found() {
        let context = inkwell::context::Context::create();
        let module = context.create_module("m");
        let buffer = module.write_bitcode_to_memory();
        let found = producer(buffer.as_slice()).expect("identified");
        assert!(found.starts_with("LLVM22"), "{found}");
    }

    #[test]
    fn garbage_has_no_producer() {
        assert_eq!(producer(b""), None);
        assert_eq!(producer(b"BC\xc0\xde\x00\x00\x00\x00\x00"), None);
        assert_eq!(producer(&[0xff; 64]), None);
    }
}
