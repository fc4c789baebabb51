//! Both platforms on whose page people authorize an application.

use entities::{ChatId, PlayId};

use super::Platform;
use crate::grants::Grants;
use crate::options::Application;
use crate::simulator::{Records, Simulator};
use crate::state::{Guild, SimulatorState};

/// And for each group.
const PEOPLE_PER_GUILD: usize = 20;

pub(crate) struct Chat;

impl Platform for Chat {
    type User = ChatId;
    const NAME: &'static str = "chat";
    const SCOPES: &'static [&'static str] =
        &["identify", "email", "connections", "guilds", "guilds.members.read", "role_connections.write"];

    fn application(simulator: &Simulator) -> &Application {
        &simulator.options.application
    }

    fn grants(records: &mut Records) -> &mut Grants<ChatId> {
        &mut records.grants
    }

    fn person(state: &SimulatorState, id: &str) -> Option<ChatId> {
        let id = id.parse().ok()?;
        let is_bot = |guild: &Guild| guild.members.get(&id).is_some_and(|member| member.bot);
        Some(id).filter(|id| state.users.contains(id) && !state.guilds.values().any(is_bot))
    }

    /// The owner and some members of each guild.
    fn people(state: &SimulatorState) -> Vec<(ChatId, String)> {
        let mut people = Vec::new();
        for guild in state.guilds.values() {
            let owner = guild.owner.and_then(|owner| Some((owner, guild.members.get(&owner)?)));
            let humans = guild.members.iter().filter(|(id, member)| !member.bot && !guild.is_owner(**id));
            let others = humans.map(|(id, member)| (*id, member)).take(PEOPLE_PER_GUILD);
            people.extend(owner.into_iter().chain(others).map(|(id, member)| {
                let owns = if guild.is_owner(id) { ", owner" } else { "" };
                (id, format!("{} ({}{owns})", member.nick.as_deref().unwrap_or_default(), guild.name))
            }));
        }
        people
    }
}

pub(crate) struct Play;

impl Platform for Play {
    type User = PlayId;
    const NAME: &'static str = "game";
    const SCOPES: &'static [&'static str] = &["openid", "profile"];

    fn application(simulator: &Simulator) -> &Application {
        &simulator.options.play_application
    }

    fn grants(records: &mut Records) -> &mut Grants<PlayId> {
        &mut records.play_grants
    }

    fn person(state: &SimulatorState, id: &str) -> Option<PlayId> {
        id.parse().ok().filter(|id| state.names.contains_key(id))
    }

    /// Some members of each group.
    fn people(state: &SimulatorState) -> Vec<(PlayId, String)> {
        let mut people = Vec::new();
        for group in state.groups.values() {
            let named = group.members.keys().filter_map(|id| Some((*id, state.names.get(id)?)));
            let named = named.take(PEOPLE_PER_GUILD);
            people.extend(named.map(|(id, name)| (id, format!("{name} ({})", group.name))));
        }
        people
    }
}
