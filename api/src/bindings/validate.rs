//! POST /bindings/validate: do group, rank and role exist, and may the bot grant the role? Says why not.

use entities::binding::Rule;
use platforms::{GroupRole, GuildOverview, Missing, PlatformError, RoleProblem};
use serde::Serialize;

use crate::bindings::rule;
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

#[derive(Serialize)]
struct Validated {
    valid: bool,
    reasons: Vec<Reason>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Reason {
    field: &'static str,
    /// A stable word for programs.
    error: &'static str,
    message: String,
}

impl Reason {
    fn new(field: &'static str, error: &'static str, message: impl ToString) -> Self {
        Self { field, error, message: message.to_string() }
    }
}

pub(crate) async fn validate(call: Call) -> Result<Reply, ApiError> {
    let rule = rule(&call.fields)?;
    let platforms = &call.app.platforms;
    let (group, guild) = tokio::join!(
        platforms.play.group_roles(call.platform(), rule.group_id),
        platforms.chat.guild_overview(call.platform())
    );
    let group = match group {
        Err(PlatformError::NotFound(Missing::Group)) => None,
        group => Some(group?),
    };
    let reasons: Vec<_> =
        about_rank(&rule, group.as_deref()).into_iter().chain(about_role(&rule, &guild?)).collect();
    Reply::data(&Validated { valid: reasons.is_empty(), reasons })
}

fn about_rank(rule: &Rule, group: Option<&[GroupRole]>) -> Option<Reason> {
    let Some(roles) = group else {
        return Some(Reason::new("group_id", "unknown_group", "no such game group"));
    };
    let exists = rule.rank == 0 || roles.iter().any(|role| i32::from(role.rank) == rule.rank);
    (!exists)
        .then(|| Reason::new("rank", "unknown_rank", format!("no role of the group has rank {}", rule.rank)))
}

fn about_role(rule: &Rule, guild: &GuildOverview) -> Option<Reason> {
    let problem = guild.grantable(rule.role_id).err()?;
    let word = match problem {
        RoleProblem::Unknown => "unknown_role",
        RoleProblem::Managed => "role_managed",
        RoleProblem::AboveBot => "role_above_bot",
        RoleProblem::Everyone => "role_everyone",
    };
    Some(Reason::new("role_id", word, problem))
}

#[cfg(test)]
mod tests {
    use entities::binding::Kind;

    use super::*;

    fn rule(rank: i32) -> Rule {
        let (group_id, role_id) = ("9".parse().unwrap(), "7".parse().unwrap());
        Rule { kind: Kind::GroupRank, group_id, rank, role_id }
    }

    #[test]
    fn rank_zero_is_always_there_and_others_must_be_roles_of_the_group() {
        let roles = [GroupRole { id: 1, name: "Staff".into(), rank: 5 }];
        let word = |rank, group| about_rank(&rule(rank), group).map(|reason| (reason.field, reason.error));
        assert_eq!(word(0, Some(&roles[..])), None);
        assert_eq!(word(5, Some(&roles[..])), None);
        assert_eq!(word(6, Some(&roles[..])), Some(("rank", "unknown_rank")));
        assert_eq!(word(0, None), Some(("group_id", "unknown_group")));
    }
}
