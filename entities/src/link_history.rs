//! Links that are over, as the audit log has them. The table `link` has those that are not.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, QueryOrder, QuerySelect};
use serde::Deserialize;

use crate::audit_entry::{Column, Entity, Model, Source};
use crate::{ChatId, Conn, GuildId, PlayId, Result, Timestamp};

/// The chat user has another game account since.
const REPLACED: &str = "links.replace";
const REMOVED: &str = "links.remove";

/// A link that somebody ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub chat: ChatId,
    pub play: PlayId,
    /// The game account's name at the end.
    pub name: String,
    pub since: Timestamp,
    pub until: Timestamp,
    pub replaced: bool,
    /// A chat user, or 0 where `by` says who it was.
    pub actor: i64,
    /// The user of the operating system who ran the command.
    pub by: Option<String>,
}

/// What an entry says of the link before.
#[derive(Deserialize)]
struct Before {
    play_id: PlayId,
    play_username: String,
    verified_at: Timestamp,
}

/// Ended links of either account, the latest first, at most `limit`.
pub async fn of_person(
    conn: &impl Conn,
    guild: GuildId,
    chat: ChatId,
    play: PlayId,
    limit: u64,
) -> Result<Vec<Ended>> {
    // Both databases know the arrows, and each has its own type for a number in JSON.
    let before = Expr::cust("CAST(metadata -> 'before' ->> 'play_id' AS text)");
    let either = Condition::any().add(Column::TargetId.eq(chat.to_string())).add(before.eq(play.to_string()));
    let entries = Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::Action.is_in([REPLACED, REMOVED]))
        .filter(Column::Source.eq(Source::Service))
        .filter(either)
        .order_by_desc(Column::AuditId)
        .limit(limit);
    Ok(entries.all(conn).await?.into_iter().filter_map(ended).collect())
}

fn ended(entry: Model) -> Option<Ended> {
    let Before { play_id, play_username, verified_at } =
        serde_json::from_value(entry.metadata["before"].clone()).ok()?;
    Some(Ended {
        chat: entry.target_id.parse().ok()?,
        play: play_id,
        name: play_username,
        since: verified_at,
        until: entry.created_at,
        replaced: entry.action == REPLACED,
        actor: entry.actor_id,
        by: entry.metadata["by"].as_str().map(str::to_owned),
    })
}
