//! Log channels (docs/rules.md 15): channels of the chat platform in which a guild's news are posted. What was posted is a
//! place in the chain of the audit log, as for webhooks.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::audit_chain::log;
use crate::by_id::{by_id, no_relations};
use crate::news::News;
use crate::{AuditId, ChannelId, Conn, GuildId, Result, Timestamp, audit_entry};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "log_channel")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub channel_id: ChannelId,
    /// See [`Model::news`].
    pub news: String,
    pub state: State,
    /// Of the last entry of the log that was posted or is no news here; 0: none.
    pub position: i64,
    /// Its id, or 0.
    pub entry_id: i64,
    /// No message is posted before.
    pub post_at: Timestamp,
    pub created_at: Timestamp,
}

no_relations!();

by_id!(ChannelId: find, find_for_update, delete);

/// The kind of the jobs that post, whose dedupe key is the channel.
pub const POST_NEWS: &str = "post_news";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = LogChannelState)]
pub enum State {
    On,
    /// A person switched it off.
    Off,
    /// The chat platform refused a message, which switched it off.
    Refused,
}

impl Model {
    pub fn news(&self) -> impl Iterator<Item = News> {
        self.news.split(' ').filter_map(News::named)
    }

    pub fn takes(&self, entry: &audit_entry::Model) -> bool {
        News::of(entry).is_some_and(|news| self.news().any(|taken| taken == news))
    }
}

/// Adds the channel, or replaces its news and state. Where it was not on before, what happened until now is not posted.
pub async fn put(
    conn: &impl Conn,
    (guild, channel): (GuildId, ChannelId),
    news: &[News],
    on: bool,
    now: Timestamp,
) -> Result<Model> {
    let mut replaced = vec![Column::News, Column::State];
    let before = find(conn, guild, channel).await?;
    if before.is_none_or(|before| before.state != State::On) {
        replaced.extend([Column::Position, Column::EntryId]);
    }
    let (position, entry_id) = log::end(conn, guild).await?;
    let row = ActiveModel {
        guild_id: Set(guild),
        channel_id: Set(channel),
        news: Set(news.iter().map(|news| news.word()).collect::<Vec<_>>().join(" ")),
        state: Set(if on { State::On } else { State::Off }),
        position: Set(position),
        entry_id: Set(entry_id),
        post_at: Set(now),
        created_at: Set(now),
    };
    let conflict =
        OnConflict::columns([Column::GuildId, Column::ChannelId]).update_columns(replaced).to_owned();
    Entity::insert(row).on_conflict(conflict).exec_with_returning(conn).await
}

/// The guild's log channels: there are few ([`crate::cap::Cap::LogChannels`]).
pub async fn list(conn: &impl Conn, guild: GuildId) -> Result<Vec<Model>> {
    Entity::find().filter(Column::GuildId.eq(guild)).order_by_asc(Column::ChannelId).all(conn).await
}

/// Those whose guild's log has grown, that may get a message, and have no open job.
pub async fn behind(conn: &impl Conn, now: Timestamp) -> Result<Vec<(GuildId, ChannelId)>> {
    // The words of the index of open jobs.
    let posting = format!(
        "EXISTS (SELECT 1 FROM job WHERE coalesce(job.guild_id, 0) = log_channel.guild_id \
         AND job.kind = '{POST_NEWS}' AND job.dedupe_key = CAST(log_channel.channel_id AS text) \
         AND job.finished_at IS NULL)"
    );
    Entity::find()
        .select_only()
        .columns([Column::GuildId, Column::ChannelId])
        .filter(Column::State.eq(State::On))
        .filter(Column::PostAt.lte(now))
        .filter(log::has_grown("log_channel"))
        .filter(Expr::cust(posting).not())
        .into_tuple()
        .all(conn)
        .await
}

/// Everything up to this entry was posted, or is no news; the next message is not posted before `post_at`. Nothing happens
/// where the channel is further already: it was switched on anew.
pub async fn passed(
    conn: &impl Conn,
    channel: &Model,
    entry: (i64, AuditId),
    post_at: Option<Timestamp>,
) -> Result<()> {
    let mut moved = Entity::update_many()
        .col_expr(Column::Position, Expr::value(entry.0))
        .col_expr(Column::EntryId, Expr::value(entry.1));
    if let Some(post_at) = post_at {
        moved = moved.col_expr(Column::PostAt, Expr::value(post_at));
    }
    let this =
        moved.filter(Column::GuildId.eq(channel.guild_id)).filter(Column::ChannelId.eq(channel.channel_id));
    this.filter(Column::EntryId.lt(entry.1)).exec(conn).await.map(drop)
}

/// Switches it off after a refusal; false: it was off already, or is gone.
pub async fn refuse(conn: &impl Conn, channel: &Model) -> Result<bool> {
    let refused = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Refused))
        .filter(Column::GuildId.eq(channel.guild_id))
        .filter(Column::ChannelId.eq(channel.channel_id))
        .filter(Column::State.eq(State::On));
    Ok(refused.exec(conn).await?.rows_affected > 0)
}
