//! Words of `--format`: some of irkiss's own, and the forms that others read.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use irkiss::forms::Form;

/// `--format` of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckFormat {
    /// For people.
    Human,
    /// One object, for scripts.
    Json,
    /// Potential races as WHOOP lists them: what locks do not exclude, not confirmed; nothing is executed.
    Whoop,
    /// For other programs, or to be sent.
    Of(Form),
}

/// `--format` of what is shown again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowFormat {
    /// For people.
    Human,
    /// For other programs, or to be sent.
    Of(Form),
}

fn word(of: Form) -> PossibleValue {
    PossibleValue::new(of.code()).help(of.text())
}

fn human() -> PossibleValue {
    PossibleValue::new("human").help("For people")
}

impl ValueEnum for CheckFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            CheckFormat::Human,
            CheckFormat::Json,
            CheckFormat::Of(Form::Lines),
            CheckFormat::Of(Form::Mail),
            CheckFormat::Of(Form::Html),
            CheckFormat::Of(Form::Sarif),
            CheckFormat::Of(Form::Junit),
            CheckFormat::Of(Form::Gitlab),
            CheckFormat::Whoop,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            CheckFormat::Human => human(),
            CheckFormat::Json => PossibleValue::new("json").help("One object, for scripts"),
            CheckFormat::Whoop => PossibleValue::new("whoop").help(
                "Potential races as WHOOP lists them: what locks do not exclude, not confirmed; nothing is executed",
            ),
            CheckFormat::Of(form) => word(*form),
        })
    }
}

impl ValueEnum for ShowFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            ShowFormat::Human,
            ShowFormat::Of(Form::Lines),
            ShowFormat::Of(Form::Mail),
            ShowFormat::Of(Form::Html),
            ShowFormat::Of(Form::Sarif),
            ShowFormat::Of(Form::Junit),
            ShowFormat::Of(Form::Gitlab),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            ShowFormat::Human => human(),
            ShowFormat::Of(form) => word(*form),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_a_word() {
        for of in Form::ALL {
            assert!(CheckFormat::value_variants().contains(&CheckFormat::Of(*of)));
            assert!(ShowFormat::value_variants().contains(&ShowFormat::Of(*of)));
        }
    }
}
