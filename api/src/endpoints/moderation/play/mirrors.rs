//! Which new bans go to the chat platform at once: a key's at most `mirror_bans_per_hour` in any hour (docs/rules.md 4).

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use entities::moderation_revision::Change;
use entities::sanction::change::NewSanction;
use entities::sanction::{self, mirror};
use entities::{ChatId, KeyId, Person, SanctionKind, chat_ban, guild};
use runtime::Transaction;

use crate::response::error::ApiError;

const WINDOW: TimeDelta = TimeDelta::hours(1);

/// The lock of the guild's revision, which the transaction has, keeps the counts right.
pub(super) struct Mirrors {
    /// Bans that each key may still have mirrored. `None`: the guild's bans are not mirrored.
    left: Option<BTreeMap<KeyId, u64>>,
}

impl Mirrors {
    /// Reads nothing if none of the sanctions can be mirrored.
    pub(super) async fn read(
        tx: &Transaction,
        change: &Change,
        new: &[NewSanction],
        people: &[Person],
    ) -> Result<Self, ApiError> {
        let known = people.iter().any(|person| person.chat.is_some());
        let bans = || new.iter().filter(|new| new.kind == SanctionKind::Ban && new.place.is_none());
        if !known || bans().next().is_none() {
            return Ok(Self { left: None });
        }
        let Some(guild) = guild::find(tx, change.guild).await?.filter(|guild| guild.mirror_bans) else {
            return Ok(Self { left: None });
        };
        let most = u64::from(guild.mirror_bans_per_hour.unsigned_abs());
        let mut left = BTreeMap::new();
        let keys: BTreeSet<KeyId> = bans().filter_map(|new| new.key).collect();
        for key in keys {
            let used = mirror::count_of_key(tx, key, change.now - WINDOW, most).await?;
            left.insert(key, most - used);
        }
        Ok(Self { left: Some(left) })
    }

    /// The chat user to ban on the platform, named directly or found by a link; `None`: no such user, or not
    /// yet. A ban of a key that has used up its hour is held, unless Guildhall banned the user there before:
    /// then nothing changes there.
    pub(super) async fn user(
        &mut self,
        tx: &Transaction,
        ban: &sanction::Model,
        person: Person,
    ) -> Result<Option<ChatId>, ApiError> {
        let is_mirrored = ban.kind == SanctionKind::Ban && ban.place_id.is_none();
        let (Some(left), Some(chat), true) = (&mut self.left, person.chat, is_mirrored) else {
            return Ok(None);
        };
        match ban.key_id.and_then(|key| left.get_mut(&key)) {
            None => {}
            Some(left) if *left > 0 => *left -= 1,
            Some(_) if chat_ban::among(tx, ban.guild_id, &[chat]).await?.contains(&chat) => {}
            Some(_) => {
                mirror::hold(tx, ban.guild_id, ban.sanction_id).await?;
                return Ok(None);
            }
        }
        Ok(Some(chat))
    }
}
