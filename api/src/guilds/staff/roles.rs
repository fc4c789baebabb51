//! PUT and DELETE /guilds/:guildId/staff/roles/:roleId (decisions 6): what staff of a role may do. Quotas for a role
//! follow its name.

use entities::staff_role::{self, Model, NewRole, Permissions};
use entities::{RoleId, quota, staff_member};
use serde::Serialize;
use serde_json::{Value, json};

use crate::audit;
use crate::call::Call;
use crate::fields::{Field, Text};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// Permissions of one role, and characters of each.
const PERMISSIONS_MAX: usize = 100;
type Permission = Text<100>;

#[derive(Serialize)]
struct StaffRole {
    role_id: RoleId,
    role_name: String,
    permissions: Permissions,
    play_permissions: Permissions,
}

impl From<&Model> for StaffRole {
    fn from(row: &Model) -> Self {
        Self {
            role_id: row.role_id,
            role_name: row.role_name.clone(),
            permissions: row.permissions.clone(),
            play_permissions: row.play_permissions.clone(),
        }
    }
}

/// The whole role: permissions that are not given are none.
pub(crate) async fn put(call: Call) -> Result<Reply, ApiError> {
    let role: RoleId = call.path("roleId", &RoleId::allowed())?;
    let permissions = |name| Ok::<_, ApiError>(call.fields.optional::<Names>(name)?.unwrap_or_default().0);
    let new = NewRole {
        role,
        role_name: call.fields.required::<Text<100>>("role_name")?.0,
        permissions: permissions("permissions")?,
        play_permissions: permissions("play_permissions")?,
    };
    let transaction = call.begin().await?;
    let before = staff_role::find_for_update(&transaction, call.guild(), role).await?;
    let after = staff_role::upsert(&transaction, call.guild(), new, call.now()).await?;
    let shown = StaffRole::from(&after);
    let changes = match &before {
        None => Some(json!({ "after": shown })),
        Some(before) => audit::changes(&StaffRole::from(before), &shown)?,
    };
    let Some(changes) = changes else {
        return Ok(Reply::data(&shown)?.with_message("nothing to change: the role is like that already"));
    };
    if let Some(before) = before.as_ref().filter(|before| before.role_name != after.role_name) {
        quota::follow_role(&transaction, call.guild(), (&before.role_name, &after.role_name)).await?;
    }
    call.audit(&transaction, "staff_roles.put", role, changes).await?;
    let message = if before.is_some() { "staff role updated" } else { "staff role added" };
    call.commit(transaction, Reply::data(&shown)?.with_message(message)).await
}

/// Refused while members hold it.
pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    let role: RoleId = call.path("roleId", &RoleId::allowed())?;
    let transaction = call.begin().await?;
    // Who becomes a member with this role locks it too: the count stays right until the end.
    let found = staff_role::find_for_update(&transaction, call.guild(), role).await?;
    let before = found.ok_or_else(|| ApiError::not_found("staff role"))?;
    let holders = staff_member::count_with_role(&transaction, call.guild(), role).await?;
    if holders > 0 {
        let message = format!("{holders} staff members hold this role: give them another one first");
        return Err(ApiError::conflict("role_in_use", message));
    }
    staff_role::delete(&transaction, call.guild(), role).await?;
    call.audit(&transaction, "staff_roles.delete", role, json!({ "before": StaffRole::from(&before) }))
        .await?;
    call.commit(transaction, Reply::message("staff role deleted")).await
}

/// Names of permissions, none twice; there may be none at all.
#[derive(Debug, Default, PartialEq, Eq)]
struct Names(Vec<String>);

impl Field for Names {
    fn allowed() -> std::borrow::Cow<'static, str> {
        format!("an array of at most {PERMISSIONS_MAX} different strings of 1 to 100 characters").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let names = sent.as_array().filter(|names| names.len() <= PERMISSIONS_MAX)?;
        let names: Vec<String> =
            names.iter().map(|name| Permission::read(name).map(|text| text.0)).collect::<Option<_>>()?;
        let different = names.iter().enumerate().all(|(n, name)| !names[..n].contains(name));
        different.then_some(Self(names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_may_be_none_but_not_blank_or_double() {
        assert_eq!(Names::read(&json!([])), Some(Names::default()));
        let two = Names::read(&json!(["lookup.read", "kick"])).unwrap();
        assert_eq!(two.0, ["lookup.read", "kick"]);
        for bad in [json!("kick"), json!(["kick", "kick"]), json!([""]), json!([1]), json!(vec!["x"; 101])] {
            assert_eq!(Names::read(&bad), None, "{bad}");
        }
    }
}
