//! Links between a chat account and a game account: one to one in each guild.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{QueryOrder, QuerySelect};

use crate::{ChatId, GuildId, PlayId, Timestamp, lists};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "link")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chat_id: ChatId,
    pub play_id: PlayId,
    pub play_username: String,
    pub verified_at: Timestamp,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub async fn find_by_chat<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    chat: ChatId,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id((guild, chat)).one(conn).await
}

pub async fn find_by_play<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    play: PlayId,
) -> Result<Option<Model>, DbErr> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::PlayId.eq(play)).one(conn).await
}

pub async fn find_by_chats<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    chats: &[ChatId],
) -> Result<Vec<Model>, DbErr> {
    let ids = chats.iter().map(|id| id.get());
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(lists::any_of(conn, Column::ChatId, ids))
        .all(conn)
        .await
}

pub async fn find_by_plays<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    plays: &[PlayId],
) -> Result<Vec<Model>, DbErr> {
    let ids = plays.iter().map(|id| id.get());
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(lists::any_of(conn, Column::PlayId, ids))
        .all(conn)
        .await
}

/// Links by chat id from `after` (exclusive) to `up_to` (inclusive; `None`: to the end), at most `limit`.
pub async fn range<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    (after, up_to): (Option<ChatId>, Option<ChatId>),
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    let mut query =
        Entity::find().filter(Column::GuildId.eq(guild)).order_by_asc(Column::ChatId).limit(limit);
    if let Some(after) = after {
        query = query.filter(Column::ChatId.gt(after));
    }
    if let Some(up_to) = up_to {
        query = query.filter(Column::ChatId.lte(up_to));
    }
    query.all(conn).await
}

/// The accounts of all links of the guild.
pub async fn pairs<C: ConnectionTrait>(conn: &C, guild: GuildId) -> Result<Vec<(ChatId, PlayId)>, DbErr> {
    let accounts = Entity::find().select_only().columns([Column::ChatId, Column::PlayId]);
    accounts.filter(Column::GuildId.eq(guild)).into_tuple().all(conn).await
}

pub async fn count<C: ConnectionTrait>(conn: &C, guild: GuildId) -> Result<u64, DbErr> {
    Entity::find().filter(Column::GuildId.eq(guild)).count(conn).await
}

/// Rows per statement, at five values each well under the databases' limits on bound values.
const ROWS_A_STATEMENT: usize = 1_000;

/// Writes links; a linked chat account gets the new game account and name.
///
/// A game account linked to another chat account makes the whole call fail on the unique index.
pub async fn upsert_many<C: ConnectionTrait>(conn: &C, links: Vec<Model>) -> Result<(), DbErr> {
    let conflict = OnConflict::columns([Column::GuildId, Column::ChatId])
        .update_columns([Column::PlayId, Column::PlayUsername, Column::VerifiedAt])
        .to_owned();
    for rows in links.chunks(ROWS_A_STATEMENT) {
        let rows = rows.iter().cloned().map(|row| ActiveModel::from(row).reset_all());
        Entity::insert_many(rows).on_conflict(conflict.clone()).exec_without_returning(conn).await?;
    }
    Ok(())
}

/// Records a player's new name on the game platform. False: the chat user is no longer linked to that player.
pub async fn rename<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    (chat, play): (ChatId, PlayId),
    name: &str,
) -> Result<bool, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::PlayUsername, Expr::value(name))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ChatId.eq(chat))
        .filter(Column::PlayId.eq(play))
        .exec(conn)
        .await?;
    Ok(done.rows_affected == 1)
}
