//! Shared by the endpoints that read bindings: what they take for one.

use std::borrow::Cow;

use entities::binding::{Condition, Kind, Misfit, PRIORITY_MAX, Parts, Rule};
use entities::guild::grants::Grants;
use entities::{GroupId, GroupRoleId, RoleId, guild};
use platforms::{BINDING_WORDS, PlatformError, RoleProblem, is_template, needs_rank, template_rule};
use serde_json::Value;

use crate::call::caller::Caller;
use crate::endpoints::guilds::settings::values::template_shape;
use crate::endpoints::prelude::*;
use crate::request::parts::Field;
use crate::request::values::Whole;
use crate::schema::shape::Shape;

/// Ranks of a game group; 0 means "not in the group" (docs/rules.md 5).
pub(crate) type Rank = Whole<0, 255>;
/// Ranks of members.
pub(crate) type MemberRank = Whole<1, 255>;
pub(crate) type Priority = Whole<0, PRIORITY_MAX>;

/// A field that does not belong to the binding's type.
pub(crate) const FOREIGN_FIELD: &str = "field_of_other_type";
pub(crate) const EMPTY_RANGE: &str = "empty_range";
/// A template names a rank that its members do not have.
pub(crate) const NO_RANK: &str = "no_rank";

/// A role changed while its caller was checked against the one before.
pub(crate) const ROLES_CHANGED: &str = "roles_changed";

/// A nickname template of a binding.
#[derive(Debug, Clone)]
pub(crate) struct BindingTemplate(pub(crate) String);

impl Field for BindingTemplate {
    fn allowed() -> Cow<'static, str> {
        template_rule(&BINDING_WORDS).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        sent.as_str().filter(|text| is_template(text, &BINDING_WORDS)).map(|text| Self(text.to_owned()))
    }

    fn shape() -> Shape {
        template_shape(&BINDING_WORDS)
    }
}

request! {
    pub(crate) struct BindingRequest {
        kind as "type": Kind,
        /// Of the types that begin with `group_`, which need it.
        group_id: Option<GroupId>,
        /// Of `group_rank`, which needs it. 0: not in the group.
        #[example(100)]
        rank: Option<Rank>,
        /// Of `group_rank_range`, which needs it.
        #[example(50)]
        min_rank: Option<MemberRank>,
        /// Of `group_rank_range`, which needs it; included.
        #[example(100)]
        max_rank: Option<MemberRank>,
        /// Of `group_role`, which needs it.
        group_role_id: Option<GroupRoleId>,
        role_id: RoleId,
        /// Of the bindings that match and have a template, the one with the highest priority names the member, of equal
        /// ones the oldest. Default 0; not of `unverified`.
        #[example(10)]
        priority: Option<Priority>,
        /// At most 200 characters; `{play_username}`, `{play_display_name}`, `{play_id}`, `{chat_username}`, and of a group
        /// `{rank}` and `{rank_name}` are filled in. Empty: nicknames are left alone. Not of `unverified`.
        nickname_template: Option<BindingTemplate>,
    }
}

impl BindingRequest {
    pub(crate) fn rule(self) -> Result<Rule, ApiError> {
        let Self { kind, group_id, rank, min_rank, max_rank, group_role_id, .. } = self;
        let (rank, min_rank, max_rank) =
            (rank.map(|rank| rank.0), min_rank.map(|rank| rank.0), max_rank.map(|rank| rank.0));
        let condition = condition(kind, Parts { group_id, rank, min_rank, max_rank, group_role_id })?;
        checked(Rule {
            condition,
            role_id: self.role_id,
            priority: self.priority.map_or(0, |sent| sent.0),
            nickname_template: self.nickname_template.map(|sent| sent.0),
        })
    }
}

/// Every type has its own fields, and needs them (docs/rules.md 5).
pub(crate) fn condition(kind: Kind, parts: Parts) -> Result<Condition, ApiError> {
    Condition::new(kind, parts).map_err(|misfit| match misfit {
        Misfit::Missing(..) => ApiError::body("missing_field", misfit.to_string()),
        Misfit::Foreign(..) => ApiError::rule(FOREIGN_FIELD, misfit.to_string()),
        Misfit::Order => ApiError::rule(EMPTY_RANGE, misfit.to_string()),
    })
}

/// A rule whose name for members is possible.
pub(crate) fn checked(rule: Rule) -> Result<Rule, ApiError> {
    let kind = rule.condition.kind();
    if kind == Kind::Unverified {
        let named =
            [("priority", rule.priority != 0), ("nickname_template", rule.nickname_template.is_some())];
        if let Some((field, _)) = named.into_iter().find(|(_, is_set)| *is_set) {
            return Err(ApiError::rule(FOREIGN_FIELD, Misfit::Foreign(field, kind).to_string()));
        }
    }
    if !rule.condition.has_rank() && rule.nickname_template.as_deref().is_some_and(needs_rank) {
        let why = "`nickname_template` names a rank, which whoever matches this binding does not have";
        return Err(ApiError::rule(NO_RANK, why));
    }
    Ok(rule)
}

/// A binding gives and takes its role, so a person changes only bindings of roles that they could give by hand
/// (docs/rules.md 5). A key has no position among the roles: the sync decides what the bot may give.
/// `field` names the role in a refusal.
pub(crate) async fn check_giver(call: &Call, field: &str, role: RoleId, adds: bool) -> Result<(), ApiError> {
    let Caller::Person { user, rights, .. } = &call.caller else { return Ok(()) };
    let access = match call.state.platforms.chat.guild_access(call.platform(), *user).await {
        // Without a platform positions are unknown: the link that made this person an admin decides.
        Err(PlatformError::NotConfigured(_)) if rights.administrates => return Ok(()),
        access => access?,
    };
    let outranks = access.as_ref().map_or(Err(RoleProblem::AboveGiver), |access| access.outranks(role));
    let role = access.as_ref().and_then(|access| access.role(role));
    let checked = match (outranks, role) {
        (Err(RoleProblem::Unknown), _) if !adds => Ok(()),
        (Ok(()), Some(role)) if adds && !rights.administrates => {
            role.check_privileges(&Grants::read(call.read(), call.guild()).await?)
        }
        (outranks, _) => outranks,
    };
    checked.map_err(|problem| ApiError::rule(problem.word(), format!("`{field}`: {problem}")))
}

/// A transaction in which no other request changes the guild's bindings.
pub(crate) async fn begin(call: &Call) -> Result<UnitOfWork<'_>, ApiError> {
    let work = UnitOfWork::begin(call).await?;
    guild::find_for_update(work.tx(), call.guild()).await?;
    Ok(work)
}

pub(crate) fn duplicate() -> ApiError {
    ApiError::conflict("binding_exists", "the guild has this binding already")
}
