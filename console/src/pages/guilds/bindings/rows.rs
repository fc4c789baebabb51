//! The bindings of a guild by group, and the roles to choose from.

use std::collections::BTreeMap;

use entities::binding::{Binding, Condition};
use entities::{BindingId, GroupId, GroupRoleId, RoleId};
use platforms::{ChatRole, GroupRole, GuildOverview, RoleProblem};

use crate::html::choice::Choice;
use crate::html::format::When;
use crate::visit::GuildVisit;

/// The bindings of one group, or those without a group.
pub(super) struct Group {
    pub(super) id: Option<GroupId>,
    /// Its name, or its number.
    pub(super) name: String,
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    pub(super) id: BindingId,
    /// Such as a rank's name and number.
    pub(super) whom: String,
    pub(super) role_name: String,
    /// Empty: the binding names nobody.
    pub(super) nickname: String,
    /// Why the binding has no effect; empty: it has.
    pub(super) problem: String,
    pub(super) added: When,
}

pub(in crate::pages::guilds) struct RoleOption {
    pub(in crate::pages::guilds) id: RoleId,
    pub(in crate::pages::guilds) name: String,
    /// Why it cannot be chosen; empty: it can.
    pub(in crate::pages::guilds) problem: String,
}

/// `overview`: absent while Discord does not answer.
pub(super) async fn grouped(
    visit: &GuildVisit,
    all: Vec<Binding>,
    overview: Option<&GuildOverview>,
) -> Vec<Group> {
    let mut by_group: BTreeMap<Option<GroupId>, Vec<Binding>> = BTreeMap::new();
    for binding in all {
        by_group.entry(binding.rule.condition.group()).or_default().push(binding);
    }
    let mut groups = Vec::new();
    for (id, mut bindings) in by_group {
        bindings.sort_by_key(|binding| std::cmp::Reverse(highest_rank(binding.rule.condition)));
        let known = match id {
            Some(id) => visit.console.groups.find(visit.call_context(), id).await.ok(),
            None => None,
        };
        let number = id.map_or_else(|| "By link".to_owned(), |id| id.to_string());
        let name = known.as_ref().map_or(number, ToString::to_string);
        let ranks = known.as_ref().map(|group| group.ranks.as_slice());
        let rows = bindings.iter().map(|binding| shown(visit, binding, ranks, overview)).collect();
        groups.push(Group { id, name, rows });
    }
    groups
}

fn highest_rank(condition: Condition) -> Option<i32> {
    let parts = condition.parts();
    parts.rank.or(parts.max_rank)
}

/// "Captain, Admiral (200) in Harbour"
pub(super) async fn named(visit: &GuildVisit, binding: &Binding) -> String {
    let overview = visit.platforms().chat.guild_overview(visit.call_context()).await.ok();
    let Some(id) = binding.rule.condition.group() else {
        let shown = shown(visit, binding, None, overview.as_ref());
        return format!("{}, {}", shown.role_name, shown.whom);
    };
    let group = visit.console.groups.find(visit.call_context(), id).await.ok();
    let ranks = group.as_ref().map(|group| group.ranks.as_slice());
    let shown = shown(visit, binding, ranks, overview.as_ref());
    let group = group.map_or_else(|| id.to_string(), |group| group.to_string());
    format!("{}, {} in {group}", shown.role_name, shown.whom)
}

fn shown(
    visit: &GuildVisit,
    binding: &Binding,
    ranks: Option<&[GroupRole]>,
    overview: Option<&GuildOverview>,
) -> Row {
    let rule = &binding.rule;
    let (whom, lost) = whom(rule.condition, ranks);
    let (role_name, problem) = match overview {
        Some(overview) => named_role(visit, overview, rule.role_id),
        None => (rule.role_id.to_string(), String::new()),
    };
    let problem = if lost { lost_problem(rule.condition).to_owned() } else { problem };
    let nickname = match rule.nickname_template.as_deref() {
        None => String::new(),
        Some("") => format!("leaves nicknames alone, priority {}", rule.priority),
        Some(template) => format!("nickname {template}, priority {}", rule.priority),
    };
    Row { id: binding.id, whom, role_name, nickname, problem, added: visit.when(binding.created_at) }
}

fn lost_problem(condition: Condition) -> &'static str {
    match condition {
        Condition::GroupRole { .. } => "the group has no such role",
        Condition::GroupRankRange { .. } => "the group has no rank in this range",
        _ => "the group has no such rank",
    }
}

