//! Messages that the bot writes by itself: to people, and in channels.

use entities::{ChannelId, ChatId};
use serde_json::Value;

use crate::endpoints::guild::{id, settle};
use crate::form;
use crate::message::form::MessageForm;
use crate::objects;
use crate::permissions::SEND_MESSAGES;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::SimulatorState;

pub(crate) fn open_direct(simulator: &Simulator, input: &Input) -> Reply {
    settle(form::read(&input.body).and_then(|form| {
        let user = read_recipient(form.get("recipient_id").unwrap_or(&Value::Null))?;
        let mut state = simulator.state_mut();
        let invalid = || Reply::chat_error(400, 50033, "Invalid Recipient(s)");
        if !state.users.contains(&user) {
            return Err(invalid());
        }
        let channel = state.conversations.direct_channel(user).ok_or_else(invalid)?;
        Ok(Reply::ok(objects::direct_channel(channel, user)))
    }))
}

fn read_recipient(value: &Value) -> Result<ChatId, Reply> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mistake = if value.is_null() { form::required() } else { form::not_snowflake(&text) };
    text.parse().map_err(|_| form::invalid("recipient_id", mistake))
}

pub(crate) fn create(simulator: &Simulator, input: &Input) -> Reply {
    settle(id(input, "channel", "channel_id").and_then(|channel: ChannelId| {
        let mut state = simulator.state_mut();
        may_write(&state, channel)?;
        let form = MessageForm::read(&form::read(&input.body)?)?.filled()?;
        let nonce = form.nonce.as_deref();
        if let Some(sent) = nonce.and_then(|nonce| state.conversations.with_nonce(channel, nonce)) {
            return Ok(Reply::ok(objects::message(sent)));
        }
        Ok(Reply::ok(objects::message(state.conversations.add_message(channel, form))))
    }))
}

fn may_write(state: &SimulatorState, channel: ChannelId) -> Result<(), Reply> {
    if let Some(user) = state.conversations.recipient(channel) {
        let closed = state.conversations.closed.contains(&user);
        let refused = || Reply::chat_error(403, 50007, "Cannot send messages to this user");
        return if closed { Err(refused()) } else { Ok(()) };
    }
    let guild = state.guilds.values().find(|guild| guild.channels.contains_key(&channel));
    guild.ok_or_else(|| Reply::chat_error(404, 10003, "Unknown Channel"))?.bot_may(SEND_MESSAGES)
}
