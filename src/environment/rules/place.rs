//! Names of places as rules have them: `struct.field`, `struct.*` for all fields of a struct, `function#argument`.

/// Whether a name in a rule stands for that place.
pub fn stands_for(name: &str, place: &str) -> bool {
    match name.strip_suffix(".*") {
        Some(structure) => place
            .split_once('.')
            .is_some_and(|(s, _)| s == structure && !place.contains('#')),
        None => name == place,
    }
}

/// Whether one of several names does.
pub fn any_stands_for(names: &[String], place: &str) -> bool {
    names.iter().any(|name| stands_for(name, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_all_fields_of_a_struct() {
        let names = ["serio.open".to_string(), "dvb_demux.*".to_string()];
        for (place, named) in [
            ("serio.open", true),
            ("serio.close", false),
            ("dvb_demux.start_feed", true),
            ("dvb_demux_feed.cb", false),
            ("dvb_demux", false),
        ] {
            assert_eq!(any_stands_for(&names, place), named, "{place}");
        }
    }
}
