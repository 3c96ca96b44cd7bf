//! The rule files that come with irkiss.

use std::path::Path;
use std::sync::OnceLock;

use super::Rules;
use crate::error::InputError;

/// Name and text of each file.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../runtime-stubs/rules/", $name)))),*]
    };
}

const FILES: &[(&str, &str)] = files![
    "character.toml",
    "core.toml",
    "buses.toml",
    "devices.toml",
    "interrupts.toml",
    "kernel.toml",
    "usb.toml",
    "usb-serial.toml",
    "net.toml",
    "tty.toml",
    "block.toml",
    "sound.toml",
    "input.toml",
    "bluetooth.toml",
    "media.toml",
    "watchdog.toml",
    "hardware.toml",
    "display.toml",
    "storage.toml",
    "engines.toml",
    "asoc.toml",
    "drivers.toml",
    "pins.toml",
    "links.toml",
    "netfilter.toml",
    "phy.toml",
    "several.toml",
    "writes.toml",
];

impl Rules {
    /// The rules for a program with `main`, of which the kernel's say nothing: those of the user's file, if there is one.
    ///
    /// # Errors
    /// As [`Rules::with`].
    pub fn of_program(config: Option<&Path>) -> Result<Rules, InputError> {
        match config {
            // What it names is compared with what is built in.
            Some(_) => Rules::with(config),
            None => Ok(Rules::default()),
        }
    }

    /// The rules that come with irkiss.
    ///
    /// # Panics
    /// If a built-in file is broken (a test reads them all).
    pub fn built_in() -> Rules {
        let mut rules = Rules::default();
        for (name, text) in FILES {
            rules
                .merge(name, text, false)
                .expect("the built-in rules are tested");
        }
        rules.named.clear();
        rules
    }
}

/// The places and the functions that the built-in rules know.
pub fn known() -> &'static [String] {
    static KNOWN: OnceLock<Vec<String>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let rules = Rules::built_in();
        rules
            .all()
            .into_iter()
            .map(|(p, _)| p.to_string())
            .chain(rules.effects().iter().flat_map(|e| e.on.clone()))
            .collect()
    })
}
