//! The chains of the audit log (docs/rules.md 8): each entry's hash covers the one before, so that a changed, missing or
//! moved entry shows. Changes of members by syncs are kept for a shorter time and have a chain of their own: retention
//! only ever shortens a chain at its beginning.

pub mod log;
pub mod old;
pub mod verify;

use std::collections::BTreeMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{InsertStatement, LockType, OnConflict};
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, Condition, IntoActiveModel, QueryOrder, QuerySelect};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::audit_entry::{self, Actor, Content, MEMBER_SYNCED, NewEntry};
use crate::by_id::{inserts_of, no_relations};
use crate::same_json::same;
use crate::{AuditId, Conn, GuildId, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_chain")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chain: Chain,
    /// Of the oldest entry that retention has not deleted.
    pub first_position: i64,
    pub hash_before_first: Vec<u8>,
    /// 0: nothing was written yet.
    pub last_position: i64,
    pub last_hash: Vec<u8>,
}

no_relations!();

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumIter, DeriveActiveEnum, strum::IntoStaticStr,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Chain {
    Log,
    /// Entries `sync.member`.
    MemberSyncs,
}

impl Chain {
    fn of(action: &str) -> Self {
        if action == MEMBER_SYNCED { Self::MemberSyncs } else { Self::Log }
    }
}

/// Before the first entry.
const ZERO: [u8; 32] = [0; 32];

impl Model {
    fn empty((guild, chain): (GuildId, Chain)) -> Self {
        let (hash_before_first, last_hash) = (ZERO.to_vec(), ZERO.to_vec());
        Self { guild_id: guild, chain, first_position: 1, hash_before_first, last_position: 0, last_hash }
    }

    /// `None`: nothing was written yet.
    pub fn newest_hash(&self) -> Option<&[u8]> {
        (self.last_position > 0).then_some(&self.last_hash)
    }

    /// The hash of the entry at a position of this chain.
    fn hash(&self, before: &[u8], position: i64, digest: &[u8]) -> Vec<u8> {
        let (guild, chain): (_, &str) = (self.guild_id, self.chain.into());
        let text = format!("{} {guild} {chain} {position} {}", hex::encode(before), hex::encode(digest));
        Sha256::digest(text).to_vec()
    }

    /// The place of the next entry.
    fn append(&mut self, entry: &Content) -> Place {
        let salt: [u8; 16] = rand::random();
        let digest = digest(&salt, entry);
        self.last_position += 1;
        self.last_hash = self.hash(&self.last_hash, self.last_position, &digest);
        Place { position: self.last_position, salt, digest, hash: self.last_hash.clone() }
    }
}

/// Of an entry in its chain.
struct Place {
    position: i64,
    salt: [u8; 16],
    digest: Vec<u8>,
    hash: Vec<u8>,
}

impl Place {
    /// The row of an entry here.
    fn row(self, entry: Content) -> audit_entry::ActiveModel {
        audit_entry::ActiveModel {
            audit_id: NotSet,
            guild_id: Set(entry.guild),
            action: Set(entry.action),
            source: Set(entry.source),
            actor_id: Set(entry.actor.actor_id),
            target_id: Set(entry.target),
            metadata: Set(entry.metadata),
            key_id: Set(entry.actor.key_id),
            request_id: Set(entry.actor.request_id),
            created_at: Set(entry.created_at),
            position: Set(Some(self.position)),
            salt: Set(Some(self.salt.to_vec())),
            digest: Set(Some(self.digest)),
            hash: Set(Some(self.hash)),
        }
    }
}

/// The statements that write entries. Nobody else writes entries of these guilds until the commit, so they come last in
/// the transaction.
pub async fn inserts(
    conn: &impl Conn,
    entries: Vec<(Actor, NewEntry)>,
    now: Timestamp,
) -> Result<Vec<InsertStatement>> {
    let entries: Vec<_> = entries.into_iter().map(|(actor, entry)| Content::of(actor, entry, now)).collect();
    let (places, moves) = place(conn, &entries).await?;
    let rows = entries.into_iter().zip(places).map(|(entry, place)| place.row(entry));
    Ok(inserts_of::<audit_entry::Entity>(rows).into_iter().chain(moves).collect())
}

