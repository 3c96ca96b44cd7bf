//! Rule files: TOML with the tables `[[rule]]`, `[[group]]`, `[[holder]]`, `[[call]]`, `[[effect]]`, `[[object]]`, `[[kernel_lock]]`,
//! `[[reader_lock]]`, `[[others]]`, `[[follows]]`, `[[once]]`, `[[sleep]]`, `[[power]]`, `[[uses_parent]]`, `[[needs]]`, `[[does]]`, `[[while_frozen]]`,
//! `[[matched]]`, `[[writes]]`, `[[several]]`, `[[one_each]]`, `[[clients]]`, `[[asked]]`, `[[of_files]]`, `[[grace]]`, `[[of_bound]]`, `[[ops_with]]`, `[[also_held]]`, `[[bracket]]`, `[[hands_over_locks]]`, `[[scenario]]`, `[memory]` and `[locks]`.

use std::collections::BTreeMap;
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
use super::readers::ReaderText;
use super::writes::WritesText;
use super::{
    AskedRule, CallRule, ClientsRule, DoesRule, GraceRule, GroupRule, HolderRule, Named,
    OfBoundRule, OneEachRule, OpenedRule, OthersRule, Rule, RuleError, RuleParameter, Rules,
    ScenarioRule, SeveralRule, is_group, nearest,
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

/// The file at hand, for messages.
pub(super) struct Reader<'a> {
    file: &'a str,
    /// Its size in bytes.
    size: usize,
    /// Where its lines end, in bytes: every name asks for its line.
    ends: Vec<usize>,
    /// What it names.
    named: Vec<Named>,
    /// The groups that there are.
    groups: Vec<String>,
}

