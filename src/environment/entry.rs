//! Entry points: the functions that the kernel (or a thread creation) calls from outside.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use super::kinds::{OneOf, OwnOps, Used, User};
pub use super::need::{Does, Its, Need, Needed, WhileFrozen};
pub use super::object::{Led, SharedObject, Source};
pub use super::registrar::{
    BitsAt, CalledBack, Gated, Kept, LineNumber, Named, Registrar, Target, When,
};
use super::rules::Effect;
use crate::index::{EntryId, IdVec, LocId};

/// Where an entry point runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Context {
    /// Process context: may sleep, runs on any CPU.
    Process,
    /// Softirq or timer.
    Softirq,
    /// Interrupt handler.
    Hardirq,
    /// A kernel thread or a pthread.
    Thread,
}

/// What a spin lock keeps away from the processor of whoever holds it; each also what those before it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spin {
    /// Other threads: who holds it must not sleep.
    Threads,
    /// Softirqs (`spin_lock_bh`).
    Softirqs,
    /// Interrupts (`spin_lock_irq`).
    Interrupts,
}

/// Place in the life cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Runs once, before all others (module_init, probe).
    Init,
    /// Runs while the device is there.
    Steady,
    /// Runs once, after the others (module_exit, remove).
    Exit,
    /// Called by the input's own code, or back from a call that the input makes and waits for: no thread of its own.
    Nested,
}

/// What one parameter of an entry point is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parameter {
    /// An arbitrary number.
    Number,
    /// An object that only this activation has, of that many bytes (0: unknown), arbitrary content.
    Private(u64),
    /// The object of that name: the same for every entry point that names it.
    Shared(String),
    /// A member of the shared object of that name, at a byte offset.
    Member(String, u64),
    /// The pointer that stands there.
    Stored(String, u64),
    /// That member of the shared object, or an object that only this activation has.
    Either(String, u64),
    /// An object of that name that holds the entry point: of several functions, each has one of its own to begin with.
    Its(String, Its),
    /// The shared object of that name where the call runs before the threads of a pair; beside them a new one.
    New(String),
    /// An object of that struct that only this activation has; its pointers are set as [`SharedObject::set`] says.
    Own(String),
    /// The text file of one opening, which only this activation has: at that offset is what the shared object of that name has there,
    /// which others' openings have too; without an offset each opening has memory of its own.
    TextFile(String, Option<u64>),
    /// An object of that struct, of which discovery has yet to find out whose it is.
    Typed {
        /// Name of the struct; empty where the pointer is to anything.
        name: String,
        /// Whether a rule says that all who get one get the same.
        by_rule: bool,
    },
    /// An object of that struct that nothing tells whose it is: of this activation alone.
    Unidentified(String),
    /// Address of the global that registered it (a work_struct, a timer), plus a byte offset.
    Global(String, i64),
    /// One of several such addresses.
    OneOf(Vec<(String, i64)>),
    /// An integer constant (an irq number).
    Constant(u64),
    /// What stands in the object that was armed, at a byte offset.
    Held(u64),
    /// The value that init code passed at registration: `(function, argument)` of the registering call.
    Registered(String, u32),
}

/// Function pointers in fields.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// The functions of the input that stand in each field, `struct.field`.
    pub functions: BTreeMap<String, Vec<String>>,
    /// The calls through pointers that stand in fields.
    pub calls: Vec<FieldCalls>,
}

/// What is known of the calls of one function of the input through pointers that stand in fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldCalls {
    /// The calling function.
    pub function: String,
    /// How many calls through pointers it has, of whatever kind.
    pub indirect: usize,
    /// Those that lead out of the input, through pointers that others have set.
    pub outside: Vec<OutsideCall>,
    /// Those that lead to functions of the input: which call, counted from 0, and which functions.
    pub own: Vec<(usize, Vec<String>)>,
}

/// A call that leads out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideCall {
    /// Which of the calls through pointers it is, counted from 0.
    pub number: usize,
    /// `struct.field` that the pointer is read from.
    pub place: String,
    /// Functions of the input that may stand there too.
    pub own: Vec<String>,
}

