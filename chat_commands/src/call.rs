//! The input of a command: who asked in which guild, and what commands do with it.

use std::sync::Arc;

use entities::account::Way;
use entities::{ChatId, Timestamp, guild};
use http::{Method, StatusCode};
use people::{ApiCall, Caller, Needs, Rights, RightsError};
use platforms::{CallContext, PlatformError, Platforms};
use runtime::Pool;
use sea_orm::DbErr;
use serde_json::{Map, Value};

use crate::ChatCommands;
use crate::interaction::Asked;
use crate::message::plain;

pub(crate) struct Call {
    pub(crate) chat: Arc<ChatCommands>,
    pub(crate) asked: Asked,
    pub(crate) guild: guild::Model,
    rights: Arc<Rights>,
    request_id: Arc<str>,
}

/// Why a command did nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// The text is for the person.
    #[error("{0}")]
    Refused(String),
    /// On our side; the text is for the log.
    #[error("{0}")]
    Failed(String),
}

impl Problem {
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }

    /// A button or form of an older version, or one that somebody made up.
    pub(crate) fn outdated() -> Self {
        Self::refused("This button is out of date. Use the command again.")
    }
}

impl From<DbErr> for Problem {
    fn from(error: DbErr) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<RightsError> for Problem {
    fn from(error: RightsError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<PlatformError> for Problem {
    fn from(error: PlatformError) -> Self {
        tracing::warn!(%error, "a platform did not answer a command");
        Self::refused("Roblox or Discord does not answer as it should at the moment. Try again in a minute.")
    }
}

/// A success of the API.
pub(crate) struct Done {
    /// The job goes on: it takes longer than a person waits.
    pub(crate) is_accepted: bool,
    pub(crate) data: Value,
}

impl Call {
    /// A refusal outside of guilds, and in those that Guildhall does not know.
    pub(crate) async fn new(
        chat: &Arc<ChatCommands>,
        asked: Asked,
        request_id: Arc<str>,
    ) -> Result<Self, Problem> {
        let Some(id) = asked.guild else {
            return Err(Problem::refused("Use this in a server: it is about that server's members."));
        };
        let guild = guild::find(chat.context.database.read(), id).await?;
        let guild = guild.ok_or_else(|| {
            Problem::refused("This server is not set up in Guildhall yet. Whoever runs Guildhall adds it.")
        })?;
        let rights = chat.rights.by_permissions(id, asked.user.id, asked.permissions).await?;
        Ok(Self { chat: chat.clone(), asked, guild, rights: Arc::new(rights), request_id })
    }

    /// The person who asked.
    pub(crate) fn me(&self) -> ChatId {
        self.asked.user.id
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.chat.context.clock.now()
    }

    pub(crate) fn read(&self) -> &Pool {
        self.chat.context.database.read()
    }

    pub(crate) fn platforms(&self) -> &Platforms {
        &self.chat.platforms
    }

    /// For platform calls while the person waits.
    pub(crate) fn platform(&self) -> CallContext {
        CallContext::interactive(self.guild.guild_id)
    }

    pub(crate) fn may(&self, permission: &'static str) -> bool {
        self.rights.may(Needs::Permission(permission))
    }

    pub(crate) fn require(&self, needs: Needs) -> Result<(), Problem> {
        if self.rights.may(needs) {
            Ok(())
        } else {
            Err(Problem::refused(format!("You may not do this here: it needs {needs}.")))
        }
    }

    /// A page of this guild in the console; `None` without an address.
    pub(crate) fn page(&self, page: &str) -> Option<String> {
        let public = self.chat.public_url.as_ref()?;
        Some(format!("{public}/console/guilds/{}{page}", self.guild.guild_id))
    }

    /// Where members link themselves, if they can sign in there.
    pub(crate) fn link_page(&self) -> Option<String> {
        self.page_of_members("/link")
    }

    /// Where members apply for what the guild offers, under the same condition.
    pub(crate) fn apply_page(&self) -> Option<String> {
        self.page_of_members("/apply")
    }

    fn page_of_members(&self, page: &str) -> Option<String> {
        let public = self.chat.public_url.as_ref().filter(|_| self.platforms().sign_in.is_some())?;
        Some(format!("{public}{page}/{}", self.guild.guild_id))
    }

    /// Whether the guild takes this way to link, and this service can.
    pub(crate) fn offers(&self, way: Way) -> bool {
        let has_url = self.chat.public_url.is_some();
        self.guild.link_ways.0.contains(&way) && self.platforms().lacking(way, has_url).is_empty()
    }

    /// Calls the API as this person. `{g}` in the path is the guild.
    pub(crate) async fn api(
        &self,
        method: Method,
        path: &str,
        body: Map<String, Value>,
    ) -> Result<Done, Problem> {
        let (guild, user) = (self.guild.guild_id, self.me());
        let (rights, request_id) = (self.rights.clone(), self.request_id.clone());
        let member = Some(self.asked.user.name.as_str().into());
        let caller = Caller { guild, user, rights, member, request_id };
        let path = path.replace("{g}", &guild.to_string());
        let mut answer = self.chat.api.call(caller, ApiCall { method, path, body }).await;
        if answer.status.is_success() {
            let is_accepted = answer.status == StatusCode::ACCEPTED;
            Ok(Done { is_accepted, data: answer.body["data"].take() })
        } else {
            Err(Problem::refused(answer.message()))
        }
    }

    /// How a message names a person: the platform shows their present name.
    pub(crate) fn mention(&self, chat: ChatId) -> String {
        match self.asked.people.get(&chat) {
            Some(known) => format!("**{}**", plain(&known.name)),
            None => format!("<@{chat}>"),
        }
    }
}

/// The body of a call.
pub(crate) fn body(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(body) => body,
        _ => Map::new(),
    }
}
