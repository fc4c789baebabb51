//! The session that a game server's request names, and the errors about it.

use std::borrow::Cow;

use entities::SessionId;
use serde_json::Value;

use crate::request::parts::Field;
use crate::request::values::Text;
use crate::response::error::ApiError;
use crate::schema::shape::{self, Shape};

/// Characters of a session id.
const ID_MAX: usize = 100;

/// A text that is not a UUID is an unknown session, not a bad request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SessionRef(pub(crate) SessionId);

impl Field for SessionRef {
    fn allowed() -> Cow<'static, str> {
        Text::<ID_MAX>::allowed()
    }

    fn read(sent: &Value) -> Option<Self> {
        let Text(text) = Text::<ID_MAX>::read(sent)?;
        text.parse().ok().map(Self)
    }

    fn shape() -> Shape {
        shape::text(ID_MAX, "0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e")
    }

    fn refuse(name: &str, sent: &Value) -> ApiError {
        match Text::<ID_MAX>::read(sent) {
            Some(_) => unknown_session(),
            None => ApiError::field(name, sent, &Self::allowed()),
        }
    }
}

pub(crate) fn unknown_session() -> ApiError {
    ApiError::not_found("session")
}

pub(crate) fn session_ended() -> ApiError {
    ApiError::conflict("session_ended", "this session has ended; start a new one")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_other_than_a_uuid_is_an_unknown_session() {
        let word = |sent: Value| SessionRef::refuse("session_id", &sent).parts().word.to_string();
        assert_eq!(word(json!("not-a-uuid")), "not_found");
        for bad in [json!(" "), json!(7), json!("x".repeat(101))] {
            assert_eq!(word(bad.clone()), "invalid_field", "{bad}");
        }
    }
}
