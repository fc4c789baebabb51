//! Who is signed in: the cookie, its row, and the token of its forms (docs/rules.md 10).

use std::net::IpAddr;

use chrono::TimeDelta;
use entities::audit_entry::{Actor, NewEntry};
use entities::console_session::{self, Model, NewSession};
use entities::{ChatId, GuildId, Timestamp};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use runtime::UnitOfWork;
use serde_json::json;
use uuid::Uuid;

use crate::guard::cookies;
use crate::guard::secret::ConsoleSecret;
use crate::host::Over;
use crate::response::PageError;
use crate::state::Console;

/// A use is written at most this often.
const NOTED_EVERY: TimeDelta = TimeDelta::minutes(1);
/// Characters of a browser's name that are kept.
const CLIENT_MAX: usize = 200;

/// A live session.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) row: Model,
    secret: ConsoleSecret,
}

impl Session {
    pub(crate) fn form_token(&self) -> String {
        self.secret.form_token()
    }

    pub(crate) fn allows_form(&self, token: &str) -> bool {
        self.secret.allows_form(token)
    }
}

/// The session of a request's cookie.
pub(crate) async fn find(console: &Console, headers: &HeaderMap) -> Result<Option<Session>, PageError> {
    let Some(secret) = secret_of(headers) else { return Ok(None) };
    let (database, now) = (&console.context.database, console.context.clock.now());
    let Some(row) = console_session::find(database.read(), &secret.hash(), now).await? else {
        return Ok(None);
    };
    if row.used_at + NOTED_EVERY < now {
        console_session::touch(database.write(), row.session_id, now).await?;
    }
    Ok(Some(Session { row, secret }))
}

/// The same for a page: refused while the session's person has used up their limit.
pub(crate) async fn find_for_page(
    console: &Console,
    headers: &HeaderMap,
) -> Result<Option<Session>, PageError> {
    if let Some(secret) = secret_of(headers) {
        console.limited_sessions.check(&secret.hash())?;
    }
    find(console, headers).await
}

fn secret_of(headers: &HeaderMap) -> Option<ConsoleSecret> {
    cookies::read(headers, cookies::SESSION).and_then(ConsoleSecret::parse)
}

/// Counts a page of the session's person.
pub(crate) async fn count_page(console: &Console, session: &Session) -> Result<(), PageError> {
    let counted = console.host.count_page(session.row.user_id).await;
    Ok(counted.inspect_err(|over| console.limited_sessions.note(&session.secret, *over))?)
}

impl From<Over> for PageError {
    fn from(Over { retry_after }: Over) -> Self {
        Self::Busy {
            status: StatusCode::TOO_MANY_REQUESTS,
            text: format!("you have asked for very many pages; try again in {retry_after} seconds"),
            retry_after,
        }
    }
}

/// A person who has just proved who they are.
pub(crate) struct Arrival {
    pub(crate) user: ChatId,
    pub(crate) user_name: String,
    /// The one guild of a session that a link opens.
    pub(crate) guild: Option<GuildId>,
    /// The guilds that they manage, from the chat platform.
    pub(crate) manages: Vec<GuildId>,
    /// The data of the link.
    pub(crate) admin: bool,
    pub(crate) operator: bool,
}

/// Opens a session with a new secret and ends the one that the browser had; returns the cookie to set. The
/// sign-in is in the log and in the audit log of each guild that it concerns.
pub(crate) async fn open(
    console: &Console,
    arrival: Arrival,
    headers: &HeaderMap,
    address: IpAddr,
    now: Timestamp,
) -> Result<Option<HeaderValue>, PageError> {
    let Arrival { user, user_name, guild, manages, admin, operator } = arrival;
    let secret = ConsoleSecret::generate();
    let client = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let new = NewSession {
        session_id: Uuid::now_v7(),
        secret_hash: secret.hash(),
        user,
        user_name,
        guild,
        manages,
        admin,
        operator,
        client: client.chars().take(CLIENT_MAX).collect(),
        address: address.to_string(),
    };
    let row = new.row(now);
    let mut work = UnitOfWork::begin(&console.context).await?;
    if let Some(before) = secret_of(headers) {
        console_session::end_of_cookie(work.tx(), &before.hash()).await?;
    }
    console_session::create(work.tx(), row.clone()).await?;
    let actor = Actor { actor_id: user.get(), key_id: None, request_id: None };
    for guild in console_session::guilds(work.tx(), &row).await? {
        work.audit(actor.clone(), signed_in(guild, &row));
    }
    work.commit().await?;
    let (operator, guild) = (row.operator, row.guild_id.map(GuildId::get));
    tracing::info!(user.id = %user, session.id = %row.session_id, guild.id = guild, operator, address = %address, "signed in");
    Ok(cookies::set(cookies::SESSION, secret.reveal(), console_session::LONGEST.num_seconds()))
}

fn signed_in(guild: GuildId, session: &Model) -> NewEntry {
    let by_link = session.guild_id.is_some();
    let metadata =
        json!({ "session_id": session.session_id, "by_link": by_link, "operator": session.operator });
    NewEntry { guild, action: "console.sign_in", target: session.user_id.to_string(), metadata }
}
