//! The copy of a ban on the chat platform: a job makes it, and its state stands on the ban.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{QueryFilter, QuerySelect};

use super::{Column, Entity, MirrorState, Model};
use crate::{BanId, ChatId, GuildId, JobId, Person, Timestamp, lists, sanction};

/// Hands bans of one chat user over to a mirror job; an older job no longer writes to them.
pub async fn start<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    bans: &[BanId],
    (chat, job): (ChatId, JobId),
) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::MirrorState, Expr::value(MirrorState::Pending))
        .col_expr(Column::MirrorChatId, Expr::value(chat))
        .col_expr(Column::MirrorJobId, Expr::value(job))
        .col_expr(Column::MirrorError, Expr::value(Option::<String>::None))
        .filter(Column::GuildId.eq(guild))
        .filter(lists::any_of(conn, Column::BanId, bans.iter().copied()))
        .exec(conn)
        .await?;
    Ok(())
}

/// Notes how a mirror job ended, on the bans it is still in charge of.
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

/// Whether the chat platform should have the person banned: some guild-wide ban is in force.
pub async fn is_wanted<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    person: Person,
    now: Timestamp,
) -> Result<bool, DbErr> {
    let ban: Option<BanId> = Entity::find()
        .select_only()
        .column(Column::BanId)
        .filter(Column::GuildId.eq(guild))
        .filter(person.matches(Column::ChatId, Column::PlayId))
        .filter(Column::PlaceId.is_null())
        .filter(sanction::in_force(Column::LiftedAt, Column::ExpiresAt, now))
        .limit(1)
        .into_tuple()
        .one(conn)
        .await?;
    Ok(ban.is_some())
}
