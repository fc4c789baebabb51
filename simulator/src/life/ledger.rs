//! What others than the bot changed and the bot must leave alone: roles without a binding, and everything of members without
//! a link.

use std::collections::BTreeMap;

use entities::{ChatId, GuildId, RoleId};

use crate::member_change::MemberChange;
use crate::state::{Guild, Member, SimulatorState};

#[derive(Default)]
pub(super) struct Ledger(BTreeMap<(GuildId, ChatId), Kept>);

#[derive(Default)]
struct Kept {
    /// Whether the member is to hold the role.
    roles: BTreeMap<RoleId, bool>,
    /// Empty: the member is to have none.
    nick: Option<Box<str>>,
}

/// The guild's member whom a change concerns.
pub(super) fn member<'a>(state: &'a SimulatorState, change: &MemberChange) -> Option<&'a Member> {
    state.guilds.get(&change.guild_id?)?.members.get(&change.chat_id?)
}

impl Ledger {
    /// Notes what a change made of a member who was like `before`.
    pub(super) fn note(&mut self, state: &SimulatorState, change: &MemberChange, before: Option<&Member>) {
        let (Some(guild_id), Some(user)) = (change.guild_id, change.chat_id) else { return };
        let Some(guild) = state.guilds.get(&guild_id) else { return };
        let (Some(after), Some(before)) = (guild.members.get(&user), before) else {
            // Whoever leaves loses everything, and comes back with nothing.
            self.0.remove(&(guild_id, user));
            return;
        };
        let is_linked = guild.linked.contains_key(&user);
        let kept = self.0.entry((guild_id, user)).or_default();
        for role in before.roles.iter().chain(&after.roles) {
            let is_held = after.roles.contains(role);
            if is_held != before.roles.contains(role) && !(is_linked && guild.managed.contains(role)) {
                kept.roles.insert(*role, is_held);
            }
        }
        if after.nick != before.nick && !is_linked {
            kept.nick = Some(after.nick.clone().unwrap_or_default());
        }
    }

    /// Members who are not as they were left, with a role, or `nick`.
    pub(super) fn undone(&self, state: &SimulatorState) -> impl Iterator<Item = (GuildId, ChatId, String)> {
        self.0.iter().filter_map(|((guild_id, user), kept)| {
            let guild: &Guild = state.guilds.get(guild_id)?;
            // Whoever was removed by others is no member of theirs any more.
            let member = guild.members.get(user)?;
            let is_undone = |(role, held): &(&RoleId, &bool)| {
                guild.roles.contains_key(role) && member.roles.contains(role) != **held
            };
            let role = kept.roles.iter().find(is_undone).map(|(role, _)| role.to_string());
            let nick =
                kept.nick.as_deref().filter(|nick| *nick != member.nick.as_deref().unwrap_or_default());
            let nick = nick.map(|_| "nick".to_owned());
            Some((*guild_id, *user, role.or(nick)?))
        })
    }
}
