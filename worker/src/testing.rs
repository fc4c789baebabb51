//! Shorthands for ids and members in unit tests.

use entities::{ChatId, PlayId, RoleId};
use platforms::{Change, ChatMember};

pub(crate) fn role(id: i64) -> RoleId {
    RoleId::try_from(id).unwrap()
}

pub(crate) fn roles(ids: &[i64]) -> Vec<RoleId> {
    ids.iter().copied().map(role).collect()
}

pub(crate) fn chat(id: i64) -> ChatId {
    ChatId::try_from(id).unwrap()
}

pub(crate) fn play(id: i64) -> PlayId {
    PlayId::try_from(id).unwrap()
}

pub(crate) fn member(held: &[i64], nick: Option<&str>) -> ChatMember {
    ChatMember {
        chat_id: chat(7),
        username: "chatter".to_owned(),
        nick: nick.map(str::to_owned),
        roles: roles(held),
        is_bot: false,
        joined_at: None,
        is_pending: false,
    }
}

pub(crate) fn change(add: &[i64], remove: &[i64], nick: Option<&str>) -> Change {
    Change { add: roles(add), remove: roles(remove), nick: nick.map(str::to_owned) }
}
