//! Details of an action from a game server: any JSON object of a bounded size.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::openapi::shape::{self, Shape};
use crate::request::field::Field;
use crate::request::values::Object;
use crate::response::error::ApiError;

/// Bytes of an action's details as JSON.
const MAX_BYTES: usize = 16 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Details(pub(crate) Map<String, Value>);

impl Field for Details {
    fn allowed() -> Cow<'static, str> {
        format!("an object of at most {MAX_BYTES} bytes").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let Object(fields) = Object::read(sent)?;
        (size(&fields) <= MAX_BYTES).then_some(Self(fields))
    }

    fn shape() -> Shape {
        shape::free(json!({ "reason": "spawn camping" }))
    }

    /// The error contains the size of an object that is too large, not the object.
    fn refuse(name: &str, sent: &Value) -> ApiError {
        match Object::read(sent) {
            Some(Object(fields)) => {
                ApiError::field(name, &format!("{} bytes", size(&fields)).into(), &Self::allowed())
            }
            None => Object::refuse(name, sent),
        }
    }
}

fn size(fields: &Map<String, Value>) -> usize {
    json!(fields).to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_an_object_of_at_most_16_kib() {
        // `{"a":"…"}` has 8 bytes around the text.
        let sent = |bytes: usize| json!({ "a": "x".repeat(bytes - 8) });
        assert!(Details::read(&sent(MAX_BYTES)).is_some());
        let larger = sent(MAX_BYTES + 1);
        assert!(Details::read(&larger).is_none());
        let message = Details::refuse("details", &larger).parts().message.to_string();
        assert!(message.ends_with(r#"an object of at most 16384 bytes; sent: "16385 bytes""#), "{message}");
        let message = Details::refuse("details", &json!("x")).parts().message.to_string();
        assert!(message.starts_with("`details` must be an object; sent"), "{message}");
    }
}
