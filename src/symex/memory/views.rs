//! Memory as it is seen otherwise than it is: what is not followed, what others may have stored, what is guessed. Each view keeps what
//! it has found out; without any, memory is what the state says.

use crate::symex::machine::quiet::Quiet;
use crate::symex::memory::guessed::Guesses;
use crate::symex::memory::stored::Stored;

/// The views of a run.
#[derive(Clone, Debug, Default)]
pub(in crate::symex) struct Views {
    /// Loops and calls that touch nothing that is followed.
    pub quiet: Quiet,
    /// Stores of later rounds, guessed.
    pub guesses: Guesses,
    /// What threads have stored, while they run by themselves.
    pub stored: Option<Stored>,
}

impl Views {
    /// What threads have stored, while they run by themselves.
    pub fn stored(&mut self) -> &mut Stored {
        self.stored
            .as_mut()
            .expect("asked for where threads run by themselves")
    }
}
