//! The roles and nickname that a guild's bindings and settings demand of a linked member, and the member's difference from them
//! (docs/rules.md 5). Pure, except for loading the rules.

use std::collections::{BTreeMap, BTreeSet};

use entities::binding::{self, Rule};
use entities::{GroupId, GuildId, PlayId, RoleId, guild};
use jobs::bulk_sync::PlannedChange;
use jobs::member_state::Managed;
use platforms::{ChatMember, Ranks, nickname};
use sea_orm::{ConnectionTrait, DbErr};
use serde::{Deserialize, Serialize};

/// The guild's bindings and settings.
#[derive(Debug, Clone, Default)]
pub(crate) struct GuildRules {
    bindings: Vec<Rule>,
    nickname_template: String,
    /// Of every linked member.
    pub(crate) verified: Option<RoleId>,
    /// Of no linked member, whatever the bindings say.
    pub(crate) unverified: Option<RoleId>,
    /// The privileged roles that may be granted.
    pub(crate) allowed: Vec<RoleId>,
}

/// The game side of a linked member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Player<'a> {
    pub(crate) id: PlayId,
    pub(crate) name: &'a str,
}

/// The change for one member; empty if nothing differs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) add: Vec<RoleId>,
    pub(crate) remove: Vec<RoleId>,
    /// The nickname to set, if it differs; empty: none.
    pub(crate) nick: Option<String>,
}

impl GuildRules {
    pub(crate) fn new(bindings: Vec<Rule>, nickname_template: String) -> Self {
        Self { bindings, nickname_template, ..Self::default() }
    }

    pub(crate) async fn load<C: ConnectionTrait>(conn: &C, guild: GuildId) -> Result<Self, DbErr> {
        let bindings = binding::list(conn, guild).await?.iter().map(binding::Model::rule).collect();
        let Some(guild) = guild::find(conn, guild).await? else { return Ok(Self::default()) };
        let guild::Model { nickname_template, verified_role, unverified_role, .. } = guild;
        let allowed = guild.allowed_privileged_roles.0;
        let rules = Self::new(bindings, nickname_template);
        Ok(Self { verified: verified_role, unverified: unverified_role, allowed, ..rules })
    }

    /// The guild has neither roles to give or take nor a nickname template.
    pub(crate) fn is_empty(&self) -> bool {
        self.bound().is_empty() && self.nickname_template.trim().is_empty()
    }

    /// The groups whose ranks are needed.
    pub(crate) fn groups(&self) -> Vec<GroupId> {
        let groups: BTreeSet<GroupId> = self.bindings.iter().map(|rule| rule.group_id).collect();
        groups.into_iter().collect()
    }

    /// The roles named by the bindings and the settings; no other role is ever changed.
    fn bound(&self) -> BTreeSet<RoleId> {
        let named = self.bindings.iter().map(|rule| rule.role_id);
        named.chain(self.verified).chain(self.unverified).collect()
    }

    /// The verified role, and those of all matching bindings: one of the player's ranks in the group is enough.
    fn wanted(&self, player: PlayId, ranks: &Ranks) -> BTreeSet<RoleId> {
        let matching = self.bindings.iter().filter(|rule| {
            let held = ranks.get(&(player, rule.group_id)).map_or(&[][..], Vec::as_slice);
            rank_matches(rule.rank, held)
        });
        let wanted = matching.map(|rule| rule.role_id).chain(self.verified);
        wanted.filter(|role| self.unverified != Some(*role)).collect()
    }

    pub(crate) fn managed(&self) -> Managed {
        Managed { roles: self.bound(), nicknames: !self.nickname_template.trim().is_empty() }
    }

    /// Whether a binding or the settings name the role: no sync changes any other.
    pub(crate) fn manages(&self, role: RoleId) -> bool {
        self.bound().contains(&role)
    }

