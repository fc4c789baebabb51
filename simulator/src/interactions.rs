//! Interactions: what people do with the bot's commands, buttons, selects and modals. They are sent to the application's
//! endpoint, signed, or without one to the event stream, and the answer takes effect.

mod answer;
pub(crate) mod command;
mod delivery;
mod kinds;
mod payload;
mod prepare;

use http::Uri;
use serde_json::{Value, json};

use crate::application_key::SignatureFlaw;
pub(crate) use crate::interactions::answer::{add, edit, take, unknown_message};
use crate::interactions::delivery::{answered, deliver};
use crate::interactions::kinds::PING;
pub(crate) use crate::interactions::prepare::InteractionForm;
use crate::interactions::prepare::Way;
use crate::simulator::Simulator;
use crate::snowflake::Snowflake;

/// Sends an interaction and applies the answer. `Err` names what a person could not have done.
pub(crate) async fn send(simulator: &Simulator, form: &InteractionForm) -> Result<Value, String> {
    let prepared = prepare::prepare(&mut simulator.state_mut(), form)?;
    let delivered = match prepared.way {
        Way::Endpoint(endpoint) => deliver(&endpoint, prepared.payload, form.flaw).await,
        Way::Stream(answer) => answered(answer).await,
    };
    let mut state = simulator.state_mut();
    let message = answer::settle(&mut state.conversations, prepared.id, &delivered);
    let mut report = json!({
        "interaction_id": prepared.id, "message_id": message, "status": delivered.status(),
        "took_ms": delivered.took_ms(), "answer": delivered.body,
    });
    if form.flaw == Some(SignatureFlaw::Replayed) {
        report["statuses"] = json!(delivered.statuses);
    }
    Ok(report)
}

/// Whether the endpoint answers a PING, and refuses one whose signature is wrong.
pub(crate) async fn verifies(endpoint: &Uri, id: Snowflake) -> bool {
    let ping = || payload::ping(id);
    let answered = deliver(endpoint, ping(), None).await;
    let is_pong = answered.body.as_ref().is_some_and(|body| body["type"] == PING);
    if answered.status() != Some(200) || !is_pong {
        return false;
    }
    deliver(endpoint, ping(), Some(SignatureFlaw::WrongSignature)).await.status() == Some(401)
}
