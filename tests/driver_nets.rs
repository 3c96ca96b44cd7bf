//! Random small drivers. What nets prove, against what searches find: a race that was replayed, in a region that the net proved, is a
//! contradiction. And what is said of all pairs together, where threads are executed once for all of them, against what is said of each
//! pair asked for alone.
//!
//! `IRKISS_DRIVERS` is the number of drivers (default 25, and 2 of those that are asked pair by pair), `IRKISS_SEED` the first seed;
//! `IRKISS_BINARY` another executable to ask.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use irkiss::config::{Options, Tiers};
use irkiss::faults::{DriverFault, with};
use irkiss::internals::frontend::{Closed, Goal, close_in_process};
use irkiss::pipeline::check_closed;
use irkiss::progress::Quiet;
use irkiss::verdict::{Tier, Verdict};
use serde_json::Value;
use support::number;
use support::random::Rng;

/// Places that a driver's functions access.
const DATA: [&str; 4] = ["d0", "d1", "own->x", "own->y"];

/// What begins and ends a guarded section; `@` stands for what is done if there is no way in.
const GUARDS: [(&str, &str); 9] = [
    ("mutex_lock(&m);", "mutex_unlock(&m);"),
    ("mutex_lock(&own->lock);", "mutex_unlock(&own->lock);"),
    ("spin_lock(&s);", "spin_unlock(&s);"),
    (
        "if (__atomic_fetch_or(&bits, 1, __ATOMIC_SEQ_CST) & 1) { @ }",
        "__atomic_fetch_and(&bits, ~1ul, __ATOMIC_SEQ_CST);",
    ),
    (
        "if (__atomic_fetch_or(&own->bits, 2, __ATOMIC_SEQ_CST) & 2) { @ }",
        "__atomic_fetch_and(&own->bits, ~2ul, __ATOMIC_SEQ_CST);",
    ),
    (
        "if (__atomic_exchange_n(&flag, 1, __ATOMIC_SEQ_CST)) { @ }",
        "__atomic_store_n(&flag, 0, __ATOMIC_SEQ_CST);",
    ),
    (
        "spin_lock(&s); if (busy) { spin_unlock(&s); @ } busy = 1; spin_unlock(&s);",
        "spin_lock(&s); busy = 0; spin_unlock(&s);",
    ),
    (
        "mutex_lock(&m); if (!opened || mode != 1) { mutex_unlock(&m); @ }",
        "mutex_unlock(&m);",
    ),
    (
        "mutex_lock(&m); if (own->gone) { mutex_unlock(&m); @ } mutex_unlock(&m);",
        "",
    ),
];

/// A few accesses.
fn accesses(rng: &mut Rng) -> String {
    let mut out = String::new();
    for _ in 0..=rng.below(2) {
        let (to, from) = (DATA[rng.below(4)], DATA[rng.below(4)]);
        let n = rng.below(3);
        out += &match rng.below(6) {
            0 | 1 => format!("{to} = {n};\n"),
            2 => format!("{to} = {to} + 1;\n"),
            3 => format!("got += {from};\n"),
            4 => format!("if ({from} == {n}) {{ {to} = 1; }}\n"),
            _ => format!("for (int i = 0; i < 2; i++) {{ {to} = i; }}\n"),
        };
    }
    out
}

/// A guarded section, or now and then what forgets to guard or to let go.
fn section(rng: &mut Rng, refused: &str) -> String {
    let (begin, end) = GUARDS[rng.below(GUARDS.len())];
    let begin = begin.replace('@', refused);
    let body = accesses(rng);
    match rng.below(14) {
        0 => body,
        1 => format!("{begin}\n{end}\n{body}"),
        2 => format!("{begin}\nif (mode == 2) {{ {end} {refused} }}\n{body}{end}\n"),
        3 => format!("if (mode == 2) {{ {begin} }}\n{body}{end}\n"),
        _ => format!("{begin}\n{body}{end}\n"),
    }
}

