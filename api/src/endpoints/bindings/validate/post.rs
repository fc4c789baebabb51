//! POST /bindings/validate: do group, rank and role exist, and may the role be granted? If not, the answer
//! gives the reason.

use entities::binding::Rule;
use entities::{RoleId, guild};
use platforms::{GroupRole, GuildOverview, Missing, PlatformError};

use crate::endpoints::bindings::change::BindingRequest;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct BindingValidation {
    valid: bool,
    reasons: Vec<BindingProblem>,
}

#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct BindingProblem {
    #[schema(example = "role_id")]
    field: &'static str,
    /// A stable word for programs.
    #[schema(example = "role_above_bot")]
    error: &'static str,
    #[schema(example = "the role stands above the bot's highest role")]
    message: String,
}

impl BindingProblem {
    fn new(field: &'static str, error: &'static str, message: impl ToString) -> Self {
        Self { field, error, message: message.to_string() }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("validateBinding", "Could a binding work?")
        .about("Do group, rank and role exist, and may the role be granted?")
        .body::<BindingRequest>()
        .data::<BindingValidation>()
        .asks_platform()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let rule: Rule = call.body::<BindingRequest>()?.into();
    let platforms = &call.state.platforms;
    let (group, overview) = tokio::join!(
        platforms.play.group_roles(call.platform(), rule.group_id),
        platforms.chat.guild_overview(call.platform())
    );
    let group = match group {
        Err(PlatformError::NotFound(Missing::Group)) => None,
        group => Some(group?),
    };
    let allowed = guild::allowed_privileged_roles(call.read(), call.guild()).await?;
    let about_role = about_role(&rule, &overview?, &allowed);
    let reasons: Vec<_> = about_rank(&rule, group.as_deref()).into_iter().chain(about_role).collect();
    Reply::data(&BindingValidation { valid: reasons.is_empty(), reasons })
}

fn about_rank(rule: &Rule, group: Option<&[GroupRole]>) -> Option<BindingProblem> {
    let Some(roles) = group else {
        return Some(BindingProblem::new("group_id", "unknown_group", "no such game group"));
    };
    let exists = rule.rank == 0 || roles.iter().any(|role| i32::from(role.rank) == rule.rank);
    (!exists).then(|| {
        BindingProblem::new("rank", "unknown_rank", format!("no role of the group has rank {}", rule.rank))
    })
}

fn about_role(rule: &Rule, guild: &GuildOverview, allowed: &[RoleId]) -> Option<BindingProblem> {
    let problem = guild.grantable(rule.role_id, allowed).err()?;
    Some(BindingProblem::new("role_id", problem.word(), problem))
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
    fn rank_zero_always_exists_and_others_must_be_roles_of_the_group() {
        let roles = [GroupRole { id: 1, name: "Staff".into(), rank: 5 }];
        let word = |rank, group| about_rank(&rule(rank), group).map(|reason| (reason.field, reason.error));
        assert_eq!(word(0, Some(&roles[..])), None);
        assert_eq!(word(5, Some(&roles[..])), None);
        assert_eq!(word(6, Some(&roles[..])), Some(("rank", "unknown_rank")));
        assert_eq!(word(0, None), Some(("group_id", "unknown_group")));
    }
}