/// What has to happen before the kernel calls an entry point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// Nothing beyond initialisation.
    #[default]
    Any,
    /// Its object (timer, work, tasklet) must be armed; the object is not run beside itself.
    Armed,
    /// Its interrupt action must be registered; the same action is not run beside itself.
    Irq,
}

/// Whether the rules tell when the kernel calls an entry point for the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// They tell what registers it, and what takes it back.
    #[default]
    Told,
    /// Nothing does: its registration, or the end of it, is in a function of which no rule speaks.
    Untold,
}

/// Which call starts what a call registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Begins {
    /// The registering one.
    #[default]
    Registered,
    /// A later one, which gets what the registering one returned and wakes it (`wake_up_process`).
    Woken,
}

/// A lock that the kernel holds around an entry point and that the input may take itself: the harness takes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelLock {
    /// The name in [`EntryPoint::serialized_by`].
    pub name: String,
    /// The function that acquires it.
    pub acquire: String,
    /// The function that releases it.
    pub release: String,
    /// What these are given, if anything.
    pub object: Option<LockAddress>,
    /// Whether it is certainly held until the entry point returns: nothing that it calls gives the lock back meanwhile.
    pub throughout: bool,
}

/// Where a lock lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockAddress {
    /// The shared object.
    pub shared: String,
    /// Byte offset in it: of the lock, or of a pointer.
    pub offset: u64,
    /// If there is a pointer: the byte offset of the lock in what it points to.
    pub through: Option<u64>,
    /// Whether the pointer may be null: then there is no lock.
    pub maybe: bool,
}

/// How an entry point puts a device to sleep or wakes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sleep {
    /// The parameter that is the device.
    pub device: usize,
    /// The parameter that tells who puts it to sleep, and the bits of it that say that the device does so by itself.
    pub message: Option<(usize, u64)>,
    /// Linker names of entry points beside which it runs only where the device sleeps by itself: while nobody uses it.
    pub alone: Vec<String>,
}

/// What an entry point is to the runtime power management of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PowerRole {
    /// The device is the driver's from here on, awake and in use by the bus.
    Begins,
    /// The device is the driver's from here on, asleep and used by nobody, and stays so until the driver switches runtime power management
    /// on.
    BeginsOff,
    /// Runs when the device falls asleep: while nobody uses it.
    Suspends,
    /// Runs when it wakes up.
    Resumes,
    /// Begins while nobody uses it.
    Idles,
    /// Runs while the kernel keeps it awake.
    Uses,
    /// The same, where the whole system sleeps or wakes up, unless the driver says that it need not be awake for that.
    Sleeps,
    /// Runs while the kernel uses the parent of the device in its first argument: if that has a flag, where the flag at that byte
    /// offset is set.
    Child(Option<u64>),
}

/// Its part in the runtime power management of the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Power {
    /// What it is to the device.
    pub role: PowerRole,
    /// Byte offset of the device in the first argument.
    pub offset: u64,
    /// If it also runs where the whole system sleeps or wakes up, whoever uses the device: linker names of the entry points beside which
    /// it does not, since those whom they serve are frozen then.
    pub forced: Option<Vec<String>>,
}

/// The functions of the same object between which the kernel calls an entry point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bracket {
    /// The linker name of the one that is called before; none: there is none, or it is that itself.
    pub begins: Option<String>,
    /// The linker name of the one that is called after.
    pub ends: Option<String>,
    /// So many of the first arguments are the same for all of them.
    pub same: usize,
    /// The argument of all but the first that is what the first one answers.
    pub gives: Option<usize>,
}

/// An entry point that the kernel never runs beside another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    /// Linker name of the other function.
    pub function: String,
    /// What keeps them apart.
    pub reason: String,
}

/// What a function of the environment that the input calls does to an entry point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The registering or cancelling function.
    pub function: String,
    /// What it does.
    pub effects: Vec<Effect>,
    /// The kernel source that justifies it.
    pub cite: String,
}