/// Writes an entry at once; it comes last in the transaction.
pub async fn write(conn: &impl Conn, actor: &Actor, entry: NewEntry, now: Timestamp) -> Result<()> {
    for insert in inserts(conn, vec![(actor.clone(), entry)], now).await? {
        conn.execute(&insert).await?;
    }
    Ok(())
}

/// Writes an entry whose action a client chose, at once.
pub async fn write_custom(conn: &impl Conn, entry: Content) -> Result<AuditId> {
    let (places, moves) = place(conn, std::slice::from_ref(&entry)).await?;
    for end in moves {
        conn.execute(&end).await?;
    }
    let place = places.into_iter().next().ok_or(DbErr::RecordNotInserted)?;
    Ok(place.row(entry).insert(conn).await?.audit_id)
}

/// Both chains of a guild, the log first; one to which nothing was written yet is empty.
pub async fn of_guild(conn: &impl Conn, guild: GuildId) -> Result<[Model; 2]> {
    let mut rows = Entity::find().filter(Column::GuildId.eq(guild)).all(conn).await?;
    Ok([Chain::Log, Chain::MemberSyncs].map(|chain| {
        let found = rows.iter().position(|row| row.chain == chain);
        found.map_or_else(|| Model::empty((guild, chain)), |at| rows.swap_remove(at))
    }))
}

type Ends = BTreeMap<(GuildId, Chain), Option<Model>>;

/// Each entry's place at the end of its chain, and the statements that move the ends. Until the commit nobody else
/// writes entries of these guilds, so it comes last in a transaction.
async fn place(conn: &impl Conn, entries: &[Content]) -> Result<(Vec<Place>, Vec<InsertStatement>)> {
    let of = |entry: &Content| (entry.guild, Chain::of(&entry.action));
    let mut ends: Ends = entries.iter().map(|entry| (of(entry), None)).collect();
    lock(conn, &mut ends).await?;
    let append = |entry| {
        let key = of(entry);
        ends.entry(key).or_default().get_or_insert_with(|| Model::empty(key)).append(entry)
    };
    let places = entries.iter().map(append).collect();
    let moved = OnConflict::columns([Column::GuildId, Column::Chain])
        .update_columns([Column::LastPosition, Column::LastHash])
        .to_owned();
    let mut moves = inserts_of::<Entity>(ends.into_values().flatten().map(Model::into_active_model));
    for insert in &mut moves {
        insert.on_conflict(moved.clone());
    }
    Ok((places, moves))
}

/// Reads the ends in the order of their keys; makes those that are missing.
async fn lock(conn: &impl Conn, ends: &mut Ends) -> Result<()> {
    read_locked(conn, ends).await?;
    let missing = ends.iter().filter(|(_, end)| end.is_none());
    let missing: Vec<_> = missing.map(|(key, _)| Model::empty(*key).into_active_model()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let present = OnConflict::new().do_nothing().to_owned();
    for mut insert in inserts_of::<Entity>(missing) {
        conn.execute(insert.on_conflict(present.clone())).await?;
    }
    read_locked(conn, ends).await
}

async fn read_locked(conn: &impl Conn, ends: &mut Ends) -> Result<()> {
    if ends.is_empty() {
        return Ok(());
    }
    let of = |(guild, chain): &(GuildId, Chain)| {
        Condition::all().add(Column::GuildId.eq(*guild)).add(Column::Chain.eq(*chain))
    };
    let wanted = ends.keys().fold(Condition::any(), |wanted, key| wanted.add(of(key)));
    let rows = Entity::find()
        .filter(wanted)
        .order_by_asc(Column::GuildId)
        .order_by_asc(Column::Chain)
        .lock(LockType::NoKeyUpdate)
        .all(conn)
        .await?;
    for row in rows {
        ends.insert((row.guild_id, row.chain), Some(row));
    }
    Ok(())
}

/// What the entry says, in 32 bytes. The salt keeps the content of an erased entry from being guessed.
fn digest(salt: &[u8], entry: &Content) -> Vec<u8> {
    let content = json!([
        hex::encode(salt),
        entry.action,
        entry.source,
        entry.actor.actor_id,
        entry.target,
        entry.metadata,
        entry.actor.key_id,
        entry.actor.request_id,
        entry.created_at.timestamp_micros(),
    ]);
    let mut content = same(content);
    content.sort_all_objects();
    Sha256::digest(content.to_string()).to_vec()
}
