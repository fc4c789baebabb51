//! The sweeps of bans and mutes that have lapsed. They count as over from that second on without any sweep; what it
//! adds is the audit entry, the event, and the end of the copy on the chat platform.

use entities::audit_entry::Actor;
use entities::moderation_revision::{self, Change};
use entities::{GuildId, Person, PlaceId, Subject, ban, mute};
use runtime::{Context, Event, ModerationVerb};
use sea_orm::{DatabaseTransaction, DbErr};

/// Guilds looked at in one batch.
const GUILDS: u64 = 100;
/// Rows closed in one transaction: it holds the lock of the guild's moderation.
const BATCH: u64 = 200;
/// What game servers are told as the reason.
const REASON: &str = "expired";

pub(crate) async fn bans(context: &Context) -> Result<u64, DbErr> {
    let mut closed = 0;
    for guild in ban::change::guilds_with_lapsed(context.database.read(), context.clock.now(), GUILDS).await?
    {
        closed += bans_of(context, guild).await?;
    }
    Ok(closed)
}

async fn bans_of(context: &Context, guild: GuildId) -> Result<u64, DbErr> {
    let transaction = context.database.begin().await?;
    let change = moderation_revision::begin(&transaction, guild, context.clock.now()).await?;
    let closed = ban::expiry::sweep(&transaction, &change, BATCH).await?;
    if closed.is_empty() {
        transaction.rollback().await?;
        return Ok(0);
    }
    // The safety net of the workers finds the jobs.
    let jobs = queue::enqueue_mirror(&transaction, &change, &closed, &Actor::service()).await;
    jobs.map_err(|error| DbErr::Custom(error.to_string()))?;
    let mut events = Vec::new();
    for ban in &closed {
        let Some((person, place)) = whom(&transaction, &change, ban.subject(), ban.place_id).await? else {
            continue;
        };
        let holding = ban::active::of_person(&transaction, guild, (person, None), change.now).await?;
        let holding = holding.iter().map(|ban| (ban.reason.as_str(), ban.place_id));
        let verbs = (ModerationVerb::Unban, ModerationVerb::Ban);
        events.extend(over(&change, verbs, (person, place), &holding.collect::<Vec<_>>()));
    }
    transaction.commit().await?;
    for event in events {
        context.events.publish(event);
    }
    Ok(closed.len() as u64)
}

pub(crate) async fn mutes(context: &Context) -> Result<u64, DbErr> {
    let mut closed = 0;
    for guild in mute::guilds_with_lapsed(context.database.read(), context.clock.now(), GUILDS).await? {
        closed += mutes_of(context, guild).await?;
    }
    Ok(closed)
}

async fn mutes_of(context: &Context, guild: GuildId) -> Result<u64, DbErr> {
    let transaction = context.database.begin().await?;
    let change = moderation_revision::begin(&transaction, guild, context.clock.now()).await?;
    let closed = mute::expiry::sweep(&transaction, &change, BATCH).await?;
    if closed.is_empty() {
        transaction.rollback().await?;
        return Ok(0);
    }
    let mut events = Vec::new();
    for mute in &closed {
        let Some((person, place)) = whom(&transaction, &change, mute.subject(), mute.place_id).await? else {
            continue;
        };
        let holding = mute::of_person(&transaction, guild, (person, None), change.now).await?;
        let holding = holding.iter().map(|mute| (mute.reason.as_str(), mute.place_id));
        let verbs = (ModerationVerb::Unmute, ModerationVerb::Mute);
        events.extend(over(&change, verbs, (person, place), &holding.collect::<Vec<_>>()));
    }
    transaction.commit().await?;
    for event in events {
        context.events.publish(event);
    }
    Ok(closed.len() as u64)
}

async fn whom(
    transaction: &DatabaseTransaction,
    change: &Change,
    subject: Option<Subject>,
    place: Option<PlaceId>,
) -> Result<Option<(Person, Option<PlaceId>)>, DbErr> {
    let Some(subject) = subject else { return Ok(None) };
    Ok(Some((Person::resolve(transaction, change.guild, subject).await?, place)))
}

/// What game servers are told. Nothing, where another ban or mute of the person still holds in the place. Where one of
/// every game ended, those of single places hold on: their servers are told so right after the end.
fn over(
    change: &Change,
    (ended, holds): (ModerationVerb, ModerationVerb),
    (person, place): (Person, Option<PlaceId>),
    holding: &[(&str, Option<PlaceId>)],
) -> Vec<Event> {
    if holding.iter().any(|(_, own)| own.is_none() || *own == place) {
        return Vec::new();
    }
    let of = (change.guild, change.revision);
    let end = Event::moderation(of, ended, person, (REASON, place));
    let rest = holding.iter().filter(|_| place.is_none());
    let rest = rest.map(|(reason, own)| Event::moderation(of, holds, person, (reason, *own)));
    std::iter::once(end).chain(rest).flatten().collect()
}
