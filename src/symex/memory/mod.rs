//! What a pointer can mean, and where bytes live; what of it is chosen once for all states; what is not followed, or taken from
//! elsewhere.

pub(in crate::symex) mod access;
pub(in crate::symex) mod cells;
pub(in crate::symex) mod chosen;
pub(in crate::symex) mod contents;
pub(in crate::symex) mod copies;
pub(in crate::symex) mod ghosts;
pub(in crate::symex) mod guessed;
pub(in crate::symex) mod initial;
pub(in crate::symex) mod ite_lift;
pub(in crate::symex) mod layers;
pub(in crate::symex) mod lazy;
pub(in crate::symex) mod objects;
pub(in crate::symex) mod offsets;
pub(in crate::symex) mod pages;
pub(in crate::symex) mod places;
pub(in crate::symex) mod pointees;
pub(in crate::symex) mod round_copies;
pub(in crate::symex) mod store;
pub(in crate::symex) mod stored;
pub(in crate::symex) mod storing;
pub(in crate::symex) mod subarrays;
#[cfg(test)]
mod tests;
pub mod untracked;
pub(in crate::symex) mod views;
pub(in crate::symex) mod words;

use layers::Plain;
use stored::OfOthers;
use untracked::Unfollowed;

/// Where instructions read and write.
pub(in crate::symex) const STORE: Unfollowed<OfOthers<Plain>> = Unfollowed(OfOthers(Plain));