/// A function that the kernel calls from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryPoint {
    /// Linker name of the function.
    pub function: String,
    /// Where it was found: `file_operations.open`, `request_threaded_irq#1`, `module_init`, `--entry`.
    pub via: String,
    /// Further places where it was found in the same object: a function may stand in several fields.
    pub also: Vec<String>,
    /// The global ops object or the call that it was found in.
    pub registered_by: Option<String>,
    /// Further such objects, of which nothing else is different: it is called for any of them.
    #[serde(default)]
    pub alike: Vec<String>,
    /// The ops object of the files that it is called for, if `open` hands it over.
    #[serde(default)]
    pub of_files: Option<String>,
    /// Where it runs.
    pub context: Context,
    /// When it runs.
    pub phase: Phase,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Whether two activations of it may overlap.
    pub beside_itself: bool,
    /// Names of locks or rules that the kernel holds around it (two entry points that share one never overlap).
    pub serialized_by: Vec<String>,
    /// Those of these locks that the input may take or give back itself.
    pub locks: Vec<KernelLock>,
    /// If spin locks that the input never touches are among those that the kernel holds around it: what they keep away.
    pub spin: Option<Spin>,
    /// Whether the kernel calls it where nobody may sleep, though in process context.
    #[serde(default)]
    pub never_sleeps: bool,
    /// Whether it is a reader of RCU from beginning to end, for which the input waits.
    #[serde(default)]
    pub reader: bool,
    /// Whether it runs once a grace period is over that somebody has asked for, and asks for no other.
    #[serde(default)]
    pub after_grace: bool,
    /// Entry points that never run beside it, whatever locks they take.
    pub never_beside: Vec<Exclusion>,
    /// What must have happened before it runs.
    pub start: Start,
    /// Which call starts it.
    #[serde(default)]
    pub begins: Begins,
    /// Of an interrupt handler: whether its line is other devices', too, so that it is called whether its own device is enabled or not.
    #[serde(default)]
    pub shares_line: bool,
    /// Whether it is there as soon as the module is loaded, also while a device is probed.
    #[serde(default)]
    pub of_module: bool,
    /// Linker names of entry points that have run, successfully, before it runs.
    pub after: Vec<String>,
    /// Linker names of entry points of which one has run before it, successfully, and last: it begins in the state that this leaves.
    pub follows: Vec<String>,
    /// Linker names of entry points of which one comes to its end before it runs again, once it has run successfully; empty: none need.
    pub until: Vec<String>,
    /// Linker names of entry points that do not begin any more once it has.
    #[serde(default)]
    pub ends: Vec<String>,
    /// Whether it ends what the input has no function to begin: whether that has begun is not seen, but for who runs only then.
    #[serde(default)]
    pub ends_unseen: bool,
    /// Linker names of such entry points: it runs only between what they end has begun and they have ended it.
    #[serde(default)]
    pub while_begun: Vec<String>,
    /// If it puts a device to sleep or wakes it, beside who may use the device.
    pub sleep: Option<Sleep>,
    /// What it has to do with runtime power management.
    pub power: Option<Power>,
    /// What an argument says whenever it is called.
    pub needs: Option<Need>,
    /// Whether it initialises what a bound device has registered: it is no probe.
    #[serde(default)]
    pub of_bound: bool,
    /// What the kernel itself does around it.
    #[serde(default)]
    pub does: Option<Does>,
    /// What an argument is beside what runs while others are frozen.
    #[serde(default)]
    pub while_frozen: Option<WhileFrozen>,
    /// What the kernel calls before and after it.
    pub within: Option<Bracket>,
    /// If it gets one of several objects.
    pub one_of: Vec<OneOf>,
    /// Whether it is the entry point of the same function that gets another object than the first one.
    #[serde(default)]
    pub another: bool,
    /// Of such a one: whether nothing tells that the two have different numbers, since one of the objects is made up.
    #[serde(default)]
    pub unnumbered: bool,
    /// If each object has one ops object: those that it stands in.
    pub own_ops: Option<OwnOps>,
    /// Resources whose users call it as they need them, and nothing says whether beside other calls.
    pub used: Vec<Used>,
    /// What functions that the input calls do to it.
    pub changes: Vec<Change>,
    /// Whether it is known when its last call is.
    #[serde(default)]
    pub end: End,
    /// Whether a rule knew it (false: default context; a note in the report).
    pub known: bool,
    /// Where it is defined.
    pub loc: Option<LocId>,
    /// Whether it is a function of the kernel's own that the driver put there: a model defines it.
    #[serde(default)]
    pub kernels_own: bool,
    /// What justifies all this: the kernel source that the rule cites, or why it is no thread. Empty without a rule.
    pub why: String,
}

