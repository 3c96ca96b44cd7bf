//! Options whose names are taken.

use clap::Args;
use irkiss::error::InputError;

/// Options whose names are taken, for what is still to come. They are known so that they can be refused with a reason.
#[derive(Args, Debug)]
pub struct Later {
    #[arg(long, value_name = "N", hide = true)]
    threads: Option<String>,
}

impl Later {
    /// The first that was given: what, why not, what to do instead.
    pub fn refuse(&self) -> Result<(), InputError> {
        let known = [(
            self.threads.is_some(),
            "--threads",
            "not supported yet: pairs of entry points are checked, or the threads that main starts",
            "leave it out",
        )];
        match known.into_iter().find(|(given, ..)| *given) {
            Some((_, option, what, advice)) => Err(InputError::new(option, what).advise(advice)),
            None => Ok(()),
        }
    }
}
