//! Compares entries of the audit log with their chain.

use sea_orm::entity::prelude::*;
use sea_orm::{QueryOrder, QuerySelect};

use super::{Model, digest, old};
use crate::audit_entry::{self, Column, Content, Entity};
use crate::{AuditId, Conn, Result};

/// Entries in one query.
const BATCH: u64 = 2_000;

/// What the first entry that does not fit shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Flaw {
    /// The entry says something else than when it was written.
    Changed,
    /// Entries at this place and before the next one are gone.
    Missing,
    /// The entry was written at another place, or is not the one that was written here.
    Moved,
}

/// The outcome for a chain, or for its beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Entries that fit.
    pub entries: u64,
    /// Of these, entries about persons who were erased: only their place is proven.
    pub erased: u64,
    /// Entries without a place: an older version wrote them, or somebody else did.
    pub unchained: u64,
    pub flaw: Option<Found>,
    /// Whether `known` is the hash of an entry that fits, or the one before the first.
    pub known: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub flaw: Flaw,
    /// The first place that does not fit.
    pub position: i64,
    /// The entry there, unless it is missing.
    pub entry: Option<AuditId>,
}

/// The state between two entries.
struct Walk<'a> {
    chain: &'a Model,
    position: i64,
    hash: Vec<u8>,
}

/// Reads the chain from its first entry to the first flaw; `known` is a hash that somebody has kept.
pub async fn verify(conn: &impl Conn, chain: &Model, known: Option<&[u8]>) -> Result<Verified> {
    let mut walk = Walk { chain, position: chain.first_position - 1, hash: chain.hash_before_first.clone() };
    let mut verified = Verified { known: known == Some(walk.hash.as_slice()), ..Verified::default() };
    let mut after = None;
    loop {
        let rows = batch(conn, chain, after).await?;
        after = rows.last().map(|row| row.audit_id);
        for row in rows {
            if let Some(found) = walk.step(row, &mut verified) {
                let flaw = Some(elsewhere(conn, chain, found).await?);
                return Ok(Verified { flaw, ..verified });
            }
            verified.known |= known == Some(walk.hash.as_slice());
        }
        if after.is_none() {
            let flaw = walk.end();
            return Ok(Verified { flaw, ..verified });
        }
    }
}

async fn batch(conn: &impl Conn, chain: &Model, after: Option<AuditId>) -> Result<Vec<audit_entry::Model>> {
    let mut rows = Entity::find().filter(Column::GuildId.eq(chain.guild_id)).filter(old::of(chain.chain));
    if let Some(after) = after {
        rows = rows.filter(Column::AuditId.gt(after));
    }
    rows.order_by_asc(Column::AuditId).limit(BATCH).all(conn).await
}

/// A missing entry that stands further on was moved.
async fn elsewhere(conn: &impl Conn, chain: &Model, found: Found) -> Result<Found> {
    if found.flaw != Flaw::Missing {
        return Ok(found);
    }
    let rows = Entity::find().filter(Column::GuildId.eq(chain.guild_id)).filter(old::of(chain.chain));
    let row = rows.filter(Column::Position.eq(found.position)).one(conn).await?;
    Ok(row.map_or(found.clone(), |row| Found { flaw: Flaw::Moved, entry: Some(row.audit_id), ..found }))
}

impl Walk<'_> {
    /// Compares the next entry; `None`: it fits.
    fn step(&mut self, row: audit_entry::Model, verified: &mut Verified) -> Option<Found> {
        let next = self.position + 1;
        let entry = Some(row.audit_id);
        let (Some(position), Some(stored), Some(hash)) = (row.position, &row.digest, &row.hash) else {
            verified.unchained += 1;
            return None;
        };
        if position > next {
            return Some(Found { flaw: Flaw::Missing, position: next, entry: None });
        }
        let (stored, hash) = (stored.clone(), hash.clone());
        if position < next || self.chain.hash(&self.hash, next, &stored) != hash {
            return Some(Found { flaw: Flaw::Moved, position: next, entry });
        }
        match row.salt.clone() {
            Some(salt) if digest(&salt, &Content::from(row)) != stored => {
                return Some(Found { flaw: Flaw::Changed, position: next, entry });
            }
            Some(_) => {}
            None => verified.erased += 1,
        }
        verified.entries += 1;
        (self.position, self.hash) = (next, hash);
        None
    }

    /// After the last entry.
    fn end(self) -> Option<Found> {
        let chain = self.chain;
        let flaw = match chain.last_position {
            last if last > self.position => Flaw::Missing,
            last if last < self.position || chain.last_hash != self.hash => Flaw::Moved,
            _ => return None,
        };
        Some(Found { flaw, position: self.position + 1, entry: None })
    }
}
