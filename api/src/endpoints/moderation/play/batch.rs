//! Executes the orders of one guild that wait together, in one transaction: the rows, the moderators' staff actions, the
//! audit entries, the jobs that mirror bans or lift their mirrors, the responses kept for repeats.
//!
//! None of the orders was answered before, so their sequence is free: first what is imposed, then what is lifted.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use entities::moderation_revision::{self, Change};
use entities::sanction::change::{self, Created, Lift, NewSanction, Target};
use entities::sanction::counting::{Imposed as Counted, Recent};
use entities::sanction::{self, active, expiry};
use entities::staff_action::numbering::{self, Sequence};
use entities::staff_action::{ActionType, NewAction};
use entities::{ChatId, GuildId, Lifted, Person, SanctionKind, Subject, Timestamp, approval};
use jobs::mirror::{Mirrors, enqueue_mirror};
use runtime::{Event, ModerationVerb};
use serde_json::Value;

use crate::endpoints::moderation::play::kick::LiveServers;
use crate::endpoints::prelude::*;
use crate::limits::batches::Leader;
use crate::response::error::Kind;
use crate::state::State;
use crate::state::orders::{self, Order, Wanted};

/// A person at the console does not decide about their own bans and mutes, of either account.
pub(super) async fn check_other(call: &Call, named: Subject) -> Result<(), ApiError> {
    if call.caller.key().is_some() {
        return Ok(());
    }
    let person = Person::resolve(call.read(), call.guild(), named).await?;
    person.chat.map_or(Ok(()), |chat| call.caller.decides_about(chat))
}

/// In the next batch of the guild.
pub(super) async fn execute(call: &Call, kind: SanctionKind, wanted: Wanted) -> Result<Reply, ApiError> {
    let order = Order { kind, wanted, actor: call.actor(), idempotency: call.idempotency.clone() };
    let (answer, leader) = call.state.orders.join(call.guild(), order);
    if let Some(leader) = leader {
        // A task of its own, so it goes on if this caller is cancelled.
        call.state.context.shutdown.tracker().spawn(lead(call.state.clone(), leader));
    }
    answer.await.map_err(ApiError::internal)?
}

/// One batch after the other, until no order of the guild waits.
async fn lead(state: Arc<State>, mut leader: Leader<Order, Result<Reply, ApiError>>) {
    let guild = leader.guild();
    while let Some((orders, answers)) = leader.next().await {
        answers.send(all(&state, guild, orders).await);
    }
}

/// If the transaction fails, each order is executed in its own transaction, so only the one at fault fails.
async fn all(state: &State, guild: GuildId, orders: Vec<Order>) -> Vec<Result<Reply, ApiError>> {
    let error = match prepare(state, guild, &orders).await {
        Ok(batch) => match batch.commit().await {
            Ok(replies) => return replies.into_iter().map(Ok).collect(),
            // The transaction may still be committed.
            Err(error) => error,
        },
        Err(error) if orders.len() == 1 || error.kind() == Kind::Unavailable => error,
        Err(_) => {
            let mut outcomes = Vec::new();
            for order in orders {
                outcomes.append(&mut Box::pin(all(state, guild, vec![order])).await);
            }
            return outcomes;
        }
    };
    orders.iter().map(|_| Err(error.clone())).collect()
}

async fn prepare<'o>(state: &'o State, guild: GuildId, orders: &'o [Order]) -> Result<Batch<'o>, ApiError> {
    let servers = LiveServers::read(state, guild, orders, state.context.clock.now());
    let begin = async {
        let work = UnitOfWork::of_guild(state, guild).await?;
        let change = moderation_revision::begin(work.tx(), guild, work.now()).await?;
        Ok::<_, ApiError>((work, change))
    };
    let (servers, begun) = tokio::join!(servers, begin);
    let ((work, change), servers) = (begun?, servers?);
    let subjects = orders.iter().map(Order::subject);
    let named = orders.iter().filter_map(|order| order.moderator().play()).map(Subject::Play);
    let subjects: Vec<_> = subjects.chain(named).collect();
    let mut people = Person::resolve_all(work.tx(), guild, &subjects).await?;
    let named: HashMap<_, _> =
        people.split_off(orders.len()).into_iter().map(|one| (one.play, one.chat)).collect();
    let linked = |play| named.get(&Some(play)).copied().flatten();
    let moderators = orders.iter().map(|order| order.moderator().noted(linked)).collect();
    let recent = Recent::read(work.tx(), guild, &people).await?;
    let (closed, done) = (Vec::new(), BTreeMap::new());
    let mut batch = Batch { state, work, servers, change, orders, people, moderators, recent, closed, done };
    batch.impose().await?;
    batch.lift().await?;
    batch.record().await?;
    Ok(batch)
}

