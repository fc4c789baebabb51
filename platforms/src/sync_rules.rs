//! The roles and nickname that a guild's bindings and settings demand of a linked member, and the member's difference from them
//! (docs/rules.md 5). Pure: syncs follow them, and tests of bindings explain them.

mod change;
mod verdict;
mod watched;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use entities::binding::Binding;
use entities::guild::grants::Grants;
use entities::{BindingId, GroupId, PlayId, RoleId, guild, link};

use crate::chat::ChatMember;
use crate::nickname::{NameWords, nickname};
use crate::play::{Memberships, PlayNames};

pub use change::Change;
pub use verdict::{Verdict, judge};
pub use watched::Watched;

/// The guild's bindings and settings.
#[derive(Debug, Clone, Default)]
pub struct GuildRules {
    bindings: Vec<Binding>,
    nickname_template: String,
    /// Of every linked member.
    pub verified: Option<RoleId>,
    /// Of no linked member, whatever the bindings say.
    pub unverified: Option<RoleId>,
    pub grants: Grants,
    /// Holders keep their nicknames.
    pub nickname_bypass: Vec<RoleId>,
    /// Syncs neither give nor remove roles of their holders.
    pub role_bypass: Vec<RoleId>,
    /// Syncs give them and never remove them; the end of a link does (`worker/src/unlink_member.rs`).
    pub sticky: Vec<RoleId>,
}

/// The game side of a linked member.
#[derive(Debug, Clone, Copy)]
pub struct SyncedPlayer<'a> {
    pub id: PlayId,
    pub name: &'a str,
    /// `None`: not known now.
    pub display_name: Option<&'a str>,
}

impl<'a> SyncedPlayer<'a> {
    /// The player of a link by the current names, or else by the stored one.
    pub fn of(link: &'a link::Model, names: Option<&'a PlayNames>) -> Self {
        Self {
            id: link.play_id,
            name: names.map_or(link.play_username.as_str(), |names| &names.name),
            display_name: names.map(|names| names.display_name.as_str()).filter(|name| !name.is_empty()),
        }
    }
}

/// What led to a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reasons {
    /// The player's ranks in the groups that decide; none: not in the group.
    pub ranks: BTreeMap<GroupId, Vec<i16>>,
    /// Those of them that are known of before.
    pub ranks_before: BTreeMap<GroupId, Vec<i16>>,
    /// For each changed role the bindings: those that match, or, for a role that is taken, all that name it. None: the
    /// guild's verified or unverified role.
    pub bindings: BTreeMap<RoleId, Vec<BindingId>>,
    /// The binding whose template names the member, if the nickname changes.
    pub nickname: Option<BindingId>,
}

impl Reasons {
    /// With the ranks that were known before.
    #[must_use]
    pub fn since(mut self, before: &BTreeMap<GroupId, Vec<i16>>) -> Self {
        let known = |group: &GroupId| Some((*group, before.get(group)?.clone()));
        self.ranks_before = self.ranks.keys().filter_map(known).collect();
        self
    }
}

impl GuildRules {
    /// `bindings`: oldest first.
    pub fn new(bindings: Vec<Binding>, guild: guild::Settings, grants: Grants) -> Self {
        Self {
            bindings,
            nickname_template: guild.nickname_template,
            verified: guild.verified_role,
            unverified: guild.unverified_role,
            grants,
            nickname_bypass: guild.nickname_bypass_roles.0,
            role_bypass: guild.role_bypass_roles.0,
            sticky: guild.sticky_roles.0,
        }
    }

    /// The guild has neither roles to give or take nor a nickname template.
    pub fn is_empty(&self) -> bool {
        self.bound().is_empty() && self.nickname_template.trim().is_empty()
    }

