//! Executes orders that were given together: the rows, the moderators' staff actions, the audit entries, the events, the
//! commands that remove players, the jobs that mirror bans or lift their mirrors.
//!
//! Their sequence is free: first what is imposed, then what is lifted.

use std::collections::{BTreeMap, BTreeSet};

use chrono::SecondsFormat;
use entities::audit_entry::NewEntry;
use entities::moderation_revision::Change;
use entities::sanction::change::{self, Created, Lift, NewSanction, Target};
use entities::sanction::counting::{Imposed as Counted, Recent};
use entities::sanction::{self, active, expiry};
use entities::staff_action::withdrawal::{self, Undone};
use entities::staff_action::{ActionType, NewAction};
use entities::{ChatId, Lifted, Person, Timestamp, approval};
use queue::QueueError;
use runtime::{Event, ModerationVerb, UnitOfWork};
use sea_orm::DbErr;
use serde_json::{Value, json};

use super::kick::LiveServers;
use super::order::{Done, Order, Wanted};
use crate::mirror::{Changed, Mirrors, enqueue_mirror};

/// What became of each order, in their sequence. `change` is of the transaction of `work`; commit it only if an order changed
/// anything: the sweep closes expired rows.
pub async fn execute(
    work: &mut UnitOfWork,
    change: &mut Change,
    servers: &LiveServers,
    orders: &[Order],
) -> Result<Vec<Done>, QueueError> {
    let people: Vec<Person> = orders.iter().map(|order| order.person).collect();
    let recent = Recent::read(work.tx(), change.guild, &people).await?;
    let (closed, results) = (Vec::new(), BTreeMap::new());
    let mut batch = Batch { work, change, servers, orders, recent, closed, results };
    batch.impose().await?;
    batch.lift().await?;
    batch.record().await?;
    Ok(batch.results.into_values().map(|result| result.done).collect())
}

struct Batch<'b> {
    work: &'b mut UnitOfWork,
    change: &'b mut Change,
    servers: &'b LiveServers,
    orders: &'b [Order],
    recent: Recent,
    closed: Vec<sanction::Model>,
    /// By the place of the order.
    results: BTreeMap<usize, OfOrder>,
}

struct OfOrder {
    done: Done,
    /// What its moderator did; `None`: nothing changed.
    act: Option<Act>,
}

#[derive(Clone)]
struct Act {
    verb: ModerationVerb,
    details: Value,
    /// Whether it counts as a staff action; otherwise it changes what an earlier one did.
    counts: bool,
}

