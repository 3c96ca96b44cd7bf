//! What a ledger keeps and gives away, and which evidence claims need.

use fixedbitset::FixedBitSet;

use super::evidence::{Reach, hidden, not_reached, nowhere};
use super::ledger::{Ledger, Proof};
use crate::analysis::atomicity::Candidates;
use crate::analysis::plan::{Birth, PairPlan, Part, PlannedRegion, ProvedRegion};
use crate::analysis::unidentified::Meetings;
use crate::assumption::{Assumption, Fixed};
use crate::config::Options;
use crate::deadline::Stopped;
use crate::frontend::text::close_text;
use crate::index::SiteId;
use crate::program::Program;
use crate::verdict::{Claim, Cut, Ending, RegionResult, Tier, Verdict, Why, Within};

fn region(name: &str) -> Claim {
    Claim::Region(name.into())
}

fn verdict_of(ledger: &Ledger, claim: &Claim) -> Verdict {
    let known = ledger.regions.of(claim);
    known.expect("the claim").verdict()
}

fn the_first(ledger: &Ledger) -> &RegionResult {
    ledger.regions.iter().next().expect("a claim")
}

fn by(tier: Tier, verdicts: &[(&str, Verdict)]) -> Ledger {
    let mut ledger = Ledger::by(tier);
    for (name, verdict) in verdicts {
        match verdict {
            Verdict::Unknown => ledger.leave_open(&region(name), Why::Budget),
            Verdict::Bounded => ledger.bounded(&region(name)),
            Verdict::Race => ledger.refuted(&region(name)),
            Verdict::Proved => unreachable!("proofs are added last"),
        }
    }
    ledger
}

fn added(a: Verdict, b: Verdict) -> Verdict {
    let mut ledger = by(Tier::Kiss, &[("x", a)]);
    ledger.add(by(Tier::Contexts, &[("x", b)]));
    verdict_of(&ledger, &region("x"))
}

#[test]
fn a_race_in_one_run_is_a_race() {
    for other in [Verdict::Bounded, Verdict::Unknown] {
        assert_eq!(added(Verdict::Race, other), Verdict::Race);
        assert_eq!(added(other, Verdict::Race), Verdict::Race);
    }
}

/// What a claim comes to of which two searches within other bounds say this.
fn deepened(first: Option<Why>, second: Option<Why>) -> Ledger {
    let within = |within, why: Option<Why>| {
        let mut ledger = Ledger::by(Tier::Kiss);
        ledger.within = Some(within);
        match why {
            None => ledger.bounded(&region("x")),
            Some(why) => ledger.leave_open(&region("x"), why),
        }
        ledger
    };
    let rounds = Within::Rounds {
        contexts: 2,
        switches: None,
    };
    let mut ledger = within(Within::Balanced { ts: 1 }, first);
    ledger.deepen(within(rounds, second));
    ledger
}

#[test]
fn a_search_that_was_cut_takes_nothing_from_another() {
    let cut = || Some(Why::Budget);
    for (first, second, within) in [
        (None, None, "ts=1 contexts=2"),
        (None, cut(), "ts=1"),
        (cut(), None, "contexts=2"),
    ] {
        let told = deepened(first, second);
        assert_eq!(verdict_of(&told, &region("x")), Verdict::Bounded);
        let each = the_first(&told).within().iter().map(ToString::to_string);
        assert_eq!(each.collect::<Vec<_>>().join(" "), within);
        assert!(!told.is_cut());
    }
    let told = deepened(cut(), cut());
    assert!(told.is_cut() && the_first(&told).within().is_empty());
}

