//! Claims about memory that both threads may not have in common wait until it is shown (`pair/common.rs`).

use super::{Checked, Closing};
use crate::pair::common::hold_back;

/// Holds them back.
pub(super) fn told(checked: &mut Checked, closing: &Closing<'_, '_, '_>) {
    hold_back(checked, closing.places, closing.shared, closing.task);
}
