//! What a person does, checked as the platform's client allows it, becomes an interaction.

use entities::{ChannelId, ChatId, GuildId};
use http::Uri;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use crate::application_key::SignatureFlaw;
use crate::conversations::Interaction;
use crate::interactions::command::{self, Resolved};
use crate::interactions::kinds::{COMMAND, COMPONENT, MODAL, is_button, is_text_select};
use crate::interactions::payload;
use crate::message::{components, modal};
use crate::snowflake::Snowflake;
use crate::state::{Guild, SimulatorState};

/// As sent to `POST /control/interactions`: a command, the press of a component or a submitted modal.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InteractionForm {
    pub(crate) guild_id: Option<GuildId>,
    pub(crate) user_id: Option<ChatId>,
    /// `general` if absent.
    pub(crate) channel_id: Option<ChannelId>,
    /// With the name of its subcommand.
    pub(crate) command: Option<String>,
    #[serde(default)]
    pub(crate) options: Map<String, Value>,
    pub(crate) message_id: Option<Snowflake>,
    /// The `custom_id` of a button, or with `values` of a select.
    pub(crate) press: Option<String>,
    pub(crate) values: Option<Vec<String>>,
    /// The interaction whose answer was the modal.
    pub(crate) interaction_id: Option<Snowflake>,
    /// The `custom_id` of the modal.
    pub(crate) submit: Option<String>,
    #[serde(default)]
    pub(crate) fields: Map<String, Value>,
    pub(crate) flaw: Option<SignatureFlaw>,
}

pub(super) struct Prepared {
    pub(super) id: Snowflake,
    pub(super) way: Way,
    pub(super) payload: Value,
}

/// How the interaction reaches the application.
pub(super) enum Way {
    Endpoint(Uri),
    /// Where there is no endpoint; its answer comes here.
    Stream(oneshot::Receiver<Value>),
}

pub(super) fn prepare(state: &mut SimulatorState, form: &InteractionForm) -> Result<Prepared, String> {
    let user = form.user_id.ok_or("user_id: missing")?;
    let (mut interaction, data) = match (&form.command, &form.press, &form.submit) {
        (Some(typed), None, None) => typed_command(state, form, user, typed)?,
        (None, Some(custom_id), None) => pressed(state, form, user, custom_id)?,
        (None, None, Some(custom_id)) => submitted(state, form, user, custom_id)?,
        _ => return Err("command: give one of command, press and submit".to_owned()),
    };
    let endpoint = state.conversations.endpoint.clone();
    if endpoint.is_none() && form.flaw.is_some() {
        return Err("flaw: the event stream has no signatures".to_owned());
    }
    let id = state.conversations.new_id();
    let payload = payload::body(state, id, &interaction, data).ok_or("user_id: not a member of the guild")?;
    let way = match endpoint {
        Some(endpoint) => Way::Endpoint(endpoint),
        None => {
            let (waits, answer) = oneshot::channel();
            interaction.waits = Some(waits);
            state.stream.interaction(interaction.guild, &payload);
            Way::Stream(answer)
        }
    };
    state.conversations.add_interaction(id, interaction);
    Ok(Prepared { id, way, payload })
}

type Act = (Interaction, Value);

fn typed_command(
    state: &SimulatorState,
    form: &InteractionForm,
    user: ChatId,
    typed: &str,
) -> Result<Act, String> {
    let guild_id = form.guild_id.ok_or("guild_id: missing beside command")?;
    let guild = state.guilds.get(&guild_id).ok_or("guild_id: unknown guild")?;
    let channel = form.channel_id.or_else(|| Guild::general(guild_id));
    let channel = channel.filter(|channel| guild.channels.contains_key(channel));
    let channel = channel.ok_or("channel_id: unknown channel")?;
    let data = command::data(state, guild_id, typed, &form.options)?;
    Ok((Interaction::new(COMMAND, user, Some(guild_id), channel), data))
}

