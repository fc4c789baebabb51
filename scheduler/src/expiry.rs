//! Sweeps of expired bans and mutes, leaves of absence, strikes and commands. All of them expire on the second without
//! a sweep; the sweep adds the audit entry, the event if anything waits for it, and for bans the end of the copy on the
//! chat platform.

use std::collections::BTreeSet;

use entities::audit_entry::Actor;
use entities::moderation_revision::{self, Change};
use entities::sanction::change::Target;
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
    let events = events(work.tx(), &change, &closed).await?;
    work.announce(events);
    work.audit_own(expiry::entries(&closed));
    let rows = closed.len() as u64;
    // The safety net of the workers finds the jobs.
    let enqueued = jobs::mirror::enqueue_mirror(&mut work, &change, &[(Actor::service(), closed)]).await;
    enqueued.map_err(|error| DbErr::Custom(error.to_string()))?;
    work.commit().await?;
    Ok(rows)
}

/// The events of closed sanctions: none of one if another one of its kind still covers its place. After the end of a
/// sanction in all games those of single places are sent again, because their servers have just received an end.
async fn events(
    transaction: &Transaction,
    change: &Change,
    closed: &[sanction::Model],
) -> Result<Vec<Event>, DbErr> {
    let (rows, subjects): (Vec<_>, Vec<_>) =
        closed.iter().filter_map(|row| Some((row, row.subject()?))).unzip();
    let people = Person::resolve_all(transaction, change.guild, &subjects).await?;
    let left = active::of_people(transaction, change.guild, &people, change.now).await?;
    let mut events = Vec::new();
    for (row, person) in rows.into_iter().zip(people) {
        let target = Target { kind: row.kind, person, place: row.place_id };
        if left.iter().any(|other| target.is_covered_by(other)) {
            continue;
        }
        let event = |verb, reason: &str, place| Event::moderation(change, verb, person, reason, place);
        let begun = |other: &sanction::Model| {
            event(ModerationVerb::begin_of(other.kind), &other.reason, other.place_id)
        };
        let narrower = left.iter().filter(|other| row.place_id.is_none() && target.concerns(other));
        events.extend(event(ModerationVerb::end_of(row.kind), REASON, row.place_id));
        events.extend(narrower.filter_map(begun));
    }
    Ok(events)
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

    use entities::game_server::{self, Heartbeat};
    use entities::sanction::change::{self, NewSanction};
    use entities::server_command::{KICK, NewCommand};
    use entities::{SanctionKind, Subject, Timestamp, guild};
    use jobs::server_commands::{copy_for, queue};
    use testkit::guild_row;

    use super::*;
    use crate::test_database::test_databases;

    /// Ends after a second.
    fn ban(player: i64, now: Timestamp) -> NewSanction {
        let subject = Subject::Play(player.try_into().unwrap());
        NewSanction {
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
        }
    }

    /// A change of more than some statements fails.
    #[tokio::test]
    async fn many_bans_of_a_guild_end_in_few_statements() {
        for test in test_databases().await {
            let (context, now) = (&test.context, test.context.clock.now());
            let guild = "5".parse().unwrap();
            guild::upsert(context.database.write(), guild_row(guild, now)).await.unwrap();
            let mut begun = moderation_revision::begin(context.database.write(), guild, now).await.unwrap();
            let bans = (1..=300).map(|player| ban(player, now)).collect();
            change::create(context.database.write(), &mut begun, bans).await.unwrap();
            context.clock.advance(Duration::from_secs(60));
            assert_eq!(sanctions(context).await.unwrap(), ROWS_PER_GUILD);
            assert_eq!(sanctions(context).await.unwrap(), 300 - ROWS_PER_GUILD);
        }
    }

    #[tokio::test]
    async fn commands_of_hundreds_of_guilds_end_together() {
        for test in test_databases().await {
            let (context, now) = (&test.context, test.context.clock.now());
            for guild in 1..=ROWS_PER_BATCH {
                let guild = guild.to_string().parse().unwrap();
                guild::upsert(context.database.write(), guild_row(guild, now)).await.unwrap();
                let (place, universe) = (1.try_into().unwrap(), 1.try_into().unwrap());
                let server = "server".to_owned();
                let alive =
                    Heartbeat { guild, server, place, universe, player_count: 0, players: None, at: now };
                game_server::heartbeat(context.database.write(), &[alive]).await.unwrap();
                let (kind, target, reason) = (KICK.to_owned(), "7".to_owned(), "r".to_owned());
                let kick = NewCommand { kind, target, reason, issued_by: 9.try_into().unwrap() };
                let mut work = UnitOfWork::begin(context).await.unwrap();
                queue(&mut work, guild, &kick, vec![copy_for("server".to_owned())]).await.unwrap();
                work.commit().await.unwrap();
            }
            context.clock.advance(Duration::from_secs(601));
            assert_eq!(commands(context).await.unwrap(), ROWS_PER_BATCH);
            assert_eq!(commands(context).await.unwrap(), 0);
        }
    }

    #[tokio::test]
    async fn a_guild_whose_rows_are_locked_keeps_no_other_one_waiting() {
        for test in test_databases().await {
            let (context, now) = (&test.context, test.context.clock.now());
            let guilds: [GuildId; 2] = ["5", "6"].map(|id| id.parse().unwrap());
            for guild in guilds {
                guild::upsert(context.database.write(), guild_row(guild, now)).await.unwrap();
                let mut begun =
                    moderation_revision::begin(context.database.write(), guild, now).await.unwrap();
                change::create(context.database.write(), &mut begun, vec![ban(7, now)]).await.unwrap();
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
