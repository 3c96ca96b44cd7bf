//! Rules: what is known of the functions that the kernel calls from outside. Data, not code.
//!
//! The built-in rules are the TOML files in `runtime-stubs/rules/`; each cites
//! the kernel file that justifies it. A user adds rules of the same form in
//! `irkiss.toml`; of two rules for one place the later one wins.

use std::collections::HashMap;

use serde::Deserialize;

use super::entry::{Context, Phase, Start};

/// The rule files that come with irkiss: name, text.
const BUILT_IN: &[(&str, &str)] = &[
    (
        "character.toml",
        include_str!("../../runtime-stubs/rules/character.toml"),
    ),
    (
        "interrupts.toml",
        include_str!("../../runtime-stubs/rules/interrupts.toml"),
    ),
    (
        "core.toml",
        include_str!("../../runtime-stubs/rules/core.toml"),
    ),
    (
        "watchdog.toml",
        include_str!("../../runtime-stubs/rules/watchdog.toml"),
    ),
];

/// What a rule says of one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleParameter {
    /// An arbitrary number.
    Number,
    /// Null (or 0).
    Null,
    /// An object of this activation alone, of that many bytes (0: as large as accesses need).
    Private(u64),
    /// An open file of the ops object, on which operations may overlap.
    File,
    /// An open file of the ops object on which no operation is under way.
    ClosingFile,
    /// The inode of the ops object.
    Inode,
    /// One object for all entry points that name it.
    Shared(String),
    /// The object that holds the function pointer.
    Holder,
    /// What that argument of that registering call was.
    Registered(String, u32),
}

impl RuleParameter {
    fn parse(text: &str) -> Result<RuleParameter, String> {
        let parts: Vec<&str> = text.split(':').collect();
        match parts.as_slice() {
            ["number"] => Ok(RuleParameter::Number),
            ["null"] => Ok(RuleParameter::Null),
            ["private"] => Ok(RuleParameter::Private(0)),
            ["private", size] => size
                .parse()
                .map(RuleParameter::Private)
                .map_err(|_| format!("`{text}`: the size is no number")),
            ["file"] => Ok(RuleParameter::File),
            ["closing-file"] => Ok(RuleParameter::ClosingFile),
            ["inode"] => Ok(RuleParameter::Inode),
            ["holder"] => Ok(RuleParameter::Holder),
            ["shared", name] if !name.is_empty() => Ok(RuleParameter::Shared(name.to_string())),
            ["registered", function, argument] => argument
                .parse()
                .map(|n| RuleParameter::Registered(function.to_string(), n))
                .map_err(|_| format!("`{text}`: the argument is no number")),
            _ => Err(format!("unknown parameter kind `{text}`")),
        }
    }
}

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
    /// What the kernel holds around them.
    pub serialized_by: Vec<String>,
    /// The field of the ops object whose module reference keeps module exit away.
    pub pinned_by: Option<String>,
    /// The kernel source that justifies the rule.
    pub cite: String,
}

/// What it adds to a rule that an ops object is used in a certain place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderRule {
    /// IR struct name of the ops object.
    pub of: String,
    /// The place that names the object: `struct.field` or `function#argument`.
    pub inside: String,
    /// The field of the ops object that is concerned.
    pub field: String,
    /// Replaces [`Rule::beside_itself`], if given.
    pub beside_itself: Option<bool>,
    /// Added to [`Rule::serialized_by`].
    pub serialized_by: Vec<String>,
    /// The kernel source that justifies the rule.
    pub cite: String,
}

/// All rules in force.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    places: HashMap<String, Rule>,
    holders: Vec<HolderRule>,
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

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    rule: Vec<toml::Spanned<RuleText>>,
    #[serde(default)]
    holder: Vec<HolderText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    on: Vec<String>,
    context: Option<Context>,
    phase: Option<Phase>,
    #[serde(default)]
    start: Start,
    #[serde(default)]
    parameters: Vec<String>,
    beside_itself: Option<bool>,
    #[serde(default)]
    serialized_by: Vec<String>,
    pinned_by: Option<String>,
    #[serde(default)]
    cite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HolderText {
    of: String,
    #[serde(rename = "in")]
    inside: String,
    field: String,
    beside_itself: Option<bool>,
    #[serde(default)]
    serialized_by: Vec<String>,
    #[serde(default)]
    cite: String,
}

