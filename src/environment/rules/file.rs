//! Rule files: TOML with the tables `[[rule]]`, `[[group]]`, `[[holder]]`, `[[call]]`, `[[effect]]`, `[[object]]`, `[[kernel_lock]]`,
//! `[[reader_lock]]`, `[[others]]`, `[[follows]]`, `[[once]]`, `[[sleep]]`, `[[power]]`, `[[uses_parent]]`, `[[needs]]`, `[[does]]`, `[[while_frozen]]`,
//! `[[matched]]`, `[[writes]]`, `[[several]]`, `[[one_each]]`, `[[clients]]`, `[[asked]]`, `[[of_files]]`, `[[grace]]`, `[[of_bound]]`, `[[ops_with]]`, `[[also_held]]`, `[[bracket]]`, `[[hands_over_locks]]`, `[[scenario]]`, `[memory]` and `[locks]`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::also_held::AlsoHeldText;
use super::bracket::BracketText;
use super::effects::EffectText;
use super::follows::{FollowsText, OnceText, SleepText};
use super::locks::LockText;
use super::matched::MatchedText;
use super::nearest::shorter;
use super::needs::{FrozenText, NeedsText};
use super::object::ObjectText;
use super::ops_with::OpsWithText;
use super::power::{ParentText, PowerText};
use super::reader::Reader;
use super::readers::ReaderText;
use super::writes::WritesText;
use super::{
    AskedRule, CallRule, ClientsRule, DoesRule, GraceRule, GroupRule, HolderRule, Named,
    OfBoundRule, OneEachRule, OpenedRule, OthersRule, OwnLocks, Rule, RuleError, RuleParameter,
    Rules, ScenarioRule, SeveralRule, is_group,
};
use crate::environment::entry::{Context, Phase, Start};
use crate::error::InputError;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    rule: Vec<Spanned<RuleText>>,
    group: Vec<GroupText>,
    holder: Vec<Spanned<HolderText>>,
    call: Vec<Spanned<CallText>>,
    effect: Vec<Spanned<EffectText>>,
    object: Vec<Spanned<ObjectText>>,
    kernel_lock: Vec<LockText>,
    reader_lock: Vec<ReaderText>,
    others: Vec<OthersText>,
    follows: Vec<FollowsText>,
    once: Vec<OnceText>,
    sleep: Vec<SleepText>,
    power: Vec<PowerText>,
    uses_parent: Vec<ParentText>,
    needs: Vec<NeedsText>,
    does: Vec<DoesRule>,
    of_bound: Vec<OfBoundRule>,
    while_frozen: Vec<FrozenText>,
    matched: Vec<MatchedText>,
    writes: Vec<WritesText>,
    several: Vec<SeveralRule>,
    one_each: Vec<OneEachRule>,
    clients: Vec<ClientsRule>,
    asked: Vec<AskedRule>,
    of_files: Vec<OpenedRule>,
    grace: Vec<GraceRule>,
    ops_with: Vec<OpsWithText>,
    #[serde(default)]
    also_held: Vec<AlsoHeldText>,
    bracket: Vec<BracketText>,
    hands_over_locks: Vec<OthersText>,
    scenario: Vec<Spanned<ScenarioText>>,
    locks: LocksText,
    memory: MemoryText,
    /// Read by [`crate::bugs::allow`]: nothing here depends on it.
    #[serde(rename = "allow")]
    _allow: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    on: Vec<Spanned<String>>,
    context: Option<Context>,
    phase: Option<Phase>,
    #[serde(default)]
    start: Start,
    #[serde(default)]
    parameters: Vec<Spanned<String>>,
    beside_itself: Option<bool>,
    #[serde(default)]
    beside_itself_with: Vec<Spanned<String>>,
    becomes_one_of: Option<usize>,
    #[serde(default)]
    serialized_by: Vec<String>,
    #[serde(default)]
    reader: bool,
    #[serde(default)]
    reader_unless: BTreeMap<String, u64>,
    #[serde(default)]
    atomic: bool,
    #[serde(default)]
    atomic_unless: BTreeMap<String, u64>,
    #[serde(default)]
    pinned_by: super::several::OneOrMore,
    #[serde(default)]
    kernels_own: Vec<String>,
    #[serde(default)]
    after: Vec<Spanned<String>>,
    #[serde(default)]
    ends: Vec<Spanned<String>>,
    #[serde(default)]
    again: bool,
    #[serde(default)]
    of_module: bool,
    #[serde(default)]
    never_beside: Vec<Spanned<String>>,
    #[serde(default)]
    never_beside_unless: BTreeMap<String, u64>,
    #[serde(default)]
    called_if: BTreeMap<String, u64>,
    #[serde(default)]
    cite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupText {
    name: Spanned<String>,
    of: Vec<Spanned<String>>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    unless_given: BTreeMap<String, u64>,
    #[serde(default)]
    cite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HolderText {
    of: Spanned<String>,
    #[serde(rename = "in")]
    inside: Vec<Spanned<String>>,
    #[serde(default)]
    through: Vec<Spanned<String>>,
    fields: Vec<String>,
    with: Option<String>,
    #[serde(default)]
    alone: bool,
    beside_itself: Option<bool>,
    #[serde(default)]
    serialized_by: Vec<String>,
    #[serde(default)]
    reader: bool,
    #[serde(default)]
    never_beside: Vec<Spanned<String>>,
    #[serde(default)]
    pinned_by: super::several::OneOrMore,
    device: Option<String>,
    text: Option<super::TextData>,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    cite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallText {
    of: Spanned<String>,
    argument: usize,
    #[serde(default)]
    set: u64,
    #[serde(default)]
    clear: u64,
    #[serde(default)]
    unless: Vec<String>,
    apart: (usize, usize),
    #[serde(default)]
    reason: String,
    #[serde(default)]
    cite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OthersText {
    on: Vec<Spanned<String>>,
    #[serde(default)]
    cite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioText {
    name: String,
    threads: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryText {
    #[serde(default)]
    merge: Vec<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LocksText {
    #[serde(default)]
    acquire: Vec<Spanned<String>>,
    #[serde(default)]
    release: Vec<Spanned<String>>,
}

impl Rules {
    /// Fields that users' files say are one map of memory.
    pub fn merged(&self) -> &[Vec<String>] {
        &self.merged
    }

    /// The built-in rules and those of a user's file.
    ///
    /// # Errors
    /// A file that cannot be read or used. That it names what is there is for [`Rules::check`].
    pub fn with(config: Option<&Path>) -> Result<Rules, InputError> {
        let mut rules = Rules::built_in();
        if let Some(path) = config {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path).map_err(|e| InputError::new(&name, e))?;
            rules
                .add(&name, &text)
                .map_err(|e| InputError::new("", e))?;
        }
        Ok(rules)
    }

    /// Adds the rules of a file: all of them, or none.
    ///
    /// # Errors
    /// A file that does not parse, or says what no rule can say.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), RuleError> {
        self.merge(file, text, true)
    }

    /// As [`Rules::add`]; `replaces`: what the file says of the effects of a function replaces all that was said of it.
    pub(super) fn merge(
        &mut self,
        file: &str,
        text: &str,
        replaces: bool,
    ) -> Result<(), RuleError> {
        let groups = self.groups.iter().map(|g| g.name.clone()).collect();
        let mut reader = Reader::new(file, text, groups);
        let parsed: File = toml::from_str(text).map_err(|e| {
            let start = e.span().map_or(usize::MAX, |s| s.start);
            reader.error(start, &shorter(e.message()))
        })?;
        let mut added = parsed.rules(&mut reader)?;
        added.named = reader.named;
        if replaces {
            let told = |function: &String| added.effects.iter().any(|e| e.on.contains(function));
            for effect in &mut self.effects {
                effect.on.retain(|f| !told(f));
            }
        }
        self.extend(added);
        Ok(())
    }

    /// Adds the rules of a file. What it says of an object or a lock replaces what was said of it.
    fn extend(&mut self, added: Rules) {
        self.scenarios.extend(added.scenarios);
        self.merged.extend(added.merged);
        self.locks.acquire.extend(added.locks.acquire);
        self.locks.release.extend(added.locks.release);
        self.places.extend(added.places);
        self.groups.extend(added.groups);
        self.holders.extend(added.holders);
        self.calls.extend(added.calls);
        self.hands_over_locks.extend(added.hands_over_locks);
        self.others.extend(added.others);
        self.follows.extend(added.follows);
        self.once.extend(added.once);
        self.sleep.extend(added.sleep);
        self.power.extend(added.power);
        self.parents.extend(added.parents);
        self.needs.extend(added.needs);
        self.does.extend(added.does);
        self.of_bound.extend(added.of_bound);
        self.while_frozen.extend(added.while_frozen);
        self.matched.extend(added.matched);
        self.writes.extend(added.writes);
        self.reader_locks.extend(added.reader_locks);
        self.several.extend(added.several);
        self.one_each.extend(added.one_each);
        self.clients.extend(added.clients);
        self.asked.extend(added.asked);
        self.opened.extend(added.opened);
        self.graces.extend(added.graces);
        self.ops_with.extend(added.ops_with);
        self.also_held.extend(added.also_held);
        self.brackets.extend(added.brackets);
        self.effects.extend(added.effects);
        for object in added.objects {
            self.objects.retain(|o| o.name != object.name);
            self.objects.push(object);
        }
        for lock in added.held {
            self.held.retain(|l| l.name != lock.name);
            self.held.push(lock);
        }
        self.named.extend(added.named);
    }
}

/// The rules that texts say.
fn all<T, R>(
    texts: Vec<T>,
    rule: impl FnMut(T) -> Result<R, RuleError>,
) -> Result<Vec<R>, RuleError> {
    texts.into_iter().map(rule).collect()
}

impl File {
    /// What it says, in the order in which its mistakes are told.
    fn rules(self, reader: &mut Reader<'_>) -> Result<Rules, RuleError> {
        Ok(Rules {
            groups: all(self.group, |g| g.rule(reader))?,
            places: of_places(self.rule, reader)?,
            holders: all(self.holder, |h| h.into_inner().rule(reader))?,
            calls: all(self.call, |c| {
                let start = c.span().start;
                c.into_inner().rule(start, reader)
            })?,
            effects: all(self.effect, |spanned| {
                let effect = spanned.into_inner();
                let on = reader.names(&effect.on);
                effect.rule(on, |n| reader.places(n))
            })?,
            objects: all(self.object, |o| o.into_inner().rule(reader))?,
            held: all(self.kernel_lock, |l| Ok(l.rule(|n| reader.name(n))))?,
            hands_over_locks: all(self.hands_over_locks, |p| reader.places(&p.on))?.concat(),
            others: all(self.others, |o| o.rule(reader))?,
            follows: all(self.follows, |r| r.rule(|n| reader.places(n)))?,
            once: all(self.once, |r| r.rule(|n| reader.places(n)))?,
            sleep: all(self.sleep, |r| r.rule(|n| reader.places(n)))?,
            parents: all(self.uses_parent, |r| r.rule(|n| reader.places(n)))?,
            power: all(self.power, |r| r.rule(|names| reader.places(names)))?,
            reader_locks: all(self.reader_lock, |r| r.rule(|n| reader.places(n)))?,
            also_held: all(self.also_held, |r| r.rule(|n| reader.places(n)))?,
            ops_with: all(self.ops_with, |r| r.rule(|n| reader.places(n)))?,
            brackets: all(self.bracket, |r| r.rule(|n| reader.places(n)))?,
            needs: all(self.needs, |r| r.rule(|names| reader.places(names)))?,
            while_frozen: all(self.while_frozen, |r| r.rule(|n| reader.places(n)))?,
            matched: all(self.matched, |r| r.rule(|n| reader.places(n)))?,
            writes: all(self.writes, |writes| {
                let on = reader.names(&writes.on);
                let member = reader.place(&writes.member)?;
                Ok(writes.rule(on, &member))
            })?,
            scenarios: all(self.scenario, |spanned| {
                let line = reader.line(spanned.span().start);
                Ok(spanned.into_inner().rule(reader.file, line))
            })?,
            merged: self.memory.merge,
            locks: OwnLocks {
                acquire: reader.names(&self.locks.acquire),
                release: reader.names(&self.locks.release),
            },
            does: self.does,
            of_bound: self.of_bound,
            several: self.several,
            one_each: self.one_each,
            clients: self.clients,
            asked: self.asked,
            opened: self.of_files,
            graces: self.grace,
            named: Vec::new(),
        })
    }
}

/// The rule of each place.
fn of_places(
    texts: Vec<Spanned<RuleText>>,
    reader: &mut Reader<'_>,
) -> Result<HashMap<String, Rule>, RuleError> {
    let mut places = HashMap::new();
    for spanned in texts {
        let start = spanned.span().start;
        spanned.into_inner().put(start, reader, &mut places)?;
    }
    Ok(places)
}

impl GroupText {
    /// Known to what comes after it.
    fn rule(self, reader: &mut Reader<'_>) -> Result<GroupRule, RuleError> {
        let name = self.name.get_ref();
        if name.is_empty() || !is_group(name) {
            let message = format!("`{name}` is no name of a group: it is empty, or a place");
            return Err(reader.error(self.name.span().start, &message));
        }
        let of = reader.places(&self.of)?;
        reader.groups.push(name.clone());
        Ok(GroupRule {
            name: self.name.into_inner(),
            of,
            unless: self.unless,
            unless_given: self.unless_given.into_iter().collect(),
            cite: self.cite,
        })
    }
}

impl HolderText {
    fn rule(self, reader: &mut Reader<'_>) -> Result<HolderRule, RuleError> {
        // The struct is known if any place in it is.
        reader.named.push(Named {
            file: reader.file.to_string(),
            line: reader.line(self.of.span().start),
            name: format!("{}.*", self.of.get_ref()),
        });
        let never = "never beside {}".to_string();
        Ok(HolderRule {
            inside: reader.places(&self.inside)?,
            through: reader.places(&self.through)?,
            of: self.of.into_inner(),
            fields: self.fields,
            with: self.with,
            alone: self.alone,
            beside_itself: self.beside_itself,
            serialized_by: self.serialized_by,
            reader: self.reader,
            never_beside: reader.places(&self.never_beside)?,
            pinned_by: self.pinned_by.0,
            device: self.device,
            text: self.text,
            reason: Some(self.reason).filter(|r| !r.is_empty()).unwrap_or(never),
            cite: self.cite,
        })
    }
}

impl CallText {
    /// `start`: where it stands.
    fn rule(self, start: usize, reader: &mut Reader<'_>) -> Result<CallRule, RuleError> {
        if self.set == 0 && self.clear == 0 {
            return Err(reader.error(start, "a call without `set` or `clear`"));
        }
        let why = format!("the flags of {}", self.of.get_ref());
        Ok(CallRule {
            of: reader.name(&self.of),
            argument: self.argument,
            set: self.set,
            clear: self.clear,
            unless: self.unless,
            apart: self.apart,
            reason: Some(self.reason).filter(|r| !r.is_empty()).unwrap_or(why),
            cite: self.cite,
        })
    }
}

impl OthersText {
    fn rule(self, reader: &mut Reader<'_>) -> Result<OthersRule, RuleError> {
        Ok(OthersRule {
            on: reader.places(&self.on)?,
            cite: self.cite,
        })
    }
}

impl ScenarioText {
    fn rule(self, file: &str, line: usize) -> ScenarioRule {
        ScenarioRule {
            name: self.name,
            threads: self.threads,
            file: file.to_string(),
            line,
        }
    }
}

impl RuleText {
    /// Puts the rule at each of its places; `start`: where it stands.
    fn put(
        self,
        start: usize,
        reader: &mut Reader<'_>,
        places: &mut HashMap<String, Rule>,
    ) -> Result<(), RuleError> {
        if self.on.is_empty() {
            return Err(reader.error(start, "a rule without `on`"));
        }
        let mut parameters = Vec::new();
        for p in &self.parameters {
            let parsed = RuleParameter::parse(p.get_ref()).map_err(|m| {
                let on = self.on[0].get_ref();
                reader.error(p.span().start, &format!("rule for `{on}`: {m}"))
            })?;
            parameters.push(parsed);
        }
        let after = reader.places(&self.after)?;
        let ends = reader.places(&self.ends)?;
        let names = self.never_beside.iter();
        let never_beside: Vec<String> = names
            .map(|n| reader.place_or_group(n))
            .collect::<Result<_, _>>()?;
        let mut bits = |fields: BTreeMap<String, u64>| -> Result<Vec<(String, u64)>, RuleError> {
            let fields = fields.into_iter();
            let fields = fields.map(|(field, bits)| (Spanned::new(start..start, field), bits));
            fields
                .map(|(f, bits)| Ok((reader.place(&f)?, bits)))
                .collect()
        };
        let never_beside_unless = bits(self.never_beside_unless)?;
        let called_if = bits(self.called_if)?;
        let reader_unless = bits(self.reader_unless)?;
        let atomic_unless = bits(self.atomic_unless)?;
        for place in reader.places(&self.on)? {
            let made = Rule {
                context: self.context.unwrap_or(Context::Process),
                phase: self.phase.unwrap_or(Phase::Steady),
                start: self.start,
                parameters: parameters.clone(),
                beside_itself: self.beside_itself.unwrap_or(true),
                becomes_one_of: self.becomes_one_of,
                beside_itself_with: self
                    .beside_itself_with
                    .iter()
                    .map(|f| f.get_ref().clone())
                    .collect(),
                serialized_by: self.serialized_by.clone(),
                reader: self.reader,
                reader_unless: reader_unless.clone(),
                atomic: self.atomic,
                atomic_unless: atomic_unless.clone(),
                pinned_by: self.pinned_by.0.clone(),
                kernels_own: self.kernels_own.clone(),
                after: after.clone(),
                ends: ends.clone(),
                again: self.again,
                of_module: self.of_module,
                never_beside: never_beside.clone(),
                never_beside_unless: never_beside_unless.clone(),
                called_if: called_if.clone(),
                cite: self.cite.clone(),
            };
            places.insert(place, made);
        }
        Ok(())
    }
}