impl Batch<'_> {
    async fn impose(&mut self) -> Result<(), QueueError> {
        let (mut places, mut new, mut people) = (Vec::new(), Vec::new(), Vec::new());
        for (place, order) in self.orders.iter().enumerate() {
            let Wanted::Imposed { place: of, reason, expires_at, .. } = &order.wanted else { continue };
            places.push(place);
            people.push(order.person);
            let target = Target { kind: order.kind, person: order.person, place: *of };
            new.push(NewSanction {
                number: self.recent.restored(target, self.work.now()),
                kind: order.kind,
                subject: order.subject,
                person: order.person,
                place: *of,
                reason: reason.clone(),
                moderator: order.moderator,
                key: order.sender.key_id,
                created_at: self.work.now(),
                expires_at: *expires_at,
            });
        }
        if new.is_empty() {
            return Ok(());
        }
        let mirrors = Mirrors::read(self.work.tx(), self.change, &new, &people).await?;
        let created = change::create(self.work.tx(), self.change, new).await?;
        let of_chat = |place: &usize| self.orders[*place].done_on_chat;
        let bans = places.iter().zip(&created).filter(|(place, _)| !of_chat(place));
        let bans: Vec<_> = bans.map(|(place, made)| (&made.sanction, self.orders[*place].person)).collect();
        let mirrored = mirrors.users(self.work.tx(), self.change.guild, &bans).await?;
        let (mut changed, mut undone_lifts) = (Vec::new(), BTreeSet::new());
        for (place, Created { sanction: mut imposed, closed }) in places.into_iter().zip(created) {
            let order = &self.orders[place];
            let (person, verb) = (order.person, ModerationVerb::begin_of(imposed.kind));
            let superseded: Vec<_> = closed.iter().map(|row| row.sanction_id).collect();
            let mut details = json!({ "id": imposed.sanction_id, "reason": imposed.reason, "place_id": imposed.place_id,
                                      "expires_at": imposed.expires_at.map(seconds), "superseded": superseded });
            order.note_moderator(&mut details);
            imposed.mirror_chat_id = mirrored.get(&imposed.sanction_id).copied();
            let Counted { counts, undone } = self.recent.impose(person, &imposed, &closed);
            undone_lifts.extend(actions_of(order, undone));
            self.closed.extend(closed.iter().cloned());
            let event = Event::moderation(self.change, verb, person, &imposed.reason, imposed.place_id);
            self.work.announce(event);
            let kicks = self.servers.kick(self.work, order, &imposed, person.play).await?;
            if kicks > 0 {
                details["kicks"] = json!(kicks);
            }
            changed.push((order.acting(), closed.into_iter().chain([imposed.clone()]).collect()));
            let act = Some(Act { verb, details, counts });
            self.results
                .insert(place, OfOrder { done: Done::Imposed { sanction: imposed.into(), kicks }, act });
        }
        withdrawal::withdraw(self.work.tx(), self.change.guild, undone_lifts).await?;
        self.mirror(changed).await
    }

    async fn lift(&mut self) -> Result<(), QueueError> {
        let (mut places, mut lifts) = (Vec::new(), Vec::new());
        for (place, order) in self.orders.iter().enumerate() {
            let Wanted::Lifted { place: of, only, reason } = &order.wanted else { continue };
            let target = Target { kind: order.kind, person: order.person, place: *of };
            places.push((place, reason));
            lifts.push(Lift { target, only: *only, by: order.moderator, reason: reason.clone() });
        }
        if lifts.is_empty() {
            return Ok(());
        }
        let lifted = change::lift(self.work.tx(), self.change, &lifts).await?;
        let people: Vec<_> = lifts.iter().map(|lift| lift.target.person).collect();
        let left = active::of_people(self.work.tx(), self.change.guild, &people, self.work.now()).await?;
        let mut changed = Vec::new();
        for (((place, reason), lift), closed) in places.into_iter().zip(lifts).zip(lifted) {
            let (order, mut target) = (&self.orders[place], lift.target);
            if lift.only.is_some() {
                target.place = closed.first().map_or(target.place, |row| row.place_id);
            }
            let in_force = closed.iter().filter(|row| row.lifted_how == Some(Lifted::Lifted));
            let ids: Vec<_> = in_force.map(|row| row.sanction_id).collect();
            let still = left.iter().any(|row| target.is_covered_by(row));
            let mut details = json!({ "lifted": ids, "reason": reason, "place_id": target.place });
            order.note_moderator(&mut details);
            let verb = ModerationVerb::end_of(target.kind);
            let counts = self.recent.lift(target, lift.by, &closed, self.change.now);
            let act = (!ids.is_empty()).then_some(Act { verb, details, counts });
            if act.is_some() {
                self.announce_lift(target, &left, reason.as_deref().unwrap_or_default());
            }
            changed.push((order.acting(), closed.clone()));
            self.closed.extend(closed);
            self.results.insert(place, OfOrder { done: Done::Lifted { ids, still }, act });
        }
        self.mirror(changed).await
    }

    /// The state after a lift: a sanction that still covers the target, or else the end of the lifted ones.
    /// Sanctions of single places outlast the lift of one for every game, and are announced after it.
    fn announce_lift(&mut self, target: Target, left: &[sanction::Model], reason: &str) {
        let (begin, end) = (ModerationVerb::begin_of(target.kind), ModerationVerb::end_of(target.kind));
        let event =
            |verb, reason: &str, place| Event::moderation(self.change, verb, target.person, reason, place);
        let begun = |row: &sanction::Model| event(begin, &row.reason, row.place_id);
        let covering = left.iter().find(|row| target.is_covered_by(row));
        let first = covering.map_or_else(|| event(end, reason, target.place), begun);
        let narrower = left.iter().filter(|row| target.concerns(row));
        let narrower = narrower.filter(|_| covering.is_none() && target.place.is_none()).filter_map(begun);
        let events: Vec<_> = first.into_iter().chain(narrower).collect();
        self.work.announce(events);
    }

    async fn mirror(&mut self, changed: Vec<Changed>) -> Result<(), QueueError> {
        enqueue_mirror(self.work, self.change, &changed).await
    }

    /// The audit entries of sanctions that had expired, and what each moderator did.
    async fn record(&mut self) -> Result<(), DbErr> {
        self.work.audit_own(expiry::entries(&self.closed));
        let mut actions = Vec::new();
        let guild = self.change.guild;
        for (place, OfOrder { act, .. }) in &self.results {
            let order = &self.orders[*place];
            let Some(Act { verb, details, counts }) = act.clone() else { continue };
            let (action_type, action) = action_of(verb);
            let target = order.subject.to_string();
            if order.moderator != ChatId::SYSTEM && order.imported.is_none() {
                actions.push(NewAction {
                    guild,
                    staff: order.moderator,
                    action_type,
                    target: target.clone(),
                    details: details.clone(),
                    session: None,
                    counts,
                });
            }
            self.work.audit(order.acting(), NewEntry { guild, action, target, metadata: details });
        }
        approval::record(self.work.tx(), actions, self.change.now).await?;
        Ok(())
    }
}

/// A sanction that is restored was lifted by mistake: its lift counts in no total. The system has no staff actions.
fn actions_of(order: &Order, lifts: Vec<(ChatId, Timestamp)>) -> impl Iterator<Item = Undone> {
    let (action_type, _) = action_of(ModerationVerb::end_of(order.kind));
    let targets: Vec<_> = order.person.accounts().map(|account| account.to_string()).collect();
    lifts.into_iter().filter(|(staff, _)| *staff != ChatId::SYSTEM).flat_map(move |(staff, at)| {
        targets.clone().into_iter().map(move |target| Undone { staff, action_type, at, target })
    })
}

fn seconds(at: Timestamp) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn action_of(verb: ModerationVerb) -> (ActionType, &'static str) {
    match verb {
        ModerationVerb::Ban => (ActionType::Ban, "moderation.ban"),
        ModerationVerb::Unban => (ActionType::Unban, "moderation.unban"),
        ModerationVerb::Mute => (ActionType::Mute, "moderation.mute"),
        ModerationVerb::Unmute => (ActionType::Unmute, "moderation.unmute"),
    }
}
