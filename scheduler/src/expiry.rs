//! Sweeps of expired bans and mutes, leaves of absence, strikes and commands. All of them expire on the second without
//! a sweep; the sweep adds the audit entry, the event if anything waits for it, and for bans the end of the copy on the
//! chat platform.

use std::collections::BTreeSet;

use entities::audit_entry::Actor;
use entities::moderation_revision::{self, Change};
use entities::sanction::{self, active, expiry};
use entities::{GuildId, Person, loa, server_command, strike};
use runtime::{Context, Event, ModerationVerb, Transaction, UnitOfWork};
use sea_orm::DbErr;

use crate::batch::ROWS_PER_BATCH;

/// Guilds read in one batch.
const GUILDS_PER_BATCH: u64 = 100;
/// Rows of one guild closed in one transaction, which holds the guild's moderation lock.
const ROWS_PER_GUILD: u64 = 200;
/// The reason sent to game servers.
const REASON: &str = "expired";

/// Each guild separately: one that fails, or whose rows are locked, does not delay the others.
pub(crate) async fn sanctions(context: &Context) -> Result<u64, DbErr> {
    let (mut closed, mut after) = (0, None);
    loop {
        let (read, now) = (context.database.read(), context.clock.now());
        let guilds = expiry::guilds(read, after, now, GUILDS_PER_BATCH).await?;
        for guild in &guilds {
            match of_guild(context, *guild).await {
                Ok(rows) => closed += rows,
                Err(error) => {
                    runtime::warn_throttled!(guild.id = %guild, %error, "cannot end the bans of a guild, trying again");
                }
            }
        }
        after = guilds.last().copied();
        if (guilds.len() as u64) < GUILDS_PER_BATCH {
            return Ok(closed);
        }
    }
}

async fn of_guild(context: &Context, guild: GuildId) -> Result<u64, DbErr> {
    let mut work = UnitOfWork::begin(context).await?;
    let change = moderation_revision::begin_if_free(work.tx(), guild, work.now()).await?;
    let Some(change) = change else {
        work.rollback().await?;
        return Ok(0);
    };
    let closed = expiry::sweep(work.tx(), &change, ROWS_PER_GUILD).await?;
    if closed.is_empty() {
        work.rollback().await?;
        return Ok(0);
    }
    // The safety net of the workers finds the jobs.
    let jobs = jobs::mirror::enqueue_mirror(work.tx(), &change, &closed, &Actor::service()).await;
    jobs.map_err(|error| DbErr::Custom(error.to_string()))?;
    work.audit_own(expiry::entries(&closed));
    for row in &closed {
        let events = events_of(work.tx(), &change, row).await?;
        work.announce(events);
    }
    work.commit().await?;
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
    let mut work = UnitOfWork::begin(context).await?;
    let ended = loa::sweep(work.tx(), None, work.now(), ROWS_PER_BATCH).await?;
    work.audit_own(ended.iter().map(loa::expiry_entry));
    work.commit().await?;
    Ok(ended.len() as u64)
}

pub(crate) async fn strikes(context: &Context) -> Result<u64, DbErr> {
    let mut work = UnitOfWork::begin(context).await?;
    let ended = strike::sweep(work.tx(), None, work.now(), ROWS_PER_BATCH).await?;
    work.audit_own(ended.iter().map(strike::expiry_entry));
    work.commit().await?;
    Ok(ended.len() as u64)
}

/// Commands that were not acknowledged within ten minutes (docs/rules.md 7).
pub(crate) async fn commands(context: &Context) -> Result<u64, DbErr> {
    let mut work = UnitOfWork::begin(context).await?;
    let expired = server_command::sweep(work.tx(), work.now(), ROWS_PER_BATCH).await?;
    let servers: BTreeSet<_> = expired.iter().map(|row| (row.guild_id, &row.server_id)).collect();
    let ended =
        |(guild, server): (_, &String)| Event::CommandAcknowledged { guild, server_id: server.clone() };
    work.announce(servers.into_iter().map(ended));
    work.audit_own(expired.iter().map(server_command::expiry_entry));
    work.commit().await?;
    Ok(expired.len() as u64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use entities::sanction::change::{self, NewSanction};
    use entities::{SanctionKind, Subject, guild};
    use testkit::guild_row;

    use super::*;
    use crate::test_database::test_databases;

    #[tokio::test]
    async fn a_guild_whose_rows_are_locked_keeps_no_other_one_waiting() {
        for test in test_databases().await {
            let (context, now) = (&test.context, test.context.clock.now());
            let guilds: [GuildId; 2] = ["5", "6"].map(|id| id.parse().unwrap());
            for guild in guilds {
                guild::upsert(context.database.write(), guild_row(guild, now)).await.unwrap();
                let mut begun =
                    moderation_revision::begin(context.database.write(), guild, now).await.unwrap();
                let subject = Subject::Play(7.try_into().unwrap());
                let ban = NewSanction {
                    kind: SanctionKind::Ban,
                    subject,
                    person: subject.into(),
                    place: None,
                    reason: "r".to_owned(),
                    moderator: 9.try_into().unwrap(),
                    key: None,
                    created_at: now,
                    number: None,
                    expires_at: Some(now + Duration::from_secs(1)),
                };
                change::create(context.database.write(), &mut begun, vec![ban]).await.unwrap();
            }
            context.clock.advance(Duration::from_secs(60));
            if context.database.is_postgres() {
                let other = test.process().await;
                let locked = other.database.begin().await.unwrap();
                moderation_revision::begin(&locked, guilds[0], now).await.unwrap();
                let swept = tokio::time::timeout(Duration::from_secs(10), sanctions(context)).await;
                assert_eq!(swept.unwrap().unwrap(), 1);
                locked.rollback().await.unwrap();
                assert_eq!(sanctions(context).await.unwrap(), 1);
            } else {
                assert_eq!(sanctions(context).await.unwrap(), 2);
            }
            assert_eq!(sanctions(context).await.unwrap(), 0);
        }
    }
}
