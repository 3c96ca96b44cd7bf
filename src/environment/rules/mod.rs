//! Rules: what is known of the functions that the kernel calls from outside. Data, not code.
//!
//! The built-in rules are the TOML files in `runtime-stubs/rules/`; each cites
//! the kernel file that justifies it. A user adds rules of the same form in
//! `irkiss.toml`; of two rules for one place the later one wins.

mod also_held;
mod asked;
mod bracket;
mod built_in;
mod check;
mod clients;
mod does;
pub mod effects;
mod file;
mod follows;
mod grace;
mod holder;
pub mod locks;
mod matched;
mod nearest;
mod needs;
mod object;
mod of_bound;
mod one_of;
mod opened;
mod ops_with;
mod parameter;
pub mod place;
mod power;
mod reader;
mod readers;
mod several;
mod writes;

use std::borrow::Cow;
use std::collections::HashMap;

use super::entry::{Context, Phase, Start};
pub use also_held::AlsoHeldRule;
pub use asked::AskedRule;
pub use bracket::BracketRule;
pub use clients::ClientsRule;
pub use does::DoesRule;
pub use effects::{Answer, Effect, EffectRule, Shows};
pub use follows::{FollowsRule, OnceRule, SleepRule};
pub use grace::GraceRule;
pub use holder::{HolderRule, TextData};
pub use locks::{Around, LockObject, LockRule, OwnLocks};
pub use matched::MatchedRule;
pub use nearest::nearest;
pub use needs::{FrozenRule, Needed, NeedsRule};
pub use object::ObjectRule;
pub use of_bound::OfBoundRule;
pub use one_of::{OneEachRule, SeveralRule};
pub use opened::OpenedRule;
pub use ops_with::OpsWithRule;
pub use parameter::RuleParameter;
pub use power::{ParentRule, PowerRule};
pub use readers::ReaderRule;
pub use writes::{WritesRule, Written};

/// What is known of the functions found at one place: a field of an ops struct or an argument of a registering call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Where the functions run.
    pub context: Context,
    /// When they run.
    pub phase: Phase,
    /// What must have happened before.
    pub start: Start,
    /// Their parameters, as far as the rule says.
    pub parameters: Vec<RuleParameter>,
    /// Whether two activations may overlap.
    pub beside_itself: bool,
    /// The argument of the registering call that is the ops object which the function becomes one of.
    pub becomes_one_of: Option<usize>,
    /// Functions: where the input calls one of them, two activations may overlap after all.
    pub beside_itself_with: Vec<String>,
    /// What the kernel holds around them.
    pub serialized_by: Vec<String>,
    /// Whether the kernel reads under RCU around them (`rcu_read_lock`).
    pub reader: bool,
    /// Fields, and bits of them: where the input may set one of these, [`Rule::reader`] does not hold.
    pub reader_unless: Vec<(String, u64)>,
    /// Whether the kernel calls them where nobody may sleep, though in process context.
    pub atomic: bool,
    /// As [`Rule::reader_unless`], of [`Rule::atomic`].
    pub atomic_unless: Vec<(String, u64)>,
    /// Any of these keeps module exit away by a reference: the module that a field of the ops object names, or the one that an argument
    /// of the registering call does (`function#argument`).
    pub pinned_by: Vec<String>,
    /// Functions of the kernel that may stand there, and of which there are models: entry points as the input's own are.
    pub kernels_own: Vec<String>,
    /// Places whose functions must have run before, successfully; never beside them either, unless they run [`Rule::again`].
    pub after: Vec<String>,
    /// Places whose functions do not begin any more once it has; those that have begun go on beside it.
    pub ends: Vec<String>,
    /// Whether it runs again while what comes after it does.
    pub again: bool,
    /// Whether it is there as soon as the module is loaded, whatever devices there are: also while one is probed.
    pub of_module: bool,
    /// Places whose functions never run beside these, and names of groups of places.
    pub never_beside: Vec<String>,
    /// Fields of the ops object, and bits of them: where it sets one of these, [`Rule::never_beside`] does not hold, nor do fields
    /// in [`Rule::pinned_by`].
    pub never_beside_unless: Vec<(String, u64)>,
    /// Fields of the ops object, and bits of them: only where it sets one of these does the kernel call the functions.
    pub called_if: Vec<(String, u64)>,
    /// The kernel source that justifies the rule.
    pub cite: String,
}

