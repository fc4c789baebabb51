//! The expected roles and nickname of every member, computed from the fixture without any code of the worker, so that the
//! demo checks the worker.

use std::collections::{BTreeSet, HashMap, HashSet};

use anyhow::Context as _;
use entities::binding::Condition;
use entities::{ChatId, GroupId, GuildId, PlayId, RoleId};
use futures_util::{StreamExt, TryStreamExt};
use serde::Deserialize;

use super::http_client::HttpClient;
use crate::fixture::{Binding, Fixture, Link};

const CONCURRENCY: usize = 8;

/// The part of the fixture that only the simulator reads.
#[derive(Deserialize)]
struct SimulatorPart {
    chat: Chat,
    play: Play,
}

#[derive(Deserialize)]
struct Chat {
    guilds: Vec<ChatGuild>,
}

#[derive(Deserialize)]
struct ChatGuild {
    members: Vec<ChatMember>,
}

#[derive(Deserialize)]
struct ChatMember {
    chat_id: ChatId,
}

#[derive(Deserialize)]
struct Play {
    groups: Vec<Group>,
    users: Vec<Player>,
}

#[derive(Deserialize)]
struct Player {
    play_id: PlayId,
}

#[derive(Deserialize)]
struct Group {
    group_id: GroupId,
    members: Vec<Ranked>,
}

#[derive(Deserialize)]
struct Ranked {
    play_id: PlayId,
    rank: i32,
}

/// A member as the simulator's control API shows one.
#[derive(Deserialize)]
struct SimulatedMember {
    nick: Option<String>,
    roles: BTreeSet<RoleId>,
}

pub(super) struct Expected {
    pub(super) guild: GuildId,
    /// Roles with a binding; the sync leaves all others alone.
    pub(super) managed: BTreeSet<RoleId>,
    pub(super) members: Vec<Member>,
    /// A member without a link, whose game account is in the group.
    pub(super) newcomer: ChatId,
    /// Players without a link.
    pub(super) strangers: Vec<PlayId>,
}

pub(super) struct Member {
    pub(super) chat_id: ChatId,
    pub(super) play_id: PlayId,
    pub(super) roles: BTreeSet<RoleId>,
    pub(super) nick: String,
}

impl Expected {
    pub(super) fn from_fixture(text: &str) -> anyhow::Result<Self> {
        let fixture = Fixture::parse(text.as_bytes(), "the demo's fixture")?;
        let guild = fixture.guilds.into_iter().next().context("the demo's fixture has no guild")?;
        let file: SimulatorPart = serde_json::from_str(text).context("the demo's fixture cannot be read")?;
        let groups = file.play.groups.iter();
        let ranks: HashMap<(GroupId, PlayId), i32> = groups
            .flat_map(|group| {
                group.members.iter().map(|ranked| ((group.group_id, ranked.play_id), ranked.rank))
            })
            .collect();
        let linked: HashSet<ChatId> = guild.links.iter().map(|link| link.chat_id).collect();
        let mut people = file.chat.guilds.iter().flat_map(|guild| &guild.members).map(|one| one.chat_id);
        let newcomer =
            people.find(|one| !linked.contains(one)).context("the demo's fixture has no newcomer")?;
        let linked: HashSet<PlayId> = guild.links.iter().map(|link| link.play_id).collect();
        let players = file.play.users.iter().map(|player| player.play_id);
        let strangers = players.filter(|player| !linked.contains(player)).collect();
        let members = guild.links.iter().map(|link| member(link, &guild.bindings, &ranks)).collect();
        let managed = guild.bindings.iter().map(|binding| binding.role_id).collect();
        Ok(Self { guild: guild.id, managed, members, newcomer, strangers })
    }

    pub(super) fn first_member(&self) -> Option<ChatId> {
        self.members.first().map(|member| member.chat_id)
    }

    /// The number of simulated members whose roles or nickname differ from the expected ones.
    pub(super) async fn count_wrong(&self, simulator: &HttpClient) -> anyhow::Result<u64> {
        futures_util::stream::iter(&self.members)
            .map(|member| self.is_wrong(member, simulator))
            .buffer_unordered(CONCURRENCY)
            .try_fold(0, |wrong, is_wrong| std::future::ready(Ok(wrong + u64::from(is_wrong))))
            .await
    }

    async fn is_wrong(&self, member: &Member, simulator: &HttpClient) -> anyhow::Result<bool> {
        let path = format!("/control/chat/guilds/{}/members/{}", self.guild, member.chat_id);
        let actual: SimulatedMember =
            serde_json::from_value(simulator.get(&path).await?).context("a simulated member")?;
        let managed: BTreeSet<RoleId> = actual.roles.intersection(&self.managed).copied().collect();
        Ok(managed != member.roles || actual.nick.as_deref() != Some(member.nick.as_str()))
    }
}

fn member(link: &Link, bindings: &[Binding], ranks: &HashMap<(GroupId, PlayId), i32>) -> Member {
    let rank_in = |group: GroupId| ranks.get(&(group, link.play_id)).copied().unwrap_or(0);
    let matching = bindings.iter().filter(|binding| {
        // The demo's fixture has no other type.
        matches!(binding.rule().map(|rule| rule.condition), Ok(Condition::GroupRank { group, rank })
            if rank_in(group) == rank)
    });
    Member {
        chat_id: link.chat_id,
        play_id: link.play_id,
        roles: matching.map(|binding| binding.role_id).collect(),
        nick: link.play_username.clone(),
    }
}