struct Batch<'o> {
    state: &'o State,
    work: UnitOfWork<'o>,
    servers: LiveServers,
    change: Change,
    orders: &'o [Order],
    /// The person whom each order names.
    people: Vec<Person>,
    /// The moderator of each order.
    moderators: Vec<ChatId>,
    recent: Recent,
    closed: Vec<sanction::Model>,
    /// By the place of the order.
    done: BTreeMap<usize, Done>,
}

/// The outcome of an order.
struct Done {
    reply: Reply,
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
    async fn impose(&mut self) -> Result<(), ApiError> {
        let (mut places, mut new) = (Vec::new(), Vec::new());
        let now = self.work.now();
        for (place, order) in self.orders.iter().enumerate() {
            let Wanted::Imposed(request) = &order.wanted else { continue };
            places.push((place, request));
            new.push(NewSanction {
                kind: order.kind,
                subject: request.identifier,
                person: self.people[place],
                place: request.place_id,
                reason: request.reason.0.clone(),
                moderator: self.moderators[place],
                key: order.actor.key_id,
                created_at: now,
                expires_at: request.duration_seconds.map(|duration| duration.end(now)),
            });
        }
        if new.is_empty() {
            return Ok(());
        }
        let mut mirrors = Mirrors::read(self.work.tx(), &self.change, &new, &self.people).await?;
        let created = change::create(self.work.tx(), &self.change, new).await?;
        for ((place, request), Created { sanction: mut imposed, closed }) in places.into_iter().zip(created) {
            let (person, verb) = (self.people[place], ModerationVerb::begin_of(imposed.kind));
            let superseded: Vec<_> = closed.iter().map(|row| row.sanction_id).collect();
            let mut details = json!({ "id": imposed.sanction_id, "reason": request.reason.0,
                                      "place_id": request.place_id,
                                      "expires_at": imposed.expires_at.map(Seconds), "superseded": superseded });
            self.orders[place].note_moderator(&mut details);
            imposed.mirror_chat_id = mirrors.user(self.work.tx(), &imposed, person).await?;
            let Counted { counts, undone } = self.recent.impose(person, &imposed, &closed);
            self.withdraw(place, imposed.kind, undone).await?;
            self.closed.extend(closed.iter().cloned());
            let event = Event::moderation(&self.change, verb, person, &request.reason.0, request.place_id);
            self.work.announce(event);
            let (work, order) = (&mut self.work, &self.orders[place]);
            let kicks = self.servers.kick((self.state, work), order, &imposed, person.play).await?;
            if kicks > 0 {
                details["kicks"] = json!(kicks);
            }
            let reply = orders::imposed(&imposed, self.change.revision, kicks)?;
            let changed: Vec<_> = closed.into_iter().chain([imposed]).collect();
            self.mirror(place, &changed).await?;
            self.done.insert(place, Done { reply, act: Some(Act { verb, details, counts }) });
        }
        Ok(())
    }

    async fn lift(&mut self) -> Result<(), ApiError> {
        let (mut places, mut lifts) = (Vec::new(), Vec::new());
        for (place, order) in self.orders.iter().enumerate() {
            let Wanted::Lifted(request) = &order.wanted else { continue };
            let target = Target { kind: order.kind, person: self.people[place], place: request.place_id };
            places.push((place, request));
            lifts.push(Lift { target, only: request.id, by: self.moderators[place] });
        }
        if lifts.is_empty() {
            return Ok(());
        }
        let lifted = change::lift(self.work.tx(), &self.change, &lifts).await?;
        let people: Vec<_> = lifts.iter().map(|lift| lift.target.person).collect();
        let left = active::of_people(self.work.tx(), self.change.guild, &people, self.work.now()).await?;
        for (((place, request), lift), closed) in places.into_iter().zip(lifts).zip(lifted) {
            let mut target = lift.target;
            if lift.only.is_some() {
                target.place = closed.first().map_or(target.place, |row| row.place_id);
            }
            let in_force = closed.iter().filter(|row| row.lifted_how == Some(Lifted::Lifted));
            let ids: Vec<_> = in_force.map(|row| row.sanction_id).collect();
            let still = left.iter().any(|row| target.is_covered_by(row));
            let reason = request.reason.as_ref().map(|reason| &*reason.0);
            let mut details = json!({ "lifted": ids, "reason": reason, "place_id": target.place });
            self.orders[place].note_moderator(&mut details);
            let verb = ModerationVerb::end_of(target.kind);
            let counts = self.recent.lift(target, lift.by, &closed, self.change.now);
            let act = Act { verb, details, counts };
            let act = (!ids.is_empty()).then_some(act);
            if act.is_some() {
                self.announce_lift(target, &left, reason.unwrap_or_default());
            }
            let reply = orders::lifted(target.kind, ids, still)?;
            self.mirror(place, &closed).await?;
            self.closed.extend(closed);
            self.done.insert(place, Done { reply, act });
        }
        Ok(())
    }

