//! Numbers of the driver's that the kernel shows to processes: its own reading and writing of them. No function of the input, and none that it
//! names, does that; the function that registers a number stands for it, called without a name.

use super::Found;
use super::objects::is_called;
use crate::environment::rules::Rules;
use crate::program::Program;

/// What the calls of the input have shown.
pub fn find(program: &Program, rules: &Rules) -> Vec<Found> {
    let mut found = Vec::new();
    for rule in rules.effects() {
        let Some(shows) = &rule.shows else { continue };
        for name in rule.on.iter().filter(|f| is_called(program, f)) {
            found.extend(program.function_named(name).map(|function| Found {
                function,
                via: format!("{name}#{}", shows.argument),
                holder: None,
                call: Some(name.clone()),
                own: None,
            }));
        }
    }
    found
}
