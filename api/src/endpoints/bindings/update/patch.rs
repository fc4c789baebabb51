//! PATCH /bindings/update

use entities::binding::{self, Kind, Rule};
use entities::{BindingId, GroupId, RoleId};

use crate::endpoints::audit;
use crate::endpoints::bindings::change::{Rank, begin, duplicate};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct BindingPatch {
        binding_id: BindingId,
        kind as "type": Patch<Kind>,
        group_id: Patch<GroupId>,
        #[example(100)]
        rank: Patch<Rank>,
        role_id: Patch<RoleId>,
    }
}

impl BindingPatch {
    fn applied_to(&self, rule: Rule) -> Rule {
        Rule {
            kind: self.kind.0.unwrap_or(rule.kind),
            group_id: self.group_id.0.unwrap_or(rule.group_id),
            rank: self.rank.0.map_or(rule.rank, |rank| rank.0),
            role_id: self.role_id.0.unwrap_or(rule.role_id),
        }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateBinding", "Change a binding")
        .about("At least one of the fields beside `binding_id`; the others stay.")
        .body::<BindingPatch>()
        .message("binding updated")
        .refuses(404, &["not_found"])
        .refuses(409, &["binding_exists"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let patch: BindingPatch = call.patch()?;
    let mut work = begin(&call).await?;
    let found = binding::find_for_update(work.tx(), call.guild(), patch.binding_id).await?;
    let before = found.or_not_found("binding")?.rule();
    let after = patch.applied_to(before);
    let Some(changes) = audit::changes(&before, &after)? else {
        return Ok(Reply::message("nothing to change: the binding is like that already"));
    };
    if binding::find_rule(work.tx(), call.guild(), after).await?.is_some() {
        return Err(duplicate());
    }
    binding::replace(work.tx(), call.guild(), patch.binding_id, after).await?;
    work.audit("bindings.update", patch.binding_id, changes);
    work.commit(Reply::message("binding updated")).await
}