    /// The groups whose memberships are needed.
    pub fn groups(&self) -> Vec<GroupId> {
        let groups = self.bindings.iter().filter_map(|binding| binding.rule.condition.group());
        groups.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// All nickname templates: the guild's, and those of bindings.
    pub fn templates(&self) -> impl Iterator<Item = &str> {
        let own = self.bindings.iter().filter_map(|binding| binding.rule.nickname_template.as_deref());
        std::iter::once(self.nickname_template.as_str()).chain(own)
    }

    /// The roles named by the bindings and the settings; no other role is ever changed.
    fn bound(&self) -> BTreeSet<RoleId> {
        let named = self.bindings.iter().map(|binding| binding.rule.role_id);
        named.chain(self.verified).chain(self.unverified).collect()
    }

    /// Each binding, oldest first, and whether it is for the user who is linked to this player.
    pub fn verdicts(
        &self,
        player: Option<PlayId>,
        memberships: &Memberships,
    ) -> impl Iterator<Item = (&Binding, Verdict)> {
        self.bindings.iter().map(move |binding| {
            let verdict = judge(binding.rule.condition, player, memberships);
            (binding, verdict)
        })
    }

    fn matching(&self, player: PlayId, memberships: &Memberships) -> impl Iterator<Item = &Binding> {
        let verdicts = self.verdicts(Some(player), memberships);
        verdicts.filter(|(_, verdict)| verdict.matches()).map(|(binding, _)| binding)
    }

    /// The verified role, and those of all matching bindings.
    fn wanted(&self, player: PlayId, memberships: &Memberships) -> BTreeSet<RoleId> {
        let matching = self.matching(player, memberships).map(|binding| binding.rule.role_id);
        matching.chain(self.verified).filter(|role| self.unverified != Some(*role)).collect()
    }

    /// What members have whose link has ended.
    pub fn unlinked_roles(&self) -> BTreeSet<RoleId> {
        let none = Memberships::new();
        let verdicts = self.verdicts(None, &none);
        let matching = verdicts.filter(|(_, verdict)| verdict.matches());
        matching.map(|(binding, _)| binding.rule.role_id).chain(self.unverified).collect()
    }

    /// By what a change of a member is noticed that matters to syncs: the managed roles, and those that lend a bypass.
    pub fn watched(&self) -> Watched {
        let roles =
            self.bound().into_iter().chain(self.nickname_bypass.clone()).chain(self.role_bypass.clone());
        let nicknames = self.templates().any(|template| !template.trim().is_empty());
        Watched { roles: roles.collect(), nicknames }
    }

    /// Whether a binding or the settings name the role: no sync changes any other.
    pub fn manages(&self, role: RoleId) -> bool {
        self.bound().contains(&role)
    }

    /// Whether a linked player has the role after a sync.
    pub fn wants(&self, role: RoleId, player: PlayId, memberships: &Memberships) -> bool {
        self.wanted(player, memberships).contains(&role)
    }

    /// The matching binding whose template names the player: the highest priority, then the oldest.
    fn namer(&self, player: PlayId, memberships: &Memberships) -> Option<&Binding> {
        let named = self.matching(player, memberships);
        named
            .filter(|binding| binding.rule.nickname_template.is_some())
            .max_by_key(|binding| (binding.rule.priority, Reverse(binding.id)))
    }

    /// `None`: the nickname is left alone.
    pub fn nickname(
        &self,
        member: &ChatMember,
        player: SyncedPlayer<'_>,
        memberships: &Memberships,
    ) -> Option<String> {
        let namer = self.namer(player.id, memberships);
        let own = namer.and_then(|binding| binding.rule.nickname_template.as_deref());
        let role = namer.and_then(|Binding { rule, .. }| {
            verdict::deciding(rule.condition, verdict::held(rule.condition, player.id, memberships))
        });
        let words = NameWords {
            play_username: player.name,
            play_display_name: player.display_name,
            play_id: player.id,
            chat_username: &member.username,
            rank: role.map(|role| (role.rank, role.name.as_str())),
        };
        nickname(own.unwrap_or(&self.nickname_template), &words)
    }

    pub fn keeps_nickname(&self, member: &ChatMember) -> bool {
        self.nickname_bypass.iter().any(|role| member.roles.contains(role))
    }

    pub fn keeps_roles(&self, member: &ChatMember) -> bool {
        self.role_bypass.iter().any(|role| member.roles.contains(role))
    }

    /// What a sync does to the member: gives wanted roles, removes managed ones that are not wanted, sets the nickname. A
    /// bypass role spares its holder.
    pub fn change(&self, member: &ChatMember, player: SyncedPlayer<'_>, memberships: &Memberships) -> Change {
        let held: BTreeSet<RoleId> = member.roles.iter().copied().collect();
        let (wanted, bound) = (self.wanted(player.id, memberships), self.bound());
        let goes = |role: &&RoleId| held.contains(role) && !self.sticky.contains(role);
        let nick = self.nickname(member, player, memberships);
        let change = Change {
            add: wanted.difference(&held).copied().collect(),
            remove: bound.difference(&wanted).filter(goes).copied().collect(),
            nick: nick.filter(|nick| member.nick.as_ref() != Some(nick)),
        };
        self.spare(member, change)
    }

    /// Leaves out of the change what the member's roles keep by a bypass.
    #[must_use]
    pub fn spare(&self, member: &ChatMember, mut change: Change) -> Change {
        if self.keeps_nickname(member) {
            change.nick = None;
        }
        if self.keeps_roles(member) {
            change.add.clear();
            change.remove.clear();
        }
        change
    }

    /// The player's ranks in all bound groups.
    pub fn ranks(&self, player: PlayId, memberships: &Memberships) -> BTreeMap<GroupId, Vec<i16>> {
        self.groups().into_iter().map(|group| (group, ranks(player, group, memberships))).collect()
    }

    pub fn reasons(&self, change: &Change, player: PlayId, memberships: &Memberships) -> Reasons {
        let mut reasons = Reasons::default();
        let ranks = |group| ranks(player, group, memberships);
        for role in change.roles() {
            reasons.bindings.entry(role).or_default();
        }
        for (binding, verdict) in self.verdicts(Some(player), memberships) {
            let (role, group) = (binding.rule.role_id, binding.rule.condition.group());
            if let Some(behind) = reasons.bindings.get_mut(&role) {
                reasons.ranks.extend(group.map(|group| (group, ranks(group))));
                if verdict.matches() || change.remove.contains(&role) {
                    behind.push(binding.id);
                }
            }
        }
        if let Some(namer) = self.namer(player, memberships).filter(|_| change.nick.is_some()) {
            reasons.nickname = Some(namer.id);
            reasons.ranks.extend(namer.rule.condition.group().map(|group| (group, ranks(group))));
        }
        reasons
    }
}

fn ranks(player: PlayId, group: GroupId, memberships: &Memberships) -> Vec<i16> {
    let held = memberships.get(&(player, group)).into_iter().flatten();
    let mut ranks: Vec<i16> = held.map(|role| role.rank).collect();
    ranks.dedup();
    ranks
}

#[cfg(test)]
mod tests;