    /// The state after a lift: a sanction that still covers the target, or else the end of the lifted ones.
    /// Sanctions of single places outlast the lift of one for every game, and are announced after it.
    fn announce_lift(&mut self, target: Target, left: &[sanction::Model], reason: &str) {
        let (begin, end) = (ModerationVerb::begin_of(target.kind), ModerationVerb::end_of(target.kind));
        let event =
            |verb, reason: &str, place| Event::moderation(&self.change, verb, target.person, reason, place);
        let begun = |row: &sanction::Model| event(begin, &row.reason, row.place_id);
        let covering = left.iter().find(|row| target.is_covered_by(row));
        let first = covering.map_or_else(|| event(end, reason, target.place), begun);
        let narrower = left.iter().filter(|row| target.concerns(row));
        let narrower = narrower.filter(|_| covering.is_none() && target.place.is_none()).filter_map(begun);
        let events: Vec<_> = first.into_iter().chain(narrower).collect();
        self.work.announce(events);
    }

    async fn mirror(&mut self, place: usize, rows: &[sanction::Model]) -> Result<(), ApiError> {
        let actor = self.orders[place].acting(self.moderators[place]);
        let messages = enqueue_mirror(self.work.tx(), &self.change, rows, &actor).await?;
        self.work.publish(messages);
        Ok(())
    }

    /// A sanction that is restored was lifted by mistake: its lift counts in no total.
    async fn withdraw(
        &self,
        place: usize,
        kind: SanctionKind,
        lifts: Vec<(ChatId, Timestamp)>,
    ) -> Result<(), ApiError> {
        let (action_type, _) = action_of(ModerationVerb::end_of(kind));
        let targets: Vec<_> = self.people[place].accounts().map(|account| account.to_string()).collect();
        for (staff, at) in lifts {
            let of = Sequence { guild: self.change.guild, staff, action_type };
            numbering::withdraw(self.work.tx(), of, at, &targets).await?;
        }
        Ok(())
    }

    /// The audit entries of sanctions that had expired, and what each moderator did.
    async fn record(&mut self) -> Result<(), ApiError> {
        self.work.audit_own(expiry::entries(&self.closed));
        let mut actions = Vec::new();
        for (&place, done) in &mut self.done {
            let (order, moderator) = (&self.orders[place], self.moderators[place]);
            let Some(Act { verb, details, counts }) = done.act.clone() else { continue };
            let (action_type, action) = action_of(verb);
            let target = order.subject();
            if moderator != ChatId::SYSTEM {
                actions.push(NewAction {
                    guild: self.change.guild,
                    staff: moderator,
                    action_type,
                    target: target.to_string(),
                    details: details.clone(),
                    session: None,
                    counts,
                });
            }
            self.work.audit_as(order.acting(moderator), action, target, details);
            self.work.keep(order.idempotency.as_ref(), &mut done.reply).await?;
        }
        approval::record(self.work.tx(), actions, self.change.now).await?;
        Ok(())
    }

    /// The sweep closes expired rows if nothing else changed.
    async fn commit(self) -> Result<Vec<Reply>, ApiError> {
        if self.done.values().any(|done| done.act.is_some()) {
            self.work.finish().await?;
        }
        Ok(self.done.into_values().map(|done| done.reply).collect())
    }
}

fn action_of(verb: ModerationVerb) -> (ActionType, &'static str) {
    match verb {
        ModerationVerb::Ban => (ActionType::Ban, "moderation.ban"),
        ModerationVerb::Unban => (ActionType::Unban, "moderation.unban"),
        ModerationVerb::Mute => (ActionType::Mute, "moderation.mute"),
        ModerationVerb::Unmute => (ActionType::Unmute, "moderation.unmute"),
    }
}

#[cfg(test)]
mod tests;
