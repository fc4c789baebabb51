//! API keys: the row behind a key's text, and the scopes that narrow it (docs/rules.md 1).

mod descendants;
mod scopes;

use chrono::TimeDelta;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, LockBehavior, LockType, OnConflict, Query};
use sea_orm::{ActiveValue::Set, Condition, QueryOrder, QuerySelect};
use strum::IntoStaticStr;

use crate::by_id::no_relations;
use crate::{ChatId, Conn, GuildId, KeyId, Result, Timestamp, lists};

pub use descendants::{descendants, revoke_descendants};
pub use scopes::{Scope, Scopes, UnknownScope};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_key")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub key_id: KeyId,
    pub guild_id: GuildId,
    pub public_id: String,
    pub secret_hash: Vec<u8>,
    pub name: String,
    pub owner_id: ChatId,
    /// Names of scopes, separated by spaces; read it with [`Model::scopes`].
    pub scopes: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// Factor by which the limits of the hot paths are multiplied (docs/rules.md 3).
    pub hot_path_factor: i32,
    /// The public id of the key that made this one; `None`: a person or an operator did.
    pub parent: Option<String>,
    /// Codes that it confirms prove for the whole instance (docs/rules.md 11).
    pub trusted: bool,
}

no_relations!();

impl Model {
    /// Unknown words in the column grant no scope.
    pub fn scopes(&self) -> Scopes {
        self.scopes.split(' ').filter_map(|word| word.parse().ok()).collect()
    }

    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }

    pub fn state(&self, now: Timestamp) -> State {
        match (self.revoked_at, self.is_live(now)) {
            (Some(_), _) => State::Revoked,
            (None, true) => State::Live,
            (None, false) => State::Expired,
        }
    }

    /// The metadata of a new key's audit entry.
    pub fn described(&self) -> Json {
        serde_json::json!({
            "name": self.name,
            "scopes": self.scopes,
            "expires_at": self.expires_at.map(audit_time),
            "hot_path_factor": self.hot_path_factor,
            "parent": self.parent,
        })
    }

    /// A key to replace this one: the same except for its text, with the same parent. It lives for
    /// `lifetime`, or for the original lifetime of this one.
    pub fn successor(
        &self,
        text: crate::key_text::KeyText,
        lifetime: Option<TimeDelta>,
        now: Timestamp,
    ) -> NewKey {
        let lifetime = lifetime.or(self.expires_at.map(|end| end - self.created_at));
        NewKey {
            guild: self.guild_id,
            text,
            name: self.name.clone(),
            owner: self.owner_id,
            scopes: self.scopes(),
            expires_at: lifetime.map(|length| now + length),
            hot_path_factor: self.hot_path_factor,
            parent: self.parent.clone(),
            trusted: self.trusted,
        }
    }

    /// Ends later than the other key.
    pub fn outlives(&self, other: &Self) -> bool {
        other.expires_at.is_some_and(|end| self.expires_at.is_none_or(|own| own > end))
    }

    /// The metadata of a rotation's audit entry: this key before and after it, and the key that replaces it.
    pub fn rotated(&self, after: &Self, new: &Self) -> Json {
        serde_json::json!({
            "new_key": new.public_id,
            "before": { "expires_at": self.expires_at.map(audit_time) },
            "after": { "expires_at": after.expires_at.map(audit_time) },
        })
    }
}

/// Whether a key can be used, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = KeyState)]
pub enum State {
    Live,
    Expired,
    Revoked,
}

impl State {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn audit_time(at: Timestamp) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A key to insert.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub guild: GuildId,
    pub text: crate::key_text::KeyText,
    pub name: String,
    pub owner: ChatId,
    pub scopes: Scopes,
    pub expires_at: Option<Timestamp>,
    pub hot_path_factor: i32,
    pub parent: Option<String>,
    pub trusted: bool,
}

impl NewKey {
    /// Made by this key: it becomes the parent, and the new key ends no later.
    #[must_use]
    pub fn made_by(self, parent: &Model) -> Self {
        let ends = [self.expires_at, parent.expires_at];
        Self { parent: Some(parent.public_id.clone()), expires_at: ends.into_iter().flatten().min(), ..self }
    }

    fn row(self, now: Timestamp) -> ActiveModel {
        ActiveModel {
            guild_id: Set(self.guild),
            public_id: Set(self.text.public_id().to_owned()),
            secret_hash: Set(self.text.secret_hash().to_vec()),
            name: Set(self.name),
            owner_id: Set(self.owner),
            scopes: Set(self.scopes.to_string()),
            created_at: Set(now),
            expires_at: Set(self.expires_at),
            hot_path_factor: Set(self.hot_path_factor),
            parent: Set(self.parent),
            trusted: Set(self.trusted),
            ..Default::default()
        }
    }
}

pub async fn create(conn: &impl Conn, key: NewKey, now: Timestamp) -> Result<Model> {
    key.row(now).insert(conn).await
}

