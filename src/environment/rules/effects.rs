//! What registering and cancelling functions do to the entry points that they are about: `[[effect]]` in rule files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::place::any_stands_for;

/// One effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// The functions may run from now on: a handler once (it is armed), others as often as the kernel likes.
    Starts,
    /// Takes `blocks-new` back.
    Allows,
    /// No further start.
    BlocksNew,
    /// A pending start is dropped.
    Disarms,
    /// A running one has ended; with `blocks-new` or `disarms` none runs when the call returns. Alone: a pending one too.
    Waits,
}

impl Effect {
    /// All, in the order in which they are told.
    pub const ALL: [Effect; 5] = [
        Effect::Starts,
        Effect::Allows,
        Effect::BlocksNew,
        Effect::Disarms,
        Effect::Waits,
    ];

    /// As rule files spell it.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Starts => "starts",
            Effect::Allows => "allows",
            Effect::BlocksNew => "blocks-new",
            Effect::Disarms => "disarms",
            Effect::Waits => "waits",
        }
    }

    /// The bit for the models (`enum irkiss_effect` in `irkiss_linux.h`).
    pub fn bit(self) -> u32 {
        match self {
            Effect::Starts => 1,
            Effect::Allows => 2,
            Effect::BlocksNew => 4,
            Effect::Disarms => 8,
            Effect::Waits => 16,
        }
    }
}

/// What the call answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// Anything (a pointer: null or an object).
    #[default]
    Any,
    /// 0 or null.
    Zero,
    /// Whether a start was pending.
    Pending,
    /// -1, without an effect, if it runs; otherwise whether a start was pending.
    Busy,
    /// 0, or an error code, without an effect.
    Error,
    /// A number that is not negative, or an error code, without an effect.
    NumberOrError,
    /// An object, or null, without an effect.
    Object,
    /// An object, or an error pointer, without an effect.
    ObjectOrError,
}

/// What a function of the environment does to entry points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectRule {
    /// The functions.
    pub on: Vec<String>,
    /// The places whose functions it is about; `struct.*` for all fields.
    pub of: Vec<String>,
    /// If not empty: only functions of ops objects that stand in one of these places.
    pub inside: Vec<String>,
    /// What it does; empty: nothing of all this (which is worth telling).
    pub effects: Vec<Effect>,
    /// The argument that tells the object: the timer, the registered device, the ops object.
    pub object: Option<usize>,
    /// `struct.member` of that argument, whose address later calls name in its place (`spi_driver.driver`).
    pub named_by: Option<String>,
    /// Whether its result is the object.
    pub gives: bool,
    /// The argument that is the function itself.
    pub function: Option<usize>,
    /// Whether it is about all of them, whichever object it is called with (which later calls name).
    pub all: bool,
    /// The argument that is an interrupt's number.
    pub line: Option<usize>,
    /// The argument that is a PCI device: the line is that of its interrupt of the number `line`.
    pub vector_of: Option<usize>,
    /// `struct.field` of the object that is one.
    pub line_in: Option<String>,
    /// The argument that is a container of objects: a work queue, an anchor of USB requests.
    pub container: Option<usize>,
    /// The argument that is what they lie in: the object of attributes, the directory of a file. Of a call that takes back without `object`:
    /// what the ones lie in that it is about.
    pub within: Option<usize>,
    /// If only the last of several such calls does what it says: where the input makes the object by one of the first functions and calls
    /// none of the others, by which there are more users, each is the last.
    pub last_if: Option<MadeBy>,
    /// `struct.field` of the object that holds the ops object.
    pub names: Option<String>,
    /// Whether what it starts ends when the driver is unbound (devres).
    pub managed: bool,
    /// Where else it does: the object is managed by who made it.
    pub managed_with: Option<MadeBy>,
    /// What it starts sleeps until the result is handed to one of these (`function#argument`), where the input shows that.
    pub begins_at: Vec<String>,
    /// Further functions that may get the result (`function#argument`) and let it sleep.
    pub sleeps_through: Vec<String>,
    /// Whether it unbinds the driver from its devices.
    pub unbinds: bool,
    /// The places whose functions it calls before it returns.
    pub calls_back: Vec<String>,
    /// The argument that says whether it does: where that is 0, it does not.
    pub calls_back_if: Option<usize>,
    /// `struct.member` of the first thing that the function called back is given, and bits: without one of them it is not called.
    pub calls_back_if_bits: BTreeMap<String, u64>,
    /// Functions: where the input calls one of them, nothing is known of what the call does.
    pub unless: Vec<String>,
    /// The argument that has to be null, or the call does nothing of all this.
    pub only_if_null: Option<usize>,
    /// Whether it does so without the locks that the kernel holds around these functions otherwise.
    pub calls_back_unlocked: bool,
    /// The argument whose memory is gone when it returns.
    pub frees: Option<usize>,
    /// The driver's data, which the kernel's function gives back for the object.
    pub keeps: Option<usize>,
    /// `struct.member`: the data is what stands there in what the argument leads to.
    pub keeps_in: Option<String>,
    /// If what it calls back is no thread of its own: functions by which others come to call that, later; where the input calls one of them,
    /// this calls nothing back.
    pub nested_unless: Option<Vec<String>>,
    /// The number of the driver's that the kernel shows from then on: its own reading and writing is an entry point.
    pub shows: Option<Shows>,
    /// What it answers.
    pub answer: Answer,
    /// Whether its model is in `runtime-stubs/linux/`; the others are made from the rule.
    pub model: bool,
    /// The kernel source that justifies it.
    pub cite: String,
}

