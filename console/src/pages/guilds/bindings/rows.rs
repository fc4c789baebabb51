//! The bindings of a guild by group, and the roles to choose from.

use std::collections::BTreeMap;

use entities::{BindingId, GroupId, RoleId, binding};
use platforms::{ChatRole, GroupRole, GuildOverview, RoleProblem};

use crate::html::format::When;
use crate::visit::GuildVisit;

/// The bindings of one group.
pub(super) struct Group {
    pub(super) id: GroupId,
    /// Its name, or its number.
    pub(super) name: String,
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    pub(super) id: BindingId,
    /// The rank's name and number.
    pub(super) rank: String,
    pub(super) role_name: String,
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
    all: Vec<binding::Model>,
    overview: Option<&GuildOverview>,
) -> Vec<Group> {
    let mut by_group: BTreeMap<GroupId, Vec<binding::Model>> = BTreeMap::new();
    for row in all {
        by_group.entry(row.group_id).or_default().push(row);
    }
    let mut groups = Vec::new();
    for (id, mut rows) in by_group {
        rows.sort_by_key(|row| std::cmp::Reverse(row.rank));
        let known = visit.console.groups.find(visit.call_context(), id).await.ok();
        let name = known.as_ref().map_or_else(|| id.to_string(), ToString::to_string);
        let ranks = known.as_ref().map(|group| group.ranks.as_slice());
        let rows = rows.iter().map(|row| shown(visit, row, ranks, overview)).collect();
        groups.push(Group { id, name, rows });
    }
    groups
}

/// "Captain, Admiral (200) in Harbour"
pub(super) async fn named(visit: &GuildVisit, row: &binding::Model) -> String {
    let overview = visit.platforms().chat.guild_overview(visit.call_context()).await.ok();
    let group = visit.console.groups.find(visit.call_context(), row.group_id).await.ok();
    let ranks = group.as_ref().map(|group| group.ranks.as_slice());
    let shown = shown(visit, row, ranks, overview.as_ref());
    let group = group.map_or_else(|| row.group_id.to_string(), |group| group.to_string());
    format!("{}, {} in {group}", shown.role_name, shown.rank)
}

fn shown(
    visit: &GuildVisit,
    row: &binding::Model,
    ranks: Option<&[GroupRole]>,
    overview: Option<&GuildOverview>,
) -> Row {
    let (rank, lost) = named_rank(row.rank, ranks);
    let (role_name, problem) = match overview {
        Some(overview) => named_role(visit, overview, row.role_id),
        None => (row.role_id.to_string(), String::new()),
    };
    let problem = if lost { "the group has no such rank".to_owned() } else { problem };
    Row { id: row.binding_id, rank, role_name, problem, added: visit.when(row.created_at) }
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
    let allowed = &visit.guild.allowed_privileged_roles.0;
    (name, overview.grantable(role, allowed).err().map(problem_words).unwrap_or_default())
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
        let role = |name: &str, rank| GroupRole { id: 1, name: name.to_owned(), rank };
        let ranks = [role("Captain", 200), role("Mate", 50), role("Cook", 50)];
        let named = |rank| named_rank(rank, Some(&ranks));
        assert_eq!(named(200), ("Captain (200)".to_owned(), false));
        assert_eq!(named(50), ("Mate, Cook (50)".to_owned(), false));
        assert_eq!(named(7), ("7".to_owned(), true));
        assert_eq!((named(0).1, named_rank(7, None).1), (false, false));
    }
}
