//! The nearest known name, for messages.

/// The name that takes the fewest changes of single letters, if that is less than half of its letters.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .filter(|k| !k.is_empty())
        .map(|k| (distance(name, k), k))
        .filter(|(d, k)| d * 2 < k.len().max(name.len()))
        .min()
        .map(|(_, k)| k)
}

/// Levenshtein's distance, by bytes.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// serde's message with the nearest name instead of the list of all.
pub(super) fn shorter(message: &str) -> String {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match (message.strip_prefix("unknown "), names.split_first()) {
        (Some(what), Some((unknown, known))) if !known.is_empty() => {
            let kind = what
                .split(' ')
                .next()
                .unwrap_or("name")
                .replace("field", "key");
            match nearest(unknown, known.iter().copied()) {
                Some(near) => format!("unknown {kind} `{unknown}`; the nearest is `{near}`"),
                None => format!("unknown {kind} `{unknown}`; there are {}", known.join(", ")),
            }
        }
        _ => message.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }

    #[test]
    fn the_nearest_if_near_enough() {
        let known = || ["file_operations", "tty_operations"].into_iter();
        assert_eq!(nearest("file_operatoins", known()), Some("file_operations"));
        assert_eq!(nearest("zebra", known()), None);
    }
}
