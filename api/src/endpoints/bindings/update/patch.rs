//! PATCH /bindings/update

use entities::binding::{self, Kind, Parts, Rule};
use entities::{BindingId, GroupId, GroupRoleId, RoleId};

use crate::endpoints::audit;
use crate::endpoints::bindings::change::{
    BindingTemplate, EMPTY_RANGE, FOREIGN_FIELD, MemberRank, NO_RANK, Priority, ROLES_CHANGED, Rank, begin,
    check_giver, checked, condition, duplicate,
};
use crate::endpoints::prelude::*;
use crate::request::values::Nullable;

request! {
    pub(crate) struct BindingPatch {
        binding_id: BindingId,
        /// Fields that do not belong to a new type are dropped.
        kind as "type": Patch<Kind>,
        group_id: Patch<GroupId>,
        #[example(100)]
        rank: Patch<Rank>,
        #[example(50)]
        min_rank: Patch<MemberRank>,
        #[example(100)]
        max_rank: Patch<MemberRank>,
        group_role_id: Patch<GroupRoleId>,
        role_id: Patch<RoleId>,
        #[example(10)]
        priority: Patch<Priority>,
        /// Null: the binding names nobody.
        nickname_template: Patch<Nullable<BindingTemplate>>,
    }
}

impl BindingPatch {
    fn applied_to(self, rule: &Rule) -> Result<Rule, ApiError> {
        let kind = self.kind.0.unwrap_or(rule.condition.kind());
        let sent = Parts {
            group_id: self.group_id.0,
            rank: self.rank.0.map(|rank| rank.0),
            min_rank: self.min_rank.0.map(|rank| rank.0),
            max_rank: self.max_rank.0.map(|rank| rank.0),
            group_role_id: self.group_role_id.0,
        };
        let condition = condition(kind, sent.or(rule.condition.parts().only_of(kind)))?;
        let names = kind != Kind::Unverified;
        let known = rule.nickname_template.clone().filter(|_| names);
        checked(Rule {
            condition,
            role_id: self.role_id.0.unwrap_or(rule.role_id),
            priority: self.priority.0.map_or(if names { rule.priority } else { 0 }, |sent| sent.0),
            nickname_template: self
                .nickname_template
                .0
                .map_or(known, |sent| sent.0.map(|template| template.0)),
        })
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateBinding", "Change a binding")
        .about("At least one of the fields beside `binding_id`; the others stay.")
        .body::<BindingPatch>()
        .message("binding updated")
        .refuses(404, &["not_found"])
        .refuses(409, &["binding_exists", ROLES_CHANGED])
        .refuses(422, &[FOREIGN_FIELD, EMPTY_RANGE, NO_RANK])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let patch: BindingPatch = call.patch()?;
    let id = patch.binding_id;
    let old_role = binding::find(call.read(), call.guild(), id).await?.or_not_found("binding")?.rule.role_id;
    let new_role = patch.role_id.0.unwrap_or(old_role);
    if new_role != old_role {
        check_giver(&call, "role_id", old_role, false).await?;
    }
    // Also where the role stays: a wider condition gives it to more members.
    check_giver(&call, "role_id", new_role, true).await?;
    let mut work = begin(&call).await?;
    let before = binding::find(work.tx(), call.guild(), id).await?.or_not_found("binding")?.rule;
    // What was checked is what is written.
    if before.role_id != old_role {
        let message = "somebody else has just changed `role_id`: read the binding again";
        return Err(ApiError::conflict(ROLES_CHANGED, message));
    }
    let after = patch.applied_to(&before)?;
    let Some(changes) = audit::changes(&before, &after)? else {
        return Ok(Reply::message("nothing to change: the binding is like that already"));
    };
    let same = binding::find_same(work.tx(), call.guild(), &after).await?;
    if same.is_some_and(|same| same.id != id) {
        return Err(duplicate());
    }
    binding::replace(work.tx(), call.guild(), id, after).await?;
    work.audit("bindings.update", id, changes);
    work.commit(Reply::message("binding updated")).await
}