/// What a function of the driver does.
fn body(rng: &mut Rng, refused: &str) -> String {
    let mut out = String::from("int got = 0;\n");
    for _ in 0..=rng.below(2) {
        out += &match rng.below(12) {
            0 => "wait_for_completion(&done);\n".to_string(),
            1 => "complete_all(&done);\n".to_string(),
            2 => "queue_work_on(0, NULL, &item);\n".to_string(),
            3 => "mod_timer(&timer, 1);\n".to_string(),
            4 => "mutex_lock(&m); own->gone = 1; mutex_unlock(&m);\n".to_string(),
            5 => format!(
                "mutex_lock(&m); mode = {}; mutex_unlock(&m);\n",
                rng.below(3)
            ),
            _ => section(rng, refused),
        };
    }
    out
}

/// What initialisation does: ways that are told apart, and some that are joined.
fn init(rng: &mut Rng) -> String {
    let mut out = String::new();
    match rng.below(4) {
        0 => out += "mode = 1;\n",
        1 => out += "if (chosen()) mode = 1; else mode = 2;\n",
        2 => {
            out += "switch (chosen()) { case 0: mode = 3; break; case 1: mode = 4; break; case 2: mode = 5; break;\n\
                case 3: mode = 6; break; case 4: mode = 7; break; default: mode = 1; }\n";
        }
        _ => out += "for (int i = 0; i < chosen(); i++) mode = i;\n",
    }
    for (percent, what) in [
        (25, "queue_work_on(0, NULL, &item);\n"),
        (25, "mod_timer(&timer, 1);\n"),
        (20, "bits = 1;\n"),
        (20, "own->gone = 1;\n"),
        (30, "opened = 1;\n"),
        (
            40,
            "if (request_threaded_irq(3, demo_irq, NULL, 0, \"demo\", own)) return -EBUSY;\n",
        ),
    ] {
        if rng.chance(percent) {
            out += what;
        }
    }
    out
}

/// What all drivers have.
const HEAD: &str = "#include \"work.h\"\n\
         struct completion { unsigned int done; struct list_head wait; };\n\
         extern void complete_all(struct completion *x);\n\
         extern void wait_for_completion(struct completion *x);\n\
         extern int chosen(void);\n\
         struct own { struct mutex lock; unsigned long bits; int gone, x, y; };\n\
         static struct own *own;\nstatic DEFINE_MUTEX(m);\nstatic DEFINE_SPINLOCK(s);\n\
         static unsigned long bits;\nstatic int flag, busy, opened, mode;\nint d0, d1;\n\
         static struct completion done;\nstatic struct timer_list timer;\n\
         static void demo_work(struct work_struct *work);\n\
         static struct work_struct item = { .func = demo_work };\n";

