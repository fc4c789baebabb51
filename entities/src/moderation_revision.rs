//! The number of the last change to a guild's bans and mutes, for `?since=` and `ETag`: there with the epoch of the database,
//! because after a restore the same numbers are given to other changes.
//!
//! [`begin`] raises it before anything else is written. Its row lock lasts until the commit, which serializes changes
//! in one guild, so a reader that has seen revision n has seen all changes up to n.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, LockBehavior, LockType};
use sea_orm::{EntityTrait, FromQueryResult, QuerySelect, Statement};

use crate::by_id::no_relations;
use crate::{Conn, GuildId, Result, Timestamp, epoch, guild};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "moderation_revision")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    pub revision: i64,
    /// Changes up to here are no longer complete.
    pub forgotten: i64,
    /// The highest number of a ban, and of a mute; counted by the database.
    pub bans: i64,
    pub mutes: i64,
}

no_relations!();

/// The highest numbers of a guild's bans and mutes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Numbers {
    pub bans: i64,
    pub mutes: i64,
}

/// The right to change bans and mutes of a guild in this transaction.
#[derive(Debug)]
pub struct Change {
    pub guild: GuildId,
    /// Of the database.
    pub epoch: i64,
    /// Set on every row that the transaction changes.
    pub revision: i64,
    pub now: Timestamp,
    pub numbers: Numbers,
}

impl Change {
    /// The revision as clients get it, with the epoch.
    pub fn shown(&self) -> i64 {
        shown(self.epoch, self.revision)
    }
}

#[derive(FromQueryResult)]
struct Begun {
    epoch: i64,
    revision: i64,
    bans: i64,
    mutes: i64,
}

/// Begins a change; call it first in the transaction.
pub async fn begin(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Change> {
    let backend = conn.get_database_backend();
    let sql = format!(
        "INSERT INTO moderation_revision AS stands (guild_id, revision, forgotten, bans, mutes) \
         VALUES ($1, 1, 0, 0, 0) ON CONFLICT (guild_id) DO UPDATE SET revision = stands.revision + 1 \
         RETURNING {} AS epoch, revision, bans, mutes",
        epoch::expression(backend)
    );
    let statement = Statement::from_sql_and_values(backend, sql, [guild.into()]);
    let begun = Begun::find_by_statement(statement).one(conn).await?;
    let Begun { epoch, revision, bans, mutes } = begun.ok_or(DbErr::RecordNotInserted)?;
    Ok(Change { guild, epoch, revision, now, numbers: Numbers { bans, mutes } })
}

/// Like [`begin`], but `None` while another transaction changes the guild's bans and mutes, or if the guild
/// is unknown: for loops over many guilds.
pub async fn begin_if_free(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Option<Change>> {
    if guild::find(conn, guild).await?.is_none() {
        return Ok(None);
    }
    let own = || Entity::find_by_id(guild);
    let free = own().lock_with_behavior(LockType::Update, LockBehavior::SkipLocked).one(conn).await?;
    if free.is_none() && own().one(conn).await?.is_some() {
        return Ok(None);
    }
    begin(conn, guild, now).await.map(Some)
}

/// Revisions of one epoch. With the epoch they have at most 14 digits: Lua 5.1 writes longer numbers as powers of ten.
const REVISIONS: i64 = 1 << 26;

/// A JSON number that every language reads and writes exactly.
fn shown(epoch: i64, revision: i64) -> i64 {
    epoch * REVISIONS + revision
}

/// Where a guild's bans and mutes stand.
#[derive(Debug, Clone, Copy, FromQueryResult)]
pub struct Standing {
    epoch: i64,
    /// Of the last committed change; 0 before the first.
    pub revision: i64,
    forgotten: i64,
}

impl Standing {
    /// Read it before the rows: then the rows are at least as new.
    pub async fn read(conn: &impl Conn, guild: GuildId) -> Result<Self> {
        let backend = conn.get_database_backend();
        let sql = format!(
            "SELECT {} AS epoch, coalesce(stands.revision, 0) AS revision, coalesce(stands.forgotten, 0) AS forgotten \
             FROM (SELECT 1) AS one LEFT JOIN moderation_revision AS stands ON stands.guild_id = $1",
            epoch::expression(backend)
        );
        let statement = Statement::from_sql_and_values(backend, sql, [guild.into()]);
        let standing = Self::find_by_statement(statement).one(conn).await?;
        standing.ok_or_else(|| DbErr::RecordNotFound("the epoch of the database".to_owned()))
    }

    /// The revision as clients get it, with the epoch.
    pub fn shown(&self) -> i64 {
        shown(self.epoch, self.revision)
    }

    /// The change that a client has seen, if this database knows all changes after it: not those of another epoch, nor those
    /// before deleted rows.
    pub fn seen_by(&self, shown: i64) -> Option<i64> {
        let seen = shown.checked_sub(self.epoch * REVISIONS)?;
        ((1..=self.revision).contains(&seen) && self.forgotten <= seen).then_some(seen)
    }
}

/// Records that sanctions up to this revision are deleted.
pub(crate) async fn forget(conn: &impl Conn, guild: GuildId, revision: i64) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::Forgotten, Expr::value(revision))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::Forgotten.lt(revision))
        .exec(conn)
        .await?;
    Ok(())
}
