//! Errors in a request's fields, in the chat platform's format: 50035 with a tree that names each field.

use http::Uri;
use serde_json::{Map, Value, json};

use crate::reply::Reply;

const MAX_NICK_CHARS: usize = 32;

/// The platform's code and message.
pub(crate) type Mistake = (&'static str, String);

/// All errors of one request; the platform returns them together.
#[derive(Default)]
pub(crate) struct FormErrors(Map<String, Value>);

impl FormErrors {
    /// `path` leads to the field: `permission_overwrites.0.id`; empty is the body itself.
    pub(crate) fn add(&mut self, path: &str, (code, message): Mistake) {
        let mut tree = &mut self.0;
        for part in path.split('.').filter(|part| !part.is_empty()) {
            let branch = tree.entry(part).or_insert_with(|| json!({}));
            // The map contains only objects.
            let Value::Object(inner) = branch else { return };
            tree = inner;
        }
        let errors = tree.entry("_errors").or_insert_with(|| json!([]));
        if let Value::Array(errors) = errors {
            errors.push(json!({ "code": code, "message": message }));
        }
    }

    pub(crate) fn into_result(self) -> Result<(), Reply> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(Reply::json(400, json!({ "code": 50035, "message": "Invalid Form Body", "errors": self.0 })))
    }
}

pub(crate) fn invalid(path: &str, mistake: Mistake) -> Reply {
    let mut errors = FormErrors::default();
    errors.add(path, mistake);
    errors.into_result().err().unwrap_or_else(Reply::empty)
}

pub(crate) fn required() -> Mistake {
    ("BASE_TYPE_REQUIRED", "This field is required".to_owned())
}

pub(crate) fn too_long(most: usize) -> Mistake {
    ("BASE_TYPE_MAX_LENGTH", format!("Must be {most} or fewer in length."))
}

pub(crate) fn bad_length(least: usize, most: usize) -> Mistake {
    ("BASE_TYPE_BAD_LENGTH", format!("Must be between {least} and {most} in length."))
}

pub(crate) fn not_snowflake(value: &str) -> Mistake {
    ("NUMBER_TYPE_COERCE", format!("Value \"{value}\" is not snowflake."))
}

pub(crate) fn not_a_number(value: &str) -> Mistake {
    ("NUMBER_TYPE_COERCE", format!("Value \"{value}\" is not int."))
}

pub(crate) fn not_a_text() -> Mistake {
    ("STRING_TYPE_CONVERT", "Could not interpret value as string.".to_owned())
}

pub(crate) fn not_a_list() -> Mistake {
    ("LIST_TYPE_CONVERT", "Only iterables may be used in a ListType".to_owned())
}

pub(crate) fn not_an_object() -> Mistake {
    ("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType".to_owned())
}

pub(crate) fn too_small(least: i64) -> Mistake {
    ("NUMBER_TYPE_MIN", format!("int value should be greater than or equal to {least}."))
}

pub(crate) fn too_large(most: i64) -> Mistake {
    ("NUMBER_TYPE_MAX", format!("int value should be less than or equal to {most}."))
}

pub(crate) fn repeated() -> Mistake {
    ("SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value".to_owned())
}

pub(crate) fn not_a_choice(choices: &[u64]) -> Mistake {
    let choices: Vec<String> = choices.iter().map(u64::to_string).collect();
    ("BASE_TYPE_CHOICES", format!("Value must be one of ({}).", choices.join(", ")))
}

pub(crate) fn is_web_address(address: &str) -> bool {
    !address.contains('#')
        && address.parse::<Uri>().is_ok_and(|uri| {
            matches!(uri.scheme_str(), Some("http" | "https"))
                && uri.host().is_some_and(|host| !host.is_empty())
        })
}

/// Null or empty removes the nickname.
pub(crate) fn read_nick(value: &Value) -> Result<Option<Box<str>>, Mistake> {
    match value {
        Value::Null => Ok(None),
        Value::String(nick) if nick.chars().count() > MAX_NICK_CHARS => Err(too_long(MAX_NICK_CHARS)),
        Value::String(nick) => Ok(Some(nick.as_str()).filter(|nick| !nick.is_empty()).map(Box::from)),
        _ => Err(not_a_text()),
    }
}

/// A body that is a JSON object.
pub(crate) fn read(body: &[u8]) -> Result<Map<String, Value>, Reply> {
    serde_json::from_slice(body)
        .map_err(|_| Reply::chat_error(400, 50109, "The request body contains invalid JSON."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_several_fields_are_returned_together() {
        let mut errors = FormErrors::default();
        errors.add("name", required());
        errors.add("roles.2", repeated());
        let Err(reply) = errors.into_result() else { panic!("no mistake") };
        let body = reply.body.unwrap();
        assert_eq!((reply.status, &body["code"]), (400, &json!(50035)));
        assert_eq!(body["errors"]["name"]["_errors"][0]["code"], "BASE_TYPE_REQUIRED");
        assert_eq!(body["errors"]["roles"]["2"]["_errors"][0]["code"], "SET_TYPE_ALREADY_CONTAINS_VALUE");
        assert!(FormErrors::default().into_result().is_ok());
    }
}
