//! Executes the requests of [`sanctions`](super::sanctions), those of one guild that wait together.

use entities::cap::Cap;
use entities::{Person, SanctionKind, Subject};

use crate::endpoints::moderation::play::batch;
use crate::endpoints::moderation::play::sanctions::{
    Imposed, LiftRequest, LiftedSanctions, Order, SanctionRequest, Wanted,
};
use crate::endpoints::prelude::*;
use crate::response::error::Kind;

pub(crate) async fn impose(
    call: Call,
    kind: SanctionKind,
    answer: fn(Imposed) -> Result<Reply, ApiError>,
) -> Result<Reply, ApiError> {
    let request: SanctionRequest = call.body()?;
    check_other(&call, request.identifier).await?;
    call.room_for(call.read(), Cap::Sanctions, 1).await?;
    execute(Order { call, kind, wanted: Wanted::Imposed(request, answer) }).await
}

pub(crate) async fn lift(
    call: Call,
    kind: SanctionKind,
    answer: fn(LiftedSanctions) -> Result<Reply, ApiError>,
) -> Result<Reply, ApiError> {
    let request: LiftRequest = call.body()?;
    check_other(&call, request.identifier).await?;
    execute(Order { call, kind, wanted: Wanted::Lifted(request, answer) }).await
}

/// A person at the console does not decide about their own bans and mutes, of either account.
async fn check_other(call: &Call, named: Subject) -> Result<(), ApiError> {
    if call.caller.key().is_some() {
        return Ok(());
    }
    let person = Person::resolve(call.read(), call.guild(), named).await?;
    person.chat.map_or(Ok(()), |chat| call.caller.decides_about(chat))
}

/// Together with the guild's other requests that wait.
async fn execute(order: Order) -> Result<Reply, ApiError> {
    let (state, guild) = (order.call.state.clone(), order.call.guild());
    state.batches.join(state.context.shutdown.tracker(), guild, order, all).await?
}

/// If the transaction fails, each request is executed in its own transaction, so only the one at fault fails.
async fn all(orders: Vec<Order>) -> Vec<Result<Reply, ApiError>> {
    let error = match batch::prepare(&orders).await {
        Ok(batch) => match batch.commit().await {
            Ok(replies) => return replies.into_iter().map(Ok).collect(),
            // The transaction may still be committed.
            Err(error) => error,
        },
        Err(error) if orders.len() == 1 || error.kind() == Kind::Unavailable => error,
        Err(_) => {
            let mut outcomes = Vec::new();
            for order in orders {
                outcomes.append(&mut Box::pin(all(vec![order])).await);
            }
            return outcomes;
        }
    };
    orders.iter().map(|_| Err(error.clone())).collect()
}

#[cfg(test)]
mod tests;
