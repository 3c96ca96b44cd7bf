//! Kinds of findings and reasons in words: what was found; what stopped an analysis, and what to try next.

use std::collections::BTreeMap;

use crate::deadline::Stopped;
use crate::verdict::{Bounds, Candidate, Cut, Ending, FindingKind, Why, Within};

/// What was gone through, `ts=1 contexts=2`, and of how many claims that is said, the most first. `claims`: of each what was gone through;
/// where that is nowhere said, what was asked for.
pub(super) fn searched<'a>(
    claims: impl Iterator<Item = &'a [Within]>,
    asked: &Bounds,
) -> Vec<(String, usize)> {
    let asked = asked.asked();
    let mut counts: BTreeMap<&[Within], usize> = BTreeMap::new();
    for within in claims.filter(|w| !w.is_empty()) {
        *counts.entry(within).or_default() += 1;
    }
    if counts.is_empty() {
        counts.insert(&asked, 0);
    }
    let words = |all: &[Within]| {
        let each: Vec<String> = all.iter().map(Within::to_string).collect();
        each.join(" ")
    };
    let mut all: Vec<(String, usize)> = counts
        .into_iter()
        .map(|(within, n)| (words(within), n))
        .collect();
    all.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    all
}

/// What a kind of finding is called.
pub(super) struct Kind {
    /// The name of the rule, as it stands in brackets at the end of a warning.
    pub rule: &'static str,
    /// At the head of a finding.
    pub headline: &'static str,
    /// Where several are counted: of one.
    pub counted: &'static str,
}

/// The one table of these.
pub(super) fn kind(kind: FindingKind) -> Kind {
    use FindingKind as K;
    let (rule, headline, counted) = match kind {
        K::DataRace => ("irkiss-data-race", "data-race", "data race"),
        K::Assertion => ("irkiss-assertion", "assertion failure", "failing assertion"),
        K::UseAfterFree => ("irkiss-use-after-free", "use-after-free", "use after free"),
        K::DoubleAcquire => ("irkiss-double-acquire", "double acquire", "double acquire"),
        K::ReleaseNotHeld => (
            "irkiss-release-not-held",
            "release of a lock that is not held",
            "release of a lock not held",
        ),
        K::SleepInAtomic => (
            "irkiss-sleep-in-atomic",
            "sleeping function called from atomic context",
            "sleep in atomic context",
        ),
        K::ReturnWithLockHeld => (
            "irkiss-return-with-lock-held",
            "lock held when returning",
            "return with a lock held",
        ),
        K::Deadlock => ("irkiss-deadlock", "deadlock", "deadlock"),
        K::UseAfterRemoval => (
            "irkiss-use-after-removal",
            "use after removal",
            "use after removal",
        ),
        K::Atomicity => (
            "irkiss-atomicity",
            "atomicity violation",
            "atomicity violation",
        ),
    };
    Kind {
        rule,
        headline,
        counted,
    }
}

/// A sentence for those who meet a kind for the first time.
pub(super) fn explained(kind: FindingKind) -> &'static str {
    use FindingKind as K;
    match kind {
        K::DataRace => {
            "Two threads access the same memory at once, one of them writes, and not both accesses are marked or atomic."
        }
        K::Assertion => "A condition that the source states does not hold in some interleaving.",
        K::UseAfterFree => {
            "Memory is used, or given back again, after another thread gave it back."
        }
        K::DoubleAcquire => "A thread acquires a lock that it holds already: it waits for itself.",
        K::ReleaseNotHeld => "A thread releases a lock that it does not hold.",
        K::SleepInAtomic => {
            "A function that may sleep is called where nothing may: in an interrupt, or under a spinning lock."
        }
        K::ReturnWithLockHeld => "An entry point returns with a lock that it has acquired.",
        K::Deadlock => "Threads wait for each other's locks, and none goes on.",
        K::UseAfterRemoval => {
            "The driver runs, or uses its device, after the device or the module was removed."
        }
        K::Atomicity => {
            "A thread writes what it made of a value that another thread has overwritten meanwhile."
        }
    }
}

