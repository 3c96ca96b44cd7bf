//! Outcomes made by hand, and the comparison with golden files, for the tests of the reports.

use std::collections::BTreeMap;

use super::snippet::Sources;
use crate::assumption::Assumption;
use crate::deadline::Stopped;
use crate::environment::entry::{Context, EntryPoint, Phase};
use crate::index::SiteId;
use crate::program::Touch;
use crate::trace::schedule::{Failure, Schedule, Step};
use crate::verdict::*;

/// Compares with `src/report/golden/NAME`; `IRKISS_BLESS=1 cargo test` writes it anew.
pub fn expect_text(name: &str, actual: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/report/golden")
        .join(name);
    if std::env::var_os("IRKISS_BLESS").is_some() {
        std::fs::write(&path, actual).expect("golden file can be written");
    }
    let expected =
        std::fs::read_to_string(&path).expect("golden file exists (IRKISS_BLESS=1 makes it)");
    assert!(
        expected == actual,
        "{} differs; IRKISS_BLESS=1 accepts this:\n{actual}",
        path.display()
    );
}

/// A source file with a few lines.
pub struct Source;

impl Sources for Source {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        match (file, line) {
            ("drivers/char/demo.c", 12) => Some("\tdemo_open_count++;".into()),
            ("drivers/char/demo.c", 31) => {
                Some("\tif (demo_open_count == 0 && demo_busy) {".into())
            }
            _ => None,
        }
    }
}

fn frame(function: &str, line: u32, column: u32) -> Frame {
    Frame {
        function: function.into(),
        file: "drivers/char/demo.c".into(),
        line,
        column,
    }
}

fn event(thread: u32, function: &str, line: u32, does: Does) -> Event {
    Event {
        thread,
        at: frame(function, line, 2),
        called_at: None,
        entry: String::new(),
        does,
        memory: Memory::Shared,
        decides: false,
    }
}

fn reads(place: &str, value: u64) -> Does {
    Does::Reads {
        place: place.into(),
        bytes: 4,
        value: Some(value),
        to: None,
    }
}

/// A race between an unlocked write and a read under a lock.
pub fn race() -> Finding {
    Finding {
        kind: FindingKind::DataRace,
        location: "@demo_open_count".into(),
        message: "data race on @demo_open_count between demo_open and demo_release".into(),
        accesses: vec![
            Access {
                thread: 0,
                entry_point: "demo_open".into(),
                stack: vec![frame("demo_open", 12, 2)],
                kind: Act::Touches(Touch::Writes),
                bytes: 4,
                marked: false,
                locks: vec![],
                acquired: vec![],
                waits_for: None,
                if_by: None,
                value: Some(1),
            },
            Access {
                thread: 1,
                entry_point: "demo_release".into(),
                stack: vec![frame("demo_idle", 31, 6), frame("demo_release", 40, 9)],
                kind: Act::Touches(Touch::Reads),
                bytes: 4,
                marked: false,
                locks: vec!["demo_lock".into()],
                acquired: vec![],
                waits_for: None,
                if_by: None,
                value: Some(1),
            },
        ],
        also: Vec::new(),
        other_pairs: 2,
        functions: vec!["demo_read".into(), "demo_write".into()],
        state: StateKind::Reached,
        switches: 2,
        assumptions: vec!["copy_from_user returned 0".into()],
        nature: Nature::default(),
        benign_hints: vec!["the read value only decides a branch".into()],
        events: vec![
            event(0, "demo_open", 12, reads("demo_open_count", 1)),
            event(
                1,
                "demo_release",
                39,
                Does::Locks {
                    lock: "demo_lock".into(),
                    shared: false,
                },
            ),
            event(1, "demo_idle", 30, reads("demo_flags", 0)),
            event(
                0,
                "demo_open",
                12,
                Does::Writes {
                    place: "demo_open_count".into(),
                    bytes: 4,
                    value: Some(2),
                    to: None,
                },
            ),
            event(1, "demo_idle", 31, reads("demo_open_count", 1)),
        ],
        schedule: Schedule {
            pair: vec![0, 1],
            steps: vec![Step {
                thread: 0,
                site: SiteId(4),
            }],
            failure: Failure::Race {
                first: Step {
                    thread: 0,
                    site: SiteId(5),
                },
                second: Step {
                    thread: 1,
                    site: SiteId(9),
                },
            },
            ..Schedule::default()
        },
    }
}

fn entry(function: &str, via: &str, context: Context, phase: Phase) -> EntryPoint {
    EntryPoint {
        context,
        parameters: vec![],
        beside_itself: true,
        ..EntryPoint::new(function, via, phase)
    }
}