fn pressed(
    state: &SimulatorState,
    form: &InteractionForm,
    user: ChatId,
    custom_id: &str,
) -> Result<Act, String> {
    let source = form.message_id.ok_or("message_id: missing beside press")?;
    let message = state.conversations.messages.get(&source);
    let message =
        message.filter(|message| message.is_visible_to(user)).ok_or("message_id: not to be seen")?;
    let component =
        components::in_rows(&message.components).find(|component| component["custom_id"] == custom_id);
    let component = component.filter(|component| component["disabled"] != true);
    let component = component.ok_or("press: the message has no such component, or it is disabled")?;
    let recipient = state.conversations.recipient(message.channel);
    if recipient.is_some_and(|recipient| recipient != user) {
        return Err("message_id: not to be seen".to_owned());
    }
    let in_guild = |guild: &&Guild| guild.channels.contains_key(&message.channel);
    let guild = state.guilds.iter().find(|(_, guild)| in_guild(guild)).map(|(id, _)| *id);
    let data = component_data(state, guild, component, form.values.as_deref())?;
    let mut interaction = Interaction::new(COMPONENT, user, guild, message.channel);
    interaction.source = Some(source);
    Ok((interaction, data))
}

fn component_data(
    state: &SimulatorState,
    guild_id: Option<GuildId>,
    component: &Value,
    values: Option<&[String]>,
) -> Result<Value, String> {
    let mut data = json!({ "custom_id": component["custom_id"], "component_type": component["type"],
                           "id": component["id"] });
    let values = match values {
        None if is_button(component) => return Ok(data),
        Some(values) if !is_button(component) => values,
        None => return Err("values: missing for a select".to_owned()),
        Some(_) => return Err("values: a button has none".to_owned()),
    };
    let limit = |name: &str| usize::try_from(component[name].as_u64().unwrap_or(1)).unwrap_or(usize::MAX);
    if !(limit("min_values")..=limit("max_values")).contains(&values.len()) {
        return Err("values: too many or too few".to_owned());
    }
    data["values"] = json!(values);
    if is_text_select(component) {
        let options = component["options"].as_array().map_or(&[][..], Vec::as_slice);
        let unknown =
            values.iter().find(|value| !options.iter().any(|option| option["value"] == value.as_str()));
        return unknown.map_or(Ok(data), |value| Err(format!("values: no option {value:?}")));
    }
    let kind = match component["type"].as_u64() {
        Some(5) => command::USER,
        Some(6) => command::ROLE,
        Some(7) => command::MENTIONABLE,
        _ => command::CHANNEL,
    };
    let guild_id = guild_id.ok_or("values: the select is not in a guild")?;
    let guild = state.guilds.get(&guild_id).ok_or("guild_id: unknown guild")?;
    let mut resolved = Resolved { state, guild_id, guild, found: Map::new() };
    for value in values {
        resolved.add(kind, value).map_err(|what| format!("values: {value} {what}"))?;
    }
    data["resolved"] = resolved.found.into();
    Ok(data)
}

fn submitted(
    state: &SimulatorState,
    form: &InteractionForm,
    user: ChatId,
    custom_id: &str,
) -> Result<Act, String> {
    let origin = form.interaction_id.ok_or("interaction_id: missing beside submit")?;
    let origin = state.conversations.interactions.get(&origin).filter(|origin| origin.user == user);
    let origin = origin.ok_or("interaction_id: not one of this person")?;
    let shown = origin.modal.as_ref().filter(|modal| modal["custom_id"] == custom_id);
    let shown = shown.ok_or("submit: its answer was not this modal")?;
    let components = modal::submitted(shown, &form.fields)?;
    let mut interaction = Interaction::new(MODAL, user, origin.guild, origin.channel);
    interaction.source = origin.source;
    Ok((interaction, json!({ "custom_id": custom_id, "components": components })))
}