/// For whom a binding is, and whether the group lacks it.
pub(super) fn whom(condition: Condition, ranks: Option<&[GroupRole]>) -> (String, bool) {
    match condition {
        Condition::GroupRank { rank, .. } => named_rank(rank, ranks),
        Condition::GroupRankRange { min, max, .. } => {
            let within = |role: &GroupRole| (min..=max).contains(&i32::from(role.rank));
            (format!("Ranks {min} to {max}"), ranks.is_some_and(|ranks| !ranks.iter().any(within)))
        }
        Condition::GroupMember { .. } => ("All members of the group".to_owned(), false),
        Condition::GroupRole { role, .. } => named_group_role(role, ranks),
        Condition::Verified => ("All linked members".to_owned(), false),
        Condition::Unverified => ("Members without a link".to_owned(), false),
    }
}

fn named_group_role(id: GroupRoleId, ranks: Option<&[GroupRole]>) -> (String, bool) {
    let Some(ranks) = ranks else { return (format!("Role {id}"), false) };
    let named = ranks.iter().find(|role| role.id == id);
    (named.map_or_else(|| format!("Role {id}"), |role| format!("Role {}", role.name)), named.is_none())
}

/// The rank's label, and whether the group lacks it.
pub(super) fn named_rank(rank: i32, ranks: Option<&[GroupRole]>) -> (String, bool) {
    if rank == 0 {
        return ("Not in the group".to_owned(), false);
    }
    let Some(ranks) = ranks else { return (rank.to_string(), false) };
    let named: Vec<_> =
        ranks.iter().filter(|role| i32::from(role.rank) == rank).map(|role| role.name.as_str()).collect();
    if named.is_empty() {
        (rank.to_string(), true)
    } else {
        (format!("{} ({rank})", named.join(", ")), false)
    }
}

/// Name and problem of a role.
pub(in crate::pages::guilds) fn named_role(
    visit: &GuildVisit,
    overview: &GuildOverview,
    role: RoleId,
) -> (String, String) {
    let name = overview.role(role).map_or_else(|| role.to_string(), |role| role.name.clone());
    (name, overview.grantable(role, &visit.grants).err().map(problem_words).unwrap_or_default())
}

/// Why a role cannot be given or taken, for the person at a form.
pub(in crate::pages::guilds) fn problem_words(problem: RoleProblem) -> String {
    match problem {
        RoleProblem::Unknown => "Discord no longer has this role".to_owned(),
        RoleProblem::Managed => "an integration manages this role".to_owned(),
        RoleProblem::AboveBot => "this role stands at or above the bot's highest role".to_owned(),
        RoleProblem::AboveGiver => "this role is not below your own highest role".to_owned(),
        RoleProblem::Everyone => "all members have this role".to_owned(),
        RoleProblem::Privileged(permission) => {
            format!(
                "this role has the permission {permission}; a person with Administrator can allow it in the \
                 settings"
            )
        }
        RoleProblem::MakesStaff => {
            "whoever holds this role is staff; a person with Administrator can allow it in the settings"
                .to_owned()
        }
    }
}

impl RoleOption {
    /// Not for choice where the role cannot be given.
    pub(in crate::pages::guilds) fn choice(self) -> Choice {
        let (value, disabled) = (self.id.to_string(), !self.problem.is_empty());
        let label = if disabled { format!("{} ({})", self.name, self.problem) } else { self.name };
        Choice { value, label, disabled }
    }
}

/// Highest first, as Discord shows them.
pub(in crate::pages::guilds) fn options(visit: &GuildVisit, overview: &GuildOverview) -> Vec<RoleOption> {
    let everyone = visit.guild.guild_id.get();
    let mut roles: Vec<_> = overview.roles.iter().filter(|role| role.id.get() != everyone).collect();
    roles.sort_by_key(|role| std::cmp::Reverse(role.position));
    let option = |role: &ChatRole| {
        let (name, problem) = named_role(visit, overview, role.id);
        RoleOption { id: role.id, name, problem }
    };
    roles.into_iter().map(option).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_named_and_lost_ones_are_told() {
        let id = |rank: i16| GroupRoleId::try_from(1_000 + i64::from(rank)).unwrap();
        let role = |name: &str, rank| GroupRole { id: id(rank), name: name.to_owned(), rank };
        let ranks = [role("Captain", 200), role("Mate", 50), role("Cook", 50)];
        let named = |rank| named_rank(rank, Some(&ranks));
        assert_eq!(named(200), ("Captain (200)".to_owned(), false));
        assert_eq!(named(50), ("Mate, Cook (50)".to_owned(), false));
        assert_eq!(named(7), ("7".to_owned(), true));
        assert_eq!((named(0).1, named_rank(7, None).1), (false, false));
        let group = "5".parse().unwrap();
        let of = |condition| whom(condition, Some(&ranks));
        let range = |min, max| Condition::GroupRankRange { group, min, max };
        assert_eq!(of(range(60, 200)), ("Ranks 60 to 200".to_owned(), false));
        assert!(of(range(60, 199)).1);
        assert_eq!(of(Condition::GroupRole { group, role: id(200) }), ("Role Captain".to_owned(), false));
        assert!(of(Condition::GroupRole { group, role: id(7) }).1);
    }
}