/// Of `unknown` without a reason that anybody knows.
pub fn region(location: &str, verdict: Verdict) -> RegionResult {
    let claim = Claim::Region(location.into());
    match verdict {
        Verdict::Proved => RegionResult::proved(claim, Tier::Lockset, Vec::new()),
        Verdict::Bounded => RegionResult::bounded(claim, Tier::Kiss, Vec::new()),
        Verdict::Unknown => RegionResult::unknown(claim, Why::NotRecorded),
        Verdict::Race => RegionResult::race(claim, Tier::Kiss),
    }
}

fn unknown(location: &str, why: Why) -> RegionResult {
    RegionResult::unknown(Claim::Region(location.into()), why)
}

/// The same claims with that verdict.
pub fn all(claims: &Verdicts, verdict: Verdict) -> Verdicts {
    let same = |r: &RegionResult| region(r.claim().name(), verdict);
    claims.iter().map(same).collect()
}

fn pair(a: &str, b: &str, regions: Vec<RegionResult>) -> PairResult {
    PairResult {
        a: a.into(),
        b: b.into(),
        further: Vec::new(),
        scenario: String::new(),
        serialized_by: None,
        nothing_shared: false,
        assumptions: Vec::new(),
        suppressed: Vec::new(),
        regions: regions.into_iter().collect(),
        reachable_sites: vec![(12, 14), (9, 9)],
    }
}

/// One race, one unknown, one pair kept apart, one vacuous.
pub fn outcome() -> Outcome {
    let asm = Why::Unsupported(Ending {
        cut: Cut::Unsupported("inline assembly without a model".into()),
        at: "demo.c:77 (demo_read)".into(),
    });
    let tail = Claim::Region("struct demo.tail".into());
    let proved = RegionResult::proved(tail, Tier::Lockset, vec![Assumption::OneDevice]);
    let mut serialized = pair("demo_ioctl", "demo_set_mtu", vec![]);
    serialized.serialized_by = Some("rtnl".into());
    let mut vacuous = pair(
        "demo_irq",
        "demo_open",
        vec![region("@demo_open_count", Verdict::Bounded)],
    );
    vacuous.reachable_sites = vec![(0, 5), (12, 14)];
    let mut apart = pair("demo_poll", "demo_poll", vec![]);
    apart.nothing_shared = true;
    apart.reachable_sites = vec![(0, 0); 2];
    let mut irq = entry(
        "demo_irq",
        "request_threaded_irq#1",
        Context::Hardirq,
        Phase::Steady,
    );
    irq.beside_itself = false;
    irq.registered_by = Some("demo_probe".into());
    let mut mtu = entry(
        "demo_set_mtu",
        "net_device_ops.ndo_change_mtu",
        Context::Process,
        Phase::Steady,
    );
    mtu.serialized_by = vec!["rtnl".into()];
    mtu.known = false;
    Outcome {
        sources: vec!["drivers/char/demo.c".into()],
        set_aside: vec![],
        not_asked: vec![crate::property::Property::Deadlock],
        input: vec!["demo.bc".into()],
        object: None,
        bounds: Bounds::of(&crate::config::Options::default()),
        entries: [
            entry("demo_init", "module_init", Context::Process, Phase::Init),
            entry(
                "demo_open",
                "file_operations.open",
                Context::Process,
                Phase::Steady,
            ),
            irq,
            mtu,
        ]
        .into_iter()
        .collect(),
        pairs: vec![
            pair(
                "demo_open",
                "demo_open",
                vec![region("@demo_open_count", Verdict::Bounded)],
            ),
            pair(
                "demo_open",
                "demo_release",
                vec![
                    region("@demo_open_count", Verdict::Race),
                    unknown("struct demo.head", asm),
                    proved,
                ],
            ),
            serialized,
            vacuous,
            apart,
        ],
        findings: vec![race()],
        default_models: vec![("of_get_property".into(), 3), ("some_helper".into(), 1)],
        unmodelled_asm: vec![("rdmsr\n\tnop".into(), 2)],
        notes: vec!["demo_set_mtu: no rule; process context assumed".into()],
        not_replayed: 1,
        guarded_by: None,
        stats: BTreeMap::from([("solver queries".into(), 42), ("terms".into(), 1234)]),
        stopped: None,
    }
}

/// Nothing found, nothing unknown.
pub fn quiet_outcome() -> Outcome {
    let mut o = outcome();
    o.findings.clear();
    o.not_replayed = 0;
    o.pairs.truncate(1);
    o.default_models.clear();
    o.unmodelled_asm.clear();
    o.notes.clear();
    o
}

/// The time ended it: one pair was not begun.
pub fn stopped_outcome() -> Outcome {
    let mut o = quiet_outcome();
    let late = unknown("@demo_flags", Why::Stopped(Stopped::Timeout(10)));
    let mut cut = pair("demo_open", "demo_poll", vec![late]);
    cut.reachable_sites = vec![(0, 0); 2];
    o.pairs.push(cut);
    o.stopped = Some(Stopped::Timeout(10));
    o
}