/// One clause that says why something is unknown.
pub(super) fn text(why: &Why) -> String {
    match why {
        Why::NoStart => "vacuous: initialisation never succeeds".to_string(),
        Why::NoDevice { entry } => {
            format!("vacuous: {entry} is for a device, and no probe succeeds")
        }
        Why::NoThread { beside } => {
            format!("vacuous: no second thread is started beside {beside}")
        }
        Why::Nowhere { entry, ended } => format!(
            "vacuous: {entry} is not shown to reach any visible instruction{}",
            ends(ended)
        ),
        Why::NotReached {
            entry,
            access,
            ended,
        } => format!("vacuous: {}", unreached(entry, "its access", access, ended)),
        Why::Hidden {
            entry,
            access,
            ended,
        } => unreached(entry, "one of its accesses", access, ended),
        Why::NothingCommon => {
            "vacuous: they were not seen to access one object, either of them to write".to_string()
        }
        Why::BeyondBounds => {
            "vacuous: the bounds cut every execution that gets to an access".to_string()
        }
        Why::BoundsNotShown => "whether it is got to within the bounds is not known".to_string(),
        Why::NotSearched => "executions are not searched (--tier)".to_string(),
        Why::Candidate(candidate) => self::candidate(candidate),
        Why::Unsupported(ending) => ending_text(ending),
        Why::Budget => "budget used up (--max-instructions, or terms)".to_string(),
        Why::Solver(said) => said.clone(),
        Why::Stopped(stopped) => stopped.to_string(),
        Why::NotReplayed(parted) => {
            format!("an interleaving was found that the interpreter does not confirm: {parted}")
        }
        Why::Lost(how) | Why::NotExecuted(how) => how.clone(),
        Why::Elsewhere(region) => {
            format!("a race was found on {region}, which the same accesses touch")
        }
        Why::AnyAnswer(functions) => format!(
            "what {} answers is not followed, and with some answer it fails",
            functions.join(", ")
        ),
        Why::Unidentified(objects) => {
            format!("nothing tells whose object it is: {}", objects.join(", "))
        }
        Why::NoDebugInfo => {
            "an entry point was compiled without debug information: nothing tells what its pointers lead to".to_string()
        }
        Why::OneOfSeveral(object) => {
            format!("they are kept apart for one {object}, but there are several")
        }
        Why::OwnEnd { entry, call } => {
            format!("{entry} calls {call}, which waits for its end: it may be for the same object")
        }
        Why::NoContext(entries) => format!(
            "no rule says in which context the kernel calls {}: process context is assumed, where one may sleep",
            entries.join(", ")
        ),
        Why::Undescribed(entries) => format!(
            "it was found, if they run beside each other: no rule says when the kernel calls {}",
            entries.join(", ")
        ),
        Why::Clients(resource, entries) => format!(
            "it was found, if they run beside each other: who uses a {resource} calls {}, in turn or at once",
            entries.join(", ")
        ),
        Why::Endless(entries) => format!(
            "it was found, if the kernel still calls them then: nothing tells when it calls {} for the last time",
            entries.join(", ")
        ),
        Why::BegunEarly { entry, so } => begun_early(entry, so.as_deref()),
        Why::NotFollowed => "it depends on what is not followed".to_string(),
        Why::NotRecorded => "no reason recorded".to_string(),
    }
}

fn unreached(entry: &str, what: &str, access: &str, ended: &[Ending]) -> String {
    let (at, ends) = (at(access), ends(ended));
    format!("{entry} is not shown to reach {what}{at}{ends}")
}

fn begun_early(entry: &str, so: Option<&Why>) -> String {
    let so = so.map(|why| format!(": {}", text(why)));
    let so = so.unwrap_or_default();
    format!(
        "{entry} may begin while initialisation goes on, and whether they meet was not found out{so}"
    )
}

fn candidate(candidate: &Candidate) -> String {
    const NO_LOCK: &str = "no lock that both must hold: a candidate for the other analyses";
    match candidate {
        Candidate::NoLock => NO_LOCK.to_string(),
        Candidate::Gap(gap) => {
            format!("locks prove nothing, since not everything can be followed: {gap}")
        }
        Candidate::Net => {
            "the net of all threads gets to two conflicting accesses at once: a candidate for the other analyses"
                .to_string()
        }
        Candidate::NoNet(why) => format!("{NO_LOCK}; {why}"),
    }
}

fn at(place: &str) -> String {
    match place {
        "" => String::new(),
        place => format!(" at {place}"),
    }
}

fn ends(ended: &[Ending]) -> String {
    let all: Vec<String> = ended.iter().map(ending_text).collect();
    match all.is_empty() {
        true => String::new(),
        false => format!("; executions end: {}", all.join(", ")),
    }
}

fn ending_text(ending: &Ending) -> String {
    let what = match &ending.cut {
        Cut::Unwind => "a loop beyond --unwind",
        Cut::Recursion => "calls beyond --recursion",
        Cut::Length => "a copy longer than what is searched",
        Cut::InvalidAccess => "an access through null or outside of its object",
        Cut::Undefined => "undefined behaviour",
        Cut::Unsupported(what) => what,
        Cut::Budget => "the budget is used up",
    };
    match ending.at.as_str() {
        "" => what.to_string(),
        place => format!("{what} ({place})"),
    }
}

