//! Fields that are asked for by name.

use std::collections::BTreeSet;

use crate::analysis::Planner;
use crate::config::{Options, Track};
use crate::error::InputError;
use crate::frontend::Closed;
use crate::pair::{self, Task};
use crate::region::Region;

/// Every `--field` must be one that some pair shares, every field of `--track` one that there is.
pub(super) fn known_fields(
    closed: &Closed,
    planner: &Planner<'_>,
    tasks: &[Task],
    options: &Options,
) -> Result<(), InputError> {
    if let Track::Fields(names) = &options.track {
        let steady = tasks.first().is_some_and(pair::Task::in_steady);
        let fields = pair::fields(closed, planner, steady);
        let known = fields.filter(|f| f.gap().is_none()).map(|f| f.all());
        let names_it = |name: &str| {
            let mut names = known
                .iter()
                .flat_map(|all| all.iter())
                .flat_map(|f| &f.names);
            names.any(|n| pair::asked_for(n, &[name.to_string()]))
        };
        if let Some(name) = names.iter().find(|n| known.is_some() && !names_it(n)) {
            let advice = "--track auto finds those that matter, and tells them";
            return Err(
                InputError::new("--track", format!("no field is called {name}")).advise(advice),
            );
        }
    }
    if options.fields.is_empty() {
        return Ok(());
    }
    let known: BTreeSet<Region> = tasks
        .iter()
        .flat_map(|t| pair::regions(closed, planner, t))
        .collect();
    for field in &options.fields {
        let one = std::slice::from_ref(field);
        if !known.iter().any(|r| pair::asked_for(r.name(), one)) {
            let all: Vec<&str> = known.iter().map(Region::name).collect();
            return Err(
                InputError::new(field.as_str(), "no pair shares a field of that name")
                    .advise(format!("shared are {}", all.join(", "))),
            );
        }
    }
    Ok(())
}
