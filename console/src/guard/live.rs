//! Who may open a live socket of a guild: the console's session, or an access token of the chat platform.

use std::sync::Arc;

use entities::console_session;
use entities::{ChatId, GuildId, guild};
use http::{HeaderMap, header};
use people::{Needs, Rights, Viewer};
use runtime::Secret;
use uuid::Uuid;

use crate::guard::live_refusal::LiveRefusal;
use crate::guard::origin::is_same_origin;
use crate::guard::session;
use crate::guard::tokens::TokenHash;
use crate::response::PageError;
use crate::state::Console;

/// A person at a live socket.
#[derive(Clone, Debug)]
pub struct LivePerson {
    guild: GuildId,
    viewer: Viewer,
    via: Via,
    rights: Arc<Rights>,
}

/// How the person was identified.
#[derive(Clone, Debug)]
enum Via {
    Session(Uuid),
    Token(Arc<Secret>),
}

/// The same for all sockets that one session or token opens in a guild: their rights are read once for all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LiveKey(GuildId, Credential);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Credential {
    Session(Uuid),
    Token(TokenHash),
}

impl LivePerson {
    pub fn user(&self) -> ChatId {
        self.viewer.user
    }

    pub fn guild(&self) -> GuildId {
        self.guild
    }

    pub fn key(&self) -> LiveKey {
        let credential = match &self.via {
            Via::Session(session) => Credential::Session(*session),
            Via::Token(token) => Credential::Token(TokenHash::of(token.expose())),
        };
        LiveKey(self.guild, credential)
    }

    /// Whether frames of an area may be sent: `moderation.read`, `sync.write`, `audit.read`.
    pub fn may(&self, permission: &'static str) -> bool {
        self.rights.may(Needs::Permission(permission))
    }
}

impl Console {
    /// Admits a person to the live socket of a guild.
    pub async fn admit_live(&self, guild: GuildId, headers: &HeaderMap) -> Result<LivePerson, LiveRefusal> {
        let (viewer, via) = match bearer(headers) {
            Some(token) => {
                let user = self.tokens.owner(token).await?;
                (
                    Viewer { user, link_guild: None, link_admin: false },
                    Via::Token(Arc::new(Secret::from(token))),
                )
            }
            None if !is_same_origin(headers) => return Err(LiveRefusal::OtherOrigin),
            None => {
                let session = session::find(self, headers).await?.ok_or(LiveRefusal::NotSignedIn)?;
                (Viewer::of(&session.row), Via::Session(session.row.session_id))
            }
        };
        let known = guild::find(self.context.database.read(), guild).await.map_err(PageError::from)?;
        known.ok_or(LiveRefusal::NoRights)?;
        let rights = self.rights.of(&viewer, guild).await?;
        if rights.is_stranger() {
            Err(LiveRefusal::NoRights)
        } else {
            Ok(LivePerson { guild, viewer, via, rights: rights.into() })
        }
    }

    /// Reads session or token, and the rights, of an open socket again. An error other than
    /// [`LiveRefusal::Unavailable`] says that it must be closed.
    pub async fn recheck_live(&self, person: &LivePerson) -> Result<LivePerson, LiveRefusal> {
        match &person.via {
            Via::Session(session) => {
                let (conn, now) = (self.context.database.read(), self.context.clock.now());
                let live = console_session::is_live(conn, *session, now).await.map_err(PageError::from)?;
                if !live {
                    return Err(LiveRefusal::NotSignedIn);
                }
            }
            Via::Token(token) => drop(self.tokens.owner(token.expose()).await?),
        }
        let rights = self.rights.of(&person.viewer, person.guild).await?;
        if rights.is_stranger() {
            return Err(LiveRefusal::NoRights);
        }
        Ok(LivePerson { rights: rights.into(), ..person.clone() })
    }
}

/// The access token of a request, if it has one.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
