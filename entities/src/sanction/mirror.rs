//! The copy of a ban on the chat platform: a job makes it, and the ban stores its state.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{QuerySelect, QueryTrait};

use super::model::{Column, Entity, MirrorState, Model};
use crate::by_id::ROWS_PER_STATEMENT;
use crate::{ChatId, Conn, GuildId, JobId, KeyId, SanctionId, Timestamp, lists};

/// The job that mirrors bans on a chat user.
#[derive(Debug, Clone, Copy)]
pub struct Mirror {
    pub chat: ChatId,
    pub job: JobId,
}

/// Assigns bans, each once, to mirror jobs; an older job no longer writes to them.
pub async fn start<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    mirrors: &[(SanctionId, Mirror)],
) -> Result<(), DbErr> {
    let given = |column: &'static str| Expr::col(("given", column));
    for part in mirrors.chunks(ROWS_PER_STATEMENT) {
        let row =
            |(ban, mirror): &(SanctionId, Mirror)| [(*ban).into(), mirror.chat.into(), mirror.job.into()];
        let mut update = Query::update();
        update
            .table(Entity)
            .value(Column::MirrorState, Expr::value(MirrorState::Pending))
            .value(Column::MirrorChatId, given("column2"))
            .value(Column::MirrorJobId, given("column3"))
            .value(Column::MirrorError, Expr::value(Option::<String>::None))
            .and_where(Column::GuildId.eq(guild))
            .and_where(Column::SanctionId.into_expr().eq(given("column1")));
        lists::update_from(conn, part.iter().map(row).collect(), &mut update).await?;
    }
    Ok(())
}

/// Holds bans until their copies are allowed.
pub async fn hold(conn: &impl Conn, guild: GuildId, bans: &[SanctionId]) -> Result<(), DbErr> {
    if bans.is_empty() {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::MirrorState, Expr::value(MirrorState::Held))
        .filter(Column::GuildId.eq(guild))
        .filter(lists::any_of(conn, Column::SanctionId, bans.iter().copied()))
        .exec(conn)
        .await?;
    Ok(())
}

/// A ban that was made on the chat platform, and was taken over from there.
pub async fn stands(conn: &impl Conn, ban: &Model, chat: ChatId) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::MirrorState, Expr::value(MirrorState::Done))
        .col_expr(Column::MirrorChatId, Expr::value(chat))
        .filter(Column::GuildId.eq(ban.guild_id))
        .filter(Column::SanctionId.eq(ban.sanction_id))
        .exec(conn)
        .await?;
    Ok(())
}

/// How many bans that a key imposed since then were mirrored, counted up to `most`.
pub async fn count_of_key(conn: &impl Conn, key: KeyId, since: Timestamp, most: u64) -> Result<u64, DbErr> {
    let mirrored = Entity::find()
        .select_only()
        .column(Column::SanctionId)
        .filter(Column::KeyId.eq(key))
        .filter(Column::CreatedAt.gt(since))
        .filter(Column::MirrorChatId.is_not_null())
        .limit(most);
    lists::count(conn, mirrored.into_query()).await
}

/// Records the outcome of a mirror job on the bans that are still assigned to it.
pub async fn finish<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    job: JobId,
    outcome: Result<MirrorState, &str>,
) -> Result<Vec<Model>, DbErr> {
    let state = outcome.unwrap_or(MirrorState::Failed);
    Entity::update_many()
        .col_expr(Column::MirrorState, Expr::value(state))
        .col_expr(Column::MirrorError, Expr::value(outcome.err().map(str::to_owned)))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::MirrorJobId.eq(job))
        .exec_with_returning(conn)
        .await
}

/// Records why a mirror job ended without an outcome, on the bans that wait for one.
pub async fn give_up(conn: &impl Conn, guild: GuildId, job: JobId, why: &str) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::MirrorState, Expr::value(MirrorState::Failed))
        .col_expr(Column::MirrorError, Expr::value(Some(why.to_owned())))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::MirrorJobId.eq(job))
        .filter(Column::MirrorState.eq(MirrorState::Pending))
        .exec(conn)
        .await?;
    Ok(())
}