/// A number of the driver's that the kernel shows to processes, and lets them set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shows {
    /// The argument that leads to it.
    pub argument: usize,
    /// The argument that says who may read and write.
    pub mode: usize,
    /// The argument that is the directory: where that is an error pointer, nothing is shown.
    pub within: usize,
    /// Its kind.
    pub number: Number,
}

/// The kinds of numbers that the kernel shows; the models have functions for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Number {
    /// Of 8 bits.
    U8,
    /// Of 16 bits.
    U16,
    /// Of 32 bits.
    U32,
    /// Of 64 bits.
    U64,
    /// Of as many bits as a pointer.
    Ulong,
    /// Yes or no.
    Bool,
}

impl Number {
    /// What the names of the models' functions end in (`__irkiss_show_u8`).
    pub fn name(self) -> &'static str {
        match self {
            Number::U8 => "u8",
            Number::U16 => "u16",
            Number::U32 => "u32",
            Number::U64 => "u64",
            Number::Ulong => "ulong",
            Number::Bool => "bool",
        }
    }
}

/// Functions that make an object: the input makes it by one of the first and by none of the others.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MadeBy {
    calls: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    /// The pointer in the object by which it is managed (`input_dev.dev.parent`): it is what those functions are given first.
    by: Option<String>,
    /// Whether its end is handed to devres as it is made, and not as it is registered.
    #[serde(default)]
    as_made: bool,
}

impl EffectRule {
    /// Whether what it starts ends when the driver is unbound, of an input that calls those functions. `moved`: whether something else than
    /// what the functions are given is put in that place.
    pub fn is_managed(
        &self,
        is_called: impl Fn(&str) -> bool,
        moved: impl Fn(&str, &[String]) -> bool,
    ) -> bool {
        let made = |made: &MadeBy| {
            made.calls.iter().any(|f| is_called(f))
                && !made.unless.iter().any(|f| is_called(f))
                && !made
                    .by
                    .as_ref()
                    .is_some_and(|place| moved(place, &made.calls))
        };
        self.managed || self.managed_with.as_ref().is_some_and(made)
    }

    /// Whether devres is handed the end of what it starts as the object is made.
    pub fn is_managed_as_made(&self) -> bool {
        self.managed_with.as_ref().is_some_and(|made| made.as_made)
    }

    /// Whether it is about functions found at that place.
    pub fn concerns(&self, place: &str) -> bool {
        any_stands_for(&self.of, place)
    }

    /// Whether it does not tell which ones it is about.
    pub fn tells_none(&self) -> bool {
        let places = [
            self.object,
            self.function,
            self.line,
            self.container,
            self.within,
        ];
        places.iter().all(Option::is_none) && !self.all && !self.gives
    }

    /// Whether each such call of an input that calls those functions does what the rule says, as the last of its kind.
    pub fn is_last(&self, is_called: impl Fn(&str) -> bool) -> bool {
        let last = |made: &MadeBy| {
            made.calls.iter().any(|f| is_called(f)) && !made.unless.iter().any(|f| is_called(f))
        };
        self.last_if.as_ref().is_none_or(last)
    }

