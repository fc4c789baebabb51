//! An interaction as the platform sends it.

use std::collections::HashMap;

use entities::{ChatId, GuildId};
use platforms::{ChatUser, Permissions};
use serde::Deserialize;
use serde_json::Value;

use crate::form::Filled;

/// A flag of messages that only one person sees.
pub(crate) const EPHEMERAL: u64 = 1 << 6;
const SUBCOMMAND: u8 = 1;

/// The body is no interaction that this version knows.
#[derive(Debug, thiserror::Error)]
#[error("the body is not an interaction: {0}")]
pub struct Unreadable(#[from] serde_json::Error);

/// Somebody did something, or the platform asks whether anybody is here.
pub struct Interaction {
    /// Numbers of the platform: each comes once.
    pub(crate) id: u64,
    pub(crate) application: ChatId,
    /// The credential for changes of the answer.
    pub(crate) token: String,
    pub(crate) ask: Ask,
}

pub(crate) enum Ask {
    Ping,
    /// Suggestions for an option; no command has any.
    Suggestions,
    Person(Box<Asked>),
}

/// What a person did in a guild.
#[derive(Debug)]
pub(crate) struct Asked {
    /// `None`: in a direct message.
    pub(crate) guild: Option<GuildId>,
    pub(crate) user: ChatUser,
    /// Names the file of their picture.
    pub(crate) avatar: Option<String>,
    /// Of the person in the channel, which includes those in the whole guild.
    pub(crate) permissions: Permissions,
    pub(crate) deed: Deed,
    /// The people that options name.
    pub(crate) people: HashMap<ChatId, ChatUser>,
    /// The message of the button or form is shown to this person only.
    pub(crate) in_own_message: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// A command with its subcommand, if it has one, and its options.
    Typed { command: String, subcommand: String, options: Options },
    /// A button, by its id.
    Pressed { id: String },
    /// A form, by its id, with its fields.
    Sent { id: String, fields: Options },
}

/// Values by name. The platform has checked that those of numbers and people are such.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options(HashMap<String, String>);

impl Options {
    /// Without spaces around it; empty: absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |text| text.trim())
    }

    pub(crate) fn read<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name).parse().ok()
    }

    fn of(options: Vec<OptionBody>) -> Self {
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        Self(options.into_iter().map(|option| (option.name, text(option.value))).collect())
    }
}

#[derive(Deserialize)]
struct Body {
    id: String,
    application_id: ChatId,
    #[serde(rename = "type")]
    kind: u8,
    token: String,
    guild_id: Option<GuildId>,
    member: Option<MemberBody>,
    user: Option<UserBody>,
    #[serde(default)]
    data: Data,
    message: Option<MessageBody>,
}

#[derive(Deserialize)]
struct MemberBody {
    user: UserBody,
    permissions: Permissions,
}

#[derive(Deserialize)]
struct UserBody {
    #[serde(flatten)]
    account: ChatUser,
    avatar: Option<String>,
}

