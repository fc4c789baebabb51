//! The number of the last change to a guild's bans and mutes, for `?since=` and `ETag`: there with the epoch of the database,
//! because after a restore the same numbers are given to other changes.
//!
//! [`begin`] raises it before anything else is written. Its row lock lasts until the commit, which serializes changes
//! in one guild, so a reader that has seen revision n has seen all changes up to n.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, OnConflict};
use sea_orm::{ActiveValue::Set, EntityTrait, FromQueryResult, QuerySelect, Statement};

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
    /// Set on every row that the transaction changes.
    pub revision: i64,
    pub now: Timestamp,
    pub numbers: Numbers,
}

/// Begins a change; call it first in the transaction.
pub async fn begin(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Change> {
    let raise = OnConflict::column(Column::GuildId)
        .value(Column::Revision, Expr::col((Entity, Column::Revision)).add(1))
        .to_owned();
    let row = ActiveModel {
        guild_id: Set(guild),
        revision: Set(1),
        forgotten: Set(0),
        bans: Set(0),
        mutes: Set(0),
    };
    let row = Entity::insert(row).on_conflict(raise).exec_with_returning(conn).await?;
    let numbers = Numbers { bans: row.bans, mutes: row.mutes };
    Ok(Change { guild, revision: row.revision, now, numbers })
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

    /// The revision as clients get it, with the epoch; a JSON number that every language reads and writes exactly.
    pub fn shown(&self) -> i64 {
        self.epoch * REVISIONS + self.revision
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
