//! Who is signed in to the console (docs/rules.md 10). A session ends after 12 hours without a request, and after 7 days
//! in any case.

use std::collections::{BTreeSet, HashSet};

use chrono::TimeDelta;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, FromJsonQueryResult, QueryOrder};
use serde::{Deserialize, Serialize};

use crate::by_id::no_relations;
use crate::{ChatId, Conn, GuildId, Result, Timestamp, console_operator, guild, staff_member};

/// A session ends after this time without a request.
pub const IDLE: TimeDelta = TimeDelta::hours(12);
/// It ends after this time in any case.
pub const LONGEST: TimeDelta = TimeDelta::days(7);

/// Guilds in one column, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct GuildList(pub Vec<GuildId>);

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "console_session")]
pub struct Model {
    /// Names the session in lists; it opens nothing.
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: Uuid,
    /// SHA-256 of the cookie's text.
    pub secret_hash: Vec<u8>,
    pub user_id: ChatId,
    pub user_name: String,
    /// The one guild of a session that a link opened.
    pub guild_id: Option<GuildId>,
    /// The guilds that the user managed when they signed in with the chat platform. They only select guilds:
    /// the user's rights are read again.
    pub manages: GuildList,
    /// Of a session that a link opened: whether the link makes an admin of its guild. Counts only while no bot token is
    /// configured; otherwise the platform decides.
    pub admin: bool,
    /// A link of an operator opened it. [`console_operator`] decides whether the user still is one.
    pub operator: bool,
    /// The browser's `User-Agent`.
    pub client: String,
    pub address: String,
    pub created_at: Timestamp,
    /// Written at most once a minute.
    pub used_at: Timestamp,
    pub expires_at: Timestamp,
}

no_relations!();

impl Model {
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.expires_at && now < self.used_at + IDLE
    }
}

fn live(now: Timestamp) -> Condition {
    Condition::all().add(Column::ExpiresAt.gt(now)).add(Column::UsedAt.gt(now - IDLE))
}

pub async fn create(conn: &impl Conn, session: Model) -> Result<()> {
    Entity::insert(ActiveModel::from(session).reset_all()).exec_without_returning(conn).await?;
    Ok(())
}

/// The live session of a cookie.
pub async fn find(conn: &impl Conn, secret_hash: &[u8], now: Timestamp) -> Result<Option<Model>> {
    let found = Entity::find().filter(Column::SecretHash.eq(secret_hash)).filter(live(now)).one(conn).await?;
    let Some(mut session) = found else { return Ok(None) };
    session.operator = session.operator && console_operator::is_operator(conn, session.user_id).await?;
    Ok(Some(session))
}

/// Ends the session of a cookie, if there is one.
pub async fn end_of_cookie(conn: &impl Conn, secret_hash: &[u8]) -> Result<()> {
    Entity::delete_many().filter(Column::SecretHash.eq(secret_hash)).exec(conn).await.map(drop)
}

/// Filter of all sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub session: Option<Uuid>,
    pub user: Option<ChatId>,
    /// Only those of operators.
    pub operators: bool,
}

/// All live sessions, the latest first.
pub async fn all(conn: &impl Conn, filter: Filter, now: Timestamp) -> Result<Vec<Model>> {
    let shown = live(now)
        .add_option(filter.session.map(|session| Column::SessionId.eq(session)))
        .add_option(filter.user.map(|user| Column::UserId.eq(user)));
    let operators: HashSet<ChatId> =
        console_operator::list(conn).await?.into_iter().map(|operator| operator.user_id).collect();
    let mut sessions = Entity::find().filter(shown).order_by_desc(Column::CreatedAt).all(conn).await?;
    for session in &mut sessions {
        session.operator = session.operator && operators.contains(&session.user_id);
    }
    sessions.retain(|session| session.operator || !filter.operators);
    Ok(sessions)
}

/// The guilds that a session may concern: that of its link, or those that its user managed at the sign-in or is staff of.
pub async fn guilds(conn: &impl Conn, session: &Model) -> Result<BTreeSet<GuildId>> {
    if let Some(guild) = session.guild_id {
        return Ok(BTreeSet::from([guild]));
    }
    let managed = guild::names(conn, session.manages.0.clone()).await?.into_keys();
    Ok(managed.chain(staff_member::guilds_of(conn, session.user_id).await?).collect())
}

/// Whether a session found earlier is still live.
pub async fn is_live(conn: &impl Conn, session: Uuid, now: Timestamp) -> Result<bool> {
    Ok(Entity::find_by_id(session).filter(live(now)).count(conn).await? == 1)
}

/// The live sessions of a user, the latest first.
pub async fn list(conn: &impl Conn, user: ChatId, now: Timestamp) -> Result<Vec<Model>> {
    let own = Entity::find().filter(Column::UserId.eq(user)).filter(live(now));
    own.order_by_desc(Column::CreatedAt).all(conn).await
}

pub async fn touch(conn: &impl Conn, session: Uuid, now: Timestamp) -> Result<()> {
    let used = Entity::update_many().col_expr(Column::UsedAt, Expr::value(now));
    used.filter(Column::SessionId.eq(session)).exec(conn).await.map(drop)
}

/// Ends a session of this user. False: there is none with this id.
pub async fn end(conn: &impl Conn, user: ChatId, session: Uuid) -> Result<bool> {
    let own = Entity::delete_many().filter(Column::SessionId.eq(session)).filter(Column::UserId.eq(user));
    Ok(own.exec(conn).await?.rows_affected == 1)
}

/// Deletes ended sessions, and returns their number.
pub async fn prune(conn: &impl Conn, now: Timestamp) -> Result<u64> {
    let ended = Column::ExpiresAt.lte(now).or(Column::UsedAt.lte(now - IDLE));
    Ok(Entity::delete_many().filter(ended).exec(conn).await?.rows_affected)
}

/// A new session, from now on.
pub struct NewSession {
    pub session_id: Uuid,
    pub secret_hash: [u8; 32],
    pub user: ChatId,
    pub user_name: String,
    pub guild: Option<GuildId>,
    pub manages: Vec<GuildId>,
    pub admin: bool,
    pub operator: bool,
    pub client: String,
    pub address: String,
}

impl NewSession {
    pub fn row(self, now: Timestamp) -> Model {
        Model {
            session_id: self.session_id,
            secret_hash: self.secret_hash.to_vec(),
            user_id: self.user,
            user_name: self.user_name,
            guild_id: self.guild,
            manages: GuildList(self.manages),
            admin: self.admin,
            operator: self.operator,
            client: self.client,
            address: self.address,
            created_at: now,
            used_at: now,
            expires_at: now + LONGEST,
        }
    }
}