#[derive(Deserialize)]
struct MessageBody {
    #[serde(default)]
    flags: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Data {
    name: String,
    options: Vec<OptionBody>,
    resolved: Resolved,
    custom_id: String,
    components: Vec<Filled>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OptionBody {
    #[serde(rename = "type")]
    kind: u8,
    name: String,
    value: Value,
    options: Vec<OptionBody>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Resolved {
    users: HashMap<ChatId, ChatUser>,
}

impl Interaction {
    pub fn read(body: &[u8]) -> Result<Self, Unreadable> {
        let body: Body = serde_json::from_slice(body)?;
        let id = body.id.parse().map_err(|_| error("`id` is not a number"))?;
        let (application, token) = (body.application_id, body.token.clone());
        let ask = match body.kind {
            1 => Ask::Ping,
            4 => Ask::Suggestions,
            _ => Ask::Person(Box::new(Asked::read(body)?)),
        };
        Ok(Self { id, application, token, ask })
    }
}

impl Asked {
    fn read(body: Body) -> Result<Self, Unreadable> {
        let deed = Deed::read(
            body.kind,
            body.data.name,
            body.data.options,
            body.data.custom_id,
            body.data.components,
        )?;
        let (user, permissions) = match (body.member, body.user) {
            (Some(member), _) => (member.user, member.permissions),
            (None, Some(user)) => (user, Permissions::default()),
            (None, None) => return Err(error("neither `member` nor `user`")),
        };
        let in_own_message = body.message.is_some_and(|message| message.flags & EPHEMERAL != 0);
        let people = body.data.resolved.users;
        let UserBody { account: user, avatar } = user;
        Ok(Self { guild: body.guild_id, user, avatar, permissions, deed, people, in_own_message })
    }
}

impl Deed {
    fn read(
        kind: u8,
        command: String,
        mut options: Vec<OptionBody>,
        id: String,
        rows: Vec<Filled>,
    ) -> Result<Self, Unreadable> {
        Ok(match kind {
            2 if options.first().is_some_and(|option| option.kind == SUBCOMMAND) => {
                let OptionBody { name: subcommand, options, .. } = options.remove(0);
                Self::Typed { command, subcommand, options: Options::of(options) }
            }
            2 => Self::Typed { command, subcommand: String::new(), options: Options::of(options) },
            3 => Self::Pressed { id },
            5 => {
                let fields = rows.into_iter().flat_map(Filled::fields);
                Self::Sent { id, fields: Options(fields.collect()) }
            }
            _ => return Err(error("`type` is unknown")),
        })
    }
}

fn error(what: &'static str) -> Unreadable {
    Unreadable(serde::de::Error::custom(what))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(kind: u8, data: &Value) -> Asked {
        let user = json!({ "id": "300000000000000001", "username": "ann", "global_name": "Ann" });
        let body = json!({ "id": "11", "application_id": "900000000000000001", "type": kind, "token": "t", "version": 1,
                           "guild_id": "100000000000000001", "data": data, "message": { "flags": 64 },
                           "member": { "user": user, "permissions": "32", "roles": [] } });
        match Interaction::read(body.to_string().as_bytes()).unwrap().ask {
            Ask::Person(asked) => *asked,
            Ask::Ping | Ask::Suggestions => panic!("a person asked"),
        }
    }

    #[test]
    fn commands_buttons_and_forms_are_read_as_the_platform_sends_them() {
        let person = json!({ "id": "300000000000000002", "username": "bo", "global_name": null });
        let data = json!({ "id": "1", "name": "ban", "resolved": { "users": { "300000000000000002": person } },
                           "options": [{ "name": "person", "type": 6, "value": "300000000000000002" },
                                       { "name": "days", "type": 4, "value": 3 }] });
        let asked = read(2, &data);
        assert_eq!((asked.user.name.as_str(), asked.in_own_message), ("Ann", true));
        let Deed::Typed { command, subcommand, options } = &asked.deed else { panic!("{:?}", asked.deed) };
        assert_eq!((command.as_str(), subcommand.as_str()), ("ban", ""));
        let named: ChatId = options.read("person").unwrap();
        assert_eq!((options.read("days"), options.text("other")), (Some(3), ""));
        assert_eq!(asked.people[&named].name, "bo");

        let inner = json!([{ "name": "button", "type": 1, "options": [{ "name": "text", "type": 3, "value": " hi " }] }]);
        let asked = read(2, &json!({ "name": "setup", "options": inner }));
        let Deed::Typed { subcommand, options, .. } = &asked.deed else { panic!("{:?}", asked.deed) };
        assert_eq!((subcommand.as_str(), options.text("text")), ("button", "hi"));

        let pressed = read(3, &json!({ "component_type": 2, "custom_id": "link:start" }));
        assert_eq!(pressed.deed, Deed::Pressed { id: "link:start".to_owned() });
        let rows = json!([{ "type": 1, "components": [{ "type": 4, "custom_id": "name", "value": "Bob" }] }]);
        let sent = read(5, &json!({ "custom_id": "link:profile", "components": rows }));
        let Deed::Sent { id, fields } = &sent.deed else { panic!("{:?}", sent.deed) };
        assert_eq!((id.as_str(), fields.text("name")), ("link:profile", "Bob"));
        let labels = json!([{ "type": 18, "component": { "type": 4, "custom_id": "a", "value": "Bob" } },
                            { "type": 18, "component": { "type": 3, "custom_id": "b", "values": ["Red"] } },
                            { "type": 18, "component": { "type": 22, "custom_id": "c", "values": [] } }]);
        let sent = read(5, &json!({ "custom_id": "apply:7:1", "components": labels }));
        let Deed::Sent { fields, .. } = &sent.deed else { panic!("{:?}", sent.deed) };
        assert_eq!(["a", "b", "c"].map(|name| fields.text(name)), ["Bob", "Red", ""]);
    }

    #[test]
    fn anything_else_is_unreadable() {
        let user = json!({ "id": "300000000000000001", "username": "ann" });
        let whole = json!({ "id": "11", "application_id": "900000000000000001", "type": 2, "token": "t", "user": user });
        assert!(Interaction::read(whole.to_string().as_bytes()).is_ok());
        for (field, value) in
            [("id", json!("x")), ("type", json!(9)), ("user", json!(null)), ("token", json!(1))]
        {
            let mut broken = whole.clone();
            broken[field] = value;
            assert!(Interaction::read(broken.to_string().as_bytes()).is_err(), "{field}");
        }
        assert!(Interaction::read(b"").is_err() && Interaction::read(b"[]").is_err());
    }
}