/// A driver.
fn driver(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let rng = &mut rng;
    let mut text = HEAD.to_string();
    for (head, result, refused) in [
        (
            "void demo_work(struct work_struct *work)",
            "d1 += 0 * got;",
            "return;",
        ),
        (
            "void demo_timer(struct timer_list *t)",
            "(void)got;",
            "return;",
        ),
        (
            "irqreturn_t demo_irq(int irq, void *device)",
            "return IRQ_HANDLED;",
            "return 0;",
        ),
    ] {
        let body = body(rng, refused);
        let result = result.replace("d1 += 0 * got;", "(void)got;");
        text += &format!("static {head}\n{{\n{body}{result}\n}}\n");
    }
    let mut ops = String::new();
    let files = "struct file *file, char __user *b, size_t n, loff_t *p";
    let node = "struct inode *inode, struct file *file";
    for (name, ty, parameters, percent) in [
        ("read", "ssize_t", files, 80),
        (
            "write",
            "ssize_t",
            "struct file *file, const char __user *b, size_t n, loff_t *p",
            60,
        ),
        (
            "unlocked_ioctl",
            "long",
            "struct file *file, unsigned int c, unsigned long a",
            40,
        ),
    ] {
        if rng.chance(percent) {
            let body = body(rng, "return -EBUSY;");
            text += &format!("static {ty} demo_{name}({parameters})\n{{\n{body}return got;\n}}\n");
            ops += &format!(".{name} = demo_{name}, ");
        }
    }
    if rng.chance(65) {
        // One client at a time, or what looks like it.
        let (mut begin, mut end) = match rng.below(4) {
            0 => ("", ""),
            1 => (
                "mutex_lock(&m); if (opened) { mutex_unlock(&m); return -EBUSY; } opened = 1; mutex_unlock(&m);",
                "mutex_lock(&m); opened = 0; mutex_unlock(&m);",
            ),
            2 => (
                "if (__atomic_fetch_or(&bits, 4, __ATOMIC_SEQ_CST) & 4) return -EBUSY;",
                "__atomic_fetch_and(&bits, ~4ul, __ATOMIC_SEQ_CST);",
            ),
            _ => ("if (opened++) return -EBUSY;", "opened = 0;"),
        };
        if rng.chance(10) {
            begin = "";
        }
        if rng.chance(10) {
            end = "";
        }
        let (opens, closes) = (accesses(rng), accesses(rng));
        let early = rng.chance(15);
        let (first, last) = if early { (end, "") } else { ("", end) };
        text += &format!(
            "static int demo_open({node})\n{{\nint got = 0;\n{begin}\n{opens}return 0 & got;\n}}\n\
             static int demo_release({node})\n{{\nint got = 0;\n{first}\n{closes}{last}\nreturn 0 & got;\n}}\n"
        );
        ops += ".open = demo_open, .release = demo_release, ";
    }
    let init = init(rng);
    text + &format!(
        "static const struct file_operations demo_fops = {{ .owner = THIS_MODULE, {ops}}};\n\
         static struct miscdevice demo_device = {{ .minor = MISC_DYNAMIC_MINOR, .name = \"demo\", .fops = &demo_fops }};\n\
         static int demo_init(void)\n{{\n\
         own = __kmalloc(sizeof(*own), GFP_KERNEL | 0x100u);\nif (!own) return -ENOMEM;\n\
         __mutex_init(&own->lock, \"own\", NULL);\ntimer_setup(&timer, demo_timer, 0);\n{init}\
         return misc_register(&demo_device);\n}}\nmodule_init(demo_init)\n"
    )
}

/// Bitcode, with locals in registers or as written.
fn compile(text: &str, folder: &Path, passes: bool) -> std::path::PathBuf {
    let (source, bitcode) = (folder.join("driver.c"), folder.join("driver.bc"));
    std::fs::write(&source, text).expect("written");
    let mut clang = Command::new("clang-22");
    clang.args(["-std=gnu17", "-O2", "-g", "-w", "-Itest-bitcode/drivers"]);
    if !passes {
        clang.args(["-Xclang", "-disable-llvm-passes"]);
    }
    clang.args(["-emit-llvm", "-c", "-o"]).arg(&bitcode);
    support::run(clang.arg(&source));
    bitcode
}

/// What is said of each region of each pair: the verdict, and by which analysis.
type Said = BTreeMap<(String, String, String), (String, String)>;

fn asked(bitcode: &Path, options: &[&str]) -> Said {
    let own = env!("CARGO_BIN_EXE_irkiss").to_string();
    let binary = std::env::var("IRKISS_BINARY").unwrap_or(own);
    let mut command = Command::new(binary);
    command.args(["check", "--format", "json", "--work", "4M"]);
    let output = command
        .args(options)
        .arg(bitcode)
        .output()
        .expect("it runs");
    let json: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    let mut said = Said::new();
    for pair in json["pairs"].as_array().expect("pairs") {
        for region in pair["regions"].as_array().expect("regions") {
            let key = (
                text(&pair["a"]),
                text(&pair["b"]),
                text(&region["location"]),
            );
            said.insert(key, (text(&region["verdict"]), text(&region["by"])));
        }
    }
    said
}