    /// Whether it calls functions found at that place before it returns.
    pub fn calls_back(&self, place: &str) -> bool {
        any_stands_for(&self.calls_back, place)
    }

    /// Its effects in words.
    pub fn words(&self) -> String {
        words(&self.effects)
    }
}

/// Effects in words.
pub fn words(effects: &[Effect]) -> String {
    if effects.is_empty() {
        return "neither blocks new ones nor waits".to_string();
    }
    let names: Vec<&str> = Effect::ALL
        .iter()
        .filter(|e| effects.contains(e))
        .map(|e| e.name())
        .collect();
    names.join(", ")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EffectText {
    pub on: Vec<Spanned<String>>,
    of: Vec<Spanned<String>>,
    #[serde(default, rename = "in")]
    inside: Vec<Spanned<String>>,
    effects: Vec<Effect>,
    object: Option<usize>,
    #[serde(default)]
    gives: bool,
    named_by: Option<Spanned<String>>,
    #[serde(default)]
    unless: Vec<Spanned<String>>,
    function: Option<usize>,
    #[serde(default)]
    all: bool,
    line: Option<usize>,
    vector_of: Option<usize>,
    line_in: Option<Spanned<String>>,
    container: Option<usize>,
    within: Option<usize>,
    last_if: Option<MadeBy>,
    names: Option<Spanned<String>>,
    #[serde(default)]
    managed: bool,
    managed_with: Option<MadeBy>,
    #[serde(default)]
    begins_at: Vec<Spanned<String>>,
    #[serde(default)]
    sleeps_through: Vec<Spanned<String>>,
    #[serde(default)]
    unbinds: bool,
    #[serde(default)]
    calls_back: Vec<Spanned<String>>,
    calls_back_if: Option<usize>,
    #[serde(default)]
    calls_back_if_bits: BTreeMap<String, u64>,
    only_if_null: Option<usize>,
    #[serde(default)]
    calls_back_unlocked: bool,
    frees: Option<usize>,
    keeps: Option<usize>,
    keeps_in: Option<Spanned<String>>,
    nested_unless: Option<Vec<Spanned<String>>>,
    shows: Option<Shows>,
    #[serde(default)]
    answer: Answer,
    #[serde(default)]
    model: bool,
    #[serde(default)]
    cite: String,
}

impl EffectText {
    /// The rule, of functions that were looked at, if `places` takes all places that it names.
    pub fn rule<E>(
        self,
        on: Vec<String>,
        mut places: impl FnMut(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<EffectRule, E> {
        let names = self.names.as_ref().map(std::slice::from_ref);
        let names = names.map(&mut places).transpose()?;
        let line_in = self.line_in.as_ref().map(std::slice::from_ref);
        let line_in = line_in.map(&mut places).transpose()?;
        Ok(EffectRule {
            on,
            of: places(&self.of)?,
            inside: places(&self.inside)?,
            effects: self.effects,
            object: self.object,
            named_by: self.named_by.map(Spanned::into_inner),
            gives: self.gives,
            unless: self.unless.into_iter().map(Spanned::into_inner).collect(),
            function: self.function,
            all: self.all,
            line: self.line,
            vector_of: self.vector_of,
            line_in: line_in.and_then(|l| l.into_iter().next()),
            container: self.container,
            within: self.within,
            last_if: self.last_if,
            names: names.and_then(|n| n.into_iter().next()),
            managed: self.managed,
            managed_with: self.managed_with,
            begins_at: places(&self.begins_at)?,
            sleeps_through: places(&self.sleeps_through)?,
            unbinds: self.unbinds,
            calls_back: places(&self.calls_back)?,
            calls_back_if: self.calls_back_if,
            calls_back_if_bits: self.calls_back_if_bits,
            only_if_null: self.only_if_null,
            calls_back_unlocked: self.calls_back_unlocked,
            frees: self.frees,
            keeps: self.keeps,
            keeps_in: self.keeps_in.map(Spanned::into_inner),
            nested_unless: self
                .nested_unless
                .map(|all| all.into_iter().map(Spanned::into_inner).collect()),
            shows: self.shows,
            answer: self.answer,
            model: self.model,
            cite: self.cite,
        })
    }
}