/// All entry points of an input.
pub type EntryPoints = IdVec<EntryId, EntryPoint>;

/// Whether an entry point is a driver's probe. What initialises the parts of a bound device is one where the input has no other: another
/// module registers them.
pub fn is_probe(entries: &EntryPoints, entry: &EntryPoint) -> bool {
    let probes = |e: &EntryPoint| e.phase == Phase::Init && e.registered_by.is_some();
    let others = || entries.iter().any(|e| probes(e) && !e.of_bound);
    probes(entry) && !(entry.of_bound && others())
}

/// `via` of a function that the user takes as an entry point (`--entry`).
pub const ASKED_FOR: &str = "--entry";

/// `via` of a function that others call by its name: other modules, or other files of this one.
const EXPORTED: &str = "EXPORT_SYMBOL";

impl EntryPoint {
    /// What others call by its name.
    pub fn of_others(function: &str, phase: Phase) -> EntryPoint {
        EntryPoint::new(function, EXPORTED, phase)
    }

    /// Whether others call it by its name, not the kernel by a field or a registration.
    pub fn is_called_by_others(&self) -> bool {
        self.via == EXPORTED
    }

    /// Whether it opens a file: what it makes, there is once for each.
    pub fn opens_file(&self) -> bool {
        let places = [
            "file_operations.open",
            "proc_ops.proc_open",
            "v4l2_file_operations.open",
        ];
        places.contains(&self.via.as_str())
    }

    /// Whether the device is gone when it returns.
    pub fn removes_device(&self) -> bool {
        let field = self.via.rsplit('.').next().unwrap_or_default();
        self.phase == Phase::Exit && matches!(field, "remove" | "remove_new" | "disconnect")
    }

    /// Its name and place, if neither a rule nor the user says when it runs.
    pub fn undescribed(&self) -> Option<String> {
        (!self.known && self.via != ASKED_FOR).then(|| format!("{} ({})", self.function, self.via))
    }

    /// Its name and place, if nothing tells when the kernel calls it for the last time.
    pub fn endless(&self) -> Option<String> {
        (self.end == End::Untold).then(|| format!("{} ({})", self.function, self.via))
    }

    /// One that runs in process context, one activation at a time, without parameters, and that nothing else is known of.
    pub fn new(function: &str, via: &str, phase: Phase) -> EntryPoint {
        EntryPoint {
            function: function.to_string(),
            via: via.to_string(),
            also: Vec::new(),
            registered_by: None,
            alike: Vec::new(),
            of_files: None,
            context: Context::Process,
            phase,
            parameters: Vec::new(),
            beside_itself: false,
            serialized_by: Vec::new(),
            locks: Vec::new(),
            spin: None,
            never_sleeps: false,
            reader: false,
            after_grace: false,
            never_beside: Vec::new(),
            start: Start::Any,
            begins: Begins::Registered,
            shares_line: false,
            of_module: false,
            after: Vec::new(),
            follows: Vec::new(),
            until: Vec::new(),
            ends: Vec::new(),
            ends_unseen: false,
            while_begun: Vec::new(),
            sleep: None,
            power: None,
            needs: None,
            does: None,
            of_bound: false,
            while_frozen: None,
            within: None,
            one_of: Vec::new(),
            another: false,
            unnumbered: false,
            own_ops: None,
            used: Vec::new(),
            changes: Vec::new(),
            end: End::Told,
            known: true,
            loc: None,
            kernels_own: false,
            why: String::new(),
        }
    }