#[test]
fn what_is_found_is_not_proved() {
    let (first, programs) = (number("IRKISS_SEED", 0), number("IRKISS_DRIVERS", 25));
    let folder = tempfile::tempdir().expect("a folder");
    let (mut proofs, mut races, mut with_proofs) = (0, 0, 0);
    let mut wrong = Vec::new();
    for seed in first..first + programs {
        let text = driver(seed);
        let bitcode = compile(&text, folder.path(), seed % 2 == 0);
        let nets = asked(&bitcode, &["--tier", "coverability"]);
        let proved: Vec<_> = nets
            .into_iter()
            .filter(|(_, (verdict, by))| verdict == "proved" && by == "coverability")
            .collect();
        let options = ["--tier", "kiss,contexts", "--ts", "2", "--contexts", "3"];
        let found = asked(&bitcode, &options);
        races += found.values().filter(|(v, _)| v == "race").count();
        proofs += proved.len();
        with_proofs += u32::from(!proved.is_empty());
        for (key, _) in proved {
            if found.get(&key).is_some_and(|(v, _)| v == "race") {
                wrong.push((seed, key, text.clone()));
            }
        }
    }
    println!("{programs} drivers, {with_proofs} with proofs: {proofs} proofs, {races} races found");
    for (seed, key, text) in &wrong {
        println!("--- driver {seed}: {key:?}\n{text}");
    }
    assert!(wrong.is_empty(), "{} proofs are wrong", wrong.len());
    assert!(
        programs < 25 || proofs > 0 && races > 0,
        "nothing is compared"
    );
}

/// A race that runs make happen is none that locks exclude, and hardly one that a search does not find: that one has bounds.
#[test]
fn what_runs_make_happen_is_not_proved() {
    let (first, programs) = (number("IRKISS_SEED", 0), number("IRKISS_DRIVERS", 10));
    let folder = tempfile::tempdir().expect("a folder");
    let (mut races, mut both, mut bounded) = (0, 0, 0);
    let mut wrong = Vec::new();
    for seed in first..first + programs {
        let text = driver(seed);
        let bitcode = compile(&text, folder.path(), seed % 2 == 0);
        let run = asked(&bitcode, &["--tier", "runs"]);
        let searched = asked(&bitcode, &["--tier", "lockset,kiss", "--ts", "2"]);
        for (key, _) in run.into_iter().filter(|(_, (v, _))| v == "race") {
            races += 1;
            match searched.get(&key).map(|(v, _)| v.as_str()) {
                Some("race") => both += 1,
                Some("bounded") => bounded += 1,
                Some("proved") => wrong.push((seed, key, text.clone())),
                _ => {}
            }
        }
    }
    println!(
        "{programs} drivers: {races} races by runs, {both} by searches too, {bounded} bounded"
    );
    for (seed, key, text) in &wrong {
        println!("--- driver {seed}: {key:?}\n{text}");
    }
    assert!(wrong.is_empty(), "{} proofs are wrong", wrong.len());
    assert!(both > 0, "nothing is compared");
    assert!(bounded * 20 <= races, "{bounded} of {races} are not found");
}

