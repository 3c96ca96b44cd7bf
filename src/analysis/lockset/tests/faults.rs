//! Each fault that can be built into the analysis breaks a test of this folder. `tests/locksets.rs` asks the same of random
//! programs and the oracle.

use crate::faults::{LocksetFault, with};

use super::{completed, conditions, objects, rwlock};

const TESTS: &[(&str, fn())] = &[
    ("common", super::a_common_lock_proves),
    (
        "tried",
        super::a_lock_that_was_tried_is_held_where_it_was_taken,
    ),
    ("error", super::error_paths_hold_nothing),
    ("condition", super::a_lock_under_a_condition),
    ("anew", conditions::a_condition_that_is_computed_anew),
    ("turns", conditions::a_condition_of_the_turn_before),
    ("asked", conditions::a_lock_that_the_parameter_asks_for),
    ("told", conditions::helpers_that_are_told_whether),
    (
        "parameter",
        super::a_parameter_that_is_not_zero_need_not_be_one,
    ),
    ("readers", super::readers_exclude_writers_only),
    (
        "releases",
        super::who_releases_what_others_hold_takes_the_proof_away,
    ),
    ("loops", super::threads_that_never_return),
    ("recursion", super::recursion),
    ("mutual", super::functions_that_call_each_other),
    (
        "callers",
        super::one_caller_holds_the_lock_and_another_does_not,
    ),
    ("ways", super::ways_that_meet_keep_what_both_know),
    ("results", super::results_that_differ_where_the_locks_do_not),
    ("objects", objects::each_object_has_its_lock),
    ("elements", objects::a_lock_in_each_element),
    (
        "reach",
        objects::an_access_that_reaches_into_the_next_element,
    ),
    ("names", objects::two_names_of_one_lock),
    ("own", rwlock::read_holds_of_the_thread_itself),
    ("unlock", rwlock::one_unlock_gives_back_either_side),
    ("unlocked", rwlock::what_one_unlock_gave_back_is_not_held),
    ("sides", rwlock::ways_that_hold_different_sides),
    ("callers of either", rwlock::a_callee_of_many_callers),
    ("callee", rwlock::a_callee_that_is_entered_with_either_side),
    ("initialisation", rwlock::initialisation_is_a_release),
    ("order", completed::who_arms_goes_first),
    ("armed", completed::others_may_arm_it_again),
];

#[test]
fn seeded_faults_are_noticed() {
    let mut unnoticed = Vec::new();
    for fault in LocksetFault::ALL {
        let breaks = |test: &fn()| std::panic::catch_unwind(|| with(Some(*fault), test)).is_err();
        let broken = TESTS.iter().filter(|(_, test)| breaks(test));
        let names: Vec<&str> = broken.map(|(name, _)| *name).collect();
        println!("{fault:?}: {}", names.join(" "));
        if names.is_empty() {
            unnoticed.push(fault);
        }
    }
    assert!(unnoticed.is_empty(), "nobody notices {unnoticed:?}");
}
