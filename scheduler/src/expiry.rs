//! Sweeps of expired bans and mutes, leaves of absence, strikes and commands. All of them expire on the second without
//! a sweep; the sweep adds the audit entry, the event if anything waits for it, and for bans the end of the copy on the
//! chat platform.

use std::collections::BTreeSet;

use entities::audit_entry::Actor;
use entities::moderation_revision::{self, Change};
use entities::sanction::{self, active, expiry};
use entities::{GuildId, Person, loa, server_command, strike};
use runtime::{Context, Event, Events, ModerationVerb, Transaction};
use sea_orm::DbErr;

use crate::batch::{BATCH, commit};

/// Guilds read in one batch.
const GUILDS: u64 = 100;
/// Rows of one guild closed in one transaction, which holds the guild's moderation lock.
const OF_GUILD: u64 = 200;
/// The reason sent to game servers.
const REASON: &str = "expired";

pub(crate) async fn sanctions(context: &Context) -> Result<u64, DbErr> {
    let mut closed = 0;
    for guild in expiry::guilds(context.database.read(), context.clock.now(), GUILDS).await? {
        closed += of_guild(context, guild).await?;
    }
    Ok(closed)
}

async fn of_guild(context: &Context, guild: GuildId) -> Result<u64, DbErr> {
    let transaction = context.database.begin().await?;
    let change = moderation_revision::begin(&transaction, guild, context.clock.now()).await?;
    let closed = expiry::sweep(&transaction, &change, OF_GUILD).await?;
    if closed.is_empty() {
        transaction.rollback().await?;
        return Ok(0);
    }
    // The safety net of the workers finds the jobs.
    let jobs = queue::enqueue_mirror(&transaction, &change, &closed, &Actor::service()).await;
    jobs.map_err(|error| DbErr::Custom(error.to_string()))?;
    let mut events = Vec::new();
    for row in &closed {
        events.extend(events_of(&transaction, &change, row).await?);
    }
    let recorded = Events::record(&transaction, events, change.now).await?;
    transaction.commit().await?;
    context.events.publish(recorded);
    Ok(closed.len() as u64)
}

/// The events of a closed sanction: none if another one of its kind still covers its place. After the end of a
/// sanction in all games those of single places are sent again, because their servers have just received an end.
async fn events_of(
    transaction: &Transaction,
    change: &Change,
    row: &sanction::Model,
) -> Result<Vec<Event>, DbErr> {
    let Some(subject) = row.subject() else { return Ok(Vec::new()) };
    let person = Person::resolve(transaction, change.guild, subject).await?;
    let mut holding = active::of_person(transaction, change.guild, person, change.now).await?;
    holding.retain(|other| other.kind == row.kind);
    if holding.iter().any(|other| other.place_id.is_none() || other.place_id == row.place_id) {
        return Ok(Vec::new());
    }
    let event = |verb, reason: &str, place| Event::moderation(change, verb, person, reason, place);
    let end = event(ModerationVerb::end_of(row.kind), REASON, row.place_id);
    let held = holding.iter().filter(|_| row.place_id.is_none());
    let held = held.map(|other| event(ModerationVerb::begin_of(other.kind), &other.reason, other.place_id));
    Ok(std::iter::once(end).chain(held).flatten().collect())
}

/// Leaves of absence that have ended.
pub(crate) async fn loa(context: &Context) -> Result<u64, DbErr> {
    let sweep = async |conn: &_, now| loa::sweep(conn, &Actor::service(), None, now, BATCH).await;
    Ok(commit(context, sweep).await?.len() as u64)
}

pub(crate) async fn strikes(context: &Context) -> Result<u64, DbErr> {
    let sweep = async |conn: &_, now| strike::sweep(conn, &Actor::service(), None, now, BATCH).await;
    Ok(commit(context, sweep).await?.len() as u64)
}

/// Commands that were not acknowledged within ten minutes (docs/rules.md 7).
pub(crate) async fn commands(context: &Context) -> Result<u64, DbErr> {
    let (transaction, now) = (context.database.begin().await?, context.clock.now());
    let expired = server_command::sweep(&transaction, now, BATCH).await?;
    let servers: BTreeSet<_> = expired.iter().map(|row| (row.guild_id, &row.server_id)).collect();
    let ended = servers
        .into_iter()
        .map(|(guild, server)| Event::CommandAcknowledged { guild, server_id: server.clone() });
    let recorded = Events::record(&transaction, ended, now).await?;
    transaction.commit().await?;
    context.events.publish(recorded);
    Ok(expired.len() as u64)
}