/// What to try next; none, if there is nothing that is likely to help.
pub(super) fn next_step(why: &Why) -> Option<String> {
    let step = match why {
        Why::NoStart | Why::NoDevice { .. } => {
            "--scenario lifecycle, a larger --unwind, or --model FILE.c for what the notes name"
        }
        Why::NoThread { .. } => "--entry NAME for functions that others call",
        Why::Nowhere { ended, .. } | Why::NotReached { ended, .. } | Why::Hidden { ended, .. } => {
            return ended
                .iter()
                .find_map(|e| after(&e.cut))
                .or_else(|| after_nothing(ended));
        }
        Why::NothingCommon => {
            "read whether there is one object for both; if there never is, nothing of it can race"
        }
        Why::BeyondBounds | Why::BoundsNotShown => "a larger --unwind",
        Why::NotSearched | Why::Candidate(_) => "--tier auto",
        Why::Unsupported(ending) => return after(&ending.cut),
        Why::Budget => "--pair for this pair alone, a larger --max-instructions",
        Why::Solver(_) => "--pair for this pair alone, a larger --rlimit",
        Why::Stopped(Stopped::Work(_)) => "--pair for this pair alone, a larger --work",
        Why::Stopped(Stopped::Memory(_) | Stopped::OutOfMemory) => {
            "--pair for this pair alone, a larger --memory"
        }
        Why::Stopped(Stopped::CpuTime) => {
            "--pair for this pair alone, a larger limit on CPU time (ulimit -t)"
        }
        Why::Stopped(_) => "--pair for this pair alone, a larger --timeout",
        Why::NotReplayed(_) | Why::Lost(_) | Why::NotExecuted(_) => {
            "a bug of irkiss: report it with the bitcode"
        }
        Why::Elsewhere(_) => "mend the other race first",
        Why::AnyAnswer(_) => "a --model that computes it",
        Why::Unidentified(_) => {
            "an [[object]] or a parameter rule in irkiss.toml that says whose it is (docs/rules.md)"
        }
        Why::NoDebugInfo => "compile with -g",
        Why::OneOfSeveral(_) => {
            "read what the two may reach from different ones: it is not searched"
        }
        Why::NoContext(_) => "a [[rule]] with its context in irkiss.toml (docs/rules.md)",
        Why::OwnEnd { .. } => {
            "read whether the call is about the object that the entry point is called for: then it waits for itself"
        }
        Why::Undescribed(_) => {
            "--pair with the two, which shows the interleaving; a [[rule]] for the place in irkiss.toml (docs/rules.md)"
        }
        Why::Clients(..) => {
            "--pair with the two, which shows the interleaving; read whether its users, or those of another one, call them at once"
        }
        Why::Endless(_) => {
            "--pair with the two, which shows the interleaving; an [[effect]] in irkiss.toml for what takes it back (docs/rules.md)"
        }
        Why::BegunEarly { so: Some(why), .. } if why.is_limit() => {
            "a larger --work or --timeout, or none: beside initialisation is looked last"
        }
        Why::BegunEarly { .. } => {
            "read whether it may be called before initialisation is over; registering it last is always right"
        }
        Why::NotFollowed => "--track all",
        Why::NotRecorded => return None,
    };
    Some(step.to_string())
}

/// What gets beyond such an end.
fn after(cut: &Cut) -> Option<String> {
    let step = match cut {
        Cut::Unwind => "a larger --unwind",
        Cut::Recursion => "a larger --recursion",
        Cut::Unsupported(_) => "--model FILE.c",
        Cut::Budget => "--pair for this pair alone, a larger --max-instructions",
        Cut::InvalidAccess => {
            "read whether the pointer can be null there; if not, --model FILE.c for the function that gives it"
        }
        Cut::Length | Cut::Undefined => return None,
    };
    Some(step.to_string())
}

/// Where nothing cuts executions, another thread may have to come first.
fn after_nothing(ended: &[Ending]) -> Option<String> {
    ended.is_empty().then(|| {
        "read what it waits for, or what starts it; of a driver, --pair A,B,C runs a third entry point beside the two".to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored findings are read by these names (`src/sweep/allowed.rs`).
    #[test]
    fn rules_are_named_as_kinds_are_written() {
        for known in FindingKind::ALL {
            let written = serde_json::to_value(known).expect("a name");
            let name = written.as_str().expect("a text");
            assert_eq!(kind(*known).rule, format!("irkiss-{name}"));
        }
    }

    #[test]
    fn a_reason_says_where_executions_end_and_what_to_try() {
        let why = Why::NotReached {
            entry: "demo_read".into(),
            access: "demo.c:12 (demo_read)".into(),
            ended: vec![Ending {
                cut: Cut::Unwind,
                at: "demo.c:9 (fill)".into(),
            }],
        };
        assert_eq!(
            text(&why),
            "vacuous: demo_read is not shown to reach its access at demo.c:12 (demo_read); executions end: a loop beyond --unwind (demo.c:9 (fill))"
        );
        assert_eq!(next_step(&why).as_deref(), Some("a larger --unwind"));
        assert_eq!(why.code(), "access-not-reached");
        assert_eq!(why.at(), Some("demo.c:9 (fill)"));
    }
}
