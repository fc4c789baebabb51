//! People use the bot's commands, and read what it wrote.

use std::time::Instant;

use entities::{ChannelId, ChatId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::change;
use crate::handler::Pending;
use crate::interactions::{self, InteractionForm};
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::snowflake::Snowflake;

/// `POST /control/interactions`: waits for the answer, at most 3 seconds.
pub(crate) fn interact<'a>(simulator: &'a Simulator, input: &'a Input) -> Pending<'a> {
    Box::pin(async move {
        match serde_json::from_slice::<InteractionForm>(&input.body) {
            Ok(form) => interactions::send(simulator, &form).await.map_or_else(Reply::bad_control, Reply::ok),
            Err(error) => Reply::bad_control(error.to_string()),
        }
    })
}

/// `GET /control/interactions/:id`: its message as the person sees it now.
pub(crate) fn seen(simulator: &Simulator, input: &Input) -> Reply {
    let state = simulator.state();
    let id = input.param("id").parse().ok();
    id.and_then(|id| state.conversations.seen(id)).map_or_else(unknown_interaction, Reply::ok)
}

/// `DELETE /control/interactions/:id/token`: as if its 15 minutes were over.
pub(crate) fn end_token(simulator: &Simulator, input: &Input) -> Reply {
    let mut state = simulator.state_mut();
    let id = input.param("id").parse::<Snowflake>().ok();
    match id.and_then(|id| state.conversations.interactions.get_mut(&id)) {
        Some(interaction) => {
            interaction.until = Instant::now();
            Reply::empty()
        }
        None => unknown_interaction(),
    }
}

fn unknown_interaction() -> Reply {
    Reply::json(404, json!({ "message": "unknown interaction" }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DirectMessagesForm {
    chat_id: ChatId,
    closed: bool,
}

/// `POST /control/direct-messages`: whether a person takes direct messages.
pub(crate) fn change_direct_messages(simulator: &Simulator, input: &Input) -> Reply {
    change(input, |form: DirectMessagesForm| {
        let mut state = simulator.state_mut();
        if !state.users.contains(&form.chat_id) {
            return Err("chat_id: unknown user".to_owned());
        }
        if form.closed {
            state.conversations.closed.insert(form.chat_id);
        } else {
            state.conversations.closed.remove(&form.chat_id);
        }
        Ok(())
    })
}

/// `GET /control/messages`: what stands in a channel, or in the direct messages with a person, oldest first.
pub(crate) fn messages(simulator: &Simulator, input: &Input) -> Reply {
    let all = &simulator.state().conversations;
    let channel = match (input.query("channel_id"), input.query("chat_id")) {
        (Some(channel), None) => channel.parse::<ChannelId>().map(Some),
        (None, Some(chat)) => chat.parse().map(|chat: ChatId| all.direct.get(&chat).copied()),
        _ => return Reply::bad_control("channel_id: give channel_id or chat_id"),
    };
    let Ok(channel) = channel else { return Reply::bad_control("channel_id: must be a snowflake") };
    let shown = channel.into_iter().flat_map(|channel| all.in_channel(channel));
    let shown = shown.filter(|message| message.ephemeral_for.is_none());
    Reply::ok(json!({ "messages": shown.map(crate::message::Message::report).collect::<Vec<Value>>() }))
}
