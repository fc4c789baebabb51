//! The roles and nickname that a guild's bindings demand of a member, and the member's difference from them
//! (docs/rules.md 5). Pure, except for loading the rules.

use std::collections::BTreeSet;

use entities::binding::{self, Rule};
use entities::{GroupId, GuildId, PlayId, RoleId, guild};
use jobs::bulk_sync::PlannedChange;
use platforms::{ChatMember, Ranks, nickname};
use sea_orm::{ConnectionTrait, DbErr};
use serde::{Deserialize, Serialize};

/// The guild's bindings and settings.
#[derive(Debug, Clone, Default)]
pub(crate) struct GuildRules {
    bindings: Vec<Rule>,
    nickname_template: String,
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
        Self { bindings, nickname_template, allowed: Vec::new() }
    }

    pub(crate) async fn load<C: ConnectionTrait>(conn: &C, guild: GuildId) -> Result<Self, DbErr> {
        let bindings = binding::list(conn, guild).await?.iter().map(binding::Model::rule).collect();
        let Some(guild) = guild::find(conn, guild).await? else { return Ok(Self::default()) };
        let guild::Model { nickname_template, allowed_privileged_roles, .. } = guild;
        Ok(Self { allowed: allowed_privileged_roles.0, ..Self::new(bindings, nickname_template) })
    }

    /// The guild has neither bindings nor a nickname template.
    pub(crate) fn is_empty(&self) -> bool {
        self.bindings.is_empty() && self.nickname_template.trim().is_empty()
    }

    /// The groups whose ranks are needed.
    pub(crate) fn groups(&self) -> Vec<GroupId> {
        let groups: BTreeSet<GroupId> = self.bindings.iter().map(|rule| rule.group_id).collect();
        groups.into_iter().collect()
    }

    /// The roles named by the bindings; no other role is ever changed.
    fn bound(&self) -> BTreeSet<RoleId> {
        self.bindings.iter().map(|rule| rule.role_id).collect()
    }

    /// The roles of all matching bindings: one of the player's ranks in the group is enough.
    fn wanted(&self, player: PlayId, ranks: &Ranks) -> BTreeSet<RoleId> {
        let matching = self.bindings.iter().filter(|rule| {
            let held = ranks.get(&(player, rule.group_id)).map_or(&[][..], Vec::as_slice);
            rank_matches(rule.rank, held)
        });
        matching.map(|rule| rule.role_id).collect()
    }

    /// Whether a binding names the role: no sync changes any other.
    pub(crate) fn manages(&self, role: RoleId) -> bool {
        self.bindings.iter().any(|rule| rule.role_id == role)
    }

    /// Whether the player's ranks call for a role.
    pub(crate) fn wants(&self, role: RoleId, player: PlayId, ranks: &Ranks) -> bool {
        self.wanted(player, ranks).contains(&role)
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
mod tests {
    use super::*;
    use crate::testing::{change as planned, group, member, play, roles, rule};

    const NO_NAMES: &str = "";

    fn rules() -> GuildRules {
        GuildRules::new(
            vec![rule(5, 1, 101), rule(5, 50, 102), rule(5, 255, 103), rule(6, 0, 104)],
            NO_NAMES.to_owned(),
        )
    }

    fn ranks(of: &[(i64, &[i16])]) -> Ranks {
        of.iter().map(|(id, ranks)| ((play(1), group(*id)), ranks.to_vec())).collect()
    }

    fn change(rules: &GuildRules, held: &[i64], ranks: &Ranks) -> Change {
        rules.change(&member(held, Some("nick")), Player { id: play(1), name: "builder" }, ranks)
    }

    #[test]
    fn added_is_wanted_minus_held_and_removed_is_held_managed_minus_wanted() {
        let change = change(&rules(), &[101, 103], &ranks(&[(5, &[50]), (6, &[1])]));
        assert_eq!(change, Change { add: roles(&[102]), remove: roles(&[101, 103]), nick: None });
    }

    #[test]
    fn roles_outside_the_bindings_are_never_touched() {
        let change = change(&rules(), &[900, 102, 901], &ranks(&[(5, &[1]), (6, &[9])]));
        assert_eq!(change.remove, roles(&[102]));
        assert_eq!(change.roles_after(&roles(&[900, 102, 901])), roles(&[900, 901, 101]));
    }

    #[test]
    fn a_member_in_sync_has_no_change() {
        let change = change(&rules(), &[900, 102], &ranks(&[(5, &[50]), (6, &[1])]));
        assert!(change.is_empty());
    }

    #[test]
    fn rank_0_means_not_in_the_group_in_either_form() {
        let absent = change(&rules(), &[], &ranks(&[(5, &[50])]));
        assert_eq!(absent.add, roles(&[102, 104]));
        let guest = change(&rules(), &[], &ranks(&[(5, &[50]), (6, &[0])]));
        assert_eq!(guest.add, roles(&[102, 104]));
        let inside = change(&rules(), &[104], &ranks(&[(5, &[50]), (6, &[3])]));
        assert_eq!((inside.add, inside.remove), (roles(&[102]), roles(&[104])));
    }

    #[test]
    fn a_member_of_no_group_has_only_rank_0() {
        let change = change(&rules(), &[101, 102, 103], &Ranks::new());
        assert_eq!((change.add, change.remove), (roles(&[104]), roles(&[101, 102, 103])));
    }

    #[test]
    fn any_of_several_ranks_matches() {
        let change = change(&rules(), &[], &ranks(&[(5, &[1, 50, 255]), (6, &[1])]));
        assert_eq!(change.add, roles(&[101, 102, 103]));
    }

    #[test]
    fn a_role_of_several_bindings_stays_while_one_of_them_matches() {
        let rules = GuildRules::new(vec![rule(5, 1, 101), rule(6, 7, 101)], String::new());
        assert!(change(&rules, &[101], &ranks(&[(6, &[7])])).is_empty());
        assert_eq!(change(&rules, &[101], &ranks(&[(6, &[8])])).remove, roles(&[101]));
    }

    #[test]
    fn ranks_of_other_players_and_groups_are_ignored() {
        let others: Ranks = [((play(2), group(5)), vec![50]), ((play(1), group(7)), vec![50])].into();
        assert_eq!(change(&rules(), &[], &others).add, roles(&[104]));
    }

    #[test]
    fn the_nickname_changes_only_where_it_differs_and_only_with_a_template() {
        let named = GuildRules::new(Vec::new(), "{play_username}".to_owned());
        assert_eq!(change(&named, &[], &Ranks::new()).nick.as_deref(), Some("builder"));
        let player = Player { id: play(1), name: "nick" };
        assert!(named.change(&member(&[], Some("nick")), player, &Ranks::new()).is_empty());
        assert_eq!(named.change(&member(&[], None), player, &Ranks::new()).nick.as_deref(), Some("nick"));
        assert!(change(&GuildRules::default(), &[5], &Ranks::new()).is_empty());
    }

    #[test]
    fn each_group_is_requested_once_and_empty_rules_request_none() {
        assert_eq!(rules().groups(), vec![group(5), group(6)]);
        assert!(GuildRules::new(Vec::new(), "  ".to_owned()).is_empty());
        assert!(!rules().is_empty());
        assert!(!GuildRules::new(Vec::new(), "{play_id}".to_owned()).is_empty());
    }

    #[test]
    fn an_old_plan_is_reduced_to_the_changes_still_due() {
        let planned = planned(&[102, 103], &[101, 104], Some("builder"));
        // Since the plan: 102 was added, 101 was removed, a moderator gave 900.
        let due = planned.still_due(&member(&[102, 104, 900], Some("builder")));
        assert_eq!(due, Change { add: roles(&[103]), remove: roles(&[104]), nick: None });
        assert_eq!(due.roles_after(&roles(&[102, 104, 900])), roles(&[102, 900, 103]));
        assert!(planned.still_due(&member(&[900, 102, 103], Some("builder"))).is_empty());
    }

    #[test]
    fn two_differences_use_single_calls_and_more_use_the_full_list() {
        for few in [planned(&[1], &[], Some("n")), planned(&[1], &[2], None), planned(&[1, 2], &[], None)] {
            assert!(!few.is_several(), "{few:?}");
        }
        for several in [planned(&[1], &[2], Some("n")), planned(&[1, 2], &[3], None)] {
            assert!(several.is_several(), "{several:?}");
        }
    }

    #[test]
    fn roles_with_deleted_bindings_are_not_changed() {
        let change = planned(&[1, 2], &[3, 4], None);
        assert_eq!(change.only(&roles(&[2, 3])), planned(&[2], &[3], None));
    }
}
