//! Values of rule files that are one word or a list of words.

use serde::Deserialize;

/// Words, given as one or as a list.
#[derive(Default, Deserialize)]
#[serde(from = "Text")]
pub(super) struct OneOrMore(pub(super) Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    One(String),
    More(Vec<String>),
}

impl From<Text> for OneOrMore {
    fn from(text: Text) -> OneOrMore {
        match text {
            Text::One(word) => OneOrMore(vec![word]),
            Text::More(words) => OneOrMore(words),
        }
    }
}
