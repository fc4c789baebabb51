//! Frames for dashboards: those of game servers with an id, by which a client resumes.

use console::LivePerson;
use serde::Serialize;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// The audience of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Area {
    /// All who may open the socket: staff on duty, and frames about the socket itself.
    All,
    Jobs,
    /// Bans and mutes, game servers and their commands.
    Moderation,
    Audit,
}

impl Area {
    pub(crate) fn permission(self) -> Option<&'static str> {
        match self {
            Self::All => None,
            Self::Jobs => Some("sync.write"),
            Self::Moderation => Some("moderation.read"),
            Self::Audit => Some("audit.read"),
        }
    }

    pub(crate) fn is_for(self, person: &LivePerson) -> bool {
        self.permission().is_none_or(|permission| person.may(permission))
    }
}

/// A frame, rendered once and shared by the sockets that send it.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Its place in the feed.
    pub(crate) number: u64,
    pub(crate) area: Area,
    pub(crate) text: Utf8Bytes,
}

#[derive(Serialize)]
struct Envelope<'a, T> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    data: &'a T,
}

/// What a socket sends first.
#[derive(Serialize)]
pub(crate) struct Hello {
    /// The frames after `last_id` follow. If not, the client reads its data again.
    pub(crate) resumed: bool,
}

/// `data` without fields.
#[derive(Serialize)]
pub(crate) struct Nothing {}

pub(crate) fn text<T: Serialize>(id: &str, kind: &str, data: &T) -> Result<Utf8Bytes, serde_json::Error> {
    Ok(serde_json::to_string(&Envelope { id, kind, data })?.into())
}
