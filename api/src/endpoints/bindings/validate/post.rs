//! POST /bindings/validate: do group, rank and role exist, and may the role be granted? If not, the answer
//! gives the reason.

use entities::binding::{Condition, Rule};
use entities::guild::grants::Grants;
use platforms::{GroupRole, GuildOverview, Missing, PlatformError};

use crate::endpoints::bindings::change::{BindingRequest, EMPTY_RANGE, FOREIGN_FIELD, NO_RANK};
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
        .about("Do group, ranks and roles exist, and may the role be granted?")
        .body::<BindingRequest>()
        .data::<BindingValidation>()
        .refuses(422, &[FOREIGN_FIELD, EMPTY_RANGE, NO_RANK])
        .asks_platform()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let rule = call.body::<BindingRequest>()?.rule()?;
    let platforms = &call.state.platforms;
    let group = async {
        let Some(group) = rule.condition.group() else { return Ok(None) };
        match platforms.play.group_roles(call.platform(), group).await {
            Err(PlatformError::NotFound(Missing::Group(_))) => Ok(None),
            roles => roles.map(Some),
        }
    };
    let (group, overview) = tokio::join!(group, platforms.chat.guild_overview(call.platform()));
    let grants = Grants::read(call.read(), call.guild()).await?;
    let about_role = about_role(&rule, &overview?, &grants);
    let reasons: Vec<_> =
        about_group(rule.condition, group?.as_deref()).into_iter().chain(about_role).collect();
    Reply::data(&BindingValidation { valid: reasons.is_empty(), reasons })
}

/// `group`: its roles; `None`: there is no such group, or the condition has none.
fn about_group(condition: Condition, group: Option<&[GroupRole]>) -> Option<BindingProblem> {
    condition.group()?;
    let Some(roles) = group else {
        return Some(BindingProblem::new("group_id", "unknown_group", "no such game group"));
    };
    let any = |fits: &dyn Fn(&GroupRole) -> bool| roles.iter().any(fits);
    let lacks = |field, word, what: String| Some(BindingProblem::new(field, word, what));
    match condition {
        Condition::GroupRank { rank, .. } if rank != 0 && !any(&|role| i32::from(role.rank) == rank) => {
            lacks("rank", "unknown_rank", format!("no role of the group has rank {rank}"))
        }
        Condition::GroupRankRange { min, max, .. }
            if !any(&|role| (min..=max).contains(&role.rank.into())) =>
        {
            lacks("min_rank", "unknown_rank", format!("no role of the group has a rank from {min} to {max}"))
        }
        Condition::GroupRole { role: wanted, .. } if !any(&|role| role.id == wanted) => {
            lacks("group_role_id", "unknown_group_role", format!("the group has no role {wanted}"))
        }
        _ => None,
    }
}

fn about_role(rule: &Rule, guild: &GuildOverview, grants: &Grants) -> Option<BindingProblem> {
    let problem = guild.grantable(rule.role_id, grants).err()?;
    Some(BindingProblem::new("role_id", problem.word(), problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_zero_always_exists_and_others_must_be_roles_of_the_group() {
        let group = "9".parse().unwrap();
        let roles = [GroupRole { id: "1".parse().unwrap(), name: "Staff".into(), rank: 5 }];
        let word =
            |condition, group| about_group(condition, group).map(|reason| (reason.field, reason.error));
        let (rank, some) = (|rank| Condition::GroupRank { group, rank }, Some(&roles[..]));
        let range = |min, max| Condition::GroupRankRange { group, min, max };
        let role = |id: &str| Condition::GroupRole { group, role: id.parse().unwrap() };
        for fine in [rank(0), rank(5), range(1, 5), range(5, 9), role("1"), Condition::GroupMember { group }]
        {
            assert_eq!(word(fine, some), None, "{fine:?}");
            assert_eq!(word(fine, None), Some(("group_id", "unknown_group")), "{fine:?}");
        }
        assert_eq!(word(rank(6), some), Some(("rank", "unknown_rank")));
        assert_eq!(word(range(1, 4), some), Some(("min_rank", "unknown_rank")));
        assert_eq!(word(role("2"), some), Some(("group_role_id", "unknown_group_role")));
        assert_eq!(word(Condition::Verified, None), None);
    }
}
