//! What every member of the fixture should look like, worked out from the fixture alone: none of the worker's code is
//! asked, so that it is a check of it.

use std::collections::{BTreeSet, HashMap};

use anyhow::Context as _;
use entities::{ChatId, GroupId, GuildId, PlayId, RoleId};
use futures_util::{StreamExt, TryStreamExt};
use serde::Deserialize;

use super::peer::Peer;

/// Members looked up at the simulator at a time.
const LOOKS: usize = 8;

#[derive(Deserialize)]
struct File {
    guilds: Vec<Guild>,
    play: Play,
}

#[derive(Deserialize)]
struct Guild {
    #[serde(rename = "guild_id")]
    id: GuildId,
    links: Vec<Link>,
    bindings: Vec<Binding>,
}

#[derive(Deserialize)]
struct Link {
    chat_id: ChatId,
    play_id: PlayId,
    play_username: String,
}

#[derive(Deserialize)]
struct Binding {
    group_id: GroupId,
    rank: i64,
    role_id: RoleId,
}

#[derive(Deserialize)]
struct Play {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    group_id: GroupId,
    members: Vec<Ranked>,
}

#[derive(Deserialize)]
struct Ranked {
    play_id: PlayId,
    rank: i64,
}

/// A member as the simulator's control side shows one.
#[derive(Deserialize)]
struct Held {
    nick: Option<String>,
    roles: BTreeSet<RoleId>,
}

pub(super) struct Wanted {
    pub(super) guild: GuildId,
    /// Roles the bindings speak of; others are nobody's business.
    managed: BTreeSet<RoleId>,
    members: Vec<Member>,
}

struct Member {
    chat_id: ChatId,
    roles: BTreeSet<RoleId>,
    nick: String,
}

impl Wanted {
    pub(super) fn of_fixture(text: &str) -> anyhow::Result<Self> {
        let file: File = serde_json::from_str(text).context("the demo's fixture cannot be read")?;
        let guild = file.guilds.into_iter().next().context("the demo's fixture has no guild")?;
        let groups = file.play.groups.iter();
        let ranks: HashMap<(GroupId, PlayId), i64> = groups
            .flat_map(|group| {
                group.members.iter().map(|ranked| ((group.group_id, ranked.play_id), ranked.rank))
            })
            .collect();
        let members = guild.links.iter().map(|link| member(link, &guild.bindings, &ranks)).collect();
        let managed = guild.bindings.iter().map(|binding| binding.role_id).collect();
        Ok(Self { guild: guild.id, managed, members })
    }

    pub(super) fn members(&self) -> usize {
        self.members.len()
    }

    pub(super) fn first_member(&self) -> Option<ChatId> {
        self.members.first().map(|member| member.chat_id)
    }

    /// How many members of the simulated guild differ from what they should be.
    pub(super) async fn count_wrong(&self, simulator: &Peer) -> anyhow::Result<u64> {
        futures_util::stream::iter(&self.members)
            .map(|member| self.is_wrong(member, simulator))
            .buffer_unordered(LOOKS)
            .try_fold(0, |wrong, is_wrong| std::future::ready(Ok(wrong + u64::from(is_wrong))))
            .await
    }

    async fn is_wrong(&self, member: &Member, simulator: &Peer) -> anyhow::Result<bool> {
        let path = format!("/control/chat/guilds/{}/members/{}", self.guild, member.chat_id);
        let held: Held = serde_json::from_value(simulator.get(&path).await?).context("a simulated member")?;
        let managed: BTreeSet<RoleId> = held.roles.intersection(&self.managed).copied().collect();
        Ok(managed != member.roles || held.nick.as_deref() != Some(member.nick.as_str()))
    }
}

fn member(link: &Link, bindings: &[Binding], ranks: &HashMap<(GroupId, PlayId), i64>) -> Member {
    let rank_in = |group: GroupId| ranks.get(&(group, link.play_id)).copied().unwrap_or(0);
    let called_for = bindings.iter().filter(|binding| rank_in(binding.group_id) == binding.rank);
    Member {
        chat_id: link.chat_id,
        roles: called_for.map(|binding| binding.role_id).collect(),
        nick: link.play_username.clone(),
    }
}
