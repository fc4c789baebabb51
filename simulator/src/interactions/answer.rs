//! The application's answer to an interaction takes effect: a message, a changed message, or a modal.

use serde_json::{Map, Value};

use crate::conversations::{Conversations, Interaction, now};
use crate::interactions::delivery::Delivered;
use crate::interactions::kinds::MODAL;
use crate::message::form::EPHEMERAL;
use crate::message::form::{MessageForm, empty};
use crate::message::modal;
use crate::reply::Reply;
use crate::snowflake::Snowflake;

const MESSAGE: u64 = 4;
const DEFERRED_MESSAGE: u64 = 5;
const DEFERRED_UPDATE: u64 = 6;
const UPDATE: u64 = 7;
const SHOW_MODAL: u64 = 9;

/// Returns the message that the answer made or changes. What the platform refuses makes the interaction fail.
pub(super) fn settle(all: &mut Conversations, id: Snowflake, delivered: &Delivered) -> Option<Snowflake> {
    let answer = match (delivered.status(), &delivered.body) {
        (None, _) => Err("no answer within 3 seconds".to_owned()),
        (Some(200), Some(body)) => Ok(body),
        (Some(200), None) => Err("the answer is not JSON".to_owned()),
        (Some(status), _) => Err(format!("answered {status}")),
    };
    let interaction = all.interactions.get_mut(&id)?;
    interaction.waits = None;
    if !interaction.answered
        && let Err(why) = answer.and_then(|body| take(all, id, body))
    {
        all.interactions.get_mut(&id)?.failed = Some(why);
    }
    all.interactions.get(&id)?.original
}

/// The answer takes effect.
pub(crate) fn take(all: &mut Conversations, id: Snowflake, body: &Value) -> Result<(), String> {
    let Effect { original, modal } = take_effect(all, id, body)?;
    let interaction = all.interactions.get_mut(&id).ok_or("the interaction is forgotten")?;
    (interaction.original, interaction.modal) = (original, modal);
    interaction.answered = true;
    Ok(())
}

#[derive(Default)]
struct Effect {
    original: Option<Snowflake>,
    modal: Option<Value>,
}

fn take_effect(all: &mut Conversations, id: Snowflake, body: &Value) -> Result<Effect, String> {
    let interaction = all.interactions.get(&id).ok_or("the interaction is forgotten")?;
    let none = Map::new();
    let data = body["data"].as_object().unwrap_or(&none);
    let refused = |reply: Reply| reply.body.unwrap_or_default().to_string();
    match (body["type"].as_u64(), interaction.source) {
        (Some(MESSAGE), _) => {
            let form = MessageForm::read(data).and_then(MessageForm::filled).map_err(refused)?;
            Ok(Effect { original: add(all, id, form, false), modal: None })
        }
        (Some(DEFERRED_MESSAGE), _) => {
            let form = MessageForm {
                flags: data.get("flags").and_then(Value::as_u64).unwrap_or(0),
                ..MessageForm::default()
            };
            Ok(Effect { original: add(all, id, form, true), modal: None })
        }
        (Some(DEFERRED_UPDATE), Some(source)) => Ok(Effect { original: Some(source), modal: None }),
        (Some(UPDATE), Some(source)) => {
            let form = MessageForm::read(data).map_err(refused)?;
            edit(all, source, form).map_err(refused)?;
            Ok(Effect { original: Some(source), modal: None })
        }
        (Some(SHOW_MODAL), _) if interaction.kind != MODAL => {
            modal::check(data).map_err(refused)?;
            Ok(Effect { original: None, modal: Some(data.clone().into()) })
        }
        (kind, _) => Err(format!("the answer type {kind:?} does not fit this interaction")),
    }
}

/// A message of an interaction in its channel.
pub(crate) fn add(
    all: &mut Conversations,
    id: Snowflake,
    form: MessageForm,
    thinking: bool,
) -> Option<Snowflake> {
    let (channel, user) = all.interactions.get(&id).map(|one: &Interaction| (one.channel, one.user))?;
    let is_ephemeral = form.flags & EPHEMERAL != 0;
    let message = all.add_message(channel, form);
    message.ephemeral_for = is_ephemeral.then_some(user);
    message.answers = Some(id);
    message.thinking = thinking;
    Some(message.id)
}

/// Changes a message; it must not become empty.
pub(crate) fn edit(all: &mut Conversations, id: Snowflake, form: MessageForm) -> Result<(), Reply> {
    let message = all.messages.get_mut(&id).ok_or_else(unknown_message)?;
    let mut changed = message.clone();
    changed.edit(form, now());
    if changed.content.trim().is_empty() && changed.embeds.is_empty() && changed.components.is_empty() {
        return Err(empty());
    }
    *message = changed;
    Ok(())
}

pub(crate) fn unknown_message() -> Reply {
    Reply::chat_error(404, 10008, "Unknown Message")
}
