//! Many links at once: from a file, a fixture or a call of the API. A game account never gets a second chat account.

pub mod lines;

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use entities::link::{self, Model, Source};
use entities::{ChatId, GuildId, Person, PlayId, Timestamp};
use runtime::Event;
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::json;

use crate::linking::{Linking, described, relink_moderation};

/// Links compared with the database in one query.
const ROWS_PER_BATCH: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    pub chat_id: ChatId,
    pub play_id: PlayId,
    pub play_username: String,
    /// `None`: the time of an existing link of the same accounts, or else now.
    pub verified_at: Option<Timestamp>,
}

impl Incoming {
    fn row(&self, guild: GuildId, known: Option<&Model>, now: Timestamp) -> Model {
        let since = known.filter(|known| known.play_id == self.play_id).map(|known| known.verified_at);
        Model {
            guild_id: guild,
            chat_id: self.chat_id,
            play_id: self.play_id,
            play_username: self.play_username.clone(),
            verified_at: self.verified_at.or(since).unwrap_or(now),
            source: known
                .filter(|known| known.play_id == self.play_id)
                .map_or(Source::Import, |known| known.source),
        }
    }
}

/// How many links were new, changed and unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    pub new: usize,
    pub changed: usize,
    pub unchanged: usize,
    /// Links replaced by another game account of the same chat user, and their replacements.
    pub replaced: Vec<(Model, Model)>,
}

#[derive(Debug, PartialEq, thiserror::Error)]
pub enum MergeError {
    /// The index of a link that cannot be imported, and the reason.
    #[error("{what}")]
    Conflict { index: usize, what: Conflict },
    #[error(transparent)]
    Database(#[from] DbErr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    #[error("chat_id {0} appears a second time")]
    ChatTwice(ChatId),
    #[error("play_id {0} appears a second time")]
    PlayTwice(PlayId),
    #[error("play_id {play} is already linked to the chat user {chat}")]
    PlayTaken { play: PlayId, chat: ChatId },
}

/// Writes links with the audit entries of the import. After an error the transaction must not be committed.
pub async fn import(linking: &mut Linking<'_>, links: &[Incoming]) -> Result<Merged, MergeError> {
    let guild = linking.guild();
    let merged = merge(linking.tx(), guild, links, linking.now()).await?;
    for (before, after) in &merged.replaced {
        let metadata = json!({ "before": described(before), "after": described(after) });
        linking.audit("links.replace", before.chat_id, metadata);
    }
    if merged.new + merged.changed > 0 {
        let metadata = json!({ "new": merged.new, "changed": merged.changed });
        linking.audit("links.import", guild, metadata);
        linking.announce(Event::LinksChanged { guild });
    }
    Ok(merged)
}

/// Writes the links of one guild. After an error the transaction must not be committed.
pub async fn merge<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    links: &[Incoming],
    now: Timestamp,
) -> Result<Merged, MergeError> {
    refuse_duplicates(links)?;
    let mut merged = Merged::default();
    // The first links of a guild cannot conflict with existing ones.
    let first = link::count(conn, guild).await? == 0;
    for (n, batch) in links.chunks(ROWS_PER_BATCH).enumerate() {
        let mut known = HashMap::new();
        if !first {
            refuse_taken(conn, guild, batch).await.map_err(|error| error.shifted(n * ROWS_PER_BATCH))?;
            known = known_by_chat(conn, guild, batch).await?;
        }
        let mut different = Vec::new();
        for link in batch {
            let before = known.get(&link.chat_id);
            let row = link.row(guild, before, now);
            match before {
                None => merged.new += 1,
                Some(before) if *before == row => {
                    merged.unchanged += 1;
                    continue;
                }
                Some(before) => {
                    merged.changed += 1;
                    if before.play_id != row.play_id {
                        merged.replaced.push((before.clone(), row.clone()));
                    }
                }
            }
            different.push(row);
        }
        let before = different.iter().filter_map(|link| known.get(&link.chat_id));
        let accounts: Vec<Person> = different.iter().chain(before).map(Person::from).collect();
        relink_moderation(conn, guild, &accounts, now).await?;
        link::upsert_many(conn, different).await?;
    }
    Ok(merged)
}

