//! Shield: game users flagged for all guilds (docs/rules.md 9). A user has at most one active flag; lifted ones are
//! kept.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ActiveValue::Set, Condition, QueryOrder, QuerySelect};

use crate::by_id::{ROWS_PER_STATEMENT, no_relations};
use crate::{ChatId, Conn, FlagId, GuildId, Page, PlayId, Result, Timestamp, lists};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "shield_flag")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub flag_id: FlagId,
    pub play_id: PlayId,
    pub play_username: String,
    pub reason: String,
    /// Source of the flag: `manual`, `import`.
    pub source: String,
    /// The owner of the key that wrote it, and that key's guild.
    pub flagged_by: ChatId,
    pub flagged_by_guild: Option<GuildId>,
    pub flagged_at: Timestamp,
    pub lifted_at: Option<Timestamp>,
    pub lifted_by: Option<ChatId>,
    pub lifted_reason: Option<String>,
}

no_relations!();

/// A flag to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFlag {
    pub play: PlayId,
    pub play_username: String,
    pub reason: String,
}

/// The author, guild, time and source of a flag.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    pub by: ChatId,
    pub guild: Option<GuildId>,
    pub source: &'a str,
    pub at: Timestamp,
}

/// Flags users; a flagged user keeps the existing flag. Returns the number of new flags.
pub async fn import(conn: &impl Conn, flags: &[NewFlag], origin: Origin<'_>) -> Result<u64> {
    // In one order, so that two concurrent imports wait for each other instead of deadlocking.
    let mut flags: Vec<&NewFlag> = flags.iter().collect();
    flags.sort_by_key(|flag| flag.play);
    let mut imported = 0;
    for flags in flags.chunks(ROWS_PER_STATEMENT) {
        let rows = flags.iter().map(|flag| ActiveModel {
            play_id: Set(flag.play),
            play_username: Set(flag.play_username.clone()),
            reason: Set(flag.reason.clone()),
            source: Set(origin.source.to_owned()),
            flagged_by: Set(origin.by),
            flagged_by_guild: Set(origin.guild),
            flagged_at: Set(origin.at),
            ..Default::default()
        });
        let conflict = OnConflict::new().do_nothing().to_owned();
        imported += Entity::insert_many(rows).on_conflict(conflict).exec_without_returning(conn).await?;
    }
    Ok(imported)
}

/// Users with an active flag, in ascending order: those after `after`, at most `limit`.
pub async fn flagged_users(conn: &impl Conn, after: Option<PlayId>, limit: u64) -> Result<Vec<PlayId>> {
    Entity::find()
        .select_only()
        .column(Column::PlayId)
        .filter(Condition::all().add_option(after.map(|after| Column::PlayId.gt(after))))
        .filter(Column::LiftedAt.is_null())
        .order_by_asc(Column::PlayId)
        .limit(limit)
        .into_tuple()
        .all(conn)
        .await
}

/// The active flags among these users, by game id.
pub async fn find_many(conn: &impl Conn, plays: &[PlayId]) -> Result<Vec<Model>> {
    Entity::find()
        .filter(lists::any_of(conn, Column::PlayId, plays.iter().copied()))
        .filter(Column::LiftedAt.is_null())
        .order_by_asc(Column::PlayId)
        .all(conn)
        .await
}

/// When these users were flagged, including lifted flags.
pub async fn times(conn: &impl Conn, plays: &[PlayId]) -> Result<Vec<(PlayId, Timestamp)>> {
    Entity::find()
        .select_only()
        .columns([Column::PlayId, Column::FlaggedAt])
        .filter(lists::any_of(conn, Column::PlayId, plays.iter().copied()))
        .into_tuple()
        .all(conn)
        .await
}

/// Flags, newest first; `lifted` shows only lifted ones or only active ones.
pub async fn list(conn: &impl Conn, lifted: Option<bool>, page: Page<FlagId>) -> Result<Vec<Model>> {
    let state = |lifted| if lifted { Column::LiftedAt.is_not_null() } else { Column::LiftedAt.is_null() };
    let shown = Condition::all().add_option(lifted.map(state));
    page.of(Entity::find().filter(shown), Column::FlagId).all(conn).await
}

/// Active flags that a guild wrote, newest first.
pub async fn of_guild(conn: &impl Conn, guild: GuildId, page: Page<FlagId>) -> Result<Vec<Model>> {
    let own = Entity::find().filter(Column::FlaggedByGuild.eq(guild)).filter(Column::LiftedAt.is_null());
    page.of(own, Column::FlagId).all(conn).await
}

/// Lifts the active flag of a user; `None` if there is no active flag. `by` is `None` for the operator of the service.
pub async fn lift(
    conn: &impl Conn,
    play: PlayId,
    by: Option<ChatId>,
    reason: &str,
    now: Timestamp,
) -> Result<Option<Model>> {
    let lifted = Entity::update_many()
        .col_expr(Column::LiftedAt, Expr::value(now))
        .col_expr(Column::LiftedBy, Expr::value(by))
        .col_expr(Column::LiftedReason, Expr::value(reason))
        .filter(Column::PlayId.eq(play))
        .filter(Column::LiftedAt.is_null())
        .exec_with_returning(conn)
        .await?;
    Ok(lifted.into_iter().next())
}