/// What is not modelled is met in one round only if a thread gets there in one.
#[test]
fn what_is_not_modelled_within_the_bounds_stays_unknown_and_beyond_is_beyond() {
    let met = || {
        Some(Why::Unsupported(Ending {
            cut: Cut::Unsupported("a call".into()),
            at: String::new(),
        }))
    };
    for told in [deepened(met(), None), deepened(None, met())] {
        assert_eq!(verdict_of(&told, &region("x")), Verdict::Unknown);
    }
    let asked = Within::Balanced { ts: 1 };
    let mut told = deepened(Some(Why::Budget), None);
    told.beyond(asked, deepened(met(), Some(Why::Budget)));
    assert_eq!(verdict_of(&told, &region("x")), Verdict::Unknown);
    let mut told = deepened(None, None);
    told.beyond(asked, deepened(met(), Some(Why::Budget)));
    assert_eq!(verdict_of(&told, &region("x")), Verdict::Bounded);
    told.beyond(asked, deepened(Some(Why::NotReplayed(String::new())), None));
    assert_eq!(verdict_of(&told, &region("x")), Verdict::Unknown);
}

#[test]
fn what_was_found_and_not_confirmed_stays_unknown() {
    let found = || Some(Why::NotReplayed("elsewhere".into()));
    for told in [deepened(found(), None), deepened(None, found())] {
        assert_eq!(verdict_of(&told, &region("x")), Verdict::Unknown);
        assert_eq!(the_first(&told).why(), found().as_ref());
        assert!(the_first(&told).within().is_empty());
    }
}

#[test]
fn no_more_is_known_than_by_the_run_that_knows_less() {
    assert_eq!(added(Verdict::Bounded, Verdict::Unknown), Verdict::Unknown);
    assert_eq!(added(Verdict::Unknown, Verdict::Bounded), Verdict::Unknown);
    assert_eq!(added(Verdict::Bounded, Verdict::Bounded), Verdict::Bounded);
}

#[test]
fn the_later_of_two_that_agree_is_who_decided() {
    let mut ledger = by(Tier::Kiss, &[("x", Verdict::Bounded)]);
    ledger.add(by(Tier::Contexts, &[("x", Verdict::Bounded)]));
    assert_eq!(the_first(&ledger).by(), Some(Tier::Contexts));
}

#[test]
fn what_one_run_alone_was_asked_is_kept() {
    let mut ledger = by(Tier::Kiss, &[("x", Verdict::Bounded)]);
    ledger.add(by(Tier::Contexts, &[("y", Verdict::Unknown)]));
    assert_eq!(verdict_of(&ledger, &region("x")), Verdict::Bounded);
    assert_eq!(verdict_of(&ledger, &region("y")), Verdict::Unknown);
}

#[test]
fn who_leaves_open_decides_nothing() {
    let ledger = by(Tier::Kiss, &[("x", Verdict::Unknown)]);
    assert_eq!(the_first(&ledger).by(), None);
    assert_eq!(the_first(&ledger).why(), Some(&Why::Budget));
}

#[test]
fn only_races_are_raced() {
    let all = [
        ("a", Verdict::Race),
        ("b", Verdict::Bounded),
        ("c", Verdict::Unknown),
    ];
    assert_eq!(by(Tier::Kiss, &all).raced(), [region("a")]);
}

#[test]
fn a_task_without_claims_carries_its_reason() {
    let why = Why::Stopped(Stopped::Interrupted);
    let ledger = Ledger::unknown(&[], &why);
    assert_eq!(*the_first(&ledger).claim(), Claim::Threads);
    assert_eq!(the_first(&ledger).why(), Some(&why));
}

#[test]
fn every_claim_gets_the_one_reason() {
    let claims = [region("x"), Claim::Assertions];
    let ledger = Ledger::unknown(&claims, &Why::NoStart);
    assert_eq!(ledger.regions.len(), 2);
    assert!(
        ledger
            .regions
            .iter()
            .all(|r| r.why() == Some(&Why::NoStart))
    );
}

#[test]
fn what_is_claimed_rests_on_what_the_models_fix() {
    let all = [
        ("a", Verdict::Race),
        ("b", Verdict::Bounded),
        ("c", Verdict::Unknown),
    ];
    let mut ledger = by(Tier::Kiss, &all);
    let fixed = Assumption::Fixed(Fixed::ALL[0]);
    ledger.rests_on(std::slice::from_ref(&fixed), &[]);
    let listed = |r: &RegionResult| r.assumptions().contains(&fixed);
    let listed: Vec<bool> = ledger.regions.iter().map(listed).collect();
    assert_eq!(listed, [false, true, false]);
}