/// Writes the links whose accounts are both unlinked in the guild, and leaves the others as they are.
pub async fn add<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    mut links: Vec<Incoming>,
    now: Timestamp,
) -> Result<Merged, MergeError> {
    refuse_duplicates(&links)?;
    let mut known = HashSet::new();
    for batch in links.chunks(ROWS_PER_BATCH) {
        known.extend(known_by_chat(conn, guild, batch).await?.into_keys());
        let holders = known_by_play(conn, guild, batch).await?;
        known
            .extend(batch.iter().filter(|link| holders.contains_key(&link.play_id)).map(|link| link.chat_id));
    }
    let total = links.len();
    links.retain(|link| !known.contains(&link.chat_id));
    let merged = merge(conn, guild, &links, now).await?;
    Ok(Merged { unchanged: total - links.len(), ..merged })
}

async fn known_by_chat<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    batch: &[Incoming],
) -> Result<HashMap<ChatId, Model>, DbErr> {
    let chats: Vec<ChatId> = batch.iter().map(|link| link.chat_id).collect();
    let known = link::find_by_chats(conn, guild, &chats).await?;
    Ok(known.into_iter().map(|link| (link.chat_id, link)).collect())
}

async fn known_by_play<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    batch: &[Incoming],
) -> Result<HashMap<PlayId, Model>, DbErr> {
    let plays: Vec<PlayId> = batch.iter().map(|link| link.play_id).collect();
    let known = link::find_by_plays(conn, guild, &plays).await?;
    Ok(known.into_iter().map(|link| (link.play_id, link)).collect())
}

impl MergeError {
    fn shifted(self, by: usize) -> Self {
        match self {
            Self::Conflict { index, what } => Self::Conflict { index: index + by, what },
            other @ Self::Database(_) => other,
        }
    }
}

fn refuse_duplicates(links: &[Incoming]) -> Result<(), MergeError> {
    let chat =
        first_duplicate(links.iter().map(|link| link.chat_id)).map(|(at, id)| (at, Conflict::ChatTwice(id)));
    let play =
        first_duplicate(links.iter().map(|link| link.play_id)).map(|(at, id)| (at, Conflict::PlayTwice(id)));
    match chat.into_iter().chain(play).min_by_key(|(index, _)| *index) {
        Some((index, what)) => Err(MergeError::Conflict { index, what }),
        None => Ok(()),
    }
}

/// The first id that repeats an earlier one, with its index.
fn first_duplicate<T: Copy + Eq + Hash>(ids: impl Iterator<Item = T>) -> Option<(usize, T)> {
    let mut seen = HashSet::new();
    ids.enumerate().find(|(_, id)| !seen.insert(*id))
}

async fn refuse_taken<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    batch: &[Incoming],
) -> Result<(), MergeError> {
    let holders = known_by_play(conn, guild, batch).await?;
    let taken = batch.iter().enumerate().find_map(|(index, link)| {
        let holder = holders.get(&link.play_id)?.chat_id;
        let what = Conflict::PlayTaken { play: link.play_id, chat: holder };
        (holder != link.chat_id).then_some(MergeError::Conflict { index, what })
    });
    taken.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(chat: i64, play: i64) -> Incoming {
        Incoming {
            chat_id: ChatId::try_from(chat).unwrap(),
            play_id: PlayId::try_from(play).unwrap(),
            play_username: "n".to_owned(),
            verified_at: None,
        }
    }

    #[test]
    fn the_first_repeated_id_is_named() {
        assert_eq!(refuse_duplicates(&[link(1, 1), link(2, 2)]), Ok(()));
        let chat = refuse_duplicates(&[link(1, 1), link(2, 2), link(1, 3), link(3, 2)]);
        let what = Conflict::ChatTwice(ChatId::try_from(1).unwrap());
        assert_eq!(chat, Err(MergeError::Conflict { index: 2, what }));
        let play = refuse_duplicates(&[link(1, 1), link(2, 1), link(1, 3)]);
        let what = Conflict::PlayTwice(PlayId::try_from(1).unwrap());
        assert_eq!(play, Err(MergeError::Conflict { index: 1, what }));
    }
}