impl Reader<'_> {
    /// The line of an offset in bytes, from 1; 0 for one that is beyond the file.
    fn line(&self, offset: usize) -> usize {
        match offset > self.size {
            true => 0,
            false => self.ends.partition_point(|&end| end < offset) + 1,
        }
    }

    fn error(&self, offset: usize, message: &str) -> RuleError {
        RuleError {
            file: self.file.to_string(),
            line: self.line(offset),
            message: message.replace('\n', " "),
        }
    }

    /// Notes a name that must be known, and gives it.
    fn name(&mut self, name: &Spanned<String>) -> String {
        self.named.push(Named {
            file: self.file.to_string(),
            line: self.line(name.span().start),
            name: name.get_ref().clone(),
        });
        name.get_ref().clone()
    }

    pub(super) fn names(&mut self, names: &[Spanned<String>]) -> Vec<String> {
        names.iter().map(|n| self.name(n)).collect()
    }

    /// A place: `struct.field` or `function#argument`.
    fn place(&mut self, name: &Spanned<String>) -> Result<String, RuleError> {
        let place = name.get_ref();
        let numbered = place
            .split_once('#')
            .is_some_and(|(f, n)| !f.is_empty() && n.parse::<u32>().is_ok());
        let field = place
            .split_once('.')
            .is_some_and(|(s, f)| !s.is_empty() && !f.is_empty());
        if !numbered && !field {
            let message = format!("`{place}` is neither `struct.field` nor `function#argument`");
            return Err(self.error(name.span().start, &message));
        }
        Ok(self.name(name))
    }

    /// A place, or the name of a group.
    fn place_or_group(&mut self, name: &Spanned<String>) -> Result<String, RuleError> {
        let text = name.get_ref();
        if !is_group(text) {
            return self.place(name);
        }
        if self.groups.contains(text) {
            return Ok(text.clone());
        }
        let groups = self.groups.iter().map(String::as_str);
        let near = nearest(text, groups)
            .map_or(String::new(), |n| format!("; the nearest group is `{n}`"));
        let message =
            format!("`{text}` is neither `struct.field` nor `function#argument` nor a group{near}");
        Err(self.error(name.span().start, &message))
    }

    pub(super) fn places(&mut self, names: &[Spanned<String>]) -> Result<Vec<String>, RuleError> {
        names.iter().map(|n| self.place(n)).collect()
    }
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
        let mut reader = Reader {
            file,
            size: text.len(),
            ends: text.match_indices('\n').map(|(at, _)| at).collect(),
            named: Vec::new(),
            groups: self.groups.iter().map(|g| g.name.clone()).collect(),
        };
        let parsed: File = toml::from_str(text).map_err(|e| {
            let start = e.span().map_or(usize::MAX, |s| s.start);
            reader.error(start, &shorter(e.message()))
        })?;
        let mut added = Rules::default();
        for group in parsed.group {
            let name = group.name.get_ref();
            if name.is_empty() || !is_group(name) {
                let message = format!("`{name}` is no name of a group: it is empty, or a place");
                return Err(reader.error(group.name.span().start, &message));
            }
            let of = reader.places(&group.of)?;
            reader.groups.push(name.clone());
            added.groups.push(GroupRule {
                name: group.name.into_inner(),
                of,
                unless: group.unless,
                unless_given: group.unless_given.into_iter().collect(),
                cite: group.cite,
            });
        }
        for spanned in parsed.rule {
            let start = spanned.span().start;
            added.add_rule(&mut reader, start, spanned.into_inner())?;
        }
        for spanned in parsed.holder {
            let h = spanned.into_inner();
            // The struct is known if any place in it is.
            reader.named.push(Named {
                file: file.to_string(),
                line: reader.line(h.of.span().start),
                name: format!("{}.*", h.of.get_ref()),
            });
            let never = "never beside {}".to_string();
            added.holders.push(HolderRule {
                inside: reader.places(&h.inside)?,
                through: reader.places(&h.through)?,
                of: h.of.into_inner(),
                fields: h.fields,
                with: h.with,
                alone: h.alone,
                beside_itself: h.beside_itself,
                serialized_by: h.serialized_by,
                reader: h.reader,
                never_beside: reader.places(&h.never_beside)?,
                pinned_by: h.pinned_by.0,
                device: h.device,
                text: h.text,
                reason: Some(h.reason).filter(|r| !r.is_empty()).unwrap_or(never),
                cite: h.cite,
            });
        }
        for spanned in parsed.call {
            let start = spanned.span().start;
            let c = spanned.into_inner();
            if c.set == 0 && c.clear == 0 {
                return Err(reader.error(start, "a call without `set` or `clear`"));
            }
            let why = format!("the flags of {}", c.of.get_ref());
            added.calls.push(CallRule {
                of: reader.name(&c.of),
                argument: c.argument,
                set: c.set,
                clear: c.clear,
                unless: c.unless,
                apart: c.apart,
                reason: Some(c.reason).filter(|r| !r.is_empty()).unwrap_or(why),
                cite: c.cite,
            });
        }
        for spanned in parsed.effect {
            let effect = spanned.into_inner();
            let on = reader.names(&effect.on);
            let rule = effect.rule(on, |n| reader.places(n))?;
            added.effects.push(rule);
        }
        for spanned in parsed.object {
            let o = spanned.into_inner();
            added.objects.push(o.rule(&mut reader)?);
        }
        for lock in parsed.kernel_lock {
            added.held.push(lock.rule(|n| reader.name(n)));
        }
        for places in parsed.hands_over_locks {
            added.hands_over_locks.extend(reader.places(&places.on)?);
        }
        for others in parsed.others {
            added.others.push(OthersRule {
                on: reader.places(&others.on)?,
                cite: others.cite,
            });
        }
        for follows in parsed.follows {
            added.follows.push(follows.rule(|n| reader.places(n))?);
        }
        for once in parsed.once {
            added.once.push(once.rule(|n| reader.places(n))?);
        }
        for sleep in parsed.sleep {
            added.sleep.push(sleep.rule(|n| reader.places(n))?);
        }
        for parent in parsed.uses_parent {
            added.parents.push(parent.rule(|n| reader.places(n))?);
        }
        for power in parsed.power {
            added.power.push(power.rule(|names| reader.places(names))?);
        }
        for lock in parsed.reader_lock {
            added.reader_locks.push(lock.rule(|n| reader.places(n))?);
        }
        for held in parsed.also_held {
            added.also_held.push(held.rule(|n| reader.places(n))?);
        }
        for with in parsed.ops_with {
            added.ops_with.push(with.rule(|n| reader.places(n))?);
        }
        for bracket in parsed.bracket {
            added.brackets.push(bracket.rule(|n| reader.places(n))?);
        }
        for needs in parsed.needs {
            added.needs.push(needs.rule(|names| reader.places(names))?);
        }
        for frozen in parsed.while_frozen {
            added.while_frozen.push(frozen.rule(|n| reader.places(n))?);
        }
        for matched in parsed.matched {
            added.matched.push(matched.rule(|n| reader.places(n))?);
        }
        for writes in parsed.writes {
            let on = reader.names(&writes.on);
            let member = reader.place(&writes.member)?;
            added.writes.push(writes.rule(on, &member));
        }
        for spanned in parsed.scenario {
            let line = reader.line(spanned.span().start);
            let ScenarioText { name, threads } = spanned.into_inner();
            added.scenarios.push(ScenarioRule {
                name,
                threads,
                file: file.to_string(),
                line,
            });
        }
        self.scenarios.extend(added.scenarios);
        self.merged.extend(parsed.memory.merge);
        let (locks, own) = (parsed.locks, &mut self.locks);
        own.acquire.extend(reader.names(&locks.acquire));
        own.release.extend(reader.names(&locks.release));
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
        self.does.extend(parsed.does);
        self.of_bound.extend(parsed.of_bound);
        self.while_frozen.extend(added.while_frozen);
        self.matched.extend(added.matched);
        self.writes.extend(added.writes);
        self.reader_locks.extend(added.reader_locks);
        self.several.extend(parsed.several);
        self.one_each.extend(parsed.one_each);
        self.clients.extend(parsed.clients);
        self.asked.extend(parsed.asked);
        self.opened.extend(parsed.of_files);
        self.graces.extend(parsed.grace);
        self.ops_with.extend(added.ops_with);
        self.also_held.extend(added.also_held);
        self.brackets.extend(added.brackets);
        let told = |function: &String| added.effects.iter().any(|e| e.on.contains(function));
        for effect in self.effects.iter_mut().filter(|_| replaces) {
            effect.on.retain(|f| !told(f));
        }
        self.effects.extend(added.effects);
        for object in added.objects {
            self.objects.retain(|o| o.name != object.name);
            self.objects.push(object);
        }
        for lock in added.held {
            self.held.retain(|l| l.name != lock.name);
            self.held.push(lock);
        }
        self.named.extend(reader.named);
        Ok(())
    }

    fn add_rule(
        &mut self,
        reader: &mut Reader<'_>,
        start: usize,
        rule: RuleText,
    ) -> Result<(), RuleError> {
        if rule.on.is_empty() {
            return Err(reader.error(start, "a rule without `on`"));
        }
        let mut parameters = Vec::new();
        for p in &rule.parameters {
            let parsed = RuleParameter::parse(p.get_ref()).map_err(|m| {
                let on = rule.on[0].get_ref();
                reader.error(p.span().start, &format!("rule for `{on}`: {m}"))
            })?;
            parameters.push(parsed);
        }
        let after = reader.places(&rule.after)?;
        let ends = reader.places(&rule.ends)?;
        let names = rule.never_beside.iter();
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
        let never_beside_unless = bits(rule.never_beside_unless)?;
        let called_if = bits(rule.called_if)?;
        let reader_unless = bits(rule.reader_unless)?;
        for place in reader.places(&rule.on)? {
            let made = Rule {
                context: rule.context.unwrap_or(Context::Process),
                phase: rule.phase.unwrap_or(Phase::Steady),
                start: rule.start,
                parameters: parameters.clone(),
                beside_itself: rule.beside_itself.unwrap_or(true),
                becomes_one_of: rule.becomes_one_of,
                beside_itself_with: rule
                    .beside_itself_with
                    .iter()
                    .map(|f| f.get_ref().clone())
                    .collect(),
                serialized_by: rule.serialized_by.clone(),
                reader: rule.reader,
                reader_unless: reader_unless.clone(),
                pinned_by: rule.pinned_by.0.clone(),
                kernels_own: rule.kernels_own.clone(),
                after: after.clone(),
                ends: ends.clone(),
                again: rule.again,
                of_module: rule.of_module,
                never_beside: never_beside.clone(),
                never_beside_unless: never_beside_unless.clone(),
                called_if: called_if.clone(),
                cite: rule.cite.clone(),
            };
            self.places.insert(place, made);
        }
        Ok(())
    }
}
