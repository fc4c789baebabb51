//! Links between a chat account and a game account: one to one in each guild.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{Condition, FromQueryResult, QueryOrder, QuerySelect, QueryTrait};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::by_id::{ROWS_PER_STATEMENT, no_relations};
use crate::{ChatId, Conn, GuildId, PlayId, Result, Timestamp, lists};

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
    pub source: Source,
}

/// Who says that both accounts belong to one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = LinkSource)]
pub enum Source {
    /// The member, who agreed in this guild.
    #[serde(rename = "self")]
    Member,
    /// A staff member, in the console.
    Staff,
    /// A file or fixture that an operator imported.
    Import,
    /// A key of the guild.
    Api,
}

no_relations!();

pub async fn find_by_chat(conn: &impl Conn, guild: GuildId, chat: ChatId) -> Result<Option<Model>> {
    Entity::find_by_id((guild, chat)).one(conn).await
}

pub async fn find_by_play(conn: &impl Conn, guild: GuildId, play: PlayId) -> Result<Option<Model>> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::PlayId.eq(play)).one(conn).await
}

pub async fn find_by_chats(conn: &impl Conn, guild: GuildId, chats: &[ChatId]) -> Result<Vec<Model>> {
    let named = lists::any_of(conn, Column::ChatId, chats.iter().copied());
    Entity::find().filter(Column::GuildId.eq(guild)).filter(named).all(conn).await
}

pub async fn find_by_plays(conn: &impl Conn, guild: GuildId, plays: &[PlayId]) -> Result<Vec<Model>> {
    let named = lists::any_of(conn, Column::PlayId, plays.iter().copied());
    Entity::find().filter(Column::GuildId.eq(guild)).filter(named).all(conn).await
}

/// Links by chat id from `after` (exclusive) to `up_to` (inclusive; `None`: to the end), at most `limit`.
pub async fn range(
    conn: &impl Conn,
    guild: GuildId,
    after: Option<ChatId>,
    up_to: Option<ChatId>,
    limit: u64,
) -> Result<Vec<Model>> {
    let range = Condition::all()
        .add(Column::GuildId.eq(guild))
        .add_option(after.map(|after| Column::ChatId.gt(after)))
        .add_option(up_to.map(|up_to| Column::ChatId.lte(up_to)));
    Entity::find().filter(range).order_by_asc(Column::ChatId).limit(limit).all(conn).await
}

/// The accounts of a link.
#[derive(Debug, Clone, Copy, FromQueryResult)]
pub struct Pair {
    pub guild_id: GuildId,
    pub chat_id: ChatId,
    pub play_id: PlayId,
}

/// The accounts of links in the order of an index.
fn accounts() -> Select<Entity> {
    let accounts = Entity::find().select_only().columns([Column::GuildId, Column::ChatId, Column::PlayId]);
    accounts.order_by_asc(Column::GuildId).order_by_asc(Column::ChatId)
}

/// The accounts of the links of these guilds, at most `limit` of each, or on SQLite on average.
pub async fn pairs(conn: &impl Conn, guilds: &[GuildId], limit: u64) -> Result<Vec<Pair>> {
    lists::of_guilds(conn, Column::GuildId, guilds, limit, accounts().into_query()).await
}

/// The accounts of the guild's links, from the one after `after` on.
pub async fn pairs_of(
    conn: &impl Conn,
    guild: GuildId,
    after: Option<ChatId>,
    limit: u64,
) -> Result<Vec<Pair>> {
    let after = Condition::all().add_option(after.map(|after| Column::ChatId.gt(after)));
    let pairs = accounts().filter(Column::GuildId.eq(guild)).filter(after);
    pairs.limit(limit).into_model().all(conn).await
}

/// The links of a person that they made themselves, in all guilds, by guild.
pub async fn made_by_member(conn: &impl Conn, chat: ChatId, play: PlayId) -> Result<Vec<Model>> {
    let own = Entity::find().filter(by_person(chat)).filter(Column::PlayId.eq(play));
    own.filter(Column::Source.eq(Source::Member)).order_by_asc(Column::GuildId).all(conn).await
}

/// The links of a chat user in all guilds, by guild.
pub async fn of_chat(conn: &impl Conn, chat: ChatId) -> Result<Vec<Model>> {
    Entity::find().filter(by_person(chat)).order_by_asc(Column::GuildId).all(conn).await
}

/// The links of a game account in all guilds, by guild. They are found without an index.
pub async fn of_play(conn: &impl Conn, play: PlayId) -> Result<Vec<Model>> {
    Entity::find().filter(Column::PlayId.eq(play)).order_by_asc(Column::GuildId).all(conn).await
}

/// As the index `link_by_person` has it.
fn by_person(chat: ChatId) -> Expr {
    Expr::cust("chat_id + 0").eq(chat)
}

pub async fn count(conn: &impl Conn, guild: GuildId) -> Result<u64> {
    Entity::find().filter(Column::GuildId.eq(guild)).count(conn).await
}

/// Writes links; a linked chat account gets the new game account and name.
///
/// A game account linked to another chat account makes the whole call fail on the unique index.
pub async fn upsert_many(conn: &impl Conn, links: Vec<Model>) -> Result<()> {
    let conflict = OnConflict::columns([Column::GuildId, Column::ChatId])
        .update_columns([Column::PlayId, Column::PlayUsername, Column::VerifiedAt, Column::Source])
        .to_owned();
    for rows in links.chunks(ROWS_PER_STATEMENT) {
        let rows = rows.iter().cloned().map(|row| ActiveModel::from(row).reset_all());
        Entity::insert_many(rows).on_conflict(conflict.clone()).exec_without_returning(conn).await?;
    }
    Ok(())
}

/// Deletes the links of these chat users.
pub async fn delete(conn: &impl Conn, guild: GuildId, chats: &[ChatId]) -> Result<()> {
    let these = lists::any_of(conn, Column::ChatId, chats.iter().copied());
    Entity::delete_many().filter(Column::GuildId.eq(guild)).filter(these).exec(conn).await?;
    Ok(())
}

/// A linked player who has another name on the game platform than the stored one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    pub chat: ChatId,
    pub play: PlayId,
    pub name: String,
}

/// Records new names, except of players who are linked to another chat user by now.
pub async fn rename(conn: &impl Conn, guild: GuildId, renamed: &[Renamed]) -> Result<()> {
    let given = |column: &'static str| Expr::col(("given", column));
    for part in renamed.chunks(ROWS_PER_STATEMENT) {
        let row = |one: &Renamed| [one.chat.into(), one.play.into(), one.name.clone().into()];
        let mut update = Query::update();
        update
            .table(Entity)
            .value(Column::PlayUsername, given("column3"))
            .and_where(Column::GuildId.eq(guild))
            .and_where(Column::ChatId.into_expr().eq(given("column1")))
            .and_where(Column::PlayId.into_expr().eq(given("column2")));
        lists::update_from(conn, part.iter().map(row).collect(), &mut update).await?;
    }
    Ok(())
}
