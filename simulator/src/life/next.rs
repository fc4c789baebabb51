//! What happens next, and when: drawn from a random source, for a state, and without effect.

use std::collections::BTreeSet;
use std::time::Duration;

use entities::{ChatId, GroupId, GuildId, PlayId, RoleId};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom as _, IteratorRandom as _};
use serde_json::Value;

use crate::life::change::{Kind, LifeChange};
use crate::member_change::MemberChange;
use crate::state::{Group, Guild, Member, Role, SimulatorState};

/// Of a hundred changes. As many come as go, and rise as fall.
const SHARES: [(Kind, u32); 12] = [
    (Kind::Joined, 14),
    (Kind::Left, 14),
    (Kind::Promoted, 13),
    (Kind::Demoted, 11),
    (Kind::JoinedGroup, 5),
    (Kind::LeftGroup, 5),
    (Kind::Renamed, 8),
    (Kind::DisplayRenamed, 4),
    (Kind::RoleGiven, 9),
    (Kind::RoleTaken, 8),
    (Kind::ManagedRoleChanged, 6),
    (Kind::NicknameChanged, 3),
];
/// Of ten people who join, so many have been there before, as long as there are such.
const RETURNING: u32 = 7;
/// At most one of so many linked people is away from the guild, or from its group: a community keeps its size.
const AWAY: usize = 10;
/// Kinds that are drawn before nothing can change.
const TRIES: usize = 100;
/// Ids of people who are new to the chat platform; those of fixtures are outside of it.
const NEW_USERS: std::ops::Range<i64> = 1_500_000_000_000_000_000..1_600_000_000_000_000_000;
const WORDS: [&str; 16] = [
    "amber", "birch", "cedar", "comet", "dune", "ember", "fjord", "glade", "harbor", "ivory", "juniper",
    "lark", "maple", "onyx", "quartz", "willow",
];
const HOUR: f64 = 3_600.0;

/// The time to the next change, with `rate` changes an hour on average.
pub(super) fn wait(rate: u32, random: &mut StdRng) -> Duration {
    // In (0, 1], so that its logarithm is finite.
    let drawn = 1.0 - random.random::<f64>();
    Duration::from_secs_f64(-drawn.ln() * HOUR / f64::from(rate))
}

/// `None`: nothing can change.
pub(super) fn change(
    state: &SimulatorState,
    spared: &BTreeSet<ChatId>,
    random: &mut StdRng,
) -> Option<LifeChange> {
    (0..TRIES).find_map(|_| {
        let (kind, _) = *SHARES.choose_weighted(random, |(_, share)| *share).ok()?;
        let change = Draw { state, spared, random: &mut *random }.change(kind)?;
        Some(LifeChange { kind, change })
    })
}

struct Draw<'a> {
    state: &'a SimulatorState,
    spared: &'a BTreeSet<ChatId>,
    random: &'a mut StdRng,
}

impl<'a> Draw<'a> {
    fn change(&mut self, kind: Kind) -> Option<MemberChange> {
        match kind {
            Kind::Joined => self.joiner(),
            Kind::Left => {
                let (id, guild, user, _) = self.member(|_, _| true)?;
                let away = guild.linked.keys().filter(|user| !guild.members.contains_key(user)).count();
                let may_go = away * AWAY <= guild.linked.len();
                may_go.then(|| MemberChange { remove: true, ..of_guild(id, user) })
            }
            Kind::Promoted => self.new_rank(|ladder, at| ladder.get(at + 1)),
            Kind::Demoted => self.new_rank(|ladder, at| ladder.get(at.checked_sub(1)?)),
            Kind::JoinedGroup => self.group_joiner(),
            Kind::LeftGroup => self.group_leaver(),
            Kind::Renamed => {
                let (_, _, player) = self.player()?;
                let name = format!("{}_{player}", self.word()?);
                let is_new = self.state.names.get(&player).is_none_or(|old| **old != *name);
                let username = Some(name.into());
                is_new.then(|| MemberChange { play_id: Some(player), username, ..MemberChange::default() })
            }
            Kind::DisplayRenamed => {
                let (_, _, player) = self.player()?;
                let display_name = Some(format!("{} {}", self.word()?, self.word()?).into());
                Some(MemberChange { play_id: Some(player), display_name, ..MemberChange::default() })
            }
            Kind::RoleGiven => self.toggled(false, |held| !held),
            Kind::RoleTaken => self.toggled(false, |held| held),
            Kind::ManagedRoleChanged => self.toggled(true, |_| true),
            Kind::NicknameChanged => {
                let (guild, _, user, _) = self.member(|_, _| true)?;
                let nick = Some(Value::String(format!("{} (away)", self.word()?)));
                Some(MemberChange { nick, ..of_guild(guild, user) })
            }
        }
    }

