//! What keeps that from being said which the analyses have come to, or has to be said with it: one file each. The list is the order in
//! which they look at the results of a task, once, when all else is over.
//!
//! Each takes back what must not be claimed ([`crate::verdict::Verdicts::take_back`]), gives what is unknown a better reason, or lists what
//! claims rest on. To have one more, write a file and a line.

mod context;
mod in_common;
mod own_end;
mod undescribed;
mod unidentified;
mod untyped;

use super::common::Place;
use super::{Checked, Shared, Task};
use crate::analysis::plan::PairPlan;

pub(super) use undescribed::Described;
pub(super) use unidentified::of_each_its_own;

/// A task, the results of which are about to be told.
pub(super) struct Closing<'c, 'a, 'p> {
    pub shared: &'c Shared<'a, 'p>,
    pub task: &'c Task,
    /// As it was searched: without what is proved.
    pub plan: &'c PairPlan,
    /// Regions that may be another object's for each thread.
    pub places: &'c [Place],
}

/// Looks at results.
type Caveat = fn(&mut Checked, &Closing<'_, '_, '_>);

/// All of them, in their order.
const CAVEATS: &[Caveat] = &[
    // Whose object it is. May take back what is claimed of objects that may be another's; lists what is taken to be one.
    unidentified::told,
    // Without debug information. Takes back everything that is claimed: after the first, which says more where it has something to say.
    untyped::told,
    // Whether one waits for its own end. Takes back that nobody waits for ever.
    own_end::told,
    // In which context they run. Takes back that locks are used as they should be.
    context::told,
    // Whether there is an object that both threads access. Holds back what is claimed until it is shown: after all that takes back for good.
    in_common::told,
    // Whether the threads run beside each other at all. Takes back what was found, which nobody before touches.
    undescribed::told,
];

/// Has all of them look.
pub(super) fn tell(checked: &mut Checked, closing: &Closing<'_, '_, '_>) {
    for caveat in CAVEATS {
        caveat(checked, closing);
    }
}