impl Rules {
    /// The rules that come with irkiss.
    ///
    /// # Panics
    /// If a built-in file is broken (a test reads them all).
    pub fn built_in() -> Rules {
        let mut rules = Rules::default();
        for (name, text) in BUILT_IN {
            rules
                .add(name, text)
                .expect("the built-in rules are tested");
        }
        rules
    }

    /// Adds the `[[rule]]` and `[[holder]]` tables of a file; other tables are left alone.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), RuleError> {
        let line_of = |offset: usize| {
            text.get(..offset)
                .map_or(0, |before| before.matches('\n').count() + 1)
        };
        let error = |offset: usize, message: String| RuleError {
            file: file.to_string(),
            line: line_of(offset),
            message: message.replace('\n', " "),
        };
        let parsed: File = toml::from_str(text).map_err(|e| {
            error(
                e.span().map_or(usize::MAX, |s| s.start),
                e.message().to_string(),
            )
        })?;
        for spanned in parsed.rule {
            let start = spanned.span().start;
            let rule = spanned.into_inner();
            if rule.on.is_empty() {
                return Err(error(start, "a rule without `on`".to_string()));
            }
            let parameters = rule
                .parameters
                .iter()
                .map(|p| RuleParameter::parse(p))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|m| error(start, format!("rule for `{}`: {m}", rule.on[0])))?;
            for place in rule.on {
                if !place.contains('.') && !place.contains('#') {
                    let message =
                        format!("`{place}` is neither `struct.field` nor `function#argument`");
                    return Err(error(start, message));
                }
                let made = Rule {
                    context: rule.context.unwrap_or(Context::Process),
                    phase: rule.phase.unwrap_or(Phase::Steady),
                    start: rule.start,
                    parameters: parameters.clone(),
                    beside_itself: rule.beside_itself.unwrap_or(true),
                    serialized_by: rule.serialized_by.clone(),
                    pinned_by: rule.pinned_by.clone(),
                    cite: rule.cite.clone(),
                };
                self.places.insert(place, made);
            }
        }
        self.holders
            .extend(parsed.holder.into_iter().map(|h| HolderRule {
                of: h.of,
                inside: h.inside,
                field: h.field,
                beside_itself: h.beside_itself,
                serialized_by: h.serialized_by,
                cite: h.cite,
            }));
        Ok(())
    }

    /// The rule for `struct.field` or `function#argument`.
    pub fn place(&self, place: &str) -> Option<&Rule> {
        self.places.get(place)
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

    fn error_of(text: &str) -> String {
        let mut rules = Rules::default();
        rules.add("irkiss.toml", text).unwrap_err().to_string()
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
        let open = rules.place("file_operations.open").unwrap();
        assert_eq!(
            open.parameters,
            [RuleParameter::Inode, RuleParameter::Private(0)]
        );
        assert!(!rules.place("timer_list.function").unwrap().beside_itself);
    }

    #[test]
    fn errors_are_one_line_and_name_the_line() {
        assert_eq!(
            error_of("[[rule]]\non = [\"a.b\"]\nparameters = [\"thing\"]\n"),
            "irkiss.toml:1: rule for `a.b`: unknown parameter kind `thing`"
        );
        assert_eq!(
            error_of("\n[[rule]]\non = [\"ab\"]\n"),
            "irkiss.toml:2: `ab` is neither `struct.field` nor `function#argument`"
        );
        let syntax = error_of("[[rule]]\non = [\n");
        assert!(
            syntax.starts_with("irkiss.toml:") && !syntax.contains('\n'),
            "{syntax}"
        );
        let field = error_of("[[rule]]\non = [\"a.b\"]\ncontext = \"moon\"\n");
        assert!(field.contains("moon") && !field.contains('\n'), "{field}");
        let unknown = error_of("[[rule]]\non = [\"a.b\"]\nparams = []\n");
        assert!(unknown.contains("params"), "{unknown}");
    }

    #[test]
    fn a_later_rule_wins_and_other_tables_are_left_alone() {
        let mut rules = Rules::built_in();
        rules
            .add(
                "irkiss.toml",
                "[check]\nts = 3\n[[rule]]\non = [\"file_operations.open\"]\nserialized_by = [\"my_lock\"]\n",
            )
            .unwrap();
        let open = rules.place("file_operations.open").unwrap();
        assert_eq!(open.serialized_by, ["my_lock"]);
        assert!(open.parameters.is_empty());
    }
}