#[test]
fn how_long_objects_live_matters_to_who_asks_for_freed_ones() {
    let mut ledger = Ledger::by(Tier::Kiss);
    ledger.bounded(&region("x"));
    ledger.bounded(&Claim::Freed);
    let lives = Assumption::Fixed(Fixed::OutsideObjectsLive);
    ledger.rests_on(&[], &[(Claim::Freed, lives.clone())]);
    let listed = |r: &RegionResult| r.assumptions().contains(&lives);
    let listed: Vec<bool> = ledger.regions.iter().map(listed).collect();
    assert_eq!(listed, [true, false]);
}

#[test]
fn counts_add_up() {
    let (mut a, mut b) = (Ledger::by(Tier::Kiss), Ledger::by(Tier::Kiss));
    a.count("terms", 2);
    b.count("terms", 3);
    b.not_replayed = 1;
    a.add(b);
    assert_eq!((a.stats["terms"], a.not_replayed), (5, 1));
}

#[test]
fn a_proof_by_locks_names_them() {
    let proved = ProvedRegion {
        name: "x".into(),
        part: Part::Variable,
        sites_a: vec![SiteId(0)],
        sites_b: vec![SiteId(1)],
        locks: vec!["m".into()],
        over: Vec::new(),
    };
    let proof = Proof::from(proved.clone());
    assert_eq!(proof.rests_on[0], Assumption::BothHold(vec!["m".into()]));
    let over = ProvedRegion {
        locks: Vec::new(),
        over: vec!["timer".into()],
        ..proved
    };
    let proof = Proof::from(over);
    assert_eq!(
        proof.rests_on,
        [Assumption::Over(vec!["timer".into()], false)]
    );
}

/// Two functions, each with a write of `x` and a read of `y`.
fn two_threads() -> Program {
    let text = "@x = global i32 0
         @y = global i32 0
         define void @a() { store i32 1, ptr @x %v = load i32, ptr @y ret void }
         define void @b() { store i32 2, ptr @x %v = load i32, ptr @y ret void }
         define void @__irkiss_main() { call void @a() call void @b() ret void }";
    let closed = close_text(text, &Options::default()).expect("closed");
    assert_eq!(closed.concurrent.sites.len(), 4);
    closed.concurrent
}

/// The plan of a pair of which each executes the sites listed.
fn plan(program: &Program, sides: [&[usize]; 2]) -> PairPlan {
    let set = |sites: &[usize]| -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(program.sites.len());
        set.extend(sites.iter().copied());
        set
    };
    PairPlan {
        regions: Vec::new(),
        proved: Vec::new(),
        silenced: Vec::new(),
        used: Vec::new(),
        unidentified: Meetings::default(),
        of_one: Vec::new(),
        gap: None,
        checked: FixedBitSet::new(),
        enabled: FixedBitSet::new(),
        functions: FixedBitSet::new(),
        sides: sides.iter().map(|s| set(s)).collect(),
        birth: Birth::There,
        of_two: true,
        atomicity: Candidates::default(),
    }
}

fn reach(program: &Program, sides: [&[usize]; 2]) -> Reach {
    Reach {
        sides: plan(program, sides).sides,
        ..Reach::default()
    }
}

const SIDES: [&str; 2] = ["a", "b"];
const OWN: [&[usize]; 2] = [&[0, 1], &[2, 3]];

fn of_x() -> [Vec<SiteId>; 2] {
    [vec![SiteId(0)], vec![SiteId(2)]]
}

#[test]
fn a_side_that_gets_nowhere_is_named() {
    let program = two_threads();
    let plan = plan(&program, OWN);
    let of = |sides| nowhere(&program, &plan, &reach(&program, sides), &SIDES);
    assert_eq!(of([&[0], &[3]]), None);
    let why = of([&[0], &[]]).expect("a reason");
    assert!(matches!(why, Why::Nowhere { entry, .. } if entry == "b"));
}