/// Adds a key with the given text, as fixtures do; an existing key with the same public id stays unchanged.
pub async fn create_if_absent(conn: &impl Conn, key: NewKey, now: Timestamp) -> Result<bool> {
    let conflict = OnConflict::column(Column::PublicId).do_nothing().to_owned();
    let added = Entity::insert(key.row(now)).on_conflict(conflict).exec_without_returning(conn).await?;
    Ok(added > 0)
}

/// The only finder without a guild: the key determines the guild.
pub async fn find_by_public_id(conn: &impl Conn, public_id: &str) -> Result<Option<Model>> {
    Entity::find().filter(Column::PublicId.eq(public_id)).one(conn).await
}

/// A guild's key by its public id.
pub async fn find(conn: &impl Conn, guild: GuildId, public_id: &str) -> Result<Option<Model>> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::PublicId.eq(public_id)).one(conn).await
}

/// These keys of a guild, locked until the end of the transaction and in one order, so that callers do not block each other.
pub async fn lock(conn: &impl Conn, guild: GuildId, public_ids: &[&str]) -> Result<Vec<Model>> {
    let public_ids = public_ids.iter().map(|id| (*id).to_owned());
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(lists::any_of(conn, Column::PublicId, public_ids))
        .order_by_asc(Column::KeyId)
        .lock(LockType::NoKeyUpdate)
        .all(conn)
        .await
}

/// Keys of a guild, newest first.
pub async fn newest(conn: &impl Conn, guild: GuildId, page: crate::Page<KeyId>) -> Result<Vec<Model>> {
    page.of(Entity::find().filter(Column::GuildId.eq(guild)), Column::KeyId).all(conn).await
}

/// The same for many keys at once; missing ones are absent.
pub async fn find_by_public_ids(
    conn: &impl Conn,
    public_ids: impl IntoIterator<Item = &str>,
) -> Result<Vec<Model>> {
    let public_ids = public_ids.into_iter().map(str::to_owned);
    Entity::find().filter(lists::any_of(conn, Column::PublicId, public_ids)).all(conn).await
}

/// How people name the key that something of this time came with: by its public id; one that is gone by its number. What
/// was imported has the numbers of keys that are older than those here.
pub async fn name_of(conn: &impl Conn, guild: GuildId, key: KeyId, at: Timestamp) -> Result<String> {
    let own = Entity::find_by_id(key).filter(Column::GuildId.eq(guild)).filter(Column::CreatedAt.lte(at));
    let found: Option<String> = own.select_only().column(Column::PublicId).into_tuple().one(conn).await?;
    Ok(found.unwrap_or_else(|| key.to_string()))
}

/// Keys of a guild, or of all guilds, oldest first.
pub async fn list(conn: &impl Conn, guild: Option<GuildId>) -> Result<Vec<Model>> {
    let shown = Condition::all().add_option(guild.map(|guild| Column::GuildId.eq(guild)));
    Entity::find().filter(shown).order_by_asc(Column::KeyId).all(conn).await
}

/// Revokes a key; `None` if the key is unknown or already revoked.
pub async fn revoke(conn: &impl Conn, public_id: &str, now: Timestamp) -> Result<Option<Model>> {
    let rows = Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(now))
        .filter(Column::PublicId.eq(public_id))
        .filter(Column::RevokedAt.is_null())
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// Makes a live key expire at this time, unless it expires before. Returns the key; `None` if it is unknown or not live.
pub async fn expire(
    conn: &impl Conn,
    public_id: &str,
    at: Timestamp,
    now: Timestamp,
) -> Result<Option<Model>> {
    let live = Condition::any().add(Column::ExpiresAt.is_null()).add(Column::ExpiresAt.gt(now));
    let sooner = Expr::case(Column::ExpiresAt.lt(at), Expr::col(Column::ExpiresAt)).finally(Expr::value(at));
    let rows = Entity::update_many()
        .col_expr(Column::ExpiresAt, sooner.into())
        .filter(Column::PublicId.eq(public_id))
        .filter(Column::RevokedAt.is_null())
        .filter(live)
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// Says whether codes that a key confirms prove for the whole instance; `None`: the key is unknown, or is so already.
pub async fn trust(conn: &impl Conn, public_id: &str, trusted: bool) -> Result<Option<Model>> {
    let rows = Entity::update_many()
        .col_expr(Column::Trusted, Expr::value(trusted))
        .filter(Column::PublicId.eq(public_id))
        .filter(Column::Trusted.ne(trusted))
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// Records the use of keys. The caller writes it at most once a minute for each. A row that another
/// transaction is changing is skipped: two processes with the same keys must not wait for each other.
pub async fn touch(conn: &impl Conn, keys: &[KeyId], now: Timestamp) -> Result<()> {
    let free = Query::select()
        .column(Column::KeyId)
        .from(Entity)
        .and_where(lists::any_of(conn, Column::KeyId, keys.iter().copied()))
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take();
    Entity::update_many()
        .col_expr(Column::LastUsedAt, Expr::value(now))
        .filter(Column::KeyId.in_subquery(free))
        .exec(conn)
        .await?;
    Ok(())
}
