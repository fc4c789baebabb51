//! The history of links from the audit log: who made those of the table `link`, and which ones have ended.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{Condition, QueryOrder, QuerySelect};
use serde::Deserialize;

use crate::audit_entry::{Column, Entity, Model, Source};
use crate::{ChatId, Conn, GuildId, PlayId, Result, Timestamp, link};

/// The chat user was linked to another game account.
const REPLACED: &str = "links.replace";
/// The chat user had no link.
const ADDED: &str = "links.add";
const REMOVED: &str = "links.remove";
const IMPORTED: &str = "links.import";
/// Two members have exchanged their game accounts.
const SWAPPED: &str = "links.swap";
/// The condition of the partial index, so that the rest of the log is not read.
pub(crate) const OF_LINKS: &str =
    "action IN ('links.add', 'links.replace', 'links.remove', 'links.import', 'links.swap')";

/// The game account of a link `before` or `after` its entry. Both databases have the arrow operators, but different types for a
/// number in JSON.
pub(crate) fn game_account(side: &str) -> SimpleExpr {
    Expr::cust(format!("CAST(metadata -> '{side}' ->> 'play_id' AS text)"))
}

/// An ended link.
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

/// The link of an entry.
#[derive(Deserialize)]
struct Described {
    play_id: PlayId,
    play_username: String,
    verified_at: Timestamp,
}

/// Ended links of either account, the latest first, at most `limit`; `None`: only of the chat account.
pub async fn of_person(
    conn: &impl Conn,
    guild: GuildId,
    chat: ChatId,
    play: Option<PlayId>,
    limit: u64,
) -> Result<Vec<Ended>> {
    let before = game_account("before");
    let either = Condition::any()
        .add(Column::TargetId.eq(chat.to_string()))
        .add_option(play.map(|play| before.eq(play.to_string())));
    list(conn, guild, either, limit).await
}

/// Ended links of a game account, the latest first, at most `limit`.
pub async fn of_play(conn: &impl Conn, guild: GuildId, play: PlayId, limit: u64) -> Result<Vec<Ended>> {
    let of_play = Condition::all().add(game_account("before").eq(play.to_string()));
    list(conn, guild, of_play, limit).await
}

async fn list(conn: &impl Conn, guild: GuildId, about: Condition, limit: u64) -> Result<Vec<Ended>> {
    let entries = Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Expr::cust(OF_LINKS))
        .filter(Column::Action.is_in([REPLACED, REMOVED, SWAPPED]))
        .filter(Column::Source.eq(Source::Service))
        .filter(about)
        .order_by_desc(Column::AuditId)
        .limit(limit);
    Ok(entries.all(conn).await?.into_iter().filter_map(ended).collect())
}

fn ended(entry: Model) -> Option<Ended> {
    let Described { play_id, play_username, verified_at } =
        serde_json::from_value(entry.metadata["before"].clone()).ok()?;
    Some(Ended {
        chat: entry.target_id.parse().ok()?,
        play: play_id,
        name: play_username,
        since: verified_at,
        until: entry.created_at,
        replaced: entry.action != REMOVED,
        actor: entry.actor_id,
        by: entry.metadata["by"].as_str().map(str::to_owned),
    })
}

/// Who made a link, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// A chat user, or 0 where `by` says who it was.
    pub actor: i64,
    /// The user of the operating system who ran the command.
    pub by: Option<String>,
    pub at: Timestamp,
}

/// The entry about this link: its making, the replacement of another, or the import of a file at the time of the link.
/// `None`: the file had the time of the link, or the entry was deleted.
pub async fn made(conn: &impl Conn, link: &link::Model) -> Result<Option<Made>> {
    let after = Expr::cust("CAST(metadata -> 'after' ->> 'play_id' AS text)");
    let made = Condition::all()
        .add(Column::Action.is_in([ADDED, REPLACED, SWAPPED]))
        .add(Column::TargetId.eq(link.chat_id.to_string()))
        .add(after.eq(link.play_id.to_string()));
    let imported =
        Condition::all().add(Column::Action.eq(IMPORTED)).add(Column::CreatedAt.eq(link.verified_at));
    let entry = Entity::find()
        .filter(Column::GuildId.eq(link.guild_id))
        .filter(Expr::cust(OF_LINKS))
        .filter(Column::Source.eq(Source::Service))
        .filter(Condition::any().add(made).add(imported))
        .order_by_desc(Column::AuditId)
        .one(conn)
        .await?;
    // Skips an older link of the same accounts.
    let entry = entry.filter(|entry| entry.action == IMPORTED || is_about(entry, link));
    Ok(entry.map(|entry| Made {
        actor: entry.actor_id,
        by: entry.metadata["by"].as_str().map(str::to_owned),
        at: entry.created_at,
    }))
}

fn is_about(entry: &Model, link: &link::Model) -> bool {
    let after = serde_json::from_value::<Described>(entry.metadata["after"].clone());
    // Entries have whole seconds.
    after.is_ok_and(|after| after.verified_at.timestamp() == link.verified_at.timestamp())
}
