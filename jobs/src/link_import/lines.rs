//! An import with an answer for each line: what it would do, and the writing of those that may.

use std::collections::HashSet;

use entities::GuildId;
use entities::link::Model;
use queue::QueueError;
use sea_orm::{ConnectionTrait, DbErr};

use super::{Incoming, MergeError, Merged, import, known_by_chat, known_by_play};
use crate::linking::Linking;

/// What becomes of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Linked,
    /// The accounts are linked already.
    Unchanged,
    /// These links of either account end.
    Replaced(Vec<Model>),
    /// These links stand in the way.
    Conflict(Vec<Model>),
    /// A line before names one of the accounts.
    Duplicate,
}

impl Verdict {
    pub fn writes(&self) -> bool {
        matches!(self, Self::Linked | Self::Replaced(_))
    }
}

/// What each line would do, in their order. With `replace` links that stand in the way end.
pub async fn judge<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    lines: &[Incoming],
    replace: bool,
) -> Result<Vec<Verdict>, DbErr> {
    let by_chat = known_by_chat(conn, guild, lines).await?;
    let by_play = known_by_play(conn, guild, lines).await?;
    let (mut seen_chats, mut seen_plays) = (HashSet::new(), HashSet::new());
    let judged = lines.iter().map(|line| {
        let is_new = [seen_chats.insert(line.chat_id), seen_plays.insert(line.play_id)];
        if is_new.contains(&false) {
            return Verdict::Duplicate;
        }
        let (mine, theirs) = (by_chat.get(&line.chat_id), by_play.get(&line.play_id));
        if mine.is_some() && mine == theirs {
            return Verdict::Unchanged;
        }
        let others: Vec<Model> = mine.into_iter().chain(theirs).cloned().collect();
        match (others.is_empty(), replace) {
            (true, _) => Verdict::Linked,
            (false, true) => Verdict::Replaced(others),
            (false, false) => Verdict::Conflict(others),
        }
    });
    Ok(judged.collect())
}

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Merge(#[from] MergeError),
}

/// Writes the lines whose verdict says so. Whoever loses a game account loses its roles by a job.
pub async fn write(
    linking: &mut Linking<'_>,
    lines: &[Incoming],
    verdicts: &[Verdict],
) -> Result<Merged, WriteError> {
    let (mut links, mut moved) = (Vec::new(), Vec::new());
    for (line, verdict) in lines.iter().zip(verdicts).filter(|(_, verdict)| verdict.writes()) {
        if let Verdict::Replaced(others) = verdict {
            let theirs = others.iter().filter(|other| other.chat_id != line.chat_id);
            moved.extend(theirs.map(|theirs| (theirs, line.chat_id)));
        }
        links.push(line.clone());
    }
    linking.moved(&moved).await?;
    Ok(import(linking, &links).await?)
}