#[test]
fn evidence_belongs_to_the_region() {
    let program = two_threads();
    let plan = plan(&program, OWN);
    let sites = of_x();
    let of = |sides| {
        let reach = reach(&program, sides);
        not_reached((&program, &plan), [&sites[0], &sites[1]], &reach, &SIDES)
    };
    assert_eq!(of([&[0], &[2]]), None);
    // It gets somewhere, and not to this region.
    let why = of([&[0], &[3]]).expect("a reason");
    assert!(matches!(why, Why::NotReached { entry, .. } if entry == "b"));
}

#[test]
fn what_the_other_side_shows_is_no_evidence_for_its_own() {
    let program = two_threads();
    // Both may execute site 0.
    let plan = plan(&program, [&[0], &[0]]);
    let sites = [SiteId(0)];
    let reach = reach(&program, [&[0], &[]]);
    let why = not_reached((&program, &plan), [&sites, &sites], &reach, &SIDES);
    assert!(matches!(why, Some(Why::NotReached { entry, .. }) if entry == "b"));
}

#[test]
fn what_a_thread_starts_counts_for_it() {
    let program = two_threads();
    // Site 2 is of a thread that one of them starts: neither executes it itself.
    let plan = plan(&program, [&[0], &[1, 3]]);
    let sites = of_x();
    let shown = reach(&program, [&[0], &[2]]);
    let why = not_reached((&program, &plan), [&sites[1], &sites[0]], &shown, &SIDES);
    assert_eq!(why, None);
}

#[test]
fn an_access_not_reached_is_hidden_only_where_executions_end() {
    let program = two_threads();
    let plan = plan(&program, OWN);
    let both = [vec![SiteId(0), SiteId(1)], vec![SiteId(2)]];
    let mut shown = reach(&program, [&[0], &[2]]);
    let of = |shown: &Reach| hidden((&program, &plan), [&both[0], &both[1]], shown, &SIDES);
    assert_eq!(of(&shown), None);
    let end = Ending {
        cut: Cut::Unwind,
        at: "f.c:3 (f)".into(),
    };
    shown.endings = vec![vec![end.clone()], Vec::new()];
    let why = of(&shown).expect("a reason");
    assert_eq!(why.ends(), [end]);
    assert_eq!(why.code(), "access-hidden");
}

#[test]
fn a_side_without_accesses_has_none_to_get_to() {
    let program = two_threads();
    let plan = plan(&program, OWN);
    let shown = reach(&program, [&[1], &[3]]);
    assert_eq!(
        not_reached((&program, &plan), [&[], &[]], &shown, &SIDES),
        None
    );
}

#[test]
fn what_another_run_shows_is_added() {
    let program = two_threads();
    let mut shown = reach(&program, [&[0], &[]]);
    shown.add(&reach(&program, [&[1], &[2]]));
    assert!(shown.side(0).contains(0) && shown.side(0).contains(1));
    assert!(shown.side(1).contains(2));
    let swapped = shown.swapped(1);
    assert!(swapped.side(0).contains(2) && swapped.side(1).contains(0));
}

#[test]
fn a_proof_by_a_net_is_of_the_accesses_of_its_region() {
    let [sites_a, sites_b] = of_x();
    let region = PlannedRegion {
        name: "x".into(),
        part: Part::Variable,
        objects: Vec::new(),
        sites_a,
        sites_b,
        conflict_pairs: Vec::new(),
    };
    let proof = Proof::by_net(&region, false);
    assert_eq!(proof.sites(), [&[SiteId(0)][..], &[SiteId(2)]]);
    assert_eq!(proof.rests_on, [Assumption::NetOfAllThreads]);
    let proof = Proof::by_driver_net(&region, true);
    assert!(proof.rests_on.contains(&Assumption::LocksLive));
}