/// A race that was replayed is none that a search of the pair alone excludes, and the other way round.
#[test]
fn all_pairs_together_and_each_alone_agree() {
    let (first, programs) = (number("IRKISS_SEED", 0), number("IRKISS_DRIVERS", 2));
    let folder = tempfile::tempdir().expect("a folder");
    let (mut races, mut only_together, mut only_alone) = (0, 0, 0);
    let mut wrong = Vec::new();
    for seed in first..first + programs {
        let text = driver(seed);
        let bitcode = compile(&text, folder.path(), seed % 2 == 0);
        let bounds = ["--property", "race", "--ts", "1"];
        let together = asked(&bitcode, &bounds);
        let pairs: BTreeSet<(&str, &str)> = together
            .keys()
            .map(|(a, b, _)| (a.as_str(), b.as_str()))
            .collect();
        for (a, b) in pairs {
            let pair = format!("{a},{b}");
            let alone = asked(&bitcode, &[&bounds[..], &["--pair", &pair]].concat());
            for (key, (verdict, _)) in &alone {
                let Some((other, _)) = together.get(key) else {
                    continue;
                };
                let is_race = [other, verdict].map(|v| v == "race");
                races += u32::from(is_race == [true, true]);
                only_together += u32::from(is_race == [true, false]);
                only_alone += u32::from(is_race == [false, true]);
                let excluded = |v: &str| v == "proved" || v == "bounded";
                if (is_race[0] && excluded(verdict)) || (is_race[1] && excluded(other)) {
                    wrong.push((seed, key.clone(), text.clone()));
                }
            }
        }
    }
    println!(
        "{programs} drivers: {races} races found together and alone, {only_together} together and open alone, \
         {only_alone} the other way round"
    );
    for (seed, key, text) in &wrong {
        println!("--- driver {seed}: {key:?}\n{text}");
    }
    assert!(wrong.is_empty(), "{} answers contradict", wrong.len());
    assert!(races > 0, "nothing is compared");
}

fn options() -> Options {
    Options {
        tiers: Tiers {
            lockset: false,
            coverability: true,
            driver_nets: true,
            runs: false,
            kiss: false,
            contexts: false,
        },
        ..Options::default()
    }
}

/// How many proofs of a net with a fault are thrown away, since an execution gets to what the net does not.
fn contradicted(closed: &Closed, fault: Option<DriverFault>) -> u64 {
    let run = || check_closed(&[], closed.clone(), &options(), &Quiet);
    let outcome = with(fault, run).expect("checked");
    let count = outcome.stats.get("net: proofs contradicted");
    count.copied().unwrap_or_default()
}

/// What nets prove, with a fault: pairs and regions.
fn proved(closed: &Closed, fault: Option<DriverFault>) -> BTreeSet<(String, String, String)> {
    let run = || check_closed(&[], closed.clone(), &options(), &Quiet);
    let outcome = with(fault, run).expect("checked");
    let mut out = BTreeSet::new();
    for pair in outcome.pairs {
        for region in pair.regions {
            if region.verdict() == Verdict::Proved && region.by() == Some(Tier::Coverability) {
                out.insert((pair.a.clone(), pair.b.clone(), region.claim().to_string()));
            }
        }
    }
    out
}

fn closed(bitcode: &Path) -> Closed {
    let inputs = [bitcode.to_path_buf()];
    close_in_process(&inputs, &options(), Goal::Sequential).expect("closes")
}

/// Faults that races of two calls refute, in random drivers.
#[test]
#[cfg_attr(not(feature = "faults"), ignore = "needs --features faults")]
fn seeded_faults_are_noticed() {
    let first = number("IRKISS_SEED", 0);
    let drivers = number("IRKISS_DRIVERS", 25);
    let folder = tempfile::tempdir().expect("a folder");
    let mut open: Vec<DriverFault> = DriverFault::ALL.to_vec();
    // Two calls beside each other, as searches have them, do not open a file, close it and go on.
    open.retain(|f| *f != DriverFault::NothingOpenedLater);
    let mut noticed = Vec::new();
    for seed in first..first + drivers {
        let bitcode = compile(&driver(seed), folder.path(), seed % 2 == 0);
        let races: BTreeSet<_> = asked(&bitcode, &["--tier", "kiss", "--ts", "2"])
            .into_iter()
            .filter(|(_, (verdict, _))| verdict == "race")
            .map(|(key, _)| key)
            .collect();
        let closed = closed(&bitcode);
        open.retain(|fault| {
            let caught = contradicted(&closed, Some(*fault)) > contradicted(&closed, None);
            let is = proved(&closed, Some(*fault)).is_disjoint(&races) && !caught;
            if !is {
                noticed.push((*fault, seed));
            }
            is
        });
    }
    println!("noticed {noticed:?}, not {open:?}");
    assert!(drivers < 25 || noticed.len() >= 3, "only {noticed:?}");
}