    /// Whether a linked player has the role after a sync.
    pub(crate) fn wants(&self, role: RoleId, player: PlayId, ranks: &Ranks) -> bool {
        self.wanted(player, ranks).contains(&role)
    }

    /// The player's ranks in the groups whose bindings name one of these roles.
    pub(crate) fn reasons(
        &self,
        change: &Change,
        player: PlayId,
        ranks: &Ranks,
    ) -> BTreeMap<GroupId, Vec<i16>> {
        let changed = change.roles();
        let behind = self.bindings.iter().filter(|rule| changed.contains(&rule.role_id));
        let ranks_in = |group| ranks.get(&(player, group)).cloned().unwrap_or_default();
        behind.map(|rule| (rule.group_id, ranks_in(rule.group_id))).collect()
    }

    pub(crate) fn change(&self, member: &ChatMember, player: Player<'_>, ranks: &Ranks) -> Change {
        let held: BTreeSet<RoleId> = member.roles.iter().copied().collect();
        let (wanted, bound) = (self.wanted(player.id, ranks), self.bound());
        let nick = nickname(&self.nickname_template, player.name, player.id)
            .filter(|nick| member.nick.as_ref() != Some(nick));
        Change {
            add: wanted.difference(&held).copied().collect(),
            remove: bound.difference(&wanted).filter(|role| held.contains(role)).copied().collect(),
            nick,
        }
    }
}

/// Rank 0 means "not in the group", whether the platform lists the player as a guest or not at all.
fn rank_matches(rank: i32, held: &[i16]) -> bool {
    if held.is_empty() { rank == 0 } else { held.iter().any(|one| i32::from(*one) == rank) }
}

impl Change {
    pub(crate) fn is_empty(&self) -> bool {
        !self.changes_roles() && self.nick.is_none()
    }

    pub(crate) fn changes_roles(&self) -> bool {
        !self.add.is_empty() || !self.remove.is_empty()
    }

    /// The full list to send: the current roles, without the removed and with the added ones.
    pub(crate) fn roles_after(&self, held: &[RoleId]) -> Vec<RoleId> {
        let mut roles: Vec<RoleId> =
            held.iter().copied().filter(|role| !self.remove.contains(role)).collect();
        for role in &self.add {
            if !roles.contains(role) {
                roles.push(*role);
            }
        }
        roles
    }

    /// The part still due for the member's current state: role changes by others stay, and changes of an earlier run
    /// are not repeated.
    pub(crate) fn still_due(&self, member: &ChatMember) -> Self {
        let held = |role: &&RoleId| member.roles.contains(role);
        Self {
            add: self.add.iter().filter(|role| !held(role)).copied().collect(),
            remove: self.remove.iter().filter(held).copied().collect(),
            nick: self.nick.clone().filter(|nick| member.nick.as_ref() != Some(nick)),
        }
    }

    /// More differences than two single calls can set: these members get the full list (docs/rules.md 5).
    pub(crate) fn is_several(&self) -> bool {
        self.add.len() + self.remove.len() + usize::from(self.nick.is_some()) > 2
    }

    pub(crate) fn roles(&self) -> Vec<RoleId> {
        self.add.iter().chain(&self.remove).copied().collect()
    }

    /// Drops the roles that are not among `bound`.
    pub(crate) fn only(mut self, bound: &[RoleId]) -> Self {
        self.add.retain(|role| bound.contains(role));
        self.remove.retain(|role| bound.contains(role));
        self
    }

    /// Merges a change of other roles.
    pub(crate) fn merge(&mut self, other: Self) {
        self.add.extend(other.add);
        self.remove.extend(other.remove);
        self.nick = other.nick.or(self.nick.take());
    }
}

impl From<&PlannedChange> for Change {
    fn from(planned: &PlannedChange) -> Self {
        Self { add: planned.add.clone(), remove: planned.remove.clone(), nick: planned.nick.clone() }
    }
}

#[cfg(test)]
mod tests;
