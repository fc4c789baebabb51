//! Frames of a live socket: JSON texts of the form `type`, `data` (docs/rules.md 7).

use entities::{CommandId, PlaceId};
use serde::Serialize;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::cache::commands::Command;

/// A frame, rendered once and shared by the sockets that send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) text: Utf8Bytes,
    /// The command's id: each command is sent once over a socket, however many events announce it.
    pub(crate) command: Option<CommandId>,
}

#[derive(Serialize)]
struct Envelope<'a, T> {
    #[serde(rename = "type")]
    kind: &'a str,
    data: &'a T,
}

/// A moderation change.
#[derive(Serialize)]
pub(crate) struct Moderation {
    pub(crate) identifier: String,
    pub(crate) reason: String,
    /// `None`: in every game of the guild.
    pub(crate) place_id: Option<PlaceId>,
}

impl Frame {
    pub(crate) fn command(command: &Command) -> Result<Self, serde_json::Error> {
        Ok(Self { text: text("command", command)?, command: Some(command.id) })
    }

    /// `verb` is `ban`, `unban`, `mute` or `unmute`.
    pub(crate) fn moderation(verb: &str, what: &Moderation) -> Result<Self, serde_json::Error> {
        Ok(Self { text: text(&format!("moderation.{verb}"), what)?, command: None })
    }
}

fn text<T: Serialize>(kind: &str, data: &T) -> Result<Utf8Bytes, serde_json::Error> {
    Ok(serde_json::to_string(&Envelope { kind, data })?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_a_type_and_data() {
        let what = Moderation { identifier: "7".to_owned(), reason: "spam".to_owned(), place_id: None };
        let frame = Frame::moderation("ban", &what).unwrap();
        let expected =
            r#"{"type":"moderation.ban","data":{"identifier":"7","reason":"spam","place_id":null}}"#;
        assert_eq!((frame.text.as_str(), frame.command), (expected, None));
    }
}
