//! `--emit=program`: the owned form as text.

use super::Program;

/// The whole program as text.
pub fn print_program(program: &Program) -> String {
    format!("{program:#?}")
}