    /// Why activations of `a` and `b` never overlap, or `None` if they may. For one entry point beside itself, pass it twice.
    ///
    /// Init code runs before all others and is never beside them.
    pub fn never_overlap(a: &EntryPoint, b: &EntryPoint) -> Option<String> {
        if a.phase == Phase::Init || b.phase == Phase::Init {
            return Some("initialisation".to_string());
        }
        if a.phase == Phase::Nested || b.phase == Phase::Nested {
            return Some("no thread of its own".to_string());
        }
        if EntryPoint::get_different(a, b) {
            return EntryPoint::still_held(a, b).map(ToString::to_string);
        }
        // A timer is not run beside itself; another timer with the same function may be.
        let same = a.function == b.function && a.via == b.via && a.registered_by == b.registered_by;
        if same && !(a.beside_itself && b.beside_itself) {
            return Some("not reentrant".to_string());
        }
        if let Some(object) = EntryPoint::of_two(a, b) {
            return Some(format!("each {object} has functions of its own"));
        }
        EntryPoint::kept_apart(a, b)
    }

    /// What keeps the two apart, whenever they run: a rule that says so, or a lock that the kernel holds around both.
    pub fn kept_apart(a: &EntryPoint, b: &EntryPoint) -> Option<String> {
        let excluded = |x: &EntryPoint, y: &EntryPoint| {
            x.never_beside
                .iter()
                .find(|e| e.function == y.function)
                .map(|e| e.reason.clone())
        };
        excluded(a, b).or_else(|| excluded(b, a)).or_else(|| {
            a.serialized_by
                .iter()
                .find(|l| b.serialized_by.contains(l) && a.holds(l) && b.holds(l))
                .cloned()
        })
    }

    /// If no object has both functions: what each of them is called for one of.
    pub fn of_two<'a>(a: &'a EntryPoint, b: &EntryPoint) -> Option<&'a str> {
        let (own, other) = (a.own_ops.as_ref()?, b.own_ops.as_ref()?);
        let common = own.at.iter().any(|at| other.at.contains(at));
        (own.object == other.object && !common).then_some(own.object.as_str())
    }

    /// Whether it is the same entry point for another object.
    pub fn is_another_of(&self, first: &EntryPoint) -> bool {
        self.another
            && !first.another
            && self.function == first.function
            && self.via == first.via
            && self.registered_by == first.registered_by
    }

    /// Whether the two are called for two objects of a kind.
    pub fn get_different(a: &EntryPoint, b: &EntryPoint) -> bool {
        a.another != b.another && a.common_kinds(b).next().is_some()
    }

    /// The kinds of objects of which both get one of several.
    fn common_kinds<'a>(&'a self, other: &'a EntryPoint) -> impl Iterator<Item = &'a OneOf> {
        let both = |of: &&OneOf| other.one_of.iter().any(|o| o.object == of.object);
        self.one_of.iter().filter(both)
    }

    /// Of two objects of each kind that they have in common: a lock of what these are part of, which both hold.
    fn still_held<'a>(a: &'a EntryPoint, b: &'a EntryPoint) -> Option<&'a str> {
        let mut still = a.common_kinds(b).flat_map(|of| &of.still);
        let held = |l: &&String| a.serialized_by.contains(l) && b.serialized_by.contains(l);
        still.find(held).map(String::as_str)
    }

    /// Where `a` and `b` never overlap: if that is known of one object alone, of which there are several, which one.
    pub fn apart_for_one<'a>(a: &'a EntryPoint, b: &'a EntryPoint) -> Option<&'a str> {
        EntryPoint::never_overlap(a, b)?;
        let thread = |e: &EntryPoint| !matches!(e.phase, Phase::Init | Phase::Nested);
        if !thread(a) || !thread(b) {
            return None;
        }
        let held = |l: &&String| a.serialized_by.contains(l) && b.serialized_by.contains(l);
        let mut common = a.common_kinds(b);
        let of = common.find(|of| !of.still.iter().any(|l| held(&l)))?;
        Some(of.object.as_str())
    }

    /// Whether a lock that the kernel acquires before it is held until it returns.
    pub fn holds(&self, lock: &str) -> bool {
        let mut locks = self.locks.iter();
        locks.all(|l| l.name != lock || l.throughout)
    }
}
