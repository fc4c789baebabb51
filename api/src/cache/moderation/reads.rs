//! Reads guilds from the database: small ones together, large ones alone and in parts.

use std::collections::HashMap;
use std::sync::Arc;

use entities::sanction::active::{self, Against};
use entities::{ChatId, GuildId, PlayId, Timestamp, link};
use sea_orm::DbErr;
use tokio::sync::{Mutex, mpsc};

use super::{Moderation, ToRead};
use crate::cache::guild_state::Base;

/// Guilds of a read, where many wait.
const GUILDS_A_READ: usize = 64;
/// Rows of each guild in a statement of such a read. A guild with more is read alone, after the others.
const ROWS_A_GUILD: u64 = 128;
/// Rows of a statement that reads one guild.
const ROWS_A_PART: u64 = 2_000;

fn accounts_of(link: link::Pair) -> (ChatId, PlayId) {
    (link.chat_id, link.play_id)
}

impl Moderation {
    pub(super) async fn read_guilds(self, waiting: Arc<Mutex<mpsc::UnboundedReceiver<ToRead>>>) {
        loop {
            let mut batch = Vec::new();
            if waiting.lock().await.recv_many(&mut batch, GUILDS_A_READ).await == 0 {
                return;
            }
            batch.retain(|ToRead { guild, state, .. }| self.guilds().holds(*guild, state));
            let alone = if batch.len() > 1 { self.read_together(batch).await } else { batch };
            for one in alone {
                match self.read_alone(one.guild, one.now).await {
                    Ok(base) => self.fill(one, base),
                    Err(error) => self.give_up(&[one], &error),
                }
            }
        }
    }

    /// Returns the guilds that have too many rows for it.
    async fn read_together(&self, batch: Vec<ToRead>) -> Vec<ToRead> {
        let bases = match self.read(&batch).await {
            Ok(bases) => bases,
            Err(error) => {
                self.give_up(&batch, &error);
                return Vec::new();
            }
        };
        let filled = |(one, base): (ToRead, Option<Base>)| match base {
            Some(base) => {
                self.fill(one, base);
                None
            }
            None => Some(one),
        };
        batch.into_iter().zip(bases).filter_map(filled).collect()
    }

    fn give_up(&self, batch: &[ToRead], error: &DbErr) {
        runtime::warn_throttled!(%error, guilds = batch.len(), "cannot read the bans of guilds: checks go to the database");
        batch.iter().for_each(|one| self.forget(one.guild));
    }

    /// `None`: the guild may have more rows than a read of several returns, or it is not known.
    async fn read(&self, batch: &[ToRead]) -> Result<Vec<Option<Base>>, DbErr> {
        let conn = self.0.database.read();
        let guilds: Vec<_> = batch.iter().map(|one| one.guild).collect();
        // A check leaves out what has ended since.
        let Some(now) = batch.iter().map(|one| one.now).min() else { return Ok(Vec::new()) };
        let links = link::pairs(conn, &guilds, ROWS_A_GUILD);
        let sanctions = |against| active::of_guilds(conn, &guilds, against, now, ROWS_A_GUILD);
        let (chats, plays) = (sanctions(Against::Chats), sanctions(Against::Plays));
        let (links, chats, plays) = tokio::try_join!(links, chats, plays)?;
        // On SQLite the limit is one for all.
        let all = ROWS_A_GUILD * batch.len() as u64;
        let all_cut = [links.len(), chats.len(), plays.len()].iter().any(|rows| *rows as u64 >= all);
        let mut read: HashMap<GuildId, (Vec<_>, Vec<_>)> = HashMap::new();
        for row in chats.into_iter().chain(plays) {
            read.entry(row.guild_id).or_default().0.push(row);
        }
        for row in links {
            read.entry(row.guild_id).or_default().1.push(accounts_of(row));
        }
        let base = |guild| {
            let (sanctions, links) = read.remove(guild).unwrap_or_default();
            let cut = all_cut || sanctions.len().max(links.len()) as u64 >= ROWS_A_GUILD;
            (!cut).then(|| Base::new(sanctions, links))
        };
        Ok(guilds.iter().map(base).collect())
    }

    /// In parts, because rows take far more memory than the state kept of them. Accounts that change
    /// meanwhile are read again.
    async fn read_alone(&self, guild: GuildId, now: Timestamp) -> Result<Base, DbErr> {
        let conn = self.0.database.read();
        let links = async {
            let mut links: Vec<(ChatId, PlayId)> = Vec::new();
            loop {
                let after = links.last().map(|(chat, _)| *chat);
                let part = link::pairs_of(conn, guild, after, ROWS_A_PART).await?;
                let is_last = (part.len() as u64) < ROWS_A_PART;
                links.extend(part.into_iter().map(accounts_of));
                if is_last {
                    return Ok(links);
                }
            }
        };
        let sanctions = async |against| {
            let mut rows = Vec::new();
            loop {
                let part = active::of_guild(conn, guild, against, now, rows.last(), ROWS_A_PART).await?;
                let is_last = (part.len() as u64) < ROWS_A_PART;
                rows.extend(part);
                if is_last {
                    return Ok::<_, DbErr>(rows);
                }
            }
        };
        let (chats, plays) = (sanctions(Against::Chats), sanctions(Against::Plays));
        let (links, mut rows, plays) = tokio::try_join!(links, chats, plays)?;
        rows.extend(plays);
        Ok(Base::new(rows, links))
    }
}
