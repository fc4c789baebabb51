//! PATCH /bindings/update

use entities::binding::{self, Kind, Rule};
use entities::{BindingId, GroupId, RoleId};

use crate::audit;
use crate::bindings::{Rank, announce, begin, duplicate};
use crate::call::Call;
use crate::fields::Fields;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn update(call: Call) -> Result<Reply, ApiError> {
    let id: BindingId = call.fields.required("binding_id")?;
    let change = Change::read(&call.fields)?;
    let transaction = begin(&call).await?;
    let found = binding::find_for_update(&transaction, call.guild(), id).await?;
    let before = found.ok_or_else(|| ApiError::not_found("binding"))?.rule();
    let after = change.applied_to(before);
    let Some(changes) = audit::changes(&before, &after)? else {
        return Ok(Reply::message("nothing to change: the binding is like that already"));
    };
    if binding::find_rule(&transaction, call.guild(), after).await?.is_some() {
        return Err(duplicate());
    }
    binding::replace(&transaction, call.guild(), id, after).await?;
    call.audit(&transaction, "bindings.update", id, changes).await?;
    let reply = call.commit(transaction, Reply::message("binding updated")).await?;
    announce(&call);
    Ok(reply)
}

/// What is given of a rule; the rest stays as it is.
struct Change {
    kind: Option<Kind>,
    group: Option<GroupId>,
    rank: Option<Rank>,
    role: Option<RoleId>,
}

impl Change {
    fn read(fields: &Fields) -> Result<Self, ApiError> {
        let change = Self {
            kind: fields.changed("type")?,
            group: fields.changed("group_id")?,
            rank: fields.changed("rank")?,
            role: fields.changed("role_id")?,
        };
        if let Self { kind: None, group: None, rank: None, role: None } = change {
            let message = "nothing to change: give at least one of `type`, `group_id`, `rank`, `role_id`";
            return Err(ApiError::body("missing_field", message));
        }
        Ok(change)
    }

    fn applied_to(&self, rule: Rule) -> Rule {
        Rule {
            kind: self.kind.unwrap_or(rule.kind),
            group_id: self.group.unwrap_or(rule.group_id),
            rank: self.rank.map_or(rule.rank, |rank| rank.0),
            role_id: self.role.unwrap_or(rule.role_id),
        }
    }
}
