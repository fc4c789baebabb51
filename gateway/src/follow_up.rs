//! What follows from events: jobs, and what is noted of members.

use std::collections::BTreeMap;

use entities::audit_entry::Actor;
use entities::gateway_shard::Model;
use entities::{ChatId, GuildId, follow, guild};
use jobs::kinds::CatchUp;
use jobs::member_events::{Members, missed_since};
use queue::{Draft, QueueError, enqueue_many};
use runtime::UnitOfWork;
use sea_orm::DbErr;

use crate::event::{Event, What};

/// In the order in which they came. Events of guilds that are not set up lead to nothing.
pub(crate) async fn events(work: &mut UnitOfWork, events: &[&Event]) -> Result<(), QueueError> {
    let mut by_guild: BTreeMap<GuildId, Vec<&What>> = BTreeMap::new();
    for Event { guild, what } in events {
        by_guild.entry(*guild).or_default().push(what);
    }
    // A new session names every guild.
    let present = |(id, all): (&GuildId, &Vec<&What>)| all.contains(&&What::Present).then_some(*id);
    let present: Vec<GuildId> = by_guild.iter().filter_map(present).collect();
    follow::hasten_failed(work.tx(), &present, work.now()).await?;
    for (id, all) in by_guild {
        if all.iter().all(|what| **what == What::Present) {
            continue;
        }
        let Some(guild) = guild::find(work.tx(), id).await? else { continue };
        let users: Vec<ChatId> = all.iter().filter_map(|what| user(what)).collect();
        let mut members = Members::load(work, guild, &users).await?;
        let mut role_changed = false;
        for what in all {
            match what {
                What::Joined(member) => members.joined(member),
                What::Changed(member) => members.changed(member),
                What::Left(user) => members.left(*user),
                What::Ban(user) => members.banned(*user),
                What::Role(role) => role_changed |= members.watched.roles.contains(role),
                What::Present => {}
            }
        }
        if role_changed {
            follow::hasten(work.tx(), id, work.now()).await?;
        }
        members.write(work).await?;
    }
    Ok(())
}

fn user(what: &What) -> Option<ChatId> {
    match what {
        What::Joined(member) | What::Changed(member) => Some(member.chat_id),
        What::Left(user) => Some(*user),
        What::Ban(_) | What::Role(_) | What::Present => None,
    }
}

/// Looks for what events were lost behind this place, in every guild of the shard.
pub(crate) async fn catch_up(work: &mut UnitOfWork, place: &Model) -> Result<(), QueueError> {
    let since = missed_since(place.seen_at);
    // A look of an earlier gap may have read past who joined in this one.
    let key = since.to_rfc3339();
    let draft = |guild| {
        let draft = Draft::new(guild, &CatchUp { guild, since }, Actor::service())?;
        Ok(draft.once(&key))
    };
    let guilds = guilds_of(work, place).await?;
    let drafts = guilds.into_iter().map(draft).collect::<Result<_, QueueError>>()?;
    Ok(enqueue_many(work, drafts).await?)
}

async fn guilds_of(work: &UnitOfWork, place: &Model) -> Result<Vec<GuildId>, DbErr> {
    let shards = u64::from(place.shards.unsigned_abs()).max(1);
    let of_shard =
        |id: &GuildId| (id.get().unsigned_abs() >> 22) % shards == u64::from(place.shard.unsigned_abs());
    let guilds = guild::list(work.tx()).await?;
    let guilds = guilds.into_iter().filter(|guild| guild.removing_since.is_none());
    Ok(guilds.map(|guild| guild.guild_id).filter(of_shard).collect())
}
