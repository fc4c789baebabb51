//! A member's roles as Discord has them now, and those that can be given.

use entities::{ChatId, RoleId, Subject};
use platforms::{ChatMember, ChatRole, GuildOverview, RoleProblem};

use crate::pages::guilds::bindings::rows::problem_words;
use crate::platform_cache::accounts::Account;
use crate::visit::GuildVisit;

/// Discord's data of a member.
#[derive(Default)]
pub(super) struct OnDiscord {
    /// Why Discord does not answer; empty: it does.
    pub(super) problem: String,
    /// The person is not in the server.
    pub(super) is_away: bool,
    /// The name in the server, or on Discord if they are not in it.
    pub(super) nick: Option<String>,
    /// Highest first.
    pub(super) held: Vec<Role>,
    /// The other roles, to give by hand.
    pub(super) others: Vec<Role>,
}

pub(super) struct Role {
    pub(super) id: RoleId,
    pub(super) name: String,
    /// Why Guildhall cannot change it; empty: it can.
    pub(super) problem: String,
}

impl OnDiscord {
    pub(super) async fn read(visit: &GuildVisit, chat: ChatId) -> Self {
        let (discord, call) = (&visit.platforms().chat, visit.call_context());
        let (member, overview) =
            futures_util::join!(discord.member(call, chat), discord.guild_overview(call));
        match (member, overview) {
            (Ok(Some(member)), Ok(overview)) => Self::of(visit, member, &overview),
            (Ok(None), _) => {
                let nick = match visit.console.accounts.find(call, Subject::Chat(chat)).await {
                    Ok(Account::Known { name, .. }) => Some(name),
                    _ => None,
                };
                Self { is_away: true, nick, ..Self::default() }
            }
            (Err(error), _) | (_, Err(error)) => {
                Self::silent(format!("Discord does not show this member at the moment: {error}."))
            }
        }
    }

    fn silent(problem: String) -> Self {
        Self { problem, ..Self::default() }
    }

    fn of(visit: &GuildVisit, member: ChatMember, overview: &GuildOverview) -> Self {
        let mut roles: Vec<&ChatRole> = overview.roles.iter().collect();
        roles.retain(|role| role.id.get() != overview.guild.get());
        roles.sort_by_key(|role| std::cmp::Reverse(role.position));
        let (held, others): (Vec<_>, Vec<_>) =
            roles.into_iter().partition(|role| member.roles.contains(&role.id));
        let shown = |role: &ChatRole, problem: Option<RoleProblem>| Role {
            id: role.id,
            name: role.name.clone(),
            problem: problem.map(problem_words).unwrap_or_default(),
        };
        let removable = |role: &ChatRole| overview.removable(role.id).err();
        let grantable = |role: &ChatRole| overview.grantable(role.id, &visit.grants).err();
        Self {
            problem: String::new(),
            is_away: false,
            nick: member.nick,
            held: held.iter().map(|role| shown(role, removable(role))).collect(),
            others: others.iter().map(|role| shown(role, grantable(role))).collect(),
        }
    }
}