    fn word(&mut self) -> Option<&'static str> {
        WORDS.choose(self.random).copied()
    }

    /// Large guilds live more than small ones.
    fn guild(&mut self) -> Option<(GuildId, &'a Guild)> {
        let guilds: Vec<_> = self.state.guilds.iter().collect();
        let (id, guild) = *guilds.choose_weighted(self.random, |(_, guild)| guild.members.len() + 1).ok()?;
        Some((*id, guild))
    }

    /// A member whom the bot may change.
    fn member(
        &mut self,
        fits: impl Fn(&Guild, &Member) -> bool,
    ) -> Option<(GuildId, &'a Guild, ChatId, &'a Member)> {
        let spared = self.spared;
        let (id, guild) = self.guild()?;
        let top = guild.bot_position();
        let may_change = |(user, member): &(&ChatId, &Member)| {
            let spared = spared.contains(user) || guild.is_owner(**user);
            !member.bot && !member.pending && !spared && guild.highest(&member.roles) < top
        };
        let (user, member) = guild
            .members
            .iter()
            .filter(may_change)
            .filter(|(_, member)| fits(guild, member))
            .choose(self.random)?;
        Some((id, guild, *user, member))
    }

    /// A member of a group, whose chat account is not spared.
    fn player(&mut self) -> Option<(GroupId, &'a Group, PlayId)> {
        let spared = self.spared_players();
        let groups: Vec<_> = self.state.groups.iter().collect();
        let (id, group) = *groups.choose_weighted(self.random, |(_, group)| group.members.len()).ok()?;
        let player = group.members.keys().filter(|player| !spared.contains(player)).choose(self.random)?;
        Some((*id, group, *player))
    }

    fn spared_players(&self) -> BTreeSet<PlayId> {
        let of = |guild: &Guild| {
            let spared = self.spared.iter().chain(&guild.owner);
            spared.filter_map(|user| guild.linked.get(user).copied()).collect::<Vec<_>>()
        };
        self.state.guilds.values().flat_map(of).collect()
    }

    /// Somebody linked who left, or somebody new.
    fn joiner(&mut self) -> Option<MemberChange> {
        let (users, spared) = (&self.state.users, self.spared);
        let returns = self.random.random_ratio(RETURNING, 10);
        let (id, guild) = self.guild()?;
        let is_away = |user: &&ChatId| {
            !guild.members.contains_key(user) && !guild.bans.contains_key(user) && !spared.contains(user)
        };
        let away: Vec<ChatId> = guild.linked.keys().filter(is_away).copied().collect();
        let user = match away.choose(self.random) {
            Some(user) if returns => *user,
            _ => {
                let new = ChatId::try_from(self.random.random_range(NEW_USERS)).ok()?;
                if users.contains(&new) {
                    return None;
                }
                new
            }
        };
        Some(of_guild(id, user))
    }

    fn group_leaver(&mut self) -> Option<MemberChange> {
        let (id, group, player) = self.player()?;
        let is_owner = group.members.get(&player)?.first() == highest(group);
        let has_lost_many = |guild: &Guild| {
            let away = guild.linked.values().filter(|player| !group.members.contains_key(player)).count();
            guild.groups.contains(&id) && away * AWAY > guild.linked.len()
        };
        let may_go = !is_owner && !self.state.guilds.values().any(has_lost_many);
        may_go.then(|| of_group(id, player, Vec::new()))
    }

    /// The next rank above or below a player's highest one.
    fn new_rank(&mut self, next: impl FnOnce(&[i16], usize) -> Option<&i16>) -> Option<MemberChange> {
        let (id, group, player) = self.player()?;
        let ladder = ladder(group);
        let held = group.members.get(&player)?;
        let at = ladder.iter().position(|rank| Some(rank) == held.first())?;
        let ranks = std::iter::once(next(&ladder, at)?).chain(&held[1..]).copied();
        Some(of_group(id, player, ranks.collect()))
    }

    /// Somebody linked who is not in the guild's group.
    fn group_joiner(&mut self) -> Option<MemberChange> {
        let spared = self.spared_players();
        let (_, guild) = self.guild()?;
        let id = *guild.groups.iter().choose(self.random)?;
        let group = self.state.groups.get(&id)?;
        let is_outside = |player: &&PlayId| !group.members.contains_key(player) && !spared.contains(player);
        let player = *guild.linked.values().filter(is_outside).choose(self.random)?;
        Some(of_group(id, player, vec![*ladder(group).first()?]))
    }

    /// A member with one role more or less, of those with or without a binding, if that role `may` change by who holds it.
    fn toggled(&mut self, managed: bool, may: fn(bool) -> bool) -> Option<MemberChange> {
        let fitting = |guild: &Guild, member: &Member| -> Vec<RoleId> {
            let top = guild.bot_position();
            let fits = |(id, role): &(&RoleId, &Role)| {
                // Nobody hands out power, and the bot can take back what it gave.
                let is_plain = !role.managed && role.permissions == 0 && (1..top).contains(&role.position);
                is_plain && guild.managed.contains(id) == managed && may(member.roles.contains(id))
            };
            guild.roles.iter().filter(fits).map(|(id, _)| *id).collect()
        };
        let (id, guild, user, member) = self.member(|guild, member| !fitting(guild, member).is_empty())?;
        let role = *fitting(guild, member).choose(self.random)?;
        let mut roles = member.roles.to_vec();
        match roles.iter().position(|held| *held == role) {
            Some(at) => drop(roles.remove(at)),
            None => roles.push(role),
        }
        Some(MemberChange { roles: Some(roles), ..of_guild(id, user) })
    }
}

fn of_guild(guild: GuildId, user: ChatId) -> MemberChange {
    MemberChange { guild_id: Some(guild), chat_id: Some(user), ..MemberChange::default() }
}

fn of_group(group: GroupId, player: PlayId, ranks: Vec<i16>) -> MemberChange {
    let (group_id, play_id, ranks) = (Some(group), Some(player), Some(ranks));
    MemberChange { group_id, play_id, ranks, ..MemberChange::default() }
}

fn highest(group: &Group) -> Option<&i16> {
    group.roles.iter().map(|role| &role.rank).max()
}

/// The ranks that members rise and fall on: all but those of guests and of the owner.
fn ladder(group: &Group) -> Vec<i16> {
    let ranks: BTreeSet<i16> = group.roles.iter().map(|role| role.rank).collect();
    let top = highest(group);
    ranks.iter().filter(|rank| **rank > 0 && Some(*rank) != top).copied().collect()
}

#[cfg(test)]
mod tests;
