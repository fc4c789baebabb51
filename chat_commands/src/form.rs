//! A form that the platform shows in front of everything else, with at most five fields.

use people::chat_text::cut;
use serde::Deserialize;
use serde_json::{Value, json};

/// Characters of a title.
const TITLE_MAX: usize = 45;

/// The platform's components in a form.
mod component {
    pub(super) const SELECT: u8 = 3;
    pub(super) const TEXT: u8 = 4;
    pub(super) const LABEL: u8 = 18;
    pub(super) const BOXES: u8 = 22;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) fields: Vec<Field>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) required: bool,
    pub(crate) input: Input,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    /// One line.
    Line {
        hint: &'static str,
        longest: usize,
    },
    Paragraph {
        longest: usize,
    },
    /// One of these.
    Choice(Vec<String>),
    /// A box to check, with these words.
    Box(&'static str),
}

impl Form {
    pub(crate) fn json(&self) -> Value {
        let fields: Vec<_> = self.fields.iter().map(Field::json).collect();
        json!({ "custom_id": self.id, "title": cut(&self.title, TITLE_MAX), "components": fields })
    }
}

impl Field {
    fn json(&self) -> Value {
        let mut input = match &self.input {
            Input::Line { hint, longest } => {
                json!({ "type": component::TEXT, "style": 1, "placeholder": hint, "max_length": longest })
            }
            Input::Paragraph { longest } => {
                json!({ "type": component::TEXT, "style": 2, "max_length": longest })
            }
            Input::Choice(options) => {
                let options = options.iter().map(|option| json!({ "label": option, "value": option }));
                json!({ "type": component::SELECT, "options": options.collect::<Vec<_>>() })
            }
            Input::Box(words) => {
                let least = u8::from(self.required);
                json!({ "type": component::BOXES, "options": [{ "label": words, "value": "yes" }],
                        "min_values": least, "max_values": 1 })
            }
        };
        input["custom_id"] = self.id.as_str().into();
        input["required"] = self.required.into();
        json!({ "type": component::LABEL, "label": self.label, "component": input })
    }
}

/// A filled form, as the platform sends it: a label or a row with one field.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Filled {
    component: Option<FilledField>,
    components: Vec<FilledField>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FilledField {
    custom_id: String,
    value: Option<String>,
    /// What was chosen; no field of ours takes more than one.
    values: Vec<String>,
}

impl Filled {
    /// The ids of the fields, and what they have.
    pub(crate) fn fields(self) -> impl Iterator<Item = (String, String)> {
        self.component.into_iter().chain(self.components).map(FilledField::text)
    }
}

impl FilledField {
    fn text(self) -> (String, String) {
        (self.custom_id, self.value.or_else(|| self.values.into_iter().next()).unwrap_or_default())
    }
}
