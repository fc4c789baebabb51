//! Answers to interactions: the token in the path is the credential, for the first answer 3 seconds, for others 15 minutes.

use std::time::Instant;

use serde_json::Value;

use crate::conversations::{Conversations, Interaction};
use crate::endpoints::guild::settle;
use crate::form;
use crate::interactions::{add, edit, take, unknown_message};
use crate::message::Message;
use crate::message::form::MessageForm;
use crate::objects;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::snowflake::Snowflake;
use crate::state::BOT_USER;

/// The answered interaction of the path.
fn interaction<'c>(all: &'c Conversations, input: &Input) -> Result<(Snowflake, &'c Interaction), Reply> {
    let unknown = || Reply::chat_error(404, 10015, "Unknown Webhook");
    if input.param("app") != BOT_USER.to_string() {
        return Err(unknown());
    }
    let valid = |one: &Interaction| one.token == input.param("token") && one.until > Instant::now();
    let found = all.interactions.iter().find(|(_, one)| valid(one));
    let (id, found) = found.ok_or_else(|| Reply::chat_error(401, 50027, "Invalid Webhook Token"))?;
    if found.answered { Ok((*id, found)) } else { Err(unknown()) }
}

/// The first answer to an interaction of the event stream.
pub(crate) fn answer(simulator: &Simulator, input: &Input) -> Reply {
    let all = &mut simulator.state_mut().conversations;
    settle(first_answer(all, input).map(|()| Reply::empty()))
}

fn first_answer(all: &mut Conversations, input: &Input) -> Result<(), Reply> {
    let unknown = || Reply::chat_error(404, 10062, "Unknown interaction");
    let id: Snowflake = input.param("id").parse().map_err(|_| unknown())?;
    let valid = |one: &&mut Interaction| one.token == input.param("token");
    let found = all.interactions.get_mut(&id).filter(valid).ok_or_else(unknown)?;
    if found.answered {
        return Err(Reply::chat_error(400, 40060, "Interaction has already been acknowledged."));
    }
    // Nobody waits after 3 s.
    let waits = found.waits.take().filter(|waits| !waits.is_closed()).ok_or_else(unknown)?;
    let body = Value::Object(form::read(&input.body)?);
    match take(all, id, &body) {
        Ok(()) => _ = waits.send(body),
        Err(why) => {
            // Another answer may come.
            if let Some(found) = all.interactions.get_mut(&id) {
                found.waits = Some(waits);
            }
            return Err(form::invalid("data", ("INVALID", why)));
        }
    }
    Ok(())
}

fn original(all: &Conversations, input: &Input) -> Result<Snowflake, Reply> {
    interaction(all, input)?.1.original.ok_or_else(unknown_message)
}

fn shown(all: &Conversations, id: Snowflake) -> Result<Reply, Reply> {
    all.messages.get(&id).map(|message| Reply::ok(objects::message(message))).ok_or_else(unknown_message)
}

pub(crate) fn read(simulator: &Simulator, input: &Input) -> Reply {
    let all = &simulator.state().conversations;
    settle(original(all, input).and_then(|id| shown(all, id)))
}

pub(crate) fn update(simulator: &Simulator, input: &Input) -> Reply {
    let all = &mut simulator.state_mut().conversations;
    settle(original(all, input).and_then(|id| {
        edit(all, id, MessageForm::read(&form::read(&input.body)?)?)?;
        shown(all, id)
    }))
}

pub(crate) fn delete(simulator: &Simulator, input: &Input) -> Reply {
    let all = &mut simulator.state_mut().conversations;
    let deleted = original(all, input)
        .and_then(|id| all.messages.remove(&id).map(|_| Reply::empty()).ok_or_else(unknown_message));
    settle(deleted)
}

/// A further message. The first one after a deferred answer takes its place.
pub(crate) fn create(simulator: &Simulator, input: &Input) -> Reply {
    let all = &mut simulator.state_mut().conversations;
    settle(interaction(all, input).map(|(id, found)| (id, found.original)).and_then(|(id, original)| {
        let form = MessageForm::read(&form::read(&input.body)?)?.filled()?;
        let thinks = |message: &Message| message.thinking && message.answers == Some(id);
        match original.filter(|original| all.messages.get(original).is_some_and(thinks)) {
            Some(original) => {
                edit(all, original, form)?;
                shown(all, original)
            }
            None => add(all, id, form, false).ok_or_else(unknown_message).and_then(|id| shown(all, id)),
        }
    }))
}