/// Whether a name is a group's: places have a `.` or a `#`.
fn is_group(name: &str) -> bool {
    !name.contains(['.', '#'])
}

/// Places that rules name together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRule {
    /// What [`Rule::never_beside`] calls them.
    pub name: String,
    /// The places.
    pub of: Vec<String>,
    /// Functions of the environment: for an input that calls one of them these places are not in the group.
    pub unless: Vec<String>,
    /// `function#argument`, and bits: nor are they for an input that may give one of these there.
    pub unless_given: Vec<(String, u64)>,
    /// The kernel source that justifies it.
    pub cite: String,
}

/// Functions that one registering call is given never overlap, if a constant argument of it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRule {
    /// The registering function.
    pub of: String,
    /// The argument with flags.
    pub argument: usize,
    /// Bits of it that must be set.
    pub set: u64,
    /// Bits of it that must not be set.
    pub clear: u64,
    /// Functions of the environment: an input that refers to one of them is none that the rule holds for.
    pub unless: Vec<String>,
    /// The arguments with the two functions.
    pub apart: (usize, usize),
    /// Why.
    pub reason: String,
    /// The kernel source that justifies the rule.
    pub cite: String,
}

/// Fields of objects that may be others', also for an input that has such objects of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OthersRule {
    /// The fields, `struct.field`; `struct.*` for all.
    pub on: Vec<String>,
    /// The kernel source that justifies the rule.
    pub cite: String,
}

/// All rules in force.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    places: HashMap<String, Rule>,
    groups: Vec<GroupRule>,
    holders: Vec<HolderRule>,
    calls: Vec<CallRule>,
    effects: Vec<EffectRule>,
    objects: Vec<ObjectRule>,
    held: Vec<LockRule>,
    others: Vec<OthersRule>,
    follows: Vec<FollowsRule>,
    once: Vec<OnceRule>,
    sleep: Vec<SleepRule>,
    power: Vec<PowerRule>,
    parents: Vec<ParentRule>,
    needs: Vec<NeedsRule>,
    does: Vec<DoesRule>,
    of_bound: Vec<OfBoundRule>,
    while_frozen: Vec<FrozenRule>,
    matched: Vec<MatchedRule>,
    writes: Vec<WritesRule>,
    reader_locks: Vec<ReaderRule>,
    several: Vec<SeveralRule>,
    one_each: Vec<OneEachRule>,
    clients: Vec<ClientsRule>,
    asked: Vec<AskedRule>,
    opened: Vec<OpenedRule>,
    graces: Vec<GraceRule>,
    ops_with: Vec<OpsWithRule>,
    also_held: Vec<AlsoHeldRule>,
    brackets: Vec<BracketRule>,
    hands_over_locks: Vec<String>,
    locks: OwnLocks,
    scenarios: Vec<ScenarioRule>,
    merged: Vec<Vec<String>>,
    /// What users' files name, for [`Rules::check`].
    named: Vec<Named>,
}

/// Entry points that a user wants to see beside each other.
#[derive(Clone, Debug)]
pub struct ScenarioRule {
    /// What it is called.
    pub name: String,
    /// Functions, one for each thread.
    pub threads: Vec<String>,
    /// Where it stands.
    pub file: String,
    /// 1-based.
    pub line: usize,
}

/// A name in a user's file: a place or a function, and where it stands.
#[derive(Clone, Debug)]
struct Named {
    file: String,
    line: usize,
    name: String,
}

