//! Ban mirroring, the copy of bans on the chat platform: its job, which bans it is for, and when it is enqueued, which is in
//! the transaction that changes the bans, one job for each chat user. The job reads the bans when it runs, so the order in
//! which jobs run does not matter.
//!
//! Enqueued by `moderation/batch.rs` beside this file, `api/src/endpoints/moderation/bans/mirror/post.rs` and
//! `scheduler/src/expiry.rs`. The run is `worker/src/mirror_ban.rs`. What is noted on a ban is `entities/src/sanction/mirror.rs`, what the mirror did
//! on the chat platform `entities/src/chat_ban.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use entities::audit_entry::Actor;
use entities::job::{Class, listing};
use entities::moderation_revision::Change;
use entities::sanction::MirrorState;
use entities::sanction::change::NewSanction;
use entities::sanction::mirror::{self, Mirror};
use entities::{
    ChatId, GuildId, KeyId, Person, SanctionId, SanctionKind, Timestamp, chat_ban, guild, sanction,
};
use queue::{Draft, Payload, QueueError, enqueue_many};
use runtime::UnitOfWork;
use sea_orm::{ConnectionTrait, DbErr};
use serde::{Deserialize, Serialize};

/// Makes the chat platform's ban of one user match the guild's bans (docs/rules.md 4).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MirrorBan {
    pub guild: GuildId,
    pub user: ChatId,
}

impl Payload for MirrorBan {
    const KIND: &'static str = "mirror_ban";
    const CLASS: Class = Class::Default;
}

/// The error of a ban whose job was cancelled.
pub const CANCELLED: &str = "its job was cancelled";

/// The hour of `mirror_bans_per_hour`.
const WINDOW: Duration = Duration::from_secs(3600);

/// Which new bans go to the chat platform at once: a key's at most `mirror_bans_per_hour` in any hour (docs/rules.md 4).
/// The lock of the guild's revision, which the transaction has, keeps the counts right.
pub struct Mirrors {
    /// Bans that each key may still have mirrored. `None`: the guild's bans are not mirrored.
    left: Option<BTreeMap<KeyId, u64>>,
}

impl Mirrors {
    /// Reads nothing if none of the sanctions can be mirrored.
    pub async fn read(
        tx: &impl ConnectionTrait,
        change: &Change,
        new: &[NewSanction],
        people: &[Person],
    ) -> Result<Self, DbErr> {
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

    /// The chat user to ban on the platform for each ban, named directly or found by a link; `None`: no such user, or not
    /// yet. A ban of a key that has used up its hour is held, unless Guildhall banned the user there before:
    /// then nothing changes there.
    pub async fn users(
        mut self,
        tx: &impl ConnectionTrait,
        guild: GuildId,
        bans: &[(&sanction::Model, Person)],
    ) -> Result<HashMap<SanctionId, ChatId>, DbErr> {
        let Some(left) = &mut self.left else { return Ok(HashMap::new()) };
        let (mut users, mut over) = (HashMap::new(), HashMap::new());
        for (ban, person) in bans {
            let is_mirrored = ban.kind == SanctionKind::Ban && ban.place_id.is_none();
            let Some(chat) = person.chat.filter(|_| is_mirrored) else { continue };
            match ban.key_id.and_then(|key| left.get_mut(&key)) {
                Some(0) => drop(over.insert(ban.sanction_id, chat)),
                left => {
                    if let Some(left) = left {
                        *left -= 1;
                    }
                    users.insert(ban.sanction_id, chat);
                }
            }
        }
        if !over.is_empty() {
            let there = chat_ban::among(tx, guild, &over.values().copied().collect::<Vec<_>>()).await?;
            let (known, held): (HashMap<_, _>, HashMap<_, _>) =
                over.into_iter().partition(|(_, chat)| there.contains(chat));
            mirror::hold(tx, guild, &held.into_keys().collect::<Vec<_>>()).await?;
            users.extend(known);
        }
        Ok(users)
    }
}

/// Whether somebody may have the copy made: it is held, or its job has ended without making it.
pub async fn may_be_asked_for(
    conn: &impl ConnectionTrait,
    ban: &sanction::Model,
    now: Timestamp,
) -> Result<bool, DbErr> {
    match ban.mirror_state {
        MirrorState::Held => Ok(ban.in_force(now)),
        MirrorState::Pending | MirrorState::Failed => {
            Ok(listing::unfinished(conn, ban.mirror_job_id.as_slice()).await?.is_empty())
        }
        _ => Ok(false),
    }
}

/// Bans that somebody changed.
pub type Changed = (Actor, Vec<sanction::Model>);

/// Enqueues a job for every chat user whom one of these bans is mirrored on, or who is banned there by the mirror of
/// another ban, and assigns the bans to that job.
pub async fn enqueue_mirror(
    work: &mut UnitOfWork,
    change: &Change,
    changed: &[Changed],
) -> Result<(), QueueError> {
    let rows = changed.iter().enumerate().flat_map(|(by, (_, rows))| rows.iter().map(move |row| (by, row)));
    let rows: Vec<(usize, &sanction::Model)> = rows.collect();
    let mirrored = rows.iter().filter_map(|(by, row)| Some((*by, row.mirror_chat_id?, row.sanction_id)));
    let mut users: BTreeMap<(usize, ChatId), Vec<SanctionId>> = BTreeMap::new();
    for (by, user, ban) in mirrored.chain(successors(work.tx(), change, &rows).await?) {
        users.entry((by, user)).or_default().push(ban);
    }
    // A ban that was made and superseded at once is in two groups: the later one's job writes to it.
    let (mut drafts, mut mirrors) = (Vec::new(), BTreeMap::new());
    for ((by, user), bans) in users {
        let payload = MirrorBan { guild: change.guild, user };
        // Not deduplicated: a running job may have read the bans already.
        let draft = Draft::new(change.guild, &payload, changed[by].0.clone())?;
        mirrors.extend(bans.into_iter().map(|ban| (ban, Mirror { chat: user, job: draft.id() })));
        drafts.push(draft);
    }
    enqueue_many(work, drafts).await?;
    mirror::start(work.tx(), change.guild, &mirrors.into_iter().collect::<Vec<_>>()).await?;
    Ok(())
}

/// Closed bans that were not mirrored themselves, but kept the chat platform's ban that an earlier one made.
async fn successors<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    sanctions: &[(usize, &sanction::Model)],
) -> Result<Vec<(usize, ChatId, SanctionId)>, DbErr> {
    let is_heir = |row: &sanction::Model| {
        row.kind == SanctionKind::Ban
            && row.place_id.is_none()
            && row.mirror_chat_id.is_none()
            && row.lifted_at.is_some()
    };
    let closed = sanctions.iter().filter(|(_, row)| is_heir(row));
    let closed = closed.filter_map(|(by, row)| Some((row.subject()?, (*by, row.sanction_id))));
    let (subjects, bans): (Vec<_>, Vec<_>) = closed.unzip();
    if bans.is_empty() {
        return Ok(Vec::new());
    }
    let people = Person::resolve_all(conn, change.guild, &subjects).await?;
    let users: Vec<ChatId> = people.iter().filter_map(|person| person.chat).collect();
    let banned = chat_ban::among(conn, change.guild, &users).await?;
    let of_user = people.iter().zip(bans).filter_map(|(person, (by, ban))| Some((by, person.chat?, ban)));
    Ok(of_user.filter(|(_, user, _)| banned.contains(user)).collect())
}
