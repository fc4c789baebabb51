//! Executes the orders of one guild that wait together in one transaction, with the responses kept for repeats. None of them
//! was answered before, so their sequence is free.

use std::collections::HashMap;
use std::sync::Arc;

use entities::{GuildId, Person, SanctionKind, Subject, moderation_revision};
use jobs::moderation::{self, Done, LiveServers};

use crate::endpoints::prelude::*;
use crate::limits::batches::Leader;
use crate::response::error::Kind;
use crate::state::State;
use crate::state::orders::{self, Order, Request};

/// In the next batch of the guild.
pub(super) async fn execute(call: &Call, kind: SanctionKind, request: Request) -> Result<Reply, ApiError> {
    let order = Order { kind, request, actor: call.actor(), idempotency: call.idempotency.clone() };
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
    let servers = async {
        if !orders.iter().any(Order::kicks) {
            return Ok(LiveServers::default());
        }
        LiveServers::read(state.context.database.read(), guild, state.context.clock.now()).await
    };
    let begin = async {
        let work = UnitOfWork::of_guild(state, guild).await?;
        let change = moderation_revision::begin(work.tx(), guild, work.now()).await?;
        Ok::<_, ApiError>((work, change))
    };
    let (servers, begun) = tokio::join!(servers, begin);
    let ((mut work, mut change), servers) = (begun?, servers?);
    let resolved = resolve(&work, guild, orders).await?;
    let done = moderation::execute(&mut work, &mut change, &servers, &resolved).await?;
    let mut replies = Vec::new();
    for (order, done) in orders.iter().zip(&done) {
        let mut reply = orders::reply(order.kind, done, change.shown())?;
        if done.changed() {
            work.keep(order.idempotency.as_ref(), &mut reply).await?;
        }
        replies.push(reply);
    }
    let changed = done.iter().any(Done::changed);
    Ok(Batch { work, replies, changed })
}

/// The orders with the people whom they name.
async fn resolve(
    work: &UnitOfWork<'_>,
    guild: GuildId,
    orders: &[Order],
) -> Result<Vec<moderation::Order>, ApiError> {
    let subjects = orders.iter().map(Order::subject);
    let named = orders.iter().filter_map(|order| order.moderator().play()).map(Subject::Play);
    let subjects: Vec<_> = subjects.chain(named).collect();
    let mut people = Person::resolve_all(work.tx(), guild, &subjects).await?;
    let named: HashMap<_, _> =
        people.split_off(orders.len()).into_iter().map(|one| (one.play, one.chat)).collect();
    let linked = |play| named.get(&Some(play)).copied().flatten();
    let resolved = |(order, person): (&Order, Person)| moderation::Order {
        kind: order.kind,
        subject: order.subject(),
        person,
        moderator: order.moderator().noted(linked),
        sender: order.actor.clone(),
        done_on_chat: false,
        imported: None,
        wanted: order.wanted(work.now()),
    };
    Ok(orders.iter().zip(people).map(resolved).collect())
}

struct Batch<'o> {
    work: UnitOfWork<'o>,
    replies: Vec<Reply>,
    changed: bool,
}

impl Batch<'_> {
    /// The sweep closes expired rows if nothing else changed.
    async fn commit(self) -> Result<Vec<Reply>, ApiError> {
        if self.changed {
            self.work.finish().await?;
        }
        Ok(self.replies)
    }
}

#[cfg(test)]
mod tests;