/// A rule file that cannot be used; one line.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct RuleError {
    /// Name of the file.
    pub file: String,
    /// 1-based line where the trouble starts; 0 where unknown.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Rules {
    /// The scenarios of users' files.
    pub fn scenarios(&self) -> &[ScenarioRule] {
        &self.scenarios
    }

    /// The rule for `struct.field` or `function#argument`; failing that, the one for `struct.*`.
    pub fn place(&self, place: &str) -> Option<&Rule> {
        self.places.get(place).or_else(|| {
            let (structure, _) = place.split_once('.').filter(|_| !place.contains('#'))?;
            self.places.get(&format!("{structure}.*"))
        })
    }

    /// The places that never run beside those of the rule: groups are told in full.
    pub fn never_beside<'a>(&'a self, rule: &'a Rule) -> Vec<&'a str> {
        self.in_full(&rule.never_beside)
    }

    /// Whether what stands in two places never overlaps: both are called under one lock, or the rule of one of them says so, whatever
    /// the object that holds them is.
    pub fn are_apart(&self, a: &str, b: &str) -> bool {
        let (Some(x), Some(y)) = (self.place(a), self.place(b)) else {
            return false;
        };
        let excludes = |rule: &Rule, place: &str| {
            let mut places = self.never_beside(rule).into_iter();
            rule.never_beside_unless.is_empty() && places.any(|p| place::stands_for(p, place))
        };
        let mut locks = x.serialized_by.iter();
        locks.any(|lock| y.serialized_by.contains(lock)) || excludes(x, b) || excludes(y, a)
    }

    /// Places, and those of groups.
    pub fn in_full<'a>(&'a self, names: &'a [String]) -> Vec<&'a str> {
        let mut places = Vec::new();
        for name in names {
            if is_group(name) {
                let groups = self.groups.iter().filter(|g| g.name == *name);
                places.extend(groups.flat_map(|g| g.of.iter().map(String::as_str)));
            } else {
                places.push(name);
            }
        }
        places
    }

    /// The rules for an input: of groups, what is theirs unless it calls something that it does not call, or gives what it does not give.
    pub fn of_input(
        &self,
        is_called: impl Fn(&String) -> bool,
        may_give: impl Fn(&str, u64) -> bool,
    ) -> Cow<'_, Rules> {
        let holds = |g: &GroupRule| {
            let given = |(place, bits): &(String, u64)| may_give(place, *bits);
            !g.unless.iter().any(&is_called) && !g.unless_given.iter().any(given)
        };
        if self.groups.iter().all(holds) {
            return Cow::Borrowed(self);
        }
        let mut rules = self.clone();
        rules.groups.retain(holds);
        Cow::Owned(rules)
    }

    /// The groups of places.
    pub fn groups(&self) -> &[GroupRule] {
        &self.groups
    }

    /// Whether any rule speaks of that struct.
    pub fn knows_struct(&self, name: &str) -> bool {
        self.places
            .keys()
            .any(|p| p.split_once('.').is_some_and(|(s, _)| s == name))
    }

    /// The holder rules for an ops struct.
    pub fn holders(&self, of: &str) -> impl Iterator<Item = &HolderRule> {
        self.holders.iter().filter(move |h| h.of == of)
    }

    /// The rules about registering calls.
    pub fn calls(&self) -> &[CallRule] {
        &self.calls
    }

    /// What registering and cancelling functions do.
    pub fn effects(&self) -> &[EffectRule] {
        &self.effects
    }

    /// The rules about shared objects.
    pub fn objects(&self) -> &[ObjectRule] {
        &self.objects
    }

    /// The locks that the kernel holds around entry points and that drivers may take.
    pub fn held(&self) -> &[LockRule] {
        &self.held
    }

    /// Whether what the input calls through that field (`struct.field`) may be another module's.
    pub fn may_be_others(&self, place: &str) -> bool {
        let mut fields = self.others.iter().flat_map(|o| &o.on);
        fields.any(|on| place::stands_for(on, place))
    }

    /// Whether functions found at that place acquire locks that others of the same object release: it is no misuse that they return
    /// with a lock, or release one that they have not acquired.
    pub fn hands_over_locks(&self, place: &str) -> bool {
        self.hands_over_locks.iter().any(|p| p == place)
    }

    /// The user's lock functions.
    pub fn locks(&self) -> &OwnLocks {
        &self.locks
    }

    /// All places with their rules, sorted by name.
    pub fn all(&self) -> Vec<(&str, &Rule)> {
        let mut all: Vec<_> = self.places.iter().map(|(p, r)| (p.as_str(), r)).collect();
        all.sort_by_key(|(p, _)| *p);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;

    fn error_of(text: &str) -> String {
        let mut rules = Rules::default();
        rules.add("irkiss.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn groups_add_up_and_must_be_known() {
        let mut rules = Rules::default();
        rules
            .add(
                "irkiss.toml",
                "[[group]]\nname = \"users\"\nof = [\"a.b\"]\n\
                 [[rule]]\non = [\"s.f\"]\nnever_beside = [\"users\", \"c.d\"]\n",
            )
            .unwrap();
        rules
            .add("more.toml", "[[group]]\nname = \"users\"\nof = [\"e.f\"]\n")
            .unwrap();
        let rule = rules.place("s.f").unwrap();
        assert_eq!(rules.never_beside(rule), ["a.b", "e.f", "c.d"]);
        let more = "[[group]]\nname = \"users\"\nof = [\"g.h\"]\nunless = [\"itself\"]\n";
        rules.add("unless.toml", more).unwrap();
        for (called, last) in [("other", "g.h"), ("itself", "e.f")] {
            let own = rules.of_input(|f| f == called, |_, _| false);
            let of = own.never_beside(own.place("s.f").unwrap());
            assert_eq!(of[of.len() - 2], last, "with {called}");
        }
        let text = "[[group]]\nname = \"users\"\nof = [\"a.b\"]\n\
                    [[rule]]\non = [\"s.f\"]\nnever_beside = [\"user\"]\n";
        assert_eq!(
            error_of(text),
            "irkiss.toml:6: `user` is neither `struct.field` nor `function#argument` nor a group; the nearest group is `users`"
        );
        assert_eq!(
            error_of("[[rule]]\non = [\"s.f\"]\nnever_beside_unless = { \"flag\" = 1 }\n"),
            "irkiss.toml:1: `flag` is neither `struct.field` nor `function#argument`"
        );
        assert_eq!(
            error_of("[[group]]\nname = \"a.b\"\nof = [\"a.b\"]\n"),
            "irkiss.toml:2: `a.b` is no name of a group: it is empty, or a place"
        );
    }

    #[test]
    fn built_in_rules_parse_and_cite_the_kernel() {
        let rules = Rules::built_in();
        for (place, rule) in rules.all() {
            assert!(
                rule.cite.contains(".c: ") || rule.cite.contains(".h: "),
                "{place} cites nothing"
            );
        }
        assert!(rules.holders.iter().all(|h| h.cite.contains(".c: ")));
        assert!(rules.groups.iter().all(|g| g.cite.contains(".c: ")));
        assert!(rules.held.iter().all(|l| l.cite.contains(".c: ")));
        for lock in &rules.held {
            let name = &lock.name;
            let places = rules.places.values().flat_map(|r| &r.serialized_by);
            let used = rules.holders.iter().flat_map(|h| &h.serialized_by);
            assert!(
                places.chain(used).any(|l| l == name),
                "{name} is held nowhere"
            );
        }
        let open = rules.place("file_operations.open").unwrap();
        assert_eq!(
            open.parameters,
            [RuleParameter::Inode, RuleParameter::Private(0)]
        );
        assert!(!rules.place("timer_list.function").unwrap().beside_itself);
    }

    #[test]
    fn errors_are_one_line_and_name_the_line() {
        for (text, expected) in [
            (
                "[[rule]]\non = [\"a.b\"]\nparameters = [\"fil\"]\n",
                "irkiss.toml:3: rule for `a.b`: unknown parameter kind `fil`; the nearest is `file`",
            ),
            (
                "\n[[rule]]\non = [\"ab\"]\n",
                "irkiss.toml:3: `ab` is neither `struct.field` nor `function#argument`",
            ),
            (
                "[[rule]]\non = [\"a.b\"]\nparams = []\n",
                "irkiss.toml:3: unknown key `params`; the nearest is `parameters`",
            ),
            (
                "[[rules]]\n",
                "irkiss.toml:1: unknown key `rules`; the nearest is `rule`",
            ),
            (
                "[[rule]]\non = [\"a.b\"]\ncontext = \"softirg\"\n",
                "irkiss.toml:3: unknown variant `softirg`; the nearest is `softirq`",
            ),
            ("[[rule]]\non = []\n", "irkiss.toml:1: a rule without `on`"),
            (
                "[[holder]]\nof = \"a\"\nin = [\"b.c\", \"d\"]\nfields = []\n",
                "irkiss.toml:3: `d` is neither `struct.field` nor `function#argument`",
            ),
            (
                "[[call]]\nof = \"f\"\nargument = 1\napart = [1, 2]\n",
                "irkiss.toml:1: a call without `set` or `clear`",
            ),
            (
                "[[call]]\nof = \"f\"\nargument = 1\naparts = [1, 2]\n",
                "irkiss.toml:4: unknown key `aparts`; the nearest is `apart`",
            ),
        ] {
            assert_eq!(error_of(text), expected);
        }
        let syntax = error_of("[[rule]]\non = [\n");
        assert!(
            syntax.starts_with("irkiss.toml:") && !syntax.contains('\n'),
            "{syntax}"
        );
    }

    #[test]
    fn a_later_rule_wins_and_a_broken_file_changes_nothing() {
        let mut rules = Rules::built_in();
        rules
            .add(
                "irkiss.toml",
                "[locks]\nacquire = [\"my_lock\"]\nrelease = [\"my_unlock\"]\n\
                 [[rule]]\non = [\"file_operations.open\"]\nserialized_by = [\"my_lock\"]\n",
            )
            .unwrap();
        let open = rules.place("file_operations.open").unwrap();
        assert_eq!(open.serialized_by, ["my_lock"]);
        assert!(open.parameters.is_empty());
        assert_eq!(rules.locks().acquire, ["my_lock"]);
        let broken = "[[rule]]\non = [\"file_operations.read\"]\n[[rule]]\non = [\"x\"]\n";
        rules.add("irkiss.toml", broken).unwrap_err();
        let read = rules.place("file_operations.read").unwrap();
        assert!(!read.parameters.is_empty());
    }
    #[test]
    fn a_user_s_file_names_what_is_there() {
        let program = Program {
            harness: Default::default(),
            runtime: Default::default(),
            layout: crate::program::DataLayout {
                little_endian: true,
                pointer_bytes: 8,
                triple: String::new(),
                producer: String::new(),
            },
            source: Default::default(),
            globals: Default::default(),
            functions: Default::default(),
            debug_types: Default::default(),
            sites: Default::default(),
            marked: Default::default(),
        };
        let check = |text: &str| {
            let mut rules = Rules::built_in();
            rules.add("irkiss.toml", text).unwrap();
            rules.check(&program).map_err(|e| e.to_string())
        };
        assert_eq!(check("[[rule]]\non = [\"file_operations.open\"]\n"), Ok(()));
        assert_eq!(
            check("\n[[rule]]\non = [\"file_operatoins.open\"]\n").unwrap_err(),
            "irkiss.toml:3: neither the input nor a rule knows a struct `file_operatoins`; the nearest is `file_operations`"
        );
        let needs =
            "[[needs]]\non = [\"file_operations.open\"]\nof = \"file_operatoins.mode\"\nbits = 1\n";
        assert_eq!(
            check(needs).unwrap_err(),
            "irkiss.toml:3: neither the input nor a rule knows a struct `file_operatoins`; the nearest is `file_operations`"
        );
        let needs = "[[needs]]\non = [\"file_operations.open\"]\nof = \"file\"\nbits = 1\n";
        let mut rules = Rules::built_in();
        let error = rules.add("irkiss.toml", needs).unwrap_err().to_string();
        assert_eq!(
            error,
            "irkiss.toml:3: `file` is neither `struct.field` nor `function#argument`"
        );
        assert!(
            check("[locks]\nacquire = [\"zzz\"]\n")
                .unwrap_err()
                .contains("a function `zzz`")
        );
    }
}
