//! Who may open a live socket of a guild: the console's session, or an access token of the chat platform.

use std::sync::Arc;

use entities::console_session;
use entities::{ChatId, GuildId, guild};
use http::{HeaderMap, header};
use platforms::SignInError;
use uuid::Uuid;

use crate::Console;
use crate::answer::PageError;
use crate::rights::{self, Rights, Viewer};
use crate::session::{self, is_same_origin};

/// A person at a live socket.
#[derive(Clone, Debug)]
pub struct LivePerson {
    guild: GuildId,
    viewer: Viewer,
    /// `None`: an access token opened the socket.
    session: Option<Uuid>,
    rights: Arc<Rights>,
}

/// Why a socket is refused, or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LiveRefusal {
    #[error(
        "sign in to the console, or send an access token of the chat platform as `Authorization: Bearer`"
    )]
    NotSignedIn,
    #[error("the chat platform does not accept this access token, or it was issued to another application")]
    BadToken,
    #[error("a page of another origin may not open this socket")]
    OtherOrigin,
    /// A guild that does not exist gets the same answer.
    #[error("there is no such guild, or you are not of its staff")]
    NoRights,
    #[error("the rights cannot be read at the moment; try again later")]
    Unavailable,
}

impl From<PageError> for LiveRefusal {
    fn from(error: PageError) -> Self {
        match error {
            PageError::NotFound => Self::NoRights,
            PageError::SignedOut => Self::NotSignedIn,
            _ => Self::Unavailable,
        }
    }
}

impl LivePerson {
    pub fn user(&self) -> ChatId {
        self.viewer.user
    }

    /// Whether frames of an area may be sent: `moderation.read`, `sync.write`, `audit.read`, `staff.read`.
    pub fn may(&self, permission: &'static str) -> bool {
        self.rights.may(rights::Needs::Permission(permission))
    }
}

impl Console {
    /// Admits a person to the live socket of a guild.
    pub async fn admit_live(&self, guild: GuildId, headers: &HeaderMap) -> Result<LivePerson, LiveRefusal> {
        let (viewer, session) = match bearer(headers) {
            Some(token) => {
                let sign_in = self.platforms.sign_in.as_ref().ok_or(LiveRefusal::BadToken)?;
                let user = sign_in.user_of(token).await.map_err(|error| refusal(&error))?;
                (Viewer { user: user.id, link_guild: None }, None)
            }
            None if !is_same_origin(headers) => return Err(LiveRefusal::OtherOrigin),
            None => {
                let session = session::find(self, headers).await?.ok_or(LiveRefusal::NotSignedIn)?;
                (Viewer::of(&session.row), Some(session.row.session_id))
            }
        };
        let known = guild::find(self.context.database.read(), guild).await.map_err(PageError::from)?;
        known.ok_or(LiveRefusal::NoRights)?;
        let rights = self.rights_of(&viewer, guild).await?;
        if rights.is_stranger() {
            Err(LiveRefusal::NoRights)
        } else {
            Ok(LivePerson { guild, viewer, session, rights: rights.into() })
        }
    }

    /// Reads session and rights of an open socket again. An error says that it must be closed.
    pub async fn recheck_live(&self, person: &LivePerson) -> Result<LivePerson, LiveRefusal> {
        if let Some(session) = person.session {
            let (conn, now) = (self.context.database.read(), self.context.clock.now());
            let live = console_session::is_live(conn, session, now).await.map_err(PageError::from)?;
            if !live {
                return Err(LiveRefusal::NotSignedIn);
            }
        }
        let rights = self.rights_of(&person.viewer, person.guild).await?;
        if rights.is_stranger() {
            return Err(LiveRefusal::NoRights);
        }
        Ok(LivePerson { rights: rights.into(), ..person.clone() })
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn refusal(error: &SignInError) -> LiveRefusal {
    match error {
        SignInError::Unauthorized => LiveRefusal::BadToken,
        _ => LiveRefusal::Unavailable,
    }
}
