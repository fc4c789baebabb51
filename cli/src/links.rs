//! Imports many links at once, from a CSV file or a fixture. A game account never gets a second chat account.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use entities::link::{self, Model, Source};
use entities::{ChatId, GuildId, Person, PlayId, Timestamp};
use jobs::linking::relink_moderation;
use sea_orm::{ConnectionTrait, DbErr};

/// Links compared with the database in one query.
const ROWS_PER_BATCH: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Incoming {
    pub(crate) chat_id: ChatId,
    pub(crate) play_id: PlayId,
    pub(crate) play_username: String,
    /// `None`: the time of an existing link of the same accounts, or else now.
    pub(crate) verified_at: Option<Timestamp>,
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
pub(crate) struct Merged {
    pub(crate) new: usize,
    pub(crate) changed: usize,
    pub(crate) unchanged: usize,
    /// Links replaced by another game account of the same chat user, and their replacements.
    pub(crate) replaced: Vec<(Model, Model)>,
}

#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum MergeError {
    /// The index of a link that cannot be imported, and the reason.
    #[error("{what}")]
    Conflict { index: usize, what: Conflict },
    #[error(transparent)]
    Database(#[from] DbErr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Conflict {
    #[error("chat_id {0} appears a second time")]
    ChatTwice(ChatId),
    #[error("play_id {0} appears a second time")]
    PlayTwice(PlayId),
    #[error("play_id {play} is already linked to the chat user {chat}")]
    PlayTaken { play: PlayId, chat: ChatId },
}

/// Writes the links of one guild. After an error the transaction must not be committed.
pub(crate) async fn merge<C: ConnectionTrait>(
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
pub(crate) async fn add<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    mut links: Vec<Incoming>,
    now: Timestamp,
) -> Result<Merged, MergeError> {
    refuse_duplicates(&links)?;
    let mut known = HashSet::new();
    for batch in links.chunks(ROWS_PER_BATCH) {
        let plays: Vec<PlayId> = batch.iter().map(|link| link.play_id).collect();
        known.extend(known_by_chat(conn, guild, batch).await?.into_keys());
        let holders: HashSet<_> =
            link::find_by_plays(conn, guild, &plays).await?.into_iter().map(|link| link.play_id).collect();
        known.extend(batch.iter().filter(|link| holders.contains(&link.play_id)).map(|link| link.chat_id));
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
    let plays: Vec<PlayId> = batch.iter().map(|link| link.play_id).collect();
    let holders: HashMap<PlayId, ChatId> = link::find_by_plays(conn, guild, &plays)
        .await?
        .into_iter()
        .map(|link| (link.play_id, link.chat_id))
        .collect();
    let taken = batch.iter().enumerate().find_map(|(index, link)| {
        let holder = holders.get(&link.play_id).filter(|holder| **holder != link.chat_id)?;
        Some(MergeError::Conflict { index, what: Conflict::PlayTaken { play: link.play_id, chat: *holder } })
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

    fn time(seconds: i64) -> Timestamp {
        chrono::DateTime::from_timestamp(1_700_000_000 + seconds, 0).unwrap()
    }

    async fn database(folder: &tempfile::TempDir) -> runtime::Database {
        let url = format!("sqlite://{}/guildhall.db", folder.path().display());
        let database = runtime::Database::connect(&url, &runtime::DatabaseOptions::default()).await.unwrap();
        migrations::apply(database.write().unbounded()).await.unwrap();
        let now = time(0);
        let guild = crate::operator::new_guild(GuildId::try_from(7).unwrap(), "g".to_owned(), false, now);
        entities::guild::upsert(database.write(), guild).await.unwrap();
        database
    }

    #[tokio::test]
    async fn only_what_differs_is_written_and_a_taken_game_account_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(&folder).await;
        let (conn, guild) = (database.write(), GuildId::try_from(7).unwrap());
        let first: Vec<Incoming> = (1..=1_500).map(|n| link(n, n)).collect();
        let merged = merge(conn, guild, &first, time(1)).await.unwrap();
        assert_eq!(merged, Merged { new: 1_500, ..Merged::default() });
        assert_eq!(
            merge(conn, guild, &first, time(2)).await.unwrap(),
            Merged { unchanged: 1_500, ..Merged::default() }
        );
        let second =
            merge(conn, guild, &[link(1, 2_000), link(2, 2), link(3_000, 3_000)], time(3)).await.unwrap();
        assert_eq!((second.new, second.changed, second.unchanged), (1, 1, 1));
        let replaced: Vec<_> =
            second.replaced.iter().map(|(before, after)| (before.play_id, after.play_id)).collect();
        assert_eq!(replaced, [(first[0].play_id, PlayId::try_from(2_000).unwrap())]);
        let since = link::find_by_chats(conn, guild, &[first[0].chat_id, first[1].chat_id]).await.unwrap();
        assert_eq!(
            [since[0].verified_at, since[1].verified_at],
            [time(3), time(1)],
            "a new pair counts from now"
        );
        let mut third: Vec<Incoming> = (4_000..5_200).map(|n| link(n, n)).collect();
        third.push(link(9_999, 2));
        let what =
            Conflict::PlayTaken { play: PlayId::try_from(2).unwrap(), chat: ChatId::try_from(2).unwrap() };
        let refused = merge(conn, guild, &third, time(4)).await.unwrap_err();
        assert_eq!(refused, MergeError::Conflict { index: 1_200, what });
        database.close().await;
    }
}