/// Functions of a driver, what initialisation does, and the operations: the net does not prove `d0`, and would with the fault.
const WRITTEN: &[(DriverFault, &str, &str, &str)] = &[
    (DriverFault::OneOfEach, "READ { d0++; return 0; }", "", ".read = demo_read"),
    (DriverFault::HeldByKernel, "READ { d0++; return 0; }", "", ".read = demo_read"),
    // Only the second release writes, and one of the two files of the beginning is not closed beside what reads.
    (
        DriverFault::NothingOpenedLater,
        "OPEN { return 0; }
         CLOSE { mutex_lock(&m); int again = flag; flag = 1; mutex_unlock(&m); if (again) d0 = 1; return 0; }
         READ { return d0; }",
        "",
        ".open = demo_open, .release = demo_release, .read = demo_read",
    ),
    (
        DriverFault::JoinKeepsOne,
        "READ { mutex_lock(&m); int is = mode; mutex_unlock(&m); if (is >= 3 && is <= 8) d0++; return 0; }
         WRITE { mutex_lock(&m); mode = 0; mutex_unlock(&m); return 0; }",
        "switch (chosen()) { case 1: mode = 10; break; case 2: mode = 11; break; case 3: mode = 12; break;
         case 4: mode = 13; break; case 5: mode = 5; break; case 6: mode = 14; break; case 7: mode = 15; break;
         default: mode = 9; }",
        ".read = demo_read, .write = demo_write",
    ),
    (
        DriverFault::OneBeginning,
        "READ { mutex_lock(&m); int is = mode; mutex_unlock(&m); if (is == 1) d0++; return 0; }
         WRITE { mutex_lock(&m); int is = mode; if (is == 2) mode = 0; mutex_unlock(&m); if (is == 2) d1++; return 0; }",
        "if (chosen()) mode = 1; else mode = 2;",
        ".read = demo_read, .write = demo_write",
    ),
];

#[test]
#[cfg_attr(not(feature = "faults"), ignore = "needs --features faults")]
fn seeded_faults_show_in_drivers_made_for_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut unnoticed = Vec::new();
    for (fault, functions, init, ops) in WRITTEN {
        let functions = functions
            .replace("READ", "static ssize_t demo_read(struct file *f, char __user *b, size_t n, loff_t *p)")
            .replace("WRITE", "static ssize_t demo_write(struct file *f, const char __user *b, size_t n, loff_t *p)")
            .replace("OPEN", "static int demo_open(struct inode *i, struct file *f)")
            .replace("CLOSE", "static int demo_release(struct inode *i, struct file *f)");
        let text = format!(
            "{HEAD}{functions}
             static void demo_work(struct work_struct *work) {{}}
             static const struct file_operations demo_fops = {{ .owner = THIS_MODULE, {ops} }};
             static struct miscdevice demo_device = {{ .minor = 255, .name = \"demo\", .fops = &demo_fops }};
             static int demo_init(void) {{ {init} return misc_register(&demo_device); }}
             module_init(demo_init)"
        );
        let closed = closed(&compile(&text, folder.path(), false));
        let of_d0 = |fault| -> BTreeSet<_> {
            let all = proved(&closed, fault).into_iter();
            all.filter(|(_, _, region)| region == "@d0").collect()
        };
        let (sound, faulty) = (of_d0(None), of_d0(Some(*fault)));
        let caught = contradicted(&closed, Some(*fault)) > contradicted(&closed, None);
        if sound.len() >= faulty.len() && !caught {
            unnoticed.push((fault, sound, faulty));
        }
    }
    assert!(unnoticed.is_empty(), "nobody notices {unnoticed:#?}");
}
