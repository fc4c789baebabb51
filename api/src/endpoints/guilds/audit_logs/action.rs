//! The action that an audit entry names.

use std::borrow::Cow;

use serde_json::Value;

use crate::request::parts::Field;
use crate::schema::shape::{self, Shape};

const MAX: usize = 100;

/// `<area>.<verb>`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Action(pub(crate) String);

/// An action, or the area of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ActionOrArea(pub(crate) String);

impl Field for ActionOrArea {
    fn allowed() -> Cow<'static, str> {
        format!("{}; or an area alone", Action::allowed()).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let text = sent.as_str()?;
        let area = (text.len() <= MAX && is_word(text)).then(|| text.to_owned());
        area.or_else(|| Action::read(sent).map(|action| action.0)).map(Self)
    }

    fn shape() -> Shape {
        shape::matching(r"^(?=.{1,100}$)[a-z0-9_]+(\.[a-z0-9_]+)*$", "moderation.ban")
    }
}

impl Field for Action {
    fn allowed() -> Cow<'static, str> {
        format!("`<area>.<verb>` of lower-case letters, digits and `_`, at most {MAX} characters").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let text = sent.as_str()?;
        let fits = text.len() <= MAX && text.contains('.') && text.split('.').all(is_word);
        fits.then(|| Self(text.to_owned()))
    }

    fn shape() -> Shape {
        shape::matching(r"^(?=.{3,100}$)[a-z0-9_]+(\.[a-z0-9_]+)+$", "events.hosted")
    }
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn actions_are_dotted_words() {
        for fine in ["a.b", "staff.note_add", "area1.sub.verb"] {
            assert!(Action::read(&json!(fine)).is_some(), "{fine}");
        }
        let long = format!("a.{}", "b".repeat(99));
        let read = |sent: &str| ActionOrArea::read(&json!(sent)).map(|action| action.0);
        assert_eq!((read("staff"), read("a.b")), (Some("staff".to_owned()), Some("a.b".to_owned())));
        assert_eq!((read(""), read("A"), read("a."), read(&"a".repeat(101))), (None, None, None, None));
        for bad in ["", "a", ".", "a.", ".b", "a..b", "A.b", "a b.c", "ä.b", &long] {
            assert!(Action::read(&json!(bad)).is_none(), "{bad}");
        }
    }
}
