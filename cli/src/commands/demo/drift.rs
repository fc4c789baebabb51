//! Changes by hand on the simulated chat platform, after the checks: the visitor's first sync of all members finds
//! roles to give, roles to take and nicknames to set.

use std::collections::BTreeSet;

use entities::RoleId;
use serde_json::json;

use super::environment::Environment;
use super::expected::Member;

/// Members of each kind of change.
const MEMBERS_PER_KIND: usize = 3;
/// Changed members are this far apart, so that they have different ranks.
const MEMBERS_APART: usize = 7;

/// Returns how many members are wrong now.
pub(super) async fn make(env: &Environment) -> anyhow::Result<usize> {
    let expected = &env.expected;
    // The first member is the owner, whom the printed commands change.
    let ranked = expected.members.iter().skip(1).filter(|member| !member.roles.is_empty());
    let chosen: Vec<_> = ranked.step_by(MEMBERS_APART).take(3 * MEMBERS_PER_KIND).collect();
    for (index, member) in chosen.iter().enumerate() {
        let (roles, nick) = changed(index, member, &expected.managed);
        let body =
            json!({ "guild_id": expected.guild, "chat_id": member.chat_id, "roles": roles, "nick": nick });
        env.simulator.post("/control/members", &body).await?;
    }
    Ok(chosen.len())
}

/// In turn, members lose their roles, get one that their rank does not give, or are renamed.
fn changed(index: usize, member: &Member, managed: &BTreeSet<RoleId>) -> (BTreeSet<RoleId>, String) {
    let (mut roles, nick) = (member.roles.clone(), member.nick.clone());
    match index % 3 {
        0 => roles.clear(),
        1 => roles.extend(managed.iter().rev().find(|role| !member.roles.contains(role))),
        _ => return (roles, format!("{nick} (away)")),
    }
    (roles, nick)
}
